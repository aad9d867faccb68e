//! Settings of a queue, or of all queues.

use std::time::Duration;

use blueque::contract::{Described, Form, SETTINGS};
use blueque::{QueueName, Setting, Source};
use maud::{Markup, html};

use super::form;
use crate::act::action;
use crate::here::Here;
use crate::{text, time};

/// The source of a value, in words.
pub fn source(from: &str) -> &'static str {
    match from {
        "task" => "set for this task",
        "queue" => "of this queue",
        "namespace" => "of all queues",
        _ => "default",
    }
}

/// A value for people: durations and sizes in larger units.
pub fn shown(of: &Described, value: &str) -> String {
    match of.form {
        Form::Seconds { time: false, .. } => {
            let span = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            span.filter(|span| !span.is_zero()).map_or_else(|| "0 s".to_owned(), time::span)
        }
        Form::Whole { unit: "bytes", .. } => value.parse().map_or_else(|_| value.to_owned(), text::size),
        Form::Whole { unit: "percent", .. } => format!("{value} %"),
        _ => value.to_owned(),
    }
}

/// A setting with its source, and its form, which begins with the present value.
pub fn row(here: &Here, setting: &Setting, queue: Option<&QueueName>) -> Markup {
    let known = SETTINGS.iter().find(|known| known.name == setting.name);
    let value = setting.value.as_deref().unwrap_or_default();
    let from = source(setting.from.as_str());
    let unit = known.map(form::unit).unwrap_or_default();
    let own = setting.from == if queue.is_some() { Source::Queue } else { Source::Namespace };
    let queue = queue.map(|queue| ("queue", queue.as_str()));
    let fields: Vec<(&str, &str)> = queue.into_iter().chain([("name", setting.name.as_str())]).collect();
    html! {
        dt title=(known.map_or("", |known| known.means)) { (setting.name) }
        dd data-own[own] { span.row {
            span title=(format!("{value} {unit}")) { @if value.is_empty() { span.none { "–" } } @else { (text::short(&known.map_or_else(|| value.to_owned(), |known| shown(known, value)), 60)) } }
            small { (from) }
            @if let Some(action) = action("configure") {
                (form::button(here, action, &fields, Some(&html! {
                    @if let Some(known) = known { p.note { (known.means) } }
                    p.note data-source { @if value.is_empty() { "Nothing is set." } @else { "The present value is " @if from == "default" { "the default" } @else { "that " (from) } "." } @if own { " Without a value here, " @if queue.is_some() { "that of all queues, or the default applies." } @else { "the default applies." } } }
                    @let label = if unit.is_empty() { setting.name.clone() } else { format!("{}, in {unit}", setting.name) };
                    (form::text("value", &label, value, false))
                })))
            }
        } }
    }
}
