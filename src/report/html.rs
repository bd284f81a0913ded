//! `report.html`: one self-contained page. Nothing in it is loaded from anywhere.
//!
//! All text from outside reaches the page through `maud`, which escapes it, or packed in the data
//! of the script, which escapes it when it makes elements. Hidden characters are escaped in the
//! whole page.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::RunReport;
use super::replays::Embedded;
use crate::plan::{Plan, PlannedGame};
use crate::play::foreign::Referee;
use crate::standings::{Extras, Game, Summary, faults, numbers, standing, tables, title};
use arena_process::Launch;
use arena_schedule::Design;
use arena_section::Section;
use arena_section::html::{drawn, folded, framed, prose, section, sentence, table, tabs};
use arena_section::table::{Kind, Rows, Table};
use arena_section::text::{command_line, harmless_lines};
use arena_section::words::{count, limit};

pub(crate) const STYLE: &str = include_str!("html/page.css");
const VIEWER_STYLE: &str = include_str!("html/viewer.css");
/// One script module. Each part uses only those before it.
const SCRIPT: &str = concat!(
    include_str!("html/elements.js"),
    include_str!("html/boards.js"),
    include_str!("html/viewer.js"),
    include_str!("html/games.js"),
    include_str!("html/page.js"),
);

/// The page of a run. While the run is being played, it reloads itself.
pub(crate) fn page(report: &RunReport) -> String {
    let title = report
        .finding
        .title
        .as_ref()
        .unwrap_or(&report.summary.run.name);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) " · arena" }
                // An icon that needs no file: browsers ask for one otherwise.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) (PreEscaped(VIEWER_STYLE)) }
            }
            body data-played[report.is_played] {
                a class="skip" href="#main" { "To the results" }
                button type="button" id="theme" class="quiet" hidden { "Dark" }
                (top(report))
                main id="main" {
                    (findings(report))
                    (games(&report.replays))
                    div id="more" { (more(report)) }
                    (how(report))
                }
                footer {
                    "Made by arena " (super::VERSION) " from the files of the run; "
                    code { "arena report" } " regenerates it."
                }
                script type="module" { (PreEscaped(SCRIPT)) }
            }
        }
    };
    harmless_lines(&page.0)
}

/// What the run found: what only its kind has, the standings of each game, and faults.
fn findings(report: &RunReport) -> Markup {
    let games = report.summary.games.iter();
    let standings: Vec<Section> = match report.finding.unrated {
        "" => games
            .map(|game| standing(game, extras(game, report)))
            .collect(),
        _ => Vec::new(),
    };
    html! {
        @for found in &report.finding.sections { (section(found)) }
        div id="standings" { (tabs(&standings)) }
        @if let Some(faults) = report.faults() { (section(&faults)) }
    }
}

/// The numbers that a reader may want to look up, folded.
fn more(report: &RunReport) -> Markup {
    let mut sections = Vec::new();
    for game in &report.summary.games {
        let extras = extras(game, report);
        let mut more = Section {
            id: format!("{}-numbers", game.game),
            title: format!("More numbers: {}", game.title),
            ..standing(game, extras)
        };
        // Standings are above. A run without them has the results here.
        if extras.unrated.is_empty() {
            more.lead.clear();
            more.parts.clear();
        }
        more.parts.extend(numbers(game, extras));
        sections.push(more);
    }
    html! { @for more in sections.iter().filter(|more| !more.parts.is_empty()) { (folded(more)) } }
}

/// What belongs to a game besides its counts.
fn extras<'a>(game: &Game, report: &'a RunReport) -> Extras<'a> {
    let planned = report.planned(&game.game);
    Extras {
        limits: [true, false].map(|is_first| planned?.clock.fixed(is_first)),
        metrics: report.metrics.of(&game.game),
        unrated: report.finding.unrated,
    }
}

/// The policy for the browser: run the page's script, use its styles, and nothing else.
fn policy() -> String {
    let script = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; script-src 'sha256-{script}'; style-src 'unsafe-inline'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    )
}

