//! The live view of a run: bars on a terminal, a line now and then elsewhere. It goes to standard error; the tables
//! at the end go to standard output.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::faults::Blame;
use super::standings::{self, elo, interval};
use super::{Event, Progress, Reporter, RunHeader, Standing, sweep, verdict};
use crate::summary::{BotSummary, GameSummary, Summary};
use arena_games::Fate;

/// How often the standings are computed anew on a terminal.
const REDRAW: Duration = Duration::from_millis(250);
/// How often a line is printed elsewhere.
const LINE: Duration = Duration::from_secs(5);
/// The length of the bar of a test.
const EVIDENCE: u32 = 1000;
/// So many faults of a kind are told one by one for each bot; all of them are counted.
const TOLD: u32 = 3;

/// Shows a run on the terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    quiet: bool,
    printer: Printer,
    run: Option<RunHeader>,
    /// When the standings were shown last.
    shown: Instant,
    faults: HashMap<(String, Fate), u32>,
    aborted: u32,
}

/// Prints lines to standard error, above the bar where there is one: when standard error is a terminal and nobody asked for
/// quiet.
#[derive(Clone, Debug)]
pub(crate) struct Printer {
    bar: Option<ProgressBar>,
}

impl Printer {
    /// Prints a line.
    pub(crate) fn print(&self, line: &str) {
        // Nobody reads standard error any more: no reason to stop a run.
        let print = || drop(writeln!(io::stderr(), "{line}"));
        self.bar.as_ref().map_or_else(print, |bar| bar.suspend(print));
    }
}

impl Terminal {
    /// A view for this process's standard error; with `quiet`, errors and the final tables are all it shows.
    pub(crate) fn new(quiet: bool) -> Terminal {
        let style = ProgressStyle::with_template("{wide_bar} {prefix}\n{msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = (!quiet && io::stderr().is_terminal()).then(|| ProgressBar::new(0).with_style(style));
        let printer = Printer { bar };
        Terminal { quiet, printer, run: None, shown: Instant::now(), faults: HashMap::new(), aborted: 0 }
    }

    /// A way to print lines above the bar from another thread.
    pub(crate) fn printer(&self) -> Printer {
        self.printer.clone()
    }

    fn print(&self, line: &str) {
        self.printer.print(line);
    }

    fn started(&mut self, run: &RunHeader) {
        self.run = Some(run.clone());
        self.shown = Instant::now();
        if let Some(bar) = &self.printer.bar {
            // How far a test has come is seen from its evidence, not from its games.
            let is_test = matches!(run.progress.standing, Some(Standing::Sprt(_)));
            bar.set_length(if is_test { EVIDENCE.into() } else { run.progress.planned });
            bar.set_position(if is_test { 0 } else { run.progress.played });
        }
        if !self.quiet {
            for line in introduction(run) {
                self.print(&line);
            }
        }
    }

    fn played(&mut self, progress: &Progress) {
        let Some(run) = &self.run else { return };
        if let Some(bar) = self.printer.bar.as_ref().filter(|_| !may_end_early(run)) {
            bar.set_position(progress.played);
        }
        let Some(standing) = &progress.standing else { return };
        self.shown = Instant::now();
        let pace = pace(run, progress);
        let lines = lines(run, standing);
        let Some(bar) = &self.printer.bar else { return self.print(&format!("{pace}; {}", lines.join("; "))) };
        if let Standing::Sprt(test) = standing {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "saturates, which is what is wanted"
            )]
            bar.set_position((test.progress * f64::from(EVIDENCE)) as u64);
        }
        bar.set_prefix(pace);
        bar.set_message(lines.join("\n"));
    }

    fn fault(&mut self, fault: &Blame) {
        let Blame { bot, fate, again, .. } = fault;
        let count = self.faults.entry((bot.clone(), *fate)).or_default();
        *count += 1;
        let count = *count;
        if self.quiet || count > TOLD {
            return;
        }
        self.print(&format!("{fault}\n  see it again: {again}"));
        if count == TOLD {
            self.print(&format!("{bot}: further faults of this kind ({fate}) are only counted"));
        }
    }

    fn aborted(&mut self, number: u64, why: &str) {
        self.aborted += 1;
        if self.aborted <= TOLD {
            self.print(&format!("game {number} could not be played: {why}"));
        }
        if self.aborted == TOLD {
            self.print("further games that cannot be played are only counted");
        }
    }

    fn ended(&mut self, summary: &Summary, out: &Path) {
        if let Some(bar) = self.printer.bar.take() {
            bar.finish_and_clear();
        }
        let mut text: String = summary.games.iter().map(|game| standings::text(game) + "\n").collect();
        if let Some(test) = &summary.sprt {
            text += &(verdict::report(test).join("\n  ") + "\n\n");
        }
        text.extend(summary.sweep.iter().map(|swept| sweep::text(swept) + "\n"));
        let _ = writeln!(text, "{}, files in {}", extent(summary).join(", "), out.display());
        text.extend(verdict::answer(summary).map(|answer| answer + "\n"));
        // A reader that has gone away is no failure of the run.
        let _ = io::stdout().write_all(text.as_bytes());
    }
}

/// Whether the planned games are only the most that the run may take.
fn may_end_early(run: &RunHeader) -> bool {
    match &run.progress.standing {
        Some(Standing::Sprt(_)) => true,
        Some(Standing::Sweep(sweep)) => sweep.is_race(),
        Some(Standing::Games(_)) | None => false,
    }
}

