//! The bots of an import: players of the site.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::Exact;
use crate::battle::{Agent, Battle};
use crate::plan::{DEFAULT_MEMORY_MB, Import, ImportedBattle, Plan, PlannedGame, StudyPlan};
use crate::play::record::{Record, RecordAgent, RecordBattle};
use crate::play::{Clock, KeptStderr};
use arena_process::languages::Languages;
use arena_process::{Launch, Mode};

/// The number of the IDE's own code, and of its default opponent.
const IDE: [i64; 2] = [-1, -2];
/// The name of the user's bot if no name is to be shown.
const ME: &str = "me";

/// How to call the players.
pub(super) struct People<'a> {
    /// The user's name or the number of the user's submission.
    pub(super) me: Option<&'a str>,
    pub(super) is_anonymous: bool,
}

/// Whether a plan has the user's bot.
pub(super) fn has_me(plan: &Plan) -> bool {
    matches!(&plan.study, StudyPlan::Import(import) if import.me.is_some())
}

impl People<'_> {
    /// Returns the plan of a run directory with these battles, and its records.
    pub(super) fn plan(&self, out: &Path, battles: Vec<Exact>) -> (Plan, Vec<Record>) {
        let mut aliases = IndexSet::new();
        let mut names: Vec<Vec<String>> = Vec::new();
        let mut me = None;
        for exact in &battles {
            names.push(self.names(&exact.battle, &mut aliases, &mut me));
        }
        // The user's bot comes first.
        let mut bots: IndexSet<String> = me.iter().cloned().collect();
        bots.extend(names.iter().flatten().cloned());
        let mut games: IndexMap<String, PlannedGame> = IndexMap::new();
        let (mut imported, mut records) = (Vec::new(), Vec::new());
        for (number, (exact, names)) in (0_u64..).zip(battles.into_iter().zip(names)) {
            let entry = games.entry(exact.spec.id.clone());
            let game = entry.or_insert_with(|| planned(&exact));
            for name in &names {
                if !game.bots.contains(name) {
                    game.bots.push(name.clone());
                }
            }
            imported.push(ImportedBattle {
                game: games.get_index_of(&exact.spec.id).unwrap_or_default(),
                seed: exact.battle.seed,
                seats: names
                    .iter()
                    .filter_map(|name| bots.get_index_of(name))
                    .collect(),
            });
            records.push(Record {
                number: Some(number),
                unit: Some(number),
                battle: Some(Box::new(self.about(&exact.battle))),
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
                me,
                battles: imported,
            }),
            games: games.into_values().collect(),
            languages: Languages::new(),
            bots: bots.into_iter().map(without_program).collect(),
        };
        (plan, records)
    }

    /// Returns the names of the players of a battle by seat; all of them differ.
    fn names(
        &self,
        battle: &Battle,
        aliases: &mut IndexSet<String>,
        me: &mut Option<String>,
    ) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (seat, agent) in battle.agents.iter().enumerate() {
            let mut name = called(seat, agent);
            let is_me = self.is_me(agent);
            if is_me {
                // One name, even if another battle names the player otherwise.
                let own = if self.is_anonymous { ME } else { &name };
                name.clone_from(me.get_or_insert_with(|| own.to_owned()));
            } else if self.is_anonymous && !agent.is_boss {
                let (alias, _) = aliases.insert_full(name);
                name = format!("player {}", alias + 1);
            }
            let wanted = name.clone();
            let mut copy = 1;
            while names.contains(&name) || (!is_me && me.as_ref() == Some(&name)) {
                copy += 1;
                name = format!("{wanted} ({copy})");
            }
            names.push(name);
        }
        names
    }

    /// Whether this is the user.
    fn is_me(&self, agent: &Agent) -> bool {
        match self.me {
            Some(me) => {
                agent.name.as_deref() == Some(me)
                    || agent.id.is_some_and(|id| me.parse() == Ok(id))
                    || agent.id == Some(IDE[0])
            }
            None => agent.id == Some(IDE[0]),
        }
    }

    /// Returns what the record keeps of the site's facts.
    fn about(&self, battle: &Battle) -> RecordBattle {
        let agents = battle.agents.iter().map(|agent| {
            let is_shown = !self.is_anonymous || self.is_me(agent);
            RecordAgent {
                id: agent.id.filter(|_| is_shown),
                score: agent.score.filter(|_| is_shown),
            }
        });
        let mut agents: Vec<RecordAgent> = agents.collect();
        if agents.iter().all(|agent| *agent == RecordAgent::default()) {
            agents.clear();
        }
        RecordBattle {
            id: battle.id.clone(),
            agents,
        }
    }
}

/// Returns the name of a player.
fn called(seat: usize, agent: &Agent) -> String {
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
