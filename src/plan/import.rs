//! The battles of an import: who sat where on which seed.

use serde::{Deserialize, Serialize};

use super::{Plan, PlannedGame};
use arena_schedule::{BotId, Fixture, Schedule};

/// Battles that the site played. The run holds them and plays no more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Import {
    /// The name of the user's own bot, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) me: Option<String>,
    /// The battles, by the number of their game in the run.
    #[serde(default, rename = "battle")]
    pub(crate) battles: Vec<ImportedBattle>,
}

/// A battle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImportedBattle {
    /// The index of the game in the plan.
    pub(crate) game: usize,
    pub(crate) seed: i64,
    /// The bot in each seat.
    pub(crate) seats: Vec<BotId>,
}

impl Import {
    /// Returns the fixture of a game of the run. Each battle is a unit.
    pub(crate) fn fixture(&self, number: u64) -> Option<Fixture> {
        let battle = self.battles.get(usize::try_from(number).ok()?)?;
        Some(Fixture {
            number,
            unit: number,
            game: battle.game,
            seed: battle.seed,
            seating: battle.seats.clone(),
            variant: None,
            values: Vec::new(),
        })
    }

    /// Returns a schedule with the number of battles.
    pub(super) fn schedule(&self, plan: &Plan) -> Schedule {
        let mut games = vec![0; plan.games.len()];
        for battle in &self.battles {
            if let Some(count) = games.get_mut(battle.game) {
                *count += 1;
            }
        }
        Schedule::elsewhere(&games)
    }

    /// Checks an import that was read from a file. The error says why it can't be counted.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        for (number, battle) in self.battles.iter().enumerate() {
            let seats = plan.games.get(battle.game).map(PlannedGame::seats);
            let mut bots = battle.seats.iter();
            let fits =
                seats == Some(battle.seats.len()) && bots.all(|bot| plan.bots.get(*bot).is_some());
            if !fits {
                return Err(format!("its battle {number} has no such game or bots"));
            }
        }
        match plan.check_names(&self.me) {
            Ok(()) if !self.battles.is_empty() => Ok(()),
            Ok(()) => Err("it has no battles".to_owned()),
            error => error,
        }
    }
}
