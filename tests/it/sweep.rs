//! Sweeps with real processes: the deepest search is left, and neither workers nor kills change
//! what is found.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;

use serde_json::Value;

use crate::programs::{
    Folder, Said as _, arena, command, copy_files, csv_rows, has, in_project, is_long, killed,
    line, new_folder, promised, read, resume, sample_bot, stdout, summary, timeless_with, write,
};

/// A sweep over the depth of a searching bot against another depth, with limits that no bot misses.
fn depths(game: &str, bot: &str, depths: &str, baseline: u32, more: &str) -> String {
    let bot = sample_bot(bot);
    format!(
        "[run]\nseed = 1\nname = \"depths\"\ngame = \"{game}\"\nformat = \"sweep\"\n{more}\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n\
         [sweep]\nbot = \"search\"\nvalues = {{ depth = [{depths}] }}\nblock = 8\nmax_units = 96\n\
         [[bot]]\nname = \"search\"\ncommand = [\"{bot}\", \"--depth\", \"{{depth}}\"]\n\
         [[bot]]\nname = \"base\"\ncommand = [\"{bot}\", \"--depth\", \"{baseline}\"]\n"
    )
}

/// Plays a sweep with one worker and with four: it ends with the last variant alone, after some of
/// the games of the full grid.
fn the_deepest_is_left(config: &str, shallow: usize) {
    let folder = &new_folder();
    write(folder, "depths.toml", config);
    let runs = ["1", "4"].map(|jobs| {
        line(
            folder,
            &format!("run depths.toml --jobs {jobs} --out {jobs}"),
        )
        .status(0)
        .contains(&format!("sweep of search: {} variants", shallow + 1));
        timeless_with(&folder.join(jobs), "sweep.csv")
    });
    assert_eq!(runs[0], runs[1]);
    let found = summary(&folder.join("4"));
    let sweep = &found["sweep"];
    assert_eq!(sweep["living"].as_array().unwrap().len(), 1, "{sweep}");
    assert_eq!(sweep["end"], "one");
    assert_eq!(found["run"]["finished"], true);
    let rows = csv_rows(&folder.join("1"), "sweep.csv");
    let states: Vec<&str> = rows.iter().map(|row| &*row["state"]).collect();
    let mut expected = vec!["dropped"; shallow];
    expected.push("survivor");
    assert_eq!(states, expected);
    let [games, full] = ["games", "games_full"].map(|key| sweep[key].as_u64().unwrap());
    assert!(10 * games <= 7 * full, "{games} of {full}");
    assert_eq!(found["games_played"], games);
}

/// A sweep of depths of Onitama.
fn onitama() -> String {
    depths(
        "onitama",
        "onitama-search",
        "1, 2, 3",
        1,
        "opening_plies = 4",
    )
}

#[test]
fn the_deepest_search_is_left_in_onitama() {
    the_deepest_is_left(&onitama(), 2);
}

#[test]
fn the_deepest_search_is_left_in_minishogi() {
    let (values, shallow) = if is_long() {
        ("1, 2, 3", 2)
    } else {
        ("1, 2", 1)
    };
    let config = depths(
        "minishogi",
        "minishogi-search",
        values,
        1,
        "opening_plies = 4",
    );
    the_deepest_is_left(&config, shallow);
}

#[test]
fn the_deepest_search_is_left_in_dice_shogi() {
    let config = depths(
        "dice_shogi",
        "dice-shogi-search",
        "1, 2",
        1,
        "opening_plies = 4",
    );
    the_deepest_is_left(&config, 1);
}

#[test]
fn the_deepest_search_is_left_in_kutulu_two_against_two() {
    let config = depths("kutulu", "kutulu-search", "1, 3", 1, "");
    the_deepest_is_left(&config, 1);
}

/// A finished sweep, and its output.
static PLAYED: LazyLock<(Folder, String)> = LazyLock::new(|| {
    let folder = new_folder();
    write(&folder, "k.toml", onitama());
    let out = line(&folder, "run k.toml --out whole --quiet");
    let told = stdout(out.status(0));
    (folder, told)
});

/// A new folder with the finished sweep, in `whole`.
fn played() -> Folder {
    let (from, to) = (&PLAYED.0, new_folder());
    copy_files(from, &to);
    copy_files(&from.join("whole"), &to.join("whole"));
    to
}

