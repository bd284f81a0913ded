//! The standings of a pool: as a table, a page, and files.

#![expect(
    clippy::cast_precision_loss,
    reason = "numbers of bots are far below 2^52"
)]

use std::collections::BTreeMap;
use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use schemars::JsonSchema;
use serde::Serialize;

use super::found::{DuelSaid, Entry, Gauntlets};
use super::{PAGE, PoolError, State};
use crate::report::html::STYLE;
use crate::standings::BotSummary;
use crate::store::replace;
use arena_section::chart::{Chart, Scale, WIDTH, path, place};
use arena_section::html::section;
use arena_section::screen::Screen;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::terminal::not_shown;
use arena_section::text::harmless_lines;
use arena_section::words::{bound, estimate, exact_percent, signed};
use arena_section::{Part, Section, Sentence, Tone, csv};
use arena_stats::estimate::Holds;
use arena_stats::ratings::Mark;

/// The files of the standings besides the page.
const CSV: &str = "standings.csv";
const JSON: &str = "standings.json";
/// How often the page of a pool reloads itself while a try plays, in seconds.
const RELOAD: u32 = 5;
/// The most pairings of the last candidate to list, the worst first.
const PAIRINGS: usize = 40;

/// A bot in `standings.json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Standing<'e> {
    /// Name of the bot.
    bot: &'e str,
    /// What the bot is to the pool.
    state: State,
    /// Rank among the opponents, then the best and the worst that errors allow; null if unrated.
    ranks: Option<[usize; 3]>,
    /// Elo of the bot, or of the first of two; null if unknown or infinite.
    elo: Option<f64>,
    /// Lower end of the 95% interval; null if unknown or infinite.
    lo95: Option<f64>,
    /// Upper end of the 95% interval; null if unknown or infinite.
    hi95: Option<f64>,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    interval: Option<Holds>,
    /// `perfect` if it won everything, `zero` if it lost everything; else null.
    mark: Option<Mark>,
    /// Games that count.
    games: u64,
    /// Mean score against the best bot; null if they didn't meet.
    score_against_best: Option<f64>,
    /// Duel with the best bot of its time; null if unknown.
    duel: Option<&'e DuelSaid>,
    /// Failures of the bot by fate; null if unknown.
    faults: Option<&'e BTreeMap<&'static str, u64>>,
    /// Day on which the bot was kept.
    date: &'e str,
    /// Note of the author.
    note: &'e str,
    /// Why the bot can't be started; null if it can.
    broken: Option<&'e str>,
    /// Folder of the run; null without one.
    folder: Option<&'e Path>,
}

/// The bots of a pool, for programs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Standings<'e> {
    /// The bots, the best first.
    bots: Vec<Standing<'e>>,
}

