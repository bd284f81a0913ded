use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::rng::Generator as _;
use crate::{
    Fault, File, Folder, Opening, OptionError, Options, Rules as _, StartError, TextError, Wanted,
};

fn on(rows: &[&str]) -> Maps {
    Maps::one(Arc::new(Maze::new(rows).unwrap()))
}

fn play(game: &mut Kutulu, lines: [&str; SEATS]) {
    game.advance(&lines.map(|line| Some(Ok(line))));
}

/// Returns the lines of a kind that a seat reads, without their first word.
fn lines(game: &Kutulu, seat: Seat, kind: &str) -> Vec<String> {
    let mut prompt = String::new();
    game.prompt(seat, &mut prompt);
    let of_kind = |line: &str| Some(line.strip_prefix(kind)?.strip_prefix(' ')?.to_owned());
    prompt.lines().filter_map(of_kind).collect()
}

fn scores(game: &Kutulu) -> [i64; SEATS] {
    game.standings.map(|standing| standing.score)
}

/// Four rooms of one cell, too far apart for company.
const CELLS: [&str; 3] = ["###############", "#S###S###S###S#", "###############"];

#[test]
fn the_draws_of_a_game_are_the_originals() {
    let table = [
        (0, [5, 2, 3, 35], -1_557_280_266, 10, [2, 1, 2, 0, 1]),
        (1, [5, 2, 4, 38], 892_128_508, 12, [0, 0, 1, 1, 1]),
        (42, [5, 1, 5, 35], 1_325_939_940, 4, [1, 3, 1, 2, 1]),
        (-1, [4, 3, 3, 35], -1_451_336_087, 7, [2, 2, 1, 0, 1]),
        (
            123_456_789_012_345,
            [5, 3, 6, 32],
            -508_698_726,
            6,
            [3, 3, 0, 0, 1],
        ),
    ];
    for (seed, constants, drawn, index, next) in table {
        let mut rng = JavaRandom::new(seed);
        let line = Constants::draw(&mut rng).to_string();
        assert_eq!(
            line,
            constants.map(|number| number.to_string()).join(" "),
            "seed {seed}"
        );
        assert_eq!(rng.clone().next_i32(), drawn, "seed {seed}");
        assert_eq!(maps::index(drawn, 16), index, "seed {seed}");
        assert_eq!(
            [4, 4, 4, 3, 2].map(|bound| rng.next_int(bound)),
            next,
            "seed {seed}"
        );
    }
    assert_eq!([16, 12].map(|maps| maps::index(i32::MIN, maps)), [0, 8]);
}

#[test]
fn a_given_map_costs_no_draw_and_a_set_one() {
    let mut rng = JavaRandom::new(7);
    let _ = Constants::draw(&mut rng);
    let next = |maps: &Maps| format!("{:?}", Kutulu::start(7, maps).world);
    let with = |rng: &JavaRandom| format!("{rng:?}");
    assert!(next(&on(&CELLS)).contains(&with(&rng)));
    rng.next_i32();
    assert!(next(&folder(&[&CELLS.join("\n")]).unwrap()).contains(&with(&rng)));
    assert!(next(&Maps::own()).contains(&with(&rng)));
}

#[test]
fn the_own_maps_are_whole_and_usual() {
    assert_eq!(Maps::own().mazes.len(), maps::OWN.len());
    for (maze, (_, text)) in Maps::own().mazes.iter().zip(maps::OWN) {
        assert_eq!(maze.rows().join("\n") + "\n", text);
        assert_eq!(maze.warning(), None);
    }
}

/// Records name the edition of the built-in maps, so those of other maps are rejected.
#[test]
fn an_unknown_edition_of_the_maps_is_rejected() {
    let read = |_: Wanted<'_>| Err(TextError(String::new()));
    let edition = |number: u64| Options::from_iter([("maps_edition".to_owned(), number.into())]);
    for options in [Options::new(), edition(2)] {
        let configured = spec().configured(&options, &read).unwrap();
        assert_eq!(configured.rules.options(), edition(2));
    }
    assert_eq!(
        spec()
            .configured(&edition(1), &read)
            .unwrap_err()
            .to_string(),
        "can't set `maps_edition`: expected the edition of the game's own maps, 2"
    );
}

#[test]
fn there_are_no_openings() {
    let start = |opening| spec().start(1, SEATS, &opening).err();
    let expected = Some(StartError(
        "play the opening: this game has none".to_owned(),
    ));
    assert_eq!(start(Opening::Plies(2)), expected);
    assert_eq!(start(Opening::Moves(vec!["WAIT".into()])), expected);
    assert_eq!(start(Opening::Moves(Vec::new())), None);
}

/// The example of the rules.
#[test]
fn a_wanderer_is_announced_and_walks() {
    let mut game = Kutulu::start(11, &Maps::one(Maps::own().mazes[0].clone()));
    for line in [
        "4 4 3 3 0 -1",
        "4 4 3 2 0 -1",
        "4 4 3 1 0 -1",
        "4 4 3 34 1 -1",
        "4 4 4 33 1 0",
    ] {
        play(&mut game, ["WAIT"; 4]);
        assert_eq!(lines(&game, 0, "WANDERER")[0], line);
    }
}

