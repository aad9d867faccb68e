//! Numbers that must agree, lengths that have a bound, and settings (I4, I5).

use std::collections::BTreeSet;

use redis::Value;

use super::exam::Exam;
use super::keys::Scan;
use super::limits::is_rate;

/// An event stream without `tally` is trimmed at about 100,000.
const EVENTS: usize = 101_000;

/// Maximum number of days of statistics that a queue keeps.
const DAYS: usize = 401;

/// Numeric settings, with their bounds.
const NUMBERS: [(&str, f64, f64); 26] = [
    ("ageing", 1.0, 604_800.0),
    ("audit", 100.0, 1e6),
    ("closed", 0.0, 1.0),
    ("concurrency", 1.0, 1e6),
    ("delay", 0.0, 31_536_000.0),
    ("events", 100.0, 100_000.0),
    ("forget_after", 60.0, 604_800.0),
    ("grace", 0.0, 86_400.0),
    ("graph_bytes", 1_024.0, 1_099_511_627_776.0),
    ("history", 1.0, 1_000.0),
    ("input_bytes", 1_024.0, 16_777_216.0),
    ("jitter", 0.0, 100.0),
    ("keep", 0.0, 1e7),
    ("key_concurrency", 1.0, 1e6),
    ("lease", 1.0, 604_800.0),
    ("log_bytes", 0.0, 268_435_456.0),
    ("logs_bytes", 0.0, 1_099_511_627_776.0),
    ("lost_delay", 0.0, 31_536_000.0),
    ("max_bytes", 0.0, 8_388_608.0),
    ("max_delay", 0.0, 31_536_000.0),
    ("max_failures", 0.0, 1_000.0),
    ("max_losses", 0.0, 1_000_000_000.0),
    ("max_releases", 0.0, 1e6),
    ("max_uncounted", 0.0, 1e6),
    ("retain", 0.0, 1e11),
    ("statistics", 0.0, 400.0),
];

impl Exam {
    pub fn bounds(&mut self, queue: &str) -> anyhow::Result<()> {
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("ZSCORE").arg(format!("{}queues", self.prefix)).arg(queue);
        pipeline.cmd("SCARD").arg(self.key("listeners", queue));
        pipeline.cmd("XLEN").arg(self.key("events", queue));
        pipeline.cmd("LLEN").arg(self.key("wake", queue));
        let (counted, listeners, events, wakes): (Option<f64>, usize, usize, usize) = self.send(&pipeline)?;
        #[allow(clippy::cast_precision_loss, reason = "nobody has 2^52 listeners")]
        let agrees = counted.is_none_or(|counted| (counted - listeners as f64).abs() < 0.5);
        if !agrees {
            let text = format!("{queue} counts {} listeners and has {listeners}", counted.unwrap_or(0.0));
            self.finding("queues", text, "no loss: it is corrected when a listener comes or goes");
        }
        if events > EVENTS {
            let text = format!("{queue} keeps {events} events, the bound is about 100,000");
            self.finding("events", text, "another client writes them: find out which one");
        }
        if wakes > 1 {
            let text = format!("{queue} keeps {wakes} wake-ups, the bound is 1");
            self.finding("wake", text, "another client writes them: find out which one");
        }
        self.capabilities(queue)
    }

    /// Only listeners offer capabilities.
    fn capabilities(&mut self, queue: &str) -> anyhow::Result<()> {
        let key = self.key("has", queue);
        let mut listeners = Vec::new();
        self.fields(&key, |listener, _| listeners.push(listener.to_owned()))?;
        for batch in listeners.chunks(100) {
            let mut pipeline = redis::pipe();
            for listener in batch {
                pipeline.atomic().cmd("HEXISTS").arg(&key).arg(listener);
                pipeline.cmd("SISMEMBER").arg(self.key("listeners", queue)).arg(listener);
            }
            let answers: Vec<bool> = self.send(&pipeline)?;
            for (listener, answer) in batch.iter().zip(answers.chunks(2)) {
                if answer == [true, false] {
                    let text = format!("{listener} has capabilities in {queue}, but is not registered");
                    self.finding("listeners", text, format!("HDEL {key} {listener}"));
                }
            }
        }
        Ok(())
    }

