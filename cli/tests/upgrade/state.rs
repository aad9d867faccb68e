//! Files that a worker of a former release left in its state folder.

use std::fs;
use std::path::Path;

use blueque::{Address, ListenerId, Status, Submit, TaskId};
use sha2::{Digest as _, Sha256};

use crate::fixture::{Fixture, Scripts, releases};
use crate::support::eventually;
use crate::world::{World, field, result, status};

/// Continues from a checkpoint.
const PROGRAM: &str = "if [ -e \"$BLUEQUE_CHECKPOINT\" ]; then\n\
    echo \"\\\"from $(head -c 3 \"$BLUEQUE_CHECKPOINT\" | tr -d '\\n')\\\"\"; else echo '\"anew\"'; fi";

/// A dead listener of this host: no process can have this id.
fn dead() -> (String, String) {
    let pid = fs::read_to_string("/proc/sys/kernel/pid_max").unwrap().trim().to_owned();
    let own = ListenerId::of_this_process();
    (format!("{}_{pid}", own.host_and_pid().0), pid)
}

/// Brings a task to the given stage of the former release's worker, and restores the files that the worker left.
fn lay(world: &World, old: &Scripts, stage: &str, files: &[(String, Option<String>)]) {
    let (node, pid) = dead();
    let how = Submit::default().method("program").max_failures(1).delay(std::time::Duration::from_secs(3_600));
    world.client.queue("films").unwrap().submit_bytes(b"[1]", how.id(TaskId::new(stage).unwrap())).unwrap();
    let mut connection = world.server.connection();
    let mut call = |words: &str| old.words(&mut connection, words);
    call(&format!("register films {node}"));
    let token = call(&format!("reserve {node} 1 films"))[2].clone();
    if stage != "made" {
        call(&format!("start {stage} {token} 4711"));
    }
    match stage {
        "accepted" | "published" => drop(call(&format!("complete {stage} {token} \"done\""))),
        "kept" => drop(call(&format!("fail {stage} {token} broken again 0"))),
        _ => {}
    }
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let uptime = fs::read_to_string("/proc/uptime").unwrap();
    let seconds: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
    let machine = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    let server = Sha256::digest(Address::parse(&world.server.url()).unwrap().identity());
    let path = |name: &str| world.path(name).to_str().unwrap().to_owned();
    let words = [
        ("{TOKEN}", token),
        ("{NODE}", node),
        ("{URL}", world.server.url()),
        ("{PROGRAM}", path("worker.d/program")),
        ("{STATE}", path("state")),
        ("{BOOT}", boot.trim().to_owned()),
        ("{MACHINE}", machine.trim().to_owned()),
        ("{SERVER}", server[..4].iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()),
        ("{RENEWED}", format!("{:.0}", seconds * 1e6)),
        ("{PID}", pid),
        ("{TICKS}", "1".to_owned()),
    ];
    let fill = |text: &str| words.iter().fold(text.to_owned(), |text, (word, value)| text.replace(word, value));
    for (name, text) in files {
        let path = world.path("state/blueque").join(fill(name));
        match text {
            None => fs::create_dir_all(path).unwrap(),
            Some(text) => fs::write(path, fill(text)).unwrap(),
        }
    }
}

fn laid(fixture: &Fixture) -> World {
    let world = World::new();
    world.program("program", PROGRAM);
    let mut connection = world.server.connection();
    let old = fixture.scripts(&mut connection);
    let mut stages = fixture.state();
    stages.sort_by_key(|(stage, _)| stage == "kept"); // last, because this task is pending again
    for (stage, files) in stages {
        lay(&world, &old, &stage, &files);
    }
    world
}

fn content(path: &Path) -> String {
    eventually(&format!("{} is there", path.display()), || fs::read_to_string(path).ok())
}

#[test]
fn what_a_worker_of_a_former_release_left_is_taken_over_given_back_and_delivered() {
    for fixture in releases() {
        let world = laid(&fixture);
        let runs = world.path("state/blueque/runs");
        assert!(fs::read_dir(&runs).unwrap().count() >= 9, "{}", fixture.version);
        let task = |id: &str| world.client.queue("films").unwrap().task(id).unwrap();
        let before = content(&world.path("state/blueque/supervisors.log"));
        let worker = world.worker(&["--queue", "films", "--slots", "20"]);
        for id in ["made", "begun", ".dot", "saved", "drained"] {
            let expected = if ["saved", "drained"].contains(&id) { "\"from 5\"" } else { "\"anew\"" };
            assert_eq!(result(&task(id)), expected, "{id}");
            let info = task(id).info().unwrap();
            assert!(info.attempt() >= 2, "{id}");
            assert_eq!(info.losses(), u32::from(!["made", "drained"].contains(&id)), "{id}");
        }
        for id in ["complete", "accepted", "published"] {
            assert_eq!(result(&task(id)), "\"done\"", "{id}");
            assert_eq!(content(&world.path("state/blueque/output").join(id).join("film")), "text\n");
            assert_eq!(task(id).info().unwrap().attempt(), 1, "{id}: its work is not done again");
        }
        let failed = status(&task("failed"), Status::Scheduled);
        assert_eq!(failed.attempt(), 1);
        assert!(field(&failed, "last_error").contains("broken"), "{:?}", failed.fields);
        assert_eq!(result(&task("kept")), "\"from 777\"");
        eventually("nothing of it is left", || (fs::read_dir(&runs).unwrap().count() == 0).then_some(()));
        assert_eq!(fs::read_dir(world.path("state/blueque/kept")).unwrap().count(), 0);
        assert!(content(&world.path("state/blueque/supervisors.log")).starts_with(&before));
        drop(worker);
    }
}
