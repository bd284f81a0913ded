//! The view of a CI job: the exit status of every situation, and a junit.xml that Jenkins reads,
//! with real processes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use roxmltree::{Document, Node};
use tempfile::TempDir;

use crate::programs::{
    Said as _, check_rows, command, copy_program, count_lines, has, in_project, line, promised,
    read, said, sample_bot, shell, signal, stdout, summary, table, write, write_program,
};

/// The elements of `JUnit` XML: the name, the attributes that an element must have and may have,
/// and what it may contain, in this order. It is what the schemas of Jenkins have in common:
/// `jenkins-junit.xsd` (the `junit-4.xsd` of dtkit) and the `junit-10.xsd` of the xUnit plugin.
const SCHEMA: &str = "
    testsuites | - | name time tests failures errors | testsuite
    testsuite | name tests failures errors | time skipped timestamp hostname id package | properties testcase system-out system-err
    properties | - | - | property
    property | name value | - | -
    testcase | name | time classname | skipped error failure system-out system-err
    error | - | type message | #text
    failure | - | type message | #text
    skipped | - | - | #text
    system-out | - | - | #text
";

/// What is wrong with an element and all that it contains.
fn breaches(node: Node<'_, '_>) -> Vec<String> {
    let name = node.tag_name().name();
    let mut elements = table::<4>(SCHEMA).into_iter();
    let Some([_, required, optional, content]) = elements.find(|element| element[0] == name) else {
        return vec![format!("<{name}> is not known")];
    };
    let has = |list: &str, word: &str| list.split(' ').any(|listed| listed == word);
    let mut wrong = Vec::new();
    for key in required.split(' ') {
        if key != "-" && !node.has_attribute(key) {
            wrong.push(format!("<{name}> lacks {key}"));
        }
    }
    for attribute in node.attributes() {
        let (key, value) = (attribute.name(), attribute.value());
        if !has(required, key) && !has(optional, key) {
            wrong.push(format!("<{name}> has {key}"));
        }
        let is_time = value.chars().all(|c| c.is_ascii_digit() || c == '.');
        if key == "time" && !(is_time && value.matches('.').count() < 2) {
            wrong.push(format!("<{name}> takes {value}"));
        }
    }
    let mut before = 0;
    for child in node.children() {
        let kind = if child.is_element() {
            child.tag_name().name()
        } else if child.text().unwrap_or_default().trim().is_empty() {
            continue;
        } else {
            "#text"
        };
        match content.split(' ').position(|allowed| allowed == kind) {
            None => wrong.push(format!("<{name}> holds {kind}")),
            Some(place) if place < before => wrong.push(format!("<{name}> holds {kind} too late")),
            Some(place) => before = place,
        }
        if child.is_element() {
            wrong.extend(breaches(child));
        }
    }
    wrong
}

/// The elements with this name in an element.
fn tagged<'a, 'd>(node: Node<'a, 'd>, name: &str) -> Vec<Node<'a, 'd>> {
    let all = node.descendants();
    all.filter(|found| found.has_tag_name(name)).collect()
}

/// The names of cases, and what they say.
type Cases = Vec<(String, String)>;

/// The file must keep to the schema, and its sums must be right. Returns the cases that failed and
/// those that were skipped.
fn junit(xml: &str) -> [Cases; 2] {
    let document = Document::parse(xml).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    assert_eq!(breaches(root), Vec::<String>::new(), "{xml}");
    for (sum, kind) in [
        ("tests", "testcase"),
        ("failures", "failure"),
        ("skipped", "skipped"),
    ] {
        for suite in root.descendants() {
            if let Some(told) = suite.attribute(sum) {
                let count = tagged(suite, kind).len();
                assert_eq!(told, count.to_string(), "{sum}: {xml}");
            }
        }
    }
    ["failure", "skipped"].map(|kind| {
        let mut cases = Cases::new();
        for node in tagged(root, kind) {
            let name = node.parent().unwrap().attribute("name").unwrap();
            let text = node.text().unwrap_or_default();
            cases.push((name.to_owned(), text.to_owned()));
        }
        cases
    })
}

