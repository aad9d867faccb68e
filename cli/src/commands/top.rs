//! `blueque top`: running tasks and queues on a live screen.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use blueque::{QueueName, Status, TaskId, TaskInfo};
use clap::Args;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row, Table};
use signal_hook::consts::SIGHUP;

use crate::input::values::queue_name;
use crate::output::badge::{self, Colour};
use crate::output::layout::{Column, Layout as Fit};
use crate::output::{Code, chain, clean_line, fault, one_line};
use crate::session::Session;
use crate::session::several::{Several, at_once};
use crate::subcommand::Subcommand;
use crate::times;
use crate::view::expected::{self, ends};
use crate::view::progress::Progress;
use crate::view::queue::{QueueView, columns, queue_views};

/// Interval at which the server is polled.
const REFRESH: Duration = Duration::from_secs(1);

/// Maximum time between two checks of the keyboard.
const GLANCE: Duration = Duration::from_millis(200);

/// Age from which data is shown as old.
const OLD: Duration = Duration::from_secs(3);

/// Maximum age of an estimate of a task whose progress has not changed. An estimate is more expensive for the server
/// than a record.
const ESTIMATED: Duration = Duration::from_secs(10);

/// Maximum number of running tasks that are read. More tasks do not fit on a screen.
const TASKS: usize = 200;

/// Number of threads that read from the server.
const AT_ONCE: usize = 64;

/// The width of a progress bar.
const BAR: usize = 20;

/// The last line of the screen.
const KEYS: &str = "q quits   ↑↓ PgUp PgDn scroll   Tab changes the list";

/// Number of rows by which the page keys scroll.
const LEAP: usize = 10;

/// The states of a queue in their order on the screen: running tasks first, finished tasks last.
static ORDER: LazyLock<Vec<Status>> = LazyLock::new(|| {
    let (ended, open): (Vec<Status>, Vec<Status>) = Status::ALL.iter().partition(|status| status.is_finished());
    open.into_iter().rev().chain(ended).collect()
});

static QUEUES: LazyLock<Vec<Column>> = LazyLock::new(|| columns(&ORDER));

const RUNNING: &[Column] = &[
    Column::id("task"),
    Column::text("queue"),
    Column::whole("state").rank(2),
    Column::whole("progress").rank(1),
    Column::text("done"),
    Column::whole("elapsed").rank(4),
    Column::whole("ends").rank(5),
    Column::text("on").rank(3),
];

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queues [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queues: Vec<QueueName>,
}

/// Function that connects to the namespace or to a partition. It is called again until it succeeds.
type Open = Box<dyn Fn() -> anyhow::Result<Session> + Send>;

/// The namespaces to show, with the name of each partition if there are several.
type Places = Vec<(Option<String>, Open)>;

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

/// A queue, with the sums of all partitions.
struct InAll {
    queue: String,
    numbers: Vec<u64>,
    words: Vec<String>,
}

/// The data of one partition, or the merged data on the screen.
struct Picture {
    /// The time at which the data was read.
    seen: Instant,
    queues: Vec<InAll>,
    running: Vec<Running>,
    more: bool,
    /// The reason why the data is old.
    trouble: Option<String>,
}

impl Default for Picture {
    fn default() -> Self {
        Self { seen: Instant::now(), queues: Vec::new(), running: Vec::new(), more: false, trouble: None }
    }
}

impl Picture {
    /// Returns a warning if the data is old, with the reason. `who` names the server or the partition.
    fn warning(&self, who: &str) -> Option<String> {
        let age = self.seen.elapsed();
        let old = (age >= OLD).then(|| format!("{who} has not answered for {}s", age.as_secs()));
        match (old, &self.trouble) {
            (Some(old), Some(trouble)) => Some(format!("{old}: {trouble}")),
            (old, trouble) => old.or_else(|| trouble.clone()),
        }
    }
}

#[derive(Clone)]
struct Running {
    id: String,
    queue: String,
    state: String,
    node: String,
    progress: Progress,
    started: Option<SystemTime>,
    /// The time at which the task is expected to end.
    end: Option<SystemTime>,
}

/// The times at which tasks are expected to end, by their ids.
#[derive(Default)]
struct Estimates(BTreeMap<String, Estimate>);

struct Estimate {
    end: Option<SystemTime>,
    read: Instant,
    /// Start and progress of the task when the estimate was made.
    by: (Option<SystemTime>, Option<Vec<u8>>),
}

