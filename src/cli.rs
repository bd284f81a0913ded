//! The command line, with a module for each verb.

use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory as _, Parser, Subcommand};

use arena_games::Games;
use arena_process::guard;

mod ad_hoc;
mod bots;
mod check;
mod completions;
mod contest;
mod counts;
mod doctor;
mod duel;
mod elo;
mod elsewhere;
mod exit;
mod failure;
mod import;
mod init;
mod list;
mod minishogi;
mod order;
mod output;
mod perft;
mod pool;
mod rate;
mod replay;
mod report;
mod run;
mod samples;
mod sprt;
mod start;
mod supervised;
mod terms;
#[cfg(test)]
mod tests;
mod tune;
mod usage;
mod verify;
mod worker;

use failure::UsageError;
use terms::HAS_WORKERS;

/// Play tournaments of bots and measure how strong they are.
#[derive(Debug, Parser)]
#[command(name = "arena", version = crate::report::VERSION, help_expected = true, max_term_width = 100)]
struct Cli {
    /// When to use colours: auto, always or never
    #[arg(long, global = true, hide_default_value = true, hide_possible_values = true, value_name = "WHEN", default_value_t = ColorChoice::Auto, display_order = 1000)]
    color: ColorChoice,
    /// Print one JSON document, also for an error; see docs/reference/json.md
    #[arg(long, global = true, overrides_with = "json", display_order = 998)]
    json: bool,
    /// Write only errors to standard error, and with --json nothing
    #[arg(
        long,
        short,
        global = true,
        overrides_with = "quiet",
        display_order = 999
    )]
    quiet: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Init(init::InitArgs),
    Check(check::CheckArgs),
    Duel(duel::DuelArgs),
    Run(run::RunArgs),
    Pool(pool::PoolArgs),
    Tune(tune::TuneArgs),
    #[command(hide = true)]
    Minishogi(minishogi::MinishogiArgs),
    Report(report::ReportArgs),
    Import(import::ImportArgs),
    Replay(replay::ReplayArgs),
    Verify(verify::VerifyArgs),
    Rate(rate::RateArgs),
    Elo(elo::EloArgs),
    Sprt(sprt::SprtArgs),
    List(list::ListArgs),
    /// Show what this machine can do, and what to install
    ///
    /// Lists the features of the sandbox, the cores, how many processes may still start, how late a
    /// thread wakes up, and the languages whose source files can be bots, with the versions of
    /// their compilers. Missing features and languages aren't errors: the exit status is 0.
    Doctor,
    #[command(hide = !HAS_WORKERS)]
    Worker(worker::WorkerArgs),
    #[command(hide = true)]
    Bot(samples::BotArgs),
    #[command(hide = true)]
    Start(start::StartArgs),
    #[command(hide = true)]
    Perft(perft::PerftArgs),
    #[command(hide = true)]
    Completions(completions::CompletionsArgs),
}

/// Runs the program with the arguments of this process, and returns its exit status.
pub fn main() -> ExitCode {
    guard::serve_probe();
    if let Some(code) = samples::serve() {
        return code;
    }
    let cli: Cli = usage::parsed();
    choose_colours(cli.color);
    output::choose(cli.json, cli.quiet);
    let games = Games::standard();
    let result = match cli.verb {
        Verb::Bot(_) | Verb::Start(_) | Verb::Minishogi(_) | Verb::Completions(_) if cli.json => {
            Err(UsageError::NoJson.into())
        }
        Verb::Init(args) => init::init(&args, &games),
        Verb::Check(args) => check::check(&args, &games),
        Verb::Duel(args) => duel::duel(&args, &games),
        Verb::Run(args) => run::run(&args, &games),
        Verb::Pool(args) => pool::pool(&args, &games),
        Verb::Tune(args) => tune::tune(&args, &games),
        Verb::Minishogi(args) => minishogi::minishogi(&args),
        Verb::Report(args) => report::report(&args, &games),
        Verb::Import(args) => import::import(&args, &games),
        Verb::Replay(args) => replay::replay(&args, &games),
        Verb::Verify(args) => verify::verify(&args, &games),
        Verb::Rate(args) => rate::rate(&args, &games),
        Verb::Elo(args) => elo::elo(&args, &games),
        Verb::Sprt(args) => sprt::sprt(&args, &games),
        Verb::List(args) => list::list(&args, &games),
        Verb::Doctor => doctor::doctor(),
        Verb::Worker(args) => worker::worker(&args, &games),
        Verb::Bot(args) => return samples::bot(args),
        Verb::Start(args) => start::start(&args, &games),
        Verb::Perft(args) => perft::perft(&args, &games),
        Verb::Completions(args) => completions::completions(&args, &mut Cli::command()),
    };
    let code = result
        .unwrap_or_else(|failure| output::report(failure, &usage::help_of_verb(Cli::command())));
    ExitCode::from(code)
}

/// Sets colours for the whole process. By default, terminals have them unless the environment says
/// otherwise: `NO_COLOR` or `CLICOLOR=0` turns them off, `CLICOLOR_FORCE=1` turns them on
/// everywhere.
fn choose_colours(choice: ColorChoice) {
    if choice != ColorChoice::Auto {
        console::set_colors_enabled(choice == ColorChoice::Always);
        console::set_colors_enabled_stderr(choice == ColorChoice::Always);
    }
}
