//! Speed of games with an external referee, compared with the same games in process: tic-tac-toe,
//! and a race of 60 turns.
//!
//! All kinds of referee play in turn, in several rounds, on one core, with instant bots in the
//! sandbox. Their medians are compared with those of the games in process. The bots and the native
//! referee are this same program, called with `--bot` and `--referee`.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_games::{
    Fate, Game, GameSpec, Opening, Picture, Replies, Seat, SeatSet, Setting, Standing, StartError,
    drawing::Drawing,
};

use arena_process::languages::Compiler;
use arena_process::{Bot, Interrupt, Launch, Launcher, Mode, Sandbox, Supervision};
use cores::stay_on_one_core;
use program::play::{self, Clock, Kept, foreign, play};

#[path = "shared/cores.rs"]
mod cores;

/// The player of games in `arena`. The program has no public items, so this bench compiles its
/// source.
#[path = "../src"]
#[expect(
    dead_code,
    unused_imports,
    reason = "the bench plays games and nothing else"
)]
mod program {
    pub(crate) mod play;
}

type Outcome<T> = Result<T, Box<dyn Error>>;

const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];
/// The number of turns of a race.
const TURNS: u32 = 60;

/// A running game of either kind. Bots can answer with the last line of every prompt.
#[derive(Clone)]
struct Match {
    is_race: bool,
    board: [char; 9],
    goals: [u32; 2],
    turn: u32,
    standings: [Standing; 2],
    reason: Option<&'static str>,
}

impl Match {
    fn new(is_race: bool) -> Match {
        let standings = [Standing {
            score: 0,
            fate: Fate::Ok,
        }; 2];
        Match {
            is_race,
            board: ['.'; 9],
            goals: [0; 2],
            turn: 1,
            standings,
            reason: None,
        }
    }

    fn seat(&self) -> Seat {
        usize::from(self.turn.is_multiple_of(2))
    }

    fn actions(&self) -> Vec<String> {
        if self.is_race {
            return (1..=3).map(|steps| steps.to_string()).collect();
        }
        (0..9)
            .filter(|&cell| self.board[cell] == '.')
            .map(|cell| cell.to_string())
            .collect()
    }

    /// Returns a prompt: the number of lines that follow, the position, and the legal actions.
    fn lines(&self) -> Vec<String> {
        let position = if self.is_race {
            format!("{:?}", self.goals)
        } else {
            self.board.iter().collect()
        };
        let actions = self.actions();
        [(actions.len() + 1).to_string(), position]
            .into_iter()
            .chain(actions)
            .collect()
    }

    fn answer(&mut self, action: &str) {
        let (seat, number) = (self.seat(), action.parse().unwrap_or(0));
        if self.is_race {
            self.goals[seat] += u32::try_from(number).unwrap_or(0);
            self.reason = (self.turn == TURNS).then_some("finished");
        } else {
            self.board[number] = ['X', 'O'][seat];
            let is_won = LINES.iter().any(|line| {
                line.iter()
                    .all(|&cell| self.board[cell] == ['X', 'O'][seat])
            });
            self.standings[seat].score = is_won.into();
            self.reason = (is_won || !self.board.contains(&'.')).then_some("finished");
        }
        self.turn += u32::from(self.reason.is_none());
    }
}

impl Game for Match {
    fn due(&self) -> SeatSet {
        if self.reason.is_some() {
            SeatSet::EMPTY
        } else {
            SeatSet::EMPTY.with(self.seat())
        }
    }

    fn turn(&self) -> u32 {
        self.turn
    }

    fn prompt(&self, _: Seat, out: &mut String) {
        for line in self.lines() {
            out.push_str(&line);
            out.push('\n');
        }
    }

    fn advance(&mut self, replies: &Replies<'_>) {
        if let Some(Ok(action)) = replies[self.seat()] {
            self.answer(action);
        }
    }

    fn standings(&self) -> &[Standing] {
        &self.standings
    }

