//! Shares, quantiles and the sign test: published numbers, laws, and simulations.

use arena_stats::rates::{Rate, quantile_ranks, sign_test};
use proptest::prelude::*;
use statrs::distribution::{Discrete, Hypergeometric};

use crate::published::{close, get, golden};
use crate::random::{share, simulate};

#[test]
fn published_rates() {
    for entry in golden("timeouts") {
        let rate = Rate::new(get(&entry, "timeouts"), get(&entry, "games")).unwrap();
        let [lo, hi]: [f64; 2] = get(&entry, "exact");
        let published = [
            get(&entry, "rate"),
            lo,
            hi,
            get(&entry, "upper_one_sided_95"),
        ];
        for (ours, published) in [rate.share, rate.lo95, rate.hi95, rate.below95]
            .into_iter()
            .zip(published)
        {
            close(ours, published, 1e-9, &entry);
        }
    }
    assert_eq!((Rate::new(0, 0), Rate::new(2, 1)), (None, None));
}

#[test]
fn no_time_out_in_300_games_is_below_1_percent() {
    assert!(Rate::new(0, 300).unwrap().below95 < 0.01 && Rate::new(0, 298).unwrap().below95 > 0.01);
}

#[test]
fn published_quantiles() {
    for entry in golden("timing") {
        let mut samples: Vec<f64> = get(&entry, "samples_ms");
        samples.sort_by(f64::total_cmp);
        for (quantile, name) in [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")] {
            let published: [Option<f64>; 2] = get(&entry, &format!("{name}_ci95"));
            let ours = quantile_ranks(quantile, samples.len() as u64)
                .map(|rank| Some(samples[usize::try_from(rank?).unwrap() - 1]));
            assert_eq!(ours, published, "{name} in {entry}");
        }
    }
}

#[test]
fn an_end_of_p99_takes_368_values() {
    assert_eq!(
        [367, 368].map(|values| quantile_ranks(0.99, values)[1]),
        [None, Some(368)]
    );
    assert_eq!(quantile_ranks(0.5, 0), [None; 2]);
}

/// No rank jumps when the normal distribution takes over.
#[test]
fn ranks_of_many_values_go_on_as_those_of_few() {
    for quantile in [0.5, 0.95, 0.99] {
        let [few, many] =
            [10_000, 10_001].map(|values| quantile_ranks(quantile, values).map(Option::unwrap));
        for (few, many) in few.into_iter().zip(many) {
            assert!(few.abs_diff(many) <= 2, "{quantile}: {few} {many}");
        }
    }
}

/// As `binom.test` of R and `scipy.stats.binomtest` give them.
#[test]
fn published_sign_tests() {
    for ((one, other), published) in [
        ((2, 8), 0.109_375),
        ((6, 16), 0.052_479),
        ((0, 5), 0.0625),
        ((121, 59), 4.434e-6),
    ] {
        let p = sign_test(one, other);
        assert!(
            (p - published).abs() < 1e-3 * published,
            "{one} {other}: {p}"
        );
    }
}

