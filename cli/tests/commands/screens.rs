//! Tables and screens as a real terminal shows them, at two sizes and with long, empty and odd texts.
//!
//! `make bless` regenerates `cli/tests/golden`. The times of tasks lie days and hours in the past, so that the output
//! does not change while a test runs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs};

use blueque::calls::{
    AppendLogOptions, CompleteOptions, FailOptions, GraphPart, LimitOptions, NewTask, ReportOptions, ReserveOptions,
    SubmitGraphOptions, TaskOptions,
};
use blueque::{Client, GraphId, ListenerId, QueueName, TaskId, Token};

use crate::support::eventually;
use crate::terminal::Screen;
use crate::{Desk, SOON};

const SIZES: [(u16, u16); 2] = [(80, 24), (140, 40)];

/// Times are half an hour past a full hour: output in days and hours does not change for half an hour.
const HOUR: f64 = 3600.0;
const LONG_AGO: f64 = (3.0 * 24.0 + 5.5) * HOUR;

const WIDE: &str = "encoding ‘scene’ 日本語の長いメッセージ 👩‍💻 and then on and on for as long as the message goes";

fn long_name(begin: &str) -> String {
    format!("{begin}{}", "x".repeat(128 - begin.len()))
}

const LONG_SCHEDULE: &str =
    "sxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

fn uuid(number: u32) -> String {
    format!("{:08x}-cd56-4890-abcd-0123456789ab", number.wrapping_mul(2_654_435_761))
}

/// A cost as reported by a supervisor.
const COST: &[u8] = br#"{"attempt":1,"exit":1,"oom":false,"max_rss_kib":48234496,"cpu_ms":86400000,"wall_ms":25198000,
    "read_bytes":1099511627776,"written_bytes":734003200,"counted":"calls","host":"host"}"#;

/// Histories of tasks at times that the test chooses.
struct Past {
    desk: Desk,
    client: Client,
    begin: f64,
}

impl Past {
    fn new() -> Self {
        let desk = Desk::for_tests();
        let client = desk.client();
        let begin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64().floor() - LONG_AGO;
        Self { desk, client, begin }
    }

    fn at(&self, seconds: f64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs_f64(self.begin + seconds)
    }

    fn submit(&self, queue: &str, id: &str, options: TaskOptions) {
        self.submit_for(queue, id, options, None);
    }

    #[allow(clippy::needless_pass_by_value, reason = "what is asked for is written where it is called")]
    fn submit_for(&self, queue: &str, id: &str, options: TaskOptions, eta: Option<f64>) {
        let (queue, id) = (QueueName::new(queue).unwrap(), TaskId::new(id).unwrap());
        let eta = eta.map(|eta| UNIX_EPOCH + Duration::from_secs_f64(self.begin + LONG_AGO + eta));
        let task = NewTask::new(&id, b"[]").eta(eta);
        self.client.call(&self.client.calls().submit(&queue, &[task], &options).at(self.at(0.0))).unwrap();
    }

    /// Takes and starts the next task.
    fn take(&self, queue: &str, host: &str) -> (TaskId, Token) {
        let (queue, listener) = (QueueName::new(queue).unwrap(), ListenerId::of_process(host, 1));
        let calls = self.client.calls();
        self.client
            .call(&calls.register(&queue, &listener, &blueque::calls::RegisterOptions::new()).at(self.at(0.0)))
            .unwrap();
        let options = ReserveOptions::new().lease(Duration::from_secs(6 * 86_400));
        let call = calls.reserve(&listener, std::slice::from_ref(&queue), &options).at(self.at(1.0));
        let taken = self.client.call(&call).unwrap().pop().expect("a task");
        self.client
            .call(&calls.start(&taken.id, taken.token, 7, &blueque::calls::StartOptions::new()).at(self.at(2.0)))
            .unwrap();
        (taken.id, taken.token)
    }

    fn progress(&self, (id, token): &(TaskId, Token), progress: &serde_json::Value) {
        let bytes = serde_json::to_vec(progress).unwrap();
        self.client.call(&self.client.calls().progress(id, *token, &bytes).at(self.at(3.0))).unwrap();
    }

    fn say(&self, (id, token): &(TaskId, Token), source: &str, text: &str) {
        let call = self.client.calls().append_log(id, *token, source, text.as_bytes(), &AppendLogOptions::new());
        self.client.call(&call.at(self.at(4.0))).unwrap();
    }

