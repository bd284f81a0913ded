//! Sequential tests, their length and many comparisons: published numbers and laws.

use arena_stats::elo::match_elo;
use arena_stats::elo_to_score;
use arena_stats::estimate::Estimate;
use arena_stats::scores::UnitScores;
use arena_stats::sprt::outlook::{Units, out_of_reach, outlook};
use arena_stats::sprt::{
    Hypotheses, HypothesesError, Model, Rule, Sprt, State, estimate, too_repetitive,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::published::{close, get, golden, source};

fn hypotheses(entry: &Value) -> Hypotheses {
    let [elo0, elo1, alpha, beta] = ["elo0", "elo1", "alpha", "beta"].map(|key| get(entry, key));
    let model = entry["model"].as_str().unwrap_or("logistic");
    Hypotheses::new(model.parse().unwrap(), elo0, elo1, alpha, beta).unwrap()
}

fn standard(model: Model, elo0: f64, elo1: f64) -> Hypotheses {
    Hypotheses::new(model, elo0, elo1, 0.05, 0.05).unwrap()
}

/// Counted games, or pairs, and how many games are in a unit.
fn units(counts: &[u64]) -> (UnitScores, u32) {
    let games = match counts.len() {
        3 => 1,
        5 => 2,
        other => panic!("{other} counts"),
    };
    let counts = counts.iter().copied();
    (UnitScores::from_counts(2 * games, counts).unwrap(), games)
}

fn pairs(counts: [u64; 5]) -> UnitScores {
    UnitScores::from_counts(4, counts).unwrap()
}

/// A test of pairs.
fn of_pairs(is_early: bool, hypotheses: Hypotheses) -> Sprt {
    Sprt::new(is_early, hypotheses, 2, pairs([0; 5]))
}

/// The LLR of units that are counted at once.
fn llr(scores: &UnitScores, games: u32, hypotheses: &Hypotheses) -> f64 {
    Sprt::new(false, *hypotheses, games, scores.clone()).llr()
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Accepted => "accepted",
        State::Rejected => "rejected",
        State::Running => "running",
    }
}

// Published numbers

#[test]
fn likelihood_ratios_are_the_published_ones() {
    let mut checked = 0;
    for entry in golden("sprt") {
        let expected: f64 = get(&entry, "llr");
        let (absolute, relative) = match (source(&entry), entry["model"].as_str().unwrap()) {
            ("fishtest", "logistic") => (1e-5, 1e-6),
            ("fishtest", "normalized") => (1e-4, 1e-4),
            ("fastchess", _) => (0.005, 0.01),
            _ => continue,
        };
        let (scores, games) = units(&get::<Vec<u64>>(&entry, "counts"));
        let hypotheses = hypotheses(&entry);
        let llr = llr(&scores, games, &hypotheses);
        close(llr, expected, absolute + relative * expected.abs(), &entry);
        let [lower, upper]: [f64; 2] = get(&entry, "bounds");
        close(hypotheses.lower(), lower, 1e-9, &entry);
        close(hypotheses.upper(), upper, 1e-9, &entry);
        let state = state_name(hypotheses.state(llr));
        assert_eq!(state, entry["state"].as_str().unwrap(), "{entry}");
        checked += 1;
    }
    assert_eq!(checked, 60);
}

#[test]
fn likelihood_ratios_of_larger_units_are_the_published_ones() {
    for entry in golden("cluster_sprt") {
        let values = get::<Vec<f64>>(&entry, "values")
            .into_iter()
            .zip(get::<Vec<u64>>(&entry, "counts"));
        let scores = UnitScores::from_values(values).unwrap();
        let expected: f64 = get(&entry, "llr");
        let llr = llr(&scores, 2, &hypotheses(&entry));
        close(llr, expected, 1e-5 + 1e-6 * expected.abs(), &entry);
        let result = match_elo(&scores, 2).unwrap();
        let elo = [result.elo, result.lo95, result.hi95];
        for (key, actual) in ["elo", "lo95", "hi95"].into_iter().zip(elo) {
            if let Some(expected) = entry[key].as_f64() {
                close(actual, expected, 1e-6, &entry);
            }
        }
        close(result.los, get(&entry, "los"), 1e-6, &entry);
        let n_eff = result.n_eff;
        close(n_eff, get(&entry, "n_eff"), 1e-6 * n_eff, &entry);
    }
}

