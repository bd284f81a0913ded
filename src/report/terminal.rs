//! The live view of a run: bars on a terminal, a line now and then elsewhere. It goes to standard error; the tables
//! at the end go to standard output.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::faults::Blame;
use super::standings::{self, elo, interval};
use super::{Event, Progress, Reporter, RunHeader, Standing, sweep, verdict};
use crate::summary::{BotSummary, GameSummary, Summary, WinsDrawsLosses};

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
    /// How often something happened of which only the first few are told, by the line that says so.
    told: HashMap<String, u32>,
}

/// Prints lines to standard error, above the bar, which is hidden unless standard error is a terminal and nobody asked for
/// quiet.
#[derive(Clone, Debug)]
pub(crate) struct Printer {
    bar: ProgressBar,
}

impl Printer {
    /// Prints a line.
    pub(crate) fn print(&self, line: &str) {
        // Nobody reads standard error any more: no reason to stop a run.
        self.bar.suspend(|| drop(writeln!(io::stderr(), "{line}")));
    }
}

impl Terminal {
    /// A view for this process's standard error; with `quiet`, errors and the final tables are all it shows.
    pub(crate) fn new(quiet: bool) -> Terminal {
        let style = ProgressStyle::with_template("{wide_bar} {prefix}\n{msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(0).with_style(style) };
        let printer = Printer { bar };
        Terminal { quiet, printer, run: None, shown: Instant::now(), told: HashMap::new() }
    }

    /// A way to print lines above the bar from another thread.
    pub(crate) fn printer(&self) -> Printer {
        self.printer.clone()
    }

    /// Prints a line of a kind of which only the first few are printed; then `further`, which tells kinds apart.
    fn print_first(&mut self, line: &str, further: &str) {
        let count = self.told.entry(further.to_owned()).or_default();
        *count += 1;
        if *count <= TOLD {
            self.printer.print(line);
        }
        if *count == TOLD {
            self.printer.print(further);
        }
    }

    fn started(&mut self, run: &RunHeader) {
        self.run = Some(run.clone());
        self.shown = Instant::now();
        // How far a test has come is seen from its evidence, not from its games.
        let is_test = matches!(run.progress.standing, Some(Standing::Sprt(_)));
        self.printer.bar.set_length(if is_test { EVIDENCE.into() } else { run.progress.planned });
        self.printer.bar.set_position(if is_test { 0 } else { run.progress.played });
        if !self.quiet {
            for line in introduction(run) {
                self.printer.print(&line);
            }
        }
    }

    fn played(&mut self, progress: &Progress) {
        let Some(run) = &self.run else { return };
        let bar = &self.printer.bar;
        if !may_end_early(run) {
            bar.set_position(progress.played);
        }
        let Some(standing) = &progress.standing else { return };
        self.shown = Instant::now();
        let pace = pace(run, progress);
        let lines = lines(run, standing);
        if bar.is_hidden() {
            return self.printer.print(&format!("{pace}; {}", lines.join("; ")));
        }
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

    fn ended(&self, summary: &Summary, out: &Path) {
        self.printer.bar.finish_and_clear();
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
    lines.extend((!run.sandbox.is_empty()).then(|| format!("sandbox: {}", run.sandbox)));
    lines.extend(run.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.extend((*planned == 0).then(|| "warning: this slice of the run holds no games".to_owned()));
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
    let BotSummary { name, results: WinsDrawsLosses { wins, draws, losses }, .. } = bot;
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
    let why = match &summary.sweep {
        None => "under way when it was decided",
        Some(swept) if swept.end.is_none() => "started before their variant was dropped",
        Some(_) => "started before their variant was dropped or the race was over",
    };
    let rate = run.games_per_second.map(|rate| format!("{rate:.1} games/s"));
    let some = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let parts = [
        Some(format!("{played}{of_all} games")),
        rate,
        some(run.games_aborted, "could not be played and have no result"),
        some(run.games_voided, "replayed because the host was overloaded"),
        some(run.games_unused, &format!("more were {why}, and do not count")),
        (!run.finished).then(|| "--resume goes on".to_owned()),
    ];
    parts.into_iter().flatten().collect()
}

impl Reporter for Terminal {
    fn wants_standing(&self, progress: &Progress) -> bool {
        let wait = if self.printer.bar.is_hidden() { LINE } else { REDRAW };
        !self.quiet && (self.shown.elapsed() >= wait || progress.played >= progress.planned)
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Building { command } if !self.quiet => self.printer.print(&format!("building: {command}")),
            Event::Started(run) => self.started(run),
            Event::Played { progress, .. } => self.played(progress),
            Event::Fault(fault) if !self.quiet => {
                let Blame { bot, fate, again, .. } = fault;
                let further = format!("{bot}: further faults of this kind ({fate}) are only counted");
                self.print_first(&format!("{}\n  see it again: {again}", fault.line()), &further);
            }
            Event::Building { .. } | Event::Fault(_) => {}
            Event::Aborted { number, why } => {
                let further = "further games that cannot be played are only counted";
                self.print_first(&format!("game {number} could not be played: {why}"), further);
            }
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
