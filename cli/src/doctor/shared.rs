//! Checks the data of clients without scripts: tasks that these clients hold on hosts without a worker, and queues
//! whose names only these clients can use.

use std::collections::{BTreeMap, BTreeSet};

use super::checks::Checks;
use crate::output::many;
use blueque::{ListenerId, QueueName};

/// Maximum number of tasks of one listener that are checked.
const TASKS: usize = 500;

/// The fields `node`, `claimer` and `token` of a record.
type Owner = (Option<String>, Option<String>, Option<String>);

/// Returns true if the name of a queue is valid for the scripts.
pub fn usable(name: &str) -> bool {
    QueueName::new(name).is_ok()
}

/// Returns the host's name in a listener's id, in lower case. If the id has no machine identity, workers compare only
/// this name. Returns `None` if no worker accepts the id, for example because the host's name has an underscore.
fn host(listener: &str) -> Option<String> {
    let id = ListenerId::new(listener).ok()?;
    let host = id.host_and_pid().0.split(':').next()?;
    Some(host.to_ascii_lowercase())
}

/// Returns the name of a host without its domain.
fn short(host: &str) -> &str {
    host.split('.').next().unwrap_or(host)
}

/// The remedy for the tasks of a listener whose id no worker accepts.
const BY_HAND: &str = "blueque cancel --force ID, then blueque retry ID";

impl Checks {
    /// Checks a list of tasks, read atomically, whose listener is not registered.
    pub fn stray(&mut self, queue: &str, listener: &str) -> anyhow::Result<()> {
        let list = self.key("reserved_tasks", &format!("{queue}_{listener}"));
        let ids: Vec<String> = self.ask(&["LRANGE", &list, "0", &(TASKS - 1).to_string()])?;
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("SISMEMBER").arg(self.key("listeners", queue)).arg(listener);
        let (known,): (bool,) = self.send(&pipeline)?;
        if known {
            return Ok(());
        }
        let owners: Vec<(_, (Owner,))> = self.each(ids, |checks, pipeline, id| {
            pipeline.cmd("HMGET").arg(checks.key("task", id)).arg(&["node", "reclaimed_node", "token"]);
        })?;
        let (mut by_claimer, mut leased, mut left) = (BTreeMap::<String, usize>::new(), 0, 0);
        let owners = owners.into_iter().map(|(_, (owner,))| owner);
        for (_, claimer, token) in owners.filter(|(node, _, _)| node.as_deref() == Some(listener)) {
            match (claimer, token.filter(|token| !token.is_empty())) {
                (Some(claimer), _) => *by_claimer.entry(claimer).or_default() += 1,
                (None, Some(_)) => leased += 1,
                (None, None) => left += 1,
            }
        }
        let off = format!("{listener} is not registered on {queue}, but holds");
        for (claimer, number) in by_claimer {
            let text = format!("{off} {}, claimed by {claimer}, a client of Blueque 1.0", many(number, "task"));
            let then = match host(listener).and(host(&claimer)) {
                Some(_) => {
                    "once that and the process of the task are dead a worker on its host gives it back; by hand,"
                }
                None => "their ids are not valid here, and no worker gives it back: by hand,",
            };
            self.note("listeners", format!("{text}: {then} {BY_HAND}"));
        }
        if leased > 0 {
            let todo = "a worker sets this right when their leases have run out";
            self.finding("listeners", format!("{off} {}", many(leased, "task")), todo);
        }
        if left > 0 {
            let todo = match host(listener) {
                Some(host) => {
                    format!(
                        "where its process is dead a worker on {host} gives them back within minutes; else {BY_HAND}"
                    )
                }
                None => format!("its id is not valid here, and no worker gives them back: {BY_HAND}"),
            };
            self.finding("listeners", format!("{off} {} of a client without scripts", many(left, "task")), todo);
        }
        Ok(())
    }

    /// Reports listeners of clients without scripts that hold tasks on a host where no worker serves the queue. If such
    /// a listener dies, no process requeues its tasks.
    pub fn unwatched(&mut self, queue: &str) -> anyhow::Result<()> {
        let mut cut = false;
        let listeners = self.members(&self.key("listeners", queue), &mut cut)?;
        let ours: Vec<String> = self.ask(&["ZRANGE", &self.key("seen", queue), "0", "9999"])?;
        let workers: Vec<String> = self.ask(&["ZRANGE", &format!("{}workers", self.prefix), "0", "9999"])?;
        let ours: BTreeSet<String> = ours.into_iter().chain(workers).collect();
        let hosts: BTreeSet<String> = ours.iter().filter_map(|listener| host(listener)).collect();
        let asked = self.each(listeners.difference(&ours), |checks, pipeline, listener| {
            pipeline.cmd("LLEN").arg(checks.key("reserved_tasks", &format!("{queue}_{listener}")));
        })?;
        for (listener, (held,)) in asked.into_iter().filter(|(_, held)| *held > (0,)) {
            let text = format!("{listener}, a client of Blueque 1.0, holds {} of {queue}", many(held, "task"));
            let Some(name) = host(listener) else {
                let why = "its id is not valid here, and no worker gives back its tasks";
                self.note("listeners", format!("{text}, and {why} if it dies: {BY_HAND}"));
                continue;
            };
            // Many machines are called localhost.
            if name != "localhost" && hosts.contains(&name) {
                continue;
            }
            let why = match hosts.iter().find(|host| short(host) == short(&name) && *host != "localhost") {
                Some(own) => format!(
                    "the workers of ours there, if any, call it {own}: if it dies, they give its tasks back only if \
                         their resolver knows the host as {name}, or with --host-name {name}"
                ),
                None => format!(
                    "no worker of ours runs on its host: if it dies, a worker there gives them back that knows the \
                         host as {name} (--host-name)"
                ),
            };
            self.note("listeners", format!("{text}, and {why}"));
        }
        Ok(())
    }

    /// Reports a queue of Blueque 1.0 whose name is not valid for the scripts.
    pub fn unusable(&mut self, queue: &str) -> anyhow::Result<()> {
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("LLEN").arg(self.key("pending_tasks", queue));
        pipeline.cmd("ZCARD").arg(self.key("scheduled_tasks", queue));
        let (pending, scheduled): (usize, usize) = self.send(&pipeline)?;
        let name = crate::output::clean_line(queue, 200);
        let text = format!("{name:?} is a queue of Blueque 1.0 whose name cannot be used here");
        match pending + scheduled {
            0 => self.note("queues", format!("{text}; no task waits in it")),
            waiting => {
                let todo = "only clients of Blueque 1.0 can run them: let those continue, or submit them again to a queue with another name";
                self.finding("queues", format!("{text}, and {} wait in it", many(waiting, "task")), todo);
            }
        }
        Ok(())
    }
}
