//! `arena man`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::{Cli, Failure};
use crate::exit;

/// Writes the manual pages of this program
///
/// One page to standard output, as for arena man run | man -l -, or all of them into a folder, for instance
/// ~/.local/share/man/man1.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The verb whose page to write [default: the page of the whole program]
    verb: Option<String>,
    /// Write the pages of the program and of every verb into this folder, as arena.1, arena-run.1 and so on
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs) -> Result<u8, Failure> {
    let pages = pages();
    if let Some(folder) = &args.out {
        write_all(folder, &pages).map_err(|error| Failure { code: exit::INTERNAL, error })?;
        return Ok(exit::OK);
    }
    let name = args.verb.as_ref().map_or_else(|| "arena".to_owned(), |verb| format!("arena-{verb}"));
    let Some((_, page)) = pages.iter().find(|(known, _)| *known == name) else {
        let error = anyhow!("find the verb `{}`; `arena help` lists them", args.verb.as_deref().unwrap_or_default());
        return Err(Failure { code: exit::USAGE, error });
    };
    // A pager that is closed has seen enough.
    let _ = io::stdout().lock().write_all(page);
    Ok(exit::OK)
}

/// The page of the program, then that of each verb, with their names.
fn pages() -> Vec<(String, Vec<u8>)> {
    let whole = Cli::command().disable_help_subcommand(true);
    // Names usage lines as they are typed: `arena run`.
    let mut built = whole.clone();
    built.build();
    let verb = |verb: &Command| {
        let name = format!("arena-{}", verb.get_name());
        (name.clone(), page(verb.clone().display_name(&name)))
    };
    let verbs = built.get_subcommands().filter(|verb| verb.get_name() != "help").map(verb);
    std::iter::once(("arena".to_owned(), page(whole))).chain(verbs).collect()
}

fn page(command: Command) -> Vec<u8> {
    let mut page = Vec::new();
    // Nothing fails where a page is written to memory.
    let _ = Man::new(command).source(concat!("arena ", env!("CARGO_PKG_VERSION"))).render(&mut page);
    page
}

fn write_all(folder: &Path, pages: &[(String, Vec<u8>)]) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    for (name, page) in pages {
        let path = folder.join(format!("{name}.1"));
        fs::write(&path, page).with_context(|| format!("write {}", path.display()))?;
    }
    Ok(())
}
