use std::fs;

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

#[test]
fn completions_know_every_command_that_people_use() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = desk.ok(&["completions", shell]);
        for command in ["submit", "why", "doctor", "top"] {
            assert!(script.contains(command), "{shell} {command}");
        }
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
