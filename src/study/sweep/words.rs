//! The words and the table of a sweep.

use super::axes::number;
use super::summary::{GapToLeader, OpponentResult, SweepSummary, VariantState, VariantSummary};
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words::{count, exact_percent, interval, list, percent, signed};
use arena_section::{Sentence, Tone};
use arena_stats::race::End;

/// The most names of variants in a line.
const NAMED: usize = 16;

/// The share of the full grid that was played, also of the block that isn't complete.
fn share(sweep: &SweepSummary) -> String {
    let games = sweep.games + sweep.games_of_block;
    exact_percent(games as f64 / sweep.games_full.max(1) as f64)
}

/// The question of a sweep, before its first game.
pub(super) fn question(sweep: &SweepSummary) -> String {
    format!(
        "sweep of {}: {} variants against {}, {} units of each at most, {} games in the full grid; \
         a race: variants are eliminated once significantly worse than the leader",
        sweep.bot,
        sweep.variants.len(),
        sweep.against.join(", "),
        sweep.max_units,
        sweep.games_full
    )
}

/// The state of a sweep in a line: the remaining variants, the leader, and how much was played.
pub(super) fn standing(sweep: &SweepSummary) -> String {
    let mut leader = "no results before the first block of units".to_owned();
    if let Some(led) = sweep.led_by()
        && let Some(elo95) = led.elo95()
    {
        leader = format!("leader {} Elo {}", led.name, estimate(elo95));
    }
    // A unit of each remaining variant has so many games.
    let per_unit = sweep.games_full / sweep.max_units.max(1) * sweep.living.len() as u64
        / sweep.variants.len().max(1) as u64;
    let units = sweep.units as f64 + sweep.games_of_block as f64 / per_unit.max(1) as f64;
    format!(
        "{} of {} variants remain, {leader}, {} units of {} at most, {} of the full grid",
        sweep.living.len(),
        sweep.variants.len(),
        (units * 100.0).round() / 100.0,
        sweep.max_units,
        share(sweep)
    )
}

/// The size of a sweep, after the name of its bot.
pub(super) fn size(sweep: &SweepSummary) -> String {
    format!(
        ": {} variants against {}, {}, {} of the full grid of {}",
        sweep.variants.len(),
        sweep.against.join(", "),
        count(sweep.games + sweep.games_of_block, "game", "games"),
        share(sweep),
        sweep.games_full
    )
}

/// Some variants, in this order.
pub(super) fn table(sweep: &SweepSummary, variants: &[&VariantSummary]) -> Table {
    let mut rows = Rows::new("Variants", variants.iter().copied())
        .shown(Kind::Rank, "#", |variant| variant.rank)
        .file("variant", |variant| &variant.name);
    for name in &sweep.parameters {
        let value = |it: &VariantSummary| it.values.get(name).map(|text| parameter(text));
        rows = rows.both(Kind::Value, name, format!("value_{name}"), value);
    }
    // Files have units, games and score before the Elo that follows from them.
    rows.file("units", |variant| variant.units)
        .file("games", |variant| variant.games)
        .file("score", |variant| variant.score)
        .both(Kind::Number, "Elo", "elo", |variant| {
            Cell::shown(variant.elo(), |elo| signed(elo, 1))
        })
        .shown(Kind::Interval, "interval, drawn", drawn)
        .shown(Kind::Ends, "95%, all at every look", |variant| {
            let ends = variant.elo95().map(|[_, lo, hi]| interval([lo, hi], 1));
            Cell::number(variant.by.map(|by| by.lo95), ends)
        })
        .file("lo95", |variant| Some(variant.by?.lo95))
        .file("hi95", |variant| Some(variant.by?.hi95))
        .shown(Kind::Number, "units", |variant| variant.units)
        .spare(4)
        .shown(Kind::Number, "games", |variant| variant.games)
        .spare(3)
        .shown(Kind::Number, "score", |it| Cell::shown(it.score, percent))
        .spare(2)
        .file("state", |variant| variant.state.to_string())
        .file("dropped_after", |variant| variant.dropped_after)
        .file("behind", |variant| Some(&variant.behind.as_ref()?.leader))
        .file("behind_elo", |variant| Some(variant.behind.as_ref()?.elo))
        .file("behind_lo", |variant| Some(variant.behind.as_ref()?.lo))
        .file("behind_hi", |variant| Some(variant.behind.as_ref()?.hi))
        .shown(Kind::Number, "to the leader", |variant| gap(sweep, variant))
        .spare(1)
        .shown(Kind::Words, "state", state)
        .table()
}

