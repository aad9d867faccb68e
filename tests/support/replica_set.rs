//! A real set of a master, two replicas and three Sentinels, reached through `redis+sentinel://`. Its master is
//! replaced on request, or dies.

use std::path::Path;
use std::time::Duration;

use blueque::{Address, Connection, Namespace};
use redis::{Cmd, RedisResult, Value};

use crate::sentinel::Sentinel;
use crate::support::receiver::{Ground, read};
use crate::support::{Server, eventually, within};

/// Limit of each command, such as a WAIT of 30 s.
const LIMIT: Duration = Duration::from_secs(40);

/// Way in which a master is replaced: on request, or after its death.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fall {
    Asked,
    Dead,
}

pub struct Watched {
    connection: Connection,
    address: Address,
    namespace: Namespace,
    sentinels: [Sentinel; 3],
    servers: Vec<(Server, String)>,
    /// The number of steps before the master falls, and how it falls.
    due: Option<(u32, Fall)>,
    pub failovers: u32,
}

impl Watched {
    pub fn start(program: &Path, namespace: &str) -> Self {
        let (master, port) = Server::start_at_port_of(program, &[]);
        let mut servers = vec![(master, port.clone())];
        servers.extend((0..2).map(|_| Server::start_replica_of(program, &port)));
        let sentinels = [(); 3].map(|()| Sentinel::start_of(program, &port, 2, ""));
        let hosts = sentinels.each_ref().map(|sentinel| format!("127.0.0.1:{}", sentinel.port));
        let address = Address::parse(&format!("redis+sentinel://{}/films", hosts.join(","))).unwrap();
        let namespace = Namespace::new(namespace).unwrap();
        let connection = address.connect(&namespace, LIMIT).unwrap();
        let watched = Self { connection, address, namespace, sentinels, servers, due: None, failovers: 0 };
        for sentinel in &watched.sentinels {
            eventually("the Sentinels know all of the set", || {
                let known = |of: &str| -> Option<usize> {
                    Some(sentinel.try_ask::<Vec<Value>>(&["SENTINEL", of, "films"])?.len())
                };
                (known("REPLICAS") == Some(2) && known("SENTINELS") == Some(2)).then_some(())
            });
        }
        watched
    }

    /// Replaces the master before the step that follows `steps` further steps.
    pub fn falls_after(&mut self, steps: u32, fall: Fall) {
        self.due = Some((steps, fall));
    }

    /// Replaces the master. Both replicas have what was done until now, so that nothing is lost.
    fn fail_over(&mut self, fall: Fall) {
        let mut here = |line: &str| -> u32 {
            let info: String = read(self.connection.send(redis::cmd("INFO").arg("replication"))).unwrap();
            u32::try_from(info.matches(line).count()).unwrap()
        };
        eventually("both replicas follow", || (here("state=online") == 2).then_some(()));
        let kept: u32 = redis::cmd("WAIT").arg(2).arg(30_000).query(&mut self.connection).unwrap();
        assert_eq!(kept, 2, "both replicas have what was done");
        let before = self.run();
        let (_, port): (String, String) =
            redis::cmd("CONFIG").arg("GET").arg("port").query(&mut self.connection).unwrap();
        let master = self.servers.iter().position(|(_, own)| *own == port).unwrap();
        match fall {
            Fall::Asked => eventually("a Sentinel replaces the master", || {
                self.sentinels[0].try_ask::<String>(&["SENTINEL", "FAILOVER", "films"])
            }),
            Fall::Dead => {
                self.sentinels.iter().for_each(Sentinel::watch);
                self.servers[master].0.kill();
                String::new()
            }
        };
        self.connection = within(Duration::from_secs(120), "there is a new master", || {
            let mut connection = self.address.connect(&self.namespace, LIMIT).ok()?;
            (connection.run() != before).then_some(connection)
        });
        if fall == Fall::Dead {
            let (_, port): (String, String) =
                redis::cmd("CONFIG").arg("GET").arg("port").query(&mut self.connection).unwrap();
            let server = &mut self.servers[master].0;
            server.restart();
            redis::cmd("REPLICAOF").arg("127.0.0.1").arg(port).exec(&mut server.connection()).unwrap();
        }
        self.failovers += 1;
    }
}

impl Ground for Watched {
    fn send(&mut self, cmd: &Cmd) -> RedisResult<Value> {
        self.connection.send(cmd)
    }

    fn between(&mut self) -> bool {
        match self.due.take() {
            Some((0, fall)) => {
                self.fail_over(fall);
                return true;
            }
            Some((steps, fall)) => self.due = Some((steps - 1, fall)),
            None => {}
        }
        false
    }
}
