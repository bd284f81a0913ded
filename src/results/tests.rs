//! Results written by hand. A line is a game: its unit, its seed, the bots by seat and their
//! scores, as in `1 7 a b 1-0`. A number after that stands for its moves.

use std::collections::BTreeMap;
use std::ops::Range;

use arena_games::{Fate, Games, Reason};
use arena_stats::estimate::Holds;
use arena_stats::ratings::{Mark, Settings};
use serde_json::json;

use super::*;
use crate::plan::Plan;

impl Compared {
    /// A game of these bots with these values, by seat, and nothing else.
    pub(crate) fn scored(bots: Vec<usize>, values: Vec<i128>) -> Compared {
        Compared {
            bots,
            values,
            ..Compared::default()
        }
    }
}

/// A round-robin among these bots.
pub(crate) fn plan(game: &str, bots: &[&str], design: &str, same_seeds: bool) -> Plan {
    let mut launches = Vec::new();
    for bot in bots {
        launches.push(json!({"name": bot, "command": [bot]}));
    }
    let mut plan: Plan = serde_json::from_value(json!({
        "name": "by hand",
        "seed": "1",
        "trace": false,
        "design": design,
        "study": {"kind": "list", "format": "round-robin", "games_per_pairing": 2, "same_seeds": same_seeds},
        "game": [{
            "id": game, "turn_ms": 100, "first_turn_ms": 100, "startup_ms": 100, "no_ponder": true,
            "rules": "strict", "opening_plies": 0, "bots": bots,
        }],
        "bot": launches,
    }))
    .unwrap();
    plan.look_up(&Games::standard());
    plan.check().unwrap();
    plan
}

fn of_two() -> Plan {
    plan("minishogi", &["new", "old"], "rotations", false)
}

pub(crate) fn result(game: &str, number: u64, line: &str) -> GameResult {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    let seats = words[2..].iter().position(is_number).unwrap();
    let (bots, rest) = words[2..].split_at(seats);
    let scores: Vec<i64> = rest[0]
        .split('-')
        .map(|score| score.parse().unwrap())
        .collect();
    let mut seats = Vec::new();
    for (&bot, &score) in bots.iter().zip(&scores) {
        seats.push(SeatResult {
            bot: bot.to_owned(),
            score,
            place: 1 + scores.iter().filter(|other| **other > score).count(),
            fate: Fate::Ok,
        });
    }
    GameResult {
        number,
        unit: words[0].parse().unwrap(),
        game: game.to_owned(),
        seed: words[1].parse().unwrap(),
        reason: Reason::MaxRounds.to_string(),
        turns: 1,
        moves: rest.get(1).map(|moves| moves.parse().unwrap()),
        lower_is_better: false,
        seats,
    }
}

