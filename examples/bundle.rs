//! Writes the bundle for clients in other languages: `cargo run --example bundle -- FOLDER [COMMANDS]`.
//!
//! The same sources produce the same bytes. `COMMANDS`: a folder of custom commands, which are composed with the same
//! library and added to the bundle, with the cases next to them.

#![allow(clippy::indexing_slicing, reason = "of JSON that is made here")]

#[allow(clippy::unwrap_used, dead_code)]
#[path = "../tests/conformance/cases.rs"]
mod cases;

#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, dead_code)]
#[path = "../build.rs"]
mod composer;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use blueque::bundle;
use serde_json::{Map, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let target = std::env::args().nth(1).unwrap_or_else(|| "dist".into());
    let own = std::env::args().nth(2).map(PathBuf::from);
    println!("{}", write(Path::new(&target), own.as_deref())?.display());
    Ok(())
}

/// Writes the bundle, with the custom commands of a folder, and returns its folder.
pub(crate) fn write(target: &Path, own: Option<&Path>) -> Result<PathBuf, Box<dyn Error>> {
    let folder = target.join(format!("blueque-lua-{}", bundle::VERSION));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("scripts"))?;

    let mut manifest: Map<String, Value> = serde_json::from_str(bundle::contract())?;
    manifest.insert("version".into(), bundle::VERSION.into());
    manifest.insert("schema".into(), bundle::SCHEMA.into());
    let commands = manifest.get_mut("commands").and_then(Value::as_object_mut).ok_or("the contract has no commands")?;
    let ready = bundle::commands().map(|command| (command.name().to_owned(), command.source().to_owned()));
    let mut scripts: Vec<_> = ready.collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let composer = composer::Bundle::read(root)?;
    let made = own.map(|own| composer.own(own)).transpose()?.unwrap_or_default();
    for (name, (script, entry)) in &made {
        scripts.push((name.clone(), script.clone()));
        commands.insert(name.clone(), entry.clone());
    }
    for (name, script) in scripts {
        let file = format!("scripts/{name}.lua");
        fs::write(folder.join(&file), &script)?;
        let entry = commands.get_mut(&name).and_then(Value::as_object_mut);
        let entry = entry.ok_or_else(|| format!("the contract does not have {name}"))?;
        entry.insert("file".into(), file.into());
        entry.insert("sha1".into(), redis::Script::new(&script).get_hash().into());
    }
    fs::write(folder.join("scripts.txt"), composer.shared(own)?)?;
    fs::write(folder.join("manifest.json"), format!("{:#}\n", Value::Object(manifest)))?;

    for name in ["README.md", "manifest.schema.json"] {
        fs::copy(root.join("lua").join(name), folder.join(name))?;
    }
    let from = root.join("tests/conformance");
    let to = folder.join("conformance");
    fs::create_dir_all(&to)?;
    for name in ["README.md", "run.py", "client.py"] {
        fs::copy(from.join(name), to.join(name))?;
    }
    // The cases become plain lists, one case per line. Cases in tables are included.
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in cases::all() {
        files.entry(case.file).or_default().push(case.data.to_string());
    }
    for (name, lines) in files {
        fs::write(to.join(name), format!("[\n{}\n]\n", lines.join(",\n")))?;
    }
    for name in made.keys() {
        let cases = format!("{name}.json");
        if let Some(path) = own.map(|own| own.join(&cases)).filter(|path| path.exists()) {
            fs::copy(path, to.join(cases))?;
        }
    }
    Ok(folder)
}
