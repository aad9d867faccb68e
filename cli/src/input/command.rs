//! A command line, as arguments.

use std::env;
use std::path::{Path, PathBuf};

use blueque::CommandLine;
use clap::Args;

use super::task_options::TaskOptions;
use crate::command_line::{COMMAND, COMMANDS, proof};
use crate::file;
use crate::output::{Code, fault};
use crate::session::caller::caller;

/// Maximum size of a script and of a file of variables. The contract limits a whole command line to the same size.
const LARGEST: u64 = 64 << 10;

#[derive(Args, Clone, Debug)]
pub struct CommandArgs {
    /// The program and its arguments, which are passed as they are, without a shell
    #[arg(value_name = "COMMAND", trailing_var_arg = true)]
    words: Vec<String>,
    /// A command line for the shell sh, instead of a program and its arguments
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["words", "script"])]
    shell: Option<String>,
    /// A script, whose text the task carries. Its first line names its interpreter, such as #!/bin/sh. COMMAND are the
    /// arguments of the script
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// A variable for the command, in addition to the usual variables. Without a value: the value in this environment.
    /// Values are stored on the server, and not shown
    #[arg(long = "env", short = 'e', value_name = "NAME[=VALUE]", requires = LINE)]
    variables: Vec<String>,
    /// A file of variables, with NAME=VALUE or NAME in each line; the values are not unquoted
    #[arg(long = "env-file", value_name = "FILE", requires = LINE)]
    variable_files: Vec<PathBuf>,
    /// The folder in which the command runs [default: this folder]
    #[arg(long, value_name = "DIR", requires = LINE)]
    cwd: Option<PathBuf>,
}

/// The ids of the arguments that give a command, and of their group.
pub const GIVEN: [&str; 3] = ["words", "shell", "script"];
pub const LINE: &str = "line";

impl CommandArgs {
    /// Returns true if there is a command.
    pub fn is_given(&self) -> bool {
        !self.words.is_empty() || self.shell.is_some() || self.script.is_some()
    }

    /// Returns the name of the program, if the shell of this user does not find it.
    pub fn unknown_program(&self) -> Option<&str> {
        let name = self.words.first().filter(|name| self.script.is_none() && !name.contains('/'))?;
        let is_known = file::on_path(name).iter().any(|file| file.is_file());
        (!is_known).then_some(name.as_str())
    }

    /// Returns the command line.
    pub fn read(&self) -> anyhow::Result<CommandLine> {
        let (argv, script) = match (&self.shell, &self.script) {
            (Some(text), _) => (["sh", "-c", text].map(str::to_owned).to_vec(), None),
            (None, Some(path)) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (std::iter::once(name).chain(self.words.iter().cloned()).collect(), Some(script(path)?))
            }
            (None, None) => (self.words.clone(), None),
        };
        if argv.first().is_none_or(String::is_empty) {
            return Err(fault(Code::Usage, "the command has no name: give a program after --"));
        }
        let folder = std::path::absolute(self.cwd.as_deref().unwrap_or(Path::new(".")))?;
        let folder = folder.to_str().ok_or_else(|| fault(Code::Usage, "the path of the folder is not UTF-8"))?;
        // A path that ends with `/.` names the same folder.
        let cwd = Some(folder.strip_suffix("/.").filter(|folder| !folder.is_empty()).unwrap_or(folder).to_owned());
        let mut command = CommandLine { argv, cwd, script, user: Some(caller()), ..CommandLine::default() };
        for path in &self.variable_files {
            for line in text(path)?.lines().map(str::trim_start) {
                if !line.is_empty() && !line.starts_with('#') {
                    set(&mut command, line, &format!("{}: ", path.display()))?;
                }
            }
        }
        for variable in &self.variables {
            set(&mut command, variable, "--env ")?;
        }
        Ok(command)
    }
}

/// Sets the command line of tasks, with the need for workers that run command lines. `id`: the subject of the proof.
pub fn put(options: &mut TaskOptions, command: CommandLine, namespace: &str, id: &str) -> anyhow::Result<()> {
    options.put(COMMAND, signed(command, namespace, id)?);
    options.add_need(COMMANDS);
    Ok(())
}

/// Returns a command line with the proof that this user has submitted it for this task, graph or schedule, as the
/// contract stores it. Without a key there is no proof, and only workers that ask for no proof run the task.
pub fn signed(command: CommandLine, namespace: &str, id: &str) -> anyhow::Result<String> {
    let mut command = command;
    if let Ok(key) = proof::key() {
        proof::sign(&mut command, &key, namespace, id)?;
    }
    Ok(command.to_json())
}

fn script(path: &Path) -> anyhow::Result<String> {
    let script = text(path)?;
    if !script.starts_with("#!") {
        let text = "begin it with a line that names its interpreter, such as #!/bin/sh or #!/usr/bin/env python3";
        return Err(fault(Code::Usage, format!("{} is no script: {text}", path.display())));
    }
    Ok(script)
}

fn text(path: &Path) -> anyhow::Result<String> {
    let read = file::text(path, LARGEST);
    read.map_err(|error| fault(Code::Usage, format!("{} cannot be read: {error}", path.display())))
}

/// Sets a variable. The value of the variable is never shown.
fn set(command: &mut CommandLine, variable: &str, from: &str) -> anyhow::Result<()> {
    let (name, value) = variable.split_once('=').map_or((variable, None), |(name, value)| (name, Some(value)));
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    if !name.starts_with(first) || !name.chars().all(|c| first(c) || c.is_ascii_digit()) {
        let text = "the name of a variable has letters, digits and _, and does not begin with a digit";
        return Err(fault(Code::Usage, format!("{from}{text}")));
    }
    if name.starts_with("BLUEQUE_") {
        return Err(fault(
            Code::Usage,
            format!("{from}{name}: only Blueque itself sets variables that begin with BLUEQUE_"),
        ));
    }
    let value = match value {
        Some(value) => value.to_owned(),
        None => env::var(name).map_err(|error| {
            let what = match error {
                env::VarError::NotPresent => "is not set here: give a value, NAME=VALUE",
                env::VarError::NotUnicode(_) => "is not UTF-8 here",
            };
            fault(Code::Usage, format!("{from}{name} {what}"))
        })?,
    };
    command.env.insert(name.to_owned(), value);
    Ok(())
}
