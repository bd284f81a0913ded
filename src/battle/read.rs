//! Reads the battles in a text as the site writes them.
//!
//! Anyone may have written the text. So numbers are bounded, and an error names its place.

use std::fmt::Display;

use serde_json::Value;

use super::{Battle, DEFAULT_AI, Frame, ME, OWN_CODE, Tooltip, Unfit};
use crate::play::record::{RecordAgent, RecordBattle};
use arena_games::MAX_SEATS;
use arena_section::text::{cut, is_hidden, quoted};

/// Maximum number of battles of a file.
const MOST_BATTLES: usize = 10_000;
/// Maximum number of frames: as many questions as arena asks in a game, and the setup.
const MOST_FRAMES: usize = crate::play::foreign::MOST_QUESTIONS + 1;
/// Maximum number of characters of a name, a number of a battle or a title.
const LONGEST_NAME: usize = 100;

/// Reads a battle, or an array of battles, each with its place such as `[3]`.
pub(crate) fn read(text: &[u8]) -> Vec<(String, Result<Battle, Unfit>)> {
    let alone = match serde_json::from_slice(text) {
        Ok(Value::Array(items)) if (1..=MOST_BATTLES).contains(&items.len()) => {
            return items
                .iter()
                .enumerate()
                .map(|(at, item)| (format!("[{at}]"), battle(item)))
                .collect();
        }
        Ok(Value::Array(items)) => {
            let found = items.len();
            no_battle(format!(
                "expected 1 to {MOST_BATTLES} battles, found {found}"
            ))
        }
        Ok(value) => battle(&value),
        Err(error) => no_battle(format!("expected JSON: {error}")),
    };
    vec![(String::new(), alone)]
}

fn no_battle<T>(why: String) -> Result<T, Unfit> {
    Err(Unfit::NoBattle(why))
}

fn expected<T>(place: &str, what: impl Display, found: impl Display) -> Result<T, Unfit> {
    no_battle(format!("{place}: expected {what}, found {found}"))
}

/// Finds a key of an object; `None` if its value is null, or if it isn't an object.
fn find<'v>(object: &'v Value, key: &str) -> Option<&'v Value> {
    object.get(key).filter(|value| !value.is_null())
}

/// Reads the items of an array with their places; `None` if it is missing.
fn each<'v, T>(
    object: &'v Value,
    name: &str,
    mut read: impl FnMut(usize, &'v Value, &str) -> Result<T, Unfit>,
) -> Result<Option<Vec<T>>, Unfit> {
    let Some(value) = find(object, name) else {
        return Ok(None);
    };
    let Some(items) = value.as_array() else {
        return no_battle(format!("{name}: expected an array"));
    };
    let mut all = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        all.push(read(at, item, &format!("{name}[{at}]"))?);
    }
    Ok(Some(all))
}

/// Reads an integer, which may be written as 1.0.
fn integer(value: &Value, place: &str) -> Result<i64, Unfit> {
    // 2^53 is the end of exact ones.
    let end = 9_007_199_254_740_992.0;
    match (value.as_i64(), value.as_f64()) {
        (Some(number), _) => Ok(number),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "an integer below 2^53 in absolute value"
        )]
        (None, Some(number)) if number.fract() == 0.0 && number.abs() < end => Ok(number as i64),
        _ => expected(place, "an integer", cut(&value.to_string())),
    }
}

/// Reads an integer from 0 to below an end.
fn index(value: &Value, end: usize, place: &str) -> Result<usize, Unfit> {
    let number = integer(value, place)?;
    match usize::try_from(number) {
        Ok(index) if index < end => Ok(index),
        _ => expected(place, format!("0 to {}", end - 1), number),
    }
}

fn text<'v>(value: &'v Value, place: &str) -> Result<&'v str, Unfit> {
    let error = || Unfit::NoBattle(format!("{place}: expected a text"));
    value.as_str().ok_or_else(error)
}

/// Shortens a name and drops what isn't visible; `None` if nothing is left.
fn name(text: &str) -> Option<String> {
    let visible = text.replace(is_hidden, "");
    let name: String = visible.chars().take(LONGEST_NAME).collect();
    match name.trim() {
        "" => None,
        name => Some(name.to_owned()),
    }
}

/// Reads a battle: the game alone, in `success` of older answers, or in `gameResult` of a replay
/// page, which has the title beside it.
fn battle(whole: &Value) -> Result<Battle, Unfit> {
    if let Some(error) = find(whole, "error") {
        let said = quoted(&error.to_string());
        return no_battle(format!("the site answered with an error: {said}"));
    }
    let page = find(whole, "success").unwrap_or(whole);
    let game = find(page, "gameResult").unwrap_or(page);
    if find(game, "frames").is_none() {
        return no_battle("expected an object with `frames`".to_owned());
    }
    let scores = scores(game)?;
    let seats = scores.len();
    let frames = frames(game, seats)?;
    let (seed, options) = seed_and_options(game)?;
    let (title, league) = title(page);
    let ranks = each(game, "ranks", |_, rank, place| index(rank, seats, place))?;
    if let Some(ranks) = &ranks
        && ranks.len() != seats
    {
        let what = format!("{seats}, one for each score");
        return expected("ranks", what, ranks.len());
    }
    let (players, agents) = players(game, seats)?;
    let id = match &game["gameId"] {
        Value::String(id) => name(id),
        Value::Number(id) => name(&id.to_string()),
        _ => None,
    };
    Ok(Battle {
        site: RecordBattle { id, agents },
        players,
        title,
        league,
        seed,
        options,
        tooltips: tooltips(game, seats)?,
        frames,
        scores,
        ranks,
    })
}

