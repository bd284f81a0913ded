//! Bots as people write them: a source file is a bot, in every language that is found here.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::programs::{
    PATIENT, Said as _, bots, cached, caching, closes_files, copy_program, in_project,
    number_before, read, said, search_path, shell, stderr, stdout, survivors, table, write_program,
};

/// The ends of the names of source files that can be played here.
fn found() -> Vec<String> {
    let mut ends = Vec::new();
    for line in stdout(&cached(Path::new("."), "list languages")).lines() {
        if line.contains("  yes  ") {
            for word in line.split_whitespace() {
                ends.extend(word.strip_prefix('.').map(str::to_owned));
            }
        }
    }
    ends
}

/// Returns whether source files with this end can be played here.
fn plays(end: &str) -> bool {
    found().iter().any(|found| found == end)
}

fn copy(from: &str, to: &Path) {
    fs::copy(in_project(from), to).unwrap();
}

fn assert_ready(folder: &Path, file: &str) {
    let out = cached(
        folder,
        &format!("check onitama --seeds 1 {PATIENT} -- {file}"),
    );
    out.status(0).contains("ready to play");
}

/// One small bot for every other language. CI plays those whose compilers it has; `apt install` of
/// what `arena list languages` names brings the others.
#[test]
fn every_language_that_is_here_plays() {
    let found = found();
    let folder = tempfile::tempdir().unwrap();
    let mut played = 0;
    for bot in fs::read_dir(in_project("tests/languages")).unwrap() {
        let bot = bot.unwrap().file_name().into_string().unwrap();
        if found.iter().any(|end| bot.ends_with(&format!(".{end}"))) {
            copy(&format!("tests/languages/{bot}"), &folder.path().join(&bot));
            assert_ready(folder.path(), &bot);
            played += 1;
        }
    }
    assert!(played > 0, "a shell at least is here: {found:?}");
}

/// A line of the JavaScript that it was compiled to would help nobody.
#[test]
fn a_trace_of_typescript_names_its_lines() {
    if !plays("ts") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bot = "interface Grid {\n  size: number;\n}\n\nthrow new Error(readline()!);\n";
    fs::write(folder.path().join("bot.ts"), bot).unwrap();
    cached(folder.path(), "start -- bot.ts").contains("bot.ts:5:7");
}

#[test]
fn a_bot_in_two_files_is_compiled_once_and_again_when_either_changes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let main = "#[path = \"player.rs\"]\nmod player;\n\nfn main() {\n    player::main();\n}\n";
    fs::write(folder.join("two.rs"), main).unwrap();
    let source = read(&in_project("."), "starters/onitama/bot.rs");
    let source = source.replace("\nfn main()", "\npub fn main()");
    fs::write(folder.join("player.rs"), &source).unwrap();
    let play = |out: &str| {
        let duel = format!("duel onitama two.rs two.rs --games 2 --out {out} {PATIENT}");
        let played = cached(folder, &duel);
        played.status(0);
        stderr(&played).matches("compiling two.rs").count()
    };
    assert_eq!([play("first"), play("second")], [1, 0]);
    fs::write(folder.join("player.rs"), source + "\n// changed\n").unwrap();
    assert_eq!(play("third"), 1);
    // What is damaged is compiled again.
    for entry in fs::read_dir(folder.join("cache/arena/compiled")).unwrap() {
        let program = entry.unwrap().path().join("bot");
        if program.exists() {
            fs::write(program, "no program").unwrap();
        }
    }
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
    // The exit status is the sum.
    let started = |flags: &str| {
        let out = cached(
            &at(""),
            &format!("start --read ../outside.h {flags} -- bot.c"),
        );
        let compiled = stderr(&out).matches("compiling bot.c").count();
        (out.status.code().unwrap(), compiled)
    };
    assert_eq!([started(""), started("")], [(3, 1), (3, 0)]);
    for file in files {
        // Its size stays the same, and perhaps its time.
        for (number, times) in [(4, 1), (5, 1), (1, 0)] {
            fs::write(at(file), number.to_string()).unwrap();
            let found = [started(""), started("")];
            assert_eq!(found, [(2 + number, times), (2 + number, 0)], "{file}");
        }
    }
    fs::write(at(".git/index"), "of no matter").unwrap();
    assert_eq!(started(""), (3, 0));
    // Without a sandbox a compiler may read any other file.
    let off = "--sandbox off";
    fs::write(at("part.h"), "2").unwrap();
    assert_eq!([started(off), started(off)], [(4, 1), (4, 1)]);
    assert_eq!([started(""), started(off)], [(4, 1), (4, 0)]);
}

