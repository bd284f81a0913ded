//! The program's own view of the games: `arena list games` and `arena perft`.

use arena_games::Games;

use crate::programs::{self, Said as _};

#[test]
fn the_program_lists_every_game() {
    let out = programs::program()
        .args(["list", "games"])
        .output()
        .unwrap();
    out.status(0);
    let stdout = String::from_utf8(out.stdout).unwrap();
    for spec in Games::standard().iter() {
        let lines = stdout
            .lines()
            .filter(|line| line.split_whitespace().next() == Some(spec.id.as_str()));
        assert_eq!(lines.count(), 1, "{}", spec.id);
    }
    insta::assert_snapshot!(stdout);
}

#[test]
fn the_program_counts_sequences_of_moves() {
    for (options, code, said) in [
        (
            &["onitama", "--seed=1", "--depth=1"][..],
            Some(0),
            "6 C1C2: 1\n6 D1D2: 1\n6 E1E2: 1\n9\n",
        ),
        (&["minishogi", "--depth", "2"], Some(0), "181\n"),
        (
            &["minishogi", "--depth", "0"],
            Some(2),
            "can't use --depth 0: expected an integer from 1 to 99\n",
        ),
        (
            &["onitama", "--sfen", "4k/5/5/5/K4 b -"],
            Some(2),
            "can't count onitama: expected minishogi or dice_shogi, which take --sfen, or onitama, which takes --seed\n",
        ),
        (
            &["dice_shogi", "--seed", "1"],
            Some(2),
            "can't count dice_shogi: expected minishogi or dice_shogi, which take --sfen, or onitama, which takes --seed\n",
        ),
        (
            &["kutulu"],
            Some(2),
            "can't count kutulu: expected minishogi or dice_shogi, which take --sfen, or onitama, which takes --seed\n",
        ),
    ] {
        let output = programs::program()
            .arg("perft")
            .args(options)
            .output()
            .unwrap();
        let text = String::from_utf8(if code == Some(0) {
            output.stdout
        } else {
            output.stderr
        })
        .unwrap();
        assert_eq!(output.status.code(), code, "{options:?}");
        assert!(text.contains(said), "{options:?}: {text}");
    }
}
