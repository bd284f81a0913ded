//! The live view of a run on standard error: a bar on a terminal, otherwise a line now and then.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of games are far below 2^52"
)]

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::{Event, Progress, Reporter};
use crate::study::{Live, LiveBlock};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::terminal::pause;
use arena_section::text::{harmless, shown};
use arena_section::words::{count, duration};

/// The time between two updates of the standings on a terminal.
const REDRAW: Duration = Duration::from_millis(250);
/// The time between two lines for a watcher.
const WATCH: Duration = Duration::from_secs(5);
/// The length of the bar.
const BAR: u32 = 1000;
/// The most cells of the bar.
const CELLS: usize = 40;
/// The fewest lines of live standings. If there is less room, a sentence replaces them.
const FEWEST_LINES: usize = 5;
/// The lines of a window around live standings: the bar, and above it the last messages.
const OTHER_LINES: usize = 4;
/// The most faults of a kind to print for each bot; all of them are counted.
const MOST_FAULTS: u32 = 3;

/// Hears the state of a run now and then, as a line.
type Watcher<'w> = Box<dyn FnMut(&str) + 'w>;

/// Shows a run on the terminal, and tells a watcher about it.
pub(crate) struct Terminal<'w> {
    quiet: bool,
    pub(crate) printer: Printer,
    /// Whether the run may end before all planned games are played.
    may_end_early: bool,
    /// The time of the last standings.
    shown: Instant,
    /// The limit on the time to start games, if any.
    pub(crate) limit: Option<Duration>,
    /// Whether a run says nothing before its first game.
    pub(crate) is_brief: bool,
    /// The time of the first game.
    begun: Instant,
    pub(crate) watcher: Option<Watcher<'w>>,
    /// The time of the last line for the watcher.
    told: Instant,
    /// The number of lines of each kind that is only printed a few times, by the last line.
    printed_lines: BTreeMap<String, u32>,
}

/// Prints lines to standard error, above the bar, from any thread. The bar is hidden if standard
/// error isn't a terminal, and with `--quiet`.
#[derive(Clone, Debug)]
pub(crate) struct Printer {
    bar: ProgressBar,
    /// Whether nothing is printed, because a program reads JSON and wants nothing else.
    is_silent: bool,
}

impl Printer {
    /// Prints a line of prose.
    pub(crate) fn print(&self, line: &str) {
        self.write(&Screen::stderr().prose(line));
    }

    /// Prints a line that is laid out.
    fn write(&self, line: &str) {
        if self.is_silent {
            return;
        }
        // A run continues if standard error is closed.
        self.bar
            .suspend(|| drop(writeln!(io::stderr(), "{}", shown(line))));
    }
}

impl Terminal<'_> {
    /// A view for this process's standard error; with `quiet`, errors are all it shows, and none
    /// if they are in the JSON.
    pub(crate) fn new(quiet: bool, has_json: bool) -> Self {
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::no_length()
        };
        let is_silent = quiet && has_json;
        let printer = Printer { bar, is_silent };
        let now = Instant::now();
        Terminal {
            quiet,
            printer,
            may_end_early: false,
            shown: now,
            limit: None,
            is_brief: false,
            begun: now,
            watcher: None,
            told: now,
            printed_lines: BTreeMap::new(),
        }
    }

    /// Says in a window what is being made ready before play begins: it may take long.
    pub(crate) fn prepare(&self, what: &str) {
        let bar = &self.printer.bar;
        if bar.is_hidden() {
            return;
        }
        bar.set_style(style("{wide_msg}"));
        bar.set_message(harmless(what));
        bar.reset();
        bar.tick();
    }

    /// Removes what isn't to stay in the window.
    pub(crate) fn clear(&self) {
        self.printer.bar.finish_and_clear();
    }

    /// Prints a line of a kind that is only printed a few times. `further` names the kind; it is
    /// printed after the last one.
    fn print_first(&mut self, line: &str, further: &str) {
        let count = self.printed_lines.entry(further.to_owned()).or_default();
        *count += 1;
        if *count <= MOST_FAULTS {
            self.printer.write(line);
        }
        if *count == MOST_FAULTS {
            self.printer.print(further);
        }
    }

    fn started(&mut self, introduction: &[String], warnings: &[String]) {
        self.begun = Instant::now();
        self.shown = self.begun;
        self.clear();
        let bar = &self.printer.bar;
        bar.set_style(with_bar(CELLS));
        bar.set_message("");
        bar.reset();
        bar.set_length(BAR.into());
        if !self.quiet {
            let screen = Screen::stderr();
            for line in introduction.iter().filter(|_| !self.is_brief) {
                self.printer.print(line);
            }
            for warning in warnings {
                self.printer
                    .write(&screen.paint(Tone::Open, screen.prose(&format!("warning: {warning}"))));
            }
        }
    }

    fn played(&mut self, progress: &Progress) {
        let Some(live) = &progress.live else {
            return;
        };
        self.shown = Instant::now();
        let bar = &self.printer.bar;
        let time = self
            .limit
            .map(|limit| [self.shown - self.begun, limit].map(|time| time.as_secs_f64()));
        let pace = pace(self.may_end_early, progress, live, time);
        if bar.is_hidden() {
            let mut parts = vec![pace];
            parts.extend(live.blocks.iter().map(|block| block.line.clone()));
            return self.printer.print(&parts.join("; "));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, which is what is wanted"
        )]
        bar.set_position((share(progress, live, time) * f64::from(BAR)) as u64);
        let screen = Screen::stderr();
        bar.set_style(with_bar(cells(screen.columns(), &pace)));
        bar.set_prefix(pace);
        bar.set_message(in_window(live, &screen));
    }
}

