//! The methods of `Calls`: one for each command, from its header, its arguments, its options and its reply.

use super::contract::{Argument, Contract, Form, Type};
use super::header::Header;
use super::replies::{Field, Reply};
use super::rust::{ASKED, bounds, code_name, holder};
use super::rust_replies::{ITEMS, RECORDS, STRUCTS, kind};

/// Commands whose calls are handwritten in `src/calls`, because their arguments, options and replies depend on each
/// other.
const WRITTEN: [&str; 6] = ["bulk", "finish_and_reserve", "heartbeat", "schedule", "submit", "submit_graph"];

/// Replies whose type is not derived from their shape: the command, the type, and the reader of the type.
const OWN: [(&str, &str, &str); 9] = [
    ("adopt", "Reservation", "reply::first"),
    ("answer_notice", "String", "reply::word"),
    ("cancel", "Cancelled", "reply::word"),
    ("get_many", "Vec<(String, Option<TaskInfo>)>", "TaskInfo::parse_many"),
    ("requeue", "Requeued", "reply::word"),
    ("report", "Vec<Order>", "reply::list"),
    ("show_graph", "GraphPage", "GraphPage::read"),
    ("statistics", "Statistics", "Statistics::read"),
    ("topology", "Option<StoredTopology>", "reply::topology"),
];

/// Types of the contract, and the types of the library in which methods pass them, by reference.
const NAMED: [(&str, &str); 10] = [
    ("graph", "GraphId"),
    ("listener", "ListenerId"),
    ("more_inputs", "Inputs"),
    ("partition", "PartitionName"),
    ("pattern", "Pattern"),
    ("queue", "QueueName"),
    ("schedule_name", "ScheduleName"),
    ("setting_name", "str"),
    ("short_text", "str"),
    ("task", "TaskId"),
];

/// Returns the text of `calls.rs`.
pub(crate) fn calls(contract: &Contract) -> Result<String, String> {
    let commands = contract.commands.iter().filter(|(name, _)| !WRITTEN.contains(&name.as_str()));
    let methods = commands.map(|(name, header)| {
        method(contract, name, header).map_err(|what| format!("the method of `Calls` for {name}: {what}"))
    });
    Ok(format!("impl Calls {{\n{}}}\n", methods.collect::<Result<Vec<_>, _>>()?.join("\n")))
}

fn method(contract: &Contract, command: &str, header: &Header) -> Result<String, String> {
    let (names, count) = header.group().unwrap_or((&[], ""));
    let many = match names {
        [] => None,
        [name] => Some((name, Passed::of(contract, command, name)?)),
        _ => return Err("several arguments are repeated: write it in src/calls, and name it in WRITTEN".into()),
    };
    let count_of = contract.argument(command, count).and_then(|argument| contract.type_of(&argument.of));
    let bound = |of: fn(&Type) -> Option<i64>| count_of.and_then(of).unwrap_or_default();
    let (mut docs, mut parameters, mut sent) = (Vec::new(), Vec::new(), String::new());
    for name in header.singles().skip(1) {
        if name == count {
            sent += &many.as_ref().map_or_else(String::new, |(name, _)| format!(".arg({name}s.len())"));
            continue;
        }
        let passed = Passed::of(contract, command, name)?;
        docs.extend(passed.doc().map(|doc| format!("- `{name}`: {doc}")));
        parameters.push(format!("{name}: {}", passed.of));
        sent += &passed.sent(name, false);
    }
    if let Some((name, passed)) = &many {
        let each = passed.doc().map(|doc| format!(" Each: {doc}")).unwrap_or_default();
        docs.push(format!("- `{name}s`: {} to {}.{each}", bound(|of| of.low), bound(|of| of.high)));
        parameters.push(format!("{name}s: &[{}]", passed.element()));
    }
    let options = holder(contract, command);
    parameters.extend(options.iter().map(|of| format!("options: &{of}")));
    let reply = contract.replies.get(command).ok_or("replies.toml has no shape of it")?.as_ref();
    let replied = Replied::of(contract, command, header, reply)?;
    let docs = [Some(header.summary.clone()), Some(docs.join("\n")), replied.doc, errors(contract, header)];
    let docs: Vec<String> = docs.into_iter().flatten().filter(|paragraph| !paragraph.is_empty()).collect();
    let docs = docs.join("\n\n").replace('\n', "\n    /// ").replace("/// \n", "///\n");

    let mut body = format!("self.call({command:?}, {}){sent}", replied.reader);
    if let Some((name, passed)) = &many {
        body = match passed.sent(name, true).as_str() {
            sent if sent == format!(".arg({name})") => format!("{name}s.iter().fold({body}, Call::arg)"),
            sent => format!("{name}s.iter().fold({body}, |call, {name}| call{sent})"),
        };
    }
    let is_asked = contract.options(command).iter().any(|(name, _)| *name == "request") && !ASKED.contains(&command);
    body += if is_asked { ".once()" } else { "" };
    body += if options.is_some() { ".pairs(&options.0)" } else { "" };
    // `move` is a Rust keyword.
    let called = if command == "move" { "move_to" } else { command };
    parameters.insert(0, "&self".to_owned());
    let parameters = parameters.join(", ");
    Ok(format!(
        "    /// {docs}\n    #[must_use]\n    pub fn {called}({parameters}) -> Call<{}> {{\n        {body}\n    }}\n",
        replied.of
    ))
}

