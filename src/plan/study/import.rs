//! The battles of an import: who sat where on which seed.

use serde::{Deserialize, Serialize};

use super::Kind;
use crate::plan::{Plan, PlannedGame, Unsound, unsound};
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
}

impl Kind for Import {
    /// A schedule with the number of battles.
    fn schedule(&self, plan: &Plan) -> Schedule {
        let mut games = vec![0; plan.games.len()];
        for battle in &self.battles {
            if let Some(count) = games.get_mut(battle.game) {
                *count += 1;
            }
        }
        Schedule::elsewhere(&games)
    }

    fn check(&self, plan: &Plan) -> Result<(), Unsound> {
        for (number, battle) in self.battles.iter().enumerate() {
            let seats = plan.games.get(battle.game).map(PlannedGame::seats);
            let are_bots = battle.seats.iter().all(|bot| *bot < plan.bots.len());
            if seats != Some(battle.seats.len()) || !are_bots {
                let why = format!("its battle {number} has no such game or bots");
                return Err(unsound(why));
            }
        }
        plan.check_names(&self.me)?;
        if self.battles.is_empty() {
            return Err(unsound("it has no battles"));
        }
        Ok(())
    }

    fn is_about(&self, _: &PlannedGame, bot: &str) -> bool {
        self.me.as_ref().is_none_or(|me| me == bot)
    }

    fn games_per_pairing(&self) -> u64 {
        self.battles.len() as u64
    }

    fn compares_programs(&self) -> bool {
        false
    }

    fn is_imported(&self) -> bool {
        true
    }

    fn me(&self) -> Option<&String> {
        self.me.as_ref()
    }
}
