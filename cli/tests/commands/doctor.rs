use crate::Desk;
use crate::support::Server;

fn sound() -> Desk {
    Desk::on(Server::start_with(&["--appendonly", "yes"]))
}

impl Desk {
    fn plant(&self, words: &[&str]) {
        redis::cmd(words[0]).arg(&words[1..]).exec(&mut self.server.connection()).unwrap();
    }

    /// The only finding.
    fn diagnosis(&self) -> String {
        let left = self.run(&["doctor"]);
        let findings: Vec<&str> = left.out.lines().filter(|line| line.starts_with("FINDING")).collect();
        assert_eq!((left.code, findings.len()), (1, 1), "{}", left.out);
        findings[0].to_owned()
    }
}

/// A task in each state.
fn furnish(desk: &Desk) {
    for id in ["complete", "failed", "started", "pending", "cancelled"] {
        desk.ok(&["submit", "q", "--id", id]);
    }
    desk.ok(&["submit", "q", "--id", "scheduled", "--eta", "+1h"]);
    desk.ok(&["cancel", "cancelled"]);
    desk.take("q").complete("x").unwrap();
    desk.take("q").fail("x").unwrap();
    desk.take("q");
}

#[test]
fn a_sound_server_with_tasks_in_every_state_has_no_finding_and_is_not_changed() {
    let desk = sound();
    desk.ok(&["doctor"]);
    furnish(&desk);
    let writes = || {
        let text: String = redis::cmd("INFO").arg("persistence").query(&mut desk.server.connection()).unwrap();
        text.lines().find(|line| line.starts_with("rdb_changes_since_last_save")).unwrap().to_owned()
    };
    let before = writes();
    let out = desk.ok(&["doctor"]);
    assert_eq!(writes(), before);
    assert!(out.contains("6 tasks in 1 queue: every one is where its record says"), "{out}");
    assert!(out.contains("Redis") || out.contains("Valkey"), "{out}");
    let levels = desk.json(&["doctor"]);
    assert!(levels.as_array().unwrap().iter().all(|finding| finding["level"] == "ok"), "{levels}");
    assert!(desk.ok(&["doctor", "--limit", "1"]).contains("note"));
}

/// The error for a user who lacks some Redis commands.
fn without(desk: &Desk, denied: &[&str], args: &[&str]) -> crate::Left {
    let user = ["ACL", "SETUSER", "app", "reset", "on", ">pw", "~*", "&*", "+@all"];
    desk.plant(&[&user[..], denied].concat());
    let mut command = desk.command(args);
    command.env("BLUEQUE_URL", format!("{}?user=app", desk.server.url())).env("BLUEQUE_PASSWORD", "pw");
    crate::left(command.output().unwrap())
}

#[test]
fn what_this_user_may_not_ask_is_said_in_plain_words() {
    let desk = sound();
    furnish(&desk);
    let left = without(&desk, &["-info"], &["doctor"]);
    assert_eq!(left.code, 0, "{}{}", left.out, left.err);
    assert!(left.out.contains("this user may not run INFO: version, role and persistence are unknown"), "{}", left.out);
    let left = without(&desk, &["-info", "-config"], &["doctor"]);
    assert!(left.out.contains("may not ask for maxmemory-policy") && left.code == 0, "{}{}", left.out, left.err);
    for command in ["type", "multi", "exec", "scan", "time"] {
        let left = without(&desk, &[&format!("-{command}")], &["doctor"]);
        let said = format!("this user may not run {}, without which doctor", command.to_uppercase());
        assert!(left.out.contains(&said) && left.code == 1, "{}{}", left.out, left.err);
        assert!(!left.out.contains("Pipeline") && !left.err.contains("NoPerm"), "{}{}", left.out, left.err);
    }
}

