use std::time::{Duration, Instant};

use blueque::calls::FailOptions;

use crate::Desk;

/// Submits with every option, and compares the fields of the record.
#[test]
fn each_policy_of_a_submit_reaches_the_task() {
    let desk = Desk::new();
    let options = "--priority -7 --max-failures 3 --backoff fixed --delay 90s --max-delay 2h --jitter 5 --max-losses 4 \
                   --max-releases 9 --lease 10m --key acme --weight 2 --needs gpu>=2 --unique one --unique-until start \
                   --unique-policy existing --tag a --tag b --method m";
    let args: Vec<&str> = ["submit", "q", "--id", "t"].into_iter().chain(options.split_whitespace()).collect();
    desk.ok(&args);
    let record: Vec<(String, String)> =
        redis::cmd("HGETALL").arg("blueque_task_t").query(&mut desk.server.connection()).unwrap();
    let seconds = |text: &str| text.parse::<f64>().unwrap();
    for (name, value) in [
        ("priority", "-7"),
        ("max_failures", "3"),
        ("backoff", "fixed"),
        ("jitter", "5"),
        ("max_losses", "4"),
        ("max_releases", "9"),
        ("own_lease", "600000000"),
        ("key", "acme"),
        ("weight", "2"),
        ("needs", "gpu>=2"),
        ("unique", "one"),
        ("unique_until", "start"),
        ("tags", "a,b"),
        ("method", "m"),
    ] {
        let found = record.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
        assert_eq!(found, Some(value), "{name}");
    }
    for (name, value) in [("delay", 90.0), ("max_delay", 7200.0)] {
        let found = record.iter().find(|(field, _)| field == name).map(|(_, value)| seconds(value));
        assert_eq!(found, Some(value), "{name}");
    }
    let shown = desk.json(&["show", "t"]);
    assert_eq!((&shown["priority"], &shown["tags"][1], &shown["needs"]), (&(-7).into(), &"b".into(), &"gpu>=2".into()));
    assert!(desk.ok(&["show", "t"]).contains("key         acme\n"));
}

#[test]
fn a_policy_out_of_its_bounds_is_wrong_usage_and_makes_no_task() {
    let desk = Desk::new();
    for wrong in [
        &["--priority", "1001"][..],
        &["--priority", "high"],
        &["--max-failures", "1001"],
        &["--jitter", "101"],
        &["--backoff", "never"],
        &["--weight", "0"],
        &["--key", ""],
        &["--lease", "0s"],
        &["--lease", "8days"],
        &["--delay", "2years"],
        &["--needs", "gpu>>3"],
        &["--needs", ""],
        &["--unique", "a b"],
        &["--unique-policy", "replace"],
        &["--unique", "x", "--unique-until", "soon"],
        &["--unique", "x", "--unique-until", "0s"],
        &["--tag", "a,b"],
    ] {
        let args: Vec<&str> = ["submit", "q"].iter().chain(wrong).copied().collect();
        desk.refused(2, &args);
    }
    assert_eq!(desk.ok(&["ls", "-o", "id"]), "");
}

#[test]
fn a_unique_name_is_taken_answered_or_replaced() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "a", "--unique", "n"]);
    assert!(desk.refused(5, &["submit", "q", "--unique", "n"]).contains("DUPLICATE"));
    let made = desk.json(&["submit", "q", "--unique", "n", "--unique-policy", "existing"]);
    assert_eq!((&made["id"], &made["submitted"]), (&"a".into(), &"existing".into()));
    let made = desk.json(&["submit", "q", "--id", "b", "--unique", "n", "--unique-policy", "replace"]);
    assert_eq!((&made["submitted"], &made["replaced"]), (&"replaced".into(), &"a".into()));
    desk.take("q").complete(&3).unwrap();
    assert_eq!(desk.ok(&["ls", "q", "--status", "pending", "-o", "id"]), "");
    desk.ok(&["submit", "q", "--id", "c", "--unique", "n"]);
}

