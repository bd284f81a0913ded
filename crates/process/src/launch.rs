//! How a bot is started.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How to start a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The name of the bot, for messages.
    pub name: String,
    /// The program, found by [`find_program`](crate::find_program), and its arguments. `{seed}`
    /// becomes the bot's own seed.
    pub command: Vec<String>,
    /// Variables to add to the environment; `{seed}` as in the arguments. `ARENA_SEED` is the bot's
    /// own seed unless it is given here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// More folders and files that it may read in the sandbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
}

impl Launch {
    /// Creates a bot with a name and a command, and nothing else.
    pub fn new<W: Into<String>>(
        name: impl Into<String>,
        command: impl IntoIterator<Item = W>,
    ) -> Launch {
        Launch {
            name: name.into(),
            command: command.into_iter().map(Into::into).collect(),
            ..Launch::default()
        }
    }

    /// Returns the same bot with names in braces replaced by their values.
    #[must_use]
    pub fn filled(&self, values: &BTreeMap<String, String>) -> Launch {
        let mut filled = self.clone();
        for text in filled.command.iter_mut().chain(filled.env.values_mut()) {
            *text = fill(text, values);
        }
        filled
    }
}

/// Replaces the names in braces that have a value.
pub(crate) fn fill(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part
            .split_once('}')
            .and_then(|(name, rest)| Some([values.get(name)?.as_str(), rest]));
        filled.extend(value.unwrap_or(["{", part]));
    }
    filled
}
