//! Ratings from the results of any number of runs, or from tables of counts. The order of files and
//! lines doesn't matter.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher as _;
use std::path::{Path, PathBuf};

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::copies::{Copies, Shared};
use super::count::{self, Count, Rated, unit_points};
use super::game::{BotSummary, Difference, Game, WinsDrawsLosses};
use super::stop::Stop;
use super::units::{Units, UnitsInOrder, add_to_unit};
use crate::plan::{SprtPlan, StudyPlan};
use crate::store::{
    FileEnd, GameRow, PlanFile, ResultLine, SavedGame, StoreError, plan_beside, read_results,
    saved_games,
};
use arena_schedule::UnitDesign;
use arena_stats::StatsError;
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::ratings::{self, Comparison, Mark, Settings, Unit};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::Sprt;

/// What isn't known without the plan of a run.
const NO_PLAN: &str = "without plan.toml beside it, it isn't known whether the run came to its announced end, nor which games repeat";
/// What isn't known without the summary of a run.
const NO_SUMMARY: &str = "its summary.json is missing or old, so it isn't known which games repeat; `arena report` writes it";

/// Results, counted by game and design. If several files have a game, [`Copies`] decide whether it
/// counts once. Games of programs that are known to differ are different games, even if the bots
/// have the same names.
#[derive(Debug, Default)]
pub(crate) struct Results {
    fields: Vec<Field>,
    sources: Vec<Source>,
    /// What pairs of files share.
    pub(crate) shared: Vec<Shared>,
    /// The numbers of the files that are tables of counts.
    pub(crate) tables: BTreeSet<usize>,
}

/// A file of results.
#[derive(Debug, Default)]
struct Source {
    path: PathBuf,
    /// The plan beside the file.
    run: Option<PlanFile>,
    /// The digests of the programs in the plan, by bot.
    programs: Option<BTreeMap<String, String>>,
    /// The names of bots that have other programs in other files, if they are rated apart.
    labels: BTreeMap<String, String>,
    /// The units of a sequential test.
    test: Option<TestUnits>,
    /// The seeds of a file without a plan.
    seeds: Seeds,
    /// The games of the summary beside the file, unless games were added since.
    saved: Vec<SavedGame>,
    games: u64,
    /// Games in complete units.
    in_units: u64,
    /// A digest of all games, in any order.
    content: u64,
    /// Whether the last line is cut off.
    is_cut: bool,
}

impl Source {
    fn of(path: &Path) -> Source {
        let run = plan_beside(path);
        let programs = run.as_ref().map(|run| {
            // Referees follow the bots.
            let bots = run.program.iter().take(run.plan.bots.len());
            bots.map(|one| (one.bot.clone(), one.made_of(&run.plan)))
                .collect()
        });
        let source = Source {
            path: path.to_owned(),
            run,
            programs,
            ..Source::default()
        };
        Source {
            test: source.test(),
            saved: saved_games(path),
            ..source
        }
    }

