//! `arena compare`.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::Serialize;

use super::{Failure, print_either, write_to};
use crate::exit;
use crate::rate::{Among, Condition, RatedField, Results, Scale, in_words};
use crate::report::chart::{Series, intervals};
use crate::report::html::{self, Part};
use crate::report::screen::{Ink, Screen};
use crate::report::table::{Cell, Kind, Rows, Table};
use crate::store::read_plan;
use crate::words::{count, decimals, indented, signed};

/// Sets two runs side by side
///
/// What the bots that both have are worth in each, among themselves, and by how much that differs. Two bots have one number,
/// how much stronger the one is than the other.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// A run directory, or a games.csv
    #[arg(value_name = "RUN", value_hint = ValueHint::AnyPath)]
    one: PathBuf,
    /// The other
    #[arg(value_name = "RUN", value_hint = ValueHint::AnyPath)]
    other: PathBuf,
    /// Write JSON; null stands for what is not finite or not known
    #[arg(long)]
    json: bool,
    /// Write a page with both side by side
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
}

/// Two runs.
#[derive(Serialize)]
struct Compared {
    /// In what their settings differ first, but for names and seeds; `None` where they do not, or are not known.
    settings: Option<String>,
    /// Whether they were played on the same seeds.
    same_seed: bool,
    /// Games that are in both, because one is a copy of the other or was made of it.
    same_games: u64,
    games: Vec<ComparedGame>,
}

/// A game that both have.
#[derive(Serialize)]
struct ComparedGame {
    game: String,
    /// Of two bots, in which runs the error is that of the interval for every look.
    anytime: [bool; 2],
    bots: Vec<ComparedBot>,
}

/// A bot, or how much stronger one of two is, in both runs: Elo and the error that 19 in 20 are below.
#[derive(Serialize)]
struct ComparedBot {
    name: String,
    elo: [Option<f64>; 2],
    error95: [Option<f64>; 2],
    change: Option<f64>,
    change_error95: Option<f64>,
}

pub(super) fn compare(args: &CompareArgs) -> Result<u8, Failure> {
    let runs = [args.one.as_path(), args.other.as_path()];
    let read = |only: Vec<Condition>| -> Result<[Results; 2], Failure> {
        let [one, other] =
            runs.map(|run| Results::read(&[run], only.clone()).map_err(Failure::input));
        Ok([one?, other?])
    };
    let mut both = read(Vec::new())?;
    let together = Results::read(&runs, Vec::new()).map_err(Failure::input)?;
    let same_games = together
        .copies
        .saturating_sub(both.iter().map(|run| run.copies).sum());
    let all = both.each_ref().map(Results::bots);
    let mut among = Among::new();
    loop {
        let common = common(&both);
        if common.is_empty() {
            let [one, other] = all.map(|bots| in_words(&bots));
            return Err(Failure::input(anyhow!(
                "compare runs that have two bots in common in a game: one has {one}; the other {other}"
            )));
        }
        // Without its games against others, a bot of one run may have none left.
        if common == among {
            break;
        }
        both = read(vec![Condition::Among(common.clone())])?;
        among = common;
    }
    let [one, other] = both.map(|run| run.rate(&Scale::default()).map_err(Failure::input));
    let (one, other) = (one?, other?);
    let plans = runs.map(|run| read_plan(run).ok().flatten());
    let (settings, same_seed) = match plans {
        [Some(mut one_plan), Some(other_plan)] => {
            let same_seed = one_plan.plan.seed == other_plan.plan.seed;
            one_plan.plan.name.clone_from(&other_plan.plan.name);
            one_plan.plan.seed = other_plan.plan.seed;
            (one_plan.difference(&other_plan), same_seed)
        }
        _ => (None, false),
    };
    let compared = Compared {
        settings,
        same_seed,
        same_games,
        games: games(&one, &other),
    };
    if let Some(path) = &args.html {
        write_to(
            path,
            page(&compared, &runs.map(|run| run.display().to_string())),
        )?;
        // The page was all that was wanted on standard output.
        if path.as_os_str() == "-" {
            return Ok(exit::OK);
        }
    }
    print_either(args.json, &compared, || text(&compared))
}

/// The bots that both have in a game and design, if there are two of them.
fn common([one, other]: &[Results; 2]) -> Among {
    let other = other.bots();
    let both = one.bots().into_iter().filter_map(|(field, mut bots)| {
        let there = other.get(&field)?;
        bots.retain(|bot| there.contains(bot));
        (bots.len() > 1).then_some((field, bots))
    });
    both.collect()
}

