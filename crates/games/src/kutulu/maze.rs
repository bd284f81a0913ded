//! Maps: reading them, what is wrong with them, and all that follows from them alone.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use serde::Serialize;

use super::SEATS;
use crate::Seat;

/// The most rows and the most columns of a map. The distances of its cells are held in a table, which grows with the
/// fourth power of this.
pub const MAX_SIDE: usize = 50;

/// The widths and heights that maps of the original game have.
const USUAL_WIDTHS: std::ops::RangeInclusive<usize> = 10..=24;
const USUAL_HEIGHTS: std::ops::RangeInclusive<usize> = 10..=20;

const WALL: char = '#';
const FLOOR: char = '.';
const START: char = 'S';
const SPAWN: char = 'w';
const SHELTER: char = 'U';

/// The distance of cells between which there is no way.
const FAR: u16 = u16::MAX;
/// In the table of neighbours: a wall, or the end of the map.
const NONE: u16 = u16::MAX;

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
    /// All four, in the order in which the original tries them.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// All four in that order, from the one at `offset` (modulo 4) on and round.
    pub fn all_from(offset: u32) -> impl Iterator<Item = Direction> {
        (0..4).map(move |index| Direction::ALL[((offset + index) % 4) as usize])
    }

    const fn delta(self) -> (isize, isize) {
        match self {
            Direction::Up => (0, -1),
            Direction::Right => (1, 0),
            Direction::Down => (0, 1),
            Direction::Left => (-1, 0),
        }
    }
}

/// The place of a cell: column and row, from 0 at the top left. A row further down has a higher number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Point {
    /// The column.
    pub x: u8,
    /// The row.
    pub y: u8,
}

impl Point {
    /// The difference in columns plus the difference in rows, whatever stands between.
    #[must_use]
    pub const fn manhattan(self, other: Point) -> u32 {
        self.x.abs_diff(other.x) as u32 + self.y.abs_diff(other.y) as u32
    }
}

/// A floor cell of one [`Maze`]. Walls are no cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u16);

impl Cell {
    /// Its number, from 0, below [`Maze::len`]: cells are numbered row by row.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A map that can be played on, with the walking distances of all its cells.
#[derive(Clone, Debug)]
pub struct Maze {
    rows: Vec<String>,
    /// What players are sent of it: size and rows.
    text: String,
    width: usize,
    height: usize,
    /// The cell at a place, `NONE` for walls, row by row.
    cells: Vec<u16>,
    points: Vec<Point>,
    neighbours: Vec<[u16; 4]>,
    starts: Vec<Cell>,
    spawns: Vec<Cell>,
    shelters: Vec<Cell>,
    /// From every cell to every cell.
    distances: Vec<u16>,
}

impl PartialEq for Maze {
    fn eq(&self, other: &Maze) -> bool {
        // All else follows from the rows.
        self.rows == other.rows
    }
}

impl Eq for Maze {}

/// Why rows of text are no map. Rows and columns are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MazeError {
    /// A row is longer or shorter than the first.
    #[error("read the map: row {row} ends after column {found}, expected {expected} columns as in row 1")]
    NotRectangular {
        /// The row.
        row: usize,
        /// Its length.
        found: usize,
        /// The length of the first row.
        expected: usize,
    },
    /// There are too many rows or columns.
    #[error("read the map: it has {width} columns and {height} rows, expected at most {MAX_SIDE} of each")]
    TooLarge {
        /// The number of columns.
        width: usize,
        /// The number of rows.
        height: usize,
    },
    /// A character would break the lines that players are sent.
    #[error(
        "read the map: row {row}, column {column}: {character:?} cannot stand in a line, expected one of # . S w U"
    )]
    ControlCharacter {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The character.
        character: char,
    },
    /// Nobody could stand anywhere.
    #[error("read the map: there is no floor in its {height} rows: every character but # is floor")]
    NoFloor {
        /// The number of rows.
        height: usize,
    },
    /// Somebody would have no place to start.
    #[error("read the map: expected {SEATS} starts, each an S, found {}{}", .found.len(), places(.found))]
    FewStarts {
        /// Row and column of those there are.
        found: Vec<(usize, usize)>,
    },
}

