//! `arena doctor`: one screen about this machine.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use crate::guard::spawn_without_namespaces;
use crate::programs::{
    self, Said as _, copy_program, has, new_folder, stdout, table, write_program,
};
use crate::walls::{as_user, can_be, ordinary_user};
use crate::window::{ALL_ROWS, Window};

/// What it prints with only the programs of a folder in `PATH`.
fn doctor(path: &Path) -> String {
    let start = new_folder();
    let mut command = programs::command(&start, &["doctor"]);
    let out = command.env("PATH", path).output().unwrap();
    out.status(0);
    stdout(&out)
}

#[test]
fn the_answer_fits_on_a_screen() {
    let mut window = Window::open([80, 24, ALL_ROWS], Path::new("."), &[], &["doctor"]);
    window.end();
    let screen = window.parser.screen().contents();
    let rows: Vec<&str> = screen.trim_end().lines().collect();
    // The last row is for the prompt.
    assert!(rows.len() < 24, "{} rows: {screen}", rows.len());
    let parts = "files, signals, system calls, processes, cores, limit, users, clock, workers, \
        languages";
    for part in parts.split(", ") {
        let is_start = |row: &&str| row.trim_start().starts_with(part);
        assert!(rows.iter().any(is_start), "{part}: {screen}");
    }
}

#[test]
fn missing_namespaces_are_shown() {
    let start = new_folder();
    let mut command = programs::command(&start, &["doctor"]);
    command.env("PATH", "").stdout(Stdio::piped());
    let child = spawn_without_namespaces(&mut command);
    let said = stdout(&child.wait_with_output().unwrap());
    has(&said, "\n users         no    ");
}

/// A user may still start as many processes as `ulimit -u` says, less those that run. The two bots
/// of one game may start 1024.
#[test]
fn a_low_limit_of_processes_comes_with_advice() {
    let user = ordinary_user();
    if !can_be(user) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let program = folder.path().join("arena");
    copy_program(env!("CARGO_BIN_EXE_arena"), &program);
    let mut bash = as_user(user, Path::new("bash"));
    bash.args(["-c", "ulimit -u 1000; exec \"$0\" doctor"]);
    bash.arg(&program).current_dir(folder.path());
    bash.env("TMPDIR", folder.path())
        .env("PATH", "/usr/bin:/bin");
    let said = programs::said(&bash.output().unwrap());
    let (_, machine) = said.split_once("\n machine ").expect(&said);
    let mut lines = machine.lines();
    let line = lines.find(|line| line.starts_with(" limit")).expect(&said);
    has(line, ": each bot gets at most ");
    assert!(line.ends_with("; raise `ulimit -u`"), "{said}");
}

#[test]
fn languages_have_their_versions_and_the_others_a_package() {
    let folder = &new_folder();
    for [name, script] in table(
        "
        lua | echo Lua 5.4.4
        ruby | echo; echo ruby 3.1.2p20
        perl | echo perl v5.36.0 >&2
        php | exit 1
        ",
    ) {
        write_program(&folder.join(name), &format!("#!/bin/sh\n{script}\n"));
    }
    let said = doctor(folder);
    has(
        &said,
        "lua 5.4.4, perl 5.36.0, php (no version), ruby 3.1.2\n",
    );
    has(&said, "missing      bash, c, cpp, csharp,");
    has(&said, "apt install bash gcc g++ mono-mcs ");
}

#[test]
fn a_compiler_that_hangs_is_not_waited_for() {
    let folder = &new_folder();
    let hangs = "#!/bin/sh\nwhile :; do read line; done\n";
    write_program(&folder.join("lua"), hangs);
    has(&doctor(folder), "lua (no version)\n");
}
