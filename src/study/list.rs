//! A list of games that is known beforehand: a match, a round robin or a gauntlet.

use std::collections::BTreeMap;

use super::{
    Context, Cursor, Finding, Introduction, Live, LiveBlock, MORE_AFTER_A_LOOK, Next, Outcome,
    Study, UNDER_WAY, Verdict, failures, nothing_measured,
};
use crate::plan::{Plan, PlannedGame};
use crate::play::record::Record;
use crate::standings::tables::{elo, headline, in_force, interval, live_table};
use crate::standings::{Difference, Failures, Game, Stop, Tally};
use crate::store::GameRow;
use arena_schedule::{Design, Fixture, Schedule, Slice};
use arena_section::Sentence;
use arena_section::words::{count, percent};
use arena_stats::estimate::Claim;

/// A list of games, in a slice or whole. All of them are played, but a match of two bots that isn't
/// sliced ends when one of them has failed in most of the first units.
pub(super) struct ListStudy {
    schedule: Schedule,
    slice: Slice,
    cursor: Cursor,
    /// The failures in a match of two bots.
    failures: Option<Failures>,
    /// For each game of a gauntlet, by id, the bot whose rating a line shows. In other games it is
    /// the leader.
    challengers: BTreeMap<String, String>,
    /// How often bots meet, where that isn't what was asked for, and for each game of more than two
    /// bots.
    meetings: Vec<String>,
    /// Whether every game has just two bots, whose interval holds at every look.
    has_pairs_only: bool,
}

impl ListStudy {
    pub(super) fn new(plan: &Plan, slice: Slice) -> ListStudy {
        let schedule = plan.schedule();
        let failures = match &plan.games[..] {
            [game] if game.bots.len() == 2 => {
                Some(Failures::new(game.bots.clone(), schedule.games_per_unit(0)))
            }
            _ => None,
        };
        let mut meetings = Vec::from_iter(rounded_up(plan));
        meetings.extend(groups(plan, &schedule));
        ListStudy {
            slice,
            cursor: Cursor::default(),
            failures,
            challengers: challengers(plan),
            meetings,
            has_pairs_only: plan.games.iter().all(|game| game.bots.len() == 2),
            schedule,
        }
    }
}

impl Study for ListStudy {
    fn next(&mut self) -> Next {
        while !self.has_ended()
            && let Some(number) = self.cursor.advance(self.schedule.len())
        {
            if self.schedule.is_in(self.slice, number) {
                return Next::Play(self.schedule.fixture(number));
            }
        }
        Next::Done
    }

    fn record(&mut self, row: &GameRow, _: &Record) -> Verdict {
        // Slices continue where a whole match ends, so a merged run has later games.
        let is_late = self.has_ended() && self.cursor.has_passed(row.number);
        if is_late || !self.cursor.record(row.number) {
            return Verdict::Discard;
        }
        if let Some(failures) = &mut self.failures {
            failures.add(row);
        }
        Verdict::KEEP
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        let is_listed = number < self.schedule.len() && self.schedule.is_in(self.slice, number);
        is_listed.then(|| self.schedule.fixture(number))
    }

    /// Returns true if a bot failed too often for a match to continue. A slice continues because
    /// other slices don't know.
    fn has_ended(&self) -> bool {
        self.slice == Slice::WHOLE
            && self
                .failures
                .as_ref()
                .is_some_and(|failures| !failures.at_first().is_empty())
    }

    fn is_sequential(&self) -> bool {
        false
    }

    fn introduction(&self) -> Introduction {
        Introduction {
            question: self.meetings.clone(),
            may_end_early: false,
            extension: if self.has_pairs_only {
                "more games after a look: the interval shown is the one that holds at every look"
            } else {
                MORE_AFTER_A_LOOK
            },
        }
    }

    fn live(&self, tally: &Tally) -> Live {
        let mut blocks = Vec::new();
        for game in tally.standings(Stop::Watched) {
            blocks.push(block(&game, self.challengers.get(&game.game)));
        }
        Live {
            share: None,
            blocks,
        }
    }

    fn finding(&self, seen: &Context<'_>) -> Finding {
        let failed = self.failures.as_ref().map(Failures::in_most);
        let failed = failed.unwrap_or_default();
        let nothing = nothing_measured(&failed, seen.games);
        let outcome = match nothing {
            Some(_) => Outcome::NothingMeasured,
            // A gauntlet is about places, not about which of two bots is stronger.
            None if seen.plan.study.is_gauntlet() => Outcome::Answered,
            None if seen.games.iter().any(has_no_verdict) => Outcome::Undecided,
            None => Outcome::Answered,
        };
        let case = match outcome {
            Outcome::Answered => None,
            _ => Some(["match", "verdict"].map(str::to_owned)),
        };
        Finding {
            answers: nothing.map_or_else(|| answers(seen.games), |nothing| vec![nothing]),
            outcome,
            case,
            title: seen.duel(),
            failed,
            unused: UNDER_WAY.to_owned(),
            ..Finding::default()
        }
    }
}

