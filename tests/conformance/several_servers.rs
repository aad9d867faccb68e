//! The cases on several servers that hold the keys in turn: a cluster whose slot moves, and a set of Sentinels whose
//! master is replaced.
//!
//! A case is left out, and counted, if it needs something that these servers lack, or concerns one server alone.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::cases::{self, Case, list};
use crate::failure;
use crate::moving_cluster::Moving;
use crate::replica_set::{Fall, Watched};
use crate::support::{report, seed, server_program, valkey_program};
use crate::tagged::{NAMESPACE, is_about_one_server, tagged, unfit};

/// Share of the cases: one of this number is played, unless `BLUEQUE_CASES_SHARE` sets another number. All cases take
/// minutes.
const SHARE: u64 = 30;

/// The cases that are played, and the number of cases that are left out for each reason.
struct Chosen {
    cases: Vec<Case>,
    all: usize,
    left_out: BTreeMap<&'static str, usize>,
}

/// Chooses one in `share` of the cases that fit, beginning with a case that the seed selects.
fn choose(seed: u64, unfit: impl Fn(&Case) -> Option<&'static str>) -> Chosen {
    let share = std::env::var("BLUEQUE_CASES_SHARE").map_or(SHARE, |share| share.parse().unwrap()).max(1);
    let all = cases::all();
    let (number, mut fit, mut left_out) = (all.len(), Vec::new(), BTreeMap::new());
    for case in all {
        match unfit(&case) {
            Some(why) => *left_out.entry(why).or_insert(0) += 1,
            None => fit.push(case),
        }
    }
    let (share, first) = (usize::try_from(share).unwrap(), usize::try_from(seed % share).unwrap());
    let cases = fit.into_iter().skip(first).step_by(share).collect();
    Chosen { cases, all: number, left_out }
}

impl Chosen {
    fn report(&self, place: &str, what: &str) {
        let left_out: Vec<String> = self.left_out.iter().map(|(why, number)| format!("{number} {why}")).collect();
        let fit = self.all - self.left_out.values().sum::<usize>();
        report(&format!(
            "{place}: {} of {fit} cases; {what}; of {} cases left out: {}",
            self.cases.len(),
            self.all,
            left_out.join(", ")
        ));
    }
}

fn on_a_slot_that_moves(name: &str, program: &Path) {
    let seed = seed::new();
    let chosen = choose(seed, unfit);
    let mut moving = Moving::start(program, NAMESPACE, seed);
    let failures: Vec<String> = chosen.cases.iter().filter_map(|case| failure(&mut moving, &tagged(case))).collect();
    chosen.report(&format!("{name}, a slot that moves in a cluster of 3 + 3"), &moving.end());
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

/// Returns true if the master may be replaced during a case. A case with maintenance is excluded, as maintenance takes
/// the new master for a restart.
fn may_fall(case: &Case) -> bool {
    let is_maintenance = |step: &Value| {
        step["do"][0].as_str().is_some_and(|name| blueque::bundle::command(name).unwrap().role() == Some("maintenance"))
    };
    case.steps().len() > 2 && !case.steps().iter().any(is_maintenance) && !is_about_one_server(case)
}

fn across_failovers(name: &str, program: &Path) {
    let seed = seed::new();
    let chosen = choose(seed, |case| case.on_cluster().then_some("with a second node of their own"));
    let mut watched = Watched::start(program, "ns");
    // The middle case has a failover on request. If there are many cases, two others have a failover after the
    // master's death.
    let number = chosen.cases.len();
    let mut falls = vec![(number / 2, Fall::Asked)];
    if number > 1000 {
        falls.extend([(number / 4, Fall::Dead), (number * 3 / 4, Fall::Dead)]);
    }
    falls.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut failures = Vec::new();
    for (at, case) in chosen.cases.iter().enumerate() {
        if falls.last().is_some_and(|(from, _)| *from <= at) && may_fall(case) {
            let steps = u64::try_from(list(&case.data["steps"]).len()).unwrap();
            watched.falls_after(u32::try_from(seed % steps).unwrap(), falls.pop().unwrap().1);
        }
        failures.extend(failure(&mut watched, case));
    }
    assert!(falls.is_empty(), "the master was to be replaced {} times more", falls.len());
    chosen.report(
        &format!("{name}, a Sentinel set of 1 + 2 + 3"),
        &format!("the master replaced {} times", watched.failovers),
    );
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn cases_hold_while_their_slot_moves_in_a_cluster_of_redis() {
    on_a_slot_that_moves("Redis", &server_program());
}

#[test]
fn cases_hold_while_their_slot_moves_in_a_cluster_of_valkey() {
    on_a_slot_that_moves("Valkey", &valkey_program());
}

#[test]
fn cases_hold_when_sentinels_of_redis_replace_the_master() {
    across_failovers("Redis", &server_program());
}

#[test]
fn cases_hold_when_sentinels_of_valkey_replace_the_master() {
    across_failovers("Valkey", &valkey_program());
}
