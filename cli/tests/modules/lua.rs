//! The floors of the Lua library: a folder of `lua/lib` uses only its own modules and the folders below it. Commands
//! stand above all folders.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The folders, the highest first, and the contents of each.
const FLOORS: &[(&str, &str)] = &[
    ("attempt", "What a worker does: it takes tasks, reports on them, ends them"),
    ("maintenance", "Work that no caller waits for: due tasks and schedules, ends that reach dependents later, repairs"),
    ("action", "What operators do with tasks, one or many"),
    ("schedule", "Schedules: when they are due, and the tasks that they remember"),
    ("task", "The states of a task, and all that it claims: each change of a state is made here"),
    ("graph", "Who waits for whom, and the results that pass between tasks"),
    ("order", "Which task comes next"),
    ("listener", "Who is there to take tasks, and how listeners are woken"),
    ("record", "What is kept of a task: its record, history, events, logs, tags"),
    ("core", "Arguments and replies, keys and time, settings, rights"),
];

/// Modules of one folder that use each other. `namespace` asks `rights` for permission before it writes, and `rights`
/// checks permissions on the keys of `namespace`.
const CIRCLES: &[&[&str]] = &[&["namespace", "rights"]];

/// A file of the library.
struct Module {
    name: String,
    folder: String,
    source: String,
}

fn library() -> Vec<Module> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lua/lib");
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut all = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let source = fs::read_to_string(&path).unwrap();
            all.push(Module { name: name(&path), folder: name(&folder), source });
        }
    }
    assert!(all.len() > 40, "{}", all.len());
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// A source without comments and texts.
fn code(source: &str) -> String {
    let (mut out, mut chars) = (String::new(), source.chars().peekable());
    while let Some(c) = chars.next() {
        if c == '-' && chars.peek() == Some(&'-') {
            while chars.next_if(|c| *c != '\n').is_some() {}
        } else if c == '\'' || c == '"' {
            while let Some(inner) = chars.next().filter(|inner| *inner != c) {
                if inner == '\\' {
                    chars.next();
                }
            }
            out.push(' ');
        } else {
            out.push(c);
        }
    }
    out
}

/// The modules that each module uses: `NAME.piece`.
fn imports(all: &[Module]) -> BTreeMap<&str, BTreeSet<&str>> {
    let names: BTreeSet<&str> = all.iter().map(|module| module.name.as_str()).collect();
    let of = |module: &Module| -> BTreeSet<&str> {
        let code = code(&module.source);
        let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        let used = words.filter_map(|word| word.split_once('.')).filter_map(|(name, _)| names.get(name).copied());
        used.filter(|name| *name != module.name).collect()
    };
    all.iter().map(|module| (module.name.as_str(), of(module))).collect()
}

/// The errors of a library, one sentence for each. `circles`: the allowed circles.
fn wrong(all: &[Module], circles: &[&[&str]]) -> Vec<String> {
    let floor = |folder: &str| FLOORS.iter().rev().position(|(name, _)| *name == folder);
    let folders: BTreeMap<&str, &str> =
        all.iter().map(|module| (module.name.as_str(), module.folder.as_str())).collect();
    let imports = imports(all);
    let mut found = Vec::new();
    for (module, used) in &imports {
        let Some(own) = floor(folders[module]) else {
            found.push(format!("{} is no floor: give it one in cli/tests/modules/lua.rs", folders[module]));
            continue;
        };
        for other in used {
            if floor(folders[other]).is_some_and(|theirs| theirs > own) {
                let (from, to) = (folders[module], folders[other]);
                found.push(format!("{from}/{module} uses {to}/{other}, which is above it: move what both need below"));
            }
        }
    }
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for from in imports.keys() {
        let (seen, mut rest) = (reached.entry(from).or_default(), vec![*from]);
        while let Some(module) = rest.pop() {
            let beside = imports[module].iter().filter(|other| folders[*other] == folders[from]);
            rest.extend(beside.filter(|other| seen.insert(**other)));
        }
    }
    let circle = |module: &&str| -> Vec<&str> {
        let both = reached[module].iter().filter(|other| reached[*other].contains(module));
        both.copied().collect()
    };
    let there: BTreeSet<Vec<&str>> = reached.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    let allowed: BTreeSet<Vec<&str>> = circles.iter().map(|circle| circle.to_vec()).collect();
    found.extend(there.difference(&allowed).map(|circle| format!("these use one another: {}", circle.join(" "))));
    found.extend(allowed.difference(&there).map(|circle| format!("these form no circle: {}", circle.join(" "))));
    found
}

/// The floors as a table, the highest first.
pub fn picture() -> String {
    let all = library();
    let mut text =
        format!("{} floors:\n\n| floor | folder | what it holds | modules |\n|---|---|---|---|\n", FLOORS.len());
    for (number, (folder, what)) in (1..=FLOORS.len()).rev().zip(FLOORS) {
        let within = all.iter().filter(|module| module.folder == *folder);
        let names: Vec<String> = within.map(|module| format!("`{}`", module.name)).collect();
        text.push_str(&format!("| {number} | `{folder}` | {what} | {} |\n", names.join(" ")));
    }
    text
}

#[test]
fn every_import_of_the_scripts_leads_down_and_none_in_another_circle() {
    let found = wrong(&library(), CIRCLES);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn each_file_of_the_scripts_begins_with_what_it_is() {
    let silent: Vec<_> = library().into_iter().filter(|module| !module.source.starts_with("-- ")).collect();
    assert!(silent.is_empty(), "{:?}", silent.iter().map(|module| &module.name).collect::<Vec<_>>());
}

#[test]
fn imports_of_scripts_that_lead_up_or_in_a_circle_are_found() {
    let module = |path: &str, source: &str| {
        let (folder, name) = path.split_once('/').unwrap();
        Module { name: name.to_owned(), folder: folder.to_owned(), source: source.to_owned() }
    };
    let with = |path: &str, source: &str| {
        let ground = [module("core/args", ""), module("task/claims", "x = state.plan()"), module("task/state", "")];
        wrong(&ground.into_iter().chain([module(path, source)]).collect::<Vec<_>>(), &[])
    };
    assert!(with("task/owner", "state.move(task) -- actions.run\n").is_empty());
    assert!(with("action/actions", "local x = call.state.move + 'it\\'s state.x'").is_empty());
    for (path, source) in [
        ("order/ranking", "return state.move(task)"),
        ("order/ranking", "x = { [1]=state.EVENTS }"),
        ("novel/ranking", ""),
    ] {
        assert_eq!(with(path, source).len(), 1, "{path}: {source}: {:?}", with(path, source));
    }
    let two = [module("task/claims", "state.plan()"), module("task/state", "if claims.plan then end")];
    assert_eq!(wrong(&two, &[]), ["these use one another: claims state"]);
    assert!(wrong(&two, &[&["claims", "state"]]).is_empty());
    let settled = [module("task/claims", ""), module("task/state", "claims.plan()")];
    assert_eq!(wrong(&settled, &[&["claims", "state"]]), ["these form no circle: claims state"]);
}