impl Drop for Terminal<'_> {
    /// An error may end a run before its end is shown.
    fn drop(&mut self) {
        self.clear();
    }
}

/// A run's bar, in so many cells.
fn with_bar(cells: usize) -> ProgressStyle {
    style(&format!("{{bar:{cells}}} {{prefix}}\n{{msg}}"))
}

/// The cells of a bar that has a text beside it.
fn cells(columns: Option<usize>, beside: &str) -> usize {
    match columns {
        Some(columns) => CELLS.min(columns.saturating_sub(beside.len() + 1)),
        None => CELLS,
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The share of a run that is over: of its games or of the evidence that a test needs, or of its
/// time if that is more. `time` is the time spent and the limit, in seconds.
fn share(progress: &Progress, live: &Live, time: Option<[f64; 2]>) -> f64 {
    let of_games = progress.played as f64 / progress.planned.max(1) as f64;
    let share = live.share.unwrap_or(of_games);
    match time {
        Some([spent, limit]) => share.max(spent / limit),
        None => share,
    }
}

/// The progress of the run, its speed and the time left. `time` is the time spent and the limit, in
/// seconds.
fn pace(may_end_early: bool, progress: &Progress, live: &Live, time: Option<[f64; 2]>) -> String {
    let (played, planned) = (progress.played, progress.planned);
    let per_second = progress.per_second;
    let time_left = time.map(|[spent, limit]| (limit - spent).max(0.0));
    let games_left = planned.saturating_sub(played) as f64 / per_second;
    if may_end_early {
        let expected = live
            .games_left
            .map(|games| games_left.min(games / per_second));
        let left = match (expected, time_left) {
            (Some(left), limit) if limit.is_none_or(|limit| left < limit) => {
                format!(", about {} left", duration(left))
            }
            (_, Some(limit)) => format!(", at most {} left", duration(limit)),
            _ => String::new(),
        };
        let played = count(played, "game", "games");
        return format!("{played}, {per_second:.1} games/s{left}");
    }
    let left = time_left.map_or(games_left, |left| left.min(games_left));
    let left = duration(left);
    format!("{played}/{planned} games, {per_second:.1} games/s, {left} left")
}

/// The state of the run, for a window.
fn in_window(live: &Live, screen: &Screen) -> String {
    let rows = screen.size.map_or(0, |(_, rows)| rows);
    let room = rows.saturating_sub(OTHER_LINES) / live.blocks.len().max(1);
    let mut blocks = Vec::new();
    for block in &live.blocks {
        blocks.push(live_block(block, room, screen));
    }
    blocks.join("\n")
}

/// A part of what is shown: its table if there are enough lines, else its line.
fn live_block(block: &LiveBlock, lines: usize, screen: &Screen) -> String {
    let title = screen.prose(&block.title);
    let below = screen.sentence(&block.below);
    let room = lines.saturating_sub(title.lines().count() + below.lines().count());
    match &block.table {
        Some(table) if room >= FEWEST_LINES => {
            let mut text = vec![screen.paint(Tone::Strong, title)];
            text.extend(table.few(room, screen));
            if !below.is_empty() {
                text.push(below);
            }
            text.join("\n")
        }
        _ => screen.sentence(&block.line),
    }
}

impl Terminal<'_> {
    /// Whether it is time for another line for the watcher.
    fn is_to_tell(&self) -> bool {
        self.watcher.is_some() && self.told.elapsed() >= WATCH
    }

    /// Whether it is time for the next standings.
    fn is_to_show(&self, progress: &Progress) -> bool {
        let wait = if self.printer.bar.is_hidden() {
            pause(self.begun.elapsed())
        } else {
            REDRAW
        };
        !self.quiet && (self.shown.elapsed() >= wait || progress.played >= progress.planned)
    }
}

impl Reporter for Terminal<'_> {
    fn wants_live(&self, progress: &Progress) -> bool {
        self.is_to_tell() || self.is_to_show(progress)
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Preparing { what, is_due } if !self.quiet => {
                self.prepare(what);
                if *is_due && !self.is_brief && self.printer.bar.is_hidden() {
                    self.printer.print(what);
                }
            }
            Event::Started {
                introduction,
                warnings,
                may_end_early,
            } => {
                self.may_end_early = *may_end_early;
                self.started(introduction, warnings);
            }
            Event::Played(progress) => {
                if self.is_to_show(progress) {
                    self.played(progress);
                }
                if self.is_to_tell()
                    && let (Some(tell), Some(live)) = (&mut self.watcher, &progress.live)
                {
                    self.told = Instant::now();
                    for block in &live.blocks {
                        let games = count(progress.played, "game", "games");
                        tell(&format!("{}, {games}", block.line));
                    }
                }
            }
            Event::Fault(fault) if !self.quiet => {
                let (bot, fate, screen) = (&fault.bot, fault.fate, Screen::stderr());
                let further =
                    format!("{bot}: further faults of this kind ({fate}) are only counted");
                let what = screen.paint(Tone::Bad, screen.prose(&fault.line()));
                let line = format!("{what}\n  see it again: {}", fault.again);
                self.print_first(&line, &further);
            }
            Event::Waiting { games, longest } if !self.quiet => {
                let games = count(*games as u64, "game", "games");
                let longest = duration(longest.as_secs_f64());
                self.printer.print(&format!(
                    "waiting for {games}, the longest for {longest}; Ctrl-C ends them now"
                ));
            }
            Event::Preparing { .. } | Event::Fault(_) | Event::Waiting { .. } => {}
            Event::Aborted { number, why } => {
                let further = "further games that cannot be played are only counted";
                let screen = Screen::stderr();
                let what = screen.prose(&format!("game {number} could not be played: {why}"));
                self.print_first(&screen.paint(Tone::Bad, what), further);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use console::measure_text_width;

    use super::super::tests::report;
    use super::*;
    use crate::standings::BotSummary;
    use crate::study::list::block;

    /// Rows about a run of 100 games: the games played, the games per second, and the time spent
    /// with its limit, in seconds; what is told, and the share that is over. The end of a test
    /// isn't known; that of the next one is foretold.
    const ENDS: &str = "
        games    | 50 | 5   |         | 50/100 games, 5.0 games/s, 10 s left     | 0.5
        games    | 50 | 5   | 10 1200 | 50/100 games, 5.0 games/s, 10 s left     | 0.5
        games    | 10 | 1   | 10 40   | 10/100 games, 1.0 games/s, 30 s left     | 0.25
        games    | 10 | 1   | 42 40   | 10/100 games, 1.0 games/s, 0.0 s left    | 1
        test     | 10 | 1   |         | 10 games, 1.0 games/s                    | 0
        test     | 10 | 1   | 10 40   | 10 games, 1.0 games/s, at most 30 s left | 0.25
        foretold | 10 | 0.1 |         | 10 games, 0.1 games/s, about 7 min left  | 0
        foretold | 90 | 1   |         | 90 games, 1.0 games/s, about 10 s left   | 0
        foretold | 10 | 1   | 10 100  | 10 games, 1.0 games/s, about 40 s left   | 0.1
        foretold | 10 | 1   | 10 40   | 10 games, 1.0 games/s, at most 30 s left | 0.25";

    #[test]
    fn the_end_that_comes_first_is_told() {
        for row in ENDS.lines().skip(1) {
            let [kind, played, per_second, time, told, over] =
                row.split('|').map(str::trim).collect::<Vec<_>>()[..]
            else {
                panic!("{row}")
            };
            let may_end_early = kind != "games";
            let live = Live {
                share: may_end_early.then_some(0.0),
                games_left: (kind == "foretold").then_some(40.0),
                blocks: Vec::new(),
            };
            let progress = Progress {
                played: played.parse().unwrap(),
                planned: 100,
                per_second: per_second.parse().unwrap(),
                live: None,
            };
            let number = |text: &str| text.parse::<f64>().unwrap();
            let time = time
                .split_once(' ')
                .map(|(spent, limit)| [spent, limit].map(number));
            assert_eq!(pace(may_end_early, &progress, &live, time), told);
            let share = share(&progress, &live, time);
            assert!(
                (share.min(1.0) - number(over)).abs() < 1e-9,
                "{share} {told}"
            );
        }
    }

    #[test]
    fn a_bar_has_few_cells_and_leaves_room_for_the_pace() {
        let pace = "100/5344 games, 1234.5 games/s, 10 s left";
        for (columns, expected) in [(40, 0), (60, 18), (82, 40), (250, 40)] {
            let columns = Some(columns);
            assert_eq!(cells(columns, pace), expected, "{columns:?}");
        }
        assert_eq!(cells(None, pace), 40);
    }

    /// Rows: the games of each bot with its rating, and the bots of the live table in their order.
    #[test]
    fn ratings_come_before_what_a_few_games_say() {
        let game = report("x").summary.games.swap_remove(0);
        let (few, won, lost) = ((2, None), (40, Some(30.0)), (40, Some(-30.0)));
        for (bots, challenger, shown) in [
            ([few, won, lost], None, "bca"),
            ([(0, None), won, lost], None, ""),
            ([won, (40, Some(0.0)), lost], Some(2), "abc"),
            ([few, (4, None), (40, Some(0.0))], Some(1), "cab"),
        ] {
            let mut game = game.clone();
            game.challenger = challenger;
            for ((bot, (games, elo)), name) in game.bots.iter_mut().zip(bots).zip(["a", "b", "c"]) {
                (bot.games, bot.elo, bot.name) = (games, elo, name.to_owned());
            }
            let live = block(&game);
            let mut names = Vec::new();
            for column in live.table.iter().flat_map(|table| &table.columns) {
                if column.title == "bot" {
                    names.extend(column.cells.iter().filter_map(|cell| cell.text.clone()));
                }
            }
            let order: String = names
                .iter()
                .filter_map(|name| name.chars().last())
                .collect();
            assert_eq!(order, shown, "{bots:?}");
            let marked = live.table.as_ref().and_then(|table| table.marked);
            let of_challenger = challenger.filter(|_| !shown.is_empty());
            assert_eq!(
                marked.map(|row| &names[row]),
                of_challenger.map(|at| &game.bots[at].name)
            );
        }
    }

    /// Whatever the bots are called and however they fail, there are no more lines than there is
    /// room for.
    #[test]
    fn live_standings_keep_to_their_lines() {
        let mut game = report("a-bot-with-a-name-of-quite-some-length")
            .summary
            .games
            .swap_remove(0);
        let third = game.bots[2].clone();
        game.bots = (0..12)
            .map(|place| BotSummary {
                name: format!("{}-{place}", third.name),
                ..third.clone()
            })
            .collect();
        for bot in &mut game.bots {
            bot.faults.values_mut().for_each(|count| *count = 123);
        }
        game.challenger = Some(6);
        for columns in 60..120 {
            let screen = Screen::wide(columns);
            for lines in [8, 10, 12, 20] {
                let text = live_block(&block(&game), lines, &screen);
                assert!(text.lines().count() <= lines, "{columns} {lines}\n{text}");
                assert!(
                    text.lines().all(|line| measure_text_width(line) <= columns),
                    "{columns}\n{text}"
                );
            }
        }
        let live = block(&game);
        insta::assert_snapshot!(live_block(&live, 12, &Screen::wide(80)));
    }
}
