//! A program in a terminal.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use vt100::{Parser, Screen};

use crate::programs;

/// All that is printed stays on a screen of so many rows.
pub(crate) const ALL_ROWS: u16 = 1000;
/// For a game, or a build of a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program in a window.
pub(crate) struct Window {
    pub(crate) process: Child,
    keys: File,
    pub(crate) parser: Parser,
    output: Receiver<Vec<u8>>,
    /// Everything that the program wrote.
    written: Vec<u8>,
}

impl Window {
    /// Starts the program in a window of this size, and keeps `seen_rows` of its rows.
    pub(crate) fn open(
        [columns, rows, seen_rows]: [u16; 3],
        folder: &Path,
        env: &[(&str, &str)],
        args: &[&str],
    ) -> Window {
        let controller =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&controller, size).unwrap();
        let name = ptsname(&controller, Vec::new())
            .unwrap()
            .into_string()
            .unwrap();
        let terminal = File::options()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NOCTTY)
            .open(name)
            .unwrap();
        // The terminal becomes the controlling one of the program's session, so Ctrl-C is a signal.
        let mut command = Command::new("setsid");
        command
            .args([
                "--ctty",
                programs::program().get_program().to_str().unwrap(),
            ])
            .args(args)
            .current_dir(folder)
            .stdin(terminal.try_clone().unwrap())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal);
        for colours in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(colours);
        }
        command
            .env("TERM", "xterm-256color")
            .envs(env.iter().copied());
        let size = |cells: u16| NonZero::new(cells).unwrap();
        let process = command.spawn().unwrap();
        let keys = File::from(controller);
        let mut reader = keys.try_clone().unwrap();
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // At the end of the program reading fails.
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Window {
            process,
            keys,
            parser: Parser::new(size(seen_rows), size(columns), 0),
            output,
            written: Vec::new(),
        }
    }

    /// Reads on until the screen shows what it should.
    pub(crate) fn until(&mut self, is_shown: impl Fn(&Screen) -> bool) {
        while !is_shown(self.parser.screen()) {
            let Ok(bytes) = self.output.recv_timeout(PATIENCE) else {
                panic!("not shown in time:\n{}", self.parser.screen().contents());
            };
            self.take(&bytes);
        }
    }

    /// Reads on until the screen shows a text.
    pub(crate) fn shows(&mut self, text: &str) {
        self.until(|screen| screen.contents().contains(text));
    }

    /// Reads on until the program ends.
    pub(crate) fn end(&mut self) {
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.written.extend(bytes);
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn written(&self) -> String {
        String::from_utf8_lossy(&self.written).into_owned()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
