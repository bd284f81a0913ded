//! What is shown of a list at its bounds.

use super::*;
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
    for (games, has_ended) in [(19, false), (20, true)] {
        let ended = precision::ended(&Stopping::new(10.0), games, 20);
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
        let left = precision::left(&Stopping::new(10.0), &game, 400);
        assert_eq!(left.words.contains("at the earliest"), waits);
        assert_eq!(left.share > 0.0, !waits);
    }
}
