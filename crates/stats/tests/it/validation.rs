//! The statistics keep their promises: simulations of matches whose truth is known.
//!
//! `cargo test` runs a short form with fixed seeds. The long form prints tables, takes minutes on
//! all cores, and holds the same numbers to tighter limits:
//!
//! ```text
//! cargo test --release -p arena-stats --test it validation:: -- --ignored --nocapture
//! ```
//!
//! A win is worth 1, a draw 1/2. The standard error of a share p of R runs is
//! `sqrt(p (1 - p) / R)`.

mod again;
mod duels;
mod early;
mod fours;
mod looks;
mod matches;
mod races;
mod seeds;
mod sprts;
mod tunes;

use arena_stats::sprt::{Hypotheses, Model, State};

use crate::random::{self, share};
use again::Again;
use duels::duels;
use early::{Clear, Ending};
use fours::{Counting, Field, Held, MAPS, MIRROR, PLAIN, Placed, ROTATIONS, Robin, SEAT};
use looks::{Pooled, Watched};
use matches::{PAIR_B, PAIR_C, PAIR8, TRI0, TRI3, coverage, normalized_coverage};
use seeds::{Kinds, Seeds};
use sprts::{Counted, Row};

const LOGISTIC: Model = Model::Logistic;
const NORMALIZED: Model = Model::Normalized;

/// The largest share that so many runs may show where the true one is `p`: three and a half
/// standard errors above.
fn at_most(p: f64, runs: usize) -> f64 {
    p + 3.5 * (p * (1.0 - p) / runs as f64).sqrt()
}

fn at_least(p: f64, runs: usize) -> f64 {
    1.0 - at_most(1.0 - p, runs)
}

fn percent(share: f64) -> String {
    format!("{:5.1}%", 100.0 * share)
}

// The short form

#[test]
fn intervals_of_matches_hold_the_truth() {
    let (few, more) = (coverage(10, 4000), coverage(100, 2000));
    assert!(
        few.ours[0] > at_least(0.91, 4000) && more.ours[0] > at_least(0.93, 2000),
        "{:?} {:?}",
        few.ours,
        more.ours
    );
    assert!(
        few.usual[0] < 0.5,
        "the usual interval is known to fail with few units: {:?}",
        few.usual
    );
}

#[test]
fn intervals_of_normalized_elo_hold_the_truth() {
    let held = normalized_coverage(200, 1000);
    assert!(
        held.even > at_least(0.94, 1000) && held.all[0] > at_least(0.935, 1000),
        "{} {:?}",
        held.even,
        held.all
    );
    assert!(
        held.ahead_by_games < 0.6,
        "an error by the number of games is known to fail: {}",
        held.ahead_by_games
    );
}

#[test]
fn intervals_that_are_watched_hold_the_truth() {
    const RUNS: usize = 300;
    let watched = [
        Watched::of_two(PAIR_B, 0.0),
        Watched::of_two(PAIR8, 0.0),
        Watched::of_two(PAIR_C, 300.0),
        Watched::of_four(MIRROR, SEAT),
    ];
    for watched in watched {
        for seen in watched.seen(&[100, 500], RUNS) {
            let (name, units) = (&watched.name, seen.units);
            assert!(
                seen.ours < at_most(0.05, RUNS),
                "{name}, {units} units: {}",
                seen.ours
            );
            assert!(
                (1.65..1.95).contains(&seen.times_as_wide),
                "{name}, {units} units: {}",
                seen.times_as_wide
            );
            assert!(
                units < 500 || seen.usual > 0.25,
                "looking at the usual interval is known to fail: {}",
                seen.usual
            );
        }
    }
}

/// How many runs of the same two bots a user adds up.
const POOLED: [usize; 3] = [2, 10, 20];

/// Equal bots, whose pairings have so many units.
fn equal(bots: usize, pairs: usize) -> Robin {
    Robin::new(PAIR_B, bots, pairs, 0.0)
}

#[test]
fn ratings_that_are_watched_hold_the_truth() {
    const RUNS: usize = 200;
    for (bots, cycles) in [(3, 160), (4, 80), (6, 30)] {
        let missed = equal(bots, cycles).watched(10, RUNS);
        let (ratings, pairs) = (missed.rating[1], missed.pair[1]);
        assert!(
            ratings <= 0.05 && pairs <= 0.05,
            "{bots} bots: {ratings} {pairs}"
        );
        assert!(
            missed.any_pair[0] > 0.3,
            "looking at 1.96 standard errors is known to fail: {}",
            missed.any_pair[0]
        );
    }
}

#[test]
fn duels_that_end_when_they_know_are_rarely_wrong() {
    const RUNS: usize = 60;
    let equal = duels(PAIR_C, 0.0, 4000, RUNS);
    let better = duels(PAIR_C, 100.0, 4000, RUNS);
    let wrong = equal.stronger + equal.weaker;
    assert!(wrong <= at_most(0.05, RUNS), "{wrong}");
    assert!(equal.held.min(better.held) >= at_least(0.95, RUNS));
    assert!(better.stronger > 0.99 && 5.0 * better.games < equal.games);
}

#[test]
fn runs_that_are_pooled_hold_the_truth() {
    const RUNS: usize = 300;
    let pooled = Pooled {
        model: PAIR_C,
        units: 50,
    };
    let missed = pooled.missed(POOLED, RUNS);
    for [_, always, shown] in missed {
        assert!(always <= 0.05, "{always}");
        // The interval of the first run is for one look.
        assert!(shown < at_most(0.06, RUNS), "{shown}");
    }
    let [.., [once, ..]] = missed;
    assert!(
        once > 0.15,
        "adding runs to the interval for one look is known to fail: {once}"
    );
}

#[test]
fn sequential_tests_keep_their_errors() {
    const RUNS: usize = 1500;
    for (model, in_elo) in [(TRI0, LOGISTIC), (PAIR_C, LOGISTIC), (PAIR_B, NORMALIZED)] {
        let row = Row::new(model, in_elo, [0.0, 50.0], 0.05);
        let [null, middle, gain] = row.ends(RUNS);
        let limit = at_most(0.05, RUNS);
        assert!(
            null.pass < limit && 1.0 - gain.pass < limit,
            "{}: {} {}",
            row.name(),
            null.pass,
            gain.pass
        );
        assert!(
            (0.44..0.56).contains(&middle.pass),
            "{}: {}",
            row.name(),
            middle.pass
        );
        for ends in [null, middle, gain] {
            assert!(
                (0.9..1.2).contains(&(ends.games / ends.formula)),
                "{}: {} {}",
                row.name(),
                ends.games,
                ends.formula
            );
        }
    }
    let broken = Row::new(PAIR_B, LOGISTIC, [0.0, 50.0], 0.05).normal_approximation_errors(RUNS);
    assert!(
        broken.iter().all(|&error| error > 0.15),
        "the normal approximation is known to fail: {broken:?}"
    );
}

