//! The contract agrees with the scripts and the cases: its tables are generated from them.
//!
//! `make bless` regenerates them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[allow(dead_code, reason = "tests/conformance.rs uses the rest")]
#[path = "conformance/cases.rs"]
mod cases;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use blueque::bundle;
use serde_json::Value;

/// The columns of the table command x state.
static STATES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let contract: Value = serde_json::from_str(bundle::contract()).unwrap();
    let states = contract["types"]["status"]["words"].as_array().unwrap().iter();
    std::iter::once("absent").chain(states.map(|state| state.as_str().unwrap())).map(str::to_owned).collect()
});

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn contract() -> String {
    fs::read_to_string(file("lua/README.md")).unwrap()
}

/// Lock of the pages: the tests of this file run in parallel, and only one at a time writes a page.
static PAGE: Mutex<()> = Mutex::new(());

/// Compares the part of the contract between two marks with what it should be.
fn agree(mark: &str, table: &str) {
    agree_in("lua/README.md", mark, table);
}

fn agree_in(page: &str, mark: &str, table: &str) {
    let _page = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(file(page)).unwrap();
    let begin = text.find(&format!("<!-- {mark} -->\n")).expect("the mark") + mark.len() + 10;
    let end = begin + text[begin..].find("<!-- end -->").expect("the end mark");
    if text[begin..end] != *table && std::env::var_os("BLUEQUE_BLESS").is_some() {
        fs::write(file(page), format!("{}{table}{}", &text[..begin], &text[end..])).unwrap();
        return;
    }
    assert_eq!(&text[begin..end], table, "run make bless and look at the change");
}

fn code(words: &str) -> String {
    words.split_whitespace().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
}

/// The libraries of the work of `maintenance`.
const MAINTENANCE: [&str; 9] =
    ["lost_attempts", "repair", "orphans", "promotion", "retention", "schedules", "deferred", "aggregation", "ticking"];

/// Returns true if a composed script has a piece of a library.
fn has_piece_of(script: &str, library: &str) -> bool {
    let (cold, hot) = (format!(" {library}."), format!("{library}_"));
    script.lines().any(|line| {
        let numbered = line.strip_prefix("-- ").map(|line| line.trim_start_matches(|c: char| c.is_ascii_digit()));
        numbered.is_some_and(|line| line.starts_with(&cold))
            || line
                .strip_prefix("local function ")
                .or_else(|| line.strip_prefix("local "))
                .is_some_and(|line| line.starts_with(&hot))
    })
}

#[test]
fn a_reserve_that_says_when_maintenance_is_due_has_none_of_its_code() {
    let script = |name| blueque::bundle::command(name).unwrap().source();
    for library in MAINTENANCE {
        assert!(has_piece_of(script("maintenance"), library), "maintenance has nothing of {library}");
        assert!(!has_piece_of(script("reserve"), library), "reserve has a piece of {library}");
    }
    // `reserve` needs the piece that says when maintenance is due.
    assert!(has_piece_of(script("reserve"), "maintenance"));
}

#[test]
fn the_tables_of_the_contract_are_those_of_the_scripts_and_the_cases() {
    let mut commands =
        String::from("| command | arguments | options | reply | its own errors |\n|---|---|---|---|---|\n");
    for command in bundle::commands() {
        let (name, args, reply) = (command.name(), command.args(), command.reply());
        let (options, errors) = (code(command.options()), code(command.errors()));
        writeln!(commands, "| `{name}` | `{args}` | {options} | {reply} | {errors} |").unwrap();
    }
    agree("commands", &commands);

    let mut cells = format!("| call | {} |\n|---{}|\n", STATES.join(" | "), "|---".repeat(STATES.len()));
    for (call, row) in rows()["cells"].as_object().unwrap() {
        if STATES.iter().any(|state| row.get(state).is_none()) {
            continue; // special cases of a call
        }
        let cell = |state: &String| cell(&row[state], state);
        writeln!(cells, "| `{call}` | {} |", STATES.iter().map(cell).collect::<Vec<_>>().join(" | ")).unwrap();
    }
    agree("cells", &cells);
}

/// The table of calls and states.
fn rows() -> Value {
    cases::with_plain_cells(&cases::contract(), &cases::file("cells.json"))
}

/// The state of a task whose state a line of this table describes: `pending again, requeued` is pending.
fn state(line: &str) -> &str {
    let mut words = line.split([' ', ',']).map(|word| if word == "adopted" { "reserved" } else { word });
    words.find(|word| STATES.iter().any(|state| state == word)).unwrap_or_else(|| panic!("{line} names no state"))
}

