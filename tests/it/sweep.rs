//! Sweeps with real processes: the deepest search is left, and neither workers nor kills change what is found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::programs::{command, is_long, resume, run, sample_bot, summary, text, timeless_with};

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

/// The rows of `sweep.csv`, by their columns.
fn variants(run: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(run.join("sweep.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Plays a sweep with one worker and with four: it ends with the last variant alone, after some of the games of the full grid.
fn the_deepest_is_left(config: &str, shallow: usize) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("depths.toml"), config).unwrap();
    let runs = ["1", "4"].map(|jobs| {
        let out = run(folder, &["depths.toml", "--jobs", jobs, "--out", jobs]);
        assert_eq!(
            out.status.code(),
            Some(0),
            "{}{}",
            text(&out.stdout),
            text(&out.stderr)
        );
        assert!(
            text(&out.stderr).contains(&format!("sweep of search: {} variants", shallow + 1)),
            "{}",
            text(&out.stderr)
        );
        timeless_with(&folder.join(jobs), "sweep.csv")
    });
    assert_eq!(runs[0], runs[1]);
    let found = summary(&folder.join("4"));
    let sweep = &found["sweep"];
    assert_eq!(sweep["living"].as_array().unwrap().len(), 1, "{sweep}");
    assert_eq!(
        (sweep["end"].as_str(), found["run"]["finished"].as_bool()),
        (Some("one"), Some(true))
    );
    let states: Vec<String> = variants(&folder.join("1"))
        .iter()
        .map(|row| row["state"].clone())
        .collect();
    let mut expected = vec!["dropped"; shallow];
    expected.push("survivor");
    assert_eq!(states, expected);
    let [games, full] = ["games", "games_full"].map(|key| sweep[key].as_u64().unwrap());
    assert!(10 * games <= 7 * full, "{games} of {full}");
    assert_eq!(found["games_played"].as_u64(), Some(games));
}

#[test]
fn the_deepest_search_is_left_in_onitama() {
    the_deepest_is_left(
        &depths(
            "onitama",
            "onitama-search",
            "1, 2, 3",
            1,
            "opening_plies = 4",
        ),
        2,
    );
}

#[test]
fn the_deepest_search_is_left_in_minishogi() {
    the_deepest_is_left(
        &depths(
            "minishogi",
            "minishogi-search",
            if is_long() { "1, 2, 3" } else { "1, 2" },
            1,
            "opening_plies = 4",
        ),
        if is_long() { 2 } else { 1 },
    );
}

#[test]
fn the_deepest_search_is_left_in_dice_shogi() {
    the_deepest_is_left(
        &depths(
            "dice_shogi",
            "dice-shogi-search",
            "1, 2",
            1,
            "opening_plies = 4",
        ),
        1,
    );
}

#[test]
fn the_deepest_search_is_left_in_kutulu_two_against_two() {
    let config = depths("kutulu", "kutulu-search", "1, 3", 1, "");
    the_deepest_is_left(&config, 1);
}

/// A finished sweep, and its output.
static PLAYED: LazyLock<(TempDir, String)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let config = depths(
        "onitama",
        "onitama-search",
        "1, 2, 3",
        1,
        "opening_plies = 4",
    );
    fs::write(folder.path().join("k.toml"), config).unwrap();
    let out = run(folder.path(), &["k.toml", "--out", "whole", "--quiet"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    (folder, text(&out.stdout))
});

/// A new folder with the finished sweep, in `whole`.
fn played() -> TempDir {
    let (from, to) = (PLAYED.0.path(), tempfile::tempdir().unwrap());
    fs::create_dir(to.path().join("whole")).unwrap();
    for folder in [Path::new(""), Path::new("whole")] {
        for file in fs::read_dir(from.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if file.is_file() {
                fs::copy(
                    &file,
                    to.path().join(folder).join(file.file_name().unwrap()),
                )
                .unwrap();
            }
        }
    }
    to
}

#[test]
fn a_killed_sweep_ends_with_the_same_variants() {
    let folder = played();
    let folder = folder.path();
    let games = summary(&folder.join("whole"))["games_played"]
        .as_u64()
        .unwrap();
    let mut kills = 0;
    for goal in [10, 70] {
        let args = ["run", "k.toml", "--jobs", "2", "--out", "killed", "--quiet"];
        let mut child = command(folder, &args)
            .args(resume(&folder.join("killed")))
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let rows = || {
            fs::read_to_string(folder.join("killed/games.csv"))
                .map_or(0, |text| text.lines().count())
        };
        while rows() <= goal && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        kills += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(kills > 0 && games > 80, "{kills} kills, {games} games");
    let resumed = run(
        folder,
        &["k.toml", "--out", "killed", "--resume", "--quiet"],
    );
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert_eq!(
        timeless_with(&folder.join("killed"), "sweep.csv"),
        timeless_with(&folder.join("whole"), "sweep.csv")
    );
    assert_eq!(
        summary(&folder.join("killed"))["sweep"],
        summary(&folder.join("whole"))["sweep"]
    );

    // Skipped games aren't missing: the run is finished, can be verified, and no game of it may be missing.
    let again = run(folder, &["k.toml", "--out", "killed", "--resume"]);
    assert!(
        again.status.code() == Some(0) && text(&again.stderr).contains("it holds a finished run"),
        "{}",
        text(&again.stderr)
    );
    let verified = command(folder, &["verify", "killed/records.jsonl"])
        .output()
        .unwrap();
    assert!(text(&verified.stdout).contains(&format!("{games} games verified, 0 mismatches")));
}

#[test]
fn games_that_were_not_to_be_played_are_refused() {
    let folder = played();
    let folder = folder.path();
    for name in ["games.csv", "records.jsonl"] {
        let whole = fs::read_to_string(folder.join("whole").join(name)).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        // A block without its last two games, but with all that came after it.
        let start = usize::from(name == "games.csv") + 46;
        fs::write(
            folder.join("whole").join(name),
            [&lines[..start], &lines[start + 2..], &[""]]
                .concat()
                .join("\n"),
        )
        .unwrap();
    }
    fs::remove_file(folder.join("whole/summary.json")).unwrap();
    let resumed = run(folder, &["k.toml", "--out", "whole", "--resume", "--quiet"]);
    assert_eq!(resumed.status.code(), Some(3), "{}", text(&resumed.stderr));
    assert!(
        text(&resumed.stderr).contains("is stored twice or out of order"),
        "{}",
        text(&resumed.stderr)
    );
}

/// A plan that was changed by hand can't ask for more than a config can.
#[test]
fn plans_that_cannot_be_are_refused() {
    let folder = played();
    let plan = folder.path().join("whole/plan.toml");
    let whole = fs::read_to_string(&plan).unwrap();
    for (from, to) in [
        ("block = 8", "block = 4000000000000"),
        ("max_units = 96", "max_units = 9223372036854775807"),
        ("alpha = 0.05", "alpha = 2.0"),
    ] {
        assert!(whole.contains(from), "{from}: {whole}");
        fs::write(&plan, whole.replace(from, to)).unwrap();
        let out = command(folder.path(), &["report", "whole", "--json", "-"])
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(3), "{to}: {}", text(&out.stdout));
        assert!(
            text(&out.stderr).contains("plan"),
            "{to}: {}",
            text(&out.stderr)
        );
    }
    // A foreign plan puts nothing into commands to type.
    fs::write(
        &plan,
        whole.replace("rules = \"strict\"", "rules = \"strict; touch X\""),
    )
    .unwrap();
    let out = command(folder.path(), &["report", "whole", "--json", "-"])
        .output()
        .unwrap();
    assert_eq!(
        (out.status.code(), text(&out.stdout)),
        (Some(3), String::new()),
        "{}",
        text(&out.stderr)
    );
}

/// Units that repeat others are no evidence, and a sweep says so.
#[test]
fn repeated_units_confirm_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let config = depths(
        "minishogi",
        "minishogi-greedy",
        "1, 2",
        1,
        "opening_plies = 0",
    );
    let bots = config.find("[[bot]]").unwrap();
    let bot = |name: &str, word: &str| {
        format!("[[bot]]\nname = \"{name}\"\ncommand = [\"sh\", \"smallest.sh\", \"{word}\"]\n")
    };
    let config = [
        config[..bots].to_owned(),
        bot("search", "{depth}"),
        bot("base", "3"),
    ]
    .concat();
    fs::write(folder.path().join("r.toml"), config).unwrap();
    fs::write(
        folder.path().join("smallest.sh"),
        include_str!("../programs/smallest.sh"),
    )
    .unwrap();
    let out = run(folder.path(), &["r.toml", "--out", "r", "--quiet"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("too many units repeat others move for move"),
        "{}",
        text(&out.stdout)
    );
    let sweep = &summary(&folder.path().join("r"))["sweep"];
    assert_eq!(
        (&sweep["too_repetitive"], &sweep["confirm"]),
        (&true.into(), &Value::Null)
    );
}

#[test]
fn the_end_tells_of_the_set_its_luck_and_how_to_confirm_it() {
    let (folder, told) = (played(), &PLAYED.1);
    let folder = folder.path();
    for part in [
        "% of the",
        "survivor: search[depth=3]",
        "eliminated after unit ",
        "winner's curse: part of the lead of search[depth=3]",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let confirm = told
        .lines()
        .find(|line| line.trim_start().starts_with("arena duel"))
        .unwrap()
        .trim()
        .to_owned();
    assert_eq!(summary(&folder.join("whole"))["sweep"]["confirm"], *confirm);
    assert!(
        confirm.contains(" --sprt 0,10 --seed 2 ") && confirm.contains("--opening-plies 4"),
        "{confirm}"
    );
    let words = shlex::split(&confirm).unwrap();
    let [_, args @ ..] = &words[..] else {
        panic!("{confirm}")
    };
    let args: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .chain(["--out", "confirmed"])
        .collect();
    let confirmed = command(folder, &args).output().unwrap();
    assert_eq!(
        confirmed.status.code(),
        Some(0),
        "{}{}",
        text(&confirmed.stdout),
        text(&confirmed.stderr)
    );
    let answer = text(&confirmed.stdout)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    assert!(answer.ends_with("SPRT [0, 10] accepted early"), "{answer}");
    same_conditions(folder, "whole", "confirmed");
}

/// Reports show the Elo of a variant once, in the table of the sweep. The baseline is 0 there.
#[test]
fn a_variant_has_one_elo() {
    let (folder, told) = (played(), &PLAYED.1);
    let folder = folder.path();
    let report = |format: &str| {
        let out = command(folder, &["report", "whole", format, "-"]).output();
        text(&out.unwrap().stdout)
    };
    let (markdown, junit) = (report("--markdown"), report("--junit"));
    let page = fs::read_to_string(folder.join("whole/report.html")).unwrap();
    // Without the scripts, which hold packed games.
    let parts = page
        .split("<script")
        .map(|part| part.rsplit("</script>").next());
    let page: String = parts.flatten().collect();
    let elo = variants(&folder.join("whole"))[1]["elo"]
        .parse::<f64>()
        .unwrap();
    let scale = "Elo: against base, which is 0; 95% for all intervals together at every look";
    for (text, heading) in [
        (told.as_str(), "Elo  "),
        (markdown.as_str(), "| Elo |"),
        (page.as_str(), ">Elo</th>"),
    ] {
        assert!(text.contains(&format!("{elo:+.1}")), "{elo} {text}");
        assert_eq!(text.matches(heading).count(), 1, "{text}");
        assert!(
            text.contains("games; Elo is in the table of the sweep"),
            "{text}"
        );
        assert!(text.contains(scale), "{text}");
        assert!(!text.contains("LOS"), "{text}");
    }
    assert!(page.contains("Against each other"));
    assert!(
        junit.contains("games, score ") && !junit.contains(", Elo "),
        "{junit}"
    );
}

/// The plan of `duel`, which has everything that the plan of `sweep` has but the bots and the seed.
fn same_conditions(folder: &Path, sweep: &str, duel: &str) -> toml::Table {
    let plans = [sweep, duel].map(|run| {
        let file = fs::read_to_string(folder.join(run).join("plan.toml")).unwrap();
        toml::from_str::<toml::Table>(&file).unwrap()["plan"]
            .as_table()
            .unwrap()
            .clone()
    });
    let conditions = plans.each_ref().map(|plan| {
        let mut game = plan["game"][0].as_table().unwrap().clone();
        game.remove("bots");
        (
            game,
            plan.get("memory_mb").cloned(),
            plan.get("sandbox").cloned(),
        )
    });
    assert_eq!(conditions[0], conditions[1]);
    let [sweep, duel] = plans;
    assert_ne!(sweep["seed"], duel["seed"]);
    duel
}

/// The opponent that the leader is ahead of is named wherever it is listed, and the duel is played as the sweep was.
#[test]
fn the_confirming_duel_has_the_conditions_of_the_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [search, random] = ["kutulu-search", "kutulu-random"].map(sample_bot);
    let more = "[limits]\nmemory_mb = 512\n[game.kutulu]\nmaps = \"the maps\"\n";
    let config = depths("kutulu", "kutulu-search", "1, 2", 1, "")
        .replace("block = 8\nmax_units = 96", "block = 4\nmax_units = 12")
        .replace(
            "[clock]\n",
            "[clock]\nrules = \"codingame\"\nno_ponder = false\n",
        )
        .replace(
            "[sweep]\n",
            &format!("{more}[sweep]\nagainst = [\"deep\", \"base\"]\n"),
        )
        .replace(
            &format!("name = \"base\"\ncommand = [\"{search}\", \"--depth\", \"1\"]\n"),
            &format!("name = \"base\"\ncommand = [\"{random}\"]\nread = [\"the maps\"]\nenv = {{ WHO = \"old one\" }}\n"),
        );
    let config =
        format!("{config}[[bot]]\nname = \"deep\"\ncommand = [\"{search}\", \"--depth\", \"3\"]\n");
    fs::write(folder.join("p.toml"), config).unwrap();
    fs::create_dir(folder.join("the maps")).unwrap();
    let maps = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/games/src/kutulu/maps");
    for map in fs::read_dir(maps)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
    {
        fs::copy(&map, folder.join("the maps").join(map.file_name().unwrap())).unwrap();
    }
    let out = run(
        folder,
        &[
            "p.toml",
            "--out",
            "p",
            "--quiet",
            "--seed",
            &u64::MAX.to_string(),
        ],
    );
    let told = text(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{told}{}", text(&out.stderr));
    let sweep = &summary(&folder.join("p"))["sweep"];
    assert_eq!(sweep["leader"], "search[depth=2]");
    let [deep, base] = [0, 1].map(|at| sweep["leader_against"][at]["elo"].as_f64().unwrap());
    assert!(deep < 0.0 && base > 0.0, "{told}");
    assert!(
        told.contains(
            "to confirm search[depth=2] against base, the strongest opponent that it is ahead of"
        ),
        "{told}"
    );
    let words = shlex::split(sweep["confirm"].as_str().unwrap()).unwrap();
    let args: Vec<&str> = words[1..]
        .iter()
        .map(String::as_str)
        .chain(["--out", "confirmed", "--quiet"])
        .collect();
    let confirmed = command(folder, &args).output().unwrap();
    assert_eq!(
        confirmed.status.code(),
        Some(0),
        "{}{}",
        text(&confirmed.stdout),
        text(&confirmed.stderr)
    );
    let duel = same_conditions(folder, "p", "confirmed");
    assert_eq!(duel["bot"][0]["read"].as_array().map(Vec::len), Some(1));
}
