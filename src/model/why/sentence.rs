//! The answer to `why` in one sentence.

use crate::model::{Order, Status, TaskInfo, Why};
use crate::wording::{both, headline, many, span};

/// Words about the listeners of the task's queue, from a program that has read the listeners.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers create it")]
pub struct Takers {
    /// The listeners of a queue from which no listener takes tasks, such as "no listener".
    pub nobody: String,
    /// The state of the listeners that take tasks, such as "the only worker of mail is full".
    pub stand: String,
}

impl Why {
    /// Returns why the task does not run, or its current action, in a sentence; its deadline follows in a second
    /// sentence. `task`: the record of the task. Texts of users, such as an error, are in the sentence as they are.
    #[must_use]
    pub fn sentence(&self, task: &TaskInfo) -> String {
        self.state(task, &self.takers()) + &self.ends_by().unwrap_or_default()
    }

    /// Returns the sentence without the deadline, with words about the listeners from the caller.
    #[must_use]
    pub fn state(&self, task: &TaskInfo, takers: &Takers) -> String {
        let paused = self.paused.as_ref().map(|paused| paused.words(self.now));
        let node = self.node.as_deref().unwrap_or("an unknown worker");
        let word = word(task).map_or(String::new(), |word| format!(": {word}"));
        let lease = self.lease();
        let lost = self.deadline.is_none() && self.status.is_owned();
        // If a held task has no token, a client without scripts holds it. Such a client receives no orders.
        let foreign = lost && task.token().is_none();
        match self.status {
            Status::Scheduled => self.scheduled(takers, paused.as_deref(), &word),
            Status::Pending if !self.is_usable() => {
                format!(
                    "Its queue {:?} has a name that only clients of Blueque 1.0 use: one of those has to run it.",
                    self.queue
                )
            }
            Status::Pending => match paused {
                Some(paused) => format!("Its queue {} is {paused}.", self.queue),
                None if self.listeners == 0 => {
                    let worker = format!("Its queue {} has {}: start a worker for it.", self.queue, takers.nobody);
                    self.impossible().map_or(worker.clone(), |never| format!("{never} {worker}"))
                }
                None if self.ahead.is_none() => {
                    "A client of Blueque 1.0 has taken it from its queue, and has not noted that it holds it: if that \
                 client is dead, workers put the task back within minutes."
                        .to_owned()
                }
                None => self.obstacle().unwrap_or_else(|| self.turn(takers)),
            },
            Status::Reserved | Status::Started if foreign && self.cancel.is_some() => {
                format!(
                    "It is being cancelled{word}, but {node}, a client of Blueque 1.0, is not informed: if it completes \
                 or fails the task, that is the outcome. blueque cancel --force cancels it at once."
                )
            }
            Status::Reserved | Status::Started if self.order == Some(Order::Kill) => {
                format!("It was cancelled by force, and {node} has not killed it yet{word}{}.", self.until())
            }
            Status::Reserved | Status::Started if self.is_overdue() => {
                format!("Its deadline has passed, and {node} has not stopped it yet{lease}.")
            }
            Status::Reserved | Status::Started if self.cancel.is_some() => {
                format!("It is being cancelled, and {node} has not stopped it yet{word}{lease}.")
            }
            Status::Reserved | Status::Started if self.order == Some(Order::Stop) => {
                format!("It was requeued, and {node} has not given it back yet{lease}.")
            }
            Status::Reserved | Status::Started if task.suspended().is_some() => {
                let since = task.suspended().map_or(String::new(), |at| format!(" since {}", both(at, self.now)));
                let by = task.suspended_by().filter(|by| !by.is_empty());
                let by = by.map_or(String::new(), |by| format!(" by {by}"));
                format!("It is suspended{by} on {node}{since}{lease}: blueque continue lets it go on.")
            }
            Status::Reserved | Status::Started if lost && !foreign => {
                format!(
                    "Its lease was deleted: {node}, which took it for attempt {}, is told that it lost it, and kills its \
                 program. A worker gives it a new lease within minutes; it goes back to its queue when that ends.",
                    task.attempt()
                )
            }
            Status::Reserved => format!("{node} has taken it, and has not started it yet{lease}."),
            Status::Started => {
                let since = task.started().or(task.updated());
                let since = since.map_or(String::new(), |at| format!(" since {}", both(at, self.now)));
                format!("It runs on {node}{since}, attempt {}{lease}.", task.attempt())
            }
            Status::Waiting => match &self.upstream {
                Some(upstream) => format!("It waits for {}.", self.upstreams(upstream)),
                None => {
                    "All that it waited for has ended. Its input is long: workers put it together, in steps.".to_owned()
                }
            },
            Status::Held => {
                let by = task.held_by().filter(|by| !by.is_empty()).map_or(String::new(), |by| format!(" by {by}"));
                let since = task.updated().map_or(String::new(), |at| format!(" since {}", both(at, self.now)));
                format!("It is held{by}{since}: blueque unhold releases it.")
            }
            status if status.is_waiting() => {
                let mut means = status.means().chars();
                format!("It {}{}", means.next().map_or(' ', |first| first.to_ascii_lowercase()), means.as_str())
            }
            ended => {
                let when = task.updated().map_or(String::new(), |at| format!(" {}", both(at, self.now)));
                let what = match ended {
                    Status::Complete => "It ended well",
                    Status::Failed => "It failed",
                    _ => "It was cancelled",
                };
                let often = match self.failures {
                    failures @ 2.. if ended == Status::Failed => format!(", after {}", many(failures, "failure")),
                    _ => String::new(),
                };
                format!("{what}{when}{often}{word}.")
            }
        }
    }

