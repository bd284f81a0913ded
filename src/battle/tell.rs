//! What the site's referees of the built-in games say about a turn: summaries and tooltips.
//!
//! They are known from battles that the original referees played. Where no battle shows what a
//! referee says, arena expects nothing, so that an unknown text makes no difference.

use std::fmt::Write as _;

use super::{Battle, Frame, Tooltip};
use arena_games::kutulu::EffectKind;
use arena_games::onitama::Action;
use arena_games::shogi::{Color, Move};
use arena_games::{Game, Picture, Reason, Seat, Told, kutulu};

/// An expected text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    Exactly(String),
    /// A text with this beginning and this end. The part between is unknown.
    Around(String, String),
}

impl Text {
    pub(super) fn fits(&self, text: &str) -> bool {
        match self {
            // A referee may leave out the last line end.
            Text::Exactly(expected) => {
                text.trim_end_matches('\n') == expected.trim_end_matches('\n')
            }
            Text::Around(start, end) => {
                text.len() >= start.len() + end.len()
                    && text.starts_with(start)
                    && text.ends_with(end)
            }
        }
    }

    /// Returns the text for a message.
    pub(super) fn shown(&self) -> String {
        match self {
            Text::Exactly(text) => format!("{text:?}"),
            Text::Around(start, end) => format!("{:?}", format!("{start}..{end}")),
        }
    }
}

/// Whether the answers of a battle look like actions of a built-in game. If all of them end in the
/// first turn, they may be wrong actions of any game.
pub(crate) fn has_actions_of(game: &str, battle: &Battle) -> bool {
    let is_action = |answer| match game {
        "kutulu" => kutulu::Action::parse(answer).is_some(),
        "onitama" => Action::parse(answer).is_some(),
        _ => answer.split_whitespace().next().is_some_and(|word| {
            word.eq_ignore_ascii_case("random") || Move::parse(word, Color::White).is_some()
        }),
    };
    let mut answers = battle.frames.iter().filter_map(Frame::answer);
    battle.frames.len() <= battle.scores.len() + 1 || answers.any(is_action)
}

/// What a referee says about a turn. `None` if that isn't known.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    /// Whether the last frame is a key frame.
    pub(super) is_key: Option<bool>,
    pub(super) summary: Option<Text>,
    /// The texts of tooltips with their seats.
    pub(super) tooltips: Option<Vec<(Text, Seat)>>,
}

impl Said {
    /// Whether these are the tooltips of a turn, in any order.
    pub(super) fn fits(&self, tooltips: &[&Tooltip]) -> bool {
        let Some(expected) = &self.tooltips else {
            return true;
        };
        let mut rest: Vec<&&Tooltip> = tooltips.iter().collect();
        expected.iter().all(|(text, seat)| {
            let at = rest.iter().position(|tooltip| {
                usize::try_from(tooltip.seat) == Ok(*seat) && text.fits(&tooltip.text)
            });
            at.is_some_and(|at| {
                rest.swap_remove(at);
                true
            })
        }) && rest.is_empty()
    }
}

/// Returns what the site's referee says after a turn. `turn` are its frames, and `before` is the
/// position before it, which becomes the one after it.
pub(super) fn tell(game: &dyn Game, turn: &[Frame], before: &mut Picture) -> Said {
    if let Some(told) = game.told() {
        return foreign(told);
    }
    let after = game.picture();
    let said = match (&*before, &after) {
        (Picture::Shogi(_), Picture::Shogi(_)) => shogi(game, turn),
        (Picture::Onitama(before), Picture::Onitama(after)) => {
            onitama(game, turn, [&before.board, &after.board])
        }
        (Picture::Kutulu(before), Picture::Kutulu(after)) => kutulu(before, after, turn),
        _ => return Said::default(),
    };
    *before = after;
    Said {
        is_key: Some(true),
        ..said
    }
}

/// A turn in which nothing is said.
fn nothing() -> Said {
    Said {
        summary: Some(Text::Exactly(String::new())),
        tooltips: Some(Vec::new()),
        ..Said::default()
    }
}

/// A referee made with the SDK says it itself, after every answer.
fn foreign(told: &Told) -> Said {
    let tooltips = told.tooltips.iter().cloned();
    let mut summary = told.summary.clone();
    if !summary.is_empty() && !summary.ends_with('\n') {
        summary.push('\n');
    }
    Said {
        is_key: told.is_key,
        summary: Some(Text::Exactly(summary)),
        tooltips: Some(
            tooltips
                .map(|(text, seat)| (Text::Exactly(text), seat))
                .collect(),
        ),
    }
}

fn reason(game: &dyn Game) -> Option<Reason> {
    game.reason()?.parse().ok()
}

