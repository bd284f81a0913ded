//! Reads the battles in a text, in every shape that sites and tools write.
//!
//! Anyone may have written the text. So sizes and depth are bounded, an error names its place, and a
//! bad battle doesn't hide the others.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Agent, Battle, Frame, Listed, Tooltip};
use arena_games::MAX_SEATS;
use arena_section::text::{is_hidden, quoted};

/// Maximum number of frames: as many questions as arena asks in a game, and the setup.
const MOST_FRAMES: usize = crate::play::foreign::MOST_QUESTIONS + 1;
/// Maximum number of objects and arrays around a battle.
const DEEPEST: usize = 8;
/// Maximum number of items of an array, and of keys of an object.
const MOST_ITEMS: usize = 100_000;
const MOST_KEYS: usize = 1000;
/// Maximum number of parts of a text that aren't battles, before the rest is left out.
const MOST_PROBLEMS: usize = 100;
/// Maximum number of characters of a name, a number of a battle or a title.
const LONGEST_NAME: usize = 100;
/// Keys whose value holds battles and nothing else.
const WRAPPERS: [&str; 7] = [
    "success",
    "gameResult",
    "rawResponse",
    "response",
    "battle",
    "battles",
    "games",
];

/// What a text holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    Battle(Box<Battle>),
    /// The players of a battle in a list, which can't be played.
    Listed(Listed),
}

/// Something found, with its place such as `[3].gameResult`. An error says why it isn't a battle.
pub(crate) type Taken = (String, Result<Found, String>);

/// Calls `take` for every battle in a text and for every part that isn't one, in order.
pub(crate) fn read(text: &[u8], take: &mut dyn FnMut(Taken)) {
    let text = match std::str::from_utf8(text) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let at = error.valid_up_to();
            let why = format!("expected UTF-8 text, found another byte at offset {at}");
            return take((String::new(), Err(why)));
        }
    };
    if text.trim().is_empty() {
        return take((String::new(), Err("the file is empty".to_owned())));
    }
    let mut search = Search { take, problems: 0 };
    let (mut rest, mut line) = (text, 1);
    while !rest.trim_start().is_empty() && !search.gives_up() {
        let (blank, trimmed) = rest.split_at(rest.len() - rest.trim_start().len());
        line += newlines(blank);
        rest = search.next(trimmed, rest.len() == text.len(), line);
        line += newlines(&trimmed[..trimmed.len() - rest.len()]);
    }
}

/// Returns the number of line ends in a text.
fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

/// Returns an error of serde without its place.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ")
        .map_or_else(|| text.clone(), |(text, _)| text.to_owned())
}

/// The keys of an object with their values, at most [`MOST_KEYS`]. The last of equal keys wins.
#[derive(Default)]
struct Object<'a>(BTreeMap<String, &'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Object<'a>, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut keys: A) -> Result<Object<'de>, A::Error> {
                let mut object = Object::default();
                while let Some((key, value)) = keys.next_entry::<Text, &RawValue>()? {
                    object.0.insert(key.0, value);
                    if object.0.len() > MOST_KEYS {
                        return Err(A::Error::custom(format!("more than {MOST_KEYS} keys")));
                    }
                }
                Ok(object)
            }
        }
        from.deserialize_map(Keys)
    }
}

/// The items of an array, at most [`MOST_ITEMS`].
struct Items<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Items<'a>, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Items<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = all.next_element()? {
                    items.push(item);
                    if items.len() > MOST_ITEMS {
                        return Err(A::Error::custom(format!("more than {MOST_ITEMS} items")));
                    }
                }
                Ok(Items(items))
            }
        }
        from.deserialize_seq(All)
    }
}

/// Where a value is in a text.
#[derive(Clone, Copy)]
struct Spot<'s> {
    /// The objects around it, the innermost last.
    around: &'s [&'s Object<'s>],
    place: &'s str,
    /// Whether it has to hold a battle.
    is_due: bool,
}

/// A search for battles in a text.
struct Search<'t> {
    take: &'t mut dyn FnMut(Taken),
    /// Number of problems so far.
    problems: usize,
}