#[test]
fn settings_are_shown_set_and_taken_back_and_a_wrong_one_changes_nothing() {
    let desk = Desk::new();
    let set_for = |queue: &[&str], name: &str| {
        let args: Vec<&str> = ["config", "show"].iter().chain(queue).copied().collect();
        let all = desk.json(&args);
        let found = all.as_array().unwrap().iter().find(|setting| setting["name"] == name).unwrap().clone();
        (found["value"].as_str().map(str::to_owned), found["source"].as_str().unwrap().to_owned())
    };
    let is = |value: &str, source: &str| (Some(value.to_owned()), source.to_owned());
    assert_eq!(set_for(&[], "concurrency"), (None, "default".to_owned()));
    desk.ok(&["config", "set", "lease=90s", "max_delay=1h"]);
    desk.ok(&["config", "set", "-q", "q", "lease=2m", "rate=3/min", "backoff=fixed"]);
    assert_eq!(set_for(&["-q", "q"], "lease"), is("120", "queue"));
    assert_eq!(set_for(&["-q", "q"], "rate"), is("3/60", "queue"));
    assert_eq!(set_for(&["-q", "other"], "lease"), is("90", "namespace"));
    desk.ok(&["config", "unset", "-q", "q", "lease", "rate"]);
    assert_eq!(set_for(&["-q", "q"], "lease"), is("90", "namespace"));
    for wrong in ["lease=soon", "lease=0", "rate=5", "rate=0/60", "jitter=101", "nonsense=1", "closed=2", "backoff="] {
        desk.refused(2, &["config", "set", "-q", "q", wrong]);
    }
    for wrong in [&["config", "set", "lease"][..], &["config", "unset", "nonsense"], &["config", "set"]] {
        desk.refused(2, wrong);
    }
    let said = desk.refused(2, &["config", "set", "-q", "q", "jitter=7", "max_failures=5000"]);
    assert!(said.contains("max_failures: must be a whole number from 0 to 1000, not 5000"), "{said}");
    for args in [&["config", "set", "-q", "q", "jitter=7", "concurency=4"][..], &["config", "unset", "concurency"]] {
        let said = desk.refused(2, args);
        assert!(said.contains("unknown setting concurency: blueque config shows them all"), "{said}");
    }
    assert_eq!(set_for(&["-q", "q"], "jitter"), is("20", "default"));
    desk.ok(&["config", "set", "max_bytes=2M"]);
    assert_eq!(set_for(&[], "max_bytes"), is("2097152", "namespace"));
    desk.refused(2, &["config", "set", "max_bytes=9M"]);
    assert!(desk.ok(&["config", "-q", "q"]).contains("fixed"));
}

/// Only the server refuses this: a number with too many digits.
#[test]
fn a_setting_that_the_server_refuses_is_named_with_those_that_were_set_before_it() {
    let desk = Desk::new();
    let said =
        desk.refused(2, &["config", "set", "jitter=7", "lease=2m", "delay=1.000000000000000000000001", "keep=9"]);
    assert!(said.contains("delay=1.000000000000000000000001 was not set: BADARG: it must"), "{said}");
    assert!(said.contains("set before it: jitter, lease"), "{said}");
    let shown = desk.ok(&["config"]);
    assert!(shown.lines().any(|line| line.split_whitespace().eq(["keep", "50000", "default"])), "{shown}");
}

#[test]
fn a_shared_limit_expires_unless_somebody_names_it() {
    let desk = Desk::new();
    let said = desk.refused(2, &["limit", "set", "--shared", "db", "--expires", "7d"]);
    assert!(said.contains("there is no shared limit db: give it a --concurrency or a --rate"), "{said}");
    for bad in ["30s", "400d", "61.5s"] {
        assert!(
            desk.refused(2, &["limit", "set", "--shared", "db", "--rate", "1/1h", "--expires", bad])
                .contains("60s to 365d")
        );
    }
    let said = desk.run(&["limit", "set", "--shared", "db", "--concurrency", "2", "--expires", "7d"]).err;
    assert!(
        said.contains("the shared limit db: concurrency 2, rate none, expires after 7days without a task"),
        "{said}"
    );
    let said = desk.run(&["limit", "set", "--shared", "db", "--rate", "9/1h"]).err;
    assert!(said.contains("concurrency 2, rate 9/3600, expires after 7days"), "{said}");
    desk.ok(&["submit", "q", "--id", "t", "--limits", "db:2"]);
    let limits = desk.json(&["limit", "ls", "--shared"]);
    assert_eq!((&limits[0]["tasks"], &limits[0]["expires"]), (&1.into(), &604_800.into()), "{limits}");
    assert!(desk.ok(&["limit", "ls", "--shared"]).contains("7days"));
    desk.ok(&["limit", "set", "--shared", "db", "--never-expires"]);
    assert!(desk.ok(&["limit", "ls", "--shared"]).contains("never"));
    let doctor = desk.run(&["doctor"]).out;
    assert!(!doctor.contains("limits"), "{doctor}");
}

