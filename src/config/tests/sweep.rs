//! `[sweep]`: its mistakes, and the variants it gives.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::super::{ConfigError, Overrides};
use crate::plan::{Plan, StudyPlan, Sweep};
use arena_schedule::Design;

const BOTS: &str = r#"
[[bot]]
name = "base"
command = "bot-b"

[[bot]]
name = "search"
command = ["bot-a", "--depth", "{depth}"]
env = { TIME = "{time} ms", SEED = "{seed}" }

[[bot]]
name = "other"
command = "bot-b {other}"
"#;

const VALUES: &str = "values = { depth = [2, 3], time = [10, 20] }";

/// A config with these lines in `[sweep]`.
fn text(lines: &str) -> String {
    format!(
        "[run]\ngame = \"minishogi\"\nformat = \"sweep\"\n[sweep]\nbot = \"search\"\n{lines}\n{BOTS}"
    )
}

fn both(text: &str, overrides: &Overrides) -> Result<(Plan, Option<Sweep>), ConfigError> {
    let (plan, _) = super::both(text, overrides)?;
    let sweep = match &plan.study {
        StudyPlan::Sweep(sweep) => Some(sweep.clone()),
        _ => None,
    };
    Ok((plan, sweep))
}

fn swept(lines: &str) -> (Plan, Sweep) {
    let (plan, sweep) = both(&text(lines), &Overrides::default())
        .map_err(|error| error.to_string())
        .expect("a plan");
    (plan, sweep.expect("a sweep"))
}

fn mistake_in(text: &str) -> String {
    both(text, &Overrides::default())
        .expect_err(text)
        .to_string()
}

/// The message about these lines of `[sweep]`.
fn mistake(lines: &str) -> String {
    mistake_in(&text(lines))
}

/// The names of the variants, without what they share.
fn variants(lines: &str) -> Vec<String> {
    let (_, sweep) = swept(lines);
    let name = |name: &str| {
        name.trim_start_matches("search[")
            .trim_end_matches(']')
            .to_owned()
    };
    sweep
        .variants
        .iter()
        .map(|variant| name(&variant.bot))
        .collect()
}

