//! `report.html`: one self-contained page. Nothing in it is loaded from anywhere.
//!
//! All text from outside reaches the page through `maud`, which escapes it, or as JSON through [`json_for_script`].

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::replays::Embedded;
use super::table::{Kind, Rows, Table};
use super::words::{count, extent, warnings};
use super::{RunReport, command_line};
use crate::foreign::Referee;
use crate::plan::PlannedGame;
use crate::process::Launch;
use crate::summary::Summary;

mod faults;
mod game;
mod metrics;
mod parts;
mod sprt;
mod sweep;
mod times;

use parts::{section, table};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
const REPLAY_STYLE: &str = include_str!("html/replay.css");
const REPLAY_SCRIPT: &str = include_str!("html/replay.js");

/// The page of a run.
pub(super) fn page(report: &RunReport) -> String {
    let run = &report.summary.run;
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (duel(report).as_ref().unwrap_or(&run.name)) " · arena" }
                // An icon that needs no file: browsers ask for one otherwise.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) (PreEscaped(REPLAY_STYLE)) }
            }
            body {
                a class="skip" href="#main" { "To the results" }
                (top(report))
                main id="main" {
                    (faults::part(report))
                    (sprt::part(report))
                    @if let Some(swept) = &report.summary.sweep { (sweep::part(swept)) }
                    @for game in &report.summary.games {
                        (game::part(game, report))
                    }
                    (replays(&report.replays))
                    (how(report))
                }
                footer { "Made by arena " (env!("CARGO_PKG_VERSION")) " from the files of the run; "
                    code { "arena report" } " regenerates it." }
                script { (PreEscaped(REPLAY_SCRIPT)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

/// What the browser may do: run the scripts of this page and use its styles, and nothing else.
fn policy() -> String {
    let [viewer, page] = [REPLAY_SCRIPT, SCRIPT].map(|script| BASE64_STANDARD.encode(Sha256::digest(script)));
    format!(
        "default-src 'none'; script-src 'sha256-{viewer}' 'sha256-{page}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
         form-action 'none'"
    )
}

/// What two bots that only met each other played.
fn duel(report: &RunReport) -> Option<String> {
    let plan = &report.plan;
    match (&plan.bots[..], &plan.games[..]) {
        ([new, old], [game]) if plan.sweep.is_none() => {
            Some(format!("duel: {} against {}, {}", new.name, old.name, report.summary.title(&game.id)))
        }
        _ => None,
    }
}

fn top(report: &RunReport) -> Markup {
    let summary = &report.summary;
    let run = &summary.run;
    let faults = super::faults::of_run(summary);
    let duel = duel(report);
    html! {
        header class="top" {
            div class="title" {
                div {
                    p class="kicker" { "arena · " (report.plan.format.to_string().replace('-', " "))
                        @if duel.is_some() { " · " (run.name) } }
                    h1 { (duel.as_ref().unwrap_or(&run.name)) }
                }
                button type="button" id="theme" class="quiet" hidden { "Dark" }
            }
            p class="facts" {
                @for part in extent(report) { span { (part) } }
                @if let Some(seconds) = run.ended_at { span { time data-seconds=(seconds) { } } }
            }
            @if let Some(sandbox) = &run.sandbox { p class="facts" { span { "sandbox: " (sandbox) } } }
            @if !run.finished && summary.games_played < run.games_planned {
                p class="notice" { "Not finished: " (summary.games_played) " of " (run.games_planned) " games are played. "
                    code { "arena run" } " with " code { "--resume" } " goes on." }
            }
            @for warning in warnings(summary) { p class="notice" { (warning) "." } }
            nav aria-label="Sections" {
                @if faults > 0 { a class="bad" href="#faults" { "Faults " span class="badge" { (faults) } } }
                @if !report.history.is_empty() { a href="#sprt" { "Sequential test" } }
                @if summary.sweep.is_some() { a href="#sweep" { "Sweep" } }
                @for game in &summary.games { a href={ "#" (game.game) } { (game.title) } }
                @if !report.replays.replays.is_empty() { a href="#replays" { "Replays" } }
                a href="#how" { "How it was played" }
            }
        }
    }
}

/// The games that can be watched.
fn replays(embedded: &Embedded) -> Markup {
    let Embedded { replays, left_out } = embedded;
    if replays.is_empty() && left_out.is_empty() {
        return html! {};
    }
    let content = html! {
        p class="headline" {
            @if replays.is_empty() { "No game can be shown." }
            @else { (count(replays.len() as u64, "game", "games")) " of the run. " code { "arena report RUN --games 3,17,100-120" } " embeds others." }
        }
        div id="viewer" { noscript { p { "The boards are drawn by a script." } } }
        @if !left_out.is_empty() {
            details class="left-out" {
                summary { (count(left_out.len() as u64, "chosen game is", "chosen games are")) " not embedded" }
                ul { @for (number, why) in left_out { li { "game " (number) ": " (why) } } }
            }
        }
        script type="application/json" id="replay-data" { (PreEscaped(json_for_script(replays))) }
    };
    section("replays", "Replays", &content)
}

/// The conditions of the run.
fn how(report: &RunReport) -> Markup {
    let plan = &report.plan;
    let content = html! {
        p class="facts" {
            span { "seed " (plan.seed) }
            span { (plan.games_per_pairing) " games per pairing" }
            @if let Some(design) = &plan.design { span { "design " (design) } }
            span { (plan.memory_mb) " MB of memory for each process" }
            span { "digest of the plan " code { (report.summary.run.digest.get(..12).unwrap_or_default()) } }
        }
        (table(&limits(&plan.games, &report.summary), "", None))
        (table(&bots(&plan.bots), "", None))
    };
    section("how", "How it was played", &content)
}

fn limits(games: &[PlannedGame], summary: &Summary) -> Table {
    let opening = |game: &PlannedGame| (game.opening_plies > 0).then(|| format!("{} plies", game.opening_plies));
    let pondering = |game: &PlannedGame| if game.clock.no_ponder { "" } else { ", pondering" };
    let limit = |limit: Duration| match limit.as_millis() {
        0 => "as the referee says".to_owned(),
        ms => format!("{ms} ms"),
    };
    Rows::new("Time limits", games)
        .shown(Kind::Name, "game", |game| summary.title(&game.id))
        .shown(Kind::Text, "first turn", |game| limit(game.clock.first_turn))
        .shown(Kind::Text, "start-up", |game| format!("+ {} ms", game.clock.startup.as_millis()))
        .shown(Kind::Text, "later turns", |game| limit(game.clock.turn))
        .shown(Kind::Text, "rules", |game| format!("{}{}", game.clock.rules, pondering(game)))
        .shown(Kind::Text, "opening", opening)
        .shown(Kind::Text, "referee", |game| game.referee.as_ref().map(Referee::in_words))
        .shown(Kind::Text, "maps", |game| game.options.get("maps").and_then(Value::as_str))
        .table()
}

fn bots(bots: &[Launch]) -> Table {
    let command = |bot: &Launch| {
        let env = bot.env.iter().map(|(key, value)| format!("{key}={value}"));
        env.chain([command_line(&bot.command)]).collect::<Vec<_>>().join(" ")
    };
    Rows::new("Bots", bots).shown(Kind::Name, "bot", |bot| &bot.name).shown(Kind::Code, "command", command).table()
}

/// Data for a script of the page, in a form that cannot end its element.
fn json_for_script(data: &impl serde::Serialize) -> String {
    // Within JSON, these characters stand in strings only.
    let json = serde_json::to_string(data).unwrap_or_default();
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::report;
    use super::*;

    /// How often each character that means something to HTML stands in the page, and in its data. In data a quote is no
    /// mark, and single quotes mean nothing to HTML where double ones stand round every attribute.
    fn marks(page: &str) -> [usize; 5] {
        let (before, rest) = page.split_once("id=\"replay-data\">").unwrap();
        let (data, after) = rest.split_once("</script>").unwrap();
        let count = |mark: char| before.matches(mark).count() + after.matches(mark).count();
        [count('<'), count('>'), count('"'), data.matches('<').count(), data.matches('>').count()]
    }

    proptest! {
        /// Whatever bots, maps and runs are called and whatever they write, it adds no mark to the page.
        #[test]
        fn no_text_from_outside_is_markup(outside in prop_oneof![r#"[<>&"'/a-z=!\- ]{1,30}"#, r"\PC{1,20}"]) {
            prop_assert_eq!(marks(&page(&report(&outside))), marks(&page(&report("x"))));
        }

        #[test]
        fn data_for_scripts_stays_data(text in r#"[<>&"'/a-z!\-\\]{0,30}"#) {
            let json = json_for_script(&[&text]);
            prop_assert!(!json.contains(['<', '>', '&']), "{}", json);
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [text]);
        }
    }

    #[test]
    fn the_assets_end_where_they_should() {
        for asset in [SCRIPT, STYLE, REPLAY_SCRIPT, REPLAY_STYLE] {
            assert!(!asset.contains("</") && !asset.contains("<!--") && !asset.contains("<script"));
        }
        let page = page(&report("x"));
        // The name of a kind of element, which is fetched from nowhere.
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for address in ["http:", "https:", "url(", "@import", "src=\""] {
            assert!(!page.contains(address), "{address}");
        }
    }

    #[test]
    fn two_bots_play_a_duel_and_more_a_run_with_a_name() {
        let mut report = report("x");
        assert!(page(&report).contains("<title>x · arena</title>") && page(&report).contains("<h1>x</h1>"));
        report.summary.sweep = None;
        report.plan.sweep = None;
        report.plan.games.truncate(1);
        report.plan.bots.truncate(2);
        let page = page(&report);
        assert!(page.contains("<title>duel: x a against x b, MiniShogi · arena</title>"), "{page}");
        assert!(page.contains("round robin · x</p><h1>duel: x a against x b, MiniShogi</h1>"), "{page}");
    }

    #[test]
    fn every_part_of_the_run_is_there() {
        let page = page(&report("x"));
        for id in ["faults", "sprt", "sweep", "minishogi", "kutulu", "replays", "how"] {
            assert!(
                page.contains(&format!("<section id=\"{id}\"")) && page.contains(&format!("href=\"#{id}\"")),
                "{id}"
            );
        }
        let parts = [
            "Against each other",
            "Response times",
            "By seat",
            "By reason",
            "By map",
            "<h3>Metrics</h3>",
            "accepted: LLR 3.10",
            "Remaining variants",
        ];
        for part in parts.into_iter().chain(["x c", "no answer within 100 ms", "arena replay x"]) {
            assert!(page.contains(part), "{part}");
        }
    }
}
