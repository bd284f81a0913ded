//! Elo and ratings: published numbers, laws, and one simulation.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use arena_stats::elo::{MatchElo, match_elo};
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::ratings::misfit::misfits;
use arena_stats::ratings::{
    self, Comparison, Mark, Ratings, Settings, Unit, first_player_scores, rate,
};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::betting::is_refuted;
use arena_stats::{C2, Z95, elo_to_score, score_to_elo, split_mix};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::curvature::curvature_errors;
use crate::published::{close, golden, source};

/// How the refusal of a first player's advantage without limits begins.
const NO_LIMIT: &str = "can't fit the first player's advantage: these results set no limit to it";

// Matches

fn counts<const N: usize>(entry: &Value) -> [u64; N] {
    serde_json::from_value::<Vec<u64>>(entry.clone())
        .unwrap()
        .try_into()
        .unwrap()
}

/// Counts of pairs.
fn pairs(counts: [u64; 5]) -> UnitScores {
    UnitScores::from_counts(4, counts).unwrap()
}

/// Compares a number with a golden one, whose null is anything that isn't finite, as `nonfinite`
/// says.
fn agrees(actual: Option<f64>, entry: &Value, key: &str) {
    let Some(expected) = entry.get(key) else {
        return;
    };
    if let Some(expected) = expected.as_f64() {
        // Published with twelve digits, which is less than six decimals of a large number.
        let tolerance = 1e-6_f64.max(1e-11 * expected.abs());
        return close(actual.unwrap(), expected, tolerance, entry);
    }
    let expected = match entry["nonfinite"][key].as_str() {
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        _ => None,
    };
    assert_eq!(actual, expected, "{key} in {entry}");
}

/// Checks an entry of one of the two sections; says whether it binds.
fn check_match(entry: &Value, scores: &UnitScores, games_per_unit: u32) -> bool {
    let result = match_elo(scores, games_per_unit);
    let get = |field: fn(&MatchElo) -> f64| result.as_ref().map(field);
    if source(entry).starts_with("spec") {
        agrees(get(|m| m.score), entry, "score");
        agrees(get(|m| m.score_lo), entry, "score_lo");
        agrees(get(|m| m.score_hi), entry, "score_hi");
        agrees(get(|m| m.lo95), entry, "lo95");
        agrees(get(|m| m.hi95), entry, "hi95");
        agrees(get(|m| m.los), entry, "los");
        agrees(get(|m| m.n_eff), entry, "n_eff");
        agrees(get(|m| m.draw_ratio), entry, "draw_pair_ratio");
        let pairs_ratio = result.as_ref().and_then(|m| m.pairs_ratio);
        agrees(pairs_ratio, entry, "pairs_ratio");
    } else if source(entry) == "fastchess" {
        agrees(result.as_ref().and_then(|m| m.nelo), entry, "nelo");
        check_normalized_error(result.as_ref(), entry);
    } else {
        return false;
    }
    agrees(get(|m| m.elo), entry, "elo");
    true
}

/// fastchess gives `1 / sqrt(games)` as the error, which is ours where bots are even, and too small
/// elsewhere.
fn check_normalized_error(result: Option<&MatchElo>, entry: &Value) {
    let published = entry["nelo_error"].as_f64().or(entry["nelo_ci"].as_f64());
    let ours = result.and_then(|result| Some((result.nelo?, result.nelo_lo95?, result.nelo_hi95?)));
    assert_eq!(published.is_some(), ours.is_some(), "{entry}");
    if let (Some(published), Some((nelo, lo, hi))) = (published, ours) {
        let wider = (hi - lo) / 2.0 / published;
        // By 4% at most up to 100 where no bot ever loses, and never too narrow far out.
        if nelo.abs() < 1.0 {
            assert!((wider - 1.0).abs() < 1e-5, "{wider} in {entry}");
        } else {
            assert!(
                (0.999..1.05).contains(&wider) || nelo.abs() > 100.0 && wider > 1.1,
                "{wider} in {entry}"
            );
        }
    }
}

#[test]
fn elo_of_games_is_the_published_one() {
    let entries = golden("elo");
    let binding = entries.iter().filter(|entry| {
        let [won, drawn, lost] = counts(&entry["wdl"]);
        let scores = UnitScores::from_counts(2, [lost, drawn, won]).unwrap();
        check_match(entry, &scores, 1)
    });
    assert_eq!(binding.count(), 51);
}

#[test]
fn elo_of_pairs_is_the_published_one() {
    let entries = golden("pentanomial");
    let binding = entries
        .iter()
        .filter(|entry| check_match(entry, &pairs(counts(&entry["counts"])), 2));
    assert_eq!(binding.count(), 41);
}

/// Wilson's interval as textbooks write it.
fn textbook_wilson(won: f64, games: f64) -> [f64; 2] {
    let (share, z2) = (won / games, Z95 * Z95);
    let root = Z95 * (share * (1.0 - share) / games + z2 / (4.0 * games * games)).sqrt();
    [-root, root].map(|root| (share + z2 / (2.0 * games) + root) / (1.0 + z2 / games))
}

/// All results of so many games, each with the logarithm of the number of its orders, and with its
/// interval.
fn all_matches(games: u64) -> Vec<([u64; 3], f64, [f64; 2])> {
    let ln_factorial = |n: u64| (1..=n).map(|n| (n as f64).ln()).sum::<f64>();
    let results = (0..=games)
        .flat_map(|lost| (0..=games - lost).map(move |won| [lost, games - lost - won, won]));
    let matches = results.map(|counts| {
        let result = match_elo(&UnitScores::from_counts(2, counts).unwrap(), 1).unwrap();
        let orders = ln_factorial(games) - counts.iter().map(|&n| ln_factorial(n)).sum::<f64>();
        (counts, orders, [result.score_lo, result.score_hi])
    });
    matches.collect()
}

