//! Decimal numbers as they are written, so that steps of 0.1 never become 0.30000000000000004.

use std::fmt;

/// More digits than this are no parameter of a bot.
const MOST_DIGITS: u32 = 18;

/// A decimal number: `digits` divided by ten as often as `scale` says; no more digits than it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    /// A number as TOML writes it, an exponent included; `None` for what is no number, and for too many digits.
    pub(super) fn parse(text: &str) -> Option<Decimal> {
        let text = text.replace('_', "").to_ascii_lowercase();
        let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let exponent: i64 = exponent.parse().ok()?;
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Decimal::new(digits, i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?)
    }

    fn new(mut digits: i128, mut scale: i64) -> Option<Decimal> {
        if digits == 0 {
            return Some(Decimal { digits, scale: 0 });
        }
        while digits % 10 == 0 && scale > 0 {
            digits /= 10;
            scale -= 1;
        }
        let fits = |digits: i128| digits.unsigned_abs() < 10_u128.pow(MOST_DIGITS);
        while scale < 0 && fits(digits) {
            digits *= 10;
            scale += 1;
        }
        let scale = u32::try_from(scale).ok().filter(|&scale| scale <= MOST_DIGITS)?;
        fits(digits).then_some(Decimal { digits, scale })
    }

    /// The digits of a number with so many behind the point.
    fn at(self, scale: u32) -> i128 {
        self.digits * 10_i128.pow(scale - self.scale)
    }

    pub(super) fn is_positive(self) -> bool {
        self.digits > 0
    }

    /// How many numbers there are from `self` up to `max`, both included, `step` apart, which is above 0; 0 if `max` is
    /// below.
    pub(super) fn count_to(self, max: Decimal, step: Decimal) -> u128 {
        let scale = self.scale.max(max.scale).max(step.scale);
        let (min, max, step) = (self.at(scale), max.at(scale), step.at(scale));
        u128::try_from(max - min).map_or(0, |length| length / step.unsigned_abs().max(1) + 1)
    }

    /// The number `steps` steps above.
    pub(super) fn plus(self, step: Decimal, steps: u32) -> Option<Decimal> {
        let scale = self.scale.max(step.scale);
        let digits = step.at(scale).checked_mul(i128::from(steps))?.checked_add(self.at(scale))?;
        Decimal::new(digits, scale.into())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let unit = 10_u128.pow(self.scale);
        let (whole, fraction) = (self.digits.unsigned_abs() / unit, self.digits.unsigned_abs() % unit);
        match usize::try_from(self.scale).unwrap_or_default() {
            0 => write!(f, "{sign}{whole}"),
            width => write!(f, "{sign}{whole}.{fraction:0width$}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Option<String> {
        Decimal::parse(text).map(|number| number.to_string())
    }

    #[test]
    fn numbers_are_written_with_no_more_digits_than_they_have() {
        let cases = [
            ("0.30", "0.3"),
            ("-0.050", "-0.05"),
            ("+7", "7"),
            ("1e3", "1000"),
            ("2.5E-3", "0.0025"),
            ("1_000.0", "1000"),
            ("-0.0", "0"),
            ("0e-9999999999999999", "0"),
            ("0e9999999999999999", "0"),
            ("100", "100"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "inf",
            "nan",
            "",
            "1e99",
            "1e-99",
            "1234567890123456789",
            "0x10",
            "1e99999999999999999999",
            "1e-9999999999999999",
            "-170141183460469231731687303715884105728",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn steps_are_exact(min in -1_000_000..1_000_000_i64, step in 1..10_000_i64, scale in 0..9_u32, steps in 0..1000_u32) {
            let number = |digits: i64| Decimal::new(digits.into(), scale.into()).unwrap();
            let end = number(min).plus(number(step), steps).unwrap();
            prop_assert_eq!(end, number(min + step * i64::from(steps)));
            prop_assert_eq!(number(min).count_to(end, number(step)), u128::from(steps) + 1);
            prop_assert_eq!(end.count_to(number(min), number(step)), u128::from(steps == 0));
            prop_assert_eq!(shown(&end.to_string()), Some(end.to_string()));
        }
    }
}
