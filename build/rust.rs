//! Generates Rust code of the library from the contract: the setters of options, and the tables of
//! `blueque::contract`.

use std::collections::BTreeMap;

use super::contract::{Code, Constant, Contract, Form, Kind, Opt, Type, Which};

/// Returns the text of `options.rs`: types that collect the options of a command, and setters for the options of the
/// groups `task`, `schedule` and `select`.
pub(crate) fn options(contract: &Contract) -> String {
    let mut text = String::new();
    for (holder, group) in [
        ("TaskOptions", "task"),
        ("Submit", "task"),
        ("ScheduleOptions", "schedule"),
        ("Plan", "schedule"),
        ("Filter", "select"),
    ] {
        text += &setters(contract, holder, contract.group(group));
    }
    for command in contract.commands.keys() {
        let own = own(contract, command);
        if own.is_empty() || OTHERWISE.contains(&command.as_str()) {
            continue;
        }
        let holder = format!("{}Options", camel(command));
        text += &format!(
            "/// The options of [`Calls::{command}`](crate::calls::Calls::{command}). Options that are not set have the contract's\n/// defaults; the server checks all bounds.\n\
             #[derive(Clone, Debug, Default, PartialEq, Eq)]\n#[must_use]\npub struct {holder}(pub(crate) Pairs);\n\nimpl {holder} {{\n    /// No option set.\n    pub fn new() -> Self {{\n        Self::default()\n    }}\n\n    \
             fn pairs_mut(&mut self) -> &mut Pairs {{\n        &mut self.0\n    }}\n}}\n\n"
        );
        text += &setters(contract, &holder, own);
    }
    text
}

/// Returns the options of a command that users of the library can set. The library sets the other options itself.
fn own<'a>(contract: &'a Contract, command: &str) -> Vec<(&'a str, &'a Opt)> {
    let said = |name: &str| match name {
        "request" => ASKED.contains(&command),
        "by" => NAMED.contains(&command),
        _ => true,
    };
    contract.options(command).into_iter().filter(|(name, _)| said(name)).collect()
}

/// Returns the type that collects the options of a command, if the command has options.
pub(super) fn holder(contract: &Contract, command: &str) -> Option<String> {
    let of = if command == "find" { "Filter".to_owned() } else { format!("{}Options", camel(command)) };
    (!own(contract, command).is_empty()).then_some(of)
}

/// Commands whose options have handwritten types in the library, such as a filter or an action.
const OTHERWISE: [&str; 4] = ["bulk", "find", "schedule", "submit"];

/// Commands whose request id the caller chooses. The caller needs the reply even after its own crash.
pub(super) const ASKED: [&str; 3] = ["adopt", "finish_and_reserve", "reserve"];

/// Commands whose calls take `by` as an option. Other commands send the `by` of the client, from `ClientBuilder::by`.
const NAMED: [&str; 3] = ["audit", "edit", "note"];

/// Options whose setters are written by hand: the order and the weights of queues, which are set together; the
/// upstreams and the hold of a task; and the option of clients without maintenance.
const BY_HAND: [&str; 5] = ["order", "weights", "inputs", "due", "hold"];

fn setters(contract: &Contract, holder: &str, options: Vec<(&str, &Opt)>) -> String {
    let options = options.into_iter().filter(|(name, _)| !BY_HAND.contains(name));
    let setters: Vec<String> = options.map(|(name, option)| setter(contract, name, option)).collect();
    format!("impl {holder} {{\n{}}}\n\n", setters.join("\n"))
}

/// Converts the name of a command to the name of a type.
fn camel(name: &str) -> String {
    name.split('_').map(capital).collect()
}

/// Attribute of the generated tables. It allows long numbers without separators, as in the contract.
const PLAIN: &str = "#[allow(clippy::unreadable_literal, reason = \"made from contract/\")]\n";

