//! The files of a tournament do not depend on the order of games, and survive failures. Games are
//! played in this process.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, iter};

use arena_games::{Fate, Fault, Games, Opening, Options, kutulu, minishogi};
use arena_stats::sprt::{Hypotheses, Model};

use crate::plan::{Plan, PlannedGame, SprtPlan, StudyPlan, Sweep, Variant};
use crate::play::record::RecordFault;
use crate::play::{Abort, Answer, Ask, Clock, Kept, Played, Player, play};
use crate::report::replays::Selection;
use crate::report::{Event, Reporter, RunReport};
use crate::standings::{self, Extras, Summary};
use crate::store::{Existing, RunFolder, StoreError};
use crate::study;
use crate::testing::promised;
use crate::tournament::{self, Control, RunError};
use crate::tournament::{Server, Session};
use crate::worker::GameOutcome;
use crate::worker::pool::{Executor, Feed, Finished};
use arena_process::{Launch, Mode, Sandbox, Supervision};
use arena_schedule::{Design, Fixture, Format, Next};
use arena_section::screen::Screen;
use arena_section::terminal;

/// Answers with the word that makes the referee choose.
struct Dice;

impl Player for Dice {
    fn ask(&mut self, _: Ask<'_>, _thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        Ok(Answer {
            reply: Ok("random"),
            elapsed: Duration::from_micros(17),
            late: false,
        })
    }
}

/// Plays batches of games and delivers each batch in reverse.
#[derive(Default)]
struct Backwards {
    batch: usize,
    /// Games that cannot be played.
    broken: BTreeSet<u64>,
    /// Stops after so many games, as a killed run does.
    stop_after: Option<usize>,
    /// Replaces the seed of every game.
    seed: Option<i64>,
    /// After how many turns the bot in a seat gives up.
    quits: Option<fn(&Fixture, usize) -> u64>,
}

/// One bot in eight gives up after a few turns, as its seed says.
fn now_and_then(fixture: &Fixture, seat: usize) -> u64 {
    let seed = fixture.bot_seed(seat) % 32;
    if seed < 4 { seed } else { u64::MAX }
}

/// The first bot fails in its first turn.
fn the_first_always(fixture: &Fixture, seat: usize) -> u64 {
    if fixture.seating[seat] == 0 {
        0
    } else {
        u64::MAX
    }
}

/// The second bot does.
fn the_second_always(fixture: &Fixture, seat: usize) -> u64 {
    if fixture.seating[seat] == 1 {
        0
    } else {
        u64::MAX
    }
}

/// The next game of a feed, if it has one now.
fn game_of(feed: &mut dyn Feed) -> Option<Fixture> {
    match feed.next() {
        Next::Play(fixture) => Some(fixture),
        Next::Wait | Next::Done => None,
    }
}

impl Executor for Backwards {
    /// Batches are taken in one go, so the window must be wide enough for them.
    fn width(&self) -> usize {
        16
    }

    fn execute(&self, feed: &mut dyn Feed) -> anyhow::Result<()> {
        let mut left = self.stop_after.unwrap_or(usize::MAX);
        loop {
            let next = iter::from_fn(|| game_of(feed));
            let batch: Vec<Fixture> = next.take(self.batch.min(left)).collect();
            left -= batch.len();
            if batch.is_empty() {
                return Ok(());
            }
            for fixture in batch.into_iter().rev() {
                let broken = self.broken.contains(&fixture.number);
                let why = format!("no process for game {}", fixture.number);
                let game = if broken {
                    Err(Abort::Failed(why.clone()))
                } else {
                    Ok(self.game(&fixture))
                };
                let mut finished = finished(fixture, game);
                finished.outcome.failed = broken.then_some(why);
                feed.take(finished);
            }
        }
    }
}

impl Backwards {
    fn game(&self, fixture: &Fixture) -> Played {
        let games = Games::standard();
        let spec = games.iter().nth(fixture.game).unwrap();
        let mut game = spec
            .start(self.seed.unwrap_or(fixture.seed), 2, &Opening::Plies(2))
            .unwrap();
        if let Some(turns) = self.quits {
            let mut quitters = [0, 1].map(|seat| Quitter {
                turns: turns(fixture, seat),
                line: "random",
            });
            return play(game.as_mut(), &mut quitters, clock(), Kept::default()).unwrap();
        }
        play(game.as_mut(), &mut [Dice, Dice], clock(), Kept::default()).unwrap()
    }
}

/// Plays Kutulu: bots with a higher number give up later.
struct Quitters;

impl Executor for Quitters {
    fn width(&self) -> usize {
        1
    }

    fn execute(&self, feed: &mut dyn Feed) -> anyhow::Result<()> {
        while let Some(fixture) = game_of(feed) {
            let mut game = kutulu::spec()
                .start(fixture.seed, kutulu::SEATS, &Opening::default())
                .unwrap();
            let quitter = |(seat, &bot): (usize, &usize)| Quitter {
                turns: (4 * bot + seat) as u64,
                line: "WAIT",
            };
            let mut players: Vec<Quitter> =
                fixture.seating.iter().enumerate().map(quitter).collect();
            feed.take(finished(
                fixture,
                play(game.as_mut(), &mut players, clock(), Kept::default()),
            ));
        }
        Ok(())
    }
}

/// Answers with a line for so many turns, then with nothing.
struct Quitter {
    turns: u64,
    line: &'static str,
}

impl Player for Quitter {
    fn ask(&mut self, _: Ask<'_>, _thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        let reply = if self.turns == 0 {
            Err(Fault::Timeout)
        } else {
            Ok(self.line)
        };
        self.turns = self.turns.saturating_sub(1);
        Ok(Answer {
            reply,
            elapsed: Duration::from_micros(17),
            late: false,
        })
    }
}

fn finished(fixture: Fixture, game: Result<Played, Abort>) -> Finished {
    let mut faults = Vec::new();
    for (player, standing) in game.iter().flat_map(|game| &game.standings).enumerate() {
        if standing.fate != Fate::Ok {
            faults.push(RecordFault {
                player,
                ..RecordFault::default()
            });
        }
    }
    Finished {
        fixture,
        outcome: GameOutcome {
            faults,
            ..GameOutcome::new(game)
        },
        worker: None,
    }
}

