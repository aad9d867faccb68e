#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::end::{Cost, End, Outcome, PostMortem};
use super::lock::Holder;
use super::notice::{About, Refusal};
use super::*;
use crate::process::Process;

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
        "attempt": attempt, "previous": 99 + attempt, "listener": "h_1", "lease_ms": 1000, "renewed_us": 1, "boot": "b",
        "machine": "", "program": ["/bin/true"], "start_reason": "new", "environment": [], "on_drain": "wait",
        "limits": {}, "pause_ms": 0, "suspect": false,
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
fn the_name_of_a_run_folder_says_its_attempt() {
    for (name, attempt) in [("%2Ex.5", (".x", 5)), ("x.1.5", ("x.1", 5)), ("%2E.7", (".", 7))] {
        assert_eq!(names::attempt(name), Some((attempt.0.to_owned(), attempt.1)), "{name}");
        assert!(RunFolder::at(name).is_of(attempt.0, attempt.1));
    }
}

#[test]
fn what_a_crash_left_goes_after_a_minute_and_what_is_being_made_or_removed_stays() {
    let state = State::new("crashed");
    let runs = state.0.join("default/runs");
    let make = |name: &str, age: u64| {
        let folder = runs.join(name);
        fs::create_dir_all(folder.join("work")).unwrap();
        let then = SystemTime::now() - Duration::from_secs(age);
        fs::File::open(&folder).unwrap().set_modified(then).unwrap();
        folder
    };
    let left = [make(".+x.1.4711", 70), make(".+x.2.gone", 70)];
    let new = [make(".+x.3.4711", 0), make(".+x.4.gone", 0)];
    RunFolder::tidy(&state.0, "default");
    assert!(!left.iter().any(|folder| folder.exists()) && new.iter().all(|folder| folder.exists()));
}

#[test]
fn only_files_are_read_and_no_more_than_the_limit_of_them() {
    let state = State::new("open");
    let path = |name: &str| state.0.join(name);
    fs::write(path("file"), "12345").unwrap();
    fs::create_dir(path("folder")).unwrap();
    mkfifo(&path("pipe"), Mode::S_IRWXU).unwrap();
    symlink(path("file"), path("link")).unwrap();
    let _socket = UnixListener::bind(path("socket")).unwrap();
    assert_eq!(open::read(&path("file"), 5).unwrap(), b"12345");
    assert_eq!(open::read(&path("file"), 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
    for name in ["folder", "pipe", "link", "socket"] {
        let error = open::read(&path(name), 5).unwrap_err();
        assert_eq!(error.to_string(), format!("it is a {name}, not a file"));
        drop(open::own(&path(name)).unwrap());
        assert_eq!(open::read(&path(name), 5).unwrap(), b"");
    }
    assert_eq!(fs::read(path("file")).unwrap(), b"12345", "what the link led to");
}

#[test]
fn what_is_added_to_is_a_file_and_nothing_else_is_waited_for_or_followed() {
    let state = State::new("append");
    let path = |name: &str| state.0.join(name);
    fs::write(path("file"), "1").unwrap();
    mkfifo(&path("pipe"), Mode::S_IRWXU).unwrap();
    symlink(path("file"), path("link")).unwrap();
    for name in ["link", "pipe"] {
        let error = open::append(&path(name)).unwrap_err();
        assert_eq!(error.to_string(), format!("it is a {name}, not a file"));
    }
    for name in ["file", "new"] {
        std::io::Write::write_all(&mut open::append(&path(name)).unwrap(), b"2").unwrap();
    }
    assert_eq!((fs::read(path("file")).unwrap(), fs::read(path("new")).unwrap()), (b"12".to_vec(), b"2".to_vec()));
}

#[test]
fn a_lock_is_taken_and_written_in_the_place_of_a_link_or_a_pipe_and_not_where_they_lead() {
    let state = State::new("links");
    let folder = RunFolder::create(&state.0, &run(1), b"", None).unwrap();
    let precious = state.0.join("precious");
    fs::write(&precious, "precious").unwrap();
    let holder = Holder { supervisor: Process::of(std::process::id().cast_signed()).unwrap(), program: None };
    for kind in ["link", "pipe"] {
        let _ = fs::remove_file(folder.lock_file());
        match kind {
            "link" => symlink(&precious, folder.lock_file()).unwrap(),
            _ => mkfifo(&folder.lock_file(), Mode::S_IRWXU).unwrap(),
        }
        assert_eq!(folder.holder(), None, "{kind}");
        let mut lock = folder.lock().unwrap().unwrap();
        assert!(lock.is_blank(), "{kind}");
        lock.write(&holder).unwrap();
        assert_eq!(folder.holder(), Some(holder), "{kind}");
        assert!(folder.lock().unwrap().is_none(), "{kind}: it is held");
    }
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
}

#[test]
fn a_pipe_swapped_for_a_file_between_two_looks_hangs_nobody() {
    let state = State::new("swap");
    let path = |name: &str| state.0.join(name);
    fs::write(path("file"), "1").unwrap();
    mkfifo(&path("pipe"), Mode::S_IRWXU).unwrap();
    fs::hard_link(path("file"), path("name")).unwrap();
    let done = AtomicBool::new(false);
    let (mut read, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                for what in ["pipe", "file"] {
                    fs::hard_link(path(what), path("next")).unwrap();
                    fs::rename(path("next"), path("name")).unwrap();
                    let _ = fs::remove_file(path("next")); // a rename of a link to itself keeps it
                }
            }
        });
        let begun = Instant::now();
        while (read < 100 || refused < 100) && begun.elapsed() < Duration::from_secs(30) {
            match open::read(&path("name"), 1) {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
        done.store(true, Ordering::Release);
    });
    assert!(read >= 100 && refused >= 100, "both were met: {read}, {refused}");
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

#[test]
fn a_cost_that_is_too_long_for_the_server_leaves_out_what_was_refused_and_then_the_output() {
    let refused = vec![Refusal { about: About::Lease, ms: 1, why: "x".repeat(300) }; 3];
    let known = Cost { wall_ms: 7, output: Some("/out".into()), refused: refused[..1].to_vec(), ..Cost::default() };
    let told = |cost: &Cost| serde_json::from_slice::<Cost>(&cost.told(Outcome::Complete).unwrap()).unwrap();
    assert_eq!(told(&known), known);
    let long = Cost { refused, ..known.clone() };
    assert_eq!(told(&long), Cost { refused: Vec::new(), ..known.clone() });
    let longer = Cost { output: Some("y".repeat(2_000)), ..long };
    assert_eq!(told(&longer), Cost { refused: Vec::new(), output: None, ..known.clone() });
    let nothing = Cost { refused: known.refused, ..Cost::default() };
    assert_eq!(nothing.told(Outcome::Release), None, "of a program that nothing is known of");
}
