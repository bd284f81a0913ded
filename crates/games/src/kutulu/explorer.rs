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
/// How near another explorer must be to be company: columns plus rows.
pub const COMPANY_RANGE: u32 = 2;
/// What a minion takes from an explorer.
pub const SPOOK: u32 = 20;

/// An explorer. As JSON, what those see who draw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explorer {
    /// Where it stands, or stood last.
    #[serde(flatten)]
    pub cell: Cell,
    /// Its sanity. With none left it still stands in everybody's way until the end of the turn.
    pub sanity: u32,
    /// The plans it has left.
    pub plans: u32,
    /// The lights it has left.
    pub lights: u32,
    /// Whether it takes part: from its removal on it does not. Its sanity may be 0 before that.
    #[serde(rename = "alive")]
    pub living: bool,
    /// Whether its slasher has appeared.
    #[serde(skip)]
    pub has_slasher: bool,
    /// Those whose yells it is immune to.
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

/// Those that take part, in the order of seats.
pub(super) fn living(explorers: &Explorers) -> impl Iterator<Item = (Seat, &Explorer)> {
    explorers
        .iter()
        .enumerate()
        .filter(|(_, explorer)| explorer.living)
}

/// Takes sanity from everybody on a cell. Returns whether there was anybody.
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

/// The seats of those that nobody is near.
pub(super) fn isolated(explorers: &Explorers) -> SeatSet {
    let mut isolated = SeatSet::EMPTY;
    for (seat, explorer) in living(explorers) {
        let place = explorer.cell.point();
        let mut others = living(explorers).filter(|&(other, _)| other != seat);
        if others.all(|(_, other)| other.cell.point().manhattan(place) > COMPANY_RANGE) {
            isolated = isolated.with(seat);
        }
    }
    isolated
}