    fn fail(&self, (id, token): &(TaskId, Token), error: &str, group: &str) {
        let options = FailOptions::new().group(group).permanent(true).cost(COST);
        let call = self.client.calls().fail(id, *token, error.as_bytes(), &options).at(self.at(7.0 * HOUR));
        self.client.call(&call).unwrap();
    }
}

/// Every state, long and short names, and odd cases.
fn full() -> Past {
    let past = Past::new();
    let plain = TaskOptions::default;
    let long = long_name("a-queue-with-a-long-name-");
    for number in 0..2 {
        past.submit("movies", &uuid(number), TaskOptions::default().method("encode").tag("4k").tag("night"));
    }
    let task = past.take("movies", "render-host-07.example.com");
    past.progress(&task, &serde_json::json!({ "done": 1, "total": 2, "unit": "GB", "message": WIDE }));
    for (source, text) in [("stdout", "line 1\n\n"), ("stderr", "warning: \u{1b}[31mred\n"), ("stdout", WIDE)] {
        past.say(&task, source, &format!("{text}{}\n", "-".repeat(if text == WIDE { 100 } else { 0 })));
    }
    past.take("movies", "host");
    past.submit(&long, &long_name("an-id-of-128-characters-1-"), TaskOptions::default().tag(&long));
    past.progress(&past.take(&long, &long_name("h").replace("xxxx", "")), &serde_json::json!(0.25));
    past.submit("movies", "failed", TaskOptions::default().method(&long));
    let error = "exit code 1: RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\nTraceback 日本語\n  File";
    past.fail(&past.take("movies", "host"), error, "cuda");
    past.submit("movies", "fine", plain());
    let (id, token) = past.take("movies", "host");
    let cost = br#"{"attempt":1,"exit":0,"max_rss_kib":9000,"cpu_ms":1500,"wall_ms":28000,"output":"/srv/out/fine","host":"host"}"#;
    let fine = CompleteOptions::new().cost(cost);
    past.client.call(&past.client.calls().complete(&id, token, b"1", &fine).at(past.at(30.0))).unwrap();
    for id in ["cancelled", &long_name("an-id-of-128-characters-2-")] {
        past.submit("movies", id, plain().notify("ops"));
    }
    let cancelled = TaskId::new("cancelled").unwrap();
    let call = past.client.calls().cancel(&cancelled, WIDE, &blueque::calls::CancelOptions::new()).at(past.at(40.0));
    past.client.call(&call).unwrap();
    let due = past.client.call(&past.client.calls().take_notices(1, &["ops"]).at(past.at(41.0))).unwrap();
    let answer = past.client.calls().answer_notice(
        "task",
        "cancelled",
        "ops",
        due[0].token,
        "failed",
        "503 Service Unavailable",
    );
    past.client.call(&answer.at(past.at(42.0))).unwrap();
    past.submit_for("movies", &uuid(9), plain(), Some(10.5 * 24.0 * HOUR));
    let calls = past.client.calls();
    for number in 0..16 {
        let name = QueueName::new(format!("batch-{number:02}")).unwrap();
        past.submit(name.as_str(), &format!("of-batch-{number:02}"), plain());
    }
    let name = |text: &str| QueueName::new(text).unwrap();
    past.client
        .call(&calls.pause(&name("batch-03"), "ops@host", WIDE, &blueque::calls::PauseOptions::new()).at(past.at(50.0)))
        .unwrap();
    past.submit("empty", "gone", plain());
    past.desk.ok(&["cancel", "gone"]);
    past.desk.ok(&["delete", "gone"]);
    past.client
        .call(&calls.limit(Some(&name("movies")), "tenant-a", Some(3), None, &LimitOptions::new()).at(past.at(50.0)))
        .unwrap();
    past.client
        .call(&calls.limit(Some(&name("movies")), &long, Some(1_000_000), None, &LimitOptions::new()).at(past.at(50.0)))
        .unwrap();
    let worker = ListenerId::of_process("host", 1);
    let report = ReportOptions::new().name("night-shift");
    past.client.call(&calls.report(&worker, 12, 3, &[name("movies")], &report).at(past.at(60.0))).unwrap();
    past.desk.ok(&[
        "schedule",
        "add",
        "nightly",
        "movies",
        "--every",
        "1h",
        "--start",
        "+400days 12h",
        "--title",
        "Encode new movies",
    ]);
    past.desk.ok(&["schedule", "add", LONG_SCHEDULE, &long, "--cron", "0 3 * * *", "--start", "+400days 12h"]);
    past
}

