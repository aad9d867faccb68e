//! Layout of tables: selects the columns that fit on a screen, and their widths.
//!
//! A row is one line. If a line is too long, ids are shortened to unique prefixes. If that is not enough, columns are
//! left out: first empty columns, then columns of zeros, then the least important columns. A text that is still too
//! long is cut and ends in `…`. Spare columns are shown only if there is ample room for the other columns.

use std::collections::HashSet;

use super::colour;
use super::text::{cut, width};

/// Minimum width of a text. If there is less room, another column is left out.
const LEAST: usize = 10;

/// Minimum width of the other texts when a spare column is shown.
const AMPLE: usize = 20;

/// Minimum width of shortened ids, including the `…`. Different tasks rarely share a prefix of this length.
const SHORT: usize = 13;

/// Maximum width of a column if stdout is not a terminal. A wider cell is not cut, and does not widen its column.
const PADDED: usize = 120;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    head: &'static str,
    form: Form,
    /// Position in the order in which columns are left out: 1 before 2. Columns of zeros are left out before these. A
    /// column with the rank 0 is always shown.
    rank: u8,
    spare: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A number, a state or a time, which is useless when cut.
    Whole,
    /// A text, with its minimum width. If there is less room, another column is left out.
    Text(usize),
    /// The ids of tasks.
    Id,
    /// The state of a task, in its colour.
    State,
}

impl Column {
    pub const fn whole(head: &'static str) -> Self {
        Self { head, form: Form::Whole, rank: 0, spare: false }
    }

    pub const fn text(head: &'static str) -> Self {
        Self { head, form: Form::Text(LEAST), rank: 0, spare: false }
    }

    pub const fn id(head: &'static str) -> Self {
        Self { head, form: Form::Id, rank: 0, spare: false }
    }

    pub const fn state(head: &'static str) -> Self {
        Self { head, form: Form::State, rank: 0, spare: false }
    }

    pub const fn head(&self) -> &'static str {
        self.head
    }

    pub const fn is_id(&self) -> bool {
        matches!(self.form, Form::Id)
    }

    /// Allows the column to be left out. Columns of the lowest rank are left out first.
    #[must_use]
    pub const fn rank(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// Marks the column as spare: it is the first column to be left out, even before other columns are cut much.
    #[must_use]
    pub const fn spare(self) -> Self {
        Self { spare: true, ..self }
    }

    /// Makes the column a text with this minimum width.
    #[must_use]
    pub const fn at_least(self, width: usize) -> Self {
        Self { form: Form::Text(width), ..self }
    }
}

/// The shown columns and their widths.
#[derive(Debug)]
pub struct Layout {
    shown: Vec<Shown>,
    gap: usize,
    room: Option<usize>,
}

#[derive(Debug)]
struct Shown {
    /// Index of the column among all columns.
    at: usize,
    column: Column,
    /// Width of the widest cell of the column.
    natural: usize,
    width: usize,
    short: Option<Short>,
}