fn clock() -> Clock {
    Clock::of(&minishogi::spec())
}

/// A plan, and where it is played.
#[derive(Clone, Debug)]
struct Planned {
    plan: Plan,
    out: PathBuf,
    jobs: usize,
}

impl Deref for Planned {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.plan
    }
}

impl DerefMut for Planned {
    fn deref_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl Planned {
    fn with(mut self, change: impl FnOnce(&mut Plan)) -> Planned {
        change(&mut self.plan);
        self
    }

    fn session(&self, existing: Existing) -> Session {
        Session {
            out: self.out.clone(),
            existing,
            jobs: self.jobs,
            workers: None,
            server: Server::default(),
            pin: false,
            start_anyway: true,
            seed_is_given: true,
            go_on: None,
            confirm: false,
            builds: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn look(&self, existing: Existing) -> Result<RunFolder, StoreError> {
        RunFolder::look(&self.out, Some(&mut self.plan.clone()), existing, true)
    }
}

const BOTS: [&str; 3] = ["a", "b, \"the\" second", "c"];

fn bot(name: &str) -> Launch {
    Launch {
        name: name.into(),
        command: vec!["arena".into()],
        ..Launch::default()
    }
}

fn quits(number: usize) -> String {
    format!("quits-{number}")
}

fn plan(out: &Path) -> Planned {
    let game = |id: &str| PlannedGame {
        id: id.into(),
        referee: None,
        clock: clock(),
        opening_plies: 2,
        seats: None,
        options: Options::new(),
        bots: BOTS.map(str::to_owned).to_vec(),
        spec: Games::standard().find(id).cloned(),
    };
    let plan = Plan {
        name: "test".into(),
        design: None,
        seed: 5,
        games: vec![game("minishogi"), game("dice_shogi")],
        bots: BOTS.map(bot).to_vec(),
        trace: false,
        metrics: false,
        stderr: crate::play::KeptStderr::Fault,
        sandbox: Mode::Auto,
        memory_mb: 768,
        study: StudyPlan::list(Format::RoundRobin, 10),
        languages: BTreeMap::new(),
    };
    Planned {
        plan,
        out: out.to_owned(),
        jobs: 1,
    }
}

/// Remembers the numbers of the games of a session.
#[derive(Debug, Default)]
struct Numbers {
    out: PathBuf,
    /// The games that it wrote, in the order of the file.
    played: Vec<u64>,
    aborted: Vec<u64>,
    /// Whether the run directory held a summary when play began.
    summary_at_start: bool,
}

impl Reporter for Numbers {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Started { .. } => {
                self.summary_at_start = self.out.join("summary.json").exists();
            }
            Event::Aborted { number, .. } => self.aborted.push(*number),
            _ => {}
        }
    }
}

fn run(
    plan: &Planned,
    existing: Existing,
    executor: &dyn Executor,
) -> Result<(Summary, Numbers), RunError> {
    let (report, numbers) = report_of(plan, existing, executor)?;
    Ok((report.summary, numbers))
}

/// The error of a run that can't be played.
fn refusal(plan: &Planned, existing: Existing, executor: &dyn Executor) -> String {
    match run(plan, existing, executor) {
        Err(error) => error.to_string(),
        Ok((summary, _)) => panic!("{} games were played", summary.games_played),
    }
}

/// A sandbox that restricts nothing.
fn unconfined() -> Sandbox {
    Sandbox::new(Mode::Off, 0, Supervision::None, PathBuf::new()).unwrap()
}

/// Plays a run; everything that its reports show, and what was played.
fn report_of(
    plan: &Planned,
    existing: Existing,
    executor: &dyn Executor,
) -> Result<(RunReport, Numbers), RunError> {
    let mut numbers = Numbers {
        out: plan.out.clone(),
        ..Numbers::default()
    };
    let control = Control::new().unwrap();
    let before = written(&plan.out);
    let (session, folder) = (plan.session(existing), plan.look(existing)?);
    let (played, sandbox) = (plan.plan.clone(), unconfined());
    let built = tournament::build(played, &session, &control, &sandbox, &mut numbers)?;
    let report = tournament::run(built, folder, &session, executor, &control, &mut numbers)?;
    numbers.played = written(&plan.out);
    numbers.played.retain(|number| !before.contains(number));
    Ok((report, numbers))
}

/// The numbers of the games whose lines are whole, in the order of the file.
fn written(run: &Path) -> Vec<u64> {
    let rows = fs::read_to_string(run.join("games.csv")).unwrap_or_default();
    let mut rows: Vec<&str> = rows.split_inclusive('\n').skip(1).collect();
    rows.retain(|row| row.ends_with('\n'));
    let number = |row: &&str| row.split(',').next().unwrap().parse().unwrap();
    rows.iter().map(number).collect()
}

fn files(run: &Path) -> Vec<(String, String)> {
    [
        "games.csv",
        "records.jsonl",
        "ratings.csv",
        "pairings.csv",
        "timings.csv",
    ]
    .map(|name| (name.to_owned(), fs::read_to_string(run.join(name)).unwrap()))
    .to_vec()
}

fn in_batches(batch: usize) -> Backwards {
    Backwards {
        batch,
        ..Backwards::default()
    }
}

fn all_at_once() -> Backwards {
    in_batches(7)
}

/// Plays so many games.
fn stops_after(games: usize) -> Backwards {
    Backwards {
        stop_after: Some(games),
        ..all_at_once()
    }
}

#[test]
fn games_are_written_in_order_whatever_the_order_of_their_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (one, many) = (folder.path().join("one"), folder.path().join("many"));
    let (summary, _) = run(&plan(&one), Existing::Refuse, &in_batches(1)).unwrap();
    let (_, numbers) = run(&plan(&many), Existing::Refuse, &all_at_once()).unwrap();
    assert_eq!(summary.games_played, 60);
    assert!(numbers.played.into_iter().eq(0..60));
    assert_eq!(files(&one), files(&many));
}

