//! The command line, with a module for each verb.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Args, ColorChoice, Parser, Subcommand, ValueHint};
use serde::Serialize;

use crate::config::{ConfigError, GamesPerPairing};
use crate::store::StoreError;
use arena_games::Games;
use arena_process::{advice, guard};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::text::shown;

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
mod import;
mod init;
mod list;
mod minishogi;
mod names;
mod order;
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
mod worker;

use terms::{PlayArgs, SandboxArgs, SetArgs};
use worker::HAS_WORKERS;

/// Play tournaments of bots and measure how strong they are.
#[derive(Debug, Parser)]
#[command(name = "arena", version = crate::report::VERSION, help_expected = true, max_term_width = 100)]
struct Cli {
    /// When to use colours: auto, always or never
    #[arg(long, global = true, hide_default_value = true, hide_possible_values = true, value_name = "WHEN", default_value_t = ColorChoice::Auto, display_order = 1000)]
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
    #[command(hide = true)]
    Minishogi(MinishogiArgs),
    Report(report::ReportArgs),
    Import(import::ImportArgs),
    Replay(ReplayArgs),
    Verify(VerifyArgs),
    Rate(rate::RateArgs),
    Elo(elo::EloArgs),
    Sprt(sprt::SprtArgs),
    List(list::ListArgs),
    /// Show what this machine can do, and what to install
    ///
    /// Lists the features of the sandbox, the cores, how many processes may still start, how late a
    /// thread wakes up, and the languages whose source files can be bots, with the versions of their
    /// compilers. Missing features and languages aren't errors: the exit status is 0.
    Doctor,
    #[command(hide = !HAS_WORKERS)]
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
/// Builds the bots first if the config says how. The run directory, a folder in results or --out, receives every game:
/// games.csv, records.jsonl, ratings.csv, pairings.csv, timings.csv, report.html and summary.json. The first Ctrl-C waits for
/// the games in flight, at most for --grace, and the second ends them. --resume continues later.
///
/// With `format = "sprt"`, the run ends when the test is decided. The exit status is then 0 if it accepts the first bot, 1 if it
/// rejects it, and 4 if it is inconclusive. `format = "sweep"` compares variants of one bot, see docs/how-to/sweep.md.
/// `format = "tune"` finds values for parameters of a bot, see docs/how-to/tune.md. With `confirm`, its exit status is that of a
/// test.
#[derive(Debug, Args)]
struct RunArgs {
    /// The config, a TOML file; see docs/reference/config.md
    #[arg(default_value = init::CONFIG)]
    config: PathBuf,
    /// The run directory [default: results and the name of the run]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Games per pairing and game [default: the config's]
    ///
    /// Rounded up so that bots take seats equally often.
    #[arg(long, value_name = "N", value_parser = terms::integer(GamesPerPairing::RANGE))]
    games: Option<u64>,
    /// Continue the run in the run directory, or play more games
    #[arg(long)]
    resume: bool,
    /// Replace the run in the run directory
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Keep every prompt in the records
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    play: PlayArgs,
}

/// Check that a bot, or a referee, follows its protocol
///
/// Plays full games in every seat against random players. Checks that the bot starts, reads its input, flushes, keeps time,
/// writes the expected lines, answers with legal actions, and ends when its input ends. A failure comes with the turn, a hint and
/// the saved input of the bot. The exit status is 1 if anything fails.
///
/// Without arguments, checks the first bot of arena.toml in its first game, with the limits of the
/// config.
///
/// With a game alone, checks an external referee. Does it start, play to the end, and repeat a game for the same seed, in another
/// process and after other games? Which seat does it blame for a missing answer, and for an illegal one? What does it show, and
/// how fast is it? Players answer with actions that it lists as legal, or with --answer.
#[derive(Debug, Args)]
struct CheckArgs {
    /// The game, see `arena list games`
    ///
    /// For an external referee its file, or a config with [game.NAME], as FILE.toml or FILE.toml:NAME.
    #[arg(value_hint = ValueHint::FilePath)]
    game: Option<String>,
    /// The bot in quotes, as in "./bot --depth 3"
    ///
    /// It may have a name and variables, as in `arena duel`.
    #[arg(value_hint = ValueHint::AnyPath)]
    bot: Option<String>,
    /// The bot without quotes: all words after --
    #[arg(last = true, requires = "game", value_name = "COMMAND", value_hint = ValueHint::AnyPath)]
    words: Vec<String>,
    #[command(flatten)]
    set: SetArgs,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// Games in every seat, each with another seed
    ///
    /// The bot also plays a game on every further map. Without a bot, the number of games.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = terms::integer(1..=1000_u32))]
    seeds: u32,
    /// The answer if no legal actions are listed [default: an empty line]
    ///
    /// For a check of a referee. Given several times, these answer the first and the later questions
    /// to a seat. `;` separates the lines of one answer.
    #[arg(long = "answer", value_name = "LINE", allow_hyphen_values = true, conflicts_with_all = ["bot", "words"])]
    answers: Vec<String>,
    /// Where to save a failed bot's input [default: check-GAME]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Play recorded games again and compare them with the record
///
/// Compares the inputs, the turns of every seat, the scores and the reason for the end. In a run
/// directory, also compares the records with the plan, and games.csv and summary.json with the
/// records. The exit status is 1 if anything differs.
#[derive(Debug, Args)]
struct VerifyArgs {
    /// Run directories, or files of records, JSON lines, plain or gzip
    #[arg(required = true, value_name = "RECORDS")]
    files: Vec<PathBuf>,
    /// The referee of games that arena doesn't know
    ///
    /// Its file, or a config with [game.NAME], as FILE.toml or FILE.toml:NAME. The default is the one of the run.
    #[arg(long, value_name = "REFEREE")]
    referee: Option<String>,
}

/// List the games of a run, or show one turn by turn
///
/// Without the number of a game, lists all games, or those that the filters select. With a number,
/// shows the board after each turn, with the piece that moved in brackets and a * where it came
/// from, and at the end how a bot failed. --as-input writes only the prompts of a seat, byte for
/// byte, so that you can pipe them into the bot under a debugger: arena replay results/mine 17
/// --as-input 1 | ./my-bot
#[derive(Debug, Args)]
struct ReplayArgs {
    /// A run directory, or a file of records
    ///
    /// Records are JSON lines, plain or gzip.
    run: PathBuf,
    /// The number of the game
    ///
    /// In a file whose records have no number, its place from 0.
    #[arg(value_name = "GAME", value_parser = game_number)]
    number: Option<u64>,
    /// List the answers in a table, without boards
    #[arg(long, conflicts_with = "as_input", requires = "number")]
    moves: bool,
    /// Write the input of this seat; seats count from 0
    #[arg(long, value_name = "SEAT", requires = "number")]
    as_input: Option<usize>,
    /// Ask this bot for its answers to the recorded input
    ///
    /// The input of --seat, or without GAME that of --bot in all games that it lost.
    #[arg(long, value_name = "BOT", conflicts_with_all = ["moves", "as_input"])]
    against: Vec<String>,
    /// Play GAME on from this turn with the bots of --against
    ///
    /// One bot for all seats, or one for each.
    #[arg(long, value_name = "TURN", requires = "against", requires = "number", conflicts_with = "seat", value_parser = terms::integer(1..=u32::MAX))]
    from: Option<u32>,
    #[command(flatten)]
    filter: replay::FilterArgs,
}

/// Count the move sequences of a game's rules, split by the first move
///
/// The last line is the total. Both shogis have the same moves; the die is not part of the count.
/// Sequences that end the game before their full length are not counted.
#[derive(Debug, Args)]
struct PerftArgs {
    /// `minishogi`, `dice_shogi` or `onitama`
    game: String,
    /// The length of the sequences
    #[arg(long, short, value_name = "N", default_value_t = 5, value_parser = terms::integer(1..=99_u32))]
    depth: u32,
    /// Shogi: the first position, in SFEN [default: the start of the game]
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,
    /// Onitama: the seed that deals the cards [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<i64>,
}

/// Play MiniShogi by hand, or from a file of actions
///
/// Two players, lower and UPPER, in turn: `move a1 a2`, `move a1 a2 promote` or `drop p c3`. An
/// illegal action loses the game.
///
/// A file holds pieces and their squares, one per line as in `k a1` or `+B c4`; an empty line; what
/// UPPER has captured and what lower has, as in `[P R]` and `[]`; an empty line; then actions, one
/// per line, lower's first.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct MinishogiArgs {
    /// Read the actions from standard input, and show the game after each
    #[arg(long, short)]
    interactive: bool,
    /// Read a position and actions from a file; show the end
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The error of a verb, with the exit status of the program.
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

