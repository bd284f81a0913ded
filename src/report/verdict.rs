//! The words of a sequential test, and the sentence that answers the question of a run.

use super::standings::{headline, in_force};
use super::{RunReport, faults};
use crate::section::Tone;
use crate::section::words::{
    bound, count, estimate, in_words, interval, likelihood, model, signed,
};
use crate::standings::FailedBot;
use crate::standings::{Difference, Game, WinsDrawsLosses};
use crate::summary::Summary;
use crate::summary::sprt::{Obstacle, SprtSummary, Verdict};
use arena_stats::elo::MatchElo;
use arena_stats::sprt::betting::Capitals;
use arena_stats::sprt::estimate::{Estimate, Holds};
use arena_stats::sprt::{Hypotheses, Model, Rule, State};

/// The design of a test with more than two seats, and its weakness.
fn mirror(seats: usize) -> String {
    let share = if seats.is_multiple_of(2) {
        format!("{} seats for each bot", in_words(seats / 2))
    } else {
        format!(
            "{} seats for one bot and {} for the other",
            in_words(seats - seats / 2),
            in_words(seats / 2)
        )
    };
    format!(
        "{} mirror: {share}, swapped on the same seed. That includes how two copies of a bot treat each other, which no mixed \
         field contains: before adopting a change, let it play a round robin with other bots",
        sides(seats)
    )
}

/// The seats of both bots in a mirror, as in 2v2.
fn sides(seats: usize) -> String {
    format!("{}v{}", seats - seats / 2, seats / 2)
}

/// Added to a test that bets may end.
const EARLY: &str = "; clear cases end early";

/// A warning for bots that draw too much.
const DRAWISH: &str = "so many units are level that a real gain can hardly reach elo1: prefer bounds closer to 0, or model = \
                       \"normalized\"";

/// The question of a test, before it begins; a line each.
pub(super) fn question(test: &SprtSummary) -> Vec<String> {
    let SprtSummary {
        candidate,
        opponent,
        hypotheses,
        max_units,
        ..
    } = test;
    let mut lines = vec![format!(
        "question: is {candidate} worth {} {} or more against {opponent} (accepted), or {} or less (rejected)? {}% and \
         {}% wrong answers, undecided after {max_units} units{}",
        bound(hypotheses.elo1),
        model(hypotheses),
        bound(hypotheses.elo0),
        100.0 * hypotheses.alpha,
        100.0 * hypotheses.beta,
        test.bets.map_or("", |_| EARLY)
    )];
    lines.extend((test.design == "mirror").then(|| format!("design: {}", mirror(test.seats))));
    lines
}

/// The state of a test in a line.
pub(super) fn standing(test: &SprtSummary) -> String {
    let bound = if test.llr >= 0.0 {
        test.upper
    } else {
        test.lower
    };
    let share = 100.0 * test.progress.clamp(0.0, 1.0);
    let mut parts = vec![format!(
        "LLR {:+.2} of {bound:+.2} ({share:.0}%)",
        test.llr + 0.0
    )];
    if let Some(bets) = test.bets
        && bets.progress() > test.progress
    {
        parts.push(format!("bets {:.0}%", 100.0 * bets.progress()));
    }
    if let Some(games) = test.expected_games_left {
        parts.push(format!("about {games:.0} games left"));
    }
    if let Some(estimate) = test.estimate() {
        parts.push(in_force(&estimate));
    }
    if test.is_repetitive() {
        parts.push("UNITS REPEAT".to_owned());
    }
    parts.join(", ")
}

/// The figures of a test and what limits them, a line each.
pub(crate) fn report(test: &SprtSummary) -> Vec<String> {
    let Some(result) = test.result else {
        return vec!["test: no unit is complete".to_owned()];
    };
    let mut lines = vec![evidence(test, &result)];
    if let Some(bets) = test.bets {
        lines.push(format!("clear cases end early: {}", wagers(test, bets)));
    }
    lines.push(unit_scores(test));
    lines.push(logistic(test, &result));
    lines.extend(corrected(test));
    let repeated = result.units - test.distinct_units;
    if repeated > 0 {
        lines.push(format!(
            "repeated units: {repeated} of {}, the same bots playing the same moves; they say nothing new: use \
             opening_plies, or bots that draw from {{seed}}",
            result.units
        ));
    }
    if test.drawish {
        lines.push(DRAWISH.to_owned());
    }
    if test.design == "mirror" {
        // With two seats the gain stands below the standings.
        if let Some(gain) = test.pairing_gain {
            lines.push(format!("a game in a unit is worth {gain:.2} single games"));
        }
        lines.push(mirror(test.seats));
    }
    lines
}

