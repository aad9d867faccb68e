//! The policies of a queue: retries, priorities, unique names, limits, needs, settings, turns.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use blueque::calls::{CompleteOptions, EditOptions, FailOptions, LimitOptions, NewTask, ReserveOptions, TaskOptions};
use blueque::{
    Backoff, Client, Error, Listener, ListenerId, Made, Outcome, Policy, Processor, Queue, QueueOrder, Rate, Source,
    Status, Submit, Submitted, TaskId, Until,
};
use support::Server;

struct World {
    _server: Server,
    client: Client,
    queue: Queue,
}

impl World {
    fn new() -> Self {
        let server = Server::start();
        let client = Client::builder().for_tests().open(&server.url()).unwrap();
        let queue = client.queue("q").unwrap();
        Self { _server: server, client, queue }
    }

    fn submit(&self, id: &str, how: Submit) {
        self.queue.submit(&(), how.id(TaskId::new(id).unwrap())).unwrap();
    }

    fn listener(&self) -> Listener {
        self.client.listener(&["q"]).unwrap()
    }

    fn status(&self, id: &str) -> Status {
        self.client.task(id).unwrap().info().unwrap().status().unwrap()
    }
}

fn take(listener: &mut Listener) -> Processor {
    listener.try_listen().unwrap().expect("a task")
}

fn next(listener: &mut Listener) -> Option<String> {
    listener.try_listen().unwrap().map(|task| task.id().to_string())
}

fn code<T: std::fmt::Debug>(outcome: blueque::Result<T>) -> String {
    outcome.unwrap_err().word().to_owned()
}

#[test]
fn a_failure_that_the_task_survives_is_followed_by_another_try_after_a_pause_that_grows() {
    let world = World::new();
    let how = Submit::default().max_failures(2).delay(Duration::from_secs(100)).jitter(0);
    world.submit("a", how.backoff(Backoff::Exponential));
    let mut listener = world.listener();
    for pause in [100.0, 200.0] {
        let task = take(&mut listener);
        task.checkpoint(&pause).unwrap();
        assert_eq!(task.fail("no luck").unwrap(), Outcome::Retrying);
        assert_eq!(task.fail("no luck").unwrap(), Outcome::Retrying, "the same call, sent again");
        let info = world.client.task("a").unwrap().info().unwrap();
        assert_eq!(
            (info.status(), info.error(), info.last_error().as_deref()),
            (Some(Status::Scheduled), None, Some("no luck"))
        );
        let why = world.client.call(&world.client.calls().why(task.id())).unwrap();
        assert!(
            (pause - 5.0..=pause).contains(&why.eta.unwrap().duration_since(why.now).unwrap().as_secs_f64()),
            "{why:?}"
        );
        let later = why.eta.unwrap() + Duration::from_millis(1);
        let promoted = world.client.call(&world.client.calls().promote(world.queue.name(), 10).at(later)).unwrap();
        assert_eq!(promoted.promoted, 1);
    }
    let task = take(&mut listener);
    assert_eq!((task.reservation().failures, task.reservation().outcome), (2, Some(Outcome::Retrying)));
    assert_eq!(task.last_checkpoint::<f64>().unwrap(), Some(200.0));
    assert_eq!(task.fail("no luck").unwrap(), Outcome::Failed);
}

#[test]
fn the_owner_says_when_to_try_again_or_that_it_is_no_use() {
    let world = World::new();
    world.submit("a", Submit::default().max_failures(9));
    world.submit("b", Submit::default().max_failures(9));
    world.submit("c", Submit::default());
    let mut listener = world.listener();
    let again = |seconds| FailOptions::new().again(Duration::from_secs(seconds));
    let a = take(&mut listener);
    assert_eq!(code(a.fail_with("x", &again(40_000_000))), "BADARG", "over a year");
    assert_eq!(a.fail_with("x", &again(0)).unwrap(), Outcome::Retrying);
    assert_eq!(world.status("a"), Status::Pending, "at once");
    let b = take(&mut listener);
    let never = FailOptions::new().permanent(true).group("codec");
    assert_eq!(b.fail_with("x", &never).unwrap(), Outcome::Failed);
    assert_eq!(world.client.task("b").unwrap().info().unwrap().group().as_deref(), Some("codec"));
    let c = take(&mut listener);
    assert_eq!(c.fail_with("x", &again(5)).unwrap(), Outcome::Failed, "a wish is no failure more");
}

