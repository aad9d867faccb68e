//! Views of a task.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use blueque::contract::TASK_OPTIONS;
use blueque::wording::headline;
use blueque::{Status, TaskInfo};
use serde::Serialize;

use super::cost;
use super::expected::Expected;
use super::notice::NoticeView;
use super::payload::Payload;
use super::policy::Policy;
use super::progress::Progress;
use super::record::{ended, eta, text};
use crate::command_line::Shown;
use crate::output::document::Fields;
use crate::output::table::{Cell, Column, Row};
use crate::output::{is_for_programs, is_wide, json};
use crate::run_folder::end::Cost;
use crate::times;

/// Number of bytes of the parameters that a list shows at most: no terminal is wider.
const WHAT_BYTES: usize = 400;

/// A task in JSON. Fields that do not apply are left out.
#[derive(Debug, Serialize)]
pub struct TaskView {
    pub id: String,
    pub queue: String,
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// The graph of the task, and the task's name in the graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The task whose end caused the end of this task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The queues of the remaining steps, and the number of completed steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    pub attempt: u32,
    pub failures: u32,
    pub losses: u32,
    pub releases: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub uncounted: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    pub cancelling: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub requeued: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Payload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Payload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Payload>,
    /// Error of the last failed attempt, if the task was retried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<Payload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_group: Option<String>,
    /// Time at which the task ended, and run time of the last attempt in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<f64>,
    /// The cost of the last attempt that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Payload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_until: Option<String>,
    #[serde(flatten)]
    pub whole: Option<Whole>,
    #[serde(flatten)]
    pub payloads: Option<Payloads>,
    #[serde(flatten)]
    pub expected: Option<Expected>,
    #[serde(skip)]
    condition: &'static str,
    #[serde(skip)]
    seen: Seen,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Fields that are shown only for a single task.
#[derive(Debug, Serialize)]
pub struct Whole {
    pub policy: Policy,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpointed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progressed: Option<String>,
    /// Time at which the last upstream ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readied: Option<String>,
    /// Upstreams of the task, as submitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// Number of results and values that make up the parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<usize>,
    /// Notes that the history still contains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The notices about the task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<NoticeView>,
    /// Other options of the task, and fields that this version does not know.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Payload>,
}

/// Fields of options that have a place of their own in the view. The options with a setting are part of the policy.
const PLACED: [&str; 14] = [
    "title",
    "submitter",
    "command",
    "method",
    "priority",
    "key",
    "weight",
    "needs",
    "limits",
    "unique",
    "unique_until",
    "tags",
    "deadline",
    "steps",
];

/// Returns the fields of the record that have no place of their own in the view.
pub fn other_fields(info: &TaskInfo) -> BTreeMap<String, Payload> {
    let placed = |field: &&str| PLACED.contains(field);
    let options = TASK_OPTIONS.iter().filter(|option| option.setting.is_none()).filter_map(|option| option.field);
    let stored =
        options.filter(|field| !placed(field)).filter_map(|field| Some((field, info.fields.get(field)?.as_slice())));
    stored.chain(info.unknown()).map(|(name, value)| (name.to_owned(), Payload(value.to_vec()))).collect()
}

/// A note in the history.
#[derive(Debug, Serialize)]
pub struct Note {
    pub at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    pub text: Payload,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Payload>,
}

/// Fields that can be large. They are shown only for a single task.
#[derive(Debug, Serialize)]
pub struct Payloads {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Payload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Payload>,
}

/// Values for the table.
#[derive(Debug)]
struct Seen {
    progress: Progress,
    age: String,
}

impl TaskView {
    /// Returns the view without result and checkpoint.
    pub fn brief(id: &str, info: &TaskInfo) -> Self {
        let number = |field: &str| text(info, field).and_then(|number| number.parse().ok());
        let since = match info.status() {
            Some(Status::Started) => info.started(),
            Some(Status::Scheduled) => eta(info),
            _ => info.updated(),
        };
        let filled = |bytes: &[u8]| (!bytes.is_empty()).then(|| Payload(bytes.to_vec()));
        let raw = |field: &str| info.fields.get(field).map(Vec::as_slice).and_then(filled);
        Self {
            id: id.to_owned(),
            queue: info.queue().unwrap_or_default(),
            status: text(info, "status").unwrap_or_default(),
            title: text(info, "title").filter(|title| !title.is_empty()),
            submitter: text(info, "submitter"),
            command: info.command().as_deref().and_then(Shown::of),
            method: info.method(),
            priority: text(info, "priority").and_then(|number| number.parse().ok()),
            key: text(info, "key"),
            weight: number("weight"),
            needs: text(info, "needs"),
            limits: text(info, "limits"),
            unique: text(info, "unique"),
            tags: info.tags(),
            schedule: text(info, "schedule"),
            graph: text(info, "graph"),
            label: info.label().filter(|label| !label.is_empty()),
            cause: text(info, "cause"),
            steps: text(info, "steps"),
            step: number("step"),
            round: number("round"),
            attempt: info.attempt(),
            failures: info.failures(),
            losses: info.losses(),
            releases: info.releases(),
            uncounted: info.uncounted(),
            outcome: text(info, "outcome"),
            node: info.node(),
            pid: info.pid(),
            cancelling: info.is_cancelling(),
            requeued: info.is_requeued(),
            suspended: info.suspended().and_then(times::exact),
            suspended_by: info.suspended_by(),
            reason: info.reason(),
            group: info.group(),
            created: info.created().and_then(times::exact),
            eta: eta(info).and_then(times::exact),
            deadline: info.deadline().and_then(times::exact),
            started: info.started().and_then(times::exact),
            updated: info.updated().and_then(times::exact),
            parameters: info.parameters_bytes().map(|bytes| Payload(bytes.to_vec())),
            progress: info.progress_bytes().and_then(filled),
            error: info.error().and_then(|_| raw("error")),
            last_error: raw("last_error"),
            last_group: info.last_group(),
            ended: ended(info).and_then(times::exact),
            ran: ended(info).zip(info.started()).map(|(to, from)| times::between(from, to).as_secs_f64()),
            cost: info.cost().and_then(filled),
            unique_until: text(info, "unique_until"),
            whole: None,
            payloads: None,
            expected: None,
            condition: info.condition(),
            seen: Seen {
                progress: info.progress_bytes().map(Progress::read).unwrap_or_default(),
                age: since.map(|since| times::relative(since, times::now())).unwrap_or_default(),
            },
        }
    }

