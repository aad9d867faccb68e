//! Makes calls concrete, and writes them as the scripts take them.

use crate::model::keys::Reply;
use crate::model::ops::{Act, Eta, IDS, Key, LISTENERS, Op, PAYLOADS, QUEUES, Step, Which};
use crate::model::state::{Model, Task, decimal};

pub const START: u64 = 1_700_000_000_000_000;

impl Model {
    /// Where the caller's clock goes.
    pub fn wall(&self, wall: u64, step: Step) -> u64 {
        let near = |moment: Option<u64>, by: i8| moment.map_or(wall, |moment| moment.saturating_add_signed(by.into()));
        let etas = self.tasks.values().filter(|task| task.status == "scheduled");
        match step {
            Step::Stay => wall,
            Step::Seconds(seconds) => wall + u64::from(seconds) * 1_000_000,
            Step::Micros(micros) => wall + u64::from(micros),
            Step::Back(seconds) => wall - u64::from(seconds) * 1_000_000,
            Step::Deadline(by) => near(self.tasks.values().filter_map(|task| task.deadline).min(), by),
            Step::Due(by) => near(etas.map(|task| micros(task.get("eta"))).min(), by),
        }
    }

    fn which(&self, which: &mut Which) -> &'static str {
        let nth = |number: u8, fits: fn(&Task) -> bool| {
            let found: Vec<&str> = IDS.into_iter().filter(|&id| self.tasks.get(id).is_some_and(fits)).collect();
            let number = usize::from(number);
            let id = if found.is_empty() { IDS[number] } else { found[number % found.len()] };
            IDS.into_iter().find(|&other| other == id).unwrap()
        };
        let id = match which {
            Which::Any(number) => IDS[usize::from(*number)],
            Which::Held(number) => nth(*number, Task::held),
            Which::Finished(number) => nth(*number, Task::finished),
            Which::Is(id) => id,
        };
        *which = Which::Is(id);
        id
    }

    fn key(&self, id: &str, key: &mut Key) {
        const MADE_UP: &str = "1600000000000001";
        let issued = |id: &str| self.tokens.get(id).map_or(&[][..], Vec::as_slice);
        let token = match key {
            Key::Last => issued(id).last().map_or(MADE_UP, String::as_str),
            Key::Older(number) => match issued(id) {
                [older @ .., _] if !older.is_empty() => &older[usize::from(*number) % older.len()],
                _ => MADE_UP,
            },
            Key::Of(number) => issued(IDS[usize::from(*number)]).last().map_or(MADE_UP, String::as_str),
            Key::MadeUp => MADE_UP,
            Key::Malformed => "1e9",
            Key::Is(token) => token,
        };
        *key = Key::Is(token.to_owned());
    }

    /// Says which task, which token, which time are meant.
    pub fn settle(&self, op: &mut Op, wall: u64) {
        match op {
            Op::Submit { free, tasks, .. } => {
                let unused = (0..).zip(IDS).filter(|(_, id)| !self.tasks.contains_key(*id)).map(|(number, _)| number);
                for (task, number) in tasks.iter_mut().zip(unused).filter(|_| *free) {
                    task.0 = number;
                }
                *free = false;
                for (_, eta, _) in tasks {
                    if let Some(Eta::In(seconds)) = *eta {
                        *eta = Some(Eta::At(wall.saturating_add_signed(i64::from(seconds) * 1_000_000)));
                    }
                }
            }
            Op::Reserve { able, listener: who, queues, .. } if *able => {
                let listens = &self.queues[queue(queues[0])].listeners;
                let mut others = (0..3).map(|by| (*who + by) % 3);
                *who = others.find(|other| listens.contains_key(listener(*other))).unwrap_or(*who);
                *able = false;
            }
            Op::Owner { task, token, .. } => self.key(self.which(task), token),
            Op::Heartbeat { tasks, .. } => tasks.iter_mut().for_each(|(task, token)| self.key(self.which(task), token)),
            Op::Adopt { from, queue, task, .. } => {
                let task = self.tasks.get(self.which(task));
                let node = task.and_then(|task| LISTENERS.into_iter().position(|id| id == task.get("node")));
                let own = task.and_then(|task| QUEUES.into_iter().position(|name| name == task.queue));
                *from = from.or(node.map(|node| u8::try_from(node).unwrap())).or(Some(0));
                *queue = queue.or(own.map(|own| u8::try_from(own).unwrap())).or(Some(0));
            }
            Op::Cancel { task, .. } | Op::Retry { task, .. } | Op::Delete { task } | Op::Get { task } => {
                self.which(task);
            }
            Op::List { status, cursor, limit, .. } if matches!(*status, "reserved" | "started") => {
                (*cursor, *limit) = (0, 500); // the order of their pages is none
            }
            _ => {}
        }
    }
}

pub fn micros(seconds: &str) -> u64 {
    seconds.replace('.', "").parse().unwrap()
}

pub fn queue(number: u8) -> &'static str {
    QUEUES[usize::from(number)]
}

pub fn listener(number: u8) -> &'static str {
    LISTENERS[usize::from(number)]
}

pub fn payload(number: u8) -> &'static str {
    PAYLOADS[usize::from(number)]
}

pub fn request(number: u8) -> String {
    format!("r{number}")
}

impl Which {
    pub fn id(&self) -> &'static str {
        match self {
            Self::Is(id) => id,
            other => panic!("not settled: {other:?}"),
        }
    }
}

impl Key {
    pub fn token(&self) -> &str {
        match self {
            Self::Is(token) => token,
            other => panic!("not settled: {other:?}"),
        }
    }
}

