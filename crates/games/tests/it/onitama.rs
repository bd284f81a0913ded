//! The Onitama library compared with deals and counts of the original referee and of players'
//! programs.

use arena_games::onitama::{Action, Card, Color, MAX_ACTIONS, Position, perft, perft_split};

use crate::is_counted;

/// Cards by id: white's hand, black's hand, the centre.
type Cards = [u8; 5];

fn cards(ids: Cards) -> [Card; 5] {
    ids.map(|id| Card::new(id).unwrap())
}

/// The number of sequences of 1 to 7 actions, and of those whose last action ends the game, for the
/// seeds from 1 on.
const PERFT: [([u64; 7], [u64; 7]); 5] = [
    (
        [9, 72, 760, 10_064, 129_584, 1_647_749, 23_063_599],
        [0, 0, 0, 14, 440, 9717, 196_824],
    ),
    (
        [10, 100, 1440, 14_816, 202_175, 2_573_086, 34_021_285],
        [0, 0, 9, 214, 3034, 52_129, 795_285],
    ),
    (
        [9, 99, 1265, 14_467, 197_365, 2_689_092, 39_632_748],
        [0, 0, 0, 19, 678, 17_390, 333_174],
    ),
    (
        [8, 104, 1482, 20_520, 319_855, 4_908_058, 77_301_451],
        [0, 0, 6, 239, 5199, 94_387, 1_904_205],
    ),
    (
        [8, 72, 828, 8050, 100_006, 1_188_829, 14_671_206],
        [0, 0, 0, 15, 406, 8579, 143_481],
    ),
];

/// Counts of players' programs, which count a finished game as one sequence.
const PERFT_WITH_ENDED: [(Cards, [u64; 7]); 4] = [
    (
        [7, 4, 3, 13, 6],
        [10, 130, 1989, 28_509, 487_780, 7_748_422, 137_281_607],
    ),
    (
        [5, 15, 9, 8, 2],
        [9, 72, 880, 10_374, 138_879, 1_781_181, 24_489_752],
    ),
    (
        [12, 10, 14, 0, 1],
        [10, 120, 1272, 16_445, 211_643, 2_793_554, 39_359_208],
    ),
    (
        [6, 10, 11, 15, 14],
        [11, 143, 1807, 23_949, 325_011, 4_619_275, 64_873_385],
    ),
];

/// The sequences of exactly `depth` actions whose last one ends the game.
fn ended(position: &Position, depth: u32) -> u64 {
    if position.ending().is_some() {
        return u64::from(depth == 0);
    }
    let mut count = 0;
    if depth > 0 {
        position.for_each_action(|action| count += ended(&position.after(action), depth - 1));
    }
    count
}

#[test]
fn perft_agrees_with_the_original_referee() {
    for (seed, (expected, expected_ended)) in (1..).zip(PERFT) {
        let position = Position::deal(seed);
        let counts = (1..).zip(expected.into_iter().zip(expected_ended));
        for (depth, (count, ended_count)) in counts.filter(|(_, (count, _))| is_counted(*count)) {
            assert_eq!(
                perft(&position, depth),
                count,
                "seed {seed} at depth {depth}"
            );
            assert_eq!(
                ended(&position, depth),
                ended_count,
                "seed {seed} at depth {depth}, ended"
            );
        }
    }
}

#[test]
fn perft_agrees_with_other_programs() {
    for (ids, expected) in PERFT_WITH_ENDED {
        let position = Position::start(cards(ids));
        let mut before = 0;
        for (depth, count) in (1..).zip(expected).filter(|(_, count)| is_counted(*count)) {
            assert_eq!(
                perft(&position, depth) + before,
                count,
                "{ids:?} at depth {depth}"
            );
            before += if depth < 7 {
                ended(&position, depth)
            } else {
                0
            };
        }
    }
}

#[test]
fn perft_split_sums_up_to_perft() {
    let split = perft_split(&Position::deal(2), 5);
    assert_eq!(split.len(), 10);
    assert_eq!(split.iter().map(|(_, count)| count).sum::<u64>(), 202_175);
    assert!(perft_split(&Position::deal(2), 0).is_empty());
}

