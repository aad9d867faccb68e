//! The crate on a real server: client, queue, task, listener, processor.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use blueque::calls::{
    AuditOptions, ChangesOptions, CompleteOptions, EditOptions, FailOptions, NewTask, NoteOptions, PeekOptions,
    RegisterOptions, ReleaseOptions, ReserveOptions, TaskOptions,
};
use blueque::{
    Cancelled, Client, Error, ListenerId, Namespace, Order, Outcome, QueueName, QueueOrder, Requeued, Reserved, Status,
    Submit, Submitted, TaskId, bundle,
};
use support::Server;

const NOW: Duration = Duration::ZERO;
const SOON: Duration = Duration::from_secs(20);

fn client(server: &Server) -> Client {
    Client::open(&server.url()).unwrap()
}

fn digest(server: &Server) -> BTreeMap<String, Vec<u8>> {
    let mut connection = server.connection();
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
    keys.into_iter()
        .map(|key| {
            let dump = redis::cmd("DUMP").arg(&key).query(&mut connection).unwrap();
            (key, dump)
        })
        .collect()
}

#[test]
fn a_url_that_names_a_user_without_a_password_is_refused_before_the_default_user_serves() {
    let server = Server::start();
    let rules = ["worker", "on", "nopass", "~*", "&*", "+@all"];
    redis::cmd("ACL").arg("SETUSER").arg(&rules).exec(&mut server.connection()).unwrap();
    let url = format!("{}?user=worker", server.url());
    let refused = Client::open(&url).unwrap_err();
    let Error::Connection(cause) = refused else { panic!("{refused:?}") };
    let text = cause.to_string();
    assert!(text.contains("names a user and no password") && text.contains("worker: add its password"), "{text}");
    Client::open(&format!("{url}&pass=any")).unwrap();
    Client::open(&format!("{}?user=default", server.url())).unwrap();
}

#[test]
fn a_task_goes_through_its_whole_life() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("transcode").unwrap();
    let task = queue.submit(&("movie.mkv", 17), Submit::default()).unwrap();
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));

    let mut listener = client.listener(&["transcode"]).unwrap();
    let work = listener.listen(SOON).unwrap().expect("the task that was submitted");
    assert_eq!(work.id(), task.id());
    assert_eq!(work.reservation().attempt, 1);
    assert_eq!(work.parameters::<(String, u32)>().unwrap(), ("movie.mkv".into(), 17));
    work.start(std::process::id()).unwrap();
    assert_eq!(work.heartbeat().unwrap(), Order::Continue);
    work.progress("half").unwrap();
    work.checkpoint(&[1, 2, 3]).unwrap();
    let info = task.info().unwrap();
    assert_eq!(info.status(), Some(Status::Started));
    assert_eq!(info.progress_bytes(), Some(&b"\"half\""[..]));
    assert_eq!(info.checkpoint_bytes(), Some(&b"[1,2,3]"[..]));

    assert_eq!(work.complete("movie.mp4").unwrap(), Outcome::Complete);
    assert_eq!(work.complete("other").unwrap(), Outcome::Complete, "the first answer again");
    assert_eq!(task.result::<String>(NOW).unwrap(), "movie.mp4");
    assert!(matches!(work.fail("late"), Err(Error::Lost)));
    assert_eq!(queue.counts().unwrap().complete, 1);

    task.delete().unwrap();
    assert!(matches!(task.info(), Err(Error::NotFound)));
    listener.unregister().unwrap();
    assert_eq!(client.queues().unwrap()[0].listeners, 0);
}

#[test]
fn an_id_submitted_twice_makes_one_task() {
    let server = Server::start();
    let queue = client(&server).queue("q").unwrap();
    let id = TaskId::new("movie-17").unwrap();
    let task = NewTask::new(&id, b"x");
    assert_eq!(queue.submit_many(&[task], &TaskOptions::default()).unwrap(), [Submitted::Created]);
    assert_eq!(queue.submit_many(&[task], &TaskOptions::default()).unwrap(), [Submitted::Existing]);
    assert_eq!(queue.counts().unwrap().pending, 1);
}

#[test]
fn a_waiting_listener_is_woken_by_a_submit() {
    let server = Server::start();
    let client = client(&server);
    let mut listener = client.listener(&["first", "second"]).unwrap();
    let waits = thread::spawn(move || {
        let begun = Instant::now();
        (listener.listen(Duration::from_secs(29)).unwrap(), begun.elapsed())
    });
    support::eventually("the listener waits", || {
        let blocked: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
        blocked.contains("blocked_clients:1").then_some(())
    });
    client.queue("second").unwrap().submit("x", Submit::default()).unwrap();
    let (work, waited) = waits.join().unwrap();
    assert_eq!(work.unwrap().reservation().queue.as_str(), "second");
    assert!(waited < Duration::from_secs(10), "woken, not found by a later look: {waited:?}");
}

#[test]
fn a_waiting_listener_can_be_interrupted_from_another_thread_and_takes_nothing_more() {
    let server = Server::start();
    let client = client(&server);
    let mut listener = client.listener(&["q"]).unwrap();
    let interrupter = listener.interrupter();
    let waits = thread::spawn(move || {
        let begun = Instant::now();
        assert!(listener.listen(Duration::from_secs(29)).unwrap().is_none());
        (listener, begun.elapsed())
    });
    support::eventually("the listener waits", || {
        let blocked: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
        blocked.contains("blocked_clients:1").then_some(())
    });
    interrupter.interrupt();
    let (mut listener, waited) = waits.join().unwrap();
    assert!(waited < Duration::from_secs(10), "interrupted, not at its limit: {waited:?}");
    client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    assert!(listener.listen(SOON).unwrap().is_none());
    assert!(listener.try_listen().unwrap().is_some(), "asked without waiting it still takes");
}

