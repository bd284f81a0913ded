//! Pools: versions are kept and tried, what is kept plays for ever, and nothing that goes wrong
//! changes a pool.
//!
//! Most play a game of coins: a bot answers its Elo and its name, and the referee draws who wins.
//! So the true strength of every bot is known, and a seed decides everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Output;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arena_games::rng::SplitMix64;
use serde_json::Value;

use crate::programs::{
    Folder, Said as _, check_rows, count_lines, csv_rows, in_project, json, line, new_folder, read,
    sample_bot, shell, signal, start, stderr, stdout, table, write, write_program,
};

/// The referee of the game of coins.
pub(crate) const COIN: &str = r#"
import hashlib, sys

def read():
    header = sys.stdin.readline() or sys.exit()
    return [sys.stdin.readline().strip() for _ in range(int(header.strip("]\n").split("] ")[1]))]

def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)

while True:
    options = dict(line.split("=", 1) for line in (read() + read())[1:])
    send("ARENA", "protocol=1", "reuse=yes", "seats=2", "name=Coins")
    answers, elo = [], []
    for seat in range(2):
        send("NEXT_PLAYER_INPUT", "?")
        send("NEXT_PLAYER_INFO", seat, 1, 60000)
        answers.append((read() + read() + [""])[0])
        try:
            elo.append(float(answers[-1].split()[0]))
        except (IndexError, ValueError):
            send("FATE", f"{seat} invalid_action no Elo: {answers[-1]}")
            elo.append(-9999)
    draw = hashlib.sha256(" ".join([options["seed"], *answers]).encode()).digest()
    first = int.from_bytes(draw[:6], "big") / 2**48 < 1 / (1 + 10 ** ((elo[1] - elo[0]) / 400))
    send("SCORES", f"0 {int(first)}", f"1 {int(not first)}")
"#;

/// Limits that a busy machine keeps.
const PATIENT: &str = "[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n";

/// A folder with an empty pool of the game of coins.
fn coins() -> Folder {
    let folder = new_folder();
    write(&folder, "coin.py", COIN);
    empty_pool(&folder, "--referee coin.py");
    folder
}

/// Makes an empty pool. The path of its referee doesn't depend on the place: seeds do on the path.
fn empty_pool(folder: &Path, game: &str) {
    line(folder, &format!("pool new {game}")).status(0);
    let within = folder.canonicalize().unwrap().display().to_string();
    let config = read(folder, "pool/pool.toml").replace(&within, "..");
    write(folder, "pool/pool.toml", config + PATIENT);
}

/// Writes a bot that plays coins.
fn write_coin(folder: &Path, name: &str, elo: f64) {
    let text = format!("while read -r x; do echo {elo} is{name}; done\n");
    write(folder, &format!("{name}.sh"), text);
}

/// Tries a new version with this Elo.
fn try_coin(folder: &Path, name: &str, elo: f64, flags: &str) -> Output {
    write_coin(folder, name, elo);
    line(
        folder,
        &format!("pool try {name}='sh {name}.sh' --seed 1 {flags}"),
    )
}

/// The files of a folder, but not the note of the process that used it last.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path.clone());
                files.insert(format!("{}/", path.display()), Vec::new());
            } else if entry.file_name() != ".process" {
                files.insert(path.display().to_string(), fs::read(path).unwrap());
            }
        }
    }
    files
}

/// Checks that a pool is what it was, and names the files that aren't.
#[track_caller]
fn is_unchanged(before: &BTreeMap<String, Vec<u8>>, folder: &Path, after: &str) {
    let now = files(folder);
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed: Vec<_> = names
        .into_iter()
        .filter(|name| before.get(*name) != now.get(*name))
        .collect();
    assert!(changed.is_empty(), "after {after}: {changed:?}");
}

/// The bots of `members.toml` by name.
fn members(folder: &Path) -> BTreeMap<String, toml::Table> {
    let members: toml::Table = read(folder, "pool/members.toml").parse().unwrap();
    let mut found = BTreeMap::new();
    for bot in members["bot"].as_array().unwrap() {
        let bot = bot.as_table().unwrap().clone();
        found.insert(bot["name"].as_str().unwrap().to_owned(), bot);
    }
    found
}

fn state(folder: &Path, name: &str) -> String {
    members(folder)[name]["state"].as_str().unwrap().to_owned()
}

/// The values of a column of `games.csv` of a run.
fn column(folder: &Path, run: &str, column: &str) -> Vec<String> {
    let rows = csv_rows(&folder.join("pool/runs").join(run), "games.csv");
    rows.into_iter()
        .map(|mut row| row.remove(column).unwrap())
        .collect()
}

