//! Laws for all games of [`Games::standard`], checked on games of any text and of lines that a bot
//! could pick from its prompts.

use std::borrow::Cow;

use arena_games::dice_shogi::DiceShogi;
use arena_games::kutulu::{Kutulu, Maps};
use arena_games::minishogi::MiniShogi;
use arena_games::onitama::Onitama;
use arena_games::rng::{SplitMix64, choose};
use arena_games::{
    Fault, Game, GameSpec, Games, MAX_SEATS, Opening, OptionError, Options, Reply, Seat,
    StartError, TextError,
};
use proptest::prelude::*;

use crate::is_long;

/// The answer of a seat.
#[derive(Clone, Debug)]
enum Answer {
    /// A given line.
    Text(String),
    /// A line that a bot could pick from the prompt, by a number.
    Pick(usize),
    /// No answer.
    Fault(Fault),
}

impl Answer {
    fn line<'a>(&'a self, prompt: &'a str) -> Result<Cow<'a, str>, Fault> {
        match self {
            Answer::Text(text) => Ok(text.into()),
            Answer::Pick(number) => Ok(pick(prompt, *number)),
            Answer::Fault(fault) => Err(*fault),
        }
    }
}

/// Returns a line of the prompt, counted from the last one, which is mostly a legal action if the
/// prompt lists them. The lines of Kutulu are entities, and every other answer moves towards one.
fn pick(prompt: &str, number: usize) -> Cow<'_, str> {
    const WORDS: [&str; 7] = ["WAIT", "PLAN", "LIGHT", "YELL", "UP", "LEFT", "DOWN"];
    let from_the_end = |number| prompt.lines().rev().nth(number).unwrap_or_default();
    let entity: Vec<&str> = from_the_end(number).split(' ').collect();
    match entity[..] {
        [kind, _, x, y, ..] if kind.len() > 6 && number.is_multiple_of(2) => {
            format!("MOVE {x} {y}").into()
        }
        [kind, ..] if kind.len() > 6 => WORDS[number / 2 % WORDS.len()].into(),
        _ => from_the_end(number % 5).into(),
    }
}

/// Answers that mostly keep a game running.
fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        400 => (0..14usize).prop_map(Answer::Pick),
        20 => Just(Answer::Text("random".into())),
        10 => Just(Answer::Text("WAIT".into())),
        1 => any::<String>().prop_map(Answer::Text),
        1 => "[ \\t]?[1-6PBGSRpbgsrKk+*A-E]{1,3}[*+1-6A-E]{1,3}[ +]{0,2}.{0,3}".prop_map(Answer::Text),
        1 => "[ ]?0?1?[0-9][ \\t]{1,2}([A-Ea-e][1-5]){2}[ ]{0,2}.{0,3}".prop_map(Answer::Text),
        1 => prop::sample::select(vec![Fault::Timeout, Fault::Crashed]).prop_map(Answer::Fault),
    ]
}

fn script() -> impl Strategy<Value = Vec<Answer>> {
    prop::collection::vec(answer(), 1..120)
}

fn prompt(game: &dyn Game, seat: Seat) -> String {
    let mut text = String::new();
    game.prompt(seat, &mut text);
    text
}

fn start(spec: &GameSpec, seed: i64, opening: &Opening) -> Result<Box<dyn Game>, StartError> {
    spec.start(seed, spec.default_seats(), opening)
}

/// The JSON for viewers, the same at every call.
fn drawing(game: &dyn Game) -> [serde_json::Value; 2] {
    let text = || {
        let setting = serde_json::to_string(&game.setting()).expect("a setting is JSON");
        [
            setting,
            serde_json::to_string(&game.frame()).expect("a frame is JSON"),
        ]
    };
    let once = text();
    assert_eq!(once, text(), "a frame is the same at every call");
    once.map(|text| serde_json::from_str(&text).expect("a frame is JSON"))
}

/// Checks every frame against the other methods of the game.
fn check_frame(game: &dyn Game, setting: &serde_json::Value) {
    let [now, frame] = drawing(game);
    assert_eq!(now, *setting, "the setting stays as it is");
    let scores: Vec<i64> = game
        .standings()
        .iter()
        .map(|standing| standing.score)
        .collect();
    assert_eq!(frame["turn"], game.turn());
    assert_eq!(
        frame["due"],
        serde_json::json!(game.due().iter().collect::<Vec<_>>())
    );
    assert_eq!(frame["scores"], serde_json::json!(scores));
    assert_eq!(
        frame["reason"],
        serde_json::json!(game.reason().map(ToString::to_string))
    );
}

