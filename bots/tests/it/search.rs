//! Positions with a best move that the search must find.

use arena_games::rng::{SplitMix64, choose};
use arena_games::shogi::{Move, Position};
use arena_games::{kutulu, onitama};
use sample_bots::bot::Bot as _;
use sample_bots::kutulu as kut;
use sample_bots::kutulu::Kutulu;
use sample_bots::onitama as oni;
use sample_bots::protocol::Reader;
use sample_bots::search::{Clock, INFINITE, Limits, Lookahead, Search};
use sample_bots::shogi::Turn;
use sample_bots::shogi::alpha_beta::AlphaBeta;
use sample_bots::shogi::evaluation::Weights;
use sample_bots::shogi::expectimax::Expectimax;

/// Returns the move that a search of this depth chooses among all legal ones.
fn choice(lookahead: impl Lookahead<Turn = Turn>, depth: u32, position: Position) -> Move {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let turn = Turn {
        position,
        die: None,
        last: None,
        moves,
    };
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
    for sfen in [
        "4k/5/4G/5/K4 b G",
        "4k/5/g4/5/K4 w g",
        "2k2/5/2S2/5/K4 b 2G",
    ] {
        for depth in 1..=4 {
            let mated = |action| !position(sfen).after(action).has_legal_move();
            assert!(
                mated(choice(alpha_beta(), depth, position(sfen))),
                "{sfen} {depth}"
            );
            if depth < 4 {
                let expectimax = Expectimax::new(Weights::default());
                assert!(
                    mated(choice(expectimax, depth, position(sfen))),
                    "{sfen} {depth}"
                );
            }
        }
    }
}

#[test]
fn a_third_occurrence_is_shunned_by_the_first_player_and_sought_by_the_second() {
    for depth in 1..=3 {
        // The move that is otherwise best leads to a position that occurred twice.
        let start = Position::start();
        let best = choice(alpha_beta(), depth, start);
        let mut remembers = alpha_beta();
        remembers.occurred(&start.after(best));
        remembers.occurred(&start.after(best));
        assert_ne!(choice(remembers, depth, start), best);

        // Any move is best if it leads there.
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
        let moves: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|action| action.to().file() == file)
            .collect();
        let turn = Turn {
            position,
            die: Some(file),
            last: None,
            moves,
        };
        let limits = Limits {
            depth: 2,
            time: None,
        };
        let chosen = Search::new(Expectimax::new(Weights::default()), limits, 0, 1).choose(&turn);
        assert!(turn.moves.contains(&chosen));
    }
}

/// The choices of the greedy bot and of searches of several depths in Onitama. White holds Boar and
/// Ox, black Horse and Crab, and the Eel is in the centre.
fn choices(board: [&str; 5], side: onitama::Color) -> Vec<String> {
    let cards = onitama::Position::start([4, 7, 3, 6, 0].map(|id| onitama::Card::new(id).unwrap()));
    let cards = if side == cards.side {
        cards
    } else {
        cards.after(onitama::Action::parse("4 C1C2").unwrap())
    }
    .to_string();
    let lines: Vec<&str> = board.into_iter().chain(cards.lines().skip(5)).collect();
    let position = onitama::Position::from_lines(lines.try_into().unwrap()).unwrap();
    let mut actions = Vec::new();
    position.legal_actions(&mut actions);
    let turn = oni::Turn { position, actions };
    let searched = (1..=5).map(|depth| {
        let lookahead = oni::alpha_beta::AlphaBeta::new(oni::evaluation::Weights::default());
        Search::new(lookahead, Limits { depth, time: None }, 0, 1).choose(&turn)
    });
    let greedy = (1..=5).map(|seed| oni::greedy::Greedy::new(seed).choose(&turn));
    searched
        .chain(greedy)
        .map(|action| action.to_string())
        .collect()
}

#[test]
fn an_onitama_win_is_taken_rather_than_a_student() {
    for (board, side, expected) in [
        // By capture of the master, with a student to capture as well.
        (
            ["..B..", "..w..", "...b.", "...w.", "..W.."],
            onitama::Color::White,
            ["4 C4C5", "7 C4C5"],
        ),
        // By walking onto the shrine.
        (
            ["B....", "..W..", "...b.", "...w.", "....."],
            onitama::Color::White,
            ["4 C4C5", "7 C4C5"],
        ),
        // After white gave the Boar away, black still holds Horse and Crab.
        (
            ["..B..", "..w..", "...b.", "..b..", "..W.."],
            onitama::Color::Black,
            ["3 C2C1", "6 C2C1"],
        ),
    ] {
        for choice in choices(board, side) {
            assert!(
                expected.contains(&choice.as_str()),
                "{choice} of {expected:?}"
            );
        }
    }
}

