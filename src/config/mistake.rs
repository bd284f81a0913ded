//! A mistake in a config or in flags: its place, what was expected, and advice.

use std::fmt::Display;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::Config;
use super::document::{Document, join};
use super::parameters::has_only_name_characters;
use super::resolve::{BACKSLASHES, PATHS};
use super::settings::{Source, is_within};
use arena_section::text::{harmless, nearest};

/// Maximum number of characters of a user's text to repeat in a message.
const LONGEST_QUOTE: usize = 60;
/// Maximum number of names to list if one of them was expected.
const LONGEST_LIST: usize = 8;

/// Tables whose keys people write elsewhere.
const HOMES: &str = "[run] [clock] [limits] [sandbox] [sprt] [sweep] [tune] [[bot]]";

/// The result of reading something.
pub(super) type Read<T> = Result<T, Mistake>;

/// One mistake, before it is joined with the text it was found in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// The headline. The default says that the value is bad.
    title: Option<Box<str>>,
    /// The path to the value. It is empty for text that isn't TOML.
    path: Box<str>,
    place: MistakePlace,
    /// The expected value, or the reason why the value is wrong.
    problem: Box<str>,
    /// Related places with labels.
    related: Vec<(String, String)>,
    help: Box<str>,
    /// An example of the key that the table at the place lacks, if one is known.
    missing: Option<&'static str>,
}

/// The place of a mistake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum MistakePlace {
    /// The value at the path, see [`Document`].
    #[default]
    Value,
    /// The same, and the message describes it.
    Unexpected,
    /// The last key of the path.
    Key,
    /// A span in text that isn't TOML.
    Text(Box<Range<usize>>),
}

impl Mistake {
    /// Makes a mistake at the value of a path.
    pub(super) fn new(path: impl Into<String>, problem: impl Display) -> Mistake {
        Mistake {
            path: path.into().into_boxed_str(),
            problem: problem.to_string().into_boxed_str(),
            ..Mistake::default()
        }
    }

    fn at(mut self, place: MistakePlace) -> Mistake {
        self.place = place;
        self
    }

    /// Makes a mistake for a value of the wrong kind.
    pub(super) fn expected(path: impl Into<String>, expected: &str) -> Mistake {
        Mistake::new(path, format!("expected {expected}")).at(MistakePlace::Unexpected)
    }

    /// Makes a mistake in text that isn't TOML.
    pub(super) fn in_text(span: Range<usize>, problem: &str) -> Mistake {
        Mistake::new("", problem)
            .titled("the config is not valid TOML")
            .at(MistakePlace::Text(Box::new(span)))
    }

    /// Makes a mistake for a key that isn't one of `known`, the keys of its table.
    pub(super) fn unknown_key(path: &str, known: &[&str]) -> Mistake {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let problem = match (home(key), nearest(key, known)) {
            (Some(home), _) if !table.contains('.') => format!("it belongs below `{home}`"),
            (_, Some(name)) => format!("did you mean `{name}`?"),
            _ => String::new(),
        };
        Mistake::new(path, problem)
            .at(MistakePlace::Key)
            .titled(format!("unknown key {}", quoted(key)))
            .help(format!("{} takes {}", header(table), listed(known, "and")))
    }

    /// Makes a mistake for a table that lacks a required key. `example` is a line with that key, or
    /// empty.
    pub(super) fn missing_key(table: &str, key: &str, example: &'static str) -> Mistake {
        let line = if example.is_empty() { key } else { example };
        let mut mistake = Mistake::new(table, format!("`{key}` is missing"))
            .titled(format!("{} has no `{key}`", header(table)))
            .help(format!("add `{line}`"));
        mistake.missing = Some(example);
        mistake
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
        self.title = Some(title.into().into_boxed_str());
        self
    }

    /// Adds a related place.
    pub(super) fn related(mut self, path: impl Into<String>, label: impl Into<String>) -> Mistake {
        self.related.push((path.into(), label.into()));
        self
    }

