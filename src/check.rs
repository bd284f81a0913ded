//! Does a bot speak the protocol? Games against random players, with a closer look at the bot than a tournament takes, and
//! words for its author.
//!
//! The first fault ends the check: what comes after it would only be its consequence.

mod diagnosis;
mod players;
pub(crate) mod referee;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

use self::diagnosis::{Judgement, illegal_action};
use self::players::{CheckPlayer, ObservedBot, Stranger};
use crate::play::{Abort, Clock, Kept, Played, play};
use crate::section::words::ms;
use arena_games::rng::SplitMix64;
use arena_games::{Fate, GameSpec, Opening, Seat};
use arena_process::{Bot, Interrupt, Launcher, StartError};

/// How often a game is played again because the host was overloaded.
const REPLAYS: u32 = 3;
/// So many seeds are looked through, for each board that is missing, for one that picks it.
const SEEDS_PER_BOARD: i64 = 1000;
/// How long a bot may take to end once its input has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// What is checked, in the order in which it is told.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray, Serialize,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub(crate) enum Topic {
    /// The process runs until its first answer.
    Starts,
    /// Nothing of a prompt is left unread.
    ReadsInput,
    /// The first answer comes in time.
    FirstTurn,
    /// Answers are ended by a newline, and written when they are made.
    Flushes,
    /// One line for one prompt.
    OneLine,
    /// The referee takes the answers.
    LegalActions,
    /// The later answers come in time.
    InTime,
    /// Games come to their end, in every seat.
    FullGames,
    /// The process ends when its input does.
    EndOfInput,
}

/// Who is checked, in which game.
pub(crate) struct Check {
    /// How the bot is started, and its sandbox, as in a run: what is refused there is better known now.
    pub(crate) launcher: Arc<Launcher>,
    pub(crate) spec: Arc<GameSpec>,
    /// Whether its referee is a program of its own.
    pub(crate) is_foreign: bool,
    pub(crate) clock: Clock,
    /// On each of the seeds 1, 2, .. up to this one the bot plays a game in every seat; then one on every other board.
    pub(crate) seeds: u32,
    /// Ends the check at once.
    pub(crate) interrupt: Arc<Interrupt>,
}

/// What came of one topic; `F` tells what is wrong.
#[derive(Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(crate) enum Outcome<F = Finding> {
    /// All is well; with a figure, where there is one, for instance `31 answers`.
    Ok { detail: String },
    /// Something is odd, but costs no game.
    Warning(Box<F>),
    /// A game would be lost by this, or could not be played.
    Failed(Box<F>),
    /// The check ended before this.
    NotReached,
}

/// Something that is wrong with the bot.
#[derive(Serialize)]
pub(crate) struct Finding {
    /// The seed of the game.
    pub(crate) seed: i64,
    /// The bot's seat in it.
    pub(crate) seat: Seat,
    /// The turn of the game, from 1.
    pub(crate) turn: u32,
    /// What happened.
    pub(crate) what: String,
    /// What to try; empty if nothing comes to mind.
    pub(crate) hint: String,
    /// How the process ended, if it did so by itself.
    pub(crate) exit: Option<String>,
    /// The end of what it wrote to standard error.
    pub(crate) stderr_tail: String,
    /// What it was sent in that turn.
    #[serde(skip)]
    pub(crate) input: String,
    /// All that it was sent in that game, up to that turn.
    #[serde(skip)]
    pub(crate) inputs: String,
}

/// All that was found.
pub(crate) struct Report {
    /// One for every topic, in their order.
    pub(crate) outcomes: Vec<(Topic, Outcome)>,
}

impl Report {
    /// Whether nothing failed.
    pub(crate) fn is_ok(&self) -> bool {
        let mut outcomes = self.outcomes.iter();
        !outcomes.any(|(_, outcome)| matches!(outcome, Outcome::Failed(_)))
    }

    /// Why the bot did not come to its first answer, if that is so.
    pub(crate) fn start_failure(&mut self) -> Option<&mut Finding> {
        match self.outcomes.first_mut() {
            Some((Topic::Starts, Outcome::Failed(finding))) => Some(finding),
            _ => None,
        }
    }
}

