//! Graphs: a list, and one graph drawn from top to bottom.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Path, Query as Form};
use axum::response::Response;
use blueque::{GraphId, GraphInfo, GraphSummary};
use maud::{Markup, html};

use super::live;
use crate::act::{Fields, action};
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::{Here, escaped};
use crate::parts::{form, look, notices};
use crate::read::graph::{Drawn, Node, graph, head as counts, notices as sent};
use crate::shell::Tab;
use crate::{text, time};

/// Number of graphs on a page.
const ROWS: u32 = 50;

const WIDTH: usize = 176;
const HEIGHT: usize = 52;
const GAP: usize = 20;
const LEVEL: usize = 100;

/// Number of tasks from which a live graph is read less often.
const LARGE: usize = 1_000;

/// Time after which a large live graph is read again, and one in which no task has ended since.
const SLOW: Duration = Duration::from_secs(10);
const STILL: Duration = Duration::from_secs(20);

/// Time after which it is read again after an action, or while an action is carried out in steps.
const SOON: Duration = Duration::from_secs(1);

pub async fn page(here: Here, Form(fields): Form<Vec<(String, String)>>) -> Response {
    let content = list(&here, &Fields::new(fields)).await;
    here.page(Tab::Graphs, "Graphs", content)
}

async fn list(here: &Here, fields: &Fields) -> Result<Markup, Failure> {
    let client = here.client().await?;
    let page = client.call(&client.calls().graphs(fields.get("after").unwrap_or("0"), ROWS)).await?;
    Ok(html! {
        h1 { "Graphs" }
        @if page.items.is_empty() {
            (look::empty("There are no graphs.", "A graph is a set of tasks that wait for each other. Submit a document:", Some("blueque graph submit graph.json")))
        } @else {
            div.table { table {
                thead { tr { th { "Graph" } th { "State" } th.wide { "Progress" } th.number { "Tasks" } th.number { "Complete" } th.number { "Failed" } th.number { "Cancelled" } th.number { "Skipped" } th { "Tags" } th.number { "Created" } } }
                tbody { @for graph in &page.items { (row(here, graph)) } }
            } }
            @if let Some(next) = &page.next { nav.pager { a.button rel="next" href=(here.link(&format!("/graphs?after={}", escaped(next)))) { "Next page" } } }
        }
    })
}

fn row(here: &Here, graph: &GraphSummary) -> Markup {
    let ended = graph.ended();
    let state = if graph.state == Some(blueque::GraphState::Staging) {
        "staging"
    } else if ended < graph.left {
        "started"
    } else if graph.failed > 0 {
        "failed"
    } else if graph.cancelled > 0 {
        "cancelled"
    } else {
        "complete"
    };
    html! {
        tr data-key=(graph.id) {
            th scope="row" {
                a href=(here.link(&format!("/graphs/{}", escaped(graph.id.as_str())))) { (text::short(graph.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(graph.id.as_str()), 60)) }
                small.id { (text::short(graph.id.as_str(), 40)) }
            }
            td { (look::state(if state == "started" { "started" } else { state })) }
            td.wide { progress max=(graph.total.max(1)) value=(ended) aria-label="Ended tasks" {} " " small { (ended) " of " (graph.total) " ended" } }
            td.number { (look::number(graph.total)) }
            td.number { (look::number(graph.complete)) }
            td.number data-bad[graph.failed > 0] { (look::number(graph.failed)) }
            td.number { (look::number(graph.cancelled)) }
            td.number { (look::number(graph.skipped)) }
            td { @for tag in &graph.tags { span.tag { (text::short(tag, 30)) } } }
            td.number { (time::relative(graph.created)) }
        }
    }
}

/// The groups that a reader has opened.
fn opened(fields: &Fields) -> HashSet<String> {
    fields.all("open").iter().take(50).cloned().collect()
}

