//! What is shown of a list at its bounds.

use serde_json::json;

use super::*;
use crate::plan::StudyPlan;
use crate::results::StoredGame;
use crate::results::tests::plan;
use crate::standings::BotSummary;

/// Two bots have a line. A third one has no place in it.
#[test]
fn three_bots_have_a_table_and_pairings() {
    for (bots, is_table) in [(&["a", "b"][..], false), (&["a", "b", "c"], true)] {
        let played = |name: &&str| BotSummary {
            name: (*name).to_owned(),
            games: 1,
            ..BotSummary::default()
        };
        let game = Game {
            bots: bots.iter().map(played).collect(),
            ..Game::default()
        };
        assert_eq!(block(&game).table.is_some(), is_table);
        let mut plan = plan("minishogi", bots, "rotations", false);
        plan.design = None;
        assert_eq!(games_of_each(&plan).is_some(), is_table);
    }
}

#[test]
fn a_match_has_ended_at_its_maximum_of_games() {
    let (rule, bots) = (
        Stopping::new(Some(10.0), None),
        ["a", "b"].map(str::to_owned),
    );
    for (games, has_ended) in [(19, false), (20, true)] {
        let ended = precision::ended(&rule, &bots, games, 20);
        assert_eq!(ended.is_some(), has_ended, "{games}");
    }
}

#[test]
fn a_line_foretells_the_end_of_a_match_as_soon_as_it_may_come() {
    let mut game = crate::report::tests::report("x").summary.games.remove(0);
    game.bots.truncate(2);
    game.pairings.truncate(1);
    for waits in [true, false] {
        game.distinct_units = MIN_UNITS_FOR_CLAIM - u64::from(waits);
        let bots = ["a", "b"].map(str::to_owned);
        let left = precision::left(&Stopping::new(Some(10.0), None), &bots, &game, 400);
        assert_eq!(left.words.contains("at the earliest"), waits);
        assert_eq!(left.games.is_none(), waits);
    }
}

/// Two bots of a match with this precision, of which the first is dropped below 12.5%.
fn dropping(precision: Option<f64>) -> (ListStudy, Tally) {
    let mut plan = plan("minishogi", &["a", "b"], "rotations", false);
    plan.design = None;
    if let StudyPlan::List(list) = &mut plan.study {
        (list.precision, list.drop_below) = (precision, Some(12.5));
        list.games_per_pairing = 400;
    }
    let mut tally = Tally::default();
    let game = &plan.games[0];
    tally.expect(game.spec.as_ref().unwrap(), plan.unit(0), &game.bots);
    (ListStudy::new(&plan), tally)
}

/// Plays a unit, of which the first bot wins or loses both games.
fn play(study: &mut ListStudy, tally: &mut Tally, unit: u64, wins: bool) {
    for (at, bots) in [["a", "b"], ["b", "a"]].into_iter().enumerate() {
        let number = 2 * unit + at as u64;
        let score = if wins == (at == 0) { 1 } else { -1 };
        let record = json!({
            "number": number, "unit": unit, "seed": unit, "game": "minishogi", "bots": bots,
            "steps": [{"turn": 1, "player": 0, "output": number.to_string()}],
            "scores": [score, -score], "reason": "checkmate", "ms": [1.0],
        });
        let game = StoredGame::new(serde_json::from_value(record).unwrap()).unwrap();
        study.record(&game.result).unwrap();
        tally.add(&game, true).unwrap();
    }
}

/// Rows: the precision, what is said of it before the first game, how many of 15 units `a` wins,
/// and which end is near after them.
#[test]
fn a_match_that_may_be_dropped_says_so() {
    let dropped = "a is stronger than b with a likelihood below 12.5%";
    let near = &format!("ends once {dropped}");
    for (precision, within, won, end) in [
        (None, ",", 8, "ends once the interval excludes 0"),
        (None, ",", 5, near),
        (Some(100.0), " or is within ±100 Elo,", 8, "ends at ±100"),
        (Some(100.0), " or is within ±100 Elo,", 5, near),
    ] {
        let (mut study, mut tally) = dropping(precision);
        let question = study.introduction().question.join("\n");
        let interval = format!("once the interval at every look excludes 0{within}");
        assert!(question.contains(&interval), "{question}");
        let looks = "looked at after 20 units and then after every tenth";
        let rule = format!("\nalso {near}: {looks}");
        assert!(question.ends_with(&rule), "{question}");
        for unit in 0..15 {
            play(&mut study, &mut tally, unit, unit % 15 < won);
        }
        let line = &study.live(&tally).blocks[0].line;
        assert!(line.ends_with(end), "{line}");
        for unit in 15..20 {
            assert!(study.ended(30).is_none());
            play(&mut study, &mut tally, unit, false);
        }
        let ended = study.ended(40).map(|ended| ended.why);
        assert_eq!(ended.as_deref(), (won == 5).then_some(dropped));
    }
}
