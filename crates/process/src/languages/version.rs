//! Versions of compilers and interpreters.

use std::sync::Arc;
use std::time::Duration;

use super::{Compilation, Language};
use crate::sys::{Bot, Interrupt, Sandbox};

/// How long a program may take to print its version. Some start a Java machine first.
const LIMIT: Duration = Duration::from_secs(3);
/// The first lines, one of which has the version: Perl begins with an empty line.
const LINES: usize = 3;

impl Language {
    /// Asks the compiler, or the interpreter if there is none, for its version, in the sandbox of a
    /// compiler. Returns `None` if it isn't here, doesn't say, or takes too long.
    pub fn version(&self, sandbox: &Sandbox, interrupt: &Arc<Interrupt>) -> Option<String> {
        let program = self.programs().next()?;
        let place = sandbox.folder.join("versions");
        let compilation = Compilation {
            command: vec![program.clone(), version_option(program).to_owned()],
            source: program.clone(),
            programs: self.programs().cloned().collect(),
            read: Vec::new(),
            cache: place.clone(),
            limit: LIMIT,
            place,
        };
        let launcher = compilation.launcher(sandbox).ok()?;
        let mut bot = Bot::start_in(&launcher, 0, interrupt).ok()?;
        bot.excuses = false;
        for _ in 0..LINES {
            let Ok(line) = bot.ask("", 1, LIMIT, &mut |_| {}).ok()?.reply else {
                break;
            };
            if let Some(version) = version_in(line) {
                return Some(version.to_owned());
            }
        }
        // Kotlin prints it there.
        let stderr = bot.stop().stderr_tail;
        stderr.lines().find_map(version_in).map(str::to_owned)
    }
}

/// Returns the option that makes a program print its version.
fn version_option(program: &str) -> &'static str {
    match program {
        "go" => "version",
        "lua" => "-v",
        "fpc" => "-iV",
        "csc" | "kotlinc" | "scalac" => "-version",
        _ => "--version",
    }
}

/// Returns the first number with a point in it, as in `gcc (Debian 12.2.0-14) 12.2.0`.
fn version_in(line: &str) -> Option<&str> {
    line.split(|c: char| !c.is_ascii_digit() && c != '.')
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        for (line, version) in [
            ("gcc (Debian 12.2.0-14) 12.2.0", Some("12.2.0")),
            ("Python 3.11.2", Some("3.11.2")),
            ("v18.19.0", Some("18.19.0")),
            ("go version go1.19.8 linux/amd64", Some("1.19.8")),
            (
                "This is perl 5, version 36, subversion 0 (v5.36.0) built for x86_64",
                Some("5.36.0"),
            ),
            (
                "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)",
                Some("5.2.15"),
            ),
            (
                "ruby 3.1.2p20 (2022-04-12 revision 4491bb740a)",
                Some("3.1.2"),
            ),
            ("info: kotlinc-jvm 1.3.31 (JRE 17.0.9+9)", Some("1.3.31")),
            ("", None),
            ("no version 5 ...", None),
        ] {
            assert_eq!(version_in(line), version, "{line}");
        }
    }
}
