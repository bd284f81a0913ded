//! Who plays whom, in which seats, on which seed: arithmetic from the game number, without a cursor.

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// How pairings are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// The first bot meets each of the others.
    Gauntlet,
    /// Every bot meets every other.
    RoundRobin,
}
