//! Random calls by several listeners, with time moving, compared with a plain model of the contract.
//!
//! `BLUEQUE_MODEL_CALLS` is the number of calls (2,000), `BLUEQUE_SEED` selects them, `BLUEQUE_MODEL_SHRINK` is how
//! often a failure may be retried with less (2,000), `BLUEQUE_MODEL_GRAPHS=1` plays graphs alone, `BLUEQUE_SCRIPTS` is a folder of scripts to use instead of
//! those of the crate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::pedantic, missing_docs)]

#[path = "model/mod.rs"]
mod model;
mod support;

use model::planted::{BUGS, Bug, plant};
use model::{Bench, Judge, explore, scripts};
use support::{Server, seed};

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} must be a whole number, not {value:?}")))
}

#[test]
fn random_calls_do_what_the_model_says_and_keep_the_invariants() {
    let calls = u32::try_from(setting("BLUEQUE_MODEL_CALLS").unwrap_or(2000)).unwrap();
    let seed = seed::new();
    println!("with BLUEQUE_MODEL_CALLS={calls}");
    let server = Server::start();
    let mut bench = Bench::new(&server, &scripts(), Judge::Both);
    bench.graphs = setting("BLUEQUE_MODEL_GRAPHS") == Some(1);
    let shrink = u32::try_from(setting("BLUEQUE_MODEL_SHRINK").unwrap_or(2000)).unwrap();
    if let Some(failure) = explore(&mut bench, seed, calls, shrink) {
        panic!("BLUEQUE_SEED={seed}: after {} calls\n{}", failure.after, failure.what);
    }
    println!("{} calls: {:#?}", bench.calls, bench.seen);
}

const ENOUGH: u32 = 200_000;

/// Each of these bugs is found.
fn caught<'a>(bugs: impl Iterator<Item = &'a Bug>, judge: impl Fn() -> Judge) {
    let server = Server::start();
    for bug in bugs {
        let mut bench = Bench::new(&server, &plant(bug), judge());
        bench.graphs = bug.graphs;
        let failure = explore(&mut bench, bug.seed, ENOUGH, 0);
        let failure = failure.unwrap_or_else(|| panic!("`{}` was not found in {ENOUGH} calls", bug.name));
        println!("{:42} after {:5} calls: {}", bug.name, failure.after, failure.what.lines().next().unwrap());
    }
}

#[test]
fn each_planted_bug_still_has_its_place() {
    for bug in &BUGS {
        plant(bug); // panics if a bug has no place, or several
    }
}

// Several tests, so that each has its own core.

#[test]
fn every_second_planted_bug_is_caught() {
    caught(BUGS.iter().filter(|bug| !bug.graphs).step_by(2), || Judge::Model);
}

#[test]
fn every_other_planted_bug_is_caught() {
    caught(BUGS.iter().filter(|bug| !bug.graphs).skip(1).step_by(2), || Judge::Model);
}

#[test]
fn every_planted_bug_about_graphs_is_caught() {
    caught(BUGS.iter().filter(|bug| bug.graphs), || Judge::Model);
}

#[test]
fn the_invariants_alone_catch_what_breaks_them() {
    caught(BUGS.iter().filter(|bug| bug.shows && !bug.graphs), || Judge::Invariants);
}

#[test]
fn the_invariants_alone_catch_what_breaks_graphs() {
    caught(BUGS.iter().filter(|bug| bug.shows && bug.graphs), || Judge::Invariants);
}

#[test]
fn a_failure_is_shrunk_to_the_calls_it_takes() {
    let server = Server::start();
    let bug = BUGS.iter().find(|bug| bug.name == "complete without a look at the token").unwrap();
    let mut bench = Bench::new(&server, &plant(bug), Judge::Both);
    let failure = explore(&mut bench, bug.seed, ENOUGH, 10_000).expect("a failure");
    // Register, submit, reserve, complete; the listeners may exist from the beginning.
    assert!(failure.case.calls.len() <= 5, "{}", failure.what);
    assert!(failure.what.contains(" complete \"t"), "{}", failure.what);
}
