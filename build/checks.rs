//! Generates the file `contract` of the Lua library, which checks the arguments and options of one command.

use super::contract::{Contract, Form, Opt, Setting, State, Type};
use super::storage::Kind;

/// Returns the Lua text of `contract` for a command.
pub(super) fn library(contract: &Contract, command: &str) -> String {
    let mut text = String::from("local contract = {}\n\n");
    for (name, of) in &contract.types {
        let (name, of) = (name.to_uppercase(), of.as_ref());
        for (bound, value) in [("LOW", of.low), ("HIGH", of.high)] {
            text += &value.map(|value| format!("contract.{name}_{bound} = {value}\n")).unwrap_or_default();
        }
    }
    for (name, constant) in &contract.constants {
        text += &format!("contract.{} = {}\n", name.to_uppercase(), constant.as_ref().value);
    }
    let settings = || contract.settings.iter().map(|(name, setting)| (name.as_str(), setting.as_ref()));
    let mut names: Vec<&str> = settings().map(|(name, _)| name).collect();
    names.sort_unstable();
    text += &format!("contract.SETTINGS = ' {} '\n", names.join(" "));
    let common: Vec<&str> = settings().filter(|(_, setting)| setting.all_queues).map(|(name, _)| name).collect();
    text += &format!("contract.ALL_QUEUES = ' {} '\n", common.join(" "));
    let default = |(name, setting): (&str, &Setting)| Some(format!("{name}={}", setting.default.as_ref()?));
    text += &format!("contract.DEFAULTS = '{}'\n\n", settings().filter_map(default).collect::<Vec<_>>().join(" "));
    text += &stored(contract);
    text += &states(contract);
    text += &arguments(contract, command);
    text += "-- An option of this command as it was read, or nil for a name that is not one.\n";
    text += &branches("option(name, value)", contract, &kept(contract.options(command)), "name");
    text += "\n-- The same of the options of a task.\n";
    text += &branches("task_option(name, value)", contract, &kept(contract.group("task")), "name");
    text += "\n-- The value of a known setting as it was read.\n";
    let settings: Vec<_> = settings().map(|(name, setting)| (name, setting.of.as_str(), false)).collect();
    text + &branches("setting(name, value, what)", contract, &settings, "what")
}

/// Returns the options of a task that its record stores, each with the name of its field.
fn stored(contract: &Contract) -> String {
    let fields = contract.group("task").into_iter();
    let fields: Vec<String> =
        fields.filter_map(|(name, option)| Some(format!("{name}={}", option.field.as_ref()?))).collect();
    format!("contract.STORED = ' {} '\n\n", fields.join(" "))
}

