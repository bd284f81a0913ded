//! `arena completions`.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::{Cli, Failure, print};

/// Generates shell completions
///
/// For bash: arena completions bash > ~/.local/share/bash-completion/completions/arena. For zsh, a file `_arena` in a
/// folder of $fpath; for fish, ~/.config/fish/completions/arena.fish.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "arena", &mut script);
    print(script)
}
