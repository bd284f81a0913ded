//! Lines of `games.csv`.

use super::table::csv_fields;
use crate::results::StoredGame;

/// `moves` is the digest of opening and answers.
const GAME_COLUMNS: [&str; 7] = ["number", "unit", "game", "seed", "reason", "turns", "moves"];
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
        if self.has_map {
            names.push(MAP_COLUMN.to_owned());
        }
        for columns in [&SEAT_COLUMNS[..], &TIME_COLUMNS] {
            for seat in 1..=self.seats {
                names.extend(columns.iter().map(|name| format!("p{seat}_{name}")));
            }
        }
        names
    }

    /// Returns the map in a line, if it has one.
    pub(super) fn map_of(self, line: &[u8]) -> Option<String> {
        if !self.has_map {
            return None;
        }
        Some(csv_fields(line).ok()?.get(GAME_COLUMNS.len())?.to_owned())
    }

    /// The first line of the file, with its newline.
    pub(super) fn header(self) -> String {
        self.names().join(",") + "\n"
    }
}

/// Formats a game as a line with its newline. `map` is empty if the game has none.
pub(super) fn line(game: &StoredGame, columns: Columns, map: &str) -> Vec<u8> {
    let StoredGame { result, record } = game;
    let (mut seats, mut times) = (Vec::new(), Vec::new());
    for (seat, of) in result.seats.iter().enumerate() {
        seats.push((&of.bot, of.score, of.place, of.fate));
        let mut ms: Vec<f64> = record.times(seat).collect();
        ms.sort_unstable_by(f64::total_cmp);
        let median = ms.get(ms.len().saturating_sub(1) / 2);
        times.push([median, ms.last()].map(|ms| ms.map(|ms| format!("{ms:.3}"))));
    }
    let moves = result.moves.map(|moves| format!("{moves:016x}"));
    let map = columns.has_map.then_some(map);
    let missing = columns.seats.saturating_sub(result.seats.len());
    let fields = (
        (result.number, result.unit, &result.game, result.seed),
        (&result.reason, result.turns, moves),
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

#[cfg(test)]
mod tests {
    use arena_games::{Fate, MAX_SEATS};
    use proptest::prelude::*;
    use strum::VariantArray as _;

    use super::*;
    use crate::play::record::Record;
    use crate::results::{GameResult, SeatResult};

    fn seat() -> impl Strategy<Value = SeatResult> {
        let fate = prop::sample::select(Fate::VARIANTS);
        (r#"[a-z,"' \PC]{1,9}"#, any::<i64>(), 1..=2_usize, fate).prop_map(
            |(bot, score, place, fate)| SeatResult {
                bot,
                score,
                place,
                fate,
            },
        )
    }

    prop_compose! {
        fn result()(
            (number, unit, seed, turns, moves) in any::<(u64, u64, i64, u32, Option<u64>)>(),
            game in "[a-z_]{1,9}",
            reason in r#"[a-z_,"]{1,9}"#,
            seats in prop::collection::vec(seat(), 1..=MAX_SEATS),
        ) -> GameResult {
            GameResult { number, unit, game, seed, reason, turns, moves, lower_is_better: false, seats }
        }
    }

    /// Two answers of the first seat.
    const TIMES: &str = r#"{"game":"x","seed":1,"scores":[],"reason":"x","ms":[3,1],
        "steps":[{"turn":1,"player":0,"output":"x"},{"turn":2,"player":0,"output":"x"}]}"#;

    proptest! {
        /// With maps or without, every field is where its column is.
        #[test]
        fn a_row_has_the_fields_of_its_columns(
            result in result(),
            has_map in any::<bool>(),
            map in r#"[a-z,"' \PC]{0,9}"#,
        ) {
            let columns = Columns { seats: result.seats.len().max(LEAST_SEATS), has_map };
            let record: Record = serde_json::from_str(TIMES).unwrap();
            let game = StoredGame { result, record };
            let line = line(&game, columns, &map);
            prop_assert_eq!(columns.map_of(&line), has_map.then(|| map.clone()));
            let file = [columns.header().into_bytes(), line].concat();
            let mut reader = csv::Reader::from_reader(&file[..]);
            let row: std::collections::BTreeMap<String, String> =
                reader.deserialize().next().unwrap().unwrap();
            let result = game.result;
            prop_assert_eq!(row.get("map"), has_map.then_some(&map));
            for (column, value) in [
                ("number", result.number.to_string()),
                ("unit", result.unit.to_string()),
                ("game", result.game),
                ("seed", result.seed.to_string()),
                ("reason", result.reason),
                ("turns", result.turns.to_string()),
                ("moves", result.moves.map_or_else(String::new, |moves| format!("{moves:016x}"))),
            ] {
                prop_assert_eq!(&row[column], &value);
            }
            for (seat, of) in (1..).zip(&result.seats) {
                let [median, max] = if seat == 1 { ["1.000", "3.000"] } else { [""; 2] };
                for (column, value) in [
                    ("bot", of.bot.clone()),
                    ("score", of.score.to_string()),
                    ("place", of.place.to_string()),
                    ("fate", of.fate.to_string()),
                    ("ms_p50", median.to_owned()),
                    ("ms_max", max.to_owned()),
                ] {
                    prop_assert_eq!(&row[&format!("p{seat}_{column}")], &value);
                }
            }
        }
    }
}
