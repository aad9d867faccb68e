#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::segment::segment;
use super::sweep::{Keep, sweep};
use super::*;

struct State(PathBuf);

impl State {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().canonicalize().unwrap().join(format!("blueque-log-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn log(&self, id: &str) -> PathBuf {
        folder(&self.0, "n", id, 1, 7)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn all(folder: &Path) -> Vec<Entry> {
    let mut reader = Reader::new(folder.to_owned());
    std::iter::from_fn(|| reader.entry().unwrap()).collect()
}

fn text(entries: &[Entry], source: &str) -> Vec<u8> {
    entries.iter().filter(|entry| entry.source == source).flat_map(|entry| entry.text.clone()).collect()
}

#[test]
fn what_is_written_is_read_back_byte_by_byte_by_its_source_and_its_place() {
    let state = State::new("back");
    let path = state.log(".x");
    assert!(path.ends_with("n/logs/%2Ex.1.7"));
    let mut writer = Writer::new(path.clone(), KEEP);
    assert!(all(&path).is_empty(), "no folder for a program that says nothing");
    let long = vec![b'x'; 100_000];
    let said: [(&str, &[u8]); 6] = [
        ("stdout", b"one\ntw"),
        ("stderr", b"\n\xff \r"),
        ("stdout", b"o\n"),
        ("stdout", &long),
        ("event", b"\n"),
        ("stdout", b"end"),
    ];
    for (source, bytes) in said {
        assert!(writer.write(source, bytes).is_none());
    }
    let entries = all(&path);
    for source in ["stdout", "stderr", "event"] {
        let whole: Vec<u8> =
            said.iter().filter(|(of, _)| *of == source).flat_map(|(_, bytes)| bytes.to_vec()).collect();
        assert_eq!(text(&entries, source), whole, "{source}");
    }
    let mut end = 0;
    for entry in &entries {
        assert_eq!(entry.offset, end);
        end += entry.text.len() as u64;
        assert!(time(&entry.at).unwrap() > SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000), "{}", entry.at);
    }
    assert_eq!(end, writer.end());
    let first = String::from_utf8_lossy(&fs::read(segment(&path, 0)).unwrap()).into_owned();
    assert!(first.lines().next().unwrap().ends_with("Z stdout F one"), "{first}");
    assert_eq!(fs::metadata(segment(&path, 0)).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn the_first_and_the_last_half_of_a_log_are_kept_and_what_is_missing_is_known() {
    let state = State::new("halves");
    let path = state.log("x");
    let mut writer = Writer::new(path.clone(), 1 << 20);
    let mut reader = Reader::new(path.clone());
    let mut followed = 0;
    for number in 0..100_000 {
        assert!(writer.write("stdout", format!("line {number}\n").as_bytes()).is_none());
        while let Some(entry) = reader.entry().unwrap() {
            assert_eq!(entry.offset, followed, "who reads along misses nothing");
            followed += entry.text.len() as u64;
        }
    }
    assert_eq!(followed, writer.end());
    let size: u64 = fs::read_dir(&path).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!((900 << 10..=1 << 20).contains(&size), "{size}");
    let entries = all(&path);
    assert_eq!((entries[0].text.as_slice(), entries[0].offset), (&b"line 0\n"[..], 0));
    let last = entries.last().unwrap();
    assert_eq!((last.text.as_slice(), last.offset + last.text.len() as u64), (&b"line 99999\n"[..], writer.end()));
    let gaps: Vec<u64> =
        entries.windows(2).map(|two| two[1].offset - two[0].offset - two[0].text.len() as u64).collect();
    assert_eq!(gaps.iter().filter(|&&gap| gap > 0).count(), 1, "one cut");
    let kept: usize = entries.iter().map(|entry| entry.text.len()).sum();
    assert_eq!(gaps.iter().sum::<u64>() + kept as u64, writer.end());
    // The position is before the requested offset, and close to it.
    let wanted = writer.end() - 10_000;
    let place = writer.place(wanted).unwrap();
    let from = Reader::at(path, place).entry().unwrap().unwrap();
    assert_eq!(from.offset, place.offset);
    assert!(from.offset <= wanted && wanted - from.offset < 200_000, "{}", from.offset);
}

#[test]
fn a_log_goes_on_after_what_a_crash_left_of_it() {
    let state = State::new("crash");
    let path = state.log("x");
    let mut writer = Writer::new(path.clone(), KEEP);
    writer.write("stdout", b"one\ntwo\n");
    let mut torn = fs::read(segment(&path, 0)).unwrap();
    torn.truncate(torn.len() - 2);
    fs::write(segment(&path, 0), torn).unwrap();
    let mut writer = Writer::new(path.clone(), KEEP);
    assert_eq!((writer.end(), writer.is_closed()), (4, false));
    writer.write("supervisor", b"three\n");
    let entries = all(&path);
    let texts: Vec<&[u8]> = entries.iter().map(|entry| entry.text.as_slice()).collect();
    assert_eq!(texts, [&b"one\n"[..], b"three\n"]);
    assert_eq!(entries[1].offset, 4);
    writer.write("exit", b"{}\n");
    writer.write("supervisor", b"four\n");
    assert!(Writer::new(path, KEEP).is_closed(), "whatever was said after it");
}

#[test]
fn a_disk_that_takes_no_more_is_told_once_and_what_is_lost_is_counted() {
    let state = State::new("full");
    let path = state.log("x");
    fs::create_dir_all(path.parent().unwrap().parent().unwrap()).unwrap();
    fs::write(path.parent().unwrap(), "in the way").unwrap();
    let mut writer = Writer::new(path, KEEP);
    assert!(writer.write("stdout", b"one\n").is_some());
    assert!(writer.write("stdout", b"two\n").is_none() && writer.has_failed());
    assert_eq!(writer.end(), 8);
}

#[test]
fn whatever_a_program_makes_of_its_log_its_reader_comes_to_an_end() {
    let state = State::new("odd");
    let path = state.log("x");
    fs::create_dir_all(&path).unwrap();
    let good = "2026-11-22T05:00:00.123456789Z stdout F good\n";
    let odd = [vec![b'x'; 300_000], b"\n\n1 2 3 4\n\xff\xff \xff F x\n".to_vec(), good.as_bytes().to_vec()].concat();
    fs::write(segment(&path, 0), odd).unwrap();
    symlink("/etc/passwd", segment(&path, 1_000_000)).unwrap();
    let mut reader = Reader::new(path);
    assert_eq!(reader.entry().unwrap().unwrap().text, b"good\n");
    assert!(reader.entry().is_err(), "links are not followed");
}

#[test]
fn logs_go_by_their_age_and_their_size_the_oldest_ended_first_and_never_that_of_a_living_attempt() {
    let state = State::new("sweep");
    let write = |id: &str, days: u64| {
        let path = state.log(id);
        Writer::new(path.clone(), KEEP).write("stdout", &vec![b'x'; 200_000]);
        let file = fs::File::options().write(true).open(segment(&path, 0)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
        fs::File::open(&path).unwrap().set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
        path
    };
    let [ancient, old, living, newer, newest] =
        [("ancient", 50), ("old", 9), ("living", 80), ("newer", 2), ("newest", 1)].map(|(id, days)| write(id, days));
    fs::create_dir_all(state.0.join("n/runs/living.7")).unwrap();
    let keep = Keep { bytes: 10 << 30, age: Duration::from_secs(30 * 86_400) };
    let there = || [&ancient, &old, &living, &newer, &newest].map(|path| path.exists());
    sweep(&state.0, keep);
    assert_eq!(there(), [false, true, true, true, true], "by age");
    sweep(&state.0, Keep { bytes: 650_000, ..keep });
    assert_eq!(there(), [false, false, true, true, true], "by size");
    fs::remove_dir_all(state.0.join("n/runs/living.7")).unwrap();
    sweep(&state.0, Keep { bytes: 0, ..keep });
    assert_eq!(there(), [false; 5]);
}

#[test]
fn nothing_is_swept_behind_a_link() {
    let state = State::new("link");
    let other = State::new("other");
    fs::create_dir_all(other.0.join("precious.1.7")).unwrap();
    fs::create_dir_all(state.0.join("n")).unwrap();
    symlink(&other.0, state.0.join("n/logs")).unwrap();
    sweep(&state.0, Keep { bytes: 0, age: Duration::ZERO });
    assert!(other.0.join("precious.1.7").exists());
}
