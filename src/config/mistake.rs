//! A mistake in a config or in flags: its place, what was expected, and advice.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::document::Document;
use arena_section::text::{harmless, nearest};

/// Maximum number of characters of a user's text to repeat in a message.
const LONGEST_QUOTE: usize = 60;
/// Maximum number of names to list if one of them was expected.
const LONGEST_LIST: usize = 8;

/// The result of reading something.
pub(super) type Read<T> = Result<T, Mistake>;

/// One mistake, before it is joined with the text it was found in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// The headline. The default says that the value is bad.
    title: Option<String>,
    place: MistakePlace,
    /// The expected value, or the reason why the value is wrong.
    problem: String,
    /// Related places with labels.
    related: Vec<(String, String)>,
    help: Box<str>,
}

/// The place of a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MistakePlace {
    /// The value at a path, see [`Document`].
    Value(String),
    /// The value at a path, which the message also describes.
    Unexpected(String),
    /// The last key of a path.
    Key(String),
    /// A span in text that isn't TOML.
    Text(Range<usize>),
}

impl Mistake {
    fn at(place: MistakePlace, problem: impl Into<String>) -> Mistake {
        Mistake {
            title: None,
            place,
            problem: problem.into(),
            related: Vec::new(),
            help: Box::default(),
        }
    }

    /// Makes a mistake at the value of a path.
    pub(super) fn new(path: impl Into<String>, problem: impl Into<String>) -> Mistake {
        Mistake::at(MistakePlace::Value(path.into()), problem)
    }

    /// Makes a mistake for a value of the wrong kind.
    pub(super) fn expected(path: impl Into<String>, expected: &str) -> Mistake {
        Mistake::at(
            MistakePlace::Unexpected(path.into()),
            format!("expected {expected}"),
        )
    }

    /// Makes a mistake in text that isn't TOML.
    pub(super) fn in_text(title: &str, span: Range<usize>, problem: impl Into<String>) -> Mistake {
        Mistake::at(MistakePlace::Text(span), problem).titled(title)
    }

    /// Makes a mistake for a key that isn't one of `known`, the keys of its table.
    pub(super) fn unknown_key(path: &str, known: &[&str]) -> Mistake {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let meant = nearest(key, known).map(|name| format!("did you mean `{name}`?"));
        Mistake::at(
            MistakePlace::Key(path.to_owned()),
            meant.unwrap_or_default(),
        )
        .titled(format!("unknown key {}", quoted(key)))
        .help(format!("{} takes {}", header(table), listed(known, "and")))
    }

    /// Makes a mistake for a table that lacks a required key.
    pub(super) fn missing_key(table: &str, key: &str, example: &str) -> Mistake {
        Mistake::new(table, format!("`{key}` is missing"))
            .titled(format!("{} has no `{key}`", header(table)))
            .help(format!("add `{example}`"))
    }

    /// Makes a mistake for a word that isn't one of `known`. `what` describes what it should name.
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

    /// Adds a related place.
    pub(super) fn related(mut self, path: impl Into<String>, label: impl Into<String>) -> Mistake {
        self.related.push((path.into(), label.into()));
        self
    }

    /// Adds a last line with advice. It is printed without escapes, so it must not contain text
    /// from the config.
    pub(super) fn help(mut self, help: impl Into<Box<str>>) -> Mistake {
        self.help = help.into();
        self
    }

    /// Formats the mistake in one line for flags, which have the names of the keys.
    pub(crate) fn in_flags(&self) -> String {
        let (MistakePlace::Value(path) | MistakePlace::Unexpected(path) | MistakePlace::Key(path)) =
            &self.place
        else {
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

    /// Whether the mistake is in a folder or file that an option of a game names.
    pub(crate) fn is_of_input(&self) -> bool {
        matches!(&self.place, MistakePlace::Value(path) if path.starts_with("game."))
    }

    /// Formats the mistake with the lines of `text` around it. `source` names the text.
    pub(super) fn show(&self, source: &str, text: &str) -> String {
        let document = Document::parse(text).unwrap_or_default();
        let mut problem = self.problem.clone();
        let (span, path) = match &self.place {
            MistakePlace::Value(path) => (document.span(path), path.as_str()),
            MistakePlace::Key(path) => (document.key_span(path), path.as_str()),
            MistakePlace::Text(span) => (span.clone(), ""),
            MistakePlace::Unexpected(path) => {
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

/// Returns the last key of a path that is neither an index nor a name of the user's own.
fn last_key(path: &str) -> &str {
    let is_key = |key: &&str| key.parse::<usize>().is_err();
    match path.split('.').filter(is_key).collect::<Vec<&str>>()[..] {
        [.., table @ ("env" | "options"), _] => table,
        [.., last] => last,
        [] => "",
    }
}

/// Returns the header of the table at a path, for messages.
pub(super) fn header(path: &str) -> String {
    match path.rsplit_once('.') {
        None if path.is_empty() => "the config".to_owned(),
        Some((list, item)) if item.parse::<usize>().is_ok() => format!("[[{list}]]"),
        _ => format!("[{path}]"),
    }
}

/// Cuts `span` at the end of its first line: carets under thirty lines don't help.
fn first_line(text: &str, span: Range<usize>) -> Range<usize> {
    let line = text.get(span.clone()).and_then(|part| part.lines().next());
    span.start..span.start + line.map_or(0, str::len)
}

/// Puts a user's text between backticks, shortened and with hidden characters escaped.
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
