//! The packages: the crates contain what their sources include, and the unit of the Debian package does what the pages
//! about systemd say.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The files that the sources of a folder include in the program, but not in its tests.
fn included(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            included(&path, found);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap_or_default();
        let program = source.split("#[cfg(test)]").next().unwrap_or_default();
        let names = program.split("include_str!(\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        found.extend(names.map(|name| folder.join(name).canonicalize().unwrap()));
    }
}

#[test]
fn the_crates_contain_every_file_that_their_sources_include() {
    for (name, least) in [("cli", 3), ("web", 3)] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).canonicalize().unwrap();
        let package = Command::new(env!("CARGO"))
            .args(["package", "--list", "--allow-dirty", "--offline", "--package", &format!("blueque-{name}")])
            .current_dir(&folder)
            .output()
            .unwrap();
        let listed = String::from_utf8(package.stdout).unwrap();
        let mut found = Vec::new();
        included(&folder.join("src"), &mut found);
        assert!(found.len() >= least, "{found:?}");
        for file in found {
            let path = file.strip_prefix(&folder).unwrap().display().to_string();
            assert!(listed.lines().any(|line| line == path), "{path} is not in the package of {name}");
        }
    }
}
