//! What a referee that is a program of its own does: whether its games can be played again, whom it blames, how fast it is.
//!
//! Everybody answers with what the referee lists as legal, drawn at random, or with given lines. In some games one seat
//! fails on purpose.

use std::fmt::Display;
use std::iter;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use strum::VariantArray;

use super::players::legal_answer;
use super::{Outcome, Report};
use crate::play::{Abort, Answer, Clock, Kept, Played, Player, Step, play};
use crate::section::words::ms;
use crate::text::quoted;
use arena_games::rng::SplitMix64;
use arena_games::{Fate, Fault, GameSpec, Opening, Question, Seat, Standing};

/// Answers that are none in most games, as bots might give them.
const NO_ACTIONS: usize = 4;

/// What is checked of a referee, in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RefereeTopic {
    /// The process runs until its first question.
    Starts,
    /// Games come to their end.
    FullGames,
    /// The lines that it wants, and the time that it gives.
    Questions,
    /// Whether anybody can play who knows no rules.
    Actions,
    /// The same seed gives the same game.
    Seed,
    /// Another seed gives another game.
    OtherSeeds,
    /// A game is the same after others in one process.
    Reuse,
    /// A seat without an answer does not break it.
    NoAnswer,
    /// An answer that is none does not break it, and its seat is blamed.
    NoAction,
    /// What it does with other numbers of seats.
    Seats,
    /// Positions are shown.
    Frame,
    /// Games per second.
    Speed,
}

/// What is wrong with a referee.
#[derive(Debug, Serialize)]
pub(crate) struct Advice {
    /// What happened; may have several lines.
    pub(crate) what: String,
    /// What to try.
    pub(crate) hint: String,
}

/// What came of a topic.
type Found = Outcome<Advice>;

/// A referee, and how it is tried.
pub(crate) struct RefereeCheck {
    /// Its game, each time in a process of its own.
    pub(crate) alone: Arc<GameSpec>,
    /// The same, all in one process.
    pub(crate) together: Arc<GameSpec>,
    /// The same as a run would play it.
    pub(crate) usual: Arc<GameSpec>,
    /// The same with numbers of seats that were not asked for.
    pub(crate) misfits: Vec<Arc<GameSpec>>,
    /// The lines of an answer where the referee lists none that are legal.
    pub(crate) answers: Vec<String>,
    /// Games are played on the seeds 1, 2, .. up to this one; 2 at least.
    pub(crate) seeds: u32,
}

/// How a seat fails.
struct Failure {
    seat: Seat,
    /// The number of the question that wants lines, from 0, among those to this seat.
    at: usize,
    /// Each line of what it says instead of an answer; `None` for nothing in time.
    line: Option<String>,
}

/// One game.
struct Game {
    played: Played,
    /// By seat, what it was asked.
    asked: Vec<Vec<Asked>>,
    /// The time until the first question, and that for all.
    start: Duration,
    whole: Duration,
    /// Whether the process had played another game before.
    is_reused: bool,
}

/// One question.
#[derive(Clone, Copy)]
struct Asked {
    lines: usize,
    limit: Option<Duration>,
    lists_actions: bool,
}

/// A player who knows no rules.
struct Novice<'a> {
    answers: &'a [String],
    rng: SplitMix64,
    failure: Option<&'a Failure>,
    asked: Vec<Asked>,
    /// The questions so far that wanted lines.
    answered: usize,
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
        let Question {
            lines,
            limit,
            ref actions,
        } = *question;
        self.asked.push(Asked {
            lines,
            limit,
            lists_actions: !actions.is_empty(),
        });
        let failure = self
            .failure
            .filter(|failure| lines > 0 && failure.at == self.answered);
        self.answered += usize::from(lines > 0);
        let reply = match failure.map(|failure| &failure.line) {
            None => {
                self.text = legal_answer(question, self.answers, &mut self.rng);
                Ok(self.text.as_str())
            }
            Some(Some(line)) => {
                self.text = vec![line.as_str(); lines].join("\n");
                Ok(self.text.as_str())
            }
            Some(None) => Err(Fault::Timeout),
        };
        Ok(Answer {
            reply,
            elapsed: Duration::ZERO,
            late: false,
        })
    }
}

