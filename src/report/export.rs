//! The files that follow from the games of a run.

use std::fmt::Write as _;

use anyhow::Context;

use super::csv::csv;
use super::{RunReport, standings, sweep, tune};
use crate::section::table::Table;
use crate::section::words::decimal;
use crate::standings::GameSummary;
use crate::store;
use crate::summary::sprt::AfterUnit;

/// Makes a report; `None` if the run has nothing of the kind.
type Make = fn(&RunReport) -> anyhow::Result<Option<Vec<u8>>>;

/// The files of the run directory in the order in which they are written, without the page. The
/// summary is last, so that its presence proves an orderly end.
pub(crate) const FILES: &[(&str, Make)] = &[
    (store::RATINGS, |report| {
        of_games(report, standings::standings).map(Some)
    }),
    (store::PAIRINGS, |report| {
        of_games(report, standings::pairings).map(Some)
    }),
    (store::TIMINGS, |report| {
        of_games(report, standings::all_times).map(Some)
    }),
    (store::SPRT, |report| {
        let test = report.summary.sprt.as_ref();
        Ok(test.map(|test| sprt_csv([test.lower, test.upper], &report.history).into_bytes()))
    }),
    (store::SWEEP, variants),
    (store::TUNE, |report| match &report.summary.tune {
        Some(tune) => Ok(Some(
            csv(&[tune::blocks(tune)]).context("write the blocks as CSV")?,
        )),
        None => Ok(None),
    }),
    (store::TUNED, |report| match &report.summary.tune {
        Some(tune) if tune.has_answer() => {
            Ok(tune::tuned(tune, &report.plan).map(String::into_bytes))
        }
        _ => Ok(None),
    }),
    (store::SUMMARY, |report| {
        Ok(Some(json(report)?.into_bytes()))
    }),
];

/// The content of `summary.json`.
pub(crate) fn json(report: &RunReport) -> anyhow::Result<String> {
    let json =
        serde_json::to_string_pretty(&report.summary).context("write the summary as JSON")?;
    Ok(json + "\n")
}

fn of_games(report: &RunReport, table: fn(&GameSummary) -> Table) -> anyhow::Result<Vec<u8>> {
    let tables: Vec<Table> = report.summary.games.iter().map(table).collect();
    csv(&tables).context("write the summary as CSV")
}

/// The variants of a sweep, in the order of the plan.
fn variants(report: &RunReport) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(sweep) = &report.summary.sweep else {
        return Ok(None);
    };
    let table = sweep::table(sweep, &Vec::from_iter(&sweep.variants));
    Ok(Some(csv(&[table]).context("write the summary as CSV")?))
}

/// A sequential test with these bounds, after every unit.
pub(crate) fn sprt_csv(bounds: [f64; 2], history: &[AfterUnit]) -> String {
    format!(
        "unit,games,llr,lower,upper,score,elo,state,ln_e0,ln_e1\n{}",
        sprt_lines(bounds, history)
    )
}

/// The lines of the file for some units.
pub(crate) fn sprt_lines(bounds: [f64; 2], history: &[AfterUnit]) -> String {
    let mut lines = String::new();
    for after in history {
        let AfterUnit {
            unit,
            games,
            llr,
            score,
            elo,
            state,
            bets,
        } = *after;
        let [llr, lower, upper, score, elo] = [llr, bounds[0], bounds[1], score, elo].map(decimal);
        let [ln_e0, ln_e1] = bets.map_or_else(Default::default, |bets| bets.ln.map(decimal));
        let _ = writeln!(
            lines,
            "{unit},{games},{llr},{lower},{upper},{score},{elo},{state},{ln_e0},{ln_e1}"
        );
    }
    lines
}
