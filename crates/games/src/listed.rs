//! The legal actions that end a prompt, in games whose prompts list them.

use super::rng::{SplitMix64, choose};

/// The last lines of a prompt, those that the line before them counts. Empty where no line counts what follows it.
pub(super) fn listed_actions(prompt: &str) -> Vec<&str> {
    let mut actions: Vec<&str> = Vec::new();
    for line in prompt.lines().rev() {
        if line.parse() == Ok(actions.len()) {
            actions.reverse();
            return actions;
        }
        actions.push(line);
    }
    Vec::new()
}

/// One of the listed actions.
pub(super) fn random_listed_action(prompt: &str, rng: &mut SplitMix64) -> String {
    choose(&listed_actions(prompt), rng).map_or_else(String::new, ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_count_that_fits_counts_the_actions() {
        assert_eq!(listed_actions("3\nboard\n2\n2552\n5453\n"), ["2552", "5453"]);
        assert_eq!(listed_actions("board\n0\n"), [""; 0]);
        assert_eq!(listed_actions("7\nboard\n"), [""; 0]);
        assert_eq!(listed_actions(""), [""; 0]);
    }
}
