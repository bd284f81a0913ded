//! Rows of `games.csv`.

use std::str::FromStr;

use crate::play::LONGEST_REASON;
use crate::play::record::Record;
use arena_games::{Fate, MAX_SEATS, Reason, Seat};
use arena_schedule::UnitDesign;

/// A row of `games.csv`: one game.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GameRow {
    /// The number of the game in the run.
    pub(crate) number: u64,
    /// The unit the game belongs to.
    pub(crate) unit: u64,
    /// The id of the game.
    pub(crate) game: String,
    /// The seed of the game.
    pub(crate) seed: i64,
    /// The reason for the end.
    pub(crate) reason: String,
    /// Number of turns, opening included.
    pub(crate) turns: u32,
    /// The seats of the game.
    pub(crate) seats: Vec<SeatRow>,
}

/// Returns the reason for the end of a game. Games with an external referee have digests of prompts
/// and may have other reasons than built-in games.
fn reason_of(record: &Record) -> Result<String, String> {
    let is_own = record.steps.first().is_some_and(|step| step.hash.is_none());
    let reason = &record.reason;
    if is_reason(reason) && (!is_own || reason.parse::<Reason>().is_ok()) {
        Ok(reason.clone())
    } else {
        Err(format!("expected a reason, found `{reason}`"))
    }
}

/// Whether a text can be a reason.
fn is_reason(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= LONGEST_REASON
}

/// The result of one seat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeatRow {
    /// The name of the bot.
    pub(crate) bot: String,
    /// The referee's score.
    pub(crate) score: i32,
    /// The place from 1; equal scores share the better place (1-2-2-4).
    pub(crate) place: usize,
    /// The fate of the seat.
    pub(crate) fate: Fate,
    /// The median response time in milliseconds; `None` if the seat was never asked.
    pub(crate) ms_p50: Option<f64>,
    /// The longest response time in milliseconds.
    pub(crate) ms_max: Option<f64>,
}

const GAME_COLUMNS: [&str; 6] = ["number", "unit", "game", "seed", "reason", "turns"];
/// The next column, in a run with maps. It follows from the seed and is not read again.
const MAP_COLUMN: &str = "map";
const SEAT_COLUMNS: [&str; 4] = ["bot", "score", "place", "fate"];
const TIME_COLUMNS: [&str; 2] = ["ms_p50", "ms_max"];

/// Minimum number of seats with columns, so that files of games with fewer seats look alike.
pub(crate) const LEAST_SEATS: usize = 4;

/// The columns of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Number of seats with columns.
    pub(crate) seats: usize,
    /// Whether there is a column of maps.
    pub(crate) has_map: bool,
}

impl Columns {
    /// The names of the columns in order: the game's, then each seat's. Times come last because
    /// they differ from run to run.
    pub(crate) fn names(self) -> Vec<String> {
        let mut names: Vec<String> = GAME_COLUMNS.map(str::to_owned).into();
        names.extend(self.has_map.then(|| MAP_COLUMN.to_owned()));
        for columns in [&SEAT_COLUMNS[..], &TIME_COLUMNS] {
            for seat in 1..=self.seats {
                names.extend(columns.iter().map(|name| format!("p{seat}_{name}")));
            }
        }
        names
    }

    /// Returns the map in a line, if it has one.
    pub(super) fn map_of(self, line: &[u8]) -> Option<String> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(line);
        let fields = reader.records().next()?.ok()?;
        let map = fields.get(GAME_COLUMNS.len()).filter(|_| self.has_map);
        map.map(str::to_owned)
    }

    /// The first line of the file, without its newline.
    pub(super) fn header(self) -> String {
        self.names().join(",")
    }
}

/// The places of the columns that rows are read from. A file may have others.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    header: csv::StringRecord,
    game: [usize; GAME_COLUMNS.len()],
    seats: Vec<[usize; SEAT_COLUMNS.len()]>,
}

impl Layout {
    /// Finds the columns by their names in the first line of a file. The error names the first
    /// missing one.
    pub(crate) fn of(header: &csv::StringRecord) -> Result<Layout, String> {
        let game = places(header, "", GAME_COLUMNS)?;
        let mut seats = Vec::new();
        for seat in 1..=MAX_SEATS {
            let prefix = format!("p{seat}_");
            if seat > 2 && places(header, &prefix, ["bot"]).is_err() {
                break;
            }
            seats.push(places(header, &prefix, SEAT_COLUMNS)?);
        }
        Ok(Layout {
            header: header.clone(),
            game,
            seats,
        })
    }

