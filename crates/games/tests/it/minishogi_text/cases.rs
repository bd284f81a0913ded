//! Games as files, with the expected output.

/// Files with the expected output. The head of the file describes its format.
const CASES: &str = include_str!("cases.txt");

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) output: String,
}

pub(crate) fn cases() -> Vec<Case> {
    let read = |text: &'static str| {
        let (name, rest) = text.split_once('\n').unwrap();
        let (file, output) = rest.split_once(">>\n").unwrap();
        Case {
            name,
            file,
            output: format!("{}\n", output.trim_end().replace('␠', " ")),
        }
    };
    let cases: Vec<Case> = CASES.split("\n## ").skip(1).map(read).collect();
    assert!(cases.len() > 80, "{} cases found", cases.len());
    cases
}
