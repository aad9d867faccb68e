//! Writes the bundle for clients in other languages: `cargo run --example bundle -- FOLDER`.
//!
//! The same sources give the same bytes.

#[allow(clippy::unwrap_used, clippy::indexing_slicing, dead_code)]
#[path = "../tests/conformance/cases.rs"]
mod cases;

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
    fs::write(folder.join("manifest.json"), format!("{manifest:#}\n"))?;

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
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
    println!("{}", folder.display());
    Ok(())
}
