//! `blueque top`: a live screen, from which other commands are started.

mod draw;
mod keys;
mod picture;

use std::io::{self, IsTerminal, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use blueque::QueueName;
use clap::Args;
use ratatui::crossterm::cursor::MoveTo;
use ratatui::crossterm::event::{self, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType, disable_raw_mode, enable_raw_mode};
use signal_hook::consts::{SIGHUP, SIGINT};

use self::draw::draw;
use self::keys::{Effect, Keys};
use self::picture::{Open, Picture, Places, looks, together};
use crate::input::values::queue_name;
use crate::output::{Code, chain, clean_line, fault};
use crate::session::Session;
use crate::session::config;
use crate::session::several::{Several, at_once};
use crate::subcommand::Subcommand;

/// Maximum time between two checks of the keyboard.
const GLANCE: Duration = Duration::from_millis(200);

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queues [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queues: Vec<QueueName>,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let session = session.clone();
        run(vec![(None, Box::new(move || Ok(session.clone())))], self)
    }

    fn combine(&self, several: &Several<'_>) -> Option<anyhow::Result<Code>> {
        let looks = several.all.iter().map(|name| {
            let (places, name, format) = (several.places.clone(), name.clone(), several.format);
            let open: Open = Box::new({
                let name = name.clone();
                move || at_once(&places, &name, format)
            });
            (Some(name.to_string()), open)
        });
        Some(run(looks.collect(), self))
    }

    fn waits(&self) -> Option<Option<Duration>> {
        Some(None)
    }
}

fn run(places: Places, options: &Options) -> anyhow::Result<Code> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        let text = "top needs a terminal; blueque ls, or blueque ls --watch -o jsonl, do without";
        return Err(fault(Code::Usage, text));
    }
    if let [(None, open)] = places.as_slice() {
        open()?.must_exist(&options.queues)?;
    }
    // SIGHUP must end the process, because reads from a closed terminal return nothing. The parent process may have
    // ignored the signal, as nohup does.
    signal_hook::flag::register_conditional_shutdown(SIGHUP, 128 + SIGHUP, Arc::new(AtomicBool::new(true)))?;
    // Ctrl-C ends a command that `top` has started, such as `logs -f`. On the live screen it is a key.
    signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)))?;
    let mut terminal = ratatui::try_init()?;
    let outcome = live(places, options, &mut terminal);
    ratatui::restore();
    outcome
}

fn live(places: Places, options: &Options, terminal: &mut ratatui::DefaultTerminal) -> anyhow::Result<Code> {
    let names: Vec<String> = places.iter().map(|(name, _)| who(name.as_deref())).collect();
    let mut pictures: Vec<Picture> = names.iter().map(|_| Picture::default()).collect();
    let list = Arc::new(AtomicU8::new(0));
    let looks = looks(places, &options.queues, &list);
    let (mut picture, mut keys) = (Picture::default(), Keys::default());
    // A short wait lets the first picture contain data.
    let mut patience = GLANCE;
    loop {
        match looks.recv_timeout(std::mem::take(&mut patience)) {
            Ok((at, look)) => {
                if let Some(known) = pictures.get_mut(at) {
                    match look {
                        Ok(new) => *known = new,
                        Err(error) => known.trouble = Some(clean_line(&chain(&error), 200)),
                    }
                }
                picture = together(&pictures);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(fault(Code::Failed, "the polling thread has ended")),
        }
        picture.trouble = warnings(&names, &pictures);
        keys.within(&picture);
        terminal.draw(|frame| draw(frame, &picture, &keys.rows(&picture), &keys))?;
        if !event::poll(GLANCE)? {
            continue;
        }
        if let Event::Key(key) = event::read()? {
            match keys.press(key, &picture) {
                Effect::None => {}
                Effect::Quit => return Ok(Code::Ok),
                Effect::NextList => drop(list.fetch_add(1, Ordering::AcqRel)),
                Effect::Run(words) => keys.set_message(result(&words)),
                Effect::Show(words) => {
                    ratatui::restore();
                    show(&words)?;
                    *terminal = ratatui::try_init()?;
                }
            }
        }
    }
}

/// Returns the command with these words, on the same servers.
fn command(words: &[String]) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("blueque").args(config::given()).args(words);
    command
}

/// Runs a command and returns its last line.
fn result(words: &[String]) -> String {
    let output = match command(words).stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => return format!("{} cannot be run: {error}", words.join(" ")),
    };
    let text = if output.status.success() { &output.stdout } else { &output.stderr };
    let text = String::from_utf8_lossy(text);
    clean_line(text.trim_end().lines().next_back().unwrap_or("done"), 200)
}

/// Runs a command on the empty terminal, and waits for a key.
fn show(words: &[String]) -> anyhow::Result<()> {
    execute!(io::stdout(), Clear(ClearType::All), MoveTo(0, 0))?;
    command(words).status()?;
    let mut out = io::stdout().lock();
    write!(out, "\nany key goes back to top ")?;
    out.flush()?;
    enable_raw_mode()?;
    let pressed = loop {
        match event::read() {
            Ok(Event::Key(_)) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    disable_raw_mode()?;
    Ok(pressed?)
}

fn who(name: Option<&str>) -> String {
    name.map_or_else(|| "the server".to_owned(), |name| format!("partition {name}"))
}

/// Returns the warnings about all servers on the screen.
fn warnings(names: &[String], pictures: &[Picture]) -> Option<String> {
    let warnings = names.iter().zip(pictures).filter_map(|(name, picture)| {
        let warning = picture.warning(name)?;
        Some(if names.len() > 1 && !warning.starts_with(name.as_str()) {
            format!("{name}: {warning}")
        } else {
            warning
        })
    });
    let warnings: Vec<String> = warnings.collect();
    (!warnings.is_empty()).then(|| warnings.join("; "))
}