/// Returns lists of states, and values derived from them.
fn states(contract: &Contract) -> String {
    let named = |of: &dyn Fn(&State) -> bool| -> Vec<&str> {
        contract.states().filter(|(_, state)| of(state)).map(|(name, _)| name).collect()
    };
    let (waits, ends) = (named(&|state| state.waits), named(&|state| state.ends));
    let mut text = String::new();
    // Lists in which a space precedes and follows each word. PLAIN lists the states whose tasks are all in one list.
    for (list, names) in [("STATES", named(&|_| true)), ("PLAIN", named(&|state| contract.is_plain(state)))] {
        text += &format!("contract.{list} = ' {} '\n", names.join(" "));
    }
    // Lists of states for error texts.
    for (list, names) in [
        ("WAITING", waits.clone()),
        ("OWNED", named(&|state| state.owned)),
        ("FINAL", ends.clone()),
        ("NOT_FINAL", named(&|state| !state.ends)),
        ("NOT_OWNED", named(&|state| !state.owned)),
    ] {
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        let others = others.join(", ");
        let or = if others.is_empty() { "" } else { " or " };
        text += &format!("contract.{list} = '{others}{or}{last}'\n");
    }
    let quoted: Vec<String> = ends.iter().map(|name| format!("'{name}'")).collect();
    text += &format!("contract.ENDS = {{ {} }}\n", quoted.join(", "));
    let all: Vec<String> = contract
        .states()
        .flat_map(|(_, state)| lengths(contract, state))
        .map(|(call, index)| format!("{call}:{index}"))
        .collect();
    text += &format!(
        "-- The keys of a queue that list tasks by their state, each after the call that counts them.\ncontract.INDEXES = ' {} '\n\n",
        all.join(" ")
    );

    for (function, names) in [("is_waiting", &waits), ("is_final", &ends)] {
        let any: Vec<String> = names.iter().map(|name| format!("status == '{name}'")).collect();
        text += &format!("function contract.{function}(status)\n  return {}\nend\n\n", any.join(" or "));
    }
    let owned = named(&|state| state.owned).join(", ");
    let number = |(name, state): (&str, &State)| {
        let calls = lengths(contract, state)
            .into_iter()
            .map(|(call, index)| format!("redis.call('{call}', namespace.key('{index}', queue))"));
        let number = if state.owned { name.to_owned() } else { calls.collect::<Vec<_>>().join("\n    + ") };
        format!("    '{name}', {number},\n")
    };
    let numbers: String = contract.states().map(number).collect();
    text + &format!(
        "-- The number of tasks of a queue in each state, name and number in turn, and after them what is given.\n-- @hot\nfunction contract.counts(queue, {owned}, ...)\n  return {{\n{numbers}    ...\n  }}\nend\n\n"
    )
}

/// Returns the keys of a queue that list the tasks of a state, each after the call that counts its entries.
fn lengths<'a>(contract: &Contract, state: &'a State) -> Vec<(&'static str, &'a str)> {
    state.indexes().filter_map(|index| Some((length(contract, index)?, index_name(index)?))).collect()
}

/// Returns the call that counts the entries of a key.
fn length(contract: &Contract, key: &str) -> Option<&'static str> {
    match contract.keys.get(key)?.as_ref().of {
        Kind::List => Some("LLEN"),
        Kind::Set => Some("SCARD"),
        Kind::Zset => Some("ZCARD"),
        Kind::Hash | Kind::Stream | Kind::String | Kind::Channel | Kind::None => None,
    }
}

/// Returns the name of a key without the namespace and the queue, or `None` if the key belongs to less than a queue.
fn index_name(key: &str) -> Option<&str> {
    key.strip_prefix("ns_")?.strip_suffix("_QUEUE")
}

/// Returns the text of a function that reads the arguments of a command in order. The function does not check the
/// arguments that identify an owner's attempt: `owner.task` compares them with the record.
fn arguments(contract: &Contract, command: &str) -> String {
    let Some(header) = contract.commands.get(command) else { return String::new() };
    let owned = header.singles().any(|name| name == "token");
    let names: Vec<&str> = header.singles().skip(1).collect();
    let mut text =
        String::from("-- The arguments of this command as they were read.\n-- @hot\nfunction contract.arguments()\n");
    for name in &names {
        let of = contract.argument(command, name).and_then(|argument| contract.type_of(&argument.of));
        let of = of.filter(|_| !(owned && (*name == "id" || *name == "token")));
        let value = format!("args.next('{name}')");
        let read = of.map_or_else(|| value.clone(), |of| check(contract, of, &value, &format!("'{name}'")));
        text += &format!("  local {name} = {read}\n");
    }
    if header.options.is_empty() && header.group().is_none() {
        text += "  args.none()\n";
    }
    text + &format!("  return {}\nend\n\n", names.join(", "))
}

/// Returns the name and the type of each option, and true if the record stores the option. Such an option keeps the
/// text that the client sent.
fn kept<'a>(options: Vec<(&'a str, &'a Opt)>) -> Vec<(&'a str, &'a str, bool)> {
    options.into_iter().map(|(name, option)| (name, option.of.as_str(), option.field.is_some())).collect()
}