    /// Files that come first keep their games. A file without programs may be a copy of any other,
    /// and an interrupted run one of the whole run. The order in which they are named doesn't
    /// matter.
    fn precedence(&self) -> impl Ord + '_ {
        (
            self.programs.is_none(),
            Reverse(self.in_units),
            Reverse(self.games),
            self.content,
            &self.path,
        )
    }

    /// The design of a game. Each battle of the site is a unit.
    fn design(&self, row: &GameRow) -> UnitDesign {
        let plan = self.run.as_ref().map(|run| &run.plan.study);
        match plan {
            Some(StudyPlan::Import(_)) => UnitDesign::new(row.seats.len(), 1),
            _ => row.design(),
        }
    }

    /// The number of games in a unit of a game. Without a plan it isn't known how many bots play
    /// alone on a seed, and they are compared two by two.
    fn games_in_unit(&self, row: &GameRow) -> u64 {
        let design = self.design(row);
        if design != UnitDesign::ALONE {
            return design.games_per_unit.into();
        }
        let plan = self.run.as_ref().map(|run| &run.plan);
        let list = plan.filter(|plan| matches!(plan.study, StudyPlan::List(_)));
        let mut games = list.into_iter().flat_map(|plan| &plan.games);
        let game = games.find(|game| game.id == row.game);
        game.map_or(2, |game| game.bots.len() as u64)
    }

    /// A digest of who sat where on which seed. A bot plays alone on a seed once for every unit, to be
    /// compared with other bots.
    fn key(&self, row: &GameRow) -> u64 {
        let seats: Vec<&String> = row.seats.iter().map(|seat| &seat.bot).collect();
        let game = (&row.game, row.seed, seats);
        if self.design(row) != UnitDesign::ALONE {
            return FxBuildHasher.hash_one(game);
        }
        let plan = self.run.as_ref().map(|run| &run.plan.games);
        let others = plan.into_iter().flatten().map(|game| &game.bots);
        FxBuildHasher.hash_one((game, row.unit, others.collect::<Vec<_>>()))
    }

    /// A digest of the programs that play a game, or 0 if they aren't known.
    fn players(&self, row: &GameRow) -> u32 {
        self.programs.as_ref().map_or(0, |programs| {
            let seats = row.seats.iter().map(|seat| programs.get(&seat.bot));
            let players: Vec<_> = seats.collect();
            short(FxBuildHasher.hash_one(players)).max(1)
        })
    }

    /// The name of a bot in the ratings.
    fn label<'a>(&'a self, bot: &'a str) -> &'a str {
        self.labels.get(bot).map_or(bot, String::as_str)
    }

    /// The games of the summary, if they are those of the file.
    fn saved(&self) -> impl Iterator<Item = &SavedGame> {
        let games: u64 = self.saved.iter().map(|saved| saved.games).sum();
        self.saved.iter().filter(move |_| games >= self.games)
    }

    /// What isn't known of a file with games.
    fn unknown(&self) -> Option<&'static str> {
        match self.run {
            _ if self.games == 0 => None,
            None => Some(NO_PLAN),
            Some(_) => self.saved().next().is_none().then_some(NO_SUMMARY),
        }
    }

    /// Whether pairings share seeds.
    fn shares_seeds(&self) -> bool {
        match &self.run {
            Some(run) => run.plan.study.shares_seeds(),
            None => self.seeds.are_shared && !self.seeds.are_repeated,
        }
    }

    /// Whether the run may have been stopped because of its results.
    fn is_watched(&self) -> bool {
        let run = self.run.as_ref();
        run.is_some_and(|run| !run.is_announced_end(self.games))
    }

    /// The units of the run, if it is a sequential test.
    fn test(&self) -> Option<TestUnits> {
        let plan = &self.run.as_ref()?.plan;
        let StudyPlan::Sprt(test) = plan.study else {
            return None;
        };
        let candidate = plan.bots.first()?.name.clone();
        Some(TestUnits {
            plan: test,
            units: UnitsInOrder::new(candidate, true),
            test: test.begin(plan.games.first()?.seats()),
        })
    }
}

/// Who met on which seeds, if no plan says so. Other programs may write the same seed everywhere.
#[derive(Debug, Default)]
struct Seeds {
    /// The digests of the bots of each unit, by game and seed.
    met: FxHashMap<u64, Vec<u32>>,
    /// Whether different bots have units on the same seed.
    are_shared: bool,
    /// Whether the same bots have several units on a seed.
    are_repeated: bool,
}

impl Seeds {
    fn add(&mut self, row: &GameRow) {
        let bots: BTreeSet<&String> = row.seats.iter().map(|seat| &seat.bot).collect();
        let bots = short(FxBuildHasher.hash_one(bots));
        let seed = FxBuildHasher.hash_one((&row.game, row.seed));
        let met = self.met.entry(seed).or_default();
        self.are_shared |= met.iter().any(|other| *other != bots);
        self.are_repeated |= met.contains(&bots);
        met.push(bots);
    }
}

