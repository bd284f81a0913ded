//! Why a verb failed: all errors that users of the command line cause, and the exit status of each.

use std::io;
use std::path::{Path, PathBuf};

use strum::{IntoStaticStr, VariantNames};

use super::exit;
use super::terms::CONFIG;
use crate::check::BotProblem;
use crate::check::CheckError;
use crate::config::ConfigError;
use crate::play::probe::NoQuestion;
use crate::pool::PoolError;
use crate::results::NoPair;
use crate::store::StoreError;
use crate::tournament::RunError;
use arena_process::guard::GuardError;
use arena_stats::StatsError;
use arena_stats::sprt::HypothesesError;

/// What a verb does, or why it failed.
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a verb failed. Its kind decides the exit status.
#[derive(Debug, IntoStaticStr, VariantNames, thiserror::Error)]
#[error(transparent)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Failure {
    Usage(#[from] UsageError),
    Input(#[from] InputError),
    Config(#[from] ConfigError),
    #[strum(serialize = "run_folder")]
    Store(#[from] StoreError),
    Run(#[from] RunError),
    Pool(#[from] PoolError),
    Check(#[from] CheckError),
    Guard(#[from] GuardError),
    /// Numbers on the command line that can't be counted.
    #[strum(serialize = "usage")]
    Stats(#[from] StatsError),
    #[strum(serialize = "usage")]
    Hypotheses(#[from] HypothesesError),
    Referee(#[from] NoQuestion),
    Options(#[from] arena_games::OptionError),
    Position(#[from] arena_games::TextError),
    Start(#[from] arena_process::StartError),
    /// A bot, a referee, a sandbox or a server that can't be used.
    Unusable(#[from] anyhow::Error),
    /// The machine or this program fails.
    Internal(anyhow::Error),
    #[error("can't write standard output: {0}")]
    Output(io::Error),
    /// The verb ended early with this status.
    #[error("{1}")]
    Ended(u8, String),
}

/// An error in the command line.
#[derive(Debug, thiserror::Error)]
pub(super) enum UsageError {
    /// What the parser of the command line says, or that of ranges.
    #[error("{0}")]
    Parsed(String),
    /// What can't be done with an unknown name, the name, and the known ones.
    #[error("can't {0} `{1}`: expected one of {2}\nhint: {3}")]
    Unknown(&'static str, String, String, String),
    #[error("can't use --json: this command prints what other programs write\nhint: leave it out")]
    NoJson,
    #[error("can't use --referee {0}: {1}")]
    Referee(String, String),
    // The game.
    #[error("can't play the game `{0}`: the game comes before the bots\nhint: {1}")]
    GameFirst(String, String),
    #[error(
        "can't find the game in `{0}`: there is no such file\nhint: paths start from the current folder, and `arena list games` shows the games by name"
    )]
    NoGameFile(String),
    #[error(
        "can't show rules without a game: expected one of {0}, a config, or the project of a referee\nhint: arena list rules onitama"
    )]
    RulesOfWhat(String),
    #[error("can't use `{0}`: only `rules` takes a game\nhint: arena list rules {0}")]
    OnlyRules(String),
    #[error("can't find one game in {0}: {1}")]
    NotOneGame(String, String),
    #[error("can't find the game of {run}: the run has {1} games\nhint: name one, see `arena list games`", run = .0.display())]
    RunOfGames(PathBuf, usize),
    #[error("can't take `{0}` as referee: it is a game of arena itself\nhint: {1}")]
    OwnGame(String, String),
    #[error(
        "can't check the referee of {0}: it is a part of arena; name a bot, or the file of an external referee\nhint: arena check {0} ./bot"
    )]
    OwnReferee(String),
    #[error(
        "can't count {0}: expected minishogi or dice_shogi, which take --sfen, or onitama, which takes --seed\nhint: arena perft onitama"
    )]
    NotCounted(String),
    // Bots.
    #[error(
        "can't split the command `{0}`: it ends in an open quote or a backslash\nhint: quote a word with spaces, as in \"./bot 'my weights'\""
    )]
    OpenQuote(String),
    #[error(
        "can't start `{0}`: it has no program; words in front of one such as DEPTH=3 are variables\nhint: \"DEPTH=3 ./bot\""
    )]
    NoProgram(String),
    #[error("can't call a bot `{0}`: {1}")]
    BotName(String, String),
    #[error(
        "can't tell the bots apart: a program with its arguments is one word in quotes\nhint: {0}"
    )]
    NotQuoted(String),
    #[error(
        "can't test {0} bots: a sequential test is about two, OLD and NEW\nhint: arena duel GAME OLD NEW --sprt 0,10"
    )]
    TestOf(usize),
    #[error("can't use {0}: a check uses the tables {1}\nhint: --set clock.turn_ms=100")]
    UnusedSetting(String, String),
    #[error("can't begin a bot: there is no starter bot for {0}\nhint: --game {1}")]
    NoStarter(String, &'static str),
    #[error("can't keep `{0}` without a name: give it one, as NAME=BOT\nhint: {1}")]
    Nameless(String, String),
    // Recorded games.
    #[error(
        "can't ask several bots what they answer: --against takes one\nhint: --from TURN plays on with a bot for each seat"
    )]
    AskedSeveral,
    #[error("can't ask the bot what it answers: it needs the input of a seat\nhint: --seat 0")]
    AskedWithoutSeat,
    #[error(
        "can't ask the bot what it answers: no game is named\nhint: the number of a game after RUN, or --bot NAME for all lost games of this bot"
    )]
    AskedWithoutGame,
    #[error(
        "can't play on with {0} bots: the game has {1} seats\nhint: --against for each seat, or one for all"
    )]
    BotsForSeats(usize, usize),
    #[error(
        "can't use --seat: it chooses games for the list, or a seat with --against\nhint: --as-input SEAT shows the input of a seat"
    )]
    SeatOfNothing,
    #[error(
        "can't use --turns: the answers to --against are of the whole game\nhint: leave it out, or play on with --from TURN"
    )]
    TurnsOfAnswers,
    #[error("can't write more than one report to standard output\nhint: name files for the others")]
    SeveralToStdout,
    // Calculators.
    #[error("can't find any results\nhint: give a RUN, or --wdl W,D,L")]
    NoResults,
    #[error("can't read the run {0}: there is no such file\nhint: {1}")]
    NoRun(String, String),
    #[error(
        "can't match {0} values with {1} counts\nhint: give one count for each value, as in --values 0,1/2,1 --counts 10,20,30"
    )]
    ValuesAndCounts(usize, usize),
    #[error(
        "can't plan for a bot of {0} normalized Elo: with a variance of {1:.4} per game no score is so far from even\nhint: bounds closer to 0, as in --elo0 0 --elo1 10"
    )]
    OutOfReach(f64, f64),
    #[error(
        "can't anchor `{0}`: expected one rating, found several\nhint: leave out all but one --anchor {0}"
    )]
    SeveralAnchors(String),
    #[error("can't count {0} twice: its counts look like copies\nhint: name it once")]
    TableTwice(String),
}

