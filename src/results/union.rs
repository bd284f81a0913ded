//! Runs and tables of counts that are rated together. The order in which they are named doesn't
//! matter.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};

use super::count::{Count, CountRow};
use super::pair::{Pair, Stop};
use super::{GameResult, Unfit};
use crate::plan::{Plan, UnitSize};
use arena_schedule::UnitDesign;
use arena_section::text::command_line;

/// A count for each game and design of several runs. A play that several runs have counts once, and
/// all games of different runs on one seed are one piece of evidence, because they share its luck.
#[derive(Debug, Default)]
pub(crate) struct Union {
    pub(crate) sources: Vec<Source>,
    /// Names that mean a source again, with its number.
    pub(crate) twice: Vec<(String, usize)>,
    /// Each game and design that has games.
    pub(crate) fields: Vec<Field>,
    /// The run that first had each play.
    seen: FxHashMap<u64, usize>,
    /// The number of the run that is read, and the fields of its games.
    run: usize,
    of_run: BTreeMap<String, usize>,
}

/// A run, or a table of counts.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// The path, as the user named it.
    pub(crate) name: String,
    /// The digests of its programs, by bot.
    pub(crate) programs: BTreeMap<String, String>,
    /// Bots that are the same program with the same arguments, in groups.
    alike: Vec<Vec<String>>,
    /// The number of its games.
    pub(crate) games: u64,
    /// Why its games stopped.
    pub(crate) stop: Stop,
    /// Its games that earlier runs have, too.
    pub(crate) of_earlier: BTreeMap<usize, u64>,
    /// The names of bots that are other programs elsewhere.
    labels: BTreeMap<String, String>,
    /// Whether its own units share seeds.
    shares_seeds: bool,
}

/// Why a union doesn't say what is known of two bots, phrased to follow its name.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoPair(String);

/// The games of one game and design.
#[derive(Debug)]
pub(crate) struct Field {
    /// The id of the game, empty for tables of counts.
    pub(crate) game: String,
    pub(crate) count: Count,
    /// The numbers of the runs or tables whose games count.
    pub(crate) sources: BTreeSet<usize>,
}

impl Source {
    /// A run or a table with so many games, and the digests of its programs.
    pub(crate) fn new(
        name: String,
        games: u64,
        (programs, alike): (BTreeMap<String, String>, Vec<Vec<String>>),
    ) -> Source {
        Source {
            name,
            programs,
            alike,
            games,
            ..Source::default()
        }
    }

    /// The name of a bot in the ratings.
    pub(crate) fn label<'a>(&'a self, bot: &'a str) -> &'a str {
        self.labels.get(bot).map_or(bot, String::as_str)
    }
}

impl Union {
    /// Begins with nothing counted. Bots of one name are different bots if their programs differ,
    /// unless names alone count.
    pub(crate) fn new(sources: Vec<Source>, by_name: bool) -> Union {
        let mut union = Union {
            sources,
            ..Union::default()
        };
        if !by_name {
            union.tell_apart();
        }
        union
    }

    /// Labels bots of one name that are different programs, such as `new@3f2a`.
    fn tell_apart(&mut self) {
        let mut digests: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in self.sources.iter().filter(|source| source.games > 0) {
            for (bot, digest) in &source.programs {
                let known = digests.entry(bot.clone()).or_default();
                known.insert(digest.clone());
            }
        }
        digests.retain(|_, digests| digests.len() > 1);
        for source in &mut self.sources {
            let labels = source.programs.iter().filter_map(|(bot, digest)| {
                let start = unique_start(digest, digests.get(bot)?);
                Some((bot.clone(), format!("{bot}@{start}")))
            });
            source.labels.extend(labels);
        }
    }

    /// Begins with the games of the run that has this number among the sources.
    pub(crate) fn begin_run(&mut self, run: usize, plan: &Plan) {
        self.run = run;
        self.of_run.clear();
        let shares_seeds = plan.study.shares_seeds();
        self.sources[run].shares_seeds = shares_seeds;
        let is_alone = self.sources.len() == 1 && !shares_seeds;
        for (index, game) in plan.games.iter().enumerate() {
            let (size, spec) = (plan.unit(index), game.spec.as_ref());
            let mut count = Count::new(size, spec.is_none_or(|spec| spec.seed_decides));
            if !is_alone {
                count.evidence.by_seed();
            }
            let field = self.field(&game.id, count);
            let count = &mut self.fields[field].count;
            count.begin_run(run, size.games);
            for bot in &game.bots {
                count.bot(self.sources[run].label(bot));
            }
            self.of_run.insert(game.id.clone(), field);
        }
    }

