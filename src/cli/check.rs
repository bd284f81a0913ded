//! `arena check`.

mod referee;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Error, anyhow};
use serde_json::json;

use super::bots::{BotLine, launch};
use super::contest::named_game;
use super::exit;
use super::supervised::supervised;
use super::{CheckArgs, Failure, print};
use crate::check::{self, Check, CheckError, Finding, Outcome, Report, Topic};
use crate::plan::DEFAULT_MEMORY_MB;
use crate::play::probe::Probe;
use crate::play::{Abort, Clock};
use crate::section::text::{command_line, harmless};
use arena_games::Games;
use arena_process::languages::Languages;
use arena_process::{Launcher, Mode};

/// The width of the column of outcomes.
const WIDTH: usize = 13;
/// The lines of standard error that are shown, of a long one from its beginning and from its end.
const STDERR_LINES: [usize; 2] = [4, 12];

pub(super) fn check(args: &CheckArgs, games: &Games) -> Result<u8, Failure> {
    let game = named_game(&args.game, games)?;
    if args.bot.is_none() && args.words.is_empty() {
        return referee::check(args, &game);
    }
    let bot = launch(bot(args)?, &args.sandbox.read);
    supervised(args.sandbox.sandbox, args.sandbox.memory_mb, |supervised| {
        supervised.heed_signals(None)?;
        supervised.warn();
        let launch = supervised.ready(&Languages::new(), &bot)?;
        let launcher = Launcher::new(&supervised.sandbox, launch);
        let interrupt = &supervised.control.kill;
        let spec = game.housed(&Languages::new(), supervised)?;
        let probe = Probe {
            launcher: &launcher,
            spec: &spec,
            interrupt,
        };
        let advice = probe.advice().map_err(Failure::input)?;
        supervised.sandbox.close();
        let check = Check {
            clock: args.limits.table().clock(&spec),
            launcher,
            spec,
            is_foreign: game.referee.is_some(),
            seeds: args.seeds,
            interrupt: Arc::clone(interrupt),
        };
        match (check::check(&check), advice) {
            (Ok(mut report), advice) => {
                if let (Some(finding), Some(advice)) = (report.start_failure(), advice) {
                    finding.hint = advice;
                }
                tell(args, &check, &report)
            }
            (Err(CheckError::Abort(Abort::Interrupted)), _) => Ok(supervised.signal_code()),
            (Err(CheckError::Start(_)), Some(advice)) => Err(Failure::input(Error::msg(advice))),
            (Err(error @ CheckError::Start(_)), None) => Err(Failure::input(error)),
            (Err(error @ CheckError::Overloaded), _) => {
                Err(Failure::new(exit::ABORTED_GAMES, error))
            }
            (Err(error), _) => Err(Failure::internal(error)),
        }
    })
}

fn tell(args: &CheckArgs, check: &Check, report: &Report) -> Result<u8, Failure> {
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => PathBuf::from(format!("check-{}", check.spec.id)),
    };
    save(report, &folder).map_err(Failure::internal)?;
    print(if args.json {
        as_json(report, &folder)
    } else {
        as_text(report, check, &folder, args)
    })?;
    Ok(if report.is_ok() {
        exit::OK
    } else {
        exit::CHECK_FAILED
    })
}

/// The one bot: in quotes, or the words behind `--`, of which a single one is split as well.
fn bot(args: &CheckArgs) -> Result<BotLine, Failure> {
    let given = args.bot.iter().chain(&args.more).chain(&args.words);
    let given: Vec<String> = given.cloned().collect();
    match &given[..] {
        [line] => BotLine::split(line),
        _ if args.bot.is_none() => BotLine::of(&args.words),
        _ if given.iter().any(|word| word.contains(' ')) => Err(Failure::usage(anyhow!(
            "check takes one bot; {} are given: check one after the other",
            given.len()
        ))),
        _ => {
            let quoted = command_line(&[given.join(" ")]);
            Err(Failure::usage(anyhow!(
                "check takes one bot: a command of several words stands in quotes, as in {quoted}, or behind `--`; \
                 several bots are checked one after the other"
            )))
        }
    }
}

/// Where the input of the turn is saved, and where that of the game so far.
fn files(topic: Topic, folder: &Path) -> [PathBuf; 2] {
    let topic: &str = topic.into();
    ["turn", "game"].map(|what| folder.join(format!("{topic}.{what}.txt")))
}

/// Saves what the bot was sent.
fn save(report: &Report, folder: &Path) -> anyhow::Result<()> {
    for (topic, outcome) in &report.outcomes {
        let (Outcome::Failed(finding) | Outcome::Warning(finding)) = outcome else {
            continue;
        };
        fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        let texts = [&finding.input, &finding.inputs];
        for (path, text) in files(*topic, folder).iter().zip(texts) {
            fs::write(path, text).with_context(|| format!("write {}", path.display()))?;
        }
    }
    Ok(())
}