/// What is said when play begins, a line each.
fn introduction(run: &RunHeader) -> Vec<String> {
    let RunHeader { name, bots, jobs, cores, progress, .. } = run;
    let Progress { played, planned, .. } = progress;
    let most = if may_end_early(run) { "at most " } else { "" };
    let before = if *played > 0 { format!(", {played} of them played before") } else { String::new() };
    let out = run.out.display();
    let mut lines = vec![format!("{name}: {most}{planned} games of {bots} bots{before}, {jobs} at a time, into {out}")];
    match &progress.standing {
        Some(Standing::Sprt(test)) => lines.extend(verdict::question(test)),
        Some(Standing::Sweep(sweep)) => lines.push(sweep::question(sweep)),
        Some(Standing::Games(_)) | None => {}
    }
    if !run.sandbox.is_empty() {
        lines.push(format!("sandbox: {}", run.sandbox));
    }
    lines.extend(run.warnings.iter().map(|warning| format!("warning: {warning}")));
    if *planned == 0 {
        lines.push("warning: this slice of the run holds no games".to_owned());
    }
    if jobs > cores {
        lines.push(format!(
            "warning: {jobs} games at a time on {cores} cores: bots will miss time limits through no fault of their own"
        ));
    }
    lines
}

/// How far the run has come, and how fast.
fn pace(run: &RunHeader, progress: &Progress) -> String {
    let Progress { played, planned, per_second, .. } = progress;
    if may_end_early(run) {
        return format!("{played} games, {per_second:.1} games/s");
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of games are far below 2^52")]
    let left = planned.saturating_sub(*played) as f64 / per_second;
    format!("{played}/{planned} games, {per_second:.1} games/s, {left:.0} s left")
}

/// How the run stands, in a line or one for each game.
fn lines(run: &RunHeader, standing: &Standing) -> Vec<String> {
    match standing {
        Standing::Sprt(test) => vec![verdict::standing(test)],
        Standing::Sweep(sweep) => vec![sweep::standing(sweep)],
        Standing::Games(games) => games.iter().map(|game| line_of(game, run.challengers.get(&game.game))).collect(),
    }
}

/// The line of a match of two bots; otherwise the challenger's line of a game's standings, or the leader's.
fn line_of(game: &GameSummary, challenger: Option<&String>) -> String {
    if let Some(two) = verdict::match_standing(game) {
        return format!("{}: {two}", game.game);
    }
    let challenger = game.bots.iter().find(|bot| Some(&bot.name) == challenger);
    let Some(bot) = challenger.or(game.bots.first()) else { return game.game.clone() };
    let BotSummary { name, wins, draws, losses, .. } = bot;
    let interval = bot.lo95.map_or_else(String::new, |_| format!(" {}", interval(bot, game)));
    let results = if game.seats > 2 {
        let [place, firsts] = [bot.mean_place, bot.firsts].map(Option::unwrap_or_default);
        format!("place {place:.2}, first in {:.1}%", 100.0 * firsts)
    } else {
        format!("W-D-L {wins}-{draws}-{losses}")
    };
    format!("{}: {name} Elo {}{interval}, {results}", game.game, elo(bot))
}

/// How much of a run was played, and what was not; phrases for a line.
fn extent(summary: &Summary) -> Vec<String> {
    let run = &summary.run;
    let played = summary.games_played;
    let is_decided = run.finished && played < run.games_planned;
    let of_all = if is_decided { String::new() } else { format!(" of {}", run.games_planned) };
    let mut parts = vec![format!("{played}{of_all} games")];
    parts.extend(run.games_per_second.map(|rate| format!("{rate:.1} games/s")));
    if run.games_aborted > 0 {
        parts.push(format!("{} could not be played and have no result", run.games_aborted));
    }
    if run.games_voided > 0 {
        parts.push(format!("{} replayed because the host was overloaded", run.games_voided));
    }
    if run.games_unused > 0 {
        let why = match &summary.sweep {
            None => "under way when it was decided",
            Some(swept) if swept.end.is_none() => "started before their variant was dropped",
            Some(_) => "started before their variant was dropped or the race was over",
        };
        parts.push(format!("{} more were {why}, and do not count", run.games_unused));
    }
    if !run.finished {
        parts.push("--resume goes on".to_owned());
    }
    parts
}

impl Reporter for Terminal {
    fn wants_standing(&self, progress: &Progress) -> bool {
        let wait = if self.printer.bar.is_some() { REDRAW } else { LINE };
        !self.quiet && (self.shown.elapsed() >= wait || progress.played >= progress.planned)
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Building { command } if !self.quiet => self.print(&format!("building: {command}")),
            Event::Building { .. } => {}
            Event::Started(run) => self.started(run),
            Event::Played { progress, .. } => self.played(progress),
            Event::Fault(fault) => self.fault(fault),
            Event::Aborted { number, why } => self.aborted(*number, why),
            Event::Ended { summary, out } => self.ended(summary, out),
        }
    }
}
#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;
    use arena_stats::race::End;

    #[test]
    fn only_what_was_decided_is_called_so() {
        let mut summary = report("x").summary;
        (summary.run.games_unused, summary.run.games_aborted, summary.games_played) = (4, 0, 20);
        let unused = |summary: &Summary| extent(summary)[2..].join(", ");
        let swept = summary.sweep.as_mut().unwrap();
        swept.end = None;
        let dropped = "4 more were started before their variant was dropped";
        assert_eq!(unused(&summary), format!("{dropped}, and do not count, --resume goes on"));
        summary.run.finished = true;
        summary.sweep.as_mut().unwrap().end = Some(End::One);
        assert_eq!(unused(&summary), format!("{dropped} or the race was over, and do not count"));
        summary.sweep = None;
        assert_eq!(unused(&summary), "4 more were under way when it was decided, and do not count");
        assert_eq!(extent(&summary)[0], "20 games");
    }
}