#[test]
fn lopsided_runs_foretell_the_length_of_tests() {
    for model in [TRI0, TRI3, PAIR_B, PAIR_C] {
        let row = Row::new(model, LOGISTIC, [0.0, 50.0], 0.05);
        let found = row.foretold(25.0, 220.0, 4000, 1500);
        let [scaled, unscaled] = [found.scaled, found.unscaled].map(|games| games / found.played);
        assert!((0.9..1.1).contains(&scaled), "{}: {scaled}", row.name());
        assert!(
            unscaled < 0.75,
            "the variance of a lopsided run is known to be short: {unscaled}"
        );
    }
}

#[test]
fn sequential_tests_of_four_seats_keep_their_errors() {
    const RUNS: usize = 1000;
    for (design, world) in [(MIRROR, SEAT), (ROTATIONS, PLAIN)] {
        let [null, gain, _] = design.errors(world, [0.0, 40.0], Counting::Units, RUNS);
        let limit = at_most(0.06, RUNS);
        assert!(
            null < limit && gain < limit,
            "{} {}: {null} {gain}",
            design.name,
            world.name
        );
    }
    let [null, ..] = MIRROR.errors(PLAIN, [0.0, 20.0], Counting::Comparisons, RUNS);
    assert!(
        null > 0.09,
        "comparisons of one game are not independent, and this test must see it: {null}"
    );
}

#[test]
fn the_order_of_counting_decides() {
    let row = Row::new(PAIR_B, LOGISTIC, [0.0, 50.0], 0.05);
    let [one, many] = [1, 32].map(|workers| row.by_workers(workers, 300));
    assert!(
        one.iter()
            .zip(&many)
            .all(|(one, many)| one.by_schedule == many.by_schedule)
    );
    let passed = share(&many, |counted| counted.by_schedule.0 == State::Accepted);
    assert!(passed < at_most(0.05, 300), "{passed}");
    let by_end = share(&many, |counted| counted.by_end == State::Accepted);
    assert!(
        by_end > 0.5,
        "counting what ends first is known to fail: {by_end}"
    );
}

#[test]
fn estimates_after_a_test_are_unbiased() {
    let after = Row::new(PAIR_C, LOGISTIC, [0.0, 50.0], 0.05).estimates(50.0, 1500);
    assert!(
        (0.88..0.93).contains(&after.unbiased_covers),
        "{}",
        after.unbiased_covers
    );
    assert!(
        (0.45..0.55).contains(&after.unbiased_above),
        "{}",
        after.unbiased_above
    );
    assert!(
        after.plain > 53.0,
        "the plain estimate is known to be too high: {}",
        after.plain
    );
    let fixed = Row::new(PAIR_C, LOGISTIC, [0.0, 20.0], 0.05).unstopped(60.0, 600, 400);
    assert!(
        fixed.beyond > 0.99 && fixed.taken_for_stopped < 0.05,
        "{} {}",
        fixed.beyond,
        fixed.taken_for_stopped
    );
    assert!(fixed.covers > at_least(0.94, 400), "{}", fixed.covers);
    assert!(
        fixed.wider > 1.2,
        "correcting for no stop is known to waste games: {}",
        fixed.wider
    );
}

#[test]
fn tests_with_an_early_end_keep_their_errors() {
    const RUNS: usize = 1000;
    let limit = at_most(0.05, RUNS);
    for (model, in_elo, bounds) in [
        (PAIR_C, LOGISTIC, [0.0, 50.0]),
        (PAIR8, NORMALIZED, [0.0, 50.0]),
        (PAIR_B, LOGISTIC, [300.0, 350.0]),
    ] {
        let clear = Clear::new(
            model,
            Hypotheses::new(in_elo, bounds[0], bounds[1], 0.05, 0.05).unwrap(),
        );
        let [null, gain] = bounds.map(|elo| clear.tests(elo, Ending::Early, RUNS).pass);
        assert!(
            null < limit && 1.0 - gain < limit,
            "{}: {null} {gain}",
            clear.name()
        );
    }
    let clear = Clear::new(
        PAIR_C,
        Hypotheses::new(LOGISTIC, 0.0, 10.0, 0.05, 0.05).unwrap(),
    );
    for (elo, most) in [(100.0, 0.5), (300.0, 0.2)] {
        let [plain, early] =
            [Ending::Plain, Ending::Early].map(|ending| clear.tests(elo, ending, 200).units);
        assert!(early < most * plain, "{elo}: {early} {plain}");
        assert!(
            (0.75..1.25).contains(&(clear.expected(elo) / early)),
            "{elo}: {early} {}",
            clear.expected(elo)
        );
    }
    let [null, ..] = MIRROR.errors(SEAT, [0.0, 40.0], Counting::UnitsEarly, RUNS);
    assert!(null < limit, "four seats: {null}");
    let peeking = clear.tests(0.0, Ending::Peeking, 300).pass;
    assert!(
        peeking > 0.1,
        "stakes that know their unit are known to fail: {peeking}"
    );
}

#[test]
fn estimates_of_tests_that_are_ended_undecided_are_unbiased() {
    let cut = Row::new(PAIR_C, LOGISTIC, [0.0, 50.0], 0.05).cut(25.0, 120, 1500);
    assert!((0.2..0.8).contains(&cut.undecided), "{}", cut.undecided);
    assert!(
        (0.925..0.975).contains(&cut.unbiased_covers),
        "{}",
        cut.unbiased_covers
    );
    assert!(
        (0.45..0.55).contains(&cut.unbiased_above),
        "{}",
        cut.unbiased_above
    );
}

#[test]
fn errors_of_ratings_hold_the_truth() {
    let field = Field::new(PLAIN, 8, 100).held(300);
    assert!(
        (0.92..0.975).contains(&field.ours) && (0.92..0.975).contains(&field.differences),
        "{}",
        field.ours
    );
    assert!(
        field.naive < 0.92,
        "comparisons of one game are not independent, and this test must see it: {}",
        field.naive
    );
}

/// Every bot is 30 Elo stronger against the one before it, and the first against the last.
fn cycle(bot: usize, other: usize) -> f64 {
    if bot - other == 1 { 30.0 } else { -30.0 }
}

/// Two of all bots are 100 Elo apart for no other reason than each other.
fn odd(bot: usize, other: usize) -> f64 {
    if (bot, other) == (5, 4) { 100.0 } else { 0.0 }
}

/// Results that one rating per bot fits.
fn none(_: usize, _: usize) -> f64 {
    0.0
}

#[test]
fn misfits_are_found_and_not_invented() {
    const RUNS: usize = 400;
    for (model, bots, pairs, spread) in [
        (PAIR_B, 3, 10, 0.0),
        (PAIR_C, 3, 30, 100.0),
        (PAIR_C, 6, 30, 230.0),
        (PAIR_C, 4, 200, 200.0),
        // Beside losers, 14 and 27% of these have a misfit that comes from virtual draws alone.
        (PAIR_B, 2, 100, 300.0),
    ] {
        for losers in [0, 1, 2] {
            let found = Robin::new(model, bots, pairs, spread).misfits_beside(losers, none, RUNS);
            let limit = at_most(0.05, RUNS);
            let name = model.name;
            assert!(
                found < limit,
                "{name}, {bots} bots, {losers} losers: {found}"
            );
        }
    }
    let field = Field::new(PLAIN, 6, 100);
    assert!(field.misfits(200) < at_most(0.05, 200));
    for losers in [0, 1] {
        let found = Robin::new(PAIR_C, 3, 200, 0.0).misfits_beside(losers, cycle, RUNS);
        assert!(found > at_least(0.9, RUNS), "a cycle of 30 Elo: {found}");
    }
    let found = Robin::new(PAIR_B, 10, 100, 0.0).misfits(odd, 100);
    assert!(found > at_least(0.73, 100), "one odd pairing: {found}");
}

