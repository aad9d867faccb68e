//! The examples of the README and of the pages in `docs/` run. Each block of shell under `<!-- runs -->` runs in order,
//! in a folder for the page, with a private server. If a block of text follows, the output must match it, where `…`
//! matches anything and the width of gaps is ignored.
//!
//! `BLUEQUE_PAGE=retries cargo test -p blueque-cli --test pages` runs one page.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "../../tests/support/mod.rs"]
mod support;

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{Folder, Server, eventually};

const MARK: &str = "<!-- runs -->";

/// A block of shell, and its expected output.
struct Block {
    line: usize,
    script: String,
    output: Option<String>,
}

/// The blocks of a page that run.
fn blocks(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let fenced = |from: usize| {
        let length = lines[from..].iter().position(|&line| line == "```").expect("the end of a block");
        (lines[from..from + length].join("\n"), from + length + 1)
    };
    let mut found = Vec::new();
    for mark in (0..lines.len()).filter(|&at| lines[at] == MARK) {
        assert_eq!(lines.get(mark + 1), Some(&"```sh"), "line {}: a block of shell follows the mark", mark + 1);
        let (script, after) = fenced(mark + 2);
        let next = (after..lines.len()).find(|&at| !lines[at].is_empty());
        let output = next.filter(|&at| lines[at] == "```text").map(|at| fenced(at + 1).0);
        found.push(Block { line: mark + 2, script, output });
    }
    found
}

/// Returns true if a text matches the output on a page.
fn agrees(shown: &str, text: &str) -> bool {
    let squeezed = |text: &str| {
        let lines = text.trim_end().lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let (shown, text) = (squeezed(shown), squeezed(text));
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, middle @ .., last] = parts.as_slice() else { return shown == text };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The place where a page runs. All processes that it started are killed at its end.
struct Place {
    server: Server,
    folder: Folder,
    groups: Vec<i32>,
}

impl Place {
    fn new() -> Self {
        Self { server: Server::start(), folder: Folder::new(), groups: Vec::new() }
    }

    /// The output of a block, stdout and stderr together. Background processes may go on.
    fn run(&mut self, block: &Block) -> Result<String, String> {
        let path = self.folder.path().join(".output");
        let output = File::create(&path).unwrap();
        let binaries = Path::new(env!("CARGO_BIN_EXE_blueque")).parent().unwrap();
        let mut child = Command::new("sh")
            .args(["-euc", &block.script])
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap()))
            .env("BLUEQUE_URL", self.server.url())
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .process_group(0)
            .spawn()
            .unwrap();
        self.groups.push(child.id().cast_signed());
        let status = eventually(&format!("the block in line {} ends", block.line), || child.try_wait().unwrap());
        let text = String::from_utf8(fs::read(&path).unwrap()).unwrap();
        if status.success() { Ok(text) } else { Err(format!("{status}\n{text}")) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let kill = |pid: i32| {
            let _ = Command::new("kill").args(["-KILL", "--", &pid.to_string()]).stderr(Stdio::null()).status();
        };
        self.groups.iter().for_each(|&group| kill(-group));
        // Supervisors and their programs have their own sessions.
        let folder = self.folder.path().to_str().unwrap().to_owned();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            if String::from_utf8_lossy(&environment).split('\0').any(|variable| variable == format!("HOME={folder}")) {
                kill(pid);
            }
        }
    }
}

/// Returns true for a line with the reason why a task does not run yet. It is printed only if an awaited task waits for a
/// while, or if no worker serves the queue of a new task.
fn is_reason(line: &str) -> bool {
    line.starts_with("-- ") && line.contains(": It ") && line.ends_with(" --\n")
        || line.starts_with("warning: no worker serves the queue ")
}

