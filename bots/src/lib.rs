//! Sample bots for the games of `arena`, as a base for your own. The rules come from
//! [`arena_games::shogi`], [`arena_games::onitama`] and [`arena_games::kutulu`]. In reading order,
//! the common modules first:
//!
//! * [`protocol`]: turns, and the reading of prompts.
//! * [`bot`]: the one function that a bot has, and the loop that calls it.
//! * [`random`]: the simplest bot.
//! * [`parameters`]: numbers of an evaluation, by name.
//! * [`search`]: looking deeper and deeper until depth or time runs out, by means that each game brings along, and
//!   [`table`]: what such a search remembers.
//! * [`cli`]: the command lines.
//! * [`samples`]: the list of the bots. The programs in `src/bin` are its entries.
//!
//! Then the modules of each game:
//!
//! * [`shogi`]: the prompts of both shogi games; a greedy bot; what a position is worth; alpha-beta search for Mini
//!   Shogi and expectimax search for Dice Shogi.
//! * [`onitama`]: its prompts; a greedy bot; what a position is worth; alpha-beta search.
//! * [`kutulu`]: the prompts of Code of Kutulu; a greedy bot; what a position is worth; what the others can be expected
//!   to do; a search by layers of turns.

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