impl Search<'_> {
    /// Searches the next value of a text, which begins in this line. Returns the text after it.
    fn next<'a>(&mut self, text: &'a str, is_first: bool, line: usize) -> &'a str {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(value)) => {
                let rest = &text[values.byte_offset()..];
                let is_alone = is_first && rest.trim_start().is_empty();
                let place = if is_alone {
                    String::new()
                } else {
                    format!("line {line}")
                };
                let spot = Spot {
                    around: &[],
                    place: &place,
                    is_due: true,
                };
                self.item(value, spot);
                rest
            }
            Some(Err(error)) => {
                let (own, column) = (line + error.line() - 1, error.column());
                let why = said(&error);
                let why = format!("expected JSON: line {own}, column {column}: {why}");
                self.found("", Err(why));
                // In JSON lines, another line is another battle. Inside a value, lines are indented.
                let lines = text.match_indices('\n').map(|(end, _)| &text[end + 1..]);
                let mut starts = lines.filter(|rest| rest.starts_with(['{', '[']));
                starts.next().unwrap_or_default()
            }
            None => "",
        }
    }

    /// Whether so much isn't a battle that the rest needn't be read.
    fn gives_up(&self) -> bool {
        self.problems > MOST_PROBLEMS
    }

    fn found(&mut self, place: &str, found: Result<Found, String>) {
        self.problems += usize::from(found.is_err());
        if self.problems <= MOST_PROBLEMS {
            (self.take)((place.to_owned(), found));
        } else if self.problems == MOST_PROBLEMS + 1 {
            let why = format!(
                "more than {MOST_PROBLEMS} parts of it are no battles; the rest isn't read"
            );
            (self.take)((place.to_owned(), Err(why)));
        }
    }

    /// Searches an item, which has to be a battle or hold one if it is due. Returns false if it holds
    /// none and nothing was said about it.
    fn item(&mut self, value: &RawValue, spot: Spot<'_>) -> bool {
        let is_said = self.search(value, spot);
        if spot.is_due && !is_said {
            let found = kind(value);
            let why = format!("expected a battle, an object with `frames`, found {found}");
            self.found(spot.place, Err(why));
        }
        spot.is_due || is_said
    }

    /// Searches a value. Returns false if it holds no battle and nothing was said about it.
    fn search(&mut self, value: &RawValue, spot: Spot<'_>) -> bool {
        if spot.around.len() >= DEEPEST {
            return false;
        }
        let json = value.get();
        let marker = Object::default();
        let around = &[spot.around, &[&marker]].concat();
        let within = Spot { around, ..spot };
        let searched = match json.as_bytes().first() {
            Some(b'[') => serde_json::from_str(json).map(|items| self.array(items, within)),
            Some(b'{') => serde_json::from_str(json).map(|object| self.object(&object, spot)),
            Some(b'"') => self.text(json, within),
            _ => Ok(false),
        };
        match searched {
            Err(error) if spot.is_due => {
                self.found(spot.place, Err(said(&error)));
                true
            }
            searched => searched.unwrap_or_default(),
        }
    }

    /// Searches the JSON in a text: some tools keep the answer of the site so.
    fn text(&mut self, json: &str, spot: Spot<'_>) -> serde_json::Result<bool> {
        let text: Text = serde_json::from_str(json)?;
        if !text.0.trim_start().starts_with(['{', '[']) {
            return Ok(false);
        }
        Ok(self.search(serde_json::from_str(&text.0)?, spot))
    }

    fn array(&mut self, items: Items<'_>, spot: Spot<'_>) -> bool {
        let mut has_any = false;
        for (index, item) in items.0.into_iter().enumerate() {
            if self.gives_up() {
                break;
            }
            let place = &format!("{}[{index}]", spot.place);
            has_any |= self.item(item, Spot { place, ..spot });
        }
        has_any
    }

    fn object(&mut self, object: &Object<'_>, spot: Spot<'_>) -> bool {
        let around = &[spot.around, &[object]].concat();
        if object.0.contains_key("frames") {
            let battle = battle(around).map(|battle| Found::Battle(Box::new(battle)));
            self.found(spot.place, battle);
            return true;
        }
        let mut has_any = false;
        for (key, value) in &object.0 {
            let dot = if spot.place.is_empty() { "" } else { "." };
            let within = Spot {
                around,
                place: &format!("{}{dot}{key}", spot.place),
                is_due: spot.is_due && WRAPPERS.contains(&key.as_str()),
            };
            has_any |= self.search(value, within);
        }
        if has_any {
            return true;
        }
        let has = |key: &str| object.0.get(key).filter(|value| value.get() != "null");
        let found = match (has("players"), has("error")) {
            (Some(players), _) if object.0.contains_key("gameId") => {
                listed(players).map(Found::Listed)
            }
            (_, Some(error)) => {
                let said: String = error.get().chars().take(200).collect();
                Err(format!(
                    "the site answered with an error instead of a battle: {said}"
                ))
            }
            _ => return false,
        };
        self.found(spot.place, found);
        true
    }
}

