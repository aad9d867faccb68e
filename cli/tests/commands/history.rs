use std::fs;
use std::io::{BufRead, BufReader};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blueque::calls::{
    CompleteOptions, FailOptions, NewTask, ReleaseOptions, ReportOptions, ReserveOptions, RetryOptions, TaskOptions,
};
use blueque::{ListenerId, QueueName, TaskId, Token};
use serde_json::json;

use crate::Desk;

/// Histories of tasks at given times, all in the last hours.
struct Past {
    desk: Desk,
    queue: QueueName,
    listener: ListenerId,
    begin: f64,
}

impl Past {
    fn new() -> Self {
        let desk = Desk::for_tests();
        let (queue, listener) = (QueueName::new("q").unwrap(), ListenerId::of_process("host", 1));
        let client = desk.client();
        client.call(&client.calls().register(&queue, &listener, &blueque::calls::RegisterOptions::new())).unwrap();
        let begin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64().floor() - 20_000.0;
        Self { desk, queue, listener, begin }
    }

    fn at(&self, seconds: f64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs_f64(self.begin + seconds)
    }

    #[allow(clippy::needless_pass_by_value, reason = "what is asked for is written where it is called")]
    fn submit(&self, at: f64, id: &str, options: TaskOptions) {
        let (client, id) = (self.desk.client(), TaskId::new(id).unwrap());
        let task = NewTask::new(&id, b"[]");
        client.call(&client.calls().submit(&self.queue, &[task], &options).at(self.at(at))).unwrap();
    }

    fn take(&self, at: f64, start: f64) -> (TaskId, Token) {
        let client = self.desk.client();
        let queues = std::slice::from_ref(&self.queue);
        let call = client.calls().reserve(&self.listener, queues, &ReserveOptions::new());
        let taken = client.call(&call.at(self.at(at))).unwrap().pop().expect("a task");
        client
            .call(
                &client
                    .calls()
                    .start(&taken.id, taken.token, 7, &blueque::calls::StartOptions::new())
                    .at(self.at(start)),
            )
            .unwrap();
        (taken.id, taken.token)
    }

    fn complete(&self, at: f64, (id, token): &(TaskId, Token)) {
        let client = self.desk.client();
        client.call(&client.calls().complete(id, *token, b"1", &CompleteOptions::new()).at(self.at(at))).unwrap();
    }

    /// Submitted at `at`, reserved 10 s later, done after `ran` seconds.
    fn life(&self, at: f64, id: &str, ran: f64) {
        self.submit(at, id, TaskOptions::default());
        let task = self.take(at + 10.0, at + 11.0);
        self.complete(at + 11.0 + ran, &task);
    }
}

#[test]
fn a_history_tells_of_every_attempt_and_how_it_ended() {
    let past = Past::new();
    past.submit(0.0, "t", TaskOptions::default().max_failures(1));
    let client = past.desk.client();
    let (id, token) = past.take(5.0, 6.0);
    let options = FailOptions::new().group("disk").again(std::time::Duration::ZERO);
    client.call(&client.calls().fail(&id, token, b"no disk\x1b[2J", &options).at(past.at(96.0))).unwrap();
    let task = past.take(100.0, 101.0);
    past.complete(161.0, &task);

    let steps = past.desk.json(&["history", "t"]);
    let told: Vec<(u64, &str, &str, Option<f64>)> = steps
        .as_array()
        .unwrap()
        .iter()
        .map(|s| {
            (s["number"].as_u64().unwrap(), s["to"].as_str().unwrap(), s["why"].as_str().unwrap(), s["after"].as_f64())
        })
        .collect();
    assert_eq!(
        told,
        [
            (1, "pending", "submit", None),
            (2, "reserved", "reserve", Some(5.0)),
            (3, "started", "start", Some(1.0)),
            (4, "pending", "fail", Some(90.0)),
            (5, "reserved", "reserve", Some(4.0)),
            (6, "started", "start", Some(1.0)),
            (7, "complete", "complete", Some(60.0)),
        ]
    );
    assert_eq!((&steps[3]["outcome"], &steps[3]["group"]), (&json!("retrying"), &json!("disk")));
    let table = past.desk.ok(&["history", "t"]);
    let heads: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["AT", "FROM", "TO", "ATTEMPT", "BY", "WHY", "AFTER", "ERROR", "OR", "NOTE", "COST"]);
    let failed = table.lines().nth(4).unwrap();
    assert!(failed.trim_end().ends_with("1m 30s  no disk") && !table.contains('\u{1b}'), "{table:?}");
    past.desk.refused(2, &["history", "t", "-o", "id"]);
    past.desk.refused(4, &["history", "nothing"]);
}