fn evidence(test: &SprtSummary, result: &MatchElo) -> String {
    let state = match test.ended_by {
        None => "no bound reached".to_owned(),
        Some(Rule::Betting) => format!("{} early, by a bet", test.state),
        Some(Rule::Likelihood) => test.state.to_string(),
    };
    let design = match test.design {
        "mirror" => format!(", {} mirror", sides(test.seats)),
        _ => String::new(),
    };
    format!(
        "test: {} units of {} games{design}, LLR {:+.2}; {:+.2} accepts, {:+.2} rejects: {state}",
        result.units,
        test.games_per_unit,
        test.llr + 0.0,
        test.upper,
        test.lower
    )
}

fn unit_scores(test: &SprtSummary) -> String {
    let mut scores = Vec::new();
    for (score, count) in test.unit_scores.iter().zip(&test.unit_counts) {
        if *count > 0 {
            scores.push(format!("{count} x {}", (score * 1e4).round() / 1e4));
        }
    }
    format!("unit scores: {}", scores.join(", "))
}

/// Estimates that allow for an early stop.
fn corrected(test: &SprtSummary) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(unbiased) = test.median_unbiased {
        let elo = estimate([unbiased.elo, unbiased.lo95, unbiased.hi95]);
        lines.push(format!(
            "unbiased {elo}, LOS {}, corrected for early stopping",
            likelihood(unbiased.los)
        ));
    }
    if let Some(anytime) = test.anytime {
        let interval = interval([anytime.lo95, anytime.hi95], 1);
        lines.push(format!(
            "ended early: {interval} is the 95% interval that holds whenever play stops"
        ));
    }
    lines
}

/// The Elo of the units of a test. While the test runs, numbers for a single look are left out.
fn logistic(test: &SprtSummary, result: &MatchElo) -> String {
    let is_open = test.verdict.is_none();
    let holds = if is_open {
        Holds::EveryLook
    } else {
        Holds::Once
    };
    let logistic = in_force(&Estimate::of_match(result, holds));
    if is_open {
        return format!("logistic {logistic}");
    }
    let nelo = result.nelo.zip(result.nelo_lo95).zip(result.nelo_hi95);
    let normalized = nelo.map_or_else(String::new, |((nelo, lo), hi)| {
        format!(", normalized {} {}", signed(nelo, 1), interval([lo, hi], 1))
    });
    let bias = if test.state == State::Running {
        ""
    } else {
        " (biased by early stopping)"
    };
    format!(
        "logistic {logistic}{normalized}, LOS {}{bias}",
        likelihood(result.los)
    )
}

/// The bets of a test, with the capital that accepts or rejects.
fn wagers(test: &SprtSummary, bets: Capitals) -> String {
    let Hypotheses { elo0, elo1, .. } = test.hypotheses;
    let [[made0, made1], [accepts, rejects]] =
        [bets.ln, bets.enough].map(|side| side.map(f64::exp));
    format!(
        "a bet against {} makes {made0:.1} of 1, {accepts:.0} accepts; one against {} makes {made1:.1}, {rejects:.0} rejects",
        bound(elo0),
        bound(elo1)
    )
}

/// A verdict's word, sign and class of colour.
pub(super) fn looks(verdict: Option<Verdict>) -> [&'static str; 3] {
    match verdict {
        Some(Verdict::Accepted) => ["accepted", "✅", "good"],
        Some(Verdict::Rejected) => ["rejected", "❌", "bad"],
        Some(Verdict::Inconclusive) | None => ["undecided", "❔", "muted"],
    }
}

/// The verdict of the sequential test in a sentence; `None` without a test or a unit.
pub(super) fn verdict(report: &RunReport) -> Option<String> {
    let test = report.summary.sprt.as_ref()?;
    let llr = report.history.last()?.llr;
    let [state, ..] = looks(test.verdict);
    let obstacle = match test.obstacle {
        Some(Obstacle::RepeatedUnits) => ", too many of which repeat others move for move",
        Some(Obstacle::OpponentFailed) => ", in most of which the opponent failed",
        Some(Obstacle::MaxUnits) => ", the most that it may take",
        None => "",
    };
    let units = count(report.history.len() as u64, "unit", "units");
    let rule = if test.ended_by == Some(Rule::Betting) {
        " by a bet"
    } else {
        ""
    };
    let bounds = format!("bounds {:.2} and {:.2}", test.lower, test.upper);
    Some(format!(
        "{state}{rule}: LLR {llr:.2} ({bounds}) after {units}{obstacle}"
    ))
}