#[test]
fn a_bot_among_too_many_files_is_compiled_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let page = "reference/languages.md";
    let most = number_before(page, " files or 1 GB to read, arena compiles for every run");
    fs::write(folder.join("bot.c"), "int main(void) { return 7; }\n").unwrap();
    let compiled = || {
        let out = cached(folder, "start -- bot.c");
        stderr(out.status(7)).contains("compiling bot.c")
    };
    fs::create_dir(folder.join("data")).unwrap();
    for number in 1..most {
        File::create(folder.join(format!("data/{number}"))).unwrap();
    }
    assert_eq!([compiled(), compiled()], [true, false]);
    File::create(folder.join("data/0")).unwrap();
    assert_eq!([compiled(), compiled()], [true, true]);
    fs::remove_dir_all(folder.join("data")).unwrap();
    let large = File::create(folder.join("data")).unwrap();
    large.set_len((1 << 30) + 1).unwrap();
    assert_eq!([compiled(), compiled()], [true, true]);
}

#[test]
fn the_cache_of_a_source_is_kept_as_long_as_the_page_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let days = number_before("reference/languages.md", " days. You may remove it");
    let caches = folder.join("cache/arena/toolchains");
    for (name, days) in [("younger", days - 1), ("older", days + 1)] {
        let cache = caches.join(name);
        fs::create_dir_all(&cache).unwrap();
        let age = Duration::from_secs(24 * 60 * 60) * u32::try_from(days).unwrap();
        let cache = File::open(cache).unwrap();
        cache.set_modified(SystemTime::now() - age).unwrap();
    }
    fs::write(folder.join("bot.c"), "int main(void) { return 7; }\n").unwrap();
    cached(folder, "start -- bot.c").status(7);
    assert!(caches.join("younger").exists());
    assert!(!caches.join("older").exists());
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
        "#;
    let config = config.to_owned() + &bots("a | bot.any\n b | bot.any");
    fs::write(folder.join("c.toml"), config).unwrap();
    // The sandbox opens the file and not its folder, so a new file wouldn't be open.
    let source = |text: &str| fs::write(folder.join("bot.any"), text).unwrap();
    source("exit 1\n");
    let mut arena = caching(folder, "run c.toml --force");
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
    arena.output().unwrap().contains("exit code 1");
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
    let incbin = format!(
        r#"__asm__(".data\ntext: .incbin \"{path}\"\n.byte 0\n.text"); extern char text[];"#
    );
    let include = |file: &str| c(&format!("static char text[] =\n#include \"{file}\"\n;"));
    let bytes = format!("fn main() {{ print!(\"{{}}\", include_str!(\"{path}\")); }}\n");
    for (name, source) in [
        ("asm.c", &c(&incbin)),
        ("include.c", &include(&path.to_string())),
        ("link.c", &include("link")),
        ("bytes.rs", &bytes),
    ] {
        fs::write(start.join(name), source).unwrap();
        for mode in ["auto", "strict"] {
            let out = cached(&start, &format!("start --sandbox {mode} {name}"));
            out.status(3).lacks("s3cr3t");
            // Strict refuses a system without all features before anything is compiled.
            if mode == "auto" {
                out.contains("compile `");
            }
        }
        // It is the sandbox that refused it.
        let out = cached(&start, &format!("start --read={path} {name}"));
        assert!(stdout(&out).contains("s3cr3t"), "{name}: {out:?}");
    }
    // The folder of a source isn't its own if a link leads there.
    let private = secret.with_file_name("private");
    fs::create_dir(&private).unwrap();
    fs::copy(&secret, private.join("shadow")).unwrap();
    fs::write(private.join("whole.c"), include("shadow")).unwrap();
    symlink(&private, start.join("away")).unwrap();
    cached(&start, "start away/whole.c")
        .status(3)
        .lacks("s3cr3t");
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
    cached(folder.path(), "start bots/mine/bot.c").status(7);
    // A home folder is closed, except for the source.
    let home = folder.path().join("bots/mine");
    fs::write(home.join("alone.c"), "int main(void) { return 8; }\n").unwrap();
    let start = |bot: &str| {
        let mut command = caching(&home, &format!("start {bot}"));
        let cache = folder.path().join("cache");
        command.env("HOME", &home).env("XDG_CACHE_HOME", cache);
        command.output().unwrap()
    };
    start("alone.c").status(8);
    if closes_files() {
        start("bot.c").status(3).contains("`--read`");
    } else {
        start("bot.c").status(7);
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
    let port = server.local_addr().unwrap().port().to_string();
    let tries = "
        echo x > {source} | refused
        echo x > grown | refused
        echo x > ../grown | refused
        cat ../shadow | refused
        bash -c '</dev/tcp/127.0.0.1/PORT' | refused
        ln -s $PWD/../shadow {dir}/link | refused
        cp ../shadow {dir}/copy | refused
        cat {source} | fine
        echo x > $HOME/kept && echo x > {dir}/kept | fine
        chmod 700 {out} | fine
        # Compilers do that, and must not fail. Nothing of it happens.
        chmod 666 {source} ../shadow && chmod 4777 {source} | fine
        touch -d @0 {source} ../shadow | fine
        chown $(id -u) {source} | refused
        python3 -c 'import os; os.setxattr(\"{source}\", \"user.x\", b\"\")' | refused
        ";
    fs::write(start.join("bot.any"), "text").unwrap();
    let files = [start.join("bot.any"), secret.clone()];
    let state = || {
        files.each_ref().map(|path| {
            let file = fs::metadata(path).unwrap();
            (file.mode(), file.mtime(), fs::read(path).unwrap())
        })
    };
    let before = state();
    fs::write(start.join("other.sh"), "").unwrap();
    for [what, expected] in table(&tries.replace("PORT", &port)) {
        let shell = format!("cp /bin/false {{out}}; {what}");
        let config = format!(
            "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\n\
             [language.any]\nextensions = [\"any\"]\ncompile = [\"sh\", \"-c\", {shell:?}, \"{{source}}\"]\nrun = [\"{{out}}\"]\n{}",
            bots("a | bot.any\n b | sh other.sh")
        );
        fs::write(start.join("c.toml"), config).unwrap();
        let said = said(&cached(&start, "run c.toml --force"));
        let is_refused = said.contains("compile `bot.any`");
        assert_eq!(is_refused, expected == "refused", "{what}: {said}");
    }
    assert_eq!(state(), before);
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
        "##;
    let config = config.to_owned() + &bots("a | bot.any\n b | bot.any");
    fs::write(start.join("c.toml"), config).unwrap();
    let cache = folder.path().join("cache");
    let mut arena = caching(&start, "run c.toml");
    let out = arena.env("XDG_CACHE_HOME", &cache).output().unwrap();
    out.contains("exit code 7");
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
    let config = r#"
        [run]
        name = "r"
        game = "onitama"
        games = 2
        [clock]
        first_turn_ms = 60000
        turn_ms = 60000
        [[bot]]
        name = "a"
        command = "bash bot.sh"
        build = ["cp", "../shadow", "../copy"]
        [[bot]]
        name = "b"
        command = "bash bot.sh"
        "#;
    fs::write(start.join("c.toml"), config).unwrap();
    cached(&start, "run c.toml").status(0);
    assert!(folder.path().join("copy").exists());
}

