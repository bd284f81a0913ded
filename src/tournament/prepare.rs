//! Builds the bots before the first game, and identifies their programs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

use super::{Build, Control, RunError, Session};
use crate::plan::samples;
use crate::plan::{Plan, PlannedGame};
use crate::report::{Event, Reporter};
use crate::store::{self, Program, StoreError};
use crate::worker::Started;
use arena_process::languages::{self, Compilation, Compiler, Folder, Ready};
use arena_process::{Sandbox, hex, run_command, slashed};
use arena_section::text::command_line;

/// The maximum number of files of a folder to list one by one.
const EACH: usize = 256;

/// Why the programs of a run aren't ready.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NotReady(pub(super) String);

/// Runs each distinct build command once, outside the sandbox. Then compiles every bot and every
/// referee that is a source file, in the sandbox of the plan: on other machines it plays there, but
/// it is compiled here. Shows output only on failure. Returns the programs in the order of the
/// plan, those of bots first.
pub(super) fn build_all(
    plan: &Plan,
    session: &Session,
    control: &Control,
    sandbox: &Sandbox,
    reporter: &mut dyn Reporter,
) -> Result<(Started, Vec<Ready>), RunError> {
    sandbox
        .hide(&session.out)
        .map_err(|error| RunError::Internal(error.into()))?;
    let stops = [&*control.drain, &control.kill];
    let is_due = true;
    let mut announce = |what: String| reporter.event(&Event::Preparing { what, is_due });
    let mut done = BTreeSet::new();
    for Build { bot, command } in &session.builds {
        if done.insert(command) {
            let shown = command_line(command);
            announce(format!("building: {shown}"));
            run_command(command, &stops)
                .with_context(|| format!("can't build bot `{bot}` with `{shown}`"))
                .map_err(RunError::Input)?;
        }
    }
    let mut failed = Vec::new();
    let mut run = |compilation: &Compilation| {
        if stops.iter().any(|stop| stop.is_raised()) {
            return Err(NotReady("interrupted".to_owned()).into());
        }
        if failed.contains(&compilation.source) {
            // The same source was compiled for another bot.
            return Err(NotReady("it failed, see above".to_owned()).into());
        }
        announce(samples::compiling(compilation));
        samples::compile(compilation, &sandbox.in_mode(plan.sandbox)?, &stops)
            .inspect_err(|_| failed.push(compilation.source.clone()))
    };
    let mut compiler = Compiler {
        sandbox,
        run: &mut run,
    };
    let (mut started, programs) = ready_all(plan, &mut compiler)?;
    started.start_anyway = session.start_anyway;
    #[cfg(feature = "workers")]
    started
        .files
        .extend(programs.iter().flat_map(Ready::all_files));
    Ok((started, programs))
}

/// Compiles all bots and referees, even if some fail. The error lists these.
fn ready_all(plan: &Plan, compiler: &mut Compiler<'_>) -> Result<(Started, Vec<Ready>), RunError> {
    let mut started = Started::default();
    let mut programs = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    for bot in &plan.bots {
        match samples::ready(&plan.languages, bot, compiler) {
            Ok(ready) => programs.push(ready),
            Err(error) => failures.push(format!("can't start bot `{}`: {error:#}", bot.name)),
        }
    }
    started.bots = programs.iter().map(|ready| ready.launch.clone()).collect();
    for PlannedGame { id, referee, .. } in &plan.games {
        let Some(referee) = referee else { continue };
        match languages::ready(&plan.languages, &referee.launch(id), None, compiler) {
            Ok(ready) => {
                let start = referee.started(ready.launch.clone(), compiler);
                started.referees.insert(id.clone(), start);
                programs.push(ready);
            }
            Err(error) => failures.push(format!("can't start the referee of `{id}`: {error:#}")),
        }
    }
    if !failures.is_empty() {
        return Err(RunError::Input(NotReady(failures.join("\n")).into()));
    }
    Ok((started, programs))
}

/// Returns the files of each program, and the identity of the compiled ones.
pub(super) fn programs(ready: &[Ready]) -> Result<Vec<Program>, RunError> {
    let mut digests = Digests::default();
    ready.iter().map(|ready| digests.program(ready)).collect()
}

/// The digests of files. Each file is read once for all bots.
#[derive(Default)]
struct Digests(BTreeMap<PathBuf, String>);

impl Digests {
    fn program(&mut self, bot: &Ready) -> Result<Program, RunError> {
        let mut files: BTreeMap<String, String> = bot.identity.iter().cloned().collect();
        for path in &bot.files {
            files.insert(slashed(path), self.of(path)?);
        }
        for folder in &bot.folders {
            self.add_folder(folder, &mut files);
        }
        Ok(Program {
            bot: bot.launch.name.clone(),
            files,
        })
    }

    fn of(&mut self, path: &Path) -> Result<String, StoreError> {
        if let Some(digest) = self.0.get(path) {
            return Ok(digest.clone());
        }
        let digest = store::hash_file(path)?;
        self.0.insert(path.to_owned(), digest.clone());
        Ok(digest)
    }

    /// Adds a digest of the names of a folder's files, under the path of the folder with a slash at
    /// the end, and the digest of each file. If there are many, a single digest covers names and
    /// contents.
    fn add_folder(&mut self, folder: &Folder, files: &mut BTreeMap<String, String>) {
        let are_many = folder.files.len() > EACH;
        let mut whole = Sha256::new();
        for name in &folder.files {
            let parts: Vec<&[u8]> = name.iter().map(OsStr::as_encoded_bytes).collect();
            whole.update(parts.join(&b'/'));
            whole.update([0]);
            let path = folder.path.join(name);
            // An unreadable file is not part of the bot.
            let digest = self.of(&path).unwrap_or_default();
            if are_many {
                whole.update(digest);
            } else {
                files.insert(slashed(&path), digest);
            }
        }
        let place = slashed(&folder.path) + "/";
        files.insert(place, hex(&whole.finalize()));
    }
}
