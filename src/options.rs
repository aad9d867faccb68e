//! Options of calls, collected by setters. The setters are generated from `contract/options.toml`.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::constants::TRACE_STATE;
use crate::contract::Described;
use crate::model::{Backoff, Missed, OnFailure, Overlap, Policy, QueueOrder, Status, Until};
use crate::names::{Pattern, TaskId};
use crate::times;

/// Names and values of options. Each name occurs once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairs(Vec<(&'static str, Vec<u8>)>);

impl Pairs {
    pub(crate) fn set(&mut self, name: &'static str, value: String) {
        self.set_bytes(name, value.into_bytes());
    }

    pub(crate) fn set_bytes(&mut self, name: &'static str, value: Vec<u8>) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, former)) => *former = value,
            None => self.0.push((name, value)),
        }
    }

    /// Sets an option if the contract has it. Returns false otherwise.
    fn set_known(&mut self, known: &[Described], name: &str, value: String) -> bool {
        let known = known.iter().find(|option| option.name == name);
        known.map(|option| self.set(option.name, value)).is_some()
    }

    /// Copies all options of `other`.
    fn copy(&mut self, others: &Self) {
        others.iter().for_each(|(name, value)| self.set_bytes(name, value.to_vec()));
    }

    /// Sets a flag. A flag that is off is not sent.
    fn flag(&mut self, name: &'static str, on: bool) {
        self.0.retain(|(other, _)| *other != name);
        if on {
            self.set(name, "1".to_owned());
        }
    }

    /// Adds an entry to a list that is separated by commas.
    fn add(&mut self, name: &'static str, entry: &str) {
        let list = self.get(name).map_or_else(|| entry.to_owned(), |list| format!("{list},{entry}"));
        self.set(name, list);
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(other, _)| *other == name)
    }

    /// Returns true if every option is one of these names.
    pub(crate) fn are_among(&self, names: &[&str]) -> bool {
        self.0.iter().all(|(name, _)| names.contains(name))
    }

    /// Returns the value of a text option.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.iter().find(|(other, _)| *other == name);
        value.and_then(|(_, value)| std::str::from_utf8(value).ok())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        self.0.iter().map(|(name, value)| (*name, value.as_slice()))
    }
}

/// Options of a task. Options that are not set default to the queue's settings. The server checks all bounds.
///
/// ```
/// use blueque::calls::TaskOptions;
///
/// let options = TaskOptions::default().priority(5).max_failures(3).tag("night");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct TaskOptions(pub(crate) Pairs);

impl TaskOptions {
    /// Sets an option by its name in the contract and the text of its value, as [`contract::TASK_OPTIONS`] describes
    /// them. Returns false if no option has this name.
    ///
    /// [`contract::TASK_OPTIONS`]: crate::contract::TASK_OPTIONS
    pub fn set(&mut self, name: &str, value: impl Into<String>) -> bool {
        self.0.set_known(crate::contract::TASK_OPTIONS, name, value.into())
    }

    /// Holds the tasks of a submit until [`Task::unhold`](crate::Task::unhold).
    pub fn hold(mut self, hold: bool) -> Self {
        if hold {
            self.0.set("hold", "1".to_owned());
        }
        self
    }

    /// Sets the upstreams of the task.
    pub fn inputs(mut self, inputs: &Inputs) -> Self {
        self.0.copy(&inputs.0);
        self
    }

    fn pairs_mut(&mut self) -> &mut Pairs {
        &mut self.0
    }
}

impl CompleteOptions {
    /// Copies all these task options to the next step. The server refuses `unique_policy`, which is an option of a
    /// submit.
    pub fn task(mut self, options: &TaskOptions) -> Self {
        self.0.copy(&options.0);
        self
    }
}

impl EditOptions {
    /// Copies all these task options. The server refuses `unique_policy`, which is an option of a submit.
    pub fn task(mut self, options: &TaskOptions) -> Self {
        self.0.copy(&options.0);
        self
    }
}

/// Slots of a schedule, and options of its tasks. The server checks all bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ScheduleOptions {
    pub(crate) own: Pairs,
    pub(crate) task: TaskOptions,
}

impl ScheduleOptions {
    /// Sets an option by its name in the contract and the text of its value, as [`contract::SCHEDULE_OPTIONS`]
    /// describes them. Returns false if no option has this name.
    ///
    /// [`contract::SCHEDULE_OPTIONS`]: crate::contract::SCHEDULE_OPTIONS
    pub fn set(&mut self, name: &str, value: impl Into<String>) -> bool {
        self.own.set_known(crate::contract::SCHEDULE_OPTIONS, name, value.into())
    }

