//! docs/reference/games.md: answers are read as its tables say, and its numbers are the referees'.

use std::fs;

use arena_games::kutulu::{
    COMPANY_RANGE, LAST_LOSS, LAST_TURN, LIGHT_TURNS, LIGHTS, MAX_SANITY, PLAN_HEAL, PLAN_RADIUS,
    PLAN_TURNS, PLANS, SHELTER_ENERGY, SHELTER_HEAL, SHELTER_PERIOD, SLASHER_SANITY,
    SLASHER_SPAWN_TURNS, SPOOK, STALK_TURNS, STUN_TURNS, WANDERER_PERIOD, YELL_TURNS,
};
use arena_games::{Fate, Games, Opening, Reason};
use serde_json::Value;
use strum::VariantArray as _;

use super::examples::{ground, text};

const DOCUMENT: &str = "docs/reference/games.md";

/// The part of the document about a game.
fn section<'a>(document: &'a str, title: &str) -> &'a str {
    let from = document
        .split_once(&format!("\n## {title}\n"))
        .unwrap_or_else(|| panic!("{title} is missing"))
        .1;
    from.split("\n## ").next().unwrap()
}

/// The answers in a section, and whether arena accepts them.
fn answers(section: &str) -> Vec<(&str, bool)> {
    let mut answers = Vec::new();
    for line in section.lines() {
        if let Some((answer, rest)) = line
            .strip_prefix("| `")
            .and_then(|line| line.split_once("` | "))
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
        let records = fs::read_to_string(
            ground
                .path()
                .join(format!("results/{}/records.jsonl", spec.id)),
        )
        .unwrap();
        let record: Value = serde_json::from_str(records.lines().next().unwrap()).unwrap();
        // A large seed is text.
        let seed = record["seed"]
            .as_i64()
            .or_else(|| record["seed"].as_str()?.parse().ok())
            .unwrap();
        let answers = answers(section(&document, &spec.title));
        assert!(
            answers.iter().any(|answer| answer.1) && answers.iter().any(|answer| !answer.1),
            "{}",
            spec.id
        );
        for (answer, is_read) in answers {
            let mut game = spec
                .start(seed, spec.default_seats(), &Opening::default())
                .unwrap();
            game.advance(&[
                Some(Ok(answer)),
                Some(Ok("WAIT")),
                Some(Ok("WAIT")),
                Some(Ok("WAIT")),
            ]);
            let fate = if is_read {
                Fate::Ok
            } else {
                Fate::InvalidAction
            };
            assert_eq!(game.standings()[0].fate, fate, "{}: `{answer}`", spec.id);
        }
    }
}

#[test]
fn every_reason_is_told_of() {
    let document = text(DOCUMENT);
    let told: Vec<&str> = document
        .split_once("### How games end\n")
        .unwrap()
        .1
        .split("\n## ")
        .next()
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(reason, _)| reason)
        .collect();
    let reasons: Vec<String> = Reason::VARIANTS.iter().map(ToString::to_string).collect();
    let (mut told, mut reasons): (Vec<String>, _) =
        (told.into_iter().map(str::to_owned).collect(), reasons);
    told.sort();
    reasons.sort();
    assert_eq!(told, reasons);
}

#[test]
fn the_numbers_of_kutulu_are_the_referees() {
    let document = text(DOCUMENT);
    let table = section(&document, "Code of Kutulu")
        .split_once("| number | of | value |\n|---|---|---|\n")
        .unwrap()
        .1;
    let values: Vec<&str> = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split(" | ").nth(2).unwrap())
        .collect();
    let numbers: Vec<u32> = values
        .iter()
        .flat_map(|value| value.trim_end_matches(" |").split(", "))
        .map(|n| n.parse().unwrap())
        .collect();
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
