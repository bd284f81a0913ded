//! The words and the tables of a tuning.

use std::collections::BTreeMap;

use super::summary::{ParameterSummary, TuneSummary};
use super::tuner::{Block, TuneEnd};
use crate::plan::{Plan, StudyPlan};
use arena_process::Launch;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words::{count, list};
use arena_section::{Sentence, Tone};
use arena_stats::tune::rounded;

/// The characters of a bar.
const BAR: usize = 24;

/// The question of a tuning, before its first game.
pub(super) fn question(tune: &TuneSummary) -> String {
    let against = list(tune.against.iter().cloned()).unwrap_or("itself".to_owned());
    format!(
        "tuning of {}: {} against {against}, {} units at most, in blocks of {}",
        tune.bot,
        count(tune.parameters.len() as u64, "parameter", "parameters"),
        tune.max_units,
        tune.block
    )
}

/// The state of a tuning in a line.
pub(super) fn standing(tune: &TuneSummary) -> String {
    let parameters = tune.parameters.iter();
    let centre = list(parameters.map(|it| format!("{}={}", it.name, it.shown(it.centre))));
    format!("{}: {}", progress(tune), centre.unwrap_or_default())
}

/// The state of a tuning in a window: a bar for every parameter.
pub(super) fn bars(tune: &TuneSummary) -> Table {
    Rows::new("Parameters", &tune.parameters)
        .shown(Kind::Name, "parameter", |it| &it.name)
        .shown(Kind::Value, "min", |it| it.range.min.to_string())
        .shown(Kind::Name, "range", bar)
        .shown(Kind::Value, "max", |it| it.range.max.to_string())
        .shown(Kind::Number, "centre", |it| it.shown(it.centre))
        .table()
}

/// The units that were played, also of the block that isn't complete, and what they found.
pub(super) fn progress(tune: &TuneSummary) -> String {
    let units = tune.units + tune.units_of_block;
    let text = format!("{units} units of {} at most", tune.max_units);
    match tune.blocks.iter().flat_map(|(block, _)| block.faults).sum() {
        0 => text,
        faults => format!("{text}, {}", count(faults, "fault", "faults")),
    }
}

/// The range of a parameter: `|` is the start, `#` the centre, `=` the values played around it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a bar"
)]
fn bar(parameter: &ParameterSummary) -> String {
    let [low, high] = parameter.band;
    let [low, high, start, centre] = [low, high, parameter.range.start, parameter.centre]
        .map(|value| (parameter.share(value) * (BAR - 1) as f64).round() as usize);
    let mut bar = ['-'; BAR];
    bar[low..=high].fill('=');
    bar[start] = '|';
    bar[centre] = '#';
    format!("[{}]", bar.iter().collect::<String>())
}

/// The answer of a tuning.
pub(super) fn answer(tuning: &TuneSummary) -> Sentence {
    let bot = &tuning.bot;
    let units = tuning.units;
    let (tone, rest) = match (tuning.end, &tuning.failed) {
        (Some(TuneEnd::Ignored), _) => (
            Tone::Bad,
            format!(
                " ignores its parameters: both sides gave the same answers in all {units} units of the first block. Does the bot read them?"
            ),
        ),
        (Some(TuneEnd::Failing), Some(failed)) => (
            Tone::Bad,
            format!(
                " failed in {} of its first {} units, first with {}: nothing was measured",
                failed.failed, failed.units, failed.values
            ),
        ),
        _ if units == 0 => (
            Tone::Open,
            ": nothing is known until a block is complete".to_owned(),
        ),
        _ if tuning.is_at_start() => (
            Tone::Open,
            ": no gain was found; the answer is the start".to_owned(),
        ),
        (end, _) => {
            let so_far = if end.is_some() { "" } else { "so far, " };
            let answer = tuning.answer();
            let rest = format!(
                ": {answer} {so_far}after {units} units; only a test shows whether that is a gain"
            );
            (Tone::Strong, rest)
        }
    };
    Sentence::new(tone, bot, rest)
}

/// The size of a tuning, after the name of its bot.
pub(super) fn size(tune: &TuneSummary) -> String {
    let parameters = count(tune.parameters.len() as u64, "parameter", "parameters");
    let games = count(tune.games, "game", "games");
    format!(": {parameters}, {} units, {games}", tune.units)
}

/// The parameters.
pub(super) fn table(tune: &TuneSummary) -> Table {
    let shown = |it: &ParameterSummary, value| Cell::shown(value, |value| it.shown(value));
    Rows::new("Parameters", &tune.parameters)
        .shown(Kind::Name, "parameter", |it| &it.name)
        .shown(Kind::Number, "min", |it| shown(it, it.range.min))
        .shown(Kind::Number, "max", |it| shown(it, it.range.max))
        .shown(Kind::Number, "start", |it| shown(it, it.range.start))
        .shown(Kind::Number, "answer", |it| shown(it, it.answer))
        .table()
}

