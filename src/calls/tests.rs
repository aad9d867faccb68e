//! Nothing that a server answers can do more than yield an error.

use std::time::Duration;

use redis::Value;

use super::{
    Calls, CompleteOptions, FailOptions, LogOptions, NewTask, ReleaseOptions, Report, ReserveOptions, ScheduleOptions,
    TaskOptions,
};
use crate::error::Result;
use crate::model::{Force, LowSchedule};
use crate::names::{ListenerId, QueueName, ScheduleName, TaskId, Token};
use crate::search::{Action, Filter};

/// Replies that no script gives: of every kind, and arrays of every length of each of them.
fn nonsense() -> Vec<Value> {
    let kinds = [
        Value::Nil,
        Value::Okay,
        Value::Int(i64::MIN),
        Value::Int(i64::MAX),
        Value::Double(f64::NAN),
        Value::BulkString(Vec::new()),
        Value::BulkString(vec![0xff, 0x00]),
        Value::BulkString(b"-1".to_vec()),
        Value::SimpleString("nonsense".into()),
        Value::Array(Vec::new()),
        Value::Map(vec![(Value::Nil, Value::Nil)]),
    ];
    let arrays = kinds.iter().flat_map(|kind| (0..16).map(|length| Value::Array(vec![kind.clone(); length])));
    arrays.chain(kinds.iter().cloned()).collect()
}

#[test]
fn no_reply_of_a_server_makes_a_call_panic() -> Result<()> {
    let calls = Calls::default();
    let (queue, id) = (QueueName::new("q")?, TaskId::new("t")?);
    let (listener, token, lease) = (ListenerId::new("h_1")?, Token::new(1)?, Duration::from_secs(60));
    let task = NewTask { id: &id, eta: None, parameters: b"" };
    let held = [(id.clone(), token)];
    let name = ScheduleName::new("s")?;
    let low = LowSchedule { name: name.clone(), rhythm: String::new(), after: 0 };
    let mut errors = 0;
    for reply in nonsense() {
        macro_rules! read {
            ($($call:expr),+ $(,)?) => { $(errors += u32::from($call.read(&reply).is_err());)+ };
        }
        read!(
            calls.hello(),
            calls.submit(&queue, &[task], &TaskOptions::default()),
            calls.submit(&queue, &[task], &TaskOptions::default().unique("u")),
            calls.prioritise(&id, 1),
            calls.configure(None, "lease", None),
            calls.settings(Some(&queue)),
            calls.limit(&queue, "k", None, None),
            calls.limits(&queue, "0", 1, false),
            calls.reserve(&listener, std::slice::from_ref(&queue), ReserveOptions::default()),
            calls.adopt(&listener, &listener, &queue, &id, None, "r"),
            calls.start(&id, token, 1),
            calls.heartbeat(&queue, &listener, lease, &held),
            calls.progress(&id, token, b""),
            calls.checkpoint(&id, token, b"", None),
            calls.complete(&id, token, b"", CompleteOptions::default()),
            calls.fail(&id, token, b"", FailOptions::default()),
            calls.release(&id, token, ReleaseOptions::new()),
            calls.cancel(&id, "", Force::No),
            calls.recall(&id, false),
            calls.reset_clock(),
            calls.retry(&id, false),
            calls.delete(&id),
            calls.log(&id, token, "stdout", b"", LogOptions::default()),
            calls.logs(&id, "0", 1),
            calls.logs_tail(&id, 1, 1),
            calls.events(&queue, "0", 1, Some(&id)),
            calls.history(&id, 0, 1),
            calls.tally(&queue, 1),
            calls.statistics(&queue, 1, None),
            calls.estimate(&id, Some(0.5)),
            calls.why(&id),
            calls.promote(&queue, 1),
            calls.requeue_orphans(&queue, 1),
            calls.retain(&queue, 1, None, None),
            calls.mend(&queue, "", 1, None),
            calls.pause(&queue, "me", "", true),
            calls.find(&queue, &Filter::new(), "0", 1),
            calls.bulk(&queue, &Action::Purge, &Filter::new(), "0", 1),
            calls.tags(&queue, "0", 1),
            calls.groups(&queue, "0", 1),
            calls.tag(&id, &["a"]),
            calls.untag(&id, &["a"]),
            calls.move_to(&id, &queue),
            calls.forget(&queue),
            calls.resume(&queue),
            calls.register(&queue, &listener, None),
            calls.unregister(&queue, &listener),
            calls.drain(&queue, &listener, true),
            calls.report(&listener, std::slice::from_ref(&queue), Report::default()),
            calls.workers("0", 1),
            calls.held(&queue, &listener),
            calls.listeners(&queue, "0", 1),
            calls.queues("0", 1),
            calls.list(&queue, "all", "0", 1),
            calls.counts(&queue),
            calls.get(&id),
            calls.schedule(&name, &queue, "", b"", &[1], &ScheduleOptions::default()),
            calls.schedules("0", 1),
            calls.show_schedule(&name),
            calls.unschedule(&name),
            calls.pause_schedule(&name, "me", ""),
            calls.resume_schedule(&name),
            calls.run_schedule(&name, &id, None),
            calls.tick(1),
            calls.slots(&low, &[]),
        );
    }
    assert!(errors > 4_000, "most of it is refused: {errors}");
    Ok(())
}