/// Returns the text of `tables.rs`: options and settings as `blueque::contract` describes them.
pub(crate) fn tables(contract: &Contract) -> String {
    let option = |name: &str, option: &Opt| {
        let setting = option.setting.as_ref().and_then(|name| contract.settings.get(name));
        let default = option.default.as_ref().or_else(|| setting.and_then(|setting| setting.as_ref().default.as_ref()));
        let more = format!("setting: {:?}, field: {:?}, all_queues: false", option.setting, option.field);
        described(contract, name, &option.of, option.means.as_ref(), default, &more)
    };
    let mut text = String::new();
    for (table, group, doc) in [
        ("TASK_OPTIONS", "task", "How a task is to be run: the options of `submit`, and of the tasks of a schedule."),
        ("SCHEDULE_OPTIONS", "schedule", "When a schedule creates tasks."),
    ] {
        let entries: String = contract.group(group).into_iter().map(|(name, entry)| option(name, entry)).collect();
        text += &format!("/// {doc}\n{PLAIN}pub static {table}: &[Described] = &[\n{entries}];\n\n");
    }
    let settings = contract.settings.iter().map(|(name, setting)| {
        let setting = setting.as_ref();
        let more = format!("setting: None, field: None, all_queues: {}", setting.all_queues);
        described(contract, name, &setting.of, setting.means.as_ref(), setting.default.as_ref(), &more)
    });
    text += &format!(
        "/// The settings of a queue and of a namespace.\n{PLAIN}pub static SETTINGS: &[Described] = &[\n{}];\n",
        settings.collect::<String>()
    );
    text
}

/// Returns the text of `constants.rs`: times as durations, other numbers unchanged.
pub(crate) fn constants(contract: &Contract) -> String {
    let one = |(name, constant): (&String, &toml::Spanned<Constant>)| {
        let Constant { value, unit, means } = constant.as_ref();
        let (of, value) = match unit.as_str() {
            "seconds" => ("Duration", format!("Duration::from_secs({value})")),
            "milliseconds" => ("Duration", format!("Duration::from_millis({value})")),
            _ => ("u32", value.to_string()),
        };
        let means = means.as_deref().unwrap_or_default();
        format!("/// {means}\n{PLAIN}pub const {}: {of} = {value};\n\n", name.to_uppercase())
    };
    contract.constants.iter().map(one).collect()
}

/// Returns the text of `words.rs`: types whose values are words, as enums.
pub(crate) fn words(contract: &Contract) -> String {
    let named =
        |name: &str| contract.type_of(name).map(|of| (of.means.clone().unwrap_or_default(), contract.words(of)));
    let mut text = String::new();
    for (name, of) in ENUMS {
        let Some((means, words)) = named(of) else { continue };
        let variants =
            words.iter().map(|(word, means)| format!("        /// {means}\n        {} = {word:?},\n", capital(word)));
        text += &format!("words! {{\n    /// {means}\n    {name} {{\n{}    }}\n}}\n\n", variants.collect::<String>());
    }
    text + &status(contract)
}

/// Returns the methods of `Status`.
fn status(contract: &Contract) -> String {
    let questions: [(&str, &str, Which); 3] = [
        ("is_waiting", "Whether no attempt has the task, and one may come.", |state| state.waits),
        ("is_owned", "Whether an attempt has the task.", |state| state.owned),
        ("is_finished", "Whether nothing more happens to the task automatically.", |state| state.ends),
    ];
    let variant = |name: &str| format!("Self::{}", capital(name));
    let mut text = String::new();
    for (name, means, of) in questions {
        let states: Vec<String> =
            contract.states().filter(|(_, state)| of(state)).map(|(name, _)| variant(name)).collect();
        let states = states.join(" | ");
        text += &format!(
            "    /// {means}\n    #[must_use]\n    pub const fn {name}(self) -> bool {{\n        matches!(self, {states})\n    }}\n\n"
        );
    }
    let arms = contract.states().map(|(name, state)| {
        format!("            {} => {:?},\n", variant(name), state.means.as_deref().unwrap_or_default())
    });
    let arms: String = arms.collect();
    format!(
        "impl Status {{\n{text}    /// What a task in this state does, as a sentence without its subject: `Waits for its eta.`\n    #[must_use]\n    pub const fn means(self) -> &'static str {{\n        match self {{\n{arms}        }}\n    }}\n}}\n"
    )
}

