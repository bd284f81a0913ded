//! The section of faults, the first of the page.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::parts::{section, table, table_with};
use crate::report::RunReport;
use crate::section::Tone;
use crate::section::table::{Cell, Kind, Rows, Table};
use crate::section::words::count;
use crate::standings::faults::{self, Blame};
use crate::standings::{BotSummary, Game};
use crate::text::harmless;
use arena_games::Fate;

/// The most causes to show.
const CAUSES: usize = 100;

pub(super) fn part(report: &RunReport) -> Markup {
    let all = faults::of_run(&report.summary.games);
    let told = report.faults.len() as u64;
    let causes = &report.summary.fault_causes;
    if all == 0 {
        return html! {};
    }
    let content = html! {
        p class="headline" { strong class="bad" { (count(all, "fault", "faults")) } " of bots. A fault counts as a result: the bot loses the game." }
        (table(&by_bot(&report.summary.games)))
        @if !causes.is_empty() {
            h3 { "By cause" }
            (table(&faults::causes(&causes[..CAUSES.min(causes.len())], &report.summary.games, shown)))
        }
        @if told > 0 {
            h3 { @if told < all { "The first of every kind" } @else { "One by one" } }
            (one_by_one(&report.faults, &report.summary.games))
        }
    };
    section("faults", "Faults", &content)
}

/// How a bot failed, for people.
fn shown(fate: Fate) -> String {
    fate.to_string().replace('_', " ")
}

/// Faults by game, bot and fate.
fn by_bot(games: &[Game]) -> Table {
    let mut failed: Vec<(&Game, &BotSummary)> = Vec::new();
    let mut fates = BTreeSet::new();
    for game in games {
        for bot in &game.bots {
            if bot.faults() > 0 {
                failed.push((game, bot));
            }
            for (fate, times) in &bot.faults {
                if *times > 0 {
                    fates.insert(*fate);
                }
            }
        }
    }
    let mut rows = Rows::new("Faults by bot", &failed)
        .shown(Kind::Text, "game", |(game, _)| &game.title)
        .shown(Kind::Name, "bot", |(_, bot)| &bot.name)
        .shown(Kind::Number, "games", |(_, bot)| bot.games);
    for fate in fates {
        let title = fate.replace('_', " ");
        rows = rows.shown(Kind::Number, title, |(_, bot)| match bot.faults.get(fate) {
            None | Some(0) => Cell {
                value: Some(0.0),
                ..Cell::default()
            },
            Some(&times) => Cell {
                tone: Tone::Bad,
                ..times.into()
            },
        });
    }
    rows.table()
}

fn one_by_one(faults: &[Blame], games: &[Game]) -> Markup {
    let faults_table = faults::table(faults, games, shown);
    let again = (
        html! { th scope="col" class="text" { "see it again" } },
        faults.iter().map(again).collect(),
    );
    table_with(
        &faults_table,
        "faults",
        Some((faults_table.columns.len(), again)),
    )
}

fn again(fault: &Blame) -> Markup {
    html! {
        td class="words" {
            details {
                summary { "command" @if !fault.stderr_tail.is_empty() { ", standard error" } }
                pre class="command" { code { (fault.again) } }
                @if !fault.stderr_tail.is_empty() {
                    // Control characters are shown, except for line ends.
                    pre class="stderr" tabindex="0" { (fault.stderr_tail.lines().map(harmless).collect::<Vec<_>>().join("\n")) }
                }
            }
        }
    }
}
