//! The words and the tables of a tuning.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::summary::{ParameterSummary, TuneSummary};
use super::tuner::{Block, TuneEnd};
use crate::plan::{Plan, StudyPlan};
use arena_process::Launch;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words::{count, likelihood, list};
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
    let centre = list(tune.parameters.iter().map(|parameter| {
        let value = parameter.shown(parameter.centre);
        format!("{}={value}", parameter.name)
    }));
    format!("{}: {}", progress(tune), centre.unwrap_or_default())
}

/// The state of a tuning in a window: a bar for every parameter.
pub(super) fn bars(tune: &TuneSummary) -> Table {
    Rows::new("Parameters", &tune.parameters)
        .shown(Kind::Name, "parameter", |parameter| &parameter.name)
        .shown(Kind::Value, "min", |parameter| {
            parameter.range.min.to_string()
        })
        .shown(Kind::Name, "range", bar)
        .shown(Kind::Value, "max", |parameter| {
            parameter.range.max.to_string()
        })
        .shown(Kind::Number, "centre", |parameter| {
            parameter.shown(parameter.centre)
        })
        .table()
}

/// The units that were played, and what they found.
pub(super) fn progress(tune: &TuneSummary) -> String {
    let mut text = format!("{} units of {} at most", tune.units, tune.max_units);
    if let Some(elo) = tune.left {
        let _ = write!(text, ", about {elo:.0} Elo left to gain");
    }
    let faults: u64 = tune.blocks.iter().flat_map(|(block, _)| block.faults).sum();
    if faults > 0 {
        let _ = write!(text, ", {}", count(faults, "fault", "faults"));
    }
    text
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
            let far = end.map_or("so far, after", |_| "after");
            let answer = tuning.answer();
            (
                Tone::Strong,
                format!(": {answer} {far} {units} units; only a test shows whether that is a gain"),
            )
        }
    };
    Sentence::new(tone, bot, rest)
}

/// The size of a tuning, after the name of its bot.
pub(super) fn size(tune: &TuneSummary) -> String {
    let parameters = count(tune.parameters.len() as u64, "parameter", "parameters");
    let games = count(tune.games, "game", "games");
    format!("{parameters}, {} units, {games}", tune.units)
}

/// The parameters.
pub(super) fn table(tune: &TuneSummary) -> Table {
    Rows::new("Parameters", &tune.parameters)
        .shown(Kind::Name, "parameter", |parameter| &parameter.name)
        .shown(Kind::Number, "min", |parameter| {
            number(parameter, parameter.range.min)
        })
        .spare(2)
        .shown(Kind::Number, "max", |parameter| {
            number(parameter, parameter.range.max)
        })
        .spare(2)
        .shown(Kind::Number, "start", |parameter| {
            number(parameter, parameter.range.start)
        })
        .shown(Kind::Number, "answer", |parameter| {
            number(parameter, parameter.answer)
        })
        .shown(Kind::Number, "best, 95%", best)
        .shown(Kind::Number, "Elo lost half a range away", cost)
        .spare(1)
        .shown(Kind::Number, "better than start", better)
        .shown(Kind::Words, "remark", remark)
        .table()
}

fn number(parameter: &ParameterSummary, value: f64) -> Cell {
    Cell::number(Some(value), parameter.shown(value))
}

/// The interval of the best value.
fn best(parameter: &ParameterSummary) -> Cell {
    if !parameter.is_parabola() {
        return Cell::number(None, "not a parabola: unknown".to_owned());
    }
    let ends = parameter.readout.and_then(|readout| {
        let (lo, hi) = readout.lo95.zip(readout.hi95)?;
        Some([lo, hi].map(|value| parameter.shown(value)))
    });
    let shown = ends.map(|[lo, hi]| format!("[{lo}, {hi}]"));
    Cell::number(parameter.readout.and_then(|readout| readout.lo95), shown)
}

/// The interval of the cost, after the cost if there is one.
fn cost(parameter: &ParameterSummary) -> Cell {
    let shown = parameter.readout.and_then(|readout| {
        let (lo, hi) = readout.cost_lo95.zip(readout.cost_hi95)?;
        let interval = format!("[{}, {}]", whole(lo), whole(hi));
        Some(match readout.cost {
            Some(cost) => format!("{} {interval}", whole(cost)),
            None => interval,
        })
    });
    Cell::number(parameter.readout.and_then(|readout| readout.cost), shown)
}

fn better(parameter: &ParameterSummary) -> Cell {
    let readout = parameter.readout.filter(|_| !parameter.is_at_start());
    Cell::shown(readout.and_then(|readout| readout.los), likelihood)
}

/// A number of Elo, without a sign at 0.
fn whole(elo: f64) -> f64 {
    elo.round() + 0.0
}

