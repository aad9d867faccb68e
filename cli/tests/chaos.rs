//! Random kills in sequence: every task ends exactly once, with the right result, and no process is left.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/victims.rs"]
mod victims;
#[path = "worker/world.rs"]
mod world;

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use blueque::{Status, Submit, TaskInfo};
use support::{eventually, seed};
use victims::{Random, victims};
use world::{Worker, World, send};

const KILLS: u32 = 50;
const TASKS: u32 = 15;

/// Each loss in a row without a checkpoint doubles the delay of a task; a checkpoint resets it.
const AFTERWARDS: Duration = Duration::from_secs(120);

/// Each step appends to a list that is the checkpoint; the result is its sum. Some run in a grandchild. All
/// processes of a tree hold a lock while they run.
const WORK: &str = "\
    exec 9> FOLDER/lock.$BLUEQUE_TASK_ID; flock -n 9 || echo $BLUEQUE_TASK_ID >> FOLDER/overlap\n\
    list=''; [ -e \"$BLUEQUE_CHECKPOINT\" ] && list=$(cat \"$BLUEQUE_CHECKPOINT\")\n\
    n=$(echo $list | wc -w)\n\
    while [ $n -lt 100 ]; do\n\
      [ -e \"$BLUEQUE_STOP\" ] && exit 85\n\
      n=$((n + 1)); list=\"$list $n\"; setsid sleep 0.03\n\
      echo $list > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"\n\
    done\n\
    sum=0; for i in $list; do sum=$((sum + i)); done\n\
    echo $sum > \"$BLUEQUE_OUTPUT_DIR/sum\"\n\
    echo \"{\\\"sum\\\": $sum}\"";

#[test]
fn fifty_kills_at_random_lose_no_task_and_leave_no_process() {
    let mut random = Random(seed::new());
    let world = World::new();
    world.program("work", WORK);
    let queue = world.client.queue("work").unwrap();
    let tasks: Vec<_> =
        (0..TASKS).map(|n| world.submit_as("work", &format!("t{n}"), Submit::default().max_losses(1_000))).collect();
    let start = || world.worker(&["--queue", "work", "--slots", "4", "--lease", "3s", "--quiet"]);
    let mut workers: Vec<Worker> = vec![start(), start()];
    let mut done: HashMap<&str, u32> = HashMap::new();
    let mut kills = 0;
    let end = Instant::now() + Duration::from_secs(50);
    while kills < KILLS && Instant::now() < end {
        // If only the program is killed, the task has crashed and fails: the test retries it by hand.
        for task in &tasks {
            if task.info().unwrap().status() == Some(Status::Failed) {
                task.retry().unwrap();
            }
        }
        let pause = Duration::from_millis(20 + random.below(150) as u64);
        let until = Instant::now() + pause;
        eventually("the next kill is due", || (Instant::now() >= until).then_some(()));
        let who = ["worker", "supervisor", "program", "everything"][random.below(4)];
        let all: Vec<i32> = match who {
            "worker" => Vec::new(),
            "everything" => victims(&world, "supervisor"),
            who => victims(&world, who),
        };
        match who {
            "worker" | "everything" => {
                let victim = random.below(workers.len());
                for pid in all {
                    send("KILL", pid);
                }
                workers.remove(victim).kill();
                workers.push(start());
            }
            _ if all.is_empty() => continue,
            _ => send("KILL", all[random.below(all.len())]),
        }
        *done.entry(who).or_default() += 1;
        kills += 1;
    }
    assert_eq!(kills, KILLS, "{done:?}");
    println!("kills: {done:?}, complete when they were over: {}", queue.counts().unwrap().complete);
    let over = Instant::now() + AFTERWARDS;
    let infos: Vec<TaskInfo> = loop {
        let infos: Vec<TaskInfo> = tasks.iter().map(|task| task.info().unwrap()).collect();
        for (task, info) in tasks.iter().zip(&infos) {
            if info.status() == Some(Status::Failed) {
                assert!(info.error().unwrap().contains("SIGKILL"), "{:?}", info.error());
                task.retry().unwrap();
            }
        }
        if infos.iter().all(|info| info.status() == Some(Status::Complete)) {
            break infos;
        }
        assert!(Instant::now() < over, "waited {AFTERWARDS:?} in vain until every task is complete");
        std::thread::sleep(Duration::from_millis(100));
    };
    for info in &infos {
        assert_eq!(info.result_bytes().unwrap(), b"{\"sum\": 5050}");
    }
    let events: Vec<Vec<String>> = {
        let mut after = "0".to_owned();
        let mut all = Vec::new();
        loop {
            let page = world
                .client
                .call(&world.client.calls().events(queue.name(), &after, 500, &blueque::calls::EventsOptions::new()))
                .unwrap();
            if page.items.is_empty() {
                break all;
            }
            all.extend(page.items.into_iter().map(|event| vec![event.id, event.to]));
            after = page.last;
        }
    };
    for task in &tasks {
        let completions =
            events.iter().filter(|event| event[0] == task.id().as_str() && event[1] == "complete").count();
        assert_eq!(completions, 1, "{} ended once", task.id());
        eventually("the output is published", || {
            let sum = fs::read_to_string(world.path("state/blueque/output").join(task.id().as_str()).join("sum"));
            (sum.ok()? == "5050\n").then_some(())
        });
    }
    assert!(!world.path("overlap").exists(), "two trees lived at once on one task");
    world.nothing_is_left();
    drop(workers);
}
