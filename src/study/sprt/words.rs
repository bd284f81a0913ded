//! The words of a sequential test.

use super::test::{Decision, Obstacle, SprtSummary};
use crate::results::AfterUnit;
use crate::standings::tables::{in_force, same_moves};
use arena_section::table::{Rows, Table};
use arena_section::words::{bound, count, grouped, interval, likelihood, list, signed};
use arena_section::{Sentence, Tone};
use arena_stats::elo::MatchElo;
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::sprt::betting::Capitals;
use arena_stats::sprt::{Hypotheses, Model};

/// The design of a test with more than two seats, and its weakness.
fn mirror(seats: usize) -> String {
    let [more, fewer] = [seats - seats / 2, seats / 2];
    let share = if more == fewer {
        format!("{more} seats for each bot")
    } else {
        format!("{more} seats for one bot and {fewer} for the other")
    };
    format!(
        "{more}v{fewer} mirror: {share}, swapped on the same seed. The result depends on how copies of a bot treat each other, which \
         doesn't matter among different bots: before adopting a change, let it play a round robin with other bots"
    )
}

/// Added to a test that bets may end.
const EARLY: &str = "; clear cases end early";

/// A warning for bots that draw too much.
const DRAWISH: &str = "a real gain can hardly reach elo1, because most units are level: choose bounds closer to 0, or model = \
                       \"normalized\"";

/// The question of a test, before it begins; a line each.
pub(super) fn question(test: &SprtSummary) -> Vec<String> {
    let hypotheses = &test.hypotheses;
    let mut lines = vec![format!(
        "question: is {} worth {} {} or more against {} (accepted), or {} or less (rejected)? {}% and \
         {}% wrong answers, inconclusive after {} units{}",
        test.candidate,
        bound(hypotheses.elo1),
        hypotheses.model.unit(),
        test.opponent,
        bound(hypotheses.elo0),
        100.0 * hypotheses.alpha,
        100.0 * hypotheses.beta,
        test.max_units,
        if test.bets.is_some() { EARLY } else { "" }
    )];
    if test.design == "mirror" {
        lines.push(format!("design: {}", mirror(test.seats)));
    }
    lines
}

/// The state of a test in a line.
pub(super) fn standing(test: &SprtSummary) -> String {
    let llr = test.llr + 0.0;
    let bound = if llr >= 0.0 { test.upper } else { test.lower };
    // Only the rule that is closer to its end, so that there is one percentage.
    let [by_llr, by_bets] = [test.progress.clamp(0.0, 1.0), test.by_bets()].map(|by| 100.0 * by);
    let mut parts = vec![if by_bets > by_llr {
        format!("evidence for a clear case ({by_bets:.0}%)")
    } else {
        format!("LLR {llr:+.2} of {bound:+.2} ({by_llr:.0}%)")
    }];
    parts.extend(test.estimate.as_ref().map(in_force));
    if test.is_repetitive() {
        parts.push("UNITS REPEAT".to_owned());
    }
    parts.join(", ")
}

/// The question, the figures of a test and what limits them, a line each.
pub(super) fn notes(test: &SprtSummary) -> Vec<String> {
    let mut lines = vec![settings(test)];
    let Some(result) = test.result else {
        return lines;
    };
    lines.extend(test.bets.map(|bets| evidence(test, bets)));
    lines.push(unit_scores(test));
    if let Some(estimate) = test.estimate {
        lines.extend(strength(&estimate, &result));
    }
    let repeated = result.units - test.distinct_units;
    if repeated > 0 {
        lines.push(format!(
            "repeated units: {repeated} of {} have the same moves of the same bots, and add no evidence",
            result.units
        ));
    }
    if test.drawish {
        lines.push(DRAWISH.to_owned());
    }
    if test.design == "mirror" {
        lines.push(mirror(test.seats));
    }
    lines
}

fn unit_scores(test: &SprtSummary) -> String {
    let mut seen = Vec::new();
    for (score, count) in test.unit_scores.iter().zip(&test.unit_counts) {
        if *count > 0 {
            seen.push(format!("{count} x {}", (score * 1e4).round() / 1e4));
        }
    }
    format!("unit scores: {}", seen.join(", "))
}

/// The strength in normalized Elo, and the likelihood of superiority. Both hold for a single look:
/// `None` if results decided when to look.
fn strength(estimate: &Estimate, result: &MatchElo) -> Option<String> {
    let mut parts = Vec::new();
    if let (Some(nelo), Some(lo), Some(hi)) = (result.nelo, result.nelo_lo95, result.nelo_hi95)
        && estimate.holds == Holds::Once
    {
        let ends = interval([lo, hi], 1);
        parts.push(format!("normalized {} {ends}", signed(nelo, 1)));
    }
    parts.extend(estimate.los.map(|los| format!("LOS {}", likelihood(los))));
    list(parts.into_iter())
}

