//! Checks shared limits: the places in use match the running attempts, and no task waits for a limit that cannot admit
//! it.

use std::collections::{BTreeMap, BTreeSet};

use redis::Pipeline;

use super::bounds::allows;
use super::checks::Checks;

/// Maximum number of shared limits of a namespace.
const LIMITS: usize = 10_000;

/// The fields of a hash of shared limits.
type Said = BTreeMap<String, String>;

/// Parses shared limits and their places from a text such as `NAME,NAME:PLACES`.
fn parts(set: &str) -> impl Iterator<Item = (&str, u64)> {
    set.split(',')
        .map(|part| part.split_once(':').map_or((part, 1), |(name, places)| (name, places.parse().unwrap_or(1))))
}

impl Checks {
    pub fn shared_limits(&mut self, queues: &BTreeSet<String>) -> anyhow::Result<()> {
        let own = self.defined()?;
        self.in_use(queues, &own)?;
        self.unused(&own)?;
        for queue in queues {
            self.hopeless(queue, &own)?;
        }
        Ok(())
    }

    /// Returns the shared limits, each with its number of places, or `None` if the number is not limited.
    fn defined(&mut self) -> anyhow::Result<BTreeMap<String, Option<u64>>> {
        let key = format!("{}shared_limits", self.prefix);
        let own = self.limits_in(&key, |name| format!("blueque limit set --shared {name} …"))?;
        if own.len() > LIMITS {
            self.beyond("limits", &format!("{key} has {} limits", own.len()), "10,000");
        }
        let most = |places: String| places.parse().ok().filter(|_| allows("key_concurrency", &places));
        Ok(own.into_iter().map(|(name, places)| (name, most(places))).collect())
    }

    /// Compares the places in use with the attempts that take them, for all queues in one transaction.
    fn in_use(&mut self, queues: &BTreeSet<String>, own: &BTreeMap<String, Option<u64>>) -> anyhow::Result<()> {
        let key = format!("{}shared_places", self.prefix);
        if own.is_empty() && !self.ask::<bool>(&["EXISTS", &key])? {
            return Ok(());
        }
        let sizes: Vec<(_, (usize,))> = self.each(queues, |checks, pipeline, queue| {
            pipeline.cmd("HLEN").arg(checks.key("places", queue));
        })?;
        if sizes.iter().map(|(_, (size,))| size).sum::<usize>() > self.limit {
            self.note("limits", "more attempts take places than are checked; --limit checks more".to_owned());
            return Ok(());
        }
        let mut all = Pipeline::new();
        all.atomic().cmd("HGETALL").arg(&key);
        for queue in queues {
            all.cmd("HGETALL").arg(self.key("places", queue));
        }
        let mut answers: Vec<BTreeMap<String, String>> = self.send(&all)?;
        let said = if answers.is_empty() { BTreeMap::new() } else { answers.remove(0) };
        let mut taken: BTreeMap<String, u64> = BTreeMap::new();
        let attempts = answers.iter().flatten().filter(|(field, _)| field.starts_with("a:"));
        for set in attempts.filter_map(|(_, value)| value.splitn(3, ' ').nth(2)) {
            for (name, places) in parts(set) {
                *taken.entry(name.to_owned()).or_default() += places;
            }
        }
        let names: BTreeSet<&String> = said.keys().chain(taken.keys()).collect();
        for name in names {
            let sum = taken.get(name).copied().unwrap_or(0);
            let value = said.get(name).map_or("nothing", String::as_str);
            if sum.to_string() != *value {
                let set = if sum > 0 { format!("HSET {key} {name} {sum}") } else { format!("HDEL {key} {name}") };
                let text = format!("{key} says {value} of {name}, and the running attempts have {sum} places");
                self.finding("limits", text, set);
            }
            if let Some(most) = own.get(name).copied().flatten().filter(|most| sum > *most) {
                self.note("limits", format!("{sum} places of {most} of {name} are taken: the limit was lowered since"));
            }
        }
        Ok(())
    }