/// Says what a value is.
fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'{') => "an object without `frames`",
        Some(b'[') => "an array, with no battle in its first levels",
        Some(b'"') => "a text",
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        _ => "a number",
    }
}

/// A text. Half of a surrogate pair, which a cut text may end with, becomes U+FFFD.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
                Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }
        }
        from.deserialize_bytes(Bytes)
    }
}

/// Finds a key in the innermost object that has it.
fn find<'a>(around: &[&Object<'a>], key: &str) -> Option<&'a RawValue> {
    let mut objects = around.iter().rev();
    let value = objects.find_map(|object| object.0.get(key).copied())?;
    (value.get() != "null").then_some(value)
}

/// Reads the value of a key. The error names the key.
fn parse<'a, T: Deserialize<'a>>(value: &'a RawValue, place: &str) -> Result<T, String> {
    serde_json::from_str(value.get()).map_err(|error| format!("{place}: {}", said(&error)))
}

/// Returns a text, or the JSON of another value.
fn text_or_json(value: &RawValue, place: &str) -> Result<String, String> {
    if value.get().starts_with('"') {
        Ok(parse::<Text>(value, place)?.0)
    } else {
        Ok(value.get().to_owned())
    }
}

/// Reads the items of an array. `read` gets the index and the place of each.
fn each<'a, T>(
    array: &'a RawValue,
    name: &str,
    mut read: impl FnMut(usize, &'a RawValue, &str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let Items(items) = parse(array, name)?;
    let mut all = Vec::with_capacity(items.len());
    for (at, item) in items.into_iter().enumerate() {
        all.push(read(at, item, &format!("{name}[{at}]"))?);
    }
    Ok(all)
}

/// Reads an integer, which may be written as 1.0 or as a text.
fn integer(value: &RawValue, place: &str) -> Result<i64, String> {
    let written = value.get().trim_matches('"');
    if let Ok(number) = written.parse() {
        return Ok(number);
    }
    // Only small integers are written as floating-point numbers; 2^53 is the end of exact ones.
    let end = 9_007_199_254_740_992.0;
    match written.parse::<f64>() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "an integer below 2^53 in absolute value"
        )]
        Ok(number) if number.fract() == 0.0 && number.abs() < end => Ok(number as i64),
        _ => {
            let shown: String = value.get().chars().take(40).collect();
            Err(format!("{place}: expected an integer, found {shown}"))
        }
    }
}