#[test]
fn the_schema_is_strict() {
    for [xml, breach] in table(
        r#"
        <testsuites skipped="0"/> | <testsuites> has skipped
        <testsuite name="a" tests="1" errors="0"/> | <testsuite> lacks failures
        <testcase name="a" time="1e3"/> | <testcase> takes 1e3
        <testcase name="a"><system-out>x</system-out><failure/>y</testcase> | <testcase> holds failure too late, <testcase> holds #text
        <skipped message="m"/> | <skipped> has message
        "#,
    ) {
        let document = Document::parse(xml).unwrap();
        assert_eq!(breaches(document.root_element()).join(", "), breach);
    }
}

/// How bots are started: the search, and scripts round it. In one game of ten, the seed makes the
/// shaky one fail. A run does not start with a bot that ends before its first answer where it is
/// tried out, with seed 1.
const BOTS: &str = "
    sound | exec ./search --depth 1
    weak | exec ./search --depth 1 --blunder 60
    shaky | case $ARENA_SEED in *7) echo no move >&2; exit 3;; esac; exec ./search --depth 1 --blunder 60
    crashes | test $ARENA_SEED = 1 || exec ./search --depht 1; exec ./search --depth 1
    slow | sleep 1; exec ./search --depth 1
";

/// A folder with the bots.
fn ground() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_program(sample_bot("onitama-search"), &folder.path().join("search"));
    for [name, script] in table(BOTS) {
        write_script(&folder.path().join(name), script);
    }
    folder
}

fn write_script(path: &Path, script: &str) {
    write_program(
        path,
        &format!("#!/bin/sh\ncd \"$(dirname \"$0\")\"\n{script}\n"),
    );
}

/// The config of a match of a candidate and a stored bot, or of a test with these keys.
fn config(folder: &Path, name: &str, bots: &str, test: &str) {
    let (candidate, stored) = bots.split_once(' ').unwrap();
    let (format, test) = match test {
        "match" => ("round-robin\"\ngames = 40", String::new()),
        test => (
            "sprt\"",
            format!(
                "[sprt]\nelo0 = -30\nelo1 = 0\n{}\n",
                test.replace(", ", "\n")
            ),
        ),
    };
    let content = format!(
        "[run]\nname = \"{name}\"\ngame = \"onitama\"\nseed = 1\nopening_plies = 4\njobs = 2\nformat = \"{format}\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n{test}\
         [[bot]]\nname = \"candidate\"\ncommand = \"./{candidate}\"\n\
         [[bot]]\nname = \"stored\"\ncommand = \"./{stored}\"\n"
    );
    write(folder, &format!("{name}.toml"), content);
}

/// A report of a run, which says nothing else.
fn report(folder: &Path, run: &str, flag: &str) -> String {
    let out = line(folder, &format!("report {run} {flag} -"));
    out.status(0);
    stdout(&out)
}

/// The names of cases; `-` if there are none.
fn names(cases: &[(String, String)]) -> String {
    let names: Vec<&str> = cases.iter().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        "-".to_owned()
    } else {
        names.join(" ")
    }
}

