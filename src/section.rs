//! Sections of reports, with tables, charts and notes. This room knows no game, no file and no kind
//! of run.
//!
//! The other rooms write their results as sections. The terminal, Markdown, the page and JUnit each
//! draw any section.

use std::fmt::{self, Display};

use chart::Chart;
use table::Table;

pub(crate) mod chart;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod words;

/// A part of a report with a heading.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// The anchor in the page.
    pub(crate) id: String,
    pub(crate) title: String,
    /// The sentences before the first part.
    pub(crate) lead: Vec<Sentence>,
    pub(crate) parts: Vec<Part>,
}

/// A part of a section. Its contents are drawn in the order of the fields.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) title: String,
    pub(crate) explanation: String,
    pub(crate) table: Option<Table>,
    /// Drawings, which only the page has.
    pub(crate) charts: Vec<Chart>,
    pub(crate) notes: Vec<String>,
    /// A command that the last note announces.
    pub(crate) command: Option<String>,
    pub(crate) detail: Detail,
    /// Whether the page has the part beside the next one.
    pub(crate) beside: bool,
}

impl Part {
    /// A part with a table, shown everywhere.
    pub(crate) fn new(title: &str, table: Table) -> Part {
        Part {
            title: title.to_owned(),
            table: Some(table),
            ..Part::default()
        }
    }

    /// The part, shown only on the page.
    pub(crate) fn on_the_page(self) -> Part {
        Part {
            detail: Detail::Page,
            ..self
        }
    }
}

/// The media that show a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detail {
    #[default]
    Everywhere,
    /// On the page, and in the terminal on request.
    Full,
    /// Only on the page.
    Page,
}

/// A sentence without its full stop. Where text can be bold, the subject is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) tone: Tone,
    pub(crate) subject: String,
    pub(crate) rest: String,
}

impl Sentence {
    pub(crate) fn new(tone: Tone, subject: impl Into<String>, rest: impl Into<String>) -> Sentence {
        Sentence {
            tone,
            subject: subject.into(),
            rest: rest.into(),
        }
    }
}

impl Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.subject, self.rest)
    }
}

impl Section {
    /// The notes and commands of all parts but details, in their order.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &String> {
        self.parts
            .iter()
            .filter(|part| part.detail == Detail::Everywhere)
            .flat_map(|part| part.notes.iter().chain(&part.command))
    }
}

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// No colour.
    #[default]
    Plain,
    /// Important, without a judgement.
    Strong,
    /// A verdict for the bot.
    Good,
    /// A verdict against the bot, a fault, an error.
    Bad,
    /// An open verdict, a warning.
    Open,
    /// Less important than others.
    Faint,
}
