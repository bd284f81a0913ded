//! Numbers as text: Elo, shares, probabilities, times and counts.

use std::time::Duration;

/// Indents lines below what they belong to.
pub fn indented(lines: &[String]) -> String {
    lines.iter().flat_map(|line| ["  ", line, "\n"]).collect()
}

/// A share with one decimal.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// A share that isn't rounded to nothing or to everything.
pub fn exact_percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent > 0.0 && percent < 0.000_5 => "<0.001%".to_owned(),
        percent if percent > 99.999_5 && percent < 100.0 => ">99.999%".to_owned(),
        percent if percent > 0.0 && percent < 0.05 || (99.95..100.0).contains(&percent) => {
            format!("{percent:.3}%")
        }
        percent => format!("{percent:.1}%"),
    }
}

/// A likelihood of superiority that isn't rounded to certainty.
pub fn likelihood(los: f64) -> String {
    match los {
        los if los > 0.999 => ">99.9%".to_owned(),
        los if los < 0.001 => "<0.1%".to_owned(),
        los => percent(los),
    }
}

/// A count with its digits in groups.
pub fn grouped(count: f64) -> String {
    if !(count.is_finite() && count < 1e15) {
        return ">10^15".to_owned();
    }
    let digits = format!("{count:.0}");
    let size = if digits.len() > 4 { 3 } else { 4 };
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(size)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(",")
}

/// Texts with commas between them; `None` without any.
pub fn list(texts: impl Iterator<Item = String>) -> Option<String> {
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// The names of up to four things, or of three of them and the number of the others.
pub fn few(names: &[String]) -> String {
    match names {
        [one, two, three, others @ ..] if others.len() > 1 => {
            format!("{one}, {two}, {three} and {} others", others.len())
        }
        few => few.join(" and "),
    }
}

/// A number of things.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The seating of a unit, to append to a number of games. Empty if two bots just swap seats.
pub fn seating(seats: usize, bots: usize) -> String {
    match (seats, bots) {
        (1, _) => ", each bot alone on the same seeds".to_owned(),
        (0..=2, _) => String::new(),
        (_, 2) => ", two bots that share the seats, mirrored".to_owned(),
        _ => format!(", groups of {bots} bots in all rotations"),
    }
}

/// A time limit of a turn.
pub fn limit(limit: Duration) -> String {
    match limit.as_millis() {
        0 => "as the referee says".to_owned(),
        ms => format!("{ms} ms"),
    }
}

/// A number with two decimals.
pub fn two_decimals(number: f64) -> String {
    format!("{number:.2}")
}

/// A time in milliseconds with `decimals` decimals.
pub fn ms(time: Duration, decimals: usize) -> String {
    format!("{:.decimals$} ms", 1000.0 * time.as_secs_f64())
}

/// A duration in the units that people use.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Elo with its sign, to one or two decimals; zero is never negative.
pub fn signed(elo: f64, decimals: usize) -> String {
    let scale = if decimals == 2 { 100.0 } else { 10.0 };
    format!("{:+.decimals$}", (elo * scale).round() / scale + 0.0)
}

/// A number at a line of a chart, with its sign.
pub fn level(value: f64, decimals: usize) -> String {
    match value {
        0.0 => "0".to_owned(),
        _ => format!("{value:+.decimals$}"),
    }
}

/// A round number of Elo, such as a bound.
pub fn bound(elo: f64) -> String {
    match elo {
        0.0 => "0".to_owned(),
        _ => format!("{elo:+}"),
    }
}

/// The decimals that Elo deserves, given its 95% error.
pub fn decimals(error95: f64) -> usize {
    if error95 < 1.0 { 2 } else { 1 }
}

/// An interval of Elo.
pub fn interval(ends: [f64; 2], decimals: usize) -> String {
    let [lo, hi] = ends.map(|end| match signed(end, decimals) {
        text if end.is_finite() => text,
        _ => "no limit".to_owned(),
    });
    format!("[{lo}, {hi}]")
}

/// A place, such as 3rd.
pub fn ordinal(place: usize) -> String {
    let end = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{place}{end}")
}

/// Elo with both ends, `+12.3 [+4.5, +20.1] Elo`: the one way to write an interval, while games are
/// played and after. A bot that won or lost everything has only one end, which may say nothing of
/// who is stronger.
pub fn estimate([elo, lo, hi]: [f64; 3]) -> String {
    let ends = || interval([lo, hi], 1);
    match elo {
        f64::INFINITY if lo > 0.0 => format!("more than {} Elo, won everything", signed(lo, 1)),
        f64::INFINITY => format!("won everything, {} Elo", ends()),
        f64::NEG_INFINITY if hi < 0.0 => {
            format!("less than {} Elo, lost everything", signed(hi, 1))
        }
        f64::NEG_INFINITY => format!("lost everything, {} Elo", ends()),
        _ => format!("{} {} Elo", signed(elo, 1), ends()),
    }
}

/// A number to four decimals, more than any value is accurate to; `summary.json` has them all.
/// Nothing if it isn't finite, like `null` in JSON.
pub fn decimal(value: f64) -> String {
    // Adding 0 turns a negative zero into a plain one.
    if value.is_finite() {
        ((value * 1e4).round() / 1e4 + 0.0).to_string()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_on_one_side_is_only_told_where_it_says_who_is_stronger() {
        const INF: f64 = f64::INFINITY;
        for (given, told) in [
            ([12.0, -3.0, 27.0], "+12.0 [-3.0, +27.0] Elo"),
            ([INF, 286.6, INF], "more than +286.6 Elo, won everything"),
            ([INF, -233.8, INF], "won everything, [-233.8, no limit] Elo"),
            (
                [-INF, -INF, -286.6],
                "less than -286.6 Elo, lost everything",
            ),
            (
                [-INF, -INF, 233.8],
                "lost everything, [no limit, +233.8] Elo",
            ),
        ] {
            assert_eq!(estimate(given), told);
        }
    }

    #[test]
    fn places_are_counted_as_people_do() {
        let places = [1, 2, 3, 4, 11, 12, 13, 21, 22, 103, 111].map(ordinal);
        assert_eq!(
            places.join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 103rd 111th"
        );
    }
}
