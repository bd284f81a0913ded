//! The files that follow from the games of a run.

use std::path::Path;
use std::slice;

use anyhow::Context;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{RunReport, outcome};
use crate::results::FailedBot;
use crate::standings::Game;
use crate::standings::faults::FaultCause;
use crate::standings::tables;
use crate::store::{self, Header};
use crate::study::{Content, SprtSummary, SweepSummary, TuneSummary};
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
    let json = serde_json::to_string_pretty(&Json::new(report));
    Ok(json.context("can't write the summary as JSON")? + "\n")
}

/// The content of `summary.json`.
#[derive(Serialize, JsonSchema)]
struct Json<'a> {
    /// The run and its last session.
    run: &'a Header,
    /// Games with a result.
    games_played: u64,
    /// Bots that failed in most of the first units, so that nothing was measured.
    no_verdict: &'a [FailedBot],
    /// Failures of bots, those of the same cause together.
    fault_causes: &'a [FaultCause],
    /// The sequential test; null if the run isn't one.
    #[schemars(with = "Option<SprtSummary>")]
    sprt: Option<Box<RawValue>>,
    /// The sweep; null if the run isn't one.
    #[schemars(with = "Option<SweepSummary>")]
    sweep: Option<Box<RawValue>>,
    /// The tuning; null if the run isn't one.
    #[schemars(with = "Option<TuneSummary>")]
    tune: Option<Box<RawValue>>,
    /// Each game with its standings.
    games: &'a [Game],
}

impl<'a> Json<'a> {
    fn new(report: &'a RunReport) -> Json<'a> {
        let (summary, finding) = (&report.summary, &report.finding);
        let found = |wanted: &str| match &finding.data {
            // The value is laid out already, but not indented yet.
            Some((key, value)) if *key == wanted => {
                RawValue::from_string(value.replace('\n', "\n  ")).ok()
            }
            _ => None,
        };
        Json {
            run: &summary.run,
            games_played: summary.games_played,
            no_verdict: &finding.failed,
            fault_causes: &summary.fault_causes,
            sprt: found("sprt"),
            sweep: found("sweep"),
            tune: found("tune"),
            games: &summary.games,
        }
    }
}

/// A run for programs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Played<'a> {
    #[serde(flatten)]
    summary: Json<'a>,
    /// Folder of the run, the bot or the pool; null without one.
    folder: String,
    /// The answer in sentences.
    pub(crate) answer: Vec<String>,
    /// The test of the tuned values, a document like this one; null if none was played.
    pub(crate) confirmation: Option<Box<Played<'a>>>,
    #[serde(skip)]
    pub(crate) report: &'a RunReport,
    #[serde(skip)]
    pub(crate) out: &'a Path,
}

impl<'a> Played<'a> {
    pub(crate) fn new(report: &'a RunReport, out: &'a Path) -> Played<'a> {
        Played {
            summary: Json::new(report),
            folder: out.display().to_string(),
            answer: outcome::sentences(report, out),
            confirmation: None,
            report,
            out,
        }
    }
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
