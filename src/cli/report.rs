//! `arena report`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use super::exit;
use super::failure::{Failure, InputError, Result, UsageError};
use super::output::{document, is_json, say, write_to};
use super::run::show_end;
use super::terms::VerboseArgs;
use crate::report::export::Played;
use crate::report::replays::Selection;
use crate::report::{RunReport, html, junit, markdown};
use crate::{store, tournament};
use arena_games::Games;
use arena_process::guard;

/// Regenerate the reports of a run from its files
///
/// Also works during the run, and for runs of others. Without options, writes all files that follow
/// from the records again (during the run only report.html) and prints the final tables.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run directory
    #[arg(value_hint = ValueHint::DirPath)]
    run: PathBuf,
    /// Write the page; - is standard output, here and below
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write JUnit XML, for CI systems
    ///
    /// A test for each bot and game, failed if the bot was, and one for the sequential test.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write Markdown, ready for the summary of a CI job
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Where --json writes [default: standard output]
    #[arg(value_name = "FILE", requires = "json", value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// Games that can be watched in the page, such as 3,17,100-120
    ///
    /// Others are added as far as they fit. `all` means as many as fit into 20 MB. The default is
    /// as many as fit into 3 MB, those worth a look first.
    #[arg(long, value_name = "LIST", value_parser = parse_games)]
    games: Option<Selection>,
    /// Write report.html every 5 seconds while the run is played
    ///
    /// Start the run first. Until it ends, the page reloads itself. Ctrl-C stops this command, not
    /// the run.
    #[arg(long, conflicts_with_all = ["html", "junit", "markdown"])]
    follow: bool,
    #[command(flatten)]
    verbose: VerboseArgs,
}

/// Renders a report.
type Render = fn(&RunReport) -> anyhow::Result<String>;

const PAGE: Render = |report| Ok(html::page(report));

impl ReportArgs {
    /// The reports to write, with their paths.
    fn outputs(&self) -> Vec<(Render, PathBuf)> {
        let all: [(Render, &Option<PathBuf>); 3] = [
            (PAGE, &self.html),
            (|report| Ok(junit::junit(report)?), &self.junit),
            (|report| Ok(markdown::markdown(report)), &self.markdown),
        ];
        all.into_iter()
            .filter_map(|(render, path)| Some((render, path.clone()?)))
            .collect()
    }
}

/// The maximum number of games to ask for.
const MOST: usize = 10_000;

/// Reads `all`, or numbers and ranges with commas between.
fn parse_games(text: &str) -> Result<Selection, String> {
    if text == "all" {
        return Ok(Selection::All);
    }
    let mut numbers = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (game_number(first)?, game_number(last)?);
        if first > last {
            return Err(format!("the range {part} ends before it begins"));
        }
        numbers.extend((first..=last).take(MOST + 1));
        if numbers.len() > MOST {
            return Err(format!(
                "at most {MOST} games can be embedded; `all` takes as many as fit"
            ));
        }
    }
    Ok(Selection::Numbers(numbers.into_iter().collect()))
}

fn game_number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| {
        format!("expected `all`, or numbers of games as in 3,17,100-120, found `{text}`")
    })
}

pub(super) fn report(args: &ReportArgs, games: &Games) -> Result<u8> {
    let mut outputs = args.outputs();
    let is_stdout = |(_, path): &&(Render, PathBuf)| path == Path::new("-");
    let json = is_json().then(|| args.file.as_deref().unwrap_or(Path::new("-")));
    let prints_json = usize::from(json == Some(Path::new("-")));
    if outputs.iter().filter(is_stdout).count() + prints_json > 1 {
        return Err(UsageError::SeveralToStdout.into());
    }
    let page = args.run.join(store::REPORT);
    let is_plain = outputs.is_empty() && args.games.is_none() && json.is_none();
    // Only the page has games to watch, and packing them takes most of the time.
    let default = if is_plain || args.html.is_some() || args.follow {
        &Selection::Fitting
    } else {
        &Selection::None
    };
    let asked = args.games.as_ref().unwrap_or(default);
    let report = if args.follow {
        if store::is_in_use(&args.run) {
            let page = page.display();
            say(&format!(
                "updating {page} until the run ends; Ctrl-C stops the updates, not the run"
            ));
        }
        guard::lower_priority();
        tournament::follow(&args.run, asked, games)
    } else {
        tournament::report(&args.run, asked, is_plain, games)
    }?;
    // --games without --html is about the page of the run. A plain report has written it already,
    // unless another process plays the run.
    let wants_page = args.games.is_some() && args.html.is_none();
    if !args.follow && (wants_page || (is_plain && report.is_played)) {
        outputs.push((PAGE, page));
    }
    let numbers = match asked {
        Selection::Numbers(numbers) => &numbers[..],
        _ => &[],
    };
    let embedded = &report.replays;
    let mut left_out = embedded.left_out.clone();
    left_out.retain(|(number, _)| numbers.contains(number));
    if let Some((number, why)) = left_out.first()
        && !embedded.data.keys().any(|number| numbers.contains(number))
    {
        return Err(InputError::NotEmbedded(*number, why.clone()).into());
    }
    for (render, path) in outputs {
        write_to(&path, render(&report).map_err(Failure::Internal)?)?;
    }
    let played = Played::new(&report, &args.run);
    match json {
        Some(path) => write_to(path, document(exit::OK, &played)?)?,
        None if is_plain || args.follow => drop(show_end(exit::OK, &played, args.verbose)?),
        None => {}
    }
    for (number, why) in left_out {
        say(&format!("game {number} is not embedded: {why}"));
    }
    Ok(exit::OK)
}
