//! Every released version has an archive, and the archive of an unreleased version is of the present format.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::fixture::releases;

/// Names and types that a later build must also have. An addition to the contract leaves an archive valid.
fn format(manifest: &Json) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |kind: &str, of: &Json| {
        for (name, about) in of.as_object().unwrap() {
            let kind_of_value = about["type"].as_str().unwrap_or_default();
            found.insert(format!("the {kind} `{name}` {kind_of_value}").trim_end().to_owned());
        }
    };
    for (record, fields) in manifest["fields"].as_object().unwrap() {
        add(&format!("{record} field"), fields);
    }
    for kind in ["keys", "states", "commands"] {
        add(kind.trim_end_matches('s'), &manifest[kind]);
    }
    found
}

#[test]
fn the_archive_of_an_unreleased_version_is_of_the_present_format() {
    let changelog = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../CHANGELOG.md")).unwrap();
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## [")?.split_once("] - "));
    let archives = releases();
    let present = format(&serde_json::from_str(blueque::bundle::contract()).unwrap());
    let mut versions = 0;
    for (version, date) in headings {
        versions += 1;
        let archive = archives.iter().find(|archive| archive.version == version);
        let Some(archive) = archive else {
            assert_eq!(
                date, "Unreleased",
                "no archive of {version}: run make fixture VERSION={version} before its release"
            );
            continue;
        };
        let kept = format(&archive.manifest());
        let mut gone: Vec<_> = kept.difference(&present).cloned().collect();
        if archive.manifest()["schema"] != blueque::bundle::SCHEMA {
            gone.push(format!("the schema {}", archive.manifest()["schema"]));
        }
        assert!(
            date != "Unreleased" || gone.is_empty(),
            "tests/fixtures/{version}.tar.xz is of an earlier state: run make fixture VERSION={version}. It has {gone:?}, \
             and this build has not"
        );
    }
    assert!(versions > 0, "CHANGELOG.md has no heading of a version");
}
