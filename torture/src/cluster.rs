//! Three masters with a replica each, behind proxies. Nodes are killed, stopped and isolated, and slots move.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;
use nix::sys::signal::Signal;
use redis::Connection;

use crate::host::send;
use crate::proxy::{Proxy, Weather};
use crate::server::free_port;
use crate::way::Way;

/// The namespaces under test, which are partitions of one topology.
const NAMESPACES: [&str; 2] = ["{blueque:0}", "{blueque:1}"];

/// The slots of the three masters.
const SLOTS: [(&str, &str); 3] = [("0", "5460"), ("5461", "10922"), ("10923", "16383")];

const MASTERS: usize = 3;

/// Milliseconds without an answer after which a node counts as failed.
const NODE_TIMEOUT: &str = "2000";

/// Maximum time until each master has a replica that follows it.
const WHOLE: Duration = Duration::from_secs(60);

const LOOK: Duration = Duration::from_millis(50);

struct Node {
    folder: PathBuf,
    port: u16,
    bus: u16,
    child: Child,
    /// Route of all other processes to the node: the address that the node announces.
    front: Proxy,
    /// Route of the other nodes' messages to the node.
    back: Proxy,
}

impl Node {
    fn start(program: &Path, folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder)?;
        let (port, bus) = (free_port()?, free_port()?);
        let (front, back) = (Proxy::start(port)?, Proxy::start(bus)?);
        let child = run(program, &folder, [port, bus, front.port, back.port])?;
        Ok(Self { folder, port, bus, child, front, back })
    }

    fn restart(&mut self, program: &Path) -> Result<()> {
        self.child = run(program, &self.folder, [self.port, self.bus, self.front.port, self.back.port])?;
        Ok(())
    }

    /// Sets the weather on both routes to the node.
    fn set(&self, weather: Weather) {
        self.front.set(weather);
        self.back.set(weather);
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn signal(&self, signal: Signal) {
        send(self.child.id().cast_signed(), signal);
    }

    fn connection(&self) -> Result<Connection> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/", self.port))?;
        let connection = client.get_connection_with_timeout(Duration::from_secs(2))?;
        connection.set_read_timeout(Some(Duration::from_secs(10)))?;
        Ok(connection)
    }

    fn ask(&self, words: &[&str]) -> Result<String> {
        let (name, args) = words.split_first().context("no command")?;
        Ok(redis::cmd(name).arg(args).query(&mut self.connection()?)?)
    }

    fn id(&self) -> Result<String> {
        self.ask(&["CLUSTER", "MYID"])
    }

    /// Returns the role of the node and, for a replica, whether it follows its master.
    fn role(&self) -> Result<Role> {
        let info = self.ask(&["INFO", "replication"])?;
        let has = |line: &str| info.lines().any(|known| known == line);
        Ok(if has("role:master") {
            Role::Master
        } else if has("master_link_status:up") && has("master_sync_in_progress:0") {
            Role::Follows
        } else {
            Role::Lost
        })
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Master,
    Follows,
    Lost,
}

pub struct Cluster {
    program: PathBuf,
    nodes: Vec<Node>,
}

impl Cluster {
    pub fn start(program: PathBuf, folder: &Path) -> Result<Self> {
        let node = |number| Node::start(&program, folder.join(format!("node-{number}")));
        let nodes = (0..2 * MASTERS).map(node).collect::<Result<Vec<_>>>()?;
        let cluster = Self { program, nodes };
        cluster.form()?;
        Ok(cluster)
    }

