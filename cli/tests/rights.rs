//! The permissions in docs/run/configuration.md are sufficient, and missing ones are reported.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "rights/next_door.rs"]
mod next_door;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::process::{Command, Stdio};

use blueque::calls::{NewTask, TaskOptions};
use blueque::{Status, Submit, TaskId};
use next_door::NextDoor;
use support::eventually;
use world::{Worker, World, result, status};

/// The ACL rules in docs/run/configuration.md that allow everything that Blueque does.
fn recipes() -> Vec<Vec<String>> {
    let page = include_str!("../../docs/run/configuration.md");
    let found = page.lines().filter_map(|line| line.trim().strip_prefix("ACL SETUSER blueque "));
    found.map(|rules| rules.split(' ').map(str::to_owned).collect()).collect()
}

/// A server on which only this user may do anything.
fn world(rules: &[String]) -> World {
    let world = World::new();
    let mut connection = world.server.connection();
    redis::cmd("ACL").arg("SETUSER").arg("blueque").arg(rules).exec(&mut connection).unwrap();
    redis::cmd("CONFIG").arg("SET").arg("appendonly").arg("yes").exec(&mut connection).unwrap();
    world
}

fn command_as(user: &str, world: &World, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(args).env("BLUEQUE_URL", format!("{}?user={user}", world.server.url()));
    command.env("BLUEQUE_PASSWORD", "PASSWORD").env("XDG_CONFIG_HOME", world.path("none"));
    command.env("BLUEQUE_STATE_DIR", world.path("state")).env_remove("BLUEQUE_NAMESPACE").stdin(Stdio::null());
    command
}

/// A command as that user: exit code, stdout, stderr.
fn run(world: &World, args: &[&str]) -> (Option<i32>, String, String) {
    run_as("blueque", world, args)
}