#[test]
fn every_waiting_listener_gets_one_of_many_tasks() {
    let server = Server::start();
    let client = client(&server);
    let waits: Vec<_> = (0..8)
        .map(|number| {
            let id = ListenerId::new(format!("host_{number}")).unwrap();
            let mut listener = client.listener_as(id, &["q"]).unwrap();
            thread::spawn(move || listener.listen(Duration::from_secs(25)).unwrap())
        })
        .collect();
    support::eventually("all listeners wait", || {
        let blocked: String = redis::cmd("INFO").arg("clients").query(&mut server.connection()).unwrap();
        blocked.contains("blocked_clients:8").then_some(())
    });
    let ids: Vec<TaskId> = (0..8).map(|_| TaskId::random()).collect();
    let tasks: Vec<NewTask<'_>> = ids.iter().map(|id| NewTask::new(id, b"")).collect();
    let begun = Instant::now();
    client.queue("q").unwrap().submit_many(&tasks, &TaskOptions::default()).unwrap();
    for wait in waits {
        assert!(wait.join().unwrap().is_some());
    }
    assert!(begun.elapsed() < Duration::from_secs(5), "one wake-up leads to the next");
}

#[test]
fn a_submit_of_any_size_is_split_into_calls_that_the_server_takes() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let options = TaskOptions::default().max_bytes(8 << 20);
    let large = vec![b'x'; 3 << 20];
    let ids: Vec<TaskId> = (0..1_203).map(|_| TaskId::random()).collect();
    let tasks: Vec<NewTask<'_>> =
        ids.iter().enumerate().map(|(number, id)| NewTask::new(id, if number < 4 { &large } else { b"[]" })).collect();
    assert_eq!(queue.submit_many(&tasks, &options).unwrap(), vec![Submitted::Created; 1_203]);
    assert_eq!(queue.counts().unwrap().pending, 1_203);
    assert_eq!(queue.submit_many(&tasks, &options).unwrap(), vec![Submitted::Existing; 1_203]);
    let twice: Vec<NewTask<'_>> = tasks.iter().chain(&tasks[..1]).copied().collect();
    let error = queue.submit_many(&twice, &options).unwrap_err();
    assert!(error.to_string().contains("occurs twice"), "{error}");
    let call = client.calls().submit(queue.name(), &tasks[..3], &options);
    assert!(matches!(client.call(&call), Err(blueque::Error::Invalid { code: blueque::Code::TooBig, .. })));
}

#[test]
fn every_reserved_task_is_listed_whatever_the_page_however_many_there_are() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    // 17 listeners with 500 tasks each, one with 1,300 tasks without leases, one with nothing.
    let fill = "
        local function take(listener, from, to, token)
            redis.call('SADD', 'blueque_listeners_q', listener)
            for i = from, to do
                redis.call('HSET', 'blueque_task_t' .. i, 'status', 'reserved', 'queue', 'q', 'token', token)
                redis.call('LPUSH', 'blueque_reserved_tasks_q_' .. listener, 't' .. i)
                if token ~= '' then redis.call('ZADD', 'blueque_leases_q', 9e15, 't' .. i .. ' ' .. token) end
            end
        end
        for n = 1, 17 do take('h_' .. n, 500 * n, 500 * n + 499, '1000000000') end
        take('old_1', 10000, 11299, '')
        take('idle_1', 1, 0, '')";
    redis::cmd("EVAL").arg(fill).arg(0).exec(&mut server.connection()).unwrap();
    for limit in [37, 500] {
        let (mut ids, mut cursor) = (Vec::new(), Some("0".to_owned()));
        while let Some(at) = cursor {
            let page = client.call(&client.calls().list(queue.name(), "reserved", &at, limit)).unwrap();
            assert!(page.items.len() <= 2 * limit as usize, "{} for a limit of {limit}", page.items.len());
            ids.extend(page.items);
            cursor = page.next;
        }
        ids.sort();
        assert_eq!(ids.len(), 17 * 500 + 1_300);
        ids.dedup();
        assert_eq!(ids.len(), 17 * 500 + 1_300, "each once");
    }
}

#[test]
fn a_scheduled_task_waits_for_its_time() {
    let server = Server::start();
    let client = Client::builder().for_tests().open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let eta = SystemTime::now() + Duration::from_secs(3600);
    let task = queue.submit("x", Submit::default().eta(eta)).unwrap();
    assert_eq!(task.info().unwrap().status(), Some(Status::Scheduled));
    let promoted = queue.promote().unwrap();
    assert_eq!((promoted.promoted, promoted.more), (0, false));
    assert!(promoted.next.is_some());
    let call = client.calls().promote(queue.name(), 10).at(eta + Duration::from_secs(1));
    assert_eq!(client.call(&call).unwrap().promoted, 1);
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
}

#[test]
fn one_call_after_another_does_all_maintenance_and_an_error_of_one_part_is_told() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let queues = [queue.name().clone()];
    let task = queue.submit("x", Submit::default().eta(SystemTime::now() + Duration::from_secs(1))).unwrap();
    let mut parts = BTreeMap::new();
    while !parts.contains_key("promote") {
        let step = client.maintenance(&queues).unwrap();
        if step.number > 0 {
            *parts.entry(step.part).or_insert(0) += step.number;
        }
        assert_eq!(step.trouble, None);
    }
    assert_eq!(parts["promote"], 1);
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
    while client.maintenance(&queues).unwrap().more {}
    redis::cmd("SET").arg("blueque_scheduled_tasks_r").arg("x").exec(&mut server.connection()).unwrap();
    let step = client.maintenance(&[QueueName::new("r").unwrap()]).unwrap();
    assert_eq!(step.part, "promote");
    assert!(step.trouble.unwrap().starts_with("WRONGKEY "));
}

