//! A bot that answers every prompt with its first listed action, with one read and one write per
//! turn.

use std::io::{self, Read, Write};

/// Plays until the end of the input.
pub(crate) fn main() {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let mut buffer = [0; 1 << 13];
    let mut filled = 0;
    loop {
        let count = stdin.read(&mut buffer[filled..]).unwrap_or(0);
        if count == 0 {
            return;
        }
        filled += count;
        if let Some(action) = first_action(&buffer[..filled]) {
            if stdout.write_all(&[action, b"\n"].concat()).is_err() {
                return;
            }
            filled = 0;
        }
    }
}

/// Returns the first of the actions at the end of a prompt, after the line that counts them. `None`
/// while the prompt is incomplete.
fn first_action(prompt: &[u8]) -> Option<&[u8]> {
    let mut action = None;
    let lines = prompt.strip_suffix(b"\n")?.rsplit(|&byte| byte == b'\n');
    for (count, line) in lines.enumerate() {
        if count > 0 && std::str::from_utf8(line).ok()?.parse() == Ok(count) {
            // An action is its number and its text, or its text alone.
            return action;
        }
        action = Some(line);
    }
    None
}