    fn scheduled(&self, takers: &Takers, paused: Option<&str>, word: &str) -> String {
        let due = self.eta.map_or("an unknown time".to_owned(), |eta| both(eta, self.now));
        let late = self.eta.is_some_and(|eta| eta < self.now);
        let late = match self.listeners {
            0 => format!(", and its queue has {}", takers.nobody),
            _ if late => ", and becomes pending when a worker looks next".to_owned(),
            _ => String::new(),
        };
        let paused = paused.map_or(String::new(), |paused| format!(", and its queue is {paused}"));
        match self.failures {
            0 if self.uncounted > 0 => {
                let often = if self.uncounted == 1 { "once".to_owned() } else { format!("{} times", self.uncounted) };
                format!(
                    "It was given back {often} by workers that could not run it, and is given out again at \
                 {due}{late}{paused}."
                )
            }
            0 => format!("It is scheduled for {due}{late}{paused}."),
            failures => {
                format!("It is tried again at {due}, after {}{late}{paused}{word}.", many(failures, "failure"))
            }
        }
    }

    /// Returns true if the owner was ordered to stop because the deadline has passed.
    fn is_overdue(&self) -> bool {
        matches!((self.cancel, self.end_by), (Some(told), Some(end_by)) if told >= end_by)
    }

    /// Describes the deadline of an unfinished task that was not ordered to stop.
    #[must_use]
    pub fn ends_by(&self) -> Option<String> {
        let end_by = self.end_by.filter(|_| !self.status.is_finished() && self.cancel.is_none())?;
        Some(format!(" Its deadline is {}.", both(end_by, self.now)))
    }

    /// Describes the state of the lease, if it matters.
    fn lease(&self) -> String {
        let Some(deadline) = self.deadline else { return String::new() };
        if deadline < self.now {
            let late = span(self.now.duration_since(deadline).unwrap_or_default());
            format!(
                "; its lease ended {late} ago without a renewal, and it goes back to its queue when a worker looks next"
            )
        } else {
            String::new()
        }
    }

    /// Describes the time at which the lease of a task ends unless it is renewed.
    fn until(&self) -> String {
        let deadline = self.deadline.filter(|&deadline| deadline > self.now);
        deadline.map_or(String::new(), |at| format!("; its lease ends at {}", both(at, self.now)))
    }

    /// Describes the need or the limit that prevents a pending task from running, even if it were the first of its queue.
    #[must_use]
    pub fn obstacle(&self) -> Option<String> {
        let Self { queue, weight, .. } = self;
        if let (Some(needs), Some(0)) = (&self.needs, self.able) {
            let them = match self.listeners {
                1 => "the only listener".to_owned(),
                all => format!("none of the {all} listeners"),
            };
            let verb = if self.listeners == 1 { "does not have" } else { "has" };
            let lacking = match &self.lacking {
                Some(lacking) if lacking != needs => format!(": nobody has {lacking}"),
                Some(_) => String::new(),
                None => ": each need is met, but by different ones".to_owned(),
            };
            return Some(format!("It needs {needs}, which {them} of {queue} {verb}{lacking}."));
        }
        let of_queue = (self.limits(), format!("its queue {queue}"));
        let of_key = self.key.as_ref().map(|key| (self.key_limits(), format!("its key {key}")));
        let all = [Some(of_queue), of_key];
        let full = all.iter().flatten().find_map(|(limits, whose)| {
            let (most, weight) = (u64::from(limits.concurrency?), u64::from(*weight));
            if limits.used + weight.min(most) <= most {
                return None;
            }
            let places = match (most, limits.used) {
                (1, _) => format!("The only place of {whose} is taken"),
                (most, used) if used >= most => format!("All {most} places of {whose} are taken"),
                (most, used) => format!("{used} of the {most} places of {whose} are taken"),
            };
            let own = if weight > 1 { format!(", and it takes {weight}") } else { String::new() };
            Some(format!("{places}{own}."))
        });
        full.or_else(|| self.shared()).or_else(|| {
            all.iter().flatten().find_map(|(limits, whose)| {
                let until = limits.rate_until.filter(|&until| until > self.now)?;
                Some(format!("The rate of {whose} lets the next task start at {}.", both(until, self.now)))
            })
        })
    }

