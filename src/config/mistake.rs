//! A mistake in a config, and how it is shown: the place in the file, what was expected, what to write instead.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::text::{harmless, nearest};

/// The most characters of the user's own text that a message repeats.
const LONGEST_QUOTE: usize = 60;

/// So many names are told where one of them was expected.
const LONGEST_LIST: usize = 8;

/// What reading gives.
pub(super) type Read<T> = Result<T, Mistake>;

/// One mistake in a config, before it is joined with the text it was found in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    title: String,
    /// Where it is, and then what has to do with it; and what is to be said about each of these places.
    places: Vec<(Range<usize>, String)>,
    help: String,
}

impl Mistake {
    /// A mistake at `span`; the title says what is wrong, the label stands under the caret.
    pub(super) fn new(
        title: impl Into<String>,
        span: &Range<usize>,
        label: impl Into<String>,
    ) -> Mistake {
        let mistake = Mistake {
            title: title.into(),
            places: Vec::new(),
            help: String::new(),
        };
        mistake.related(span, label)
    }

    /// Shows a second place that has to do with the mistake.
    pub(super) fn related(mut self, span: &Range<usize>, label: impl Into<String>) -> Mistake {
        self.places.push((span.clone(), label.into()));
        self
    }

    /// Adds a last line with advice. It is printed as it is, so it must not hold text from the config.
    pub(super) fn help(mut self, help: impl Into<String>) -> Mistake {
        self.help = help.into();
        self
    }

    /// `word` stands where only one of `known` may stand.
    pub(super) fn unknown(what: &str, word: &str, span: &Range<usize>, known: &[&str]) -> Mistake {
        let label =
            nearest(word, known).map_or_else(String::new, |name| format!("did you mean `{name}`?"));
        Mistake::new(format!("unknown {what} {}", quoted(word)), span, label)
    }

    /// The same where what may stand there comes from the config itself.
    pub(super) fn unknown_here(
        what: &str,
        word: &str,
        span: &Range<usize>,
        known: &[&str],
    ) -> Mistake {
        let mut mistake = Mistake::unknown(what, word, span, known);
        for (_, label) in mistake
            .places
            .iter_mut()
            .filter(|(_, label)| label.is_empty() && known.len() <= LONGEST_LIST)
        {
            *label = format!("expected {}", listed(known, "or"));
        }
        mistake
    }

    /// A complete message, over several lines, with the text in which the mistake was made. `source` names it.
    pub(super) fn show(&self, source: &str, text: &str) -> String {
        let annotations = self
            .places
            .iter()
            .enumerate()
            .map(|(index, (span, label))| {
                let kind = if index == 0 {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                kind.span(first_line(text, span))
                    .label((!label.is_empty()).then_some(label.as_str()))
            });
        let snippet = Snippet::source(text).path(source).annotations(annotations);
        let mut report = Level::ERROR
            .no_name()
            .primary_title(&self.title)
            .element(snippet);
        if !self.help.is_empty() {
            report = report.element(Level::HELP.message(&self.help));
        }
        Renderer::plain().render(&[report])
    }
}

/// The part of `span` that lies on its first line, cut to the text and to whole characters: a caret under a
/// list of thirty lines helps nobody.
fn first_line(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = (0..=span.start.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0);
    let end = (span.end.min(text.len())..=text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(start);
    let line = text
        .get(start..end)
        .and_then(|part| part.lines().next())
        .map_or(0, str::len);
    start..start + line
}

/// Text of the user's between backticks, shortened, without anything that would move a terminal's cursor.
pub(super) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(LONGEST_QUOTE).collect();
    let end = if text.chars().nth(LONGEST_QUOTE).is_some() {
        "…"
    } else {
        ""
    };
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
