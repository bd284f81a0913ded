//! The cache of compiled bots: folders that are named by the digest of their content, and for each
//! key a note with the input and the folder of a compiler.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::text::{is_source, list};
use crate::digest::{hash_file, hex};

/// How long to keep bots that aren't started.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How deep to look into folders.
const DEPTH: usize = 64;
/// How much the clock of files may be behind.
const CLOCK: Duration = Duration::from_millis(20);
/// How `rustc` notes that a source has read an environment variable.
const VARIABLE: &str = "# env-dep:";

/// The input of a compiler: files with their digests, and environment variables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Inputs {
    files: BTreeMap<PathBuf, String>,
    variables: BTreeMap<String, Option<String>>,
}

impl Inputs {
    /// Reads the makefile rule that lists the input of a compiler.
    pub(super) fn listed(rule: &str) -> Option<Inputs> {
        let mut variables = BTreeMap::new();
        let mut lines = Vec::new();
        for line in rule.lines() {
            if let Some(variable) = line.strip_prefix(VARIABLE) {
                let mut parts = variable.splitn(2, '=').map(str::to_owned);
                let name = parts.next().unwrap_or_default();
                variables.insert(name, parts.next());
            } else if !line.starts_with('#') {
                lines.push(line);
            }
        }
        let lines = lines.join("\n");
        let (_, paths) = lines.split_once(": ")?;
        Some(Inputs {
            files: digests(paths_of(paths))?,
            variables,
        })
    }

    /// Lists all files of a language below a folder.
    pub(super) fn below(root: &Path, extensions: &[String]) -> Option<Inputs> {
        let mut paths = files(root).ok()?;
        paths.retain(|path| is_source(path, extensions));
        Some(Inputs {
            files: digests(paths)?,
            ..Inputs::default()
        })
    }

    /// Returns whether files and variables are the same now.
    fn are_unchanged(&self) -> bool {
        let mut files = self.files.iter();
        let mut variables = self.variables.iter();
        files.all(|(path, digest)| digest_of_file(path).is_ok_and(|now| now == *digest))
            && variables.all(|(name, value)| env::var(name).ok() == *value)
    }

    /// Returns whether no file has changed since `start`.
    fn are_older_than(&self, start: SystemTime) -> bool {
        let start = start.duration_since(SystemTime::UNIX_EPOCH);
        let start = start.unwrap_or_default().saturating_sub(CLOCK);
        let seconds = i64::try_from(start.as_secs()).unwrap_or(0);
        let start = (seconds, i64::from(start.subsec_nanos()));
        self.files.keys().all(|path| {
            fs::metadata(path).is_ok_and(|file| (file.ctime(), file.ctime_nsec()) < start)
        })
    }
}

/// Returns the paths in a makefile rule, which has a backslash before blanks, and at the end of a
/// line that continues.
fn paths_of(rule: &str) -> Vec<PathBuf> {
    let first = rule.replace("\\\n", " ");
    let line = first.lines().next().unwrap_or_default();
    let line = line.replace("$$", "$").replace("\\ ", "\0");
    line.split(' ')
        .filter(|path| !path.is_empty())
        .map(|path| path.replace('\0', " ").replace("\\#", "#").into())
        .collect()
}

fn digests(paths: Vec<PathBuf>) -> Option<BTreeMap<PathBuf, String>> {
    let digests = paths.into_iter().map(|path| {
        let digest = digest_of_file(&path).ok()?;
        Some((path, digest))
    });
    digests.collect()
}

fn digest_of_file(path: &Path) -> io::Result<String> {
    let mut digest = hash_file(path)?;
    digest.truncate(32);
    Ok(digest)
}

/// Returns a word that identifies these texts.
pub(super) fn hash(texts: &[impl AsRef<[u8]>]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.as_ref().len() as u64).to_le_bytes());
        hash.update(text);
    }
    hex(&hash.finalize()[..16])
}

/// An entry of the cache: the product of a compiler, and its input.
#[derive(Serialize, Deserialize)]
struct Note {
    inputs: Inputs,
    /// The name of the folder with compiled files.
    product: String,
}

/// Returns the folder of the cache.
fn folder() -> anyhow::Result<PathBuf> {
    cache_folder("compiled")
}

/// Returns a folder of the arena in the user's cache folder. It may not exist yet.
///
/// # Errors
/// If no environment variable says where the user's cache folder is.
pub fn cache_folder(name: &str) -> anyhow::Result<PathBuf> {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = named
        .filter(|folder| folder.is_absolute())
        .or_else(|| Some(env::home_dir()?.join(".cache")))
        .context("can't find the cache folder: set XDG_CACHE_HOME or HOME")?;
    Ok(cache.join("arena").join(name))
}

/// Makes a folder for a compiler to write to. It is removed unless it is [stored](store).
pub(super) fn pending() -> anyhow::Result<TempDir> {
    let folder = folder()?;
    fs::create_dir_all(&folder)
        .with_context(|| format!("can't create the folder {}", folder.display()))?;
    remove_old(&folder);
    pending_in(&folder)
}