/// Shortens a name and drops what isn't visible; `None` if nothing is left.
fn name(text: &str) -> Option<String> {
    let visible = text.chars().filter(|c| !is_hidden(*c));
    let name: String = visible.take(LONGEST_NAME).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Reads a text or a number as a name.
fn named(value: &RawValue, place: &str) -> Result<Option<String>, String> {
    match value.get().as_bytes().first() {
        Some(b'"') => Ok(name(&parse::<Text>(value, place)?.0)),
        Some(b'0'..=b'9' | b'-') => Ok(name(value.get())),
        _ => Err(format!("{place}: expected a number")),
    }
}

/// Reads the battle in the innermost of some objects. Tools move parts of it to those around it.
fn battle(around: &[&Object<'_>]) -> Result<Battle, String> {
    let need = |key: &str| {
        let missing = || format!("`{key}` is missing");
        find(around, key).ok_or_else(missing)
    };
    let scores = scores(need("scores")?)?;
    let seats = scores.len();
    let frames = frames(need("frames")?, seats)?;
    let (seed, options) = seed_and_options(around)?;
    let (title, league) = title(around)?;
    let id = find(around, "gameId").map(|id| named(id, "gameId"));
    let ranks = find(around, "ranks").map(|ranks| self::ranks(ranks, seats));
    let agents = find(around, "agents").map(|agents| self::agents(agents, seats));
    Ok(Battle {
        id: id.transpose()?.flatten(),
        title,
        league,
        seed,
        options,
        frames,
        scores,
        ranks: ranks.transpose()?,
        tooltips: find(around, "tooltips").map(tooltips).transpose()?,
        agents: agents.unwrap_or_else(|| Ok(vec![Agent::default(); seats]))?,
    })
}

fn scores(value: &RawValue) -> Result<Vec<i32>, String> {
    let scores = each(value, "scores", |_, score, place| {
        let score = integer(score, place)?;
        i32::try_from(score).map_err(|_| format!("{place}: {score} is more than 32 bits hold"))
    })?;
    let seats = scores.len();
    if (2..=MAX_SEATS).contains(&seats) {
        return Ok(scores);
    }
    Err(format!(
        "scores: expected 2 to {MAX_SEATS}, one for each seat, found {seats}"
    ))
}

fn ranks(value: &RawValue, seats: usize) -> Result<Vec<i64>, String> {
    let ranks = each(value, "ranks", |_, rank, place| integer(rank, place))?;
    if ranks.len() == seats {
        return Ok(ranks);
    }
    let found = ranks.len();
    Err(format!(
        "ranks: expected {seats}, one for each score, found {found}"
    ))
}

/// A frame as it is written.
#[derive(Deserialize)]
struct WrittenFrame<'a> {
    #[serde(borrow, rename = "agentId")]
    agent: Option<&'a RawValue>,
    stdout: Option<Text>,
    summary: Option<Text>,
    keyframe: Option<bool>,
}

fn frames(value: &RawValue, seats: usize) -> Result<Vec<Frame>, String> {
    let frames = each(value, "frames", |at, frame, place| {
        let frame: WrittenFrame<'_> = parse(frame, place)?;
        let Some(agent) = frame.agent else {
            return Err(format!("{place}: `agentId` is missing"));
        };
        let agent = integer(agent, &format!("{place}.agentId"))?;
        let seat = usize::try_from(agent).ok().filter(|&seat| seat < seats);
        let (is_right, expected) = match at {
            0 => (
                agent == -1,
                "-1, because the first frame is the setup".to_owned(),
            ),
            _ => (seat.is_some(), format!("a seat from 0 to {}", seats - 1)),
        };
        if !is_right {
            return Err(format!(
                "{place}.agentId: expected {expected}, found {agent}"
            ));
        }
        Ok(Frame {
            seat,
            stdout: frame.stdout.map_or_else(String::new, |text| text.0),
            is_key: frame.keyframe,
            summary: frame.summary.map(|text| text.0),
        })
    })?;
    let count = frames.len();
    if (1..=MOST_FRAMES).contains(&count) {
        return Ok(frames);
    }
    Err(format!(
        "frames: expected 1 to {MOST_FRAMES}, found {count}"
    ))
}

/// Reads the seed and the other options, which are in `refereeInput` or `seed`.
fn seed_and_options(around: &[&Object<'_>]) -> Result<(i64, Vec<(String, String)>), String> {
    let (mut seeds, mut options) = (Vec::new(), Vec::new());
    if let Some(input) = find(around, "refereeInput") {
        let input: Text = parse(input, "refereeInput")?;
        for line in input.0.lines().filter(|line| !line.trim().is_empty()) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let (key, value) = (key.trim(), value.trim());
            if key == "seed" {
                seeds.push(seed(value, "refereeInput")?);
            } else {
                options.push((key.to_owned(), value.to_owned()));
            }
        }
    }
    if let Some(value) = find(around, "seed") {
        let text = text_or_json(value, "seed")?;
        seeds.push(seed(text.trim().trim_start_matches("seed="), "seed")?);
    }
    match seeds[..] {
        [] => Err(
            "the seed is missing: expected `refereeInput` with a line `seed=..`, or `seed`".into(),
        ),
        [first, ..] if seeds.iter().all(|seed| *seed == first) => Ok((first, options)),
        _ => Err(format!("it has several seeds: {seeds:?}")),
    }
}

/// Reads a seed as text. A floating-point number would be another seed.
fn seed(text: &str, place: &str) -> Result<i64, String> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let shown = quoted(&shown);
        format!("{place}: expected a seed, an integer of 64 bits, found {shown}")
    })
}

