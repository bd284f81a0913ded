//! The workflow for CI does what it says: its steps run unchanged, with real processes.

use std::fmt::Write as _;
use std::fs;
use std::process::Output;

use super::ground::{Ground, project};
use crate::programs::{Said as _, copy_program, has, read, said, sample_bot};

/// A step of the workflow that is a script.
#[derive(Debug, Default)]
struct Step {
    name: String,
    condition: String,
    run: String,
}

fn workflow() -> String {
    read(&project(), "docs/ci-workflow.yml")
}

/// The steps that run commands, but for those that install the program.
fn steps() -> Vec<Step> {
    let mut steps = all_steps();
    let is_elsewhere = |name: &str| name.starts_with("Install") || name.starts_with("See where");
    steps.retain(|step| !is_elsewhere(&step.name));
    assert!(steps.len() >= 3, "{steps:?}");
    steps
}

fn all_steps() -> Vec<Step> {
    let workflow = workflow();
    let mut steps: Vec<Step> = Vec::new();
    let mut in_script = false;
    for line in workflow.split_once("    steps:\n").unwrap().1.lines() {
        if line.starts_with("      - ") {
            steps.push(Step::default());
        }
        let step = steps.last_mut().unwrap();
        if let Some(of_script) = line.strip_prefix("          ")
            && in_script
        {
            writeln!(step.run, "{of_script}").unwrap();
            continue;
        }
        in_script = false;
        match line.get(8..).and_then(|line| line.split_once(": ")) {
            Some(("name", name)) => name.clone_into(&mut step.name),
            Some(("if", condition)) => condition.clone_into(&mut step.condition),
            Some(("run", "|")) => in_script = true,
            Some(("run", script)) => step.run = format!("{script}\n"),
            _ => {}
        }
    }
    steps.retain(|step| !step.run.is_empty());
    steps
}

impl Step {
    /// Whether it runs in the job of a pull request.
    fn runs(&self, ground: &Ground, failed: bool) -> bool {
        match self.condition.as_str() {
            "" | "github.event_name == 'pull_request'" => !failed,
            "always() && hashFiles('results/ci/plan.toml') != ''" => {
                ground.path().join("results/ci/plan.toml").exists()
            }
            other => panic!("the test knows no condition `{other}`"),
        }
    }

    /// Runs it with the variables of the workflow; the bot of the tests is a program.
    fn run(&self, ground: &Ground) -> Output {
        let workflow = workflow();
        let (_, variables) = workflow.split_once("\nenv:\n").unwrap();
        let (variables, _) = variables.split_once("\n\n").unwrap();
        let mut script = "export RUNNER_TEMP=$PWD/temp GITHUB_BASE_REF=main\n".to_owned();
        for line in variables.lines() {
            if let Some((name, value)) = line.trim_start().split_once(": ") {
                let value = if name == "BOT" { "bot" } else { value };
                writeln!(script, "export {name}={value}").unwrap();
            }
        }
        ground.shell(&(script + &self.run))
    }
}

/// How the job ends: the steps in order, once one has failed only those that always run; and
/// everything that they said.
#[track_caller]
fn job(ground: &Ground, steps: &[Step], expected: i32) -> String {
    let (mut code, mut told) = (0, String::new());
    for step in steps {
        if step.runs(ground, code != 0) {
            let out = step.run(ground);
            told += &said(&out);
            if code == 0 {
                code = out.status.code().unwrap();
            }
        }
    }
    assert_eq!(code, expected, "{told}");
    told
}

/// Git with an author.
const GIT: &str = "git -c user.name=me -c user.email=me@example.org";

/// A repository whose main branch has the one bot, and the working tree the other.
fn ground(working: &str, on_main: &str) -> Ground {
    let ground = Ground::new();
    let bot = |options| format!("#!/bin/sh\nexec \"${{0%/*}}/program\" {options}\n");
    copy_program(sample_bot("onitama-search"), &ground.path().join("program"));
    ground.script("bot", &bot(on_main));
    let script = format!(
        "git init --quiet --initial-branch main . && git add bot program
         {GIT} commit --quiet --message first
         git update-ref refs/remotes/origin/main HEAD"
    );
    ground.shell(&script).status(0);
    ground.script("bot", &bot(working));
    ground
}

/// The unchanged search, and one that makes a random move in every third turn.
const SOUND: &str = "--depth 2";
const WEAK: &str = "--depth 1 --blunder 33";

/// The first step fails without arena's source. As long as arena has no public address,
/// `arena init` warns with the same words.
#[test]
fn the_first_step_says_where_arena_comes_from() {
    let ground = Ground::new();
    let first = &all_steps()[0];
    let out = first.run(&ground);
    out.status(1);
    let error = said(&out);
    let words = error.trim_end().trim_start_matches("::error title=arena::");
    let init = said(&ground.shell("arena init mine"));
    let is_unpublished = env!("CARGO_PKG_REPOSITORY").is_empty();
    let warning = format!("warning: {words}\n");
    assert_eq!(init.contains(&warning), is_unpublished, "{words}: {init}");
    ground.write("arena/Cargo.toml", "");
    first.run(&ground).status(0);
    let script = "export ARENA=https://example.org/me/arena\n".to_owned() + &first.run;
    Ground::new().shell(&script).status(0);
}

#[test]
fn a_bot_that_is_no_weaker_passes() {
    let ground = ground(SOUND, WEAK);
    job(&ground, &steps(), 0);
    has(&read(ground.path(), "step-summary.md"), "accepted");
    let results = &ground.path().join("results/ci");
    let junit = read(results, "junit.xml");
    has(&junit, "failures=\"0\"");
    assert!(!junit.contains("<failure"), "{junit}");
    for name in ["report.html", "records.jsonl", "sprt.csv", "summary.json"] {
        assert!(results.join(name).exists(), "{name}");
    }
}

#[test]
fn a_weaker_bot_is_refused() {
    let ground = ground(WEAK, SOUND);
    job(&ground, &steps(), 1);
    has(&read(ground.path(), "step-summary.md"), "rejected");
    has(&read(ground.path(), "results/ci/junit.xml"), "<failure");
}

#[test]
fn what_is_not_decided_warns() {
    let ground = ground(SOUND, SOUND);
    let mut steps = steps();
    for step in &mut steps {
        step.run = step.run.replace("--for 20m", "--for 1s");
    }
    let told = job(&ground, &steps, 0);
    has(&told, "::warning title=Strength::inconclusive");
    has(&read(ground.path(), "results/ci/junit.xml"), "<skipped");
}

#[test]
fn a_first_bot_passes_and_a_missing_one_fails() {
    let ground = ground(SOUND, SOUND);
    let remove = format!("git rm --quiet --cached bot && {GIT} commit -qm less");
    ground.shell(&remove).status(0);
    let push = "git update-ref refs/remotes/origin/main HEAD";
    ground.shell(push).status(0);
    let told = job(&ground, &steps(), 0);
    has(&told, "nothing to compare with: main has no bot");
    fs::remove_file(ground.path().join("bot")).unwrap();
    has(&job(&ground, &steps(), 3), "./bot");
}

#[test]
fn a_bot_that_does_not_keep_to_the_protocol_is_refused() {
    let ground = ground(SOUND, SOUND);
    ground.script("bot", "#!/bin/sh\nexit 0\n");
    job(&ground, &steps(), 1);
    assert!(!ground.path().join("results").exists());
}
