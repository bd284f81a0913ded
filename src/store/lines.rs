//! Readers of files whose last line may be torn.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};

use std::sync::mpsc::{self, Receiver, Sender};
use std::{mem, thread};

use super::{RECORDS, StoreError, corrupt, io_error, unreadable};
use crate::results::{StoredGame, Unfit};
use arena_process::open_input;

/// Size of a batch of records in bytes.
const BATCH: usize = 1 << 16;
/// Number of batches per parser.
const BATCHES: usize = 2;

/// The complete lines of a file, without their newlines. A last line without a newline is left out.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read>>,
    /// Offset of the next line in the file.
    consumed: u64,
}

impl Lines {
    /// Opens the file after so many bytes. A file that doesn't exist has no lines.
    pub(super) fn open_at(path: &Path, start: u64) -> Result<Lines, StoreError> {
        let file: Box<dyn Read> = match open_input(path) {
            Ok(mut file) => {
                file.seek(SeekFrom::Start(start))
                    .map_err(io_error("read", path))?;
                Box::new(file)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Box::new(io::empty()),
            Err(error) => return Err(unreadable(path)(error)),
        };
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Lines {
            path: path.to_owned(),
            reader,
            consumed: start,
        })
    }

    /// The number of lines of a file.
    pub(super) fn count(path: &Path) -> Result<u64, StoreError> {
        let mut lines = Lines::open_at(path, 0)?;
        let (mut count, mut line) = (0, Vec::new());
        while lines.append_next(&mut line)? {
            count += 1;
            line.clear();
        }
        Ok(count)
    }

    /// Appends the next complete line to `text`, with its newline. Returns false if there is none.
    pub(super) fn append_next(&mut self, text: &mut Vec<u8>) -> Result<bool, StoreError> {
        let start = text.len();
        self.reader
            .read_until(b'\n', text)
            .map_err(io_error("read", &self.path))?;
        let is_complete = text[start..].ends_with(b"\n");
        if !is_complete {
            text.truncate(start);
        }
        self.consumed += (text.len() - start) as u64;
        Ok(is_complete)
    }
}

/// The games of a run directory, in the order of its records, without a torn last line.
///
/// Other threads parse the records in batches. A batch returns to the thread that parsed it to free
/// its memory: two threads would wait for each other in the allocator.
pub(super) struct GameReader {
    records: Lines,
    parsers: Vec<Parser>,
    /// The parsers of batches in progress, in order.
    parsing: VecDeque<usize>,
    /// The current batch, the place of the next game in it, and its parser.
    batch: Batch,
    next: usize,
    parser: usize,
    /// The result of reading; `None` until it has ended.
    end: Option<Result<(), StoreError>>,
    /// Number of games returned so far, which is also the line number.
    number: u64,
}

/// A line of the records.
pub(crate) struct RecordLine<'a> {
    pub(crate) game: &'a StoredGame,
    /// The line without its newline.
    pub(crate) text: &'a [u8],
    /// The range of the record's line in the file, with its newline.
    pub(super) place: Range<u64>,
}

/// Lines, and the games in them.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    /// The place of each line in the text, its newline included.
    lines: Vec<Range<usize>>,
    /// Offset of the text in the file.
    start: u64,
    games: Vec<Result<StoredGame, Unfit>>,
}

/// A thread that parses batches. If the system refuses it, they are parsed at once and sent on.
struct Parser {
    lines: Result<Sender<Batch>, Sender<Batch>>,
    games: Receiver<Batch>,
}

impl Batch {
    fn parse(&mut self) {
        self.games.clear();
        for line in &self.lines {
            self.games.push(parse(&self.text[line.start..line.end - 1]));
        }
    }
}

fn parse(line: &[u8]) -> Result<StoredGame, Unfit> {
    // Checking all text at once is faster than string by string.
    let text = str::from_utf8(line).map_err(|error| Unfit::Lacks(error.to_string()))?;
    let record = serde_json::from_str(text).map_err(|error| Unfit::Lacks(error.to_string()))?;
    StoredGame::new(record)
}

