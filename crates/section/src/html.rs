//! Sections as HTML, with tables and the drawings in them.

use std::collections::BTreeMap;
use std::ops::Range;

use maud::{Markup, html};

use crate::chart::{Scale, WIDTH, percentage, place};
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
    framed(&section.id, &section.title, &content(section))
}

/// Sections of which the page shows the one whose tab is chosen. It takes no script.
pub fn tabs(sections: &[Section]) -> Markup {
    let [_, _, ..] = sections else {
        return html! { @for only in sections { (section(only)) } };
    };
    html! {
        div class="tabs" {
            // Each button comes before its section, which is how the style sheet finds it.
            @for (at, one) in sections.iter().enumerate() {
                @let tab = format!("tab-{}", one.id);
                input type="radio" name="tab" id=(tab) checked[at == 0];
                label for=(tab) { (one.title) }
                (section(one))
            }
        }
    }
}

/// A section that opens on request.
pub fn folded(section: &Section) -> Markup {
    html! {
        details id=(section.id) class="folded" {
            summary { (section.title) }
            (content(section))
        }
    }
}

fn content(section: &Section) -> Markup {
    html! {
        @for lead in &section.lead { p class="lead" { (sentence(lead)) } }
        (parts(&section.parts))
    }
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
        @if !part.explanation.is_empty() { p class="explain" { (prose(&part.explanation)) } }
        @if let Some(drawn) = &part.table { (table(drawn)) }
        @match &part.charts[..] {
            [] => {}
            [only] if only.title.is_empty() => { (only.figure()) }
            charts => { div class="pair" { @for chart in charts { (chart.titled()) } } }
        }
        @if !part.notes.is_empty() { ul class="notes" { @for note in &part.notes { li { (prose(note)) } } } }
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
        (prose(&sentence.rest)) "."
    }
}

/// Text in which commands and options between backticks are set as code. Other backticks stay:
/// names of bots may have some.
pub fn prose(text: &str) -> Markup {
    let Some((before, rest)) = text.split_once('`') else {
        return html! { (text) };
    };
    match rest.split_once('`') {
        Some((code, after)) if code.starts_with("arena ") || code.starts_with("--") => {
            html! { (before) code { (code) } (prose(after)) }
        }
        _ => html! { (before) "`" (prose(rest)) },
    }
}

/// The most characters of a name.
const NAME: usize = 30;
/// The most characters of a name on a narrow page.
const SHORT_NAME: usize = 14;

/// A column as the page has it: its head and its cells.
type Drawn = (Markup, Vec<Markup>);

/// A table that can be sorted. If it is too wide, it scrolls in its box, also by keyboard.
pub fn table(table: &Table) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(table.title) {
            table class="sortable" { (grid(table)) }
        }
    }
}

/// A table of a few drawn intervals, below the answer that they show.
pub fn drawn(table: &Table) -> Markup {
    html! { table class="drawn" aria-label=(table.title) { (grid(table)) } }
}

fn grid(table: &Table) -> Markup {
    let mut columns: Vec<Drawn> = Vec::new();
    for column in &table.columns {
        if column.title.is_empty() || column.says_nothing() {
            continue;
        }
        columns.push(match column.kind {
            Kind::Interval => intervals(column),
            Kind::Name => (head(column), names(column)),
            _ => {
                let cells = column.cells.iter().map(|one| cell(column, one));
                (head(column), cells.collect())
            }
        });
    }
    let body = table.row_count() - usize::from(table.has_sum);
    html! {
        thead { tr { @for (head, _) in &columns { (head) } } }
        tbody { (rows(table, &columns, 0..body)) }
        @if table.has_sum { tfoot { (rows(table, &columns, body..table.row_count())) } }
    }
}

fn rows(table: &Table, columns: &[Drawn], rows: Range<usize>) -> Markup {
    let class = |row| (table.marked == Some(row)).then_some("marked");
    html! { @for row in rows { tr class=[class(row)] { @for (_, cells) in columns { (cells[row]) } } } }
}

fn head(column: &Column) -> Markup {
    let (class, sort) = match column.kind {
        Kind::Details => (Some("text"), None),
        Kind::Ends => (Some("ends"), Some("number")),
        _ if column.is_words() => (Some("text"), Some("text")),
        _ => (None, Some("number")),
    };
    let cells = &column.cells;
    let is_sorted = matches!(column.kind, Kind::Rank | Kind::Game)
        && cells.is_sorted_by_key(|cell| cell.value.map(f64::to_bits));
    let order = if is_sorted { Some("ascending") } else { None };
    let note = unless_empty(&column.note);
    html! {
        th scope="col" class=[class] data-sort=[sort] aria-sort=[order] title=[note] {
            (column.title)
        }
    }
}

