//! Calls that create tasks.

use std::collections::BTreeMap;

use crate::model::deadlines::moment;
use crate::model::graphs::{Wanted, parameters, text};
use crate::model::keys::Reply;
use crate::model::ops::{Eta, IDS, Need, Options};
use crate::model::state::{Model, SECOND, Task, Verdict, decimal};

/// Sorted, each once.
fn names(value: &str) -> String {
    let mut names: Vec<&str> = value.split(',').collect();
    names.sort_unstable();
    names.dedup();
    names.join(",")
}

/// The fields of the record for these options and needs.
pub fn fields(options: &Options, deadline: Option<u64>, needs: &[Need]) -> Verdict<Vec<(&'static str, String)>> {
    let asked = |name: &str| options.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    let (unique, until, policy) = (asked("unique"), asked("unique_until"), asked("unique_policy"));
    let latest = policy == Some("latest");
    let orphaned = unique.is_none() && (until.is_some() || policy.is_some());
    if orphaned || latest && (asked("key").is_some() || until.is_some()) {
        return Err("BADARG");
    }
    let key = if latest { unique } else { asked("key") };
    let priority = asked("priority").filter(|priority| *priority != "0");
    let weight = asked("weight").filter(|weight| *weight != "1");
    let mut fields = Vec::new();
    let mut put = |name, value: Option<String>| fields.extend(value.map(|value| (name, value)));
    let copied = [
        "max_losses",
        "max_failures",
        "max_releases",
        "backoff",
        "delay",
        "max_delay",
        "jitter",
        "method",
        "log_bytes",
        "steps",
    ];
    for name in copied {
        put(name, asked(name).map(str::to_owned));
    }
    let mut flags = String::new();
    let mut flag = |letter, flagged: bool| flags.extend(flagged.then_some(letter));
    let limits = asked("limits");
    flag('r', priority.is_some() || key.is_some() || asked("needs").is_some() || limits.is_some());
    flag('p', key.is_some() || weight.is_some() || limits.is_some());
    flag('u', unique.is_some());
    flag('t', asked("tags").is_some());
    flag('l', asked("lease").is_some());
    flag('w', !needs.is_empty());
    flag('k', needs.iter().any(|need| matches!(need, Need::Edge("some", _) | Need::Some(..))));
    flag('e', deadline.is_some());
    flag('s', asked("steps").is_some());
    put("deadline", deadline.map(decimal));
    put("inputs", Some(text(needs, true)).filter(|_| !needs.is_empty()));
    put("priority", priority.map(str::to_owned));
    put("key", key.map(str::to_owned));
    put("weight", weight.map(str::to_owned));
    put("needs", asked("needs").map(names));
    put("limits", limits.map(str::to_owned));
    put("unique", unique.map(str::to_owned));
    put("unique_until", unique.map(|_| if latest { "start" } else { until.unwrap_or("end") }.to_owned()));
    put("tags", asked("tags").map(names));
    put("own_lease", asked("lease").map(|lease| (lease.parse::<u64>().unwrap() * SECOND).to_string()));
    put("exclusive", latest.then(|| "1".to_owned()));
    put("flags", Some(flags).filter(|flags| !flags.is_empty()));
    Ok(fields)
}

