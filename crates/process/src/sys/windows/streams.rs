//! The standard streams of a bot.
//!
//! A pipe can't be waited for with a deadline. So a thread reads standard output, with the moment
//! at which each piece came, and another one writes standard input. Standard error is a file: what
//! a bot wrote before its answer is in it when the answer comes, and no thread has to read it
//! meanwhile.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// The most bytes to read at a time.
const CHUNK: usize = 16 * 1024;
/// How many pieces of output wait to be used. A bot that writes more blocks, as soon as the pipe is
/// full, too.
const PIECES: usize = 2;
/// The most bytes of standard error that are read at a time. A longer file is emptied.
const ERRORS_MAX: u64 = 16 << 20;
/// How often to look how long standard error is.
const LOOK: Duration = Duration::from_millis(500);
/// The stack of a thread that reads or writes, in bytes.
const STACK: usize = 64 * 1024;

/// Some output, and when it came.
pub(super) struct Piece {
    pub(super) bytes: Vec<u8>,
    pub(super) came: Instant,
}

/// Our end of standard input.
pub(super) struct Input {
    /// To the thread that writes; `None` once the input is closed.
    prompts: Option<Sender<Vec<u8>>>,
    /// How many bytes that thread has still to write.
    unsent: Arc<AtomicU64>,
}

impl Input {
    /// Starts the thread that writes. It also keeps the file of standard error small.
    pub(super) fn start(stdin: ChildStdin, errors: File) -> io::Result<Input> {
        let (prompts, to_write) = mpsc::channel();
        let unsent = Arc::new(AtomicU64::new(0));
        let left = Arc::clone(&unsent);
        thread("input").spawn(move || write(stdin, &to_write, &left, &errors))?;
        Ok(Input {
            prompts: Some(prompts),
            unsent,
        })
    }

    /// Sends a prompt, without waiting.
    pub(super) fn send(&mut self, prompt: &str) {
        let Some(prompts) = &self.prompts else { return };
        self.unsent
            .fetch_add(prompt.len() as u64, Ordering::Relaxed);
        if prompts.send(prompt.as_bytes().to_vec()).is_err() {
            // The thread that writes is gone.
            self.close();
        }
    }

    /// Closes the input, once what was sent is read.
    pub(super) fn close(&mut self) {
        self.prompts = None;
    }

    /// Returns how many bytes are neither read nor in the pipe.
    pub(super) fn unsent(&self) -> u64 {
        self.unsent.load(Ordering::Relaxed)
    }
}

/// Starts the thread that reads standard output.
pub(super) fn read_output(stdout: ChildStdout) -> io::Result<Receiver<Piece>> {
    let (pieces, output) = mpsc::sync_channel(PIECES);
    thread("output").spawn(move || read(stdout, &pieces))?;
    Ok(output)
}

fn thread(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.into()).stack_size(STACK)
}

/// Writes prompts to a bot until we close its input. Meanwhile keeps its standard error small:
/// nobody reads that while the bot isn't asked.
fn write(stdin: ChildStdin, prompts: &Receiver<Vec<u8>>, unsent: &AtomicU64, errors: &File) {
    let mut stdin = Some(stdin);
    loop {
        match prompts.recv_timeout(LOOK) {
            Ok(prompt) => {
                // It fails if the bot closed its input.
                stdin = stdin.and_then(|mut it| it.write_all(&prompt).ok().map(|()| it));
                unsent.fetch_sub(prompt.len() as u64, Ordering::Relaxed);
            }
            Err(RecvTimeoutError::Timeout) => empty_if_long(errors),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Empties a file of standard error that is long. The bot appends, so it continues at the new end.
fn empty_if_long(errors: &File) {
    if errors.metadata().is_ok_and(|file| file.len() > ERRORS_MAX) {
        // The next attempt may succeed.
        let _ = errors.set_len(0);
    }
}

/// Reads the output of a bot until it ends, or until nobody wants it.
fn read(mut stdout: ChildStdout, pieces: &SyncSender<Piece>) {
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = stdout.read(&mut chunk) {
        let piece = Piece {
            bytes: chunk[..count].to_vec(),
            came: Instant::now(),
        };
        if pieces.send(piece).is_err() {
            return;
        }
    }
}

/// The file that a bot has as standard error.
pub(super) struct Errors {
    /// The bot appends to it.
    file: NamedTempFile,
    /// A handle with a position of its own.
    ours: File,
    /// How many bytes were read.
    read: u64,
}

impl Errors {
    /// Creates the file in a folder.
    pub(super) fn new(folder: &Path) -> io::Result<Errors> {
        let file = tempfile::Builder::new().append(true).tempfile_in(folder)?;
        let ours = file.reopen()?;
        Ok(Errors {
            file,
            ours,
            read: 0,
        })
    }

    /// Returns a handle to append with, for the bot.
    pub(super) fn of_bot(&self) -> io::Result<File> {
        self.file.as_file().try_clone()
    }

    /// Returns another handle of ours.
    pub(super) fn ours(&self) -> io::Result<File> {
        self.ours.try_clone()
    }

    /// Reads what came since the last time, and calls `found` with it.
    pub(super) fn read_on(&mut self, mut found: impl FnMut(&[u8])) -> io::Result<()> {
        let mut chunk = [0; CHUNK];
        // A bot may write faster than this reads.
        let end = self.ours.metadata()?.len();
        let begin = end.saturating_sub(ERRORS_MAX);
        if begin > self.read {
            self.read = self.ours.seek(SeekFrom::Start(begin))?;
        } else if end < self.read {
            // It was emptied meanwhile.
            self.read = self.ours.seek(SeekFrom::Start(0))?;
        }
        while self.read < end {
            let count = self.ours.read(&mut chunk)?;
            if count == 0 {
                break;
            }
            self.read += count as u64;
            found(&chunk[..count]);
        }
        empty_if_long(&self.ours);
        Ok(())
    }
}