#[test]
fn deals_are_those_of_the_original_referee() {
    let deals: [(i64, Cards); 28] = [
        (0, [0, 10, 9, 3, 6]),
        (1, [8, 6, 0, 12, 9]),
        (42, [13, 14, 0, 1, 9]),
        (-1, [10, 9, 5, 3, 8]),
        (123_456_789_012_345, [12, 8, 3, 5, 4]),
        (2, [15, 7, 10, 2, 3]),
        (3, [12, 1, 4, 10, 6]),
        (4, [5, 9, 15, 13, 14]),
        (5, [2, 9, 0, 1, 6]),
        (6, [15, 2, 0, 8, 9]),
        (7, [6, 14, 2, 1, 3]),
        (8, [12, 7, 9, 13, 6]),
        (9, [0, 7, 10, 6, 2]),
        // Rejected once.
        (10, [4, 11, 5, 2, 12]),
        (765, [15, 12, 3, 9, 1]),
        (967, [12, 1, 15, 5, 9]),
        (1541, [8, 7, 2, 0, 15]),
        // Rejected twice.
        (269_753, [3, 0, 11, 14, 6]),
        (467_860, [15, 10, 3, 8, 5]),
        (-3_859_320, [12, 4, 3, 13, 6]),
        // Accepted, but they would be rejected with exchanged hands or another centre.
        (305, [6, 4, 15, 3, 7]),
        (102, [6, 1, 3, 7, 0]),
        // Only 48 bits count.
        (i64::MIN, [0, 10, 9, 3, 6]),
        (i64::MAX, [10, 9, 5, 3, 8]),
        (1 << 48, [0, 10, 9, 3, 6]),
        // The generator rejects a draw, at the bounds 15, 13 and 3.
        (256_623_860_600_950, [14, 7, 12, 9, 2]),
        (130_979_900_318_151, [14, 8, 15, 12, 10]),
        (161_434_805_675_819, [12, 2, 7, 5, 4]),
    ];
    for (seed, ids) in deals {
        assert_eq!(
            Position::deal(seed),
            Position::start(cards(ids)),
            "seed {seed}"
        );
    }
}

/// Parses the printed lines, as a bot does.
fn read_as_printed(position: &Position) -> Position {
    let printed = position.to_string();
    let lines: Vec<&str> = printed.lines().collect();
    Position::from_lines(lines.try_into().unwrap()).unwrap()
}

/// Every position up to four actions from some deals, and some with few pieces: all queries of the
/// actions agree, and everything is parsed as it is written.
#[test]
fn questions_about_a_position_agree() {
    fn visit(position: &Position, depth: u32) {
        assert_eq!(read_as_printed(position), *position);
        let mut actions = Vec::with_capacity(MAX_ACTIONS);
        position.legal_actions(&mut actions);
        assert_eq!(
            actions.len(),
            position.count_legal_actions() as usize,
            "{position}"
        );
        let side = position.side;
        for &action in &actions {
            assert_eq!(Action::parse(&action.to_string()), Some(action));
            assert!(position.hand(side).contains(&action.card()));
            let next = position.after(action);
            let Action::Move { card, from, to } = action else {
                panic!("{action} in\n{position}")
            };
            assert!(card.reach(side, from).contains(to), "{action}");
            assert_eq!(
                next.ending().is_some(),
                Some(to) == position.master(side.opponent()) || wins_on_shrine(&next)
            );
            assert_eq!(
                (next.centre(), next.hand(side)[1]),
                (card, position.centre())
            );
            if depth > 1 && next.ending().is_none() {
                visit(&next, depth - 1);
            }
        }
        let own = position.pieces(side);
        let reached = |card: Card| {
            own.into_iter()
                .map(|from| (card.reach(side, from) & !own).len())
                .sum::<u32>()
        };
        assert_eq!(
            position.hand(side).map(reached).iter().sum::<u32>(),
            position.count_legal_actions()
        );
    }
    fn wins_on_shrine(next: &Position) -> bool {
        next.master(next.side.opponent()) == Some(next.side.shrine())
    }
    for seed in 1..6 {
        visit(&Position::deal(seed), 4);
    }
    let cards = "0 11 -1 1 -1 -1 1 1 1 -1\n0 10 -2 1 -1 -1 1 -1 2 1\n1 5 1 1 1 0 -1 0 -1 -1\n1 15 0 1 0 -2 0 0 0 0\n";
    let board = "...B.\n.b...\nW...b\n..w..\n..b..\n";
    for centre in ["-1 13 -1 1 -1 0 1 1 1 0", "-1 13 1 -1 1 0 -1 -1 -1 0"] {
        let text = format!("{board}{cards}{centre}\n");
        let position =
            Position::from_lines(text.lines().collect::<Vec<_>>().try_into().unwrap()).unwrap();
        assert_eq!(position.to_string(), text);
        visit(&position, 4);
    }
}

#[test]
fn the_centre_tells_who_is_to_move() {
    for card in Card::all() {
        let turned = card.offsets(Color::White).map(|(dx, dy)| (-dx, -dy));
        assert!(turned.eq(card.offsets(Color::Black)));
        assert!(
            !card.offsets(Color::White).eq(card.offsets(Color::Black)),
            "{card} looks the same from both sides"
        );
    }
}
