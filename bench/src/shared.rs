//! The cost of a task that takes places of shared limits: no limit, one, and three.

use redis::Connection;

use crate::life::{Life, args};
use crate::server::{Result, Server, call, load_command};
use crate::sizes;

const ROUNDS: usize = 300;

/// The printed name, and the options of a task.
pub const KINDS: [(&str, &[&str]); 3] =
    [("none", &["priority", "1"]), ("one", &["limits", "one"]), ("three", &["limits", "one,three:2,two"])];

/// Returns the microseconds of each step of a life for each kind. The kinds take turns.
pub fn lives() -> Result<[[f64; 4]; 3]> {
    let server = Server::start()?;
    sizes::queue(&server, "shared", "max_failures", "")?;
    let mut connection = server.connect()?;
    for name in ["one", "two", "three"] {
        limit(&mut connection, name)?;
    }
    let mut lives = Vec::new();
    for (_, options) in KINDS {
        lives.push(Life::with(&server, "shared", options)?);
    }
    for _ in 0..ROUNDS {
        for life in &mut lives {
            life.round()?;
        }
    }
    let medians: Vec<_> = lives.iter().map(Life::medians).collect();
    medians.try_into().map_err(|_| "a life for each kind".into())
}

fn limit(connection: &mut Connection, name: &str) -> Result<()> {
    let sha = load_command(connection, "limit")?;
    Ok(call(&sha, "blueque", &args(&["", "*", name, "1000", "-"])).exec(connection)?)
}
