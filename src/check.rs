//! Checks for authors: games that look closer at a bot, or at a referee, than a tournament does.
//!
//! The first fault of a bot ends its check, because everything after it would only be a
//! consequence.

mod diagnosis;
mod players;
pub(crate) mod referee;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use strum::{EnumMessage, IntoStaticStr, VariantArray};

use self::diagnosis::{dropped_out, illegal_action};
use self::players::{AnswerTime, CheckPlayer, ObservedBot};
use crate::play::foreign::said_about;
use crate::play::probe;
use crate::play::{Abort, Clock, Kept, Played, play};
use arena_games::rng::SplitMix64;
use arena_games::{Fate, GameSpec, Opening, Seat};
use arena_process::{Bot, Interrupt, Launcher, StartError};
use arena_section::text::quoted;
use arena_section::words::ms;

/// How often to play a game again because the host was overloaded.
const REPLAYS: u32 = 3;
/// How many seeds to try, for each board that no game has, to find one that picks it.
const SEEDS_PER_BOARD: i64 = 1000;
/// How long a bot may take to end once its input has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// What is checked of a bot, in the order of the report.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumMessage, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
enum Topic {
    #[strum(message = "starts")]
    Starts,
    #[strum(message = "reads all of its input")]
    ReadsInput,
    #[strum(message = "answers its first turn in time")]
    FirstTurn,
    #[strum(message = "ends every line, and flushes it")]
    Flushes,
    #[strum(message = "writes the lines that are wanted")]
    OneLine,
    #[strum(message = "answers with legal actions")]
    LegalActions,
    #[strum(message = "answers later turns in time")]
    InTime,
    #[strum(message = "plays full games in every seat")]
    FullGames,
    #[strum(message = "ends when its input ends")]
    EndOfInput,
}

/// The bot to check, and its game.
pub(crate) struct Check {
    /// How to start the bot, in the same sandbox as in a run.
    pub(crate) launcher: Arc<Launcher>,
    pub(crate) spec: Arc<GameSpec>,
    /// Whether the referee is external.
    pub(crate) is_foreign: bool,
    pub(crate) clock: Clock,
    /// The bot plays a game in every seat on each of the seeds 1, 2, .. up to this one, then one
    /// game on every other board.
    pub(crate) seeds: u32,
    /// Ends the check at once.
    pub(crate) interrupt: Arc<Interrupt>,
}

/// One thing that was checked; `F` says what is wrong.
#[derive(Serialize, JsonSchema)]
#[serde(bound = "F: Serialize")]
#[schemars(bound = "F: JsonSchema")]
pub(crate) struct Checked<F> {
    /// Name of the check.
    pub(crate) check: &'static str,
    /// The name for people.
    #[serde(skip)]
    pub(crate) title: &'static str,
    /// Outcome of the check.
    #[serde(flatten, serialize_with = "shown")]
    #[schemars(with = "Shown<'_, F>")]
    pub(crate) outcome: TopicOutcome<F>,
    /// Files that were written, such as the input that led to a failure.
    pub(crate) files: Vec<PathBuf>,
}

impl<F> Checked<F> {
    fn new([check, title]: [&'static str; 2], outcome: TopicOutcome<F>) -> Checked<F> {
        Checked {
            check,
            title,
            outcome,
            files: Vec::new(),
        }
    }
}

/// The outcome of one check.
#[derive(IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum TopicOutcome<F> {
    /// All is well. The detail may be empty or, for instance, `31 answers`.
    Ok { detail: String },
    /// Something is odd, but costs no game.
    Warning(Box<F>),
    /// This would lose or prevent a game.
    Failed(Box<F>),
    /// What was played can't show it.
    NotChecked(Box<F>),
    /// The check ended before this.
    NotReached,
}

