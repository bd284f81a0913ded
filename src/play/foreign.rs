//! Games with an external referee, a program that decides what to ask.
//!
//! Such a game is a [`Game`] like any other, so the game loop plays it live and to verify a record.
//! Between its turns it talks to its referee in one of the protocols of `docs/how-to/referees.md`.
//! What the loop needs of it alone is in [`ExternalGame`].

mod brutaltester;
mod codingame;
mod java;
mod link;
mod words;

pub(crate) use self::java::MAIN as SDK_MAIN;

use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use self::brutaltester::Brutaltester;
use self::codingame::Codingame;
use self::link::Link;
use self::words::{RECENT, Said, named, objects, without_colours};
use crate::play::{Question, Shown, Step};
use arena_games::{
    Fate, Fault, Game, GameSpec, Listing, MAX_SEATS, Opening, Picture, Replies, Rules, Seat,
    SeatSet, Standing, StartError,
};
use arena_process::languages::Compiler;
use arena_process::{Interrupt, LIST, Launch, Launcher, Sandbox, lock, serialize_paths};
use arena_section::text::harmless_lines;

/// Default limit for a referee's next question, in milliseconds. It has to cover the start of a
/// Java machine.
pub(crate) const DEFAULT_REFEREE_MS: u64 = 20_000;
/// Default memory limit of each process of a referee, in megabytes.
pub(crate) const DEFAULT_REFEREE_MEMORY_MB: u64 = 1024;
/// Limits in a protocol without limits: those of most games on the site.
const DEFAULT_LIMITS: [Duration; 2] = [Duration::from_secs(1), Duration::from_millis(50)];
/// Maximum number of questions of a game.
pub(crate) const MOST_QUESTIONS: usize = 20_000;
/// Maximum number of lines of an answer.
const MOST_LINES: usize = 1000;
/// Maximum number of characters of a note, and of notes with a question.
const NOTE: usize = 300;
const MOST_NOTES: usize = 40;
/// Number of questions to compare between two games that should be equal.
const ALIKE_QUESTIONS: usize = 400;
/// Number of times that a referee has to die after an answer before the answer is to blame.
const TRIES: u32 = 3;

/// Where Maven puts the classes of a project.
pub(crate) const CLASSES: &str = "target/classes";

/// Returns the folder with the leagues, statement and test cases of a project of the SDK of
/// `CodinGame`, if its classes are in this class path.
pub(crate) fn config_of_project(class_path: &str) -> Option<PathBuf> {
    let mut entries = class_path.split(LIST).map(Path::new);
    let classes = entries.find(|entry| entry.ends_with(CLASSES))?;
    Some(classes.ancestors().nth(2)?.join("config"))
}

/// The protocol of a referee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Protocol {
    /// The protocol of the SDK of `CodinGame`, with additional blocks.
    #[default]
    Codingame,
    /// The protocol of the tool of that name.
    Brutaltester,
}

/// The referee of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Referee {
    /// The title of the game.
    pub(crate) title: String,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    pub(crate) protocol: Protocol,
    pub(crate) seats: usize,
    /// Whether a seed decides the game, so that it can be played again.
    pub(crate) seed: bool,
    /// Whether the lower score is the better one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) lower_is_better: bool,
    /// Whether one process plays several games. By default the referee's promise decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reuse: Option<bool>,
    /// Limit for its next question, in milliseconds.
    #[serde(rename = "referee_ms")]
    pub(crate) patience_ms: u64,
    /// Memory limit of each of its processes, in megabytes.
    pub(crate) memory_mb: u64,
    /// Additional folders and files that it may read in the sandbox.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "serialize_paths"
    )]
    pub(crate) read: Vec<PathBuf>,
    /// Options that it gets besides the seed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) options: BTreeMap<String, String>,
    /// The test cases of a game for one player, which it gets instead of a seed: seed 1 is the
    /// first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tests: Vec<String>,
    /// The name in `METADATA` of the score of such a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) criteria: Option<String>,
}