/// Further lines about the sequential test: the answer, the question, the figures and what limits
/// them.
pub(super) fn details(summary: &Summary) -> Vec<String> {
    let Some(test) = &summary.sprt else {
        return Vec::new();
    };
    let SprtSummary {
        hypotheses,
        max_units,
        ..
    } = test;
    let (alpha, beta) = (hypotheses.alpha, hypotheses.beta);
    let bounds = format!(
        "{} bounds [{}, {}]",
        hypotheses.model, hypotheses.elo0, hypotheses.elo1
    );
    let early = test.bets.map_or("", |_| EARLY);
    let asked = format!("{bounds}, alpha {alpha}, beta {beta}, at most {max_units} units{early}");
    let tested = || Some(tested(test, &failures(summary.games.iter()))?.1);
    no_verdict(summary)
        .or_else(tested)
        .into_iter()
        .chain([asked])
        .chain(report(test))
        .collect()
}

/// The answers to the question of a run, each a sentence with its colour: of the test or the tuning,
/// or of each game.
pub(super) fn answers(report: &RunReport) -> Vec<(Tone, String)> {
    let summary = &report.summary;
    if !report.finding.answers.is_empty() {
        return Vec::new();
    }
    if let Some(reason) = no_verdict(summary) {
        return vec![(Tone::Open, reason)];
    }
    if let Some(test) = &summary.sprt {
        return tested(test, &failures(summary.games.iter()))
            .into_iter()
            .collect();
    }
    let mut answers = Vec::new();
    for game in &summary.games {
        let lead = match &summary.games[..] {
            [_] => String::new(),
            _ => format!("{}: ", game.game),
        };
        answers.extend(of_game(game, &lead));
    }
    answers
}

/// The faults of each bot, to follow a sentence. A gain over a bot that crashes is no gain in
/// strength.
fn failures<'a>(games: impl Iterator<Item = &'a Game>) -> String {
    let bots = games.flat_map(|game| &game.bots);
    let failed = bots
        .map(|bot| (&bot.name, faults::of_bot(bot)))
        .filter(|(_, times)| *times > 0);
    let failed: Vec<String> = failed
        .map(|(name, times)| format!("{name} failed {}", count(times, "time", "times")))
        .collect();
    if failed.is_empty() {
        String::new()
    } else {
        format!("; faults: {}", failed.join(", "))
    }
}

/// The reason why nothing was measured, if so.
pub(crate) fn no_verdict(summary: &Summary) -> Option<String> {
    let told = |failed: &FailedBot| {
        let FailedBot { bot, failed, units } = failed;
        let mut bots = summary.games.iter().flat_map(|game| &game.bots);
        let faults = bots
            .find(|counted| counted.name == *bot)
            .into_iter()
            .flat_map(|bot| &bot.faults);
        let fates: Vec<&str> = faults
            .filter(|(_, times)| **times > 0)
            .map(|(fate, _)| *fate)
            .collect();
        format!(
            "{bot} failed in {failed} of its first {units} units ({})",
            fates.join(", ")
        )
    };
    let told: Vec<String> = summary.no_verdict.iter().map(told).collect();
    (!told.is_empty()).then(|| {
        format!(
            "no verdict: {}; this measures no strength, `arena check` tells why",
            told.join(", ")
        )
    })
}

/// The answer of a game without a test, after `lead`.
fn of_game(game: &Game, lead: &str) -> Option<(Tone, String)> {
    let (ink, [name, rest]) = headline(game)?;
    Some((
        ink,
        format!("{lead}{name}{rest}{}", failures(std::iter::once(game))),
    ))
}

