//! `blueque show`

use std::time::{Duration, SystemTime};

use blueque::wording::headline;
use blueque::{GraphParts, TaskId, TaskInfo, Transition};
use clap::Args;

use crate::output::screen::screen;
use crate::output::table::write_one;
use crate::output::{Code, Format, clean, cut, line, many, one_line, prose};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times;
use crate::view::cost;
use crate::view::graph::Whole as GraphView;
use crate::view::notice::NoticeView;
use crate::view::payload::Payload;
use crate::view::policy::Policy;
use crate::view::record::{eta, text};
use crate::view::task::{Note, TaskView, Whole, other_fields};
use crate::view::why::why;

/// Width of the names of fields.
const NAMES: usize = 12;

/// Maximum number of characters of a payload in the output for people.
const SHOWN: usize = 2_000;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The id, or an unambiguous prefix of it; @last, @failed; a graph
    pub id: String,
    /// Show checkpoint, parameters and result in full
    #[arg(long)]
    full: bool,
    /// Show the whole policy, including defaults
    #[arg(long)]
    policy: bool,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        if let Some(graph) = session.find_graph(&self.id)? {
            let GraphParts { info, tasks, .. } = session.client.graph(graph.as_str())?.look()?;
            GraphView::looked_at(session, &graph, &info, tasks)?.write(session.format, false)?;
            return Ok(Code::Ok);
        }
        let (id, info) = session.find_task(&self.id)?;
        let mut task = TaskView::whole(&session.global(id.as_str()), &info);
        let cause = why(session, &id, &info)?;
        task.expected = cause.expected(session, &id)?;
        let lease = cause.why.deadline;
        task.whole = Some(Whole {
            policy: Policy::read(session, &info)?,
            lease_until: lease.and_then(times::exact),
            checkpoint_bytes: info.checkpoint_bytes().map(<[u8]>::len),
            checkpointed: info.checkpointed().and_then(times::exact),
            progressed: info.progressed().and_then(times::exact),
            readied: info.readied().and_then(times::exact),
            inputs: text(&info, "inputs"),
            elements: elements(&info),
            notes: notes(session, &id, &info)?,
            notices: NoticeView::all(session, id.as_str(), &info)?,
            fields: other_fields(&info),
        });
        match session.format {
            Format::Table => people(&task, &info, lease, self)?,
            format => write_one(format, &task)?,
        }
        Ok(Code::Ok)
    }
}

/// Returns the number of results and values from which the task's parameters are assembled.
fn elements(info: &TaskInfo) -> Option<usize> {
    text(info, "slots").map(|lengths| lengths.split(',').count())
}

/// Returns since when the program of a task is suspended, and by whom.
fn suspended(info: &TaskInfo, now: SystemTime) -> Option<String> {
    let by = info.suspended_by().filter(|by| !by.is_empty()).map_or(String::new(), |by| format!(" by {}", clean(&by)));
    let since = info.suspended().map(|since| format!("since {}{by}", times::both(since, now)));
    since.or_else(|| info.is_suspending().then(|| format!("requested{by}, but its worker has not done it yet")))
}

fn input(elements: usize) -> String {
    match elements {
        1 => "1 result or value".to_owned(),
        number => format!("{number} results and values"),
    }
}