#[test]
fn verdicts_are_the_published_ones() {
    for entry in golden("sprt_sequence") {
        let outcomes: Vec<u32> = entry["outcomes"]
            .as_str()
            .unwrap()
            .chars()
            .map(|digit| digit.to_digit(10).unwrap())
            .collect();
        let expected_counts: Vec<u64> = get(&entry, "counts_at_stop");
        let max_units: u64 = get(&entry, "max_units");
        let (none, games) = units(&vec![0; expected_counts.len()]);
        let mut test = Sprt::new(false, hypotheses(&entry), games, none);
        for outcome in outcomes {
            if test.scores().units() < max_units {
                test.add(outcome).unwrap();
            }
        }
        let verdict = if test.state() == State::Running {
            "inconclusive"
        } else {
            state_name(test.state())
        };
        assert_eq!(verdict, entry["verdict"].as_str().unwrap(), "{entry}");
        let scores = test.scores();
        assert_eq!(scores.units(), get::<u64>(&entry, "stop_after"), "{entry}");
        let counts: Vec<u64> = scores.values().map(|(_, count)| count).collect();
        assert_eq!(counts, expected_counts, "{entry}");
        let is_normalized = entry["model"] == "normalized";
        let tolerance = if is_normalized { 1e-4 } else { 1e-5 };
        let expected: f64 = get(&entry, "llr_at_stop");
        let tolerance = tolerance * (1.0 + expected.abs());
        close(test.llr(), expected, tolerance, &entry);
    }
}

#[test]
fn estimates_after_a_stop_are_the_published_ones() {
    for entry in golden("sprt_elo") {
        let (scores, games) = units(&get::<Vec<u64>>(&entry, "counts"));
        let estimate =
            estimate::after_stop(&scores, games, &hypotheses(&entry), [0.025; 2]).unwrap();
        let [lo, hi]: [f64; 2] = get(&entry, "ci");
        close(estimate.elo, get(&entry, "elo"), 1e-6, &entry);
        close(estimate.lo95, lo, 1e-6, &entry);
        // Where much drift meets little time, the published upper ends are exact to 0.01 only; so
        // says a computation of the same formula with 50 digits.
        close(estimate.hi95, hi, 0.02, &entry);
        close(estimate.los.unwrap(), get(&entry, "los"), 1e-6, &entry);
    }
}

#[test]
fn expected_lengths_are_the_published_ones() {
    for entry in golden("asn") {
        let units = Units::assumed(1, get(&entry, "draw_ratio"), get(&entry, "rms_bias")).unwrap();
        let hypotheses = hypotheses(&entry);
        let outlook = outlook(&hypotheses, &units, elo_to_score(get(&entry, "elo")), 0.0);
        let variance: f64 = get(&entry, "variance_per_game");
        close(units.variance_per_game(), variance, 1e-9, &entry);
        let numbers = [outlook.pass_probability, outlook.expected_games];
        for (key, actual) in ["pass_probability", "expected_games"]
            .into_iter()
            .zip(numbers)
        {
            close(actual, get(&entry, key), 1e-6 * actual, &entry);
        }
        let scores = hypotheses.scores(1, variance);
        for (side, bound) in [hypotheses.elo0, hypotheses.elo1].into_iter().enumerate() {
            let score = get(&entry, ["score0", "score1"][side]);
            close(scores[side], score, 1e-9, &entry);
            let logistic = match hypotheses.model {
                Model::Normalized => units.logistic_elo(bound),
                Model::Logistic => bound,
            };
            let elo = get(&entry, ["logistic_elo0", "logistic_elo1"][side]);
            close(logistic, elo, 1e-6, &entry);
            assert!((units.normalized_elo(units.logistic_elo(7.5)) - 7.5).abs() < 1e-9);
        }
    }
}

