//! Unit designs: how bots fill the seats of the games of a unit.

/// How bots fill the seats of the games of a unit. An estimate never mixes games of different
/// designs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitDesign {
    /// Number of seats of the game.
    pub seats: usize,
    /// Number of different bots in a game.
    pub bots: usize,
    /// Number of games of each bot on one seed.
    pub games_per_unit: u32,
}

impl UnitDesign {
    /// Single games of two bots as units.
    pub const SINGLE_GAMES: UnitDesign = UnitDesign::new(2, 1);

    /// Games of one seat, one for each bot. A unit compares every two of its bots once, by their
    /// scores.
    pub const ALONE: UnitDesign = UnitDesign::new(1, 1);

    /// Makes a design with `games_per_unit` games: two games for bots that swap their seats, or as
    /// many as there are seats and bots. With one seat, it has a game for each bot.
    pub const fn new(seats: usize, games_per_unit: u32) -> UnitDesign {
        let (bots, games_per_unit) = match (seats, games_per_unit) {
            (1, _) => (1, 1),
            (_, 2) => (2, 2),
            _ => (seats, games_per_unit),
        };
        UnitDesign {
            seats,
            bots,
            games_per_unit,
        }
    }

    /// Makes the design of two bots that share the seats and swap them for a second game. One seat
    /// goes to one bot, then to the other.
    pub const fn swapped(seats: usize) -> UnitDesign {
        UnitDesign::new(seats, 2)
    }

    /// Returns the points for winning a game of two bots: 2 for every comparison of a seat of one
    /// bot with a seat of the other. Two games of one seat make one comparison.
    pub fn full_points(self) -> u32 {
        if self.seats == 1 {
            return 1;
        }
        let comparisons = (self.seats / 2) * self.seats.div_ceil(2);
        u32::try_from(2 * comparisons).unwrap_or(u32::MAX)
    }

    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match (self.seats, self.games_per_unit) {
            (1, _) => "alone",
            (0..=2, _) => "pairs",
            (_, 2) => "mirror",
            _ => "rotations",
        }
    }
}
