//! Randomness that is the same on every machine and for every number of threads.

use rayon::prelude::*;

/// `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, run: u64) -> Self {
        let mut random = Self(
            seed.wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ run.wrapping_mul(0xA076_1D64_78BD_642F),
        );
        random.bits();
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between 0 and 1, neither included.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.uniform() * limit as f64) as usize
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub(crate) fn gumbel(&mut self) -> f64 {
        -(-self.uniform().ln()).ln()
    }
}

/// Plays many runs on all cores, each with its own randomness.
pub(crate) fn simulate<T: Send>(
    runs: usize,
    seed: u64,
    run: impl Fn(&mut Random) -> T + Sync,
) -> Vec<T> {
    // A trait object, so rayon's code is compiled once per result type, not once per closure.
    let run: &(dyn Fn(&mut Random) -> T + Sync) = &run;
    (0..runs)
        .into_par_iter()
        .map(|number| run(&mut Random::new(seed, number as u64)))
        .collect()
}

/// The share of runs that fulfil a condition.
pub(crate) fn share<T>(runs: &[T], of: impl Fn(&T) -> bool) -> f64 {
    runs.iter().filter(|run| of(run)).count() as f64 / runs.len() as f64
}

pub(crate) fn mean<T>(runs: &[T], of: impl Fn(&T) -> f64) -> f64 {
    runs.iter().map(of).sum::<f64>() / runs.len() as f64
}

/// The argument that gives a rising function this value.
pub(crate) fn solve(mut lo: f64, mut hi: f64, value: f64, rising: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..50 {
        let middle = f64::midpoint(lo, hi);
        if rising(middle) < value {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    f64::midpoint(lo, hi)
}
