//! Schedules of the crate, on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blueque::{
    Client, Maintenance, Missed, Overlap, Plan, QueueName, Recurrence, ScheduleState, Scheduled, Status, Submit, TaskId,
};
use support::{Server, eventually};

fn open(server: &Server) -> Client {
    Client::builder().for_tests().open(&server.url()).unwrap()
}

fn every(seconds: u64) -> Recurrence {
    Recurrence::every(Duration::from_secs(seconds)).unwrap()
}

#[cfg(feature = "cron")]
const SECOND: Duration = Duration::from_secs(1);

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Now, by the server's clock.
#[cfg(feature = "cron")]
fn now(client: &Client) -> SystemTime {
    client.call(&client.calls().handshake()).unwrap().now
}

#[test]
fn a_schedule_is_made_once_shown_changed_and_removed() {
    let server = Server::start();
    let client = open(&server);
    let schedule = client.schedule("nightly").unwrap();
    let plan = Plan::default().overlap(Overlap::Queue).missed(Missed::Skip).late(Duration::from_secs(30)).times(9);
    let plan =
        plan.start(at(2_000_000_000)).end(at(3_000_000_000)).task(Submit::default().priority(5).tag("a").tag("b"));
    assert_eq!(schedule.set("q", &every(3600), &["x"], &plan).unwrap(), Scheduled::Created);
    assert_eq!(schedule.set("q", &every(3600), &["x"], &plan).unwrap(), Scheduled::Existing);
    let info = schedule.info().unwrap();
    assert_eq!((info.state(), info.queue().as_deref()), (Some(ScheduleState::Active), Some("q")));
    assert_eq!((info.overlap(), info.missed()), (Some(Overlap::Queue), Some(Missed::Skip)));
    assert_eq!((info.recurrence().as_deref(), info.parameters_bytes()), (Some("every 3600 0"), Some(&b"[\"x\"]"[..])));
    assert_eq!(info.options(), [("priority".into(), "5".into()), ("tags".into(), "a,b".into())]);
    assert_eq!((info.next(), info.made(), info.late()), (Some(at(2_000_001_600)), 0, Some(Duration::from_secs(30))));

    assert_eq!(schedule.set("q", &every(60), &["x"], &Plan::default()).unwrap(), Scheduled::Changed);
    schedule.pause("me", "tonight").unwrap();
    let paused = schedule.info().unwrap().paused().unwrap();
    assert_eq!((paused.at.is_some(), paused.to_string().as_str()), (true, "paused by me: tonight"));
    let listed = client.schedules().unwrap();
    assert_eq!((listed.len(), listed[0].state, listed[0].next), (1, ScheduleState::Paused, None));
    assert_eq!((&listed[0].name, listed[0].recurrence.as_str()), (schedule.name(), "every 60 0"));
    schedule.resume().unwrap();
    assert_eq!(client.schedules().unwrap()[0].state, ScheduleState::Active);

    let task = schedule.run(None).unwrap();
    assert_eq!(task.info().unwrap().status(), Some(Status::Pending));
    assert_eq!(schedule.run(None).unwrap_err().code(), Some(blueque::Code::State));
    assert_ne!(schedule.run(Some(Overlap::Allow)).unwrap().id(), task.id());

    schedule.remove().unwrap();
    assert_eq!(schedule.info().unwrap_err().code(), Some(blueque::Code::NoSchedule));
    assert_eq!(schedule.remove().unwrap_err().code(), Some(blueque::Code::NoSchedule));
    assert!(task.info().is_ok(), "its tasks stay");
}

#[test]
fn what_cannot_be_a_schedule_is_refused() {
    let server = Server::start();
    let client = open(&server);
    assert_eq!(client.schedule("a b").unwrap_err().code(), Some(blueque::Code::BadName));
    assert_eq!(client.schedule(&"n".repeat(101)).unwrap_err().code(), Some(blueque::Code::BadName));
    let schedule = client.schedule("n").unwrap();
    let set = |plan: Plan| schedule.set("q", &every(60), &(), &plan).unwrap_err().word().to_owned();
    assert_eq!(
        schedule.set("a b", &every(60), &(), &Plan::default()).unwrap_err().code(),
        Some(blueque::Code::BadName)
    );
    assert_eq!(set(Plan::default().end(at(1000))), "BADARG");
    assert_eq!(set(Plan::default().start(at(3_000_000_000)).end(at(2_999_999_999))), "BADARG");
    assert_eq!(set(Plan::default().times(0)), "BADARG");
    assert_eq!(set(Plan::default().late(Duration::ZERO)), "BADARG");
    assert_eq!(set(Plan::default().task(Submit::default().id(TaskId::random()))), "BADARG");
    assert_eq!(set(Plan::default().task(Submit::default().eta(at(1000)))), "BADARG");
    assert_eq!(set(Plan::default().task(Submit::default().priority(1001))), "BADARG");
    assert_eq!(set(Plan::default().overlap(Overlap::Queue).task(Submit::default().key("tenant"))), "BADARG");
    assert!(client.schedules().unwrap().is_empty());
}

