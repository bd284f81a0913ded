//! Where what was compiled is kept: folders that are named by their own content, and for each key a note of what the compiler
//! had read, and of the folder that came of it.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::sources::{is_source, list};

/// What nobody has started for so long is removed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How deep folders are looked into.
const DEPTH: usize = 64;
/// The clock of files may be so much behind.
const CLOCK: Duration = Duration::from_millis(20);
/// How `rustc` notes that a source has asked for a variable of the environment.
const VARIABLE: &str = "# env-dep:";

/// What a compiler has read: files with their digests, and variables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Inputs {
    files: BTreeMap<PathBuf, String>,
    variables: BTreeMap<String, Option<String>>,
}

impl Inputs {
    /// Reads the rule of make in which a compiler lists what it has read.
    pub(super) fn listed(rule: &str) -> Option<Inputs> {
        let variable = |line: &str| {
            let (name, value) = line
                .split_once('=')
                .map_or((line, None), |(name, value)| (name, Some(value)));
            (name.to_owned(), value.map(str::to_owned))
        };
        let variables = rule
            .lines()
            .filter_map(|line| line.strip_prefix(VARIABLE))
            .map(variable)
            .collect();
        let files = rule
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect::<Vec<_>>()
            .join("\n");
        let paths = files.split_once(": ").map(|(_, behind)| paths_of(behind))?;
        Some(Inputs {
            files: digests(paths)?,
            variables,
        })
    }

    /// All files of a language below a folder.
    pub(super) fn below(root: &Path, extensions: &[String]) -> Option<Inputs> {
        let mut paths = Vec::new();
        let are_all = list(root, DEPTH, &mut paths);
        paths.retain(|path| is_source(path, extensions));
        let files = if are_all {
            digests(paths)?
        } else {
            return None;
        };
        Some(Inputs {
            files,
            variables: BTreeMap::new(),
        })
    }

    /// The files.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.files.keys().cloned()
    }

    fn are_there(&self) -> bool {
        let same = |(path, digest): (&PathBuf, &String)| {
            digest_of_file(path).is_ok_and(|there| there == *digest)
        };
        let is_set = |(name, value): (&String, &Option<String>)| env::var(name).ok() == *value;
        self.files.iter().all(same) && self.variables.iter().all(is_set)
    }

    /// Whether nothing of them has changed since.
    fn are_older_than(&self, start: SystemTime) -> bool {
        let start = start
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default()
            .saturating_sub(CLOCK);
        let changed = |file: fs::Metadata| {
            Duration::new(
                u64::try_from(file.ctime()).unwrap_or(0),
                u32::try_from(file.ctime_nsec()).unwrap_or(0),
            )
        };
        self.files
            .keys()
            .all(|path| fs::metadata(path).is_ok_and(|file| changed(file) < start))
    }
}

/// The paths in a rule of make, in which a backslash stands before blanks, and at the end of a line that goes on.
fn paths_of(rule: &str) -> Vec<PathBuf> {
    let first = rule.replace("\\\n", " ");
    let line = first
        .lines()
        .next()
        .unwrap_or_default()
        .replace("$$", "$")
        .replace("\\ ", "\0");
    line.split(' ')
        .filter(|path| !path.is_empty())
        .map(|path| path.replace('\0', " ").replace("\\#", "#").into())
        .collect()
}

fn digests(paths: Vec<PathBuf>) -> Option<BTreeMap<PathBuf, String>> {
    paths
        .into_iter()
        .map(|path| Some((path.clone(), digest_of_file(&path).ok()?)))
        .collect()
}

fn digest_of_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    hash.update(fs::read(path)?);
    Ok(text(hash))
}

fn text(hash: Sha256) -> String {
    let mut start = [0; 16];
    start.copy_from_slice(&hash.finalize()[..16]);
    format!("{:032x}", u128::from_be_bytes(start))
}

/// A word that tells different texts from others.
pub(super) fn hash<'a>(texts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    text(hash)
}

/// What came of a key.
#[derive(Serialize, Deserialize)]
struct Note {
    inputs: Inputs,
    /// The name of the folder.
    product: String,
}

/// The folder of all that was compiled.
fn folder() -> anyhow::Result<PathBuf> {
    let named = |variable: &str| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    let cache = cache.context("find the folder for compiled bots: set XDG_CACHE_HOME or HOME")?;
    Ok(cache.join("arena").join("compiled"))
}