    /// Statistics by day, and the list of those days.
    pub fn days(&mut self, queue: &str, scan: &Scan) -> anyhow::Result<()> {
        let all = self.key("days", queue);
        let mut dates: BTreeSet<String> = scan.of("statistics", queue).into_iter().map(ToOwned::to_owned).collect();
        self.pages(&all, &["ZRANGE"], |date| {
            dates.insert(date.to_owned());
        })?;
        let dates: Vec<String> = dates.into_iter().collect();
        if dates.len() > DAYS {
            let text = format!("{queue} keeps statistics of {} days, the bound is 400", dates.len());
            self.finding("statistics", text, "start a worker for it, which removes the oldest");
        }
        for batch in dates.chunks(100) {
            let mut pipeline = redis::pipe();
            for date in batch {
                pipeline.atomic().cmd("ZSCORE").arg(&all).arg(date);
                pipeline.cmd("EXISTS").arg(self.key("statistics", &format!("{queue}/{date}")));
            }
            let answers: Vec<Value> = self.send(&pipeline)?;
            for (date, answer) in batch.iter().zip(answers.chunks(2)) {
                let own = self.key("statistics", &format!("{queue}/{date}"));
                match answer {
                    [Value::Nil, Value::Int(1)] => {
                        self.finding(
                            "statistics",
                            format!("{own} is not in {all}: it stays for ever"),
                            format!("DEL {own}"),
                        );
                    }
                    [score, Value::Int(0)] if *score != Value::Nil => {
                        let text = format!("{queue} has no statistics of {date}, which is in {all}");
                        self.finding("statistics", text, format!("ZREM {all} {date}"));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The fields of the namespace's own hash.
    pub fn meta(&mut self) -> anyhow::Result<()> {
        let key = format!("{}meta", self.prefix);
        let mut wrong = Vec::new();
        self.fields(&key, |field, value| {
            let known = match field.split_once(':').map_or((field, None), |(kind, queue)| (kind, Some(queue))) {
                ("schema" | "run" | "gap" | "roams" | "asked", None) | ("paused", Some(_)) => true,
                ("settings", _) => {
                    let odd = value.split(' ').filter(|pair| !is_setting(pair));
                    wrong.extend(odd.map(|pair| (field.to_owned(), Some(pair.to_owned()))));
                    true
                }
                ("test", None) => value == "1",
                ("token" | "limits" | "logs", None) | ("clock" | "lanes" | "drained" | "swept", Some(_)) => {
                    value.parse::<u64>().is_ok()
                }
                ("roamed", None) => value.split(' ').all(|part| part.parse::<u64>().is_ok()),
                ("sweep", Some(_)) => value.strip_prefix("- ").unwrap_or(value).parse::<u64>().is_ok(),
                _ => false,
            };
            if !known {
                wrong.push((field.to_owned(), None));
            }
        })?;
        for (field, pair) in wrong {
            let Some(pair) = pair else {
                let todo = format!("HDEL {key} {field}, where no other client needs it");
                self.finding("keys", format!("{key} has the field {field}, which is unknown or no number"), todo);
                continue;
            };
            let scope = field.split_once(':').map_or(String::new(), |(_, queue)| format!(" --queue {queue}"));
            let name = pair.split('=').next().unwrap_or_default();
            let text = format!("{field} has {pair}, which is no setting or out of its bounds");
            self.finding("settings", text, format!("blueque config unset {name}{scope}, or set it"));
        }
        Ok(())
    }
}

/// `NAME=VALUE` of an existing setting with a valid value.
fn is_setting(pair: &str) -> bool {
    match pair.split_once('=') {
        Some(("backoff", value)) => value == "exponential" || value == "fixed",
        Some(("rate" | "key_rate", value)) => is_rate(value),
        Some(("rate_since" | "key_rate_since", value)) => value.parse::<u64>().is_ok(),
        Some((name, value)) => NUMBERS.iter().any(|&(of, least, most)| {
            of == name && value.parse::<f64>().is_ok_and(|number| (least..=most).contains(&number))
        }),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::NUMBERS;

    #[test]
    fn every_setting_of_the_contract_is_known() -> anyhow::Result<()> {
        let contract: serde_json::Value = serde_json::from_str(blueque::bundle::contract())?;
        let settings = contract.get("settings").and_then(serde_json::Value::as_object);
        let texts = ["backoff", "rate", "key_rate"];
        let unknown = settings.into_iter().flatten().map(|(name, _)| name.as_str());
        let unknown: Vec<&str> =
            unknown.filter(|name| !texts.contains(name) && NUMBERS.iter().all(|(known, ..)| known != name)).collect();
        assert!(settings.is_some_and(|all| all.len() > 20) && unknown.is_empty(), "{unknown:?}");
        Ok(())
    }
}