impl Referee {
    /// Makes the referee of a command with default settings.
    pub(crate) fn new(title: &str, command: Vec<String>) -> Referee {
        Referee {
            title: title.to_owned(),
            command,
            seats: 2,
            seed: true,
            patience_ms: DEFAULT_REFEREE_MS,
            memory_mb: DEFAULT_REFEREE_MEMORY_MB,
            ..Referee::default()
        }
    }

    /// Returns the test case of a seed, if there are any.
    fn test(&self, seed: i64) -> Option<&str> {
        let tests = i64::try_from(self.tests.len()).ok()?;
        let index = seed.wrapping_sub(1).checked_rem_euclid(tests)?;
        Some(self.tests.get(usize::try_from(index).ok()?)?)
    }

    /// Returns the command that starts a referee made with the SDK of `CodinGame`, from a class
    /// path of its jars and folders. Its games are `solo` if it has test cases for one player.
    pub(crate) fn of_jar(class_path: &str, league: Option<u64>, solo: bool) -> Vec<String> {
        // By default, Java logs to standard output.
        let options = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 --add-opens java.base/java.lang=ALL-UNNAMED -Xlog:disable \
                       -Xlog:all=warning:stderr";
        let mode = if solo { "solo" } else { "multi" };
        let mut words = format!("java {options} -Dgame.mode={mode}");
        if let Some(league) = league {
            words.extend([" -Dleague.level=", &league.to_string()]);
        }
        words
            .split_whitespace()
            .chain(["-cp", class_path, java::MAIN])
            .map(str::to_owned)
            .collect()
    }

    /// Returns its game, which can't start before [`Referee::playable`] adds the processes.
    pub(crate) fn spec(&self, id: &str) -> GameSpec {
        let [first_turn, turn] = match self.protocol {
            Protocol::Codingame => [Duration::ZERO; 2],
            Protocol::Brutaltester => DEFAULT_LIMITS,
        };
        GameSpec {
            id: id.to_owned(),
            title: self.title.clone(),
            seats: self.seats..=self.seats,
            first_turn,
            turn,
            has_opening: false,
            seed_decides: self.seed,
            lower_is_better: self.lower_is_better,
            listing: Listing::None,
            options: Vec::new(),
            rules: Arc::new(|_: i64, _: &Opening| {
                let why = "its referee is a program of its own, which is not started here";
                Err(StartError(format!("start the game: {why}")))
            }),
        }
    }

    /// Returns its launch before its source is compiled.
    pub(crate) fn launch(&self, id: &str) -> Launch {
        // Java garbles prompts in other character sets, and sorts by the locale.
        let env = BTreeMap::from([("LC_ALL".to_owned(), "C.UTF-8".to_owned())]);
        Launch {
            env,
            read: self.read.clone(),
            ..Launch::new(id, &self.command)
        }
    }

    /// Returns what starts it after its source is compiled. If one process can play many games,
    /// this includes a server.
    pub(crate) fn started(&self, launch: Launch, compiler: &mut Compiler<'_>) -> RefereeStart {
        let mut server = None;
        if self.reuse != Some(false) && self.is_reusable() {
            server = java::server(&launch, compiler);
        }
        RefereeStart { launch, server }
    }

    /// Returns the playable game with its processes in a sandbox.
    pub(crate) fn playable(
        &self,
        spec: &GameSpec,
        start: &RefereeStart,
        sandbox: &Sandbox,
        interrupt: &Arc<Interrupt>,
    ) -> Arc<GameSpec> {
        let sandbox = Arc::new(sandbox.with_memory(self.memory_mb << 20));
        let (launch, reuse) = match &start.server {
            Some(server) => (server, Some(true)),
            None => (&start.launch, self.reuse),
        };
        let referee = self.clone();
        let pool = RefereePool {
            referee: Arc::new(Referee { reuse, ..referee }),
            launcher: Launcher::of("referee", &sandbox, launch.clone()),
            interrupt: Arc::clone(interrupt),
            idle: Arc::default(),
        };
        let mut spec = spec.clone();
        spec.rules = Arc::new(pool);
        Arc::new(spec)
    }

