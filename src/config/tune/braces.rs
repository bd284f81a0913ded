//! Ranges in the command of a bot that is tuned without a config: `{name=start:min..max}`, with
//! `:step=STEP` or `:log` after the range if wanted.

use super::super::mistake::quoted;
use super::super::parameters::is_name;
use super::{Choice, Finite, Number, Positive, TuneRange};
use arena_stats::tune::Scale;
use indexmap::IndexMap;

/// How a range is written.
const FORM: &str = "expected {NAME=START:MIN..MAX}, and behind MAX if wanted :step=STEP or :log, as in {depth=4:1..9} or {margin=100:10..1000:log}";

/// Takes the ranges out of commands. The first command starts the bot to tune, and only it may have
/// ranges. Returns the commands with only names in braces, and the parameters.
pub(crate) fn with_ranges(
    lines: &[String],
) -> Result<(Vec<String>, IndexMap<String, TuneRange>), String> {
    let mut parameters = IndexMap::new();
    let mut plain = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let mut parts = line.split('{');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            text.push('{');
            let (written, rest) = part.split_once('}').unwrap_or_default();
            if !is_range(written) {
                text += part;
                continue;
            }
            if number > 0 {
                let line = quoted(line);
                let why = "an opponent has fixed values, only the first bot is tuned";
                return Err(format!("{{{written}}} in {line}: {why}"));
            }
            let (name, range) =
                parameter(written).ok_or_else(|| format!("{{{written}}}: {FORM}"))?;
            text.extend([name, "}", rest]);
            if parameters.insert(name.to_owned(), range).is_some() {
                return Err(format!(
                    "{{{written}}}: `{name}` already has a range; {{{name}}} repeats its value"
                ));
            }
        }
        plain.push(text);
    }
    if parameters.is_empty() {
        let first = lines.first().map_or("", String::as_str);
        return Err(format!("{} has no range in braces: {FORM}", quoted(first)));
    }
    Ok((plain, parameters))
}

/// Whether text between braces is meant as a range.
fn is_range(text: &str) -> bool {
    let (name, _) = text.split_once('=').unwrap_or_default();
    is_name(name) || text.contains(':') && text.contains("..")
}

/// Reads a range without its braces. Whether its values fit together is checked later.
fn parameter(written: &str) -> Option<(&str, TuneRange)> {
    let (name, written) = written.split_once('=')?;
    let mut words = written.split(':');
    let start = number(words.next()?)?;
    let (min, max) = words.next()?.split_once("..")?;
    let mut range = TuneRange {
        min: number(min)?,
        max: number(max)?,
        start,
        step: None,
        scale: None,
    };
    for word in words {
        match word.strip_prefix("step=") {
            Some(step) => match number(step)?.value() {
                step if step > 0.0 => range.step = Some(Positive(step)),
                _ => return None,
            },
            None if word == "log" => range.scale = Some(Choice(Scale::Log)),
            None => return None,
        }
    }
    Some((name, range))
}

fn number(text: &str) -> Option<Number> {
    if let Ok(integer) = text.parse() {
        return Some(Number::Integer(integer));
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Some(Number::Float(Finite(number))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<(Vec<String>, IndexMap<String, TuneRange>), String> {
        with_ranges(
            &lines
                .iter()
                .map(|line| (*line).to_owned())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn ranges_stand_where_their_names_do() {
        let lines = [
            "N={n=3:-1..9} ./bot {seed} {n} {w=0.5:0..2} '{\"a\":1}' {m=100:10..1000:log} {s=4:0..40:step=4} {",
            "./other {seed} {} {1..3}",
        ];
        let (plain, parameters) = read(&lines).unwrap();
        assert_eq!(
            plain,
            [
                "N={n} ./bot {seed} {n} {w} '{\"a\":1}' {m} {s} {",
                "./other {seed} {} {1..3}"
            ]
        );
        let shown = |(name, range): (&String, &TuneRange)| {
            let range = range.parameter();
            format!(
                "{name} {} {} {} {:?} {:?}",
                range.min, range.max, range.start, range.step, range.scale
            )
        };
        assert_eq!(
            parameters.iter().map(shown).collect::<Vec<_>>(),
            [
                "n -1 9 3 Some(1.0) Linear",
                "w 0 2 0.5 None Linear",
                "m 10 1000 100 Some(1.0) Log",
                "s 0 40 4 Some(4.0) Linear"
            ]
        );
    }

    #[test]
    fn mistakes_are_told_with_what_was_written() {
        for (lines, told) in [
            (
                &["bot"][..],
                "`bot` has no range in braces: expected {NAME=START:MIN..MAX}",
            ),
            (&["bot {x}"], "`bot {x}` has no range in braces: expected"),
            (&["bot {x=3:1..9:lin}"], "{x=3:1..9:lin}: expected"),
            (&["bot {x=3:0..9:step=0}"], "{x=3:0..9:step=0}: expected"),
            (&["bot {x=3}"], "{x=3}: expected {NAME=START:MIN..MAX}"),
            (&["bot {x=3:9}"], "{x=3:9}: expected"),
            (&["bot {x:0..9}"], "{x:0..9}: expected"),
            (&["bot {x=:0..9}"], "{x=:0..9}: expected"),
            (&["bot {x=a:0..9}"], "{x=a:0..9}: expected"),
            (&["bot {x=1:0..inf}"], "{x=1:0..inf}: expected"),
            (&["bot {x=1:0..9"], "has no range in braces"),
            (&["bot {x=1:0..9} {x=2:0..9}"], "`x` already has a range"),
            (
                &["bot {x=1:0..9}", "other {y=1:0..9}"],
                "{y=1:0..9} in `other {y=1:0..9}`: an opponent has fixed values",
            ),
        ] {
            let message = read(lines).unwrap_err();
            assert!(message.contains(told), "{lines:?}\n{message}");
        }
    }
}
