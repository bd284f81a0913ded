//! The tables and files of a run, from rows written by hand.

use std::sync::Arc;

use arena_games::{GameSpec, Reason};
use serde_json::json;

use crate::plan::{StudyPlan, UnitSize};
use crate::report::{RunReport, export};
use crate::results::{Stop, StoredGame};
use crate::standings::tables::{self, headline};
use crate::standings::{self, Extras, Game, Summary, Tally};
use crate::store::{Header, VERSION};
use arena_schedule::{Format, UnitDesign};
use arena_section::screen::Screen;
use arena_section::terminal;

/// A game as a pipe gets it.
fn shown(game: &Game) -> String {
    let section = standings::section(game, Extras::default());
    terminal::section(&section, &Screen::default(), true, &mut Vec::new())
}

/// A tally of MiniShogi among these bots, in pairs of games. Without names each seed is another
/// game.
fn tally(bots: &[&str]) -> Tally {
    let mut tally = Tally::default();
    let size = UnitSize {
        design: UnitDesign::swapped(2),
        games: 2,
    };
    let bots: Vec<String> = bots.iter().copied().map(str::to_owned).collect();
    let spec = GameSpec {
        seed_decides: bots.is_empty(),
        ..arena_games::minishogi::spec()
    };
    tally.expect(&Arc::new(spec), size, &bots);
    tally
}

/// A game of two seats, as in `a b + ok crashed`: the bots, whether the first one won, drew or
/// lost, and the fates, unless both are `ok`. The first answers take 5 ms, the others 1 ms.
fn game(tally: &mut Tally, number: u64, text: &str) {
    let words: Vec<&str> = text.split(' ').collect();
    let bots = [words[0], words[1]];
    let (score, reason) = match words[2] {
        "+" => (1, Reason::Checkmate),
        "=" => (0, Reason::MaxRounds),
        _ => (-1, Reason::Checkmate),
    };
    let mut steps = Vec::new();
    for turn in 1..=6_usize {
        let player = (turn + 1) % 2;
        steps.push(json!({"turn": turn, "player": player, "output": bots[player]}));
    }
    let record = json!({
        "number": number, "unit": number / 2, "seed": number / 2, "game": "minishogi", "bots": bots,
        "steps": steps, "scores": [score, -score], "reason": reason.to_string(),
        "ms": [5.0, 5.0, 1.0, 1.0, 1.0, 1.0],
    });
    let mut game = StoredGame::new(serde_json::from_value(record).unwrap()).unwrap();
    for (seat, fate) in game.result.seats.iter_mut().zip(&words[3..]) {
        seat.fate = fate.parse().unwrap();
    }
    tally.add(&game, true).unwrap();
}

fn summary(tally: &Tally) -> Summary {
    of_run(header(), tally)
}

/// The summary of a run, which ended as its header says.
fn of_run(header: Header, tally: &Tally) -> Summary {
    let is_announced = !header.extended && tally.games_played() >= header.games_planned;
    let stop = if is_announced {
        Stop::Announced
    } else {
        Stop::Watched
    };
    Summary::new(header, tally, &stop)
}

fn header() -> Header {
    Header {
        version: VERSION,
        name: "by hand".to_owned(),
        digest: "0".to_owned(),
        seed: "1".to_owned(),
        games_planned: 40,
        games_per_second: Some(10.0),
        ..Header::default()
    }
}

/// Units one after another, as in `a b ++ 2=-`: the bots, and what the first one made of both games
/// of each, first in seat 0. A number repeats a unit.
fn units(tally: &mut Tally, first: u64, text: &str) {
    let mut words = text.split(' ');
    let (a, b) = (words.next().unwrap(), words.next().unwrap());
    let mut unit = first;
    for word in words {
        let (times, results) = word.split_at(word.len() - 2);
        let (as_first, as_second) = results.split_at(1);
        let as_second = match as_second {
            "+" => "-",
            "-" => "+",
            drawn => drawn,
        };
        for _ in 0..times.parse().unwrap_or(1) {
            game(tally, 2 * unit, &format!("{a} {b} {as_first}"));
            game(tally, 2 * unit + 1, &format!("{b} {a} {as_second}"));
            unit += 1;
        }
    }
}