    /// Describes its protocol, and what is missing without a seed.
    pub(crate) fn in_words(&self) -> String {
        let mut words = self.protocol.to_string();
        if !self.seed {
            words += ": it takes no seed, so its games cannot be proved";
        }
        words
    }

    /// Names the league of a referee made with the SDK of `CodinGame`, and how to change it, unless
    /// its project has no leagues.
    pub(crate) fn league_in_words(&self) -> Option<String> {
        let [.., class_path, main] = &self.command[..] else {
            return None;
        };
        let has_no_leagues = config_of_project(class_path)
            .is_some_and(|config| config.is_dir() && !config.join("level1").is_dir());
        if main != java::MAIN || has_no_leagues {
            return None;
        }
        let mut words = self.command.iter();
        let level = words.find_map(|word| word.strip_prefix("-Dleague.level="));
        Some(match level {
            Some(level) => format!("league {level}; `league = N` in its table of a config changes it"),
            None => "no league given, so usually the first; `league = N` in its table of a config sets it"
                .to_owned(),
        })
    }

    /// Whether its protocol lets one process play several games.
    pub(crate) fn is_reusable(&self) -> bool {
        self.protocol == Protocol::Codingame
    }

    /// Returns `start` without its server if games differ from those of one process per game, and a
    /// warning if `reuse = true` is in vain.
    pub(crate) fn proved(
        &self,
        spec: &GameSpec,
        start: RefereeStart,
        sandbox: &Sandbox,
        interrupt: &Arc<Interrupt>,
    ) -> (RefereeStart, Option<String>) {
        let mut alone = start.clone();
        alone.server = None;
        let why = if start.server.is_none() {
            java::why_not_served(&start.launch)
        } else {
            let [one, other] =
                [&start, &alone].map(|start| self.playable(spec, start, sandbox, interrupt));
            if plays_alike(&one, &other) {
                return (start, None);
            }
            Some("a process that played before plays other games than a new one; leave `reuse` out")
        };
        let id = &spec.id;
        let warning = why
            .filter(|_| self.reuse == Some(true))
            .map(|why| format!("`reuse = true` of `{id}` changes nothing: {why}"));
        (alone, warning)
    }
}

/// The launches of a referee.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RefereeStart {
    /// The launch of a process for one game.
    launch: Launch,
    /// The launch of a server that plays several games as if each had its own process, if
    /// available.
    server: Option<Launch>,
}

#[cfg(feature = "workers")]
impl RefereeStart {
    /// Returns everything that may be started.
    pub(crate) fn launches_mut(&mut self) -> impl Iterator<Item = &mut Launch> {
        [&mut self.launch].into_iter().chain(&mut self.server)
    }
}

/// Whether two games that should be equal have the same questions and results.
fn plays_alike(one: &GameSpec, other: &GameSpec) -> bool {
    [1, 2].iter().all(|&seed| {
        let told = transcript(one, seed);
        told.is_some() && told == transcript(other, seed)
    })
}

/// Returns all questions and the result of a game with missing answers (seed 1) or empty ones;
/// `None` if the referee breaks.
fn transcript(spec: &GameSpec, seed: i64) -> Option<Vec<String>> {
    let (seats, opening) = (spec.default_seats(), Opening::default());
    let mut game = spec.start(seed, seats, &opening).ok()?;
    let mut told = Vec::new();
    while let Some(seat) = game.due().iter().next() {
        let mut prompt = String::new();
        game.prompt(seat, &mut prompt);
        let Question { lines, limit, .. } = Question::of(&*game);
        told.push(format!("{seat} {lines} {limit:?} {prompt}"));
        if told.len() > ALIKE_QUESTIONS {
            return Some(told);
        }
        let answer = "\n".repeat(lines.saturating_sub(1));
        let mut reply = Ok(answer.as_str());
        if seed == 1 {
            reply = Err(Fault::Timeout);
        }
        game.advance(&[Some(reply); MAX_SEATS]);
    }
    told.push(format!("{:?}", game.standings()));
    check(&*game).ok()?;
    Some(told)
}

