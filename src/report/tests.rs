//! A run made by hand, for tests of the reports.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::RunReport;
use super::replays::Embedded;
use crate::plan::{Plan, PlannedGame, StudyPlan, UnitSize};
use crate::play::Step;
use crate::play::record::{Record, Seed};
use crate::play::{Clock, KeptStderr};
use crate::results::{GameResult, SeatResult, Stop, StoredGame};
use crate::standings::faults::{FaultCause, FaultDetails};
use crate::standings::metrics::MetricTally;
use crate::standings::{Summary, Tally};
use crate::store::{Header, VERSION};
use crate::study::{Finding, examples};
use arena_games::{Fate, File, Folder, Games, Options, Reason, Wanted};
use arena_process::{Launch, Mode};
use arena_schedule::{Design, Format, UnitDesign};

/// A run whose texts from outside are all `outside`, or begin with it.
pub(crate) fn report(outside: &str) -> RunReport {
    let bots = ["a", "b", "c"].map(|bot| format!("{outside} {bot}"));
    RunReport {
        is_played: false,
        summary: Summary {
            fault_causes: vec![FaultCause {
                game: "onitama".to_owned(),
                bot: bots[2].clone(),
                fate: Fate::Crashed,
                cause: outside.to_owned(),
                count: 2,
                first: 15,
            }],
            ..Summary::new(header(outside), &tally(&bots, outside), &Stop::Announced)
        },
        finding: finding(outside),
        files: Vec::new(),
        plan: plan(&bots, outside),
        faults: vec![fault(&bots[2], outside)],
        replays: Embedded {
            list: outside.to_owned(),
            listed: 1,
            data: BTreeMap::from([(15, outside.to_owned())]),
            first: Some(15),
            left_out: vec![(3, outside.to_owned())],
            unlisted: 0,
        },
        metrics: metrics(&bots, outside),
    }
}

/// The findings of a sweep, with the section of a sequential test as well.
fn finding(outside: &str) -> Finding {
    let mut finding = examples::finished(outside);
    // A run that isn't a sweep has standings.
    finding.unrated = "";
    let test = examples::accepted(outside);
    finding.sections.extend(test.sections);
    finding
}

/// The metrics of two bots, each from one answer.
fn metrics(bots: &[String; 3], outside: &str) -> MetricTally {
    let answer = |seat: usize| Step {
        metrics: BTreeMap::from([(outside.to_owned(), 1.5)]),
        stderr: Some(outside.into()),
        ..step(u32::try_from(seat + 1).unwrap(), seat, outside)
    };
    let mut tally = MetricTally::default();
    tally.add(&Record {
        number: Some(1),
        unit: Some(1),
        game: "minishogi".to_owned(),
        seed: Seed(1),
        bots: bots.to_vec(),
        steps: vec![answer(0), answer(2)],
        scores: vec![0, 0],
        reason: outside.to_owned(),
        ..Record::default()
    });
    tally
}

/// An answer of a bot.
fn step(turn: u32, player: usize, output: &str) -> Step {
    Step {
        turn,
        player,
        input: None,
        hash: None,
        shown: None,
        output: Some(output.into()),
        fault: None,
        metrics: BTreeMap::new(),
        stderr: None,
    }
}

fn header(outside: &str) -> Header {
    Header {
        version: VERSION,
        name: outside.to_owned(),
        digest: "0123456789abcdef".to_owned(),
        seed: "1".to_owned(),
        games_planned: 28,
        finished: false,
        extended: false,
        go_on: Some(outside.to_owned()),
        games_unused: 0,
        games_aborted: 1,
        first_abort: None,
        games_voided: 0,
        first_replay: None,
        games_per_second: Some(10.0),
        sandbox: Some(outside.to_owned()),
        ended_at: Some(1_700_000_000),
        seconds: Some(2.4),
    }
}