fn as_json(report: &Report, folder: &Path) -> String {
    let mut checks = Vec::new();
    for (topic, outcome) in &report.outcomes {
        let mut check = json!({ "check": topic, "result": outcome });
        if matches!(outcome, Outcome::Failed(_) | Outcome::Warning(_)) {
            check["files"] = json!(files(*topic, folder));
        }
        checks.push(check);
    }
    format!("{:#}\n", json!({ "ok": report.is_ok(), "checks": checks }))
}

/// The command that starts the bot once more, in the same sandbox.
fn again(args: &CheckArgs, seed: i64) -> String {
    let mut start = format!("arena start --seed {seed}");
    if args.sandbox.sandbox != Mode::default() {
        let _ = write!(start, " --sandbox {}", args.sandbox.sandbox);
    }
    for path in &args.sandbox.read {
        start += " --read ";
        start += &command_line(&[path.display().to_string()]);
    }
    if args.sandbox.memory_mb != DEFAULT_MEMORY_MB {
        let _ = write!(start, " --memory-mb {}", args.sandbox.memory_mb);
    }
    let bot: Vec<String> = args.bot.iter().chain(&args.words).cloned().collect();
    start + " -- " + &command_line(&bot)
}

fn as_text(report: &Report, check: &Check, folder: &Path, args: &CheckArgs) -> String {
    let shown = command_line(&check.launcher.launch.command);
    let mut text = format!("{}: {shown}\n\n", check.spec.title);
    for (topic, outcome) in &report.outcomes {
        text += &told(&title(*topic, check), outcome, |finding| {
            explain(finding, files(*topic, folder), &again(args, finding.seed))
        });
    }
    text + verdict(report.is_ok())
}

/// What came of a topic: a line, and those that explain what is wrong.
fn told<F>(title: &str, outcome: &Outcome<F>, explain: impl FnOnce(&F) -> Vec<String>) -> String {
    let (word, lines) = match outcome {
        Outcome::Ok { detail } if !detail.is_empty() => {
            return format!("{:WIDTH$}{title} ({detail})\n", "ok");
        }
        Outcome::Ok { .. } => ("ok", Vec::new()),
        Outcome::Warning(finding) => ("warning", explain(finding)),
        Outcome::Failed(finding) => ("FAILED", explain(finding)),
        Outcome::NotReached => ("not reached", Vec::new()),
    };
    let mut text = format!("{word:WIDTH$}{title}\n");
    for line in lines {
        let _ = writeln!(text, "{:WIDTH$}{line}", "");
    }
    text
}

fn verdict(is_ok: bool) -> &'static str {
    if is_ok {
        "\nready to play\n"
    } else {
        "\nnot ready to play\n"
    }
}

/// The lines below a topic: what happened, what to try, and where to see it again.
fn explain(finding: &Finding, [turn_file, game_file]: [PathBuf; 2], again: &str) -> Vec<String> {
    let (seed, seat, turn) = (finding.seed, finding.seat, finding.turn);
    let mut what = format!("seed {seed}, seat {seat}, turn {turn}: {}", finding.what);
    if let Some(exit) = &finding.exit {
        let _ = write!(what, " ({exit})");
    }
    let mut lines = vec![what];
    if !finding.hint.is_empty() {
        lines.push(format!("hint: {}", finding.hint));
    }
    let [turn, game] = [turn_file.display(), game_file.display()];
    lines.push(format!("the input of that turn: {turn}"));
    lines.push(format!("to see it again: {again} < {game}"));
    let said: Vec<&str> = finding.stderr_tail.lines().collect();
    if !said.is_empty() {
        lines.push("the end of its standard error:".to_owned());
        lines.extend(first_and_last(&said));
    }
    lines
}

/// Lines of standard error, of many the first and the last.
fn first_and_last(said: &[&str]) -> Vec<String> {
    let [first, last] = STDERR_LINES;
    let mut lines: Vec<String> = said
        .iter()
        .map(|line| format!("| {}", harmless(line)))
        .collect();
    if said.len() > first + last {
        lines.splice(first..said.len() - last, ["| ..".to_owned()]);
    }
    lines
}

fn title(topic: Topic, check: &Check) -> String {
    let Clock {
        first_turn,
        turn,
        startup,
        ..
    } = check.clock;
    let [first_turn, turn] = [first_turn, turn].map(|limit| match limit.as_millis() {
        0 => "the limits of the referee".to_owned(),
        limit => format!("{limit} ms"),
    });
    match topic {
        Topic::Starts => "starts".to_owned(),
        Topic::ReadsInput => "reads all of its input".to_owned(),
        Topic::FirstTurn => {
            let mut title = format!("answers its first turn within {first_turn}");
            if !startup.is_zero() {
                let _ = write!(title, ", and {} ms to start", startup.as_millis());
            }
            title
        }
        Topic::Flushes => "ends every line, and flushes it".to_owned(),
        Topic::OneLine if check.is_foreign => "writes the lines that are wanted".to_owned(),
        Topic::OneLine => "writes one line per turn".to_owned(),
        Topic::LegalActions => "answers with legal actions".to_owned(),
        Topic::InTime => format!("answers later turns within {turn}"),
        Topic::FullGames => format!(
            "plays full games in all {} seats",
            check.spec.default_seats()
        ),
        Topic::EndOfInput => "ends when its input ends".to_owned(),
    }
}
