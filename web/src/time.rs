//! Times and durations. The script of the page keeps relative times current.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use maud::{Markup, html};

/// Formats a duration in its two largest units.
pub fn span(duration: Duration) -> String {
    let all = duration.as_secs();
    if duration < Duration::from_millis(9_950) {
        return format!("{:.1} s", duration.as_secs_f64());
    }
    let units = [(all / 86_400, "d"), (all / 3_600 % 24, "h"), (all / 60 % 60, "min"), (all % 60, "s")];
    let first = units.iter().position(|(number, _)| *number > 0).unwrap_or(3);
    let two = units.iter().skip(first).take(2).filter(|(number, _)| *number > 0);
    two.map(|(number, unit)| format!("{number} {unit}")).collect::<Vec<_>>().join(" ")
}

/// Returns the duration from one time to a later time, or zero if the second time is earlier.
pub fn between(from: SystemTime, to: SystemTime) -> Duration {
    to.duration_since(from).unwrap_or_default()
}

fn stamp(time: SystemTime) -> Option<Timestamp> {
    Timestamp::try_from(time).ok()
}

/// Formats a time as RFC 3339 in UTC, to the millisecond.
pub fn exact(time: SystemTime) -> String {
    stamp(time).map_or_else(|| "an unknown time".to_owned(), |time| format!("{time:.3}"))
}

/// Formats a time in UTC, to the second, for people.
pub fn plain(time: SystemTime) -> String {
    stamp(time).map_or_else(|| "an unknown time".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

/// Formats the time of a day in UTC.
pub fn of_day(time: SystemTime) -> String {
    stamp(time).map_or_else(String::new, |time| time.strftime("%H:%M:%S").to_string())
}

/// A time relative to now, with the exact time on hover.
pub fn relative(time: SystemTime) -> Markup {
    let now = SystemTime::now();
    let text = match now.duration_since(time) {
        Ok(ago) => format!("{} ago", span(ago)),
        Err(soon) => format!("in {}", span(soon.duration())),
    };
    html! { time datetime=(exact(time)) title=(plain(time)) data-time="relative" { (text) } }
}

/// A relative time, or a dash.
pub fn maybe(time: Option<SystemTime>) -> Markup {
    html! { @match time { Some(time) => (relative(time)), None => span.none { "–" } } }
}

/// The duration since a time, which grows.
pub fn elapsed(since: SystemTime) -> Markup {
    let text = span(between(since, SystemTime::now()));
    html! { time datetime=(exact(since)) title=(format!("since {}", plain(since))) data-time="elapsed" { (text) } }
}

/// A time on the clock in UTC. The script of the page changes it to the reader's zone.
pub fn clock(time: SystemTime) -> Markup {
    html! { time datetime=(exact(time)) title=(plain(time)) data-time="clock" { (plain(time)) } }
}

/// A sentence in which each time is shown as on all pages: relative to now, with the time itself on hover.
pub fn in_sentence(sentence: &str) -> Markup {
    let mut words = sentence.split_inclusive(' ').peekable();
    let mut html = String::with_capacity(sentence.len());
    while let Some(word) = words.next() {
        let bare = word.trim_matches([' ', '(', ')', ',', '.', ';', ':']);
        let time = Some(bare).filter(|bare| bare.ends_with('Z')).and_then(|bare| bare.parse::<Timestamp>().ok());
        let Some((time, (before, after))) = time.map(SystemTime::from).zip(word.split_once(bare)) else {
            html.push_str(&html! { (word) }.into_string());
            continue;
        };
        let is_relative = words.peek().is_some_and(|next| next.starts_with('('));
        // "It ends at TIME (in 5m)" becomes "It ends in 5 min", but "It is scheduled for TIME" keeps its time.
        let needs_clock = !is_relative || html.ends_with("for ") || html.ends_with("is ");
        if needs_clock {
            html.push_str(&html! { (before) (clock(time)) (after) }.into_string());
        } else if html.ends_with(" at ") {
            html.truncate(html.len() - "at ".len());
        }
        if is_relative {
            let rest = loop {
                match words.next().map(|word| word.split_once(')').map(|(_, rest)| rest)) {
                    Some(None) => {}
                    Some(Some(rest)) => break rest,
                    None => break "",
                }
            };
            let (open, close) = if needs_clock { ("(", ")") } else { ("", "") };
            html.push_str(&html! { (open) (relative(time)) (close) (rest) }.into_string());
        }
    }
    maud::PreEscaped(html)
}

/// An expected end: relative, or overdue.
pub fn expected(end: SystemTime) -> Markup {
    if end <= SystemTime::now() {
        return html! { span.overdue title=(format!("was expected {}", plain(end))) { "overdue" } };
    }
    relative(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_sentence_move_and_the_rest_stays_text() {
        let of = |sentence: &str| in_sentence(sentence).into_string();
        let html = of("It <waits>; its lease ends at 2020-01-02T03:04:05Z (in 5m), x.");
        assert!(
            html.starts_with("It &lt;waits&gt;; its lease ends <time datetime=\"2020-01-02T03:04:05.000Z\""),
            "{html}"
        );
        assert!(html.ends_with(" ago</time>, x.") && !html.contains("in 5m"), "{html}");
        let html = of("It is scheduled for 2020-01-02T03:04:05Z (in 5m).");
        assert!(html.contains("for <time ") && html.contains("=\"clock\">") && html.contains(" (<time "), "{html}");
        assert!(of("Away since 2020-01-02T03:04:05Z: no.").ends_with("</time>: no."));
        assert_eq!(in_sentence("All (3) is well.").into_string(), "All (3) is well.");
    }

    #[test]
    fn durations_have_their_two_largest_units() {
        let of = |seconds: u64| span(Duration::from_secs(seconds));
        assert_eq!(
            (of(59), of(60), of(3_725), of(90_000)),
            ("59 s".into(), "1 min".into(), "1 h 2 min".into(), "1 d 1 h".into())
        );
        assert_eq!(span(Duration::from_millis(1_250)), "1.2 s");
    }
}
