//! The maps of games: the built-in ones, those of a folder, or a single one.

use std::sync::{Arc, LazyLock};

use super::Kutulu;
use super::action;
use super::maze::Maze;
use super::world::Constants;
use crate::options::{File, OptionError, Options, ReadFolder, Wanted, refuse_others, value};
use crate::rng::{JavaRandom, SplitMix64};
use crate::{ConfigureResult, Opening, Rules, StartResult, TextError};

/// The options: the folder of the maps, its digest, the edition of the built-in maps, and the rows
/// of a single map.
pub(super) const MAPS: &str = "maps";
const DIGEST: &str = "maps_digest";
const EDITION: &str = "maps_edition";
const MAP: &str = "map";

const ONLY_EDITION: &str = "the edition of the game's own maps, 2";

/// The edition of [`OWN`] in plans and records. Changed maps need another number.
const OWN_EDITION: u64 = 2;

/// The built-in maps with their names. Seeds pick a map by its index.
pub(super) const OWN: [(&str, &str); 12] = [
    (
        "standing-stones",
        include_str!("maps/00-standing-stones.txt"),
    ),
    ("twisted-halls", include_str!("maps/01-twisted-halls.txt")),
    ("cell-block", include_str!("maps/02-cell-block.txt")),
    ("long-gallery", include_str!("maps/03-long-gallery.txt")),
    ("ripples", include_str!("maps/04-ripples.txt")),
    ("cistern", include_str!("maps/05-cistern.txt")),
    ("pinwheel", include_str!("maps/06-pinwheel.txt")),
    ("grand-vault", include_str!("maps/07-grand-vault.txt")),
    ("bell-tower", include_str!("maps/08-bell-tower.txt")),
    ("quiet-crypt", include_str!("maps/09-quiet-crypt.txt")),
    ("spiral-court", include_str!("maps/10-spiral-court.txt")),
    ("broken-wall", include_str!("maps/11-broken-wall.txt")),
];

/// The maps of games.
#[derive(Clone, Debug, Default)]
pub struct Maps {
    /// One map or more. Draws pick a map by its index.
    pub(super) mazes: Vec<Arc<Maze>>,
    /// Their names; none for a single map, which isn't drawn.
    pub(super) names: Vec<String>,
    /// The options that describe them in records and plans.
    options: Options,
    /// What players may stumble over.
    warnings: Vec<String>,
}

impl Maps {
    /// Returns the built-in maps. A draw picks one.
    pub fn own() -> Maps {
        static OWN_MAPS: LazyLock<Maps> = LazyLock::new(|| {
            let read = |(_, text): (_, &str)| Maze::new(&text.lines().collect::<Vec<_>>()).ok();
            Maps {
                mazes: OWN.into_iter().filter_map(read).map(Arc::new).collect(),
                names: OWN.map(|(name, _)| name.to_owned()).to_vec(),
                options: Options::from_iter([(EDITION.to_owned(), OWN_EDITION.into())]),
                warnings: Vec::new(),
            }
        });
        OWN_MAPS.clone()
    }

    /// Returns a single map, without a draw.
    pub fn one(maze: Arc<Maze>) -> Maps {
        let options = Options::from_iter([(MAP.to_owned(), maze.rows().into())]);
        Maps {
            mazes: vec![maze],
            options,
            ..Maps::default()
        }
    }

    fn in_rows(rows: &[String]) -> Result<Maps, OptionError> {
        let maze = Maze::new(rows).map_err(|error| OptionError::Unusable {
            key: MAP,
            title: "no games can be played on this map",
            problem: error.0,
            help: "a map has a text for each of its rows",
        })?;
        Ok(Maps::one(Arc::new(maze)))
    }

