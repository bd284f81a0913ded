//! Explanations of problems with a bot, and hints for its author.

use std::fmt::Write as _;
use std::time::Duration;

use super::Topic;
use crate::play::Played;
use arena_games::rng::SplitMix64;
use arena_games::{Fate, Fault, GameSpec, Listing, Seat};
use arena_process::Output;
use arena_section::text::quoted;
use arena_section::words::ms;

/// A problem with a bot.
#[derive(Debug, PartialEq)]
pub(super) struct Note {
    pub(super) topic: Topic,
    pub(super) what: String,
    pub(super) hint: String,
    /// Whether the process has ended, so that the report says how.
    pub(super) has_ended: bool,
}

fn note(topic: Topic, what: String, hint: impl Into<String>) -> Note {
    Note {
        topic,
        what,
        hint: hint.into(),
        has_ended: false,
    }
}

/// Explains a rejected answer to a prompt. An external referee may list `actions` and give a
/// reason. Returns `None` if the prompt lists it, so that the fault isn't known.
pub(super) fn illegal_action(
    spec: &GameSpec,
    is_foreign: bool,
    input: &str,
    answer: &str,
    actions: &[String],
    reason: Option<&str>,
) -> Option<Note> {
    let mut listed = spec.listed_actions(input);
    if listed.contains(&answer) {
        return None;
    }
    listed.extend(actions.iter().map(String::as_str));
    // A referee may refuse what it lists.
    listed.retain(|action| *action != answer);
    let is = match spec.listing {
        Listing::None => format!("not an action of {}", spec.title),
        _ => format!("none of the {} actions that its input lists", listed.len()),
    };
    let mut what = format!("it answered {}, which is {is}", quoted(answer));
    let trimmed = answer.trim().to_ascii_lowercase();
    let random = spec.rules.random_action(input, &mut SplitMix64::new(1));
    if listed.is_empty() && !is_foreign {
        listed.push(&random);
    }
    // The one that the bot may have meant comes first.
    listed.sort_by_cached_key(|action| {
        let action = action.to_ascii_lowercase();
        (action != trimmed, !action.contains(&trimmed))
    });
    if let Some(action) = listed.first() {
        let _ = write!(what, ", such as {}", quoted(action));
    }
    if let Some(reason) = reason {
        let _ = write!(what, "; the referee says: {}", quoted(reason));
    }
    let mut hint = match listed.first() {
        Some(action) if action.eq_ignore_ascii_case(&trimmed) => {
            format!("print {action:?} exactly as it is listed, capitals and blanks included. ")
        }
        _ if spec.listing == Listing::None => "standard output is for answers alone. ".to_owned(),
        _ => {
            "the last lines of the input are the legal actions, after a line with their number; a bot that leaves lines unread, or \
             prints more than one line, falls a turn behind. "
                .to_owned()
        }
    };
    hint += "Messages for yourself belong on standard error";
    Some(note(Topic::LegalActions, what, hint))
}

/// Explains that an external referee stopped asking a seat while others played on. In many games it
/// was eliminated, but some referees drop a seat whose answer they reject.
pub(super) fn dropped_out(played: &Played, seat: Seat, said: Option<&str>) -> Option<Note> {
    let steps = || played.steps.iter();
    let own = steps().rfind(|step| step.player == seat)?.turn;
    let others = steps().rfind(|step| step.player != seat)?.turn;
    if others <= own + 1 || played.standings[seat].fate != Fate::Ok {
        return None;
    }
    let mut what = format!("the referee asked it no more after turn {own} of {others}");
    if let Some(said) = said {
        let _ = write!(what, "; the referee said: {}", quoted(said));
    }
    let hint = "in many games it was only eliminated; a referee may also drop a seat whose answer it rejects";
    Some(note(Topic::FullGames, what, hint))
}

/// Explains output after an answer of so many lines, if there is any.
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

/// Explains an answer to a prompt that the bot didn't read to its end.
pub(super) fn left_unread(answer: &str, unread: u64, whole: usize) -> Note {
    let answer = quoted(answer);
    let what = format!(
        "it answered {answer}, but did not read {unread} of the {whole} bytes that it was sent until then"
    );
    let hint = "read every line of a turn before you answer: what is left is taken for the beginning of the next turn";
    note(Topic::ReadsInput, what, hint)
}

/// A question that the bot didn't answer in time.
pub(super) struct Unanswered {
    /// Whether it was the first.
    pub(super) first: bool,
    /// The number of lines that it wanted.
    pub(super) lines: usize,
    pub(super) limit: Duration,
    /// The time from the question to the end of the wait.
    pub(super) late: Duration,
    /// How long the bot's processes ran in that time; `None` if the system doesn't say.
    pub(super) ran: Option<Duration>,
    /// The number of unread bytes at the limit.
    pub(super) unread: u64,
    /// The number of bytes of the prompt.
    pub(super) whole: usize,
    /// The beginning of an answer at the limit.
    pub(super) unfinished: Option<String>,
    /// The output during the wait, and after the input was closed.
    pub(super) heard: [Output; 2],
}

