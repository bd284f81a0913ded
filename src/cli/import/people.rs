//! The bots of an import: players of the site.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::Exact;
use crate::battle::Agent;
use crate::plan::{DEFAULT_MEMORY_MB, Import, ImportedBattle, Plan, PlannedGame, StudyPlan};
use crate::play::record::{Record, RecordAgent, RecordBattle};
use crate::play::{Clock, KeptStderr};
use arena_process::languages::Languages;
use arena_process::{Launch, Mode};

/// The number of the IDE's own code, and of its default opponent.
const IDE: [i64; 2] = [-1, -2];
/// The name of the user's bot if no name is to be shown.
const ME: &str = "me";

/// Whether a plan has the user's bot.
pub(super) fn has_me(plan: &Plan) -> bool {
    matches!(&plan.study, StudyPlan::Import(import) if import.me.is_some())
}

/// Returns the plan of a run directory with these battles, and its records. `me` is the user's name or
/// the number of the user's submission.
pub(super) fn plan(
    out: &Path,
    me: Option<&str>,
    is_anonymous: bool,
    battles: Vec<Exact>,
) -> (Plan, Vec<Record>) {
    let own_name = own_name(me, is_anonymous, &battles);
    let mut people = People {
        me,
        own_name,
        is_anonymous,
        aliases: IndexSet::new(),
    };
    // The user's bot comes first.
    let mut bots: IndexSet<String> = people.own_name.iter().cloned().collect();
    let mut games: IndexMap<String, PlannedGame> = IndexMap::new();
    let (mut imported, mut records) = (Vec::new(), Vec::new());
    for (number, exact) in (0_u64..).zip(battles) {
        let names = people.names(&exact.agents);
        let entry = games.entry(exact.spec.id.clone());
        let index = entry.index();
        let game = entry.or_insert_with(|| planned(&exact));
        for name in &names {
            if !game.bots.contains(name) {
                game.bots.push(name.clone());
            }
        }
        imported.push(ImportedBattle {
            game: index,
            seed: exact.record.seed.0,
            seats: names
                .iter()
                .map(|name| bots.insert_full(name.clone()).0)
                .collect(),
        });
        records.push(Record {
            number: Some(number),
            unit: Some(number),
            battle: Some(Box::new(people.about(exact.id, &exact.agents))),
            bots: names,
            ..exact.record
        });
    }
    let file = out.file_name().unwrap_or_default();
    let plan = Plan {
        name: file.to_string_lossy().into_owned(),
        design: None,
        seed: 0,
        trace: false,
        metrics: false,
        stderr: KeptStderr::default(),
        sandbox: Mode::default(),
        memory_mb: DEFAULT_MEMORY_MB,
        study: StudyPlan::Import(Import {
            me: people.own_name,
            battles: imported,
        }),
        games: games.into_values().collect(),
        languages: Languages::new(),
        bots: bots.into_iter().map(without_program).collect(),
    };
    (plan, records)
}

/// Returns the one name of the user's bot, if it plays: battles may name the user differently.
fn own_name(me: Option<&str>, is_anonymous: bool, battles: &[Exact]) -> Option<String> {
    let agents = battles.iter().flat_map(|exact| &exact.agents);
    let own: Vec<&Agent> = agents.filter(|agent| is_me(agent, me)).collect();
    let name = own.iter().filter_map(|agent| agent.name.as_deref());
    let name = name.min_by_key(|name| (Some(*name) != me, *name));
    let name = name.filter(|_| !is_anonymous).unwrap_or(ME);
    (!own.is_empty()).then(|| name.to_owned())
}

/// Whether this is the user.
pub(super) fn is_me(agent: &Agent, me: Option<&str>) -> bool {
    let is_named = me.is_some_and(|me| {
        agent.name.as_deref() == Some(me) || agent.id.is_some_and(|id| me.parse() == Ok(id))
    });
    is_named || agent.id == Some(IDE[0])
}

/// How to call the players.
struct People<'a> {
    me: Option<&'a str>,
    own_name: Option<String>,
    is_anonymous: bool,
    /// The names that numbers replace.
    aliases: IndexSet<String>,
}

impl People<'_> {
    /// Returns the names of the players of a battle by seat; all of them differ.
    fn names(&mut self, agents: &[Agent]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (seat, agent) in agents.iter().enumerate() {
            let own_name = self.own_name.as_ref().filter(|_| is_me(agent, self.me));
            let wanted = match own_name {
                Some(own_name) => own_name.clone(),
                None if self.is_anonymous && !agent.is_boss => {
                    let (alias, _) = self.aliases.insert_full(called(seat, agent));
                    format!("player {}", alias + 1)
                }
                None => called(seat, agent),
            };
            let (mut name, mut copy) = (wanted.clone(), 1);
            while names.contains(&name)
                || (own_name.is_none() && self.own_name.as_ref() == Some(&name))
            {
                copy += 1;
                name = format!("{wanted} ({copy})");
            }
            names.push(name);
        }
        names
    }

    /// Returns what the record keeps of the site's facts.
    fn about(&self, id: Option<String>, agents: &[Agent]) -> RecordBattle {
        let agents = agents.iter().map(|agent| {
            let is_shown = !self.is_anonymous || is_me(agent, self.me);
            RecordAgent {
                id: agent.id.filter(|_| is_shown),
                score: agent.score.filter(|_| is_shown),
            }
        });
        let mut agents: Vec<RecordAgent> = agents.collect();
        if agents.iter().all(|agent| *agent == RecordAgent::default()) {
            agents.clear();
        }
        RecordBattle { id, agents }
    }
}

/// Returns the name of a player.
pub(super) fn called(seat: usize, agent: &Agent) -> String {
    match (&agent.name, agent.id) {
        (Some(name), _) => name.clone(),
        (None, Some(id)) if id == IDE[0] => ME.to_owned(),
        (None, Some(id)) if id == IDE[1] => "default AI".to_owned(),
        (None, Some(id)) => format!("agent {id}"),
        (None, None) => format!("seat {seat}"),
    }
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

/// Returns a bot whose program is on the site.
fn without_program(name: String) -> Launch {
    Launch {
        name,
        command: Vec::new(),
        env: BTreeMap::new(),
        read: Vec::new(),
    }
}
