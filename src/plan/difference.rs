//! In what two plans differ, for people who want to know why a run is refused.

use toml::{Table, Value};

use super::{Plan, StudyPlan};

impl Plan {
    /// This plan with as many games as a later one, if that has more and their games follow after those of this one.
    pub(crate) fn grown(&self, later: &Plan) -> Plan {
        Plan {
            study: self.study.grown(&later.study),
            ..self.clone()
        }
    }

    /// This plan as the stored run began: under its name, with its seed and the balance of its groups.
    pub(crate) fn as_begun(&self, begun: &Plan) -> Plan {
        Plan {
            name: begun.name.clone(),
            seed: begun.seed,
            study: self.study.as_begun(&begun.study),
            ..self.clone()
        }
    }

    /// Says in what two plans differ first, with the keys of a config; `None` when they do not.
    pub(crate) fn difference(&self, other: &Plan) -> Option<String> {
        first_difference(&self.as_config(), &other.as_config(), "")
    }

    /// The plan with its study where a config has it: in `format`, with the keys of a list beside it, or in a table of its
    /// own.
    fn as_config(&self) -> Table {
        let mut config = Table::try_from(self).unwrap_or_default();
        if let Some(Value::Table(mut study)) = config.remove("study") {
            study.remove("kind");
            config.insert("format".to_owned(), self.study.name().into());
            match self.study {
                StudyPlan::List(_) => config.extend(study),
                _ => drop(config.insert(self.study.name(), study.into())),
            }
        }
        config
    }
}

/// The key of a list that a config calls `games`.
const GAMES_PER_PAIRING: &str = "games_per_pairing";

/// The first difference of two tables of a plan. `place` says where in the plan they stand.
fn first_difference(ours: &Table, theirs: &Table, place: &str) -> Option<String> {
    let rank = |key: &&String| match ours.get(*key).or(theirs.get(*key)) {
        Some(Value::Table(_)) => 1,
        _ if *key == GAMES_PER_PAIRING => 2,
        Some(Value::Array(list)) if list.iter().any(Value::is_table) => 3,
        _ => 0,
    };
    let mut keys: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
    keys.sort_by_key(|key| (rank(key), *key));
    let key = keys
        .into_iter()
        .find(|key| ours.get(*key) != theirs.get(*key))?;
    let inner = if place.is_empty() {
        format!(", in `[{key}]`")
    } else {
        format!(", in `{key}`{place}")
    };
    Some(match (ours.get(key), theirs.get(key)) {
        (Some(Value::Table(ours)), Some(Value::Table(theirs))) => {
            first_difference(ours, theirs, &inner)?
        }
        (Some(Value::Array(ours)), Some(Value::Array(theirs)))
            if ours.iter().chain(theirs).all(Value::is_table) =>
        {
            difference_of_lists(key, &named(ours), &named(theirs))
        }
        (ours, theirs) => {
            let key = if key == GAMES_PER_PAIRING {
                "games"
            } else {
                key
            };
            let side = |value: Option<&Value>| match value {
                None => format!("has no `{key}`"),
                Some(Value::Table(_)) => format!("says `[{key}]`"),
                Some(value) => format!("says `{key} = {value}`"),
            };
            format!("one plan {}, the other {}{place}", side(ours), side(theirs))
        }
    })
}

/// The tables of a list with what they are called.
fn named(list: &[Value]) -> Vec<(&str, &Table)> {
    let tables = list.iter().filter_map(Value::as_table);
    let names = ["name", "id", "bot"];
    tables
        .map(|table| {
            (
                names
                    .iter()
                    .find_map(|key| table.get(*key)?.as_str())
                    .unwrap_or_default(),
                table,
            )
        })
        .collect()
}

/// The first difference of two lists of bots, games or variants.
fn difference_of_lists(kind: &str, ours: &[(&str, &Table)], theirs: &[(&str, &Table)]) -> String {
    let is_in = |list: &[(&str, &Table)], name: &str| list.iter().any(|entry| entry.0 == name);
    let mut names = ours.iter().chain(theirs).map(|entry| entry.0);
    if let Some(name) = names.find(|name| !is_in(ours, name) || !is_in(theirs, name)) {
        return format!("one plan has {kind} `{name}`, the other has not");
    }
    let of_same = ours
        .iter()
        .zip(theirs)
        .filter(|(ours, theirs)| ours.0 == theirs.0);
    let changed = { of_same }.find_map(|(ours, theirs)| {
        let place = format!(", of {kind} `{}`", ours.0);
        first_difference(ours.1, theirs.1, &place)
    });
    changed.unwrap_or_else(|| format!("the tables of each {kind} stand in another order"))
}