#[test]
fn a_run_that_was_cut_short_goes_on_to_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    run(&plan(&whole), Existing::Refuse, &all_at_once()).unwrap();
    run(
        &plan(&cut),
        Existing::Refuse,
        &Backwards {
            stop_after: Some(23),
            ..all_at_once()
        },
    )
    .unwrap();
    // A kill between two writes leaves a record without its row, then a torn record.
    let record = fs::read_to_string(whole.join("records.jsonl"))
        .unwrap()
        .lines()
        .nth(23)
        .unwrap()
        .to_owned();
    let torn = [
        fs::read_to_string(cut.join("records.jsonl")).unwrap(),
        record.clone(),
        "\n".into(),
        record[..40].into(),
    ];
    fs::write(cut.join("records.jsonl"), torn.concat()).unwrap();
    fs::write(
        cut.join("games.csv"),
        fs::read_to_string(cut.join("games.csv")).unwrap() + "23,11,minish",
    )
    .unwrap();
    let (summary, numbers) = run(&plan(&cut), Existing::Resume, &all_at_once()).unwrap();
    let played = summary.run.games_per_second.unwrap() * summary.run.seconds.unwrap();
    assert_eq!(format!("{played:.3}"), "36.000");
    assert!(numbers.played.into_iter().eq(23..60));
    assert!(
        !numbers.summary_at_start,
        "a summary tells of an orderly end, and the session before is not the end"
    );
    assert_eq!(summary.games_played, 60);
    assert_eq!(files(&whole), files(&cut));
}

#[test]
fn a_game_that_could_not_be_played_is_played_on_resume_and_put_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, holes) = (folder.path().join("whole"), folder.path().join("holes"));
    run(&plan(&whole), Existing::Refuse, &all_at_once()).unwrap();
    let broken = Backwards {
        broken: [0, 1, 2, 31].into(),
        ..all_at_once()
    };
    let (summary, numbers) = run(&plan(&holes), Existing::Refuse, &broken).unwrap();
    assert_eq!((summary.run.games_aborted, summary.games_played), (4, 56));
    assert_eq!(numbers.aborted, [0, 1, 2, 31]);
    let first = Some("no process for game 0".to_owned());
    let of_run = summary.run;
    assert_eq!(
        [of_run.first_abort, of_run.first_replay],
        [first.clone(), first]
    );
    let (summary, numbers) = run(&plan(&holes), Existing::Resume, &all_at_once()).unwrap();
    assert_eq!((summary.run.games_aborted, summary.games_played), (0, 60));
    assert_eq!(numbers.played, [0, 1, 2, 31]);
    assert_eq!(files(&whole), files(&holes));
}

