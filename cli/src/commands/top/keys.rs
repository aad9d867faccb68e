//! What keys do: they move through the lists, and start other commands for the selected task.

use std::cmp::Ordering;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;

use super::picture::{Picture, TASKS, TaskRow};
use crate::output::badge;

/// The last line of the screen.
const KEYS: &str = "? keys   Enter shows   / filters   o sorts   v other tasks   Tab   q quits";

/// Number of rows by which the page keys scroll.
const LEAP: usize = 10;

pub const HELP: &str = "\
Keys

  ↑ ↓ j k PgUp PgDn   move through queues and tasks
  Tab                 between queues and tasks
  v                   running, waiting, failed tasks
  /                   filter: a part of id, queue, host or error; Esc ends it
  o                   sort: by time, queue, id, progress

  Enter s             show the task
  l                   its log, followed while it runs
  w                   why it does not run
  h                   its history

  C                   cancel it
  R                   retry it, if it has failed
  Q                   stop it, and return it to the front of its queue
  S                   suspend it, or continue it
  H                   hold it, or let it start
  U                   send it the signal USR1

  q Esc Ctrl-C        quit

Any key goes back.
";

/// The order of the tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    /// Tasks that have run, or waited, longest come first.
    #[default]
    Time,
    Queue,
    Id,
    Progress,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Lists,
    Help,
    Filter,
    /// Asks for a confirmation of these words of a command.
    Ask(Vec<String>),
}

/// A key's effect on the rest of the program.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    Quit,
    /// Read the tasks of the next list.
    NextList,
    /// Leave the screen to this command, until it ends.
    Show(Vec<String>),
    /// Run this command, and show its last line.
    Run(Vec<String>),
}

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Keys {
    at: usize,
    filter: String,
    order: Order,
    mode: Mode,
    message: Option<String>,
}