    /// Adds a hint, which becomes the last line. It is printed without escapes, so it must not
    /// contain text from the config.
    pub(super) fn help(mut self, help: impl Into<Box<str>>) -> Mistake {
        self.help = help.into();
        self
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The path and an example of the value that is missing, if that is the mistake.
    pub(super) fn missing(&self) -> Option<(String, &'static str)> {
        let (key, value) = self.missing?.split_once(" = ")?;
        Some((join(self.path(), key), value))
    }

    /// Whether a key is only missing because of another mistake: it was removed for its value, or
    /// its name or that of its table is misspelt.
    pub(super) fn follows(&self, other: &Mistake) -> bool {
        let Some((missing, _)) = self.missing() else {
            return false;
        };
        let path = other.path();
        let (table, _) = path.rsplit_once('.').unwrap_or_default();
        let is_misspelt = other.place == MistakePlace::Key && table == self.path();
        is_within(path, &missing) || is_within(&missing, path) || is_misspelt || table.is_empty()
    }

    /// Whether the mistake is in a folder or file that an option of a game names.
    pub(super) fn is_of_input(&self) -> bool {
        self.place == MistakePlace::Value && self.path.starts_with("game.")
    }

    fn span(&self, document: &Document<'_>) -> Range<usize> {
        match &self.place {
            MistakePlace::Value | MistakePlace::Unexpected => document.span(&self.path),
            MistakePlace::Key => document.key_span(&self.path),
            MistakePlace::Text(span) => Range::clone(span),
        }
    }

    /// Formats the mistake with its place in `source`: the option that set the value, or the lines
    /// of the file around it.
    fn show(&self, source: &Source<'_>, document: &Document<'_>) -> String {
        let span = self.span(document);
        let mut problem = self.problem.to_string();
        if self.place == MistakePlace::Unexpected {
            problem.extend([", found ", &document.description(&self.path)]);
        }
        let mut help = &*self.help;
        let is_text = matches!(self.place, MistakePlace::Text(_));
        if (is_text || help == PATHS) && source.line_at(span.start).contains('\\') {
            help = BACKSLASHES;
        }
        let mut shown = match (source.setting_at(span.start), source.file) {
            (Some(setting), _) if !setting.option.is_empty() => {
                if help.is_empty() {
                    help = "docs/reference/config.md describes the keys";
                }
                let option = harmless(&setting.option);
                format!("can't use {option}: {}", self.in_words(&problem))
            }
            (_, None) => self.in_flags(&problem),
            (_, Some(file)) => self.in_file(file, source.text, document, problem),
        };
        if !help.is_empty() {
            shown.extend(["\nhint: ", help]);
        }
        shown
    }

    /// The headline and the problem, without a place.
    fn in_words(&self, problem: &str) -> String {
        match &self.title {
            Some(title) if problem.is_empty() => title.to_string(),
            Some(title) => format!("{title}: {problem}"),
            None => problem.to_owned(),
        }
    }

    /// Formats the mistake in one line for flags, which have the names of the keys.
    fn in_flags(&self, problem: &str) -> String {
        let said = self.in_words(problem);
        match self.path().split('.').collect::<Vec<&str>>()[..] {
            ["tune", "parameters", name, ..] => format!("can't tune {{{name}}}: {said}"),
            ["bot", ..] => format!("can't play these bots: {said}"),
            ["tune", ..] => format!("can't tune: {said}"),
            _ => {
                let flag = last_key(self.path()).replace('_', "-");
                format!("can't use --{flag}: {said}")
            }
        }
    }

    /// Formats the mistake with the lines of the file around it.
    fn in_file(&self, file: &str, text: &str, document: &Document<'_>, problem: String) -> String {
        let label = (!problem.is_empty()).then_some(problem);
        let mut annotations = vec![
            AnnotationKind::Primary
                .span(first_line(text, self.span(document)))
                .label(label),
        ];
        for (path, label) in &self.related {
            let span = document.span(path);
            if span.end <= text.len() {
                let span = first_line(text, span);
                annotations.push(AnnotationKind::Context.span(span).label(label));
            }
        }
        let bad_value = || format!("bad value for {}", quoted(last_key(self.path()))).into();
        let title = self.title.clone().unwrap_or_else(bad_value);
        let snippet = Snippet::source(text).path(file).annotations(annotations);
        let error = Level::ERROR.no_name().primary_title(&*title);
        Renderer::plain().render(&[error.element(snippet)])
    }
}

/// The mistakes of a config, one or more.
#[derive(Debug)]
pub(super) struct Mistakes(pub(super) Vec<Mistake>);

impl From<Mistake> for Mistakes {
    fn from(mistake: Mistake) -> Mistakes {
        Mistakes(vec![mistake])
    }
}

impl Mistakes {
    /// Formats all mistakes in the order of their places, and returns the first place, too.
    pub(super) fn show(mut self, source: &Source<'_>) -> (String, Option<String>) {
        let document = source.document().unwrap_or_default();
        self.0.sort_by_key(|mistake| mistake.span(&document).start);
        let show = |mistake: &Mistake| mistake.show(source, &document);
        let shown: Vec<String> = self.0.iter().map(show).collect();
        let first = self.0.first().map(|mistake| mistake.span(&document).start);
        let place = first.and_then(|start| source.place(start));
        (shown.join("\n\nerror: "), place)
    }
}

/// Returns the last key of a path that is neither an index nor a name of the user's own.
pub(super) fn last_key(path: &str) -> &str {
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
    let part = text.get(span.clone()).unwrap_or_default();
    let line = part.lines().next().unwrap_or_default();
    span.start..span.start + line.len()
}

/// Returns the header of a table that has this key.
fn home(key: &str) -> Option<&'static str> {
    HOMES.split(' ').find(|header| {
        let read = toml::from_str::<Config>(&format!("{header}\n{key} = 0"));
        let is_unknown = |error: toml::de::Error| error.message().starts_with("unknown field");
        has_only_name_characters(key) && !read.is_err_and(is_unknown)
    })
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