#[test]
fn an_onitama_loss_is_averted_rather_than_a_student_taken() {
    // Black threatens C2C1 with either card. White can capture that student or another one, or
    // walk away into the next threat.
    let board = ["B....", ".....", "b....", "w.b..", "..W.."];
    for choice in choices(board, onitama::Color::White) {
        assert!(["4 C1C2", "7 C1C2"].contains(&choice.as_str()), "{choice}");
    }
}

/// Returns the value from a search to the same depth without any shortcut.
fn plain(position: &onitama::Position, depth: u32) -> i32 {
    type AlphaBeta = oni::alpha_beta::AlphaBeta;
    if position.ending().is_some() {
        return -AlphaBeta::WIN - depth.cast_signed();
    }
    let mut clock = Clock::start(None);
    if depth == 0 {
        let weights = oni::evaluation::Weights::default();
        return AlphaBeta::new(weights)
            .value(position, 0, -INFINITE, INFINITE, &mut clock)
            .unwrap();
    }
    let mut actions = Vec::new();
    position.legal_actions(&mut actions);
    actions
        .into_iter()
        .map(|action| -plain(&position.after(action), depth - 1))
        .max()
        .unwrap()
}

#[test]
fn shortcuts_change_no_value() {
    for seed in 1..=6 {
        // Well into a game, with something to capture.
        let mut position = onitama::Position::deal(seed);
        let mut rng = SplitMix64::new(seed.cast_unsigned());
        let mut actions = Vec::new();
        for _ in 0..12 {
            position.legal_actions(&mut actions);
            let after = position.after(*choose(&actions, &mut rng).unwrap());
            position = if after.ending().is_none() {
                after
            } else {
                position
            };
        }
        let mut search = oni::alpha_beta::AlphaBeta::new(oni::evaluation::Weights::default());
        for depth in 1..=3 {
            let mut clock = Clock::start(None);
            let value = search
                .value(&position, depth, -INFINITE, INFINITE, &mut clock)
                .unwrap();
            assert_eq!(value, plain(&position, depth), "seed {seed}, depth {depth}");
        }
    }
}

/// The choices of the greedy bot and of searches of several depths in Code of Kutulu. Company saves
/// no sanity, so running into a minion on the way to it gains nothing.
fn explorers_choose(map: &str, entities: &[&str]) -> Vec<String> {
    let height = map.lines().count();
    let width = map.lines().next().unwrap().len();
    let input = format!(
        "{width}\n{height}\n{map}\n3 3 3 40\n{}\n{}\n",
        entities.len(),
        entities.join("\n")
    );
    let turn = Reader::new(Kutulu, input.as_bytes()).turn().unwrap();
    let searched = (1..=5).map(|depth| {
        let lookahead = kut::lookahead::Layers::new(kut::evaluation::Weights::default());
        Search::new(lookahead, Limits { depth, time: None }, 0, 1).choose(&turn)
    });
    let greedy = (1..=5).map(|seed| kut::greedy::Greedy::new(seed).choose(&turn));
    let choices: Vec<kutulu::Action> = searched.chain(greedy).collect();
    choices.iter().map(ToString::to_string).collect()
}

#[test]
fn an_explorer_looks_for_company() {
    let map = "###########\n#.........#\n###########";
    let entities = [
        "EXPLORER 0 2 1 250 0 0",
        "EXPLORER 1 8 1 250 0 0",
        "EXPLORER 2 8 1 250 0 0",
        "EXPLORER 3 9 1 250 0 0",
    ];
    for choice in explorers_choose(map, &entities) {
        assert_eq!(choice, "MOVE 3 1");
    }
}

#[test]
fn an_explorer_runs_from_a_wanderer() {
    // There is a way round, so that it never ends in a corner.
    let map = "#########\n#.......#\n#.#####.#\n#.......#\n#########";
    let entities = [
        "EXPLORER 0 3 1 150 0 0",
        "WANDERER 4 4 1 30 1 0",
        "EXPLORER 1 7 3 150 0 0",
    ];
    for choice in explorers_choose(map, &entities) {
        assert_eq!(choice, "MOVE 2 1");
    }
}

#[test]
fn one_who_is_stuck_waits() {
    let map = "#########\n#.......#\n#########";
    let entities = [
        "EXPLORER 0 3 1 150 2 3",
        "EXPLORER 1 4 1 150 0 0",
        "WANDERER 4 6 1 30 1 0",
        "EFFECT_YELL -1 -1 -1 1 1 0",
    ];
    for choice in explorers_choose(map, &entities) {
        assert_eq!(choice, "WAIT");
    }
}