/// The timeline of the rules, of a slasher whose player never moves.
#[test]
fn a_slasher_keeps_its_times() {
    let mut game = Kutulu::start(11, &on(&CELLS));
    // Every explorer is alone and loses 5 a turn, so the slashers appear in turn 11.
    (0..=11).for_each(|_| play(&mut game, ["WAIT"; 4]));
    let mut expected: Vec<String> = (1..=5).rev().map(|left| format!("{left} 0 0")).collect();
    expected.push("34 3 0".into());
    expected.extend((1..=6).rev().map(|left| format!("{left} 4 -1")));
    expected.extend(["34 1 -1", "2 2 0", "1 2 0", "34 3 0", "6 4 -1"].map(Into::into));
    for line in expected {
        assert_eq!(lines(&game, 0, "SLASHER")[0], format!("4 1 1 {line}"));
        assert_eq!(lines(&game, 0, "SLASHER").len(), 4);
        play(&mut game, ["WAIT"; 4]);
    }
}

/// Seat 0 above seat 2; the others far away.
const PAIR: [&str; 4] = ["S#...S", "S.....", "#.....", "#....S"];

/// The example of the rules: two players side by side.
#[test]
fn two_can_yell_at_each_other_once() {
    let mut game = Kutulu::start(1, &on(&PAIR));
    play(&mut game, ["WAIT"; 4]);
    play(&mut game, ["YELL", "WAIT", "yell at you", "WAIT"]);
    assert_eq!(
        lines(&game, 3, "EFFECT_YELL"),
        ["-1 -1 -1 1 0 2", "-1 -1 -1 1 2 0"]
    );
    play(&mut game, ["PLAN", "WAIT", "LIGHT", "WAIT"]);
    assert_eq!(
        lines(&game, 1, "EFFECT_YELL").len() + lines(&game, 1, "EFFECT_PLAN").len(),
        0
    );
    play(&mut game, ["YELL", "WAIT", "PLAN", "WAIT"]);
    assert_eq!(lines(&game, 1, "EFFECT_YELL").len(), 0);
    assert_eq!(lines(&game, 1, "EFFECT_PLAN"), ["-1 0 1 3 2 -1"]);
    assert!(
        lines(&game, 1, "EXPLORER")
            .iter()
            .any(|line| line.starts_with("2 0 1 ") && line.ends_with(" 1 3"))
    );
}

/// The example of the rules: a yell that hit keeps its caster from casting in the next turn.
#[test]
fn nobody_has_two_effects_at_once() {
    let mut game = Kutulu::start(1, &on(&["#SS", "S.S", "..."]));
    let charges = |game: &Kutulu| {
        (
            game.world.explorers[1].plans,
            game.world.explorers[1].lights,
        )
    };
    play(&mut game, ["WAIT"; 4]);
    let turns = [
        ("YELL", (2, 3)),
        ("PLAN", (2, 3)),
        ("PLAN", (1, 3)),
        ("PLAN", (1, 3)),
        ("LIGHT", (1, 3)),
        ("PLAN", (1, 3)),
        ("LIGHT", (1, 2)),
    ];
    for (turn, (action, left)) in (1..).zip(turns) {
        play(&mut game, ["WAIT", action, "WAIT", "WAIT"]);
        assert_eq!(charges(&game), left, "turn {turn}");
    }
}

#[test]
fn a_fault_removes_its_seat_and_play_goes_on() {
    let mut game = Kutulu::start(1, &on(&CELLS));
    game.advance(&[
        Some(Ok("WAIT")),
        Some(Ok("FLY")),
        Some(Err(Fault::Crashed)),
        None,
    ]);
    assert_eq!((game.reason, game.turn()), (None, 2));
    assert_eq!(game.due(), SeatSet::EMPTY.with(0));
    assert_eq!(scores(&game), [0, -1, -1, -1]);
    let fates = [Fate::Ok, Fate::InvalidAction, Fate::Crashed, Fate::Timeout];
    assert_eq!(game.standings.map(|standing| standing.fate), fates);
    assert_eq!(
        lines(&game, 0, "EXPLORER"),
        ["0 1 1 200 2 3"],
        "the last one loses 50 in the very same turn"
    );
    let mut none = String::new();
    game.prompt(1, &mut none);
    assert_eq!(none, "");
    // 50 more a turn, and the slasher comes too late.
    (0..4).for_each(|_| play(&mut game, ["WAIT"; 4]));
    assert_eq!((game.reason, game.turn()), (Some(Reason::LastSurvivor), 5));
    assert_eq!(scores(&game), [4, -1, -1, -1]);
    assert_eq!(game.standings.map(|standing| standing.fate), fates);
}