/// The exact chance that an interval holds the true score, if games are lost, drawn and won with
/// these chances.
fn coverage(matches: &[([u64; 3], f64, [f64; 2])], chances: [f64; 3]) -> f64 {
    let score = chances[2] + chances[1] / 2.0;
    let covering = matches
        .iter()
        .filter(|(_, _, [lo, hi])| (*lo..=*hi).contains(&score));
    let chance = |counts: &[u64; 3], orders: f64| {
        let happened = counts.iter().zip(chances).filter(|&(&n, _)| n > 0);
        (orders
            + happened
                .map(|(&n, chance)| n as f64 * chance.ln())
                .sum::<f64>())
        .exp()
    };
    covering
        .map(|(counts, orders, _)| chance(counts, *orders))
        .sum()
}

#[test]
fn intervals_cover_the_truth_whatever_the_draws() {
    // Within 600 Elo of even. Further out few games cannot keep to 95%, with this interval or any
    // other usual one.
    let chances = (0..=100_u32)
        .flat_map(|lost| (0..=100 - lost).map(move |won| [lost, 100 - lost - won, won]));
    let chances: Vec<_> = chances
        .filter(|[_, drawn, won]| (6..=194).contains(&(drawn + 2 * won)))
        .map(|parts| parts.map(|part| f64::from(part) / 100.0))
        .collect();
    for (games, least) in [(10, 0.91), (20, 0.91), (50, 0.93)] {
        let matches = all_matches(games);
        let worst = chances
            .iter()
            .map(|&chances| coverage(&matches, chances))
            .fold(1.0, f64::min);
        assert!((least..0.95).contains(&worst), "{worst} of {games} games");
    }
}

fn penta() -> impl Strategy<Value = [u64; 5]> {
    prop::array::uniform5(prop_oneof![Just(0), 0..20_u64, 0..100_000_u64])
}

proptest! {
    #[test]
    fn swapping_the_sides_changes_the_sign_and_nothing_else(
        denominator in 1..60_u32,
        units in prop::collection::vec((any::<Index>(), 0..1000_u64), 0..12),
    ) {
        let (mut scores, mut swapped) = (UnitScores::new(denominator), UnitScores::new(denominator));
        for (numerator, count) in units {
            let numerator = u32::try_from(numerator.index(denominator as usize + 1)).unwrap();
            scores.add(numerator, count).unwrap();
            swapped.add(denominator - numerator, count).unwrap();
        }
        let (one, two) = (match_elo(&scores, 2), match_elo(&swapped, 2));
        prop_assert_eq!(one.is_some(), two.is_some());
        if let (Some(one), Some(two)) = (one, two) {
            prop_assert_eq!(one.elo, -two.elo);
            prop_assert_eq!(one.nelo, two.nelo.map(|nelo| -nelo));
            prop_assert_eq!((one.lo95, one.hi95), (-two.hi95, -two.lo95));
            let ends = (two.nelo_hi95.map(|end| -end), two.nelo_lo95.map(|end| -end));
            prop_assert_eq!((one.nelo_lo95, one.nelo_hi95), ends);
            prop_assert_eq!((one.n_eff, one.error95), (two.n_eff, two.error95));
            prop_assert!((one.los + two.los - 1.0).abs() < 1e-12);
            prop_assert!((one.score + two.score - 1.0).abs() < 1e-15);
            prop_assert!(one.score_lo <= one.score && one.score <= one.score_hi);
            prop_assert_eq!(one.los > 0.975, one.lo95 > 0.0);
        }
    }

    #[test]
    fn the_order_of_units_is_of_no_account(
        units in prop::collection::vec(0..=24_u32, 1..200),
        cut in any::<Index>(),
    ) {
        let count = |units: &[u32]| {
            let mut scores = UnitScores::new(24);
            for &unit in units {
                scores.add(unit, 1).unwrap();
            }
            scores
        };
        let (one, two) = units.split_at(cut.index(units.len()));
        prop_assert_eq!(match_elo(&count(&[two, one].concat()), 4), match_elo(&count(&units), 4));
    }

    #[test]
    fn without_draws_the_interval_is_wilsons(lost in 0..500_u64, won in 0..500_u64) {
        prop_assume!(lost + won > 0);
        let result = match_elo(&UnitScores::from_counts(2, [lost, 0, won]).unwrap(), 1).unwrap();
        let [lo, hi] = textbook_wilson(won as f64, (lost + won) as f64);
        prop_assert!((result.n_eff - (lost + won) as f64).abs() < 1e-9);
        prop_assert!((result.score_lo - lo).abs() < 1e-12 && (result.score_hi - hi).abs() < 1e-12);
        // The ends of Elo are the Elo of the ends.
        prop_assert!(won == 0 || (result.lo95 - score_to_elo(lo)).abs() < 1e-6);
        prop_assert!(lost == 0 || (result.hi95 - score_to_elo(hi)).abs() < 1e-6);
        // And so are those of normalized Elo.
        let nelo = |score: f64| C2 * (score - 0.5) / (score * (1.0 - score)).sqrt();
        for (end, score) in [(result.nelo_lo95, lo), (result.nelo_hi95, hi)] {
            prop_assert!(end.is_none_or(|end| (end - nelo(score)).abs() < 1e-6 * end.abs().max(1.0)), "{end:?} {score}");
        }
    }

    /// A bet of a share of the capital on every unit at fair odds, as the text says it: ten
    /// gamblers begin with a tenth each, and together they refute a mean that turns 1 into 40.
    #[test]
    fn the_interval_for_every_look_holds_what_no_bet_refutes(lost in 0..300_u64, won in 0..300_u64, elo in -300.0..300.0_f64) {
        prop_assume!(lost + won > 0);
        let scores = UnitScores::from_counts(2, [lost, 0, won]).unwrap();
        let mean = elo_to_score(elo);
        let refutes = |mean: f64, won: u64, lost: u64| {
            let of_stake = |power: i32| {
                let stake = 0.5_f64.powi(power);
                let of_lost = if lost == 0 { 0.0 } else { lost as f64 * (1.0 - stake).ln() };
                won as f64 * (1.0 - stake + stake / mean).ln() + of_lost
            };
            let capitals = (0..10).map(of_stake).map(|ln| (ln.clamp(-700.0, 700.0)).exp() / 10.0);
            capitals.sum::<f64>() >= 40.0
        };
        let refuted = refutes(mean, won, lost) || refutes(1.0 - mean, lost, won);
        prop_assert_eq!(is_refuted(&scores, lost + won, elo), refuted);
        let [lo, hi] = Estimate::at_every_look(&scores, 1, lost + won).unwrap().interval();
        prop_assert_eq!(elo < lo - 1e-9 || elo > hi + 1e-9, refuted);
        // Units that repeat others widen it.
        let [wider_lo, wider_hi] = Estimate::at_every_look(&scores, 1, (lost + won).div_ceil(2)).unwrap().interval();
        prop_assert!(wider_lo <= lo && hi <= wider_hi);
    }

    #[test]
    fn values_and_counts_are_as_good_as_pairs(pairs in penta()) {
        let values = UnitScores::from_values([0.0, 0.25, 0.5, 0.75, 1.0].into_iter().zip(pairs)).unwrap();
        let (one, two) = (match_elo(&values, 2), match_elo(&self::pairs(pairs), 2));
        if let (Some(one), Some(two)) = (one, two) {
            prop_assert!(one.elo == two.elo || (one.elo - two.elo).abs() < 1e-9);
            prop_assert!((one.n_eff / two.n_eff - 1.0).abs() < 1e-9);
        }
    }
}