impl RefereeCheck {
    /// Plays the games of the check, and tells what they show.
    pub(crate) fn report(&self) -> Report<RefereeTopic, Advice> {
        let starts = self.starts();
        let games = matches!(starts, Outcome::Ok { .. }).then(|| self.games());
        let mut found = vec![starts];
        match games {
            Some(Ok(games)) => found.extend(self.told(&games)),
            Some(Err(failed)) => found.push(failed),
            None => {}
        }
        let found = found
            .into_iter()
            .chain(iter::repeat_with(|| Outcome::NotReached));
        Report {
            outcomes: RefereeTopic::VARIANTS.iter().copied().zip(found).collect(),
        }
    }

    /// What games show that come to their end, from the second topic on.
    fn told(&self, games: &[Game]) -> [Found; 11] {
        let usual: Vec<Result<Game, String>> = self
            .all_seeds()
            .map(|seed| self.game(&self.usual, seed, None))
            .collect();
        let reused = usual
            .iter()
            .any(|game| game.as_ref().is_ok_and(|game| game.is_reused));
        [
            full_games(games),
            questions(games),
            self.actions(games),
            self.seed(games),
            self.other_seeds(games),
            self.reuse(games, reused),
            self.no_answer(&games[0]),
            self.no_action(&games[0]),
            self.seats(),
            frames(games),
            speed(usual.into_iter().collect(), reused),
        ]
    }

    fn all_seeds(&self) -> RangeInclusive<i64> {
        1..=i64::from(self.seeds.max(2))
    }

    /// Plays a game; if it cannot be played, says why.
    fn game(&self, spec: &GameSpec, seed: i64, failure: Option<&Failure>) -> Result<Game, String> {
        let began = Instant::now();
        let seats = spec.default_seats();
        let mut game = spec
            .start(seed, seats, &Opening::default())
            .map_err(|error| error.to_string())?;
        let start = began.elapsed();
        let novice = |seat: Seat| Novice {
            answers: &self.answers,
            // The same for every seed: what differs between games is the referee's doing.
            rng: SplitMix64::new(seat as u64),
            failure: failure.filter(|failure| failure.seat == seat),
            asked: Vec::new(),
            answered: 0,
            text: String::new(),
        };
        let mut players: Vec<Novice<'_>> = (0..seats).map(novice).collect();
        let kept = Kept {
            input: true,
            ..Kept::default()
        };
        let played =
            play(game.as_mut(), &mut players, Clock::of(spec), kept).map_err(
                |abort| match abort {
                    Abort::Failed(why) => why,
                    abort => abort.to_string(),
                },
            )?;
        let asked = players.into_iter().map(|player| player.asked).collect();
        Ok(Game {
            played,
            asked,
            start,
            whole: began.elapsed(),
            is_reused: game.is_reused(),
        })
    }

    fn starts(&self) -> Found {
        let began = Instant::now();
        let game = self
            .alone
            .start(1, self.alone.default_seats(), &Opening::default());
        let took = began.elapsed();
        match game
            .map_err(|error| error.to_string())
            .and_then(|game| game.broken().map_or(Ok(()), Err))
        {
            Ok(()) => ok(ms(took, 0)),
            Err(what) => failed(
                what,
                "docs/referees.md tells what is said first: INIT and GET_GAME_INFO come, a question goes",
            ),
        }
    }

    /// Every seed once, each in a process of its own.
    fn games(&self) -> Result<Vec<Game>, Found> {
        let game = |seed| {
            self.game(&self.alone, seed, None).map_err(|why| {
                failed(
                    format!("on seed {seed}: {why}"),
                    "docs/referees.md has the frames, and the limits of what it may say",
                )
            })
        };
        self.all_seeds().map(game).collect()
    }

