//! The server: facts, findings with remedies, settings of all queues.

use std::collections::HashMap;

use axum::extract::Query;
use axum::response::Response;
use maud::{Markup, html};

use crate::failure::Failure;
use crate::here::Here;
use crate::parts::{look, settings};
use crate::read::server::{Facts, facts, findings};
use crate::shell::Tab;
use crate::{text, time};

pub async fn page(here: Here, Query(query): Query<HashMap<String, String>>) -> Response {
    let content = content(&here, query.contains_key("check")).await;
    here.page(Tab::Server, "Server", content)
}

async fn content(here: &Here, checks: bool) -> Result<Markup, Failure> {
    let client = here.client().await?;
    let settings = client.settings().await?;
    let known = facts(&here.place).await;
    let found = known.as_ref().map(|known| findings(known, client.handshake())).unwrap_or_default();
    // The check looks tasks up in long lists, so nobody starts it by a mere visit.
    let checked = match here.site.doctor().filter(|_| checks) {
        Some(doctor) => {
            let (doctor, name) = (doctor.clone(), here.place.name().to_owned());
            tokio::task::spawn_blocking(move || doctor.check(&name)).await.ok()
        }
        None => None,
    };
    Ok(html! {
        h1 { "Server" }
        section #findings {
            header.line { h2 { "Findings" } }
            @if found.is_empty() && known.is_ok() { p.quiet { "Nothing needs attention, by what the server says of itself." } }
            @if let Err(failure) = &known { p.alarm data-kind="warn" { (failure.text()) } }
            @for finding in &found {
                p.alarm data-kind=[(!finding.bad).then_some("warn")] data-finding { strong { (finding.text) } " " (finding.todo) "." }
            }
            @match checked {
                Some(Ok(all)) => {
                    div.table { table {
                        thead { tr { th { "Check" } th { "Result" } th.wide { "What was found" } th.wide { "What to do" } } }
                        tbody { @for one in all { tr data-level=(one.level) {
                            th scope="row" { (text::short(&one.check, 40)) }
                            td { span.tag data-kind=(match one.level.as_str() { "ok" => "good", "finding" => "bad", _ => "paused" }) { (text::line(&one.level)) } }
                            td.wide { (text::short(&one.text, 400)) }
                            td.wide { (text::short(&one.todo, 400)) }
                        } } }
                    } }
                }
                Some(Err(error)) => p.alarm { (text::line(&error)) },
                None if here.site.doctor().is_some() => p.note {
                    a.button href=(here.link("/server?check")) { "Check everything" }
                    " It reads many tasks, which may keep a large server busy for some seconds."
                }
                None => p.note { "The whole check, which also reads the data: " code { "blueque doctor" } },
            }
        }
        @if let Ok(known) = &known { (figures(here, known)) }
        section.card.all-settings #settings {
            header.line { h2 { "Settings of all queues" } span.note { "A queue may have settings of its own" } }
            dl.facts.settings { @for setting in &settings { (settings::row(here, setting, None)) } }
        }
    })
}

fn figures(here: &Here, facts: &Facts) -> Markup {
    let size = |name: &str| text::size(usize::try_from(facts.number(name)).unwrap_or(0));
    let most = facts.number("maxmemory");
    let version = if facts.text("valkey_version").is_empty() {
        format!("Redis {}", facts.text("redis_version"))
    } else {
        format!("Valkey {}", facts.text("valkey_version"))
    };
    let persistence = match (facts.text("aof_enabled"), facts.text("rdb_last_bgsave_status")) {
        ("1", _) => "log of changes",
        (_, "ok") => "snapshots",
        _ => "none",
    };
    html! {
        dl.figures.strip.alone {
            div { dt { "Server" } dd.text { (text::line(&version)) } }
            div.broad { dt { "Address" } dd.text { (text::short(here.place.address(), 60)) } }
            div { dt { "Up for" } dd.text { (time::span(std::time::Duration::from_secs(facts.number("uptime_in_seconds")))) } }
            div { dt { "Memory" } dd.text { (size("used_memory")) @if most > 0 { small { " of " (size("maxmemory")) } progress max="1" value=(format!("{:.3}", ratio(facts.number("used_memory"), most))) aria-label="Memory used" {} } } }
            div { dt { "Persistence" } dd.text { (persistence) } }
            div { dt { "Role" } dd.text { (text::line(facts.text("role"))) @if facts.number("connected_slaves") > 0 { small { " " (facts.number("connected_slaves")) " replicas" } } } }
            div { dt { "Clients" } dd.text { (look::number(facts.number("connected_clients"))) } }
            div { dt { "Commands a second" } dd.text { (look::number(facts.number("instantaneous_ops_per_sec"))) } }
            div { dt { "Round trip" } dd.text { (format!("{:.1} ms", facts.round_trip.as_secs_f64() * 1e3)) } }
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "for a bar")]
fn ratio(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}
