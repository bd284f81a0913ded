//! A position as a drawing in a file of its own. Positions of all games are put into the vocabulary that referees outside of this
//! program have, which is drawn in the colours of the page: plainer than there, but one drawing for all.

use std::collections::BTreeMap;
use std::ops::Range;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::chart::{LETTER, LINE, place, svg_file};
use super::screen::shortened;
use arena_games::drawing::{Colour, Look, Number, Shape, Token};
use arena_games::{Drawing, Frame, Picture, Seat, Setting, kutulu, onitama, shogi};

const STYLE: &str = concat!(
    include_str!("html/viewer.css"),
    include_str!("chart.css"),
    include_str!("file.css")
);

/// How large a cell, a board and what is round it are.
const CELL: f64 = 56.0;
const LARGEST: f64 = 640.0;
const MARGIN: f64 = 24.0;
/// The most letters of a line.
const LONGEST: usize = 70;

/// What is drawn of a position.
#[derive(Default)]
struct Board {
    drawing: Drawing,
    /// What columns and rows are called, a character each.
    columns: &'static str,
    rows: &'static str,
    /// Cards of a game whose cards are steps.
    cards: Vec<Card>,
}

/// Whose a card is, its name, and the steps that it allows, in columns to the right and rows upwards.
type Card = (Option<Seat>, String, Vec<(i8, i8)>);

/// A position of a game whose players have these names, as an SVG file.
pub(crate) fn file(title: &str, frame: &Frame, setting: &Setting, names: &[String]) -> String {
    let Board {
        drawing,
        columns,
        rows,
        cards,
    } = match &frame.picture {
        Picture::Shogi(picture) => of_shogi(picture),
        Picture::Onitama(picture) => of_onitama(picture, setting),
        Picture::Kutulu(picture) => of_kutulu(picture, setting),
        Picture::Drawing(drawing) => Board {
            drawing: drawing.clone(),
            ..Board::default()
        },
    };
    let cells = drawing.size();
    let side = CELL.min(LARGEST / length(cells[0].max(cells[1])));
    let [width, height] = cells.map(|cells| side * length(cells));
    let notes = notes(frame, &drawing, names);
    let below = 3.0 * LINE + height + if columns.is_empty() { 0.0 } else { 0.6 * LINE };
    let under_cards = below + if cards.is_empty() { 0.0 } else { 5.0 * LINE };
    let widest = notes
        .iter()
        .map(|(_, text)| text.chars().count())
        .chain([title.chars().count()])
        .max()
        .unwrap_or(0);
    let all = [
        (width + 2.0 * MARGIN)
            .max(LETTER * length(widest.min(LONGEST)) + 3.0 * MARGIN)
            .max(110.0 * length(cards.len()) + MARGIN),
        under_cards + LINE * (length(notes.len()) + 0.5),
    ];
    let body = html! {
        g class="arena-replay" {
            text class="head" x=(MARGIN) y=(1.3 * LINE) { (shortened(title, LONGEST)) }
            g class="ar-svg" transform={ "translate(" (MARGIN) " " (2.0 * LINE) ")" } {
                (board(&drawing, side, names))
                @for (at, name) in columns.chars().enumerate() { text class="ar-coordinate" x=(place(side * (length(at) + 0.5))) y=(place(height + 15.0)) { (name) } }
                @for (at, name) in rows.chars().enumerate() { text class="ar-coordinate" x=(place(width + 12.0)) y=(place(side * (length(at) + 0.5) + 4.0)) { (name) } }
            }
            @for (at, (seat, name, steps)) in cards.iter().enumerate() {
                g class="ar-svg" transform={ "translate(" (place(MARGIN + 110.0 * length(at))) " " (place(below + 0.6 * LINE)) ")" } { (card(*seat, name, steps)) }
            }
            @for (at, (seat, line)) in notes.iter().enumerate() {
                @let y = under_cards + LINE * length(at);
                @if let Some(seat) = seat { circle class={ "ar-seat" (seat) } cx=(MARGIN + 6.0) cy=(place(y - 5.0)) r="6" {} }
                text x=(if seat.is_some() { 2.0 * MARGIN } else { MARGIN }) y=(place(y)) { (shortened(line, LONGEST)) }
            }
        }
    };
    svg_file(title, all, &style_of(&body), &body)
}

