//! `--json --quiet`: whatever a command is given, it prints one document and nothing else, and its
//! exit status is in the document.

use std::fs;

use serde_json::Value;

use crate::programs::{
    Folder, PATIENT, Said as _, bots, has, in_project, json, line, mistake, new_folder, read, said,
    stderr, table, write,
};

/// What each command is given, its exit status, and the kind of its error or the name of its
/// schema; a row may use what those before it made.
const ROWS: &str = r#"
    init mine --language python | 0 | init
    init mine | 3 | input
    init --game chess | 2 | usage
    init --language cobol | 2 | usage
    init ttt --referee tictactoe.py | 0 | init
    init ttt --referee nowhere.py | 3 | unusable
    check onitama "arena bot onitama-greedy" --seeds 1 @ | 0 | check
    check onitama "sh -c 'exit 7'" --seeds 1 | 1 | check
    check onitama ./nowhere.py | 3 | input
    check chess ./bot | 2 | usage
    check ttt/arena.toml | 0 | check-referee
    check mistake.toml | 2 | usage
    duel onitama "arena bot onitama-greedy" "arena bot onitama-random" --games 4 --out duel @ | 0 | run
    duel onitama "arena bot onitama-greedy" "arena bot onitama-random" --out duel | 3 | run_folder
    duel onitama "arena bot onitama-greedy" ./nowhere.py | 3 | input
    duel chess a b | 2 | usage
    duel onitama | 2 | usage
    run sprt.toml | 4 | run
    run sweep.toml | 0 | run
    run tune.toml | 4 | run
    run sprt.toml | 3 | run_folder
    run mistake.toml | 3 | config
    run nowhere.toml | 3 | config
    run sprt.toml --games many | 2 | usage
    tune onitama "arena bot onitama-search --depth {depth=2:1..4}" --units 1 --out tuned @ | 0 | run
    tune onitama ./nowhere.py | 2 | usage
    report duel | 0 | run
    report results/sprt | 0 | run
    report results/sweep | 0 | run
    report results/tune | 0 | run
    report nowhere | 3 | run_folder
    report | 2 | usage
    replay duel | 0 | replay
    replay duel 0 | 0 | replay-game
    replay results/sprt 0 --turns 3..5 | 0 | replay-game
    replay duel 0 --as-input 1 | 0 | replay-input
    replay duel 0 --against "arena bot onitama-random" --seat 0 | 0 | replay-against
    replay duel --bot "onitama-random" --against "arena bot onitama-greedy" | 0 | replay-against
    replay duel 0 --against "arena bot onitama-random" --from 3 | 0 | replay-game
    replay duel 0 --turns 900..901 | 3 | input
    replay nowhere | 3 | run_folder
    replay duel 17 | 3 | input
    replay duel many | 2 | usage
    verify duel results/sprt | 0 | verify
    verify broken.jsonl | 1 | verify
    verify broken.jsonl nowhere | 3 | run_folder
    verify nowhere broken.jsonl | 3 | run_folder
    verify duel --referee nowhere.py | 2 | usage
    import battle.json.gz --game onitama --out imported | 0 | import
    import battle.json.gz --game onitama --out imported | 3 | run_folder
    import battle.json.gz mistake.toml --out others | 3 | import
    import battle.json.gz --out others | 5 | import
    import battle.json.gz --game chess | 2 | usage
    rate duel results/sprt | 0 | rate
    rate nowhere | 3 | run_folder
    rate | 2 | usage
    elo duel | 0 | elo
    elo --wdl 10,5,3 | 0 | elo
    elo nowhere | 3 | run_folder
    elo --wdl 1 | 2 | usage
    sprt --wdl 10,5,3 | 4 | sprt
    sprt results/sprt | 4 | sprt-of-run
    sprt nowhere | 3 | run_folder
    sprt | 0 | sprt
    sprt --elo0 even | 2 | usage
    list | 0 | list
    list games | 0 | list
    list bots | 0 | list
    list languages | 0 | list
    list rules kutulu | 0 | list
    list rules ttt/arena.toml | 3 | input
    list rules | 2 | usage
    list rules chess | 2 | usage
    list nothing | 2 | usage
    doctor | 0 | doctor
    doctor me | 2 | usage
    worker | 2 | usage
    worker nats://localhost --name | 2 | usage
    perft onitama --depth 2 | 0 | perft
    perft minishogi --depth 2 | 0 | perft
    perft kutulu | 2 | usage
    perft chess | 2 | usage
    perft minishogi --sfen nonsense | 3 | position
    pool | 3 | pool
    pool new onitama | 0 | pool-new
    pool new onitama | 3 | pool
    pool new chess | 2 | usage
    pool new --referee nowhere.py | 3 | unusable
    pool new --referee tictactoe.py --pool other | 0 | pool-new
    pool add a="arena bot onitama-random" | 0 | pool
    pool add a="arena bot onitama-random" | 3 | pool
    pool add b=./nowhere.py | 3 | input
    pool add "arena bot onitama-random" | 2 | usage
    pool best a | 0 | pool
    pool best nobody | 3 | pool
    pool best | 2 | usage
    pool try c="arena bot onitama-greedy" --games 16 @ | 0 | pool-try
    pool try d=./nowhere.py | 3 | input
    pool try ./bot | 2 | usage
    pool retire c | 0 | pool
    pool retire nobody | 3 | pool
    pool retire | 2 | usage
    pool | 0 | pool
    pool nonsense | 2 | usage
    nonsense | 2 | usage
