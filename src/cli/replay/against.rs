//! `arena replay --against`: what another bot answers to recorded inputs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;

use super::list::{FilterArgs, find};
use super::story::{Story, name, shown};
use crate::cli::bots::{BotLine, launch, launches};
use crate::cli::contest::{foreign_games_of_run, ready_games};
use crate::cli::failure::{InputError, Result, UsageError};
use crate::cli::output::print;
use crate::cli::supervised::{Supervised, supervised};
use crate::plan::DEFAULT_MEMORY_MB;
use crate::play::record::Record;
use crate::play::record::bots::{Bots, OtherAnswer};
use crate::play::{Clock, DEFAULT_STARTUP};
use crate::report::replays::Playback;
use crate::store::{self, StoredGames};
use arena_games::{GameSpec, Games, Seat};
use arena_process::languages::Languages;
use arena_process::{Launcher, Mode};
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows};
use arena_section::text::harmless;
use arena_section::words::count;

/// The limits of games, by id.
type Clocks = BTreeMap<String, Clock>;

/// The bot's own seed.
const SEED: u64 = 1;

/// A game to ask the bot about, the seat, and what the bot answers.
struct Asked {
    number: u64,
    record: Record,
    seat: Seat,
    answers: Vec<OtherAnswer>,
}

/// Asks a bot for its answers in a game, or in all games that --bot lost.
pub(super) fn against(
    bot: &str,
    run: &Path,
    number: Option<u64>,
    filter: &FilterArgs,
    games: &Games,
) -> Result<u8> {
    let launch = launch(BotLine::split(bot)?, &[]);
    let mut asked = match number {
        Some(number) => vec![one_game(run, number, filter)?],
        None => lost_games(run, filter)?,
    };
    let clocks = clocks(run, games);
    supervised(Mode::Auto, DEFAULT_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        let launch = supervised.ready(&Languages::new(), &launch)?;
        let launcher = Launcher::new(&supervised.sandbox, launch);
        let games = ready(run, games, supervised)?;
        let mut stored = StoredGames::new(&games);
        for asked in &mut asked {
            let place = format!("replay game {} of {}", asked.number, run.display());
            let answered = stored.of(&asked.record).and_then(|spec| {
                let bots = bots_of(&spec, &clocks, supervised);
                bots.answers(&launcher, asked.seat, &asked.record, &spec)
            });
            asked.answers = answered.context(place)?;
        }
        print(match &asked[..] {
            [only] if number.is_some() => in_full(only),
            all => in_short(all),
        })
    })
}

/// Plays a recorded game on from a turn, and shows it.
pub(super) fn onward(
    bots: &[String],
    from: u32,
    run: &Path,
    number: u64,
    games: &Games,
) -> Result<u8> {
    let record = find(run, number)?;
    let (seats, turns) = (record.scores.len(), record.turns());
    if bots.len() != 1 && bots.len() != seats {
        return Err(UsageError::BotsForSeats(bots.len(), seats).into());
    }
    if from > turns {
        return Err(InputError::NoTurn(from, turns).into());
    }
    let lines: Vec<String> = bots.iter().cycle().take(seats).cloned().collect();
    let named = launches(&lines, &[])?;
    let clocks = clocks(run, games);
    supervised(Mode::Auto, DEFAULT_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        let mut launchers = Vec::new();
        for launch in &named {
            let ready = supervised.ready(&Languages::new(), launch)?;
            launchers.push(Launcher::new(&supervised.sandbox, ready));
        }
        let games = ready(run, games, supervised)?;
        let place = format!("can't play game {number} of {} on", run.display());
        let mut stored = StoredGames::new(&games);
        let played = stored.of(&record).and_then(|spec| {
            let bots = bots_of(&spec, &clocks, supervised);
            bots.play_on(&launchers, from, &record, &spec)
        });
        let played = played.context(place.clone())?;
        let playback = Playback::stored(&played, &mut stored).context(place)?;
        let head = format!("recorded before turn {from}, then played by these bots\n");
        print(head + &Story::new(number, &played, &playback).text(false))
    })
}

/// Returns the games of the run with their referees.
fn ready(run: &Path, games: &Games, supervised: &Supervised) -> Result<Games> {
    let foreign = foreign_games_of_run(run, games);
    if let Some(game) = foreign.iter().find(|game| !game.spec.seed_decides) {
        return Err(InputError::NoSeed(game.spec.id.clone()).into());
    }
    ready_games(&foreign, games, supervised)
}