/// A run continues only with the bot that began it.
#[test]
fn a_run_does_not_go_on_with_another_part() {
    if !plays("py") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy("starters/onitama/bot.py", &folder.join("player.py"));
    fs::write(folder.join("a.py"), "import player\nplayer.main()\n").unwrap();
    let duel = |flags: &str| {
        let duel = "duel onitama a.py player.py --games 2 --out out";
        cached(folder, &format!("{duel} {PATIENT} {flags}"))
    };
    let lose_a_game = || {
        let records = read(folder, "out/records.jsonl");
        let first = records.lines().next().unwrap().to_owned() + "\n";
        fs::write(folder.join("out/records.jsonl"), first).unwrap();
        for name in ["summary.json", "games.csv"] {
            fs::remove_file(folder.join("out").join(name)).unwrap();
        }
    };
    duel("").status(0);
    lose_a_game();
    // Nothing has changed.
    duel("--resume").status(0);
    lose_a_game();
    let player = read(folder, "player.py");
    fs::write(folder.join("player.py"), player + "\n# changed\n").unwrap();
    duel("--resume").status(3).contains("player.py has changed");
}

#[test]
fn a_compiler_that_writes_nothing_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.none"), "").unwrap();
    let config = r#"
        [run]
        seed = 1
        game = "onitama"
        games = 2
        [language.none]
        extensions = ["none"]
        compile = ["true", "{source}"]
        run = ["{out}"]
        "#;
    let config = config.to_owned() + &bots("a | a.none\n b | a.none");
    let other = "[language.other]\nextensions = ['none']\nrun = ['sh', '{source}']\n[[bot]]";
    for (right, wrong, text) in [
        ("", "", "`true a.none`: it wrote no `"),
        ("{out}", "{uot}", "did you mean `out`?"),
        (", \"{source}\"", "", "expected `{source}` in one"),
        ("[[bot]]", other, "the same files"),
    ] {
        fs::write(folder.join("none.toml"), config.replacen(right, wrong, 1)).unwrap();
        cached(folder, "run none.toml").status(3).contains(text);
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
    let bot = read(&in_project("."), "tests/languages/bot.sh");
    let bot = format!("cat ../link >/dev/null || exit 3\n{bot}");
    fs::write(start.join("bot.sh"), bot).unwrap();
    copy("tests/languages/bot.sh", &start.join("other.sh"));
    let out = cached(&start, "check onitama --seeds 1 bot.sh");
    if out.status.success() {
        return; // Without landlock nothing is closed.
    }
    let weights = data.join("weights $1.txt").display().to_string();
    let advice = format!(
        "the sandbox closes {weights} to it; if you trust this bot, add --read '{weights}' (in a config, `read = [\"{weights}\"]`"
    );
    out.status(1).contains(&advice);
    let check = format!("check onitama --seeds 1 bot.sh {PATIENT}");
    let duel = format!("duel onitama other.sh bot.sh --games 2 {PATIENT}");
    cached(&start, &duel).status(3).contains(&advice);
    for args in [check, duel] {
        cached(&start, &format!("{args} --read '{weights}'")).status(0);
    }
}