// Ratings

/// Bots in the order of their names.
type Names = BTreeMap<String, usize>;

fn names(entry: &Value) -> Names {
    let rows = entry["crosstable"].as_array().unwrap();
    numbered(rows.iter().flat_map(|row| [&row[0], &row[1]]))
}

fn numbered<'a>(names: impl Iterator<Item = &'a Value>) -> Names {
    let mut numbers: Names = names
        .map(|name| (name.as_str().unwrap().to_owned(), 0))
        .collect();
    for (number, slot) in numbers.values_mut().enumerate() {
        *slot = number;
    }
    numbers
}

/// The rows [first, second, wins, draws, losses] of a table, with every game a unit.
fn crosstable(entry: &Value, names: &Names) -> Vec<Unit> {
    let rows = entry["crosstable"].as_array().unwrap().iter();
    let units = rows.flat_map(|row| {
        let [first, second] = [0, 1].map(|side| names[row[side].as_str().unwrap()]);
        [Ordering::Greater, Ordering::Equal, Ordering::Less]
            .into_iter()
            .enumerate()
            .map(move |(column, outcome)| {
                single(first, second, outcome, row[column + 2].as_u64().unwrap())
            })
    });
    units.collect()
}

fn settings(entry: &Value, names: &Names) -> Settings {
    let options = &entry["options"];
    let anchor = options["anchor"].as_str();
    Settings {
        anchors: Vec::from_iter(anchor.map(|bot| (names[bot], average(entry)))),
        mean: 0.0,
        first_advantage: options["white_auto"] == true,
        // Ordo can be forced to rate what is not linked, which is what a vanishing prior does.
        prior: 1e-6,
        games_per_unit: 1,
    }
}

/// The rating of the anchor, or the mean of all.
fn average(entry: &Value) -> f64 {
    entry["options"]["average"].as_f64().unwrap()
}

/// `more` is what published ratings are above ours.
fn check_ratings(ratings: &Ratings, expected: &Value, names: &Names, more: f64, tolerance: f64) {
    for (bot, elo) in expected.as_object().unwrap() {
        let ours = ratings.bots[names[bot]].elo + more;
        close(ours, elo.as_f64().unwrap(), tolerance, expected);
    }
}

/// How often results are repeated where the floors under errors, and the number of units, are to be
/// of no account.
const TIMES: u64 = 100_000_000;

fn repeated(units: &[Unit]) -> Vec<Unit> {
    units
        .iter()
        .map(|unit| Unit {
            weight: unit.weight * TIMES,
            ..unit.clone()
        })
        .collect()
}

/// The 95% half-width of a single time, as most published ones are: by the scatter of units alone.
fn of_one_time(error95: Option<f64>) -> f64 {
    error95.unwrap() * (TIMES as f64).sqrt()
}

/// A 95% half-width without the small-sample factor K / (K - (n - 1)) for K units and n bots, as
/// most published ones are.
fn plain(error95: Option<f64>, ratings: &Ratings) -> f64 {
    let (units, free) = (ratings.units as f64, ratings.bots.len() as f64 - 1.0);
    error95.unwrap() * ((units - free) / units).sqrt()
}

#[test]
fn ratings_are_the_published_ones() {
    for entry in golden("ratings") {
        let names = names(&entry);
        let (units, settings) = (crosstable(&entry, &names), settings(&entry, &names));
        let ratings = rate(names.len(), &units, &settings).unwrap();
        if entry["ratings"].is_null() {
            assert!(ratings.components.len() > 1, "{entry}");
            continue;
        }
        let is_spec = source(&entry).starts_with("spec");
        let tolerance = if is_spec { 1e-4 } else { 0.02 };
        let is_free = settings.anchors.is_empty();
        let more = if is_free { average(&entry) } else { 0.0 };
        check_ratings(&ratings, &entry["ratings"], &names, more, tolerance);
        let repeated = rate(names.len(), repeated(&units), &settings).unwrap();
        if is_spec {
            check_published_errors(&entry, &repeated, &names);
        } else if entry["errors"].is_object() && well_sampled(&entry) {
            check_simulated_errors(&entry, &ratings, &names);
        }
        if let Some(expected) = entry["first_player_advantage"].as_f64() {
            let first = ratings.first_advantage.unwrap();
            close(first.elo, expected, 1e-4, &entry);
            let ours = of_one_time(repeated.first_advantage.unwrap().error95);
            let error = entry["first_player_error"].as_f64().unwrap();
            close(ours, error, 1e-4, &entry);
        }
    }
}

