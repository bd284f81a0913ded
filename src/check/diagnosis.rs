//! What is said about a bot that went wrong, and what its author might try.

use std::fmt::Write as _;
use std::time::Duration;

use super::Topic;
use crate::section::text::quoted;
use crate::section::words::ms;
use arena_games::rng::SplitMix64;
use arena_games::{Fault, GameSpec, Listing};
use arena_process::{Exit, Output};

/// What is wrong.
#[derive(Debug, PartialEq)]
pub(super) struct Note {
    pub(super) topic: Topic,
    pub(super) what: String,
    pub(super) hint: String,
    /// Whether how the process ended belongs to it.
    pub(super) tells_of_the_end: bool,
}

fn note(topic: Topic, what: String, hint: impl Into<String>) -> Note {
    Note {
        topic,
        what,
        hint: hint.into(),
        tells_of_the_end: false,
    }
}

/// What is known of an answer that the referee did not take.
pub(super) struct Judgement<'a> {
    pub(super) spec: &'a GameSpec,
    pub(super) answer: &'a str,
    /// The last prompt and the one before.
    pub(super) inputs: [&'a str; 2],
    /// What a referee that is a program of its own listed beside these as legal.
    pub(super) actions: &'a [Vec<String>; 2],
    /// Whether there is such a referee.
    pub(super) is_foreign: bool,
    /// What it said of the answer.
    pub(super) reason: Option<&'a str>,
}

impl Judgement<'_> {
    /// The legal actions of the last question, or of one before.
    fn listed(&self, back: usize) -> Vec<&str> {
        let beside = self.actions[back].iter().map(String::as_str);
        let mut listed = self.spec.listed_actions(self.inputs[back]);
        listed.extend(beside);
        listed
    }
}

/// The answer that the referee did not take; `None` if that cannot be told from the prompt.
pub(super) fn illegal_action(judgement: &Judgement<'_>) -> Option<Note> {
    let Judgement {
        spec,
        answer,
        inputs: [input, _],
        is_foreign,
        ..
    } = *judgement;
    let listed = judgement.listed(0);
    if listed.contains(&answer) && !is_foreign {
        return None;
    }
    let lists_actions = spec.listing != Listing::None;
    let count = listed.len();
    let mut what = format!("it answered {}, which is ", quoted(answer));
    if lists_actions {
        let _ = write!(what, "none of the {count} actions that its input lists");
    } else {
        let _ = write!(what, "not an action of {}", spec.title);
    }
    if let Some(reason) = judgement.reason {
        let _ = write!(what, "; the referee says: {}", quoted(reason));
    }
    let trimmed = answer.trim();
    let mut actions = listed.iter();
    let hint = if trimmed.is_empty() {
        "print the action and nothing else; an empty line is an answer too".to_owned()
    } else if let Some(action) = actions.find(|action| action.eq_ignore_ascii_case(trimmed)) {
        format!("print {action:?} exactly as it is listed, capitals and blanks included")
    } else if judgement.listed(1).contains(&answer) {
        "the input of the turn before lists it: the bot is one turn behind. Does it read every line of a turn, and print \
         one line for each?"
            .to_owned()
    } else if lists_actions {
        "the last lines of the input are the legal actions, after a line with their number. Messages for yourself belong \
         on standard error"
            .to_owned()
    } else {
        let example = match listed.first() {
            Some(action) => format!("an action is, for instance, {action:?}. "),
            None if is_foreign => String::new(),
            None => {
                let action = spec.rules.random_action(input, &mut SplitMix64::new(1));
                format!("an action is, for instance, {action:?}. ")
            }
        };
        example + "Messages for yourself belong on standard error"
    };
    Some(note(Topic::LegalActions, what, hint))
}

