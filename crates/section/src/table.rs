//! The model of a table. Every table is built once; the terminal, Markdown, the page and CSV
//! files each have one renderer.

use super::Tone;
use super::screen::Screen;
use super::words::decimal;

/// A table for people and for programs. A column is for people, for files, or for both.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What screen readers call the table.
    pub title: &'static str,
    /// Columns of the same length.
    pub columns: Vec<Column>,
    /// Whether the last row sums up the others.
    pub has_sum: bool,
    /// The row that the table is about, if there is one. It is marked, and never left out.
    pub marked: Option<usize>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The title for people. If it is empty, they don't see the column.
    pub title: String,
    /// The name in CSV files. If it is empty, files don't have the column.
    pub name: String,
    /// What the cells hold.
    pub kind: Kind,
    /// An explanation of the title.
    pub note: String,
    /// Narrow windows drop the columns with the highest number first, all at once. Columns with 0
    /// stay.
    pub spare: usize,
    /// The cells, one for each row.
    pub cells: Vec<Cell>,
}

/// The kind of values in a column. It decides how the column is aligned, sorted and written to
/// files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The place of a row, in ascending order.
    Rank,
    /// The number of a game, in ascending order.
    Game,
    /// The name of a row.
    Name,
    /// A few words, which a narrow window wraps last.
    Text,
    /// A few words, which a narrow window wraps first.
    Words,
    /// Free text of any length.
    Prose,
    /// A command.
    Code,
    /// A number or a word, right-aligned.
    Value,
    /// A number, with four decimals in files.
    Number,
    /// A share from 0 to 1, on a ground that shows it.
    Heat,
    /// Milliseconds.
    Time,
    /// A number in its interval, drawn on the page only.
    Interval,
    /// The ends of an interval as text. A narrow page leaves them out if the table draws the
    /// interval.
    Ends,
    /// Texts that open on request, on the page only.
    Details,
}

/// A cell of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// The text for people.
    pub text: Option<String>,
    /// The number for sorting and for files; infinite if it lies beyond all others.
    pub value: Option<f64>,
    /// The interval of the number.
    pub ends: Option<[f64; 2]>,
    /// Small text below.
    pub note: String,
    /// Texts that open on request, by name.
    pub details: Vec<(&'static str, String)>,
    /// Text shown on hover.
    pub tip: String,
    /// The colour of the text.
    pub tone: Tone,
    /// Where the text of a name leads, on the page only.
    pub link: Option<String>,
    /// The games that the cell counts.
    pub games: Filter,
}

/// A selection of games: values by the names of the page's filters. An empty filter
/// selects none.
pub type Filter = Vec<(&'static str, String)>;

impl Cell {
    /// A number with its text; `-` and `None` are nothing.
    pub fn number(value: Option<f64>, text: impl Into<Option<String>>) -> Cell {
        Cell {
            value,
            text: text.into().filter(|text| text != "-"),
            ..Cell::default()
        }
    }

    /// A cell in a tone.
    pub fn toned(tone: Tone, content: impl Into<Cell>) -> Cell {
        Cell {
            tone,
            ..content.into()
        }
    }

    /// A number as `show` writes it.
    pub fn shown(value: impl Into<Option<f64>>, show: impl Fn(f64) -> String) -> Cell {
        let value = value.into();
        Cell {
            value,
            text: value.map(show),
            ..Cell::default()
        }
    }
}

macro_rules! cells_of {
    ($($text:ty),*; $($count:ty),*) => {
        $(impl From<$text> for Cell {
            fn from(text: $text) -> Cell {
                Cell { text: Some(text.into()), ..Cell::default() }
            }
        })*
        $(impl From<$count> for Cell {
            fn from(count: $count) -> Cell {
                Cell { value: count.to_string().parse().ok(), ..count.to_string().into() }
            }
        })*
    };
}

cells_of!(&str, &String, String; u32, u64, usize);

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::shown(value, decimal)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(content: Option<T>) -> Cell {
        content.map(Into::into).unwrap_or_default()
    }
}

/// Builds a table column by column. Each row is about a value of the same type.
#[must_use]
pub struct Rows<'a, T> {
    rows: Vec<&'a T>,
    table: Table,
}

