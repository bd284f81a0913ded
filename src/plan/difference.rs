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
    let mut keys: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
    keys.retain(|key| ours.get(*key) != theirs.get(*key));
    let key = keys.into_iter().min_by_key(|key| {
        let rank = match ours.get(*key).or(theirs.get(*key)) {
            Some(Value::Table(_)) => 1,
            _ if *key == GAMES_PER_PAIRING => 2,
            Some(Value::Array(list)) if list.iter().any(Value::is_table) => 3,
            _ => 0,
        };
        (rank, *key)
    })?;
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
            let [one, other] = [ours, theirs].map(|value| match value {
                None => format!("has no `{key}`"),
                Some(Value::Table(_)) => format!("says `[{key}]`"),
                Some(value) => format!("says `{key} = {value}`"),
            });
            format!("one plan {one}, the other {other}{place}")
        }
    })
}

/// The tables of a list with what they are called.
fn named(list: &[Value]) -> Vec<(&str, &Table)> {
    let mut named = Vec::new();
    for table in list.iter().filter_map(Value::as_table) {
        let mut keys = ["name", "id", "bot"].iter();
        let name = keys.find_map(|key| table.get(*key)?.as_str());
        named.push((name.unwrap_or_default(), table));
    }
    named
}

/// The first difference of two lists of bots, games or variants.
fn difference_of_lists(kind: &str, ours: &[(&str, &Table)], theirs: &[(&str, &Table)]) -> String {
    for (one, other) in [(ours, theirs), (theirs, ours)] {
        if let Some((name, _)) = one
            .iter()
            .find(|one| other.iter().all(|other| other.0 != one.0))
        {
            return format!("one plan has {kind} `{name}`, the other has not");
        }
    }
    for ((name, ours), (other, theirs)) in ours.iter().zip(theirs) {
        let place = format!(", of {kind} `{name}`");
        if name == other
            && let Some(changed) = first_difference(ours, theirs, &place)
        {
            return changed;
        }
    }
    format!("the tables of each {kind} stand in another order")
}