impl Layout {
    /// Creates the layout for these rows, with `gap` between two columns and at most `room` in a line.
    pub fn new(columns: &[Column], rows: &[Vec<String>], gap: usize, room: Option<usize>) -> Self {
        let shown = columns.iter().enumerate().map(|(at, &column)| {
            let widest = rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell)).max().unwrap_or(0);
            let natural = widest.max(width(column.head));
            Shown { at, column, natural, width: natural, short: None }
        });
        let mut layout = Self { shown: shown.collect(), gap, room };
        match room {
            Some(room) if layout.taken() > room => layout.fit(rows, room),
            Some(_) => {}
            None => layout.shown.iter_mut().for_each(|shown| shown.width = shown.width.min(PADDED)),
        }
        layout
    }

    /// Returns the headings of the shown columns.
    pub fn heads(&self) -> Vec<String> {
        self.shown.iter().map(|shown| cut(&shown.column.head.to_uppercase(), shown.width)).collect()
    }

    /// Returns the shown cells of a row, cut to their widths.
    pub fn cells(&self, row: &[String]) -> Vec<String> {
        let cell = |shown: &Shown| {
            let text = row.get(shown.at).map_or("", String::as_str);
            match (shown.short, self.room) {
                (_, None) => text.to_owned(),
                (Some(short), _) => cut(&short.of(text), shown.width),
                (None, _) => cut(text, shown.width),
            }
        };
        self.shown.iter().map(cell).collect()
    }

    /// Returns the indexes and widths of the shown columns.
    pub fn widths(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.shown.iter().map(|shown| (shown.at, shown.width))
    }

    /// Joins cells to a line.
    pub fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for (cell, (_, columns)) in cells.iter().zip(self.widths()) {
            line.push_str(cell);
            line.push_str(&" ".repeat(columns.saturating_sub(width(cell)) + self.gap));
        }
        let line = line.trim_end();
        self.room.map_or_else(|| line.to_owned(), |room| cut(line, room))
    }

    /// Joins cells to a line, with the states in their colours.
    pub fn coloured(&self, cells: &[String]) -> String {
        let mut line = self.line(cells);
        let states =
            self.shown.iter().zip(cells).enumerate().filter(|(_, (shown, _))| shown.column.form == Form::State);
        for (at, (_, cell)) in states {
            let begin = cells
                .iter()
                .zip(&self.shown)
                .take(at)
                .map(|(cell, shown)| cell.len() + shown.width.saturating_sub(width(cell)) + self.gap);
            let begin = begin.sum::<usize>();
            let end = begin + cell.len();
            if let (Some(colour), Some(text)) = (colour::of_state(cell), line.get(begin..end)) {
                line.replace_range(begin..end, &format!("{colour}{text}\x1b[0m"));
            }
        }
        line
    }

    /// Returns the length of a line with the present widths.
    fn taken(&self) -> usize {
        let gaps = self.gap * self.shown.len().saturating_sub(1);
        self.shown.iter().map(|shown| shown.width).sum::<usize>() + gaps
    }

    /// Returns the length of a line in which ids have the minimum width, and long texts are cut to the width `AMPLE`.
    fn ample(&self) -> usize {
        let cut = self.shown.iter().map(|shown| match shown.column.form {
            Form::Whole | Form::State => 0,
            Form::Text(least) => shown.natural.saturating_sub(least.max(AMPLE)),
            Form::Id => shown.natural.saturating_sub(2 * SHORT),
        });
        self.taken().saturating_sub(cut.sum())
    }

    fn fit(&mut self, rows: &[Vec<String>], room: usize) {
        if self.ample() > room {
            self.shown.retain(|shown| !shown.column.spare);
        }
        for shown in &mut self.shown {
            if let Form::Text(least) = shown.column.form {
                shown.width = shown.natural.min(least);
            }
        }
        if self.taken() > room && !rows.is_empty() {
            let empty = |at: usize| rows.iter().all(|row| row.get(at).is_none_or(String::is_empty));
            self.shown.retain(|shown| shown.at == 0 || !empty(shown.at));
        }
        if self.taken() > room {
            self.shorten(rows, room);
        }
        // Columns of one rank are left out together.
        let mut ranks: Vec<(bool, u8, usize)> = self.ranks(rows).collect();
        ranks.sort_unstable();
        for group in ranks.chunk_by(|(some, rank, _), (other, next, _)| (some, rank) == (other, next)) {
            if self.taken() > room {
                self.shown.retain(|shown| group.iter().all(|(.., at)| *at != shown.at));
            }
        }
        self.squeeze(room);
        self.grow(room);
    }

    /// Returns the columns that may be left out. Each is described by its rank, its index, and a flag that is false if
    /// all cells are zero.
    fn ranks<'b>(&'b self, rows: &'b [Vec<String>]) -> impl Iterator<Item = (bool, u8, usize)> + 'b {
        let zero = |cell: &String| matches!(cell.as_str(), "0" | "-");
        let zeros = move |at: usize| rows.iter().all(|row| row.get(at).is_none_or(zero));
        let ranked = self.shown.iter().filter(|shown| shown.column.rank > 0);
        ranked.map(move |shown| (!zeros(shown.at), shown.column.rank, shown.at))
    }

    /// Shortens ids to unique prefixes.
    fn shorten(&mut self, rows: &[Vec<String>], room: usize) {
        for shown in self.shown.iter_mut().filter(|shown| shown.column.is_id()) {
            let ids: HashSet<&str> = rows.iter().filter_map(|row| row.get(shown.at)).map(String::as_str).collect();
            let short = Short::of_all(&ids, shown.natural.min(room));
            shown.width = short.width;
            shown.short = Some(short);
        }
    }

    /// Narrows the widest column until the line fits.
    fn squeeze(&mut self, room: usize) {
        let mut over = self.taken().saturating_sub(room);
        while over > 0
            && let Some(widest) = self.shown.iter_mut().max_by_key(|shown| shown.width)
            && widest.width > 1
        {
            widest.width -= 1;
            over -= 1;
        }
    }

    /// Distributes the remaining room evenly among the texts that were cut.
    fn grow(&mut self, room: usize) {
        let mut left = room.saturating_sub(self.taken());
        while left > 0 {
            let grows = |shown: &&mut Shown| matches!(shown.column.form, Form::Text(_)) && shown.width < shown.natural;
            let Some(narrowest) = self.shown.iter_mut().filter(grows).min_by_key(|shown| shown.width) else { break };
            narrowest.width += 1;
            left -= 1;
        }
    }
}

