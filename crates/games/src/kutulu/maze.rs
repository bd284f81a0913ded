//! Maps: parsing, checks, and distances.

use std::num::NonZeroU16;
use std::sync::OnceLock;

use serde::Serialize;

use super::SEATS;
use crate::{Seat, TextError};

/// The maximum number of rows and of columns. The table of distances grows with its fourth power.
pub const MAX_SIDE: usize = 50;

const WALL: char = '#';
const START: char = 'S';
const SPAWN: char = 'w';
const SHELTER: char = 'U';
const KNOWN: [char; 5] = [WALL, '.', START, SPAWN, SHELTER];

/// The distance between cells without a path.
const FAR: u16 = u16::MAX;

/// A step to one of the four sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards row 0.
    Up,
    /// Towards the last column.
    Right,
    /// Towards the last row.
    Down,
    /// Towards column 0.
    Left,
}

impl Direction {
    /// All directions, in the order of the original's search.
    pub const ALL: [Direction; 4] = {
        use Direction::{Down, Left, Right, Up};
        [Up, Right, Down, Left]
    };

    /// Iterates over all directions, beginning with the one at `offset` (modulo 4).
    pub fn all_from(offset: u32) -> impl Iterator<Item = Direction> {
        (0..4).map(move |index| Direction::ALL[((offset + index) % 4) as usize])
    }
}

/// The column and row of a cell, from 0 at the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Point {
    /// The column.
    pub x: u8,
    /// The row.
    pub y: u8,
}

impl Point {
    /// Returns the difference in columns plus the difference in rows.
    pub const fn manhattan(self, other: Point) -> u32 {
        self.x.abs_diff(other.x) as u32 + self.y.abs_diff(other.y) as u32
    }
}

/// A floor cell of one [`Maze`]. Walls aren't cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Cell {
    /// From 1, so that `Option<Cell>` isn't larger than `Cell`.
    #[serde(skip)]
    number: NonZeroU16,
    #[serde(flatten)]
    point: Point,
}

impl Cell {
    /// Returns its index from 0, row by row.
    pub const fn index(self) -> usize {
        self.number.get() as usize - 1
    }

    /// Returns its column and row.
    pub const fn point(self) -> Point {
        self.point
    }
}

/// A map, with the walking distances between all its cells.
#[derive(Clone, Debug, Default)]
pub struct Maze {
    rows: Vec<String>,
    /// The part that players read: size and rows.
    text: String,
    width: usize,
    /// The cells of all places, row by row; `None` for walls.
    places: Vec<Option<Cell>>,
    /// Every cell by index, row by row.
    pub(super) cells: Vec<Cell>,
    neighbours: Vec<[Option<Cell>; 4]>,
    starts: Vec<Cell>,
    /// The cells where wanderers appear.
    pub(super) spawns: Vec<Cell>,
    /// The cells with shelters.
    pub(super) shelters: Vec<Cell>,
    /// The distances from every cell to every cell, once a game needs them: most runs are of other
    /// games, and know all maps.
    distances: OnceLock<Vec<u16>>,
}

impl Maze {
    /// Parses the rows of a map: `#` wall, `.` floor, `S` start, `w` wanderer spawn, `U` shelter.
    ///
    /// # Errors
    /// [`TextError`] if no game can be played on it. Rows and columns are counted from 1. Starts
    /// after the fourth are plain floor.
    pub fn new(rows: &[impl AsRef<str>]) -> Result<Maze, TextError> {
        let maze = Maze::from_sent(rows)?;
        if maze.starts.len() >= SEATS {
            return Ok(maze);
        }
        let starts: Vec<String> = maze.starts.iter().map(|&start| place(start)).collect();
        let found = match starts.len() {
            0 => "0".to_owned(),
            count => format!("{count} ({})", starts.join("; ")),
        };
        Err(TextError(format!(
            "read the map: expected {SEATS} starts, each an S, found {found}"
        )))
    }

