//! What a sequential test, or a match of two bots, has to say, in words.

use super::table::signed;
use crate::summary::sprt::{Check, Match, Obstacle, Question, SprtSummary, Unbiased, Verdict};
use crate::summary::{BotSummary, GameSummary, Summary};
use arena_stats::sprt::{Model, State};

/// What a test asks, before it begins.
pub(crate) fn question(question: &Question) -> Vec<String> {
    let Question { hypotheses, candidate, opponent, seats, max_units, check_units, .. } = question;
    let (alpha, beta) = (100.0 * hypotheses.alpha(), 100.0 * hypotheses.beta());
    let mut lines = vec![format!(
        "question: is {candidate} worth {} {} or more against {opponent} (accepted), or {} or less (rejected)? {alpha}% and \
         {beta}% wrong answers, undecided after {max_units} units",
        bound(hypotheses.elo1()),
        unit_of(hypotheses.model()),
        bound(hypotheses.elo0()),
    )];
    if *seats > 2 {
        lines.push(format!("design: {MIRROR}"));
    }
    if *check_units > 0 {
        lines.push(format!("then a check: {check_units} units of {candidate} alone against three of {opponent}"));
    }
    lines
}

/// What one must know of the design for four seats.
const MIRROR: &str = "2v2 mirror: two seats for each bot, swapped on the same seed. That includes how two copies of a bot treat \
                      each other, which no mixed field contains: before adopting a change, see check_1v3";

/// How a test stands, for a line that is shown while it goes on.
pub(crate) fn standing(test: &SprtSummary) -> String {
    let bound = if test.llr >= 0.0 { test.upper } else { test.lower };
    let percent = 100.0 * test.progress.clamp(0.0, 1.0);
    let mut parts = vec![format!("LLR {:+.2} of {bound:+.2} ({percent:.0}%)", test.llr + 0.0)];
    parts.extend(test.expected_games_left.map(|games| format!("about {games:.0} games left")));
    parts.extend(test.result.as_ref().map(interval));
    if let Some(check) = test.check_1v3.filter(|_| test.verdict.is_some()) {
        let units = check.result.map_or(0, |result| result.units);
        parts.push(format!("1v3 check {units}/{} units", check.units_planned));
    }
    if test.is_repetitive() {
        parts.push("UNITS REPEAT".to_owned());
    }
    parts.join(", ")
}

/// What there is to say after a test, a line each.
pub(crate) fn report(test: &SprtSummary) -> Vec<String> {
    let Some(result) = &test.result else { return vec!["test: no unit is complete".to_owned()] };
    let state = if test.state == State::Running { "no bound reached".to_owned() } else { test.state.to_string() };
    let design = if test.design == "mirror" { ", 2v2 mirror" } else { "" };
    let mut lines = vec![format!(
        "test: {} units of {} games{design}, LLR {:+.2}; {:+.2} accepts, {:+.2} rejects: {state}",
        result.units,
        test.games_per_unit,
        test.llr + 0.0,
        test.upper,
        test.lower
    )];
    let scores = test.unit_scores.iter().zip(&test.unit_counts).filter(|(_, count)| **count > 0);
    let scores: Vec<String> = scores.map(|(score, count)| format!("{count} x {score}")).collect();
    lines.push(format!("  unit scores: {}", scores.join(", ")));
    let bias = if test.state == State::Running { "" } else { " (at the stop, where it is too extreme)" };
    let nelo = result.nelo.filter(|nelo| nelo.is_finite());
    let nelo = nelo.map_or_else(String::new, |nelo| format!(", normalized {}", signed(nelo)));
    lines.push(format!("  plain {}{nelo}, LOS {:.1}%{bias}", interval(result), 100.0 * result.los));
    if let Some(unbiased) = &test.median_unbiased {
        let Unbiased { elo, lo95, hi95, los } = unbiased;
        let elo = elo_between([*elo, *lo95, *hi95]);
        lines.push(format!("  unbiased {elo}, LOS {:.1}%, which allows for the stop", 100.0 * los));
    }
    lines.extend(repeats(test, result));
    if test.drawish {
        lines.push(
            "  so many units are level that a real gain can hardly reach elo1: prefer bounds closer to 0, or model = \
                    \"normalized\""
                .to_owned(),
        );
    }
    if test.design == "mirror" {
        lines.push(format!("  {MIRROR}"));
    }
    lines.extend(test.check_1v3.iter().map(check));
    lines
}

fn repeats(test: &SprtSummary, result: &Match) -> Option<String> {
    let repeated = result.units - test.distinct_units;
    (repeated > 0).then(|| {
        format!(
            "  repeated units: {repeated} of {}, the same bots playing the same moves; they say nothing new: use \
             opening_plies, or bots that draw from {{seed}}",
            result.units
        )
    })
}

fn check(check: &Check) -> String {
    let Some(result) = &check.result else { return "  check, 1v3: not played yet".to_owned() };
    let apart = check.deviations_apart.map_or_else(
        || "; too few units to compare with 2v2".to_owned(),
        |apart| {
            let meaning = if check.self_interaction {
                "self-interaction: copies of a bot help or hurt each other, believe games among other bots"
            } else {
                "no more than chance"
            };
            format!(
                "; {:.1} standard errors {} 2v2: {meaning}",
                apart.abs(),
                if apart < 0.0 { "below" } else { "above" }
            )
        },
    );
    format!("  check, 1v3: {} over {} units{apart}", interval(result), result.units)
}