#[test]
fn versions_are_tried_one_after_the_other() {
    let folder = coins();
    for (name, elo) in [
        ("v1", 0.0),
        ("v2", 300.0),
        ("v3", 290.0),
        ("v4", -100.0),
        ("v5", 700.0),
    ] {
        write_coin(&folder, name, elo);
    }
    write_coin(&folder, "friend", -200.0);
    check_rows(
        &folder,
        "
        pool | 0 | the pool is empty: arena pool try v1=bot.py
        pool try v1='sh v1.sh' --seed 1 --note first | 0 | v1 is the best: it is the first
        pool add friend='sh friend.sh' | 0 | friend: legal in 4 games, kept in pool/bots/friend
        pool try v2='sh v2.sh' --seed 1 --games 100 | 0 | v2 is stronger than the best, v1:
        pool | 0 | tried
        pool best v2 | 0 | v2 is the best
        pool try v3='sh v3.sh' --seed 1 --games 32 | 4 | v3 may or may not be stronger than the best, v2
        pool try v4='sh v4.sh' --seed 1 --games 100 | 1 | v4 is weaker than the best, v2:
        pool try v4='sh v4.sh' --seed 1 | 3 | can't keep `v4`: the pool already has a bot of this name
        pool try v5='sh v5.sh' --seed 1 --games 100 --promote | 0 | v5 is the best now
        pool try v5 | 0 | v5 is
        pool retire v1 | 0 | v1 is retired; its games still count
        pool --pool pool | 0 | v5
        ",
    );
    let states = ["v1", "v2", "v3", "v4", "v5", "friend"].map(|name| state(&folder, name));
    assert_eq!(
        states,
        ["retired", "member", "tried", "tried", "best", "member"]
    );
    // The pool itself, as the current folder.
    line(&folder.join("pool"), "pool")
        .status(0)
        .contains("retired")
        .contains("first");
    // The table and the page follow from the rest.
    for file in ["index.html", "standings.csv", "standings.json"] {
        let before = read(&folder, &format!("pool/{file}"));
        fs::remove_file(folder.join("pool").join(file)).unwrap();
        line(&folder, "pool").status(0);
        assert_eq!(read(&folder, &format!("pool/{file}")), before);
    }
}

#[test]
fn answers_are_short_or_json() {
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    for (name, elo) in [("v2", 300.0), ("v3", -300.0), ("v4", 0.0)] {
        let out = try_coin(&folder, name, elo, "--games 64 --quiet");
        assert_eq!(stderr(&out), "", "{name}");
        assert!(stdout(&out).lines().count() <= 6, "{}", stdout(&out));
    }
    let out = try_coin(&folder, "v5", 200.0, "--games 64 --json --sure 80");
    let answer = json(&out);
    assert_eq!(answer["bot"], "v5");
    assert_eq!(answer["opponent"], "v1");
    assert_eq!(answer["tries"], 4, "the first bot had no try");
    assert_eq!(answer["sure"], 80.0);
    assert_eq!(answer["exit"].as_i64(), out.status.code().map(i64::from));
    for key in ["verdict", "los", "duel", "duel_games", "by_luck", "answer"] {
        assert!(!answer[key].is_null(), "{key}: {answer}");
    }
    for args in [
        "",
        "best v2",
        "retire v1",
        "add friend='sh friend.sh'",
        "try v6='sh v6.sh' --games 32 --sure every-look --seed 1",
        "try v6 --games 32 --quiet",
        "new --pool other",
    ] {
        write_coin(&folder, "friend", 0.0);
        write_coin(&folder, "v6", 20.0);
        json(&line(&folder, &format!("pool {args} --json")));
    }
}

#[test]
fn seeds_are_fresh_and_a_second_budget_goes_on() {
    let folder = coins();
    let numbers = |line: &Value| {
        let numbers = line.as_array().unwrap().iter();
        numbers
            .map(|number| number.as_f64().unwrap())
            .collect::<Vec<f64>>()
    };
    try_coin(&folder, "v1", 0.0, "").status(0);
    try_coin(&folder, "v2", 90.0, "--games 64 --sure every-look").status(4);
    let before = ["v2", "v2-v1"].map(|run| column(&folder, run, "seed"));
    let again = line(&folder, "pool try v2 --games 64 --json");
    let luck = numbers(&json(&again)["by_luck"]);
    assert!(
        (luck[0] - 0.05).abs() < 1e-9 && (luck[1] - 0.15).abs() < 1e-9,
        "{luck:?}"
    );
    try_coin(&folder, "v3", 20.0, "--games 64");
    for (run, before) in ["v2", "v2-v1"].into_iter().zip(before) {
        let after = column(&folder, run, "seed");
        assert!(
            after.len() > before.len() && after.starts_with(&before),
            "{run}"
        );
    }
    let mut seen = BTreeSet::new();
    for run in ["v2", "v2-v1", "v3-v1"] {
        let seeds: BTreeSet<String> = column(&folder, run, "seed").into_iter().collect();
        for seed in seeds {
            assert!(seen.insert(seed), "{run} has a seed of another run");
        }
    }
    let attempt = &members(&folder)["v2"]["try"];
    assert_eq!(attempt["budgets"].as_integer(), Some(2));
    assert_eq!(attempt["games"].as_integer(), Some(128));
}

