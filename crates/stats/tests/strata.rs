//! A part against the rest: a published example, and how often equal parts are told apart.
#![expect(clippy::cast_precision_loss, reason = "counts in tests are small")]

use arena_stats::strata::{Contrast, Sums};

use random::{share, simulate};

#[path = "validation/random.rs"]
#[expect(
    dead_code,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shared with other tests"
)]
mod random;

fn sums(ones: u64, zeros: u64) -> Sums {
    let mut sums = Sums::default();
    (0..ones).for_each(|_| sums.add(1.0));
    (0..zeros).for_each(|_| sums.add(0.0));
    sums
}

/// Men among those who applied at six departments in Berkeley, as in R's `mantelhaen.test(UCBAdmissions, correct = FALSE)`:
/// 1.5246 with one degree of freedom, p = 0.2169.
#[test]
fn a_published_example() {
    let departments = [
        ([512, 313], [89, 19]),
        ([353, 207], [17, 8]),
        ([120, 205], [202, 391]),
        ([138, 279], [131, 244]),
        ([53, 138], [94, 299]),
        ([22, 351], [24, 317]),
    ];
    let strata = departments.map(|([men, no_men], [women, no_women])| {
        let mut all = sums(women, no_women);
        all.join(sums(men, no_men));
        (sums(men, no_men), all)
    });
    let contrast = Contrast::of(strata).unwrap();
    assert!(
        (contrast.differs() - 0.2169).abs() < 1e-4,
        "{contrast:?} {}",
        contrast.differs()
    );
    // In all departments together more men were admitted, but women in those where men applied.
    assert!(
        contrast.here < contrast.elsewhere && contrast.units == 2691,
        "{contrast:?}"
    );
}

#[test]
fn what_nothing_can_be_compared_with_is_no_contrast() {
    assert_eq!(
        Contrast::of([(sums(3, 4), sums(3, 4)), (sums(0, 0), sums(5, 5))]),
        None
    );
    let same = Contrast::of([(sums(0, 4), sums(0, 9))]).unwrap();
    assert_eq!((same.differs(), same.is_more()), (1.0, 1.0));
}

/// Units of three kinds with other scores and faults each, dealt to four parts of unequal size, which are alike or not.
#[test]
fn equal_parts_are_told_apart_no_more_often_than_said() {
    let found = simulate(2000, 1, |random| {
        let mut parts = [[[Sums::default(); 3]; 2]; 4];
        for unit in 0..600 {
            let (kind, part) = (unit % 3, [0, 1, 1, 2, 2, 2, 3, 3, 3, 3][random.below(10)]);
            let mut one_in = |chance: f64| f64::from(u8::from(random.uniform() < chance));
            parts[part][0][kind].add(f64::midpoint(one_in(0.3 + 0.2 * kind as f64), one_in(0.5)));
            parts[part][1][kind].add(one_in(0.002 * (1 + kind) as f64));
        }
        let contrast = |part: usize, what: usize| {
            Contrast::of((0..3).map(|kind| {
                let mut all = Sums::default();
                for part in &parts {
                    all.join(part[what][kind]);
                }
                (parts[part][what][kind], all)
            }))
            .unwrap()
        };
        [
            contrast(0, 0).differs() < 0.05,
            contrast(0, 1).is_more() < 0.05,
        ]
    });
    let [scores, faults] = [0, 1].map(|what| share(&found, |told: &[bool; 2]| told[what]));
    assert!(
        (0.03..0.07).contains(&scores) && faults < 0.06,
        "{scores} {faults}"
    );
}

#[test]
fn a_part_that_differs_is_found() {
    let mut all = sums(500, 500);
    all.join(sums(80, 20));
    let contrast = Contrast::of([(sums(80, 20), all)]).unwrap();
    assert!(
        contrast.differs() < 1e-7 && (contrast.here, contrast.elsewhere) == (0.8, 0.5),
        "{contrast:?}"
    );
    // Ten of ten that failed, where nobody else did.
    let mut all = sums(0, 1000);
    all.join(sums(10, 0));
    assert!(Contrast::of([(sums(10, 0), all)]).unwrap().is_more() < 1e-10);
}
