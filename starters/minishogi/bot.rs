// A first bot for Mini Shogi. It rates every legal action by what it wins at once,
// less what the opponent can take in answer, and plays the best one.
use std::io;

const SIZE: usize = 5;

#[derive(Clone, Copy)]
struct Piece {
    kind: char, // K, G, S, B, R or P
    promoted: bool,
    owner: usize, // 0 moves up the board, 1 moves down
}

type Board = [[Option<Piece>; SIZE]; SIZE]; // [row][col]: row 0 is rank 1, col 0 is file 5

#[derive(Clone)]
struct Position {
    board: Board,
    hands: [Vec<char>; 2], // the pieces each player can drop, such as P, B
}

fn value(piece: Piece) -> i32 {
    let base = match piece.kind {
        'P' => 10,
        'S' => 30,
        'G' => 40,
        'B' => 50,
        'R' => 60,
        _ => 0,
    };
    base + if piece.promoted { 20 } else { 0 }
}

// The row and the column of two digits such as "43": file 4, rank 3.
fn cell(text: &str) -> (usize, usize) {
    let digits = text.as_bytes();
    ((digits[1] - b'1') as usize, (b'5' - digits[0]) as usize)
}

// The position after an action: "5453" moves, "4321+" moves and promotes, "P*43" drops.
fn apply(position: &Position, action: &str, player: usize) -> Position {
    let mut after = position.clone();
    let (row, col) = cell(&action[2..4]);
    if &action[1..2] == "*" {
        let kind = action.chars().next().unwrap().to_ascii_uppercase();
        let index = after.hands[player]
            .iter()
            .position(|&piece| piece == kind)
            .unwrap();
        after.hands[player].remove(index);
        after.board[row][col] = Some(Piece {
            kind,
            promoted: false,
            owner: player,
        });
    } else {
        let (from_row, from_col) = cell(&action[0..2]);
        let mut piece = after.board[from_row][from_col].take().unwrap();
        piece.promoted |= action.ends_with('+');
        if let Some(captured) = after.board[row][col].replace(piece) {
            after.hands[player].push(captured.kind);
        }
    }
    after
}

// Can a piece go from one cell to the other, whatever is there?
fn reaches(board: &Board, piece: Piece, from: (usize, usize), to: (usize, usize)) -> bool {
    let rows = to.0 as i32 - from.0 as i32;
    let cols = to.1 as i32 - from.1 as i32;
    let forward = if piece.owner == 0 { -rows } else { rows };
    let distance = rows.abs().max(cols.abs());
    let straight = rows == 0 || cols == 0;
    let diagonal = rows.abs() == cols.abs();
    match piece.kind {
        _ if distance == 0 => false,
        'B' | 'R' if distance == 1 && piece.promoted => true,
        'B' if !diagonal => false,
        'R' if !straight => false,
        'B' | 'R' => (1..distance).all(|i| {
            let row = from.0 as i32 + rows / distance * i;
            let col = from.1 as i32 + cols / distance * i;
            board[row as usize][col as usize].is_none()
        }),
        _ if distance > 1 => false,
        'K' => true,
        'G' => forward >= 0 || cols == 0,
        _ if piece.promoted => forward >= 0 || cols == 0,
        'S' => forward == 1 || diagonal,
        _ => forward == 1 && cols == 0,
    }
}

// How much an action wins at once, and how much it leaves to the opponent.
fn rate(position: &Position, action: &str, me: usize) -> i32 {
    let board = apply(position, action, me).board;
    let (row, col) = cell(&action[2..4]);
    let piece = board[row][col].unwrap();
    let mut score = position.board[row][col].map_or(0, value); // what it captures
    if action.ends_with('+') {
        score += 20;
    }
    if piece.kind == 'K' {
        score -= 5; // the king stays at home
    }

    let mut attacked = false;
    for r in 0..SIZE {
        for c in 0..SIZE {
            let Some(other) = board[r][c] else { continue };
            if other.owner == me {
                continue;
            }
            attacked |= reaches(&board, other, (r, c), (row, col));
            if other.kind == 'K' {
                score -= row.abs_diff(r).max(col.abs_diff(c)) as i32;
            }
        }
    }
    score - if attacked { value(piece) } else { 0 }
}

fn choose<'a>(position: &Position, actions: &'a [String], me: usize) -> &'a str {
    // Your idea here: a better rating, or a look at the answers of the opponent.
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
    let mut board = [[None; SIZE]; SIZE];
    for row in 0..SIZE {
        let line = read_line(); // such as "r.+sgk": upper case is player 0, '+' is promoted
        let mut letters = line.chars();
        for col in 0..SIZE {
            let mut letter = letters.next().unwrap();
            let promoted = letter == '+';
            if promoted {
                letter = letters.next().unwrap();
            }
            if letter != '.' {
                let owner = if letter.is_ascii_uppercase() { 0 } else { 1 };
                board[row][col] = Some(Piece {
                    kind: letter.to_ascii_uppercase(),
                    promoted,
                    owner,
                });
            }
        }
    }
    // Such as "PB", or "-" if empty.
    let read_hand = || {
        read_line()
            .to_uppercase()
            .replace('-', "")
            .chars()
            .collect()
    };
    Position {
        board,
        hands: [read_hand(), read_hand()],
    }
}

fn main() {
    let me: usize = read_line().parse().unwrap(); // my player: 0 or 1
    read_line(); // size of the board: always 5
    loop {
        let position = read_position();
        let _last_action = read_line(); // what the opponent just played, or "none"
        let count: usize = read_line().parse().unwrap(); // number of legal actions
        let actions: Vec<String> = (0..count).map(|_| read_line()).collect();

        println!("{}", choose(&position, &actions, me));
    }
}
