//! What looking ahead must see.

use arena::games::shogi::{Move, Position};
use sample_bots::alpha_beta::AlphaBeta;
use sample_bots::bot::Bot as _;
use sample_bots::evaluation::Weights;
use sample_bots::expectimax::Expectimax;
use sample_bots::protocol::Turn;
use sample_bots::search::{Limits, Lookahead, Search};

/// The move that a search of this depth chooses among all legal ones.
fn choice(lookahead: impl Lookahead, depth: u32, position: Position) -> Move {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let turn = Turn { position, die: None, last: None, moves };
    Search::new(lookahead, Limits { depth, time: None }, 0, 1).choose(&turn)
}

fn alpha_beta() -> AlphaBeta {
    AlphaBeta::new(Weights::default())
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

#[test]
fn a_mate_is_found_at_every_depth() {
    for sfen in ["4k/5/4G/5/K4 b G", "4k/5/g4/5/K4 w g", "2k2/5/2S2/5/K4 b 2G"] {
        for depth in 1..=4 {
            let mated = |action| !position(sfen).after(action).has_legal_move();
            assert!(mated(choice(alpha_beta(), depth, position(sfen))), "{sfen} {depth}");
            if depth < 4 {
                let expectimax = Expectimax::new(Weights::default());
                assert!(mated(choice(expectimax, depth, position(sfen))), "{sfen} {depth}");
            }
        }
    }
}

#[test]
fn a_third_occurrence_is_shunned_by_the_first_player_and_sought_by_the_second() {
    for depth in 1..=3 {
        // What is best otherwise leads to a position that occurred twice.
        let start = Position::start();
        let best = choice(alpha_beta(), depth, start);
        let mut remembers = alpha_beta();
        remembers.occurred(&start.after(best));
        remembers.occurred(&start.after(best));
        assert_ne!(choice(remembers, depth, start), best);

        // Any move is best when it leads there.
        let reply = start.after(best);
        let mut moves = Vec::new();
        reply.legal_moves(&mut moves);
        let usual = choice(alpha_beta(), depth, reply);
        let odd = moves.into_iter().find(|&action| action != usual).unwrap();
        let mut remembers = alpha_beta();
        remembers.occurred(&reply.after(odd));
        remembers.occurred(&reply.after(odd));
        assert_eq!(choice(remembers, depth, reply), odd);
    }
}

#[test]
fn only_offered_moves_are_chosen() {
    let position = Position::start();
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    for file in 1..=5 {
        let moves: Vec<Move> = moves.iter().copied().filter(|action| action.to().file() == file).collect();
        let turn = Turn { position, die: Some(file), last: None, moves };
        let limits = Limits { depth: 2, time: None };
        let chosen = Search::new(Expectimax::new(Weights::default()), limits, 0, 1).choose(&turn);
        assert!(turn.moves.contains(&chosen));
    }
}
