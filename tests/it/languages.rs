//! Bots as people write them: a source file is a bot, in every language that is found here.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::programs::{self, closes_files, copy_program, text};

/// Limits that no bot misses, however busy the machine is.
const UNHURRIED: [&str; 6] = [
    "--set",
    "clock.first_turn_ms=60000",
    "--set",
    "clock.turn_ms=60000",
    "--set",
    "clock.startup_ms=60000",
];

fn arena(folder: &Path, args: &[&str]) -> Output {
    let mut command = programs::command(folder, args);
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command.output().unwrap()
}

/// The ends of the names of source files that can be played here.
fn found() -> Vec<String> {
    let out = arena(Path::new("."), &["list", "languages"]);
    let lines = text(&out.stdout);
    let here = lines
        .lines()
        .skip(1)
        .filter(|line| line.contains("  yes  "));
    here.flat_map(|line| {
        line.split_whitespace()
            .filter_map(|word| word.strip_prefix('.'))
            .map(str::to_owned)
    })
    .collect()
}

fn copy(from: &str, to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(from);
    fs::copy(&from, to).unwrap_or_else(|error| panic!("copy {}: {error}", from.display()));
}

fn assert_ready(folder: &Path, game: &str, file: &str) {
    let out = arena(
        folder,
        &[
            &["check", game, "--seeds", "1"],
            &UNHURRIED[..],
            &["--", file],
        ]
        .concat(),
    );
    let said = text(&out.stdout);
    assert!(
        out.status.success() && said.contains("ready to play"),
        "{game} {file}: {said}{}",
        text(&out.stderr)
    );
}

/// One small bot for every other language. CI plays those whose compilers it has; `apt install` of what `arena list languages`
/// names brings the others.
#[test]
fn every_language_that_is_here_plays() {
    let found = found();
    let folder = tempfile::tempdir().unwrap();
    let bots = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages")).unwrap();
    let mut played = 0;
    for bot in bots.map(|bot| bot.unwrap().file_name().into_string().unwrap()) {
        if found.iter().any(|end| bot.ends_with(&format!(".{end}"))) {
            copy(&format!("tests/languages/{bot}"), &folder.path().join(&bot));
            assert_ready(folder.path(), "onitama", &bot);
            played += 1;
        }
    }
    assert!(played > 0, "a shell at least is here: {found:?}");
}

/// A line of the JavaScript that it was compiled to would help nobody.
#[test]
fn a_trace_of_typescript_names_its_lines() {
    if !found().iter().any(|end| end == "ts") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bot = "interface Grid {\n  size: number;\n}\n\nthrow new Error(readline()!);\n";
    fs::write(folder.path().join("bot.ts"), bot).unwrap();
    let out = arena(folder.path(), &["start", "--", "bot.ts"]);
    let said = text(&out.stderr);
    assert!(said.contains("bot.ts:5:7"), "{said}");
}

#[test]
fn a_bot_in_two_files_is_compiled_once_and_again_when_either_changes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy("starters/onitama/bot.rs", &folder.join("player.rs"));
    fs::write(
        folder.join("two.rs"),
        "#[path = \"player.rs\"]\nmod player;\n\nfn main() {\n    player::main();\n}\n",
    )
    .unwrap();
    let source = fs::read_to_string(folder.join("player.rs"))
        .unwrap()
        .replace("\nfn main()", "\npub fn main()");
    fs::write(folder.join("player.rs"), &source).unwrap();
    let play = |out: &str| {
        let args = [
            "duel", "onitama", "two.rs", "two.rs", "--games", "2", "--out", out,
        ];
        let played = arena(folder, &[&args[..], &UNHURRIED].concat());
        assert!(played.status.success(), "{}", text(&played.stderr));
        text(&played.stderr).matches("compiling two.rs").count()
    };
    assert_eq!([play("first"), play("second")], [1, 0]);
    fs::write(folder.join("player.rs"), source + "\n// changed\n").unwrap();
    assert_eq!(play("third"), 1);
    // What is damaged is compiled again.
    let kept = fs::read_dir(folder.join("cache/arena/compiled"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("bot"));
    kept.filter(|program| program.exists())
        .for_each(|program| fs::write(program, "no program").unwrap());
    assert_eq!([play("fourth"), play("fifth")], [1, 0]);
}

/// A bot is never an older one than its files say: whatever its compiler may read decides.
#[test]
fn nothing_stale_is_played() {
    if !closes_files() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join("mine").join(name);
    for place in [".parts/deep", ".git"] {
        fs::create_dir_all(at(place)).unwrap();
    }
    let files = ["part.h", ".parts/deep/data.txt", "../outside.h"];
    let sum = files
        .map(|file| format!("\n#include \"{file}\"\n"))
        .join("+");
    let bot = format!("int main(void) {{ return {sum}; }}\n");
    fs::write(at("bot.c"), bot).unwrap();
    for file in files {
        fs::write(at(file), "1").unwrap();
    }
    let started = |more: &[&str]| {
        let args = [&["start", "--read", "../outside.h"], more, &["--", "bot.c"]];
        let out = arena(&at(""), &args.concat());
        let said = text(&out.stderr);
        let sum = out.status.code().unwrap();
        (sum, said.matches("compiling bot.c").count())
    };
    assert_eq!([started(&[]), started(&[])], [(3, 1), (3, 0)]);
    for file in files {
        // Its size stays the same, and perhaps its time.
        for (number, times) in [(4, 1), (5, 1), (1, 0)] {
            fs::write(at(file), number.to_string()).unwrap();
            let sum = 2 + number;
            assert_eq!(
                [started(&[]), started(&[])],
                [(sum, times), (sum, 0)],
                "{file}"
            );
        }
    }
    fs::write(at(".git/index"), "of no matter").unwrap();
    assert_eq!(started(&[]), (3, 0));
    // Without a sandbox a compiler may read any other file.
    let off = ["--sandbox", "off"];
    fs::write(at("part.h"), "2").unwrap();
    assert_eq!([started(&off), started(&off)], [(4, 1), (4, 1)]);
    assert_eq!([started(&[]), started(&off)], [(4, 1), (4, 0)]);
}

#[test]
fn a_bot_among_too_many_files_is_compiled_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("bot.c"), "int main(void) { return 7; }\n").unwrap();
    let large = fs::File::create(folder.join("data")).unwrap();
    large.set_len((1 << 30) + 1).unwrap();
    for _ in 0..2 {
        let out = arena(folder, &["start", "--", "bot.c"]);
        assert_eq!(out.status.code(), Some(7));
        assert!(text(&out.stderr).contains("compiling bot.c"));
    }
}

