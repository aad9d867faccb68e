use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use crate::Desk;

/// Runs the schedules at a given time, without waiting for it.
fn tick(desk: &Desk, seconds: u64) {
    let client = desk.client();
    client.call(&client.calls().tick(100).at(UNIX_EPOCH + Duration::from_secs(seconds))).unwrap();
}

fn next(desk: &Desk, name: &str) -> u64 {
    let schedules = desk.client().schedules().unwrap();
    let next = schedules.iter().find(|schedule| schedule.name.as_str() == name).unwrap().next.unwrap();
    next.duration_since(UNIX_EPOCH).unwrap().as_secs()
}

#[test]
fn a_schedule_is_added_listed_shown_changed_and_removed() {
    let desk = Desk::new();
    let args = ["schedule", "add", "hourly", "q", "[\"all\"]", "--every", "1h", "--offset", "5m", "--overlap", "queue"];
    let options = ["--priority", "5", "--tag", "a", "--missed", "skip", "--late", "2m", "--times", "9"];
    let shown = desk.ok(&[&args[..], &options].concat());
    assert!(shown.contains("schedule    hourly\n") && shown.contains("recurrence  every 1h, 5m later\n"), "{shown}");
    let seen = desk.json(&["schedule", "show", "hourly"]);
    assert_eq!(seen["recurrence"], "every 3600 300");
    assert_eq!((&seen["overlap"], &seen["missed"]), (&"queue".into(), &"skip".into()));
    assert_eq!((&seen["late"], &seen["times"]), (&120.into(), &9.into()));
    assert_eq!(seen["options"], serde_json::json!({"priority": "5", "tags": "a"}));
    assert_eq!(seen["parameters"], serde_json::json!(["all"]));
    assert!(seen["next"].as_str().unwrap().ends_with(":05:00Z"));

    let again = desk.run(&[&args[..], &options].concat());
    assert!(again.code == 0 && again.err.contains("nothing was changed"), "{}", again.err);
    let changed = desk.run(&args);
    assert!(changed.code == 0 && changed.err.contains("hourly was changed"), "{}", changed.err);

    desk.ok(&["schedule", "add", "nightly", "q", "--cron", "0 3 * * mon-fri", "--zone", "Europe/Berlin"]);
    assert_eq!(desk.json(&["schedule", "show", "nightly"])["recurrence"], "cron Europe/Berlin 0 3 * * MON-FRI");
    let list = desk.ok(&["schedule"]);
    assert!(list.starts_with("SCHEDULE") && list.contains("0 3 * * MON-FRI in Europe/Berlin"), "{list}");
    // The schedule that is due next is listed first. The order depends on the time of day.
    let ids = desk.ok(&["schedule", "ls", "-o", "id"]);
    let sooner = if next(&desk, "nightly") < next(&desk, "hourly") { "nightly\nhourly\n" } else { "hourly\nnightly\n" };
    assert_eq!(ids, sooner);
    assert_eq!(desk.json(&["schedule", "ls"])[0]["state"], "active");

    for word in ["show", "pause", "resume", "run", "rm"] {
        let said = desk.refused(4, &["schedule", word, "nihgtly"]);
        assert_eq!(said, "blueque: there is no schedule nihgtly (did you mean nightly?)\n", "{word}");
    }
    let removed = desk.run(&["schedule", "rm", "ghost", "nightly", "hourly", "-o", "id"]);
    assert_eq!((removed.code, removed.out.as_str()), (4, "nightly\nhourly\n"), "{}", removed.err);
    assert_eq!(removed.err, "blueque: there is no schedule ghost\n");
    assert_eq!(desk.ok(&["schedule", "-o", "id"]), "");
}

#[test]
fn slots_make_tasks_and_say_of_which_schedule_they_are() {
    let desk = Desk::for_tests();
    desk.ok(&["schedule", "add", "n", "q", "{\"a\": 1}", "--every", "1h", "--method", "encode", "--times", "1"]);
    let slot = next(&desk, "n");
    tick(&desk, slot);
    tick(&desk, slot + 1);
    let id = format!("n@{slot}");
    let task = desk.json(&["show", &id]);
    assert_eq!((&task["schedule"], &task["method"]), (&"n".into(), &"encode".into()));
    assert_eq!(task["parameters"], serde_json::json!({"a": 1}));
    assert!(desk.ok(&["show", &id]).contains("schedule    n\n"));
    let shown = desk.json(&["schedule", "show", "n"]);
    assert_eq!((&shown["state"], &shown["made"], &shown["last_task"]), (&"ended".into(), &1.into(), &id.into()));
}