#[test]
fn every_cell_that_changes_a_state_is_a_transition_of_the_contract() {
    let contract: Value = serde_json::from_str(bundle::contract()).unwrap();
    let mut wrong = Vec::new();
    for (call, row) in rows()["cells"].as_object().unwrap() {
        for (before, cell) in row.as_object().unwrap() {
            let Some(then) = cell["then"].as_str() else { continue };
            let (from, to) = (state(before), if then.starts_with("moved") { "moved" } else { state(then) });
            let to = if to == "absent" && from != "absent" { "deleted" } else { to };
            if from != to && contract["states"][to]["from"][from].as_array().is_none() {
                wrong.push(format!("{call} of a task that is {before}: from {from} to {to}"));
            }
        }
    }
    assert!(wrong.is_empty(), "contract/states.toml does not have:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_of_transitions_is_that_of_the_contract() {
    let mut states = String::from("| state | kind | means | index | comes from |\n|---|---|---|---|---|\n");
    for (name, state) in &described("states") {
        let from = state["from"].as_table().unwrap().iter().map(|(from, reasons)| {
            let reasons: Vec<&str> = reasons.as_array().unwrap().iter().map(|why| why.as_str().unwrap()).collect();
            format!("{from}: {}", code(&reasons.join(" ")))
        });
        let index = state.get("index").map_or("–".to_owned(), |index| format!("`{}`", index.as_str().unwrap()));
        let means = state["means"].as_str().unwrap().trim_end_matches('.');
        let kinds = [("waits", "waiting"), ("owned", "held"), ("final", "finished"), ("absent", "gone")];
        let kind = kinds.iter().find(|(kind, _)| state.get(*kind).is_some()).unwrap().1;
        writeln!(states, "| `{name}` | {kind} | {means} | {index} | {} |", from.collect::<Vec<_>>().join("; "))
            .unwrap();
    }
    agree("states", &states);
}

/// Groups of states in the drawing, and their labels.
const GROUPS: [(&str, &str); 3] =
    [("waits", "waits for an attempt"), ("owned", "an attempt has it"), ("final", "has ended")];

/// Reasons of the transitions that lead from a state to this state, except moves to another queue.
fn reasons<'a>(state: &'a toml::Value, from: &str) -> Vec<&'a str> {
    let reasons = state["from"].get(from).and_then(toml::Value::as_array);
    reasons.into_iter().flatten().map(|why| why.as_str().unwrap()).filter(|why| *why != "move").collect()
}

/// Draws the states with Mermaid. A transition that all states of a group share begins at the group. Moves to another
/// queue are left out: they do not change the state.
fn drawing() -> String {
    let states = described("states");
    let members = |group: &str| -> Vec<_> {
        states.iter().filter(|(_, state)| state.get(group).is_some()).map(|(name, _)| name.as_str()).collect()
    };
    let mut text = String::from("```mermaid\nstateDiagram-v2\n");
    for (group, label) in GROUPS {
        writeln!(text, "    state \"{label}\" as {group} {{\n        {}\n    }}", members(group).join("\n        "))
            .unwrap();
    }
    for (name, state) in states.iter().filter(|(name, _)| *name != "moved") {
        let to = if state.get("absent").is_some() { "[*]" } else { name };
        let mut draw = |from: &str, reasons: &[&str]| {
            if !reasons.is_empty() {
                writeln!(text, "    {from} --> {to}: {}", reasons.join(", ")).unwrap();
            }
        };
        draw("[*]", &reasons(state, "absent"));
        for (group, _) in GROUPS {
            let members = members(group);
            let mut shared = reasons(state, members[0]);
            shared.retain(|why| members.iter().all(|member| reasons(state, member).contains(why)));
            draw(group, &shared);
            for member in members {
                let mut own = reasons(state, member);
                own.retain(|why| !shared.contains(why));
                draw(member, &own);
            }
        }
    }
    text + "```\n"
}

#[test]
fn the_drawing_of_the_states_is_that_of_the_contract() {
    let drawing = drawing();
    for page in ["lua/README.md", "docs/contribute/how-the-lua-works.md"] {
        agree_in(page, "drawing", &drawing);
    }
}