/// The derived CSV files. In the JSON, which has all digits, only values that are not finite are
/// checked.
fn files(tally: &Tally) -> String {
    let report = RunReport {
        summary: summary(tally),
        ..crate::report::tests::report("x")
    };
    let mut derived = export::files(&report).unwrap();
    let (name, json) = derived.pop().unwrap();
    assert_eq!(name, "summary.json");
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(
        json["games"][0]["bots"].as_array().unwrap().len(),
        summary(tally).games[0].bots.len()
    );
    for pairing in json["games"][0]["pairings"].as_array().unwrap() {
        let perfect = pairing["losses"] == 0 && pairing["draws"] == 0;
        assert_eq!(pairing["elo"]["elo"].is_null(), perfect, "{pairing}");
    }
    derived
        .iter()
        .filter(|(name, _)| ["ratings.csv", "pairings.csv", "timings.csv"].contains(name))
        .fold(String::new(), |all, (name, text)| {
            all + &format!("--- {name}\n{}", String::from_utf8_lossy(text))
        })
}

#[test]
fn a_field_that_is_linked() {
    let mut tally = tally(&[]);
    units(&mut tally, 0, "strong middle ++ +- ++ =+ --");
    units(&mut tally, 5, "middle weak += ++ -+ +- ==");
    units(&mut tally, 10, "strong weak ++ +- 2++ ==");
    insta::assert_snapshot!(shown(&tally.standings(&Stop::Watched)[0]) + "\n" + &files(&tally));
}

#[test]
fn a_perfect_bot_a_faulty_bot_and_an_unfinished_unit() {
    let mut tally = tally(&[]);
    units(&mut tally, 0, "perfect other 2++");
    game(&mut tally, 4, "perfect faulty + ok crashed");
    game(&mut tally, 5, "faulty perfect - timeout ok");
    game(&mut tally, 6, "perfect faulty + ok crashed");
    insta::assert_snapshot!(shown(&tally.standings(&Stop::Watched)[0]) + "\n" + &files(&tally));
}

#[test]
fn a_gauntlet_is_about_its_challenger() {
    let bots = ["mine", "a", "b", "c"];
    let mut tally = tally(&bots);
    tally.expect_study(&StudyPlan::list(Format::Gauntlet, 2), &[]);
    units(&mut tally, 0, "mine a ++ +-");
    units(&mut tally, 10, "b mine 3-+ --");
    units(&mut tally, 20, "mine c -- +-");
    let game = &tally.standings(&Stop::Announced)[0];
    let answer = "mine is 2nd of 4: 62.5% against b, 75.0% against a; 25.0% against c";
    assert_eq!(headline(game).unwrap().to_string(), answer);
    let shown = shown(game);
    let row = shown.lines().find(|line| line.starts_with('>')).unwrap();
    assert!(row.starts_with(">2  mine "), "{shown}");
    // In games of two, the scores of the others say the same.
    assert!(!shown.contains("challenger's score"), "{shown}");
    // For two bots, one number says everything.
    let mut tally = self::tally(&bots[..2]);
    tally.expect_study(&StudyPlan::list(Format::Gauntlet, 2), &[]);
    units(&mut tally, 0, "mine a ++ +-");
    assert_eq!(tally.standings(&Stop::Announced)[0].challenger, None);
}

