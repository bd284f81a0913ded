//! The sandbox closes files of others that a start folder, an environment or a link leads to.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::programs::{
    self, Said as _, closes_files, command, copy_program, has, line, read, records, said, table,
    write_program,
};
use crate::walls::{as_user, can_be, ordinary_user};

/// Folders for a test: a start folder, and others beside it.
struct Ground(tempfile::TempDir);

impl Ground {
    fn new() -> Ground {
        Ground::in_folder(&std::env::temp_dir()).unwrap()
    }

    /// `None` if we may not write there.
    fn in_folder(folder: &Path) -> Option<Ground> {
        let ground = Ground(tempfile::tempdir_in(folder).ok()?);
        ground.place("start/any");
        Some(ground)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    /// The path of a file, with the folders above it made.
    fn place(&self, path: &str) -> PathBuf {
        let place = self.at(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        place
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.place(path), text).unwrap();
    }

    /// Writes a shell script that prints these files.
    fn write_spy(&self, path: &str, files: &[&str]) {
        let files = files.iter().map(|file| self.at(file).display().to_string());
        let text = format!("#!/bin/sh\ncat {}\n", files.collect::<Vec<_>>().join(" "));
        write_program(&self.place(path), &text);
    }

    fn copy_shell(&self, path: &str) {
        copy_program("/bin/sh", &self.place(path));
    }

    fn link(&self, path: &str, target: &str) {
        symlink(self.at(target), self.place(path)).unwrap();
    }

    /// Starts a bot in the start folder, with `home` as the home folder, and `path` first in PATH.
    fn start_with(&self, path: &str, bot: &str) -> Output {
        let path = format!("{}:{}", self.at(path).display(), programs::search_path());
        let mut arena = command(&self.at("start"), &["start", "--"]);
        arena.args(shlex::split(bot).unwrap());
        arena.env("HOME", self.at("home")).env("PATH", path);
        arena.output().unwrap()
    }

    fn start(&self, bot: &str) -> Output {
        self.start_with("none", bot)
    }
}

/// Checks that two texts are said, or that they aren't.
#[track_caller]
fn says(out: &Output, what: &str, texts: [(&str, bool); 2]) {
    let said = said(out);
    for (text, is_said) in texts {
        assert_eq!(said.contains(text), is_said, "{what}, {text}: {said}");
    }
}

/// In a container, the start folder is often below `/usr` or `/opt`, which every bot reads.
#[test]
fn bots_of_a_start_folder_of_the_system_are_closed() {
    if !closes_files() {
        return;
    }
    for system in ["/opt", "/usr/src"] {
        let Some(ground) = Ground::in_folder(Path::new(system)) else {
            eprintln!("not tried, because this user may not write to {system}");
            continue;
        };
        ground.write("start/bob/secret", "s3cr3t");
        ground.write("start/alice/book", "own");
        ground.write("start/secret", "s3cr3t");
        ground.link("start/alice/link", "start/bob/secret");
        ground.write("outside/data", "own");
        // Files beside the start folder are the system's.
        for [bot, file, more, seen] in table(
            "
            alice/secret.sh | start/bob/secret | - | cat:
            alice/upper.sh | start/secret | - | cat:
            alice/link.sh | start/alice/link | alice/link | cat:
            alice/book.sh | start/alice/book | - | own
            alice/outside.sh | outside/data | - | own
            ",
        ) {
            eprintln!("{system} {bot}");
            ground.write_spy(&format!("start/{bot}"), &[file]);
            let more = if more == "-" { "" } else { more };
            let out = ground.start(&format!("{bot} {more}"));
            out.lacks("s3cr3t").contains(seen);
        }
    }
}

/// An environment opens its programs and its library, and not the bots beside these.
#[test]
fn an_environment_opens_no_bots_beside_it() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    for league in ["start", "league"] {
        let at = |path: &str| format!("{league}/{path}");
        let files = [
            ("lib/python3/site-packages/data", "library"),
            ("pyvenv.cfg", "home = /usr/bin\n"),
            ("bots/bob/secret", "s3cr3t"),
        ];
        let paths = files.map(|(path, _)| at(path));
        for (path, (_, text)) in paths.iter().zip(files) {
            ground.write(path, text);
        }
        ground.copy_shell(&at("bin/python"));
        ground.write_spy(
            &at("bots/alice/spy.sh"),
            &paths.each_ref().map(String::as_str),
        );
        let spy = format!("../{league}/bots/alice/spy.sh");
        let program = format!("../{league}/bin/python");
        for (path, program) in [("none", program.as_str()), (&at("bin"), "python")] {
            let out = ground.start_with(path, &format!("{program} {spy}"));
            out.lacks("s3cr3t").contains("library").contains("home =");
        }
    }
}

