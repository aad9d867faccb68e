//! Errors of the command name the cause and the remedy in words that users typed or know.

use std::fs::File;

use blueque::Status;

use crate::support::{Server, eventually};
use crate::{Desk, left};

/// Words of libraries and of the operating system that mean nothing to users.
const FOREIGN: [&str; 8] = [
    "os error",
    "is not in",
    "supported units",
    "Invalid pattern",
    "AuthenticationFailed",
    "does not allow this call",
    "Moved:",
    "panicked",
];

/// Some states as a sentence lists them.
fn states(of: impl Fn(Status) -> bool) -> String {
    let names: Vec<&str> = Status::ALL.iter().filter(|&&status| of(status)).map(|status| status.as_str()).collect();
    let (last, rest) = names.split_last().unwrap();
    format!("{} or {last}", rest.join(", "))
}

fn says(desk: &Desk, code: i32, args: &[&str], text: &str) {
    let left = desk.run(args);
    let all = left.out + &left.err;
    assert_eq!(left.code, code, "{args:?}: {all}");
    assert!(all.contains(text), "{args:?} says {text:?}: {all}");
    assert!(!FOREIGN.iter().any(|word| all.contains(word)), "{args:?}: {all}");
}

#[test]
fn what_is_wrong_is_said_with_its_cause_and_its_remedy() {
    let desk = Desk::new();
    for id in ["waits", "done"] {
        desk.ok(&["submit", if id == "done" { "d" } else { "q" }, "--id", id]);
    }
    desk.take("d").complete("x").unwrap();
    let only = "this is for one that is";
    let table: [(i32, &[&str], &str); 43] = [
        (2, &["limit", "set", "q", "k", "--rate", "5"], "must be a number of starts in a time, such as 100/1h"),
        (2, &["submit", "q", "--array", "5-1"], "blueque: --array: 5-1 has no element"),
        (4, &["submit", "q", "--after-success", "gone"], "blueque: NOTASK: --after-success: no task has the id gone"),
        (4, &["submit", "q", "--result-of", "gone"], "blueque: NOTASK: --result-of: no task has the id gone"),
        (2, &["submit", "q", "--max-losses", "-1"], "must be a whole number from 0 to 1000000000"),
        (2, &["submit", "q", "--jitter", "many"], "must be a whole number from 0 to 100"),
        (2, &["submit", "q", "--priority", "1001"], "must be a whole number from -1000 to 1000"),
        (2, &["ls", "--limit", "0"], "must be a whole number from 1 to 100000"),
        (2, &["worker", "-q", "q", "--slots", "501", "--", "true"], "must be a whole number from 1 to 500"),
        (2, &["submit", "q", "--max-bytes", "0"], "must be 1 to 8M"),
        (2, &["submit", "q", "--delay", "3x"], "must be a time such as 90s, 15m or 2h 30m"),
        (2, &["wait", "waits", "--timeout", "soon"], "must be a time such as 90s, 15m or 2h 30m"),
        (2, &["worker", "-q", "q", "--grace", "3x", "--", "true"], "must be a time such as 90s, 15m or 2h 30m"),
        (2, &["worker", "-q", "q", "--lease", "3x", "--", "true"], "must be a time such as 90s, 15m or 2h 30m"),
        (2, &["worker", "-q", "q", "--lease", "8days", "--", "true"], "'--lease <TIME>': must be from 1s to 7days"),
        (2, &["submit", "q", "--lease", "8days"], "'--lease <TIME>': must be from 1s to 7days"),
        (2, &["schedule", "add", "s", "q", "--every", "1h", "--lease", "999ms"], "must be from 1s to 7days"),
        (
            2,
            &["worker", "-q", "q", "--drain", "release", "--drain-after", "10min", "--", "true"],
            "--drain-after goes with --drain wait: with --drain release programs are stopped at once",
        ),
        (2, &["task", "progress", "7/5"], "7 of 5 is more than all"),
        (
            2,
            &["schedule", "add", "s", "q", "--cron", "x y z"],
            "the cron expression `x y z` needs 5 fields: minute, hour, day of the month, month, day of the week; it has 3",
        ),
        (
            2,
            &["schedule", "add", "s", "q", "--cron", "61 * * * mon"],
            "`61 * * * mon` has the invalid field `61`: minutes are 0-59",
        ),
        (2, &["schedule", "add", "s", "q", "--cron", "@fortnightly"], "is unknown: @hourly, @daily"),
        (4, &["schedule", "rm", "nosuch"], "there is no schedule nosuch"),
        (2, &["ls", "--status", "runing"], "'running'"),
        (0, &["ls", "q", "--status", "running,pending"], "waits"),
        (2, &["submit", "q", "--params", "@/no/such/file"], "No such file or directory"),
        (2, &["--config", "/no/such/file", "ls"], "No such file or directory"),
        (5, &["retry", "waits"], &format!("the task is pending; {only} failed or cancelled")),
        (5, &["delete", "waits"], &format!("the task is pending; {only} {}", states(Status::is_finished))),
        (5, &["requeue", "waits"], &format!("the task is pending; {only} {}", states(Status::is_owned))),
        (5, &["cancel", "done"], &format!("the task is complete; {only} {}", states(|status| !status.is_finished()))),
        (5, &["move", "other", "done"], &format!("the task is complete; {only} {}", states(Status::is_waiting))),
        (5, &["prioritize", "1", "done"], &format!("the task is complete; {only} {}", states(Status::is_waiting))),
        (0, &["move", "q", "waits"], "there already"),
        (0, &["bulk", "prioritize", "q", "--priority", "3"], "prioritise"),
        (0, &["submit", "q", "--id", "later", "--eta", "10m"], "later"),
        (0, &["why", "later"], "It is scheduled for"),
        (2, &["submit", "q", "--eta", "someday"], "or 10m from now"),
        (2, &["worker", "-q", "q", "--", "/no/such/program"], "/no/such/program is not a program"),
        (2, &["worker", "-q", "q", "--dir", "/no/such/folder"], "there is no folder /no/such/folder: make it"),
        (2, &["worker", "-q", "q"], "which programs? Name their folder by --dir or BLUEQUE_DIR"),
        (2, &["find", "--from", "10m"], "or -2h for two hours ago"),
        (0, &["show", "waits"], "pending"),
    ];
    for (code, args, text) in table {
        if args == ["worker", "-q", "q"] && std::path::Path::new("/etc/blueque/worker.d").is_dir() {
            continue; // this machine has programs
        }
        says(&desk, code, args, text);
    }
    let nothing = desk.run(&["schedule", "rm", "nosuch"]);
    assert_eq!(nothing.out, "", "no head of a table for nothing");
    let named = desk.command(&["worker", "-q", "q"]).env("BLUEQUE_DIR", "/no/such/folder").output().unwrap();
    assert!(left(named).err.contains("there is no folder /no/such/folder"));
}

