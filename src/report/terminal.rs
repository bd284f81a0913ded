//! The live view of a run: bars on a terminal, a line now and then elsewhere. It goes to standard error; the tables
//! at the end go to standard output.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::table::{elo, interval, standings};
use super::{Blame, Event, Reporter, Start, sweep, verdict};
use crate::summary::sprt::Test;
use crate::summary::sweep::SweepSummary;
use crate::summary::{BotSummary, GameSummary, Summary, Tally};
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
    /// The bars, when standard error is a terminal and nobody asked for quiet.
    bars: Option<Bars>,
    view: Option<View>,
    faults: HashMap<(String, Fate), u32>,
    aborted: u32,
}

#[derive(Debug)]
struct Bars {
    all: MultiProgress,
    games: ProgressBar,
    standings: ProgressBar,
}

/// Prints lines to standard error, above the bars where there are any.
#[derive(Debug)]
pub(crate) struct Voice {
    bars: Option<MultiProgress>,
}

impl Voice {
    /// Prints a line.
    pub(crate) fn say(&self, line: &str) {
        // Nobody reads standard error any more: no reason to stop a run.
        let print = || drop(writeln!(io::stderr(), "{line}"));
        match &self.bars {
            Some(bars) => bars.suspend(print),
            None => print(),
        }
    }
}

/// What is being shown.
#[derive(Debug)]
struct View {
    games: u64,
    /// Games that were there when play began.
    stored: u64,
    played: u64,
    start: Instant,
    shown: Instant,
    /// The bot to show, by game.
    challengers: HashMap<String, String>,
    /// Whether `games` is only the most that a test or a race may take.
    is_test: bool,
}

impl Terminal {
    /// A view for this process's standard error; with `quiet`, errors and the final tables are all it shows.
    pub(crate) fn new(quiet: bool) -> Terminal {
        let bars = (!quiet && io::stderr().is_terminal()).then(Bars::new);
        Terminal { quiet, bars, view: None, faults: HashMap::new(), aborted: 0 }
    }

    /// A way to print lines above the bars from another thread.
    pub(crate) fn voice(&self) -> Voice {
        Voice { bars: self.bars.as_ref().map(|bars| bars.all.clone()) }
    }

    fn say(&self, line: &str) {
        self.voice().say(line);
    }

    fn started(&mut self, start: &Start<'_>) {
        let now = Instant::now();
        let owned = |&(game, bot): &(&str, &str)| (game.to_owned(), bot.to_owned());
        let challengers = start.challengers.iter().map(owned).collect();
        if let Some(bars) = &self.bars {
            // How far a test has come is seen from its evidence, not from its games.
            bars.games.set_length(if start.test.is_some() { EVIDENCE.into() } else { start.games });
            bars.games.set_position(if start.test.is_some() { 0 } else { start.stored });
        }
        let Start { games, stored, jobs, cores, bots, test, .. } = *start;
        let is_test = test.is_some() || start.sweep.is_some_and(SweepSummary::is_race);
        self.view = Some(View { games, stored, played: 0, start: now, shown: now, challengers, is_test });
        if self.quiet {
            return;
        }
        let before = if stored > 0 { format!(", {stored} of them played before") } else { String::new() };
        let most = if is_test { "at most " } else { "" };
        self.say(&format!(
            "{}: {most}{games} games of {bots} bots{before}, {jobs} at a time, into {}",
            start.name,
            start.out.display()
        ));
        test.map(|test| verdict::question(test.question())).iter().flatten().for_each(|line| self.say(line));
        start.sweep.map(sweep::question).iter().for_each(|line| self.say(line));
        if !start.sandbox.is_empty() {
            self.say(&format!("sandbox: {}", start.sandbox));
        }
        for warning in start.warnings {
            self.say(&format!("warning: {warning}"));
        }
        if games == 0 {
            self.say("warning: this slice of the run holds no games");
        }
        if jobs > cores {
            self.say(&format!("warning: {jobs} games at a time on {cores} cores: bots will miss time limits through no fault of their own"));
        }
    }

