//! One task: what it does, its log, its attempts, its values, and every action that its state allows.

use std::collections::HashMap;

use axum::extract::{Path, Query};
use axum::response::Response;
use blueque::contract::{Form, TASK_OPTIONS};
use blueque::{Basis, Change, Estimate, Outcome, Status, TaskId, TaskInfo, Transition};
use maud::{Markup, html};

use super::{live, log};
use crate::act::{action, is_suspended};
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::{Here, escaped};
use crate::parts::{form, json, look};
use crate::read::task::{self, Attempt, Neighbour, Neighbours, Rule, Task, attempts};
use crate::read::why;
use crate::shell::Tab;
use crate::{text, time};

/// Maximum size of parameters that a form edits.
const EDITED: usize = 64 * 1_024;

pub async fn page(
    here: Here,
    Path((_, id)): Path<(String, String)>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let content = content(&here, &id, &query).await;
    here.page(Tab::Tasks, &text::line(&id), content)
}

pub fn reading(here: &Here, id: TaskId) -> impl Fn() -> Reading + Send + Sync + 'static {
    let here = here.shared(&format!("/tasks/{}", escaped(id.as_str())));
    live::reading(move || {
        let (here, id) = (here.clone(), id.clone());
        async move {
            let task = task::task(&here.client().await?, &id).await?;
            let sentence = sentence(&here, &task).await;
            Ok(parts(&here, &task, &sentence))
        }
    })
}

/// The sentence about a task. One that has ended needs no calls.
async fn sentence(here: &Here, task: &Task) -> String {
    let open = task.info.status().is_some_and(|status| !status.is_finished());
    if let Some(explain) = here.site.explain().filter(|_| open) {
        let (explain, place, id) = (explain.clone(), here.place.name().to_owned(), task.id.to_string());
        if let Ok(Some(told)) = tokio::task::spawn_blocking(move || explain.sentence(&place, &id)).await {
            return text::line(&told);
        }
    }
    task.why.as_ref().map(|why| why::sentence(&task.info, why)).unwrap_or_default()
}

fn parts(here: &Here, task: &Task, sentence: &str) -> Vec<(&'static str, Markup)> {
    vec![
        ("task-head", head(here, task, sentence)),
        ("task-actions", actions(here, task)),
        ("task-attempts", attempts_table(task)),
        ("task-facts", facts(here, task)),
        ("task-values", values(here, task)),
        ("task-history", history(here, task)),
    ]
}

async fn content(here: &Here, id: &str, query: &HashMap<String, String>) -> Result<Markup, Failure> {
    let (client, id) = (here.client().await?, TaskId::new(id)?);
    let task = task::task(&client, &id).await?;
    let log = log::section(here, &client, &task, query).await?;
    let (policy, neighbours) =
        (task::policy(&client, &task.info).await?, task::neighbours(&client, &id, &task.info).await?);
    let audit = task::audit(&client, &id).await?;
    let sentence = sentence(here, &task).await;
    let mut parts: HashMap<&str, Markup> = parts(here, &task, &sentence).into_iter().collect();
    let mut part = |name: &str| parts.remove(name).unwrap_or_default();
    Ok(html! {
        div data-live=(here.link(&format!("/live?topic=task:{}", escaped(id.as_str())))) data-task=(id) {
            section #task-head { (part("task-head")) }
            section #task-actions { (part("task-actions")) }
            (log)
            section #task-attempts { (part("task-attempts")) }
            div.cards {
                section.card #task-facts { (part("task-facts")) }
                section.card #task-neighbours { (graph(here, &task.info, &neighbours)) }
            }
            section #task-values { (part("task-values")) }
            div.cards {
                section.card #task-policy { (policy_table(&policy)) }
                section.card #task-audit { (audit_list(&audit)) }
            }
            section.card #task-history { (part("task-history")) }
        }
    })
}

