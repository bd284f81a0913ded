//! What is said of one game of a run: its tables, what limits their numbers, and who is first.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::table::{Cell, Column, Kind, Rows, Table, Tone};
use super::words::{self, likelihood, percent, signed};
use crate::summary::{BotSummary, GameSummary, PairingSummary, SeatSummary, TimeSummary};
use arena_stats::ratings::{FEW_UNITS, Mark};

/// A crosstable of more bots than this does not fit a terminal, unless the game has four seats.
const WIDEST_CROSSTABLE: usize = 10;

/// The columns of the standings in a page and in Markdown.
pub(super) const COLUMNS: [&str; 13] =
    ["#", "bot", "Elo", "95% interval", "games", "place", "first", "score", "won", "drawn", "lost", "LOS", "faults"];
/// Those in a terminal.
const TERMINAL_COLUMNS: [&str; 13] =
    ["#", "bot", "Elo", "95% interval", "LOS", "games", "place", "first", "score", "won", "drawn", "lost", "faults"];

/// What the column of likelihoods means.
pub(crate) const LOS: &str = "LOS: the likelihood that the bot is stronger than the next one";

/// The standings of a game, the best bot first. With more seats than two, places stand beside the comparisons.
pub(crate) fn standings(game: &GameSummary) -> Table {
    let of_places = |title: &'static str| if game.seats > 2 { title } else { "" };
    let mut rows = Rows::new("Standings", &game.bots)
        .column(Kind::Text, "", "game", |_| &game.game)
        .column(Kind::Rank, "#", "rank", |bot| bot.rank)
        .column(Kind::Name, "bot", "bot", |bot| &bot.name)
        .column(Kind::Number, "Elo", "elo", |bot| Cell::number(bot.elo, elo(bot)))
        .column(Kind::Number, "95% interval", "", |bot| Cell::number(bot.lo95, interval(bot, game)))
        .column(Kind::Number, "", "lo95", |bot| bot.lo95)
        .column(Kind::Number, "", "hi95", |bot| bot.hi95)
        .column(Kind::Number, "games", "games", |bot| bot.games)
        .column(Kind::Number, "score", "score", |bot| Cell::shown(bot.score, percent))
        .column(Kind::Number, "won", "won", |bot| bot.wins)
        .column(Kind::Number, "drawn", "drawn", |bot| bot.draws)
        .column(Kind::Number, "lost", "lost", |bot| bot.losses)
        .column(Kind::Number, of_places("place"), "mean_place", |bot| {
            Cell::shown(bot.mean_place, |place| format!("{place:.2}"))
        })
        .note("The mean of its places")
        .column(Kind::Number, of_places("first"), "firsts", |bot| Cell::shown(bot.firsts, percent))
        .column(Kind::Number, "LOS", "", |bot| Cell::shown(bot.los_next, likelihood))
        .note("The likelihood of superiority: that the bot is stronger than the next one")
        .column(Kind::Text, "faults", "", faults_cell);
    for fate in game.bots.iter().take(1).flat_map(|bot| bot.faults.keys()) {
        rows = rows.column(Kind::Number, "", *fate, |bot| bot.faults.get(fate).copied().unwrap_or(0));
    }
    rows.column(Kind::Text, "", "notes", |bot| limits(game, bot)).table()
}

/// Every two bots that met: what the bot in the row reached against the one in the column.
pub(crate) fn crosstable(game: &GameSummary) -> Table {
    let mut rows = Rows::new("Crosstable", &game.bots).column(Kind::Rank, "#", "", |bot| bot.rank).column(
        Kind::Name,
        "bot",
        "",
        |bot| &bot.name,
    );
    for other in &game.bots {
        let title = format!("#{}", other.rank);
        rows = rows.column(Kind::Heat, title, "", |bot| met(game, &bot.name, &other.name)).note(&other.name);
    }
    rows.table()
}