/// The names of rows, with whole ones on hover. The style sheet has the shorter ones for a narrow
/// page.
fn names(column: &Column) -> Vec<Markup> {
    let [long, short] = [NAME, SHORT_NAME].map(|width| column.texts(width));
    let mut cells = Vec::new();
    for (
        at,
        Cell {
            text, tip, link, ..
        },
    ) in column.cells.iter().enumerate()
    {
        let whole = unless_empty(tip).or(text.as_deref());
        cells.push(html! {
            th scope="row" title=[whole] data-short=(short[at]) {
                @if let Some(link) = link { a href=(link) { (long[at]) } } @else { (long[at]) }
            }
        });
    }
    cells
}

fn cell(column: &Column, cell: &Cell) -> Markup {
    let text = cell.text.as_deref().unwrap_or("–");
    let tone = match cell.tone {
        _ if cell.text.is_none() => "none",
        Tone::Bad => "bad",
        Tone::Faint => "none",
        _ => "",
    };
    // Empty cells sort first, infinite values at the ends.
    let sorted = |value: f64| decimal(value.clamp(-1e9, 1e9));
    let value = cell.value.map(sorted).unwrap_or_default();
    let games = games(&cell.games);
    match (column.kind, cell.value) {
        (Kind::Prose, _) => html! { td class="words" { (text) } },
        (Kind::Details, _) => details(cell),
        (Kind::Code, _) => html! { td class="words" { code { (text) } } },
        (Kind::Text | Kind::Words | Kind::Value, _) if column.is_words() => {
            let is_wrapped = column.kind == Kind::Words;
            html! { td class={ "text " @if is_wrapped { "wraps " } (tone) } data-games=[games] { (text) } }
        }
        (Kind::Value, _) => html! { td data-v=(text) { (text) } },
        (Kind::Game, _) => html! { td data-v=(value) data-game=(text) { (text) } },
        (Kind::Heat, Some(share)) => {
            let side = if share >= 0.5 { "up" } else { "down" };
            let strength = format!("--s:{:.0}%", 70.0 * (share - 0.5).abs());
            html! {
                td class={ "heat " (side) } data-v=(value) title=[unless_empty(&cell.tip)] style=(strength) data-games=[games] {
                    (text) (small(&cell.note))
                }
            }
        }
        (Kind::Ends, _) => html! { td class="ends" data-v=(value) data-games=[games] { (text) } },
        _ => html! {
            td class=[unless_empty(tone)] data-v=(value) data-games=[games] {
                (text.replace("inf", "∞")) (small(&cell.note))
            }
        },
    }
}

/// The games that a cell counts, as the query of a link that the script makes. It has no hidden
/// characters, so the page leaves it as it is.
fn games(filter: &Filter) -> Option<String> {
    let fields: BTreeMap<_, _> = filter.iter().map(|(name, value)| (name, value)).collect();
    let mut query = form_urlencoded::Serializer::new(String::new());
    (!fields.is_empty()).then(|| query.extend_pairs(fields).finish())
}

