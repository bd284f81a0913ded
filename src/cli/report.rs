//! `arena report`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;

use super::Failure;
use crate::report::files::summary_json;
use crate::report::{RunReport, html, junit, markdown};
use crate::{exit, store, tournament};
use arena_games::Games;

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
    #[expect(clippy::doc_markdown, reason = "help for people")]
    /// Write JUnit XML: a test for each bot and game, failed if the bot was, and one for the sequential test
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write Markdown, ready for the summary of a CI job
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write JSON, the content of summary.json
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Embed these games in the page, such as 3,17,100-120 [default: those worth a look, 3 MB at most]
    #[arg(long, value_name = "LIST", value_parser = Numbers::parse)]
    games: Option<Numbers>,
}

/// Numbers of games.
#[derive(Clone, Debug)]
struct Numbers(Vec<u64>);

/// So many games may be asked for.
const MOST: usize = 10_000;

impl Numbers {
    /// Numbers and ranges with commas between.
    fn parse(text: &str) -> Result<Numbers, String> {
        let number = |text: &str| {
            text.trim()
                .parse::<u64>()
                .map_err(|_| format!("expected numbers of games as in 3,17,100-120, found `{text}`"))
        };
        let mut numbers = Vec::new();
        for part in text.split(',') {
            let (first, last) = match part.split_once('-') {
                Some((first, last)) => (number(first)?, number(last)?),
                None => (number(part)?, number(part)?),
            };
            if first > last {
                return Err(format!("the range {part} ends before it begins"));
            }
            numbers.extend((first..=last).take(MOST + 1));
            if numbers.len() > MOST {
                return Err(format!("at most {MOST} games can be embedded"));
            }
        }
        Ok(Numbers(numbers))
    }
}

/// A report, and where it goes.
struct Output<'a> {
    path: &'a Path,
    content: String,
}

pub(super) fn report(args: &ReportArgs, games: &Games) -> Result<u8, Failure> {
    let named: Vec<&PathBuf> = [&args.html, &args.junit, &args.markdown, &args.json].into_iter().flatten().collect();
    if named.iter().filter(|path| is_stdout(path)).count() > 1 {
        let error = anyhow!("write more than one report to standard output: name files for the others");
        return Err(Failure { code: exit::USAGE, error });
    }
    let asked = args.games.as_ref().map_or(&[][..], |numbers| &numbers.0);
    let report = tournament::report(&args.run, asked, games);
    let report = report.map_err(Failure::input)?;
    if let ([_, ..], [], [(number, why), ..]) = (asked, &report.replays.replays[..], &report.replays.left_out[..]) {
        return Err(Failure::input(anyhow!("embed game {number}: {why}")));
    }
    let page = args.run.join(store::REPORT);
    let html_path = args.html.as_deref().or((named.is_empty() || args.games.is_some()).then_some(page.as_path()));
    let mut outputs = Vec::new();
    outputs.extend(html_path.map(|path| Output { path, content: html::page(&report) }));
    if let Some(path) = args.junit.as_deref() {
        outputs.push(Output { path, content: junit::junit(&report).map_err(internal)? });
    }
    outputs.extend(args.markdown.as_deref().map(|path| Output { path, content: markdown::markdown(&report) }));
    if let Some(path) = args.json.as_deref() {
        outputs.push(Output { path, content: summary_json(&report.summary).map_err(internal)? });
    }
    outputs.iter().try_for_each(write)?;
    if args.games.is_some() {
        tell_left_out(&report);
    }
    Ok(exit::OK)
}

/// A defect.
fn internal(error: impl Into<anyhow::Error>) -> Failure {
    Failure { code: exit::INTERNAL, error: error.into() }
}

/// Games that were asked for and cannot be shown.
fn tell_left_out(report: &RunReport) {
    for (number, why) in &report.replays.left_out {
        // Where nobody reads standard error, the page still tells.
        let _ = writeln!(io::stderr(), "game {number} is not embedded: {why}");
    }
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn write(output: &Output<'_>) -> Result<(), Failure> {
    if !is_stdout(output.path) {
        // Somebody named this file.
        let place = || format!("write {}", output.path.display());
        return fs::write(output.path, &output.content).with_context(place).map_err(Failure::input);
    }
    match io::stdout().lock().write_all(output.content.as_bytes()) {
        // A pager that is closed has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(internal(anyhow::Error::new(error).context("write standard output")))
        }
        _ => Ok(()),
    }
}
