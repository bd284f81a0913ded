//! `[tune]`: its mistakes, and what it comes to.

use super::super::Overrides;
use crate::plan::{Plan, StudyPlan, Tune};

/// What a config with this parameter, and these lines in `[tune]`, comes to.
fn read(parameters: &str, lines: &str) -> Result<crate::plan::Plan, String> {
    let text = format!(
        "[run]\ngame = \"minishogi\"\nformat = \"tune\"\n[tune]\nbot = \"search\"\nparameters = {{ {parameters} }}\n{lines}\n\
         [[bot]]\nname = \"search\"\ncommand = \"bot-a {{x}}\"\n"
    );
    super::both(&text, &Overrides::default())
        .map(|(plan, _)| plan)
        .map_err(|error| error.to_string())
}

fn tune(plan: &Plan) -> &Tune {
    match &plan.study {
        StudyPlan::Tune(tune) => tune,
        study => panic!("no tuning: {study:?}"),
    }
}

#[test]
fn a_tuning_has_two_sides_of_one_bot() {
    let plan = read("x = { min = 0, max = 9, start = 3 }", "max_units = 33").unwrap();
    let tune = tune(&plan);
    assert_eq!(
        (tune.max_units, tune.block, tune.parameters[0].range.step),
        (64, 32, Some(1.0))
    );
    assert_eq!(
        plan.bots
            .iter()
            .map(|bot| bot.name.as_str())
            .collect::<Vec<_>>(),
        ["search[a]", "search[b]"]
    );
    assert_eq!(plan.schedule().len(), 128);
    let plan = read("x = { min = 0.0, max = 9, start = 3 }", "").unwrap();
    assert_eq!(self::tune(&plan).parameters[0].range.step, None);
}

#[test]
fn mistakes_in_tunings() {
    for (parameters, lines, told) in [
        (
            "x = { min = 0, max = 9, start = 10 }",
            "",
            "the start is outside of the range",
        ),
        ("x = { min = 9, max = 0, start = 3 }", "", "an empty range"),
        (
            "x = { min = 3, max = 3, start = 3 }",
            "",
            "needs no tuning: write the value",
        ),
        (
            "x = { min = 0, max = 2, start = 1 }",
            "",
            "too few values to be tuned",
        ),
        (
            "x = { min = 0, max = 9, start = 3, step = 2 }",
            "",
            "steps that miss a value",
        ),
        (
            "x = { min = 0, max = 9, start = 3, step = 0 }",
            "",
            "bad value for `step`",
        ),
        (
            "x = { min = 0, max = 9, start = 3, scale = \"log\" }",
            "",
            "a logarithmic scale begins above 0",
        ),
        (
            "x = { min = 0, max = 9 }",
            "",
            "[tune.parameters.x] has no `start`",
        ),
        ("x = 3", "", "a range, as in"),
        (
            "y = { min = 0, max = 9, start = 3 }",
            "",
            "unknown placeholder `x`",
        ),
        (
            "seed = { min = 0, max = 9, start = 3 }",
            "",
            "`seed` cannot be tuned",
        ),
        ("", "", "expected 1 to 32 parameters, found 0"),
        (
            "x = { min = 0, max = 9, start = 3 }",
            "against = \"search\"",
            "cannot play against",
        ),
        (
            "x = { min = 0, max = 9, start = 3 }",
            "block = 65",
            "an integer from 1 to 64",
        ),
        (
            "x = { min = 0, max = 9, start = 3 }",
            "confirm = 3",
            "a boolean",
        ),
    ] {
        let message = read(parameters, lines).unwrap_err();
        assert!(message.contains(told), "{parameters} {lines}\n{message}");
    }
}