#[test]
fn a_killed_sweep_ends_with_the_same_variants() {
    let folder = &played();
    let [whole, run] = &["whole", "killed"].map(|run| folder.join(run));
    let games = summary(whole)["games_played"].as_u64().unwrap();
    let args = ["run", "k.toml", "--jobs", "2", "--out", "killed", "--quiet"];
    let kills = [10, 70].map(|lines| {
        let mut arena = command(folder, &args);
        killed(arena.args(resume(run)), run, lines)
    });
    assert!(
        kills.contains(&true) && games > 80,
        "{kills:?}, {games} games"
    );
    line(folder, "run k.toml --out killed --resume --quiet").status(0);
    let tables = [run, whole].map(|run| timeless_with(run, "sweep.csv"));
    assert_eq!(tables[0], tables[1]);
    assert_eq!(summary(run)["sweep"], summary(whole)["sweep"]);

    // Skipped games aren't missing: the run is finished, can be verified, and no game of it may be
    // missing.
    let again = line(folder, "run k.toml --out killed --resume");
    again.status(0).contains("it holds a finished run");
    let verified = line(folder, "verify killed/records.jsonl");
    verified.contains(&format!("{games} games verified, 0 mismatches"));
}

#[test]
fn games_that_were_not_to_be_played_are_refused() {
    let folder = &played();
    // A block without its last two games, but with all that came after it.
    for (file, start) in [("whole/games.csv", 47), ("whole/records.jsonl", 46)] {
        let text = read(folder, file);
        let mut lines: Vec<&str> = text.lines().collect();
        lines.drain(start..start + 2);
        write(folder, file, lines.join("\n") + "\n");
    }
    fs::remove_file(folder.join("whole/summary.json")).unwrap();
    line(folder, "run k.toml --out whole --resume --quiet")
        .status(3)
        .contains("is stored twice or out of order");
}

/// A plan that was changed by hand can't ask for more than a config can.
#[test]
fn plans_that_cannot_be_are_refused() {
    let folder = &played();
    let whole = read(folder, "whole/plan.toml");
    for (from, to) in [
        ("block = 8", "block = 4000000000000"),
        ("max_units = 96", "max_units = 9223372036854775807"),
        ("alpha = 0.05", "alpha = 2.0"),
        // A foreign plan puts nothing into commands to type.
        ("rules = \"strict\"", "rules = \"strict; touch X\""),
    ] {
        has(&whole, from);
        write(folder, "whole/plan.toml", whole.replace(from, to));
        let out = line(folder, "report whole --json -");
        out.status(3).contains("plan").contains("\"error\"");
    }
}

#[test]
fn the_document_names_the_most_variants() {
    let document = read(&in_project("docs/how-to"), "sweep.md");
    let most = promised(&document, "you can compare up to");
    let folder = &new_folder();
    let sweep = |variants: usize| {
        let depths: Vec<String> = (1..=variants).map(|depth| depth.to_string()).collect();
        let config = self::depths("onitama", "onitama-search", &depths.join(", "), 1, "")
            .replace(&sample_bot("onitama-search"), "false");
        write(folder, "k.toml", config);
        line(folder, "run k.toml --quiet")
    };
    sweep(most).status(3).lacks("too many variants");
    sweep(most + 1)
        .status(3)
        .contains(&format!("too many variants: expected {most} at most"));
}

/// Units that repeat others are no evidence, and a sweep says so.
#[test]
fn repeated_units_confirm_nothing() {
    let folder = &new_folder();
    let config = depths(
        "minishogi",
        "minishogi-greedy",
        "1, 2",
        1,
        "opening_plies = 0",
    );
    let (config, _) = config.split_once("[[bot]]").unwrap();
    let bot = |name: &str, word: &str| {
        format!("[[bot]]\nname = \"{name}\"\ncommand = [\"sh\", \"smallest.sh\", \"{word}\"]\n")
    };
    let config = config.to_owned() + &bot("search", "{depth}") + &bot("base", "3");
    write(folder, "r.toml", config);
    write(
        folder,
        "smallest.sh",
        include_str!("../programs/smallest.sh"),
    );
    line(folder, "run r.toml --out r --quiet")
        .status(0)
        .contains("too many units repeat others move for move");
    let sweep = &summary(&folder.join("r"))["sweep"];
    assert_eq!(sweep["too_repetitive"], true);
    assert_eq!(sweep["confirm"], Value::Null);
}

/// Plays the duel that confirms a sweep, as it says, into `confirmed`.
fn confirmed(folder: &Path, confirm: &str) -> Output {
    let words = shlex::split(confirm).unwrap();
    let mut args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    args.extend(["--out", "confirmed", "--quiet"]);
    arena(folder, &args)
}

#[test]
fn the_end_tells_of_the_set_its_luck_and_how_to_confirm_it() {
    let (folder, told) = (&played(), &PLAYED.1);
    for part in [
        "% of the",
        "survivor: search[depth=3]",
        "eliminated after unit ",
        "winner's curse: part of the lead of search[depth=3]",
    ] {
        has(told, part);
    }
    let mut lines = told.lines().map(str::trim);
    let confirm = lines.find(|line| line.starts_with("arena duel")).unwrap();
    let sweep = &summary(&folder.join("whole"))["sweep"];
    assert_eq!(sweep["confirm"], *confirm);
    has(confirm, " --sprt 0,10 --seed 2 ");
    has(confirm, "--opening-plies 4");
    let duel = confirmed(folder, confirm);
    let said = stdout(duel.status(0));
    let answer = said.lines().next().unwrap_or_default();
    assert!(answer.ends_with("SPRT [0, 10] accepted early"), "{answer}");
    same_conditions(folder, "whole", "confirmed");
}