#[test]
fn a_machine_that_cannot_play_at_all_ends_the_run_as_promised() {
    let most = promised("ARCHITECTURE.md", "To end early, for example after");
    let below = || 0..most - 1;
    for (broken, aborted, played) in [
        (below().collect(), most - 1, 61 - most),
        (
            below().chain(most..2 * most - 1).collect(),
            2 * (most - 1),
            62 - 2 * most,
        ),
        ((0..most).collect(), most, 0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let broken = Backwards {
            broken,
            ..in_batches(1)
        };
        let (summary, numbers) = run(&plan(folder.path()), Existing::Refuse, &broken).unwrap();
        let found = (numbers.aborted.len() as u64, summary.games_played);
        assert_eq!(found, (aborted, played));
    }
    let folder = tempfile::tempdir().unwrap();
    let broken = Backwards {
        broken: (0..60).collect(),
        ..all_at_once()
    };
    let (summary, numbers) = run(&plan(folder.path()), Existing::Refuse, &broken).unwrap();
    assert_eq!(summary.games_played, 0);
    assert!((most..2 * most).contains(&(numbers.aborted.len() as u64)));
}

/// Takes all games that a feed has, and returns only the second.
struct Greedy {
    width: usize,
    taken: Cell<u64>,
}

impl Executor for Greedy {
    fn width(&self) -> usize {
        self.width
    }

    fn execute(&self, feed: &mut dyn Feed) -> anyhow::Result<()> {
        let mut taken: Vec<Fixture> = iter::from_fn(|| game_of(feed)).collect();
        self.taken.set(taken.len() as u64);
        feed.take(finished(taken.remove(1), Err(Abort::Interrupted)));
        assert!(game_of(feed).is_none(), "the first game has no result");
        Ok(())
    }
}

/// In a test, two units for each worker and two more: games after its end are discarded.
#[test]
fn games_are_handed_out_as_far_ahead_as_promised() {
    let most = promised("ARCHITECTURE.md", "(`tournament/missing.rs`). At most");
    let per_worker = 4;
    let list = |out: &Path| of_size(plan(out), 400);
    let sequential = |out: &Path| test(out, 1000);
    let wide = most / per_worker;
    let cases: [(u64, Make<'_>, u64); 4] = [
        (1, &list, most),
        (wide, &list, most),
        (wide + 1, &list, most + per_worker),
        (3, &sequential, 2 * (2 * 3 + 2)),
    ];
    for (width, planned, ahead) in cases {
        let folder = tempfile::tempdir().unwrap();
        let greedy = Greedy {
            width: usize::try_from(width).unwrap(),
            taken: Cell::default(),
        };
        run(&planned(folder.path()), Existing::Refuse, &greedy).unwrap();
        assert_eq!(greedy.taken.get(), ahead, "{width} workers");
    }
}

#[test]
fn a_run_directory_is_used_only_for_its_own_run() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |plan: &Planned, existing| match run(plan, existing, &all_at_once()) {
        Err(RunError::Store(StoreError::Refused { reason, .. })) => reason,
        other => panic!("expected a refusal, got {:?}", other.map(|_| ())),
    };
    let mine = plan(&folder.path().join("run"));
    run(&mine, Existing::Refuse, &stops_after(8)).unwrap();
    let kept = files(&mine.out);
    assert!(
        refused(&mine, Existing::Refuse)
            .contains("unfinished run, 8 of 60 games\nhint: --resume continues it")
    );
    let other = mine
        .clone()
        .with(|plan| plan.study = StudyPlan::list(Format::RoundRobin, 8));
    for existing in [Existing::Refuse, Existing::Resume] {
        let reason = refused(&other, existing);
        assert!(
            reason.contains("one plan says `games = 10`, the other says `games = 8`"),
            "{reason}"
        );
    }
    assert_eq!(files(&mine.out), kept, "a refusal changes nothing");

    // Speed and place of a run do not matter.
    run(
        &Planned {
            jobs: 3,
            ..mine.clone()
        },
        Existing::Resume,
        &all_at_once(),
    )
    .unwrap();
    for existing in [Existing::Refuse, Existing::Resume] {
        let reason = refused(&mine, existing);
        assert!(
            reason.contains("a finished run of 60 games\nhint: --force"),
            "{reason}"
        );
    }
    run(&other, Existing::Replace, &all_at_once()).unwrap();

    let unknown = plan(&folder.path().join("unknown"));
    fs::create_dir(&unknown.out).unwrap();
    fs::write(unknown.out.join("games.csv"), "somebody else's games").unwrap();
    for existing in [Existing::Refuse, Existing::Resume] {
        assert!(refused(&unknown, existing).contains("holds games.csv but no plan.toml"));
    }
    fs::rename(
        unknown.out.join("games.csv"),
        unknown.out.join("summary.json"),
    )
    .unwrap();
    assert!(refused(&unknown, Existing::Refuse).contains("holds summary.json but no plan.toml"));
    fs::write(unknown.out.join("plan.toml"), "my = 'own'").unwrap();
    assert!(
        refused(&unknown, Existing::Replace)
            .contains("its plan.toml cannot be used: it was not written by a compatible version")
    );

    let foreign = plan(&folder.path().join("foreign"));
    fs::create_dir(&foreign.out).unwrap();
    fs::write(foreign.out.join("thesis.tex"), "years of work").unwrap();
    for existing in [Existing::Refuse, Existing::Resume, Existing::Replace] {
        assert!(refused(&foreign, existing).contains("not a run directory"));
    }
}

/// The message about two plans names the config key of their first difference.
#[test]
fn a_refusal_names_what_was_changed() {
    let folder = tempfile::tempdir().unwrap();
    let swept = |change: &dyn Fn(&mut Sweep)| {
        let mut sweep = sweep();
        change(&mut sweep);
        race(&folder.path().join("race"), sweep)
    };
    let tested = |max_units| test(&folder.path().join("test"), max_units);
    let of_limits = |turn_ms| {
        let mut plan = plan(&folder.path().join("plain"));
        plan.games[1].clock.turn = Duration::from_millis(turn_ms);
        plan
    };
    let of_bot = |name: &str, env: &str| {
        let mut plan = of_limits(50);
        plan.bots[2].name = name.to_owned();
        plan.bots[0].env.insert("WHO".to_owned(), env.to_owned());
        plan
    };
    let variant = |bot: &str, depth: &str| Variant {
        bot: bot.into(),
        values: BTreeMap::from([("depth".to_owned(), depth.to_owned())]),
    };
    let indifferent = |sweep: &mut Sweep| sweep.indifference = Some(4.0);
    let other_variants =
        |sweep: &mut Sweep| sweep.variants = vec![variant(BOTS[1], "1"), variant(BOTS[0], "2")];
    let cases = [
        (
            [swept(&|_| ()), swept(&indifferent)],
            "one plan has no `indifference`, the other says `indifference = 4.0`, in `[sweep]`",
        ),
        (
            [swept(&indifferent), swept(&|_| ())],
            "one plan says `indifference = 4.0`, the other has no `indifference`, in `[sweep]`",
        ),
        (
            [swept(&|_| ()), swept(&|sweep| sweep.max_units = 160)],
            "one plan says `max_units = 80`, the other says `max_units = 160`, in `[sweep]`",
        ),
        (
            [swept(&|_| ()), swept(&other_variants)],
            "one plan has variant `c`, the other has not",
        ),
        (
            [swept(&|_| ()), swept(&|sweep| sweep.variants.swap(0, 1))],
            "the tables of each variant are in another order",
        ),
        (
            [
                swept(&|_| ()),
                swept(&|sweep| sweep.variants[1] = variant(BOTS[2], "3")),
            ],
            "one plan says `depth = \"2\"`, the other says `depth = \"3\"`, in `values`, of variant `c`",
        ),
        (
            [of_limits(50), of_limits(60)],
            "one plan says `turn_ms = 50`, the other says `turn_ms = 60`, of game `dice_shogi`",
        ),
        (
            [of_bot("c", "x"), of_bot("d", "x")],
            "one plan has bot `c`, the other has not",
        ),
        (
            [of_bot("c", "x"), of_bot("c", "y")],
            "one plan says `WHO = \"x\"`, the other says `WHO = \"y\"`, in `env`, of bot `a`",
        ),
        (
            [of_bot("c", "x"), of_limits(50)],
            "one plan says `[env]`, the other has no `env`, of bot `a`",
        ),
    ];
    let few = stops_after(2);
    for ([stored, other], difference) in cases {
        run(&stored, Existing::Replace, &few).unwrap();
        let error = refusal(&other, Existing::Resume, &few);
        let said = format!("another run: {difference}\nhint: --force");
        assert!(error.contains(&said), "{error}\nnot {difference}");
    }
    // The advice for a smaller number is not to throw the games away.
    run(&tested(50), Existing::Replace, &few).unwrap();
    let error = refusal(&tested(40), Existing::Resume, &few);
    let difference = "one plan says `max_units = 50`, the other says `max_units = 40`, in `[sprt]`";
    let said = format!(
        "a larger run: {difference}\nhint: name as many games as it has, or more, or another folder"
    );
    assert!(
        error.contains(&said) && !error.contains("--force"),
        "{error}"
    );
}

#[test]
fn games_that_were_lost_after_the_end_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    for (plan, lost) in [
        (plan(&folder.path().join("plain")), 3),
        (test(&folder.path().join("test"), 20), 3),
        (race(&folder.path().join("race"), sweep()), 40),
    ] {
        let executor = in_batches(4);
        let (summary, _) = run(&plan, Existing::Refuse, &executor).unwrap();
        assert!(summary.run.finished);
        let (records, kept) = (plan.out.join("records.jsonl"), files(&plan.out));
        let whole = fs::read_to_string(&records).unwrap();
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        fs::write(&records, lines[..lines.len() - lost].concat()).unwrap();
        for existing in [Existing::Refuse, Existing::Resume] {
            let error = refusal(&plan, existing, &executor);
            let missing =
                format!("records.jsonl lacks {lost} of the games in summary.json\nhint: bring");
            assert!(
                error.contains(&missing) && !error.contains("a finished"),
                "{error}"
            );
        }
        // Whatever became of the rows as well.
        fs::write(plan.out.join("games.csv"), "").unwrap();
        let error = refusal(&plan, Existing::Resume, &executor);
        assert!(
            error.contains("of the games in summary.json\nhint: bring"),
            "{error}"
        );
        for file in ["summary.json", "games.csv"] {
            fs::remove_file(plan.out.join(file)).unwrap();
        }
        run(&plan, Existing::Resume, &executor).unwrap();
        assert_eq!(files(&plan.out), kept, "as it was told");
    }
}