/// The form of shortened ids.
#[derive(Clone, Copy, Debug)]
struct Short {
    width: usize,
    /// True if the end of the id is shown as well.
    both: bool,
}

impl Short {
    /// Returns the shortest form that keeps these ids distinct: a prefix, or a prefix and an end if the prefix would be
    /// long.
    fn of_all(ids: &HashSet<&str>, most: usize) -> Self {
        let mut sorted: Vec<&str> = ids.iter().copied().collect();
        sorted.sort_unstable();
        let common = |(a, b): (&&str, &&str)| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        let shared = sorted.iter().zip(sorted.iter().skip(1)).map(common).max().unwrap_or(0);
        // The width is the length of the shared prefix, plus one distinct character and the `…`.
        let begins = Self { width: (shared + 2).max(SHORT), both: false };
        let distinct = |short: &Self| ids.iter().map(|id| short.of(id)).collect::<HashSet<_>>().len() == ids.len();
        let ends = || [SHORT, 2 * SHORT].map(|width| Self { width, both: true }).into_iter().find(distinct);
        let short = if begins.width > 2 * SHORT { ends().unwrap_or(begins) } else { begins };
        if short.width < most { short } else { Self { width: most, both: true } }
    }

    fn of(self, id: &str) -> String {
        if !self.both || width(id) <= self.width {
            return cut(id, self.width);
        }
        let tail = self.width / 2;
        let end: Vec<char> = id.chars().rev().take(tail).collect();
        let begin: String = id.chars().take(self.width - tail - 1).collect();
        format!("{begin}…{}", end.into_iter().rev().collect::<String>())
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::{Column, Layout, width};

    const COLUMNS: &[Column] = &[
        Column::id("id"),
        Column::whole("state"),
        Column::text("queue"),
        Column::whole("number").rank(1),
        Column::text("text").rank(2),
        Column::text(""),
    ];

    fn row(cells: [&str; 6]) -> Vec<String> {
        cells.map(str::to_owned).to_vec()
    }

    fn lines(rows: &[Vec<String>], room: Option<usize>) -> Vec<String> {
        let layout = Layout::new(COLUMNS, rows, 2, room);
        let rows = rows.iter().map(|row| layout.cells(row));
        [layout.heads()].into_iter().chain(rows).map(|cells| layout.line(&cells)).collect()
    }

    #[test]
    fn what_fits_is_shown_whole_and_without_a_screen_all_is() {
        let long = "x".repeat(500);
        let rows = [row(["a", "started", "q", "1", "日本", ""]), row(["b", "failed", "q", "22", &long, "end"])];
        let all = lines(&rows, None);
        assert_eq!(all[1], format!("a   started  q      1       日本{}", ""));
        assert_eq!(all[2], format!("b   failed   q      22      {long}  end"));
        assert_eq!(lines(&rows[..1], Some(80))[0], "ID  STATE    QUEUE  NUMBER  TEXT");
    }

    #[test]
    fn no_line_is_longer_than_the_screen_and_no_row_is_two() {
        let long = ["x".repeat(128), "日本語👩\u{200d}💻".repeat(40), "a".to_owned(), String::new()];
        for room in [1, 2, 10, 24, 40, 79, 80, 81, 120, 400] {
            for id in &long {
                for text in &long {
                    let rows = [row([id, "started", text, "1000000", text, text]), row(["b", "", "", "", "", ""])];
                    let all = lines(&rows, Some(room));
                    assert_eq!(all.len(), 3);
                    assert!(all.iter().all(|line| width(line) <= room && !line.contains('\n')), "{room}: {all:?}");
                }
            }
        }
    }

    #[test]
    fn the_least_important_columns_go_first_and_the_others_have_their_room() {
        let id = "0192ab34-cd56-7890-abcd-0123456789ab";
        let rows = [row([id, "started", "a-queue-of-some-length", "12345678", "some longer text here", "more"])];
        assert_eq!(lines(&rows, Some(60))[0], "ID             STATE    QUEUE           TEXT");
        assert_eq!(lines(&rows, Some(60))[1], "0192ab34-cd5…  started  a-queue-of-so…  some longer t…  more");
        assert_eq!(lines(&rows, Some(46))[1], "0192ab34-cd5…  started  a-queue-of-some…  more");
    }

    #[test]
    fn a_column_of_zeros_goes_before_one_that_says_something() {
        const COLUMNS: &[Column] = &[Column::text("queue"), Column::whole("one").rank(1), Column::whole("two").rank(2)];
        let heads = |numbers: [[&str; 2]; 2]| {
            let rows = numbers.map(|[one, two]| ["q", one, two].map(str::to_owned).to_vec());
            Layout::new(COLUMNS, &rows, 2, Some(12)).heads()
        };
        assert_eq!(heads([["1", "0"], ["0", "2"]]), ["QUEUE", "TWO"]);
        assert_eq!(heads([["1", "0"], ["0", "0"]]), ["QUEUE", "ONE"]);
        assert_eq!(heads([["0", "0"], ["0", "-"]]), ["QUEUE", "TWO"]);
    }

    #[test]
    fn a_spare_column_is_there_where_the_others_have_ample_room() {
        const COLUMNS: &[Column] = &[Column::id("id"), Column::text("text"), Column::whole("cost").spare()];
        let rows = [vec!["x".repeat(60), "y".repeat(60), "12".to_owned()]];
        let heads = |room| Layout::new(COLUMNS, &rows, 2, Some(room)).heads();
        assert_eq!(heads(26 + 2 + 20 + 2 + 4), ["ID", "TEXT", "COST"]);
        assert_eq!(heads(26 + 2 + 20 + 2 + 3), ["ID", "TEXT"]);
    }

    #[test]
    fn ids_are_told_apart_by_their_beginnings_or_by_their_ends() {
        let far = "y".repeat(80);
        let shown = |ids: [&str; 2]| {
            let rows = ids.map(|id| row([id, "", "", "", &far, ""]));
            let all = lines(&rows, Some(24));
            [1, 2].map(|at| all[at].split_whitespace().next().unwrap_or_default().to_owned())
        };
        assert_eq!(shown(["0192ab34cd56789011", "0192ab34cd56999911"]), ["0192ab34cd567…", "0192ab34cd569…"]);
        assert_eq!(
            shown(["experiment-with-a-long-name-0001", "experiment-with-a-long-name-0002"]),
            ["experi…e-0001", "experi…e-0002"]
        );
    }
}