/// Both shogis: how a game ended, and faults in red.
fn shogi(game: &dyn Game, turn: &[Frame]) -> Said {
    let mut said = nothing();
    let (Some(reason), Some(mover)) = (reason(game), turn.last().and_then(|frame| frame.seat))
    else {
        return said;
    };
    let loser = 1 - mover;
    let mut first = None;
    match reason {
        Reason::Stalemate => {
            first = Some((Text::Exactly(format!("${loser} stalemate")), loser));
        }
        Reason::Repetition | Reason::PerpetualCheck => {
            let text = format!("${mover} repeated position for 3rd time");
            first = Some((Text::Exactly(text), mover));
        }
        Reason::Timeout => {
            let text = format!("${mover} timeout!");
            said.summary = Some(Text::Exactly(format!("¤RED¤{text}§RED§\n")));
            first = Some((Text::Exactly(text), mover));
        }
        Reason::InvalidAction => {
            // Battles only show an empty action here.
            let [start, end] = [format!("${mover}: "), " is not valid move".to_owned()];
            said.summary = Some(Text::Around(
                format!("¤RED¤{start}"),
                format!("{end}§RED§\n"),
            ));
            first = Some((Text::Around(start, end), mover));
        }
        _ => {}
    }
    let winner = game.standings().iter().position(|own| own.score > 0);
    let won = winner.map(|seat| (Text::Exactly(format!("${seat} won")), seat));
    said.tooltips = Some(first.into_iter().chain(won).collect());
    said
}

/// Onitama: captures and how a game ended. It has no summaries.
fn onitama(game: &dyn Game, turn: &[Frame], boards: [&Vec<String>; 2]) -> Said {
    let Some((mover, frame)) = turn.last().and_then(|frame| Some((frame.seat?, frame))) else {
        return nothing();
    };
    let student = if mover == 0 { 'b' } else { 'w' };
    let [before, after] = boards.map(|board| {
        let symbols = board.iter().flat_map(|row| row.chars());
        symbols.filter(|symbol| *symbol == student).count()
    });
    let captured = format!("${mover} captured a student");
    let text = match reason(game) {
        Some(Reason::MasterCaptured) => Text::Exactly(format!(
            "${mover} captured the opponent master and won the game"
        )),
        // No battle shows whether the capture is said as well.
        Some(Reason::ShrineReached) if after < before => {
            return Said {
                tooltips: None,
                ..nothing()
            };
        }
        Some(Reason::ShrineReached) => {
            Text::Exactly(format!("${mover} reached the opponent shrine"))
        }
        Some(Reason::Timeout) => Text::Exactly(format!("${mover} timeout!")),
        Some(Reason::InvalidAction) => match frame.answer().and_then(Action::parse) {
            Some(_) => Text::Exactly(format!(
                "${mover}: invalid command Player ${mover} performed an invalid action"
            )),
            None => Text::Around(format!("${mover}: "), String::new()),
        },
        _ if after < before => Text::Exactly(captured),
        _ => return nothing(),
    };
    Said {
        tooltips: Some(vec![(text, mover)]),
        ..nothing()
    }
}

/// Kutulu: yells and those whom they stop, and deaths. No battle shows what is said of faults.
fn kutulu(before: &kutulu::Picture, after: &kutulu::Picture, turn: &[Frame]) -> Said {
    let mut asked = turn.iter().filter(|frame| frame.seat.is_some());
    if asked.any(|frame| frame.answer().and_then(kutulu::Action::parse).is_none()) {
        return Said::default();
    }
    // A yell lasts for two turns: it is new if it has one left, and old if it had one left.
    let yells = |picture: &kutulu::Picture| -> Vec<[Seat; 2]> {
        let effects = picture.effects.iter();
        let yells = effects.filter(|yell| yell.kind == EffectKind::Yell && yell.time == Some(1));
        yells
            .filter_map(|yell| Some([yell.owner?, yell.target?]))
            .collect()
    };
    let (old, new) = (yells(before), yells(after));
    let mut summary = String::new();
    for [caster, receiver] in &new {
        let _ = writeln!(summary, "${receiver} fooled by ${caster}");
    }
    let mut tooltips = Vec::new();
    for (seat, (own, later)) in before.explorers.iter().zip(&after.explorers).enumerate() {
        let is_stopped = old
            .iter()
            .chain(&new)
            .any(|[_, receiver]| *receiver == seat);
        if own.living && is_stopped {
            let _ = writeln!(summary, "${seat} is taken aback and won't act this turn");
        }
        if own.living && !later.living {
            let text = format!("${seat}  frightened to death");
            tooltips.push((Text::Exactly(text), seat));
        }
    }
    Said {
        summary: Some(Text::Exactly(summary)),
        tooltips: Some(tooltips),
        ..Said::default()
    }
}
