// A first bot for Onitama. It rates every legal action by what it wins at once,
// less what the opponent can win in answer, and plays the best one.
use std::io;

const SIZE: usize = 5;
const WIN: i32 = 1000;
const STUDENT: i32 = 10;

#[allow(dead_code)]
struct Card {
    owner: i32, // 0 or 1, -1 for the card in the centre
    id: i32,
    steps: Vec<(i32, i32)>, // (dx, dy) on the board as it is printed, for its owner
}

type Board = [[char; SIZE]; SIZE]; // [y][x]: y 0 is row 1, x 0 is column A; wW are player 0, bB player 1

struct Position {
    board: Board,
    cards: Vec<Card>, // two of player 0, two of player 1, the centre
}

// The player whose piece this is, or -1 for an empty cell.
fn owner(piece: char) -> i32 {
    match piece {
        'w' | 'W' => 0,
        'b' | 'B' => 1,
        _ => -1,
    }
}

// The gain of a move at once.
fn gain(board: &Board, x: usize, y: usize, to_x: usize, to_y: usize) -> i32 {
    let (piece, target) = (board[y][x], board[to_y][to_x]);
    let shrine = if owner(piece) == 0 { SIZE - 1 } else { 0 }; // row of the opponent's shrine
    if target.is_uppercase() {
        return WIN;
    }
    if piece.is_uppercase() && to_x == 2 && to_y == shrine {
        return WIN;
    }
    match target {
        '.' => 0,
        _ => STUDENT,
    }
}

// The most that a player can win with one move.
fn best_gain(board: &Board, cards: &[Card], player: i32) -> i32 {
    let mut best = 0;
    for y in 0..SIZE {
        for x in 0..SIZE {
            if owner(board[y][x]) != player {
                continue;
            }
            for card in cards.iter().filter(|card| card.owner == player) {
                for (dx, dy) in &card.steps {
                    let (to_x, to_y) = (x as i32 + dx, y as i32 + dy);
                    if to_x < 0 || to_x >= SIZE as i32 || to_y < 0 || to_y >= SIZE as i32 {
                        continue;
                    }
                    let (to_x, to_y) = (to_x as usize, to_y as usize);
                    if owner(board[to_y][to_x]) != player {
                        best = best.max(gain(board, x, y, to_x, to_y));
                    }
                }
            }
        }
    }
    best
}

fn rate(position: &Position, action: &str, me: i32) -> i32 {
    let words: Vec<&str> = action.split(' ').collect(); // "8 C1D2": card 8, from C1 to D2
    if words[1] == "PASS" {
        return 0; // only when nothing can move
    }
    let letters = words[1].as_bytes();
    let (x, y) = ((letters[0] - b'A') as usize, (letters[1] - b'1') as usize);
    let (to_x, to_y) = ((letters[2] - b'A') as usize, (letters[3] - b'1') as usize);
    let won = gain(&position.board, x, y, to_x, to_y);
    if won == WIN {
        return WIN;
    }
    let mut board = position.board;
    board[to_y][to_x] = board[y][x];
    board[y][x] = '.';
    let shrine = if me == 0 { SIZE - 1 } else { 0 };
    let distance = to_x.abs_diff(2).max(to_y.abs_diff(shrine)) as i32;
    won - best_gain(&board, &position.cards, 1 - me) - distance
}

fn choose<'a>(position: &Position, actions: &'a [String], me: i32) -> &'a str {
    // Your idea here: exchange the cards after an action, and look further ahead.
    let mut best = &actions[0];
    let mut best_score = rate(position, best, me);
    for action in &actions[1..] {
        let score = rate(position, action, me);
        if score > best_score {
            best = action;
            best_score = score;
        }
    }
    best
}

fn read_line() -> String {
    let mut line = String::new();
    if io::stdin().read_line(&mut line).unwrap() == 0 {
        std::process::exit(0); // the game is over
    }
    line.trim_end().to_string()
}

fn read_position() -> Position {
    let mut board = [['.'; SIZE]; SIZE];
    for y in (0..SIZE).rev() {
        let line = read_line(); // such as "w.W.b", row 5 first
        for (x, piece) in line.chars().enumerate() {
            board[y][x] = piece;
        }
    }
    let mut cards = Vec::new();
    for _ in 0..5 {
        // Owner, card, and four steps dx dy, filled up with 0 0.
        let numbers: Vec<i32> = read_line()
            .split(' ')
            .map(|word| word.parse().unwrap())
            .collect();
        let steps = numbers[2..]
            .chunks(2)
            .map(|step| (step[0], step[1]))
            .filter(|&step| step != (0, 0))
            .collect();
        cards.push(Card {
            owner: numbers[0],
            id: numbers[1],
            steps,
        });
    }
    Position { board, cards }
}

fn main() {
    let me: i32 = read_line().parse().unwrap(); // my player: 0 or 1
    loop {
        let position = read_position();
        let count: usize = read_line().parse().unwrap(); // number of legal actions
        let actions: Vec<String> = (0..count).map(|_| read_line()).collect();

        println!("{}", choose(&position, &actions, me));
    }
}
