//! `arena pool try`.

use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, is_separator};
use std::time::{Duration, Instant};

use clap::{Args, ValueHint};
use sha2::{Digest as _, Sha256};

use super::game::{CommonArgs, KeepArgs, PoolGame, nameless};
use crate::cli::exit;
use crate::cli::failure::{Failure, InputError, Result};
use crate::cli::output::{say, show};
use crate::cli::run::Runner;
use crate::cli::terms::{PlayArgs, within};
use crate::config::{Sure, TryGames, TryTable, of_flags};
use crate::plan::Plan;
use crate::pool::{
    self, Answer, Attempt, DROP_BELOW, Duel, Evidence, Found, Known, Member, Pool, SHARES, State,
    WHOLE,
};
use crate::store::{self, Existing};
use crate::tournament::Session;
use arena_games::Games;
use arena_process::Launch;
use arena_section::text::word;

/// The games of a duel that ends by time, at most.
const DUEL_BY_TIME: u64 = 1_000_000;
/// How long a try plays if nothing says it.
const DEFAULT_TIME: Duration = Duration::from_secs(600);
/// No part of a gauntlet begins with less time than this.
const LEAST_TIME: Duration = Duration::from_secs(1);
/// The fewest units of a gauntlet between two looks.
const UNITS_PER_LOOK: u64 = 10;
/// Seeds lie below this, so that every program reads them exactly.
const SEEDS: u64 = 1 << 53;

/// Keep a version and see whether it is better than the best
///
/// Copies the bot into the pool. Plays a duel with the best and, if the bot is probably better, a
/// gauntlet against all opponents. The duel ends early if it has hardly a chance. The exit
/// status is 0 if it is stronger or likely stronger, 1 if it is weaker or unlikely to be stronger,
/// and 4 if that is open. `arena pool try NAME` goes on after Ctrl-C, or plays one more budget.
#[derive(Debug, Args)]
pub(super) struct TryArgs {
    /// The bot as NAME=COMMAND in quotes, or the name of a bot of the pool
    #[arg(value_name = "NAME=BOT", value_hint = ValueHint::AnyPath)]
    bot: String,
    /// Budget in games instead of time
    #[arg(long, value_name = "N", value_parser = within("an integer", TryGames::RANGE), conflicts_with = "time")]
    games: Option<u64>,
    /// Make it the best if it is stronger or likely stronger
    #[arg(long)]
    promote: bool,
    /// Likelihood that counts as likely stronger, or every-look [default: 90]
    ///
    /// With 350 games or fewer, 80 finds more improvements. every-look asks for an interval that
    /// lies above 0 whenever you look.
    #[arg(long, value_name = "PERCENT")]
    sure: Option<Sure>,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    play: PlayArgs,
}

impl TryArgs {
    /// The budget: its games, 0 if it is a time, and the time.
    fn budget(&self, game: &PoolGame<'_>) -> (u64, Duration) {
        let TryTable { games, time, .. } = &game.config.attempt;
        let (games, time) = match (self.games, self.play.time) {
            (None, None) => (games.map(|games| games.0), time.map(|time| time.0)),
            typed => typed,
        };
        (games.unwrap_or(0), time.unwrap_or(DEFAULT_TIME))
    }

    /// Plays what a bot's budget allows, and closes it.
    fn play(
        &self,
        pool: &mut Pool,
        (name, attempt): (&str, Attempt),
        game: &PoolGame<'_>,
        runner: Runner<'_>,
    ) -> Result<()> {
        let option = pool::option(&game.place.pool);
        let attempt = Try {
            pool,
            game,
            runner,
            member: pool.known(name)?,
            go_on: format!("arena pool try {}{option}", word(name)),
            time: self.budget(game).1,
            attempt,
        };
        if let Err(ended) = attempt.play(&game.found()?) {
            // The page stops to reload itself.
            let found = game.found()?;
            pool::write(&game.standings(pool, &found), &found, None)?;
            return Err(ended);
        }
        if let Some(attempt) = &mut pool.member(name)?.attempt {
            attempt.is_open = false;
        }
        Ok(pool.save()?)
    }
}