fn tested(test: &SprtSummary, failures: &str) -> Option<(Tone, String)> {
    let result = test.result?;
    let estimate = test.estimate()?;
    let [lo, hi] = estimate.interval();
    let (elo0, elo1) = (test.hypotheses.elo0, test.hypotheses.elo1);
    let (claim, end) = match (test.verdict, test.obstacle) {
        (Some(Verdict::Accepted), _) if elo0 >= 0.0 || lo > 0.0 => ("is stronger", "accepted"),
        (Some(Verdict::Accepted), _) => ("passes, it is no worse than allowed", "accepted"),
        (Some(Verdict::Rejected), _) if elo1 <= 0.0 || hi < 0.0 => ("is weaker", "rejected"),
        (Some(Verdict::Rejected), _) => ("does not pass, it is not strong enough", "rejected"),
        (None, _) => ("is not decided yet", "still running"),
        (_, Some(Obstacle::RepeatedUnits)) => (
            "is not to be judged",
            "inconclusive: units repeat; use opening_plies or bot seeds",
        ),
        (_, Some(Obstacle::OpponentFailed)) => (
            "is not to be judged",
            "inconclusive: the opponent failed in most units",
        ),
        (Some(Verdict::Inconclusive), _) => (
            "is not decided",
            "inconclusive: the maximum of units was played",
        ),
    };
    let candidate = &test.candidate;
    let model = if test.hypotheses.model == Model::Normalized {
        " normalized"
    } else {
        ""
    };
    let elo = in_force(&estimate);
    let ink = match test.verdict {
        Some(Verdict::Accepted) => Tone::Good,
        Some(Verdict::Rejected) => Tone::Bad,
        Some(Verdict::Inconclusive) | None => Tone::Open,
    };
    let games = result.games;
    let is_early = test.anytime.is_some() && test.obstacle.is_none();
    let early = if is_early { " early" } else { "" };
    Some((
        ink,
        format!(
            "{candidate} {claim}: {elo}, {games} games, SPRT{model} [{elo0}, {elo1}] {end}{early}{failures}"
        ),
    ))
}

/// The state of a match of two bots in a line.
pub(super) fn match_standing(game: &Game) -> Option<String> {
    let Difference { first, second, by } = game.difference.as_ref()?;
    let value = in_force(by);
    let WinsDrawsLosses {
        wins,
        draws,
        losses,
    } = game.pairings.first()?.results;
    Some(format!(
        "{first} against {second}: {value}, W-D-L {wins}-{draws}-{losses}"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;
    use arena_stats::elo::match_elo;
    use arena_stats::scores::UnitScores;
    use arena_stats::sprt::Sprt;
    use arena_stats::sprt::betting::anytime;

    #[test]
    fn a_clear_case_tells_the_rule_that_ended_it() {
        let mut report = report("x");
        let test = report.summary.sprt.as_mut().unwrap();
        let scores = UnitScores::from_counts(4, [0, 0, 2, 1, 12]).unwrap();
        test.bets = Sprt::early(test.hypotheses, 2, scores.clone()).capitals();
        (test.state, test.ended_by, test.anytime) =
            (State::Accepted, Some(Rule::Betting), Some(anytime(&scores)));
        (test.unit_scores, test.unit_counts) = scores.values().unzip();
        test.distinct_units = scores.units();
        (test.llr, test.result) = (0.38, match_elo(&scores, 2));
        insta::assert_snapshot!(details(&report.summary).join("\n"));
        assert_eq!(
            verdict(&report).unwrap(),
            "accepted by a bet: LLR 3.10 (bounds -2.94 and 2.94) after 2 units"
        );
    }

    #[test]
    fn a_bound_that_was_reached_with_units_that_repeat_is_no_verdict() {
        let mut report = report("x");
        assert_eq!(
            verdict(&report).unwrap(),
            "accepted: LLR 3.10 (bounds -2.94 and 2.94) after 2 units"
        );
        let test = report.summary.sprt.as_mut().unwrap();
        (test.verdict, test.obstacle) =
            (Some(Verdict::Inconclusive), Some(Obstacle::RepeatedUnits));
        let lines = details(&report.summary);
        assert!(lines.contains(
            &"logistic bounds [0, 10], alpha 0.05, beta 0.05, at most 10 units".to_owned()
        ));
        let sentence = verdict(&report).unwrap();
        assert!(
            sentence.starts_with("undecided: LLR 3.10") && sentence.ends_with("move for move"),
            "{sentence}"
        );
    }

    #[test]
    fn a_single_failure_is_one_time() {
        let report = report("x");
        assert_eq!(
            failures(report.summary.games.iter()),
            "; faults: x c failed 1 time"
        );
    }
}