/// The compiler reads another source than the one that it was started for.
#[test]
fn a_source_that_changes_while_it_is_compiled_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = r#"[run]
        name = "r"
        game = "onitama"
        games = 2
        [language.any]
        extensions = ["any"]
        compile = ["sh", "-c", '''
n=0
until grep -q changed "$0" || [ $n = 40 ]; do n=$((n + 1)); sleep 0.05; done
cp "$0" "$1"
''', "{source}", "{out}"]
        run = ["sh", "{out}"]
        [[bot]]
        name = "a"
        command = "bot.any"
        [[bot]]
        name = "b"
        command = "bot.any"
        "#;
    fs::write(folder.join("c.toml"), config).unwrap();
    // The sandbox opens the file and not its folder, so a new file wouldn't be open.
    let source = |text: &str| fs::write(folder.join("bot.any"), text).unwrap();
    source("exit 1\n");
    let mut arena = programs::command(folder, &["run", "c.toml", "--force"]);
    arena.env("XDG_CACHE_HOME", folder.join("cache"));
    let mut first = arena.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut stderr = BufReader::new(first.stderr.take().unwrap());
    while !said.contains("compiling bot.any") {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    source("exit 2 # changed\n");
    stderr.read_to_string(&mut said).unwrap();
    first.wait().unwrap();
    assert!(said.contains("exit code 2"), "{said}");
    source("exit 1\n");
    let said = text(&arena.output().unwrap().stderr);
    assert!(said.contains("exit code 1"), "{said}");
}

/// A start folder whose parent holds a secret.
fn start_with_secret() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (start, secret) = (folder.path().join("start"), folder.path().join("shadow"));
    fs::create_dir(&start).unwrap();
    fs::write(&secret, "\"s3cr3t\"").unwrap();
    (folder, start, secret)
}

/// Otherwise a bot would hold them, and print them to its author.
#[test]
fn a_compiler_reads_no_files_of_others() {
    if !closes_files() {
        return;
    }
    let (_folder, start, secret) = start_with_secret();
    symlink(&secret, start.join("link")).unwrap();
    let path = secret.display();
    let c = |line: &str| {
        format!("#include <stdio.h>\n{line}\nint main(void) {{ puts(text); return 0; }}\n")
    };
    let sources = [
        (
            "asm.c",
            c(&format!(
                "__asm__(\".data\\ntext: .incbin \\\"{path}\\\"\\n.byte 0\\n.text\"); extern char text[];"
            )),
        ),
        (
            "include.c",
            c(&format!("static char text[] =\n#include \"{path}\"\n;")),
        ),
        ("link.c", c("static char text[] =\n#include \"link\"\n;")),
        (
            "bytes.rs",
            format!("fn main() {{ print!(\"{{}}\", include_str!(\"{path}\")); }}\n"),
        ),
    ];
    let read = format!("--read={path}");
    for (name, source) in &sources {
        fs::write(start.join(name), source).unwrap();
        for mode in ["auto", "strict"] {
            let out = arena(&start, &["start", "--sandbox", mode, name]);
            let said = text(&out.stderr);
            assert_eq!(out.status.code(), Some(3), "{name} {mode}: {said}");
            assert!(!said.contains("s3cr3t"), "{name} {mode}: {said}");
            let is_refused = said.contains("compile `");
            // Strict refuses a system without all features before anything is compiled.
            assert!(is_refused || mode == "strict", "{name} {mode}: {said}");
        }
        // It is the sandbox that refused it.
        let out = arena(&start, &["start", &read, name]);
        let said = text(&out.stderr);
        assert!(text(&out.stdout).contains("s3cr3t"), "{name}: {said}");
    }
    // The folder of a source isn't its own if a link leads there.
    let private = secret.with_file_name("private");
    fs::create_dir(&private).unwrap();
    fs::copy(&secret, private.join("shadow")).unwrap();
    let whole = c("static char text[] =\n#include \"shadow\"\n;");
    fs::write(private.join("whole.c"), whole).unwrap();
    symlink(&private, start.join("away")).unwrap();
    let out = arena(&start, &["start", "away/whole.c"]);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(3), "{said}");
    assert!(!said.contains("s3cr3t"), "{said}");
}

#[test]
fn a_header_beside_the_source_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [
        ("bots/mine/bot.c", "#include \"grid.h\"\n"),
        (
            "bots/mine/grid.h",
            "#include \"parts/all.h\"\nint main(void) { return SEVEN; }\n",
        ),
        ("bots/mine/parts/all.h", "#define SEVEN 7\n"),
    ] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let out = arena(folder.path(), &["start", "bots/mine/bot.c"]);
    assert_eq!(out.status.code(), Some(7), "{}", text(&out.stderr));
    // A home folder is closed, except for the source.
    let home = folder.path().join("bots/mine");
    fs::write(home.join("alone.c"), "int main(void) { return 8; }\n").unwrap();
    let header_is_open = !closes_files();
    for (bot, is_fine) in [("alone.c", true), ("bot.c", header_is_open)] {
        let mut command = programs::command(&home, &["start", bot]);
        command.env("HOME", &home);
        command.env("XDG_CACHE_HOME", folder.path().join("cache"));
        let out = command.output().unwrap();
        let said = text(&out.stderr);
        assert_eq!(out.status.code() != Some(3), is_fine, "{bot}: {said}");
        assert!(is_fine || said.contains("`--read`"), "{said}");
    }
}

/// The compiler of a config may run any program: what it opens, a bot reads later.
#[test]
fn a_compiler_writes_to_its_output_alone_and_has_no_network() {
    if !closes_files() {
        return;
    }
    let (folder, start, secret) = start_with_secret();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let connect = format!("bash -c '</dev/tcp/127.0.0.1/{port}'");
    let tries = [
        ("echo x > {source}", false),
        ("echo x > grown", false),
        ("echo x > ../grown", false),
        ("cat ../shadow", false),
        (&connect, false),
        ("ln -s $PWD/../shadow {dir}/link", false),
        ("cp ../shadow {dir}/copy", false),
        ("cat {source}", true),
        ("echo x > $HOME/kept && echo x > {dir}/kept", true),
        ("chmod 700 {out}", true),
        // Compilers do that, and must not fail. Nothing of it happens.
        ("chmod 666 {source} ../shadow && chmod 4777 {source}", true),
        ("touch -d @0 {source} ../shadow", true),
        ("chown $(id -u) {source}", false),
        (
            "python3 -c 'import os; os.setxattr(\"{source}\", \"user.x\", b\"\")'",
            false,
        ),
    ];
    fs::write(start.join("bot.any"), "text").unwrap();
    let state = |path: &Path| fs::metadata(path).map(|file| (file.mode(), file.mtime()));
    let files = [start.join("bot.any"), secret.clone()];
    let before = files.each_ref().map(|path| state(path).unwrap());
    fs::write(start.join("other.sh"), "").unwrap();
    for (what, is_fine) in tries {
        let shell = format!("cp /bin/false {{out}}; {what}").replace('"', "\\\"");
        let config = format!(
            "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\n\
             [language.any]\nextensions = [\"any\"]\ncompile = [\"sh\", \"-c\", \"{shell}\", \"{{source}}\"]\nrun = [\"{{out}}\"]\n\
             [[bot]]\nname = \"a\"\ncommand = \"bot.any\"\n[[bot]]\nname = \"b\"\ncommand = \"sh other.sh\"\n"
        );
        fs::write(start.join("c.toml"), config).unwrap();
        let out = arena(&start, &["run", "c.toml", "--force"]);
        let said = text(&out.stderr);
        assert_eq!(
            !said.contains("compile `bot.any`"),
            is_fine,
            "{what}: {said}"
        );
    }
    assert_eq!(files.each_ref().map(|path| state(path).unwrap()), before);
    assert_eq!(fs::read(start.join("bot.any")).unwrap(), b"text");
    assert_eq!(fs::read(&secret).unwrap(), b"\"s3cr3t\"");
    assert!(!start.join("grown").exists() && !folder.path().join("grown").exists());
}