    /// Describes why a task does not get its places of a shared limit.
    fn shared(&self) -> Option<String> {
        let (name, weight) = (self.limit.as_ref()?, self.limit_weight.unwrap_or(1));
        let places = if weight > 1 { format!(", and it takes {weight}") } else { String::new() };
        let until = self.limit_rate_until.filter(|&until| until > self.now);
        if let Some(never) = self.impossible() {
            return Some(never);
        }
        let used = self.limit_used?;
        Some(match (until, &self.limit_turn, self.limit_concurrency) {
            (Some(until), ..) => {
                let when = both(until, self.now);
                format!("The rate of the shared limit {name} lets the next task start at {when}.")
            }
            (_, Some(queue), _) => format!("It is the turn of the queue {queue} at the shared limit {name}{places}."),
            (.., Some(1)) => format!("The only place of the shared limit {name} is taken."),
            (.., Some(most)) if used >= u64::from(most) => {
                format!("All {most} places of the shared limit {name} are taken{places}.")
            }
            (.., most) => {
                let most = most.map_or(String::new(), |most| format!(" of {most}"));
                format!("{used}{most} places of the shared limit {name} are taken{places}.")
            }
        })
    }

    /// Describes a shared limit that is too small for a pending task, and the remedy.
    #[must_use]
    pub fn impossible(&self) -> Option<String> {
        let (name, weight) = (self.limit.as_ref()?, self.limit_weight.unwrap_or(1));
        let set = format!("blueque limit set --shared {name} --concurrency");
        match (self.limit_used, self.limit_concurrency) {
            (None, _) => Some(format!("There is no shared limit {name}: {set} {weight}, or edit the task (--limits).")),
            (Some(_), Some(most)) if weight > most => {
                let has = many(most, "place");
                Some(format!(
                    "The shared limit {name} has only {has}, and it takes {weight}: {set} {weight}, or edit the task \
                     (--limits)."
                ))
            }
            _ => None,
        }
    }

    fn turn(&self, takers: &Takers) -> String {
        let before = match self.ahead {
            Some(0) | None => "It is the next of its queue".to_owned(),
            Some(1) => "It waits behind 1 other task".to_owned(),
            Some(10_000) => "It waits behind 10,000 other tasks or more".to_owned(),
            Some(ahead) => format!("It waits behind {ahead} other tasks"),
        };
        format!("{before}, and {}.", takers.stand)
    }

    /// Describes the tasks that the task waits for, as part of a sentence. `named`: its open upstream, as the caller
    /// names it.
    #[must_use]
    pub fn upstreams(&self, named: &str) -> String {
        let open = self.open.unwrap_or(1);
        let set = match (self.least, self.chances, self.open) {
            (Some(least), Some(chances), _) if least > chances => {
                format!("{least} more of a set, of which only {chances} can still be complete: for ")
            }
            (Some(least), Some(chances), Some(open)) if open == chances && chances > 1 => {
                format!("{least} more of {chances} tasks: ")
            }
            _ => String::new(),
        };
        let chances = self.chances.filter(|chances| *chances > 1).unwrap_or(0);
        let some = match self.least {
            Some(least) if chances > 0 && open > chances => format!(", and for {least} more of {chances} tasks"),
            _ => String::new(),
        };
        let each = match open.saturating_sub(if some.is_empty() { 0 } else { chances }) {
            0 | 1 => String::new(),
            2 => " and another task".to_owned(),
            open => format!(" and {} other tasks", open - 1),
        };
        format!("{set}{named}{each}{some}")
    }

    /// Words about the listeners, from the numbers of the reply.
    fn takers(&self) -> Takers {
        let nobody = match (self.draining, self.silent) {
            (0, 0) => "no listener",
            (0, _) => "no living listener",
            _ => "only listeners that drain",
        };
        let (all, queue) = (self.listeners, &self.queue);
        let stand = match (all, all.saturating_sub(self.full)) {
            (0 | 1, 0) => format!("the only listener of {queue} is full"),
            (_, 0) => format!("the {all} listeners of {queue} are full"),
            (1, _) => format!("the only listener of {queue} can take it, and should soon"),
            (_, free) => format!("{free} of {all} listeners of {queue} can take it: one should take it soon"),
        };
        Takers { nobody: nobody.to_owned(), stand }
    }
}

/// The error of the task, or its last error, or the reason for its cancellation.
fn word(task: &TaskInfo) -> Option<String> {
    match task.status() {
        Some(Status::Failed) => task.error().map(|error| headline(&error)),
        Some(Status::Scheduled) => task.last_error().map(|error| headline(&error)),
        Some(_) if task.is_cancelling() => task.reason(),
        Some(Status::Cancelled) => task.reason(),
        _ => None,
    }
    .filter(|word| !word.is_empty())
}