/// Every two bots that met, in a list.
pub(crate) fn pairings(game: &GameSummary) -> Table {
    Rows::new("Pairings", &game.pairings)
        .column(Kind::Text, "", "game", |_| &game.game)
        .column(Kind::Name, "bot", "first", |pairing| &pairing.first)
        .column(Kind::Text, "against", "second", |pairing| &pairing.second)
        .column(Kind::Number, "units", "units", |pairing| pairing.elo.map_or(0, |elo| elo.units))
        .column(Kind::Number, "won", "won", |pairing| pairing.wins)
        .column(Kind::Number, "drawn", "drawn", |pairing| pairing.draws)
        .column(Kind::Number, "lost", "lost", |pairing| pairing.losses)
        .column(Kind::Heat, "score", "score", |pairing| Cell::shown(pairing.elo.map(|elo| elo.score), percent))
        .column(Kind::Number, "Elo", "elo", |pairing| Cell::shown(pairing.elo.map(|elo| elo.elo), signed))
        .column(Kind::Number, "95% interval", "", |pairing| {
            let ends = pairing.elo.map(|elo| [elo.lo95, elo.hi95]);
            Cell::number(ends.map(|[lo, _]| lo), ends.map(words::interval))
        })
        .column(Kind::Number, "", "lo95", |pairing| pairing.elo.map(|elo| elo.lo95))
        .column(Kind::Number, "", "hi95", |pairing| pairing.elo.map(|elo| elo.hi95))
        .column(Kind::Number, "LOS", "los", |pairing| Cell::shown(pairing.elo.map(|elo| elo.los), likelihood))
        .table()
}

/// Response times of a bot, of its `first` answers or of `later` ones.
struct Timed<'a> {
    bot: &'a BotSummary,
    turns: &'static str,
    times: Option<TimeSummary>,
}

impl Timed<'_> {
    fn new(bot: &BotSummary, is_first: bool) -> Timed<'_> {
        let (turns, times) = if is_first { ("first", bot.first_turn) } else { ("later", bot.later_turns) };
        Timed { bot, turns, times }
    }
}

/// Response times of all bots, of first answers or of later ones.
pub(crate) fn times(game: &GameSummary, is_first: bool) -> Table {
    let title = if is_first { "First turn" } else { "Later turns" };
    let rows: Vec<Timed<'_>> = game.bots.iter().map(|bot| Timed::new(bot, is_first)).collect();
    times_of(title, game, &rows)
}

/// Response times of all answers, as far as there are any.
pub(crate) fn all_times(game: &GameSummary) -> Table {
    let rows = game.bots.iter().flat_map(|bot| [true, false].map(|is_first| Timed::new(bot, is_first)));
    let rows: Vec<Timed<'_>> = rows.filter(|row| row.times.is_some()).collect();
    times_of("Response times", game, &rows)
}

fn times_of(title: &'static str, game: &GameSummary, rows: &[Timed<'_>]) -> Table {
    let ms = |value: Option<f64>| Cell::shown(value, |ms| format!("{ms:.2}"));
    Rows::new(title, rows)
        .column(Kind::Text, "", "game", |_| &game.game)
        .column(Kind::Name, "bot", "bot", |row| &row.bot.name)
        .column(Kind::Text, "", "turns", |row| row.turns)
        .column(Kind::Number, "", "count", |row| row.times.map_or(0, |times| times.count))
        .column(Kind::Time, "p50", "ms_p50", |row| ms(row.times.map(|times| times.p50)))
        .column(Kind::Time, "p95", "ms_p95", |row| ms(row.times.map(|times| times.p95)))
        .column(Kind::Time, "p99", "ms_p99", |row| ms(row.times.map(|times| times.p99)))
        .column(Kind::Time, "max", "ms_max", |row| ms(row.times.map(|times| times.max)))
        .table()
}

