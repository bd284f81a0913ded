//! `plan.toml`: the plan of a run directory.

use std::collections::BTreeMap;
use std::path::Path;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{StoreError, unreadable};
use crate::plan::{Plan, Unsound};
use arena_games::Games;
use arena_process::{Launch, PLAN_BEGIN, hex};

/// The version of the files in a run directory.
pub(crate) const VERSION: u32 = 2;

/// The text around the checksum in the first line of the file.
const CHECKSUM: [&str; 2] = [PLAN_BEGIN, "\"\n"];
const HEAD: &str =
    "# What this run directory is a run of. Written by arena; read again by --resume.\n";
const INCOMPATIBLE: &str = "it was not written by a compatible version";

/// Why a plan file can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanFault {
    #[error("{INCOMPATIBLE}: it does not begin with a checksum")]
    NoChecksum,
    #[error(
        "it was changed after it was written, so it does not say any more what was played; undo the change"
    )]
    Changed,
    #[error("{INCOMPATIBLE}: {}", .0.message().trim_end())]
    Unreadable(#[from] toml::de::Error),
    #[error("it has version {0} of the files, this arena reads version {VERSION}")]
    Version(u32),
    /// The plan can't be played or counted.
    #[error(transparent)]
    Unplayable(#[from] Unsound),
}

/// The content of `plan.toml`, below its checksum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlanFile {
    /// The version of the files in this directory, see [`VERSION`].
    pub(crate) version: u32,
    /// The digest of [`PlanFile::plan`].
    pub(crate) digest: String,
    /// The number of games of the plan.
    pub(crate) games: u64,
    /// Earlier values of `games`, one for each time that the run was extended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) grown_from: Vec<u64>,
    /// The command that continues the run, as typed in the folder where it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) go_on: Option<String>,
    pub(crate) plan: Plan,
    /// The programs of the run. A run can't be resumed with others.
    pub(crate) program: Vec<Program>,
}

/// The files of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    /// The name of the bot, or of the referee's game.
    pub(crate) bot: String,
    /// SHA-256 by path of its executable, of files in its command or under `read`, of the files in
    /// folders among them, and of what scripts among them name. Folders end in a slash, see
    /// `tournament::prepare`. A compiled source has a digest that identifies the result; a sample
    /// bot of this program has its version.
    pub(crate) files: BTreeMap<String, String>,
}

impl PlanFile {
    /// Makes the file of a plan with its digest, before its programs are known.
    pub(crate) fn new(plan: Plan) -> PlanFile {
        PlanFile {
            version: VERSION,
            digest: digest(&plan),
            games: plan.schedule().len(),
            grown_from: Vec::new(),
            go_on: None,
            plan,
            program: Vec::new(),
        }
    }

    /// The bots with the digests of their programs and arguments.
    pub(crate) fn digests(&self) -> impl Iterator<Item = (String, String)> {
        // Referees follow the bots.
        self.program
            .iter()
            .zip(&self.plan.bots)
            .map(|(program, bot)| (bot.name.clone(), program.made_of(bot)))
    }

    /// The bots that are the same program with the same arguments, in groups, for instance because
    /// the new one was not built. The sides of a tuning and the variants of a sweep differ in their
    /// values.
    pub(crate) fn alike(&self) -> Vec<Vec<String>> {
        if !self.plan.study.compares_programs() {
            return Vec::new();
        }
        let mut same: IndexMap<String, Vec<String>> = IndexMap::new();
        for (bot, digest) in self.digests() {
            same.entry(digest).or_default().push(bot);
        }
        same.retain(|_, bots| bots.len() > 1);
        same.into_values().collect()
    }

    /// Formats the file. Its first line holds the checksum of the rest.
    pub(crate) fn to_toml(&self) -> String {
        let content = HEAD.to_owned() + &toml::to_string(self).unwrap_or_default();
        let [before, behind] = CHECKSUM;
        format!("{before}{}{behind}{content}", sha256(content.as_bytes()))
    }

    /// Reads the text of a file. The error says if it was changed or written by an incompatible
    /// version. [`PlanFile::looked_up`] checks whether it can be played or counted.
    pub(crate) fn parse(text: &str) -> Result<PlanFile, PlanFault> {
        let [before, behind] = CHECKSUM;
        let rest = text.strip_prefix(before).ok_or(PlanFault::NoChecksum)?;
        let (checksum, content) = rest.split_once(behind).ok_or(PlanFault::Changed)?;
        if checksum != sha256(content.as_bytes()) {
            return Err(PlanFault::Changed);
        }
        let file: PlanFile = toml::from_str(content)?;
        match file.version {
            VERSION => Ok(file),
            other => Err(PlanFault::Version(other)),
        }
    }

    /// Looks up the games of the plan in a list.
    pub(crate) fn looked_up(mut self, games: &Games) -> Result<PlanFile, PlanFault> {
        self.plan.look_up(games);
        self.plan.check()?;
        if self.games != self.plan.schedule().len() {
            return Err(PlanFault::Changed);
        }
        Ok(self)
    }

    /// Describes the first program that isn't the same in another file of the same plan.
    pub(super) fn changed_program(&self, other: &PlanFile) -> Option<String> {
        for (place, (ours, theirs)) in self.program.iter().zip(&other.program).enumerate() {
            if let Some(path) = ours.difference(theirs) {
                // Referees follow the bots.
                let is_bot = place < self.plan.bots.len();
                let what = if is_bot { "bot" } else { "the referee of" };
                let bot = &ours.bot;
                return Some(format!(
                    "{what} `{bot}` is not the same: {path} has changed"
                ));
            }
        }
        None
    }
}

impl Program {
    /// Returns a digest of this bot, wherever its files are: of the digests of its files, its other
    /// arguments, and its variables.
    fn made_of(&self, bot: &Launch) -> String {
        let mut digests: Vec<&String> = self.files.values().collect();
        digests.sort();
        let mut words: Vec<&String> = bot.command.iter().skip(1).collect();
        words.retain(|word| {
            let mut paths = self.files.keys().map(Path::new);
            !paths.any(|path| path.ends_with(word))
        });
        sha256(format!("{digests:?} {words:?} {:?}", bot.env).as_bytes())
    }

    /// Names a changed file, or else a changed folder. A file that only one of them has makes no
    /// difference: whatever names it changed as well, or was not searched as thoroughly.
    fn difference(&self, other: &Program) -> Option<&String> {
        self.files
            .iter()
            .filter(|(path, digest)| other.files.get(*path).is_some_and(|there| there != *digest))
            .map(|(path, _)| path)
            .min_by_key(|path| path.ends_with('/'))
    }
}

/// Whether a text is a plan file, even if it was changed.
pub(super) fn is_plan(text: &str) -> bool {
    toml::from_str::<toml::Table>(text)
        .is_ok_and(|table| table.contains_key("digest") && table.contains_key("plan"))
}

fn digest(plan: &Plan) -> String {
    sha256(toml::to_string(plan).unwrap_or_default().as_bytes())
}

/// Returns the SHA-256 of a file in hexadecimal.
pub(crate) fn hash_file(path: &Path) -> Result<String, StoreError> {
    arena_process::hash_file(path).map_err(unreadable(path))
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored plans hold digests of whole files, read in pieces or at once.
    #[test]
    fn a_large_file_has_the_digest_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        for length in [0, 1, 1 << 18, (1 << 20) + 7] {
            let bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(hash_file(&path).unwrap(), sha256(&bytes), "{length} bytes");
        }
        assert!(matches!(
            hash_file(folder.path()),
            Err(StoreError::Unreadable { .. })
        ));
    }
}