/// The buffers of a game have their final size from the start.
#[test]
fn a_turn_takes_no_memory() {
    let capacities = |game: &Kutulu| {
        (
            game.world.minions.capacity(),
            game.world.effects.capacity(),
            game.turn_lines.text.capacity(),
        )
    };
    for seed in 0..48 {
        let mut game = Kutulu::start(seed, &Maps::own());
        let start = capacities(&game);
        let mut actions = [
            ["MOVE 9 9", "YELL", "LIGHT"],
            ["PLAN", "UP", "WAIT"],
            ["LIGHT", "RIGHT", "MOVE 2 2"],
        ]
        .iter()
        .cycle();
        while game.reason.is_none() {
            let lines: [&str; SEATS] =
                std::array::from_fn(|seat| actions.next().unwrap()[seat % 3]);
            play(&mut game, lines);
        }
        assert_eq!(capacities(&game), start, "seed {seed}");
    }
}

#[test]
fn the_map_of_a_game_is_known_from_its_seed() {
    let maps = Maps::own();
    assert_eq!(maps.boards().len(), maps.mazes.len());
    for seed in -20..20 {
        let game = Kutulu::start(seed, &maps);
        assert_eq!(
            maps.mazes[maps.board(seed).unwrap()].rows(),
            game.world().maze().rows(),
            "seed {seed}"
        );
    }
    let one = on(&CELLS);
    assert_eq!((one.boards(), one.board(1)), (Vec::new(), None));
}

/// Returns the maps of a folder with these files.
fn folder(texts: &[&str]) -> Result<Maps, OptionError> {
    let name = |number| format!("{number}.txt").into();
    let files = (0..).zip(texts).map(|(number, text)| File {
        path: name(number),
        content: text.as_bytes().to_vec(),
    });
    let folder = Folder {
        digest: "d1".into(),
        files: files.collect(),
    };
    Maps::in_folder("maps", None, &|_| Ok(folder.clone()))
}

#[test]
fn editors_may_leave_their_traces() {
    let map = "S.S\n#w#\nS.S\n";
    let crlf = map.replace('\n', "\r\n");
    let maps = folder(&[map, &crlf, &format!("\u{feff}{crlf}\r\n\n"), map.trim_end()]).unwrap();
    assert_eq!(maps.names, ["0", "1", "2", "3"]);
    assert!(
        maps.mazes
            .iter()
            .all(|maze| maze.text() == "3\n3\n...\n#w#\n...\n")
    );
}

#[test]
fn options_are_kept_as_they_were_given() {
    let read = |wanted: Wanted<'_>| {
        assert_eq!((wanted.folder, wanted.ending), ("my/maps", "txt"));
        let file = File {
            path: "my/maps/a.txt".into(),
            content: CELLS.join("\n").into_bytes(),
        };
        Ok(Folder {
            digest: "d1".into(),
            files: vec![file],
        })
    };
    let configured = |json: &str| {
        let options = serde_json::from_str(json).unwrap();
        let configured = spec().configured(&options, &read)?;
        assert_eq!(
            configured
                .configured(&Options::new(), &read)?
                .rules
                .options(),
            spec().rules.options()
        );
        Ok((
            serde_json::to_string(&configured.rules.options()).unwrap(),
            configured.rules.warnings().len(),
        ))
    };
    let kept = |json: &str, warnings| Ok::<_, OptionError>((json.to_owned(), warnings));
    let own = r#"{"maps_edition":2}"#;
    assert_eq!(configured("{}"), kept(own, 0));
    assert_eq!(configured(own), kept(own, 0));
    let map = format!("{{\"map\":{}}}", serde_json::to_string(&CELLS).unwrap());
    assert_eq!(configured(&map), kept(&map, 0));
    let folder = r#"{"maps":"my/maps","maps_digest":"d1"}"#;
    assert_eq!(configured(folder), kept(folder, 0));
    assert_eq!(configured(r#"{"maps":"my/maps"}"#), kept(folder, 0));
    for (wrong, message) in [
        (
            r#"{"maps":"my/maps","maps_digest":"d2"}"#,
            "the maps of the folder `my/maps` are not those of the game: ",
        ),
        (
            r#"{"maps":"my/maps","mazes":""}"#,
            "can't set `mazes`: the game has no such option",
        ),
        (
            r#"{"maps":5}"#,
            "can't set `maps`: expected the path of a folder",
        ),
        (
            r#"{"map":["S"]}"#,
            "can't read the map: expected 4 starts, each an S, found 1 (row 1, column 1)",
        ),
    ] {
        let error = configured(wrong).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

proptest! {
    /// Any content is a map that keeps its rows, or an error.
    #[test]
    fn any_content_is_a_map_or_an_error(
        content in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            r"(\u{feff})?([#.SwU]{5}(\r?\n)){3,6}\n?".prop_map(String::into_bytes),
            r"(S#\.S\n){2,4}[#.SwU\r]{0,5}".prop_map(String::into_bytes),
        ],
    ) {
        let read = |content| maps::read_map(&File { path: "a.txt".into(), content });
        match read(content) {
            Ok(maze) => {
                let again = read(maze.rows().join("\n").into_bytes()).unwrap();
                prop_assert_eq!(again.rows(), maze.rows());
            }
            Err(error) => prop_assert!(error.0.contains("a.txt")),
        }
    }
}
