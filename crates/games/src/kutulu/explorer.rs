//! The players' explorers.

use serde::Serialize;

use crate::{Seat, SeatSet};

use super::SEATS;
use super::maze::Cell;

/// The sanity that an explorer starts with and never exceeds.
pub const MAX_SANITY: u32 = 250;
/// The plans that an explorer starts with.
pub const PLANS: u32 = 2;
/// The lights that an explorer starts with.
pub const LIGHTS: u32 = 3;
/// The maximum distance of company, in columns plus rows.
pub const COMPANY_RANGE: u32 = 2;
/// The sanity that a minion takes from an explorer.
pub const SPOOK: u32 = 20;

/// An explorer. As JSON, it has the fields for viewers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explorer {
    /// Its cell, or its last one.
    #[serde(flatten)]
    pub cell: Cell,
    /// Its sanity. An explorer with none left is removed at the end of the turn.
    pub sanity: u32,
    /// The plans it has left.
    pub plans: u32,
    /// The lights it has left.
    pub lights: u32,
    /// True until its removal from the game, which may be after its sanity has reached 0.
    #[serde(rename = "alive")]
    pub living: bool,
    /// True if its slasher has appeared.
    #[serde(skip)]
    pub has_slasher: bool,
    /// The seats whose yells can't affect it again.
    #[serde(skip)]
    pub yelled_at_by: SeatSet,
}

/// The explorers, by seat.
pub(super) type Explorers = [Explorer; SEATS];

impl Explorer {
    pub(super) fn new(cell: Cell) -> Explorer {
        Explorer {
            cell,
            sanity: MAX_SANITY,
            plans: PLANS,
            lights: LIGHTS,
            living: true,
            has_slasher: false,
            yelled_at_by: SeatSet::EMPTY,
        }
    }

    pub(super) fn heal(&mut self, amount: u32) {
        self.sanity = (self.sanity + amount).min(MAX_SANITY);
    }

    pub(super) fn lose(&mut self, amount: u32) {
        self.sanity = self.sanity.saturating_sub(amount);
    }
}

/// Iterates over the explorers that are still in the game, in the order of seats.
pub(super) fn living(explorers: &Explorers) -> impl Iterator<Item = (Seat, &Explorer)> {
    explorers
        .iter()
        .enumerate()
        .filter(|(_, explorer)| explorer.living)
}

/// Takes sanity from the explorers on a cell. Returns true if there was one.
pub(super) fn spook(explorers: &mut Explorers, cell: Cell) -> bool {
    let mut any = false;
    for explorer in explorers {
        if explorer.living && explorer.cell == cell {
            explorer.lose(SPOOK);
            any = true;
        }
    }
    any
}

/// Returns the seats of the explorers without company.
pub(super) fn isolated(explorers: &Explorers) -> SeatSet {
    let mut isolated = SeatSet::EMPTY;
    for (seat, explorer) in living(explorers) {
        let place = explorer.cell.point();
        let has_company = living(explorers).any(|(other, explorer)| {
            other != seat && explorer.cell.point().manhattan(place) <= COMPANY_RANGE
        });
        if !has_company {
            isolated = isolated.with(seat);
        }
    }
    isolated
}
