//! Plays a battle through a referee and compares everything that the battle says.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::time::Duration;

use super::tell::{Said, Text, tell};
use super::{Battle, Tooltip};
use crate::play::record::Record;
use crate::play::{self, Abort, Answer, Ask, Clock, Kept, Played, Player};
use arena_games::{Fault, Game, GameSpec, Opening, Question, Seat};
use arena_section::text::{cut, quoted};

/// The first difference between a battle and the referee of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The id of the game.
    pub(crate) game: String,
    /// Whether the battle can't be checked: the referee failed, or a move is hidden. `what` says it all.
    pub(crate) is_failure: bool,
    /// The index of the frame.
    pub(crate) frame: usize,
    /// What was the same at this frame.
    stage: Stage,
    /// The difference: what the battle has is expected, what the referee has was got.
    pub(crate) what: String,
}

/// What is compared at a frame, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Who is asked, and for what.
    Question,
    /// What is shown and said of a turn.
    Turn,
    /// The result.
    End,
}

impl Difference {
    /// Says that the battle can't be checked: the referee itself failed.
    pub(crate) fn failure(game: &str, frame: usize, what: String) -> Difference {
        Difference {
            game: game.to_owned(),
            is_failure: true,
            frame,
            stage: Stage::Question,
            what,
        }
    }

    /// Returns how far the game was the same. A greater value is further.
    pub(crate) fn reach(&self) -> impl Ord {
        (self.frame, self.stage)
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {}: {}", self.frame, self.what)
    }
}

/// Returns the first record of some checks, or else the difference that comes last in the battle;
/// `None` if nothing was checked.
pub(crate) fn first_exact<T>(
    checks: impl Iterator<Item = Result<T, Difference>>,
) -> Option<Result<T, Difference>> {
    let mut nearest: Option<Difference> = None;
    for check in checks {
        match (check, &nearest) {
            (Ok(exact), _) => return Some(Ok(exact)),
            (Err(other), Some(near)) if other.reach() <= near.reach() => {}
            (Err(other), _) => nearest = Some(other),
        }
    }
    nearest.map(Err)
}

/// Plays a battle. Returns its record if the referee agrees with everything that the battle says.
pub(crate) fn check(battle: &Battle, spec: &GameSpec) -> Result<Record, Difference> {
    let script = &Script {
        battle,
        game: &spec.id,
        next: Cell::new(1),
        difference: RefCell::default(),
    };
    let seats = battle.scores.len();
    let game = spec.start(battle.seed, seats, &Opening::default());
    let mut game =
        game.map_err(|error| Difference::failure(&spec.id, 0, format!("the referee: {error}")))?;
    let mut players: Vec<FramePlayer<'_>> = (0..seats)
        .map(|seat| FramePlayer { script, seat })
        .collect();
    // The position before the next turn, and the turn's first frame.
    let (mut before, mut first) = (game.picture(), 0);
    let look = |game: &dyn Game| {
        let end = script.next.get();
        let is_open = script.difference.borrow().is_none();
        if end > first && is_open && game.broken().is_none() {
            let said = tell(game, &battle.frames[first..end], &mut before);
            let compared = script.compare_turn(first, &said);
            script.difference.replace(compared.err());
            first = end;
        }
    };
    let (clock, kept) = (Clock::of(spec), Kept::default());
    let played = play::watch(game.as_mut(), &mut players, clock, kept, look);
    if let Some(difference) = script.difference.take() {
        return Err(difference);
    }
    let frame = script.next.get();
    let played = played.map_err(|abort| match abort {
        Abort::Failed(why) => Difference::failure(&spec.id, frame - 1, why),
        other => Difference::failure(&spec.id, frame - 1, other.to_string()),
    })?;
    script.compare_end(&played)?;
    if let Some(told) = game.told() {
        script.compare_input(&told.input)?;
    }
    let mut record = Record::new(spec, battle.seed, played);
    // A battle has no times.
    record.ms.clear();
    Ok(record)
}

/// The frames of a battle while its players read them.
struct Script<'b> {
    battle: &'b Battle,
    /// The id of the game.
    game: &'b str,
    /// The index of the next frame.
    next: Cell<usize>,
    /// The first difference.
    difference: RefCell<Option<Difference>>,
}

impl<'b> Script<'b> {
    fn difference(&self, frame: usize, stage: Stage, what: String) -> Difference {
        Difference {
            game: self.game.to_owned(),
            is_failure: false,
            frame,
            stage,
            what,
        }
    }