/// Situations of a CI job: the name, the candidate and the stored bot, the keys of the test, the
/// most time, the exit status, the `JUnit` cases that failed and that were skipped, and what is
/// said. Some tests are long enough for rare faults.
const SITUATIONS: &str = "
    better | sound weak | max_units = 2000 | 1h | 0 | - | - | accepted
    worse | weak sound | max_units = 2000 | 1h | 1 | verdict | - | rejected
    undecided | sound sound | max_units = 3 | 1h | 4 | - | verdict | the maximum of units was played
    time-over | slow sound | max_units = 2000 | 1500ms | 4 | - | verdict | time over (1.5 s)
    candidate-crashes | crashes sound | max_units = 2000 | 1h | 1 | candidate verdict | - | rejected
    stored-crashes | sound crashes | max_units = 2000 | 1h | 4 | - | stored verdict | no verdict: stored failed in 10 of its first 10 units (
    both-crash | crashes crashes | max_units = 2000 | 1h | 4 | candidate | stored verdict | no verdict: candidate failed in 10 of its first 10 units
    stored-shaky | sound shaky | max_units = 2000, early = false | 1h | 0 | - | stored | accepted
    candidate-shaky | shaky weak | max_units = 15 | 1h | 4 | candidate | verdict | candidate failed
    match | sound weak | match | 1h | 0 | - | - | 40 games, 2 bots
    match-time-over | slow sound | match | 1500ms | 0 | - | - | of 40 games
    match-stored-crashes | sound crashes | match | 1h | 4 | - | stored verdict | no verdict: stored failed in 10 of its first 10 units
    match-candidate-crashes | crashes sound | match | 1h | 4 | candidate | verdict | no verdict: candidate failed in 10 of its first 10 units
";

#[test]
fn every_situation_has_its_exit_status_and_its_junit() {
    let ground = ground();
    let folder = ground.path();
    for [name, bots, test, time, status, failed, skipped, says] in table(SITUATIONS) {
        config(folder, name, bots, test);
        let limit = if time == "1h" {
            String::new()
        } else {
            format!("--for {time}")
        };
        let out = line(folder, &format!("run {name}.toml {limit}"));
        out.status(status.parse().unwrap()).contains(says);
        let run = format!("results/{name}");
        let xml = report(folder, &run, "--junit");
        let [found_failed, found_skipped] = junit(&xml);
        let found = [names(&found_failed), names(&found_skipped)];
        assert_eq!(found, [failed, skipped], "{name}");
        // A run that was stopped lacks games, and so does one that ended without an answer. The
        // games of a test are a maximum.
        let (is_cut, in_vain) = (time != "1h", says.starts_with("no verdict"));
        for (text, is_said) in [
            (
                "played: the run is not finished; --resume plays the rest",
                is_cut,
            ),
            ("failed in 10 of its first 10 units, so the ", in_vain),
            ("<error ", in_vain || is_cut),
        ] {
            assert_eq!(xml.contains(text), is_said, "{name}, {text}: {xml}");
        }
        // Nothing that happened is lost: both reports name the bots that failed.
        let has_faults = bots.contains("crashes") || bots.contains("shaky");
        let markdown = report(folder, &run, "--markdown");
        for (text, is_said) in [("### Faults", has_faults), ("**no verdict**: ", in_vain)] {
            assert_eq!(
                markdown.contains(text),
                is_said,
                "{name}, {text}: {markdown}"
            );
        }
        if let Some((_, told)) = found_skipped.iter().find(|(case, _)| case == "stored") {
            has(&markdown, "of opponents");
            has(told, "it is an opponent");
            has(told, "see it again");
        }
    }
}

/// CI systems know a test by its class and its name: no two tests share both, in one report or in
/// those of other runs.
#[test]
fn every_test_has_a_name_of_its_own() {
    let ground = ground();
    let folder = ground.path();
    let mut seen = BTreeMap::new();
    for [run, args] in table(
        "
        onitama | duel onitama a=./sound 'arena bot onitama-random' --sprt=-10,0,max_units=6
        shogi | duel minishogi 'a=arena bot minishogi-greedy' 'arena bot minishogi-random' --sprt=-10,0,max_units=6
        x/run | duel onitama a=./sound b=./weak --sprt=-10,0,max_units=6
        y/run | duel minishogi 'c=arena bot minishogi-greedy' 'd=arena bot minishogi-random' --sprt=-10,0,max_units=6
        t1 | tune onitama 'arena bot onitama-random --seed {w=1:0..9}' --units 32
        t2 | tune onitama 'arena bot onitama-random --seed {w=1:0..9}' --units 32
        short | duel onitama a=./sound b=./weak --games 4
        fails | duel onitama a=./sound b=./crashes
        stops | duel onitama a=./sound b=./slow --for 1500ms
        ",
    ) {
        let out = line(folder, &format!("{args} --quiet --seed 1 --out {run}"));
        let is_there = folder.join(run).join("plan.toml").exists();
        assert!(is_there, "{run}: {}", said(&out));
        let xml = report(folder, run, "--junit");
        let document = Document::parse(&xml).unwrap();
        for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
            let keys = ["classname", "name"];
            let [class, name] = keys.map(|key| case.attribute(key).unwrap().to_owned());
            let base = run.rsplit('/').next().unwrap();
            assert!(class.starts_with(&format!("{base}.")), "{run}: {xml}");
            if let Some(other) = seen.insert([class, name], run) {
                panic!("{run} and {other} share a test: {xml}");
            }
        }
    }
    let classes = "onitama.onitama onitama.onitama.sprt t2.onitama.tune fails.onitama.match \
        stops.onitama.games";
    for class in classes.split(' ') {
        assert!(
            seen.keys().any(|[known, _]| known == class),
            "{class}: {seen:?}"
        );
    }
}

