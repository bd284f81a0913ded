//! What the reports of arena can show, and how each medium draws it.
//!
//! A [`Section`] has tables, charts and notes. The program writes what it found as sections. The
//! terminal, Markdown and the page draw any section; CSV draws its tables. The crate depends on no
//! rules, files or plans.

use std::fmt::{self, Display};

use chart::Chart;
use table::Table;

// What can be shown.
pub mod chart;
pub mod table;
pub mod text;
pub mod words;

// How it is drawn.
pub mod csv;
pub mod html;
mod layout;
pub mod markdown;
pub mod screen;
pub mod terminal;

/// A part of a report with a heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// The anchor in the page.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The sentences before the first part.
    pub lead: Vec<Sentence>,
    /// What follows the sentences, in this order.
    pub parts: Vec<Part>,
}

/// A part of a section. Its contents are drawn in the order of the fields.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The heading. Empty if the part needs none.
    pub title: String,
    /// How to read the table and the charts. Only the page has it.
    pub explanation: String,
    /// The table, if there is one.
    pub table: Option<Table>,
    /// Drawings, which only the page has.
    pub charts: Vec<Chart>,
    /// Sentences below the table and the charts.
    pub notes: Vec<String>,
    /// A command that the last note announces.
    pub command: Option<String>,
    /// The media that show the part.
    pub detail: Detail,
    /// Whether the page has the part beside the next one.
    pub beside: bool,
}

impl Part {
    /// A part with a table, shown everywhere.
    pub fn new(title: &str, table: Table) -> Part {
        Part {
            title: title.to_owned(),
            table: Some(table),
            ..Part::default()
        }
    }

    /// The part, shown only on the page.
    #[must_use]
    pub fn on_the_page(mut self) -> Part {
        self.detail = Detail::Page;
        self
    }
}

/// The media that show a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// In all media.
    #[default]
    Everywhere,
    /// On the page, and in the terminal on request.
    Full,
    /// Only on the page.
    Page,
}

/// A sentence without its full stop. Where text can be bold, the subject is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The colour, or in Markdown the sign before it.
    pub tone: Tone,
    /// The beginning, such as the name of a bot.
    pub subject: String,
    /// The end, with the blank before it.
    pub rest: String,
}

impl Sentence {
    /// A sentence of these two texts.
    pub fn new(tone: Tone, subject: impl Into<String>, rest: impl Into<String>) -> Sentence {
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
    /// A section with these sentences before its parts.
    pub fn new(id: &str, title: &str, lead: Vec<Sentence>, parts: Vec<Part>) -> Section {
        Section {
            id: id.to_owned(),
            title: title.to_owned(),
            lead,
            parts,
        }
    }

    /// The notes and commands of all parts but details, in their order.
    pub fn notes(&self) -> impl Iterator<Item = &String> {
        self.parts
            .iter()
            .filter(|part| part.detail == Detail::Everywhere)
            .flat_map(|part| part.notes.iter().chain(&part.command))
    }
}

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
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
