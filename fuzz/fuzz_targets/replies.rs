//! Any text as the replies of every game: no panic, a prompt is the same at every call, and the
//! same replies give the same game. The first byte is the seed; then a line is a reply. A number
//! picks an action from the list, so that games continue.

#![no_main]

use std::borrow::Cow;

use arena_games::rng::SplitMix64;
use arena_games::{Fault, Game, GameSpec, Games, MAX_SEATS, Opening, Seat, Standing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&seed, text)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    for spec in Games::standard().iter() {
        assert_eq!(
            play(spec, seed.into(), &text),
            play(spec, seed.into(), &text),
            "{}",
            spec.id
        );
    }
});

fn play(spec: &GameSpec, seed: i64, text: &str) -> (u32, Vec<Standing>) {
    let mut game = spec
        .start(seed, spec.default_seats(), &Opening::default())
        .expect("every game starts");
    let mut lines = text.split('\n');
    while !game.due().is_empty() {
        let mut answers = [const { None }; MAX_SEATS];
        for seat in game.due().iter() {
            let prompt = prompt(game.as_ref(), seat);
            assert_eq!(
                prompt,
                self::prompt(game.as_ref(), seat),
                "a prompt is the same at every call"
            );
            let Some(line) = lines.next() else {
                return (game.turn(), game.standings().to_vec());
            };
            answers[seat] = Some(answer(spec, &prompt, line));
        }
        let replies = answers.each_ref().map(|answer| {
            answer
                .as_ref()
                .map(|line| line.as_deref().map_err(|&fault| fault))
        });
        game.advance(&replies);
    }
    assert!(game.reason().is_some(), "a game that is over has a reason");
    (game.turn(), game.standings().to_vec())
}

fn prompt(game: &dyn Game, seat: Seat) -> String {
    let mut prompt = String::new();
    game.prompt(seat, &mut prompt);
    prompt
}

fn answer<'a>(spec: &GameSpec, prompt: &str, line: &'a str) -> Result<Cow<'a, str>, Fault> {
    match (line, line.parse::<u8>()) {
        ("!", _) => Err(Fault::Timeout),
        (_, Ok(number)) => {
            let listed = spec.listed_actions(prompt);
            let drawn = || {
                spec.rules
                    .random_action(prompt, &mut SplitMix64::new(number.into()))
            };
            Ok(listed
                .get(usize::from(number))
                .map_or_else(drawn, ToString::to_string)
                .into())
        }
        _ => Ok(line.into()),
    }
}
