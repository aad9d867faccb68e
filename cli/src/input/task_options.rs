//! The options of a task as arguments, generated from the contract. Commands use them for a new task, for the tasks of
//! a schedule, and for an edit.

use std::convert;
use std::time::{Duration, UNIX_EPOCH};

use blueque::contract::{Described, Form, SCHEDULE_OPTIONS, TASK_OPTIONS};
use blueque::{Graph, Overlap, calls};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::values::{bytes, coming, duration, plain, whole_number, written_bytes, written_seconds};
use crate::session::caller::submitter;
use crate::times::When;

/// The given options, by their names.
type Given = Vec<(&'static str, Value)>;

/// The value of an option.
#[derive(Clone, Debug)]
enum Value {
    Text(String),
    Time(When),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Time(time) => {
                let time = time.time().duration_since(UNIX_EPOCH).unwrap_or_default();
                format!("{}.{:06}", time.as_secs(), time.subsec_micros())
            }
        }
    }
}

/// The options of a task.
#[derive(Clone, Debug, Default)]
pub struct TaskOptions(Given);

/// The options that an edit changes.
#[derive(Clone, Debug, Default)]
pub struct ChangedOptions(Given);

/// The options for the times at which a schedule creates tasks.
#[derive(Clone, Debug, Default)]
pub struct SlotOptions(Given);

/// Options that belong to a whole array, not to each of its tasks: it notifies once, at the end of its last task.
pub const OF_GRAPH: [&str; 2] = ["notify", "trace"];

impl TaskOptions {
    /// Sets the options of [`OF_GRAPH`].
    pub fn of_graph(&self, graph: Graph) -> Graph {
        self.given().fold(graph, |graph, (name, value)| match name {
            "notify" => graph.notify(value),
            "trace" => graph.trace(value),
            _ => graph,
        })
    }

    /// Returns the options for a call.
    pub fn options(&self) -> calls::TaskOptions {
        let mut options = calls::TaskOptions::default();
        for (name, value) in &self.0 {
            options.set(name, value.text());
        }
        options
    }

    /// The given options, by their names in the contract.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.0.iter().map(|(name, value)| (*name, value.text()))
    }

    /// Sets an option.
    pub fn put(&mut self, name: &'static str, value: String) {
        self.0.retain(|(given, _)| *given != name);
        self.0.push((name, Value::Text(value)));
    }

    /// Sets the submitter, unless the user has set it or hides it.
    pub fn add_submitter(&mut self) {
        if let Some(submitter) = submitter().filter(|_| !self.has("submitter")) {
            self.put("submitter", submitter);
        }
    }

    /// Adds a need.
    pub fn add_need(&mut self, need: &str) {
        match self.0.iter_mut().find(|(name, _)| *name == "needs") {
            Some((_, Value::Text(needs))) if needs.split(',').any(|known| known == need) => {}
            Some((_, Value::Text(needs))) => *needs = format!("{needs},{need}"),
            _ => self.0.push(("needs", Value::Text(need.to_owned()))),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(given, _)| *given == name)
    }
}

impl ChangedOptions {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The given options, by their names in the contract.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.0.iter().map(|(name, value)| (*name, value.text()))
    }

    /// Returns the options for a call.
    pub fn options(&self) -> calls::TaskOptions {
        TaskOptions(self.0.clone()).options()
    }
}

impl SlotOptions {
    /// Returns the options for a call.
    pub fn options(&self) -> calls::ScheduleOptions {
        let mut options = calls::ScheduleOptions::default();
        for (name, value) in &self.0 {
            options.set(name, value.text());
        }
        options
    }
}

/// Shares of the host that a task needs, as options of their own: they are added to the needs.
const SHARES: [(&str, &str, &str); 3] = [
    ("cpus", "N", "Processors that the task needs, such as 4 or 0.5: the same as --needs 'cpus>=4'"),
    ("memory", "BYTES", "Memory that the task needs, and may not exceed, such as 32G: the same as --needs 'memory>=…'"),
    ("gpus", "N", "GPUs that the task gets for itself: the same as --needs 'gpus>=1'"),
];

fn with_shares(command: Command) -> Command {
    SHARES.iter().fold(command, |command, &(name, value, help)| {
        let parser = match name {
            "memory" => ValueParser::new(|text: &str| sized(text, 1 << 20, 1 << 50)),
            "cpus" => ValueParser::new(processors),
            _ => ValueParser::new(|text: &str| whole_number::<i64>(1, 64)(text).map(|number| number.to_string())),
        };
        command.arg(Arg::new(name).long(name).value_name(value).value_parser(parser).help(help))
    })
}

