//! Names of bots that are given none: what differs between their commands.

use std::path::{Component, Path, PathBuf};

use super::bots::BotLine;
use crate::config::bot_name_problem;
use crate::samples;
use arena_process::languages::{JAVA_OPTION, PATH_OPTIONS};

/// A bot whose name would have more characters has a number instead: a name is never cut.
const LONGEST: usize = 60;
/// The name of the bot without the settings that the others have.
const BASE: &str = "base";
/// The name of a program that has none.
const ANY: &str = "bot";
/// Programs that run another, without their versions: a bot is not called after them.
const INTERPRETERS: [&str; 20] = [
    "bash", "bun", "dash", "deno", "dotnet", "env", "java", "julia", "lua", "luajit", "mono",
    "node", "nodejs", "perl", "php", "pypy", "python", "ruby", "sh", "wine",
];
/// Their options for code that stands in the command itself.
const CODE: [&str; 2] = ["-c", "-e"];

/// A name for each bot: the one that it is given, or what tells it from the others. All are different if those given are.
pub(super) fn names(bots: &[BotLine]) -> Vec<String> {
    let commands: Vec<Command> = bots.iter().map(Command::of).collect();
    let mut programs: Vec<&str> = commands
        .iter()
        .map(|command| command.program.as_str())
        .collect();
    programs.sort_unstable();
    programs.dedup();
    let labels = labels(&programs);
    let mut names: Vec<String> = Vec::new();
    for (at, (bot, command)) in bots.iter().zip(&commands).enumerate() {
        let label = programs
            .binary_search(&command.program.as_str())
            .map_or(ANY, |place| labels[place].as_str());
        let label = if is_name(label) { label } else { ANY };
        let described = described(command, &commands, label);
        let wanted = if is_name(&described) {
            described
        } else {
            format!("{label}-{}", at + 1)
        };
        let is_free = |name: &String| {
            !names.contains(name) && bots.iter().all(|bot| bot.name.as_ref() != Some(name))
        };
        let numbered = (2_u32..).map(|number| format!("{wanted}-{number}"));
        let name = bot.name.clone().or_else(|| {
            std::iter::once(wanted.clone())
                .chain(numbered)
                .find(is_free)
        });
        names.extend(name);
    }
    names
}

fn is_name(name: &str) -> bool {
    bot_name_problem(name).is_none() && name.chars().count() <= LONGEST
}

/// What tells a command from all others, where `label` tells its program from other programs.
fn described(command: &Command, all: &[Command], label: &str) -> String {
    let same: Vec<&Command> = all
        .iter()
        .filter(|other| other.program == command.program)
        .collect();
    let own = |of: &Command| -> Vec<String> {
        let is_shared =
            |setting: &&String| same.iter().all(|other| other.settings.contains(setting));
        of.settings
            .iter()
            .filter(|setting| !is_shared(setting))
            .cloned()
            .collect()
    };
    let settings = own(command).join(" ");
    match (same.len() == all.len(), settings.is_empty()) {
        (true, true) if same.iter().any(|other| !own(other).is_empty()) => BASE.to_owned(),
        (_, true) => label.to_owned(),
        (true, false) => settings,
        (false, false) => format!("{label} {settings}"),
    }
}

/// A command, as far as it gives a name.
struct Command {
    /// The path of its program, or of what its interpreter runs; empty where that is no file.
    program: String,
    /// The rest, a text for each setting: `depth=3` for `--depth 3`, and for the variable `depth`.
    settings: Vec<String>,
}

impl Command {
    fn of(BotLine { env, words, .. }: &BotLine) -> Command {
        let place = place(words);
        let (before, behind) = words.split_at(place.unwrap_or(words.len()));
        let variables = env.iter().map(|(name, value)| format!("{name}={value}"));
        let settings = [
            settings(before),
            settings(behind.get(1..).unwrap_or_default()),
            variables.collect(),
        ]
        .concat();
        Command {
            program: behind.first().cloned().unwrap_or_default(),
            settings,
        }
    }
}