/// A run whose time is over continues as if it had never stopped.
#[test]
fn a_run_whose_time_is_over_is_resumed() {
    let ground = ground();
    let folder = ground.path();
    config(folder, "run", "slow sound", "max_units = 4");
    line(folder, "run run.toml --for 1500ms")
        .status(4)
        .contains("to continue: arena run run.toml --for 1500ms --resume --out results/run\n");
    let results = folder.join("results/run");
    let first = summary(&results);
    assert_eq!(first["run"]["finished"], false);
    let played = first["games_played"].as_u64().unwrap();
    assert!((1..8).contains(&played), "{played}");
    line(folder, "run run.toml --resume --for 1h").status(4);
    assert_eq!(summary(&results)["games_played"], 8);
    assert_eq!(summary(&results)["run"]["finished"], true);
    // The command to go on with a duel in a default folder can be typed.
    let duel = "duel onitama ./slow './search --depth 1' --games 6 --for";
    let told = said(&line(folder, &format!("{duel} 1500ms")));
    let how = format!("arena {duel} 1500ms --resume --out results/duel-onitama-1");
    has(&told, &format!("\nto continue: {how}\n"));
    let resumed = shell(folder, &how.replace("1500ms", "1h"))
        .output()
        .unwrap();
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
    let (right, wrong) = ("'./search --depth 1'", "'./search --depht 1'");
    let expected = "bot `search --depht 1` ends before its first answer: error: unexpected argument '--depht' found";
    for bots in [[wrong, right], [right, wrong]] {
        line(folder, &format!("duel onitama {}", bots.join(" ")))
            .status(3)
            .contains(expected);
        assert_eq!(fs::read_dir(folder.join("results")).unwrap().count(), 0);
    }
}

/// A bot that always fails: whichever of the two it is, nothing was measured.
#[test]
fn a_duel_with_a_bot_that_crashes_has_no_verdict() {
    let ground = ground();
    let folder = ground.path();
    let document = read(&in_project("docs"), "how-to/ci.md");
    let most = promised(&document, "arena counts failures after");
    for (bots, limit, units) in [
        ("./crashes './search --depth 1'", "--for 10m", most),
        ("'./search --depth 1' ./crashes", "--for 10m", most),
        ("./crashes './search --depth 1'", "--games 18", 9),
        ("./crashes './search --depth 1'", "--games 22", most),
        ("./crashes './search --depth 1'", "--games 6", 3),
    ] {
        line(
            folder,
            &format!("duel onitama {bots} {limit} --out out --force"),
        )
        .status(4)
        .contains("no verdict: ")
        .contains(&format!("failed in {units} of its first {units} units"))
        .contains(&format!("{} games, ", 2 * units));
    }
    // Nor does a report name a winner.
    config(folder, "match", "sound crashes", "match");
    line(folder, "run match.toml --quiet").status(4);
    let page = read(folder, "results/match/report.html");
    for text in [page, report(folder, "results/match", "--markdown")] {
        has(&text, "no verdict");
        assert!(!text.contains("has won everything"), "{text}");
    }
}

