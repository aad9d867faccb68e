//! The actions that the state of a task allows, and their forms.

use blueque::Status;
use blueque::contract::TASK_OPTIONS;
use maud::{Markup, html};

use crate::act::{Action, action};
use crate::here::Here;
use crate::parts::{form, settings};
use crate::read::task::Task;
use crate::text;

/// Maximum size of parameters that a form edits.
const EDITED: usize = 64 * 1_024;

pub fn buttons(here: &Here, task: &Task) -> Markup {
    let info = &task.info;
    let Some(status) = info.status() else { return html! {} };
    let mut names: Vec<&str> = Vec::new();
    if status.is_owned() {
        names.extend(["cancel", "kill", "free", "requeue"]);
        names.extend([if info.is_suspending() { "continue" } else { "suspend" }, "signal"]);
    }
    if status.is_waiting() {
        names.push("cancel");
        names.extend((status == Status::Held).then_some("unhold"));
        names.extend(matches!(status, Status::Pending | Status::Scheduled).then_some("hold"));
        if matches!(status, Status::Pending | Status::Scheduled | Status::Held) {
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
    let all = names.iter().filter_map(|name| action(name));
    let button = |action: &Action| {
        form::button(here, action, &[("id", task.id.as_str())], fields(here, action.name, task).as_ref())
    };
    html! {
        h2.hidden { "Actions" }
        div.row {
            @for action in all.clone().filter(|action| !action.danger) { (button(action)) }
            @if let Some(graph) = info.graph()
                && let Some(action) = action("rerun-graph")
                && status.is_finished() {
                (form::button(here, action, &[("graph", graph.as_str()), ("task", task.id.as_str())], None))
            }
            // What loses work stands apart.
            span.gap {}
            @for action in all.filter(|action| action.danger) { (button(action)) }
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
        "signal" => Some(form::text("signal", "Signal, such as USR1", "USR1", true)),
        "note" => Some(form::text("text", "Note", "", true)),
        "edit" => Some(edit(here, task)),
        _ => None,
    }
}

/// The form that edits what was submitted. Each field is sent with the value that it had, so that only changes are made.
fn edit(here: &Here, task: &Task) -> Markup {
    let info = &task.info;
    let parameters = info.parameters_bytes().unwrap_or_default();
    // The form edits no value that a field cannot show exactly.
    let shown = here.site.redacted(parameters.to_vec()) == parameters;
    let plain =
        std::str::from_utf8(parameters).ok().filter(|text| shown && text.len() <= EDITED && text::is_plain(text));
    let value = |field: &str| {
        let text = info.fields.get(field).map(|value| String::from_utf8_lossy(value).into_owned()).unwrap_or_default();
        let micros = (field == "own_lease").then(|| text.parse::<f64>().ok()).flatten();
        micros.map_or(text, |micros| (micros / 1e6).to_string())
    };
    // The environment of a command may contain secrets.
    let options = TASK_OPTIONS.iter().filter(|option| option.name != "command");
    let options = options.filter_map(|option| Some((option, option.field?)));
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
                @let rule = task.policy.iter().find(|rule| rule.option.name == option.name);
                @let inherited = rule.and_then(|rule| rule.inherited.as_ref()).map(|(value, from)| (value.as_str(), settings::source(from)));
                input type="hidden" name=(format!("was.{}", option.name)) value=(value);
                (form::option(option, &value, inherited.or(option.default.map(|value| (value, "default")))))
            }
        }
        (form::text("reason", "Reason, for the history", "", false))
    }
}
