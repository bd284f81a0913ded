//! Search by iterative deepening, until the depth or the time is used up.

use std::time::{Duration, Instant};

use arena_games::rng::{Generator as _, SplitMix64, shuffle};

use crate::bot::Bot;
use crate::protocol::Turn;
use crate::random;

/// A bound above any score.
pub const INFINITE: i32 = 1_000_000;

/// An evaluation of positions by looking ahead.
pub trait Lookahead {
    /// The turns of the game.
    type Turn: Turn;

    /// The score of a win. An earlier win scores more.
    const WIN: i32;

    /// Returns the value of `position` for the side to move after looking `depth` moves ahead; if
    /// all players move at once, the value for the opponents. A score between `alpha` and `beta` is
    /// exact, a lower one is an upper bound and a higher one a lower bound. `None` if the time is
    /// up.
    fn value(
        &mut self,
        position: &<Self::Turn as Turn>::Position,
        depth: u32,
        alpha: i32,
        beta: i32,
        clock: &mut Clock,
    ) -> Option<i32>;

    /// Returns the position after one of the offered actions.
    fn after(&mut self, turn: &Self::Turn, action: Action<Self>) -> <Self::Turn as Turn>::Position {
        turn.after(action)
    }

    /// Records a turn before looking ahead.
    fn begin(&mut self, _turn: &Self::Turn) {}

    /// Records the position after the bot's own action.
    fn end(&mut self, _position: &<Self::Turn as Turn>::Position) {}
}

/// The action type in the game of `L`.
type Action<L> = <<L as Lookahead>::Turn as Turn>::Action;

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum depth including the bot's own move, at least 1.
    pub depth: u32,
    /// The maximum time for a turn. Without it, the search uses no clock, and the same turns get
    /// the same answers.
    pub time: Option<Duration>,
}

/// A clock that ends a search.
#[derive(Clone, Debug)]
pub struct Clock {
    deadline: Option<Instant>,
    ticks: u32,
}

impl Clock {
    /// The number of calls of [`Clock::tick`] per look at the time, which is slow.
    const STRIDE: u32 = 256;

    /// Returns a clock for a turn that begins now.
    pub fn start(time: Option<Duration>) -> Clock {
        Clock {
            deadline: time.map(|time| Instant::now() + time),
            ticks: 0,
        }
    }

    /// Counts a visited position. `None` if the time is up.
    pub fn tick(&mut self) -> Option<()> {
        self.ticks = self.ticks.wrapping_add(1);
        match self.deadline {
            Some(deadline)
                if self.ticks.is_multiple_of(Clock::STRIDE) && Instant::now() >= deadline =>
            {
                None
            }
            _ => Some(()),
        }
    }
}

/// A bot that looks ahead.
#[derive(Clone, Debug)]
pub struct Search<L> {
    lookahead: L,
    limits: Limits,
    /// The percentage of turns with a random move.
    blunder: u32,
    rng: SplitMix64,
}

impl<L: Lookahead> Search<L> {
    /// Returns a searcher. The seed decides between equal moves, and when to blunder.
    pub fn new(lookahead: L, limits: Limits, blunder: u32, seed: u64) -> Search<L> {
        Search {
            lookahead,
            limits,
            blunder,
            rng: SplitMix64::new(seed),
        }
    }

    /// Returns the best move. `moves` has at least one, with the best so far in front.
    fn deepen(&mut self, turn: &L::Turn, mut moves: Vec<Action<L>>) -> Action<L> {
        let mut clock = Clock::start(self.limits.time);
        for depth in 1..=self.limits.depth {
            match self.rank(turn, &mut moves, depth, &mut clock) {
                Some(best) if best < L::WIN => {}
                // The time is up, or a win is found.
                _ => break,
            }
        }
        moves[0]
    }

    /// Evaluates each move, and moves it to the front if it is better than all before. So even a
    /// pass that runs out of time leaves a good move in front, because it begins with the best of
    /// the pass before.
    fn rank(
        &mut self,
        turn: &L::Turn,
        moves: &mut [Action<L>],
        depth: u32,
        clock: &mut Clock,
    ) -> Option<i32> {
        let mut best = -INFINITE;
        for place in 0..moves.len() {
            let after = self.lookahead.after(turn, moves[place]);
            let score = -self
                .lookahead
                .value(&after, depth - 1, -INFINITE, -best, clock)?;
            if score > best {
                best = score;
                moves[..=place].rotate_right(1);
            }
        }
        Some(best)
    }
}

impl<L: Lookahead> Bot<L::Turn> for Search<L> {
    fn choose(&mut self, turn: &L::Turn) -> Action<L> {
        self.lookahead.begin(turn);
        let mut moves = turn.actions().to_vec();
        shuffle(&mut moves, &mut self.rng);
        let choice = if self.rng.next_int(100) < self.blunder {
            random::draw(&moves, &mut self.rng)
        } else if let [only] = moves[..] {
            only
        } else {
            self.deepen(turn, moves)
        };
        self.lookahead.end(&turn.after(choice));
        choice
    }
}
