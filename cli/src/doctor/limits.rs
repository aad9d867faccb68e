//! Checks the limits of queues and keys (I7): the places in use match the running attempts, and no limit is exceeded.

use std::collections::BTreeMap;

use redis::Value;

use super::bounds::allows;
use super::checks::Checks;
use super::keys::Scan;
use super::remedy::text_of;

/// Maximum number of keys of a queue that have their own limits, and maximum number of starts that a rate stores.
const LIMITS: usize = 100_000;
const STARTS: usize = 1_000;

/// The places that the attempts of a queue take, by key.
#[derive(Default)]
struct Taken {
    keys: BTreeMap<String, (u64, usize)>,
    extra: u64,
}

impl Checks {
    pub fn limits(&mut self, queue: &str, scan: &Scan) -> anyhow::Result<()> {
        let taken = self.sums(queue)?;
        let own = self.own(queue)?;
        self.exceeded(queue, &taken, &own)?;
        let rates: Vec<String> =
            scan.after("rate", queue).map(|part| self.key("rate", &format!("{queue}{part}"))).collect();
        let asked: Vec<(_, (usize, i64))> = self.each(rates, |_, pipeline, key| {
            pipeline.cmd("LLEN").arg(key).cmd("TTL").arg(key);
        })?;
        for (key, (length, ttl)) in asked {
            if length > STARTS {
                let text = format!("{key} contains {length} starts, the limit is 1,000");
                self.finding("limits", text, format!("LTRIM {key} 0 999"));
            }
            if ttl == -1 {
                let text = format!("{key} does not expire: it stays for ever if its key is not used again");
                self.finding("limits", text, format!("EXPIRE {key} 604800"));
            }
        }
        Ok(())
    }

    /// Compares the sums of places with the attempts that take the places. One hash contains both, and is read
    /// atomically.
    fn sums(&mut self, queue: &str) -> anyhow::Result<Taken> {
        let key = self.key("places", queue);
        let mut taken = Taken::default();
        if self.ask::<usize>(&["HLEN", &key])? > 2 * self.limit {
            self.note("limits", format!("{queue}: more attempts take places than are checked; --limit checks more"));
            return Ok(taken);
        }
        let places: BTreeMap<String, String> = self.ask(&["HGETALL", &key])?;
        let mut said: BTreeMap<&str, &str> = BTreeMap::new();
        for (field, value) in &places {
            if let Some(attempt) = field.strip_prefix("a:") {
                let mut words = value.splitn(3, ' ');
                let weight = words.next().zip(words.next());
                let weight = weight.and_then(|(weight, key)| Some((weight.parse::<u64>().ok()?, key)));
                let Some((weight, of)) = weight.filter(|(weight, _)| *weight > 0) else {
                    let text = format!("{key} says {value} of the attempt {attempt}, and must say WEIGHT KEY LIMITS");
                    self.finding("limits", text, format!("HDEL {key} 'a:{attempt}', then look again"));
                    continue;
                };
                taken.extra += weight - 1;
                if !of.is_empty() {
                    let sum = taken.keys.entry(of.to_owned()).or_default();
                    *sum = (sum.0 + weight, sum.1 + 1);
                }
            } else {
                said.insert(field, value);
            }
        }
        let mut sums: BTreeMap<String, u64> =
            taken.keys.iter().map(|(of, (sum, _))| (format!("k:{of}"), *sum)).collect();
        if taken.extra > 0 {
            sums.insert("extra".to_owned(), taken.extra);
        }
        for (field, value) in said {
            let sum = sums.remove(field).unwrap_or(0);
            if sum.to_string() != value {
                let known = field == "extra" || field.starts_with("k:");
                let set =
                    if known && sum > 0 { format!("HSET {key} {field} {sum}") } else { format!("HDEL {key} {field}") };
                let text = format!("{key} says {field} is {value}, and the running attempts take {sum}");
                self.finding("limits", text, format!("{set}, then set the limits of the key again, unchanged"));
            }
        }
        for (field, sum) in sums {
            let text = format!("{key} does not say {field}, and the running attempts take {sum}");
            self.finding("limits", text, format!("HSET {key} {field} {sum}"));
        }
        Ok(taken)
    }

    /// Returns the keys that have their own limits, with their limits.
    fn own(&mut self, queue: &str) -> anyhow::Result<BTreeMap<String, String>> {
        let key = self.key("limits", queue);
        let own = self.limits_in(&key, |name| format!("blueque limit set {queue} {name} …, or --none"))?;
        if own.len() > LIMITS {
            self.beyond("limits", &format!("{key} has {} keys", own.len()), "100,000");
        }
        Ok(own)
    }

    /// Returns the limits in a hash, each with its number of places. Reports values that are no limits, with the remedy
    /// for each name.
    pub(super) fn limits_in(
        &mut self,
        key: &str,
        remedy: impl Fn(&str) -> String,
    ) -> anyhow::Result<BTreeMap<String, String>> {
        let (mut own, mut wrong) = (BTreeMap::new(), Vec::new());
        self.fields(key, |name, value| {
            let (places, rate) = value.split_once(' ').unwrap_or((value, ""));
            if !(places == "-" || allows("key_concurrency", places)) || !(rate == "-" || allows("key_rate", rate)) {
                wrong.push((name.to_owned(), value.to_owned()));
            }
            own.insert(name.to_owned(), places.to_owned());
        })?;
        for (name, value) in wrong {
            let text = format!("{key} says {value} of {name}, and must say PLACES STARTS/SECONDS, or - for either");
            self.finding("limits", text, remedy(&name));
        }
        Ok(own)
    }

    /// Reports limits that are exceeded. This is no error if the limit was lowered while tasks ran.
    fn exceeded(&mut self, queue: &str, taken: &Taken, own: &BTreeMap<String, String>) -> anyhow::Result<()> {
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("ZCARD").arg(self.key("leases", queue));
        pipeline.cmd("HGET").arg(self.key("places", queue)).arg("extra");
        pipeline.cmd("HMGET").arg(format!("{}meta", self.prefix)).arg(format!("settings:{queue}")).arg("settings");
        let answers: Vec<Value> = self.send(&pipeline)?;
        let [leases, extra, texts] = answers.as_slice() else { return Ok(()) };
        let leases: u64 = redis::from_redis_value_ref(leases).unwrap_or(0);
        let extra: u64 = text_of(extra).and_then(|extra| extra.parse().ok()).unwrap_or(0);
        let texts: Vec<Option<String>> = redis::from_redis_value_ref(texts).unwrap_or_default();
        let set = |name: &str| -> Option<u64> {
            let values =
                texts.iter().flatten().flat_map(|text| text.split(' ')).filter_map(|pair| pair.split_once('='));
            values.filter(|(of, _)| *of == name).find_map(|(_, value)| value.parse().ok())
        };
        // A task that needs more places than there are runs alone.
        if let Some(most) = set("concurrency").filter(|most| leases + extra > *most && leases > 1) {
            let used = leases + extra;
            self.note("limits", format!("{queue}: {used} places of {most} are taken: the limit was lowered since"));
        }
        for (key, (sum, attempts)) in &taken.keys {
            let most = own.get(key).and_then(|most| most.parse().ok()).or_else(|| set("key_concurrency"));
            if let Some(most) = most.filter(|most| sum > most && *attempts > 1) {
                let text = format!("{queue}: key {key} takes {sum} places of {most}: the limit was lowered since");
                self.note("limits", text);
            }
        }
        Ok(())
    }
}