/// The standings for programs.
pub(crate) fn standings<'e>(entries: &'e [Entry<'_>]) -> Standings<'e> {
    let mut standings = Vec::new();
    for entry in entries {
        let rating = entry.rating;
        standings.push(Standing {
            bot: &entry.member.name,
            state: entry.member.state,
            ranks: entry.ranks,
            elo: rating.and_then(|rating| rating.elo),
            lo95: rating.and_then(|rating| rating.lo95),
            hi95: rating.and_then(|rating| rating.hi95),
            interval: rating.map(|rating| rating.interval),
            mark: rating.and_then(|rating| rating.mark),
            games: rating.map_or(0, |rating| rating.games),
            score_against_best: entry.against_best,
            duel: entry.duel.as_ref(),
            faults: rating.map(|rating| &rating.faults),
            date: &entry.member.date,
            note: &entry.member.note,
            broken: entry.broken.as_deref(),
            folder: entry.run.map(|run| &*run.path),
        });
    }
    Standings { bots: standings }
}

fn table(entries: &[Entry<'_>]) -> Table {
    Rows::new("The bots of the pool", entries)
        .both(Kind::Text, "rank", "ranks", |entry| entry.ranks.map(ranks))
        .both(Kind::Name, "bot", "bot", |entry| Cell {
            link: entry
                .run
                .map(|run| run.path.join(crate::store::REPORT).display().to_string()),
            ..Cell::from(&entry.member.name)
        })
        .both(Kind::Text, "state", "state", |entry| match &entry.broken {
            Some(_) => Cell::toned(Tone::Bad, "broken"),
            None => <&str>::from(entry.member.state).into(),
        })
        .both(Kind::Number, "Elo", "elo", |entry| {
            Cell::shown(entry.rating.and_then(|rating| rating.elo), |elo| {
                signed(elo, 0)
            })
        })
        .shown(Kind::Interval, "interval, drawn", |entry| Cell {
            value: entry.rating.and_then(|rating| rating.elo),
            ends: elo95(entry).map(|[_, lo, hi]| [lo, hi]),
            ..Cell::default()
        })
        .shown(Kind::Ends, "95% interval", |entry| {
            elo95(entry).map(|[_, lo, hi]| arena_section::words::interval([lo, hi], 0))
        })
        .both(
            Kind::Text,
            "duel with the best of its time",
            "duel",
            |entry| {
                let duel = entry.duel.as_ref()?;
                Some(format!("{}: {}", duel.opponent, estimate(duel.elo95())))
            },
        )
        .both(
            Kind::Number,
            "against the best",
            "score_against_best",
            |entry| Cell::shown(entry.against_best, exact_percent),
        )
        .both(Kind::Value, "faults", "faults", |entry| {
            entry
                .rating
                .map(BotSummary::faults)
                .filter(|faults| *faults > 0)
        })
        .both(Kind::Text, "kept", "date", |entry| &entry.member.date)
        .both(Kind::Words, "note", "note", |entry| match &entry.broken {
            Some(why) => why.clone(),
            None => entry.member.note.clone(),
        })
        .table()
}

fn elo95(entry: &Entry<'_>) -> Option<[f64; 3]> {
    let rating = entry.rating?;
    Some([rating.elo?, rating.lo95?, rating.hi95?])
}

/// A rank, with its range if the errors allow others.
fn ranks([rank, best, worst]: [usize; 3]) -> String {
    if best == worst {
        rank.to_string()
    } else {
        format!("{rank} ({best} to {worst})")
    }
}

/// The standings for the terminal.
pub(crate) fn text(entries: &[Entry<'_>]) -> String {
    if entries.is_empty() {
        return "the pool is empty: arena pool try v1=bot.py\n".to_owned();
    }
    let (screen, mut out) = (Screen::stdout(), Vec::new());
    let table = table(entries).fitting(&screen, &mut out);
    table + &screen.prose(&notes(entries).join("\n")) + "\n" + &not_shown(&out, &screen)
}

/// What has to be said of the table.
fn notes(entries: &[Entry<'_>]) -> Vec<String> {
    let opponents = |entry: &&Entry<'_>| matches!(entry.member.state, State::Best | State::Member);
    let unrated = entries
        .iter()
        .filter(opponents)
        .filter(|entry| entry.rating.is_none())
        .count();
    let mut notes = vec!["Elo is from gauntlets under the rules of pool.toml; duels stop on their own results, so they don't count".to_owned()];
    if unrated > 0 {
        notes.push(format!(
            "opponents without games under these rules: {unrated}; the next gauntlet meets them"
        ));
    }
    notes
}

/// Writes the page and the files of the standings into the pool.
pub(crate) fn write(
    entries: &[Entry<'_>],
    gauntlets: Option<&Gauntlets>,
    now: Option<&str>,
) -> Result<(), PoolError> {
    let folder = Path::new(".");
    let shown = |error: anyhow::Error| PoolError::Unsound(error.to_string());
    let text = csv::csv(&[table(entries)]).map_err(shown)?;
    replace(folder, CSV, &text)?;
    let text =
        serde_json::to_string_pretty(&standings(entries)).map_err(|error| shown(error.into()))?;
    replace(folder, JSON, text.as_bytes())?;
    Ok(replace(
        folder,
        PAGE,
        page(entries, gauntlets, now).as_bytes(),
    )?)
}

/// The page. `now` says what is being played.
fn page(entries: &[Entry<'_>], gauntlets: Option<&Gauntlets>, now: Option<&str>) -> String {
    let game = gauntlets.map_or("pool", |all| &all.rated.game.game);
    let best = entries
        .iter()
        .find(|entry| entry.member.state == State::Best);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if now.is_some() { meta http-equiv="refresh" content=(RELOAD); }
                title { "Pool: " (game) " · arena" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                header class="top" {
                    p class="kicker" { "arena · pool" }
                    h1 { (game) }
                    @if let Some(best) = best { p class="answer" { strong { (best.member.name) } " is the best." } }
                    @if let Some(now) = now { p class="notice" { (now) ". This page reloads itself." } }
                }
                main id="main" { @for part in sections(entries, gauntlets) { (section(&part)) } }
                footer { "Made by arena " (crate::report::VERSION) "; " code { "arena pool" } " updates this page." }
            }
        }
    };
    harmless_lines(&page.0)
}

fn sections(entries: &[Entry<'_>], gauntlets: Option<&Gauntlets>) -> Vec<Section> {
    let mut all = Part::new("", table(entries));
    all.notes = notes(entries);
    let mut sections = vec![Section::new("standings", "Bots", Vec::new(), vec![all])];
    if let Some(part) = over_time(entries) {
        sections.push(Section::new(
            "best",
            "The best over time",
            Vec::new(),
            vec![part],
        ));
    }
    let last = entries
        .iter()
        .filter(|entry| entry.member.attempt.is_some())
        .max_by_key(|entry| entry.at);
    if let (Some(last), Some(all)) = (last, gauntlets)
        && let Some(part) = pairings(&last.member.name, entries, all)
    {
        let title = format!("{} against each", last.member.name);
        sections.push(Section::new("last", &title, Vec::new(), vec![part]));
    }
    if let Some(all) = gauntlets
        && !all.rated.game.misfits.is_empty()
    {
        let mut lead = Vec::new();
        for misfit in &all.rated.game.misfits {
            let rest = format!(
                " scored {} against {}; their ratings say {}",
                exact_percent(misfit.score),
                misfit.second,
                exact_percent(misfit.expected)
            );
            lead.push(Sentence::new(Tone::Plain, &misfit.first, rest));
        }
        sections.push(Section::new(
            "misfits",
            "Results that no rating explains",
            lead,
            Vec::new(),
        ));
    }
    sections
}

/// The ratings of the bots that were the best, in the order in which they were kept.
fn over_time(entries: &[Entry<'_>]) -> Option<Part> {
    let mut best: Vec<(&Entry<'_>, [f64; 3])> = Vec::new();
    let mut were_best: Vec<&str> = Vec::new();
    for entry in entries {
        were_best.extend(entry.duel.as_ref().map(|duel| &*duel.opponent));
    }
    for entry in entries {
        let is_current = entry.member.state == State::Best;
        if (is_current || were_best.contains(&&*entry.member.name))
            && let Some(elo) = elo95(entry)
        {
            best.push((entry, elo));
        }
    }
    best.sort_by_key(|(entry, _)| entry.at);
    let last = best.len().checked_sub(2)? + 1;
    let scale = Scale::of(best.iter().flat_map(|(_, elo)| *elo), -1.0, 1.0).with_room(0.06);
    let x = |at: usize| WIDTH * at as f64 / last as f64;
    let mut ticks = Vec::new();
    for (at, (entry, _)) in best.iter().enumerate() {
        ticks.push((at as f64 / last as f64, entry.member.name.clone()));
    }
    let line = path(
        best.iter()
            .enumerate()
            .map(|(at, (_, elo))| (x(at), scale.y(elo[0]))),
    );
    let chart = Chart {
        label: "Elo of the best bots over time, from gauntlets".to_owned(),
        levels: scale.levels(bound),
        ticks,
        drawing: html! {
            path d=(line) {}
            @for (at, (entry, elo)) in best.iter().enumerate() { (mark(&entry.member.name, x(at), *elo, scale)) }
        },
        ..Chart::default()
    };
    Some(Part {
        explanation: "Each bot that was the best, with the 95% interval of its rating from gauntlets. Elo from duels isn't added up: the sum would be too high.".to_owned(),
        charts: vec![chart],
        ..Part::default()
    })
}

/// A rating with its interval.
fn mark(name: &str, x: f64, elo95: [f64; 3], scale: Scale) -> Markup {
    let [y, lo, hi] = elo95.map(|elo| place(scale.y(elo)));
    html! {
        g {
            title { (name) ": " (estimate(elo95)) }
            line class="range" x1=(place(x)) x2=(place(x)) y1=(hi) y2=(lo) {}
            line class="dot" x1=(place(x)) x2=(place(x)) y1=(y) y2=(y) {}
        }
    }
}

/// What a bot scored against each other one, the worst first.
fn pairings(name: &str, entries: &[Entry<'_>], all: &Gauntlets) -> Option<Part> {
    let mut scores: Vec<(&str, f64)> = Vec::new();
    for entry in entries {
        let other = &entry.member.name;
        scores.extend(all.score(name, other).map(|score| (&**other, score)));
    }
    scores.sort_by(|one, other| one.1.total_cmp(&other.1));
    scores.truncate(PAIRINGS);
    let table = Rows::new("Scores", &scores)
        .shown(Kind::Name, "opponent", |(other, _)| *other)
        .shown(Kind::Heat, "score", |(_, score)| {
            Cell::shown(*score, exact_percent)
        })
        .shown(Kind::Value, "Elo by ratings", |(other, _)| {
            all.over(name, other)
                .map(|by| estimate([by.elo, by.lo95, by.hi95]))
        })
        .table();
    (!scores.is_empty()).then(|| Part::new("", table))
}
