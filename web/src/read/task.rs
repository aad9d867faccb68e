//! One task: its record, its reason to wait, its attempts, its policy, its neighbours.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use blueque::calls::{AuditOptions, EstimateOptions};
use blueque::contract::{Described, TASK_OPTIONS};
use blueque::tokio::Client;
use blueque::{
    Change, Estimate, GraphId, GraphMember, Notice, Outcome, Progress, QueueName, Setting, Status, TaskId, TaskInfo,
    Transition, Why,
};

use crate::failure::Failure;

/// Maximum number of transitions that are read.
const HISTORY: u32 = 500;

/// Maximum number of neighbours that are shown.
pub const NEIGHBOURS: usize = 50;

/// A task with what moves.
#[derive(Clone, Debug)]
pub struct Task {
    pub id: TaskId,
    pub info: TaskInfo,
    pub why: Option<Why>,
    pub estimate: Option<Estimate>,
    pub progress: Progress,
    pub history: Vec<Transition>,
    pub policy: Vec<Rule>,
    pub notices: Vec<Notice>,
}

/// Reads a task.
pub async fn task(client: &Client, id: &TaskId) -> Result<Task, Failure> {
    let calls = client.calls();
    let missing = || Failure::missing(format!("There is no task {id}. It may have been deleted after its retention."));
    let mut info = client.call(&calls.get(id)).await?.ok_or_else(missing)?;
    let why = match client.call(&calls.why(id)).await {
        Ok(why) => Some(why),
        Err(blueque::Error::NotFound) => return Err(missing()),
        // A client without scripts may have written what no script reads.
        Err(error) if error.is_transient() => return Err(error.into()),
        Err(_) => None,
    };
    if why.as_ref().is_some_and(|why| !why.agrees(&info)) {
        info = client.call(&calls.get(id)).await?.ok_or_else(missing)?;
    }
    let progress = info.progress_bytes().map(Progress::read).unwrap_or_default();
    let options = progress.fraction.into_iter().fold(EstimateOptions::new(), EstimateOptions::progress);
    let open = info.status().is_some_and(|status| !status.is_finished());
    let estimate = if open { client.call(&calls.estimate(id, &options)).await.ok() } else { None };
    let history = client.call(&calls.history(id, 0, HISTORY)).await?.items;
    let policy = policy(client, &info).await?;
    let flags = info.fields.get("flags").map(Vec::as_slice).unwrap_or_default();
    let notices =
        if flags.contains(&b'n') { client.call(&calls.notices("task", id.as_str())).await? } else { Vec::new() };
    Ok(Task { id: id.clone(), info, why, estimate, progress, history, policy, notices })
}

/// An attempt, as the history records it.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    pub number: u32,
    /// Time at which the task began to wait for the attempt.
    pub waited_from: Option<SystemTime>,
    pub reserved: Option<SystemTime>,
    pub started: Option<SystemTime>,
    pub ended: Option<SystemTime>,
    pub worker: Option<String>,
    pub outcome: Option<Outcome>,
    pub why: Option<String>,
    pub error: Option<Vec<u8>>,
    pub group: Option<String>,
    pub cost: Option<Cost>,
}

/// The cost of an attempt, as a supervisor reports it.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default)]
pub struct Cost {
    pub exit: Option<i32>,
    pub signal: Option<String>,
    pub oom: bool,
    pub max_rss_kib: u64,
    pub cpu_ms: u64,
    pub wall_ms: u64,
    pub read_bytes: Option<u64>,
    pub written_bytes: Option<u64>,
    pub host: Option<String>,
    pub output: Option<String>,
}

impl Cost {
    /// How the program ended, in words.
    pub fn end(&self) -> String {
        match (self.exit, &self.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("killed by {}", crate::text::line(signal)),
            (None, None) => "ended".to_owned(),
        }
    }
}

/// The attempts in a history.
pub fn attempts(history: &[Transition]) -> Vec<Attempt> {
    let mut all: Vec<Attempt> = Vec::new();
    let mut pending = None;
    for step in history {
        match step.to.as_str() {
            "pending" => pending = step.at,
            // A worker that names its process when it takes a task has started it at once.
            "reserved" | "started" => {
                if all.last().is_none_or(|last| last.number != step.attempt) {
                    all.push(Attempt {
                        number: step.attempt,
                        waited_from: pending.take(),
                        reserved: step.at,
                        worker: step.by.clone(),
                        ..Attempt::default()
                    });
                }
                if let Some(last) = all.last_mut().filter(|_| step.to == "started") {
                    last.started = last.started.or(step.at);
                }
            }
            _ => {}
        }
        let held = matches!(step.from.as_deref(), Some("reserved" | "started"));
        if held
            && !matches!(step.to.as_str(), "reserved" | "started")
            && let Some(last) = all.last_mut()
        {
            last.ended = step.at;
            last.outcome = step.outcome;
            last.why.clone_from(&step.why);
            last.error.clone_from(&step.error);
            last.group.clone_from(&step.group);
            last.cost = step.cost.as_deref().and_then(|cost| serde_json::from_slice(cost).ok());
        }
    }
    all
}

