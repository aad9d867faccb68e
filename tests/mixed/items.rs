//! The role `crate` of the processes that lease items of a `WorkQueue`: `mixed_items URL NAME`. It squares numbers
//! and records them as `items.py` does, until it is killed or crashes.

use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use blueque::Client;

const SECOND: Duration = Duration::from_secs(1);

#[derive(serde::Deserialize)]
struct Given {
    n: u64,
    ms: u64,
    crash: Option<String>,
}

/// Records a line at once, so that lines of several processes do not mix.
fn note(folder: &Path, words: &str) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(folder.join("items"))?;
    file.write_all(format!("{words} {}\n", std::env::var("MIXED_WORKER").unwrap_or_default()).as_bytes())
}

/// Crashes if the item orders it, at the item's first attempt.
#[allow(clippy::disallowed_methods, reason = "a crash runs no destructor")]
fn crash(folder: &Path, given: &Given, at: &str) {
    if given.crash.as_deref() == Some(at) && std::fs::create_dir(folder.join(format!("crash-{}", given.n))).is_ok() {
        std::process::exit(7);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let [url, name]: [String; 2] = std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "URL NAME")?;
    let folder = PathBuf::from(std::env::var("MIXED")?);
    let mut queue = Client::open(&url)?.work_queue(&name)?;
    loop {
        let Some(item) = queue.lease(Some(SECOND), SECOND)? else {
            queue.light_clean()?;
            continue;
        };
        let given: Given = item.data_json()?;
        crash(&folder, &given, "leased");
        #[allow(clippy::disallowed_methods, reason = "this is the work")]
        std::thread::sleep(Duration::from_millis(given.ms));
        note(&folder, &format!("result {} {}", item.id(), given.n * given.n))?;
        crash(&folder, &given, "worked");
        if queue.complete(&item)? {
            crash(&folder, &given, "completed");
            note(&folder, &format!("done {} -", item.id()))?;
        }
    }
}
