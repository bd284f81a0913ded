//! Completions and manual pages, which come from the types of the command line.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{fs, str};

use super::ground::Ground;

fn arena(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arena"))
        .args(args)
        .output()
        .unwrap()
}

/// The verbs that `arena --help` lists.
pub(crate) fn verbs() -> Vec<String> {
    let help = arena(&["--help"]);
    let help = str::from_utf8(&help.stdout).unwrap();
    let list = help
        .split_once("Commands:\n")
        .unwrap()
        .1
        .split_once("\n\n")
        .unwrap()
        .0;
    let verb = |line: &str| {
        line.strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
            .map(str::to_owned)
    };
    let first_word = |line: String| line.split_whitespace().next().unwrap().to_owned();
    let verbs: Vec<String> = list
        .lines()
        .filter_map(verb)
        .map(first_word)
        .filter(|verb| verb != "help")
        .collect();
    assert!(verbs.len() >= 16, "{verbs:?}");
    verbs
}

/// Whether a program is there at all.
fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = arena(&["completions", shell]);
        assert_eq!(
            (script.status.code(), script.stderr.as_slice()),
            (Some(0), &b""[..]),
            "{shell}"
        );
        assert!(
            str::from_utf8(&script.stdout)
                .unwrap()
                .contains("ARENA_COMPLETE"),
            "{shell}"
        );
    }
    assert_eq!(arena(&["completions", "cmd"]).status.code(), Some(2));
}

/// Asks the completions of bash for words, of which the last is completed, and shows what they offer with commas. Like bash, it
/// makes words of their own of all `=`, and gives what stands behind the last one.
const COMPLETE: &str = r#"
    source <(arena completions bash)
    offer() {
        COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
        COMP_WORDS=(${COMP_LINE//=/ = })
        [[ "$COMP_LINE" == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _arena arena "${COMP_WORDS[COMP_CWORD]#=}"
        local IFS=,
        echo "${COMPREPLY[*]}"
    }
"#;

#[test]
fn bash_completes() {
    let ground = Ground::new();
    let bots = "old=target/release/onitama-random new=target/release/onitama-greedy";
    let duel = format!("arena duel onitama {bots} --games 2 --quiet --out");
    let played = ground.shell(&format!("{duel} runs/first && {duel} 1"));
    assert!(played.status.success(), "{played:?}");
    let begins = |words: &str| {
        let out = ground.shell(&format!("{COMPLETE} offer arena {words}"));
        assert!(
            out.status.success() && out.stderr.is_empty(),
            "{words}: {out:?}"
        );
        String::from_utf8(out.stdout).unwrap().trim_end().to_owned()
    };
    for (words, offered) in [
        ("compl", "completions"),
        ("completions z", "zsh"),
        ("man d", "duel"),
        ("replay --as", "--as-input"),
        ("duel o", "onitama"),
        ("check mini", "minishogi"),
        (
            "check onitama target/release/onitama-r",
            "target/release/onitama-random",
        ),
        ("report ru", "runs/"),
        ("report runs/", "runs/first/"),
        ("merge runs/first --out ru", "runs/"),
        ("start --run runs/first n", "new"),
        ("start --run runs/first/ o", "old"),
        (
            "start --run runs/none target/release/kutulu-s",
            "target/release/kutulu-search",
        ),
        ("replay runs/first --game 1 --as-input ''", "0,1"),
        ("replay runs/first 0 --as-input ''", "0,1"),
        ("replay runs/first --bot n", "new"),
        ("replay 1 0 --as-input ''", "0,1"),
        ("replay 1 --game 1 --as-input ''", "0,1"),
        ("replay 1 --seat 1 --as-input ''", ""),
        ("bot kutulu-s", "kutulu-search"),
        ("init --game on", "onitama"),
        ("init --language c", "cpp"),
        (
            "duel onitama base=target/release/onitama-r",
            "target/release/onitama-random",
        ),
        ("duel onitama base=ru", "runs/"),
        ("merge --out=ru", "runs/"),
        ("replay runs/first --game 2 --as-input ''", ""),
        ("replay runs/none --game 1 --as-input ''", ""),
    ] {
        assert_eq!(begins(words), offered, "{words}");
    }
    let games = "minishogi,dice_shogi,onitama,kutulu,--";
    assert!(begins("duel ''").starts_with(games) && begins("check ''").starts_with(games));
    let offered = begins("''");
    for verb in verbs() {
        assert!(
            offered.split(',').any(|word| word == verb),
            "{verb} is not in {offered}"
        );
    }
}

/// Refuses what `man` would stumble over, where a program is there that can tell.
fn check_page(page: &Path) {
    let path = page.to_str().unwrap();
    if exists("groff") {
        let out = Command::new("groff")
            .args(["-man", "-Tutf8", "-ww", "-z", path])
            .output()
            .unwrap();
        assert!(
            out.status.success() && out.stderr.is_empty(),
            "{path}: {out:?}"
        );
    }
    if exists("mandoc") {
        let out = Command::new("mandoc")
            .args(["-T", "lint", "-W", "error", path])
            .output()
            .unwrap();
        assert!(out.status.success(), "{path}: {out:?}");
    }
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    let written = arena(&["man", "--out", pages.to_str().unwrap()]);
    assert!(written.status.success(), "{written:?}");
    let mut names = vec!["arena.1".to_owned()];
    names.extend(verbs().iter().map(|verb| format!("arena-{verb}.1")));
    for name in &names {
        let page = fs::read_to_string(pages.join(name)).unwrap();
        assert!(
            page.contains(".SH NAME") && page.contains(".SH OPTIONS"),
            "{name}"
        );
        check_page(&pages.join(name));
    }
    assert_eq!(fs::read_dir(&pages).unwrap().count(), names.len());
    let single = |args: &[&str]| String::from_utf8(arena(args).stdout).unwrap();
    assert_eq!(
        single(&["man"]),
        fs::read_to_string(pages.join("arena.1")).unwrap()
    );
    assert_eq!(
        single(&["man", "run"]),
        fs::read_to_string(pages.join("arena-run.1")).unwrap()
    );
    assert_eq!(single(&["man", "plan"]), single(&["man", "power"]));
    assert!(single(&["man", "run"]).contains("\\-\\-resume"));
    assert_eq!(arena(&["man", "juggle"]).status.code(), Some(2));
    assert_eq!(
        arena(&["man", "--out", "/dev/null/no"]).status.code(),
        Some(70)
    );
}
