//! Bots for the shogi games of `arena`, and what one's own bot can start from. The rules come from
//! [`arena::games::shogi`]; here is what a bot adds to them. In reading order:
//!
//! * [`protocol`]: what the referee sends, as a position and the moves on offer.
//! * [`bot`]: the one function that a bot has, and the loop that calls it.
//! * [`random`], [`greedy`]: the two simplest bots.
//! * [`evaluation`]: what a position is worth, with every number a named parameter.
//! * [`search`]: looking deeper and deeper until depth or time runs out, by means of
//!   [`alpha_beta`] in Mini Shogi and of [`expectimax`] in Dice Shogi.
//! * [`cli`]: the command lines. The programs in `src/bin` call these and do nothing else.

pub mod alpha_beta;
pub mod bot;
pub mod cli;
pub mod evaluation;
pub mod expectimax;
pub mod greedy;
pub mod protocol;
pub mod random;
pub mod search;
