use super::*;

#[test]
fn a_verdict_follows_from_the_duel_and_the_likelihood() {
    use Ordering::{Equal, Greater, Less};
    use Verdict::{LikelyStronger, Open, Stronger, Unlikely, Weaker};
    let ninety = Sure::Percent(90.0);
    for (duel, los, budgets, sure, verdict) in [
        (Some(Greater), Some(0.99), 1, ninety, Stronger),
        (Some(Greater), Some(0.99), 1, Sure::EveryLook, Stronger),
        // The duel alone decides, even if the gauntlet contradicts it.
        (Some(Greater), Some(0.05), 1, ninety, Stronger),
        (Some(Less), Some(0.95), 1, ninety, Weaker),
        (Some(Equal), Some(0.90), 1, ninety, LikelyStronger),
        (Some(Equal), Some(0.899), 1, ninety, Open),
        (
            Some(Equal),
            Some(0.85),
            1,
            Sure::Percent(80.0),
            LikelyStronger,
        ),
        (Some(Equal), Some(0.999), 1, Sure::EveryLook, Open),
        // Further budgets ask for more: 95%, then 96.7%.
        (Some(Equal), Some(0.949), 2, ninety, Open),
        (Some(Equal), Some(0.951), 2, ninety, LikelyStronger),
        (Some(Equal), Some(0.966), 3, ninety, Open),
        (Some(Equal), Some(0.967), 3, ninety, LikelyStronger),
        (Some(Equal), Some(0.10), 1, ninety, Open),
        (Some(Equal), Some(0.099), 1, ninety, Unlikely),
        (None, None, 1, ninety, Open),
    ] {
        let evidence = Evidence { duel, los, budgets };
        assert_eq!(evidence.verdict(sure), verdict, "{evidence:?}, {sure:?}");
    }
}

#[test]
fn a_gauntlet_needs_an_even_chance() {
    for (duel, los, deserves) in [
        (Some(Ordering::Greater), Some(0.99), true),
        (Some(Ordering::Equal), Some(0.51), true),
        (Some(Ordering::Equal), Some(0.5), false),
        (Some(Ordering::Less), Some(0.51), false),
        (None, None, false),
    ] {
        let evidence = Evidence {
            duel,
            los,
            budgets: 1,
        };
        assert_eq!(evidence.deserves_gauntlet(), deserves, "{evidence:?}");
    }
}

#[test]
fn luck_is_counted_for_every_look() {
    let close = |[one, other]: [f64; 2], expected: [f64; 2]| {
        (one - expected[0]).abs() < 1e-9 && (other - expected[1]).abs() < 1e-9
    };
    let ninety = Sure::Percent(90.0);
    let tries = || std::iter::repeat_n(1, 17);
    assert!(close(by_luck(tries(), ninety), [0.425, 1.7]));
    assert!(close(by_luck(tries(), Sure::EveryLook), [0.425, 0.425]));
    // 10% at the first budget, 5% more at the second.
    assert!(close(by_luck([1, 2].into_iter(), ninety), [0.075, 0.25]));
}
