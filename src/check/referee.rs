//! Checks a referee that is a program of its own: can its games be played again, whom does it blame, how fast is it?
//!
//! All seats answer with a random legal action if the referee lists any, and with given lines otherwise. In some games one
//! seat fails on purpose.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Outcome;
use super::players::{at_once, legal_answer};
use crate::play::{Abort, Answer, Clock, Kept, Played, Player, play};
use crate::section::text::quoted;
use crate::section::words::ms;
use arena_games::rng::SplitMix64;
use arena_games::{Fate, Fault, GameSpec, Opening, Question, Seat, Standing};

/// One thing that was checked.
#[derive(Serialize)]
pub(crate) struct Finding {
    /// Its name for programs.
    check: &'static str,
    /// What the referee should do.
    #[serde(skip)]
    pub(crate) title: &'static str,
    #[serde(rename = "result")]
    pub(crate) outcome: Found,
}

/// What is wrong with a referee.
#[derive(Serialize)]
pub(crate) struct Advice {
    /// What happened; may have several lines.
    pub(crate) what: String,
    /// What to try.
    pub(crate) hint: &'static str,
}

type Found = Outcome<Advice>;

/// A referee, and how it is tried.
pub(crate) struct RefereeCheck {
    /// Its game, each time in a process of its own.
    pub(crate) alone: Arc<GameSpec>,
    /// The same, all in one process.
    pub(crate) together: Arc<GameSpec>,
    /// The same as a run would play it.
    pub(crate) usual: Arc<GameSpec>,
    /// The lines of an answer where the referee lists none that are legal.
    pub(crate) answers: Vec<String>,
    /// Games are played on the seeds 1, 2, .. up to this one; 2 at least.
    pub(crate) seeds: u32,
}

/// How a seat fails on purpose.
#[derive(Clone, Copy)]
struct Failure<'a> {
    seat: Seat,
    /// Which of its questions that want an answer, from 0.
    at: usize,
    /// What it says for each line of an answer; `None` for no answer in time.
    line: Option<&'a str>,
}

/// One game.
struct Game {
    played: Played,
    /// What each seat was asked.
    asked: Vec<Vec<Question>>,
    /// The time until the first question, and that for all.
    start: Duration,
    whole: Duration,
    /// Whether the process had played another game before.
    is_reused: bool,
}

/// A player who knows no rules.
struct Novice<'a> {
    answers: &'a [String],
    rng: SplitMix64,
    failure: Option<Failure<'a>>,
    asked: Vec<Question>,
    text: String,
}

impl Player for Novice<'_> {
    fn ask(
        &mut self,
        _prompt: &str,
        question: &Question,
        _limit: Duration,
        _thinks: &mut dyn FnMut(),
    ) -> Result<Answer<'_>, Abort> {
        let answered = answers_of(&self.asked);
        self.asked.push(question.clone());
        self.text = match self.failure {
            Some(failure) if question.lines > 0 && failure.at == answered => match failure.line {
                Some(line) => vec![line; question.lines].join("\n"),
                None => return Ok(at_once(Err(Fault::Timeout))),
            },
            _ => legal_answer(question, self.answers, &mut self.rng),
        };
        Ok(at_once(Ok(&self.text)))
    }
}

/// The number of questions that want an answer.
fn answers_of(questions: &[Question]) -> usize {
    let wanting = questions.iter().filter(|question| question.lines > 0);
    wanting.count()
}

