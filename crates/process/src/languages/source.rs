//! A source file in the place of a program: compiling and starting it.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf, absolute};
use std::thread;
use std::time::SystemTime;

use anyhow::{Context as _, bail};

use super::cache::Inputs;
use super::{Compilation, Language, Languages, RunCompiler, cache, language_of, text};
use crate::launch::{Launch, fill};
use crate::program::{find_program, first_line};
use crate::sandbox::files::{is_too_wide, leads_out};

/// Functions that JavaScript bots of the site take for granted.
const SHIM: [(&str, &str); 2] = [
    ("shim.js", include_str!("shim.js")),
    ("shim.d.ts", include_str!("shim.d.ts")),
];

/// Extensions of files that sources of C and C++ include.
const HEADERS: [&str; 5] = ["h", "hh", "hpp", "hxx", "inc"];

/// A source file in the place of a program.
pub(super) struct Source<'a> {
    /// Its path as the command names it.
    pub(super) given: &'a str,
    /// Its absolute path.
    pub(super) path: PathBuf,
    /// The folder that holds other sources of the bot. For a Java class it is the folder that holds
    /// its package.
    root: PathBuf,
    /// The Java class with `main`, with its package.
    class: Option<String>,
    name: &'a str,
    language: &'a Language,
}

impl<'a> Source<'a> {
    /// Returns the first word of a command if it is a source file that doesn't start by itself.
    pub(super) fn of(
        known: &'a Languages,
        command: &'a [String],
    ) -> anyhow::Result<Option<Source<'a>>> {
        let Some(given) = command.first() else {
            return Ok(None);
        };
        let path = Path::new(given);
        let Some((name, language)) = language_of(known, path) else {
            return Ok(None);
        };
        match fs::metadata(path) {
            Ok(file) if file.is_file() => {}
            // A program in PATH may have such a name.
            _ if !given.contains('/') && find_program(given).is_ok() => return Ok(None),
            Ok(_) => bail!("`{given}` is no regular file"),
            Err(_) => bail!(
                "there is no file `{given}` in {}",
                env::current_dir().unwrap_or_default().display()
            ),
        }
        if language.compile.is_empty() && starts_by_itself(path) {
            return Ok(None);
        }
        let mut programs = language.programs();
        if let Some(program) = programs.find(|program| find_program(program).is_err()) {
            bail!(
                "`{given}` is {name}, which needs `{program}`: {}",
                language.advice(name)
            );
        }
        let path = absolute(path)?;
        let mut source = Source {
            given,
            root: path.parent().unwrap_or(&path).to_owned(),
            path,
            class: None,
            name,
            language,
        };
        if language.needs("class") {
            source.find_class()?;
        }
        Ok(Some(source))
    }

    /// Finds the Java class with `main`, and the folder that holds its package.
    fn find_class(&mut self) -> anyhow::Result<()> {
        let given = self.given;
        let java = fs::read(&self.path).with_context(|| format!("can't read {given}"))?;
        let class = text::main_class(&String::from_utf8_lossy(&java)).with_context(|| {
            format!("`{given}` has no class with a `main`: on the site it is `class Player`")
        })?;
        if let Some((package, _)) = class.rsplit_once('.') {
            let package: PathBuf = package.split('.').collect();
            if self.root.ends_with(&package) {
                let mut ancestors = self.root.ancestors();
                if let Some(root) = ancestors.nth(package.iter().count()) {
                    self.root = root.to_owned();
                }
            }
        }
        self.class = Some(class);
        Ok(())
    }

    /// Compiles the source if that is needed, and replaces the command in `launch` by one that
    /// starts it. Returns a word that identifies what it was compiled to.
    pub(super) fn start(
        &self,
        launch: &mut Launch,
        compiler: &mut RunCompiler<'_>,
    ) -> anyhow::Result<Option<String>> {
        let mut values = self.values()?;
        if let Some(shim) = values.get("shim").and_then(|shim| Path::new(shim).parent()) {
            launch.read.push(shim.to_owned());
        }
        let mut product = None;
        if !self.language.compile.is_empty() {
            let folder = self.compiled(&values, &launch.read, compiler)?;
            product = folder
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            values.extend(in_folder(&folder));
            launch.read.push(folder);
        }
        let mut command = filled(&self.language.run, &values);
        command.extend(launch.command.drain(..).skip(1));
        launch.command = command;
        Ok(product)
    }

    /// Returns the values of the names in braces that are known before it is compiled.
    fn values(&self) -> anyhow::Result<BTreeMap<String, String>> {
        let stem = self.path.file_stem().unwrap_or_default();
        let mut values = BTreeMap::from([
            ("source".to_owned(), self.given.to_owned()),
            ("stem".to_owned(), stem.to_string_lossy().into_owned()),
            ("root".to_owned(), self.root.display().to_string()),
        ]);
        if let Some(class) = &self.class {
            values.insert("class".to_owned(), class.clone());
        }
        if self.language.needs("shim") {
            let folder = cache::cached_files(&SHIM)?;
            for (name, file) in [("shim", "shim.js"), ("types", "shim.d.ts")] {
                values.insert(name.to_owned(), folder.join(file).display().to_string());
            }
        }
        Ok(values)
    }

    /// Returns the folder with its compiled files.
    ///
    /// Compiles only if something may have changed since the last time. The compiler may `read`
    /// what the bot may.
    fn compiled(
        &self,
        values: &BTreeMap<String, String>,
        read: &[PathBuf],
        compiler: &mut RunCompiler<'_>,
    ) -> anyhow::Result<PathBuf> {
        let key = self.key()?;
        if let Some(key) = &key
            && let Some(kept) = cache::find(key, self.cached_inputs().as_ref())
        {
            return Ok(kept);
        }
        // Holds the folder that is kept, and what a compiler writes besides.
        let place = cache::pending()?;
        let pending = cache::pending_in(place.path())?;
        let mut values = values.clone();
        values.extend(in_folder(pending.path()));
        let deps = place.path().join("deps");
        values.insert("deps".to_owned(), deps.display().to_string());
        let compilation = Compilation {
            command: filled(&self.language.compile, &values),
            source: self.given.to_owned(),
            programs: self.language.programs().cloned().collect(),
            read: self.read_by_compiler(read),
            place: place.path().to_owned(),
            cache: cache::of_language(self.name)?,
        };
        // Otherwise a source that was written just now might have changed during the compilation.
        thread::sleep(cache::CLOCK);
        let start = SystemTime::now();
        let doing = || format!("compile `{}` with `{}`", self.given, compilation.shown());
        if let Err(error) = compiler(&compilation).with_context(doing) {
            self.compile_all(&error, &compilation, &values, compiler)?;
        }
        if let Some(missing) = self.missing_in(pending.path(), &values) {
            bail!("{}: it wrote no `{missing}`", doing());
        }
        let folder = cache::store(&pending).with_context(doing)?;
        let inputs = match self.cached_inputs() {
            Some(inputs) => Some(inputs),
            None => fs::read_to_string(&deps)
                .ok()
                .and_then(|rule| Inputs::listed(&rule)),
        };
        if let (Some(key), Some(inputs)) = (key, inputs) {
            cache::note(&key, inputs, &folder, start)?;
        }
        Ok(folder)
    }

    /// Compiles all source files of the folder, if there are others, after an `error` of the one alone.
    fn compile_all(
        &self,
        error: &anyhow::Error,
        alone: &Compilation,
        values: &BTreeMap<String, String>,
        compiler: &mut RunCompiler<'_>,
    ) -> anyhow::Result<()> {
        let mut why = format!("{error:#}");
        let command = filled(&self.language.compile_all, values);
        if !command.is_empty() && self.has_others() {
            let mut all = alone.clone();
            all.command = command;
            let Err(error) = compiler(&all) else {
                return Ok(());
            };
            let _ = write!(
                why,
                "\nwith all files of its folder, with `{}`: {error:#}\n\
                 hint: in a config, `build` of the bot takes the command that builds it, and `command` the program",
                all.shown()
            );
        }
        if alone.command[0] == "mcs" {
            why += "\nhint: mcs knows C# up to version 7; for newer ones use `build` of the bot, as in `build = \"dotnet build\"`";
        }
        bail!(why)
    }

    /// Returns whether there are other source files of its language in or below its folder.
    fn has_others(&self) -> bool {
        let mut files = cache::files(&self.root).unwrap_or_default();
        files.retain(|path| text::is_source(path, &self.language.extensions));
        files.len() > 1
    }

    /// Returns what the compiler may read in the sandbox besides its toolchain: what the bot may
    /// `read`, and the folder that holds its other sources. If that is a home folder, only its
    /// sources and headers.
    fn read_by_compiler(&self, read: &[PathBuf]) -> Vec<PathBuf> {
        let mut all = read.to_vec();
        if leads_out(&self.root).is_some() {
            return all;
        }
        if !is_too_wide(&self.root) {
            all.push(self.root.clone());
            return all;
        }
        for entry in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            // A link may lead anywhere.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let extensions = &self.language.extensions;
            let path = entry.path();
            if is_file && (text::is_source(&path, extensions) || is_header(&path)) {
                all.push(path);
            }
        }
        all
    }

    /// Returns the files that the compiler may read, if it reads no others.
    fn cached_inputs(&self) -> Option<Inputs> {
        if !self.language.cache {
            return None;
        }
        Inputs::below(&self.root, &self.language.extensions)
    }

    /// Returns the key for its compiled files in the cache; `None` if it can't be known what the
    /// compiler reads.
    fn key(&self) -> anyhow::Result<Option<String>> {
        if !self.language.cache && !self.language.needs("deps") {
            return Ok(None);
        }
        let compiler = fs::canonicalize(find_program(&self.language.compile[0])?)?;
        let file = fs::metadata(&compiler)?;
        let mut texts = vec![
            self.name.to_owned(),
            self.given.to_owned(),
            format!("{} {}", file.mtime(), file.len()),
        ];
        for path in [&self.path, &compiler] {
            texts.push(path.display().to_string());
        }
        if !self.language.cache {
            // The list of what it has read may have relative paths.
            texts.push(env::current_dir()?.display().to_string());
        }
        let commands = self
            .language
            .compile
            .iter()
            .chain(&self.language.compile_all);
        texts.extend(commands.cloned());
        Ok(Some(cache::hash(&texts)))
    }

    /// Returns the first file that the bot is started with and that the compiler did not write.
    fn missing_in(&self, folder: &Path, values: &BTreeMap<String, String>) -> Option<String> {
        filled(&self.language.run, values)
            .into_iter()
            .find(|word| Path::new(word).starts_with(folder) && !Path::new(word).exists())
    }
}

/// Returns whether a file is named like a header.
fn is_header(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| HEADERS.contains(&extension))
}

/// Replaces the names in braces in a command.
fn filled(command: &[String], values: &BTreeMap<String, String>) -> Vec<String> {
    command.iter().map(|word| fill(word, values)).collect()
}

/// Returns the values of the names for compiled files.
fn in_folder(folder: &Path) -> [(String, String); 2] {
    [("dir", folder.to_owned()), ("out", folder.join("bot"))]
        .map(|(name, path)| (name.to_owned(), path.display().to_string()))
}

/// Returns whether the system can start this script with the interpreter that it names. With the
/// line ends of Windows it names none.
fn starts_by_itself(path: &Path) -> bool {
    let is_executable = fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
    is_executable
        && path.components().count() > 1
        && first_line(path).is_some_and(|line| line.starts_with(b"#!") && !line.ends_with(b"\r"))
}