#[test]
fn a_schedule_is_paused_resumed_and_run_by_hand() {
    let desk = Desk::new();
    desk.ok(&["schedule", "add", "n", "q", "--every", "1h"]);
    let paused = desk.run(&["schedule", "pause", "n", "--reason", "move"]);
    assert!(paused.err.contains("blueque schedule resume n"), "{}", paused.err);
    let shown = desk.json(&["schedule", "show", "n"]);
    assert_eq!((&shown["state"], &shown["paused"]["reason"]), (&"paused".into(), &"move".into()));
    assert!(desk.ok(&["schedule", "show", "n"]).contains("paused by "));
    assert!(shown.get("next").is_none());

    assert_eq!(desk.ok(&["schedule", "run", "n", "--id", "by-hand"]), "by-hand\n");
    let again = desk.run(&["schedule", "run", "n", "--id", "by-hand"]);
    assert!(again.code == 0 && again.err.contains("nothing was created"), "{}", again.err);
    assert!(desk.refused(5, &["schedule", "run", "n"]).contains("STATE: its task by-hand is pending"));
    desk.ok(&["schedule", "run", "n", "--overlap", "allow"]);
    assert_eq!(desk.ok(&["ls", "q", "-o", "id"]).lines().count(), 2);
    desk.ok(&["schedule", "resume", "n"]);
    assert_eq!(desk.json(&["schedule", "show", "n"])["state"], "active");
}

#[test]
fn one_that_has_ended_says_so_when_it_is_paused_or_resumed() {
    let desk = Desk::for_tests();
    desk.ok(&["schedule", "add", "n", "q", "--every", "1h", "--times", "1"]);
    tick(&desk, next(&desk, "n"));
    for word in ["resume", "pause", "resume"] {
        let said = desk.run(&["schedule", word, "n"]);
        assert!(said.code == 0 && said.err.contains("n has ended"), "{}", said.err);
    }
}

#[test]
fn the_trouble_of_a_schedule_is_shown() {
    let desk = Desk::for_tests();
    desk.ok(&["schedule", "add", "n", "q", "--every", "1h"]);
    desk.client().queue("q").unwrap().configure("closed", Some("1")).unwrap();
    tick(&desk, next(&desk, "n"));
    let shown = desk.json(&["schedule", "show", "n"]);
    assert_eq!((&shown["made"], &shown["skipped"]), (&0.into(), &1.into()));
    assert!(shown["error"].as_str().unwrap().starts_with("CLOSED this queue"), "{shown}");
    assert!(desk.ok(&["schedule"]).contains("CLOSED this queue"));
}

#[test]
fn what_cannot_be_a_schedule_is_refused_and_nothing_is_made() {
    let desk = Desk::new();
    let said = desk.refused(2, &["schedule", "add", "n", "q"]);
    assert!(said.contains("--every") && said.contains("--cron"), "{said}");
    let every: &[&str] = &["--every", "1h"];
    let refused: [&[&str]; 20] = [
        &[],
        &["--every", "0s"],
        &["--every", "1500ms"],
        &["--every", "11years"],
        &["--every", "soon"],
        &["--every", "1h", "--offset", "1h"],
        &["--every", "1h", "--cron", "0 3 * * *"],
        &["--every", "1h", "--zone", "UTC"],
        &["--cron", "0 3 * * *", "--offset", "5m"],
        &["--cron", "0 0 30 2 *"],
        &["--cron", "61 * * * *"],
        &["--cron", "* * * * * *"],
        &["--cron", ""],
        &["--cron", "@reboot"],
        &["--cron", "0 3 * * *", "--zone", "Mars/Olympus"],
        &["--cron", "0 3 * * *", "--start", "2030-01-01T00:00:00Z", "--end", "2030-01-01T02:00:00Z"],
        &["--every", "1h", "--end", "2001-01-01T00:00:00Z"],
        &["--every", "1h", "--times", "0"],
        &["--every", "1h", "--overlap", "queue", "--key", "tenant"],
        &["--every", "1h", "--late", "0s"],
    ];
    for options in refused {
        let err = desk.refused(2, &[&["schedule", "add", "n", "q"], options].concat());
        assert!(!err.is_empty(), "{options:?}");
    }
    desk.refused(2, &[&["schedule", "add", "a b", "q"], every].concat());
    desk.refused(2, &[&["schedule", "add", &"n".repeat(101), "q"], every].concat());
    desk.refused(2, &[&["schedule", "add", "n", "q", "not json"], every].concat());
    assert_eq!(desk.json(&["schedule", "ls"]), Value::Array(Vec::new()));
    for word in ["show", "pause", "resume", "run", "rm"] {
        assert!(desk.refused(4, &["schedule", word, "n"]).contains("there is no schedule n\n"), "{word}");
    }
}