    /// Sets the options of the schedule's tasks.
    pub fn task(mut self, task: TaskOptions) -> Self {
        self.task = task;
        self
    }

    fn pairs_mut(&mut self) -> &mut Pairs {
        &mut self.own
    }
}

/// Id, time and options of a submit. Options that are not set default to the queue's settings.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Submit {
    pub(crate) id: Option<TaskId>,
    pub(crate) eta: Option<SystemTime>,
    pub(crate) options: TaskOptions,
}

impl Submit {
    /// Sets an id of the caller's choice; by default the id is random. Submitting the same id again creates no second
    /// task.
    pub fn id(mut self, id: TaskId) -> Self {
        self.id = Some(id);
        self
    }

    /// Sets the time before which the task does not start; by default it may start at once.
    pub fn eta(mut self, eta: SystemTime) -> Self {
        self.eta = Some(eta);
        self
    }

    /// Holds the task until [`Task::unhold`](crate::Task::unhold).
    pub fn hold(mut self) -> Self {
        self.options = self.options.hold(true);
        self
    }

    fn pairs_mut(&mut self) -> &mut Pairs {
        &mut self.options.0
    }
}

/// Defines the methods that add upstreams to a task.
macro_rules! upstreams {
    ($($(#[$about:meta])* $options:ident),*) => {$(
        $(#[$about])*
        impl $options {
            /// Waits until the upstream is complete. If the upstream fails or is cancelled, this task fails with the
            /// group `upstream`.
            pub fn after_success(self, upstream: &TaskId) -> Self {
                self.waits_for("success", upstream)
            }

            /// Waits until the upstream has ended, with any outcome.
            pub fn after(self, upstream: &TaskId) -> Self {
                self.waits_for("after", upstream)
            }

            /// Waits until the upstream has failed or was cancelled: for a clean-up. If the upstream is complete, this
            /// task is cancelled as skipped.
            pub fn after_failure(self, upstream: &TaskId) -> Self {
                self.waits_for("failure", upstream)
            }

            /// Waits until the upstream is complete, and gets its result. The parameters of the attempt are a JSON list
            /// of these results, in the order of their slots, which count from 0. Submit the task with empty
            /// parameters.
            pub fn result_of(self, slot: u32, upstream: &TaskId) -> Self {
                self.waits_for(&format!("result/{slot}"), upstream)
            }

            /// Waits until the upstream has ended, and gets its result as in [`Self::result_of`]. If the upstream
            /// failed or was cancelled, this task runs with `null` instead of the result.
            pub fn result_or_null(self, slot: u32, upstream: &TaskId) -> Self {
                self.waits_for(&format!("optional/{slot}"), upstream)
            }

            /// Waits until one upstream of a set is complete, or as many as [`Self::at_least`] requires. Each call adds
            /// an upstream to the set. The remaining upstreams continue to run. Once too few upstreams can still become
            /// complete, this task fails with the group `upstream`.
            pub fn after_some(self, upstream: &TaskId) -> Self {
                self.waits_for("some", upstream)
            }

            /// Waits like [`Self::after_some`], and gets the upstream's result as in [`Self::result_of`], or `null` if
            /// the upstream is not complete when this task stops waiting.
            pub fn result_of_some(self, slot: u32, upstream: &TaskId) -> Self {
                self.waits_for(&format!("some/{slot}"), upstream)
            }

            /// Sets how many upstreams of [`Self::after_some`] and [`Self::result_of_some`] must be complete: by
            /// default one.
            pub fn at_least(mut self, number: u32) -> Self {
                let inputs = self.pairs_mut().get("inputs").unwrap_or_default();
                let others = inputs.split(' ').filter(|entry| !entry.is_empty() && !entry.starts_with("least/"));
                let least = format!("least/{number}");
                let all: Vec<&str> = others.chain([least.as_str()]).collect();
                let all = all.join(" ");
                self.pairs_mut().set("inputs", all);
                self
            }

            fn waits_for(mut self, kind: &str, upstream: &TaskId) -> Self {
                let inputs = self.pairs_mut().get("inputs").filter(|inputs| !inputs.is_empty());
                let space = inputs.map_or_else(String::new, |inputs| format!("{inputs} "));
                self.pairs_mut().set("inputs", format!("{space}{kind}={upstream}"));
                self
            }
        }
    )*};
}

upstreams! {
    /// Upstreams of a task: for a submit, not for the tasks of a schedule.
    TaskOptions,
    /// Upstreams of a task.
    ///
    /// ```
    /// use blueque::{Submit, TaskId};
    ///
    /// # fn main() -> blueque::Result<()> {
    /// let mirrors = [TaskId::new("oslo")?, TaskId::new("turin")?, TaskId::new("graz")?];
    /// let two_of_three = mirrors.iter().fold(Submit::default(), Submit::after_some).at_least(2);
    /// # Ok(())
    /// # }
    /// ```
    Submit,
    /// Upstreams of a task that waits already. New slots of results follow the existing slots, which
    /// [`Why::slots`](crate::Why) counts. [`Inputs::at_least`] counts both the existing and the new upstreams of the
    /// set.
    Inputs
}

/// Additional upstreams of a task, for [`Task::depend`](crate::Task::depend).
///
/// ```
/// use blueque::{Inputs, TaskId};
///
/// # fn main() -> blueque::Result<()> {
/// let (cut, night) = (TaskId::new("cut")?, TaskId::new("night")?);
/// let inputs = Inputs::new().after_success(&cut).after(&night);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Inputs(Pairs);

impl Inputs {
    /// Creates an empty list of upstreams.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a list of upstreams from the contract's text, such as `success=ID after=ID`. The server checks the text.
    pub fn from_text(text: &str) -> Self {
        let mut inputs = Self::default();
        inputs.0.set("inputs", text.to_owned());
        inputs
    }

    fn pairs_mut(&mut self) -> &mut Pairs {
        &mut self.0
    }
}

impl fmt::Display for Inputs {
    /// Writes the contract's text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get("inputs").unwrap_or_default())
    }
}

/// Options of a schedule and of its tasks.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Plan {
    pub(crate) own: Pairs,
    pub(crate) task: Submit,
}