/// The Elo of a variant in its interval. Eliminated variants are faint.
fn drawn(variant: &VariantSummary) -> Cell {
    let is_out = variant.state == VariantState::Dropped;
    Cell {
        value: variant.elo(),
        ends: variant.elo95().map(|[_, lo, hi]| [lo, hi]),
        tip: variant.elo95().map(estimate).unwrap_or_default(),
        tone: if is_out { Tone::Faint } else { Tone::Plain },
        ..Cell::default()
    }
}

/// The value of a parameter, which may be a number.
fn parameter(text: &str) -> Cell {
    Cell {
        value: number(text),
        ..text.into()
    }
}

fn state(variant: &VariantSummary) -> Cell {
    match variant.dropped_after {
        Some(units) => Cell::toned(Tone::Faint, format!("eliminated after unit {units}")),
        None => variant.state.to_string().into(),
    }
}

/// The difference of a variant to the leader; nothing if it isn't a number.
fn gap(sweep: &SweepSummary, variant: &VariantSummary) -> Cell {
    if let Some(GapToLeader { elo, lo, hi, .. }) = variant.behind {
        return Cell::number(Some(elo), estimate([elo, lo, hi]));
    }
    let leads = sweep.leader.as_ref() == Some(&variant.name);
    Cell::number(leads.then_some(0.0), None)
}

/// Elo with its interval.
fn estimate([elo, lo, hi]: [f64; 3]) -> String {
    format!("{} {}", signed(elo, 1), interval([lo, hi], 1))
}