#[test]
fn a_sweep_makes_bots() {
    let (plan, sweep) = swept(VALUES);
    let names: Vec<&str> = plan.bots.iter().map(|bot| bot.name.as_str()).collect();
    let variants = [
        "depth=2,time=10",
        "depth=2,time=20",
        "depth=3,time=10",
        "depth=3,time=20",
    ]
    .map(|set| format!("search[{set}]"));
    assert_eq!(names[1..5], variants);
    assert_eq!((names[0], names[5], names.len()), ("base", "other", 6));
    assert_eq!(plan.bots[3].command, ["bot-a", "--depth", "3"]);
    assert_eq!(
        format!("{:?}", plan.bots[3].env),
        r#"{"SEED": "{seed}", "TIME": "10 ms"}"#
    );
    assert_eq!(
        plan.bots[5].command,
        ["bot-b", "{other}"],
        "only the bot that is swept is filled in"
    );
    assert_eq!(plan.games[0].bots, names);
    assert_eq!(plan.study.games_per_pairing(), 3200);
    assert_eq!(
        (sweep.bot.as_str(), sweep.against.join(" ").as_str()),
        ("search", "base other")
    );
    assert_eq!(sweep.parameters, ["depth", "time"]);
    let values =
        [("depth", "3"), ("time", "20")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(
        (sweep.variants[3].bot.as_str(), &sweep.variants[3].values),
        (names[4], &BTreeMap::from(values))
    );
    assert_eq!(settings(&sweep), (16, 1600, 0.05, None));
}

#[test]
fn each_value_meets_each() {
    let four = [
        "depth=2,time=10",
        "depth=2,time=20",
        "depth=3,time=10",
        "depth=3,time=20",
    ];
    assert_eq!(variants(VALUES), four);
    assert_eq!(
        variants("values = { time = [10, 20], depth = [2, 3] }")[1],
        "time=10,depth=3",
        "in the order written"
    );
}

#[test]
fn ranges_and_numbers_are_exact_decimals() {
    let of = |values: &str| -> Vec<String> {
        let depths = variants(&format!("values = {{ depth = {values}, time = [1] }}"));
        depths
            .iter()
            .map(|set| {
                set.trim_start_matches("depth=")
                    .trim_end_matches(",time=1")
                    .to_owned()
            })
            .collect()
    };
    assert_eq!(
        of("{ min = 0.1, max = 0.5, step = 0.1 }"),
        ["0.1", "0.2", "0.3", "0.4", "0.5"]
    );
    assert_eq!(of("{ min = -1, max = 1, step = 1 }"), ["-1", "0", "1"]);
    assert_eq!(
        of("{ min = 1, max = 1.8, step = 0.4 }"),
        ["1", "1.4", "1.8"]
    );
    assert_eq!(
        of("[0.50, 1e2, 0x1f, 1_000, true, \"x\"]"),
        ["0.5", "100", "31", "1000", "true", "x"]
    );
}

fn settings(sweep: &Sweep) -> (u64, u64, f64, Option<f64>) {
    (
        sweep.block,
        sweep.max_units,
        sweep.alpha,
        sweep.indifference,
    )
}

#[test]
fn settings_and_flags() {
    let (_, sweep) = swept(&format!(
        "{VALUES}\nagainst = [\"other\", \"base\"]\nblock = 10\nmax_units = 95\nalpha = 0.01\nindifference = 2.5"
    ));
    assert_eq!(sweep.against, ["other", "base"], "in the order written");
    assert_eq!(settings(&sweep), (10, 100, 0.01, Some(2.5)));
    let overrides = Overrides {
        games: Some(99),
        ..Overrides::default()
    };
    let (plan, sweep) = both(&text(VALUES), &overrides).expect("a plan");
    assert_eq!(
        (
            plan.study.games_per_pairing(),
            sweep.map(|sweep| sweep.max_units)
        ),
        (128, Some(64))
    );
}

#[test]
fn four_seats_are_divided() {
    let kutulu = text(VALUES).replace("minishogi", "kutulu");
    let (plan, _) = both(&kutulu, &Overrides::default()).expect("a plan");
    assert_eq!(
        (plan.design, plan.games[0].bots.len()),
        (Some(Design::Mirror), 6)
    );
    let schedule = plan.schedule();
    assert_eq!(
        (schedule.len(), schedule.fixture(0).seating),
        (4 * 1600 * 4, vec![1, 1, 0, 0])
    );
    assert_snapshot!(mistake_in(
        &kutulu.replace("[sweep]", "design = \"rotations\"\n[sweep]")
    ));
}

#[test]
fn a_sweep_and_its_format_go_together() {
    let said = [
        mistake_in(&text(VALUES).replace("format = \"sweep\"\n", "")),
        mistake_in(&format!(
            "[run]\ngame = \"minishogi\"\nformat = \"sweep\"\n{BOTS}"
        )),
        mistake_in(&text(VALUES).replace("\"minishogi\"", "[\"minishogi\", \"dice_shogi\"]")),
        mistake_in(&text(VALUES).replace("[sweep]", "games = 100\n[sweep]")),
    ];
    assert_snapshot!(said.join("\n\n"));
}

#[test]
fn placeholders_and_parameters_go_together() {
    let said = [
        mistake("values = { depth = [2, 3], time = [10], width = [1, 2] }"),
        mistake("values = { depths = [2, 3], time = [10] }"),
        mistake("values = { depth = [2, 3], tempo = [10] }"),
        mistake("values = { depth = [2, 3], time = [10], seed = [1, 2] }"),
        mistake("values = { \"a b\" = [2, 3] }"),
        mistake_in(&text(VALUES).replace("{time} ms", "{nonsense}")),
        mistake_in(&text(VALUES).replace(
            "name = \"search\"\n",
            "name = \"search\"\nbuild = \"make -D{depth}\"\n",
        )),
        mistake_in(&text(VALUES).replace(
            "name = \"search\"\n",
            "name = \"search\"\nread = [\"nets/{time}\"]\n",
        )),
    ];
    assert_snapshot!(said.join("\n\n"));
}

#[test]
fn values_that_make_no_sweep() {
    let depth =
        |values: &str| mistake(&format!("values = {{ depth = {values}, time = [10, 20] }}"));
    let said = [
        mistake(""),
        mistake("values = {}"),
        depth("[]"),
        depth("3"),
        depth("[[2]]"),
        depth("[\"a\\nb\"]"),
        depth("[1e99]"),
        depth("[nan]"),
        depth("[2, 3, 2]"),
        depth("[0.5, 0.50]"),
        depth("{ min = 5, max = 1, step = 1 }"),
        depth("{ min = 1, max = 5, step = 0 }"),
        depth("{ min = 5, max = 1, step = -1 }"),
        depth("{ min = 1, max = 5 }"),
        depth("{ min = 1, max = 5, step = 1, stop = 3 }"),
        depth("{ min = 1, max = 1_000_000, step = 1 }"),
        depth("{ min = 1, max = 200, step = 1 }"),
        depth("{ min = 0, max = 1, step = 0.3 }"),
        depth("{ min = 100000000000000000, max = 100000000000000001, step = 0.5 }"),
        depth("[-170141183460469231731687303715884105728]"),
        mistake("values = { depth = [2], time = [10] }"),
    ];
    assert_snapshot!(said.join("\n\n"));
}

#[test]
fn bots_that_cannot_take_part() {
    let taken = text(VALUES).replace("name = \"other\"", "name = \"search[depth=2,time=20]\"");
    let commas = "values = { depth = [\"1,time=2\", \"1\"], time = [\"3\", \"2,time=3\"] }";
    let config = text(VALUES);
    let parts: Vec<&str> = config.split("[[bot]]").collect();
    let program = text("values = { depth = [\"a\", \"c\"], time = [1] }")
        .replace("\"bot-a\", \"--depth\", \"{depth}\"", "\"bot-{depth}\"");
    let said = [
        mistake_in(&text(VALUES).replace("bot = \"search\"", "bot = \"serach\"")),
        mistake_in(&text(VALUES).replace("bot = \"search\"", "bot = \"zyx\"")),
        mistake(&format!(
            "{VALUES}\nagainst = [\"base\", \"other\", \"bass\"]"
        )),
        mistake(&format!(
            "{VALUES}\nagainst = [\"base\", \"other\", \"base\"]"
        )),
        mistake(&format!("{VALUES}\nagainst = [\"base\", \"search\"]")),
        mistake(&format!("{VALUES}\nagainst = \"base\"")),
        mistake(&format!("{VALUES}\nagainst = []")),
        mistake_in(&taken),
        mistake(commas),
        mistake_in(&[parts[0], parts[2]].join("[[bot]]")),
        mistake_in(&program),
        mistake_in(&text(VALUES).replace("{other}", "-d{depth}")),
        mistake_in(
            &text(VALUES).replace("\"bot-b {other}\"", "\"bot-b\"\nbuild = \"make {depth}\""),
        ),
        mistake_in(&text(VALUES).replace("\"bot-b\"\n", "\"bot-b\"\nenv = { T = \"{time}\" }\n")),
    ];
    assert_snapshot!(said.join("\n\n"));
}

#[test]
fn wrong_settings() {
    for (line, said) in [
        (
            "alpha = 0",
            "expected a number above 0 and below 1, found the integer `0`",
        ),
        (
            "alpha = 1.0",
            "expected a number above 0 and below 1, found the float `1.0`",
        ),
        ("alpha = nan", "expected a number above 0 and below 1"),
        (
            "indifference = -1",
            "expected a number above 0, found the integer `-1`",
        ),
        ("block = 0", "expected an integer from 1 to 100000"),
        (
            "block = 20\nmax_units = 19",
            "expected a `max_units` of one `block` at least, found 19 and 20",
        ),
        (
            "block = 1601",
            "expected a `max_units` of one `block` at least, found 1600 and 1601",
        ),
        (
            "max_units = 15",
            "expected a `max_units` of one `block` at least, found 15 and 16",
        ),
        ("max_units = 0", "expected an integer from 1"),
        ("units = 5", "[sweep] takes `bot`, `values`"),
    ] {
        let message = mistake(&format!("{VALUES}\n{line}"));
        assert!(message.contains(said), "{said}\n{message}");
    }
}

proptest! {
    /// Whatever a line of `[sweep]` holds, it gives a plan or a message.
    #[test]
    fn no_line_panics(key in "bot|values|against|block|alpha", value in r#"[\[\]{}=,."0-9a-z \\-]{0,30}"#) {
        for text in [text(&format!("{VALUES}\n{key} = {value}")), text(&format!("{key} = {value}"))] {
            if let Err(error) = both(&text, &Overrides::default()) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn no_range_panics(min in any::<i64>(), max in any::<f64>(), step in any::<i64>()) {
        let range = format!("{{ min = {min}, max = {max:e}, step = {step} }}");
        if let Err(error) = both(&text(&format!("values = {{ depth = {range}, time = [1] }}")), &Overrides::default()) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
