//! Source files as bots: how each language is compiled and started.
//!
//! A command whose first word is a source file is turned into one that starts it. What is compiled is kept below the user's
//! cache folder; it is taken from there only if the compiler is known to have read what is still there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf, absolute};
use std::time::SystemTime;

use anyhow::{Context as _, anyhow, bail};
use serde::{Deserialize, Serialize};

use self::cache::Inputs;
pub use self::cache::kept;
pub use self::folders::Folder;
pub use self::folders::is_of_system;
use self::folders::{Part, look_into};
use crate::command::run_command;
use crate::interrupt::Interrupt;
use crate::launch::{Launch, fill};
use crate::program::{find_program, first_line, shim_of};
use crate::sandbox::files::is_too_wide;

mod cache;
mod folders;
mod sources;

/// What a language is called, and its recipe.
pub type Languages = BTreeMap<String, Language>;

/// How bots of a language are compiled and started. In both commands names in braces are replaced, see [`NAMES`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// The ends of the names of its source files, without the dot.
    pub extensions: Vec<String>,
    /// The command that compiles a source file; empty where there is nothing to compile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compile: Vec<String>,
    /// The command that starts a bot.
    pub run: Vec<String>,
    /// The Debian package of the compiler or interpreter.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub package: String,
    /// Whether its compiler reads nothing of the user's but files of this language below `{root}`. Then, or if it lists what it
    /// has read in `{deps}`, what was compiled is used again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache: bool,
}

/// The names that may stand in braces in the commands of a language: the source file; its name without its end; the folder
/// below which other sources are looked for; the folder of what is compiled; a program in that; the rule of make in which the
/// compiler lists what it has read; the Java class with `main`; the file that gives JavaScript `readline()` and its like; and
/// what TypeScript is told of these.
pub const NAMES: [&str; 9] = [
    "source", "stem", "root", "dir", "out", "deps", "class", "shim", "types",
];

/// A bot that can be started.
#[derive(Debug)]
pub struct Ready {
    /// How it is really started.
    pub launch: Launch,
    /// The files of which it is made: its program, or a script with its parts.
    pub files: BTreeSet<PathBuf>,
    /// The folders of which it is made besides.
    pub folders: Vec<Folder>,
    /// The folders of what is kept here that it needs besides: what was compiled of it, and what its language adds.
    pub kept: Vec<PathBuf>,
    /// The files that its compiler read, as far as that is known.
    sources: Vec<PathBuf>,
    /// What nobody would notice, for people: sentences without a full stop.
    pub warnings: Vec<String>,
    /// What it came to.
    pub identity: Identity,
}

/// The source of a bot, if it was compiled, and what tells what came of that from anything else; of a sample bot, its version.
pub type Identity = Option<(String, String)>;

/// Runs a compiler; says why it failed.
pub type RunCompiler<'a> = dyn FnMut(&[String]) -> anyhow::Result<()> + 'a;

/// Runs compilers, each after it is told of, until one of `stops` is raised.
pub fn compiler(
    stops: &[&Interrupt],
    mut tell: impl FnMut(&[String]),
) -> impl FnMut(&[String]) -> anyhow::Result<()> {
    move |command| {
        tell(command);
        Ok(run_command(command, stops)?)
    }
}

/// The languages that are known without a config.
const STANDARD: &str = include_str!("languages/standard.toml");
/// What JavaScript bots of the site take for granted.
const SHIM: [(&str, &str); 2] = [
    ("shim.js", include_str!("languages/shim.js")),
    ("shim.d.ts", include_str!("languages/shim.d.ts")),
];

/// Options of any command behind which a list of folders and files stands.
pub const PATH_OPTIONS: [&str; 4] = ["-cp", "-classpath", "--class-path", "--module-path"];
/// What is such an option of Java alone.
pub const JAVA_OPTION: &str = "-p";
/// Variables that hold such a list.
const PATH_VARIABLES: [&str; 3] = ["CLASSPATH", "NODE_PATH", "PYTHONPATH"];

/// The languages that are known without a config.
pub fn standard() -> Languages {
    toml::from_str(STANDARD).unwrap_or_default()
}

/// The languages that are known; of two with the same files, that of a config.
fn known(own: &Languages) -> Languages {
    let mut known = standard();
    for (name, language) in own {
        for other in known.values_mut() {
            other
                .extensions
                .retain(|extension| !language.extensions.contains(extension));
        }
        known.insert(name.clone(), language.clone());
    }
    known
}

