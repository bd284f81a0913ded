//! The examples of README.md and docs/.
//!
//! * A block without a language whose lines begin with `$ `: every command prints the lines below
//!   it. `cat FILE` makes the file, `echo $?` prints the last exit status.
//!   `UPDATE_EXAMPLES=1 cargo test --test it docs::` updates these blocks.
//! * A block of `sh`: it runs, and nothing in it fails. Runs are short: the configs of the test
//!   play two games.
//! * A block of `sh no-run`: it doesn't run, and [`NOT_RUN`] has the reason.

use std::fmt::Write as _;
use std::{env, fs};

use super::ground::{Ground, project};
use crate::programs::{Said as _, has, read, said};

/// The blocks that do not run: the document, the first line or its start, the reason.
const NOT_RUN: &str = r#"
    README.md | cargo install --locked --path . | it builds for minutes
    docs/explanation/statistics.md | cargo test --release -p arena-stats --test it validation:: -- --ignored --nocapture | it takes minutes
    docs/how-to/cluster.md | cargo install --locked --path . --features workers | it builds for minutes
    docs/how-to/install.md | .ci/release dist | it builds for minutes
    docs/how-to/install.md | cargo install --locked --path . | it builds for minutes
    docs/how-to/referees.md | mvn -f ants/pom.xml compile | it needs the repository of a contest
    docs/how-to/sweep.md | arena duel onitama "arena bot onitama-search --depth 2 --param 'mobility=9'... | the maximum of its units is far away; tests/it/sweep.rs runs such a command
    docs/how-to/sweep.md | arena run configs/sweep.toml --jobs 1 | it takes a minute
    docs/how-to/tune.md | arena run configs/tune.toml --force | it takes a minute
    docs/how-to/tune.md | arena tune onitama "arena bot onitama-search --depth 2 --param mobility={mobility=9:0..20}... | the same, and tens of thousands of games
    docs/tutorial/first-duel.md | for n in 20 400 4000; do sh match.sh --games $n --seed 1 | grep against; done | thousands of games
    docs/tutorial/first-tuning.md | arena tune onitama "./bot --margin {margin=40:0..400}" --units 1000 --confirm | no such bot exists
"#;

/// What is done before the examples of a document.
const BEFORE: [(&str, &str); 2] = [
    (
        "docs/reference/report.md",
        "arena run configs/gauntlet.toml --quiet",
    ),
    ("docs/reference/games.md", GAMES),
];

/// A short match in every game, without openings.
const GAMES: &str = r#"
    for game in minishogi dice_shogi onitama kutulu; do
        bots=$(echo $game | tr _ -)
        arena duel $game "arena bot $bots-greedy" "arena bot $bots-random" --games 2 --seed 1 --opening-plies 0 --out results/$game --quiet
    done"#;

/// The bots of the examples: an old one that anything beats.
const OLD: &str = "#!/bin/sh\nexec target/release/minishogi-random\n";
const NEW: &str = "#!/bin/sh\nexec target/release/minishogi-search --depth 2\n";

/// README.md and all of docs/.
fn documents() -> Vec<String> {
    let mut names = vec!["README.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(project().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                folders.push(name);
            } else if entry.path().extension().is_some_and(|end| end == "md") {
                names.push(name);
            }
        }
    }
    names.sort();
    names
}

pub(crate) fn text(document: &str) -> String {
    read(&project(), document)
}

/// The blocks of a document: the word after the opening fence, and their lines.
pub(crate) fn blocks(document: &str) -> Vec<(&str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut is_open = false;
    for line in document.lines() {
        match line.strip_prefix("```") {
            Some(language) => {
                is_open = !is_open;
                if is_open {
                    blocks.push((language, String::new()));
                }
            }
            None if is_open => writeln!(blocks.last_mut().unwrap().1, "{line}").unwrap(),
            None => {}
        }
    }
    assert!(!is_open, "a block has no end");
    blocks
}

/// A folder for the examples of a document.
pub(crate) fn ground(document: &str) -> Ground {
    let ground = Ground::new();
    for file in fs::read_dir(ground.path().join("configs")).unwrap() {
        let path = file.unwrap().path();
        let config = fs::read_to_string(&path).unwrap();
        fs::write(path, shortened(&config)).unwrap();
    }
    ground.write("my_bot.py", &text("starters/minishogi/bot.py"));
    ground.script("old", OLD);
    ground.script("new", NEW);
    for (of, script) in BEFORE {
        if of == document {
            ground.shell(script).status(0);
        }
    }
    ground
}

