//! Checks an external referee: can its games be played again, which seat does it blame, how fast is
//! it?
//!
//! All seats answer with a random legal action if the referee lists any, and with given lines
//! otherwise. In some games one seat fails on purpose.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::players::{at_once, legal_answer};
use super::{Checked, TopicOutcome};
use crate::play::foreign::ExternalGame;
use crate::play::probe;
use crate::play::record::{Mismatch, value};
use crate::play::{Abort, Answer, Ask, Clock, Kept, Played, Player, Question, play};
use arena_games::rng::SplitMix64;
use arena_games::{Fate, Fault, GameSpec, Opening, Seat, Standing};
use arena_section::text::quoted;
use arena_section::words::{list, ms};

/// What is checked, in order: the name for programs and the name for people.
const CHECKS: [[&str; 2]; 10] = [
    ["full_games", "plays games to their end"],
    ["questions", "asks for what can be answered"],
    ["actions", "lists legal actions"],
    ["seed", "plays the same game on the same seed"],
    ["other_seeds", "plays another game on another seed"],
    ["reuse", "plays game after game in one process"],
    ["no_answer", "continues or ends if a seat gives no answer"],
    ["no_action", "blames answers that are no action"],
    ["frame", "shows positions"],
    ["speed", "is fast"],
];

/// The most questions of a game in which no answer may have been legal, if it has as many seats or
/// fewer.
const FEW_QUESTIONS: usize = 3;
/// The hint where legal answers are unknown.
const GIVE_ANSWER: &str = "--answer gives a legal answer; repeat it for a seat's second answer and so on, and write `;` between \
                           lines of one";

/// The hint where a referee breaks off.
const USUAL_HINT: &str =
    "docs/how-to/referees.md has the frames, and the limits of what it may say";

/// Something that is wrong with a referee.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RefereeProblem {
    /// What happened.
    pub(crate) what: String,
    /// What to type or do next; null without a hint.
    pub(crate) hint: String,
}

type Outcome = TopicOutcome<RefereeProblem>;
type Result<T, E = Unplayed> = std::result::Result<T, E>;

/// Why a game of the check can't be played.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unplayed(String);

/// A referee, and how to try it.
pub(crate) struct RefereeCheck {
    /// Its game, with a process for each.
    pub(crate) alone: Arc<GameSpec>,
    /// The game as a run would play it.
    pub(crate) usual: Arc<GameSpec>,
    /// The answers of a seat if the referee lists no legal ones: to its first question, and so on;
    /// the last one also to all later questions.
    pub(crate) answers: Vec<String>,
    /// The games have the seeds 1, 2, .. up to this one, and 2 at least.
    pub(crate) seeds: u32,
}

/// A failure of a seat on purpose.
#[derive(Clone, Copy)]
struct Mishap<'a> {
    seat: Seat,
    /// The number of the question to it, from 0, among those that want an answer.
    at: usize,
    /// Each line of the answer; `None` for no answer in time.
    line: Option<&'a str>,
}

/// A game that was played.
struct RefereeGame {
    seed: i64,
    played: Played,
    /// The questions to each seat.
    asked: Vec<Vec<Question>>,
    /// The time until the first question.
    start: Duration,
    /// The time of the whole game.
    whole: Duration,
    /// Whether the process had played another game before.
    is_reused: bool,
}

/// A player that knows no rules.
struct RandomPlayer<'a> {
    answers: &'a [String],
    rng: SplitMix64,
    mishap: Option<Mishap<'a>>,
    asked: Vec<Question>,
    text: String,
}

impl Player for RandomPlayer<'_> {
    fn ask(&mut self, ask: Ask<'_>, _thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        let question = ask.question;
        let answered = answers_of(&self.asked);
        self.asked.push(question.clone());
        self.text = match self.mishap {
            Some(Mishap { at, line, .. }) if question.lines > 0 && at == answered => match line {
                Some(line) => vec![line; question.lines].join("\n"),
                None => return Ok(at_once(Err(Fault::Timeout))),
            },
            _ => {
                let given = self.answers.get(answered).or(self.answers.last());
                legal_answer(question, given.map_or("", String::as_str), &mut self.rng)
            }
        };
        Ok(at_once(Ok(&self.text)))
    }
}

