//! The scripts of former releases and the data that they wrote: the archives of `tests/fixtures/README.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use redis::{Connection, Value};
use serde_json::Value as Json;

use crate::support::Folder;

/// The scripts of one release, loaded into a server.
pub struct Scripts {
    shas: BTreeMap<String, String>,
}

/// A reply as texts: nil is an error, a number its digits.
pub type Answer = Result<Vec<String>, String>;

impl Scripts {
    /// The scripts of this build.
    pub fn current(connection: &mut Connection) -> Self {
        Self::load(connection, blueque::bundle::commands().map(|one| (one.name().to_owned(), one.source().to_owned())))
    }

    fn load(connection: &mut Connection, sources: impl Iterator<Item = (String, String)>) -> Self {
        let mut load = |source: String| redis::cmd("SCRIPT").arg("LOAD").arg(source).query(connection).unwrap();
        Self { shas: sources.map(|(name, source)| (name, load(source))).collect() }
    }

    /// Calls a command at the server's time: its name, then its arguments.
    pub fn try_call(&self, connection: &mut Connection, words: &[&str]) -> Answer {
        let sha = self.shas.get(words[0]).unwrap_or_else(|| panic!("no command {}", words[0]));
        let mut eval = redis::cmd("EVALSHA");
        eval.arg(sha).arg(1).arg("blueque_meta").arg("").arg(&words[1..]);
        match eval.query::<Value>(connection) {
            Ok(Value::Array(items)) => Ok(items.iter().map(text).collect()),
            Ok(Value::Nil) => Ok(Vec::new()),
            Ok(other) => Ok(vec![text(&other)]),
            Err(error) => Err(format!("{} {}", error.code().unwrap_or("ERR"), error.detail().unwrap_or_default())),
        }
    }

    /// Calls a command with arguments without spaces: `''` is an empty argument, `~` stands for a space.
    pub fn try_words(&self, connection: &mut Connection, words: &str) -> Answer {
        let word = |word: &str| if word == "''" { String::new() } else { word.replace('~', " ") };
        let words: Vec<_> = words.split(' ').map(word).collect();
        self.try_call(connection, &words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub fn words(&self, connection: &mut Connection, words: &str) -> Vec<String> {
        self.try_words(connection, words).unwrap_or_else(|error| panic!("{words}: {error}"))
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => redis::from_redis_value_ref::<Option<String>>(other).unwrap().unwrap_or_default(),
    }
}

/// Paths, and the texts of files; a folder has no text.
pub type Files = Vec<(String, Option<String>)>;

/// A release, with its archive unpacked.
pub struct Fixture {
    pub version: String,
    folder: Folder,
    data: Json,
}

/// All releases that have an archive.
pub fn releases() -> Vec<Fixture> {
    let top = [
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures"),
    ];
    let top = top.into_iter().find(|top| fs::exists(top).unwrap()).expect("tests/fixtures");
    let mut files: Vec<_> = fs::read_dir(top).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "xz"));
    files.sort();
    assert!(!files.is_empty());
    let read = |file: PathBuf| {
        let folder = Folder::new();
        let unpack =
            Command::new("python3").args(["-m", "tarfile", "-e"]).arg(&file).arg(folder.path()).output().unwrap();
        assert!(unpack.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&unpack.stderr));
        Fixture {
            version: file.file_name().unwrap().to_str().unwrap().trim_end_matches(".tar.xz").to_owned(),
            data: serde_json::from_slice(&fs::read(folder.path().join("data.json")).unwrap()).unwrap(),
            folder,
        }
    };
    files.into_iter().map(read).collect()
}

impl Fixture {
    pub fn scripts(&self, connection: &mut Connection) -> Scripts {
        let files = fs::read_dir(self.folder.path().join("scripts")).unwrap().map(|entry| entry.unwrap().path());
        let read =
            |file: PathBuf| (file.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(file).unwrap());
        Scripts::load(connection, files.map(read))
    }

