//! The data on the screen, which threads read from the servers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use blueque::wording::headline;
use blueque::{QueueName, Status, TaskId, TaskInfo};

use crate::output::one_line;
use crate::session::Session;
use crate::view::expected;
use crate::view::progress::Progress;
use crate::view::queue::{QueueView, queue_views};
use crate::view::task::TaskView;

/// Interval at which the server is polled.
const REFRESH: Duration = Duration::from_secs(1);

/// Age from which data is shown as old.
pub const OLD: Duration = Duration::from_secs(3);

/// Maximum age of an estimate of a task whose progress has not changed. An estimate is more expensive for the server
/// than a record.
const ESTIMATED: Duration = Duration::from_secs(10);

/// Maximum number of tasks that are read. More tasks do not fit on a screen.
pub const TASKS: usize = 200;

/// Number of threads that read from the server.
const AT_ONCE: usize = 64;

/// The states of a queue in their order on the screen: running tasks first, finished tasks last.
pub static ORDER: LazyLock<Vec<Status>> = LazyLock::new(|| {
    let (ended, open): (Vec<Status>, Vec<Status>) = Status::ALL.iter().partition(|status| status.is_finished());
    open.into_iter().rev().chain(ended).collect()
});

/// Function that connects to the namespace or to a partition. It is called again until it succeeds.
pub type Open = Box<dyn Fn() -> anyhow::Result<Session> + Send>;

/// The namespaces to show, with the name of each partition if there are several.
pub type Places = Vec<(Option<String>, Open)>;

/// The tasks on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum List {
    #[default]
    Running,
    Waiting,
    Failed,
}

impl List {
    /// Returns the list with this number, which is the number of changes since the first list.
    pub fn of(number: u8) -> Self {
        match number % 3 {
            0 => Self::Running,
            1 => Self::Waiting,
            _ => Self::Failed,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Failed => "failed or cancelled",
        }
    }

    /// Returns the states of the tasks in the list.
    fn states(self) -> impl Iterator<Item = Status> {
        Status::ALL.iter().rev().copied().filter(move |status| match self {
            Self::Running => status.is_owned(),
            Self::Waiting => status.is_waiting(),
            Self::Failed => status.is_finished() && *status != Status::Complete,
        })
    }
}

/// A queue, with the sums of all partitions.
pub struct InAll {
    pub queue: String,
    numbers: Vec<u64>,
    words: Vec<String>,
}

/// The data of one partition, or the merged data on the screen.
pub struct Picture {
    /// The time at which the data was read.
    pub seen: Instant,
    pub list: List,
    pub queues: Vec<InAll>,
    pub tasks: Vec<TaskRow>,
    pub more: bool,
    /// The reason why the data is old.
    pub trouble: Option<String>,
}

impl Default for Picture {
    fn default() -> Self {
        Self {
            seen: Instant::now(),
            list: List::Running,
            queues: Vec::new(),
            tasks: Vec::new(),
            more: false,
            trouble: None,
        }
    }
}

impl Picture {
    /// Returns a warning if the data is old, with the reason. `who` names the server or the partition.
    pub fn warning(&self, who: &str) -> Option<String> {
        let age = self.seen.elapsed();
        let old = (age >= OLD).then(|| format!("{who} has not answered for {}s", age.as_secs()));
        match (old, &self.trouble) {
            (Some(old), Some(trouble)) => Some(format!("{old}: {trouble}")),
            (old, trouble) => old.or_else(|| trouble.clone()),
        }
    }
}

#[derive(Clone)]
pub struct TaskRow {
    pub id: String,
    /// The title, command line or parameters.
    pub what: String,
    pub queue: String,
    pub state: String,
    pub node: String,
    /// The error of a failed task.
    pub error: Option<String>,
    pub progress: Progress,
    pub started: Option<SystemTime>,
    /// The time at which the task is expected to end.
    pub end: Option<SystemTime>,
}

/// The times at which tasks are expected to end, by their ids.
#[derive(Default)]
struct Estimates(BTreeMap<String, Estimate>);

struct Estimate {
    end: Option<SystemTime>,
    read: Instant,
    /// Start and progress of the task when the estimate was made.
    by: (Option<SystemTime>, Option<Vec<u8>>),
}