/// A number with thousands separators.
fn grouped(number: i64) -> String {
    let digits = number.abs().to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|part| std::str::from_utf8(part).unwrap()).collect();
    format!("{}{}", if number < 0 { "-" } else { "" }, groups.join(","))
}

/// The values of a type.
fn bounds(of: &Value) -> String {
    if let Some(words) = of["words"].as_array() {
        return words.iter().map(|word| format!("`{}`", word.as_str().unwrap())).collect::<Vec<_>>().join(" ");
    }
    let unit = match of["unit"].as_str() {
        Some("seconds") => " s",
        Some("percent") => " %",
        _ => "",
    };
    match (of["low"].as_i64(), of["high"].as_i64()) {
        (Some(low), Some(high)) => format!("{} to {}{unit}", grouped(low), grouped(high)),
        _ => of["means"].as_str().unwrap().trim_end_matches('.').to_owned(),
    }
}

#[test]
fn the_tables_of_settings_and_codes_are_those_of_the_contract() {
    let contract: Value = serde_json::from_str(bundle::contract()).unwrap();
    let mut settings = String::from("| name | bounds | default | meaning |\n|---|---|---|---|\n");
    for (name, setting) in contract["settings"].as_object().unwrap() {
        let (of, means) = (&contract["types"][setting["type"].as_str().unwrap()], setting["means"].as_str().unwrap());
        let default = setting["default"].as_str().map_or("none".to_owned(), |value| format!("`{value}`"));
        writeln!(settings, "| `{name}` | {} | {default} | {means} |", bounds(of)).unwrap();
    }
    agree("settings", &settings);

    let mut errors = String::from("| code | means | do |\n|---|---|---|\n");
    for (name, code) in contract["errors"].as_object().unwrap() {
        writeln!(errors, "| `{name}` | {} | {} |", code["means"].as_str().unwrap(), code["act"].as_str().unwrap())
            .unwrap();
    }
    agree("errors", &errors);
}

#[test]
fn the_table_of_roles_is_that_of_the_contract() {
    let contract: Value = serde_json::from_str(bundle::contract()).unwrap();
    let mut roles = String::from("| role | what it does | its commands |\n|---|---|---|\n");
    for (name, role) in contract["roles"].as_object().unwrap() {
        let commands = contract["commands"].as_object().unwrap().iter().filter(|(_, of)| of["role"] == **name);
        let commands: Vec<&str> = commands.map(|(command, _)| command.as_str()).collect();
        let others = role["includes"].as_str().map_or(String::new(), |other| format!(", and those of `{other}`"));
        writeln!(roles, "| `{name}` | {} | {}{others} |", role["means"].as_str().unwrap(), code(&commands.join(" ")))
            .unwrap();
    }
    agree("roles", &roles);
}

/// A file of `contract/`, in its order, which the manifest does not keep.
fn described(name: &str) -> toml::Table {
    toml::from_str(&fs::read_to_string(file(&format!("contract/{name}.toml"))).unwrap()).unwrap()
}

#[test]
fn the_tables_of_keys_and_fields_are_those_of_the_contract() {
    let mut keys = String::from("| key | type | holds | bound | owner | lifetime |\n|---|---|---|---|---|---|\n");
    let (mut all, contract) = (described("keys"), serde_json::from_str::<Value>(bundle::contract()).unwrap());
    // The plain lists of states that keys.toml need not describe.
    for (name, key) in contract["keys"].as_object().unwrap() {
        all.entry(name).or_insert_with(|| toml::Value::try_from(key).unwrap());
    }
    for (name, key) in &all {
        let word = |entry: &str| key[entry].as_str().unwrap();
        let foreign = if key.get("foreign").is_some() { " B" } else { "" };
        let channel = if key.get("channel").is_some() { ", channel" } else { "" };
        let (of, means) = (word("type"), word("means").trim_end_matches('.'));
        let life = key.get("life").and_then(|life| life.as_str()).filter(|life| *life != "entries").unwrap_or_default();
        writeln!(
            keys,
            "| `{name}`{foreign} | {of}{channel} | {means} | {} | {} | {life} |",
            word("bound"),
            word("owner")
        )
        .unwrap();
    }
    agree("keys", &keys);

    let mut fields = String::from("| field | type | holds | present |\n|---|---|---|---|\n");
    for (name, field) in described("fields")["task"].as_table().unwrap() {
        let word = |entry: &str| field[entry].as_str().unwrap().trim_end_matches('.');
        let foreign = if field.get("foreign").is_some() { " B" } else { "" };
        let (of, means, there) = (word("type"), word("means"), word("there"));
        writeln!(fields, "| `{name}`{foreign} | {of} | {means} | {there} |").unwrap();
    }
    agree("fields", &fields);
}

