//! Source files as bots: how each language is compiled and started.
//!
//! A command whose first word is a source file is turned into one that starts it, and into one that compiles it where the
//! language needs that. Compilers write into a cache by the content of what they read, so a source is compiled once.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use crate::process::{Launch, find_program, is_too_wide};

mod cache;
mod sources;

/// What a language is called, and its recipe.
pub(crate) type Languages = BTreeMap<String, Language>;

/// How bots of a language are started. In both commands `{source}` stands for the source file, `{stem}` for its name without its end, `{dir}` for the folder of what was
/// compiled, `{out}` for a program in it, `{class}` for the Java class with `main`, `{shim}` for the file that gives JavaScript
/// `readline()` and its like, and `{types}` for what TypeScript is told of them.
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
}

/// How a source file is started.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Start {
    /// The command that starts it, with the arguments of the bot.
    pub(crate) command: Vec<String>,
    /// What the bot must be able to read beside its program.
    pub(crate) read: Vec<PathBuf>,
    /// How it is compiled, where it is.
    pub(crate) compile: Option<Compile>,
}

/// How a source file is compiled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compile {
    /// The compiler and its arguments, which writes into `folder`.
    pub(crate) command: Vec<String>,
    /// Where the compiler writes; it becomes `product` when it has succeeded.
    pub(crate) folder: PathBuf,
    /// Where the bot is started from. Compiled already if this is there.
    pub(crate) product: PathBuf,
}

/// The languages that are known without a config.
const STANDARD: &str = include_str!("languages/standard.toml");
/// What JavaScript bots of the site take for granted.
const SHIM: &str = include_str!("languages/shim.js");
/// The same for the TypeScript compiler.
const SHIM_TYPES: &str = include_str!("languages/shim.d.ts");

/// Options of a command behind which a list of folders and files stands.
const PATH_OPTIONS: [&str; 5] = ["-cp", "-classpath", "--class-path", "-p", "--module-path"];
/// Variables that hold such a list.
const PATH_VARIABLES: [&str; 3] = ["CLASSPATH", "NODE_PATH", "PYTHONPATH"];

/// The languages that are known without a config.
pub(crate) fn standard() -> Languages {
    toml::from_str(STANDARD).unwrap_or_default()
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

    fn needs(&self, placeholder: &str) -> bool {
        self.compile.iter().chain(&self.run).any(|word| word.contains(placeholder))
    }
}

/// The languages that are known, those of a config first.
pub(crate) fn known(own: &Languages) -> Languages {
    let mut known = standard();
    known.extend(own.iter().map(|(name, language)| (name.clone(), language.clone())));
    known
}

/// A bot as it is really started, and how it is compiled before that; `own` are the languages of the config.
pub(crate) fn resolved(own: &Languages, bot: &Launch) -> anyhow::Result<(Launch, Option<Compile>)> {
    let known = known(own);
    let mut bot = bot.clone();
    bot.read.extend(named_by(&known, &bot));
    let Some(start) = start(&known, &bot.command)? else { return Ok((bot, None)) };
    bot.command = start.command;
    bot.read.extend(start.read);
    Ok((bot, start.compile))
}

/// Whether a command can be started once its source is compiled.
pub(crate) fn find_start(own: &Languages, command: &[String]) -> anyhow::Result<()> {
    if start(&known(own), command)?.is_none() {
        find_program(command.first().map_or("", String::as_str))?;
    }
    Ok(())
}

/// What the arguments and variables of a bot name beside its program: the folders of scripts, and lists of folders.
fn named_by(known: &Languages, bot: &Launch) -> Vec<PathBuf> {
    let mut lists: Vec<&str> = Vec::new();
    for pair in bot.command.windows(2).filter(|pair| PATH_OPTIONS.contains(&pair[0].as_str())) {
        lists.push(&pair[1]);
    }
    for word in &bot.command {
        lists.extend(word.split_once('=').filter(|(option, _)| PATH_OPTIONS.contains(option)).map(|(_, list)| list));
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

/// How `command` is started if its first word is a source file of one of the languages; `None` if it is a program.
pub(crate) fn start(languages: &Languages, command: &[String]) -> anyhow::Result<Option<Start>> {
    let [source, arguments @ ..] = command else { return Ok(None) };
    let path = Path::new(source);
    let Some((name, language)) = language_of(languages, path) else { return Ok(None) };
    if !path.is_file() {
        // A program of PATH may be called so.
        if !source.contains('/') && find_program(source).is_ok() {
            return Ok(None);
        }
        bail!("there is no file `{source}` in {}", env::current_dir().unwrap_or_default().display());
    }
    let text = fs::read(path).with_context(|| format!("read {source}"))?;
    if language.compile.is_empty() && starts_by_itself(path, &text) {
        return Ok(None);
    }
    if let Some(program) = language.programs().find(|program| find_program(program).is_err()) {
        bail!("`{source}` is {name}, which needs `{program}`: {}", language.advice(name));
    }
    let whole = absolute(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut filled = vec![("{source}", source.clone()), ("{stem}", stem)];
    let folder = whole.parent().filter(|folder| !is_too_wide(folder));
    let mut read = vec![folder.unwrap_or(&whole).to_owned()];
    if language.needs("{class}") {
        let class = sources::main_class(&String::from_utf8_lossy(&text));
        filled.push(("{class}", class.with_context(|| format!("`{source}` has no class with a `main`"))?));
    }
    if language.needs("{shim}") {
        let shim = cache::kept("shim", &[("shim.js", SHIM), ("shim.d.ts", SHIM_TYPES)])?;
        filled.push(("{shim}", shim.join("shim.js").display().to_string()));
        filled.push(("{types}", shim.join("shim.d.ts").display().to_string()));
        read.push(shim);
    }
    let mut compile = None;
    if !language.compile.is_empty() {
        let key = sources::key(&whole, language).with_context(|| format!("read {source}"))?;
        let product = cache::folder()?.join(format!("{name}-{key}"));
        let folder = cache::pending(&product);
        let command = fill(&language.compile, &in_folder(&filled, &folder));
        filled = in_folder(&filled, &product);
        read[0].clone_from(&product);
        compile = Some(Compile { command, folder, product });
    }
    let mut command = fill(&language.run, &filled);
    command.extend_from_slice(arguments);
    Ok(Some(Start { command, read, compile }))
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

/// The placeholders with those of a folder for what is compiled.
fn in_folder(filled: &[(&'static str, String)], folder: &Path) -> Vec<(&'static str, String)> {
    let folder = [("{dir}", folder.to_owned()), ("{out}", folder.join("bot"))];
    let folder = folder.map(|(placeholder, path)| (placeholder, path.display().to_string()));
    filled.iter().cloned().chain(folder).collect()
}

fn fill(words: &[String], filled: &[(&str, String)]) -> Vec<String> {
    let fill =
        |word: &String| filled.iter().fold(word.clone(), |word, (placeholder, text)| word.replace(placeholder, text));
    words.iter().map(fill).collect()
}

#[cfg(test)]
mod tests;
