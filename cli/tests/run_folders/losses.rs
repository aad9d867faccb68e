//! Programs that kill their supervisor.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use blueque::{Status, Submit};

use crate::support::eventually;
use crate::world::{HOLD, World, field, lives, result, saved, send, status};

#[test]
fn a_program_that_kills_its_supervisor_is_lost_and_fails_at_its_cap() {
    let world = World::new();
    world.program("killer", "kill -9 $PPID; sleep 60");
    world.program("other", "echo 1");
    let queue = world.client.queue("killer").unwrap();
    let task = queue.submit_bytes(b"[]", Submit::default().max_losses(2)).unwrap();
    let other = queue.submit_bytes(b"[]", Submit::default().method("other")).unwrap();
    let _worker = world.worker(&["--queue", "killer"]);
    assert_eq!(result(&other), "1");
    let info = status(&task, Status::Failed);
    assert_eq!((info.attempt(), info.losses(), field(&info, "releases")), (3, 3, String::new()));
    assert_eq!(info.group().as_deref(), Some("lost"));
    let error = info.error().unwrap();
    assert!(error.contains("lost 3 times") && error.contains("SIGKILL"), "{error}");
    assert!(other.info().unwrap().updated() < info.updated(), "it had its turn meanwhile");
    world.nothing_is_left();
}

#[test]
fn a_checkpoint_ends_a_row_of_losses_and_the_next_ones_pause_as_the_first_ones_did() {
    let world = World::new();
    let save = "echo 4 > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"";
    let text = format!(
        "case $BLUEQUE_ATTEMPT in 4) {save} ;; 6) echo 6; exit ;; esac\n\
         kill -9 $PPID; sleep 60"
    );
    world.program("climber", &text);
    let task = world.submit("climber", "[]");
    let _worker = world.worker(&["--queue", "climber"]);
    assert_eq!(result(&task), "6");
    let info = task.info().unwrap();
    assert_eq!((info.losses(), field(&info, "stalled_losses").as_str()), (5, "2"), "the fourth began to count anew");
    world.nothing_is_left();
}

/// Without a control group, its processes are identified only by their environment.
#[test]
fn nothing_is_left_of_a_killed_supervisor_where_a_link_leads_to_the_state_folder() {
    let world = World::new();
    fs::create_dir(world.path("disk")).unwrap();
    fs::set_permissions(world.path("disk"), PermissionsExt::from_mode(0o700)).unwrap();
    symlink(world.path("disk"), world.path("state")).unwrap();
    world.program("hold", &format!("rm -f \"$BLUEQUE_RUN/group\"\n{HOLD}"));
    let _worker = world.worker(&["--queue", "hold"]);
    let task = world.held();
    let grandchild: i32 = world.written("grandchild").parse().unwrap();
    send("KILL", world.supervisor());
    eventually("its next attempt begins", || (task.info().unwrap().attempt() == 2).then_some(()));
    let lived = lives(grandchild);
    send("KILL", grandchild);
    assert!(!lived, "process {grandchild} ran on beside the next attempt");
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
}

#[test]
fn a_dead_supervisors_task_goes_on_while_the_server_has_no_memory_for_its_checkpoint() {
    let world = World::new();
    let text = "save() { echo $1 > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"; }\n\
        [ $BLUEQUE_ATTEMPT = 2 ] && { cat \"$BLUEQUE_CHECKPOINT\"; exit; }\n\
        save 1; while [ ! -e FOLDER/go ]; do sleep 0.02; done; save 2; echo x > FOLDER/saved; sleep 600";
    world.program("q", text);
    let task = world.submit("q", "[]");
    let _worker = world.worker(&["--queue", "q"]);
    saved(&task, 1);
    let supervisor = world.supervisor();
    let mut connection = world.server.connection();
    let mut memory = |most: &str| {
        redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(most).exec(&mut connection).unwrap();
    };
    memory("1");
    world.touch("go");
    world.written("saved");
    send("KILL", supervisor);
    eventually("it is given back", || (task.info().unwrap().losses() == 1).then_some(()));
    memory("0");
    assert_eq!(result(&task), "2");
    world.nothing_is_left();
}