#[test]
fn a_key_of_another_type_is_named_beside_the_rest() {
    for key in ["queues", "workers", "schedules", "listeners_q", "task_pending", "wake_q", "worker_host_1", "graphs"] {
        let desk = sound();
        furnish(&desk);
        desk.plant(&["DEL", &format!("blueque_{key}")]);
        desk.plant(&["SET", &format!("blueque_{key}"), "x"]);
        let left = desk.run(&["doctor"]);
        assert_eq!(left.code, 1, "{key}: {}{}", left.out, left.err);
        assert!(left.out.contains(&format!("blueque_{key} is a string and must be a ")), "{key}: {}", left.out);
        assert!(left.out.contains("appendonly, ") && left.out.contains("schema "), "{key}: {}", left.out);
        // The same holds if the keys that doctor looks at end before this key.
        let left = desk.run(&["doctor", "--limit", "1"]);
        assert!(left.code <= 1 && left.out.contains("appendonly, "), "{key}: {}{}", left.out, left.err);
    }
}

#[test]
fn a_user_without_rights_on_the_keys_reads_what_it_lacks() {
    let desk = sound();
    furnish(&desk);
    for keys in [&["~other*"][..], &["~blueque_meta"], &["~blueque_meta", "~blueque_task_*", "~blueque_queues"]] {
        let left = without(&desk, &[&["resetkeys"], keys].concat(), &["doctor"]);
        let findings: Vec<&str> = left.out.lines().filter(|line| line.starts_with("FINDING")).collect();
        let said = "this user may not use the keys blueque_*, without which doctor cannot check the rest: \
                    ACL SETUSER … '~blueque_*'";
        assert!(left.code == 1 && findings.last().is_some_and(|last| last.contains(said)), "{}{}", left.out, left.err);
        assert!(left.out.contains("appendonly, ") && !left.err.contains("NoPerm"), "{}{}", left.out, left.err);
    }
}

#[test]
fn full_memory_is_a_finding_and_the_data_is_looked_at_all_the_same() {
    let desk = sound();
    furnish(&desk);
    desk.plant(&["CONFIG", "SET", "maxmemory", "1"]);
    let finding = desk.diagnosis();
    assert!(finding.contains("the server's memory is full") && finding.contains(": raise maxmemory"), "{finding}");
    desk.plant(&["LREM", "blueque_complete_tasks_q", "0", "complete"]);
    let left = desk.run(&["doctor"]);
    assert!(left.out.contains("complete is complete, but is not in complete_tasks of q: LPUSH"), "{}", left.out);
    desk.plant(&["CONFIG", "SET", "maxmemory", "0"]);
    let finding = desk.diagnosis();
    assert!(finding.contains("not in complete_tasks"), "{finding}");
    // The remedy works.
    desk.plant(&finding.split(": ").nth(1).unwrap().split(' ').collect::<Vec<_>>());
    desk.ok(&["doctor"]);
}

#[test]
fn commands_that_the_server_renames_are_named() {
    let renamed = |command| Desk::on(Server::start_with(&["--appendonly", "yes", "--rename-command", command, ""]));
    let said = renamed("INFO").ok(&["doctor"]);
    assert!(said.contains("the server does not know INFO: it is renamed or disabled: version, role"), "{said}");
    for command in ["TIME", "SCAN", "MULTI"] {
        let desk = renamed(command);
        let left = desk.run(&["doctor"]);
        let said = format!("the server does not know {command}: it is renamed or disabled, without");
        let todo = format!("remove rename-command {command} from the server's configuration");
        assert!(left.code == 1 && left.out.contains(&said) && left.out.contains(&todo), "{}{}", left.out, left.err);
        assert!(!left.out.contains("grant them") && !left.err.contains("ResponseError"), "{}{}", left.out, left.err);
    }
}