fn top(report: &RunReport) -> Markup {
    let summary = &report.summary;
    let run = &summary.run;
    let faults = faults::of_run(&summary.games);
    // A duel's title says what it is.
    let (kicker, title) = match &report.finding.title {
        Some(title) => (run.name.clone(), title),
        None => (report.plan.study.name().replace(['-', '_'], " "), &run.name),
    };
    html! {
        header class="top" {
            p class="kicker" { "arena · " (kicker) }
            h1 { (title) }
            (verdict(report))
            @if report.is_played {
                p class="notice" { "The run is being played: " (count(summary.games_played, "game", "games")) " so far. This page reloads itself." }
            } @else if !run.finished && summary.games_played < run.games_planned {
                p class="notice" { "Not finished: " (summary.games_played) " of " (run.games_planned) " games are played. "
                    @match &run.go_on {
                        Some(command) => { "To go on: " code { (command) } }
                        None => { code { "--resume" } " continues the run." }
                    } }
            }
            @if let Some(aborted) = report.aborted() { p class="notice bad" { (prose(&aborted)) "." } }
            @for note in report.routine() { p class="notice" { (prose(&note)) "." } }
            nav aria-label="Sections" {
                @if faults > 0 { a class="bad" href="#faults" { "Faults " span class="badge" { (faults) } } }
                @for section in &report.finding.sections { a href={ "#" (section.id) } { (section.title) } }
                @if report.finding.unrated.is_empty() { a href="#standings" { "Standings" } }
                a href="#watch" { "Watch a game" }
                a href="#games" { "Games" }
                a href="#more" { "More numbers" }
                a href="#how" { "How it was played" }
            }
        }
    }
}

/// The answer of the run: sentences, and the intervals that they rest on.
fn verdict(report: &RunReport) -> Markup {
    let finding = &report.finding;
    let intervals = match (finding.unrated, &finding.failed[..]) {
        ("", []) => tables::drawn(&report.summary.games),
        _ => None,
    };
    // Answers about several games are a list, which large letters would make long.
    let class = match finding.answers.len() {
        1 => "answer",
        _ => "answer several",
    };
    html! {
        @for answer in &finding.answers { p class=(class) { (sentence(answer)) } }
        @if let Some(intervals) = intervals { (drawn(&intervals)) }
        @if report.summary.games_played > 0 { p class="watch" { a href="#watch" { "▶ Watch a game" } } }
    }
}

/// A game to watch, and the list of all games.
fn games(embedded: &Embedded) -> Markup {
    let left_out = &embedded.left_out;
    let viewer = html! {
        (how_to_watch(embedded))
        div id="viewer" { noscript { p { "The boards and the list of games are drawn by a script." } } }
        script type="application/json" id="replay-data" { (PreEscaped(json_for_script(embedded))) }
    };
    let list = html! {
        div id="list" { }
        @if !left_out.is_empty() {
            details class="left-out" {
                summary { (count(left_out.len() as u64, "game that is", "games that are")) " worth a look cannot be watched" }
                ul { @for (number, why) in left_out { li { "game " (number) ": " (why) } } }
            }
        }
    };
    html! { (framed("watch", "Watch a game", &viewer)) (framed("games", "All games", &list)) }
}

/// The number of games that can be watched in the page, and how to get others.
fn how_to_watch(embedded: &Embedded) -> Markup {
    let (listed, watched) = (embedded.listed, embedded.data.len());
    let all = listed as u64 + embedded.unlisted;
    html! {
        p class="lead" {
            (count(all, "game", "games"))
            @if watched as u64 == all { ", and every one can be watched here." }
            @else { ", of which " (watched) " can be watched here. " code { "arena report RUN --games all" } " takes as many as fit into 20 MB, "
                code { "--games 3,17,100-120" } " those that are named." }
            @if embedded.unlisted > 0 { " The list has the first " (listed) "." }
        }
    }
}

