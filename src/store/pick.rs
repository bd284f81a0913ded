//! Picks a few records without parsing the others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::{StoreError, parse_record, record_lines};
use crate::play::record::Record;

/// Start of every record that this program writes.
const START: &[u8] = b"{\"number\":";

/// The line of a record that isn't parsed yet.
#[derive(Debug)]
pub(crate) struct PickedLine {
    text: Vec<u8>,
    /// The number of the line in its file.
    line: u64,
}

impl PickedLine {
    /// Parses the record.
    pub(crate) fn parse(&self, path: &Path) -> Result<Record, StoreError> {
        parse_record(path, self.line, &self.text)
    }
}

/// Finds the records of games with these numbers in a file, which may be plain or gzip. The number
/// of a record without one is its place among the records, from 0. Missing games are left out, and
/// so is a line that is still being written.
pub(crate) fn pick_lines(
    path: &Path,
    numbers: &BTreeSet<u64>,
) -> Result<BTreeMap<u64, PickedLine>, StoreError> {
    let mut picked = BTreeMap::new();
    if numbers.is_empty() {
        // A run that has just begun may not have the file yet.
        return Ok(picked);
    }
    for (place, found) in (0..).zip(record_lines(path)?) {
        let (line, text) = found?;
        let number = number_of(&text, place);
        let found = PickedLine { text, line };
        if let Some(number) = number
            && numbers.contains(&number)
            && (found.text.ends_with(b"\n") || found.parse(path).is_ok())
        {
            picked.insert(number, found);
        }
        if picked.len() == numbers.len() {
            break;
        }
    }
    Ok(picked)
}

/// Reads the record of one game, as [`pick_lines`] finds it.
pub(crate) fn pick_record(path: &Path, number: u64) -> Result<Option<Record>, StoreError> {
    let picked = pick_lines(path, &BTreeSet::from([number]))?;
    picked.get(&number).map(|it| it.parse(path)).transpose()
}

/// Returns the number of a record, or else its place; `None` if the line is no record. It parses
/// only lines that don't start like ours.
fn number_of(line: &[u8], place: u64) -> Option<u64> {
    #[derive(Deserialize)]
    struct Numbered {
        number: Option<u64>,
    }
    written_number(line).or_else(|| {
        let Numbered { number } = serde_json::from_slice(line).ok()?;
        Some(number.unwrap_or(place))
    })
}

/// Returns the number at the start of a line that this program wrote.
fn written_number(line: &[u8]) -> Option<u64> {
    let mut fields = line.strip_prefix(START)?.split(|byte| *byte == b',');
    str::from_utf8(fields.next()?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(number: &str) -> String {
        format!(
            r#"{{{number}"game":"onitama","seed":1,"steps":[{{"turn":1,"player":0,"output":"\"number\":9,"}}],"scores":[0,1],"reason":"timeout"}}"#
        )
    }

    /// The numbers of the records that are found, and those that they have themselves.
    fn picked(text: &str, numbers: &[u64]) -> Result<Vec<(u64, Option<u64>)>, StoreError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let lines = pick_lines(file.path(), &numbers.iter().copied().collect())?;
        let records = lines
            .iter()
            .map(|(number, line)| Ok((*number, line.parse(file.path())?.number)));
        records.collect()
    }

    #[test]
    fn records_are_found_however_they_are_written() {
        let spaced =
            line("")
                .replacen('{', "{ ", 1)
                .replacen(r#""steps""#, r#""number" : 4, "steps""#, 1);
        let text = [
            line(r#""number":7,"#),
            "broken".into(),
            line(r#""number":40,"#),
            String::new(),
            spaced,
        ]
        .join("\n");
        assert_eq!(
            picked(&text, &[4, 7, 9]).unwrap(),
            [(4, Some(4)), (7, Some(7))]
        );
        assert_eq!(
            picked(&text, &[40, 7]).unwrap(),
            [(7, Some(7)), (40, Some(40))]
        );
        assert_eq!(picked(&text, &[]).unwrap(), []);
        let unnumbered = [line(""), line(""), line("")].join("\n");
        assert_eq!(
            picked(&unnumbered, &[1, 2, 3]).unwrap(),
            [(1, None), (2, None)]
        );
    }

    #[test]
    fn a_torn_last_line_is_no_game_yet_and_a_broken_one_is_an_error() {
        let whole = line(r#""number":7,"#);
        assert_eq!(
            picked(&format!("{whole}\n{}", &whole[..40]), &[7, 8]).unwrap(),
            [(7, Some(7))]
        );
        let broken = line(r#""number":8,"#).replace("onitama\"", "onitama");
        let error = picked(&format!("{whole}\n\n{broken}\n"), &[8])
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 3: expected a record: "), "{error}");
    }
}
