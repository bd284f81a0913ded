//! `arena languages`.

use super::{Failure, print};
use crate::report::screen::Screen;
use crate::report::table::{Kind, Rows};
use arena_process::find_program;
use arena_process::languages::{Language, standard};

pub(super) fn languages() -> Result<u8, Failure> {
    let known: Vec<(String, Language)> = standard().into_iter().collect();
    let table = Rows::new("Languages", &known)
        .shown(Kind::Name, "language", |(name, _)| name)
        .shown(Kind::Name, "files", |(_, language)| ends(language))
        .shown(Kind::Name, "here", |(_, language)| found(language))
        .shown(
            Kind::Prose,
            "compiled, and started, with",
            |(_, language)| commands(language),
        );
    let text = table.table().text(&Screen::stdout());
    // Tables have a margin that a page of nothing else does not need.
    print(
        text.lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
            .collect::<String>(),
    )
}

fn ends(language: &Language) -> String {
    language
        .extensions
        .iter()
        .map(|end| format!(".{end}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether bots of a language can be played here, or else the package that they need.
fn found(language: &Language) -> String {
    let is_missing = language
        .programs()
        .any(|program| find_program(program).is_err());
    if is_missing {
        format!("needs {}", language.package)
    } else {
        "yes".to_owned()
    }
}

fn commands(language: &Language) -> String {
    let commands = [&language.compile, &language.run]
        .into_iter()
        .filter(|command| !command.is_empty());
    commands
        .map(|command| command.join(" "))
        .collect::<Vec<_>>()
        .join("; ")
}