#[test]
fn a_reserve_that_finds_nothing_says_when_maintenance_is_due() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let (queues, listener) = ([queue.name().clone()], ListenerId::new("bare_1").unwrap());
    client.call(&client.calls().register(queue.name(), &listener, &RegisterOptions::new())).unwrap();
    let reserve = || client.call(&client.calls().reserve_or_due(&listener, &queues, &ReserveOptions::new())).unwrap();
    let Reserved::Nothing { due } = reserve() else { panic!("a task of nobody") };
    assert!(due <= SystemTime::now() + Duration::from_secs(1), "nobody has done any yet");
    while client.maintenance(&queues).unwrap().more {}
    let eta = SystemTime::now() + Duration::from_secs(1);
    let task = queue.submit("x", Submit::default().eta(eta)).unwrap();
    // Three calls act as a worker: their reports make the task pending, and take it.
    let taken = loop {
        match reserve() {
            Reserved::Tasks(taken) => break taken,
            Reserved::Nothing { due } => {
                assert!(due < eta + Duration::from_secs(3), "later than the task");
                if due <= SystemTime::now() {
                    client.maintenance(&queues).unwrap();
                }
            }
        }
    };
    assert_eq!((taken.len(), &taken[0].id), (1, task.id()));
    let first = &taken[0];
    client.call(&client.calls().complete(&first.id, first.token, b"1", &CompleteOptions::new())).unwrap();
    assert!(matches!(reserve(), Reserved::Nothing { .. }));
}

#[test]
fn the_audit_has_who_changed_what() {
    let server = Server::start();
    let client = Client::builder().by("me@here").open(&server.url()).unwrap();
    client.configure("keep", Some("7")).unwrap();
    client.configure("keep", Some("7")).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    task.cancel("no").unwrap();
    let all = client.audit("0", &AuditOptions::new()).unwrap();
    let told = |change: &blueque::Change| (change.by.clone(), change.what.clone(), change.on.clone());
    let me = Some("me@here".to_owned());
    assert_eq!(
        all.items.iter().map(told).collect::<Vec<_>>(),
        [
            (me.clone(), "configure".into(), Some("*".into())),
            (me, "cancel".into(), Some(task.id().as_str().to_owned()))
        ]
    );
    let settings = client.audit("0", &AuditOptions::new().what("configure")).unwrap();
    assert_eq!((settings.items.len(), settings.last), (1, all.last));
}

#[test]
fn what_a_client_changes_in_a_task_has_its_name() {
    let server = Server::start();
    let client = Client::builder().by("me@here").open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    task.note("seen", &NoteOptions::new()).unwrap();
    task.edit(&EditOptions::new().priority(3)).unwrap();
    task.edit(&EditOptions::new().priority(4).by("you@there")).unwrap();
    let by: Vec<_> = task.history().unwrap().into_iter().skip(1).filter_map(|entry| entry.by).collect();
    assert_eq!(by, ["me@here", "me@here", "you@there"]);
}

#[test]
fn a_peek_tells_what_reserve_then_gives_out_whatever_stands_in_the_way() {
    let server = Server::start();
    let client = Client::builder().for_tests().open(&server.url()).unwrap();
    let at = |n: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000 + n);
    let mut seed = 7_u64;
    let mut pick = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let (mut given, mut passed) = (0, 0);
    for round in 0..40 {
        let (name, calls) = (QueueName::new(format!("q{round}")).unwrap(), client.calls());
        let listener = ListenerId::new("host_1").unwrap();
        let mut now = round * 1000;
        let offer = RegisterOptions::new().has("gpu,memory=64");
        client.call(&calls.register(&name, &listener, &offer).at(at(now))).unwrap();
        for (setting, value, chance) in [
            ("concurrency", (2 + pick(10)).to_string(), 3),
            ("key_concurrency", (1 + pick(3)).to_string(), 3),
            ("rate", format!("{}/37", 1 + pick(9)), 4),
            ("key_rate", format!("{}/41", 1 + pick(3)), 4),
            ("ageing", (1 + pick(9)).to_string(), 4),
        ] {
            if pick(chance) == 0 {
                client.call(&calls.configure(Some(&name), setting, Some(&value)).at(at(now))).unwrap();
            }
        }
        let reserve = |now| calls.reserve(&listener, std::slice::from_ref(&name), &ReserveOptions::new()).at(at(now));
        for n in 0..30 {
            now += pick(3);
            let id = TaskId::new(format!("{round}-{n}")).unwrap();
            let mut options = TaskOptions::default();
            for (chance, option) in [(2, "priority"), (2, "key"), (4, "needs"), (5, "weight")] {
                options = match (pick(chance), option) {
                    (0, "priority") => options.priority(i32::try_from(pick(4)).unwrap() - 1),
                    (0, "key") => options.key(["a", "b", "c"][usize::try_from(pick(3)).unwrap()]),
                    (0, "needs") => options.needs(["gpu", "tape", "memory>=32"][usize::try_from(pick(3)).unwrap()]),
                    (0, "weight") => options.weight(2),
                    _ => options,
                };
            }
            let task = NewTask::new(&id, b"{}");
            client.call(&calls.submit(&name, &[task], &options).at(at(now))).unwrap();
            if pick(6) == 0 {
                client.call(&reserve(now)).unwrap();
            }
        }
        now += pick(20);
        let look = calls.peek(&name, 50, &PeekOptions::new().listener(listener.to_string())).at(at(now));
        let (next, over): (Vec<_>, Vec<_>) =
            client.call(&look).unwrap().into_iter().partition(|task| task.why.is_none());
        let mut got = Vec::new();
        while let Some(task) = client.call(&reserve(now)).unwrap().pop() {
            got.push(task.id);
        }
        let next: Vec<TaskId> = next.into_iter().map(|task| task.id).collect();
        assert_eq!(next, got, "round {round}");
        (given, passed) = (given + got.len(), passed + over.len());
    }
    assert!(given > 100 && passed > 100, "{given} {passed}");
}

