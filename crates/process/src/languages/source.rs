//! A source file in the place of a program: compiling and starting it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::env;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::io;
use std::path::{Path, PathBuf, absolute, is_separator};
use std::time::Duration;

use anyhow::Context as _;

use super::{Compilation, Compiler, Language, Languages, cache, compile_s, language_of, text};
use crate::files::{is_too_wide, leads_out};
use crate::launch::{Launch, fill};
use crate::os;
use crate::program::{ProgramError, find_program, first_line, program_of};
use crate::sys::Sandbox;

/// Functions that JavaScript bots of the site take for granted.
const SHIM: [(&str, &str); 2] = [
    ("shim.js", include_str!("shim.js")),
    ("shim.d.ts", include_str!("shim.d.ts")),
];

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
    /// The name of its language, or of the interpreter that it names.
    name: String,
    language: Cow<'a, Language>,
}

impl<'a> Source<'a> {
    /// Returns the first word of a command if it is a source file that doesn't start by itself.
    pub(super) fn of(
        known: &'a Languages,
        command: &'a [String],
    ) -> anyhow::Result<Option<Source<'a>>> {
        let given = program_of(command);
        let path = Path::new(given);
        let (name, language) = if let Some((name, language)) = language_of(known, path) {
            (name.clone(), Cow::Borrowed(language))
        } else if !os::STARTS_SCRIPTS
            && given.contains(is_separator)
            && let Some((name, language)) = language_of_script(path)
        {
            // `python3` is the language `python`, which has another command on Windows.
            let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            match known.get(base).filter(|known| known.compile.is_empty()) {
                Some(known) => (base.to_owned(), Cow::Borrowed(known)),
                None => (name, Cow::Owned(language)),
            }
        } else {
            return Ok(None);
        };
        if !path.is_file() {
            // A program in PATH may have such a name.
            if !given.contains(is_separator) && find_program(given).is_ok() {
                return Ok(None);
            }
            let folder = env::current_dir().unwrap_or_default();
            return Err(ProgramError(if path.exists() {
                format!("`{given}` is no regular file")
            } else {
                format!("there is no file `{given}` in {}", folder.display())
            })
            .into());
        }
        if language.compile.is_empty() && starts_by_itself(path) {
            return Ok(None);
        }
        let missing = |program: &&String| find_program(program).is_err();
        if let Some(program) = language.programs().find(missing) {
            let advice = language.advice(&name);
            let text = format!("`{given}` is {name}, which needs `{program}`: {advice}");
            return Err(ProgramError(text).into());
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
        if source.language.needs("class") {
            source.find_class()?;
        }
        Ok(Some(source))
    }

    /// Finds the Java class with `main`, and the folder that holds its package.
    fn find_class(&mut self) -> anyhow::Result<()> {
        let given = self.given;
        let found = class_in(&self.path).with_context(|| format!("can't read {given}"))?;
        let (class, root) = found.ok_or_else(|| {
            ProgramError(format!(
                "`{given}` has no class with a `main`: on the site it is `class Player`"
            ))
        })?;
        self.class = Some(class);
        self.root = root;
        Ok(())
    }