impl RefereeCheck {
    /// Plays the games of the check, and lists what they show. Nothing follows if a game does not come to its end.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let whole = "plays games to their end";
        let games = match self.games(&self.alone) {
            Ok(games) => games,
            Err(why) => {
                let hint = "docs/referees.md has the frames, and the limits of what it may say";
                return vec![finding("full_games", whole, failed(why, hint))];
            }
        };
        let usual = self.games(&self.usual).unwrap_or_default();
        let is_reused = usual.iter().any(|game| game.is_reused);
        vec![
            finding("full_games", whole, full_games(&games)),
            finding(
                "questions",
                "asks for what can be answered",
                questions(&games),
            ),
            finding("actions", "lists legal actions", self.actions(&games)),
            finding(
                "seed",
                "plays the same game on the same seed",
                self.seed(&games),
            ),
            finding(
                "other_seeds",
                "plays another game on another seed",
                self.other_seeds(&games),
            ),
            finding(
                "reuse",
                "plays game after game in one process",
                self.reuse(&games, is_reused),
            ),
            finding(
                "no_answer",
                "goes on or ends where a seat gives no answer",
                self.no_answer(&games[0]),
            ),
            finding(
                "no_action",
                "tells of answers that are no action",
                self.no_action(&games[0]),
            ),
            finding("frame", "shows positions", frames(&games)),
            finding("speed", "is fast", speed(&usual, is_reused)),
        ]
    }

    fn seeds(&self) -> RangeInclusive<i64> {
        1..=i64::from(self.seeds.max(2))
    }

    /// Plays every seed once.
    fn games(&self, spec: &GameSpec) -> Result<Vec<Game>, String> {
        let mut games = Vec::new();
        for seed in self.seeds() {
            let game = self.game(spec, seed, None);
            games.push(game.map_err(|why| format!("on seed {seed}: {why}"))?);
        }
        Ok(games)
    }

    /// Plays a game; if it cannot be played, says why.
    fn game(
        &self,
        spec: &GameSpec,
        seed: i64,
        failure: Option<Failure<'_>>,
    ) -> Result<Game, String> {
        let began = Instant::now();
        let seats = spec.default_seats();
        let mut game = spec
            .start(seed, seats, &Opening::default())
            .map_err(|error| error.to_string())?;
        let start = began.elapsed();
        let mut players: Vec<Novice<'_>> = Vec::new();
        for seat in 0..seats {
            players.push(Novice {
                answers: &self.answers,
                // The same for every seed: what differs between games is the referee's doing.
                rng: SplitMix64::new(seat as u64),
                failure: failure.filter(|failure| failure.seat == seat),
                asked: Vec::new(),
                text: String::new(),
            });
        }
        let kept = Kept {
            input: true,
            ..Kept::default()
        };
        match play(game.as_mut(), &mut players, Clock::of(spec), kept) {
            Ok(played) => Ok(Game {
                played,
                asked: players.into_iter().map(|player| player.asked).collect(),
                start,
                whole: began.elapsed(),
                is_reused: game.is_reused(),
            }),
            Err(Abort::Failed(why)) => Err(why),
            Err(abort) => Err(abort.to_string()),
        }
    }

    fn actions(&self, games: &[Game]) -> Found {
        let mut questions: Vec<&Question> = games.iter().flat_map(Game::questions).collect();
        let all = questions.len();
        questions.retain(|asked| !asked.actions.is_empty());
        let listed = questions.len();
        for (seed, game) in self.seeds().zip(games) {
            let Some((seat, said)) = game.refused() else {
                continue;
            };
            let what = format!("on seed {seed} seat {seat} failed by {}", quoted(said));
            return if listed == all {
                failed(
                    format!("{what}, which was listed"),
                    "ACTIONS has the legal answers to the question behind it, and nothing else",
                )
            } else {
                warning(
                    format!("{listed} of {all} questions come with ACTIONS, and {what}"),
                    "games of legal answers show more: --answer LINE gives one, several times where several lines are wanted",
                )
            };
        }
        ok(if listed == all {
            format!("{all} questions")
        } else {
            let instead = quoted(&self.answers.join(", "));
            format!("{listed} of {all} questions; the others were answered by {instead}")
        })
    }

    fn seed(&self, games: &[Game]) -> Found {
        if !self.alone.seed_decides {
            return ok("not expected: seed = false");
        }
        for (seed, game) in self.seeds().zip(games) {
            let differs = match self.game(&self.alone, seed, None) {
                Ok(again) => game.differs(&again),
                Err(why) => Some(why),
            };
            if let Some(how) = differs {
                return failed(
                    format!("seed {seed} in two processes: {how}"),
                    "all that it draws has to follow from the seed: no clock, no order of a hash table, no threads. If it takes no \
                     seed, say `seed = false` in its table in the config: its games cannot be verified then",
                );
            }
        }
        ok(format!("{} games in two processes each", games.len()))
    }

    fn other_seeds(&self, games: &[Game]) -> Found {
        if !self.alone.seed_decides {
            return ok("not expected: seed = false");
        }
        let mut others = games[1..].iter();
        if others.any(|game| games[0].differs(game).is_some()) {
            return ok("");
        }
        warning(
            format!(
                "the seeds 1 to {} give one game, as long as the answers are the same",
                games.len()
            ),
            "bots that draw nothing at random will play one game again and again",
        )
    }

    /// `is_reused` says whether a run would play several games in a process.
    fn reuse(&self, games: &[Game], is_reused: bool) -> Found {
        match (is_reused, self.differs_after_others(&games[0])) {
            (true, Ok(_)) => ok("seed 1 is the same game after others"),
            (true, Err(how)) => failed(
                how,
                "nothing of a game may be left in the next one, or `reuse=yes` must not be promised; `reuse = false` in its table in \
                 the config gives every game a process of its own",
            ),
            (false, Ok(true)) => ok(
                "not promised, but seed 1 is the same game after others: `reuse = true` may be tried",
            ),
            (false, _) => ok("not promised, or not kept: every game has a process of its own"),
        }
    }

    /// How the first game differs after the others in one process; if it does not, whether there was one process.
    fn differs_after_others(&self, first: &Game) -> Result<bool, String> {
        for seed in self.seeds().skip(1) {
            self.game(&self.together, seed, None)
                .map_err(|why| format!("seed {seed} in one process: {why}"))?;
        }
        let last = self
            .game(&self.together, 1, None)
            .map_err(|why| format!("seed 1 after other games: {why}"))?;
        match first.differs(&last).filter(|_| self.alone.seed_decides) {
            Some(how) => Err(format!("seed 1 after other games: {how}")),
            None => Ok(last.is_reused),
        }
    }

    /// What comes of a failure in the second question to a seat, or in the only one; `None` if it is never asked.
    fn fallout(
        &self,
        usual: &Game,
        seat: Seat,
        line: Option<&str>,
    ) -> Result<Option<Fallout>, String> {
        let Some(at) = answers_of(&usual.asked[seat]).min(2).checked_sub(1) else {
            return Ok(None);
        };
        let game = self.game(&self.alone, 1, Some(Failure { seat, at, line }))?;
        let asked = answers_of(&game.asked[seat]);
        Ok((asked > at).then(|| Fallout {
            seat,
            standings: game.played.standings,
            is_asked_again: asked > at + 1,
        }))
    }

    fn no_answer(&self, usual: &Game) -> Found {
        for seat in 0..self.alone.default_seats() {
            match self.fallout(usual, seat, None) {
                Ok(Some(fallout)) if fallout.gets_away() => {
                    return warning(
                        format!(
                            "seat {seat} gave no answer, and is not last: {}",
                            fallout.scores()
                        ),
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

    fn no_action(&self, usual: &Game) -> Found {
        // Answers that are none in most games, as bots might give them.
        let long = "x".repeat(9_999);
        let lines = ["", "[[SCORES] 2]", "caf\u{e9} \u{1f600} \"{\\", &long];
        let seats = self.alone.default_seats();
        let (mut refused, mut tried) = (0, 0);
        for number in 0..lines.len().max(seats) {
            let (seat, line) = (number % seats, lines[number % lines.len()]);
            let fallout = match self.fallout(usual, seat, Some(line)) {
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
            if fallout.is_blamed() {
                refused += 1;
            } else if usual.refused().is_none()
                && fallout
                    .others()
                    .any(|other| other.fate == Fate::InvalidAction)
            {
                return failed(
                    format!(
                        "seat {seat} answers {}, and another seat is blamed: {}",
                        quoted(line),
                        fallout.scores()
                    ),
                    "FATE and TOOLTIP name the seat, from 0",
                );
            }
        }
        if tried > 0 && refused == 0 {
            return warning(
                format!(
                    "none of {tried} answers such as {} cost its seat anything",
                    quoted(lines[1])
                ),
                "FATE tells of a seat whose answer was no action, or a score below 0 with a TOOLTIP",
            );
        }
        ok(format!("{refused} of {tried}"))
    }
}

fn finding(check: &'static str, title: &'static str, outcome: Found) -> Finding {
    Finding {
        check,
        title,
        outcome,
    }
}

fn full_games(games: &[Game]) -> Found {
    let questions = range(games.iter().map(|game| game.played.steps.len()));
    ok(format!("{} games, {questions} questions each", games.len()))
}

fn questions(games: &[Game]) -> Found {
    let asked: Vec<&Question> = games.iter().flat_map(Game::questions).collect();
    let lines = match range(asked.iter().map(|asked| asked.lines)).as_str() {
        "1" => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let limits = asked.iter().filter_map(|asked| asked.limit);
    let limits = range(limits.map(|limit| limit.as_millis()));
    ok(if limits == "0" {
        format!("{lines}; the limits are those of [clock]")
    } else {
        format!("{lines}, within {limits} ms")
    })
}

fn frames(games: &[Game]) -> Found {
    let steps: Vec<_> = games.iter().flat_map(|game| &game.played.steps).collect();
    let shown = steps.iter().filter(|step| step.frame().is_some()).count();
    ok(match shown {
        0 => "no FRAME: viewers show prompts and answers".to_owned(),
        _ => format!("FRAME with {shown} of {} questions", steps.len()),
    })
}

/// The speed of games as a run would play them.
#[expect(clippy::cast_precision_loss, reason = "games and questions are few")]
fn speed(usual: &[Game], in_one_process: bool) -> Found {
    // The first game of a process that plays several includes its start.
    let usual = usual.get(usize::from(in_one_process)..).unwrap_or_default();
    if usual.is_empty() {
        return Outcome::NotReached;
    }
    let whole: Duration = usual.iter().map(|game| game.whole).sum();
    let start: Duration = usual.iter().map(|game| game.start).sum();
    let questions: usize = usual.iter().map(|game| game.played.steps.len()).sum();
    let per_question = whole.saturating_sub(start).div_f64(questions.max(1) as f64);
    let per_second = usual.len() as f64 / whole.as_secs_f64().max(1e-6);
    ok(format!(
        "{per_second:.1} games/s one after the other, {} per question",
        ms(per_question, 2)
    ))
}

/// What became of a seat that failed.
struct Fallout {
    seat: Seat,
    standings: Vec<Standing>,
    is_asked_again: bool,
}

impl Fallout {
    fn others(&self) -> impl Iterator<Item = &Standing> {
        let (before, after) = self.standings.split_at(self.seat);
        before.iter().chain(&after[1..])
    }

    /// Whether the seat is out of the game, and below all others.
    fn loses(&self) -> bool {
        let score = self.standings[self.seat].score;
        !self.is_asked_again && self.others().all(|other| score < other.score)
    }

    /// Whether the seat is out of the game and not last, though no other seat failed.
    fn gets_away(&self) -> bool {
        !self.is_asked_again && !self.loses() && self.others().all(|other| other.fate == Fate::Ok)
    }

    fn is_blamed(&self) -> bool {
        self.standings[self.seat].fate == Fate::InvalidAction || self.loses()
    }

    fn scores(&self) -> String {
        let mut scores = Vec::new();
        for (seat, Standing { score, fate }) in self.standings.iter().enumerate() {
            scores.push(format!("seat {seat} {score} ({fate})"));
        }
        scores.join(", ")
    }
}

impl Game {
    /// The questions that want an answer.
    fn questions(&self) -> impl Iterator<Item = &Question> {
        self.asked.iter().flatten().filter(|asked| asked.lines > 0)
    }

    /// The first seat whose answer was no action, and what it said last.
    fn refused(&self) -> Option<(Seat, &str)> {
        let mut standings = self.played.standings.iter();
        let seat = standings.position(|standing| standing.fate == Fate::InvalidAction)?;
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
                course.push(format!(
                    "{place} wants {lines} lines within {limit:?} of {actions:?}"
                ));
            }
        }
        let standings = self.played.standings.iter();
        let scores: Vec<i32> = standings.map(|standing| standing.score).collect();
        course.push(format!("its scores are {scores:?}"));
        course
    }

    /// The first thing that is not the same in another game, if there is one.
    fn differs(&self, other: &Game) -> Option<String> {
        for (one, other) in self.course().iter().zip(&other.course()) {
            if one != other {
                return Some(format!("{one}, and then {other}"));
            }
        }
        None
    }
}

/// The least and the most of some numbers.
fn range<T: Copy + Default + Display + Ord>(numbers: impl Iterator<Item = T>) -> String {
    let numbers: BTreeSet<T> = numbers.collect();
    let [least, most] =
        [numbers.first(), numbers.last()].map(|number| number.copied().unwrap_or_default());
    if least == most {
        least.to_string()
    } else {
        format!("{least} to {most}")
    }
}

fn ok(detail: impl Into<String>) -> Found {
    let detail = detail.into();
    Outcome::Ok { detail }
}

fn warning(what: String, hint: &'static str) -> Found {
    Outcome::Warning(Box::new(Advice { what, hint }))
}

fn failed(what: String, hint: &'static str) -> Found {
    Outcome::Failed(Box::new(Advice { what, hint }))
}
