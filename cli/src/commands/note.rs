//! `blueque note`

use blueque::calls::NoteOptions;
use clap::Args;
use serde_json::{Map, Value};

use crate::output::{Code, say};
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The id, or an unambiguous prefix of it
    pub id: String,
    /// The text of the note, at most 1 KiB
    text: String,
    /// Additional data for programs
    #[arg(value_name = "NAME=VALUE", value_parser = pair)]
    data: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let id = session.find(&self.id)?;
        let mut call = NoteOptions::new();
        if !self.data.is_empty() {
            let data = self.data.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
            call = call.data(Value::Object(data.collect::<Map<_, _>>()).to_string().as_bytes());
        }
        session.client.task(id.as_str())?.note(&self.text, &call)?;
        say(format!("noted in the history of {id}"));
        Ok(Code::Ok)
    }
}
