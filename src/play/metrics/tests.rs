use proptest::prelude::*;

use super::*;

/// What a bot told that wrote this, as text.
fn told(written: &[u8]) -> String {
    shown(&MetricsReader::default().read(&stderr(written)))
}

/// What is kept of the bytes that a bot wrote by an answer.
fn stderr(written: &[u8]) -> Stderr {
    let kept = written.len().min(MOST_BYTES);
    Stderr {
        bytes: written[..kept].to_vec(),
        cut: written.len() - kept,
        ends_line: written.ends_with(b"\n"),
    }
}

fn shown(metrics: &Metrics) -> String {
    let number = |value: &f64| {
        if value.abs() < 1e9 {
            value.to_string()
        } else {
            format!("{value:e}")
        }
    };
    metrics
        .iter()
        .map(|(key, value)| format!("{key} {}", number(value)))
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn lines_and_what_is_kept_of_them() {
    let long =
        ["a".repeat(LONGEST_NAME), "b".repeat(LONGEST_NAME + 1)].map(|name| format!("{name}=1\n"));
    let cases: &[(&[u8], &str)] = &[
        (b"[TDATA] cells = 57\n", "cells 57"),
        (b"[PDATA] money = 6.5\n", "money 6.5"),
        (b"  [pdata]money=-6e2 coins\r\n", "money -600"),
        (b"[TDATA][12] cells = 57\n", "cells@12 57"),
        (b"[PDATA][0] money = 1\n[PDATA][1] money = 2\n", "money@0 1, money@1 2"),
        (b"[PDATA] a = 1\n[PDATA] a = 2\n", "a 2"),
        (b"[PDATA+] a = 1\n[PDATA+] a = 2\n[PDATA+][3] a = 5\n", "a 3, a@3 5"),
        (b"eval=0.25 depth=7\n", "depth 7, eval 0.25"),
        (b"turn 3: eval=+.5, depth=7; pv=a1b2 time=12ms nodes=1e6\n", "depth 7, eval 0.5, nodes 1000000"),
        // Not UTF-8, which costs no more than the word.
        (b"caf\xe9 eval=1 \xff=2\n", "eval 1"),
        // No number.
        (b"[PDATA] a = NaN\n[PDATA] b = inf\n[PDATA] c = 1e999\n[PDATA] d = x\n[PDATA] e =\n[PDATA] f\n", ""),
        (b"a=NaN b=-inf c=infinity d=1e999 e= =1 f=0x10 g=1,5\n", ""),
        (b"[PDATA+] a = 1e308\n[PDATA+] a = 1e308\n", "a 1e308"),
        // No turn.
        (
            b"[PDATA][x] a = 1\n[PDATA][-1] a = 1\n[PDATA][10000] a = 1\n[PDATA][99999999999] a = 1\n[PDATA][1 a = 1\n",
            "",
        ),
        // No tag that is known: no words either.
        (b"[debug] eval=1\n[PDATA eval=1\n[RDATA] a = 1\n[TDATA+] a = 1\n[] a=1\n", ""),
        // No name.
        (b"[PDATA] a b = 1\n[PDATA] <b> = 1\n[PDATA] \xc3\xa9 = 1\na@3=1 a\"=2 a&b=3\n", ""),
        (b"a.b-c_D9=1\n", "a.b-c_D9 1"),
        (long[0].as_bytes(), &format!("{} 1", "a".repeat(LONGEST_NAME))),
        (long[1].as_bytes(), ""),
        // A line that has not ended yet, and nothing.
        (b"a=1\nb=2", "a 1"),
        (b"", ""),
        (b"\n\n", ""),
        (b"\0\0a=1\0 b=2\n", "b 2"),
    ];
    for (written, kept) in cases {
        assert_eq!(&told(written), kept, "{}", String::from_utf8_lossy(written));
    }
}

#[test]
fn a_line_that_ends_later_belongs_to_the_next_answer() {
    let mut listener = MetricsReader::default();
    let mut answers = Vec::new();
    for chunk in ["a=1\nb=", "2", "3\nc=4\n", ""] {
        answers.push(shown(&listener.read(&stderr(chunk.as_bytes()))));
    }
    assert_eq!(answers, ["a 1", "", "b 23, c 4", ""]);
}

#[test]
fn a_bot_has_so_many_names_in_a_game() {
    let mut listener = MetricsReader::default();
    let lines: Vec<String> = (0..100).map(|n| format!("n{n:02}={n}\n")).collect();
    let many = lines.concat();
    let metrics = listener.read(&stderr(many.as_bytes()));
    let first: Vec<String> = (0..MOST_NAMES)
        .map(|number| format!("n{number:02}"))
        .collect();
    assert!(metrics.into_keys().eq(first));
    assert_eq!(shown(&listener.read(&stderr(b"n99=1 n00=2\n"))), "n00 2");
}

/// Of a flood the beginning is read, and the line that is cut is no line: the next answer begins
/// with a whole one.
#[test]
fn a_flood_is_cut() {
    let mut listener = MetricsReader::default();
    for begin in ["", "x"] {
        assert_eq!(shown(&listener.read(&stderr(begin.as_bytes()))), "");
        let flood = format!("\na=1\n{}b=2 ", "x".repeat(MOST_BYTES));
        assert_eq!(shown(&listener.read(&stderr(flood.as_bytes()))), "a 1");
        assert!(listener.unfinished.is_empty());
        assert_eq!(shown(&listener.read(&stderr(b"c=3\nd=4\n"))), "d 4");
    }
    let flood = "x".repeat(MOST_BYTES) + "\n";
    assert_eq!(shown(&listener.read(&stderr(flood.as_bytes()))), "");
    assert_eq!(shown(&listener.read(&stderr(b"c=3\n"))), "c 3");
    let lines: Vec<String> = (0..1000).map(|n| format!("[PDATA][{n}] a = 1\n")).collect();
    let many = lines.concat();
    let values = listener.read(&stderr(many.as_bytes())).len();
    assert_eq!(values, MOST_VALUES);
}

#[test]
fn keys_have_places() {
    assert_eq!(place("a", 7), (7, "a"));
    assert_eq!(place("a@3", 7), (3, "a"));
    // From a record written by hand.
    assert_eq!(place("a@b@3", 7), (3, "a@b"));
    assert_eq!(place("a@x", 7), (7, "a@x"));
}

proptest! {
    /// Whatever a bot writes, what is kept is within the limits.
    #[test]
    fn anything_is_read_within_limits(
        answers in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            r"(\[[TP]DATA\+?\](\[[0-9]{1,3}\])? ?[a-z0-9]{1,3} = [0-9.e+-]{1,4}\n?){0,9}".prop_map(String::into_bytes),
            "([a-z]{1,2}=[0-9.e-]{1,3}[ ,\n]){0,90}".prop_map(String::into_bytes),
        ], 0..40),
    ) {
        let mut listener = MetricsReader::default();
        let mut names = BTreeSet::new();
        for written in &answers {
            let metrics = listener.read(&stderr(written));
            prop_assert!(listener.unfinished.len() <= MOST_BYTES && metrics.len() <= MOST_VALUES);
            for (key, value) in &metrics {
                let (turn, name) = place(key, 1);
                prop_assert!(value.is_finite() && turn <= LAST_TURN && (1..=LONGEST_NAME).contains(&name.len()));
                names.insert(name.to_owned());
            }
        }
        prop_assert!(names.len() <= MOST_NAMES);
    }

    /// A line is read once it ends, by whatever answer it began.
    #[test]
    fn lines_do_not_depend_on_answers(text in "([a-c]=[0-9] ?\n){0,40}", size in 1_usize..50) {
        let mut listener = MetricsReader::default();
        let mut all = Metrics::new();
        for written in text.as_bytes().chunks(size) {
            all.extend(listener.read(&stderr(written)));
        }
        prop_assert_eq!(shown(&all), told(text.as_bytes()));
    }
}
