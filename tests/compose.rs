//! Tests of the build script, which composes the scripts of the bundle from their sources, and of what is generated from
//! the bundle and kept in git: the clients, so that a clone installs with nothing else. `make bless` writes these files.

#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

// With it come the build script and its tests.
#[path = "../examples/bundle.rs"]
mod bundle;

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

#[test]
fn the_clients_are_generated_from_this_bundle() {
    let folder = env::temp_dir().join(format!("blueque-clients-{}", std::process::id()));
    let made = bundle::write(&folder, None).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (program, generator) in [("python3", "python/generate.py"), ("node", "typescript/generate.mjs")] {
        let mut command = Command::new(program);
        command.arg(root.join("clients").join(generator)).arg(&made);
        if env::var_os("BLUEQUE_BLESS").is_none() {
            command.arg("--check");
        }
        let output = match command.output() {
            // Whoever changes only Rust may have no Node.js; CI has it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                eprintln!("no {program}: clients/{generator} is not checked");
                continue;
            }
            output => output.unwrap(),
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim_end();
        assert!(output.status.success(), "clients/{generator}: {said}: run make bless and look at the change");
    }
    for client in ["python", "typescript"] {
        let copy = root.join("clients").join(client).join("LICENSE");
        assert_eq!(fs::read(copy).unwrap(), fs::read(root.join("LICENSE")).unwrap(), "{client}");
    }
    fs::remove_dir_all(folder).unwrap();
}