fn head(here: &Here, task: &Task, sentence: &str) -> Markup {
    let info = &task.info;
    let queue = info.queue().unwrap_or_default();
    let error = if info.status() == Some(Status::Failed) { info.error() } else { info.last_error() };
    html! {
        p.crumbs { (look::queue(here, &queue)) " › " a href=(here.link(&format!("/tasks?q={}", escaped(&format!("queue:{queue}"))))) { "tasks" } }
        div.line {
            h1 { (text::short(task.id.as_str(), 80)) " " @if let Some(label) = info.label().filter(|label| !label.is_empty()) { small { (text::short(&label, 60)) } } }
            button type="button" data-copy=(task.id) { "Copy" }
        }
        div.hero {
            p.why #why {
                (look::state(look::word(info))) " "
                @if is_suspended(info) { span.tag data-kind="paused" { "suspended" } " " }
                (sentence)
            }
            @if !info.status().is_some_and(Status::is_finished) || task.progress.fraction.is_some() {
                @if task.progress.fraction.is_some() || !task.progress.text.is_empty() { (look::progress(&task.progress)) }
                @if let Some(estimate) = &task.estimate { (expected(estimate)) }
            }
            @if let Some(error) = error {
                div.alarm data-error {
                    @if info.status() == Some(Status::Failed) { strong { "Error. " } } @else { strong { "The last attempt failed. " } }
                    (text::short(&error, 400))
                    @if let Some(group) = info.group().or_else(|| info.last_group()) {
                        " " a href=(here.link(&format!("/tasks?q={}", escaped(&format!("state:failed queue:{queue} group:\"{group}\""))))) { "Same failures" }
                    }
                }
            }
        }
    }
}

/// The expected start and end, with what the estimate is made from.
fn expected(estimate: &Estimate) -> Markup {
    let runs = match estimate.runs {
        0 => "no earlier runs".to_owned(),
        1 => "the last run".to_owned(),
        runs => format!("the last {runs} runs"),
    };
    let by = match estimate.basis {
        Some(Basis::Progress) => "by its progress".to_owned(),
        Some(Basis::Both) => format!("by its progress and {runs}"),
        _ => format!("by {runs}"),
    };
    html! {
        p.quiet #expected {
            @match (estimate.start.filter(|_| estimate.status.is_waiting()), estimate.end) {
                (Some(start), Some(end)) => { "Expected to start " (time::relative(start)) " and to end " (time::expected(end)) ", " (by) "." }
                (None, Some(end)) => { "Expected end: " (time::expected(end)) ", " (by) "." }
                _ => { "No expected end yet: the task has reported no progress, and no task like it has completed." }
            }
        }
    }
}

fn actions(here: &Here, task: &Task) -> Markup {
    let info = &task.info;
    let Some(status) = info.status() else { return html! {} };
    let suspended = is_suspended(info);
    let mut names: Vec<&str> = Vec::new();
    if status.is_held() {
        names.extend(["cancel", "kill", "free", "requeue"]);
        names.extend((!suspended).then_some("suspend"));
    }
    if status.is_waiting() {
        names.push("cancel");
        names.extend(suspended.then_some("resume"));
        names.extend((!suspended && matches!(status, Status::Pending | Status::Scheduled)).then_some("suspend"));
        if matches!(status, Status::Pending | Status::Scheduled) {
            names.push("move");
        }
        names.push("prioritise");
    }
    if matches!(status, Status::Failed | Status::Cancelled) {
        names.extend(["retry", "retry-fresh"]);
    }
    if !status.is_finished() {
        names.push("edit");
    }
    names.extend(["tag", "note"]);
    if status.is_finished() {
        names.push("delete");
    }
    html! {
        h2.hidden { "Actions" }
        div.row {
            @for name in names {
                @if let Some(action) = action(name) {
                    (form::button(here, action, &[("id", task.id.as_str())], fields(here, name, task).as_ref()))
                }
            }
            @if let Some(graph) = info.graph()
                && let Some(action) = action("rerun-graph")
                && status.is_finished() {
                (form::button(here, action, &[("graph", graph.as_str()), ("task", task.id.as_str())], None))
            }
        }
    }
}

/// The fields of an action's form.
fn fields(here: &Here, name: &str, task: &Task) -> Option<Markup> {
    match name {
        "cancel" | "kill" | "free" => Some(form::text("reason", "Reason, for the history", "", false)),
        "move" => Some(form::text("into", "New queue", "", true)),
        "prioritise" => {
            Some(form::number("priority", "Priority, -1000 to 1000", &task.info.priority().to_string(), -1000, 1000))
        }
        "tag" => Some(form::text("tags", "Tags, separated by commas", "", true)),
        "note" => Some(form::text("text", "Note", "", true)),
        "edit" => Some(edit(here, &task.info)),
        _ => None,
    }
}

