//! One row of `games.csv`: one game.

use std::io;

use serde::Serialize;

use crate::record::Record;
use arena_games::{Fate, MAX_SEATS, Reason, Seat};

/// One game as it stands in `games.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct GameRow {
    /// The number of the game in the run.
    pub(crate) number: u64,
    /// The unit the game belongs to.
    pub(crate) unit: u64,
    /// The id of the game.
    pub(crate) game: String,
    /// The seed of the game.
    pub(crate) seed: i64,
    /// Why the game ended.
    pub(crate) reason: Reason,
    /// Turns of the game, those of its opening included.
    pub(crate) turns: u32,
    /// The seats, as many as the game has.
    pub(crate) seats: Vec<SeatRow>,
}

/// How one seat fared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SeatRow {
    /// The name of the bot.
    pub(crate) bot: String,
    /// The referee's score.
    pub(crate) score: i32,
    /// The place from 1; equal scores share the better place (1-2-2-4).
    pub(crate) place: usize,
    /// What became of the seat.
    pub(crate) fate: Fate,
    /// The median response time in milliseconds; `None` where the seat was never asked.
    pub(crate) ms_p50: Option<f64>,
    /// The longest response time in milliseconds.
    pub(crate) ms_max: Option<f64>,
}

const GAME_COLUMNS: [&str; 6] = ["number", "unit", "game", "seed", "reason", "turns"];
const SEAT_COLUMNS: [&str; 4] = ["bot", "score", "place", "fate"];
const TIME_COLUMNS: [&str; 2] = ["ms_p50", "ms_max"];

/// The seats that a file has columns for at least, so that files of games with fewer look alike.
pub(crate) const LEAST_SEATS: usize = 4;

/// The names of the columns for so many seats, in order: the game's, then each seat's, the timings of all seats last
/// because they differ from run to run.
pub(crate) fn columns(seats: usize) -> impl Iterator<Item = String> {
    let of_seats = move |names: &'static [&'static str]| {
        (1..=seats).flat_map(move |p| names.iter().map(move |name| format!("p{p}_{name}")))
    };
    GAME_COLUMNS.iter().map(ToString::to_string).chain(of_seats(&SEAT_COLUMNS)).chain(of_seats(&TIME_COLUMNS))
}

/// The first line of a file for so many seats, without its newline.
pub(super) fn header(seats: usize) -> String {
    columns(seats).collect::<Vec<_>>().join(",")
}

/// Whether this is the first line of a file.
pub(super) fn is_header(fields: &csv::StringRecord) -> bool {
    (LEAST_SEATS..=MAX_SEATS).any(|seats| columns(seats).eq(fields.iter()))
}

impl SeatRow {
    fn of(record: &Record, bot: &str, seat: Seat) -> Result<SeatRow, String> {
        let score = *record.scores.get(seat).ok_or_else(|| format!("expected a score of seat {seat}"))?;
        let mut times: Vec<f64> = record.times(seat).collect();
        times.sort_unstable_by(f64::total_cmp);
        Ok(SeatRow {
            bot: bot.to_owned(),
            score,
            place: 1 + record.scores.iter().filter(|&&other| other > score).count(),
            fate: record.fate(seat)?,
            ms_p50: times.get(times.len().saturating_sub(1) / 2).copied(),
            ms_max: times.last().copied(),
        })
    }
}

impl GameRow {
    /// The row of a game of a run; says what its record lacks.
    pub(crate) fn of(record: &Record) -> Result<GameRow, String> {
        Ok(GameRow {
            number: record.number.ok_or("expected the record of a game of a run, with its number")?,
            unit: record.unit.ok_or("expected the record of a game of a run, with its unit")?,
            game: record.game.clone(),
            seed: record.seed.0,
            reason: record.reason.parse().map_err(|_| format!("expected a reason, found `{}`", record.reason))?,
            turns: record.turns(),
            seats: record
                .bots
                .iter()
                .zip(0..)
                .map(|(bot, seat)| SeatRow::of(record, bot, seat))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The fields, in the order of [`columns`] for so many seats.
    fn fields(&self, seats: usize) -> Vec<String> {
        let ms = |value: Option<f64>| value.map_or_else(String::new, |ms| format!("{ms:.3}"));
        let mut fields = vec![
            self.number.to_string(),
            self.unit.to_string(),
            self.game.clone(),
            self.seed.to_string(),
            self.reason.to_string(),
            self.turns.to_string(),
        ];
        for seat in &self.seats {
            fields.extend([seat.bot.clone(), seat.score.to_string(), seat.place.to_string(), seat.fate.to_string()]);
        }
        let times = GAME_COLUMNS.len() + seats * SEAT_COLUMNS.len();
        fields.resize(times, String::new());
        for seat in &self.seats {
            fields.extend([ms(seat.ms_p50), ms(seat.ms_max)]);
        }
        fields.resize(times + seats * TIME_COLUMNS.len(), String::new());
        fields
    }

    /// The row as a line of a file for so many seats, with its newline.
    pub(crate) fn to_line(&self, seats: usize) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.fields(seats))?;
        writer.into_inner().map_err(|error| io::Error::from(error.error().kind()).into())
    }

    /// Reads a line back.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn parse_line(line: &[u8]) -> Result<GameRow, String> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
        let fields = reader.records().next().ok_or("an empty line")?;
        GameRow::parse(&fields.map_err(|error| error.to_string())?)
    }

