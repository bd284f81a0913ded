//! Tells the own words of a referee from those of bots that it repeats.

use std::iter;

use arena_games::{MAX_SEATS, Seat};

/// Maximum number of characters of a line to look at, and of bytes of a command before words that
/// it repeats.
const LONGEST: usize = 400;
/// Number of answers of each seat that a referee may still repeat.
pub(super) const RECENT: usize = 4;
/// Minimum number of bytes of an answer that a referee cuts.
const CUT: usize = 10;
/// The place of words of a bot.
const MARK: char = '□';

/// Beginnings of the words with which referees object to answers.
const OBJECTIONS: [&str; 22] = [
    "bad ",
    "can't",
    "cannot",
    "could not",
    "disqualif",
    "error",
    "expected",
    "forbidden",
    "illegal",
    "invalid",
    "malformed",
    "no such",
    "not a ",
    "not allowed",
    "not legal",
    "not valid",
    "refus",
    "reject",
    "unable",
    "unknown",
    "unrecogni",
    "wrong",
];

/// Whether a text of a referee objects to an answer.
pub(super) fn objects(text: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '\'';
    let text = format!(" {}", text.to_lowercase().replace(is_mark, " "));
    OBJECTIONS
        .iter()
        .any(|begin| text.contains(&format!(" {begin}")))
}

/// Returns the first seat that a text names, as in `$0`.
pub(super) fn named(text: &str) -> Option<Seat> {
    let mut rests = text.split('$').skip(1);
    rests.find_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let seat = rest[..end.unwrap_or(rest.len())].parse().ok();
        seat.filter(|seat| *seat < MAX_SEATS)
    })
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

/// Returns a text as it is compared: in lower case, without colours and with single spaces.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in without_colours(text).chars() {
        if c == '\n' || !c.is_whitespace() {
            plain.extend(c.to_lowercase());
        } else if !plain.ends_with([' ', '\n']) {
            plain.push(' ');
        }
    }
    plain
}

/// The last answers of all seats, the newest last.
#[derive(Default)]
pub(super) struct Said(Vec<(Seat, String)>);

/// A line of a referee with a mark in the place of words that bots said.
pub(super) struct Own {
    pub(super) words: String,
    /// Whether the line quotes the last answer of the seat that it may be about.
    pub(super) quotes: bool,
}

impl Said {
    pub(super) fn push(&mut self, seat: Seat, answer: &str) {
        let own = self.0.iter().filter(|(of, _)| *of == seat);
        if own.count() == RECENT
            && let Some(oldest) = self.0.iter().position(|(of, _)| *of == seat)
        {
            self.0.remove(oldest);
        }
        self.0.push((seat, plain(answer)));
    }

    /// Returns the own words of a referee in a line that may be about a seat.
    ///
    /// That seat can't hide a refusal: only its last answer counts, and words that follow a quote
    /// of it are about it.
    pub(super) fn own_words(&self, line: &str, seat: Seat) -> Own {
        let line: String = plain(line).trim_end().chars().take(LONGEST).collect();
        let answer = self.0.iter().rfind(|(of, _)| *of == seat);
        let answer = answer.map_or("", |(_, answer)| answer);
        let mut own = Own {
            words: String::new(),
            quotes: false,
        };
        let mut is_after_quote = false;
        let mut at = 0;
        while let Some(next) = line[at..].chars().next() {
            let (before, rest) = line.split_at(at);
            if !is_border(&line, at) {
                own.words.push(next);
                at += next.len_utf8();
                continue;
            }
            let mine = pieces(before, rest, answer)
                .filter(|piece| piece.is_marked() || piece.ends_line() && !is_after_quote)
                .max_by_key(|piece| (piece.is_quote(), piece.words.len()));
            let other = self
                .0
                .iter()
                .filter(|(of, _)| *of != seat)
                .flat_map(|(of, answer)| {
                    let is_named = own.words.contains(&format!("${of}"));
                    pieces(before, rest, answer).filter(move |piece| piece.is_repeated(is_named))
                })
                .map(|piece| piece.words.len())
                .max();
            let taken = match mine {
                Some(piece) if Some(piece.words.len()) >= other => {
                    is_after_quote |= piece.is_marked();
                    own.quotes |= piece.is_quote();
                    piece.words.len()
                }
                _ => other.unwrap_or_default(),
            };
            own.words.push(if taken > 0 { MARK } else { next });
            at += taken.max(next.len_utf8());
        }
        let is_empty = units(answer).any(|unit| unit.trim().is_empty());
        own.quotes |= is_empty && ["''", "\"\"", "``"].iter().any(|at| own.words.contains(at));
        own
    }
}