/// The author of a bot writes `home`, too. Version managers keep their Pythons in a hidden folder.
#[test]
fn an_environment_opens_no_python_of_another_bot() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    for (number, (python, is_open)) in [
        ("home/.uv/python", true),
        ("start/bob", false),
        ("start/.bob", false),
        ("bots/bob", false),
        ("home/bob", false),
        ("home/bots/bob", false),
    ]
    .into_iter()
    .enumerate()
    {
        let beside = Path::new(python).parent().unwrap().display();
        let own = format!("{beside}/alice{number}");
        let (program, library) = (
            format!("{python}/bin/python3"),
            format!("{python}/lib/python3/os.py"),
        );
        ground.copy_shell(&program);
        ground.write(&library, "s3cr3t");
        let config = format!("home = {}\n", ground.at(python).join("bin").display());
        ground.write(&format!("{own}/pyvenv.cfg"), &config);
        ground.link(&format!("{own}/bin/python"), &program);
        let library = ground.at(&library);
        let bot = format!("../{own}/bin/python -c 'cat {}'", library.display());
        let texts = [("s3cr3t", is_open), ("add `read = [", !is_open)];
        says(&ground.start(&bot), python, texts);
    }
}

/// Timers and services name the Python of pyenv or conda by its path, without PATH.
#[test]
fn a_python_or_jdk_that_is_given_by_its_path_works() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    for [program, library, is_open] in table(
        "
        conda/envs/x/bin/python | conda/envs/x/lib/python3.1/os.py | open
        jdk8/bin/java | jdk8/jre/lib/rt.jar | open
        jre8/bin/java | jre8/lib/rt.jar | open
        tool/bin/tool | tool/lib/data | closed
        ",
    ) {
        ground.copy_shell(program);
        ground.write(library, "library");
        let library = ground.at(library);
        let said = said(&ground.start(&format!("../{program} -c 'cat {}'", library.display())));
        let found = said.contains("library");
        assert_eq!(found, is_open == "open", "{program}: {said}");
    }
}

/// The author of a bot can guess where the arena is started.
#[test]
fn a_link_to_the_start_folder_opens_it_only_on_the_way_there() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    ground.write("start/secret", "s3cr3t");
    ground.write("start/sub/secret", "s3cr3t");
    ground.link("bots/alice/classes", "start");
    ground.link("disk/way", "start");
    ground.write_spy("bots/alice/spy", &["start/secret", "start/sub/secret"]);
    for (list, way, is_open) in [
        ("../bots/alice/classes", "start", false),
        ("../bots/alice/classes/sub", "start", false),
        ("../disk/way", "start", false),
        ("../disk/way", "disk/way", true),
        ("../disk/way/sub", "disk/way", true),
    ] {
        let words = ["start", "--", "../bots/alice/spy", "-cp", list];
        let mut arena = command(&ground.at("start"), &words);
        let out = arena.env("PWD", ground.at(way)).output().unwrap();
        says(
            &out,
            list,
            [("s3cr3t", is_open), ("is a link to", !is_open)],
        );
    }
}

/// Links in a folder such as `/srv` count as the user's only if root alone makes them.
#[test]
fn a_link_in_a_folder_of_others_opens_nothing() {
    let Some(outer) = tempfile::tempdir_in("/").ok().filter(|_| closes_files()) else {
        eprintln!("not tried, because this user may not write to /");
        return;
    };
    let ground = Ground::new();
    ground.write("keys/secret", "s3cr3t");
    ground.write_spy("bot/spy", &["keys/secret"]);
    symlink(ground.at("keys"), outer.path().join("alice")).unwrap();
    let list = outer.path().join("alice").display().to_string();
    for (owner, mode, is_open) in [
        (0, 0o755, true),
        (0, 0o775, false),
        (0, 0o757, false),
        (12345, 0o755, false),
    ] {
        chown(outer.path(), Some(owner), None).unwrap();
        fs::set_permissions(outer.path(), Permissions::from_mode(mode)).unwrap();
        let said = said(&ground.start(&format!("../bot/spy -cp {list}")));
        assert_eq!(said.contains("s3cr3t"), is_open, "{owner} {mode:o}: {said}");
    }
}

/// The config and the run tell the seed.
const CONFIG: &str = "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\njobs = 1\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
    [[bot]]\nname = \"b\"\ncommand = \"arena bot onitama-random\"\n[[bot]]\nname = \"a\"\n";