#[test]
fn what_each_attempt_cost_is_shown_by_history_show_and_ls() {
    const FIRST: &[u8] = br#"{"attempt":1,"exit":3,"oom":false,"max_rss_kib":12288,"cpu_ms":240000,"wall_ms":90000,"read_bytes":2048,"written_bytes":0,"counted":"calls","host":"far"}"#;
    const SECOND: &[u8] = br#"{"attempt":2,"exit":0,"max_rss_kib":1572864,"cpu_ms":500,"wall_ms":60000,"read_bytes":0,"written_bytes":0,"counted":"blocks","host":"far","output":"/srv/out/t"}"#;
    let past = Past::new();
    past.submit(0.0, "t", TaskOptions::default().max_failures(1));
    let client = past.desk.client();
    let (id, token) = past.take(5.0, 6.0);
    let options = FailOptions::new().again(std::time::Duration::ZERO).cost(FIRST);
    client.call(&client.calls().fail(&id, token, b"no disk", &options).at(past.at(96.0))).unwrap();
    let told = "attempt 1: exit code 3 after 1m 30s, 4m of CPU, 12 MiB at most, 2.0 KiB read, 0 B written";
    let row = |words: &str| past.desk.ok(&["ls"]).lines().any(|line| line.starts_with('t') && line.ends_with(words));
    assert!(past.desk.ok(&["show", "t"]).contains(&format!("cost        {told}\n")));
    assert!(row("1m 30s CPU 4m 12 MiB"), "{}", past.desk.ok(&["ls"]));

    let (id, token) = past.take(100.0, 101.0);
    assert!(past.desk.ok(&["show", "t"]).contains(told), "while the next one runs");
    assert!(!row("12 MiB"), "of what runs the cost is not known yet");
    let options = CompleteOptions::new().cost(SECOND);
    client.call(&client.calls().complete(&id, token, b"1", &options).at(past.at(161.0))).unwrap();
    let shown = past.desk.ok(&["show", "t"]);
    let told = "attempt 2: exit code 0 after 1m, 0.5s of CPU, 1.5 GiB at most, 0 B read from disk, 0 B written to it";
    assert!(shown.contains(&format!("cost        {told}\noutput      far:/srv/out/t\n")), "{shown}");
    let second: serde_json::Value = serde_json::from_slice(SECOND).unwrap();
    assert_eq!(past.desk.json(&["show", "t"])["cost"], second);
    assert_eq!(past.desk.json(&["ls"])[0]["cost"], second);

    let steps = past.desk.json(&["history", "t"]);
    let costs: Vec<_> = steps.as_array().unwrap().iter().filter_map(|step| step.get("cost")).collect();
    assert_eq!(costs, [&serde_json::from_slice::<serde_json::Value>(FIRST).unwrap(), &second]);
    let table = past.desk.ok(&["history", "t"]);
    let ends: Vec<&str> = table.lines().filter(|line| line.contains("CPU ")).collect();
    assert!(
        ends[0].contains("  no disk  ")
            && ends[0].ends_with("  CPU 4m 12 MiB")
            && ends[1].ends_with("  CPU 0.5s 1.5 GiB"),
        "{table}"
    );

    // A cost reported by another owner is shown unchanged.
    past.submit(200.0, "u", TaskOptions::default());
    let (id, token) = past.take(205.0, 206.0);
    let options = ReleaseOptions::new().cost(b"3 dollars\x1b[2J");
    client.call(&client.calls().release(&id, token, &options).at(past.at(210.0))).unwrap();
    assert!(past.desk.ok(&["show", "u"]).contains("cost        3 dollars\n"), "{}", past.desk.ok(&["show", "u"]));
    assert_eq!(past.desk.json(&["show", "u"])["cost"], "3 dollars\u{1b}[2J");
    assert!(past.desk.json(&["show", "u"])["fields"].is_null());
    for (at, fresh) in [(220.0, false), (230.0, true)] {
        client.call(&client.calls().cancel(&id, "", &blueque::calls::CancelOptions::new()).at(past.at(at))).unwrap();
        client.call(&client.calls().retry(&id, &RetryOptions::new().fresh(fresh)).at(past.at(at + 1.0))).unwrap();
        let shown = past.desk.ok(&["show", "u"]);
        assert!(shown.contains("cost        3 dollars\n"), "spent, however the task begins anew: {fresh} {shown}");
    }
}

