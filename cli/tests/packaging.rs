//! The unit of the Debian package does what the pages about systemd say.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

fn text(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

/// The settings in code marks on a page, such as `KillMode=process`, up to a heading.
fn settings(page: &str) -> impl Iterator<Item = &str> {
    page.split('`').skip(1).step_by(2).filter(|code| {
        let name = code.split_once('=').map_or("", |(name, _)| name);
        name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.contains(|each: char| each.is_ascii_lowercase())
    })
}

#[test]
fn the_unit_has_what_the_pages_ask_for_and_nothing_that_ends_programs() {
    let unit = text("packaging/debian/blueque-worker@.service");
    let lines: Vec<&str> = unit.lines().collect();
    let programs = text("docs/use/programs.md");
    let asked: Vec<&str> = settings(&programs).collect();
    assert_eq!(asked, ["KillMode=process", "Delegate=yes"]);
    let install = text("docs/run/install.md");
    let asked = asked.into_iter().chain(settings(&install).filter(|setting| {
        // What an administrator may change.
        !setting.starts_with("ReadWritePaths=/srv") && *setting != "NoNewPrivileges=no"
    }));
    for setting in asked {
        assert!(lines.contains(&setting), "{setting}");
    }
    for never in ["PrivateTmp=", "RuntimeDirectory=", "DynamicUser=", "PrivatePIDs="] {
        assert!(!lines.iter().any(|line| line.starts_with(never)), "{never}");
    }
}
