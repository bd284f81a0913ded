//! `arena report`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::{Failure, run};
use crate::report::html;
use crate::{exit, store, tournament};

/// Makes the reports of a run from its files, without playing
///
/// Works while the run goes on, and for runs of others. Without any option, report.html in the run directory is written
/// anew.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run directory
    run: PathBuf,
    /// Write the page; - is standard output, here and below
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// A report, and where it goes.
struct Output<'a> {
    path: &'a Path,
    content: String,
}

pub(super) fn report(args: &ReportArgs) -> Result<u8, Failure> {
    let named: Vec<&PathBuf> = [&args.html].into_iter().flatten().collect();
    if named.iter().filter(|path| is_stdout(path)).count() > 1 {
        let error = anyhow!("write more than one report to standard output: name files for the others");
        return Err(Failure { code: exit::USAGE, error });
    }
    let report = tournament::report(&args.run);
    let report = report.map_err(|error| Failure { code: run::exit_code(&error), error: error.into() })?;
    let page = args.run.join(store::REPORT);
    let html_path = args.html.as_deref().or(named.is_empty().then_some(page.as_path()));
    let mut outputs = Vec::new();
    outputs.extend(html_path.map(|path| Output { path, content: html::page(&report) }));
    outputs.iter().try_for_each(write)?;
    Ok(exit::OK)
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn write(output: &Output<'_>) -> Result<(), Failure> {
    let failed = |error: io::Error, place: String| {
        let error = anyhow::Error::new(error).context(format!("write {place}"));
        Err(Failure { code: exit::INTERNAL, error })
    };
    if !is_stdout(output.path) {
        return fs::write(output.path, &output.content)
            .or_else(|error| failed(error, output.path.display().to_string()));
    }
    match io::stdout().lock().write_all(output.content.as_bytes()) {
        // A pager that is closed has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => failed(error, "standard output".to_owned()),
        _ => Ok(()),
    }
}