/// The evidence against each hypothesis that the answer leaves out: what bets have made of 1.
fn evidence(test: &SprtSummary, bets: Capitals) -> String {
    let told = test.clear_case().map(|(_, side)| side);
    let sides = [(0, "accepts"), (1, "rejects")]
        .into_iter()
        .filter(|(side, _)| Some(*side) != told)
        .map(|(side, end)| bet(test, bets, side, end));
    format!("evidence: {}", list(sides).unwrap_or_default())
}

/// The evidence of a bet, its claim, and how much `end` takes.
fn bet(test: &SprtSummary, bets: Capitals, side: usize, end: &str) -> String {
    let claim = claim(&test.hypotheses, side);
    let [odds, enough] = [bets.ln, bets.enough].map(|of_side| odds(of_side[side]));
    format!("{odds} for {claim} ({enough} {end})")
}

/// Evidence as odds, from its logarithm.
pub(super) fn odds(ln: f64) -> String {
    let times = grouped(ln.abs().exp());
    if ln < 0.0 {
        format!("1:{times}")
    } else {
        format!("{times}:1")
    }
}

/// What the evidence of a bet is for: the bet is against the lower hypothesis, 0, or the upper one,
/// 1.
pub(super) fn claim(hypotheses: &Hypotheses, side: usize) -> String {
    let (elo0, elo1, unit) = (hypotheses.elo0, hypotheses.elo1, hypotheses.model.unit());
    match side {
        0 if elo0 == 0.0 => "a gain".to_owned(),
        0 => format!("more than {} {unit}", bound(elo0)),
        _ if elo1 == 0.0 => "a loss".to_owned(),
        _ => format!("less than {} {unit}", bound(elo1)),
    }
}

/// Ends of tests without an answer.
const REPEATED: &str = "inconclusive: units repeat; raise opening_plies, or give the bots {seed}";
const FAILED: &str = "inconclusive: the opponent failed in most units";
const PLAYED: &str = "inconclusive: the maximum of units was played";

/// The answer to the question of a test. The faults of its bots follow it.
pub(super) fn answer(test: &SprtSummary, failures: &str) -> Sentence {
    let candidate = &test.candidate;
    let (Some(result), Some(estimate)) = (test.result, test.estimate) else {
        let rest = " is undecided: no unit is complete yet";
        return Sentence::new(Tone::Open, candidate, rest);
    };
    let [lo, hi] = estimate.interval();
    let (elo0, elo1) = (test.hypotheses.elo0, test.hypotheses.elo1);
    let (claim, end) = match (test.verdict, test.obstacle) {
        (Some(Decision::Accepted), _) if elo0 >= 0.0 || lo > 0.0 => ("is stronger", "accepted"),
        (Some(Decision::Accepted), _) => ("passes as no worse than allowed", "accepted"),
        (Some(Decision::Rejected), _) if elo1 <= 0.0 || hi < 0.0 => ("is weaker", "rejected"),
        (Some(Decision::Rejected), _) => ("fails as not strong enough", "rejected"),
        (None, _) => ("is undecided", "inconclusive so far"),
        (_, Some(Obstacle::RepeatedUnits)) => ("has no verdict", REPEATED),
        (_, Some(Obstacle::OpponentFailed)) => ("has no verdict", FAILED),
        (_, Some(Obstacle::SameMoves)) => ("has no verdict", "inconclusive"),
        (Some(Decision::Inconclusive), _) => ("is undecided", PLAYED),
    };
    let model = match test.hypotheses.model {
        Model::Normalized => " normalized",
        Model::Logistic => "",
    };
    let elo = if test.same_moves {
        same_moves(result.units)
    } else {
        in_force(&estimate)
    };
    let games = count(result.games, "game", "games");
    let (mut case, mut early) = (":".to_owned(), "");
    if let Some((bets, side)) = test.clear_case() {
        let bet = bet(test, bets, side, "is enough");
        (case, early) = (format!(", a clear case: evidence {bet};"), " early");
    }
    let asked = format!("SPRT{model} [{elo0}, {elo1}] {end}{early}");
    let rest = format!(" {claim}{case} {elo}, {games}, {asked}{failures}");
    Sentence::new(decided(test).0, candidate, rest)
}

/// The question of a test in figures.
fn settings(test: &SprtSummary) -> String {
    let asked = &test.hypotheses;
    let (model, elo0, elo1) = (asked.model, asked.elo0, asked.elo1);
    let (alpha, beta, units) = (asked.alpha, asked.beta, test.max_units);
    let early = if test.bets.is_some() { EARLY } else { "" };
    format!(
        "{model} bounds [{elo0}, {elo1}], alpha {alpha}, beta {beta}, at most {units} units{early}"
    )
}

fn decided(test: &SprtSummary) -> (Tone, &'static str) {
    match test.verdict {
        Some(Decision::Accepted) => (Tone::Good, "accepted"),
        Some(Decision::Rejected) => (Tone::Bad, "rejected"),
        Some(Decision::Inconclusive) | None => (Tone::Open, "undecided"),
    }
}