    /// Reads a row back.
    pub(crate) fn parse(fields: &csv::StringRecord) -> Result<GameRow, String> {
        let columns_of = |seats: usize| GAME_COLUMNS.len() + seats * (SEAT_COLUMNS.len() + TIME_COLUMNS.len());
        let columns = (LEAST_SEATS..=MAX_SEATS).find(|&seats| fields.len() == columns_of(seats));
        let columns =
            columns.ok_or_else(|| format!("expected {} fields, found {}", columns_of(LEAST_SEATS), fields.len()))?;
        let seats = (0..columns).take_while(|&seat| !fields[GAME_COLUMNS.len() + seat * SEAT_COLUMNS.len()].is_empty());
        Ok(GameRow {
            number: number(fields, 0)?,
            unit: number(fields, 1)?,
            game: fields[2].to_owned(),
            seed: number(fields, 3)?,
            reason: parse(fields, 4, "a reason such as `checkmate`")?,
            turns: number(fields, 5)?,
            seats: seats.map(|seat| parse_seat(fields, seat, columns)).collect::<Result<_, _>>()?,
        })
    }
}

/// One of the seats of a file for so many.
fn parse_seat(fields: &csv::StringRecord, seat: usize, seats: usize) -> Result<SeatRow, String> {
    let first = GAME_COLUMNS.len() + seat * SEAT_COLUMNS.len();
    let time = GAME_COLUMNS.len() + seats * SEAT_COLUMNS.len() + seat * TIME_COLUMNS.len();
    Ok(SeatRow {
        bot: fields[first].to_owned(),
        score: number(fields, first + 1)?,
        place: number(fields, first + 2)?,
        fate: parse(fields, first + 3, "a fate such as `ok` or `timeout`")?,
        ms_p50: optional(fields, time)?,
        ms_max: optional(fields, time + 1)?,
    })
}

fn number<T: std::str::FromStr>(fields: &csv::StringRecord, at: usize) -> Result<T, String> {
    parse(fields, at, "a whole number")
}

fn optional(fields: &csv::StringRecord, at: usize) -> Result<Option<f64>, String> {
    if fields[at].is_empty() { Ok(None) } else { parse(fields, at, "milliseconds").map(Some) }
}

fn parse<T: std::str::FromStr>(fields: &csv::StringRecord, at: usize, expected: &'static str) -> Result<T, String> {
    let seats = (fields.len() - GAME_COLUMNS.len()) / (SEAT_COLUMNS.len() + TIME_COLUMNS.len());
    let column = columns(seats).nth(at).unwrap_or_default();
    fields[at].parse().map_err(|_| format!("column {column}: expected {expected}, found `{}`", &fields[at]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use strum::VariantArray as _;

    use super::*;

    fn seat() -> impl Strategy<Value = SeatRow> {
        let ms = || prop::option::of((0..10_000_000_u32).prop_map(|micros| f64::from(micros) / 1000.0));
        let fate = prop::sample::select(Fate::VARIANTS);
        (r#"[a-z,"' \PC]{1,9}"#, any::<i32>(), 1..5_usize, fate, ms(), ms())
            .prop_map(|(bot, score, place, fate, ms_p50, ms_max)| SeatRow { bot, score, place, fate, ms_p50, ms_max })
    }

    prop_compose! {
        fn row()(
            (number, unit, seed, turns) in any::<(u64, u64, i64, u32)>(),
            game in "[a-z_]{1,9}",
            reason in prop::sample::select(Reason::VARIANTS),
            seats in prop::collection::vec(seat(), 2..=MAX_SEATS),
        ) -> GameRow {
            GameRow { number, unit, game, seed, reason, turns, seats }
        }
    }

    proptest! {
        #[test]
        fn a_row_is_read_as_it_was_written(row in row()) {
            let seats = row.seats.len().max(LEAST_SEATS);
            prop_assert_eq!(GameRow::parse_line(&row.to_line(seats).unwrap()), Ok(row));
        }

        /// Whatever is read as a row is written as one that reads the same.
        #[test]
        fn a_changed_row_is_read_or_refused(
            row in row(),
            at in any::<prop::sample::Index>(),
            removed in 0..9_usize,
            inserted in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(&b",,,\"\n\r09-.aN"[..])], 0..4),
        ) {
            let mut line = row.to_line(MAX_SEATS).unwrap();
            let start = at.index(line.len());
            let end = (start + removed).min(line.len());
            line.splice(start..end, inserted);
            if let Ok(read) = GameRow::parse_line(&line) {
                let written = read.to_line(MAX_SEATS).unwrap();
                let again = GameRow::parse_line(&written).unwrap();
                prop_assert_eq!(again.to_line(MAX_SEATS).unwrap(), written);
            }
        }
    }
}