fn check_published_errors(entry: &Value, repeated: &Ratings, names: &Names) {
    // If all is drawn, nothing scatters, and only the floor is left.
    let is_drawn = entry["name"] == "all_draws";
    let tolerance = if is_drawn { 0.02 } else { 1e-4 };
    for (bot, error) in entry["errors"].as_object().unwrap() {
        let ours = of_one_time(repeated.bots[names[bot]].error95);
        close(ours, error.as_f64().unwrap(), tolerance, entry);
    }
}

fn well_sampled(entry: &Value) -> bool {
    let mut games = BTreeMap::<[&str; 2], u64>::new();
    for row in entry["crosstable"].as_array().unwrap() {
        let mut pair = [0, 1].map(|side| row[side].as_str().unwrap());
        pair.sort_unstable();
        *games.entry(pair).or_default() += (2..5)
            .map(|column| row[column].as_u64().unwrap())
            .sum::<u64>();
    }
    games.values().all(|&games| games >= 30)
}

fn check_simulated_errors(entry: &Value, ratings: &Ratings, names: &Names) {
    let is_wide = entry["name"] == "wide_spread";
    let share = if is_wide { 0.15 } else { 0.12 };
    for (bot, error) in entry["errors"].as_object().unwrap() {
        if let Some(simulated) = error.as_f64() {
            let sandwich = plain(ratings.bots[names[bot]].error95, ratings);
            close(sandwich, simulated, share * simulated.max(sandwich), entry);
        }
    }
}

#[test]
fn ratings_with_virtual_games_are_the_published_ones() {
    for entry in golden("ratings_prior") {
        let names = names(&entry);
        let units = crosstable(&entry, &names);
        let prior = entry["virtual_games"].as_f64().unwrap();
        let settings = Settings {
            prior,
            ..Settings::new(1)
        };
        let rated = |bots: usize| rate(bots, &units, &settings).unwrap();
        // A bot that met only the virtual bot is as strong as that one, and gives the others their
        // virtual games even if they need none.
        let with_virtual = rated(names.len() + 1);
        let level = with_virtual.bots[names.len()].elo;
        for (bot, elo) in entry["ratings_relative_to_virtual"].as_object().unwrap() {
            let ours = with_virtual.bots[names[bot]].elo - level;
            close(ours, elo.as_f64().unwrap(), 1e-4, &entry);
        }
        let ratings = rated(names.len());
        assert_eq!(ratings.components.len() == 1, entry["name"] == "connected");
        if entry["name"] != "connected" {
            check_ratings(&ratings, &entry["ratings_mean_zero"], &names, 0.0, 1e-4);
        }
    }
}

/// The comparisons of games with any number of seats, put together by cluster.
fn clusters(entry: &Value, names: &Names) -> Vec<Unit> {
    let mut units = BTreeMap::<u64, Vec<Comparison>>::new();
    for game in entry["games"].as_array().unwrap() {
        let unit = units.entry(game["cluster"].as_u64().unwrap()).or_default();
        let players = game["players"].as_array().unwrap();
        let bot = |seat: usize| names[players[seat].as_str().unwrap()];
        let place = |seat: usize| game["ranks"][seat].as_u64().unwrap();
        for one in 0..players.len() {
            for other in 0..one {
                let outcome = place(other).cmp(&place(one));
                unit.push(self::game(bot(one), bot(other), outcome));
            }
        }
    }
    let weight = 1;
    units
        .into_values()
        .map(|comparisons| Unit {
            comparisons,
            weight,
        })
        .collect()
}

/// The ratings from pairs of games, with an anchor or around 0.
fn anchored(bots: usize, units: &[Unit], anchor: Option<(usize, f64)>) -> Ratings {
    let settings = Settings {
        anchors: Vec::from_iter(anchor),
        ..Settings::new(2)
    };
    rate(bots, units, &settings).unwrap()
}

#[test]
fn ratings_and_errors_by_seed_are_the_published_ones() {
    for entry in golden("cluster_ratings") {
        let players = entry["games"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|game| game["players"].as_array().unwrap());
        let names = numbered(players);
        let units = repeated(&clusters(&entry, &names));
        let anchor = Some((names[entry["anchor"].as_str().unwrap()], 0.0));
        let [ratings, centred] = [anchor, None].map(|anchor| anchored(names.len(), &units, anchor));
        check_ratings(&ratings, &entry["ratings"], &names, 0.0, 1e-3);
        for (table, key) in [(&ratings, "errors"), (&centred, "errors_relative_to_mean")] {
            for (bot, error) in entry[key].as_object().unwrap() {
                let ours = of_one_time(table.bots[names[bot]].error95);
                let error = error.as_f64().unwrap();
                close(ours, error, 1e-3 * error, &entry);
            }
            let difference = &entry["difference_error"];
            let [one, other] = [0, 1].map(|side| names[difference["pair"][side].as_str().unwrap()]);
            let error = difference["error"].as_f64().unwrap();
            let ours = of_one_time(table.difference(one, other).error95);
            close(ours, error, 1e-3 * error, &entry);
        }
    }
}

// Rules that no published number covers