#[test]
fn durations_are_the_published_ones() {
    for entry in golden("asn_duration") {
        let number = |key| get::<f64>(&entry, key);
        // Bounds so wide that no least number of units binds, and a variance that makes a unit a
        // unit of time.
        let (alpha, beta) = (number("alpha"), number("beta"));
        let hypotheses = Hypotheses::new(Model::Logistic, -200.0, 200.0, alpha, beta).unwrap();
        let [s0, s1] = [-200.0, 200.0].map(elo_to_score);
        let units = Units {
            games: 1,
            variance: (s1 - s0).powi(2),
            level_share: None,
            score: None,
        };
        let score = f64::midpoint(s0, s1) + number("h") * (s1 - s0) / 2.0;
        let outlook = outlook(&hypotheses, &units, score, 0.0);
        let time = number("T");
        let ended = 1.0 - number("p_running_at_T");
        let [sooner, later] =
            [-2e-4, 2e-4].map(|off| outlook.units_quantile((ended + off).clamp(0.0, 1.0)));
        assert!(
            sooner <= time && time <= later,
            "{sooner} to {later} instead of {time} in {entry}"
        );
    }
}

// Rules that no published number covers

#[test]
fn senseless_hypotheses_are_refused() {
    use HypothesesError::{Elo, Errors, Order};
    let new = |elo0, elo1, alpha, beta| {
        Hypotheses::new(Model::Logistic, elo0, elo1, alpha, beta).unwrap_err()
    };
    assert_eq!(new(10.0, 0.0, 0.05, 0.05), Order(10.0, 0.0));
    assert!(matches!(new(f64::NAN, 0.0, 0.05, 0.05), Elo(_)));
    let infinite = f64::INFINITY;
    assert_eq!(new(0.0, infinite, 0.05, 0.05), Elo(infinite));
    assert!(matches!(new(0.0, 1e-300, 0.05, 0.05), Order(..)));
    for (alpha, beta) in [(0.0, 0.05), (0.05, -1.0), (0.5, 0.5), (f64::NAN, 0.05)] {
        assert!(matches!(new(0.0, 10.0, alpha, beta), Errors(..)));
    }
}

#[test]
fn a_test_that_goes_on_agrees_with_one_over_all_units() {
    let sequence =
        (0..3000_u32).map(|i| [0, 2, 2, 3, 1, 4, 2, 2, 1, 3][(i * i % 97 % 10) as usize]);
    for model in [Model::Logistic, Model::Normalized] {
        // Bounds so far away that the test never ends.
        let hypotheses = Hypotheses::new(model, -3.0, 40.0, 1e-200, 1e-200).unwrap();
        let mut test = of_pairs(false, hypotheses);
        for (number, score) in (1..).zip(sequence.clone()) {
            test.add(score).unwrap();
            let whole = llr(test.scores(), 2, &hypotheses);
            assert!(
                (test.llr() - whole).abs() < 1e-7 * (1.0 + whole.abs()),
                "{model} {number} {}",
                test.llr()
            );
        }
        assert_eq!(test.scores().units(), 3000);
        assert_eq!(test.state(), State::Running);
    }
}

#[test]
fn units_after_the_end_are_not_counted() {
    let mut test = of_pairs(false, standard(Model::Logistic, 0.0, 50.0));
    let units = (1..1000)
        .find(|_| test.add(4).unwrap() != State::Running)
        .unwrap();
    let (llr, scores) = (test.llr(), test.scores().clone());
    assert_eq!((test.state(), scores.units()), (State::Accepted, units));
    for _ in 0..2 {
        assert_eq!(test.add(0), Ok(State::Accepted));
    }
    assert!(test.llr().to_bits() == llr.to_bits() && *test.scores() == scores);
}

#[test]
fn scores_of_four_seats_may_appear_at_any_time() {
    let hypotheses = standard(Model::Normalized, 0.0, 20.0);
    let mut test = Sprt::new(false, hypotheses, 2, UnitScores::new(16));
    for score in [8, 9, 3, 8, 16, 7, 11, 0, 12] {
        test.add(score).unwrap();
        assert!((test.llr() - llr(test.scores(), 2, &hypotheses)).abs() < 1e-7);
    }
    assert!(test.add(17).is_err() && test.scores().units() == 9);
}