/// Counts the questions that want an answer.
fn answers_of(questions: &[Question]) -> usize {
    questions.iter().filter(|asked| asked.lines > 0).count()
}

impl RefereeCheck {
    /// Plays the games of the check. If a game doesn't come to its end, nothing else is checked.
    /// Also returns the title that the referee gives its game.
    pub(crate) fn run(&self) -> (Option<String>, Vec<Checked<RefereeProblem>>) {
        let (title, games) = match probe::first_question(&self.alone) {
            Ok(first) => (first.title, self.games(&self.alone)),
            Err(error) => (None, Err(Unplayed(error.to_string()))),
        };
        let outcomes = match games {
            Ok(games) => self.outcomes(&games),
            Err(Unplayed(why)) => {
                let (what, hint) = why.rsplit_once("\nhint: ").unwrap_or((&why, USUAL_HINT));
                vec![failed(what.to_owned(), hint)]
            }
        };
        let checks = CHECKS.into_iter().zip(outcomes);
        let checks = checks.map(|(names, outcome)| Checked::new(names, outcome));
        (title, checks.collect())
    }

    /// The outcomes in the order of [`CHECKS`].
    fn outcomes(&self, games: &[RefereeGame]) -> Vec<Outcome> {
        let usual = self.games(&self.usual);
        let count = range(games.iter().map(|game| game.questions().count()));
        vec![
            ok(format!("{} games, {count} questions each", games.len())),
            questions(games),
            self.actions(games),
            self.seed(games),
            self.other_seeds(games),
            self.reuse(&games[0], &usual),
            self.no_answer(&games[0]),
            self.no_action(&games[0]),
            frames(games),
            speed(&usual.unwrap_or_default()),
        ]
    }

    /// Plays every seed once.
    fn games(&self, spec: &GameSpec) -> Result<Vec<RefereeGame>> {
        let mut games = Vec::new();
        for seed in 1..=i64::from(self.seeds.max(2)) {
            let game = self.game(spec, seed, None);
            games.push(game.map_err(|why| Unplayed(format!("on seed {seed}: {why}")))?);
        }
        Ok(games)
    }

    /// Plays a game; if it cannot be played, says why.
    fn game(&self, spec: &GameSpec, seed: i64, mishap: Option<Mishap<'_>>) -> Result<RefereeGame> {
        let began = Instant::now();
        let seats = spec.default_seats();
        let mut game = spec
            .start(seed, seats, &Opening::default())
            .map_err(|error| Unplayed(error.to_string()))?;
        let start = began.elapsed();
        let random = |seat| RandomPlayer {
            answers: &self.answers,
            // Every seed has the same players, so only the referee makes games differ.
            rng: SplitMix64::new(seat as u64),
            mishap: mishap.filter(|mishap| mishap.seat == seat),
            asked: Vec::new(),
            text: String::new(),
        };
        let mut players: Vec<RandomPlayer<'_>> = (0..seats).map(random).collect();
        let kept = Kept {
            input: true,
            ..Kept::default()
        };
        let played = play(game.as_mut(), &mut players, Clock::of(spec), kept)
            .map_err(|abort| Unplayed(Mismatch::from(abort).to_string()))?;
        Ok(RefereeGame {
            seed,
            played,
            asked: players.into_iter().map(|player| player.asked).collect(),
            start,
            whole: began.elapsed(),
            is_reused: matches!(ExternalGame::of(&*game), Some(game) if game.is_reused),
        })
    }

    /// Plays a game again. Returns the first thing that isn't the same.
    fn difference(&self, game: &RefereeGame, spec: &GameSpec) -> Option<String> {
        match self.game(spec, game.seed, None) {
            Ok(again) => game.difference(&again),
            Err(why) => Some(why.to_string()),
        }
    }