#[test]
fn larger_runs_go_on_and_warn() {
    let ground = ground();
    let folder = ground.path();
    let args = "duel onitama ./sound ./weak ./crashes --games 24 --out three --quiet";
    let warning =
        "warning: results against bots that fail in most games tell little of strength: crashes (";
    line(folder, args).status(0).contains(warning);
    let found = junit(&report(folder, "three", "--junit"));
    assert_eq!(found.map(|cases| names(&cases)), ["crashes", "-"]);
    let markdown = report(folder, "three", "--markdown");
    has(&markdown, "warning: results against bots");
}

/// Only the challenger of a gauntlet can fail, and only the variants of a sweep.
#[test]
fn others_are_only_measured_against() {
    let ground = ground();
    let folder = ground.path();
    let head = "[run]\nname = \"NAME\"\ngame = \"onitama\"\nseed = 3\nopening_plies = 4\nformat = \"NAME\"\n";
    let clock = "[clock]\nturn_ms = 60000\nfirst_turn_ms = 60000\n";
    let bot =
        |name: &str, command: &str| format!("[[bot]]\nname = \"{name}\"\ncommand = {command}\n");
    let stored = bot("shaky", "\"./shaky\"");
    let field = bot("candidate", "\"./sound\"") + &stored + &bot("weak", "\"./weak\"");
    let swept = "[sweep]\nbot = \"search\"\nvalues = { blunder = [0, 60] }\nagainst = [\"shaky\"]\nblock = 8\nmax_units = 16\n";
    let search = "[\"./search\", \"--depth\", \"1\", \"--blunder\", \"{blunder}\"]";
    let variants = format!("{swept}{}{stored}", bot("search", search));
    for (name, games, rest) in [("gauntlet", "games = 30\n", field), ("sweep", "", variants)] {
        let config = format!("{}{games}{clock}{rest}", head.replace("NAME", name));
        write(folder, &format!("{name}.toml"), config);
        line(folder, &format!("run {name}.toml --quiet")).status(0);
        let found = junit(&report(folder, &format!("results/{name}"), "--junit"));
        assert_eq!(found.map(|cases| names(&cases)), ["-", "shaky"], "{name}");
    }
}

/// No bot's verdict: the job, the machine, or a signal stopped it.
#[test]
fn what_is_no_result_has_an_exit_status_of_its_own() {
    let ground = ground();
    let folder = ground.path();
    config(folder, "usage", "sound sound", "max_units = 3");
    check_rows(
        folder,
        "
        run usage.toml --for 20 | 2 | expected a time, as in 90s, 20m or 1h30m
        run usage.toml --for 0s | 2 | error:
        run missing.toml | 3 | error:
        duel onitama ./sound ./missing | 3 | error:
        ",
    );

    // It still exists when arena tries whether it starts.
    write_script(
        &folder.join("vanishes"),
        "read -r line; rm -f vanishes; echo no move",
    );
    config(folder, "aborted", "sound vanishes", "max_units = 2000");
    let off = read(folder, "aborted.toml") + "[sandbox]\nmode = \"off\"\n";
    write(folder, "aborted.toml", off);
    line(folder, "run aborted.toml").status(5);
    let xml = report(folder, "results/aborted", "--junit");
    junit(&xml);
    has(&xml, "of at most 4000 games were played: ");
    has(&xml, "vanishes");
    assert!(!xml.contains("no reason was kept"), "{xml}");

    // Bots that are equal, so that nothing is decided before the signal comes, however busy the
    // machine is.
    config(folder, "stopped", "slow slow", "max_units = 2000");
    let mut arena = command(folder, &["run", "stopped.toml", "--quiet"]);
    arena.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = arena.spawn().unwrap();
    while count_lines(&folder.join("results/stopped/games.csv")) < 2 {
        assert_eq!(child.try_wait().unwrap(), None);
        sleep(Duration::from_millis(5));
    }
    let xml = report(folder, "results/stopped", "--junit");
    has(&xml, "were played: the run is still being played");
    line(folder, "report results/stopped").lacks("to continue: ");
    signal("-INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let xml = report(folder, "results/stopped", "--junit");
    has(&xml, "were played: the run is not finished; --resume");
    assert_eq!(junit(&xml).map(|cases| names(&cases)), ["-", "verdict"]);
}
