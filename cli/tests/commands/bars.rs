//! Progress bars and colours in the output of programs.

use crate::Desk;
use crate::support::eventually;
use crate::terminal::Screen;

#[test]
fn a_bar_is_drawn_again_on_a_terminal_and_in_a_pipe_its_last_state_counts() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    let bar = (0..50).map(|number| format!("\r{number} of 50")).collect::<Vec<_>>().concat();
    desk.say(&task, "stdout", &format!("\u{1b}[32mgreen\u{1b}[0m \u{1b}[2J\n{bar}\r50 of 50\nend\n"));
    task.complete("x").unwrap();
    assert_eq!(desk.ok(&["logs", "t"]), "green \n50 of 50\nend\n");
    assert!(desk.ok(&["logs", "t", "-o", "json"]).contains("\\r49 of 50"), "data are not changed");
    let mut screen = Screen::within(&desk, "PAGER=", &["logs", "t"], (80, 24));
    assert_eq!(screen.ends(), 0);
    let shown = screen.shown();
    assert!(shown.contains("\u{1b}[32mgreen\u{1b}[0m") && !shown.contains("\u{1b}[2J"), "{shown:?}");
    let picture = screen.picture(24).0;
    assert!(picture.starts_with("green\n50 of 50\nend\n"), "{picture}");
    let mut screen = Screen::within(&desk, "PAGER= NO_COLOR=1", &["logs", "t"], (80, 24));
    assert_eq!(screen.ends(), 0);
    assert!(!screen.shown().contains("\u{1b}[32m"));
}

#[test]
fn logs_of_a_tag_also_follow_tasks_that_come_later_and_are_data_for_programs() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "one", "--tag", "night"]);
    let first = desk.take("q");
    desk.say(&first, "stdout", "begin\n");
    let follow = |format: &str| {
        let path = desk.home.path().join(format);
        let out = std::fs::File::create(&path).unwrap();
        (desk.command(&["logs", "-f", "--tag", "night", "-o", format]).stdout(out).spawn().unwrap(), path)
    };
    let mut children = ["table", "jsonl"].map(follow);
    let sees = |path: &std::path::Path, text: &str| {
        eventually(text, || std::fs::read_to_string(path).unwrap().contains(text).then_some(()));
    };
    sees(&children[0].1, "one | begin\n");
    sees(&children[1].1, r#""id":"one""#);
    desk.ok(&["submit", "q", "--id", "two", "--tag", "night"]);
    desk.ok(&["submit", "q", "--id", "other"]);
    let second = desk.take("q");
    desk.say(&second, "stdout", "later\n");
    sees(&children[0].1, "two | later\n");
    sees(&children[1].1, r#""id":"two""#);
    second.complete("x").unwrap();
    first.complete("x").unwrap();
    for (child, _) in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let all = desk.json(&["logs", "--tag", "night"]);
    let texts: Vec<&str> = all.as_array().unwrap().iter().map(|entry| entry["text"].as_str().unwrap()).collect();
    assert!(texts.contains(&"begin\n") && texts.contains(&"later\n"), "{all}");
    let said = desk.refused(2, &["logs"]);
    assert!(said.contains("logs @last shows the task that you submitted last, other"), "{said}");
}
