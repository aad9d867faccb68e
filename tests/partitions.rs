//! Several partitions, each on a server of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "support/delivering.rs"]
mod delivering;
#[path = "support/partitions.rs"]
mod partitions;
mod support;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use blueque::calls::{CancelOptions, GraphPart, SubmitGraphOptions, TaskOptions};
use blueque::{
    Client, Deliverer, Filter, GlobalId, Graph, GraphId, Partitions, QueueName, Status, Submit, TaskId, Topology,
    Worker,
};
use delivering::{Stopped, delivering};
use partitions::{addresses, name, signal};
use support::{Server, eventually};

const SOON: Duration = Duration::from_secs(20);

/// Two partitions, each on its server.
fn two() -> (Vec<Server>, Partitions) {
    let servers = vec![Server::start(), Server::start()];
    let partitions = Client::builder().limit(Duration::from_secs(5)).open_partitions(&addresses(&servers)).unwrap();
    assert_eq!(partitions.store().unwrap().version(), 1);
    (servers, partitions)
}

#[test]
fn a_task_is_found_by_its_global_id_and_run_where_it_is() {
    let (_servers, partitions) = two();
    let ids: Vec<GlobalId> =
        (0..20).map(|number| partitions.submit("q", &number, Submit::default()).unwrap()).collect();
    let used: BTreeSet<_> = ids.iter().map(|id| id.partition().clone()).collect();
    assert_eq!(used.len(), 2, "20 random ids are in both");

    let (queues, counts) = (partitions.queues().all().unwrap(), partitions.counts("q").all().unwrap());
    assert_eq!((queues.len(), counts.values().map(|counts| counts.pending).sum::<u64>()), (2, 20));
    let found = partitions.find(&Filter::default(), 100).all().unwrap();
    assert_eq!(found.into_values().flatten().collect::<BTreeSet<_>>(), ids.iter().cloned().collect());

    let (first, rest) = ids.split_first().unwrap();
    partitions.task(first).unwrap().cancel("not needed").unwrap();
    let workers: Vec<_> = partitions
        .names()
        .map(|name| {
            let client = partitions.partition(name).unwrap();
            let worker = Worker::builder(&client).queue("q").unwrap();
            worker.handle(|number: u32, _| Ok(number * 2)).build().unwrap()
        })
        .collect();
    std::thread::scope(|scope| {
        for worker in &workers {
            scope.spawn(|| worker.run().unwrap());
        }
        for (number, id) in (1..).zip(rest) {
            let id: GlobalId = id.to_string().parse().unwrap();
            assert_eq!(partitions.task(&id).unwrap().result::<u32>(SOON).unwrap(), number * 2);
        }
        for worker in &workers {
            worker.stop(blueque::Stop::Drain);
        }
    });
    assert_eq!(partitions.task(first).unwrap().info().unwrap().status(), Some(Status::Cancelled));
}

#[test]
fn the_caller_a_key_a_unique_name_or_the_id_chooses_the_partition() {
    let (_servers, partitions) = two();
    let chosen = partitions.submit_in(&name("2"), "q", "x", Submit::default().id(TaskId::new("a").unwrap())).unwrap();
    assert_eq!(chosen.to_string(), "2:a");
    // The example of docs/run/partitions.md.
    let of_key = |how: Submit| partitions.submit("q", "x", how).unwrap().partition().to_string();
    assert_eq!(of_key(Submit::default().id(TaskId::new("movie-17").unwrap())), "1");
    assert_eq!(of_key(Submit::default().unique("movie-17")), "1");
    assert_eq!(partitions.submit_by("movie-17", "q", "x", Submit::default()).unwrap().partition().as_str(), "1");
    assert_eq!(
        partitions.submit("q", "x", Submit::default().unique("movie-17")).unwrap_err().word(),
        "DUPLICATE",
        "the unique name is found again"
    );
    assert_eq!(partitions.submit_in(&name("3"), "q", "x", Submit::default()).unwrap_err().word(), "BADARG");
    // A key before a unique name, which would be compared with nothing where it does not belong.
    let other =
        (0..1_000).map(|number| format!("tenant-{number}")).find(|key| partitions.place_of(key).unwrap() == &name("2"));
    let other = other.unwrap();
    assert_eq!(of_key(Submit::default().key(other.as_str()).id(TaskId::new("b").unwrap())), "2");
    assert_eq!(of_key(Submit::default().key("movie-17").id(TaskId::new("c").unwrap())), "1");
    let refused = partitions.submit("q", "x", Submit::default().key(other.as_str()).unique("movie-17")).unwrap_err();
    assert_eq!(refused.word(), "BADARG");
    assert!(refused.to_string().contains("the unique name movie-17 to 1: choose one with submit_in"), "{refused}");
    let by_itself = Submit::default().key(other.as_str()).unique("movie-17");
    assert_eq!(partitions.submit_in(&name("2"), "q", "x", by_itself).unwrap().partition().as_str(), "2");
}