/// Linkers can't, in the sandbox.
#[test]
fn a_compiled_bot_is_executable_and_runs_as_its_user() {
    let (folder, start, _) = start_with_secret();
    fs::write(start.join("bot.any"), "text").unwrap();
    let config = r##"[run]
        name = "r"
        game = "onitama"
        games = 2
        [language.any]
        extensions = ["any"]
        compile = ["python3", "-c", '''
import os, sys
os.umask(0)
for mode, name in (0o644, sys.argv[1]), (0o6755, sys.argv[1] + ".other"):
    os.close(os.open(name, os.O_CREAT, mode))
open(sys.argv[1], "w").write("#!/bin/sh\nexit 7\n")
''', "{out}", "{source}"]
        run = ["{out}"]
        [[bot]]
        name = "a"
        command = "bot.any"
        [[bot]]
        name = "b"
        command = "bot.any"
        "##;
    fs::write(start.join("c.toml"), config).unwrap();
    let cache = folder.path().join("cache");
    let mut arena = programs::command(&start, &["run", "c.toml"]);
    let out = arena.env("XDG_CACHE_HOME", &cache).output().unwrap();
    let said = text(&out.stderr);
    assert!(said.contains("exit code 7"), "{said}");
    let mut modes = Vec::new();
    for product in fs::read_dir(cache.join("arena/compiled")).unwrap() {
        for file in fs::read_dir(product.unwrap().path()).into_iter().flatten() {
            modes.push(file.unwrap().metadata().unwrap().mode() & 0o7777);
        }
    }
    assert_eq!(modes, [0o755, 0o755]);
}

