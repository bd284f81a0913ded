//! Where what was compiled is kept: a folder for each source, named by its content.

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context as _;

use super::{Compile, sources};
use crate::process::{Interrupt, Ran, run_command};

/// What nobody has started for so long is removed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The folder of all that is compiled.
pub(super) fn folder() -> anyhow::Result<PathBuf> {
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    Ok(cache.context("find the cache folder for compiled bots: set XDG_CACHE_HOME or HOME")?.join("arena"))
}

/// A folder with these files, written once for every content.
pub(super) fn kept(name: &str, files: &[(&str, &str)]) -> anyhow::Result<PathBuf> {
    let key = sources::hash(files.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]));
    let product = folder()?.join(format!("{name}-{key}"));
    if product.exists() {
        return Ok(product);
    }
    let pending = pending(&product);
    create(&pending)?;
    for (name, text) in files {
        let path = pending.join(name);
        fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
    }
    keep(&pending, &product)?;
    Ok(product)
}

impl Compile {
    /// Whether it is there already.
    pub(crate) fn is_done(&self) -> bool {
        let there = File::open(&self.product);
        if let Ok(there) = &there {
            // Only to be kept for longer.
            let _ = there.set_modified(SystemTime::now());
        }
        there.is_ok()
    }

    /// Runs the compiler.
    pub(crate) fn run(&self, stops: [&Interrupt; 2]) -> anyhow::Result<Ran> {
        create(&self.folder)?;
        let ran = run_command(&self.command, stops).with_context(|| format!("run `{}`", self.command[0]))?;
        if ran.status.is_some_and(|status| status.success()) {
            keep(&self.folder, &self.product)?;
            remove_old(&self.product);
        } else {
            let _ = fs::remove_dir_all(&self.folder);
        }
        Ok(ran)
    }
}

/// A folder beside `product` that nobody else writes to.
pub(super) fn pending(product: &Path) -> PathBuf {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // In namespaces of their own, two processes may have the same number.
    product.with_extension(format!("{}-{}", std::process::id(), since.as_nanos()))
}

fn create(folder: &Path) -> anyhow::Result<()> {
    let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.with_context(|| format!("create {}", folder.display()))
}

/// Gives a folder its name when it is complete. Whoever was first has written the same.
fn keep(pending: &Path, product: &Path) -> anyhow::Result<()> {
    let renamed = fs::rename(pending, product);
    if renamed.is_err() && product.exists() {
        let _ = fs::remove_dir_all(pending);
        return Ok(());
    }
    renamed.with_context(|| format!("write {}", product.display()))
}

/// Removes what nobody has started for long, beside this one.
fn remove_old(product: &Path) {
    let Some(entries) = product.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return };
    for entry in entries.flatten() {
        let age = || -> io::Result<Duration> { entry.metadata()?.modified()?.elapsed().map_err(io::Error::other) };
        if age().is_ok_and(|age| age > KEPT) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
