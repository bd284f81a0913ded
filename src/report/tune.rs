//! What people are told of a tuning.

use super::screen::{Ink, Screen};
use super::table::{Cell, Kind, Rows, Table, Tone};
use super::words::{count, indented, likelihood};
use crate::plan::Plan;
use crate::summary::tune::{Failing, TuneSummary, TunedParameter};
use crate::tuner::{Block, TuneEnd};
use arena_process::Launch;

/// How many characters a bar has.
const BAR: usize = 24;
/// More parameters than this have no bars while games go on.
const MOST_BARS: usize = 12;

/// What a tuning is, before its first game.
pub(super) fn question(tune: &TuneSummary) -> String {
    let against = if tune.against.is_empty() {
        "itself".to_owned()
    } else {
        tune.against.join(", ")
    };
    format!(
        "tuning of {}: {} against {against}, {} units at most, in blocks of {}",
        tune.bot,
        count(tune.parameters.len() as u64, "parameter", "parameters"),
        tune.max_units,
        tune.block
    )
}

/// How a tuning stands, in a line.
pub(super) fn standing(tune: &TuneSummary) -> String {
    let shown = |parameter: &TunedParameter| {
        format!("{} {}", parameter.name, parameter.shown(parameter.centre))
    };
    let centre: Vec<String> = tune.parameters.iter().map(shown).collect();
    format!("{}: {}", progress(tune), centre.join(", "))
}

/// How a tuning stands, in a window: a bar for every parameter.
pub(super) fn live(tune: &TuneSummary, rows: usize) -> String {
    if tune.parameters.len() > MOST_BARS.min(rows.saturating_sub(1)) {
        return standing(tune);
    }
    let width = |of: &dyn Fn(&TunedParameter) -> String| {
        tune.parameters
            .iter()
            .map(|parameter| of(parameter).chars().count())
            .max()
            .unwrap_or_default()
    };
    let (names, ends) = (
        width(&|parameter| parameter.name.clone()),
        width(&|parameter| parameter.range.min.to_string()),
    );
    let bar = |parameter: &TunedParameter| {
        let TunedParameter {
            name,
            range,
            centre,
            ..
        } = parameter;
        let drawn = bar(parameter);
        format!(
            "{name:<names$}  {:>ends$} {drawn} {}  {}",
            range.min,
            range.max,
            parameter.shown(*centre)
        )
    };
    let bars = tune.parameters.iter().map(bar);
    [progress(tune)]
        .into_iter()
        .chain(bars)
        .collect::<Vec<_>>()
        .join("\n")
}

/// How far it is.
fn progress(tune: &TuneSummary) -> String {
    let left = tune.left.map_or_else(String::new, |elo| {
        format!(", about {elo:.0} Elo left to gain")
    });
    let faults: u64 = tune.blocks.iter().flat_map(|(block, _)| block.faults).sum();
    let faults = if faults > 0 {
        format!(", {}", count(faults, "fault", "faults"))
    } else {
        String::new()
    };
    format!(
        "{} units of {} at most{left}{faults}",
        tune.units, tune.max_units
    )
}

/// The range of a parameter: `|` is the start, `#` the centre, `=` what is played round it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place in a bar"
)]
fn bar(parameter: &TunedParameter) -> String {
    let place = |value: f64| (parameter.share(value) * (BAR - 1) as f64).round() as usize;
    let [low, high] = parameter.band.map(place);
    let (start, centre) = (place(parameter.range.start), place(parameter.centre));
    let mark = |at: usize| match at {
        at if at == centre => '#',
        at if at == start => '|',
        at if (low..=high).contains(&at) => '=',
        _ => '-',
    };
    format!("[{}]", (0..BAR).map(mark).collect::<String>())
}

/// What a tuning found, in a sentence.
pub(super) fn answer(tune: &TuneSummary) -> (Ink, String) {
    let bot = &tune.bot;
    match (tune.end, &tune.failed) {
        (Some(TuneEnd::Ignored), _) => (Ink::Bad, ignored(tune)),
        (Some(TuneEnd::Failing), Some(failed)) => (Ink::Bad, failing(bot, failed)),
        _ if tune.units == 0 => (
            Ink::Open,
            format!("{bot}: no block is complete, nothing is known"),
        ),
        _ if tune.is_at_start() => (
            Ink::Open,
            format!("{bot}: no gain found, the answer is the start"),
        ),
        _ => {
            let far = if tune.end.is_some() {
                "after"
            } else {
                "so far, after"
            };
            (
                Ink::Strong,
                format!(
                    "{bot} {} {far} {} units; whether that is a gain only a test tells",
                    tune.answer(),
                    tune.units
                ),
            )
        }
    }
}

fn ignored(tune: &TuneSummary) -> String {
    format!(
        "{} does not heed its parameters: in all {} units of the first block both sides gave the same answers; does the bot read them?",
        tune.bot, tune.units
    )
}

fn failing(
    bot: &str,
    Failing {
        failed,
        units,
        values,
    }: &Failing,
) -> String {
    format!(
        "{bot} failed in {failed} of its first {units} units, first with {values}: nothing was measured"
    )
}

