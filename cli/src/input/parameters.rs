//! The parameters of a task, as arguments.

use std::io;
use std::path::Path;

use blueque::constants::RESULT_BYTES;
use clap::Args;
use serde_json::value::RawValue;

use crate::file;
use crate::output::{Code, fault};

/// Maximum number of bytes that the server accepts.
const LARGEST: u64 = RESULT_BYTES as u64;

#[derive(Args, Clone, Debug)]
pub struct Parameters {
    /// The parameters as JSON; @FILE reads a file, - reads stdin [default: []]
    #[arg(value_name = "PARAMS", allow_hyphen_values = true)]
    given: Option<String>,
    /// The parameters, as an option instead of an argument
    #[arg(
        long = "params",
        alias = "parameters",
        value_name = "PARAMS",
        conflicts_with = "given",
        allow_hyphen_values = true
    )]
    named: Option<String>,
    /// Pass the parameters unchanged, even if they are not JSON
    #[arg(long)]
    raw: bool,
}

/// The parameters of a command line, which has all positional arguments.
#[derive(Args, Clone, Debug)]
pub struct Stdin {
    /// The parameters of the task, which the command reads on stdin, as JSON; @FILE reads a file, - reads stdin
    /// [default: []]
    #[arg(long = "params", alias = "parameters", value_name = "PARAMS", allow_hyphen_values = true)]
    params: Option<String>,
    /// Pass the parameters unchanged, even if they are not JSON
    #[arg(long)]
    raw: bool,
}

impl From<Stdin> for Parameters {
    fn from(Stdin { params, raw }: Stdin) -> Self {
        Self { given: params, named: None, raw }
    }
}

impl Parameters {
    /// Returns true if there are parameters.
    pub fn are_given(&self) -> bool {
        self.given.is_some() || self.named.is_some()
    }

    /// Returns the bytes that are passed to the task.
    pub fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        let bytes = match self.given.as_deref().or(self.named.as_deref()) {
            None => return Ok(b"[]".to_vec()),
            Some("-") => checked("stdin", file::bounded(std::io::stdin().lock(), LARGEST))?,
            Some(text) => match text.strip_prefix('@') {
                Some(path) => checked(path, file::data(Path::new(path), LARGEST))?,
                None => text.as_bytes().to_vec(),
            },
        };
        if !self.raw
            && let Err(error) = serde_json::from_slice::<&RawValue>(&bytes)
        {
            let word = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(byte));
            let text = if word {
                let word = String::from_utf8_lossy(&bytes);
                if word.starts_with("--") {
                    let waits = ["--detach", "--background", "--no-wait"].contains(&&*word);
                    let how = if waits { "`blueque submit` does not wait for the task" } else { "--help lists them" };
                    return Err(fault(Code::Usage, format!("this command has no option {word}: {how}")));
                }
                format!(
                    "the parameters are not JSON: {word}. A text has quotes: '\"{word}\"'; --raw passes them as they are"
                )
            } else {
                format!("the parameters are not JSON ({error}): quote them for your shell, or use --raw")
            };
            return Err(fault(Code::Usage, text));
        }
        Ok(bytes)
    }
}

fn checked(from: &str, read: io::Result<Vec<u8>>) -> anyhow::Result<Vec<u8>> {
    let bytes =
        read.map_err(|error| fault(Code::Usage, format!("the parameters in {from} cannot be read: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(fault(Code::Usage, format!("the parameters in {from} are over 8 MiB: pass a reference to them")));
    }
    Ok(bytes)
}
