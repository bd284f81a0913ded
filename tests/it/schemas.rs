//! What commands print with `--json` has the form of docs/reference/schemas.

use serde_json::Value;

use crate::programs::{
    in_project, json, line, mistake, new_folder, sample_bot, stderr, table, validate, write,
};

/// The schema and the command. `tests/it/docs/files.rs` has documents of runs and pools.
const DOCUMENTS: &str = "
    elo | elo --wdl 10,0,0
    elo | elo --wdl 0,5,0
    elo | elo --wdl 0,0,0
    elo | elo RUN --between search-d2 greedy
    sprt | sprt --wdl 40,9,5
    sprt | sprt --wdl 0,0,0
    sprt | sprt --elo1 20 --model normalized
    sprt | sprt RUN --between search-d2 greedy
    rate | rate RUN
    rate | rate table.csv
    rate | rate empty.csv
    run | report RUN
    check | check onitama BOT --seeds 1
    check | check onitama false
    check-referee | check referee.toml --seeds 2
    error | elo
    error | elo no-such-run
    error | run no-such.toml
    error | report no-such-run
    error | check tetris false
    error | pool
    error | --no-such-option
";

const REFEREE: &str = "
[run]
game = \"tictactoe\"

[game.tictactoe]
referee = \"python3 REFEREES/tictactoe.py\"
";

#[test]
fn documents_have_the_form_of_their_schemas() {
    let folder = &new_folder();
    let run = in_project("results/example");
    let referees = in_project("referees");
    write(
        folder,
        "table.csv",
        "first,second,wins,draws,losses\na,b,9,0,0\nb,c,4,2,3\n",
    );
    write(folder, "empty.csv", "first,second,wins,draws,losses\n");
    write(
        folder,
        "referee.toml",
        REFEREE.replace("REFEREES", &referees.display().to_string()),
    );
    for [name, args] in table(DOCUMENTS) {
        let args = args.replace("RUN", &run.display().to_string());
        let args = args.replace("BOT", &sample_bot("onitama-greedy"));
        let output = line(folder, &format!("{args} --json --quiet"));
        let document: Value = json(&output);
        validate(name, &document);
        assert_eq!(
            document["exit"].as_i64(),
            output.status.code().map(i64::from)
        );
        assert_eq!(stderr(&output), "", "{args}");
    }
}

#[test]
fn a_schema_rejects_what_it_does_not_describe() {
    let document = json(&line(&new_folder(), "elo --wdl 10,0,0 --json"));
    for (key, value) in [
        ("los", "0.5".into()),
        ("further", Value::Null),
        ("beyond", 1.into()),
    ] {
        let mut other = document.clone();
        other[key] = value;
        assert!(mistake("elo", &other).is_some(), "{key}");
    }
    let mut other = document;
    other.as_object_mut().unwrap().remove("los");
    assert!(mistake("elo", &other).is_some());
}