/// The units of a sequential test.
#[derive(Debug)]
struct TestUnits {
    plan: SprtPlan,
    units: UnitsInOrder,
    test: Sprt,
}

impl TestUnits {
    fn add(&mut self, row: &GameRow) {
        for unit in self.units.add_row(row, 0) {
            // A file may have games of another design.
            let _ = self.test.add(unit_points(&unit, 0));
        }
    }
}

/// The results of one game in one design.
#[derive(Debug)]
struct Field {
    game: String,
    count: Count,
    /// The numbers of the files whose games count.
    files: BTreeSet<usize>,
}

impl Field {
    /// Whether several runs of the same two bots are rated together.
    fn is_pooled(&self) -> bool {
        self.count.bots.len() == 2 && self.files.len() > 1
    }
}

impl Results {
    /// Reads files of results. If `by_program` is set, programs that share a name are different
    /// bots.
    pub(crate) fn read(
        files: &[impl AsRef<Path>],
        by_program: bool,
    ) -> Result<Results, StoreError> {
        let mut results = Results {
            sources: files.iter().map(|path| Source::of(path.as_ref())).collect(),
            ..Results::default()
        };
        let mut copies = Copies::default();
        for file in 0..files.len() {
            results.look(file, &mut copies)?;
        }
        if by_program {
            results.tell_apart();
        }
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|file| results.sources[file].precedence());
            a.cmp(&b)
        });
        let (left_out, shared) = copies.find(&order);
        results.shared = shared;
        let mut left_out = &left_out[..];
        for file in 0..files.len() {
            let games = usize::try_from(results.sources[file].games).unwrap_or(usize::MAX);
            let (of_file, others) = left_out.split_at(games);
            results.count(file, of_file)?;
            left_out = others;
        }
        results.fields.sort_by(|one, other| {
            (&one.game, one.count.design).cmp(&(&other.game, other.count.design))
        });
        results.count_repeats();
        Ok(results)
    }

    /// Notes the repeated units that the summaries of the runs tell of.
    fn count_repeats(&mut self) {
        for field in &mut self.fields {
            let Field { game, count, files } = field;
            let sources = files.iter().map(|&file| &self.sources[file]);
            let saved = sources.flat_map(|source| source.saved().map(move |saved| (source, saved)));
            for (source, saved) in saved.filter(|(_, saved)| saved.id == *game) {
                count.repeated += saved.repeated_units();
                for (first, second, repeated) in saved.repeated_of() {
                    let number = |name| {
                        let label = source.label(name);
                        count.bots.iter().position(|bot| bot.name == label)
                    };
                    if let Some((one, other)) = number(first).zip(number(second)) {
                        let bots = (one.min(other), one.max(other));
                        *count.repeated_of.entry(bots).or_default() += repeated;
                    }
                }
            }
        }
    }

    /// Reads the file with this number for the first time: counts its table, or notes its games.
    fn look(&mut self, file: usize, copies: &mut Copies) -> Result<(), StoreError> {
        copies.begin_file();
        let mut open = Units::default();
        let path = self.sources[file].path.clone();
        let end = read_results(&path, &mut |line| match line {
            ResultLine::Game(row) => {
                let source = &mut self.sources[file];
                let design = source.design(&row);
                let (key, result) = (source.key(&row), result(&row));
                source.games += 1;
                if let Some(test) = &mut source.test {
                    test.add(&row);
                }
                let content = FxBuildHasher.hash_one((key, result));
                source.content = source.content.wrapping_add(content);
                let place = copies.add(key, result, source.players(&row));
                let size = source.games_in_unit(&row);
                let unit = (self.field(&row.game, design), row.unit);
                let games = join(&mut open, unit, (key, place), size);
                if let Some(games) = games.filter(|games| games.len() as u64 == size) {
                    let source = &mut self.sources[file];
                    source.in_units += games.len() as u64;
                    if source.run.is_none() {
                        source.seeds.add(&row);
                    }
                    copies.complete(games.iter().map(|(_, place)| *place));
                }
            }
            ResultLine::Count(row) => {
                self.tables.insert(file);
                let tables = self.field("", UnitDesign::SINGLE_GAMES);
                self.fields[tables].files.insert(file);
                self.fields[tables].count.add_counted(&row);
            }
        })?;
        self.sources[file].is_cut = end == FileEnd::Cut;
        self.sources[file].seeds.met = FxHashMap::default();
        Ok(())
    }

    /// Reads the file with this number again and counts its games, except those left out.
    fn count(&mut self, file: usize, left_out: &[bool]) -> Result<(), StoreError> {
        if left_out.is_empty() {
            return Ok(());
        }
        let mut open = Units::default();
        // A run that is still playing may have more games by now.
        let mut left_out = left_out.iter();
        let path = self.sources[file].path.clone();
        read_results(&path, &mut |line| {
            if let (ResultLine::Game(row), Some(&is_out)) = (line, left_out.next()) {
                let source = &self.sources[file];
                let (design, size) = (source.design(&row), source.games_in_unit(&row));
                let key = source.key(&row);
                let unit = (self.field(&row.game, design), row.unit);
                let game = (key, (row, is_out));
                if let Some(games) = join(&mut open, unit, game, size) {
                    self.take(file, unit.0, games);
                }
            }
        })?;
        for ((field, _), games) in open.drain() {
            self.take(file, field, games);
        }
        Ok(())
    }

    /// Counts the games of a unit of a file, except those left out.
    fn take(&mut self, file: usize, field: usize, games: Vec<(u64, (Box<GameRow>, bool))>) {
        let mut rows = Vec::new();
        for (_, (row, is_out)) in games {
            rows.extend((!is_out).then_some(row));
        }
        if rows.is_empty() {
            return;
        }
        let size = self.sources[file].games_in_unit(&rows[0]);
        let labels = &self.sources[file].labels;
        for seat in rows.iter_mut().flat_map(|row| &mut row.seats) {
            if let Some(label) = labels.get(&seat.bot) {
                seat.bot.clone_from(label);
            }
        }
        let shares_seed = self.sources[file].shares_seeds();
        let Field { count, files, .. } = &mut self.fields[field];
        files.insert(file);
        let is_complete = rows.len() as u64 == size;
        count.add_unit(rows.iter().map(|row| &**row), is_complete, shares_seed);
    }

    /// The number of the field of a game in a design.
    fn field(&mut self, game: &str, design: UnitDesign) -> usize {
        let mut fields = self.fields.iter();
        let at = fields.position(|field| field.count.design == design && field.game == game);
        let at = at.unwrap_or(self.fields.len());
        if at == self.fields.len() {
            self.fields.push(Field {
                game: game.to_owned(),
                count: Count::new(design, design.games_per_unit.into()),
                files: BTreeSet::new(),
            });
        }
        at
    }

    /// Labels bots of one name that are different programs, such as `new@3f2a`.
    fn tell_apart(&mut self) {
        let mut digests: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
        for (bot, digest) in self.with_programs().flat_map(|(_, programs)| programs) {
            digests.entry(bot).or_default().insert(digest);
        }
        digests.retain(|_, digests| digests.len() > 1);
        let mut labels = Vec::new();
        for (file, programs) in self.with_programs() {
            for (bot, digest) in programs {
                if let Some(digests) = digests.get(bot) {
                    let label = format!("{bot}@{}", unique_start(digest, digests));
                    labels.push((file, bot.clone(), label));
                }
            }
        }
        for (file, bot, label) in labels {
            self.sources[file].labels.insert(bot, label);
        }
    }

    /// The files with games whose programs are known.
    fn with_programs(&self) -> impl Iterator<Item = (usize, &BTreeMap<String, String>)> {
        let sources = self.sources.iter().enumerate();
        let played = sources.filter(|(_, source)| source.games > 0);
        played.filter_map(|(file, source)| Some((file, source.programs.as_ref()?)))
    }

    /// Returns each file in which bots are other programs, or have other arguments, than in an
    /// earlier file, with that file and the bots.
    pub(crate) fn changed(&self) -> BTreeMap<(usize, usize), Vec<&str>> {
        let mut before: BTreeMap<&str, (usize, &String)> = BTreeMap::new();
        let mut changed: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
        for (file, programs) in self.with_programs() {
            for (bot, digest) in programs {
                let last = before.insert(bot, (file, digest));
                if let Some((earlier, _)) = last.filter(|(_, last)| *last != digest) {
                    changed.entry((file, earlier)).or_default().push(bot);
                }
            }
        }
        changed
    }

    /// The scores of one bot against another, unit by unit. Names can be left out if there are just
    /// two bots. An error lists what the files hold.
    pub(crate) fn scores(&self, between: Option<&[String]>) -> Result<Match, String> {
        let played: Vec<&Field> = self.played().collect();
        let field = match played[..] {
            [field] => field,
            [] => return Err("it has no games".to_owned()),
            _ => {
                let games: Vec<&str> = played.iter().map(|field| field.game.as_str()).collect();
                let (number, games) = (games.len(), games.join(", "));
                return Err(format!(
                    "it has {number} games or designs, {games}, and these count apart"
                ));
            }
        };
        let count = &field.count;
        let names: Vec<&str> = count.bots.iter().map(|bot| bot.name.as_str()).collect();
        let (one, other) = match (between, &names[..]) {
            (Some([one, other]), _) => (place(&names, one)?, place(&names, other)?),
            (None, [_, _]) => (0, 1),
            _ => {
                let (all, two) = (names.join(", "), names[..names.len().min(2)].join(" "));
                return Err(format!("its bots are {all}\nhint: --between {two}"));
            }
        };
        let bots = (one.min(other), one.max(other));
        let [first, second] = [names[one], names[other]];
        let pairing = count.pairings().remove(&bots);
        let pairing = pairing.ok_or_else(|| format!("{first} and {second} never met"))?;
        let scores = pairing.scores().map(|(score, units)| {
            let side = if one < other { score } else { 1.0 - score };
            (side, units)
        });
        let estimate = count.estimate(bots, &pairing, self.stop(field));
        let scores = UnitScores::from_values(scores).map_err(|error| error.to_string())?;
        Ok(Match {
            label: format!("{first} against {second}"),
            games_per_unit: count.design.games_per_unit,
            estimate: estimate.map(|by| by.reversed_if(one > other)),
            distinct: count.distinct_units_of(bots, scores.units()),
            same_moves: self.have_same_moves(field),
            unknown: self.unknown().map(|(_, what)| what).next(),
            scores,
        })
    }

    /// Whether two bots played the same moves as each other in all units of a field.
    fn have_same_moves(&self, field: &Field) -> bool {
        field.files.iter().all(|&file| {
            let mut saved = self.sources[file].saved();
            saved.any(|saved| saved.id == field.game && saved.same_moves)
        })
    }

    /// The names of all bots.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let bots = self.fields.iter().flat_map(|field| &field.count.bots);
        bots.map(|bot| bot.name.as_str())
    }

    /// Rates the bots of every game and design.
    pub(crate) fn rate(&self, scale: &RatingScale) -> Result<Vec<RatedGame>, StatsError> {
        self.played()
            .map(|field| RatedGame::new(field, scale.settings(&field.count), self.stop(field)))
            .collect()
    }

    /// Why the games of a field stopped. If a user may have stopped one of its files, or have added
    /// runs of two bots until he liked the result, the interval for every look is right for all of
    /// them together.
    fn stop(&self, field: &Field) -> Stop {
        let mut sources = field.files.iter().map(|&file| &self.sources[file]);
        if let [file] = Vec::from_iter(&field.files)[..]
            && let Some(test) = &self.sources[*file].test
        {
            let count = &field.count;
            let first = count.bots.first().map(|bot| &*bot.name);
            let candidate = self.sources[*file].label(&test.units.first);
            let distinct = count.distinct_units_of((0, 1), test.test.scores().units());
            return match Stop::of_test(&test.plan, &test.test, distinct) {
                Stop::Test(by) => Stop::Test(by.reversed_if(first != Some(candidate))),
                stop => stop,
            };
        }
        if field.is_pooled() || sources.any(Source::is_watched) {
            Stop::Watched
        } else {
            Stop::Announced
        }
    }

    /// Whether several runs of the same two bots are rated together, in any game.
    pub(crate) fn are_pooled(&self) -> bool {
        self.fields.iter().any(Field::is_pooled)
    }

    /// The numbers of the files whose games a user may have stopped.
    pub(crate) fn watched(&self) -> impl Iterator<Item = usize> {
        let played = self.played();
        let open = played.filter(|field| !matches!(self.stop(field), Stop::Test(_)));
        let files = open.flat_map(|field| field.files.iter().copied());
        files.filter(|&file| self.sources[file].is_watched())
    }

    /// The numbers of the files whose runs repeat units, with their games.
    pub(crate) fn repeating(&self) -> impl Iterator<Item = (usize, &SavedGame)> {
        let sources = self.sources.iter().enumerate();
        let saved = sources.flat_map(|(file, source)| source.saved().map(move |game| (file, game)));
        saved.filter(|(_, game)| game.repeated_units() > 0)
    }

    /// The numbers of the files of which something isn't known, with what it is.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let sources = self.sources.iter().enumerate();
        sources.filter_map(|(file, source)| Some((file, source.unknown()?)))
    }

    /// The numbers of the files whose last line is cut off.
    pub(crate) fn cut(&self) -> impl Iterator<Item = usize> {
        (0..self.sources.len()).filter(|&file| self.sources[file].is_cut)
    }

    /// The games and designs that have results.
    fn played(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.count.games > 0)
    }
}