/// The names in the Lua function that returns them as strings.
fn names_of(text: &str, function: &str) -> BTreeSet<String> {
    let (_, after) = text.split_once(&format!("function {function}()")).unwrap();
    let (body, _) = after.split_once("\nend").unwrap();
    body.split('\'').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn a_round_leaves_no_field_of_the_earlier_one() {
    let source = |name: &str| fs::read_to_string(file(&format!("lua/lib/{name}.lua"))).unwrap();
    let mut known = names_of(&source("action/rerun"), "rerun.forgotten");
    known.extend(names_of(&source("record/record"), "record.attempt_fields"));
    known.extend(names_of(&source("record/controls"), "controls.fields"));
    for option in described("options")["task"].as_table().unwrap().values() {
        known.extend(option.get("field").and_then(|field| field.as_str()).map(str::to_owned));
    }
    // Fields that stay, or get a new value in any case.
    let kept = "attempt created graph label notes outcome parameters queue rank round round_request status updated";
    known.extend(kept.split(' ').map(str::to_owned));
    let all: BTreeSet<String> = described("fields")["task"].as_table().unwrap().keys().cloned().collect();
    let forgotten: Vec<_> = all.difference(&known).collect();
    assert!(forgotten.is_empty(), "rerun.forgotten has no word of the fields {forgotten:?}");
    let unknown: Vec<_> = known.difference(&all).collect();
    assert!(unknown.is_empty(), "contract/fields.toml does not have {unknown:?}");
}

/// A cell in words: the error's code; or the next state; or the reply if nothing changes.
fn cell(cell: &Value, before: &str) -> String {
    if let Some(error) = cell["error"].as_str() {
        return format!("`{error}`");
    }
    let then = cell["then"].as_str().unwrap_or(before);
    if then != before {
        let then = match then {
            "reserved and to be cancelled" | "started and to be cancelled" => "flagged",
            "reserved and to be killed" | "started and to be killed" => "to be killed",
            "reserved and requeued" | "started and requeued" => "requeued",
            moved if moved.starts_with("moved") => "moved",
            other => state(other),
        };
        return format!("→ {then}");
    }
    match &cell["reply"] {
        Value::String(word) if cell["unchanged"] == true => format!("{word} (again)"),
        Value::String(word) => word.clone(),
        Value::Array(items) => {
            let word = items.iter().rev().filter_map(Value::as_str).find(|word| !word.is_empty());
            word.unwrap_or("–").to_owned()
        }
        Value::Null => "–".to_owned(),
        _ => "ok".to_owned(),
    }
}

#[test]
fn every_code_that_a_script_can_answer_is_explained() {
    let text = contract();
    let mut codes: BTreeSet<&str> = ["BADARG", "BADNAME", "RETRY", "SCHEMA", "WRONGKEY"].into();
    for command in bundle::commands() {
        codes.extend(command.errors().split_whitespace());
        for found in command.source().split("reply_fail('").skip(1) {
            let code = found.split('\'').next().unwrap();
            assert!(contract().contains(&format!("\n| `{code}` |")), "{code} of {} is not explained", command.name());
        }
    }
    for code in codes {
        assert!(text.contains(&format!("\n| `{code}` |")), "{code} is not explained");
    }
}

#[test]
fn no_command_is_newer_than_the_bundle() {
    let numbers =
        |version: &str| -> Vec<u32> { version.split(['.', '-']).map_while(|number| number.parse().ok()).collect() };
    let contract: Value = serde_json::from_str(bundle::contract()).unwrap();
    for (name, command) in contract["commands"].as_object().unwrap() {
        let since = command["since"].as_str().unwrap();
        assert!(numbers(since) <= numbers(env!("CARGO_PKG_VERSION")), "{name} says that it is new in {since}");
    }
}

/// The text between the first place of `before` in a file and the next `after`.
fn between(name: &str, before: &str, after: &str) -> String {
    let text = fs::read_to_string(file(name)).unwrap();
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{name} has no {before}"));
    rest.split_once(after).unwrap().0.to_owned()
}

#[test]
fn every_part_has_the_version_of_the_crate() {
    let version = bundle::VERSION;
    let short = version.rsplit_once('.').unwrap().0;
    let metadata = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(file("."))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    for package in metadata["packages"].as_array().unwrap() {
        assert_eq!(package["version"], version, "{}", package["name"]);
    }
    for (name, before, after, expected) in [
        ("cli/Cargo.toml", "blueque = { path = \"..\", version = \"", "\"", version),
        ("cli/Cargo.toml", "blueque-web = { path = \"../web\", version = \"", "\"", version),
        ("web/Cargo.toml", "blueque = { path = \"..\", version = \"", "\"", version),
        ("README.md", "blueque = \"", "\"", short),
        ("CHANGELOG.md", "\n## [", "] - ", version),
        ("clients/python/README.md", "blueque_client-", "-py3-none-any.whl", version),
        ("clients/typescript/README.md", "blueque-client-", ".tgz", version),
        ("clients/typescript/package.json", "\"version\": \"", "\"", version),
    ] {
        assert_eq!(between(name, before, after), expected, "{name}");
    }
    let locked: Value =
        serde_json::from_slice(&fs::read(file("clients/typescript/package-lock.json")).unwrap()).unwrap();
    assert_eq!((&locked["version"], &locked["packages"][""]["version"]), (&version.into(), &version.into()));
    // The client for Python reads its version from the manifest of the bundle.
    assert!(fs::read_to_string(file("clients/python/pyproject.toml")).unwrap().contains("dynamic = [\"version\"]"));
}

#[test]
fn the_bundle_has_the_digests_that_were_published() {
    let mut sums = String::new();
    for command in bundle::commands() {
        writeln!(sums, "{}  {}.lua", command.sha1(), command.name()).unwrap();
    }
    let golden = file("lua/SHA1SUMS");
    if std::env::var_os("BLUEQUE_BLESS").is_some() {
        fs::write(&golden, &sums).unwrap();
    }
    assert_eq!(
        fs::read_to_string(golden).unwrap_or_default(),
        sums,
        "a script has changed: run make bless, and add an entry to CHANGELOG.md if users notice the change"
    );
}

#[test]
fn the_package_holds_every_source_of_the_bundle() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline", "--package", "blueque"])
        .current_dir(file("."))
        .output()
        .unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let listed: BTreeSet<&str> = listed.lines().collect();
    let mut paths = vec!["lua/cmd".to_owned(), "lua/lib".to_owned(), "build".to_owned()];
    while let Some(path) = paths.pop() {
        if let Ok(folder) = fs::read_dir(file(&path)) {
            paths.extend(folder.map(|entry| format!("{path}/{}", entry.unwrap().file_name().to_str().unwrap())));
        } else {
            assert!(listed.contains(path.as_str()), "{path} would not be published");
        }
    }
    assert!(listed.contains("build.rs") && listed.contains("LICENSE") && listed.contains("README.md"));
}

