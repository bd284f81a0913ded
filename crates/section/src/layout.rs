//! Tables as aligned lines that fit a window. Prose is wrapped between words, long names lose their
//! middle, and less important columns are left out.

use console::measure_text_width;
use textwrap::{Options, WordSplitter};

use crate::Tone;
use crate::screen::{Screen, shortened, shortened_apart};
use crate::table::{Column, Kind, Table};
use crate::terminal::not_shown;

/// Stands before a marked row.
const MARK: char = '>';
/// The least width of a name while there are columns to leave out.
const NAME: usize = 14;
/// The least width of a name at all.
const SHORT_NAME: usize = 5;
/// The least width of prose. It isn't wrapped within a word while there is another way.
const PROSE: usize = 12;

/// A column and its width.
type Fitted<'t> = (&'t Column, usize);
/// Which columns shrink, and to what width.
type Shrink = (fn(&Column) -> bool, fn(&Column) -> usize);

impl Table {
    /// Aligned columns for a terminal.
    pub fn text(&self, screen: &Screen) -> String {
        let mut out = Vec::new();
        self.fitting(screen, &mut out) + &not_shown(&out, screen)
    }

    /// Aligned columns for a terminal. Adds the titles of columns that don't fit to `out`, which
    /// several tables may share.
    pub fn fitting(&self, screen: &Screen, out: &mut Vec<String>) -> String {
        let columns = fitted(&self.shown(), screen.columns());
        for column in self.shown() {
            let is_in = columns
                .iter()
                .any(|(shown, _)| std::ptr::eq(*shown, column));
            if !is_in && !column.is_empty() && !out.contains(&column.title) {
                out.push(column.title.clone());
            }
        }
        self.lines(&columns, screen)
    }

    /// The head and the rows, in these columns.
    fn lines(&self, columns: &[Fitted], screen: &Screen) -> String {
        let (mut cells, mut texts) = (Vec::new(), Vec::new());
        for (column, width) in columns {
            cells.push((column.title.as_str(), Tone::Strong));
            texts.push(column.texts(*width));
        }
        let mut text = row(columns, &cells, screen);
        for at in 0..self.row_count() {
            let is_marked = self.marked == Some(at);
            for (place, texts) in texts.iter().enumerate() {
                let tone = match &columns[place].0.cells[at] {
                    cell if cell.text.is_none() => Tone::Faint,
                    cell if is_marked && cell.tone == Tone::Plain => Tone::Strong,
                    cell => cell.tone,
                };
                cells[place] = (&texts[at], tone);
            }
            let line = row(columns, &cells, screen);
            if is_marked {
                text.push(MARK);
                text += line.strip_prefix(' ').unwrap_or(&line);
            } else {
                text += &line;
            }
        }
        text
    }

    /// The table in at most `lines` lines: its first and last rows, and the marked one.
    pub fn few(&self, lines: usize, screen: &Screen) -> Vec<String> {
        let rows = rows_with_room(self.row_count(), self.marked, lines);
        let mut few = self.clone();
        few.marked = rows.iter().position(|&row| Some(row) == self.marked);
        for column in &mut few.columns {
            column.cells = rows.iter().map(|&row| column.cells[row].clone()).collect();
        }
        let text = few.fitting(screen, &mut Vec::new());
        let mut text: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut places = rows.iter().enumerate();
        if let Some(gap) = places.position(|(place, &row)| row != place) {
            let more = self.row_count() - rows.len();
            text.insert(gap + 1, format!(" ⋮  {more} more"));
        }
        text
    }
}

/// The rows of a table that are shown in at most `lines` lines.
fn rows_with_room(all: usize, keep: Option<usize>, lines: usize) -> Vec<usize> {
    if all < lines {
        return (0..all).collect();
    }
    // One line is the head, and one counts the rows that are left out.
    let rows = lines.saturating_sub(2);
    let top = rows.div_ceil(2);
    let mut shown: Vec<usize> = (0..top).collect();
    shown.extend(all - (rows - top)..all);
    if let Some(keep) = keep
        && !shown.contains(&keep)
        && let Some(last) = top.checked_sub(1)
    {
        shown[last] = keep;
    }
    shown
}

/// The columns that fit into a window of this width, if there is one.
fn fitted<'t>(shown: &[&'t Column], window: Option<usize>) -> Vec<Fitted<'t>> {
    let natural = |&column: &&'t Column| (column, natural(column));
    let mut columns: Vec<Fitted> = shown.iter().map(natural).collect();
    let Some(window) = window.filter(|&window| total(&columns) > window) else {
        return columns;
    };
    columns.retain(|(column, _)| !column.is_empty());
    loop {
        let spare = columns.iter().map(|(column, _)| column.spare).max();
        let fitted = squeezed(columns.clone(), window, spare == Some(0));
        if spare.unwrap_or(0) == 0 || total(&fitted) <= window {
            return fitted;
        }
        columns.retain(|(column, _)| Some(column.spare) < spare);
    }
}

/// The widths of columns that fit into the window, as far as possible. Wrapped prose loses nothing,
/// so it shrinks before names do. If no column can be left out any more, names shrink further, then
/// short texts are wrapped.
fn squeezed(mut columns: Vec<Fitted>, window: usize, is_last: bool) -> Vec<Fitted> {
    let steps: [Shrink; 5] = [
        (
            |column| matches!(column.kind, Kind::Words | Kind::Prose),
            whole_words,
        ),
        (Column::is_name, |_| NAME),
        (Column::is_name, |_| SHORT_NAME),
        (|column| column.kind == Kind::Text, whole_words),
        (Column::is_prose, |_| PROSE),
    ];
    for (may_shrink, least) in &steps[..if is_last { 5 } else { 2 }] {
        while total(&columns) > window {
            let shrinking = columns
                .iter_mut()
                .filter(|(column, width)| may_shrink(column) && *width > least(column));
            let Some((_, widest)) = shrinking.max_by_key(|(_, width)| *width) else {
                break;
            };
            *widest -= 1;
        }
    }
    columns
}