#[test]
fn a_task_that_is_given_back_too_often_fails() {
    let world = World::new();
    world.submit("a", Submit::default().max_releases(1));
    let mut listener = world.listener();
    assert_eq!(take(&mut listener).release().unwrap(), Outcome::Released);
    assert_eq!(take(&mut listener).release().unwrap(), Outcome::Failed);
    assert_eq!(world.client.task("a").unwrap().info().unwrap().group().as_deref(), Some("released"));
}

#[test]
fn a_task_goes_from_queue_to_queue_with_what_its_owner_says_of_the_next_step() {
    let world = World::new();
    world.submit("a", Submit::default().step("encode").step("publish").max_failures(1).delay(Duration::ZERO));
    let (encode, huge) = (world.client.queue("encode").unwrap(), world.client.queue("huge").unwrap());
    let task = take(&mut world.listener());
    assert_eq!(code(task.complete_with(b"1", &CompleteOptions::new().next("no queue"))), "BADNAME");
    assert_eq!(task.fail("x").unwrap(), Outcome::Retrying);
    let task = take(&mut world.listener());
    task.checkpoint(&"half").unwrap();
    assert_eq!(task.complete(&[7]).unwrap(), Outcome::Complete);
    assert_eq!(task.complete(&[7]).unwrap(), Outcome::Complete, "the same call, sent again");

    let mut listener = world.client.listener(&["encode", "huge", "store"]).unwrap();
    let task = take(&mut listener);
    assert_eq!((task.parameters::<[u32; 1]>().unwrap(), task.last_checkpoint::<String>().unwrap()), ([7], None));
    let reservation = task.reservation();
    assert_eq!((reservation.attempt, reservation.failures, reservation.outcome), (3, 0, Some(Outcome::Complete)));
    task.checkpoint(&"half").unwrap();
    assert_eq!(task.release_into(huge.name()).unwrap(), Outcome::Released);
    let left = encode.counts().unwrap();
    assert_eq!((left.pending, left.reserved, left.complete), (0, 0, 0), "nothing is left behind");
    let task = take(&mut listener);
    assert_eq!(task.reservation().queue, *huge.name());
    assert_eq!(task.last_checkpoint::<String>().unwrap().as_deref(), Some("half"));
    encode.configure("closed", Some("1")).unwrap();
    assert_eq!(code(task.release_into(encode.name())), "CLOSED");

    // A step in place of `publish`, with parameters of its own.
    let options = CompleteOptions::new().next("store").parameters("[8]").priority(5).method("m");
    assert_eq!(task.complete_with(b"9", &options).unwrap(), Outcome::Complete);
    let task = take(&mut listener);
    assert_eq!(task.parameters::<[u32; 1]>().unwrap(), [8]);
    let info = world.client.task("a").unwrap().info().unwrap();
    assert_eq!((info.step(), info.steps(), info.priority()), (2, None, 5));

    // A step with a shared limit that the step before did not hold, and without the method.
    let with = |limits: &str| TaskOptions::default().limits(limits).max_failures(2).step("huge").step("store");
    let options = |limits: &str| CompleteOptions::new().next("encode").unset("method,priority").task(&with(limits));
    assert_eq!(code(task.complete_with(b"1", &options("gpu"))), "NOLIMIT");
    world.client.limit_shared("gpu", Some(1), None, &LimitOptions::new()).unwrap();
    assert_eq!(task.complete_with(b"1", &options("gpu")).unwrap(), Outcome::Complete);
    let info = world.client.task("a").unwrap().info().unwrap();
    assert_eq!(
        (info.limits(), info.steps(), info.method(), info.priority()),
        (Some("gpu".into()), Some("huge,store".into()), None, 0)
    );
    let task = take(&mut listener);
    let options = CompleteOptions::new().unset("limits,steps");
    assert_eq!(task.complete_with(b"1", &options).unwrap(), Outcome::Complete, "the next one of its steps");
    let task = take(&mut listener);
    assert_eq!(task.reservation().queue, *huge.name());
    assert_eq!(task.next(encode.name(), &()).unwrap(), Outcome::Complete, "also without a chain");
    assert_eq!(take(&mut listener).complete("done").unwrap(), Outcome::Complete);
    let done = world.client.task("a").unwrap().wait(Duration::ZERO).unwrap();
    assert_eq!((done.queue().as_deref(), done.result::<String>().unwrap().as_deref()), (Some("encode"), Some("done")));
}

