//! Tables as CSV files.

use crate::section::table::{Column, Kind, Table};
use crate::section::words::decimal;

/// Tables with the same columns as one CSV file.
pub(crate) fn csv(tables: &[Table]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (number, table) in tables.iter().enumerate() {
        let columns: Vec<&Column> = table
            .columns
            .iter()
            .filter(|column| !column.name.is_empty())
            .collect();
        if number == 0 {
            writer.write_record(columns.iter().map(|column| &column.name))?;
        }
        for row in 0..table.len() {
            writer.write_record(columns.iter().map(|column| column.field(row)))?;
        }
    }
    writer
        .into_inner()
        .map_err(|error| std::io::Error::from(error.error().kind()).into())
}

impl Column {
    /// A field of a CSV file.
    fn field(&self, row: usize) -> String {
        let cell = &self.cells[row];
        let number = |show: fn(f64) -> String| cell.value.map_or_else(String::new, show);
        match self.kind {
            Kind::Number | Kind::Heat => number(decimal),
            Kind::Time => number(|ms| format!("{ms:.3}")),
            _ => cell.text.clone().unwrap_or_default(),
        }
    }
}
