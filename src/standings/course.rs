//! The ratings over the games, at a bounded number of looks. They depend on the order of the games.

use super::count::{Count, Rated};
use super::stop::Stop;
use arena_stats::ratings::Settings;

/// The most bots to follow. Ratings of more bots take too long to fit again and again.
const MOST_BOTS: usize = 32;
/// The units before the first look, and the growth between looks: the next one comes after one unit
/// for every so many units so far. There are few looks however long a run is, and together they
/// take little longer than the last one.
const PACE: u64 = 8;

/// A lower end, an estimate and an upper end.
pub(crate) type Interval = [f64; 3];
/// The rating of each bot after a number of games, with the interval that holds at every look. Two
/// bots have one number: how much stronger the first one is.
pub(crate) type Look = (u64, Vec<Option<Interval>>);

/// The ratings of a game over time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    looks: Vec<Look>,
    units: u64,
    next: u64,
}

impl Course {
    /// Notes a complete unit, which was counted.
    pub(crate) fn unit(&mut self, count: &Count) {
        self.units += 1;
        if self.units >= self.next.max(PACE) && (2..=MOST_BOTS).contains(&count.bots.len()) {
            self.next = self.units + self.units / PACE;
            let mut rated = None;
            if count.bots.len() > 2 {
                let settings = Settings::new(count.design.games_per_unit);
                let bots = count.bots_in_units();
                rated = count.rate(&bots, settings, Stop::Announced).ok();
            }
            self.looks.push(look(count, rated.as_ref()));
        }
    }

    /// The looks so far and one at the end, with the ratings of the bots in this `order`. `rated`
    /// has the ratings after all games.
    pub(crate) fn until_now(
        &self,
        count: &Count,
        rated: Option<&Rated>,
        order: &[usize],
    ) -> Vec<Look> {
        let mut looks = self.looks.clone();
        if looks.last().is_some_and(|(games, _)| *games < count.games) {
            looks.push(look(count, rated));
        }
        for (_, elo) in &mut looks {
            if elo.len() != 1 {
                *elo = order.iter().map(|&bot| *elo.get(bot)?).collect();
            }
        }
        looks
    }
}

fn look(count: &Count, rated: Option<&Rated>) -> Look {
    let mut elo = Vec::new();
    if count.bots.len() == 2 {
        elo.push(difference(count));
    } else if let Some(rated) = rated {
        elo.extend((0..count.bots.len()).map(|bot| rating(rated, bot)));
    }
    (count.games, elo)
}

fn difference(count: &Count) -> Option<Interval> {
    let met = count.of_two(Stop::Watched)?;
    Some([met.lo95, met.elo, met.hi95]).filter(|ends| ends.iter().all(|end| end.is_finite()))
}

fn rating(rated: &Rated, bot: usize) -> Option<Interval> {
    let rating = rated.of(bot).filter(|rating| rating.mark.is_none())?;
    let [lo, hi] = rated.ends_at_every_look(bot)?;
    Some([lo, rating.elo, hi])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::CountRow;
    use arena_schedule::UnitDesign;

    fn course(bots: &[&str], units: u64) -> (Course, Count) {
        let mut count = Count::new(UnitDesign::SINGLE_GAMES, 1);
        let mut course = Course::default();
        for unit in 0..units {
            let pair = [0, 1, 2]
                .map(|at| bots[(usize::try_from(unit).unwrap() + at) % bots.len()].to_owned());
            let mut won = [0; 3];
            won[usize::try_from(unit % 7 % 3).unwrap()] = 1;
            let [first, second, _] = pair;
            count.add_counted(&CountRow {
                first,
                second,
                wins_draws_losses: won,
            });
            course.unit(&count);
        }
        (course, count)
    }

    #[test]
    fn looks_are_few_however_many_units_there_are() {
        for bots in [&["a", "b"][..], &["a", "b", "c"]] {
            let (course, count) = course(bots, 50_000);
            let rated = count
                .rate(&count.bots_in_units(), Settings::new(1), Stop::Announced)
                .ok();
            let looks = course.until_now(&count, rated.as_ref(), &[0, 1, 2][..bots.len()]);
            assert!((50..100).contains(&looks.len()), "{}", looks.len());
            assert!(looks.is_sorted_by(|(one, _), (next, _)| one < next));
            assert_eq!(looks.last().unwrap().0, 50_000);
            let width = |look: &(u64, Vec<Option<Interval>>)| {
                look.1[0].map(|[lo, middle, hi]| {
                    assert!(lo < middle && middle < hi);
                    hi - lo
                })
            };
            let [early, late] =
                [looks.iter().find_map(width), looks.last().and_then(width)].map(Option::unwrap);
            assert!(late < early / 10.0, "{early} {late}");
        }
    }

    #[test]
    fn many_bots_are_not_followed() {
        let names: Vec<String> = (0..40).map(|bot| bot.to_string()).collect();
        let (course, count) = course(&names.iter().map(String::as_str).collect::<Vec<_>>(), 500);
        // Fewer bots are.
        assert!(
            course.looks.len() < 25 && course.looks.iter().all(|(_, elo)| elo.len() <= MOST_BOTS)
        );
        assert_eq!(count.bots.len(), 40);
    }
}