#[test]
fn a_partition_that_hangs_is_named_within_the_limit_and_delays_no_other() {
    let (servers, partitions) = two();
    let ids = ["1", "2"].map(|at| partitions.submit_in(&name(at), "q", "x", Submit::default()).unwrap());
    let impatient = Client::builder().limit(Duration::from_millis(400)).open_partitions(&addresses(&servers)).unwrap();
    assert_eq!(impatient.queues().all().unwrap().len(), 2);
    signal(&servers[1], "-STOP");
    // Partitions that were connected before, and partitions that are not connected yet.
    let fresh = Client::builder().limit(Duration::from_millis(400)).open_partitions(&addresses(&servers)).unwrap();
    for partitions in [&impatient, &fresh] {
        let began = Instant::now();
        let found = partitions.find(&Filter::default(), 10);
        let took = began.elapsed();
        assert_eq!(found.answers.into_iter().collect::<Vec<_>>(), [(name("1"), vec![ids[0].clone()])]);
        let missing: Vec<_> = found.missing.iter().map(|(name, error)| (name.as_str(), error.word())).collect();
        assert_eq!(missing, [("2", "UNAVAILABLE")]);
        assert!(took < Duration::from_millis(1500), "{took:?}");
        let began = Instant::now();
        assert_eq!(partitions.task(&ids[0]).unwrap().info().unwrap().status(), Some(Status::Pending));
        assert!(began.elapsed() < Duration::from_millis(400), "the other one answers as ever");
        assert_eq!(partitions.store().unwrap_err().word(), "UNAVAILABLE");
    }
    signal(&servers[1], "-CONT");
    eventually("the partition answers again", || {
        (impatient.find(&Filter::default(), 10).all().ok()?.values().flatten().count() == 2).then_some(())
    });
    assert_eq!(fresh.store().unwrap().version(), 1, "nothing was changed");
}

#[test]
fn a_client_with_another_topology_is_refused_with_what_differs() {
    let servers = vec![Server::start(), Server::start(), Server::start()];
    let pair = Partitions::open(&addresses(&servers[..2])).unwrap();
    let none = pair.partition(&name("1")).unwrap_err();
    assert!(none.to_string().contains("the namespace of the partition 1 has no topology yet"), "{none}");
    pair.store().unwrap();
    pair.partition(&name("1")).unwrap();

    let all = Partitions::open(&addresses(&servers)).unwrap();
    let refused = all.partition(&name("1")).unwrap_err();
    assert_eq!(refused.word(), "TOPOLOGY");
    assert!(refused.to_string().contains("this client has also 3"), "{refused}");
    let stored = all.store().unwrap();
    assert_eq!((stored.version(), stored.names().len()), (2, 3));
    assert_eq!(all.store().unwrap(), stored, "again changes nothing");
    all.partition(&name("3")).unwrap();
    let refused = Partitions::open(&addresses(&servers[..2])).unwrap().partition(&name("2")).unwrap_err();
    assert!(refused.to_string().contains("it has also 3"), "{refused}");

    let crossed = format!("1={},2={},3={}", servers[1].url(), servers[0].url(), servers[2].url());
    let crossed = Partitions::open(&crossed).unwrap();
    for refused in [crossed.partition(&name("1")).unwrap_err(), crossed.store().unwrap_err()] {
        assert_eq!(refused.to_string(), "TOPOLOGY: the address of the partition 1 leads to 2: correct it");
    }
    let client = Client::open(&servers[0].url()).unwrap();
    let own = Topology::new(3, [name("1")]).unwrap();
    assert_eq!(client.set_topology(1, &own, &name("1")).unwrap_err().word(), "TOPOLOGY");
    assert_eq!(client.topology().unwrap().unwrap().topology, stored);
}

#[test]
fn namespaces_of_one_server_are_partitions_too() {
    let server = Server::start();
    let partitions = Partitions::open(&format!("{}#{{blueque:{{0..3}}}}", server.url())).unwrap();
    partitions.store().unwrap();
    let ids: Vec<_> = (0..8).map(|number| partitions.submit("q", &number, Submit::default()).unwrap()).collect();
    for id in &ids {
        let keys: Vec<String> =
            redis::cmd("KEYS").arg(format!("*_task_{}", id.task())).query(&mut server.connection()).unwrap();
        assert_eq!(keys, [format!("{{blueque:{}}}_task_{}", id.partition(), id.task())]);
    }
}

fn submit(partitions: &Partitions, at: &str, id: &str, how: Submit) -> GlobalId {
    partitions.submit_bytes_in(&name(at), "q", b"", how.id(TaskId::new(id).unwrap())).unwrap()
}

/// Takes the next task of a partition, and ends it with a result.
fn complete(partitions: &Partitions, at: &str, result: &str) {
    let client = partitions.partition(&name(at)).unwrap();
    let mut listener = client.listener(&["q"]).unwrap();
    let attempt = listener.listen(SOON).unwrap().expect("a task");
    attempt.complete_bytes(result.as_bytes()).unwrap();
    listener.unregister().unwrap();
}