#[test]
fn higher_priorities_go_first_and_may_change_while_a_task_waits() {
    let world = World::new();
    for (id, priority) in [("low", -5), ("plain", 0), ("high", 7), ("higher", 8), ("high-too", 7)] {
        world.submit(id, Submit::default().priority(priority));
    }
    world.client.task("low").unwrap().prioritise(7).unwrap();
    let mut listener = world.listener();
    let order: Vec<String> = std::iter::from_fn(|| next(&mut listener)).collect();
    assert_eq!(order, ["higher", "high", "high-too", "low", "plain"]);
    assert_eq!(code(world.client.task("plain").unwrap().prioritise(1)), "STATE");
    assert_eq!(code(world.client.task("none").unwrap().prioritise(1)), "NOTASK");
    assert_eq!(code(world.queue.submit(&(), Submit::default().priority(1001))), "BADARG");
}

#[test]
fn what_was_submitted_changes_before_it_ends_and_the_history_tells() {
    let world = World::new();
    world.submit("a", Submit::default().max_failures(2).delay(Duration::ZERO).needs("gpu"));
    let task = world.client.task("a").unwrap();
    let plain = TaskOptions::default().priority(3);
    let edit = EditOptions::new().task(&plain).parameters("[1]").unset("needs").by("me").reason("no GPU");
    assert_eq!(task.edit(&edit).unwrap(), Status::Pending);
    assert_eq!(task.edit(&edit).unwrap(), Status::Pending, "nothing is left to do");
    let told = task.history().unwrap().pop().unwrap();
    assert_eq!((told.number, told.why.as_deref(), told.by.as_deref()), (2, Some("edit"), Some("me")));
    assert_eq!(told.note.as_deref(), Some(&b"no GPU"[..]));
    let changes = r#"{"priority":[null,"3"],"needs":["gpu",null],"parameters":[4,3]}"#;
    assert_eq!(String::from_utf8(told.data.unwrap()).unwrap(), changes);
    let mut listener = world.listener();
    let first = take(&mut listener);
    assert_eq!(first.parameters::<Vec<u8>>().unwrap(), [1]);
    assert_eq!(first.edit(EditOptions::new().parameters("[2]")).unwrap(), Status::Reserved);
    assert_eq!(code(first.edit(EditOptions::new().queue("other"))), "STATE");
    assert_eq!(first.fail("x").unwrap(), Outcome::Retrying);
    assert!(matches!(first.edit(EditOptions::new().parameters("[3]")), Err(Error::Lost)));
    let second = take(&mut listener);
    assert_eq!(second.parameters::<Vec<u8>>().unwrap(), [2]);
    second.complete(&()).unwrap();
    assert_eq!(code(task.edit(&EditOptions::new().priority(1))), "STATE");
}