/// A plan with so many games per pairing, or half as many units of a test or a sweep.
fn of_size(planned: Planned, games: u64) -> Planned {
    planned.with(|plan| plan.study = plan.study.clone().sized(games))
}

type Make<'a> = &'a dyn Fn(&Path) -> Planned;
type Change<'a> = &'a dyn Fn(&mut Plan);
type Kind<'a> = (&'a str, Make<'a>, &'a dyn Executor);
/// Bots in a game for four.
fn four_seats(out: &Path, design: Design, bots: usize) -> Planned {
    plan(out).with(|plan| {
        plan.design = Some(design);
        plan.bots = (1..=bots).map(|number| bot(&quits(number))).collect();
        plan.games.truncate(1);
        plan.games[0].id = "kutulu".into();
        plan.look_up(&Games::standard());
        plan.games[0].opening_plies = 0;
        plan.games[0].bots = (1..=bots).map(quits).collect();
    })
}

/// Puts a bot into this place of all lists.
fn insert(plan: &mut Plan, place: usize, name: &str) {
    plan.bots.insert(place, bot(name));
    plan.games
        .iter_mut()
        .for_each(|game| game.bots.insert(place, name.to_owned()));
}

fn remove(plan: &mut Plan, name: &str) {
    plan.bots.retain(|bot| bot.name != name);
    plan.games
        .iter_mut()
        .for_each(|game| game.bots.retain(|bot| bot != name));
}

#[test]
fn a_run_that_grows_is_the_run_that_was_played_at_once() {
    let kinds: [Kind<'_>; 6] = [
        ("round robin", &plan, &all_at_once()),
        (
            "gauntlet",
            &|out| plan(out).with(|plan| plan.study = StudyPlan::list(Format::Gauntlet, 10)),
            &all_at_once(),
        ),
        ("match", &match_of_two, &all_at_once()),
        ("test", &|out| test(out, 10), &all_at_once()),
        (
            "rotations",
            &|out| four_seats(out, Design::Rotations, 5),
            &Quitters,
        ),
        (
            "mirror",
            &|out| four_seats(out, Design::Mirror, 5),
            &Quitters,
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (kind, planned, executor) in kinds {
        let [grown, whole] =
            ["grown", "whole"].map(|name| folder.path().join(format!("{kind} {name}")));
        for (games, existing) in [
            (12, Existing::Refuse),
            (24, Existing::Resume),
            (36, Existing::Resume),
        ] {
            let planned = of_size(planned(&grown), games);
            let (summary, _) = run(&planned, existing, executor).unwrap();
            assert!(summary.run.finished, "{kind}");
            let refused = refusal(&of_size(planned, games + 12), Existing::Refuse, executor);
            assert!(refused.contains("--resume extends it"), "{kind}");
        }
        run(&of_size(planned(&whole), 36), Existing::Refuse, executor).unwrap();
        // Adding games after a look widens the intervals. A test allows for it.
        let [mut of_grown, mut of_whole] = [&grown, &whole].map(|run| files(run));
        if kind != "test" {
            for (rated, interval) in [(&mut of_grown, "every_look"), (&mut of_whole, "once")] {
                let rated = rated.extract_if(.., |(name, _)| {
                    matches!(&**name, "ratings.csv" | "pairings.csv")
                });
                assert!(
                    rated.into_iter().all(|(_, rows)| rows.contains(interval)),
                    "{kind}"
                );
            }
        }
        assert_eq!(of_grown, of_whole, "{kind}");
        let plan = fs::read_to_string(grown.join("plan.toml")).unwrap();
        assert_eq!(
            plan.lines()
                .filter(|line| line.starts_with("grown_from = ["))
                .count(),
            1,
            "{plan}"
        );
    }
}

/// Checks that a finished run isn't extended to another plan, and stays as it is.
fn is_not_extended(planned: &Planned, executor: &dyn Executor, change: Change<'_>, said: &str) {
    let (summary, _) = run(planned, Existing::Replace, executor).unwrap();
    assert!(summary.run.finished, "{said}");
    let before = files(&planned.out);
    let other = planned.clone().with(|plan| change(plan));
    let error = refusal(&other, Existing::Resume, executor);
    assert!(error.contains(said), "{error}\nnot {said}");
    assert_eq!(files(&planned.out), before, "{said}");
    assert!(planned.out.join("summary.json").exists(), "{said}");
}

#[test]
fn a_run_that_would_be_another_is_not_extended() {
    let folder = tempfile::tempdir().unwrap();
    let list = plan(&folder.path().join("list"));
    let changes: [(Change<'_>, &str); 7] = [
        (
            &|plan| plan.study = StudyPlan::list(Format::RoundRobin, 4),
            "`games = 10`",
        ),
        (
            &|plan| {
                plan.seed = 6;
                plan.study = StudyPlan::list(Format::RoundRobin, 20);
            },
            "`seed",
        ),
        (&|plan| remove(plan, "c"), "has bot `c`, the other has not"),
        (
            &|plan| {
                remove(plan, "c");
                insert(plan, 2, "d");
            },
            "has bot `c`, the other has not",
        ),
        (
            &|plan| insert(plan, 0, "d"),
            "has bot `d`, the other has not",
        ),
        (&|plan| plan.bots.swap(1, 2), "are in another order"),
        (
            &|plan| insert(plan, 3, "d"),
            "has bot `d`, the other has not",
        ),
    ];
    for (change, said) in changes {
        is_not_extended(&list, &all_at_once(), change, said);
    }
    is_not_extended(
        &list.clone().with(|plan| drop(plan.games[1].bots.pop())),
        &all_at_once(),
        &|plan| plan.games[1].bots.push("c".to_owned()),
        ", of game `dice_shogi`",
    );
    let further = |plan: &mut Plan| {
        let id = "dice_shogi".into();
        let game = plan.games[0].clone();
        plan.games.push(PlannedGame { id, ..game });
    };
    is_not_extended(
        &list.with(|plan| plan.games.truncate(1)),
        &all_at_once(),
        &further,
        "one plan has game `dice_shogi`, the other has not",
    );
}

#[test]
fn a_run_that_its_results_end_is_not_extended() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let fails = |quits| Backwards {
        quits: Some(quits),
        ..all_at_once()
    };
    let more = |plan: &mut Plan| {
        plan.study = plan.study.clone().sized(4000);
    };
    let (at_once, second_fails) = (all_at_once(), fails(the_second_always));
    is_not_extended(
        &test(&out, 4),
        &at_once,
        &|plan| insert(plan, 2, "d"),
        "has bot `d`",
    );
    is_not_extended(
        &test(&out, 1000),
        &fails(the_first_always),
        &more,
        "decided after",
    );
    is_not_extended(&match_of_two(&out), &second_fails, &more, "decided after");
    is_not_extended(&race(&out, sweep()), &at_once, &more, "`max_units =");
}

#[test]
fn a_bot_that_changed_is_not_continued_with() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("bot.sh");
    fs::write(&script, "one").unwrap();
    let mut plan = plan(&folder.path().join("run"));
    plan.bots[1].command.push(script.display().to_string());
    run(&plan, Existing::Refuse, &stops_after(8)).unwrap();
    fs::write(&script, "two").unwrap();
    let error = refusal(&plan, Existing::Resume, &all_at_once());
    assert!(
        error.contains("bot `b, \"the\" second` is not the same: ")
            && error.contains("bot.sh has changed"),
        "{error}"
    );
}

#[test]
fn a_damaged_run_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    run(
        &plan(&whole),
        Existing::Refuse,
        &Backwards {
            stop_after: Some(8),
            ..all_at_once()
        },
    )
    .unwrap();
    let records = whole.join("records.jsonl");
    let kept = fs::read_to_string(&records).unwrap();
    let first = kept.lines().next().unwrap();
    for (line, damage) in [
        (2, "{\"number\":7}".to_owned()),
        (2, first.to_owned()),
        (1, first.replacen("\"a\"", "\"somebody\"", 1)),
        (1, first.replacen("\"unit\":0", "\"unit\":7", 1)),
        (1, first.replacen("\"number\":0,", "", 1)),
        (1, first.replacen("\"reason\":\"", "\"reason\":\"un", 1)),
        (
            1,
            first.replacen("\"scores\":[", "\"scores\":[],\"other\":[", 1),
        ),
    ] {
        let damaged: Vec<&str> = kept
            .lines()
            .enumerate()
            .map(|(at, text)| if at + 1 == line { &damage } else { text })
            .collect();
        fs::write(&records, damaged.join("\n") + "\n").unwrap();
        let error = refusal(&plan(&whole), Existing::Resume, &all_at_once());
        assert!(
            error.contains(&format!("records.jsonl, line {line}: ")),
            "{error}"
        );
        if damage == first {
            assert!(
                error.ends_with("game 0 is stored twice or out of order"),
                "{error}"
            );
        }
    }
}

