//! Plays a battle through a referee and compares them.
//!
//! Seats, answers, number of frames and the result have to agree. If the referee is made with the
//! SDK, its texts for people have to agree as well: they may differ before the result does.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use super::{Battle, Unfit};
use crate::play::foreign::{self, Told};
use crate::play::record::{Mismatch, Record};
use crate::play::{self, Abort, Answer, Ask, Clock, Kept, Player, Question};
use arena_games::{Fault, Game, GameSpec, Opening, Seat};
use arena_section::text::quoted;

/// Plays a battle. Returns its record if the referee agrees with it.
pub(crate) fn check(battle: &Battle, spec: &GameSpec) -> Result<Record, Unfit> {
    let script = &Script {
        battle,
        next: Cell::new(1),
        difference: RefCell::default(),
    };
    let seats = battle.scores.len();
    let mut game = spec
        .start(battle.seed, seats, &Opening::default())
        .map_err(|error| Unfit::Unchecked(format!("the referee: {error}")))?;
    let reader = |seat| FramePlayer { script, seat };
    let mut players: Vec<FramePlayer<'_>> = (0..seats).map(reader).collect();
    let look = |game: &dyn Game| {
        let is_open = script.difference.borrow().is_none();
        if let Some(told) = Told::of(game)
            && is_open
            && foreign::check(game).is_ok()
        {
            script.difference.replace(script.compare_told(told).err());
        }
    };
    let (clock, kept) = (Clock::of(spec), Kept::default());
    let played = play::watch(game.as_mut(), &mut players, clock, kept, look);
    if let Some(difference) = script.difference.take() {
        return Err(difference);
    }
    let played = played.map_err(|abort| Unfit::Unchecked(Mismatch::from(abort).to_string()))?;
    let mut record = Record::new(spec, battle.seed, played);
    // A battle has no times.
    record.ms.clear();
    script.compare_end(&record)?;
    if let Some(told) = Told::of(&*game) {
        script.compare_input(&told.input)?;
    }
    Ok(record)
}

/// The frames of a battle while its players read them.
struct Script<'b> {
    battle: &'b Battle,
    /// The index of the next frame.
    next: Cell<usize>,
    /// The first difference.
    difference: RefCell<Option<Unfit>>,
}

impl<'b> Script<'b> {
    /// Returns a difference at the last frame.
    fn differs<T>(&self, what: String) -> Result<T, Unfit> {
        let frame = self.next.get() - 1;
        Err(Unfit::Differs { frame, what })
    }

    /// Returns the answer of a seat, unless the battle has another question here.
    fn answer(&self, seat: Seat, question: &Question) -> Result<Result<&'b str, Fault>, Unfit> {
        let at = self.next.get();
        let Some(frame) = self.battle.frames.get(at) else {
            let what = format!("the battle ends here, but the referee asks seat {seat}");
            return self.differs(what);
        };
        self.next.set(at + 1);
        if frame.seat != Some(seat) {
            let expected = frame.seat.unwrap_or_default();
            return self.differs(format!("seat: expected {expected}, got {seat}"));
        }
        let wanted = question.lines;
        match frame.answer() {
            // A referee that wants no lines gets none.
            None if wanted == 0 => Ok(Ok("")),
            None => Ok(Err(Fault::Timeout)),
            Some(answer) => match answer.split('\n').count() {
                lines if lines == wanted => Ok(Ok(answer)),
                lines => self.differs(format!(
                    "lines of the answer: expected {lines}, got {wanted}"
                )),
            },
        }
    }

    /// Compares the last frame with the texts of a referee made with the SDK.
    fn compare_told(&self, told: &Told) -> Result<(), Unfit> {
        let at = self.next.get() - 1;
        let frame = &self.battle.frames[at];
        if let (Some(expected), Some(got)) = (frame.is_key, told.is_key)
            && expected != got
        {
            return self.differs(format!("keyframe: expected {expected}, got {got}"));
        }
        // A referee may leave out the last line end.
        let got = told.summary.trim_end_matches('\n');
        let expected = frame.summary.as_deref().unwrap_or(got);
        let expected = expected.trim_end_matches('\n');
        if expected != got {
            let (expected, got) = (quoted(expected), quoted(got));
            return self.differs(format!("summary: expected {expected}, got {got}"));
        }
        // A tool may have dropped all of them.
        let Some(tooltips) = &self.battle.tooltips else {
            return Ok(());
        };
        let mut expected = Vec::new();
        for tooltip in tooltips {
            if tooltip.frame == at {
                expected.push((tooltip.text.clone(), tooltip.seat));
            }
        }
        let [expected, got] = [expected, told.tooltips.clone()].map(|mut tooltips| {
            tooltips.sort_unstable();
            let of = |(text, seat): &(String, Seat)| format!("{} of seat {seat}", quoted(text));
            tooltips.iter().map(of).collect::<Vec<_>>().join(" and ")
        });
        if expected == got {
            return Ok(());
        }
        let [expected, got] =
            [&expected, &got].map(|all| if all.is_empty() { "none" } else { all });
        self.differs(format!("tooltips: expected {expected}, got {got}"))
    }

    /// Compares what the referee was told with what it says that it was told, if it says so.
    fn compare_input(&self, input: &[String]) -> Result<(), Unfit> {
        let line = |key: &str, value: &str| format!("{}={}", key.trim(), value.trim());
        let (mut expected, mut got) = (vec![format!("seed={}", self.battle.seed)], Vec::new());
        for (key, value) in &self.battle.options {
            expected.push(line(key, value));
        }
        got.extend(
            input
                .iter()
                .filter_map(|told| told.split_once('='))
                .map(|(key, value)| line(key, value)),
        );
        // arena adds a line.
        got.retain(|line| !line.starts_with("arena="));
        expected.sort_unstable();
        got.sort_unstable();
        if got.is_empty() || got == expected {
            return Ok(());
        }
        let [expected, got] = [expected, got].map(|lines| quoted(&lines.join("\n")));
        self.differs(format!("refereeInput: expected {expected}, got {got}"))
    }

    /// Compares the end of the game.
    fn compare_end(&self, record: &Record) -> Result<(), Unfit> {
        let (next, battle) = (self.next.get(), self.battle);
        let count = battle.frames.len();
        if next < count {
            let reason = &record.reason;
            return self.differs(format!(
                "number of frames: expected {count}, got {next}: for the referee, the game is over ({reason})"
            ));
        }
        let (expected, got) = (&battle.scores, &record.scores);
        if got != expected {
            return self.differs(format!("scores: expected {expected:?}, got {got:?}"));
        }
        // Ranks follow from the scores.
        let rank = |seat| Some(record.place(seat)? - 1);
        let ranks: Vec<usize> = (0..got.len()).filter_map(rank).collect();
        match &battle.ranks {
            Some(expected) if *expected != ranks => {
                self.differs(format!("ranks: expected {expected:?}, got {ranks:?}"))
            }
            _ => Ok(()),
        }
    }
}

/// A player that reads its answers from a battle.
struct FramePlayer<'s> {
    script: &'s Script<'s>,
    seat: Seat,
}

impl Player for FramePlayer<'_> {
    fn ask(&mut self, ask: Ask<'_>, _thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
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