/// Whether two bots have too few units to say which is stronger.
fn has_no_verdict(game: &Game) -> bool {
    let two = game.difference.as_ref();
    two.is_some_and(|two| two.by.claim() == Claim::NoVerdict && !game.same_moves)
}

/// How much stronger the first of two bots is in each game, or which bot is first.
pub(super) fn answers(games: &[Game]) -> Vec<Sentence> {
    let mut answers = Vec::new();
    for game in games {
        if let Some(mut answer) = headline(game) {
            if games.len() > 1 {
                answer.subject.insert_str(0, &format!("{}: ", game.game));
            }
            answer.rest += &failures([game]);
            answers.push(answer);
        }
    }
    answers
}

/// The state of a game: the standings of more than two bots, with a line in case they have no room.
pub(crate) fn block(game: &Game, challenger: Option<&String>) -> LiveBlock {
    let line = line_of(game, challenger);
    if game.bots.len() < 3 || game.games == 0 {
        return LiveBlock::line(line);
    }
    let mut names = game.bots.iter().map(|bot| &bot.name);
    LiveBlock {
        line,
        title: format!("{}: {}", game.game, count(game.games, "game", "games")),
        table: Some(live_table(game)),
        keep: names.position(|name| Some(name) == challenger),
        below: headline(game).map_or_else(String::new, |first| format!("so far {first}")),
    }
}

/// The state of a game in a line: the match of two bots, or the rating of the challenger or the
/// leader.
fn line_of(game: &Game, challenger: Option<&String>) -> String {
    if let Some(two) = match_standing(game) {
        return format!("{}: {two}", game.game);
    }
    let challenger = game.bots.iter().find(|bot| Some(&bot.name) == challenger);
    let Some(bot) = challenger.or(game.bots.first()) else {
        return game.game.clone();
    };
    let interval = match bot.lo95 {
        Some(_) => format!(" {}", interval(bot, game)),
        None => String::new(),
    };
    let results = if game.design.seats > 2 {
        let [place, firsts] = [bot.mean_place, bot.firsts].map(Option::unwrap_or_default);
        format!("place {place:.2}, first in {}", percent(firsts))
    } else {
        format!("W-D-L {}", bot.results)
    };
    let (game, name, elo) = (&game.game, &bot.name, elo(bot));
    format!("{game}: {name} Elo {elo}{interval}, {results}")
}

/// The state of a match of two bots in a line.
fn match_standing(game: &Game) -> Option<String> {
    let Difference { first, second, by } = game.difference.as_ref()?;
    let value = in_force(by);
    let results = game.pairings.first()?.results;
    Some(format!(
        "{first} against {second}: {value}, W-D-L {results}"
    ))
}

/// What is played in pairs that swap seats, if that isn't what was asked for.
fn rounded_up(plan: &Plan) -> Option<String> {
    let (asked, played) = (plan.study.games_per_pairing(), plan.study.games_in_pairs());
    let is_paired = |game: &&PlannedGame| game.seats() == 2 || plan.design == Some(Design::Mirror);
    let most_seats = plan
        .games
        .iter()
        .filter(is_paired)
        .map(PlannedGame::seats)
        .max()?;
    let why = if most_seats > 2 {
        "both bots play in every seat equally often"
    } else {
        "both bots move first equally often"
    };
    let (games, are) = (
        count(asked, "game", "games"),
        if asked == 1 { "is" } else { "are" },
    );
    (played != asked)
        .then(|| format!("{games} per pairing {are} rounded up to {played}, so that {why}"))
}

/// What is played in groups of more than two, a line for each such game.
fn groups(plan: &Plan, schedule: &Schedule) -> Vec<String> {
    let is_grouped = plan.design == Some(Design::Rotations);
    let asked = plan.study.games_per_pairing();
    let games = plan
        .games
        .iter()
        .enumerate()
        .filter(|(_, game)| is_grouped && game.seats() > 2);
    let lines = games.map(|(index, game)| {
        let challenger = game.bots.first().filter(|_| plan.study.is_gauntlet());
        let (groups, [least, most]) = schedule.meetings(index, challenger.and_then(|name| plan.bot(name)));
        let who =
            challenger.map_or_else(|| "any two bots meet".to_owned(), |name| format!("{name} meets each other bot"));
        let games = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        let (seats, times) = (game.seats(), count(groups, "time", "times"));
        format!(
            "{}: {times} a group of {seats} plays {seats} games; {who} in {games} games (asked for: {asked})",
            game.id
        )
    });
    lines.collect()
}

/// For each game of a gauntlet, by id, its challenger.
fn challengers(plan: &Plan) -> BTreeMap<String, String> {
    let mut challengers = BTreeMap::new();
    for game in plan.games.iter().filter(|_| plan.study.is_gauntlet()) {
        challengers.extend(game.bots.first().map(|bot| (game.id.clone(), bot.clone())));
    }
    challengers
}