/// The rows follow from the records: lost or changed ones are written again. Lost records are not
/// thrown away unsaid.
#[test]
fn rows_are_written_again_and_lost_records_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(&folder.path().join("run"));
    let resume = || run(&plan, Existing::Resume, &all_at_once()).map(|_| ());
    run(&plan, Existing::Refuse, &stops_after(8)).unwrap();
    let games = plan.out.join("games.csv");
    fs::write(
        &games,
        fs::read_to_string(&games)
            .unwrap()
            .replace(",a,", ",somebody,"),
    )
    .unwrap();
    resume().unwrap();
    let kept = files(&plan.out);
    assert!(kept.iter().all(|(_, text)| !text.contains("somebody")));

    let cut = |file: &Path, lines: usize| {
        let text = fs::read_to_string(file).unwrap();
        let lines = text.split_inclusive('\n').take(lines);
        fs::write(file, lines.collect::<String>()).unwrap();
        text
    };
    cut(&games, 60);
    let error = refusal(&plan, Existing::Refuse, &all_at_once());
    assert!(
        error.contains("games.csv lacks 1 of its 60 games"),
        "{error}"
    );
    fs::remove_file(&games).unwrap();
    let report =
        tournament::report(&plan.out, &Selection::Fitting, false, &Games::standard()).unwrap();
    assert_eq!(
        (report.summary.games_played, report.replays.data.is_empty()),
        (60, false),
        "no report needs the rows"
    );
    let error = refusal(&plan, Existing::Refuse, &all_at_once());
    assert!(
        error.contains("games.csv lacks 60 of its 60 games\nhint: --resume writes it again"),
        "{error}"
    );
    resume().unwrap();
    assert_eq!(files(&plan.out), kept);

    fs::remove_file(plan.out.join("summary.json")).unwrap();
    let records = plan.out.join("records.jsonl");
    for left in [0, 7, 59] {
        let kept = cut(&records, left);
        let error = resume().unwrap_err().to_string();
        let said = format!(
            "records.jsonl holds {left} of the 60 games in games.csv\nhint: bring the others back"
        );
        assert!(error.contains(&said), "{error}");
        fs::write(&records, kept).unwrap();
    }
}

#[test]
fn a_run_killed_before_its_summary_is_not_finished() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (
        plan(&folder.path().join("whole")),
        plan(&folder.path().join("cut")),
    );
    run(&whole, Existing::Refuse, &all_at_once()).unwrap();
    run(&cut, Existing::Refuse, &stops_after(8)).unwrap();
    // The run has all games, but the summary is that of the session before.
    for file in ["games.csv", "records.jsonl"] {
        fs::copy(whole.out.join(file), cut.out.join(file)).unwrap();
    }
    fs::remove_file(cut.out.join("summary.json")).unwrap();
    let (summary, numbers) = run(&cut, Existing::Resume, &all_at_once()).unwrap();
    assert_eq!((summary.games_played, numbers.played.len()), (60, 0));
    assert_eq!((summary.run.seconds, summary.run.ended_at), (None, None));
    assert_eq!(files(&whole.out), files(&cut.out));
}