#[test]
fn tracked_tasks_are_followed_over_all_queues() {
    let server = Server::start();
    let client = Client::builder().by("me@here").open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    let (task, other) = (queue.submit("x", Submit::default()).unwrap(), queue.submit("y", Submit::default()).unwrap());
    assert!(client.tracked().unwrap().is_empty());
    task.track().unwrap();
    task.track().unwrap();
    task.move_to(&QueueName::new("r").unwrap()).unwrap();
    other.cancel("no").unwrap();
    let tracked = client.tracked().unwrap();
    assert_eq!(tracked.len(), 1);
    assert_eq!((tracked[0].id.as_str(), tracked[0].queue.as_str()), (task.id().as_str(), "r"));
    assert_eq!(tracked[0].status, Status::Pending);
    let all = client.changes("0", &ChangesOptions::new()).unwrap();
    let told = |change: &blueque::TaskChange| (change.what.clone(), change.to.clone(), change.queue.clone());
    assert_eq!(
        all.items.iter().map(told).collect::<Vec<_>>(),
        [("track", "pending", "q"), ("state", "moved", "q"), ("state", "pending", "r")].map(|(what, to, queue)| (
            what.to_owned(),
            to.to_owned(),
            queue.to_owned()
        ))
    );
    assert_eq!(all.items[0].by.as_deref(), Some("me@here"));
    assert!(client.changes(&all.last, &ChangesOptions::new()).unwrap().items.is_empty());

    // A subscriber is notified of a change at once; the stream of changes also has it.
    let mut connection = server.connection();
    let mut channel = connection.as_pubsub();
    channel.subscribe("blueque_changes").unwrap();
    task.cancel("no need").unwrap();
    channel.get_message().unwrap();
    let mut changes = client.follow_tracked(&all.last);
    let change = changes.next().unwrap().unwrap();
    assert_eq!((change.to.as_str(), change.text.as_deref()), ("cancelled", Some(&b"no need"[..])));
    task.untrack().unwrap();
    assert_eq!(changes.next().unwrap().unwrap().what, "untrack");
    task.delete().unwrap();
    assert_eq!(client.changes(&change.cursor, &ChangesOptions::new()).unwrap().items.len(), 1);
}

#[test]
fn a_reservation_whose_reply_was_lost_is_found_again() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    queue.submit("x", Submit::default()).unwrap();
    queue.submit("y", Submit::default()).unwrap();
    let listener = client.listener_as(ListenerId::new("host_1").unwrap(), &["q"]).unwrap();
    let call =
        client.calls().reserve(listener.id(), &[queue.name().clone()], &ReserveOptions::new().request("request-1"));
    let first = client.call(&call).unwrap().remove(0);
    let again = client.call(&call).unwrap().remove(0);
    assert_eq!(first, again);
    let held = listener.held(queue.name()).unwrap();
    assert_eq!(held.len(), 1);
    assert_eq!(held[0].token, Some(first.token));
    assert_eq!(held[0].deadline, Some(first.deadline));
}

#[test]
fn a_cancelled_task_stops_its_owner() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let task = queue.submit("x", Submit::default()).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let work = listener.listen(SOON).unwrap().unwrap();
    task.cancel("no longer needed").unwrap();
    assert!(matches!(work.start(1), Err(Error::Cancelled)));
    assert_eq!(work.heartbeat().unwrap(), Order::Cancel);
    assert_eq!(work.release().unwrap(), Outcome::Cancelled);
    let info = task.info().unwrap();
    assert_eq!(info.status(), Some(Status::Cancelled));
    assert_eq!(info.reason().as_deref(), Some("no longer needed"));
    let ended = task.result::<String>(NOW).unwrap_err();
    assert_eq!(ended.to_string(), "the task was cancelled: no longer needed");
    assert_eq!(ended.code(), Some(blueque::Code::TaskCancelled), "it is not the order that an owner gets");
    task.retry().unwrap();
    assert_eq!(listener.listen(SOON).unwrap().unwrap().reservation().attempt, 2);
}