/// Which word is the program or, where that is an interpreter, what it runs: the first file that it is given, or else the
/// first word that is no option. Of a sample bot it is the name.
fn place(words: &[String]) -> Option<usize> {
    if samples::of(words).is_some() {
        return Some(samples::START.len().min(words.len() - 1));
    }
    let program = stem(words.first()?);
    if !INTERPRETERS.contains(&program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')) {
        return Some(0);
    }
    let options = words
        .iter()
        .take_while(|word| !CODE.contains(&word.as_str()))
        .count();
    let is_given = |at: &usize| !words[*at].starts_with('-') && !is_of_folders(&words[at - 1]);
    let given: Vec<usize> = (1..options).filter(is_given).collect();
    let file = given.iter().find(|at| Path::new(&words[**at]).is_file());
    file.or(given.first()).copied()
}

/// Whether an option is for folders, which are no bot but may be what differs.
fn is_of_folders(option: &str) -> bool {
    PATH_OPTIONS.contains(&option) || option == JAVA_OPTION
}

/// The settings that some words of a command are.
fn settings(words: &[String]) -> Vec<String> {
    let is_option = |word: &str| word.starts_with('-') && word.parse::<f64>().is_err();
    let mut settings = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let key = word.trim_start_matches('-');
        let takes_value = is_option(word) && !key.contains('=');
        settings.push(
            match words.next_if(|value| takes_value && !is_option(value)) {
                // `--param mobility=3` says what is set in its value.
                Some(value) if value.contains('=') || is_of_folders(word) => value.clone(),
                Some(value) => format!("{key}={value}"),
                None if is_option(word) => key.to_owned(),
                None => word.clone(),
            },
        );
    }
    settings
}

/// What different paths of programs are called: after their files, or else after what differs between the paths.
fn labels(programs: &[&str]) -> Vec<String> {
    let stems: Vec<String> = programs.iter().map(|program| stem(program)).collect();
    let whole = || {
        programs
            .iter()
            .map(|program| (*program).to_owned())
            .collect()
    };
    [stems, differences(programs)]
        .into_iter()
        .find(|labels| are_different(labels))
        .unwrap_or_else(whole)
}

fn are_different(labels: &[String]) -> bool {
    labels
        .iter()
        .enumerate()
        .all(|(at, label)| !labels[..at].contains(label))
}