/// Returns the limits of the games of a run, by id.
fn clocks(run: &Path, games: &Games) -> Clocks {
    let files = store::read_run_files(run, games).ok();
    let planned = files.into_iter().flat_map(|files| files.plan.plan.games);
    planned.map(|game| (game.id, game.clock)).collect()
}

/// Returns how bots play a game, with time for their start.
fn bots_of<'s>(spec: &GameSpec, clocks: &Clocks, supervised: &'s Supervised) -> Bots<'s> {
    let mut clock = match clocks.get(&spec.id) {
        Some(clock) => *clock,
        None => Clock::of(spec),
    };
    clock.startup = clock.startup.max(DEFAULT_STARTUP);
    Bots {
        interrupt: &supervised.control.kill,
        clock,
        seed: SEED,
    }
}

fn one_game(run: &Path, number: u64, filter: &FilterArgs) -> Result<Asked> {
    let record = find(run, number)?;
    let seat = filter.seat.ok_or(UsageError::AskedWithoutSeat)?;
    let last = record.scores.len().saturating_sub(1);
    if seat > last {
        return Err(InputError::NoSeatToAsk(seat, last).into());
    }
    Ok(Asked {
        number,
        record,
        seat,
        answers: Vec::new(),
    })
}

/// Returns the lost games of a bot: the one that is named, or the user's.
fn lost_games(run: &Path, filter: &FilterArgs) -> Result<Vec<Asked>> {
    let plan = store::read_plan(run)?;
    let mine = plan.as_ref().and_then(|file| file.plan.study.me());
    let Some(bot) = filter.bot.as_ref().or(mine) else {
        return Err(UsageError::AskedWithoutGame.into());
    };
    let path = store::named_file(run, store::RECORDS)?;
    let mut asked = Vec::new();
    for (place, record) in (0..).zip(store::read_records(&path)?) {
        let (_, record) = record?;
        if let Some(seat) = record.bots.iter().position(|name| name == bot)
            && [None, Some(seat)].contains(&filter.seat)
            && record.place(seat) != Some(1)
        {
            let number = record.number.unwrap_or(place);
            asked.push(Asked {
                number,
                record,
                seat,
                answers: Vec::new(),
            });
        }
    }
    if asked.is_empty() {
        return Err(InputError::NoLostGame(bot.clone(), run.to_owned()).into());
    }
    Ok(asked)
}

impl Asked {
    /// The first answer that isn't the recorded one.
    fn first(&self) -> Option<&OtherAnswer> {
        self.answers.iter().find(|answer| answer.is_other())
    }
}

/// Lists the answers in a game.
fn in_full(asked: &Asked) -> String {
    let (number, record, seat) = (asked.number, &asked.record, asked.seat);
    let mut text = format!(
        "game {number}: {}, seat {seat}, recorded of {}\n\n",
        harmless(&record.game),
        name(&record.bots, seat)
    );
    text += &Rows::new("Answers", &asked.answers)
        .shown(Kind::Number, "turn", |answer| answer.turn)
        .shown(Kind::Prose, "recorded", |answer| {
            shown(answer.recorded.as_deref())
        })
        .shown(Kind::Prose, "now", |answer| shown(answer.reply.as_deref()))
        .shown(Kind::Number, "ms", |answer| {
            format!("{:.1}", answer.elapsed.as_secs_f64() * 1000.0)
        })
        .shown(Kind::Text, "answer", |answer| {
            answer.is_other().then_some("other")
        })
        .text(&Screen::stdout());
    text.push('\n');
    match asked.first() {
        Some(first) => {
            let _ = writeln!(text, "answers differently at turn {}", first.turn);
            text += "after it, the recorded input is of a game that this bot didn't play, so later answers show nothing\n";
        }
        None => text += "answers the same in every turn\n",
    }
    text
}

/// Lists in which games the bot answers differently.
fn in_short(results: &[Asked]) -> String {
    let mut text = Rows::new("Games", results)
        .shown(Kind::Game, "number", |result| result.number)
        .shown(Kind::Name, "game", |result| harmless(&result.record.game))
        .shown(Kind::Number, "seat", |result| result.seat)
        .shown(Kind::Number, "answers", |result| result.answers.len())
        .shown(Kind::Text, "first other answer", |result| {
            result.first().map(|first| {
                let (turn, reply) = (first.turn, shown(first.reply.as_deref()));
                format!("turn {turn}: {reply}")
            })
        })
        .text(&Screen::stdout());
    let others = results.iter().filter_map(Asked::first).count();
    let lost = count(results.len() as u64, "lost game", "lost games");
    let _ = writeln!(
        text,
        "\nanswers differently in {others} of {lost}; whether it would win them, this doesn't show"
    );
    text
}
