//! What bots did wrong, before anything else.

use maud::{Markup, html};

use super::parts::{counted, number, number_head, scroll, text_head};
use crate::report::RunReport;
use crate::report::faults::FaultNote;
use crate::report::words::{all_faults, count, faults_of};
use crate::summary::{BotSummary, GameSummary, Summary};

pub(super) fn section(report: &RunReport) -> Markup {
    let all = all_faults(&report.summary);
    let told = report.faults.len() as u64;
    html! {
        @if all > 0 {
            section id="faults" aria-labelledby="faults-title" {
                h2 id="faults-title" { "Faults" }
                p class="headline" { strong class="bad" { (count(all, "fault", "faults")) } " of bots. A fault is a result: a bot that failed has lost the game." }
                (scroll("Faults by bot", &counts(report)))
                @if told > 0 {
                    h3 { @if told < all { "The first of every kind" } @else { "One by one" } }
                    (scroll("Faults one by one", &one_by_one(&report.faults, &report.summary)))
                }
            }
        }
    }
}

/// Faults by game, bot and fate.
fn counts(report: &RunReport) -> Markup {
    let games = &report.summary.games;
    let bots = games.iter().flat_map(|game| game.bots.iter().map(move |bot| (game, bot)));
    let failed: Vec<(&GameSummary, &BotSummary)> = bots.filter(|(_, bot)| faults_of(bot) > 0).collect();
    let of_all = |fate: &str| failed.iter().filter_map(|(_, bot)| bot.faults.get(fate)).sum::<u64>();
    let fates = failed.first().map(|(_, bot)| bot.faults.keys().copied()).into_iter().flatten();
    let fates: Vec<&str> = fates.filter(|fate| of_all(fate) > 0).collect();
    html! {
        table class="sortable" {
            thead { tr {
                (text_head("game")) (text_head("bot")) (number_head("games"))
                @for fate in &fates { (number_head(&fate.replace('_', " "))) }
            } }
            tbody { @for (game, bot) in &failed { tr {
                td class="text" { (game.title) }
                th scope="row" { (bot.name) }
                (counted(bot.games))
                @for fate in &fates {
                    @match bot.faults.get(fate) {
                        Some(0) | None => { (number(Some(0.0), "–")) }
                        Some(count) => { td class="bad" data-v=(count) { (count) } }
                    }
                }
            } } }
        }
    }
}

fn one_by_one(faults: &[FaultNote], summary: &Summary) -> Markup {
    html! {
        table class="sortable faults" {
            thead { tr {
                th scope="col" data-sort="number" aria-sort="ascending" { "game" }
                (text_head("of")) (text_head("bot")) (number_head("seat")) (number_head("turn"))
                (text_head("fate")) (text_head("what happened"))
                th scope="col" class="text" { "see it again" }
            } }
            tbody { @for fault in faults { tr {
                td data-v=(fault.number) data-game=(fault.number) { (fault.number) }
                td class="text" { (summary.title(&fault.game)) }
                th scope="row" { (fault.bot) }
                (counted(fault.seat as u64))
                (counted(u64::from(fault.turn)))
                td class="text bad" { (fault.fate.to_string().replace('_', " ")) }
                td class="words" { (fault.what()) }
                td class="words" {
                    details {
                        summary { "command" @if !fault.stderr_tail.is_empty() { ", standard error" } }
                        pre class="command" { code { (fault.again) } }
                        @if !fault.stderr_tail.is_empty() {
                            pre class="stderr" tabindex="0" { (visible(&fault.stderr_tail)) }
                        }
                    }
                }
            } } }
        }
    }
}

/// Text of a bot whose control characters are seen instead of obeyed, but for ends of lines.
fn visible(text: &str) -> String {
    text.lines().map(super::super::harmless).collect::<Vec<_>>().join("\n")
}
