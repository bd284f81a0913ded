//! The maze and the light on it, which decide the paths of minions.

use std::sync::Arc;

use super::maze::{Cell, Direction, Maze};

/// The reach of light, in steps.
pub(super) const LIGHT_RADIUS: u16 = 5;
/// The cost of a minion's step into a dark cell.
const DARK: u32 = 1;
/// The cost of a minion's step into a lit cell.
const LIT: u32 = 5;

/// The maze with the light of this turn.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    pub(super) maze: Arc<Maze>,
    /// Whether each cell is lit.
    lit: Vec<bool>,
    any_lit: bool,
    search: Search,
}

impl Ground {
    pub(super) fn new(maze: Arc<Maze>) -> Ground {
        // Turns allocate nothing.
        maze.distances();
        Ground {
            lit: vec![false; maze.cells.len()],
            any_lit: false,
            search: Search::new(maze.cells.len()),
            maze,
        }
    }

    pub(super) fn darken(&mut self) {
        if self.any_lit {
            self.lit.fill(false);
            self.any_lit = false;
        }
    }

    pub(super) fn light_up(&mut self, origin: Cell) {
        for (lit, &distance) in self.lit.iter_mut().zip(self.maze.distances_to(origin)) {
            *lit |= distance <= LIGHT_RADIUS;
        }
        self.any_lit = true;
    }

    /// Returns the paths from a cell to `targets`. Ties go to the direction that comes first from
    /// `offset` on.
    pub(super) fn paths(&mut self, from: Cell, targets: &[Cell], offset: u32) -> Paths<'_> {
        let lit = self.any_lit;
        if lit {
            self.search
                .run(&self.maze, &self.lit, from, targets, offset);
        }
        Paths {
            maze: &self.maze,
            search: lit.then_some(&self.search),
            from,
            offset,
        }
    }
}

/// The cheapest paths from one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paths<'a> {
    maze: &'a Maze,
    /// `None` without light, when the distances of the maze suffice.
    search: Option<&'a Search>,
    from: Cell,
    offset: u32,
}

impl Paths<'_> {
    /// Returns the cost of the path to a target; `None` without a path.
    pub(super) fn cost(self, to: Cell) -> Option<u32> {
        match self.search {
            None => self.maze.distance(self.from, to),
            Some(search) => search.reached[to.index()].map(|reached| reached.cost),
        }
    }

    /// Returns the first step of the path to a target, which must be another cell.
    pub(super) fn step(self, to: Cell) -> Option<Direction> {
        match self.search {
            None => self.maze.step(self.from, to, self.offset),
            Some(search) => search.reached[to.index()].map(|reached| reached.first_step),
        }
    }
}

/// The original's search with a stable queue: the lowest cost first, and the earliest found first
/// among equals.
///
/// The cost of entering a cell depends on the cell alone, so the first path to find it is the
/// cheapest, and the search queues each cell once. Because no step costs more than [`LIT`], a list
/// for each of the next costs replaces a priority queue.
#[derive(Clone, Debug)]
struct Search {
    reached: Vec<Option<Reached>>,
    /// The queued cells by cost (modulo the number of lists), first found first.
    open: [Vec<Cell>; LIT as usize + 1],
}

#[derive(Clone, Copy, Debug)]
struct Reached {
    cost: u32,
    first_step: Direction,
}

impl Search {
    fn new(cells: usize) -> Search {
        Search {
            reached: vec![None; cells],
            open: std::array::from_fn(|_| Vec::with_capacity(cells)),
        }
    }

    /// Searches from one cell until all reachable targets are found.
    fn run(&mut self, maze: &Maze, lit: &[bool], from: Cell, targets: &[Cell], offset: u32) {
        self.reached.fill(None);
        self.open.iter_mut().for_each(Vec::clear);
        // This step is never used, because the target is another cell.
        self.reached[from.index()] = Some(Reached {
            cost: 0,
            first_step: Direction::Up,
        });
        self.open[0].push(from);
        let mut cost = 0;
        while targets
            .iter()
            .any(|target| self.reached[target.index()].is_none())
            && self.open.iter().any(|cells| !cells.is_empty())
        {
            let now = cost % self.open.len();
            let mut cells = std::mem::take(&mut self.open[now]);
            for cell in cells.drain(..) {
                self.go_on(maze, lit, cell, offset);
            }
            self.open[now] = cells;
            cost += 1;
        }
    }

