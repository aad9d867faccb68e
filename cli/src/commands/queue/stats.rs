//! `blueque queue stats`

use std::time::Duration;

use blueque::{Durations, Figures, QueueName, Statistics};
use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};

use crate::input::values::{queue_name, whole_number};
use crate::output::table::{self, Cell, Column, Row, or_dash};
use crate::output::{Code, Format, json, line, say};
use crate::session::Session;
use crate::session::many::{AT_ONCE, at_once};
use crate::session::several::{Several, verdict};
use crate::subcommand::Subcommand;
use crate::times;

/// Maximum number of `aggregate` calls before the numbers are read: enough for all events that a queue keeps.
const AGGREGATES: usize = 200;

/// The widest bar of a histogram.
const BAR: f64 = 40.0;

/// The columns for durations.
const DURATIONS: &[Column] = &[
    Column::whole(""),
    Column::whole("count"),
    Column::whole("mean"),
    Column::whole("deviation").rank(1),
    Column::whole("least").rank(2),
    Column::whole("median"),
    Column::whole("90%"),
    Column::whole("99%").rank(3),
    Column::whole("most"),
];

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// Number of days, including today; 30 are kept unless the setting `statistics` differs
    #[arg(long, value_name = "N", default_value_t = 7, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 400))]
    days: u32,
    /// Show one line for each day
    #[arg(long, conflicts_with = "histogram")]
    each: bool,
    /// Only attempts on this host: their ends and durations
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Show a histogram of durations
    #[arg(long, value_enum, value_name = "WHAT")]
    histogram: Option<Measure>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Measure {
    /// The time that tasks waited for a listener
    Wait,
    /// The run time of all attempts
    Run,
    /// The run time of attempts that completed their task
    Done,
}

/// Durations in JSON.
#[derive(Serialize)]
struct Took {
    count: u64,
    #[serde(flatten, serialize_with = "known")]
    spans: Spans,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    histogram: Vec<Bucket>,
}

/// Figures of durations, by their names. Without durations, there are none.
type Spans = [(&'static str, Option<Duration>); 7];

#[derive(Serialize)]
struct Bucket {
    /// Upper bound in seconds; absent for durations above all bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    up_to: Option<f64>,
    count: u64,
}

/// Returns the figures in the order of `DURATIONS`.
fn spans(all: &Durations) -> Spans {
    let any = all.count > 0;
    [
        ("mean", all.mean()),
        ("deviation", all.deviation()),
        ("least", any.then_some(all.least)),
        ("median", all.quantile(0.5)),
        ("p90", all.quantile(0.9)),
        ("p99", all.quantile(0.99)),
        ("most", any.then_some(all.most)),
    ]
}

/// Serializes the known figures in seconds.
fn known<S: Serializer>(spans: &Spans, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(spans.iter().filter_map(|(name, span)| Some((name, span.as_ref()?.as_secs_f64()))))
}

impl Took {
    fn new(all: &Durations) -> Self {
        let bound = |at| Durations::BOUNDS.get(at).map(Duration::as_secs_f64);
        let buckets = all.buckets.iter().enumerate().filter(|(_, count)| **count > 0);
        let histogram = buckets.map(|(at, &count)| Bucket { up_to: bound(at), count });
        Self { count: all.count, spans: spans(all), histogram: histogram.collect() }
    }
}

/// The numbers of one or several days.
#[derive(Serialize)]
struct Numbers {
    #[serde(skip_serializing_if = "Option::is_none")]
    day: Option<String>,
    #[serde(flatten, serialize_with = "by_name")]
    all: Figures,
    wait: Took,
    run: Took,
    done: Took,
}

/// Returns the counts of tasks and attempts, by their names.
fn counts(all: &Figures) -> [(&'static str, u64); 9] {
    [
        ("submitted", all.submitted),
        ("started", all.started),
        ("complete", all.complete),
        ("failed", all.failed),
        ("cancelled", all.cancelled),
        ("failures", all.failures),
        ("retries", all.retries),
        ("losses", all.losses),
        ("releases", all.releases),
    ]
}

fn by_name<S: Serializer>(all: &Figures, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts(all).into_iter().chain([("missed", all.missed)]))
}

impl Numbers {
    fn new(day: Option<&str>, all: &Figures) -> Self {
        let [wait, run, done] = [&all.wait, &all.run, &all.done].map(Took::new);
        Self { day: day.map(dashed), all: all.clone(), wait, run, done }
    }
}

impl Row for Numbers {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("day"), |row| row.day.clone().unwrap_or_default()),
        (Column::whole("submitted").rank(9), |row| row.all.submitted.to_string()),
        (Column::whole("started").rank(5), |row| row.all.started.to_string()),
        (Column::whole("complete"), |row| row.all.complete.to_string()),
        (Column::whole("failed"), |row| row.all.failed.to_string()),
        (Column::whole("cancelled").rank(4), |row| row.all.cancelled.to_string()),
        (Column::whole("failures").rank(6), |row| row.all.failures.to_string()),
        (Column::whole("retries").rank(3), |row| row.all.retries.to_string()),
        (Column::whole("losses").rank(2), |row| row.all.losses.to_string()),
        (Column::whole("releases").rank(1), |row| row.all.releases.to_string()),
        (Column::whole("wait").rank(7), |row| span(row.all.wait.mean())),
        (Column::whole("run"), |row| span(row.all.run.mean())),
        (Column::whole("done").rank(8), |row| span(row.all.done.mean())),
    ];
}

