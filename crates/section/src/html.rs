//! Sections as HTML, with tables and the drawings in them.

use std::collections::BTreeMap;
use std::ops::Range;

use maud::{Markup, html};

use crate::chart::{Scale, WIDTH, percentage};
use crate::table::{Cell, Column, Filter, Kind, Table};
use crate::words::{bound, decimal};
use crate::{Part, Section, Sentence, Tone};

/// Any content as a section of the page.
pub fn framed(id: &str, title: &str, content: &Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (title) }
            (content)
        }
    }
}

/// A section of the page.
pub fn section(section: &Section) -> Markup {
    let content = html! {
        @for lead in &section.lead { p class="headline" { (sentence(lead)) } }
        (parts(&section.parts))
    };
    framed(&section.id, &section.title, &content)
}

fn parts(parts: &[Part]) -> Markup {
    match parts {
        [] => html! {},
        [one, other, more @ ..] if one.beside => html! {
            div class="pair" {
                div { (part_of(one)) }
                div { (part_of(other)) }
            }
            (self::parts(more))
        },
        [one, more @ ..] => html! { (part_of(one)) (self::parts(more)) },
    }
}

fn part_of(part: &Part) -> Markup {
    html! {
        @if !part.title.is_empty() { h3 { (part.title) } }
        @if !part.explanation.is_empty() { p class="explain" { (part.explanation) } }
        @if let Some(drawn) = &part.table { (table(drawn)) }
        @match &part.charts[..] {
            [] => {}
            [only] if only.title.is_empty() => { (only.figure()) }
            charts => { div class="pair" { @for chart in charts { (chart.titled()) } } }
        }
        (notes(&part.notes))
        @if let Some(command) = &part.command { pre class="command" { code { (command) } } }
    }
}

/// A sentence with its full stop. Its subject is bold, in the colour of a verdict.
pub fn sentence(sentence: &Sentence) -> Markup {
    let class = match sentence.tone {
        Tone::Good => Some("good"),
        Tone::Bad => Some("bad"),
        Tone::Open => Some("muted"),
        _ => None,
    };
    html! {
        @if !sentence.subject.is_empty() { strong class=[class] { (sentence.subject) } }
        (sentence.rest) "."
    }
}

/// Notes below a table.
fn notes(notes: &[String]) -> Markup {
    html! { @if !notes.is_empty() { ul class="notes" { @for note in notes { li { (note) } } } } }
}

/// A column as the page has it: its head and its cells.
type Drawn = (Markup, Vec<Markup>);

/// A table that can be sorted. If it is too wide, it scrolls in its box, also by keyboard.
pub fn table(table: &Table) -> Markup {
    let mut columns: Vec<Drawn> = Vec::new();
    let titled = table
        .columns
        .iter()
        .filter(|column| !column.title.is_empty());
    for column in titled {
        columns.push(if column.kind == Kind::Interval {
            intervals(column)
        } else {
            let cells = (0..table.row_count()).map(|row| cell(column, row));
            (head(column), cells.collect())
        });
    }
    let body = table.row_count() - usize::from(table.has_sum);
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(table.title) {
            table class="sortable" {
                thead { tr { @for (head, _) in &columns { (head) } } }
                tbody { (rows(&columns, 0..body)) }
                @if table.has_sum { tfoot { (rows(&columns, body..table.row_count())) } }
            }
        }
    }
}

fn rows(columns: &[Drawn], rows: Range<usize>) -> Markup {
    html! { @for row in rows { tr { @for (_, cells) in columns { (cells[row]) } } } }
}

fn head(column: &Column) -> Markup {
    let class = (column.is_words() || column.kind == Kind::Details).then_some("text");
    let sort = match class {
        _ if column.kind == Kind::Details => None,
        Some(_) => Some("text"),
        None => Some("number"),
    };
    let order = matches!(column.kind, Kind::Rank | Kind::Game).then_some("ascending");
    let note = Some(&column.note).filter(|note| !note.is_empty());
    html! {
        th scope="col" class=[class] data-sort=[sort] aria-sort=[order] title=[note] {
            (column.title)
        }
    }
}

fn cell(column: &Column, row: usize) -> Markup {
    let cell = &column.cells[row];
    let text = cell.text.as_deref().unwrap_or("–");
    let tone = match cell.tone {
        _ if cell.text.is_none() => "none",
        Tone::Bad => "bad",
        Tone::Faint => "none",
        _ => "",
    };
    // Empty cells sort first, infinite values at the ends.
    let value = cell
        .value
        .map_or_else(String::new, |value| decimal(value.clamp(-1e9, 1e9)));
    let games = games(&cell.games);
    match (column.kind, cell.value) {
        (Kind::Name, _) => html! { th scope="row" { (text) } },
        (Kind::Prose, _) => html! { td class="words" { (text) } },
        (Kind::Details, _) => details(cell),
        (Kind::Code, _) => html! { td class="words" { code { (text) } } },
        (Kind::Text | Kind::Words | Kind::Value, _) if column.is_words() => {
            html! { td class={ "text " (tone) } data-games=[games] { (text) } }
        }
        (Kind::Value, _) => html! { td data-v=(text) { (text) } },
        (Kind::Game, _) => html! { td data-v=(value) data-game=(text) { (text) } },
        (Kind::Heat, Some(share)) => {
            let side = if share >= 0.5 { "up" } else { "down" };
            let strength = format!("--s:{:.0}%", 70.0 * (share - 0.5).abs());
            let tip = Some(&cell.tip).filter(|tip| !tip.is_empty());
            html! {
                td class={ "heat " (side) } data-v=(value) title=[tip] style=(strength) data-games=[games] {
                    (text) (small(&cell.note))
                }
            }
        }
        _ => {
            html! {
                td class=[Some(tone).filter(|tone| !tone.is_empty())] data-v=(value) data-games=[games] {
                    (text.replace("inf", "∞")) (small(&cell.note))
                }
            }
        }
    }
}