/// The processes of a referee.
#[derive(Clone)]
struct RefereePool {
    referee: Arc<Referee>,
    launcher: Arc<Launcher>,
    interrupt: Arc<Interrupt>,
    /// Processes that wait for their next game, each with the thread that started it, whose core
    /// they share.
    idle: Arc<Mutex<Vec<(ThreadId, Link)>>>,
}

impl RefereePool {
    /// Takes a waiting process of this thread, if there is one.
    fn waiting(&self) -> Option<Link> {
        let own = thread::current().id();
        let mut idle = lock(&self.idle);
        let at = idle.iter().position(|(thread, _)| *thread == own)?;
        Some(idle.swap_remove(at).1)
    }
}

impl Rules for RefereePool {
    fn start(&self, seed: i64, seats: usize, _: &Opening) -> Result<Box<dyn Game>, StartError> {
        Ok(Box::new(ExternalGame::start(self.clone(), seed, seats)))
    }
}

/// A message of a referee, or its failure.
type Heard = Result<Message, RefereeError>;

/// A message of a referee.
enum Message {
    /// It asks a seat.
    Question(SeatQuestion),
    /// The game is over.
    End(End),
}

/// A question to a seat.
struct SeatQuestion {
    seat: Seat,
    prompt: String,
    wanted: Question,
}

/// How a game ended.
#[derive(Default)]
struct End {
    /// The scores by seat.
    scores: Vec<i64>,
    /// Seats whose answer was no valid action.
    invalid: SeatSet,
    /// The reason, if the referee gives one.
    reason: Option<String>,
    /// Whether the process can play another game.
    goes_on: bool,
}

/// An answer that the referee gets.
struct Given {
    seat: Seat,
    /// `None` if the seat failed.
    answer: Option<String>,
    took: Duration,
}

/// One game in a protocol.
trait Dialog: Send {
    /// Begins the game.
    fn begin(&mut self, link: &mut Link, seed: i64, referee: &Referee) -> Heard;

    /// Sends the answer of a seat and its time.
    fn answer(&mut self, link: &mut Link, given: &Given) -> Heard;

    /// Returns what the referee displayed since the last call.
    fn shown(&mut self) -> Shown;

    /// Returns what the referee said after the last answer, in a protocol that has it.
    fn told(&mut self) -> Option<Told> {
        None
    }
}

fn dialog(referee: &Referee, seats: usize) -> Box<dyn Dialog> {
    match referee.protocol {
        Protocol::Codingame => Box::new(Codingame::new(seats, referee)),
        Protocol::Brutaltester => Box::new(Brutaltester::new(seats, referee.seed)),
    }
}

/// What a referee made with the SDK of `CodinGame` says after an answer, as the site keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// The title of the game, before its first question.
    pub(crate) title: Option<String>,
    /// Whether the answer ended a turn; `None` if the referee doesn't say so.
    pub(crate) is_key: Option<bool>,
    /// What happened in the turn, in lines.
    pub(crate) summary: String,
    /// Notes, each with a seat.
    pub(crate) tooltips: Vec<(String, Seat)>,
    /// After the last answer, the seed and the options of the game, as `key=value`.
    pub(crate) input: Vec<String>,
}

impl Told {
    /// Returns what the referee of a game said, if it says anything.
    pub(crate) fn of(game: &dyn Game) -> Option<&Told> {
        ExternalGame::of(game)?.told.as_ref()
    }
}

