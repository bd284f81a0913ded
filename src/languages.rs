//! Source files as bots: how each language is compiled and started.
//!
//! A command whose first word is a source file is turned into one that starts it. What is compiled is kept below the user's
//! cache folder; it is taken from there only if nothing can have changed of what the compiler read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context as _, anyhow, bail};
use serde::{Deserialize, Serialize};

use self::sources::Parts;
use crate::process::{Launch, fill, find_program, is_too_wide};

mod cache;
mod sources;

/// What a language is called, and its recipe.
pub(crate) type Languages = BTreeMap<String, Language>;

/// How bots of a language are compiled and started. In both commands names in braces are replaced, see [`NAMES`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Language {
    /// The ends of the names of its source files, without the dot.
    pub(crate) extensions: Vec<String>,
    /// The command that compiles a source file; empty where there is nothing to compile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) compile: Vec<String>,
    /// The command that starts a bot.
    pub(crate) run: Vec<String>,
    /// The Debian package of the compiler or interpreter.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) package: String,
    /// Whether its compiler reads nothing of the user's but the source, what that names, and what these name in turn, so that
    /// what was compiled can be used again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cache: bool,
}

/// The names that may stand in braces in the commands of a language: the source file; its name without its end; the folder
/// below which other sources are looked for; the folder of what is compiled; a program in that; the Java class with `main`;
/// the file that gives JavaScript `readline()` and its like; and what TypeScript is told of these.
pub(crate) const NAMES: [&str; 8] = ["source", "stem", "root", "dir", "out", "class", "shim", "types"];

/// A bot that can be started.
#[derive(Debug)]
pub(crate) struct Ready {
    /// How it is really started.
    pub(crate) launch: Launch,
    /// The files of which it is made: its program, or its source with the parts that are known.
    pub(crate) parts: Vec<PathBuf>,
    /// What tells a compiled bot from another one where its parts may not be all that it was made of.
    pub(crate) product: Option<String>,
}

/// Runs a compiler; says why it failed.
pub(crate) type RunCompiler<'a> = dyn FnMut(&[String]) -> anyhow::Result<()> + 'a;

/// The languages that are known without a config.
const STANDARD: &str = include_str!("languages/standard.toml");
/// What JavaScript bots of the site take for granted.
const SHIM: [(&str, &str); 2] =
    [("shim.js", include_str!("languages/shim.js")), ("shim.d.ts", include_str!("languages/shim.d.ts"))];

/// Options of any command behind which a list of folders and files stands.
const PATH_OPTIONS: [&str; 4] = ["-cp", "-classpath", "--class-path", "--module-path"];
/// What is such an option of Java alone.
const JAVA_OPTION: &str = "-p";
/// Variables that hold such a list.
const PATH_VARIABLES: [&str; 3] = ["CLASSPATH", "NODE_PATH", "PYTHONPATH"];
/// Variables from which compilers take files that no source names.
const COMPILER_VARIABLES: [&str; 9] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "MONO_PATH",
    "GHC_PACKAGE_PATH",
    "JDK_JAVAC_OPTIONS",
];

/// The languages that are known without a config.
pub(crate) fn standard() -> Languages {
    toml::from_str(STANDARD).unwrap_or_default()
}

/// The languages that are known; of two with the same files, that of a config.
fn known(own: &Languages) -> Languages {
    let mut known = standard();
    for (name, language) in own {
        for other in known.values_mut() {
            other.extensions.retain(|extension| !language.extensions.contains(extension));
        }
        known.insert(name.clone(), language.clone());
    }
    known
}

impl Language {
    /// The programs that compile and run a bot, without those that were compiled.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &String> {
        let programs = self.compile.first().into_iter().chain(self.run.first());
        programs.filter(|program| !program.contains('{'))
    }

    /// Where the programs are to be had.
    fn advice(&self, name: &str) -> String {
        match self.package.as_str() {
            "" => format!("install it, or say in [language.{name}] how {name} is started here"),
            package => format!(
                "`apt install {package}` has it on Debian and Ubuntu; [language.{name}] in a config names another"
            ),
        }
    }

    fn needs(&self, name: &str) -> bool {
        self.compile.iter().chain(&self.run).any(|word| word.contains(&format!("{{{name}}}")))
    }
}

/// Whether a command can be started once its source is compiled; `own` are the languages of the config.
pub(crate) fn find_start(own: &Languages, command: &[String]) -> anyhow::Result<()> {
    let found = match Source::of(&known(own), command) {
        Ok(None) => find_program(command.first().map_or("", String::as_str)).map(drop).map_err(anyhow::Error::from),
        source => source.map(drop),
    };
    found.map_err(|error| match path_with_spaces(command) {
        Some(path) => {
            let quoted = shlex::try_quote(&path).unwrap_or(Cow::Borrowed(&path));
            anyhow!("`{path}` is split at its spaces: quote it within the command, as in \"{quoted}\"")
        }
        None => error,
    })
}

/// The file that the first words of a command name if the spaces between them are part of its path.
fn path_with_spaces(command: &[String]) -> Option<String> {
    let mut paths = (2..=command.len()).map(|words| command[..words].join(" "));
    paths.rfind(|path| Path::new(path).is_file())
}