#[test]
fn what_a_shared_limit_can_never_give_is_said_before_what_else_a_task_lacks() {
    let desk = Desk::new();
    desk.ok(&["limit", "set", "--shared", "db", "--concurrency", "2"]);
    desk.ok(&["submit", "q", "--id", "t", "--limits", "db:2"]);
    desk.ok(&["limit", "set", "--shared", "db", "--concurrency", "1"]);
    let why = desk.ok(&["why", "t"]);
    assert!(
        why.contains("The shared limit db has only 1 place, and it takes 2: blueque limit set --shared db"),
        "{why}"
    );
    assert!(why.contains("Its queue q has no worker") || why.contains("start a worker"), "{why}");
    desk.ok(&["limit", "set", "--shared", "db", "--none"]);
    let why = desk.ok(&["why", "t"]);
    assert!(why.contains("There is no shared limit db: blueque limit set --shared db --concurrency 2"), "{why}");
}

#[test]
fn what_a_limit_does_not_name_stays() {
    let desk = Desk::new();
    desk.ok(&["limit", "set", "q", "acme", "--rate", "9/1h"]);
    let said = desk.run(&["limit", "set", "q", "acme", "--concurrency", "5"]).err;
    assert!(said.contains("concurrency 5, rate 9/3600"), "{said}");
    let said = desk.run(&["limit", "set", "q", "other", "--concurrency", "5"]).err;
    assert!(said.contains("concurrency 5, rate as the queue"), "{said}");
    desk.ok(&["limit", "set", "q", "acme", "--rate", "3/1m"]);
    let limits = desk.json(&["limit", "ls", "q"]);
    assert_eq!((&limits[0]["concurrency"], &limits[0]["rate"]), (&5.into(), &"3/60".into()));
    desk.ok(&["limit", "set", "q", "acme", "--none"]);
    assert_eq!(desk.ok(&["limit", "ls", "q", "-o", "id"]), "other\n");
    let said = desk.refused(2, &["limit", "set", "q", "acme"]);
    assert!(["--concurrency", "--rate", "--none"].iter().all(|option| said.contains(option)), "{said}");
}

#[test]
fn keys_have_limits_of_their_own() {
    let desk = Desk::new();
    desk.ok(&["limit", "set", "q", "acme", "--concurrency", "2", "--rate", "100/1h"]);
    desk.ok(&["submit", "q", "--key", "acme"]);
    desk.ok(&["submit", "q", "--key", "other"]);
    let (_first, _second) = (desk.take_as("q", 1), desk.take_as("q", 2));
    let limits = desk.json(&["limit", "ls", "q"]);
    assert_eq!(limits.as_array().unwrap().len(), 1);
    let acme = &limits[0];
    assert_eq!((&acme["concurrency"], &acme["rate"], &acme["in_use"]), (&2.into(), &"100/3600".into(), &1.into()));
    assert_eq!(desk.ok(&["limit", "ls", "q", "--used", "-o", "id"]), "acme\nother\n");
    desk.ok(&["limit", "set", "q", "acme", "--none"]);
    assert_eq!(desk.ok(&["limit", "ls", "q", "-o", "id"]), "");
    for wrong in [
        &["limit", "set", "q", "acme"][..],
        &["limit", "set", "q", "a", "--rate", "5"],
        &["limit", "set", "q", "a", "--concurrency", "0"],
    ] {
        desk.refused(2, wrong);
    }
}

