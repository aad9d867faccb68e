//! `make bench BEFORE=COMMIT`: compares the scripts of another commit with the scripts of this commit.
//!
//! The two commits take turns. Other load on the machine slows both, or only one of them in a few rounds, which do not
//! change the median.

use crate::each::{Each, ROWS};
use crate::life::{Life, STEPS};
use crate::server::{Result, Scripts, Server, median};
use crate::{Choice, Goal, OPTIONS, ROUNDS, queues, sizes, verdicts};

/// Number of tasks that wait at first. Each round of all commands uses up to 80.
const TASKS: usize = 16_000;

/// Number of pairs of servers. The memory layout of a server makes small scripts up to 7 % faster or slower for the
/// whole run of the server.
const PAIRS: usize = 5;

/// Times of both commits for one row in each round.
#[derive(Default)]
struct Row {
    before: Vec<f64>,
    now: Vec<f64>,
}

pub fn compare(before: &Scripts) -> Result<()> {
    let mut choices: Vec<Choice> = vec![("plain", "q", &[])];
    choices.extend(OPTIONS);
    let mut names = Vec::new();
    for (name, ..) in &choices {
        names.extend(STEPS.map(|step| format!("{name}: {step}")));
        names.push(format!("{name}: life"));
    }
    names.extend(ROWS.map(str::to_owned));
    let mut rows: Vec<Row> = names.iter().map(|_| Row::default()).collect();
    for _ in 0..PAIRS {
        for (row, pair) in rows.iter_mut().zip(pair(before, &choices)?) {
            row.before.extend(pair.before);
            row.now.extend(pair.now);
        }
    }

    println!("{:<30}{:>9}{:>9}{:>9}", "microseconds of server time", "before", "now", "ratio");
    let (mut worst, mut worst_life): (f64, f64) = (0.0, 0.0);
    for (name, row) in names.iter().zip(rows) {
        let ratio = row.print(name);
        if name.ends_with(": life") {
            worst_life = worst_life.max(ratio);
        } else {
            worst = worst.max(ratio);
        }
    }
    verdicts(&[
        Goal { name: "slowest-script-over-before", measured: worst, target: 1.03 },
        Goal { name: "slowest-life-over-before", measured: worst_life, target: 1.0 },
    ]);
    Ok(())
}

/// The scripts of one commit on one server.
struct Side {
    lives: Vec<Life>,
    each: Each,
}

impl Side {
    fn new(scripts: &Scripts, server: &Server, choices: &[Choice]) -> Result<Self> {
        let lives = choices.iter().map(|(_, queue, options)| Life::by(scripts, server, queue, options));
        Ok(Self { lives: lives.collect::<Result<_>>()?, each: Each::new(scripts, server)? })
    }

    /// Returns the time of each row in each round.
    fn took(&self) -> Vec<Vec<f64>> {
        let mut rows = Vec::new();
        for life in &self.lives {
            rows.extend(life.took().iter().cloned());
            rows.push(sums(life.took()));
        }
        rows.extend(self.each.took().iter().cloned());
        rows
    }
}

/// Measures the rows of one pair of servers. On both servers the scripts of both commits take turns, so the data and
/// memory of a server do not favour one commit.
fn pair(before: &Scripts, choices: &[Choice]) -> Result<Vec<Row>> {
    let mut sides = Vec::new();
    for _ in 0..2 {
        let server = sizes::filled(TASKS)?;
        queues(&server)?;
        let old = Side::new(before, &server, choices)?;
        sides.push((old, Side::new(&Scripts::Own, &server, choices)?, server));
    }
    for round in 0..ROUNDS / PAIRS {
        for choice in 0..choices.len() {
            by_turns(&mut sides, round, |side| side.lives.get_mut(choice).map_or(Ok(()), Life::round))?;
        }
    }
    for round in 0..ROUNDS / PAIRS {
        by_turns(&mut sides, round, |side| side.each.round())?;
    }
    let [(old, new, _), (other_old, other_new, _)] = sides.as_slice() else {
        return Err("two servers".into());
    };
    let (before, now) = (old.took().into_iter().zip(other_old.took()), new.took().into_iter().zip(other_new.took()));
    Ok(before.zip(now).map(|(before, now)| Row { before: means(before), now: means(now) }).collect())
}

/// Returns the means of the times of two servers in the same rounds.
fn means((one, other): (Vec<f64>, Vec<f64>)) -> Vec<f64> {
    one.iter().zip(other).map(|(one, other)| f64::midpoint(*one, other)).collect()
}

/// Runs a round of one commit on each server. The next round swaps the commits.
fn by_turns(
    sides: &mut [(Side, Side, Server)],
    round: usize,
    mut run: impl FnMut(&mut Side) -> Result<()>,
) -> Result<()> {
    for (number, (old, new, _)) in sides.iter_mut().enumerate() {
        run(if (number + round).is_multiple_of(2) { old } else { new })?;
    }
    Ok(())
}

/// Returns the sum of the four steps of each round.
fn sums(steps: &[Vec<f64>; 4]) -> Vec<f64> {
    let [submit, reserve, start, complete] = steps;
    let pairs = submit.iter().zip(reserve).zip(start.iter().zip(complete));
    pairs.map(|((submit, reserve), (start, complete))| submit + reserve + start + complete).collect()
}

impl Row {
    /// Prints the medians of both commits, and the median of their ratio in each round. Returns this ratio.
    fn print(self, name: &str) -> f64 {
        let ratio = median(self.before.iter().zip(&self.now).map(|(before, now)| now / before).collect());
        println!("  {name:<28}{:>9.2}{:>9.2}{ratio:>9.3}", median(self.before), median(self.now));
        ratio
    }
}