/// All that there is to say afterwards, as text for a terminal.
pub(super) fn text(tune: &TuneSummary, screen: &Screen) -> String {
    let title = screen.prose(&format!("tuning of {}: {}", tune.bot, size(tune)));
    let mut text = screen.paint(Ink::Strong, title) + "\n";
    text += &table(tune).text(screen);
    text += &screen.prose(&indented(&findings(tune)));
    text.extend(
        tune.confirm
            .iter()
            .map(|command| screen.command("    ", command) + "\n"),
    );
    text
}

/// How large it was, behind the name of the bot.
pub(super) fn size(tune: &TuneSummary) -> String {
    let parameters = count(tune.parameters.len() as u64, "parameter", "parameters");
    format!(
        "{parameters}, {} units, {}",
        tune.units,
        count(tune.games, "game", "games")
    )
}

/// The parameters.
pub(super) fn table(tune: &TuneSummary) -> Table {
    let number =
        |parameter: &TunedParameter, value: f64| Cell::number(Some(value), parameter.shown(value));
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
        .shown(Kind::Number, "half a range costs", |parameter| {
            Cell::shown(parameter.readout.map(|readout| readout.cost), |elo| {
                format!("{elo:.0} Elo")
            })
        })
        .spare(1)
        .shown(Kind::Number, "better than start", |parameter| {
            let readout = parameter
                .readout
                .filter(|_| parameter.answer.to_bits() != parameter.range.start.to_bits());
            Cell::shown(readout.map(|readout| readout.los), likelihood)
        })
        .shown(Kind::Words, "remark", remark)
        .table()
}

/// The interval of the best value.
fn best(parameter: &TunedParameter) -> Cell {
    let shown = parameter.readout.map(|readout| {
        let [lo, hi] = [readout.lo95, readout.hi95].map(|value| parameter.shown(value));
        format!("[{lo}, {hi}]")
    });
    Cell::number(parameter.readout.map(|readout| readout.lo95), shown)
}

fn remark(parameter: &TunedParameter) -> Cell {
    let mut remarks = Vec::new();
    remarks.extend((!parameter.is_seen()).then(|| "no effect seen".to_owned()));
    remarks.extend(parameter.at_end.map(|end| format!("at its {end}")));
    remarks.extend(
        parameter
            .fails_when()
            .map(|side| format!("fails with {side} values")),
    );
    let tone = if parameter.is_seen() {
        Tone::Plain
    } else {
        Tone::Faint
    };
    Cell {
        tone,
        ..remarks.join(", ").into()
    }
}

/// What follows from the numbers, a line each; behind the last one belongs the command that confirms it, if there is one.
pub(super) fn findings(tune: &TuneSummary) -> Vec<String> {
    let named = |is: &dyn Fn(&TunedParameter) -> bool| -> Option<String> {
        let names: Vec<&str> = tune
            .parameters
            .iter()
            .filter(|&of| is(of))
            .map(|of| of.name.as_str())
            .collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    if tune.units == 0 || tune.is_in_vain() {
        return Vec::new();
    }
    let end = match tune.end {
        None => "not over: --resume goes on".to_owned(),
        Some(TuneEnd::Indifferent) => {
            "over: no more than the indifference seems to be left to gain".to_owned()
        }
        Some(_) => "over: all units were played; --resume with more goes on".to_owned(),
    };
    let left = |elo| {
        format!(
            "about {elo:.1} Elo seem to be left to gain; docs/tune.md says how well that is known"
        )
    };
    let lines = [
        Some(end),
        tune.left.map(left),
        named(&|of| of.at_end.is_some()).map(|names| format!("at an end of its range: {names}; widen it, the best may lie beyond")),
        named(&|of| !of.is_seen()).map(|names| {
            format!("no effect seen: {names}; the values that they had are as good as the new ones, as far as is known")
        }),
        named(&|of| of.fails_when().is_some())
            .map(|names| format!("faults nearly always with one side of {names}: these decided games, not strength")),
        Some("intervals of the best values hold on surfaces that are quadratic near the answer; docs/tune.md has their coverage".to_owned()),
        confirmation(tune),
    ];
    lines.into_iter().flatten().collect()
}

fn confirmation(tune: &TuneSummary) -> Option<String> {
    tune.confirm.as_ref()?;
    Some(
        "a tuning claims no gain; to confirm the answer against the start, on fresh seeds:"
            .to_owned(),
    )
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
            move |(_, (_, centre))| digits(centre[at]),
        );
    }
    table.table()
}

/// A value with ten digits.
fn digits(value: f64) -> String {
    format!("{value:.9e}")
        .parse::<f64>()
        .unwrap_or(value)
        .to_string()
}

/// The bot with its answer, as a part of a config.
pub(super) fn tuned(tune: &TuneSummary, plan: &Plan) -> Option<String> {
    let planned = plan.tune.as_ref()?;
    let values: Vec<f64> = tune
        .parameters
        .iter()
        .map(|parameter| parameter.answer)
        .collect();
    let [side, _] = planned.sides();
    let bot = plan.bots.iter().find(|bot| bot.name == side)?;
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
    Some(head + &toml::to_string(&std::collections::BTreeMap::from([("bot", [bot])])).ok()?)
}