/// A build line is the user's own.
#[test]
fn a_build_line_runs_outside_the_sandbox() {
    let (folder, start, _) = start_with_secret();
    copy("tests/languages/bot.sh", &start.join("bot.sh"));
    let bots = "[[bot]]\nname = \"a\"\ncommand = \"bash bot.sh\"\nbuild = [\"cp\", \"../shadow\", \"../copy\"]\n\
                [[bot]]\nname = \"b\"\ncommand = \"bash bot.sh\"\n";
    let config = format!(
        "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n{bots}"
    );
    fs::write(start.join("c.toml"), config).unwrap();
    let out = arena(&start, &["run", "c.toml"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(folder.path().join("copy").exists());
}

/// A run continues only with the bot that began it.
#[test]
fn a_run_does_not_go_on_with_another_part() {
    if !found().iter().any(|end| end == "py") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy("starters/onitama/bot.py", &folder.join("player.py"));
    fs::write(folder.join("a.py"), "import player\nplayer.main()\n").unwrap();
    let duel = |more: &[&str]| {
        let args = [
            "duel",
            "onitama",
            "a.py",
            "player.py",
            "--games",
            "2",
            "--out",
            "out",
        ];
        arena(folder, &[&args[..], &UNHURRIED, more].concat())
    };
    assert!(duel(&[]).status.success());
    let lose_a_game = || {
        let records = fs::read_to_string(folder.join("out/records.jsonl")).unwrap();
        fs::write(
            folder.join("out/records.jsonl"),
            records.lines().next().unwrap().to_owned() + "\n",
        )
        .unwrap();
        for name in ["summary.json", "games.csv"] {
            fs::remove_file(folder.join("out").join(name)).unwrap();
        }
    };
    lose_a_game();
    let out = duel(&["--resume"]);
    assert!(
        out.status.success(),
        "nothing has changed: {}",
        text(&out.stderr)
    );
    lose_a_game();
    let player = fs::read_to_string(folder.join("player.py")).unwrap();
    fs::write(folder.join("player.py"), player + "\n# changed\n").unwrap();
    let out = duel(&["--resume"]);
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
    assert!(
        text(&out.stderr).contains("player.py has changed"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn a_compiler_that_writes_nothing_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.none"), "").unwrap();
    let config = "[run]\nseed = 1\ngame = \"onitama\"\ngames = 2\n[language.none]\nextensions = [\"none\"]\n\
                  compile = [\"true\", \"{source}\"]\nrun = [\"{out}\"]\n[[bot]]\nname = \"a\"\ncommand = \"a.none\"\n\
                  [[bot]]\nname = \"b\"\ncommand = \"a.none\"\n";
    fs::write(folder.join("none.toml"), config).unwrap();
    let out = arena(folder, &["run", "none.toml"]);
    assert_eq!(out.status.code(), Some(3));
    assert!(
        text(&out.stderr).contains("`true a.none`: it wrote no `"),
        "{}",
        text(&out.stderr)
    );
    for (right, wrong, said) in [
        ("{out}", "{uot}", "did you mean `out`?"),
        (
            "\"true\", \"{source}\"",
            "\"true\"",
            "expected `{source}` in one",
        ),
        (
            "[[bot]]",
            "[language.other]\nextensions = [\"none\"]\nrun = [\"sh\", \"{source}\"]\n[[bot]]",
            "the same files",
        ),
    ] {
        fs::write(folder.join("none.toml"), config.replacen(right, wrong, 1)).unwrap();
        let out = arena(folder, &["run", "none.toml"]);
        assert_eq!(out.status.code(), Some(3));
        assert!(
            text(&out.stderr).contains(said),
            "{said}: {}",
            text(&out.stderr)
        );
    }
}

/// If only the sandbox prevents a bot's first answer, the message names what opens it.
#[test]
fn a_bot_that_needs_a_closed_file_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start");
    let data = folder.path().join("data");
    fs::create_dir_all(&start).unwrap();
    fs::create_dir_all(&data).unwrap();
    // A shell would replace a part of the name.
    fs::write(data.join("weights $1.txt"), "1").unwrap();
    symlink(data.join("weights $1.txt"), folder.path().join("link")).unwrap();
    let bot =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages/bot.sh"))
            .unwrap();
    let weights = data.join("weights $1.txt").display().to_string();
    fs::write(
        start.join("bot.sh"),
        format!("cat ../link >/dev/null || exit 3\n{bot}"),
    )
    .unwrap();
    copy("tests/languages/bot.sh", &start.join("other.sh"));
    let check = ["check", "onitama", "--seeds", "1"];
    let read = format!("--read={weights}");
    let out = arena(&start, &[&check[..], &["bot.sh"]].concat());
    if out.status.success() {
        return; // Without landlock nothing is closed.
    }
    let advice = format!(
        "the sandbox closes {weights} to it; if you trust this bot, add --read '{weights}' (in a config, `read = [\"{weights}\"]`"
    );
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
    assert!(
        text(&out.stdout).contains(&advice),
        "{advice}: {}",
        text(&out.stdout)
    );
    let duel = ["duel", "onitama", "other.sh", "bot.sh", "--games", "2"];
    let out = arena(&start, &[&duel[..], &UNHURRIED].concat());
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains(&advice), "{}", text(&out.stderr));
    let out = arena(&start, &[&duel[..], &UNHURRIED, &[&read]].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = arena(
        &start,
        &[&check[..], &UNHURRIED, &[&read, "bot.sh"]].concat(),
    );
    assert!(out.status.success(), "{}", text(&out.stdout));
}

/// A bot that fails in the sandbox on purpose isn't started without it.
#[test]
fn a_bot_is_never_started_outside_the_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start");
    fs::create_dir_all(&start).unwrap();
    let mark = folder.path().join("mark");
    fs::write(
        start.join("bot.sh"),
        format!("echo out > {} || exit 1\n", mark.display()),
    )
    .unwrap();
    copy("tests/languages/bot.sh", &start.join("other.sh"));
    let config = "[run]\nseed = 1\nname = \"r\"\ngame = \"onitama\"\ngames = 2\n\
        [[bot]]\nname = \"a\"\ncommand = \"sh bot.sh\"\n[[bot]]\nname = \"b\"\ncommand = \"sh other.sh\"\n";
    fs::write(start.join("c.toml"), config).unwrap();
    for args in [
        &["check", "onitama", "bot.sh"][..],
        &["duel", "onitama", "bot.sh", "other.sh"],
        &["run", "c.toml"],
    ] {
        let out = arena(&start, args);
        if mark.exists() && text(&out.stderr).contains("the sandbox is incomplete") {
            return; // Without landlock nothing is closed.
        }
        assert!(!mark.exists(), "{args:?}");
        let told = text(&out.stdout) + &text(&out.stderr);
        assert!(!told.contains("--sandbox off"), "{told}");
    }
}

/// What is printed to see a fault again shows it again.
#[test]
fn a_fault_is_seen_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages/bot.sh"))
            .unwrap();
    fs::write(folder.join("good.sh"), &bot).unwrap();
    fs::write(
        folder.join("bad.sh"),
        "read -r line\necho \"fell over $line, seed $ARENA_SEED\" >&2\nexit 7\n",
    )
    .unwrap();
    let again = |said: &str| {
        let line = said
            .lines()
            .find_map(|line| {
                line.trim()
                    .split_once("see it again: ")
                    .map(|(_, line)| line)
            })
            .unwrap()
            .to_owned();
        let out = programs::shell(folder, &line)
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(7), "{line}: {}", text(&out.stderr));
        text(&out.stderr)
    };
    let out = arena(folder, &["check", "onitama", "bad.sh"]);
    assert_eq!(again(&text(&out.stdout)).trim_end(), "fell over 0, seed 1");
    // A run does not start with a bot that ends before its first answer. This one answers where it is tried out, with seed 1.
    fs::write(
        folder.join("later.sh"),
        "if [ \"$ARENA_SEED\" = 1 ]; then echo 0; exec sleep 60; fi\nread -r line\necho \"fell over $line, seed $ARENA_SEED\" >&2\nexit 7\n",
    )
    .unwrap();
    let out = arena(
        folder,
        &[
            &[
                "duel", "onitama", "good.sh", "later.sh", "--games", "2", "--out", "my run",
            ][..],
            &UNHURRIED,
        ]
        .concat(),
    );
    assert!(
        again(&text(&out.stderr)).starts_with("fell over "),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn what_a_compiler_says_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("bad.rs"), "fn main() { printn!(1) }\n").unwrap();
    for args in [
        &["check", "onitama", "bad.rs"][..],
        &["duel", "onitama", "bad.rs", "bad.rs", "--out", "out"],
    ] {
        let out = arena(folder, args);
        assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
        let said = text(&out.stderr);
        assert!(
            said.contains("rustc")
                && said.contains("cannot find macro `printn`")
                && said.contains("bad.rs:1:13")
                && said.contains("hint: for several files, a config takes `build`"),
            "{said}"
        );
    }
    assert_eq!(
        fs::read_dir(folder.join("cache/arena/compiled"))
            .unwrap()
            .count(),
        0,
        "nothing is kept of what failed"
    );
    let out = arena(folder, &["check", "onitama", "bod.rs"]);
    assert!(
        text(&out.stderr).contains("there is no file `bod.rs`"),
        "{}",
        text(&out.stderr)
    );
}