/// An argument of a method.
struct Passed<'a> {
    argument: &'a Argument,
    type_of: &'a Type,
    /// Rust type of the argument.
    of: String,
}

impl<'a> Passed<'a> {
    fn of(contract: &'a Contract, command: &str, name: &str) -> Result<Self, String> {
        let argument = contract.argument(command, name).ok_or_else(|| format!("arguments.toml lacks {name}"))?;
        let type_of = contract.has_type(&argument.of)?;
        let of = passed(contract, type_of.some.as_ref().unwrap_or(&argument.of));
        let of = if type_of.none.is_some() { format!("Option<{of}>") } else { of };
        Ok(Self { argument, type_of, of })
    }

    /// Returns the type of an element, if the argument is a slice.
    fn element(&self) -> &str {
        if self.of == "&str" { &self.of } else { self.of.trim_start_matches('&') }
    }

    /// Returns the documentation of an argument, or `None` if the type explains the argument, as for a queue.
    fn doc(&self) -> Option<String> {
        let of = self.type_of.some.as_ref().unwrap_or(&self.argument.of);
        let is_named = NAMED.iter().any(|(named, _)| named == of) || of == "token";
        let means = self.argument.means.as_deref().unwrap_or_default();
        let is_plain = is_named && (means.split(' ').count() == 2 || of == "token");
        let bounds = if is_named { String::new() } else { bounds(self.type_of) };
        let none = match self.type_of.none.as_deref() {
            None => String::new(),
            Some("") => " `None`: empty.".to_owned(),
            Some(none) => format!(" `None`: `{none}`."),
        };
        (!is_plain).then(|| format!("{means}{bounds}{none}"))
    }

    /// Returns the Rust code that adds the argument to a call. `by_reference`: the argument is an element of a slice.
    fn sent(&self, name: &str, by_reference: bool) -> String {
        let value = if by_reference { format!("*{name}") } else { name.to_owned() };
        if let Some(none) = &self.type_of.none {
            return format!(".arg_or({value}, {none:?})");
        }
        let is_whole = self.type_of.form == Form::Whole;
        match self.of.as_str() {
            "&[u8]" => format!(".raw({name})"),
            "bool" => format!(".arg(u8::from({value}))"),
            "SystemTime" if is_whole => format!(".arg(times::since_1970({value}).as_secs())"),
            "SystemTime" => format!(".arg(times::seconds(times::since_1970({value})))"),
            "Duration" if is_whole => format!(".arg({name}.as_secs())"),
            "Duration" => format!(".arg(times::seconds({value}))"),
            _ => format!(".arg({name})"),
        }
    }
}