/// With 30 pairs won and 10 lost, the verdict depends on whether the user could have stopped the
/// run.
#[test]
fn the_end_decides_which_interval_is_in_force() {
    let mut tally = tally(&[]);
    units(&mut tally, 0, "a b 30++ 10--");
    let of_run = |tally: &Tally, games_planned, extended| {
        let header = Header {
            games_planned,
            extended,
            finished: true,
            ..header()
        };
        self::of_run(header, tally)
    };
    for (games_planned, extended, anytime) in
        [(80, false, false), (81, false, true), (80, true, true)]
    {
        let summary = of_run(&tally, games_planned, extended);
        let game = &summary.games[0];
        let sentence = headline(game).unwrap();
        assert_eq!(
            sentence.to_string().contains("a is stronger"),
            !anytime,
            "{sentence:?}"
        );
        let report = RunReport {
            summary: summary.clone(),
            ..crate::report::tests::report("x")
        };
        let json: serde_json::Value =
            serde_json::from_str(&export::json(&report).unwrap()).unwrap();
        let named = if anytime { "every_look" } else { "once" };
        let (shown, met) = (&json["games"][0], game.pairings[0].met.by);
        let of_pair = &shown["pairings"][0]["elo"];
        assert_eq!(
            (&shown["interval"], &of_pair["interval"]),
            (&named.into(), &named.into())
        );
        assert_eq!(json["run"]["extended"], extended);
        assert_eq!(
            (&of_pair["lo95"], &of_pair["hi95"]),
            (&met.lo95.into(), &met.hi95.into())
        );
        let again: Header = serde_json::from_value(json["run"].clone()).unwrap();
        assert_eq!(again.extended, extended);
    }
    insta::assert_snapshot!(
        [of_run(&tally, 80, false), of_run(&tally, 81, false)]
            .map(|summary| shown(&summary.games[0]))
            .join("\n")
    );
    // The ratings of more bots are as much wider as the bot with the fewest units needs.
    units(&mut tally, 40, "a c ++ -- +- ++");
    let [once, watched] = [88, 1000].map(|planned| of_run(&tally, planned, false).games[0].clone());
    for (once, watched) in once.bots.iter().zip(&watched.bots) {
        let times = watched.error95.unwrap() / once.error95.unwrap();
        assert!(
            (times - arena_stats::anytime::times_as_wide(4)).abs() < 1e-9,
            "{times}"
        );
        assert!(watched.los_next.is_none());
    }
}

/// The sides of a match see the same with the signs changed, and the order of games is of no
/// account.
#[test]
fn names_and_order_change_nothing_but_signs_and_lines() {
    let played = ["++", "+-", "=+", "--", "+="];
    let (mut there, mut back) = (tally(&["a", "b"]), tally(&["a", "b"]));
    units(&mut there, 0, &format!("a b {}", played.join(" ")));
    for unit in [3, 0, 4, 1, 2] {
        units(&mut back, unit as u64, &format!("a b {}", played[unit]));
    }
    assert_eq!(files(&there), files(&back));
    let pair = &summary(&there).games[0];
    let (a, b) = (&pair.bots[0], &pair.bots[1]);
    assert_eq!(a.results, b.results.reversed());
    let met = &pair.pairings[0];
    assert_eq!(
        (met.pairs_split, met.pairs_drawn, pair.distinct_units),
        (Some(1), Some(0), 1),
        "all bots played the same moves"
    );
    assert_eq!(
        (&met.unit_scores[..], &met.unit_counts[..]),
        (&[0.0, 0.5, 0.75, 1.0][..], &[1, 1, 2, 1][..])
    );
    let text = shown(pair);
    for note in [
        "pairs for a: 3 won, 1 lost, 1 with a win each, 0 drawn twice",
        "repeated games: 8 (4 of 5 units)",
    ] {
        assert!(text.contains(note), "{text}");
    }
    let elo = met.met.by.elo;
    assert!(
        (a.elo.unwrap() - b.elo.unwrap() - elo).abs() < 1e-9,
        "the ratings of two bots are the Elo of their match"
    );
}

/// Each bot beats the next one, and the last beats the first.
#[test]
fn all_reports_name_results_that_ratings_do_not_fit() {
    let mut tally = tally(&[]);
    units(&mut tally, 0, "a b 40++ 20--");
    units(&mut tally, 60, "b c 40++ 20--");
    units(&mut tally, 120, "c a 40++ 20--");
    let game = &summary(&tally).games[0];
    let section = standings::section(game, Extras::default());
    let mut markdown = String::new();
    arena_section::markdown::section(&mut markdown, &section);
    let page = arena_section::html::section(&section).into_string();
    for text in [shown(game), markdown, page] {
        let text = text.replace("&#39;", "'").replace('\\', "");
        assert!(text.contains("one rating per bot doesn't fit: a took 66.7% from b, the ratings say 50.0% (120 Elo apart); "), "{text}");
    }
    // A likelihood holds for a single look.
    let watched = &tally.standings(&Stop::Watched)[0];
    assert!(watched.bots.iter().all(|bot| bot.los_next.is_none()));
    // The three ratings are level. Of 60 units a won 40.
    assert!(
        game.bots[0]
            .los_next
            .is_some_and(|los| !(0.01..=0.99).contains(&los))
    );
}