/// The names of the remaining variants, the best first.
fn remaining(sweep: &SweepSummary) -> String {
    let left = sweep.living.len();
    let names = sweep.ranking().into_iter().take(left.min(NAMED));
    let names = list(names.map(|variant| variant.name.clone())).unwrap_or_default();
    match left.saturating_sub(NAMED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// The limits of the answer, in lines. The last one announces the command that confirms it, if
/// there is one.
pub(super) fn notes(sweep: &SweepSummary) -> Vec<String> {
    let mut lines = Vec::new();
    if sweep.leader.is_some() {
        lines.push(scale(&sweep.against));
        lines.push(format!(
            "to the leader: on common seeds, with the interval that eliminates once it lies below 0; valid at every look, alpha {} \
             for each variant by itself",
            sweep.alpha
        ));
    }
    lines.extend(against_each(sweep));
    lines.extend(without_effect(sweep).or_else(|| winners_curse(sweep)));
    lines.extend(confirmation(sweep));
    lines
}

/// The answer of a sweep.
pub(super) fn answer(sweep: &SweepSummary) -> Sentence {
    let left = remaining(sweep);
    let unknown = "; which of them is the best is not known";
    let (who, rest) = match sweep.end {
        None => ("remaining", "; the race is not over".to_owned()),
        Some(End::One) => (
            "survivor",
            "; the race eliminated all others as significantly weaker".to_owned(),
        ),
        Some(End::Indifferent) => (
            "survivors",
            format!("{unknown}, but all are within the indifference zone"),
        ),
        Some(End::Units) => (
            "survivors",
            format!("{unknown} after {} units", sweep.units),
        ),
    };
    Sentence::new(Tone::Strong, format!("{who}: {left}"), rest)
}

/// What the Elo of the table is measured from, and what its interval holds for.
fn scale(against: &[String]) -> String {
    let zero = match against {
        [only] => format!("against {only}, which is 0"),
        several => format!(
            "against {}, where 0 is half of all points",
            several.join(", ")
        ),
    };
    format!(
        "Elo: {zero}; 95% for all intervals together at every look, also for that of the best variant"
    )
}

/// The results of the leader against each of several opponents.
fn against_each(sweep: &SweepSummary) -> Option<String> {
    let leader = sweep.leader.as_ref()?;
    if sweep.leader_against.len() < 2 {
        return None;
    }
    let met = list(sweep.leader_against.iter().map(|met| {
        let elo = estimate([met.by.elo, met.by.lo95, met.by.hi95]);
        format!("{} ({elo})", met.name)
    }))?;
    Some(format!("{leader} against each: {met}"))
}

/// What to do with the leader: a sweep proposes, a test on fresh seeds confirms.
fn confirmation(sweep: &SweepSummary) -> Option<String> {
    if sweep.too_repetitive {
        let why = "too many units repeat others move for move, so nothing of this is as sure as it looks, and there is nothing \
                   to confirm: raise opening_plies, or give the bots {seed}";
        return Some(why.to_owned());
    }
    sweep.end?;
    let leader = sweep.leader.as_ref()?;
    let Some(OpponentResult { name, .. }) = sweep.to_beat() else {
        let ahead = match &sweep.against[..] {
            [only] => format!("not ahead of {only}"),
            several => format!("ahead of none of {}", several.join(", ")),
        };
        return Some(format!("{leader} is {ahead}: there is no gain to confirm"));
    };
    let why = match sweep.against.len() {
        0 | 1 => "",
        _ => ", the strongest opponent that it is ahead of",
    };
    sweep.confirm.as_ref()?;
    Some(format!(
        "to confirm {leader} against {name}{why}, on fresh seeds:"
    ))
}

/// A doubt about a sweep whose variants don't differ in any score.
fn without_effect(sweep: &SweepSummary) -> Option<String> {
    let results = |variant: &VariantSummary| (variant.units, variant.score, variant.by);
    let differ = |pair: &[VariantSummary]| results(&pair[0]) != results(&pair[1]);
    if sweep.leader.is_none() || sweep.variants.windows(2).any(differ) {
        return None;
    }
    let doubt = "all variants have the same score and interval: perhaps their values don't reach the bot, or change nothing";
    Some(doubt.to_owned())
}

/// The winner's curse.
fn winners_curse(sweep: &SweepSummary) -> Option<String> {
    let leader = sweep.leader.as_ref()?;
    // The error of a leader that won or lost everything is unknown.
    let elo = sweep.luck_elo?;
    Some(format!(
        "winner's curse: part of the lead of {leader} is luck; the best of {} equal variants looks {:.1} standard errors, here \
         {elo:.0} Elo, better than it is",
        sweep.variants.len(),
        sweep.luck_of_the_best
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{estimated, example};
    use super::*;

    #[test]
    fn the_leader_is_to_be_confirmed_against_whom_it_is_ahead_of() {
        let text = |sweep: &SweepSummary| notes(sweep).join("\n");
        let sweep = example("x");
        let all = format!("{}\n{}", answer(&sweep), text(&sweep));
        for said in [
            "survivors: x 1, x 2, x 3; which of them is the best is not known",
            "the best of 4 equal variants looks 1.0 standard errors, here 5 Elo, better",
        ] {
            assert!(all.contains(said), "{all}");
        }
        let mut equal = example("x");
        let first = equal.variants[0].clone();
        equal.variants.fill(first);
        assert!(text(&equal).contains("perhaps their values don't reach the bot"));
        assert!(!text(&equal).contains("winner's curse"));
        // The strongest opponent of a panel that it is ahead of, wherever that one is listed.
        let panel = [("a", 50.0), ("b", -5.0), ("c", 20.0), ("d", f64::INFINITY)];
        for (against, said) in [
            (
                &[("old", -1.0)][..],
                "x 1 is not ahead of old: there is no gain to confirm",
            ),
            (
                &panel,
                "x 1 against each: a (+50.0 [+40.0, +60.0]), b (-5.0 [-15.0, +5.0]), c (+20.0",
            ),
            (
                &panel,
                "to confirm x 1 against c, the strongest opponent that it is ahead of, on fresh seeds",
            ),
            (
                &[("a", -50.0), ("b", 0.0)],
                "x 1 is ahead of none of a, b: there is no gain",
            ),
        ] {
            let met = against.iter().map(|&(name, elo)| OpponentResult {
                name: name.to_owned(),
                by: estimated([elo, elo - 10.0, elo + 10.0]),
            });
            let text = text(&SweepSummary {
                against: against.iter().map(|(name, _)| (*name).to_owned()).collect(),
                leader_against: met.collect(),
                ..example("x")
            });
            assert!(text.contains(said), "{text}");
        }
        let repeated = SweepSummary {
            too_repetitive: true,
            confirm: None,
            ..example("x")
        };
        assert!(repeated.to_beat().is_none());
        assert!(text(&repeated).contains("too many units repeat others move for move"));
        let open = SweepSummary {
            end: None,
            confirm: None,
            ..example("x")
        };
        assert!(!text(&open).contains("confirm"), "{}", text(&open));
        assert!(answer(&open).rest.contains("the race is not over"));
        let early = SweepSummary {
            leader: None,
            units: 0,
            ..open
        };
        let none = "3 of 4 variants remain, no results before the first block of units, 0 units";
        assert!(standing(&early).starts_with(none));
    }
}
