//! What is read from the referee is what the referee meant, and nothing that is sent makes a bot panic.

use arena::games::shogi::Move;
use arena::games::{Options, dice_shogi, minishogi};
use proptest::prelude::*;
use sample_bots::bot::talk;
use sample_bots::greedy::Greedy;
use sample_bots::protocol::{Game, PromptError, Reader};

const FIRST: &str = "0\n5\nrbsgk\n....p\n.....\nP....\nKGSBR\n-\n-\nnone\n2\n2543\n5453\n";
const DICE: &str = "1\n5\nrbsgk\nB...p\n.....\nP....\nKGS.R\n-\n-\n4\n2552\n1\n3142\n";

/// The message that ends the reading of `input`.
fn ending(game: Game, input: &str) -> String {
    let mut reader = Reader::new(game, input.as_bytes());
    loop {
        if let Err(error) = reader.turn() {
            return error.to_string();
        }
    }
}

#[test]
fn a_prompt_is_read() {
    let later = "+P..+Sb\n..g..\n.ksp.\nR.b..\nK....\nGR\n-\n1234+\n1\nG*14\n";
    let input = format!("{FIRST}{later}");
    let mut reader = Reader::new(Game::MiniShogi, input.as_bytes());
    let turn = reader.turn().unwrap();
    assert_eq!(turn.position, arena::games::shogi::Position::start());
    assert_eq!((turn.die, turn.last), (None, None));
    assert_eq!(turn.moves, ["2543", "5453"].map(|text| text.parse::<Move>().unwrap()));
    let turn = reader.turn().unwrap();
    assert_eq!(turn.position.to_string(), "+P2+Sb/2g2/1ksp1/R1b2/K4 b GR 1");
    assert_eq!(turn.last.unwrap().to_string(), "1234+");
    assert!(matches!(reader.turn(), Err(PromptError::End)));

    let turn = Reader::new(Game::DiceShogi, DICE.as_bytes()).turn().unwrap();
    assert_eq!(turn.position.to_string(), "rbsgk/B3p/5/P4/KGS1R w - 1");
    assert_eq!((turn.die, turn.moves.len()), (Some(4), 1));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let end = "read the prompt: the input ended";
    for (old, new, expected) in [
        ("0\n5", "2\n5", "read line 1 of the input: expected the player, 0 or 1, found `2`"),
        ("0\n5", "0\n6", "read line 2 of the input: expected the size of the board, 5, found `6`"),
        ("none", "nothing", "read line 10 of the input: expected the last move or `none`, found `nothing`"),
        ("none\n2", "none\n0", "read line 11 of the input: expected the number of moves, at least 1, found `0`"),
        ("none\n2", "none\n-1", "read line 11 of the input: expected the number of moves, at least 1, found `-1`"),
        ("2543", "2533", "read line 12 of the input: expected a legal move, found `2533`"),
        ("5453", "x", "read line 13 of the input: expected a legal move, found `x`"),
        ("none\n2", "none\n99999999999", end),
        ("", "", end),
    ] {
        assert_eq!(ending(Game::MiniShogi, &FIRST.replacen(old, new, 1)), expected);
    }
    let position = ending(Game::MiniShogi, &FIRST.replace("....p", "...p"));
    assert!(position.starts_with("read the position above line 10 of the input: "), "{position}");
    let die = ending(Game::DiceShogi, &DICE.replace("\n4\n", "\n7\n"));
    assert_eq!(die, "read line 10 of the input: expected a die from 1 to 6, found `7`");
}

/// Prompts with some lines replaced, left out or repeated.
fn damaged(prompt: &'static str) -> impl Strategy<Value = String> {
    let lines: Vec<&str> = prompt.lines().collect();
    let junk = prop_oneof!["[-+*.KGSBRPkgsbrp0-9 ]{0,8}", Just("99".to_owned()), any::<String>()];
    (Just(lines), prop::collection::vec((any::<prop::sample::Index>(), junk), 0..4)).prop_map(|(lines, changes)| {
        let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
        for (index, junk) in changes {
            let index = index.index(lines.len());
            lines[index] = junk;
        }
        lines.join("\n") + "\n"
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_bot_panic(
        input in prop_oneof![any::<String>(), damaged(FIRST), damaged(DICE), "([01]\n5\n)?([-+.KGSBRPkgsbrp1-5*]{1,6}\n){0,20}"],
        dice in any::<bool>(),
    ) {
        let game = if dice { Game::DiceShogi } else { Game::MiniShogi };
        let mut output = Vec::new();
        talk(game, &mut Greedy::new(game, 1), input.as_bytes(), &mut output);
        prop_assert!(output.is_ascii());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// The referee's own prompts, over a whole game of random moves.
    #[test]
    fn every_prompt_of_the_referees_is_read(seed in any::<i64>(), dice in any::<bool>()) {
        let (game, spec) = if dice { (Game::DiceShogi, &dice_shogi::SPEC) } else { (Game::MiniShogi, &minishogi::SPEC) };
        let mut running = (spec.start)(seed, &Options::default()).unwrap();
        let mut inputs = [String::new(), String::new()];
        let mut turns = [0, 0];
        while let Some(seat) = running.due().iter().next() {
            running.prompt(seat, &mut inputs[seat]);
            turns[seat] += 1;
            let mut replies = [None; arena::games::MAX_SEATS];
            replies[seat] = Some(Ok("random"));
            running.advance(&replies);
        }
        for (input, count) in inputs.iter().zip(turns) {
            let mut reader = Reader::new(game, input.as_bytes());
            for _ in 0..count {
                reader.turn().unwrap();
            }
            prop_assert!(matches!(reader.turn(), Err(PromptError::End)));
        }
    }
}