/// The form that edits what was submitted. Each field is sent with the value that it had, so that only changes are made.
fn edit(here: &Here, info: &TaskInfo) -> Markup {
    let parameters = info.parameters_bytes().unwrap_or_default();
    // What is not shown is not edited, and what a field cannot show neither.
    let shown = here.site.redacted(parameters.to_vec()) == parameters;
    let plain =
        std::str::from_utf8(parameters).ok().filter(|text| shown && text.len() <= EDITED && text::is_plain(text));
    let value = |field: &str| {
        let text = info.fields.get(field).map(|value| String::from_utf8_lossy(value).into_owned()).unwrap_or_default();
        let micros = (field == "own_lease").then(|| text.parse::<f64>().ok()).flatten();
        micros.map_or(text, |micros| (micros / 1e6).to_string())
    };
    let options = TASK_OPTIONS.iter().filter_map(|option| Some((option, option.field?)));
    html! {
        @match plain {
            Some(text) => {
                input type="hidden" name="was.parameters" value=(text);
                div.field { label { "Parameters" } textarea name="set.parameters" spellcheck="false" aria-label="Parameters" { "\n" (text) } }
            }
            None => p.note { "A form cannot show these parameters. The command blueque edit can change them." }
        }
        div.fields {
            @for (option, field) in options {
                @let value = value(field);
                div.field {
                    label title=(option.means) { (option.name) }
                    input type="hidden" name=(format!("was.{}", option.name)) value=(value);
                    @match option.form {
                        Form::Word(words) => select name=(format!("set.{}", option.name)) aria-label=(option.name) {
                            option value="" selected[value.is_empty()] { "–" }
                            @for (word, _) in words { option value=(word) selected[*word == value] { (word) } }
                        },
                        _ => input name=(format!("set.{}", option.name)) value=(value) title=(option.means) autocomplete="off" aria-label=(option.name);
                    }
                }
            }
        }
        (form::text("reason", "Reason, for the history", "", false))
    }
}

fn attempts_table(task: &Task) -> Markup {
    let all = attempts(&task.history);
    html! {
        header.line { h2 { "Attempts" } }
        @if all.is_empty() {
            p.quiet { "No worker has taken it yet." }
        } @else {
            div.table {
                table {
                    thead { tr {
                        th { "Attempt" } th { "Outcome" } th.number { "Waited" } th.number { "Ran" } th { "Worker" } th { "Exit" }
                        th.number { "CPU" } th.number { "Memory" } th.number { "Read / written" } th.wide { "Why it ended" }
                    } }
                    tbody { @for attempt in all.iter().rev() { (attempt_row(attempt)) } }
                }
            }
        }
    }
}

fn attempt_row(attempt: &Attempt) -> Markup {
    let wait = attempt.waited_from.zip(attempt.reserved).map(|(from, to)| time::between(from, to));
    let begun = attempt.started.or(attempt.reserved);
    let cost = attempt.cost.as_ref();
    let exit = cost.map(task::Cost::end);
    let outcome = attempt.outcome.map_or("running", Outcome::as_str);
    let error = attempt.error.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let bytes = |bytes: Option<u64>| {
        bytes.map_or_else(|| "–".to_owned(), |bytes| text::size(usize::try_from(bytes).unwrap_or(0)))
    };
    html! {
        tr data-key=(format!("{}-{:?}", attempt.number, attempt.reserved)) data-attempt=(attempt.number) {
            th scope="row" { (attempt.number) }
            td { (look::state(match outcome { "running" => "started", "retrying" | "lost" => "failed", "released" => "pending", other => other }))
                @if matches!(outcome, "retrying" | "lost" | "released") { " " small { (outcome) } } }
            td.number { (wait.map_or_else(|| "–".to_owned(), time::span)) }
            td.number { @match (begun, attempt.ended) {
                (Some(begun), Some(ended)) => (time::span(time::between(begun, ended))),
                (Some(begun), None) => (time::elapsed(begun)),
                _ => "–",
            } }
            td { (text::short(attempt.worker.as_deref().unwrap_or("–"), 40)) }
            td { (exit.unwrap_or_else(|| "–".to_owned())) @if cost.is_some_and(|cost| cost.oom) { span.tag data-kind="bad" { "out of memory" } } }
            td.number { @match cost { Some(cost) => (time::span(std::time::Duration::from_millis(cost.cpu_ms))), None => "–" } }
            td.number { @match cost { Some(cost) => (text::size(usize::try_from(cost.max_rss_kib).unwrap_or(0).saturating_mul(1_024))), None => "–" } }
            td.number { @match cost { Some(cost) => { (bytes(cost.read_bytes)) " / " (bytes(cost.written_bytes)) } None => "–" } }
            td.wide { @if error.is_empty() { (attempt.why.as_deref().map(text::line).unwrap_or_default()) } @else { (text::short(&error, 200)) } }
        }
    }
}

