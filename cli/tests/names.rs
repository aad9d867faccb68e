//! The glossary has every public name: each command, option, field, setting, subcommand, module of `src/` and folder of
//! `lua/lib` is made of words that have a row in `docs/reference/glossary.md`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A name may have another form of a word than the glossary.
const ENDINGS: [&str; 6] = ["", "s", "es", "d", "ed", "ing"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// The words of all terms.
fn glossary() -> BTreeSet<String> {
    let page = fs::read_to_string(root().join("docs/reference/glossary.md")).unwrap();
    page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).flat_map(words).collect()
}

/// The keys of the tables in a file of the contract: `[task] priority = …` has the key `priority`.
fn keys(file: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("contract").join(file)).unwrap();
    let tables: toml::Table = toml::from_str(&text).unwrap();
    tables
        .into_iter()
        .filter_map(|(_, table)| table.as_table().cloned())
        .flat_map(toml::Table::into_iter)
        .map(|(key, _)| key)
        .collect()
}

/// All files with an extension, and all folders if the extension is empty, below a folder: their names.
fn stems(folder: &Path, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(stems(&path, extension));
        }
        if path.extension().unwrap_or_default() == extension && (path.is_dir() || !extension.is_empty()) {
            found.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    found
}

fn subcommands() -> Vec<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    fs::create_dir_all(&folder).unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_blueque")).arg("man").arg(&folder).status().unwrap();
    assert!(made.success());
    let pages = stems(&folder, "1").into_iter();
    pages.filter_map(|page| Some(page.strip_prefix("blueque-")?.to_owned())).collect()
}

#[test]
fn every_public_name_is_made_of_words_of_the_glossary() {
    let terms = glossary();
    let settings: toml::Table =
        toml::from_str(&fs::read_to_string(root().join("contract/settings.toml")).unwrap()).unwrap();
    let names = BTreeMap::from([
        ("command", stems(&root().join("lua/cmd"), "lua")),
        ("option", keys("options.toml")),
        ("field", keys("fields.toml")),
        ("setting", settings.keys().cloned().collect()),
        ("subcommand", subcommands()),
        ("module of src", stems(&root().join("src"), "rs")),
        ("folder of lua/lib", stems(&root().join("lua/lib"), "")),
    ]);
    let mut unknown = BTreeSet::new();
    for (kind, names) in names {
        assert!(names.len() > 5, "too few names of the kind {kind}: {names:?}");
        for name in names {
            for word in words(&name) {
                let mut stems = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending));
                if !stems.any(|stem| terms.contains(stem)) {
                    unknown.insert(format!("{word} ({kind} {name})"));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "docs/reference/glossary.md lacks these words: {unknown:#?}");
}
