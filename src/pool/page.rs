//! The standings of a pool: as a table, a page, and files.

#![expect(
    clippy::cast_precision_loss,
    reason = "numbers of bots are far below 2^52"
)]

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use schemars::JsonSchema;
use serde::Serialize;

use super::found::{DuelSaid, Found};
use super::{Member, PAGE, Pool, PoolError, State};
use crate::report::html::STYLE;
use crate::store::{REPORT, replace};
use arena_process::slashed;
use arena_section::chart::{Chart, Scale, WIDTH, path, place};
use arena_section::html::section;
use arena_section::screen::Screen;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::terminal::not_shown;
use arena_section::text::harmless_lines;
use arena_section::words::{bound, estimate, exact_percent, interval, signed};
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
    duel: Option<DuelSaid>,
    /// Failures of the bot by fate; null if unknown.
    faults: Option<&'e BTreeMap<&'static str, u64>>,
    /// Day on which the bot was kept.
    date: &'e str,
    /// Note of the author.
    note: &'e str,
    /// Why the bot can't be started; null if it can.
    broken: Option<String>,
    /// Folder of the run, the bot or the pool; null without one.
    folder: Option<&'e Path>,
    /// Its place in the order in which bots were kept.
    #[serde(skip)]
    at: usize,
    #[serde(skip)]
    is_tried: bool,
}

/// The bots of a pool, for programs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Standings<'e> {
    /// The bots, the best first.
    bots: Vec<Standing<'e>>,
}

/// The standings. `broken` says why a bot can't be started, if so.
pub(crate) fn standings<'e>(
    pool: &'e Pool,
    found: &'e Found,
    broken: impl Fn(&Member) -> Option<String>,
) -> Standings<'e> {
    let best = pool.best().map_or("", |best| &best.name);
    let opponents: Vec<&str> = pool.opponents().map(|member| &*member.name).collect();
    let mut bots = Vec::new();
    for (at, member) in pool.members.iter().enumerate().rev() {
        let name = &*member.name;
        let rating = found.rating(name);
        let run = found.of(name).max_by_key(|run| run.is_gauntlet);
        bots.push(Standing {
            bot: name,
            state: member.state,
            ranks: match member.state {
                State::Retired => None,
                _ => found.ranks(name, &opponents),
            },
            elo: rating.and_then(|rating| rating.elo),
            lo95: rating.and_then(|rating| rating.lo95),
            hi95: rating.and_then(|rating| rating.hi95),
            interval: rating.map(|rating| rating.interval),
            mark: rating.and_then(|rating| rating.mark),
            games: rating.map_or(0, |rating| rating.games),
            score_against_best: found.score(name, best),
            duel: found.duel_of(member),
            faults: rating.map(|rating| &rating.faults),
            date: &member.date,
            note: &member.note,
            broken: broken(member),
            folder: run.map(|run| &*run.path),
            at,
            is_tried: member.attempt.is_some(),
        });
    }
    bots.sort_by(|one, other| other.elo.partial_cmp(&one.elo).unwrap_or(Ordering::Equal));
    bots.sort_by_key(|bot| !opponents.contains(&bot.bot));
    Standings { bots }
}

impl Standing<'_> {
    fn elo95(&self) -> Option<[f64; 3]> {
        Some([self.elo?, self.lo95?, self.hi95?])
    }
}

fn table(bots: &[Standing<'_>]) -> Table {
    Rows::new("The bots of the pool", bots)
        .both(Kind::Text, "rank", "ranks", |bot| bot.ranks.map(ranks))
        .both(Kind::Name, "bot", "bot", |bot| Cell {
            link: bot.folder.map(|run| slashed(&run.join(REPORT))),
            ..Cell::from(bot.bot)
        })
        .both(Kind::Text, "state", "state", |bot| match &bot.broken {
            Some(_) => Cell::toned(Tone::Bad, "broken"),
            None => <&str>::from(bot.state).into(),
        })
        .both(Kind::Number, "Elo", "elo", |bot| {
            Cell::shown(bot.elo, |elo| signed(elo, 0))
        })
        .shown(Kind::Interval, "interval, drawn", |bot| Cell {
            value: bot.elo,
            ends: bot.elo95().map(|[_, lo, hi]| [lo, hi]),
            ..Cell::default()
        })
        .shown(Kind::Ends, "95% interval", |bot| {
            bot.elo95().map(|[_, lo, hi]| interval([lo, hi], 0))
        })
        .both(
            Kind::Text,
            "duel with the best of its time",
            "duel",
            |bot| {
                let duel = bot.duel.as_ref()?;
                Some(format!("{}: {}", duel.opponent, estimate(duel.elo95())))
            },
        )
        .both(
            Kind::Number,
            "against the best",
            "score_against_best",
            |bot| Cell::shown(bot.score_against_best, exact_percent),
        )
        .both(Kind::Value, "faults", "faults", |bot| {
            let faults: u64 = bot.faults?.values().sum();
            (faults > 0).then_some(faults)
        })
        .both(Kind::Text, "kept", "date", |bot| bot.date)
        .both(Kind::Words, "note", "note", |bot| {
            bot.broken.as_deref().unwrap_or(bot.note)
        })
        .table()
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
pub(crate) fn text(Standings { bots }: &Standings<'_>) -> String {
    if bots.is_empty() {
        return "the pool is empty: arena pool try v1=bot.py\n".to_owned();
    }
    let (screen, mut out) = (Screen::stdout(), Vec::new());
    let table = table(bots).fitting(&screen, &mut out);
    table + &screen.prose(&notes(bots).join("\n")) + "\n" + &not_shown(&out, &screen)
}

/// What has to be said of the table.
fn notes(bots: &[Standing<'_>]) -> Vec<String> {
    let unrated = bots
        .iter()
        .filter(|bot| matches!(bot.state, State::Best | State::Member) && bot.games == 0)
        .count();
    let mut notes = vec!["Elo is from gauntlets under the rules of pool.toml; duels stop on their own results, so they don't count".to_owned()];
    if unrated > 0 {
        notes.push(format!(
            "opponents without games under these rules: {unrated}; the next gauntlet meets them"
        ));
    }
    notes
}

/// Writes the page and the files of the standings into the pool. `now` says what is being played.
pub(crate) fn write(
    standings: &Standings<'_>,
    found: &Found,
    now: Option<&str>,
) -> Result<(), PoolError> {
    let unsound = |error: anyhow::Error| PoolError::Unsound(error.to_string());
    let table = csv::csv(&[table(&standings.bots)]).map_err(unsound)?;
    let json = serde_json::to_string_pretty(standings).map_err(|error| unsound(error.into()))?;
    let page = page(&standings.bots, found, now);
    let folder = Path::new(".");
    replace(folder, CSV, &table)?;
    replace(folder, JSON, json.as_bytes())?;
    Ok(replace(folder, PAGE, page.as_bytes())?)
}

/// The page. `now` says what is being played.
fn page(bots: &[Standing<'_>], found: &Found, now: Option<&str>) -> String {
    let game = found.rated.as_ref().map_or("pool", |all| &all.game.game);
    let best = bots.iter().find(|bot| bot.state == State::Best);
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
                    @if let Some(best) = best { p class="answer" { strong { (best.bot) } " is the best." } }
                    @if let Some(now) = now { p class="notice" { (now) ". This page reloads itself." } }
                }
                main id="main" { @for part in sections(bots, found) { (section(&part)) } }
                footer { "Made by arena " (crate::report::VERSION) "; " code { "arena pool" } " updates this page." }
            }
        }
    };
    harmless_lines(&page.0)
}

