//! Programs that the kernel kills because memory runs out. This file is separate from the other tests: on a machine
//! that counts all such kills together, programs of other tests count as killed for lack of memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[allow(dead_code)]
#[path = "supervisor/stage.rs"]
mod stage;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use blueque::Status;

use stage::Stage;
use support::eventually;

/// A control group with little memory, of either version. Needs root.
struct Group(PathBuf);

impl Group {
    fn new() -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap();
        let first = own.lines().find_map(|line| line.split_once(":memory:"));
        let first = first.map(|(_, path)| PathBuf::from(format!("/sys/fs/cgroup/memory{path}")));
        let (parent, limit) = first
            .filter(|path| path.exists())
            .map_or(("/sys/fs/cgroup".into(), "memory.max"), |path| (path, "memory.limit_in_bytes"));
        let group = Self(parent.join(format!("blueque-test-{}", std::process::id())));
        fs::create_dir(&group.0).expect("this test makes a control group, and needs root for it");
        fs::write(group.0.join(limit), (64 << 20).to_string()).unwrap();
        group
    }

    /// The command `blueque` in this group.
    fn blueque(&self) -> Command {
        let mut command = Command::new("sh");
        let script = format!("echo $$ > {}/cgroup.procs && exec \"$0\" \"$@\"", self.0.display());
        command.args(["-c", &script]).arg(Path::new(env!("CARGO_BIN_EXE_blueque")));
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        eventually("the group is empty", || fs::remove_dir(&self.0).ok());
    }
}

#[test]
fn a_program_or_a_child_of_it_that_the_kernel_kills_is_out_of_memory() {
    let (group, stage) = (Group::new(), Stage::new());
    for (script, how) in [("exec tail /dev/zero", "SIGKILL"), ("tail /dev/zero; exit $?", "exit code 137")] {
        let mut run = stage.task(script);
        run.supervise_by(group.blueque(), Stdio::inherit());
        run.ended();
        let info = run.task.info().unwrap();
        assert_eq!((info.status(), info.group().as_deref()), (Some(Status::Failed), Some("oom")), "{:?}", info.error());
        let error = info.error().unwrap();
        assert!(error.starts_with("out of memory") && error.contains(how), "{error}");
    }
}
