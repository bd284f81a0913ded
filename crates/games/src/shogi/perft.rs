//! Perft: the number of legal move sequences of a given length. Comparing it with known numbers proves a move
//! generator right.

use super::{Move, Position};

/// The number of legal move sequences of `depth` moves. Repetition and round limits are not looked at.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => u64::from(position.count_legal_moves()),
        _ => {
            let mut count = 0;
            position
                .for_each_batch(|batch| batch.for_each(|action| count += perft(&position.after(action), depth - 1)));
            count
        }
    }
}

/// [`perft`] apart for each first move, in the order of [`Position::legal_moves`]. `depth` counts the first move;
/// for 0 the list is empty.
pub fn perft_split(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let mut moves = Vec::new();
    if depth > 0 {
        position.legal_moves(&mut moves);
    }
    moves.into_iter().map(|action| (action, perft(&position.after(action), depth - 1))).collect()
}
