//! A confirmation before something is removed.

use std::io::{self, IsTerminal, Write};

/// Asks for a confirmation and returns true if the user agrees. Only a person at a terminal is asked: a script always
/// agrees.
pub fn agreed(yes: bool, question: impl FnOnce() -> anyhow::Result<Option<String>>) -> anyhow::Result<bool> {
    if yes || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(true);
    }
    let Some(question) = question()? else { return Ok(true) };
    let mut talk = io::stderr().lock();
    write!(talk, "{question} [y/N] ")?;
    talk.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let agreed = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !agreed {
        writeln!(talk, "nothing was changed")?;
    }
    Ok(agreed)
}
