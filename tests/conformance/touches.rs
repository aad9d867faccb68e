//! The keys that each command touches in the cases: `contract/touches.toml`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::touched::{Touched, name};

/// The keys that every command may use.
const COMMON: [&str; 2] = ["meta", "unmovedN"];

/// Compares what was touched with `contract/touches.toml`, or writes it.
pub fn agree(touched: &Touched) {
    let file = contract("touches");
    let text = fs::read_to_string(&file).unwrap();
    let (head, _) = text.split_once("[commands]\n").unwrap();
    let found = head.to_owned() + "[commands]\n" + &entries(touched, head);
    if std::env::var_os("BLUEQUE_BLESS").is_some() {
        fs::write(file, &found).unwrap();
    }
    let text = fs::read_to_string(contract("touches")).unwrap();
    assert_eq!(text, found, "contract/touches.toml: run make bless and look at the change");
}

fn contract(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("contract/{name}.toml"))
}

/// The entry of each command. An entry names a group of the file if the command touches more than half of the group's
/// keys, as the keys that a call touches depend on the task. The groups of states stand for all of their keys.
fn entries(touched: &Touched, head: &str) -> String {
    let groups: toml::Table = toml::from_str(head).unwrap();
    let lists = groups["groups"].as_table().unwrap().iter();
    let groups: Vec<(String, Vec<&str>)> =
        lists.map(|(name, keys)| (format!("{name}.*"), keys.as_str().unwrap().split_whitespace().collect())).collect();
    let states = described("states");
    let of_states = ["waits", "owned", "final"].map(|kind| {
        let states = states.values().filter(|state| state.get(kind).is_some());
        let keys = states.flat_map(|state| ["index", "ranked"].map(|entry| state.get(entry)));
        (format!("{kind}.*"), keys.flatten().map(|key| bare(key.as_str().unwrap())).collect::<Vec<_>>())
    });
    let keys = described("keys");
    let mut keys: Vec<&str> = keys.keys().map(|key| bare(key)).collect();
    for key in of_states.iter().flat_map(|(_, keys)| keys) {
        if !keys.contains(key) {
            keys.push(key); // a plain list, which keys.toml need not describe
        }
    }
    let mut text = String::new();
    for (command, touched) in touched {
        let met: BTreeSet<&str> = touched.iter().map(|key| name(key, &keys)).collect();
        let all = of_states.iter().filter(|(_, keys)| keys.iter().all(|key| met.contains(key)));
        let all: Vec<_> = all.collect();
        let most =
            groups.iter().filter(|(_, keys)| keys.iter().filter(|key| met.contains(*key)).count() * 2 > keys.len());
        let most: Vec<_> = most.collect();
        let mut words = Vec::new();
        for key in keys.iter().copied().filter(|key| !COMMON.contains(key) && met.contains(key)) {
            if let Some((group, _)) = all.iter().find(|(_, keys)| keys.contains(&key)) {
                words.push(group.as_str());
            } else if !most.iter().any(|(_, keys)| keys.contains(&key)) {
                words.push(key);
            }
        }
        words.extend(most.iter().map(|(group, _)| group.as_str()));
        let mut seen = BTreeSet::new();
        words.retain(|word| seen.insert(*word));
        writeln!(text, "{command} = {}", quoted(command, &words)).unwrap();
    }
    text
}

fn described(name: &str) -> toml::Table {
    toml::from_str(&fs::read_to_string(contract(name)).unwrap()).unwrap()
}

fn bare(key: &str) -> &str {
    key.strip_prefix("ns_").unwrap()
}

/// A string on one line, or wrapped at 120 characters.
fn quoted(command: &str, words: &[&str]) -> String {
    let line = words.join(" ");
    if command.len() + line.len() + 5 <= 120 {
        return format!("\"{line}\"");
    }
    let (mut text, mut width) = (String::from("\"\"\""), 120);
    for word in words {
        if width + 1 + word.len() > 117 {
            text += "\n ";
            width = 1;
        }
        text = text + " " + word;
        width += 1 + word.len();
    }
    text + "\"\"\""
}