/// Eight units of each pairing of two seats. The third bot crashes in one game.
fn tally(bots: &[String; 3], map: &str) -> Tally {
    let mut tally = Tally::default();
    let known = Games::standard();
    let [minishogi, kutulu] = ["minishogi", "kutulu"].map(|id| known.find(id).unwrap());
    for (spec, seats) in [(minishogi, 2), (kutulu, 4)] {
        let size = UnitSize {
            design: UnitDesign::new(spec.default_seats(), seats),
            games: seats.into(),
        };
        tally.expect(spec, size, bots);
    }
    let read = |_: Wanted<'_>| {
        let content = b"SSSS".to_vec();
        Ok(Folder {
            digest: String::new(),
            files: vec![File {
                path: format!("{map}.txt").into(),
                content,
            }],
        })
    };
    let on_map = kutulu
        .configured(
            &Options::from_iter([("maps".to_owned(), "maps".into())]),
            &read,
        )
        .unwrap();
    tally.expect_boards(&on_map);
    let scores = [1, 1, 1, -1, 0, 1, -1, 1];
    let pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
    for number in 0..24 {
        let ((first, second), score) = (pairs[number % 6], scores[number % 8]);
        let fate = |bot: usize| match (number, bot) {
            (15, 2) => Fate::Crashed,
            _ => Fate::Ok,
        };
        let seats = [(first, score), (second, -score)];
        let seats = seats
            .map(|(bot, score)| seat(&bots[bot], score, 1 + usize::from(score < 0), fate(bot)));
        add(&mut tally, "minishogi", number, &seats);
    }
    for game in 0..4 {
        let mut seats = [(0, 9, 1), (1, 7, 2), (2, 5, 3), (2, 5, 3)];
        seats.rotate_left(game);
        let seats = seats.map(|(bot, score, place)| seat(&bots[bot], score, place, Fate::Ok));
        add(&mut tally, "kutulu", 96 + game, &seats);
    }
    tally
}

fn seat(bot: &str, score: i64, place: usize, fate: Fate) -> SeatResult {
    SeatResult {
        bot: bot.to_owned(),
        score,
        place,
        fate,
    }
}

fn add(tally: &mut Tally, game: &str, number: usize, seats: &[SeatResult]) {
    let unit = if seats.len() == 2 {
        number as u64 / 6 * 3 + number as u64 % 6 / 2
    } else {
        24
    };
    let turns = 2 * u32::try_from(seats.len()).unwrap();
    let (number, reason) = (number as u64, Reason::Checkmate);
    let result = GameResult {
        number,
        unit,
        game: game.to_owned(),
        seed: 1,
        reason: reason.to_string(),
        turns,
        moves: Some(number),
        lower_is_better: false,
        seats: seats.to_vec(),
    };
    let step = |turn: u32| {
        step(
            turn,
            turn as usize % seats.len(),
            &format!("{number} {turn}"),
        )
    };
    let record = Record {
        number: Some(number),
        unit: Some(unit),
        game: game.to_owned(),
        seed: Seed(1),
        bots: seats.iter().map(|seat| seat.bot.clone()).collect(),
        steps: (0..turns).map(step).collect(),
        scores: seats.iter().map(|seat| seat.score).collect(),
        reason: result.reason.clone(),
        ms: (0..turns).map(|turn| f64::from(turn) / 2.0 + 0.1).collect(),
        ..Record::default()
    };
    tally.add(&StoredGame { result, record }, true).unwrap();
}

fn plan(bots: &[String; 3], outside: &str) -> Plan {
    let clock = Clock {
        first_turn: Duration::from_secs(1),
        turn: Duration::from_millis(100),
        startup: Duration::from_secs(2),
        no_ponder: true,
        ..Clock::default()
    };
    let game = |id: &str, maps: Option<String>| PlannedGame {
        id: id.to_owned(),
        referee: None,
        clock,
        opening_plies: 4,
        seats: None,
        options: maps
            .map(|maps| ("maps".to_owned(), maps.into()))
            .into_iter()
            .collect(),
        bots: bots.to_vec(),
        spec: Games::standard().find(id).cloned(),
    };
    let bot = |name: &String| Launch {
        name: name.clone(),
        command: vec![outside.to_owned(), outside.to_owned()],
        env: BTreeMap::from([(outside.to_owned(), outside.to_owned())]),
        ..Launch::default()
    };
    Plan {
        name: outside.to_owned(),
        design: Some(Design::Rotations),
        seed: 1,
        trace: false,
        metrics: false,
        stderr: KeptStderr::Fault,
        sandbox: Mode::default(),
        memory_mb: 768,
        study: StudyPlan::list(Format::RoundRobin, 8),
        languages: BTreeMap::new(),
        games: vec![
            game("minishogi", None),
            game("kutulu", Some(outside.to_owned())),
        ],
        bots: bots.iter().map(bot).collect(),
    }
}

fn fault(bot: &str, outside: &str) -> FaultDetails {
    let text = Some(outside.to_owned());
    FaultDetails {
        number: 15,
        game: "minishogi".to_owned(),
        bot: bot.to_owned(),
        seat: 0,
        turn: 7,
        fate: Fate::Crashed,
        limit_ms: Some(100),
        reply: text.clone(),
        unfinished: text.clone(),
        exit: text.clone(),
        said: text,
        stderr_tail: format!("{outside}\n{outside}"),
        again: format!("arena replay {} | {outside}", Path::new(outside).display()),
    }
}
