//! The command line: one verb each in the modules below.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ColorChoice, Parser, Subcommand, ValueHint, value_parser};
use serde::Serialize;

use crate::config::{GamesPerPairing, Jobs};
use crate::plan::schedule::Slice;
use crate::report::screen::{Screen, choose_colours};
use crate::section::Tone;
use arena_games::Games;
use arena_process::guard;

mod ad_hoc;
mod bots;
mod check;
mod completions;
mod contest;
mod counts;
mod duel;
mod elo;
mod exit;
mod init;
mod list;
mod merge;
mod minishogi;
mod names;
mod perft;
mod rate;
mod replay;
mod report;
mod run;
mod samples;
mod sprt;
mod start;
mod supervised;
mod terms;
mod tune;
mod usage;
mod verify;
mod watch;
mod worker;

use crate::play::KeptStderr;
use terms::{LimitArgs, SandboxArgs, TimesArgs, ViewArgs, time};
use worker::ServerArgs;

/// Play tournaments of bots and measure how strong they are.
#[derive(Debug, Parser)]
#[command(name = "arena", version, help_expected = true, max_term_width = 100)]
struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto, display_order = 1000)]
    color: ColorChoice,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Init(init::InitArgs),
    Check(CheckArgs),
    Duel(duel::DuelArgs),
    Run(RunArgs),
    Tune(tune::TuneArgs),
    Minishogi(MinishogiArgs),
    Report(report::ReportArgs),
    Replay(ReplayArgs),
    Watch(watch::WatchArgs),
    Verify(VerifyArgs),
    Rate(rate::RateArgs),
    Elo(elo::EloArgs),
    Sprt(sprt::SprtArgs),
    List(list::ListArgs),
    Merge(MergeArgs),
    Worker(worker::WorkerArgs),
    #[command(hide = true)]
    Bot(samples::BotArgs),
    #[command(hide = true)]
    Start(start::StartArgs),
    #[command(hide = true)]
    Perft(PerftArgs),
    #[command(hide = true)]
    Completions(completions::CompletionsArgs),
}

/// Play the tournament that a config describes
///
/// Bots are built first where the config says how. Every game goes into the run directory, results/NAME or --out:
/// games.csv, records.jsonl, ratings.csv, pairings.csv, timings.csv, report.html, summary.json. The first Ctrl-C finishes
/// the games in flight, the second ends them; --resume goes on later. With `format = "sprt"` the run ends when the test is
/// decided, and the exit status is 0 if the first bot is accepted, 1 if it is rejected, 4 if it is inconclusive. With
/// `format = "sweep"` variants of one bot are compared, and sweep.csv has a line for each; see docs/sweep.md. With `format = "tune"`
/// parameters of a bot find their values; see docs/tune.md, also for `confirm`, with which the exit status is that of a test.
#[derive(Debug, Args)]
struct RunArgs {
    /// The config, a TOML file; see docs/config.md
    config: PathBuf,
    /// The run directory [default: results/NAME, for a slice results/NAME-2of3]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Games played at the same time [default: the config's]
    #[arg(long, short, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(Jobs::RANGE))]
    jobs: Option<u64>,
    /// Have the games played by the workers at this NATS server, see `arena worker` [default: the config's, or here]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    workers: Option<String>,
    /// Games per pairing and game [default: the config's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(GamesPerPairing::RANGE))]
    games: Option<u64>,
    /// The seed of the run [default: the config's]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Go on with the run that the run directory holds, or extend it by more games or bots than it had
    #[arg(long)]
    resume: bool,
    /// Replace the run that the run directory holds
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Play one part of the run, as in 2/3 for the second of three; merge joins them
    #[arg(long, value_name = "I/N", default_value_t = Slice::WHOLE)]
    slice: Slice,
    /// Start no more games after this time from the first game on, as in 20m or 1h30m; --resume goes on
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    /// Serve the page of the run on this machine while it goes on, or until Ctrl-C: run or stay
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "run")]
    watch: Option<watch::Watch>,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    view: ViewArgs,
}

/// What records keep beside the answers.
#[derive(Debug, Args)]
struct KeepArgs {
    /// Keep every prompt in the records
    #[arg(long)]
    trace: bool,
    /// Keep what bots tell of themselves on standard error, as in eval=0.3 depth=7 (docs/metrics.md)
    #[arg(long)]
    metrics: bool,
    /// What to keep of standard error: its end of bots that fail, or what comes with every turn, and metrics [default: as the config says]
    #[arg(long, value_name = "WHEN", value_parser = terms::one_of::<KeptStderr>())]
    stderr: Option<KeptStderr>,
}