/// The conditions of the run.
fn how(report: &RunReport) -> Markup {
    let plan = &report.plan;
    let run = &report.summary.run;
    let content = html! {
        p class="facts" {
            @for part in report.extent() { span { (part) } }
            @if let Some(seconds) = run.ended_at { span { time data-seconds=(seconds) { } } }
            @if let Some(sandbox) = &run.sandbox { span { "sandbox: " (sandbox) } }
        }
        p class="facts" {
            span { "seed " (plan.seed) }
            span { (per_pairing(plan)) }
            @if let Some(design) = &plan.design { span { "design " (design) } }
            span { (plan.memory_mb) " MB of memory for each process" }
            span { "digest of the plan " code { (run.digest.get(..12).unwrap_or_default()) } }
        }
        (table(&limits(&plan.games, &report.summary)))
        (table(&bots(&plan.bots)))
    };
    framed("how", "How it was played", &content)
}

/// How often bots meet.
fn per_pairing(plan: &Plan) -> String {
    let (asked, played) = (plan.study.games_per_pairing(), plan.games_in_pairs());
    if plan.study.is_imported() {
        count(asked, "battle", "battles") + " of the site"
    } else if plan.study.is_ended_by_results() {
        format!("{played} games per pairing at most")
    } else if plan.design == Some(Design::Rotations) {
        count(asked, "game", "games") + " per pairing or more"
    } else {
        format!("{played} games per pairing")
    }
}

fn limits(games: &[PlannedGame], summary: &Summary) -> Table {
    Rows::new("Time limits", games)
        .shown(Kind::Name, "game", |game| title(&summary.games, &game.id))
        .shown(Kind::Text, "first turn", |game| {
            limit(game.clock.first_turn)
        })
        .shown(Kind::Text, "start-up", |game| {
            format!("+ {} ms", game.clock.startup.as_millis())
        })
        .shown(Kind::Text, "later turns", |game| limit(game.clock.turn))
        .shown(Kind::Text, "rules", |game| {
            let clock = &game.clock;
            let pondering = if clock.no_ponder { "" } else { ", pondering" };
            format!("{}{pondering}", clock.rules)
        })
        .shown(Kind::Text, "opening", |game| match game.opening_plies {
            0 => None,
            plies => Some(format!("{plies} plies")),
        })
        .shown(Kind::Text, "referee", |game| {
            game.referee.as_ref().map(Referee::in_words)
        })
        .shown(Kind::Text, "maps", |game| {
            game.options.get("maps").and_then(Value::as_str)
        })
        .table()
}

fn bots(bots: &[Launch]) -> Table {
    Rows::new("Bots", bots)
        .shown(Kind::Name, "bot", |bot| &bot.name)
        .shown(Kind::Code, "command", command)
        .table()
}

/// The command of a bot after its variables.
fn command(bot: &Launch) -> String {
    let mut command = String::new();
    for (key, value) in &bot.env {
        let _ = write!(command, "{key}={value} ");
    }
    command + &command_line(&bot.command)
}