fn places(found: &[(usize, usize)]) -> String {
    let place = |(row, column): &(usize, usize)| format!("row {row}, column {column}");
    let places: Vec<String> = found.iter().map(place).collect();
    if places.is_empty() { String::new() } else { format!(" ({})", places.join("; ")) }
}

/// What is unusual about a map that can be played on. Rows and columns are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MazeWarning {
    /// The map is smaller or larger than those of the original game, for which bots are written.
    Size {
        /// The number of columns.
        width: usize,
        /// The number of rows.
        height: usize,
    },
    /// A character is none of a map's own. It is floor, and is sent to players as it is.
    UnknownCharacter {
        /// The character.
        character: char,
        /// The row where it stands first.
        row: usize,
        /// The column where it stands first.
        column: usize,
    },
    /// No player can come to some cells.
    Unreachable {
        /// How many.
        cells: usize,
        /// The row of the first.
        row: usize,
        /// The column of the first.
        column: usize,
    },
    /// There are more starts than players.
    ExtraStart {
        /// The row of the first one too many.
        row: usize,
        /// The column of the first one too many.
        column: usize,
    },
}

impl Display for MazeWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MazeWarning::Size { width, height } => {
                let (wide, high) = (USUAL_WIDTHS, USUAL_HEIGHTS);
                write!(
                    f,
                    "{width} columns and {height} rows: bots are written for {} to {} ",
                    wide.start(),
                    wide.end()
                )?;
                write!(f, "columns and {} to {} rows", high.start(), high.end())
            }
            MazeWarning::UnknownCharacter { character, row, column } => {
                write!(f, "row {row}, column {column}: {character:?} is floor and is sent as it is")
            }
            MazeWarning::Unreachable { cells, row, column } => {
                write!(f, "row {row}, column {column}: no start reaches this floor, {cells} cells in all")
            }
            MazeWarning::ExtraStart { row, column } => {
                write!(f, "row {row}, column {column}: a start too many, which is plain floor")
            }
        }
    }
}

impl Maze {
    /// The map that these rows draw: `#` wall, `.` floor, `S` start, `w` wanderer spawn, `U` shelter, anything else
    /// floor.
    ///
    /// # Errors
    /// [`MazeError`] when no game can be played on it.
    pub fn new(rows: &[impl AsRef<str>]) -> Result<Maze, MazeError> {
        let maze = Maze::from_sent(rows)?;
        if maze.starts.len() < SEATS {
            return Err(MazeError::FewStarts { found: maze.starts.iter().map(|&start| maze.place(start)).collect() });
        }
        Ok(maze)
    }

    /// The map that a player was sent, which does not show the starts.
    ///
    /// # Errors
    /// [`MazeError`], but not for missing starts.
    pub fn from_sent(rows: &[impl AsRef<str>]) -> Result<Maze, MazeError> {
        let rows: Vec<String> = rows.iter().map(|row| row.as_ref().to_owned()).collect();
        let (width, height) = size(&rows)?;
        let mut maze = Maze {
            text: sent(&rows, width),
            width,
            height,
            cells: Vec::with_capacity(width * height),
            points: Vec::new(),
            neighbours: Vec::new(),
            starts: Vec::new(),
            spawns: Vec::new(),
            shelters: Vec::new(),
            distances: Vec::new(),
            rows: Vec::new(),
        };
        for (y, row) in (0..).zip(&rows) {
            (0..).zip(row.chars()).for_each(|(x, character)| maze.add(Point { x, y }, character));
        }
        if maze.points.is_empty() {
            return Err(MazeError::NoFloor { height });
        }
        maze.rows = rows;
        maze.neighbours = maze.points.iter().map(|&point| maze.neighbours_of(point)).collect();
        maze.distances = distances(&maze.neighbours);
        Ok(maze)
    }