/// A config that plays two games where it played many.
fn shortened(config: &str) -> String {
    let line = |line: &str| match line.split_once(" = ") {
        Some(("games", number)) if number.starts_with(|c: char| c.is_ascii_digit()) => {
            "games = 2\n".to_owned()
        }
        _ => format!("{line}\n"),
    };
    config.lines().map(line).collect()
}

/// Runs the commands of blocks with output, and returns the document with their real output.
fn with_real_output(document: &str, ground: &Ground) -> String {
    let (mut real, mut in_block, mut makes, mut is_output, mut status) =
        (String::new(), false, None, false, None);
    for line in document.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            (makes, is_output) = (None, false);
        }
        let command = line.strip_prefix("$ ").filter(|_| in_block);
        if command.is_some() || !is_output {
            writeln!(real, "{line}").unwrap();
        }
        match command.map(|command| (command, command.split_once(' '))) {
            Some((_, Some(("cat", name)))) => {
                ground.write(name, "");
                (makes, is_output) = (Some(ground.path().join(name)), false);
            }
            Some(("echo $?", _)) => {
                writeln!(real, "{}", status.unwrap()).unwrap();
                (makes, is_output) = (None, true);
            }
            Some((command, _)) => {
                let output = ground.shell(command);
                real += &without_times(&without_workers(&said(&output)));
                (status, makes, is_output) = (output.status.code(), None, true);
            }
            None => {
                if let Some(file) = &makes {
                    let content = fs::read_to_string(file).unwrap();
                    fs::write(file, format!("{content}{line}\n")).unwrap();
                }
            }
        }
    }
    real
}

/// Leaves out what help shows only in a program with the feature `workers`: the documents have the
/// help of one without it.
pub(crate) fn without_workers(output: &str) -> String {
    if !cfg!(feature = "workers") {
        return output.to_owned();
    }
    let mut lines = output.split_inclusive('\n');
    let mut left = String::new();
    while let Some(line) = lines.next() {
        if line.starts_with("      --workers <URL>") {
            let mut is_option = lines.by_ref().map(|line| !line.trim().is_empty());
            while is_option.next() == Some(true) {}
        } else if !line.starts_with("  worker     ") {
            left += line;
        }
    }
    left
}

/// Leaves out lines that depend on the machine: how fast a run was, which bots came close to their
/// limits, and games that started too early.
fn without_times(output: &str) -> String {
    let parts = [
        " games/s; ",
        "close to the time limit in ",
        " under way when it was decided",
    ];
    let depends = |line: &str| parts.iter().any(|part| line.contains(part));
    let lines = output.split_inclusive('\n');
    lines.filter(|line| !depends(line)).collect()
}

#[test]
fn every_command_gives_what_stands_below_it() {
    let mut commands = 0;
    for document in documents() {
        let stands = text(&document);
        if !stands.contains("\n$ ") {
            continue;
        }
        commands += stands.matches("\n$ ").count();
        let real = with_real_output(&stands, &ground(&document));
        if env::var_os("UPDATE_EXAMPLES").is_some() {
            fs::write(project().join(&document), &real).unwrap();
            continue;
        }
        for (number, (stands, is)) in (1..).zip(stands.lines().zip(real.lines())) {
            assert_eq!(
                stands, is,
                "{document}, line {number}; UPDATE_EXAMPLES=1 cargo test --test it docs:: mends it"
            );
        }
        assert_eq!(stands, real, "{document}");
    }
    assert!(commands >= 15, "{commands} commands");
}

#[test]
fn every_other_example_runs() {
    let (mut ran, mut left_out) = (0, Vec::new());
    for document in documents() {
        if document == "docs/how-to/import.md" {
            // tests/it/import.rs runs them, with battles.
            continue;
        }
        let mut folder = None;
        for (language, script) in &blocks(&text(&document)) {
            match *language {
                "sh" => {
                    let folder = folder.get_or_insert_with(|| ground(&document));
                    folder.shell(script).status(0);
                    ran += 1;
                }
                "sh no-run" => {
                    let first = script.lines().next().unwrap_or_default();
                    left_out.push((document.clone(), first.to_owned()));
                }
                "" | "text" | "toml" | "yaml" => {}
                "python" if document == "docs/reference/files.md" => {} // files.rs runs them
                "python" if document == "docs/how-to/referees.md" => {} // alone.rs runs it
                other => panic!("{document}: a block of {other}; commands stand in blocks of sh"),
            }
        }
    }
    assert!(ran >= 8, "{ran} blocks");
    left_out.sort();
    let listed = NOT_RUN.trim().lines();
    assert_eq!(left_out.len(), listed.clone().count(), "{left_out:#?}");
    for ((document, first), row) in left_out.iter().zip(listed) {
        let (of, row) = row.trim().split_once(" | ").unwrap();
        let (line, _reason) = row.rsplit_once(" | ").unwrap();
        let is_listed = match line.strip_suffix("...") {
            Some(start) => first.starts_with(start),
            None => first == line,
        };
        assert!(
            is_listed && document == of,
            "what does not run stands in NOT_RUN, with the reason: {document}, {first}"
        );
    }
}

