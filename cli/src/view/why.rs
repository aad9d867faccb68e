//! Describes in one sentence why a task does not run, or what it does now.

use blueque::{Code, Deliverer, QueueName, Status, Takers, TaskId, TaskInfo, Why, WorkerInfo};

use super::expected::{Expected, expected};
use super::listeners::{Listeners, suits};
use super::programs;
use super::progress::Progress;
use crate::output::clean_line;
use crate::run_folder::notice::About;
use crate::session::Session;
use crate::shortage::{NOT_EXECUTABLE, NOTHING};

/// The reason why a task does not run, or its current action.
pub struct Cause {
    pub why: Why,
    /// The record of the task, in the same state.
    info: TaskInfo,
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

/// Maximum number of changes of a task between two calls that read it.
const CHANGES: usize = 5;

impl Cause {
    /// Returns the expected start and end of the task. Returns `None` if no listener will start the task, because the
    /// statistics of the queue do not consider this.
    pub fn expected(&self, session: &Session, id: &TaskId) -> anyhow::Result<Option<Expected>> {
        if self.start == Start::Nobody {
            return Ok(None);
        }
        let expected = expected(session, id, &self.info)?;
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

/// Returns the reply of the server for a task, and its record in the same state. `info`: the record as read before.
fn read(session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<(Why, TaskInfo)> {
    let (calls, client) = (session.client.calls(), &session.client);
    let mut info = info.clone();
    for _ in 0..CHANGES {
        let why = client.call(&calls.why(id))?;
        if why.agrees(&info) {
            return Ok((why, info));
        }
        info = client.call(&calls.get(id))?.ok_or(blueque::Error::NotFound)?;
        if why.agrees(&info) {
            return Ok((why, info));
        }
    }
    Ok((client.call(&calls.why(id))?, info))
}

/// Returns the reason for a task, with the sentence.
pub fn why(session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Cause> {
    let (why, info) = read(session, id, info)?;
    let listeners = match why.status {
        Status::Pending | Status::Scheduled if why.is_usable() => {
            let queue = QueueName::new(why.queue.as_str())?;
            let program = programs::program(&info, &queue);
            let has = |worker: &WorkerInfo| {
                let all = worker.has.as_deref().unwrap_or_default();
                why.needs.as_deref().is_none_or(|needs| suits(all, needs))
            };
            Listeners::of(&session.client, &queue, why.now, |worker| {
                has(worker) && program.as_ref().is_none_or(|program| worker.has_program(program) != Some(false))
            })?
        }
        _ => Listeners::default(),
    };
    let takers = Takers { nobody: listeners.nobody(), stand: listeners.stand(&why.queue) };
    let mut sentence = match upstream(session, &why)? {
        Some(sentence) => sentence,
        None => clean_line(&why.state(&info, &takers), 1_000),
    };
    let mut start = match why.status {
        Status::Pending if why.impossible().is_some() => Start::Nobody,
        Status::Pending if waits(&why) && !listeners.any() => Start::Nobody,
        Status::Pending if waits(&why) && !listeners.any_free() => Start::Busy,
        _ => Start::Free,
    };
    if let Some(program) = missing_program(session, &why, &info)? {
        start = Start::Nobody;
        let queue = &why.queue;
        sentence = if let Some(word) = not_executable(session, &why, &program)? {
            format!("No worker of {queue} can run its program {program}: {word}")
        } else if why.status == Status::Pending {
            format!(
                "No worker of {queue} has its program {program}: put an executable file {program} into the folder of \
                 one, or start one that has it."
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
    sentence += &why.ends_by().unwrap_or_default();
    let steps = info.fields.get("steps").filter(|_| !why.status.is_finished());
    let steps = steps.map(|steps| String::from_utf8_lossy(steps).replace(',', ", ")).unwrap_or_default();
    Ok(Cause { why, info, sentence, start, steps })
}

/// Describes the upstreams of a task: names one of them, follows its chain to an upstream that itself waits for no
/// other task, and gives the reason why that upstream has not ended.
fn upstream(session: &Session, why: &Why) -> anyhow::Result<Option<String>> {
    let (calls, client) = (session.client.calls(), &session.client);
    let Some(first) = &why.upstream else {
        return Ok(None);
    };
    let first = TaskId::new(first.as_str())?;
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
            let expected = cause.expected(session, &last)?;
            let held = if matches!(cause.why.status, Status::Failed | Status::Cancelled) {
                format!(" Its graph holds what needs it: blueque retry {last}.")
            } else {
                String::new()
            };
            format!(" {last}: {}{progress}{held}", cause.with(expected.as_ref()))
        }
    };
    let waits = format!("It waits for {}{through}.{cause}", why.upstreams(&begin));
    Ok(Some(clean_line(&waits, 1_000)))
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
        Status::Pending => why.paused.is_none() && why.obstacle().is_none(),
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
        let program = programs::program(info, queue)?;
        programs::nobody_has(them, &program).then_some(program)
    })
}

/// Returns the report of a worker of a queue that has a program, but as a file that is not executable.
fn not_executable(session: &Session, why: &Why, program: &str) -> anyhow::Result<Option<String>> {
    of_workers(session, why, |_, them| {
        them.iter().find_map(|worker| {
            let mut all = worker.trouble.as_deref()?.split("; ");
            let part = all.find(|part| part.ends_with(&format!("/{program}{NOT_EXECUTABLE}")))?;
            Some(clean_line(&format!("on the host of {}, {part}.", worker.name.as_ref().unwrap_or(&worker.id)), 1_000))
        })
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