#[test]
fn bots_that_draw_too_much_for_the_bounds_are_warned_of() {
    // A change that never loses a pair and gains half a point in 5% of them: +8.7 Elo.
    let units = Units::like(&pairs([0, 0, 950, 50, 0]), 2).unwrap();
    assert!(!out_of_reach(&standard(Model::Logistic, 0.0, 5.0), &units));
    for elo1 in [10.0, 25.0, 50.0] {
        assert!(out_of_reach(&standard(Model::Logistic, 0.0, elo1), &units));
        let normalized = standard(Model::Normalized, 0.0, elo1);
        assert!(!out_of_reach(&normalized, &units));
    }
    // And no test of theirs is as short as the variance alone would make it.
    for (elo1, fewest) in [(10.0, 101.0), (25.0, 40.0), (50.0, 20.0)] {
        let outlook = outlook(&standard(Model::Logistic, 0.0, elo1), &units, 0.5, 0.0);
        assert!(
            (outlook.expected_units - outlook.fewest_units).abs() < 1.0 || elo1 < 20.0,
            "{outlook:?}"
        );
        assert!((outlook.fewest_units - fewest).abs() < 1.0, "{outlook:?}");
    }
}

#[test]
fn what_is_left_of_a_test_depends_on_how_far_it_has_come() {
    let hypotheses = standard(Model::Logistic, 0.0, 10.0);
    let units = Units::assumed(2, 0.3, 0.0).unwrap();
    let left = |llr| outlook(&hypotheses, &units, elo_to_score(10.0), llr);
    assert!((left(0.0).pass_probability - 0.95).abs() < 1e-9);
    assert!(left(2.0).pass_probability > 0.99 && left(-2.5).pass_probability < 0.5);
    assert!(left(2.0).expected_games < left(0.0).expected_games / 2.0);
    let score = f64::midpoint(0.5, elo_to_score(10.0));
    let middle = outlook(&hypotheses, &units, score, 0.0);
    assert!((middle.pass_probability - 0.5).abs() < 1e-9);
    assert!(middle.expected_units > left(0.0).expected_units);
}

#[test]
fn an_estimate_after_few_clear_units_is_no_number_out_of_the_air() {
    // Twelve pairs won: the plain estimate is infinite. Nothing here comes near the limits of
    // floating point.
    let hypotheses = standard(Model::Logistic, 0.0, 10.0);
    for won in [1, 12, 100] {
        let [scores, swapped] = [[0, 0, 0, 0, won], [won, 0, 0, 0, 0]].map(pairs);
        let estimate = estimate::after_stop(&scores, 2, &hypotheses, [0.025; 2]).unwrap();
        assert!(
            estimate.lo95 <= estimate.elo && estimate.elo <= estimate.hi95 && estimate.elo > 400.0,
            "{estimate:?}"
        );
        let below = standard(Model::Logistic, -10.0, 0.0);
        let lost = estimate::after_stop(&swapped, 2, &below, [0.025; 2]).unwrap();
        assert!((lost.los.unwrap() + estimate.los.unwrap() - 1.0).abs() < 1e-9);
    }
}

/// A test of pairs with an early end, after these.
fn early(hypotheses: Hypotheses, pairs: &[u32]) -> Sprt {
    let mut test = of_pairs(true, hypotheses);
    for &pair in pairs {
        test.add(pair).unwrap();
    }
    test
}

#[test]
fn clear_cases_end_early() {
    let gain = standard(Model::Logistic, 0.0, 10.0);
    let mut plain = of_pairs(false, gain);
    let units = (1..1000).find(|_| plain.add(4).unwrap() != State::Running);
    assert_eq!(units, Some(104));
    assert_eq!(plain.ended_by(), Some(Rule::Likelihood));
    assert_eq!(plain.capitals(), None);
    // 286 are enough: a fifth of 2^11 is more. A lost pair is less likely, and pays more.
    for (pair, units, state) in [(4, 11, State::Accepted), (0, 10, State::Rejected)] {
        let test = early(gain, &[pair; 30]);
        assert_eq!((test.scores().units(), test.state()), (units, state));
        assert_eq!(test.ended_by(), Some(Rule::Betting));
        assert_eq!(test.capitals().unwrap().state(), state);
    }
    // Bounds of the LLR for 4.65% instead of 5%.
    assert!((early(gain, &[]).by_llr().upper() - (0.9535_f64 / 0.0465).ln()).abs() < 1e-12);
}