/// A film in pieces with an odd name, and a chain whose tasks are mostly complete.
fn graphs() -> Past {
    let past = Past::new();
    let calls = past.client.calls();
    let submit = |graph: &str, name: &str, tasks: &[(String, &str, String)]| {
        let ids: Vec<TaskId> =
            tasks.iter().map(|(label, ..)| TaskId::new(format!("{graph}.{label}")).unwrap()).collect();
        let queues: Vec<QueueName> = tasks.iter().map(|(_, queue, _)| QueueName::new(*queue).unwrap()).collect();
        let options = TaskOptions::default();
        let text = |(at, (label, _, inputs)): (usize, &'_ (String, &str, String))| (at, label.clone(), inputs.clone());
        let texts: Vec<_> = tasks.iter().enumerate().map(text).collect();
        let parts: Vec<GraphPart<'_>> = texts
            .iter()
            .map(|(at, label, inputs)| GraphPart {
                id: &ids[*at],
                queue: &queues[*at],
                eta: None,
                parameters: b"",
                inputs,
                label,
                options: &options,
            })
            .collect();
        let how = SubmitGraphOptions::new().name(name).tag("night").tag("4k");
        let call = calls.submit_graph(&GraphId::new(graph).unwrap(), tasks.len(), &parts, &how);
        past.client.call(&call.at(past.at(0.0))).unwrap();
        while past.client.call(&calls.run_deferred(100).at(past.at(0.0))).unwrap().more {}
    };
    let task = |label: &str, queue: &'static str, inputs: &str| (label.to_owned(), queue, inputs.to_owned());
    let chain: Vec<_> = (0..30)
        .map(|n: u32| {
            (n.to_string(), "steps", n.checked_sub(1).map_or(String::new(), |up| format!("success=chain.{up}")))
        })
        .collect();
    submit("chain", "", &chain);
    for _ in 0..24 {
        let (id, token) = past.take("steps", "host");
        past.client.call(&calls.complete(&id, token, b"1", &CompleteOptions::new()).at(past.at(30.0))).unwrap();
    }
    let mut film = vec![task("cut", "cut", "")];
    film.extend((1..=12).map(|n| task(&format!("encode-{n}"), "encode", "success=film.cut")));
    let all: Vec<String> = (1..=12).map(|n| format!("result/{}=film.encode-{n}", n - 1)).collect();
    film.push(task("join", "join", &all.join(" ")));
    film.push(task("report", "mail", "after=film.join"));
    film.push(task("sweep", "cut", "failure=film.join"));
    submit("film", WIDE, &film);
    let done = past.take("cut", "host");
    past.client.call(&calls.complete(&done.0, done.1, b"1", &CompleteOptions::new()).at(past.at(30.0))).unwrap();
    for part in [0.25, 0.5] {
        past.progress(&past.take("encode", "host"), &serde_json::json!(part));
    }
    past
}

/// The lines of a table without the totals below it.
fn rows(shown: &str) -> impl Iterator<Item = &str> {
    let beside = |line: &str| line == "no tasks" || line.contains(" tasks: ") || line.starts_with("looked at ");
    shown.lines().filter(move |line| !beside(line))
}

/// Replaces the digits of times by zeros.
fn timeless(text: &str) -> String {
    let form = |c: char| if c.is_ascii_digit() { '0' } else { c };
    let mut chars: Vec<char> = text.chars().collect();
    for at in 0..chars.len() {
        for shape in ["0000-00-00", "00:00:00"] {
            let end = (at + shape.len()).min(chars.len());
            if chars[at..end].iter().copied().map(form).eq(shape.chars()) {
                chars[at..end].iter_mut().for_each(|c| *c = form(*c));
            }
        }
    }
    chars.into_iter().collect()
}

/// Compares with a file of `cli/tests/golden`, or writes it.
fn differs(name: &str, shown: &str) -> Option<String> {
    if blesses() {
        fs::create_dir_all(file(name).parent().unwrap()).unwrap();
        fs::write(file(name), shown).unwrap();
    }
    let golden = golden(name);
    (golden != shown).then(|| format!("{name} is\n{golden}\nand not\n{shown}"))
}

fn blesses() -> bool {
    env::var_os("BLUEQUE_BLESS").is_some()
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"))
}

fn golden(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap_or_default()
}

/// A live screen that contains `mark` and is complete: equal to its file, or unchanged for a while.
fn drawn(screen: &Screen, name: &str, lines: u16, mark: &str) -> String {
    let golden = golden(name);
    let (mut last, mut since) = (String::new(), Instant::now());
    eventually(&format!("{name} shows {mark}"), || {
        let shown = timeless(&screen.picture(lines.into()).0);
        if shown != last {
            (last, since) = (shown.clone(), Instant::now());
        }
        let whole = (shown == golden && !blesses()) || since.elapsed() > Duration::from_secs(5);
        (shown.contains(mark) && whole).then_some(shown)
    })
}

/// The commands that print tables, the names of their files, and whether each row must be one line.
const TABLES: [(&str, &[&str], bool); 37] = [
    ("usage", &["usage", "--by", "method", "--since", "30days"], true),
    ("ls", &["ls"], true),
    ("ls-queue", &["ls", "movies"], true),
    ("ls-ended", &["ls", "--status", "failed,complete"], true),
    ("ls-empty", &["ls", "empty"], true),
    ("find", &["find", "movies"], true),
    ("queues", &["queue", "ls"], true),
    ("workers", &["workers"], true),
    ("workers-empty", &["workers", "empty"], true),
    ("events", &["events", "movies"], true),
    ("history", &["history", "failed"], true),
    ("limits", &["limit", "ls", "movies"], true),
    ("limits-empty", &["limit", "ls", "empty"], true),
    ("tags", &["tag", "ls"], true),
    ("groups", &["queue", "groups"], true),
    ("groups-empty", &["queue", "groups", "empty"], true),
    ("schedules", &["schedule"], true),
    ("stats", &["queue", "stats", "movies"], true),
    // Its days include today.
    ("", &["queue", "stats", "movies", "--each"], true),
    ("config", &["config", "--queue", "movies"], true),
    ("bulk", &["bulk", "delete", "movies", "--dry-run"], true),
    ("show", &["show", "00000000-cd56"], false),
    ("show-failed", &["show", "failed"], false),
    ("show-long", &["show", "an-id-of-128-characters-1-"], false),
    ("why", &["why", "cancelled"], false),
    ("why-pending", &["why", "of-batch-03"], false),
    ("logs", &["logs", "00000000-cd56"], false),
    ("wait", &["wait", "fine", "cancelled", "failed"], true),
    ("schedule-show", &["schedule", "show", "nightly"], false),
    ("schedule-show-long", &["schedule", "show", LONG_SCHEDULE], false),
    ("purge", &["queue", "purge", "movies", "--count"], true),
    ("queue-delete", &["queue", "delete", "movies", "--count"], true),
    ("notify", &["notify", "ls"], true),
    ("doctor", &["doctor"], false),
    // These commands change something, but their output stays the same.
    ("tag", &["tag", "add", "failed", "red"], true),
    ("requeue", &["requeue", "00000000-cd56", "an-id-of-128-characters-1-"], true),
    ("retry", &["retry", "failed"], true),
];

/// The exit codes other than 0.
const CODES: [(&str, i32); 2] = [("wait", 1), ("doctor", 1)];

#[test]
fn tables_on_a_terminal_have_a_line_for_each_row_and_what_matters_in_it() {
    let past = full();
    let mut wrong = Vec::new();
    for (name, args, one_line) in TABLES {
        let code = CODES.iter().find(|(command, _)| *command == name).map_or(0, |(_, code)| *code);
        let left = past.desk.run(args);
        assert_eq!(left.code, code, "{args:?}: {}{}", left.out, left.err);
        let data = left.out;
        if one_line {
            assert!(!data.contains('…'), "{name}: nothing is cut where there is no terminal: {data}");
        }
        for (columns, lines) in SIZES {
            let mut screen = Screen::sized(&past.desk, args, (columns, lines));
            assert_eq!(screen.ends(), code, "{name}: {}", screen.shown());
            screen.mask(&past.desk.server.url(), "unix:///run/redis.sock");
            if let Some((_, version)) = data.lines().find_map(|line| line.split_once("version      ")) {
                screen.mask(version, "Redis 7");
            }
            let (shown, wrapped) = screen.picture(100);
            if one_line {
                assert_eq!(wrapped, 0, "{name} at {columns} columns: a row takes more than a line\n{shown}");
                assert_eq!(rows(&shown).count(), data.lines().count(), "{name} at {columns} columns\n{shown}");
            }
            if !name.is_empty() {
                wrong.extend(differs(&format!("{name}-{columns}x{lines}"), &timeless(&shown)));
            }
        }
    }
    assert!(wrong.is_empty(), "make bless writes what is shown now\n{}", wrong.join("\n"));
}

#[test]
fn graphs_on_a_terminal_are_trees_in_which_arrays_and_what_is_complete_are_one_line() {
    let past = graphs();
    // Elements of an array, with labels as a document names them.
    let mut connection = past.desk.server.connection();
    for n in 1..=12 {
        let label = format!("encode[{n}]");
        redis::cmd("HSET")
            .arg(format!("blueque_task_film.encode-{n}"))
            .arg("label")
            .arg(label)
            .exec(&mut connection)
            .unwrap();
    }
    let shown: [(&str, &[&str], i32); 7] = [
        ("graph-ls", &["graph", "ls"], 0),
        // The queue table shows waiting tasks if something in the queue is active.
        ("graph-queues", &["queue", "ls"], 0),
        ("graph-show", &["graph", "show", "film"], 0),
        ("graph-show-all", &["graph", "show", "film", "--all"], 0),
        ("graph-show-chain", &["graph", "show", "chain"], 0),
        ("graph-wait-timeout", &["graph", "wait", "film", "--timeout", "1ms"], 6),
        ("graph-wait", &["graph", "wait", "chain"], 7),
    ];
    let mut wrong = Vec::new();
    for (name, args, code) in shown {
        if code == 7 {
            past.desk.ok(&["graph", "cancel", "chain", "--yes"]);
        }
        for (columns, lines) in SIZES {
            let mut screen = Screen::sized(&past.desk, args, (columns, lines));
            assert_eq!(screen.ends(), code, "{name}: {}", screen.shown());
            let (shown, _) = screen.picture(100);
            wrong.extend(differs(&format!("{name}-{columns}x{lines}"), &timeless(&shown)));
        }
    }
    for size in SIZES {
        let screen = Screen::sized(&past.desk, &["top"], size);
        let name = format!("graph-top-{}x{}", size.0, size.1);
        wrong.extend(differs(&name, &drawn(&screen, &name, size.1, "WAITING")));
    }
    assert!(wrong.is_empty(), "make bless writes what is shown now\n{}", wrong.join("\n"));
    let watch = Screen::start(&past.desk, &["graph", "show", "film", "--all", "--watch"]);
    watch.shows("report");
    let (shown, wrapped) =
        eventually("a whole picture", || Some(watch.picture(24)).filter(|(shown, _)| shown.contains("report")));
    assert!(wrapped == 0 && shown.lines().count() <= 24, "{shown}");
}

#[test]
fn an_id_as_a_narrow_table_shows_it_is_taken_where_an_id_is_asked_for() {
    let desk = Desk::new();
    let ids = ["render-of-the-whole-night-0001", "render-of-the-whole-night-0002", "other"];
    for id in ids {
        desk.ok(&["submit", "q", "--id", id]);
    }
    let mut screen = Screen::sized(&desk, &["find", "q"], (50, 24));
    assert_eq!(screen.ends(), 0);
    let shown = screen.picture(24).0;
    let mut found: Vec<String> = shown
        .lines()
        .skip(1)
        .map(|line| desk.json(&["show", line.split(' ').next().unwrap()])["id"].as_str().unwrap().to_owned())
        .collect();
    found.sort_unstable();
    assert_eq!(found, ["other", ids[0], ids[1]], "{shown}");
    assert!(shown.contains("render…t-0001"), "{shown}");
    desk.refused(4, &["show", "render…000"]);
    assert!(desk.refused(2, &["show", "render…"]).contains("ambiguous"));
}

#[test]
fn what_goes_on_stays_on_its_screen_and_in_its_lines() {
    let past = full();
    let watch = Screen::start(&past.desk, &["ls", "--watch"]);
    watch.shows("+3 tasks");
    let (shown, wrapped) =
        eventually("a whole picture", || Some(watch.picture(24)).filter(|(shown, _)| shown.lines().count() == 23));
    assert!(wrapped == 0 && shown.starts_with("ID ") && shown.contains("started"), "{shown}");
    let events = Screen::start(&past.desk, &["events", "movies", "-f", "-n", "3"]);
    events.shows("scheduled");
    past.submit("movies", &long_name("one-more-"), TaskOptions::default());
    events.shows("one-more");
    let (shown, wrapped) = events.picture(24);
    assert_eq!((shown.lines().count(), wrapped), (4, 0), "{shown}");
}

#[test]
fn ten_thousand_rows_are_ten_thousand_lines_and_each_id_can_be_used() {
    let past = Past::new();
    let ids: Vec<TaskId> = (0..10_000).map(|number| TaskId::new(uuid(number)).unwrap()).collect();
    for part in ids.chunks(500) {
        let tasks: Vec<NewTask<'_>> = part.iter().map(|id| NewTask::new(id, b"[]")).collect();
        let call = past.client.calls().submit(&QueueName::new("many").unwrap(), &tasks, &TaskOptions::default());
        past.client.call(&call.at(past.at(0.0))).unwrap();
    }
    let mut wrong = Vec::new();
    // `ls` reads each task, which is slow: one size is enough.
    let (ls, events) = (["ls", "many", "--limit", "10000"], ["events", "many"]);
    for (name, args, sizes) in [("many-ls", &ls[..], &SIZES[..1]), ("many-events", &events, &SIZES)] {
        for &(columns, lines) in sizes {
            let mut screen = Screen::sized(&past.desk, args, (columns, lines));
            assert_eq!(screen.ends(), 0, "{name}");
            let (shown, wrapped) = screen.picture(10_100);
            assert_eq!((rows(&shown).count(), wrapped), (10_001, 0), "{name} at {columns} columns");
            let begin: Vec<&str> = shown.lines().take(lines.into()).chain([""]).collect();
            wrong.extend(differs(&format!("{name}-{columns}x{lines}"), &timeless(&begin.join("\n"))));
            let at = usize::from(name == "many-events");
            let last = rows(&shown).last().unwrap().split_whitespace().nth(at).unwrap().to_owned();
            assert_eq!(past.desk.json(&["show", &last])["id"], uuid(9_999), "{name} shows {last}");
        }
    }
    assert!(wrong.is_empty(), "make bless writes what is shown now\n{}", wrong.join("\n"));
}

#[test]
fn ten_thousand_names_are_ten_thousand_lines() {
    let past = Past::new();
    let mut connection = past.desk.server.connection();
    past.submit("q", "t", TaskOptions::default().tag("red"));
    past.take("q", "host");
    let mut plant = |command: &str, key: &str, entry: &dyn Fn(usize) -> [String; 2]| {
        for part in (0..10_000).collect::<Vec<usize>>().chunks(1_000) {
            let mut command = redis::cmd(command);
            command.arg(key);
            for number in part {
                command.arg(&entry(*number)[..]);
            }
            command.exec(&mut connection).unwrap();
        }
    };
    let name = |number: usize| uuid(u32::try_from(number).unwrap());
    for index in ["tags", "groups"] {
        plant("ZADD", &format!("blueque_{index}_q"), &|number| ["7".into(), name(number)]);
    }
    plant("HSET", "blueque_limits_q", &|number| [name(number), "3 5/60".into()]);
    plant("ZADD", "blueque_queues", &|number| ["0".into(), name(number)]);
    let mut wrong = Vec::new();
    let lists: [(&str, &[&str]); 4] = [
        ("tags", &["tag", "ls", "q"]),
        ("groups", &["queue", "groups", "q"]),
        ("limits", &["limit", "ls", "q"]),
        ("queues", &["queue", "ls"]),
    ];
    for (name, args) in lists {
        let rows = past.desk.ok(args).lines().count();
        assert!(rows > 10_000 && rows < 10_010, "{name}: {rows}");
        for (columns, lines) in SIZES {
            let mut screen = Screen::sized(&past.desk, args, (columns, lines));
            assert_eq!(screen.ends(), 0, "{name}");
            let (shown, wrapped) = screen.picture(10_100);
            assert_eq!((shown.lines().count(), wrapped), (rows, 0), "{name} at {columns} columns");
            let begin: Vec<&str> = shown.lines().take(lines.into()).chain([""]).collect();
            wrong.extend(differs(&format!("many-{name}-{columns}x{lines}"), &timeless(&begin.join("\n"))));
        }
    }
    assert!(wrong.is_empty(), "make bless writes what is shown now\n{}", wrong.join("\n"));
}

#[test]
fn the_end_of_a_task_is_the_same_on_the_live_screen_in_its_record_and_in_why() {
    let past = Past::new();
    let run = |id: &str, from: f64, told: Option<(f64, f64)>, to: Option<f64>| {
        past.submit("q", id, TaskOptions::default());
        let (queue, listener) = (QueueName::new("q").unwrap(), ListenerId::of_process("host", 1));
        let calls = past.client.calls();
        past.client
            .call(&calls.register(&queue, &listener, &blueque::calls::RegisterOptions::new()).at(past.at(from)))
            .unwrap();
        let options = ReserveOptions::new().lease(Duration::from_secs(6 * 86_400));
        let call = calls.reserve(&listener, &[queue], &options).at(past.at(from));
        let taken = past.client.call(&call).unwrap().remove(0);
        past.client
            .call(&calls.start(&taken.id, taken.token, 7, &blueque::calls::StartOptions::new()).at(past.at(from)))
            .unwrap();
        if let Some((at, done)) = told {
            let done = done.to_string();
            past.client.call(&calls.progress(&taken.id, taken.token, done.as_bytes()).at(past.at(at))).unwrap();
        }
        if let Some(to) = to {
            past.client
                .call(&calls.complete(&taken.id, taken.token, b"1", &CompleteOptions::new()).at(past.at(to)))
                .unwrap();
        }
    };
    // Runs of a quarter of an hour and of ten minutes. The long-running tasks differ much from these.
    for (minutes, number) in [15.0, 15.0, 10.0, 10.0].into_iter().zip(0_u32..) {
        let from = f64::from(number) * HOUR;
        run(&format!("past-{number}"), from, None, Some(from + minutes * 60.0));
    }
    run("steady", LONG_AGO - 9.0 * HOUR, Some((LONG_AGO - 60.0, 0.37)), None);
    run("overdue", LONG_AGO - 8.0 * HOUR, Some((LONG_AGO - 7.0 * HOUR, 0.9)), None);
    let mut top = Screen::wide(&past.desk, &["top"]);
    let left = |text: &str| {
        let (_, rest) = text.split_once(" in ")?;
        let words: Vec<&str> =
            rest.split([' ', ',']).take(2).take_while(|word| word.starts_with(|c: char| c.is_ascii_digit())).collect();
        humantime::parse_duration(&words.join(" ")).ok()
    };
    let on_top = |id: &str| {
        let shown = eventually("the live screen shows it", || {
            let (shown, _) = top.picture(24);
            (shown.contains("steady") && shown.contains("overdue")).then_some(shown)
        });
        shown.lines().find(|line| line.starts_with(id)).unwrap().to_owned()
    };
    let said = |command: &str, id: &str| {
        let out = past.desk.ok(&[command, id]);
        out[out.find("expected").unwrap()..].to_owned()
    };
    let near = |one: Duration, other: Duration| one.abs_diff(other) <= Duration::from_secs(180);
    let steady = left(&on_top("steady")).unwrap();
    // A minute less than 9 h for 37 of 100 steps: about 15 h are left.
    assert!(near(steady, Duration::from_secs(54_960)), "{steady:?}");
    for command in ["show", "why"] {
        let said = said(command, "steady");
        assert!(near(left(&said).unwrap(), steady), "{said}: {steady:?}");
    }
    assert!(on_top("overdue").contains(" overdue "), "{}", on_top("overdue"));
    for command in ["show", "why"] {
        assert!(said(command, "overdue").contains("to end now (overdue)"), "{}", said(command, "overdue"));
    }
    top.type_in("q");
    assert_eq!(top.ends(), 0);
}

#[test]
fn the_live_screen_names_queues_and_tasks_and_its_keys_reach_all() {
    let past = full();
    for number in 0..30 {
        past.submit("shorts", &format!("run-{number:02}"), TaskOptions::default());
        past.take("shorts", "host");
    }
    let mut wrong = Vec::new();
    let mut check = |screen: &Screen, name: &str, (columns, lines): (u16, u16), mark: &str| {
        let name = format!("{name}-{columns}x{lines}");
        wrong.extend(differs(&name, &drawn(screen, &name, lines, mark)));
    };
    for size in SIZES {
        let mut screen = Screen::sized(&past.desk, &["top"], size);
        check(&screen, "top", size, "run-0");
        screen.type_in("\t");
        screen.type_in("\u{1b}[A");
        check(&screen, "top-last-queue", size, "\nempty ");
        screen.type_in(&"\u{1b}[6~".repeat(6));
        check(&screen, "top-last-task", size, "run-29");
        screen.type_in("q");
        assert_eq!(screen.ends(), 0);
    }
    let none = Desk::new();
    for size in SIZES {
        let mut screen = Screen::sized(&none, &["top"], size);
        check(&screen, "top-empty", size, "0 running");
        screen.type_in("q");
        assert_eq!(screen.ends(), 0);
    }
    assert!(wrong.is_empty(), "make bless writes what is shown now\n{}", wrong.join("\n"));
}

#[test]
fn keys_of_top_show_cancel_and_retry_the_selected_task() {
    let desk = Desk::new();
    let client = desk.client();
    desk.ok(&["submit", "q", "--id", "one"]);
    let task = desk.take("q");
    let mut screen = Screen::start(&desk, &["top", "--url", &desk.server.url()]);
    // The terminal gets only the differences to the last picture.
    let sees = |screen: &Screen, text: &str| {
        eventually(&format!("the screen has {text:?}"), || screen.picture(24).0.contains(text).then_some(()));
    };
    sees(&screen, "started");
    screen.type_in("\t");
    screen.type_in("s");
    sees(&screen, "any key goes back to top");
    sees(&screen, "parameters");
    screen.type_in("\n");
    screen.type_in("C");
    sees(&screen, "cancel one? y or n");
    screen.type_in("n");
    sees(&screen, "nothing was changed");
    assert_eq!(task.heartbeat().unwrap(), blueque::Order::Continue);
    screen.type_in("Cy");
    eventually("the owner is told", || (task.heartbeat().unwrap() == blueque::Order::Cancel).then_some(()));
    task.release().unwrap();
    screen.type_in("vv");
    sees(&screen, "failed or cancelled");
    sees(&screen, "cancelled");
    screen.type_in("Ry");
    let pending =
        || (client.task("one").unwrap().info().unwrap().status() == Some(blueque::Status::Pending)).then_some(());
    eventually("it waits again", pending);
    screen.type_in("q");
    assert_eq!(screen.ends(), 0);
}

#[test]
fn top_ends_with_its_terminal_even_if_that_signal_was_ignored() {
    let desk = Desk::new();
    let mark = format!("MARK={}", uuid::Uuid::new_v4());
    let runs = || {
        let environments =
            fs::read_dir("/proc").unwrap().filter_map(|each| fs::read(each.unwrap().path().join("environ")).ok());
        environments.into_iter().any(|each| each.windows(mark.len()).any(|part| part == mark.as_bytes()))
    };
    let screen = Screen::within(&desk, &format!("--ignore-signal=HUP {mark}"), &["top"], (80, 24));
    screen.shows("q quits");
    assert!(runs());
    drop(screen);
    eventually("top has ended", || (!runs()).then_some(()));
}

#[test]
fn the_bar_of_what_is_followed_stays_in_its_line_and_is_not_drawn_again_and_again() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    task.progress(&serde_json::json!({ "done": 1, "total": 2, "message": WIDE.repeat(2) })).unwrap();
    let mut screen = Screen::start(&desk, &["logs", "-f", "t"]);
    screen.shows("encoding");
    let before = Instant::now();
    for line in 0..20 {
        desk.say(&task, "stdout", &format!("line {line}\n"));
        screen.shows(&format!("line {line}"));
    }
    // The bar is cleared and drawn again for each line.
    let (shown, wrapped) = eventually("a bar below the lines", || {
        Some(screen.picture(24)).filter(|(shown, _)| shown.trim_end().ends_with('…'))
    });
    assert_eq!(wrapped, 0, "{shown}");
    assert!(shown.contains("line 18\nline 19\n") && shown.matches("encoding").count() == 1, "{shown}");
    // The bar is drawn at most once for each written line, and once for each second.
    let drawn = screen.shown().matches("encoding").count();
    let allowed = 20 + 2 * (usize::try_from(before.elapsed().as_secs()).unwrap() + 2);
    assert!(drawn <= allowed, "drawn {drawn} times");
    task.complete("x").unwrap();
    assert_eq!(screen.ends(), 0);
    desk.client().task("t").unwrap().wait(SOON).unwrap();
}