#[test]
fn a_task_cancelled_by_force_stays_its_owners_until_that_has_stopped() {
    let server = Server::start();
    let client = client(&server);
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let work = listener.listen(SOON).unwrap().unwrap();
    work.start(1).unwrap();
    assert_eq!(task.cancel_by_force("now").unwrap(), Cancelled::Requested);
    let deadline = || listener.held(&work.reservation().queue).unwrap()[0].deadline;
    let before = deadline();
    assert_eq!(work.heartbeat().unwrap(), Order::Kill);
    assert_eq!(deadline(), before, "its lease runs out");
    assert!(matches!(work.checkpoint(&1), Err(Error::Lost)));
    assert!(matches!(work.complete("x"), Err(Error::Lost)));
    assert!(matches!(work.fail("x"), Err(Error::Lost)));
    let stopping = task.retry().unwrap_err();
    assert!(matches!(&stopping, Error::State { code: blueque::Code::Stopping, .. }), "{stopping}");
    let why = client.call(&client.calls().why(task.id())).unwrap();
    assert_eq!((why.order, why.cancel.is_some()), (Some(Order::Kill), true));
    assert_eq!(work.release().unwrap(), Outcome::Cancelled);
    task.retry().unwrap();
    let work = listener.listen(SOON).unwrap().unwrap();
    assert_eq!(task.cancel_now("at once").unwrap(), Cancelled::Done);
    assert_eq!(work.heartbeat().unwrap(), Order::Lost);
}

#[test]
fn a_requeued_task_is_given_back_by_its_owner_or_taken_at_once() {
    let server = Server::start();
    let client = client(&server);
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    assert_eq!(task.requeue().unwrap_err().code(), Some(blueque::Code::State), "nobody holds it");
    let mut listener = client.listener(&["q"]).unwrap();
    let work = listener.listen(SOON).unwrap().unwrap();
    assert_eq!(task.requeue().unwrap(), Requeued::Requested);
    assert!(task.info().unwrap().is_requeued());
    assert_eq!(work.heartbeat().unwrap(), Order::Stop);
    assert_eq!(work.release().unwrap(), Outcome::Released);
    assert_eq!(task.requeue().unwrap(), Requeued::Done, "the same call, sent again");
    let work = listener.listen(SOON).unwrap().unwrap();
    assert_eq!(work.heartbeat().unwrap(), Order::Continue, "the order is carried out");
    assert_eq!(task.requeue_now().unwrap(), Requeued::Done);
    assert_eq!(work.heartbeat().unwrap(), Order::Lost);
}

#[test]
fn a_task_is_given_back_for_a_while_and_uncounted() {
    let server = Server::start();
    let client = client(&server);
    let task = client.queue("q").unwrap().submit("x", Submit::default().max_releases(0)).unwrap();
    let work = client.listener(&["q"]).unwrap().listen(SOON).unwrap().unwrap();
    let options = ReleaseOptions::new().reason("no-space").again(Duration::from_secs(60)).uncounted(true);
    assert_eq!(work.release_with(&options).unwrap(), Outcome::Released);
    assert_eq!(task.info().unwrap().status(), Some(Status::Scheduled));
    let why = client.call(&client.calls().why(task.id())).unwrap();
    assert_eq!((why.releases, why.uncounted), (0, 1));
    assert!((55.0..=60.0).contains(&why.eta.unwrap().duration_since(why.now).unwrap().as_secs_f64()), "{why:?}");
    assert_eq!(task.history().unwrap().last().unwrap().why.as_deref(), Some("no-space"));
}

#[test]
fn what_attempts_cost_is_read_back_from_the_record_and_the_history() {
    let server = Server::start();
    let client = client(&server);
    let task = client.queue("q").unwrap().submit("x", Submit::default().max_failures(1)).unwrap();
    assert_eq!(task.info().unwrap().cost(), None);
    let mut listener = client.listener(&["q"]).unwrap();
    let mut next = || listener.listen(SOON).unwrap().unwrap();
    next().release_with(&ReleaseOptions::new().cost(b"\x001")).unwrap();
    assert_eq!(task.info().unwrap().cost(), Some(&b"\x001"[..]));
    next().fail_with("broken", &FailOptions::new().cost(b"2").again(Duration::ZERO)).unwrap();
    let work = next();
    assert_eq!(task.info().unwrap().cost(), Some(&b"2"[..]), "while the next one runs");
    work.release().unwrap();
    assert_eq!(task.info().unwrap().cost(), None, "that attempt said none");
    let work = next();
    let most = [b'x'; 1025];
    let too_large = work.complete_with(b"1", &CompleteOptions::new().cost(most));
    assert_eq!(too_large.unwrap_err().code(), Some(blueque::Code::TooBig));
    work.complete_with(b"1", &CompleteOptions::new().cost(b"4")).unwrap();
    assert_eq!(task.info().unwrap().cost(), Some(&b"4"[..]));
    let ends = task.history().unwrap().into_iter().filter(|step| step.outcome.is_some());
    let costs: Vec<_> = ends.map(|step| step.cost).collect();
    assert_eq!(costs, [Some(b"\x001".to_vec()), Some(b"2".to_vec()), None, Some(b"4".to_vec())]);
}

#[test]
fn a_namespace_is_for_tests_from_its_beginning_or_never() {
    let server = Server::start();
    let (plain, tests) = (Namespace::new("plain").unwrap(), Namespace::new("tests").unwrap());
    let open = |namespace: &Namespace, for_tests: bool| {
        let builder = Client::builder().namespace(namespace.clone());
        let builder = if for_tests { builder.for_tests() } else { builder };
        builder.open(&server.url())
    };
    let client = open(&plain, false).unwrap();
    assert!(!client.handshake().unwrap().born);
    client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let tick = |client: &Client| {
        client.call(&client.calls().tick(1).at(SystemTime::UNIX_EPOCH + Duration::from_secs(1000))).map(|_| ())
    };
    assert_eq!(
        tick(&client).unwrap_err().code(),
        Some(blueque::Code::BadArgument),
        "no call of ours says what time it is"
    );
    assert_eq!(
        tick(&open(&plain, true).unwrap()).unwrap_err().code(),
        Some(blueque::Code::BadArgument),
        "and it is too late now"
    );

    let client = open(&tests, true).unwrap();
    assert!(client.handshake().unwrap().test);
    tick(&client).unwrap();
    let error = open(&tests, false).unwrap_err();
    assert!(matches!(&error, Error::Unsuitable { code: blueque::Code::Test, .. }), "{error}");
    assert!(error.to_string().contains("for tests"), "{error}");
    tick(&open(&tests, true).unwrap()).unwrap();
}

