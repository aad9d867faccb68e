//! Writes the bundle for clients in other languages: `cargo run --example bundle -- FOLDER`.
//!
//! The same sources give the same bytes.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use blueque::bundle;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let target = std::env::args().nth(1).unwrap_or_else(|| "dist".into());
    let folder = PathBuf::from(target).join(format!("blueque-lua-{}", bundle::VERSION));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("scripts"))?;

    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut commands = serde_json::Map::new();
    for command in bundle::commands() {
        let file = format!("scripts/{}.lua", command.name());
        fs::write(folder.join(&file), command.source())?;
        let mut errors = words("BADARG BADNAME RETRY SCHEMA WRONGKEY");
        errors.extend(words(command.errors()));
        errors.sort();
        let entry = json!({
            "file": file,
            "sha1": command.sha1(),
            "summary": command.summary(),
            "keys": ["NAMESPACE_meta"],
            "args": words(command.args()),
            "options": words(command.options()),
            "reply": command.reply(),
            "errors": errors,
            "since": "0.1.0",
        });
        commands.insert(command.name().into(), entry);
    }
    let manifest: Value =
        json!({ "version": bundle::VERSION, "schema": bundle::SCHEMA, "commands": commands });
    fs::write(folder.join("manifest.json"), format!("{manifest:#}\n"))?;

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("lua/README.md"), folder.join("README.md"))?;
    let cases = root.join("tests/conformance");
    fs::create_dir_all(folder.join("conformance"))?;
    for entry in fs::read_dir(&cases)? {
        let path = entry?.path();
        let name = path.file_name().ok_or("a case without a name")?;
        if path.extension().is_some_and(|extension| extension == "json" || extension == "py") {
            fs::copy(&path, folder.join("conformance").join(name))?;
        }
    }
    println!("{}", folder.display());
    Ok(())
}
