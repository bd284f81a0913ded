//! Source files as bots: how each language is compiled and started.
//!
//! If the first word of a command is a source file, the command is replaced by one that starts it.
//! Compiled files are stored below the user's cache folder. They are used again only if no file
//! that the compiler may read has changed.

mod cache;
mod class_path;
mod compilation;
mod folders;
mod named;
mod source;
mod text;
mod version;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf, absolute, is_separator};
use std::slice;
use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::cache::{cache_folder, cached_files};
pub use self::class_path::has_class;
pub use self::compilation::Compilation;
pub use self::folders::{Folder, is_of_system};
use self::source::Source;
use crate::command_line::{join_command, split_command};
use crate::files::{leads_out, with_neighbours};
use crate::launch::Launch;
use crate::os::is_executable;
use crate::program::{ProgramError, find_program, program_of, what_starts};
use crate::sys::Sandbox;

/// Languages by name.
pub type Languages = BTreeMap<String, Language>;

/// A language whose source files are bots. A config adds or replaces one with `[language.NAME]`,
/// see docs/reference/languages.md.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// The extensions of its source files, without the dot.
    /// Example: `["zig"]`.
    pub extensions: Vec<String>,
    /// Compiles a source file, in the sandbox. arena replaces the words in braces, see
    /// docs/reference/languages.md.
    /// Default: none. Example: `["zig", "build-exe", "-OReleaseFast", "{source}",
    /// "-femit-bin={out}"]`.
    #[serde(
        default,
        deserialize_with = "command",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub compile: Vec<String>,
    /// Seconds that a compilation may take.
    /// Default: `300`. Example: `600`.
    #[serde(default = "compile_s", deserialize_with = "seconds")]
    pub compile_s: u32,
    /// Starts a bot.
    /// Example: `["{out}"]`.
    #[serde(deserialize_with = "command")]
    pub run: Vec<String>,
    /// The package of the compiler or interpreter, for messages: Debian's, or winget's on Windows.
    /// Default: none. Example: `"zig"`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub package: String,
}

/// Returns how long a compilation may take by default, in seconds.
fn compile_s() -> u32 {
    300
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    match u32::deserialize(from) {
        Ok(seconds @ 1..=86_400) => Ok(seconds),
        _ => Err(D::Error::custom("expected an integer from 1 to 86400")),
    }
}

/// Reads a command: a list of words, or a line that is split as a shell would.
fn command<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "expected a program with its arguments, as one string or as a list"
    )]
    enum Command {
        Line(String),
        Words(Vec<String>),
    }
    match Command::deserialize(from)? {
        Command::Words(words) => Ok(words),
        Command::Line(line) => split_command(&line).ok_or_else(|| {
            D::Error::custom("a quote is not closed, or nothing follows a backslash")
        }),
    }
}

/// The names that may appear in braces in the commands of a language.
///
/// In order: the source file; its name without the extension; the folder that holds other sources;
/// the folder for compiled files; a program in that; the Java class with `main`; the file that
/// gives JavaScript `readline()` and the like; and the declarations of these for TypeScript.
pub const NAMES: [&str; 8] = [
    "source", "stem", "root", "dir", "out", "class", "shim", "types",
];

/// A bot that can be started.
#[derive(Debug, Default)]
pub struct Ready {
    /// How it is really started.
    pub launch: Launch,
    /// The files that it consists of: its program, or a script with its parts.
    pub files: BTreeSet<PathBuf>,
    /// More folders that it consists of.
    pub folders: Vec<Folder>,
    /// Folders of the cache that it needs: with its compiled files, and with what its language
    /// adds.
    kept: Vec<PathBuf>,
    /// Problems that users would not notice otherwise, as sentences without a full stop.
    pub warnings: Vec<String>,
    /// What it was compiled to.
    pub identity: Identity,
}

/// The source of a bot that was compiled, and a word that identifies the result; for a sample bot,
/// its version.
pub type Identity = Option<(String, String)>;

/// Runs a compiler. Returns true if the sandbox closed all files that the compilation doesn't open.
/// The error says why it failed.
pub type RunCompiler<'a> = dyn FnMut(&Compilation) -> anyhow::Result<bool> + 'a;

/// Compiles bots.
pub struct Compiler<'a> {
    /// Says which files neither compilers nor bots may read.
    pub sandbox: &'a Sandbox,
    /// Runs a compiler.
    pub run: &'a mut RunCompiler<'a>,
}

/// The languages that are known without a config.
const STANDARD: &str = include_str!("languages/standard.toml");
/// Changes for Windows; a language that isn't listed is unknown there.
const ON_WINDOWS: &str = include_str!("languages/windows.toml");

/// The command that installs the package of a language, and the systems that have it.
pub const INSTALL: &str = if cfg!(windows) {
    "winget install"
} else {
    "apt install"
};
const SYSTEMS: &str = if cfg!(windows) {
    "Windows"
} else {
    "Debian and Ubuntu"
};

