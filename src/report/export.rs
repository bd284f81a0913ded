//! The list of all reports of a run, with their files and flags.

use anyhow::Context;

use super::table::{Table, csv};
use super::{RunReport, html, junit, markdown, standings, sweep, tune};
use crate::store;
use crate::summary::GameSummary;
use crate::summary::sprt::AfterUnit;
use crate::words::decimal;

/// A report of a run.
#[derive(Debug)]
pub(crate) struct Report {
    /// Its name in the run directory; `None` if it is only made on request.
    pub(crate) file: Option<&'static str>,
    /// The flag of `arena report` for it, and its help.
    pub(crate) flag: Option<(&'static str, &'static str)>,
    /// Makes it; `None` if the run has nothing of the kind.
    pub(crate) make: Make,
}

type Make = fn(&RunReport) -> anyhow::Result<Option<Vec<u8>>>;

/// All reports, in the order in which files are written. The page comes last, because it takes long
/// in a large run.
pub(crate) static ALL: &[Report] = &[
    Report::file(store::RATINGS, |report| of_games(report, standings::standings)),
    Report::file(store::PAIRINGS, |report| of_games(report, standings::pairings)),
    Report::file(store::TIMINGS, |report| of_games(report, standings::all_times)),
    Report::file(store::SPRT, |report| {
        let test = report.summary.sprt.as_ref();
        Ok(test.map(|test| sprt_csv([test.lower, test.upper], &report.history).into_bytes()))
    }),
    Report::file(store::SWEEP, variants),
    Report::file(store::TUNE, |report| {
        let table = report.summary.tune.as_ref().map(tune::blocks);
        table.map(|table| csv(&[table]).context("write the blocks as CSV")).transpose()
    }),
    Report::file(store::TUNED, |report| {
        let tuned = report.summary.tune.as_ref().filter(|tune| tune.has_answer());
        Ok(tuned.and_then(|tuned| tune::tuned(tuned, &report.plan)).map(String::into_bytes))
    }),
    Report::file(store::REPORT, |report| Ok(Some(html::page(report).into_bytes())))
        .with_flag("html", "Write the page; - is standard output, here and below"),
    Report::on_request(|report| Ok(Some(junit::junit(report).context("write the summary as XML")?.into_bytes())))
        .with_flag(
            "junit",
            "Write JUnit XML: a test for each bot and game, failed if the bot was, and one for the sequential test",
        ),
    Report::on_request(|report| Ok(Some(markdown::markdown(report).into_bytes())))
        .with_flag("markdown", "Write Markdown, ready for the summary of a CI job"),
    // After all other tables, so that its presence proves an orderly end.
    Report::file(store::SUMMARY, |report| {
        let json = serde_json::to_string_pretty(&report.summary).context("write the summary as JSON")?;
        Ok(Some((json + "\n").into_bytes()))
    })
    .with_flag("json", "Write JSON, the content of summary.json"),
];

impl Report {
    const fn file(file: &'static str, make: Make) -> Report {
        Report {
            file: Some(file),
            flag: None,
            make,
        }
    }

    const fn on_request(make: Make) -> Report {
        Report {
            file: None,
            flag: None,
            make,
        }
    }

    const fn with_flag(self, name: &'static str, help: &'static str) -> Report {
        Report {
            flag: Some((name, help)),
            ..self
        }
    }
}

fn of_games(
    report: &RunReport,
    table: fn(&GameSummary) -> Table,
) -> anyhow::Result<Option<Vec<u8>>> {
    let tables: Vec<Table> = report.summary.games.iter().map(table).collect();
    Ok(Some(csv(&tables).context("write the summary as CSV")?))
}

/// The variants of a sweep, in the order of the plan.
fn variants(report: &RunReport) -> anyhow::Result<Option<Vec<u8>>> {
    let table = report
        .summary
        .sweep
        .as_ref()
        .map(|sweep| sweep::table(sweep, &Vec::from_iter(&sweep.variants)));
    table
        .map(|table| csv(&[table]).context("write the summary as CSV"))
        .transpose()
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
    let line = |after: &AfterUnit| {
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
        format!("{unit},{games},{llr},{lower},{upper},{score},{elo},{state},{ln_e0},{ln_e1}\n")
    };
    history.iter().map(line).collect()
}