fn game(first: usize, second: usize, outcome: Ordering) -> Comparison {
    Comparison {
        first,
        second,
        outcome,
    }
}

fn single(first: usize, second: usize, outcome: Ordering, weight: u64) -> Unit {
    Unit {
        comparisons: vec![game(first, second, outcome)],
        weight,
    }
}

/// A pair with swapped seats and the two outcomes of `one`.
fn pair(one: usize, other: usize, outcomes: [Ordering; 2], weight: u64) -> Unit {
    Unit {
        comparisons: vec![
            game(one, other, outcomes[0]),
            game(other, one, outcomes[1].reverse()),
        ],
        weight,
    }
}

#[test]
fn agreeing_units_do_not_make_ratings_exact() {
    let drawn = |weight| vec![pair(0, 1, [Ordering::Equal; 2], weight)];
    let rated = |weight| rate(2, drawn(weight), &Settings::new(2)).unwrap();
    let naive = |ratings: &Ratings| curvature_errors(ratings, &drawn(ratings.units))[0];
    let few = rated(10);
    assert!(few.bots[0].provisional);
    assert!((few.bots[0].error95.unwrap() / naive(&few) - 1.0).abs() < 1e-9);
    let many = rated(200);
    assert!(!many.bots[0].provisional);
    assert!((many.bots[0].error95.unwrap() / naive(&many) - 0.1).abs() < 1e-5);
    assert_eq!(many.difference(0, 1).los, Some(0.5));
    assert!(
        (many.difference(0, 1).error95.unwrap() - 2.0 * many.bots[0].error95.unwrap()).abs() < 1e-9
    );
}

#[test]
fn errors_need_more_units_than_free_ratings() {
    let ring = |weight| {
        let mut units: Vec<Unit> = (0..3)
            .map(|bot| single(bot, (bot + 1) % 3, Ordering::Equal, 1))
            .collect();
        units.push(single(0, 1, Ordering::Equal, weight));
        units.push(single(2, 3, Ordering::Equal, 1));
        rate(4, units, &Settings::new(1)).unwrap()
    };
    let enough = ring(1);
    assert_eq!(enough.units, 5);
    assert!(enough.bots.iter().all(|bot| bot.error95.is_some()));
    let three = [0, 1, 2].map(|bot| single(bot, bot + 1, Ordering::Equal, 1));
    let lacking = rate(4, &three, &Settings::new(1)).unwrap();
    assert!(lacking.bots.iter().all(|bot| bot.error95.is_none()));
    let difference = lacking.difference(0, 3);
    assert_eq!((difference.error95, difference.los), (None, None));
}

#[test]
fn errors_make_up_for_ratings_that_are_fitted_to_the_same_units() {
    let units = [
        single(0, 1, Ordering::Greater, 24),
        single(0, 1, Ordering::Less, 16),
    ];
    let difference = rate(2, &units, &Settings::new(1)).unwrap().difference(0, 1);
    let expected = Z95 * arena_stats::C * ((40.0 / 39.0) / (40.0 * 0.6 * 0.4_f64)).sqrt();
    assert!((difference.error95.unwrap() / expected - 1.0).abs() < 1e-9);
}

#[test]
fn groups_that_are_not_linked_are_named_and_marked() {
    let units = [
        single(0, 1, Ordering::Greater, 10),
        single(1, 2, Ordering::Greater, 5),
        single(1, 2, Ordering::Less, 3),
        single(3, 2, Ordering::Less, 4),
    ];
    let ratings = rate(4, &units, &Settings::new(1)).unwrap();
    assert_eq!(ratings.components, vec![vec![0], vec![1, 2], vec![3]]);
    let marks: Vec<_> = ratings.bots.iter().map(|bot| bot.mark).collect();
    assert_eq!(marks, [Some(Mark::Perfect), None, None, Some(Mark::Zero)]);
    assert!(
        ratings
            .bots
            .iter()
            .all(|bot| bot.elo.is_finite() && bot.error95.is_some())
    );
}

#[test]
fn virtual_games_hold_ratings_but_are_no_evidence() {
    // One bot wins all ten games. By symmetry everything follows from its log-odds x against the
    // virtual bot.
    let ratings = rate(2, &[single(0, 1, Ordering::Greater, 10)], &Settings::new(1)).unwrap();
    let chance = |log_odds: f64| 1.0 / (1.0 + (-log_odds).exp());
    let x = ratings.bots[0].elo / arena_stats::C;
    let (p, virtual_p) = (chance(2.0 * x), chance(x));
    assert!((10.0 * (1.0 - p) + 0.5 - virtual_p).abs() < 1e-9);
    let curvature = 20.0 * p * (1.0 - p) + virtual_p * (1.0 - virtual_p);
    let elo2 = arena_stats::C * arena_stats::C;
    let naive = elo2 / (2.0 * curvature);
    // Ten units are few: the larger of the two counts.
    let lost = 1.0 - p;
    let scatter = (10.0 * lost * lost + p * lost) * 10.0 / 11.0 * 10.0 / 9.0;
    let variance = naive.max(elo2 * scatter / (curvature * curvature));
    assert!((ratings.bots[0].error95.unwrap() / (Z95 * variance.sqrt()) - 1.0).abs() < 1e-9);
}

/// Games of every two bots, with the wins of the first and of the second mover.
fn decided(results: &[(usize, usize, u64, u64)]) -> Vec<Unit> {
    let outcomes = |&(first, second, won, lost): &(usize, usize, u64, u64)| {
        [(Ordering::Greater, won), (Ordering::Less, lost)]
            .map(|(outcome, weight)| single(first, second, outcome, weight))
    };
    results.iter().flat_map(outcomes).collect()
}