#[test]
fn a_history_that_was_cut_says_so() {
    let past = Past::new();
    past.desk.client().queue("q").unwrap().configure("history", Some("2")).unwrap();
    past.submit(0.0, "t", TaskOptions::default());
    let client = past.desk.client();
    let (id, token) = past.take(5.0, 6.0);
    client.call(&client.calls().release(&id, token, &ReleaseOptions::new().reason("deploy")).at(past.at(7.0))).unwrap();
    let left = past.desk.run(&["history", "t", "-o", "jsonl"]);
    assert_eq!((left.code, left.out.lines().count()), (0, 2));
    assert!(left.err.contains("the first 2 transitions of t have been removed"), "{}", left.err);
}

#[test]
fn statistics_tell_how_many_and_how_long() {
    let past = Past::new();
    past.life(0.0, "a", 60.0);
    past.life(100.0, "b", 120.0);
    past.life(300.0, "c", 120.0);
    past.submit(1_000.0, "d", TaskOptions::default());
    past.desk.ok(&["cancel", "d"]);
    let all = past.desk.json(&["queue", "stats", "q", "--days", "2"]);
    let total = &all["total"];
    assert_eq!((&total["submitted"], &total["complete"], &total["cancelled"]), (&json!(4), &json!(3), &json!(1)));
    assert_eq!((&total["done"]["count"], &total["done"]["mean"]), (&json!(3), &json!(100.0)));
    assert_eq!((&total["run"]["least"], &total["run"]["most"]), (&json!(60.0), &json!(120.0)));
    assert_eq!(total["done"]["histogram"], json!([{"up_to": 60.0, "count": 1}, {"up_to": 120.0, "count": 2}]));
    assert_eq!(total["wait"]["mean"], 10.0);
    assert_eq!(past.desk.json(&["queue", "stats", "q", "--days", "2"]), all, "nothing is counted twice");

    let table = past.desk.ok(&["queue", "stats", "q", "--days", "2"]);
    assert!(table.lines().any(|line| line.split_whitespace().eq(["complete", "3"])), "{table}");
    let done = table.lines().find(|line| line.starts_with("done ")).unwrap();
    assert!(done.contains("1m 40s") && done.trim_end().ends_with("2m"), "{table}");
    let histogram = past.desk.ok(&["queue", "stats", "q", "--days", "2", "--histogram", "done"]);
    let bars: Vec<Vec<&str>> =
        histogram.lines().skip(1).map(|line| line.split_whitespace().take(4).collect()).collect();
    assert_eq!(bars[0][..3], ["up", "to", "1m"]);
    assert_eq!((bars[0][3], bars[1][3]), ("1", "2"));
    let each = past.desk.json(&["queue", "stats", "q", "--days", "2", "--each"]);
    let sum: u64 = each.as_array().unwrap().iter().map(|day| day["complete"].as_u64().unwrap()).sum();
    assert_eq!(sum, 3);
    let table = past.desk.ok(&["queue", "stats", "q", "--days", "2", "--each"]);
    let heads: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert!(["STARTED", "RETRIES", "RELEASES"].iter().all(|head| heads.contains(head)), "{table}");
    past.desk.ok(&["submit", "other"]);
    assert_eq!(past.desk.json(&["queue", "stats", "other"])["total"]["done"], json!({"count": 0}));
    assert!(past.desk.ok(&["queue", "stats", "other", "--histogram", "run"]).contains("nothing yet"));
    past.desk.refused(2, &["queue", "stats", "q", "--days", "0"]);
    past.desk.refused(2, &["queue", "stats", "q", "--days", "401"]);
}