    fn form(&self) -> Result<()> {
        let until = Instant::now() + WHOLE;
        for (number, (node, (from, to))) in self.nodes.iter().zip(SLOTS).enumerate() {
            wait(until, "a node answers", || node.ask(&["PING"]).is_ok())?;
            node.ask(&["CLUSTER", "ADDSLOTSRANGE", from, to])?;
            node.ask(&["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()])?;
        }
        let (first, others) = self.nodes.split_first().context("there are no nodes")?;
        for other in others {
            wait(until, "a node answers", || other.ask(&["PING"]).is_ok())?;
            first.ask(&["CLUSTER", "MEET", "127.0.0.1", &other.port.to_string(), &other.back.port.to_string()])?;
        }
        let met = |node: &Node| node.ask(&["CLUSTER", "INFO"]).is_ok_and(|info| info.contains("cluster_known_nodes:6"));
        wait(until, "all nodes know each other", || self.nodes.iter().all(met))?;
        for (master, replica) in self.nodes.iter().zip(self.nodes.iter().skip(MASTERS)) {
            let id = master.id()?;
            wait(until, "a replica knows its master", || replica.ask(&["CLUSTER", "REPLICATE", &id]).is_ok())?;
        }
        self.settle()
    }

    /// Returns the namespaces with their addresses. Any node is an entry to the cluster.
    pub fn ways(&self) -> Vec<Way> {
        let ports: Vec<String> = self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.front.port)).collect();
        let url = format!("redis+cluster://{}/", ports.join(","));
        NAMESPACES.map(|namespace| Way { url: url.clone(), namespace: namespace.to_owned() }).to_vec()
    }

    pub fn routes(&self) -> impl Iterator<Item = &Proxy> {
        self.nodes.iter().map(|node| &node.front)
    }

    /// Returns the time of the node's clock in microseconds since 1970, as in tokens.
    pub fn now_us(&self) -> Result<u64> {
        for node in &self.nodes {
            if let Ok(mut connection) = node.connection() {
                let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(&mut connection)?;
                return Ok(seconds * 1_000_000 + micros);
            }
        }
        bail!("no node answers")
    }

    /// Waits until three masters have all slots, and each master has a replica that follows it.
    pub fn settle(&self) -> Result<()> {
        let whole = || -> Result<bool> {
            for node in &self.nodes {
                let info = node.ask(&["CLUSTER", "INFO"])?;
                let nodes = node.ask(&["CLUSTER", "NODES"])?;
                if !info.contains("cluster_state:ok")
                    || !info.contains("cluster_slots_ok:16384")
                    || nodes.contains("fail")
                {
                    return Ok(false);
                }
            }
            let roles = self.nodes.iter().map(Node::role).collect::<Result<Vec<_>>>()?;
            let count = |role| roles.iter().filter(|known| **known == role).count();
            Ok(count(Role::Master) == MASTERS && count(Role::Follows) == MASTERS)
        };
        wait(Instant::now() + WHOLE, "each master has a replica that follows", || whole().unwrap_or(false))
    }

    /// Kills a node for this time: the master of one of the namespaces, or a replica.
    pub fn kill(&mut self, random: &mut Rng, master: bool, time: Duration) -> Result<()> {
        let number = if master { self.holder(random)? } else { self.replica(random)? };
        let node = self.nodes.get_mut(number).context("no such node")?;
        node.kill();
        thread::sleep(time);
        node.restart(&self.program)
    }

    /// Stops the master of one of the namespaces for this time.
    pub fn hang(&self, random: &mut Rng, time: Duration) -> Result<()> {
        let node = self.nodes.get(self.holder(random)?).context("no such node")?;
        node.signal(Signal::SIGSTOP);
        thread::sleep(time);
        node.signal(Signal::SIGCONT);
        Ok(())
    }

    /// Blocks all traffic to the master of one of the namespaces for this time. Traffic from the master arrives.
    pub fn isolate(&self, random: &mut Rng, time: Duration) -> Result<()> {
        let node = self.nodes.get(self.holder(random)?).context("no such node")?;
        node.set(Weather::Hole);
        thread::sleep(time);
        node.set(Weather::Fair);
        Ok(())
    }