#[test]
fn a_task_that_has_ended_begins_anew_once_for_each_request() {
    let world = World::new();
    let how = || Submit::default().id(TaskId::new("a").unwrap());
    let (task, round) = world.queue.submit_again(&1, how(), "monday").unwrap();
    assert_eq!((round.made, round.number), (Made::Created, 1));
    let mut listener = world.listener();
    let first = take(&mut listener);
    assert_eq!(code(world.queue.submit_again(&2, how(), "tuesday").map(|_| ())), "STATE");
    first.complete(&()).unwrap();
    for _ in 0..2 {
        let (_, round) = world.queue.submit_again(&2, how(), "tuesday").unwrap();
        assert_eq!((round.made, round.number), (Made::Again, 2));
    }
    let (_, round) = world.queue.submit_again_bytes(b"3", how().priority(1), "wednesday").unwrap();
    assert_eq!((round.made, round.number), (Made::Changed, 2));
    let (_, round) = world.queue.submit_again(&3, how().priority(1), "thursday").unwrap();
    assert_eq!((round.made, round.number), (Made::Existing, 2));
    let second = take(&mut listener);
    assert_eq!(second.parameters::<u32>().unwrap(), 3);
    let info = task.info().unwrap();
    assert_eq!((info.attempt(), info.round(), info.result_bytes()), (2, 2, None));

    let (_, round) = world.queue.submit_once_more(&4, how(), "friday").unwrap();
    assert_eq!((round.made, round.number), (Made::Later, 3));
    assert_eq!(code(world.queue.submit_once_more_bytes(b"5", how(), "saturday").map(|_| ())), "STATE");
    second.complete(&()).unwrap();
    assert_eq!(task.info().unwrap().next_round().as_deref(), Some("friday"));
    world.client.call(&world.client.calls().run_deferred(10)).unwrap();
    let third = take(&mut listener);
    assert_eq!((third.parameters::<u32>().unwrap(), task.info().unwrap().round()), (4, 3));
}

#[test]
fn a_unique_name_is_of_one_task_at_a_time() {
    let world = World::new();
    let unique = |policy: Policy| Submit::default().unique("name").unique_policy(policy);
    world.submit("a", Submit::default().unique("name"));
    assert_eq!(code(world.queue.submit(&(), unique(Policy::Reject))), "DUPLICATE");
    let other = world.queue.submit(&(), unique(Policy::Existing)).unwrap();
    assert_eq!(other.id().as_str(), "a", "the answer is the task that has the name");
    world.submit("b", unique(Policy::Replace));
    assert_eq!((world.status("a"), world.status("b")), (Status::Cancelled, Status::Pending));
    let mut listener = world.listener();
    let b = take(&mut listener);
    assert_eq!(code(world.queue.submit(&(), unique(Policy::Replace))), "DUPLICATE", "it runs");
    b.complete(&()).unwrap();
    world.submit("c", Submit::default().unique("name").unique_until(Until::Start));
    take(&mut listener).start(1).unwrap();
    world.submit("d", unique(Policy::Reject));

    let (e, f) = (TaskId::new("e").unwrap(), TaskId::new("f").unwrap());
    let options = TaskOptions::default().unique("latest").unique_policy(Policy::Latest);
    let new = |id| [NewTask::new(id, b"")];
    assert_eq!(world.queue.submit_many(&new(&e), &options).unwrap(), [Submitted::Created]);
    assert_eq!(world.queue.submit_many(&new(&f), &options).unwrap(), [Submitted::Replaced(e)]);
}

#[test]
fn places_of_a_queue_and_of_a_key_are_taken_and_freed_with_the_attempt() {
    let world = World::new();
    world.queue.configure("concurrency", Some("2")).unwrap();
    world.queue.limit("acme", Some(1), None).unwrap();
    for id in ["a1", "a2"] {
        world.submit(id, Submit::default().key("acme"));
    }
    for id in ["p1", "p2"] {
        world.submit(id, Submit::default());
    }
    let mut listener = world.listener();
    let (first, second) = (take(&mut listener), take(&mut listener));
    assert_eq!((first.id().as_str(), second.id().as_str()), ("a1", "p1"), "a2 is in nobody's way");
    assert_eq!(next(&mut listener), None, "the queue is full");
    let limits = world.queue.limits(false).unwrap();
    assert_eq!((limits[0].key.as_str(), limits[0].concurrency, limits[0].used), ("acme", Some(1), 1));
    second.release().unwrap();
    let second = take(&mut listener);
    assert_eq!(second.id().as_str(), "p1", "at the front again");
    first.complete(&()).unwrap();
    assert_eq!(next(&mut listener).as_deref(), Some("p2"), "it came before the key was served last");
    assert_eq!(next(&mut listener), None);
    second.fail("x").unwrap();
    assert_eq!(next(&mut listener).as_deref(), Some("a2"));
    world.queue.limit("acme", None, None).unwrap();
    assert_eq!(world.queue.limits(false).unwrap(), []);
    assert_eq!(world.queue.limits(true).unwrap()[0].key, "acme", "its task runs on");
}