#[test]
fn a_further_try_is_about_the_best_of_its_time() {
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    try_coin(&folder, "v2", 90.0, "--games 64 --sure every-look").status(4);
    try_coin(&folder, "v3", 600.0, "--games 64 --promote").status(0);
    let out = line(&folder, "pool try v2 --games 64 --promote");
    out.status(1).contains("v2 is weaker than the best, v3");
    let seeds = |run| {
        column(&folder, run, "seed")
            .into_iter()
            .collect::<BTreeSet<String>>()
    };
    assert!(seeds("v2-v3").is_disjoint(&seeds("v2-v1")));
    assert_eq!(state(&folder, "v3"), "best");
    // The best itself is still compared with the former one.
    line(&folder, "pool try v3")
        .status(0)
        .contains("stronger than v1");
}

/// Bots of each kind. A line with `BOT` is a name and a command, one with `FILE` begins a file. The
/// files hold the Elo and the name that the bot has to answer.
const KINDS: &str = r#"
BOT python | py/bot.py
FILE py/bot.py
import sys
from say import say
for line in sys.stdin:
    print(say(), flush=True)
FILE py/say.py
import deep
def say():
    return f'{deep.ELO} python'
FILE py/deep.py
ELO = -50
BOT cpp | cpp/bot.cpp
FILE cpp/bot.cpp
#include "say.h"
#include <string>
int main() { std::string s; while (std::getline(std::cin, s)) say(); }
FILE cpp/say.h
#include <iostream>
#include "sub/elo.hpp"
inline void say() { std::cout << ELO << " cpp" << std::endl; }
FILE cpp/sub/elo.hpp
#define ELO -60
BOT rust | project
FILE project/Cargo.toml
[package]
name = "bot"
FILE project/src/main.rs
mod elo;
fn main() { for _ in std::io::stdin().lines() { println!("{} rust", elo::ELO); } }
FILE project/src/elo.rs
pub const ELO: i32 = -70;
BOT book | ./player --book=data/book.txt
FILE player
#!/bin/sh
while read -r x; do cat "${1#--book=}"; done
FILE data/book.txt
-80 book
BOT java | java -jar java/bot.jar java/data/elo.txt
FILE java/data/elo.txt
-90 java
FILE java/Bot.java
class Bot {
    public static void main(String[] files) throws Exception {
        var in = new java.util.Scanner(System.in);
        for (; in.hasNextLine(); in.nextLine())
            System.out.print(java.nio.file.Files.readString(java.nio.file.Path.of(files[0])));
    }
}
"#;

/// Makes the bots of each kind, the one in Java if there is a JDK.
fn write_kinds(folder: &Path) -> Vec<(&'static str, &'static str)> {
    let mut bots = Vec::new();
    let mut file = "";
    for line in KINDS.trim().lines() {
        if let Some(bot) = line.strip_prefix("BOT ") {
            bots.push(bot.split_once(" | ").unwrap());
        } else if let Some(name) = line.strip_prefix("FILE ") {
            write(folder, name, "");
            file = name;
        } else {
            write(folder, file, read(folder, file) + line + "\n");
        }
    }
    write_program(&folder.join("player"), &read(folder, "player"));
    let build =
        "cd java && javac -d out Bot.java && jar cfe bot.jar Bot -C out . && rm -r out *.java";
    if !shell(folder, build).status().unwrap().success() {
        bots.pop();
    }
    bots
}

#[test]
fn what_is_kept_plays_on_without_the_files_of_its_author() {
    let folder = coins();
    let home = folder.join("home");
    fs::create_dir(&home).unwrap();
    let bots = write_kinds(&home);
    let arena = |args: &str| line(&home, &format!("pool --pool ../pool {args}"));
    for (name, command) in &bots {
        arena(&format!("add {name}='{command}'")).status(0);
    }
    // Overwritten or gone, the author's files don't matter any more.
    fs::remove_dir_all(&home).unwrap();
    write(&home, "py/bot.py", "overwritten");
    write(&home, "data/book.txt", "overwritten");
    arena("best python").status(0);
    write_coin(&home, "last", 500.0);
    let games = 8 * 2 * bots.len();
    arena(&format!(
        "try last='sh last.sh' --seed 1 --games {games} --quiet"
    ))
    .status(0);
    let rows = csv_rows(&folder.join("pool/runs/last"), "games.csv");
    let mut met = BTreeSet::from(["last"]);
    for row in &rows {
        for (bot, fate) in [("p1_bot", "p1_fate"), ("p2_bot", "p2_fate")] {
            assert_eq!(row[fate], "ok", "{row:?}");
            met.insert(&row[bot]);
        }
    }
    assert_eq!(met.len(), bots.len() + 1, "{met:?}");
}