    /// Counts a game of the run. `line` is its record; a play that an earlier run has is noted and
    /// not counted.
    pub(crate) fn add(&mut self, result: &GameResult, line: &[u8]) -> Result<(), Unfit> {
        if self.sources.len() > 1 {
            let first = *self.seen.entry(play(line)).or_insert(self.run);
            if first != self.run {
                *self.sources[self.run].of_earlier.entry(first).or_default() += 1;
                return Ok(());
            }
        }
        let source = &self.sources[self.run];
        let mut result = result.clone();
        for seat in &mut result.seats {
            if let Some(label) = source.labels.get(&seat.bot) {
                seat.bot.clone_from(label);
            }
        }
        let field = self.of_run.get(&result.game);
        let field = &mut self.fields[*field.ok_or(Unfit::NotPlanned(result.number))?];
        field.sources.insert(self.run);
        field.count.add(&result)
    }

    /// Ends the games of the run, which are so many, and says why they stopped.
    pub(crate) fn end_run(&mut self, games: u64, stop: Stop) {
        let source = &mut self.sources[self.run];
        source.games = games;
        source.stop = stop;
        if let Stop::Test { bot, .. } = &mut source.stop
            && let Some(label) = source.labels.get(bot)
        {
            bot.clone_from(label);
        }
    }

    /// Counts a line of a table, which has this number among the sources.
    pub(crate) fn add_counted(&mut self, table: usize, row: &CountRow) -> Result<(), Unfit> {
        let size = UnitSize {
            design: UnitDesign::SINGLE_GAMES,
            games: 1,
        };
        let field = self.field("", Count::new(size, true));
        self.fields[field].sources.insert(table);
        self.fields[field].count.add_counted(row)
    }

    /// Returns the number of the field of a game; a new one begins with this count.
    fn field(&mut self, game: &str, count: Count) -> usize {
        let is_its = |field: &Field| field.count.design == count.design && field.game == game;
        self.fields.iter().position(is_its).unwrap_or_else(|| {
            self.fields.push(Field {
                game: game.to_owned(),
                count,
                sources: BTreeSet::new(),
            });
            self.fields.len() - 1
        })
    }

    /// Ends all runs.
    pub(crate) fn finish(&mut self) {
        self.fields.retain(|field| field.count.games > 0);
        let key = |field: &Field| (field.game.clone(), field.count.design);
        self.fields.sort_by_cached_key(key);
        for Field { count, sources, .. } in &mut self.fields {
            // In one run, each unit has its own seed.
            if let [&run] = sources.iter().collect::<Vec<_>>()[..]
                && !self.sources[run].shares_seeds
            {
                count.evidence.by_unit();
            }
        }
    }

    /// Why the games of a field stopped. With several runs, you saw results before you added the
    /// last one.
    pub(crate) fn stop(&self, field: &Field) -> Stop {
        match Vec::from_iter(&field.sources)[..] {
            [run] => self.sources[*run].stop.clone(),
            _ => Stop::Watched,
        }
    }

    /// The bots of a field that are the same program with the same arguments, in groups.
    pub(crate) fn alike(&self, field: &Field) -> Vec<Vec<String>> {
        let mut groups = BTreeSet::new();
        for source in field.sources.iter().map(|&run| &self.sources[run]) {
            for group in &source.alike {
                let bots = group.iter().map(|bot| source.label(bot).to_owned());
                let mut bots: Vec<String> = bots.collect();
                bots.retain(|bot| field.count.has(bot));
                groups.insert(bots);
            }
        }
        groups.retain(|group| group.len() > 1);
        Vec::from_iter(groups)
    }

