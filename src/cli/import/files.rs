//! The files of an import, and the battles in them.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::{Checked, Outcome};
use crate::battle::{self, Battle, Found, Taken};
use arena_process::open_input;

/// Maximum number of bytes of a file after decompression.
const MOST_BYTES: u64 = 512 << 20;
/// Maximum depth of folders in a folder.
const DEEPEST: usize = 16;
/// Ends of names of files to read in a folder.
const ENDINGS: [&str; 3] = ["json", "jsonl", "gz"];

/// A file to read, or a path that can't be read with the reason.
pub(super) struct File(PathBuf, Option<String>);

/// Returns the files among these paths and in these folders, in order.
pub(super) fn files(paths: &[PathBuf]) -> Vec<File> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            add_folder(path, 0, &mut files);
        } else {
            files.push(File(path.clone(), None));
        }
    }
    files
}

/// Adds the files in a folder, in the order of their names.
fn add_folder(folder: &Path, depth: usize, files: &mut Vec<File>) {
    let problem = |files: &mut Vec<File>, why| files.push(File(folder.to_owned(), Some(why)));
    let entries =
        fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = match entries {
        Ok(paths) if depth < DEEPEST => paths,
        Ok(_) => {
            let why = format!("more than {DEEPEST} folders are inside each other");
            return problem(files, why);
        }
        Err(error) => return problem(files, error.to_string()),
    };
    paths.sort_unstable();
    let before = files.len();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() && !path.is_symlink() {
            add_folder(&path, depth + 1, files);
        } else if ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            files.push(File(path, None));
        }
    }
    if depth == 0 && files.len() == before {
        let expected = ENDINGS.map(|ending| format!(".{ending}")).join(", ");
        problem(files, format!("no file in it ends in {expected}"));
    }
}

impl File {
    /// Reads the file and checks each part; `check` plays a battle.
    pub(super) fn check(self, check: &mut dyn FnMut(Battle) -> Outcome) -> Vec<Checked> {
        let File(path, problem) = self;
        let mut checked = Vec::new();
        let mut take = |(within, found): Taken| {
            let place = format!("{} {within}", path.display());
            let mut battle = None;
            let outcome = match found {
                Ok(Found::Battle(own)) => {
                    battle = own.id.clone().map(|id| (id, own.fingerprint()));
                    check(*own)
                }
                Ok(Found::Listed(players)) => Outcome::Listed(players),
                Err(why) => Outcome::NoBattle(why),
            };
            checked.push(Checked {
                place: place.trim_end().to_owned(),
                battle,
                outcome,
            });
        };
        let bytes = match problem {
            Some(why) => Err(why),
            None => read(&path).map_err(|error| error.to_string()),
        };
        match bytes {
            Ok(bytes) => battle::read(&bytes, &mut take),
            Err(why) => take((String::new(), Err(why))),
        }
        checked
    }
}

/// Reads a file, plain or gzip; `-` is standard input.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        return unpacked(io::stdin());
    }
    unpacked(open_input(path)?)
}

/// Reads a bounded number of bytes and unpacks them if they are gzip.
fn unpacked(source: impl Read) -> io::Result<Vec<u8>> {
    let mut source = BufReader::with_capacity(1 << 16, source);
    let is_packed = source.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let mut bytes = Vec::new();
    let most = MOST_BYTES + 1;
    if is_packed {
        MultiGzDecoder::new(source)
            .take(most)
            .read_to_end(&mut bytes)?;
    } else {
        source.take(most).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 == most {
        let megabytes = MOST_BYTES >> 20;
        let why = format!("it has more than {megabytes} MiB; split it into several files");
        return Err(io::Error::other(why));
    }
    Ok(bytes)
}