    /// Returns the answer of a seat, unless the battle has another question here.
    fn answer(
        &self,
        seat: Seat,
        question: &Question,
    ) -> Result<Result<&'b str, Fault>, Difference> {
        let at = self.next.get();
        let Some(frame) = self.battle.frames.get(at) else {
            let what = format!("the battle ends here, but the referee asks seat {seat}");
            return Err(self.difference(at - 1, Stage::Turn, what));
        };
        if frame.seat != Some(seat) {
            let expected = frame.seat.map_or("-1".to_owned(), |seat| seat.to_string());
            let what = format!("seat: expected {expected}, got {seat}");
            return Err(self.difference(at, Stage::Question, what));
        }
        self.next.set(at + 1);
        let wanted = question.lines;
        match frame.answer() {
            // A referee that wants no lines gets none.
            None if wanted == 0 => Ok(Ok("")),
            None => Ok(Err(Fault::Timeout)),
            Some(answer) => {
                let lines = answer.split('\n').count();
                if lines == wanted {
                    return Ok(Ok(answer));
                }
                let what = format!("lines of the answer: expected {lines}, got {wanted}");
                Err(self.difference(at, Stage::Question, what))
            }
        }
    }

    /// Compares a turn with the frames from `first` on.
    fn compare_turn(&self, first: usize, said: &Said) -> Result<(), Difference> {
        let end = self.next.get();
        let differs = |at, what| Err(self.difference(at, Stage::Turn, what));
        let frames = &self.battle.frames[first..end];
        for (at, frame) in (first..).zip(frames) {
            let is_last = at + 1 == end;
            // Only the last frame of a turn is a key frame.
            let got = if is_last { said.is_key } else { Some(false) };
            if let (Some(expected), Some(got)) = (frame.is_key, got)
                && expected != got
            {
                return differs(at, format!("keyframe: expected {expected}, got {got}"));
            }
            let Some(summary) = &frame.summary else {
                continue;
            };
            let fits = if is_last {
                said.summary.as_ref().is_none_or(|text| text.fits(summary))
            } else {
                summary.is_empty()
            };
            if !fits {
                let got = said.summary.as_ref().filter(|_| is_last);
                let got = got.map_or_else(|| "\"\"".to_owned(), Text::shown);
                let (summary, got) = (quoted(summary), cut(&got));
                return differs(at, format!("summary: expected {summary}, got {got}"));
            }
        }
        let tooltips = self.tooltips(first, end);
        // A tool may have dropped all of them.
        if self.battle.tooltips.is_none() || said.fits(&tooltips) {
            return Ok(());
        }
        let expected = tooltips
            .iter()
            .map(|tooltip| format!("{} of seat {}", quoted(&tooltip.text), tooltip.seat));
        let got = said.tooltips.iter().flatten();
        let got = got.map(|(text, seat)| format!("{} of seat {seat}", text.shown()));
        let [expected, got] = [expected.collect(), got.collect()].map(|list: Vec<String>| {
            if list.is_empty() {
                "none".to_owned()
            } else {
                list.join(" and ")
            }
        });
        let what = format!("tooltips: expected {expected}, got {got}");
        differs(end - 1, what)
    }

    /// Returns the tooltips of some frames.
    fn tooltips(&self, first: usize, end: usize) -> Vec<&Tooltip> {
        let all = self.battle.tooltips.iter().flatten();
        let range = first..end;
        all.filter(|own| usize::try_from(own.frame).is_ok_and(|frame| range.contains(&frame)))
            .collect()
    }

    /// Compares what the referee was told with what it says that it was told, if it says so.
    fn compare_input(&self, input: &[String]) -> Result<(), Difference> {
        let lines = input.iter().filter_map(|line| line.split_once('='));
        let mut got: Vec<(String, String)> = lines
            .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
            .collect();
        // arena adds a line.
        got.retain(|(key, _)| key != "arena");
        let mut expected = self.battle.options.clone();
        expected.push(("seed".to_owned(), self.battle.seed.to_string()));
        expected.sort();
        got.sort();
        if got.is_empty() || got == expected {
            return Ok(());
        }
        let [expected, got] = [expected, got].map(|lines| {
            let lines = lines.iter().map(|(key, value)| format!("{key}={value}"));
            quoted(&lines.collect::<Vec<_>>().join("\n"))
        });
        let what = format!("refereeInput: expected {expected}, got {got}");
        Err(self.difference(self.next.get() - 1, Stage::End, what))
    }

    /// Compares the end of the game.
    fn compare_end(&self, played: &Played) -> Result<(), Difference> {
        let (next, battle) = (self.next.get(), self.battle);
        let differs = |what: String| Err(self.difference(next - 1, Stage::End, what));
        let count = battle.frames.len();
        if next < count {
            let reason = &played.reason;
            return differs(format!(
                "number of frames: expected {count}, got {next}: for the referee, the game is over ({reason})"
            ));
        }
        let got: Vec<i32> = played.standings.iter().map(|own| own.score).collect();
        if got != battle.scores {
            let expected = &battle.scores;
            return differs(format!("scores: expected {expected:?}, got {got:?}"));
        }
        // Ranks follow from the scores.
        let got: Vec<i64> = (0..got.len())
            .map(|seat| i64::try_from(battle.place(seat)).unwrap_or(i64::MAX))
            .collect();
        if let Some(expected) = battle.ranks.as_ref().filter(|ranks| **ranks != got) {
            return differs(format!("ranks: expected {expected:?}, got {got:?}"));
        }
        let mut tooltips = battle.tooltips.iter().flatten();
        let stray =
            tooltips.find(|own| usize::try_from(own.frame).is_ok_and(|frame| frame >= count));
        match stray {
            Some(tooltip) => differs(format!(
                "tooltips: expected one at frame {}, got {count} frames",
                tooltip.frame
            )),
            None => Ok(()),
        }
    }
}

/// A player that reads its answers from a battle.
struct FramePlayer<'s> {
    script: &'s Script<'s>,
    seat: Seat,
}

impl Player for FramePlayer<'_> {
    fn ask(&mut self, ask: Ask<'_>, _thinks: &mut dyn FnMut()) -> Result<Answer<'_>, Abort> {
        let mut difference = self.script.difference.borrow_mut();
        if difference.is_none() {
            match self.script.answer(self.seat, ask.question) {
                Ok(reply) => {
                    return Ok(Answer {
                        reply,
                        elapsed: Duration::ZERO,
                        late: false,
                    });
                }
                Err(first) => *difference = Some(first),
            }
        }
        Err(Abort::Failed("the battle leaves the game".to_owned()))
    }
}