/// The scale of ratings.
#[derive(Clone, Debug)]
pub(crate) struct RatingScale {
    /// Bots with fixed ratings.
    pub(crate) anchors: Vec<(String, f64)>,
    /// The mean of all ratings if there is no anchor.
    pub(crate) mean: f64,
    /// Virtual draws of each bot if results set no limit; above 0.
    pub(crate) prior: f64,
    /// Whether to fit the advantage of moving first.
    pub(crate) first_advantage: bool,
}

impl RatingScale {
    fn settings(&self, count: &Count) -> Settings {
        let mut anchors = Vec::new();
        for (name, elo) in &self.anchors {
            let bot = count.bots.iter().position(|bot| bot.name == *name);
            anchors.extend(bot.map(|bot| (bot, *elo)));
        }
        Settings {
            anchors,
            mean: self.mean,
            prior: self.prior,
            // With more than two seats all bots act at once, or the order means something else.
            first_advantage: self.first_advantage && count.design.seats == 2,
            games_per_unit: count.design.games_per_unit,
        }
    }
}

/// The place of a bot among these.
fn place(names: &[&str], name: &String) -> Result<usize, String> {
    let place = names.iter().position(|known| known == name);
    place.ok_or_else(|| format!("it has no bot `{name}`; its bots are {}", names.join(", ")))
}