/// Compiles a bot where that is needed; `own` are the languages of the config.
pub(crate) fn ready(own: &Languages, bot: &Launch, compiler: &mut RunCompiler<'_>) -> anyhow::Result<Ready> {
    let known = known(own);
    let mut launch = bot.clone();
    launch.read.extend(named_by(&known, bot));
    let mut parts = Vec::new();
    for named in bot.command.iter().map(PathBuf::from).filter(|path| path.is_file()) {
        if let Some((_, language)) = language_of(&known, &named) {
            parts.extend(parts_of(&absolute(&named)?, None, language)?.paths());
        }
        parts.push(named);
    }
    let mut product = None;
    match Source::of(&known, &bot.command)? {
        None => parts.push(find_program(bot.command.first().map_or("", String::as_str))?),
        Some(source) => {
            let folder = source.folder();
            launch.read.push(if is_too_wide(folder) { source.path.clone() } else { folder.to_owned() });
            parts.extend(source.parts()?.paths());
            product = source.start(&mut launch, compiler)?;
        }
    }
    Ok(Ready { launch, parts, product })
}

/// A source file that stands in the place of a program.
struct Source<'a> {
    /// As it is named in the command.
    given: &'a str,
    /// From the root on.
    path: PathBuf,
    text: Vec<u8>,
    name: &'a str,
    language: &'a Language,
}

impl<'a> Source<'a> {
    /// The first word of a command, if it is a source file and no program.
    fn of(known: &'a Languages, command: &'a [String]) -> anyhow::Result<Option<Source<'a>>> {
        let Some(given) = command.first() else { return Ok(None) };
        let path = Path::new(given);
        let Some((name, language)) = language_of(known, path) else { return Ok(None) };
        if !path.is_file() {
            // A program of PATH may be called so.
            if !given.contains('/') && find_program(given).is_ok() {
                return Ok(None);
            }
            bail!("there is no file `{given}` in {}", env::current_dir().unwrap_or_default().display());
        }
        let text = fs::read(path).with_context(|| format!("read {given}"))?;
        if language.compile.is_empty() && starts_by_itself(path, &text) {
            return Ok(None);
        }
        if let Some(program) = language.programs().find(|program| find_program(program).is_err()) {
            bail!("`{given}` is {name}, which needs `{program}`: {}", language.advice(name));
        }
        Ok(Some(Source { given, path: absolute(path)?, text, name, language }))
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// The package of a Java source and its class with `main`.
    fn class(&self) -> Option<(Vec<String>, String)> {
        let class = sources::main_class(&String::from_utf8_lossy(&self.text))?;
        let mut words: Vec<String> = class.split('.').map(str::to_owned).collect();
        words.pop();
        Some((words, class))
    }

    /// The folder below which other sources of the bot are: of a Java class, the one that holds its package.
    fn root(&self) -> PathBuf {
        let package = self.language.needs("class").then(|| self.class()).flatten().unwrap_or_default().0;
        let folder = self.folder();
        let above = folder.ancestors().nth(package.len()).filter(|above| above.join(package.join("/")) == folder);
        above.unwrap_or(folder).to_owned()
    }

    fn parts(&self) -> anyhow::Result<Parts> {
        parts_of(&self.path, Some(&self.root()), self.language)
    }

    /// Puts the command that starts it in the place of its own in `launch`. Says what tells the compiled bot from others
    /// where not all of its parts are known.
    fn start(&self, launch: &mut Launch, compiler: &mut RunCompiler<'_>) -> anyhow::Result<Option<String>> {
        let mut values = self.values()?;
        launch.read.extend(values.get("shim").and_then(|shim| Path::new(shim).parent()).map(Path::to_owned));
        let mut product = None;
        if !self.language.compile.is_empty() {
            let key = self.key()?;
            let kept =
                key.as_ref().and_then(|key| cache::find(key)).filter(|kept| self.missing_in(kept, &values).is_none());
            let folder = match kept {
                Some(kept) => kept,
                None => self.compiled(&values, key.as_deref(), compiler)?,
            };
            product = key.is_none().then(|| folder.file_name().unwrap_or_default().to_string_lossy().into_owned());
            values.extend(in_folder(&folder));
            launch.read.push(folder);
        }
        let start = self.language.run.iter().map(|word| fill(word, &values));
        launch.command = start.chain(launch.command.iter().skip(1).cloned()).collect();
        Ok(product)
    }