/// A language of the config; its bots are played, continued and told apart like others.
#[test]
fn a_config_adds_a_language() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy("tests/languages/bot.sh", &folder.join("bot.first"));
    let config = |run: &str| {
        format!(
            "[run]\nseed = 1\nname = \"own\"\ngame = \"onitama\"\ngames = 2\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
             [language.first]\nextensions = [\".first\"]\nrun = [{run}]\n\
             [[bot]]\nname = \"a\"\ncommand = \"bot.first\"\n[[bot]]\nname = \"b\"\ncommand = \"./bot.first\"\n"
        )
    };
    fs::write(folder.join("own.toml"), config("\"bash\", \"{source}\"")).unwrap();
    let out = arena(folder, &["run", "own.toml", "--quiet"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let plan = fs::read_to_string(folder.join("results/own/plan.toml")).unwrap();
    assert!(
        plan.contains("[plan.language.first]") && plan.contains("command = [\"bot.first\"]"),
        "{plan}"
    );
    for (change, said) in [
        (
            config("\"bash\", \"-e\", \"{source}\""),
            "holds another run",
        ),
        (
            config("\"no-such-program\", \"{source}\""),
            "needs `no-such-program`",
        ),
        (
            config("\"bash\"").replace("run =", "runs ="),
            "unknown key `runs`",
        ),
        (
            config("\"bash\"").replace("[\".first\"]", "[\"\"]"),
            "the end of a file name",
        ),
    ] {
        fs::write(folder.join("own.toml"), change).unwrap();
        let out = arena(folder, &["run", "own.toml", "--resume"]);
        assert_eq!(out.status.code(), Some(3));
        assert!(
            text(&out.stderr).contains(said),
            "{said}: {}",
            text(&out.stderr)
        );
    }
}

/// A bot reads its own folder, and neither what was compiled of others nor the folders of others.
#[test]
fn others_stay_closed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let start = folder.join("start");
    for bot in ["mine", "other"] {
        fs::create_dir_all(start.join(bot)).unwrap();
        fs::write(start.join(bot).join("secret"), "x").unwrap();
    }
    let other = start.join("cache/arena/compiled/0");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("secret"), "x").unwrap();
    copy("tests/languages/bot.sh", &start.join("mine/bot.sh"));
    let honest = fs::read_to_string(start.join("mine/bot.sh")).unwrap();
    let tries = format!(
        "for f in mine/secret other/secret cache/arena/compiled/0/secret; do [ -r {0}/$f ] && cat {0}/$f >/dev/null 2>&1 && echo read $f >&2; done\nexit 1\n",
        start.display()
    );
    fs::write(start.join("mine/bot.sh"), tries).unwrap();
    let out = arena(&start, &["check", "onitama", "mine/bot.sh"]);
    let said = text(&out.stdout);
    if arena(
        &start,
        &["check", "onitama", "sh -c 'cat other/secret >&2; exit 1'"],
    )
    .stdout
    .ends_with(b"x\n")
    {
        return; // Without landlock nothing is closed.
    }
    assert!(
        said.contains("read mine/secret")
            && !said.contains("read other")
            && !said.contains("read cache"),
        "{said}"
    );
    fs::write(start.join("mine/bot.sh"), honest).unwrap();
    assert_ready(&start, "onitama", "mine/bot.sh");
}

/// A link may have come with a bot.
#[test]
fn a_link_out_of_a_folder_is_closed() {
    if !closes_files() {
        return;
    }
    let (_folder, start, secret) = start_with_secret();
    let alice = start.join("alice");
    fs::create_dir(&alice).unwrap();
    let home = secret.parent().unwrap();
    programs::write_program(&alice.join("bk"), "#!/bin/sh\ncat \"$@\"\n");
    fs::write(home.join("secret.py"), "print('s3cr3t')\n").unwrap();
    fs::write(home.join("secret.sh"), "echo s3cr3t\n").unwrap();
    programs::write_program(&home.join("program"), "#!/bin/sh\necho s3cr3t\n");
    for (link, target) in [
        ("book", "shadow"),
        ("away", ""),
        ("bot.sh", "secret.sh"),
        ("bot.py", "secret.py"),
        ("program", "program"),
    ] {
        symlink(home.join(target), alice.join(link)).unwrap();
    }
    fs::write(alice.join("own"), "fine").unwrap();
    symlink("own", alice.join("inside")).unwrap();
    let out = arena(&start, &["start", "--", "alice/bk", "alice/inside"]);
    assert_eq!(text(&out.stdout), "fine", "{}", text(&out.stderr));
    // A link that is the bot itself opens the file that it names, and nothing beside it.
    let beside = |name: &str| home.join(name).display().to_string();
    for command in [
        &["alice/bot.sh"][..],
        &["alice/away/secret.sh"],
        &["sh", "alice/bot.sh"],
        &["python3", "alice/bot.py"],
        &["python3", "alice/away/secret.py"],
        &["alice/program"],
    ] {
        let out = arena(&start, &[&["start", "--"], command].concat());
        let said = text(&out.stderr);
        assert_eq!(text(&out.stdout), "s3cr3t\n", "{command:?}: {said}");
        assert!(!said.contains("is a link"), "{command:?}: {said}");
    }
    let spy = format!("#!/bin/sh\ncat {}\n", beside("shadow"));
    programs::write_program(&home.join("spy"), &spy);
    symlink(home.join("spy"), alice.join("spy")).unwrap();
    for spy in ["alice/spy", "alice/away/spy"] {
        let said = programs::said(&arena(&start, &["start", "--", spy]));
        assert!(!said.contains("s3cr3t"), "{spy}: {said}");
        assert!(said.contains("ermission denied"), "{spy}: {said}");
    }
    for (command, target) in [
        (&["alice/bk", "alice/book"][..], "shadow"),
        (&["alice/bk", "alice/away/shadow"], "shadow"),
        (&["cat", "-u", "alice/book"], "shadow"),
        (&["/bin/cat", "alice/book"], "shadow"),
    ] {
        let target = home.join(target).display().to_string();
        for mode in ["auto", "strict"] {
            let out = arena(
                &start,
                &[&["start", "--sandbox", mode, "--"], command].concat(),
            );
            let said = text(&out.stderr);
            assert!(!out.status.success(), "{command:?} {mode}: {said}");
            let told = text(&out.stdout) + &said;
            assert!(!told.contains("s3cr3t"), "{command:?} {mode}: {told}");
            let advice =
                format!("is a link to {target}; if you trust it, add `read = [\"{target}\"]`");
            // Strict refuses a system without all features first.
            assert!(
                said.contains(&advice) || said.contains("unavailable"),
                "{command:?} {mode}: {said}"
            );
        }
        let read = format!("--read={target}");
        let out = arena(&start, &[&["start", &read, "--"], command].concat());
        let said = text(&out.stderr);
        assert!(text(&out.stdout).contains("s3cr3t"), "{command:?}: {said}");
        assert!(!said.contains("is a link"), "{command:?}: {said}");
    }
}

