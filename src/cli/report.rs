//! `arena report`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueHint, value_parser};

use super::Failure;
use super::terms::TimesArgs;
use crate::report::export::{ALL, Report};
use crate::report::outcome;
use crate::report::replays::Asked;
use crate::report::screen::Screen;
use crate::{exit, store, tournament};
use arena_games::Games;

/// Regenerates the reports of a run from its files, without playing
///
/// Works while the run goes on, and for runs of others. Without any option all files that follow from the records are written
/// anew (while the run goes on report.html alone), and the final tables are printed.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run directory
    #[arg(value_hint = ValueHint::DirPath)]
    run: PathBuf,
    #[command(flatten)]
    outputs: Outputs,
    /// Which games can be watched in the page: numbers such as 3,17,100-120, and others as far as they fit beside them; or
    /// `all`, as many as fit into 20 MB [default: as many as fit into 3 MB, those worth a look first]
    #[arg(long, value_name = "LIST", value_parser = parse_games)]
    games: Option<Asked>,
    #[command(flatten)]
    times: TimesArgs,
}

/// Where to write which reports: the flags of all that have one.
#[derive(Debug)]
struct Outputs(Vec<(&'static Report, PathBuf)>);

impl Args for Outputs {
    fn augment_args(command: Command) -> Command {
        let flag = |(name, help)| {
            Arg::new(name)
                .long(name)
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help(help)
        };
        command.args(ALL.iter().filter_map(|report| report.flag).map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Outputs::augment_args(command)
    }
}

impl FromArgMatches for Outputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Outputs, clap::Error> {
        let output = |report: &'static Report| {
            Some((report, matches.get_one::<PathBuf>(report.flag?.0)?.clone()))
        };
        Ok(Outputs(ALL.iter().filter_map(output).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Outputs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// So many games may be asked for.
const MOST: usize = 10_000;

/// `all`, or numbers and ranges with commas between.
fn parse_games(text: &str) -> Result<Asked, String> {
    if text == "all" {
        return Ok(Asked::All);
    }
    let unknown = |text: &str| {
        format!("expected `all`, or numbers of games as in 3,17,100-120, found `{text}`")
    };
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| unknown(text));
    let mut numbers = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
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
    Ok(Asked::Numbers(numbers.into_iter().collect()))
}

pub(super) fn report(args: &ReportArgs, games: &Games) -> Result<u8, Failure> {
    let mut outputs = args.outputs.0.clone();
    if outputs.iter().filter(|(_, path)| is_stdout(path)).count() > 1 {
        let why = "write more than one report to standard output: name files for the others";
        return Err(Failure::usage(anyhow!(why)));
    }
    let asked = args.games.as_ref().unwrap_or(&Asked::Fitting);
    let is_plain = outputs.is_empty() && args.games.is_none();
    let report = tournament::report(&args.run, asked, is_plain, games).map_err(Failure::input)?;
    let is_asked =
        |number: &u64| matches!(asked, Asked::Numbers(numbers) if numbers.contains(number));
    let embedded = &report.replays;
    let left_out = embedded
        .left_out
        .iter()
        .filter(|(number, _)| is_asked(number));
    if let (Some((number, why)), false) =
        (left_out.clone().next(), embedded.data.keys().any(is_asked))
    {
        return Err(Failure::input(anyhow!("embed game {number}: {why}")));
    }
    let is_page = |report: &Report| report.file == Some(store::REPORT);
    if is_plain || (args.games.is_some() && !outputs.iter().any(|(report, _)| is_page(report))) {
        outputs.extend(
            ALL.iter()
                .filter(|report| is_page(report))
                .map(|page| (page, args.run.join(store::REPORT))),
        );
    }
    let mut contents = Vec::new();
    for (kind, path) in &outputs {
        contents.push((
            path,
            (kind.make)(&report)
                .map_err(Failure::internal)?
                .unwrap_or_default(),
        ));
    }
    for (path, content) in contents {
        super::write_to(path, content)?;
    }
    if is_plain {
        let times = args.times.times;
        super::print(outcome::text(
            &report.summary,
            &report.plan,
            &args.run,
            &Screen::stdout(),
            times,
        ))?;
    }
    for (number, why) in left_out {
        // Where nobody reads standard error, the page still tells.
        let _ = writeln!(io::stderr(), "game {number} is not embedded: {why}");
    }
    Ok(exit::OK)
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}
