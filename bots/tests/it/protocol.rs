//! Bots read what the referee sent, and no input makes a bot panic.

use arena_games::kutulu::{Maps, SEATS};
use arena_games::rng::{SplitMix64, choose};
use arena_games::shogi::{Color, Move};
use arena_games::{Game as _, GameSpec, Opening, dice_shogi, kutulu, minishogi, onitama};
use proptest::prelude::*;
use sample_bots::bot::{Bot as _, talk};
use sample_bots::kutulu::lookahead::Layers;
use sample_bots::kutulu::{self as kut, Kutulu};
use sample_bots::onitama::{self as oni, Onitama};
use sample_bots::protocol::{PromptError, Protocol, Reader};
use sample_bots::random::Random;
use sample_bots::search::{Limits, Search};
use sample_bots::shogi::Game;
use sample_bots::shogi::greedy::Greedy;

const FIRST: &str = "0\n5\nrbsgk\n....p\n.....\nP....\nKGSBR\n-\n-\nnone\n2\n2543\n5453\n";
const DICE: &str = "1\n5\nrbsgk\nB...p\n.....\nP....\nKGS.R\n-\n-\n4\n2552\n1\n3142\n";

const ONITAMA: &str = "1\nbbBbb\n.....\n.....\n...W.\nww.ww\n0 6 -2 0 0 1 2 0 0 0\n0 9 -1 -1 1 1 2 0 0 0\n\
    1 0 1 -1 1 1 -1 0 0 0\n1 12 1 -1 1 0 -1 0 -1 1\n-1 8 1 0 -1 -1 -1 1 0 0\n2\n0 A5B4\n12 D5E4\n";

const KUTULU: &str = "7\n4\n#######\n#...w.#\n#.U#..#\n#######\n6 1 3 40\n4\nEXPLORER 2 1 1 120 1 3\n\
    EXPLORER 0 2 1 90 2 1\nWANDERER 4 4 1 12 1 1\nEFFECT_LIGHT -1 2 1 1 0 -1\n";

/// The message that ends the reading of `input`.
fn ending(game: impl Protocol, input: &str) -> String {
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
    assert_eq!(turn.position, arena_games::shogi::Position::start());
    assert_eq!((turn.die, turn.last), (None, None));
    assert_eq!(
        turn.moves,
        ["2543", "5453"].map(|text| Move::parse(text, Color::Black).unwrap())
    );
    let turn = reader.turn().unwrap();
    assert_eq!(turn.position.to_string(), "+P2+Sb/2g2/1ksp1/R1b2/K4 b GR 1");
    assert_eq!(turn.last.unwrap().to_string(), "1234+");
    assert!(matches!(reader.turn(), Err(PromptError::End)));

    let turn = Reader::new(Game::DiceShogi, DICE.as_bytes())
        .turn()
        .unwrap();
    assert_eq!(turn.position.to_string(), "rbsgk/B3p/5/P4/KGS1R w - 1");
    assert_eq!((turn.die, turn.moves.len()), (Some(4), 1));
}

#[test]
fn onitama_tells_the_player_only_once() {
    let later = &ONITAMA[2..];
    let input = format!("{ONITAMA}{later}");
    let mut reader = Reader::new(Onitama, input.as_bytes());
    for _ in 0..2 {
        let turn = reader.turn().unwrap();
        assert_eq!(
            turn.position,
            onitama::Position::deal(1).after(onitama::Action::parse("8 C1D2").unwrap())
        );
        assert_eq!(
            turn.actions,
            ["0 A5B4", "12 D5E4"].map(|text| onitama::Action::parse(text).unwrap())
        );
    }
    assert!(matches!(reader.turn(), Err(PromptError::End)));
}

#[test]
fn kutulu_tells_the_maze_once_and_what_can_be_done_never() {
    let later = "2\nEXPLORER 2 2 1 119 1 3\nEXPLORER 0 2 1 89 2 1\n";
    let last = "3\nEXPLORER 2 2 1 118 0 3\nEXPLORER 0 2 1 88 2 1\nEFFECT_YELL -1 -1 -1 1 0 2\n";
    let input = format!("{KUTULU}{later}{last}");
    let mut reader = Reader::new(Kutulu, input.as_bytes());
    for expected in [
        // A wanderer is on its way, so that light is of use.
        "WAIT, MOVE 2 1, MOVE 1 2, PLAN, LIGHT, YELL",
        "WAIT, MOVE 3 1, MOVE 2 2, MOVE 1 1, PLAN, YELL",
        "WAIT",
    ] {
        let turn = reader.turn().unwrap();
        assert_eq!(turn.position.seat, 2);
        let actions: Vec<String> = turn.actions.iter().map(ToString::to_string).collect();
        assert_eq!(actions.join(", "), expected);
    }
    assert!(matches!(reader.turn(), Err(PromptError::End)));
}