#[test]
fn bets_are_what_they_would_be_unit_by_unit() {
    let pairs = [4, 2, 3, 1, 4, 4, 2, 0, 3, 4, 2, 3];
    let hypotheses = standard(Model::Logistic, -5.0, 30.0);
    let ln = early(hypotheses, &pairs).capitals().unwrap().ln;
    for (side, elo) in [-5.0, -30.0].into_iter().enumerate() {
        let fair = elo_to_score(elo);
        let mut capitals = [0.2; 5];
        for pair in pairs {
            let score = f64::from(if side == 0 { pair } else { 4 - pair }) / 4.0;
            for (capital, stake) in capitals.iter_mut().zip([1.0, 0.5, 0.25, 0.125, 0.0625]) {
                *capital *= 1.0 - stake + stake * score / fair;
            }
        }
        assert!(
            (ln[side] - capitals.iter().sum::<f64>().ln()).abs() < 1e-12,
            "{ln:?} {capitals:?}"
        );
    }
}

#[test]
fn bets_on_normalized_elo_hold_for_every_variance() {
    let capitals = |model, elo0, elo1| {
        let test = early(standard(model, elo0, elo1), &[4, 3, 2, 4]);
        test.capitals().unwrap().ln
    };
    let ln = |elo0, elo1| capitals(Model::Normalized, elo0, elo1);
    let [above, below] = ln(0.0, 10.0);
    // A score above one half is the same in both models.
    let [level, _] = capitals(Model::Logistic, 0.0, 10.0);
    assert!((above - level).abs() < 1e-12);
    // If units hardly vary, the mean of a bot of +10 is hardly above one half.
    let [_, of_half] = capitals(Model::Logistic, -10.0, 0.0);
    assert!((below - of_half).abs() < 1e-12);
    // It may be more where units vary much.
    assert!(ln(10.0, 20.0)[0] < above);
    // Hypotheses that no score reaches are never refuted, nor anything else odd.
    let far = [ln(1900.0, 2000.0), ln(-2000.0, -1900.0)].concat();
    assert!(far.iter().all(|ln| ln.is_finite()));
}

#[test]
fn an_interval_that_holds_at_any_time_is_wider_than_one_that_does_not() {
    for counts in [
        [3, 10, 40, 20, 7],
        [0, 0, 0, 0, 11],
        [0, 0, 1, 0, 0],
        [0, 0, 5, 3, 0],
    ] {
        let at_every_look =
            |scores: &UnitScores| Estimate::at_every_look(scores, 2, scores.units()).unwrap();
        let mut turned = counts;
        turned.reverse();
        let [scores, swapped] = [counts, turned].map(pairs);
        let (anytime, plain) = (at_every_look(&scores), match_elo(&scores, 2).unwrap());
        assert!(
            anytime.lo95 < plain.lo95 && anytime.hi95 >= plain.hi95,
            "{anytime:?} {plain:?}"
        );
        let other = at_every_look(&swapped);
        for (end, mirrored) in [(anytime.lo95, -other.hi95), (anytime.hi95, -other.lo95)] {
            assert!(
                end.total_cmp(&mirrored).is_eq() || (end - mirrored).abs() < 1e-9,
                "{anytime:?} {other:?}"
            );
        }
    }
}

#[test]
fn what_is_left_of_a_clear_case_is_short() {
    let hypotheses = standard(Model::Logistic, 0.0, 10.0);
    let units = Units::assumed(2, 0.3, 0.0).unwrap();
    let of_bot = |elo| early(hypotheses, &[]).outlook(&units, elo_to_score(elo));
    let plain = |elo| outlook(&hypotheses, &units, elo_to_score(elo), 0.0);
    assert!(of_bot(300.0).expected_units < 0.3 * plain(300.0).expected_units);
    assert!(of_bot(5.0).expected_units > plain(5.0).expected_units);
    for elo in [-200.0, -30.0, 0.0, 5.0, 40.0, 300.0] {
        let outlook = of_bot(elo);
        let [half, most] = [0.5, 0.9].map(|share| outlook.units_quantile(share));
        assert!(
            half < most && half < 1.1 * outlook.expected_units,
            "{elo}: {half} {most} {outlook:?}"
        );
    }
    let later = early(hypotheses, &[4, 4, 4, 3, 4]).outlook(&units, elo_to_score(300.0));
    assert!(later.expected_units < of_bot(300.0).expected_units - 4.0);
}