fn sections(bots: &[Standing<'_>], found: &Found) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut add = |id: &str, title: &str, part: Part| {
        sections.push(Section::new(id, title, Vec::new(), vec![part]));
    };
    let mut all = Part::new("", table(bots));
    all.notes = notes(bots);
    add("standings", "Bots", all);
    if let Some(part) = over_time(bots) {
        add("best", "The best over time", part);
    }
    let tried = bots.iter().filter(|bot| bot.is_tried);
    if let Some(last) = tried.max_by_key(|bot| bot.at)
        && let Some(part) = pairings(last.bot, bots, found)
    {
        add("last", &format!("{} against each", last.bot), part);
    }
    let mut misfits = Vec::new();
    for misfit in found.rated.iter().flat_map(|all| &all.game.misfits) {
        let rest = format!(
            " scored {} against {}; their ratings say {}",
            exact_percent(misfit.score),
            misfit.second,
            exact_percent(misfit.expected)
        );
        misfits.push(Sentence::new(Tone::Plain, &misfit.first, rest));
    }
    if !misfits.is_empty() {
        let title = "Results that no rating explains";
        sections.push(Section::new("misfits", title, misfits, Vec::new()));
    }
    sections
}

/// The ratings of the bots that were the best, in the order in which they were kept.
fn over_time(bots: &[Standing<'_>]) -> Option<Part> {
    let beaten = |name: &str| {
        bots.iter()
            .any(|bot| bot.duel.as_ref().is_some_and(|duel| duel.opponent == name))
    };
    let mut best: Vec<(usize, &str, [f64; 3])> = Vec::new();
    for bot in bots {
        if (bot.state == State::Best || beaten(bot.bot))
            && let Some(elo) = bot.elo95()
        {
            best.push((bot.at, bot.bot, elo));
        }
    }
    best.sort_by_key(|(at, ..)| *at);
    let last = best.len().checked_sub(2)? + 1;
    let scale = Scale::of(best.iter().flat_map(|(.., elo)| *elo), -1.0, 1.0).with_room(0.06);
    let mut ticks = Vec::new();
    let mut line = Vec::new();
    let mut marks = Vec::new();
    for (at, (_, name, elo)) in best.iter().enumerate() {
        let share = at as f64 / last as f64;
        ticks.push((share, (*name).to_owned()));
        line.push((WIDTH * share, scale.y(elo[0])));
        marks.push(mark(name, WIDTH * share, *elo, scale));
    }
    let chart = Chart {
        label: "Elo of the best bots over time, from gauntlets".to_owned(),
        levels: scale.levels(bound),
        ticks,
        drawing: html! {
            path d=(path(line.into_iter())) {}
            @for mark in &marks { (mark) }
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
fn pairings(name: &str, bots: &[Standing<'_>], found: &Found) -> Option<Part> {
    let mut scores: Vec<(&str, f64)> = Vec::new();
    for Standing { bot, .. } in bots {
        scores.extend(found.score(name, bot).map(|score| (*bot, score)));
    }
    scores.sort_by(|one, other| one.1.total_cmp(&other.1));
    scores.truncate(PAIRINGS);
    let table = Rows::new("Scores", &scores)
        .shown(Kind::Name, "opponent", |(other, _)| *other)
        .shown(Kind::Heat, "score", |(_, score)| {
            Cell::shown(*score, exact_percent)
        })
        .shown(Kind::Value, "Elo by ratings", |(other, _)| {
            found
                .over(name, other)
                .map(|by| estimate([by.elo, by.lo95, by.hi95]))
        })
        .table();
    (!scores.is_empty()).then(|| Part::new("", table))
}