pub async fn one(
    here: Here,
    Path((_, id)): Path<(String, String)>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Response {
    let content = content(&here, &id, &opened(&Fields::new(fields))).await;
    here.page(Tab::Graphs, &text::line(&id), content)
}

fn query(open: &HashSet<String>) -> String {
    let mut all: Vec<&String> = open.iter().collect();
    all.sort();
    all.iter().map(|name| format!("open={}", escaped(name))).collect::<Vec<_>>().join("&")
}

async fn content(here: &Here, id: &str, open: &HashSet<String>) -> Result<Markup, Failure> {
    let id = GraphId::new(id)?;
    let client = here.client().await?;
    let drawn = graph(&client, &id, open).await?;
    let sent = sent(&client, &id).await?;
    let topic = here.link(&format!("/live?topic=graph:{}&{}", escaped(id.as_str()), query(open)));
    Ok(html! {
        p.crumbs { a href=(here.link("/graphs")) { "Graphs" } }
        div data-live=(topic) data-graph=(id) {
            section #graph-head { (head(here, &id, &drawn)) }
            section.card.graph #graph-picture { (picture(here, &id, &drawn, open)) }
            p.note {
                "Tasks run from top to bottom. Times are run times of the last attempt. "
                @if drawn.edges.iter().any(|(_, _, soft)| *soft) { "A dashed line: runs after the other task, even if that fails. " }
                @if !open.is_empty() { a href=(here.link(&format!("/graphs/{}", escaped(id.as_str())))) { "Close all groups" } }
            }
            section #graph-notices { (notices::table("graph", None, &sent)) }
        }
    })
}

/// A large graph, which costs the server milliseconds for each hundred tasks, and is therefore read less often.
#[derive(Clone)]
struct Read {
    at: Instant,
    took: Duration,
    drawn: Drawn,
}

impl Read {
    /// Returns true if the picture need not be read again. An action, on this page or elsewhere, shows soon.
    fn is_fresh(&self, now: &GraphInfo, acted: Option<Instant>) -> bool {
        let then = &self.drawn.info;
        let is_changed = now.doing.is_some()
            || then.doing.is_some()
            || (now.cancelled, now.skipped) != (then.cancelled, then.skipped)
            || now.complete + now.failed < then.complete + then.failed
            || acted.is_some_and(|acted| acted > self.at || acted.elapsed() < SLOW);
        let slow = if now.ended() == then.ended() { STILL } else { SLOW };
        self.at.elapsed() < if is_changed { SOON.max(self.took * 3) } else { slow }
    }
}

pub fn reading(here: &Here, id: GraphId, fields: &Fields) -> impl Fn() -> Reading + Send + Sync + 'static {
    let (here, open) = (here.shared(&format!("/graphs/{}", escaped(id.as_str()))), opened(fields));
    let last: Arc<Mutex<Option<Read>>> = Arc::default();
    live::reading(move || {
        let (here, id, open, last) = (here.clone(), id.clone(), open.clone(), Arc::clone(&last));
        async move {
            let client = here.client().await?;
            let known = last.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let mut kept = None;
            if let Some(mut read) = known.filter(|read| read.drawn.read > LARGE) {
                let info = counts(&client, &id).await?;
                if read.is_fresh(&info, here.site.last_action()) {
                    read.drawn.info = info;
                    kept = Some(read.drawn);
                }
            }
            let drawn = if let Some(drawn) = kept {
                drawn
            } else {
                let at = Instant::now();
                let drawn = graph(&client, &id, &open).await?;
                let read = Read { at, took: at.elapsed(), drawn: drawn.clone() };
                *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
                drawn
            };
            Ok(vec![
                ("graph-head", head(&here, &id, &drawn)),
                ("graph-picture", picture(&here, &id, &drawn, &open)),
                ("graph-notices", notices::table("graph", None, &sent(&client, &id).await?)),
            ])
        }
    })
}

fn head(here: &Here, id: &GraphId, drawn: &Drawn) -> Markup {
    let info = &drawn.info;
    let ended = info.ended();
    let reason = form::text("reason", "Reason, for the others", "", false);
    html! {
        div.line {
            h1 { @if info.name.is_empty() { (text::short(id.as_str(), 60)) } @else { (text::short(&info.name, 80)) " " small.id { (text::short(id.as_str(), 40)) } } }
            div.row {
                @if ended < info.total && let Some(action) = action("cancel-graph") { (form::button(here, action, &[("graph", id.as_str())], Some(&reason))) }
                @if info.failed + info.cancelled > 0 && let Some(action) = action("retry-graph") { (form::button(here, action, &[("graph", id.as_str())], None)) }
            }
        }
        @if let Some(doing) = info.doing { p.alarm data-kind="warn" { "Its tasks are changed in steps: " (doing.as_str()) "." } }
        div.hero {
            span.progress { progress max=(info.total.max(1)) value=(ended) aria-label="Ended tasks" {} span.percent { (ended) " / " (info.total) } }
            p.row {
                @for (state, number) in &drawn.states { span { (look::state(state)) " " (text::thousands(*number)) } }
                @if let Some(created) = info.created { span.note { "created " (time::relative(created)) } }
            }
            @if (drawn.read as u64) < info.total { p.note { "The first " (drawn.read) " of " (info.total) " tasks are drawn." } }
        }
    }
}