/// Three bots whose games are nearly all drawn.
fn nearly_drawn() -> [Robin; 3] {
    let kinds = [
        ("98% drawn", 798.0, 20, 20.0),
        ("98% drawn", 798.0, 30, 20.0),
        ("99% drawn", 1000.0, 60, 10.0),
    ];
    let bias = Some(0.0);
    kinds.map(|(name, draw, pairs, spread)| {
        Robin::new(matches::Model { name, draw, bias }, 3, pairs, spread)
    })
}

#[test]
fn errors_of_nearly_drawn_games_hold_the_truth() {
    const RUNS: usize = 2000;
    for robin in nearly_drawn() {
        let held = robin.held(RUNS).least;
        let name = robin.model.name;
        assert!(
            held > at_least(0.95, RUNS),
            "{name}, {} units: {held}",
            robin.pairs
        );
    }
}

/// Bots, units per pairing and the deviation in Elo of how much a seed favours a kind.
fn kinds((bots, units, luck): (usize, usize, f64)) -> Kinds {
    Kinds { bots, units, luck }
}

#[test]
fn errors_on_the_same_seeds_hold_the_truth() {
    const RUNS: usize = 300;
    for (bots, units) in [(3, 20), (6, 60)] {
        let kinds = kinds((bots, units, 200.0));
        let [own, shared] = [Seeds::Own, Seeds::Shared].map(|seeds| kinds.held(seeds, RUNS));
        for held in [&own, &shared] {
            assert!(
                held.least > at_least(0.95, RUNS),
                "{bots} bots: {}",
                held.least
            );
            assert!(
                held.misfits < at_most(0.05, RUNS),
                "{bots} bots: {}",
                held.misfits
            );
        }
        assert!(shared.unlike > 1.1 * own.unlike, "{bots} bots");
    }
    let by_unit = kinds((6, 60, 200.0)).held(Seeds::SharedByUnit, RUNS);
    assert!(
        by_unit.least < 0.9,
        "errors by unit are known to fail: {}",
        by_unit.least
    );
}

/// Whoever plays the same seeds again learns less than on new seeds.
#[test]
fn seeds_that_are_played_again_hold_the_truth() {
    for runs in [2, 5] {
        let [by_unit, by_seed] = Again { units: 30, runs }.missed(500);
        assert!(by_seed <= 0.06, "{runs} runs: {by_seed}");
        assert!(
            by_unit > 0.1,
            "intervals by unit are known to fail: {runs} runs: {by_unit}"
        );
    }
    let of_two = Again { units: 30, runs: 7 };
    let [by_unit, by_seed] = of_two.ever_missed(again::Seeds::Same, 500);
    assert!(by_seed <= 0.05, "the same seeds: {by_seed}");
    assert!(
        by_unit > 0.1,
        "intervals by unit are known to fail: {by_unit}"
    );
    let [_, by_seed] = of_two.ever_missed(again::Seeds::InTurn, 500);
    assert!(by_seed <= 0.05, "old and new seeds: {by_seed}");
}

#[test]
fn intervals_of_places_hold_the_truth() {
    const RUNS: usize = 1000;
    for world in [SEAT, PLAIN, MAPS] {
        let Placed { by_unit, .. } = Field::new(world, 8, 60).places(RUNS);
        assert!(
            by_unit.iter().all(|&held| held > at_least(0.94, RUNS)),
            "{}: {by_unit:?}",
            world.name
        );
    }
    let Placed { by_game, .. } = Field::new(MAPS, 8, 60).places(RUNS);
    assert!(
        by_game.iter().all(|&held| held < 0.9),
        "games taken as independent are known to fail: {by_game:?}"
    );
}

/// The best of many equal variants looks good by luck, and its interval allows for that.
#[test]
fn the_interval_of_the_best_variant_holds() {
    for variants in [12, 40] {
        let [held, alone] = races::equal(variants).leader_missed(60);
        assert!(held <= 0.05, "{variants}: {held}");
        assert!(
            alone > 0.15,
            "an interval for one variant is known to fail: {variants}: {alone}"
        );
    }
}

#[test]
fn races_keep_the_best() {
    const RUNS: usize = 100;
    for variants in races::all_variants() {
        let [apart, together] = [0.0, 0.5].map(|common| variants.races(common, RUNS));
        for races in [&apart, &together] {
            let limit = at_least(1.0 - races::ALPHA, RUNS);
            assert!(
                races.best_survive >= limit,
                "{}: {}",
                variants.name,
                races.best_survive
            );
        }
        // If all are equal, none leaves, whatever they share.
        let is_equal = variants.name == "8 equal";
        assert!(
            is_equal || together.used < apart.used,
            "{}: {} {}",
            variants.name,
            together.used,
            apart.used
        );
    }
    let equal = &races::all_variants()[2];
    let found = equal.races(0.0, RUNS);
    assert!(
        found.used > 0.95,
        "equal variants are hardly ever told apart"
    );
    assert!(
        found.lags.each > 0.97 && found.lags.equal_below == 0.0,
        "{} {}",
        found.lags.each,
        found.lags.equal_below
    );
    let bad = found.lags_by_errors;
    assert!(
        bad.each < 0.92 && bad.equal_below > 0.3,
        "1.96 errors are known to fail: {} {}",
        bad.each,
        bad.equal_below
    );
    let broken = equal.races_by_standard_errors(0.0, RUNS);
    assert!(
        broken.best_survive < 0.8,
        "looking again and again is known to fail: {}",
        broken.best_survive
    );
}

// The long form

/// Everything is printed before anything is judged.
#[test]
#[ignore = "the long form: .ci/long"]
fn long_validation() {
    let failures = [
        long_coverage(),
        long_normalized(),
        long_looks(),
        long_duels(),
        long_watched_ratings(),
        long_pooled(),
        long_tests(),
        long_four_seats(),
        long_early(),
        long_orders(),
        long_estimates(),
        long_cut(),
        long_unstopped(),
        long_ratings(),
        long_nearly_drawn(),
        long_misfits(),
        long_same_seeds(),
        long_seeds_again(),
        long_places(),
        long_races(),
    ]
    .concat();
    assert!(failures.is_empty(), "missed: {failures:#?}");
}

/// Notes what is not as it should be.
#[derive(Default)]
struct Failures(Vec<String>);

impl Failures {
    fn expect(&mut self, holds: bool, what: impl Into<String>) {
        if !holds {
            self.0.push(what.into());
        }
    }
}

