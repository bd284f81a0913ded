//! A sweep under way: games in, and out comes who plays on.
//!
//! It is a function of the games alone. Whether they are counted as they are played or read again from a file, and in
//! whatever order: a block is judged when all of its games are there, after the blocks before.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::plan::{Plan, Sweep, SweepError, SweepMode};
use crate::schedule::{BotId, Schedule, SweepUnit};
use arena_stats::race::{Compared, End, Race, RaceError, against_baseline};
use arena_stats::scores::UnitScores;

/// What is to be done with a game of the full grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It is played.
    Play,
    /// It is not: its variant was dropped before, or the race is over.
    Skip,
    /// A block before is not complete, which decides.
    Wait,
}

/// The games of a sweep, counted.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    sweep: Sweep,
    schedule: Schedule,
    /// The bot of each variant.
    bots: Vec<BotId>,
    race: Race,
    /// For each variant the scores of the blocks that it played.
    played: Vec<Played>,
    /// The games of blocks that are not judged: the points of the variant.
    waiting: BTreeMap<u64, u32>,
    /// The games that the next block to be judged still lacks.
    missing: u64,
    judged: u64,
}

#[derive(Clone, Debug)]
struct Played {
    scores: UnitScores,
    /// Those of the pairs of games against each opponent.
    pairs: Vec<UnitScores>,
}

impl Contest {
    /// The sweep of a plan before its first game; `None` if it has none.
    pub(crate) fn new(plan: &Plan) -> Result<Option<Contest>, SweepError> {
        let (Some(sweep), Some(game)) = (plan.sweep.clone(), plan.games.first()) else { return Ok(None) };
        let seats = game.seats();
        let bots = plan.numbers(sweep.variants.iter().map(|variant| &variant.bot));
        let race = sweep.race(seats)?;
        let scores = UnitScores::new(sweep.parts_per_unit(seats)).map_err(RaceError::from)?;
        let pairs = UnitScores::new(Sweep::parts_per_pair(seats)).map_err(RaceError::from)?;
        let pairs = vec![pairs; sweep.against.len()];
        let played = vec![Played { scores, pairs }; sweep.variants.len()];
        let schedule = plan.schedule();
        let mut contest =
            Contest { sweep, schedule, bots, race, played, waiting: BTreeMap::new(), missing: 0, judged: 0 };
        contest.missing = contest.count_missing();
        Ok(Some(contest))
    }

    /// What is played.
    pub(crate) fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    /// What is to be done with the game of this number, which must be below the length of the schedule.
    pub(crate) fn turn(&self, number: u64) -> Turn {
        let Some(unit) = self.schedule.sweep_unit(number) else { return Turn::Skip };
        if self.sweep.mode == SweepMode::Fixed {
            return Turn::Play;
        }
        let is_in = self.living().contains(&unit.variant);
        match unit.block.cmp(&self.judged) {
            Ordering::Less if unit.seed < self.played[unit.variant].scores.units() => Turn::Play,
            Ordering::Less => Turn::Skip,
            _ if !is_in || self.is_over() => Turn::Skip,
            Ordering::Equal => Turn::Play,
            Ordering::Greater => Turn::Wait,
        }
    }

    /// Counts the game of this number, below the length of the schedule, by the scores of its seats, and judges the blocks
    /// that it makes complete. A game that was counted already, or is not played, changes nothing.
    pub(crate) fn add(&mut self, number: u64, scores: impl Iterator<Item = i32> + Clone) -> Result<(), SweepError> {
        let fixture = self.schedule.fixture(number);
        let Some(SweepUnit { block, variant, .. }) = self.schedule.sweep_unit(number) else { return Ok(()) };
        if block >= self.judged {
            let own = self.bots[variant];
            let seats = fixture.seating.iter().zip(scores);
            let of = |is_own: bool| seats.clone().filter(move |seat| (*seat.0 == own) == is_own).map(|seat| seat.1);
            // 0, 1 or 2 points for each seat of the variant against each of the other.
            let points = of(true).flat_map(|score| of(false).map(move |other| 1 + score.cmp(&other) as i8));
            let points = points.map(|points| u32::from(points.unsigned_abs())).sum();
            if let Entry::Vacant(place) = self.waiting.entry(number) {
                place.insert(points);
                self.missing -= u64::from(block == self.judged && self.living().contains(&variant));
            }
        }
        while self.judge()? {}
        Ok(())
    }

    /// The variants that are still in, in order: the survivors in the end.
    pub(crate) fn living(&self) -> Vec<usize> {
        match self.sweep.mode {
            SweepMode::Race => self.race.living(),
            SweepMode::Fixed => (0..self.played.len()).collect(),
        }
    }

    /// Why it is over, if it is.
    pub(crate) fn end(&self) -> Option<End> {
        match self.sweep.mode {
            SweepMode::Race => self.race.end(),
            SweepMode::Fixed => self.schedule.block(self.judged).is_empty().then_some(End::Units),
        }
    }

