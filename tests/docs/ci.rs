//! The recipe for CI does what it says: the steps of the workflow, as they stand, with real processes.

use std::fmt::Write as _;
use std::fs;

use super::ground::{Ground, project, said};
use crate::programs::sample_bot;

/// A step of the workflow that is a script.
#[derive(Debug, Default)]
struct Step {
    name: String,
    always: bool,
    run: String,
}

/// The steps that run commands, but for those that build programs.
fn steps() -> Vec<Step> {
    let workflow = fs::read_to_string(project().join("docs/ci-workflow.yml")).unwrap();
    let mut steps: Vec<Step> = Vec::new();
    let mut in_script = false;
    for line in workflow.split_once("    steps:\n").unwrap().1.lines() {
        if line.starts_with("      - ") {
            steps.push(Step::default());
        }
        let step = steps.last_mut().unwrap();
        if let Some(of_script) = line.strip_prefix("          ").filter(|_| in_script) {
            writeln!(step.run, "{of_script}").unwrap();
            continue;
        }
        in_script = false;
        match line.get(8..).and_then(|line| line.split_once(": ")) {
            Some(("name", name)) => name.clone_into(&mut step.name),
            Some(("if", "always()")) => step.always = true,
            Some(("run", "|")) => in_script = true,
            Some(("run", script)) => step.run = format!("{script}\n"),
            _ => {}
        }
    }
    steps.retain(|step| !step.run.is_empty() && !step.name.starts_with("Build"));
    assert!(steps.len() >= 3, "{steps:?}");
    steps
}

/// How the job ends: the steps in order, once one has failed only those that always run; and everything that they said.
fn job(ground: &Ground) -> (i32, String) {
    let (mut code, mut told) = (0, String::new());
    for step in &steps() {
        if code != 0 && !step.always {
            continue;
        }
        let out = ground.shell(&step.run);
        told += &said(&out);
        code = if code == 0 { out.status.code().unwrap() } else { code };
    }
    (code, told)
}

/// A folder with the program in `target/release` and another as the stored one.
fn ground(working: &str, stored: &str) -> Ground {
    let ground = Ground::new();
    fs::create_dir_all(ground.path().join("stored")).unwrap();
    for (folder, options) in [("target/release", working), ("stored", stored)] {
        fs::copy(sample_bot("onitama-search"), ground.path().join(folder).join("program")).unwrap();
        ground.script(&format!("{folder}/onitama-search"), &format!("#!/bin/sh\nexec {folder}/program {options}\n"));
    }
    ground
}

fn file(ground: &Ground, name: &str) -> String {
    fs::read_to_string(ground.path().join(name)).unwrap()
}

/// The search as it stands, and one that makes a random move in every third turn.
const SOUND: &str = "--depth 2";
const WEAK: &str = "--depth 1 --blunder 33";

#[test]
fn a_bot_that_is_no_weaker_passes() {
    let ground = ground(SOUND, WEAK);
    let (code, told) = job(&ground);
    assert_eq!(code, 0, "{told}");
    let summary = file(&ground, "step-summary.md");
    assert!(summary.contains("accepted"), "{summary}");
    let junit = file(&ground, "results/ci/junit.xml");
    assert!(junit.contains("failures=\"0\"") && !junit.contains("<failure"), "{junit}");
    for name in ["report.html", "records.jsonl", "sprt.csv", "summary.json"] {
        assert!(ground.path().join("results/ci").join(name).exists(), "{name}");
    }
}

#[test]
fn a_weaker_bot_is_refused() {
    let ground = ground(WEAK, SOUND);
    let (code, told) = job(&ground);
    assert_eq!(code, 1, "{told}");
    let summary = file(&ground, "step-summary.md");
    assert!(summary.contains("rejected"), "{summary}");
    assert!(file(&ground, "results/ci/junit.xml").contains("<failure"));
}

#[test]
fn what_is_not_decided_warns_and_a_missing_bot_fails() {
    let ground = ground(SOUND, SOUND);
    let config = file(&ground, "configs/ci.toml");
    let short = config.replace("max_units = 20000", "max_units = 3");
    assert_ne!(config, short);
    ground.write("configs/ci.toml", &short);
    let (code, told) = job(&ground);
    assert!(code == 0 && told.contains("::warning title=Strength::undecided"), "{code}: {told}");
    assert!(file(&ground, "results/ci/junit.xml").contains("<skipped"));

    fs::remove_dir_all(ground.path().join("results")).unwrap();
    fs::remove_file(ground.path().join("stored/onitama-search")).unwrap();
    let (code, told) = job(&ground);
    assert!(code == 3 && told.contains("stored/onitama-search"), "{code}: {told}");
}

#[test]
fn a_bot_that_does_not_keep_to_the_protocol_is_refused() {
    let check = steps().into_iter().find(|step| step.name.starts_with("Check")).unwrap();
    assert!(Ground::new().shell(&check.run).status.success());
    let silent = Ground::new();
    silent.script("target/release/onitama-search", "#!/bin/sh\nexit 0\n");
    assert_eq!(silent.shell(&check.run).status.code(), Some(1));
}