fn long_coverage() -> Vec<String> {
    const RUNS: usize = 40_000;
    let mut failures = Failures::default();
    println!("\na. Coverage of 95% intervals of matches, {RUNS} runs: least and mean of 24 cases");
    println!("  units   usual: least   mean   ours: least   mean   most");
    for units in [5, 10, 20, 50, 200, 1000] {
        let covered = coverage(units, if units > 100 { RUNS / 4 } else { RUNS });
        let [usual, ours] = [covered.usual, covered.ours];
        let cells = [usual[0], usual[1], ours[0], ours[1], covered.most].map(percent);
        println!(
            "  {:5}         {} {}        {} {} {}",
            covered.units, cells[0], cells[1], cells[2], cells[3], cells[4]
        );
        let least = if units < 10 {
            0.0
        } else if units < 50 {
            0.91
        } else {
            0.93
        };
        let holds = ours[0] >= least;
        failures.expect(holds, format!("coverage of {units} units: {}", ours[0]));
        // Bots that draw 80% and are 600 Elo apart hardly vary: there the interval is a little
        // wider than it need be.
        failures.expect(
            units < 200 || covered.most <= 0.985,
            format!("coverage of {units} units: {}", covered.most),
        );
        let holds = units > 20 || usual[0] < 0.6;
        failures.expect(holds, "the usual interval must be seen to fail");
    }
    failures.0
}

fn long_normalized() -> Vec<String> {
    const RUNS: usize = 20_000;
    let mut failures = Failures::default();
    println!(
        "\na. Coverage of 95% intervals of normalized Elo, {RUNS} runs: least of 6 models at 0 and +400 Elo, of all 30 cases"
    );
    println!("  units   by games, +400   ours: 0   +400   least   mean");
    for units in [20, 50, 100, 400] {
        let held = normalized_coverage(units, RUNS);
        let cells = [
            held.ahead_by_games,
            held.even,
            held.ahead,
            held.all[0],
            held.all[1],
        ]
        .map(percent);
        println!(
            "  {units:5}           {}    {} {}  {} {}",
            cells[0], cells[1], cells[2], cells[3], cells[4]
        );
        let least = if units < 50 { 0.88 } else { 0.925 };
        failures.expect(
            held.all[0] >= least,
            format!("normalized Elo of {units} units: {}", held.all[0]),
        );
        failures.expect(
            held.ahead_by_games < 0.6,
            "an error by the number of games must be seen to fail",
        );
    }
    failures.0
}

fn long_looks() -> Vec<String> {
    const RUNS: usize = 1000;
    const UNITS: [u64; 5] = [10, 100, 500, 2000, 10_000];
    let mut failures = Failures::default();
    println!(
        "\na. Matches watched unit by unit, {RUNS} runs: intervals that excluded the truth at any time so far"
    );
    println!("  match                    units   usual    ours   times as wide");
    let mut all: Vec<Watched> = [TRI0, TRI3, PAIR_B, PAIR_C, PAIR8]
        .map(|model| Watched::of_two(model, 0.0))
        .into();
    all.extend([100.0, 300.0, 600.0].map(|elo| Watched::of_two(PAIR_C, elo)));
    all.extend([MIRROR, ROTATIONS].map(|design| Watched::of_four(design, SEAT)));
    for watched in all {
        for seen in watched.seen(&UNITS, RUNS) {
            let (name, units, times) = (&watched.name, seen.units, seen.times_as_wide);
            println!(
                "  {name:23} {units:6}  {}  {}   {times:.2}",
                percent(seen.usual),
                percent(seen.ours)
            );
            let holds = seen.ours <= at_most(0.05, RUNS);
            failures.expect(holds, format!("{name}, {units} units: {}", seen.ours));
            let is_narrow = units < 100 || (1.55..1.95).contains(&times);
            failures.expect(
                is_narrow,
                format!("{name}, {units} units: {times} times as wide"),
            );
            let holds = units < 500 || seen.usual > 0.2;
            failures.expect(holds, format!("{name}: looking must be seen to fail"));
        }
    }
    failures.0
}

fn long_duels() -> Vec<String> {
    const RUNS: usize = 500;
    let mut failures = Failures::default();
    println!("\na. Duels that end when they know, {RUNS} runs, at most 20,000 games");
    println!("  match    Elo    games   stronger    weaker   precise   interval holds the truth");
    for model in [TRI0, PAIR_C, PAIR8] {
        for elo in [0.0, 10.0, 20.0, 35.0, 50.0, 100.0, 200.0, 400.0] {
            let ended = duels(model, elo, 20_000, RUNS);
            println!(
                "  {:6} {elo:5} {:8.0}     {}    {}    {}    {}",
                model.name,
                ended.games,
                percent(ended.stronger),
                percent(ended.weaker),
                percent(ended.precise),
                percent(ended.held)
            );
            let case = format!("{}, {elo} Elo", model.name);
            let wrong = ended.weaker + if elo == 0.0 { ended.stronger } else { 0.0 };
            let holds = wrong <= at_most(0.05, RUNS);
            failures.expect(holds, format!("{case}: {wrong} wrong"));
            let held = ended.held;
            failures.expect(held >= at_least(0.95, RUNS), format!("{case}: {held} held"));
            let known = ended.stronger + ended.weaker + ended.precise;
            failures.expect(known > 0.99, format!("{case}: {known} known"));
        }
    }
    failures.0
}

fn long_watched_ratings() -> Vec<String> {
    const RUNS: usize = 1000;
    let mut failures = Failures::default();
    println!(
        "\na. Round robins watched after every cycle, {RUNS} runs: intervals for one look, and wider by the factor, that excluded the truth at any time"
    );
    println!(
        "  bots                                             rating          difference      any difference"
    );
    let [drawn, ..] = nearly_drawn();
    for robin in [
        equal(3, 167),
        equal(4, 83),
        equal(6, 33),
        equal(3, 500),
        equal(4, 500),
        equal(6, 500),
        Robin::new(PAIR_C, 3, 500, 0.0),
        Robin::new(PAIR_C, 4, 500, 300.0),
        Robin {
            pairs: 500,
            ..drawn
        },
    ] {
        let missed = robin.watched(1, RUNS);
        let name = format!(
            "{}, {} within {} Elo, {} units",
            robin.model.name, robin.bots, robin.spread, robin.pairs
        );
        let cells = [missed.rating, missed.pair, missed.any_pair]
            .map(|[once, wider]| format!("{} {}", percent(once), percent(wider)));
        println!("  {name:45}  {}", cells.join("   "));
        failures.expect(
            missed.rating[1] <= 0.05 && missed.pair[1] <= 0.05,
            format!("{name}: {:?} {:?}", missed.rating, missed.pair),
        );
    }
    failures.0
}