#[test]
fn what_cannot_be_written_to_stdout_is_said_and_that_a_task_goes_on() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "a"]);
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let said = "blueque: stdout cannot be written: No space left on device\n";
    for args in
        [&["ls"][..], &["ls", "-o", "json"], &["why", "a"], &["events", "q", "-o", "id"], &["completions", "bash"]]
    {
        let left = left(desk.command(args).stdout(full()).output().unwrap());
        assert_eq!((left.code, left.err.as_str()), (1, said), "{args:?}");
    }
    desk.ok(&["cancel", "a"]);
    let child = desk.command(&["run", "q", "--id", "t"]).stdout(full()).spawn().unwrap();
    let task = desk.take("q");
    desk.say(&task, "stdout", "working\n");
    let left = left(child.wait_with_output().unwrap());
    assert_eq!(left.code, 1, "{}", left.err);
    assert!(
        left.err.ends_with(&format!("t goes on without this command; blueque logs -f t follows it again\n{said}")),
        "{}",
        left.err
    );
}

#[test]
fn why_a_server_cannot_be_used_is_said_soon_and_with_what_to_do() {
    let desk = Desk::new();
    for (url, text) in [
        (
            "redis://127.0.0.1:1/",
            "no server at redis://127.0.0.1:1/: the connection is refused; start it, or name another",
        ),
        ("unix:///no/such/socket", "no server at unix:///no/such/socket: there is no such socket"),
        ("redis://no-such-host.invalid/", "no address is known for this host"),
    ] {
        for command in ["ls", "doctor"] {
            says(&desk, 3, &["--url", url, command], text);
        }
    }
    let database = format!("{}?db=99", desk.server.url());
    says(&desk, 2, &["--url", &database, "ls"], "the server has no such database");
    says(&desk, 2, &["--url", &database, "worker", "-q", "q", "--", "/bin/true"], "the server has no such database");
    let guarded = Desk::on(Server::start_with(&["--save", "", "--requirepass", "right"]));
    for command in ["ls", "doctor"] {
        says(&guarded, 3, &[command], "the server asks for a password: set BLUEQUE_PASSWORD");
        let output = guarded.command(&[command]).env("BLUEQUE_PASSWORD", "wrong").output().unwrap();
        let left = left(output);
        let all = left.out + &left.err;
        assert!(left.code == 3 && all.contains("the server refuses this user or password: check"), "{all}");
        assert!(!FOREIGN.iter().any(|word| all.contains(word)), "{all}");
    }
}