    /// The race, for its leader and standings; without a block where all play to the end.
    pub(crate) fn race(&self) -> &Race {
        &self.race
    }

    /// The blocks that are complete and judged.
    pub(crate) fn blocks_judged(&self) -> u64 {
        self.judged
    }

    /// The scores of the units of a variant in the blocks that are judged; `None` if there is no such variant.
    pub(crate) fn scores(&self, variant: usize) -> Option<&UnitScores> {
        self.played.get(variant).map(|played| &played.scores)
    }

    /// The scores of the pairs of games (seats swapped) of a variant against one opponent, in the same blocks; `None` if there
    /// is no such variant or opponent.
    pub(crate) fn scores_against(&self, variant: usize, opponent: usize) -> Option<&UnitScores> {
        self.played.get(variant)?.pairs.get(opponent)
    }

    /// Each variant against the opponents, judged together (Holm); for sweeps in which all play to the end. `None` before
    /// the first block.
    pub(crate) fn compared(&self) -> Option<Vec<Compared>> {
        let scores: Vec<UnitScores> = self.played.iter().map(|played| played.scores.clone()).collect();
        against_baseline(&scores, self.sweep.games_per_unit())
    }

    /// The games that were judged, and those of the full grid.
    pub(crate) fn games(&self) -> (u64, u64) {
        let units: u64 = self.played.iter().map(|played| played.scores.units()).sum();
        (units * u64::from(self.sweep.games_per_unit()), self.schedule.len())
    }

    fn is_over(&self) -> bool {
        self.end().is_some()
    }

    fn count_missing(&self) -> u64 {
        let living = self.living();
        let is_in = |number: u64| self.schedule.sweep_unit(number).is_some_and(|unit| living.contains(&unit.variant));
        let there = self.waiting.range(self.schedule.block(self.judged)).filter(|(number, _)| is_in(**number)).count();
        let units = living.len() as u64 * self.sweep.block;
        units * u64::from(self.sweep.games_per_unit()) - there as u64
    }