/// The bots of each misfit, and its size in Elo.
fn misfits_of(bots: usize, units: &[Unit], settings: &Settings) -> Vec<([usize; 2], f64)> {
    let ratings = rate(bots, units, settings).unwrap();
    let found = misfits(units, &ratings).into_iter();
    found
        .map(|one| ([one.bot, one.other], one.elo.round()))
        .collect()
}

#[test]
fn one_rating_per_bot_fits_no_cycle() {
    let cycle = decided(&[(0, 1, 90, 110), (0, 2, 190, 10), (1, 2, 120, 80)]);
    let ratings = rate(3, &cycle, &Settings::new(1)).unwrap();
    assert!(ratings.difference(0, 1).los.unwrap() > 0.99);
    let found = misfits(&cycle, &ratings);
    // The bot with the lower rating won: that comes first.
    assert_eq!([found[0].bot, found[0].other], [1, 0]);
    assert!((found[0].score - 0.55).abs() < 1e-12, "{found:?}");
    assert!((found[0].expected - 0.407).abs() < 5e-4, "{found:?}");
    let all = [([1, 0], 100.0), ([0, 2], 262.0), ([2, 1], 114.0)];
    let anchored = Settings {
        anchors: vec![(2, 1500.0)],
        ..Settings::new(1)
    };
    for settings in [Settings::new(1), anchored] {
        assert_eq!(misfits_of(3, &cycle, &settings), all);
    }
    let mut turned = cycle.clone();
    turned.reverse();
    assert_eq!(misfits(&turned, &ratings), found, "order doesn't matter");
    let one_by_one: Vec<Unit> = repeated_singly(&cycle);
    assert_eq!(misfits(&one_by_one, &ratings), found, "nor does grouping");
}

/// Each unit as often as its weight says.
fn repeated_singly(units: &[Unit]) -> Vec<Unit> {
    let singly = |unit: &Unit| {
        let once = Unit {
            weight: 1,
            ..unit.clone()
        };
        vec![once; usize::try_from(unit.weight).unwrap()]
    };
    units.iter().flat_map(singly).collect()
}

#[test]
fn results_that_ratings_fit_are_no_misfits() {
    let settings = Settings::new(1);
    let fitting = [(0, 1, 120, 80), (0, 2, 140, 60), (1, 2, 115, 85)];
    assert_eq!(misfits_of(3, &decided(&fitting), &settings), []);
    // Nothing but their own games links these, so any result fits.
    let chain = [(0, 1, 199, 1), (1, 2, 100, 100)];
    assert_eq!(misfits_of(3, &decided(&chain), &settings), []);
    assert_eq!(misfits_of(2, &decided(&[(0, 1, 150, 50)]), &settings), []);
    // A bot that lost everything needs virtual draws, which pull at the others.
    for results in [
        &chain[..],
        &[(0, 1, 950, 50)],
        &[(0, 1, 98, 2), (2, 0, 2, 98)],
    ] {
        let beside = [results, &[(0, 3, 100, 0), (1, 3, 1, 0), (2, 3, 1, 0)]].concat();
        assert_eq!(misfits_of(4, &decided(&beside), &settings), []);
    }
    // So do several that lost or won everything, whatever the rest scored in however many games.
    let (won, lost) = ([1, 19, 9, 199, 1, 1, 50], [19, 1, 1, 1, 1, 99, 50]);
    for ((won, lost), games, losers) in std::iter::zip(won, lost)
        .flat_map(|share| [2, 20, 500].map(|games| (share, games)))
        .flat_map(|(share, games)| [1, 2, 3].map(|losers| (share, games, losers)))
    {
        for turned in [false, true] {
            let mut results = vec![(0, 1, won, lost)];
            for loser in 2..2 + losers {
                for bot in [0, 1] {
                    let [first, second] = if turned { [loser, bot] } else { [bot, loser] };
                    results.push((first, second, games, 0));
                }
            }
            let found = misfits_of(2 + losers, &decided(&results), &settings);
            assert_eq!(found, [], "{results:?}");
        }
    }
    // A misfit of a few Elo doesn't matter, however certain it is.
    let certain = [
        (0, 1, 510_000, 490_000),
        (1, 2, 510_000, 490_000),
        (2, 0, 510_000, 490_000),
    ];
    assert_eq!(misfits_of(3, &decided(&certain), &settings), []);
    // Ratings between groups rest on virtual games. Within a group they can be tested.
    let fourth = [(0, 3, 50, 0), (1, 3, 900, 0), (2, 3, 5, 0)];
    let apart = [&fitting[..], &fourth].concat();
    assert_eq!(misfits_of(4, &decided(&apart), &settings), []);
    let cycle = [(0, 1, 130, 70), (1, 2, 130, 70), (2, 0, 130, 70)];
    let apart = [&cycle[..], &fourth].concat();
    assert_eq!(misfits_of(4, &decided(&apart), &settings).len(), 3);
}

#[test]
fn what_moving_first_is_worth_is_no_cycle_if_it_is_fitted() {
    let fitted = Settings {
        first_advantage: true,
        ..Settings::new(1)
    };
    // Every bot moves first against the next one. The first of four also meets the third.
    let mut ring = decided(&[
        (0, 1, 130, 70),
        (1, 2, 130, 70),
        (2, 3, 130, 70),
        (3, 0, 130, 70),
    ]);
    ring.extend(decided(&[(0, 2, 65, 35), (2, 0, 65, 35)]));
    assert_eq!(misfits_of(4, &ring, &Settings::new(1)).len(), 4);
    assert_eq!(misfits_of(4, &ring, &fitted), []);
    // A cycle in both seats stays one.
    let both = decided(&[
        (0, 1, 150, 50),
        (1, 0, 80, 120),
        (1, 2, 150, 50),
        (2, 1, 80, 120),
        (2, 0, 150, 50),
        (0, 2, 80, 120),
    ]);
    assert_eq!(misfits_of(3, &both, &fitted).len(), 3);
}