/// Makes such a folder in another one.
pub(super) fn pending_in(folder: &Path) -> anyhow::Result<TempDir> {
    let pending = tempfile::Builder::new()
        .prefix("pending-")
        .tempdir_in(folder);
    pending.context("can't create a folder for what is compiled")
}

/// Returns the cache folder of a language's toolchains.
pub(super) fn of_language(name: &str) -> anyhow::Result<PathBuf> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let name = if is_plain {
        name.to_owned()
    } else {
        hash(&[name])
    };
    Ok(cache_folder("toolchains")?.join(name))
}

/// Returns the folder under a key, if neither it nor its input has changed. Give the inputs `now`
/// if the compiler may read more files than the last time.
pub(super) fn find(key: &str, now: Option<&Inputs>) -> Option<PathBuf> {
    let folder = folder().ok()?;
    let note: Note = serde_json::from_slice(&fs::read(folder.join(key)).ok()?).ok()?;
    let product = folder.join(&note.product);
    let is_same = now.map_or_else(|| note.inputs.are_unchanged(), |now| note.inputs == *now);
    let is_whole = is_same && digest_of(&product).is_ok_and(|digest| digest == note.product);
    touch(&folder.join(key));
    touch(&product);
    is_whole.then_some(product)
}

/// Keeps a complete folder under the name of its content, and returns its path. Nothing forces it
/// to the disk: a folder that a power failure damaged no longer has its name's content, and is
/// replaced.
pub(super) fn store(pending: &TempDir) -> anyhow::Result<PathBuf> {
    refuse_links(pending.path())?;
    make_executable(pending.path()).context("can't make what was compiled executable")?;
    let digest = digest_of(pending.path()).context("can't read what was compiled")?;
    let product = folder()?.join(&digest);
    if !digest_of(&product).is_ok_and(|found| found == digest) {
        // The old folder is damaged or missing.
        let _ = fs::remove_dir_all(&product);
        let renamed = fs::rename(pending.path(), &product);
        // Another process may have been first, with the same content.
        if renamed.is_ok() || !product.exists() {
            renamed.with_context(|| format!("can't write {}", product.display()))?;
        }
    }
    touch(&product);
    Ok(product)
}

/// Refuses links that lead out of a folder: a compiler can't open their targets, but we would.
fn refuse_links(folder: &Path) -> anyhow::Result<()> {
    let real = fs::canonicalize(folder)?;
    for path in files(folder).context("can't read what was compiled")? {
        if !fs::canonicalize(&path)?.starts_with(&real) {
            bail!(
                "it wrote `{}`, which is a link to a file outside",
                path.display()
            );
        }
    }
    Ok(())
}

/// Makes all files executable for those who may read them, because compilers can't, and removes the
/// bits that would let others run them as this user.
fn make_executable(folder: &Path) -> io::Result<()> {
    for path in files(folder)? {
        let mode = fs::metadata(&path)?.permissions().mode() & 0o777;
        fs::set_permissions(
            &path,
            fs::Permissions::from_mode(mode | (mode & 0o444) >> 2),
        )?;
    }
    Ok(())
}

/// Stores a note under a key, unless something may have changed since the compiler was started.
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
    let product = product.file_name().unwrap_or_default();
    let product = product.to_string_lossy().into_owned();
    let mut file = tempfile::NamedTempFile::with_prefix_in("pending-", &folder)?;
    file.write_all(&serde_json::to_vec(&Note { inputs, product })?)?;
    file.persist(folder.join(key))?;
    Ok(())
}

/// Returns a folder of the cache with these files.
///
/// # Errors
/// If the cache cannot be written.
pub fn cached_files(files: &[(&str, &str)]) -> anyhow::Result<PathBuf> {
    let pending = pending()?;
    for (name, text) in files {
        let path = pending.path().join(name);
        fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
    }
    let folder = store(&pending)?;
    if !pending.path().exists() {
        // They are new here, and what is compiled from files as new as this isn't kept.
        thread::sleep(CLOCK);
    }
    Ok(folder)
}

/// Returns a word that identifies the content of a folder.
fn digest_of(folder: &Path) -> io::Result<String> {
    let mut texts = Vec::new();
    for path in files(folder)? {
        let mode = fs::metadata(&path)?.permissions().mode();
        let name = path.strip_prefix(folder).unwrap_or(&path).display();
        texts.push(format!("{name} {mode:o} {}", digest_of_file(&path)?));
    }
    texts.sort();
    Ok(hash(&texts))
}

/// Returns all files below a folder.
pub(super) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if !list(folder, DEPTH, &mut files) {
        return Err(io::Error::other("it cannot be read whole"));
    }
    Ok(files)
}

/// Notes that a file or folder is still used.
fn touch(path: &Path) {
    if let Ok(file) = File::open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes bots that have not been started for long.
fn remove_old(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let used = entry.metadata().and_then(|metadata| metadata.modified());
        let age = used.ok().and_then(|used| used.elapsed().ok());
        if age.is_some_and(|age| age > MAX_AGE) {
            let _ = fs::remove_dir_all(entry.path());
            let _ = fs::remove_file(entry.path());
        }
    }
}