impl Estimates {
    fn end(&mut self, session: &Session, id: &TaskId, info: &TaskInfo) -> anyhow::Result<Option<SystemTime>> {
        let by = (info.started(), info.progress_bytes().map(<[u8]>::to_vec));
        match self.0.get(id.as_str()) {
            Some(made) if made.by == by && made.read.elapsed() < ESTIMATED => Ok(made.end),
            _ => {
                let end = expected::end(session, id, info)?;
                self.0.insert(id.to_string(), Estimate { end, read: Instant::now(), by });
                Ok(end)
            }
        }
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
    let mut terminal = ratatui::try_init()?;
    let outcome = live(places, options, &mut terminal);
    ratatui::restore();
    outcome
}

fn live(places: Places, options: &Options, terminal: &mut ratatui::DefaultTerminal) -> anyhow::Result<Code> {
    let names: Vec<String> = places.iter().map(|(name, _)| who(name.as_deref())).collect();
    let mut pictures: Vec<Picture> = names.iter().map(|_| Picture::default()).collect();
    let looks = looks(places, options);
    let mut picture = Picture::default();
    let mut at = 0_usize;
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
        let (queues, running) = (picture.queues.len(), picture.running.len());
        at = at.min((queues + running).saturating_sub(1));
        terminal.draw(|frame| draw(frame, &picture, at))?;
        if !event::poll(GLANCE)? {
            continue;
        }
        if let Event::Key(key) = event::read()? {
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(Code::Ok),
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(Code::Ok),
                KeyCode::Down | KeyCode::Char('j') => at += 1,
                KeyCode::Up | KeyCode::Char('k') => at = at.saturating_sub(1),
                KeyCode::PageDown => at += LEAP,
                KeyCode::PageUp => at = at.saturating_sub(LEAP),
                KeyCode::Tab => at = if at < queues { queues } else { 0 },
                _ => {}
            }
        }
    }
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

/// Merges the data of all partitions.
fn together(pictures: &[Picture]) -> Picture {
    let mut picture = Picture::default();
    let mut queues: BTreeMap<&str, InAll> = BTreeMap::new();
    for line in pictures.iter().flat_map(|picture| &picture.queues) {
        let empty = || InAll { queue: line.queue.clone(), numbers: vec![0; line.numbers.len()], words: Vec::new() };
        let sum = queues.entry(&line.queue).or_insert_with(empty);
        sum.numbers.iter_mut().zip(&line.numbers).for_each(|(sum, number)| *sum += number);
        sum.words.extend(line.words.iter().filter(|words| !words.is_empty()).cloned());
        sum.words.dedup();
    }
    picture.queues = queues.into_values().collect();
    picture.running = pictures.iter().flat_map(|picture| &picture.running).cloned().collect();
    picture.more = picture.running.len() > TASKS || pictures.iter().any(|picture| picture.more);
    // Tasks that have run longest come first, so that a task keeps its place on the screen.
    picture.running.sort_by(|a, b| {
        // Tasks that have not started come last.
        let begun = |task: &Running| (task.started.is_none(), task.started);
        begun(a).cmp(&begun(b)).then_with(|| a.id.cmp(&b.id))
    });
    picture.running.truncate(TASKS);
    picture
}

/// The index of a partition, and the data that was read from it.
type Look = (usize, anyhow::Result<Picture>);

/// Polls the servers on separate threads, so that the keyboard works while a server does not reply.
fn looks(places: Places, options: &Options) -> Receiver<Look> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let mut groups: Vec<Vec<(usize, Open)>> = Vec::new();
    groups.resize_with(places.len().min(AT_ONCE), Vec::new);
    for (at, (_, open)) in places.into_iter().enumerate() {
        if let Some(group) = groups.get_mut(at % AT_ONCE) {
            group.push((at, open));
        }
    }
    for group in groups {
        let (queues, sender) = (options.queues.clone(), sender.clone());
        thread::spawn(move || {
            let mut known: Vec<(Option<Session>, Estimates)> = group.iter().map(|_| Default::default()).collect();
            loop {
                for ((at, open), (session, estimates)) in group.iter().zip(&mut known) {
                    let opened = session.take().map_or_else(open, Ok);
                    let picture = opened.and_then(|opened| {
                        let opened = session.insert(opened);
                        look(opened, &queues, estimates)
                    });
                    if sender.send((*at, picture)).is_err() {
                        return;
                    }
                }
                thread::sleep(REFRESH);
            }
        });
    }
    receiver
}

