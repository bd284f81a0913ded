//! The table of rated bots, for a run and for `arena rate`.

use super::results::met;
use crate::results::WinsDrawsLosses;
use crate::standings::{ANY_FAULT, BotSummary, Game};
use arena_schedule::UnitDesign;
use arena_section::Tone;
use arena_section::table::{Cell, Filter, Kind, Rows, Table};
use arena_section::words::{self, likelihood, percent, signed, two_decimals};
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::ratings::Mark;

/// Column title of the one number that two bots have.
pub(crate) const DIFFERENCE: &str = "Elo diff";
/// Column title of drawn ratings.
pub(crate) const DRAWN: &str = "interval, drawn";
/// Column title of an interval for a single look.
pub(crate) const INTERVAL: &str = "95% interval";
/// Column title of an interval that holds at every look.
pub(crate) const ANYTIME: &str = "95% at every look";
/// Column title of an interval with the error rates of the test that stopped the games.
pub(crate) const OF_TEST: &str = "interval of the test";

/// Column title of the mean score of bots that play alone.
pub(crate) const MEAN_SCORE: &str = "mean score";
/// Column title of the mean of these scores over the best one on each seed.
pub(crate) const OVER_BEST: &str = "of best";

/// Column title of the scores of a gauntlet's challenger against each other bot.
pub(crate) const CHALLENGE: &str = "challenger's score";

/// Shown in place of a rating that nothing limits from above.
pub(super) const WON_ALL: &str = "won all";
/// Shown in place of a rating that nothing limits from below.
pub(super) const LOST_ALL: &str = "lost all";

/// Reads a number from results.
type CountOf = fn(&WinsDrawsLosses) -> u64;

/// Columns of results, by title, with the number that each shows.
pub(super) const RESULTS: [(&str, CountOf); 3] = [
    ("won", |results| results.wins),
    ("drawn", |results| results.draws),
    ("lost", |results| results.losses),
];

/// How ratings are written.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Writes Elo, given its 95% error.
    pub(crate) elo: fn(f64, f64) -> String,
    pub(crate) share: fn(f64) -> String,
    /// Shown as the interval of a rating that was set.
    pub(crate) anchor: Option<&'static str>,
    /// Whether ratings have a level that was set. Two bots then have ratings instead of a
    /// difference.
    pub(crate) has_level: bool,
}

/// The style of a run's standings.
pub(super) const RUN: Style = Style {
    elo: |elo, _| signed(elo, 1),
    share: percent,
    anchor: None,
    has_level: false,
};

/// The table of the rated bots of a game.
pub(crate) fn table(game: &Game, style: Style) -> Table {
    let ahead = match game.pair() {
        Some(pair) if !style.has_level => Some(pair.by(&game.bots[0].name)),
        _ => None,
    };
    Ratings { game, ahead, style }.table()
}

/// How the bots of a unit fill the seats, to follow a number of games.
pub(crate) fn seating(game: &Game) -> String {
    let design = game.design;
    words::seating(design.seats, design.bots)
}

struct Ratings<'a> {
    game: &'a Game,
    /// How far the better of two bots is ahead. Their ratings would show half of it each.
    ahead: Option<Estimate>,
    style: Style,
}

impl<'a> Ratings<'a> {
    fn table(&self) -> Table {
        let rows = Rows::new("Standings", &self.game.bots)
            .file("game", |_| &self.game.game)
            .both(Kind::Rank, "#", "rank", |bot| bot.rank)
            .both(Kind::Name, "bot", "bot", |bot| &bot.name);
        let rows = self.with_challenge(self.with_elo(rows));
        let rows = self.with_places(self.with_results(rows));
        let knows_los = self.game.bots.iter().any(|bot| self.los(bot).is_some());
        let mut rows = rows
            .shown(Kind::Number, if knows_los { "LOS" } else { "" }, |bot| {
                Cell::shown(self.los(bot), likelihood)
            })
            .note("The likelihood of superiority: that the bot is stronger than the next one")
            .spare(usize::from(self.game.challenger.is_some()))
            .shown(Kind::Words, "faults", |bot| {
                Cell::toned(Tone::Bad, faults(bot))
            })
            .of_games(|bot| self.game.only([("bot", &bot.name), ("fault", ANY_FAULT)]));
        let best = self.game.bots.first();
        for fate in best.into_iter().flat_map(|bot| bot.faults.keys()) {
            rows = rows.file(fate, |bot| bot.faults.get(fate).copied());
        }
        rows.file("notes", |bot| self.limits(bot))
            .file("mean_place_lo95", |bot| bot.mean_place_lo95)
            .file("mean_place_hi95", |bot| bot.mean_place_hi95)
            .file("firsts_lo95", |bot| bot.firsts_lo95)
            .file("firsts_hi95", |bot| bot.firsts_hi95)
            .file("mean_score", |bot| bot.mean_score)
            .file("score_over_best", |bot| bot.score_over_best)
            .marked(self.game.challenger)
            .table()
    }