/// The pages of a folder and of its subfolders.
fn pages_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(pages_in(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

fn page(path: &Path) -> Result<(), String> {
    let root = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap();
    let name = path.strip_prefix(&root).unwrap().display();
    let mut place = Place::new();
    if path.parent() == Some(&root) {
        symlink(root.join("examples"), place.folder.path().join("examples")).unwrap();
    }
    for block in blocks(&fs::read_to_string(path).unwrap()) {
        let wrong = |what: String| format!("{name}, line {}: {what}", block.line);
        let text = place.run(&block).map_err(wrong)?;
        let text: String = text.split_inclusive('\n').filter(|line| !is_reason(line)).collect();
        if let Some(shown) = &block.output
            && !agrees(shown, &text)
        {
            return Err(wrong(format!("the page shows\n{shown}\nand this was written:\n{text}")));
        }
    }
    Ok(())
}

#[test]
fn every_example_of_the_pages_runs_and_writes_what_the_page_shows() {
    let root = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap();
    let only = std::env::var("BLUEQUE_PAGE").ok();
    // Both README files have this stem, but the README of docs/ has no examples.
    let mut pages = pages_in(&root.join("docs"));
    pages.push(root.join("README.md"));
    pages.retain(|path| only.as_ref().is_none_or(|only| path.file_stem().unwrap() == only.as_str()));
    pages.retain(|path| fs::read_to_string(path).unwrap().lines().any(|line| line == MARK));
    pages.sort();
    assert!(!pages.is_empty(), "no page has examples");
    let failed: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = pages.iter().map(|path| scope.spawn(move || page(path))).collect();
        let ends = runs.into_iter().zip(&pages).map(|(run, path)| match run.join() {
            Ok(end) => end,
            Err(_) => Err(format!("{} panicked", path.display())),
        });
        ends.filter_map(Result::err).collect()
    });
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn what_a_page_shows_stands_for_what_is_written() {
    assert!(agrees("id  state\n1   …", "id state\n1 pending, since 12s\n"));
    assert!(agrees("a … c … e", "a b c d e"));
    assert!(!agrees("a … c", "a b"));
    assert!(!agrees("a", "a\nb"));
}

/// Appends every text of a folder of sources.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

/// The numbers of the notes in a text: 1 and 12 of `[^1][^12]`.
fn numbers(text: &str) -> Vec<&str> {
    text.split("[^").skip(1).map(|after| after.split(']').next().unwrap()).collect()
}

/// Checks that each sentence and each row of a page has the number of a note at its end, that each note has one sentence
/// or row, and that the tests in the notes exist. Returns the page without its notes.
fn is_held(page: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = String::new();
    for folder in ["src", "tests", "cli/src", "cli/tests", "web/src", "web/tests"] {
        sources(&root.join(folder), &mut all);
    }
    let page = fs::read_to_string(root.join("docs/run").join(page)).unwrap();
    let (body, notes) = page.split_once("\n## Tests\n").unwrap();
    let mut defined = Vec::new();
    for note in notes.split("\n[^").skip(1) {
        let (number, tests) = note.split_once("]: ").unwrap();
        let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "the note {number} names no test");
        for test in tests {
            assert!(all.contains(&format!("#[test]\nfn {test}()")), "there is no test {test}");
        }
        defined.push(number);
    }
    assert_eq!(numbers(body), defined, "each note belongs to one sentence, in the same order");
    let (_, sections) = body.split_once("\n## ").unwrap();
    let sentences: Vec<&str> = sections.split("\n- ").skip(1).collect();
    assert!(sentences.len() > 20, "{}", sentences.len());
    for sentence in sentences {
        let sentence = sentence.split("\n\n").next().unwrap().trim_end();
        assert!(numbers(sentence).len() == 1 && sentence.ends_with(']'), "no note at the end of: {sentence}");
    }
    body.to_owned()
}

#[test]
fn each_sentence_of_the_page_on_security_names_the_tests_that_hold_it() {
    is_held("security.md");
}

#[test]
fn each_line_of_what_each_can_do_at_most_names_its_tests() {
    let page = is_held("security.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    for who in ["client", "worker", "host user", "other namespace", "other partition", "server"] {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| {who}"))), "no line on {who}");
    }
    for row in rows {
        assert_eq!(numbers(row).len(), 1, "no note in: {row}");
    }
}

#[test]
fn each_sentence_of_the_page_on_faults_names_the_tests_that_hold_it() {
    is_held("faults.md");
}

#[test]
fn the_changelog_keeps_its_form() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../CHANGELOG.md")).unwrap();
    for release in text.split("\n## ").skip(1) {
        let (heading, body) = release.split_once('\n').unwrap();
        let (version, date) = heading.split_once(" - ").unwrap_or_else(|| panic!("{heading}: no date"));
        assert!(version.starts_with('[') && version.ends_with(']'), "{heading}");
        let is_day = date.len() == 10 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        assert!(is_day || date == "Unreleased", "{heading}: write a date such as 2027-01-31, or Unreleased");
        if version == "[0.1.0]" {
            assert!(body.lines().count() <= 70, "0.1.0 is described in at most 70 lines");
            continue;
        }
        for section in body.split("\n### ").skip(1) {
            let kind = section.lines().next().unwrap();
            assert!(["Added", "Changed", "Fixed", "Removed"].contains(&kind), "{heading}: {kind}");
        }
    }
}

#[test]
fn every_setting_that_a_page_names_exists() {
    let contract: serde_json::Value = serde_json::from_str(blueque::bundle::contract()).unwrap();
    let settings = contract["settings"].as_object().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let docs = pages_in(&root.join("docs")).into_iter();
    let clients = ["python", "typescript"].map(|client| root.join("clients").join(client).join("README.md"));
    let mut named = 0;
    for path in docs.chain(clients) {
        let page = fs::read_to_string(&path).unwrap();
        for after in page.split("setting `").skip(1).chain(page.split("settings `").skip(1)) {
            // A single name, or the two names of "`a` and `b`".
            let mut parts = after.split('`');
            let first = parts.next();
            let second = (parts.next() == Some(" and ")).then(|| parts.next()).flatten();
            let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            for name in first.into_iter().chain(second).filter(is_name) {
                named += 1;
                assert!(settings.contains_key(name), "{}: there is no setting {name}", path.display());
            }
        }
    }
    assert!(named > 10, "{named}");
}