    fn number<T: FromStr>(&self, fields: &csv::StringRecord, at: usize) -> Result<T, String> {
        self.value(fields, at, "an integer", |_| true)
    }

    /// Reads a field that must hold a suitable value. `expected` describes it in the error.
    fn value<T: FromStr>(
        &self,
        fields: &csv::StringRecord,
        at: usize,
        expected: &str,
        is_suitable: impl Fn(&T) -> bool,
    ) -> Result<T, String> {
        let text = &fields[at];
        text.parse().ok().filter(is_suitable).ok_or_else(|| {
            let column = self.header.get(at).unwrap_or_default();
            format!("column {column}: expected {expected}, found `{text}`")
        })
    }
}

/// Finds columns whose names begin with a prefix. The error names the first missing one.
fn places<const N: usize>(
    header: &csv::StringRecord,
    prefix: &str,
    names: [&str; N],
) -> Result<[usize; N], String> {
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        let name = format!("{prefix}{name}");
        let found = header.iter().position(|column| column.trim() == name);
        *place = found.ok_or_else(|| format!("the column `{name}` is missing"))?;
    }
    Ok(places)
}

impl SeatRow {
    fn of(record: &Record, bot: &str, seat: Seat) -> Result<SeatRow, String> {
        let scored = record.scores.get(seat).zip(record.place(seat));
        let (&score, place) = scored.ok_or_else(|| format!("expected a score of seat {seat}"))?;
        let mut times: Vec<f64> = record.times(seat).collect();
        times.sort_unstable_by(f64::total_cmp);
        Ok(SeatRow {
            bot: bot.to_owned(),
            score,
            place,
            fate: record.fate(seat),
            ms_p50: times.get(times.len().saturating_sub(1) / 2).copied(),
            ms_max: times.last().copied(),
        })
    }
}

impl GameRow {
    /// Returns the unit design of the game.
    pub(crate) fn design(&self) -> UnitDesign {
        let bots: Vec<&str> = self.seats.iter().map(|seat| seat.bot.as_str()).collect();
        UnitDesign::of(&bots)
    }

    /// Returns the scores that bots are compared by, by seat. The referee ranks a bot that failed
    /// among others; one that failed alone is below all that didn't.
    pub(crate) fn compared_scores(&self) -> impl Iterator<Item = i32> {
        let is_alone = self.seats.len() == 1;
        self.seats.iter().map(move |seat| match seat.fate {
            Fate::Ok => seat.score,
            _ if is_alone => i32::MIN,
            _ => seat.score,
        })
    }

    /// Makes the row of a game. The error says what its record lacks.
    pub(crate) fn of(record: &Record) -> Result<GameRow, String> {
        let numbers = record.number.zip(record.unit);
        let (number, unit) =
            numbers.ok_or("expected the record of a game of a run, with its number and unit")?;
        let mut seats = Vec::new();
        for (seat, bot) in record.bots.iter().enumerate() {
            seats.push(SeatRow::of(record, bot, seat)?);
        }
        Ok(GameRow {
            number,
            unit,
            game: record.game.clone(),
            seed: record.seed.0,
            reason: reason_of(record)?,
            turns: record.turns(),
            seats,
        })
    }

    /// Formats the row as a line with its newline. `map` is empty if the game has none.
    pub(crate) fn to_line(&self, columns: Columns, map: &str) -> Vec<u8> {
        let (mut seats, mut times) = (Vec::new(), Vec::new());
        for seat in &self.seats {
            seats.push((&seat.bot, seat.score, seat.place, seat.fate));
            times.push([seat.ms_p50, seat.ms_max].map(|ms| ms.map(|ms| format!("{ms:.3}"))));
        }
        let map = columns.has_map.then_some(map);
        let missing = columns.seats.saturating_sub(self.seats.len());
        let fields = (
            (self.number, self.unit, &self.game, self.seed),
            (&self.reason, self.turns),
            map.as_slice(),
            seats,
            vec![""; missing * SEAT_COLUMNS.len()],
            times,
            vec![""; missing * TIME_COLUMNS.len()],
        );
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Neither can fail: all fields are simple values, and a vector takes any number of bytes.
        let _ = writer.serialize(fields);
        writer.into_inner().unwrap_or_default()
    }