    fn actions(&self, games: &[RefereeGame]) -> Outcome {
        let mut questions: Vec<&Question> = games.iter().flat_map(RefereeGame::questions).collect();
        let all = questions.len();
        questions.retain(|asked| !asked.actions.is_empty());
        let listed = questions.len();
        if listed == 0 && games.iter().all(|game| self.is_over_at_once(game)) {
            let games = games.len();
            let what =
                format!("only {all} questions in {games} games: perhaps no answer was legal");
            return Outcome::NotChecked(problem(what, GIVE_ANSWER).into());
        }
        let refused = games.iter().find_map(|game| {
            let (seat, said) = game.refused()?;
            let (seed, said) = (game.seed, quoted(said));
            Some(format!("on seed {seed} seat {seat} failed by {said}"))
        });
        match refused {
            Some(what) if listed == all => failed(
                format!("{what}, which was listed"),
                "ACTIONS has the legal answers to the next question, and nothing else",
            ),
            Some(what) => warning(
                format!("{listed} of {all} questions come with ACTIONS, and {what}"),
                GIVE_ANSWER,
            ),
            None if listed == all => ok(format!("{all} questions")),
            None => ok(format!(
                "{listed} of {all} questions; the others were answered by {}",
                quoted(&self.answers.join(", "))
            )),
        }
    }

    /// Whether a game ends so early that its referee may have refused every answer.
    fn is_over_at_once(&self, game: &RefereeGame) -> bool {
        let few = FEW_QUESTIONS.max(game.asked.len());
        let is_known = !self.answers.is_empty() && game.refused().is_none();
        !is_known && game.questions().count() <= few
    }

    fn seed(&self, games: &[RefereeGame]) -> Outcome {
        if !self.alone.seed_decides {
            return ok("not expected: seed = false");
        }
        for game in games {
            if let Some(how) = self.difference(game, &self.alone) {
                return failed(
                    format!("seed {} in two processes: {how}", game.seed),
                    "all that it draws has to follow from the seed: no clock, no order of a hash table, no threads. If it takes no \
                     seed, say `seed = false` in its table in the config: its games cannot be verified then",
                );
            }
        }
        ok(format!("{} games in two processes each", games.len()))
    }

    fn other_seeds(&self, games: &[RefereeGame]) -> Outcome {
        if !self.alone.seed_decides {
            return ok("not expected: seed = false");
        }
        if games.iter().any(|game| games[0].difference(game).is_some()) {
            return ok("");
        }
        let last = games.len();
        warning(
            format!("the seeds 1 to {last} give one game, as long as the answers are the same"),
            "bots that draw nothing at random will play one game again and again",
        )
    }

    /// `usual` are games as a run would play them.
    fn reuse(&self, first: &RefereeGame, usual: &Result<Vec<RefereeGame>>) -> Outcome {
        let difference = match usual {
            Err(why) => Some(why.to_string()),
            Ok(games) if !games.iter().any(|game| game.is_reused) => {
                return ok("not promised, or not kept: every game has a process of its own");
            }
            Ok(_) if !self.alone.seed_decides => None,
            Ok(_) => self.difference(first, &self.usual),
        };
        match difference {
            None => ok("seed 1 is the same game after others"),
            Some(how) => failed(
                format!("seed 1 after other games: {how}"),
                "nothing of a game may be left in the next one, or `reuse=yes` must not be promised; `reuse = false` in its table in \
                 the config gives every game a process of its own",
            ),
        }
    }

    /// Plays a game with a failure in the second question to a seat, or in its only one. Returns
    /// `None` if it has none.
    fn fail(&self, usual: &RefereeGame, seat: Seat, line: Option<&str>) -> Result<Option<Fallout>> {
        let Some(at) = answers_of(&usual.asked[seat]).min(2).checked_sub(1) else {
            return Ok(None);
        };
        let game = self.game(&self.alone, 1, Some(Mishap { seat, at, line }))?;
        let asked = answers_of(&game.asked[seat]);
        Ok((asked > at).then_some(Fallout {
            seat,
            standings: game.played.standings,
            lower_is_better: self.alone.lower_is_better,
            is_asked_again: asked > at + 1,
        }))
    }

