//! `blueque admin maintenance`

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use blueque::QueueName;
use clap::Args;
use serde::Serialize;

use crate::input::values::{duration, queue_name};
use crate::notify::{self, Courier};
use crate::output::table::{self, Cell, Column, Row, or_dash};
use crate::output::{Code, Format, behind, fault, say};
use crate::session::Session;
use crate::session::config::targets;
use crate::session::outage::Outage;
use crate::subcommand::Subcommand;

/// Maximum number of queues of one call.
const TOGETHER: usize = 32;

/// Maximum number of calls for the same queues in one round. Remaining work is left to the next round.
const CALLS: usize = 10_000;

/// Interval at which the server's clock is read. The time of the next work depends on this clock.
const SELDOM: Duration = Duration::from_secs(60);

/// The shortest pause between two rounds.
const SHORTEST: Duration = Duration::from_millis(10);

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queues [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queues: Vec<QueueName>,
    /// Do the work that is due, then exit with 0, or with 1 if a part failed
    #[arg(long, conflicts_with = "every")]
    pub once: bool,
    /// With --once: exit with 8 if nothing was due
    #[arg(long, requires = "once")]
    exit_code: bool,
    /// The longest pause between two rounds
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "2s")]
    every: Duration,
    /// Also check all data of the queues and repair it: at the start, and then at this interval
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    deep_every: Option<Duration>,
}

/// The work that was done for one part of the maintenance.
#[derive(Serialize)]
struct Work {
    part: String,
    number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

impl Row for Work {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::id("part"), |row| row.part.clone()),
        (Column::whole("number"), |row| row.number.to_string()),
        (Column::text("trouble"), |row| or_dash(row.trouble.as_ref())),
    ];
}

/// A round: the work done, by part, and the time at which the next round is due.
#[derive(Default)]
struct Round {
    done: BTreeMap<String, u64>,
    troubles: BTreeMap<String, String>,
    next: Option<SystemTime>,
}

impl Round {
    fn parts(self) -> Vec<Work> {
        let Self { mut done, mut troubles, .. } = self;
        done.extend(
            troubles.keys().filter(|&part| !done.contains_key(part)).cloned().map(|part| (part, 0)).collect::<Vec<_>>(),
        );
        done.into_iter().map(|(part, number)| Work { trouble: troubles.remove(&part), part, number }).collect()
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        if self.once {
            let mut round = round(session, &self.queues, self.deep_every.is_some())?;
            notices(session, &mut round)?;
            let code = match round {
                Round { ref troubles, .. } if !troubles.is_empty() => Code::Failed,
                Round { ref done, .. } if done.is_empty() && self.exit_code => Code::NothingDue,
                _ => Code::Ok,
            };
            session.write(&round.parts())?;
            return Ok(code);
        }
        if session.format == Format::Json {
            return Err(fault(Code::Usage, "a service has no end: use -o jsonl, or --once"));
        }
        behind::begin();
        let (client, namespace, targets) = (session.client.clone(), session.namespace.clone(), targets()?);
        thread::spawn(move || {
            let never = |pause| {
                thread::sleep(pause);
                false
            };
            notify::run(&client, namespace.as_str(), &targets, &never, &|text| say(text));
        });
        let (mut outage, mut shown) = (Outage::default(), table::Stream::new(session.format, session.partition()));
        let (mut said, mut looked, mut clock) = (BTreeMap::new(), None::<Instant>, None::<(SystemTime, Instant)>);
        loop {
            let deep = self.deep_every.is_some_and(|every| looked.is_none_or(|at| at.elapsed() >= every));
            let Some(mut round) = outage.survive(round(session, &self.queues, deep))? else {
                thread::sleep(self.every.max(SHORTEST));
                continue;
            };
            if deep {
                looked = Some(Instant::now());
            }
            if clock.is_none_or(|(_, read)| read.elapsed() >= SELDOM) {
                let handshake = session.client.call(&session.client.calls().handshake());
                clock = handshake.ok().map(|handshake| (handshake.now, Instant::now())).or(clock);
            }
            let left = clock.zip(round.next).map_or(self.every, |((now, read), next)| {
                next.duration_since(now).unwrap_or_default().saturating_sub(read.elapsed())
            });
            // A problem is reported only when it begins.
            let troubles = std::mem::take(&mut round.troubles);
            for (part, trouble) in &troubles {
                if said.get(part) != Some(trouble) {
                    say(format!("{part} fails: {trouble}; it is tried again"));
                }
            }
            said = troubles;
            shown.write(&round.parts())?;
            thread::sleep(left.min(self.every).max(SHORTEST));
        }
    }

    fn waits(&self) -> Option<Option<Duration>> {
        (!self.once).then_some(None)
    }
}

/// Delivers all notices that are due.
fn notices(session: &Session, round: &mut Round) -> anyhow::Result<()> {
    for (name, target) in &targets()? {
        let found = Courier::new(&session.client, session.namespace.as_str(), name, target).all()?;
        if found.delivered > 0 {
            *round.done.entry("notices".to_owned()).or_default() += found.delivered;
        }
        if let Some(refusal) = found.refusal {
            round.troubles.insert("notices".to_owned(), format!("{name}: {refusal}"));
        }
    }
    Ok(())
}

/// Does all due work, and with `deep` also all repairs. The result contains only parts with work.
fn round(session: &Session, queues: &[QueueName], deep: bool) -> anyhow::Result<Round> {
    let mut round = Round::default();
    let queues = session.queues(queues)?;
    for queue in queues.iter().filter(|_| deep) {
        match session.client.queue(queue.as_str())?.repair(None) {
            Ok((0, _)) => {}
            Ok((repaired, _)) => *round.done.entry("repair".to_owned()).or_default() += repaired,
            Err(error) if error.is_transient() => return Err(error.into()),
            Err(error) => {
                round.troubles.insert("repair".to_owned(), error.to_string());
            }
        }
    }
    // A namespace without queues may have schedules and graphs.
    let none: &[QueueName] = &[];
    for some in queues.chunks(TOGETHER).chain(queues.is_empty().then_some(none)) {
        for _ in 0..CALLS {
            let step = session.client.maintenance(some)?;
            if step.number > 0 {
                *round.done.entry(step.part.clone()).or_default() += step.number;
            }
            if let Some(trouble) = step.trouble {
                round.troubles.insert(step.part, trouble);
            }
            round.next = Some(round.next.map_or(step.next, |next| next.min(step.next)));
            if !step.more {
                break;
            }
        }
    }
    Ok(round)
}