/// Options of any command that are followed by a list of folders and files.
pub const PATH_OPTIONS: [&str; 4] = ["-cp", "-classpath", "--class-path", "--module-path"];
/// Such an option of Java alone.
pub(crate) const JAVA_OPTION: &str = "-p";

/// Returns the languages that are known without a config.
pub fn standard() -> Languages {
    static KNOWN: LazyLock<Languages> = LazyLock::new(|| {
        let known = if cfg!(windows) {
            on_windows(|program| find_program(program).is_ok())
        } else {
            toml::from_str(STANDARD)
        };
        known.unwrap_or_default()
    });
    KNOWN.clone()
}

/// Returns the languages of Windows, each with the first way whose programs are installed.
fn on_windows(is_installed: impl Fn(&String) -> bool) -> Result<Languages, toml::de::Error> {
    let standard: toml::Table = toml::from_str(STANDARD)?;
    let own: BTreeMap<String, Vec<toml::Table>> = toml::from_str(ON_WINDOWS)?;
    let mut known = Languages::new();
    for (name, ways) in own {
        let mut found: Vec<Language> = Vec::new();
        for changes in ways {
            let language = standard.get(&name).and_then(toml::Value::as_table);
            let mut language = language.cloned().unwrap_or_default();
            language.extend(changes);
            found.push(language.try_into()?);
        }
        let works = |language: &Language| language.programs().all(&is_installed);
        let first = found.iter().position(works).unwrap_or(0);
        known.insert(name, found.swap_remove(first));
    }
    Ok(known)
}

/// Returns all known languages. If two have the same extension, that of the config has it.
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
    /// Returns all files that are needed to start it elsewhere, including compiled ones.
    pub fn all_files(&self) -> BTreeSet<PathBuf> {
        let mut all = self.files.clone();
        for folder in &self.folders {
            all.extend(folder.files.iter().map(|file| folder.path.join(file)));
        }
        for folder in &self.kept {
            all.extend(cache::files(folder).unwrap_or_default());
        }
        all
    }

    /// Opens the folder of a source, where its other parts are.
    fn open_neighbours(&mut self, source: &Path) {
        let own = with_neighbours(source);
        if leads_out(&own).is_none() {
            self.launch.read.push(own);
        }
    }
}

impl Language {
    /// Returns the programs that compile and run a bot, except those that are compiled, and `env`
    /// that changes the folder for one.
    pub fn programs(&self) -> impl Iterator<Item = &String> {
        let is_program = |word: &&String| *word != "env" && !word.starts_with("--chdir=");
        [&self.compile, &self.run]
            .into_iter()
            .filter_map(move |command| command.iter().find(is_program))
            .filter(|program| !program.contains('{'))
    }

    /// Returns how to get the programs.
    fn advice(&self, name: &str) -> String {
        match self.package.as_str() {
            "" => format!("install it, or say in [language.{name}] how {name} is started here"),
            package => format!(
                "`{INSTALL} {package}` has it on {SYSTEMS}; [language.{name}] in a config names another"
            ),
        }
    }

    fn needs(&self, name: &str) -> bool {
        let name = format!("{{{name}}}");
        self.compile
            .iter()
            .chain(&self.run)
            .any(|word| word.contains(&name))
    }
}

/// Checks that a command can be started once its source is compiled; `own` are the languages of the
/// config.
///
/// # Errors
/// If a source, a program or a compiler is missing.
pub fn find_start(own: &Languages, command: &[String]) -> anyhow::Result<()> {
    let program = program_of(command);
    let known = known(own);
    let found = match Source::of(&known, command) {
        Ok(None) => find_program(program).map(drop).map_err(Into::into),
        source => source.map(drop),
    };
    let Err(error) = found else {
        return Ok(());
    };
    let text = if let Some(split) = path_with_spaces(command) {
        split
    } else if Path::new(program).is_dir() {
        format!("`{program}` is a folder: name the program in it")
    } else if let Some(extension) = unknown_extension(&known, Path::new(program)) {
        format!(
            "no language has the extension .{extension}; `[language.NAME]` in a config adds one. A program needs {}, and a script its interpreter in front",
            what_starts(&program)
        )
    } else if let Some(advice) = for_a_shell(command) {
        format!("{error:#}; {advice}")
    } else {
        return Err(error);
    };
    Err(ProgramError(text).into())
}

/// Returns the extension of a file that is neither executable nor a source file of a known
/// language.
fn unknown_extension<'a>(known: &Languages, path: &'a Path) -> Option<&'a str> {
    let is_text = path.is_file() && !is_executable(path);
    let extension = path.extension()?.to_str()?;
    (is_text && language_of(known, path).is_none()).then_some(extension)
}

/// Returns advice on the file that the first words of a command name if the spaces between them are
/// part of its path.
fn path_with_spaces(command: &[String]) -> Option<String> {
    let mut paths = (2..=command.len()).map(|words| command[..words].join(" "));
    let path = paths.rfind(|path| Path::new(path).is_file())?;
    let quoted = join_command(slice::from_ref(&path));
    Some(format!(
        "`{path}` is split at its spaces: quote it within the command, as in \"{quoted}\""
    ))
}

