//! Looking ahead, one move deeper each time, until the depth or the time allowed is used up.

use std::time::{Duration, Instant};

use arena_games::rng::{Generator as _, SplitMix64, shuffle};

use crate::bot::Bot;
use crate::protocol::Turn;
use crate::random;

/// More than any score.
pub const INFINITE: i32 = 1_000_000;

/// A way to judge a position by looking ahead from it.
pub trait Lookahead {
    /// The turns of its game.
    type Turn: Turn;

    /// A won game; more than this the sooner it is won.
    const WIN: i32;

    /// What `position` is worth for the side to move (for the bot's opponents, where all move at once), `depth` moves ahead. A score between `alpha` and `beta` is
    /// exact; one below tells that the truth is not higher, one above that it is not lower. `None` when the time
    /// is up.
    fn value(
        &mut self,
        position: &<Self::Turn as Turn>::Position,
        depth: u32,
        alpha: i32,
        beta: i32,
        clock: &mut Clock,
    ) -> Option<i32>;

    /// The position after one of the actions on offer.
    fn after(&mut self, turn: &Self::Turn, action: Action<Self>) -> <Self::Turn as Turn>::Position {
        turn.after(action)
    }

    /// Takes note of a turn, before looking ahead.
    fn begin(&mut self, _turn: &Self::Turn) {}

    /// Takes note of the position that the bot's own action leads to.
    fn end(&mut self, _position: &<Self::Turn as Turn>::Position) {}
}

/// What one does in the game of `L`.
type Action<L> = <<L as Lookahead>::Turn as Turn>::Action;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most moves to look ahead, own move included, at least 1.
    pub depth: u32,
    /// The most time for a turn. Without it no clock is looked at, and the same turns get the same answers.
    pub time: Option<Duration>,
}

/// Tells when time is up.
#[derive(Clone, Debug)]
pub struct Clock {
    deadline: Option<Instant>,
    ticks: u32,
}

impl Clock {
    /// How many calls of [`Clock::tick`] look at the time once. That takes long, compared with what lies between.
    const STRIDE: u32 = 256;

    /// A clock for a turn that begins now.
    pub fn start(time: Option<Duration>) -> Clock {
        Clock {
            deadline: time.map(|time| Instant::now() + time),
            ticks: 0,
        }
    }

    /// To be called for every position looked at. `None` when time is up.
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
    /// How many of a hundred turns get a move drawn at random instead.
    blunder: u32,
    rng: SplitMix64,
}

impl<L: Lookahead> Search<L> {
    /// The seed decides between moves that look equally good, and on the blunders.
    pub fn new(lookahead: L, limits: Limits, blunder: u32, seed: u64) -> Search<L> {
        Search {
            lookahead,
            limits,
            blunder,
            rng: SplitMix64::new(seed),
        }
    }

    /// The best move. `moves` holds at least one; the best so far is kept in front.
    fn deepen(&mut self, turn: &L::Turn, mut moves: Vec<Action<L>>) -> Action<L> {
        let mut clock = Clock::start(self.limits.time);
        for depth in 1..=self.limits.depth {
            match self.rank(turn, &mut moves, depth, &mut clock) {
                Some(best) if best < L::WIN => {}
                // Time is up, or the win is found.
                _ => break,
            }
        }
        moves[0]
    }

    /// Looks at each move, and brings one to the front when it is better than all before it. So also a pass that
    /// runs out of time leaves a sensible move in front: the best of the pass before is the first to be looked at.
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