/// Checks rows of a text of the prompt, what replaces it, and what the bot says of it. `\n` is the
/// end of a line.
fn check(game: impl Protocol + Copy, prompt: &str, rows: &str) {
    for row in rows.trim().lines() {
        let [old, new, expected] = row.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("expected three columns: {row}");
        };
        let [old, new] = [old, new].map(|text| text.replace("\\n", "\n"));
        let said = ending(game, &prompt.replacen(&old, &new, 1));
        assert_eq!(said, expected, "{row}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    check(
        Game::MiniShogi,
        FIRST,
        r"
        0\n5 | 2\n5 | read line 1 of the input: expected the player, 0 or 1, found `2`
        0\n5 | 0\n6 | read line 2 of the input: expected the size of the board, 5, found `6`
        none | nothing | read line 10 of the input: expected the last move or `none`, found `nothing`
        none\n2 | none\n0 | read line 11 of the input: expected the number of moves, at least 1, found `0`
        none\n2 | none\n-1 | read line 11 of the input: expected the number of moves, at least 1, found `-1`
        2543 | 2533 | read line 12 of the input: expected a legal move, found `2533`
        5453 | x | read line 13 of the input: expected a legal move, found `x`
        none\n2 | none\n99999999999 | read the prompt: the input ended
         |  | read the prompt: the input ended
        ",
    );
    check(
        Onitama,
        ONITAMA,
        r"
        1\n | x\n | read line 1 of the input: expected the player, 0 or 1, found `x`
        1\n | 01\n | read line 1 of the input: expected the player, 0 or 1, found `01`
        1\n | 0\n | read the position above line 12 of the input: expected a centre card printed for white, found one printed for black
        ...W. | ...w. | read the position above line 12 of the input: can't accept the board: expected 1 master and at most 5 pieces of white, found 0 and 5
        \n2\n | \n0\n | read line 12 of the input: expected the number of moves, at least 1, found `0`
        12 D5E4 | 12 PASS | read line 14 of the input: expected a legal action, found `12 PASS`
        12 D5E4\n |  | read the prompt: the input ended
        ",
    );
    check(
        Kutulu,
        KUTULU,
        r"
        7\n | seven\n | read line 1 of the input: expected the width of the map, found `seven`
        6 1 3 | 6 1 | read line 7 of the input: expected the four constants of the game, found `6 1 40`
        EXPLORER 0 2 | EXPLORER 0 3 | read the prompt: the input ended
        EXPLORER 0 2 1 | EXPLORER 0 0 0 | read line 10 of the input: expected an entity: its type and six numbers that fit the map and the players, found `EXPLORER 0 0 0 90 2 1`
        WANDERER | WONDERER | read line 11 of the input: expected an entity: its type and six numbers that fit the map and the players, found `WONDERER 4 4 1 12 1 1`
        40\n4\n | 40\n0\n | read the position above line 9 of the input: find the own explorer: there is none
        -1 2 1 1 0 -1\n | -1 2 1 1 0 -1 | read the prompt: the input ended
        EFFECT_LIGHT -1 2 1 1 0 -1\n |  | read the prompt: the input ended
        ",
    );
    let die = ending(Game::DiceShogi, &DICE.replace("\n4\n", "\n7\n"));
    assert_eq!(
        die,
        "read line 10 of the input: expected a die from 1 to 6, found `7`"
    );
    let position = ending(Game::MiniShogi, &FIRST.replace("....p", "...p"));
    assert!(
        position.starts_with("read the position above line 10 of the input: "),
        "{position}"
    );
    let map = ending(Kutulu, &KUTULU.replace("#...w.#", "#...w.##"));
    assert!(
        map.starts_with(
            "read the position above line 7 of the input: can't read the map: row 2 ends"
        ),
        "{map}"
    );
}