#[test]
fn many_that_keep_up_the_same_schedules_make_one_task_of_a_slot() {
    let server = Server::start();
    let client = open(&server);
    let plan = Plan::default().overlap(Overlap::Allow).missed(Missed::All).times(3);
    let names: Vec<String> = (0..20).map(|n| format!("s{n}")).collect();
    for name in &names {
        client.schedule(name).unwrap().set("q", &every(1), &(), &plan).unwrap();
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let client = open(&server);
            scope.spawn(move || {
                let mut maintenance = Maintenance::new(client.clone(), vec![QueueName::new("q").unwrap()]);
                eventually("all schedules have ended", || {
                    let _pause = maintenance.round().unwrap();
                    let ended = client.schedules().unwrap();
                    ended.iter().all(|schedule| schedule.state == ScheduleState::Ended).then_some(())
                });
            });
        }
    });
    let queue = client.queue("q").unwrap();
    assert_eq!(queue.counts().unwrap().pending, 60);
    let events =
        client.call(&client.calls().events(queue.name(), "0", 500, &blueque::calls::EventsOptions::new())).unwrap();
    assert_eq!(events.items.len(), 60, "each task was made by one transition");
    for name in &names {
        let info = client.schedule(name).unwrap().info().unwrap();
        assert_eq!((info.made(), info.skipped(), info.passed()), (3, 0, 0));
        assert_eq!(info.error(), None);
    }
}

#[cfg(feature = "cron")]
#[test]
fn cron_is_told_ahead_and_again_when_few_slots_are_left() {
    let server = Server::start();
    let client = open(&server);
    let schedule = client.schedule("n").unwrap();
    let recurrence = Recurrence::cron("*/5 * * * *", "Europe/Berlin").unwrap();
    schedule.set("q", &recurrence, &(), &Plan::default().overlap(Overlap::Allow)).unwrap();
    let known = |client: &Client| -> Vec<SystemTime> {
        let slots = client.schedule("n").unwrap().info().unwrap().slots().unwrap();
        slots.split(' ').map(|slot| at(slot.parse().unwrap())).collect()
    };
    let first = known(&client);
    assert_eq!(first, recurrence.preview(first[0] - SECOND, 64));
    assert!(client.tick().unwrap().low.is_empty());

    // In three hours: 36 slots have passed, and the latest makes a task.
    let later = first[35] + SECOND;
    let ticked = client.call(&client.calls().tick(10).at(later)).unwrap();
    assert_eq!((ticked.made, ticked.low.len(), ticked.low[0].after), (1, 1, first[63]));
    let ticked = client.tick().unwrap();
    assert_eq!((ticked.made, ticked.low.len()), (0, 1), "told now");
    assert!(client.tick().unwrap().low.is_empty());
    assert_eq!(known(&client), recurrence.preview(first[35], 64));
    assert_eq!(schedule.info().unwrap().last_slot(), Some(first[35]));
}

#[cfg(feature = "cron")]
#[test]
fn cron_begins_with_its_start_and_ends_where_no_slot_is_left() {
    let server = Server::start();
    let client = open(&server);
    let schedule = client.schedule("n").unwrap();
    let leap = Recurrence::cron("0 12 29 2 *", "UTC").unwrap();
    let ten_years = Duration::from_secs(315_569_520);
    let slots = leap.preview(now(&client) + ten_years, 2);
    // The start is a slot itself, the end lies just before the next one.
    let plan = Plan::default().start(slots[0]).end(slots[1] - SECOND);
    assert_eq!(schedule.set("q", &leap, &(), &plan).unwrap(), Scheduled::Created);
    let info = schedule.info().unwrap();
    assert_eq!((info.next(), info.slots().map(|slot| at(slot.parse().unwrap()))), (Some(slots[0]), Some(slots[0])));
    let ticked = client.call(&client.calls().tick(10).at(slots[0])).unwrap();
    assert_eq!((ticked.made, ticked.next), (1, None));
    assert_eq!(schedule.info().unwrap().state(), Some(ScheduleState::Ended));
    let none = Plan::default().start(slots[0] + SECOND).end(slots[1] - SECOND);
    assert_eq!(
        client.schedule("m").unwrap().set("q", &leap, &(), &none).unwrap_err().code(),
        Some(blueque::Code::BadArgument)
    );
}

#[cfg(feature = "cron")]
#[test]
fn a_schedule_that_this_client_cannot_reckon_is_left_to_others() {
    let server = Server::start();
    let client = open(&server);
    let (name, queue) = (blueque::ScheduleName::new("n").unwrap(), QueueName::new("q").unwrap());
    let ahead = now(&client) + Duration::from_secs(1000);
    let call = client.calls().schedule(
        &name,
        &queue,
        "cron Mars/Olympus 0 3 * * *",
        b"",
        &[ahead],
        &blueque::calls::ScheduleOptions::default(),
    );
    assert_eq!(client.call(&call).unwrap(), Scheduled::Created);
    let ticked = client.tick().unwrap();
    assert_eq!(ticked.low.len(), 1);
    assert_eq!(client.tick().unwrap().low, ticked.low);
    assert_eq!(client.schedules().unwrap()[0].state, ScheduleState::Active);
}
