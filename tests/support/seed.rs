//! Seeds of randomised tests. Each is printed with the command that repeats the run, which the output of a failed
//! test shows.

use std::env;
use std::ops::RangeInclusive;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

/// Names a seed, to repeat a run.
const VARIABLE: &str = "BLUEQUE_SEED";

/// A new seed for each run.
pub fn new() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    told(given().unwrap_or(u64::from(now.subsec_nanos()) + 1))
}

/// The seeds of a test that always uses the same ones.
pub fn fixed(seeds: RangeInclusive<u64>) -> impl Iterator<Item = u64> {
    given().map_or(seeds, |seed| seed..=seed).map(told)
}

/// One of `BLUEQUE_PASSES_SHARE` items, beginning with an item that the seed selects; all items without it. For tests that
/// try again in another way what another test tries in full: CI has no time for all of them.
pub fn part<T>(all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let share = env::var("BLUEQUE_PASSES_SHARE").map_or(1, |text| text.parse::<usize>().unwrap().max(1));
    let first = given().map_or(0, |seed| usize::try_from(seed).unwrap() % share);
    all.into_iter().skip(first).step_by(share)
}

fn given() -> Option<u64> {
    let value = env::var(VARIABLE).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{VARIABLE} must be a whole number, not {value:?}")))
}

fn told(seed: u64) -> u64 {
    let thread = thread::current();
    // A test runs in a thread of its name, except with --test-threads=1.
    let test = thread.name().filter(|&name| name != "main").unwrap_or_default();
    let (package, target) = (env!("CARGO_PKG_NAME"), env!("CARGO_CRATE_NAME"));
    println!("repeat it: {VARIABLE}={seed} cargo test --locked --all-features -p {package} --test {target} {test}");
    seed
}
