//! Checks counts that must agree, lengths that have a bound, and settings (I4, I5).

use blueque::contract::{Form, SETTINGS};

use super::checks::Checks;
use super::keys::Scan;

/// Returns the largest value of a setting that is a whole number.
fn most(name: &str) -> i64 {
    let setting = SETTINGS.iter().find(|setting| setting.name == name);
    setting.map_or(0, |setting| if let Form::Whole { high, .. } = setting.form { high } else { 0 })
}

impl Checks {
    pub fn bounds(&mut self, queue: &str) -> anyhow::Result<()> {
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("ZSCORE").arg(format!("{}queues", self.prefix)).arg(queue);
        pipeline.cmd("SCARD").arg(self.key("listeners", queue));
        pipeline.cmd("XLEN").arg(self.key("events", queue));
        pipeline.cmd("LLEN").arg(self.key("wake", queue));
        let (counted, listeners, events, wakes): (Option<f64>, usize, i64, usize) = self.send(&pipeline)?;
        #[allow(clippy::cast_precision_loss, reason = "nobody has 2^52 listeners")]
        let agrees = counted.is_none_or(|counted| (counted - listeners as f64).abs() < 0.5);
        if !agrees {
            let text = format!("{queue} counts {} listeners and has {listeners}", counted.unwrap_or(0.0));
            self.finding("queues", text, "no data is lost: the count is corrected when a listener comes or goes");
        }
        // The server trims a stream only at about its bound.
        if events > most("events") + 1_000 {
            self.beyond("events", &format!("{queue} keeps {events} events"), "about 100,000");
        }
        if wakes > 1 {
            self.beyond("wake", &format!("{queue} keeps {wakes} wake-ups"), "1");
        }
        self.capabilities(queue)
    }

    /// Reports capabilities of listeners that do not exist.
    fn capabilities(&mut self, queue: &str) -> anyhow::Result<()> {
        let key = self.key("has", queue);
        let mut listeners = Vec::new();
        self.fields(&key, |listener, _| listeners.push(listener.to_owned()))?;
        let asked: Vec<(_, (bool, bool))> = self.each(listeners, |checks, pipeline, listener| {
            pipeline.cmd("HEXISTS").arg(&key).arg(listener);
            pipeline.cmd("SISMEMBER").arg(checks.key("listeners", queue)).arg(listener);
        })?;
        for (listener, _) in asked.into_iter().filter(|(_, answer)| *answer == (true, false)) {
            let text = format!("{listener} has capabilities in {queue}, but is not registered");
            self.finding("listeners", text, format!("HDEL {key} {listener}"));
        }
        Ok(())
    }

    /// Checks the statistics by day and the list of the days.
    pub fn days(&mut self, queue: &str, scan: &Scan) -> anyhow::Result<()> {
        let all = self.key("days", queue);
        let mut dates = self.listed(&all)?;
        dates.extend(scan.of("statistics", queue).map(ToOwned::to_owned));
        // Today is not counted.
        if i64::try_from(dates.len()).is_ok_and(|days| days > most("statistics") + 1) {
            let text = format!("{queue} keeps statistics of {} days, the bound is 400", dates.len());
            self.finding("statistics", text, "start a worker for it, which removes the oldest");
        }
        let asked = self.each(dates, |checks, pipeline, date| {
            pipeline.cmd("ZSCORE").arg(&all).arg(date);
            pipeline.cmd("EXISTS").arg(checks.key("statistics", &format!("{queue}/{date}")));
        })?;
        for (date, answer) in asked {
            let own = self.key("statistics", &format!("{queue}/{date}"));
            match answer {
                (None::<f64>, true) => {
                    let text = format!("{own} is not in {all}: it stays for ever");
                    self.finding("statistics", text, format!("DEL {own}"));
                }
                (Some(_), false) => {
                    let text = format!("{queue} has no statistics of {date}, which is in {all}");
                    self.finding("statistics", text, format!("ZREM {all} {date}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks the fields of the namespace's own hash.
    pub fn meta(&mut self) -> anyhow::Result<()> {
        let key = format!("{}meta", self.prefix);
        let mut wrong = Vec::new();
        self.fields(&key, |field, value| {
            let known = match field.split_once(':').map_or((field, None), |(kind, queue)| (kind, Some(queue))) {
                ("schema" | "run" | "gap" | "patterns" | "asked", None) | ("paused", Some(_)) => true,
                ("settings", queue) => {
                    let odd = value.split(' ').filter(|pair| !is_setting(pair, queue.is_some()));
                    wrong.extend(odd.map(|pair| (field.to_owned(), Some(pair.to_owned()))));
                    true
                }
                ("test", None) => value == "1",
                ("token" | "limits" | "logs", None) | ("clock" | "ranking" | "drained" | "swept", Some(_)) => {
                    value.parse::<u64>().is_ok()
                }
                ("searched", None) => value.split(' ').all(|part| part.parse::<u64>().is_ok()),
                ("sweep", Some(_)) => value.strip_prefix("- ").unwrap_or(value).parse::<u64>().is_ok(),
                _ => false,
            };
            if !known {
                wrong.push((field.to_owned(), None));
            }
        })?;
        for (field, pair) in wrong {
            let Some(pair) = pair else {
                let todo = format!("HDEL {key} {field}, if no other client needs it");
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

/// Returns true if a value is within the bounds of a setting.
pub fn allows(name: &str, value: &str) -> bool {
    SETTINGS.iter().any(|known| known.name == name && known.allows(value))
}

/// Returns true if a text is `NAME=VALUE` with an existing setting of a queue or of the namespace and a valid value.
/// Also returns true for the field with the time from which a rate counts.
fn is_setting(pair: &str, of_queue: bool) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or_default();
    let rate = name.strip_suffix("_since");
    SETTINGS.iter().any(|known| match rate {
        Some(rate) => known.kind == "rate" && known.name == rate && value.parse::<u64>().is_ok(),
        None => known.name == name && known.allows(value) && !(known.all_queues && of_queue),
    })
}
