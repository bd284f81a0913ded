//! The files of an import, and the battles in them.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::battle::{self, Found, Place, Problem};
use arena_process::open_input;

/// Maximum number of bytes of a file after decompression.
const MOST_BYTES: u64 = 512 << 20;
/// Maximum depth of folders in a folder.
const DEEPEST: usize = 16;
/// Ends of names of files to read in a folder.
const ENDINGS: [&str; 3] = ["json", "jsonl", "gz"];

/// A part of a file.
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) found: Result<Found, Problem>,
}

/// Returns everything in these files and folders, in order.
pub(super) fn items(paths: &[PathBuf]) -> Vec<Item> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            add_folder(path, 0, &mut files);
        } else {
            files.push(Ok(path.clone()));
        }
    }
    let items: Vec<Vec<Item>> = files.par_iter().map(items_of).collect();
    items.into_iter().flatten().collect()
}

/// A file to read, or a folder that can't be read.
type Listed = Result<PathBuf, (PathBuf, String)>;

/// Adds the files in a folder, in the order of their names.
fn add_folder(folder: &Path, depth: usize, files: &mut Vec<Listed>) {
    let entries =
        fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = match entries {
        Ok(paths) if depth < DEEPEST => paths,
        Ok(_) => {
            let why = format!("more than {DEEPEST} folders are inside each other");
            return files.push(Err((folder.to_owned(), why)));
        }
        Err(error) => return files.push(Err((folder.to_owned(), error.to_string()))),
    };
    paths.sort_unstable();
    let before = files.len();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() && !path.is_symlink() {
            add_folder(&path, depth + 1, files);
        } else if ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            files.push(Ok(path));
        }
    }
    if depth == 0 && files.len() == before {
        let expected = ENDINGS.map(|ending| format!(".{ending}")).join(", ");
        let why = format!("no file in it ends in {expected}");
        files.push(Err((folder.to_owned(), why)));
    }
}

fn items_of(file: &Listed) -> Vec<Item> {
    let (path, bytes) = match file {
        Ok(path) => (path, read(path).map_err(|error| error.to_string())),
        Err((path, why)) => (path, Err(why.clone())),
    };
    let place = |within: String| Place {
        file: path.display().to_string(),
        within,
    };
    let mut items = Vec::new();
    match bytes {
        Ok(bytes) => battle::read(&bytes, &mut |(within, found)| {
            items.push(Item {
                place: place(within),
                found,
            });
        }),
        Err(why) => items.push(Item {
            place: place(String::new()),
            found: Err(Problem(why)),
        }),
    }
    items
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