/// The verdict of a test that has a unit. The answer has the evidence of a clear case.
pub(super) fn verdict(test: &SprtSummary, history: &[AfterUnit]) -> Option<Sentence> {
    let llr = history.last()?.llr;
    let (tone, state) = decided(test);
    let obstacle = match test.obstacle {
        Some(Obstacle::RepeatedUnits) => "; too many of them repeat others move for move",
        Some(Obstacle::OpponentFailed) => "; the opponent failed in most of them",
        Some(Obstacle::SameMoves) => "; both bots played the same moves in all of them",
        Some(Obstacle::MaxUnits) => ", the maximum",
        None => "",
    };
    let units = count(history.len() as u64, "unit", "units");
    if test.clear_case().is_some() {
        return Some(Sentence::new(tone, "Clear case", format!(" after {units}")));
    }
    let bounds = format!("bounds {:.2} and {:.2}", test.lower, test.upper);
    let rest = format!(": LLR {llr:.2} ({bounds}) after {units}{obstacle}");
    Some(Sentence::new(tone, state, rest))
}

/// The state of a test after each of its units, for the file.
pub(super) fn history(test: &SprtSummary, history: &[AfterUnit]) -> Table {
    Rows::new("Units", history)
        .file("unit", |after| after.unit)
        .file("games", |after| after.games)
        .file("llr", |after| after.llr)
        .file("lower", |_| test.lower)
        .file("upper", |_| test.upper)
        .file("score", |after| after.score)
        .file("elo", |after| after.elo)
        .file("state", |after| after.state.to_string())
        .file("ln_e0", |after| after.bets.map(|bets| bets.ln[0]))
        .file("ln_e1", |after| after.bets.map(|bets| bets.ln[1]))
        .table()
}

#[cfg(test)]
mod tests {
    use super::super::test::SprtSummary;
    use super::super::tests::{clear_case, example, history};
    use super::*;

    #[test]
    fn a_clear_case_shows_its_evidence() {
        let (mut test, after) = clear_case(&[2, 3, 4, 4, 4]);
        let answer = answer(&test, "; faults: x c failed 1 time");
        let sentence = verdict(&test, &after).unwrap().to_string();
        insta::assert_snapshot!(format!("{answer}\n{sentence}\n{}", notes(&test).join("\n")));
        // Repeated units are no evidence.
        test.obstacle = Some(Obstacle::RepeatedUnits);
        let repeated = verdict(&test, &after).unwrap().to_string();
        assert!(repeated.starts_with("accepted: LLR "), "{repeated}");
        let (lost, after) = clear_case(&[0, 1, 0]);
        let sentence = verdict(&lost, &after).unwrap();
        assert_eq!(sentence.tone, Tone::Bad);
        let answer = super::answer(&lost, "").to_string();
        assert!(
            answer.contains(":1 for less than +10 Elo (286:1 is enough)"),
            "{answer}"
        );
    }

    /// Rows: both bounds, and what the evidence of the two bets is for.
    #[test]
    fn evidence_is_for_what_the_bound_asks() {
        for (elo0, elo1, claims) in [
            (0.0, 10.0, ["a gain", "less than +10 Elo"]),
            (-10.0, 0.0, ["more than -10 Elo", "a loss"]),
            (2.5, 5.0, ["more than +2.5 Elo", "less than +5 Elo"]),
        ] {
            let hypotheses = Hypotheses::new(Model::Logistic, elo0, elo1, 0.05, 0.05).unwrap();
            assert_eq!([0, 1].map(|side| claim(&hypotheses, side)), claims);
        }
    }

    #[test]
    fn evidence_is_told_as_odds() {
        for (evidence, told) in [
            (1.0, "1:1"),
            (430.4, "430:1"),
            (1e5, "100,000:1"),
            (1e20, ">10^15:1"),
            (0.25, "1:4"),
            (1e-20, "1:>10^15"),
        ] {
            assert_eq!(odds(f64::ln(evidence)), told);
        }
    }

    #[test]
    fn a_bound_that_was_reached_with_units_that_repeat_is_no_verdict() {
        let test = example("x");
        let verdict = |test: &SprtSummary| verdict(test, &history()).unwrap().to_string();
        assert_eq!(
            verdict(&test),
            "accepted: LLR 3.10 (bounds -2.94 and 2.94) after 2 units"
        );
        let test = SprtSummary {
            verdict: Some(Decision::Inconclusive),
            obstacle: Some(Obstacle::RepeatedUnits),
            ..test
        };
        assert!(notes(&test).contains(
            &"logistic bounds [0, 10], alpha 0.05, beta 0.05, at most 10 units".to_owned()
        ));
        let sentence = verdict(&test);
        assert!(
            sentence.starts_with("undecided: LLR 3.10") && sentence.ends_with("move for move"),
            "{sentence}"
        );
    }
}
