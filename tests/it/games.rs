//! The program's own view of the games: `arena list games`, `arena list rules` and `arena perft`.

use std::path::Path;

use arena_games::Games;

use crate::programs::{Said as _, check_rows, has, line, new_folder, stdout, table, write};

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

/// The parts of the text of each game, and the ends that it describes.
const PARTS: &str = "
    minishogi | MiniShogi | checkmate stalemate repetition perpetual_check max_rounds invalid_action timeout
    dice_shogi | MiniShogi, Dice Shogi | checkmate stalemate max_rounds invalid_action timeout
    onitama | Onitama | master_captured shrine_reached max_turns invalid_action timeout
    kutulu | Code of Kutulu | max_turns last_survivor last_died_together all_invalid
";

/// docs/reference/games.md is the source; the text has what is about one game, without links and
/// commands.
#[test]
fn the_rules_of_a_game_are_text() {
    let here = Path::new(".");
    let rows = table(PARTS);
    assert_eq!(rows.len(), Games::standard().iter().count());
    for [id, parts, ends] in rows {
        let out = line(here, &format!("list rules {id}"));
        out.status(0).lacks("](").lacks("\n$ ");
        let text = stdout(&out);
        let spec = Games::standard().search(id).unwrap().clone();
        line(here, &format!("list rules '{}'", spec.title)).prints(&text);
        let [first, later] = [spec.first_turn, spec.turn].map(|limit| limit.as_millis());
        let limits = format!("may take {first} ms, each later one {later} ms,\nunless a config");
        has(&text, &limits);
        let (common, own) = text.split_once("\n### How games end\n").unwrap();
        has(common, "\n## In all games\n");
        let (reasons, own) = own.split_once("\n## ").unwrap();
        let reasons = reasons.split("| `").skip(1);
        let reasons: Vec<&str> = reasons.filter_map(|row| row.split('`').next()).collect();
        assert_eq!(reasons.join(" "), ends);
        let own: Vec<&str> = own.split("\n## ").collect();
        let titles: Vec<&str> = own.iter().filter_map(|part| part.lines().next()).collect();
        assert_eq!(titles.join(", "), parts);
        for part in own {
            has(part, "is a legal answer:\n\n```\n");
        }
    }
}

/// A project of the SDK has its statement in files, for all leagues and for each.
#[test]
fn the_rules_of_a_project_are_its_statement_files() {
    let folder = new_folder();
    let main = "ants/target/classes/com/codingame/gameengine/core/RefereeMain.class";
    for file in [
        main,
        "ants/config/statement_en.html.tpl",
        "ants/config/level2/statement_en.html",
        "ants/config/stub.txt",
        "ants/target/ants.jar",
        "bare/referee.py",
    ] {
        write(&folder, file, "");
    }
    let jar = "jar = [\"ants/target/classes\", \"ants/target/dependency/*\"]";
    let config = format!("[game.ants]\n{jar}\n[game.bare]\nreferee = \"bare/referee.py\"\n");
    write(&folder, "two.toml", config);
    for name in ["ants", "ants/target/ants.jar", "two.toml:ants"] {
        line(&folder, &format!("list rules {name}"))
            .status(0)
            .prints(&format!(
                "The rules of {name} are in these files:\n\
                 ants/config/statement_en.html.tpl\nants/config/level2/statement_en.html\n"
            ));
    }
    check_rows(
        &folder,
        "
        list rules bare | 3 | can't find the rules of bare: its project has no statement files
        list rules two.toml:bare | 3 | hint: `arena check two.toml:bare` shows what a referee sends
        list rules two.toml | 2 | it has two.toml:ants, two.toml:bare
        list rules | 2 | expected one of minishogi, dice_shogi, onitama, kutulu, a config
        list rules kutulo | 2 | did you mean `kutulu`?
        list rules kutulu.toml | 2 | there is no such file
        list bots onitama | 2 | only `rules` takes a game
        ",
    );
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