fn look(session: &Session, named: &[QueueName], estimates: &mut Estimates) -> anyhow::Result<Picture> {
    let mut queues = queue_views(session)?;
    queues.retain(|queue| named.is_empty() || named.iter().any(|name| name.as_str() == queue.queue));
    let mut picture = Picture::default();
    'all: for queue in queues.iter().filter(|queue| queue.counts.started + queue.counts.reserved > 0) {
        let name = QueueName::new(queue.queue.as_str())?;
        for status in ["started", "reserved"] {
            let mut cursor = Some("0".to_owned());
            while let Some(at) = cursor {
                let page = session.client.call(&session.client.calls().list(&name, status, &at, 100))?;
                for id in page.items {
                    if picture.running.len() >= TASKS {
                        picture.more = true;
                        break 'all;
                    }
                    let Ok(task) = TaskId::new(id.as_str()) else { continue };
                    if let Some(info) = session.client.call(&session.client.calls().get(&task))? {
                        let mut running = Running::new(session.global(&id), &info);
                        running.end = estimates.end(session, &task, &info)?;
                        picture.running.push(running);
                    }
                }
                cursor = page.next;
            }
        }
    }
    estimates.0.retain(|id, _| picture.running.iter().any(|task| task.id == session.global(id)));
    picture.queues = queues.iter().map(InAll::of).collect();
    picture.seen = Instant::now();
    Ok(picture)
}

impl InAll {
    fn of(queue: &QueueView) -> Self {
        Self { queue: one_line(&queue.queue), numbers: queue.numbers(&ORDER), words: vec![one_line(&queue.words())] }
    }

    fn row(&self) -> Vec<String> {
        let numbers = self.numbers.iter().map(u64::to_string);
        std::iter::once(self.queue.clone()).chain(numbers).chain([self.words.join("; ")]).collect()
    }
}

impl Running {
    fn new(id: String, info: &TaskInfo) -> Self {
        let status = info.status().map_or("unknown", Status::as_str);
        Self {
            id,
            queue: one_line(&info.queue().unwrap_or_default()),
            state: if info.is_cancelling() || info.is_requeued() { "stopping".to_owned() } else { status.to_owned() },
            node: one_line(&info.node().unwrap_or_default()),
            progress: info.progress_bytes().map(Progress::read).unwrap_or_default(),
            started: info.started().filter(|_| info.status() == Some(Status::Started)),
            end: None,
        }
    }

    fn row(&self, now: SystemTime) -> Vec<String> {
        let elapsed = self.started.map(|started| times::between(started, now));
        let end = self.end.map(|end| ends(end, now));
        vec![
            self.id.clone(),
            self.queue.clone(),
            self.state.clone(),
            bar(self.progress.fraction),
            self.progress.brief(),
            elapsed.map(times::span).unwrap_or_default(),
            end.unwrap_or_default(),
            self.node.clone(),
        ]
    }
}

/// Returns a progress bar with a resolution of an eighth of a cell.
fn bar(fraction: Option<f64>) -> String {
    let Some(part) = fraction else { return String::new() };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "0 to 160")]
    let eighths = (part * (BAR * 8) as f64) as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(eighths % 8).copied().unwrap_or_default();
    let filled = format!("{}{rest}", "█".repeat(eighths / 8));
    format!("{filled:·<BAR$}")
}

fn shade(colour: Colour) -> Color {
    match colour {
        Colour::Red => Color::Red,
        Colour::Green => Color::Green,
        Colour::Yellow => Color::Yellow,
        Colour::Blue => Color::Blue,
        Colour::Magenta => Color::Magenta,
        Colour::Cyan => Color::Cyan,
    }
}

fn draw(frame: &mut Frame<'_>, picture: &Picture, at: usize) {
    let parts = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(queue_lines(picture, frame.area().height)),
        Constraint::Min(1),
        Constraint::Length(1),
    ]);
    let [head, upper, lower, foot] = parts.areas(frame.area());
    let title = format!("blueque  {}  {} running", times::to_the_second(times::now()), picture.running.len());
    let mut line = Line::from(title);
    if let Some((name, colour)) = badge::get() {
        let style = Style::new().fg(colour.map_or(Color::Reset, shade)).add_modifier(Modifier::REVERSED);
        line.spans.splice(0..0, [Span::styled(format!(" {name} "), style), Span::raw(" ")]);
    }
    frame.render_widget(line.style(Style::new().add_modifier(Modifier::BOLD)), head);
    let queues: Vec<_> = picture.queues.iter().map(InAll::row).collect();
    draw_list(frame, upper, &QUEUES, "queues", &queues, Some(at).filter(|&at| at < queues.len()));
    let now = times::now();
    let running: Vec<_> = picture.running.iter().map(|task| task.row(now)).collect();
    draw_list(frame, lower, RUNNING, "tasks", &running, at.checked_sub(queues.len()));
    let (text, color) = match (picture.trouble.clone(), picture.more) {
        (Some(warning), _) => (warning, Color::Red),
        (None, true) => (format!("the first {TASKS} tasks   {KEYS}"), Color::DarkGray),
        (None, false) => (KEYS.to_owned(), Color::DarkGray),
    };
    frame.render_widget(Line::from(text).style(Style::new().fg(color)), foot);
}