#[test]
fn a_clock_that_ran_ahead_is_brought_back_while_nothing_is_held() {
    let server = Server::start();
    let client = Client::builder().for_tests().open(&server.url()).unwrap();
    let queue = client.queue("q").unwrap();
    queue.submit("x", Submit::default()).unwrap();
    assert!(!client.reset_clock().unwrap(), "it is right");
    let listener = client.listener_as(ListenerId::new("host_1").unwrap(), &["q"]).unwrap();
    let reserve = client.calls().reserve(listener.id(), &[queue.name().clone()], &ReserveOptions::new());
    let far = client.handshake().unwrap().now + Duration::from_secs(86_400);
    let work = client.call(&reserve.at(far)).unwrap().remove(0);
    let error = client.reset_clock().unwrap_err();
    assert!(matches!(&error, Error::State { code: blueque::Code::Held, .. }), "{error}");
    client.call(&client.calls().complete(&work.id, work.token, b"1", &CompleteOptions::new())).unwrap();
    assert!(client.reset_clock().unwrap());
    let time = client.call(&client.calls().handshake()).unwrap().now;
    assert!(time < far - Duration::from_secs(80_000), "{time:?}");
    queue.submit("y", Submit::default()).unwrap();
    let next = client.listener(&["q"]).unwrap().listen(SOON).unwrap().unwrap();
    assert!(next.reservation().token.value() > work.token.value(), "tokens only grow");
}

#[test]
fn what_a_user_lacks_is_told_and_refused_by_its_name() {
    let server = Server::start();
    client(&server).queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let mut connection = server.connection();
    let rules = ["app", "on", ">pw", "~blueque_*", "+@all", "-xadd", "-xtrim"];
    redis::cmd("ACL").arg("SETUSER").arg(&rules).exec(&mut connection).unwrap();
    let client = Client::open(&format!("{}?user=app&pass=pw", server.url())).unwrap();
    let missing = &client.handshake().unwrap().missing;
    let of = |name: &str| missing.iter().find(|(of, _)| of == name).map(|(_, lacks)| lacks.join(","));
    assert_eq!(of("submit").as_deref(), Some("XADD"));
    assert_eq!(of("messages").as_deref(), Some("PUBLISH"));
    assert_eq!(of("get"), None);
    let before = digest(&server);
    let error = client.queue("q").unwrap().submit("y", Submit::default()).unwrap_err();
    assert!(matches!(&error, Error::Server { code: Some(blueque::Code::NoPermission), .. }), "{error}");
    assert!(error.to_string().contains("may not run XADD on blueque_*"), "{error}");
    assert_eq!(client.listener(&["q"]).unwrap_err().code(), Some(blueque::Code::NoPermission));
    assert_eq!(digest(&server), before);
}

#[test]
fn wrong_input_is_refused_with_a_code_and_changes_nothing() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    queue.submit("x", Submit::default()).unwrap();
    let before = digest(&server);
    let code = |result: Result<(), Error>| result.unwrap_err().word().to_owned();
    for name in ["", "a b", "a{b}", "a*", "ä", "a\n", &"x".repeat(129)] {
        assert_eq!(code(client.queue(name).map(|_| ())), "BADNAME", "{name:?}");
        assert_eq!(code(client.task(name).map(|_| ())), "BADNAME", "{name:?}");
    }
    for name in ["", "host", "host_", "host_x", "ho_st_1", "_1"] {
        assert_eq!(code(ListenerId::new(name).map(|_| ())), "BADNAME", "{name:?}");
    }
    for name in ["", "a_b", "{a", "a}", "{}", "{a}{b}"] {
        assert_eq!(code(Namespace::new(name).map(|_| ())), "BADNAME", "{name:?}");
    }
    let large = vec![0; 1_048_577];
    assert_eq!(code(queue.submit_bytes(&large, Submit::default()).map(|_| ())), "TOOBIG");
    assert_eq!(code(queue.list("running", 10).map(|_| ())), "BADARG");
    assert_eq!(code(queue.list("all", 501).map(|_| ())), "BADARG");
    let calls = client.calls();
    for seconds in [100_000_000_001, 9_000_000_000_000] {
        let eta = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let id = TaskId::random();
        let task = NewTask::new(&id, b"").eta(Some(eta));
        assert_eq!(
            code(client.call(&calls.submit(queue.name(), &[task], &TaskOptions::default())).map(|_| ())),
            "BADARG"
        );
    }
    assert_eq!(code(client.task("absent").unwrap().cancel("x").map(|_| ())), "NOTASK");
    assert_eq!(digest(&server), before);
}

#[test]
fn payloads_are_any_bytes_up_to_the_limit_that_was_set() {
    let server = Server::start();
    let client = Client::builder().max_bytes(8 << 20).open(&server.url()).unwrap();
    let bytes: Vec<u8> = (0..=255).cycle().take(8 << 20).collect();
    let task = client.queue("q").unwrap().submit_bytes(&bytes, Submit::default()).unwrap();
    let work = client.listener(&["q"]).unwrap().listen(SOON).unwrap().unwrap();
    assert_eq!(work.reservation().parameters, bytes);
    work.complete_bytes(&bytes).unwrap();
    assert_eq!(task.info().unwrap().result_bytes(), Some(bytes.as_slice()));
}