#[test]
fn a_kill_while_a_file_is_written_locks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    fs::write(folder.path().join("pending"), "version = 1\ndig").unwrap();
    run(&plan, Existing::Refuse, &all_at_once()).unwrap();
}

#[test]
fn a_stopped_run_starts_no_more_games_and_writes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let control = Control::new().unwrap();
    control.drain.raise();
    let plan = plan(&folder.path().join("run"));
    let session = plan.session(Existing::Refuse);
    let built = tournament::build(
        plan.plan.clone(),
        &session,
        &control,
        &unconfined(),
        &mut Numbers::default(),
    )
    .unwrap();
    let report = tournament::run(
        built,
        plan.look(Existing::Refuse).unwrap(),
        &session,
        &all_at_once(),
        &control,
        &mut Numbers::default(),
    )
    .unwrap();
    assert_eq!(report.summary.games_played, 0);
    assert_eq!(files(&plan.out)[1].1, "");
}

/// A test of two bots that are equal.
fn test(out: &Path, max_units: u64) -> Planned {
    let hypotheses = Hypotheses::new(Model::Logistic, -20.0, 20.0, 0.05, 0.05).unwrap();
    let sprt = SprtPlan {
        hypotheses,
        early: false,
        max_units,
    };
    plan(out).with(|plan| {
        plan.games.truncate(1);
        plan.games[0].bots.truncate(2);
        plan.bots.truncate(2);
        plan.study = sprt.into();
    })
}

/// Two variants against the first bot of [`plan`], in 5 blocks.
fn sweep() -> Sweep {
    let variant = |bot: &str, depth: u32| Variant {
        bot: bot.into(),
        values: BTreeMap::from([("depth".to_owned(), depth.to_string())]),
    };
    Sweep {
        bot: "search".into(),
        parameters: vec!["depth".into()],
        variants: vec![variant(BOTS[1], 1), variant(BOTS[2], 2)],
        against: vec![BOTS[0].into()],
        block: 16,
        max_units: 80,
        alpha: 0.05,
        indifference: None,
    }
}

/// A race of variants.
fn race(out: &Path, sweep: Sweep) -> Planned {
    plan(out).with(|plan| {
        plan.games.truncate(1);
        plan.study = sweep.into();
    })
}

/// The finding of a test in `summary.json`.
fn found(report: &RunReport) -> serde_json::Value {
    let (key, json) = report.finding.data.as_ref().unwrap();
    assert_eq!(*key, "sprt");
    serde_json::from_str(json).unwrap()
}

fn files_of_test(run: &Path) -> Vec<(String, String)> {
    let sprt = fs::read_to_string(run.join("sprt.csv")).unwrap();
    files(run)
        .into_iter()
        .chain([("sprt.csv".to_owned(), sprt)])
        .collect()
}

#[test]
fn a_test_ends_after_the_same_unit_whatever_the_order_of_the_games_and_whatever_goes_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let backwards = |batch| Backwards {
        quits: Some(now_and_then),
        ..in_batches(batch)
    };
    let (report, numbers) =
        report_of(&test(&path("one"), 1000), Existing::Refuse, &backwards(1)).unwrap();
    let units = found(&report)["result"]["units"].as_u64().unwrap();
    let RunReport {
        summary, finding, ..
    } = report;
    assert!(
        matches!(
            finding.outcome,
            study::Outcome::Passed | study::Outcome::Rejected
        ) && units > 20,
        "{finding:?}"
    );
    assert!(summary.run.finished && summary.games_played == 2 * units);
    assert!(
        numbers.played.into_iter().eq(0..2 * units),
        "nothing is written behind the unit that decided"
    );
    let files = files_of_test(&path("one"));
    assert_eq!(files[5].1.lines().count() as u64, 1 + units);
    assert!(
        files[5].1.ends_with("ed,,\n") && files[5].1.matches("running").count() as u64 == units - 1
    );

    let (summary, _) = run(&test(&path("many"), 1000), Existing::Refuse, &backwards(40)).unwrap();
    assert!(
        summary.run.games_unused > 0,
        "a batch of 40 goes beyond the end"
    );
    assert_eq!(files_of_test(&path("many")), files);

    let cut = Backwards {
        stop_after: Some(23),
        ..backwards(7)
    };
    let planned = test(&path("cut"), 1000);
    let (report, _) = report_of(&planned, Existing::Refuse, &cut).unwrap();
    assert!(!report.summary.run.finished && found(&report)["verdict"].is_null());
    let broken = Backwards {
        broken: [31].into(),
        ..backwards(7)
    };
    let (summary, numbers) = run(&test(&path("cut"), 1000), Existing::Resume, &broken).unwrap();
    assert_eq!((summary.run.games_aborted, numbers.aborted), (1, vec![31]));
    assert!(
        numbers.played.into_iter().eq(23..31),
        "nothing is written behind a game that is missing"
    );
    run(&test(&path("cut"), 1000), Existing::Resume, &backwards(7)).unwrap();
    assert_eq!(files_of_test(&path("cut")), files);
    let again = run(&test(&path("cut"), 1000), Existing::Resume, &backwards(7)).unwrap_err();
    assert!(
        matches!(&again, RunError::Store(StoreError::Refused { reason, .. }) if reason.contains("finished")),
        "{again}"
    );
}

/// A match of two bots without a test.
fn match_of_two(out: &Path) -> Planned {
    test(out, 50).with(|plan| plan.study = StudyPlan::list(Format::RoundRobin, 100))
}