#[test]
fn what_is_refused_leaves_the_pool_as_it_was() {
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    try_coin(&folder, "v2", 300.0, "--games 32 --quiet").status(0);
    line(&folder, "pool").status(0);
    fs::create_dir(folder.join("other")).unwrap();
    fs::copy(folder.join("v2.sh"), folder.join("other/v2.sh")).unwrap();
    write_coin(&folder, "v3", 0.0);
    write(&folder, "bad.cpp", "int main( {\n");
    write(&folder, "ends.sh", "exit 1\n");
    write(
        &folder,
        "illegal.sh",
        "while read -r x; do echo what; done\n",
    );
    let before = files(&folder.join("pool"));
    for [args, status, text] in table(
        "
        try v3='sh gone.sh' | 3 | gone.sh
        try v2='sh v3.sh' | 3 | can't keep `v2`: the pool already has a bot of this name
        add v2='sh v3.sh' | 3 | can't keep `v2`: the pool already has a bot of this name
        try v3='sh v2.sh' | 3 | can't keep `v3`: it is the same as `v2`
        try v3='sh other/v2.sh' | 3 | can't keep `v3`: it is the same as `v2`
        add v3='sh v2.sh' | 3 | can't keep `v3`: it is the same as `v2`
        try ../v3='sh v3.sh' | 3 | ../v3
        try ..='sh v3.sh' | 3 | can't call a bot `..`: it names a folder
        try 'v 3=sh v3.sh' | 3 | v 3
        try v3.sh | 2 | can't keep `v3.sh` without a name: give it one, as NAME=BOT
        try v3=bad.cpp | 3 | bad.cpp
        try v3=gone.py | 3 | gone.py
        try v3='sh ends.sh' | 3 | can't keep `v3`
        try v3='sh illegal.sh' | 3 | no Elo: what
        try v22 | 3 | did you mean `v2`?
        best v22 | 3 | did you mean `v2`?
        retire v22 | 3 | did you mean `v2`?
        retire v1 | 3 | can't retire `v1`: it is the best
        try v3='sh v3.sh' --games 3 | 2 | --games
        try v3='sh v3.sh' --sure 20 | 2 | a number from 50 to 99.9, or every-look
        new | 3 | can't make a pool in pool: it already has pool.toml
        --pool other | 3 | can't find a pool in other: it has no pool.toml
        try v3='sh v3.sh' --pool other | 3 | can't find a pool in other
        ",
    ) {
        let out = line(&folder, &format!("pool {args}"));
        out.status(status.parse().unwrap()).contains(text);
        is_unchanged(&before, &folder.join("pool"), args);
    }
}

