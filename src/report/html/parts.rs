//! Pieces that all sections are made of.

use maud::{Markup, html};

/// The width of a drawing in a table; it is stretched to its cell.
pub(super) const WIDTH: f64 = 1000.0;

/// A box in which a wide table moves sideways, by keyboard too.
pub(super) fn scroll(label: &str, table: &Markup) -> Markup {
    html! { div class="scroll" tabindex="0" role="region" aria-label=(label) { (table) } }
}

/// The head of a column of words.
pub(super) fn text_head(title: &str) -> Markup {
    html! { th scope="col" class="text" data-sort="text" { (title) } }
}

/// The head of a column of numbers.
pub(super) fn number_head(title: &str) -> Markup {
    html! { th scope="col" data-sort="number" { (title) } }
}

/// The head of a column of drawings, with the values of its axis: where each stands from 0 to 1, and its text.
pub(super) fn axis_head(title: &str, marks: &[(f64, String)]) -> Markup {
    html! {
        th scope="col" class="chart" {
            span class="unseen" { (title) }
            span class="axis" aria-hidden="true" {
                @for (place, text) in marks {
                    @let side = if *place < 0.12 { "start" } else if *place > 0.88 { "end" } else { "middle" };
                    span class=(side) style={ "left:" (format!("{:.2}", 100.0 * place)) "%" } { (text) }
                }
            }
        }
    }
}

/// A cell with a number; it sorts by `value`, nothing being the least.
pub(super) fn number(value: Option<f64>, text: &str) -> Markup {
    html! { td data-v=(value.filter(|value| value.is_finite()).map_or_else(String::new, |value| format!("{value:.4}"))) { (text) } }
}

/// Nothing, as the page shows it.
pub(super) fn dash(text: String) -> String {
    if text == "-" { "–".to_owned() } else { text }
}

/// A cell with a count.
pub(super) fn counted(value: u64) -> Markup {
    html! { td data-v=(value) { (value) } }
}

/// A cell with a share, from 0 to 1, on a ground that shows it.
pub(super) fn heat(share: Option<f64>, tip: &str, small: &str) -> Markup {
    let Some(share) = share else { return html! { td data-v="" class="none" { "–" } } };
    let (side, strength) = if share >= 0.5 { ("up", share - 0.5) } else { ("down", 0.5 - share) };
    let title = Some(tip).filter(|tip| !tip.is_empty());
    html! {
        td class={ "heat " (side) } data-v=(format!("{share:.4}")) title=[title]
            style={ "--s:" (format!("{:.0}", 70.0 * strength)) "%" } {
            (super::super::words::percent(share))
            @if !small.is_empty() { small { (small) } }
        }
    }
}

/// A vertical line in a drawing of the height 20.
pub(super) fn tick(class: &str, at: f64, from: f64, to: f64) -> Markup {
    let x = format!("{:.1}", WIDTH * at.clamp(0.0, 1.0));
    html! { line class=(class) x1=(x) x2=(x) y1=(from) y2=(to) {} }
}

/// A filled box in a drawing of the height 20.
pub(super) fn bar(class: &str, (from, to): (f64, f64), y: f64, height: f64) -> Markup {
    let (from, to) = (from.clamp(0.0, 1.0), to.clamp(0.0, 1.0));
    let (x, width) = (format!("{:.1}", WIDTH * from), format!("{:.1}", (WIDTH * (to - from)).max(1.0)));
    html! { rect class=(class) x=(x) width=(width) y=(y) height=(height) {} }
}

/// A drawing as a cell.
pub(super) fn strip(label: &str, marks: &Markup) -> Markup {
    html! {
        td class="chart" {
            svg class="strip" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label=(label) { (marks) }
        }
    }
}
