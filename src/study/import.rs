//! Battles of the site: they are all there, and none is played.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::list::{answers, block};
use super::{Context, Cursor, Finding, Introduction, Live, Next, Study, UNDER_WAY, Verdict, json};
use crate::plan::{Import, Plan};
use crate::play::record::Record;
use crate::standings::{Stop, Tally};
use crate::store::{GameRow, RunMaps};
use arena_games::{Fate, Seat};
use arena_schedule::Fixture;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::text::command_line;
use arena_section::words::{count, percent};
use arena_section::{Part, Section, Sentence, Tone};
use arena_stats::rates::Rate;

/// The battles of an import.
pub(super) struct ImportStudy {
    import: Import,
    cursor: Cursor,
    maps: RunMaps,
    /// The user's games, by game and by what they have in common.
    mine: BTreeMap<(String, Group), Sum>,
}

/// What some games have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Opponent(String),
    Seat(Seat),
    Map(String),
    /// The number of the user's submission on the site.
    Submission(i64),
}

/// Games of the user, added up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) games: u64,
    /// The sum of the scores, with a draw as half. In a game of more than two seats, the score is
    /// the share of the opponents below the user.
    points: f64,
    faults: u64,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
struct MyGames {
    game: String,
    by: &'static str,
    name: String,
    games: u64,
    score: f64,
    lo95: f64,
    hi95: f64,
    faults: u64,
}

impl ImportStudy {
    pub(super) fn new(plan: &Plan, import: &Import) -> ImportStudy {
        ImportStudy {
            import: import.clone(),
            cursor: Cursor::default(),
            maps: RunMaps::of(&plan.games),
            mine: BTreeMap::new(),
        }
    }

    /// Adds a game of the user to its groups.
    fn add(&mut self, row: &GameRow, record: &Record, me: Seat) {
        let mine = &row.seats[me];
        let fault = u64::from(mine.fate != Fate::Ok);
        let (mut points, mut others) = (0.0, 0.0);
        let mut groups = Vec::new();
        for (seat, other) in row.seats.iter().enumerate() {
            if seat != me {
                let own = points_of(mine.place.cmp(&other.place));
                points += own;
                others += 1.0;
                groups.push((Group::Opponent(other.bot.clone()), own));
            }
        }
        let score = if others > 0.0 { points / others } else { 0.5 };
        groups.push((Group::Seat(me), score));
        let map = self.maps.name(row).filter(|map| !map.is_empty());
        groups.extend(map.map(|map| (Group::Map(map), score)));
        let agents = record.battle.as_ref().map(|battle| &battle.agents);
        let agent = agents.and_then(|agents| agents.get(me)?.id);
        groups.extend(agent.map(|agent| (Group::Submission(agent), score)));
        for (group, points) in groups {
            let sum = self.mine.entry((row.game.clone(), group)).or_default();
            sum.add_points(points, fault);
        }
    }

    /// Returns the rows of the table: opponents who beat the user most come first.
    fn rows(&self) -> Vec<MyGames> {
        let mut rows = Vec::new();
        for ((game, group), sum) in &self.mine {
            let (by, name) = match group {
                Group::Opponent(name) => ("opponent", name.clone()),
                Group::Seat(seat) => ("seat", seat.to_string()),
                Group::Map(map) => ("map", map.clone()),
                Group::Submission(agent) => ("submission", agent.to_string()),
            };
            let [score, lo95, hi95] = sum.score();
            let (games, faults) = (sum.games, sum.faults);
            rows.push(MyGames {
                game: game.clone(),
                by,
                name,
                games,
                score,
                lo95,
                hi95,
                faults,
            });
        }
        // The map has the games and the groups in order.
        for alike in rows.chunk_by_mut(|one, next| (&one.game, one.by) == (&next.game, next.by)) {
            if alike[0].by == "opponent" {
                alike.sort_by(|one, other| one.hi95.total_cmp(&other.hi95));
            }
        }
        rows
    }
}