    /// An error in a config, an input file or the run directory.
    fn input(error: impl Into<anyhow::Error>) -> Failure {
        Failure::new(exit::INPUT, error)
    }

    /// An error of the program itself.
    fn internal(error: impl Into<anyhow::Error>) -> Failure {
        Failure::new(exit::INTERNAL, error)
    }

    /// An error in the command line.
    fn usage(error: impl Into<anyhow::Error>) -> Failure {
        Failure::new(exit::USAGE, error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::input(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::input(error)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        if error.is_of_input {
            Failure::input(error)
        } else {
            Failure::usage(error)
        }
    }
}

/// Reads the number of a game.
fn game_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        "expected the number of a game, from 0\nhint: `arena replay RUN` lists the games".to_owned()
    })
}

/// Writes text for people to standard output.
fn print(text: impl AsRef<str>) -> Result<u8, Failure> {
    print_data(shown(text.as_ref()))
}

/// Writes what programs read to standard output, byte for byte. It is no error if a pager or a bot
/// stops reading.
fn print_data(content: impl AsRef<[u8]>) -> Result<u8, Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(content.as_ref());
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let error = anyhow!("can't write standard output: {error}");
            Err(Failure::internal(error))
        }
        _ => Ok(exit::OK),
    }
}

/// Prints prose to standard error. It is no error if that is closed.
fn say(text: &str) {
    let text = shown(&Screen::stderr().prose(text));
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a file that the command line names; `-` is standard output.
fn write_to(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return print_data(content).map(drop);
    }
    fs::write(path, content).map_err(|error| {
        let code = if is_full(&error) {
            exit::INTERNAL
        } else {
            exit::INPUT
        };
        let place = format!("can't write {}", path.display());
        Failure::new(code, anyhow::Error::new(error).context(place))
    })
}