#[test]
fn tasks_of_all_queues_share_a_limit() {
    let world = World::new();
    world.client.limit_shared("database", Some(2), None, &LimitOptions::new()).unwrap();
    let (rate, day) = (Rate::new(9, Duration::from_secs(60)).unwrap(), Duration::from_secs(86_400));
    world.client.limit_shared("gpu", Some(1), Some(rate), &LimitOptions::new().expires(day)).unwrap();
    let other = world.client.queue("other").unwrap();
    other.submit(&(), Submit::default().id(TaskId::new("o").unwrap()).limits("gpu,database:2")).unwrap();
    world.submit("a", Submit::default().limits("database"));
    world.submit("b", Submit::default().limits("gpu"));
    let mut listener = world.listener();
    let (a, b) = (take(&mut listener), take(&mut listener));
    let mut second = world.client.listener(&["other"]).unwrap();
    assert_eq!(next(&mut second), None);
    let why = world.client.call(&world.client.calls().why(&TaskId::new("o").unwrap())).unwrap();
    assert_eq!((why.shared.as_deref(), why.limit.as_deref()), (Some("database:2,gpu"), Some("database")));
    assert_eq!((why.limit_weight, why.limit_concurrency, why.limit_used), (Some(2), Some(2), Some(1)));
    world.submit("c", Submit::default().limits("database"));
    assert_eq!(next(&mut listener), None, "it is the turn of the other queue");
    a.complete(&()).unwrap();
    assert_eq!(next(&mut second), None, "all or none");
    b.complete(&()).unwrap();
    assert_eq!(next(&mut second).as_deref(), Some("o"));
    let limits = world.client.shared_limits(true).unwrap();
    let used: Vec<_> = limits.iter().map(|limit| (limit.key.as_str(), limit.concurrency, limit.used)).collect();
    assert!(
        used.len() == 2 && used.contains(&("database", Some(2), 2)) && used.contains(&("gpu", Some(1), 1)),
        "{used:?}"
    );
    let named: BTreeSet<_> = limits.iter().map(|limit| (limit.key.as_str(), limit.tasks, limit.expires)).collect();
    assert_eq!(named, BTreeSet::from([("database", Some(2), None), ("gpu", Some(1), Some(day))]));
    assert_eq!(code(world.client.limit_shared("gpu", None, None, &LimitOptions::new())), "NOTEMPTY");
    let submitted = world.queue.submit(&(), Submit::default().limits("database:3"));
    assert_eq!(code(submitted), "NOLIMIT");
}

#[test]
fn a_rate_slides() {
    let world = World::new();
    world.queue.configure("rate", Some("2/60")).unwrap();
    for id in ["a", "b", "c"] {
        world.submit(id, Submit::default());
    }
    let mut listener = world.listener();
    assert_eq!((next(&mut listener).as_deref(), next(&mut listener).as_deref()), (Some("a"), Some("b")));
    assert_eq!(next(&mut listener), None);
    let why = world.client.call(&world.client.calls().why(&TaskId::new("c").unwrap())).unwrap();
    let until = why.limits().rate_until.unwrap();
    assert!((59.0..=60.0).contains(&until.duration_since(why.now).unwrap().as_secs_f64()), "{why:?}");
    let promoted = world.queue.promote().unwrap();
    assert!(promoted.next == Some(until), "maintenance looks at that moment: {promoted:?}");
    let later = until + Duration::from_millis(1);
    let queues = [world.queue.name().clone()];
    let call = world.client.calls().reserve(listener.id(), &queues, &ReserveOptions::new()).at(later);
    assert_eq!(world.client.call(&call).unwrap()[0].id.as_str(), "c");
    assert_eq!("2/60".parse::<Rate>().unwrap(), Rate::new(2, Duration::from_secs(60)).unwrap());
}

