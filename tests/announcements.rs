//! Announcements on channels. Every order, and every attempt that was taken from its owner, is announced at once on
//! `ns_orders_QUEUE`, so that no owner has to wait for its next heartbeat. Every task that may be taken is announced
//! on `ns_channel_QUEUE`, so that no listener has to wait for its next poll.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::time::Duration;

use redis::{Connection, PubSub, Value};
use support::{Server, script};

const ORDERS: &str = "ns_orders_q";
const TASKS: &str = "ns_channel_q";
const MARK: &str = "mark";

/// A call as in the contract, `-` for an empty argument, `~` for a space; TOKEN is the token of the task `x`.
fn call(connection: &mut Connection, line: &str) {
    let token: Option<String> = redis::cmd("HGET").arg("ns_task_x").arg("token").query(connection).unwrap();
    let line = line.replace("TOKEN", &token.unwrap_or_default());
    let mut words = line.split(' ').map(|word| if word == "-" { String::new() } else { word.replace('~', " ") });
    let name = words.next().unwrap();
    let mut call = redis::cmd("EVAL");
    call.arg(script(&name)).arg(1).arg("ns_meta");
    let answer: redis::RedisResult<Value> = words.fold(&mut call, |call, word| call.arg(word)).query(connection);
    answer.unwrap_or_else(|error| panic!("{line}: {error}"));
}

/// The number of announcements since the last call, of orders and of tasks.
fn heard(connection: &mut Connection, channels: &mut PubSub<'_>) -> (usize, usize) {
    let _: i64 = redis::cmd("PUBLISH").arg(ORDERS).arg(MARK).query(connection).unwrap();
    let (mut orders, mut tasks) = (0, 0);
    loop {
        let message = channels.get_message().unwrap();
        match message.get_channel_name() {
            TASKS => tasks += 1,
            _ if message.get_payload::<String>().unwrap() == MARK => return (orders, tasks),
            _ => orders += 1,
        }
    }
}

#[test]
fn orders_lost_attempts_and_tasks_that_may_be_taken_are_announced_and_nothing_else_is() {
    let cases = [
        ("cancel 61 x -", (1, 0)),
        ("cancel 61 x - force 1", (1, 0)),
        ("cancel 61 x - at_once 1", (1, 0)),
        ("requeue 61 x", (1, 0)),
        ("requeue 61 x at_once 1", (1, 1)),
        ("pause 61 q ops - stop 1", (1, 0)),
        ("drain 61 q h_1 1", (1, 0)),
        ("adopt 61 h_2 h_1 q x", (1, 0)),
        ("requeue_orphans 72 q 10", (1, 1)),
        ("bulk 61 q cancel 0 10 status started", (1, 0)),
        ("pause 61 q ops -", (0, 0)),
        ("requeue_orphans 61 q 10", (0, 0)),
        ("heartbeat 61 q h_1 60 1 x TOKEN", (0, 0)),
        ("complete 61 x TOKEN r", (0, 0)),
        ("fail 61 x TOKEN e final 1", (0, 0)),
        ("fail 61 x TOKEN e again 0", (0, 1)),
        ("fail 61 x TOKEN e again 9", (0, 0)),
        ("release 61 x TOKEN reason drain", (0, 1)),
        ("release 61 x TOKEN again 9", (0, 0)),
        ("release 61 x TOKEN lost died", (1, 1)),
        ("submit 61 q 1 y - p", (0, 1)),
        ("submit 61 q 1 y 99 p", (0, 0)),
        ("promote 61 q 10", (0, 0)),
        ("promote 99 q 10", (0, 1)),
        ("retry 61 ended", (0, 1)),
        ("move 61 elsewhere q", (0, 1)),
        ("resume 61 q", (0, 1)),
        ("run_schedule 61 s r", (0, 1)),
        ("tick 61 10", (0, 0)),
        ("tick 99 10", (0, 1)),
        ("configure 61 q concurrency 9", (0, 1)),
    ];
    let server = Server::start();
    let mut connection = server.connection();
    let mut listening = server.connection();
    let mut channels = listening.as_pubsub();
    channels.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    channels.subscribe(&[ORDERS, TASKS]).unwrap();
    let mut wrong = Vec::new();
    for (line, expected) in cases {
        redis::cmd("FLUSHALL").exec(&mut connection).unwrap();
        for step in [
            "register 10 q h_1",
            "register 10 q h_2",
            "submit 10 q 1 ended - p",
            "reserve 10 h_1 1 q",
            "cancel 10 ended - at_once 1",
            "submit 10 q 1 x - p max_losses 3 max_failures 3",
            "submit 10 w 1 elsewhere - p",
            "submit 10 q 1 later 90 p",
            "schedule 10 s q every~80~0 p 0",
            "reserve 10 h_1 1 q",
            "start 10 x TOKEN 7",
            "heartbeat 20 q h_2 60 0",
            "heartbeat 30 q h_2 60 0",
            "heartbeat 40 q h_2 60 0",
            "heartbeat 50 q h_2 60 0",
            "heartbeat 60 q h_2 60 0",
        ] {
            call(&mut connection, step);
        }
        heard(&mut connection, &mut channels);
        call(&mut connection, line);
        let found = heard(&mut connection, &mut channels);
        if found != expected {
            wrong.push(format!("{line}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "announcements of orders and of tasks:\n{}", wrong.join("\n"));
}
