//! Where what was compiled is kept: folders that are named by their own content, and for each key the name of the folder that
//! came of it.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use tempfile::TempDir;

use super::sources::{hash, list};

/// What nobody has started for so long is removed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How deep a compiler may nest folders.
const DEPTH: usize = 64;

/// The folder of all that was compiled.
fn folder() -> anyhow::Result<PathBuf> {
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    let cache = cache.context("find the folder for compiled bots: set XDG_CACHE_HOME or HOME")?;
    Ok(cache.join("arena").join("compiled"))
}

/// A new folder for a compiler to write to, which is removed unless it is [kept](keep).
pub(super) fn pending() -> anyhow::Result<TempDir> {
    let folder = folder()?;
    fs::create_dir_all(&folder).with_context(|| format!("create the folder {}", folder.display()))?;
    remove_old(&folder);
    let pending = tempfile::Builder::new().prefix("pending-").tempdir_in(folder);
    pending.context("create a folder for what is compiled")
}

/// What was kept under a key, if it is as it was.
pub(super) fn find(key: &str) -> Option<PathBuf> {
    let folder = folder().ok()?;
    let digest = fs::read_to_string(folder.join(key)).ok()?;
    let product = folder.join(&digest);
    let is_whole = !digest.is_empty() && digest_of(&product).is_ok_and(|found| found == digest);
    touch(&folder.join(key));
    touch(&product);
    is_whole.then_some(product)
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

/// Notes what came of a key.
pub(super) fn note(key: &str, product: &Path) -> anyhow::Result<()> {
    let folder = folder()?;
    let digest = product.file_name().unwrap_or_default();
    let mut file = tempfile::NamedTempFile::with_prefix_in("pending-", &folder)?;
    io::Write::write_all(&mut file, digest.as_encoded_bytes())?;
    file.as_file().sync_all()?;
    file.persist(folder.join(key))?;
    Ok(())
}

/// A folder with these files.
pub(super) fn kept(files: &[(&str, &str)]) -> anyhow::Result<PathBuf> {
    let pending = pending()?;
    for (name, text) in files {
        let path = pending.path().join(name);
        fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
    }
    keep(&pending)
}

/// A word that tells what is in a folder.
fn digest_of(folder: &Path) -> io::Result<String> {
    let mut content = BTreeMap::new();
    for path in files(folder)? {
        let text = fs::read(&path)?;
        content.insert(path, text);
    }
    let name = |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).as_os_str().as_encoded_bytes().to_vec();
    let texts: Vec<Vec<u8>> = content.into_iter().flat_map(|(path, text)| [name(&path), text]).collect();
    Ok(hash(texts.iter().map(Vec::as_slice)))
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let are_all = list(folder, DEPTH, &mut files);
    if are_all { Ok(files) } else { Err(io::Error::other("it cannot be read whole")) }
}

/// Sees to it that what is in a folder is on the disk before it has its name.
fn sync(folder: &Path) -> anyhow::Result<()> {
    for path in files(folder)? {
        File::open(&path).and_then(|file| file.sync_all()).with_context(|| format!("write {}", path.display()))?;
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
        let age = || entry.metadata()?.modified()?.elapsed().map_err(io::Error::other);
        if age().is_ok_and(|age| age > KEPT) {
            let _ = fs::remove_dir_all(entry.path());
            let _ = fs::remove_file(entry.path());
        }
    }
}