    fn add(&mut self, point: Point, character: char) {
        if character == WALL {
            self.cells.push(NONE);
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a map has at most MAX_SIDE * MAX_SIDE cells")]
        let cell = Cell(self.points.len() as u16);
        self.cells.push(cell.0);
        self.points.push(point);
        match character {
            START => self.starts.push(cell),
            SPAWN => self.spawns.push(cell),
            SHELTER => self.shelters.push(cell),
            _ => {}
        }
    }

    fn neighbours_of(&self, point: Point) -> [u16; 4] {
        Direction::ALL.map(|direction| {
            let (dx, dy) = direction.delta();
            let at = |place: u8, delta| usize::from(place).checked_add_signed(delta);
            let cell = at(point.x, dx).zip(at(point.y, dy)).and_then(|(x, y)| self.cell(x, y));
            cell.map_or(NONE, |cell| cell.0)
        })
    }

    /// What is unusual about the map, for its author.
    #[must_use]
    pub fn warnings(&self) -> Vec<MazeWarning> {
        let mut warnings = Vec::new();
        if !USUAL_WIDTHS.contains(&self.width) || !USUAL_HEIGHTS.contains(&self.height) {
            warnings.push(MazeWarning::Size { width: self.width, height: self.height });
        }
        warnings.extend(unknown_characters(&self.rows));
        let reached = |&cell: &Cell| self.starts.iter().take(SEATS).any(|&start| self.distance(start, cell).is_some());
        let lost: Vec<Cell> = self.cells().filter(|cell| !reached(cell)).collect();
        if let Some(&first) = lost.first() {
            let (row, column) = self.place(first);
            warnings.push(MazeWarning::Unreachable { cells: lost.len(), row, column });
        }
        if let Some(&extra) = self.starts.get(SEATS) {
            let (row, column) = self.place(extra);
            warnings.push(MazeWarning::ExtraStart { row, column });
        }
        warnings
    }

    /// Row and column of a cell as people count.
    fn place(&self, cell: Cell) -> (usize, usize) {
        let point = self.point(cell);
        (usize::from(point.y) + 1, usize::from(point.x) + 1)
    }

    /// The rows that the map was made from.
    #[must_use]
    pub fn rows(&self) -> &[String] {
        &self.rows
    }

    /// The lines that players are sent: width, height, and the rows, in which starts are plain floor.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of columns.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.height
    }

    /// The number of cells.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.points.len()
    }

    /// Never: a map without floor is an error.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Every cell, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        (0..).map(Cell).take(self.len())
    }

    /// The cell in column `x` of row `y`; `None` for a wall and outside the map.
    #[must_use]
    pub fn cell(&self, x: usize, y: usize) -> Option<Cell> {
        if x >= self.width || y >= self.height {
            return None;
        }
        self.cells.get(y * self.width + x).filter(|&&cell| cell != NONE).map(|&cell| Cell(cell))
    }

    /// Where a cell lies.
    #[must_use]
    pub fn point(&self, cell: Cell) -> Point {
        self.points[cell.index()]
    }

    /// The cell next to `cell` on that side, if it is floor.
    #[must_use]
    pub fn neighbour(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        let neighbour = self.neighbours[cell.index()][direction as usize];
        (neighbour != NONE).then_some(Cell(neighbour))
    }

    /// Where players start, by seat; there may be more, which mean nothing. Empty for a map from [`Maze::from_sent`].
    #[must_use]
    pub fn starts(&self) -> &[Cell] {
        &self.starts
    }

    /// Where a player starts; the first cell on a map that does not tell.
    pub(super) fn start(&self, seat: Seat) -> Cell {
        self.starts.get(seat).copied().unwrap_or(Cell(0))
    }

    /// Where wanderers appear.
    #[must_use]
    pub fn spawns(&self) -> &[Cell] {
        &self.spawns
    }

    /// Where shelters stand.
    #[must_use]
    pub fn shelters(&self) -> &[Cell] {
        &self.shelters
    }

    /// The number of steps from one cell to another; `None` if there is no way.
    #[must_use]
    pub fn distance(&self, from: Cell, to: Cell) -> Option<u32> {
        // The table is the same in both directions; this one reads near places when many come from one target.
        let distance = self.distances_to(to)[from.index()];
        (distance != FAR).then_some(distance.into())
    }

    /// The distances to `to` from every cell, in the order of cells; `u16::MAX` where there is no way.
    #[must_use]
    pub fn distances_to(&self, to: Cell) -> &[u16] {
        &self.distances[to.index() * self.len()..][..self.len()]
    }

    /// The first step of the shortest way that the original finds: the first direction, counted from `offset` on, that
    /// lies on a shortest way. `None` without a way, and for two equal cells.
    #[must_use]
    pub fn step(&self, from: Cell, to: Cell, offset: u32) -> Option<Direction> {
        let distances = self.distances_to(to);
        let distance = distances[from.index()];
        if distance == FAR || distance == 0 {
            return None;
        }
        let nearer = |next: Cell| distances[next.index()] < distance;
        Direction::all_from(offset).find(|&direction| self.neighbour(from, direction).is_some_and(nearer))
    }

    /// The distance of two cells one of which sees the other: they lie in one row or column, all floor between them.
    #[must_use]
    pub fn sight(&self, from: Cell, to: Cell) -> Option<u32> {
        let (a, b) = (self.point(from), self.point(to));
        if a.x != b.x && a.y != b.y {
            return None;
        }
        // Only a straight way is as short as this.
        self.distance(from, to).filter(|&distance| distance == a.manhattan(b))
    }
}