#[test]
fn statistics_of_many_days_are_those_of_all_calls_together() {
    let past = Past::new();
    past.desk.client().queue("q").unwrap().configure("statistics", Some("400")).unwrap();
    for day in [0.0, 40.0, 100.0] {
        past.submit(day * -86_400.0, &format!("t{day}"), TaskOptions::default());
    }
    let days = |days: &str| past.desk.json(&["queue", "stats", "q", "--days", days])["total"]["submitted"].clone();
    assert_eq!((days("2"), days("42"), days("400")), (json!(1), json!(2), json!(3)));
}

#[test]
fn events_that_were_trimmed_uncounted_are_told() {
    let past = Past::new();
    past.submit(0.0, "a", TaskOptions::default());
    past.submit(1.0, "b", TaskOptions::default());
    let mut connection = past.desk.server.connection();
    redis::cmd("XTRIM").arg("blueque_events_q").arg("MAXLEN").arg(1).exec(&mut connection).unwrap();
    let left = past.desk.run(&["queue", "stats", "q", "-o", "json"]);
    assert!(
        left.out.contains("\"missed\":1") && left.err.contains("1 events were trimmed"),
        "{}{}",
        left.out,
        left.err
    );
}

#[test]
fn the_expected_end_is_told_by_why_and_show() {
    let past = Past::new();
    past.life(0.0, "a", 3_600.0);
    past.desk.ok(&["queue", "stats", "q"]);
    past.submit(3_700.0, "runs", TaskOptions::default());
    past.submit(3_700.0, "waits", TaskOptions::default());
    let now = 20_000.0;
    let (id, token) = past.take(now - 600.0, now - 600.0);
    let why = past.desk.ok(&["why", "runs"]);
    assert!(why.contains("; expected to end in 4") && why.ends_with("by the last run.\n"), "{why}");
    let why = past.desk.json(&["why", "waits"]);
    assert!(why["why"].as_str().unwrap().contains("; expected to start in 49m"), "{why}");
    assert!(
        why["expected_start"].is_string() && why["expected_end"].is_string() && why["expected_by"] == "history",
        "{why}"
    );

    let client = past.desk.client();
    client.call(&client.calls().progress(&id, token, b"{\"progress\":0.2}").at(past.at(now - 300.0))).unwrap();
    let show = past.desk.json(&["show", "runs"]);
    assert_eq!(show["expected_by"], "both");
    assert!(past.desk.ok(&["show", "runs"]).contains("expected    to end in "));
    assert!(past.desk.json(&["show", "a"]).get("expected_end").is_none(), "it has ended");
}