    /// Parses a map as players read it, without starts.
    ///
    /// # Errors
    /// As [`Maze::new`], but not for missing starts.
    pub fn from_sent(rows: &[impl AsRef<str>]) -> Result<Maze, TextError> {
        let rows: Vec<String> = rows.iter().map(|row| row.as_ref().to_owned()).collect();
        let (width, height) = size(&rows)?;
        let mut maze = Maze {
            text: format!("{width}\n{height}\n"),
            width,
            ..Maze::default()
        };
        for (y, row) in (0..).zip(&rows) {
            maze.text += &row.replace(START, ".");
            maze.text.push('\n');
            for (x, character) in (0..).zip(row.chars()) {
                maze.add(Point { x, y }, character);
            }
        }
        if maze.cells.is_empty() {
            return Err(TextError(format!(
                "read the map: there is no floor in its {height} rows"
            )));
        }
        maze.rows = rows;
        for cell in &maze.cells {
            let [x, y] = [cell.point.x, cell.point.y].map(i32::from);
            // By direction.
            let sides = [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)];
            maze.neighbours.push(sides.map(|(x, y)| maze.cell(x, y)));
        }
        Ok(maze)
    }

    fn add(&mut self, point: Point, character: char) {
        if character == WALL {
            self.places.push(None);
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a map has at most MAX_SIDE * MAX_SIDE cells"
        )]
        let number = NonZeroU16::MIN.saturating_add(self.cells.len() as u16);
        let cell = Cell { number, point };
        self.places.push(Some(cell));
        match character {
            START => self.starts.push(cell),
            SPAWN => self.spawns.push(cell),
            SHELTER => self.shelters.push(cell),
            _ => {}
        }
        self.cells.push(cell);
    }

    /// Returns a warning for the author of the map if explorers can reach its border. Rows and
    /// columns are counted from 1.
    pub fn warning(&self) -> Option<String> {
        let mut border = self.cells.clone();
        border.retain(|&cell| {
            let [x, y] = [cell.point.x, cell.point.y].map(usize::from);
            let is_inside =
                (1..self.width - 1).contains(&x) && (1..self.rows.len() - 1).contains(&y);
            let mut starts = self.starts.iter().take(SEATS);
            !is_inside && starts.any(|&start| self.distance(start, cell).is_some())
        });
        Some(format!(
            "{}: a start reaches this floor on the border, {} cells in all; maps of the original have none, and bots read \
             beyond the map there",
            place(*border.first()?),
            border.len()
        ))
    }

    /// Returns the rows of the map.
    pub fn rows(&self) -> &[String] {
        &self.rows
    }

    /// Returns the lines that players read: width, height, and the rows with plain floor for
    /// starts.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the cell in column `x` of row `y`; `None` for a wall and outside the map.
    pub fn cell(&self, x: i32, y: i32) -> Option<Cell> {
        let x = usize::try_from(x).ok().filter(|&x| x < self.width)?;
        let y = usize::try_from(y).ok()?;
        *self.places.get(y * self.width + x)?
    }

    /// Returns the cell next to `cell` on that side, if it is floor.
    pub fn neighbour(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        self.neighbours[cell.index()][direction as usize]
    }

    /// Returns the start of a player, or the first cell if the map shows no starts.
    pub(super) fn start(&self, seat: Seat) -> Cell {
        self.starts.get(seat).copied().unwrap_or(self.cells[0])
    }

    /// Returns the number of steps between two cells; `None` without a path.
    pub fn distance(&self, from: Cell, to: Cell) -> Option<u32> {
        // The table is symmetric; this order is kind to the cache if many come from one target.
        let distance = self.distances_to(to)[from.index()];
        (distance != FAR).then_some(distance.into())
    }

    /// Returns all distances. The first call computes them.
    pub(super) fn distances(&self) -> &[u16] {
        self.distances
            .get_or_init(|| distances(&self.cells, &self.neighbours))
    }

    /// Returns the distances to `to` from every cell, in the order of cells; `u16::MAX` without a
    /// path.
    pub fn distances_to(&self, to: Cell) -> &[u16] {
        &self.distances()[to.index() * self.cells.len()..][..self.cells.len()]
    }

    /// Returns the first step of the shortest path that the original finds: the first direction
    /// from `offset` on that is on a shortest path. `None` without a path, and for equal cells.
    pub fn step(&self, from: Cell, to: Cell, offset: u32) -> Option<Direction> {
        let distances = self.distances_to(to);
        let distance = distances[from.index()];
        if distance == FAR || distance == 0 {
            return None;
        }
        Direction::all_from(offset).find(|&direction| {
            self.neighbour(from, direction)
                .is_some_and(|next| distances[next.index()] < distance)
        })
    }

    /// Returns the distance of two cells if one sees the other, in one row or column with only
    /// floor between them.
    pub fn sight(&self, from: Cell, to: Cell) -> Option<u32> {
        let (a, b) = (from.point, to.point);
        if a.x != b.x && a.y != b.y {
            return None;
        }
        // Only a straight path is as short as this.
        self.distance(from, to)
            .filter(|&distance| distance == a.manhattan(b))
    }
}

