//! Two bots that met, unit by unit.

use super::{Elo, PairingSummary};
use arena_stats::elo::{match_elo, pairing};
use arena_stats::scores::UnitScores;

/// Two bots, seen from one of them.
#[derive(Default)]
pub(super) struct Pairing {
    /// Comparisons lost, drawn, won.
    ldw: [u64; 3],
    /// The scores of units, and how many units scored so.
    scores: Vec<(f64, u64)>,
    /// Units with one win and one loss.
    split: u64,
    /// Units with two draws.
    drawn: u64,
}

impl Pairing {
    /// Counts `weight` units in which so many comparisons were lost, drawn, won.
    pub(super) fn add(&mut self, ldw: [u32; 3], weight: u64) {
        for (sum, count) in self.ldw.iter_mut().zip(ldw) {
            *sum += weight * u64::from(count);
        }
        match ldw {
            [1, 0, 1] => self.split += weight,
            [0, 2, 0] => self.drawn += weight,
            _ => {}
        }
        let [losses, draws, wins] = ldw.map(f64::from);
        self.scores.push(((wins + draws / 2.0) / (losses + draws + wins), weight));
    }

    pub(super) fn summary(self, first: String, second: String, seats: usize, games_per_unit: u32) -> PairingSummary {
        let (values, counts): (Vec<f64>, Vec<u64>) = self.scores.into_iter().unzip();
        let [losses, draws, wins] = self.ldw;
        let scores = UnitScores::from_values(&values, &counts).ok();
        let result = scores.as_ref().and_then(|scores| match_elo(scores, games_per_unit));
        // With two seats a game is one comparison, so the counts are those of games.
        let of_games = UnitScores::trinomial(self.ldw).ok().filter(|_| seats == 2);
        let gain = scores.as_ref().zip(of_games).and_then(|(units, games)| pairing(units, &games, games_per_unit));
        let (unit_scores, unit_counts) = scores.iter().flat_map(UnitScores::values).unzip();
        PairingSummary {
            first,
            second,
            wins,
            draws,
            losses,
            elo: scores.as_ref().and_then(|scores| Elo::new(scores, games_per_unit)),
            nelo: result.as_ref().and_then(|result| result.nelo),
            n_eff: result.as_ref().map(|result| result.n_eff),
            draw_ratio: result.as_ref().map(|result| result.draw_ratio),
            pairs_ratio: result.as_ref().and_then(|result| result.pairs_ratio),
            pairing_gain: gain.filter(|gain| gain.enough).map(|gain| gain.gain),
            pairs_split: (seats == 2).then_some(self.split),
            pairs_drawn: (seats == 2).then_some(self.drawn),
            unit_scores,
            unit_counts,
        }
    }
}
