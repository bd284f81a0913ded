//! The overview of the verbs, and usage errors that say what to type instead.

use std::fmt::Write as _;
use std::process;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _, FromArgMatches as _};

use super::{Cli, print, report_failure, say};
use arena_section::screen::Screen;

/// The verbs of the overview, in groups.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Play",
        &["init", "check", "duel", "run", "tune", "minishogi"],
    ),
    (
        "Look at a run",
        &["report", "replay", "watch", "verify", "import"],
    ),
    ("Calculate", &["rate", "elo", "sprt"]),
    ("Other", &["list", "merge", "worker", HELP]),
];

/// The verb that clap adds.
const HELP: &str = "help";

/// Verbs that are gone, each with the command that replaces it.
const REPLACED: [(&str, &str); 8] = [
    ("bots", "arena list bots"),
    ("compare", "arena rate RUN.."),
    ("games", "arena list games"),
    ("history", "arena rate RUN.."),
    ("languages", "arena list languages"),
    ("man", "arena help VERB"),
    ("power", "arena sprt"),
    ("workers", "arena worker URL --list"),
];

/// Verbs that take bots in quotes.
const TAKE_BOTS: [&str; 3] = ["check", "duel", "tune"];

/// Returns the arguments of this process. Wrong usage ends it with the code 2, and --help with 0.
pub(super) fn parsed() -> Cli {
    let matches = command().try_get_matches();
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.unwrap_or_else(|mut error| {
        advise(&mut error);
        let is_help = !error.use_stderr();
        let screen = if is_help {
            Screen::stdout()
        } else {
            Screen::stderr()
        };
        let text = error.render();
        let text = if screen.has_colours() {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        if is_help {
            process::exit(print(text).unwrap_or_else(report_failure).into());
        }
        say(text.trim_end());
        process::exit(error.exit_code());
    })
}

/// Returns the command line with its verbs in groups, which clap can't show by itself.
fn command() -> Command {
    let command = Cli::command().mut_subcommands(|verb| {
        verb.mut_args(|arg| {
            let takes_number = arg.get_action().takes_values();
            arg.allow_negative_numbers(takes_number)
        })
    });
    let (header, literal) = {
        let styles = command.get_styles();
        (*styles.get_header(), *styles.get_literal())
    };
    let mut verbs = String::new();
    for (title, group) in GROUPS {
        let _ = writeln!(verbs, "{header}{title}:{header:#}");
        for verb in group {
            let about = match command.find_subcommand(verb) {
                Some(verb) => verb.get_about().map(ToString::to_string),
                None => Some("Explain a verb".to_owned()),
            };
            let about = about.unwrap_or_default();
            let _ = writeln!(verbs, "  {literal}{verb:<9}{literal:#}  {about}");
        }
        verbs.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{verbs}{header}Options:{header:#}\n{{options}}"
    ))
}

/// Adds what to type instead to a usage error, if that is known.
fn advise(error: &mut clap::Error) {
    let advice = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(verb))) => {
            let Some((_, now)) = REPLACED.iter().find(|(gone, _)| gone == verb) else {
                return;
            };
            error.remove(ContextKind::SuggestedSubcommand);
            format!("use `{now}` instead")
        }
        (ErrorKind::UnknownArgument, _) if error.get(ContextKind::SuggestedArg).is_none() => {
            let verb = std::env::args().nth(1).unwrap_or_default();
            if !TAKE_BOTS.contains(&verb.as_str()) {
                return;
            }
            "a bot with its options is one word in quotes, as in \"./bot --depth 3\"".into()
        }
        _ => return,
    };
    let advice = ContextValue::StyledStrs(vec![advice.into()]);
    error.insert(ContextKind::Suggested, advice);
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn each_visible_verb_has_one_group_and_fits_into_a_window() {
        let mut grouped = GROUPS.map(|(_, verbs)| verbs).concat();
        assert!(grouped.len() <= 18, "{grouped:?}");
        let mut visible = vec![HELP];
        let command = command();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            visible.push(verb.get_name());
            let about = verb.get_about().unwrap().to_string();
            assert!(about.len() < 66, "{about}");
        }
        grouped.sort_unstable();
        visible.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn verbs_that_are_gone_name_their_replacement() {
        for (verb, now) in REPLACED {
            let mut error = Cli::try_parse_from(["arena", verb]).unwrap_err();
            advise(&mut error);
            let text = error.to_string();
            let expected =
                format!("error: unrecognized subcommand '{verb}'\n\n  tip: use `{now}` instead\n");
            assert!(text.starts_with(&expected), "{text}");
        }
    }
}
