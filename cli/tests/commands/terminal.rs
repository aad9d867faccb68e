//! Text of programs and other clients is shown without control sequences.

use std::fs::{self, File};
use std::io::Write;
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::{Folder, eventually, within};
use crate::{Desk, SOON};

/// A command on a terminal, created by `script` of util-linux.
pub struct Screen {
    child: Child,
    shown: PathBuf,
    columns: u16,
    /// Texts that differ between runs, and their replacements in pictures.
    masks: Vec<(String, String)>,
}

impl Screen {
    /// On 80 columns and 24 lines.
    pub fn start(desk: &Desk, args: &[&str]) -> Self {
        Self::sized(desk, args, (80, 24))
    }

    /// On 160 columns and 24 lines.
    pub fn wide(desk: &Desk, args: &[&str]) -> Self {
        Self::sized(desk, args, (160, 24))
    }

    pub fn sized(desk: &Desk, args: &[&str], size: (u16, u16)) -> Self {
        Self::within(desk, "", args, size)
    }

    /// Starts the command with more variables in its environment.
    pub fn within(desk: &Desk, variables: &str, args: &[&str], (columns, lines): (u16, u16)) -> Self {
        let words: Vec<&str> = [env!("CARGO_BIN_EXE_blueque")].iter().chain(args).copied().collect();
        // Processes that a test leaves end with its terminal, even if the tests were started by nohup.
        let program = format!("env --default-signal=HUP {variables} {}", words.join(" "));
        let line = format!("stty rows {lines} cols {columns}; exec {program}");
        let shown = desk.home.path().join(format!("screen-{}", uuid::Uuid::new_v4()));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).env("HOME", desk.home.path()).env("BLUEQUE_URL", desk.server.url());
        command.env("TERM", "xterm").env("TZ", "UTC").stdin(Stdio::piped()).stdout(File::create(&shown).unwrap());
        if desk.tests {
            command.env("BLUEQUE_FOR_TESTS", "1");
        }
        Self { child: command.spawn().expect("`script`, of util-linux"), shown, columns, masks: Vec::new() }
    }

    /// Replaces this text by `mask` in pictures.
    pub fn mask(&mut self, text: &str, mask: &str) {
        self.masks.push((text.to_owned(), mask.to_owned()));
    }

    /// The picture on a terminal with `lines` lines, and the number of lines that wrap.
    pub fn picture(&self, lines: usize) -> (String, usize) {
        let number = |number: usize| NonZeroU16::new(u16::try_from(number).unwrap()).unwrap();
        let mut terminal = vt100::Parser::new(number(lines), number(self.columns.into()), 0);
        let shown = self.masks.iter().fold(self.shown(), |shown, (text, mask)| shown.replace(text, mask));
        terminal.process(shown.as_bytes());
        let screen = terminal.screen();
        let wrapped = (0..u16::try_from(lines).unwrap()).filter(|&line| screen.row_wrapped(line)).count();
        let rows: Vec<String> = screen.rows(0, self.columns).map(|row| row.trim_end().to_owned()).collect();
        (rows.join("\n").trim_end().to_owned() + "\n", wrapped)
    }

    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.shown).unwrap()).into_owned()
    }

    pub fn shows(&self, text: &str) {
        eventually(&format!("the screen shows {text:?}"), || self.shown().contains(text).then_some(()));
    }

    pub fn type_in(&mut self, keys: &str) {
        self.child.stdin.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end and returns the exit code. Ten thousand lines take a while.
    pub fn ends(&mut self) -> i32 {
        within(Duration::from_secs(180), "it ends", || self.child.try_wait().unwrap()).code().unwrap()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An escape sequence, C1 controls, a line end that is not a newline, direction changes, invisible characters.
const ODD: &str = "odd\u{1b}[31m\u{7}\u{9b}2J\u{9d}0;t\u{85}\u{202e}\u{2066}\u{200e}\u{200b}\u{feff}\u{e0041}\rword";

fn obeyed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || "\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{202e}\u{2066}\u{feff}\u{e0041}".contains(c)
}

/// A desk where every text that other users or programs choose is odd.
fn odd_desk() -> Desk {
    let desk = Desk::new();
    for id in ["failed", "complete", "started", "pending", "cancelled"] {
        desk.ok(&["submit", "q", "--id", id, "--raw", ODD]);
    }
    desk.take("q").fail(ODD).unwrap();
    desk.take("q").complete(ODD).unwrap();
    let runs = desk.take("q");
    desk.say(&runs, "stdout", ODD);
    desk.say(&runs, "stderr", ODD);
    runs.progress(&serde_json::json!({ "done": 1, "total": 2, "message": ODD })).unwrap();
    runs.checkpoint(ODD).unwrap();
    desk.ok(&["cancel", "cancelled", "--reason", ODD]);
    desk.ok(&["schedule", "add", "nightly", "q", "--every", "1h"]);
    desk.ok(&["submit", "paused", "--id", "held"]);
    desk.ok(&["queue", "pause", "paused", "--reason", ODD]);
    // Values that the scripts would refuse may have been written without them.
    let mut connection = desk.server.connection();
    let mut plant = |command: &[&str]| redis::cmd(command[0]).arg(&command[1..]).exec(&mut connection).unwrap();
    for field in ["method", "node", "needs", "unique", "schedule", "tags", "novel", "group", "last_error"] {
        plant(&["HSET", "blueque_task_started", field, ODD]);
        plant(&["HSET", "blueque_task_failed", field, ODD]);
    }
    plant(&["HSET", "blueque_schedule_nightly", "error", ODD]);
    plant(&["ZADD", "blueque_tags_q", "5", ODD]);
    plant(&["ZADD", "blueque_groups_q", "5", ODD]);
    plant(&["HSET", "blueque_limits_q", ODD, "1 -"]);
    plant(&["SADD", "blueque_listeners_q", ODD]);
    plant(&["ZADD", "blueque_queues", "1", ODD]);
    plant(&["ZADD", "blueque_tasks_q", "9999999999", ODD]);
    plant(&["RPUSH", "blueque_pending_tasks_q", ODD]);
    plant(&["HSET", "blueque_graph_g", "state", "created", "created", "1", "total", "1", "name", ODD, "tags", ODD]);
    plant(&["ZADD", "blueque_graphs", "1", "g"]);
    plant(&["RPUSH", "blueque_members_g", "complete"]);
    plant(&["HSET", "blueque_task_complete", "label", ODD, "graph", "g"]);
    plant(&["ZADD", "blueque_workers", "9999999999", "host_1"]);
    let answer = format!("open 1 5 {ODD}");
    plant(&["HSET", "blueque_notices_failed", "last", "1", "1", "ops failed 5 1 - fail - x", "1:", &answer]);
    plant(&["ZADD", "blueque_outbox_ops", "5", "failed"]);
    plant(&["SADD", "blueque_targets", "ops"]);
    let record = ["queues", "q", "slots", "2", "free", "1", "since", "1", "at", "9999999999", "name", ODD];
    plant(&[&["HSET", "blueque_worker_host_1", "version", ODD], &record[..]].concat());
    desk
}

/// Every command that shows text of other users or programs.
const SHOW: [&[&str]; 28] = [
    &["admin", "audit"],
    &["ls"],
    &["ls", "q", "--status", "pending"],
    &["find", "q"],
    &["show", "started"],
    &["show", "failed"],
    &["show", "complete"],
    &["show", "cancelled"],
    &["show", "pending"],
    &["logs", "started"],
    &["wait", "complete", "failed", "cancelled"],
    &["why", "failed"],
    &["why", "cancelled"],
    &["why", "held"],
    &["history", "failed"],
    &["queue", "ls"],
    &["notify", "ls"],
    &["tag", "ls", "q"],
    &["queue", "groups", "q"],
    &["limit", "ls", "q"],
    &["workers", "q"],
    &["schedule", "show", "nightly"],
    &["schedule"],
    &["doctor"],
    &["graph", "show", "g"],
    &["graph", "ls"],
    &["graph", "export", "g", "--format", "dot"],
    &["graph", "export", "g", "--format", "mermaid"],
];

#[test]
fn no_command_shows_what_a_terminal_obeys() {
    let desk = odd_desk();
    for args in SHOW {
        let mut shown = String::new();
        for format in ["table", "json", "jsonl", "id"] {
            let left = desk.run(&[args, &["-o", format]].concat());
            let all = left.out + &left.err;
            assert!(!all.contains(obeyed), "{args:?} -o {format}: {all:?}");
            shown.push_str(&all);
        }
        assert!(shown.contains("odd") && shown.contains("word"), "{args:?}: {shown}");
    }
}

#[test]
fn no_command_that_follows_a_task_shows_what_a_terminal_obeys() {
    let desk = Desk::new();
    let follow: [&[&str]; 4] = [
        &["run", "q"],
        &["submit", "q", "--follow"],
        &["submit", "q", "--wait"],
        &["submit", "q", "--follow", "-o", "jsonl"],
    ];
    for args in follow {
        let child = desk.command(args).spawn().unwrap();
        let task = desk.take("q");
        desk.say(&task, "stdout", ODD);
        desk.say(&task, "stderr", ODD);
        task.complete(ODD).unwrap();
        let left = crate::left(child.wait_with_output().unwrap());
        let all = left.out + &left.err;
        assert_eq!(left.code, 0, "{args:?}: {all}");
        assert!(!all.contains(obeyed) && all.contains("word"), "{args:?}: {all:?}");
    }
}

#[test]
fn every_command_is_known_to_show_what_others_wrote_or_not_to() {
    let not: Vec<&str> =
        "worker dev web submit add run top cancel edit retry requeue describe suspend continue signal hold unhold delete prioritise depend undepend move note track bulk config ping drain events usage profile partition \
         output completions task"
            .split_whitespace()
            .collect();
    let help = Desk::new().ok(&["--help"]);
    let commands = help.lines().filter_map(|line| line.strip_prefix("  ")?.split("  ").next());
    let names: Vec<&str> = commands.flat_map(|names| names.split(", ")).collect();
    assert!(names.len() > 30, "{help}");
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        assert_ne!(not.contains(&name), SHOW.iter().any(|args| args[0] == name), "{name}: is it in one list?");
    }
}

