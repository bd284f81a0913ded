//! JUnit XML, which CI systems show as tests. Each game is a suite with a case for each bot. A
//! case fails if the bot had a fault and the run is about it; faults of other bots are skipped
//! cases. A sequential test, a sweep or a tuning is a suite, too. Games that weren't played are an
//! error. The XML keeps to the schemas of Jenkins (`tests/it/ci.rs`).

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::RunReport;
use crate::standings::faults::FaultDetails;
use crate::standings::tables::{faults as counted_faults, headline, same_program, strength};
use crate::standings::{BotSummary, Game};
use crate::study::Outcome;
use arena_section::text::harmless_lines;
use arena_section::words::{count, percent};

/// A run as JUnit XML. Hidden characters are escaped, also those that XML can't hold.
pub(crate) fn junit(report: &RunReport) -> Result<String, SerializeError> {
    let summary = &report.summary;
    let mut junit = Report::new(&summary.run.name);
    if let Some(seconds) = summary.run.seconds {
        junit.set_time(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    }
    junit.add_test_suites(summary.games.iter().map(|game| {
        let cases = game.bots.iter().map(|bot| case(game, bot, report));
        suite(&game.game, cases)
    }));
    junit.add_test_suites(found(report));
    junit.add_test_suites(unplayed(report));
    // The schema of Jenkins has no count of skipped tests at the root. No name can hold a quotation
    // mark here.
    let skipped = format!(" skipped=\"{}\"", junit.skipped);
    let xml = junit.to_string()?.replacen(&skipped, "", 1);
    Ok(harmless_lines(&xml))
}

fn suite(name: &str, cases: impl IntoIterator<Item = TestCase>) -> TestSuite {
    let mut suite = TestSuite::new(name);
    suite.add_test_cases(cases);
    suite
}

fn case(game: &Game, bot: &BotSummary, report: &RunReport) -> TestCase {
    let status = match bot.faults() {
        0 => TestCaseStatus::success(),
        _ if report.is_about(&game.game, &bot.name) => failure(game, bot, report),
        _ => skipped(&format!(
            "{}; it is an opponent: not a failure of the bot under test\n{}",
            failed(bot),
            first_fault(game, bot, report)
        )),
    };
    let mut case = TestCase::new(&bot.name, status);
    case.set_classname(format!("{}.{}", report.summary.run.name, game.game));
    let score = percent(bot.score);
    let games = count(bot.games, "game", "games");
    let results = format!("{games}, score {score}");
    case.set_system_out(if report.finding.unrated.is_empty() {
        let (rank, strength) = (bot.rank, after_score(game, bot));
        format!("rank {rank}, {results}{strength}")
    } else {
        results
    });
    case
}

/// The strength of a bot, after its score.
fn after_score(game: &Game, bot: &BotSummary) -> String {
    match game.pair() {
        // Two bots have one number, their difference.
        Some(_) => match headline(game) {
            Some(first) if bot.name == game.bots[0].name => format!(", {first}"),
            _ => String::new(),
        },
        None => format!(", {}{}", strength(bot, game), same_program(game, &bot.name)),
    }
}

fn failure(game: &Game, bot: &BotSummary, report: &RunReport) -> TestCaseStatus {
    let worst = bot.faults.iter().max_by_key(|(_, count)| **count);
    let worst = worst.map_or("", |(fate, _)| *fate);
    let mut status = failed_as(worst, &failed(bot));
    status.set_description(first_fault(game, bot, report));
    status
}

/// How often a bot failed.
fn failed(bot: &BotSummary) -> String {
    format!(
        "{} in {}",
        counted_faults(bot).unwrap_or_default(),
        count(bot.games, "game", "games")
    )
}

/// The first fault of a bot, if the report has it in full.
fn first_fault(game: &Game, bot: &BotSummary, report: &RunReport) -> String {
    let is_own = |fault: &&FaultDetails| fault.game == game.game && fault.bot == bot.name;
    let Some(fault) = report.faults.iter().find(is_own) else {
        return String::new();
    };
    let (number, seat, turn) = (fault.number, fault.seat, fault.turn);
    let what = match fault.what() {
        what if what.is_empty() => what,
        what => format!(": {what}"),
    };
    let (fate, again, end) = (&fault.fate, &fault.again, &fault.stderr_tail);
    format!("game {number}, seat {seat}, turn {turn}: {fate}{what}\nsee it again: {again}\n{end}")
}

/// The findings of this kind of run, as a suite with a single case.
fn found(report: &RunReport) -> Option<TestSuite> {
    let finding = &report.finding;
    let [suite, case] = finding.case.as_ref()?;
    let answers: Vec<String> = finding.answers.iter().map(ToString::to_string).collect();
    let answer = answers.join("\n");
    let status = match finding.outcome {
        Outcome::Answered | Outcome::Passed => TestCaseStatus::success(),
        Outcome::Rejected => failed_as("rejected", &answer),
        Outcome::Open | Outcome::Undecided | Outcome::NothingMeasured => skipped(&answer),
    };
    let mut output = answers;
    for section in &finding.sections {
        output.extend(section.lead.iter().map(ToString::to_string));
        output.extend(section.notes().cloned());
    }
    let mut case = TestCase::new(case, status);
    case.set_classname(class(report, suite))
        .set_system_out(output.join("\n"));
    Some(self::suite(suite, [case]))
}

/// The class of a case that is about a whole run. CI systems know a case by its class and its name.
fn class(report: &RunReport, suite: &str) -> String {
    let summary = &report.summary;
    let games: Vec<&str> = summary.games.iter().map(|game| &*game.game).collect();
    format!("{}.{}.{suite}", summary.run.name, games.join("+"))
}

/// Games that have no result, as a suite with a single case; `None` if all that the run needed were
/// played.
fn unplayed(report: &RunReport) -> Option<TestSuite> {
    let run = &report.summary.run;
    if report.summary.games_played >= run.games_planned {
        return None;
    }
    let why = why_unplayed(report)?;
    let at_most = if report.plan.study.is_ended_by_results() {
        "at most "
    } else {
        ""
    };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type("unplayed").set_message(format!(
        "only {} of {at_most}{} were played: {why}",
        report.summary.games_played,
        count(run.games_planned, "game", "games")
    ));
    let mut case = TestCase::new("all games were played", status);
    case.set_classname(class(report, "games"));
    Some(suite("games", [case]))
}

/// Why games are missing; `None` if the run has its answer without them.
fn why_unplayed(report: &RunReport) -> Option<String> {
    let run = &report.summary.run;
    let why = match &run.first_abort {
        _ if run.finished && run.games_aborted == 0 => return ended_in_vain(report),
        _ if report.is_played => "the run is still being played",
        Some(why) => why,
        None if run.games_aborted > 0 => "no reason was kept; --resume tries again",
        None => "the run is not finished; --resume plays the rest",
    };
    Some(why.to_owned())
}

/// Why a run ended early without an answer.
fn ended_in_vain(report: &RunReport) -> Option<String> {
    let finding = &report.finding;
    if finding.outcome != Outcome::NothingMeasured {
        return None;
    }
    let what = report.plan.study.word();
    if finding.failed.is_empty() {
        return Some(format!("the {what} ended because it measured nothing"));
    }
    let failed: Vec<String> = finding.failed.iter().map(ToString::to_string).collect();
    Some(format!("{}, so the {what} ended", failed.join(", ")))
}

fn failed_as(kind: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(kind).set_message(message);
    status
}

/// A skipped case. Its reason is content, because the older schema has no attributes here.
fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_description(why);
    status
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quick_junit::XmlString;

    use super::super::tests::report;
    use super::*;
    use crate::results::FailedBot;
    use crate::study::examples;

    #[test]
    fn a_small_run() {
        insta::assert_snapshot!(junit(&report("run")).unwrap());
    }

    #[test]
    fn a_race_that_is_not_over_is_skipped() {
        let mut report = report("run");
        report.finding = examples::unfinished("run");
        let [name, _] = report.finding.case.clone().unwrap();
        let xml = Report::deserialize_from_str(&junit(&report).unwrap()).unwrap();
        let suite = xml.test_suites.last().unwrap();
        assert_eq!(
            (suite.name.as_str(), suite.skipped, suite.failures),
            (&*name, 1, 0)
        );
        let TestCaseStatus::Skipped { description, .. } = &suite.test_cases[0].status else {
            panic!("{suite:?}")
        };
        let why = "remaining: run 1, run 2, run 3; the race is not over";
        assert_eq!(description.as_ref().unwrap().as_str(), why);
        let out = suite.test_cases[0].system_out.as_ref().unwrap();
        assert!(
            out.as_str()
                .starts_with(&format!("{why}\nrun: 4 variants against run, ")),
            "{out:?}"
        );
    }

    #[test]
    fn the_outcome_decides_whether_the_case_fails() {
        let mut report = report("run");
        for (outcome, skipped, failures) in [
            (Outcome::Answered, 0, 0),
            (Outcome::Passed, 0, 0),
            (Outcome::Rejected, 0, 1),
            (Outcome::Open, 1, 0),
            (Outcome::Undecided, 1, 0),
            (Outcome::NothingMeasured, 1, 0),
        ] {
            report.finding.outcome = outcome;
            let xml = Report::deserialize_from_str(&junit(&report).unwrap()).unwrap();
            let suite = xml.test_suites.last().unwrap();
            assert_eq!(
                (suite.skipped, suite.failures),
                (skipped, failures),
                "{outcome:?}"
            );
        }
    }

    /// The message of the error that games weren't played.
    fn error(report: &RunReport) -> String {
        let xml = Report::deserialize_from_str(&junit(report).unwrap()).unwrap();
        let suite = xml.test_suites.last().unwrap();
        assert_eq!((suite.name.as_str(), suite.errors), ("games", 1));
        let TestCaseStatus::NonSuccess { message, ty, .. } = &suite.test_cases[0].status else {
            panic!("{suite:?}")
        };
        assert_eq!(ty.as_ref().unwrap().as_str(), "unplayed");
        message.as_ref().unwrap().to_string()
    }

    #[test]
    fn games_that_were_not_played_are_an_error() {
        let mut report = report("run");
        report.summary.run.games_planned = report.summary.games_played + 197;
        report.summary.run.finished = false;
        let rest = "the run is not finished; --resume plays the rest";
        for (is_played, aborted, why, told) in [
            (false, 0, None, rest),
            (false, 2, None, "no reason was kept; --resume tries again"),
            (false, 2, Some("the referee ended"), "the referee ended"),
            (true, 0, None, "the run is still being played"),
        ] {
            report.is_played = is_played;
            report.summary.run.games_aborted = aborted;
            report.summary.run.first_abort = why.map(str::to_owned);
            let told = format!("only 28 of 225 games were played: {told}");
            assert_eq!(error(&report), told);
        }
    }

    #[test]
    fn games_of_a_run_that_measured_nothing_are_an_error() {
        let mut report = report("run");
        let run = &mut report.summary.run;
        run.games_planned = report.summary.games_played + 372;
        (run.finished, run.games_aborted) = (true, 0);
        assert!(unplayed(&report).is_none());
        report.finding.outcome = Outcome::NothingMeasured;
        let told = "only 28 of 400 games were played: the match ended because it measured nothing";
        assert_eq!(error(&report), told);
        let failed = |bot: &str, failed| FailedBot {
            bot: bot.to_owned(),
            failed,
            units: 10,
        };
        report.finding.failed = vec![failed("old", 6), failed("new", 10)];
        let told = "only 28 of 400 games were played: old failed in 6 of its first 10 units, new failed in 10 of its first 10 units, so the match ended";
        assert_eq!(error(&report), told);
        report.summary.run.games_planned = report.summary.games_played;
        assert!(unplayed(&report).is_none());
    }

    #[test]
    fn games_that_a_decided_test_did_not_need_are_no_error() {
        let mut report = report("run");
        report.plan.study = examples::planned().into();
        report.summary.run.games_planned = report.summary.games_played + 197;
        report.summary.run.games_aborted = 0;
        report.summary.run.finished = false;
        let xml = junit(&report).unwrap();
        assert!(
            xml.contains("only 28 of at most 225 games were played: the run is not finished"),
            "{xml}"
        );
        report.summary.run.finished = true;
        assert!(unplayed(&report).is_none());
    }

    #[test]
    fn characters_that_xml_forbids_are_escaped() {
        let xml = junit(&report("a\u{fffe}\u{ffff}\u{1ffff}\u{200f}b")).unwrap();
        assert!(
            xml.contains(r"a\u{fffe}\u{ffff}\u{1ffff}\u{200f}b"),
            "{xml}"
        );
        assert!(
            !xml.chars()
                .any(|c| c != '\n' && arena_section::text::is_hidden(c))
        );
    }

    proptest! {
        /// A reader of XML finds every name as it was, but for what XML cannot hold.
        #[test]
        fn any_names_are_read_back(outside in r#"[<>&"' a-z\]\[!\u{1b}-]{1,20}"#) {
            let names = |report: &Report| -> Vec<String> {
                report.test_suites.iter().flat_map(|suite| &suite.test_cases).map(|case| case.name.to_string()).collect()
            };
            let xml = junit(&report(&outside)).unwrap();
            let read = Report::deserialize_from_str(&xml).unwrap();
            prop_assert_eq!(read.test_suites.len(), 3);
            let expected = |bot: &str| XmlString::new(format!("{outside} {bot}")).to_string();
            prop_assert!(names(&read).contains(&XmlString::new(&outside).to_string()), "{}", xml);
            prop_assert!(["a", "b", "c"].iter().all(|bot| names(&read).contains(&expected(bot))), "{}", xml);
        }
    }
}
