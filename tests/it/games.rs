//! The program's own view of the games: `arena list games` and `arena perft`.

use std::path::Path;

use arena_games::Games;

use crate::programs::{Said as _, line, stdout, table};

#[test]
fn the_program_lists_every_game() {
    let out = line(Path::new("."), "list games");
    out.status(0);
    let stdout = stdout(&out);
    for spec in Games::standard().iter() {
        let is_its = |line: &&str| line.split_whitespace().next() == Some(&spec.id);
        let lines = stdout.lines().filter(is_its);
        assert_eq!(lines.count(), 1, "{}", spec.id);
    }
    insta::assert_snapshot!(stdout);
}

#[test]
fn the_program_counts_sequences_of_moves() {
    let here = Path::new(".");
    let moves = "6 C1C2: 1\n6 D1D2: 1\n6 E1E2: 1\n9\n";
    line(here, "perft onitama --seed=1 --depth=1")
        .status(0)
        .contains(moves);
    line(here, "perft minishogi --depth 2")
        .status(0)
        .contains("181\n");
    for [args, said] in table(
        "
        minishogi --depth 0 | can't use --depth 0: expected an integer from 1 to 99
        onitama --sfen '4k/5/5/5/K4 b -' | can't count onitama: EXPECTED
        dice_shogi --seed 1 | can't count dice_shogi: EXPECTED
        kutulu | can't count kutulu: EXPECTED
        ",
    ) {
        let expected =
            "expected minishogi or dice_shogi, which take --sfen, or onitama, which takes --seed";
        let said = said.replace("EXPECTED", expected) + "\n";
        line(here, &format!("perft {args}"))
            .status(2)
            .contains(&said);
    }
}