    /// Reaches the neighbours of a cell.
    fn go_on(&mut self, maze: &Maze, lit: &[bool], at: Cell, offset: u32) {
        let Some(here) = self.reached[at.index()] else {
            return;
        };
        for direction in Direction::all_from(offset) {
            if let Some(cell) = maze.neighbour(at, direction)
                && self.reached[cell.index()].is_none()
            {
                let cost = here.cost + if lit[cell.index()] { LIT } else { DARK };
                let first_step = match here.cost {
                    0 => direction,
                    _ => here.first_step,
                };
                self.reached[cell.index()] = Some(Reached { cost, first_step });
                self.open[cost as usize % self.open.len()].push(cell);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ground(rows: &[&str]) -> Ground {
        Ground::new(Arc::new(Maze::from_sent(rows).unwrap()))
    }

    /// The example of the rules: a straight corridor, the caster at x = 5.
    #[test]
    fn light_makes_a_corridor_longer() {
        let mut ground = ground(&[
            "########################",
            "#......................#",
            "########################",
        ]);
        let cell = |ground: &Ground, x| ground.maze.cell(x, 1).unwrap();
        let caster = cell(&ground, 5);
        ground.light_up(caster);
        let lit: Vec<i32> = (1..=22)
            .filter(|&x| ground.lit[cell(&ground, x).index()])
            .collect();
        assert_eq!(lit, (1..=10).collect::<Vec<_>>());
        for (x, cost) in [(9, 20), (10, 25), (11, 30), (13, 32), (20, 39)] {
            let from = cell(&ground, x);
            let paths = ground.paths(from, &[caster], 0);
            assert_eq!(
                (paths.cost(caster), paths.step(caster)),
                (Some(cost), Some(Direction::Left)),
                "from {x}"
            );
        }
        ground.darken();
        let from = cell(&ground, 20);
        assert_eq!(ground.paths(from, &[caster], 0).cost(caster), Some(15));
    }

    /// Without light, or with light everywhere, the search agrees with the distances.
    #[test]
    fn the_search_agrees_with_the_distances_where_all_cells_are_alike() {
        let rows = include_str!("maps/09-quiet-crypt.txt")
            .lines()
            .collect::<Vec<_>>();
        let mut ground = ground(&rows);
        let maze = ground.maze.clone();
        for (light, price) in [(false, DARK), (true, LIT)] {
            ground.lit.fill(light);
            ground.any_lit = true;
            for (from, offset) in maze.cells.iter().copied().zip((0..4).cycle()) {
                for &to in &maze.cells {
                    let paths = ground.paths(from, &[to], offset);
                    assert_eq!(
                        paths.cost(to),
                        maze.distance(from, to).map(|distance| distance * price)
                    );
                    if from != to && paths.cost(to).is_some() {
                        assert_eq!(paths.step(to), maze.step(from, to, offset));
                    }
                }
            }
        }
    }

    /// The queue of the original: one list, with cells queued more than once.
    fn original(
        maze: &Maze,
        lit: &[bool],
        from: Cell,
        offset: u32,
    ) -> Vec<Option<(u32, Option<Direction>)>> {
        let mut open = vec![(0, from, None)];
        let mut closed = vec![None; maze.cells.len()];
        while !open.is_empty() {
            let lowest = open.iter().map(|&(cost, ..)| cost).min().unwrap();
            let at = open.iter().position(|&(cost, ..)| cost == lowest).unwrap();
            let (cost, cell, first): (u32, Cell, Option<Direction>) = open.remove(at);
            if closed[cell.index()].is_some() {
                continue;
            }
            closed[cell.index()] = Some((cost, first));
            for direction in Direction::all_from(offset) {
                if let Some(next) = maze
                    .neighbour(cell, direction)
                    .filter(|next| closed[next.index()].is_none())
                {
                    let price = if lit[next.index()] { LIT } else { DARK };
                    open.push((cost + price, next, first.or(Some(direction))));
                }
            }
        }
        closed
    }

    #[test]
    fn the_search_agrees_with_the_original_in_patchy_light() {
        let rows = include_str!("maps/05-cistern.txt")
            .lines()
            .collect::<Vec<_>>();
        let mut ground = ground(&rows);
        let maze = ground.maze.clone();
        let cells = &maze.cells;
        for (round, &origin) in cells.iter().enumerate() {
            ground.darken();
            ground.light_up(origin);
            ground.light_up(cells[round * 7 % cells.len()]);
            // Holes in the light, so that paths in different directions cost the same.
            cells
                .iter()
                .skip(round % 3)
                .step_by(3)
                .for_each(|cell| ground.lit[cell.index()] ^= true);
            let (from, offset) = (
                cells[round * 5 % cells.len()],
                u32::try_from(round).unwrap(),
            );
            let expected = original(&maze, &ground.lit.clone(), from, offset);
            for &to in cells {
                let paths = ground.paths(from, &[to], offset);
                assert_eq!(paths.cost(to), expected[to.index()].map(|(cost, _)| cost));
                if to != from {
                    assert_eq!(
                        paths.step(to),
                        expected[to.index()].and_then(|(_, first)| first)
                    );
                }
            }
        }
    }
}