/// The least width that cuts no word of a column in two.
fn whole_words(column: &Column) -> usize {
    let texts = column.cells.iter().filter_map(|cell| cell.text.as_deref());
    let texts = texts.chain([column.title.as_str()]);
    let mut width = PROSE;
    for word in texts.flat_map(str::split_whitespace) {
        width = width.max(measure_text_width(word));
    }
    width
}

/// The width of a line, with a blank on each side of a column but the last.
fn total(columns: &[Fitted]) -> usize {
    let all: usize = columns.iter().map(|(_, width)| width + 2).sum();
    all.saturating_sub(1)
}

fn natural(column: &Column) -> usize {
    let mut width = measure_text_width(&column.title);
    for cell in &column.cells {
        width = width.max(cell.text.as_deref().map_or(1, measure_text_width));
    }
    width
}

/// A row, which takes as many lines as its longest prose.
fn row(columns: &[Fitted], cells: &[(&str, Tone)], screen: &Screen) -> String {
    let mut wrapped: Vec<Vec<String>> = Vec::new();
    for (&(column, width), &(text, _)) in columns.iter().zip(cells) {
        if column.is_prose() && measure_text_width(text) > width {
            let options = Options::new(width).word_splitter(WordSplitter::NoHyphenation);
            let lines = textwrap::wrap(text, options);
            wrapped.push(lines.into_iter().map(Into::into).collect());
        } else {
            wrapped.push(vec![shortened(text, width)]);
        }
    }
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for at in 0..height {
        let mut line = String::new();
        for (place, (column, width)) in columns.iter().enumerate() {
            let cell = wrapped[place].get(at).map_or("", String::as_str);
            let blanks = " ".repeat(width.saturating_sub(measure_text_width(cell)));
            let painted = match cell {
                "" => String::new(),
                cell => screen.paint(cells[place].1, cell),
            };
            if column.is_left() {
                line.extend([" ", &painted, &blanks, " "]);
            } else {
                line.extend([" ", &blanks, &painted, " "]);
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

impl Column {
    /// Whether all cells are empty.
    fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell.text.is_none())
    }

    /// Whether all cells are empty. Zeros count as empty in a column that can be left out.
    pub(crate) fn says_nothing(&self) -> bool {
        !self.cells.is_empty()
            && self.cells.iter().all(|cell| match cell.text.as_deref() {
                None => cell.value.is_none() && cell.ends.is_none() && cell.details.is_empty(),
                text => self.spare > 0 && text == Some("0"),
            })
    }

    /// The texts of all cells; names that are too wide are shortened.
    pub(crate) fn texts(&self, width: usize) -> Vec<String> {
        let texts = self.cells.iter().map(|cell| cell.text.as_deref());
        let texts: Vec<&str> = texts.map(|text| text.unwrap_or("-")).collect();
        if self.is_name() {
            shortened_apart(&texts, width)
        } else {
            texts.into_iter().map(str::to_owned).collect()
        }
    }

    /// Whether a cell may take several lines.
    fn is_prose(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Words | Kind::Prose)
    }

    /// Whether a cell that is too wide is shortened.
    fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Name | Kind::Value | Kind::Code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Rows;

    fn table(faults: &'static str) -> Table {
        let bots = [
            "onitama-search-of-version-17",
            "名前がとても長いボット",
            "x",
        ];
        let mut rows = Rows::new("Standings", &bots)
            .shown(Kind::Name, "bot", |bot| *bot)
            .shown(Kind::Number, "Elo", |_| "+169.0");
        for number in 1..4 {
            rows = rows
                .shown(Kind::Number, format!("column {number}"), |_| "12345")
                .spare(number);
        }
        rows.shown(Kind::Words, "faults", |_| faults).table()
    }

    #[test]
    fn a_table_fits_its_window() {
        let many = "2 timeout, 3 crashed, 1 illegal";
        let windows = [
            Screen::default(),
            Screen::wide(70),
            Screen::wide(60),
            Screen::wide(40),
        ];
        let shown = [
            &table("2 timeout"),
            &table("2 timeout"),
            &table(many),
            &table(many),
        ];
        let shown: Vec<String> = shown
            .into_iter()
            .zip(windows)
            .map(|(table, screen)| table.text(&screen))
            .collect();
        insta::assert_snapshot!(shown.join("\n"));
    }

    #[test]
    fn a_marked_row_stays_in_few_lines() {
        let table = Table {
            marked: Some(1),
            ..table("2 timeout")
        };
        let lines = table.few(3, &Screen::wide(80));
        assert!(
            lines.iter().any(|line| line.starts_with(">名前")),
            "{lines:?}"
        );
        assert_eq!(lines.iter().filter(|line| line.starts_with('>')).count(), 1);
    }

    #[test]
    fn no_line_is_wider_than_the_window() {
        for columns in 40..120 {
            let text = table("2 timeout, 3 crashed, 1 illegal").text(&Screen::wide(columns));
            assert!(
                text.lines().all(|line| measure_text_width(line) <= columns),
                "{columns}\n{text}"
            );
        }
    }

    #[test]
    fn no_word_is_cut_in_two() {
        let faults = "2 out_of_memory, 13 invalid_action";
        for columns in 40..120 {
            let text = table(faults).text(&Screen::wide(columns));
            assert!(
                faults
                    .split(' ')
                    .all(|word| text.matches(word).count() >= 3),
                "{columns}\n{text}"
            );
        }
    }
}