    /// The contract of the release.
    pub fn manifest(&self) -> Json {
        serde_json::from_slice(&fs::read(self.folder.path().join("manifest.json")).unwrap()).unwrap()
    }

    /// The state folder that the release's worker left, by the id of the task: the paths of files and folders, and
    /// the contents of the files.
    pub fn state(&self) -> Vec<(String, Files)> {
        let text = fs::read(self.folder.path().join("state.json")).unwrap();
        let stages: BTreeMap<String, BTreeMap<String, Option<String>>> = serde_json::from_slice(&text).unwrap();
        stages.into_iter().map(|(id, files)| (id, files.into_iter().collect())).collect()
    }

    /// Loads the data into an empty server, as they were left.
    pub fn load(&self, connection: &mut Connection) {
        redis::cmd("FLUSHDB").exec(connection).unwrap();
        for (key, row) in self.data["keys"].as_object().unwrap() {
            for command in commands(key, row) {
                let mut cmd = redis::cmd(std::str::from_utf8(&command[0]).unwrap());
                cmd.arg(&command[1..]).exec(connection).unwrap_or_else(|error| panic!("{key}: {error}"));
            }
        }
    }

    /// The records of the release's tasks, by id.
    pub fn records(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        let keys = self.data["keys"].as_object().unwrap().iter();
        let tasks = keys.filter_map(|(key, row)| Some((key.strip_prefix("blueque_task_")?, row)));
        let lossy = |value: &Json| String::from_utf8_lossy(&bytes(value)).into_owned();
        let fields = |row: &Json| {
            row["value"].as_array().unwrap().iter().map(|pair| (lossy(&pair[0]), lossy(&pair[1]))).collect()
        };
        tasks.map(|(id, row)| (id.to_owned(), fields(row))).collect()
    }

    /// The names of the release's keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.data["keys"].as_object().unwrap().keys().map(String::as_str)
    }
}

fn bytes(value: &Json) -> Vec<u8> {
    match value {
        Json::String(text) => text.clone().into_bytes(),
        Json::Number(number) => number.to_string().into_bytes(),
        other => {
            let hex = other["hex"].as_str().unwrap();
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
        }
    }
}

/// The commands that create a key.
fn commands(key: &str, row: &Json) -> Vec<Vec<Vec<u8>>> {
    let items = row["value"].as_array().unwrap();
    let begin = |name: &str| vec![name.as_bytes().to_vec(), key.as_bytes().to_vec()];
    let mut made = Vec::new();
    match row["type"].as_str().unwrap() {
        kind @ ("list" | "set") => {
            let mut command = begin(if kind == "list" { "RPUSH" } else { "SADD" });
            command.extend(items.iter().map(bytes));
            made.push(command);
        }
        kind @ ("hash" | "zset") => {
            let mut command = begin(if kind == "hash" { "HSET" } else { "ZADD" });
            for pair in items {
                let (name, value) = (bytes(&pair[0]), bytes(&pair[1]));
                command.extend(if kind == "hash" { [name, value] } else { [value, name] });
            }
            made.push(command);
        }
        "stream" => {
            for entry in items {
                let mut command = begin("XADD");
                command.push(bytes(&entry[0]));
                command.extend(entry[1].as_array().unwrap().iter().map(bytes));
                made.push(command);
            }
            let mut command = begin("XSETID");
            command.push(bytes(&row["last"]));
            command.extend([b"ENTRIESADDED".to_vec(), bytes(&row["added"])]);
            command.extend([b"MAXDELETEDID".to_vec(), bytes(&row["deleted"])]);
            made.push(command);
        }
        other => panic!("{key} is a {other}"),
    }
    if !row["pttl"].is_null() {
        let mut command = begin("PEXPIRE");
        command.push(bytes(&row["pttl"]));
        made.push(command);
    }
    made
}
