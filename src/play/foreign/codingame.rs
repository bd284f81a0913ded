//! The protocol of referees made with the SDK of `CodinGame`. A frame is a line `[[NAME] n]` and n
//! lines. `docs/how-to/referees.md` describes it, with the blocks that arena adds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::Value;

use super::link::Link;
use super::words::{Said, named, objects};
use super::{
    Dialog, End, Given, Heard, Message, NOTE, Referee, RefereeError, SeatQuestion, Told, keep,
    start_of, wrong,
};
use crate::play::record::value;
use crate::play::{LONGEST_REASON, Question, Shown};
use arena_games::{Drawing, Seat, SeatSet};
use arena_section::text::quoted;

/// Version of the blocks that arena adds.
const VERSION: &str = "1";
/// Maximum number of frames between two questions.
const MOST_FRAMES: usize = 1000;
/// Maximum number of bytes of `FRAME` to keep of a game.
pub(super) const MOST_FRAME_BYTES: usize = 8 << 20;
/// Maximum number of legal actions to keep of a question.
const MOST_ACTIONS: usize = 10_000;
/// Range of limits of an answer in milliseconds, as in a config.
const LIMITS: RangeInclusive<u64> = 1..=86_400_000;
/// The request for the next question.
const GO_ON: &str = "[[GET_GAME_INFO] 0]\n";

/// One game.
#[derive(Default)]
pub(super) struct Codingame {
    seats: usize,
    /// Whether the referee wants the times of answers.
    monitors: bool,
    /// Whether it promised to play the next game in the same process.
    reuse: bool,
    /// Number of lines in the last question.
    wanted: usize,
    /// Number of bytes of frames that can still be kept.
    room: usize,
    prompt: String,
    actions: Vec<String>,
    shown: Shown,
    told: Told,
    /// Seats mentioned in notes, for instance because the referee threw them out.
    named: SeatSet,
    /// Seats whose answer the referee called invalid.
    invalid: SeatSet,
    said: Said,
    /// The seats whose last answer the referee quoted and objected to, with its words, and how many
    /// answers other seats were asked for since.
    objections: BTreeMap<(Seat, String), usize>,
    /// The words with which it objected to answers that it accepted.
    warnings: BTreeSet<String>,
    lower_is_better: bool,
    reason: Option<String>,
    /// The name in `METADATA` of the score of a game for one player.
    criteria: Option<String>,
    /// That score.
    points: Option<i64>,
}

impl Codingame {
    pub(super) fn new(seats: usize, referee: &Referee) -> Codingame {
        Codingame {
            seats,
            criteria: referee.criteria.clone(),
            lower_is_better: referee.lower_is_better,
            room: MOST_FRAME_BYTES,
            ..Codingame::default()
        }
    }

    /// Sends a text and reads frames up to the next question, or the end.
    fn next(&mut self, link: &mut Link, text: String) -> Heard {
        link.send(text);
        self.told = Told::default();
        for _ in 0..MOST_FRAMES {
            let header = link.read(1)?.to_owned();
            let Some((name, lines)) = frame(&header) else {
                let header = quoted(&header);
                return wrong(format!("expected a line like `[[SCORES] 2]`, got {header}"));
            };
            let body = link.read(lines)?;
            if let Some(said) = self.frame(name, lines, body)? {
                return Ok(said);
            }
        }
        let why = format!("it sends more than {MOST_FRAMES} frames without a question");
        wrong(why)
    }