struct Args(&'static str, Vec<String>);

impl Args {
    fn of(command: &'static str) -> Self {
        Self(command, Vec::new())
    }

    fn arg(mut self, value: impl ToString) -> Self {
        self.1.push(value.to_string());
        self
    }

    fn option(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.arg(name).arg(value),
            None => self,
        }
    }

    fn flag(self, name: &str, value: Option<bool>) -> Self {
        self.option(name, value.map(u8::from))
    }
}

impl Op {
    /// The command and its arguments after `now`; none for what is not a call.
    pub fn args(&self) -> Option<(&'static str, Vec<String>)> {
        let here = |command, number: &u8| Args::of(command).arg(queue(*number));
        let args = match self {
            Self::Submit { queue: name, tasks, max_losses, .. } => {
                let mut args = here("submit", name).arg(tasks.len());
                for (id, eta, parameters) in tasks {
                    let eta = match eta {
                        Some(Eta::At(us)) => decimal(*us),
                        _ => String::new(),
                    };
                    args = args.arg(IDS[usize::from(*id)]).arg(eta).arg(payload(*parameters));
                }
                args.option("max_losses", *max_losses)
            }
            Self::Reserve { listener: who, queues, lease, request: name, woken, .. } => {
                let args = Args::of("reserve").arg(listener(*who)).arg(queues.len());
                let args = queues.iter().fold(args, |args, number| args.arg(queue(*number)));
                args.option("lease", *lease).option("request", name.map(request)).flag("woken", woken.then_some(true))
            }
            Self::Owner { task, token, act } => return Some(act.args(task.id(), token.token())),
            Self::Heartbeat { queue: name, listener: who, lease, tasks } => {
                let args = here("heartbeat", name).arg(listener(*who)).arg(lease).arg(tasks.len());
                tasks.iter().fold(args, |args, (task, token)| args.arg(task.id()).arg(token.token()))
            }
            Self::Adopt { listener: who, from, queue: name, task, lease, request: again } => Args::of("adopt")
                .arg(listener(*who))
                .arg(listener(from.unwrap()))
                .arg(queue(name.unwrap()))
                .arg(task.id())
                .option("lease", *lease)
                .option("request", again.map(request)),
            Self::Cancel { task, reason, force } => {
                Args::of("cancel").arg(task.id()).arg(payload(*reason)).flag("force", *force)
            }
            Self::Retry { task, fresh } => Args::of("retry").arg(task.id()).flag("fresh", *fresh),
            Self::Delete { task } => Args::of("delete").arg(task.id()),
            Self::Get { task } => Args::of("get").arg(task.id()),
            Self::Promote { queue: name, limit } => here("promote", name).arg(limit),
            Self::Requeue { queue: name, limit } => here("requeue_orphans", name).arg(limit),
            Self::Retain { queue: name, limit, keep, seconds } => {
                here("retain", name).arg(limit).option("keep", *keep).option("seconds", *seconds)
            }
            Self::Register { queue: name, listener: who } => here("register", name).arg(listener(*who)),
            Self::Unregister { queue: name, listener: who } => here("unregister", name).arg(listener(*who)),
            Self::Pause { queue: name, reason } => here("pause", name).arg("me").arg(payload(*reason)),
            Self::Resume { queue: name } => here("resume", name),
            Self::Drain { queue: name, listener: who, on } => {
                here("drain", name).arg(listener(*who)).arg(u8::from(*on))
            }
            Self::Held { queue: name, listener: who } => here("held", name).arg(listener(*who)),
            Self::List { queue: name, status, cursor, limit } => here("list", name).arg(status).arg(cursor).arg(limit),
            Self::Counts { queue: name } => here("counts", name),
            Self::Listeners { queue: name } => here("listeners", name).arg(0).arg(500),
            Self::Queues => Args::of("queues").arg(0).arg(500),
            Self::Mend { queue: name, part } => here("mend", name).arg(format!("{part}:0")).arg(500),
            Self::Wake { .. } | Self::Restarted | Self::Again => return None,
        };
        Some((args.0, args.1))
    }

    /// Sorts what has no order in a reply, and writes a score in one way.
    pub fn canonical(&self, reply: Reply) -> Reply {
        match self {
            Self::Get { .. } => reply.sorted(0, 2),
            Self::Listeners { .. } => reply.sorted(1, 3),
            Self::List { status: "reserved" | "started", .. } => reply.sorted(1, 1),
            Self::Promote { .. } => match reply {
                Reply::List(mut items) if items.len() == 3 && !items[2].as_text().is_empty() => {
                    items[2] = Reply::text(format!("{:.6}", items[2].as_text().parse::<f64>().unwrap()));
                    Reply::List(items)
                }
                other => other,
            },
            _ => reply,
        }
    }
}

impl Act {
    fn args(&self, id: &str, token: &str) -> (&'static str, Vec<String>) {
        let of = |command| Args::of(command).arg(id).arg(token);
        let args = match self {
            Self::Start { pid, lease } => of("start").arg(pid).option("lease", *lease),
            Self::Progress(progress) => of("progress").arg(payload(*progress)),
            Self::Checkpoint(checkpoint) => of("checkpoint").arg(payload(*checkpoint)),
            Self::Complete(result) => of("complete").arg(payload(*result)),
            Self::Fail { error, group } => of("fail").arg(payload(*error)).option("group", group.then_some("disk")),
            Self::Release { reason } => of("release").option("reason", reason.then_some("deploy")),
        };
        (args.0, args.1)
    }
}
