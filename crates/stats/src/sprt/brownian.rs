//! Brownian motion between two absorbing bounds, which is how the LLR of a long test behaves.
//!
//! D. Siegmund, *Sequential Analysis* (1985). Time is scaled so that the variance is 1 per unit of
//! it. The probabilities are sums over sine waves for long times, and over mirror images for short
//! times. Each sum is short and free of cancellation in its range.

use std::f64::consts::PI;

use crate::normal_cdf;

/// The shortest time, in squares of the height, for waves; images are better for shorter times.
const LONG: f64 = 0.2;
/// The numbers of images on either side and of waves. Further ones are below the last digit.
const IMAGES: i32 = 4;
const WAVES: i32 = 12;

/// A motion that starts `start` above the lower bound at 0, below the upper one at `height`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    pub(super) start: f64,
    pub(super) height: f64,
    /// Mean movement per time.
    pub(super) drift: f64,
}

impl Motion {
    /// Returns the chance to be absorbed at the lower bound sooner or later.
    pub(super) fn lower_ever(&self) -> f64 {
        let (start, height, drift) = (self.start, self.height, self.drift);
        if drift < 0.0 {
            return 1.0 - self.mirrored().lower_ever();
        }
        let share = if drift == 0.0 {
            1.0 - start / height
        } else {
            (-2.0 * drift * (height - start)).exp_m1() / (-2.0 * drift * height).exp_m1()
        };
        (-2.0 * drift * start).exp() * share
    }

    /// Returns the chance to be between the bounds after `time`.
    pub(super) fn inside(&self, time: f64) -> f64 {
        self.below(self.height, time) - self.below(0.0, time)
    }

    /// Returns the chance to be absorbed at the lower bound within `time`, or to be between it and
    /// `level` then.
    pub(super) fn below(&self, level: f64, time: f64) -> f64 {
        if time >= LONG * self.height * self.height {
            self.lower_ever() + self.waves(level, time)
        } else {
            self.mirrored().upper_soon(time) + self.inside_below_soon(level, time)
        }
    }

    /// Returns the chance to be below `level` after `time`, less that of all time at the lower
    /// bound.
    fn waves(&self, level: f64, time: f64) -> f64 {
        let (start, height, drift) = (self.start, self.height, self.drift);
        let mut sum = 0.0;
        for n in 1..=WAVES {
            let wave = f64::from(n) * PI / height;
            let square = drift * drift + wave * wave;
            let weight = drift * (level - start) - square * time / 2.0;
            let (sin, cos) = (wave * level).sin_cos();
            sum += (wave * start).sin() * weight.exp() * (drift * sin - wave * cos) / square;
        }
        2.0 / height * sum
    }

    /// Returns the chance to be absorbed at the upper bound within a short time. The start is
    /// mirrored at both bounds again and again, and every image reaches the upper bound when a
    /// motion without a lower one would.
    fn upper_soon(&self, time: f64) -> f64 {
        let (start, height, drift) = (self.start, self.height, self.drift);
        let (weight, root) = (drift * (height - start), time.sqrt());
        let mut sum = 0.0;
        for image in -IMAGES..=IMAGES {
            let distance: f64 = height - start + 2.0 * f64::from(image) * height;
            let away = distance.abs();
            let reached = scaled_tail(weight - drift * away, (away - drift * time) / root)
                + scaled_tail(weight + drift * away, (away + drift * time) / root);
            sum += distance.signum() * reached;
        }
        sum
    }

    /// Returns the chance to be between the lower bound and `level` after a short time.
    fn inside_below_soon(&self, level: f64, time: f64) -> f64 {
        let (start, height, drift) = (self.start, self.height, self.drift);
        let root = time.sqrt();
        let mut inside = 0.0;
        for n in -IMAGES..=IMAGES {
            let shift = 2.0 * f64::from(n) * height;
            let [direct, mirrored] = [shift + start, shift - start].map(|image| {
                let [lo, hi] = [0.0, level].map(|at| (at - image - drift * time) / root);
                scaled_between(drift * (image - start), lo, hi)
            });
            inside += direct - mirrored;
        }
        f64::max(inside, 0.0)
    }

    fn mirrored(&self) -> Motion {
        Motion {
            start: self.height - self.start,
            drift: -self.drift,
            ..*self
        }
    }
}

/// Returns `e^exponent` times the normal probability above `z`, even if one factor is out of the
/// range of numbers.
fn scaled_tail(exponent: f64, z: f64) -> f64 {
    if z < 25.0 {
        return exponent.exp() * normal_cdf(-z);
    }
    let z2 = (z * z).recip();
    let series = 1.0 - z2 * (1.0 - 3.0 * z2 * (1.0 - 5.0 * z2));
    (exponent - z * z / 2.0).exp() * series / (z * (2.0 * PI).sqrt())
}

/// Returns `e^exponent` times the normal probability between `lo` and `hi`, from the tail on their
/// side of 0.
fn scaled_between(exponent: f64, lo: f64, hi: f64) -> f64 {
    if lo + hi > 0.0 {
        scaled_tail(exponent, lo) - scaled_tail(exponent, hi)
    } else {
        scaled_tail(exponent, -hi) - scaled_tail(exponent, -lo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_and_images_are_the_same() {
        for drift in [-8.0, -0.7, 0.0, 0.3, 5.0] {
            for start in [0.4, 2.9, 5.0] {
                let motion = Motion {
                    start,
                    height: 5.9,
                    drift,
                };
                let seam = LONG * motion.height * motion.height;
                let (before, after) = (seam * (1.0 - 1e-12), seam * (1.0 + 1e-12));
                for level in [0.1, 3.0, 5.8] {
                    let (images, waves) = (motion.below(level, before), motion.below(level, after));
                    assert!(
                        (images - waves).abs() < 1e-9,
                        "{motion:?} {level}: {images} {waves}"
                    );
                }
                assert!((motion.inside(before) - motion.inside(after)).abs() < 1e-9);
                let all = motion.below(0.0, after)
                    + motion.mirrored().below(0.0, after)
                    + motion.inside(after);
                assert!((all - 1.0).abs() < 1e-9, "{motion:?}: {all}");
            }
        }
    }

    #[test]
    fn extreme_drifts_give_probabilities() {
        for drift in [-1e4, -300.0, 300.0, 1e4] {
            let motion = Motion {
                start: 3.0,
                height: 6.0,
                drift,
            };
            for time in [1e-6, 0.001, 0.01, 1.0, 100.0] {
                let chance = motion.below(4.0, time);
                let place = 3.0 + drift * time;
                // Within so little time the motion is where its drift carries it.
                let expected = f64::from(u8::from(place < 4.0));
                assert!((chance - expected).abs() < 1e-6, "{drift} {time}: {chance}");
            }
        }
    }
}
