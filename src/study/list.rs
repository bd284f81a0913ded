//! A list of games that is known beforehand: a match, a round robin or a gauntlet.

use std::cmp::Ordering;

use super::{
    Context, Cursor, Ended, Finding, Introduction, Live, LiveBlock, MORE_AFTER_A_LOOK, Next,
    Outcome, Study, UNDER_WAY, Verdict, failures, nothing_measured,
};
use crate::plan::{Plan, PlannedGame};
use crate::results::{GameResult, Match, Rule, Stop, Unfit};
use crate::standings::tables::{headline, in_force, live_table, strength};
use crate::standings::{BotSummary, Game, Tally};
use arena_schedule::{Design, Fixture, Schedule};
use arena_section::Sentence;
use arena_section::words::{count, percent};
use arena_stats::estimate::{Claim, MIN_UNITS_FOR_CLAIM};
use arena_stats::stopping::Stopping;

mod precision;

/// A list of games. All of them are played, with two exceptions. A match of two bots ends if one
/// fails in most of the first units. A match with a rule also ends when it has shown enough.
pub(super) struct ListStudy {
    schedule: Schedule,
    cursor: Cursor,
    /// The match, if two bots play the only game.
    two: Option<Match>,
    /// When a match ends, and how often bots meet, if there are more than two or it isn't what was
    /// asked for.
    meetings: Vec<String>,
    /// Whether every game has just two bots, whose interval holds at every look.
    has_pairs_only: bool,
}

impl ListStudy {
    pub(super) fn new(plan: &Plan) -> ListStudy {
        let schedule = plan.schedule();
        let has_pairs_only = plan.games.iter().all(|game| game.bots.len() == 2);
        let rule = match plan.study.stopping() {
            Some(rule) => Rule::Stopping(rule),
            None => Rule::Length,
        };
        let mut study = ListStudy {
            cursor: Cursor::default(),
            two: Match::new(plan, |_| rule).filter(|_| has_pairs_only),
            meetings: Vec::new(),
            has_pairs_only,
            schedule,
        };
        let mut meetings = match study.rule() {
            Some((rule, bots)) => precision::question(rule, bots),
            None => Vec::new(),
        };
        meetings.extend(rounded_up(plan).or_else(|| games_of_each(plan)));
        meetings.extend(groups(plan, &study.schedule));
        study.meetings = meetings;
        study
    }

    /// The rule of a match that its results end, and its bots.
    fn rule(&self) -> Option<(&Stopping, &[String; 2])> {
        let two = self.two.as_ref()?;
        match &two.rule {
            Rule::Stopping(rule) => Some((rule, &two.bots)),
            Rule::Length | Rule::Test { .. } => None,
        }
    }

    /// Why the match has ended after so many games, if its rule decides that.
    fn ended(&self, games: u64) -> Option<Ended> {
        let (rule, bots) = self.rule()?;
        precision::ended(rule, bots, games, self.schedule.len())
    }
}

impl Study for ListStudy {
    fn next(&mut self) -> Next {
        if self.has_ended() {
            return Next::Done;
        }
        self.cursor.next_in(&self.schedule)
    }

    fn record(&mut self, result: &GameResult) -> Result<Verdict, Unfit> {
        let number = result.number;
        // A gap that --resume fills may end a match that has later games already. They stay.
        let is_late = self.has_ended() && (self.is_sequential() || self.cursor.has_passed(number));
        if is_late || !self.cursor.record(number) {
            return Ok(Verdict::Discard);
        }
        if let Some(two) = &mut self.two {
            two.add(result)?;
        }
        Ok(Verdict::KEEP)
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        (number < self.schedule.len()).then(|| self.schedule.fixture(number))
    }

    /// Returns true if a match has shown enough, or if a bot failed too often for it to continue.
    fn has_ended(&self) -> bool {
        matches!(&self.two, Some(two) if two.has_ended())
    }

    fn is_sequential(&self) -> bool {
        self.rule().is_some()
    }