/// An outcome as JSON has it.
#[derive(Serialize, JsonSchema)]
struct Shown<'o, F> {
    /// Outcome: `ok`, `warning`, `failed`, `not_checked` or `not_reached`.
    outcome: &'static str,
    /// Remark on a check that passed, such as a number of answers; null without one.
    detail: Option<&'o str>,
    /// What is wrong; null if nothing is, or it wasn't reached.
    problem: Option<&'o F>,
}

fn shown<F: Serialize, S: Serializer>(of: &TopicOutcome<F>, to: S) -> Result<S::Ok, S::Error> {
    let (detail, problem) = match of {
        TopicOutcome::Ok { detail } => (Some(&**detail).filter(|detail| !detail.is_empty()), None),
        TopicOutcome::Warning(problem)
        | TopicOutcome::Failed(problem)
        | TopicOutcome::NotChecked(problem) => (None, Some(&**problem)),
        TopicOutcome::NotReached => (None, None),
    };
    let outcome = of.into();
    Shown {
        outcome,
        detail,
        problem,
    }
    .serialize(to)
}

/// Something that is wrong with the bot.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BotProblem {
    /// Seed of the game.
    pub(crate) seed: i64,
    /// Seat, from 0.
    pub(crate) seat: Seat,
    /// Turn of the game, from 1.
    pub(crate) turn: u32,
    /// What happened.
    pub(crate) what: String,
    /// What to type or do next; null without a hint.
    pub(crate) hint: Option<String>,
    /// How the process of the bot ended; null if it didn't end by itself.
    pub(crate) ended: Option<String>,
    /// The end of the standard error of the bot.
    pub(crate) stderr_tail: String,
    /// The input of that turn.
    #[serde(skip)]
    pub(crate) input: String,
    /// The input of that game, up to that turn.
    #[serde(skip)]
    pub(crate) inputs: String,
}