fn long_pooled() -> Vec<String> {
    const RUNS: usize = 2000;
    let mut failures = Failures::default();
    println!(
        "\na. Runs of 50 units rated together after each one, {RUNS} times: intervals for one look, for every look, and as shown, that excluded the truth at any time"
    );
    for model in [PAIR_B, PAIR_C, PAIR8] {
        let missed = Pooled { model, units: 50 }.missed(POOLED, RUNS);
        for (runs, missed) in POOLED.into_iter().zip(missed) {
            let name = format!("{}, {runs} runs", model.name);
            println!("  {name:20} {}", missed.map(percent).join(" "));
            let holds = missed[1] <= 0.05 && missed[2] <= at_most(0.06, RUNS);
            failures.expect(holds, format!("{name}: {missed:?}"));
        }
    }
    failures.0
}

fn long_places() -> Vec<String> {
    const RUNS: usize = 4000;
    let mut failures = Failures::default();
    println!("\ne. Coverage of 95% intervals of mean place and share of first places, {RUNS} runs");
    println!("  world units   by units: place  firsts   games taken as independent: place  firsts");
    for world in [SEAT, PLAIN, MAPS] {
        for groups in [10, 30, 100, 400] {
            let Placed { by_unit, by_game } = Field::new(world, 8, groups).places(RUNS);
            let cells = [by_unit[0], by_unit[1], by_game[0], by_game[1]].map(percent);
            println!(
                "  {:5} {groups:5}          {}  {}                              {}  {}",
                world.name, cells[0], cells[1], cells[2], cells[3]
            );
            let least = if groups < 30 { 0.91 } else { 0.935 };
            failures.expect(
                by_unit.iter().all(|&held| held >= least),
                format!("places: {} {groups} {by_unit:?}", world.name),
            );
            let is_bad = by_game.iter().all(|&held| held < 0.9);
            let holds = world.suits == 0.0 || is_bad;
            failures.expect(holds, "games taken as independent must be seen to fail");
        }
    }
    failures.0
}

fn rows() -> Vec<(Row, usize)> {
    let mut rows = Vec::new();
    for model in [TRI0, TRI3, PAIR_B, PAIR_C] {
        rows.push((Row::new(model, LOGISTIC, [0.0, 10.0], 0.05), 5000));
    }
    rows.push((Row::new(PAIR_C, LOGISTIC, [-10.0, 0.0], 0.05), 5000));
    rows.push((Row::new(PAIR_C, LOGISTIC, [200.0, 220.0], 0.05), 10_000));
    rows.push((Row::new(PAIR_C, LOGISTIC, [0.0, 20.0], 0.01), 10_000));
    for elo1 in [20.0, 50.0, 100.0] {
        for model in [TRI0, PAIR_B, PAIR_C] {
            rows.push((Row::new(model, LOGISTIC, [0.0, elo1], 0.05), 10_000));
        }
    }
    rows.push((Row::new(PAIR_C, NORMALIZED, [0.0, 20.0], 0.05), 8000));
    rows.push((Row::new(PAIR_C, NORMALIZED, [0.0, 50.0], 0.05), 6000));
    rows.push((Row::new(PAIR_B, NORMALIZED, [0.0, 50.0], 0.05), 6000));
    rows
}

fn long_tests() -> Vec<String> {
    let mut failures = Failures::default();
    println!("\nb. Sequential tests at elo0, in the middle, at elo1");
    println!(
        "  test                                pass at 0, middle, 1     games (formula) at 0, middle, 1"
    );
    for (row, runs) in rows() {
        let ends = row.ends(runs);
        let passed: Vec<String> = ends.iter().map(|end| percent(end.pass)).collect();
        let games: Vec<String> = ends
            .iter()
            .map(|end| format!("{:.0} ({:.0})", end.games, end.formula))
            .collect();
        println!(
            "  {:34}  {}  {}",
            row.name(),
            passed.join(" "),
            games.join("  ")
        );
        let width = row.hypotheses.elo1 - row.hypotheses.elo0;
        let error = row.hypotheses.alpha;
        let limit = error + 3.2 * (error * (1.0 - error) / runs as f64).sqrt();
        let worst = ends[0].pass.max(1.0 - ends[2].pass);
        let holds = width > 50.0 || worst <= limit;
        failures.expect(holds, format!("{}: error {worst}", row.name()));
        let over = if width <= 20.0 {
            1.07
        } else if width <= 50.0 {
            1.15
        } else {
            1.3
        };
        let fits = ends
            .iter()
            .all(|end| (0.97..over).contains(&(end.games / end.formula)));
        failures.expect(fits, format!("{}: games", row.name()));
    }
    let [null, gain] =
        Row::new(PAIR_B, LOGISTIC, [0.0, 50.0], 0.05).normal_approximation_errors(10_000);
    println!(
        "  pairB [0, 50] by the normal approximation: {} of null tests pass, {} of gains fail",
        percent(null),
        percent(gain)
    );
    let holds = null > 0.15 && gain > 0.15;
    failures.expect(holds, "the normal approximation must be seen to fail");
    failures.0
}

fn long_four_seats() -> Vec<String> {
    const RUNS: usize = 4000;
    let mut failures = Failures::default();
    println!(
        "\nb. Sequential tests of four seats, {RUNS} runs: null tests that pass, gains that fail, games of null tests"
    );
    for design in [MIRROR, ROTATIONS] {
        for world in [SEAT, PLAIN] {
            for elo1 in [20.0, 60.0] {
                let [null, gain, games] = design.errors(world, [0.0, elo1], Counting::Units, RUNS);
                let name = format!("{:13} {:5} [0, {elo1}]", design.name, world.name);
                println!("  {name}  {} {}  {games:.0}", percent(null), percent(gain));
                let holds = null <= 0.06 && gain <= 0.06;
                failures.expect(holds, format!("{name}: {null} {gain}"));
            }
            let [null, gain, games] =
                design.errors(world, [0.0, 20.0], Counting::Comparisons, RUNS);
            let name = format!(
                "{:13} {:5} [0, 20], comparisons taken as independent",
                design.name, world.name
            );
            println!("  {name}  {} {}  {games:.0}", percent(null), percent(gain));
            failures.expect(null > 0.062, format!("{name} must be seen to fail: {null}"));
        }
    }
    failures.0
}