    fn actions(&self, games: &[Game]) -> Found {
        let asked = || games.iter().flat_map(Game::questions);
        let (all, listed) = (
            asked().count(),
            asked().filter(|asked| asked.lists_actions).count(),
        );
        let refused = games
            .iter()
            .zip(self.all_seeds())
            .find_map(|(game, seed)| Some((game.refused()?, seed)));
        let instead = quoted(&self.answers.join(", "));
        match refused {
            Some(((seat, said), seed)) if listed == all => failed(
                format!(
                    "on seed {seed} seat {seat} failed by {}, which was listed",
                    quoted(said)
                ),
                "ACTIONS has the legal answers to the question behind it, and nothing else",
            ),
            Some(((seat, said), seed)) => warning(
                format!(
                    "{listed} of {all} questions come with ACTIONS, and on seed {seed} seat {seat} failed by {}",
                    quoted(said)
                ),
                "games of legal answers show more: --answer LINE gives one, several times where several lines are wanted",
            ),
            None if listed == all => ok(format!("{all} questions")),
            None => ok(format!(
                "{listed} of {all} questions; the others were answered by {instead}"
            )),
        }
    }

    fn seed(&self, games: &[Game]) -> Found {
        let again = |(game, seed): (&Game, i64)| match self.game(&self.alone, seed, None) {
            Ok(again) => game
                .differs(&again)
                .map(|how| format!("seed {seed} in two processes: {how}")),
            Err(why) => Some(format!("seed {seed} for the second time: {why}")),
        };
        let differs = games.iter().zip(self.all_seeds()).find_map(again);
        match (self.alone.seed_decides, differs) {
            (true, None) => ok(format!("{} games in two processes each", games.len())),
            (true, Some(how)) => failed(
                how,
                "all that it draws has to follow from the seed: no clock, no order of a hash table, no threads. If it takes no seed, \
                 say `seed = false` in its table in the config: its games cannot be verified then",
            ),
            (false, None)
                if games[1..]
                    .iter()
                    .any(|game| games[0].differs(game).is_some()) =>
            {
                ok("seed = false, but it does: `seed = true` may be tried")
            }
            (false, _) => ok("not expected: seed = false"),
        }
    }

    fn other_seeds(&self, games: &[Game]) -> Found {
        let differ = games[1..]
            .iter()
            .any(|game| games[0].differs(game).is_some());
        match (self.alone.seed_decides, differ) {
            (true, true) => ok(""),
            (true, false) => warning(
                format!(
                    "the seeds 1 to {} give one game, as long as the answers are the same",
                    games.len()
                ),
                "bots that draw nothing at random will play one game again and again",
            ),
            (false, _) => ok("not expected: seed = false"),
        }
    }