    fn no_answer(&self, usual: &RefereeGame) -> Outcome {
        for seat in 0..self.alone.default_seats() {
            match self.fail(usual, seat, None) {
                Ok(Some(fallout)) if fallout.gets_away() => {
                    let scores = fallout.scores();
                    return warning(
                        format!("seat {seat} gave no answer, and is not last: {scores}"),
                        "a seat that failed should score below all others",
                    );
                }
                Err(why) => {
                    return failed(
                        format!("seat {seat} gives no answer: {why}"),
                        "SET_PLAYER_TIMEOUT stands for an answer, whenever one is wanted",
                    );
                }
                Ok(_) => {}
            }
        }
        ok("")
    }

    fn no_action(&self, usual: &RefereeGame) -> Outcome {
        // Answers that are none in most games, as bots might give them.
        let long = "x".repeat(9_999);
        let lines = ["", "[[SCORES] 2]", "caf\u{e9} \u{1f600} \"{\\", &long];
        let seats = self.alone.default_seats();
        let (mut refused, mut tried) = (0, 0);
        for number in 0..lines.len().max(seats) {
            let (seat, line) = (number % seats, lines[number % lines.len()]);
            let fallout = match self.fail(usual, seat, Some(line)) {
                Ok(None) => continue,
                Ok(Some(fallout)) => fallout,
                Err(why) => {
                    return failed(
                        format!("seat {seat} answers {}: {why}", quoted(line)),
                        "a bot can write anything: take lines by their count, and never let one end the referee",
                    );
                }
            };
            tried += 1;
            if is_refused(&fallout.standings[seat]) || fallout.loses() {
                refused += 1;
            } else if usual.refused().is_none() && fallout.others().any(is_refused) {
                let (line, scores) = (quoted(line), fallout.scores());
                return failed(
                    format!("seat {seat} answers {line}, and another seat is blamed: {scores}"),
                    "FATE and TOOLTIP name the seat, from 0",
                );
            }
        }
        if tried > 0 && refused == 0 {
            let such = quoted(lines[1]);
            return warning(
                format!("none of {tried} answers such as {such} cost its seat anything"),
                "FATE names a seat whose answer was no action; so does a score below 0 with a TOOLTIP",
            );
        }
        ok(format!("{refused} of {tried}"))
    }
}

