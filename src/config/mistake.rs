//! A mistake in a config or in flags: where it is, what was expected, what to write instead.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::document::Document;
use crate::text::{harmless, nearest};

/// The most characters of the user's own text that a message repeats.
const LONGEST_QUOTE: usize = 60;
/// The most names to list where one of them was expected.
const LONGEST_LIST: usize = 8;

/// The result of reading something.
pub(super) type Read<T> = Result<T, Mistake>;

/// One mistake, before it is joined with the text it was found in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// What is wrong; by default that the value is.
    title: Option<String>,
    place: Place,
    /// What was expected, or why the value is wrong.
    problem: String,
    /// Other places that have to do with it.
    related: Vec<(String, String)>,
    help: Box<str>,
}

/// Where a mistake is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// At the value that a path leads to, see [`Document`].
    Value(String),
    /// There, too; the message adds what the value is.
    Unexpected(String),
    /// At the last key of a path.
    Key(String),
    /// In text that isn't TOML.
    Text(Range<usize>),
}

impl Mistake {
    fn at(place: Place, problem: impl Into<String>) -> Mistake {
        Mistake {
            title: None,
            place,
            problem: problem.into(),
            related: Vec::new(),
            help: Box::default(),
        }
    }

    /// A mistake at the value that a path leads to.
    pub(super) fn new(path: impl Into<String>, problem: impl Into<String>) -> Mistake {
        Mistake::at(Place::Value(path.into()), problem)
    }

    /// A value that isn't what was expected.
    pub(super) fn expected(path: impl Into<String>, expected: &str) -> Mistake {
        Mistake::at(
            Place::Unexpected(path.into()),
            format!("expected {expected}"),
        )
    }

    /// A mistake in a text that isn't TOML.
    pub(super) fn in_text(title: &str, span: Range<usize>, problem: impl Into<String>) -> Mistake {
        Mistake::at(Place::Text(span), problem).titled(title)
    }

    /// A key that is none of `known`, which are all that its table takes.
    pub(super) fn unknown_key(path: &str, known: &[&str]) -> Mistake {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let meant = nearest(key, known).map(|name| format!("did you mean `{name}`?"));
        Mistake::at(Place::Key(path.to_owned()), meant.unwrap_or_default())
            .titled(format!("unknown key {}", quoted(key)))
            .help(format!("{} takes {}", header(table), listed(known, "and")))
    }

    /// A table without a key that has no default.
    pub(super) fn missing_key(table: &str, key: &str, example: &str) -> Mistake {
        Mistake::new(table, format!("`{key}` is missing"))
            .titled(format!("{} has no `{key}`", header(table)))
            .help(format!("add `{example}`"))
    }

    /// A word that is none of `known`; `what` says what it should name.
    pub(super) fn unknown(path: &str, what: &str, word: &str, known: &[&str]) -> Mistake {
        let problem = match nearest(word, known) {
            Some(name) => format!("did you mean `{name}`?"),
            None if known.len() <= LONGEST_LIST => format!("expected {}", listed(known, "or")),
            None => String::new(),
        };
        Mistake::new(path, problem).titled(format!("unknown {what} {}", quoted(word)))
    }

    fn titled(mut self, title: impl Into<String>) -> Mistake {
        self.title = Some(title.into());
        self
    }

    /// Shows a second place that has to do with the mistake.
    pub(super) fn related(mut self, path: impl Into<String>, label: impl Into<String>) -> Mistake {
        self.related.push((path.into(), label.into()));
        self
    }

    /// Adds a last line with advice. It is printed as it is, so it must not hold text from the config.
    pub(super) fn help(mut self, help: impl Into<Box<str>>) -> Mistake {
        self.help = help.into();
        self
    }

    /// A message in one line about a mistake in flags, which are called as the keys are.
    pub(crate) fn in_flags(&self) -> String {
        let (Place::Value(path) | Place::Unexpected(path) | Place::Key(path)) = &self.place else {
            return self.problem.clone();
        };
        let said = match &self.title {
            Some(title) => format!("{title}: {}", self.problem),
            None => self.problem.clone(),
        };
        match path.split('.').collect::<Vec<&str>>()[..] {
            ["tune", "parameters", name, ..] => match &*self.help {
                "" => format!("{{{name}}}: {said}"),
                help => format!("{{{name}}}: {said}; {help}"),
            },
            ["bot" | "tune", ..] => said,
            ["sprt", ..] => format!("--sprt: {said}"),
            _ => format!("--{}: {said}", last_key(path).replace('_', "-")),
        }
    }

    /// Whether it lies in what an option of a game names.
    pub(crate) fn is_of_input(&self) -> bool {
        matches!(&self.place, Place::Value(path) if path.starts_with("game."))
    }

    /// A message with the lines of the text in which the mistake was made. `source` names it.
    pub(super) fn show(&self, source: &str, text: &str) -> String {
        let document = Document::parse(text).unwrap_or_default();
        let mut problem = self.problem.clone();
        let (span, path) = match &self.place {
            Place::Value(path) => (document.span(path), path.as_str()),
            Place::Key(path) => (document.key_span(path), path.as_str()),
            Place::Text(span) => (span.clone(), ""),
            Place::Unexpected(path) => {
                problem.extend([", found ", &document.description(path)]);
                (document.span(path), path.as_str())
            }
        };
        let label = (!problem.is_empty()).then_some(problem);
        let mut annotations = vec![
            AnnotationKind::Primary
                .span(first_line(text, span))
                .label(label),
        ];
        for (path, label) in &self.related {
            let span = first_line(text, document.span(path));
            annotations.push(AnnotationKind::Context.span(span).label(label));
        }
        let title = match &self.title {
            Some(title) => title.clone(),
            None => format!("bad value for {}", quoted(last_key(path))),
        };
        let snippet = Snippet::source(text).path(source).annotations(annotations);
        let mut report = Level::ERROR.no_name().primary_title(title).element(snippet);
        if !self.help.is_empty() {
            report = report.element(Level::HELP.message(&*self.help));
        }
        Renderer::plain().render(&[report])
    }
}

/// The last key of a path, without numbers of items.
fn last_key(path: &str) -> &str {
    let mut keys = path.rsplit('.');
    let last = keys.find(|key| key.parse::<usize>().is_err());
    last.unwrap_or_default()
}

/// How messages call the table that a path leads to.
pub(super) fn header(path: &str) -> String {
    match path.rsplit_once('.') {
        None if path.is_empty() => "the config".to_owned(),
        Some((list, item)) if item.parse::<usize>().is_ok() => format!("[[{list}]]"),
        _ => format!("[{path}]"),
    }
}

/// The part of `span` that lies on its first line: a caret under a list of thirty lines helps nobody.
fn first_line(text: &str, span: Range<usize>) -> Range<usize> {
    let line = text.get(span.clone()).and_then(|part| part.lines().next());
    span.start..span.start + line.map_or(0, str::len)
}

/// Text of the user's between backticks, shortened, without anything that would move a terminal's cursor.
pub(super) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(LONGEST_QUOTE).collect();
    let end = if shown.len() < text.len() { "…" } else { "" };
    format!("`{}{end}`", harmless(&shown))
}

/// "`a`", "`a` or `b`", "`a`, `b` or `c`".
pub(super) fn listed(names: &[&str], conjunction: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] => format!("{} {conjunction} {last}", before.join(", ")),
    }
}
