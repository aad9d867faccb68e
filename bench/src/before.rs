//! `make bench BEFORE=COMMIT`: the scripts of another commit beside those of this one.
//!
//! Both take turns, and each round gives a ratio: what else the machine does in the meantime slows both, or one of
//! them in few rounds, which the median does not see.

use crate::each::{Each, ROWS};
use crate::life::{Life, STEPS};
use crate::server::{Result, Scripts, median};
use crate::{Choice, Goal, OPTIONS, ROUNDS, queues, sizes, verdicts};

/// Tasks that wait at first: each round of all commands uses up 20.
const TASKS: usize = 12_000;

pub fn compare(before: Scripts) -> Result<()> {
    let servers = [sizes::filled_by(before, TASKS)?, sizes::filled(TASKS)?];
    let mut choices: Vec<Choice> = vec![("plain", "q", &[])];
    choices.extend(OPTIONS);
    let (mut lives, mut each) = (Vec::new(), Vec::new());
    for server in &servers {
        queues(server)?;
        let with = |(_, queue, options): &Choice| Life::with(server, queue, options);
        lives.push(choices.iter().map(with).collect::<Result<Vec<_>>>()?);
        each.push(Each::new(server)?);
    }
    let ([old_lives, new_lives], [old_each, new_each]) = (lives.as_mut_slice(), each.as_mut_slice()) else {
        return Err("two bundles".into());
    };
    for round in 0..ROUNDS {
        for (old, new) in old_lives.iter_mut().zip(new_lives.iter_mut()) {
            by_turns(round, || old.round(), || new.round())?;
        }
    }
    for round in 0..ROUNDS / 2 {
        by_turns(round, || old_each.round(), || new_each.round())?;
    }

    println!("{:<30}{:>9}{:>9}{:>9}", "microseconds of server time", "before", "now", "ratio");
    let mut worst: f64 = 0.0;
    let mut worst_life: f64 = 0.0;
    for ((name, ..), (old, new)) in choices.iter().zip(old_lives.iter().zip(new_lives.iter())) {
        let (old, new) = (old.took(), new.took());
        for ((step, old), new) in STEPS.iter().zip(old).zip(new) {
            worst = worst.max(row(&format!("{name}: {step}"), old, new));
        }
        worst_life = worst_life.max(row(&format!("{name}: life"), &sums(old), &sums(new)));
    }
    for (name, (old, new)) in ROWS.iter().zip(old_each.took().iter().zip(new_each.took())) {
        worst = worst.max(row(name, old, new));
    }
    verdicts(&[
        Goal { name: "slowest-script-over-before", measured: worst, target: 1.03 },
        Goal { name: "slowest-life-over-before", measured: worst_life, target: 1.0 },
    ]);
    Ok(())
}

/// Runs both, each first in every other round: whoever comes second finds other things in the processor's caches.
fn by_turns(round: usize, one: impl FnOnce() -> Result<()>, other: impl FnOnce() -> Result<()>) -> Result<()> {
    if round.is_multiple_of(2) {
        one()?;
        other()
    } else {
        other()?;
        one()
    }
}

/// What the four steps of each round took together.
fn sums(steps: &[Vec<f64>; 4]) -> Vec<f64> {
    let [submit, reserve, start, complete] = steps;
    let pairs = submit.iter().zip(reserve).zip(start.iter().zip(complete));
    pairs.map(|((submit, reserve), (start, complete))| submit + reserve + start + complete).collect()
}

/// Prints the medians of both, and of their ratio in each round, which it returns.
fn row(name: &str, before: &[f64], now: &[f64]) -> f64 {
    let ratio = median(before.iter().zip(now).map(|(before, now)| now / before).collect());
    println!("  {name:<28}{:>9.2}{:>9.2}{ratio:>9.3}", median(before.to_vec()), median(now.to_vec()));
    ratio
}