/// The score of every bot in every seat, and of all of them.
pub(crate) fn seats(game: &GameSummary) -> Table {
    let mut all = vec![SeatSummary { wins: 0, draws: 0, losses: 0 }; game.seats];
    for (sum, seat) in game.bots.iter().flat_map(|bot| all_seats(bot)) {
        all[sum].wins += seat.wins;
        all[sum].draws += seat.draws;
        all[sum].losses += seat.losses;
    }
    let bots = game.bots.iter().map(|bot| (bot.name.as_str(), bot.by_seat.clone()));
    let rows: Vec<(&str, Vec<SeatSummary>)> = bots.chain([("all", all)]).collect();
    let mut table = Rows::new("Scores by seat", &rows).column(Kind::Name, "bot", "", |(name, _)| *name);
    for seat in 0..game.seats {
        table = table.column(Kind::Heat, format!("seat {seat}"), "", |(_, seats)| of_seat(seats[seat]));
    }
    Table { has_sum: true, ..table.table() }
}

fn all_seats(bot: &BotSummary) -> impl Iterator<Item = (usize, &SeatSummary)> {
    bot.by_seat.iter().enumerate()
}

fn of_seat(seat: SeatSummary) -> Cell {
    let SeatSummary { wins, draws, losses } = seat;
    Cell { note: format!("{wins}–{draws}–{losses}"), ..Cell::shown(seat.score(), percent) }
}

/// How games ended, the most frequent way first.
pub(crate) fn reasons(game: &GameSummary) -> Table {
    let mut reasons: Vec<(&&str, &u64)> = game.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(**count));
    #[expect(clippy::cast_precision_loss, reason = "counts of games are far below 2^52")]
    let share = |count: u64| count as f64 / game.games.max(1) as f64;
    Rows::new("Reasons", &reasons)
        .column(Kind::Name, "reason", "", |(reason, _)| reason.replace('_', " "))
        .column(Kind::Number, "games", "", |(_, count)| **count)
        .column(Kind::Number, "share", "", |(_, count)| Cell::shown(share(**count), percent))
        .table()
}

/// What became of the games on each map.
pub(crate) fn maps(game: &GameSummary) -> Table {
    let mut rows = Rows::new("Scores by map", &game.maps)
        .column(Kind::Name, "map", "", |map| &map.map)
        .column(Kind::Number, "games", "", |map| map.games)
        .column(Kind::Number, "mean turns", "", |map| Cell::shown(map.mean_turns, |turns| format!("{turns:.1}")));
    for (place, bot) in game.bots.iter().enumerate() {
        rows = rows.column(Kind::Heat, &bot.name, "", |map| Cell::shown(map.scores[place], percent));
    }
    rows.table()
}

/// All that a terminal shows of a game.
pub(crate) fn text(game: &GameSummary) -> String {
    let design = match game.design {
        "rotations" => ", groups of four bots in all rotations",
        "mirror" => ", two bots with two seats each, mirrored",
        _ => "",
    };
    let mut text = format!("{}: {} games{design}\n", game.game, game.games);
    text += &standings(game).pick(&TERMINAL_COLUMNS).text();
    if has_crosstable(game) {
        text += "  score against each other:\n";
        text += &crosstable(game).text();
    }
    for note in notes(game) {
        let _ = writeln!(text, "  {note}");
    }
    text += "  response times in ms, first turn and later turns:\n";
    text + &response_times(game).text()
}

/// Whether there is more to say of pairs than the standings do: with two seats where more met than a challenger and the
/// others, as long as it fits.
fn has_crosstable(game: &GameSummary) -> bool {
    let bots = game.bots.len();
    bots > 2 && (game.seats > 2 || (game.pairings.len() >= bots && bots <= WIDEST_CROSSTABLE))
}

/// First and later answers side by side.
fn response_times(game: &GameSummary) -> Table {
    let mut table = times(game, true);
    let is_time = |column: &Column| column.kind == Kind::Time;
    for column in table.columns.iter_mut().filter(|column| is_time(column)) {
        column.title = format!("first {}", column.title);
    }
    table.columns.extend(times(game, false).columns.into_iter().filter(is_time));
    table
}

