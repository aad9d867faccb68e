//! The keys that each command touches in the cases, as the server's MONITOR reports them: `contract/touches.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use blueque::bundle;
use redis::Connection;
use serde_json::Value;

use crate::support::Server;

/// Each command with its keys.
type Touched = BTreeMap<&'static str, BTreeSet<String>>;

const END: &str = "the last case has run";

/// The time, the client, the command, and the first key of a script: these bytes of a line have them all.
const HEAD: usize = 200;

const BEFORE_KEY: &[u8] = b" \"ns_";

pub struct Watch(JoinHandle<Touched>);

impl Watch {
    pub fn start(server: &Server) -> Self {
        let mut stream = UnixStream::connect(server.socket()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream.write_all(b"MONITOR\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert_eq!(lines.next().unwrap(), "+OK");
        Self(std::thread::spawn(move || touched(lines)))
    }

    /// Ends the recording, and returns what was touched. `connection`: to the same server.
    pub fn end(self, connection: &mut Connection) -> Touched {
        redis::cmd("ECHO").arg(END).exec(connection).unwrap();
        self.0.join().unwrap()
    }
}

fn touched(lines: impl Iterator<Item = String>) -> Touched {
    let commands: BTreeMap<&str, &'static str> =
        bundle::commands().map(|command| (command.sha1(), command.name())).collect();
    let mut all: Touched = commands.values().map(|name| (*name, BTreeSet::new())).collect();
    let mut command = None;
    for line in lines {
        // All in ASCII: MONITOR escapes the rest.
        let head = line.get(..HEAD).unwrap_or(&line);
        if !head.contains(" lua] \"") {
            if head.contains(END) {
                break;
            }
            let mut words = head.split('"').skip(1).step_by(2);
            command = match [(); 4].map(|()| words.next()) {
                [Some("EVALSHA"), Some(sha1), _, Some("ns_meta")] => commands.get(sha1),
                _ => None,
            };
        } else if let (Some(command), false) = (command, head.contains(" lua] \"PUBLISH\" ")) {
            all.entry(command).or_default().extend(keys(&line).map(str::to_owned));
        }
    }
    // `maintenance` does these commands in turn: it touches what they touch.
    let manifest: Value = serde_json::from_str(bundle::contract()).unwrap();
    let parts = manifest["commands"]["maintenance"]["reply"]["list"][0]["words"].as_array().unwrap();
    let parts: Vec<_> = parts.iter().filter_map(|part| all.get(part.as_str()?)).flatten().cloned().collect();
    all.entry("maintenance").or_default().extend(parts);
    all
}

/// The keys in a line of MONITOR, which escapes the quotes of values.
fn keys(line: &str) -> impl Iterator<Item = &str> {
    let begins = memchr::memmem::find_iter(line.as_bytes(), BEFORE_KEY).map(|at| at + BEFORE_KEY.len());
    begins.filter_map(|at| line.get(at..)?.trim_end_matches('"').split("\" ").next())
}

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
        for key in keys.iter().copied().filter(|key| *key != "meta" && met.contains(key)) {
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

/// The name of a key in `keys.toml`: the first name that the key matches. A command may look up an invalid name
/// before it refuses it; then it is the longest name that matches if placeholders may be anything.
fn name<'a>(key: &str, names: &[&'a str]) -> &'a str {
    let strict = names.iter().find(|name| matches(name, key, true));
    let loose = names.iter().filter(|name| matches(name, key, false)).max_by_key(|name| name.len());
    strict.or(loose).unwrap_or_else(|| panic!("contract/keys.toml does not list ns_{key}"))
}

/// Returns true if a key has the form of a name, in which words in capitals stand for a value.
fn matches(name: &str, key: &str, strict: bool) -> bool {
    let Some(at) = name.find(|c: char| c.is_ascii_uppercase()) else { return name == key };
    let (literal, rest) = name.split_at(at);
    let (word, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(rest.len()));
    let Some(key) = key.strip_prefix(literal) else { return false };
    let ends = (0..=key.len()).filter(|end| key.is_char_boundary(*end)).map(|end| key.split_at(end));
    ends.into_iter().any(|(value, after)| (!strict || fits(word, value)) && matches(rest, after, strict))
}

/// Returns true if a placeholder can stand for a value.
fn fits(word: &str, value: &str) -> bool {
    let digits = value.chars().all(|c| c.is_ascii_digit());
    let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "_.:@-".contains(c));
    match word {
        "N" => digits,
        "YYYYMMDD" => digits && value.len() == 8,
        "GROUP" => plain,
        "LISTENER" => value.split_once('_').is_some_and(|(host, pid)| {
            plain && !host.is_empty() && !pid.is_empty() && pid.chars().all(|c| c.is_ascii_digit())
        }),
        _ => plain && !value.is_empty(),
    }
}

#[test]
fn a_key_is_that_whose_placeholders_it_fits() {
    let names =
        ["task_ID", "reserved_tasks_QUEUE_LISTENER", "tasks_QUEUE", "key_tasks_QUEUE/KEY", "key_tasks_QUEUE/KEY/N"];
    for (key, expected) in [
        ("task_a_1", "task_ID"),
        ("reserved_tasks_my_q_h_1", "reserved_tasks_QUEUE_LISTENER"),
        ("tasks_q", "tasks_QUEUE"),
        ("key_tasks_q/k", "key_tasks_QUEUE/KEY"),
        ("key_tasks_q/k/1", "key_tasks_QUEUE/KEY/N"),
        ("task_a b", "task_ID"),
        ("reserved_tasks_q_*", "reserved_tasks_QUEUE_LISTENER"),
    ] {
        assert_eq!(name(key, &names), expected, "{key}");
    }
    let line = r#"+1.5 [0 lua] "HMGET" "ns_a\"b" "ns_c" "a \"ns_d" "ns_e""#;
    assert_eq!(keys(line).collect::<Vec<_>>(), [r#"a\"b"#, "c", "e"]);
}
