//! `arena completions`.

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use super::{Cli, Failure, print_data};

/// Generate shell completions
///
/// For bash and zsh, a line in ~/.bashrc or ~/.zshrc (there after compinit): source <(arena completions bash). For fish, a
/// line in ~/.config/fish/config.fish: arena completions fish | source.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "arena", &mut script);
    print_data(script)
}