/// Returns the text of `codes.rs`: the codes of errors as an enum, with their meaning.
pub(crate) fn codes(contract: &Contract) -> String {
    let (mut variants, mut repeat, mut kinds) = (String::new(), Vec::new(), BTreeMap::<Kind, Vec<String>>::new());
    for (word, code) in &contract.errors {
        let code = code.as_ref();
        let (means, act) = (code.means.as_deref().unwrap_or_default(), code.act.as_deref().unwrap_or_default());
        let name = code_name(word, code);
        variants += &format!("        /// `{word}`: {means} {act}\n        {name} = {word:?},\n");
        if code.repeat {
            repeat.push(format!("Self::{name}"));
        }
        kinds.entry(code.kind).or_default().push(format!("Self::{name}"));
    }
    let arms = kinds.iter().map(|(kind, codes)| format!("            {} => Kind::{kind:?},\n", codes.join(" | ")));
    format!(
        "words! {{\n    /// The code of an error: its first word. Codes are stable; the texts behind them are for people.\n    Code {{\n{variants}    }}\n}}\n\n\
         impl Code {{\n    /// Whether the same call may succeed after a pause, with nothing changed by the caller.\n    #[must_use]\n    pub const fn repeat(self) -> bool {{\n        matches!(self, {})\n    }}\n\n    \
         const fn kind(self) -> Kind {{\n        match self {{\n{}        }}\n    }}\n}}\n",
        repeat.join(" | "),
        arms.collect::<String>()
    )
}

/// Returns the name that the library uses for a code.
pub(super) fn code_name(word: &str, code: &Code) -> String {
    code.name.as_deref().unwrap_or(word).split(' ').map(capital).collect()
}

/// The enums of the library, and their types in the contract.
pub(super) const ENUMS: [(&str, &str); 6] = [
    ("Status", "status"),
    ("Backoff", "backoff"),
    ("Policy", "unique_policy"),
    ("Overlap", "overlap"),
    ("Missed", "missed"),
    ("OnFailure", "on_failure"),
];

pub(super) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

fn described(
    contract: &Contract,
    name: &str,
    of: &str,
    means: Option<&String>,
    default: Option<&String>,
    more: &str,
) -> String {
    let form = contract.type_of(of).map_or_else(|| "Form::Text".to_owned(), |of| form(contract, of));
    let means = means.map_or("", String::as_str);
    format!(
        "    Described {{ name: {name:?}, kind: {of:?}, form: {form}, means: {means:?}, default: {default:?}, {more} }},\n"
    )
}

fn form(contract: &Contract, of: &Type) -> String {
    let (low, high) = (of.low.unwrap_or_default(), of.high.unwrap_or_default());
    let unit = of.unit.as_deref().unwrap_or_default();
    match of.form {
        Form::Flag => "Form::Flag".into(),
        Form::Word => format!("Form::Word(&{:?})", contract.words(of)),
        Form::Words => format!("Form::Words(&{:?})", contract.words(of)),
        Form::Whole => format!("Form::Whole {{ low: {low}, high: {high}, unit: {unit:?} }}"),
        Form::Seconds => format!("Form::Seconds {{ low: {low}, high: {high}, time: {} }}", unit == SINCE),
        Form::Decimal => format!("Form::Decimal {{ low: {low}, high: {high} }}"),
        Form::Bytes => format!("Form::Bytes {{ most: {high} }}"),
        Form::Text => "Form::Text".into(),
    }
}

/// The unit of types that are points in time.
pub(super) const SINCE: &str = "seconds since 1970";