    fn reason(&self) -> Option<&str> {
        self.reason
    }

    fn picture(&self) -> Picture {
        Picture::Drawing(Drawing::default())
    }

    fn setting(&self) -> Setting {
        Setting::None {}
    }
}

/// A Python version of this referee, for both games.
const PYTHON: &str = r#"
import sys
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
race = sys.argv[1] == "race"
def read():
    header = sys.stdin.readline() or sys.exit()
    return [sys.stdin.readline().rstrip("\n") for _ in range(int(header.split()[1].rstrip("]\n")))]
while True:
    read(), read()
    out, board, goals, score = ["[[ARENA] 2]", "protocol=1", "reuse=yes"], ["."] * 9, [0, 0], [0, 0]
    for turn in range(60):
        seat = turn % 2
        actions = ["1", "2", "3"] if race else [str(cell) for cell in range(9) if board[cell] == "."]
        lines = [str(len(actions) + 1), str(goals) if race else "".join(board), *actions]
        out += [f"[[NEXT_PLAYER_INPUT] {len(lines)}]", *lines, "[[NEXT_PLAYER_INFO] 3]", str(seat), "1", "1000"]
        sys.stdout.write("\n".join(out) + "\n")
        sys.stdout.flush()
        out, answer = [], int(read()[0])
        read()
        if race:
            goals[seat] += answer
        else:
            board[answer] = "XO"[seat]
            score[seat] = int(any(all(board[cell] == "XO"[seat] for cell in line) for line in LINES))
            if score[seat] or "." not in board:
                break
    print("[[SCORES] 2]", f"0 {score[0]}", f"1 {score[1]}", sep="\n", flush=True)
"#;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("--bot") => return play_bot(),
        Some("--referee") => return referee(arguments.get(2).is_some_and(|game| game == "race")),
        _ => {}
    }
    // `cargo test --benches` also runs this program, without `--bench`, to check that it works.
    let full = arguments.iter().any(|argument| argument == "--bench");
    let (rounds, games) = if full { (9, [300, 100]) } else { (1, [2, 2]) };
    stay_on_one_core()?;
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("referee.py").display().to_string();
    fs::write(&script, PYTHON)?;
    let own = env::current_exe()?.display().to_string();
    let sandbox = Arc::new(Sandbox::new(
        Mode::Auto,
        768 << 20,
        Supervision::None,
        folder.path().to_owned(),
    )?);
    let interrupt = Arc::new(Interrupt::new()?);
    let ground = Ground {
        launcher: Launcher::new(&sandbox, launch("bot", &[&own, "--bot"])),
        sandbox,
        interrupt,
    };
    for (name, games) in ["tictactoe", "race"].into_iter().zip(games) {
        let native = [own.as_str(), "--referee", name];
        let kinds = [
            ("in process", Arc::new(spec(name == "race"))),
            ("native child, reused", ground.foreign(&native, None)),
            (
                "Python child, reused",
                ground.foreign(&["python3", &script, name], None),
            ),
            (
                "native child for each game",
                ground.foreign(&native, Some(false)),
            ),
        ];
        let mut rates = [const { Vec::new() }; 4];
        for _ in 0..rounds {
            for ((_, spec), rates) in kinds.iter().zip(&mut rates) {
                rates.push(ground.rate(spec, games)?);
            }
        }
        let [roof, ..] = rates.each_mut().map(|rates| median(rates));
        for ((kind, _), rates) in kinds.iter().zip(&mut rates) {
            println!(
                "{name}, {kind}: {:.0} games/s, ratio {:.3}",
                median(rates),
                median(rates) / roof
            );
        }
    }
    Ok(())
}

/// The environment that games run in.
struct Ground {
    launcher: Arc<Launcher>,
    sandbox: Arc<Sandbox>,
    interrupt: Arc<Interrupt>,
}

