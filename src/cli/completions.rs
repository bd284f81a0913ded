//! `arena completions`.

use std::io::{self, Write};

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::{Shell, generate};

use super::Cli;
use crate::exit;

/// Writes what makes a shell complete the words of this program
///
/// For bash: arena completions bash > ~/.local/share/bash-completion/completions/arena. For zsh, a file `_arena` in a
/// folder of $fpath; for fish, ~/.config/fish/completions/arena.fish.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: For,
}

/// The shells.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "lower")]
enum For {
    Bash,
    Elvish,
    Fish,
    PowerShell,
    Zsh,
}

pub(super) fn completions(args: &CompletionsArgs) -> u8 {
    let shell = match args.shell {
        For::Bash => Shell::Bash,
        For::Elvish => Shell::Elvish,
        For::Fish => Shell::Fish,
        For::PowerShell => Shell::PowerShell,
        For::Zsh => Shell::Zsh,
    };
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "arena", &mut script);
    // Who closes the output early has seen enough.
    let _ = io::stdout().lock().write_all(&script);
    exit::OK
}
