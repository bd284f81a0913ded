//! Counts the games of a sweep and decides which variants play on.
//!
//! The order of the games in a block doesn't matter: the block is judged once all of them are
//! counted. Games of the next block count after that.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::plan::{Plan, Sweep};
use crate::results::{Compared, unit_points};
use crate::study::Cursor;
use arena_schedule::{Schedule, UnitDesign};
use arena_stats::StatsError;
use arena_stats::race::Race;
use arena_stats::scores::UnitScores;

/// Whether a game of the full grid is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Play,
    /// Not played: its variant was dropped, or the race is over.
    Skip,
    /// Not known yet: an earlier block decides, and it is incomplete.
    Wait,
}

/// A race of variants: its games, counted. A variant that is significantly worse than the leader
/// plays no further blocks.
#[derive(Debug)]
pub(in crate::study) struct Contest {
    pub(super) cursor: Cursor,
    pub(super) sweep: Sweep,
    pub(super) schedule: Schedule,
    pub(super) race: Race,
    /// The scores of pairs of games in judged blocks, by variant and opponent.
    pub(super) pairs: Vec<Vec<UnitScores>>,
    /// The games so far of the next block, by number.
    pub(super) block: BTreeMap<u64, Compared>,
    pub(super) design: UnitDesign,
}

impl Contest {
    /// The sweep of a plan before its first game.
    pub(in crate::study) fn new(plan: &Plan, sweep: &Sweep) -> Result<Contest, StatsError> {
        let design = UnitDesign::swapped(plan.seats());
        let pairs = vec![UnitScores::new(2 * design.full_points()); sweep.against.len()];
        Ok(Contest {
            cursor: Cursor::default(),
            race: sweep.race(plan.seats())?,
            sweep: sweep.clone(),
            schedule: plan.schedule(),
            pairs: vec![pairs; sweep.variants.len()],
            block: BTreeMap::new(),
            design,
        })
    }

    /// Returns whether a game is played. Its number must be below the length of the schedule.
    pub(super) fn status(&self, number: u64) -> Status {
        let Some(unit) = self.schedule.panel_unit(number) else {
            return Status::Skip;
        };
        let is_in = self.race.remaining().contains(&unit.variant);
        match unit.block.cmp(&self.blocks_judged()) {
            Ordering::Less if unit.seed < self.race.scores(unit.variant).units() => Status::Play,
            Ordering::Less => Status::Skip,
            _ if !is_in || self.race.end().is_some() => Status::Skip,
            Ordering::Equal => Status::Play,
            Ordering::Greater => Status::Wait,
        }
    }

    /// Counts a game of the next block, and judges the block once it is complete. Its number must
    /// be below the length of the schedule. A game that was counted already, or isn't played,
    /// changes nothing.
    pub(super) fn add(&mut self, number: u64, game: Compared) -> Result<(), StatsError> {
        let unit = self.schedule.panel_unit(number);
        let is_due = matches!(unit, Some(unit) if unit.block == self.blocks_judged());
        if !is_due || self.status(number) != Status::Play {
            return Ok(());
        }
        self.block.entry(number).or_insert(game);
        let units = self.race.remaining().len() as u64 * self.sweep.block;
        if self.block.len() as u64 == units * u64::from(self.sweep.games_per_unit()) {
            self.judge()?;
        }
        Ok(())
    }

    /// Returns the number of judged blocks.
    pub(super) fn blocks_judged(&self) -> u64 {
        self.race.units() / self.sweep.block
    }

    /// Returns the number of judged games, and that of the full grid.
    pub(super) fn games(&self) -> (u64, u64) {
        let units: u64 = (0..self.pairs.len())
            .map(|variant| self.race.scores(variant).units())
            .sum();
        let games = units * u64::from(self.sweep.games_per_unit());
        (games, self.schedule.len())
    }