/// What the bot wrote after its answer of so many lines, before it was asked again; `None` if that is nothing.
pub(super) fn unasked(
    answer: &str,
    lines: usize,
    heard: &Output,
    unfinished: Option<String>,
) -> Option<Note> {
    let more = match (heard, unfinished) {
        (Output::Line(line), _) => format!("another line, {}", quoted(line)),
        (Output::TooLong, _) => "more than 9,999 bytes".to_owned(),
        (Output::Nothing, Some(part)) => format!("{} without an end of line", quoted(&part)),
        (Output::Nothing | Output::Ended, _) => return None,
    };
    let what = match lines {
        0 => format!("asked for nothing, it wrote {more}"),
        _ => format!("after its answer, {}, it wrote {more}", quoted(answer)),
    };
    let hint = format!(
        "{}: whatever follows would be taken for the next turn's answer. Messages for yourself belong on standard error. Lines of \
         input that are left unread are taken for the next turn's",
        print_lines(lines)
    );
    Some(note(Topic::OneLine, what, hint))
}

/// Part of a prompt was not read although it was answered.
pub(super) fn left_unread(answer: &str, unread: u64, whole: usize) -> Note {
    let what = format!(
        "it answered {}, but did not read {unread} of the {whole} bytes that it was sent until then",
        quoted(answer)
    );
    let hint = "read every line of a turn before you answer: what is left is taken for the beginning of the next turn";
    note(Topic::ReadsInput, what, hint)
}

/// A question whose time limit has passed.
pub(super) struct Unanswered {
    pub(super) first: bool,
    /// The lines that were wanted.
    pub(super) lines: usize,
    pub(super) limit: Duration,
    /// How much of the limit is for starting.
    pub(super) startup: Duration,
    /// When it was waited for no longer, from the question on.
    pub(super) late: Duration,
    /// How long its processes ran until then.
    pub(super) ran: Duration,
    /// The bytes that were not read at the limit, and those of the prompt.
    pub(super) unread: u64,
    pub(super) whole: usize,
    /// The beginning of an answer at the limit.
    pub(super) unfinished: Option<String>,
    /// What came while the bot was waited for, and what once its input was closed.
    pub(super) heard: [Output; 2],
}

impl Unanswered {
    fn too_slow(&self) -> Topic {
        if self.first {
            Topic::FirstTurn
        } else {
            Topic::InTime
        }
    }

    /// What to try if the answer came late.
    fn faster(&self) -> &'static str {
        match self.first {
            true if self.startup.is_zero() => {
                "if it is the interpreter that takes so long to start, see --startup-ms"
            }
            true => "prepare less before the first answer",
            false => "measure the time of your own search, and stop it well before the limit",
        }
    }

    /// What to try if the bot waited for more input.
    fn fewer_lines(&self) -> String {
        match self.lines {
            0 | 1 => {
                "it reads more lines than a turn has: compare with the turn's input".to_owned()
            }
            lines => print_lines(lines) + ": it prints fewer, or reads more lines than a turn has",
        }
    }
}

/// Why no answer came in time.
pub(super) fn timeout(question: &Unanswered) -> Note {
    let none = format!("no answer within {}", ms(question.limit, 0));
    let late = ms(question.late, 0);
    match (&question.heard, &question.unfinished) {
        ([Output::Line(line), _], _) => {
            let came = format!("came after {late} (CPU {})", ms(question.ran, 0));
            let what = format!("{none}; its answer, {}, {came}", quoted(line));
            note(question.too_slow(), what, question.faster())
        }
        ([Output::Ended, _], _) => Note {
            tells_of_the_end: true,
            ..note(
                Topic::FullGames,
                format!("{none}; after {late} it ended without any"),
                "",
            )
        },
        (_, Some(part)) => note(
            Topic::Flushes,
            format!("{none}: it wrote {}, but no end of line", quoted(part)),
            "end every answer with a newline, and flush standard output after it",
        ),
        ([_, Output::Line(line)], None) => note(
            Topic::Flushes,
            format!(
                "{none}: its answer, {}, reached us only once its input was closed",
                quoted(line)
            ),
            "flush standard output after every answer, e.g. print(.., flush=True), cout << endl, \
             System.out.flush(). If you do, it reads more lines than a turn has",
        ),
        (_, None) if question.unread > 0 => note(
            Topic::ReadsInput,
            format!(
                "{none}: it has not read {} of the {} bytes of its input",
                question.unread, question.whole
            ),
            "read every line of a turn; until then there is nothing to think about",
        ),
        ([_, Output::Ended], None) => note(
            question.too_slow(),
            format!("{none}: it waited for more input, and ended once that was closed"),
            question.fewer_lines(),
        ),
        (_, None) => note(
            question.too_slow(),
            format!("{none}, nor within {late}, nor once its input was closed"),
            "it hangs, or thinks without an end",
        ),
    }
}

