//! Positions as text, drawn from the frames of games.

use std::fmt::Write as _;

use serde::Deserialize;

use super::harmless;

/// A position as lines of text, from the setting and the frame of a game ([`arena_games::Game::frame`]) and the names of
/// its bots by seat. Nothing for a game without a board here.
pub(crate) fn board(game: &str, setting: &str, frame: &str, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| harmless(name)).collect();
    let drawn = match game {
        "minishogi" | "dice_shogi" => serde_json::from_str(frame).map(|frame| shogi(&frame, &names)),
        "onitama" => read(setting, frame).map(|(setting, frame)| onitama(&setting, &frame, &names)),
        "kutulu" => read(setting, frame).map(|(setting, frame)| kutulu::draw(&setting, &frame, &names)),
        _ => return String::new(),
    };
    drawn.unwrap_or_default()
}

fn read<'a, S: Deserialize<'a>, F: Deserialize<'a>>(setting: &'a str, frame: &'a str) -> serde_json::Result<(S, F)> {
    Ok((serde_json::from_str(setting)?, serde_json::from_str(frame)?))
}

fn name(names: &[String], seat: usize) -> &str {
    names.get(seat).map_or("?", String::as_str)
}

#[derive(Deserialize)]
struct Shogi {
    board: Vec<String>,
    hands: [String; 2],
    check: bool,
    reason: Option<String>,
    die: Option<u32>,
}

/// Files and ranks as moves call them; the hands beside the camps.
fn shogi(frame: &Shogi, names: &[String]) -> String {
    let mut text = "      5  4  3  2  1\n".to_owned();
    for (rank, row) in (1..).zip(&frame.board) {
        let _ = write!(text, "  {rank} ");
        for square in squares(row) {
            let _ = write!(text, " {square:>2}");
        }
        for (seat, letters) in frame.hands.iter().enumerate().filter(|(seat, _)| rank == [5, 1][*seat]) {
            let hand = if letters.is_empty() { " -".to_owned() } else { spaced(letters.chars()) };
            let _ = write!(text, "   {}:{hand}", name(names, seat));
        }
        if rank == 3 {
            text.push_str(&remarks(frame));
        }
        text.push('\n');
    }
    text
}

fn spaced(symbols: impl Iterator<Item = char>) -> String {
    symbols.flat_map(|symbol| [' ', symbol]).collect()
}

/// Beside the middle of a board of shogi.
fn remarks(frame: &Shogi) -> String {
    let mut remarks = Vec::new();
    if let (Some(die), None) = (frame.die, &frame.reason) {
        remarks.push(format!("die {die}"));
    }
    if frame.check {
        remarks.push("check".into());
    }
    if remarks.is_empty() { String::new() } else { format!("   {}", remarks.join(", ")) }
}

/// The squares of a row; a `+` belongs to the letter that follows it.
fn squares(row: &str) -> Vec<String> {
    let mut squares: Vec<String> = Vec::new();
    for symbol in row.chars() {
        match squares.last_mut() {
            Some(promoted) if promoted == "+" => promoted.push(symbol),
            _ => squares.push(symbol.to_string()),
        }
    }
    squares
}

#[derive(Deserialize)]
struct OnitamaSetting {
    cards: Vec<Card>,
}

#[derive(Deserialize)]
struct Card {
    id: u8,
    name: String,
    moves: Vec<(i8, i8)>,
}

#[derive(Deserialize)]
struct Onitama {
    side: usize,
    board: Vec<String>,
    hands: [[u8; 2]; 2],
    centre: u8,
}

/// The width of a card, and of the name over the two cards of a side.
const CARD: usize = 14;
const HOLDER: usize = 2 * CARD + 2;

/// What stands for a part of a name that is left out.
const CUT: &str = "..";

/// Two names as they fit over their cards. One that is too long keeps its beginning and the place where it differs from the
/// other, so two different names that do not hold [`CUT`] themselves are never shown alike.
fn fitting(names: [&str; 2]) -> [String; 2] {
    /// So much of the beginning stays where the difference is far behind, and so much of what is before the difference.
    const HEAD: usize = 10;
    const BEFORE: usize = 8;
    let letters = names.map(|name| name.chars().collect::<Vec<char>>());
    let alike = letters[0].iter().zip(&letters[1]).take_while(|(one, other)| one == other).count();
    // The character that differs must not be behind the mark at the end.
    let is_early = alike < HOLDER - CUT.len();
    letters.map(|name| {
        if name.len() <= HOLDER || is_early {
            return cut(&name, HOLDER);
        }
        let head: String = name[..HEAD].iter().collect();
        head + CUT + &cut(&name[alike - BEFORE..], HOLDER - HEAD - CUT.len())
    })
}

