//! Draws the screen.

use std::sync::LazyLock;
use std::time::SystemTime;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Clear, Paragraph, Row, Table};

use super::keys::{HELP, Keys};
use super::picture::{InAll, ORDER, Picture, TaskRow};
use crate::output::badge::{self, Colour};
use crate::output::layout::{Column, Layout as Fit};
use crate::times;
use crate::view::expected::ends;
use crate::view::queue::columns;

/// The width of a progress bar.
const BAR: usize = 20;

static QUEUES: LazyLock<Vec<Column>> = LazyLock::new(|| columns(&ORDER));

const TASK_COLUMNS: &[Column] = &[
    Column::id("id"),
    Column::text("task").rank(6),
    Column::text("queue").rank(7),
    Column::whole("state").rank(2),
    Column::whole("progress").rank(1),
    Column::text("done"),
    Column::whole("elapsed").rank(4),
    Column::whole("ends").rank(5),
    Column::text("on").rank(3),
];

/// Returns a progress bar with a resolution of an eighth of a cell.
pub fn bar(fraction: Option<f64>) -> String {
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

/// Returns the cells of a task.
fn cells(task: &TaskRow, now: SystemTime) -> Vec<String> {
    let elapsed = task.started.map(|started| times::between(started, now));
    let end = task.end.map(|end| ends(end, now));
    vec![
        task.id.clone(),
        task.what.clone(),
        task.queue.clone(),
        task.state.clone(),
        bar(task.progress.fraction),
        task.error.clone().unwrap_or_else(|| task.progress.brief()),
        elapsed.map(times::span).unwrap_or_default(),
        end.unwrap_or_default(),
        task.node.clone(),
    ]
}

/// Draws the screen. `rows` are the tasks that the filter leaves, in their order.
pub fn draw(frame: &mut Frame<'_>, picture: &Picture, rows: &[&TaskRow], keys: &Keys) {
    let parts = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(queue_lines(picture, frame.area().height)),
        Constraint::Min(1),
        Constraint::Length(1),
    ]);
    let [head, upper, lower, foot] = parts.areas(frame.area());
    let number = rows.len();
    let title = format!("blueque  {}  {number} {}", times::to_the_second(times::now()), picture.list.word());
    let mut line = Line::from(title + &keys.restricts());
    if let Some((name, colour)) = badge::get() {
        let style = Style::new().fg(colour.map_or(Color::Reset, shade)).add_modifier(Modifier::REVERSED);
        line.spans.splice(0..0, [Span::styled(format!(" {name} "), style), Span::raw(" ")]);
    }
    frame.render_widget(line.style(Style::new().add_modifier(Modifier::BOLD)), head);
    let queues: Vec<_> = picture.queues.iter().map(InAll::row).collect();
    let at = keys.at();
    draw_list(frame, upper, &QUEUES, "queues", &queues, Some(at).filter(|&at| at < queues.len()));
    let now = times::now();
    let rows: Vec<_> = rows.iter().map(|task| cells(task, now)).collect();
    draw_list(frame, lower, TASK_COLUMNS, "tasks", &rows, at.checked_sub(queues.len()));
    let (text, color) = keys.foot(picture);
    frame.render_widget(Line::from(text).style(Style::new().fg(color)), foot);
    if keys.asks_for_help() {
        let area = frame.area();
        frame.render_widget(Clear, area);
        frame.render_widget(Paragraph::new(HELP), area);
    }
}

/// Returns the number of lines for the queues: as many as they need if the tasks also fit, else a third of the screen.
fn queue_lines(picture: &Picture, height: u16) -> u16 {
    // Two lines are added, for the headings and for the gap between the lists.
    let needed = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
    let spare = height.saturating_sub(1).saturating_sub(needed(picture.tasks.len()));
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

    use super::super::picture::{OLD, Picture, TaskRow};
    use super::{Keys, bar, draw};
    use crate::times;
    use crate::view::progress::Progress;

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
        let row = TaskRow {
            id: "movie-17".into(),
            what: "Encode faust".into(),
            queue: "transcode".into(),
            state: "started".into(),
            node: "host_1".into(),
            error: None,
            progress: Progress::read(br#"{"done":5,"total":10}"#),
            started: Some(times::now() - Duration::from_secs(100)),
            end: Some(times::now() + Duration::from_millis(100_500)),
        };
        let picture = Picture { tasks: vec![row], trouble: Some("gone".into()), ..Picture::default() };
        let mut terminal = Terminal::new(TestBackend::new(140, 10))?;
        terminal.draw(|frame| draw(frame, &picture, &picture.tasks.iter().collect::<Vec<_>>(), &Keys::default()))?;
        let screen: String = terminal.backend().buffer().content().iter().map(ratatui::buffer::Cell::symbol).collect();
        for part in ["movie-17", "Encode faust", "50% 5/10", "1m 40s", "in 1m 4", "gone", "host_1"] {
            assert!(screen.contains(part), "{part}: {screen}");
        }
        let seen = Instant::now().checked_sub(OLD).unwrap_or_else(Instant::now);
        let old = Picture { seen, trouble: Some("gone".into()), ..Picture::default() };
        assert_eq!(old.warning("the server").as_deref(), Some("the server has not answered for 3s: gone"));
        Ok(())
    }
}
