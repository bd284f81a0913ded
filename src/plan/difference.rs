//! In what two plans differ, for people who want to know why a run is refused.

use toml::{Table, Value};

use super::Plan;

impl Plan {
    /// This plan with as many games as a later one, if that has more and their games follow after those of this one. A sweep
    /// does not grow: which variants it drops depends on how many games there will be.
    pub(crate) fn grown(&self, later: &Plan) -> Plan {
        let mut plan = self.clone();
        if self.sweep.is_some() {
            return plan;
        }
        plan.games_per_pairing = plan.games_per_pairing.max(later.games_per_pairing);
        if let (Some(test), Some(later)) = (&mut plan.sprt, &later.sprt) {
            test.max_units = test.max_units.max(later.max_units);
        }
        if let (Some(tune), Some(later)) = (&mut plan.tune, &later.tune) {
            tune.max_units = tune.max_units.max(later.max_units);
        }
        plan
    }

    /// This plan as the stored run began: under its name, with its seed and the balance of its groups.
    pub(crate) fn as_begun(&self, begun: &Plan) -> Plan {
        Plan {
            name: begun.name.clone(),
            seed: begun.seed,
            balance: begun.balance,
            ..self.clone()
        }
    }

    /// Says in what two plans differ first, with the keys of a config; `None` when they do not.
    pub(crate) fn difference(&self, other: &Plan) -> Option<String> {
        let [ours, theirs] = [self, other].map(|plan| Table::try_from(plan).unwrap_or_default());
        first_difference(&ours, &theirs, "")
    }
}

/// The key of a plan that follows from `max_units` in tests and sweeps. A config calls it `games`.
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
