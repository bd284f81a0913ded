use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Frame, Picture};

/// A drawing with every key.
fn example() -> Value {
    json!({
        "grid": ["..#", ".a.", "#.."],
        "legend": {"#": {"colour": "dark"}, "a": {"seat": 1, "text": "home"}},
        "tokens": [
            {"x": 0, "y": 2, "seat": 0},
            {"x": 1.25, "y": 0.4, "colour": "red", "shape": "diamond", "size": 0.5, "label": "12"},
        ],
        "cards": [{"seat": 0, "title": "Ox", "text": "two steps"}, {"title": "Deck"}],
        "bars": [{"seat": 1, "name": "food", "value": 2.5, "max": 10}, {"name": "round", "value": 3}],
        "text": ["night falls"],
    })
}

fn written(drawing: &Drawing) -> String {
    serde_json::to_string(drawing).unwrap()
}

#[test]
fn what_is_read_is_written_again() {
    let drawing = Drawing::parse(&example().to_string()).unwrap();
    assert_eq!(serde_json::to_value(&drawing).unwrap(), example());
    for (line, expected) in [
        ("{}", "{}"),
        (
            r#" {"later": [1, {"x": null}], "grid": ["x"], "seat": 1} "#,
            r#"{"grid":["x"]}"#,
        ),
        (
            r#"{"size":[16,9],"tokens":[{"x":1.23456,"y":-0.0001}]}"#,
            r#"{"size":[16,9],"tokens":[{"x":1.235,"y":0}]}"#,
        ),
        (r#"{"text":["a\nb\u001b[2Jc"]}"#, r#"{"text":["a b [2Jc"]}"#),
        (r#"{"grid":["a\tb"]}"#, r#"{"grid":["a b"]}"#),
    ] {
        assert_eq!(written(&Drawing::parse(line).unwrap()), expected, "{line}");
    }
}

/// A bot may have written it.
#[test]
fn long_text_is_cut() {
    let card = json!({"cards": [{"title": "é".repeat(41), "text": "é".repeat(200)}]});
    let drawing = Drawing::parse(&card.to_string()).unwrap();
    assert_eq!(drawing.cards[0].title.0, "é".repeat(39) + "…");
    assert_eq!(drawing.cards[0].text.0, "é".repeat(200));
}

/// Lines that are no drawings, and the beginning of what is said about each.
const WRONG: &str = r##"
    => expected a JSON object, for instance {"grid":["X.",".O"]}
[] => expected a JSON object
{ => EOF while parsing an object at line 1 column 1
{} {} => trailing characters at line 1 column 4
{"grid":"x"} => grid: invalid type: string "x", expected a sequence
{"grid":["ab","a"]} => grid: row 1 has 1 characters: expected 2, as many as row 0
{"grid":[""]} => grid: its rows have 0 characters: expected 1 to 100
{"size":[0,4]} => size: expected columns and rows, each 1 to 100
{"size":[101,4]} => size: expected columns and rows, each 1 to 100
{"legend":{"ab":{}}} => legend.ab: invalid value: string "ab", expected a character
{"legend":{"#":{"colour":"mauve"}}} => legend.#.colour: unknown variant `mauve`, expected one of `light`
{"size":[9,9],"tokens":[{"x":1}]} => tokens[0]: missing field `y`
{"size":[9,9],"tokens":[{"x":1,"y":2e6}]} => tokens[0].y: 2000000 is too large: expected -1000000 to 1000000
{"size":[9,9],"tokens":[{"x":1,"y":1e999}]} => tokens[0].y: number out of range
{"size":[9,9],"tokens":[{"x":1,"y":1,"seat":8}]} => tokens[0].seat: seat 8: expected 0 to 7
{"size":[9,9],"tokens":[{"x":1,"y":1,"seat":-1}]} => tokens[0].seat: invalid value: integer `-1`
{"size":[9,9],"tokens":[{"x":1,"y":1,"shape":"star"}]} => tokens[0].shape: unknown variant `star`
{"tokens":[{"x":1,"y":1}]} => tokens: expected a grid or a size beside them, for instance "size":[8,8]
{"bars":[{"name":"food"}]} => bars[0]: missing field `value`
{"text":"night"} => text: invalid type: string "night", expected a sequence
"##;

fn is_refused(line: &str, expected: &str) {
    let found = Drawing::parse(line).unwrap_err().0;
    assert!(
        found.starts_with(expected),
        "{line}\nfound    {found}\nexpected {expected}"
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for case in WRONG.trim_matches('\n').lines() {
        let (line, expected) = case.split_once("=> ").unwrap();
        is_refused(line.trim(), expected);
    }
    is_refused("", "expected a JSON object, for instance");
}

#[test]
fn what_is_too_much_is_told_with_its_place() {
    let looks: serde_json::Map<_, _> = ('一'..)
        .take(129)
        .map(|c| (c.to_string(), json!({})))
        .collect();
    for (drawing, expected) in [
        (
            json!({"grid": vec!["x"; 101]}),
            "grid: it has 101 rows: expected at most 100",
        ),
        (
            json!({"grid": ["x".repeat(101)]}),
            "grid: its rows have 101 characters: expected 1 to 100",
        ),
        (
            json!({"legend": looks}),
            "legend: it has 129 entries: expected at most 128",
        ),
        (
            json!({"later": "x".repeat(LONGEST)}),
            "it has 65548 bytes: expected at most 65536",
        ),
    ] {
        is_refused(&drawing.to_string(), expected);
    }
}

#[test]
fn a_drawing_has_as_many_parts_as_the_document_says() {
    let document = include_str!("../../../../docs/how-to/referees.md");
    for key in ["tokens", "cards", "bars", "text"] {
        let mut rows = document.lines();
        let row = rows.find(|row| row.starts_with(&format!("| `{key}` |")));
        let most = row.unwrap().rsplit(' ').nth(1).unwrap().replace(',', "");
        let most: usize = most.parse().unwrap();
        let part = json!({"x": 0, "y": 0, "value": 0});
        let part = if key == "text" { json!("") } else { part };
        let line = |count| json!({"size": [9, 9], key: vec![&part; count]}).to_string();
        assert!(Drawing::parse(&line(most)).is_ok(), "{key}");
        let expected = format!(
            "{key}: it has {} entries: expected at most {most}",
            most + 1
        );
        is_refused(&line(most + 1), &expected);
    }
}

#[test]
fn a_drawing_as_text() {
    let show = |drawing: Value| {
        let picture = Picture::Drawing(Drawing::parse(&drawing.to_string()).unwrap());
        let frame = Frame {
            turn: 1,
            due: vec![0],
            scores: vec![0, 0],
            reason: None,
            picture,
        };
        frame.text(&["mine".to_owned(), "theirs".to_owned()])
    };
    insta::assert_snapshot!(show(example()), @"
       . 1 #   1  theirs  food 2.5/10
       . a .   round 3
       0 . .

      0  mine  [Ox: two steps]
      [Deck]
      night falls
    ");
    let outside = json!([{"x": 2.4, "y": 0.6, "shape": "cross"}, {"x": 2.5, "y": 0}, {"x": -1, "y": 0}, {"x": 2, "y": 1, "shape": "ring", "seat": 0}]);
    assert_eq!(
        show(json!({"size": [3, 2], "tokens": outside})),
        "   . . .\n   . . x\n"
    );
    assert_eq!(show(json!({})), "");
}

/// Any JSON, with the keys and words that mean something.
fn any_json() -> impl Strategy<Value = Value> {
    let words = [
        "grid", "legend", "size", "tokens", "cards", "bars", "text", "seat", "colour", "shape",
        "label", "x", "y", "value", "max", "title", "name", "red", "ring", "#", "", "a\u{7}é",
    ];
    let word = proptest::sample::select(words.to_vec());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..200_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((word.clone(), inner), 0..8).prop_map(|pairs| pairs
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

/// A drawing, often a right one.
fn any_drawing() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        (-2..12_i32).prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        (0.0..10.0_f64).prop_map(Value::from)
    ];
    let token = (number.clone(), number, 0..9_usize, ".{0,14}").prop_map(
        |(x, y, seat, label)| json!({"x": x, "y": y, "seat": seat.min(7), "label": label}),
    );
    (vec("[.#a]{4}", 0..5), vec(token, 0..6), vec(".{0,300}", 0..3), any_json()).prop_map(|(grid, tokens, text, other)| {
        json!({"grid": grid, "tokens": tokens, "text": text, "size": [4, 4], "later": other})
    })
}

proptest! {
    #[test]
    fn no_line_makes_it_panic(line in "(?s).{0,200}", json in any_json(), cut in 0..200_usize) {
        let _ = Drawing::parse(&line);
        let json = json.to_string();
        let _ = Drawing::parse(&json);
        let _ = Drawing::parse(json.get(..cut).unwrap_or(&json));
    }

    #[test]
    fn a_drawing_is_written_as_it_was_read(json in prop_oneof![any_drawing(), any_json()]) {
        if let Ok(drawing) = Drawing::parse(&json.to_string()) {
            let again = Drawing::parse(&written(&drawing));
            prop_assert_eq!(again.as_ref(), Ok(&drawing));
            drawing.text(&[]);
        }
    }

    #[test]
    fn most_drawings_can_be_read(json in any_drawing()) {
        prop_assert!(Drawing::parse(&json.to_string()).is_ok());
    }
}
