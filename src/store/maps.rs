//! Folders of maps.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::plan_file::hex;
use super::{StoreError, io_error};
use crate::record::Record;
use arena_games::kutulu::{MapSet, Maze};

/// The maps of a folder.
#[derive(Clone, Debug)]
pub(crate) struct MapFolder {
    /// The maps.
    pub(crate) maps: MapSet,
    /// Their names: those of the files, without the ending.
    pub(crate) names: Vec<String>,
    /// What is unusual about them, with the name of the file.
    pub(crate) warnings: Vec<String>,
}

/// The folders of maps that records name. Each is read once: most records name the same.
#[derive(Debug, Default)]
pub(crate) struct MapFolders(HashMap<String, Arc<MapSet>>);

impl MapFolders {
    /// The maps of the folder that a record's map was picked from, as they are now; `None` where nothing was picked from
    /// a folder.
    pub(crate) fn maps_of(&mut self, record: &Record) -> Result<Option<Arc<MapSet>>, StoreError> {
        // Nothing was picked where the map was given.
        let Some(folder) = record.options.maps.as_ref().filter(|_| record.options.map.is_empty()) else {
            return Ok(None);
        };
        if !self.0.contains_key(folder) {
            self.0.insert(folder.clone(), Arc::new(read_maps(Path::new(folder))?.maps));
        }
        Ok(self.0.get(folder).map(Arc::clone))
    }
}

/// Reads the maps of a folder: every file whose name ends in `.txt`, in the byte order of the names. Empty lines at the
/// end of a file are no rows, and the mark (U+FEFF) that some editors put at its start is no floor.
pub(crate) fn read_maps(folder: &Path) -> Result<MapFolder, StoreError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(io_error("read the maps in", folder))? {
        let path = entry.map_err(io_error("read the maps in", folder))?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            files.push(path);
        }
    }
    files.sort_unstable();
    if files.is_empty() {
        return Err(StoreError::NoMaps { path: folder.to_owned(), expected: "files whose names end in .txt" });
    }
    let mut hasher = Sha256::new();
    let (mut mazes, mut warnings) = (Vec::new(), Vec::new());
    for file in &files {
        let maze = read_map(file, &mut hasher)?;
        warnings.extend(maze.warnings().iter().map(|warning| format!("{}: {warning}", file.display())));
        mazes.push(Arc::new(maze));
    }
    let maps = MapSet { folder: folder.display().to_string(), digest: hex(&hasher.finalize()), mazes };
    let name = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(MapFolder { maps, names: files.iter().map(name).collect(), warnings })
}

/// Adds name, length and content to the digest: all that decides which map a seed picks, and nothing of where they lie.
fn read_map(path: &Path, hasher: &mut Sha256) -> Result<Maze, StoreError> {
    let content = fs::read(path).map_err(io_error("read", path))?;
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    hasher.update(name);
    hasher.update([0]);
    hasher.update((content.len() as u64).to_le_bytes());
    hasher.update(&content);
    parse_map(path, &content)
}

/// The map that a file of this content holds; `path` is for messages.
pub(crate) fn parse_map(path: &Path, content: &[u8]) -> Result<Maze, StoreError> {
    let not_text = |_| StoreError::NoMaps { path: path.to_owned(), expected: "text in UTF-8" };
    let text = std::str::from_utf8(content).map_err(not_text)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rows: Vec<&str> = text.trim_end_matches(['\n', '\r']).lines().collect();
    Maze::new(&rows).map_err(|source| StoreError::Map { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A map keeps its rows, or says what is wrong with it.
        #[test]
        fn any_content_is_a_map_or_an_error(
            content in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..60),
                r"(\u{feff})?([#.SwU]{5}(\r?\n)){3,6}\n?".prop_map(String::into_bytes),
                r"(S#\.S\n){2,4}[#.SwU\r]{0,5}".prop_map(String::into_bytes),
            ],
        ) {
            match parse_map(Path::new("a.txt"), &content) {
                Ok(maze) => {
                    let again = parse_map(Path::new("a.txt"), maze.rows().join("\n").as_bytes()).unwrap();
                    prop_assert_eq!(again.rows(), maze.rows());
                }
                Err(error) => prop_assert!(error.to_string().contains("a.txt")),
            }
        }
    }

    const MAP: &str = "S.S\n#w#\nS.S\n";

    #[test]
    fn editors_may_leave_their_traces() {
        let folder = tempfile::tempdir().unwrap();
        let crlf = MAP.replace('\n', "\r\n");
        let texts = [MAP.to_owned(), crlf.clone(), format!("\u{feff}{crlf}\r\n\n"), MAP.trim_end().to_owned()];
        for (number, text) in texts.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.txt")), text).unwrap();
        }
        let maps = read_maps(folder.path()).unwrap().maps;
        assert_eq!(maps.mazes.len(), texts.len());
        assert!(maps.mazes.iter().all(|maze| maze.text() == "3\n3\n...\n#w#\n...\n"));
    }
}
