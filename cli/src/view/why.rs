//! Describes in one sentence why a task does not run, or what it does now.

use std::time::SystemTime;

use blueque::{Code, Deliverer, Order, QueueName, Status, TaskId, TaskInfo, Why, WorkerInfo};

use super::expected::{Expected, expected};
use super::listeners::{Listeners, suits};
use super::programs;
use super::progress::Progress;
use super::queue::Paused;
use super::record::headline;
use crate::output::{clean_line, many};
use crate::run_folder::notice::About;
use crate::session::Session;
use crate::shortage::NOTHING;
use crate::times;

/// The reason why a task does not run, or its current action.
pub struct Cause {
    pub why: Why,
    pub sentence: String,
    start: Start,
    /// The queues of the task's later steps.
    steps: String,
}

/// Availability of listeners for a waiting task.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// A listener is free, or the task waits for another reason.
    Free,
    /// All listeners that can run the task are busy or silent.
    Busy,
    /// There is no listener that will start the task.
    Nobody,
}

/// Maximum number of calls that follow a chain of upstreams to its first cause. Each call follows up to 101 tasks.
const CALLS: usize = 100;

/// Number of tasks that `CALLS` calls follow, as text. A chain that was not followed to its end is at least this long.
const FOLLOWED: &str = "10,000";

