//! The model on several servers that hold the keys in turn: a cluster whose slot moves, and a set of Sentinels whose
//! master is replaced.

use std::path::Path;

use crate::model::{Bench, Judge, explore, scripts};
use crate::moving_cluster::Moving;
use crate::replica_set::{Fall, Watched};
use crate::setting;
use crate::support::receiver::Ground;
use crate::support::{report, seed, server_program, valkey_program};

const NAMESPACE: &str = "{model}";

/// Number of calls, unless `BLUEQUE_MODEL_CALLS` sets another.
const CALLS: u64 = 300;

/// Plays random calls, and returns how many. A failure is not shrunk, since it also depends on what happens between
/// the calls.
fn play(ground: &mut dyn Ground, seed: u64, part: u64) -> u32 {
    let calls = u32::try_from(setting("BLUEQUE_MODEL_CALLS").unwrap_or(CALLS) / part).unwrap();
    let scripts = scripts();
    let mut bench = Bench::new(ground, &scripts, Judge::Both);
    bench.namespace = Some(NAMESPACE);
    if let Some(failure) = explore(&mut bench, seed, calls, 0) {
        panic!("BLUEQUE_SEED={seed}: after {} calls\n{}", failure.after, failure.what);
    }
    bench.calls
}

fn on_a_slot_that_moves(name: &str, program: &Path) {
    let seed = seed::new();
    let mut moving = Moving::start(program, NAMESPACE, seed);
    let calls = play(&mut moving, seed, 1);
    report(&format!("{name}, a slot that moves in a cluster of 3 + 3: {calls} random calls; {}", moving.end()));
}

fn across_failovers(name: &str, program: &Path) {
    let seed = seed::new();
    let mut watched = Watched::start(program, NAMESPACE);
    let mut calls = 0;
    for (number, fall) in (0..).zip([Fall::Asked, Fall::Dead]) {
        watched.falls_after(u32::try_from(20 + seed % 50).unwrap(), fall);
        calls += play(&mut watched, seed + number, 2);
    }
    assert_eq!(watched.failovers, 2);
    report(&format!("{name}, a Sentinel set of 1 + 2 + 3: {calls} random calls; the master replaced twice"));
}

#[test]
fn the_model_holds_while_its_slot_moves_in_a_cluster_of_redis() {
    on_a_slot_that_moves("Redis", &server_program());
}

#[test]
fn the_model_holds_while_its_slot_moves_in_a_cluster_of_valkey() {
    on_a_slot_that_moves("Valkey", &valkey_program());
}

#[test]
fn the_model_holds_when_sentinels_of_redis_replace_the_master() {
    across_failovers("Redis", &server_program());
}

#[test]
fn the_model_holds_when_sentinels_of_valkey_replace_the_master() {
    across_failovers("Valkey", &valkey_program());
}