/// The names of the tests that a cell of a table names: `FILE: NAME`.
fn named(cell: &str) -> Vec<(&str, &str)> {
    cell.split('`').skip(1).step_by(2).filter_map(|name| name.split_once(": ")).collect()
}

/// Returns true if a file of conformance cases has a case of this name.
fn is_case(name: &str, case: &str) -> bool {
    let cases = fs::read_to_string(file(&format!("tests/conformance/{name}.json"))).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    cases.iter().any(|one| one["name"] == case)
}

#[test]
fn each_row_for_users_of_qless_names_a_case_that_there_is() {
    let page = fs::read_to_string(file("docs/migrating/from-qless.md")).unwrap();
    let mut rows = 0;
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| qless");
    for row in page.lines().filter(is_row) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "{row}");
        let tests = named(cells[2]);
        assert!(!tests.is_empty(), "no test shows this: {row}");
        for (name, case) in tests {
            assert!(is_case(name, case), "{name}.json has no case {case:?}: {row}");
        }
        rows += 1;
    }
    assert!(rows > 100, "{rows}");
}

#[test]
fn each_row_for_users_of_redis_work_queue_names_a_test_that_there_is() {
    let page = fs::read_to_string(file("docs/migrating/from-redis-work-queue.md")).unwrap();
    let tests = fs::read_to_string(file("tests/work_queue.rs")).unwrap();
    let (calls, recipes) = page.split_once("## At most once").unwrap();
    let calls = calls.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| redis-work-queue |"));
    let recipes = recipes.lines().filter(|line| line.starts_with("| shown by |"));
    let rows: Vec<&str> = calls.chain(recipes).collect();
    assert!(rows.len() > 15, "{rows:?}");
    for row in rows {
        let shown =
            if row.starts_with("| shown by") { row } else { row.trim_end_matches('|').rsplit(" | ").next().unwrap() };
        let named: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test shows this: {row}");
        for name in named {
            assert!(tests.contains(&format!("fn {name}()")), "there is no test {name}: {row}");
        }
    }
}

