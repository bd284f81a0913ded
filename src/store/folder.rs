//! A folder for a run, looked at once: what it holds, under the lock that lasts until the run ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::lines::Lines;
use super::reading::lost_games;
use super::rows::rows_agree;
use super::{
    GAMES, PENDING, PLAN, PlanFile, RECORDS, RunDir, SUMMARY, SavedSummary, StoreError,
    count_games, io_error, ours, plan_file, read_if_present, refused, remove, replace,
};
use crate::plan::Plan;
use crate::results::{StoredGame, Unfit};
use arena_process::{advice, is_at, lock_of, open_folder, remove_empty};

/// Attempts to take a lock and the pause in between: a fifth of a second in all.
const LOCK_ATTEMPTS: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// How often to check whether a run has ended.
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// The end of a hint about a folder that holds a run, and about one that holds something else.
const WAYS_OUT: &str = "--force replaces it, --out DIR plays elsewhere";
const ELSEWHERE: &str = "--out DIR plays elsewhere";

/// What to do if the directory already holds a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Report an error.
    #[default]
    Refuse,
    /// Resume it, if it has the same plan.
    Resume,
    /// Delete its files and start a new run.
    Replace,
}

/// A folder for a run, under its lock, as it was found.
#[derive(Debug)]
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    pub(crate) found: Found,
    /// Comes before the lock, because it is dropped first.
    _created: Created,
    lock: File,
}

/// What a folder for a run holds.
#[derive(Debug)]
pub(crate) enum Found {
    /// Nothing in it has to stay.
    Fresh,
    /// It holds an unfinished run of the plan, or a shorter one that `grows`.
    Resumable { stored: Box<PlanFile>, grows: bool },
    /// It holds a finished run. The text ends a sentence about the folder.
    Finished(String),
}

/// Folders that arena created, the innermost first. Those that are still empty at the end are
/// removed.
#[derive(Debug)]
struct Created(Vec<PathBuf>);

impl Drop for Created {
    fn drop(&mut self) {
        let _ = self.0.iter().try_for_each(|folder| remove_empty(folder));
    }
}

impl RunFolder {
    /// Creates the folder if it is missing, takes its lock, and says what it holds. If that is a
    /// run, the plan gets the name and, unless one was given, the seed of the stored one. An import
    /// has no plan yet, and can only replace a run. An error means that the folder can't be used.
    pub(crate) fn look(
        path: &Path,
        plan: Option<&mut Plan>,
        existing: Existing,
        seed_is_given: bool,
    ) -> Result<RunFolder, StoreError> {
        let mut folder = RunFolder::locked(path)?;
        let Some(text) = read_if_present(&path.join(PLAN))? else {
            check_without_plan(path, existing)?;
            return Ok(folder);
        };
        // Never replace another program's file of this name.
        let is_ours = plan_file::is_plan(&text);
        if existing == Existing::Replace && is_ours {
            return Ok(folder);
        }
        let why = match (plan, PlanFile::parse(&text)) {
            (Some(plan), Ok(stored)) => {
                plan.name.clone_from(&stored.plan.name);
                if !seed_is_given {
                    plan.seed = stored.plan.seed;
                }
                let games = &stored.plan.games;
                plan.entitle(|id| {
                    let game = games.iter().find(|game| game.id == id)?;
                    Some(&game.referee.as_ref()?.title)
                });
                folder.found = compare(path, plan, stored, existing)?;
                return Ok(folder);
            }
            (Some(_), Err(why)) => format!("its {PLAN} cannot be used: {why}"),
            (None, _) if is_ours => "it already holds a run".to_owned(),
            (None, _) => format!("its {PLAN} isn't arena's"),
        };
        let ways_out = if is_ours { WAYS_OUT } else { ELSEWHERE };
        Err(refused(path, format!("{why}\nhint: {ways_out}")))
    }

    /// Creates the folder if it is missing, and takes its lock.
    fn locked(path: &Path) -> Result<RunFolder, StoreError> {
        let missing = path.ancestors().take_while(|folder| !folder.exists());
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        if !missing.is_empty() {
            fs::create_dir_all(path).map_err(unusable(path))?;
        }
        let Some(lock) = lock(path)? else {
            return Err(refused(path, "another arena is writing to it"));
        };
        if !is_at(&lock, &lock_of(path)) {
            // An arena that began no run removed it before it gave the lock back.
            return RunFolder::locked(path);
        }
        Ok(RunFolder {
            path: path.to_owned(),
            found: Found::Fresh,
            _created: Created(missing),
            lock,
        })
    }

