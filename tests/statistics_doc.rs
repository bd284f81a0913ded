//! The worked examples of docs/statistics.md: every command gives what stands below it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const DOCUMENT: &str = "docs/statistics.md";

/// Runs the commands of the document, and returns it with their real output. `cat FILE` makes the file.
fn with_real_output(document: &str, folder: &Path) -> String {
    let (mut real, mut in_block, mut expects_file, mut status) = (String::new(), false, None, None);
    for line in document.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            expects_file = None;
        }
        let command = line.strip_prefix("$ ").filter(|_| in_block);
        if !in_block || command.is_some() || line.starts_with("```") || expects_file.is_some() {
            writeln!(real, "{line}").unwrap();
        }
        match command.map(|command| command.split_whitespace().collect::<Vec<_>>()).as_deref() {
            Some(["arena", args @ ..]) => {
                let output = Command::new(env!("CARGO_BIN_EXE_arena")).current_dir(folder).args(args).output().unwrap();
                real += &String::from_utf8(output.stdout).unwrap();
                real += &String::from_utf8(output.stderr).unwrap();
                (status, expects_file) = (output.status.code(), None);
            }
            Some(["cat", name]) => {
                fs::write(folder.join(name), "").unwrap();
                expects_file = Some(folder.join(name));
            }
            Some(["echo", "$?"]) => writeln!(real, "{}", status.unwrap()).unwrap(),
            Some(other) => panic!("unknown command {other:?}"),
            None => {
                if let Some(file) = &expects_file {
                    let content = fs::read_to_string(file).unwrap();
                    fs::write(file, format!("{content}{line}\n")).unwrap();
                }
            }
        }
    }
    real
}

#[test]
fn every_example_gives_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    let document = fs::read_to_string(&path).unwrap();
    let real = with_real_output(&document, tempfile::tempdir().unwrap().path());
    assert!(document.matches("\n$ arena ").count() >= 9);
    if env::var_os("UPDATE_EXAMPLES").is_some() {
        fs::write(&path, &real).unwrap();
    }
    for (number, (stands, is)) in (1..).zip(document.lines().zip(real.lines())) {
        assert_eq!(
            stands, is,
            "{DOCUMENT}, line {number}; UPDATE_EXAMPLES=1 cargo test --test statistics_doc mends it"
        );
    }
    assert_eq!(document, real);
}
