//! Notices of a supervisor to the worker that watches its run. The notices are lines in the file that the worker has
//! locked. The worker can read its open file even after the folder was removed.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::{RunFolder, open};

/// Maximum size of the notices about one run.
pub const MOST: u64 = 64 << 10;

/// The first word of a worker's report that the server refuses a call for one of the worker's tasks.
pub const CANNOT: &str = "cannot ";

/// The call to which a notice refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    Start,
    Lease,
    End,
}

impl About {
    pub const ALL: [Self; 3] = [Self::Start, Self::Lease, Self::End];

    /// Returns the beginning of the worker's report about a refusal. The reason follows.
    pub fn trouble(self, id: &str) -> String {
        match self {
            Self::Start => format!("{CANNOT}say that {id} has started: "),
            Self::Lease => format!("{CANNOT}renew the lease of {id}: "),
            Self::End => format!("{CANNOT}deliver the end of {id}: "),
        }
    }
}

/// A message for the worker's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub about: About,
    pub text: String,
    /// Reason why the server refuses the call. `None` if the server accepts it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// True if the attempt is over, and its result is discarded.
    pub lost: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfit: Option<Unfit>,
}

impl Notice {
    pub fn new(about: About, text: String) -> Self {
        Self { about, text, why: None, lost: false, unfit: None }
    }

    pub fn unfit(unfit: &Unfit) -> Self {
        let what = if unfit.given_back { "given back" } else { "failed" };
        Self { unfit: Some(unfit.clone()), ..Self::new(About::End, format!("{what}: {}", unfit.why)) }
    }
}

/// A sign that the host lacks something that the program needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfit {
    pub why: String,
    /// True if the task is given back instead of failing.
    pub given_back: bool,
}

/// A call, and the time for which the server refused it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub about: About,
    pub ms: u64,
    pub why: String,
}

impl RunFolder {
    /// Sends a notice to the worker that watches this run.
    pub fn notify(&self, notice: &Notice) -> io::Result<()> {
        let mut file = open::append(&self.run_guard())?;
        if file.metadata()?.len() > MOST {
            return Ok(());
        }
        let mut line = serde_json::to_vec(notice)?;
        line.push(b'\n');
        file.write_all(&line)
    }
}