/// The match of two bots.
#[derive(Debug)]
pub(crate) struct Match {
    /// The two bots in words, first the one from whose side the scores are.
    pub(crate) label: String,
    pub(crate) scores: UnitScores,
    pub(crate) games_per_unit: u32,
    /// The estimate in force, from the same side.
    pub(crate) estimate: Option<Estimate>,
    /// Units that repeat no other.
    pub(crate) distinct: u64,
    /// Whether both bots played the same moves in all units.
    pub(crate) same_moves: bool,
    /// What isn't known of the file.
    pub(crate) unknown: Option<&'static str>,
}

/// Adds a game with its key to its unit: the field and the number. Returns the games of the unit
/// once it is complete, or the game alone if its unit has the same game already.
fn join<G>(
    open: &mut Units<(u64, G), (usize, u64)>,
    unit: (usize, u64),
    game: (u64, G),
    games_in_unit: u64,
) -> Option<Vec<(u64, G)>> {
    let others = open.get(&unit);
    if others.is_some_and(|games| games.iter().any(|(key, _)| *key == game.0)) {
        return Some(vec![game]);
    }
    add_to_unit(open, unit, game, games_in_unit)
}

/// A digest of the result and the turns of a game.
fn result(row: &GameRow) -> u32 {
    let seats = row.seats.iter().map(|seat| (seat.score, seat.fate));
    let seats: Vec<_> = seats.collect();
    short(FxBuildHasher.hash_one((row.turns, &row.reason, seats)))
}

