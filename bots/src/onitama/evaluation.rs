//! The evaluation of a position: the students, and a few properties of the pieces' squares. All
//! numbers are parameters that can be set by name, in hundredths of a student.

use arena_games::onitama::{Color, Position, Square};

use crate::parameters::{Parameter, Parameters};

/// Values for all parameters.
#[derive(Clone, Debug)]
pub struct Weights {
    student: i32,
    mobility: i32,
    attack: i32,
    centre: i32,
    advance: i32,
    shrine: i32,
    tempo: i32,
}

impl Parameters for Weights {
    const ALL: &'static [Parameter<Weights>] = &[
        parameter("student", 100, "a student", |weights| &mut weights.student),
        parameter(
            "mobility",
            3,
            "a square that a piece reaches or protects",
            |weights| &mut weights.mobility,
        ),
        parameter(
            "attack",
            8,
            "an enemy piece that a piece reaches",
            |weights| &mut weights.attack,
        ),
        parameter(
            "centre",
            4,
            "a step nearer to the middle square, for each piece",
            |weights| &mut weights.centre,
        ),
        parameter("advance", 2, "a row forward, for each student", |weights| {
            &mut weights.advance
        }),
        parameter(
            "shrine",
            3,
            "a step of the master nearer to the enemy shrine",
            |weights| &mut weights.shrine,
        ),
        parameter("tempo", 5, "being the one to move", |weights| {
            &mut weights.tempo
        }),
    ];
}

const fn parameter(
    name: &'static str,
    default: i32,
    meaning: &'static str,
    slot: fn(&mut Weights) -> &mut i32,
) -> Parameter<Weights> {
    Parameter {
        name,
        default,
        meaning,
        slot,
    }
}

impl Default for Weights {
    fn default() -> Weights {
        let mut weights = Weights {
            student: 0,
            mobility: 0,
            attack: 0,
            centre: 0,
            advance: 0,
            shrine: 0,
            tempo: 0,
        };
        weights.reset();
        weights
    }
}

impl Weights {
    /// Returns the value of the position for the side to move.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let side = position.side;
        self.side(position, side) - self.side(position, side.opponent()) + self.tempo
    }

    /// Returns the value of the pieces of `color`.
    fn side(&self, position: &Position, color: Color) -> i32 {
        let enemies = position.pieces(color.opponent());
        let master = position.master(color);
        let mut worth = 0;
        for from in position.pieces(color) {
            for card in position.hand(color) {
                let reached = card.reach(color, from);
                worth += self.mobility * reached.len().cast_signed();
                worth += self.attack * (reached & enemies).len().cast_signed();
            }
            worth += self.centre * (4 - steps(from, 2, 2));
            if master == Some(from) {
                let shrine = color.opponent().shrine();
                worth += self.shrine * (4 - steps(from, shrine.x(), shrine.y()));
            } else {
                worth +=
                    self.student + self.advance * i32::from(from.y().abs_diff(color.shrine().y()));
            }
        }
        worth
    }
}

/// Returns the distance of two squares in rows plus columns.
fn steps(from: Square, x: u8, y: u8) -> i32 {
    i32::from(from.x().abs_diff(x) + from.y().abs_diff(y))
}
