// A first bot for Code of Kutulu. It rates its own cell and the cells around it,
// flees from minions, keeps near the other explorers, and plans when it is calm.
#![allow(dead_code)]
use std::collections::{HashMap, VecDeque};
use std::io;

const FAR: i32 = 999;

const SPAWNING: i32 = 0; // the states of minions
const WANDERING: i32 = 1;
const STALKING: i32 = 2;
const RUSHING: i32 = 3;
const STUNNED: i32 = 4;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Cell {
    x: i32,
    y: i32, // grows downwards
}

struct Explorer {
    id: i32,
    cell: Cell,
    sanity: i32,
    plans: i32,
    lights: i32,
}

struct Minion {
    kind: String, // WANDERER or SLASHER
    cell: Cell,
    time: i32, // turns until it appears, or that it has left
    state: i32,
    target: i32, // id of an explorer, or -1
}

struct Effect {
    kind: String, // EFFECT_PLAN, EFFECT_LIGHT, EFFECT_YELL or EFFECT_SHELTER
    cell: Cell,   // of a yell: -1 -1
    time: i32,    // turns left; of a shelter, its energy
    caster: i32,  // ids of explorers, or -1
    receiver: i32,
}

#[derive(Default)]
struct Turn {
    explorers: Vec<Explorer>, // I am the first
    minions: Vec<Minion>,
    effects: Vec<Effect>,
}

type Grid = Vec<Vec<char>>; // '#' wall, 'w' spawn of wanderers, 'U' shelter, '.' floor

fn is_floor(grid: &Grid, cell: Cell) -> bool {
    let letter = grid
        .get(cell.y as usize)
        .and_then(|line| line.get(cell.x as usize));
    matches!(letter, Some(letter) if *letter != '#')
}

fn neighbours(grid: &Grid, cell: Cell) -> Vec<Cell> {
    let steps = [(0, -1), (1, 0), (0, 1), (-1, 0)];
    let cells = steps.iter().map(|(dx, dy)| Cell {
        x: cell.x + dx,
        y: cell.y + dy,
    });
    cells.filter(|&next| is_floor(grid, next)).collect()
}

// Steps from a cell to every other one; a cell without a way is missing.
fn walk(grid: &Grid, start: Cell) -> HashMap<Cell, i32> {
    let mut steps = HashMap::from([(start, 0)]);
    let mut todo = VecDeque::from([start]);
    while let Some(cell) = todo.pop_front() {
        for next in neighbours(grid, cell) {
            if !steps.contains_key(&next) {
                steps.insert(next, steps[&cell] + 1);
                todo.push_back(next);
            }
        }
    }
    steps
}

fn manhattan(a: Cell, b: Cell) -> i32 {
    (a.x - b.x).abs() + (a.y - b.y).abs()
}

fn rate(grid: &Grid, turn: &Turn, cell: Cell) -> i32 {
    let steps = walk(grid, cell);
    let way_to = |cell: Cell| *steps.get(&cell).unwrap_or(&FAR);
    let mut score = neighbours(grid, cell).len() as i32; // no dead ends
    for minion in &turn.minions {
        let distance = way_to(minion.cell);
        let wait = if minion.state == SPAWNING {
            minion.time
        } else {
            0
        };
        if minion.kind == "WANDERER" {
            score -= (6 - distance - wait).max(0).pow(2);
        } else if minion.state != STUNNED && wait <= 2 {
            // A slasher rushes at those it sees: in a line, with no wall between.
            let in_line = minion.cell.x == cell.x || minion.cell.y == cell.y;
            if in_line && distance == manhattan(minion.cell, cell) {
                score -= 15;
            }
        }
    }
    // Sanity goes slower within two cells of another explorer.
    let others = &turn.explorers[1..];
    let company = others
        .iter()
        .map(|other| manhattan(cell, other.cell))
        .min()
        .unwrap_or(FAR);
    let way = others
        .iter()
        .map(|other| way_to(other.cell))
        .min()
        .unwrap_or(FAR);
    if company > 2 && way < FAR {
        score -= 5 + way;
    }
    for effect in &turn.effects {
        if effect.kind == "EFFECT_SHELTER" {
            score += (5 - way_to(effect.cell)).max(0);
        }
    }
    score
}

fn choose(grid: &Grid, turn: &Turn) -> String {
    let me = &turn.explorers[0];
    if turn
        .effects
        .iter()
        .any(|effect| effect.kind == "EFFECT_YELL" && effect.receiver == me.id)
    {
        return "WAIT".to_string(); // I cannot move
    }
    let busy = turn.effects.iter().any(|effect| effect.caster == me.id);
    let calm = turn
        .minions
        .iter()
        .all(|minion| minion.state == SPAWNING || manhattan(minion.cell, me.cell) > 3);
    if me.plans > 0 && me.sanity < 200 && !busy && calm {
        return "PLAN".to_string();
    }

    // Your idea here: LIGHT leads minions elsewhere, YELL holds an explorer beside me for two turns.
    let mut best = me.cell;
    let mut best_score = rate(grid, turn, best);
    for cell in neighbours(grid, me.cell) {
        let score = rate(grid, turn, cell);
        if score > best_score {
            best = cell;
            best_score = score;
        }
    }
    if best == me.cell {
        return "WAIT".to_string();
    }
    format!("MOVE {} {}", best.x, best.y)
}

fn read_line() -> String {
    let mut line = String::new();
    if io::stdin().read_line(&mut line).unwrap() == 0 {
        std::process::exit(0); // the game is over
    }
    line.trim_end().to_string()
}

fn read_turn() -> Turn {
    let mut turn = Turn::default();
    let count: usize = read_line().parse().unwrap(); // number of entities
    for _ in 0..count {
        let line = read_line();
        let mut words = line.split(' ');
        let kind = words.next().unwrap().to_string();
        let n: Vec<i32> = words.map(|word| word.parse().unwrap()).collect();
        let cell = Cell { x: n[1], y: n[2] };
        if kind == "EXPLORER" {
            turn.explorers.push(Explorer {
                id: n[0],
                cell,
                sanity: n[3],
                plans: n[4],
                lights: n[5],
            });
        } else if kind.starts_with("EFFECT") {
            turn.effects.push(Effect {
                kind,
                cell,
                time: n[3],
                caster: n[4],
                receiver: n[5],
            });
        } else {
            turn.minions.push(Minion {
                kind,
                cell,
                time: n[3],
                state: n[4],
                target: n[5],
            });
        }
    }
    turn
}

fn main() {
    read_line(); // width of the map
    let height: usize = read_line().parse().unwrap(); // height of the map
    let grid: Grid = (0..height).map(|_| read_line().chars().collect()).collect();
    // Sanity lost per turn alone and in company, turns until a wanderer appears and that it walks.
    let _constants: Vec<i32> = read_line()
        .split(' ')
        .map(|word| word.parse().unwrap())
        .collect();
    loop {
        println!("{}", choose(&grid, &read_turn()));
    }
}