    /// Opens the folder for the run of a plan, whose programs are known by now, and notes how the
    /// run grew. Calls `found` for every stored game that stays. An error of `found` says why a
    /// game doesn't belong there.
    pub(crate) fn open(
        self,
        file: &mut PlanFile,
        found: &mut dyn FnMut(&StoredGame) -> Result<(), Unfit>,
    ) -> Result<RunDir, StoreError> {
        let path = &self.path;
        match &self.found {
            Found::Fresh => {
                for name in ours() {
                    remove(&path.join(name))?;
                }
                replace(path, PLAN, file.to_toml().as_bytes())?;
            }
            Found::Resumable { stored, .. } => {
                if let Some(difference) = stored.changed_program(file) {
                    return Err(refused(path, another_run(&difference)));
                }
            }
            Found::Finished(why) => {
                return Err(refused(path, format!("{why}\nhint: {WAYS_OUT}")));
            }
        }
        let mut run = RunDir::locked(path, self.lock, file)?;
        let end = run.write_rows(found)?;
        // Cuts a torn last line.
        run.records
            .set_len(end)
            .map_err(io_error("cut", &path.join(RECORDS)))?;
        // Keep the summary until every stored game has matched the plan.
        remove(&path.join(SUMMARY))?;
        if let Found::Resumable { stored, grows } = self.found {
            file.grown_from = stored.grown_from;
            // The folder of the run may have moved.
            if grows || stored.go_on != file.go_on {
                replace(path, PLAN, file.to_toml().as_bytes())?;
            }
        }
        Ok(run)
    }
}

/// Checks a folder without a plan, which has to be empty or to hold only files of arena to replace.
fn check_without_plan(path: &Path, existing: Existing) -> Result<(), StoreError> {
    let (mut kept, mut are_ours) = (None, true);
    for entry in fs::read_dir(path).map_err(unusable(path))? {
        let name = entry.map_err(io_error("read", path))?.file_name();
        if path.join(&name) == lock_of(path) {
            continue;
        }
        are_ours &= ours().any(|ours| name == ours);
        // An arena killed before it wrote the plan may leave this file.
        if name != PENDING && kept.is_none() {
            kept = Some(name);
        }
    }
    match kept {
        Some(kept) if existing != Existing::Replace || !are_ours => {
            let holds = format!("it holds {} but no {PLAN}", kept.display());
            let reason = format!("{holds}, so it is not a run directory\nhint: {ELSEWHERE}");
            Err(refused(path, reason))
        }
        _ => Ok(()),
    }
}

/// Compares a plan with the stored one, and says what their folder holds. A difference other than
/// more games is an error.
fn compare(
    path: &Path,
    plan: &Plan,
    mut stored: PlanFile,
    existing: Existing,
) -> Result<Found, StoreError> {
    let lengthened = stored.plan.grown(plan);
    if let Some(difference) = lengthened.difference(plan) {
        return Err(refused(path, unlike(plan, &stored.plan, &difference)));
    }
    let longer = lengthened.difference(&stored.plan);
    let grows = longer.is_some();
    if let Some(difference) = longer
        && existing == Existing::Refuse
    {
        let reason =
            format!("it holds a shorter run: {difference}\nhint: --resume extends it, {WAYS_OUT}");
        return Err(refused(path, reason));
    }
    let may_grow = |left: &SavedSummary| grows && left.may_grow(&stored.plan.study);
    if let Some(why) = finished(path, &PlanFile::new(plan.clone()), existing, &may_grow)? {
        return Ok(Found::Finished(why));
    }
    if grows {
        stored.grown_from.push(stored.games);
    }
    let stored = Box::new(stored);
    Ok(Found::Resumable { stored, grows })
}