/// What a bot reached against another; nothing where they did not meet.
fn met(game: &GameSummary, bot: &str, other: &str) -> Cell {
    let between = |first: &str, second: &str| {
        game.pairings.iter().find(|pairing| pairing.first == first && pairing.second == second)
    };
    let turned = || between(other, bot).map(turned);
    let Some(pairing) = between(bot, other).cloned().or_else(turned) else { return Cell::default() };
    let PairingSummary { wins, draws, losses, elo, .. } = pairing;
    let tip = |elo: f64, ends, los| {
        format!("{bot} against {other}: Elo {} {}, LOS {}", signed(elo), words::interval(ends), likelihood(los))
    };
    Cell {
        note: format!("{wins}–{draws}–{losses}"),
        tip: elo.map_or_else(String::new, |elo| tip(elo.elo, [elo.lo95, elo.hi95], elo.los)),
        ..Cell::shown(elo.map(|elo| elo.score), percent)
    }
}

/// The same from the side of the other bot.
fn turned(pairing: &PairingSummary) -> PairingSummary {
    let mut turned = pairing.clone();
    (turned.wins, turned.losses) = (pairing.losses, pairing.wins);
    if let Some(elo) = &mut turned.elo {
        elo.score = 1.0 - elo.score;
        elo.elo = -elo.elo;
        (elo.lo95, elo.hi95) = (-elo.hi95, -elo.lo95);
        elo.los = 1.0 - elo.los;
    }
    turned
}

/// A rating, with a mark where the true one lies beyond it.
pub(crate) fn elo(bot: &BotSummary) -> String {
    let mark = match bot.mark {
        Some(Mark::Perfect) => "> ",
        Some(Mark::Zero) => "< ",
        None => "",
    };
    bot.elo.map_or_else(|| "-".to_owned(), |elo| format!("{mark}{}", signed(elo)))
}

/// Both ends of a rating's interval; in parentheses where they rest on virtual games.
pub(crate) fn interval(bot: &BotSummary, game: &GameSummary) -> String {
    let (Some(lo), Some(hi)) = (bot.lo95, bot.hi95) else { return "-".to_owned() };
    let provisional = if bot.provisional { "?" } else { "" };
    let interval = words::interval([lo, hi]);
    if game.groups.len() > 1 {
        return format!("({}){provisional}", interval.trim_matches(['[', ']']));
    }
    interval + provisional
}

/// How often a bot failed in which way.
pub(crate) fn faults(bot: &BotSummary) -> String {
    let some = bot.faults.iter().filter(|(_, count)| **count > 0);
    some.map(|(fate, count)| format!("{count} {fate}")).collect::<Vec<_>>().join(", ")
}

fn faults_cell(bot: &BotSummary) -> Cell {
    let faults = Some(faults(bot)).filter(|faults| !faults.is_empty());
    Cell { tone: Tone::Bad, ..faults.into() }
}

