//! The cache of compiled bots: folders that are named by the digest of their content, and for each
//! key a file with the name of such a folder.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::folders::SIZE;
use super::text::list;
use crate::digest::{hash_file, hex};
use crate::environment;
use crate::input::entries;
use crate::os;
use crate::program::ProgramError;
use crate::rename::rename;
use crate::sys::Sandbox;

/// How long to keep bots that aren't started.
pub(super) const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The folder of compiled bots.
const COMPILED: &str = "compiled";
/// How deep to look into folders.
const DEPTH: usize = 64;
/// What helps if the user's cache folder is read-only.
const WRITABLE: &str = " (set XDG_CACHE_HOME to one that may be written to)";

/// Returns a word that identifies these texts.
pub(super) fn hash(texts: &[impl AsRef<[u8]>]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.as_ref().len() as u64).to_le_bytes());
        hash.update(text);
    }
    hex(&hash.finalize()[..16])
}

/// Returns the names and digests of all files at and below these paths, except hidden ones; `None`
/// if they can't all be read, or are more or larger than those of a bot.
pub(super) fn inputs(paths: &[PathBuf], sandbox: &Sandbox) -> Option<Vec<String>> {
    let mut found = BTreeSet::new();
    for path in paths {
        if path.is_file() {
            found.insert(path.clone());
        } else {
            found.extend(files(path).ok()?);
        }
    }
    found.retain(|path| !sandbox.hidden.hides(path));
    let size: u64 = found
        .iter()
        .flat_map(fs::metadata)
        .map(|file| file.len())
        .sum();
    if size > SIZE {
        return None;
    }
    let mut inputs = Vec::new();
    for path in found {
        inputs.push(path.display().to_string());
        inputs.push(hash_file(&path).ok()?);
    }
    Some(inputs)
}

/// Returns a folder of the arena in the user's cache folder. It may not exist yet.
///
/// # Errors
/// If no environment variable says where the user's cache folder is.
pub fn cache_folder(name: &str) -> anyhow::Result<PathBuf> {
    let cache = match environment::folder("XDG_CACHE_HOME") {
        Some(folder) if folder.is_absolute() => folder,
        _ if cfg!(windows) => environment::folder("LOCALAPPDATA")
            .context("can't find the cache folder: set XDG_CACHE_HOME or LOCALAPPDATA")?,
        _ => env::home_dir()
            .context("can't find the cache folder: set XDG_CACHE_HOME or HOME")?
            .join(".cache"),
    };
    Ok(cache.join("arena").join(name))
}

/// Makes a folder for a compiler to write to. It is removed unless it is [stored](store).
pub(super) fn pending() -> anyhow::Result<TempDir> {
    let folder = cache_folder(COMPILED)?;
    fs::create_dir_all(&folder)
        .with_context(|| format!("can't create the folder {}{WRITABLE}", folder.display()))?;
    remove_old(&folder);
    pending_in(&folder)
}

/// Makes such a folder in another one.
pub(super) fn pending_in(folder: &Path) -> anyhow::Result<TempDir> {
    let pending = tempfile::Builder::new()
        .prefix("pending-")
        .tempdir_in(folder);
    pending.with_context(|| format!("can't create a folder for what is compiled{WRITABLE}"))
}

/// Returns the folder in which the toolchain of a language keeps what it needs for the next version
/// of this source. Sources don't share one, because a compiler could leave something there for that
/// of a rival.
pub(super) fn of_source(language: &str, source: &Path) -> anyhow::Result<PathBuf> {
    let all = cache_folder("toolchains")?;
    remove_old(&all);
    let source = dunce::canonicalize(source)?;
    let words = [language.as_bytes(), source.as_os_str().as_encoded_bytes()];
    let folder = all.join(hash(&words));
    touch(&folder);
    Ok(folder)
}

/// Returns the folder that was [noted](note) under a key, if it is undamaged.
pub(super) fn find(key: &str) -> Option<PathBuf> {
    let note = cache_folder(COMPILED).ok()?.join(key);
    let name = fs::read_to_string(&note).ok()?;
    let product = note.with_file_name(&name);
    touch(&note);
    touch(&product);
    (digest_of(&product).ok()? == name).then_some(product)
}

/// Keeps a complete folder under the name of its content, and returns its path. Nothing forces it
/// to the disk: a folder that a power failure damaged no longer has its name's content, and is
/// replaced.
pub(super) fn store(pending: &TempDir) -> anyhow::Result<PathBuf> {
    finish(pending.path())?;
    let digest = digest_of(pending.path()).context("can't read what was compiled")?;
    let product = cache_folder(COMPILED)?.join(&digest);
    if !digest_of(&product).is_ok_and(|found| found == digest) {
        // The old folder is damaged or missing.
        let _ = fs::remove_dir_all(&product);
        let renamed = rename(pending.path(), &product);
        // Another process may have been first, with the same content.
        if renamed.is_ok() || !product.exists() {
            renamed.with_context(|| format!("can't write {}", product.display()))?;
        }
    }
    touch(&product);
    Ok(product)
}

/// Makes all files executable for those who may read them, because compilers can't, and removes the
/// bits that would let others run them as this user. Refuses links that lead out of the folder: a
/// compiler can't open their targets, but we would.
fn finish(folder: &Path) -> anyhow::Result<()> {
    let real = dunce::canonicalize(folder)?;
    for path in files(folder).context("can't read what was compiled")? {
        if !dunce::canonicalize(&path)?.starts_with(&real) {
            let shown = path.display();
            let text = format!("it wrote `{shown}`, which is a link to a file outside");
            return Err(ProgramError(text).into());
        }
        os::make_executable(&path).context("can't make what was compiled executable")?;
    }
    Ok(())
}

/// Notes under a key which folder holds its product.
pub(super) fn note(key: &str, product: &Path) -> anyhow::Result<()> {
    let folder = cache_folder(COMPILED)?;
    let name = product.file_name().unwrap_or_default();
    // A note that was cut off names no folder with that content.
    Ok(fs::write(folder.join(key), name.as_encoded_bytes())?)
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
    store(&pending)
}

/// Returns a word that identifies the content of a folder.
fn digest_of(folder: &Path) -> io::Result<String> {
    let mut texts = Vec::new();
    for path in files(folder)? {
        let mode = os::mode_of(&path)?;
        let name = path.strip_prefix(folder).unwrap_or(&path).display();
        texts.push(format!("{name} {mode:o} {}", hash_file(&path)?));
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

/// Removes what has not been used for long.
fn remove_old(folder: &Path) {
    for entry in entries(folder) {
        if let Ok(metadata) = entry.metadata()
            && let Ok(used) = metadata.modified()
            && let Ok(age) = used.elapsed()
            && age > MAX_AGE
        {
            let _ = os::remove(&entry.path());
            let _ = fs::remove_file(entry.path());
        }
    }
}