/// Links to installations, virtual environments and version managers need no flag.
#[test]
fn what_path_finds_is_open_through_links() {
    if !closes_files() {
        return;
    }
    let (folder, start, _) = start_with_secret();
    let at = |name: &str| folder.path().join(name);
    for place in [
        "inst/bin",
        "inst/lib",
        "path",
        "venv/bin",
        "vm/shims",
        "vm/versions/1/bin",
        "vm/versions/1/lib",
    ] {
        fs::create_dir_all(at(place)).unwrap();
    }
    for tool in ["inst/bin/tool", "vm/versions/1/bin/managed"] {
        copy_program("/bin/sh", &at(tool));
    }
    for data in ["inst/lib/data", "vm/versions/1/lib/data", "venv/pyvenv.cfg"] {
        fs::write(at(data), data).unwrap();
    }
    programs::write_program(&at("vm/shims/managed"), "#!/bin/sh\n");
    for (link, target) in [
        ("path/tool", "inst/bin/tool"),
        ("venv/bin/tool", "inst/bin/tool"),
        ("venv/bin/system", "/bin/sh"),
        ("venv/bin/managed", "vm/versions/1/bin/managed"),
    ] {
        symlink(at(target), at(link)).unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let paths = [
        path.clone(),
        format!(
            "{}:{}:{path}",
            at("path").display(),
            at("vm/shims").display()
        ),
    ];
    let script = |name: &str, first: &str, data: &str| {
        let text = format!("#!{first}\ncat {}\n", at(data).display());
        programs::write_program(&start.join(name), &text);
    };
    script("env", "/usr/bin/env tool", "inst/lib/data");
    script("split", "/usr/bin/env -S tool -e", "inst/lib/data");
    script(
        "direct",
        &at("path/tool").display().to_string(),
        "inst/lib/data",
    );
    let cat = |data: &str| format!("cat {}", at(data).display());
    let [inst, vm, venv] = ["inst/lib/data", "vm/versions/1/lib/data", "venv/pyvenv.cfg"].map(cat);
    for (command, needs_path) in [
        (&["./env"][..], true),
        (&["./split"], true),
        (&["./direct"], true),
        (&["tool", "-c", &inst], true),
        (&["../venv/bin/tool", "-c", &inst], true),
        (&["../venv/bin/tool", "-c", &venv], true),
        (&["../venv/bin/managed", "-c", &vm], true),
        (&["../venv/bin/managed", "-c", &venv], true),
        (&["../venv/bin/system", "-c", &venv], false),
        (&["../inst/bin/tool", "-c", &inst], true),
    ] {
        for (path, works) in paths.iter().zip([!needs_path, true]) {
            let mut arena = programs::command(&start, &[&["start", "--"], command].concat());
            let out = arena.env("PATH", path).output().unwrap();
            let said = text(&out.stderr);
            assert_eq!(out.status.success(), works, "{command:?}: {said}");
            let is_link_told = said.contains("because it is a link to");
            let is_link = command[0].starts_with("../venv");
            assert_eq!(is_link_told, is_link && !works, "{command:?}: {said}");
        }
    }
    // The warning says what makes it work.
    let out = arena(&start, &["start", "--", "../venv/bin/managed", "-c", &vm]);
    let said = text(&out.stderr);
    let (_, read) = said.split_once("read = [\"").unwrap();
    let read = format!("--read={}", read.split_once('"').unwrap().0);
    let out = arena(
        &start,
        &["start", &read, "--", "../venv/bin/managed", "-c", &vm],
    );
    assert!(out.status.success(), "{read}: {}", text(&out.stderr));
}

/// uv, for instance, keeps its installations in a folder that isn't in PATH.
#[test]
fn a_virtual_environment_opens_its_python() {
    if !closes_files() {
        return;
    }
    let (folder, start, _) = start_with_secret();
    let at = |name: &str| folder.path().join(name);
    let library = at(".uv/1.2.3/lib/python1.2/os.py");
    let secret = at("rival/lib/secret");
    for file in [&library, &secret] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "s3cr3t").unwrap();
    }
    for (program, name) in [(".uv/1.2.3/bin", "python1.2"), ("rival/bin", "python")] {
        fs::create_dir_all(at(program)).unwrap();
        copy_program("/bin/sh", &at(program).join(name));
    }
    symlink("1.2.3", at(".uv/1")).unwrap();
    for (target, home, read, is_open) in [
        (".uv/1.2.3/bin/python1.2", ".uv/1/bin", &library, true),
        (".uv/1.2.3/bin/python1.2", "rival/bin", &library, false),
        (".uv/1.2.3/bin/python1.2", ".uv/1/bin", &secret, false),
        // This is no Python.
        ("rival/bin/python", "rival/bin", &secret, false),
        ("rival/bin/python", ".uv/1/bin", &secret, false),
    ] {
        let venv = start.join(".venv");
        fs::create_dir_all(venv.join("bin")).unwrap();
        symlink(at(target), venv.join("bin/python")).unwrap();
        let settings = format!("home = {}\nversion = 1.2\n", at(home).display());
        fs::write(venv.join("pyvenv.cfg"), settings).unwrap();
        let script = format!("cat {}", read.display());
        let words = ["start", "--", ".venv/bin/python", "-c", &script];
        let mut arena = programs::command(&start, &words);
        let said = programs::said(&arena.env("HOME", folder.path()).output().unwrap());
        assert_eq!(said.contains("s3cr3t"), is_open, "{target} {home}: {said}");
        fs::remove_dir_all(venv).unwrap();
    }
}

/// League folders often lie on another disk.
#[test]
fn links_to_the_folders_of_a_user_need_no_flag() {
    if !closes_files() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for place in ["disk/league/alice", "srv", "home"] {
        fs::create_dir_all(at(place)).unwrap();
    }
    programs::write_program(&at("disk/league/alice/bot"), "#!/bin/sh\ncat \"$@\"\n");
    fs::write(at("disk/league/alice/book"), "fine").unwrap();
    symlink(at("disk/league"), at("srv/league")).unwrap();
    symlink(at("disk/league"), at("home/bots")).unwrap();
    // As an administrator does, where we may.
    let in_srv = tempfile::Builder::new()
        .make_in("/srv", |link| symlink(at("disk/league"), link))
        .ok();
    let mut cases = vec![
        ("disk/league", at("srv/league/alice")),
        ("home", at("home/bots/alice")),
        ("home", PathBuf::from("bots/alice")),
        ("srv", at("home/bots/alice")),
    ];
    if let Some(link) = &in_srv {
        cases.push(("disk/league", link.path().join("alice")));
        cases.push(("srv", link.path().join("alice")));
    }
    for (start, bot) in cases {
        let [program, book] = ["bot", "book"].map(|name| bot.join(name).display().to_string());
        let mut arena = programs::command(&at(start), &["start", "--", &program, &book]);
        // A shell that went there through the link.
        arena.env("HOME", at("home")).env("PWD", at("srv/league"));
        let out = arena.output().unwrap();
        let said = text(&out.stderr);
        assert_eq!(text(&out.stdout), "fine", "{start} {program}: {said}");
        assert!(!said.contains("is a link"), "{start} {program}: {said}");
    }
}

/// A hint on a closed interpreter is about the sandbox only if there is one.
#[test]
fn a_hint_does_not_blame_a_sandbox_that_is_off() {
    let (folder, start, _) = start_with_secret();
    let other = folder.path().join("interpreter");
    fs::write(&other, "").unwrap();
    let first = format!("#!{}\n", other.display());
    programs::write_program(&start.join("bot"), &first);
    let out = arena(&start, &["start", "--sandbox", "off", "./bot"]);
    let said = text(&out.stderr);
    assert!(said.contains("Permission denied"), "{said}");
    assert!(!said.contains("the sandbox closes"), "{said}");
    assert!(
        said.contains("you may not execute its interpreter"),
        "{said}"
    );
}