/// Data for a script of the page, written so that it cannot end its element. Texts in it are packed
/// or ours, so it has no hidden characters that the page would escape.
fn json_for_script(data: &impl serde::Serialize) -> String {
    let mut json = serde_json::to_string(data).unwrap_or_default();
    // In JSON, only strings contain these characters. Texts of megabytes aren't copied in vain.
    for (mark, escaped) in [("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")] {
        if json.contains(mark) {
            json = json.replace(mark, escaped);
        }
    }
    json
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use arena_section::text::is_hidden;

    use super::super::tests::report;
    use super::*;

    /// The numbers of HTML's special characters in the page, and in its data. Single quotes aren't
    /// special, because all attributes have double ones, and neither are quotes in data.
    fn marks(page: &str) -> [usize; 5] {
        let (before, rest) = page.split_once("id=\"replay-data\">").unwrap();
        let (data, after) = rest.split_once("</script>").unwrap();
        let count = |mark: char| before.matches(mark).count() + after.matches(mark).count();
        [
            count('<'),
            count('>'),
            count('"'),
            data.matches('<').count(),
            data.matches('>').count(),
        ]
    }

    proptest! {
        /// Whatever bots, maps and runs are called and whatever they write, it adds no mark to the
        /// page.
        #[test]
        fn no_text_from_outside_is_markup(outside in prop_oneof![r#"[<>&"'/a-z=!\- ]{1,30}"#, r"\PC{1,20}"]) {
            prop_assert_eq!(marks(&page(&report(&outside))), marks(&page(&report("x"))));
        }

        /// Nor can anything in it hide or turn the text around it.
        #[test]
        fn no_text_from_outside_is_hidden(outside in r"[\x00-\x1f\x7f-\x9f\u{200b}-\u{202e}\u{fffe}a]{1,20}") {
            let hidden = |page: &str| page.chars().filter(|&c| is_hidden(c) && !"\n\t".contains(c)).count();
            prop_assert_eq!(hidden(&page(&report(&outside))), hidden(&page(&report("x"))));
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
        for asset in [SCRIPT, STYLE, VIEWER_STYLE] {
            assert!(!asset.contains("</") && !asset.contains("<!--") && !asset.contains("<script"));
            // The policy names the script as it is here.
            assert_eq!(harmless_lines(asset), asset);
        }
        let page = page(&report("x"));
        // The name of a kind of element, which is fetched from nowhere.
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for address in ["http:", "https:", "url(", "@import", "src=\""] {
            assert!(!page.contains(address), "{address}");
        }
    }

    #[test]
    fn filters_keep_hidden_characters() {
        assert!(page(&report("a\u{202e}&b")).contains("map=a%E2%80%AE%26b"));
    }

    #[test]
    fn every_part_of_the_run_is_there() {
        let report = report("x");
        let found = report.finding.sections.iter().map(|section| &*section.id);
        let parts = ["standings", "faults", "watch", "games", "more", "how"];
        let page = page(&report);
        for id in found.chain(parts) {
            assert!(
                page.contains(&format!(" id=\"{id}\""))
                    && page.contains(&format!("href=\"#{id}\"")),
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
            "Parameters against Elo",
        ];
        for part in parts
            .into_iter()
            .chain(["x c", "no answer within 100 ms", "arena replay x"])
        {
            assert!(page.contains(part), "{part}");
        }
    }

    #[test]
    fn the_answer_comes_first_and_details_last() {
        let page = page(&report("x"));
        let order = [
            "<h1>",
            "<p class=\"answer\">",
            "<table class=\"drawn\"",
            "href=\"#watch\"",
            "<nav",
            "<section id=\"sweep\"",
            "for=\"tab-minishogi\"",
            "aria-label=\"Standings\"",
            "Against each other",
            "<section id=\"faults\"",
            "<section id=\"watch\"",
            "<section id=\"games\"",
            "<details id=\"minishogi-numbers\"",
            "<section id=\"how\"",
            "sandbox: x",
        ];
        let places = order.map(|part| page.find(part).unwrap_or_else(|| panic!("{part}")));
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn routine_notes_are_grey() {
        let mut report = report("x");
        report.summary.run.games_voided = 1;
        let page = page(&report);
        let notices = page.split("class=\"notice").skip(1);
        let starts: Vec<&str> = notices.map(|notice| &notice[..9]).collect();
        assert_eq!(starts, [" bad\">1 g", "\">1 time "]);
    }

    #[test]
    fn a_duel_is_no_round_robin() {
        let mut report = report("x");
        report.finding.title = Some("duel: x a against x b, MiniShogi".to_owned());
        let page = page(&report);
        assert!(!page.contains("round robin"));
        for part in [
            "<title>duel: x a against x b, MiniShogi · arena</title>",
            "arena · x</p><h1>duel: x a against x b, MiniShogi</h1>",
        ] {
            assert!(page.contains(part), "{page}");
        }
    }

    #[test]
    fn a_run_without_a_title_has_its_kind_and_its_name() {
        let page = page(&report("x"));
        for part in [
            "<title>x · arena</title>",
            "arena · round robin</p><h1>x</h1>",
        ] {
            assert!(page.contains(part), "{part}");
        }
    }
}
