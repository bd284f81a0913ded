//! Whether a part of some units differs from the rest, where the units are of several kinds that differ anyway: those of a worker
//! among those of all workers, by who played whom.

use statrs::distribution::{ChiSquared, ContinuousCDF as _, DiscreteCDF as _, Poisson};

/// Values of units of one kind, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// How many there are.
    pub count: u64,
    sum: f64,
    squares: f64,
}

impl Sums {
    /// Adds the value of a unit.
    pub fn add(&mut self, value: f64) {
        self.join(Sums {
            count: 1,
            sum: value,
            squares: value * value,
        });
    }

    /// Adds those of other units.
    pub fn join(&mut self, other: Sums) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}

/// A part against the rest, over all kinds that both have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contrast {
    /// The units of the part.
    pub units: u64,
    /// Those of the rest.
    pub others: u64,
    /// The mean of the part.
    pub here: f64,
    /// That of the rest, of each kind as often as the part has it.
    pub elsewhere: f64,
    /// The sum that the part would have if it were drawn from all, and the variance of that.
    expected: f64,
    variance: f64,
}

impl Contrast {
    /// Of a part and all, for each kind; `None` if there is no kind that both the part and the rest have.
    pub fn of(strata: impl IntoIterator<Item = (Sums, Sums)>) -> Option<Contrast> {
        let mut found = Contrast::default();
        for (part, all) in strata
            .into_iter()
            .filter(|(part, all)| part.count > 0 && part.count < all.count)
        {
            let (units, others, total) = (
                part.count as f64,
                (all.count - part.count) as f64,
                all.count as f64,
            );
            let variance = (all.squares / total - all.mean() * all.mean()).max(0.0);
            found.units += part.count;
            found.others += all.count - part.count;
            found.here += part.sum;
            found.elsewhere += units * (all.sum - part.sum) / others;
            found.expected += units * all.mean();
            found.variance += variance * units * others / (total - 1.0);
        }
        let units = found.units as f64;
        (found.units > 0).then(|| Contrast {
            here: found.here / units,
            elsewhere: found.elsewhere / units,
            ..found
        })
    }

    /// The chance that the mean of a part differs as much or more if units are dealt to it at random (N. Mantel 1963, a chi-squared
    /// test of one degree of freedom). Holds where there are some dozens of units.
    pub fn differs(&self) -> f64 {
        let deviation = self.here * self.units as f64 - self.expected;
        match ChiSquared::new(1.0) {
            Ok(distribution) if self.variance > 0.0 => {
                distribution.sf(deviation * deviation / self.variance)
            }
            _ => 1.0,
        }
    }

    /// The chance that values of 0 and 1 add up to as much in the part, or more. It is that of the Poisson distribution, which is
    /// never too small however rare ones are (W. Hoeffding 1956).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a sum of zeros and ones"
    )]
    pub fn is_more(&self) -> f64 {
        let sum = (self.here * self.units as f64).round() as u64;
        match Poisson::new(self.expected) {
            Ok(distribution) if sum > 0 => distribution.sf(sum - 1),
            _ => 1.0,
        }
    }
}