/// Returns the row and column of a cell, from 1.
fn place(cell: Cell) -> String {
    format!("row {}, column {}", cell.point.y + 1, cell.point.x + 1)
}

/// Returns the numbers of columns and rows, after checking that all rows have the same length and
/// only known characters.
fn size(rows: &[String]) -> Result<(usize, usize), TextError> {
    let width = rows.first().map_or(0, |row| row.chars().count());
    let height = rows.len();
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(TextError(format!(
            "read the map: it has {width} columns and {height} rows, expected at most {MAX_SIDE} of each"
        )));
    }
    for (row, line) in (1..).zip(rows) {
        let found = line.chars().count();
        if found != width {
            return Err(TextError(format!(
                "read the map: row {row} ends after column {found}, expected {width} columns as in row 1"
            )));
        }
        let mut characters = (1..).zip(line.chars());
        if let Some((column, character)) = characters.find(|(_, one)| !KNOWN.contains(one)) {
            return Err(TextError(format!(
                "read the map: row {row}, column {column}: expected one of # . S w U, found {character:?}"
            )));
        }
    }
    Ok((width, height))
}

/// Returns the distances between all cells, by breadth-first search from every cell.
fn distances(cells: &[Cell], neighbours: &[[Option<Cell>; 4]]) -> Vec<u16> {
    let mut table = vec![FAR; cells.len() * cells.len()];
    let mut queue: Vec<Cell> = Vec::with_capacity(cells.len());
    for (&start, distances) in cells.iter().zip(table.chunks_exact_mut(cells.len())) {
        queue.clear();
        queue.push(start);
        distances[start.index()] = 0;
        let mut next = 0;
        while let Some(&cell) = queue.get(next) {
            next += 1;
            let beyond = distances[cell.index()] + 1;
            for neighbour in neighbours[cell.index()].iter().flatten() {
                if distances[neighbour.index()] == FAR {
                    distances[neighbour.index()] = beyond;
                    queue.push(*neighbour);
                }
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: [&str; 5] = ["#####", "#S.S#", "#...#", "#S.S#", "#####"];

    #[test]
    fn a_broken_map_says_where() {
        for (rows, expected) in [
            (
                "#SSSS#/#....##/######",
                "row 2 ends after column 7, expected 6 columns as in row 1",
            ),
            (
                "#SSSS#/#...#/######",
                "row 2 ends after column 5, expected 6 columns as in row 1",
            ),
            (
                "#SSSS#/#....#/",
                "row 3 ends after column 0, expected 6 columns as in row 1",
            ),
            ("###/###", "there is no floor in its 2 rows"),
            ("#.../..w.", "expected 4 starts, each an S, found 0"),
            (
                "#S../..SS",
                "expected 4 starts, each an S, found 3 (row 1, column 2; row 2, column 3; row 2, column 4)",
            ),
            (
                "SSSS/..\t.",
                "row 2, column 3: expected one of # . S w U, found '\\t'",
            ),
        ] {
            let error = Maze::new(&rows.split('/').collect::<Vec<_>>()).unwrap_err();
            assert_eq!(error.0, format!("read the map: {expected}"), "{rows:?}");
        }
        let error = Maze::new(&[""; 0]).unwrap_err().to_string();
        assert_eq!(error, "can't read the map: there is no floor in its 0 rows");
        let long = "S".repeat(MAX_SIDE + 1);
        let error = Maze::new(&[&long]).unwrap_err().to_string();
        assert_eq!(
            error,
            "can't read the map: it has 51 columns and 1 rows, expected at most 50 of each"
        );
        assert!(Maze::new(&vec![&long[1..]; MAX_SIDE]).is_ok());
    }

    #[test]
    fn floor_on_the_border_warns_if_it_is_reached() {
        let mut rows = ["########", "#S.S.S.S", "######.#", "......#."];
        let warning = Maze::new(&rows).unwrap().warning().unwrap();
        let expected = "row 2, column 8: a start reaches this floor on the border, 1 cells in all";
        assert!(warning.starts_with(expected), "{warning}");
        rows[1] = "#S.S.SS#";
        assert_eq!(Maze::new(&rows).unwrap().warning(), None);
    }

    #[test]
    fn players_see_no_starts() {
        let maze = Maze::new(&["#S.wS", "SUS##"]).unwrap();
        assert_eq!(maze.text(), "5\n2\n#..w.\n.U.##\n");
        let [_, _, rows @ ..] = &maze.text().lines().collect::<Vec<_>>()[..] else {
            panic!()
        };
        assert_eq!(Maze::from_sent(rows).unwrap().text(), maze.text());
        assert_eq!(
            (maze.spawns.len(), maze.shelters.len(), maze.starts.len()),
            (1, 1, 4)
        );
    }

    /// The example of the rules: ties go to the first direction, which changes with the turn.
    #[test]
    fn a_step_follows_the_first_direction_of_a_shortest_way() {
        let maze = Maze::new(&ROOM).unwrap();
        let (from, to) = (maze.cell(1, 1).unwrap(), maze.cell(3, 3).unwrap());
        for (offset, step) in [
            (0, Direction::Right),
            (1, Direction::Right),
            (2, Direction::Down),
            (3, Direction::Right),
        ] {
            assert_eq!(maze.step(from, to, offset), Some(step), "offset {offset}");
            assert_eq!(
                maze.step(from, to, offset + 196),
                Some(step),
                "offset {offset}"
            );
        }
        assert_eq!(maze.step(from, from, 0), None);
    }

    #[test]
    fn the_edge_of_the_map_is_no_way_round() {
        let maze = Maze::new(&["S#S", "...", "S#S"]).unwrap();
        let (left, right) = (maze.cell(0, 0).unwrap(), maze.cell(2, 0).unwrap());
        assert_eq!(maze.distance(left, right), Some(4));
        assert_eq!(maze.sight(left, right), None);
        assert_eq!(maze.sight(left, maze.cell(0, 2).unwrap()), Some(2));
        assert_eq!(maze.sight(left, left), Some(0));
        assert_eq!(
            (maze.cell(1, 0), maze.cell(3, 0), maze.cell(0, 3)),
            (None, None, None)
        );
        let split = Maze::new(&["S#S", "S#S"]).unwrap();
        let (left, right) = (split.cell(0, 0).unwrap(), split.cell(2, 0).unwrap());
        assert_eq!(
            (split.distance(left, right), split.step(left, right, 0)),
            (None, None)
        );
    }
}
