//! Completions and manual pages, which come from the types of the command line.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{fs, str};

fn arena(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arena")).args(args).output().unwrap()
}

/// The verbs that `arena --help` lists.
pub(crate) fn verbs() -> Vec<String> {
    let help = arena(&["--help"]);
    let help = str::from_utf8(&help.stdout).unwrap();
    let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let verb = |line: &str| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')).map(str::to_owned);
    let first_word = |line: String| line.split_whitespace().next().unwrap().to_owned();
    let verbs: Vec<String> = list.lines().filter_map(verb).map(first_word).filter(|verb| verb != "help").collect();
    assert!(verbs.len() >= 16, "{verbs:?}");
    verbs
}

/// Whether a program is there at all.
fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// What a program says of a text that it is given.
fn judged(program: &str, args: &[&str], text: &[u8]) -> Output {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn shells_read_the_completions_and_complete_every_verb() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = arena(&["completions", shell]);
        assert_eq!((script.status.code(), script.stderr.as_slice()), (Some(0), &b""[..]), "{shell}");
        let text = str::from_utf8(&script.stdout).unwrap();
        for word in verbs().iter().map(String::as_str).chain(["as-input", "first-turn-ms"]) {
            assert!(text.contains(word), "{shell}: {word}");
        }
        if ["bash", "zsh", "fish"].contains(&shell) && exists(shell) {
            let checked = judged(shell, &["-n"], &script.stdout);
            assert!(checked.status.success() && checked.stderr.is_empty(), "{shell}: {checked:?}");
        }
    }
    assert_eq!(arena(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn bash_completes() {
    let script = String::from_utf8(arena(&["completions", "bash"]).stdout).unwrap();
    let completed = |words: &[&str]| {
        let count = words.len() - 1;
        let ask = format!(
            "{script}\nCOMP_WORDS=({}); COMP_CWORD={count}; _arena arena '{}' '{}'; echo \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words[count],
            words[count - 1],
        );
        String::from_utf8(judged("bash", &[], ask.as_bytes()).stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completed(&["arena", "com"]), "completions");
    assert_eq!(completed(&["arena", "replay", "--as"]), "--as-input");
    assert_eq!(completed(&["arena", "completions", "z"]), "zsh");
}

/// Refuses what `man` would stumble over, where a program is there that can tell.
fn check_page(page: &Path) {
    let path = page.to_str().unwrap();
    if exists("groff") {
        let out = Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z", path]).output().unwrap();
        assert!(out.status.success() && out.stderr.is_empty(), "{path}: {out:?}");
    }
    if exists("mandoc") {
        let out = Command::new("mandoc").args(["-T", "lint", "-W", "error", path]).output().unwrap();
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
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{name}");
        check_page(&pages.join(name));
    }
    assert_eq!(fs::read_dir(&pages).unwrap().count(), names.len());
    let single = |args: &[&str]| String::from_utf8(arena(args).stdout).unwrap();
    assert_eq!(single(&["man"]), fs::read_to_string(pages.join("arena.1")).unwrap());
    assert_eq!(single(&["man", "run"]), fs::read_to_string(pages.join("arena-run.1")).unwrap());
    assert!(single(&["man", "run"]).contains("\\-\\-resume"));
    assert_eq!(arena(&["man", "juggle"]).status.code(), Some(2));
    assert_eq!(arena(&["man", "--out", "/dev/null/no"]).status.code(), Some(70));
}