/// Reports show the Elo of a variant once, in the table of the sweep. The baseline is 0 there.
#[test]
fn a_variant_has_one_elo() {
    let (folder, told) = (&played(), &PLAYED.1);
    let report = |format: &str| stdout(&line(folder, &format!("report whole {format} -")));
    let (markdown, junit) = (report("--markdown"), report("--junit"));
    // Without the scripts, which hold packed games.
    let page: String = read(folder, "whole/report.html")
        .split("<script")
        .map(|part| part.rsplit("</script>").next().unwrap())
        .collect();
    let elo = &csv_rows(&folder.join("whole"), "sweep.csv")[1]["elo"];
    let elo = format!("{:+.1}", elo.parse::<f64>().unwrap());
    for (text, heading) in [
        (told, "Elo  "),
        (&markdown, "| Elo |"),
        (&page, ">Elo</th>"),
    ] {
        has(text, &elo);
        assert_eq!(text.matches(heading).count(), 1, "{text}");
        has(text, "games; Elo is in the table of the sweep");
        has(
            text,
            "Elo: against base, which is 0; 95% for all intervals together at every look",
        );
        assert!(!text.contains("LOS"), "{text}");
    }
    has(&page, "Against each other");
    has(&junit, "games, score ");
    assert!(!junit.contains(", Elo "), "{junit}");
}

/// The plan of `duel`, which has everything that the plan of `sweep` has but the bots and the seed.
fn same_conditions(folder: &Path, sweep: &str, duel: &str) -> toml::Table {
    let [sweep, duel] = [sweep, duel].map(|run| {
        let file = read(folder, &format!("{run}/plan.toml"));
        let mut file = toml::from_str::<toml::Table>(&file).unwrap();
        let mut plan: toml::Table = file.remove("plan").unwrap().try_into().unwrap();
        plan["game"][0].as_table_mut().unwrap().remove("bots");
        plan
    });
    for key in ["game", "memory_mb", "sandbox"] {
        assert_eq!(sweep.get(key), duel.get(key), "{key}");
    }
    assert_ne!(sweep["seed"], duel["seed"]);
    duel
}

/// The opponent that the leader is ahead of is named wherever it is listed, and the duel is played
/// as the sweep was.
#[test]
fn the_confirming_duel_has_the_conditions_of_the_sweep() {
    let folder = &new_folder();
    let [search, random] = ["kutulu-search", "kutulu-random"].map(sample_bot);
    let mut config = depths("kutulu", "kutulu-search", "1, 2", 1, "");
    for (from, to) in [
        ("block = 8\nmax_units = 96", "block = 4\nmax_units = 12"),
        (
            "[clock]\n",
            "[clock]\nrules = \"codingame\"\nno_ponder = false\n",
        ),
        ("[sweep]\n", "[sweep]\nagainst = [\"deep\", \"base\"]\n"),
        ("[sweep]\n", "[game.kutulu]\nmaps = \"the maps\"\n[sweep]\n"),
        ("[sweep]\n", "[limits]\nmemory_mb = 512\n[sweep]\n"),
        (
            &format!("name = \"base\"\ncommand = [\"{search}\", \"--depth\", \"1\"]\n"),
            &format!(
                "name = \"base\"\ncommand = [\"{random}\"]\nread = [\"the maps\"]\nenv = {{ WHO = \"old one\" }}\n"
            ),
        ),
    ] {
        has(&config, from);
        config = config.replace(from, to);
    }
    let deep = format!("[[bot]]\nname = \"deep\"\ncommand = [\"{search}\", \"--depth\", \"3\"]\n");
    write(folder, "p.toml", config + &deep);
    let maps = in_project("crates/games/src/kutulu/maps");
    copy_files(&maps, &folder.join("the maps"));
    let out = line(
        folder,
        &format!("run p.toml --out p --quiet --seed {}", u64::MAX),
    );
    let told = stdout(out.status(0));
    let sweep = &summary(&folder.join("p"))["sweep"];
    assert_eq!(sweep["leader"], "search[depth=2]");
    let [deep, base] = [0, 1].map(|at| sweep["leader_against"][at]["elo"].as_f64().unwrap());
    assert!(deep < 0.0 && base > 0.0, "{told}");
    has(
        &told,
        "to confirm search[depth=2] against base, the strongest opponent that it is ahead of",
    );
    confirmed(folder, sweep["confirm"].as_str().unwrap()).status(0);
    let duel = same_conditions(folder, "p", "confirmed");
    assert_eq!(duel["bot"][0]["read"].as_array().map(Vec::len), Some(1));
}