impl Ready {
    /// All the files that are needed to start it elsewhere, those that it was compiled into included.
    pub fn all_files(&self) -> BTreeSet<PathBuf> {
        let mut all = self.uncompiled();
        all.extend(
            self.kept
                .iter()
                .flat_map(|folder| cache::files(folder).unwrap_or_default()),
        );
        all
    }

    /// All the files that are needed to compile and start it elsewhere.
    pub fn all_sources(&self) -> BTreeSet<PathBuf> {
        let mut all = self.uncompiled();
        all.extend(self.sources.iter().cloned());
        all
    }

    fn uncompiled(&self) -> BTreeSet<PathBuf> {
        let mut all = self.files.clone();
        all.extend(
            self.folders
                .iter()
                .flat_map(|folder| folder.files.iter().map(|file| folder.path.join(file))),
        );
        all
    }
}

impl Language {
    /// The programs that compile and run a bot, without those that were compiled.
    pub fn programs(&self) -> impl Iterator<Item = &String> {
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
        self.compile
            .iter()
            .chain(&self.run)
            .any(|word| word.contains(&format!("{{{name}}}")))
    }
}

/// Whether a command can be started once its source is compiled; `own` are the languages of the config.
pub fn find_start(own: &Languages, command: &[String]) -> anyhow::Result<()> {
    let found = match Source::of(&known(own), command) {
        Ok(None) => find_program(command.first().map_or("", String::as_str))
            .map(drop)
            .map_err(anyhow::Error::from),
        source => source.map(drop),
    };
    if let Some(jar) = missing_jar(command).filter(|_| found.is_ok()) {
        bail!("`{jar}` is not there");
    }
    found.map_err(|error| {
        let program = command.first().map_or("", String::as_str);
        if let Some(path) = path_with_spaces(command) {
            let quoted = shlex::try_quote(&path).unwrap_or(Cow::Borrowed(&path));
            anyhow!(
                "`{path}` is split at its spaces: quote it within the command, as in \"{quoted}\""
            )
        } else if Path::new(program).is_dir() {
            let example = file_to_start(own, Path::new(program))
                .map(|file| format!(", as in `{}`", file.display()));
            anyhow!(
                "`{program}` is a folder: name the bot in it{}",
                example.unwrap_or_default()
            )
        } else {
            error
        }
    })
}

/// The one file that Java is to load, if it is not there: what Java says of that does not name it.
fn missing_jar(command: &[String]) -> Option<&str> {
    let is_option = |word: &str| word == "-jar" || PATH_OPTIONS.contains(&word);
    let mut jars = command
        .windows(2)
        .filter(|pair| is_option(&pair[0]))
        .map(|pair| pair[1].as_str());
    jars.find(|jar| {
        Path::new(jar).extension() == Some(OsStr::new("jar"))
            && !jar.contains(':')
            && !Path::new(jar).exists()
    })
}

/// The first file of a folder, by name, that can be started.
fn file_to_start(own: &Languages, folder: &Path) -> Option<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let known = known(own);
    let can_start = |file: &PathBuf| {
        let command = [file.to_string_lossy().into_owned()];
        matches!(Source::of(&known, &command), Ok(Some(_))) || find_program(&command[0]).is_ok()
    };
    files.into_iter().find(can_start)
}

/// The file that the first words of a command name if the spaces between them are part of its path.
fn path_with_spaces(command: &[String]) -> Option<String> {
    let mut paths = (2..=command.len()).map(|words| command[..words].join(" "));
    paths.rfind(|path| Path::new(path).is_file())
}