/// Columns and rows, if every row is as long as the first and nothing in them breaks a line.
fn size(rows: &[String]) -> Result<(usize, usize), MazeError> {
    let width = rows.first().map_or(0, |row| row.chars().count());
    let height = rows.len();
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(MazeError::TooLarge { width, height });
    }
    for (row, line) in (1..).zip(rows) {
        let found = line.chars().count();
        if found != width {
            return Err(MazeError::NotRectangular { row, found, expected: width });
        }
        if let Some((column, character)) = (1..).zip(line.chars()).find(|(_, character)| character.is_control()) {
            return Err(MazeError::ControlCharacter { row, column, character });
        }
    }
    Ok((width, height))
}

fn sent(rows: &[String], width: usize) -> String {
    let shown = |character| if character == START { FLOOR } else { character };
    let mut text = format!("{width}\n{}\n", rows.len());
    text.extend(rows.iter().flat_map(|row| row.chars().map(shown).chain(['\n'])));
    text
}

/// One warning per unknown character.
fn unknown_characters(rows: &[String]) -> impl Iterator<Item = MazeWarning> {
    let mut places = BTreeMap::new();
    for (row, line) in (1..).zip(rows) {
        let unknown = |(_, character): &(usize, char)| ![WALL, FLOOR, START, SPAWN, SHELTER].contains(character);
        for (column, character) in (1..).zip(line.chars()).filter(unknown) {
            places.entry(character).or_insert((row, column));
        }
    }
    places.into_iter().map(|(character, (row, column))| MazeWarning::UnknownCharacter { character, row, column })
}