/// Both runs side by side.
fn page(compared: &Compared, runs: &[String; 2]) -> String {
    let part = |game: &ComparedGame| {
        let groups: Vec<String> = game.bots.iter().map(|bot| bot.name.clone()).collect();
        let of = |at: usize| Series {
            name: runs[at].clone(),
            values: game
                .bots
                .iter()
                .map(|bot| ends(bot.elo[at]?, bot.error95[at]?))
                .collect(),
        };
        let show = |elo: f64| signed(elo, 1);
        let chart = intervals(
            "Elo in both runs, with 95% intervals",
            &groups,
            &[of(0), of(1)],
            &[0.0],
            show,
        );
        Part {
            title: game.game.clone(),
            tables: vec![table(game)],
            chart: Some(chart),
            notes: vec![note(compared)],
        }
    };
    let parts: Vec<Part> = compared.games.iter().map(part).collect();
    html::page_of(
        "compare",
        &format!("{} and {}", runs[0], runs[1]),
        &remarks(compared),
        &parts,
    )
}

fn ends(elo: f64, error: f64) -> Option<[f64; 3]> {
    Some([elo - error, elo, elo + error]).filter(|ends| ends.iter().all(|end| end.is_finite()))
}

fn games(one: &[RatedField], other: &[RatedField]) -> Vec<ComparedGame> {
    let design = |field: &RatedField| {
        (
            field.game.clone(),
            field.seats,
            field.bots_per_table,
            field.games_per_unit,
        )
    };
    let both = one.iter().filter_map(|one| {
        Some((
            one,
            other.iter().find(|other| design(other) == design(one))?,
        ))
    });
    both.map(|(one, other)| ComparedGame {
        game: one.game.clone(),
        anytime: [one.anytime, other.anytime],
        bots: bots(one, other),
    })
    .collect()
}

fn bots(one: &RatedField, other: &RatedField) -> Vec<ComparedBot> {
    // Half of a difference of two bots stands with each of them.
    let (of, parts) = if one.bots.len() == 2 {
        (1, 2.0)
    } else {
        (one.bots.len(), 1.0)
    };
    let bots = one.bots.iter().take(of).filter_map(|bot| {
        let there = other.bots.iter().find(|there| there.name == bot.name)?;
        let elo = [bot.elo, there.elo].map(|elo| elo.map(|elo| parts * elo));
        let error95 = [bot.error95, there.error95].map(|error| error.map(|error| parts * error));
        let name = match &one.bots[..] {
            [best, second] => format!("{} against {}", best.name, second.name),
            _ => bot.name.clone(),
        };
        Some(ComparedBot {
            name,
            elo,
            error95,
            change: elo[0].zip(elo[1]).map(|(one, other)| other - one),
            change_error95: error95[0]
                .zip(error95[1])
                .map(|(one, other)| one.hypot(other)),
        })
    });
    bots.collect()
}

fn text(compared: &Compared) -> String {
    let screen = Screen::stdout();
    let mut text: String = remarks(compared)
        .iter()
        .map(|remark| screen.prose(remark) + "\n")
        .collect();
    for game in &compared.games {
        text += &(screen.paint(Ink::Strong, game.game.clone()) + "\n" + &table(game).text(&screen));
    }
    text + &screen.prose(&indented(&[note(compared)]))
}

/// What is to be known before anything is compared.
fn remarks(compared: &Compared) -> Vec<String> {
    let mut remarks: Vec<String> = compared
        .settings
        .iter()
        .map(|settings| format!("not the same runs: {settings}"))
        .collect();
    if compared.same_games > 0 {
        let games = count(compared.same_games, "game is", "games are");
        remarks.push(format!(
            "{games} the same in both: where one run is a copy of the other, nothing is compared"
        ));
    } else if compared.same_seed {
        let shared = "on the same seeds: luck that both share cancels, and the change is surer than its interval says";
        remarks.push(shared.to_owned());
    }
    remarks
}

fn table(game: &ComparedGame) -> Table {
    let elo = |at: usize| {
        move |bot: &ComparedBot| {
            let (elo, error) = (bot.elo[at], bot.error95[at]);
            Cell::number(elo, elo.map(|elo| with_error(elo, error)))
        }
    };
    let change = |bot: &ComparedBot| {
        bot.change
            .map(|change| with_error(change, bot.change_error95))
    };
    Rows::new("Compared", &game.bots)
        .shown(Kind::Name, "bot", |bot| &bot.name)
        .shown(Kind::Number, "Elo in the first", elo(0))
        .shown(Kind::Number, "in the second", elo(1))
        .shown(Kind::Number, "change", |bot| {
            Cell::number(bot.change, change(bot))
        })
        .table()
}

/// What the numbers mean.
fn note(compared: &Compared) -> String {
    let mut note =
        "behind +-: half of the 95% interval; a change that is larger than its own is clear"
            .to_owned();
    if compared
        .games
        .iter()
        .any(|game| game.anytime.contains(&true))
    {
        note += "; of a run that was not played to an announced end it is the interval that holds at every look";
    }
    note
}

fn with_error(elo: f64, error95: Option<f64>) -> String {
    let half = error95.map(|error| {
        format!(
            " +- {}",
            signed(error, decimals(error)).trim_start_matches('+')
        )
    });
    signed(elo, error95.map_or(1, decimals)) + &half.unwrap_or_default()
}