fn long_early() -> Vec<String> {
    const RUNS: usize = 5000;
    let mut failures = Failures::default();
    let five =
        |model, bounds: [f64; 2]| Hypotheses::new(model, bounds[0], bounds[1], 0.05, 0.05).unwrap();
    println!("\nb. Clear cases that end early, pairC [0, 10], {RUNS} runs: units on average");
    println!("  true Elo   by the LLR alone   with bets   (expected)   passed   ended by a bet");
    let clear = Clear::new(PAIR_C, five(LOGISTIC, [0.0, 10.0]));
    for elo in [
        -100.0, -50.0, 0.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 300.0,
    ] {
        let [plain, early] =
            [Ending::Plain, Ending::Early].map(|ending| clear.tests(elo, ending, RUNS));
        let expected = clear.expected(elo);
        let (passed, by_bets) = (percent(early.pass), percent(early.by_bets));
        println!(
            "  {elo:8}           {:8.0}    {:8.0}   ({expected:8.0})   {passed}           {by_bets}",
            plain.units, early.units
        );
        let most = if elo.abs() < 50.0 { 1.06 } else { 0.9 };
        let is_sooner = early.units < most * plain.units;
        failures.expect(is_sooner, format!("{elo}: {} units", early.units));
        let ratio = expected / early.units;
        let holds = (0.75..1.3).contains(&ratio);
        failures.expect(holds, format!("{elo}: {ratio} of the units expected"));
    }
    println!(
        "\nb. Errors of such tests, {RUNS} runs: null tests that pass, gains that fail, ended by a bet"
    );
    let limit = at_most(0.05, RUNS);
    let kinds = [
        (PAIR_C, LOGISTIC, [0.0, 10.0], 0.0),
        (PAIR_C, LOGISTIC, [0.0, 50.0], 0.0),
        (PAIR_B, LOGISTIC, [0.0, 20.0], 0.0),
        (TRI0, LOGISTIC, [0.0, 20.0], 0.0),
        (PAIR8, LOGISTIC, [0.0, 10.0], 0.0),
        (PAIR8, NORMALIZED, [0.0, 20.0], 0.0),
        (PAIR_C, NORMALIZED, [20.0, 50.0], 0.0),
        (PAIR_C, LOGISTIC, [200.0, 220.0], 0.0),
        (PAIR_B, LOGISTIC, [-420.0, -380.0], 0.0),
        (PAIR_C, LOGISTIC, [0.0, 20.0], 0.1),
    ];
    for (model, in_elo, bounds, repeats) in kinds {
        let clear = Clear {
            repeats,
            ..Clear::new(model, five(in_elo, bounds))
        };
        for ending in [Ending::Plain, Ending::Early] {
            let [null, gain] = bounds.map(|elo| clear.tests(elo, ending, RUNS));
            let early = if ending == Ending::Early {
                ", early"
            } else {
                ""
            };
            let name = clear.name() + early;
            let by_bets = percent(f64::midpoint(null.by_bets, gain.by_bets));
            let [null, failed] = [null.pass, 1.0 - gain.pass];
            println!(
                "  {name:45} {} {} {by_bets}",
                percent(null),
                percent(failed)
            );
            let holds = null.max(failed) <= limit || repeats > 0.0;
            failures.expect(holds, format!("{name}: {null} {failed}"));
        }
    }
    for design in [MIRROR, ROTATIONS] {
        let [null, gain, _] = design.errors(SEAT, [0.0, 20.0], Counting::UnitsEarly, RUNS);
        let name = format!("{} [0, 20], early", design.name);
        println!("  {name:45} {} {}", percent(null), percent(gain));
        let holds = null.max(gain) <= limit;
        failures.expect(holds, format!("{}: {null} {gain}", design.name));
    }
    for (ending, name) in [
        (Ending::Doubled, "bets at the whole 5%"),
        (Ending::Peeking, "stakes that know their unit"),
    ] {
        let [null, gain] = [0.0, 10.0].map(|elo| clear.tests(elo, ending, RUNS).pass);
        let failed = percent(1.0 - gain);
        let all = format!("{}, {name}", clear.name());
        println!("  {all:45} {} {failed}", percent(null));
        failures.expect(null > limit, format!("{name} must be seen to fail: {null}"));
    }
    failures.0
}

fn long_orders() -> Vec<String> {
    const RUNS: usize = 2000;
    let mut failures = Failures::default();
    println!(
        "\nc. Order of counting where wins last 1 and losses 4, {RUNS} runs of pairB: null tests that pass"
    );
    println!("  bounds   workers   as they end   by schedule   pairs started but unused");
    for elo1 in [20.0, 50.0] {
        let row = Row::new(PAIR_B, LOGISTIC, [0.0, elo1], 0.05);
        let mut first: Option<Vec<Counted>> = None;
        for workers in [1, 8, 32, 128] {
            let runs = row.by_workers(workers, RUNS);
            let by_end = share(&runs, |counted| counted.by_end == State::Accepted);
            let by_schedule = share(&runs, |counted| counted.by_schedule.0 == State::Accepted);
            let unused = random::mean(&runs, |counted| counted.unused as f64);
            println!(
                "  [0, {elo1}] {workers:8}        {}        {}   {unused:.0}",
                percent(by_end),
                percent(by_schedule)
            );
            let same = first.as_ref().is_none_or(|first| {
                first
                    .iter()
                    .zip(&runs)
                    .all(|(a, b)| a.by_schedule == b.by_schedule)
            });
            failures.expect(same, format!("{workers} workers change the verdict"));
            let holds = workers < 32 || by_end > 0.1;
            failures.expect(holds, "counting what ends first must be seen to fail");
            first.get_or_insert(runs);
        }
    }
    failures.0
}

fn long_estimates() -> Vec<String> {
    const RUNS: usize = 4000;
    let mut failures = Failures::default();
    println!("\nd. Estimates after tests of pairC [0, 20], {RUNS} runs");
    println!(
        "  true Elo   pass   plain Elo   its interval holds   accepted: plain Elo   unbiased: interval holds   too high"
    );
    let row = Row::new(PAIR_C, LOGISTIC, [0.0, 20.0], 0.05);
    for elo in [-10.0, 0.0, 10.0, 20.0, 40.0] {
        let after = row.estimates(elo, RUNS);
        println!(
            "  {elo:8} {}   {:+9.1}               {}             {:+9.1}                     {}     {}",
            percent(after.pass),
            after.plain,
            percent(after.plain_covers),
            after.accepted,
            percent(after.unbiased_covers),
            percent(after.unbiased_above)
        );
        let covers = (0.885..0.93).contains(&after.unbiased_covers);
        failures.expect(
            covers,
            format!("unbiased interval at {elo}: {}", after.unbiased_covers),
        );
        let centred = (0.47..0.53).contains(&after.unbiased_above);
        failures.expect(
            centred,
            format!("unbiased estimate at {elo}: {}", after.unbiased_above),
        );
    }
    println!(
        "\nd. After tests of [0, 10] that end clear cases early: the interval shown holds, the estimate is too high"
    );
    for model in [PAIR_C, PAIR8] {
        let row = Row {
            early: true,
            ..Row::new(model, LOGISTIC, [0.0, 10.0], 0.05)
        };
        for elo in [0.0, 10.0, 20.0, 30.0, 50.0, 100.0, 200.0, 300.0, 500.0] {
            let after = row.estimates(elo, RUNS);
            let (holds, above) = (after.unbiased_covers, after.unbiased_above);
            println!(
                "  {:6} {elo:8}   {}   {}",
                model.name,
                percent(holds),
                percent(above)
            );
            failures.expect(
                holds >= 0.885,
                format!("interval after an early end at {elo}: {holds}"),
            );
        }
    }
    failures.0
}

