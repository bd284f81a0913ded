//! Variants against a panel of opponents: in every block, all variants play on the same seeds
//! against the same opponents.
//!
//! Numbers count all games. A dropped variant leaves its numbers unplayed, so the number of a game
//! identifies it whatever was dropped before.

use super::seating::Seating;
use super::{BotId, GameSchedule, Schedule, index};

/// All variants against all opponents on all seeds.
#[derive(Clone, Copy, Debug)]
pub struct PanelLayout<'a> {
    /// Number of seats, which two bots share.
    pub seats: usize,
    /// The variants in order, at least one.
    pub variants: &'a [BotId],
    /// The opponents of all variants on every seed, at least one: a baseline, or a panel.
    pub opponents: &'a [BotId],
    /// Number of seeds of a block, at least 1.
    pub seeds_per_block: u64,
    /// Number of blocks, at least 1.
    pub blocks: u64,
}

/// The place of a unit: a variant against an opponent on a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanelUnit {
    /// The block, from 0.
    pub block: u64,
    /// The variant, as an index into [`PanelLayout::variants`].
    pub variant: usize,
    /// The seed, counted from 0 over all blocks.
    pub seed: u64,
    /// The opponent, as an index into [`PanelLayout::opponents`].
    pub opponent: usize,
    /// The group of both.
    pub(super) group: usize,
}

/// The order of units: by block, variant, seed and opponent.
#[derive(Clone, Copy, Debug)]
pub(super) struct PanelOrder {
    variants: u64,
    opponents: u64,
    seeds_per_block: u64,
}

impl PanelOrder {
    /// Returns the place of a unit.
    pub(super) fn unit(self, unit: u64) -> PanelUnit {
        let opponent = unit % self.opponents;
        let seed = unit / self.opponents % self.seeds_per_block;
        let turn = unit / self.opponents / self.seeds_per_block;
        let (block, variant) = (turn / self.variants, turn % self.variants);
        PanelUnit {
            block,
            variant: index(variant),
            seed: block * self.seeds_per_block + seed,
            opponent: index(opponent),
            group: index(variant * self.opponents + opponent),
        }
    }
}

impl Schedule {
    /// Makes the schedule of variants against a panel. Each variant meets each opponent on every
    /// seed in a unit of two games with seats swapped. The seed decides how they divide the seats,
    /// the same way for all of them.
    pub fn against_panel(layout: &PanelLayout<'_>, seed: u64) -> Schedule {
        let mut groups: Vec<Vec<BotId>> = Vec::new();
        for &variant in layout.variants {
            for &opponent in layout.opponents {
                groups.push(vec![variant, opponent]);
            }
        }
        let game = GameSchedule {
            units: groups.len() as u64 * layout.seeds_per_block * layout.blocks,
            groups,
            seating: Seating::mirror(layout.seats),
            blocks: Some(PanelOrder {
                variants: layout.variants.len() as u64,
                opponents: layout.opponents.len() as u64,
                seeds_per_block: layout.seeds_per_block,
            }),
        };
        Schedule::of(vec![game], layout.blocks, seed)
    }

    /// Returns the place of a game's unit; `None` without a panel. The number must be below
    /// [`Schedule::len`].
    pub fn panel_unit(&self, number: u64) -> Option<PanelUnit> {
        let place = self.place(number);
        self.games[place.game].panel_unit(place.unit_of_game)
    }
}
