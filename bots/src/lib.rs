//! Sample bots for the games of `arena`, as a base for your own. The rules come from
//! [`arena_games::shogi`], [`arena_games::onitama`] and [`arena_games::kutulu`]. In reading order,
//! the common modules first:
//!
//! * [`protocol`]: turns, and the reading of prompts.
//! * [`bot`]: the trait of bots, and the loop that runs them.
//! * [`random`]: the simplest bot.
//! * [`parameters`]: numbers of an evaluation, by name.
//! * [`search`]: iterative deepening, with an evaluation from each game.
//! * [`table`]: the transposition table of a search.
//! * [`cli`]: the command lines.
//! * [`samples`]: the list of the bots. The programs in `src/bin` are its entries.
//!
//! Then the modules of each game:
//!
//! * [`shogi`]: the prompts of both shogi games, a greedy bot, an evaluation, alpha-beta search for
//!   Mini Shogi and expectimax search for Dice Shogi.
//! * [`onitama`]: its prompts, a greedy bot, an evaluation and alpha-beta search.
//! * [`kutulu`]: the prompts of Code of Kutulu, a greedy bot, an evaluation, the expected actions
//!   of the others, and a search by layers of turns.

pub mod bot;
pub mod cli;
pub mod kutulu;
pub mod onitama;
pub mod parameters;
pub mod protocol;
pub mod random;
pub mod samples;
pub mod search;
pub mod shogi;
pub mod table;