/// The colours, and of the page's rules those that speak of something that is there.
fn style_of(body: &Markup) -> String {
    let is_there = |selector: &str| {
        let mut classes = selector
            .split(['.', ' ', ':'])
            .filter(|class| class.starts_with("ar-"))
            .peekable();
        classes.peek().is_some() && classes.all(|class| body.0.contains(class))
    };
    let is_wanted = |line: &&str| {
        let rule = line
            .strip_prefix(".arena-replay")
            .and_then(|rule| rule.split_once('{'));
        rule.is_none_or(|(selectors, _)| selectors.split(',').any(is_there))
    };
    STYLE
        .lines()
        .filter(is_wanted)
        .map(|line| line.to_owned() + "\n")
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "drawings are small")]
fn length(count: usize) -> f64 {
    count as f64
}

/// The lines below a board: who plays, with what is counted of them, and what else is said.
fn notes(frame: &Frame, drawing: &Drawing, names: &[String]) -> Vec<(Option<Seat>, String)> {
    let bars = |of: Option<Seat>| {
        let of = drawing.bars.iter().filter(move |bar| bar.seat == of);
        of.map(|bar| {
            let most = bar
                .max
                .map_or_else(String::new, |most| format!(" of {}", most.shown()));
            format!("{} {}{most}", bar.name.as_str(), bar.value.shown())
        })
    };
    let cards = |of: Option<Seat>| {
        let of = drawing.cards.iter().filter(move |card| card.seat == of);
        of.map(|card| {
            [card.title.as_str(), card.text.as_str()]
                .join(" ")
                .trim()
                .to_owned()
        })
    };
    let with = |name: &str, of| {
        [name.to_owned()]
            .into_iter()
            .chain(bars(of))
            .chain(cards(of))
            .filter(|part| !part.is_empty())
    };
    let mut notes: Vec<(Option<Seat>, String)> = Vec::new();
    notes.extend((0..).zip(names).map(|(seat, name)| {
        (
            Some(seat),
            with(name, Some(seat)).collect::<Vec<_>>().join(", "),
        )
    }));
    notes.extend(with("", None).map(|line| (None, line)));
    notes.extend(
        drawing
            .text
            .iter()
            .map(|line| (None, line.as_str().to_owned())),
    );
    notes.extend(
        frame
            .reason
            .as_ref()
            .map(|reason| (None, reason.replace('_', " "))),
    );
    notes
}

/// Grid and tokens, by the classes that the page has for them.
fn board(drawing: &Drawing, side: f64, names: &[String]) -> Markup {
    let [columns, rows] = drawing.size();
    let [width, height] = [columns, rows].map(|cells| side * length(cells));
    let cells = drawing
        .grid
        .rows()
        .iter()
        .enumerate()
        .flat_map(|(y, row)| row.chars().enumerate().map(move |(x, c)| (x, y, c)));
    html! {
        rect class="ar-ground" width=(place(width)) height=(place(height)) {}
        @for (x, y, character) in cells { (cell([x, y].map(|at| side * length(at)), side, character, &drawing.legend)) }
        @if !drawing.grid.rows().is_empty() {
            path class="ar-lattice" d=((0..=rows).map(|y| format!("M0 {}h{}", place(side * length(y)), place(width))).chain((0..=columns).map(|x| format!("M{} 0v{}", place(side * length(x)), place(height)))).collect::<String>()) {}
        }
        @for one in &drawing.tokens { (token(one, side, names)) }
    }
}

fn cell([x, y]: [f64; 2], side: f64, character: char, legend: &BTreeMap<char, Look>) -> Markup {
    let look = legend.get(&character).cloned();
    let plain = || {
        if ['.', ' '].contains(&character) {
            String::new()
        } else {
            character.to_string()
        }
    };
    let text = look
        .as_ref()
        .map_or_else(plain, |look| look.text.as_str().to_owned());
    let Look { seat, colour, .. } = look.unwrap_or_default();
    html! {
        @if seat.is_some() || colour.is_some() {
            rect class={ "ar-cell " (ink(seat, colour)) } x=(place(x)) y=(place(y)) width=(place(side)) height=(place(side)) {}
        }
        (written("ar-inscription", [x + side / 2.0, y + side / 2.0], &text, 0.55 * side, 0.9 * side))
    }
}