/// Ten units decide, in any order of games, in a match and in a test.
#[test]
fn where_the_opponent_fails_in_most_units_nothing_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let failing = |batch| Backwards {
        quits: Some(the_second_always),
        ..in_batches(batch)
    };
    let failed = |report: &RunReport| {
        let failed = report.finding.failed.iter();
        failed
            .map(|failed| (failed.bot.clone(), failed.failed, failed.units))
            .collect::<Vec<_>>()
    };
    for (kind, planned) in [
        ("match", match_of_two as fn(&Path) -> Planned),
        ("test", |out| test(out, 1000)),
    ] {
        let of = |name: &str| planned(&path(&format!("{kind}-{name}")));
        let (report, numbers) = report_of(&of("one"), Existing::Refuse, &failing(1)).unwrap();
        assert_eq!(failed(&report), [(BOTS[1].to_owned(), 10, 10)], "{kind}");
        assert!(
            report.summary.run.finished && numbers.played.into_iter().eq(0..20),
            "{kind}"
        );
        let said = report.finding.answers[0].to_string();
        assert!(
            said.contains("failed in 10 of its first 10 units (timeout)"),
            "{said}"
        );
        let whole = files(&of("one").out);

        let (summary, _) = run(&of("many"), Existing::Refuse, &failing(40)).unwrap();
        assert!(summary.run.games_unused > 0, "{kind}");
        assert_eq!(files(&of("many").out), whole);
        run(
            &of("cut"),
            Existing::Refuse,
            &Backwards {
                stop_after: Some(7),
                ..failing(3)
            },
        )
        .unwrap();
        run(&of("cut"), Existing::Resume, &failing(3)).unwrap();
        assert_eq!(files(&of("cut").out), whole);
        let report = tournament::report(
            &of("cut").out,
            &Selection::Fitting,
            false,
            &Games::standard(),
        )
        .unwrap();
        assert_eq!(failed(&report).len(), 1);
    }
}

/// A game that `--resume` fills in ends a match, whose later games stay.
#[test]
fn a_gap_that_is_filled_ends_a_match_with_later_games() {
    let folder = tempfile::tempdir().unwrap();
    let planned = match_of_two(&folder.path().join("gap"));
    let failing = |broken: &[u64]| Backwards {
        batch: 1,
        broken: broken.iter().copied().collect(),
        quits: Some(
            |fixture, seat| match (fixture.seating[seat], fixture.unit) {
                (1, ..6) => 0,
                _ => u64::MAX,
            },
        ),
        ..Backwards::default()
    };
    let (report, _) = report_of(&planned, Existing::Refuse, &failing(&[6])).unwrap();
    assert_eq!(report.summary.games_played, 99, "5 of the first 10 failed");
    let (report, _) = report_of(&planned, Existing::Resume, &failing(&[])).unwrap();
    assert_eq!(report.finding.failed[0].failed, 6);
    let games = Games::standard();
    let report = tournament::report(&planned.out, &Selection::None, false, &games).unwrap();
    assert_eq!(report.summary.games_played, 100);
}

/// A candidate that fails loses its test; a match says nothing of it either.
#[test]
fn a_candidate_that_fails_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let failing = Backwards {
        quits: Some(the_first_always),
        ..in_batches(8)
    };
    let (report, _) = report_of(&test(&path("test"), 1000), Existing::Refuse, &failing).unwrap();
    assert_eq!(report.finding.outcome, study::Outcome::Rejected);
    assert_eq!(report.finding.failed, []);
    let (report, _) = report_of(&match_of_two(&path("match")), Existing::Refuse, &failing).unwrap();
    assert_eq!(
        (
            report.summary.games_played,
            report.finding.failed[0].bot.as_str()
        ),
        (20, BOTS[0])
    );
}

#[test]
fn a_test_may_end_without_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (report, _) =
        report_of(&test(&path("short"), 5), Existing::Refuse, &all_at_once()).unwrap();
    let sprt = found(&report);
    assert_eq!(
        [&sprt["verdict"], &sprt["obstacle"]],
        ["inconclusive", "same_moves"]
    );
    let no_effect =
        "both bots played the same moves in all 5 units: the change has no effect in these games";
    assert!(report.finding.answers[0].to_string().contains(no_effect));
    assert!(report.summary.run.finished && report.summary.games_played == 10);

    let same = Backwards {
        seed: Some(3),
        ..all_at_once()
    };
    let (report, _) = report_of(&test(&path("same"), 30), Existing::Refuse, &same).unwrap();
    let sprt = found(&report);
    assert_eq!(
        [&sprt["verdict"], &sprt["obstacle"]],
        ["inconclusive", "repeated_units"]
    );
    assert_eq!([&sprt["distinct_units"], &sprt["result"]["units"]], [1, 30]);
    let mut notes = report.finding.sections[0].notes();
    assert!(
        notes.any(|note| note.contains("repeated units: 29 of 30")),
        "{sprt}"
    );
}

/// Five bots at the tables of four, and seven in pairs of two seats each; who gives up later is
/// better.
#[test]
fn games_of_four_seats_have_places_ratings_and_a_table_of_all_pairs() {
    for (design, bots, games, games_per_bot, comparisons) in [
        (Design::Rotations, 5, 20, 16, 12),
        (Design::Mirror, 7, 168, 48, 32),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let plan = four_seats(folder.path(), design, bots)
            .with(|plan| plan.study = StudyPlan::list(Format::RoundRobin, 8));
        let (summary, _) = run(&plan, Existing::Refuse, &Quitters).unwrap();
        let kutulu = &summary.games[0];
        assert_eq!(
            (kutulu.games, kutulu.incomplete_units, kutulu.bots.len()),
            (games, 0, bots),
            "{design}"
        );
        // All bots that give up share the last place.
        let best: Vec<&str> = kutulu
            .bots
            .iter()
            .take(3)
            .map(|bot| bot.name.as_str())
            .collect();
        assert_eq!(best, [bots, bots - 1, bots - 2].map(quits));
        assert!(kutulu.bots.iter().all(|bot| bot.games == games_per_bot));
        let firsts: f64 = kutulu.bots.iter().map(|bot| bot.firsts.unwrap()).sum();
        let all = f64::from(u32::try_from(bots).unwrap());
        assert!(
            (firsts / all - 0.25).abs() < 1e-9,
            "one first place in each game: {firsts}"
        );
        assert!(kutulu.first_player.is_none());
        assert_eq!(kutulu.pairings.len(), bots * (bots - 1) / 2);
        for pairing in &kutulu.pairings {
            let compared = pairing.results.wins + pairing.results.draws + pairing.results.losses;
            assert_eq!(compared, comparisons, "{pairing:?}");
        }
        let rows = fs::read_to_string(plan.out.join("games.csv")).unwrap();
        let first_rows: String = rows
            .lines()
            .take(5)
            .map(|row| row.split(",0.017").next().unwrap().to_owned() + "\n")
            .collect();
        let section = standings::section(kutulu, Extras::default());
        insta::assert_snapshot!(
            format!("four_seats_{design}"),
            terminal::section(&section, &Screen::default(), true, &mut Vec::new()) + &first_rows
        );
    }
}
