//! A referee for tic-tac-toe, as tictactoe.py, which explains it: the same prompts for the same seed.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::process::exit;

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const LETTERS: [char; 2] = ['X', 'O'];

type Board = [char; 9];

/// One line of the arena, which ends a referee by closing its standard input.
fn line() -> String {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(1..) => line.trim_end_matches('\n').to_owned(),
        _ => exit(0),
    }
}

/// One frame of the arena: its name and its lines.
fn read() -> (String, Vec<String>) {
    let header = line();
    let (name, count) = header.trim_matches(['[', ']']).split_once("] ").expect("a header like [[INIT] 2]");
    let count: usize = count.parse().expect("a number of lines");
    (name.to_owned(), (0..count).map(|_| line()).collect())
}

fn send(name: &str, lines: &[String]) {
    let mut text = format!("[[{name}] {}]\n", lines.len());
    for line in lines {
        text += line;
        text.push('\n');
    }
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

/// The generator SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

fn free(board: &Board) -> Vec<usize> {
    (0..9).filter(|&cell| board[cell] == '.').collect()
}

fn actions(board: &Board) -> Vec<String> {
    free(board).iter().map(|cell| format!("{} {}", cell / 3, cell % 3)).collect()
}

fn rows(board: &Board) -> Vec<String> {
    board.chunks(3).map(|row| row.iter().collect()).collect()
}

/// What viewers draw: the board, with a ring round each cell of a line.
fn show(board: &Board, line: &[usize]) {
    let ring = |cell: &usize| {
        format!(r#"{{"x": {}, "y": {}, "shape": "ring", "colour": "green"}}"#, cell % 3, cell / 3)
    };
    let rings: Vec<String> = line.iter().map(ring).collect();
    let legend = r#"{"X": {"seat": 0, "text": "X"}, "O": {"seat": 1, "text": "O"}}"#;
    let (grid, rings) = (rows(board).join(r#"", ""#), rings.join(", "));
    send("FRAME", &[format!(r#"{{"grid": ["{grid}"], "legend": {legend}, "tokens": [{rings}]}}"#)]);
}

/// The answer of a seat, or `None` if there is none in time.
fn ask(board: &Board, seat: usize, limit: u32) -> Option<String> {
    let actions = actions(board);
    show(board, &[]);
    send("ACTIONS", &actions);
    let letter = vec![LETTERS[seat].to_string()];
    let count = vec![actions.len().to_string()];
    send("NEXT_PLAYER_INPUT", &[letter, rows(board), count, actions].concat());
    send("NEXT_PLAYER_INFO", &[seat.to_string(), "1".to_owned(), limit.to_string()]);
    let (name, lines) = read();
    read(); // GET_GAME_INFO: the arena waits for what comes next.
    if name == "SET_PLAYER_OUTPUT" { lines.into_iter().next() } else { None }
}

/// The winner, or `None` for a draw; and why the game ended.
fn play(options: &HashMap<String, String>) -> (Option<usize>, &'static str) {
    let (mut board, mut seat) = (['.'; 9], 0);
    let seed: i64 = options["seed"].parse().expect("a seed of 64 bits");
    let mut random = seed as u64;
    let plies: usize = options.get("plies").map_or(2, |plies| plies.parse().expect("a number of plies"));
    // After four, nobody can have won.
    for _ in 0..plies.min(4) {
        let cells = free(&board);
        board[cells[(next(&mut random) % cells.len() as u64) as usize]] = LETTERS[seat];
        seat = 1 - seat;
    }
    let mut limits = [1000, 1000];
    while !free(&board).is_empty() {
        let answer = ask(&board, seat, std::mem::replace(&mut limits[seat], 100));
        let Some(answer) = answer else { return (Some(1 - seat), "timeout") };
        let Some(choice) = actions(&board).iter().position(|action| *action == answer) else {
            send("FATE", &[format!("{seat} invalid_action no free cell: {answer}")]);
            return (Some(1 - seat), "invalid_action");
        };
        board[free(&board)[choice]] = LETTERS[seat];
        if let Some(line) = LINES.iter().find(|line| line.iter().all(|&cell| board[cell] == LETTERS[seat])) {
            show(&board, line);
            return (Some(seat), "three_in_a_row");
        }
        seat = 1 - seat;
    }
    show(&board, &[]);
    (None, "board_full")
}

fn main() {
    loop {
        let (_, init) = read();
        read(); // GET_GAME_INFO
        send("ARENA", &["protocol=1", "reuse=yes", "seats=2", "name=Tic-tac-toe"].map(str::to_owned));
        if init[0] != "2" {
            send("FAIL", &[format!("tic-tac-toe has 2 seats, not {}", init[0])]);
            exit(1);
        }
        let options = init[1..].iter().filter_map(|line| line.split_once('='));
        let options = options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let (winner, reason) = play(&options);
        // A win scores 2, a draw 1, a loss 0, and -1 if the loser failed.
        let lost = if ["timeout", "invalid_action"].contains(&reason) { -1 } else { 0 };
        let score = |seat| match winner {
            None => 1,
            Some(winner) if winner == seat => 2,
            Some(_) => lost,
        };
        send("REASON", &[reason.to_owned()]);
        send("SCORES", &[0, 1].map(|seat| format!("{seat} {}", score(seat))));
    }
}
