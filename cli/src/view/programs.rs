//! Finds programs that waiting tasks need and that no worker of their queue has.

use std::collections::BTreeMap;

use blueque::{Client, QueueName, Status, TaskInfo, WorkerInfo};

/// Number of tasks that are read from the beginning of the queue. Tasks whose program is missing accumulate there.
const LOOKED_AT: u32 = 50;

/// Returns the program of a task. `None` if the task has a command line instead.
pub fn program(info: &TaskInfo, queue: &QueueName) -> Option<String> {
    info.command().is_none().then(|| info.method().unwrap_or_else(|| queue.to_string()))
}

/// Returns true if the worker takes no new tasks of the queue.
pub fn is_drained(worker: &WorkerInfo, queue: &QueueName) -> bool {
    worker.drained.iter().any(|name| name == queue.as_str())
}

/// Returns the workers of a queue, or `None` if one of them does not report its programs.
pub fn workers_of<'a>(
    client: &Client,
    queue: &QueueName,
    workers: &'a [WorkerInfo],
) -> blueque::Result<Option<Vec<&'a WorkerInfo>>> {
    let mut found = Vec::new();
    for listener in client.queue(queue.as_str())?.listeners()? {
        match workers.iter().find(|worker| worker.id == listener.id && worker.serves(queue)) {
            Some(worker) if worker.dead || is_drained(worker, queue) => {}
            Some(worker) if !worker.methods.is_empty() => found.push(worker),
            _ => return Ok(None),
        }
    }
    Ok(Some(found).filter(|found| !found.is_empty()))
}

pub fn nobody_has(workers: &[&WorkerInfo], program: &str) -> bool {
    workers.iter().all(|worker| worker.has_program(program) == Some(false))
}

/// Returns a sentence for each program that waiting tasks of the queue need and that no worker has.
pub fn missing(client: &Client, queue: &QueueName, workers: &[WorkerInfo]) -> blueque::Result<Vec<String>> {
    let Some(workers) = workers_of(client, queue, workers)? else { return Ok(Vec::new()) };
    let mut lacking: BTreeMap<String, u32> = BTreeMap::new();
    for status in Status::ALL.iter().rev().filter(|status| status.is_waiting()) {
        for id in client.queue(queue.as_str())?.list(status.as_str(), LOOKED_AT)? {
            let Ok(id) = blueque::TaskId::new(id) else { continue };
            let Some(info) = client.call(&client.calls().get(&id))? else { continue };
            let Some(program) = program(&info, queue) else { continue };
            if nobody_has(&workers, &program) {
                *lacking.entry(program).or_default() += 1;
            }
        }
    }
    let sentence = |(program, tasks): (String, u32)| {
        let who = if tasks == 1 { "a waiting task needs".to_owned() } else { format!("{tasks} waiting tasks need") };
        format!("no worker of {queue} has the program {program}, which {who}")
    };
    Ok(lacking.into_iter().map(sentence).collect())
}
