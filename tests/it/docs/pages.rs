//! Completions, which come from the types of the command line.

use std::path::Path;
use std::str;

use super::ground::Ground;
use crate::programs::arena;

/// The verbs that `arena --help` lists.
pub(crate) fn verbs() -> Vec<String> {
    let help = arena(Path::new("."), &["--help"]);
    let help = str::from_utf8(&help.stdout).unwrap();
    let (list, _) = help.split_once("Options:\n").unwrap();
    let mut verbs = Vec::new();
    for line in list.lines() {
        let verb = line
            .strip_prefix("  ")
            .and_then(|line| line.split(' ').next());
        verbs.extend(verb.filter(|verb| *verb != "help").map(str::to_owned));
    }
    assert!(verbs.len() >= 15, "{verbs:?}");
    verbs
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = arena(Path::new("."), &["completions", shell]);
        assert_eq!(
            (script.status.code(), script.stderr.as_slice()),
            (Some(0), &b""[..]),
            "{shell}"
        );
        let script = str::from_utf8(&script.stdout).unwrap();
        assert!(
            verbs().iter().all(|verb| script.contains(verb.as_str())),
            "{shell}: {script}"
        );
    }
    assert_eq!(
        arena(Path::new("."), &["completions", "cmd"]).status.code(),
        Some(2)
    );
}

/// Completes the last word with bash, and prints the offers with commas.
const COMPLETE: &str = r#"
    source <(arena completions bash)
    offer() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _arena arena "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        local IFS=,
        echo "${COMPREPLY[*]}"
    }
"#;

#[test]
fn bash_completes() {
    let ground = Ground::new();
    let begins = |words: &str| {
        let out = ground.shell(&format!("{COMPLETE} touch found.xml; offer arena {words}"));
        assert!(
            out.status.success() && out.stderr.is_empty(),
            "{words}: {out:?}"
        );
        String::from_utf8(out.stdout).unwrap().trim_end().to_owned()
    };
    for (words, offered) in [
        ("compl", "completions"),
        ("completions z", "zsh"),
        ("replay --as", "--as-input"),
        ("duel --sandbox st", "strict"),
        ("report --junit fo", "found.xml"),
    ] {
        assert_eq!(begins(words), offered, "{words}");
    }
    let offered = begins("''");
    for verb in verbs() {
        assert!(
            offered.split(',').any(|word| word == verb),
            "{verb} is not in {offered}"
        );
    }
}
