//! A page of a search.

use blueque::calls::Call;
use blueque::tokio::Client;
use blueque::{Counts, Page, QueueName, Status, TaskId, TaskInfo};

use super::query::Query;
use crate::failure::Failure;

/// Number of tasks on a page.
pub const ROWS: usize = 50;

/// Number of calls that look for the tasks of one page. Each examines up to 200 tasks.
const CALLS: usize = 40;

/// Tasks that match a search.
#[derive(Debug, Default)]
pub struct Found {
    pub tasks: Vec<(String, TaskInfo)>,
    /// Where the next page begins.
    pub next: Option<String>,
    /// True if the page ends because enough tasks were examined.
    pub paused: bool,
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
pub async fn page(client: &Client, query: &Query, cursor: &str, order: Order) -> Result<Found, Failure> {
    let filter = query.filter()?;
    let queue = query.queue.as_deref().map(QueueName::new).transpose()?;
    let one = |at: &str| -> Call<Page<String>> {
        let rows = u32::try_from(ROWS).unwrap_or(50);
        match (order, &queue, query.states.as_slice()) {
            (Order::Queue, Some(queue), [status]) => client.calls().list(queue, status.as_str(), at, rows),
            _ => client.calls().find(queue.as_ref(), at, rows, &filter),
        }
    };
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
    let names: Vec<TaskId> = ids.iter().filter_map(|id| TaskId::new(id.as_str()).ok()).collect();
    let infos = client.infos(&names).await?;
    found.tasks = names.iter().zip(infos).filter_map(|(id, info)| Some((id.to_string(), info?))).collect();
    Ok(found)
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
