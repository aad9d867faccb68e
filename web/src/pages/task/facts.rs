//! The facts about a task: its record, its neighbours, its values and its policy.

use blueque::{CommandLine, Status, TaskInfo};
use maud::{Markup, html};

use crate::act::action;
use crate::here::{Here, escaped};
use crate::parts::{form, json, look, settings};
use crate::read::task::{Neighbour, Neighbours, Rule, Task};
use crate::{text, time};

pub fn record(here: &Here, task: &Task) -> Markup {
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
            @if info.status().is_some_and(Status::is_owned) {
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
            @if let Some(command) = info.command().as_deref().and_then(CommandLine::read) {
                dt { "Command" } dd { code { (text::short(&command.words(), 400)) } }
                @if let Some(folder) = &command.cwd { dt { "Folder" } dd { (text::short(folder, 120)) } }
                @if !command.env.is_empty() { dt { "Variables" } dd { (text::short(&command.env.keys().cloned().collect::<Vec<_>>().join(" "), 400)) } }
            }
            @for (name, value) in [("Method", info.method()), ("Key", info.key()), ("Needs", info.needs()), ("Shared limits", info.limits()), ("Unique name", info.unique()), ("Next queues", info.steps())] {
                @if let Some(value) = text(value) { dt { (name) } dd { (text::short(&value, 120)) } }
            }
            @if info.round() > 1 { dt { "Run" } dd { (info.round()) } }
            dt { "Tags" } dd {
                @for tag in info.tags() {
                    span.chip-with {
                        a.tag href=(here.link(&format!("/tasks?q={}", escaped(&format!("tag:{tag}"))))) { (text::short(&tag, 40)) }
                        @if let Some(action) = action("untag") { (form::cross(here, action, &[("id", task.id.as_str()), ("tags", &tag)])) }
                    }
                }
                @if info.tags().is_empty() { span.none { "none" } }
            }
            @if let Some(schedule) = text(info.schedule()) { dt { "Schedule" } dd { a href=(here.link(&format!("/schedules/{}", escaped(&schedule)))) { (text::short(&schedule, 60)) } } }
            @if let Some(cause) = text(info.cause()) { dt { "Caused by" } dd { (look::task(here, &cause)) } }
        }
    }
}

pub fn neighbours(here: &Here, info: &TaskInfo, neighbours: &Neighbours) -> Markup {
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

pub fn values(here: &Here, task: &Task) -> Markup {
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

pub fn policy(policy: &[Rule]) -> Markup {
    html! {
        h2 { "Policy" }
        dl.facts {
            @for rule in policy {
                @if let Some((value, from)) = rule.in_force() {
                    dt title=(rule.option.means) { (rule.option.name) }
                    dd title=(format!("{value} {}", form::unit(rule.option))) { (text::short(&settings::shown(rule.option, value), 60)) " " small { (settings::source(from)) } }
                }
            }
        }
    }
}