/// The upper half of a digest.
fn short(digest: u64) -> u32 {
    (digest >> 32) as u32
}

/// The shortest start of a digest, of at least four digits, that no other one has.
fn unique_start<'d>(digest: &'d str, all: &BTreeSet<&String>) -> &'d str {
    let others = all.iter().filter(|other| **other != digest);
    let common = others.map(|other| {
        let pairs = digest.bytes().zip(other.bytes());
        pairs.take_while(|(ours, theirs)| ours == theirs).count()
    });
    let length = common.max().map_or(0, |common| common + 1).max(4);
    digest.get(..length).unwrap_or(digest)
}

impl RatedGame {
    fn new(field: &Field, settings: Settings, stop: Stop) -> Result<RatedGame, StatsError> {
        let count = &field.count;
        // Bots are numbered by name, so that nothing depends on which file came first.
        let mut order: Vec<usize> = (0..count.bots.len()).collect();
        order.sort_by_key(|&bot| &count.bots[bot].name);
        let mut rated = count.rate(&order, settings, stop)?;
        count.test_fit(&mut rated);
        order.sort_by(|&a, &b| rated.elo(b).total_cmp(&rated.elo(a)));
        let mut game = Game::new(&field.game, (count, &order), Some(&rated), stop);
        if let [best, other] = order[..]
            && let Some(by) = rated.ahead(best, other)
        {
            game.difference = Some(Difference {
                first: count.bots[best].name.clone(),
                second: count.bots[other].name.clone(),
                by,
            });
        }
        let pairings = count.pairings();
        Ok(RatedGame {
            first_player: Advantage::of(count, &rated, stop),
            los: table(&order, |one, other| rated.los(one, other)),
            scores: table(&order, |one, other| {
                let mut ldw = pairings.get(&(one.min(other), one.max(other)))?.ldw;
                if one > other {
                    ldw.reverse();
                }
                count::score(ldw)
            }),
            game,
        })
    }
}

