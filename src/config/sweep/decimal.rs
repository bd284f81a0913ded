//! Decimal numbers as they are written, so that steps of 0.1 never become 0.30000000000000004.

use std::fmt;

/// The digits behind the point that a number may have; more digits in all than this are no parameter of a bot.
const PLACES: u32 = 18;

/// A decimal number, counted in its smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal(i128);

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

    /// `digits` divided by ten as often as `scale` says.
    fn new(digits: i128, scale: i64) -> Option<Decimal> {
        if digits == 0 {
            return Some(Decimal(0));
        }
        let shift = i64::from(PLACES).checked_sub(scale)?;
        let power = 10_i128.checked_pow(u32::try_from(shift.unsigned_abs()).ok()?)?;
        let units = match shift {
            0.. => digits.checked_mul(power)?,
            _ if digits % power == 0 => digits / power,
            _ => return None,
        };
        let needless = (0..PLACES).take_while(|&zeros| units % 10_i128.pow(zeros + 1) == 0).count();
        let needed = units.unsigned_abs().checked_ilog10()? + 1 - u32::try_from(needless).ok()?;
        (needed <= PLACES).then_some(Decimal(units))
    }

    pub(super) fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// How many numbers there are from `self` up to `max`, both included, `step` apart, which is above 0; 0 if `max` is
    /// below.
    pub(super) fn count_to(self, max: Decimal, step: Decimal) -> u128 {
        u128::try_from(max.0 - self.0).map_or(0, |length| length / step.0.unsigned_abs().max(1) + 1)
    }

    /// The number `steps` steps above.
    pub(super) fn plus(self, step: Decimal, steps: u32) -> Option<Decimal> {
        Decimal::new(step.0.checked_mul(steps.into())?.checked_add(self.0)?, PLACES.into())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let unit = 10_u128.pow(PLACES);
        let (whole, fraction) = (self.0.unsigned_abs() / unit, self.0.unsigned_abs() % unit);
        let shown = format!("{sign}{whole}.{fraction:018}");
        f.write_str(shown.trim_end_matches('0').trim_end_matches('.'))
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