/// A bot that fails in the sandbox on purpose isn't started without it.
#[test]
fn a_bot_is_never_started_outside_the_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start");
    fs::create_dir_all(&start).unwrap();
    let mark = folder.path().join("mark");
    let bot = format!("echo out > {} || exit 1\n", mark.display());
    fs::write(start.join("bot.sh"), bot).unwrap();
    copy("tests/languages/bot.sh", &start.join("other.sh"));
    let config = "[run]\nseed = 1\nname = 'r'\ngame = 'onitama'\ngames = 2\n";
    let config = config.to_owned() + &bots("a | sh bot.sh\n b | sh other.sh");
    fs::write(start.join("c.toml"), config).unwrap();
    for args in [
        "check onitama bot.sh",
        "duel onitama bot.sh other.sh",
        "run c.toml",
    ] {
        let out = cached(&start, args);
        if mark.exists() && stderr(&out).contains("the sandbox is incomplete") {
            return; // Without landlock nothing is closed.
        }
        assert!(!mark.exists(), "{args}");
        out.lacks("--sandbox off");
    }
}

/// What is printed to see a fault again shows it again.
#[test]
fn a_fault_is_seen_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy("tests/languages/bot.sh", &folder.join("good.sh"));
    let falls = "read -r line\necho \"fell over $line, seed $ARENA_SEED\" >&2\nexit 7\n";
    fs::write(folder.join("bad.sh"), falls).unwrap();
    // What is said where it is seen again.
    let again = |said: &str| {
        let (_, rest) = said.split_once("see it again: ").unwrap();
        let mut shell = shell(folder, rest.lines().next().unwrap());
        shell.env("XDG_CACHE_HOME", folder.join("cache"));
        let out = shell.output().unwrap();
        stderr(out.status(7))
    };
    let out = cached(folder, "check onitama bad.sh");
    assert_eq!(again(&stdout(&out)), "fell over 0, seed 1\n");
    // A run does not start with a bot that ends before its first answer. This one answers where it
    // is tried out, with seed 1.
    let later = "if [ \"$ARENA_SEED\" = 1 ]; then echo 0; exec sleep 60; fi\n".to_owned() + falls;
    fs::write(folder.join("later.sh"), later).unwrap();
    let duel = "duel onitama good.sh later.sh --games 2 --out 'my run'";
    let out = cached(folder, &format!("{duel} {PATIENT}"));
    assert!(again(&stderr(&out)).starts_with("fell over "), "{out:?}");
}