/// The failure of a referee, phrased to follow its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) enum RefereeError {
    /// It sent `FAIL`, promises other numbers of seats, or asks nobody anything. It may start with
    /// another number of seats.
    Unstarted(String),
    /// Its process ended by itself.
    Ended(String),
    /// It left the protocol or its limits, or can't be started.
    Other(String),
}

/// Fails because a referee left the protocol or its limits.
fn wrong<T>(why: String) -> Result<T, RefereeError> {
    Err(RefereeError::Other(why))
}

/// A referee that broke its game, which has no result then.
#[derive(Debug, thiserror::Error)]
#[error("the {referee}: {}", harmless_lines(&error.to_string()))]
pub(crate) struct BrokenReferee {
    pub(super) referee: String,
    pub(super) error: RefereeError,
}

/// Fails if the game has an external referee that broke it.
pub(crate) fn check(game: &dyn Game) -> Result<(), BrokenReferee> {
    if let Some(game) = ExternalGame::of(game)
        && let Some(error) = game.broken.clone()
    {
        let referee = game.pool.launcher.label();
        return Err(BrokenReferee { referee, error });
    }
    Ok(())
}

/// A game of a referee.
pub(crate) struct ExternalGame {
    pool: RefereePool,
    dialog: Box<dyn Dialog>,
    /// `None` after the end.
    link: Option<Link>,
    seed: i64,
    turn: u32,
    /// Seats asked in this turn.
    asked: SeatSet,
    /// The open question.
    due: Option<SeatQuestion>,
    took: Duration,
    standings: Vec<Standing>,
    reason: Option<String>,
    broken: Option<RefereeError>,
    /// Whether its process played another game before.
    pub(crate) is_reused: bool,
    /// All answers, in case the referee has to be started again.
    given: Vec<Given>,
    shown: Shown,
    told: Option<Told>,
}

impl ExternalGame {
    /// Returns the game as one with an external referee, if it is one.
    pub(crate) fn of(game: &dyn Game) -> Option<&ExternalGame> {
        (game as &dyn Any).downcast_ref()
    }

    /// Returns the same, mutable.
    pub(super) fn of_mut(game: &mut dyn Game) -> Option<&mut ExternalGame> {
        (game as &mut dyn Any).downcast_mut()
    }

    /// Returns the open question.
    pub(super) fn question(&self) -> Option<&Question> {
        Some(&self.due.as_ref()?.wanted)
    }

    /// Takes the time of an answer, before [`Game::advance`]. Returns what the referee showed with
    /// the question.
    pub(super) fn answered(&mut self, time: Duration) -> Option<Box<Shown>> {
        self.took = time;
        let shown = self.shown();
        (!shown.is_empty()).then(|| Box::new(shown))
    }

    /// Returns what the referee showed since the last call.
    pub(super) fn shown(&mut self) -> Shown {
        if self.reason.is_none() {
            self.shown = self.dialog.shown();
        }
        self.shown.clone()
    }

    fn start(pool: RefereePool, seed: i64, seats: usize) -> ExternalGame {
        let mut game = ExternalGame {
            dialog: dialog(&pool.referee, seats),
            pool,
            link: None,
            seed,
            turn: 1,
            asked: SeatSet::EMPTY,
            due: None,
            took: Duration::ZERO,
            standings: vec![Standing::default(); seats],
            reason: None,
            broken: None,
            is_reused: false,
            given: Vec::new(),
            shown: Shown::default(),
            told: None,
        };
        // A process that waits may have ended.
        let reused = game.pool.waiting().and_then(|it| game.begin_with(it).ok());
        game.is_reused = reused.is_some();
        let said = reused.map_or_else(|| game.begin(), Ok);
        game.take(said);
        game
    }

