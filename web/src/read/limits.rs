//! Shared limits: the tasks that hold their places, and the tasks that wait for them.

use std::collections::HashMap;

use blueque::calls::PeekOptions;
use blueque::tokio::Client;
use blueque::{KeyLimit, QueueName, TaskId, TaskInfo};

use super::now::{Now, QueueRow};

/// Maximum number of queues whose next tasks are read, those with most pending tasks first.
const QUEUES: usize = 10;

/// Number of next tasks of a queue that are read.
const NEXT: u32 = 20;

/// A shared limit with tasks that name it.
#[derive(Debug)]
pub struct Shared {
    pub limit: KeyLimit,
    /// Ids of running tasks.
    pub holders: Vec<String>,
    /// Ids of tasks that are passed over because the limit has no place for them: the next ones of their queues.
    pub waiters: Vec<String>,
}

/// Returns true if a task names a shared limit, alone or with a number of places, as in `gpu:2`.
fn names(info: &TaskInfo, limit: &str) -> bool {
    let all = info.limits().unwrap_or_default();
    all.split(',').any(|each| each.split([':', '=']).next() == Some(limit))
}

/// Reads the shared limits.
pub async fn shared(client: &Client, now: &Now) -> blueque::Result<Vec<Shared>> {
    let limits = client.shared_limits(false).await?;
    let waiting = if limits.iter().any(|limit| limit.tasks.unwrap_or(0) > 0) {
        waiting(client, &now.queues).await?
    } else {
        HashMap::new()
    };
    let with_tasks = |limit: KeyLimit| {
        let holds = now.running.iter().filter(|task| names(&task.info, &limit.key));
        let waits = waiting.iter().filter(|(_, info)| names(info, &limit.key));
        let holders = holds.map(|task| task.id.clone()).collect();
        let mut waiters: Vec<String> = waits.map(|(id, _)| id.to_string()).collect();
        waiters.sort();
        Shared { limit, holders, waiters }
    };
    Ok(limits.into_iter().map(with_tasks).collect())
}

/// Reads the next tasks of the queues that shared limits hold back.
async fn waiting(client: &Client, queues: &[QueueRow]) -> blueque::Result<HashMap<TaskId, TaskInfo>> {
    let mut queues: Vec<&QueueRow> = queues.iter().filter(|queue| queue.counts.pending > 0).collect();
    queues.sort_by_key(|queue| std::cmp::Reverse(queue.counts.pending));
    let mut found = HashMap::new();
    for queue in queues.into_iter().take(QUEUES) {
        let Ok(name) = QueueName::new(queue.info.name.as_str()) else { continue };
        let next = client.call(&client.calls().peek(&name, NEXT, &PeekOptions::new())).await?;
        let held_up = next.into_iter().filter(|task| task.why.as_ref().is_some_and(|why| why.starts_with("limit_")));
        let ids: Vec<TaskId> = held_up.map(|task| task.id).collect();
        let infos = client.infos(&ids).await?;
        found.extend(ids.into_iter().zip(infos).filter_map(|(id, info)| Some((id, info?))));
    }
    Ok(found)
}