/// What limits a rating, as words for programs.
fn limits(game: &GameSummary, bot: &BotSummary) -> String {
    let mark = bot.mark.map(|mark| match mark {
        Mark::Perfect => "perfect",
        Mark::Zero => "zero",
    });
    let unlinked = (game.groups.len() > 1).then_some("unlinked");
    let provisional = bot.provisional.then_some("provisional");
    [mark, unlinked, provisional].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Who is the best in a game and how sure that is, as one sentence in two parts: the name, and what is said of it. `None`
/// where nothing was played.
pub(super) fn headline(game: &GameSummary) -> Option<[String; 2]> {
    let best = game.bots.first().filter(|_| game.games > 0)?;
    if best.mark == Some(Mark::Perfect) {
        return Some([best.name.clone(), " has won everything".to_owned()]);
    }
    let mut sentence = format!(" is first with {} Elo", elo(best));
    if best.lo95.is_some() {
        let _ = write!(sentence, ", 95% interval {}", interval(best, game));
    }
    if let Some(los) = best.los_next {
        let _ = write!(sentence, "; stronger than the second with likelihood {}", likelihood(los));
    }
    Some([best.name.clone(), sentence])
}

/// What limits the numbers of a game.
pub(super) fn notes(game: &GameSummary) -> Vec<String> {
    let mut notes = Vec::new();
    if game.seats > 2 {
        notes.push(EVERY_SEAT.to_owned());
    }
    if game.incomplete_units > 0 {
        let count = game.incomplete_units;
        notes.push(format!("incomplete units: {count}; their games count in won, drawn and lost, but not in Elo"));
    }
    notes.extend(repeats(game));
    if let ([pairing], 2) = (&game.pairings[..], game.seats) {
        notes.extend(pairs(pairing));
    }
    let late = game.bots.iter().filter(|bot| bot.host_late > 0);
    let late: Vec<String> = late.map(|bot| format!("{} {}", bot.name, bot.host_late)).collect();
    if !late.is_empty() {
        let late = late.join(", ");
        notes.push(format!("answers after the limit that counted, because the host was overloaded: {late}"));
    }
    if game.bots.iter().any(|bot| bot.los_next.is_some()) {
        notes.push(LOS.to_owned());
    }
    notes.extend(rating_notes(&game.groups, game.bots.iter().map(|bot| (bot.mark, bot.provisional, bot.lo95))));
    notes
}

/// What results mean where more than two bots meet.
pub(crate) const EVERY_SEAT: &str = "won, drawn, lost, score: every seat is compared with those of all other bots";

fn repeats(game: &GameSummary) -> Option<String> {
    let count = game.repeated_games;
    let repeated = game.units - game.distinct_units;
    let units = if repeated > 0 { format!(" ({repeated} of {} units)", game.units) } else { String::new() };
    (count > 0).then(|| {
        format!(
            "repeated games: {count}{units}, the same bots playing the same moves; they say nothing new, and the intervals \
             are too narrow: set opening_plies, or give the bots {{seed}}"
        )
    })
}

/// How the pairs of games of two bots came out, and what it was worth to play in pairs.
fn pairs(pairing: &PairingSummary) -> Option<String> {
    let (split, drawn) = pairing.pairs_split.zip(pairing.pairs_drawn)?;
    let scores = pairing.unit_scores.iter().zip(&pairing.unit_counts);
    let won: u64 = scores.clone().filter(|(score, _)| **score > 0.5).map(|(_, count)| count).sum();
    let lost: u64 = scores.filter(|(score, _)| **score < 0.5).map(|(_, count)| count).sum();
    let first = &pairing.first;
    let mut note = format!("pairs for {first}: {won} won, {lost} lost, {split} with a win each, {drawn} drawn twice");
    if let Some(gain) = pairing.pairing_gain {
        let _ = write!(note, "; a game in a pair is worth {gain:.2} single games");
    }
    Some(note)
}

/// What limits ratings: of groups that are not linked, and of bots, of each its mark, whether it is provisional, and an
/// end of its interval.
pub(crate) fn rating_notes(
    groups: &[Vec<String>],
    bots: impl Iterator<Item = (Option<Mark>, bool, Option<f64>)>,
) -> Vec<String> {
    let bots: Vec<_> = bots.collect();
    let mut notes = Vec::new();
    if groups.len() > 1 {
        let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
        notes.push(format!(
            "not connected by both wins and losses: {}; ratings between these groups, and intervals in ( ), rest on \
             virtual draws and mean little",
            groups.join(" | ")
        ));
    }
    if bots.iter().any(|(mark, ..)| mark.is_some()) {
        notes.push("> won everything, < lost everything: bounded on one side only".to_owned());
    }
    if bots.iter().any(|(_, provisional, end)| *provisional && end.is_some()) {
        notes.push(format!("? fewer than {FEW_UNITS} units: the interval is rough"));
    }
    if bots.iter().any(|(mark, _, end)| mark.is_none() && end.is_none()) {
        notes.push("- not enough games for an interval: more units than bots are needed".to_owned());
    }
    notes
}
