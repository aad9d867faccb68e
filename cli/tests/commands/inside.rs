use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::Folder;
use crate::{Desk, fed, left};

#[test]
fn a_program_tells_its_worker_by_lines_and_files() {
    let desk = Desk::new();
    let file = |name: &str| desk.home.path().join(name);
    let task = |args: &[&str]| {
        let mut command = desk.command(&[&["task"], args].concat());
        command.env("BLUEQUE_URL", "redis://127.0.0.1:1");
        for (name, path) in [("EVENTS", "events"), ("CHECKPOINT", "checkpoint"), ("RESULT", "result")] {
            command.env(format!("BLUEQUE_{name}"), file(path));
        }
        command
    };
    let words: [&[&str]; 6] = [
        &["progress", "5/12", "epoch 5"],
        &["progress", "512/2048", "--unit", "MB"],
        &["progress", "42%"],
        &["progress", "0.5"],
        &["log", "a line\nand another"],
        &["log", "disk is low", "--level", "warn"],
    ];
    for word in words {
        let left = left(task(word).output().unwrap());
        assert_eq!((left.code, left.out.as_str(), left.err.as_str()), (0, "", ""), "{word:?}");
    }
    assert_eq!(
        fs::read_to_string(file("events")).unwrap(),
        concat!(
            "{\"message\":\"epoch 5\",\"progress\":{\"done\":5,\"total\":12}}\n",
            "{\"progress\":{\"done\":512,\"total\":2048,\"unit\":\"MB\"}}\n",
            "{\"progress\":0.42}\n",
            "{\"progress\":0.5}\n",
            "{\"log\":{\"level\":\"info\",\"message\":\"a line\\nand another\"}}\n",
            "{\"log\":{\"level\":\"warn\",\"message\":\"disk is low\"}}\n",
        )
    );
    assert_eq!(left(task(&["checkpoint", "{\"epoch\":5}"]).output().unwrap()).code, 0);
    assert_eq!(fed(task(&["result", "-"]), b"{\"x\":1}").code, 0);
    assert_eq!(fs::read(file("checkpoint")).unwrap(), b"{\"epoch\":5}");
    assert_eq!(fs::read(file("result")).unwrap(), b"{\"x\":1}");
    let from = format!("@{}", file("result").display());
    assert_eq!(left(task(&["checkpoint", &from]).output().unwrap()).code, 0);
    assert_eq!(fs::read(file("checkpoint")).unwrap(), b"{\"x\":1}");
    let names: Vec<_> = fs::read_dir(desk.home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "no draft is left: {names:?}");
    for wrong in [
        &["progress", "half"][..],
        &["progress", "5/x"],
        &["progress", "7/5"],
        &["progress", "1/0"],
        &["progress", "200%"],
        &["progress", "-1"],
        &["nap"],
    ] {
        assert_eq!(left(task(wrong).output().unwrap()).code, 2, "{wrong:?}");
    }
}

#[test]
fn outside_a_task_its_words_do_nothing() {
    let desk = Desk::new();
    for word in [&["progress", "1/2"][..], &["log", "x"], &["checkpoint", "x"], &["result", "x"]] {
        let left = desk.run(&[&["task"], word].concat());
        assert_eq!((left.code, left.out.as_str(), left.err.as_str()), (0, "", ""), "{word:?}");
    }
}

/// Returns what bash offers for the last of these words. zsh and fish call the same program.
fn completed(desk: &Desk, words: &[&str]) -> String {
    let line = format!(
        "source <(blueque completions bash); COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _clap_complete_blueque blueque \"${{COMP_WORDS[COMP_CWORD]}}\" x; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ")
    );
    let folder = Path::new(env!("CARGO_BIN_EXE_blueque")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("bash");
    shell.env_clear().env("HOME", desk.home.path()).env("BLUEQUE_URL", desk.server.url()).env("PATH", path);
    let shell = shell.args(["-c", &line]).output().unwrap();
    assert!(shell.stderr.is_empty(), "{}", String::from_utf8_lossy(&shell.stderr));
    String::from_utf8(shell.stdout).unwrap().trim().replace('\u{b}', "\n")
}

#[test]
fn completions_offer_commands_options_and_names_of_the_server() {
    let desk = Desk::new();
    desk.ok(&["submit", "transcode", "[]", "--id", "movie-17", "--tag", "nightly"]);
    desk.ok(&["schedule", "add", "backup", "transcode", "--every", "1h"]);
    assert_eq!(completed(&desk, &["blueque", "sus"]), "suspend");
    assert_eq!(completed(&desk, &["blueque", "run", "--prio"]), "--priority");
    assert_eq!(completed(&desk, &["blueque", "run", "tra"]), "transcode");
    assert_eq!(completed(&desk, &["blueque", "show", "mov"]), "movie-17");
    assert_eq!(completed(&desk, &["blueque", "show", "@"]), "@last\n@failed");
    assert_eq!(completed(&desk, &["blueque", "find", "--tag", "ni"]), "nightly");
    assert_eq!(completed(&desk, &["blueque", "schedule", "show", "b"]), "backup");
    assert_eq!(completed(&desk, &["blueque", "--namespace", "other", "show", "mov"]), "");
    assert_eq!(completed(&desk, &["blueque", "--url", "redis://127.0.0.1:1/", "run", "tra"]), "");
    for shell in ["bash", "zsh", "fish"] {
        assert!(desk.ok(&["completions", shell]).len() < 4096, "{shell}");
    }
    desk.refused(2, &["completions", "cobol"]);
}

#[test]
fn each_command_that_people_use_has_a_man_page() {
    let desk = Desk::new();
    let folder = Folder::new();
    desk.ok(&["man", folder.path().to_str().unwrap()]);
    let page = |name: &str| fs::read_to_string(folder.path().join(format!("{name}.1"))).unwrap();
    for command in ["submit", "why", "graph-submit", "bulk-cancel"] {
        let page = page(&format!("blueque-{command}"));
        assert!(page.contains(".SH SYNOPSIS") && !page.contains("\\-\\-namespace"), "{command}: {page}");
    }
    let first = page("blueque");
    for text in ["blueque\\-worker(1)", "\\-\\-url", "Exit codes"] {
        assert!(first.contains(text), "{text}: {first}");
    }
    assert!(!folder.path().join("blueque-supervise.1").exists());
    desk.refused(1, &["man", "/nowhere"]);
}
