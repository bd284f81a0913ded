//! Separates a referee's own words from words of bots that it repeats.

use arena_games::{MAX_SEATS, Seat};

/// Maximum number of characters of a line to look at.
const LONGEST: usize = 400;
/// Number of answers that a referee may still repeat.
pub(super) const RECENT: usize = 3 * MAX_SEATS;
/// Marks around or after words of a bot.
const QUOTES: [char; 10] = ['\'', '"', '`', '“', '”', '‘', '’', '«', '»', '…'];

/// Beginnings of the words with which referees object to answers.
const OBJECTIONS: &str = "bad |can't|cannot|could not|disqualif|error|expected|forbidden|illegal|\
    invalid|malformed|no such|not a |not allowed|not legal|not valid|refus|reject|unable|unknown|\
    unrecogni|wrong";

/// Whether a text of a referee objects to an answer.
pub(super) fn objects(text: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '\'';
    let text = format!(" {}", text.to_lowercase().replace(is_mark, " "));
    OBJECTIONS
        .split('|')
        .any(|begin| text.contains(&format!(" {begin}")))
}

/// Returns the first seat that a text names, as in `$0`.
pub(super) fn named(text: &str) -> Option<Seat> {
    for rest in text.split('$').skip(1) {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        if let Ok(seat @ 0..MAX_SEATS) = digits.parse() {
            return Some(seat);
        }
    }
    None
}

/// Removes the colours of texts made for the site, as in `¤RED¤text§RED§`.
pub(super) fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['¤', '§']) {
        let (before, marked) = rest.split_at(at);
        plain.push_str(before);
        let (mark, after) = marked.split_at('¤'.len_utf8());
        let name = after.trim_start_matches(|c: char| c.is_ascii_uppercase());
        rest = match name.strip_prefix(mark) {
            Some(text) if name.len() < after.len() => text,
            _ => after,
        };
    }
    plain + rest
}

/// Returns a text as it is compared: in lower case, without colours, with single spaces and each
/// line between `;`.
fn plain(text: &str) -> String {
    let text = without_colours(text).to_lowercase().replace('\n', ";");
    let words: Vec<&str> = text.split_whitespace().collect();
    format!(";{};", words.join(" "))
        .replace("; ", ";")
        .replace("...", "…")
}

/// The last answers and their seats, the newest first.
#[derive(Default)]
pub(super) struct Said(Vec<(Seat, String)>);

impl Said {
    pub(super) fn push(&mut self, seat: Seat, answer: &str) {
        self.0.insert(0, (seat, plain(answer)));
        self.0.truncate(RECENT);
    }

    /// Returns the own words of a referee in a line that may be about a seat, with marks in the
    /// place of words that bots said, and whether the line quotes the last answer of that seat.
    ///
    /// That seat can't hide a refusal: only its last answer counts, and words that follow a quote
    /// of it are about it.
    pub(super) fn own_words(&self, line: &str, seat: Seat) -> (String, bool) {
        let line = plain(line);
        let line: String = line.trim_matches(';').chars().take(LONGEST).collect();
        let last = self.0.iter().position(|(of, _)| *of == seat);
        let mut borders: Vec<usize> = (0..=line.len()).collect();
        borders.retain(|at| is_border(&line, *at));
        let (mut own, mut quotes) = (String::new(), false);
        let mut rest = &borders[..];
        while let [start, ends @ ..] = rest
            && let Some(next) = ends.first()
        {
            // The end of the longest words, whether the seat said them, and whether they quote it.
            let mut longest = None;
            for (at, (of, answer)) in self.0.iter().enumerate() {
                let is_own = *of == seat;
                if is_own && Some(at) != last {
                    continue;
                }
                let is_named = own.contains(&format!("${of}"));
                for end in ends {
                    let piece = Piece::new(&line, *start, *end);
                    let may_be = if is_own {
                        piece.is_quoted() || piece.is_last() && !quotes
                    } else {
                        piece.is_repeated(answer, is_named)
                    };
                    if may_be && !answer.contains(piece.words) {
                        break;
                    }
                    if may_be {
                        let end = line.len() - piece.after.len();
                        longest =
                            longest.max(Some((end, is_own, is_own && piece.is_quote(answer))));
                    }
                }
            }
            let (end, words, is_quote) = match longest {
                Some((end, _, is_quote)) => (end, "□", is_quote),
                None => (*next, &line[*start..*next], false),
            };
            own += words;
            quotes |= is_quote;
            rest = &rest[rest.partition_point(|border| *border < end)..];
        }
        if let Some(last) = last
            && self.0[last].1.contains(";;")
        {
            quotes |= ["''", "\"\"", "``"].iter().any(|at| own.contains(at));
        }
        (own, quotes)
    }
}

/// Words in a line, which a bot may have said.
struct Piece<'a> {
    before: &'a str,
    words: &'a str,
    after: &'a str,
}

impl Piece<'_> {
    fn new(line: &str, start: usize, end: usize) -> Piece<'_> {
        Piece {
            before: &line[..start],
            words: line[start..end].trim(),
            after: line[end..].trim_start(),
        }
    }

    fn is_quoted(&self) -> bool {
        self.before.ends_with(QUOTES) && self.after.starts_with(QUOTES) && !self.words.is_empty()
    }

    fn is_last(&self) -> bool {
        !self.after.contains(char::is_alphanumeric)
    }

    /// Whether a command of an answer begins so.
    fn begins(&self, answer: &str) -> bool {
        [self.words, self.words.trim_matches(QUOTES)]
            .iter()
            .any(|words| answer.contains(&format!(";{words}")))
    }

    /// Whether a referee that objects to an answer with these words quotes it.
    fn is_quote(&self, answer: &str) -> bool {
        self.begins(answer) && (self.is_quoted() || self.words.contains(char::is_alphabetic))
    }

    /// Whether a line about another seat has these words from the answer, not by chance.
    fn is_repeated(&self, answer: &str, is_named: bool) -> bool {
        let is_long = self.words.contains(' ');
        // Referees name the seat that a line is about at its beginning.
        let is_odd = self.is_last()
            || self.words.trim_matches(QUOTES).contains(QUOTES)
            || is_long && self.before.contains(char::is_alphanumeric);
        self.is_quoted()
            || is_named && (self.is_last() || self.after.starts_with([',', ';', '|', '/']))
            || is_long && self.is_last() && self.begins(answer)
            || self.words.contains('$') && is_odd
    }
}

/// Whether no word goes on here.
fn is_border(text: &str, at: usize) -> bool {
    text.split_at_checked(at).is_some_and(|(before, after)| {
        !before.ends_with(char::is_alphanumeric) || !after.starts_with(char::is_alphanumeric)
    })
}