    fn played(&mut self, tally: &Tally) {
        let Some(view) = &mut self.view else { return };
        view.played += 1;
        let done = view.stored + view.played;
        let wait = if self.bars.is_some() { REDRAW } else { LINE };
        if let Some(bars) = self.bars.as_ref().filter(|_| !view.is_test) {
            bars.games.set_position(done);
        }
        if self.quiet || (view.shown.elapsed() < wait && done < view.games) {
            return;
        }
        view.shown = Instant::now();
        let test = tally.the_test().map(Test::summary);
        if let (Some(bars), Some(test)) = (&self.bars, &test) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "saturates, which is what is wanted"
            )]
            bars.games.set_position((test.progress * f64::from(EVIDENCE)) as u64);
        }
        let lines: Vec<String> = match (&test, tally.the_sweep()) {
            (Some(test), _) => vec![verdict::standing(test)],
            (_, Some(swept)) => vec![sweep::standing(&swept.summary())],
            (None, None) => tally.standings().iter().map(|game| view.standing(game)).collect(),
        };
        let progress = view.progress();
        if let Some(bars) = &self.bars {
            bars.games.set_message(progress);
            bars.standings.set_message(lines.join("\n"));
        } else {
            self.say(&format!("{progress}; {}", lines.join("; ")));
        }
    }

    fn fault(&mut self, fault: &Blame<'_>) {
        let count = self.faults.entry((fault.bot.to_owned(), fault.fate)).or_default();
        *count += 1;
        let (count, bot, fate) = (*count, fault.bot, fault.fate);
        if self.quiet || count > TOLD {
            return;
        }
        self.say(&format!("{fault}\n  see it again: {}", fault.again));
        if count == TOLD {
            self.say(&format!("{bot}: further faults of this kind ({fate}) are only counted"));
        }
    }

    fn aborted(&mut self, number: u64, why: &str) {
        self.aborted += 1;
        if self.aborted <= TOLD {
            self.say(&format!("game {number} could not be played: {why}"));
        }
        if self.aborted == TOLD {
            self.say("further games that cannot be played are only counted");
        }
    }

    fn ended(&mut self, summary: &Summary, out: &std::path::Path) {
        if let Some(bars) = self.bars.take() {
            bars.games.finish_and_clear();
            bars.standings.finish_and_clear();
        }
        let mut text: String = summary.games.iter().map(|game| standings(game) + "\n").collect();
        if let Some(test) = &summary.sprt {
            text += &(verdict::report(test).join("\n") + "\n\n");
        }
        text.extend(summary.sweep.iter().map(|swept| sweep::report(swept) + "\n"));
        text += &[extent(summary), vec![format!("files in {}\n", out.display())]].concat().join(", ");
        text.extend(verdict::answer(summary).map(|answer| answer + "\n"));
        // A reader that has gone away is no failure of the run.
        let _ = io::stdout().write_all(text.as_bytes());
    }
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
        let voided = run.games_voided;
        parts.push(format!("{voided} times a game was played again, the machine being too busy to be fair"));
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

impl Bars {
    fn new() -> Bars {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let style = |template| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let games = ProgressBar::new(0).with_style(style("{wide_bar} {msg}"));
        let standings = ProgressBar::new_spinner().with_style(style("{msg}"));
        Bars { games: all.add(games), standings: all.add(standings), all }
    }
}

impl View {
    fn progress(&self) -> String {
        let done = self.stored + self.played;
        #[expect(clippy::cast_precision_loss, reason = "counts of games are far below 2^52")]
        let (rate, left) =
            (self.played as f64 / self.start.elapsed().as_secs_f64(), self.games.saturating_sub(done) as f64);
        if self.is_test {
            return format!("{done} games, {rate:.1} games/s");
        }
        format!("{done}/{} games, {rate:.1} games/s, {:.0} s left", self.games, left / rate)
    }

    /// The line of a match of two bots; otherwise the challenger's line of a game's standings, or the leader's.
    fn standing(&self, game: &GameSummary) -> String {
        if let Some(two) = verdict::match_standing(game) {
            return format!("{}: {two}", game.game);
        }
        let challenger = self.challengers.get(&game.game);
        let is_challenger = |bot: &&BotSummary| Some(&bot.name) == challenger;
        let Some(bot) = game.bots.iter().find(is_challenger).or(game.bots.first()) else { return game.game.clone() };
        let (elo, interval) = (elo(bot), Some(interval(bot, game)).filter(|_| bot.lo95.is_some()));
        let interval = interval.map_or_else(String::new, |interval| format!(" {interval}"));
        let BotSummary { name, wins, draws, losses, mean_place, firsts, .. } = bot;
        let results = if game.seats > 2 {
            format!("place {mean_place:.2}, first in {:.1}%", 100.0 * firsts)
        } else {
            format!("W-D-L {wins}-{draws}-{losses}")
        };
        format!("{}: {name} Elo {elo}{interval}, {results}", game.game)
    }
}

impl Reporter for Terminal {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Building { command } if !self.quiet => self.say(&format!("building: {command}")),
            Event::Building { .. } => {}
            Event::Started(start) => self.started(start),
            Event::Played { tally } => self.played(tally),
            Event::Fault(fault) => self.fault(fault),
            Event::Aborted { number, why } => self.aborted(*number, why),
            Event::Ended { summary, out } => self.ended(summary, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::report;
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