/// Explains why no answer came in time.
pub(super) fn timeout(question: &Unanswered) -> Note {
    let none = format!("no answer within {}", ms(question.limit, 0));
    let late = ms(question.late, 0);
    let mut too_slow = Topic::InTime;
    let mut faster = "measure the time of your own search, and stop it well before the limit";
    if question.first {
        too_slow = Topic::FirstTurn;
        faster = "prepare less before the first answer; --set clock.startup_ms=5000 gives an interpreter more time to start";
    }
    match (&question.heard, &question.unfinished) {
        ([Output::Line(line), _], _) => {
            let ran = question.ran.map_or("unknown".to_owned(), |ran| ms(ran, 0));
            let came = format!("came after {late} (CPU {ran})");
            let what = format!("{none}; its answer, {}, {came}", quoted(line));
            note(too_slow, what, faster)
        }
        ([Output::Ended, _], _) => {
            let what = format!("{none}; after {late} it ended without any");
            ended_note(Topic::FullGames, what, SAYS_WHY)
        }
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
            too_slow,
            format!("{none}: it waited for more input, and ended once that was closed"),
            print_lines(question.lines)
                + ", and compare what it reads with the turn's input: it may expect more lines",
        ),
        (_, None) => note(
            too_slow,
            format!("{none}, nor within {late}, nor once its input was closed"),
            "it hangs, or thinks without an end",
        ),
    }
}

/// The hint for a bot that ended.
const SAYS_WHY: &str = "its standard error should say why";
/// The hint for a bot that ended in the middle of a game.
const PLAYS_ON: &str = "its standard error should say why; a bot plays until its input ends, and never knows before that a game is over";

fn ended_note(topic: Topic, what: String, hint: &str) -> Note {
    Note {
        has_ended: true,
        ..note(topic, what, hint)
    }
}

/// Explains a process that ended or closed its output.
pub(super) fn ended(first: bool, fault: Fault, unfinished: Option<String>) -> Note {
    let (topic, when, mut hint) = if first {
        (Topic::Starts, "before its first answer", SAYS_WHY)
    } else {
        (Topic::FullGames, "in the middle of a game", PLAYS_ON)
    };
    let mut what = format!("it ended {when}");
    if fault == Fault::OutOfMemory {
        what += ", out of memory";
        hint = "each of its processes may have so much: --set limits.memory_mb=2048 gives it more";
    }
    if let Some(part) = unfinished {
        let _ = write!(what, ", after {} without an end of line", quoted(&part));
    }
    ended_note(topic, what, hint)
}

/// Says how many lines to print in a turn.
fn print_lines(lines: usize) -> String {
    match lines {
        0 => "print nothing where nothing is asked for".to_owned(),
        1 => "print exactly one line per turn".to_owned(),
        lines => format!("print exactly the {lines} lines that this turn wants"),
    }
}

/// Explains a line that is too long.
pub(super) fn too_long(lines: usize, beginning: Option<String>) -> Note {
    let mut what = "it wrote more than 9,999 bytes without an end of line".to_owned();
    if let Some(text) = beginning {
        let _ = write!(what, ": {}", quoted(&text));
    }
    let hint = print_lines(lines) + ", ended by a newline";
    note(Topic::OneLine, what, hint)
}

/// Explains a process that still runs after the end of its input.
pub(super) fn stays(goodbye: Duration) -> Note {
    let what = format!("it still ran {} after its input had ended", ms(goodbye, 0));
    let hint = "end the program when there is no more to read. The arena ends it anyway, but a bot that misses the end of its \
                input may keep running elsewhere";
    note(Topic::EndOfInput, what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_games::{dice_shogi, kutulu, minishogi, onitama};

    fn illegal(spec: &GameSpec, answer: &str, input: &str) -> Option<Note> {
        illegal_action(spec, false, input, answer, &[], None)
    }

    #[test]
    fn hints_tell_what_is_wrong_with_an_action() {
        let input = "board\nnone\n2\n2552\nG42\n";
        for (answer, hint) in [
            ("g42", "print \"G42\" exactly as it is listed"),
            ("2552 ", "print \"2552\" exactly as it is listed"),
            ("P42", "falls a turn behind"),
            (" ", "the last lines of the input are the legal actions"),
            ("thinking", "belong on standard error"),
        ] {
            let note = illegal(&minishogi::spec(), answer, input).unwrap();
            assert!(note.hint.contains(hint), "{answer:?}: {}", note.hint);
            assert!(note.what.contains("none of the 2 actions"), "{}", note.what);
        }
        assert_eq!(illegal(&minishogi::spec(), "2552", input), None);
    }

    #[test]
    fn one_action_is_shown_in_all_games() {
        for (id, answer, listed, example) in [
            ("onitama", "A1B2", 3, "8 A1B2"),
            ("onitama", "a1b2 ", 3, "8 A1B2"),
            ("onitama", "8A1B2", 3, "6 A1A2"),
            ("onitama", "8 b1c2", 3, "8 B1C2"),
            ("minishogi", "5453", 2, "5453+"),
            ("dice_shogi", "", 2, "2552"),
            ("kutulu", "JUMP", 0, "RIGHT"),
        ] {
            let (spec, input) = match id {
                "onitama" => (onitama::spec(), "board\n3\n6 A1A2\n8 A1B2\n8 B1C2\n"),
                "minishogi" => (minishogi::spec(), "x\n2\n2552\n5453+\n"),
                "dice_shogi" => (dice_shogi::spec(), "x\n2\n2552\n5453\n"),
                _ => (kutulu::spec(), "0\n"),
            };
            let is = match listed {
                0 => "not an action of Code of Kutulu".to_owned(),
                listed => format!("none of the {listed} actions that its input lists"),
            };
            let what = format!("it answered {answer:?}, which is {is}, such as {example:?}");
            assert_eq!(illegal(&spec, answer, input).unwrap().what, what);
        }
        let actions = ["go left", "go right"].map(str::to_owned);
        for (answer, example) in [
            ("right", "go right"),
            ("up", "go left"),
            ("go left", "go right"),
        ] {
            let note = illegal_action(&kutulu::spec(), true, "", answer, &actions, None).unwrap();
            let end = format!(", such as {example:?}");
            assert!(note.what.ends_with(&end), "{}", note.what);
        }
    }
}