    /// Begins the game with a new process.
    fn begin(&mut self) -> Heard {
        let pool = &self.pool;
        let patience = Duration::from_millis(pool.referee.patience_ms);
        let link = Link::start(&pool.launcher, patience, &pool.interrupt)?;
        self.begin_with(link)
    }

    fn begin_with(&mut self, link: Link) -> Heard {
        self.dialog = dialog(&self.pool.referee, self.standings.len());
        let link = self.link.insert(link);
        self.dialog.begin(link, self.seed, &self.pool.referee)
    }

    /// Sends the last answer.
    fn answer(&mut self) -> Heard {
        match (&mut self.link, self.given.last()) {
            (Some(link), Some(given)) => self.dialog.answer(link, given),
            _ => wrong("it is not there any more".to_owned()),
        }
    }

    /// Handles a message of the referee.
    fn take(&mut self, said: Heard) {
        self.told = self.dialog.told();
        let may_die = !self.pool.referee.is_reusable();
        let taken = match said {
            Ok(Message::Question(question)) => self.ask(question),
            Ok(Message::End(end)) => self.end(end),
            // Perhaps because of the last answer.
            Err(how @ RefereeError::Ended(_)) if may_die => self.die(how),
            Err(why) => Err(why),
        };
        self.broken = taken.err();
    }

    fn ask(&mut self, question: SeatQuestion) -> Result<(), RefereeError> {
        let (seat, lines) = (question.seat, question.wanted.lines);
        let seats = self.standings.len();
        if seat >= seats {
            return wrong(format!("it asks seat {seat} of a game of {seats}"));
        }
        if lines > MOST_LINES {
            let why = format!("it wants {lines} lines, and an answer has {MOST_LINES} at most");
            return wrong(why);
        }
        if self.given.len() == MOST_QUESTIONS {
            return wrong(format!(
                "it asks more than {MOST_QUESTIONS} questions, and the game has no end"
            ));
        }
        // Asking a seat again starts the next turn.
        if self.asked.contains(seat) {
            self.turn += 1;
            self.asked = SeatSet::EMPTY;
        }
        self.asked = self.asked.with(seat);
        self.due = Some(question);
        Ok(())
    }

    fn end(&mut self, end: End) -> Result<(), RefereeError> {
        let [scores, seats] = [end.scores.len(), self.standings.len()];
        if scores != seats {
            return wrong(format!("it gives {scores} scores in a game of {seats}"));
        }
        for (seat, score) in end.scores.into_iter().enumerate() {
            let standing = &mut self.standings[seat];
            standing.score = score;
            if standing.fate == Fate::Ok && end.invalid.contains(seat) {
                standing.fate = Fate::InvalidAction;
            }
        }
        self.reason = Some(end.reason.unwrap_or_else(|| self.usual_reason()));
        self.shown = self.dialog.shown();
        let referee = &self.pool.referee;
        let reuse = referee.is_reusable() && referee.reuse.unwrap_or(end.goes_on);
        if let Some(link) = self.link.take()
            && reuse
        {
            lock(&self.pool.idle).push((thread::current().id(), link));
        }
        Ok(())
    }

    /// Returns the reason for an end if the referee gives none: the failure of all but one seat, or
    /// else `finished`.
    fn usual_reason(&self) -> String {
        let mut fates: Vec<Fate> = self.standings.iter().map(|seat| seat.fate).collect();
        fates.retain(|fate| *fate != Fate::Ok);
        match fates.first() {
            Some(fate) if fates.len() + 1 >= self.standings.len() => fate.to_string(),
            _ => "finished".to_owned(),
        }
    }

    /// Handles the death of the referee after an answer. The answer is to blame if other processes
    /// die as well after the same answers.
    fn die(&mut self, how: RefereeError) -> Result<(), RefereeError> {
        let given = std::mem::take(&mut self.given);
        match given.last() {
            Some(last) if self.pool.referee.seed && (1..TRIES).all(|_| self.dies_after(&given)) => {
                self.blame(last.seat);
                Ok(())
            }
            _ => Err(how),
        }
    }

