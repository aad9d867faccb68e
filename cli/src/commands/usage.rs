//! `blueque usage`

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use blueque::{Filter, QueueName, Status, TaskId, TaskInfo};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::input::values::{past, queue_name, whole_number};
use crate::output::size::size;
use crate::output::table::{self, Cell, Column, Row};
use crate::output::{Code, Format, many, say};
use crate::run_folder::end::Cost;
use crate::session::Session;
use crate::session::many::{AT_ONCE, at_once};
use crate::session::several::{Several, verdict};
use crate::subcommand::Subcommand;
use crate::times::{self, When};
use crate::view::cost;

/// Number of tasks that are read at once.
const PAGE: usize = 500;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
    /// What the rows are
    #[arg(long, value_enum, default_value_t = By::Queue, value_name = "WHAT")]
    by: By,
    /// Only attempts that ended at this time or later: 7days for the last week, or 2026-11-01
    #[arg(long, value_name = "TIME", value_parser = past, default_value = "1day", allow_hyphen_values = true)]
    since: When,
    /// Only attempts that ended before this time
    #[arg(long, value_name = "TIME", value_parser = past, allow_hyphen_values = true)]
    until: Option<When>,
    /// Look at most at this number of tasks of each partition, the latest first
    #[arg(long, default_value_t = 10_000, value_parser = whole_number::<u32>(1, 1_000_000))]
    limit: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    Queue,
    /// A task with several tags counts for each of them
    Tag,
    Method,
    Submitter,
}

impl By {
    /// Returns the names of the rows for which a task counts.
    fn names(self, info: &TaskInfo) -> Vec<String> {
        let name = match self {
            Self::Queue => info.queue(),
            Self::Tag => return Some(info.tags()).filter(|tags| !tags.is_empty()).unwrap_or_else(|| vec!["-".into()]),
            Self::Method => info.method(),
            Self::Submitter => info.fields.get("submitter").map(|name| String::from_utf8_lossy(name).into_owned()),
        };
        vec![name.unwrap_or_else(|| "-".to_owned())]
    }
}

/// The costs of attempts.
#[derive(Default, Serialize)]
struct Used {
    name: String,
    tasks: usize,
    attempts: u64,
    cpu_seconds: f64,
    wall_seconds: f64,
    /// Maximum memory of an attempt.
    peak_bytes: u64,
    read_bytes: u64,
    written_bytes: u64,
}

impl Used {
    /// Adds the sums of another partition.
    fn merge(&mut self, other: &Self) {
        self.tasks += other.tasks;
        self.attempts += other.attempts;
        self.cpu_seconds += other.cpu_seconds;
        self.wall_seconds += other.wall_seconds;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
    }

    fn add(&mut self, costs: &[Cost]) {
        self.tasks += 1;
        for cost in costs {
            let seconds = |millis| std::time::Duration::from_millis(millis).as_secs_f64();
            self.attempts += 1;
            self.cpu_seconds += seconds(cost.cpu_ms);
            self.wall_seconds += seconds(cost.wall_ms);
            self.peak_bytes = self.peak_bytes.max(cost::memory_bytes(cost));
            self.read_bytes += cost.read_bytes.unwrap_or(0);
            self.written_bytes += cost.written_bytes.unwrap_or(0);
        }
    }
}

/// The sums of a period.
#[derive(Default)]
struct Sums {
    rows: BTreeMap<String, Used>,
    total: Used,
    /// Number of tasks that were looked at, and true if there are more.
    looked: usize,
    more: bool,
    /// Time of creation of the oldest of these tasks.
    oldest: Option<SystemTime>,
}

impl Sums {
    fn row(&mut self, name: String) -> &mut Used {
        self.rows.entry(name.clone()).or_insert_with(|| Used { name, ..Used::default() })
    }

    /// Adds the sums of another partition.
    fn merge(&mut self, other: Self) {
        for (name, used) in other.rows {
            self.row(name).merge(&used);
        }
        self.total.merge(&other.total);
        self.looked += other.looked;
        // All tasks since the oldest of the partition whose tasks were not all looked at are counted.
        self.oldest = match (self.more, other.more) {
            (true, true) => self.oldest.max(other.oldest),
            (false, true) => other.oldest,
            _ => self.oldest,
        };
        self.more |= other.more;
    }