#[test]
fn mistakes_in_the_files_of_a_pool_are_placed() {
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    try_coin(&folder, "v2", 0.0, "--games 16 --quiet");
    let pool = folder.join("pool");
    // A file, what is replaced in it and by what, and what is said.
    for [file, from, to, text] in table(
        r#"
        pool.toml | for = "10m" | for = "10 mm" | a time, as in "10m" or "1h30m"
        pool.toml | for = "10m" | foor = "10m" | did you mean `for`
        pool.toml | for = "10m" | for = "10m"; games = 100 | a budget is a time or a number of games: leave one out
        pool.toml | for = "10m" | sure = 20 | a number from 50 to 99.9, or every-look
        pool.toml | for = "10m" | games = 2 | an integer from 16 to 10000000
        pool.toml | game = "coin" | game = "coim" | did you mean `coin`?
        pool.toml | game = "coin" | game = "coin"; seed = 1 | `arena pool try` decides that: leave it out
        pool.toml | game = "coin" | game = "coin"; games = 10 | `arena pool try` decides that: leave it out
        pool.toml | turn_ms = 60000 | turn_ms = 0 | an integer from 1
        pool.toml | [try] | [tri] | did you mean `try`
        members.toml | state = "best" | state = "bets" | best
        members.toml | state = "best" | sate = "best" | did you mean `state`
        members.toml | state = "tried" | state = "best" | `v1` and `v2` both have `state = "best"`: expected one
        members.toml | name = "v2" | name = "v1" | two bots are called `v1`
        members.toml | name = "v2" | name = "../v2" | a bot can't be called `../v2`
        members.toml | [[bot]] | [bot | members.toml
        "#,
    ) {
        let right = read(&pool, file);
        assert!(right.contains(from), "{from} in {right}");
        write(
            &pool,
            file,
            right.replacen(from, &to.replace("; ", "\n"), 1),
        );
        let before = files(&pool);
        for args in [
            "pool",
            "pool best v2",
            "pool try v2",
            "pool try v3='sh v2.sh'",
        ] {
            let out = line(&folder, args);
            out.status(3).contains(text).contains(file);
            let is_placed = !text.contains(['`']) || text.contains("did you mean");
            assert!(
                !is_placed || stderr(&out).contains(&format!("--> {file}:")),
                "{text}"
            );
            is_unchanged(&before, &pool, &format!("{args} with {to}"));
        }
        write(&pool, file, right);
    }
}

#[test]
fn a_changed_or_broken_bot_is_named_and_not_played() {
    let folder = coins();
    fs::create_dir(folder.join("tools")).unwrap();
    let tool = "#!/bin/sh\nwhile read -r x; do cat \"$1\"; done\n";
    write_program(&folder.join("tools/interpreter"), tool);
    write(&folder, "tool.txt", "0 tool\n");
    try_coin(&folder, "v1", 0.0, "").status(0);
    let add = "PATH=$PWD/tools:$PATH; arena pool add tool='interpreter tool.txt'";
    shell(&folder, add).output().unwrap().status(0);
    write_coin(&folder, "old", 0.0);
    line(&folder, "pool add old='sh old.sh'").status(0);
    let changed = folder.join("pool/bots/old/old.sh");
    let kept = fs::read(&changed).unwrap();
    fs::write(&changed, "while read -r x; do echo 9999 old; done\n").unwrap();
    let out = try_coin(&folder, "v2", 400.0, "--games 32");
    out.status(0)
        .contains("can't play `old`: it isn't what was kept");
    out.contains("can't play `tool`: can't find the program `interpreter`");
    let bots: BTreeSet<String> = column(&folder, "v2", "p1_bot").into_iter().collect();
    assert_eq!(bots, BTreeSet::from(["v1", "v2"].map(str::to_owned)));
    line(&folder, "pool").status(0).contains("broken");
    // A gauntlet that has begun doesn't go on with another bot of this name.
    fs::write(&changed, kept).unwrap();
    try_coin(&folder, "v3", 160.0, "--games 32 --quiet").contains("v3");
    fs::write(&changed, "while read -r x; do echo -9999 old; done\n").unwrap();
    let rows = count_lines(&folder.join("pool/runs/v3/games.csv"));
    assert!(rows > 1, "it played a gauntlet");
    line(&folder, "pool try v3 --games 32").contains("`old`: it isn't what was kept");
    // The best is compared with everybody, so it has to be what it was.
    fs::write(folder.join("pool/bots/v1/v1.sh"), "").unwrap();
    let out = try_coin(&folder, "v4", 0.0, "--games 32");
    out.status(3)
        .contains("can't play `v1`: it isn't what was kept");
}

#[test]
fn a_folder_of_an_unlisted_bot_stays() {
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    write_coin(&folder, "friend", 0.0);
    let before = read(&folder, "pool/members.toml");
    line(&folder, "pool add friend='sh friend.sh'").status(0);
    let after = read(&folder, "pool/members.toml");
    // As a checkout of an older commit does.
    write(&folder, "pool/members.toml", before);
    line(&folder, "pool").status(0).lacks("friend");
    line(&folder, "pool best v1").status(0);
    write(&folder, "pool/members.toml", after);
    try_coin(&folder, "v2", 400.0, "--games 32")
        .lacks("can't play")
        .status(0);
}

#[test]
fn two_at_once_are_one_too_many() {
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    let slow = "while read -r x; do sleep 1; echo 0 slow; done\n";
    write(&folder, "v2.sh", slow);
    let mut child = start(&folder, "pool try v2='sh v2.sh' --for 1h --seed 1 --quiet");
    until_lines(&folder, "v2-v1", 2);
    let process = child.id();
    for args in ["try v2", "best v2", "add v3='sh v1.sh'"] {
        let out = line(&folder, &format!("pool {args}"));
        out.status(3)
            .contains(&format!("process {process} is using it"));
    }
    json(&line(&folder, "pool --json"));
    signal("-INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    line(&folder, "pool best v2").status(0);
}

/// Waits until a run has so many lines in `games.csv`.
fn until_lines(folder: &Path, run: &str, lines: usize) {
    let end = Instant::now() + Duration::from_secs(120);
    while count_lines(&folder.join("pool/runs").join(run).join("games.csv")) < lines {
        assert!(Instant::now() < end, "{run} doesn't begin");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn nothing_is_half_kept_on_a_full_disk() {
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    write_coin(&folder, "v2", 10.0);
    write(&folder, "book.bin", vec![1; 1 << 20]);
    let script = "unshare -mr true || exit 77; exec unshare -mr sh -c '
        cp -r pool kept && mount -t tmpfs -o size=500k tmpfs pool && cp -r kept/. pool || exit 78
        arena pool try v2=\"sh v2.sh book.bin\"; echo status $?
        diff -r -x .process kept pool && ls -A pool && arena pool'";
    let out = shell(&folder, script).output().unwrap();
    if out.status.code() == Some(77) {
        eprintln!("not tried: this user can't mount a file system");
        return;
    }
    out.status(0)
        .contains("No space left")
        .contains("status 3")
        .lacks(".half")
        .contains("v1");
}

/// The kept bots and their folders.
#[track_caller]
fn no_bot_is_half_kept(folder: &Path) {
    let mut folders = BTreeSet::new();
    for entry in fs::read_dir(folder.join("pool/bots")).unwrap().flatten() {
        folders.insert(entry.file_name().into_string().unwrap());
    }
    let members: BTreeSet<String> = members(folder).into_keys().collect();
    assert_eq!(folders, members);
    assert!(!folder.join("pool/.half").exists());
}

/// Tries a bot again and again until its budget is used up, and kills that at random moments.
/// Returns the number of kills.
fn killed_try(folder: &Path, took: Duration, kills: u64, random: &mut SplitMix64) -> u64 {
    let mut killed = 0;
    loop {
        let is_kept = members(folder).contains_key("v3");
        let bot = if is_kept { "v3" } else { "v3='sh v3.sh'" };
        let mut child = start(
            folder,
            &format!("pool try {bot} --games 120 --seed 7 --quiet"),
        );
        if killed < kills {
            let share = u32::try_from(random.next64() % 900).unwrap();
            sleep(took * share / 1000);
            // It may have ended.
            let _ = child.kill();
        }
        let is_killed = child.wait_with_output().unwrap().status.code().is_none();
        killed += u64::from(is_killed);
        let member = members(folder).remove("v3");
        let attempt = member.and_then(|mut member| member.remove("try"));
        if attempt.is_some_and(|attempt| attempt["is_open"].as_bool() == Some(false)) {
            return killed;
        }
        assert!(is_killed || killed < kills, "it ends with an open budget");
    }
}

/// Kills tries so often, and compares the pool with one that wasn't killed.
fn kill_tries(kills: u64) {
    let seed = std::env::var("ARENA_KILLS_SEED").map_or(kills, |seed| seed.parse().unwrap());
    let mut random = SplitMix64::new(seed);
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    try_coin(&folder, "v2", 30.0, "--games 16 --quiet");
    line(&folder, "pool best v2").status(0);
    write_coin(&folder, "v3", 100.0);
    shell(&folder, "cp -r pool start").status().unwrap();
    let begun = Instant::now();
    line(
        &folder,
        "pool try v3='sh v3.sh' --games 120 --seed 7 --quiet",
    )
    .contains("from gauntlets");
    let took = begun.elapsed();
    let expected = read(&folder, "pool/standings.json");
    let games = ["v3", "v3-v2"].map(|run| column(&folder, run, "moves"));
    let mut killed = 0;
    while killed < kills {
        // A folder without a plan is one that was begun.
        shell(
            &folder,
            "rm -r pool && cp -r start pool && mkdir pool/runs/v3-v2",
        )
        .status()
        .unwrap();
        killed += killed_try(&folder, took, (kills - killed).min(4), &mut random).max(1);
        line(&folder, "pool").status(0);
        no_bot_is_half_kept(&folder);
        assert_eq!(
            ["v3", "v3-v2"].map(|run| column(&folder, run, "moves")),
            games
        );
        assert_eq!(
            read(&folder, "pool/standings.json"),
            expected,
            "ARENA_KILLS_SEED={seed}"
        );
        for run in ["v3", "v3-v2"] {
            line(&folder.join("pool"), &format!("verify runs/{run}")).status(0);
        }
    }
}

#[test]
fn a_killed_try_goes_on() {
    kill_tries(4);
}

#[test]
#[ignore = "the long form: .ci/long"]
fn tries_survive_many_kills() {
    kill_tries(40);
}

/// Checks that no pairing of a gauntlet is more than a unit ahead of another.
#[track_caller]
fn is_balanced(folder: &Path, candidate: &str) {
    let mut games = BTreeMap::new();
    for row in csv_rows(&folder.join("pool/runs").join(candidate), "games.csv") {
        let [one, other] = [&row["p1_bot"], &row["p2_bot"]];
        let other = if one == candidate { other } else { one };
        *games.entry(other.clone()).or_insert(0) += 1;
    }
    let (least, most) = (games.values().min(), games.values().max());
    assert!(most.unwrap() - least.unwrap() <= 2, "{games:?}");
    assert!(games.len() > 2, "{games:?}");
}

#[test]
fn a_stopped_try_is_balanced_and_goes_on() {
    let folder = coins();
    try_coin(&folder, "v1", 0.0, "").status(0);
    for name in ["a", "b", "c"] {
        write_coin(&folder, name, -100.0);
        line(&folder, &format!("pool add {name}='sh {name}.sh'")).status(0);
    }
    write_coin(&folder, "v2", 200.0);
    let mut child = start(
        &folder,
        "pool try v2='sh v2.sh' --games 2000 --seed 1 --quiet",
    );
    until_lines(&folder, "v2", 24);
    signal("-INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    is_balanced(&folder, "v2");
    let games = count_lines(&folder.join("pool/runs/v2/games.csv"));
    line(&folder, "pool try v2 --quiet").status(0);
    is_balanced(&folder, "v2");
    let after = count_lines(&folder.join("pool/runs/v2/games.csv"));
    assert!(after > games && after < 520, "{games}, then {after}");

    try_coin(&folder, "v3", 300.0, "--for 2s").status(0);
    is_balanced(&folder, "v3");
    try_coin(&folder, "v4", 0.0, "--for 300ms");
    let out = line(&folder, "pool try v4 --games 100");
    out.status(3).contains("hint: arena pool try v4 --for 10m");
}

#[test]
fn ratings_come_from_gauntlets_under_the_rules_of_the_pool() {
    let folder = coins();
    let ratings = || -> Vec<Value> {
        let mut standings = json(&line(&folder, "pool --json"));
        let bots = standings["bots"].as_array_mut().unwrap();
        for bot in bots.iter_mut() {
            bot["folder"] = Value::Null;
            bot["duel"] = Value::Null;
        }
        std::mem::take(bots)
    };
    let games = |bots: &[Value]| {
        bots.iter()
            .map(|bot| bot["games"].as_u64().unwrap())
            .sum::<u64>()
    };
    try_coin(&folder, "v1", 0.0, "").status(0);
    try_coin(&folder, "v2", 200.0, "--games 64 --promote").status(0);
    try_coin(&folder, "v3", 600.0, "--games 64").status(0);
    let rated = ratings();
    assert!(games(&rated) > 0);
    for duel in ["v2-v1", "v3-v2"] {
        fs::remove_dir_all(folder.join("pool/runs").join(duel)).unwrap();
    }
    assert_eq!(ratings(), rated);

    let rules = read(&folder, "pool/pool.toml");
    write(
        &folder,
        "pool/pool.toml",
        rules.replace("\nturn_ms = 60000", "\nturn_ms = 50000"),
    );
    assert_eq!(games(&ratings()), 0);
    let said = "opponents without games under these rules: 2; the next gauntlet meets them";
    line(&folder, "pool").status(0).contains(said);
    try_coin(&folder, "v4", 900.0, "--games 64").status(0);
    line(&folder, "pool")
        .status(0)
        .lacks("without games under these rules");
    let opponents = ratings().into_iter().filter(|bot| bot["state"] != "tried");
    assert!(
        opponents
            .into_iter()
            .all(|bot| bot["games"].as_u64() > Some(0))
    );
    write(&folder, "pool/pool.toml", rules);
    let mut again = ratings();
    again.retain(|bot| bot["bot"] != "v4");
    assert_eq!(games(&again), games(&rated));
    // An opponent that is the last one leaves nobody for a gauntlet.
    line(&folder, "pool retire v1").status(0);
    try_coin(&folder, "v5", 900.0, "--games 64 --promote").status(0);
    line(&folder, "pool retire v2").status(0);
    write(
        &folder,
        "pool/pool.toml",
        read(&folder, "pool/pool.toml").replace("turn_ms = 60000", "turn_ms = 40000"),
    );
    line(&folder, "pool try v5 --games 64").status(0);
}

#[test]
fn other_contests_have_pools() {
    let folder = new_folder();
    let referees = in_project("referees").display().to_string();
    let greedy = format!("{referees}/bots/knapsack_greedy.py");
    let valuable = format!("{referees}/bots/knapsack_valuable.py");
    empty_pool(&folder, &format!("--referee {referees}/knapsack.py"));
    line(&folder, &format!("pool try v1='python3 {valuable}'")).status(0);
    let out = line(
        &folder,
        &format!("pool try v2='python3 {greedy}' --games 32 --seed 1"),
    );
    out.status(0)
        .contains("mean score ")
        .contains("stronger than the best");

    fs::remove_dir_all(folder.join("pool")).unwrap();
    empty_pool(&folder, "kutulu");
    let [random, better] = ["kutulu-random", "kutulu-greedy"].map(sample_bot);
    line(&folder, &format!("pool try v1={random}")).status(0);
    line(&folder, &format!("pool add friend='{random} --seed 5'")).status(0);
    let out = line(
        &folder,
        &format!("pool try v2={better} --games 32 --seed 1 --jobs 1"),
    );
    out.status(0)
        .contains("stronger than the best, v1")
        .contains(" of 3 (1st to ");
}

/// A pool of coins with a best bot and two friends.
fn pool_with_friends() -> Folder {
    let folder = coins();
    try_coin(&folder, "v0", 0.0, "").status(0);
    for (name, elo) in [("friend", -40.0), ("rival", 20.0)] {
        write_coin(&folder, name, elo);
        line(&folder, &format!("pool add {name}='sh {name}.sh'")).status(0);
    }
    folder
}

/// A draw with a normal distribution, by twelve uniform ones.
fn normal(random: &mut SplitMix64, mean: f64, deviation: f64) -> f64 {
    let uniform =
        |_| f64::from(u32::try_from(random.next64() >> 32).unwrap()) / f64::from(u32::MAX);
    mean + deviation * ((0..12).map(uniform).sum::<f64>() - 6.0)
}

/// A month of candidates, each of which becomes the best if it seems stronger. Returns the true
/// strength of the last best bot, and how many promotions were wrong.
fn month(candidates: usize, games: usize, seed: u64) -> (f64, usize) {
    let mut random = SplitMix64::new(seed);
    let folder = pool_with_friends();
    let (mut best, mut wrong) = (0.0, 0);
    for number in 1..=candidates {
        let gain = match random.next64() % 20 {
            0 => 60.0,
            _ => normal(&mut random, -5.0, 20.0),
        };
        let flags = format!("--games {games} --promote --json");
        let answer = json(&try_coin(
            &folder,
            &format!("v{number}"),
            best + gain,
            &flags,
        ));
        if answer["is_promoted"] == true {
            assert_eq!(state(&folder, &format!("v{number}")), "best");
            wrong += usize::from(gain <= 0.0);
            best += gain;
        }
    }
    println!("{candidates} candidates with {games} games each: {best:+.0} Elo, {wrong} wrong");
    (best, wrong)
}

#[test]
fn a_few_candidates_make_a_better_best() {
    let (_, wrong) = month(6, 100, 1);
    assert!(wrong <= 1, "{wrong} wrong promotions");
}

/// As simulations without games predict: a gain of 83 Elo, in 90% of months from 2 to 207, and 0.3
/// wrong promotions, more than 2 in less than 1% of months.
#[test]
#[ignore = "the long form: .ci/long"]
fn months_gain_what_the_policy_promises() {
    const MONTHS: u32 = 10;
    let (mut gained, mut all_wrong) = (0.0, 0);
    for seed in 0..MONTHS {
        let (gain, wrong) = month(20, 200, seed.into());
        assert!(
            (-20.0..280.0).contains(&gain) && wrong <= 2,
            "{gain}, {wrong} wrong"
        );
        gained += gain / f64::from(MONTHS);
        all_wrong += wrong;
    }
    assert!((40.0..140.0).contains(&gained), "{gained} Elo a month");
    assert!(all_wrong <= 8, "{all_wrong} wrong promotions");
}

/// How many of so many candidates of one strength are stronger, and how many likely stronger.
fn verdicts(candidates: u32, elo: f64, games: usize) -> [f64; 2] {
    let folder = pool_with_friends();
    let mut found = [0.0, 0.0];
    for number in 1..=candidates {
        let flags = format!("--games {games} --json");
        let answer = json(&try_coin(&folder, &format!("v{number}"), elo, &flags));
        match answer["verdict"].as_str().unwrap() {
            "stronger" => found[0] += 100.0 / f64::from(candidates),
            "likely_stronger" => found[1] += 100.0 / f64::from(candidates),
            _ => {}
        }
    }
    println!("{candidates} candidates of {elo:+} Elo with {games} games: {found:?}%");
    found
}

#[test]
#[ignore = "the long form: .ci/long"]
fn equal_candidates_seldom_pass() {
    let [stronger, likely] = verdicts(300, 0.0, 200);
    assert!(stronger <= 2.5 && likely <= 10.0, "{stronger}%, {likely}%");
}

#[test]
#[ignore = "the long form: .ci/long"]
fn better_candidates_are_found() {
    let [stronger, likely] = verdicts(300, 60.0, 600);
    assert!(stronger + likely >= 97.0, "{stronger}%, {likely}%");
}