    /// Whether a new process dies after the last of these answers.
    fn dies_after(&mut self, given: &[Given]) -> bool {
        let mut said = self.begin();
        for given in given {
            said = match (&said, &mut self.link) {
                (Ok(Message::Question(asked)), Some(link)) if asked.seat == given.seat => {
                    self.dialog.answer(link, given)
                }
                _ => return false,
            };
        }
        matches!(said, Err(RefereeError::Ended(_)))
    }

    /// Ends the game with the loss of the seat whose answer broke the referee.
    fn blame(&mut self, seat: Seat) {
        for standing in &mut self.standings {
            standing.score = 0;
        }
        let referee = &self.pool.referee;
        let score = if referee.lower_is_better { 1 } else { -1 };
        let fate = Fate::InvalidAction;
        self.standings[seat] = Standing { score, fate };
        self.reason = Some("referee_broke".to_owned());
        self.shown = self.dialog.shown();
        let line = format!("seat {seat}: the referee broke on its answer, {TRIES} times");
        self.shown.notes.push(line);
        self.link = None;
    }
}

impl Game for ExternalGame {
    fn due(&self) -> SeatSet {
        self.due.iter().map(|asked| asked.seat).collect()
    }

    fn turn(&self) -> u32 {
        self.turn
    }

    fn prompt(&self, seat: Seat, out: &mut String) {
        if let Some(asked) = &self.due
            && asked.seat == seat
        {
            out.push_str(&asked.prompt);
        }
    }

    fn advance(&mut self, replies: &Replies<'_>) {
        let Some(SeatQuestion { seat, wanted, .. }) = self.due.take() else {
            return;
        };
        let reply = replies[seat].unwrap_or(Err(Fault::Timeout));
        if let Err(fault) = reply {
            self.standings[seat].fate = fault.into();
        }
        // An answer that counts although it is late was delayed by the machine, not by the bot.
        let took = match wanted.limit {
            Some(limit) if self.took > limit => limit.saturating_sub(crate::play::SOFT_MARGIN),
            _ => self.took,
        };
        let answer = reply.ok().map(tame);
        self.given.push(Given { seat, answer, took });
        let said = self.answer();
        self.take(said);
    }

