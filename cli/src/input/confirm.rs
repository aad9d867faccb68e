//! A confirmation before something is removed.

use std::io::{self, IsTerminal, Write};

use crate::output::{Code, badge, fault};

/// Asks for a confirmation and returns true if the user agrees. Without a terminal nobody can be asked: then it fails
/// unless `yes` is set.
pub fn agreed(yes: bool, question: impl FnOnce() -> anyhow::Result<Option<String>>) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    let Some(question) = question()? else { return Ok(true) };
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(fault(
            Code::Usage,
            format!("{question} Nothing was changed: without a terminal, confirm with --yes"),
        ));
    }
    let mut talk = io::stderr().lock();
    write!(talk, "{}{question} [y/N] ", badge::before_question())?;
    talk.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let agreed = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !agreed {
        writeln!(talk, "nothing was changed")?;
    }
    Ok(agreed)
}