/// Returns the value of an attribute, which is left out if it is empty.
fn unless_empty(text: &str) -> Option<&str> {
    if text.is_empty() { None } else { Some(text) }
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

/// The most labels above a column of drawn intervals.
const MOST_MARKS: u8 = 5;

/// Numbers in their intervals, on one scale for the whole column. What is infinite lies beyond its
/// end.
fn intervals(column: &Column) -> Drawn {
    let ends = column.cells.iter().filter_map(|cell| cell.ends).flatten();
    let values = column.cells.iter().filter_map(|cell| cell.value);
    let scale = Scale::of(values.chain(ends), -10.0, 10.0).with_room(0.1);
    let mut marks = Vec::new();
    for value in scale.round(MOST_MARKS) {
        marks.push((scale.place(value), bound(value)));
    }
    let drawn = |cell| interval(cell, &scale, &marks);
    let head = axis_head(&column.title, &marks);
    (head, column.cells.iter().map(drawn).collect())
}

fn interval(cell: &Cell, scale: &Scale, marks: &[(f64, String)]) -> Markup {
    let class = match cell.tone {
        Tone::Faint => "interval vague",
        Tone::Good => "interval up",
        Tone::Bad => "interval down",
        _ => "interval",
    };
    let ends = cell
        .ends
        .map(|ends| ends.map(|end| WIDTH * scale.place(end)));
    let value = cell.value.filter(|value| value.is_finite());
    html! {
        td class="chart" {
            svg class="strip" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label=(cell.tip) {
                @for (place, text) in marks { (tick(if text == "0" { "zero" } else { "grid" }, *place, 0.0, 20.0)) }
                @if let Some([from, to]) = ends {
                    rect class=(class) x=(place(from)) width=(place((to - from).max(1.0))) y="7" height="6" {}
                }
                @if let Some(value) = value { (tick("point", scale.place(value), 3.0, 17.0)) }
            }
        }
    }
}

/// The head of a column of drawings, with the labels of its axis at their places from 0 to 1.
fn axis_head(title: &str, marks: &[(f64, String)]) -> Markup {
    html! {
        th scope="col" class="chart" {
            span class="unseen" { (title) }
            span class="axis" aria-hidden="true" {
                @for (place, text) in marks {
                    @let side = if *place < 0.03 { "start" } else if *place > 0.97 { "end" } else { "middle" };
                    @let zero = if text == "0" { " zero" } else { "" };
                    span class={ (side) (zero) } style={ "left:" (percentage(*place)) } { (text) }
                }
            }
        }
    }
}

/// A vertical line in a drawing of the height 20.
fn tick(class: &str, at: f64, from: f64, to: f64) -> Markup {
    let x = place(WIDTH * at);
    html! { line class=(class) x1=(x) x2=(x) y1=(from) y2=(to) {} }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Rows;

    #[test]
    fn commands_between_backticks_are_code() {
        for (text, page) in [
            (
                "see `arena check` or `--games 5`",
                "see <code>arena check</code> or <code>--games 5</code>",
            ),
            ("bot `x` and `", "bot `x` and `"),
            ("`arena <b>`", "<code>arena &lt;b&gt;</code>"),
        ] {
            assert_eq!(prose(text).into_string(), page);
        }
    }

    #[test]
    fn an_interval_without_an_end_reaches_the_edge() {
        let cell = |value, ends| Cell {
            value: Some(value),
            ends: Some(ends),
            ..Cell::default()
        };
        let rows = [
            (f64::INFINITY, [100.0, f64::INFINITY]),
            (50.0, [40.0, 60.0]),
        ];
        let table = Rows::new("", &rows)
            .shown(Kind::Interval, "Elo", |(value, ends)| cell(*value, *ends))
            .table();
        let page = drawn(&table).into_string();
        assert_eq!(page.matches("class=\"point\"").count(), 1, "{page}");
        assert!(!page.contains("NaN") && !page.contains("inf\""), "{page}");
    }

    /// Rows: the kind of a column, whether a narrow window may leave it out, its cells, and whether
    /// the page has it.
    #[test]
    fn an_empty_column_is_left_out() {
        let empty = Cell::default;
        let zero = || Cell::from("0");
        let ends = Cell {
            ends: Some([1.0, 2.0]),
            ..empty()
        };
        for (kind, spare, cells, is_shown) in [
            (Kind::Text, 0, [empty(), empty()], false),
            (Kind::Words, 1, [empty(), "2 timeout".into()], true),
            (Kind::Interval, 0, [empty(), empty()], false),
            (Kind::Interval, 0, [empty(), ends], true),
            (Kind::Details, 0, [empty(), empty()], false),
            (Kind::Number, 2, [zero(), zero()], false),
            (Kind::Number, 2, [zero(), "3".into()], true),
            (Kind::Number, 0, [zero(), zero()], true),
        ] {
            let table = Rows::new("", &cells)
                .shown(Kind::Name, "bot", |_| "x")
                .shown(kind, "of it", Cell::clone)
                .spare(spare)
                .table();
            let page = super::table(&table).into_string();
            assert_eq!(page.contains("of it"), is_shown, "{kind:?} {cells:?}");
        }
    }

    #[test]
    fn long_names_keep_what_differs() {
        let start = "arena bot onitama-search-of-a-long-name --depth";
        for ends in [
            ["3 --pawn 100", "4 --pawn 100"],
            ["", " 2"],
            ["x of a long name", "y of a long name"],
        ] {
            let names = ends.map(|end| format!("{start}{end}"));
            let table = Rows::new("", &names)
                .shown(Kind::Name, "bot", |name| name)
                .table();
            let page = super::table(&table).into_string();
            let shown: Vec<&str> = page
                .split("</th>")
                .filter_map(|cell| cell.split_once("row\"")?.1.split_once('>'))
                .map(|(_, name)| name)
                .collect();
            assert!(shown.len() == 2 && shown[0] != shown[1], "{page}");
            assert!(
                shown.iter().all(|name| name.chars().count() <= NAME),
                "{page}"
            );
            assert!(
                names
                    .iter()
                    .all(|name| page.contains(&format!("title=\"{name}\""))),
                "{page}"
            );
        }
    }

    /// Every section is in the page, and one button is chosen at first.
    #[test]
    fn several_sections_have_tabs() {
        let section = |id: &str| Section {
            id: id.to_owned(),
            title: id.to_owned(),
            lead: Vec::new(),
            parts: Vec::new(),
        };
        let one = tabs(&[section("a")]).into_string();
        assert!(one.starts_with("<section id=\"a\""), "{one}");
        let two = tabs(&[section("a"), section("b")]).into_string();
        assert_eq!(two.matches("<section").count(), 2);
        assert_eq!(two.matches(" checked").count(), 1);
    }
}
