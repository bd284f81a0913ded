//! Tables as CSV files.

use anyhow::Context;

use crate::table::{Column, Kind, Table};
use crate::words::decimal;

/// Tables with the same columns as one CSV file.
///
/// # Errors
///
/// If a row can't be written.
pub fn csv(tables: &[Table]) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (number, table) in tables.iter().enumerate() {
        let mut columns = Vec::from_iter(&table.columns);
        columns.retain(|column| !column.name.is_empty());
        if number == 0 {
            writer.write_record(columns.iter().map(|column| &column.name))?;
        }
        for row in 0..table.row_count() {
            writer.write_record(columns.iter().map(|column| column.field(row)))?;
        }
    }
    writer.into_inner().context("write a table as CSV")
}

impl Column {
    /// A field of a CSV file.
    fn field(&self, row: usize) -> String {
        let cell = &self.cells[row];
        let text = match self.kind {
            Kind::Number | Kind::Heat => cell.value.map(decimal),
            Kind::Time => cell.value.map(|ms| format!("{ms:.3}")),
            _ => cell.text.clone(),
        };
        text.unwrap_or_default()
    }
}