proptest! {
    #[test]
    fn rates_are_in_order_and_see_both_sides(count in 0..400_u64, more in 0..4000_u64) {
        prop_assume!(count + more > 0);
        let (rate, other) = (Rate::new(count, count + more).unwrap(), Rate::new(more, count + more).unwrap());
        prop_assert!(0.0 <= rate.lo95 && rate.lo95 <= rate.share && rate.share <= rate.below95);
        prop_assert!(rate.below95 <= rate.hi95 && rate.hi95 <= 1.0);
        prop_assert!((rate.lo95 + other.hi95 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn sign_tests_see_both_sides(one in 0..2000_u64, other in 0..2000_u64) {
        let p = sign_test(one, other);
        prop_assert!((0.0..=1.0).contains(&p));
        prop_assert!((p - sign_test(other, one)).abs() < 1e-12);
        prop_assert!(one.abs_diff(other) > 1 || p > 0.999_999, "{}", p);
    }
}

/// Fisher's exact test of two samples of so many games, two-sided.
fn fisher(counts: [u64; 2], games: u64) -> f64 {
    let all = Hypergeometric::new(2 * games, games, counts[0] + counts[1]).unwrap();
    let seen = all.pmf(counts[0]) * (1.0 + 1e-7);
    (0..=counts[0] + counts[1])
        .map(|count| all.pmf(count))
        .filter(|&chance| chance <= seen)
        .sum()
}

#[test]
fn the_lady_tastes_tea() {
    assert!((fisher([3, 1], 4) - 0.485_714_285_714).abs() < 1e-9);
}

#[test]
fn exact_intervals_hold_the_truth() {
    const RUNS: usize = 2000;
    for (truth, games) in [(0.002, 300), (0.02, 300), (0.3, 40)] {
        let rates = simulate(RUNS, 91, |random| {
            Rate::new(
                (0..games).filter(|_| random.uniform() < truth).count() as u64,
                games,
            )
            .unwrap()
        });
        let held = share(&rates, |rate| (rate.lo95..=rate.hi95).contains(&truth));
        let below = share(&rates, |rate| truth <= rate.below95);
        println!("{truth} of {games}: {held} {below}");
        assert!(
            held > 0.94 && below > 0.935,
            "{truth} of {games}: {held} {below}"
        );
    }
    // The usual interval, share and 1.96 standard errors, is nothing where nothing happened.
    let usual = simulate(RUNS, 92, |random| {
        let share = (0..300).filter(|_| random.uniform() < 0.002).count() as f64 / 300.0;
        (share - 0.002).abs() <= 1.96 * (share * (1.0 - share) / 300.0).sqrt()
    });
    let usual = share(&usual, |&holds| holds);
    assert!(usual < 0.6, "the usual interval is known to fail: {usual}");
    println!("usual: {usual}");
}

/// Two bots that are as likely to fail, in units of two games that end when one of them fails; a
/// seed that makes a bot fail does so in both.
#[test]
fn equal_bots_are_told_apart_as_seldom_as_is_said() {
    const RUNS: usize = 1000;
    for (each, units) in [(0.02, 100), (0.2, 100), (0.4, 100), (0.5, 50)] {
        let found = simulate(RUNS, 93, |random| {
            let (mut ahead, mut games) = ([0; 2], [0; 2]);
            for drawn in (0..units).map(|_| random.uniform()) {
                // The bot that fails on this seed, if one does.
                let who = if drawn < each {
                    0
                } else if drawn < 2.0 * each {
                    1
                } else {
                    continue;
                };
                ahead[who] += 1;
                games[who] += 2;
            }
            [sign_test(ahead[0], ahead[1]), fisher(games, 2 * units)]
        });
        let [ours, fishers] = [0, 1].map(|rule| share(&found, |p| p[rule] < 0.05));
        println!("{each} in {units} units: {ours} {fishers}");
        assert!(
            ours < 0.05 + 3.5 * (0.05_f64 * 0.95 / RUNS as f64).sqrt(),
            "{each}: {ours}"
        );
        assert!(fishers > 0.09, "Fisher's test is known to fail: {fishers}");
    }
}

#[test]
fn intervals_of_quantiles_hold_the_truth() {
    const RUNS: usize = 2000;
    for (quantile, values) in [(0.5, 40), (0.95, 200), (0.99, 1000)] {
        let held = simulate(RUNS, 94, |random| {
            let mut sorted: Vec<f64> = (0..values).map(|_| random.uniform()).collect();
            sorted.sort_by(f64::total_cmp);
            let [lo, hi] = quantile_ranks(quantile, values)
                .map(|rank| sorted[usize::try_from(rank.unwrap()).unwrap() - 1]);
            (lo..=hi).contains(&quantile)
        });
        let held = share(&held, |&holds| holds);
        assert!(
            (0.935..0.985).contains(&held),
            "{quantile} of {values}: {held}"
        );
    }
}

/// Against the normal distribution, which is exact to the digits compared here.
#[test]
fn a_million_games_are_not_too_many() {
    for (count, of) in [
        (20_000, 1_000_000),
        (500_000, 1_000_000),
        (4_000_000, 5_000_000),
    ] {
        let rate = Rate::new(count, of).unwrap();
        let half = 1.96 * (rate.share * (1.0 - rate.share) / of as f64).sqrt();
        assert!(
            (rate.hi95 - rate.share - half).abs() < 0.01 * half,
            "{rate:?}"
        );
        assert!(
            (rate.share - rate.lo95 - half).abs() < 0.01 * half,
            "{rate:?}"
        );
    }
    let rare = Rate::new(3, 10_000_000).unwrap();
    assert!(
        (rare.hi95 * 1e7 - 8.7673).abs() < 1e-3 && (rare.lo95 * 1e7 - 0.6187).abs() < 1e-3,
        "{rare:?}"
    );
    let p = sign_test(501_000, 499_000);
    assert!((p - 0.0456).abs() < 0.0005, "{p}");
}