    /// Adds the ratings, or the difference, with intervals.
    fn with_elo(&self, rows: Rows<'a, BotSummary>) -> Rows<'a, BotSummary> {
        let (elo, drawn, difference) = match self.ahead {
            Some(_) => ("", "", DIFFERENCE),
            None => ("Elo", DRAWN, ""),
        };
        let interval = title(self.game.holds);
        rows.both(Kind::Number, elo, "elo", |bot| {
            Cell::number(bot.elo, rating(bot, self.style))
        })
        .of_games(|bot| self.games(bot))
        .shown(Kind::Interval, drawn, |bot| self.drawn(bot))
        .shown(Kind::Number, difference, |bot| self.difference(bot))
        .of_games(|bot| self.games(bot))
        .note("How much stronger the bot is than the other one")
        .shown(Kind::Ends, interval, |bot| {
            Cell::number(bot.lo95, self.interval(bot))
        })
        .of_games(|bot| self.games(bot))
        .file("lo95", |bot| bot.lo95)
        .file("hi95", |bot| bot.hi95)
        .file("interval", |_| <&str>::from(self.game.holds))
    }

    /// Adds the challenger's score against each bot of a gauntlet, if these met others, too.
    fn with_challenge(&self, rows: Rows<'a, BotSummary>) -> Rows<'a, BotSummary> {
        let Some(challenger) = self.challenger() else {
            return rows;
        };
        rows.shown(Kind::Heat, CHALLENGE, |bot| {
            met(self.game, challenger, &bot.name)
        })
        .note(format!("The score of {challenger} against this bot"))
    }

    /// The challenger of a gauntlet in which its opponents meet each other, too.
    fn challenger(&self) -> Option<&'a str> {
        let game = self.game;
        let name = &*game.bots[game.challenger?].name;
        game.pairings
            .iter()
            .any(|two| two.first != name && two.second != name)
            .then_some(name)
    }

    fn with_results(&self, rows: Rows<'a, BotSummary>) -> Rows<'a, BotSummary> {
        let mut rows = rows
            .both(Kind::Number, "games", "games", |bot| bot.games)
            .of_games(|bot| self.games(bot))
            // The title of two bots' standings has their number of games.
            .spare(if self.ahead.is_some() { 3 } else { 0 })
            .both(Kind::Number, "score", "score", |bot| {
                Cell::shown(bot.score, self.style.share)
            })
            .of_games(|bot| self.games(bot))
            .spare(usize::from(self.challenger().is_some()));
        if self.game.design == UnitDesign::ALONE {
            rows = rows
                .shown(Kind::Number, MEAN_SCORE, |bot| {
                    Cell::shown(bot.mean_score, two_decimals)
                })
                .of_games(|bot| self.games(bot))
                .note("Without games in which the bot failed")
                .shown(Kind::Number, OVER_BEST, |bot| {
                    Cell::shown(bot.score_over_best, |share| format!("{share:.4}"))
                })
                .of_games(|bot| self.games(bot))
                .note("The mean of these scores, each divided by the best one on the seed, or the best one divided by each if that one is nearer to 0");
        }
        for (result, count) in RESULTS {
            rows = rows
                .both(Kind::Number, result, result, |bot| count(&bot.results))
                .of_games(|bot| match self.game.design.seats {
                    2 => self.game.only([("bot", &bot.name), ("result", result)]),
                    // With more seats these numbers count comparisons, not games.
                    _ => self.games(bot),
                })
                .spare(2);
        }
        rows
    }

    /// Adds places, which people see if there are more than two seats.
    fn with_places(&self, rows: Rows<'a, BotSummary>) -> Rows<'a, BotSummary> {
        let shown = |title| if self.game.shows_places() { title } else { "" };
        rows.both(Kind::Number, shown("place"), "mean_place", |bot| Cell {
            note: ends(bot.mean_place_lo95, bot.mean_place_hi95, two_decimals),
            ..Cell::shown(bot.mean_place, two_decimals)
        })
        .spare(1)
        .note("The mean of its places, with its 95% interval from whole units")
        .both(Kind::Number, shown("first"), "firsts", |bot| Cell {
            note: ends(bot.firsts_lo95, bot.firsts_hi95, self.style.share),
            ..Cell::shown(bot.firsts, self.style.share)
        })
        .spare(1)
    }

    /// How far the bot is ahead, in the row of the better of two bots.
    fn ahead(&self, bot: &BotSummary) -> Option<Estimate> {
        self.ahead.filter(|_| bot.name == self.game.bots[0].name)
    }

    fn difference(&self, bot: &BotSummary) -> Option<Cell> {
        let by = self.ahead(bot)?;
        let text = match by.elo {
            elo if elo.is_finite() => self.elo(elo, by),
            _ if by.lo95 > 0.0 => format!("> {}", self.elo(by.lo95, by)),
            _ => WON_ALL.to_owned(),
        };
        Some(Cell::number(Some(by.elo), text))
    }

    /// Elo of a difference, or of an end of its interval.
    fn elo(&self, elo: f64, by: Estimate) -> String {
        if elo.is_finite() {
            (self.style.elo)(elo, (by.hi95 - by.lo95) / 2.0)
        } else {
            "no limit".to_owned()
        }
    }

    fn interval(&self, bot: &BotSummary) -> Option<String> {
        if self.ahead.is_none() {
            return Some(rating_interval(bot, &self.game.groups, self.style));
        }
        let by = self.ahead(bot).filter(|by| by.elo.is_finite())?;
        let is_rough = self.game.bots.iter().any(|bot| bot.provisional);
        let rough = if is_rough { "?" } else { "" };
        let [lo, hi] = by.interval().map(|end| self.elo(end, by));
        Some(format!("[{lo}, {hi}]{rough}"))
    }

    /// The likelihood that the bot is stronger than the next one. It doesn't hold at every look.
    fn los(&self, bot: &BotSummary) -> Option<f64> {
        self.ahead(bot).map_or(bot.los_next, |by| by.los)
    }

    /// The rating in its interval. An interval that means little is faint.
    fn drawn(&self, bot: &BotSummary) -> Cell {
        let is_vague = self.game.groups.len() > 1 || bot.provisional;
        let rating = rating(bot, self.style);
        let interval = rating_interval(bot, &self.game.groups, self.style);
        Cell {
            value: bot.elo,
            ends: bot.lo95.zip(bot.hi95).map(|(lo, hi)| [lo, hi]),
            tip: format!("Elo {rating}, {} {interval}", title(self.game.holds)),
            tone: if is_vague { Tone::Faint } else { Tone::Plain },
            ..Cell::default()
        }
    }

    fn games(&self, bot: &BotSummary) -> Filter {
        self.game.only([("bot", &bot.name)])
    }

    /// Limits of a rating, as words for programs.
    fn limits(&self, bot: &BotSummary) -> String {
        let mut words = vec![
            (bot.mark == Some(Mark::Perfect), "perfect"),
            (bot.mark == Some(Mark::Zero), "zero"),
            (self.game.groups.len() > 1, "unlinked"),
            (bot.provisional, "provisional"),
        ];
        words.retain(|(holds, _)| *holds);
        let words: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
        words.join(" ")
    }
}

/// The title of intervals.
pub(super) fn title(holds: Holds) -> &'static str {
    match holds {
        Holds::Once => INTERVAL,
        Holds::EveryLook => ANYTIME,
        Holds::Test => OF_TEST,
    }
}

/// An interval as a note below a number, if there is one.
fn ends(lo: Option<f64>, hi: Option<f64>, show: impl Fn(f64) -> String) -> String {
    match (lo, hi) {
        (Some(lo), Some(hi)) => format!("[{}, {}]", show(lo), show(hi)),
        _ => String::new(),
    }
}

/// A rating. Nothing limits that of a bot which won or lost everything on one side.
pub(super) fn rating(bot: &BotSummary, style: Style) -> String {
    let error = bot.error95.filter(|&error| error > 0.0);
    match (bot.elo, bot.mark) {
        (Some(elo), _) => (style.elo)(elo, error.unwrap_or(f64::INFINITY)),
        (None, Some(Mark::Perfect)) => WON_ALL.to_owned(),
        (None, Some(Mark::Zero)) => LOST_ALL.to_owned(),
        (None, None) => "-".to_owned(),
    }
}

/// Both ends of a rating's interval; in parentheses if they rest on virtual games.
pub(super) fn rating_interval(bot: &BotSummary, groups: &[Vec<String>], style: Style) -> String {
    let (Some(lo), Some(hi), Some(error)) = (bot.lo95, bot.hi95, bot.error95) else {
        return "-".to_owned();
    };
    let [lo, hi] = [lo, hi].map(|end| (style.elo)(end, error));
    let provisional = if bot.provisional { "?" } else { "" };
    match style.anchor {
        Some(anchor) if error == 0.0 => anchor.to_owned(),
        _ if groups.len() > 1 => format!("({lo}, {hi}){provisional}"),
        _ => format!("[{lo}, {hi}]{provisional}"),
    }
}

/// The number of faults of each kind in words, or `None` without a fault.
pub(crate) fn faults(bot: &BotSummary) -> Option<String> {
    let some = bot.faults.iter().filter(|(_, count)| **count > 0);
    words::list(some.map(|(fate, count)| format!("{count} {fate}")))
}