#[test]
fn what_a_compiler_says_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("bad.rs"), "fn main() { printn!(1) }\n").unwrap();
    for args in [
        "check onitama bad.rs",
        "duel onitama bad.rs bad.rs --out out",
    ] {
        let out = cached(folder, args);
        out.status(3).contains("rustc").contains("bad.rs:1:13");
        out.contains("cannot find macro `printn`");
        out.contains("hint: for several files, a config takes `build`");
    }
    let kept = fs::read_dir(folder.join("cache/arena/compiled")).unwrap();
    assert_eq!(kept.count(), 0, "nothing is kept of what failed");
    cached(folder, "check onitama bod.rs").contains("there is no file `bod.rs`");
}

/// A language of the config; its bots are played, continued and told apart like others.
#[test]
fn a_config_adds_a_language() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy("tests/languages/bot.sh", &folder.join("bot.first"));
    let config = r#"
        [run]
        seed = 1
        name = "own"
        game = "onitama"
        games = 2
        [clock]
        first_turn_ms = 60000
        turn_ms = 60000
        [language.first]
        extensions = [".first"]
        run = ["bash", "{source}"]
        "#;
    let config = config.to_owned() + &bots("a | bot.first\n b | ./bot.first");
    fs::write(folder.join("own.toml"), &config).unwrap();
    cached(folder, "run own.toml --quiet").status(0);
    let plan = read(folder, "results/own/plan.toml");
    assert!(plan.contains("[plan.language.first]"), "{plan}");
    assert!(plan.contains("command = [\"bot.first\"]"), "{plan}");
    for [from, to, text] in table(
        r#"
        "bash", | "bash", "-e", | holds another run
        "bash", | "no-such-program", | needs `no-such-program`
        run = | runs = | unknown key `runs`
        ".first" | "" | the end of a file name
        "#,
    ) {
        fs::write(folder.join("own.toml"), config.replace(from, to)).unwrap();
        cached(folder, "run own.toml --resume")
            .status(3)
            .contains(text);
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
    let tries = format!(
        "for f in mine/secret other/secret cache/arena/compiled/0/secret; do [ -r {0}/$f ] && cat {0}/$f >/dev/null 2>&1 && echo read $f >&2; done\nexit 1\n",
        start.display()
    );
    fs::write(start.join("mine/bot.sh"), tries).unwrap();
    let out = cached(&start, "check onitama mine/bot.sh");
    let other = cached(
        &start,
        "check onitama \"sh -c 'cat other/secret >&2; exit 1'\"",
    );
    if other.stdout.ends_with(b"x\n") {
        return; // Without landlock nothing is closed.
    }
    out.contains("read mine/secret");
    out.lacks("read other").lacks("read cache");
    copy("tests/languages/bot.sh", &start.join("mine/bot.sh"));
    assert_ready(&start, "mine/bot.sh");
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
    write_program(&alice.join("bk"), "#!/bin/sh\ncat \"$@\"\n");
    fs::write(home.join("secret.py"), "print('s3cr3t')\n").unwrap();
    fs::write(home.join("secret.sh"), "echo s3cr3t\n").unwrap();
    write_program(&home.join("program"), "#!/bin/sh\necho s3cr3t\n");
    for [link, target] in table(
        "
        book | shadow
        away | .
        bot.sh | secret.sh
        bot.py | secret.py
        program | program
        ",
    ) {
        symlink(home.join(target), alice.join(link)).unwrap();
    }
    fs::write(alice.join("own"), "fine").unwrap();
    symlink("own", alice.join("inside")).unwrap();
    cached(&start, "start -- alice/bk alice/inside").prints("fine");
    // A link that is the bot itself opens the file that it names, and nothing beside it.
    for command in [
        "alice/bot.sh",
        "alice/away/secret.sh",
        "sh alice/bot.sh",
        "python3 alice/bot.py",
        "python3 alice/away/secret.py",
        "alice/program",
    ] {
        let out = cached(&start, &format!("start -- {command}"));
        out.prints("s3cr3t\n").lacks("is a link");
    }
    let target = secret.display();
    write_program(&home.join("spy"), &format!("#!/bin/sh\ncat {target}\n"));
    symlink(home.join("spy"), alice.join("spy")).unwrap();
    for spy in ["alice/spy", "alice/away/spy"] {
        let out = cached(&start, &format!("start -- {spy}"));
        out.lacks("s3cr3t").contains("ermission denied");
    }
    let advice = format!("is a link to {target}; if you trust it, add `read = [\"{target}\"]`");
    for command in [
        "alice/bk alice/book",
        "alice/bk alice/away/shadow",
        "cat -u alice/book",
        "/bin/cat alice/book",
    ] {
        for mode in ["auto", "strict"] {
            let out = cached(&start, &format!("start --sandbox {mode} -- {command}"));
            assert!(!out.status.success(), "{command} {mode}");
            // Strict refuses a system without all features first.
            if !stderr(&out).contains("unavailable") {
                out.contains(&advice);
            }
            out.lacks("s3cr3t");
        }
        let out = cached(&start, &format!("start --read={target} -- {command}"));
        out.contains("s3cr3t").lacks("is a link");
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
    write_program(&at("vm/shims/managed"), "#!/bin/sh\n");
    for [link, target] in table(
        "
        path/tool | inst/bin/tool
        venv/bin/tool | inst/bin/tool
        venv/bin/system | /bin/sh
        venv/bin/managed | vm/versions/1/bin/managed
        ",
    ) {
        symlink(at(target), at(link)).unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let longer = format!(
        "{}:{}:{path}",
        at("path").display(),
        at("vm/shims").display()
    );
    let tool = at("path/tool").display().to_string();
    for (name, first) in [
        ("env", "/usr/bin/env tool"),
        ("split", "/usr/bin/env -S tool -e"),
        ("direct", &tool),
    ] {
        let text = format!("#!{first}\ncat {}\n", at("inst/lib/data").display());
        write_program(&start.join(name), &text);
    }
    let start = |path: &str, command: &str| {
        let mut arena = caching(&start, command);
        arena.env("PATH", path).output().unwrap()
    };
    for [command, data, in_short_path] in table(
        "
        ./env | - | fails
        ./split | - | fails
        ./direct | - | fails
        tool | inst/lib/data | fails
        ../venv/bin/tool | inst/lib/data | fails
        ../venv/bin/tool | venv/pyvenv.cfg | fails
        ../venv/bin/managed | vm/versions/1/lib/data | fails
        ../venv/bin/managed | venv/pyvenv.cfg | fails
        ../venv/bin/system | venv/pyvenv.cfg | works
        ../inst/bin/tool | inst/lib/data | fails
        ",
    ) {
        let args = match data {
            "-" => format!("start -- {command}"),
            data => format!("start -- {command} -c 'cat {}'", at(data).display()),
        };
        for (path, works) in [(&path, in_short_path == "works"), (&longer, true)] {
            let out = start(path, &args);
            assert_eq!(out.status.success(), works, "{args}: {out:?}");
            if command.starts_with("../venv") && !works {
                out.contains("because it is a link to");
            } else {
                out.lacks("because it is a link to");
            }
        }
    }
    // The warning says what makes it work.
    let data = at("vm/versions/1/lib/data").display().to_string();
    let command = format!("-- ../venv/bin/managed -c 'cat {data}'");
    let said = stderr(&start(&search_path(), &format!("start {command}")));
    let (_, read) = said.split_once("read = [\"").unwrap();
    let read = read.split('"').next().unwrap();
    let args = format!("start --read={read} {command}");
    start(&search_path(), &args).status(0);
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
    for [target, home, file, expected] in table(
        "
        .uv/1.2.3/bin/python1.2 | .uv/1/bin | LIBRARY | open
        .uv/1.2.3/bin/python1.2 | rival/bin | LIBRARY | closed
        .uv/1.2.3/bin/python1.2 | .uv/1/bin | SECRET | closed
        # This is no Python.
        rival/bin/python | rival/bin | SECRET | closed
        rival/bin/python | .uv/1/bin | SECRET | closed
        ",
    ) {
        let venv = start.join(".venv");
        fs::create_dir_all(venv.join("bin")).unwrap();
        symlink(at(target), venv.join("bin/python")).unwrap();
        let settings = format!("home = {}\nversion = 1.2\n", at(home).display());
        fs::write(venv.join("pyvenv.cfg"), settings).unwrap();
        let file = if file == "SECRET" { &secret } else { &library };
        let args = format!("start -- .venv/bin/python -c 'cat {}'", file.display());
        let mut arena = caching(&start, &args);
        let said = said(&arena.env("HOME", folder.path()).output().unwrap());
        let is_open = said.contains("s3cr3t");
        assert_eq!(is_open, expected == "open", "{target} {home}: {said}");
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
    write_program(&at("disk/league/alice/bot"), "#!/bin/sh\ncat \"$@\"\n");
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
        let bot = bot.display();
        let mut arena = caching(&at(start), &format!("start -- {bot}/bot {bot}/book"));
        // A shell that went there through the link.
        arena.env("HOME", at("home")).env("PWD", at("srv/league"));
        let out = arena.output().unwrap();
        out.prints("fine").lacks("is a link");
    }
}

/// A hint on a closed interpreter is about the sandbox only if there is one.
#[test]
fn a_hint_does_not_blame_a_sandbox_that_is_off() {
    let (folder, start, _) = start_with_secret();
    let other = folder.path().join("interpreter");
    fs::write(&other, "").unwrap();
    let first = format!("#!{}\n", other.display());
    write_program(&start.join("bot"), &first);
    let out = cached(&start, "start --sandbox off ./bot");
    out.contains("Permission denied");
    out.contains("you may not execute its interpreter");
    out.lacks("the sandbox closes");
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
    write_program(&at("work/deploy/run"), &text_of("/bin/sh"));
    let deploy = at("path/deploy").display().to_string();
    for (script, first) in [("env", "/usr/bin/env deploy"), ("direct", &deploy)] {
        write_program(&start.join("alice").join(script), &text_of(first));
    }
    for link in ["path/deploy", "start/alice/deploy"] {
        symlink(at("work/deploy/run"), at(link)).unwrap();
    }
    let path = format!("{}:{}", at("path").display(), search_path());
    for (command, is_open) in [
        ("alice/env", false),
        ("alice/direct", false),
        ("alice/deploy", false),
        // The user wrote this.
        ("deploy", true),
    ] {
        let mut arena = caching(&start, &format!("start -- {command}"));
        let out = arena.env("PATH", &path).output().unwrap();
        if is_open {
            out.contains("s3cr3t");
        } else {
            // Its program is started.
            out.lacks("s3cr3t").contains("cat: ");
        }
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
    let config = r#"
        [run]
        name = "r"
        game = "onitama"
        games = 2
        [language.any]
        extensions = ["any"]
        compile = ["compile", "{out}", "{source}"]
        run = ["{out}"]
        "#;
    let config = config.to_owned() + &bots("a | mine/bot.any\n b | sh other.sh");
    fs::write(start.join("c.toml"), config).unwrap();
    for (place, data, is_open) in [
        ("bin", "rival/data", false),
        ("bin", "lib/data", false),
        ("", "rival/data", false),
        ("rival", "rival/data", false),
        ("tools/bin", "rival/data", false),
        ("tools/bin", "tools/lib/data", true),
    ] {
        let place = start.join(place);
        let program = place.join("compile");
        let text = format!("#!/bin/sh\ncat {data} && cp /bin/false $1\n");
        write_program(&program, &text);
        let path = format!("{}:{}", place.display(), search_path());
        let mut arena = caching(&start, "run c.toml --force");
        // Nor does a variable of a toolchain open it.
        arena.env("PATH", path).env("GOROOT", &start);
        let said = said(&arena.output().unwrap());
        let is_refused = said.contains("compile `mine/bot.any`") && said.contains("cat: ");
        assert_eq!(is_refused, !is_open, "{program:?} {data}: {said}");
        fs::remove_file(program).unwrap();
    }
}

/// The folders of scripts, class paths and modules that a command names are open to the bot.
#[test]
fn what_a_command_names_is_open() {
    if !plays("py") {
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
    let config = r#"
        [run]
        seed = 1
        name = "own"
        game = "onitama"
        games = 2
        [clock]
        first_turn_ms = 60000
        turn_ms = 60000
        [[bot]]
        name = "a"
        command = "BOT/main.py"
        env = { PYTHONPATH = "LIB" }
        [[bot]]
        name = "b"
        command = "python3 BOT/main.py"
        env = { PYTHONPATH = "LIB" }
        "#;
    let config = config
        .replace("BOT", bot.to_str().unwrap())
        .replace("LIB", lib.to_str().unwrap());
    fs::write(start.join("own.toml"), config).unwrap();
    cached(&start, "run own.toml --quiet")
        .status(0)
        .lacks("crashed");
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
        config += &bots(&format!("{stem} | {stem}/{name}"));
    }
    fs::write(folder.join("c.toml"), config).unwrap();
    let cache = folder.join("cache");
    let mut arena = caching(folder, "run c.toml --force");
    let out = arena.env("OF_TEST", &cache).output().unwrap();
    let left = survivors("OF_TEST", &cache);
    assert!(left.is_empty(), "{left:?}");
    let kept = ["compiled", "toolchains"].map(|kind| {
        let mut kept = 0;
        for entry in fs::read_dir(cache.join("arena").join(kind)).unwrap() {
            kept += usize::from(entry.unwrap().path().is_dir());
        }
        kept
    });
    (stderr(out.status(3)), kept)
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
    for [name, extension, compile] in table(
        "
        cpp | cpp | g++ -std=c++20 -o {out} {source}
        haskell | hs | ghc -v0 -outputdir {dir} -o {out} {source}
        nim | nim | nim compile --hints:off --nimcache:{dir}/nimcache -o:{out} {source}
        slow | slow | sh {source}
        ",
    ) {
        writeln!(
            config,
            "[language.{name}]\nextensions = [{extension:?}]\ncompile = {compile:?}"
        )
        .unwrap();
        config += "run = \"{out}\"\ncompile_s = 1\n";
    }
    let mut sources = vec![("outside.slow", outside)];
    for (end, name, source) in [
        ("cpp", "endless.cpp", cpp),
        ("hs", "template.hs", haskell),
        ("nim", "exec.nim", nim),
    ] {
        if plays(end) {
            sources.push((name, source));
        }
    }
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
    if !closes_files() || !plays("py") {
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