    fn write(self, format: Format) -> anyhow::Result<()> {
        let mut rows: Vec<Used> = self.rows.into_values().collect();
        rows.sort_by(|one, other| other.cpu_seconds.total_cmp(&one.cpu_seconds));
        if rows.len() > 1 && format == Format::Table {
            rows.push(Used { name: "total".to_owned(), ..self.total });
        }
        table::write(format, &rows)?;
        let looked = many(self.looked, "task");
        say(match self.oldest.filter(|_| self.more) {
            Some(oldest) => format!(
                "looked at the latest {looked}, created since {}; older ones are not counted: --limit looks further",
                times::to_the_second(oldest)
            ),
            None => format!("looked at all {looked} that the server still has"),
        });
        Ok(())
    }
}

fn hours(seconds: f64) -> String {
    format!("{:.2}", seconds / 3600.0)
}

impl Row for Used {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("name").at_least(20), |row| row.name.clone()),
        (Column::whole("tasks"), |row| row.tasks.to_string()),
        (Column::whole("attempts").rank(1), |row| row.attempts.to_string()),
        (Column::whole("cpu hours"), |row| hours(row.cpu_seconds)),
        (Column::whole("wall hours"), |row| hours(row.wall_seconds)),
        (Column::whole("peak memory"), |row| size(row.peak_bytes)),
        (Column::whole("read").rank(2), |row| size(row.read_bytes)),
        (Column::whole("written").rank(2), |row| size(row.written_bytes)),
    ];
}

impl Options {
    /// Returns the costs of the attempts that ended in the period. The record has the cost of the last attempt; the
    /// costs of earlier attempts are in the history.
    fn costs(&self, session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Vec<Cost>> {
        let (since, until) = (self.since.time(), self.until.map(When::time));
        let within = |at: SystemTime| at >= since && until.is_none_or(|until| at < until);
        let read = |bytes: &[u8]| cost::read(bytes);
        if info.attempt() > 1 {
            let steps = session.client.task(id.as_str())?.history()?.into_iter();
            let ended = steps.filter(|step| step.at.is_some_and(within));
            return Ok(ended.filter_map(|step| read(step.cost.as_deref()?)).collect());
        }
        let ended = info.status().is_some_and(|status| !matches!(status, Status::Reserved | Status::Started));
        let at = info.updated().filter(|_| ended).filter(|at| within(*at));
        Ok(at.and_then(|_| read(info.cost()?)).into_iter().collect())
    }

    /// Adds up what the tasks of one namespace used.
    fn sums(&self, session: &Session) -> anyhow::Result<Sums> {
        let (filter, most) = (Filter::new(), self.limit as usize);
        let ids = match &self.queue {
            Some(queue) => session.client.queue(queue.as_str())?.find(&filter, most + 1)?,
            None => session.client.find(&filter, most + 1)?,
        };
        if ids.is_empty() {
            session.must_exist(self.queue.as_slice())?;
        }
        let ids: Vec<TaskId> = ids.into_iter().filter_map(|id| TaskId::new(id).ok()).collect();
        let mut sums = Sums { looked: ids.len().min(most), more: ids.len() > most, ..Sums::default() };
        for page in ids.get(..sums.looked).unwrap_or_default().chunks(PAGE) {
            for (id, info) in page.iter().zip(session.client.infos(page)?) {
                let Some(info) = info else { continue };
                sums.oldest = info.created().into_iter().chain(sums.oldest).min();
                let costs = self.costs(session, id, &info)?;
                if costs.is_empty() {
                    continue;
                }
                sums.total.add(&costs);
                for name in self.by.names(&info).into_iter().collect::<BTreeSet<_>>() {
                    sums.row(name).add(&costs);
                }
            }
        }
        Ok(sums)
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.sums(session)?.write(session.format)?;
        Ok(Code::Ok)
    }

    fn combine(&self, several: &Several<'_>) -> Option<anyhow::Result<Code>> {
        let add = || {
            let (mut all, mut outcomes) = (Sums::default(), Vec::new());
            for (name, sums) in at_once(several.all, AT_ONCE, |name| self.sums(&several.open(name)?)) {
                outcomes.push((
                    name,
                    sums.map(|sums| {
                        all.merge(sums);
                        Code::Ok
                    }),
                ));
            }
            let code = verdict(outcomes)?;
            all.write(several.format)?;
            Ok(code)
        };
        Some(add())
    }
}