impl Cause {
    /// Returns the expected start and end of the task. Returns `None` if no listener will start the task, because the
    /// statistics of the queue do not consider this.
    pub fn expected(&self, session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<Expected>> {
        if self.start == Start::Nobody {
            return Ok(None);
        }
        let expected = expected(session, id, info)?;
        Ok(expected.filter(|expected| self.start == Start::Free || !expected.starts_at_once()))
    }

    /// Returns the sentence with the expected times and the remaining steps.
    pub fn with(&self, expected: Option<&Expected>) -> String {
        let now = match (expected, self.sentence.strip_suffix('.')) {
            (Some(expected), Some(sentence)) => format!("{sentence}; expected {}.", expected.words()),
            _ => self.sentence.clone(),
        };
        if self.steps.is_empty() { now } else { format!("{now} Then it goes on to {}.", self.steps) }
    }
}

/// Returns the reason for a task, with the sentence.
pub fn why(session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Cause> {
    let why = session.client.call(&session.client.calls().why(id))?;
    let listeners = match why.status {
        Status::Pending | Status::Scheduled if usable(&why) => {
            let queue = QueueName::new(why.queue.as_str())?;
            let program = programs::program(info, &queue);
            let has = |worker: &WorkerInfo| {
                let all = worker.has.as_deref().unwrap_or_default();
                why.needs.as_deref().is_none_or(|needs| suits(all, needs))
            };
            Listeners::of(&session.client, &queue, why.now, |worker| {
                has(worker) && worker.has_program(&program) != Some(false)
            })?
        }
        _ => Listeners::default(),
    };
    let how = How {
        started: info.started(),
        updated: info.updated(),
        attempt: info.attempt(),
        // If a held task has no token, a client without scripts holds it.
        leaseless: why.deadline.is_none() && info.token().is_some(),
        foreign: why.deadline.is_none() && info.token().is_none(),
        held_by: info.held_by().filter(|by| !by.is_empty()),
        word: word(info),
    };
    let mut sentence = match upstream(session, &why)? {
        Some(sentence) => sentence,
        None => clean_line(&sentence(&why, &how, &listeners), 1_000),
    };
    let mut start = match why.status {
        Status::Pending if never(&why).is_some() => Start::Nobody,
        Status::Pending if waits(&why) && !listeners.any() => Start::Nobody,
        Status::Pending if waits(&why) && !listeners.any_free() => Start::Busy,
        _ => Start::Free,
    };
    if let Some(program) = missing_program(session, &why, info)? {
        start = Start::Nobody;
        let queue = &why.queue;
        sentence = if why.status == Status::Pending {
            format!(
                "No worker of {queue} has its program {program}: put it into the folder of one, or start one that has it."
            )
        } else {
            format!("{sentence} No worker of {queue} has its program {program}.")
        };
    } else if let Some(word) = left_alone(session, &why)? {
        start = Start::Nobody;
        sentence = clean_line(&if why.status == Status::Pending { word } else { format!("{sentence} {word}") }, 1_000);
    } else if let Some(word) = refused(session, &why, id)? {
        sentence = clean_line(&format!("{word} {sentence}"), 1_000);
    }
    sentence += &end_by(&why).unwrap_or_default();
    let steps = info.fields.get("steps").filter(|_| !why.status.is_finished());
    let steps = steps.map(|steps| String::from_utf8_lossy(steps).replace(',', ", ")).unwrap_or_default();
    Ok(Cause { why, sentence, start, steps })
}

/// Describes the upstreams of a task: names one of them, follows its chain to an upstream that itself waits for no
/// other task, and gives the reason why that upstream has not ended.
fn upstream(session: &Session, why: &Why) -> anyhow::Result<Option<String>> {
    let (calls, client) = (session.client.calls(), &session.client);
    let Some(first) = &why.upstream else {
        let joins = "All that it waited for has ended. Its input is long: workers put it together, in steps.";
        return Ok((why.status == Status::Waiting).then(|| joins.to_owned()));
    };
    let first = TaskId::new(first.as_str())?;
    let others = others(why);
    let mut last = why.last.as_deref().map_or(Ok(first.clone()), TaskId::new)?;
    let mut ends = false;
    for _ in 0..CALLS {
        let next = match client.call(&calls.why(&last)) {
            Err(error) if error.code() == Some(Code::NoTask) => None, // a client without scripts deleted the task
            why => why.map(|why| why.last.or(why.upstream))?,
        };
        ends = next.is_none();
        let Some(next) = next else { break };
        last = TaskId::new(next)?;
    }
    let info = client.call(&calls.get(&last))?;
    let end = named(&last, info.as_ref());
    let (begin, through) = if last == first {
        (end.clone(), String::new())
    } else {
        let how = if ends { format!("{end} in the end") } else { format!("others, {FOLLOWED} of them up to {end}") };
        (named(&first, client.call(&calls.get(&first))?.as_ref()), format!(", which waits for {how}"))
    };
    let cause = match info {
        None => String::new(),
        Some(_) if !ends => format!(" blueque why {last} goes on from there."),
        Some(info) if info.queue().as_deref() == Some(Deliverer::QUEUE) => match &session.remote_why {
            Some(tell) => format!(" {}", tell(&last)),
            None => " It is a task of another partition: blueque --topology LIST why knows more.".to_owned(),
        },
        Some(info) => {
            let cause = self::why(session, &last, &info)?;
            let progress = info.progress_bytes().filter(|_| info.status() == Some(Status::Started)).map(Progress::read);
            let progress = progress.map_or(String::new(), |progress| format!(" {}.", progress.brief()));
            let expected = cause.expected(session, &last, &info)?;
            let held = if matches!(cause.why.status, Status::Failed | Status::Cancelled) {
                format!(" Its graph holds what needs it: blueque retry {last}.")
            } else {
                String::new()
            };
            format!(" {last}: {}{progress}{held}", cause.with(expected.as_ref()))
        }
    };
    let waits = format!("It waits for {}{begin}{others}{through}.{cause}", set(why));
    Ok(Some(clean_line(&waits, 1_000)))
}

/// Describes the set of tasks of which a task needs only some. Returns an empty text if there is no set.
fn set(why: &Why) -> String {
    match (why.least, why.chances, why.open) {
        (Some(least), Some(chances), _) if least > chances => {
            format!("{least} more of a set, of which only {chances} can still be complete: for ")
        }
        (Some(least), Some(chances), Some(open)) if open == chances && chances > 1 => {
            format!("{least} more of {chances} tasks: ")
        }
        _ => String::new(),
    }
}

/// Describes the upstreams of the task except the named one.
fn others(why: &Why) -> String {
    let open = why.open.unwrap_or(1);
    let chances = why.chances.filter(|chances| *chances > 1).unwrap_or(0);
    let some = match why.least {
        Some(least) if chances > 0 && open > chances => format!(", and for {least} more of {chances} tasks"),
        _ => String::new(),
    };
    let each = match open.saturating_sub(if some.is_empty() { 0 } else { chances }) {
        0 | 1 => String::new(),
        2 => " and another task".to_owned(),
        open => format!(" and {} other tasks", open - 1),
    };
    format!("{each}{some}")
}

/// Returns the id of a task, with its name within its graph.
fn named(id: &TaskId, info: Option<&TaskInfo>) -> String {
    match info.and_then(TaskInfo::label).filter(|label| !label.is_empty()) {
        Some(label) => format!("{id} ({})", clean_line(&label, 100)),
        None => id.to_string(),
    }
}

/// Returns true if a task waits for a worker that can run it. Such a task is pending, or was given back by workers that
/// could not run it.
fn waits(why: &Why) -> bool {
    match why.status {
        Status::Pending => why.paused.is_none() && held_up(why).is_none(),
        Status::Scheduled => why.uncounted > 0,
        _ => false,
    }
}

/// Calls `look` with the queue of a task that waits for a worker, and with the workers of the queue, if all of them report
/// their programs.
fn of_workers<T>(
    session: &Session,
    why: &Why,
    look: impl FnOnce(&QueueName, &[&WorkerInfo]) -> Option<T>,
) -> anyhow::Result<Option<T>> {
    let Ok(queue) = QueueName::new(why.queue.as_str()) else { return Ok(None) };
    if !waits(why) || why.listeners == 0 {
        return Ok(None);
    }
    let workers = session.client.workers()?;
    let them = programs::workers_of(&session.client, &queue, &workers)?;
    Ok(them.and_then(|them| look(&queue, &them)))
}

/// Returns the program of a waiting task if no worker of its queue has that program.
fn missing_program(session: &Session, why: &Why, info: &TaskInfo) -> anyhow::Result<Option<String>> {
    of_workers(session, why, |queue, them| {
        let program = programs::program(info, queue);
        programs::nobody_has(them, &program).then_some(program)
    })
}

/// Returns the reports of the workers of a queue, if each of them avoids the queue at present.
fn left_alone(session: &Session, why: &Why) -> anyhow::Result<Option<String>> {
    of_workers(session, why, |queue, them| {
        let begins = format!("takes nothing of {queue}: ");
        let of = |worker: &&WorkerInfo| {
            let mut all = worker.trouble.as_deref()?.split("; ");
            all.find(|part| part.starts_with(&begins) || part.starts_with(NOTHING))
                .map(|part| format!("{} {part}", worker.id))
        };
        let words = them.iter().map(of).collect::<Option<Vec<String>>>()?;
        Some(match words.as_slice() {
            [only] => format!("Its queue is left alone for a moment: {only}."),
            all => format!("Its queue is left alone for a moment by all of its workers: {}.", all.join("; ")),
        })
    })
}

/// Describes the calls of a held task's supervisor that the server refuses, as the worker reports them.
fn refused(session: &Session, why: &Why, id: &TaskId) -> anyhow::Result<Option<String>> {
    if !matches!(why.status, Status::Reserved | Status::Started) {
        return Ok(None);
    }
    let begins = About::ALL.map(|about| about.trouble(id.as_str()));
    let workers = session.client.workers()?;
    Ok(workers.iter().filter(|worker| !worker.dead).find_map(|worker| {
        let mut all = worker.trouble.as_deref()?.split("; ");
        let part = all.find(|part| begins.iter().any(|begin| part.starts_with(begin)))?;
        Some(format!("{} {part}.", worker.id))
    }))
}

/// Facts from the record of a task.
struct How {
    started: Option<SystemTime>,
    updated: Option<SystemTime>,
    attempt: u32,
    /// True if the lease of the attempt was deleted.
    leaseless: bool,
    /// True if a client without scripts holds the task. Such a client receives no orders.
    foreign: bool,
    /// The author of the hold.
    held_by: Option<String>,
    /// The error of the task, or its last error, or the reason for its cancellation.
    word: Option<String>,
}

fn word(info: &TaskInfo) -> Option<String> {
    match info.status() {
        Some(Status::Failed) => info.error().map(|error| headline(&error)),
        Some(Status::Scheduled) => info.last_error().map(|error| headline(&error)),
        Some(_) if info.is_cancelling() => info.reason(),
        Some(Status::Cancelled) => info.reason(),
        _ => None,
    }
    .filter(|word| !word.is_empty())
}

/// Returns true if the queue name of the task is valid here. Blueque 1.0 accepted any name.
fn usable(why: &Why) -> bool {
    QueueName::new(why.queue.as_str()).is_ok()
}

fn sentence(why: &Why, how: &How, listeners: &Listeners) -> String {
    let paused = why.paused.clone().map(|paused| Paused::new(paused).words(why.now));
    let node = why.node.as_deref().unwrap_or("an unknown worker");
    let word = how.word.as_deref().map_or(String::new(), |word| format!(": {word}"));
    let lease = lease(why);
    match why.status {
        Status::Scheduled => {
            let due = why.eta.map_or("an unknown time".to_owned(), |eta| times::both(eta, why.now));
            let late = why.eta.is_some_and(|eta| eta < why.now);
            let late = match why.listeners {
                0 => format!(", and its queue has {}", listeners.nobody()),
                _ if late => ", and becomes pending when a worker looks next".to_owned(),
                _ => String::new(),
            };
            let paused = paused.map_or(String::new(), |paused| format!(", and its queue is {paused}"));
            match why.failures {
                0 if why.uncounted > 0 => {
                    let often = if why.uncounted == 1 { "once".to_owned() } else { format!("{} times", why.uncounted) };
                    format!(
                        "It was given back {often} by workers that could not run it, and is given out again at {due}{late}{paused}."
                    )
                }
                0 => format!("It is scheduled for {due}{late}{paused}."),
                failures => {
                    format!("It is tried again at {due}, after {}{late}{paused}{word}.", many(failures, "failure"))
                }
            }
        }
        Status::Pending if !usable(why) => {
            format!(
                "Its queue {:?} has a name that only clients of Blueque 1.0 use: one of those has to run it.",
                why.queue
            )
        }
        Status::Pending => match paused {
            Some(paused) => format!("Its queue {} is {paused}.", why.queue),
            None if why.listeners == 0 => {
                let worker = format!("Its queue {} has {}: start a worker for it.", why.queue, listeners.nobody());
                never(why).map_or(worker.clone(), |never| format!("{never} {worker}"))
            }
            None if why.ahead.is_none() => {
                "A client of Blueque 1.0 has taken it from its queue, and has not noted that it holds it: if that client is \
                 dead, workers put the task back within minutes."
                    .to_owned()
            }
            None => held_up(why).unwrap_or_else(|| waiting(why, listeners)),
        },
        Status::Reserved | Status::Started if how.foreign && why.cancel.is_some() => {
            format!(
                "It is being cancelled{word}, but {node}, a client of Blueque 1.0, is not informed: if it completes or fails \
                 the task, that is the outcome. blueque cancel --force cancels it at once."
            )
        }
        Status::Reserved | Status::Started if why.order == Some(Order::Kill) => {
            format!("It was cancelled by force, and {node} has not killed it yet{word}{}.", until(why))
        }
        Status::Reserved | Status::Started if told_by_deadline(why) => {
            format!("Its deadline has passed, and {node} has not stopped it yet{lease}.")
        }
        Status::Reserved | Status::Started if why.cancel.is_some() => {
            format!("It is being cancelled, and {node} has not stopped it yet{word}{lease}.")
        }
        Status::Reserved | Status::Started if why.order == Some(Order::Stop) => {
            format!("It was requeued, and {node} has not given it back yet{lease}.")
        }
        Status::Reserved | Status::Started if how.leaseless => {
            format!(
                "Its lease was deleted: {node}, which took it for attempt {}, is told that it lost it, and kills its program. \
                 A worker gives it a new lease within minutes; it goes back to its queue when that ends.",
                how.attempt
            )
        }
        Status::Reserved => format!("{node} has taken it, and has not started it yet{lease}."),
        Status::Started => {
            let since = how.started.or(how.updated);
            let since = since.map_or(String::new(), |at| format!(" since {}", times::both(at, why.now)));
            format!("It runs on {node}{since}, attempt {}{lease}.", how.attempt)
        }
        Status::Held => {
            let by = how.held_by.as_deref().map_or(String::new(), |by| format!(" by {by}"));
            let since = how.updated.map_or(String::new(), |at| format!(" since {}", times::both(at, why.now)));
            format!("It is held{by}{since}: blueque unhold releases it.")
        }
        status if status.is_waiting() => {
            let mut means = status.means().chars();
            format!("It {}{}", means.next().map_or(' ', |first| first.to_ascii_lowercase()), means.as_str())
        }
        ended => {
            let when = how.updated.map_or(String::new(), |at| format!(" {}", times::both(at, why.now)));
            let what = match ended {
                Status::Complete => "It ended well",
                Status::Failed => "It failed",
                _ => "It was cancelled",
            };
            let often = match why.failures {
                failures @ 2.. if ended == Status::Failed => format!(", after {}", many(failures, "failure")),
                _ => String::new(),
            };
            format!("{what}{when}{often}{word}.")
        }
    }
}

/// Returns true if the owner was ordered to stop because the deadline has passed.
fn told_by_deadline(why: &Why) -> bool {
    matches!((why.cancel, why.end_by), (Some(told), Some(end_by)) if told >= end_by)
}

/// Describes the deadline of an unfinished task that was not ordered to stop.
fn end_by(why: &Why) -> Option<String> {
    let end_by = why.end_by.filter(|_| !why.status.is_finished() && why.cancel.is_none())?;
    Some(format!(" Its deadline is {}.", times::both(end_by, why.now)))
}

/// Describes the state of the lease, if it matters.
fn lease(why: &Why) -> String {
    let Some(deadline) = why.deadline else { return String::new() };
    if deadline < why.now {
        let late = times::span(times::between(deadline, why.now));
        format!(
            "; its lease ended {late} ago without a renewal, and it goes back to its queue when a worker looks next"
        )
    } else {
        String::new()
    }
}

/// Describes the time at which the lease of a task ends unless it is renewed.
fn until(why: &Why) -> String {
    let deadline = why.deadline.filter(|&deadline| deadline > why.now);
    deadline.map_or(String::new(), |at| format!("; its lease ends at {}", times::both(at, why.now)))
}

/// Describes the need or the limit that prevents a pending task from running, even if it were the first of its queue.
fn held_up(why: &Why) -> Option<String> {
    let Why { queue, weight, .. } = why;
    if let (Some(needs), Some(0)) = (&why.needs, why.able) {
        let them = match why.listeners {
            1 => "the only listener".to_owned(),
            all => format!("none of the {all} listeners"),
        };
        let verb = if why.listeners == 1 { "does not have" } else { "has" };
        let lacking = match &why.lacking {
            Some(lacking) if lacking != needs => format!(": nobody has {lacking}"),
            Some(_) => String::new(),
            None => ": each need is met, but by different ones".to_owned(),
        };
        return Some(format!("It needs {needs}, which {them} of {queue} {verb}{lacking}."));
    }
    let of_queue = (why.limits(), format!("its queue {queue}"));
    let of_key = why.key.as_ref().map(|key| (why.key_limits(), format!("its key {key}")));
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
    full.or_else(|| shared(why)).or_else(|| {
        all.iter().flatten().find_map(|(limits, whose)| {
            let until = limits.rate_until.filter(|&until| until > why.now)?;
            Some(format!("The rate of {whose} lets the next task start at {}.", times::both(until, why.now)))
        })
    })
}

/// Describes why a task does not get its places of a shared limit.
fn shared(why: &Why) -> Option<String> {
    let (name, weight) = (why.limit.as_ref()?, why.limit_weight.unwrap_or(1));
    let places = if weight > 1 { format!(", and it takes {weight}") } else { String::new() };
    let until = why.limit_rate_until.filter(|&until| until > why.now);
    if let Some(never) = never(why) {
        return Some(never);
    }
    let used = why.limit_used?;
    Some(match (until, &why.limit_turn, why.limit_concurrency) {
        (Some(until), ..) => {
            let when = times::both(until, why.now);
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
fn never(why: &Why) -> Option<String> {
    let (name, weight) = (why.limit.as_ref()?, why.limit_weight.unwrap_or(1));
    let set = format!("blueque limit set --shared {name} --concurrency");
    match (why.limit_used, why.limit_concurrency) {
        (None, _) => Some(format!("There is no shared limit {name}: {set} {weight}, or edit the task (--limits).")),
        (Some(_), Some(most)) if weight > most => {
            let has = many(most, "place");
            Some(format!(
                "The shared limit {name} has only {has}, and it takes {weight}: {set} {weight}, or edit the task (--limits)."
            ))
        }
        _ => None,
    }
}

fn waiting(why: &Why, listeners: &Listeners) -> String {
    let before = match why.ahead {
        Some(0) | None => "It is the next of its queue".to_owned(),
        Some(1) => "It waits behind 1 other task".to_owned(),
        Some(10_000) => "It waits behind 10,000 other tasks or more".to_owned(),
        Some(ahead) => format!("It waits behind {ahead} other tasks"),
    };
    format!("{before}, and {}.", listeners.stand(&why.queue))
}
