//! The sandbox closes files of others that a start folder, an environment or a link leads to.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::programs::{self, Said as _, closes_files, copy_program, write_program};
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
        fs::create_dir_all(ground.at("start")).unwrap();
        Some(ground)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    /// Writes a shell script that prints these files.
    fn write_spy(&self, path: &str, files: &[&str]) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        let files = files.iter().map(|file| self.at(file).display().to_string());
        let text = format!("#!/bin/sh\ncat {}\n", files.collect::<Vec<_>>().join(" "));
        write_program(&self.at(path), &text);
    }

    fn copy_shell(&self, path: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        copy_program("/bin/sh", &self.at(path));
    }

    fn link(&self, path: &str, target: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        symlink(self.at(target), self.at(path)).unwrap();
    }

    /// Starts a bot in the start folder, with `home` as the home folder, and `path` first in PATH.
    fn start_with(&self, path: &str, command: &[&str]) -> Output {
        let words = [&["start", "--"], command].concat();
        let path = format!("{}:{}", self.at(path).display(), programs::search_path());
        programs::command(&self.at("start"), &words)
            .env("HOME", self.at("home"))
            .env("PATH", path)
            .output()
            .unwrap()
    }

    fn start(&self, command: &[&str]) -> Output {
        self.start_with("none", command)
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
        ground.write_spy("start/alice/secret.sh", &["start/bob/secret"]);
        ground.write_spy("start/alice/upper.sh", &["start/secret"]);
        ground.write_spy("start/alice/link.sh", &["start/alice/link"]);
        ground.write_spy("start/alice/book.sh", &["start/alice/book"]);
        ground.write("outside/data", "own");
        ground.write_spy("start/alice/outside.sh", &["outside/data"]);
        for (command, seen) in [
            (&["alice/secret.sh"][..], "cat: "),
            (&["alice/upper.sh"], "cat: "),
            (&["alice/link.sh", "alice/link"], "cat: "),
            (&["alice/book.sh"], "own"),
            // Files beside the start folder are the system's.
            (&["alice/outside.sh"], "own"),
        ] {
            eprintln!("{system} {command:?}");
            ground.start(command).lacks("s3cr3t").contains(seen);
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
        ground.copy_shell(&at("bin/python"));
        ground.write(&at("lib/python3/site-packages/data"), "library");
        ground.write(&at("pyvenv.cfg"), "home = /usr/bin\n");
        ground.write(&at("bots/bob/secret"), "s3cr3t");
        let [library, config, bob] = [
            at("lib/python3/site-packages/data"),
            at("pyvenv.cfg"),
            at("bots/bob/secret"),
        ];
        ground.write_spy(&at("bots/alice/spy.sh"), &[&bob, &library, &config]);
        let [program, spy] =
            ["bin/python", "bots/alice/spy.sh"].map(|path| format!("../{league}/{path}"));
        for (path, program) in [("none", program.as_str()), (&at("bin"), "python")] {
            let said = programs::said(&ground.start_with(path, &[program, &spy]));
            assert!(!said.contains("s3cr3t"), "{league} {program}: {said}");
            let is_open = said.contains("library") && said.contains("home =");
            assert!(is_open, "{league} {program}: {said}");
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
        let own = format!(
            "{}/alice{number}",
            Path::new(python).parent().unwrap().display()
        );
        ground.copy_shell(&format!("{python}/bin/python3"));
        ground.write(&format!("{python}/lib/python3/os.py"), "s3cr3t");
        let config = format!("home = {}\n", ground.at(python).join("bin").display());
        ground.write(&format!("{own}/pyvenv.cfg"), &config);
        ground.link(
            &format!("{own}/bin/python"),
            &format!("{python}/bin/python3"),
        );
        let script = format!(
            "cat {}",
            ground.at(python).join("lib/python3/os.py").display()
        );
        let program = format!("../{own}/bin/python");
        let said = programs::said(&ground.start(&[&program, "-c", &script]));
        assert_eq!(said.contains("s3cr3t"), is_open, "{python}: {said}");
        assert_eq!(said.contains("add `read = ["), !is_open, "{python}: {said}");
    }
}

/// Timers and services name the Python of pyenv or conda by its path, without PATH.
#[test]
fn a_python_or_jdk_that_is_given_by_its_path_works() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    for (program, library, is_open) in [
        (
            "conda/envs/x/bin/python",
            "conda/envs/x/lib/python3.1/os.py",
            true,
        ),
        ("jdk8/bin/java", "jdk8/jre/lib/rt.jar", true),
        ("jre8/bin/java", "jre8/lib/rt.jar", true),
        ("tool/bin/tool", "tool/lib/data", false),
    ] {
        ground.copy_shell(program);
        ground.write(library, "library");
        let script = format!("cat {}", ground.at(library).display());
        let program = format!("../{program}");
        let out = ground.start(&[&program, "-c", &script]);
        let said = programs::said(&out);
        assert_eq!(said.contains("library"), is_open, "{program}: {said}");
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
        let mut arena = programs::command(&ground.at("start"), &words);
        let out = arena.env("PWD", ground.at(way)).output().unwrap();
        let said = programs::said(&out);
        assert_eq!(said.contains("s3cr3t"), is_open, "{list}: {said}");
        assert_eq!(said.contains("is a link to"), !is_open, "{list}: {said}");
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
        let said = programs::said(&ground.start(&["../bot/spy", "-cp", &list]));
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
    let set = format!("run.seed={SEED}");
    let duel = [
        "duel",
        "onitama",
        "a=sh spy.sh",
        "b=arena bot onitama-random",
        "--games",
        "2",
    ];
    let run = ["run", "league.toml"];
    let spy = "read line; cat /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/comm /proc/[0-9]*/environ \
               2> /dev/null | tr '\\0\\n' '  '; echo";
    let config = CONFIG.to_owned() + "command = \"sh spy.sh\"\n";
    for user in [0, ordinary_user()]
        .into_iter()
        .filter(|&user| can_be(user))
    {
        for words in [
            [&run[..], &["--seed", SEED]].concat(),
            [&run[..], &["--set", &set]].concat(),
            [&duel[..], &["--seed", SEED]].concat(),
            [&duel[..], &["--set", &set]].concat(),
        ] {
            let ground = Ground::new();
            ground.write("start/spy.sh", spy);
            ground.write("start/league.toml", &config);
            copy_program(env!("CARGO_BIN_EXE_arena"), &ground.at("arena"));
            for path in ["", "start", "start/spy.sh", "start/league.toml"] {
                chown(ground.at(path), Some(user), None).unwrap();
            }
            let mut arena = as_user(user, &ground.at("arena"));
            let out = arena
                .args(&words)
                .args(["--out", "run"])
                .current_dir(ground.at("start"));
            let said = programs::said(&out.stdin(Stdio::null()).output().unwrap());
            let records = fs::read_to_string(ground.at("start/run/records.jsonl")).expect(&said);
            assert_eq!(records.lines().count(), 2, "{said}");
            for record in records.lines() {
                let record: Value = serde_json::from_str(record).unwrap();
                let steps = record["steps"].as_array().unwrap().iter();
                let seen = steps.map(|step| step["output"].as_str().unwrap_or_default());
                let seen = seen.collect::<Vec<_>>().join("\n");
                assert!(seen.contains("arena-inner:"), "{seen}");
                for seed in [SEED, &record["seed"].to_string()] {
                    assert!(!seen.contains(seed), "user {user}, {words:?}: {seen}");
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
    let out = programs::arena(&ground.at("start"), &["run", "league.toml", "--out", "run"]);
    out.status(0);
    let plan = fs::read_to_string(ground.at("start/run/plan.toml")).unwrap();
    assert!(
        plan.contains("\"spy.sh\" = ") || plan.contains("spy.sh = "),
        "{plan}"
    );
    assert!(
        !plan.contains("\"league.toml\" = ") && !plan.contains("\nleague.toml = "),
        "{plan}"
    );
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
        let out = programs::arena(&start, &["run", "league.toml", "--out", "run"]);
        let said = programs::said(&out);
        assert!(!out.status.success() && said.contains(message), "{said}");
        assert!(!said.contains("--read"), "{said}");
    }
}

/// A cache may be shared, or root's.
#[test]
fn the_cache_of_a_toolchain_is_private_and_one_that_exists_stays() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    ground.write("start/bot.any", "");
    let language = "[language.any]\nextensions = [\"any\"]\ncompile = [\"sh\", \"-c\", \"cp /bin/true $0\", \"{out}\", \"{source}\"]\nrun = [\"{out}\"]\n";
    let config = CONFIG.to_owned() + "command = \"bot.any\"\n" + language;
    ground.write(
        "start/c.toml",
        &config.replace("games = 2", "games = 2\nstart_anyway = true"),
    );
    let run = || {
        let mut arena = programs::command(&ground.at("start"), &["run", "c.toml", "--force"]);
        let out = arena
            .env("XDG_CACHE_HOME", ground.at("cache"))
            .output()
            .unwrap();
        let mut caches = fs::read_dir(ground.at("cache/arena/toolchains")).unwrap();
        let said = programs::said(&out);
        let (Some(cache), None) = (caches.next(), caches.next()) else {
            panic!("not one cache: {said}");
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
    let language = "[language.any]\nextensions = [\"any\"]\ncompile = [\"sh\", \"-c\", \"echo gen: Permission denied >&2; exit 1\", \"{out}\", \"{source}\"]\nrun = [\"{out}\"]\n";
    let config = CONFIG.to_owned() + "command = \"bot.any\"\n" + language;
    ground.write("start/c.toml", &config);
    let said = programs::said(&programs::arena(&ground.at("start"), &["run", "c.toml"]));
    assert!(
        said.contains("can't start what it has linked: use `build`"),
        "{said}"
    );
}