    /// Moves the slot of one of the namespaces to another master, one key at a time,
    /// like `redis-cli --cluster reshard`.
    pub fn move_slot(&self, random: &mut Rng) -> Result<()> {
        let namespace = random.choice(NAMESPACES).unwrap_or_default();
        let slot = self.slot(namespace)?;
        let masters = self.of(Role::Master)?;
        let from = self.nodes.get(self.owner(&slot)?).context("no such node")?;
        let others: Vec<&Node> =
            masters.iter().filter_map(|number| self.nodes.get(*number)).filter(|node| node.port != from.port).collect();
        let to = *random.choice(&others).context("there is no other master")?;
        let (from_id, to_id) = (from.id()?, to.id()?);
        // A node that takes a slot takes a new epoch. If the node does not know the latest epoch, two nodes have the
        // same epoch, and the cluster may give the slot back.
        wait(Instant::now() + WHOLE, "all nodes know of the same epoch", || {
            let epochs: Vec<_> = self.nodes.iter().map(|node| epoch(node).unwrap_or_default()).collect();
            epochs.iter().min() == epochs.iter().max()
        })?;
        to.ask(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from_id])?;
        from.ask(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to_id])?;
        let mut source = from.connection()?;
        loop {
            let some = redis::cmd("CLUSTER").arg(&["GETKEYSINSLOT", &slot, "3"]).query::<Vec<String>>(&mut source)?;
            if some.is_empty() {
                break;
            }
            for key in some {
                let target = to.port.to_string();
                redis::cmd("MIGRATE").arg(&["127.0.0.1", &target, &key, "0", "5000"]).exec(&mut source)?;
            }
            thread::sleep(Duration::from_millis(random.u64(..20)));
        }
        for node in [to, from] {
            node.ask(&["CLUSTER", "SETSLOT", &slot, "NODE", &to_id])?;
        }
        Ok(())
    }

    fn of(&self, role: Role) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            if node.role()? == role {
                found.push(number);
            }
        }
        Ok(found)
    }

    fn replica(&self, random: &mut Rng) -> Result<usize> {
        random.choice(self.of(Role::Follows)?).context("there is no replica")
    }

    /// Returns the master of one of the namespaces.
    fn holder(&self, random: &mut Rng) -> Result<usize> {
        let namespace = random.choice(NAMESPACES).unwrap_or_default();
        self.owner(&self.slot(namespace)?)
    }

    fn slot(&self, namespace: &str) -> Result<String> {
        let node = self.nodes.first().context("there are no nodes")?;
        let slot: u16 = redis::cmd("CLUSTER").arg(&["KEYSLOT", namespace]).query(&mut node.connection()?)?;
        Ok(slot.to_string())
    }

    /// Returns the node that has a slot, according to the node's own line in CLUSTER NODES.
    fn owner(&self, slot: &str) -> Result<usize> {
        let slot: u16 = slot.parse()?;
        for (number, node) in self.nodes.iter().enumerate() {
            let nodes = node.ask(&["CLUSTER", "NODES"])?;
            let own = nodes.lines().find(|line| line.contains("myself")).unwrap_or_default();
            let owns = |range: &str| {
                let (low, high) = range.split_once('-').unwrap_or((range, range));
                low.parse().is_ok_and(|low: u16| low <= slot) && high.parse().is_ok_and(|high: u16| slot <= high)
            };
            if own.split(' ').skip(8).any(owns) {
                return Ok(number);
            }
        }
        bail!("no node has the slot {slot}")
    }
}

fn epoch(node: &Node) -> Result<String> {
    let info = node.ask(&["CLUSTER", "INFO"])?;
    Ok(info.lines().find_map(|line| line.strip_prefix("cluster_current_epoch:")).unwrap_or_default().to_owned())
}

fn run(program: &Path, folder: &Path, ports: [u16; 4]) -> Result<Child> {
    let log = File::options().create(true).append(true).open(folder.join("log"))?;
    let [port, bus, front, back] = ports.map(|port| port.to_string());
    let mut command = Command::new(program);
    command.args(["--port", &port, "--cluster-port", &bus, "--bind", "127.0.0.1", "--save", ""]);
    command.args(["--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", "0"]);
    command.args(["--cluster-enabled", "yes", "--cluster-node-timeout", NODE_TIMEOUT]);
    // During the outage of one master, the other masters continue to serve their slots.
    command.args(["--cluster-require-full-coverage", "no", "--cluster-replica-validity-factor", "0"]);
    command.args(["--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port", &front]);
    command.args(["--cluster-announce-bus-port", &back, "--dir"]).arg(folder);
    command.stdin(Stdio::null()).stdout(log).spawn().context("the server cannot be started")
}

fn wait(until: Instant, what: &str, happens: impl Fn() -> bool) -> Result<()> {
    while !happens() {
        ensure!(Instant::now() < until, "not within a minute: {what}");
        thread::sleep(LOOK);
    }
    Ok(())
}