/// Check that a bot, or a referee, follows its protocol
///
/// Plays full games in every seat against random players, and looks at what the bot reads and writes: whether it starts,
/// reads its input, flushes, keeps time, writes the lines that are wanted, answers with legal actions, and ends when its input
/// does. What fails is told with the turn and a hint, and what the bot was sent is saved. The exit status is 1 if
/// anything fails.
///
/// Without a bot, a referee that is a program of its own is checked: whether it starts, plays to the end, gives the same game for
/// the same seed, in another process and after other games, whom it blames for no answer and for one that is no action, what it
/// shows, and how fast it is. Players answer with what it lists as legal, or with --answer.
#[derive(Debug, Args)]
struct CheckArgs {
    /// The game, see `arena list games`; of another referee a config with [game.NAME], as FILE.toml or FILE.toml:NAME, or its file
    #[arg(value_hint = ValueHint::FilePath)]
    game: String,
    /// The bot: a command in quotes, split as a shell would, as in "./bot --depth 3"; NAME=COMMAND and variables in front of
    /// the program are understood as in `arena duel`
    #[arg(value_hint = ValueHint::AnyPath)]
    bot: Option<String>,
    /// What is one word too many; an error tells what to do.
    #[arg(hide = true)]
    more: Vec<String>,
    /// The same without quotes: all words behind -- are the bot's
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::AnyPath)]
    words: Vec<String>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// Games in every seat, each on a seed of its own, before one on every further map; without a bot, games
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u32).range(1..=1000))]
    seeds: u32,
    /// Without a bot: what is answered where the referee lists no legal actions; may be given more than once, for answers of
    /// several lines [default: an empty line]
    #[arg(long = "answer", value_name = "LINE", allow_hyphen_values = true, conflicts_with_all = ["bot", "words"])]
    answers: Vec<String>,
    /// Where to save what a bot was sent when it failed [default: check-GAME]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Play recorded games again and compare them with the record
///
/// Every input that a record holds, who had to answer in which turn, the scores and the reason for the end. The exit
/// status is 1 if anything differs.
#[derive(Debug, Args)]
struct VerifyArgs {
    /// Run directories, or files of records, JSON lines, plain or gzip
    #[arg(required = true, value_name = "RECORDS")]
    files: Vec<PathBuf>,
    /// Take this referee for games that the arena does not know, instead of the one that the run had: a config with
    /// [game.NAME], as FILE.toml or FILE.toml:NAME, or the file of a referee
    #[arg(long, value_name = "REFEREE")]
    referee: Option<String>,
}

/// List the games of a run, or show one turn by turn
///
/// Without the number of a game, all games are listed, or those that the filters leave. Of a game the board stands after each
/// turn, and a bot that failed is told of at the end. With --as-input nothing is written but all prompts of that seat, byte for
/// byte, so that they can be piped into the bot under a debugger: arena replay results/mine --game 17 --as-input 1 | ./my-bot
#[derive(Debug, Args)]
struct ReplayArgs {
    /// A run directory, or a file of records, JSON lines, plain or gzip
    run: PathBuf,
    /// The number of the game; in a file whose records have no number, its place from 0
    #[arg(value_name = "GAME", group = "one")]
    number: Option<u64>,
    /// The same as GAME
    #[arg(long, value_name = "N", group = "one")]
    game: Option<u64>,
    /// List the answers in a table, without boards
    #[arg(long, conflicts_with = "as_input", requires = "one")]
    moves: bool,
    /// Write what this seat was sent; seats count from 0
    #[arg(long, value_name = "SEAT", requires = "one")]
    as_input: Option<usize>,
    #[command(flatten)]
    filter: replay::FilterArgs,
}

/// Join the slices of one run into the whole run
#[derive(Debug, Args)]
struct MergeArgs {
    /// The run directories of all slices
    #[arg(required = true, value_name = "RUN", value_hint = ValueHint::DirPath)]
    runs: Vec<PathBuf>,
    /// The run directory to write
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Replace the run that the directory holds
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    times: TimesArgs,
}

/// Count the move sequences of a game's rules, split by the first move
///
/// The last line is the total. Both shogis have the same moves; the die is not part of the count. Sequences that end
/// the game before their full length are not counted.
#[derive(Debug, Args)]
struct PerftArgs {
    /// `minishogi`, `dice_shogi` or `onitama`
    game: String,
    /// The length of the sequences
    #[arg(long, short, value_name = "N", default_value_t = 5, allow_negative_numbers = true, value_parser = value_parser!(u32).range(1..=99))]
    depth: u32,
    /// Shogi: the position to start from, in SFEN [default: the start of the game]
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,
    /// Onitama: the seed that deals the cards [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<i64>,
}