fn setter(contract: &Contract, name: &str, option: &Opt) -> String {
    let Some(of) = contract.type_of(&option.of) else { return String::new() };
    let seconds = of.unit.as_deref() == Some("seconds");
    let (kind, text) = match (option.of.as_str(), of.form) {
        ("tags", _) => {
            let doc = "One more tag, a name of up to 128 characters; a task has 16 at most.";
            return adder(name, option, doc, ("tag", "tag: impl Into<String>", "&tag.into()"));
        }
        ("steps", _) => {
            let doc = "One more step, in this queue; a task has 100 at most.";
            return adder(name, option, doc, ("step", "queue: impl Into<String>", "&queue.into()"));
        }
        ("statuses", _) => {
            return adder("status", option, "One more state.", ("status", "status: Status", "status.as_str()"));
        }
        ("unique_until", _) => ("Until", "to_string()"),
        (of, Form::Word) => {
            (ENUMS.iter().find(|(_, name)| *name == of).map_or("impl ToString", |(name, _)| *name), "to_string()")
        }
        (_, Form::Seconds) if of.unit.as_deref() == Some(SINCE) => ("SystemTime", "decimal()"),
        (_, Form::Seconds) => ("Duration", "decimal()"),
        (_, Form::Whole) if seconds => ("Duration", "as_secs().to_string()"),
        (_, Form::Whole) if of.low < Some(0) => ("i32", "to_string()"),
        (_, Form::Whole) if of.high > Some(i64::from(u32::MAX)) => ("u64", "to_string()"),
        (_, Form::Whole) => ("u32", "to_string()"),
        (_, Form::Decimal) => ("f64", "decimal()"),
        (_, Form::Bytes) => ("impl Into<Vec<u8>>", "into()"),
        (_, Form::Flag) => ("bool", ""),
        (_, Form::Text | Form::Words) => ("impl Into<String>", "into()"),
    };
    // `final` is a Rust keyword.
    let called = if name == "final" { "permanent" } else { name };
    let (set, value) = match of.form {
        Form::Flag => ("flag", called.to_owned()),
        Form::Bytes => ("set_bytes", format!("{called}.{text}")),
        _ => ("set", format!("{called}.{text}")),
    };
    let doc = doc(contract, option, of);
    format!(
        "    /// {doc}\n    pub fn {called}(mut self, {called}: {kind}) -> Self {{\n        self.pairs_mut().{set}({name:?}, {value});\n        self\n    }}\n"
    )
}

/// Returns the setter of an option that has several values and takes one value per call.
fn adder(name: &str, option: &Opt, doc: &str, (called, parameter, text): (&str, &str, &str)) -> String {
    let means = option.means.as_deref().unwrap_or_default();
    format!(
        "    /// {doc} {means}\n    pub fn {called}(mut self, {parameter}) -> Self {{\n        self.pairs_mut().add({name:?}, {text});\n        self\n    }}\n"
    )
}

/// Returns the documentation of an option: its sentence, its default and its bounds.
fn doc(contract: &Contract, option: &Opt, of: &Type) -> String {
    let mut doc = option.means.clone().unwrap_or_default();
    let setting = option.setting.as_ref().and_then(|name| Some((name, contract.settings.get(name)?.as_ref())));
    if let Some((name, default)) = setting.and_then(|(name, setting)| Some((name, setting.default.as_ref()?))) {
        doc += &format!(" Default: the setting `{name}` of the queue ({default}).");
    } else if let Some(default) = &option.default {
        doc += &format!(" Default: {default}.");
    }
    doc + &bounds(of)
}

/// Returns the bounds of a numeric type, or the description of a text type.
pub(super) fn bounds(of: &Type) -> String {
    match (of.low, of.high, of.form) {
        (Some(low), Some(high), Form::Whole | Form::Seconds) if of.unit.as_deref() != Some(SINCE) => {
            let unit = of.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
            format!(" Between {low} and {high}{unit}.")
        }
        (_, _, Form::Text | Form::Bytes) => format!(" {}", of.means.as_deref().unwrap_or_default()),
        _ => String::new(),
    }
}
