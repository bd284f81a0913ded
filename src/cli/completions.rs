//! `arena completions`.

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use super::failure::Result;
use super::output::print_data;

/// Generate shell completions
///
/// For bash and zsh, a line in ~/.bashrc or ~/.zshrc (there after compinit): source <(arena
/// completions bash). For fish, a line in ~/.config/fish/config.fish: arena completions fish |
/// source.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs, command: &mut Command) -> Result<u8> {
    let mut script = Vec::new();
    generate(args.shell, command, "arena", &mut script);
    print_data(script)
}
