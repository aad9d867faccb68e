//! Plots, as SVG without styles of their own.

use std::time::Duration;

use maud::{Markup, html};

use crate::time::span;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 8.0;
const BOTTOM: f64 = 32.0;
/// Room for the largest value, which is written above the plot.
const TOP: f64 = 28.0;

/// A bar of a plot: its name, and its parts from the bottom, each with a class.
#[derive(Debug)]
pub struct Bar {
    pub name: String,
    pub parts: Vec<(&'static str, u64)>,
}

#[allow(clippy::cast_precision_loss, reason = "pixels")]
fn x(at: usize, all: usize) -> f64 {
    LEFT + (WIDTH - LEFT) * at as f64 / all.max(1) as f64
}

fn height() -> f64 {
    HEIGHT - BOTTOM - TOP
}

/// A bar chart of counts.
pub fn bars(title: &str, bars: &[Bar]) -> Markup {
    #[allow(clippy::cast_precision_loss, reason = "pixels")]
    let number = |number: u64| number as f64;
    let most = bars.iter().map(|bar| bar.parts.iter().map(|(_, n)| n).sum::<u64>()).max().unwrap_or(0);
    if most == 0 {
        return html! { p.quiet { (title) ": nothing to show yet." } };
    }
    let scale = height() / number(most);
    let each = (WIDTH - LEFT) / number(bars.len().max(1) as u64);
    html! {
        svg.plot viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) {
            title { (title) }
            line.axis x1=(LEFT) x2=(WIDTH) y1=(HEIGHT - BOTTOM) y2=(HEIGHT - BOTTOM) {}
            text x="0" y=(TOP - 10.0) { "up to " (most) }
            @for (at, bar) in bars.iter().enumerate() {
                @let words = bar.parts.iter().map(|(class, n)| format!("{n} {}", word(class))).collect::<Vec<_>>().join(", ");
                g {
                    title { (bar.name) ": " (words) }
                    rect x=(x(at, bars.len())) y=(TOP) width=(each) height=(height()) fill="transparent" {}
                    @for (i, (class, n)) in bar.parts.iter().enumerate() {
                        @let below: u64 = bar.parts.iter().take(i).map(|(_, n)| n).sum();
                        rect class=(class) x=(format!("{:.1}", x(at, bars.len()) + each * 0.12)) width=(format!("{:.1}", each * 0.76))
                            y=(format!("{:.1}", HEIGHT - BOTTOM - number(below + n) * scale)) height=(format!("{:.1}", number(*n) * scale)) {}
                    }
                }
                @if at % bars.len().div_ceil(6).max(1) == 0 { text x=(format!("{:.1}", x(at, bars.len()) + each / 2.0)) y=(HEIGHT - 10.0) text-anchor="middle" { (bar.name) } }
            }
        }
    }
}

fn word(class: &str) -> &str {
    match class {
        "good" => "complete",
        "wrong" => "failed",
        "into" => "created",
        other => other,
    }
}

/// A point of a chart: its name, the median, and what 95 of 100 do not exceed.
pub type Point = (String, Option<Duration>, Option<Duration>);

/// A chart of durations: the median, and what 95 of 100 do not exceed.
pub fn durations(title: &str, points: &[Point]) -> Markup {
    let seconds = |duration: &Option<Duration>| duration.map(|duration| duration.as_secs_f64());
    let most = points.iter().flat_map(|(_, a, b)| [seconds(a), seconds(b)]).flatten().fold(0.0_f64, f64::max);
    if most <= 0.0 {
        return html! { p.quiet { (title) ": nothing to show yet." } };
    }
    let each = (WIDTH - LEFT) / f64::from(u32::try_from(points.len().max(1)).unwrap_or(1));
    let path = |which: fn(&Point) -> Option<Duration>| {
        let mut path = String::new();
        let mut pen = 'M';
        for (at, point) in points.iter().enumerate() {
            match which(point) {
                Some(value) => {
                    let y = HEIGHT - BOTTOM - value.as_secs_f64() / most * height();
                    let x = x(at, points.len()) + each / 2.0;
                    path.push_str(&format!("{pen}{x:.1} {y:.1} "));
                    // A lone point is a short line.
                    if pen == 'M' {
                        path.push_str("h4 ");
                    }
                    pen = 'L';
                }
                None => pen = 'M',
            }
        }
        path
    };
    html! {
        svg.plot viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) {
            title { (title) }
            line.axis x1=(LEFT) x2=(WIDTH) y1=(HEIGHT - BOTTOM) y2=(HEIGHT - BOTTOM) {}
            text x="0" y=(TOP - 10.0) { "up to " (span(Duration::from_secs_f64(most))) }
            path.line2 d=(path(|point| point.2)) stroke-linecap="round" {}
            path.line1 d=(path(|point| point.1)) stroke-linecap="round" {}
            @for (at, (name, median, high)) in points.iter().enumerate() {
                g {
                    title { (name) ": median " (median.map_or_else(|| "–".to_owned(), span)) ", 95 % within " (high.map_or_else(|| "–".to_owned(), span)) }
                    rect x=(format!("{:.1}", x(at, points.len()))) y=(TOP) width=(format!("{each:.1}")) height=(height()) fill="transparent" {}
                }
                @if at % points.len().div_ceil(6).max(1) == 0 { text x=(format!("{:.1}", x(at, points.len()) + each / 2.0)) y=(HEIGHT - 10.0) text-anchor="middle" { (name) } }
            }
        }
    }
}

/// A bar whose parts are states.
pub fn mix(title: &str, states: &[(&str, u64)]) -> Markup {
    let all: u64 = states.iter().map(|(_, number)| number).sum();
    #[allow(clippy::cast_precision_loss, reason = "pixels")]
    let part = |number: u64| number as f64 / all.max(1) as f64 * 1_000.0;
    let words = states.iter().filter(|(_, number)| *number > 0).map(|(state, number)| format!("{number} {state}"));
    let label = format!("{title}: {}", words.collect::<Vec<_>>().join(", "));
    let mut from = 0.0;
    html! {
        @if all > 0 {
            svg.mix viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label=(label) {
                @for (state, number) in states.iter().filter(|(_, number)| *number > 0) {
                    rect data-state=(state) x=(format!("{from:.1}")) width=(format!("{:.1}", part(*number))) height="10" { title { (number) " " (state) } }
                    @let () = from += part(*number);
                }
            }
        }
    }
}

/// A part of a time line: its class, where it begins and ends from 0 to 1, and what it is.
#[derive(Debug)]
pub struct Span {
    pub class: &'static str,
    pub from: f64,
    pub to: f64,
    pub what: String,
}

/// A time line, in steps of a hundredth, so that one that grows changes rarely.
pub fn spans(title: &str, spans: &[Span]) -> Markup {
    let at = |part: f64| (part * 100.0).round() * 10.0;
    html! {
        svg.spans viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label=(title) {
            rect.ground width="1000" height="16" {}
            @for span in spans {
                rect class=(span.class) x=(at(span.from)) width=((at(span.to) - at(span.from)).max(3.0)) height="16" { title { (span.what) } }
            }
        }
    }
}

/// What the marks of the plots mean.
pub fn legend(marks: &[(&str, &str)]) -> Markup {
    html! {
        ul.legend {
            @for (class, text) in marks {
                li {
                    svg.plot.mark width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" {
                        @if class.starts_with("line") { path class=(class) d="M0 6H12" {} } @else { rect class=(class) width="12" height="12" rx="2" {} }
                    }
                    (text)
                }
            }
        }
    }
}
