//! The list of the sample bots. Each has its own program in `src/bin`, and `arena bot NAME` runs
//! the same code.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::cli;
use crate::kutulu::{self, Kutulu};
use crate::onitama::{self, Onitama};
use crate::random::Random;
use crate::shogi::alpha_beta::AlphaBeta;
use crate::shogi::expectimax::Expectimax;
use crate::shogi::{self, Game};

/// The version of the bots' answers. Raise it after every change that makes a sample bot answer the
/// same input differently under the same seed and options, since a run can't continue with another
/// version. `tests/it/games.rs` notices such changes.
pub const VERSION: u32 = 1;

/// A sample bot.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Its name.
    pub name: &'static str,
    /// The id of the game that it plays.
    pub game: &'static str,
    /// A description of its play.
    pub how: &'static str,
    /// Runs it with a command line, including its name, and returns its exit status.
    pub program: fn(Vec<OsString>) -> ExitCode,
}

/// Every sample bot, of each game from the weakest to the strongest.
pub const ALL: [Sample; 12] = [
    Sample {
        name: "minishogi-random",
        game: "minishogi",
        how: "each offered move with the same chance",
        program: |line| cli::simple(line, Game::MiniShogi, Random::new),
    },
    Sample {
        name: "minishogi-greedy",
        game: "minishogi",
        how: "one move ahead: mates, else wins the most material",
        program: |line| {
            cli::simple(line, Game::MiniShogi, |seed| {
                shogi::greedy::Greedy::new(Game::MiniShogi, seed)
            })
        },
    },
    Sample {
        name: "minishogi-search",
        game: "minishogi",
        how: "alpha-beta: captures are followed to their end; sees repetition coming",
        program: |line| cli::search(line, Game::MiniShogi, AlphaBeta::new),
    },
    Sample {
        name: "dice-shogi-random",
        game: "dice_shogi",
        how: "each offered move with the same chance",
        program: |line| cli::simple(line, Game::DiceShogi, Random::new),
    },
    Sample {
        name: "dice-shogi-greedy",
        game: "dice_shogi",
        how: "one move ahead: mates, else wins the most material",
        program: |line| {
            cli::simple(line, Game::DiceShogi, |seed| {
                shogi::greedy::Greedy::new(Game::DiceShogi, seed)
            })
        },
    },
    Sample {
        name: "dice-shogi-search",
        game: "dice_shogi",
        how: "expectimax: the mean over the six faces of the die",
        program: |line| cli::search(line, Game::DiceShogi, Expectimax::new),
    },
    Sample {
        name: "onitama-random",
        game: "onitama",
        how: "each offered action with the same chance",
        program: |line| cli::simple(line, Onitama, Random::new),
    },
    Sample {
        name: "onitama-greedy",
        game: "onitama",
        how: "one move ahead: wins if it can, prevents an immediate loss, captures, keeps out of reach",
        program: |line| cli::simple(line, Onitama, onitama::greedy::Greedy::new),
    },
    Sample {
        name: "onitama-search",
        game: "onitama",
        how: "alpha-beta: captures are followed to their end",
        program: |line| cli::search(line, Onitama, onitama::alpha_beta::AlphaBeta::new),
    },
    Sample {
        name: "kutulu-random",
        game: "kutulu",
        how: "each action that does something with the same chance",
        program: |line| cli::simple(line, Kutulu, Random::new),
    },
    Sample {
        name: "kutulu-greedy",
        game: "kutulu",
        how: "one step ahead: keeps company, keeps away from minions, makes plans where it is calm",
        program: |line| cli::simple(line, Kutulu, kutulu::greedy::Greedy::new),
    },
    Sample {
        name: "kutulu-search",
        game: "kutulu",
        how: "some turns ahead: follows the best way to each cell; expects of the others what is best for them now",
        program: |line| cli::search(line, Kutulu, kutulu::lookahead::Layers::new),
    },
];

/// Runs the program called `name`.
///
/// # Panics
/// If there is no such sample bot.
pub fn main(name: &str) -> ExitCode {
    let sample = ALL
        .iter()
        .find(|sample| sample.name == name)
        .expect("the program is called like a sample bot");
    (sample.program)(std::env::args_os().collect())
}
