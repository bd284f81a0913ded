//! `arena games`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};

use super::{Failure, print};
use crate::config;
use crate::report::screen::Screen;
use crate::report::table::{Kind, Rows};
use crate::words::limit;
use arena_games::{GameSpec, Games};

/// Lists the games with their ids, seats and time limits, and what can be set for each
///
/// The id is the game's name in configs and files. The limits are for a bot's own first answer and for every later
/// one; a config can set others, for all of its games. With a config, its games whose referees are programs of their own are
/// listed as well; these are not started.
#[derive(Debug, Args)]
pub(super) struct GamesArgs {
    /// A config with [game.NAME], a TOML file
    #[arg(value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

pub(super) fn games(args: &GamesArgs, games: &Games) -> Result<u8, Failure> {
    let foreign = args
        .config
        .as_ref()
        .map(|path| config::foreign_games(path, games))
        .transpose();
    let foreign = foreign.map_err(Failure::input)?.unwrap_or_default();
    let foreign = foreign
        .iter()
        .map(|(id, referee)| Arc::new(referee.spec(id)));
    let games = Games(games.iter().cloned().chain(foreign).collect());
    let facts = Rows::new("Games", games.iter())
        .shown(Kind::Name, "id", |spec| &spec.id)
        .shown(Kind::Name, "title", |spec| &spec.title)
        .shown(Kind::Value, "seats", |spec| seats(spec))
        .shown(Kind::Value, "first turn", |spec| limit(spec.first_turn))
        .shown(Kind::Value, "later turns", |spec| limit(spec.turn));
    let settings = Rows::new("Settings", games.iter())
        .shown(Kind::Name, "id", |spec| &spec.id)
        .shown(Kind::Prose, "what a config can set", |spec| {
            own_settings(spec)
        });
    let [facts, settings] = [facts, settings].map(|rows| rows.table().text(&Screen::stdout()));
    let between = [
        "",
        "Beside these limits (in [clock]), a config can set:",
        "",
    ];
    let lines = facts
        .lines()
        .chain(between)
        .chain(settings.lines().skip(1))
        .chain([""]);
    // Tables have a margin that a page of nothing else does not need.
    print(
        lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
            .collect::<String>(),
    )
}

/// What a config can set for this game and not for every other.
fn own_settings(spec: &GameSpec) -> String {
    let mut settings = Vec::new();
    if spec.has_opening {
        settings.push(
            "opening_plies in [run]: turns played at random before the bots start".to_owned(),
        );
    }
    for option in &spec.options {
        settings.push(format!(
            "{} = {} in [game.{}]: {}",
            option.key, option.example, spec.id, option.meaning
        ));
    }
    match spec.default_seats() {
        2 => {}
        4 => settings
            .push("design in [run]: four bots at a table, or two with two seats each".to_owned()),
        seats => settings.push(format!(
            "design in [run]: {seats} bots at a table, or two that share the seats"
        )),
    }
    if settings.is_empty() {
        "nothing else".to_owned()
    } else {
        settings.join("; ")
    }
}

fn seats(spec: &GameSpec) -> String {
    match spec.seats.clone().into_inner() {
        (fewest, most) if fewest == most => fewest.to_string(),
        (fewest, most) => format!("{fewest}-{most}"),
    }
}
