//! A game on a terminal, a turn at a time.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex};
use std::{mem, process, thread};

use console::{Key, Term, truncate_str};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{Story, View};
use crate::exit;
use crate::report::screen::Screen;
use crate::section::Tone;

/// What stands below every page.
const KEYS: &str = "n → next   p ← back   Home  End   q quit";
/// Takes the window, and gives it back with what stood in it.
const TAKE: &str = "\x1b[?1049h\x1b[?25l";
const GIVE_BACK: &str = "\x1b[?25h\x1b[?1049l";
/// Behind so many columns of a board, a gap ends it: what stands there are words.
const BOARD: usize = 8;
const GAP: &str = "   ";

/// Shows a game until the reader has seen enough, and leaves the terminal as it was.
pub(super) fn show(story: &Story<'_>) -> io::Result<()> {
    let pages = pages(story);
    let term = Term::stdout();
    let _taken = Taken::new()?;
    let mut page = 0;
    // The first line that is shown. It stays from page to page: a board stands where it stood before.
    let mut top = 0;
    loop {
        let (columns, rows) = Screen::stdout().size().unwrap_or((80, 24));
        let lines = lines(&story.title(true), &pages[page]);
        let room = rows.saturating_sub(1).max(1);
        top = lines.len().saturating_sub(room).min(top);
        let place = place([page, pages.len()], top, room, lines.len());
        draw(&term, [columns, room], &lines[top..], &place)?;
        match term.read_key_raw()? {
            Key::Char('q') | Key::Escape | Key::CtrlC => return Ok(()),
            Key::Char('n' | ' ') | Key::Enter | Key::ArrowRight => page += 1,
            Key::Char('p') | Key::Backspace | Key::ArrowLeft => page = page.saturating_sub(1),
            Key::Home => page = 0,
            Key::End => page = pages.len(),
            Key::ArrowDown => top += 1,
            Key::ArrowUp => top = top.saturating_sub(1),
            Key::PageDown => top += room,
            Key::PageUp => top = top.saturating_sub(room),
            _ => {}
        }
        page = page.min(pages.len() - 1);
    }
}

/// Every position, with what has changed on the board marked, and how the game ended.
fn pages(story: &Story<'_>) -> Vec<String> {
    let screen = Screen::stdout();
    let views = story.views();
    let mut pages: Vec<String> = Vec::new();
    for (place, View { said, board }) in views.iter().enumerate() {
        let before = place
            .checked_sub(1)
            .map_or(board, |before| &views[before].board);
        pages.push(format!(
            "{}\n\n{}",
            said.trim(),
            marked(before, board, &screen)
        ));
    }
    pages.push(story.end());
    pages
}

/// A page below the title.
fn lines(title: &str, page: &str) -> Vec<String> {
    let mut lines: Vec<String> = title
        .lines()
        .chain(page.lines())
        .map(ToOwned::to_owned)
        .collect();
    if let Some(first) = lines.first_mut() {
        *first = Screen::stdout().paint(Tone::Strong, mem::take(first));
    }
    lines
}

/// Which page it is, of how many; which of its lines are shown, if not all; and the keys.
fn place([page, pages]: [usize; 2], top: usize, room: usize, lines: usize) -> String {
    let end = lines.min(top + room);
    let shown = if end - top < lines {
        format!("lines {}-{end} of {lines} ↑ ↓   ", top + 1)
    } else {
        String::new()
    };
    format!("{}/{pages}   {shown}{KEYS}", page + 1)
}

/// Fills the window: so many columns, and so many rows above the last one, which shows the place.
fn draw(term: &Term, [columns, rows]: [usize; 2], lines: &[String], place: &str) -> io::Result<()> {
    let mut text = String::new();
    for line in lines.iter().take(rows) {
        text += &(truncate_str(line, columns, "…") + "\r\n");
    }
    text += &"\r\n".repeat(rows.saturating_sub(lines.len()));
    text += &Screen::stdout().paint(Tone::Faint, truncate_str(place, columns, "…"));
    term.move_cursor_to(0, 0)?;
    term.clear_to_end_of_screen()?;
    term.write_str(&text)
}

/// A board with the squares marked that differ from those of the board before.
fn marked(before: &str, board: &str, screen: &Screen) -> String {
    let mut text = String::new();
    let mut old = before.lines();
    let mut is_board = true;
    for line in board.lines() {
        let old = old.next().unwrap_or_default();
        // What follows an empty line is no board any more.
        is_board &= !line.is_empty();
        text += &(if is_board {
            marked_line(old, line, screen)
        } else {
            line.to_owned()
        });
        text.push('\n');
    }
    text
}

fn marked_line(before: &str, line: &str, screen: &Screen) -> String {
    let line: Vec<char> = line.chars().collect();
    let before: Vec<char> = before.chars().collect();
    let gap = (BOARD..line.len()).find(|&at| {
        line[at..]
            .iter()
            .take(GAP.len())
            .eq(GAP.chars().collect::<Vec<_>>().iter())
    });
    let end = gap.unwrap_or(line.len());
    let differs = |at: usize| at < end && line[at] != ' ' && before.get(at) != Some(&line[at]);
    let mut text = String::new();
    for (at, &c) in line.iter().chain(&[' ']).enumerate() {
        if screen.has_colours() {
            text += &(if differs(at) {
                screen.paint(Tone::Marked, c)
            } else {
                c.to_string()
            });
            continue;
        }
        // Brackets where there is room for them.
        let opens = c == ' ' && differs(at + 1);
        let closes = c == ' ' && at > 0 && differs(at - 1);
        text.push(if opens {
            '['
        } else if closes {
            ']'
        } else {
            c
        });
    }
    text.trim_end().to_owned()
}

/// The terminal while a game is shown in it. It is given back when this is dropped, and when a signal ends the program.
struct Taken(Arc<Mutex<Termios>>);

impl Taken {
    fn new() -> io::Result<Taken> {
        let before = Arc::new(Mutex::new(tcgetattr(io::stdin())?));
        let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT])?;
        let taken = Taken(Arc::clone(&before));
        thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                if let Some(signal) = signals.forever().next() {
                    give_back(&before);
                    process::exit(exit::of_signal(signal).into());
                }
            })?;
        io::stdout().write_all(TAKE.as_bytes())?;
        Ok(taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back(&self.0);
    }
}

/// Whatever can be given back is; a terminal that has gone away needs nothing.
fn give_back(before: &Mutex<Termios>) {
    if let Ok(before) = before.lock() {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
    let _ = io::stdout().write_all(GIVE_BACK.as_bytes());
    let _ = io::stdout().flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moved_is_marked() {
        let before = "  5  . b B\n  4  . . .   1  name  2\n\n  1  2\n";
        let board = "  5  . . B\n  4  . b .   1  name  3\n\n  1  3\n";
        insta::assert_snapshot!(marked(before, board, &Screen::default()), @r"
          5  .[.]B
          4  .[b].   1  name  3

          1  3
        ");
    }
}