fn processors(text: &str) -> Result<String, String> {
    let wrong = || "must be a number of processors, such as 4 or 0.5".to_owned();
    let number: f64 = text.parse().map_err(|_| wrong())?;
    if (0.01..=1e5).contains(&number) { Ok(format!("{}", (number * 1e3).round() / 1e3)) } else { Err(wrong()) }
}

/// Adds the shares to the needs.
fn add_shares(matches: &ArgMatches, given: &mut Given) {
    let needed = SHARES.iter().filter_map(|(name, ..)| {
        let value = matches.try_get_one::<String>(name).ok()??;
        Some(format!("{name}>={value}"))
    });
    let needed: Vec<String> = needed.collect();
    if needed.is_empty() {
        return;
    }
    let needed = needed.join(",");
    match given.iter_mut().find(|(name, _)| *name == "needs") {
        Some((_, Value::Text(needs))) => *needs = format!("{needs},{needed}"),
        _ => given.push(("needs", Value::Text(needed))),
    }
}

/// Implements the arguments for a table of options in the contract.
macro_rules! arguments {
    ($of:ident, $table:ident, $heading:literal, $argument:expr, $more:expr, $add:expr) => {
        impl FromArgMatches for $of {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                let given = $table.iter().filter(|option| $argument(option).is_some()).filter_map(|option| {
                    if let Ok(Some(time)) = matches.try_get_one::<When>(option.name) {
                        return Some((option.name, Value::Time(*time)));
                    }
                    let values: Vec<String> = matches.get_many::<String>(option.name)?.cloned().collect();
                    Some((option.name, Value::Text(values.join(","))))
                });
                let mut given = given.collect();
                $add(matches, &mut given);
                Ok(Self(given))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl Args for $of {
            fn augment_args(command: Command) -> Command {
                let command = command.next_help_heading($heading);
                $more($table.iter().filter_map($argument).fold(command, Command::arg))
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }
    };
}

arguments!(TaskOptions, TASK_OPTIONS, "Policy", argument, with_shares, add_shares);
arguments!(ChangedOptions, TASK_OPTIONS, "Policy", changed, convert::identity, no_more);
arguments!(SlotOptions, SCHEDULE_OPTIONS, "When", argument, convert::identity, no_more);

/// An edit replaces all needs, so its shares are given as needs.
fn no_more(_: &ArgMatches, _: &mut Given) {}

/// Returns the parser of the policy that a schedule follows if its last task is not finished when the next is due.
pub fn overlap() -> impl TypedValueParser<Value = Overlap> {
    let words = SCHEDULE_OPTIONS.iter().find(|option| option.name == "overlap").map(|option| option.form);
    let words = if let Some(Form::Word(words)) = words { words } else { &[] };
    PossibleValuesParser::new(possible(words)).try_map(|word| word.parse::<Overlap>())
}

fn possible(words: &'static [(&'static str, &'static str)]) -> impl Iterator<Item = PossibleValue> {
    words.iter().map(|(word, means)| PossibleValue::new(word).help(plain_text(means)))
}

/// Options that refine the option `unique` and require it.
const OF_UNIQUE: [&str; 2] = ["unique_until", "unique_policy"];

/// The option that only a submit has: the policy if another task already has the unique name.
const NOT_CHANGED: &str = "unique_policy";

#[allow(clippy::unnecessary_wraps, reason = "as `changed`: not every option is one of each command")]
fn argument(option: &'static Described) -> Option<Arg> {
    let argument = plainly(option).help(help(option));
    Some(if OF_UNIQUE.contains(&option.name) { argument.requires("unique") } else { argument })
}

/// Returns the argument of an option for an edit. An edit has no defaults, because an option that is not given stays as
/// it is. An option does not require the option that it refines, because the task may already have that option.
fn changed(option: &'static Described) -> Option<Arg> {
    (option.name != NOT_CHANGED).then(|| plainly(option).help(plain_text(option.means)))
}

fn plainly(option: &'static Described) -> Arg {
    let (value, parser) = form(option);
    // The user gives each tag as a separate option.
    let (long, action) = match option.name {
        "tags" => ("tag".to_owned(), ArgAction::Append),
        "steps" => ("steps".to_owned(), ArgAction::Append),
        name => (name.replace('_', "-"), ArgAction::Set),
    };
    let argument = Arg::new(option.name).long(long).action(action).value_name(value).value_parser(parser);
    let argument = if option.name == "steps" { argument.value_delimiter(',') } else { argument };
    argument.allow_negative_numbers(matches!(option.form, Form::Whole { .. }))
}

/// Returns the name of the value in the help, and the parser of the value.
fn form(option: &'static Described) -> (&'static str, ValueParser) {
    match (option.kind, option.form) {
        ("name" | "tags", _) => ("NAME", plain.into()),
        ("steps", _) => ("QUEUE,…", plain.into()),
        ("unique_until", _) => ("WHEN", until.into()),
        (_, Form::Word(words)) => ("WORD", PossibleValuesParser::new(possible(words)).into()),
        // Zero is not allowed, because it refuses even empty parameters.
        ("payload_size", Form::Whole { high, .. }) => {
            ("BYTES", ValueParser::new(move |text: &str| sized(text, 1, high)))
        }
        (_, Form::Whole { low, high, unit: "bytes" }) => {
            ("BYTES", ValueParser::new(move |text: &str| sized(text, low, high)))
        }
        (_, Form::Whole { low, high, unit: "seconds" }) => {
            ("TIME", ValueParser::new(move |text: &str| whole_seconds(text, low, high)))
        }
        (_, Form::Whole { low, high, unit }) => {
            let read = whole_number::<i64>(low, high);
            let name = if unit == "percent" { "PERCENT" } else { "N" };
            (name, ValueParser::new(move |text: &str| read(text).map(|number| number.to_string())))
        }
        (_, Form::Seconds { time: true, .. }) => ("TIME", moment.into()),
        (_, Form::Seconds { low, high, .. }) => ("TIME", ValueParser::new(move |text: &str| lasting(text, low, high))),
        _ => ("TEXT", ValueParser::string()),
    }
}

/// Returns the help of an option: its sentence in the contract, and the default in the units of the command line.
fn help(option: &Described) -> String {
    let default = option.default.map(|default| match (option.form, default.parse()) {
        (Form::Seconds { .. } | Form::Whole { unit: "seconds", .. }, Ok(seconds)) => written_seconds(seconds),
        (Form::Whole { unit: "bytes", .. }, Ok(bytes)) => written_bytes(bytes),
        _ => default.to_owned(),
    });
    let sentence = plain_text(option.means);
    default.map_or_else(|| sentence.clone(), |default| format!("{sentence} [default: {default}]"))
}

/// Converts a sentence of the contract to the style of clap: without Markdown and without the full stop.
fn plain_text(sentence: &str) -> String {
    sentence.trim_end_matches('.').replace('`', "")
}

fn sized(text: &str, low: i64, high: i64) -> Result<String, String> {
    let number = i64::try_from(bytes(text)?).ok().filter(|number| (low..=high).contains(number));
    let bound = |bytes: i64| written_bytes(bytes.unsigned_abs());
    number.map(|number| number.to_string()).ok_or_else(|| format!("must be {} to {}", bound(low), bound(high)))
}

fn lasting(text: &str, low: i64, high: i64) -> Result<String, String> {
    let time = duration(text)?;
    let (low, high) = (low.unsigned_abs(), high.unsigned_abs());
    if time < Duration::from_secs(low) || time > Duration::from_secs(high) {
        return Err(format!("must be from {} to {}", written_seconds(low), written_seconds(high)));
    }
    Ok(format!("{}.{:06}", time.as_secs(), time.subsec_micros()))
}

fn whole_seconds(text: &str, low: i64, high: i64) -> Result<String, String> {
    let time = lasting(text, low, high)?;
    time.strip_suffix(".000000").map(str::to_owned).ok_or_else(|| "must be in whole seconds".to_owned())
}

/// Parses a future time: RFC 3339, or `+10m`.
fn moment(text: &str) -> Result<When, String> {
    let time = coming(text)?;
    if time.time() < UNIX_EPOCH { Err("must be after 1970".to_owned()) } else { Ok(time) }
}

fn until(text: &str) -> Result<String, String> {
    match text {
        "end" | "start" => Ok(text.to_owned()),
        time => lasting(time, 1, 31_536_000).map_err(|_| "must be end, start, or a time such as 10m".to_owned()),
    }
}