/// Commands that are merely indented would not be run.
#[test]
fn examples_stand_in_blocks() {
    for document in documents() {
        let text = text(&document);
        let mut in_block = false;
        for (number, line) in (1..).zip(text.lines()) {
            in_block ^= line.starts_with("```");
            let starts = ["    arena ", "    cargo ", "    target/", "    $ "];
            let is_command = starts.iter().any(|start| line.starts_with(start));
            assert!(
                in_block || !is_command,
                "{document}, line {number}: put it in a block of sh"
            );
        }
    }
}

/// The anchors of a document, as GitHub names them: headings without marks, in lower case, with
/// dashes for blanks.
fn anchors(document: &str) -> Vec<String> {
    let mut anchors = Vec::new();
    for heading in document.lines().filter(|line| line.starts_with('#')) {
        let is_kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
        let letters: String = heading.chars().filter(is_kept).collect();
        anchors.push(letters.trim().to_lowercase().replace(' ', "-"));
    }
    anchors
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for document in documents() {
        let from = project().join(&document);
        for rest in text(&document).split("](").skip(1) {
            let target = rest.split(')').next().unwrap();
            if target.contains("://") {
                continue;
            }
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let mut path = from.clone();
            if !file.is_empty() {
                path.set_file_name(file);
            }
            assert!(path.exists(), "{document}: {target}");
            if !anchor.is_empty() {
                let anchors = anchors(&fs::read_to_string(&path).unwrap());
                assert!(
                    anchors.iter().any(|known| known == anchor),
                    "{document}: {target}"
                );
            }
        }
    }
    assert!(links > 20, "{links} links");
}

#[test]
fn the_index_links_every_page() {
    let index = text("docs/README.md");
    for document in documents() {
        let page = document.strip_prefix("docs/").unwrap_or("README.md");
        let is_linked = index.contains(&format!("]({page})"));
        assert!(is_linked || page == "README.md", "{document}");
    }
}

/// Checks every line of the documents.
fn check_lines(is_right: impl Fn(&str) -> bool) {
    for document in documents() {
        for line in text(&document).lines() {
            assert!(is_right(line), "{document}: {line}");
        }
    }
}

/// `repository` in Cargo.toml is the one place that says where arena comes from. While it is empty,
/// pages install from a clone.
#[test]
fn pages_install_from_the_repository_of_cargo_toml() {
    let address = env!("CARGO_PKG_REPOSITORY");
    check_lines(|line| {
        let is_remote = line.contains("cargo install") && line.contains("--git");
        !is_remote || !address.is_empty() && line.contains(address)
    });
}

/// Newcomers have `arena`, and neither this repository nor a compiler.
#[test]
fn newcomers_need_only_arena() {
    for page in documents() {
        if !page.starts_with("docs/tutorial/") {
            continue;
        }
        for (_, commands) in blocks(&text(&page)) {
            for needed in ["target/", "cargo", "configs/", "starters/"] {
                assert!(!commands.contains(needed), "{page}, {needed}: {commands}");
            }
        }
    }
}

/// An agent reads all of it at every start.
#[test]
fn the_page_for_agents_is_short() {
    let lines = text("docs/how-to/agents.md").lines().count();
    assert!(lines <= 60, "{lines} lines");
}

/// A game has one notation: its number, after the run.
#[test]
fn games_are_named_by_their_numbers_alone() {
    check_lines(|line| !line.contains("arena replay") || !line.contains("--game "));
}

/// The statements that docs/reference/games.md departs from.
#[test]
fn every_game_links_its_statement() {
    let games = text("docs/reference/games.md");
    for name in ["minishogi", "dice-shogi", "onitama", "code-of-kutulu"] {
        let page = "https://www.codingame.com/multiplayer/bot-programming";
        has(&games, &format!("]({page}/{name})"));
    }
}
