//! The shogi library compared with published counts and the original referee's lists.

use arena_games::shogi::{Move, Position, perft, perft_split};

use crate::is_counted;

/// A position, and its perft from depth 1 on.
type Row = (&'static str, &'static [u64]);

#[rustfmt::skip]
const PERFT: [Row; 15] = [
    ("rbsgk/4p/5/P4/KGSBR b - 1", &[14, 181, 2512, 35401, 533_203, 8_276_188, 132_680_617]),
    ("+P2+Sb/2g2/1ksp1/R1b2/K4 w gr 98", &[44, 317, 8731, 102_947]),
    ("+P1k1S/b1b2/5/G1RRG/1KS1P b - 65", &[21, 72, 1395, 10233, 209_599]),
    ("Kb1+S1/4g/p1k1s/1+r2+r/1+p2+b w g 134", &[43, 121, 4653, 22970]),
    ("2k1S/B1rP1/2KG1/GS1p1/R1B2 b - 91", &[3, 16, 292, 3820, 74319, 986_388]),
    ("G2k1/Ps3/R2S1/G1B2/2KPR w B 36", &[6, 206, 1519, 37232]),
    ("1bsg1/r1P2/3k1/PK3/1G1+r1 w sb 12", &[55, 294, 12742, 91522]),
    ("k3S/B1GP1/5/GS1K1/R1B2 b RP 95", &[49, 39, 1458, 17765]),
    ("k2+PS/2G2/BS3/b2K1/R4 b PRg 101", &[60, 955, 33979, 301_102]),
    ("1sk2/rp1r1/4g/1G3/4K w BSbp 70", &[48, 1575, 56343, 1_272_426]),
    ("1bsg1/2bkP/K4/3r1/1GS2 w Rp 18", &[30, 623, 13898, 210_334]),
    ("1b2k/r1s1g/5/1KP2/1GSB1 w Rp 10", &[27, 448, 8303, 102_000]),
    ("2sg1/5/1RGBk/5/1KS2 b BPrp 31", &[52, 1823, 69038, 1_703_886]),
    ("1pk2/1s2G/3B1/1G3/1KS2 b B2RP 33", &[66, 231, 13368, 78854]),
    ("2sR1/4k/2PR1/2GG1/2K2 b 2BPs 55", &[46, 755, 30524, 232_382]),
];

#[test]
fn perft_agrees_with_the_original_referee() {
    for (sfen, expected) in PERFT {
        let position = Position::from_sfen(sfen).unwrap();
        for (depth, &count) in (1..).zip(expected).filter(|(_, count)| is_counted(**count)) {
            assert_eq!(perft(&position, depth), count, "{sfen} at depth {depth}");
        }
    }
}

/// Every position up to three moves from those of the table: all queries of the moves agree, and
/// positions are written as they are parsed.
#[test]
fn questions_about_a_position_agree() {
    fn visit(position: &Position, depth: u32) {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        assert_eq!(
            moves.len(),
            position.count_legal_moves() as usize,
            "{position}"
        );
        assert_eq!(!moves.is_empty(), position.has_legal_move(), "{position}");
        let read = Position::from_sfen(&position.to_string()).unwrap();
        assert_eq!((read, read.key()), (*position, position.key()));
        for action in moves {
            assert_eq!(
                Move::parse(&action.to_string(), position.side()),
                Some(action)
            );
            let next = position.after(action);
            assert_ne!(next.key(), position.key());
            if depth > 1 {
                visit(&next, depth - 1);
            }
        }
    }
    for (sfen, _) in PERFT {
        visit(&Position::from_sfen(sfen).unwrap(), 3);
    }
}

#[test]
fn perft_split_sums_up_to_perft() {
    let split = perft_split(&Position::start(), 5);
    assert_eq!(split.len(), 14);
    assert_eq!(split.iter().map(|(_, count)| count).sum::<u64>(), 533_203);
    assert!(perft_split(&Position::start(), 0).is_empty());
}

/// Only the order of capture tells the hands apart.
#[test]
fn repetition_ignores_the_order_of_hands() {
    let key = |sfen| Position::from_sfen(sfen).unwrap().key();
    assert_eq!(key("4k/5/5/5/K4 b PBPr"), key("4k/5/5/5/K4 b B2Pr"));
    assert_ne!(key("4k/5/5/5/K4 b PBPr"), key("4k/5/5/5/K4 w PBPr"));
    assert_ne!(key("4k/5/5/5/K4 b PBPr"), key("4k/5/5/5/K4 b PBpr"));
}
