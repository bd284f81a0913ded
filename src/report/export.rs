//! The files that follow from the games of a run.

use std::collections::BTreeMap;
use std::slice;

use anyhow::Context;
use serde::Serialize;
use serde_json::value::RawValue;

use super::RunReport;
use crate::results::FailedBot;
use crate::standings::Game;
use crate::standings::faults::FaultCause;
use crate::standings::tables;
use crate::store::{self, Header};
use crate::study::Content;
use arena_section::csv::csv;
use arena_section::table::Table;

/// The files of the run directory without the page, in the order of writing. The summary is last,
/// so that its presence proves an orderly end.
pub(crate) fn files(report: &RunReport) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let mut files = vec![
        (store::RATINGS, of_games(report, tables::standings)?),
        (store::PAIRINGS, of_games(report, tables::pairings)?),
        (store::TIMINGS, of_games(report, tables::all_times)?),
    ];
    for (name, content) in &report.files {
        files.push((name, bytes(content)?));
    }
    files.push((store::SUMMARY, json(report)?.into_bytes()));
    Ok(files)
}

/// The content of `summary.json`.
pub(crate) fn json(report: &RunReport) -> anyhow::Result<String> {
    let (summary, finding) = (&report.summary, &report.finding);
    let mut found = BTreeMap::new();
    if let Some((key, value)) = &finding.data {
        // The value is laid out already, but not indented yet.
        found.insert(*key, RawValue::from_string(value.replace('\n', "\n  "))?);
    }
    let json = Json {
        run: &summary.run,
        games_played: summary.games_played,
        no_verdict: &finding.failed,
        fault_causes: &summary.fault_causes,
        found,
        games: &summary.games,
    };
    let json = serde_json::to_string_pretty(&json).context("can't write the summary as JSON")?;
    Ok(json + "\n")
}

/// The content of `summary.json`.
#[derive(Serialize)]
struct Json<'a> {
    run: &'a Header,
    games_played: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    no_verdict: &'a [FailedBot],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    fault_causes: &'a [FaultCause],
    #[serde(flatten)]
    found: BTreeMap<&'static str, Box<RawValue>>,
    games: &'a [Game],
}

fn of_games(report: &RunReport, table: fn(&Game) -> Table) -> anyhow::Result<Vec<u8>> {
    let tables: Vec<Table> = report.summary.games.iter().map(table).collect();
    csv(&tables)
}

/// The bytes of a file that only one kind of run has.
pub(crate) fn bytes(content: &Content) -> anyhow::Result<Vec<u8>> {
    match content {
        Content::Table(table) => csv(slice::from_ref(table)),
        Content::Text(text) => Ok(text.clone().into_bytes()),
    }
}