/// Why a bot cannot be checked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    /// The bot cannot be run.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The machine was too busy to say.
    #[error(
        "check the bot: cannot tell whether it answers in time: host overloaded, {} times in a row; check again when less \
         else runs here",
        REPLAYS + 1
    )]
    Overloaded,
    /// A game could not be played, through no fault of the bot.
    #[error(transparent)]
    Abort(#[from] Abort),
    /// The game does not start.
    #[error(transparent)]
    Game(#[from] arena_games::StartError),
}

/// Plays the games of a check, until all are played or the bot fails.
pub(crate) fn check(check: &Check) -> Result<Report, CheckError> {
    let mut found = Found::default();
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
    Ok(found.report())
}

/// A game on each board that none of the seeds picks, in one seat after the other.
fn on_further_boards(check: &Check) -> impl Iterator<Item = (i64, Seat)> {
    let rules = &check.spec.rules;
    let seeds = i64::from(check.seeds);
    let mut missing: BTreeSet<usize> = (0..rules.boards().len()).collect();
    missing.retain(|board| !(1..=seeds).any(|seed| rules.board(seed) == Some(*board)));
    let bound = seeds + SEEDS_PER_BOARD * i64::try_from(missing.len()).unwrap_or(0);
    let first_on_board = (seeds + 1..=bound).filter(move |&seed| {
        let board = rules.board(seed);
        board.is_some_and(|board| missing.remove(&board))
    });
    first_on_board.zip((0..check.spec.default_seats()).cycle())
}

/// What is known so far.
#[derive(Default)]
struct Found {
    /// How long the bot took for its first answers, and for later ones, and how much of that its processes ran.
    first: Vec<[Duration; 2]>,
    later: Vec<[Duration; 2]>,
    /// The first thing that is wrong with each topic.
    findings: BTreeMap<Topic, Finding>,
    /// The bot would have lost a game by itself.
    failed: bool,
    games: u32,
    said_goodbye: bool,
}

impl Found {
    /// Plays one game, or, where the host was overloaded, another one instead.
    fn play(&mut self, check: &Check, seed: i64, seat: Seat) -> Result<(), CheckError> {
        for _ in 0..=REPLAYS {
            arena_process::reap_orphans();
            let bot = Bot::start_in(&check.launcher, seed.unsigned_abs(), &check.interrupt)?;
            let mut bot = ObservedBot::new(bot, check.clock, seed, seat, self.games == 0);
            match play_against_random(&mut bot, check) {
                Err(CheckError::Abort(Abort::Busy)) => {}
                Err(error) => return Err(error),
                Ok(played) => {
                    bot.look_around()?;
                    return Ok(self.enter(bot, check, &played)?);
                }
            }
        }
        Err(CheckError::Overloaded)
    }

    /// Adds what one game has shown.
    fn enter(&mut self, mut bot: ObservedBot, check: &Check, played: &Played) -> Result<(), Abort> {
        let mut times = bot.times.iter().copied();
        self.first.extend(times.next());
        self.later.extend(times);
        if played.standings[bot.seat].fate == Fate::InvalidAction {
            let judgement = Judgement {
                spec: &check.spec,
                answer: &bot.answer,
                inputs: [bot.input(0), bot.input(1)],
                actions: &bot.actions,
                is_foreign: check.is_foreign,
                reason: reason_of(played, bot.seat),
            };
            if let Some(note) = illegal_action(&judgement) {
                bot.note(note);
            }
            bot.lost = true;
        }
        self.failed |= bot.lost;
        if bot.notes.is_empty() && !self.said_goodbye {
            self.said_goodbye = true;
            bot.say_goodbye()?;
        }
        let steps = played.steps.iter().filter(|step| step.player == bot.seat);
        let turns: Vec<u32> = steps.map(|step| step.turn).collect();
        for (topic, finding) in bot.into_findings(&turns) {
            self.findings.entry(topic).or_insert(finding);
        }
        Ok(())
    }

    fn report(mut self) -> Report {
        let topics = Topic::VARIANTS.iter();
        Report {
            outcomes: topics.map(|&topic| (topic, self.outcome(topic))).collect(),
        }
    }

    fn outcome(&mut self, topic: Topic) -> Outcome {
        if let Some(finding) = self.findings.remove(&topic).map(Box::new) {
            return if topic == Topic::EndOfInput {
                Outcome::Warning(finding)
            } else {
                Outcome::Failed(finding)
            };
        }
        let (first, later) = (self.first.len(), self.later.len());
        let (reached, detail) = match topic {
            Topic::Starts => (true, String::new()),
            Topic::ReadsInput | Topic::Flushes | Topic::OneLine => (first > 0, String::new()),
            Topic::FirstTurn => (first > 0, times(&self.first)),
            Topic::LegalActions => (first > 0, format!("{} answers", first + later)),
            Topic::InTime => (later > 0, times(&self.later)),
            Topic::FullGames => (!self.failed, format!("{} games", self.games)),
            Topic::EndOfInput => (self.said_goodbye, String::new()),
        };
        if reached {
            Outcome::Ok { detail }
        } else {
            Outcome::NotReached
        }
    }
}

/// What a referee that is a program of its own said last of a seat.
fn reason_of(played: &Played, seat: Seat) -> Option<&str> {
    let of_seat = format!("seat {seat}: ");
    let notes = played
        .steps
        .iter()
        .filter_map(|step| step.shown.as_deref())
        .chain([&played.shown])
        .flat_map(|shown| &shown.notes);
    notes
        .filter_map(|note| note.strip_prefix(&of_seat))
        .next_back()
}

/// The median and the longest of times, and of how much of them the bot ran.
fn times(times: &[[Duration; 2]]) -> String {
    let [wall, cpu] = [0, 1].map(|which| {
        let mut sorted: Vec<Duration> = times.iter().map(|time| time[which]).collect();
        sorted.sort_unstable();
        let median = sorted.get(sorted.len().saturating_sub(1) / 2);
        let [median, longest] =
            [median, sorted.last()].map(|time| ms(time.copied().unwrap_or_default(), 1));
        format!("p50 {median}, max {longest}")
    });
    format!("{wall}; CPU {cpu}")
}

/// Plays a game in which everybody else answers at random.
fn play_against_random(bot: &mut ObservedBot, check: &Check) -> Result<Played, CheckError> {
    let ObservedBot { seed, seat, .. } = *bot;
    let spec = &check.spec;
    let seats = spec.default_seats();
    let mut game = spec.start(seed, seats, &Opening::default())?;
    let mut bot = Some(bot);
    let mut players: Vec<CheckPlayer<'_>> = Vec::new();
    for place in 0..seats {
        let rng = SplitMix64::new(seed.unsigned_abs() ^ (place as u64) << 32);
        players.push(match bot.take_if(|_| place == seat) {
            Some(bot) => CheckPlayer::Observed(bot),
            None if check.is_foreign => {
                CheckPlayer::Stranger(Box::new(Stranger::new(check, seed.unsigned_abs(), rng)))
            }
            None => CheckPlayer::Random {
                check,
                rng,
                answer: String::new(),
            },
        });
    }
    let kept = Kept::default();
    Ok(play(game.as_mut(), &mut players, check.clock, kept)?)
}
