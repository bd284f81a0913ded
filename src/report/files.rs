//! The derived files of a run: pure functions of its summary.

use crate::store::{PAIRINGS, RATINGS, SPRT, SUMMARY, SWEEP, TIMINGS};
use crate::summary::sprt::{AfterUnit, Question, Test};
use crate::summary::sweep::SweepSummary;
use crate::summary::{BotSummary, Found, GameSummary, Summary, TimeSummary};
use arena_stats::ratings::Mark;

/// Why a summary cannot be written as CSV or JSON: a defect.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// As CSV.
    #[error("write the summary as CSV")]
    Csv(#[from] csv::Error),
    /// As JSON.
    #[error("write the summary as JSON")]
    Json(#[from] serde_json::Error),
}

/// Every derived file, its name and its content; the summary last.
pub(crate) fn derived(summary: &Summary, found: Found<'_>) -> Result<Vec<(&'static str, Vec<u8>)>, FileError> {
    let sprt = found.test.map(|test| (SPRT, sprt(test).into_bytes()));
    let mut files = vec![(RATINGS, ratings(summary)?), (PAIRINGS, pairings(summary)?), (TIMINGS, timings(summary)?)];
    files.extend(sprt);
    if let Some(swept) = &summary.sweep {
        files.push((SWEEP, sweep(swept)?));
    }
    files.push((SUMMARY, summary_json(summary)?.into_bytes()));
    Ok(files)
}

/// A sequential test after every unit, as CSV.
pub(crate) fn sprt(test: &Test) -> String {
    let lines: String = test.history().iter().map(|after| sprt_line(test.question(), after)).collect();
    format!("unit,games,llr,lower,upper,score,elo,state\n{lines}")
}

/// How a test stood after a unit, as a line of CSV with its end.
pub(crate) fn sprt_line(question: &Question, after: &AfterUnit) -> String {
    let AfterUnit { unit, games, llr, score, elo, state } = *after;
    let (lower, upper) = (question.hypotheses.lower(), question.hypotheses.upper());
    let [llr, lower, upper, score, elo] = [llr, lower, upper, score, elo].map(decimal);
    format!("{unit},{games},{llr},{lower},{upper},{score},{elo},{state}\n")
}

/// The summary as JSON; numbers that are not finite are `null`.
pub(crate) fn summary_json(summary: &Summary) -> Result<String, FileError> {
    Ok(serde_json::to_string_pretty(summary)? + "\n")
}

/// The variants of a sweep, in the order of the plan, as CSV. Parameters have `value_` before their names, so that none is
/// that of another column.
fn sweep(sweep: &SweepSummary) -> Result<Vec<u8>, csv::Error> {
    let values: Vec<String> = sweep.parameters.iter().map(|name| format!("value_{name}")).collect();
    let results = ["units", "games", "score", "elo", "lo95", "hi95", "state", "dropped_after"];
    let compared = ["behind", "behind_elo", "behind_lo95", "behind_hi95", "p", "p_adjusted"];
    let header = ["variant"].into_iter().chain(values.iter().map(String::as_str)).chain(results).chain(compared);
    let rows = sweep.variants.iter().map(|variant| {
        let mut row = vec![variant.name.clone()];
        row.extend(sweep.parameters.iter().map(|name| variant.values.get(name).cloned().unwrap_or_default()));
        row.extend([variant.units, variant.games].map(|count| count.to_string()));
        row.extend([variant.score, variant.elo, variant.lo95, variant.hi95].map(optional));
        row.extend([
            variant.state.to_string(),
            variant.dropped_after.map_or_else(String::new, |units| units.to_string()),
        ]);
        let behind = variant.behind.as_ref();
        row.push(behind.map_or_else(String::new, |behind| behind.leader.clone()));
        row.extend(
            [behind.map(|behind| behind.elo), behind.map(|behind| behind.lo95), behind.map(|behind| behind.hi95)]
                .map(optional),
        );
        row.extend([variant.p, variant.p_adjusted].map(|p| p.map_or_else(String::new, |p| format!("{p:.6e}"))));
        row
    });
    write(header, rows)
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, decimal)
}