/// A rule of the policy of a task.
#[derive(Clone, Debug)]
pub struct Rule {
    pub option: &'static Described,
    /// Value of the task's own option.
    pub own: Option<String>,
    /// Value that applies without it, and its source: `queue`, `namespace` or `default`.
    pub inherited: Option<(String, &'static str)>,
}

impl Rule {
    /// The value in force, and its source.
    pub fn in_force(&self) -> Option<(&str, &'static str)> {
        let inherited = self.inherited.as_ref().map(|(value, source)| (value.as_str(), *source));
        self.own.as_deref().map(|value| (value, "task")).or(inherited)
    }
}

/// Reads the policy of a task: each rule is its own option, or a setting of its queue.
async fn policy(client: &Client, info: &TaskInfo) -> Result<Vec<Rule>, Failure> {
    let queue = info.queue().and_then(|name| QueueName::new(name).ok());
    let settings = client.call(&client.calls().settings(queue.as_ref())).await?;
    let own = |field: &str| {
        let value = info.fields.get(field).filter(|value| !value.is_empty())?;
        let text = String::from_utf8_lossy(value).into_owned();
        // The record stores the lease in microseconds.
        let micros = (field == "own_lease").then(|| text.parse::<f64>().ok()).flatten();
        Some(micros.map_or(text, |micros| (micros / 1e6).to_string()))
    };
    let inherited = |name: &str| {
        let setting: &Setting = settings.iter().find(|setting| setting.name == name)?;
        Some((setting.value.clone()?, setting.from.as_str()))
    };
    let rules = TASK_OPTIONS.iter().filter_map(|option| {
        let (setting, field) = (option.setting?, option.field?);
        Some(Rule { option, own: own(field), inherited: inherited(setting) })
    });
    Ok(rules.collect())
}

/// A task that this one waits for, or that waits for this one.
#[derive(Clone, Debug)]
pub struct Neighbour {
    pub id: String,
    pub kind: String,
    pub label: String,
    pub status: Option<Status>,
}

/// The neighbours of a task.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    pub upstream: Vec<Neighbour>,
    pub downstream: Vec<Neighbour>,
}

/// Reads what a task waits for, and what waits for it in its graph.
pub async fn neighbours(client: &Client, id: &TaskId, info: &TaskInfo) -> Result<Neighbours, Failure> {
    let mut found = Neighbours::default();
    let inputs = info.inputs().unwrap_or_default();
    for entry in inputs.split_whitespace().take(NEIGHBOURS) {
        let Some((kind, upstream)) = entry.split_once('=') else { continue };
        let kind = kind.split('/').next().unwrap_or_default();
        if kind != "value" && TaskId::new(upstream).is_ok() {
            found.upstream.push(Neighbour {
                id: upstream.to_owned(),
                kind: kind.to_owned(),
                label: String::new(),
                status: None,
            });
        }
    }
    if let Some(graph) = info.graph().and_then(|graph| GraphId::new(graph).ok()) {
        let mut cursor = Some("0".to_owned());
        // A graph of 10,000 tasks is read in pages; the neighbours of one task are found in the first of them.
        for _ in 0..50 {
            let Some(at) = cursor.take() else { break };
            let Some(page) = client.call(&client.calls().show_graph(&graph, &at, 200)).await? else { break };
            for member in &page.tasks {
                let edge = member.upstreams.iter().find(|(_, upstream)| upstream == id);
                if let Some((kind, _)) = edge.filter(|_| found.downstream.len() < NEIGHBOURS) {
                    found.downstream.push(of(member, kind));
                }
            }
            cursor = page.next;
        }
    }
    let ids: Vec<TaskId> = found.upstream.iter().filter_map(|task| TaskId::new(task.id.as_str()).ok()).collect();
    let infos: HashMap<String, TaskInfo> = client
        .infos(&ids)
        .await?
        .into_iter()
        .zip(&ids)
        .filter_map(|(info, id)| Some((id.to_string(), info?)))
        .collect();
    for task in &mut found.upstream {
        if let Some(info) = infos.get(&task.id) {
            task.status = info.status();
            task.label = info.label().unwrap_or_default();
        }
    }
    Ok(found)
}

fn of(member: &GraphMember, kind: &str) -> Neighbour {
    Neighbour { id: member.id.to_string(), kind: kind.to_owned(), label: member.label.clone(), status: member.status }
}

/// Reads who changed the task, the latest first.
pub async fn audit(client: &Client, id: &TaskId) -> Result<Vec<Change>, Failure> {
    let day = SystemTime::now().checked_sub(Duration::from_secs(86_400 * 30)).unwrap_or(SystemTime::UNIX_EPOCH);
    let options = AuditOptions::new().on(id.as_str());
    let mut after = format!("{}-0", day.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis());
    let mut all = Vec::new();
    for _ in 0..10 {
        let page = client.call(&client.calls().audit(&after, 500, &options)).await?;
        all.extend(page.items);
        if page.last == after {
            break;
        }
        after = page.last;
    }
    all.reverse();
    Ok(all)
}
