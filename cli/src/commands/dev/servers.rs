//! The servers of `blueque dev`: a single server, or the nodes of a cluster.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::bail;

use super::cluster;
use super::server::{PASSWORD, Server, Setup};
use crate::output::say;
use crate::process::Process;

/// Time after which a node that has ended is started again. Its replica takes its place before that.
const REPAIR: Duration = Duration::from_secs(10);

/// Time after which servers that were asked to stop are killed. A master waits up to 10 s for its replicas.
const STOPPING: Duration = Duration::from_secs(20);

pub struct Servers {
    all: Vec<Server>,
    shape: Shape,
    /// The indexes of the nodes that have ended, and the time at which each node is started again.
    gone: Vec<(usize, Instant)>,
    /// The data folder. A single server, a cluster, and a cluster with replicas have separate folders.
    folder: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Alone,
    Cluster,
    /// A cluster with a replica of each master.
    Replicated,
}

impl Servers {
    /// Starts the servers. The caller must have ended the processes of an earlier start.
    pub fn start(data: &Path, shape: Shape, port: Option<u16>) -> anyhow::Result<Self> {
        let (folder, setups) = match shape {
            Shape::Alone => (data.to_owned(), vec![Setup::alone(data, port)?]),
            Shape::Cluster | Shape::Replicated => {
                let replicas = shape == Shape::Replicated;
                let folder = data.join(if replicas { "cluster-with-replicas" } else { "cluster" });
                let setups = cluster::setups(&folder, replicas, port)?;
                (folder, setups)
            }
        };
        let mut servers = Self { all: Vec::new(), shape, gone: Vec::new(), folder };
        for setup in setups {
            match Server::start(setup) {
                Ok(server) => servers.all.push(server),
                Err(error) => {
                    servers.stop();
                    return Err(error);
                }
            }
        }
        Ok(servers)
    }

    pub fn processes(&self) -> Vec<Process> {
        self.all.iter().filter_map(Server::process).collect()
    }

    /// Waits until the servers work.
    pub fn ready(&mut self) -> anyhow::Result<()> {
        for server in &mut self.all {
            match self.shape {
                Shape::Alone => server.ready(&["PING"], &["PONG"])?,
                Shape::Cluster | Shape::Replicated => {
                    server.ready(&["CLUSTER", "INFO"], &["cluster_state:ok", "cluster_slots_ok:16384"])?;
                }
            }
        }
        if self.shape == Shape::Replicated {
            for server in &mut self.all {
                let text =
                    if server.ask(&["INFO", "replication"])?.contains("role:master") { "" } else { "link_status:up" };
                server.ready(&["INFO", "replication"], &[text])?;
            }
        }
        Ok(())
    }

    /// Returns the URL without the password.
    pub fn url(&self) -> String {
        if self.shape == Shape::Alone {
            return self.all.first().map_or(String::new(), Server::url);
        }
        let nodes: Vec<String> = self.all.iter().map(|node| format!("127.0.0.1:{}", node.port())).collect();
        format!("redis+cluster://{}/", nodes.join(","))
    }

    /// Returns the path of the password file, to be shown to the user.
    pub fn password_file(&self) -> PathBuf {
        let folder = if self.shape == Shape::Alone { self.folder.join("server") } else { self.folder.clone() };
        folder.join(PASSWORD)
    }

    /// Returns the state folder of the worker, which contains its runs.
    pub fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    pub fn is_cluster(&self) -> bool {
        self.shape != Shape::Alone
    }

    /// Fails if a single server has ended. Starts nodes of a cluster again some time after they ended. Returns true if
    /// a node was started.
    pub fn look(&mut self) -> anyhow::Result<bool> {
        let (now, mut again) = (Instant::now(), false);
        for (number, server) in self.all.iter_mut().enumerate() {
            let known = self.gone.iter().position(|(gone, _)| *gone == number);
            if let Some((_, when)) = known.and_then(|known| self.gone.get(known)) {
                if *when <= now {
                    self.gone.retain(|(gone, _)| *gone != number);
                    server.again()?;
                    again = true;
                    say(format!("blueque dev: the node {} is started again", server.url()));
                }
            } else if let Some(status) = server.ended()? {
                if self.shape == Shape::Alone {
                    bail!("the server ended unexpectedly: {status}; see {}", server.log().display());
                }
                let seconds = REPAIR.as_secs();
                say(format!(
                    "blueque dev: the node {} has ended ({status}): started again in {seconds} s",
                    server.url()
                ));
                self.gone.push((number, now + REPAIR));
            }
        }
        Ok(again)
    }

    /// Stops the servers. Their data is saved first.
    pub fn stop(&mut self) {
        let gone = |number| self.gone.iter().any(|(gone, _)| *gone == number);
        for (_, server) in self.all.iter().enumerate().filter(|(number, _)| !gone(*number)) {
            server.stop();
        }
        let end = Instant::now() + STOPPING;
        for server in &mut self.all {
            server.wait(end);
        }
    }
}
