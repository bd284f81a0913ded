//! Opponents in lists of last battles, which have neither answers nor seats.

use std::collections::BTreeMap;

use super::people::{called, is_me};
use crate::battle::Listed;
use crate::study::import::Sum;
use arena_section::screen::Screen;
use arena_section::table::{Cell, Kind, Rows};
use arena_section::text::harmless;
use arena_section::words::percent;

/// Returns a table of the user's opponents in lists of last battles, the strongest first; `None` if
/// the user isn't in them. Other names are left out if `is_anonymous`.
pub(super) fn opponents(listed: &[Listed], me: &str, is_anonymous: bool) -> Option<String> {
    let mut met: BTreeMap<String, Sum> = BTreeMap::new();
    for players in listed {
        let Some(own) = players.iter().position(|(agent, _)| is_me(agent, Some(me))) else {
            continue;
        };
        let place = players[own].1;
        for (at, (agent, other)) in players.iter().enumerate() {
            if at != own {
                let sum = met.entry(called(at, agent)).or_default();
                sum.add(place.cmp(other), 0);
            }
        }
    }
    let mut rows: Vec<(String, Sum)> = met.into_iter().collect();
    rows.sort_by(|(_, one), (_, other)| one.score()[2].total_cmp(&other.score()[2]));
    if is_anonymous {
        for (number, (name, _)) in (1..).zip(&mut rows) {
            *name = format!("player {number}");
        }
    }
    let table = Rows::new("Opponents", &rows)
        .shown(Kind::Name, "opponent", |(name, _)| harmless(name))
        .shown(Kind::Number, "battles", |(_, sum)| sum.games)
        .shown(Kind::Heat, "score", |(_, sum)| {
            Cell::shown(sum.score()[0], percent)
        })
        .shown(Kind::Text, "95% interval", |(_, sum)| {
            let [_, lo95, hi95] = sum.score();
            format!("{} to {}", percent(lo95), percent(hi95))
        })
        .table();
    (!rows.is_empty()).then(|| table.text(&Screen::stdout()))
}