/// c lost everything. That says nothing new of the other two.
#[test]
fn only_bots_that_are_connected_have_a_los() {
    let mut tally = tally(&[]);
    units(&mut tally, 0, "a b ++ +- ++ --");
    units(&mut tally, 10, "b c 4++");
    let game = &tally.standings(&Stop::Announced)[0];
    assert_eq!(game.groups, [vec!["a", "b"], vec!["c"]]);
    let los = game.bots.iter().map(|bot| bot.los_next.is_some());
    assert_eq!(los.collect::<Vec<_>>(), [true, false, false]);
}

/// A bot that fails on a seed may do so in both games of it.
#[test]
fn fault_rates_count_games() {
    let mut tally = tally(&[]);
    for unit in 0..6 {
        game(&mut tally, 2 * unit, "bad good - timeout ok");
        game(&mut tally, 2 * unit + 1, "good bad + ok crashed");
    }
    game(&mut tally, 12, "bad good - timeout ok");
    game(&mut tally, 13, "good bad - timeout ok");
    let pair = &summary(&tally).games[0];
    let bad = pair.bots.iter().find(|bot| bot.name == "bad").unwrap();
    let rate = |kind: &str| (bad.fault_rates[kind].count, bad.fault_rates[kind].of);
    let rates = ["timeout", "crashed", "any", "too_long"].map(rate);
    assert_eq!(rates, [(7, 14), (6, 14), (13, 14), (0, 14)]);
}

/// The difference of two bots is drawn, and that of a challenger to each of its opponents.
#[test]
fn the_answer_is_drawn_as_intervals() {
    let mut tally = tally(&[]);
    units(&mut tally, 0, "a b 30++ 5--");
    let page = |tally: &Tally, challenger: Option<&str>| {
        let mut games = tally.standings(&Stop::Announced);
        let place = |name: &str| games[0].bots.iter().position(|bot| bot.name == name);
        games[0].challenger = challenger.and_then(place);
        let table = tables::drawn(&games).unwrap();
        arena_section::html::drawn(&table).into_string()
    };
    let duel = page(&tally, None);
    assert!(
        duel.contains("a over b") && duel.contains("class=\"interval up\""),
        "{duel}"
    );
    units(&mut tally, 60, "c a 30++ 5--");
    let gauntlet = page(&tally, Some("a"));
    for text in ["a over b", "a over c", "interval up", "interval down"] {
        assert!(gauntlet.contains(text), "{text}: {gauntlet}");
    }
    // Without a challenger there is the first bot.
    let field = page(&tally, None);
    assert!(field.contains("data-short=\"c\">c</th>"), "{field}");
    assert!(tables::drawn(&[]).is_none());
}

/// Both names fit, and keep what differs. Whoever points at a row, or hears it, gets whole names.
#[test]
fn the_answer_of_long_names_is_drawn_with_parts_of_both() {
    let names = ["new", "old"].map(|end| format!("onitama-alpha-beta-deep-{end}"));
    let [new, old] = &names;
    let mut tally = tally(&[]);
    units(&mut tally, 0, &format!("{new} {old} 30++ 5--"));
    let table = tables::drawn(&tally.standings(&Stop::Announced)).unwrap();
    let page = arena_section::html::drawn(&table).into_string();
    let whole = format!("{new} over {old}");
    for text in [
        ">onitam…p-new over onitam…p-old</th>",
        &format!("title=\"{whole}\""),
        &format!("aria-label=\"{whole}: "),
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
}
