//! A referee for tic-tac-toe, as tictactoe.py, which explains it: the same frames for the same seed.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::process::exit;

const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];
const LEGEND: &str = r#"{"X": {"seat": 0, "text": "X"}, "O": {"seat": 1, "text": "O"}}"#;
const LETTERS: [char; 2] = ['X', 'O'];

/// One line of the arena, which ends a referee by closing its standard input.
fn line() -> String {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(1..) => line.trim_end_matches('\n').to_owned(),
        _ => exit(0),
    }
}

/// The lines of one frame of the arena.
fn read() -> Vec<String> {
    let header = line();
    let (_, count) = header
        .trim_end_matches(']')
        .split_once("] ")
        .expect("a header like [[INIT] 2]");
    (0..count.parse().expect("a number of lines"))
        .map(|_| line())
        .collect()
}

fn send(name: &str, lines: &[String]) {
    let mut text = format!("[[{name}] {}]\n", lines.len());
    for line in lines {
        text += line;
        text.push('\n');
    }
    let mut out = io::stdout().lock();
    if out
        .write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .is_err()
    {
        exit(0);
    }
}

/// The drawing for viewers: the board, with a ring round each cell of a line.
fn show(rows: &[String], lines: &[&[usize; 3]]) {
    let ring = |cell: &usize| {
        format!(
            r#"{{"x": {}, "y": {}, "shape": "ring", "colour": "green"}}"#,
            cell % 3,
            cell / 3
        )
    };
    let rings: Vec<String> = lines
        .iter()
        .flat_map(|line| line.iter())
        .map(ring)
        .collect();
    let (grid, rings) = (rows.join(r#"", ""#), rings.join(", "));
    send(
        "FRAME",
        &[format!(
            r#"{{"grid": ["{grid}"], "legend": {LEGEND}, "tokens": [{rings}]}}"#
        )],
    );
}

/// Seats with their scores, and why the game ended.
fn play(mut seed: i64, plies: usize) -> ([(usize, i32); 2], &'static str) {
    let mut board = ['.'; 9];
    for turn in 0.. {
        let seat = turn % 2;
        let rows: Vec<String> = board.chunks(3).map(|row| row.iter().collect()).collect();
        let free: Vec<usize> = (0..9).filter(|&cell| board[cell] == '.').collect();
        let actions: Vec<String> = free
            .iter()
            .map(|cell| format!("{} {}", cell / 3, cell % 3))
            .collect();
        let by_other =
            |line: &&[usize; 3]| line.iter().all(|&cell| board[cell] == LETTERS[1 - seat]);
        let won: Vec<_> = LINES.iter().filter(by_other).collect();
        if turn >= plies {
            show(&rows, &won);
        }
        if !won.is_empty() {
            return ([(1 - seat, 2), (seat, 0)], "three_in_a_row");
        }
        if actions.is_empty() {
            return ([(seat, 1), (1 - seat, 1)], "board_full");
        }
        let answers = if turn < plies {
            let drawn = seed.rem_euclid(actions.len() as i64);
            seed = seed.div_euclid(actions.len() as i64);
            vec![actions[drawn as usize].clone()]
        } else {
            send("ACTIONS", &actions);
            let (letter, count) = (LETTERS[seat].to_string(), actions.len().to_string());
            send(
                "NEXT_PLAYER_INPUT",
                &[&[letter], &rows[..], &[count], &actions].concat(),
            );
            let limit = if turn < plies + 2 { 1000 } else { 100 };
            send(
                "NEXT_PLAYER_INFO",
                &[seat, 1, limit].map(|number| number.to_string()),
            );
            let answers = read();
            read(); // GET_GAME_INFO
            answers
        };
        let Some(choice) = actions
            .iter()
            .position(|action| answers.first() == Some(action))
        else {
            let fate = |answer| format!("{seat} invalid_action no free cell: {answer}");
            send("FATE", &answers.iter().map(fate).collect::<Vec<_>>());
            return (
                [(1 - seat, 2), (seat, -1)],
                if answers.is_empty() {
                    "timeout"
                } else {
                    "invalid_action"
                },
            );
        };
        board[free[choice]] = LETTERS[seat];
    }
    unreachable!("a board is full after nine turns")
}

fn main() {
    loop {
        let init = read();
        read(); // GET_GAME_INFO
        send(
            "ARENA",
            &["protocol=1", "reuse=yes", "seats=2", "name=Tic-tac-toe"].map(str::to_owned),
        );
        let options: HashMap<&str, &str> = init
            .iter()
            .filter_map(|line| line.split_once('='))
            .collect();
        let plies: usize = options
            .get("plies")
            .map_or(2, |plies| plies.parse().expect("a number of plies"));
        let (scores, reason) = play(
            options["seed"].parse().expect("a seed of 64 bits"),
            plies.min(4),
        );
        send("REASON", &[reason.to_owned()]);
        send(
            "SCORES",
            &scores.map(|(seat, score)| format!("{seat} {score}")),
        );
    }
}