/// Compiles a bot where that is needed; `own` are the languages of the config. A bot that is part of this program comes with
/// its `identity`: this program changes more often than such a bot does.
pub fn ready(
    own: &Languages,
    bot: &Launch,
    identity: Identity,
    compiler: &mut RunCompiler<'_>,
) -> anyhow::Result<Ready> {
    let known = known(own);
    let mut launch = bot.clone();
    launch.read.extend(named_by(&known, bot));
    let Named {
        mut files,
        folders,
        mut warnings,
    } = made_of(&known, bot);
    for script in bot
        .command
        .iter()
        .skip(1)
        .map(PathBuf::from)
        .filter(|path| path.is_file())
    {
        files.extend(files_of(&known, &script)?);
    }
    if identity.is_some() {
        let (kept, sources) = (Vec::new(), Vec::new());
        return Ok(Ready {
            launch,
            files,
            folders,
            kept,
            sources,
            warnings,
            identity,
        });
    }
    let Some(source) = Source::of(&known, &bot.command)? else {
        let program = find_program(bot.command.first().map_or("", String::as_str))?;
        files.extend(files_of(&known, &program)?);
        warnings.extend(shim_warning(&launch));
        let (kept, sources) = (Vec::new(), Vec::new());
        return Ok(Ready {
            launch,
            files,
            folders,
            kept,
            sources,
            warnings,
            identity: None,
        });
    };
    let folder = source.folder();
    launch.read.push(if is_too_wide(folder) {
        source.path.clone()
    } else {
        folder.to_owned()
    });
    let before = launch.read.len();
    let product = source.start(&mut launch, compiler)?;
    let kept = launch.read[before..].to_vec();
    if product.is_none() {
        files.extend(files_of(&known, Path::new(source.given))?);
    }
    let (identity, sources) = match product {
        Some((product, sources)) => (Some((source.given.to_owned(), product)), sources),
        None => (None, Vec::new()),
    };
    warnings.extend(shim_warning(&launch));
    Ok(Ready {
        launch,
        files,
        folders,
        kept,
        sources,
        warnings,
        identity,
    })
}

/// A file with the parts that it has as a script.
fn files_of(known: &Languages, path: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    let Some((_, language)) = language_of(known, path) else {
        return Ok(BTreeSet::from([path.to_owned()]));
    };
    let start = env::current_dir()?;
    let parts = sources::parts(&absolute(path)?, &language.extensions).into_iter();
    Ok(parts
        .map(|part| {
            part.strip_prefix(&start)
                .map(Path::to_owned)
                .unwrap_or(part)
        })
        .collect())
}

/// A source file that stands in the place of a program.
struct Source<'a> {
    /// As it is named in the command.
    given: &'a str,
    /// From the root on.
    path: PathBuf,
    /// The folder below which other sources of the bot are: of a Java class, the one that holds its package.
    root: PathBuf,
    /// The Java class with `main`, with its package.
    class: Option<String>,
    name: &'a str,
    language: &'a Language,
}