/// A worker, its supervisor and the commands find the namespace although the first node of the URL is down.
fn everything_goes_by_the_url_of_the_cluster(desk: &Desk, connection: &mut redis::Connection) {
    let (_, port): (String, u16) = redis::cmd("CONFIG").arg("GET").arg("port").query(connection).unwrap();
    let url = format!("redis+cluster://127.0.0.1:1,127.0.0.1:{port}");
    let command = |args: &[&str]| {
        let mut command = desk.command(args);
        command.env("BLUEQUE_URL", &url).env("BLUEQUE_NAMESPACE", "{bq}");
        command
    };
    let ok = |args: &[&str]| {
        let left = left(command(args).output().unwrap());
        assert_eq!(left.code, 0, "{args:?}: {}{}", left.out, left.err);
    };
    ok(&["submit", "w", "--id", "by-cluster"]);
    let mut worker = command(&["worker", "-q", "w", "--", "/bin/true"]).spawn().unwrap();
    ok(&["wait", "by-cluster", "--timeout", "20s"]);
    worker.kill().unwrap();
    worker.wait().unwrap();
    ok(&["delete", "by-cluster"]);
    let doctor = left(command(&["doctor"]).output().unwrap());
    assert!(doctor.out.contains("answers"), "{}{}", doctor.out, doctor.err);
}

/// Takes two seconds, after which a node of a cluster starts to serve.
#[test]
fn the_wrong_node_of_a_cluster_and_a_namespace_without_a_tag_are_said_at_once() {
    let desk = Desk::on(Server::start_cluster_node());
    let mut connection = desk.server.connection();
    eventually("the node serves", || redis::cmd("GET").arg("x").query::<Option<String>>(&mut connection).ok());
    let slot: u16 = redis::cmd("CLUSTER").arg("KEYSLOT").arg("{bq}").query(&mut connection).unwrap();
    let other = "b".repeat(40);
    let mut give = redis::pipe();
    for given in (0..16384).filter(|given| given % 2 == 1 && *given != slot) {
        give.cmd("CLUSTER").arg("SETSLOT").arg(given).arg("NODE").arg(&other).ignore();
    }
    give.exec(&mut connection).unwrap();
    for namespace in ["blueque", "films", "songs"] {
        for command in [&["ls"][..], &["submit", "q"], &["worker", "-q", "q", "--", "/bin/true"]] {
            says(&desk, 2, &[&["--namespace", namespace], command].concat(), "the namespace needs a {tag}");
        }
        says(
            &desk,
            1,
            &["--namespace", namespace, "doctor"],
            "the server is a node of a cluster, and the namespace has no {tag}",
        );
    }
    let tagged = ["--namespace", "{bq}"];
    desk.ok(&[&tagged[..], &["submit", "q", "--id", "t"]].concat());
    desk.ok(&[&tagged[..], &["cancel", "t"]].concat());
    everything_goes_by_the_url_of_the_cluster(&desk, &mut connection);
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
    redis::cmd("DEL").arg(&keys).exec(&mut connection).unwrap();
    redis::cmd("CLUSTER").arg("SETSLOT").arg(slot).arg("NODE").arg(&other).exec(&mut connection).unwrap();
    for command in [&["ls"][..], &["worker", "-q", "q", "--", "/bin/true"], &["doctor"]] {
        let args = [&tagged[..], command].concat();
        says(
            &desk,
            2,
            &args,
            "this node of the cluster does not hold the namespace {bq}: use --url redis+cluster://127.0.0.1:1/",
        );
    }
}

#[test]
fn help_shows_no_empty_default() {
    let desk = Desk::new();
    let words =
        [&["cancel"][..], &["bulk", "cancel"], &["graph", "cancel"], &["queue", "pause"], &["schedule", "pause"]];
    for words in words {
        let help = desk.ok(&[words, &["--help"]].concat());
        assert!(help.contains("--reason") && !help.contains("[default: ]"), "{help}");
        assert!(!help.contains("[default: \"\"]"), "{help}");
    }
}

#[test]
fn a_queue_that_was_closed_by_drain_names_drain_as_the_remedy() {
    let desk = Desk::new();
    desk.ok(&["submit", "q"]);
    desk.ok(&["drain", "q"]);
    let said = desk.refused(5, &["submit", "q"]);
    assert!(said.contains("CLOSED") && said.contains("blueque drain QUEUE --off"), "{said}");
    desk.ok(&["submit", "r", "--id", "t"]);
    let said = desk.refused(5, &["move", "q", "t"]);
    assert!(said.contains("blueque drain QUEUE --off"), "{said}");
}