    /// Judges the next block if it is complete; whether it was.
    fn judge(&mut self) -> Result<bool, SweepError> {
        if self.missing > 0 || self.is_over() {
            return Ok(false);
        }
        let (numbers, living) = (self.schedule.block(self.judged), self.living());
        let mut units: BTreeMap<(usize, u64), u32> = BTreeMap::new();
        let mut pairs: BTreeMap<(usize, u64, usize), u32> = BTreeMap::new();
        for (&number, &points) in self.waiting.range(numbers.clone()) {
            if let Some(SweepUnit { variant, seed, opponent, .. }) = self.schedule.sweep_unit(number) {
                *units.entry((variant, seed)).or_default() += points;
                *pairs.entry((variant, seed, opponent)).or_default() += points;
            }
        }
        let of = |&variant: &usize| units.range((variant, 0)..=(variant, u64::MAX)).map(|(_, &score)| score).collect();
        let block: Vec<Vec<u32>> = living.iter().map(of).collect();
        if self.sweep.mode == SweepMode::Race {
            self.race.add(&block)?;
        }
        for (&variant, scores) in living.iter().zip(block) {
            let played = &mut self.played[variant];
            for score in scores {
                played.scores.add(score, 1).map_err(RaceError::from)?;
            }
            for (&(.., opponent), &score) in pairs.range((variant, 0, 0)..(variant + 1, 0, 0)) {
                played.pairs[opponent].add(score, 1).map_err(RaceError::from)?;
            }
        }
        self.waiting = self.waiting.split_off(&numbers.end);
        self.judged += 1;
        self.missing = self.count_missing();
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{PlannedGame, Variant};
    use crate::play::Clock;
    use crate::process::{Launch, Mode};
    use crate::schedule::{Design, Fixture, Format};

    fn plan(mode: SweepMode, seats: usize, against: &[usize]) -> Plan {
        let bot = |number: usize| Launch {
            name: number.to_string(),
            command: vec!["sh".into()],
            env: BTreeMap::new(),
            read: Vec::new(),
        };
        let sweep = Sweep {
            bot: "search".into(),
            parameters: Vec::new(),
            against: against.iter().map(ToString::to_string).collect(),
            mode,
            block: 8,
            max_units: 160,
            alpha: 0.05,
            indifference: None,
            variants: ["1", "2", "3"].map(|bot| Variant { bot: bot.into(), values: BTreeMap::new() }).to_vec(),
        };
        let id = if seats == 2 { "onitama" } else { "kutulu" };
        let game = PlannedGame {
            id: id.into(),
            clock: Clock::of(&arena_games::onitama::spec()),
            opening_plies: 0,
            seats: None,
            options: arena_games::Options::new(),
            spec: arena_games::Games::standard().find(id).cloned(),
            bots: (0..5).map(|number| number.to_string()).collect(),
        };
        Plan {
            name: "sweep".into(),
            format: Format::Sweep,
            design: Some(Design::Mirror),
            seed: 7,
            games_per_pairing: 320,
            trace: false,
            sandbox: Mode::Auto,
            memory_mb: 768,
            sprt: None,
            sweep: Some(sweep),
            games: vec![game],
            bots: (0..5).map(bot).collect(),
        }
    }

    fn contest(mode: SweepMode, seats: usize, against: &[usize]) -> Contest {
        Contest::new(&plan(mode, seats, against)).unwrap().unwrap()
    }

    /// Bots 1 and 3 win half of their games, the rest is lost.
    fn scores(fixture: &Fixture) -> std::vec::IntoIter<i32> {
        let good = fixture.seed.rem_euclid(2) == 0;
        fixture
            .seating
            .iter()
            .map(|&bot| {
                if bot == 2 {
                    0
                } else if bot == 0 || bot > 3 {
                    1
                } else if good {
                    2
                } else {
                    0
                }
            })
            .collect::<Vec<i32>>()
            .into_iter()
    }

    /// Plays all games whose turn it is, in order; the numbers of those played.
    fn played(contest: &mut Contest) -> Vec<u64> {
        let mut numbers = Vec::new();
        for number in 0..contest.schedule.len() {
            match contest.turn(number) {
                Turn::Wait => panic!("all before were played: {number}"),
                Turn::Skip => {}
                Turn::Play => {
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
            let mut contest = contest(SweepMode::Race, seats, against);
            let numbers = played(&mut contest);
            assert_eq!((contest.end(), contest.living()), (Some(End::Units), vec![0, 2]), "{seats} {against:?}");
            let standing = contest.race().standing(1).unwrap();
            let units = standing.dropped.unwrap().units;
            assert!((8..160).contains(&units) && standing.elo.units == units && standing.elo.score == 0.0);
            let of_loser = |number: &&u64| contest.schedule.sweep_unit(**number).unwrap().variant == 1;
            let games = numbers.iter().filter(of_loser).count() as u64;
            assert_eq!(games, units * 2 * against.len() as u64);
            assert_eq!(contest.games(), (numbers.len() as u64, 3 * 160 * 2 * against.len() as u64));
            let all = contest.scores(0).unwrap();
            assert_eq!((all, all.units()), (contest.scores(2).unwrap(), 160));
        }
    }

    /// The order in which games end decides nothing, and neither does a second reading.
    #[test]
    fn the_order_of_games_does_not_matter() {
        let mut in_order = contest(SweepMode::Race, 2, &[0]);
        let mut numbers = played(&mut in_order);
        let told = |contest: &Contest| format!("{:?} {:?}", contest.race(), contest.played);
        numbers.reverse();
        for step in [1, 7, 53] {
            let mut shuffled = contest(SweepMode::Race, 2, &[0]);
            for at in 0..step {
                for &number in numbers.iter().skip(at).step_by(step) {
                    shuffled.add(number, scores(&in_order.schedule.fixture(number))).unwrap();
                }
            }
            assert_eq!(told(&shuffled), told(&in_order), "every {step}th game");
            let turns = (0..in_order.schedule.len()).filter(|&number| shuffled.turn(number) == Turn::Play);
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            assert_eq!(turns.collect::<Vec<_>>(), sorted, "it is known afterwards what was played");
            shuffled.add(0, [9, 0].into_iter()).unwrap();
            assert_eq!(told(&shuffled), told(&in_order), "a game is counted once");
            let all = (0..in_order.schedule.len()).rev();
            let mut full = contest(SweepMode::Race, 2, &[0]);
            all.for_each(|number| full.add(number, scores(&in_order.schedule.fixture(number))).unwrap());
            assert_eq!(told(&full), told(&in_order), "games that nobody asked for count nothing");
            assert_eq!(told(&shuffled), told(&in_order));
        }
    }

    #[test]
    fn nobody_plays_ahead_of_a_judgement() {
        let mut race = contest(SweepMode::Race, 2, &[0]);
        let block = race.schedule.block(0);
        assert_eq!(
            [race.turn(0), race.turn(block.end - 1), race.turn(block.end)],
            [Turn::Play, Turn::Play, Turn::Wait]
        );
        for number in block.clone() {
            assert_eq!(race.blocks_judged(), 0);
            race.add(number, scores(&race.schedule.fixture(number))).unwrap();
        }
        assert_eq!(race.blocks_judged(), 1);
        assert_eq!(race.turn(block.end), Turn::Play);
        let fixed = contest(SweepMode::Fixed, 2, &[0]);
        assert_eq!(fixed.turn(fixed.schedule.len() - 1), Turn::Play);
    }

    #[test]
    fn in_a_fixed_grid_all_play_to_the_end() {
        let mut contest = contest(SweepMode::Fixed, 4, &[0]);
        assert_eq!(contest.compared(), None);
        assert_eq!(played(&mut contest).len() as u64, contest.schedule.len());
        assert_eq!((contest.end(), contest.living().len()), (Some(End::Units), 3));
        let compared = contest.compared().unwrap();
        let verdicts: Vec<String> = compared.iter().map(|variant| variant.verdict.to_string()).collect();
        assert_eq!(verdicts, ["open", "weaker", "open"]);
    }
}