#[test]
fn an_anchored_bot_has_no_error_and_differences_do_not_depend_on_the_anchor() {
    let units = [
        pair(0, 1, [Ordering::Greater, Ordering::Equal], 9),
        pair(1, 0, [Ordering::Greater, Ordering::Greater], 30),
        pair(1, 2, [Ordering::Less, Ordering::Greater], 14),
        pair(2, 0, [Ordering::Less, Ordering::Equal], 8),
        pair(0, 2, [Ordering::Less, Ordering::Equal], 5),
    ];
    let [mean, fixed] = [None, Some((1, 1500.0))].map(|anchor| anchored(3, &units, anchor));
    assert!(mean.bots.iter().map(|bot| bot.elo).sum::<f64>().abs() < 1e-9);
    assert_eq!(
        (fixed.bots[1].elo, fixed.bots[1].error95),
        (1500.0, Some(0.0))
    );
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let (a, b) = (mean.difference(one, other), fixed.difference(one, other));
        assert!(
            (a.elo - b.elo).abs() < 1e-9 && (a.error95.unwrap() - b.error95.unwrap()).abs() < 1e-9
        );
    }
}

#[test]
fn an_advantage_of_moving_first_without_limit_is_refused() {
    let settings = Settings {
        first_advantage: true,
        ..Settings::new(1)
    };
    let rated = |units: &[Unit]| {
        rate(2, units, &settings).map(|ratings| ratings.first_advantage.unwrap().elo)
    };
    // The first mover always wins; or only one of the two ever moves first.
    let always = [
        single(0, 1, Ordering::Greater, 9),
        single(1, 0, Ordering::Greater, 9),
    ];
    let one_sided = [
        single(0, 1, Ordering::Greater, 9),
        single(0, 1, Ordering::Less, 9),
    ];
    for units in [&always, &one_sided] {
        let why = rated(units).unwrap_err().to_string();
        assert!(why.starts_with(NO_LIMIT), "{why}");
    }
    let limited = [
        &always[..],
        &[
            single(0, 1, Ordering::Less, 3),
            single(1, 0, Ordering::Less, 3),
        ],
    ]
    .concat();
    assert!((rated(&limited).unwrap() - score_to_elo(0.75)).abs() < 1e-9);
    let first = match_elo(&first_player_scores(&limited).unwrap(), 1).unwrap();
    assert!((first.elo - score_to_elo(0.75)).abs() < 1e-9);
}

#[test]
fn bots_without_games_are_rated_too() {
    let settings = Settings::new(1);
    let unplayed = rate(2, &[single(1, 1, Ordering::Greater, 4)], &settings).unwrap();
    let bot = &unplayed.bots[1];
    assert_eq!((unplayed.units, bot.units, bot.mark), (0, 0, None));
    let [none, one] = [0, 1].map(|bots| rate(bots, [] as [Unit; 0], &settings).unwrap().bots);
    assert!(none.is_empty());
    assert_eq!(one[0].elo, 0.0);
}

fn outcome() -> impl Strategy<Value = Ordering> {
    prop_oneof![
        Just(Ordering::Less),
        Just(Ordering::Equal),
        Just(Ordering::Greater)
    ]
}

fn any_units() -> impl Strategy<Value = Vec<Unit>> {
    let comparison = (0..5_usize, 0..5_usize, outcome())
        .prop_map(|(first, second, outcome)| game(first, second, outcome));
    let unit = (prop::collection::vec(comparison, 0..8), 0..4_u64);
    prop::collection::vec(
        unit.prop_map(|(comparisons, weight)| Unit {
            comparisons,
            weight,
        }),
        0..30,
    )
}

proptest! {
    #[test]
    fn two_bots_are_rated_as_in_their_match(counts in prop::array::uniform5(0..2000_u64)) {
        let scored = [Ordering::Less, Ordering::Equal, Ordering::Greater];
        let kinds = [[0, 0], [0, 1], [0, 2], [1, 2], [2, 2]];
        let units: Vec<Unit> =
            kinds.iter().zip(counts).map(|(kind, weight)| pair(0, 1, kind.map(|i| scored[i]), weight)).collect();
        let elo = match_elo(&UnitScores::from_counts(4, counts).unwrap(), 2).map(|result| result.elo);
        prop_assume!(elo.is_some_and(f64::is_finite));
        let ratings = rate(2, &units, &Settings::new(2)).unwrap();
        prop_assert!((ratings.difference(0, 1).elo - elo.unwrap()).abs() < 1e-9);
    }

    #[test]
    fn ratings_ignore_the_order_of_units_and_how_they_are_written(units in any_units(), by in any::<Index>()) {
        let mut shuffled = repeated_singly(&units);
        shuffled.reverse();
        let middle = by.index(shuffled.len() + 1).min(shuffled.len());
        shuffled.rotate_left(middle);
        for unit in &mut shuffled {
            unit.comparisons.reverse();
        }
        let settings = Settings::new(1);
        prop_assert_eq!(rate(5, &units, &settings), rate(5, &shuffled, &settings));
    }

    #[test]
    fn all_results_can_be_rated(units in any_units(), first_advantage: bool) {
        let settings = Settings { first_advantage, ..Settings::new(1) };
        match rate(5, &units, &settings) {
            Err(error) => prop_assert!(first_advantage && error.to_string().starts_with(NO_LIMIT), "{error}"),
            Ok(ratings) => {
                prop_assert!(ratings.bots.iter().all(|bot| bot.elo.is_finite()));
                for (one, other) in (0..5).flat_map(|one| (0..5).map(move |other| (one, other))) {
                    let (a, b) = (ratings.difference(one, other), ratings.difference(other, one));
                    prop_assert_eq!((a.elo, a.error95), (-b.elo, b.error95));
                    prop_assert!(a.error95.is_none_or(f64::is_finite));
                    let sum = a.los.zip(b.los).map(|(a, b)| a + b);
                    prop_assert!(sum.is_none_or(|sum| (sum - 1.0).abs() < 1e-12));
                }
            }
        }
    }
}