/// The one sentence that answers the question of a run of one game: of a test, of a match of two bots, or who leads.
pub(crate) fn answer(summary: &Summary) -> Option<String> {
    let answer = match (&summary.sprt, &summary.games[..]) {
        // Its variants never met; what it found is told apart.
        _ if summary.sweep.is_some() => None,
        (Some(test), _) => tested(test),
        (None, [game]) if game.bots.len() == 2 => matched(game),
        (None, [game]) => leads(game),
        _ => None,
    };
    answer.map(|answer| answer + &faults(summary))
}

/// Who failed how often: a gain over a bot that crashes is no gain in strength.
fn faults(summary: &Summary) -> String {
    let failed = |bot: &BotSummary| {
        let faults: u64 = bot.faults.values().sum();
        (faults > 0).then(|| format!("{} failed {faults} times", bot.name))
    };
    let failed: Vec<String> = summary.games.iter().flat_map(|game| game.bots.iter().filter_map(failed)).collect();
    if failed.is_empty() { String::new() } else { format!("; faults: {}", failed.join(", ")) }
}

/// Who stands first among several bots, and how sure that is.
fn leads(game: &GameSummary) -> Option<String> {
    let [leader, next, ..] = &game.bots[..] else { return None };
    let (ahead, los) = (leader.elo? - next.elo?, leader.los_next?);
    let (leader, next) = (&leader.name, &next.name);
    Some(format!("{leader} leads: {} Elo ahead of {next}, and stronger with {:.1}%", signed(ahead), 100.0 * los))
}

fn tested(test: &SprtSummary) -> Option<String> {
    let result = test.result.as_ref()?;
    let [elo, lo, hi] = test
        .median_unbiased
        .map_or([result.elo, result.lo95, result.hi95], |unbiased| [unbiased.elo, unbiased.lo95, unbiased.hi95]);
    let model = if test.model == Model::Normalized { " normalized" } else { "" };
    let bounds = format!("SPRT{model} [{}, {}]", test.elo0, test.elo1);
    let (claim, end) = match (test.verdict, test.obstacle) {
        (Some(Verdict::Accepted), _) if test.elo0 >= 0.0 || lo > 0.0 => ("is stronger", "accepted"),
        (Some(Verdict::Accepted), _) => ("passes, it is no worse than allowed", "accepted"),
        (Some(Verdict::Rejected), _) if test.elo1 <= 0.0 || hi < 0.0 => ("is weaker", "rejected"),
        (Some(Verdict::Rejected), _) => ("does not pass, it is not strong enough", "rejected"),
        (Some(Verdict::Inconclusive), Some(Obstacle::RepeatedUnits)) => {
            ("is not to be judged", "inconclusive: units repeat; use opening_plies or bot seeds")
        }
        (Some(Verdict::Inconclusive), Some(Obstacle::BothFailed)) => {
            ("is not to be judged", "inconclusive: both bots failed in most units")
        }
        (Some(Verdict::Inconclusive), _) => ("is not decided", "inconclusive: the maximum of units was played"),
        (None, _) => ("is not decided yet", "still running"),
    };
    let candidate = &test.candidate;
    let elo = elo_between([elo, lo, hi]);
    Some(format!("{candidate} {claim}: {elo}, {} games, {bounds} {end}", result.games))
}

/// How a match of two bots stands, for a line that is shown while it goes on.
pub(crate) fn match_standing(game: &GameSummary) -> Option<String> {
    let [pairing] = &game.pairings[..] else { return None };
    let elo = pairing.elo.filter(|_| game.bots.len() == 2)?;
    let value = elo_between([elo.elo, elo.lo95, elo.hi95]);
    let (first, second, wins, draws, losses) =
        (&pairing.first, &pairing.second, pairing.wins, pairing.draws, pairing.losses);
    Some(format!("{first} against {second}: {value}, W-D-L {wins}-{draws}-{losses}"))
}

/// A match without a test, from the side of the bot that comes first in the plan.
fn matched(game: &GameSummary) -> Option<String> {
    let pairing = game.pairings.first()?;
    let elo = pairing.elo?;
    let claim = match (elo.lo95 > 0.0, elo.hi95 < 0.0) {
        (true, _) => "is stronger",
        (_, true) => "is weaker",
        _ => "is neither stronger nor weaker as far as can be seen",
    };
    let value = elo_between([elo.elo, elo.lo95, elo.hi95]);
    let (first, second, games) = (&pairing.first, &pairing.second, game.games);
    Some(format!("{first} {claim}: {value} against {second}, {games} games, LOS {:.1}%", 100.0 * elo.los))
}

fn interval(result: &Match) -> String {
    elo_between([result.elo, result.lo95, result.hi95])
}

/// Elo with both ends; a bot that won or lost everything has one end only.
fn elo_between([elo, lo, hi]: [f64; 3]) -> String {
    match elo {
        f64::INFINITY => format!("more than {} Elo, won everything", signed(lo)),
        f64::NEG_INFINITY => format!("less than {} Elo, lost everything", signed(hi)),
        _ => format!("{} Elo [{}, {}]", signed(elo), signed(lo), signed(hi)),
    }
}

fn bound(elo: f64) -> String {
    if elo == 0.0 { "0".to_owned() } else { format!("{elo:+}") }
}

fn unit_of(model: Model) -> &'static str {
    match model {
        Model::Logistic => "Elo",
        Model::Normalized => "normalized Elo",
    }
}
