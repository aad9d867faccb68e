//! Forms of actions.

use blueque::contract::{Described, Form};
use maud::{Markup, html};

use crate::act::Action;
use crate::here::Here;

/// A button that does an action. An action that is hard to undo asks first; its dialog says what it will do.
pub fn button(here: &Here, action: &Action, fields: &[(&str, &str)], more: Option<&Markup>) -> Markup {
    let id = format!("act-{}", action.name);
    // Live parts must not turn an open dialog into the dialog of another action.
    let key = fields.iter().fold(action.name.to_owned(), |key, (_, value)| key + " " + value);
    let form = |inner: Markup| sent(here, action, fields, &inner);
    html! {
        span.act data-key=(key) data-needs=(action.role().as_str()) {
            @if action.asks || more.is_some() {
                details.ask #(id) {
                    summary.button data-danger[action.danger] { (action.label) "…" }
                    div.sheet.big[action.name.starts_with("edit")] {
                        h3 { (action.label) }
                        p { (action.will) }
                        (form(html! {
                            @if let Some(more) = more { (more) }
                            div.row {
                                button.primary data-danger[action.danger] { (action.label) }
                                button type="button" data-close { "Back" }
                            }
                        }))
                    }
                }
            } @else {
                (form(html! { button title=(action.will) { (action.label) } }))
            }
        }
    }
}

/// The form of an action with its hidden fields.
fn sent(here: &Here, action: &Action, fields: &[(&str, &str)], inner: &Markup) -> Markup {
    html! {
        form method="post" action=(here.link(&format!("/act/{}", action.name))) data-action=(action.name) {
            input type="hidden" name="csrf" value=(here.csrf.token);
            input type="hidden" name="back" value=(here.at);
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            (inner)
        }
    }
}

/// A small button that removes what stands before it.
pub fn cross(here: &Here, action: &Action, fields: &[(&str, &str)]) -> Markup {
    let of = fields.last().map_or("", |(_, value)| value);
    let label = format!("{} {}", action.label, crate::text::line(of));
    let inner = html! { button.cross title=(action.will) aria-label=(label) { "×" } };
    html! { span.act data-key=(format!("{} {of}", action.name)) data-needs=(action.role().as_str()) { (sent(here, action, fields, &inner)) } }
}

/// A field of a form for a line of text.
pub fn text(name: &str, label: &str, value: &str, required: bool) -> Markup {
    html! { div.field { label { (label) input name=(name) value=(value) required[required] autocomplete="off"; } } }
}

/// The unit of an option or a setting; empty if it has none.
pub fn unit(of: &Described) -> &'static str {
    match of.form {
        Form::Seconds { time: true, .. } => "seconds since 1970",
        Form::Seconds { .. } => "seconds, or 15m, 2h, 3d",
        Form::Whole { unit, .. } if !of.name.ends_with(unit) => unit,
        Form::Text if of.kind == "rate" => "NUMBER/SECONDS",
        _ => "",
    }
}

/// A field of a form for an option: its name, its unit, its value, and the value that applies without it, with its
/// source.
pub fn option(of: &Described, value: &str, otherwise: Option<(&str, &str)>) -> Markup {
    let (name, unit) = (format!("set.{}", of.name), unit(of));
    html! {
        div.field {
            label title=(of.means) {
                span { (of.name) @if !unit.is_empty() { ", in " (unit) } }
                @match of.form {
                    Form::Word(words) => select name=(name) aria-label=(of.name) {
                        option value="" selected[value.is_empty()] { @match otherwise { Some((value, source)) => { (value) " (" (source) ")" } None => "–" } }
                        @for (word, _) in words { option value=(word) selected[*word == value] { (word) } }
                    },
                    _ => input name=(name) value=(value) title=(of.means) autocomplete="off" aria-label=(of.name)
                        placeholder=[otherwise.map(|(value, source)| format!("{value} ({source})"))];
                }
            }
        }
    }
}

/// A field of a form for a whole number.
pub fn number(name: &str, label: &str, value: &str, least: i64, most: i64) -> Markup {
    html! { div.field { label { (label) input type="number" name=(name) value=(value) min=(least) max=(most) required; } } }
}
