//! The command for each call of Blueque's Python API: the table in `docs/migrating/blueque-1.0.md`.

use std::process::Command;

use serde_json::{Value, json};

use crate::Shared;
use crate::support::eventually;

impl Shared {
    fn done(&self, args: &[&str]) -> String {
        let (out, code) = self.run(args);
        assert_eq!(code, 0, "{args:?}: {out}");
        out.trim_end().to_owned()
    }

    fn shown(&self, id: &str) -> Value {
        serde_json::from_str(&self.done(&["show", id, "-o", "json"])).unwrap()
    }
}

#[test]
fn a_task_is_submitted_scheduled_made_due_shown_and_deleted() {
    let mut all = Shared::new();
    let old = all.enqueue();
    let new = all.done(&["submit", "q", "[1]", "--id-only"]);
    let url = all.server.url();
    let later = all.done(&["--url", &url, "submit", "q", "[2]", "--eta", "+1h", "--id-only"]);
    let [old, new] = [old, new].map(|id| all.old.get(&id));
    for field in ["status", "queue", "parameters", "result", "error", "node", "pid"] {
        assert_eq!(old[field], new[field], "{field}");
    }
    assert_eq!(all.old.status(&later), "scheduled");

    // Due, as if an hour had passed.
    let mut connection = all.server.connection();
    redis::cmd("ZADD").arg("blueque_scheduled_tasks_q").arg(1).arg(&later).exec(&mut connection).unwrap();
    all.done(&["admin", "maintenance", "q", "--once"]);
    assert_eq!(all.old.status(&later), "pending");

    let id = all.old.text("listen", json!({"queue": "q"}));
    all.old.call("start", json!({ "id": id }));
    all.old.call("complete", json!({ "id": id, "result": "[3]" }));
    let (said, shown) = (all.old.get(&id), all.shown(&id));
    for field in ["status", "queue", "node"] {
        assert_eq!(shown[field], said[field], "{field}: {shown}");
    }
    assert_eq!((&shown["parameters"], &shown["result"]), (&json!([1]), &json!([3])), "{shown}");
    assert_eq!(shown["pid"].to_string().trim_matches('"'), all.old.pid().to_string(), "{shown}");
    assert!(!shown["created"].is_null() && !shown["updated"].is_null(), "{shown}");
    all.done(&["delete", &id]);
    assert_eq!(all.old.status(&id), "absent");
}

#[test]
fn a_worker_completes_and_fails_what_was_enqueued_as_its_program_says() {
    let mut all = Shared::new();
    let good = all.enqueue();
    let bad = all.old.text("enqueue", json!({"queue": "q", "parameters": "no"}));
    let program = "input=$(cat); [ \"$input\" = '[1]' ] || exit 3; printf '[3]' >\"$BLUEQUE_RESULT\"";
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.env_clear().env("HOME", all.home.path()).env("PATH", "/usr/bin:/bin").env("BLUEQUE_URL", all.server.url());
    let mut worker = command.args(["worker", "--queue", "q", "--", "sh", "-c", program]).spawn().unwrap();
    eventually("both have ended", || {
        (all.old.status(&good) == "complete" && all.old.status(&bad) == "failed").then_some(())
    });
    assert_eq!(all.old.get(&good)["result"], "[3]");
    assert!(all.old.get(&bad)["error"].as_str().unwrap().contains('3'));
    worker.kill().unwrap();
    worker.wait().unwrap();
}