impl<'a> Source<'a> {
    /// The first word of a command, if it is a source file and no program.
    fn of(known: &'a Languages, command: &'a [String]) -> anyhow::Result<Option<Source<'a>>> {
        let Some(given) = command.first() else {
            return Ok(None);
        };
        let path = Path::new(given);
        let Some((name, language)) = language_of(known, path) else {
            return Ok(None);
        };
        match fs::metadata(path) {
            Ok(file) if file.is_file() => {}
            // A program of PATH may be called so.
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
        if let Some(program) = language
            .programs()
            .find(|program| find_program(program).is_err())
        {
            bail!(
                "`{given}` is {name}, which needs `{program}`: {}",
                language.advice(name)
            );
        }
        let path = absolute(path)?;
        let mut root = path.parent().unwrap_or(&path).to_owned();
        let mut class = None;
        if language.needs("class") {
            let text = fs::read(&path).with_context(|| format!("read {given}"))?;
            let found = sources::main_class(&String::from_utf8_lossy(&text));
            let found = found.with_context(|| {
                format!("`{given}` has no class with a `main`: on the site it is `class Player`")
            })?;
            let package: PathBuf = found
                .split('.')
                .rev()
                .skip(1)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            if root.ends_with(&package) {
                root = root
                    .ancestors()
                    .nth(package.iter().count())
                    .unwrap_or(&root)
                    .to_owned();
            }
            class = Some(found);
        }
        Ok(Some(Source {
            given,
            path,
            root,
            class,
            name,
            language,
        }))
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Puts the command that starts it in the place of its own in `launch`, once it is compiled. Says what tells what was
    /// compiled from anything else, and of which files it was compiled.
    fn start(
        &self,
        launch: &mut Launch,
        compiler: &mut RunCompiler<'_>,
    ) -> anyhow::Result<Option<(String, Vec<PathBuf>)>> {
        let mut values = self.values()?;
        launch.read.extend(
            values
                .get("shim")
                .and_then(|shim| Path::new(shim).parent())
                .map(Path::to_owned),
        );
        let mut product = None;
        if !self.language.compile.is_empty() {
            let (folder, inputs) = self.compiled(&values, compiler)?;
            let sources = [self.path.clone()]
                .into_iter()
                .chain(inputs.iter().flat_map(Inputs::files))
                .collect();
            product = folder
                .file_name()
                .map(|name| (name.to_string_lossy().into_owned(), sources));
            values.extend(in_folder(&folder));
            launch.read.push(folder);
        }
        let start = self.language.run.iter().map(|word| fill(word, &values));
        launch.command = start
            .chain(launch.command.iter().skip(1).cloned())
            .collect();
        Ok(product)
    }

    /// What stands for the names in braces that are known before it is compiled.
    fn values(&self) -> anyhow::Result<BTreeMap<String, String>> {
        let stem = self
            .path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut values = vec![
            ("source", self.given.to_owned()),
            ("stem", stem),
            ("root", self.root.display().to_string()),
        ];
        values.extend(self.class.clone().map(|class| ("class", class)));
        if self.language.needs("shim") {
            let folder = cache::kept(&SHIM)?;
            let file = |name: &str| folder.join(name).display().to_string();
            values.extend([("shim", file("shim.js")), ("types", file("shim.d.ts"))]);
        }
        Ok(values
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect())
    }

    /// What was compiled of it, now, or before if nothing can have changed since; and what the compiler read, or all that it may have.
    fn compiled(
        &self,
        values: &BTreeMap<String, String>,
        compiler: &mut RunCompiler<'_>,
    ) -> anyhow::Result<(PathBuf, Option<Inputs>)> {
        let key = self.key()?;
        let below = || Inputs::below(&self.root, &self.language.extensions);
        let all = || below().filter(|_| self.language.cache);
        if let Some((kept, inputs)) = key
            .as_ref()
            .and_then(|key| cache::find(key, all().as_ref()))
        {
            return Ok((kept, Some(inputs)));
        }
        let pending = cache::pending()?;
        let mut values = values.clone();
        values.extend(in_folder(pending.path()));
        let deps = tempfile::NamedTempFile::new().context("create a file for a compiler")?;
        values.insert("deps".to_owned(), deps.path().display().to_string());
        let command: Vec<String> = self
            .language
            .compile
            .iter()
            .map(|word| fill(word, &values))
            .collect();
        let start = SystemTime::now();
        let shown = shlex::try_join(command.iter().map(String::as_str))
            .unwrap_or_else(|_| command.join(" "));
        compiler(&command).with_context(|| format!("compile `{}` with `{shown}`", self.given))?;
        if let Some(missing) = self.missing_in(pending.path(), &values) {
            bail!(
                "compile `{}` with `{shown}`: it wrote no `{missing}`",
                self.given
            );
        }
        let folder = cache::keep(&pending)?;
        let listed = || Inputs::listed(&fs::read_to_string(&deps).ok()?);
        let inputs = all().or_else(listed);
        if let (Some(key), Some(inputs)) = (key, &inputs) {
            cache::note(&key, inputs.clone(), &folder, start)?;
        }
        Ok((folder, inputs.or_else(below)))
    }

    /// Under which key it is kept what was compiled; `None` if it cannot be known what the compiler reads.
    fn key(&self) -> anyhow::Result<Option<String>> {
        if !self.language.cache && !self.language.needs("deps") {
            return Ok(None);
        }
        let compiler = fs::canonicalize(find_program(&self.language.compile[0])?)?;
        let file = fs::metadata(&compiler)?;
        let paths =
            [&self.path, &compiler, &env::current_dir()?].map(|path| path.display().to_string());
        let mut texts = vec![
            self.name.to_owned(),
            self.given.to_owned(),
            format!("{} {}", file.mtime(), file.len()),
        ];
        texts.extend(
            paths
                .into_iter()
                .chain(self.language.compile.iter().cloned()),
        );
        Ok(Some(cache::hash(texts.iter().map(String::as_bytes))))
    }

    /// The first file that the bot is to be started with and that is not in the folder of what was compiled.
    fn missing_in(&self, folder: &Path, values: &BTreeMap<String, String>) -> Option<String> {
        let words = self.language.run.iter().map(|word| fill(word, values));
        words
            .filter(|word| Path::new(word).starts_with(folder))
            .find(|word| !Path::new(word).exists())
    }
}

/// The values of the names that stand for what is compiled.
fn in_folder(folder: &Path) -> [(String, String); 2] {
    [("dir", folder.to_owned()), ("out", folder.join("bot"))]
        .map(|(name, path)| (name.to_owned(), path.display().to_string()))
}

/// What to say of a program that looks for the real one in every game.
fn shim_warning(bot: &Launch) -> Option<String> {
    let program = find_program(bot.command.first()?).ok()?;
    let (manager, name) = (shim_of(&program)?, program.file_name()?.to_string_lossy());
    Some(format!(
        "bot `{}` is started by {}, a script that looks for the real program in every game, which takes time: name that \
         program, which `{manager} which {name}` tells",
        bot.name,
        program.display()
    ))
}

/// What a bot is made of beside its program and its scripts.
struct Named {
    files: BTreeSet<PathBuf>,
    folders: Vec<Folder>,
    warnings: Vec<String>,
}

/// What a bot may read, and what its arguments and variables name.
fn made_of(known: &Languages, bot: &Launch) -> Named {
    let arguments = bot
        .command
        .iter()
        .skip(1)
        .map(PathBuf::from)
        .chain(path_lists(bot));
    let read = bot.read.iter().map(|path| (path.clone(), Part::Whole));
    let all: BTreeMap<PathBuf, Part> = arguments
        .map(|path| (path, Part::Programs))
        .chain(read)
        .collect();
    let mut named = Named {
        files: BTreeSet::new(),
        folders: Vec::new(),
        warnings: Vec::new(),
    };
    for (path, part) in all {
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => match look_into(known, &path, part) {
                Ok(folder) => named.folders.extend(folder),
                Err(why) => named.warnings.push(format!(
                    "{why}: whether they have changed since is not noticed by --resume, for bot `{}`",
                    bot.name
                )),
            },
            Ok(metadata) if metadata.is_file() => drop(named.files.insert(path)),
            _ => {}
        }
    }
    named
}