/// An error in a file, a folder or a bot that the command line names.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    #[error("{0:#}\nhint: {1}")]
    CantStart(anyhow::Error, String),
    #[error("can't start `{0}`: its program is on the site, because {run} is an import\nhint: arena start ./bot", run = .1.display())]
    OnTheSite(String, PathBuf),
    #[error(
        "can't find bot `{0}` in {path}: its bots are {2}\nhint: arena start --run {3}", path = .1.display())]
    NoBot(String, PathBuf, String, String),
    #[error(
        "can't use workers: this program was built without them\nhint: cargo install --path . --features workers"
    )]
    #[cfg(not(feature = "workers"))]
    NoWorkers,
    // Bots of a pool.
    #[error("can't keep `{0}`: it failed its check: seed {seed}, seat {seat}, turn {turn}: {what}{tail}\nhint: {hint}", seed = .1.seed, seat = .1.seat, turn = .1.turn, what = .1.what, tail = tail(.1), hint = hint(.1))]
    NotKept(String, Box<BotProblem>),
    #[error("can't play `{0}`: {1}")]
    CantPlay(String, String),
    #[error(
        "can't give `{0}` a budget of games: its last one was a time\nhint: arena pool try {0} --for 10m"
    )]
    BegunByTime(String),
    #[error("can't try a bot: the pool has no best bot\nhint: arena pool best NAME")]
    NoBest,
    // Files and folders.
    #[error("can't read arena.toml: there is no such file in this folder\nhint: arena init")]
    NoConfig,
    #[error("can't play {path}: it isn't a config, which is a TOML file: {1}\nhint: `arena check GAME BOT` and `arena duel GAME BOT BOT` play bots without a config", path = .0.display())]
    NotAConfig(PathBuf, ConfigError),
    #[error("can't write into {}: it is a file\nhint: name a folder", .0.display())]
    IsFile(PathBuf),
    #[error("can't write into {path}: it has {1} already; nothing was written\nhint: name another folder, as in `arena init my-bot`", path = .0.display())]
    IsThere(PathBuf, String),
    #[error("can't resume {path}: there is no such folder\nhint: {1}", path = .0.display())]
    NothingToResume(PathBuf, String),
    #[error("can't use {0}: {1}\nhint: {2}")]
    WrongPath(String, &'static str, String),
    #[error("can't use {path}: {1}", path = .0.display())]
    NoPair(PathBuf, NoPair),
    #[error(transparent)]
    NotRated(StatsError),
    #[error(
        "can't verify {0}: there are no games in it\nhint: name a run with games, as in results/mine"
    )]
    NothingToVerify(String),
    #[error(
        "can't find the rules of {0}: its project has no statement files, such as config/statement_en.html.tpl\nhint: `arena check {0}` shows what a referee sends"
    )]
    NoStatement(String),
    // Recorded games.
    #[error("can't find game {0} in {path}\nhint: `arena replay {path}` lists its games", path = .1.display())]
    NoGame(u64, PathBuf),
    #[error("can't find seat {0}: expected 0 to {1}")]
    NoSeat(usize, usize),
    #[error(
        "can't show the input: the referee of {0} takes no seed, so that its games can't be played again\nhint: `arena run --trace` keeps what it sends"
    )]
    NoInput(String),
    #[error("can't play the game again: the referee of {0} takes no seed")]
    NoSeed(String),
    #[error("can't play on from turn {0}: the game has {1}\nhint: --from {1}")]
    NoTurn(u32, u32),
    #[error("can't show these turns: the bots played turns {0} to {1}\nhint: --turns {0}..{1}")]
    NoTurns(u32, u32),
    #[error("can't find a lost game of `{0}` in {path}: there is none\nhint: --bot NAME chooses another bot", path = .1.display())]
    NoLostGame(String, PathBuf),
    #[error("can't list games of the {0} `{1}`: there are none\nhint: {0}s of these games are {2}")]
    NothingToList(&'static str, String, String),
    #[error("can't embed game {0}: {1}\nhint: --games all takes those that fit")]
    NotEmbedded(u64, String),
}

