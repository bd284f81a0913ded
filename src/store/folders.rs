//! Folders that games read, and the games of records and plans under their options.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::{fs, io};

use sha2::{Digest, Sha256};

use super::plan_file::hex;
use crate::play::record::{Mismatch, Record};
use arena_games::{File, Folder, GameSpec, Games, Options, Wanted};

/// Reads the files of a folder, in the byte order of their names. Their digest covers name, length and content of each:
/// all that decides what a game makes of them, and nothing of where they lie.
pub(crate) fn read_folder(
    Wanted {
        folder,
        ending,
        what,
    }: Wanted<'_>,
) -> Result<Folder, String> {
    let unreadable = |error: io::Error| format!("read the {what} in {folder}: {error}");
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == ending)
        {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(format!(
            "find {what} in {folder}: expected files whose names end in .{ending}"
        ));
    }
    paths.sort_unstable();
    let mut hasher = Sha256::new();
    let mut files = Vec::new();
    for path in paths {
        let content =
            fs::read(&path).map_err(|error| format!("read {}: {error}", path.display()))?;
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

/// The games of records and plans, under the options that these tell. The last options of each game are kept ready: most
/// records have the same.
#[derive(Debug)]
pub(crate) struct StoredGames<'g> {
    games: &'g Games,
    ready: BTreeMap<String, (Options, Arc<GameSpec>)>,
}

impl StoredGames<'_> {
    /// Those of a list.
    pub(crate) fn new(games: &Games) -> StoredGames<'_> {
        StoredGames {
            games,
            ready: BTreeMap::new(),
        }
    }

    /// The game of a record.
    pub(crate) fn of(&mut self, record: &Record) -> Result<Arc<GameSpec>, Mismatch> {
        self.configured(&record.game, &record.options.game)
    }

    /// A game by its id, under these options.
    pub(crate) fn configured(
        &mut self,
        id: &str,
        options: &Options,
    ) -> Result<Arc<GameSpec>, Mismatch> {
        if let Some((_, game)) = self.ready.get(id).filter(|(ready, _)| ready == options) {
            return Ok(game.clone());
        }
        let unknown = || {
            format!(
                "unknown game {id:?}: expected one of {}",
                self.games.ids().join(", ")
            )
        };
        let spec = self.games.find(id).ok_or_else(|| Mismatch(unknown()))?;
        let game = spec.configured(options, &read_folder)?.game;
        self.ready
            .insert(id.to_owned(), (options.clone(), game.clone()));
        Ok(game)
    }
}
