//! Ranges that stand in the command of a bot, where there is no config: `{name=start:min..max}`, and behind that `:step=STEP`, `:log`.

use super::super::mistake::quoted;
use super::super::parameters::{SEED, is_name, name_problem};
use super::{Choice, Finite, Number, Range, range_problem};
use arena_stats::tune::{MOST_PARAMETERS, Scale};
use indexmap::IndexMap;

/// What is wrong with ranges in commands, in one line.
type Read<T> = Result<T, String>;

/// How a range is written.
const FORM: &str = "expected {NAME=START:MIN..MAX}, and behind MAX if wanted :step=STEP or :log, as in {depth=4:1..9} or {margin=100:10..1000:log}";

/// Commands in which names alone are in braces, the first of them that of the bot that is tuned, and the parameters that it has.
pub(crate) fn with_ranges(lines: &[String]) -> Read<(Vec<String>, IndexMap<String, Range>)> {
    let mut parameters = IndexMap::new();
    let (mut plain, mut names) = (Vec::new(), Vec::new());
    for (number, line) in lines.iter().enumerate() {
        let mut parts = line.split('{');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            text.push('{');
            match part.split_once('}') {
                None if is_range(part) => {
                    return Err(format!("{} has no closing brace: {FORM}", quoted(part)));
                }
                Some((written, _)) if is_range(written) && number > 0 => {
                    return Err(fixed(written, line));
                }
                Some((written, rest)) if is_range(written) => {
                    let (name, range) =
                        parameter(written).map_err(|why| format!("{{{written}}}: {why}"))?;
                    text.extend([name, "}", rest]);
                    if parameters.insert(name.to_owned(), range).is_some() {
                        return Err(format!(
                            "{{{written}}}: `{name}` has a range already, {{{name}}} stands for its value"
                        ));
                    }
                }
                closed => {
                    let closed = closed.filter(|(name, _)| is_name(name));
                    names.extend(closed.map(|(name, _)| (number, name)));
                    text += part;
                }
            }
        }
        plain.push(text);
    }
    for (number, name) in names {
        let is_parameter = parameters.contains_key(name);
        if number > 0 && is_parameter {
            return Err(fixed(name, &lines[number]));
        }
        if number == 0 && !is_parameter && name != SEED {
            return Err(format!("{{{name}}} has no range: {FORM}"));
        }
    }
    match parameters.len() {
        0 => Err(format!(
            "{} has no range in braces: {FORM}",
            quoted(lines.first().map_or("", String::as_str))
        )),
        1..=MOST_PARAMETERS => Ok((plain, parameters)),
        count => Err(format!(
            "{count} parameters: expected {MOST_PARAMETERS} at most; tune those first that cost most"
        )),
    }
}

/// Whether what stands between braces is meant as a range.
fn is_range(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| is_name(name))
        || text.contains(':') && text.contains("..")
}

/// An opponent has a range, or one of the parameters.
fn fixed(written: &str, line: &str) -> String {
    format!(
        "{{{written}}} in {}: an opponent has fixed values, only the first bot is tuned",
        quoted(line)
    )
}

/// A parameter, as it is written between braces.
fn parameter(written: &str) -> Read<(&str, Range)> {
    let (name, written) = written.split_once('=').ok_or(FORM)?;
    if let Some(problem) = name_problem(name) {
        return Err(problem);
    }
    let mut words = written.split(':');
    let start = words.next().unwrap_or_default();
    let ends = words.next().unwrap_or_default();
    let (min, max) = ends.split_once("..").ok_or(FORM)?;
    let (mut step, mut scale) = (None, None);
    for word in words {
        match word.strip_prefix("step=") {
            Some(text) if step.is_none() => step = Some(Finite(number(text)?.value())),
            None if word == "log" && scale.is_none() => scale = Some(Choice(Scale::Log)),
            _ => return Err(format!("{} is not known here: {FORM}", quoted(word))),
        }
    }
    let range = Range {
        min: number(min)?,
        max: number(max)?,
        start: number(start)?,
        step,
        scale,
    };
    match range_problem(&range.parameter()) {
        None => Ok((name, range)),
        Some((_, problem, "")) => Err(problem),
        Some((_, problem, help)) => Err(format!("{problem}; {help}")),
    }
}

fn number(text: &str) -> Read<Number> {
    match (text.parse(), text.parse::<f64>()) {
        (Ok(integer), _) => Ok(Number::Integer(integer)),
        (_, Ok(number)) if number.is_finite() => Ok(Number::Float(number)),
        _ => Err(format!("{} is no number: {FORM}", quoted(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Read<(Vec<String>, IndexMap<String, Range>)> {
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
        let shown = |(name, range): (&String, &Range)| {
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
        let many = (0..33)
            .map(|number| format!("{{p{number}=1:0..9}}"))
            .collect::<Vec<_>>()
            .concat();
        for (lines, told) in [
            (
                &["bot"][..],
                "`bot` has no range in braces: expected {NAME=START:MIN..MAX}",
            ),
            (&["bot {x}"], "{x} has no range: expected"),
            (
                &["bot {x=50:0..40}"],
                "{x=50:0..40}: the start is outside of the range: expected a number from 0 to 40",
            ),
            (
                &["bot {x=3:40..0}"],
                "{x=3:40..0}: an empty range: expected a number above `min`, which is 40",
            ),
            (&["bot {x=3:3..3}"], "needs no tuning: write the value"),
            (&["bot {x=1:0..2}"], "too few values to be tuned"),
            (
                &["bot {x=3:0..9:step=2}"],
                "steps of 2 from 0 have 8, and not 9",
            ),
            (
                &["bot {x=3:0..9:step=0}"],
                "bad value for `step`: expected a number above 0",
            ),
            (
                &["bot {x=3:0..9:log}"],
                "a logarithmic scale begins above 0",
            ),
            (&["bot {x=3:1..9:log:log}"], "`log` is not known here"),
            (&["bot {x=3:1..9:lin}"], "`lin` is not known here"),
            (&["bot {x=3}"], "{x=3}: expected {NAME=START:MIN..MAX}"),
            (&["bot {x=3:9}"], "{x=3:9}: expected"),
            (&["bot {x:0..9}"], "{x:0..9}: expected"),
            (&["bot {x=:0..9}"], "`` is no number"),
            (&["bot {x=a:0..9}"], "`a` is no number"),
            (&["bot {x=1:0..inf}"], "`inf` is no number"),
            (&["bot {x=1:0..9"], "has no closing brace"),
            (&["bot {=1:0..9}"], "`` cannot name a parameter"),
            (&["bot {2x=1:0..9}"], "`2x` cannot name a parameter"),
            (&["bot {seed=1:0..9}"], "`seed` cannot be tuned"),
            (&["bot {x=1:0..9} {x=2:0..9}"], "`x` has a range already"),
            (&["bot {x=1:0..9} {y}"], "{y} has no range"),
            (
                &["bot {x=1:0..9}", "other {x}"],
                "{x} in `other {x}`: an opponent has fixed values",
            ),
            (
                &["bot {x=1:0..9}", "other {y=1:0..9}"],
                "{y=1:0..9} in `other {y=1:0..9}`: an opponent has fixed values",
            ),
            (&[&many], "33 parameters: expected 32 at most"),
        ] {
            let message = read(lines).unwrap_err();
            assert!(message.contains(told), "{lines:?}\n{message}");
        }
    }
}