#[test]
fn half_a_transaction_in_the_append_only_file_is_a_finding_until_the_file_is_rewritten() {
    let mut desk = Desk::on(Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]));
    desk.ok(&["submit", "q", "--id", "first"]);
    desk.ok(&["cancel", "first"]);
    desk.server.tear(5); // the end of its EXEC
    desk.server.kill();
    desk.server.restart();
    desk.ok(&["submit", "q", "--id", "second"]);
    desk.ok(&["cancel", "second"]);
    desk.server.kill();
    desk.server.restart();
    let info = || -> String { redis::cmd("INFO").arg("everything").query(&mut desk.server.connection()).unwrap() };
    let said = desk.run(&["doctor"]).out;
    // Servers that remove the whole transaction read the file without an error.
    let torn = !info().contains("unexpected_error_replies:0");
    assert_eq!(said.contains("it contains half a transaction: BGREWRITEAOF"), torn, "{said}");
    desk.plant(&["BGREWRITEAOF"]);
    crate::support::eventually("a rewritten file", || {
        let info = info();
        (info.contains("aof_rewrites:1") && info.contains("aof_rewrite_in_progress:0")).then_some(())
    });
    assert!(!desk.run(&["doctor"]).out.contains("half a transaction"));
}

#[test]
fn why_does_not_say_that_a_task_runs_whose_lease_is_gone() {
    let desk = sound();
    desk.ok(&["submit", "q", "--id", "t"]);
    let _task = desk.take("q");
    assert!(desk.ok(&["why", "t"]).starts_with("It has been running on "));
    desk.plant(&["DEL", "blueque_leases_q"]);
    let said = desk.ok(&["why", "t"]);
    assert!(said.starts_with("Its lease was deleted: ") && said.contains("it goes back to its queue when"), "{said}");
}