/// A value for each bot and each other one, in this order of bots.
fn table(order: &[usize], cell: impl Fn(usize, usize) -> Option<f64>) -> Vec<Vec<Option<f64>>> {
    let row = |one| order.iter().map(|&other| cell(one, other)).collect();
    order.iter().map(|&one| row(one)).collect()
}

/// Whether any two bots moved first equally often against each other. Otherwise the score of first
/// movers also depends on their strength.
fn seats_swapped(units: impl Iterator<Item = Unit>) -> bool {
    let mut surplus: BTreeMap<(usize, usize), i128> = BTreeMap::new();
    for unit in units {
        for &Comparison { first, second, .. } in &unit.comparisons {
            let sign = if first < second { 1 } else { -1 };
            let bots = (first.min(second), first.max(second));
            *surplus.entry(bots).or_default() += sign * i128::from(unit.weight);
        }
    }
    surplus.values().all(|&surplus| surplus == 0)
}

/// The ratings of one game in one design.
#[derive(Clone, Debug)]
pub(crate) struct RatedGame {
    pub(crate) game: Game,
    /// The value of moving first.
    pub(crate) first_player: Option<Advantage>,
    /// How likely each bot is stronger than each other one, in the order of the standings.
    los: Vec<Vec<Option<f64>>>,
    /// The mean score of each bot against each other one, in the order of the standings; `None` if
    /// they didn't meet.
    pub(crate) scores: Vec<Vec<Option<f64>>>,
}