    /// Checks the data that decides when an unused limit is removed.
    fn unused(&mut self, own: &BTreeMap<String, Option<u64>>) -> anyhow::Result<()> {
        let key = |name: &str| format!("{}shared_{name}", self.prefix);
        let (tasks, expires, idle) = (key("tasks"), key("expires"), key("idle"));
        let mut read = Pipeline::new();
        read.atomic().cmd("HGETALL").arg(&tasks).cmd("HGETALL").arg(&expires);
        read.cmd("ZRANGE").arg(&idle).arg(0).arg(-1);
        let (named, kept, waits): (Said, Said, BTreeSet<String>) = self.send(&read)?;
        for (name, number) in named.iter().filter(|(_, number)| !number.parse::<u64>().is_ok_and(|number| number > 0)) {
            let text = format!("{tasks} says {number} of {name}, and must say how many tasks and schedules name it");
            self.finding("limits", text, format!("HDEL {tasks} {name}, then blueque admin maintenance"));
        }
        for name in kept.keys().filter(|name| !own.contains_key(*name)) {
            let text = format!("{expires} says when {name} expires, and there is no such shared limit");
            self.finding("limits", text, format!("HDEL {expires} {name}"));
        }
        for (name, seconds) in kept.iter().filter(|(name, _)| own.contains_key(*name)) {
            if !named.contains_key(name) && !waits.contains(name) {
                let text = format!("{name} is to expire, no task names it, and {idle} does not say when it goes");
                self.finding("limits", text, format!("blueque limit set --shared {name} --expires {seconds}s"));
            }
        }
        Ok(())
    }

    /// Notes queues with tasks that are missing in the index for listeners with patterns, if the index exists. This is
    /// no error: clients without scripts do not update the index, and people may delete entries. Listeners with
    /// patterns find such queues by a search.
    pub fn unindexed(&mut self, queues: &BTreeSet<String>) -> anyhow::Result<()> {
        let meta = format!("{}meta", self.prefix);
        if !self.ask::<bool>(&["HEXISTS", &meta, "patterns"])? {
            return Ok(());
        }
        let asked: Vec<(_, (usize, Option<f64>))> = self.each(queues, |checks, pipeline, queue| {
            let (plain, ranked) = (checks.key("pending_tasks", queue), checks.key("pending_ranked_tasks", queue));
            pipeline.cmd("EXISTS").arg(plain).arg(ranked);
            pipeline.cmd("ZSCORE").arg(format!("{}ready", checks.prefix)).arg(queue);
        })?;
        for (queue, _) in asked.into_iter().filter(|(_, answer)| matches!(answer, (1.., None))).take(10) {
            let text = format!("{queue} has tasks, but is not in {}ready", self.prefix);
            self.note("queues", format!("{text}: a worker that takes queues by pattern adds it within 30 s"));
        }
        Ok(())
    }

    /// Reports tasks that wait for a limit that does not exist, or that has fewer places than the tasks take.
    fn hopeless(&mut self, queue: &str, own: &BTreeMap<String, Option<u64>>) -> anyhow::Result<()> {
        let waiting: BTreeMap<String, String> = self.ask(&["HGETALL", &self.key("needs", queue)])?;
        for (class, value) in &waiting {
            let Some((_, set)) = class.split_once('|') else { continue };
            let number = value.split_once(' ').map_or("0", |(_, number)| number);
            for (name, places) in parts(set) {
                let todo = format!("blueque limit set --shared {name} --concurrency N, or edit or cancel these tasks");
                match own.get(name) {
                    None => {
                        let text = format!("{queue}: there is no shared limit {name}, but tasks wait for it: {number}");
                        self.finding("waiting", text, todo);
                    }
                    Some(Some(most)) if *most < places => {
                        let text = format!(
                            "{queue}: the shared limit {name} has {most} places, and these take {places} each (tasks): {number}"
                        );
                        self.finding("waiting", text, todo);
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }
}
