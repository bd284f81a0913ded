//! `arena man`.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{Args, Command, CommandFactory, ValueHint};
use clap_mangen::Man;

use super::completions::verbs;
use super::{Cli, Failure, print};
use crate::exit;

/// Writes the manual pages of this program
///
/// One page to standard output, which must not be a terminal: arena man run | man -l - shows it. Or all of them into a folder,
/// for instance ~/.local/share/man/man1.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The verb whose page to write [default: the page of the whole program]
    #[arg(add = verbs())]
    verb: Option<String>,
    /// Write the pages of the program and of every verb into this folder, as arena.1, arena-run.1 and so on
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "verb")]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs) -> Result<u8, Failure> {
    let mut pages = pages();
    if let Some(folder) = &args.out {
        let written = fs::create_dir_all(folder)
            .and_then(|()| pages.try_for_each(|page| page.generate_to(folder).map(drop)));
        written
            .with_context(|| format!("write {}", folder.display()))
            .map_err(Failure::internal)?;
        return Ok(exit::OK);
    }
    let program = Cli::command();
    // A verb may be called by another name that it has.
    let name = |verb: &str| {
        program
            .find_subcommand(verb)
            .map_or(verb, Command::get_name)
            .to_owned()
    };
    let file = args.verb.as_ref().map_or_else(
        || "arena.1".to_owned(),
        |verb| format!("arena-{}.1", name(verb)),
    );
    let unknown = || {
        anyhow!(
            "find the verb `{}`; `arena help` lists them",
            args.verb.as_deref().unwrap_or_default()
        )
    };
    let page = pages
        .find(|page| page.get_filename() == file)
        .ok_or_else(unknown)
        .map_err(Failure::usage)?;
    if io::stdout().is_terminal() {
        let line = ["arena man", args.verb.as_deref().unwrap_or_default()].join(" ");
        return Err(Failure::usage(anyhow!(
            "a manual page is not written to a terminal: {} | man -l - shows it",
            line.trim()
        )));
    }
    let mut text = Vec::new();
    page.render(&mut text).map_err(Failure::internal)?;
    print(text)
}

/// The page of the program, then that of each verb.
fn pages() -> impl Iterator<Item = Man> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Names usage lines as they are typed: `arena run`.
    program.build();
    let verbs: Vec<_> = program.get_subcommands().cloned().collect();
    let source = concat!("arena ", env!("CARGO_PKG_VERSION"));
    std::iter::once(program)
        .chain(verbs)
        .map(move |command| Man::new(with_usage(command)).source(source))
}

/// The synopsis of a page is the usage line of the help, where every option and argument has its value name.
fn with_usage(mut command: Command) -> Command {
    let usage = command.render_usage().to_string();
    command.override_usage(usage.trim_start_matches("Usage: ").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A manual page without what changes its fonts.
    fn plain(page: &Man) -> String {
        let mut text = Vec::new();
        page.render(&mut text).unwrap();
        let marks = ["\\fB", "\\fI", "\\fR"];
        marks
            .iter()
            .fold(String::from_utf8(text).unwrap(), |text, mark| {
                text.replace(mark, "")
            })
            .replace("\\-", "-")
    }

    #[test]
    fn help_and_page_name_every_value() {
        let mut program = Cli::command();
        program.build();
        let mut named = 0;
        for (verb, page) in program.get_subcommands_mut().zip(pages().skip(1)) {
            let texts = [verb.render_long_help().to_string(), plain(&page)];
            for argument in verb
                .get_arguments()
                .filter(|a| a.get_action().takes_values() && !a.is_hide_set())
            {
                let value = argument.get_value_names().unwrap_or_default().join("> <");
                let expected = match argument.get_long() {
                    Some(flag) => vec![
                        format!("--{flag} <{value}>"),
                        format!("--{flag}[=<{value}>]"),
                    ],
                    None => vec![format!("<{value}>"), format!("[{value}]")],
                };
                for text in &texts {
                    assert!(
                        expected.iter().any(|name| text.contains(name)),
                        "{expected:?} is not in: {text}"
                    );
                }
                named += 1;
            }
        }
        assert!(named > 80, "{named}");
    }
}
