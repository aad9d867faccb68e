//! Every order, and every attempt that was taken from its owner, is announced at once on the
//! channel `ns_orders_QUEUE`, so that no owner waits for its next heartbeat to hear of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::time::Duration;

use blueque::bundle;
use redis::{Connection, PubSub, Value};
use support::Server;

const CHANNEL: &str = "ns_orders_q";
const MARK: &str = "mark";

/// A call as in the contract, `-` for an empty argument; TOKEN is that of the task `x`.
fn call(connection: &mut Connection, line: &str) {
    let token: Option<String> = redis::cmd("HGET").arg("ns_task_x").arg("token").query(connection).unwrap();
    let line = line.replace("TOKEN", &token.unwrap_or_default());
    let mut words = line.split(' ').map(|word| if word == "-" { "" } else { word });
    let name = words.next().unwrap();
    let command = bundle::commands().find(|command| command.name() == name).unwrap();
    let mut call = redis::cmd("EVAL");
    call.arg(command.source()).arg(1).arg("ns_meta");
    let answer: redis::RedisResult<Value> = words.fold(&mut call, |call, word| call.arg(word)).query(connection);
    answer.unwrap_or_else(|error| panic!("{line}: {error}"));
}

/// How many announcements were made since the last look.
fn heard(connection: &mut Connection, channel: &mut PubSub<'_>) -> usize {
    let _: i64 = redis::cmd("PUBLISH").arg(CHANNEL).arg(MARK).query(connection).unwrap();
    let mut count = 0;
    while channel.get_message().unwrap().get_payload::<String>().unwrap() != MARK {
        count += 1;
    }
    count
}

#[test]
fn orders_and_lost_attempts_are_announced_and_nothing_else_is() {
    let cases = [
        ("cancel 61 x -", 1),
        ("cancel 61 x - force 1", 1),
        ("cancel 61 x - at_once 1", 1),
        ("recall 61 x", 1),
        ("recall 61 x at_once 1", 1),
        ("pause 61 q ops - stop 1", 1),
        ("drain 61 q h_1 1", 1),
        ("adopt 61 h_2 h_1 q x", 1),
        ("requeue_orphans 72 q 10", 1),
        ("bulk 61 q cancel 0 10 status started", 1),
        ("pause 61 q ops -", 0),
        ("requeue_orphans 61 q 10", 0),
        ("heartbeat 61 q h_1 60 1 x TOKEN", 0),
        ("complete 61 x TOKEN r", 0),
        ("fail 61 x TOKEN e", 0),
        ("release 61 x TOKEN reason drain", 0),
    ];
    let server = Server::start();
    let mut connection = server.connection();
    let mut listening = server.connection();
    let mut channel = listening.as_pubsub();
    channel.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    channel.subscribe(CHANNEL).unwrap();
    for (line, expected) in cases {
        redis::cmd("FLUSHALL").exec(&mut connection).unwrap();
        for step in [
            "register 10 q h_1",
            "register 10 q h_2",
            "submit 10 q 1 x - p max_losses 3",
            "reserve 10 h_1 1 q",
            "start 10 x TOKEN 7",
            "heartbeat 60 q h_2 60 0",
        ] {
            call(&mut connection, step);
        }
        assert_eq!(heard(&mut connection, &mut channel), 0, "{line}: before it");
        call(&mut connection, line);
        assert_eq!(heard(&mut connection, &mut channel), expected, "{line}");
    }
}
