//! `blueque describe`: what a running program does on its host, as its supervisor finds it.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use blueque::{TaskId, TaskInfo, wording};
use clap::Args;
use serde::Serialize;

use crate::input::answer::{Patience, answered};
use crate::output::document::document;
use crate::output::size::size;
use crate::output::table::{Column, or_dash, table};
use crate::output::{Code, Format, clean, line, many, one_line, prose};
use crate::processes::description::{Description, Process};
use crate::session::Session;
use crate::subcommand::Subcommand;

/// Number of lines of the log that people see.
const LINES: usize = 10;

/// The supervisor of the task answers, on its host. Functions of workers in Rust, Python or TypeScript are not described:
/// they run in the process of their worker, together with other tasks.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The id of a running task, or an unambiguous prefix of it; @last
    pub id: String,
    /// Also show the values of the environment, except secrets
    #[arg(long)]
    env: bool,
    #[command(flatten)]
    patience: Patience,
}

/// The output in JSON.
#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    #[serde(flatten)]
    description: &'a Description,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (id, info) = session.find_task(&self.id)?;
        let description = self.ask(session, &id, &info)?;
        let id = session.global(id.as_str());
        match session.format {
            Format::Table => write(&id, &description, self.env)?,
            Format::Id => line(id)?,
            format => document(format, &Answer { id: &id, description: &description })?,
        }
        Ok(Code::Ok)
    }
}

impl Options {
    fn ask(&self, session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Description> {
        let (client, calls) = (&session.client, session.client.calls());
        let options = blueque::calls::DescribeOptions::new();
        let options = if self.env { options.values(true) } else { options };
        let number = client.call(&calls.describe(id, &options))?;
        if !answered(session, id, info, Some(number), self.patience.end())? {
            let node = info.node().unwrap_or_default();
            bail!(
                "no answer of the worker {} within {}: its host may be down or cut off, or its supervisor is stopped; \
                 blueque why {id} says when its lease ends",
                one_line(&node),
                wording::span(self.patience.timeout),
            );
        }
        let token = info.token().context("it has no attempt")?;
        let Some(text) = client.call(&calls.description(id, token, number))? else {
            bail!("its worker has answered without a description");
        };
        serde_json::from_str(&text).map_err(|error| anyhow!("the answer of its worker is malformed: {error}"))
    }
}

fn write(id: &str, description: &Description, values: bool) -> anyhow::Result<()> {
    let Description {
        host,
        listener,
        attempt,
        pid,
        folder,
        cwd,
        environment,
        processes,
        files,
        sockets,
        gpus,
        log,
        ..
    } = description;
    let facts = [
        ("id", id.to_owned()),
        ("attempt", attempt.to_string()),
        ("host", format!("{host} (worker {listener})")),
        ("pid", pid.to_string()),
        ("cwd", or_dash(cwd.as_ref())),
        ("run folder", folder.clone()),
    ];
    for (name, value) in facts {
        prose(format!("{name:<12}{}", one_line(&value)), 12)?;
    }
    head("Processes", description.more_processes)?;
    table(&PROCESSES, processes.iter().zip(depths(processes)).map(|(process, depth)| cells(process, depth)))?;
    head("Open files", description.more_files)?;
    table(
        &FILES,
        files.iter().map(|file| {
            let cells = [or_dash(file.position.map(size)), or_dash(file.size.map(size)), file.path.clone()];
            [file.pid.to_string(), file.fd.to_string()].into_iter().chain(cells).collect()
        }),
    )?;
    if *sockets > 0 {
        line(format!("and {}", many(*sockets, "socket")))?;
    }
    if let Some(gpus) = gpus {
        head("GPUs", 0)?;
        table(
            &GPUS,
            gpus.iter().map(|gpu| {
                let number = |value: Option<f64>, unit: &str| or_dash(value.map(|value| format!("{value} {unit}")));
                let memory = [number(gpu.memory_mib, "MiB"), number(gpu.total_mib, "MiB")];
                let cells = [gpu.index.clone(), gpu.name.clone(), number(gpu.busy_percent, "%")];
                cells.into_iter().chain(memory).collect()
            }),
        )?;
    }
    head("Environment", description.more_variables)?;
    if values {
        for (name, value) in environment {
            line(one_line(&format!("{name}={}", value.as_deref().unwrap_or("…"))))?;
        }
    } else {
        prose(one_line(&environment.keys().map(String::as_str).collect::<Vec<_>>().join(" ")), 0)?;
    }
    if let Some(log) = log {
        head("Log", 0)?;
        let lines: Vec<&str> = log.lines().collect();
        for text in lines.iter().skip(lines.len().saturating_sub(LINES)) {
            line(clean(text))?;
        }
    }
    Ok(())
}

const PROCESSES: [Column; 8] = [
    Column::whole("pid"),
    Column::whole("state").rank(3),
    Column::whole("cpu"),
    Column::whole("cpu_time"),
    Column::whole("memory"),
    Column::whole("threads").rank(1),
    Column::whole("age").rank(2),
    Column::text("command"),
];

const FILES: [Column; 5] = [
    Column::whole("pid"),
    Column::whole("fd").rank(1),
    Column::whole("position"),
    Column::whole("size"),
    Column::text("path").at_least(20),
];

const GPUS: [Column; 5] =
    [Column::whole("gpu"), Column::text("name"), Column::whole("busy"), Column::whole("memory"), Column::whole("of")];

fn head(name: &str, more: usize) -> anyhow::Result<()> {
    let more = if more > 0 { format!(" ({more} more are left out)") } else { String::new() };
    Ok(line(format!("\n{name}{more}:"))?)
}

fn cells(process: &Process, depth: usize) -> Vec<String> {
    let span = |seconds: f64| wording::span(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    vec![
        process.pid.to_string(),
        process.state.to_string(),
        format!("{}%", process.cpu_percent),
        span(process.cpu_seconds),
        size(process.memory),
        process.threads.to_string(),
        span(process.age_seconds),
        format!("{}{}", "  ".repeat(depth), process.command),
    ]
}

/// Returns the number of ancestors of each process in the list.
fn depths(processes: &[Process]) -> Vec<usize> {
    let mut known: HashMap<i32, usize> = HashMap::new();
    let depth = |process: &Process| {
        let depth = known.get(&process.parent).map_or(0, |depth| depth + 1);
        known.insert(process.pid, depth);
        depth
    };
    processes.iter().map(depth).collect()
}