/// The author of a bot chose its first line and its links. PATH may lead to a folder of the user.
#[test]
fn what_path_finds_opens_no_neighbours() {
    if !closes_files() {
        return;
    }
    let (folder, start, _) = start_with_secret();
    let at = |name: &str| folder.path().join(name);
    for place in ["work/deploy", "path", "start/alice"] {
        fs::create_dir_all(at(place)).unwrap();
    }
    let secret = at("work/deploy/secret");
    fs::write(&secret, "s3cr3t").unwrap();
    let text_of = |first: &str| format!("#!{first}\ncat {} && echo\n", secret.display());
    programs::write_program(&at("work/deploy/run"), &text_of("/bin/sh"));
    let deploy = at("path/deploy").display().to_string();
    for (script, first) in [("env", "/usr/bin/env deploy"), ("direct", &deploy)] {
        programs::write_program(&start.join("alice").join(script), &text_of(first));
    }
    for link in ["path/deploy", "start/alice/deploy"] {
        symlink(at("work/deploy/run"), at(link)).unwrap();
    }
    let path = format!("{}:{}", at("path").display(), programs::search_path());
    for (command, is_open) in [
        ("alice/env", false),
        ("alice/direct", false),
        ("alice/deploy", false),
        // The user wrote this.
        ("deploy", true),
    ] {
        let mut arena = programs::command(&start, &["start", "--", command]);
        let out = arena.env("PATH", &path).output().unwrap();
        let said = programs::said(&out);
        assert_eq!(said.contains("s3cr3t"), is_open, "{command}: {said}");
        // Its program is started.
        assert!(is_open || said.contains("cat: "), "{command}: {said}");
    }
}

/// A tool such as direnv adds folders of a project to PATH.
#[test]
fn a_path_below_the_start_folder_opens_no_bots() {
    if !closes_files() {
        return;
    }
    let (_folder, start, _) = start_with_secret();
    for place in ["bin", "lib", "tools/bin", "tools/lib", "rival", "mine"] {
        fs::create_dir_all(start.join(place)).unwrap();
        fs::write(start.join(place).join("data"), "").unwrap();
    }
    fs::write(start.join("mine/bot.any"), "text").unwrap();
    fs::write(start.join("other.sh"), "").unwrap();
    let config = "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\n\
        [language.any]\nextensions = [\"any\"]\ncompile = [\"compile\", \"{out}\", \"{source}\"]\nrun = [\"{out}\"]\n\
        [[bot]]\nname = \"a\"\ncommand = \"mine/bot.any\"\n[[bot]]\nname = \"b\"\ncommand = \"sh other.sh\"\n";
    fs::write(start.join("c.toml"), config).unwrap();
    for (place, data, is_open) in [
        ("bin", "rival/data", false),
        ("bin", "lib/data", false),
        ("", "rival/data", false),
        ("rival", "rival/data", false),
        ("tools/bin", "rival/data", false),
        ("tools/bin", "tools/lib/data", true),
    ] {
        let program = start.join(place).join("compile");
        let text = format!("#!/bin/sh\ncat {data} && cp /bin/false $1\n");
        programs::write_program(&program, &text);
        let path = format!(
            "{}:{}",
            start.join(place).display(),
            programs::search_path()
        );
        let mut arena = programs::command(&start, &["run", "c.toml", "--force"]);
        // Nor does a variable of a toolchain open it.
        arena.env("PATH", path).env("GOROOT", &start);
        let out = arena.output().unwrap();
        let said = programs::said(&out);
        let is_refused = said.contains("compile `mine/bot.any`") && said.contains("cat: ");
        assert_eq!(is_refused, !is_open, "{place} {data}: {said}");
        fs::remove_file(program).unwrap();
    }
}