/// The end of what a bot wrote to standard error, on a line of its own.
fn tail(problem: &BotProblem) -> String {
    match problem.stderr_tail.trim_end().rsplit('\n').next() {
        Some("") | None => String::new(),
        Some(last) => format!("\n  {last}"),
    }
}

/// What to try.
fn hint(problem: &BotProblem) -> &str {
    let check = "`arena check GAME BOT` shows what it was sent";
    problem.hint.as_deref().unwrap_or(check)
}

impl InputError {
    /// The file or folder at fault.
    fn path(&self) -> Option<&Path> {
        match self {
            InputError::OnTheSite(_, path)
            | InputError::NoBot(_, path, ..)
            | InputError::IsFile(path)
            | InputError::IsThere(path, _)
            | InputError::NothingToResume(path, _)
            | InputError::NoPair(path, _)
            | InputError::NoGame(_, path)
            | InputError::NoLostGame(_, path) => Some(path),
            InputError::WrongPath(path, ..) => Some(Path::new(path)),
            _ => None,
        }
    }
}

impl Failure {
    /// What failed, in a word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Failure::Run(RunError::Store(_)) => "run_folder",
            failure => failure.into(),
        }
    }

    /// The file or folder at fault, with the line if that is known.
    pub(super) fn place(&self) -> Option<String> {
        match self {
            Failure::Config(error) | Failure::Input(InputError::NotAConfig(_, error)) => {
                error.place.clone()
            }
            Failure::Store(error)
            | Failure::Run(RunError::Store(error))
            | Failure::Pool(PoolError::Store(error)) => Some(error.place()),
            Failure::Pool(PoolError::Members(error)) => error.place.clone(),
            Failure::Input(InputError::NoConfig) => Some(CONFIG.to_owned()),
            Failure::Input(error) => Some(error.path()?.display().to_string()),
            _ => None,
        }
    }

    /// The exit status of the program. docs/reference/exit-status.md explains it.
    pub(super) fn status(&self) -> u8 {
        match self {
            Failure::Usage(_) | Failure::Stats(_) | Failure::Hypotheses(_) => exit::USAGE,
            Failure::Config(error) if !error.is_of_input => exit::USAGE,
            Failure::Store(StoreError::Io { source, .. })
            | Failure::Run(RunError::Store(StoreError::Io { source, .. }))
            | Failure::Pool(PoolError::Store(StoreError::Io { source, .. })) => of_io(source),
            Failure::Check(CheckError::Overloaded | CheckError::Abort(_)) => exit::ABORTED_GAMES,
            Failure::Check(CheckError::Game(_))
            | Failure::Guard(GuardError::Refused(_))
            | Failure::Run(RunError::Internal(_))
            | Failure::Internal(_)
            | Failure::Output(_) => exit::INTERNAL,
            Failure::Ended(status, _) => *status,
            _ => exit::INPUT,
        }
    }
}