/// A try under way.
struct Try<'t> {
    pool: &'t Pool,
    game: &'t PoolGame<'t>,
    runner: Runner<'t>,
    member: &'t Member,
    /// The command that continues it.
    go_on: String,
    attempt: Attempt,
    /// The budget if it isn't one of games.
    time: Duration,
}

pub(super) fn attempt(args: &TryArgs, common: &CommonArgs, games: &Games) -> Result<u8> {
    // Paths start from the folder that is current.
    let new = if args.bot.contains('=') {
        Some(args.keep.launch(&args.bot)?)
    } else {
        None
    };
    let game = PoolGame::read(common, &args.play.set.settings, games)?;
    game.play(|supervised| {
        let runner = Runner::new(supervised, &args.play)?;
        let _lock = Pool::lock()?;
        let mut pool = Pool::read()?;
        if let Some(best) = pool.best() {
            // Before a bot is kept that can't meet it.
            game.playable(best)?;
        }
        let (name, kept) = match &new {
            Some(bot) => {
                let state = match pool.best() {
                    Some(_) => State::Tried,
                    None => State::Best,
                };
                let how = (state, &*args.keep.note);
                (&bot.name, Some(game.keep(&mut pool, bot, how, supervised)?))
            }
            None => (&args.bot, None),
        };
        let is_path = || name.contains(is_separator) || game.place.from.join(name).exists();
        match pool.known(name) {
            Err(_) if is_path() => return Err(nameless(name)),
            known => known?,
        };
        if let Some(attempt) = begin(&mut pool, name, args, &game)? {
            args.play(&mut pool, (name, attempt), &game, runner)?;
        } else {
            runner.terminal.clear();
            if pool.known(name)?.attempt.is_some() {
                say(&format!(
                    "the duel of {name} has ended: nothing is left to play"
                ));
            }
        }
        answer(&mut pool, name, kept, args, &game)
    })
}

/// Prints what the games of a candidate have shown, and makes it the best if that is wanted.
fn answer(
    pool: &mut Pool,
    name: &str,
    kept: Option<String>,
    args: &TryArgs,
    game: &PoolGame<'_>,
) -> Result<u8> {
    let found = game.found()?;
    let member = pool.known(name)?;
    let known = Known::read(&found, member, game.games)?;
    let how = (
        args.sure.or(game.config.attempt.sure).unwrap_or_default(),
        &*game.place.pool,
    );
    let mut answer = Answer::new(pool, &found, member, &known, how);
    answer.lines.splice(..0, kept);
    let exit = answer.exit();
    if args.promote && member.attempt.is_some() && exit == exit::OK {
        pool.promote(name)?;
        pool.save()?;
        answer.is_promoted = true;
    }
    pool::write(&game.standings(pool, &found), &found, None)?;
    answer.advise(&game.place.pool);
    show(exit, &answer, || answer.lines.join("\n") + "\n")
}

/// Opens a budget of a candidate, or goes on with the one that is open. Returns nothing if nothing
/// is to be played: the bot is the first one, or its duel has ended.
fn begin(
    pool: &mut Pool,
    name: &str,
    args: &TryArgs,
    game: &PoolGame<'_>,
) -> Result<Option<Attempt>> {
    let best = pool.best().map(|best| best.name.clone());
    let best = best.ok_or(InputError::NoBest)?;
    let (games, _) = args.budget(game);
    let member = pool.member(name)?;
    let mut attempt = match &member.attempt {
        None if *name == best => return Ok(None),
        None => {
            let seed = args.play.seed;
            let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(()));
            Attempt {
                seed: seed_of(seed, name, "") % SEEDS,
                ..Attempt::default()
            }
        }
        Some(attempt) => attempt.clone(),
    };
    if attempt.against != best && *name != best {
        // A new best makes it another question.
        attempt.against = best;
        attempt.games = 0;
    } else if attempt.games == 0 && games > 0 {
        return Err(InputError::BegunByTime(name.to_owned()).into());
    } else if attempt.is_open {
        return Ok(Some(attempt));
    } else if let Some(run) = game.found()?.duel(name, &attempt.against)
        && Duel::read(run, game.games)?.has_ended
    {
        return Ok(None);
    }
    attempt.budgets += 1;
    attempt.games = match games {
        0 => 0,
        more => attempt.games + more,
    };
    attempt.is_open = true;
    member.attempt = Some(attempt.clone());
    pool.save()?;
    Ok(Some(attempt))
}