/// A new folder for a compiler to write to, which is removed unless it is [kept](keep).
pub(super) fn pending() -> anyhow::Result<TempDir> {
    let folder = folder()?;
    fs::create_dir_all(&folder)
        .with_context(|| format!("create the folder {}", folder.display()))?;
    remove_old(&folder);
    let pending = tempfile::Builder::new()
        .prefix("pending-")
        .tempdir_in(folder);
    pending.context("create a folder for what is compiled")
}

/// What was kept under a key, with what it was compiled of, if nothing has changed of either; of the latter, `now` is there where that is
/// more than what was read.
pub(super) fn find(key: &str, now: Option<&Inputs>) -> Option<(PathBuf, Inputs)> {
    let folder = folder().ok()?;
    let note: Note = serde_json::from_slice(&fs::read(folder.join(key)).ok()?).ok()?;
    let product = folder.join(&note.product);
    let is_same = now.map_or_else(|| note.inputs.are_there(), |now| note.inputs == *now);
    let is_whole = is_same && digest_of(&product).is_ok_and(|digest| digest == note.product);
    touch(&folder.join(key));
    touch(&product);
    is_whole.then_some((product, note.inputs))
}

/// Keeps a folder that is complete under the name of its content; says where it is now.
pub(super) fn keep(pending: &TempDir) -> anyhow::Result<PathBuf> {
    let digest = digest_of(pending.path()).context("read what was compiled")?;
    let product = folder()?.join(&digest);
    if !digest_of(&product).is_ok_and(|found| found == digest) {
        // It is damaged, or not there.
        let _ = fs::remove_dir_all(&product);
        sync(pending.path())?;
        let renamed = fs::rename(pending.path(), &product);
        // Somebody else may have been first, with the same content.
        if renamed.is_ok() || !product.exists() {
            renamed.with_context(|| format!("write {}", product.display()))?;
        }
    }
    touch(&product);
    Ok(product)
}

/// Notes what came of a key, unless something may have changed since the compiler was started.
pub(super) fn note(
    key: &str,
    inputs: Inputs,
    product: &Path,
    start: SystemTime,
) -> anyhow::Result<()> {
    if !inputs.are_older_than(start) {
        return Ok(());
    }
    let folder = folder()?;
    let product = product
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut file = tempfile::NamedTempFile::with_prefix_in("pending-", &folder)?;
    file.write_all(&serde_json::to_vec(&Note { inputs, product })?)?;
    file.as_file().sync_all()?;
    file.persist(folder.join(key))?;
    Ok(())
}

/// A folder with these files.
pub fn kept(files: &[(&str, &str)]) -> anyhow::Result<PathBuf> {
    let key = hash(
        files
            .iter()
            .flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]),
    );
    if let Some((product, _)) = find(&key, None) {
        return Ok(product);
    }
    let start = SystemTime::now();
    let pending = pending()?;
    for (name, text) in files {
        let path = pending.path().join(name);
        fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
    }
    let product = keep(&pending)?;
    note(
        &key,
        Inputs {
            files: BTreeMap::new(),
            variables: BTreeMap::new(),
        },
        &product,
        start,
    )?;
    Ok(product)
}

/// A word that tells what is in a folder.
fn digest_of(folder: &Path) -> io::Result<String> {
    let mut texts = Vec::new();
    for path in files(folder)? {
        let mode = fs::metadata(&path)?.permissions().mode();
        let name = path.strip_prefix(folder).unwrap_or(&path).display();
        texts.push(format!("{name} {mode:o} {}", digest_of_file(&path)?));
    }
    texts.sort();
    Ok(hash(texts.iter().map(String::as_bytes)))
}

/// All files below a folder.
pub(super) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let are_all = list(folder, DEPTH, &mut files);
    if are_all {
        Ok(files)
    } else {
        Err(io::Error::other("it cannot be read whole"))
    }
}

/// Sees to it that what is in a folder is on the disk before it has its name.
fn sync(folder: &Path) -> anyhow::Result<()> {
    for path in files(folder)? {
        File::open(&path)
            .and_then(|file| file.sync_all())
            .with_context(|| format!("write {}", path.display()))?;
    }
    Ok(())
}

/// Has it kept for longer.
fn touch(path: &Path) {
    if let Ok(file) = File::open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes what nobody has started for long.
fn remove_old(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = || {
            entry
                .metadata()?
                .modified()?
                .elapsed()
                .map_err(io::Error::other)
        };
        if age().is_ok_and(|age| age > KEPT) {
            let _ = fs::remove_dir_all(entry.path());
            let _ = fs::remove_file(entry.path());
        }
    }
}