/// Why a bot can't be checked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    /// The bot can't be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The machine was too busy.
    #[error(
        "can't check the bot: the machine was overloaded {} times in a row, so that the times say nothing\n\
         hint: check again when less else runs here",
        REPLAYS + 1
    )]
    Overloaded,
    /// A game couldn't be played, through no fault of the bot.
    #[error(transparent)]
    Abort(#[from] Abort),
    /// The game doesn't start.
    #[error(transparent)]
    Game(#[from] arena_games::StartError),
}

/// Plays the games of a check until the bot fails, and reports on every topic.
pub(crate) fn check(check: &Check) -> Result<Vec<Checked<BotProblem>>, CheckError> {
    let mut found = Observations::default();
    let seeds = 1..=i64::from(check.seeds);
    let seats = 0..check.spec.default_seats();
    let games = seeds.flat_map(|seed| seats.clone().map(move |seat| (seed, seat)));
    for (seed, seat) in games.chain(on_further_boards(check)) {
        found.play(check, seed, seat)?;
        if found.failed {
            break;
        }
        found.games += 1;
    }
    let checks = Topic::VARIANTS.iter().map(|&topic| {
        let names = [topic.into(), topic.get_message().unwrap_or_default()];
        Checked::new(names, found.outcome(topic, check))
    });
    Ok(checks.collect())
}

/// Returns a game on each board that none of the seeds picks, in one seat after the other.
fn on_further_boards(check: &Check) -> impl Iterator<Item = (i64, Seat)> {
    let rules = &check.spec.rules;
    let seeds = i64::from(check.seeds);
    let mut missing: BTreeSet<usize> = (0..rules.boards().len()).collect();
    missing.retain(|board| !(1..=seeds).any(|seed| rules.board(seed) == Some(*board)));
    let bound = seeds + SEEDS_PER_BOARD * i64::try_from(missing.len()).unwrap_or(0);
    (seeds + 1..=bound)
        .filter(move |&seed| matches!(rules.board(seed), Some(board) if missing.remove(&board)))
        .zip((0..check.spec.default_seats()).cycle())
}

/// The observations of all games so far.
#[derive(Default)]
struct Observations {
    /// The time of the first answer of each game.
    first: Vec<AnswerTime>,
    /// The times of all later answers.
    later: Vec<AnswerTime>,
    /// The first problem with each topic.
    problems: BTreeMap<Topic, BotProblem>,
    /// Whether the bot has lost a game by a fault.
    failed: bool,
    games: u32,
    said_goodbye: bool,
    /// The last line of an external referee about a seat of the bot, such as a tooltip.
    said: Option<String>,
}

impl Observations {
    /// Plays one game, and plays it again if the host was overloaded.
    fn play(&mut self, check: &Check, seed: i64, seat: Seat) -> Result<(), CheckError> {
        for _ in 0..=REPLAYS {
            arena_process::reap_orphans();
            let bot = Bot::start_in(&check.launcher, seed.unsigned_abs(), &check.interrupt)?;
            let mut bot = ObservedBot::new(bot, seed, seat, self.games == 0);
            let played = play_against_others(&mut bot, check);
            if !matches!(played, Err(CheckError::Abort(Abort::Busy))) {
                let played = played?;
                bot.look_around()?;
                return Ok(self.enter(bot, check, &played)?);
            }
        }
        Err(CheckError::Overloaded)
    }

    /// Adds what one game has shown.
    fn enter(&mut self, mut bot: ObservedBot, check: &Check, played: &Played) -> Result<(), Abort> {
        let mut times = bot.times.iter().copied();
        self.first.extend(times.next());
        self.later.extend(times);
        let name = |seat| format!("seat {seat}");
        let names: Vec<String> = (0..played.standings.len()).map(name).collect();
        let said = said_about(&played.steps, &played.shown, bot.seat, &names);
        if played.standings[bot.seat].fate == Fate::InvalidAction {
            let note = illegal_action(
                &check.spec,
                check.is_foreign,
                bot.answered_input(),
                &bot.answer,
                &bot.actions,
                said.as_deref(),
            );
            bot.notes.extend(note.map(|note| (note, bot.answered)));
            bot.lost = true;
        }
        self.failed |= bot.lost;
        if bot.notes.is_empty() && !self.said_goodbye {
            self.said_goodbye = true;
            bot.say_goodbye()?;
        }
        if check.is_foreign {
            self.said = said.or(self.said.take());
            if !bot.lost
                && let Some(note) = dropped_out(played, bot.seat, self.said.as_deref())
            {
                bot.note(note);
            }
        }
        for (topic, problem) in bot.into_problems(&played.steps) {
            self.problems.entry(topic).or_insert(problem);
        }
        Ok(())
    }

    fn outcome(&mut self, topic: Topic, check: &Check) -> TopicOutcome<BotProblem> {
        if let Some(mut problem) = self.problems.remove(&topic) {
            if problem.ended.is_some() {
                let seed = problem.seed.unsigned_abs();
                let (input, said) = (&problem.inputs, &problem.stderr_tail);
                let remedy = probe::remedy(&check.launcher, seed, input, said, &check.interrupt);
                problem.hint = remedy.or(problem.hint);
            }
            return match topic {
                Topic::EndOfInput => TopicOutcome::Warning(problem.into()),
                // The bot only dropped out.
                Topic::FullGames if !self.failed => TopicOutcome::Warning(problem.into()),
                _ => TopicOutcome::Failed(problem.into()),
            };
        }
        let (first, later) = (self.first.len(), self.later.len());
        let is_reached = match topic {
            Topic::Starts => true,
            Topic::InTime => later > 0,
            Topic::FullGames => !self.failed,
            Topic::EndOfInput => self.said_goodbye,
            _ => first > 0,
        };
        if !is_reached {
            return TopicOutcome::NotReached;
        }
        let mut detail = match topic {
            Topic::FirstTurn => times(&self.first),
            Topic::LegalActions => format!("{} answers", first + later),
            Topic::InTime => times(&self.later),
            Topic::FullGames => format!("{} games", self.games),
            _ => String::new(),
        };
        if topic == Topic::LegalActions && check.is_foreign {
            let said = match self.said.as_deref().map(quoted) {
                Some(said) => format!("; the referee said {said}"),
                None => "; the referee didn't object".to_owned(),
            };
            detail += &said;
        }
        TopicOutcome::Ok { detail }
    }
}

/// Returns the median and the longest of some times, and of how long the bot ran in them. Says why
/// answers after the limit count.
fn times(times: &[AnswerTime]) -> String {
    let spread = |time: fn(&AnswerTime) -> Duration| {
        let mut sorted: Vec<Duration> = times.iter().map(time).collect();
        sorted.sort_unstable();
        let last = sorted.len() - 1;
        let [median, longest] = [last / 2, last].map(|at| ms(sorted[at], 1));
        format!("p50 {median}, max {longest}")
    };
    let elapsed = spread(|time| time.elapsed);
    if times.iter().all(|time| time.ran.is_none()) {
        return format!("{elapsed}; CPU unknown");
    }
    let ran = spread(|time| time.ran.unwrap_or_default());
    let mut text = format!("{elapsed}; CPU {ran}");
    let mut late = times.to_vec();
    late.retain(|time| time.late);
    late.sort_unstable_by_key(|time| time.ran);
    let because = "late because this machine was busy";
    if let [.., AnswerTime { ran: Some(ran), .. }] = late[..] {
        let told = match (late.len(), ms(ran, 0)) {
            (1, ran) => format!("; 1 answer {because}; it used {ran} itself"),
            (n, ran) => format!("; {n} answers {because}; they used at most {ran} themselves"),
        };
        text += &told;
    }
    text
}

/// Plays a game against players that answer at random. In the game of an external referee, whose
/// legal actions may be unknown, the other players are copies of the bot.
fn play_against_others(bot: &mut ObservedBot, check: &Check) -> Result<Played, CheckError> {
    let ObservedBot { seed, seat, .. } = *bot;
    let own_seed = seed.unsigned_abs();
    let spec = &check.spec;
    let seats = spec.default_seats();
    let mut game = spec.start(seed, seats, &Opening::default())?;
    let mut bot = Some(bot);
    let mut players: Vec<CheckPlayer<'_>> = Vec::new();
    for place in 0..seats {
        players.push(match bot.take_if(|_| place == seat) {
            Some(bot) => CheckPlayer::Observed(bot),
            None if check.is_foreign => {
                let copy = Bot::start_in(&check.launcher, own_seed, &check.interrupt)?;
                CheckPlayer::Copy(Box::new(copy))
            }
            None => CheckPlayer::Random {
                spec,
                rng: SplitMix64::new(own_seed ^ (place as u64) << 32),
                answer: String::new(),
            },
        });
    }
    let kept = Kept::default();
    Ok(play(game.as_mut(), &mut players, check.clock, kept)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_that_counts_has_its_reason() {
        let time = |elapsed, ran, late| AnswerTime {
            elapsed: Duration::from_millis(elapsed),
            ran: Some(Duration::from_millis(ran)),
            late,
        };
        let spread = "p50 2.0 ms, max 131.0 ms; CPU p50 1.0 ms, max 3.0 ms";
        let told = |late| times(&[time(2, 1, false), time(131, 0, late), time(1, 3, false)]);
        assert_eq!(told(false), spread);
        assert_eq!(
            told(true),
            format!("{spread}; 1 answer late because this machine was busy; it used 0 ms itself")
        );
        assert_eq!(
            times(&[time(131, 0, true), time(120, 3, true)]),
            "p50 120.0 ms, max 131.0 ms; CPU p50 0.0 ms, max 3.0 ms; 2 answers late because this \
             machine was busy; they used at most 3 ms themselves"
        );
    }
}