fn notes(session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Vec<Note>> {
    if info.notes() == 0 {
        return Ok(Vec::new());
    }
    let history = session.client.task(id.as_str())?.history()?;
    let note = |step: Transition| {
        let text = Payload(step.note.filter(|_| step.why.as_deref() == Some("note"))?);
        Some(Note { at: step.at.and_then(times::exact), by: step.by, text, data: step.data.map(Payload) })
    };
    Ok(history.into_iter().filter_map(note).collect())
}

#[allow(clippy::too_many_lines, reason = "a row for each field")]
fn people(task: &TaskView, info: &TaskInfo, lease: Option<SystemTime>, options: &Options) -> anyhow::Result<()> {
    let now = times::now();
    let moment = |time: Option<SystemTime>| time.map(|time| times::both(time, now));
    let policy = task.whole.as_ref().map(|whole| &whole.policy);
    let most = |name, count| policy.map_or(String::new(), |policy| policy.of(name, count));
    let counted = |number: u32| (number > 0).then(|| number.to_string());
    let budget = |number: u32, name| counted(number).map(|text| text + &most(name, number));
    let owner = task.node.as_ref().map(|node| match task.pid {
        Some(pid) => format!("{node}, process {pid}"),
        None => node.clone(),
    });
    let known = task.known_cost();
    let facts = [
        ("id", Some(task.id.clone())),
        ("queue", Some(task.queue.clone())),
        ("title", task.title.clone()),
        ("state", Some(task.state())),
        ("error", task.error.as_ref().map(|error| shown(&led(error), SHOWN))),
        ("last error", task.last_error.as_ref().map(|error| shown(&led(error), SHOWN))),
        ("progress", Some(task.progress_text()).filter(|text| !text.is_empty())),
        ("progressed", moment(info.progressed())),
        ("suspended", suspended(info, now)),
        ("reason", task.reason.clone()),
        ("cause", task.cause.clone()),
        ("expected", task.expected.as_ref().map(|expected| times::localised(expected.words()))),
        ("command", task.command.as_ref().map(|command| command.words.clone())),
        ("folder", task.command.as_ref().and_then(|command| command.cwd.clone())),
        ("variables", task.command.as_ref().map(|command| command.env.join(" ")).filter(|names| !names.is_empty())),
        ("method", task.method.clone()),
        ("submitter", task.submitter.clone()),
        ("priority", task.priority.map(|priority| priority.to_string())),
        ("key", task.key.clone()),
        ("weight", task.weight.map(|weight| weight.to_string())),
        ("needs", task.needs.clone()),
        ("limits", task.limits.clone()),
        (
            "unique",
            task.unique.as_ref().map(|name| match &task.unique_until {
                Some(until) => format!("{name}, until {until}"),
                None => name.clone(),
            }),
        ),
        ("tags", Some(task.tags.join(" ")).filter(|tags| !tags.is_empty())),
        ("schedule", task.schedule.clone()),
        ("graph", task.graph.clone()),
        ("label", task.label.clone()),
        ("steps", task.steps.clone()),
        ("step", task.step.map(|step| step.to_string())),
        ("round", task.round.map(|round| round.to_string())),
        ("on", owner),
        ("attempt", counted(task.attempt)),
        ("failures", budget(task.failures, "max_failures")),
        ("losses", budget(task.losses, "max_losses")),
        ("releases", budget(task.releases, "max_releases")),
        ("uncounted", budget(task.uncounted, "max_uncounted")),
        ("due", moment(eta(info))),
        ("deadline", moment(info.deadline())),
        ("created", moment(info.created())),
        ("ready", moment(info.readied())),
        ("started", moment(info.started())),
        ("updated", moment(info.updated()).filter(|_| task.ended.is_none())),
        ("ended", moment(info.updated()).filter(|_| task.ended.is_some())),
        ("ran", task.ran.map(|ran| times::span(Duration::from_secs_f64(ran)))),
        ("lease until", moment(lease)),
        ("cost", known.as_ref().map(cost::whole)),
        ("output", known.as_ref().and_then(cost::place)),
        (
            "saved",
            moment(info.checkpointed()).map(|at| {
                format!("a checkpoint of {}, {at}", many(info.checkpoint_bytes().map_or(0, <[u8]>::len), "byte"))
            }),
        ),
        ("group", task.group.clone()),
        ("last group", task.last_group.clone()),
        ("inputs", task.whole.as_ref().and_then(|whole| whole.inputs.clone())),
        ("input", task.whole.as_ref().and_then(|whole| whole.elements).map(input)),
        ("policy", policy.map(|policy| policy.words(options.policy)).filter(|words| !words.is_empty())),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            let value = clean(&value);
            // Errors are indented already.
            let value = if name.ends_with("error") { value } else { value.replace('\n', " ") };
            prose(format!("{name:<11} {value}"), NAMES)?;
        }
    }
    let payloads = task.payloads.as_ref();
    let large = [
        ("parameters", task.parameters.as_ref()),
        ("checkpoint", payloads.and_then(|all| all.checkpoint.as_ref())),
        ("result", payloads.and_then(|all| all.result.as_ref())),
        ("cost", task.cost.as_ref().filter(|_| known.is_none())),
    ];
    for (name, payload) in large {
        if let Some(payload) = payload {
            line(format!("{name:<11} {}", if options.full { shown(payload, SHOWN) } else { brief(payload) }))?;
        }
    }
    for note in task.whole.iter().flat_map(|whole| &whole.notes) {
        let by = note.by.as_deref().unwrap_or("somebody");
        let at = note.at.as_deref().unwrap_or_default();
        prose(format!("{:<11} {} ({}, {})", "note", shown(&note.text, SHOWN), clean(by), times::local_of(at)), NAMES)?;
    }
    for notice in task.whole.iter().flat_map(|whole| &whole.notices) {
        line(format!("{:<11} {}", "notice", one_line(&clean(&notice.words()))))?;
    }
    for (name, payload) in task.whole.iter().flat_map(|whole| &whole.fields) {
        prose(format!("{:<11} {}", one_line(name), shown(payload, SHOWN)), NAMES)?;
    }
    Ok(())
}

/// Returns an error text that begins with its most important line.
fn led(Payload(bytes): &Payload) -> Payload {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.trim_start().starts_with(&headline(text)) => {
            Payload(format!("{}\n{text}", headline(text)).into_bytes())
        }
        _ => Payload(bytes.clone()),
    }
}

/// Returns at most two lines of a payload, as wide as the terminal, on one line each.
fn brief(payload: &Payload) -> String {
    let width = screen().map_or(80, |(width, _)| width).saturating_sub(NAMES).max(20);
    let Payload(bytes) = payload;
    let Ok(all) = std::str::from_utf8(bytes) else { return shown(payload, SHOWN) };
    let text = one_line(&clean(all.get(..SHOWN).unwrap_or(all)));
    let text = text.trim();
    if text.chars().count() <= width && all.len() <= SHOWN {
        return text.to_owned();
    }
    let rest: String = text.chars().skip(width).collect();
    let first: String = text.chars().take(width).collect();
    let note = format!(" ({} bytes; --full)", bytes.len());
    let rest = if all.len() <= SHOWN && rest.chars().count() <= width {
        rest
    } else {
        cut(&rest, width.saturating_sub(note.len())) + &note
    };
    format!("{first}\n            {rest}")
}

/// Returns the beginning of a payload. All lines after the first are indented, so that none looks like a field.
fn shown(Payload(bytes): &Payload, most: usize) -> String {
    let Ok(all) = std::str::from_utf8(bytes) else { return format!("{} bytes, not text", bytes.len()) };
    let text = clean(all);
    let mut kept: String = text.trim_end().chars().take(most).collect();
    if kept.len() < text.trim_end().len() {
        kept.push_str(&format!("… ({} bytes; -o json has all)", bytes.len()));
    }
    kept.replace('\n', "\n            ")
}