#[test]
fn only_a_listener_that_has_what_a_task_needs_gets_it() {
    let world = World::new();
    world.submit("heavy", Submit::default().needs("gpu,transcoder>=3"));
    let mut plain = world.listener();
    assert_eq!(next(&mut plain), None);
    let why = || world.client.call(&world.client.calls().why(&TaskId::new("heavy").unwrap())).unwrap();
    assert_eq!((why().needs.as_deref(), why().able), (Some("gpu,transcoder>=3"), Some(0)));
    let mut weak = world.listener().has("gpu,transcoder=2").unwrap();
    assert_eq!(next(&mut weak), None);
    let mut able = world.listener().has("transcoder=3.5,gpu").unwrap();
    assert_eq!(why().able, Some(1));
    assert_eq!(next(&mut able).as_deref(), Some("heavy"));
    assert_eq!(code(world.listener().has("gpu>=3")), "BADARG");
}

#[test]
fn settings_are_of_the_task_the_queue_or_the_namespace_and_checked_when_they_are_set() {
    let world = World::new();
    let lease = || {
        let all = world.queue.settings().unwrap();
        let found = all.into_iter().find(|setting| setting.name == "lease").unwrap();
        (found.value.unwrap(), found.from)
    };
    assert_eq!(lease(), ("60".to_owned(), Source::Default));
    world.client.configure("lease", Some("120")).unwrap();
    assert_eq!(lease(), ("120".to_owned(), Source::Namespace));
    world.queue.configure("lease", Some("90")).unwrap();
    assert_eq!(lease(), ("90".to_owned(), Source::Queue));
    for (name, value) in [("lease", "0"), ("lease", "-1"), ("lease", "1e3"), ("rate", "0/1"), ("nonsense", "1")] {
        assert_eq!(code(world.queue.configure(name, Some(value))), "BADARG", "{name} {value}");
    }
    assert_eq!(code(world.queue.configure("nonsense", None)), "BADARG");
    world.submit("a", Submit::default());
    world.submit("b", Submit::default().lease(Duration::from_secs(30)));
    let mut listener = world.listener();
    assert_eq!(take(&mut listener).lease(), Duration::from_secs(90));
    assert_eq!(take(&mut listener).lease(), Duration::from_secs(30));
    for name in ["lease", "rate", "concurrency", "backoff"] {
        world.queue.configure(name, None).unwrap();
    }
    world.submit("c", Submit::default());
    assert_eq!(take(&mut listener).lease(), Duration::from_secs(120));
    world.queue.configure("closed", Some("1")).unwrap();
    let refused = world.queue.submit(&(), Submit::default()).unwrap_err();
    assert!(matches!(&refused, Error::State { code: blueque::Code::Closed, .. }), "{refused}");
}

#[test]
fn several_queues_are_asked_in_order_in_turns_or_by_weight() {
    let world = World::new();
    let take = |order: QueueOrder, number: usize| {
        for name in ["a", "b"] {
            let queue = world.client.queue(name).unwrap();
            (0..9).for_each(|_| drop(queue.submit(&(), Submit::default()).unwrap()));
        }
        let id = ListenerId::of_process("host", u32::try_from(number).unwrap());
        let mut listener = world.client.listener_as(id, &["a", "b"]).unwrap().order(order);
        let queues: Vec<_> = (0..number).map(|_| take(&mut listener).reservation().queue.to_string()).collect();
        queues.concat()
    };
    assert_eq!(take(QueueOrder::Strict, 5), "aaaaa");
    assert_eq!(take(QueueOrder::Round, 6), "ababab");
    let taken = take(QueueOrder::Weighted(vec![3, 1]), 8);
    assert_eq!(taken.matches('a').count(), 6, "{taken}");
    let mut listener = world.client.listener(&["a", "b"]).unwrap().order(QueueOrder::Weighted(vec![1]));
    assert_eq!(code(listener.try_listen()), "BADARG", "one weight for each queue");
}
