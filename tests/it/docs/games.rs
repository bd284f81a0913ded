//! docs/reference/games.md: answers are read as its tables say, and its numbers are the referees'.

use arena_games::kutulu::{
    COMPANY_RANGE, LAST_LOSS, LAST_TURN, LIGHT_TURNS, LIGHTS, MAX_SANITY, PLAN_HEAL, PLAN_RADIUS,
    PLAN_TURNS, PLANS, SHELTER_ENERGY, SHELTER_HEAL, SHELTER_PERIOD, SLASHER_SANITY,
    SLASHER_SPAWN_TURNS, SPOOK, STALK_TURNS, STUN_TURNS, WANDERER_PERIOD, YELL_TURNS,
};
use arena_games::{Fate, Games, Opening, Reason};
use serde_json::Value;
use strum::VariantArray as _;

use super::examples::{ground, text};
use crate::programs::records;

const DOCUMENT: &str = "docs/reference/games.md";

/// The part of the document about a game.
fn section<'a>(document: &'a str, title: &str) -> &'a str {
    let start = format!("\n## {title}\n");
    let (_, from) = document.split_once(&start).expect(title);
    from.split("\n## ").next().unwrap()
}

/// The answers in a section, and whether arena accepts them.
fn answers(section: &str) -> Vec<(&str, bool)> {
    let (_, example) = section.split_once("A first prompt; `").unwrap();
    let mut answers = vec![(example.split('`').next().unwrap(), true)];
    for line in section.lines() {
        if let Some(line) = line.strip_prefix("| `")
            && let Some((answer, rest)) = line.split_once("` | ")
        {
            match rest.split(" |").next() {
                Some("read") => answers.push((answer, true)),
                Some("refused") => answers.push((answer, false)),
                _ => {}
            }
        }
    }
    answers
}

#[test]
fn answers_are_read_as_it_is_said() {
    let document = text(DOCUMENT);
    let ground = ground(DOCUMENT);
    for spec in Games::standard().iter() {
        let run = ground.path().join("results").join(&spec.id);
        let record = &records(&run, "records.jsonl")[0];
        // A large seed is text.
        let seed = match &record["seed"] {
            Value::String(seed) => seed.parse().unwrap(),
            seed => seed.as_i64().unwrap(),
        };
        let answers = answers(section(&document, &spec.title));
        for is_read in [true, false] {
            assert!(
                answers.iter().any(|answer| answer.1 == is_read),
                "{}",
                spec.id
            );
        }
        for (answer, is_read) in answers {
            let opening = Opening::default();
            let game = spec.start(seed, spec.default_seats(), &opening);
            let mut game = game.unwrap();
            let wait = Some(Ok("WAIT"));
            game.advance(&[Some(Ok(answer)), wait, wait, wait]);
            let expected = [Fate::InvalidAction, Fate::Ok][usize::from(is_read)];
            assert_eq!(
                game.standings()[0].fate,
                expected,
                "{}: `{answer}`",
                spec.id
            );
        }
    }
}

#[test]
fn every_reason_is_told_of() {
    let document = text(DOCUMENT);
    let (_, from) = document.split_once("### How games end\n").unwrap();
    let mut told = Vec::new();
    for line in from.split("\n## ").next().unwrap().lines() {
        if let Some(row) = line.strip_prefix("| `") {
            told.push(row.split('`').next().unwrap().to_owned());
        }
    }
    let mut reasons: Vec<String> = Reason::VARIANTS.iter().map(ToString::to_string).collect();
    told.sort();
    told.dedup();
    reasons.sort();
    assert_eq!(told, reasons);
}

#[test]
fn the_numbers_of_kutulu_are_the_referees() {
    let document = text(DOCUMENT);
    let section = section(&document, "Code of Kutulu");
    let (_, table) = section
        .split_once("| number | of | value |\n|---|---|---|\n")
        .unwrap();
    let mut numbers: Vec<u32> = Vec::new();
    for row in table.lines().take_while(|line| line.starts_with('|')) {
        let values = row.split(" | ").nth(2).unwrap().trim_end_matches(" |");
        numbers.extend(values.split(", ").map(|n| n.parse::<u32>().unwrap()));
    }
    let referees = [
        LAST_TURN + 1,
        MAX_SANITY,
        PLANS,
        LIGHTS,
        COMPANY_RANGE,
        PLAN_TURNS,
        PLAN_RADIUS,
        PLAN_HEAL,
        LIGHT_TURNS,
        YELL_TURNS,
        WANDERER_PERIOD,
        SPOOK,
        SLASHER_SANITY,
        SLASHER_SPAWN_TURNS,
        STALK_TURNS,
        STUN_TURNS,
        SHELTER_PERIOD,
        SHELTER_ENERGY,
        SHELTER_HEAL,
        LAST_LOSS,
    ];
    assert_eq!(numbers, referees);
}