    /// Returns the view with result and checkpoint.
    pub fn whole(id: &str, info: &TaskInfo) -> Self {
        let payload = |bytes: Option<&[u8]>| bytes.map(|bytes| Payload(bytes.to_vec()));
        let payloads = Payloads {
            result: payload(info.result_bytes().filter(|bytes| !bytes.is_empty())),
            checkpoint: payload(info.checkpoint_bytes()),
        };
        Self { payloads: Some(payloads), ..Self::brief(id, info) }
    }

    /// Returns the state in the word for people, see [`TaskInfo::condition`].
    pub fn state(&self) -> String {
        self.condition.to_owned()
    }

    pub fn is_started(&self) -> bool {
        self.status == Status::Started.as_str()
    }

    /// Returns the cost of the last attempt that ended, if a supervisor reported it.
    pub fn known_cost(&self) -> Option<Cost> {
        self.cost.as_ref().and_then(|Payload(bytes)| cost::read(bytes))
    }

    fn is_held(&self) -> bool {
        matches!(self.status.as_str(), "reserved" | "started")
    }

    pub fn progress_text(&self) -> String {
        self.seen.progress.brief()
    }

    /// Returns the fields of the task, with all columns of lists.
    pub fn fields(&self) -> anyhow::Result<Fields> {
        Fields::new(&json(self)?, ALL.iter().map(|(column, cell)| (column.head(), cell(self))))
    }

    /// Returns what the task does: its title, or else its command line or the beginning of its parameters.
    pub fn what(&self) -> String {
        let given = self.parameters.as_ref().filter(|Payload(bytes)| bytes != b"[]");
        let command = self.command.as_ref().map(|command| command.words.clone());
        self.title.clone().or(command).or_else(|| given.map(beginning)).unwrap_or_default()
    }