#[test]
fn what_no_worker_begins_is_not_expected_to_start_at_once() {
    let past = Past::new();
    past.life(0.0, "a", 3_600.0);
    past.desk.ok(&["queue", "stats", "q"]);
    let client = past.desk.client();
    past.submit(3_700.0, "waits", TaskOptions::default());
    let report = |free, methods, trouble| {
        let options: Option<&str> = methods;
        let options = options.into_iter().fold(ReportOptions::new(), ReportOptions::methods);
        let trouble: Option<&str> = trouble;
        let options = trouble.into_iter().fold(options, ReportOptions::trouble);
        let call = client.calls().report(&past.listener, 1, free, std::slice::from_ref(&past.queue), &options);
        client.call(&call.at(past.at(19_990.0))).unwrap();
        let (why, show) = (past.desk.ok(&["why", "waits"]), past.desk.json(&["show", "waits"]));
        assert_eq!(why.contains("; expected to"), show["expected_by"].is_string(), "{why}{show}");
        why
    };
    assert!(report(1, Some("*"), None).contains("; expected to start at once"));
    for (free, methods, trouble, reason) in [
        (1, Some("*"), Some("takes nothing: no memory is left to start a process"), "takes nothing: no memory"),
        (1, Some("*"), Some("takes nothing of q: it is tired"), "takes nothing of q: it is tired"),
        (1, Some("other"), None, "No worker of q has its program q"),
        (0, Some("*"), None, "the only worker of q is full"),
    ] {
        let why = report(free, methods, trouble);
        assert!(why.contains(reason) && !why.contains("expected"), "{why}");
    }
}

#[test]
fn events_are_read_on_from_a_file_and_miss_nothing() {
    let desk = Desk::new();
    let place = desk.home.path().join("cursor");
    let file = place.to_str().unwrap();
    let read = || desk.ok(&["events", "q", "--resume", file, "-o", "id"]);
    assert_eq!(read(), "");
    desk.ok(&["submit", "q", "--id", "a"]);
    desk.ok(&["submit", "q", "--id", "b"]);
    assert_eq!(read(), "a\nb\n");
    assert_eq!(read(), "");
    desk.ok(&["cancel", "a"]);
    assert_eq!(read(), "a\n");
    let events = desk.json(&["events", "q"]);
    let cursor = events[1]["cursor"].as_str().unwrap();
    assert_eq!(desk.ok(&["events", "q", "--after", cursor, "-o", "id"]), "a\n");
    let mut connection = desk.server.connection();
    redis::cmd("XTRIM").arg("blueque_events_q").arg("MAXLEN").arg(1).exec(&mut connection).unwrap();
    let left = desk.run(&["events", "q", "--after", cursor, "-o", "id"]);
    assert!(left.out == "a\n" && left.err.contains("some may be missing"), "{}{}", left.out, left.err);
    fs::write(&place, "rubbish").unwrap();
    for rubbish in [&b"rubbish"[..], b"", b"\xff"] {
        fs::write(&place, rubbish).unwrap();
        let said = desk.refused(2, &["events", "q", "--resume", file]);
        assert!(said.contains(file) && said.contains("remove it to start over"), "{said}");
    }
    let nowhere = desk.home.path().join("nosuch/cursor");
    let left = desk.run(&["events", "q", "--resume", nowhere.to_str().unwrap()]);
    assert_eq!((left.code, left.out.as_str()), (1, ""), "nothing is shown that the next call would show again");
    assert!(left.err.contains("the cursor cannot be kept in"), "{}", left.err);
    let said = desk.refused(2, &["events", "q", "--after", "rubbish"]);
    assert!(said.contains("--after must be a cursor"), "{said}");
    let said = desk.refused(2, &["admin", "audit", "--after", "rubbish"]);
    assert!(said.contains("--after must be a cursor"), "{said}");
    desk.refused(2, &["events"]);
}

