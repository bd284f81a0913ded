//! The live view of a run: bars on a terminal, a line now and then elsewhere. It goes to standard error; the tables
//! at the end go to standard output.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::faults::Blame;
use super::screen::{Ink, Screen};
use super::standings::{self, elo, headline, interval};
use super::{Event, Progress, Reporter, RunHeader, Standing, outcome, sweep, verdict};
use crate::summary::{BotSummary, GameSummary, WinsDrawsLosses};

/// How a line begins that tells of something odd.
const WARNING: &str = "warning:";
/// How often the standings are computed anew on a terminal.
const REDRAW: Duration = Duration::from_millis(250);
/// How often a line is printed elsewhere.
const LINE: Duration = Duration::from_secs(5);
/// The length of the bar of a test.
const EVIDENCE: u32 = 1000;
/// No live standings have fewer lines: then a line must do.
const FEWEST_LINES: usize = 5;
/// So many lines of a window are for what stands round live standings: the bar, and above it what was said last.
const ROUND_IT: usize = 4;
/// So many faults of a kind are told one by one for each bot; all of them are counted.
const TOLD: u32 = 3;

/// Shows a run on the terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    quiet: bool,
    with_times: bool,
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
    /// Prints a line of prose.
    pub(crate) fn print(&self, line: &str) {
        self.write(&Screen::stderr().prose(line));
    }

    /// Prints a line that is laid out.
    fn write(&self, line: &str) {
        // Nobody reads standard error any more: no reason to stop a run.
        self.bar.suspend(|| drop(writeln!(io::stderr(), "{line}")));
    }
}

impl Terminal {
    /// A view for this process's standard error; with `quiet`, errors and the final tables are all it shows. With
    /// `with_times`, response times are among the final tables.
    pub(crate) fn new(quiet: bool, with_times: bool) -> Terminal {
        let style = ProgressStyle::with_template("{wide_bar} {prefix}\n{msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(0).with_style(style) };
        let printer = Printer { bar };
        Terminal { quiet, with_times, printer, run: None, shown: Instant::now(), told: HashMap::new() }
    }

    /// A way to print lines above the bar from another thread.
    pub(crate) fn printer(&self) -> Printer {
        self.printer.clone()
    }

    /// Prints a line, which is laid out, of a kind of which only the first few are printed; then `further`, which tells kinds apart.
    fn print_first(&mut self, line: &str, further: &str) {
        let count = self.told.entry(further.to_owned()).or_default();
        *count += 1;
        if *count <= TOLD {
            self.printer.write(line);
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
            let screen = Screen::stderr();
            for line in introduction(run) {
                let ink = if line.starts_with(WARNING) { Ink::Open } else { Ink::Plain };
                self.printer.write(&screen.paint(ink, screen.prose(&line)));
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
        if bar.is_hidden() {
            return self.printer.print(&format!("{pace}; {}", lines(run, standing).join("; ")));
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
        bar.set_message(live(run, standing, &Screen::stderr()));
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
    let derived = |seed| format!("seed: {seed}, from the programs and arguments of the bots");
    lines.extend(run.derived_seed.map(derived));
    lines.extend((!run.sandbox.is_empty()).then(|| format!("sandbox: {}", run.sandbox)));
    lines.extend(run.warnings.iter().map(|warning| format!("{WARNING} {warning}")));
    lines.extend((*planned == 0).then(|| format!("{WARNING} this slice of the run holds no games")));
    if jobs > cores {
        lines.push(format!(
            "{WARNING} {jobs} games at a time on {cores} cores: bots will miss time limits through no fault of their own"
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

/// How the run stands, for a window: of games of more bots than two a table, as far as there is room, else a line.
fn live(run: &RunHeader, standing: &Standing, screen: &Screen) -> String {
    let (Standing::Games(games), Some((_, rows))) = (standing, screen.size()) else {
        return screen.prose(&lines(run, standing).join("\n"));
    };
    let room = rows.saturating_sub(ROUND_IT) / games.len().max(1);
    let shown = games.iter().map(|game| {
        let challenger = run.challengers.get(&game.game);
        // A title stands above the standings, and a verdict, which may take two lines, below.
        let room = room.saturating_sub(3);
        if room < FEWEST_LINES || game.bots.len() < 3 || game.games == 0 {
            return screen.prose(&line_of(game, challenger));
        }
        let title = screen.prose(&format!("{}: {} games", game.game, game.games));
        let mut lines = vec![screen.paint(Ink::Strong, title)];
        lines.extend(standings::live(game, challenger, room, screen));
        let first = headline(game).map(|(_, parts)| format!("so far {}", parts.concat()));
        lines.extend(first.map(|first| screen.prose(&first)));
        lines.join("\n")
    });
    shown.collect::<Vec<_>>().join("\n")
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
                let screen = Screen::stderr();
                let what = screen.paint(Ink::Bad, screen.prose(&fault.line()));
                self.print_first(&(what + "\n" + &screen.command("  see it again: ", again)), &further);
            }
            Event::Building { .. } | Event::Fault(_) => {}
            Event::Aborted { number, why } => {
                let further = "further games that cannot be played are only counted";
                let screen = Screen::stderr();
                let what = screen.prose(&format!("game {number} could not be played: {why}"));
                self.print_first(&screen.paint(Ink::Bad, what), further);
            }
            Event::Ended { summary, plan, out } => {
                self.printer.bar.finish_and_clear();
                let text = outcome::text(summary, plan, out, &Screen::stdout(), self.with_times);
                // A reader that has gone away is no failure of the run.
                let _ = io::stdout().write_all(text.as_bytes());
            }
        }
    }
}