    fn stop(&self) -> Option<Stop> {
        self.two.as_ref()?.stop()
    }

    fn introduction(&self) -> Introduction {
        Introduction {
            question: self.meetings.clone(),
            may_end_early: self.is_sequential(),
            extension: if self.has_pairs_only {
                "more games after a look: the interval shown is the one that holds at every look"
            } else {
                MORE_AFTER_A_LOOK
            },
        }
    }

    fn live(&self, tally: &Tally) -> Live {
        let (mut blocks, mut share, mut games_left) = (Vec::new(), None, None);
        for game in tally.standings(&Stop::Watched) {
            let mut block = block(&game);
            if let Some((rule, bots)) = self.rule() {
                let left = precision::left(rule, bots, &game, self.schedule.len());
                block.line = [block.line.as_str(), &left.words].join(", ");
                (share, games_left) = (Some(left.share), left.games);
            }
            blocks.push(block);
        }
        Live {
            share,
            games_left,
            blocks,
        }
    }

    fn finding(&self, seen: &Context<'_>) -> Finding {
        let failed = self.two.as_ref().map(Match::failed).unwrap_or_default();
        let nothing = nothing_measured(&failed, seen.games);
        let outcome = match nothing {
            Some(_) => Outcome::NothingMeasured,
            None if seen.games.iter().all(|game| game.units == 0) => Outcome::Undecided,
            // A gauntlet is about places, not about which of two bots is stronger.
            None if seen.plan.study.is_gauntlet() => Outcome::Answered,
            None if seen.games.iter().any(has_no_verdict) => Outcome::Undecided,
            None => Outcome::Answered,
        };
        let is_open = outcome != Outcome::Answered;
        let ended = self.ended(seen.games.iter().map(|game| game.games).sum());
        let answers = match nothing {
            Some(nothing) => vec![nothing],
            None => answers(seen.games, ended.as_ref()),
        };
        Finding {
            answers,
            outcome,
            case: is_open.then(|| ["match", "verdict"].map(str::to_owned)),
            title: seen.duel(),
            failed,
            unused: UNDER_WAY.to_owned(),
            ended,
            ..Finding::default()
        }
    }
}

/// Whether two bots have too few units to say which is stronger, or play alike in enough of them.
fn has_no_verdict(game: &Game) -> bool {
    if game.same_moves {
        return game.units >= MIN_UNITS_FOR_CLAIM;
    }
    matches!(game.pair(), Some(pair) if pair.met.by.claim() == Claim::NoVerdict)
}

/// Whether two bots may be equally strong.
fn is_open(game: &Game) -> bool {
    let equal = Claim::Compared(Ordering::Equal);
    matches!(game.pair(), Some(pair) if pair.met.by.claim() == equal) && !game.same_moves
}

/// How much stronger the first of two bots is in each game, or which bot is first. If that stays
/// open, the reason for the end follows.
pub(crate) fn answers(games: &[Game], ended: Option<&Ended>) -> Vec<Sentence> {
    let mut answers = Vec::new();
    for game in games {
        if let Some(mut answer) = headline(game) {
            if games.len() > 1 {
                answer.subject.insert_str(0, &format!("{}: ", game.title));
            }
            if let Some(Ended { why, .. }) = ended
                && is_open(game)
            {
                answer.rest = [answer.rest.as_str(), why].join("; ");
            }
            answer.rest += &failures([game]);
            answers.push(answer);
        }
    }
    answers
}

/// The state of a game: the standings of more than two bots, with a line in case they have no room.
pub(crate) fn block(game: &Game) -> LiveBlock {
    let game = &so_far(game);
    let line = line_of(game);
    if game.bots.len() < 3 {
        return LiveBlock::line(line);
    }
    LiveBlock {
        line,
        title: format!("{}: {}", game.title, count(game.games, "game", "games")),
        table: Some(live_table(game)),
        below: headline(game).map_or_else(String::new, |first| format!("so far {first}")),
    }
}