impl Plan {
    /// Sets how the schedule's tasks are submitted. The slots determine the ids and times of the tasks.
    pub fn task(mut self, task: Submit) -> Self {
        self.task = task;
        self
    }

    fn pairs_mut(&mut self) -> &mut Pairs {
        &mut self.own
    }
}

/// Selects the tasks of a queue that match all conditions; without conditions, all tasks. The server checks all bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Filter(pub(crate) Pairs);

impl Filter {
    /// Creates a filter that matches all tasks.
    pub fn new() -> Self {
        Self::default()
    }

    fn pairs_mut(&mut self) -> &mut Pairs {
        &mut self.0
    }
}

impl Pairs {
    fn order(&mut self, order: &QueueOrder) {
        if *order != QueueOrder::Strict {
            self.set("order", order.as_str().to_owned());
        }
        if let Some(weights) = order.weights() {
            self.set("weights", weights);
        }
    }
}

impl ReserveOptions {
    /// Sets the order in which several queues are asked: by default the order of the call.
    pub fn order(mut self, order: &QueueOrder) -> Self {
        self.0.order(order);
        self
    }
}

impl ReportOptions {
    /// Sets the patterns by which the worker takes queues.
    pub(crate) fn of_patterns(self, patterns: &[Pattern]) -> Self {
        self.patterns(patterns.iter().map(Pattern::as_str).collect::<Vec<_>>().join(","))
    }
}

impl ReleaseOptions {
    /// Sets the upstreams that the task waits for before it comes back, without their results.
    pub fn inputs(mut self, inputs: &Inputs) -> Self {
        self.0.set("inputs", inputs.to_string());
        self
    }
}

impl FinishAndReserveOptions {
    /// Sets the order in which several queues are asked: by default the order of the call.
    pub fn order(mut self, order: &QueueOrder) -> Self {
        self.0.order(order);
        self
    }
}

/// Decimal seconds, in the contract's form.
trait Decimal {
    fn decimal(self) -> String;
}

impl Decimal for Duration {
    fn decimal(self) -> String {
        times::seconds(self)
    }
}

impl Decimal for f64 {
    fn decimal(self) -> String {
        format!("{self:.6}")
    }
}

impl Decimal for SystemTime {
    fn decimal(self) -> String {
        times::since_1970(self).decimal()
    }
}

include!(concat!(env!("OUT_DIR"), "/options.rs"));

/// Returns the option `trace` of a task for a valid `traceparent` and its `tracestate`. A `tracestate` that is too long
/// or has other characters is left out, as the W3C recommendation allows.
#[must_use]
pub fn trace_context(traceparent: &str, tracestate: &str) -> String {
    let fits = (1..=TRACE_STATE as usize).contains(&tracestate.len())
        && tracestate.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if fits { format!("{traceparent} {tracestate}") } else { traceparent.to_owned() }
}