impl Parser {
    fn start() -> Parser {
        let (lines, unparsed) = mpsc::channel::<Batch>();
        let (parsed, games) = mpsc::channel();
        let done = parsed.clone();
        let thread = thread::Builder::new().spawn(move || {
            for mut batch in unparsed {
                batch.parse();
                // The receiver is gone if reading stopped early.
                let _ = done.send(batch);
            }
        });
        let lines = thread.map(|_| lines).map_err(|_| parsed);
        Parser { lines, games }
    }

    fn take(&self, mut batch: Batch) {
        // Both accept batches as long as the reader exists.
        let _ = match &self.lines {
            Ok(lines) => lines.send(batch),
            Err(parsed) => {
                batch.parse();
                parsed.send(batch)
            }
        };
    }
}

impl GameReader {
    /// Opens the records of a run directory after this number of bytes, which end with a line.
    pub(super) fn open_at(run: &Path, start: u64) -> Result<GameReader, StoreError> {
        let mut games = GameReader {
            records: Lines::open_at(&run.join(RECORDS), start)?,
            parsers: Vec::new(),
            parsing: VecDeque::new(),
            batch: Batch::default(),
            next: 0,
            parser: 0,
            end: None,
            number: 0,
        };
        let parsers = thread::available_parallelism().map_or(1, NonZero::get);
        for batch in 0..BATCHES * parsers {
            games.read_batch(batch % parsers, Batch::default());
        }
        Ok(games)
    }

    /// Reads the lines of a batch and hands it to a parser.
    fn read_batch(&mut self, parser: usize, mut batch: Batch) {
        batch.text.clear();
        batch.lines.clear();
        batch.start = self.records.consumed;
        while self.end.is_none() && batch.text.len() < BATCH {
            let start = batch.text.len();
            match self.records.append_next(&mut batch.text) {
                Ok(true) => batch.lines.push(start..batch.text.len()),
                Ok(false) => self.end = Some(Ok(())),
                Err(error) => self.end = Some(Err(error)),
            }
        }
        if batch.lines.is_empty() {
            return;
        }
        if parser == self.parsers.len() {
            self.parsers.push(Parser::start());
        }
        self.parsers[parser].take(batch);
        self.parsing.push_back(parser);
    }

    /// Waits for the next game, and returns false if there is none.
    fn has_next(&mut self) -> bool {
        while self.next == self.batch.games.len() {
            let batch = mem::take(&mut self.batch);
            self.read_batch(self.parser, batch);
            self.next = 0;
            let Some(parser) = self.parsing.pop_front() else {
                return false;
            };
            self.parser = parser;
            let parsed = self.parsers[parser].games.recv();
            self.batch = parsed.unwrap_or_else(|_| unreachable!("a batch is parsed to its end"));
        }
        true
    }

    /// Returns the next game.
    pub(super) fn next(&mut self) -> Result<Option<RecordLine<'_>>, StoreError> {
        if !self.has_next() {
            return match self.end.replace(Ok(())) {
                Some(Err(error)) => Err(error),
                _ => Ok(None),
            };
        }
        let line = &self.batch.lines[self.next];
        let game = &self.batch.games[self.next];
        (self.next, self.number) = (self.next + 1, self.number + 1);
        match game {
            Ok(game) => Ok(Some(RecordLine {
                game,
                text: &self.batch.text[line.start..line.end - 1],
                place: self.batch.start + line.start as u64..self.batch.start + line.end as u64,
            })),
            Err(reason) => Err(self.corrupt(reason)),
        }
    }

    /// Returns the error that the game handed out last does not belong there.
    pub(super) fn corrupt(&self, reason: impl Display) -> StoreError {
        corrupt(&self.records.path, self.number, reason)
    }
}