    /// Compiles the source if that is needed, and replaces the command in `launch` by one that
    /// starts it. Returns a word that identifies what it was compiled to.
    pub(super) fn start(
        &self,
        launch: &mut Launch,
        compiler: &mut Compiler<'_>,
    ) -> anyhow::Result<Option<String>> {
        let mut values = self.values()?;
        if let Some(shim) = values.get("shim")
            && let Some(folder) = Path::new(shim).parent()
        {
            launch.read.push(folder.to_owned());
        }
        let mut product = None;
        if !self.language.compile.is_empty() {
            let folder = self.compiled(&values, &launch.read, compiler)?;
            let name = folder.file_name().unwrap_or_default();
            product = Some(name.to_string_lossy().into_owned());
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
        values.extend(self.class.clone().map(|class| ("class".to_owned(), class)));
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
    /// Compiles only if something may have changed since the last time. In the sandbox the compiler
    /// may `read` what the bot may, and the folder that holds its other sources.
    fn compiled(
        &self,
        values: &BTreeMap<String, String>,
        read: &[PathBuf],
        compiler: &mut Compiler<'_>,
    ) -> anyhow::Result<PathBuf> {
        let mut read = read.to_vec();
        if !is_too_wide(&self.root) && leads_out(&self.root).is_none() {
            read.push(self.root.clone());
        }
        let key = self.key(values, &read, compiler.sandbox)?;
        if let Some(kept) = key.as_deref().and_then(cache::find) {
            return Ok(kept);
        }
        // Holds the folder that is kept, and what a compiler writes besides.
        let place = cache::pending()?;
        let pending = cache::pending_in(place.path())?;
        let mut all = values.clone();
        all.extend(in_folder(pending.path()));
        let compilation = Compilation {
            command: filled(&self.language.compile, &all),
            source: self.given.to_owned(),
            programs: self.language.programs().cloned().collect(),
            read,
            place: place.path().to_owned(),
            cache: cache::of_source(&self.name, &self.path)?,
            limit: Duration::from_secs(self.language.compile_s.into()),
        };
        let stored = (compiler.run)(&compilation).and_then(|is_closed| {
            match self.missing_in(pending.path(), &all) {
                Some(missing) => Err(ProgramError(format!("it wrote no `{missing}`")).into()),
                None => Ok((cache::store(&pending)?, is_closed)),
            }
        });
        // A compiler nests folders as deep as it likes.
        let _ = os::remove(place.path());
        if stored.is_err() {
            let _ = os::remove(&compilation.cache);
        }
        let (folder, is_closed) = stored
            .with_context(|| format!("compile `{}` with `{}`", self.given, compilation.shown()))?;
        // A file may have changed before the compiler read it, or the compiler may have read
        // files that the key doesn't cover.
        let now = self.key(values, &compilation.read, compiler.sandbox)?;
        if let Some(key) = key.filter(|key| is_closed && now.as_ref() == Some(key)) {
            cache::note(&key, &folder)?;
        }
        Ok(folder)
    }

    /// Returns the key of its compiled files in the cache: a digest of the command, its programs,
    /// and all files that the compiler may `read`. `None` if these are too many.
    fn key(
        &self,
        values: &BTreeMap<String, String>,
        read: &[PathBuf],
        sandbox: &Sandbox,
    ) -> anyhow::Result<Option<String>> {
        let mut texts = filled(&self.language.compile, values);
        let mut files: Vec<PathBuf> = texts.iter().map(PathBuf::from).collect();
        files.retain(|word| word.is_file());
        files.extend_from_slice(read);
        let Some(inputs) = cache::inputs(&files, sandbox) else {
            return Ok(None);
        };
        texts.extend(inputs);
        texts.push(self.path.display().to_string());
        for program in self.language.programs() {
            let program = dunce::canonicalize(find_program(program)?)?;
            let file = fs::metadata(&program)?;
            let version = (file.modified().ok(), file.len());
            texts.push(format!("{} {version:?}", program.display()));
        }
        Ok(Some(cache::hash(&texts)))
    }

    /// Returns the first file that the bot is started with and that the compiler did not write.
    fn missing_in(&self, folder: &Path, values: &BTreeMap<String, String>) -> Option<String> {
        filled(&self.language.run, values)
            .into_iter()
            .find(|word| Path::new(word).starts_with(folder) && !Path::new(word).exists())
    }
}

/// Returns the class with `main` of a Java source, and the folder that holds its package.
pub(super) fn class_in(java: &Path) -> io::Result<Option<(String, PathBuf)>> {
    let text = fs::read(java)?;
    let Some(class) = text::main_class(&String::from_utf8_lossy(&text)) else {
        return Ok(None);
    };
    let folder = java.parent().unwrap_or(java);
    let depth = class.matches('.').count();
    let package: PathBuf = class.split('.').take(depth).collect();
    let root = match folder.ancestors().nth(depth) {
        Some(root) if folder.ends_with(&package) => root,
        _ => folder,
    };
    Ok(Some((class, root.to_owned())))
}

/// Replaces the names in braces in a command.
fn filled(command: &[String], values: &BTreeMap<String, String>) -> Vec<String> {
    command.iter().map(|word| fill(word, values)).collect()
}

/// Returns the values of the names for compiled files.
fn in_folder(folder: &Path) -> [(String, String); 2] {
    let program = folder.join(format!("bot{EXE_SUFFIX}"));
    [("dir", folder.to_owned()), ("out", program)]
        .map(|(name, path)| (name.to_owned(), path.display().to_string()))
}

/// Returns a language for a script that the system can't start: it runs the interpreter that the
/// first line names. Also returns that name.
pub(super) fn language_of_script(path: &Path) -> Option<(String, Language)> {
    let line = first_line(path);
    let line = String::from_utf8_lossy(line.strip_prefix(b"#!")?);
    let is_env = |word: &&str| word.ends_with("/env") || *word == "-S";
    let mut words = line.split_ascii_whitespace().skip_while(is_env);
    let name = words.next()?.rsplit('/').next()?;
    let run = [name].into_iter().chain(words).chain(["{source}"]);
    let language = Language {
        extensions: Vec::new(),
        compile: Vec::new(),
        compile_s: compile_s(),
        run: run.map(str::to_owned).collect(),
        package: String::new(),
    };
    Some((name.to_owned(), language))
}

/// Returns whether the system can start this script with the interpreter that it names. With the
/// line ends of Windows it names none.
fn starts_by_itself(path: &Path) -> bool {
    let line = first_line(path);
    os::is_executable(path)
        && path.components().count() > 1
        && line.starts_with(b"#!")
        && !line.ends_with(b"\r")
}