    /// What is known of two bots, from the side of the first. Names can be left out if there are
    /// just two bots. An error lists what the runs hold.
    pub(crate) fn between(&self, between: Option<&[String]>) -> Result<Pair, NoPair> {
        let field = match &self.fields[..] {
            [field] => field,
            [] => {
                let has_games = self.sources.iter().any(|source| source.games > 0);
                let rated = if has_games { "rated " } else { "" };
                return Err(NoPair(format!("it has no {rated}games")));
            }
            fields => {
                let games: Vec<&str> = fields.iter().map(|field| &*field.game).collect();
                let (number, games) = (games.len(), games.join(", "));
                let why =
                    format!("it has {number} games or designs, {games}, and these count apart");
                return Err(NoPair(why));
            }
        };
        let count = &field.count;
        let names: Vec<&str> = count.bots.iter().map(|bot| bot.name.as_str()).collect();
        let (one, other) = match (between, &names[..]) {
            (Some([one, other]), _) => (place(&names, one)?, place(&names, other)?),
            (None, [_, _]) => (0, 1),
            _ => {
                let two: Vec<String> = names.iter().take(2).map(ToString::to_string).collect();
                let (all, two) = (names.join(", "), command_line(&two));
                return Err(NoPair(format!("its bots are {all}\nhint: --between {two}")));
            }
        };
        let mut pair = count
            .pair((one, other), &self.stop(field))
            .ok_or_else(|| NoPair(format!("{} and {} never met", names[one], names[other])))?;
        for group in self.alike(field) {
            pair.same_program |= group.contains(&pair.first) && group.contains(&pair.second);
        }
        Ok(pair)
    }

    /// The number of games that don't count because another run has them.
    pub(crate) fn copies(&self) -> u64 {
        let again = self.twice.iter().map(|(_, at)| self.sources[*at].games);
        let copied = self.sources.iter().flat_map(|of| of.of_earlier.values());
        again.chain(copied.copied()).sum()
    }

    /// The names of all bots.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields
            .iter()
            .flat_map(|field| &field.count.bots)
            .filter(|bot| bot.games > 0)
            .map(|bot| bot.name.as_str())
    }

    /// The bots that are different programs, each with its labels.
    pub(crate) fn told_apart(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut labels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (bot, label) in self.sources.iter().flat_map(|source| &source.labels) {
            labels.entry(bot).or_default().insert(label);
        }
        labels
    }

    /// Returns each run in which bots are other programs, or have other arguments, than in an
    /// earlier one, with that run and the bots.
    pub(crate) fn changed(&self) -> BTreeMap<(usize, usize), Vec<&str>> {
        let mut before: BTreeMap<&str, (usize, &String)> = BTreeMap::new();
        let mut changed: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
        for (run, source) in self.sources.iter().enumerate() {
            for (bot, digest) in source.programs.iter().filter(|_| source.games > 0) {
                if let Some((earlier, last)) = before.insert(bot, (run, digest))
                    && last != digest
                {
                    changed.entry((run, earlier)).or_default().push(bot);
                }
            }
        }
        changed
    }

    /// The numbers of the runs that results may have stopped, in games whose interval allows for
    /// that.
    pub(crate) fn stopped(&self) -> BTreeSet<usize> {
        let mut stopped: BTreeSet<usize> = BTreeSet::new();
        for field in &self.fields {
            if !matches!(self.stop(field), Stop::Test { .. }) {
                stopped.extend(&field.sources);
            }
        }
        stopped.retain(|&run| self.sources[run].stop != Stop::Announced);
        stopped
    }
}

/// A digest of a record, whatever its number and unit, which come first.
fn play(line: &[u8]) -> u64 {
    let rest = br#""game":"#;
    let start = line.windows(rest.len()).position(|part| part == rest);
    let mut hasher = FxHasher::default();
    hasher.write(&line[start.unwrap_or(0)..]);
    hasher.finish()
}

/// The place of a bot among these.
fn place(names: &[&str], name: &String) -> Result<usize, NoPair> {
    let place = names.iter().position(|known| known == name);
    let names = names.join(", ");
    place.ok_or_else(|| NoPair(format!("it has no bot `{name}`; its bots are {names}")))
}

/// The shortest start of a digest, of at least four digits, that no other one has.
fn unique_start<'d>(digest: &'d str, all: &BTreeSet<String>) -> &'d str {
    (4..digest.len())
        .filter_map(|length| digest.get(..length))
        .find(|start| {
            !all.iter()
                .any(|other| other != digest && other.starts_with(start))
        })
        .unwrap_or(digest)
}