#[test]
fn priorities_decide_and_change_while_a_task_waits() {
    let desk = Desk::new();
    for (id, priority) in [("low", "-1"), ("plain", "0"), ("high", "1")] {
        desk.ok(&["submit", "q", "--id", id, "--priority", priority]);
    }
    assert_eq!(desk.ok(&["ls", "q", "-o", "id"]), "high\nplain\nlow\n");
    assert_eq!(desk.ok(&["prioritise", "-5", "high", "plain", "-o", "id"]), "high\nplain\n");
    assert_eq!(desk.ok(&["ls", "q", "-o", "id"]), "low\nhigh\nplain\n");
    let task = desk.take("q");
    assert_eq!(task.id().as_str(), "low");
    assert!(desk.refused(5, &["prioritise", "5", "low"]).contains("STATE"));
    desk.refused(4, &["prioritise", "5", "none"]);
    desk.refused(2, &["prioritise", "1001", "high"]);
}

#[test]
fn what_waits_is_changed_and_the_history_tells_who_did_it_and_why() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "[1]", "--id", "task-1", "--needs", "gpu", "--unique", "u", "--lease", "90s"]);
    desk.ok(&["submit", "q", "[1]", "--id", "other", "--unique", "v"]);
    let edit = "edit task [2] --unset needs,lease --max-failures 3 --tag a --tag b --unique-until start --eta +1h";
    let args: Vec<&str> = edit.split_whitespace().chain(["--reason", "no GPU"]).collect();
    assert_eq!(desk.ok(&args), "ID      OUTCOME\ntask-1  scheduled\n");
    let shown = desk.json(&["show", "task-1"]);
    assert_eq!((&shown["parameters"], &shown["tags"]), (&serde_json::json!([2]), &serde_json::json!(["a", "b"])));
    assert_eq!(desk.ok(&["edit", "task-1", "--now", "--priority", "-3", "--by", "me", "-o", "id"]), "task-1\n");
    let history = desk.ok(&["history", "task-1"]);
    assert!(history.contains("no GPU: eta - -> ") && history.contains("needs gpu -> -"), "{history}");
    assert!(history.contains("parameters 3 -> 3 bytes") && history.contains("lease 90 -> -"), "{history}");
    let last = &desk.json(&["history", "task-1"])[2];
    assert_eq!((&last["why"], &last["by"]), (&"edit".into(), &"me".into()));
    assert!(!desk.ok(&["show", "task-1"]).contains("no GPU"), "an edit is no note");
    assert_eq!(desk.ok(&["edit", "task-1", "--queue", "r", "-o", "id"]), "task-1\n");
    assert_eq!(desk.ok(&["ls", "r", "-o", "id"]), "task-1\n");
    assert!(desk.refused(5, &["edit", "other", "--queue", "r", "--unique", "u"]).contains("DUPLICATE"));
    for wrong in [
        &["edit", "other"][..],
        &["edit", "other", "--reason", "none"],
        &["edit", "other", "--unset", "colour"],
        &["edit", "other", "{"],
        &["edit", "other", "--unique-policy", "replace"],
        &["edit", "other", "--now", "--eta", "1h"],
        &["edit", "other", "--priority", "1", "--unset", "priority"],
    ] {
        desk.refused(2, wrong);
    }
    desk.refused(4, &["edit", "none", "--priority", "1"]);
    desk.take("q").complete(&1).unwrap();
    assert!(desk.refused(5, &["edit", "other", "--priority", "1"]).contains("STATE"));
}

#[test]
fn a_task_is_submitted_again_when_it_has_ended() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "[1]", "--id", "t"]);
    desk.refused(2, &["submit", "q", "[2]", "--again"]);
    desk.refused(2, &["submit", "q", "[2]", "--id", "t", "--request", "one"]);
    let again = ["submit", "q", "[2]", "--id", "t", "--again", "--request", "one"];
    let made = |args: &[&str]| {
        let made = desk.json(args);
        let made = made.get(0).unwrap_or(&made).clone();
        (made["submitted"].as_str().unwrap().to_owned(), made["round"].as_u64().unwrap())
    };
    assert_eq!(made(&again), ("changed".to_owned(), 1));
    let task = desk.take("q");
    assert!(desk.refused(5, &["submit", "q", "[2]", "--id", "t", "--again"]).contains("STATE"));
    task.complete(&1).unwrap();
    assert_eq!(made(&again), ("changed".to_owned(), 1), "its answer");
    let next = ["submit", "r", "[3]", "--id", "t", "--again", "--request", "two"];
    assert_eq!(made(&next), ("again".to_owned(), 2));
    assert_eq!(made(&next), ("again".to_owned(), 2));
    assert_eq!(desk.ok(&["ls", "r", "-o", "id"]), "t\n");
    assert_eq!(desk.ok(&["submit", "r", "--id", "t", "-o", "id"]), "t\n", "without again it stays");
    assert_eq!(desk.json(&["show", "t"])["parameters"], serde_json::json!([3]));
}

