//! The run of an import: players of the site as bots, and battles as games.

use std::path::Path;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use crate::battle::{Battle, ME};
use crate::cli::output::say;
use crate::plan::{DEFAULT_MEMORY_MB, Import, ImportedBattle, Plan, PlannedGame};
use crate::play::foreign::Referee;
use crate::play::record::Record;
use crate::play::{Clock, KeptStderr};
use arena_games::GameSpec;
use arena_process::languages::Languages;
use arena_process::{Launch, Mode};
use arena_section::words::list;

/// Maximum number of seats for which an unknown user's name lists the players.
const MOST_PLAYERS: usize = 100;

/// A battle that the referee agrees with.
pub(super) struct Exact {
    pub(super) battle: Battle,
    pub(super) spec: Arc<GameSpec>,
    /// The referee, if it is an external one.
    pub(super) referee: Option<Referee>,
    pub(super) record: Record,
}

/// Returns the plan of a run directory with these battles, and its records. `me` is the user's name
/// or the number of the user's submission.
pub(super) fn plan(out: &Path, me: Option<&str>, battles: Vec<Exact>) -> (Plan, Vec<Record>) {
    let own_name = battles
        .iter()
        .any(|Exact { battle, .. }| (0..battle.players.len()).any(|seat| battle.is_me(seat, me)))
        .then(|| me.unwrap_or(ME).to_owned());
    if let (Some(unknown), None) = (me, &own_name) {
        warn_of(unknown, &battles);
    }
    // The user's bot comes first.
    let mut bots: IndexSet<String> = own_name.iter().cloned().collect();
    let mut games: IndexMap<String, PlannedGame> = IndexMap::new();
    let (mut imported, mut records) = (Vec::new(), Vec::new());
    for (number, exact) in (0_u64..).zip(battles) {
        let names = names(&exact.battle, me);
        let entry = games.entry(exact.spec.id.clone());
        let game = entry.index();
        let planned = entry.or_insert_with(|| planned(&exact));
        let mut seats = Vec::new();
        for name in &names {
            if !planned.bots.contains(name) {
                planned.bots.push(name.clone());
            }
            seats.push(bots.insert_full(name.clone()).0);
        }
        let seed = exact.record.seed.0;
        imported.push(ImportedBattle { game, seed, seats });
        records.push(Record {
            number: Some(number),
            unit: Some(number),
            battle: Some(Box::new(exact.battle.site)),
            bots: names,
            ..exact.record
        });
    }
    for game in games.values_mut() {
        game.bots
            .sort_by_key(|name| Some(name) != own_name.as_ref());
    }
    let study = Import {
        me: own_name,
        battles: imported,
    };
    (
        plan_of(out, study, games.into_values().collect(), bots),
        records,
    )
}

/// The plan of an import.
fn plan_of(out: &Path, study: Import, games: Vec<PlannedGame>, bots: IndexSet<String>) -> Plan {
    let bot = |name| Launch {
        name,
        ..Launch::default()
    };
    Plan {
        name: out.file_name().unwrap_or_default().to_string_lossy().into(),
        design: None,
        seed: 0,
        trace: false,
        metrics: false,
        stderr: KeptStderr::default(),
        sandbox: Mode::default(),
        memory_mb: DEFAULT_MEMORY_MB,
        study: study.into(),
        games,
        languages: Languages::new(),
        bots: bots.into_iter().map(bot).collect(),
    }
}

/// Says that no player of the battles has the user's name.
fn warn_of(unknown: &str, battles: &[Exact]) {
    let players = battles.iter().flat_map(|exact| &exact.battle.players);
    let players: IndexSet<&String> = players.take(MOST_PLAYERS).collect();
    let players = list(players.into_iter().cloned()).unwrap_or_default();
    say(&format!(
        "warning: these battles have no player `{unknown}`: they have {players}"
    ));
}

/// Returns the names of the players of a battle by seat; all of them differ. Only the user has the
/// user's name.
fn names(battle: &Battle, me: Option<&str>) -> Vec<String> {
    let own_name = me.unwrap_or(ME);
    let mut names: Vec<String> = Vec::new();
    for (seat, player) in battle.players.iter().enumerate() {
        let is_me = battle.is_me(seat, me);
        let mut name = if is_me { own_name } else { player }.to_owned();
        while names.contains(&name) || (!is_me && name == own_name) {
            name += " (2)";
        }
        names.push(name);
    }
    names
}

/// Returns a game with the limits of the site, before its bots are known.
fn planned(exact: &Exact) -> PlannedGame {
    let spec = &exact.spec;
    PlannedGame {
        id: spec.id.clone(),
        clock: Clock::of(spec),
        opening_plies: 0,
        seats: None,
        options: spec.rules.options(),
        bots: Vec::new(),
        referee: exact.referee.clone(),
        spec: Some(Arc::clone(spec)),
    }
}
