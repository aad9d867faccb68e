//! `blueque edit`

use blueque::QueueName;
use blueque::calls::EditOptions;
use clap::Args;

use crate::input::parameters::Parameters;
use crate::input::task_ids::TaskIds;
use crate::input::task_options::ChangedOptions;
use crate::input::values::{coming, queue_name};
use crate::output::{Code, fault};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times::When;

/// Properties that are not named stay as they are. Editing a running task changes its next attempt.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The id, or an unambiguous prefix of it
    pub id: String,
    #[command(flatten)]
    parameters: Parameters,
    /// Move the task to another queue, behind the tasks that wait there
    #[arg(long, value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
    /// Not before this time: 22:00, tomorrow 8:00, RFC 3339, or 10m (+10m) from now
    #[arg(long, value_name = "TIME", value_parser = coming)]
    eta: Option<When>,
    /// Make the task due at once
    #[arg(long, conflicts_with = "eta")]
    now: bool,
    /// Remove this option from the task, such as needs; may be repeated
    #[arg(long, value_name = "OPTION", value_delimiter = ',')]
    unset: Vec<String>,
    /// The reason, for people
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// The name of the user who edits the task [default: you, as USER@HOST]
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    #[command(flatten)]
    changed: ChangedOptions,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let call = call(self)?;
        TaskIds::one(&self.id).each(session, |id, _| {
            let client = &session.client;
            Ok(client.call(&client.calls().edit(id, &call))?.as_str())
        })
    }
}

fn call(options: &Options) -> anyhow::Result<EditOptions> {
    let mut unset: Vec<String> = options.unset.iter().map(|name| name.replace('-', "_")).collect();
    if options.now {
        unset.push("eta".to_owned());
    }
    let given = options.parameters.are_given();
    if !given && options.queue.is_none() && options.eta.is_none() && unset.is_empty() && options.changed.is_empty() {
        return Err(fault(Code::Usage, "name a change, such as --params, --eta, --queue, --priority or --unset"));
    }
    let mut call = EditOptions::new().task(&options.changed.options());
    if given {
        call = call.parameters(options.parameters.bytes()?);
    }
    call = options.queue.iter().fold(call, |call, queue| call.queue(queue.as_str()));
    call = options.eta.into_iter().map(When::time).fold(call, EditOptions::eta);
    call = options.by.iter().fold(call, |call, by| call.by(by.as_str()));
    call = options.reason.iter().fold(call, |call, reason| call.reason(reason.as_str()));
    Ok(if unset.is_empty() { call } else { call.unset(unset.join(",")) })
}
