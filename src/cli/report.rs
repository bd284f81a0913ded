//! `arena report`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueHint, value_parser};

use super::Failure;
use super::terms::TimesArgs;
use crate::report::export::{ALL, Report};
use crate::report::outcome;
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
    /// Embed these games in the page, such as 3,17,100-120 [default: those worth a look, 3 MB at most]
    #[arg(long, value_name = "LIST", value_parser = Numbers::parse)]
    games: Option<Numbers>,
    #[command(flatten)]
    times: TimesArgs,
}

/// Where to write which reports: the flags of all that have one.
#[derive(Debug)]
struct Outputs(Vec<(&'static Report, PathBuf)>);

impl Args for Outputs {
    fn augment_args(command: Command) -> Command {
        let flag =
            |(name, help)| Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help);
        command.args(ALL.iter().filter_map(|report| report.flag).map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Outputs::augment_args(command)
    }
}

impl FromArgMatches for Outputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Outputs, clap::Error> {
        let output = |report: &'static Report| Some((report, matches.get_one::<PathBuf>(report.flag?.0)?.clone()));
        Ok(Outputs(ALL.iter().filter_map(output).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Outputs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Numbers of games.
#[derive(Clone, Debug)]
struct Numbers(Vec<u64>);

/// So many games may be asked for.
const MOST: usize = 10_000;

impl Numbers {
    /// Numbers and ranges with commas between.
    fn parse(text: &str) -> Result<Numbers, String> {
        let unknown = |text: &str| format!("expected numbers of games as in 3,17,100-120, found `{text}`");
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| unknown(text));
        let mut numbers = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
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

pub(super) fn report(args: &ReportArgs, games: &Games) -> Result<u8, Failure> {
    let mut outputs = args.outputs.0.clone();
    if outputs.iter().filter(|(_, path)| is_stdout(path)).count() > 1 {
        let why = "write more than one report to standard output: name files for the others";
        return Err(Failure::usage(anyhow!(why)));
    }
    let asked = args.games.as_ref().map_or(&[][..], |numbers| &numbers.0);
    let is_plain = outputs.is_empty() && args.games.is_none();
    let report = tournament::report(&args.run, asked, is_plain, games).map_err(Failure::input)?;
    if let ([_, ..], [], [(number, why), ..]) = (asked, &report.replays.replays[..], &report.replays.left_out[..]) {
        return Err(Failure::input(anyhow!("embed game {number}: {why}")));
    }
    let is_page = |report: &Report| report.file == Some(store::REPORT);
    if outputs.is_empty() || (args.games.is_some() && !outputs.iter().any(|(report, _)| is_page(report))) {
        outputs.extend(ALL.iter().filter(|report| is_page(report)).map(|page| (page, args.run.join(store::REPORT))));
    }
    let mut contents = Vec::new();
    for (kind, path) in &outputs {
        contents.push((path, (kind.make)(&report).map_err(Failure::internal)?.unwrap_or_default()));
    }
    for (path, content) in contents {
        if is_stdout(path) {
            super::print(content)?;
        } else {
            // Somebody named this file.
            fs::write(path, content).with_context(|| format!("write {}", path.display())).map_err(Failure::input)?;
        }
    }
    if is_plain {
        let times = args.times.times;
        super::print(outcome::text(&report.summary, &report.plan, &args.run, &Screen::stdout(), times))?;
    }
    if args.games.is_some() {
        for (number, why) in &report.replays.left_out {
            // Where nobody reads standard error, the page still tells.
            let _ = writeln!(io::stderr(), "game {number} is not embedded: {why}");
        }
    }
    Ok(exit::OK)
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}