/// Whether a disk is full.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Writes a result as JSON, where numbers that are not finite become null, or as text.
fn print_either(
    json: bool,
    result: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<u8, Failure> {
    if json {
        let text = serde_json::to_string_pretty(result).map_err(Failure::internal)?;
        print_data(text + "\n")
    } else {
        print(text())
    }
}

/// Runs the program with the arguments of this process, and returns its exit status.
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
        Verb::Completions(args) => completions::completions(&args),
    };
    ExitCode::from(result.unwrap_or_else(report_failure))
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

/// Prints an error and returns its exit status. What to type next is on lines of its own, which
/// begin with `hint:`.
fn report_failure(Failure { code, error }: Failure) -> u8 {
    let screen = Screen::stderr();
    let (error_word, hint) = (
        screen.paint(Tone::Bad, "error:"),
        screen.paint(Tone::Good, "hint:"),
    );
    let mut text = format!("{error:#}");
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    if let Some(advice) = causes.find_map(advice)
        && !text.contains(advice)
    {
        text.extend(["\nhint: ", advice]);
    }
    if code == exit::USAGE && !text.contains("\nhint:") {
        text.extend(["\nhint: ", &usage::help_of_verb()]);
    }
    let text = text.replace("\nhint:", &format!("\n{hint}"));
    let text = text.replace("\nerror:", &format!("\n{error_word}"));
    say(&format!("{error_word} {text}"));
    code
}