/// The games that a cell counts, as the query of a link that the script makes. It has no hidden
/// characters, so the page leaves it as it is.
fn games(filter: &Filter) -> Option<String> {
    let fields: BTreeMap<_, _> = filter.iter().map(|(name, value)| (name, value)).collect();
    let mut query = form_urlencoded::Serializer::new(String::new());
    (!fields.is_empty()).then(|| query.extend_pairs(fields).finish())
}

/// Small text in a cell.
fn small(note: &str) -> Markup {
    html! { @if !note.is_empty() { small { (note) } } }
}

/// Texts that open on request.
fn details(cell: &Cell) -> Markup {
    let names: Vec<&str> = cell.details.iter().map(|(name, _)| *name).collect();
    html! {
        td class="words" {
            details {
                summary { (names.join(", ")) }
                @for (_, text) in &cell.details { pre tabindex="0" { (text) } }
            }
        }
    }
}

/// Numbers in their intervals, on one scale for the whole column.
fn intervals(column: &Column) -> Drawn {
    let mut values: Vec<f64> = column.cells.iter().filter_map(|cell| cell.value).collect();
    values.extend(column.cells.iter().filter_map(|cell| cell.ends).flatten());
    let scale = Scale::of(values.into_iter(), -10.0, 10.0).with_room(0.04, 0.04);
    let marks = marks(&scale);
    let cells = column
        .cells
        .iter()
        .map(|cell| interval(cell, &scale, &marks));
    (axis_head(&column.title, &marks), cells.collect())
}

/// Round values with their places, four at most on each side.
fn marks(scale: &Scale) -> Vec<(f64, String)> {
    let steps = [5, 10, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000];
    let step = steps
        .into_iter()
        .find(|&step| (scale.high - scale.low) / f64::from(step) <= 4.5)
        .unwrap_or(10_000);
    let mut marks = Vec::new();
    for number in -5..=5 {
        let value = f64::from(number * step);
        if scale.holds(value) {
            marks.push((scale.place(value), bound(value)));
        }
    }
    marks
}

fn interval(cell: &Cell, scale: &Scale, marks: &[(f64, String)]) -> Markup {
    let class = match cell.tone {
        Tone::Faint => "interval vague",
        _ => "interval",
    };
    let ends = cell.ends.map(|ends| ends.map(|end| scale.place(end)));
    strip(
        &cell.tip,
        &html! {
            @for (place, text) in marks { (tick(if text == "0" { "zero" } else { "grid" }, *place, 0.0, 20.0)) }
            @if let Some(ends) = ends { (bar(class, ends)) }
            @if let Some(value) = cell.value { (tick("point", scale.place(value), 3.0, 17.0)) }
        },
    )
}

/// The head of a column of drawings, with the labels of its axis at their places from 0 to 1.
fn axis_head(title: &str, marks: &[(f64, String)]) -> Markup {
    html! {
        th scope="col" class="chart" {
            span class="unseen" { (title) }
            span class="axis" aria-hidden="true" {
                @for (place, text) in marks {
                    @let side = if *place < 0.12 { "start" } else if *place > 0.88 { "end" } else { "middle" };
                    span class=(side) style={ "left:" (percentage(*place)) } { (text) }
                }
            }
        }
    }
}

/// A vertical line in a drawing of the height 20.
fn tick(class: &str, at: f64, from: f64, to: f64) -> Markup {
    let x = format!("{:.1}", WIDTH * at.clamp(0.0, 1.0));
    html! { line class=(class) x1=(x) x2=(x) y1=(from) y2=(to) {} }
}

/// An interval in a drawing of the height 20.
fn bar(class: &str, ends: [f64; 2]) -> Markup {
    let [from, to] = ends.map(|end| WIDTH * end.clamp(0.0, 1.0));
    let width = (to - from).max(1.0);
    html! { rect class=(class) x=(format!("{from:.1}")) width=(format!("{width:.1}")) y="7" height="6" {} }
}

/// A drawing as a cell.
fn strip(label: &str, marks: &Markup) -> Markup {
    html! {
        td class="chart" {
            svg class="strip" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label=(label) { (marks) }
        }
    }
}
