//! No reply of a server can do more than cause an error.

use std::time::Duration;

use redis::Value;

use super::bulk::Action;
use super::*;
use crate::error::Result;
use crate::names::{GraphId, ListenerId, QueueName, ScheduleName, TaskId, Token};
use crate::options::{Filter, Inputs};

/// Replies that no script returns: of every kind, and arrays of every length of each kind.
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
    let task = NewTask::new(&id, b"");
    let held = [(id.clone(), token)];
    let name = ScheduleName::new("s")?;
    let graph = GraphId::new("g")?;
    let mut errors = 0;
    for reply in nonsense() {
        macro_rules! read {
            ($($call:expr),+ $(,)?) => { $(errors += u32::from($call.read(&reply).is_err());)+ };
        }
        read!(
            calls.handshake(),
            calls.submit(&queue, &[task], &TaskOptions::default()),
            calls.submit(&queue, &[task], &TaskOptions::default().unique("u")),
            calls.submit_again(&queue, &task, &TaskOptions::default(), "r"),
            calls.prioritise(&id, 1),
            calls.configure(None, "lease", None),
            calls.settings(Some(&queue)),
            calls.limit(Some(&queue), "k", None, None, &LimitOptions::new()),
            calls.limits(None, "0", 1, &LimitsOptions::new()),
            calls.reserve(&listener, std::slice::from_ref(&queue), &ReserveOptions::new()),
            calls.finish_and_reserve(&listener, &[], std::slice::from_ref(&queue), 1, &FinishAndReserveOptions::new()),
            calls.adopt(&listener, &listener, &queue, &id, &AdoptOptions::new().request("r")),
            calls.start(&id, token, 1, &StartOptions::new()),
            calls.heartbeat(&queue, &listener, lease, &held),
            calls.progress(&id, token, b""),
            calls.checkpoint(&id, token, b"", &CheckpointOptions::new()),
            calls.complete(&id, token, b"", &CompleteOptions::new()),
            calls.fail(&id, token, b"", &FailOptions::new()),
            calls.release(&id, token, &ReleaseOptions::new()),
            calls.cancel(&id, "", &CancelOptions::new()),
            calls.requeue(&id, &RequeueOptions::new()),
            calls.hold(&id),
            calls.suspend(&id),
            calls.unsuspend(&id),
            calls.signal(&id, "USR1"),
            calls.describe(&id, &DescribeOptions::new().values(true)),
            calls.description(&id, token, 1),
            calls.attend(&id, token, &AttendOptions::new().answered(1)),
            calls.unhold(&id),
            calls.reset_clock(),
            calls.retry(&id, &RetryOptions::new()),
            calls.edit(&id, &EditOptions::new().queue("q")),
            calls.depend(&id, &Inputs::new().after(&id)),
            calls.undepend(&id, &id),
            calls.delete(&id),
            calls.append_log(&id, token, "stdout", b"", &AppendLogOptions::new()),
            calls.logs(&id, "0", 1, &LogsOptions::new().tail(1)),
            calls.events(&queue, "0", 1, &EventsOptions::new().id(id.clone())),
            calls.history(&id, 0, 1),
            calls.audit("0", 1, &AuditOptions::new().by("me")),
            calls.changes("0", 1, &ChangesOptions::new().id("t")),
            calls.aggregate(&queue, 1),
            calls.statistics(&queue, 1, &StatisticsOptions::new()),
            calls.estimate(&id, &EstimateOptions::new().progress(0.5)),
            calls.why(&id),
            calls.promote(&queue, 1),
            calls.requeue_orphans(&queue, 1),
            calls.prune(&queue, 1, &PruneOptions::new()),
            calls.repair(&queue, "", 1, &RepairOptions::new()),
            calls.maintenance(std::slice::from_ref(&queue)),
            calls.pause(&queue, "me", "", &PauseOptions::new().stop(true)),
            calls.find(Some(&queue), "0", 1, &Filter::new()),
            calls.bulk(&queue, &Action::Purge, &Filter::new(), "0", 1),
            calls.tags(&queue, "0", 1),
            calls.groups(&queue, "0", 1),
            calls.tag(&id, &["a"]),
            calls.untag(&id, &["a"]),
            calls.move_to(&id, &queue),
            calls.delete_queue(&queue),
            calls.resume(&queue),
            calls.register(&queue, &listener, &RegisterOptions::new()),
            calls.unregister(&queue, &listener),
            calls.drain(&queue, &listener, true),
            calls.report(&listener, 1, 1, std::slice::from_ref(&queue), &ReportOptions::new()),
            calls.workers("0", 1),
            calls.list_held(&queue, &listener),
            calls.listeners(&queue, "0", 1),
            calls.queues("0", 1),
            calls.list(&queue, "all", "0", 1),
            calls.counts(&queue),
            calls.peek(&queue, 1, &PeekOptions::new().has("gpu")),
            calls.get(&id),
            calls.get_many(std::slice::from_ref(&id)),
            calls.schedule(&name, &queue, "", b"", &[SystemTime::UNIX_EPOCH], &ScheduleOptions::default()),
            calls.schedules("0", 1),
            calls.show_schedule(&name),
            calls.unschedule(&name),
            calls.pause_schedule(&name, "me", ""),
            calls.resume_schedule(&name),
            calls.run_schedule(&name, &id, &RunScheduleOptions::new()),
            calls.tick(1),
            calls.submit_graph(&graph, 1, &[], &SubmitGraphOptions::new().name("n")),
            calls.supply_times(&name, "", SystemTime::UNIX_EPOCH, &[]),
        );
    }
    assert!(errors > 4_000, "most of it is refused: {errors}");
    Ok(())
}

