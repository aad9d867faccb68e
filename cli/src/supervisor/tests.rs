#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write;

use sha2::{Digest, Sha256};

use super::files::{Events, Said};
use super::output::{LastWords, Shape, Spool};

fn file(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("blueque-supervisor-{}-{name}", std::process::id()))
}

#[test]
fn events_are_read_line_by_line_however_they_arrive() {
    let path = file("events");
    let mut writer = fs::File::create(&path).unwrap();
    let mut events = Events::new(path.clone());
    writer.write_all(b"{\"extend\":5}\n{\"alive\":tr").unwrap();
    assert_eq!(events.read(false), [Said::Extend(5.0)]);
    assert_eq!(events.read(false), []);
    writer.write_all(b"ue}\n\n{\"progress\":0.5,\"message\":\"so\"}").unwrap();
    assert_eq!(events.read(false), [Said::Alive]);
    assert_eq!(events.read(true), [Said::Progress(b"{\"message\":\"so\",\"progress\":0.5}".to_vec())]);
    // The file was rewritten, and is read from its beginning.
    fs::write(&path, "{\"extend\":1}\n").unwrap();
    assert_eq!(events.read(false), [Said::Extend(1.0)]);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_line_without_end_is_cut_and_the_events_after_it_are_read() {
    let path = file("long");
    let mut events = Events::new(path.clone());
    fs::write(&path, [vec![b'x'; 3 << 20], b"\n{\"extend\":1}\n".to_vec()].concat()).unwrap();
    let said: Vec<Said> = (0..4).flat_map(|_| events.read(false)).collect();
    assert!(matches!(&said[..], [Said::Other(text), Said::Extend(_)] if text.len() < 2_000), "{said:?}");
    fs::remove_file(path).unwrap();
}

#[test]
fn what_cannot_be_read_back_as_it_was_written_is_no_result() {
    let path = file("spool");
    let spool = |file, written: &[u8]| Spool::Disk {
        path: path.clone(),
        file,
        length: written.len() as u64,
        digest: Sha256::new_with_prefix(written),
    };
    let mut whole = Spool::open(path.clone());
    whole.write(b"4", 10);
    fs::remove_file(&path).unwrap();
    whole.write(b"2", 10);
    assert_eq!(whole.take().unwrap().unwrap(), b"42", "the open file is read, wherever its name is");

    let mut unreadable = spool(fs::File::create(&path).unwrap(), b"");
    unreadable.write(b"42", 10);
    assert!(unreadable.take().is_err());

    let mut full = fs::File::options();
    let mut lost = spool(full.read(true).write(true).open("/dev/full").unwrap(), b"4");
    lost.write(b"2", 10);
    assert!(lost.take().is_err(), "a cut result would be 2");

    let mut emptied = Spool::open(path.clone());
    emptied.write(b"42", 10);
    fs::write(&path, "").unwrap();
    assert!(emptied.take().is_err());

    let mut over = Spool::open(path.clone());
    over.write(&[b'x'; 11], 10);
    assert_eq!(over.take().unwrap(), None);
}

#[test]
fn the_last_words_are_the_last() {
    let mut words = LastWords::default();
    words.write(b"gone");
    words.write(&[b'x'; 4_090]);
    words.write(b"the end\n");
    assert!(words.text().starts_with("xxx") && words.text().ends_with("xthe end") && words.text().len() < 4_097);
    words.write(&[b'y'; 10_000]);
    assert_eq!(words.text(), "y".repeat(4_096));
}

#[test]
fn of_a_line_that_is_overwritten_again_and_again_the_last_state_is_kept_however_it_arrives() {
    let bar = (0..99).map(|n| format!("\r {n}%")).collect::<Vec<_>>().concat();
    let text = format!("begin\r\n{bar}\r\r 100%\r\nno space\r");
    for size in [1, 2, 7, text.len()] {
        let mut words = LastWords::default();
        for piece in text.as_bytes().chunks(size) {
            words.write(piece);
        }
        assert_eq!(words.text(), "begin\r\n 100%\r\nno space", "{size}");
    }
    let mut words = LastWords::default();
    words.write(b"cause\n");
    for _ in 0..20_000 {
        words.write(b"\r 55%");
    }
    assert_eq!(words.text(), "cause\n 55%");
}

#[test]
fn one_json_value_is_told_from_a_log() {
    let shape = |pieces: &[&str]| {
        let mut shape = Shape::default();
        for piece in pieces {
            shape.write(piece.as_bytes());
        }
        shape.is_one_value()
    };
    assert!(shape(&[" {\"a\": \"}\\", "\"]\", \"b\": [1, {}]}", "\n"]));
    for other in ["", "{} {}", "{}\nx", "x{}", "[1", "]", "1"] {
        assert!(!shape(&[other]), "{other}");
    }
}