#[test]
fn repeated_units_carry_no_verdict() {
    assert!(too_repetitive(1, 100) && too_repetitive(89, 100));
    assert!(!too_repetitive(90, 100) && !too_repetitive(0, 0));
}

#[test]
fn a_null_stream_without_level_pairs_fails_a_test() {
    // Deterministic bots score one half on every pair, and no test of such data can err. These
    // pairs are won or lost.
    let mut state = 1_u64;
    let mut passes = 0;
    for _ in 0..200 {
        let mut test = of_pairs(false, standard(Model::Logistic, 0.0, 50.0));
        while test.state() == State::Running {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            test.add(if state >> 63 == 0 { 0 } else { 4 }).unwrap();
        }
        assert!(test.scores().variance().unwrap() > 0.0);
        passes += u32::from(test.state() == State::Accepted);
    }
    // The 99.5% quantile of a binomial distribution with 200 trials of 5%.
    assert!(passes <= 19, "{passes}");
    assert!(passes > 0, "a test that never errs says little");
}

proptest! {
    #[test]
    fn swapping_the_sides_turns_a_test_around(
        counts in prop::array::uniform5(prop_oneof![Just(0), 0..30_u64, 0..50_000_u64]),
        elo in 0.1..100.0_f64,
        normalized: bool,
    ) {
        let model = if normalized { Model::Normalized } else { Model::Logistic };
        let hypotheses = standard(model, -elo, elo);
        let [a, b, c, d, e] = counts;
        let [one, two] = [counts, [e, d, c, b, a]].map(|counts| llr(&pairs(counts), 2, &hypotheses));
        prop_assert!((one + two).abs() < 1e-7 * (1.0 + one.abs()), "{} {}", one, two);
        prop_assert!(one.is_finite());
    }

    #[test]
    fn all_counts_can_be_tested(
        denominator in 1..49_u32,
        units in prop::collection::vec((any::<prop::sample::Index>(), 0..1_000_000_000_u64), 0..8),
        elo0 in -2000.0..2000.0_f64,
        width in 0.001..500.0_f64,
        normalized: bool,
    ) {
        let model = if normalized { Model::Normalized } else { Model::Logistic };
        let Ok(hypotheses) = Hypotheses::new(model, elo0, elo0 + width, 0.05, 0.1) else { return Ok(()) };
        let mut scores = UnitScores::new(denominator);
        for (numerator, count) in units {
            scores.add(u32::try_from(numerator.index(denominator as usize + 1)).unwrap(), count).unwrap();
        }
        let llr = llr(&scores, 2, &hypotheses);
        prop_assert!(llr.is_finite(), "{}", llr);
        if let Some(estimate) = estimate::after_stop(&scores, 2, &hypotheses, [0.05; 2]) {
            prop_assert!(!estimate.elo.is_nan() && (0.0..=1.0 + 1e-9).contains(&estimate.los.unwrap()), "{:?}", estimate);
        }
        let is_within = model == Model::Logistic && elo0 > -900.0 && elo0 + width < 900.0;
        for early in [false, true].into_iter().filter(|_| is_within) {
            let test = Sprt::new(early, hypotheses, 2, scores.clone());
            let Some(estimate) = test.estimate() else { continue };
            if test.state() == State::Running {
                continue;
            }
            prop_assert!((estimate.confidence - 0.85).abs() < 1e-12);
            if test.state() == State::Accepted {
                prop_assert!(estimate.lo95 >= elo0 - 1e-6, "{:?}", estimate);
            } else {
                prop_assert!(estimate.hi95 <= elo0 + width + 1e-6, "{:?}", estimate);
            }
        }
        if let Some(units) = Units::like(&scores, 2) {
            let outlook = outlook(&hypotheses, &units, elo_to_score(elo0), 0.0);
            prop_assert!((0.0..=1.0).contains(&outlook.pass_probability), "{:?}", outlook);
            prop_assert!(outlook.expected_units >= outlook.fewest_units && outlook.units_quantile(0.9) > 0.0);
        }
    }
}
