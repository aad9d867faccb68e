//! The servers of the campaign: a server with a replica, or a cluster whose namespaces are partitions.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use blueque::{Deliverer, Partitions};
use fastrand::Rng;

use crate::cluster::Cluster;
use crate::host::killed;
use crate::proxy::Proxy;
use crate::server::Servers;
use crate::way::Way;

pub enum Ground {
    Single(Servers),
    Cluster(Cluster, Links),
}

impl Ground {
    pub fn start(cluster: bool, program: PathBuf, folder: &Path) -> Result<Self> {
        if !cluster {
            return Ok(Self::Single(Servers::start(program, folder)?));
        }
        let cluster = Cluster::start(program, folder)?;
        let links = Links::new(&cluster.ways())?;
        Ok(Self::Cluster(cluster, links))
    }

    pub fn partitions(&self) -> Option<Partitions> {
        match self {
            Self::Single(_) => None,
            Self::Cluster(_, links) => Some(links.partitions.clone()),
        }
    }

    /// Returns the namespaces with the addresses for the judge and the submitters.
    pub fn ways(&self) -> Vec<Way> {
        match self {
            Self::Single(servers) => vec![Way::new(servers.calm.url())],
            Self::Cluster(cluster, _) => cluster.ways(),
        }
    }

    /// Returns the proxies of all nodes. None for the single server, to which each host has its own route.
    pub fn routes(&self) -> Vec<&Proxy> {
        match self {
            Self::Single(_) => Vec::new(),
            Self::Cluster(cluster, _) => cluster.routes().collect(),
        }
    }

    /// Returns the time of the server's clock in microseconds since 1970, as in tokens.
    pub fn now_us(&self) -> Result<u64> {
        match self {
            Self::Single(servers) => servers.now_us(),
            Self::Cluster(cluster, _) => cluster.now_us(),
        }
    }

    pub fn single(&mut self) -> Result<&mut Servers> {
        match self {
            Self::Single(servers) => Ok(servers),
            Self::Cluster(..) => bail!("this fault is one of a single server"),
        }
    }

    pub fn cluster(&mut self) -> Result<(&mut Cluster, &mut Links)> {
        match self {
            Self::Cluster(cluster, links) => Ok((cluster, links)),
            Self::Single(_) => bail!("this fault is one of a cluster"),
        }
    }
}

/// The partitions, and the processes that deliver between them.
pub struct Links {
    partitions: Partitions,
    addresses: String,
    program: PathBuf,
    deliverers: Vec<Child>,
}

impl Links {
    /// Stores the topology, and starts the processes that deliver.
    pub fn new(ways: &[Way]) -> Result<Self> {
        let address = |(number, way): (usize, &Way)| format!("{number}={}#{}", way.url, way.namespace);
        let addresses = ways.iter().enumerate().map(address).collect::<Vec<_>>().join(",");
        let partitions = Partitions::open(&addresses)?;
        partitions.store()?;
        let program = std::env::current_exe()?;
        let mut links = Self { partitions, addresses, program, deliverers: Vec::new() };
        (0..2).try_for_each(|_| links.start())?;
        Ok(links)
    }

    fn start(&mut self) -> Result<()> {
        let mut command = Command::new(&self.program);
        command.args(["--deliver", &self.addresses]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.deliverers.push(command.spawn().context("nobody delivers between the partitions")?);
        Ok(())
    }

    /// Kills a process that delivers, and starts another.
    pub fn kill(&mut self, random: &mut Rng) -> Result<()> {
        killed(self.deliverers.swap_remove(random.usize(..self.deliverers.len())));
        self.start()
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        self.deliverers.drain(..).for_each(killed);
    }
}

/// Delivers between partitions until it is killed.
pub fn deliver(addresses: &str) -> Result<()> {
    Deliverer::new(&Partitions::open(addresses)?).run();
    Ok(())
}

/// The hosts' routes to the servers, followed by the submitters' route.
pub struct Ways {
    pub hosts: Vec<Way>,
    pub senders: Vec<Way>,
    /// The proxies of a single server, in the same order.
    pub routes: Vec<Proxy>,
}

impl Ways {
    pub fn new(ground: &Ground, hosts: usize) -> Result<Self> {
        match ground {
            Ground::Single(servers) => {
                let routes = (0..=hosts).map(|_| Proxy::start(servers.port())).collect::<Result<Vec<_>>>()?;
                let mut ways: Vec<Way> = routes.iter().map(|route| Way::new(route.url())).collect();
                let senders = ways.split_off(hosts);
                Ok(Self { hosts: ways, senders, routes })
            }
            Ground::Cluster(cluster, _) => {
                let ways = cluster.ways();
                let hosts = ways.iter().cycle().take(hosts).cloned().collect();
                Ok(Self { hosts, senders: ways, routes: Vec::new() })
            }
        }
    }
}
