//! `arena replay --against`: what another bot answers to recorded inputs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::Context as _;
use schemars::JsonSchema;
use serde::Serialize;

use super::game::ShownGame;
use super::list::{FilterArgs, find, row};
use super::story::shown;
use crate::cli::bots::{BotLine, launch, launches};
use crate::cli::contest::{foreign_games_of_run, ready_games};
use crate::cli::exit;
use crate::cli::failure::{InputError, Result, UsageError};
use crate::cli::output::show;
use crate::cli::supervised::{Supervised, interruptible};
use crate::plan::DEFAULT_MEMORY_MB;
use crate::play::record::Record;
use crate::play::record::bots::{Bots, OtherAnswer};
use crate::play::{Clock, DEFAULT_STARTUP};
use crate::report::replays::Playback;
use crate::store::{self, StoredGames};
use arena_games::{GameSpec, Games, Seat};
use arena_process::Launcher;
use arena_process::languages::Languages;
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows};
use arena_section::text::harmless;
use arena_section::words::count;

/// The limits of games, by id.
type Clocks = BTreeMap<String, Clock>;

/// A game to ask the bot about, and the seat.
struct Asked {
    number: u64,
    record: Record,
    seat: Seat,
}

/// What a bot answers to recorded input.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct Answers {
    /// The games whose input it got.
    games: Vec<AskedGame>,
}

/// A game whose input the bot got.
#[derive(Serialize, JsonSchema)]
struct AskedGame {
    /// The number of the game in its run.
    number: u64,
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: String,
    /// Seat, from 0.
    seat: Seat,
    /// Name of the bot.
    bot: Option<String>,
    /// The number of answers.
    answered: usize,
    /// First answer that differs from the record; null if none does. Later answers show nothing:
    /// their input follows from the recorded answer.
    first_other: Option<OtherAnswer>,
    /// All answers; null unless the command names the game.
    answers: Option<Vec<OtherAnswer>>,
}

impl AskedGame {
    fn new(asked: &Asked, answers: Vec<OtherAnswer>, is_named: bool) -> AskedGame {
        let &Asked { number, seat, .. } = asked;
        AskedGame {
            number,
            game: asked.record.game.clone(),
            seat,
            bot: asked.record.bots.get(seat).cloned(),
            answered: answers.len(),
            first_other: answers.iter().find(|answer| answer.is_other).cloned(),
            answers: is_named.then_some(answers),
        }
    }
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
    let asked = match number {
        Some(number) => vec![one_game(run, number, filter)?],
        None => lost_games(run, filter)?,
    };
    let clocks = clocks(run, games);
    interruptible(DEFAULT_MEMORY_MB, |supervised| {
        supervised.warn();
        let launch = supervised.ready(&Languages::new(), &launch)?;
        let launcher = Launcher::new(&supervised.sandbox, launch);
        let games = ready(run, games, supervised)?;
        let mut stored = StoredGames::new(&games);
        let mut answers = Answers { games: Vec::new() };
        for asked in &asked {
            let place = format!("replay game {} of {}", asked.number, run.display());
            let answered = stored.of(&asked.record).and_then(|spec| {
                let bots = bots_of(&spec, &clocks, supervised);
                bots.answers(&launcher, asked.seat, &asked.record, &spec)
            });
            let game = AskedGame::new(asked, answered.context(place)?, number.is_some());
            answers.games.push(game);
        }
        show(exit::OK, &answers, || match &answers.games[..] {
            [game] if number.is_some() => in_full(game),
            games => in_short(games),
        })
    })
}

/// Plays a recorded game on from a turn, and shows it, or some turns of it.
pub(super) fn onward(
    bots: &[String],
    (from, shown): (u32, Option<&RangeInclusive<u32>>),
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
    interruptible(DEFAULT_MEMORY_MB, |supervised| {
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
        let listed = row(&played, number, &mut stored);
        let mut game = ShownGame::new(listed, &played, &playback, shown)?;
        game.played_from = Some(from);
        show(exit::OK, &game, || {
            let head = format!("recorded before turn {from}, then played by these bots\n");
            head + &game.text(false)
        })
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
    let mut clock = *clocks.get(&spec.id).unwrap_or(&Clock::of(spec));
    clock.startup = clock.startup.max(DEFAULT_STARTUP);
    Bots {
        interrupt: &supervised.control.kill,
        clock,
    }
}

fn one_game(run: &Path, number: u64, filter: &FilterArgs) -> Result<Asked> {
    let record = find(run, number)?;
    let seat = filter.seat.ok_or(UsageError::AskedWithoutSeat)?;
    let last = record.scores.len().saturating_sub(1);
    if seat > last {
        return Err(InputError::NoSeat(seat, last).into());
    }
    Ok(Asked {
        number,
        record,
        seat,
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
            });
        }
    }
    if asked.is_empty() {
        return Err(InputError::NoLostGame(bot.clone(), run.to_owned()).into());
    }
    Ok(asked)
}

/// Lists the answers in a game.
fn in_full(game: &AskedGame) -> String {
    let answers = game.answers.as_deref().unwrap_or_default();
    let bot = match &game.bot {
        Some(name) => harmless(name),
        None => format!("seat {}", game.seat),
    };
    let (number, seat, id) = (game.number, game.seat, harmless(&game.game));
    let mut text = format!("game {number}: {id}, seat {seat}, recorded of {bot}\n\n");
    text += &Rows::new("Answers", answers)
        .shown(Kind::Number, "turn", |answer| answer.turn)
        .shown(Kind::Prose, "recorded", |answer| {
            shown(answer.recorded.as_deref(), answer.recorded_fault)
        })
        .shown(Kind::Prose, "now", |answer| {
            shown(answer.output.as_deref(), answer.fault)
        })
        .shown(Kind::Number, "ms", |answer| format!("{:.1}", answer.ms))
        .shown(Kind::Text, "answer", |answer| {
            answer.is_other.then_some("other")
        })
        .text(&Screen::stdout());
    text.push('\n');
    match &game.first_other {
        Some(first) => {
            let _ = writeln!(text, "answers differently at turn {}", first.turn);
            text += "after it, the recorded input is of a game that this bot didn't play, so later answers show nothing\n";
        }
        None => text += "answers the same in every turn\n",
    }
    text
}

/// Lists in which games the bot answers differently.
fn in_short(games: &[AskedGame]) -> String {
    let mut text = Rows::new("Games", games)
        .shown(Kind::Game, "number", |game| game.number)
        .shown(Kind::Name, "game", |game| harmless(&game.game))
        .shown(Kind::Number, "seat", |game| game.seat)
        .shown(Kind::Number, "answers", |game| game.answered)
        .shown(Kind::Text, "first other answer", |game| {
            game.first_other.as_ref().map(|first| {
                let reply = shown(first.output.as_deref(), first.fault);
                format!("turn {}: {reply}", first.turn)
            })
        })
        .text(&Screen::stdout());
    let others = games
        .iter()
        .filter(|game| game.first_other.is_some())
        .count();
    let lost = count(games.len() as u64, "lost game", "lost games");
    let _ = writeln!(
        text,
        "\nanswers differently in {others} of {lost}; whether it would win them, this doesn't show"
    );
    text
}