/// Each path without the folders and names that all of them begin and end with.
fn differences(paths: &[&str]) -> Vec<String> {
    let parts = |path: &&str| -> Vec<String> {
        let parts = Path::new(path)
            .components()
            .filter(|part| *part != Component::CurDir);
        parts
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let parts: Vec<Vec<String>> = paths.iter().map(parts).collect();
    let shortest = parts.iter().map(Vec::len).min().unwrap_or(0);
    let shared = |of: &dyn Fn(&[String], usize) -> &String| {
        let same = |at: &usize| parts.iter().all(|path| of(path, *at) == of(&parts[0], *at));
        (0..shortest).take_while(same).count()
    };
    let first = shared(&|path, at| &path[at]);
    let last = shared(&|path, at| &path[path.len() - 1 - at]);
    let middle = |(path, whole): (&Vec<String>, &&str)| match path.get(first..path.len() - last) {
        Some(middle) if !middle.is_empty() => {
            middle.iter().collect::<PathBuf>().display().to_string()
        }
        _ => stem(whole),
    };
    parts.iter().zip(paths).map(middle).collect()
}

/// The name of a file without its end.
fn stem(path: &str) -> String {
    let stem = Path::new(path)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    if stem.is_empty() {
        ANY.to_owned()
    } else {
        stem.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of bots; one in front of a comma is given.
    fn named(lines: &[&str]) -> Vec<String> {
        let line = |line: &&str| {
            let (name, line) = line
                .split_once(", ")
                .map_or((None, *line), |(name, line)| (Some(name.to_owned()), line));
            let words = shlex::split(line).unwrap_or_default();
            let is_variable = |word: &&String| word.contains('=') && !word.starts_with('-');
            let variables: Vec<&String> = words.iter().take_while(is_variable).collect();
            let env = variables.iter().filter_map(|word| word.split_once('='));
            let env: Vec<(String, String)> = env
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            BotLine {
                name,
                words: words[env.len()..].to_vec(),
                env,
            }
        };
        names(&lines.iter().map(line).collect::<Vec<_>>())
    }

    #[test]
    fn a_name_says_what_differs() {
        let cases: &[(&[&str], &[&str])] = &[
            // Settings.
            (&["./bot", "./bot --pawn 104"], &["base", "pawn=104"]),
            (
                &["./bot --pawn 100", "./bot --pawn 104"],
                &["pawn=100", "pawn=104"],
            ),
            (
                &["./bot --pawn 100 -d 2", "./bot -d 2 --pawn=104"],
                &["pawn=100", "pawn=104"],
            ),
            (
                &[
                    "./bot --a 1 --b -2",
                    "./bot --a 2 --b -2",
                    "./bot --a 2 --b 3",
                ],
                &["a=1 b=-2", "a=2 b=-2", "a=2 b=3"],
            ),
            (&["./bot --fast", "./bot --slow"], &["fast", "slow"]),
            (&["./bot 3 fast", "./bot 4 fast"], &["3", "4"]),
            (
                &["./bot --param pawn=1", "./bot --param 'pawn=2'"],
                &["pawn=1", "pawn=2"],
            ),
            (&["D=1 ./bot", "D=2 ./bot"], &["D=1", "D=2"]),
            (
                &["./bot", "./bot --nn 'a b'", "./bot"],
                &["base", "nn=a b", "base-2"],
            ),
            // Programs.
            (&["./old", "target/new --depth 3"], &["old", "new"]),
            (&["v1.cpp", "v2.cpp"], &["v1", "v2"]),
            (&["bot.cpp", "bot.py"], &["bot.cpp", "bot.py"]),
            (&["old/bot", "new/bot"], &["old", "new"]),
            (
                &["/a/runs/old/bin/bot", "/a/runs/new/bin/bot"],
                &["old", "new"],
            ),
            (&["./bot", "x/bot"], &["bot", "x"]),
            (
                &["a/bot", "a/b/bot", "other"],
                &["a/bot", "a/b/bot", "other"],
            ),
            (&["./a", "./b --x 1", "./b --x 2"], &["a", "b x=1", "b x=2"]),
            (&["./a", "./b", "./b --x 2"], &["a", "b", "b x=2"]),
            // Interpreters.
            (&["python3 a.py", "python3.12 -u b.py"], &["a", "b"]),
            (&["python3 a.py", "pypy3 a.py"], &["python3", "pypy3"]),
            (
                &["python3 bot.py --pawn 100", "python3 bot.py"],
                &["pawn=100", "base"],
            ),
            (&["java -cp v1 Player", "java -cp v2 Player"], &["v1", "v2"]),
            (&["java -cp v1 Old", "java -cp v1 New"], &["Old", "New"]),
            (&["java -jar old.jar", "node new.js"], &["old", "new"]),
            (&["python3 -m old", "bash new.sh"], &["old", "new"]),
            (&["sh -c ./a", "sh -c ./b"], &["c=./a", "c=./b"]),
            // Sample bots.
            (
                &["arena bot onitama-random", "arena bot onitama-greedy"],
                &["onitama-random", "onitama-greedy"],
            ),
            (
                &[
                    "arena bot x-search --depth 1",
                    "arena bot x-search --depth 2",
                ],
                &["depth=1", "depth=2"],
            ),
            (&["bot.py", "arena bot x-greedy"], &["bot", "x-greedy"]),
            // Nothing differs.
            (&["./bot", "./bot", "./bot"], &["bot", "bot-2", "bot-3"]),
            (&["bot", "bot", "bot-2"], &["bot", "bot-2", "bot-2-2"]),
            (&["python3 bot.py"], &["bot"]),
            (&["sh -c ./a"], &["bot"]),
            (&["/"], &["bot"]),
            // Given names.
            (&["old, ./bot", "./bot --pawn 104"], &["old", "pawn=104"]),
            (&["./bot", "base, ./bot --pawn 104"], &["base-2", "base"]),
        ];
        for (lines, expected) in cases {
            assert_eq!(named(lines), *expected, "{lines:?}");
        }
    }

    #[test]
    fn what_is_no_name_becomes_a_number() {
        let long = format!("./bot --weights {}", "9".repeat(100));
        let cases: &[(&[&str], &[&str])] = &[
            (&["./bot --weights 1", &long], &["weights=1", "bot-2"]),
            (&["./bot 'a\nb'", "./bot 'c\td'"], &["bot-1", "bot-2"]),
            (&["./'b\not' 1", "./'b\not' ' 2'"], &["1", "bot-2"]),
            (
                &["sh -c 'read a\nb'", "sh -c 'read c\nd'"],
                &["bot-1", "bot-2"],
            ),
            (&["./' '", "./'\n'"], &["bot", "bot-2"]),
        ];
        for (lines, expected) in cases {
            assert_eq!(named(lines), *expected, "{lines:?}");
        }
    }
}
