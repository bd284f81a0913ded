//! The view of a CI job: the exit status of every situation, and a junit.xml that Jenkins reads, with real processes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use roxmltree::{Document, Node};
use serde_json::Value;

use crate::programs::{self, Said as _, arena, copy_program, said, sample_bot, write_program};

/// An element of `JUnit` XML: its name, the attributes that it must have and may have, and what it may contain, in this order.
/// It is what the schemas of Jenkins have in common: `jenkins-junit.xsd` (the `junit-4.xsd` of dtkit) and the `junit-10.xsd`
/// of the xUnit plugin. `#text` is text.
type Element = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

const SCHEMA: [Element; 9] = [
    (
        "testsuites",
        &[],
        &["name", "time", "tests", "failures", "errors"],
        &["testsuite"],
    ),
    (
        "testsuite",
        &["name", "tests", "failures", "errors"],
        &["time", "skipped", "timestamp", "hostname", "id", "package"],
        &["properties", "testcase", "system-out", "system-err"],
    ),
    ("properties", &[], &[], &["property"]),
    ("property", &["name", "value"], &[], &[]),
    (
        "testcase",
        &["name"],
        &["time", "classname"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    ("error", &[], &["type", "message"], &["#text"]),
    ("failure", &[], &["type", "message"], &["#text"]),
    ("skipped", &[], &[], &["#text"]),
    ("system-out", &[], &[], &["#text"]),
];

/// What is wrong with an element and all that it contains.
fn breaches(node: Node<'_, '_>) -> Vec<String> {
    let name = node.tag_name().name();
    let Some((_, required, optional, content)) = SCHEMA.iter().find(|element| element.0 == name)
    else {
        return vec![format!("<{name}> is not known")];
    };
    let mut wrong = Vec::new();
    let has: BTreeSet<&str> = node
        .attributes()
        .map(|attribute| attribute.name())
        .collect();
    wrong.extend(
        required
            .iter()
            .filter(|name| !has.contains(*name))
            .map(|missing| format!("<{name}> lacks {missing}")),
    );
    let known = |attribute: &&&str| required.contains(*attribute) || optional.contains(*attribute);
    wrong.extend(
        has.iter()
            .filter(|name| !known(name))
            .map(|other| format!("<{name}> has {other}")),
    );
    let is_time = |text: &str| {
        text.chars().all(|c| c.is_ascii_digit() || c == '.') && text.matches('.').count() < 2
    };
    wrong.extend(
        node.attribute("time")
            .filter(|time| !is_time(time))
            .map(|time| format!("<{name}> takes {time}")),
    );
    let mut before = 0;
    for child in node
        .children()
        .filter(|child| child.is_element() || !child.text().unwrap_or_default().trim().is_empty())
    {
        let kind = if child.is_element() {
            child.tag_name().name()
        } else {
            "#text"
        };
        match content.iter().position(|allowed| *allowed == kind) {
            None => wrong.push(format!("<{name}> holds {kind}")),
            Some(place) if place < before => wrong.push(format!("<{name}> holds {kind} too late")),
            Some(place) => before = place,
        }
        wrong.extend(
            child
                .is_element()
                .then(|| breaches(child))
                .into_iter()
                .flatten(),
        );
    }
    wrong
}

/// The file must keep to the schema, and its sums must be right. Gives the cases that failed and were skipped, with the text.
fn junit(xml: &str) -> [Vec<(String, String)>; 2] {
    let document = Document::parse(xml).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    assert_eq!(breaches(root), Vec::<String>::new(), "{xml}");
    let cases = |kind: &str| -> Vec<(String, String)> {
        let found = root.descendants().filter(|node| node.has_tag_name(kind));
        let name =
            |node: Node<'_, '_>| node.parent().unwrap().attribute("name").unwrap().to_owned();
        found
            .map(|node| (name(node), node.text().unwrap_or_default().to_owned()))
            .collect()
    };
    for (sum, kind) in [
        ("tests", "testcase"),
        ("failures", "failure"),
        ("skipped", "skipped"),
    ] {
        let count = |node: Node<'_, '_>| {
            node.descendants()
                .filter(|inner| inner.has_tag_name(kind))
                .count()
                .to_string()
        };
        for suite in root
            .descendants()
            .filter(|node| node.attribute(sum).is_some())
        {
            assert_eq!(
                suite.attribute(sum),
                Some(count(suite).as_str()),
                "{sum}: {xml}"
            );
        }
    }
    [cases("failure"), cases("skipped")]
}

#[test]
fn the_schema_is_strict() {
    let wrong = |xml: &str| breaches(Document::parse(xml).unwrap().root_element());
    assert_eq!(
        wrong(r#"<testsuites skipped="0"/>"#),
        ["<testsuites> has skipped"]
    );
    assert_eq!(
        wrong(r#"<testsuite name="a" tests="1" errors="0"/>"#),
        ["<testsuite> lacks failures"]
    );
    assert_eq!(
        wrong(r#"<testcase name="a" time="1e3"/>"#),
        ["<testcase> takes 1e3"]
    );
    let order = r#"<testcase name="a"><system-out>x</system-out><failure/>y</testcase>"#;
    assert_eq!(
        wrong(order),
        [
            "<testcase> holds failure too late",
            "<testcase> holds #text"
        ]
    );
    assert_eq!(
        wrong(r#"<skipped message="m"/>"#),
        ["<skipped> has message"]
    );
}

/// How bots are started: the search, and scripts round it.
const BOTS: [(&str, &str); 5] = [
    ("sound", "exec ./search --depth 1"),
    ("weak", "exec ./search --depth 1 --blunder 60"),
    // In one game of ten, its seed tells.
    (
        "shaky",
        "case $ARENA_SEED in *7) echo no move >&2; exit 3;; esac; exec ./search --depth 1 --blunder 60",
    ),
    // A run does not start with a bot that ends before its first answer where it is tried out, with seed 1.
    (
        "crashes",
        "test $ARENA_SEED = 1 || exec ./search --depht 1; exec ./search --depth 1",
    ),
    ("slow", "sleep 1; exec ./search --depth 1"),
];

/// A folder with the bots.
fn ground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_program(sample_bot("onitama-search"), &folder.path().join("search"));
    for (name, script) in BOTS {
        script_at(&folder.path().join(name), script);
    }
    folder
}

fn script_at(path: &Path, script: &str) {
    write_program(
        path,
        &format!("#!/bin/sh\ncd \"$(dirname \"$0\")\"\n{script}\n"),
    );
}

/// The config of a test of a candidate against a stored bot; a match if it has no bounds.
fn config(folder: &Path, name: &str, [candidate, stored]: [&str; 2], test: Option<&str>) {
    let format = if test.is_some() {
        "format = \"sprt\""
    } else {
        "format = \"round-robin\"\ngames = 40"
    };
    let test = test.map_or_else(String::new, |test| {
        format!("[sprt]\nelo0 = -30\nelo1 = 0\n{test}\n")
    });
    let content = format!(
        "[run]\nname = \"{name}\"\ngame = \"onitama\"\nseed = 1\nopening_plies = 4\njobs = 2\n{format}\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n{test}\
         [[bot]]\nname = \"candidate\"\ncommand = \"./{candidate}\"\n\
         [[bot]]\nname = \"stored\"\ncommand = \"./{stored}\"\n"
    );
    fs::write(folder.join(format!("{name}.toml")), content).unwrap();
}

/// A report of a run, which says nothing else.
fn report(folder: &Path, run: &str, flag: &str) -> String {
    let out = arena(folder, &["report", run, flag, "-"]);
    out.status(0);
    String::from_utf8(out.stdout).unwrap()
}

fn names(cases: &[(String, String)]) -> Vec<&str> {
    cases.iter().map(|(name, _)| name.as_str()).collect()
}

/// One situation of a CI job.
struct Situation {
    name: &'static str,
    /// The candidate, and the stored bot.
    bots: [&'static str; 2],
    /// A line of the test; none is a match of 40 games.
    test: Option<&'static str>,
    flags: &'static [&'static str],
    /// The exit status.
    code: i32,
    /// The `JUnit` cases that failed, and were skipped.
    failed: &'static [&'static str],
    skipped: &'static [&'static str],
    /// What is said.
    says: &'static str,
}

const MANY: Option<&str> = Some("max_units = 2000");
/// Long enough for rare faults.
const LONG: Option<&str> = Some("max_units = 2000\nearly = false");
const FEW: Option<&str> = Some("max_units = 3");

#[rustfmt::skip]
const SITUATIONS: [Situation; 13] = [
    Situation { name: "better", bots: ["sound", "weak"], test: MANY, flags: &[], code: 0, failed: &[], skipped: &[], says: "accepted" },
    Situation { name: "worse", bots: ["weak", "sound"], test: MANY, flags: &[], code: 1, failed: &["verdict"], skipped: &[], says: "rejected" },
    Situation { name: "undecided", bots: ["sound", "sound"], test: FEW, flags: &[], code: 4, failed: &[], skipped: &["verdict"], says: "the maximum of units was played" },
    Situation { name: "time-over", bots: ["slow", "sound"], test: MANY, flags: &["--for", "1500ms"], code: 4, failed: &[], skipped: &["verdict"], says: "time over (1.5 s)" },
    Situation { name: "candidate-crashes", bots: ["crashes", "sound"], test: MANY, flags: &[], code: 1, failed: &["candidate", "verdict"], skipped: &[], says: "rejected" },
    Situation { name: "stored-crashes", bots: ["sound", "crashes"], test: MANY, flags: &[], code: 4, failed: &[], skipped: &["stored", "verdict"], says: "no verdict: stored failed in 10 of its first 10 units (" },
    Situation { name: "both-crash", bots: ["crashes", "crashes"], test: MANY, flags: &[], code: 4, failed: &["candidate"], skipped: &["stored", "verdict"], says: "no verdict: candidate failed in 10 of its first 10 units" },
    Situation { name: "stored-shaky", bots: ["sound", "shaky"], test: LONG, flags: &[], code: 0, failed: &[], skipped: &["stored"], says: "accepted" },
    Situation { name: "candidate-shaky", bots: ["shaky", "weak"], test: Some("max_units = 15"), flags: &[], code: 4, failed: &["candidate"], skipped: &["verdict"], says: "candidate failed" },
    Situation { name: "match", bots: ["sound", "weak"], test: None, flags: &[], code: 0, failed: &[], skipped: &[], says: "40 games, 2 bots" },
    Situation { name: "match-time-over", bots: ["slow", "sound"], test: None, flags: &["--for", "1500ms"], code: 0, failed: &[], skipped: &[], says: "of 40 games" },
    Situation { name: "match-stored-crashes", bots: ["sound", "crashes"], test: None, flags: &[], code: 4, failed: &[], skipped: &["stored", "verdict"], says: "no verdict: stored failed in 10 of its first 10 units" },
    Situation { name: "match-candidate-crashes", bots: ["crashes", "sound"], test: None, flags: &[], code: 4, failed: &["candidate"], skipped: &["verdict"], says: "no verdict: candidate failed in 10 of its first 10 units" },
];

#[test]
fn every_situation_has_its_exit_status_and_its_junit() {
    let ground = ground();
    let folder = ground.path();
    for Situation {
        name,
        bots,
        test,
        flags,
        code,
        failed,
        skipped,
        says,
    } in SITUATIONS
    {
        config(folder, name, bots, test);
        let config = format!("{name}.toml");
        let out = arena(folder, &[&["run", &config], flags].concat());
        out.status(code).contains(says);
        let run = format!("results/{name}");
        let xml = report(folder, &run, "--junit");
        let [found_failed, found_skipped] = junit(&xml);
        assert_eq!(
            (names(&found_failed), names(&found_skipped)),
            (failed.to_vec(), skipped.to_vec()),
            "{name}"
        );
        // A run that was stopped lacks games, and so does one that ended without an answer. The games of a test are a maximum.
        let rest = "played: the run is not finished; --resume plays the rest";
        assert_eq!(xml.contains(rest), !flags.is_empty(), "{name}: {xml}");
        let in_vain = says.starts_with("no verdict");
        let why = "failed in 10 of its first 10 units, so the ";
        assert_eq!(xml.contains(why), in_vain, "{name}: {xml}");
        let is_error = in_vain || !flags.is_empty();
        assert_eq!(xml.contains("<error "), is_error, "{name}: {xml}");
        // Nothing that happened is lost: both reports name the bots that failed.
        let markdown = report(folder, &run, "--markdown");
        let has_faults = bots.iter().any(|bot| ["crashes", "shaky"].contains(bot));
        assert_eq!(
            markdown.contains("### Faults"),
            has_faults,
            "{name}: {markdown}"
        );
        if skipped.contains(&"stored") {
            assert!(markdown.contains("of opponents"), "{name}: {markdown}");
            let (_, told) = found_skipped
                .iter()
                .find(|(case, _)| case == "stored")
                .unwrap();
            assert!(
                told.contains("it is an opponent") && told.contains("see it again"),
                "{told}"
            );
        }
        assert_eq!(
            markdown.contains("**no verdict**: "),
            says.starts_with("no verdict"),
            "{name}: {markdown}"
        );
    }
}

/// A run whose time is over continues as if it had never stopped.
/// CI systems know a test by its class and its name: no two tests share both, in one report or in
/// those of other runs.
#[test]
fn every_test_has_a_name_of_its_own() {
    let ground = ground();
    let folder = ground.path();
    let onitama = "arena bot onitama-random";
    let shogi = "arena bot minishogi-random";
    let tuned = "arena bot onitama-random --seed {w=1:0..9}";
    let few = ["--units", "32"];
    let sprt = ["--sprt=-10,0,max_units=6"];
    let runs: [(&str, &[&str], &[&str]); 9] = [
        ("onitama", &["duel", "onitama", "a=./sound", onitama], &sprt),
        (
            "shogi",
            &["duel", "minishogi", "a=arena bot minishogi-greedy", shogi],
            &sprt,
        ),
        (
            "x/run",
            &["duel", "onitama", "a=./sound", "b=./weak"],
            &sprt,
        ),
        (
            "y/run",
            &[
                "duel",
                "minishogi",
                "c=arena bot minishogi-greedy",
                "d=arena bot minishogi-random",
            ],
            &sprt,
        ),
        ("t1", &["tune", "onitama", tuned], &few),
        ("t2", &["tune", "onitama", tuned], &few),
        (
            "short",
            &["duel", "onitama", "a=./sound", "b=./weak"],
            &["--games", "4"],
        ),
        (
            "fails",
            &["duel", "onitama", "a=./sound", "b=./crashes"],
            &[],
        ),
        (
            "stops",
            &["duel", "onitama", "a=./sound", "b=./slow"],
            &["--for", "1500ms"],
        ),
    ];
    let mut seen = std::collections::BTreeMap::new();
    for (run, words, flags) in runs {
        let out = arena(
            folder,
            &[words, flags, &["--quiet", "--seed", "1", "--out", run]].concat(),
        );
        assert!(
            folder.join(run).join("plan.toml").exists(),
            "{run}: {}",
            said(&out)
        );
        let xml = report(folder, run, "--junit");
        let document = Document::parse(&xml).unwrap();
        let cases = document
            .descendants()
            .filter(|node| node.has_tag_name("testcase"));
        for case in cases {
            let [class, name] =
                ["classname", "name"].map(|key| case.attribute(key).unwrap().to_owned());
            let base = run.rsplit('/').next().unwrap();
            assert!(class.starts_with(&format!("{base}.")), "{run}: {xml}");
            if let Some(other) = seen.insert([class, name], run) {
                panic!("{run} and {other} share a test: {xml}");
            }
        }
    }
    let classes: Vec<&str> = seen.keys().map(|[class, _]| class.as_str()).collect();
    for class in [
        "onitama.onitama",
        "onitama.onitama.sprt",
        "t2.onitama.tune",
        "fails.onitama.match",
        "stops.onitama.games",
    ] {
        assert!(classes.contains(&class), "{class}: {classes:?}");
    }
}

#[test]
fn a_run_whose_time_is_over_is_resumed() {
    let ground = ground();
    let folder = ground.path();
    config(folder, "run", ["slow", "sound"], Some("max_units = 4"));
    let first = arena(folder, &["run", "run.toml", "--for", "1500ms"]);
    first
        .status(4)
        .contains("to continue: arena run run.toml --for 1500ms --resume --out results/run\n");
    let summary = || -> Value {
        serde_json::from_str(&fs::read_to_string(folder.join("results/run/summary.json")).unwrap())
            .unwrap()
    };
    assert_eq!(summary()["run"]["finished"], false);
    let played = summary()["games_played"].as_u64().unwrap();
    assert!((1..8).contains(&played), "{played}");
    let resumed = arena(folder, &["run", "run.toml", "--resume", "--for", "1h"]);
    assert_eq!(
        (resumed.status.code(), summary()["games_played"].as_u64()),
        (Some(4), Some(8)),
        "{}",
        said(&resumed)
    );
    assert_eq!(summary()["run"]["finished"], true);
    // The command to go on with a duel in a default folder can be typed.
    let duel = [
        "duel",
        "onitama",
        "./slow",
        "./search --depth 1",
        "--games",
        "6",
    ];
    let first = arena(folder, &[&duel[..], &["--for", "1500ms"]].concat());
    let told = said(&first);
    let how = told
        .lines()
        .find_map(|line| line.strip_prefix("to continue: "))
        .unwrap_or_else(|| panic!("{told}"));
    assert_eq!(
        how,
        "arena duel onitama ./slow './search --depth 1' --games 6 --for 1500ms --resume --out results/duel-onitama-1"
    );
    let how = how.replace("1500ms", "1h");
    let resumed = programs::shell(folder, &how).output().unwrap();
    resumed
        .status(0)
        .contains("6 games, ")
        .lacks("to continue:");
}

/// The misspelt option of a bot: whichever of the two it is, nothing is played.
#[test]
fn a_duel_with_a_misspelt_option_does_not_start() {
    let ground = ground();
    let folder = ground.path();
    let (right, wrong) = ("./search --depth 1", "./search --depht 1");
    for bots in [[wrong, right], [right, wrong]] {
        let out = arena(folder, &["duel", "onitama", bots[0], bots[1]]);
        out.status(3);
        let expected = "bot `search --depht 1` ends before its first answer: error: unexpected argument '--depht' found";
        out.contains(expected);
        assert_eq!(fs::read_dir(folder.join("results")).unwrap().count(), 0);
    }
}

/// A bot that always fails: whichever of the two it is, nothing was measured.
#[test]
fn a_duel_with_a_bot_that_crashes_has_no_verdict() {
    let ground = ground();
    let folder = ground.path();
    let (right, wrong) = ("./search --depth 1", "./crashes");
    for (name, bots) in [("old", [wrong, right]), ("new", [right, wrong])] {
        let out = arena(
            folder,
            &[
                "duel", "onitama", bots[0], bots[1], "--out", name, "--for", "10m",
            ],
        );
        out.status(4);
        let answer = said(&out);
        assert!(
            answer.contains("no verdict: ")
                && answer.contains("failed in 10 of its first 10 units"),
            "{answer}"
        );
        assert!(answer.contains("20 games, "), "{answer}");
    }
    let short = [
        "duel", "onitama", wrong, right, "--out", "short", "--games", "6",
    ];
    let out = arena(folder, &short);
    out.status(4).contains("failed in 3 of its first 3 units");
    // Nor does a report name a winner.
    config(folder, "match", ["sound", "crashes"], None);
    let out = arena(folder, &["run", "match.toml", "--quiet"]);
    out.status(4);
    let page = fs::read_to_string(folder.join("results/match/report.html")).unwrap();
    let markdown = report(folder, "results/match", "--markdown");
    assert!(
        [page, markdown]
            .iter()
            .all(|text| text.contains("no verdict") && !text.contains("has won everything"))
    );
}

#[test]
fn larger_runs_go_on_and_warn() {
    let ground = ground();
    let folder = ground.path();
    let out = arena(
        folder,
        &[
            "duel",
            "onitama",
            "./sound",
            "./weak",
            "./crashes",
            "--games",
            "24",
            "--out",
            "three",
            "--quiet",
        ],
    );
    out.status(0);
    let warning =
        "warning: results against bots that fail in most games tell little of strength: crashes (";
    out.contains(warning);
    let [failed, skipped] = junit(&report(folder, "three", "--junit"));
    assert_eq!((names(&failed), names(&skipped)), (vec!["crashes"], vec![]));
    assert!(report(folder, "three", "--markdown").contains("warning: results against bots"));
}

/// Only the challenger of a gauntlet can fail, and only the variants of a sweep.
#[test]
fn others_are_only_measured_against() {
    let ground = ground();
    let folder = ground.path();
    let head = "[run]\nname = \"NAME\"\ngame = \"onitama\"\nseed = 3\nopening_plies = 4\n[clock]\nturn_ms = 60000\nfirst_turn_ms = 60000\n";
    let bot =
        |name: &str, command: &str| format!("[[bot]]\nname = \"{name}\"\ncommand = {command}\n");
    let stored = bot("shaky", "\"./shaky\"");
    let gauntlet = head
        .replace("NAME", "gauntlet")
        .replace("seed", "format = \"gauntlet\"\ngames = 30\nseed");
    fs::write(
        folder.join("gauntlet.toml"),
        gauntlet + &bot("candidate", "\"./sound\"") + &stored + &bot("weak", "\"./weak\""),
    )
    .unwrap();
    let sweep = head
        .replace("NAME", "sweep")
        .replace("seed", "format = \"sweep\"\nseed");
    let swept = "[sweep]\nbot = \"search\"\nvalues = { blunder = [0, 60] }\nagainst = [\"shaky\"]\nblock = 8\nmax_units = 16\n";
    let search = bot(
        "search",
        "[\"./search\", \"--depth\", \"1\", \"--blunder\", \"{blunder}\"]",
    );
    fs::write(folder.join("sweep.toml"), sweep + swept + &search + &stored).unwrap();
    for name in ["gauntlet", "sweep"] {
        let out = arena(folder, &["run", &format!("{name}.toml"), "--quiet"]);
        out.status(0);
        let [failed, skipped] = junit(&report(folder, &format!("results/{name}"), "--junit"));
        assert_eq!(
            (names(&failed), names(&skipped)),
            (vec![], vec!["shaky"]),
            "{name}"
        );
    }
}

/// No bot's verdict: the job, the machine, or a signal stopped it.
#[test]
fn what_is_no_result_has_an_exit_status_of_its_own() {
    let ground = ground();
    let folder = ground.path();
    config(folder, "usage", ["sound", "sound"], FEW);
    for (args, code) in [
        (&["run", "usage.toml", "--for", "20"][..], 2),
        (&["run", "usage.toml", "--for", "0s"], 2),
        (&["run", "missing.toml"], 3),
        (&["duel", "onitama", "./sound", "./missing"], 3),
    ] {
        let out = arena(folder, args);
        out.status(code);
    }
    let wrong = said(&arena(folder, &["run", "usage.toml", "--for", "20"]));
    assert!(
        wrong.contains("expected a time, as in 90s, 20m or 1h30m"),
        "{wrong}"
    );

    // It still exists when arena tries whether it starts.
    script_at(
        &folder.join("vanishes"),
        "read -r line; rm -f vanishes; echo no move",
    );
    config(folder, "aborted", ["sound", "vanishes"], MANY);
    let off =
        fs::read_to_string(folder.join("aborted.toml")).unwrap() + "[sandbox]\nmode = \"off\"\n";
    fs::write(folder.join("aborted.toml"), off).unwrap();
    let aborted = arena(folder, &["run", "aborted.toml"]);
    aborted.status(5);
    let xml = report(folder, "results/aborted", "--junit");
    junit(&xml);
    assert!(
        xml.contains("of at most 4000 games were played: ") && xml.contains("vanishes"),
        "{xml}"
    );
    assert!(!xml.contains("no reason was kept"), "{xml}");

    // Bots that are equal, so that nothing is decided before the signal comes, however busy the machine is.
    config(folder, "stopped", ["slow", "slow"], MANY);
    let mut command = programs::program();
    command
        .current_dir(folder)
        .args(["run", "stopped.toml", "--quiet"]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while fs::read_to_string(folder.join("results/stopped/games.csv"))
        .map_or(0, |rows| rows.lines().count())
        < 2
    {
        assert_eq!(child.try_wait().unwrap(), None);
        sleep(Duration::from_millis(5));
    }
    let xml = report(folder, "results/stopped", "--junit");
    assert!(
        xml.contains("were played: the run is still being played"),
        "{xml}"
    );
    let told = said(&arena(folder, &["report", "results/stopped"]));
    assert!(!told.contains("to continue: "), "{told}");
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let xml = report(folder, "results/stopped", "--junit");
    assert!(
        xml.contains("were played: the run is not finished; --resume"),
        "{xml}"
    );
    let [failed, skipped] = junit(&xml);
    assert_eq!((names(&failed), names(&skipped)), (vec![], vec!["verdict"]));
}