fn long_cut() -> Vec<String> {
    const RUNS: usize = 4000;
    let mut failures = Failures::default();
    println!("\nd. Tests of pairC [0, 20] that end undecided after so many units, {RUNS} runs");
    println!(
        "  true Elo  units  undecided   plain interval holds   unbiased: interval holds   too high"
    );
    let row = Row::new(PAIR_C, LOGISTIC, [0.0, 20.0], 0.05);
    for units in [100, 400, 1000] {
        for elo in [0.0, 10.0, 30.0] {
            let cut = row.cut(elo, units, RUNS);
            let cells = [
                cut.undecided,
                cut.plain_covers,
                cut.unbiased_covers,
                cut.unbiased_above,
            ]
            .map(percent);
            println!(
                "  {elo:8}  {units:5}     {}                 {}                     {}     {}",
                cells[0], cells[1], cells[2], cells[3]
            );
            let covers = (0.935..0.965).contains(&cut.unbiased_covers);
            failures.expect(
                covers,
                format!(
                    "unbiased interval at {elo} after {units}: {}",
                    cut.unbiased_covers
                ),
            );
            let centred = (0.47..0.53).contains(&cut.unbiased_above);
            failures.expect(
                centred,
                format!(
                    "unbiased estimate at {elo} after {units}: {}",
                    cut.unbiased_above
                ),
            );
            let is_bad = cut.plain_covers < 0.925;
            // Where many have ended, and many have not.
            let is_mixed = (0.2..0.8).contains(&cut.undecided);
            let holds = !is_mixed || is_bad || elo < 5.0;
            failures.expect(holds, "the plain interval must be seen to fail");
        }
    }
    failures.0
}

fn long_unstopped() -> Vec<String> {
    const RUNS: usize = 4000;
    let mut failures = Failures::default();
    println!("\nd. Matches of 600 pairs of pairC that no test [0, 20] stopped, {RUNS} runs");
    println!(
        "  true Elo   beyond a bound   taken for stopped   usual interval holds   corrected: as wide, higher"
    );
    let row = Row::new(PAIR_C, LOGISTIC, [0.0, 20.0], 0.05);
    for elo in [-40.0, 0.0, 40.0, 60.0, 100.0] {
        let found = row.unstopped(elo, 600, RUNS);
        let cells = [
            found.beyond,
            found.taken_for_stopped,
            found.covers,
            found.wider,
            found.above,
        ]
        .map(percent);
        let [beyond, taken, covers, wider, above] = cells;
        println!(
            "  {elo:8}           {beyond}              {taken}                 {covers}           {wider} {above}"
        );
        let holds = found.taken_for_stopped < 0.1;
        failures.expect(holds, format!("taken for stopped at {elo}: {taken}"));
        let holds = elo < 50.0 || found.wider > 1.2;
        failures.expect(holds, "correcting for no stop must be seen to waste games");
    }
    failures.0
}

fn long_ratings() -> Vec<String> {
    const RUNS: usize = 1500;
    let mut failures = Failures::default();
    println!(
        "\ne. Coverage of 95% errors of ratings, {RUNS} runs: ours, of differences, by curvature alone"
    );
    let mut judge = |name: String, held: &Held| {
        println!(
            "  {name:55} {} {} {}",
            percent(held.ours),
            percent(held.differences),
            percent(held.naive)
        );
        let holds = (0.94..0.965).contains(&held.ours);
        failures.expect(holds, format!("{name}: {}", held.ours));
    };
    let pair8 = matches::Model {
        name: "pairs, D=240",
        draw: 240.0,
        bias: Some(0.0),
    };
    let pair6 = matches::Model {
        name: "pairs, D=60, b=150",
        draw: 60.0,
        bias: Some(150.0),
    };
    for (model, bots, pairs) in [
        (PAIR_B, 6, 10),
        (PAIR_B, 6, 30),
        (PAIR_C, 8, 30),
        (pair8, 8, 10),
        (pair6, 12, 10),
    ] {
        let held = Robin::new(model, bots, pairs, 230.0).held(RUNS);
        let name = format!("{} of {bots} bots, {pairs} per pairing", model.name);
        judge(name, &held);
    }
    for (world, bots, groups) in [
        (SEAT, 6, 30),
        (SEAT, 6, 100),
        (PLAIN, 8, 200),
        (SEAT, 10, 100),
    ] {
        let held = Field::new(world, bots, groups).held(RUNS);
        let name = format!("four seats, {}, {bots} bots, {groups} seeds", world.name);
        judge(name, &held);
    }
    failures.0
}

fn long_nearly_drawn() -> Vec<String> {
    const RUNS: usize = 4000;
    let mut failures = Failures::default();
    println!(
        "\ne. Nearly drawn games of three bots, {RUNS} runs: coverage of the worst difference"
    );
    for robin in nearly_drawn() {
        let held = robin.held(RUNS).least;
        let name = format!("{}, {} units per pairing", robin.model.name, robin.pairs);
        println!("  {name:55} {}", percent(held));
        failures.expect(held > 0.945, format!("{name}: {held}"));
    }
    failures.0
}

fn long_same_seeds() -> Vec<String> {
    const RUNS: usize = 2000;
    let mut failures = Failures::default();
    println!(
        "\ne. Seeds that favour one of two kinds of bots, {RUNS} runs: coverage of differences, the worst one, errors between \
         bots of one kind and of two, misfits"
    );
    for of in [
        (3, 20, 200.0),
        (4, 100, 200.0),
        (6, 20, 200.0),
        (6, 100, 0.0),
        (6, 100, 200.0),
        (10, 40, 200.0),
    ] {
        for (name, seeds) in [
            ("own", Seeds::Own),
            ("shared", Seeds::Shared),
            ("shared, by unit", Seeds::SharedByUnit),
        ] {
            let held = kinds(of).held(seeds, RUNS);
            let name = format!("{} bots, {} units, {} Elo, {name}", of.0, of.1, of.2);
            println!(
                "  {name:55} {} {} {:6.1} {:6.1} {}",
                percent(held.mean),
                percent(held.least),
                held.alike,
                held.unlike,
                percent(held.misfits)
            );
            let is_honest = held.least > 0.93 && held.misfits < at_most(0.06, RUNS);
            failures.expect(is_honest || seeds == Seeds::SharedByUnit, name);
        }
    }
    failures.0
}

fn long_seeds_again() -> Vec<String> {
    const RUNS: usize = 4000;
    let mut failures = Failures::default();
    println!(
        "\ne. The same seeds in several runs, {RUNS} times: intervals that exclude the truth, by unit and by seed"
    );
    for units in [30, 100] {
        for runs in [2, 5] {
            let missed = Again { units, runs }.missed(RUNS);
            let name = format!("3 bots, {units} units, {runs} runs");
            println!("  {name:55} {}", missed.map(percent).join(" "));
            failures.expect(missed[1] <= 0.06 && missed[0] > 0.1, name);
        }
    }
    for units in [30, 200] {
        for seeds in [again::Seeds::Same, again::Seeds::InTurn] {
            let missed = Again { units, runs: 7 }.ever_missed(seeds, RUNS);
            let name = format!("2 bots, {units} units, a look after each of 7 runs, {seeds:?}");
            println!("  {name:55} {}", missed.map(percent).join(" "));
            failures.expect(missed[1] <= 0.05, name);
        }
    }
    failures.0
}