/// Says why a stored run can't be resumed as this plan.
fn unlike(plan: &Plan, stored: &Plan, difference: &str) -> String {
    if stored.study.is_imported() {
        let why = "the site played its games, so there is nothing to resume";
        format!(
            "it holds an import: {why}\nhint: `arena import` with --force writes it again, --out DIR plays elsewhere"
        )
    } else if plan.grown(stored).difference(stored).is_none() {
        let larger = match stored.study.stopping() {
            Some(rule) if rule.drop_below.is_some() => {
                "its precision and drop_below, or smaller ones"
            }
            Some(_) => "its precision or a smaller one",
            None => "as many games as it has, or more",
        };
        format!(
            "it holds a larger run: {difference}\nhint: name {larger}, or another folder with --out"
        )
    } else {
        another_run(difference)
    }
}

fn another_run(difference: &str) -> String {
    let rated = "`arena rate` joins the games of several runs";
    format!("it holds another run: {difference}\nhint: {WAYS_OUT}, {rated}")
}

/// Says why a run is complete, if it is. One that ended stays so unless it `may_grow`. An error
/// means that it can't be resumed.
fn finished(
    path: &Path,
    plan: &PlanFile,
    existing: Existing,
    may_grow: &dyn Fn(&SavedSummary) -> bool,
) -> Result<Option<String>, StoreError> {
    let there = count_games(path)?;
    let rows = Lines::count(&path.join(GAMES))?.saturating_sub(1);
    let summary = SavedSummary::read(path)?;
    let (mut lost, mut is_over) = (None, false);
    if let Some(left) = &summary
        && left.run.finished
    {
        lost = lost_games(left.games_played, there);
        is_over = !may_grow(left);
    }
    let lacks_rows = summary.is_some() && rows < there;
    let is_whole = summary.is_some() && there >= plan.games;
    let resumes = existing == Existing::Resume;
    // Report lost games first: writing reports again would hide them.
    let reason = if let Some(lost) = lost {
        format!(
            "{lost}\nhint: bring them back, or remove {SUMMARY}: --resume then plays what is missing at the end; {WAYS_OUT}"
        )
    } else if lacks_rows && resumes {
        return Ok(None);
    } else if lacks_rows {
        let lost = there - rows;
        format!("its {GAMES} lacks {lost} of its {there} games\nhint: --resume writes it again")
    } else if is_whole || is_over {
        let how = if is_whole { " of" } else { ", decided after" };
        let why = format!("it holds a finished run{how} {there} games");
        if resumes {
            return Ok(rows_agree(path, plan)?.then_some(why));
        }
        format!("{why}\nhint: {WAYS_OUT}")
    } else if existing == Existing::Refuse {
        format!(
            "it holds an unfinished run, {there} of {} games\nhint: --resume continues it, {WAYS_OUT}",
            plan.games
        )
    } else if rows > there {
        // A record is written before its row, so no kill leaves this behind.
        format!(
            "{RECORDS} holds {there} of the {rows} games in {GAMES}\nhint: bring the others back, or remove {GAMES}: --resume then plays them again; {WAYS_OUT}"
        )
    } else {
        return Ok(None);
    };
    Err(refused(path, reason))
}

/// Locks a run directory; `None` while another arena writes to it. A process that is being started
/// holds copies of all our descriptors until it executes its program, and with them a lock that we
/// already released. So this tries more than once.
pub(crate) fn lock(path: &Path) -> Result<Option<File>, StoreError> {
    let folder = open_folder(path).map_err(unusable(path))?;
    for _ in 0..LOCK_ATTEMPTS {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(io_error("lock", path)(error)),
        }
    }
    Ok(None)
}

/// Whether an arena is writing to a run directory. Several processes may ask at the same time.
pub(crate) fn is_in_use(path: &Path) -> bool {
    File::open(lock_of(path))
        .is_ok_and(|folder| matches!(folder.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Waits until no arena writes to a run directory, at most this long.
pub(crate) fn wait_for_end(path: &Path, patience: Duration) {
    for _ in 0..patience.as_millis() / LOOK_PAUSE.as_millis() {
        if !is_in_use(path) {
            return;
        }
        thread::sleep(LOOK_PAUSE);
    }
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |error| {
        let hint = advice(&error).unwrap_or(ELSEWHERE);
        refused(path, format!("{error}\nhint: {hint}"))
    }
}