    /// Counts the games of the next block. In their order, those of a variant against an opponent
    /// on a seed follow each other.
    fn judge(&mut self) -> Result<(), StatsError> {
        let block = Vec::from_iter(std::mem::take(&mut self.block));
        let mut scores: BTreeMap<usize, BTreeMap<u64, u32>> = BTreeMap::new();
        for pair in block.chunks(2) {
            let number = pair[0].0;
            let variant = self.schedule.fixture(number).variant;
            let (Some(unit), Some([own, _])) = (self.schedule.panel_unit(number), variant) else {
                continue;
            };
            let games: Vec<Compared> = pair.iter().map(|(_, game)| game.clone()).collect();
            let points = unit_points(&games, own);
            let of_variant = scores.entry(unit.variant).or_default();
            *of_variant.entry(unit.seed).or_default() += points;
            self.pairs[unit.variant][unit.opponent].add(points, 1)?;
        }
        let scores = scores.into_values();
        let scores = scores.map(|of_seeds| of_seeds.into_values().collect());
        self.race.add(&scores.collect::<Vec<Vec<u32>>>())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::SweepSummary;
    use super::super::words;
    use super::*;
    use crate::plan::{StudyPlan, Variant};
    use arena_process::Launch;
    use arena_schedule::{Design, Fixture};
    use arena_stats::race::End;

    fn plan(seats: usize, against: &[usize]) -> Plan {
        let bot = |number: usize| Launch {
            name: number.to_string(),
            ..Launch::default()
        };
        let sweep = Sweep {
            bot: "search".into(),
            parameters: Vec::new(),
            against: against.iter().map(ToString::to_string).collect(),
            block: 8,
            max_units: 160,
            alpha: 0.05,
            indifference: None,
            variants: ["1", "2", "3"]
                .map(|bot| Variant {
                    bot: bot.into(),
                    values: BTreeMap::new(),
                })
                .to_vec(),
        };
        let id = if seats == 2 { "onitama" } else { "kutulu" };
        let mut planned = crate::report::tests::report("x").plan;
        planned.games.truncate(1);
        planned.games[0].id = id.into();
        planned.games[0].bots = (0..5).map(|number| number.to_string()).collect();
        planned.look_up(&arena_games::Games::standard());
        Plan {
            design: Some(Design::Mirror),
            seed: 7,
            study: StudyPlan::Sweep(sweep),
            bots: (0..5).map(bot).collect(),
            ..planned
        }
    }

    fn contest(seats: usize, against: &[usize]) -> Contest {
        let plan = plan(seats, against);
        let StudyPlan::Sweep(sweep) = &plan.study else {
            panic!("no sweep")
        };
        Contest::new(&plan, sweep).unwrap()
    }

    /// Bots 1 and 3 win half of their games, the rest is lost.
    fn scores(fixture: &Fixture) -> Compared {
        let mut scores = Vec::new();
        for bot in &fixture.seating {
            scores.push(match bot {
                0 | 4 => 1,
                1 | 3 if fixture.seed.rem_euclid(2) == 0 => 2,
                _ => 0,
            });
        }
        Compared::scored(fixture.seating.clone(), scores)
    }

    /// Plays all games whose turn it is, in order; the numbers of those played.
    fn played(contest: &mut Contest) -> Vec<u64> {
        let mut numbers = Vec::new();
        for number in 0..contest.schedule.len() {
            match contest.status(number) {
                Status::Wait => panic!("all before were played: {number}"),
                Status::Skip => {}
                Status::Play => {
                    numbers.push(number);
                    let scores = scores(&contest.schedule.fixture(number));
                    contest.add(number, scores).unwrap();
                }
            }
        }
        numbers
    }

    #[test]
    fn a_dropped_variant_plays_no_more() {
        for (seats, against) in [(2, &[0][..]), (2, &[0, 4]), (4, &[0])] {
            let mut contest = contest(seats, against);
            let numbers = played(&mut contest);
            assert_eq!(
                (contest.race.end(), contest.race.remaining()),
                (Some(End::Units), vec![0, 2]),
                "{seats} {against:?}"
            );
            let standing = contest.race.standing(1).unwrap();
            let units = standing.dropped_after.unwrap();
            assert!(
                (8..160).contains(&units)
                    && standing.elo.units == units
                    && standing.elo.score == 0.0
            );
            let variant = |number: &u64| contest.schedule.panel_unit(*number).unwrap().variant;
            let games = numbers.iter().filter(|number| variant(number) == 1).count() as u64;
            assert_eq!(games, units * 2 * against.len() as u64);
            assert_eq!(
                contest.games(),
                (numbers.len() as u64, 3 * 160 * 2 * against.len() as u64)
            );
            let all = contest.race.scores(0);
            assert_eq!((all, all.units()), (contest.race.scores(2), 160));
        }
    }

    /// Neither the order of the games nor a second reading changes the result.
    #[test]
    fn the_order_of_games_does_not_matter() {
        let mut in_order = contest(2, &[0]);
        let numbers = played(&mut in_order);
        let block = |number: u64| in_order.schedule.panel_unit(number).unwrap().block;
        let told = |contest: &Contest| format!("{:?} {:?}", contest.race, contest.pairs);
        for step in [1, 7, 31] {
            let mut shuffled = contest(2, &[0]);
            for games in numbers.chunk_by(|&one, &next| block(one) == block(next)) {
                for at in 0..step {
                    for &number in games.iter().rev().skip(at).step_by(step) {
                        shuffled
                            .add(number, scores(&in_order.schedule.fixture(number)))
                            .unwrap();
                    }
                }
            }
            assert_eq!(told(&shuffled), told(&in_order), "every {step}th game");
            let turns = (0..in_order.schedule.len())
                .filter(|&number| shuffled.status(number) == Status::Play);
            assert_eq!(
                turns.collect::<Vec<_>>(),
                numbers,
                "it is known afterwards what was played"
            );
            shuffled
                .add(0, Compared::scored(vec![1, 0], vec![9, 0]))
                .unwrap();
            assert_eq!(told(&shuffled), told(&in_order), "a game is counted once");
            let mut full = contest(2, &[0]);
            for number in 0..in_order.schedule.len() {
                full.add(number, scores(&in_order.schedule.fixture(number)))
                    .unwrap();
            }
            let outside = "games outside the schedule do not count";
            assert_eq!(told(&full), told(&in_order), "{outside}");
        }
    }

    /// A reader of a pipe sees it while the first block is played, however long that takes.
    #[test]
    fn every_game_moves_the_progress() {
        for (seats, against, units) in [
            (2, &[0][..], ["0.17", "0.33", "3"]),
            (2, &[0, 4], ["0.08", "0.17", "1.5"]),
            (4, &[0], ["0.17", "0.33", "3"]),
        ] {
            let mut contest = contest(seats, against);
            let mut said = Vec::new();
            for number in 0..18 {
                contest
                    .add(number, scores(&contest.schedule.fixture(number)))
                    .unwrap();
                said.push(words::standing(&SweepSummary::of(&contest)));
            }
            let first = format!(" {} units of 160 at most, 0.1% of", units[0]);
            assert!(said[0].contains(&first), "{}", said[0]);
            for (line, units) in [(1, units[1]), (17, units[2])] {
                assert!(
                    said[line].contains(&format!(" {units} units")),
                    "{}",
                    said[line]
                );
            }
            said.dedup();
            assert_eq!(said.len(), 18, "{said:?}");
            assert_eq!(contest.blocks_judged(), 0);
        }
    }

    #[test]
    fn nothing_is_played_after_the_end_of_a_race() {
        let mut race = contest(2, &[0]);
        for number in 0..race.schedule.len() {
            let seating = race.schedule.fixture(number).seating;
            let points = seating.iter().map(|bot| [1, 2, 0, 0][*bot]).collect();
            race.add(number, Compared::scored(seating, points)).unwrap();
        }
        assert_eq!(race.race.end(), Some(End::One));
        let is_played = |number: &u64| race.status(*number) == Status::Play;
        let played = (0..race.schedule.len()).filter(is_played).count();
        assert_eq!(played as u64, race.games().0);
    }

    #[test]
    fn nobody_plays_ahead_of_a_judgement() {
        let mut race = contest(2, &[0]);
        // Three variants on eight seeds, with two games each.
        let end = 48;
        assert_eq!(
            [race.status(0), race.status(end - 1), race.status(end)],
            [Status::Play, Status::Play, Status::Wait]
        );
        for number in 0..end {
            assert_eq!(race.blocks_judged(), 0);
            race.add(number, scores(&race.schedule.fixture(number)))
                .unwrap();
        }
        assert_eq!(race.blocks_judged(), 1);
        assert_eq!(race.status(end), Status::Play);
    }
}