/// Compiles a bot if that is needed; `own` are the languages of the config.
///
/// A bot that is part of this program comes with its `identity`, because this program changes more
/// often than such a bot does.
///
/// # Errors
/// If a source, a program or a compiler is missing, compiling fails, or the bot is to read a hidden
/// file.
pub fn ready(
    own: &Languages,
    bot: &Launch,
    identity: Identity,
    compiler: &mut Compiler<'_>,
) -> anyhow::Result<Ready> {
    let known = known(own);
    let mut ready = Ready {
        launch: bot.clone(),
        identity,
        ..Ready::default()
    };
    ready.add_named(&known, bot);
    ready.launch.read.extend(named::readable(&known, bot));
    for script in bot.command.iter().skip(1).map(Path::new) {
        if script.is_file() {
            ready.files.extend(files_of(&known, script)?);
        }
    }
    if ready.identity.is_some() {
        ready.leave_out_hidden(compiler.sandbox)?;
        return Ok(ready);
    }
    if let Some(source) = Source::of(&known, &bot.command)? {
        ready.open_neighbours(&source.path);
        let before = ready.launch.read.len();
        let product = source.start(&mut ready.launch, compiler)?;
        ready.kept = ready.launch.read[before..].to_vec();
        match product {
            Some(product) => ready.identity = Some((source.given.to_owned(), product)),
            None => ready
                .files
                .extend(files_of(&known, Path::new(source.given))?),
        }
    } else {
        let name = program_of(&bot.command);
        let program = find_program(name)?;
        ready.files.extend(files_of(&known, &program)?);
        // A worker opens what is listed.
        if name.contains(is_separator) && language_of(&known, &program).is_some() {
            ready.open_neighbours(&absolute(&program)?);
        }
    }
    let misread = (0..bot.command.len())
        .find_map(|first| path_with_spaces(&bot.command[first..]))
        .or_else(|| for_a_shell(&bot.command));
    let misread = misread.map(|why| format!("bot `{}`: {why}", bot.name));
    ready.warnings.extend(misread);
    ready.close_links(bot);
    ready.leave_out_hidden(compiler.sandbox)?;
    Ok(ready)
}

/// Returns a file, with its parts if it is a script. Paths below the start folder are relative.
fn files_of(known: &Languages, path: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    let Some((_, language)) = language_of(known, path) else {
        return Ok(BTreeSet::from([path.to_owned()]));
    };
    let start = env::current_dir()?;
    let path = absolute(path)?;
    let folder = path.parent().unwrap_or(&path);
    let parts = text::parts(&path, folder, &language.extensions);
    let from_start = |part: &PathBuf| part.strip_prefix(&start).unwrap_or(part).to_owned();
    Ok(parts.iter().map(from_start).collect())
}

/// A source file with its parts.
#[derive(Debug)]
pub struct Parts {
    /// The folder in which its language looks for others: for a Java class, the one that holds its
    /// package.
    pub root: PathBuf,
    /// The source, and files below the root that it mentions, directly or through others.
    pub files: BTreeSet<PathBuf>,
}

/// Returns a source file with its parts, as far as names show; `None` if the file is no source of a
/// known language. `own` are the languages of the config.
pub fn parts(own: &Languages, source: &Path) -> Option<Parts> {
    let known = known(own);
    let (_, language) = language_of(&known, source)?;
    let mut root = source.parent().unwrap_or(source).to_owned();
    if language.needs("class")
        && let Ok(Some((_, of_package))) = source::class_in(source)
    {
        root = of_package;
    }
    let files = text::parts(source, &root, &language.extensions);
    Some(Parts { root, files })
}

/// Returns advice on a command that only a shell would understand.
fn for_a_shell(command: &[String]) -> Option<String> {
    if command.first()?.ends_with("sh") {
        return None;
    }
    command.iter().find_map(|word| {
        let advice = match word.as_str() {
            "|" | "||" | "&" | "&&" | ";" | "<" | ">" | ">>" | "2>" => {
                "is an argument: put the command into a script"
            }
            path if path.split(is_separator).next() == Some("~") || names_variable(path) => {
                "stays as it is: write the whole path"
            }
            _ => return None,
        };
        Some(format!("no shell reads the command, so `{word}` {advice}"))
    })
}

/// Returns whether a word begins with a variable that is set, as in `$HOME/bot` and `${HOME}`.
fn names_variable(word: &str) -> bool {
    let Some(path) = word.strip_prefix('$') else {
        return false;
    };
    let variable = path.split(is_separator).next().unwrap_or_default();
    let name = variable.trim_matches(['{', '}']);
    !name.is_empty() && env::var_os(name).is_some()
}

/// Returns the language of a source file, with its name.
fn language_of<'a>(languages: &'a Languages, path: &Path) -> Option<(&'a String, &'a Language)> {
    languages
        .iter()
        .find(|(_, language)| text::has_extension(path, &language.extensions))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