/// The beginning of a text that is longer than `width`.
fn cut(text: &[char], width: usize) -> String {
    if text.len() > width { text[..width - CUT.len()].iter().collect::<String>() + CUT } else { text.iter().collect() }
}

/// The board, and below it every card as its holder uses it, the centre one as the side to move will.
fn onitama(setting: &OnitamaSetting, frame: &Onitama, names: &[String]) -> String {
    let mut text = String::new();
    for (row, pieces) in (0..5).zip(&frame.board) {
        let _ = writeln!(text, "  {} {}", 5 - row, spaced(pieces.chars()));
    }
    text.push_str("     A B C D E\n\n");
    let [[a, b], [c, d]] = frame.hands;
    let cards = [(a, 0), (b, 0), (c, 1), (d, 1), (frame.centre, frame.side)];
    // A name stands over two cards.
    let [first, second] = fitting([0, 1].map(|seat| name(names, seat)));
    let _ = writeln!(text, "  {first:HOLDER$}  {second:HOLDER$}  centre");
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.into_iter().map(|cell| format!("  {cell:CARD$}")).collect();
        cells.concat().trim_end().to_owned() + "\n"
    };
    let found = cards.map(|(id, seat)| (id, setting.cards.iter().find(|card| card.id == id), seat));
    let title = |(id, card, _): &(u8, Option<&Card>, usize)| format!("{id} {}", card.map_or("?", |card| &card.name));
    text.push_str(&line(found.iter().map(title).collect()));
    for dy in (-2..=2).rev() {
        text.push_str(&line(found.iter().map(|&(_, card, seat)| card_row(card, seat, dy)).collect()));
    }
    text
}

/// A row of a card: `O` is the piece, `x` where it may go.
fn card_row(card: Option<&Card>, seat: usize, dy: i8) -> String {
    let turn = if seat == 0 { 1 } else { -1 };
    let reaches = |dx: i8| card.is_some_and(|card| card.moves.contains(&(turn * dx, turn * dy)));
    let symbol = |dx| match (dx, dy) {
        (0, 0) => "O",
        _ if reaches(dx) => "x",
        _ => ".",
    };
    (-2..=2).map(symbol).collect::<Vec<_>>().join(" ")
}

mod kutulu {
    use std::fmt::Write as _;

    use serde::Deserialize;

    use super::name;

    #[derive(Deserialize)]
    pub(super) struct Setting {
        map: Vec<String>,
    }

    #[derive(Deserialize)]
    pub(super) struct Frame {
        explorers: Vec<Explorer>,
        minions: Vec<Minion>,
        effects: Vec<Effect>,
    }

    #[derive(Deserialize)]
    struct Explorer {
        x: usize,
        y: usize,
        sanity: u32,
        plans: u32,
        lights: u32,
        alive: bool,
    }

    #[derive(Deserialize)]
    struct Minion {
        kind: String,
        x: usize,
        y: usize,
        state: String,
        time: u32,
        target: Option<usize>,
    }

    #[derive(Deserialize)]
    struct Effect {
        kind: String,
        x: Option<usize>,
        y: Option<usize>,
        time: Option<u32>,
        energy: Option<u32>,
        owner: Option<usize>,
        target: Option<usize>,
    }

    /// The map, with what stands on it listed beside.
    pub(super) fn draw(setting: &Setting, frame: &Frame, names: &[String]) -> String {
        let map = map(setting, frame);
        let width = map.first().map_or(0, Vec::len);
        let notes = notes(frame, names);
        let mut text = String::new();
        for line in 0..map.len().max(notes.len()) {
            let row: String = map.get(line).into_iter().flatten().collect();
            let note = notes.get(line).map_or("", String::as_str);
            let _ = writeln!(text, "{}", format!("  {row:width$}   {note}").trim_end());
        }
        text
    }