impl Ground {
    /// Returns the game of an external referee.
    fn foreign(&self, command: &[&str], reuse: Option<bool>) -> Arc<GameSpec> {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let referee = foreign::Referee {
            reuse,
            ..foreign::Referee::new("bench", command)
        };
        let mut compiler = Compiler {
            sandbox: &self.sandbox,
            run: &mut |_| Ok(true),
        };
        let start = referee.started(referee.launch("bench"), &mut compiler);
        referee.playable(
            &referee.spec("bench"),
            &start,
            &self.sandbox,
            &self.interrupt,
        )
    }

    /// Returns the number of games per second.
    fn rate(&self, spec: &GameSpec, games: u32) -> Outcome<f64> {
        let game = || -> Outcome<()> {
            let mut game = spec.start(1, 2, &Opening::default())?;
            let mut bots = Vec::new();
            for _ in 0..2 {
                bots.push(Bot::start_in(&self.launcher, 1, &self.interrupt)?);
            }
            let minute = Duration::from_secs(60);
            play(
                game.as_mut(),
                &mut bots,
                Clock {
                    first_turn: minute,
                    turn: minute,
                    ..Clock::default()
                },
                Kept::default(),
            )?;
            Ok(())
        };
        game()?;
        let start = Instant::now();
        for _ in 0..games {
            game()?;
        }
        Ok(f64::from(games) / start.elapsed().as_secs_f64())
    }
}

fn spec(is_race: bool) -> GameSpec {
    let rules = move |_: i64, _: &Opening| -> Result<Box<dyn Game>, StartError> {
        Ok(Box::new(Match::new(is_race)))
    };
    GameSpec {
        rules: Arc::new(rules),
        ..foreign::Referee::new("bench", Vec::new()).spec("bench")
    }
}

fn launch(name: &str, command: &[&str]) -> Launch {
    let command = command.iter().map(|word| (*word).to_owned()).collect();
    Launch {
        name: name.to_owned(),
        command,
        ..Launch::default()
    }
}

fn median(rates: &mut [f64]) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// Answers with the last line of every prompt, whose first line counts the others.
fn play_bot() -> Outcome<()> {
    let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = String::new();
    while stdin.read_line(&mut line)? > 0 {
        for _ in 0..line.trim_end().parse()? {
            line.clear();
            stdin.read_line(&mut line)?;
        }
        stdout.write_all(line.as_bytes())?;
        stdout.flush()?;
        line.clear();
    }
    Ok(())
}

/// Referees one game after another.
fn referee(is_race: bool) -> Outcome<()> {
    let mut stdin = std::io::stdin().lock();
    let mut read = || -> Outcome<Option<Vec<String>>> {
        let mut line = String::new();
        if stdin.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let count: usize = line
            .trim_end()
            .trim_end_matches(']')
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .parse()?;
        let mut lines = Vec::new();
        for _ in 0..count {
            line.clear();
            stdin.read_line(&mut line)?;
            lines.push(line.trim_end().to_owned());
        }
        Ok(Some(lines))
    };
    while read()?.is_some() {
        read()?;
        let mut game = Match::new(is_race);
        let mut out = "[[ARENA] 2]\nprotocol=1\nreuse=yes\n".to_owned();
        while game.reason.is_none() {
            let lines = game.lines();
            let (count, text, seat) = (lines.len(), lines.join("\n"), game.seat());
            let question = format!(
                "[[NEXT_PLAYER_INPUT] {count}]\n{text}\n[[NEXT_PLAYER_INFO] 3]\n{seat}\n1\n1000\n"
            );
            std::io::stdout()
                .lock()
                .write_all((out + &question).as_bytes())?;
            out = String::new();
            let answer = read()?.unwrap_or_default();
            game.answer(answer.first().map_or("", String::as_str));
            read()?;
        }
        let scores = game.standings.map(|standing| standing.score);
        let end = format!("[[SCORES] 2]\n0 {}\n1 {}\n", scores[0], scores[1]);
        std::io::stdout().lock().write_all(end.as_bytes())?;
    }
    Ok(())
}
