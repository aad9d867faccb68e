//! The modules of the command and of the library are on floors, and each module imports only from floors below its own.
//! The test compares lists of the floors with the imports in the sources. The lists are also the tables in
//! `docs/contribute/architecture.md`. `modules/lua.rs` does the same for the folders of the Lua library.
//!
//! `make bless` regenerates the table.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

#[path = "modules/lua.rs"]
mod lua;

/// A package, and the rooms of each floor, the highest floor first. A room is a command, or a file of the package's
/// sources with the folder of the same name.
struct House {
    sources: &'static str,
    floors: &'static [&'static [&'static str]],
    /// True if the files of a room import in one direction only: a file of the library and its folder belong together.
    by_file: bool,
    /// The lines around the table in `docs/contribute/architecture.md`.
    marks: [&'static str; 2],
}

const COMMAND: House = House {
    sources: "src",
    floors: &[
        &["main"],
        &["partitioned"],
        &["completion", "last_submitted"],
        &["args"],
        &["commands"],
        &["doctor", "worker", "supervisor"],
        &["bulk", "follow", "help", "notify", "subcommand"],
        &["input", "view", "logs", "processes"],
        &["session", "run_folder"],
        &["times", "server", "process", "safe_path", "shortage", "file", "command_line"],
        &["output"],
        &["hex", "states", "template"],
    ],
    by_file: true,
    marks: ["<!-- modules: begin -->\n", "<!-- modules: end -->\n"],
};

const LIBRARY: House = House {
    sources: "../src",
    floors: &[
        &["main"],
        &["tokio"],
        &["partitions"],
        &["telemetry"],
        &["worker", "work_queue"],
        &["search", "statistics", "schedule", "graph", "listener"],
        &["queue", "processor", "queue_choice", "placeholder"],
        &["task"],
        &["client"],
        &["submit_hooks"],
        &["link", "repeat"],
        &["calls"],
        &["options"],
        &["contract"],
        &["model"],
        &["recurrence", "host", "topology", "address"],
        &["names", "cron", "connection"],
        &["error", "bundle"],
        &[
            "words",
            "text",
            "times",
            "wording",
            "deadline",
            "command_line",
            "element",
            "durability",
            "constants",
            "progress",
        ],
    ],
    by_file: false,
    marks: ["<!-- library: begin -->\n", "<!-- library: end -->\n"],
};

const WEB: House = House {
    sources: "../web/src",
    floors: &[
        &["main"],
        &["serve", "pages"],
        &["parts"],
        &["act"],
        &["shell"],
        &["here"],
        &["access"],
        &["api", "metrics"],
        &["actor"],
        &["site"],
        &["feed"],
        &["read"],
        &["jobs"],
        &["fields"],
        &["failure", "place", "doctor", "explain", "redact", "assets", "text", "time"],
    ],
    by_file: false,
    marks: ["<!-- web: begin -->\n", "<!-- web: end -->\n"],
};

/// A module, as the parts of its path below `crate`.
type Module = Vec<String>;

/// The imports of each module.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// The sources below a folder, by their modules, without files of tests.
fn sources(folder: &Path, above: &[String], into: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let module = match name.as_str() {
            "mod" => above.to_vec(),
            _ => [above, &[name]].concat(),
        };
        if path.is_dir() {
            sources(&path, &module, into);
        } else if module.last().is_none_or(|name| name != "tests") {
            into.insert(module, fs::read_to_string(&path).unwrap());
        }
    }
}

/// A source without comments and without its tests, which are at its end. Imports in a macro count where the macro is
/// used.
fn code(source: &str) -> String {
    let source = source.replace("#[cfg(test)]\nmod tests;", "").replace("$crate::", "$");
    let source = source.split("\n#[cfg(test)]").next().unwrap_or_default();
    source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The paths of a `use`, in full.
fn written_out(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let inner = rest.rsplit_once('}').expect("the end of a group").0;
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inner.chars() {
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                parts.last_mut().unwrap().push(c);
            }
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| written_out(&format!("{}{}", before.trim(), part.trim()))).collect()
}

/// Every path in code that begins at the crate, at this module or above it, or at a module below it.
fn paths(code: &str, below: &[&str]) -> Vec<String> {
    let (mut found, mut rest, mut other) = (Vec::new(), code, String::new());
    while let Some(at) = rest.find("use ") {
        other.push_str(&rest[..at]);
        let (tree, after) = rest[at + 4..].split_once(';').unwrap_or_default();
        if at == 0 || rest[..at].ends_with(['\n', ' ']) {
            found.extend(written_out(tree));
            rest = after;
        } else {
            rest = &rest[at + 4..];
        }
    }
    other.push_str(rest);
    let words = other.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    found.extend(words.filter(|word| word.contains("::")).map(str::to_owned));
    found.retain(|path| {
        let first = path.split("::").next().unwrap_or_default();
        ["crate", "self", "super"].contains(&first) || below.contains(&first)
    });
    found
}

/// The module to which a path in another module refers.
fn resolved(path: &str, from: &Module, all: &BTreeMap<Module, String>) -> Module {
    let path = path.split(" as ").next().unwrap_or_default();
    let mut parts = path.split("::").map(str::trim).peekable();
    let mut at = from.clone();
    if parts.peek() == Some(&"crate") {
        at.clear();
        parts.next();
    }
    while parts.next_if_eq(&"super").is_some() {
        at.pop();
    }
    at.extend(parts.filter(|part| *part != "self").map(str::to_owned));
    // The rest of the path after a module names an item of the module.
    while !at.is_empty() && !all.contains_key(&at) {
        at.pop();
    }
    if at.is_empty() { vec!["main".to_owned()] } else { at }
}

fn imports(all: &BTreeMap<Module, String>) -> Imports {
    let of = |(module, source): (&Module, &String)| {
        let children = all.keys().filter(|other| other.len() == module.len() + 1 && other.starts_with(module));
        let below: Vec<&str> = children.map(|child| child.last().unwrap().as_str()).collect();
        let found = paths(&code(source), &below);
        let found = found.iter().map(|path| resolved(path, module, all)).filter(|found| found != module);
        (module.clone(), found.collect())
    };
    all.iter().map(of).collect()
}

/// The room of a module: each command is its own, and the command line belongs to the room of `main`.
fn room(module: &Module) -> String {
    match module[0].as_str() {
        "args" => "main".to_owned(),
        "commands" => module[..module.len().min(2)].join("/"),
        room => room.to_owned(),
    }
}

impl House {
    fn floor(&self, module: &Module) -> Option<usize> {
        self.floors.iter().rev().position(|rooms| rooms.contains(&module[0].as_str()))
    }