    /// Explorers are drawn over minions over shelters. Starts are plain floor.
    fn map(setting: &Setting, frame: &Frame) -> Vec<Vec<char>> {
        let plain = |symbol: char| if matches!(symbol, 'S' | 'U') { '.' } else { symbol };
        let mut map: Vec<Vec<char>> = setting.map.iter().map(|row| row.chars().map(plain).collect()).collect();
        let mut put = |x: usize, y: usize, symbol: char| {
            if let Some(cell) = map.get_mut(y).and_then(|row| row.get_mut(x)) {
                *cell = symbol;
            }
        };
        for effect in frame.effects.iter().filter(|effect| effect.kind == "shelter") {
            if let (Some(x), Some(y)) = (effect.x, effect.y) {
                put(x, y, 'U');
            }
        }
        for minion in &frame.minions {
            put(minion.x, minion.y, if minion.kind == "slasher" { 'L' } else { 'W' });
        }
        for (seat, explorer) in (0..).zip(&frame.explorers).filter(|(_, explorer)| explorer.alive) {
            put(explorer.x, explorer.y, char::from_digit(seat, 10).unwrap_or('?'));
        }
        map
    }

    fn notes(frame: &Frame, names: &[String]) -> Vec<String> {
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let explorer = |(seat, explorer): (usize, &Explorer)| {
            let Explorer { sanity, plans, lights, alive, .. } = explorer;
            let state =
                if *alive { format!("sanity {sanity:3}  plans {plans}  lights {lights}") } else { "gone".into() };
            format!("{seat}  {:width$}  {state}", name(names, seat))
        };
        let mut notes: Vec<String> = frame.explorers.iter().enumerate().map(explorer).collect();
        notes.extend(frame.minions.iter().map(minion));
        notes.extend(frame.effects.iter().map(effect));
        notes
    }

    fn minion(minion: &Minion) -> String {
        let Minion { kind, x, y, state, time, target } = minion;
        let letter = if kind == "slasher" { 'L' } else { 'W' };
        let target = target.map_or_else(String::new, |target| format!(", after {target}"));
        // Players are sent a number without meaning for a slasher in these states.
        let time = match (kind.as_str(), state.as_str()) {
            ("slasher", "wandering" | "rushing") => String::new(),
            _ => format!(" {time}"),
        };
        format!("{letter}  {x},{y}  {state}{time}{target}")
    }

    fn effect(effect: &Effect) -> String {
        let place = |symbol| effect.x.zip(effect.y).map_or_else(String::new, |(x, y)| format!("{symbol}  {x},{y}  "));
        match (effect.kind.as_str(), effect.owner, effect.target) {
            ("shelter", ..) => format!("{}energy {}", place('U'), effect.energy.unwrap_or(0)),
            (kind, Some(owner), Some(target)) => {
                format!("-  {kind} of {owner} at {target}, {} turns", effect.time.unwrap_or(0))
            }
            (kind, owner, _) => {
                let owner = owner.map_or_else(|| "?".to_owned(), |owner| owner.to_string());
                format!("-  {kind} of {owner}, {} turns", effect.time.unwrap_or(0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_names_keep_what_differs() {
        let first = "search[mobility=1,centre=4,shrine=3]";
        for (second, expected) in [
            (
                "search[mobility=9,centre=4,shrine=3]",
                ["search[mobility=1,centre=4,s..", "search[mobility=9,centre=4,s.."],
            ),
            ("search[mobility=1,centre=4,shrine=0]", ["search[mob..,shrine=3]", "search[mob..,shrine=0]"]),
            ("guessed", ["search[mobility=1,centre=4,s..", "guessed"]),
            (first, ["search[mob..hrine=3]"; 2]),
        ] {
            assert_eq!(fitting([first, second]), expected);
        }
        assert_eq!(fitting(["search[depth=1,width=0.2]", "é"]), ["search[depth=1,width=0.2]", "é"]);
    }

    /// Names that begin alike for long; two dots, the mark, are not in them.
    fn names() -> impl Strategy<Value = [String; 2]> {
        let end = "[a-b]{0,40}";
        ("[a-cé]{0,45}", end, end).prop_map(|(begin, one, other)| [format!("{begin}{one}"), format!("{begin}{other}")])
    }

    proptest! {
        #[test]
        fn different_names_are_shown_differently([one, other] in names()) {
            let shown = fitting([&one, &other]);
            prop_assert_eq!(shown[0] == shown[1], one == other, "{:?}", shown);
            for (name, shown) in [one, other].iter().zip(&shown) {
                let (whole, width) = (name.chars().count() <= HOLDER, shown.chars().count());
                prop_assert!(width <= HOLDER && (name == shown) == whole, "{} {}", name, shown);
            }
        }
    }
}