/// Returns the section about the user's opponents.
fn section(me: &str, rows: &[MyGames], seen: &Context<'_>) -> Section {
    let out = seen.out.display().to_string();
    let lost = ["arena", "replay", &out, "--bot", me, "--result", "loss"].map(str::to_owned);
    let mut notes = vec![
        "intervals are exact (Clopper and Pearson); a draw is half a win, which makes them wider"
            .to_owned(),
    ];
    if seen.plan.games.iter().any(|game| game.seats() > 2) {
        notes.push("with more than two seats, the score is the share of opponents below".into());
    }
    notes.push("the lost games".to_owned());
    let seats = rows.iter().filter(|row| row.by == "seat");
    let games = count(seats.map(|row| row.games).sum(), "battle", "battles");
    let lead = Sentence::new(Tone::Plain, me, format!(": {games}"));
    let part = Part {
        notes,
        command: Some(command_line(&lost)),
        ..Part::new("", table(rows))
    };
    Section::new("opponents", "Who beats me?", vec![lead], vec![part])
}

/// Returns the points of the user, given its place beside an opponent's.
fn points_of(place: Ordering) -> f64 {
    match place {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    }
}

impl Sum {
    /// Adds a game, given the user's place beside the opponent's.
    pub(crate) fn add(&mut self, place: Ordering, faults: u64) {
        self.add_points(points_of(place), faults);
    }

    fn add_points(&mut self, points: f64, faults: u64) {
        self.games += 1;
        self.points += points;
        self.faults += faults;
    }

    /// Returns the score with its interval. The interval of whole wins is that of Clopper and
    /// Pearson. If draws leave half a win, each end is the one of the next whole number outwards.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "points are at most the number of games, and not negative"
    )]
    pub(crate) fn score(self) -> [f64; 3] {
        let [floor, ceil] = [self.points.floor() as u64, self.points.ceil() as u64];
        let [lo, hi] = [floor, ceil].map(|points| Rate::new(points, self.games));
        [
            self.points / self.games.max(1) as f64,
            lo.map_or(0.0, |rate| rate.lo95),
            hi.map_or(1.0, |rate| rate.hi95),
        ]
    }
}

fn table(rows: &[MyGames]) -> Table {
    Rows::new("Who beats me?", rows)
        .shown(Kind::Name, "game", |row| &row.game)
        .shown(Kind::Text, "by", |row| row.by)
        .shown(Kind::Name, "name", |row| &row.name)
        .shown(Kind::Number, "games", |row| row.games)
        .shown(Kind::Heat, "score", |row| Cell::shown(row.score, percent))
        .shown(Kind::Text, "95% interval", |row| {
            format!("{} to {}", percent(row.lo95), percent(row.hi95))
        })
        .shown(Kind::Number, "faults", |row| row.faults)
        .note("games in which the bot failed")
        .table()
}

impl Study for ImportStudy {
    fn next(&mut self) -> Next {
        Next::Done
    }

    fn record(&mut self, row: &GameRow, record: &Record) -> Verdict {
        if !self.cursor.record(row.number) {
            return Verdict::Discard;
        }
        let me = self.import.me.as_ref();
        let mine = row.seats.iter().position(|seat| Some(&seat.bot) == me);
        if let Some(seat) = mine {
            self.add(row, record, seat);
        }
        Verdict::KEEP
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        self.import.fixture(number)
    }

    fn has_ended(&self) -> bool {
        true
    }

    fn introduction(&self) -> Introduction {
        Introduction::default()
    }

    fn live(&self, tally: &Tally) -> Live {
        let games = tally.standings(Stop::Watched);
        Live {
            share: None,
            games_left: None,
            blocks: games.iter().map(block).collect(),
        }
    }

    fn finding(&self, seen: &Context<'_>) -> Finding {
        let rows = self.rows();
        let me = self.import.me.as_deref();
        let section = me.map(|me| section(me, &rows, seen));
        Finding {
            answers: answers(seen.games, None),
            sections: section.into_iter().collect(),
            unused: UNDER_WAY.to_owned(),
            data: me.map(|_| ("import", json(&rows))),
            ..Finding::default()
        }
    }
}