/// Prompts with some lines replaced, left out or repeated.
fn damaged(prompt: &'static str) -> impl Strategy<Value = String> {
    let lines: Vec<&str> = prompt.lines().collect();
    let junk = prop_oneof![
        "[-+*.KGSBRPkgsbrp0-9 ]{0,8}",
        "(EXPLORER|WANDERER|SLASHER|EFFECT_(PLAN|YELL|SHELTER)) [0-3] [1-5] [12] [0-9]{1,10} [0-4] [0-3]",
        "[-.WwBb0-9 A-E]{1,8}",
        Just("99".to_owned()),
        any::<String>()
    ];
    (
        Just(lines),
        prop::collection::vec((any::<prop::sample::Index>(), junk), 0..4),
    )
        .prop_map(|(lines, changes)| {
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
        input in prop_oneof![any::<String>(), damaged(FIRST), damaged(DICE), damaged(ONITAMA), damaged(KUTULU), "([01]\n5\n)?([-+.KGSBRPkgsbrp1-5*]{1,6}\n){0,20}"],
        dice in any::<bool>(),
    ) {
        let game = if dice { Game::DiceShogi } else { Game::MiniShogi };
        let mut output = Vec::new();
        talk(game, &mut Greedy::new(game, 1), input.as_bytes(), &mut output);
        talk(Onitama, &mut oni::greedy::Greedy::new(1), input.as_bytes(), &mut output);
        talk(Kutulu, &mut kut::greedy::Greedy::new(1), input.as_bytes(), &mut output);
        let limits = Limits { depth: 2, time: None };
        let search = Layers::new(kut::evaluation::Weights::default());
        talk(Kutulu, &mut Search::new(search, limits, 0, 1), input.as_bytes(), &mut output);
        prop_assert!(output.is_ascii());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_prompt_of_the_referees_is_read(seed in any::<i64>()) {
        reads_all(Game::MiniShogi, &minishogi::spec(), seed);
        reads_all(Game::DiceShogi, &dice_shogi::spec(), seed);
        reads_all(Onitama, &onitama::spec(), seed);
        reads_all_of_kutulu(seed);
    }
}

/// The referee's own prompts, over a whole game of random moves.
fn reads_all(game: impl Protocol + Copy, spec: &GameSpec, seed: i64) {
    let mut running = spec.start(seed, 2, &Opening::default()).unwrap();
    let mut rng = SplitMix64::new(seed.cast_unsigned());
    let mut inputs = [String::new(), String::new()];
    let mut turns = [0, 0];
    while let Some(seat) = running.due().iter().next() {
        let before = inputs[seat].len();
        running.prompt(seat, &mut inputs[seat]);
        turns[seat] += 1;
        // The offered actions are at the end, after their number.
        let mut lines: Vec<&str> = inputs[seat][before..].lines().collect();
        let offered = (1..lines.len())
            .rfind(|&at| lines[at - 1] == (lines.len() - at).to_string())
            .unwrap();
        let action = *choose(&lines.split_off(offered), &mut rng).unwrap();
        let mut replies = [None; 2];
        replies[seat] = Some(Ok(action));
        running.advance(&replies);
    }
    for (input, count) in inputs.iter().zip(turns) {
        let mut reader = Reader::new(game, input.as_bytes());
        for _ in 0..count {
            reader.turn().unwrap();
        }
        assert!(matches!(reader.turn(), Err(PromptError::End)));
    }
}

/// The prompts of Code of Kutulu, which lists no actions and has all players act at once.
fn reads_all_of_kutulu(seed: i64) {
    let mut running = kutulu::Kutulu::start(seed, &Maps::own());
    let mut bot = Random::new(seed.cast_unsigned());
    let mut inputs: [String; SEATS] = Default::default();
    let mut turns = [0; SEATS];
    while !running.due().is_empty() {
        let mut answers: [String; SEATS] = Default::default();
        for seat in running.due().iter() {
            running.prompt(seat, &mut inputs[seat]);
            turns[seat] += 1;
            let position = kut::Position {
                world: running.world().clone(),
                seat,
            };
            answers[seat] = bot.choose(&kut::Turn::new(position)).to_string();
            assert!(kutulu::Action::parse(&answers[seat]).is_some());
        }
        running.advance(&answers.each_ref().map(|answer| Some(Ok(answer.as_str()))));
    }
    for (seat, input) in inputs.iter().enumerate() {
        let mut reader = Reader::new(Kutulu, input.as_bytes());
        for turn in 0..turns[seat] {
            let read = reader.turn().unwrap();
            assert_eq!((read.position.seat, read.position.world.turn), (seat, turn));
        }
        assert!(matches!(reader.turn(), Err(PromptError::End)));
    }
}
