#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::run_folder::end::{End, Outcome, PostMortem};
use crate::run_folder::lock::{Holder, Process};

struct State(PathBuf);

impl State {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("blueque-run-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(attempt: u32) -> Run {
    let run = serde_json::json!({
        "version": 1, "namespace": "..", "url": "unix:///x", "id": "film.1", "queue": "q", "token": 100 + attempt,
        "attempt": attempt, "listener": "h_1", "lease_ms": 1000, "renewed_us": 1, "boot": "b",
        "program": ["/bin/true"], "start_reason": "new",
    });
    serde_json::from_value(run).unwrap()
}

#[test]
fn a_run_folder_is_whole_listed_read_and_removed() {
    let state = State::new("life");
    let folder = RunFolder::create(&state.0, &run(1), b"[1]", Some(b"half")).unwrap();
    assert!(folder.path().starts_with(state.0.join("%2E.")), "no namespace leads out: {folder:?}");
    assert_eq!(RunFolder::list(&state.0, "..").unwrap(), std::slice::from_ref(&folder));
    assert_eq!(folder.read().unwrap().id, "film.1");
    assert_eq!(fs::read(folder.checkpoint()).unwrap(), b"half");
    assert!(RunFolder::create(&state.0, &run(1), b"", None).is_err(), "one attempt, one folder");
    assert_eq!(RunFolder::list(&state.0, "..").unwrap().len(), 1);
    folder.remove().unwrap();
    folder.remove().unwrap();
    assert!(RunFolder::list(&state.0, "..").unwrap().is_empty());
}

#[test]
fn a_checkpoint_too_large_for_the_server_reaches_the_next_attempt_and_no_later_one() {
    let state = State::new("kept");
    let first = RunFolder::create(&state.0, &run(1), b"", Some(b"large")).unwrap();
    first.keep_checkpoint(&run(1)).unwrap();
    let second = RunFolder::create(&state.0, &run(2), b"", Some(b"older")).unwrap();
    assert_eq!(fs::read(second.checkpoint()).unwrap(), b"large");
    second.keep_checkpoint(&run(2)).unwrap();
    let fourth = RunFolder::create(&state.0, &run(4), b"", Some(b"of the third")).unwrap();
    assert_eq!(fs::read(fourth.checkpoint()).unwrap(), b"of the third");
    assert_eq!(fs::read_dir(state.0.join("%2E./kept")).unwrap().count(), 0, "what nobody can use is removed");
}

#[test]
fn the_lock_is_exclusive_and_tells_who_has_it() {
    let state = State::new("lock");
    let folder = RunFolder::create(&state.0, &run(1), b"", None).unwrap();
    assert_eq!(folder.holder(), None);
    let mut lock = folder.lock().unwrap().unwrap();
    assert!(folder.lock().unwrap().is_none());
    let own = Process::of(std::process::id().cast_signed()).unwrap();
    lock.write(&Holder { supervisor: own, program: Some(own) }).unwrap();
    lock.write(&Holder { supervisor: own, program: None }).unwrap();
    assert_eq!(folder.holder(), Some(Holder { supervisor: own, program: None }));
    assert!(own.lives() && !Process { started: own.started + 1, ..own }.lives());
    drop(lock);
    assert!(folder.lock().unwrap().is_some());
}

#[test]
fn an_end_is_read_back_as_it_was_or_not_at_all() {
    let state = State::new("end");
    let folder = RunFolder::create(&state.0, &run(1), b"", None).unwrap();
    let mut end = End::new(Outcome::Complete, None, PostMortem::default());
    folder.write_end(&mut end, b"\xff result").unwrap();
    assert_eq!(folder.read_end().unwrap(), (end, b"\xff result".to_vec()));
    fs::write(folder.end_payload(), "another").unwrap();
    assert!(folder.read_end().is_err());
}