fn remark(parameter: &ParameterSummary) -> Cell {
    let mut remarks = Vec::new();
    if !parameter.is_seen() {
        remarks.push("no gain seen".to_owned());
    }
    if let Some(end) = parameter.at_end {
        remarks.push(format!("at its {end}"));
    }
    if parameter.is_outside() {
        remarks.push("answer outside its interval".to_owned());
    }
    if let Some(side) = parameter.fails_when() {
        remarks.push(format!("fails with {side} values"));
    }
    let tone = if parameter.is_seen() {
        Tone::Plain
    } else {
        Tone::Faint
    };
    Cell::toned(tone, remarks.join(", "))
}

/// The limits of the answer, in lines. The last one announces the command that confirms it, if
/// there is one.
pub(super) fn notes(tune: &TuneSummary) -> Vec<String> {
    if tune.units == 0 || tune.is_in_vain() {
        return Vec::new();
    }
    let end = match tune.end {
        None => "not over: --resume continues it",
        Some(TuneEnd::Indifferent) => {
            "over: parabolas through the units leave less than the indifference to gain"
        }
        Some(_) => "over: all units were played; --resume with more units continues it",
    };
    let mut lines = vec![end.to_owned()];
    if let Some(elo) = tune.left {
        lines.push(format!(
            "about {elo:.1} Elo are left to gain; docs/how-to/tune.md says how reliable this estimate is"
        ));
    }
    if let Some(names) = named(tune, |parameter| parameter.at_end.is_some()) {
        lines.push(format!(
            "at an end of its range: {names}. The best value may lie beyond it: widen the range"
        ));
    }
    if let Some(names) = named(tune, |parameter| !parameter.is_parabola()) {
        lines.push(format!(
            "not a parabola: {names}. Strength over such a parameter has another shape, perhaps a cliff or a plateau; a sweep over its values shows it"
        ));
    }
    if let Some(names) = named(tune, |parameter| !parameter.is_seen()) {
        lines.push(format!(
            "no gain seen: {names}. As far as is known, the old values are as good as the new ones"
        ));
    }
    if let Some(names) = named(tune, |parameter| parameter.fails_when().is_some()) {
        lines.push(format!(
            "nearly all faults come with one side of {names}, so faults decided games, not strength"
        ));
    }
    lines.push("intervals of the best values hold if strength is quadratic near the answer; docs/explanation/tuning.md has their coverage".to_owned());
    if tune.confirm.is_some() {
        lines.push(
            "a tuning doesn't prove a gain; to confirm the answer against the start, on fresh seeds:"
                .to_owned(),
        );
    }
    lines
}

/// The names of the parameters with some property, if there are any.
fn named(tune: &TuneSummary, is: impl Fn(&ParameterSummary) -> bool) -> Option<String> {
    let named = tune.parameters.iter().filter(|parameter| is(parameter));
    list(named.map(|parameter| parameter.name.clone()))
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
    let bot = &plan.bots[plan.bot(&side)?];
    let bot = Launch {
        name: tune.bot.clone(),
        ..bot.filled(&planned.named(&values))
    };
    let state = if tune.end.is_some() { "" } else { " so far" };
    let head = format!(
        "# What a tuning of {} units came to{state}: {}\n",
        tune.units,
        planned.in_words(&values)
    );
    Some(head + &toml::to_string(&BTreeMap::from([("bot", [bot])])).ok()?)
}

#[cfg(test)]
mod tests {
    use arena_stats::tune::readout::Reading;
    use arena_stats::tune::{Parameter, Scale};

    use super::*;

    fn cells(reading: Reading) -> [String; 3] {
        let parameter = ParameterSummary {
            name: "threat".to_owned(),
            range: Parameter {
                min: 0.0,
                max: 20.0,
                start: 3.0,
                step: Some(1.0),
                scale: Scale::Linear,
            },
            centre: 9.0,
            band: [6.0, 12.0],
            answer: 9.0,
            readout: Some(reading),
            at_end: None,
            faults_lower: 0,
            faults_higher: 0,
        };
        [best, cost, better].map(|cell| cell(&parameter).text.unwrap_or_default())
    }

    #[test]
    fn only_what_is_known_of_a_parameter_has_a_number() {
        let none = Reading::default();
        assert_eq!(cells(none), ["not a parabola: unknown", "", ""]);
        let few = Reading {
            is_parabola: true,
            lo95: Some(2.0),
            hi95: Some(20.0),
            ..none
        };
        assert_eq!(cells(few), ["[2, 20]", "", ""]);
        let unsure = Reading {
            cost_lo95: Some(-31.4),
            cost_hi95: Some(90.0),
            los: Some(0.5),
            ..few
        };
        assert_eq!(cells(unsure), ["[2, 20]", "[-31, 90]", "50.0%"]);
        let sure = Reading {
            cost: Some(60.2),
            cost_lo95: Some(12.0),
            ..unsure
        };
        assert_eq!(cells(sure), ["[2, 20]", "60 [12, 90]", "50.0%"]);
    }
}
