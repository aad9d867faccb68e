//! The command line of a task, as it is shown, and the proof of its submitter.

pub mod proof;

use blueque::CommandLine;
use serde::Serialize;

/// The option with the command line of a task.
pub const COMMAND: &str = "command";

/// The need of a task with a command line, and the capability of workers that run command lines.
pub const COMMANDS: &str = "commands";

/// A command line without the values of its environment, which may be secret.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    pub argv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Names of the variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    #[serde(skip)]
    pub words: String,
}

impl Shown {
    /// Returns `None` for a text that is not a command line.
    pub fn of(text: &str) -> Option<Self> {
        let command = CommandLine::read(text)?;
        let words = command.words();
        let CommandLine { argv, cwd, env, script, user, .. } = command;
        Some(Self { argv, cwd, env: env.into_keys().collect(), script, user, words })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Shown;

    #[test]
    fn the_values_of_an_environment_are_not_shown() {
        let text = r#"{"argv":["a"],"env":{"TOKEN":"hidden"},"proof":"0f"}"#;
        assert_eq!(serde_json::to_string(&Shown::of(text).unwrap()).unwrap(), r#"{"argv":["a"],"env":["TOKEN"]}"#);
    }
}