    /// Reads a line of a file with these columns.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn parse_line(line: &[u8], columns: Columns) -> Result<GameRow, String> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(line);
        let fields = reader.records().next().ok_or("an empty line")?;
        let layout = Layout::of(&columns.names().into())?;
        GameRow::parse(&fields.map_err(|error| error.to_string())?, &layout)
    }

    /// Reads a row, without its times.
    pub(crate) fn parse(fields: &csv::StringRecord, layout: &Layout) -> Result<GameRow, String> {
        let expected = layout.header.len();
        if fields.len() != expected {
            let found = fields.len();
            return Err(format!("expected {expected} fields, found {found}"));
        }
        let filled = layout.seats.iter();
        let filled = filled.take_while(|[bot, ..]| !fields[*bot].is_empty());
        let count = filled.clone().count();
        let mut seats = Vec::new();
        for &[bot, score, place, fate] in filled {
            seats.push(SeatRow {
                bot: fields[bot].to_owned(),
                score: layout.number(fields, score)?,
                place: layout.value(
                    fields,
                    place,
                    "a place from 1 to the number of seats",
                    |place| (1..=count).contains(place),
                )?,
                fate: layout.value(fields, fate, "a fate such as `ok` or `timeout`", |_| true)?,
                ms_p50: None,
                ms_max: None,
            });
        }
        let [number, unit, game, seed, reason, turns] = layout.game;
        Ok(GameRow {
            number: layout.number(fields, number)?,
            unit: layout.number(fields, unit)?,
            game: fields[game].to_owned(),
            seed: layout.number(fields, seed)?,
            reason: layout.value(
                fields,
                reason,
                "a reason such as `checkmate`",
                |reason: &String| is_reason(reason),
            )?,
            turns: layout.number(fields, turns)?,
            seats,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use strum::VariantArray as _;

    use super::*;

    fn seat() -> impl Strategy<Value = SeatRow> {
        let ms =
            || prop::option::of((0..10_000_000_u32).prop_map(|micros| f64::from(micros) / 1000.0));
        let fate = prop::sample::select(Fate::VARIANTS);
        (
            r#"[a-z,"' \PC]{1,9}"#,
            any::<i32>(),
            1..=2_usize,
            fate,
            ms(),
            ms(),
        )
            .prop_map(|(bot, score, place, fate, ms_p50, ms_max)| SeatRow {
                bot,
                score,
                place,
                fate,
                ms_p50,
                ms_max,
            })
    }

    prop_compose! {
        fn row()(
            (number, unit, seed, turns) in any::<(u64, u64, i64, u32)>(),
            game in "[a-z_]{1,9}",
            reason in r#"[a-z_,"]{1,9}"#,
            seats in prop::collection::vec(seat(), 1..=MAX_SEATS),
        ) -> GameRow {
            let mut seats = seats;
            if let [alone] = &mut seats[..] {
                alone.place = 1;
            }
            GameRow { number, unit, game, seed, reason, turns, seats }
        }
    }

    proptest! {
        /// With a map or without; times are not read.
        #[test]
        fn a_row_is_read_as_it_was_written(row in row(), has_map: bool, map in r#"[a-z,"' \PC]{0,9}"#) {
            let columns = Columns { seats: row.seats.len().max(LEAST_SEATS), has_map };
            let line = row.to_line(columns, &map);
            let mut without_times = row;
            for seat in &mut without_times.seats {
                (seat.ms_p50, seat.ms_max) = (None, None);
            }
            prop_assert_eq!(GameRow::parse_line(&line, columns), Ok(without_times));
        }

        /// Whatever is read as a row is written as one that reads the same.
        #[test]
        fn a_changed_row_is_read_or_refused(
            row in row(),
            at in any::<prop::sample::Index>(),
            removed in 0..9_usize,
            inserted in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(&b",,,\"\n\r09-.aN"[..])], 0..4),
        ) {
            let all = Columns { seats: MAX_SEATS, has_map: true };
            let mut line = row.to_line(all, "");
            let start = at.index(line.len());
            let end = (start + removed).min(line.len());
            line.splice(start..end, inserted);
            if let Ok(read) = GameRow::parse_line(&line, all) {
                let written = read.to_line(all, "");
                let again = GameRow::parse_line(&written, all).unwrap();
                prop_assert_eq!(again.to_line(all, ""), written);
            }
        }
    }
}
