//! Completions, which come from the types of the command line.

use std::path::Path;

use super::ground::Ground;
use crate::programs::{Said as _, line, stderr, stdout};

/// The verbs that `arena --help` lists.
pub(crate) fn verbs() -> Vec<String> {
    let help = stdout(&line(Path::new("."), "--help"));
    let (list, _) = help.split_once("Options:\n").unwrap();
    let mut verbs = Vec::new();
    for line in list.lines() {
        if let Some(line) = line.strip_prefix("  ") {
            verbs.extend(line.split(' ').next().map(str::to_owned));
        }
    }
    verbs.retain(|verb| verb != "help");
    assert!(verbs.len() >= 15, "{verbs:?}");
    verbs
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let out = line(Path::new("."), &format!("completions {shell}"));
        out.status(0);
        assert_eq!(stderr(&out), "", "{shell}");
        for verb in verbs() {
            out.contains(&verb);
        }
    }
    line(Path::new("."), "completions cmd").status(2);
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
        out.status(0);
        assert_eq!(stderr(&out), "", "{words}");
        stdout(&out).trim_end().to_owned()
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
        let is_offered = offered.split(',').any(|word| word == verb);
        assert!(is_offered, "{verb} is not in {offered}");
    }
}