#[test]
fn an_eviction_policy_that_nobody_can_know_is_warned_of_once() {
    let desk = sound();
    desk.plant(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    let left = without(&desk, &["-info"], &["submit", "q", "--id", "t"]);
    assert_eq!((left.code, left.err.matches("maxmemory-policy").count()), (0, 1), "{}", left.err);
    assert!(desk.refused(1, &["submit", "q"]).contains("EVICTION"));
}

#[test]
fn settings_that_lose_tasks_are_findings() {
    let desk = Desk::new();
    assert!(desk.diagnosis().contains("nothing is kept on disk"));
    desk.plant(&["CONFIG", "SET", "save", "60 1"]);
    assert!(desk.diagnosis().contains("only snapshots"));
    let desk = sound();
    desk.plant(&["CONFIG", "SET", "appendfsync", "no"]);
    assert!(desk.diagnosis().contains("appendfsync everysec"));
    let desk = sound();
    desk.plant(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    assert!(desk.diagnosis().contains("noeviction"));
    let desk = sound();
    desk.plant(&["REPLICAOF", "127.0.0.1", "1"]);
    assert!(desk.run(&["doctor"]).out.contains("replica"));
    let desk = sound();
    desk.plant(&["HSET", "blueque_meta", "schema", "99"]);
    assert!(desk.diagnosis().contains("schema 99"));
}

#[test]
fn a_clock_that_ran_ahead_is_a_finding_with_a_remedy_that_works_while_nothing_is_held() {
    let desk = sound();
    desk.ok(&["submit", "q", "--id", "later", "--eta", "+1d"]);
    assert!(desk.run(&["admin", "reset-clock"]).err.contains("nothing was changed"));
    let far = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros() + 3_600_000_000;
    desk.plant(&["HSET", "blueque_meta", "clock:1", &far.to_string()]);
    let finding = desk.diagnosis();
    assert!(
        finding.contains("the namespace's clock is 59m") && finding.contains("blueque admin reset-clock"),
        "{finding}"
    );
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    assert!(desk.refused(5, &["admin", "reset-clock"]).contains("HELD"));
    task.complete("x").unwrap();
    assert!(desk.run(&["admin", "reset-clock"]).err.contains("is the server's again"));
    desk.ok(&["doctor"]);
}

#[test]
fn each_planted_disorder_is_one_finding_with_what_to_do() {
    for (words, finding) in [
        (&["DEL", "blueque_task_pending"][..], "pending is in pending_tasks of q, but has no record"),
        (&["LREM", "blueque_pending_tasks_q", "0", "pending"], "pending is pending, but is not in pending_tasks of q"),
        (&["LPUSH", "blueque_pending_tasks_q", "pending"], "pending is twice in pending_tasks of q"),
        (&["LPUSH", "blueque_pending_tasks_q", "complete"], "complete is complete, but is in pending_tasks of q"),
        (
            &["ZREM", "blueque_scheduled_tasks_q", "scheduled"],
            "scheduled is scheduled, but is not in scheduled_tasks of q",
        ),
        (&["HSET", "blueque_task_pending", "status", "odd"], "odd"),
        (
            &["SREM", "blueque_started_tasks_q", "host_1 1 started"],
            "started is started, but is not in started_tasks of q",
        ),
        (
            &["SADD", "blueque_started_tasks_q", "host_1 2 complete"],
            "complete is complete, but is in started_tasks of q",
        ),
        (
            &["LREM", "blueque_reserved_tasks_q_host_1", "0", "started"],
            "started is started, but is not in the list of host_1",
        ),
        (&["DEL", "blueque_leases_q"], "started is started, but is not in leases of q"),
        (&["ZADD", "blueque_leases_q", "1", "complete 77"], "complete is complete, but is in leases of q"),
        (&["ZADD", "blueque_leases_q", "1", "ghost 77"], "ghost is in leases of q, but has no record"),
        (&["ZADD", "blueque_tasks_q", "1", "ghost"], "ghost is in tasks of q, but has no record"),
        (&["ZADD", "blueque_queues", "5", "q"], "q counts 5 listeners and has 1"),
        (&["RPUSH", "blueque_wake_q", "x", "y"], "wake-ups, the bound is 1"),
        (&["SET", "blueque_surprise", "x"], "blueque_surprise is unknown"),
        (&["SET", "blueque_log_started", "x"], "blueque_log_started is a string and must be a stream"),
        (&["HSET", "blueque_task_stump", "updated", "1"], "the record of stump has no queue"),
        (
            &["HSET", "blueque_task_complete", "started", "9999999999"],
            "complete was started before it was created, or ended",
        ),
        (&["ZREM", "blueque_queues", "q"], "q has tasks, but is not in the list of queues"),
    ] {
        let desk = sound();
        furnish(&desk);
        desk.plant(words);
        let out = desk.run(&["doctor"]).out;
        let findings: Vec<&str> = out.lines().filter(|line| line.starts_with("FINDING")).collect();
        assert!(
            findings.iter().any(|line| line.contains(finding) && line.matches(": ").count() >= 1),
            "{words:?}: {out}"
        );
        assert!(findings.len() <= 2, "{words:?}: {out}");
    }
}

#[test]
fn a_list_of_a_listener_that_nobody_knows_is_a_finding() {
    let desk = sound();
    furnish(&desk);
    desk.ok(&["queue", "pause", "q"]); // otherwise there is another finding: nobody takes its task
    desk.plant(&["SREM", "blueque_listeners_q", "host_1"]);
    desk.plant(&["ZADD", "blueque_queues", "0", "q"]);
    assert!(desk.diagnosis().contains("host_1 is not registered on q, but holds 1 task"));
}

#[test]
fn tasks_that_move_while_the_doctor_looks_are_no_findings() {
    let desk = sound();
    let looked = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for pid in 1..=2 {
            let (desk, looked) = (&desk, &looked);
            scope.spawn(move || {
                let client = desk.client();
                let queue = client.queue("q").unwrap();
                let mut listener = client.listener_as(blueque::ListenerId::of_process("host", pid), &["q"]).unwrap();
                while !looked.load(std::sync::atomic::Ordering::Acquire) {
                    queue.submit(&1, blueque::Submit::default()).unwrap();
                    let Some(task) = listener.listen(std::time::Duration::ZERO).unwrap() else { continue };
                    task.start(pid).unwrap();
                    task.complete(&1).unwrap();
                    client.task(task.id().as_str()).unwrap().delete().unwrap();
                    queue.submit(&2, blueque::Submit::default()).unwrap();
                }
            });
        }
        let left: Vec<_> = (0..5).map(|_| desk.run(&["doctor"])).collect();
        looked.store(true, std::sync::atomic::Ordering::Release);
        for left in left {
            assert_eq!(left.code, 0, "{}", left.out);
        }
    });
}