/// Text round a point, as large as fits into a width.
fn written(class: &str, [x, y]: [f64; 2], text: &str, size: f64, width: f64) -> Markup {
    let size = size.min(1.6 * width / length(text.chars().count().max(1)));
    html! {
        @if !text.is_empty() {
            text class=(class) x=(place(x)) y=(place(y + 0.35 * size)) style={ "font-size:" (place(size)) "px" } { (text) }
        }
    }
}

fn ink(seat: Option<Seat>, colour: Option<Colour>) -> String {
    let colour = colour.and_then(|colour| {
        serde_json::to_value(colour)
            .ok()?
            .as_str()
            .map(|name| format!("ar-colour-{name}"))
    });
    seat.map(|seat| format!("ar-seat{seat}"))
        .or(colour)
        .unwrap_or_else(|| "ar-plain".to_owned())
}

fn token(token: &Token, side: f64, names: &[String]) -> Markup {
    let [x, y] = [token.x, token.y].map(|at| side * (at.shown() + 0.5));
    let r = side * token.size.map_or(0.8, Number::shown).max(0.0) / 2.0;
    let colour = ink(token.seat, token.colour);
    let [filled, outline] = [format!("{colour} ar-disc"), format!("{colour} ar-outline")];
    let path = |steps: [[f64; 2]; 4]| {
        steps
            .map(|[dx, dy]| format!("{} {}", place(x + r * dx), place(y + r * dy)))
            .join("L")
    };
    let label = token.label.as_str();
    let is_bare = matches!(token.shape, Shape::None | Shape::Ring | Shape::Cross);
    let text = match token.colour.filter(|_| token.seat.is_none()) {
        _ if is_bare => "ar-inscription",
        Some(Colour::Light | Colour::Grey | Colour::Yellow) => "ar-number ar-on-light",
        Some(_) => "ar-number ar-on-dark",
        None => "ar-number",
    };
    let name = token
        .seat
        .and_then(|seat| names.get(seat))
        .map_or("", String::as_str);
    html! {
        g {
            title { (name) " " (label) }
            @match token.shape {
                Shape::None => {}
                Shape::Square => rect class=(filled) x=(place(x - r)) y=(place(y - r)) width=(place(2.0 * r)) height=(place(2.0 * r)) rx=(place(r / 5.0)) {}
                Shape::Diamond => path class=(filled) d={ "M" (path([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])) "z" } {}
                Shape::Triangle => path class=(filled) d={ "M" (path([[0.0, -1.0], [1.0, 0.8], [-1.0, 0.8], [0.0, -1.0]])) "z" } {}
                Shape::Cross => path class=(outline) d={ "M" (path([[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [1.0, -1.0]])) "L" (place(x - r)) " " (place(y + r)) } {}
                Shape::Ring => circle class=(outline) cx=(place(x)) cy=(place(y)) r=(place(r)) {}
                Shape::Circle => circle class=(filled) cx=(place(x)) cy=(place(y)) r=(place(r)) {}
            }
            (written(text, [x, y], label, 1.2 * r, 1.5 * r))
        }
    }
}

/// A card: the squares that it leads to from the one in the middle.
fn card(seat: Option<Seat>, name: &str, steps: &[(i8, i8)]) -> Markup {
    let square = |(dx, dy): (i8, i8)| [f64::from(dx), -f64::from(dy)].map(|at| 15.0 * (at + 2.0));
    let places: Range<i8> = -2..3;
    html! {
        @if let Some(seat) = seat { circle class={ "ar-seat" (seat) } cx="6" cy="-4" r="5" {} }
        text class="ar-label" x=(if seat.is_some() { 16 } else { 0 }) y="0" { (name) }
        @for (dx, dy) in places.clone().flat_map(|dx| places.clone().map(move |dy| (dx, dy))) {
            @let [x, y] = square((dx, dy));
            rect class=(if steps.contains(&(dx, dy)) { "ar-seat2" } else if (dx, dy) == (0, 0) { "ar-card-own" } else { "ar-card-cell" }) x=(x) y=(y + 8.0) width="13" height="13" {}
        }
    }
}

/// From the vocabulary as it is written; what does not fit it draws nothing.
fn drawing(written: &Value) -> Drawing {
    Drawing::parse(&written.to_string()).unwrap_or_default()
}

/// Five empty rows, with those squares marked that were left and reached last.
fn marked(squares: &[(usize, usize)]) -> Vec<String> {
    let mark = |at: (usize, usize)| match squares.iter().position(|square| *square == at) {
        None => '.',
        Some(last) if last + 1 == squares.len() => 't',
        Some(_) => 'f',
    };
    (0..5)
        .map(|y| (0..5).map(|x| mark((x, y))).collect())
        .collect()
}

fn marks() -> Value {
    json!({"f": {"colour": "yellow"}, "t": {"colour": "green"}})
}

/// The pairs of characters of a move that name squares, as `place` reads them.
fn squares(
    last: Option<&str>,
    place: impl Fn(u8, u8) -> Option<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let bytes = last.unwrap_or_default().as_bytes();
    let pairs = bytes
        .windows(2)
        .enumerate()
        .filter_map(|(at, pair)| Some((at, place(pair[0], pair[1])?)));
    // Where two pairs share a character the first is meant.
    let mut found: Vec<(usize, (usize, usize))> = Vec::new();
    for (at, square) in pairs {
        if found.last().is_none_or(|(before, _)| at > before + 1) {
            found.push((at, square));
        }
    }
    found.into_iter().map(|(_, square)| square).collect()
}

fn of_shogi(picture: &shogi::Picture) -> Board {
    let digit = |c: u8| (b'1'..=b'5').contains(&c).then(|| usize::from(c - b'1'));
    let moved = squares(picture.last.as_deref(), |file, rank| {
        Some((4 - digit(file)?, digit(rank)?))
    });
    let mut tokens = Vec::new();
    for (y, row) in picture.board.to_string().lines().enumerate() {
        let mut x = 0;
        let mut promoted = "";
        for letter in row.chars() {
            if letter == '+' {
                promoted = "+";
                continue;
            }
            let seat = usize::from(letter.is_lowercase());
            let king = if seat == 0 { 'K' } else { 'k' };
            let is_attacked = picture.check && seat == picture.side && letter == king;
            let label = format!("{promoted}{}", letter.to_uppercase());
            if letter != '.' {
                tokens.push(json!({"x": x, "y": y, "seat": seat, "shape": "square", "size": 0.74, "label": label}));
            }
            tokens.extend(
                is_attacked.then(
                    || json!({"x": x, "y": y, "colour": "red", "shape": "ring", "size": 0.95}),
                ),
            );
            (x, promoted) = (x + 1, "");
        }
    }
    let hand = |seat: usize| {
        let pieces = picture.hands[seat].to_uppercase();
        json!({"seat": seat, "text": if pieces.is_empty() { "nothing in hand".to_owned() } else { format!("in hand: {pieces}") }})
    };
    let die: Vec<String> = picture
        .die
        .iter()
        .map(|die| format!("the die shows {die}"))
        .collect();
    Board {
        drawing: drawing(&json!({
            "grid": marked(&moved), "legend": marks(), "tokens": tokens, "cards": [hand(0), hand(1)], "text": die,
        })),
        columns: "54321",
        rows: "12345",
        ..Board::default()
    }
}

fn of_onitama(picture: &onitama::Picture, setting: &Setting) -> Board {
    let column = |c: u8| {
        (b'a'..=b'e')
            .contains(&c.to_ascii_lowercase())
            .then(|| usize::from(c.to_ascii_lowercase() - b'a'))
    };
    let row = |c: u8| (b'1'..=b'5').contains(&c).then(|| usize::from(b'5' - c));
    let moved = squares(picture.last.as_deref(), |letter, digit| {
        Some((column(letter)?, row(digit)?))
    });
    let mut tokens = Vec::new();
    for (y, line) in picture.board.iter().enumerate() {
        for (x, piece) in line.chars().enumerate().filter(|(_, piece)| *piece != '.') {
            let seat = usize::from(piece.eq_ignore_ascii_case(&'b'));
            let label = if piece.is_uppercase() { "M" } else { "" };
            tokens.push(json!({"x": x, "y": y, "seat": seat, "label": label}));
        }
    }
    let known = match setting {
        Setting::Onitama { cards } => &cards[..],
        _ => &[],
    };
    let hands = [0, 1].map(|seat| picture.hands[seat].map(|card| (Some(seat), card)));
    let cards = hands
        .into_iter()
        .flatten()
        .chain([(None, picture.centre)])
        .filter_map(|(seat, id)| {
            let card = known.iter().find(|card| card.id == id)?;
            // As its owner sees the board, which seat 1 sees from above.
            let sign = if seat.unwrap_or(picture.side) == 0 {
                1
            } else {
                -1
            };
            Some((
                seat,
                card.name.to_owned(),
                card.moves
                    .iter()
                    .map(|(dx, dy)| (sign * dx, sign * dy))
                    .collect(),
            ))
        });
    Board {
        drawing: drawing(&json!({"grid": marked(&moved), "legend": marks(), "tokens": tokens})),
        columns: "ABCDE",
        rows: "54321",
        cards: cards.collect(),
    }
}

fn of_kutulu(picture: &kutulu::Picture, setting: &Setting) -> Board {
    let map = match setting {
        Setting::Kutulu { map, .. } => &map[..],
        _ => &[],
    };
    let shelters = picture
        .effects
        .iter()
        .filter(|effect| effect.kind == "shelter");
    let shelters = shelters.filter_map(|effect| {
        Some(json!({"x": effect.at?.point().x, "y": effect.at?.point().y, "shape": "square", "colour": "green", "label": effect.energy?.to_string()}))
    });
    let minions = picture.minions.iter().map(|minion| {
        let (shape, colour) = match minion.kind {
            kutulu::Kind::Wanderer => ("diamond", "purple"),
            kutulu::Kind::Slasher => ("triangle", "red"),
        };
        json!({"x": minion.cell.point().x, "y": minion.cell.point().y, "shape": shape, "colour": colour, "size": 0.7})
    });
    let explorers = (0..).zip(&picture.explorers).map(|(seat, explorer): (Seat, _)| {
        let shape = if explorer.living { "circle" } else { "cross" };
        let size = if explorer.living { 0.8 } else { 0.4 };
        json!({"x": explorer.cell.point().x, "y": explorer.cell.point().y, "seat": seat, "shape": shape, "size": size, "label": if explorer.living { seat.to_string() } else { String::new() }})
    });
    let bars = (0..)
        .zip(&picture.explorers)
        .map(|(seat, explorer): (Seat, _)| json!({"seat": seat, "name": "sanity", "value": explorer.sanity}));
    let tokens: Vec<Value> = shelters.chain(minions).chain(explorers).collect();
    let legend = json!({"#": {"colour": "dark"}, "w": {"colour": "purple"}, "U": {"colour": "green"}, "S": {}});
    let said = ["diamond: wanderer, triangle: slasher, green square: shelter"];
    Board {
        drawing: drawing(&json!({
            "grid": map, "legend": legend, "tokens": tokens, "bars": bars.collect::<Vec<_>>(), "text": said,
        })),
        ..Board::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_games::{Games, Opening};

    /// Every game begins with a board of all its pieces, which is XML whatever players are called.
    #[test]
    fn all_games_are_drawn_and_names_are_text() {
        let names =
            ["<script>&\u{1}", "\"><svg onload=x>", "]]>", "\u{202e}"].map(ToOwned::to_owned);
        for spec in Games::standard().iter() {
            let game = spec
                .start(7, spec.default_seats(), &Opening::default())
                .unwrap();
            let names = &names[..spec.default_seats()];
            let svg = file("<title> & \u{0}", &game.frame(), &game.setting(), names);
            let read = roxmltree::Document::parse(&svg).unwrap();
            let count = |name: &str| {
                read.descendants()
                    .filter(|node| node.tag_name().name() == name)
                    .count()
            };
            assert_eq!([count("script"), count("image"), count("a")], [0, 0, 0]);
            assert!(
                count("title") > 4 && count("rect") > 2,
                "{}: {svg}",
                spec.id
            );
            assert!(
                !svg.contains("var(") && !svg.contains("light-dark") && !svg.contains("url("),
                "{svg}"
            );
            let texts: Vec<&str> = read.descendants().filter_map(|node| node.text()).collect();
            assert!(
                texts.iter().any(|text| text.starts_with(&names[1])),
                "{texts:?}"
            );
        }
    }

    #[test]
    fn squares_of_moves_are_found() {
        let shogi = |last: &str| {
            let digit = |c: u8| (b'1'..=b'5').contains(&c).then(|| usize::from(c - b'1'));
            squares(Some(last), |file, rank| Some((digit(file)?, digit(rank)?)))
        };
        assert_eq!(shogi("1415+"), [(0, 3), (0, 4)]);
        assert_eq!(shogi("P*23"), [(1, 2)]);
        assert_eq!(shogi(""), []);
    }
}