impl Model {
    pub fn submit(
        &mut self,
        name: &str,
        tasks: &[(u8, Option<Eta>, u8)],
        options: &Options,
        deadline: Option<Eta>,
        needs: &[Need],
    ) -> Verdict<Reply> {
        let wanted = if needs.is_empty() { None } else { Some(Wanted::of(needs, false)?) };
        self.require_limits(options)?;
        let fields = fields(options, moment(deadline), needs)?;
        let unique = fields.iter().find(|(name, _)| *name == "unique").map(|(_, value)| value.clone());
        if unique.is_some() && tasks.len() > 1 {
            return Err("BADARG");
        }
        let (mut answers, mut looks) = (Vec::new(), Vec::new());
        for (at, (number, ..)) in tasks.iter().enumerate() {
            if tasks[..at].iter().any(|(other, ..)| other == number) {
                return Err("BADARG");
            }
            let id = IDS[usize::from(*number)];
            match self.tasks.get(id).or_else(|| self.web.staged.get(id)) {
                None => {
                    answers.push("created".to_owned());
                    looks.push(wanted.as_ref().map(|wanted| self.look_up(id, wanted, None)).transpose()?);
                    self.require_ahead(moment(deadline))?;
                }
                Some(task) if task.queue == name => answers.push("existing".into()),
                Some(_) => return Err("OTHERQUEUE"),
            }
        }
        let answer = |answers: Vec<String>| Ok(Reply::List(answers.into_iter().map(Reply::text).collect()));
        let fresh: Vec<bool> = answers.iter().map(|answer| answer == "created").collect();
        if !fresh.contains(&true) {
            return answer(answers);
        }
        if self.setting(name, "closed").as_deref() == Some("1") {
            return Err("CLOSED");
        }
        let own = IDS[usize::from(tasks[0].0)]; // a task of this id may have had it before
        if let Some((unique, rival)) = unique
            .and_then(|unique| Some((self.taken(name, &unique, own)?, unique)).map(|(rival, unique)| (unique, rival)))
        {
            let policy =
                options.iter().find(|(name, _)| *name == "unique_policy").map_or("reject", |(_, policy)| policy);
            let has = |task: &Task| task.queue == name && task.get("unique") == unique;
            let edges = looks.iter().flatten().flat_map(|look| &look.edges).collect::<Vec<_>>();
            let replaces = |task: &Task| has(task) && task.waits() && (policy == "replace" || policy == "latest");
            if self.tasks.get(&rival).is_some_and(replaces) && edges.iter().any(|(up, _)| *up == rival) {
                return Err("BADARG");
            }
            self.web.later = !edges.is_empty();
            if self.tasks.get(&rival).is_some_and(has) || policy == "reject" {
                answers = self.rival(&rival, policy, own).inspect_err(|_| self.web.later = false)?;
            }
            self.web.later = false;
            if answers[0] == "existing" {
                return answer(answers);
            }
        }
        let fresh = tasks.iter().zip(fresh).filter(|(_, fresh)| *fresh);
        for (((number, eta, whole), _), look) in fresh.zip(looks) {
            let id = IDS[usize::from(*number)];
            let mut fields: BTreeMap<&'static str, String> = fields.iter().cloned().collect();
            match eta {
                Some(Eta::At(eta)) if *eta > self.now => fields.insert("eta", decimal(*eta)),
                _ => None,
            };
            let own = look.as_ref().and_then(|look| look.parameters.clone());
            let own = own.unwrap_or_else(|| parameters(needs, *whole));
            match look.filter(|look| !look.edges.is_empty()) {
                None => self.make(id, name, fields, &own, "submit"),
                Some(look) => {
                    self.begin(id, name, fields, &own, "submit", "waiting");
                    self.wait(id, look, None);
                }
            }
        }
        answer(answers)
    }

    /// A new task: scheduled if it has an eta, else pending.
    pub fn make(&mut self, id: &str, name: &str, fields: BTreeMap<&'static str, String>, parameters: &str, why: &str) {
        let to = if fields.contains_key("eta") { "scheduled" } else { "pending" };
        self.begin(id, name, fields, parameters, why, to);
    }

    fn begin(
        &mut self,
        id: &str,
        name: &str,
        fields: BTreeMap<&'static str, String>,
        parameters: &str,
        why: &str,
        to: &str,
    ) {
        let mut task = Task { id: id.into(), queue: name.into(), created: self.now, fields, ..Task::default() };
        task.set("parameters", parameters);
        self.tasks.insert(id.into(), task);
        self.shift(id, to, why, "", false);
        let queue = self.queue(name);
        queue.known = true;
        queue.wake |= to == "pending";
        self.born = true;
    }

    /// Decides what happens to a task that already has the unique name.
    fn rival(&mut self, id: &str, policy: &str, by: &str) -> Verdict<Vec<String>> {
        let waits = self.tasks.get(id).is_some_and(Task::waits);
        match policy {
            "existing" => Ok(vec!["existing".into(), id.into()]),
            "replace" | "latest" if waits => {
                self.task(id).set("reason", format!("replaced by {by}"));
                self.shift(id, "cancelled", "replaced", "", false);
                Ok(vec!["replaced".into(), id.into()])
            }
            _ => Err("DUPLICATE"),
        }
    }
}
