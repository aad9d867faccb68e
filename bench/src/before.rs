//! `make bench BEFORE=COMMIT`: the scripts of another commit beside those of this one, in turns.

use crate::each::{Each, ROWS};
use crate::life::{Life, STEPS};
use crate::server::{Result, Scripts};
use crate::{Choice, Goal, OPTIONS, ROUNDS, queues, sizes, verdicts};

pub fn compare(before: Scripts) -> Result<()> {
    let servers = [sizes::filled_by(before, 1000)?, sizes::filled(1000)?];
    let mut choices: Vec<Choice> = vec![("plain", "q", &[])];
    choices.extend(OPTIONS);
    let (mut lives, mut each) = (Vec::new(), Vec::new());
    for server in &servers {
        queues(server)?;
        let with = |(_, queue, options): &Choice| Life::with(server, queue, options);
        lives.push(choices.iter().map(with).collect::<Result<Vec<_>>>()?);
        each.push(Each::new(server)?);
    }
    for _ in 0..ROUNDS {
        for life in lives.iter_mut().flatten() {
            life.round()?;
        }
    }
    for _ in 0..ROUNDS / 2 {
        each.iter_mut().try_for_each(Each::round)?;
    }
    let ([old_lives, new_lives], [old_each, new_each]) = (lives.as_slice(), each.as_slice()) else {
        return Err("two bundles".into());
    };

    println!("{:<30}{:>9}{:>9}{:>9}", "microseconds of server time", "before", "now", "ratio");
    let mut worst: f64 = 0.0;
    let mut worst_life: f64 = 0.0;
    for ((name, ..), (old, new)) in choices.iter().zip(old_lives.iter().zip(new_lives)) {
        let (old, new) = (old.medians(), new.medians());
        for ((step, old), new) in STEPS.iter().zip(old).zip(new) {
            worst = worst.max(row(&format!("{name}: {step}"), old, new));
        }
        worst_life = worst_life.max(row(&format!("{name}: life"), old.iter().sum(), new.iter().sum()));
    }
    for (name, (old, new)) in ROWS.iter().zip(old_each.medians().into_iter().zip(new_each.medians())) {
        worst = worst.max(row(name, old, new));
    }
    verdicts(&[
        Goal { name: "slowest-script-over-before", measured: worst, target: 1.03 },
        Goal { name: "slowest-life-over-before", measured: worst_life, target: 1.0 },
    ]);
    Ok(())
}

/// Prints both and returns their ratio.
fn row(name: &str, before: f64, now: f64) -> f64 {
    println!("  {name:<28}{before:>9.2}{now:>9.2}{:>9.3}", now / before);
    now / before
}
