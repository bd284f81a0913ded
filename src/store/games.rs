//! Games with the options of records, and folders that games read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, io};

use sha2::{Digest, Sha256};

use crate::play::record::{Mismatch, Record};
use arena_games::{File, Folder, GameSpec, Games, Options, TextError, Wanted};
use arena_process::{hex, read_input};

/// Reads the files of a folder, in the byte order of their names. The digest covers the name,
/// length and content of each: everything that a game uses, but not the place of the folder.
pub(crate) fn read_folder(wanted: Wanted<'_>) -> Result<Folder, TextError> {
    let (folder, ending, what) = (wanted.folder, wanted.ending, wanted.what);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(|error: io::Error| TextError(format!("read the {what} in {folder}: {error}")))?;
    paths.retain(|path| path.extension() == Some(ending.as_ref()));
    if paths.is_empty() {
        let why = format!("find {what} in {folder}: expected files whose names end in .{ending}");
        return Err(TextError(why));
    }
    paths.sort_unstable();
    let mut hasher = Sha256::new();
    let mut files = Vec::new();
    for path in paths {
        let content = read_input(&path)
            .map_err(|error| TextError(format!("read {}: {error}", path.display())))?;
        hasher.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        hasher.update([0]);
        hasher.update((content.len() as u64).to_le_bytes());
        hasher.update(&content);
        files.push(File { path, content });
    }
    Ok(Folder {
        digest: hex(&hasher.finalize()),
        files,
    })
}

/// Games with the options of records. It caches the last options of each game, because most records
/// have the same.
#[derive(Debug)]
pub(crate) struct StoredGames<'g> {
    games: &'g Games,
    ready: BTreeMap<String, (Options, Arc<GameSpec>)>,
}

impl StoredGames<'_> {
    /// Makes an empty cache for a list of games.
    pub(crate) fn new(games: &Games) -> StoredGames<'_> {
        StoredGames {
            games,
            ready: BTreeMap::new(),
        }
    }

    /// Returns the game of a record.
    pub(crate) fn of(&mut self, record: &Record) -> Result<Arc<GameSpec>, Mismatch> {
        let (id, options) = (&record.game, &record.options.game);
        if let Some((ready, game)) = self.ready.get(id)
            && ready == options
        {
            return Ok(game.clone());
        }
        let Some(spec) = self.games.find(id) else {
            let known = self.games.ids().join(", ");
            let why = format!("unknown game {id:?}: expected one of {known}");
            return Err(Mismatch(why));
        };
        let game = spec.configured(options, &read_folder)?;
        self.ready
            .insert(id.to_owned(), (options.clone(), game.clone()));
        Ok(game)
    }
}