    /// The errors in these imports, one sentence for each.
    fn wrong(&self, imports: &Imports) -> Vec<String> {
        let mut found = Vec::new();
        for (module, others) in imports {
            let name = module.join("/");
            let Some(own) = self.floor(module) else {
                found.push(format!("{name} has no floor: give it one in cli/tests/modules.rs"));
                continue;
            };
            for other in others {
                let theirs = self.floor(other).unwrap_or(own);
                // The list of commands, `commands`, names each of them.
                if room(module) != room(other) && theirs >= own && !other.starts_with(module) {
                    let (other, up) = (other.join("/"), if theirs > own { "above it" } else { "of its floor" });
                    found.push(format!("{name} imports {other}, which is a room {up}: move what both need below them"));
                }
            }
        }
        found.extend(circle(imports).filter(|_| self.by_file).map(|circle| {
            let names: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
            format!("these import one another: {}", names.join(" -> "))
        }));
        found
    }
}

/// Finds circles of modules: each module imports the next, and the last module imports the first.
fn circle(imports: &Imports) -> Option<Vec<Module>> {
    let mut left = imports.clone();
    // Modules whose imports are all removed are not part of a circle.
    while let Some(free) = left.iter().find(|(_, others)| others.is_empty()).map(|(module, _)| module.clone()) {
        left.remove(&free);
        for others in left.values_mut() {
            others.remove(&free);
        }
    }
    let mut way = vec![left.keys().next()?.clone()];
    loop {
        let next = left[way.last().unwrap()].first().unwrap().clone();
        if let Some(at) = way.iter().position(|module| *module == next) {
            way.push(next);
            return Some(way.split_off(at));
        }
        way.push(next);
    }
}

/// The first sentence of a file's documentation.
fn purpose(source: &str) -> String {
    let doc = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let text = doc.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].trim_end_matches('.').to_owned()
}

impl House {
    fn picture(&self, all: &BTreeMap<Module, String>) -> String {
        let mut text = format!("{} floors:\n\n| floor | module | what it is |\n|---|---|---|\n", self.floors.len());
        for (number, rooms) in (1..=self.floors.len()).rev().zip(self.floors) {
            for room in *rooms {
                let purpose = purpose(&all[&vec![(*room).to_owned()]]);
                text.push_str(&format!(
                    "| {number} | `{}` | {purpose} |\n",
                    if *room == "main" { self.top() } else { room }
                ));
            }
        }
        text
    }