    /// `reused` says whether a run would play several games in a process.
    fn reuse(&self, games: &[Game], reused: bool) -> Found {
        match (reused, self.differs_after_others(games)) {
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
    fn differs_after_others(&self, games: &[Game]) -> Result<bool, String> {
        for seed in self.all_seeds().skip(1) {
            self.game(&self.together, seed, None)
                .map_err(|why| format!("seed {seed} in one process: {why}"))?;
        }
        let last = self
            .game(&self.together, 1, None)
            .map_err(|why| format!("seed 1 after other games: {why}"))?;
        match games[0].differs(&last).filter(|_| self.alone.seed_decides) {
            Some(how) => Err(format!("seed 1 after other games: {how}")),
            None => Ok(last.is_reused),
        }
    }

    /// What comes of a failure in the second question to a seat, or in the only one; `None` if it is never asked.
    fn failure(
        &self,
        usual: &Game,
        seat: Seat,
        line: Option<String>,
    ) -> Option<Result<Fallout, String>> {
        let questions = usual.asked[seat]
            .iter()
            .filter(|asked| asked.lines > 0)
            .count();
        let at = questions.min(2).checked_sub(1)?;
        let failure = Failure { seat, at, line };
        self.game(&self.alone, 1, Some(&failure))
            .map(|game| Fallout::of(&game, &failure))
            .transpose()
    }

    fn no_answer(&self, usual: &Game) -> Found {
        let mut told = Vec::new();
        for seat in 0..self.alone.default_seats() {
            let fallout = match self.failure(usual, seat, None) {
                None => continue,
                Some(Ok(fallout)) => fallout,
                Some(Err(why)) => {
                    return failed(
                        format!("seat {seat} gives no answer: {why}"),
                        "SET_PLAYER_TIMEOUT stands for an answer, whenever one is wanted",
                    );
                }
            };
            if fallout.gets_away() {
                return warning(
                    format!(
                        "seat {seat} gave no answer, and is not last: {}",
                        fallout.scores()
                    ),
                    "a seat that failed should score below all others",
                );
            }
            told.push(fallout.told());
        }
        told.dedup();
        ok(told.join("; "))
    }

    fn no_action(&self, usual: &Game) -> Found {
        let seats = self.alone.default_seats();
        let (mut told, mut refused, mut tried) = (Vec::new(), 0, 0);
        for number in 0..NO_ACTIONS.max(seats) {
            let (seat, line) = (number % seats, no_action(number));
            let said = quoted(&line);
            match self.failure(usual, seat, Some(line)) {
                None => continue,
                Some(Ok(fallout)) if fallout.blames_another() && usual.refused().is_none() => {
                    return failed(
                        format!(
                            "seat {seat} answers {said}, and another seat is blamed: {}",
                            fallout.scores()
                        ),
                        "FATE and TOOLTIP name the seat, from 0",
                    );
                }
                Some(Ok(fallout)) if fallout.is_blamed() => {
                    refused += 1;
                    told.push(fallout.told());
                }
                Some(Ok(_)) => {}
                Some(Err(why)) => {
                    return failed(
                        format!("seat {seat} answers {said}: {why}"),
                        "a bot can write anything: take lines by their count, and never let one end the referee",
                    );
                }
            }
            tried += 1;
        }
        told.sort();
        told.dedup();
        if tried > 0 && refused == 0 {
            return warning(
                format!(
                    "none of {tried} answers such as {} cost its seat anything",
                    quoted(&no_action(1))
                ),
                "FATE tells of a seat whose answer was no action, or a score below 0 with a TOOLTIP",
            );
        }
        ok(format!("{refused} of {tried}; {}", told.join("; ")))
    }

    fn seats(&self) -> Found {
        let refuses = |spec: &GameSpec| {
            let game = spec.start(1, spec.default_seats(), &Opening::default());
            game.map_or(true, |game| game.broken().is_some())
        };
        let (others, played): (Vec<_>, Vec<_>) =
            self.misfits.iter().partition(|spec| refuses(spec));
        let list = |specs: Vec<&Arc<GameSpec>>| {
            specs
                .iter()
                .map(|spec| spec.default_seats().to_string())
                .collect::<Vec<_>>()
                .join(" and ")
        };
        let parts = [("refused", list(others)), ("plays with", list(played))];
        let parts = parts.iter().filter(|(_, seats)| !seats.is_empty());
        ok(parts
            .map(|(what, seats)| format!("{what} {seats}"))
            .collect::<Vec<_>>()
            .join(", "))
    }
}

/// An answer that is none in most games.
fn no_action(number: usize) -> String {
    match number % NO_ACTIONS {
        0 => String::new(),
        1 => "[[SCORES] 2]".to_owned(),
        2 => "caf\u{e9} \u{1f600} \"{\\".to_owned(),
        _ => "x".repeat(9_999),
    }
}

fn full_games(games: &[Game]) -> Found {
    let questions = range(games.iter().map(|game| game.played.steps.len()));
    ok(format!("{} games, {questions} questions each", games.len()))
}

fn questions(games: &[Game]) -> Found {
    let asked = || games.iter().flat_map(Game::questions);
    let limits: Vec<u128> = asked()
        .filter_map(|asked| asked.limit)
        .map(|limit| limit.as_millis())
        .collect();
    let lines = range(asked().map(|asked| asked.lines));
    let lines = if lines == "1" {
        "1 line".to_owned()
    } else {
        format!("{lines} lines")
    };
    if limits.is_empty() {
        return ok(format!("{lines}; the limits are those of [clock]"));
    }
    ok(format!("{lines}, within {} ms", range(limits.into_iter())))
}

fn frames(games: &[Game]) -> Found {
    let steps = || games.iter().flat_map(|game| &game.played.steps);
    match steps().filter(|step| step.frame().is_some()).count() {
        0 => ok("no FRAME: viewers show prompts and answers"),
        shown => ok(format!(
            "FRAME with {shown} of {} questions",
            steps().count()
        )),
    }
}

#[expect(clippy::cast_precision_loss, reason = "games and questions are few")]
fn speed(usual: Result<Vec<Game>, String>, in_one_process: bool) -> Found {
    // Why games cannot be played as in a run is told before.
    let Ok(usual) = usual else {
        return Outcome::NotReached;
    };
    // The first game of a process that goes on has its start besides.
    let usual = &usual[usize::from(in_one_process)..];
    let whole: Duration = usual.iter().map(|game| game.whole).sum();
    let asking: Duration = usual
        .iter()
        .map(|game| game.whole.saturating_sub(game.start))
        .sum();
    let questions: usize = usual.iter().map(|game| game.played.steps.len()).sum();
    let per_question = asking.div_f64(questions.max(1) as f64);
    let per_second = usual.len() as f64 / whole.as_secs_f64().max(1e-6);
    ok(format!(
        "{per_second:.1} games/s one after the other, {} per question",
        ms(per_question, 2)
    ))
}

/// What became of a game in which a seat failed.
struct Fallout {
    seat: Seat,
    standings: Vec<Standing>,
    /// Whether anybody was asked after that, and whether that seat was.
    goes_on: bool,
    is_asked_again: bool,
}

impl Fallout {
    /// `None` if the game ended before the seat could fail.
    fn of(game: &Game, failure: &Failure) -> Option<Fallout> {
        let wants_lines = |(_, asked): &(usize, &Asked)| asked.lines > 0;
        let (question, _) = game.asked[failure.seat]
            .iter()
            .enumerate()
            .filter(wants_lines)
            .nth(failure.at)?;
        let own = |(_, step): &(usize, &Step)| step.player == failure.seat;
        let (at, _) = game
            .played
            .steps
            .iter()
            .enumerate()
            .filter(own)
            .nth(question)?;
        Some(Fallout {
            seat: failure.seat,
            standings: game.played.standings.clone(),
            goes_on: at + 1 < game.played.steps.len(),
            is_asked_again: question + 1 < game.asked[failure.seat].len(),
        })
    }

    fn others(&self) -> impl Iterator<Item = &Standing> {
        self.standings
            .iter()
            .enumerate()
            .filter(|(seat, _)| *seat != self.seat)
            .map(|(_, standing)| standing)
    }

    fn is_last(&self) -> bool {
        self.others()
            .all(|other| self.standings[self.seat].score < other.score)
    }

    /// Whether the seat is out of the game and not last, though nobody else failed.
    fn gets_away(&self) -> bool {
        !self.is_asked_again && !self.is_last() && self.others().all(|other| other.fate == Fate::Ok)
    }

    fn is_blamed(&self) -> bool {
        self.standings[self.seat].fate == Fate::InvalidAction
            || self.is_last() && !self.is_asked_again
    }

    fn blames_another(&self) -> bool {
        !self.is_blamed() && self.others().any(|other| other.fate == Fate::InvalidAction)
    }

    fn scores(&self) -> String {
        let score = |(seat, standing): (usize, &Standing)| {
            format!("seat {seat} {} ({})", standing.score, standing.fate)
        };
        self.standings
            .iter()
            .enumerate()
            .map(score)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn told(&self) -> String {
        let Standing { score, fate } = self.standings[self.seat];
        let then = match (self.goes_on, self.is_asked_again) {
            (false, _) => "the game ends",
            (true, false) => "play goes on without its seat",
            (true, true) => "play goes on, and its seat is asked again",
        };
        format!("{then}, {fate} with score {score}")
    }
}

impl Game {
    /// The questions that want an answer.
    fn questions(&self) -> impl Iterator<Item = &Asked> {
        self.asked.iter().flatten().filter(|asked| asked.lines > 0)
    }

    /// The first seat whose answer was no action, and what it said last.
    fn refused(&self) -> Option<(Seat, &str)> {
        let seat = self
            .played
            .standings
            .iter()
            .position(|standing| standing.fate == Fate::InvalidAction)?;
        let last = self.played.steps.iter().rfind(|step| step.player == seat)?;
        Some((seat, last.output.as_deref().unwrap_or_default()))
    }

    /// The first thing that is not the same in another game, if there is one.
    fn differs(&self, other: &Game) -> Option<String> {
        let (steps, others) = (&self.played.steps, &other.played.steps);
        let mut pairs = steps.iter().zip(others).zip(1..);
        if let Some(how) = pairs.find_map(|((one, other), number)| {
            Some(format!("question {number} {}", differ(one, other)?))
        }) {
            return Some(how);
        }
        if steps.len() != others.len() {
            return Some(format!(
                "it asks {} questions, and then {}",
                steps.len(),
                others.len()
            ));
        }
        let limits = |game: &Game| -> Vec<_> {
            game.asked
                .iter()
                .flatten()
                .map(|asked| (asked.lines, asked.limit))
                .collect()
        };
        if limits(self) != limits(other) {
            return Some("it wants other lines, or gives other limits".to_owned());
        }
        let scores = |game: &Game| {
            game.played
                .standings
                .iter()
                .map(|standing| standing.score)
                .collect::<Vec<_>>()
        };
        let (scores, others) = (scores(self), scores(other));
        (scores != others).then(|| format!("its scores are {scores:?}, and then {others:?}"))
    }
}

/// How two questions differ, as the end of a sentence.
fn differ(one: &Step, other: &Step) -> Option<String> {
    if one.player != other.player {
        return Some(format!(
            "goes to seat {}, and then to seat {}",
            one.player, other.player
        ));
    }
    let [first, second] = [one, other].map(|step| step.input.as_deref().unwrap_or_default());
    if first != second {
        let same = first
            .lines()
            .zip(second.lines())
            .take_while(|(one, other)| one == other)
            .count();
        let [first, second] = [first, second]
            .map(|input| input.lines().nth(same).map_or("no line".to_owned(), quoted));
        return Some(format!(
            "to seat {} has line {} {first}, and then {second}",
            one.player,
            same + 1
        ));
    }
    (one.output != other.output).then(|| format!("to seat {} has other ACTIONS", one.player))
}

/// The least and the most of some numbers.
fn range<T: Copy + Ord + Display>(numbers: impl Iterator<Item = T>) -> String {
    let numbers: Vec<T> = numbers.collect();
    match (numbers.iter().min(), numbers.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (least, _) => least.map_or("0".to_owned(), ToString::to_string),
    }
}

fn ok(detail: impl Into<String>) -> Found {
    Outcome::Ok {
        detail: detail.into(),
    }
}

fn warning(what: String, hint: &str) -> Found {
    Outcome::Warning(Box::new(Advice {
        what,
        hint: hint.to_owned(),
    }))
}

fn failed(what: String, hint: &str) -> Found {
    Outcome::Failed(Box::new(Advice {
        what,
        hint: hint.to_owned(),
    }))
}
