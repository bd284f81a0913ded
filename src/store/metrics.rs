//! `metrics.csv`: the bots' metrics, a row for each value. It may be longer than all other files
//! together, so it is never in memory as a whole.

use std::io::{self, Write};

use super::lines::{GameReader, RecordLine};
use super::{METRICS, Pending, RunDir, StoreError, io_error};
use crate::play::record::Record;

const COLUMNS: [&str; 7] = ["number", "game", "turn", "seat", "bot", "name", "value"];

impl RunDir {
    /// Writes the file from the records.
    pub(crate) fn write_metrics(&self) -> Result<(), StoreError> {
        let mut pending = Pending::create(&self.path)?;
        let mut rows = csv::Writer::from_writer(&mut pending.file);
        let failed = |error| io_error("write", &pending.path)(error);
        rows.write_record(COLUMNS)
            .map_err(|error| failed(error.into()))?;
        let mut games = GameReader::open_at(&self.path, 0)?;
        while let Some(RecordLine { game, .. }) = games.next()? {
            write_game(&mut rows, game.result.number, &game.record).map_err(failed)?;
        }
        rows.flush().map_err(failed)?;
        drop(rows);
        pending.finish(METRICS, None)
    }
}

fn write_game(rows: &mut csv::Writer<impl Write>, number: u64, record: &Record) -> io::Result<()> {
    for ((turn, seat, name), value) in record.metrics() {
        let bot = record.bots.get(seat).map_or("", String::as_str);
        rows.serialize((number, &record.game, turn, seat, bot, name, value))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_for_each_value() {
        let record = r#"{"game":"onitama","seed":1,"bots":["a","b, \"c\""],"scores":[0,0],"reason":"timeout","steps":[
            {"turn":1,"player":0,"output":"x","metrics":{"depth":7,"money@3":1.5,"money@2":1e300,"x\"<":-0.1}},
            {"turn":2,"player":1,"output":"y"},
            {"turn":3,"player":0,"output":"x","metrics":{"money":2}},
            {"turn":4,"player":1,"output":"y","metrics":{"eval":0.25}}]}"#;
        let mut rows = csv::Writer::from_writer(Vec::new());
        write_game(&mut rows, 17, &serde_json::from_str(record).unwrap()).unwrap();
        let text = String::from_utf8(rows.into_inner().unwrap()).unwrap();
        let expected = [
            "17,onitama,1,0,a,depth,7.0",
            "17,onitama,1,0,a,\"x\"\"<\",-0.1",
            "17,onitama,2,0,a,money,1e300",
            // The last value of a turn counts.
            "17,onitama,3,0,a,money,2.0",
            "17,onitama,4,1,\"b, \"\"c\"\"\",eval,0.25",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
