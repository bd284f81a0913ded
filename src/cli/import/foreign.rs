//! Battles of games with an external referee.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;

use super::super::Failure;
use super::super::contest::{NamedGame, check_jar, named_game};
use super::super::supervised::Supervised;
use super::Outcome;
use crate::battle::{self, Battle, Difference};
use crate::play::foreign::Referee;
use arena_games::{GameSpec, Games};
use arena_section::text::harmless;

/// The last league to try, if nobody says which one it is.
const LAST_LEAGUE: u64 = 6;

/// A referee, ready for some league and number of seats.
type Ready = Result<(Arc<GameSpec>, Referee), String>;

/// An external referee that plays battles.
pub(super) struct ForeignReferee<'s> {
    supervised: &'s Supervised,
    id: String,
    referee: Referee,
    /// The jar, if the referee is one, which may have leagues.
    jar: Option<String>,
    /// The league that the user named.
    league: Option<u64>,
    /// The league of the last exact battle.
    last: Option<u64>,
    ready: BTreeMap<(Option<u64>, usize), Ready>,
}

impl<'s> ForeignReferee<'s> {
    pub(super) fn new(
        name: &str,
        league: Option<u64>,
        games: &Games,
        supervised: &'s Supervised,
    ) -> Result<ForeignReferee<'s>, Failure> {
        let named = named_game(name, games)?;
        let Some(referee) = named.referee else {
            return Err(Failure::usage(anyhow!(
                "can't take `{name}` as referee: it is a game of arena itself\nhint: --game {name}"
            )));
        };
        let is_jar = Path::new(name).extension().is_some_and(|end| end == "jar");
        if is_jar {
            check_jar(name).map_err(|why| {
                let unusable = format!("can't use --referee {}", harmless(name));
                Failure::usage(why.context(unusable))
            })?;
        }
        if league.is_some() && !is_jar {
            return Err(Failure::usage(anyhow!(
                "can't use --league: it is for a jar or for Kutulu, and `{name}` has its league in its own command\n\
                 hint: leave out --league"
            )));
        }
        Ok(ForeignReferee {
            supervised,
            id: named.spec.id.clone(),
            referee,
            jar: is_jar.then(|| name.to_owned()),
            league,
            last: None,
            ready: BTreeMap::new(),
        })
    }

    /// Plays a battle in each possible league. The first exact one counts, or else the one that gets
    /// furthest.
    pub(super) fn check(&mut self, battle: Battle) -> Outcome {
        let checks = self.leagues(&battle).into_iter().map(|league| {
            let ready = self.ready(league, battle.scores.len()).clone();
            let (spec, referee) = ready.map_err(|why| Difference::failure(&self.id, 0, why))?;
            let record = battle::check(&battle, &spec)?;
            self.last = league;
            Ok((spec, referee, record))
        });
        match battle::first_exact(checks) {
            Some(Ok((spec, referee, record))) => {
                Outcome::exact(battle, spec, Some(referee), record, "")
            }
            Some(Err(difference)) => {
                Outcome::of(difference, self.jar.is_some() && self.league.is_none())
            }
            None => Outcome::Unchecked("there is no league to try".to_owned()),
        }
    }

    /// Returns the leagues to try: the one that is named, or all, the likeliest first.
    fn leagues(&self, battle: &Battle) -> Vec<Option<u64>> {
        if self.jar.is_none() {
            return vec![None];
        }
        if let Some(league) = self.league.or(battle.league) {
            return vec![Some(league)];
        }
        let mut leagues: Vec<Option<u64>> = self.last.map(Some).into_iter().collect();
        leagues.extend(
            (1..=LAST_LEAGUE)
                .rev()
                .map(Some)
                .filter(|league| *league != self.last),
        );
        leagues
    }

    /// Returns the referee of a league for a number of seats.
    fn ready(&mut self, league: Option<u64>, seats: usize) -> &Ready {
        let (id, jar, own) = (&self.id, &self.jar, &self.referee);
        let supervised = self.supervised;
        self.ready.entry((league, seats)).or_insert_with(|| {
            let mut referee = own.clone();
            let mut id = id.clone();
            // As in a config: a game of a plan has one number of seats.
            if seats != referee.seats {
                referee.seats = seats;
                id = format!("{id}-{seats}");
            }
            if let (Some(jar), Some(league)) = (jar, league) {
                referee.command = Referee::of_jar(jar, Some(league), false);
                id = format!("{id}-league-{league}");
            }
            let game = NamedGame::foreign(&id, referee.clone());
            match game.ready(supervised) {
                Ok(spec) => Ok((spec, referee)),
                Err(failure) => Err(format!("{:#}", failure.error)),
            }
        })
    }
}