/// Play MiniShogi by hand, or from a file of actions
///
/// Two players, lower and UPPER, in turn: `move a1 a2`, `move a1 a2 promote` or `drop p c3`. An illegal action loses
/// the game.
///
/// A file holds pieces and their squares, one per line as in `k a1` or `+B c4`; an empty line; what UPPER has captured
/// and what lower has, as in `[P R]` and `[]`; an empty line; then actions, one per line, lower's first.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct MinishogiArgs {
    /// Read the actions from standard input, and show the game after each
    #[arg(long, short)]
    interactive: bool,
    /// Read a position and actions from a file, and show how it ends
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Why a verb failed, and with which code the program ends.
#[derive(Debug)]
struct Failure {
    code: u8,
    error: anyhow::Error,
}

impl Failure {
    fn new(code: u8, error: impl Into<anyhow::Error>) -> Failure {
        let error = error.into();
        Failure { code, error }
    }

    /// A config or an input file is at fault, or the state of the run directory.
    fn input(error: impl Into<anyhow::Error>) -> Failure {
        Failure::new(exit::INPUT, error)
    }

    /// The program itself failed.
    fn internal(error: impl Into<anyhow::Error>) -> Failure {
        Failure::new(exit::INTERNAL, error)
    }

    /// The command line asks for what cannot be.
    fn usage(error: impl Into<anyhow::Error>) -> Failure {
        Failure::new(exit::USAGE, error)
    }
}

/// Writes to standard output. A pager that is closed, or a bot that stops reading, has seen enough.
fn print(content: impl AsRef<[u8]>) -> Result<u8, Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(content.as_ref());
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unprinted(error)),
        _ => Ok(exit::OK),
    }
}

/// Writes a file that somebody named; `-` is standard output.
fn write_to(path: &Path, content: impl AsRef<[u8]>) -> Result<u8, Failure> {
    if path.as_os_str() == "-" {
        return print(content);
    }
    fs::write(path, content)
        .with_context(|| format!("write {}", path.display()))
        .map_err(Failure::input)?;
    Ok(exit::OK)
}

/// Standard output is full.
fn unprinted(error: io::Error) -> Failure {
    Failure::internal(anyhow::Error::new(error).context("write standard output"))
}

/// Writes a result as JSON, where numbers that are not finite become null, or as text.
fn print_either(
    json: bool,
    result: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<u8, Failure> {
    print(if json {
        serde_json::to_string_pretty(result).map_err(Failure::internal)? + "\n"
    } else {
        text()
    })
}

/// Runs the program on the arguments of this process, and says with which exit code it is to end.
pub fn main() -> ExitCode {
    guard::serve_probe();
    if let Some(code) = samples::serve() {
        return code;
    }
    let cli = usage::parsed();
    choose_colours(cli.color);
    let games = Games::standard();
    let result = match cli.verb {
        Verb::Init(args) => init::init(&args, &games),
        Verb::Check(args) => check::check(&args, &games),
        Verb::Duel(args) => duel::duel(&args, &games),
        Verb::Run(args) => run::run(&args, &games),
        Verb::Tune(args) => tune::tune(&args, &games),
        Verb::Minishogi(args) => minishogi::minishogi(&args),
        Verb::Report(args) => report::report(&args, &games),
        Verb::Replay(args) => replay::replay(&args, &games),
        Verb::Watch(args) => watch::watch(&args, &games),
        Verb::Verify(args) => verify::verify(&args, &games),
        Verb::Rate(args) => rate::rate(&args),
        Verb::Elo(args) => elo::elo(&args),
        Verb::Sprt(args) => sprt::sprt(&args, &games),
        Verb::List(args) => list::list(&args, &games),
        Verb::Merge(args) => merge::merge(&args, &games),
        Verb::Worker(args) => worker::worker(&args, &games),
        Verb::Bot(args) => return samples::bot(args),
        Verb::Start(args) => start::start(&args, &games),
        Verb::Perft(args) => perft::perft(&args, &games),
        Verb::Completions(args) => completions::completions(&args),
    };
    ExitCode::from(result.unwrap_or_else(told))
}

/// Tells of a failure; its exit code.
fn told(Failure { code, error }: Failure) -> u8 {
    let screen = Screen::stderr();
    let message = format!("{} {error:#}", screen.paint(Tone::Bad, "error:"));
    // If nobody reads standard error, the exit code still tells.
    let _ = writeln!(io::stderr(), "{}", screen.prose(&message));
    code
}
