//! The programs of `blueque dev`: three samples for a first start, and the example that a program carries.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use serde_json::value::RawValue;

/// The samples by name.
const SAMPLES: [(&str, &str); 3] = [
    ("count", include_str!("../../../samples/count")),
    ("flaky", include_str!("../../../samples/flaky")),
    ("hello", include_str!("../../../samples/hello")),
];

/// Number of bytes at the beginning of a program in which its example is searched.
const BEGINNING: u64 = 4096;

/// Makes a folder with the samples. Returns false if there is a folder already.
pub fn make(folder: &Path) -> io::Result<bool> {
    match fs::DirBuilder::new().mode(0o755).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        made => made?,
    }
    for (name, text) in SAMPLES {
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o755).open(folder.join(name))?;
        file.write_all(text.as_bytes())?;
    }
    Ok(true)
}

/// Returns the parameters in the line `# example: JSON` of a program, or `// example: JSON`.
pub fn example(program: &Path) -> Option<String> {
    let mut beginning = Vec::new();
    File::open(program).ok()?.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    let beginning = String::from_utf8_lossy(&beginning).into_owned();
    let found = beginning.lines().find_map(|line| {
        let text = line.trim_start().trim_start_matches(['#', '/']).trim_start();
        text.strip_prefix("example:").map(str::trim)
    })?;
    serde_json::from_str::<&RawValue>(found).ok().map(|json| json.get().to_owned())
}