fn scores(game: &Value) -> Result<Vec<i64>, Unfit> {
    let what = format!("2 to {MAX_SEATS}, one for each seat");
    match each(game, "scores", |_, score, place| integer(score, place))? {
        None => no_battle("`scores` is missing".to_owned()),
        Some(scores) if (2..=MAX_SEATS).contains(&scores.len()) => Ok(scores),
        Some(scores) => expected("scores", what, scores.len()),
    }
}

fn frames(game: &Value, seats: usize) -> Result<Vec<Frame>, Unfit> {
    let frames = each(game, "frames", |at, frame, place| {
        let (agent, place_of_agent) = (&frame["agentId"], format!("{place}.agentId"));
        let seat = match at {
            // The setup.
            0 if integer(agent, &place_of_agent)? == -1 => None,
            0 => return expected(&place_of_agent, -1, agent),
            _ => Some(index(agent, seats, &place_of_agent)?),
        };
        let stdout = find(frame, "stdout").map(|stdout| text(stdout, &format!("{place}.stdout")));
        Ok(Frame {
            seat,
            stdout: stdout.transpose()?.unwrap_or_default().to_owned(),
            is_key: frame["keyframe"].as_bool(),
            summary: frame["summary"].as_str().map(str::to_owned),
        })
    })?;
    match frames.unwrap_or_default() {
        frames if (1..=MOST_FRAMES).contains(&frames.len()) => Ok(frames),
        frames => expected("frames", format!("1 to {MOST_FRAMES}"), frames.len()),
    }
}

/// Reads the seed and the other options from `refereeInput`. Some tools move the seed to `seed`.
fn seed_and_options(game: &Value) -> Result<(i64, Vec<(String, String)>), Unfit> {
    let (mut written, mut options) = (None, Vec::new());
    if let Some(input) = find(game, "refereeInput") {
        for line in text(input, "refereeInput")?.lines() {
            match line.split_once('=') {
                Some(("seed", value)) => written = Some(value.trim().to_owned()),
                Some((key, value)) => options.push((key.trim().into(), value.trim().into())),
                None if line.trim().is_empty() => {}
                None => options.push((line.trim().into(), String::new())),
            }
        }
    }
    let written = match (written, &game["seed"]) {
        (Some(written), _) => written,
        (None, Value::Null) => {
            let wanted = "expected `refereeInput` with a line `seed=..`, or `seed`";
            return no_battle(format!("the seed is missing: {wanted}"));
        }
        (None, Value::String(seed)) => seed.clone(),
        (None, seed) => seed.to_string(),
    };
    // A floating-point number would be another seed.
    match written.parse() {
        Ok(seed) => Ok((seed, options)),
        Err(_) => expected("the seed", "an integer of 64 bits", quoted(&written)),
    }
}

/// Reads the title, and the league at its end, as in `Code of Kutulu - Level 4`.
fn title(page: &Value) -> (Option<String>, Option<u64>) {
    let title = page["questionTitle"].as_str();
    let title = title.or(page["puzzleTitle"].as_str()).unwrap_or_default();
    if let Some((title, level)) = title.rsplit_once("- Level ")
        && let Ok(level) = level.trim().parse()
    {
        return (name(title), Some(level));
    }
    (name(title), None)
}

fn tooltips(game: &Value, seats: usize) -> Result<Option<Vec<Tooltip>>, Unfit> {
    each(game, "tooltips", |_, tooltip, place| {
        let tooltip: Value = serde_json::from_str(text(tooltip, place)?)
            .map_err(|error| Unfit::NoBattle(format!("{place}: {error}")))?;
        Ok(Tooltip {
            frame: index(&tooltip["turn"], MOST_FRAMES, &format!("{place}.turn"))?,
            text: tooltip["text"].as_str().unwrap_or_default().to_owned(),
            seat: index(&tooltip["event"], seats, &format!("{place}.event"))?,
        })
    })
}

/// Reads the names of the players by seat, and what a record keeps of them. A file without players
/// is a battle nevertheless.
fn players(game: &Value, seats: usize) -> Result<(Vec<String>, Vec<RecordAgent>), Unfit> {
    let mut names: Vec<String> = (0..seats).map(|seat| format!("seat {seat}")).collect();
    let mut agents = vec![RecordAgent::default(); seats];
    each(game, "agents", |at, agent, place| {
        let seat = match find(agent, "index") {
            Some(own) => index(own, seats, &format!("{place}.index"))?,
            None if at < seats => at,
            None => return no_battle(format!("{place}: expected {seats} agents at most")),
        };
        let player = agent["codingamer"]["pseudo"].as_str();
        let player = player.or(agent["arenaboss"]["nickname"].as_str());
        let id = agent["agentId"].as_i64();
        names[seat] = match (player.and_then(name), id) {
            (Some(name), _) => name,
            (None, Some(OWN_CODE)) => ME.to_owned(),
            (None, Some(DEFAULT_AI)) => "default AI".to_owned(),
            (None, Some(id)) => format!("agent {id}"),
            (None, None) => format!("seat {seat}"),
        };
        let score = agent["score"].as_f64();
        agents[seat] = RecordAgent { id, score };
        Ok(())
    })?;
    if agents.iter().all(|agent| *agent == RecordAgent::default()) {
        agents.clear();
    }
    Ok((names, agents))
}