/// Runs that played all their games. No two have the same play.
fn union(runs: &[(&Plan, &[String])]) -> Union {
    let mut sources = Vec::new();
    for (run, (_, lines)) in runs.iter().enumerate() {
        let programs = (BTreeMap::new(), Vec::new());
        sources.push(Source::new(run.to_string(), lines.len() as u64, programs));
    }
    let mut union = Union::new(sources, false);
    for (run, (plan, lines)) in runs.iter().enumerate() {
        union.begin_run(run, plan);
        for (number, line) in (0..).zip(*lines) {
            let record = format!(r#""game":"{number} of {run}""#);
            let result = result(&plan.games[0].id, number, line);
            union.add(&result, record.as_bytes()).unwrap();
        }
        union.end_run(lines.len() as u64, Stop::Announced);
    }
    union.finish();
    union
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// `new` against `old` in runs of two bots.
fn pair(runs: &[&[String]]) -> Pair {
    let plan = of_two();
    let runs = runs.iter().map(|lines| (&plan, *lines));
    let names = ["new", "old"].map(str::to_owned);
    union(&runs.collect::<Vec<_>>())
        .between(Some(&names))
        .unwrap()
}

fn table(field: &Field, stop: &Stop) -> Table {
    let bots: Vec<usize> = (0..field.count.bots.len()).collect();
    let settings = Settings::new(field.count.design.games_per_unit);
    field.count.table(&bots, settings, stop).unwrap()
}

/// The number of a bot.
fn number(field: &Field, name: &str) -> usize {
    let mut bots = field.count.bots.iter();
    bots.position(|bot| bot.name == name).unwrap()
}

#[test]
fn units_of_different_runs_are_not_joined() {
    let of = |text: &str| (of_two(), lines(text));
    let [one, two] = ["0 7 new old 1-0", "0 7 old new 0-1"].map(of);
    let apart = union(&[(&one.0, &one.1), (&two.0, &two.1)]);
    let count = &apart.fields[0].count;
    assert_eq!((count.units(), count.incomplete_units()), (0, 2));
    assert!(apart.between(None).is_err());
    let both = [one.1, two.1].concat();
    let together = union(&[(&one.0, &both)]);
    let count = &together.fields[0].count;
    assert_eq!((count.units(), count.incomplete_units()), (1, 0));
}

/// Units of every two of the bots a, b and c. Seeds favour b, or a and c.
fn lucky(seed: impl Fn(u64, u64) -> u64) -> Vec<String> {
    let mut lines = Vec::new();
    let meetings = [["a", "b"], ["b", "c"], ["c", "a"]];
    let cycles = (0..40).flat_map(|cycle| meetings.map(|bots| (cycle, bots)));
    for (unit, (cycle, [one, other])) in (0..).zip(cycles) {
        let is_lucky = |bot: &str| (bot == "b") == (cycle % 2 == 0);
        for [one, other] in [[one, other], [other, one]] {
            // Bots that are as lucky win a game each, moving first.
            let scores = match (is_lucky(one), is_lucky(other)) {
                (false, true) => "0-1",
                _ => "1-0",
            };
            let seed = seed(unit, cycle);
            lines.push(format!("{unit} {seed} {one} {other} {scores}"));
        }
    }
    lines
}

/// A lucky seed is lucky in all its games, so there are 40 observations of b, not 80.
#[test]
fn units_of_different_bots_on_one_seed_share_its_luck() {
    let plan = plan("onitama", &["a", "b", "c"], "rotations", true);
    let rated = |seed: fn(u64, u64) -> u64| {
        let union = union(&[(&plan, &lucky(seed))]);
        let field = &union.fields[0];
        let table = table(field, &Stop::Announced);
        let [lo, hi] = table.ends(number(field, "b")).unwrap();
        (hi - lo, field.count.units(), field.count.shared_seeds())
    };
    let (own, shared) = (rated(|unit, _| unit), rated(|_, cycle| cycle));
    let more = shared.0 / own.0;
    assert!((1.3..1.5).contains(&more), "{more}");
    assert_eq!((own.1, own.2), (120, None));
    assert_eq!((shared.1, shared.2), (120, Some(40)));
}

/// Units of `new` against `old`, each on a seed of its own from the first one on. `new_wins` says
/// who wins which game.
fn dice(units: Range<u64>, new_wins: impl Fn(u64) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for number in 2 * units.start..2 * units.end {
        let (unit, moves_first) = (number / 2, number % 2 == 0);
        let bots = if moves_first { "new old" } else { "old new" };
        let first_wins = new_wins(number) == moves_first;
        let scores = if first_wins { "1-0" } else { "0-1" };
        lines.push(format!("{unit} {unit} {bots} {scores}"));
    }
    lines
}

/// Draws that depend on the run and the number of the game.
fn drawn(run: u64) -> impl Fn(u64) -> bool {
    // The mixing steps of SplitMix64. `new` wins four games in five.
    move |number| {
        let mut mixed = (run << 32 | number)
            .wrapping_add(1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        !(mixed ^ mixed >> 31).is_multiple_of(5)
    }
}

/// If only games that differ counted twice, the stronger bot would lose Elo by playing again.
#[test]
fn random_bots_that_play_again_have_the_elo_of_all_their_games() {
    let [one, two] = [1, 2].map(|run| dice(0..500, drawn(run)));
    let elsewhere = dice(500..1000, |number| drawn(2)(number - 1000));
    let expected = pair(&[&one, &elsewhere]);
    assert_eq!((expected.met.units, expected.scores.units()), (1000, 1000));
    for runs in [[&*one, &*two], [&*two, &*one]] {
        let found = pair(&runs);
        assert_eq!((found.met.units, found.scores.units()), (1000, 500));
        assert_eq!(found.results, expected.results);
        assert!((found.met.by.elo - expected.met.by.elo).abs() < 1e-9);
    }
}

/// Two runs on the same seeds say as much as two on different seeds.
#[test]
fn intervals_of_runs_on_the_same_seeds_hold_the_truth() {
    let is_long = std::env::var_os("ARENA_LONG").is_some();
    let pairs: u32 = if is_long { 1000 } else { 40 };
    // The difference if a bot wins four games in five.
    let truth = 400.0 * 4_f64.log10();
    let [mut once, mut always, mut broken] = [0; 3];
    for case in 0..pairs {
        let [first, second] = [2 * case, 2 * case + 1].map(|run| drawn(1000 + u64::from(run)));
        let before = dice(0..200, first);
        let again = dice(0..200, &second);
        let after = dice(200..400, |number| second(number - 400));
        let mut differ = before.clone();
        for (unit, after) in after.chunks(2).enumerate() {
            let unit = 2 * unit..2 * unit + 2;
            if before[unit.clone()] != again[unit] {
                differ.extend_from_slice(after);
            }
        }
        let holds = |runs: &[&[String]], holds| {
            let by = pair(runs).met.by;
            assert_eq!(by.holds, holds);
            u32::from((by.lo95..=by.hi95).contains(&truth))
        };
        once += holds(&[&[before.clone(), after].concat()], Holds::Once);
        always += holds(&[&before, &again], Holds::EveryLook);
        broken += holds(&[&differ], Holds::Once);
    }
    println!(
        "of {pairs} intervals hold the truth: for one look {once}, for every look {always}; with units that agree \
         counted once, those that differ twice {broken}"
    );
    // Three and a half standard errors below 95%.
    let least = f64::from(pairs) * (0.95 - 3.5 * (0.95 * 0.05 / f64::from(pairs)).sqrt());
    for held in [once, always] {
        assert!(f64::from(held) >= least, "{held} of {pairs}");
    }
    // Counting units that agree once is known to fail.
    assert!(2 * broken < pairs, "{broken} of {pairs}");
}

/// A seed that repeats another move for move, in whichever run, says nothing new.
#[test]
fn repeats_are_those_of_seeds() {
    let one =
        lines("0 1 new old 1-0 10\n0 1 old new 0-1 11\n1 2 new old 1-0 12\n1 2 old new 0-1 13");
    let two =
        lines("0 1 new old 1-0 10\n0 1 old new 0-1 11\n1 3 new old 1-0 10\n1 3 old new 0-1 11");
    for (runs, units, seeds, distinct) in [
        (&[&*one][..], 2, 2, 2),
        (&[&*two], 2, 2, 1),
        (&[&*one, &*two], 4, 3, 2),
        (&[&*two, &*one], 4, 3, 2),
    ] {
        let pair = pair(runs);
        let found = (pair.met.units, pair.scores.units(), pair.distinct);
        assert_eq!(found, (units, seeds, distinct));
    }
}

#[test]
fn designs_of_four_seats_are_rated_apart_and_by_whole_units() {
    let rotations = plan("kutulu", &["a", "b", "c", "d"], "rotations", false);
    let mirror = plan("kutulu", &["a", "b"], "mirror", false);
    let of_four = lines(
        "0 0 a b c d 4-3-2-1\n0 0 b c d a 3-2-1-4\n0 0 c d a b 2-1-4-3\n0 0 d a b c 1-4-3-2\n\
         1 1 a b c d 4-3-2-1\n1 1 b c d a 3-2-1-4\n1 1 c d a b 2-1-4-3\n1 1 d a b c 1-4-3-2",
    );
    // First of four, and last of four, against two others: level.
    let of_two =
        lines("0 2 a b b a 4-3-2-1\n0 2 b b a a 3-2-1-4\n1 3 b a a b 2-1-4-3\n1 3 a a b b 1-4-3-2");
    let alone = union(&[(&mirror, &of_two)]);
    let pair = alone.between(None).unwrap();
    assert_eq!((pair.games_per_unit, pair.met.units), (2, 2));
    assert!((pair.met.score - 0.5).abs() < f64::EPSILON);
    let union = union(&[(&rotations, &of_four), (&mirror, &of_two)]);
    let why = union.between(None).unwrap_err().to_string();
    assert!(why.contains("2 games or designs"), "{why}");
    let fields = &union.fields;
    for (field, bots, games) in [(&fields[0], 2, 4), (&fields[1], 4, 8)] {
        let (design, count) = (field.count.design, &field.count);
        assert_eq!((design.bots, design.games_per_unit as usize), (bots, bots));
        assert_eq!(
            (count.games, count.units(), count.incomplete_units()),
            (games, 2, 0)
        );
    }
    // A bot with two seats has one game.
    assert_eq!(fields[0].count.bots[0].games, 4);
    let best = number(&fields[1], "a");
    assert_eq!(fields[1].count.bots[best].firsts(), Some(1.0));
    let table = table(&fields[1], &Stop::Announced);
    assert_eq!(table.of(best).unwrap().mark, Some(Mark::Perfect));
    assert!((0..4).all(|bot| table.elo(bot) <= table.elo(best)));
}

/// Programs of runs without games are of no account.
#[test]
fn programs_of_one_name_are_told_apart_by_their_first_digits() {
    for (digests, games, label, changed) in [
        (["abcdef", "abcdee"], [1, 1], "new@abcdef", 1),
        (["abcdef", "abxdee"], [1, 1], "new@abcd", 1),
        (["abcdef", "abcdef"], [1, 1], "new", 0),
        (["abcdef", "abcdee"], [1, 0], "new", 0),
        (["abcdef", "abcdee"], [0, 1], "new", 0),
    ] {
        let source = |run: usize| {
            let programs = BTreeMap::from([("new".to_owned(), digests[run].to_owned())]);
            Source::new(run.to_string(), games[run], (programs, Vec::new()))
        };
        let union = Union::new(vec![source(0), source(1)], false);
        assert_eq!(union.sources[0].label("new"), label);
        assert_eq!(union.changed().len(), changed, "{digests:?} {games:?}");
    }
}

/// Bots without a game aren't among those that are the same program.
#[test]
fn twins_are_those_that_played() {
    let plan = plan(
        "onitama",
        &["new", "old", "twin", "third"],
        "rotations",
        false,
    );
    let alike = [["new", "twin"], ["old", "third"]].map(|two| two.map(str::to_owned).to_vec());
    let source = Source::new("run".to_owned(), 4, (BTreeMap::new(), alike.to_vec()));
    let mut union = Union::new(vec![source], false);
    union.begin_run(0, &plan);
    let games = "0 1 new old 1-0\n0 1 old new 0-1\n1 2 twin new 1-0\n1 2 new twin 0-1";
    for (number, line) in (0..).zip(games.lines()) {
        union
            .add(&result("onitama", number, line), line.as_bytes())
            .unwrap();
    }
    union.end_run(4, Stop::Announced);
    union.finish();
    let field = &union.fields[0];
    assert_eq!(union.alike(field), [["new", "twin"]]);
    for (bots, same_program) in [(["new", "old"], false), (["new", "twin"], true)] {
        let pair = union.between(Some(&bots.map(str::to_owned))).unwrap();
        assert_eq!(pair.same_program, same_program, "{bots:?}");
    }
}

/// Each unit of three bots is there four times, so that intervals are twice as wide.
#[test]
fn repeated_units_widen_intervals() {
    let plan = plan("minishogi", &["a", "b", "c"], "rotations", false);
    let mut games = Vec::new();
    for unit in 0..12 {
        let (one, other) = [("a", "b"), ("b", "c"), ("c", "a")][unit % 3];
        for bots in [format!("{one} {other}"), format!("{other} {one}")] {
            games.push(format!("{unit} {unit} {bots} 0-0 {}", unit % 3));
        }
    }
    let union = union(&[(&plan, &games)]);
    let field = &union.fields[0];
    assert_eq!(field.count.distinct_units(), 3);
    let [once, watched] = [Stop::Announced, Stop::Watched].map(|stop| table(field, &stop).width);
    assert!((once - 2.0).abs() < 1e-9, "{once}");
    // Each bot has eight units.
    let times = arena_stats::anytime::times_as_wide(8);
    assert!((watched - 2.0 * times).abs() < 1e-9, "{watched}");
}

/// Of two plays on a seed, the same one stands for it whichever run comes first.
#[test]
fn the_order_of_runs_does_not_decide_what_repeats() {
    let [one, two, three] = [(1, 10), (1, 20), (2, 10)].map(|(seed, moves)| {
        lines(&format!(
            "0 {seed} new old 1-0 {moves}\n0 {seed} old new 0-1 {moves}"
        ))
    });
    let distinct =
        [[&*one, &*two, &*three], [&*two, &*one, &*three]].map(|runs| pair(&runs).distinct);
    assert_eq!(distinct[0], distinct[1]);
}

/// Scores below 0 are costs, beside a best one of 0, too.
#[test]
fn scores_are_shares_of_the_best() {
    for (own, best, share) in [(5, 10, 0.5), (0, 0, 1.0), (-5, 0, 0.0), (-10, -5, 0.5)] {
        let mut scores = bots::AloneScores::default();
        scores.add(own, best, false);
        assert_eq!(scores.over_best(), Some(share), "{own} {best}");
    }
}

/// The referee has ranked bots that failed, except where a bot plays alone.
#[test]
fn a_bot_that_fails_alone_is_below_all_others() {
    for (line, values) in [("0 1 a b 1-0", vec![1, 0]), ("0 1 a 5", vec![i128::MIN])] {
        let mut result = result("minishogi", 0, line);
        result.seats[0].fate = Fate::Crashed;
        assert_eq!(result.values().collect::<Vec<_>>(), values, "{line}");
    }
}

/// If what moving first is worth is fitted, two bots have a number once results limit it.
#[test]
fn bots_that_no_results_link_have_no_fitted_difference() {
    for (lost, is_fitted) in [(0, false), (2, true)] {
        let games = dice(0..8, |number| number >= lost);
        let union = union(&[(&of_two(), &games)]);
        let settings = Settings {
            first_advantage: true,
            ..Settings::new(2)
        };
        let count = &union.fields[0].count;
        let table = count.table(&[0, 1], settings, &Stop::Announced).unwrap();
        assert!(table.pair.is_none());
        assert_eq!(table.of_two(0, 1).is_some(), is_fitted, "{lost}");
    }
}