/// Reads the title, and the league at its end, as in `Code of Kutulu - Level 4`.
fn title(around: &[&Object<'_>]) -> Result<(Option<String>, Option<u64>), String> {
    let Some(title) = find(around, "questionTitle") else {
        return Ok((None, None));
    };
    let title: Text = parse(title, "questionTitle")?;
    if let Some((title, level)) = title.0.rsplit_once("- Level ")
        && let Ok(level) = level.trim().parse()
    {
        return Ok((name(title), Some(level)));
    }
    Ok((name(&title.0), None))
}

#[derive(Deserialize)]
struct WrittenTooltip<'a> {
    #[serde(borrow)]
    turn: Option<&'a RawValue>,
    text: Option<Text>,
    #[serde(borrow)]
    event: Option<&'a RawValue>,
}

fn tooltips(value: &RawValue) -> Result<Vec<Tooltip>, String> {
    each(value, "tooltips", |_, tooltip, place| {
        let text = text_or_json(tooltip, place)?;
        let written: Result<WrittenTooltip<'_>, _> = serde_json::from_str(&text);
        let written = written.map_err(|error| format!("{place}: {}", said(&error)))?;
        let (Some(turn), Some(event)) = (written.turn, written.event) else {
            return Err(format!("{place}: expected `turn` and `event`"));
        };
        Ok(Tooltip {
            frame: integer(turn, &format!("{place}.turn"))?,
            text: written.text.map_or_else(String::new, |text| text.0),
            seat: integer(event, &format!("{place}.event"))?,
        })
    })
}

#[derive(Deserialize)]
struct WrittenAgent<'a> {
    index: Option<i64>,
    #[serde(borrow, rename = "agentId")]
    id: Option<&'a RawValue>,
    score: Option<f64>,
    codingamer: Option<Person>,
    arenaboss: Option<Person>,
}

/// A player, who has a pseudonym, or a boss, which has a nickname.
#[derive(Deserialize)]
struct Person {
    pseudo: Option<Text>,
    nickname: Option<Text>,
}

fn agents(value: &RawValue, seats: usize) -> Result<Vec<Agent>, String> {
    let mut agents = vec![Agent::default(); seats];
    each(value, "agents", |at, agent, place| {
        let written: WrittenAgent<'_> = parse(agent, place)?;
        let index = written.index.map_or(Ok(at), usize::try_from);
        let Some(own) = index.ok().and_then(|index| agents.get_mut(index)) else {
            let last = seats - 1;
            return Err(format!("{place}: expected an index from 0 to {last}"));
        };
        let pseudo = written.codingamer.and_then(|person| person.pseudo);
        let boss = written.arenaboss.and_then(|boss| boss.nickname);
        *own = Agent {
            id: agent_id(written.id, &format!("{place}.agentId"))?,
            is_boss: pseudo.is_none() && boss.is_some(),
            name: pseudo.or(boss).and_then(|text| name(&text.0)),
            score: written.score,
        };
        Ok(())
    })?;
    Ok(agents)
}

/// Reads the number of a submission, if there is one.
fn agent_id(value: Option<&RawValue>, place: &str) -> Result<Option<i64>, String> {
    value.map(|id| integer(id, place)).transpose()
}

#[derive(Deserialize)]
struct WrittenPlayer<'a> {
    #[serde(borrow, rename = "playerAgentId")]
    agent: Option<&'a RawValue>,
    #[serde(borrow)]
    position: Option<&'a RawValue>,
    nickname: Option<Text>,
}

fn listed(players: &RawValue) -> Result<Listed, String> {
    each(players, "players", |_, player, place| {
        let written: WrittenPlayer<'_> = parse(player, place)?;
        let Some(position) = written.position else {
            return Err(format!("{place}: `position` is missing"));
        };
        let agent = Agent {
            id: agent_id(written.agent, &format!("{place}.playerAgentId"))?,
            name: written.nickname.and_then(|text| name(&text.0)),
            ..Agent::default()
        };
        Ok((agent, integer(position, &format!("{place}.position"))?))
    })
}