/// Names that a cell of `docs/migrating/blueque-1.0.md` has a program call, or a shell. Within backquotes these are the
/// names before a `(`, and the words and flags of a command. A name alone, such as `submit_bytes`, is also a call.
fn called(cell: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for code in cell.split('`').skip(1).step_by(2) {
        let is_part = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
        let mut rest = code;
        while let Some(begin) = rest.find(is_part) {
            let end = rest[begin..].find(|letter| !is_part(letter)).map_or(rest.len(), |length| begin + length);
            let (word, after) = (&rest[begin..end], &rest[end..]);
            // Placeholders for a reader's values are no words: a name in capitals, the arguments of a call.
            let is_word = word.starts_with("--") || word.starts_with(|letter: char| letter.is_lowercase());
            if (after.starts_with('(') && !word.starts_with('_')) || (is_word && !code.contains(['(', '[', '.', '&'])) {
                found.insert(word.to_owned());
            }
            rest = after;
        }
    }
    found
}

/// Returns true if a text has this as a whole word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

#[test]
fn each_call_in_each_row_for_users_of_blueque_1_0_is_made_by_the_test_of_its_column() {
    let files = |names: &[&str]| names.iter().map(|name| fs::read_to_string(file(name)).unwrap()).collect::<String>();
    let tests = [
        files(&["tests/blueque_1_0/calls.rs", "tests/blueque_1_0/both.rs"]),
        files(&["clients/python/tests/test_blueque_1_0.py", "clients/python/tests/conftest.py"])
            .replace("sys.executable", "python"),
        files(&["clients/typescript/tests/blueque_1_0.test.ts"]),
        files(&["cli/tests/beside/calls.rs", "cli/tests/beside.rs"]),
    ];
    let page = fs::read_to_string(file("docs/migrating/blueque-1.0.md")).unwrap();
    let table = page.split("## Each call").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> =
        table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Blueque 1.0 |")).collect();
    let mut calls = 0;
    for row in &rows {
        let columns: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(columns.len(), 5, "{row}");
        for (cell, test) in columns[1..].iter().zip(&tests) {
            for call in called(cell) {
                assert!(has_word(test, &call), "no test of this column has {call}: {row}");
                calls += 1;
            }
        }
    }
    assert!(rows.len() == 16 && calls > 80, "{} rows, {calls} calls", rows.len());
}

/// The names of all tests of the crate and the command.
fn tests_below(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_below(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let after_mark = text.split("#[test]").skip(1).filter_map(|rest| rest.split_once("fn ")?.1.split_once('('));
            found.extend(after_mark.map(|(name, _)| name.to_owned()));
        }
    }
}

#[test]
fn each_row_for_users_of_enq_names_a_test_that_there_is() {
    let page = fs::read_to_string(file("docs/migrating/from-enq.md")).unwrap();
    let mut tests = BTreeSet::new();
    for folder in ["src", "tests", "cli/tests"] {
        tests_below(&file(folder), &mut tests);
    }
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| enq |");
    let rows: Vec<&str> = page.lines().filter(is_row).collect();
    assert!(rows.len() > 40, "{}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "{row}");
        let named: Vec<&str> = cells[2].split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test shows this: {row}");
        for name in named {
            let there = match name.split_once(": ") {
                Some((file, case)) => is_case(file, case),
                None => tests.contains(name),
            };
            assert!(there, "there is no test {name:?}: {row}");
        }
    }
}

#[test]
fn a_trace_has_room_for_the_longest_state() {
    let contract: Value = serde_json::from_str(bundle::contract()).unwrap();
    let constants: toml::Table = toml::from_str(&fs::read_to_string(file("contract/constants.toml")).unwrap()).unwrap();
    let (parent, state) = ("00-".len() + 32 + 1 + 16 + "-01".len(), constants["trace_state"]["value"].as_integer());
    let whole = i64::try_from(parent + " ".len()).unwrap() + state.unwrap();
    assert_eq!(contract["types"]["trace"]["high"].as_i64(), Some(whole));
}