fn facts(here: &Here, task: &Task) -> Markup {
    let info = &task.info;
    let text = |value: Option<String>| value.filter(|value| !value.is_empty());
    let counts = [("failed", info.failures()), ("lost", info.losses()), ("given back", info.releases())];
    let counts: Vec<String> = counts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{n} {what}")).collect();
    html! {
        h2 { "Facts" }
        dl.facts {
            dt { "Created" } dd { (time::maybe(info.created())) }
            @if let Some(eta) = info.eta().filter(|_| info.status() == Some(Status::Scheduled)) { dt { "Due" } dd { (time::relative(eta)) } }
            @if let Some(deadline) = info.deadline() { dt { "Deadline" } dd { (time::relative(deadline)) } }
            dt { "Attempts" } dd { (info.attempt()) @if !counts.is_empty() { " (" (counts.join(", ")) ")" } }
            @if info.status().is_some_and(Status::is_held) {
                @if let Some(node) = info.node() { dt { "Worker" } dd { (text::short(&node, 60)) @if let Some(pid) = info.pid() { " · process " (pid) } } }
                @if let Some(deadline) = task.why.as_ref().and_then(|why| why.deadline) {
                    dt { "Lease" } dd {
                        "ends " (time::relative(deadline))
                        @if let Some(lease) = info.lease() {
                            @if let Some(beat) = deadline.checked_sub(lease) { " · last heartbeat " (time::relative(beat)) }
                        }
                    }
                }
            }
            @if let Some(at) = info.progressed() { dt { "Last progress" } dd { (time::relative(at)) } }
            @if let Some(at) = info.checkpointed() { dt { "Last checkpoint" } dd { (time::relative(at)) } }
            dt { "Priority" } dd { (info.priority()) }
            @for (name, value) in [("Method", info.method()), ("Key", info.key()), ("Needs", info.needs()), ("Shared limits", info.limits()), ("Unique name", info.unique()), ("Next queues", info.steps())] {
                @if let Some(value) = text(value) { dt { (name) } dd { (text::short(&value, 120)) } }
            }
            @if info.round() > 1 { dt { "Run" } dd { (info.round()) } }
            dt { "Tags" } dd {
                @for tag in info.tags() {
                    span.row {
                        a.tag href=(here.link(&format!("/tasks?q={}", escaped(&format!("tag:{tag}"))))) { (text::short(&tag, 40)) }
                        @if let Some(action) = action("untag") { (form::button(here, action, &[("id", task.id.as_str()), ("tags", &tag)], None)) }
                    }
                }
                @if info.tags().is_empty() { span.none { "none" } }
            }
            @if let Some(schedule) = text(info.schedule()) { dt { "Schedule" } dd { a href=(here.link(&format!("/schedules/{}", escaped(&schedule)))) { (text::short(&schedule, 60)) } } }
            @if let Some(cause) = text(info.cause()) { dt { "Caused by" } dd { (look::task(here, &cause)) } }
        }
    }
}