#[test]
fn a_server_that_may_evict_tasks_is_refused() {
    let server = Server::start_with(&["--save", "", "--maxmemory-policy", "allkeys-lru"]);
    let error = Client::open(&server.url()).unwrap_err();
    assert_eq!(error.code(), Some(blueque::Code::Eviction));
    assert!(error.to_string().contains("noeviction"), "{error}");
}

#[test]
fn data_of_another_schema_is_refused() {
    let server = Server::start();
    redis::cmd("HSET").arg("blueque_meta").arg("schema").arg("2").exec(&mut server.connection()).unwrap();
    assert_eq!(Client::open(&server.url()).unwrap_err().code(), Some(blueque::Code::Schema));
}

#[test]
fn nobody_at_the_address_is_an_error_within_the_limit() {
    let limit = Duration::from_millis(300);
    let begun = Instant::now();
    let error = Client::builder().limit(limit).open("unix:///nowhere/at/all").unwrap_err();
    assert_eq!(error.code(), Some(blueque::Code::Unavailable));
    assert!(error.is_transient());
    assert!(begun.elapsed() < limit * 4);
    assert_eq!(Client::open("gopher://x").unwrap_err().code(), Some(blueque::Code::Connection));
}

#[test]
fn calls_go_on_no_longer_than_until_the_moment_that_was_set_whatever_the_limit_is() {
    let mut server = Server::start();
    let client = Client::builder().limit(Duration::from_secs(60)).open(&server.url()).unwrap();
    let begun = Instant::now();
    let bound = client.until(begun + Duration::from_secs(1));
    assert_eq!(bound.queues().unwrap(), []);
    server.kill();
    for _ in 0..2 {
        let error = bound.task("t").unwrap().info().unwrap_err();
        assert_eq!(error.code(), Some(blueque::Code::Unavailable));
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    server.restart();
    assert_eq!(client.queues().unwrap(), [], "the other has its limit");
}

#[test]
fn a_password_is_never_shown() {
    let server = Server::start_with(&["--save", "", "--requirepass", "s3cret-pass"]);
    let refused = Client::open(&server.url()).unwrap_err();
    let wrong = Client::open(&format!("{}?pass=s3cret-wrong", server.url())).unwrap_err();
    let client = Client::open(&format!("{}?pass=s3cret-pass", server.url())).unwrap();
    let shown = format!("{refused} {refused:?} {wrong} {wrong:?} {client:?} {:?}", client.queue("q"));
    assert!(!shown.contains("s3cret"), "{shown}");
    assert_eq!((refused.word(), wrong.word()), ("CONNECTION", "CONNECTION"));
}

#[test]
fn a_server_that_restarts_is_survived() {
    let mut server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let task = queue.submit("x", Submit::default()).unwrap();
    let work = client.listener(&["q"]).unwrap().listen(SOON).unwrap().unwrap();
    server.kill();
    let completes = thread::spawn(move || work.complete("done").unwrap());
    server.restart();
    assert_eq!(completes.join().unwrap(), Outcome::Complete);
    assert_eq!(task.result::<String>(SOON).unwrap(), "done");
    assert_eq!(queue.counts().unwrap().complete, 1);
}

#[test]
fn a_demoted_master_is_left_and_found_again() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let mut connection = server.connection();
    redis::cmd("REPLICAOF").arg("127.0.0.1").arg(1).exec(&mut connection).unwrap();
    let submits = thread::spawn(move || queue.submit("x", Submit::default()).unwrap());
    support::eventually("a write was refused", || {
        let stats: String = redis::cmd("INFO").arg("errorstats").query(&mut server.connection()).unwrap();
        stats.contains("errorstat_READONLY").then_some(())
    });
    redis::cmd("REPLICAOF").arg("NO").arg("ONE").exec(&mut connection).unwrap();
    assert_eq!(submits.join().unwrap().info().unwrap().status(), Some(Status::Pending));
}

#[test]
fn the_digest_of_every_script_is_what_the_server_computes() {
    let server = Server::start();
    let mut connection = server.connection();
    let mut count = 0;
    for command in bundle::commands() {
        let sha1: String = redis::cmd("SCRIPT").arg("LOAD").arg(command.source()).query(&mut connection).unwrap();
        assert_eq!(command.sha1(), sha1, "{}", command.name());
        assert!(!command.summary().is_empty() && !command.reply().is_empty(), "{}", command.name());
        count += 1;
    }
    assert!(count >= 29, "the bundle has {count} commands");
}

#[test]
fn the_public_types_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<Client>();
    shared::<blueque::Queue>();
    shared::<blueque::Task>();
    shared::<blueque::Listener>();
    shared::<blueque::Processor>();
    shared::<blueque::Worker>();
    shared::<blueque::Context>();
    shared::<Error>();
    shared::<blueque::calls::Call<()>>();
}

#[test]
fn a_listener_leaves_queues_alone_until_it_is_told_otherwise() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    for queue in ["a", "b"] {
        client.queue(queue).unwrap().submit(&1, Submit::default()).unwrap();
    }
    let names = ["a", "b"].map(|name| QueueName::new(name).unwrap());
    let mut listener = client.listener(&["a", "b"]).unwrap().order(QueueOrder::Weighted(vec![3, 1]));
    listener.skip(names.to_vec());
    assert!(listener.listen(Duration::from_millis(50)).unwrap().is_none());
    listener.skip(vec![names[0].clone()]);
    assert_eq!(listener.try_listen().unwrap().unwrap().reservation().queue, names[1]);
    assert!(listener.try_listen().unwrap().is_none());
    assert_eq!(client.queue("a").unwrap().listeners().unwrap().len(), 1, "it stays registered");
    listener.skip(Vec::new());
    assert_eq!(listener.try_listen().unwrap().unwrap().reservation().queue, names[0]);
}