/// What a bot may have got wrong that ended in the middle of a game, as if all were well.
const PLAYS_ON: &str =
    "a bot plays until its input ends, and never knows before that a game is over";
/// The same of one that failed.
const SAYS_WHY: &str = "its standard error should say why";

/// The process ended, or closed its output.
pub(super) fn ended(first: bool, fault: Fault, unfinished: Option<String>) -> Note {
    let (topic, mut what, mut hint) = if first {
        let what = "it ended before its first answer".to_owned();
        (Topic::Starts, what, SAYS_WHY)
    } else {
        let what = "it ended in the middle of a game".to_owned();
        (Topic::FullGames, what, PLAYS_ON)
    };
    if fault == Fault::OutOfMemory {
        what += ", out of memory";
        hint = "each of its processes may have so much: --memory-mb gives it more, as in a config `memory_mb`";
    }
    if let Some(part) = unfinished {
        let _ = write!(what, ", after {} without an end of line", quoted(&part));
    }
    Note {
        tells_of_the_end: true,
        ..note(topic, what, hint)
    }
}

impl Note {
    /// The hint, now that it is known how the process ended.
    pub(super) fn hint_after(&self, exit: &Exit) -> String {
        let has_failed = exit.status.is_some_and(|status| !status.success());
        if self.hint == PLAYS_ON && has_failed {
            SAYS_WHY.to_owned()
        } else {
            self.hint.clone()
        }
    }
}

/// What a bot is to print in a turn.
fn print_lines(lines: usize) -> String {
    match lines {
        0 => "print nothing where nothing is asked for".to_owned(),
        1 => "print exactly one line per turn".to_owned(),
        lines => format!("print exactly the {lines} lines that this turn wants"),
    }
}

/// A line without an end.
pub(super) fn too_long(lines: usize, beginning: Option<String>) -> Note {
    let mut what = "it wrote more than 9,999 bytes without an end of line".to_owned();
    if let Some(text) = beginning {
        let _ = write!(what, ": {}", quoted(&text));
    }
    let hint = print_lines(lines) + ", ended by a newline";
    note(Topic::OneLine, what, hint)
}

/// The process goes on although its input has ended.
pub(super) fn stays(goodbye: Duration) -> Note {
    let what = format!("it still ran {} after its input had ended", ms(goodbye, 0));
    let hint = "end the program when there is no more to read. The arena ends it anyway, but a bot that misses the end of its \
                input may keep running elsewhere";
    note(Topic::EndOfInput, what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_games::{kutulu, minishogi};

    fn judged(spec: &GameSpec, answer: &str, inputs: [&str; 2]) -> Option<Note> {
        illegal_action(&Judgement {
            spec,
            answer,
            inputs,
            actions: &Default::default(),
            is_foreign: false,
            reason: None,
        })
    }

    #[test]
    fn hints_tell_what_is_wrong_with_an_action() {
        let [now, earlier] =
            ["G42", "P42"].map(|action| format!("board\nnone\n2\n2552\n{action}\n"));
        for (answer, hint) in [
            ("g42", "print \"G42\" exactly as it is listed"),
            ("2552 ", "print \"2552\" exactly as it is listed"),
            ("P42", "the bot is one turn behind"),
            (" ", "an empty line is an answer too"),
            ("thinking", "belong on standard error"),
        ] {
            let note = judged(&minishogi::spec(), answer, [&now, &earlier]).unwrap();
            assert!(note.hint.contains(hint), "{answer:?}: {}", note.hint);
            assert!(note.what.contains("none of the 2 actions"), "{}", note.what);
        }
        assert_eq!(judged(&minishogi::spec(), "2552", [&now, &earlier]), None);
        let note = judged(&kutulu::spec(), "JUMP", ["0\n", ""]).unwrap();
        assert_eq!(
            note.what,
            "it answered \"JUMP\", which is not an action of Code of Kutulu"
        );
    }
}