/// Breadth first from every cell.
fn distances(neighbours: &[[u16; 4]]) -> Vec<u16> {
    let cells = neighbours.len();
    let mut table = vec![FAR; cells * cells];
    let mut queue: Vec<u16> = Vec::with_capacity(cells);
    for (start, distances) in (0..).zip(table.chunks_exact_mut(cells)) {
        queue.clear();
        queue.push(start);
        distances[usize::from(start)] = 0;
        let mut next = 0;
        while let Some(&cell) = queue.get(next) {
            next += 1;
            let beyond = distances[usize::from(cell)] + 1;
            for &neighbour in neighbours[usize::from(cell)].iter().filter(|&&neighbour| neighbour != NONE) {
                if distances[usize::from(neighbour)] == FAR {
                    distances[usize::from(neighbour)] = beyond;
                    queue.push(neighbour);
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
        let cases: [(&[&str], &str); 8] = [
            (&["#SSSS#", "#....##", "######"], "row 2 ends after column 7, expected 6 columns as in row 1"),
            (&["#SSSS#", "#...#", "######"], "row 2 ends after column 5, expected 6 columns as in row 1"),
            (&["#SSSS#", "#....#", ""], "row 3 ends after column 0, expected 6 columns as in row 1"),
            (&[], "there is no floor in its 0 rows: every character but # is floor"),
            (&["###", "###"], "there is no floor in its 2 rows: every character but # is floor"),
            (&["#...", "..w."], "expected 4 starts, each an S, found 0"),
            (
                &["#S..", "..SS"],
                "expected 4 starts, each an S, found 3 (row 1, column 2; row 2, column 3; row 2, column 4)",
            ),
            (&["SSSS", "..\t."], "row 2, column 3: '\\t' cannot stand in a line, expected one of # . S w U"),
        ];
        for (rows, expected) in cases {
            let error = Maze::new(rows).unwrap_err().to_string();
            assert_eq!(error, format!("read the map: {expected}"), "{rows:?}");
        }
        let long = "S".repeat(MAX_SIDE + 1);
        let error = Maze::new(&[&long]).unwrap_err().to_string();
        assert_eq!(error, "read the map: it has 51 columns and 1 rows, expected at most 50 of each");
        assert!(Maze::new(&vec![&long[1..]; MAX_SIDE]).is_ok());
    }

    #[test]
    fn an_unusual_map_warns() {
        assert_eq!(Maze::new(&ROOM).unwrap().warnings(), [MazeWarning::Size { width: 5, height: 5 }]);
        let mut rows = vec!["############"; 10];
        rows[2] = "#S?S.é.?#..#";
        rows[3] = "#S......#S.#";
        rows[7] = "####..S#####";
        let warnings: Vec<String> = Maze::new(&rows).unwrap().warnings().iter().map(ToString::to_string).collect();
        assert_eq!(
            warnings,
            [
                "row 3, column 3: '?' is floor and is sent as it is",
                "row 3, column 6: 'é' is floor and is sent as it is",
                "row 8, column 5: no start reaches this floor, 3 cells in all",
                "row 8, column 7: a start too many, which is plain floor",
            ]
        );
        rows[7] = "############";
        rows[2] = "#S.S....####";
        rows[3] = "#S......S..#";
        assert_eq!(Maze::new(&rows).unwrap().warnings(), []);
    }

    #[test]
    fn players_see_no_starts() {
        let maze = Maze::new(&["#S?wS", "SUS##"]).unwrap();
        assert_eq!(maze.text(), "5\n2\n#.?w.\n.U.##\n");
        let [_, _, rows @ ..] = &maze.text().lines().collect::<Vec<_>>()[..] else { panic!() };
        assert_eq!(Maze::from_sent(rows).unwrap().text(), maze.text());
        assert_eq!((maze.spawns().len(), maze.shelters().len(), maze.starts().len()), (1, 1, 4));
    }

    /// The example of the rules: ties go to the first direction, and with the turn the first direction moves on.
    #[test]
    fn a_step_follows_the_first_direction_of_a_shortest_way() {
        let maze = Maze::new(&ROOM).unwrap();
        let (from, to) = (maze.cell(1, 1).unwrap(), maze.cell(3, 3).unwrap());
        for (offset, step) in
            [(0, Direction::Right), (1, Direction::Right), (2, Direction::Down), (3, Direction::Right)]
        {
            assert_eq!(maze.step(from, to, offset), Some(step), "offset {offset}");
            assert_eq!(maze.step(from, to, offset + 196), Some(step), "offset {offset}");
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
        assert_eq!((maze.cell(1, 0), maze.cell(3, 0), maze.cell(0, 3)), (None, None, None));
        let split = Maze::new(&["S#S", "S#S"]).unwrap();
        let (left, right) = (split.cell(0, 0).unwrap(), split.cell(2, 0).unwrap());
        assert_eq!((split.distance(left, right), split.step(left, right, 0)), (None, None));
    }
}