impl<'t> Try<'t> {
    /// Plays what the budget allows.
    fn play(mut self, found: &'t Found) -> Result<()> {
        let (game, pool) = (self.game, self.pool);
        let against = pool.known(&self.attempt.against)?;
        game.playable(self.member)?;
        game.playable(against)?;
        self.runner.terminal.watcher = Some(Box::new(move |line| {
            // The page is written again at the end.
            let _ = game.write_live(pool, found, line);
        }));
        self.duel(against, found)?;
        if self.goes_on() && self.evidence()?.deserves_gauntlet() {
            self.gauntlet(found)?;
        }
        self.runner.terminal.clear();
        if self.goes_on() {
            return Ok(());
        }
        let why = format!(
            "interrupted: the games so far are kept\nhint: {}",
            self.go_on
        );
        Err(Failure::Ended(self.signal_code(), why))
    }

    fn evidence(&self) -> Result<Evidence> {
        let game = self.game;
        Ok(Known::read(&game.found()?, self.member, game.games)?.evidence)
    }

    /// The most games of the duel, or of the gauntlet; `by_time` if that ends by time.
    fn games(&self, part: usize, by_time: u64) -> u64 {
        match self.attempt.games {
            0 => by_time,
            games => games * u64::from(SHARES[part]) / u64::from(WHOLE),
        }
    }

    /// The time of the duel, or of the gauntlet, if the budget is one.
    fn time(&self, part: usize) -> Option<Duration> {
        (self.attempt.games == 0).then(|| self.time * SHARES[part] / WHOLE)
    }

    fn signal_code(&self) -> u8 {
        self.runner.supervised.signal_code()
    }

    fn goes_on(&self) -> bool {
        self.signal_code() == exit::OK
    }

    /// A plan for these bots as [`Config::between`] takes it, and the run in which they play it.
    fn plan(
        &self,
        bots: &[Launch],
        out: &Path,
        games: u64,
        drop_below: Option<f64>,
    ) -> Result<(Plan, Session)> {
        let mut overrides = self.runner.args.overrides(None, Existing::Resume);
        let folder = out.file_name().unwrap_or_default().to_string_lossy();
        // Under other rules or against others, a run has another folder and plays other games.
        let what = match drop_below {
            Some(_) => format!("duel {folder}"),
            None => format!("gauntlet {folder}"),
        };
        overrides.seed = Some(seed_of(self.attempt.seed, &self.member.name, &what));
        let mut config = self.game.config.between(bots, games, drop_below);
        let (mut plan, mut session) = of_flags(&mut config, &overrides)?;
        plan.name = folder.into_owned();
        session.go_on = Some(self.go_on.clone());
        out.clone_into(&mut session.out);
        Ok((plan, session))
    }