/// Plays until the game is over or the script ends. Returns everything visible.
fn play(game: &mut dyn Game, script: &[Answer]) -> Vec<String> {
    let mut seen = Vec::new();
    let mut script = script.iter();
    let [setting, _] = drawing(game);
    check_frame(game, &setting);
    while !game.due().is_empty() {
        let seats = 0..game.standings().len();
        let prompts: Vec<String> = seats.clone().map(|seat| prompt(game, seat)).collect();
        let mut answers: Vec<_> = seats.map(|_| None).collect();
        for seat in game.due().iter() {
            let Some(answer) = script.next() else {
                return seen;
            };
            assert_eq!(
                prompt(game, seat),
                prompts[seat],
                "a prompt is the same at every call"
            );
            assert!(prompts[seat].ends_with('\n'));
            answers[seat] = Some(answer.line(&prompts[seat]));
        }
        let lines = answers.iter().map(Option::as_ref);
        let replies: Vec<Option<Reply<'_>>> = lines
            .map(|line| line.map(|line| line.as_deref().map_err(|&fault| fault)))
            .collect();
        let turn = game.turn();
        game.advance(&replies);
        assert_eq!(game.turn(), turn + u32::from(game.reason().is_none()));
        check_frame(game, &setting);
        seen.extend(prompts);
        seen.push(format!("{:?} {:?}", game.standings(), game.reason()));
    }
    seen
}

/// A game and its clone, made in the middle, show the same after the same answers.
fn clone_plays_on_identically<G: Game + Clone>(mut game: G, before: &[Answer], after: &[Answer]) {
    play(&mut game, before);
    let mut clone = game.clone();
    assert_eq!(play(&mut game, after), play(&mut clone, after));
    assert_eq!(
        (game.standings(), game.reason()),
        (clone.standings(), clone.reason())
    );
}

proptest! {
    #[test]
    fn a_game_is_a_function_of_its_seed_and_replies(seed: i64, script in script()) {
        for spec in Games::standard().iter() {
            let [mut one, mut other] = [0; 2].map(|_| start(spec, seed, &Opening::Plies(0)).unwrap());
            prop_assert_eq!(play(one.as_mut(), &script), play(other.as_mut(), &script));
            prop_assert_eq!(one.standings(), other.standings());
            prop_assert_eq!(one.standings().len(), spec.default_seats());
        }
    }

    #[test]
    fn an_ended_game_stays_as_it_is(seed: i64, script in script(), fault in any::<bool>()) {
        for spec in Games::standard().iter() {
            let mut game = start(spec, seed, &Opening::Plies(0)).unwrap();
            play(game.as_mut(), &script);
            // If the script was too short, this is the end, whether at once or seat by seat.
            let last = if fault { Err(Fault::Crashed) } else { Ok("no action") };
            for _ in 0..1000 {
                game.advance(&[Some(last); MAX_SEATS]);
            }
            prop_assert!(game.due().is_empty());
            let state = |game: &dyn Game| (game.turn(), game.standings().to_vec(), game.reason().map(str::to_owned));
            let ended = state(game.as_ref());
            prop_assert!(ended.2.is_some());
            for reply in [Ok("random"), Ok(""), Err(Fault::TooLong)] {
                game.advance(&[Some(reply); MAX_SEATS]);
                prop_assert_eq!(&state(game.as_ref()), &ended);
            }
        }
    }

    #[test]
    fn a_drawn_opening_can_be_replayed(seed: i64, plies in 0..12u32, script in script()) {
        for spec in Games::standard().iter().filter(|spec| spec.has_opening) {
            let mut drawn = start(spec, seed, &Opening::Plies(plies)).unwrap();
            prop_assert_eq!(drawn.opening().len(), plies as usize);
            prop_assert_eq!(drawn.turn(), plies + 1);
            prop_assert!(drawn.reason().is_none());
            let mut replayed = start(spec, seed, &Opening::Moves(drawn.opening().to_vec())).unwrap();
            prop_assert_eq!(drawn.opening(), replayed.opening());
            prop_assert_eq!(play(drawn.as_mut(), &script), play(replayed.as_mut(), &script));
        }
    }

    /// An opening only changes who played: bots that play the same moves meet the same lists after
    /// it.
    #[test]
    fn an_opening_is_a_stretch_of_an_ordinary_game(seed: i64, plies in (1..6u32).prop_map(|half| 2 * half)) {
        for spec in Games::standard().iter().filter(|spec| spec.has_opening) {
            let opened = start(spec, seed, &Opening::Plies(plies)).unwrap();
            let mut played = start(spec, seed, &Opening::Plies(0)).unwrap();
            for action in opened.opening() {
                played.advance(&[Some(Ok(action.as_str())); MAX_SEATS]);
            }
            prop_assert_eq!(played.turn(), opened.turn());
            let (first, later) = (prompt(opened.as_ref(), 0), prompt(played.as_ref(), 0));
            // Only the lines that introduce a seat come with its first prompt.
            prop_assert!(first.ends_with(&later) && first.len() > later.len());
        }
    }

    #[test]
    fn a_drawn_game_plays_on_as_one_that_is_not(seed: i64, script in script()) {
        let opening = Opening::default();
        drawing_changes_nothing(MiniShogi::start(seed, &opening).unwrap(), &script);
        drawing_changes_nothing(DiceShogi::start(seed, &opening).unwrap(), &script);
        drawing_changes_nothing(Onitama::start(seed, &opening).unwrap(), &script);
        drawing_changes_nothing(Kutulu::start(seed, &Maps::own()), &script);
    }

    #[test]
    fn a_clone_plays_on_identically(seed: i64, before in script(), after in script()) {
        let opening = Opening::default();
        clone_plays_on_identically(MiniShogi::start(seed, &opening).unwrap(), &before, &after);
        clone_plays_on_identically(DiceShogi::start(seed, &opening).unwrap(), &before, &after);
        clone_plays_on_identically(Onitama::start(seed, &opening).unwrap(), &before, &after);
        clone_plays_on_identically(Kutulu::start(seed, &Maps::own()), &before, &after);
    }
}

