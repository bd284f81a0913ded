//! Picks a few records without parsing the others.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::{StoreError, parse_record, record_lines};
use crate::play::record::Record;

/// Start of every record that this program writes.
const START: &[u8] = b"{\"number\":";

/// Reads the records of games with these numbers, in the order of the file, which may be plain or
/// gzip. The number of a record without one is its place among the records, from 0. Missing games
/// are left out, and so is a line that is still being written.
pub(crate) fn pick_records(
    path: &Path,
    numbers: &BTreeSet<u64>,
) -> Result<Vec<Record>, StoreError> {
    let mut picked = Vec::new();
    if numbers.is_empty() {
        // A run that is watched may not have the file yet.
        return Ok(picked);
    }
    for (place, line) in (0..).zip(record_lines(path)?) {
        if picked.len() == numbers.len() {
            break;
        }
        let (number, line) = line?;
        if number_of(&line, place).is_some_and(|number| numbers.contains(&number)) {
            match parse_record(path, number, &line) {
                Ok(record) => picked.push(record),
                Err(error) if line.ends_with(b"\n") => return Err(error),
                Err(_) => {}
            }
        }
    }
    Ok(picked)
}

/// Returns the number of a record, or else its place; `None` if the line is no record. It parses
/// only lines that don't start like ours.
fn number_of(line: &[u8], place: u64) -> Option<u64> {
    #[derive(Deserialize)]
    struct Numbered {
        number: Option<u64>,
    }
    if let Some(rest) = line.strip_prefix(START)
        && let Some(end) = rest.iter().position(|&byte| byte == b',')
        && let Ok(digits) = std::str::from_utf8(&rest[..end])
        && let Ok(number) = digits.parse()
    {
        return Some(number);
    }
    let Numbered { number } = serde_json::from_slice(line).ok()?;
    Some(number.unwrap_or(place))
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

    fn picked(text: &str, numbers: &[u64]) -> Result<Vec<Option<u64>>, StoreError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let records = pick_records(file.path(), &numbers.iter().copied().collect())?;
        Ok(records.into_iter().map(|record| record.number).collect())
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
        assert_eq!(picked(&text, &[4, 7, 9]).unwrap(), [Some(7), Some(4)]);
        assert_eq!(picked(&text, &[40, 7]).unwrap(), [Some(7), Some(40)]);
        assert_eq!(picked(&text, &[]).unwrap(), []);
        let unnumbered = [line(""), line(""), line("")].join("\n");
        assert_eq!(picked(&unnumbered, &[1, 2, 3]).unwrap(), [None, None]);
    }

    #[test]
    fn a_torn_last_line_is_no_game_yet_and_a_broken_one_is_an_error() {
        let whole = line(r#""number":7,"#);
        assert_eq!(
            picked(&format!("{whole}\n{}", &whole[..40]), &[7, 8]).unwrap(),
            [Some(7)]
        );
        let broken = line(r#""number":8,"#).replace("onitama\"", "onitama");
        let error = picked(&format!("{whole}\n\n{broken}\n"), &[8])
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 3: expected a record: "), "{error}");
    }
}