/// The game with those of its bots that have played. A few games that a bot won or lost say less
/// than any rating, so bots without one come last.
fn so_far(game: &Game) -> Game {
    let mut game = game.clone();
    let challenger = game.challenger.map(|at| game.bots[at].name.clone());
    game.bots.retain(|bot| bot.games > 0);
    game.bots.sort_by_key(|bot| bot.elo.is_none());
    let key = |bot: &BotSummary| (bot.elo.is_none(), bot.rank);
    let mut rank = 1;
    for level in game.bots.chunk_by_mut(|one, next| key(one) == key(next)) {
        let next = rank + level.len();
        for bot in level {
            bot.rank = rank;
        }
        rank = next;
    }
    let mut bots = game.bots.iter();
    game.challenger = bots.position(|bot| Some(&bot.name) == challenger.as_ref());
    game
}

/// The state of a game in a line: the match of two bots, or the rating of the challenger or the
/// leader.
fn line_of(game: &Game) -> String {
    let title = &game.title;
    if let Some(pair) = game.pair() {
        let (first, second, results) = (&pair.first, &pair.second, pair.results);
        let value = in_force(&pair.met.by);
        return format!("{title}: {first} against {second}: {value}, W-D-L {results}");
    }
    let Some(bot) = game.bots.get(game.challenger.unwrap_or_default()) else {
        return title.clone();
    };
    let results = if game.shows_places() {
        let [place, firsts] = [bot.mean_place, bot.firsts].map(Option::unwrap_or_default);
        format!("place {place:.2}, first in {}", percent(firsts))
    } else {
        format!("W-D-L {}", bot.results)
    };
    format!("{title}: {} {}, {results}", bot.name, strength(bot, game))
}

/// How many games any two bots play, if there are more than two and no groups of them.
fn games_of_each(plan: &Plan) -> Option<String> {
    let has_pairings = plan.games.iter().any(|game| game.bots.len() > 2);
    if !has_pairings || plan.design == Some(Design::Rotations) {
        return None;
    }
    let games = plan.games_in_pairs();
    Some(count(games, "game per pairing", "games per pairing"))
}

/// What is played in pairs that swap seats, if that isn't what was asked for.
fn rounded_up(plan: &Plan) -> Option<String> {
    let (asked, played) = (plan.study.games_per_pairing(), plan.games_in_pairs());
    let most_seats = plan
        .games
        .iter()
        .map(PlannedGame::seats)
        .filter(|seats| *seats == 2 || plan.design == Some(Design::Mirror))
        .max()?;
    let why = match most_seats {
        _ if played == asked => return None,
        1 | 2 => "both bots move first equally often",
        _ => "both bots play in every seat equally often",
    };
    let games = count(asked, "game per pairing is", "games per pairing are");
    Some(format!("{games} rounded up to {played}, so that {why}"))
}

/// What is played in groups of more than two, a line for each such game.
fn groups(plan: &Plan, schedule: &Schedule) -> Vec<String> {
    let asked = plan.study.games_per_pairing();
    let mut lines = Vec::new();
    for (index, game) in plan.games.iter().enumerate() {
        let seats = game.seats();
        if plan.design != Some(Design::Rotations) || seats <= 2 {
            continue;
        }
        let (challenger, who) = match game.bots.first() {
            Some(name) if plan.study.is_gauntlet() => {
                (plan.bot(name), format!("{name} meets each other bot"))
            }
            _ => (None, "any two bots meet".to_owned()),
        };
        let (groups, [least, most]) = schedule.meetings(index, challenger);
        let games = if least == most {
            format!("{least}")
        } else {
            format!("{least} to {most}")
        };
        lines.push(format!(
            "{}: {} a group of {seats} plays {seats} games; {who} in {games} games (asked for: {asked})",
            game.id,
            count(groups, "time", "times")
        ));
    }
    lines
}

#[cfg(test)]
mod tests;