#[test]
fn a_record_has_a_typed_accessor_for_each_field_and_the_rest_as_it_is() {
    let server = Server::start();
    let client = client(&server);
    let queue = client.queue("q").unwrap();
    let eta = SystemTime::UNIX_EPOCH + Duration::from_micros(3_000_000_000_250_001);
    let later = queue.submit(&(), Submit::default().eta(eta)).unwrap().info().unwrap();
    assert_eq!(
        (later.status(), later.eta(), later.priority(), later.weight()),
        (Some(Status::Scheduled), Some(eta), 0, 1)
    );
    let how = Submit::default().priority(7).weight(2).key("acme").tag("a").tag("b").lease(Duration::from_secs(90));
    let task = queue.submit(&("film", 3), how.unique("u").unique_until(blueque::Until::Start)).unwrap();
    let info = task.info().unwrap();
    assert_eq!((info.status(), info.queue().as_deref(), info.eta()), (Some(Status::Pending), Some("q"), None));
    assert_eq!((info.priority(), info.weight(), info.key().as_deref()), (7, 2, Some("acme")));
    assert_eq!((info.tags(), info.own_lease()), (vec!["a".to_owned(), "b".to_owned()], Some(Duration::from_secs(90))));
    assert_eq!((info.unique().as_deref(), info.unique_until()), (Some("u"), Some(blueque::Until::Start)));
    assert_eq!(info.parameters::<(String, u8)>().unwrap(), Some(("film".to_owned(), 3)));
    assert_eq!((info.attempt(), info.failures(), info.pid(), info.token()), (0, 0, None, None));
    assert_eq!((info.result::<u8>().unwrap(), info.checkpoint::<u8>().unwrap()), (None, None));

    let work = client.listener(&["q"]).unwrap().listen(SOON).unwrap().unwrap();
    work.start(77).unwrap();
    work.progress(&0.5).unwrap();
    work.checkpoint(&[1, 2]).unwrap();
    let info = task.info().unwrap();
    assert_eq!((info.attempt(), info.pid(), info.token()), (1, Some(77), Some(work.reservation().token)));
    assert_eq!((info.lease(), info.ended()), (Some(Duration::from_secs(90)), None));
    assert!(
        info.created() <= info.reserved() && info.reserved() <= info.started() && info.started() <= info.checkpointed()
    );
    assert_eq!((info.progress::<f64>().unwrap(), info.checkpoint::<Vec<u8>>().unwrap()), (Some(0.5), Some(vec![1, 2])));
    assert_eq!(info.checkpoint::<String>().unwrap_err().code(), Some(blueque::Code::Payload));
    assert_eq!(info.checkpoint_bytes(), Some(&b"[1,2]"[..]));

    work.complete("done").unwrap();
    let key = format!("blueque_task_{}", task.id());
    let mut plant = redis::cmd("HSET");
    plant.arg(&key).arg("novel").arg("of a later version").arg("priority").arg("none").arg("created").arg("?");
    plant.exec(&mut server.connection()).unwrap();
    let info = task.info().unwrap();
    assert_eq!((info.result::<String>().unwrap().as_deref(), info.outcome()), (Some("done"), Some(Outcome::Complete)));
    assert_eq!((info.ended(), info.token()), (Some(work.reservation().token), None));
    assert_eq!(info.unknown().collect::<Vec<_>>(), [("novel", &b"of a later version"[..])]);
    assert_eq!((info.priority(), info.created()), (0, None), "in another form they are as if they were not there");
}

#[test]
fn an_attempt_is_rebuilt_from_its_handle_as_long_as_it_holds_the_task() {
    let server = Server::start();
    let client = Client::open(&server.url()).unwrap();
    let task = client.queue("q").unwrap().submit("x", Submit::default()).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let first = listener.listen(SOON).unwrap().unwrap();
    first.checkpoint(&7).unwrap();
    let text = serde_json::to_string(&first.attempt()).unwrap();
    let other = Client::open(&server.url()).unwrap();
    let attempt: blueque::Attempt = serde_json::from_str(&text).unwrap();
    assert_eq!(attempt, first.attempt());
    let second = other.processor(&attempt).unwrap();
    assert_eq!(second.parameters::<String>().unwrap(), "x");
    assert_eq!(second.last_checkpoint::<u32>().unwrap(), Some(7));
    assert_eq!((second.reservation().attempt, second.lease()), (1, first.lease()));
    second.start(1).unwrap();
    assert_eq!(second.heartbeat().unwrap(), blueque::Order::Continue);
    second.release().unwrap();
    assert!(matches!(other.processor(&attempt), Err(Error::Lost)));
    let third = listener.listen(SOON).unwrap().unwrap();
    assert!(matches!(other.processor(&attempt), Err(Error::Lost)), "the attempt of another token");
    assert_eq!(other.processor(&third.attempt()).unwrap().reservation().attempt, 2);
    third.complete(&1).unwrap();
    task.delete().unwrap();
    assert!(matches!(other.processor(&third.attempt()), Err(Error::Lost)));
    let forged = text.replace('_', "/");
    assert!(serde_json::from_str::<blueque::Attempt>(&forged).is_err());
}
