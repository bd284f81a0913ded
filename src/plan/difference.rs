//! In what two plans differ, for people who want to know why a run is refused.

use indexmap::IndexMap;
use toml::{Table, Value};

use super::Plan;

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
        let (mut config, mut games) = (Table::new(), None);
        for (key, value) in Table::try_from(self).unwrap_or_default() {
            match (key.as_str(), value) {
                ("study", Value::Table(study)) => config.extend(self.study_as_config(study)),
                // Behind the bots: a bot that is there in one only is named in both.
                ("game", value) => games = Some((key, value)),
                (_, value) => drop(config.insert(key, value)),
            }
        }
        config.extend(games);
        config
    }

    fn study_as_config(&self, mut study: Table) -> Table {
        let kind = self.study.name();
        study.remove("kind");
        let mut config = Table::from_iter([("format".to_owned(), kind.clone().into())]);
        if let Some(games) = study.remove("games_per_pairing") {
            config.extend(study);
            config.insert("games".to_owned(), games);
        } else {
            config.insert(kind, study.into());
        }
        config
    }
}

/// The first difference of two tables of a plan. `place` says where in the plan they stand.
fn first_difference(ours: &Table, theirs: &Table, place: &str) -> Option<String> {
    let mut keys = ours.keys().chain(theirs.keys());
    let key = keys.find(|key| ours.get(*key) != theirs.get(*key))?;
    let (ours, theirs) = (ours.get(key), theirs.get(key));
    match (ours, theirs) {
        (Some(Value::Table(ours)), Some(Value::Table(theirs))) => {
            let place = match place {
                "" => format!(", in `[{key}]`"),
                place => format!(", in `{key}`{place}"),
            };
            return first_difference(ours, theirs, &place);
        }
        (Some(Value::Array(ours)), Some(Value::Array(theirs)))
            if ours.iter().chain(theirs).all(Value::is_table) =>
        {
            return Some(difference_of_lists(key, &named(ours), &named(theirs)));
        }
        _ => {}
    }
    let [one, other] = [ours, theirs].map(|value| match value {
        None => format!("has no `{key}`"),
        Some(Value::Table(_)) => format!("says `[{key}]`"),
        Some(value) => format!("says `{key} = {value}`"),
    });
    Some(format!("one plan {one}, the other {other}{place}"))
}

/// The tables of a list by what they are called.
fn named(list: &[Value]) -> IndexMap<&str, &Table> {
    let mut named = IndexMap::new();
    for table in list.iter().filter_map(Value::as_table) {
        let mut keys = ["name", "id", "bot"].iter();
        let name = keys.find_map(|key| table.get(*key)?.as_str());
        named.insert(name.unwrap_or_default(), table);
    }
    named
}

/// The first difference of two lists of bots, games or variants.
fn difference_of_lists(
    kind: &str,
    ours: &IndexMap<&str, &Table>,
    theirs: &IndexMap<&str, &Table>,
) -> String {
    for (one, other) in [(ours, theirs), (theirs, ours)] {
        if let Some(name) = one.keys().find(|name| !other.contains_key(*name)) {
            return format!("one plan has {kind} `{name}`, the other has not");
        }
    }
    for (name, table) in ours {
        let place = format!(", of {kind} `{name}`");
        if let Some(changed) = first_difference(table, theirs[name], &place) {
            return changed;
        }
    }
    format!("the tables of each {kind} stand in another order")
}