/// The folders of scripts, class paths and modules that a command names are open to the bot.
#[test]
fn what_a_command_names_is_open() {
    if !found().iter().any(|end| end == "py") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start");
    for name in ["start", "lib", "bot"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let (lib, bot): (PathBuf, PathBuf) = (folder.path().join("lib"), folder.path().join("bot"));
    copy("starters/onitama/bot.py", &lib.join("player.py"));
    fs::write(bot.join("beside.py"), "import player\n").unwrap();
    fs::write(bot.join("main.py"), "import beside\n").unwrap();
    let config = format!(
        "[run]\nseed = 1\nname = \"own\"\ngame = \"onitama\"\ngames = 2\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [[bot]]\nname = \"a\"\ncommand = \"{0}/main.py\"\nenv = {{ PYTHONPATH = \"{1}\" }}\n\
         [[bot]]\nname = \"b\"\ncommand = \"python3 {0}/main.py\"\nenv = {{ PYTHONPATH = \"{1}\" }}\n",
        bot.display(),
        lib.display()
    );
    fs::write(start.join("own.toml"), config).unwrap();
    let out = arena(&start, &["run", "own.toml", "--quiet"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(
        !text(&out.stdout).contains("crashed"),
        "{}",
        text(&out.stdout)
    );
}

/// The beginning of a config with sources that are compiled by a shell, which runs them with the
/// program to write.
const SHELL: &str = "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\n[language.any]\nextensions = [\"any\"]\n\
    compile = [\"sh\", \"{source}\", \"{out}\"]\nrun = [\"sh\", \"{out}\"]\n";
/// A source that such a shell compiles.
const FINE: &str = "echo exit 7 > \"$1\"\n";

/// Runs a config with a bot for each of these sources, which have a folder each. Returns what arena
/// said, and how many programs and caches it kept.
fn compile(folder: &Path, config: &str, sources: &[(&str, &str)]) -> (String, [usize; 2]) {
    let mut config = config.to_owned();
    for (name, source) in sources {
        let (stem, _) = name.split_once('.').unwrap();
        fs::create_dir_all(folder.join(stem)).unwrap();
        fs::write(folder.join(stem).join(name), source).unwrap();
        write!(
            config,
            "[[bot]]\nname = \"{stem}\"\ncommand = \"{stem}/{name}\"\n"
        )
        .unwrap();
    }
    fs::write(folder.join("c.toml"), config).unwrap();
    let mut arena = programs::command(folder, &["run", "c.toml", "--force"]);
    let cache = folder.join("cache");
    arena.env("XDG_CACHE_HOME", &cache).env("OF_TEST", &cache);
    let out = arena.output().unwrap();
    let left = programs::survivors("OF_TEST", cache.to_str().unwrap());
    assert!(left.is_empty(), "{left:?}");
    let kept = ["compiled", "toolchains"].map(|kind| {
        let entries = fs::read_dir(cache.join("arena").join(kind)).unwrap();
        entries
            .filter(|entry| entry.as_ref().unwrap().path().is_dir())
            .count()
    });
    assert_eq!(out.status.code(), Some(3), "{}", programs::said(&out));
    (text(&out.stderr), kept)
}

/// The other bots of the config are compiled.
#[test]
fn a_compilation_that_never_ends_is_killed() {
    let cpp = "template<unsigned long N, unsigned long M> struct F {\n  \
        static constexpr unsigned v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v;\n};\n\
        template<unsigned long M> struct F<0, M> { static constexpr unsigned v = M; };\n\
        int main() { return F<60, 0>::v; }\n";
    let haskell = "{-# LANGUAGE TemplateHaskell #-}\nimport Language.Haskell.TH\nmain :: IO ()\n\
        main = print $(let loop n = runIO (return ()) >> loop (n + 1 :: Integer) in loop 0)\n";
    let nim = "const never = staticExec(\"while :; do :; done\")\necho never\n";
    let outside = "setsid sh -c 'setsid sleep 1000 & sleep 1000' & wait\n";
    let mut config = SHELL.to_owned();
    for (name, extension, compile) in [
        ("cpp", "cpp", "g++ -std=c++20 -o {out} {source}"),
        (
            "haskell",
            "hs",
            "ghc -v0 -outputdir {dir} -o {out} {source}",
        ),
        (
            "nim",
            "nim",
            "nim compile --hints:off --nimcache:{dir}/nimcache -o:{out} {source}",
        ),
        ("slow", "slow", "sh {source}"),
    ] {
        write!(
            config,
            "[language.{name}]\nextensions = [\"{extension}\"]\ncompile = \"{compile}\"\nrun = \"{{out}}\"\ncompile_s = 1\n"
        )
        .unwrap();
    }
    let mut sources = vec![
        ("endless.cpp", cpp),
        ("template.hs", haskell),
        ("exec.nim", nim),
        ("outside.slow", outside),
    ];
    let found = found();
    sources.retain(|(name, _)| {
        let (_, end) = name.split_once('.').unwrap();
        end == "slow" || found.iter().any(|found| found == end)
    });
    let endless = sources.len();
    sources.push(("fine.any", FINE));
    let folder = tempfile::tempdir().unwrap();
    let (said, kept) = compile(folder.path(), &config, &sources);
    for (name, _) in &sources[..endless] {
        let (stem, _) = name.split_once('.').unwrap();
        let begin = format!("can't start bot `{stem}`: compile `{stem}/{name}` with `");
        assert!(said.contains(&begin), "{name}: {said}");
    }
    let why =
        "`: killed by the arena: it took longer than 1 s\nhint: if the source is fine, `build`";
    assert_eq!(said.matches(why).count(), endless, "{said}");
    assert_eq!(said.matches("can't start").count(), endless, "{said}");
    assert!(said.contains("compiling fine/fine.any"), "{said}");
    assert_eq!(kept, [1, 1], "{said}");
}

#[test]
fn a_compilation_is_watched_as_a_bot_is() {
    if !closes_files() || !found().iter().any(|end| end == "py") {
        return;
    }
    let many_files = |place: &str| {
        format!(
            "cd \"{place}\" && exec python3 -c '\nimport time\nfor name in range(12_000):\n    open(str(name), \"w\").close()\ntime.sleep(1000)'"
        )
    };
    let [output, temporary, cache] = ["${1%/*}", "$HOME", "$XDG_CACHE_HOME"].map(many_files);
    let threads = "exec python3 -c '\nimport threading, time\nthreading.stack_size(65536)\n\
        for _ in range(600):\n    threading.Thread(target=time.sleep, args=(1000,)).start()'";
    let processes = "for i in $(seq 600); do setsid sleep 1000 & done; wait";
    let deep = "cd \"$XDG_CACHE_HOME\" && exec python3 -c '\nimport os, time\nfor _ in range(3000):\n    \
        os.mkdir(\"x\")\n    os.chdir(\"x\")\ntime.sleep(1000)'";
    let sources = [
        ("threads.any", threads),
        ("processes.any", processes),
        ("output.any", &output),
        ("temporary.any", &temporary),
        ("cache.any", &cache),
        ("deep.any", deep),
        ("fine.any", FINE),
    ];
    let folder = tempfile::tempdir().unwrap();
    let (said, kept) = compile(folder.path(), SHELL, &sources);
    let threads =
        "`: killed by the arena: its processes had more than 512 threads together\nhint: ";
    let files = "`: killed by the arena: its files took more than 1024 MB, were more than 10000,";
    let counts = [threads, files].map(|why| said.matches(why).count());
    assert_eq!(counts, [2, 4], "{said}");
    assert_eq!(kept, [1, 1], "{said}");
}

/// Nobody would count what it takes.
#[test]
fn a_process_that_leaves_its_compiler_is_killed_at_once() {
    if !closes_files() {
        return;
    }
    // The pipe is open until the last process that writes to it has ended.
    let orphan = "(setsid sleep 1000 &) | cat\n".to_owned() + FINE;
    let folder = tempfile::tempdir().unwrap();
    let sources = [("orphan.any", &*orphan), ("not.any", "exit 1")];
    let (said, kept) = compile(folder.path(), SHELL, &sources);
    assert!(!said.contains("can't start bot `orphan`"), "{said}");
    assert_eq!(kept, [1, 1], "{said}");
}

/// A source could put something there that the compiler of a rival finds.
#[test]
fn the_cache_of_a_toolchain_is_for_the_next_version_alone() {
    if !closes_files() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let rival = "cd \"$XDG_CACHE_HOME\"\nfound=$( (ls ..; cat note ../*/note; find ../.. -name note) 2> \"$HOME/errors\")\n\
        [ -z \"$found\" ] || exit 1 # after ";
    for (first, is_fine, caches) in [
        ("echo s3cr3t > note", true, 2),
        ("grep s3cr3t note || exit 1 # next", true, 2),
        ("exit 1", false, 1),
        ("[ ! -e note ] || exit 1", true, 2),
    ] {
        let rival = format!("{rival}{first}\n{FINE}");
        let first = format!("cd \"$XDG_CACHE_HOME\"; {first}\n{FINE}");
        let sources = [
            ("first.any", &*first),
            ("rival.any", &rival),
            ("not.any", "exit 1"),
        ];
        let (said, kept) = compile(folder.path(), SHELL, &sources);
        let fails = |name: &str| said.contains(&format!("can't start bot `{name}`"));
        assert_eq!(!fails("first"), is_fine, "{first}: {said}");
        assert!(!fails("rival"), "{first}: {said}");
        assert_eq!(kept[1], caches, "{first}: {said}");
    }
}
