//! The command line of a task, which workers with `--allow-commands` run instead of a program of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The command line of a task: exact arguments, a folder, an environment and, if given, a script. Its JSON is the value
/// of the option `command`. The task also needs `commands`, so that only workers take it that run command lines.
///
/// ```
/// use blueque::{CommandLine, Submit};
///
/// let command = CommandLine { argv: vec!["echo".into(), "two words".into()], ..CommandLine::default() };
/// assert_eq!(command.words(), "echo 'two words'");
/// let submit = Submit::default().command(command.to_json()).needs("commands");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandLine {
    /// The program and its arguments. With a script, the first argument is the name of the script.
    pub argv: Vec<String>,
    /// The folder in which the program starts: an absolute path. Without it, an empty folder of the attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Additional environment variables. Lists and pages show only their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The text of a script, whose first line names its interpreter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The submitter, `USER@HOST`: a claim that nobody has checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The proof of `blueque add` that a process of a certain unix user has submitted the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

impl CommandLine {
    /// Reads the value of the option. Returns `None` if the text is no command line.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|command: &Self| !command.argv.is_empty())
    }

    /// Returns the value of the option.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the command line for readers: without its proof, and without the values of its environment, which may be
    /// secret.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.proof = None;
        self.env.values_mut().for_each(|value| "•••".clone_into(value));
        self
    }

    /// Returns the arguments as a shell reads them.
    #[must_use]
    pub fn words(&self) -> String {
        self.argv.iter().map(|word| Self::quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns a word as a shell reads it: in quotes if it needs them.
    #[must_use]
    pub fn quoted(word: &str) -> Cow<'_, str> {
        if !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:,+@=%".contains(c)) {
            return word.into();
        }
        format!("'{}'", word.replace('\'', r"'\''")).into()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::CommandLine;

    #[test]
    fn a_command_line_is_read_written_and_shown_for_a_shell() {
        let text = r#"{"argv":["python","train.py","--name","a b","it's","","*"],"env":{"TOKEN":"x"}}"#;
        let command = CommandLine::read(text).unwrap();
        assert_eq!(command.words(), r"python train.py --name 'a b' 'it'\''s' '' '*'");
        assert_eq!(command.to_json(), text);
        let proved = CommandLine { proof: Some("0f".into()), ..command };
        assert_eq!(proved.hidden().to_json(), text.replace("\"x\"", "\"•••\""));
        for wrong in [r#"{"argv":[]}"#, "x", r#"{"argv":["a"],"other":1}"#] {
            assert_eq!(CommandLine::read(wrong), None);
        }
    }
}
