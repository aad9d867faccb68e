//! Rounds that begin when a task has ended the present one.

use std::collections::BTreeMap;

use crate::model::arguments::{payload, queue};
use crate::model::deadlines::moment;
use crate::model::edits::Said;
use crate::model::ops::{Eta, Op, Options};
use crate::model::state::{Model, Transition, Verdict, decimal};
use crate::model::submit::fields;

/// Values of a call about a further round.
#[derive(Clone)]
pub struct NextRound {
    queue: &'static str,
    parameters: &'static str,
    eta: Option<u64>,
    options: Options,
    deadline: Option<Eta>,
    request: u32,
}

impl NextRound {
    /// The shared limits that the round names.
    pub fn limits(&self) -> &str {
        self.options.iter().find(|(name, _)| *name == "limits").map_or("", |(_, set)| set)
    }

    pub fn fields(&self) -> BTreeMap<String, String> {
        let own = [("queue", self.queue), ("parameters", self.parameters), ("by", "")];
        let mut fields: BTreeMap<String, String> =
            own.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        fields.insert("eta".into(), self.eta.map_or_else(String::new, |eta| eta.to_string()));
        let given = self.options.iter().filter(|(name, _)| *name != "unique_policy");
        fields.extend(given.map(|(name, value)| (format!("/{name}"), (*value).to_owned())));
        fields.extend(moment(self.deadline).map(|at| ("/deadline".into(), decimal(at))));
        fields
    }
}

impl Model {
    /// Keeps the values of a call about a running task until its attempt has ended.
    pub fn put_off_round(&mut self, op: &Op) -> Verdict<()> {
        let Op::Resubmit { queue: name, task, eta, parameters, options, deadline, request, .. } = op else {
            panic!("no submit: {op:?}")
        };
        let (id, name) = (task.id(), queue(*name));
        if self.tasks[id].flagged('g') {
            return Err("STATE");
        } else if self.setting(name, "closed").as_deref() == Some("1") {
            return Err("CLOSED");
        }
        self.require_ahead(moment(*deadline))?;
        let (parameters, eta) = (payload(*parameters), moment(*eta));
        let (options, deadline, request) = (options.clone(), *deadline, *request);
        self.next_round.insert(id.into(), NextRound { queue: name, parameters, eta, options, deadline, request });
        let task = self.task(id);
        task.set("next_round", format!("s{request}"));
        task.add_flag('a');
        self.born = true;
        Ok(())
    }

    /// Begins the round of a task that has ended, or notes in its history why the round cannot begin.
    pub fn begin_further(&mut self, id: &str) {
        let next_round = self.next_round.remove(id).unwrap();
        self.web.deferred.remove(id);
        let new = fields(&next_round.options, moment(next_round.deadline), &[]).unwrap().into_iter().collect();
        let said = Said {
            queue: Some(next_round.queue),
            parameters: Some(next_round.parameters),
            eta: Some(next_round.eta),
            by: "",
        };
        let begun = match self.tasks[id].status.as_str() {
            "cancelled" => Err("the"),
            _ => self
                .require_limits(&next_round.options)
                .and_then(|()| self.begin_round(id, new, &said, next_round.request)),
        };
        let Err(why) = begun else { return };
        let now = self.now;
        let task = self.task(id);
        task.set("notes", task.get("notes").parse().unwrap_or(0) + 1);
        task.forget(&["next_round"]);
        let (at, to, attempt) = (decimal(now.max(task.updated)), task.status.clone(), task.attempt);
        let text = format!("the round s{}: {why}", next_round.request);
        let note =
            Transition { at, from: to.clone(), to, attempt, by: String::new(), why: "note".into(), cost: "", text };
        let told = format!("the round s{} does not begin: {why}", next_round.request);
        self.publish(id, "note", "", "", &told);
        self.histories.entry(id.into()).or_default().push(note);
        self.untie(id, 'a');
        self.born = true;
    }
}