    /// Returns the error or the reason of a task that ended, or else its progress.
    fn outcome_text(&self) -> String {
        match (&self.error, self.status.as_str()) {
            (Some(error), "failed") => headline(&String::from_utf8_lossy(&error.0)),
            (_, "cancelled") => self.reason.clone().unwrap_or_default(),
            (_, "complete") => String::new(),
            _ => self.progress_text(),
        }
    }
}

/// Returns the beginning of a payload on one line.
fn beginning(Payload(bytes): &Payload) -> String {
    let shown = bytes.get(..WHAT_BYTES).unwrap_or(bytes);
    String::from_utf8_lossy(shown).split_whitespace().collect::<Vec<_>>().join(" ")
}

type Found = (Column, fn(&TaskView) -> String);

const ID: Found = (Column::id("id"), |row| row.id.clone());
const STATE: Found = (Column::state("state"), |row| row.state());
const QUEUE: Found = (Column::text("queue"), |row| row.queue.clone());
const TASK: Found = (Column::text("task").rank(6), |row| row.what());
const METHOD: Found = (Column::text("method").rank(3), |row| row.method.clone().unwrap_or_default());
const TAGS: Found = (Column::text("tags").rank(4), |row| row.tags.join(" "));
const ATTEMPT: Found = (Column::whole("attempt").rank(1), |row| row.attempt.to_string());
const SINCE: Found = (Column::whole("since").rank(5), |row| {
    if is_for_programs() { row.updated.clone().unwrap_or_default() } else { row.seen.age.clone() }
});
const PROGRESS: Found = (Column::text("progress"), |row| row.outcome_text());
const ON: Found = (Column::text("on").rank(2), |row| row.node.clone().filter(|_| row.is_held()).unwrap_or_default());
const COST: Found = (Column::whole("cost").spare(), |row| {
    row.known_cost().filter(|_| !row.is_held()).map(|known| cost::with_wall(&known)).unwrap_or_default()
});

/// The columns of `--columns`, `-o wide` and `-o csv`.
const ALL: &[Found] = &[
    ID,
    STATE,
    QUEUE,
    TASK,
    METHOD,
    TAGS,
    (Column::whole("priority"), |row| row.priority.map(|number| number.to_string()).unwrap_or_default()),
    (Column::text("key"), |row| row.key.clone().unwrap_or_default()),
    ATTEMPT,
    (Column::whole("failures"), |row| row.failures.to_string()),
    SINCE,
    (Column::whole("created"), |row| local(row.created.as_ref())),
    (Column::whole("eta"), |row| local(row.eta.as_ref())),
    (Column::whole("deadline"), |row| local(row.deadline.as_ref())),
    (Column::whole("started"), |row| local(row.started.as_ref())),
    (Column::whole("ended"), |row| local(row.ended.as_ref())),
    (Column::whole("ran"), |row| row.ran.map(|ran| times::span(Duration::from_secs_f64(ran))).unwrap_or_default()),
    PROGRESS,
    (Column::text("error"), |row| {
        row.error.as_ref().map(|Payload(error)| headline(&String::from_utf8_lossy(error))).unwrap_or_default()
    }),
    ON,
    COST,
    (Column::whole("cpu"), |row| row.known_cost().map(|cost| cost::cpu_cell(&cost)).unwrap_or_default()),
    (Column::whole("memory"), |row| row.known_cost().map(|cost| cost::memory_cell(&cost)).unwrap_or_default()),
    (Column::text("submitter"), |row| row.submitter.clone().unwrap_or_default()),
    (Column::text("graph"), |row| row.graph.clone().unwrap_or_default()),
    (Column::text("label"), |row| row.label.clone().unwrap_or_default()),
    (Column::text("schedule"), |row| row.schedule.clone().unwrap_or_default()),
    (Column::text("title"), |row| row.title.clone().unwrap_or_default()),
    (Column::text("command"), |row| row.command.as_ref().map(|command| command.words.clone()).unwrap_or_default()),
    (Column::text("parameters"), |row| row.parameters.as_ref().map(beginning).unwrap_or_default()),
];

/// The columns that the user named.
static CHOSEN: OnceLock<Vec<String>> = OnceLock::new();

/// Returns the names of all columns of a list of tasks.
pub fn column_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(column, _)| column.head())
}

/// Sets the columns of all lists of tasks.
pub fn choose_columns(names: &[String]) {
    if !names.is_empty() {
        CHOSEN.get_or_init(|| names.to_vec());
    }
}

fn columns() -> Vec<&'static Found> {
    let named = |name: &String| ALL.iter().find(|(column, _)| column.head() == name);
    match CHOSEN.get() {
        Some(chosen) => chosen.iter().filter_map(named).collect(),
        None if is_wide() => ALL.iter().collect(),
        None => TaskView::COLUMNS.iter().collect(),
    }
}

fn local(exact: Option<&String>) -> String {
    exact.map(|time| times::local_cell(time)).unwrap_or_default()
}

impl Row for TaskView {
    const COLUMNS: &'static [Cell<Self>] = &[ID, STATE, QUEUE, TASK, METHOD, TAGS, ATTEMPT, SINCE, PROGRESS, ON, COST];

    fn columns() -> Vec<Column> {
        columns().into_iter().map(|(column, _)| *column).collect()
    }

    fn cells(&self) -> Vec<String> {
        columns().into_iter().map(|(_, cell)| cell(self)).collect()
    }

    fn id(&self) -> String {
        self.id.clone()
    }
}
