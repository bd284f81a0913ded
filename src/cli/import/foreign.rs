//! Battles of games with an external referee.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use super::people::Exact;
use crate::battle::{self, Battle, Unfit};
use crate::cli::contest::{NamedGame, jar_problem, named_referee};
use crate::cli::failure::{Result, UsageError};
use crate::cli::supervised::Supervised;
use crate::play::foreign::Referee;
use arena_games::{GameSpec, Games};
use arena_section::text::harmless;

/// The last league to try, if nobody says which one it is.
const LAST_LEAGUE: u64 = 6;

/// A referee, ready for some league and number of seats.
type Ready = Result<(Arc<GameSpec>, Referee), Unfit>;

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
    ) -> Result<ForeignReferee<'s>> {
        let (id, referee) = named_referee(name, games, &format!("--game {name}"))?;
        let is_jar = Path::new(name).extension() == Some("jar".as_ref());
        if is_jar && let Some(why) = jar_problem(name) {
            let name = harmless(name);
            return Err(UsageError::Referee(name, why).into());
        }
        Ok(ForeignReferee {
            supervised,
            id,
            referee,
            jar: is_jar.then(|| name.to_owned()),
            league,
            last: None,
            ready: BTreeMap::new(),
        })
    }

    /// Plays a battle in each possible league. The first exact one counts, or else the one that
    /// gets furthest.
    pub(super) fn check(&mut self, battle: &Battle) -> Result<Exact, Unfit> {
        let mut furthest = Unfit::Unchecked("there is no league to try".to_owned());
        for league in self.leagues(battle) {
            match self.play(battle, league) {
                Ok(exact) => {
                    self.last = league;
                    return Ok(exact);
                }
                Err(mut unfit) if unfit.reach() >= furthest.reach() => {
                    if let (Unfit::Differs { what, .. }, Some(league)) = (&mut unfit, league) {
                        let _ = write!(what, " (league {league})");
                    }
                    furthest = unfit;
                }
                Err(_) => {}
            }
        }
        Err(furthest)
    }

    /// Plays a battle in a league.
    fn play(&mut self, battle: &Battle, league: Option<u64>) -> Result<Exact, Unfit> {
        let (spec, referee) = self.ready(league, battle.scores.len()).clone()?;
        Ok(Exact {
            record: battle::check(battle, &spec)?,
            battle: battle.clone(),
            spec,
            referee: Some(referee),
        })
    }

    /// Returns the leagues to try: the one that is named, or all, the likeliest first.
    fn leagues(&self, battle: &Battle) -> Vec<Option<u64>> {
        let named = self.league.or(battle.league);
        if self.jar.is_none() || named.is_some() {
            return vec![named.filter(|_| self.jar.is_some())];
        }
        let mut leagues: Vec<Option<u64>> = (1..=LAST_LEAGUE).rev().map(Some).collect();
        leagues.sort_by_key(|league| *league != self.last);
        leagues
    }

    /// Returns the referee of a league for a number of seats.
    fn ready(&mut self, league: Option<u64>, seats: usize) -> &Ready {
        self.ready.entry((league, seats)).or_insert_with(|| {
            let mut referee = self.referee.clone();
            let mut id = self.id.clone();
            // As in a config: a game of a plan has one number of seats.
            if seats != referee.seats {
                referee.seats = seats;
                let _ = write!(id, "-{seats}");
            }
            if let (Some(jar), Some(league)) = (&self.jar, league) {
                referee.command = Referee::of_jar(jar, Some(league), false);
                let _ = write!(id, "-league-{league}");
            }
            match NamedGame::foreign(&id, referee.clone()).ready(self.supervised) {
                Ok(spec) => Ok((spec, referee)),
                Err(failure) => Err(Unfit::Unchecked(format!(
                    "{:#}",
                    anyhow::Error::new(failure)
                ))),
            }
        })
    }
}