fn graph(here: &Here, info: &TaskInfo, neighbours: &Neighbours) -> Markup {
    html! {
        header.line {
            h2 { "Waits for, and is waited for" }
            @if let Some(graph) = info.graph() { a.note href=(here.link(&format!("/graphs/{}", escaped(&graph)))) { "Show its graph" } }
        }
        @if neighbours.upstream.is_empty() && neighbours.downstream.is_empty() {
            p.quiet { "It waits for no other task, and no other task of a graph waits for it." }
        }
        @for (title, tasks) in [("Waits for", &neighbours.upstream), ("Waited for by", &neighbours.downstream)] {
            @if !tasks.is_empty() {
                h3 { (title) }
                ul.timeline { @for task in tasks { (neighbour(here, task)) } }
            }
        }
    }
}

fn neighbour(here: &Here, task: &Neighbour) -> Markup {
    html! {
        li data-key=(task.id) {
            span { (look::state(task.status.map_or("unknown", Status::as_str))) }
            span { (look::task(here, &task.id)) " " @if !task.label.is_empty() { (text::short(&task.label, 40)) " " } small { (task.kind) } }
        }
    }
}

fn values(here: &Here, task: &Task) -> Markup {
    let info = &task.info;
    let raw = |field: &str| here.link(&format!("/tasks/{}/raw/{field}", escaped(task.id.as_str())));
    let error = info.error().and_then(|_| info.fields.get("error").map(Vec::as_slice));
    let all = [
        ("Error", "error", error),
        ("Last error", "last_error", info.fields.get("last_error").map(Vec::as_slice)),
        ("Result", "result", info.result_bytes().filter(|bytes| !bytes.is_empty())),
        ("Checkpoint", "checkpoint", info.checkpoint_bytes()),
        ("Parameters", "parameters", info.parameters_bytes()),
    ];
    html! {
        h2.hidden { "Values" }
        div.cards {
            @for (name, field, bytes) in all {
                @if let Some(bytes) = bytes { (json::value(name, &here.site.redacted(bytes.to_vec()), &raw(field))) }
            }
        }
    }
}

fn policy_table(policy: &[Rule]) -> Markup {
    html! {
        h2 { "Policy" }
        dl.facts {
            @for rule in policy {
                dt title=(rule.means) { (rule.name) }
                dd { (text::short(&rule.value, 60)) " " small { @match rule.source {
                    "task" => "set for this task",
                    "queue" => "of the queue",
                    "namespace" => "of all queues",
                    _ => "default",
                } } }
            }
        }
    }
}

fn audit_list(audit: &[Change]) -> Markup {
    html! {
        h2 { "Who changed it" }
        @if audit.is_empty() { p.quiet { "Nobody has changed it in the last 30 days." } }
        ul.timeline {
            @for change in audit.iter().take(50) {
                li {
                    span { (time::relative(change.at)) }
                    span {
                        strong { (change.by.as_deref().map_or_else(|| "unknown".to_owned(), text::line)) } " " (text::line(&change.what))
                        @if let (Some(before), Some(after)) = (&change.before, &change.after) { ": " (text::short(before, 60)) " → " (text::short(after, 60)) }
                        @if let Some(detail) = &change.detail { small { " " (text::short(detail, 200)) } }
                    }
                }
            }
        }
    }
}

fn history(here: &Here, task: &Task) -> Markup {
    let _ = here;
    html! {
        h2 { "History" }
        @if task.history.is_empty() { p.quiet { "Nothing is recorded: the setting history of the queue may be 0." } }
        ol.timeline {
            @for step in task.history.iter().rev() { (step_row(step)) }
        }
    }
}

fn step_row(step: &Transition) -> Markup {
    let lossy = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    html! {
        li data-key=(step.number) {
            span { (time::maybe(step.at)) }
            span {
                @match step.why.as_deref() {
                    Some("note") => { strong { "Note" } }
                    Some("edit") => { strong { "Edited" } }
                    why => { (look::state(&step.to)) " " (text::line(why.unwrap_or("by a client without scripts"))) }
                }
                @if let Some(by) = &step.by { " by " (text::short(by, 60)) }
                @if step.attempt > 0 { small { " · attempt " (step.attempt) } }
                @for part in [lossy(&step.note), lossy(&step.error), lossy(&step.data).filter(|_| step.why.as_deref() == Some("edit"))].into_iter().flatten() {
                    div { (text::short(&part, 300)) }
                }
            }
        }
    }
}