/// The limits of the answer, in lines. The last one announces the command that confirms it, if
/// there is one.
pub(super) fn notes(tune: &TuneSummary) -> Vec<String> {
    if tune.units == 0 || tune.is_in_vain() {
        return Vec::new();
    }
    let end = match tune.end {
        None => "not over: --resume continues it",
        Some(_) => "over: all units were played; --resume with more units continues it",
    };
    let mut lines = vec![end.to_owned()];
    let at_end = tune.parameters.iter().filter(|it| it.at_end.is_some());
    if let Some(names) = list(at_end.map(|it| it.name.clone())) {
        lines.push(format!(
            "at an end of its range: {names}. The best value may lie beyond it: widen the range"
        ));
    }
    for parameter in &tune.parameters {
        if let Some(side) = parameter.fails_when() {
            lines.push(format!(
                "nearly all faults come with {side} values of {}, so faults decided games, not strength",
                parameter.name
            ));
        }
    }
    if tune.confirm.is_some() {
        lines.push(
            "a tuning doesn't prove a gain; to confirm the answer against the start, on fresh seeds:"
                .to_owned(),
        );
    }
    lines
}

/// The blocks, for the file.
pub(super) fn blocks(tune: &TuneSummary) -> Table {
    let rows: Vec<(u64, &(Block, Vec<f64>))> = (1..).zip(&tune.blocks).collect();
    let per_unit = tune.games.checked_div(tune.units).unwrap_or_default();
    let mut table = Rows::new("Blocks", &rows)
        .file("block", |(number, _)| *number)
        .file("units", |(number, _)| number * tune.block)
        .file("games", |(number, _)| number * tune.block * per_unit)
        .file("score", |(_, (block, _))| block.score)
        .file("faults_a", |(_, (block, _))| block.faults[0])
        .file("faults_b", |(_, (block, _))| block.faults[1]);
    for (at, parameter) in tune.parameters.iter().enumerate() {
        table = table.file(
            &format!("value_{}", parameter.name),
            move |(_, (_, centre))| rounded(centre[at], 10).to_string(),
        );
    }
    table.table()
}

/// The bot with its answer, as a part of a config.
pub(super) fn tuned(tune: &TuneSummary, plan: &Plan) -> Option<String> {
    let StudyPlan::Tune(planned) = &plan.study else {
        return None;
    };
    let values = tune.values();
    let [side, _] = planned.sides();
    let bot = Launch {
        name: tune.bot.clone(),
        ..plan.bots[plan.bot(&side)?].filled(&planned.named(&values))
    };
    let state = if tune.end.is_some() { "" } else { " so far" };
    let (units, answer) = (tune.units, planned.in_words(&values));
    let head = format!("# What a tuning of {units} units came to{state}: {answer}\n");
    Some(head + &toml::to_string(&BTreeMap::from([("bot", [bot])])).ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::example;
    use super::*;
    use arena_stats::tune::Scale;

    #[test]
    fn small_values_are_no_zeros() {
        for (value, scale, max, shown) in [
            (1e-12, Scale::Log, 1.0, "1e-12"),
            (1.234_56e-12, Scale::Log, 1.0, "1.23e-12"),
            (5e-8, Scale::Log, 1.0, "5e-8"),
            (2e-10, Scale::Linear, 1e-9, "2e-10"),
            (0.0, Scale::Linear, 1e-9, "0.0"),
            (1.25e-7, Scale::Log, 1.0, "0.000000125"),
            (0.5, Scale::Log, 1.0, "0.500"),
            (12.345, Scale::Linear, 100.0, "12"),
        ] {
            let parameter = example(0.0, max, scale);
            assert_eq!(parameter.shown(value), shown, "{value}");
        }
    }

    #[test]
    fn notes_name_parameters_at_an_end_and_with_faults_on_one_side() {
        let notes = |at_end, faults_lower, faults_higher| {
            let parameter = ParameterSummary {
                at_end,
                faults_lower,
                faults_higher,
                ..example(0.0, 9.0, Scale::Linear)
            };
            notes(&TuneSummary {
                end: Some(TuneEnd::Units),
                units: 64,
                parameters: vec![parameter],
                ..TuneSummary::default()
            })
        };
        assert_eq!(notes(None, 8, 3).len(), 1);
        let said = notes(Some("max"), 2, 8).join("\n");
        assert!(
            said.contains("at an end of its range: depth.")
                && said.contains("nearly all faults come with higher values of depth,"),
            "{said}"
        );
    }
}
