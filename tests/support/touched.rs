//! The keys that each command touches while a test runs, as the server's MONITOR reports them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;
use std::time::Duration;

use blueque::bundle;
use redis::Connection;
use serde_json::{Value, json};

use crate::support::Server;

/// Each command with its keys.
pub type Touched = BTreeMap<&'static str, BTreeSet<String>>;

/// Keys of a call, not of what it does.
const OF_CALLS: [&str; 2] = ["requests", "audit"];

const END: &str = "the last case has run";

/// The time, the client, the command, and the first key of a script: these bytes of a line have them all.
const HEAD: usize = 200;

pub struct Watch(JoinHandle<Touched>);

impl Watch {
    /// Starts the recording of the keys in these namespaces.
    pub fn start(server: &Server, namespaces: &'static [&'static str]) -> Self {
        let mut stream = UnixStream::connect(server.socket()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream.write_all(b"MONITOR\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert_eq!(lines.next().unwrap(), "+OK");
        Self(std::thread::spawn(move || touched(lines, namespaces)))
    }

    /// Ends the recording, and returns what was touched. `connection`: to the same server.
    pub fn end(self, connection: &mut Connection) -> Touched {
        redis::cmd("ECHO").arg(END).exec(connection).unwrap();
        self.0.join().unwrap()
    }
}

fn touched(lines: impl Iterator<Item = String>, namespaces: &[&str]) -> Touched {
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
                [Some("EVALSHA"), Some(sha1), _, Some(first)]
                    if first.strip_suffix("_meta").is_some_and(|namespace| namespaces.contains(&namespace)) =>
                {
                    commands.get(sha1)
                }
                _ => None,
            };
        } else if let (Some(command), false) = (command, head.contains(" lua] \"PUBLISH\" ")) {
            all.entry(command).or_default().extend(keys(&line, namespaces));
        }
    }
    // The first command of a row does the work of the listed commands, so it touches their keys, except `OF_CALLS`.
    // Whoever ends an attempt without success touches the keys of `fail`, and whoever cancels a task those of `cancel`.
    let manifest: Value = serde_json::from_str(bundle::contract()).unwrap();
    let maintenance = &manifest["commands"]["maintenance"]["reply"]["list"][0]["words"];
    let words = |name: &str| &manifest["types"][name]["words"];
    let (end, cancel, reserve) = (json!(["fail"]), json!(["cancel"]), json!(["reserve"]));
    for (whole, parts) in [
        ("adopt", &end),
        ("cancel", &end),
        ("release", &end),
        ("requeue", &end),
        ("requeue_orphans", &end),
        ("reserve", &cancel),
        ("run_deferred", &cancel),
        ("run_schedule", &cancel),
        ("tick", &cancel),
        ("maintenance", maintenance),
        ("bulk", words("action")),
        ("finish_and_reserve", words("ending")),
        ("finish_and_reserve", &reserve),
    ] {
        let parts = parts.as_array().unwrap().iter().filter_map(|part| all.get(part.as_str()?));
        let parts: Vec<_> = parts.flatten().filter(|key| !OF_CALLS.contains(&key.as_str())).cloned().collect();
        all.entry(whole).or_default().extend(parts);
    }
    all
}

/// The keys in a line of MONITOR without their namespace. MONITOR escapes the quotes of values.
fn keys(line: &str, namespaces: &[&str]) -> BTreeSet<String> {
    let before = namespaces.iter().map(|namespace| format!(" \"{namespace}_"));
    let after = before.flat_map(|before| line.split(&before).skip(1).map(str::to_owned).collect::<Vec<_>>());
    after.filter_map(|rest| Some(rest.trim_end_matches('"').split("\" ").next()?.to_owned())).collect()
}

/// The name of a key in `keys.toml`: the first name that the key matches. A command may look up an invalid name
/// before it refuses it; then it is the longest name that matches if placeholders may be anything.
pub fn name<'a>(key: &str, names: &[&'a str]) -> &'a str {
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
    assert_eq!(keys(line, &["ns"]), [r#"a\"b"#, "c", "e"].map(str::to_owned).into());
}