    /// Handles a frame. Returns a message if it is the last frame before an answer.
    fn frame(
        &mut self,
        name: &str,
        lines: usize,
        body: &str,
    ) -> Result<Option<Message>, RefereeError> {
        match name {
            "NEXT_PLAYER_INPUT" if lines == 0 => self.prompt.clear(),
            "NEXT_PLAYER_INPUT" => self.prompt = format!("{body}\n"),
            "NEXT_PLAYER_INFO" => return self.question(body).map(Some),
            "SCORES" => return self.scores(lines, body).map(Some),
            "FAIL" => {
                let mut why = "it failed:".to_owned();
                for line in body.lines().take(20) {
                    why.push('\n');
                    why.extend(line.chars().take(NOTE));
                }
                return Err(RefereeError::Unstarted(why));
            }
            "MONITORING" => self.monitors = true,
            // In games for one player, the summary is in the second INFOS. The first is empty.
            "SUMMARY" | "INFOS" => self.summary(body),
            "VIEW" => {
                let kind = body.split_whitespace().next();
                self.told.is_key = kind.map(|kind| kind == "KEY_FRAME");
            }
            "METADATA" => {
                if let Some(name) = &self.criteria {
                    self.points = points(body, name)?;
                }
            }
            "UINPUT" => self.told.input = body.lines().map(str::to_owned).collect(),
            "TOOLTIP" => self.tooltip(body),
            "ARENA" => self.promise(body)?,
            "FRAME" => {
                let drawing = Drawing::parse(body.trim_end())
                    .or_else(|why| wrong(format!("its FRAME cannot be read: {why}")))?;
                if let Some(room) = self.room.checked_sub(body.len()) {
                    self.room = room;
                    self.shown.frame = Some(Box::new(drawing));
                }
            }
            "ACTIONS" => {
                let actions = body.split('\n').take(lines.min(MOST_ACTIONS));
                self.actions = actions.map(str::to_owned).collect();
            }
            "REASON" => self.reason = short(body),
            "FATE" => self.fates(body)?,
            // Frames for viewers of the site, and unknown ones.
            _ => {}
        }
        Ok(None)
    }

    /// Handles lines about the turn.
    fn summary(&mut self, body: &str) {
        for line in body.lines() {
            if self.seats == 1 {
                self.note_alone(line);
                continue;
            }
            keep(&mut self.shown.notes, line);
            for seat in 0..self.seats {
                if line.contains(&format!("${seat}")) && objects(line) {
                    self.look_for_objection(seat, line, false);
                }
            }
        }
        body.clone_into(&mut self.told.summary);
    }

    /// Handles texts, each followed by a line with its seat.
    fn tooltip(&mut self, body: &str) {
        let lines: Vec<&str> = body.lines().collect();
        for pair in lines.chunks(2) {
            let text = pair[0];
            let seat = self.seat(pair.get(1).unwrap_or(&"").trim());
            if let Some(seat) = seat {
                self.told.tooltips.push((text.to_owned(), seat));
            }
            match seat {
                _ if self.seats == 1 => self.note_alone(text),
                None => keep(&mut self.shown.notes, text),
                Some(seat) => {
                    keep(&mut self.shown.notes, &format!("seat {seat}: {text}"));
                    self.named = self.named.with(seat);
                    self.look_for_objection(seat, text, true);
                }
            }
        }
    }

    /// Keeps a text of a game for one player. It is about the answer if it quotes it or is red, as
    /// the SDK shows the reason of a lost game.
    fn note_alone(&mut self, text: &str) {
        let is_about = self.look_for_objection(0, text, true) || text.contains("¤RED¤");
        let place = if is_about { "seat 0: " } else { "" };
        keep(&mut self.shown.notes, &format!("{place}{text}"));
    }

    /// Returns whether a text about a seat, or that names it first, quotes its last answer. Notes
    /// it if the referee objects in words of its own.
    fn look_for_objection(&mut self, seat: Seat, text: &str, is_about: bool) -> bool {
        let (own, quotes) = self.said.own_words(text, seat);
        let is_quoted = quotes && (is_about || named(&own) == Some(seat));
        if is_quoted && objects(&own) {
            let words = own.replace(|c: char| c.is_ascii_digit(), "");
            self.objections.entry((seat, words)).or_default();
        }
        is_quoted
    }

    /// Returns the seats whose last answer the referee refused: those that it objected to, and put
    /// last or asked no more.
    fn refused(&self, scores: &BTreeMap<Seat, i64>) -> SeatSet {
        let worst = scores
            .values()
            .min_by_key(|score| value(**score, self.lower_is_better));
        let mut refused = SeatSet::EMPTY;
        for ((seat, words), since) in &self.objections {
            let is_out = *since >= self.seats || scores.get(seat) == worst;
            if is_out && !self.warnings.contains(words) {
                refused = refused.with(*seat);
            }
        }
        refused
    }

    fn seat(&self, text: &str) -> Option<Seat> {
        text.parse().ok().filter(|seat| *seat < self.seats)
    }