/// Words of an answer that are in a line.
struct Piece<'a> {
    before: &'a str,
    words: &'a str,
    after: &'a str,
    /// Whether they begin and whether they end a command.
    ends: [bool; 2],
}

impl Piece<'_> {
    /// Whether they are in quotes, or cut.
    fn is_marked(&self) -> bool {
        let is_in_quotes =
            self.before.ends_with(is_quote_mark) && self.after.starts_with(is_quote_mark);
        is_in_quotes || self.words.len() >= CUT && has_ellipsis(self.after)
    }

    fn ends_line(&self) -> bool {
        !self.after.contains(char::is_alphanumeric)
    }

    /// Whether a referee that objects to the answer would quote it so: a command, its first word or
    /// what it cuts.
    fn is_quote(&self) -> bool {
        let is_whole = self.ends[1] || !self.words.contains(' ') || self.words.len() >= CUT;
        let is_last = self.after.trim_end_matches(is_quote_mark).is_empty()
            && self.words.contains(char::is_alphabetic);
        self.ends[0] && (self.is_marked() || is_last && is_whole)
    }

    /// Whether a line about another seat has these words from the answer, not by chance.
    fn is_repeated(&self, is_named: bool) -> bool {
        let is_word = |c: char| c.is_alphanumeric();
        let words = self.words.split(|c| !is_word(c));
        let count = words.filter(|word| !word.is_empty()).count();
        let is_last = self.ends_line();
        let is_item =
            is_last || self.ends[1] && self.after.trim_start().starts_with([',', ';', '|', '/']);
        let is_command = self.ends == [true; 2] && (count > 2 || count > 1 && is_last);
        // Referees name the seat that a line is about at its beginning.
        let is_odd = is_last
            || self.words.contains(is_quote_mark)
            || count > 1 && self.before.contains(is_word);
        self.is_marked() || is_command || is_named && is_item || self.words.contains('$') && is_odd
    }
}

/// Returns the lines of an answer and the commands in them.
fn units(answer: &str) -> impl Iterator<Item = &str> {
    answer.split('\n').flat_map(|line| {
        let parts = line.split(';').filter(|part| part.len() < line.len());
        iter::once(line).chain(parts)
    })
}

/// Returns words of an answer that follow in a line after `before`.
fn pieces<'a>(before: &'a str, rest: &'a str, answer: &'a str) -> impl Iterator<Item = Piece<'a>> {
    let mut after = rest.char_indices().skip(1);
    let end = after.find(|(at, c)| *at > CUT / 2 || !c.is_alphanumeric());
    let head = &rest[..end.map_or(rest.len(), |(at, _)| at)];
    units(answer).map(str::trim_start).flat_map(move |unit| {
        unit.match_indices(head)
            .take_while(|(at, _)| *at < LONGEST)
            .filter(|(at, _)| *at == 0 || is_border(unit, *at) && !head.starts_with(is_gap))
            .map(|(at, _)| unit.split_at(at))
            .filter_map(|(skipped, said)| piece(before, rest, skipped, said))
    })
}

/// Returns the longest beginning of `said` that follows in a line after `before`.
fn piece<'a>(before: &'a str, rest: &'a str, skipped: &str, said: &str) -> Option<Piece<'a>> {
    let same = rest.chars().zip(said.chars()).take_while(|(a, b)| a == b);
    let mut len = same.map(|(c, _)| c.len_utf8()).sum();
    let after = &rest[len..];
    let may_be_cut = after.is_empty() || after.starts_with(is_quote_mark) || has_ellipsis(after);
    let is_cut = len >= CUT && may_be_cut;
    while !is_cut && (!is_border(rest, len) || !is_border(said, len)) {
        len -= rest[..len].chars().next_back()?.len_utf8();
    }
    let words = rest[..len].trim_end_matches(is_quote_mark);
    let left = said[words.len()..].trim_matches(is_gap);
    (!words.is_empty()).then_some(Piece {
        before,
        words,
        after: &rest[words.len()..],
        ends: [skipped.is_empty(), left.is_empty()],
    })
}

fn has_ellipsis(after: &str) -> bool {
    after.starts_with('…') || after.starts_with("...")
}

/// Whether no word goes on here.
fn is_border(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    !before.ends_with(char::is_alphanumeric) || !after.starts_with(char::is_alphanumeric)
}

fn is_quote_mark(c: char) -> bool {
    "'\"`“”‘’«»".contains(c)
}

fn is_gap(c: char) -> bool {
    c == ' ' || is_quote_mark(c)
}
