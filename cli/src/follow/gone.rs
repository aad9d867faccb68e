//! Finds the end of a task whose record no longer exists. Retention may delete a record before its end is read.

use std::time::UNIX_EPOCH;

use blueque::calls::EventsOptions;
use blueque::{QueueName, Status, TaskId, TaskInfo};

use crate::output::{Code, fault, say};
use crate::session::Session;
use crate::times;

const PAGE: u32 = 500;

/// Maximum difference in milliseconds between the times of events and of records.
const AGREE: u128 = 1_000_000;

/// Returns the last record that was read, with the final state from the events of the queue. Fails if the events do
/// not contain the end of the task.
pub fn ended(session: &Session, id: &TaskId, last: &TaskInfo) -> anyhow::Result<TaskInfo> {
    let mut info = last.clone();
    let Some((status, at)) = end(session, id, last)? else {
        return Err(fault(Code::NotFound, format!("{id} is gone, and no event contains its end")));
    };
    say(format!("{id} is deleted, and its result with it: the events of its queue say how it ended"));
    for (field, value) in [("status", status.as_str().to_owned()), ("updated", times::seconds(at).to_string())] {
        info.fields.insert(field.to_owned(), value.into_bytes());
    }
    Ok(info)
}

/// Returns the last end of a task since its record was read, and the time of this end.
fn end(session: &Session, id: &TaskId, last: &TaskInfo) -> anyhow::Result<Option<(Status, std::time::SystemTime)>> {
    let Some(queue) = last.queue().and_then(|queue| QueueName::new(queue).ok()) else { return Ok(None) };
    let since = last.updated().and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let mut after = format!("{}-0", since.as_micros().saturating_sub(AGREE));
    let (options, mut end) = (EventsOptions::new().id(id.as_str()), None);
    loop {
        let page = session.client.call(&session.client.calls().events(&queue, &after, PAGE, &options))?;
        for event in page.items {
            if event.to != "deleted" {
                end = event.to.parse().ok().filter(|status: &Status| status.is_finished()).map(|to| (to, event.at));
            }
        }
        if page.last == after {
            return Ok(end);
        }
        after = page.last;
    }
}