/// The exit status after an error of the system: a path that a user can mend, or a failure.
fn of_io(error: &io::Error) -> u8 {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound
        | Kind::PermissionDenied
        | Kind::AlreadyExists
        | Kind::NotADirectory
        | Kind::IsADirectory
        | Kind::DirectoryNotEmpty
        | Kind::ReadOnlyFilesystem
        | Kind::InvalidFilename
        | Kind::InvalidInput => exit::INPUT,
        _ => exit::INTERNAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statuses of the document, and what it says of each.
    fn documented() -> Vec<(u8, &'static str)> {
        let page = include_str!("../../docs/reference/exit-status.md");
        let mut rows = Vec::new();
        for row in page.lines() {
            let [_, statuses, meaning, _] = row.split('|').collect::<Vec<_>>()[..] else {
                continue;
            };
            for status in statuses.split(',').map(str::trim) {
                rows.extend(status.parse().map(|status: u8| (status, meaning)));
            }
        }
        rows
    }

    #[test]
    fn the_document_has_every_kind() {
        let page = include_str!("../../docs/reference/json.md");
        let row = page.lines().find(|row| row.starts_with("| `kind` |"));
        let (_, kinds) = row.unwrap().split_once("What failed: ").unwrap();
        let words = |text: char| !text.is_alphabetic() && text != '_';
        let told: Vec<&str> = kinds.split(words).collect();
        for kind in Failure::VARIANTS {
            assert!(told.contains(kind), "{kind}");
        }
    }

    #[test]
    fn the_document_has_every_status() {
        let mut statuses = [129, 130, 131, 137, 143].to_vec();
        statuses.extend([
            exit::OK,
            exit::CHECK_FAILED,
            exit::USAGE,
            exit::INPUT,
            exit::INCONCLUSIVE,
            exit::ABORTED_GAMES,
            exit::INTERNAL,
        ]);
        statuses.sort_unstable();
        let mut documented: Vec<u8> = documented().iter().map(|(status, _)| *status).collect();
        documented.sort_unstable();
        assert_eq!(documented, statuses);
        for (status, signal) in [
            (129, "SIGHUP"),
            (130, "SIGINT"),
            (131, "SIGQUIT"),
            (143, "SIGTERM"),
        ] {
            let number = signal_hook::low_level::signal_name(i32::from(status) - 128);
            assert_eq!(number, Some(signal));
            assert_eq!(exit::of_signal(i32::from(status) - 128), status);
        }
    }

    #[test]
    fn a_failure_has_the_status_that_the_document_says() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let lacks = || io::Error::from(io::ErrorKind::NotFound);
        let stored = |source| StoreError::Io {
            action: "write",
            path: std::path::PathBuf::new(),
            source,
        };
        let broken = || anyhow::anyhow!("broken");
        let cases: [(Failure, &str); 13] = [
            (UsageError::NoResults.into(), "command line is wrong"),
            (
                HypothesesError::Elo(f64::NAN).into(),
                "command line is wrong",
            ),
            (InputError::NoConfig.into(), "can't use a config"),
            (broken().into(), "can't use a config"),
            (stored(lacks()).into(), "can't use a config"),
            (
                RunError::Store(stored(lacks())).into(),
                "can't use a config",
            ),
            (RunError::Input(broken()).into(), "can't use a config"),
            (stored(full()).into(), "arena itself failed"),
            (
                RunError::Store(stored(full())).into(),
                "arena itself failed",
            ),
            (RunError::Internal(broken()).into(), "arena itself failed"),
            (Failure::Output(full()), "arena itself failed"),
            (GuardError::Refused(full()).into(), "arena itself failed"),
            (CheckError::Overloaded.into(), "couldn't be played"),
        ];
        for (failure, meaning) in cases {
            let status = failure.status();
            let (_, said) = documented()
                .into_iter()
                .find(|row| row.0 == status)
                .unwrap();
            assert!(said.contains(meaning), "{failure:?}: {status}: {said}");
        }
    }
}