/// Returns the words at a place of the contract, sorted.
fn words_of(place: &str) -> Vec<String> {
    let contract: serde_json::Value = serde_json::from_str(crate::bundle::contract()).unwrap_or_default();
    let words = contract.pointer(place).and_then(serde_json::Value::as_array);
    let mut words: Vec<String> =
        words.into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect();
    words.sort_unstable();
    words
}

#[test]
fn words_that_are_written_by_hand_are_those_of_the_contract() {
    fn sorted<T: ToString>(words: &[T]) -> Vec<String> {
        let mut words: Vec<String> = words.iter().map(ToString::to_string).collect();
        words.sort_unstable();
        words
    }
    let reply = |command: &str, rest: &str| words_of(&format!("/commands/{command}/reply/{rest}"));
    assert_eq!(sorted(crate::Cancelled::ALL), reply("cancel", "words"));
    assert_eq!(sorted(crate::Requeued::ALL), reply("requeue", "words"));
    assert_eq!(sorted(crate::Scheduled::ALL), reply("schedule", "words"));
    assert_eq!(sorted(crate::Order::ALL), reply("heartbeat", "items/0/words"));
    assert_eq!(sorted(crate::ScheduleState::ALL), reply("schedules", "items/3/words"));
    assert_eq!(sorted(crate::Source::ALL), reply("settings", "items/2/words"));
    assert_eq!(sorted(crate::Basis::ALL), reply("estimate", "pairs/3/words"));
    assert_eq!(sorted(crate::Outcome::ALL), words_of("/types/outcome/words"));
    for (command, shape) in
        [("complete", "words"), ("fail", "words"), ("release", "words"), ("release", "with/lost/words")]
    {
        let ends = reply(command, shape);
        assert!(
            !ends.is_empty() && ends.iter().all(|word| word.parse::<crate::Outcome>().is_ok()),
            "{command}: {ends:?}"
        );
    }
    let orders = [crate::QueueOrder::Strict, crate::QueueOrder::Round, crate::QueueOrder::Weighted(Vec::new())];
    assert_eq!(sorted(&orders.map(|order| order.as_str())), words_of("/types/order/words"));
    let into = QueueName::new("q").map(|into| Action::Move { into });
    let actions = [
        Action::Cancel { reason: String::new(), force: crate::Force::No },
        Action::Retry { fresh: false, into: None },
        Action::Delete,
        Action::Purge,
        Action::Prioritise { priority: 0 },
        Action::Hold,
        Action::Unhold,
        Action::Suspend,
        Action::Unsuspend,
        Action::Signal { signal: "USR1".into() },
        Action::Requeue,
    ];
    let words: Vec<&str> = actions.iter().chain(into.iter()).map(Action::as_str).collect();
    assert_eq!(sorted(&words), words_of("/types/action/words"));
    let other = TaskId::random();
    let made = [crate::Submitted::Created, crate::Submitted::Taken(other.clone()), crate::Submitted::Replaced(other)];
    assert_eq!(sorted(&made.map(|made| made.as_str())), reply("submit", "with/unique/list/0/words"));
}

#[test]
fn every_number_of_the_statistics_is_read() {
    let contract: serde_json::Value = serde_json::from_str(crate::bundle::contract()).unwrap_or_default();
    let pairs = contract.pointer("/commands/statistics/reply/pairs").and_then(serde_json::Value::as_array);
    let names: Vec<&str> = pairs.into_iter().flatten().filter_map(|field| field.get("name")?.as_str()).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names.into_iter().filter(|name| !["day", "first", "last", "before"].contains(name)) {
        let mut figures = crate::Figures::default();
        assert_eq!(figures.take(&name.replace('*', "60"), "7"), Some(()), "{name}");
        assert_ne!(figures, crate::Figures::default(), "{name} is read");
    }
}

#[test]
fn calls_of_a_graph_are_packed_and_made_again_with_other_request_ids() -> Result<()> {
    let calls = Calls::default();
    let (graph, id, queue) = (GraphId::new("g")?, TaskId::new("g.0")?, QueueName::new("q")?);
    let options = TaskOptions::default();
    let part = |parameters| GraphPart {
        id: &id,
        queue: &queue,
        eta: None,
        parameters,
        inputs: "",
        label: "a",
        options: &options,
    };
    let made = ["7\n1".as_bytes(), b"\0\xff", b""]
        .map(|parameters| calls.stage_graph(&graph, 1, &[part(parameters)], &SubmitGraphOptions::new().name("n")));
    let packed = pack(&made);
    let [again, third] = [(); 2].map(|()| calls.packed_graph(&packed).unwrap_or_default());
    assert_eq!(again.len(), 3);
    for ((one, other), third) in made.iter().zip(again).zip(third) {
        assert_eq!((one.command, &one.args), (other.command, &other.args));
        assert_ne!(other.once().args, third.once().args, "the reply of an earlier one does not stand for it");
    }
    for wrong in ["1", "1\n", "1\n5\nabc", "x\n", "-1\n", "99999999999999999999999\n"] {
        assert!(calls.packed_graph(wrong.as_bytes()).is_none(), "{wrong:?}");
    }
    Ok(())
}