fn long_misfits() -> Vec<String> {
    const RUNS: usize = 4000;
    let mut failures = Failures::default();
    println!("\ne. Misfits found where one rating per bot fits all results, {RUNS} runs");
    let drawn = matches::Model {
        name: "pairs, 95% drawn",
        draw: 636.0,
        bias: Some(0.0),
    };
    for (model, bots, pairs, spread) in [
        (PAIR_B, 3, 10, 30.0),
        (PAIR_B, 3, 30, 30.0),
        (PAIR_B, 3, 200, 200.0),
        (PAIR_C, 3, 10, 0.0),
        (PAIR_C, 3, 30, 100.0),
        (PAIR_C, 4, 200, 0.0),
        (PAIR_C, 6, 30, 600.0),
        (PAIR_B, 10, 2, 230.0),
        (PAIR_B, 10, 100, 230.0),
        (PAIR8, 10, 30, 100.0),
        (drawn, 3, 100, 0.0),
    ] {
        let found = Robin::new(model, bots, pairs, spread).misfits(none, RUNS);
        let name = format!(
            "{}, {bots} bots within {spread} Elo, {pairs} units",
            model.name
        );
        println!("  {name:55} {}", percent(found));
        failures.expect(found <= at_most(0.055, RUNS), format!("{name}: {found}"));
    }
    for (world, bots, groups) in [(PLAIN, 4, 100), (PLAIN, 8, 200), (SEAT, 10, 100)] {
        let found = Field::new(world, bots, groups).misfits(RUNS);
        let name = format!("four seats, {}, {bots} bots, {groups} seeds", world.name);
        println!("  {name:55} {}", percent(found));
        failures.expect(found <= at_most(0.05, RUNS), format!("{name}: {found}"));
    }
    println!(
        "e. Misfits found: 30 Elo cycle of 3 bots, 200 units; 100 Elo of one pairing of 10, 100"
    );
    for model in [PAIR_B, PAIR_C, PAIR8] {
        let of_cycle = Robin::new(model, 3, 200, 0.0).misfits(cycle, RUNS);
        let of_odd = Robin::new(model, 10, 100, 0.0).misfits(odd, RUNS / 4);
        println!(
            "  {:55} {} {}",
            model.name,
            percent(of_cycle),
            percent(of_odd)
        );
        let holds = of_cycle > 0.85 && of_odd > 0.7;
        failures.expect(holds, format!("{}: {of_cycle} {of_odd}", model.name));
    }
    failures.0
}

fn long_races() -> Vec<String> {
    const RUNS: usize = 1000;
    let mut failures = Failures::default();
    println!(
        "\nf. Races of pairB in blocks of 16, at most 1600 units, 5%, {RUNS} runs: luck that two variants share"
    );
    println!(
        "  variants               shared   best survive   leader is best   within 10 Elo   alone   units of full grid"
    );
    let print = |name: &str, shared: &str, races: &races::Races| {
        let shares = [
            races.best_survive,
            races.leader_is_best,
            races.leader_within_10,
            races.alone,
            races.used,
        ];
        let [survive, leader, within, alone, used] = shares.map(percent);
        println!(
            "  {name:21} {shared:>7}         {survive}           {leader}          {within}  {alone}               {used}"
        );
    };
    // The largest share of the full grid that should be needed.
    for (variants, most) in races::all_variants().iter().zip([0.65, 0.65, 1.0, 0.27]) {
        for common in [0.0, 0.25, 0.5] {
            let races = variants.races(common, RUNS);
            print(variants.name, &percent(common), &races);
            let name = format!("{}, {common} shared", variants.name);
            let holds = races.best_survive >= 1.0 - races::ALPHA;
            failures.expect(holds, format!("{name}: {}", races.best_survive));
            let holds = races.leader_within_10 >= 0.98;
            failures.expect(holds, format!("{name}: leader {}", races.leader_within_10));
            failures.expect(races.used <= most, format!("{name}: units {}", races.used));
        }
        let broken = variants.races_by_standard_errors(0.0, RUNS / 4);
        print(variants.name, "z>1.96", &broken);
        let are_equal = variants.name == "8 equal";
        let holds = !are_equal || broken.best_survive < 0.8;
        failures.expect(holds, "looking again and again must be seen to fail");
    }
    let equal = races::all_variants()[2].races(0.0, RUNS);
    failures.expect(
        equal.used > 0.97,
        format!("equal variants are told apart: {}", equal.used),
    );
    [failures.0, long_lags(), long_alphas()].concat()
}

fn long_lags() -> Vec<String> {
    const RUNS: usize = 1000;
    let mut failures = Failures::default();
    println!(
        "\nf. Intervals to the leader at the end of races, {RUNS} runs; in ( ) of 1.96 standard errors"
    );
    println!(
        "  variants               each holds        all of a race hold   an equal survivor lies below 0"
    );
    for variants in races::all_variants() {
        let races = variants.races(0.0, RUNS);
        let (ours, usual) = (&races.lags, &races.lags_by_errors);
        let cells = [
            ours.each,
            usual.each,
            ours.all,
            usual.all,
            ours.equal_below,
            usual.equal_below,
        ]
        .map(percent);
        let [each, usual_each, all, usual_all, below, usual_below] = cells;
        println!(
            "  {:21} {each} ({usual_each})   {all} ({usual_all})      {below} ({usual_below})",
            variants.name
        );
        let name = variants.name;
        let holds = ours.each >= 0.97 && ours.equal_below == 0.0;
        failures.expect(holds, format!("{name}: {} {}", ours.each, ours.equal_below));
        failures.expect(
            usual.all < 0.9,
            format!(
                "{name}: 1.96 standard errors must be seen to fail: {}",
                usual.all
            ),
        );
    }
    failures.0
}

/// Checks alpha for each variant and, divided by half of the others, for all together.
fn long_alphas() -> Vec<String> {
    const RUNS: usize = 500;
    let mut failures = Failures::default();
    println!(
        "\nf. Equal variants that races eliminate, {RUNS} runs: each one, some one; some one with alpha for all together"
    );
    for variants in [8, 16].map(races::equal) {
        for block in [16, 1] {
            let [usual, whole] = [
                variants.races_with(races::ALPHA, block, 0.0, RUNS),
                variants.races_as_a_whole(block, RUNS),
            ];
            let each = 1.0 - usual.best_survive;
            let cells = [each, usual.some_best_dropped, whole.some_best_dropped].map(percent);
            println!(
                "  {:9} block {block:2}   {} {}   {}",
                variants.name, cells[0], cells[1], cells[2]
            );
            let limit = at_most(races::ALPHA, RUNS);
            let holds = each <= races::ALPHA && whole.some_best_dropped <= limit;
            failures.expect(holds, format!("{}, {block}", variants.name));
            let is_seen = variants.name != "16 equal" || usual.some_best_dropped > limit;
            let holds = is_seen;
            failures.expect(holds, "alpha for each must be seen not to be alpha for all");
        }
    }
    println!("  units of the full grid: alpha for each, for all together");
    for variants in races::all_variants() {
        let used = [
            variants.races(0.0, RUNS).used,
            variants.races_as_a_whole(16, RUNS).used,
        ]
        .map(percent);
        println!("  {:21} {} {}", variants.name, used[0], used[1]);
    }
    failures.0
}