    fn standings(&self) -> &[Standing] {
        &self.standings
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn picture(&self) -> Picture {
        Picture::Drawing(self.shown.frame.as_deref().cloned().unwrap_or_default())
    }
}

/// Replaces characters of an answer that end lines in some languages, such as Java and Python. They
/// would let a bot answer for other seats or imitate arena.
fn tame(answer: &str) -> String {
    let ends_line =
        |c: char| (c.is_control() && !"\n\t".contains(c)) || "\u{2028}\u{2029}".contains(c);
    answer.replace(ends_line, "\u{fffd}")
}

/// Adds a line of a referee to its notes, unless there are too many.
fn keep(notes: &mut Vec<String>, line: &str) {
    if notes.len() < MOST_NOTES && !line.trim().is_empty() {
        notes.push(start_of(&without_colours(line).replace('\t', " "), NOTE));
    }
}

/// Returns the first characters of a text, without control characters.
fn start_of(text: &str, most: usize) -> String {
    let text = text.replace(char::is_control, "");
    text.chars().take(most).collect()
}

/// Returns the last note of a referee about a seat, with the names of all seats. An objection to
/// its last answer comes before others.
pub(crate) fn said_about(
    steps: &[Step],
    end: &Shown,
    seat: Seat,
    names: &[String],
) -> Option<String> {
    let answered = steps
        .iter()
        .rposition(|step| step.player == seat && !step.is_idle());
    let (name, place) = (format!("${seat}"), format!("seat {seat}: "));
    let mut last = None;
    for at in (0..=steps.len()).rev() {
        let shown = match steps.get(at) {
            Some(step) => step.shown.as_deref(),
            None => Some(end),
        };
        for note in shown.iter().flat_map(|shown| shown.notes.iter().rev()) {
            if !note.contains(&name) && !note.starts_with(&place) {
                continue;
            }
            let mut said = Said::default();
            for step in &steps[at.saturating_sub(RECENT)..at] {
                if !step.is_idle() {
                    said.push(step.player, step.output.as_deref().unwrap_or_default());
                }
            }
            let (own, _) = said.own_words(note, seat);
            let is_about = own.starts_with(place.trim_end())
                || !note.starts_with("seat ") && named(&own) == Some(seat);
            if !is_about {
                continue;
            }
            let note = note.strip_prefix(&place).unwrap_or(note);
            if Some(at) > answered && objects(&own) {
                return Some(with_names(note, names));
            }
            last.get_or_insert(note);
        }
        if last.is_some() && Some(at) <= answered {
            break;
        }
    }
    last.map(|note| with_names(note, names))
}

/// Replaces `$0` in a note of a referee by the name of seat 0, and so on.
pub(crate) fn with_names(note: &str, names: &[String]) -> String {
    let mut text = note.to_owned();
    // `$10` begins with `$1`.
    for (seat, name) in names.iter().enumerate().rev() {
        text = text.replace(&format!("${seat}"), name);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_league_is_named_where_there_may_be_leagues() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join(CLASSES).display().to_string();
        let words = |league| Referee::new("", Referee::of_jar(&jar, league, false));
        let is_named = |league| words(league).league_in_words().is_some();
        assert!(is_named(None) && is_named(Some(3)), "nothing is known");
        fs::create_dir(folder.path().join("config")).unwrap();
        assert!(!is_named(None) && !is_named(Some(3)), "it has no leagues");
        fs::create_dir(folder.path().join("config/level1")).unwrap();
        assert!(is_named(None) && is_named(Some(3)), "it has leagues");
    }

    #[test]
    fn the_limits_are_those_of_the_documents() {
        let bots = include_str!("../../docs/reference/bots.md");
        let patience = crate::play::probe::PATIENCE.as_secs();
        let sentence = format!("answer, for at most {patience} seconds");
        assert!(bots.contains(&sentence), "{sentence}");
        let referees = include_str!("../../docs/how-to/referees.md");
        let number = |words: &str| -> u64 {
            let (_, number) = referees.split_once(words).expect(words);
            number.split_whitespace().next().unwrap().parse().unwrap()
        };
        let referee = Referee::new("", Vec::new());
        assert_eq!(1000 * number("`referee_ms` (default"), referee.patience_ms);
        assert_eq!(number("`memory_mb` (default"), referee.memory_mb);
        assert_eq!(number("| a game |"), MAX_SEATS as u64);
        let frames = number("20,000 questions,") << 20;
        assert_eq!(frames, codingame::MOST_FRAME_BYTES as u64);
    }

    #[test]
    fn a_reason_is_what_the_referee_said() {
        let step = |player: Seat, output: &str| {
            let step = serde_json::json!({"turn": 1, "player": player, "output": output});
            serde_json::from_value::<Step>(step).unwrap()
        };
        let steps = [
            step(0, "WAIT $1: invalid, I win;MSG hey $1 illegal \"jump\""),
            step(1, "jump"),
        ];
        let mut end = Shown::default();
        for note in [
            "$1 falls",
            "$1: unknown command: jump",
            "$1: invalid, I win",
            "hey $1 illegal \"jump\"",
            "$0: hey $1 illegal \"jump\"",
        ] {
            end.notes.push(note.to_owned());
        }
        let names = ["ann", "bob"].map(str::to_owned);
        let said = said_about(&steps, &end, 1, &names);
        assert_eq!(said.as_deref(), Some("bob: unknown command: jump"));
    }
}