#[test]
fn a_closed_queue_takes_nothing_and_what_is_there_runs_on() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "a"]);
    desk.ok(&["config", "set", "-q", "q", "closed=1"]);
    assert!(desk.refused(5, &["submit", "q"]).contains("CLOSED"));
    assert_eq!(desk.json(&["queue", "ls"])[0]["closed"], true);
    assert!(desk.ok(&["queue", "ls"]).contains("accepts no tasks"));
    desk.take("q").complete(&1).unwrap();
    desk.ok(&["config", "set", "-q", "q", "closed=0"]);
    assert_eq!(desk.json(&["queue", "ls"])[0]["closed"], false);
    assert!(!desk.ok(&["queue", "ls"]).contains("accepts no tasks"));
    desk.ok(&["submit", "q"]);
}

#[test]
fn why_names_the_need_the_limit_or_the_failure() {
    let desk = Desk::new();
    let why = |id: &str| desk.ok(&["why", id]);
    desk.ok(&["submit", "q", "--id", "heavy", "--needs", "gpu"]);
    desk.ok(&["submit", "q", "--id", "first", "--key", "acme"]);
    desk.ok(&["submit", "q", "--id", "second", "--key", "acme"]);
    desk.ok(&["submit", "q", "--id", "wide", "--weight", "3"]);
    desk.ok(&["config", "set", "-q", "q", "key_concurrency=1", "rate=10/1day"]);
    desk.ok(&["limit", "set", "q", "acme", "--rate", "1/1h"]);
    let before = Instant::now();
    let first = desk.take("q");
    assert_eq!(first.id().as_str(), "first");
    assert_eq!(why("heavy"), "It needs gpu, which the only worker of q does not have.\n");
    assert_eq!(why("second"), "The only place of its key acme is taken.\n");
    desk.ok(&["config", "set", "-q", "q", "key_concurrency=2", "concurrency=3"]);
    assert_eq!(why("wide"), "1 of the 3 places of its queue q are taken, and it takes 3.\n");
    desk.ok(&["config", "set", "-q", "q", "concurrency=1"]);
    assert_eq!(why("second"), "The only place of its queue q is taken.\n");
    desk.ok(&["config", "unset", "-q", "q", "concurrency"]);
    let sentence = why("second");
    assert!(sentence.starts_with("The rate of its key acme lets the next task start at 20"), "{sentence}");
    let passed = before.elapsed().as_secs() + 1;
    let mut left = (1..=passed).map(|second| format!("(in 59m {}s).\n", 60 - second));
    assert!(left.any(|left| sentence.ends_with(&left)), "{passed} s at most after it was taken: {sentence}");
    desk.ok(&["config", "set", "-q", "q", "rate=1/1day"]);
    assert!(why("wide").starts_with("The rate of its queue q lets the next task start at 20"), "{}", why("wide"));

    desk.ok(&["submit", "r", "--id", "fails", "--max-failures", "2"]);
    let again = Some(Duration::from_secs(7_200));
    desk.take("r").fail_with("no luck", &again.into_iter().fold(FailOptions::new(), FailOptions::again)).unwrap();
    let sentence = why("fails");
    assert!(sentence.starts_with("It is tried again at 20"), "{sentence}");
    assert!(sentence.ends_with("(in 1h 59m), after 1 failure: no luck.\n"), "{sentence}");
    assert!(desk.json(&["show", "fails"])["eta"].is_string());
}
