//! Writes the bundle for clients in other languages: `cargo run --example bundle -- FOLDER [COMMANDS]`.
//!
//! The same sources give the same bytes. `COMMANDS`: a folder of commands of one's own, which are composed with the
//! same library and stand in the bundle beside the others, with the cases that lie beside them.

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
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let target = std::env::args().nth(1).unwrap_or_else(|| "dist".into());
    let folder = PathBuf::from(target).join(format!("blueque-lua-{}", bundle::VERSION));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("scripts"))?;

    let mut manifest: Value = serde_json::from_str(bundle::contract())?;
    manifest["version"] = bundle::VERSION.into();
    manifest["schema"] = bundle::SCHEMA.into();
    for command in bundle::commands() {
        let file = format!("scripts/{}.lua", command.name());
        fs::write(folder.join(&file), command.source())?;
        let entry = &mut manifest["commands"][command.name()];
        entry["file"] = file.into();
        entry["sha1"] = command.sha1().into();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = std::env::args().nth(2).map(PathBuf::from);
    let scripts = own.as_deref().map(|own| composer::Bundle::read(root)?.own(own)).transpose()?.unwrap_or_default();
    for (name, (script, mut entry)) in scripts.clone() {
        let file = format!("scripts/{name}.lua");
        fs::write(folder.join(&file), &script)?;
        entry["file"] = file.into();
        entry["sha1"] = redis::Script::new(&script).get_hash().into();
        manifest["commands"][name] = entry;
    }
    fs::write(folder.join("manifest.json"), format!("{manifest:#}\n"))?;

    for name in ["README.md", "manifest.schema.json"] {
        fs::copy(root.join("lua").join(name), folder.join(name))?;
    }
    let from = root.join("tests/conformance");
    let to = folder.join("conformance");
    fs::create_dir_all(&to)?;
    for name in ["README.md", "run.py", "client.py"] {
        fs::copy(from.join(name), to.join(name))?;
    }
    // Plain lists of cases, one on a line, whatever tables they come from.
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in cases::all() {
        files.entry(case.file).or_default().push(case.data.to_string());
    }
    for (name, lines) in files {
        fs::write(to.join(name), format!("[\n{}\n]\n", lines.join(",\n")))?;
    }
    for name in scripts.keys() {
        let cases = format!("{name}.json");
        if let Some(path) = own.as_ref().map(|own| own.join(&cases)).filter(|path| path.exists()) {
            fs::copy(path, to.join(cases))?;
        }
    }
    println!("{}", folder.display());
    Ok(())
}