impl Serialize for RatedGame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Game { design, .. } = self.game;
        let bots: Vec<_> = self.game.bots.iter().map(RatedBot).collect();
        let mut json = serializer.serialize_map(None)?;
        json.serialize_entry("game", &self.game.game)?;
        json.serialize_entry("seats", &design.seats)?;
        json.serialize_entry("bots_per_table", &design.bots)?;
        json.serialize_entry("games_per_unit", &design.games_per_unit)?;
        json.serialize_entry("games", &self.game.games)?;
        json.serialize_entry("units", &self.game.units)?;
        json.serialize_entry("incomplete_units", &self.game.incomplete_units)?;
        if let Some(seeds) = self.game.shared_seeds {
            json.serialize_entry("shared_seeds", &seeds)?;
        }
        json.serialize_entry("groups", &self.game.groups)?;
        json.serialize_entry("misfits", &self.game.misfits)?;
        json.serialize_entry("first_player", &self.first_player)?;
        json.serialize_entry("interval", &self.game.holds)?;
        json.serialize_entry("bots", &bots)?;
        json.serialize_entry("los", &self.los)?;
        json.serialize_entry("scores", &self.scores)?;
        json.end()
    }
}

/// The value of moving first, in Elo.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Advantage {
    /// Not finite if the first player won or lost everything.
    pub(crate) elo: f64,
    pub(crate) lo95: Option<f64>,
    pub(crate) hi95: Option<f64>,
    /// The looks that the interval is valid for.
    pub(crate) interval: Holds,
    /// Whether it was fitted together with the ratings.
    pub(crate) fitted: bool,
}

impl Advantage {
    /// Returns what was fitted, or else what the scores of all first movers say.
    fn of(count: &Count, rated: &Rated, stop: Stop) -> Option<Advantage> {
        if let Some(fitted) = rated.ratings.first_advantage {
            let ratings::Difference { elo, error95, .. } = fitted.wider(rated.width);
            let [lo95, hi95] = [-1.0, 1.0].map(|sign| error95.map(|error| elo + sign * error));
            return Some(Advantage {
                elo,
                lo95,
                hi95,
                interval: rated.holds,
                fitted: true,
            });
        }
        let met = count
            .first_player(stop)
            .filter(|_| seats_swapped(count.units()))?;
        Some(Advantage {
            elo: met.by.elo,
            lo95: Some(met.by.lo95),
            hi95: Some(met.by.hi95),
            interval: met.by.holds,
            fitted: false,
        })
    }
}

/// The keys of a bot that are about its rating.
#[derive(Serialize)]
#[serde(remote = "BotSummary")]
struct Rating {
    rank: usize,
    name: String,
    elo: Option<f64>,
    lo95: Option<f64>,
    hi95: Option<f64>,
    error95: Option<f64>,
    provisional: bool,
    mark: Option<Mark>,
    units: u64,
    games: u64,
    score: f64,
    #[serde(flatten)]
    results: WinsDrawsLosses,
    mean_place: Option<f64>,
    mean_place_lo95: Option<f64>,
    mean_place_hi95: Option<f64>,
    firsts: Option<f64>,
    firsts_lo95: Option<f64>,
    firsts_hi95: Option<f64>,
    los_next: Option<f64>,
}

#[derive(Serialize)]
struct RatedBot<'a>(#[serde(with = "Rating")] &'a BotSummary);
