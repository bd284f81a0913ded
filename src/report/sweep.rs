//! What people are told of a sweep.

use super::table::{Column, aligned, signed};
use crate::stats::race::End;
use crate::summary::sweep::{State, SweepSummary, VariantSummary};

/// So many names of variants stand in a line.
const NAMED: usize = 16;

/// What a sweep is, before its first game.
#[must_use]
pub fn question(sweep: &SweepSummary) -> String {
    let SweepSummary { bot, variants, against, max_units, games_full, .. } = sweep;
    let how = if is_race(sweep) { "a race: whoever is surely not the best is dropped" } else { "all play to the end" };
    format!(
        "sweep of {bot}: {} variants against {}, {max_units} units of each at most, {games_full} games in the full grid; {how}",
        variants.len(),
        against.join(", ")
    )
}

/// How a sweep stands: who is still in, what was spent, who leads.
#[must_use]
pub fn standing(sweep: &SweepSummary) -> String {
    let left = if is_race(sweep) {
        format!("{} of {} still in, ", sweep.living.len(), sweep.variants.len())
    } else {
        String::new()
    };
    let leader = sweep.ranking().into_iter().next().filter(|_| sweep.leader.is_some());
    let leader = leader.map_or_else(
        || "no block is complete".to_owned(),
        |leader| format!("leader {} Elo {}", leader.name, elo(leader)),
    );
    format!(
        "{left}{leader}, {} units of {} at most, {:.1}% of the full grid",
        sweep.units,
        sweep.max_units,
        sweep.percent_of_grid()
    )
}

/// What there is to say after a sweep, as text for a terminal.
#[must_use]
pub fn report(sweep: &SweepSummary) -> String {
    let (games, full) = (sweep.games, sweep.games_full);
    let mut text = format!(
        "sweep of {}: {} variants against {}, {games} games, {:.1}% of the {full} of the full grid\n",
        sweep.bot,
        sweep.variants.len(),
        sweep.against.join(", "),
        sweep.percent_of_grid(),
    );
    text += &aligned(&columns(sweep));
    text.extend(findings(sweep).iter().map(|line| format!("  {line}\n")));
    text
}

fn columns(sweep: &SweepSummary) -> Vec<Column> {
    let ranking = sweep.ranking();
    let column = |title: &str, cell: &dyn Fn(&VariantSummary) -> String| {
        (title.to_owned(), ranking.iter().map(|variant| cell(variant)).collect())
    };
    let mut columns = vec![column("#", &|variant| variant.rank.to_string())];
    columns.extend(
        sweep
            .parameters
            .iter()
            .map(|name| column(name, &|variant| variant.values.get(name).cloned().unwrap_or_default())),
    );
    columns.push(column("Elo", &|variant| variant.elo.map_or_else(|| "-".to_owned(), signed)));
    columns.push(column("95% interval", &interval));
    columns.push(column("units", &|variant| variant.units.to_string()));
    columns.push(column("games", &|variant| variant.games.to_string()));
    columns.push(column("score", &|variant| {
        variant.score.map_or_else(|| "-".to_owned(), |score| format!("{:.1}%", 100.0 * score))
    }));
    if is_race(sweep) {
        columns.push(column("to the leader", &behind));
    } else {
        columns.push(column("p", &|variant| probability(variant.p)));
        columns.push(column("p (Holm)", &|variant| probability(variant.p_adjusted)));
    }
    columns.push(column("state", &state));
    columns
}

fn state(variant: &VariantSummary) -> String {
    match (variant.state, variant.dropped_after) {
        (State::Dropped, Some(units)) => format!("dropped after unit {units}"),
        (state, _) => state.to_string(),
    }
}

fn behind(variant: &VariantSummary) -> String {
    variant.behind.as_ref().map_or_else(
        || "-".to_owned(),
        |behind| format!("{} [{}, {}]", signed(behind.elo), signed(behind.lo95), signed(behind.hi95)),
    )
}