#[test]
fn a_task_gets_the_result_of_one_in_another_partition() {
    let (_servers, partitions) = two();
    let own = submit(&partitions, "1", "save", Submit::default());
    let other = submit(&partitions, "2", "save", Submit::default());
    let there = partitions.link(&other, &name("1")).unwrap();
    assert_eq!(partitions.link(&other, &name("1")).unwrap(), there, "again changes nothing");
    let email = submit(&partitions, "1", "email", Submit::default().result_of(0, own.task()).result_of(1, &there));
    delivering(&partitions, || {
        complete(&partitions, "2", r#"{"link": "/2"}"#);
        complete(&partitions, "1", r#"{"link": "/1"}"#);
        let task = partitions.task(&email).unwrap();
        let info = eventually("the task that waits is ready", || {
            let info = task.info().unwrap();
            (info.status() == Some(Status::Pending)).then_some(info)
        });
        let inputs: serde_json::Value = serde_json::from_slice(info.parameters_bytes().unwrap()).unwrap();
        assert_eq!(inputs, serde_json::json!([{"link": "/1"}, {"link": "/2"}]), "in the order of the arguments");
        complete(&partitions, "1", "null");
        // An upstream that has ended, and a dependent that begins to wait for it only now.
        let late = partitions.link(&own, &name("2")).unwrap();
        let after = submit(&partitions, "2", "after", Submit::default().result_of(0, &late));
        complete(&partitions, "2", "null");
        assert_eq!(partitions.task(&after).unwrap().wait(SOON).unwrap().status(), Some(Status::Complete));
    });
    let missing = GlobalId::new(name("1"), TaskId::new("nosuch").unwrap());
    assert_eq!(partitions.link(&missing, &name("2")).unwrap_err().word(), "NOTASK");
}

#[test]
fn one_that_fails_is_cancelled_or_has_no_json_fails_what_waits_for_it_elsewhere() {
    let (_servers, partitions) = two();
    let ends = ["failed", "cancelled", "text"];
    let mut waiting = Vec::new();
    for end in ends {
        let upstream = submit(&partitions, "1", end, Submit::default());
        let there = partitions.link(&upstream, &name("2")).unwrap();
        waiting.push(submit(&partitions, "2", end, Submit::default().result_of(0, &there)));
    }
    delivering(&partitions, || {
        let client = partitions.partition(&name("1")).unwrap();
        client.task("cancelled").unwrap().cancel("no").unwrap();
        let mut listener = client.listener(&["q"]).unwrap();
        listener.listen(SOON).unwrap().unwrap().fail("the disk is full").unwrap();
        listener.listen(SOON).unwrap().unwrap().complete_bytes(b"no JSON").unwrap();
        let errors = waiting.iter().map(|id| {
            let info = partitions.task(id).unwrap().wait(SOON).unwrap();
            assert_eq!(info.status(), Some(Status::Failed));
            info.error().unwrap()
        });
        let errors: Vec<_> = errors.collect();
        let why =
            ["1:failed failed: the disk is full", "1:cancelled was cancelled", "1:text has a result that was not"];
        for (error, why) in errors.iter().zip(why) {
            assert!(error.contains(why), "{errors:?}");
        }
    });
}

/// The carrier stays until the partition of the dependent has the end of the upstream, whatever dies before the
/// delivery.
#[test]
fn what_a_failover_has_lost_of_a_link_is_sent_again() {
    let (_servers, partitions) = two();
    let first = partitions.partition(&name("1")).unwrap();
    let mut waiting = Vec::new();
    for id in ["ended", "later", "gone"] {
        let upstream = submit(&partitions, "1", id, Submit::default());
        let there = partitions.link(&upstream, &name("2")).unwrap();
        waiting.push(submit(&partitions, "2", id, Submit::default().result_of(0, &there)));
        for lost in [format!("@2@{id}"), format!("@2:{id}")] {
            first.task(&lost).unwrap().cancel("lost").unwrap();
            first.task(&lost).unwrap().delete().unwrap();
        }
    }
    complete(&partitions, "1", "17");
    first.task("gone").unwrap().cancel("no").unwrap();
    first.task("gone").unwrap().delete().unwrap();
    let ready = |id: &GlobalId| {
        eventually("the task that waits is ready", || {
            let info = partitions.task(id).unwrap().info().unwrap();
            (info.status() == Some(Status::Pending)).then(|| info.parameters_bytes().unwrap().to_vec())
        })
    };
    delivering(&partitions, || {
        assert_eq!(ready(&waiting[0]), b"[17]");
        eventually("it waits for the other one again", || first.task("@2:later").unwrap().info().ok());
        complete(&partitions, "1", "18");
        assert_eq!(ready(&waiting[1]), b"[18]");
        let info = partitions.task(&waiting[2]).unwrap().wait(SOON).unwrap();
        assert!(info.error().unwrap().contains("1:gone was removed"), "{:?}", info.error());
    });
}

#[test]
fn an_end_is_delivered_after_either_server_was_killed_and_only_once() {
    let mut servers: Vec<_> =
        (0..2).map(|_| Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"])).collect();
    let partitions = Client::builder().limit(Duration::from_secs(1)).open_partitions(&addresses(&servers)).unwrap();
    partitions.store().unwrap();
    let upstream = submit(&partitions, "1", "up", Submit::default());
    let there = partitions.link(&upstream, &name("2")).unwrap();
    let down = submit(&partitions, "2", "down", Submit::default().result_of(0, &there));
    // No deliverer runs, and the server that has the end is killed.
    complete(&partitions, "1", "17");
    servers[0].kill();
    servers[0].restart();
    // The server of the dependent is away when the end is delivered.
    servers[1].kill();
    let carrier = TaskId::new("@2:up").unwrap();
    delivering(&partitions, || {
        let client = partitions.partition(&name("1")).unwrap();
        eventually("a delivery has failed", || {
            let info = client.task(carrier.as_str()).unwrap().info().ok()?;
            (info.failures() > 0).then_some(())
        });
        servers[1].restart();
        let at = partitions.task(&down).unwrap();
        eventually("it is delivered", || (at.info().ok()?.status() == Some(Status::Pending)).then_some(()));
        assert_eq!(at.info().unwrap().parameters_bytes(), Some(&b"[17]"[..]));
        // A second delivery and a forged delivery change nothing.
        client.task(carrier.as_str()).unwrap().wait(SOON).unwrap();
        let request = client.queue("@links").unwrap();
        let again = Submit::default().id(carrier.clone()).needs("blueque-links");
        request.submit_again_bytes(b"[18]", again, "again").unwrap();
        assert_eq!(client.task(carrier.as_str()).unwrap().wait(SOON).unwrap().status(), Some(Status::Complete));
        let placeholder = partitions.partition(&name("2")).unwrap().task(there.as_str()).unwrap();
        assert_eq!(placeholder.info().unwrap().result_bytes(), Some(&b"17"[..]));
        assert_eq!(placeholder.info().unwrap().attempt(), 1);
    });
}

#[test]
fn an_end_is_delivered_within_fifty_milliseconds() {
    let (_servers, partitions) = two();
    delivering(&partitions, || {
        let mut took = Vec::new();
        for number in 0..11 {
            let upstream = submit(&partitions, "1", &format!("up{number}"), Submit::default());
            let there = partitions.link(&upstream, &name("2")).unwrap();
            let task = partitions.partition(&name("2")).unwrap().task(there.as_str()).unwrap();
            complete(&partitions, "1", "1");
            let ended = Instant::now();
            eventually("it is delivered", || {
                task.info().unwrap().status().is_some_and(Status::is_finished).then_some(())
            });
            took.push(ended.elapsed());
        }
        took.sort();
        println!("median {:?}, all {took:?}", took[5]);
        assert!(took[5] < Duration::from_millis(50), "{took:?}");
    });
}

/// Tasks of a queue that is moved.
const TASKS: u32 = 400;

#[test]
fn a_queue_is_moved_while_workers_take_its_tasks_and_each_task_runs_once() {
    let (_servers, partitions) = two();
    for number in 0..TASKS {
        submit(&partitions, "1", &format!("t{number}"), Submit::default());
    }
    let runs = std::sync::Mutex::new(Vec::new());
    let workers: Vec<_> = partitions
        .names()
        .map(|name| {
            let client = partitions.partition(name).unwrap();
            let builder = Worker::builder(&client).queue("q").unwrap().slots(2);
            builder.handle_bytes(|_| Ok(b"null".to_vec())).build().unwrap()
        })
        .collect();
    let mut moved = 0;
    std::thread::scope(|scope| {
        for worker in &workers {
            scope.spawn(|| worker.run().unwrap());
        }
        // New tasks come during the move.
        scope.spawn(|| {
            for number in TASKS..TASKS + 100 {
                submit(&partitions, "1", &format!("t{number}"), Submit::default());
            }
        });
        moved += partitions.move_queue("q", &name("1"), &name("2")).unwrap().moved;
        eventually("all have ended", || {
            let counts = partitions.counts("q").all().unwrap();
            (counts.values().map(|counts| counts.complete).sum::<u64>() == u64::from(TASKS) + 100).then_some(())
        });
        for worker in &workers {
            worker.stop(blueque::Stop::Drain);
        }
    });
    for number in 0..TASKS + 100 {
        let id = TaskId::new(format!("t{number}")).unwrap();
        let complete = |at: &str| {
            let info = partitions.task(&GlobalId::new(name(at), id.clone())).unwrap().info();
            match info {
                Ok(info) if info.status() == Some(Status::Complete) => {
                    assert_eq!(info.attempt(), 1, "{id}");
                    1
                }
                Ok(info) => {
                    assert_eq!(info.reason(), Some(format!("moved to 2:{id}")), "{id}");
                    0
                }
                Err(error) => {
                    assert_eq!(error.word(), "NOTASK", "{id}");
                    0
                }
            }
        };
        runs.lock().unwrap().push(complete("1") + complete("2"));
    }
    assert!(runs.lock().unwrap().iter().all(|&runs| runs == 1), "each is complete in one of them");
    println!("{moved} of {} were moved", TASKS + 100);
}

#[test]
fn a_move_goes_on_after_a_death_between_any_two_steps_and_keeps_what_was_submitted() {
    let (_servers, partitions) = two();
    let (from, to) = (name("1"), name("2"));
    let options = || Submit::default().priority(7).tag("a").tag("b").key("k").max_failures(4).unique("u");
    let later = std::time::SystemTime::now() + Duration::from_secs(3_600);
    for (number, how) in [options(), Submit::default(), Submit::default().eta(later)].into_iter().enumerate() {
        partitions
            .submit_bytes_in(&from, "q", b"{\"a\": 1}", how.id(TaskId::new(format!("t{number}")).unwrap()))
            .unwrap();
    }
    let up = submit(&partitions, "1", "up", Submit::default());
    submit(&partitions, "1", "down", Submit::default().after(up.task()));
    let source = partitions.partition(&from).unwrap();
    // As if one process died after the first step, and another after the second.
    let between = source.queue("@to:2:q").unwrap();
    between.pause("somebody", "moves").unwrap();
    for id in ["t0", "t1"] {
        source.task(id).unwrap().move_to(between.name()).unwrap();
    }
    let target = partitions.partition(&to).unwrap();
    target.queue("q").unwrap().submit_bytes(b"{\"a\": 1}", Submit::default().id(TaskId::new("t1").unwrap())).unwrap();

    let moved = partitions.move_queue("q", &from, &to).unwrap();
    assert_eq!((moved.moved, moved.left, moved.running), (3, 2, 0));
    let again = partitions.move_queue("q", &from, &to).unwrap();
    assert_eq!((again.moved, again.left), (0, 2), "those that are flagged to others stay");
    let info = |id: &str| target.task(id).unwrap().info().unwrap();
    let first = info("t0");
    let field = |name: &str| String::from_utf8(first.fields[name].clone()).unwrap();
    assert_eq!((field("priority"), field("key"), field("max_failures")), ("7".into(), "k".into(), "4".into()));
    assert_eq!((first.tags(), field("unique")), (vec!["a".to_owned(), "b".to_owned()], "u".into()));
    assert_eq!(first.parameters_bytes(), Some(&b"{\"a\": 1}"[..]));
    assert_eq!(info("t1").status(), Some(Status::Pending));
    assert_eq!(info("t2").status(), Some(Status::Scheduled));
    assert_eq!(source.task("t0").unwrap().info().unwrap().reason().as_deref(), Some("moved to 2:t0"));
    assert_eq!(partitions.move_queue("q", &from, &from).unwrap_err().word(), "BADARG");

    source.task("down").unwrap().cancel("no").unwrap();
    source.task("up").unwrap().cancel("no").unwrap();
    let back = partitions.drain(&to).unwrap();
    assert_eq!((back.moved, back.left, back.running), (3, 0, 0), "all come back");
    assert_eq!(source.task("t0").unwrap().info().unwrap().status(), Some(Status::Pending));
    assert_eq!(target.queue("q").unwrap().submit("x", Submit::default()).unwrap_err().word(), "CLOSED");
}

#[test]
fn deliveries_that_are_late_out_of_order_to_the_wrong_partition_or_forged_change_nothing_that_they_should_not() {
    let (_servers, partitions) = two();
    let ups: Vec<GlobalId> =
        ["first", "second", "late"].iter().map(|id| submit(&partitions, "1", id, Submit::default())).collect();
    let there: Vec<TaskId> = ups.iter().map(|up| partitions.link(up, &name("2")).unwrap()).collect();
    let both = submit(&partitions, "2", "both", Submit::default().result_of(0, &there[0]).result_of(1, &there[1]));
    let target = partitions.partition(&name("2")).unwrap();
    target.task(there[2].as_str()).unwrap().cancel("nobody needs it").unwrap();
    // Carriers that no partition asked for: to a task without a placeholder, to no partition, and a carrier without a
    // meaning.
    let client = partitions.partition(&name("1")).unwrap();
    let links = client.queue(Deliverer::QUEUE).unwrap();
    for forged in ["@2:ghost", "@9:first", "@2", "@1:first"] {
        let how = Submit::default().id(TaskId::new(forged).unwrap()).needs("blueque-links").max_failures(1_000);
        links.submit_bytes(b"[99]", how).unwrap();
    }
    // The upstreams end in another order than the dependent waits for them.
    let mut listener = client.listener(&["q"]).unwrap();
    let mut attempts: Vec<_> = (0..3).map(|_| listener.listen(SOON).unwrap().unwrap()).collect();
    delivering(&partitions, || {
        attempts.remove(1).complete_bytes(b"2").unwrap();
        target.task(there[1].as_str()).unwrap().wait(SOON).unwrap();
        assert_eq!(partitions.task(&both).unwrap().info().unwrap().status(), Some(Status::Waiting));
        for (attempt, result) in attempts.drain(..).zip(["1", "3"]) {
            attempt.complete_bytes(result.as_bytes()).unwrap();
        }
        let info = eventually("both are there", || {
            let info = partitions.task(&both).unwrap().info().unwrap();
            (info.status() == Some(Status::Pending)).then_some(info)
        });
        assert_eq!(info.parameters_bytes(), Some(&b"[1,2]"[..]), "in the order of the arguments");
        let end = |id: &str| client.task(id).unwrap().wait(SOON).unwrap();
        assert_eq!(end("@2:late").status(), Some(Status::Complete));
        assert_eq!(target.task(there[2].as_str()).unwrap().info().unwrap().status(), Some(Status::Cancelled));
        assert!(end("@2:ghost").error().unwrap().contains("2 has no placeholder 1:ghost"));
        assert!(
            end("@1:first").error().unwrap().contains("1 has no placeholder 1:first"),
            "it is the task itself there"
        );
        assert_eq!(target.task("1:ghost").unwrap().info().unwrap_err().word(), "NOTASK");
        let lost = eventually("the one to no partition has failed", || {
            let info = client.task("@9:first").unwrap().info().ok()?;
            info.last_error()
        });
        assert!(lost.contains("there is no partition 9"), "{lost}");
    });
}

#[test]
fn a_task_that_is_retried_delivers_its_new_end_to_those_that_got_its_failure() {
    let (_servers, partitions) = two();
    let up = submit(&partitions, "1", "up", Submit::default());
    let there = partitions.link(&up, &name("2")).unwrap();
    let down = submit(&partitions, "2", "down", Submit::default().result_of(0, &there));
    delivering(&partitions, || {
        let client = partitions.partition(&name("1")).unwrap();
        let mut listener = client.listener(&["q"]).unwrap();
        listener.listen(SOON).unwrap().unwrap().fail("the disk is full").unwrap();
        assert_eq!(partitions.task(&down).unwrap().wait(SOON).unwrap().status(), Some(Status::Failed));
        client.task("@2@up").unwrap().wait(SOON).unwrap();
        partitions.retry(&up).unwrap();
        partitions.link_again(&up).unwrap();
        let placeholder = partitions.partition(&name("2")).unwrap().task(there.as_str()).unwrap();
        assert!(!placeholder.info().unwrap().status().unwrap().is_finished(), "it waits again");
        partitions.task(&down).unwrap().retry().unwrap();
        complete(&partitions, "1", "17");
        let task = partitions.task(&down).unwrap();
        let info = eventually("the new end is there", || {
            let info = task.info().unwrap();
            (info.status() == Some(Status::Pending)).then_some(info)
        });
        assert_eq!(info.parameters_bytes(), Some(&b"[17]"[..]));
    });
}

/// `a` in partition 1 and `b` in 2, and `both` in 1, which gets their results.
fn pair(id: &str, large: usize) -> Graph {
    let graph = Graph::new().id(GraphId::new(id).unwrap());
    let a = graph.task("a", "m", &1).label("a").partition(&name("1"));
    let how = TaskOptions::default().max_bytes(4 << 20);
    let b = graph.task("b", "m", &"x".repeat(large)).label("b").partition(&name("2")).options(&how);
    graph.task("b", "m", &"y".repeat(large)).label("more").partition(&name("2")).options(&how).needs(&b);
    graph.join("c", "m").label("both").partition(&name("1")).result_of(&a).result_of(&b);
    graph
}

#[test]
fn a_graph_over_two_partitions_is_made_in_both_or_in_none() {
    let (_servers, partitions) = two();
    let clients = ["1", "2"].map(|at| partitions.partition(&name(at)).unwrap());
    let is_empty = || {
        clients.iter().all(|client| {
            ["a", "b", "c", Deliverer::QUEUE].iter().all(|queue| {
                let counts = client.queue(queue).unwrap().counts().unwrap();
                counts.pending + counts.waiting + counts.scheduled == 0
            })
        })
    };
    // The second part is refused, and then the first, when the second is staged.
    for (at, queue) in [(1, "b"), (0, "c")] {
        let queue = clients[at].queue(queue).unwrap();
        queue.configure("closed", Some("1")).unwrap();
        assert_eq!(partitions.submit_graph(&pair("g", 1), None).unwrap_err().word(), "CLOSED");
        assert!(is_empty(), "nobody sees anything of it");
        queue.configure("closed", None).unwrap();
    }
    let made = partitions.submit_graph(&pair("g", 1), None).unwrap();
    assert!(made.created && made.coming.is_empty() && !is_empty());
    assert_eq!((made.graph.home(), made.tasks[1].1.to_string().as_str()), (Some(&name("1")), "2:g.1"));
    let again = partitions.submit_graph(&pair("g", 1), None).unwrap();
    assert_eq!((again.created, again.tasks), (false, made.tasks));
    let other = Graph::new().id(GraphId::new("g").unwrap());
    other.task("a", "m", &1).label("a").partition(&name("1"));
    assert_eq!(partitions.submit_graph(&other, None).unwrap_err().word(), "DUPLICATE");
    let unknown = Graph::new();
    unknown.task("a", "m", &1).partition(&name("3"));
    let refused = partitions.submit_graph(&unknown, None).unwrap_err().to_string();
    assert!(refused.contains("partition: there is no partition 3: there are 1, 2"), "{refused}");
    let refused = clients[0].submit_graph(&pair("h", 1)).unwrap_err().to_string();
    assert!(refused.contains("submit the graph with a topology"), "{refused}");
    // A task that names no partition goes to the caller's choice.
    let plain = Graph::new();
    plain.task("a", "m", &1);
    let made = partitions.submit_graph(&plain, Some(&name("2"))).unwrap();
    assert!(made.tasks[0].1.as_str().starts_with("2:"), "{made:?}");
    let found = partitions.find_graph(&GraphId::new("g").unwrap()).unwrap();
    assert_eq!(found.look().unwrap().tasks.len(), 4);
    let missing = partitions.find_graph(&GraphId::new("nosuch").unwrap()).unwrap_err();
    assert_eq!(missing.word(), "NOTASK");
}

#[test]
fn hooks_surround_submits_to_one_partition_and_to_several() {
    let servers = [Server::start(), Server::start()];
    let (seen, trace) = (Arc::new(Mutex::new(Vec::new())), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let notes = Arc::clone(&seen);
    let builder = Client::builder().limit(Duration::from_secs(5)).around_submit(move |mut submit, run| {
        let graph = submit.graph.as_ref().map(ToString::to_string);
        notes.lock().unwrap().push((submit.queue.as_ref().map(ToString::to_string), graph, submit.tasks));
        submit.options = submit.options.trace(trace);
        run(submit)
    });
    let partitions = builder.open_partitions(&addresses(&servers)).unwrap();
    partitions.store().unwrap();
    let made = partitions.submit_graph(&pair("g", 1), None).unwrap();
    let single = partitions.submit_in(&name("2"), "q", &1, Submit::default()).unwrap();
    partitions.link(&single, &name("1")).unwrap();
    let expected = [(None, Some("g".to_owned()), 4), (Some("q".to_owned()), None, 1)];
    assert_eq!(*seen.lock().unwrap(), expected, "links are no submits of the program");
    for id in made.tasks.iter().map(|(_, id)| id.as_str()).chain([single.to_string().as_str()]) {
        let info = partitions.task(&id.parse().unwrap()).unwrap().info().unwrap();
        assert_eq!(info.trace().as_deref(), Some(trace), "{id}");
    }
}

#[test]
fn a_skipped_task_counts_the_same_in_one_partition_and_in_several() {
    let (_servers, partitions) = two();
    let graph = |id: &str, [of_a, of_clean, of_more]: [&str; 3]| {
        let graph = Graph::new().id(GraphId::new(id).unwrap());
        let a = graph.task("q", "m", &1).label("a").partition(&name(of_a));
        let clean = graph.task("q", "m", &1).label("clean").partition(&name(of_clean)).after_failure(&a);
        let more = graph.task("q", "m", &1).label("more").partition(&name(of_more)).needs(&clean);
        graph.task("q", "m", &1).label("rest").partition(&name("2")).after(&more).needs(&a);
        graph
    };
    delivering(&partitions, || {
        for (id, places) in [("one", ["2", "2", "2"]), ("several", ["1", "2", "1"]), ("turned", ["2", "1", "2"])] {
            let made = partitions.submit_graph(&graph(id, places), None).unwrap().graph;
            complete(&partitions, places[0], "1");
            complete(&partitions, "2", "1");
            let info = made.wait(SOON).unwrap().info;
            let counts = (info.total, info.complete, info.skipped, info.failed, info.cancelled);
            assert_eq!(counts, (4, 2, 2, 0, 0), "{id}");
        }
        // A task outside a graph, which is skipped before it is linked, or later.
        for (id, is_early) in [("early", true), ("late", false)] {
            let upstream = submit(&partitions, "1", id, Submit::default().hold());
            let skip = || {
                let client = partitions.partition(&name("1")).unwrap();
                let how = CancelOptions::new().skip(true);
                client.call(&client.calls().cancel(upstream.task(), "not needed", &how)).unwrap()
            };
            is_early.then(skip);
            let there = partitions.link(&upstream, &name("2")).unwrap();
            if !is_early {
                let waits = submit(&partitions, "2", id, Submit::default().result_of(0, &there));
                skip();
                assert!(partitions.task(&waits).unwrap().wait(SOON).unwrap().is_skipped());
            }
            let info = partitions.task(&GlobalId::new(name("2"), there)).unwrap().wait(SOON).unwrap();
            assert_eq!((info.is_skipped(), info.reason()), (true, Some(format!("1:{id} was skipped"))));
        }
    });
}

#[test]
fn a_graph_whose_times_are_relative_is_the_same_graph_when_it_is_submitted_again() {
    let (_servers, partitions) = two();
    let graph = |seconds: u64, parameter: u64| {
        let graph = Graph::new().id(GraphId::new("later").unwrap());
        let (eta, deadline) = (Duration::from_secs(3_600 + seconds), Duration::from_secs(7_200 + seconds));
        let a = graph.task("a", "m", &1).label("a").partition(&name("1"));
        let how = TaskOptions::default().deadline(SystemTime::now() + deadline);
        let b = graph.task("b", "m", &parameter).label("b").partition(&name("2")).options(&how);
        let b = b.eta(SystemTime::now() + eta);
        graph.join("c", "m").partition(&name("1")).result_of(&a).result_of(&b);
        graph.deadline(SystemTime::now() + deadline)
    };
    let made = partitions.submit_graph(&graph(0, 1), None).unwrap();
    let again = partitions.submit_graph(&graph(1, 1), None).unwrap();
    assert_eq!((made.created, again.created, again.tasks), (true, false, made.tasks));
    let other = partitions.submit_graph(&graph(0, 2), None).unwrap_err();
    assert_eq!(other.word(), "DUPLICATE", "the parameters of the second part count");
}

/// Submits a graph, and lets its second partition lose its data.
fn lost(servers: &mut [Server], partitions: &Partitions) -> (Graph, Client, Vec<String>) {
    // Parameters that are too long for one call.
    let graph = pair("g", (4 << 20) - 2);
    partitions.submit_graph(&graph, None).unwrap();
    let receipts = partitions.partition(&name("2")).unwrap().queue(Deliverer::QUEUE).unwrap();
    let receipts = receipts.list("scheduled", 10).unwrap();
    let receipts: Vec<String> = receipts.into_iter().filter(|id| id.starts_with("@part.")).collect();
    assert_eq!(receipts.len(), 2);
    servers[1].kill();
    servers[1].restart();
    let client = Client::open(&servers[1].url()).unwrap();
    assert!(client.task("g.1").unwrap().info().is_err(), "it keeps nothing on its disk");
    partitions.store().unwrap();
    (graph, client, receipts)
}

fn runs_to_its_end(partitions: &Partitions, second: &Client) {
    let task = second.task("g.1").unwrap();
    eventually("the part is there", || (task.info().ok()?.status() == Some(Status::Pending)).then_some(()));
    for (at, queue, result) in [("1", "a", "1"), ("2", "b", "2"), ("2", "b", "3"), ("1", "c", "4")] {
        let mut listener = partitions.partition(&name(at)).unwrap().listener(&[queue]).unwrap();
        let attempt = listener.listen(SOON).unwrap().expect("a task");
        if queue == "c" {
            assert_eq!(attempt.reservation().parameters, b"[1,2]");
        }
        attempt.complete_bytes(result.as_bytes()).unwrap();
        listener.unregister().unwrap();
    }
    let found = partitions.find_graph(&GraphId::new("g").unwrap()).unwrap().wait(SOON).unwrap();
    assert_eq!((found.info.complete, found.info.total), (4, 4));
}

#[test]
fn what_was_decided_is_brought_to_a_partition_that_has_lost_its_part() {
    let (mut servers, partitions) = two();
    let (_, client, receipts) = lost(&mut servers, &partitions);
    let links = client.queue(Deliverer::QUEUE).unwrap();
    for id in receipts {
        let how = Submit::default().id(TaskId::new(id).unwrap()).needs("blueque-links");
        links.submit_bytes(b"null", how.eta(SystemTime::now() + Duration::from_secs(86_400))).unwrap();
    }
    delivering(&partitions, || {
        runs_to_its_end(&partitions, &client);
        eventually("a receipt is of no use then", || {
            let left = links.list("scheduled", 10).unwrap();
            (left.iter().filter(|id| id.starts_with("@part.")).count() < 2).then_some(())
        });
    });
}

#[test]
fn a_part_whose_receipt_is_lost_as_well_is_made_by_the_next_submit_of_the_graph() {
    let (mut servers, partitions) = two();
    let (graph, client, _) = lost(&mut servers, &partitions);
    delivering(&partitions, || {
        let brings = partitions.partition(&name("1")).unwrap().task("@@@2:g.0").unwrap();
        eventually("it says what to do", || {
            let info = brings.info().unwrap();
            let said = info.error().or_else(|| info.last_error()).unwrap_or_default();
            said.contains("has no receipt of this part: submit the same graph again").then_some(())
        });
        partitions.submit_graph(&graph, None).unwrap();
        runs_to_its_end(&partitions, &client);
    });
}

/// A call of `submit_graph` for one task, as a part holds it for another partition.
fn packed(graph: &str, task: &str) -> Vec<u8> {
    let args = [graph, "1", "1", task, "q", "", "1", "", "label=a"];
    let mut text = format!("{}\n", args.len());
    for arg in args {
        text += &format!("{}\n{arg}", arg.len());
    }
    text.into_bytes()
}

#[test]
fn who_may_write_to_one_partition_alone_has_nothing_made_in_another() {
    let (servers, partitions) = two();
    // As a part of a graph, and as a task by itself; with the name of a graph that is there, and of one that is not.
    let (one, two) = (Client::open(&servers[0].url()).unwrap(), partitions.partition(&name("2")).unwrap());
    let theirs = Graph::new().id(GraphId::new("theirs").unwrap());
    theirs.task("own", "m", &1).label("a");
    two.submit_graph(&theirs).unwrap();
    let links = QueueName::new(Deliverer::QUEUE).unwrap();
    let options = TaskOptions::default().needs("blueque-links");
    let mut ids = Vec::new();
    for graph in ["mine", "theirs"] {
        let (graph, id) = (GraphId::new(graph).unwrap(), TaskId::new(format!("@@@2:{graph}")).unwrap());
        let parameters = packed(graph.as_str(), &format!("evil-{graph}"));
        let part = GraphPart {
            id: &id,
            queue: &links,
            eta: None,
            parameters: &parameters,
            inputs: "",
            label: "a",
            options: &options,
        };
        one.call(&one.calls().submit_graph(&graph, 1, &[part], &SubmitGraphOptions::new())).unwrap();
        ids.push(id);
    }
    let alone = TaskId::new("@@@2:alone").unwrap();
    let how = Submit::default().id(alone.clone()).needs("blueque-links");
    one.queue(Deliverer::QUEUE).unwrap().submit_bytes(&packed("alone", "evil-alone"), how).unwrap();
    ids.push(alone);
    delivering(&partitions, || {
        for id in &ids {
            let task = one.task(id.as_str()).unwrap();
            eventually("it was tried", || {
                let info = task.info().unwrap();
                (info.failures() > 0 || info.status().is_some_and(Status::is_finished)).then_some(())
            });
        }
        for task in ["evil-mine", "evil-theirs", "evil-alone"] {
            assert!(two.task(task).unwrap().info().is_err(), "{task} is in partition 2");
        }
        eventually("it says why", || {
            let info = one.task("@@@2:mine").unwrap().info().unwrap();
            let said = info.error().or_else(|| info.last_error())?;
            said.contains("the partition 2 has no receipt of this part").then_some(())
        });
    });
    assert!(two.queue("q").unwrap().counts().is_ok_and(|counts| counts.pending == 0));
}

#[test]
fn a_partition_that_hangs_keeps_no_delivery_from_the_others() {
    let servers = vec![Server::start(), Server::start(), Server::start()];
    let partitions = Client::builder().limit(Duration::from_secs(5)).open_partitions(&addresses(&servers)).unwrap();
    partitions.store().unwrap();
    let to = |at: &str, id: String| {
        let upstream = submit(&partitions, "1", &id, Submit::default());
        partitions.link(&upstream, &name(at)).unwrap()
    };
    let hung: Vec<TaskId> = (0..40).map(|number| to("2", format!("many{number}"))).collect();
    let other = to("3", "one".to_owned());
    signal(&servers[1], "-STOP");
    for _ in 0..41 {
        complete(&partitions, "1", "1");
    }
    let begun = Instant::now();
    delivering(&partitions, || {
        let third = partitions.partition(&name("3")).unwrap();
        third.task(other.as_str()).unwrap().wait(SOON).unwrap();
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        let since = eventually("it is said since when", || partitions.away_since(&name("2"), &name("3")).unwrap());
        assert!(since.elapsed().unwrap() < SOON);
        signal(&servers[1], "-CONT");
        let back = Instant::now();
        for id in &hung {
            partitions.partition(&name("2")).unwrap().task(id.as_str()).unwrap().wait(SOON).unwrap();
        }
        assert!(back.elapsed() < Duration::from_secs(10), "{:?}", back.elapsed());
    });
}

/// The role `worker` as in docs/run/configuration.md.
const WORKER: &str = "on >pw ~blueque_[a-z]* ~blueque_WORKER ~blueque_MAINTENANCE &blueque_* -@all +@read +@write \
    +@connection +@pubsub -@dangerous +eval +evalsha +time +info +client|unblock +multi +exec";

#[test]
fn who_delivers_needs_the_role_client_and_says_so_without_it() {
    let (servers, partitions) = two();
    let up = submit(&partitions, "1", "up", Submit::default());
    let there = partitions.link(&up, &name("2")).unwrap();
    complete(&partitions, "1", "17");
    let allow = |rules: &str| {
        for server in &servers {
            let mut acl = redis::cmd("ACL");
            acl.arg("SETUSER").arg("w").arg(rules.split_whitespace().collect::<Vec<_>>());
            acl.exec(&mut server.connection()).unwrap();
        }
    };
    allow(WORKER);
    let urls = servers.iter().enumerate().map(|(at, server)| format!("{}={}?user=w&pass=pw", at + 1, server.url()));
    let limited = Partitions::open(&urls.collect::<Vec<_>>().join(",")).unwrap();
    let (said, told) = std::sync::mpsc::channel();
    let said = std::sync::Mutex::new(said);
    let deliverer = Deliverer::new(&limited)
        .on_error(move |name, error| said.lock().unwrap().send(format!("{name}: {error}")).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| deliverer.run());
        let _stop = Stopped(&deliverer);
        let heard = told.recv_timeout(SOON).unwrap();
        assert!(heard.contains("NOPERM") && heard.contains("client"), "{heard}");
        let client = partitions.partition(&name("1")).unwrap();
        let carrier = client.task("@2:up").unwrap();
        let error = eventually("the delivery is refused", || carrier.info().unwrap().last_error());
        assert!(error.contains("the partition 2: ") && error.contains("NOPERM"), "{error}");
        let placeholder = partitions.partition(&name("2")).unwrap().task(there.as_str()).unwrap();
        assert!(!placeholder.info().unwrap().status().unwrap().is_finished());
        allow("~blueque_CLIENT");
        assert_eq!(placeholder.wait(SOON).unwrap().result_bytes(), Some(&b"17"[..]));
    });
}
