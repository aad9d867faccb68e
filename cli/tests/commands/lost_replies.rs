//! The reply to a call is lost, and the command repeats the call by itself: it reports the outcome of the first call.

use blueque::{Client, ListenerId};

use crate::proxy::Proxy;
use crate::{Desk, Left, left};

impl Desk {
    /// Runs a command whose call loses its reply, while something else happens.
    fn unheard(&self, call: &str, args: &[&str], meanwhile: impl FnOnce() + Send + 'static) -> Left {
        let proxy = Proxy::to(&self.server);
        proxy.lose(call, meanwhile);
        let left = left(self.command(args).env("BLUEQUE_URL", proxy.url()).output().unwrap());
        assert_eq!(proxy.lost(), 1, "{args:?}: {}{}", left.out, left.err);
        assert_eq!(left.code, 0, "{args:?}: {}{}", left.out, left.err);
        for word in ["exists", "nothing", "is there as it is"] {
            assert!(!left.err.contains(word), "{args:?}: {}", left.err);
        }
        left
    }
}

#[test]
fn a_task_is_submitted_retried_and_deleted_once() {
    let desk = Desk::new();
    desk.unheard("submit", &["submit", "q"], || {});
    assert_eq!(desk.unheard("submit", &["submit", "q", "--id", "t"], || {}).out, "t\n");
    assert_eq!(desk.ok(&["ls", "q", "-o", "id"]).lines().count(), 2);
    desk.ok(&["bulk", "cancel", "q", "--yes"]);
    let url = desk.server.url();
    let takes = move || {
        let client = Client::open(&url).unwrap();
        let mut listener = client.listener_as(ListenerId::of_process("host", 1), &["q"]).unwrap();
        let _held = listener.try_listen().unwrap().expect("the task");
    };
    assert_eq!(desk.unheard("retry", &["retry", "t"], takes).out, "ID  OUTCOME\nt   pending\n");
    desk.ok(&["cancel", "t", "--now"]);
    assert_eq!(desk.unheard("delete", &["delete", "t", "-o", "id"], || {}).out, "t\n");
}

#[test]
fn a_schedule_is_made_run_and_removed_once() {
    let desk = Desk::new();
    let made = desk.unheard("schedule", &["schedule", "add", "s", "q", "--every", "1h"], || {});
    assert!(made.out.contains('s'), "{}", made.out);
    let ran = desk.unheard("run_schedule", &["schedule", "run", "s", "-o", "id"], || {});
    assert_eq!(desk.ok(&["ls", "q", "-o", "id"]), ran.out);
    desk.unheard("unschedule", &["schedule", "rm", "s"], || {});
    assert!(!desk.ok(&["schedule", "ls"]).contains("1h"));
}

#[test]
fn a_bulk_counts_what_it_changed() {
    let desk = Desk::new();
    for _ in 0..3 {
        desk.ok(&["submit", "q"]);
    }
    let left = desk.unheard("bulk", &["bulk", "cancel", "q", "--yes", "-o", "json"], || {});
    let changed: serde_json::Value = serde_json::from_str(&left.out).unwrap();
    assert_eq!(changed[0]["changed"], 3, "{}", left.out);
    desk.unheard("bulk", &["queue", "purge", "q", "--yes"], || {});
    desk.unheard("delete_queue", &["queue", "delete", "q", "--yes"], || {});
}