    /// The name of the file at the top of the package, for readers.
    fn top(&self) -> &'static str {
        if self.by_file { "main" } else { "lib" }
    }

    fn read(&self) -> BTreeMap<Module, String> {
        let mut all = BTreeMap::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(self.sources), &[], &mut all);
        if let Some(lib) = all.remove(&vec!["lib".to_owned()]) {
            all.insert(vec!["main".to_owned()], lib);
        }
        assert!(all.len() > 40, "{}", all.len());
        all
    }
}

const HOUSES: [House; 3] = [COMMAND, LIBRARY, WEB];

#[test]
fn every_import_leads_down_and_none_in_a_circle() {
    let found: Vec<_> = HOUSES.iter().flat_map(|house| house.wrong(&imports(&house.read()))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_module_says_what_it_is() {
    let all = HOUSES.iter().flat_map(House::read);
    let silent: Vec<_> = all.filter(|(_, source)| purpose(source).is_empty()).map(|(m, _)| m).collect();
    assert!(silent.is_empty(), "{silent:?}: begin them with //! and a sentence");
}

#[test]
fn the_page_on_architecture_shows_the_floors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/contribute/architecture.md");
    let mut page = fs::read_to_string(&path).unwrap();
    let drawn = HOUSES.map(|house| (house.marks, house.picture(&house.read())));
    let scripts = (["<!-- scripts: begin -->\n", "<!-- scripts: end -->\n"], lua::picture());
    for ([begin, end], drawn) in drawn.into_iter().chain([scripts]) {
        let (before, rest) = page.split_once(begin).expect("the mark before the picture");
        let (shown, after) = rest.split_once(end).expect("the mark after the picture");
        if std::env::var_os("BLUEQUE_BLESS").is_some() {
            page = format!("{before}{begin}{drawn}{end}{after}");
        } else {
            assert_eq!(shown, drawn, "regenerate it with make bless");
        }
    }
    if std::env::var_os("BLUEQUE_BLESS").is_some() {
        fs::write(&path, page).unwrap();
    }
}

#[test]
fn imports_that_lead_up_aside_or_in_a_circle_are_found() {
    let modules = |files: &[(&str, &str)]| {
        let part = |name: &str| name.split('/').map(str::to_owned).collect::<Vec<_>>();
        files.iter().map(|(name, source)| (part(name), (*source).to_owned())).collect::<BTreeMap<_, _>>()
    };
    let of = |files: &[(&str, &str)]| COMMAND.wrong(&imports(&modules(files)));
    let ground = [("output", ""), ("view", ""), ("view/task", ""), ("commands/ls", "")];
    let with = |name: &'static str, source: &'static str| of(&[&ground[..], &[(name, source)]].concat());
    assert!(with("session", "use crate::output::{Code,\n    say};\n").is_empty());
    assert!(with("commands/top", "fn f() { crate::view::task::show() } // crate::commands::ls\n").is_empty());
    assert!(with("commands/top", "\n#[cfg(test)]\nmod tests {\n    use crate::commands::ls;\n}\n").is_empty());
    assert!(with("view/cost", "use super::task::TaskView;\n").is_empty());
    for (name, source) in [
        ("session", "use crate::{output::Code, view::task::{TaskView, Row}};\n"),
        ("commands/top", "fn f() { super::ls::run() }\n"),
        ("commands/top", "    use crate::commands::ls as list;\n"),
        ("input", "use crate::view::task;\n"),
        ("times", "pub(crate) use crate::view::task;\n"),
        ("novel", ""),
    ] {
        assert_eq!(with(name, source).len(), 1, "{name}: {source}: {:?}", with(name, source));
    }
    let circle = of(&[("view", "mod task;\nfn f() { task::show() }\n"), ("view/task", "use super::Shown;\n")]);
    assert_eq!(circle, ["these import one another: view -> view/task -> view"]);
    // In the library a file and its folder belong together.
    let library = |files: &[(&str, &str)]| LIBRARY.wrong(&imports(&modules(files)));
    assert!(library(&[("calls", "pub use task::Call;\n"), ("calls/task", "use super::Calls;\n")]).is_empty());
    let up = library(&[("queue", ""), ("client", "use crate::queue::Queue;\n")]);
    assert_eq!(up.len(), 1, "{up:?}");
    assert!(library(&[("names", ""), ("words", "macro_rules! w { () => { $crate::names::N } }\n")]).is_empty());
}