fn probability(p: Option<f64>) -> String {
    match p {
        None => "-".to_owned(),
        Some(p) if p < 0.0001 => "<0.0001".to_owned(),
        Some(p) => format!("{p:.4}"),
    }
}

fn elo(variant: &VariantSummary) -> String {
    format!("{} {}", variant.elo.map_or_else(|| "-".to_owned(), signed), interval(variant))
}

fn interval(variant: &VariantSummary) -> String {
    match (variant.lo95, variant.hi95) {
        (Some(lo), Some(hi)) => format!("[{}, {}]", signed(lo), signed(hi)),
        _ => "-".to_owned(),
    }
}

fn is_race(sweep: &SweepSummary) -> bool {
    sweep.mode != "fixed"
}

/// The names of some variants, the best first.
fn set(sweep: &SweepSummary, of: impl Fn(&&VariantSummary) -> bool) -> String {
    let ranking = sweep.ranking();
    let found: Vec<&str> = ranking.into_iter().filter(of).map(|variant| variant.name.as_str()).collect();
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", found.iter().take(NAMED).copied().collect::<Vec<_>>().join(", "))
}

/// What follows from the numbers, a line each.
fn findings(sweep: &SweepSummary) -> Vec<String> {
    let mut lines = Vec::new();
    if is_race(sweep) {
        lines.push(survivors(sweep));
    } else {
        lines.extend(verdicts(sweep));
    }
    lines.extend(luck(sweep));
    lines.extend(next(sweep));
    lines
}

fn survivors(sweep: &SweepSummary) -> String {
    let left = set(sweep, |variant| variant.state != State::Dropped);
    match sweep.end {
        None => format!("still in: {left}; the race is not over"),
        Some(End::One) => format!("survivor: {left}; all others are surely weaker than a leader of the race"),
        Some(End::Indifferent) => {
            format!(
                "survivors: {left}; which of them is the best is not known, but they are close enough to each other"
            )
        }
        Some(End::Units) => {
            format!("survivors: {left}; which of them is the best is not known after {} units", sweep.units)
        }
    }
}

fn verdicts(sweep: &SweepSummary) -> Vec<String> {
    let against = if sweep.against.len() == 1 { sweep.against.concat() } else { "their opponents".to_owned() };
    let mut lines = vec![match sweep.end {
        Some(_) => "grid played to its end; Elo and p of each variant alone, p (Holm) for all together".to_owned(),
        None => format!("grid played up to unit {} of {}; not over", sweep.units, sweep.max_units),
    }];
    for (state, meaning) in [(State::Stronger, "stronger than"), (State::Weaker, "weaker than")] {
        let named = set(sweep, |variant| variant.state == state);
        let named = if named.is_empty() { "none".to_owned() } else { named };
        lines.push(format!("{meaning} {against}: {named}"));
    }
    lines
}

/// What to do with the leader: a sweep proposes, a test on fresh seeds confirms.
fn next(sweep: &SweepSummary) -> Option<String> {
    let (leader, elo) = (sweep.leader.as_ref()?, sweep.ranking().first()?.elo?);
    let first = sweep.against.first()?;
    let is_ahead = elo > 0.0 || sweep.against.len() > 1;
    Some(match &sweep.confirm {
        _ if !is_ahead => format!("{leader} is not ahead of {first}: there is no gain to confirm"),
        Some(confirm) => {
            format!("to confirm {leader} against {first}, on seeds that it was not chosen by:\n    {confirm}")
        }
        None => format!(
            "to confirm {leader} against {first}, on seeds that it was not chosen by: a config with `format = \"sprt\"`, \
             these maps and another seed"
        ),
    })
}

/// The winner's curse.
fn luck(sweep: &SweepSummary) -> Option<String> {
    let leader = sweep.leader.as_ref()?;
    let in_elo = sweep.luck_elo.map_or_else(String::new, |elo| format!(", here {elo:.0} Elo,"));
    Some(format!(
        "winner's curse: {leader} leads for its luck, too; the best of {} equal variants looks {:.1} standard errors{in_elo} \
         better than it is",
        sweep.variants.len(),
        sweep.luck_of_the_best
    ))
}