/// Returns the text of a function with a branch for each type. `names` contains the names of the values, the type of
/// each value, and true if a number keeps its text instead of being parsed. Errors call the value `what`.
fn branches(function: &str, contract: &Contract, names: &[(&str, &str, bool)], what: &str) -> String {
    let mut groups: Vec<((&str, bool), Vec<&str>)> = Vec::new();
    for &(name, of, as_written) in names {
        match groups.iter_mut().find(|(group, _)| *group == (of, as_written)) {
            Some((_, names)) => names.push(name),
            None => groups.push(((of, as_written), vec![name])),
        }
    }
    let mut text = format!("function contract.{function}\n");
    for (number, ((of, as_written), names)) in groups.iter().enumerate() {
        let names = names.iter().map(|name| format!("name == '{name}'")).collect::<Vec<_>>().join(" or ");
        let of = contract.type_of(of);
        let read = of.map_or_else(|| "value".to_owned(), |of| check(contract, of, "value", what));
        let number_read = of.is_some_and(|of| of.check.is_none() && matches!(of.form, Form::Whole | Form::Seconds));
        let kept = if *as_written && number_read { " and value" } else { "" };
        text += &format!("  {} {names} then\n    return {read}{kept}\n", if number == 0 { "if" } else { "elseif" });
    }
    if !groups.is_empty() {
        text += "  end\n";
    }
    text + "end\n"
}

/// Returns the Lua expression that reads a value of a type.
fn check(contract: &Contract, of: &Type, value: &str, what: &str) -> String {
    let (low, high) = (of.low.unwrap_or_default(), of.high.unwrap_or_default());
    match (&of.check, of.form) {
        (Some(function), _) => format!("{function}({value}, {what})"),
        (None, Form::Whole) => format!("args.integer({value}, {low}, {high}, {what})"),
        (None, Form::Seconds) => format!("args.seconds({value}, {low}, {high}, {what})"),
        (None, Form::Bytes) if of.error.is_some() => format!("args.bytes({value}, {high}, {what})"),
        (None, Form::Flag) => format!("args.flag({value}, {what})"),
        (None, Form::Word) => {
            let words: Vec<&str> = contract.words(of).into_iter().map(|(word, _)| word).collect();
            format!("args.word({value}, ' {} ', {what})", words.join(" "))
        }
        (None, Form::Bytes | Form::Text | Form::Words | Form::Decimal) => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_command;
    use super::library;

    fn lua(command: &str, header: &str) -> String {
        library(&with_command(command, header).unwrap(), command)
    }

    #[test]
    fn arguments_are_read_in_their_order_and_nothing_may_follow() {
        let text = lua("new", "--- Does it.\n-- @args now queue limit\n-- @reply `done`\n");
        let function = "function contract.arguments()\n  local queue = args.plain(args.next('queue'), 'queue')\n  local limit = args.integer(args.next('limit'), 1, 500, 'limit')\n  args.none()\n  return queue, limit\nend\n";
        assert!(text.contains(function), "{text}");
    }

    #[test]
    fn an_owner_s_id_and_token_are_looked_at_where_they_match_no_task() {
        let text = lua("new", "--- Does it.\n-- @args now id token\n-- @options cost\n-- @reply `done`\n");
        assert!(
            text.contains("  local id = args.next('id')\n  local token = args.next('token')\n  return id, token\n"),
            "{text}"
        );
    }

    #[test]
    fn options_of_one_type_share_a_branch_and_what_the_record_keeps_is_kept_as_written() {
        let text =
            lua("submit", "--- Does it.\n-- @args now\n-- @options task.* inputs again once_more hold by request\n");
        for branch in [
            "if name == 'submitter' or name == 'method' or name == 'key' or name == 'unique' then\n    return args.plain(value, name)\n",
            "elseif name == 'delay' or name == 'max_delay' or name == 'lost_delay' then\n    return args.seconds(value, 0, 31536000, name) and value\n",
            "elseif name == 'backoff' then\n    return args.word(value, ' exponential fixed ', name)\n",
        ] {
            assert!(text.contains(branch), "{branch}\nis not in\n{text}");
        }
    }
}