impl Estimates {
    fn end(&mut self, session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<SystemTime>> {
        let by = (info.started(), info.progress_bytes().map(<[u8]>::to_vec));
        match self.0.get(id.as_str()) {
            Some(made) if made.by == by && made.read.elapsed() < ESTIMATED => Ok(made.end),
            _ => {
                let end = expected::end(session, id, info)?;
                self.0.insert(id.to_string(), Estimate { end, read: Instant::now(), by });
                Ok(end)
            }
        }
    }
}

/// Merges the data of all partitions.
pub fn together(pictures: &[Picture]) -> Picture {
    let mut picture = Picture::default();
    let mut queues: BTreeMap<&str, InAll> = BTreeMap::new();
    for line in pictures.iter().flat_map(|picture| &picture.queues) {
        let empty = || InAll { queue: line.queue.clone(), numbers: vec![0; line.numbers.len()], words: Vec::new() };
        let sum = queues.entry(&line.queue).or_insert_with(empty);
        sum.numbers.iter_mut().zip(&line.numbers).for_each(|(sum, number)| *sum += number);
        sum.words.extend(line.words.iter().filter(|words| !words.is_empty()).cloned());
        sum.words.dedup();
    }
    picture.list = pictures.first().map_or(List::Running, |picture| picture.list);
    picture.queues = queues.into_values().collect();
    picture.tasks = pictures.iter().flat_map(|picture| &picture.tasks).cloned().collect();
    picture.more = picture.tasks.len() > TASKS || pictures.iter().any(|picture| picture.more);
    // Tasks that have run longest come first, so that a task keeps its place on the screen.
    picture.tasks.sort_by(|a, b| {
        // Tasks that have not started come last.
        let begun = |task: &TaskRow| (task.started.is_none(), task.started);
        begun(a).cmp(&begun(b)).then_with(|| a.id.cmp(&b.id))
    });
    if picture.list == List::Failed {
        picture.tasks.reverse(); // the latest first
    }
    picture.tasks.truncate(TASKS);
    picture
}

/// The index of a partition, and the data that was read from it.
pub type Look = (usize, anyhow::Result<Picture>);

/// Polls the servers on separate threads, so that the keyboard works while a server does not reply.
pub fn looks(places: Places, named: &[QueueName], list: &Arc<AtomicU8>) -> Receiver<Look> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let mut groups: Vec<Vec<(usize, Open)>> = Vec::new();
    groups.resize_with(places.len().min(AT_ONCE), Vec::new);
    for (at, (_, open)) in places.into_iter().enumerate() {
        if let Some(group) = groups.get_mut(at % AT_ONCE) {
            group.push((at, open));
        }
    }
    for group in groups {
        let (queues, sender, list) = (named.to_vec(), sender.clone(), Arc::clone(list));
        thread::spawn(move || {
            let mut known: Vec<(Option<Session>, Estimates)> = group.iter().map(|_| Default::default()).collect();
            loop {
                for ((at, open), (session, estimates)) in group.iter().zip(&mut known) {
                    let opened = session.take().map_or_else(open, Ok);
                    let picture = opened.and_then(|opened| {
                        let opened = session.insert(opened);
                        look(opened, &queues, List::of(list.load(Ordering::Acquire)), estimates)
                    });
                    if sender.send((*at, picture)).is_err() {
                        return;
                    }
                }
                thread::sleep(REFRESH);
            }
        });
    }
    receiver
}

fn look(session: &Session, named: &[QueueName], list: List, estimates: &mut Estimates) -> anyhow::Result<Picture> {
    let mut queues = queue_views(session)?;
    queues.retain(|queue| named.is_empty() || named.iter().any(|name| name.as_str() == queue.queue));
    let mut picture = Picture { list, ..Picture::default() };
    'all: for queue in &queues {
        let name = QueueName::new(queue.queue.as_str())?;
        for status in list.states().filter(|status| queue.counts.of(*status) > 0) {
            let mut cursor = Some("0".to_owned());
            while let Some(at) = cursor {
                let page = session.client.call(&session.client.calls().list(&name, status.as_str(), &at, 100))?;
                for id in page.items {
                    if picture.tasks.len() >= TASKS {
                        picture.more = true;
                        break 'all;
                    }
                    let Ok(task) = TaskId::new(id.as_str()) else { continue };
                    if let Some(info) = session.client.call(&session.client.calls().get(&task))? {
                        let mut row = TaskRow::new(session.global(&id), &info);
                        if list == List::Running {
                            row.end = estimates.end(session, &task, &info)?;
                        }
                        picture.tasks.push(row);
                    }
                }
                cursor = page.next;
            }
        }
    }
    estimates.0.retain(|id, _| picture.tasks.iter().any(|task| task.id == session.global(id)));
    picture.queues = queues.iter().map(InAll::of).collect();
    picture.seen = Instant::now();
    Ok(picture)
}

impl InAll {
    fn of(queue: &QueueView) -> Self {
        Self { queue: one_line(&queue.queue), numbers: queue.numbers(&ORDER), words: vec![one_line(&queue.words())] }
    }

    pub fn row(&self) -> Vec<String> {
        let numbers = self.numbers.iter().map(u64::to_string);
        std::iter::once(self.queue.clone()).chain(numbers).chain([self.words.join("; ")]).collect()
    }
}

impl TaskRow {
    fn new(id: String, info: &TaskInfo) -> Self {
        let running = info.status() == Some(Status::Started);
        let what = one_line(&TaskView::brief(&id, info).what());
        Self {
            id,
            what,
            queue: one_line(&info.queue().unwrap_or_default()),
            state: info.condition().to_owned(),
            node: one_line(&info.node().unwrap_or_default()),
            progress: info.progress_bytes().map(Progress::read).unwrap_or_default(),
            error: info.error().map(|error| headline(&one_line(&error))),
            started: if running {
                info.started()
            } else {
                info.updated().filter(|_| !info.status().is_some_and(Status::is_owned))
            },
            end: None,
        }
    }
}
