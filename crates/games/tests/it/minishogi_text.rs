//! MiniShogi as text: the exact output of the original program, and laws.

use arena_games::shogi::text::{Ending, MAX_ACTIONS, TextGame, replay};
use arena_games::shogi::{Color, Position};
use proptest::prelude::*;

use cases::{Case, cases};

mod cases;

#[test]
fn blanks_around_lines_and_their_ends_do_not_matter() {
    for Case { name, file, output } in cases() {
        let padded: Vec<String> = file.lines().map(|line| format!(" {line}\t ")).collect();
        let marked = format!("\u{feff}{file}");
        for text in [
            &padded.join("\n"),
            &file.replace('\n', "\r\n"),
            file.trim_end(),
            &format!("{file}\n  \n"),
            &marked,
        ] {
            assert_eq!(replay(text).unwrap(), output, "{name}: {text:?}");
        }
    }
}

/// Returns `count` actions of kings that move back and forth.
fn kings_walk(count: usize) -> String {
    let steps = ["move a1 a2", "move e5 e4", "move a2 a1", "move e4 e5"];
    steps
        .into_iter()
        .cycle()
        .take(count)
        .fold(String::new(), |text, step| text + step + "\n")
}

/// Returns the last line of a game with the 400th action made by UPPER.
fn end_of_400(last: &str) -> String {
    let pieces = "k a1\nK e5\nR b4\nR d5\n\n[]\n[]\n\n";
    let shown = replay(&format!("{pieces}{}{last}\nmove a1 a2\n", kings_walk(399))).unwrap();
    assert!(
        shown.starts_with(&format!("UPPER player action: {last}\n5 |")),
        "{shown}"
    );
    shown.lines().last().unwrap().to_owned()
}

#[test]
fn the_400th_action_ends_the_game() {
    assert_eq!(end_of_400("move e4 e5"), "Tie game.  Too many moves.");
    assert_eq!(end_of_400("move d5 c5"), "Tie game.  Too many moves.");
    assert_eq!(
        end_of_400("move e4 e2"),
        "lower player wins.  Illegal move."
    );
    assert_eq!(end_of_400("move d5 a5"), "UPPER player wins.  Checkmate.");
    // A check in the 400th action isn't printed: the tie comes first.
    let quiet = replay(&format!(
        "k a1\nK e5\nR d5\n\n[]\n[]\n\n{}move d5 a5\n",
        kings_walk(399)
    ))
    .unwrap();
    assert!(
        quiet.ends_with("\n\nTie game.  Too many moves.\n") && !quiet.contains("check"),
        "{quiet}"
    );
    let before = replay(&format!("k a1\nK e5\n\n[]\n[]\n\n{}", kings_walk(399))).unwrap();
    assert!(before.ends_with("\n\nUPPER> \n"), "{before}");
}

/// Lines similar to those of files and games.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[+]?[kgsbrpKGSBRP] [a-e][1-5]",
        "\\[([GSBRP] ?){0,15}\\]",
        "\\[([gsbrp] ?){0,15}\\]",
        Just(String::new()),
        "move [a-e][1-5] [a-e][1-5]( promote)?",
        "drop [gsbrpk] [a-e][1-5]",
        ".*",
    ]
}

/// A file with any pieces and both kings.
fn any_position() -> impl Strategy<Value = String> {
    let square = proptest::sample::subsequence((0..25).collect::<Vec<u32>>(), 2..25).prop_shuffle();
    let pieces = proptest::collection::vec("[+][srbpSRBP]|[gsbrpGSBRP]", 23);
    let lists = ("([GSBRP] ){0,15}", "([gsbrp] ){0,15}");
    (square, pieces, lists).prop_map(|(squares, pieces, (upper, lower))| {
        let kings = ["k".to_owned(), "K".to_owned()];
        let pieces = kings
            .iter()
            .chain(&pieces)
            .zip(squares)
            .map(|(piece, square)| {
                let column = char::from_digit(10 + square % 5, 16).unwrap();
                format!("{piece} {column}{}\n", square / 5 + 1)
            });
        format!("{}\n[{upper}]\n[{lower}]\n\n", pieces.collect::<String>())
    })
}

proptest! {
    #[test]
    fn no_text_makes_the_program_panic(text in "(?s).{0,200}", lines in proptest::collection::vec(line(), 0..30)) {
        let _ = replay(&text);
        let _ = replay(&lines.join("\n"));
        let mut game = TextGame::start();
        for line in lines {
            game.play(&line);
            let _ = game.to_string();
        }
    }

    #[test]
    fn any_position_can_be_played_and_what_is_listed_is_legal(
        file in any_position(),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 8),
    ) {
        let mut actions = String::new();
        for choice in choices {
            let shown = replay(&format!("{file}{actions}")).unwrap();
            prop_assert!(!shown.contains("Illegal"), "{shown}");
            let Some((_, listed)) = shown.split_once("Available moves:\n") else { break };
            let listed: Vec<&str> = listed.lines().filter(|line| !line.ends_with("> ")).collect();
            prop_assert!(listed.is_sorted_by(|a, b| a < b), "{shown}");
            let Some(&action) = listed.get(choice.index(listed.len().max(1))) else { break };
            actions = format!("{actions}{action}\n");
        }
    }

    /// Games of the library, in words, end as they do there.
    #[test]
    fn games_agree_with_the_rules_for_bots(choices in proptest::collection::vec(any::<prop::sample::Index>(), 120)) {
        let (mut position, mut game) = (Position::start(), TextGame::start());
        for choice in choices {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let action = moves[choice.index(moves.len())];
            prop_assert!(game.play(&in_words(&action.to_string())));
            position.play(action);
            prop_assert_eq!(game.ending().is_some(), position.in_check() && !position.has_legal_move());
            prop_assert_eq!(game.to_string().contains("in check!"), game.ending().is_none() && position.in_check());
        }
    }
}

/// An action as bots write it, `5453+` or `P*43`, in the words of the text program.
fn in_words(action: &str) -> String {
    let square = |file: char, rank: char| {
        let columns = ['e', 'd', 'c', 'b', 'a'];
        format!(
            "{}{}",
            columns[file as usize - '1' as usize],
            6 - rank.to_digit(10).unwrap()
        )
    };
    match action.chars().collect::<Vec<_>>()[..] {
        [piece, '*', file, rank] => {
            format!("drop {} {}", piece.to_ascii_lowercase(), square(file, rank))
        }
        [a, b, c, d] => format!("move {} {}", square(a, b), square(c, d)),
        [a, b, c, d, _] => format!("move {} {} promote", square(a, b), square(c, d)),
        _ => unreachable!("{action}"),
    }
}

#[test]
fn an_ended_game_takes_no_more_lines() {
    let mut game = TextGame::start();
    assert!(!game.play(" \t"));
    assert!(game.play("no action"));
    assert_eq!(game.ending(), Some(Ending::IllegalMove(Color::White)));
    assert!(!game.play("move a2 a3"));
    assert_eq!(MAX_ACTIONS, 400);
}