#[test]
fn the_last_changes_are_not_looked_for_from_the_first_one_on() {
    let desk = Desk::new();
    let mut connection = desk.server.connection();
    let old = "for i = 1, 20000 do redis.call('XADD', KEYS[1], '1000-' .. i, 'at', '1', 'by', 'me', 'what', 'edit', \
               'of', 'task', 'on', 't' .. i, 'before', '', 'after', '', 'detail', '') end";
    redis::cmd("EVAL").arg(old).arg(1).arg("blueque_audit").exec(&mut connection).unwrap();
    desk.ok(&["config", "set", "audit=50000"]);
    desk.ok(&["config", "set", "keep=9"]);
    desk.ok(&["config", "set", "keep=8"]);
    redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut connection).unwrap();
    let lines = |args: &[&str]| desk.ok(args).lines().count();
    assert_eq!(lines(&["admin", "audit", "-n", "3", "-o", "jsonl"]), 3);
    let said: String = redis::cmd("INFO").arg("commandstats").query(&mut connection).unwrap();
    let stats = said.lines().find(|line| line.starts_with("cmdstat_evalsha:calls=")).unwrap();
    let calls: u32 = stats["cmdstat_evalsha:calls=".len()..].split(',').next().unwrap().parse().unwrap();
    assert!(calls < 10, "{calls}");
    assert_eq!(lines(&["admin", "audit", "-n", "5", "-o", "jsonl"]), 5);
    assert_eq!(lines(&["admin", "audit", "-n", "5", "--by", "me", "-o", "jsonl"]), 5);
    assert_eq!(lines(&["admin", "audit", "-n", "9", "--since", "1h", "-o", "jsonl"]), 3);
    assert!(desk.ok(&["admin", "audit", "-n", "4", "-o", "jsonl"]).starts_with(r#"{"at":"1970"#));
    assert_eq!(lines(&["admin", "audit", "-o", "jsonl"]), 20_003);
}

#[test]
fn one_task_is_followed_to_its_end() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "other"]);
    desk.ok(&["submit", "q", "--id", "task"]);
    let mut child = desk.command(&["events", "--task", "task", "-f", "-o", "jsonl"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("\"submit\""));
    desk.take("q").complete("x").unwrap();
    let task = desk.take("q");
    assert!(lines.next().unwrap().unwrap().contains("\"reserve\""));
    task.complete("x").unwrap();
    assert!(lines.next().unwrap().unwrap().contains("\"start\""));
    assert!(lines.next().unwrap().unwrap().contains("\"complete\""));
    assert!(lines.next().is_none(), "it is finished");
    assert!(child.wait().unwrap().success());
    assert_eq!(desk.ok(&["events", "q", "--task", "task", "-o", "id"]).lines().count(), 4);
    desk.ok(&["delete", "task"]);
    assert_eq!(desk.ok(&["events", "q", "--task", "task", "-o", "id"]).lines().count(), 5);
    desk.refused(4, &["events", "--task", "task"]);
}

/// Runs of ten minutes and of a minute, as events of workers.
fn earlier_runs(desk: &Desk, queue: &str, seconds: &[f64]) {
    let mut connection = desk.server.connection();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64() - 10.0;
    for took in seconds {
        let text = format!("c old 1 {:.6} h_1", now - took);
        let mut add = redis::cmd("XADD");
        add.arg(format!("blueque_events_{queue}")).arg("*").arg("e").arg(text).arg("at").arg(format!("{now:.6}"));
        add.exec(&mut connection).unwrap();
    }
    desk.client().queue(queue).unwrap().aggregate().unwrap();
}

#[test]
fn the_steady_pace_of_a_task_outweighs_runs_of_another_length_and_every_screen_tells_the_same() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    earlier_runs(&desk, "q", &[600.0, 600.0, 60.0, 60.0]);
    let mut connection = desk.server.connection();
    let info = desk.client().task("t").unwrap().info().unwrap();
    let started = info.started().unwrap().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() - 9.0;
    redis::cmd("HSET").arg("blueque_task_t").arg("started").arg(format!("{started:.6}")).exec(&mut connection).unwrap();
    task.progress(&serde_json::json!({ "done": 37, "total": 100 })).unwrap();
    let shown = desk.json(&["show", "t"]);
    assert_eq!(shown["expected_by"], "progress");
    let end: jiff::Timestamp = shown["expected_end"].as_str().unwrap().parse().unwrap();
    let whole = end.as_duration().as_secs_f64() - started;
    assert!((20.0..60.0).contains(&whole), "nine seconds are 37% of it: {whole}");
    let mut top = crate::terminal::Screen::wide(&desk, &["top"]);
    top.shows("37%");
    top.type_in("q");
    assert_eq!(top.ends(), 0);
    let shown = top.shown();
    let words = anstream::adapter::strip_str(&shown).to_string();
    assert!(words.contains("37/100") && !words.contains("3m") && !words.contains("4m "), "{words}");
}