fn x(node: &Node, widest: usize, layer: usize) -> usize {
    // Layers are centred.
    let spare = widest.saturating_sub(layer) * (WIDTH + GAP) / 2;
    GAP + spare + node.place * (WIDTH + GAP)
}

fn picture(here: &Here, id: &GraphId, drawn: &Drawn, open: &HashSet<String>) -> Markup {
    let mut widths = vec![0_usize; drawn.layers];
    for node in &drawn.nodes {
        if let Some(width) = widths.get_mut(node.layer) {
            *width += 1;
        }
    }
    let place =
        |node: &Node| (x(node, drawn.widest, widths.get(node.layer).copied().unwrap_or(1)), GAP + node.layer * LEVEL);
    let (width, height) = (drawn.widest * (WIDTH + GAP) + GAP, drawn.layers * LEVEL + GAP);
    html! {
        svg width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) role="group" aria-label="The tasks of the graph, from top to bottom" {
            @for (from, to, soft) in &drawn.edges {
                @if let (Some(from), Some(to)) = (drawn.nodes.get(*from), drawn.nodes.get(*to)) {
                    @let ((x1, y1), (x2, y2)) = (place(from), place(to));
                    @let (x1, y1, x2) = (x1 + WIDTH / 2, y1 + HEIGHT, x2 + WIDTH / 2);
                    @let middle = y1 + LEVEL.saturating_sub(HEIGHT) / 2;
                    path.edge.soft[*soft] d=(format!("M{x1} {y1} C{x1} {middle} {x2} {} {x2} {y2}", y2.saturating_sub(24))) {}
                }
            }
            @for node in &drawn.nodes { (drawn_node(here, id, node, place(node), open)) }
        }
    }
}

/// A run time in steps, so that the picture of a running graph changes rarely.
fn rounded(took: Duration) -> Duration {
    let seconds = took.as_secs();
    let step = if seconds < 60 { 10 } else { 60 };
    if seconds < 10 { took } else { Duration::from_secs(seconds / step * step) }
}

fn drawn_node(here: &Here, id: &GraphId, node: &Node, (x, y): (usize, usize), open: &HashSet<String>) -> Markup {
    let state = node.state();
    let link = if let Some(task) = &node.task {
        here.link(&format!("/tasks/{}", escaped(task.as_str())))
    } else {
        let mut more = open.clone();
        more.insert(node.name.clone());
        here.link(&format!("/graphs/{}?{}", escaped(id.as_str()), query(&more)))
    };
    let counts: Vec<String> = node.states.iter().map(|(state, number)| format!("{number} {state}")).collect();
    let sub = if node.tasks > 1 {
        format!("{} tasks", node.tasks)
    } else if let Some(title) = &node.title {
        text::line(title)
    } else {
        format!("{state} · {}", text::line(&node.queue))
    };
    let sub =
        node.done().filter(|_| node.tasks == 1).map_or(sub.clone(), |done| format!("{} · {sub}", look::percent(done)));
    let label: String = text::line(&node.label);
    let took = node.took.map(|took| time::span(rounded(took)));
    let cut = |text: &str, most: usize| {
        if text.chars().count() > most { text.chars().take(most - 1).chain(['…']).collect() } else { text.to_owned() }
    };
    #[allow(clippy::cast_precision_loss, reason = "pixels")]
    let bar = node.done().map(|done| done * (WIDTH - 16) as f64);
    html! {
        a href=(link) data-key=(node.name) {
            g.node data-state=(state) transform=(format!("translate({x} {y})")) {
                title { (label) ": " (counts.join(", ")) @if let Some(title) = &node.title { ". " (text::line(title)) } @if node.task.is_none() { ". Click to show each task" } }
                @if node.tasks > 1 { rect x="4" y="4" width=(WIDTH) height=(HEIGHT) rx="8" {} }
                rect width=(WIDTH) height=(HEIGHT) rx="8" {}
                text x="10" y="20" { tspan aria-hidden="true" { (look::mark(state)) " " } (cut(&label, if took.is_some() { 14 } else { 22 })) }
                @if let Some(took) = &took { text.sub x=(WIDTH - 10) y="20" text-anchor="end" { (took) } }
                text.sub x="10" y="36" { (cut(&sub, 28)) }
                @if let Some(bar) = bar { rect.track x="8" y=(HEIGHT - 9) width=(WIDTH - 16) height="4" rx="2" {} rect.bar x="8" y=(HEIGHT - 9) width=(format!("{bar:.0}")) height="4" rx="2" {} }
            }
        }
    }
}