fn run_as(user: &str, world: &World, args: &[&str]) -> (Option<i32>, String, String) {
    let output = command_as(user, world, args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn worker(world: &World) -> Worker {
    worker_as("blueque", world)
}

fn worker_as(user: &str, world: &World) -> Worker {
    let log = std::fs::File::options().create(true).append(true).open(world.path("worker.log")).unwrap();
    let mut command = command_as(user, world, &["worker", "--queue", "q", "--lease", "3s", "--dir"]);
    Worker(command.arg(world.path("worker.d")).stdout(Stdio::null()).stderr(log).spawn().unwrap())
}

/// All of these must succeed.
const COMMANDS: [&[&str]; 28] = [
    &["submit", "q", "[1]", "--id", "later", "--eta", "+1h", "--tag", "a", "--priority", "3", "--unique", "u"],
    &["ls"],
    &["show", "later"],
    &["find", "q", "--tag", "a"],
    &["why", "later"],
    &["history", "later"],
    &["tag", "add", "later", "b"],
    &["tag", "ls"],
    &["prioritise", "5", "later"],
    &["move", "other", "later"],
    &["submit", "q", "[1]", "--id", "above", "--eta", "+1h", "--deadline", "+2h"],
    &["depend", "later", "--after", "above"],
    &["undepend", "later", "above"],
    &["edit", "later", "[2]", "--eta", "+2h", "--key", "k"],
    &["cancel", "later"],
    &["retry", "later"],
    &["bulk", "cancel", "other", "--yes"],
    &["delete", "later"],
    &["queue", "delete", "other", "--yes"],
    &["config", "set", "-q", "q", "max_failures=2"],
    &["limit", "set", "q", "k", "--concurrency", "2"],
    &["schedule", "add", "s", "q", "--every", "1h"],
    &["schedule", "rm", "s"],
    &["queue", "ls"],
    &["workers"],
    &["events", "q"],
    &["queue", "stats", "q"],
    &["admin", "reset-clock"],
];

#[test]
fn each_recipe_of_the_page_is_enough_for_a_worker_and_the_command_and_gives_no_more() {
    let recipes = recipes();
    assert!(!recipes.is_empty());
    for rules in recipes {
        let world = world(&rules);
        world.program("q", "echo \"$BLUEQUE_ATTEMPT\" > \"$BLUEQUE_CHECKPOINT\"; echo 1");
        world.program("hold", "echo $$ > FOLDER/pid; exec sleep 600");
        let worker = worker(&world);
        for args in COMMANDS {
            let (code, out, err) = run(&world, args);
            assert_eq!(code, Some(0), "{rules:?} {args:?}: {out}{err}");
            assert!(!err.contains("may not") && !err.contains("NOPERM"), "{args:?}: {err}");
        }
        let (code, out, err) = run(&world, &["run", "q", "[]"]);
        assert_eq!((code, out.trim()), (Some(0), "1"), "{err}");
        let task = world.submit_as("q", "hold", Submit::default().method("hold"));
        world.written("pid");
        status(&task, Status::Started);
        let (code, out, err) = run(&world, &["cancel", "hold", "--force"]);
        assert_eq!(code, Some(0), "{out}{err}");
        status(&task, Status::Cancelled);
        let (_, out, err) = run(&world, &["doctor"]);
        assert!(out.contains("this user may run every command of the scripts"), "{out}{err}");
        assert!(!out.contains("FINDING") || !out.contains("rights"), "{out}");
        assert!(!world.log().contains("may not"), "{}", world.log());
        drop(worker);
        NextDoor::moves_in(&world).is_out_of_reach(&world, "blueque", &NextDoor::told());
        world.nothing_is_left();
    }
}

/// The rules of the page for each role, inserted in its line in place of the keys; and the viewer's own line.
fn roles() -> Vec<(String, Vec<String>)> {
    let page = include_str!("../../docs/run/configuration.md");
    let (_, part) = page.split_once("### Roles").unwrap();
    let (part, _) = part.split_once("\n## ").unwrap();
    let line = recipes().pop().unwrap();
    let words = |rule: &str| rule.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut roles = Vec::new();
    for cells in part.lines().map(|line| line.split(" | ").collect::<Vec<_>>()).filter(|cells| cells.len() == 3) {
        let Some((_, rule)) = cells[2].split_once("`~") else { continue };
        let keys = words(&format!("~{}", rule.trim_end_matches("` |").replace(r"\|", "|")));
        let (before, after) = line.split_at(line.iter().position(|word| word == "~blueque_*").unwrap());
        roles.push((cells[0].trim_start_matches("| ").to_owned(), [before, &keys, &after[1..]].concat()));
    }
    let viewer = part.lines().find_map(|line| line.trim().strip_prefix("ACL SETUSER viewer ")).unwrap();
    roles.push(("viewer".to_owned(), words(viewer)));
    roles
}

#[test]
fn each_role_of_the_page_does_its_work_and_no_others() {
    let world = world(&recipes().pop().unwrap());
    let mut connection = world.server.connection();
    for (role, rules) in roles() {
        redis::cmd("ACL").arg("SETUSER").arg(role).arg(rules).exec(&mut connection).unwrap();
    }
    world.program("q", "echo 1");
    let works = |user: &str, args: &[&str]| {
        let (code, out, err) = run_as(user, &world, args);
        assert_eq!(code, Some(0), "{user} {args:?}: {out}{err}");
        assert!(!err.contains("NOPERM") && !err.contains("role"), "{user} {args:?}: {err}");
        out
    };
    let _worker = worker_as("worker", &world);
    assert_eq!(works("client", &["run", "q", "[]"]).trim(), "1");
    works("client", &["submit", "q", "--id", "later", "--eta", "+1h"]);
    for user in ["client", "administrator"] {
        works("client", &["submit", "q", "--id", user, "--eta", "+1h"]);
        works(user, &["cancel", user]);
        works(user, &["retry", user]);
    }
    for args in [&["ls"][..], &["show", "later"], &["why", "later"], &["queue", "ls"], &["workers"], &["events", "q"]] {
        for user in ["client", "worker", "maintenance", "administrator", "viewer"] {
            works(user, args);
        }
    }
    works("maintenance", &["admin", "maintenance", "--once"]);
    for args in [
        &["config", "set", "-q", "q", "max_failures=2"][..],
        &["limit", "set", "q", "k", "--concurrency", "2"],
        &["schedule", "add", "s", "q", "--every", "1h"],
        &["schedule", "rm", "s"],
        &["queue", "pause", "q"],
        &["queue", "resume", "q"],
    ] {
        works("administrator", args);
    }

    // A call that changes nothing.
    for user in ["viewer", "worker", "maintenance", "administrator"] {
        works(user, &["submit", "q", "--id", "later", "--eta", "+1h"]);
    }
    let before = works("viewer", &["show", "later", "-o", "json"]);
    for (user, args, role) in [
        ("client", &["queue", "pause", "q"][..], "administrator"),
        ("client", &["config", "set", "-q", "q", "max_failures=2"], "administrator"),
        ("worker", &["submit", "q"], "client"),
        ("worker", &["cancel", "later"], "client"),
        ("maintenance", &["edit", "later", "[2]"], "client"),
    ] {
        let (code, out, err) = run_as(user, &world, args);
        assert_ne!(code, Some(0), "{user} {args:?}: {out}{err}");
        assert!(err.contains(&format!("does not have the role {role}: grant it")), "{user} {args:?}: {err}");
    }
    for args in [&["submit", "q"][..], &["cancel", "later"], &["queue", "pause", "q"]] {
        let (code, out, err) = run_as("viewer", &world, args);
        assert_ne!(code, Some(0), "{args:?}: {out}{err}");
        assert!(err.contains("this user may not run"), "{args:?}: {err}");
    }
    assert_eq!(works("viewer", &["show", "later", "-o", "json"]), before);
    // A permission that doctor lacks does not keep it from its remaining checks.
    works("client", &["submit", "nobodys"]);
    let (_, out, err) = run_as("client", &world, &["doctor"]);
    assert!(out.contains("this user may not run SCAN"), "{out}{err}");
    assert!(out.contains("this user may not ask for appendfsync"), "{out}{err}");
    assert!(out.contains("1 task waits in nobodys"), "{out}{err}");
    let mut next_door = NextDoor::moves_in(&world);
    for user in ["client", "worker", "maintenance", "administrator", "viewer"] {
        let mut told = NextDoor::told();
        if matches!(user, "client" | "administrator" | "viewer") {
            told.retain(|command| !matches!(*command, "scan" | "clusterscan" | "client|unblock"));
        }
        next_door.is_out_of_reach(&world, user, &told);
    }
    assert!(!world.log().contains("NOPERM") && !world.log().contains("may not"), "{}", world.log());
}

#[test]
fn a_worker_that_may_not_publish_says_so_once_and_works() {
    let rules: Vec<String> = ["on", ">PASSWORD", "~blueque_*", "+@all", "resetchannels"].map(Into::into).to_vec();
    let world = world(&rules);
    world.program("q", "echo 1");
    let _worker = worker(&world);
    eventually("it waits", || world.log().contains("takes tasks of").then_some(()));
    let new = ["a", "b", "c"].map(|id| TaskId::new(id).unwrap());
    let tasks: Vec<_> = new.iter().map(|id| NewTask::new(id, b"[]")).collect();
    world.client.queue("q").unwrap().submit_many(&tasks, &TaskOptions::default()).unwrap();
    for id in &new {
        assert_eq!(result(&world.client.task(id.as_str()).unwrap()), "1");
    }
    let log = world.log();
    assert_eq!(log.matches("this user may not publish on blueque_*").count(), 1, "{log}");
    assert!(log.contains("'&blueque_*' +publish"), "{log}");
    let (code, out, _) = run(&world, &["doctor"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("FINDING  rights") && out.contains("may not publish on blueque_*"), "{out}");
}

#[test]
fn a_worker_that_may_not_work_is_refused_at_its_start_by_the_right_that_is_missing() {
    let rules: Vec<String> = ["on", ">PASSWORD", "~blueque_*", "&*", "+@all", "-xadd"].map(Into::into).to_vec();
    let world = world(&rules);
    let mut worker = worker(&world);
    let ended = eventually("the worker ends", || worker.0.try_wait().unwrap());
    assert_eq!(ended.code(), Some(1));
    let log = world.log();
    assert!(log.contains("NOPERM") && log.contains("may not run XADD on blueque_*"), "{log}");
    let (code, out, _) = run(&world, &["doctor"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("this user may not run XADD on blueque_*"), "{out}");
}
