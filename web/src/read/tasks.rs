//! A page of a search.

use std::time::{Duration, Instant, SystemTime};

use blueque::calls::Call;
use blueque::tokio::Client;
use blueque::{CommandLine, Counts, Page, QueueName, Status, TaskId, TaskInfo};

use super::query::Query;
use crate::failure::Failure;
use crate::redact::Redact;

/// Number of tasks on a page.
pub const ROWS: usize = 50;

/// Number of calls that look for the tasks of one page. Each examines up to 200 tasks.
const CALLS: usize = 40;

/// Number of tasks that a search names by their ids at most.
const NAMED: usize = 500;

/// Number of tasks in which a page looks for a text, and the time that it takes at most.
const LOOKED: usize = 5_000;
const PATIENCE: Duration = Duration::from_secs(3);

/// Tasks that match a search.
#[derive(Debug, Default)]
pub struct Found {
    pub tasks: Vec<(String, TaskInfo)>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// True if the page ends because enough tasks were examined.
    pub paused: bool,
    /// Number of tasks in which a text was looked for, and the creation of the last of them.
    pub looked: Option<(u64, Option<SystemTime>)>,
}

/// Order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By creation, the latest first; by failure in a search for a group of failures.
    Latest,
    /// The order of a state in one queue: pending tasks as they run, scheduled tasks as they are due.
    Queue,
}

/// Reads a page of a search.
pub async fn page(
    client: &Client,
    redact: &Redact,
    query: &Query,
    cursor: &str,
    order: Order,
) -> Result<Found, Failure> {
    let filter = query.filter()?;
    let queue = query.queue.as_deref().map(QueueName::new).transpose()?;
    let one = |at: &str| -> Call<Page<String>> {
        let rows = u32::try_from(ROWS).unwrap_or(50);
        match (order, &queue, query.states.as_slice()) {
            (Order::Queue, Some(queue), [status]) => client.calls().list(queue, status.as_str(), at, rows),
            _ => client.calls().find(queue.as_ref(), at, rows, &filter),
        }
    };
    if !query.ids.is_empty() {
        let ids = query.ids.get(..NAMED).unwrap_or(&query.ids);
        return Ok(Found { tasks: infos(client, ids).await?, ..Found::default() });
    }
    if !query.texts.is_empty() {
        return with_texts(client, redact, query, cursor, one).await;
    }
    let mut found = Found::default();
    let mut cursor = Some(cursor.to_owned());
    let mut ids: Vec<String> = Vec::new();
    for _ in 0..CALLS {
        let Some(at) = cursor.take_if(|_| ids.len() < ROWS) else { break };
        let page = client.call(&one(&at)).await?;
        ids.extend(page.items);
        cursor = page.next;
        found.paused = cursor.is_some() && ids.len() < ROWS;
    }
    found.next = cursor;
    found.tasks = infos(client, &ids).await?;
    Ok(found)
}

async fn infos(client: &Client, ids: &[String]) -> Result<Vec<(String, TaskInfo)>, Failure> {
    let names: Vec<TaskId> = ids.iter().filter_map(|id| TaskId::new(id.as_str()).ok()).collect();
    let infos = client.infos(&names).await?;
    Ok(names.iter().zip(infos).filter_map(|(id, info)| Some((id.to_string(), info?))).collect())
}

/// Reads the tasks that have all texts of a search. No index has texts, so a page looks into a bounded number of tasks.
async fn with_texts(
    client: &Client,
    redact: &Redact,
    query: &Query,
    cursor: &str,
    one: impl Fn(&str) -> Call<Page<String>>,
) -> Result<Found, Failure> {
    let (mut found, begun, mut cursor) = (Found::default(), Instant::now(), Some(cursor.to_owned()));
    // A whole id finds its task, however old it is.
    if let ([id], Some("0")) = (query.texts.as_slice(), cursor.as_deref())
        && *query == (Query { texts: query.texts.clone(), ..Query::default() })
    {
        found.tasks = infos(client, std::slice::from_ref(id)).await?;
    }
    let (mut looked, mut last) = (0, None);
    for _ in 0..LOOKED / ROWS {
        let Some(at) = cursor.take_if(|_| found.tasks.len() < ROWS && begun.elapsed() < PATIENCE) else { break };
        let page = client.call(&one(&at)).await?;
        for (id, info) in infos(client, &page.items).await? {
            (looked, last) = (looked + 1, info.created().or(last));
            if found.tasks.iter().all(|(known, _)| *known != id) && mentions(redact, &id, &info, &query.texts) {
                found.tasks.push((id, info));
            }
        }
        cursor = page.next;
    }
    found.paused = cursor.is_some() && found.tasks.len() < ROWS;
    (found.next, found.looked) = (cursor, Some((looked, last)));
    Ok(found)
}

/// Returns true if a task shows all texts. What the page hides cannot be found: fields that are redacted, and the
/// variables of a command.
fn mentions(redact: &Redact, id: &str, info: &TaskInfo, texts: &[String]) -> bool {
    let mut shown = info.clone();
    if let Some(parameters) = shown.fields.get_mut("parameters") {
        *parameters = redact.bytes(std::mem::take(parameters));
    }
    if let Some(command) = info.command() {
        let words = CommandLine::read(&command).map(|command| command.words()).unwrap_or_default();
        shown.fields.insert("command".to_owned(), words.into_bytes());
    }
    let has = |text: &String| id.to_lowercase().contains(&text.to_lowercase()) || shown.mentions(text);
    texts.iter().all(has)
}

/// Number of tasks that a search matches, if the counts of the queues tell it without reading the tasks.
pub async fn count(client: &Client, query: &Query) -> Result<Option<u64>, Failure> {
    let only = Query { queue: query.queue.clone(), states: query.states.clone(), ..Query::default() };
    if *query != only {
        return Ok(None);
    }
    let queues = if let Some(queue) = &query.queue {
        vec![QueueName::new(queue.as_str())?]
    } else {
        let all = client.queues().await?;
        if all.len() > 200 {
            return Ok(None);
        }
        all.iter().filter_map(|queue| QueueName::new(queue.name.as_str()).ok()).collect()
    };
    let mut sum = 0;
    for queue in &queues {
        let counts = client.call(&client.calls().counts(queue)).await?;
        let states: &[Status] = if query.states.is_empty() { Status::ALL } else { &query.states };
        sum += states.iter().map(|status| of(&counts, *status)).sum::<u64>();
    }
    Ok(Some(sum))
}

/// Number of tasks in a state.
pub fn of(counts: &Counts, status: Status) -> u64 {
    match status {
        Status::Waiting => counts.waiting,
        Status::Scheduled => counts.scheduled,
        Status::Pending => counts.pending,
        Status::Held => counts.held,
        Status::Reserved => counts.reserved,
        Status::Started => counts.started,
        Status::Complete => counts.complete,
        Status::Failed => counts.failed,
        Status::Cancelled => counts.cancelled,
        _ => 0,
    }
}