/// The dice, deals and maps of all games follow from the seed of the run.
#[test]
fn processes_show_no_seed() {
    const SEED: &str = "4711471147114711";
    let duel = "duel onitama 'a=sh spy.sh' 'b=arena bot onitama-random' --games 2";
    let spy = "read line; cat /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/comm /proc/[0-9]*/environ \
               2> /dev/null | tr '\\0\\n' '  '; echo";
    let config = CONFIG.to_owned() + "command = \"sh spy.sh\"\n";
    let mut users = vec![0, ordinary_user()];
    users.retain(|&user| can_be(user));
    for user in users {
        for (verb, flag) in [
            ("run league.toml", "--seed "),
            ("run league.toml", "--set run.seed="),
            (duel, "--seed "),
            (duel, "--set run.seed="),
        ] {
            let ground = Ground::new();
            ground.write("start/spy.sh", spy);
            ground.write("start/league.toml", &config);
            copy_program(env!("CARGO_BIN_EXE_arena"), &ground.at("arena"));
            for path in ["", "start", "start/spy.sh", "start/league.toml"] {
                chown(ground.at(path), Some(user), None).unwrap();
            }
            let args = format!("{verb} {flag}{SEED} --out run");
            let mut arena = as_user(user, &ground.at("arena"));
            arena.args(shlex::split(&args).unwrap());
            arena.current_dir(ground.at("start")).stdin(Stdio::null());
            let said = said(&arena.output().unwrap());
            let records = records(&ground.at("start"), "run/records.jsonl");
            assert_eq!(records.len(), 2, "{said}");
            for record in records {
                let steps = record["steps"].as_array().unwrap().iter();
                let seen: Vec<&str> = steps.filter_map(|step| step["output"].as_str()).collect();
                let seen = seen.join("\n");
                has(&seen, "arena-inner:");
                for seed in [SEED, &record["seed"].to_string()] {
                    assert!(!seen.contains(seed), "user {user}, {args}: {seen}");
                }
            }
        }
    }
}

#[test]
fn a_hidden_file_is_no_part_of_a_bot() {
    let ground = Ground::new();
    let bot = "# The rules of league.toml hold.\n".to_owned() + include_str!("../languages/bot.sh");
    ground.write("start/spy.sh", &bot);
    let config = CONFIG.to_owned() + "command = \"spy.sh\"\n";
    ground.write("start/league.toml", &config);
    line(&ground.at("start"), "run league.toml --out run").status(0);
    let plan = read(&ground.at("start/run"), "plan.toml");
    has(&plan.replace('"', ""), "spy.sh = ");
    for hidden in ["\"league.toml\" = ", "\nleague.toml = "] {
        assert!(!plan.contains(hidden), "{plan}");
    }
}

#[test]
fn a_hidden_file_is_neither_opened_nor_offered() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    let table =
        "command = [\"sh\", \"-c\", \"echo ./league.toml: Permission denied >&2; exit 1\"]\n";
    let start = ground.at("start");
    for (keys, message) in [
        ("", "./league.toml: Permission denied"),
        (
            "read = [\"league.toml\"]\n",
            "no program may read `league.toml`",
        ),
        ("read = [\"run\"]\n", "no program may read `run`"),
    ] {
        ground.write("start/league.toml", &(CONFIG.to_owned() + table + keys));
        fs::create_dir_all(ground.at("start/run")).unwrap();
        let out = line(&start, "run league.toml --out run");
        assert!(!out.status.success());
        out.contains(message).lacks("--read");
    }
}

/// A language whose compiler is a command of the shell.
fn language(compiler: &str) -> String {
    let compile =
        format!("compile = [\"sh\", \"-c\", \"{compiler}\", \"{{out}}\", \"{{source}}\"]");
    format!("[language.any]\nextensions = [\"any\"]\n{compile}\nrun = [\"{{out}}\"]\n")
}

/// A cache may be shared, or root's.
#[test]
fn the_cache_of_a_toolchain_is_private_and_one_that_exists_stays() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    ground.write("start/bot.any", "");
    let config = CONFIG.replace("games = 2", "games = 2\nstart_anyway = true");
    let bot = "command = \"bot.any\"\n";
    ground.write(
        "start/c.toml",
        &(config + bot + &language("cp /bin/true $0")),
    );
    let run = || {
        let mut arena = command(&ground.at("start"), &["run", "c.toml", "--force"]);
        let out = arena
            .env("XDG_CACHE_HOME", ground.at("cache"))
            .output()
            .unwrap();
        let mut caches = fs::read_dir(ground.at("cache/arena/toolchains")).unwrap();
        let (Some(cache), None) = (caches.next(), caches.next()) else {
            panic!("not one cache: {}", said(&out));
        };
        let cache = cache.unwrap().path();
        let mode = fs::metadata(&cache).unwrap().permissions().mode() & 0o777;
        (cache, mode)
    };
    let (cache, mode) = run();
    assert_eq!(mode, 0o700);
    fs::set_permissions(&cache, Permissions::from_mode(0o750)).unwrap();
    // It is compiled again.
    ground.write("start/bot.any", "changed");
    assert_eq!(run(), (cache, 0o750));
}

/// `--read` doesn't help a command that starts what it has linked.
#[test]
fn a_compiler_that_is_refused_something_is_told_of_build() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    ground.write("start/bot.any", "");
    let language = language("echo gen: Permission denied >&2; exit 1");
    let config = CONFIG.to_owned() + "command = \"bot.any\"\n" + &language;
    ground.write("start/c.toml", &config);
    let out = line(&ground.at("start"), "run c.toml");
    out.contains("can't start what it has linked: use `build`");
}