/// Returns the result of a seat if both sides play for it for so many turns: 1 if it wins, -1 if it
/// loses, 0 if neither is certain.
fn forced<G: Game + Clone>(game: &G, seat: Seat, turns: u32) -> i64 {
    let scores: Vec<i64> = game.standings().iter().map(|own| own.score).collect();
    let Some(mover) = game.due().iter().next().filter(|_| turns > 0) else {
        return (scores[seat] - scores[1 - seat]).signum();
    };
    let side = if mover == seat { 1 } else { -1 };
    let mut best = -1;
    for action in actions(game) {
        let mut next = game.clone();
        next.advance(&[Some(Ok(action.as_str())); 2]);
        best = best.max(side * forced(&next, seat, turns - 1));
        if best == 1 {
            break;
        }
    }
    side * best
}

/// Returns the actions that the last lines of a prompt list, after their number.
fn actions(game: &impl Game) -> Vec<String> {
    let seat = game.due().iter().next().expect("the game runs");
    let prompt = prompt(game, seat);
    let lines: Vec<&str> = prompt.lines().collect();
    let is_number = |&at: &usize| lines[at].parse() == Ok(lines.len() - at - 1);
    let at = (0..lines.len()).rev().find(is_number).expect("a list");
    lines[at + 1..].iter().map(ToString::to_string).collect()
}

/// Returns the first opening of a seed after which neither side wins in its next action, whatever
/// the other does, and the number of openings before it.
fn open_opening<G: Game + Clone>(start: &G, seed: i64, plies: u32) -> (Vec<String>, usize) {
    let mut rng = SplitMix64::new(seed.cast_unsigned());
    for decided in 0.. {
        let (mut game, mut opening) = (start.clone(), Vec::new());
        while game.reason().is_none() && opening.len() < plies as usize {
            let action = choose(&actions(&game), &mut rng).unwrap().clone();
            game.advance(&[Some(Ok(action.as_str())); 2]);
            opening.push(action);
        }
        let mover = game.due().iter().next();
        if mover.is_some_and(|seat| forced(&game, seat, 1) < 1 && forced(&game, seat, 2) > -1) {
            return (opening, decided);
        }
    }
    unreachable!("the generator never ends")
}

/// Returns the number of openings that were left out.
fn openings_are_open<G: Game + Clone>(start: impl Fn(i64, &Opening) -> G) -> usize {
    let mut left_out = 0;
    for plies in [1, 2, 3, 4, 5, 6, 8, 11, 20] {
        let seeds = if is_long() { 10_000 } else { 60 };
        for seed in (0..seeds).map(|seed| seed * 1_000_003 - 7) {
            let (expected, decided) = open_opening(&start(seed, &Opening::Plies(0)), seed, plies);
            let game = start(seed, &Opening::Plies(plies));
            assert_eq!(game.opening(), expected, "seed {seed}, {plies} plies");
            left_out += decided;
        }
    }
    left_out
}

/// The short form has 540 openings of each game, the long one 10,000 of each length.
#[test]
fn a_drawn_opening_decides_nothing() {
    let left_out = [
        openings_are_open(|seed, opening| MiniShogi::start(seed, opening).unwrap()),
        openings_are_open(|seed, opening| DiceShogi::start(seed, opening).unwrap()),
        openings_are_open(|seed, opening| Onitama::start(seed, opening).unwrap()),
    ];
    assert!(left_out.iter().all(|&count| count > 0), "{left_out:?}");
}