#[test]
fn a_time_of_any_length_is_taken_or_refused_and_never_a_panic() {
    let desk = Desk::new();
    let ages = "500000000000years";
    let later = format!("+{ages}");
    let before = format!("--from=-{ages}");
    let rate = format!("1/{ages}");
    let mut tried: Vec<(&str, &str)> = Vec::new();
    for (args, name, time) in [
        (&["submit", "q"][..], "--eta", later.as_str()),
        (&["submit", "q"], "--deadline", later.as_str()),
        (&["submit", "q"], "--delay", ages),
        (&["submit", "q"], "--lost-delay", ages),
        (&["submit", "q"], "--max-delay", ages),
        (&["submit", "q"], "--lease", ages),
        (&["submit", "q"], "--max-run", ages),
        (&["submit", "q"], "--warn", ages),
        (&["submit", "q"], "--no-progress", ages),
        (&["submit", "q"], "--grace", ages),
        (&["find"], "--from", later.as_str()),
        (&["find"], "--to", later.as_str()),
        (&["limit", "set", "q", "k"], "--rate", rate.as_str()),
        (&["limit", "set", "--shared", "k"], "--expires", ages),
        (&["worker", "-q", "q", "--", "true"], "--lease", ages),
    ] {
        let (command, rest) = args.split_at(if args[0] == "limit" { 2 } else { 1 });
        desk.refused(2, &[command, &[name, time], rest].concat());
        tried.push((args[0], name));
    }
    desk.refused(2, &["find", &before]);
    desk.ok(&["submit", "q", "--id", "t"]);
    let waits = desk.command(&["wait", "t", "--timeout", ages]).spawn().unwrap();
    tried.push(("wait", "--timeout"));
    let state = Folder::new();
    let limits =
        ["--grace", "--max-run", "--warn", "--no-progress", "--drain-after", "--keep-logs-for", "--keep-outputs-for"];
    let mut worker = desk.command(&["worker", "-q", "q"]);
    worker.env("BLUEQUE_STATE_DIR", state.path());
    for limit in limits {
        worker.args([limit, ages]);
        tried.push(("worker", limit));
    }
    let worker = worker.args(["--", "/bin/cat"]).spawn().unwrap();
    desk.client().task("t").unwrap().wait(SOON).unwrap();
    let left = crate::left(waits.wait_with_output().unwrap());
    assert_eq!(left.code, 0, "{}", left.err);
    let pid = nix::unistd::Pid::from_raw(i32::try_from(worker.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    let left = crate::left(worker.wait_with_output().unwrap());
    assert!(left.code == 0 && !left.err.contains("panicked"), "{}", left.err);
    for command in ["submit", "find", "wait", "worker", "limit"] {
        let help = desk.ok(&if command == "limit" { vec![command, "set", "--help"] } else { vec![command, "--help"] });
        let options = help.lines().map(str::trim).filter(|line| line.starts_with('-') && line.contains("TIME>"));
        for option in options.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--"))) {
            assert!(tried.contains(&(command, option)), "{command} {option} takes a time");
        }
    }
}
