//! `arena games`.

use std::io::{self, Write};
use std::time::Duration;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use crate::exit;
use arena_games::{GameSpec, Games};

const COLUMNS: [&str; 5] = ["id", "title", "seats", "first turn", "later turns"];
/// Where the columns of numbers begin, which stand to the right.
const NUMBERS: usize = 2;

pub(super) fn games(games: &Games) -> u8 {
    let mut facts = Table::new();
    facts.set_header(COLUMNS);
    let mut settings = Table::new();
    for spec in games {
        let limits = [spec.first_turn, spec.turn].map(milliseconds);
        facts.add_row([&spec.id, &spec.title, &seats(spec), &limits[0], &limits[1]]);
        settings.add_row([&spec.id, &own_settings(spec)]);
    }
    let mut out = io::stdout().lock();
    // Who closes the output early has seen enough.
    let _ = writeln!(out, "{}\nBeside these limits (in [clock]), a config can set:\n\n{}", text(facts), text(settings));
    exit::OK
}

/// What a config can set for this game and not for every other.
fn own_settings(spec: &GameSpec) -> String {
    let mut settings = Vec::new();
    if spec.has_opening {
        settings.push("opening_plies in [run]: turns played at random before the bots start".to_owned());
    }
    for option in &spec.options {
        settings.push(format!("{} = {} in [game.{}]: {}", option.key, option.example, spec.id, option.meaning));
    }
    if spec.default_seats() > 2 {
        settings.push("design in [run]: four bots at a table, or two with two seats each".to_owned());
    }
    if settings.is_empty() { "nothing else".to_owned() } else { settings.join("; ") }
}

fn seats(spec: &GameSpec) -> String {
    match spec.seats.clone().into_inner() {
        (fewest, most) if fewest == most => fewest.to_string(),
        (fewest, most) => format!("{fewest}-{most}"),
    }
}

fn milliseconds(limit: Duration) -> String {
    format!("{} ms", limit.as_millis())
}

/// The lines of a table without borders.
fn text(mut table: Table) -> String {
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index >= NUMBERS {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