/// Drawing a game at every turn doesn't change it.
fn drawing_changes_nothing<G: Game + Clone>(mut drawn: G, script: &[Answer]) {
    let mut plain = drawn.clone();
    let seats = drawn.standings().len();
    for answers in script.chunks(seats) {
        for _ in 0..3 {
            drawing(&drawn);
        }
        for game in [&mut drawn, &mut plain] {
            let prompts: Vec<String> = (0..seats).map(|seat| prompt(game, seat)).collect();
            let lines: Vec<_> = answers
                .iter()
                .zip(&prompts)
                .map(|(answer, prompt)| answer.line(prompt))
                .collect();
            let mut replies: Vec<Option<Reply<'_>>> = vec![None; seats];
            for (reply, line) in replies.iter_mut().zip(&lines) {
                *reply = Some(line.as_deref().map_err(|&fault| fault));
            }
            game.advance(&replies);
        }
        for seat in 0..seats {
            assert_eq!(prompt(&drawn, seat), prompt(&plain, seat));
        }
    }
    assert_eq!(drawing(&drawn), drawing(&plain));
}

/// The JSON that viewers expect, see [`Game::frame`].
#[test]
fn frames_look_as_they_are_documented() {
    for spec in Games::standard().iter() {
        let mut game = start(spec, 3, &Opening::Plies(0)).unwrap();
        let mut rng = SplitMix64::new(1);
        for _ in 0..23 {
            let random = |seat| {
                spec.rules
                    .random_action(&prompt(game.as_ref(), seat), &mut rng)
            };
            let lines: Vec<String> = (0..spec.default_seats()).map(random).collect();
            let replies: Vec<Option<Reply<'_>>> =
                lines.iter().map(|line| Some(Ok(line.as_str()))).collect();
            game.advance(&replies);
        }
        let setting = serde_json::to_string(&game.setting()).unwrap();
        let text = format!(
            "{setting}\n{}",
            serde_json::to_string(&game.frame()).unwrap()
        );
        insta::assert_snapshot!(format!("frame_of_{}", spec.id), text);
    }
}

#[test]
fn openings_that_cannot_be_are_refused() {
    for spec in Games::standard().iter().filter(|spec| spec.has_opening) {
        let no_moves = start(spec, 1, &Opening::Moves(vec!["nonsense".into()])).err();
        let expected = "play the opening: action 1, \"nonsense\", is not legal there";
        assert_eq!(no_moves, Some(StartError(expected.to_owned())));
        let too_long = start(spec, 1, &Opening::Plies(300)).err();
        let expected = "draw an opening of 300 turns: every one that was tried decides the game; ask for fewer";
        assert_eq!(
            too_long,
            Some(StartError(expected.to_owned())),
            "{}",
            spec.id
        );
    }
}

#[test]
fn what_a_game_does_not_have_is_refused() {
    for spec in Games::standard().iter() {
        if !spec.has_opening {
            let expected = Some(StartError(
                "play the opening: this game has none".to_owned(),
            ));
            assert_eq!(
                start(spec, 1, &Opening::Plies(2)).err(),
                expected,
                "{}",
                spec.id
            );
            let moves = Opening::Moves(vec!["WAIT".into()]);
            assert_eq!(start(spec, 1, &moves).err(), expected, "{}", spec.id);
        }
        let map = Options::from_iter([(
            "map".to_owned(),
            ["SS", "SS"].map(str::to_owned).to_vec().into(),
        )]);
        let refused = spec
            .configured(&map, &|_| Err(TextError("read nothing".into())))
            .err();
        let expected = spec
            .options
            .is_empty()
            .then(|| OptionError::Unknown("map".into()));
        assert_eq!(refused, expected, "{}", spec.id);
        for seats in (0..=MAX_SEATS + 1).filter(|seats| !spec.seats.contains(seats)) {
            let refused = spec.start(1, seats, &Opening::default()).err();
            let expected = format!("start the game with {seats} seats: it has another number");
            assert_eq!(refused, Some(StartError(expected)), "{}", spec.id);
        }
    }
}

#[test]
fn ids_are_unique_and_found() {
    let games = Games::standard();
    for spec in games.iter() {
        assert!(std::sync::Arc::ptr_eq(games.find(&spec.id).unwrap(), spec));
        assert!(
            *spec.seats.start() >= 2 && *spec.seats.end() <= MAX_SEATS && !spec.seats.is_empty()
        );
    }
    assert!(games.find("chess").is_none());
}