    /// What stands for the names in braces that are known before it is compiled.
    fn values(&self) -> anyhow::Result<BTreeMap<String, String>> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut values =
            vec![("source", self.given.to_owned()), ("stem", stem), ("root", self.root().display().to_string())];
        if self.language.needs("class") {
            let (_, class) = self.class().with_context(|| {
                format!("`{}` has no class with a `main`: on the site it is `class Player`", self.given)
            })?;
            values.push(("class", class));
        }
        if self.language.needs("shim") {
            let folder = cache::kept(&SHIM)?;
            let file = |name: &str| folder.join(name).display().to_string();
            values.extend([("shim", file("shim.js")), ("types", file("shim.d.ts"))]);
        }
        Ok(values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// What tells this source, compiled in this way, from any other; `None` where that cannot be known.
    fn key(&self) -> anyhow::Result<Option<String>> {
        let parts = self.parts()?;
        let is_open = COMPILER_VARIABLES.iter().any(|name| env::var_os(name).is_some());
        if !self.language.cache || !parts.are_all || is_open {
            return Ok(None);
        }
        let compiler = fs::canonicalize(find_program(&self.language.compile[0])?)?;
        let file = fs::metadata(&compiler)?;
        let mut texts = vec![
            self.name.to_owned(),
            compiler.display().to_string(),
            format!("{} {}", file.mtime(), file.len()),
            parts.digest(),
        ];
        texts.extend(self.language.compile.iter().cloned());
        Ok(Some(sources::hash(texts.iter().map(String::as_bytes))))
    }

    /// Compiles it, and says where it is now.
    fn compiled(
        &self,
        values: &BTreeMap<String, String>,
        key: Option<&str>,
        compiler: &mut RunCompiler<'_>,
    ) -> anyhow::Result<PathBuf> {
        let pending = cache::pending()?;
        let mut values = values.clone();
        values.extend(in_folder(pending.path()));
        let command: Vec<String> = self.language.compile.iter().map(|word| fill(word, &values)).collect();
        compiler(&command).with_context(|| format!("compile `{}` with `{}`", self.given, command.join(" ")))?;
        if let Some(missing) = self.missing_in(pending.path(), &values) {
            bail!("compile `{}` with `{}`: it wrote no `{missing}`", self.given, command.join(" "));
        }
        let folder = cache::keep(&pending)?;
        // Somebody may have changed it in the meantime.
        if let Some(key) = key.filter(|key| self.key().is_ok_and(|now| now.as_deref() == Some(key))) {
            cache::note(key, &folder)?;
        }
        Ok(folder)
    }

    /// The first file that the bot is to be started with and that is not in the folder of what was compiled.
    fn missing_in(&self, folder: &Path, values: &BTreeMap<String, String>) -> Option<String> {
        let mut values = values.clone();
        values.extend(in_folder(folder));
        let words = self.language.run.iter().map(|word| fill(word, &values));
        words.filter(|word| Path::new(word).starts_with(folder)).find(|word| !Path::new(word).exists())
    }
}

/// The values of the names that stand for what is compiled.
fn in_folder(folder: &Path) -> [(String, String); 2] {
    [("dir", folder.to_owned()), ("out", folder.join("bot"))]
        .map(|(name, path)| (name.to_owned(), path.display().to_string()))
}

/// What a source or script is made of. Without a `root`, its parts are in its own folder.
fn parts_of(path: &Path, root: Option<&Path>, language: &Language) -> anyhow::Result<Parts> {
    let root = root.or(path.parent()).unwrap_or(path);
    Parts::of(path, root, &language.extensions).with_context(|| format!("read {}", path.display()))
}

/// What the arguments and variables of a bot name beside its program: the folders of scripts, and lists of folders.
fn named_by(known: &Languages, bot: &Launch) -> Vec<PathBuf> {
    let is_java = bot.command.first().is_some_and(|program| Path::new(program).file_name() == Some(OsStr::new("java")));
    let is_option = |word: &str| PATH_OPTIONS.contains(&word) || (is_java && word == JAVA_OPTION);
    let mut lists: Vec<&str> = Vec::new();
    for pair in bot.command.windows(2).filter(|pair| is_option(&pair[0])) {
        lists.push(&pair[1]);
    }
    for word in &bot.command {
        lists.extend(word.split_once('=').filter(|(option, _)| is_option(option)).map(|(_, list)| list));
    }
    lists.extend(PATH_VARIABLES.iter().filter_map(|name| bot.env.get(*name)).map(String::as_str));
    let entries = lists.into_iter().flat_map(|list| list.split(':')).map(|entry| entry.trim_end_matches("/*"));
    let mut named: Vec<PathBuf> = entries.filter(|entry| !entry.is_empty()).map(PathBuf::from).collect();
    for script in bot.command.iter().skip(1).map(PathBuf::from) {
        if language_of(known, &script).is_some() && script.is_file() {
            named.extend(absolute(&script).ok().and_then(|script| Some(script.parent()?.to_owned())));
        }
    }
    named.retain(|path| path.exists() && !is_too_wide(path));
    named
}

fn language_of<'a>(languages: &'a Languages, path: &Path) -> Option<(&'a str, &'a Language)> {
    let extension = path.extension().and_then(OsStr::to_str)?;
    let (name, language) =
        languages.iter().find(|(_, language)| language.extensions.iter().any(|of| of == extension))?;
    Some((name, language))
}

/// Whether the system starts this script with the interpreter that it names. One with the line ends of Windows names none.
fn starts_by_itself(path: &Path, text: &[u8]) -> bool {
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let may_be_executed = fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
    may_be_executed && first.starts_with(b"#!") && !first.ends_with(b"\r") && path.components().count() > 1
}

#[cfg(test)]
mod tests;