"#;

/// Commands whose output other programs read as it is.
const WITHOUT_JSON: &str = "
    bot onitama-greedy
    start cat
    minishogi --interactive
    completions bash
";

/// The configs of runs: format, game, table of the format, and bots as in [`programs::bots`].
const CONFIGS: [[&str; 4]; 3] = [
    [
        "sprt",
        "kutulu",
        "max_units = 2",
        "greedy | arena bot kutulu-greedy\n random | arena bot kutulu-random",
    ],
    [
        "sweep",
        "onitama",
        "bot = 'search'\nvalues = { depth = [1, 2] }\nblock = 2\nmax_units = 2",
        "search | arena bot onitama-search --depth {depth}\n greedy | arena bot onitama-greedy",
    ],
    [
        "tune",
        "onitama",
        "bot = 'search'\nparameters = { depth = { min = 1, max = 4, start = 1 } }\nblock = 2\nmax_units = 4",
        "search | arena bot onitama-search --depth {depth}",
    ],
];

/// A folder with the files of the rows.
fn ground() -> Folder {
    let folder = new_folder();
    for [format, game, keys, players] in CONFIGS {
        let clock = "first_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000";
        let run = format!("seed = 1\nname = {format:?}\ngame = {game:?}\nformat = {format:?}");
        let config = format!("[run]\n{run}\n[clock]\n{clock}\n[{format}]\n{keys}\n");
        write(&folder, &format!("{format}.toml"), config + &bots(players));
    }
    write(&folder, "mistake.toml", "[run]\ngaems = 3\n");
    write(&folder, "broken.jsonl", "nonsense\n");
    for (from, to) in [
        ("referees/tictactoe.py", "tictactoe.py"),
        (
            "tests/golden/battles/onitama-shrine_reached-1.json.gz",
            "battle.json.gz",
        ),
    ] {
        fs::copy(in_project(from), folder.join(to)).unwrap();
    }
    folder
}

#[test]
fn every_command_prints_one_document_and_nothing_else() {
    let folder = &ground();
    let mut wrong = Vec::new();
    for [args, status, kind] in table(ROWS) {
        let args = args.replace(" @", &format!(" {PATIENT}"));
        let out = line(folder, &format!("{args} --json --quiet"));
        let document: Value = serde_json::from_slice(&out.stdout).unwrap_or_default();
        let error = document["error"]["kind"].as_str();
        let [left, found] = [&document["exit"], &out.status.code().into()].map(Value::to_string);
        let schema = error.map_or(kind, |_| "error");
        let mistake = mistake(schema, &document).unwrap_or_default();
        if [
            &*left,
            &*found,
            error.unwrap_or(kind),
            &*stderr(&out),
            &*mistake,
        ] != [status, status, kind, "", ""]
        {
            wrong.push(format!(
                "$ arena {args}\n{}= {found}: {mistake}",
                said(&out)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_has_a_row() {
    let page = read(&in_project("docs"), "reference/commands.md");
    for line in page.lines() {
        let Some(command) = line.strip_prefix("## `arena ") else {
            continue;
        };
        let start = format!("\n    {}", command.trim_end_matches('`'));
        let rows = [ROWS, WITHOUT_JSON].concat();
        assert!(rows.contains(&start), "no row for {command}");
    }
}

#[test]
fn what_other_programs_read_is_never_json() {
    let folder = &new_folder();
    for [command] in table(WITHOUT_JSON) {
        let out = line(folder, &format!("--json --quiet {command}"));
        let document = json(out.status(2));
        assert_eq!(document["exit"], 2, "{command}");
        has(
            &document["error"]["message"].to_string(),
            "can't use --json",
        );
        assert_eq!(stderr(&out), "", "{command}");
    }
}