/// The entries of lists of folders and files in the arguments and variables of a bot.
fn path_lists(bot: &Launch) -> impl Iterator<Item = PathBuf> {
    let is_java = bot
        .command
        .first()
        .is_some_and(|program| Path::new(program).file_name() == Some(OsStr::new("java")));
    let is_option = |word: &str| PATH_OPTIONS.contains(&word) || (is_java && word == JAVA_OPTION);
    let mut lists: Vec<&str> = Vec::new();
    for pair in bot.command.windows(2).filter(|pair| is_option(&pair[0])) {
        lists.push(&pair[1]);
    }
    for word in &bot.command {
        lists.extend(
            word.split_once('=')
                .filter(|(option, _)| is_option(option))
                .map(|(_, list)| list),
        );
    }
    lists.extend(
        PATH_VARIABLES
            .iter()
            .filter_map(|name| bot.env.get(*name))
            .map(String::as_str),
    );
    let entries = lists
        .into_iter()
        .flat_map(|list| list.split(':'))
        .map(|entry| entry.trim_end_matches("/*"));
    entries.filter(|entry| !entry.is_empty()).map(PathBuf::from)
}

/// What the arguments and variables of a bot name beside its program: the folders of scripts, and lists of folders.
fn named_by(known: &Languages, bot: &Launch) -> Vec<PathBuf> {
    let mut named: Vec<PathBuf> = path_lists(bot).collect();
    for script in bot.command.iter().skip(1).map(PathBuf::from) {
        if language_of(known, &script).is_some() && script.is_file() {
            named.extend(
                absolute(&script)
                    .ok()
                    .and_then(|script| Some(script.parent()?.to_owned())),
            );
        }
    }
    named.retain(|path| path.exists() && !is_too_wide(path));
    named
}

fn language_of<'a>(languages: &'a Languages, path: &Path) -> Option<(&'a str, &'a Language)> {
    let extension = path.extension().and_then(OsStr::to_str)?;
    let (name, language) = languages
        .iter()
        .find(|(_, language)| language.extensions.iter().any(|of| of == extension))?;
    Some((name, language))
}

/// Whether a file is named like a source file of a language that is known without a config.
pub fn is_source(path: &Path) -> bool {
    language_of(&standard(), path).is_some()
}

/// Whether the system starts this script with the interpreter that it names. One with the line ends of Windows names none.
fn starts_by_itself(path: &Path) -> bool {
    let may_be_executed =
        fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
    let names_interpreter = |line: Vec<u8>| line.starts_with(b"#!") && !line.ends_with(b"\r");
    may_be_executed
        && path.components().count() > 1
        && first_line(path).is_some_and(names_interpreter)
}

#[cfg(test)]
mod tests;