impl<'a, T> Rows<'a, T> {
    /// A table without columns.
    pub fn new(title: &'static str, rows: impl IntoIterator<Item = &'a T>) -> Rows<'a, T> {
        Rows {
            rows: rows.into_iter().collect(),
            table: Table {
                title,
                ..Table::default()
            },
        }
    }

    /// Adds a column for people, with its title, and for files, with its name.
    pub fn both<C: Into<Cell>>(
        self,
        kind: Kind,
        title: impl Into<String>,
        name: impl Into<String>,
        cell: impl Fn(&'a T) -> C,
    ) -> Rows<'a, T> {
        self.column(kind, title.into(), name.into(), &|row| cell(row).into())
    }

    /// Adds a column. This is compiled once for each type of rows, not for each of hundreds of
    /// columns.
    fn column(
        mut self,
        kind: Kind,
        title: String,
        name: String,
        cell: &dyn Fn(&'a T) -> Cell,
    ) -> Rows<'a, T> {
        let cells = self.rows.iter().map(|row| cell(row)).collect();
        self.table.columns.push(Column {
            title,
            name,
            kind,
            note: String::new(),
            spare: 0,
            cells,
        });
        self
    }

    /// Adds a column for people.
    pub fn shown<C: Into<Cell>>(
        self,
        kind: Kind,
        title: impl Into<String>,
        cell: impl Fn(&'a T) -> C,
    ) -> Rows<'a, T> {
        self.both(kind, title, "", cell)
    }

    /// Adds a column for files.
    pub fn file<C: Into<Cell>>(self, name: &str, cell: impl Fn(&'a T) -> C) -> Rows<'a, T> {
        self.both(Kind::Text, "", name, cell)
    }

    /// Explains the title of the last column.
    pub fn note(mut self, note: impl Into<String>) -> Rows<'a, T> {
        if let Some(column) = self.table.columns.last_mut() {
            column.note = note.into();
        }
        self
    }

    /// Links the cells of the last column to their games, unless they count none.
    pub fn of_games(mut self, games: impl Fn(&'a T) -> Filter) -> Rows<'a, T> {
        if let Some(column) = self.table.columns.last_mut() {
            for (row, cell) in self.rows.iter().zip(&mut column.cells) {
                let tells = !matches!(cell.text.as_deref(), None | Some("0"));
                cell.games = if tells { games(row) } else { Filter::new() };
            }
        }
        self
    }

    /// Sets [`Column::spare`] of the last column.
    pub fn spare(mut self, spare: usize) -> Rows<'a, T> {
        if let Some(column) = self.table.columns.last_mut() {
            column.spare = spare;
        }
        self
    }

    /// Marks a row.
    pub fn marked(mut self, row: Option<usize>) -> Rows<'a, T> {
        self.table.marked = row;
        self
    }

    /// The table.
    pub fn table(self) -> Table {
        self.table
    }

    /// The table as aligned columns for a terminal.
    pub fn text(&self, screen: &Screen) -> String {
        self.table.text(screen)
    }
}

impl Table {
    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// The columns for people, without those for the page.
    pub fn shown(&self) -> Vec<&Column> {
        self.columns
            .iter()
            .filter(|column| !column.title.is_empty())
            .filter(|column| !matches!(column.kind, Kind::Interval | Kind::Details))
            .collect()
    }

    /// The columns with these titles, in this order. Titles without a column are skipped.
    #[must_use]
    pub fn pick(&self, titles: &[&str]) -> Table {
        let mut columns = Vec::new();
        for title in titles {
            let mut all = self.columns.iter();
            columns.extend(all.find(|column| column.title == *title).cloned());
        }
        Table { columns, ..*self }
    }
}

impl Column {
    /// Whether cells are aligned to the left, as words are.
    pub fn is_left(&self) -> bool {
        matches!(
            self.kind,
            Kind::Name | Kind::Text | Kind::Words | Kind::Prose | Kind::Code
        )
    }

    /// Whether cells are sorted as words.
    pub fn is_words(&self) -> bool {
        self.is_left()
            || (self.kind == Kind::Value && self.cells.iter().any(|cell| cell.value.is_none()))
    }
}