    fn run(
        &mut self,
        (mut plan, session): (Plan, Session),
        time: Option<Duration>,
        is_brief: bool,
    ) -> Result<()> {
        self.runner.terminal.limit = time;
        self.runner.terminal.is_brief = is_brief;
        let played = self.runner.played(&mut plan, &session);
        if played.is_err() && !self.goes_on() {
            let why = format!("interrupted\nhint: {}", self.go_on);
            return Err(Failure::Ended(self.signal_code(), why));
        }
        let (report, code) = played?;
        let control = &self.runner.supervised.control;
        control.renew();
        // Games that outlasted their time were ended.
        control.kill.lower();
        match report.summary.run.first_abort {
            Some(why) if code == exit::ABORTED_GAMES => Err(Failure::Ended(code, why)),
            _ => Ok(()),
        }
    }

    /// Plays the duel with the best.
    fn duel(&mut self, best: &Member, found: &Found) -> Result<()> {
        let [own, other] = [&self.member.name, &best.name];
        let games = self.games(0, DUEL_BY_TIME);
        let out = match found.duel(own, other) {
            Some(run) => {
                let is_played = store::count_games(&run.path)? >= games;
                if is_played || Duel::read(run, self.game.games)?.has_ended {
                    return Ok(());
                }
                run.path.clone()
            }
            None => Found::place(&format!("{own}-{other}")),
        };
        let bots = [self.member.launch(), best.launch()];
        let plan = self.plan(&bots, &out, games, Some(100.0 * DROP_BELOW))?;
        self.run(plan, self.time(0), false)
    }

    /// Plays the gauntlet in rounds of one unit against every opponent, with a look now and then.
    fn gauntlet(&mut self, found: &Found) -> Result<()> {
        let mut bots = self.field();
        let run = found.gauntlet(&bots);
        if let Some(run) = run {
            // A plan names them in the order of its first game.
            bots.sort_by_key(|bot| run.bots.iter().position(|name| *name == bot.name));
        }
        if bots.len() < 2 {
            return Ok(());
        }
        let out = run.map_or_else(|| Found::place(&self.member.name), |run| run.path.clone());
        let (one, _) = self.plan(&bots, &out, 1, None)?;
        let in_round = one.schedule().len();
        let per_pairing = match one.games[0].seats() {
            1 => 1,
            _ => one.unit(0).games,
        };
        let most = (self.games(1, u64::MAX) / in_round).max(1);
        let least = UNITS_PER_LOOK.div_ceil(bots.len() as u64 - 1);
        let (begun, share) = (Instant::now(), self.time(1));
        let mut rounds = run.map_or(0, |run| run.games_per_pairing / per_pairing);
        while self.goes_on() {
            if rounds == 0 || store::count_games(&out)? >= rounds * in_round {
                if rounds > 0 && (rounds >= most || self.evidence()?.is_hopeless()) {
                    break;
                }
                rounds = most.min(rounds + least.max(rounds / 4));
            }
            let left = share.map(|time| time.saturating_sub(begun.elapsed()));
            if left < share.map(|time| LEAST_TIME.min(time / 4)) {
                break;
            }
            let next = self.plan(&bots, &out, rounds * per_pairing, None)?;
            self.run(next, left, rounds > least)?;
            if store::count_games(&out)? < rounds * in_round {
                break;
            }
        }
        Ok(())
    }

    /// The candidate and its opponents, the best first. Those that can't be played are left out and
    /// named.
    fn field(&self) -> Vec<Launch> {
        let mut bots = vec![self.member.launch()];
        let mut opponents: Vec<&Member> = self.pool.opponents().collect();
        opponents.sort_by_key(|other| other.state != State::Best);
        for other in opponents {
            match self.game.playable(other) {
                _ if other.name == self.member.name => {}
                Ok(()) => bots.push(other.launch()),
                Err(why) => {
                    let why = why.to_string();
                    let why = why.lines().next().unwrap_or_default();
                    say(&format!("warning: {why}; it is left out"));
                }
            }
        }
        bots
    }
}

/// A seed for something of a bot.
fn seed_of(seed: u64, name: &str, what: &str) -> u64 {
    let digest = Sha256::digest(format!("{seed} {what} {name}"));
    u64::from_le_bytes(digest[..8].try_into().unwrap_or_default())
}