    fn promise(&mut self, body: &str) -> Result<(), RefereeError> {
        for (key, value) in body.lines().filter_map(|line| line.split_once('=')) {
            match (key, value) {
                ("protocol", other) if other != VERSION => {
                    return wrong(format!(
                        "it speaks version {} of the blocks of `ARENA`, and {VERSION} is known here",
                        quoted(other)
                    ));
                }
                ("reuse", value) => self.reuse = value == "yes",
                ("name", title) => self.told.title = short(title),
                ("seats", range) if !has_seats(range, self.seats) => {
                    let (range, seats) = (quoted(range), self.seats);
                    return Err(RefereeError::Unstarted(format!(
                        "it is played with {range} seats, not {seats}; say so in `seats`"
                    )));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn fates(&mut self, body: &str) -> Result<(), RefereeError> {
        for line in body.lines() {
            let mut words = line.splitn(3, ' ');
            let seat = self.seat(words.next().unwrap_or_default());
            let (Some(seat), Some("invalid_action")) = (seat, words.next()) else {
                let line = quoted(line);
                let why = format!("expected `SEAT invalid_action TEXT` in FATE, got {line}");
                return wrong(why);
            };
            self.invalid = self.invalid.with(seat);
            let why = words.next().unwrap_or("no action");
            keep(&mut self.shown.notes, &format!("seat {seat}: {why}"));
        }
        Ok(())
    }

    /// Three lines: the seat, the lines wanted, the limit in milliseconds.
    fn question(&mut self, body: &str) -> Heard {
        let number = |line: &str| line.trim().parse().ok();
        let numbers: Vec<usize> = body.lines().map_while(number).collect();
        let [seat, lines, limit] = numbers[..] else {
            return wrong(format!(
                "expected a seat, a number of lines and milliseconds in NEXT_PLAYER_INFO, got {}",
                quoted(body)
            ));
        };
        let limit = limit as u64;
        // A question without lines has no limit.
        if lines > 0 && !LIMITS.contains(&limit) {
            let (least, most) = LIMITS.into_inner();
            return wrong(format!(
                "it gives {limit} ms for an answer, and {least} to {most} can be given"
            ));
        }
        self.wanted = lines;
        if lines > 0 {
            // A seat that still plays gave an answer that counts.
            self.objections.retain(|(of, words), since| {
                if *of == seat {
                    self.warnings.insert(words.clone());
                }
                *since += 1;
                *of != seat
            });
        }
        Ok(Message::Question(SeatQuestion {
            seat,
            prompt: std::mem::take(&mut self.prompt),
            wanted: Question {
                lines,
                limit: Some(Duration::from_millis(limit)),
                actions: std::mem::take(&mut self.actions),
            },
        }))
    }

    /// Lines of a seat and its score.
    fn scores(&mut self, lines: usize, body: &str) -> Heard {
        let mut scores = BTreeMap::new();
        for line in body.lines() {
            if let Some((seat, score)) = line.trim().split_once(' ')
                && let (Ok(seat), Ok(score)) = (seat.parse::<Seat>(), score.trim().parse::<i64>())
            {
                scores.insert(seat, score);
            }
        }
        if !scores.keys().copied().eq(0..lines) {
            return wrong(format!(
                "expected a seat and its score, an integer of 64 bits, in each line of SCORES, once each, got {}",
                quoted(body)
            ));
        }
        // A seat that the referee threw out has a negative score and a text with the reason.
        let mut invalid = self.invalid;
        for (&seat, &score) in &scores {
            if score < 0 && self.named.contains(seat) {
                invalid = invalid.with(seat);
            }
        }
        if let Some(criteria) = &self.criteria {
            // The SDK's score of a game for one player says whether it is won.
            let is_lost = scores[&0] <= 0;
            let is_refused = self.points.is_none() || !self.refused(&scores).is_empty();
            if self.points.is_none() && !is_lost {
                return wrong(format!("its METADATA has no number {}", quoted(criteria)));
            }
            if is_lost && is_refused {
                invalid = invalid.with(0);
            }
            scores.insert(0, self.points.unwrap_or_default());
        } else if self.seats > 1 {
            invalid = self.refused(&scores).iter().fold(invalid, SeatSet::with);
        }
        Ok(Message::End(End {
            scores: scores.into_values().collect(),
            invalid,
            reason: self.reason.take(),
            goes_on: self.reuse,
        }))
    }
}

impl Dialog for Codingame {
    fn begin(&mut self, link: &mut Link, seed: i64, referee: &Referee) -> Heard {
        let mut lines = format!("{}\n", self.seats);
        if let Some(test) = referee.test(seed) {
            lines += test.trim_end_matches('\n');
            lines.push('\n');
        } else {
            // Java's generator treats 0 as a missing seed.
            let seed = if seed == 0 { 1 } else { seed };
            let _ = writeln!(lines, "seed={seed}\narena={VERSION}");
            for (key, value) in &referee.options {
                let _ = writeln!(lines, "{key}={value}");
            }
        }
        let count = lines.matches('\n').count();
        self.next(link, format!("[[INIT] {count}]\n{lines}{GO_ON}"))
    }

    fn answer(&mut self, link: &mut Link, given: &Given) -> Heard {
        if self.wanted > 0 {
            self.said
                .push(given.seat, given.answer.as_deref().unwrap_or_default());
        }
        let text = match &given.answer {
            None => format!("[[SET_PLAYER_TIMEOUT] 0]\n{GO_ON}"),
            Some(answer) => {
                let lines = self.wanted + usize::from(self.monitors);
                let mut text = format!("[[SET_PLAYER_OUTPUT] {lines}]\n");
                if self.monitors {
                    let _ = writeln!(text, "{}", given.took.as_millis());
                }
                if self.wanted > 0 {
                    let _ = writeln!(text, "{answer}");
                }
                text + GO_ON
            }
        };
        self.next(link, text)
    }

    fn shown(&mut self) -> Shown {
        std::mem::take(&mut self.shown)
    }

    fn told(&mut self) -> Option<Told> {
        Some(std::mem::take(&mut self.told))
    }
}

/// Returns the number with this name in METADATA, rounded; `None` if there is none.
fn points(metadata: &str, name: &str) -> Result<Option<i64>, RefereeError> {
    let values: BTreeMap<String, Value> = serde_json::from_str(metadata).unwrap_or_default();
    let text = match values.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => return Ok(None),
    };
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(points), _) => Ok(Some(points)),
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^63")]
        (_, Ok(points)) if points.abs() < 2_f64.powi(63) => Ok(Some(points.round() as i64)),
        (_, Ok(points)) if !points.is_nan() => wrong(format!(
            "its METADATA has {} {}, and scores are integers of 64 bits",
            quoted(name),
            quoted(&text)
        )),
        _ => Ok(None),
    }
}

/// Returns the beginning of a text; `None` if it is empty.
fn short(text: &str) -> Option<String> {
    let text = start_of(text.trim(), LONGEST_REASON);
    (!text.is_empty()).then_some(text)
}

/// Parses the name and the number of lines of a header.
fn frame(header: &str) -> Option<(&str, usize)> {
    let (name, lines) = header
        .trim_end()
        .strip_prefix("[[")?
        .strip_suffix(']')?
        .split_once("] ")?;
    let lines = lines.parse().ok()?;
    let is_other = |byte: u8| !byte.is_ascii_uppercase() && byte != b'_';
    if name.is_empty() || name.bytes().any(is_other) || lines > 100_000 {
        return None;
    }
    Some((name, lines))
}

/// Whether a number of seats is one of `2`, `2-4` or `2,3`.
fn has_seats(range: &str, seats: usize) -> bool {
    range.split(',').any(|part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        from.trim().parse().is_ok_and(|from: usize| from <= seats)
            && to.trim().parse().is_ok_and(|to: usize| seats <= to)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_of_an_answer_are_found() {
        let is_quoted = |answer: &str, text: &str| {
            let mut game = Codingame::default();
            game.said.push(0, answer);
            game.look_for_objection(0, text, true)
        };
        for (answer, text) in [
            ("hello world", "$0: expected MOVE but got 'hello world'"),
            ("hello world", "$0 performed an invalid action: HELLO"),
            ("hello world", "¤RED¤$0: unknown command \"Hello\"§RED§"),
            ("hello  world  ", "$0: got 'hello  world  '"),
            ("PASS;jump", "$0: unknown command: jump"),
            ("", "$0: expected MOVE but got ''"),
            ("MOVE 1 2\n", "$0: got ''"),
            ("hello world", "$0 says hello"),
        ] {
            assert!(is_quoted(answer, text), "{answer:?}: {text}");
        }
        for (answer, text) in [
            ("hello world", "$0 greets the world in words"),
            ("7", "$0 has 7"),
            ("", "$0 is out"),
        ] {
            assert!(!is_quoted(answer, text), "{answer:?}: {text}");
        }
    }

    #[test]
    fn points_are_integers_of_64_bits() {
        for (value, found) in [
            ("37", Ok(Some(37))),
            ("\"-2147483649\"", Ok(Some(-2_147_483_649))),
            ("9223372036854775807", Ok(Some(i64::MAX))),
            ("12.5", Ok(Some(13))),
            ("\"1e3\"", Ok(Some(1000))),
            ("\"\"", Ok(None)),
            ("null", Ok(None)),
            ("\"nan\"", Ok(None)),
            ("9223372036854775808", Err(())),
            ("\"-1e30\"", Err(())),
            ("\"inf\"", Err(())),
        ] {
            let metadata = format!("{{\"Points\": {value}}}");
            let points = points(&metadata, "Points").map_err(|why| {
                let why = why.to_string();
                assert!(why.ends_with("scores are integers of 64 bits"), "{why}");
            });
            assert_eq!(points, found, "{value}");
        }
        assert_eq!(points("no JSON", "Points"), Ok(None));
    }

    /// A game of two seats, as a word for each text about an answer and each later question: `0!`
    /// objects to the answer of seat 0, `0'` only quotes it, and `1` asks seat 1.
    #[test]
    fn only_refused_answers_are_faults() {
        for (events, scores, refused) in [
            ("0!", [0, 0], "0"),
            ("0! 1!", [0, 0], "01"),
            ("0!", [5, 0], ""),
            ("0! 1", [5, 0], ""),
            ("0! 1 1", [5, 0], "0"),
            ("0! 0 1", [0, 1], ""),
            // It objected and played on before.
            ("0! 0 1 0!", [0, 1], ""),
            ("0! 0 1 0! 1 1", [5, 0], ""),
            // A text that only quotes may tell what happens.
            ("0'", [0, 1], ""),
            ("0' 0 1 0!", [0, 1], "0"),
        ] {
            for lower_is_better in [false, true] {
                let mut game = Codingame {
                    seats: 2,
                    lower_is_better,
                    ..Codingame::default()
                };
                (0..2).for_each(|seat| game.said.push(seat, "up"));
                for event in events.split(' ') {
                    let seat = event[..1].parse().unwrap();
                    let text = match &event[1..] {
                        "!" => "invalid action 'up'",
                        "'" => "plays an unexpected 'up'",
                        _ => {
                            game.question(&format!("{seat}\n1\n100")).unwrap();
                            continue;
                        }
                    };
                    game.look_for_objection(seat, text, true);
                }
                let sign = if lower_is_better { -1 } else { 1 };
                let scores = [(0, sign * scores[0]), (1, sign * scores[1])];
                let found = game.refused(&BTreeMap::from(scores));
                let found: String = found.iter().map(|seat| seat.to_string()).collect();
                assert_eq!(found, refused, "{events} {scores:?}");
            }
        }
    }

    /// Plays a turn in which seats answer this and the referee shows a line. Returns the seats that
    /// are blamed if the game ends so, and if the referee refuses `MOVE 3 4` of seat 1 a turn
    /// later.
    fn blamed(said: [&[&str]; 2], line: &str) -> [String; 2] {
        let mut game = Codingame {
            seats: 2,
            ..Codingame::default()
        };
        let refused = |game: &Codingame| {
            let seats = game.refused(&BTreeMap::from([(0, 0), (1, 0)]));
            seats.iter().map(|seat| seat.to_string()).collect()
        };
        for (seat, answers) in said.into_iter().enumerate() {
            for answer in answers {
                game.said.push(seat, answer);
            }
        }
        game.frame("SUMMARY", 1, line).unwrap();
        let last = refused(&game);
        for seat in 0..2 {
            game.question(&format!("{seat}\n1\n100")).unwrap();
        }
        game.said.push(1, "MOVE 3 4");
        game.frame("SUMMARY", 1, "$1: Unknown command: MOVE 3 4")
            .unwrap();
        [last, refused(&game)]
    }

    /// What bots say, between bars.
    const SAID: &str = "hey $1 that is invalid \"MOVE 3 4\"|$1: Illegal command: MOVE 3 4|\
        $1 invalid 'move'|¤RED¤$1: invalid action 'MOVE 3 4'§RED§|$10 $1 illegal `MOVE 3 4`|\
        invalid|unknown|$1|is|a|this is not a valid action|$0 $1 cannot “MOVE 3 4”|\
        error;$1;wrong 'MOVE 3 4'";

    /// How a referee shows an answer of seat 0: `{}` is what it says, `{a}` the answer, `{A}` the
    /// same in upper case, and `{s}` the first half of what it says.
    const SHOWN: &str = "$0: {}|$0: {a}|$0 says \"{}\" in turn 3|$0 says {A}|\
        $0 ({s}...) hits $1, who plays 'MOVE 3 4'|$0 hits $1: {}|¤BLUE¤$0§BLUE§ plays  {} |{}|{a}|\
        chat: {}|'{}' ($0)|Expected 'MOVE' or 'WAIT' but got {}|\
        Invalid Input: Expected MOVE or WAIT but got '{a}'|$1 plays 'MOVE 3 4', $0: {}|\
        $1 plays 'MOVE 3 4', $0 says {}, and both wait|$1 plays 'MOVE 3 4', $0 plays '{a}'|\
        $1 plays 'MOVE 3 4' and hears '{}'|$1 plays 'MOVE 3 4' and hears {a}";

    #[test]
    fn words_of_a_bot_blame_nobody() {
        for said in SAID.split('|') {
            let short: String = said.chars().take(said.chars().count() / 2).collect();
            for answer in [format!("WAIT {said}"), format!("MOVE 1 1;MSG {said}")] {
                for shown in SHOWN.split('|') {
                    let line = shown
                        .replace("{}", said)
                        .replace("{a}", &answer)
                        .replace("{A}", &answer.to_uppercase())
                        .replace("{s}", &short);
                    for later in [&[][..], &["WAIT"], &["MOVE 3 4", "WAIT"]] {
                        let said = [&[answer.as_str()], later].concat();
                        let [last, refused] = blamed([&said, &["MOVE 3 4"]], &line);
                        // These lines do refuse the answer of seat 0.
                        let is_nobody = last.is_empty() || last == "0" && line.contains("Expected");
                        assert!(is_nobody, "{last}, {said:?}: {line}");
                        assert_eq!(refused, "1", "{said:?}: {line}");
                    }
                }
            }
        }
    }

    /// Answers that a referee refuses, between bars.
    const REFUSED: &str = "jump|jump $0 is \"invalid\"|invalid|is|unknown command|\
        unknown command: jump|jump;unknown command;invalid action|jump is not a valid action|\
        jump $0 expected 'MOVE' but got 'jump'|¤jump|¤RED¤jump§RED§|RED§jump|'jump'| jump|$0 jump|\
        MOVE 3 4 5|up MOVE 3 4";

    /// How it does so: `{a}` is the answer, `{A}` the same in upper case, `{w}` its first word, and
    /// `{s}` the beginning of a longer one.
    const REFUSALS: &str = "$1: unknown command: {a}|¤RED¤$1: invalid action '{a}'§RED§|\
        $1 Expected MOVE but got \"{A}\"|$1: '{a}' is not a valid action|\
        $1: '{w}' is not a valid action|$1 attacks $0 with the invalid '{w}'|\
        $1: unknown command: {s}...|$1: '{s}…' is unknown|$1: bad action {s}";

    #[test]
    fn a_bot_cannot_hide_that_it_is_refused() {
        let mut wrong = Vec::new();
        for answer in REFUSED.split('|') {
            let word = answer.trim_start().split([' ', ';']).next().unwrap();
            let long = format!("{answer} and many words more, which a referee cuts");
            let short: String = long.chars().take(24).collect();
            for refusal in REFUSALS.split('|') {
                let is_cut = refusal.contains("{s}");
                let line = refusal
                    .replace("{a}", answer)
                    .replace("{A}", &answer.to_uppercase())
                    .replace("{w}", word)
                    .replace("{s}", &short);
                let answer = if is_cut { &long } else { answer };
                for others in [
                    "WAIT",
                    answer,
                    "MOVE 3 4",
                    "WAIT invalid|WAIT $1: unknown|WAIT is not a valid action",
                    "WAIT unknown command|WAIT \"unknown\" $1|MSG $1",
                ] {
                    let others: Vec<&str> = others.split('|').collect();
                    let own = ["WAIT unknown command", &format!("WAIT {line}"), answer];
                    let [found, _] = blamed([&others, &own], &line);
                    if found != "1" {
                        wrong.push(format!("{others:?} {answer}: {line}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