fn questions(games: &[RefereeGame]) -> Outcome {
    let asked: Vec<&Question> = games.iter().flat_map(RefereeGame::questions).collect();
    let lines = match range(asked.iter().map(|asked| asked.lines)).as_str() {
        "1" => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let limits = asked.iter().filter_map(|asked| asked.limit);
    let limits = range(limits.map(|limit| limit.as_millis()));
    ok(match limits.as_str() {
        "0" => format!("{lines}; the limits are those of [clock]"),
        _ => format!("{lines}, within {limits} ms"),
    })
}

fn frames(games: &[RefereeGame]) -> Outcome {
    let steps: Vec<_> = games.iter().flat_map(|game| &game.played.steps).collect();
    let shown = steps.iter().filter_map(|step| step.frame()).count();
    ok(match shown {
        0 => "no FRAME: viewers show prompts and answers".to_owned(),
        _ => format!("FRAME with {shown} of {} questions", steps.len()),
    })
}

/// Measures games as a run would play them.
#[expect(clippy::cast_precision_loss, reason = "games and questions are few")]
fn speed(usual: &[RefereeGame]) -> Outcome {
    if usual.is_empty() {
        return Outcome::NotReached;
    }
    let whole: Duration = usual.iter().map(|game| game.whole).sum();
    let start: Duration = usual.iter().map(|game| game.start).sum();
    let questions: usize = usual.iter().map(|game| game.played.steps.len()).sum();
    let per_question = whole.saturating_sub(start).div_f64(questions.max(1) as f64);
    let per_second = usual.len() as f64 / whole.as_secs_f64().max(1e-6);
    let each = ms(per_question, 2);
    ok(format!(
        "{per_second:.1} games/s one after the other, {each} per question"
    ))
}

/// The result of a game with a failure.
struct Fallout {
    seat: Seat,
    standings: Vec<Standing>,
    lower_is_better: bool,
    is_asked_again: bool,
}

fn is_refused(standing: &Standing) -> bool {
    standing.fate == Fate::InvalidAction
}

impl Fallout {
    fn others(&self) -> impl Iterator<Item = &Standing> {
        let (before, after) = self.standings.split_at(self.seat);
        before.iter().chain(&after[1..])
    }

    /// Whether the seat is out of the game, and below all others.
    fn loses(&self) -> bool {
        let value = |standing: &Standing| value(standing.score, self.lower_is_better);
        let own = value(&self.standings[self.seat]);
        !self.is_asked_again && self.others().all(|other| own < value(other))
    }

    /// Whether the seat is out of the game and not last, though no other seat failed.
    fn gets_away(&self) -> bool {
        !self.is_asked_again && !self.loses() && self.others().all(|other| other.fate == Fate::Ok)
    }

    fn scores(&self) -> String {
        let score = |(seat, &Standing { score, fate })| format!("seat {seat} {score} ({fate})");
        list(self.standings.iter().enumerate().map(score)).unwrap_or_default()
    }
}

impl RefereeGame {
    /// The questions that want an answer.
    fn questions(&self) -> impl Iterator<Item = &Question> {
        self.asked.iter().flatten().filter(|asked| asked.lines > 0)
    }

    /// The first seat whose answer was no action, and what it said last.
    fn refused(&self) -> Option<(Seat, &str)> {
        let seat = self.played.standings.iter().position(is_refused)?;
        let last = self.played.steps.iter().rfind(|step| step.player == seat)?;
        Some((seat, last.output.as_deref().unwrap_or_default()))
    }

    /// Everything that the referee decides, in order.
    fn course(&self) -> Vec<String> {
        let mut asked: Vec<_> = self.asked.iter().map(|asked| asked.iter()).collect();
        let mut course = Vec::new();
        for (number, step) in (1..).zip(&self.played.steps) {
            let place = format!("question {number} to seat {}", step.player);
            for (number, line) in (1..).zip(step.input.as_deref().unwrap_or_default().lines()) {
                course.push(format!("{place} has line {number} {}", quoted(line)));
            }
            if let Some(asked) = asked[step.player].next() {
                let (lines, limit, actions) = (asked.lines, asked.limit, &asked.actions);
                let wants = format!("wants {lines} lines within {limit:?} of {actions:?}");
                course.push(format!("{place} {wants}"));
            }
        }
        course.push(format!("its scores are {:?}", self.played.scores()));
        course
    }

    /// The first thing that is not the same in another game, if there is one.
    fn difference(&self, other: &RefereeGame) -> Option<String> {
        let (own, other) = (self.course(), other.course());
        let (one, other) = own.iter().zip(&other).find(|(one, other)| one != other)?;
        Some(format!("{one}, and then {other}"))
    }
}

/// The least and the most of some numbers.
fn range<T: Copy + Default + Display + Ord>(numbers: impl Iterator<Item = T>) -> String {
    let numbers: BTreeSet<T> = numbers.collect();
    match (numbers.first(), numbers.last()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (least, _) => least.copied().unwrap_or_default().to_string(),
    }
}

fn ok(detail: impl Into<String>) -> Outcome {
    let detail = detail.into();
    Outcome::Ok { detail }
}

fn warning(what: String, hint: &str) -> Outcome {
    Outcome::Warning(problem(what, hint).into())
}

fn failed(what: String, hint: &str) -> Outcome {
    Outcome::Failed(problem(what, hint).into())
}

fn problem(what: String, hint: &str) -> RefereeProblem {
    let hint = hint.to_owned();
    RefereeProblem { what, hint }
}