/// Returns the number of lines for the queues: as many as they need if the tasks also fit, else a third of the screen.
fn queue_lines(picture: &Picture, height: u16) -> u16 {
    // Two lines are added, for the headings and for the gap between the lists.
    let needed = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
    let spare = height.saturating_sub(1).saturating_sub(needed(picture.running.len()));
    needed(picture.queues.len()).min(spare.max(height / 3 + 1))
}

/// Draws a list so that its selected row is visible. The last line shows the number of hidden rows.
fn draw_list(
    frame: &mut Frame<'_>,
    area: Rect,
    columns: &'static [Column],
    what: &str,
    rows: &[Vec<String>],
    selected: Option<usize>,
) {
    let fitting = usize::from(area.height.saturating_sub(1));
    let [list, rest] =
        Layout::vertical([Constraint::Min(1), Constraint::Length((rows.len() > fitting).into())]).areas(area);
    let fitting = usize::from(list.height.saturating_sub(1));
    let first = selected.map_or(0, |at| (at + 1).saturating_sub(fitting)).min(rows.len().saturating_sub(fitting));
    let shown = rows.get(first..).unwrap_or_default();
    let shown = shown.get(..fitting).unwrap_or(shown);
    // The widths are computed from all rows, so that the columns keep their places while scrolling.
    let fit = Fit::new(columns, rows, 1, Some(area.width.into()));
    let styled = |row: &Vec<String>| {
        Row::new(fit.cells(row).into_iter().zip(fit.widths()).map(|(text, (at, _))| {
            Cell::from(text).style(columns.get(at).map_or(Style::new(), |column| color(column.head())))
        }))
    };
    let chosen = selected.and_then(|at| at.checked_sub(first));
    let lines = shown.iter().enumerate().map(|(at, row)| {
        let bold = if Some(at) == chosen { Modifier::BOLD | Modifier::UNDERLINED } else { Modifier::empty() };
        styled(row).style(Style::new().add_modifier(bold))
    });
    let widths = fit.widths().map(|(_, width)| Constraint::Length(u16::try_from(width).unwrap_or(u16::MAX)));
    let heads = Row::new(fit.heads()).style(Style::new().add_modifier(Modifier::REVERSED));
    frame.render_widget(Table::new(lines, widths).header(heads), list);
    let hidden = rows.len() - shown.len();
    let text = Line::from(format!("+{hidden} {what}")).style(Style::new().fg(Color::DarkGray));
    frame.render_widget(text, rest);
}

/// Returns the style of a column.
fn color(head: &str) -> Style {
    match head {
        "progress" => Style::new().fg(Color::Green),
        "" => Style::new().fg(Color::Yellow),
        _ => Style::new(),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use std::time::{Duration, Instant};

    use super::{OLD, Picture, Progress, Running, bar, draw};

    #[test]
    fn a_bar_is_always_as_wide_and_as_full_as_the_progress() {
        assert_eq!(bar(None), "");
        assert_eq!(bar(Some(0.0)), "·".repeat(20));
        assert_eq!(bar(Some(1.0)), "█".repeat(20));
        assert_eq!(bar(Some(0.5)).chars().filter(|&c| c == '█').count(), 10);
        assert!((0..=100).all(|percent| bar(Some(f64::from(percent) / 100.0)).chars().count() == 20));
    }

    #[test]
    fn a_running_task_is_on_the_screen_with_its_progress_and_its_end() -> anyhow::Result<()> {
        let running = Running {
            id: "movie-17".into(),
            queue: "transcode".into(),
            state: "started".into(),
            node: "host_1".into(),
            progress: Progress::read(br#"{"done":5,"total":10}"#),
            started: Some(super::times::now() - Duration::from_secs(100)),
            end: Some(super::times::now() + Duration::from_millis(100_500)),
        };
        let picture = Picture { running: vec![running], trouble: Some("gone".into()), ..Picture::default() };
        let mut terminal = Terminal::new(TestBackend::new(140, 10))?;
        terminal.draw(|frame| draw(frame, &picture, 0))?;
        let screen: String = terminal.backend().buffer().content().iter().map(ratatui::buffer::Cell::symbol).collect();
        for part in ["movie-17", "50% 5/10", "1m 40s", "in 1m 4", "gone", "host_1"] {
            assert!(screen.contains(part), "{part}: {screen}");
        }
        let seen = Instant::now().checked_sub(OLD).unwrap_or_else(Instant::now);
        let old = Picture { seen, trouble: Some("gone".into()), ..Picture::default() };
        assert_eq!(old.warning("the server").as_deref(), Some("the server has not answered for 3s: gone"));
        Ok(())
    }
}