fn ratings(summary: &Summary) -> Result<Vec<u8>, csv::Error> {
    let faults = summary.games.iter().flat_map(|game| &game.bots).next().map(|bot| bot.faults.keys().copied());
    let header = [
        "game",
        "rank",
        "bot",
        "elo",
        "lo95",
        "hi95",
        "games",
        "score",
        "won",
        "drawn",
        "lost",
        "mean_place",
        "firsts",
    ];
    let header = header.into_iter().chain(faults.into_iter().flatten()).chain(["notes"]);
    let rows = every_bot(summary).map(|(game, bot)| {
        let mut row = vec![game.game.clone(), bot.rank.to_string(), bot.name.clone()];
        row.extend([bot.elo, bot.lo95, bot.hi95].map(|value| value.map_or_else(String::new, decimal)));
        row.extend([bot.games.to_string(), decimal(bot.score)]);
        row.extend([bot.wins, bot.draws, bot.losses].map(|count| count.to_string()));
        row.extend([bot.mean_place, bot.firsts].map(decimal));
        row.extend(bot.faults.values().map(u64::to_string));
        row.push(notes(game, bot));
        row
    });
    write(header, rows)
}

/// What limits a rating, as words.
fn notes(game: &GameSummary, bot: &BotSummary) -> String {
    let unlinked = (game.groups.len() > 1).then_some("unlinked");
    let provisional = bot.provisional.then_some("provisional");
    let mark = bot.mark.map(|mark| match mark {
        Mark::Perfect => "perfect",
        Mark::Zero => "zero",
    });
    mark.into_iter().chain(unlinked).chain(provisional).collect::<Vec<_>>().join(" ")
}

fn pairings(summary: &Summary) -> Result<Vec<u8>, csv::Error> {
    let header = ["game", "first", "second", "units", "won", "drawn", "lost", "score", "elo", "lo95", "hi95", "los"];
    let rows = summary.games.iter().flat_map(|game| game.pairings.iter().map(move |pairing| (game, pairing)));
    let rows = rows.map(|(game, pairing)| {
        let mut row = vec![game.game.clone(), pairing.first.clone(), pairing.second.clone()];
        row.push(pairing.elo.map_or(0, |elo| elo.units).to_string());
        row.extend([pairing.wins, pairing.draws, pairing.losses].map(|count| count.to_string()));
        row.extend(
            pairing
                .elo
                .map_or_else(Default::default, |elo| [elo.score, elo.elo, elo.lo95, elo.hi95, elo.los].map(decimal)),
        );
        row
    });
    write(header.into_iter(), rows)
}

fn timings(summary: &Summary) -> Result<Vec<u8>, csv::Error> {
    let header = ["game", "bot", "turns", "count", "ms_p50", "ms_p95", "ms_p99", "ms_max"];
    let rows = every_bot(summary).flat_map(|(game, bot)| {
        let row = |turns: &str, times: TimeSummary| {
            let TimeSummary { count, p50, p95, p99, max } = times;
            let mut row = vec![game.game.clone(), bot.name.clone(), turns.to_owned(), count.to_string()];
            row.extend([p50, p95, p99, max].map(|ms| format!("{ms:.3}")));
            row
        };
        let first = bot.first_turn.map(|times| row("first", times));
        first.into_iter().chain(bot.later_turns.map(|times| row("later", times)))
    });
    write(header.into_iter(), rows)
}

fn every_bot(summary: &Summary) -> impl Iterator<Item = (&GameSummary, &BotSummary)> {
    summary.games.iter().flat_map(|game| game.bots.iter().map(move |bot| (game, bot)))
}

/// A number to four decimals, which is more than any of them means (`summary.json` has them all); nothing where it is
/// not finite, as `null` in JSON.
fn decimal(value: f64) -> String {
    // Adding 0 turns a negative zero into a plain one.
    if value.is_finite() { ((value * 1e4).round() / 1e4 + 0.0).to_string() } else { String::new() }
}

fn write<'a>(
    header: impl Iterator<Item = &'a str>,
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    rows.into_iter().try_for_each(|row| writer.write_record(row))?;
    writer.into_inner().map_err(|error| csv::Error::from(std::io::Error::from(error.error().kind())))
}
