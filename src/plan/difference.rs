//! Differences of two plans, to explain why a run is rejected.

use indexmap::IndexMap;
use toml::{Table, Value};

use super::Plan;

impl Plan {
    /// Returns this plan with as many games as `later`, if that is a longer run of the same games.
    pub(crate) fn grown(&self, later: &Plan) -> Plan {
        Plan {
            study: self.study.grown(&later.study),
            ..self.clone()
        }
    }

    /// Describes the first difference of two plans with the keys of a config.
    pub(crate) fn difference(&self, other: &Plan) -> Option<String> {
        first_difference(&self.as_config(), &other.as_config(), "")
    }

    /// Returns the plan in the form of a config: the study's kind as `format`, the keys of a list
    /// beside it and those of other studies in a table.
    fn as_config(&self) -> Table {
        let (mut config, mut games) = (Table::new(), None);
        for (key, value) in Table::try_from(self).unwrap_or_default() {
            match (key.as_str(), value) {
                ("study", Value::Table(mut study)) => {
                    let kind = self.study.name();
                    study.remove("kind");
                    config.insert("format".to_owned(), kind.clone().into());
                    if let Some(games) = study.remove("games_per_pairing") {
                        config.extend(study);
                        config.insert("games".to_owned(), games);
                    } else {
                        config.insert(kind, study.into());
                    }
                }
                // Games come after the bots, which they name: a missing bot is the first
                // difference.
                ("game", value) => games = Some((key, value)),
                (_, value) => drop(config.insert(key, value)),
            }
        }
        config.extend(games);
        config
    }
}

/// Describes the first difference of two tables. `place` is their place in the plan.
fn first_difference(ours: &Table, theirs: &Table, place: &str) -> Option<String> {
    let mut keys = ours.keys().chain(theirs.keys());
    let key = keys.find(|key| ours.get(*key) != theirs.get(*key))?;
    match (ours.get(key), theirs.get(key)) {
        (Some(Value::Table(ours)), Some(Value::Table(theirs))) => {
            let place = match place {
                "" => format!(", in `[{key}]`"),
                place => format!(", in `{key}`{place}"),
            };
            first_difference(ours, theirs, &place)
        }
        (Some(Value::Array(ours)), Some(Value::Array(theirs)))
            if ours.iter().chain(theirs).all(Value::is_table) =>
        {
            Some(difference_of_lists(key, &named(ours), &named(theirs)))
        }
        (ours, theirs) => {
            let [one, other] = [ours, theirs].map(|value| match value {
                None => format!("has no `{key}`"),
                Some(Value::Table(_)) => format!("says `[{key}]`"),
                Some(value) => format!("says `{key} = {value}`"),
            });
            Some(format!("one plan {one}, the other {other}{place}"))
        }
    }
}

type Named<'t> = IndexMap<&'t str, &'t Table>;

/// Returns the tables of a list by name.
fn named(list: &[Value]) -> Named<'_> {
    let mut named = IndexMap::new();
    for table in list.iter().filter_map(Value::as_table) {
        let name = ["name", "id", "bot"]
            .iter()
            .find_map(|key| table.get(*key)?.as_str());
        named.insert(name.unwrap_or_default(), table);
    }
    named
}

/// Describes the first difference of two lists of bots, games or variants.
fn difference_of_lists(kind: &str, ours: &Named<'_>, theirs: &Named<'_>) -> String {
    for (one, other) in [(ours, theirs), (theirs, ours)] {
        if let Some(name) = one.keys().find(|name| !other.contains_key(*name)) {
            return format!("one plan has {kind} `{name}`, the other has not");
        }
    }
    ours.iter()
        .find_map(|(name, table)| {
            first_difference(table, theirs[name], &format!(", of {kind} `{name}`"))
        })
        .unwrap_or_else(|| format!("the tables of each {kind} are in another order"))
}