    /// Reads the maps in a folder.
    pub(super) fn in_folder(
        path: &str,
        expected: Option<&str>,
        read: &ReadFolder<'_>,
    ) -> Result<Maps, OptionError> {
        let folder = read(Wanted {
            folder: path,
            ending: "txt",
            what: "maps",
        })
        .map_err(unusable_maps)?;
        let mut maps = Maps::default();
        for file in &folder.files {
            let maze = read_map(file).map_err(unusable_maps)?;
            if let Some(warning) = maze.warning() {
                let warning = format!("{}: {warning}", file.path.display());
                maps.warnings.push(warning);
            }
            maps.mazes.push(Arc::new(maze));
            let name = file.path.file_stem().unwrap_or_default();
            maps.names.push(name.to_string_lossy().into_owned());
        }
        let digest = folder.digest;
        if let Some(expected) = expected
            && expected != digest
        {
            return Err(OptionError::Changed(format!(
                "the maps of the folder `{path}` are not those of the game: expected the digest {expected} (as recorded), \
                 got {digest}"
            )));
        }
        maps.options.insert(MAPS.to_owned(), path.into());
        maps.options.insert(DIGEST.to_owned(), digest.into());
        Ok(maps)
    }

    /// Draws the index of a game's map. `rng` has drawn its constants.
    pub(super) fn pick(&self, rng: &mut JavaRandom) -> usize {
        match self.mazes.len() {
            _ if self.names.is_empty() => 0,
            count => index(rng.next_i32(), count),
        }
    }
}

/// Returns the error for a folder whose maps can't be used.
fn unusable_maps(error: TextError) -> OptionError {
    OptionError::Unusable {
        key: MAPS,
        title: "no games can be played on these maps",
        problem: error.0,
        help: "the path starts from the current folder; every file in it that ends in .txt is a map",
    }
}

/// Returns the index of a map for a drawn number.
pub(super) fn index(drawn: i32, maps: usize) -> usize {
    drawn.unsigned_abs() as usize % maps
}

/// Reads the map in a file, ignoring empty lines at the end and a byte order mark (U+FEFF) at the
/// start.
///
/// # Errors
/// [`TextError`] with the file.
pub fn read_map(File { path, content }: &File) -> Result<Maze, TextError> {
    let path = path.display();
    let Ok(text) = std::str::from_utf8(content) else {
        return Err(TextError(format!(
            "find maps in {path}: expected text in UTF-8"
        )));
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rows: Vec<&str> = text.trim_end_matches(['\n', '\r']).lines().collect();
    Maze::new(&rows).map_err(|error| TextError(format!("use {path}: {error}")))
}

impl Rules for Maps {
    fn start(&self, seed: i64, _seats: usize, _opening: &Opening) -> StartResult {
        Ok(Box::new(Kutulu::start(seed, self)))
    }

    fn random_action(&self, prompt: &str, rng: &mut SplitMix64) -> String {
        action::random(prompt, rng)
    }

    fn configure(&self, options: &Options, read: &ReadFolder<'_>) -> ConfigureResult {
        refuse_others(options, &[MAP, MAPS, DIGEST, EDITION])?;
        let (key, expected) = (EDITION, ONLY_EDITION);
        if value(options, key, expected)?.unwrap_or(OWN_EDITION) != OWN_EDITION {
            return Err(OptionError::Value { key, expected });
        }
        let rows: Vec<String> = value(options, MAP, "the rows of a map")?.unwrap_or_default();
        let folder: Option<&str> = value(options, MAPS, "the path of a folder")?;
        let digest = value(options, DIGEST, "the digest of a folder")?;
        let maps = match folder {
            _ if !rows.is_empty() => Maps::in_rows(&rows)?,
            Some(folder) => Maps::in_folder(folder, digest, read)?,
            None => Maps::own(),
        };
        Ok(Some(Arc::new(maps)))
    }

    fn options(&self) -> Options {
        self.options.clone()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn boards(&self) -> Vec<String> {
        self.names.clone()
    }

    fn board(&self, seed: i64) -> Option<usize> {
        if self.names.is_empty() {
            return None;
        }
        let mut rng = JavaRandom::new(seed);
        let _ = Constants::draw(&mut rng);
        Some(self.pick(&mut rng))
    }
}