impl Keys {
    /// Index of the selected row: queues come before tasks.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn asks_for_help(&self) -> bool {
        self.mode == Mode::Help
    }

    /// Sets a message, which the next key removes.
    pub fn set_message(&mut self, text: String) {
        self.message = Some(text);
    }

    /// Returns the tasks that the filter leaves, in their order.
    pub fn rows<'a>(&self, picture: &'a Picture) -> Vec<&'a TaskRow> {
        let has = |text: &str| text.to_lowercase().contains(&self.filter.to_lowercase());
        let fits = |task: &&TaskRow| {
            let error = task.error.as_deref().unwrap_or_default();
            [task.id.as_str(), &task.queue, &task.node, &task.state, error].into_iter().any(has)
        };
        let mut rows: Vec<&TaskRow> = picture.tasks.iter().filter(fits).collect();
        let order = |a: &&TaskRow, b: &&TaskRow| match self.order {
            Order::Time => Ordering::Equal,
            Order::Queue => a.queue.cmp(&b.queue),
            Order::Id => a.id.cmp(&b.id),
            Order::Progress => b.progress.fraction.unwrap_or(-1.0).total_cmp(&a.progress.fraction.unwrap_or(-1.0)),
        };
        rows.sort_by(order);
        rows
    }

    /// Returns the filter and the order, for the first line of the screen.
    pub fn restricts(&self) -> String {
        let filter = if self.filter.is_empty() { String::new() } else { format!("  with {:?}", self.filter) };
        let order = match self.order {
            Order::Time => "",
            Order::Queue => "  by queue",
            Order::Id => "  by id",
            Order::Progress => "  by progress",
        };
        filter + order
    }

    /// Returns the last line of the screen and its colour.
    pub fn foot(&self, picture: &Picture) -> (String, Color) {
        match (&self.mode, &self.message, &picture.trouble) {
            (Mode::Filter, ..) => (format!("/{}▏", self.filter), Color::Yellow),
            (Mode::Ask(words), ..) => {
                let profile = badge::get().map_or(String::new(), |(name, _)| format!("[{name}] "));
                (format!("{profile}{}? y or n", words.join(" ")), Color::Yellow)
            }
            (_, Some(text), _) => (text.clone(), Color::Yellow),
            (.., Some(trouble)) => (trouble.clone(), Color::Red),
            _ if picture.more => (format!("the first {TASKS} tasks   {KEYS}"), Color::DarkGray),
            _ => (KEYS.to_owned(), Color::DarkGray),
        }
    }

    /// Handles a key.
    pub fn press(&mut self, key: KeyEvent, picture: &Picture) -> Effect {
        self.message = None;
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Effect::Quit;
        }
        match std::mem::take(&mut self.mode) {
            Mode::Lists => self.choose(key.code, picture),
            Mode::Help => Effect::None,
            Mode::Filter => {
                self.edit_filter(key.code);
                Effect::None
            }
            Mode::Ask(words) if key.code == KeyCode::Char('y') => Effect::Run(words),
            Mode::Ask(_) => {
                self.set_message("nothing was changed".into());
                Effect::None
            }
        }
    }

    fn edit_filter(&mut self, code: KeyCode) {
        match code {
            KeyCode::Enter => return,
            KeyCode::Esc => return self.filter.clear(),
            KeyCode::Backspace => drop(self.filter.pop()),
            KeyCode::Char(c) => self.filter.push(c),
            _ => {}
        }
        self.mode = Mode::Filter;
    }

    fn choose(&mut self, code: KeyCode, picture: &Picture) -> Effect {
        let queues = picture.queues.len();
        match code {
            KeyCode::Esc if !self.filter.is_empty() => self.filter.clear(),
            KeyCode::Char('q') | KeyCode::Esc => return Effect::Quit,
            KeyCode::Down | KeyCode::Char('j') => self.at += 1,
            KeyCode::Up | KeyCode::Char('k') => self.at = self.at.saturating_sub(1),
            KeyCode::PageDown => self.at += LEAP,
            KeyCode::PageUp => self.at = self.at.saturating_sub(LEAP),
            KeyCode::Tab => self.at = if self.at < queues { queues } else { 0 },
            KeyCode::Char('?') => self.mode = Mode::Help,
            KeyCode::Char('/') => self.mode = Mode::Filter,
            KeyCode::Char('o') => {
                self.order = match self.order {
                    Order::Time => Order::Queue,
                    Order::Queue => Order::Id,
                    Order::Id => Order::Progress,
                    Order::Progress => Order::Time,
                }
            }
            KeyCode::Char('v') => {
                self.at = queues;
                return Effect::NextList;
            }
            _ => return self.act(code, picture),
        }
        self.within(picture);
        Effect::None
    }

    /// Moves the selection to an existing row.
    pub fn within(&mut self, picture: &Picture) {
        self.at = self.at.min((picture.queues.len() + self.rows(picture).len()).saturating_sub(1));
    }

    /// Handles a key that concerns the selected task.
    fn act(&mut self, code: KeyCode, picture: &Picture) -> Effect {
        let rows = self.rows(picture);
        let task = self.at.checked_sub(picture.queues.len()).and_then(|at| rows.get(at));
        let is = |state: &str| task.is_some_and(|task| task.state == state);
        let (words, more): (&[&str], &[&str]) = match code {
            KeyCode::Enter | KeyCode::Char('s') => (&["show"], &[]),
            KeyCode::Char('l') => (&["logs", "-f"], &[]),
            KeyCode::Char('w') => (&["why"], &[]),
            KeyCode::Char('h') => (&["history"], &[]),
            KeyCode::Char('C') => (&["cancel"], &[]),
            KeyCode::Char('R') => (&["retry"], &[]),
            KeyCode::Char('Q') => (&["requeue"], &[]),
            KeyCode::Char('S') => (&[if is("suspended") { "continue" } else { "suspend" }], &[]),
            KeyCode::Char('H') => (&[if is("held") { "unhold" } else { "hold" }], &[]),
            KeyCode::Char('U') => (&["signal"], &["USR1"]),
            _ => return Effect::None,
        };
        let Some(task) = task else {
            self.set_message("select a task: Tab, then the arrows".into());
            return Effect::None;
        };
        let words = words.iter().copied().chain([task.id.as_str()]).chain(more.iter().copied());
        let words = words.map(str::to_owned).collect();
        if matches!(code, KeyCode::Char(c) if c.is_uppercase()) {
            self.mode = Mode::Ask(words);
            Effect::None
        } else {
            Effect::Show(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::super::picture::{Picture, TaskRow};
    use super::{Effect, Keys};
    use crate::view::progress::Progress;

    fn picture() -> Picture {
        let task = |id: &str, queue: &str| TaskRow {
            id: id.into(),
            what: String::new(),
            queue: queue.into(),
            state: "started".into(),
            node: "host_1".into(),
            error: None,
            progress: Progress::default(),
            started: None,
            end: None,
        };
        Picture { tasks: vec![task("b", "films"), task("a", "music"), task("c", "books")], ..Picture::default() }
    }

    fn type_in(keys: &mut Keys, text: &str) -> Vec<Effect> {
        let key = |c| KeyEvent::new(if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) }, KeyModifiers::NONE);
        text.chars().map(|c| keys.press(key(c), &picture())).filter(|effect| *effect != Effect::None).collect()
    }

    #[test]
    fn a_dangerous_key_asks_first() {
        let mut keys = Keys::default();
        let words = |words: [&str; 2]| words.map(str::to_owned).to_vec();
        assert_eq!(type_in(&mut keys, "jCn"), []);
        assert_eq!(keys.foot(&picture()).0, "nothing was changed");
        assert_eq!(type_in(&mut keys, "C"), []);
        assert_eq!(keys.foot(&picture()).0, "cancel a? y or n");
        assert_eq!(type_in(&mut keys, "y"), [Effect::Run(words(["cancel", "a"]))]);
        assert_eq!(type_in(&mut keys, "Sy"), [Effect::Run(words(["suspend", "a"]))]);
        assert_eq!(type_in(&mut keys, "Hy"), [Effect::Run(words(["hold", "a"]))]);
        let signal = ["signal", "a", "USR1"].map(str::to_owned).to_vec();
        assert_eq!(type_in(&mut keys, "Uy"), [Effect::Run(signal)]);
        assert_eq!(type_in(&mut keys, "s"), [Effect::Show(words(["show", "a"]))]);
        assert_eq!(type_in(&mut keys, "q"), [Effect::Quit]);
    }

    #[test]
    fn filter_and_order_choose_the_rows() {
        let mut keys = Keys::default();
        let ids = |keys: &Keys| keys.rows(&picture()).iter().map(|task| task.id.clone()).collect::<String>();
        assert_eq!(ids(&keys), "bac");
        type_in(&mut keys, "o");
        assert_eq!((ids(&keys), keys.restricts()), ("cba".into(), "  by queue".into()));
        type_in(&mut keys, "/MUS\n");
        assert_eq!((ids(&keys), keys.restricts()), ("a".into(), "  with \"MUS\"  by queue".into()));
        assert_eq!(type_in(&mut keys, "w"), [Effect::Show(vec!["why".into(), "a".into()])]);
        assert_eq!(type_in(&mut keys, "q"), [Effect::Quit]);
    }
}