/// The output in JSON.
#[derive(Serialize)]
struct Answer<'a> {
    queue: &'a str,
    first: String,
    last: String,
    total: Numbers,
    days: &'a [Numbers],
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        write(session.format, self, &read(session, self)?)?;
        Ok(Code::Ok)
    }

    /// Writes the statistics of all partitions that answered.
    fn combine(&self, several: &Several<'_>) -> Option<anyhow::Result<Code>> {
        let found = at_once(several.all, AT_ONCE, |name| read(&several.open(name)?, self));
        let (mut answers, mut outcomes) = (Vec::new(), Vec::new());
        for (name, found) in found {
            outcomes.push((name, found.map(|found| answers.push(found)).map(|()| Code::Ok)));
        }
        let written = together(answers).map_or(Ok(()), |found| write(several.format, self, &found));
        Some(written.and_then(|()| verdict(outcomes)))
    }
}

/// Returns the numbers, after calling `aggregate` to update them.
fn read(session: &Session, options: &Options) -> anyhow::Result<Statistics> {
    let queue = session.client.queue(options.queue.as_str())?;
    for _ in 0..AGGREGATES {
        if !queue.aggregate()?.more {
            break;
        }
    }
    let found = match &options.host {
        Some(host) => queue.statistics_of(host, options.days)?,
        None => queue.statistics(options.days)?,
    };
    if found.days.is_empty() {
        session.must_exist(std::slice::from_ref(&options.queue))?;
    }
    Ok(found)
}

/// Adds the numbers of several partitions.
fn together(all: Vec<Statistics>) -> Option<Statistics> {
    all.into_iter().reduce(|mut sum, other| {
        sum.total.add(&other.total);
        for day in other.days {
            match sum.days.iter_mut().find(|known| known.date == day.date) {
                Some(known) => known.figures.add(&day.figures),
                None => sum.days.push(day),
            }
        }
        sum.days.sort_by(|one, other| one.date.cmp(&other.date));
        sum
    })
}

fn write(format: Format, options: &Options, found: &Statistics) -> anyhow::Result<()> {
    let days: Vec<Numbers> = found.days.iter().map(|day| Numbers::new(Some(&day.date), &day.figures)).collect();
    match format {
        Format::Table if options.each => table::write(Format::Table, &days)?,
        Format::Table => people(options, found)?,
        Format::Id => days.iter().try_for_each(|day| line(day.id()))?,
        Format::Json | Format::Jsonl if !options.each => {
            let (first, last) = (dashed(&found.first), dashed(&found.last));
            let total = Numbers::new(None, &found.total);
            line(json(&Answer { queue: options.queue.as_str(), first, last, total, days: &days })?)?;
        }
        format => table::write(format, &days)?,
    }
    if found.total.missed > 0 {
        say(format!(
            "-- {} events were trimmed before anybody counted them: keep a worker running, or raise the setting events --",
            found.total.missed
        ));
    }
    Ok(())
}

fn people(options: &Options, found: &Statistics) -> anyhow::Result<()> {
    let all = &found.total;
    let range = if found.first == found.last {
        dashed(&found.first)
    } else {
        format!("{} to {}", dashed(&found.first), dashed(&found.last))
    };
    let place = options.host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
    line(format!("{}{place}, {range} (UTC)", options.queue))?;
    if let Some(measure) = options.histogram {
        let durations = match measure {
            Measure::Wait => &all.wait,
            Measure::Run => &all.run,
            Measure::Done => &all.done,
        };
        return histogram(durations);
    }
    // The numbers of submitted tasks, started tasks and waits are not counted by host.
    let shown = |name: &str| options.host.is_none() || !["submitted", "started", "wait"].contains(&name);
    for (name, count) in counts(all).into_iter().filter(|(name, _)| shown(name)) {
        line(format!("{name:<11} {count}"))?;
    }
    line("")?;
    let rows =
        [("wait", &all.wait), ("run", &all.run), ("done", &all.done)].into_iter().filter(|(name, _)| shown(name));
    let rows = rows.map(|(name, durations)| {
        let spans = spans(durations).map(|(_, figure)| span(figure));
        [name.to_owned(), durations.count.to_string()].into_iter().chain(spans).collect()
    });
    table::table(DURATIONS, rows.into_iter())
}

fn histogram(durations: &Durations) -> anyhow::Result<()> {
    let largest = durations.buckets.iter().max().copied().unwrap_or(0);
    let used = |at: &usize| durations.buckets.get(*at).is_some_and(|&count| count > 0);
    let (Some(first), Some(last)) = ((0..22).find(used), (0..22).rev().find(used)) else {
        line("nothing yet")?;
        return Ok(());
    };
    for at in first..=last {
        let count = durations.buckets.get(at).copied().unwrap_or(0);
        let bound = match Durations::BOUNDS.get(at) {
            Some(&bound) => format!("up to {}", whole(bound)),
            None => "longer".to_owned(),
        };
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 40"
        )]
        let bar = (count as f64 / largest as f64 * BAR).ceil() as usize;
        line(format!("{bound:<13} {count:>8}  {}", "#".repeat(bar)).trim_end())?;
    }
    Ok(())
}

/// Formats the bound of a bucket: `10m`, `8h`, `14days`.
fn whole(bound: Duration) -> String {
    let seconds = bound.as_secs();
    let units = [(604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m")];
    let unit = units.into_iter().find(|(size, _)| seconds >= *size);
    unit.map_or_else(|| format!("{seconds}s"), |(size, unit)| format!("{}{unit}", seconds / size))
}

fn span(span: Option<Duration>) -> String {
    or_dash(span.map(times::span))
}

/// Formats a date such as `20261121` as `2026-11-21`.
fn dashed(date: &str) -> String {
    match (date.get(..4), date.get(4..6), date.get(6..)) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => date.to_owned(),
    }
}