// Coverage

/// The numbers drawn so far: enough randomness for a simulation.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 += 1;
        (split_mix(2024, self.0 - 1) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Games between bots `edge` Elo apart, drawn within `DRAW` Elo, on seeds that favour a seat by
/// `BIAS` Elo.
const DRAW: f64 = 120.0;
const BIAS: f64 = 100.0;

fn mean_score(edge: f64) -> f64 {
    let game = |edge: f64| f64::midpoint(elo_to_score(edge - DRAW), elo_to_score(edge + DRAW));
    f64::midpoint(game(edge + BIAS), game(edge - BIAS))
}

/// The edge that gives the mean score of a rating difference.
fn edge(difference: f64) -> f64 {
    let (mut lo, mut hi) = (-3000.0, 3000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(lo, hi);
        if mean_score(middle) < elo_to_score(difference) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    lo
}

fn played(edge: f64, random: &mut Random) -> Ordering {
    match random.next() {
        x if x < elo_to_score(edge - DRAW) => Ordering::Greater,
        x if x < elo_to_score(edge + DRAW) => Ordering::Equal,
        _ => Ordering::Less,
    }
}

#[test]
fn errors_cover_the_truth_as_often_as_they_say() {
    const RUNS: usize = 1500;
    let truth = [-210.0, -150.0, -90.0, -20.0, 40.0, 80.0, 120.0, 230.0];
    let pairings = || (0..truth.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let edges: BTreeMap<_, _> = pairings()
        .map(|(i, j)| ((i, j), edge(truth[i] - truth[j])))
        .collect();
    let mut random = Random(0);
    let (mut ours, mut naive, mut differences) = (0, 0, 0);
    for _ in 0..RUNS {
        let mut units = Vec::new();
        for (&(one, other), edge) in edges
            .iter()
            .flat_map(|pairing| std::iter::repeat_n(pairing, 10))
        {
            let bias = if random.next() < 0.5 { BIAS } else { -BIAS };
            let outcomes = [bias, -bias].map(|bias| played(edge + bias, &mut random));
            units.push(pair(one, other, outcomes, 1));
        }
        let ratings = rate(truth.len(), &units, &Settings::new(2)).unwrap();
        let by_curvature = curvature_errors(&ratings, &units);
        for (bot, rated) in ratings.bots.iter().enumerate() {
            let off = (rated.elo - truth[bot]).abs();
            ours += usize::from(off < rated.error95.unwrap());
            naive += usize::from(off < by_curvature[bot]);
        }
        differences += pairings()
            .filter(|&(i, j)| covers(&ratings.difference(i, j), truth[i] - truth[j]))
            .count();
    }
    let share = |covered: usize, of: usize| covered as f64 / (RUNS * of) as f64;
    // One standard error of these rates is about half a percent.
    let (ours, naive, differences) = (share(ours, 8), share(naive, 8), share(differences, 28));
    assert!((0.925..0.972).contains(&ours), "{ours}");
    assert!((0.925..0.972).contains(&differences), "{differences}");
    assert!(
        naive > 0.972,
        "errors that ignore draws and pairs are too wide, and this test must see it: {naive}"
    );
}

fn covers(difference: &ratings::Difference, truth: f64) -> bool {
    (difference.elo - truth).abs() < difference.error95.unwrap()
}

/// With few units that are not level, too.
#[test]
fn normalized_elo_and_elo_agree_on_who_is_stronger() {
    for counts in [
        [0, 0, 36, 0, 4],
        [0, 0, 496, 0, 4],
        [0, 0, 30, 4, 0],
        [1, 4, 80, 9, 2],
        [10, 20, 30, 20, 20],
    ] {
        let mut turned = counts;
        turned.reverse();
        for counts in [counts, turned] {
            let elo = match_elo(&pairs(counts), 2).unwrap();
            let (lo, hi) = (elo.nelo_lo95.unwrap(), elo.nelo_hi95.unwrap());
            assert!(lo <= 0.0 || elo.lo95 > 0.0, "{counts:?}: {lo}");
            assert!(hi >= 0.0 || elo.hi95 < 0.0, "{counts:?}: {hi}");
        }
    }
}

#[test]
fn infinite_numbers_say_their_side() {
    let (infinite, none) = (f64::INFINITY, serde_json::Value::Null);
    let won = Estimate::new(infinite, [166.0, infinite], None, Holds::EveryLook);
    for (by, side, finite, infinite) in [
        (won, "above", "lo95", "hi95"),
        (won.reversed(), "below", "hi95", "lo95"),
    ] {
        let shown = serde_json::to_value(by).unwrap();
        assert_eq!(shown["beyond"], json!({ "elo": side, infinite: side }));
        assert_eq!([&shown["elo"], &shown[infinite]], [&none, &none]);
        assert_eq!(
            (shown[finite].is_f64(), &shown["interval"]),
            (true, &json!("every_look"))
        );
    }
    let level = Estimate::new(0.0, [-1.0, 1.0], Some(0.5), Holds::Once);
    assert_eq!(serde_json::to_value(level).unwrap()["beyond"], json!({}));
    let scores = UnitScores::from_counts(2, [0, 0, 10]).unwrap();
    let shown = serde_json::to_value(match_elo(&scores, 1).unwrap()).unwrap();
    assert_eq!(
        shown["beyond"],
        json!({ "nelo": "above", "pairs_ratio": "above" })
    );
}
