//! `arena replay --against`: what another bot answers to recorded inputs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow};

use super::super::bots::{BotLine, launch, launches};
use super::super::contest::{foreign_games_of_run, ready_games};
use super::super::supervised::{Supervised, supervised};
use super::{Failure, ReplayArgs, Story, find, name, shown};
use crate::plan::{DEFAULT_MEMORY_MB, StudyPlan};
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

/// The bot's own seed.
const SEED: u64 = 1;

/// A game to ask the bot about, the seat, and what the bot answers.
struct Asked {
    number: u64,
    record: Record,
    seat: Seat,
    answers: Vec<OtherAnswer>,
}

pub(super) fn against(bot: &str, args: &ReplayArgs, games: &Games) -> Result<u8, Failure> {
    let launch = launch(BotLine::split(bot)?, &[]);
    let one = args.number;
    let mut asked = match one {
        Some(number) => vec![one_game(args, number)?],
        None => lost_games(args)?,
    };
    let clocks = clocks(&args.run, games);
    supervised(Mode::Auto, DEFAULT_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        let launch = supervised.ready(&Languages::new(), &launch)?;
        let launcher = Launcher::new(&supervised.sandbox, launch);
        let games = ready(args, games, supervised)?;
        let mut stored = StoredGames::new(&games);
        for asked in &mut asked {
            let place = format!("replay game {} of {}", asked.number, args.run.display());
            let answered = stored.of(&asked.record).and_then(|spec| {
                let bots = bots_of(&spec, &clocks, supervised);
                bots.answers(&launcher, asked.seat, &asked.record, &spec)
            });
            asked.answers = answered.context(place)?;
        }
        super::super::print(match &asked[..] {
            [only] if one.is_some() => in_full(only),
            all => in_short(all),
        })
    })
}

/// Plays a recorded game on from a turn, and shows it.
pub(super) fn onward(
    bots: &[String],
    from: u32,
    args: &ReplayArgs,
    games: &Games,
) -> Result<u8, Failure> {
    let number = args.number.unwrap_or_default();
    let record = find(&args.run, number)?;
    let (seats, turns) = (record.scores.len(), record.turns());
    if bots.len() != 1 && bots.len() != seats {
        return Err(Failure::usage(anyhow!(
            "can't play on with {} bots: the game has {seats} seats\nhint: --against for each seat, or one for all",
            bots.len()
        )));
    }
    if from > turns {
        return Err(Failure::input(anyhow!(
            "can't play on from turn {from}: the game has {turns}\nhint: --from {turns}"
        )));
    }
    let lines: Vec<String> = bots.iter().cycle().take(seats).cloned().collect();
    let named = launches(&lines, &[])?;
    let clocks = clocks(&args.run, games);
    supervised(Mode::Auto, DEFAULT_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        let mut launchers = Vec::new();
        for launch in &named {
            let ready = supervised.ready(&Languages::new(), launch)?;
            launchers.push(Launcher::new(&supervised.sandbox, ready));
        }
        let games = ready(args, games, supervised)?;
        let place = format!("can't play game {number} of {} on", args.run.display());
        let mut stored = StoredGames::new(&games);
        let played = stored.of(&record).and_then(|spec| {
            let bots = bots_of(&spec, &clocks, supervised);
            bots.play_on(&launchers, from, &record, &spec)
        });
        let played = played.context(place.clone())?;
        let playback = Playback::stored(&played, &mut stored).context(place)?;
        let head = format!("recorded before turn {from}, then played by these bots\n");
        super::super::print(head + &Story::new(number, &played, &playback).text(false))
    })
}

/// Returns the games of the run with their referees.
fn ready(args: &ReplayArgs, games: &Games, supervised: &Supervised) -> Result<Games, Failure> {
    let foreign = foreign_games_of_run(&args.run, games);
    if let Some(game) = foreign.iter().find(|game| !game.spec.seed_decides) {
        return Err(Failure::input(anyhow!(
            "can't play the game again: the referee of {} takes no seed",
            game.spec.id
        )));
    }
    ready_games(&foreign, games, supervised)
}

/// Returns the limits of the games of a run, by id.
fn clocks(run: &Path, games: &Games) -> BTreeMap<String, Clock> {
    let files = store::read_run_files(run, games).ok();
    let planned = files.into_iter().flat_map(|files| files.plan.plan.games);
    planned.map(|game| (game.id, game.clock)).collect()
}

/// Returns how bots play a game, with time for their start.
fn bots_of<'s>(
    spec: &GameSpec,
    clocks: &BTreeMap<String, Clock>,
    supervised: &'s Supervised,
) -> Bots<'s> {
    let own = clocks.get(&spec.id).copied();
    let mut clock = own.unwrap_or_else(|| Clock::of(spec));
    clock.startup = clock.startup.max(DEFAULT_STARTUP);
    Bots {
        interrupt: &supervised.control.kill,
        clock,
        seed: SEED,
    }
}

fn one_game(args: &ReplayArgs, number: u64) -> Result<Asked, Failure> {
    let record = find(&args.run, number)?;
    let Some(seat) = args.filter.seat else {
        return Err(Failure::usage(anyhow!(
            "can't ask the bot what it answers: it needs the input of a seat\nhint: --seat 0"
        )));
    };
    let last = record.scores.len().saturating_sub(1);
    if seat > last {
        return Err(Failure::input(anyhow!(
            "can't use seat {seat}: expected 0 to {last}\nhint: --seat {last}"
        )));
    }
    Ok(Asked {
        number,
        record,
        seat,
        answers: Vec::new(),
    })
}

/// Returns the lost games of a bot: the one that is named, or the user's.
fn lost_games(args: &ReplayArgs) -> Result<Vec<Asked>, Failure> {
    let plan = store::read_plan(&args.run)?;
    let mine = plan.and_then(|file| match file.plan.study {
        StudyPlan::Import(import) => import.me,
        _ => None,
    });
    let Some(bot) = args.filter.bot.as_ref().or(mine.as_ref()) else {
        return Err(Failure::usage(anyhow!(
            "can't ask the bot what it answers: no game is named\n\
             hint: the number of a game after RUN, or --bot NAME for all lost games of this bot"
        )));
    };
    let path = store::named_file(&args.run, store::RECORDS)?;
    let mut asked = Vec::new();
    for (place, record) in (0..).zip(store::read_records(&path)?) {
        let (_, record) = record?;
        let own = record.bots.iter().position(|name| name == bot);
        let wanted = args.filter.seat;
        if let Some(seat) = own.filter(|seat| wanted.is_none_or(|wanted| wanted == *seat))
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
        return Err(Failure::input(anyhow!(
            "can't find a lost game of `{bot}` in {}: there is none\nhint: --bot NAME chooses another bot",
            args.run.display()
        )));
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
    let others = results
        .iter()
        .filter(|result| result.first().is_some())
        .count();
    let lost = count(results.len() as u64, "lost game", "lost games");
    let _ = writeln!(
        text,
        "\nanswers differently in {others} of {lost}; whether it would win them, this doesn't show"
    );
    text
}
