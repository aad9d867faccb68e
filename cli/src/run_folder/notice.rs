//! What a supervisor says to the worker that keeps its run: lines in the file that this one has locked, and so can read
//! also when the folder is gone.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::{RunFolder, open};

/// No more than this is said about one run.
pub const MOST: u64 = 64 << 10;

/// How a worker's word of itself begins where the server refuses something of a task that it looks after.
pub const CANNOT: &str = "cannot ";

/// What the server is to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    Start,
    Lease,
    End,
}

impl About {
    pub const ALL: [Self; 3] = [Self::Start, Self::Lease, Self::End];

    /// How a worker begins to say in its record that it is refused; the reason follows.
    pub fn trouble(self, id: &str) -> String {
        match self {
            Self::Start => format!("{CANNOT}say that {id} has started: "),
            Self::Lease => format!("{CANNOT}renew the lease of {id}: "),
            Self::End => format!("{CANNOT}deliver the end of {id}: "),
        }
    }
}

/// Something to be said in the worker's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub about: About,
    pub text: String,
    /// Why the server refuses it, until another notice about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The attempt is over, and what it made is thrown away.
    #[serde(default)]
    pub lost: bool,
}

/// What the server refused for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub about: About,
    pub ms: u64,
    pub why: String,
}

impl RunFolder {
    /// Says something to the worker that keeps this run.
    pub fn notify(&self, notice: &Notice) -> io::Result<()> {
        let mut file = open::append(&self.keeper())?;
        if file.metadata()?.len() > MOST {
            return Ok(());
        }
        let mut line = serde_json::to_vec(notice)?;
        line.push(b'\n');
        file.write_all(&line)
    }
}