/// Returns the Rust type of an argument with this type of the contract.
fn passed(contract: &Contract, of: &str) -> String {
    if let Some((_, named)) = NAMED.iter().find(|(name, _)| *name == of) {
        return format!("&{named}");
    }
    match kind(contract, of, "").0.as_str() {
        "String" | "Vec<String>" => "&str".to_owned(),
        "Vec<u8>" => "&[u8]".to_owned(),
        plain => plain.to_owned(),
    }
}

/// The result type of a call, as Rust code.
struct Replied {
    of: String,
    /// Expression that reads the result.
    reader: String,
    doc: Option<String>,
}

impl Replied {
    fn of(contract: &Contract, command: &str, header: &Header, reply: &Reply) -> Result<Self, String> {
        let shape = reply.resolved(contract);
        let made = |of: &str, reader: &str| Self { of: of.to_owned(), reader: reader.to_owned(), doc: None };
        let text = || Some(format!("Reply: {}.", header.reply.trim_end_matches('.')));
        let named = |table: &[(&str, &'static str)]| table.iter().find(|(name, _)| *name == command).map(|(_, of)| *of);
        let own = OWN.iter().find(|(name, ..)| *name == command);
        let structs = STRUCTS.iter().find(|(name, ..)| *name == command);
        let mut found = match (own, structs, shape.words.as_slice(), &shape.value) {
            (Some((_, of, reader)), ..) => {
                Self { doc: ["reply::word", "reply::list"].contains(reader).then(text).flatten(), ..made(of, reader) }
            }
            (_, Some((_, of, _)), ..) => made(of, &format!("{of}::read")),
            (_, _, [_], _) => made("()", "reply::done"),
            (_, _, words @ [yes, no, ..], _) => match enum_of(contract, words) {
                Some(of) => Self { doc: text(), ..made(of, "reply::word") },
                None if words.len() == 2 => {
                    let doc = text().map(|text| format!("{text} True for `{yes}`."));
                    Self { doc, ..made("bool", &format!("|value| reply::either(value, {yes:?}, {no:?})")) }
                }
                None => return Err("its words are no type: give it one in OWN of build/rust_calls.rs".into()),
            },
            (_, _, _, Some(field)) => value(contract, field),
            _ if named(&RECORDS).is_some() => {
                let of = named(&RECORDS).unwrap_or_default();
                made(of, &format!("{of}::parse"))
            }
            _ => {
                let item = match shape.items.as_slice() {
                    [] => return Err("its reply has no type: give it one in build/rust_replies.rs".into()),
                    [_] => "String",
                    _ => named(&ITEMS)
                        .ok_or("its items have no type: give them one in ITEMS of build/rust_replies.rs")?,
                };
                let doc = if item == "String" { text() } else { None };
                let (of, reader) = match shape.list.first().map(|field| field.name.as_str()) {
                    Some("cursor") => (format!("Page<{item}>"), "reply::page"),
                    Some(_) => (format!("Follow<{item}>"), "reply::follow"),
                    None if reply.nil => (format!("Vec<{item}>"), "reply::list_or_nil"),
                    None => (format!("Vec<{item}>"), "reply::list"),
                };
                Self { doc, ..made(&of, reader) }
            }
        };
        if reply.nil && !found.of.starts_with("Vec") {
            found.reader = format!("|value| reply::or_nil(value, {})", found.reader);
            found.of = format!("Option<{}>", found.of);
            let when = header.reply.split("; ").find_map(|clause| clause.strip_prefix("nil "));
            found.doc = when.map(|when| format!("`None` {when}."));
        }
        Ok(found)
    }
}

/// Returns the enum of the library that has all these words.
fn enum_of(contract: &Contract, words: &[String]) -> Option<&'static str> {
    let has_all = |of: &str| {
        let known = contract.type_of(of).map(|of| contract.words(of)).unwrap_or_default();
        words.iter().all(|word| known.iter().any(|(known, _)| known == word))
    };
    [("outcome", "Outcome"), ("status", "Status")].into_iter().find(|(of, _)| has_all(of)).map(|(_, name)| name)
}

/// Returns the result type for a reply that is one value.
fn value(contract: &Contract, field: &Field) -> Replied {
    let (of, reader) = kind(contract, field.of.as_deref().unwrap_or_default(), &field.name);
    let doc = field.means.as_ref().map(|means| format!("Reply: {}", means.replace("empty:", "`None`:")));
    if field.empty {
        return Replied {
            of: format!("Option<{of}>"),
            reader: format!("|value| reply::optional(value, {reader})"),
            doc,
        };
    }
    Replied { of, reader: format!("|value| reply::read(value, {reader})"), doc }
}

/// Returns the errors that are specific to this command.
fn errors(contract: &Contract, header: &Header) -> Option<String> {
    let codes = header.errors.iter().filter_map(|word| Some(code_name(word, contract.errors.get(word)?.as_ref())));
    let codes: Vec<String> = codes.map(|name| format!("[`{name}`](crate::Code::{name})")).collect();
    (!codes.is_empty()).then(|| format!("Errors: {}.", codes.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_command;
    use super::{calls, method};

    /// Returns the method of a new command with this header.
    fn made(header: &str) -> Result<String, String> {
        let contract = with_command("new", &format!("--- Does it.\n{header}"))?;
        method(&contract, "new", &contract.commands["new"])
    }

    #[test]
    fn a_method_has_the_types_and_the_words_of_the_contract() {
        let expected = "    /// Does it.
    ///
    /// - `reason`: The reason, for people.
    /// - `limit`: Maximum number of entries that the call reads or changes. Between 1 and 500 entries.
    ///
    /// Errors: [`NoTask`](crate::Code::NoTask).
    #[must_use]
    pub fn new(&self, queue: &QueueName, token: Token, reason: &str, limit: u32) -> Call<()> {
        self.call(\"new\", reply::done).arg(queue).arg(token).arg(reason).arg(limit)
    }
";
        let header = "-- @args now queue token reason limit\n-- @options by\n-- @reply `done`\n-- @errors NOTASK\n";
        assert_eq!(made(header).unwrap(), expected);
    }

    #[test]
    fn what_is_repeated_is_a_slice_behind_its_number_and_options_come_last() {
        let header = "-- @args now count id tag*count\n-- @options has request\n-- @reply `yes`, or `no`\n";
        let text = made(header).unwrap();
        for part in [
            "/// - `tags`: 1 to 500. Each: A tag. 1 to 128 characters",
            "/// Reply: `yes`, or `no`. True for `yes`.\n",
            "fn new(&self, id: &TaskId, tags: &[&str], options: &NewOptions) -> Call<bool> {\n",
            "tags.iter().fold(self.call(\"new\", |value| reply::either(value, \"yes\", \"no\")).arg(tags.len()).arg(id), Call::arg).once().pairs(&options.0)\n",
        ] {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
    }

    #[test]
    fn what_stands_for_none_is_an_option() {
        let header = "--- Does it.\n-- @args now queue rate\n-- @options expires\n-- @reply `limited`\n";
        let contract = with_command("limit", header).unwrap();
        let text = method(&contract, "limit", &contract.commands["limit"]).unwrap();
        assert!(
            text.contains("(&self, queue: Option<&QueueName>, rate: Option<Rate>, options: &LimitOptions)"),
            "{text}"
        );
        assert!(text.contains(".arg_or(queue, \"*\").arg_or(rate, \"-\")"), "{text}");
    }

    #[test]
    fn what_no_method_can_be_made_of_is_refused_with_the_remedy() {
        let words = "-- @args now\n-- @reply `a`, `b` or `c`\n";
        assert!(made(words).unwrap_err().contains("give it one in OWN of build/rust_calls.rs"));
        let many = "-- @args now count (id token)*count\n-- @reply `done`\n";
        assert!(made(many).unwrap_err().contains("write it in src/calls, and name it in WRITTEN"));
        let contract = with_command("new", &format!("--- Does it.\n{words}")).unwrap();
        assert!(calls(&contract).unwrap_err().starts_with("the method of `Calls` for new: "));
    }
}
