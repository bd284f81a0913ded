//! Rules about the source itself that the compiler does not hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// Which modules of the program each module may use. Everything points down; what is not listed is
/// forbidden. ARCHITECTURE.md describes them, in the same order.
const MAY_USE: &[(&str, &[&str])] = &[
    ("play", &[]),
    ("plan", &["play"]),
    ("results", &["plan", "play"]),
    ("check", &["play"]),
    ("battle", &["play"]),
    ("store", &["plan", "play", "results"]),
    ("worker", &["plan", "play", "results", "store"]),
    ("standings", &["plan", "play", "results", "store"]),
    ("study", &["plan", "play", "results", "standings", "store"]),
    (
        "report",
        &["plan", "play", "results", "standings", "store", "study"],
    ),
    (
        "tournament",
        &[
            "plan",
            "play",
            "report",
            "results",
            "standings",
            "store",
            "study",
            "worker",
        ],
    ),
    ("config", &["plan", "play", "store", "tournament"]),
    (
        "pool",
        &[
            "battle",
            "check",
            "config",
            "plan",
            "play",
            "report",
            "results",
            "standings",
            "store",
            "study",
            "tournament",
            "worker",
        ],
    ),
    (
        "cli",
        &[
            "battle",
            "check",
            "config",
            "plan",
            "play",
            "pool",
            "report",
            "results",
            "standings",
            "store",
            "study",
            "tournament",
            "worker",
        ],
    ),
];

/// Folders in which no two files import each other, directly or in a circle: the crate and the
/// module.
const WITHOUT_CIRCLES: &[(&str, &str)] =
    &[("crates/cluster", ""), ("crates/stats", ""), ("", "cli")];

/// Most code lines of each room of `src` and of each crate. Comments, blank lines and test modules
/// don't count, and a literal counts as its first line.
const MOST_LINES: &[(&str, usize)] = &[
    ("src/battle", 555),
    ("src/check", 1225),
    ("src/cli", 7556),
    ("src/config", 2948),
    ("src/plan", 916),
    ("src/play", 2697),
    ("src/report", 1659),
    ("src/pool", 1460),
    ("src/results", 1826),
    ("src/standings", 2270),
    ("src/store", 1555),
    ("src/study", 2696),
    ("src/tournament", 1069),
    ("src/worker", 983),
    ("crates/cluster", 1541),
    ("crates/games", 5258),
    ("crates/process", 7994),
    ("crates/schedule", 548),
    ("crates/section", 1544),
    ("crates/stats", 3015),
];

/// Code that only these modules or files of the program may contain, and the crates `games`,
/// `schedule`, `section` and `stats` never.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("fs::", &["store", "worker", "config", "pool", "cli"]),
    ("File::open", &["store", "pool"]),
    ("File::create", &["store", "cli"]),
    // What is printed is escaped in two places: in `print` and `say`, and where a run is shown. The
    // others ask whether it is a terminal, and speak a protocol.
    ("println!(", &[]),
    ("eprint", &[]),
    (
        "io::stdout()",
        &[
            "src/cli/output.rs",
            "src/report/terminal.rs",
            "src/cli/init.rs",
            "src/cli/minishogi.rs",
        ],
    ),
    (
        "io::stderr()",
        &["src/cli/output.rs", "src/report/terminal.rs"],
    ),
    // The inner process has no arguments of its own: `guard::arguments` has them.
    ("env::args", &[]),
    ("Command::new", &[]),
    ("Bot::start_in", &["check", "play", "worker"]),
    ("process::exit", &["cli"]),
    (
        "Instant::now",
        &["play", "check", "worker", "tournament", "report", "cli"],
    ),
    ("SystemTime", &["pool", "tournament"]),
    // A kind of run answers questions; no other room asks which one it is.
    ("StudyPlan::", &["plan", "study", "config"]),
    ("RunFormat::", &["config"]),
    // These panic if the system refuses a thread.
    ("thread::spawn", &[]),
    ("scope.spawn(", &[]),
    ("enable_steady_tick", &[]),
    ("thread::Builder", &["cli", "report", "store", "worker"]),
    ("thread::sleep", &["store", "cli", "report"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The module that each file of a folder belongs to, and the file's code without its comments and
/// tests.
fn modules(src: &str) -> Vec<(String, PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join(src);
    let code = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n");
        code.split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap()
            .to_owned()
    };
    let module = |path: &Path| {
        let first = path
            .strip_prefix(&src)
            .unwrap()
            .components()
            .next()
            .unwrap();
        Path::new(first.as_os_str())
            .file_stem()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    let is_test = |path: &PathBuf| {
        path.iter()
            .any(|part| part == "tests" || part == "tests.rs")
    };
    let of = |path: PathBuf| (module(&path), path.clone(), code(&path));
    let files = sources(&src)
        .into_iter()
        .filter(|path| !is_test(&path.strip_prefix(&src).unwrap().to_owned()));
    files
        .map(of)
        .filter(|(module, ..)| !["main", "lib", "testing"].contains(&module.as_str()))
        .collect()
}

/// The names that follow `root`, such as `crate::`, in the code, those in braces included.
fn used_modules(code: &str, root: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let name = |text: &str| {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    for (at, found) in code.match_indices(root) {
        let rest = &code[at + found.len()..];
        match rest.strip_prefix('{') {
            None => drop(used.insert(name(rest))),
            Some(list) => {
                let mut depth = 1;
                for part in list.split_inclusive([',', '{', '}']) {
                    if depth == 1 {
                        used.insert(name(part.trim_start()));
                    }
                    depth += i32::from(part.ends_with('{')) - i32::from(part.ends_with('}'));
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    used.remove("");
    used
}

/// The content of the attribute or doc comment at the beginning, and what follows it.
fn attribute(tokens: &[TokenTree]) -> Option<(String, &[TokenTree])> {
    let after = match tokens {
        [TokenTree::Punct(hash), after @ ..] if hash.as_char() == '#' => after,
        _ => return None,
    };
    match after {
        [TokenTree::Group(content), after @ ..]
        | [TokenTree::Punct(_), TokenTree::Group(content), after @ ..] => {
            Some((content.stream().to_string(), after))
        }
        _ => None,
    }
}

/// What follows the module at the beginning, if there is one with a body.
fn after_module(mut tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    while let Some((_, after)) = attribute(tokens) {
        tokens = after;
    }
    let at = tokens.iter().position(|token| token.to_string() == "mod")?;
    match &tokens[at..] {
        [_, _, TokenTree::Group(_), after @ ..] if at <= 2 => Some(after),
        _ => None,
    }
}

/// Adds the lines on which tokens begin, and those of closing brackets.
fn add_lines(code: TokenStream, lines: &mut BTreeSet<usize>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut rest = &tokens[..];
    while let [first, after @ ..] = rest {
        let skipped = match attribute(rest) {
            Some((doc, after)) if doc.starts_with("doc =") => Some(after),
            Some((cfg, after)) if cfg == "cfg (test)" => after_module(after),
            _ => None,
        };
        rest = skipped.unwrap_or(after);
        if skipped.is_none() {
            lines.insert(first.span().start().line);
            if let TokenTree::Group(group) = first {
                add_lines(group.stream(), lines);
                lines.insert(group.span_close().start().line);
            }
        }
    }
}

/// The number of lines without comments, blanks and test modules. A literal counts as its first
/// line.
fn code_lines(text: &str) -> usize {
    let mut lines = BTreeSet::new();
    add_lines(text.parse().unwrap(), &mut lines);
    lines.len()
}

/// Returns what is wrong with a room of so many lines, or `None`.
fn over_budget(room: &str, lines: usize, budgets: &[(&str, usize)]) -> Option<String> {
    let Some((_, most)) = budgets.iter().find(|(name, _)| *name == room) else {
        return Some(format!(
            "{room} is missing in MOST_LINES: it has {lines} lines"
        ));
    };
    (lines > *most).then(|| {
        format!(
            "{room} has {lines} lines, more than its budget of {most}: cut, or raise the number in a commit of its own \
             that says why"
        )
    })
}

#[test]
fn rooms_keep_to_their_budgets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut rooms = BTreeMap::<String, usize>::new();
    for path in ["src", "crates"]
        .iter()
        .flat_map(|top| sources(&root.join(top)))
    {
        let inner = path.strip_prefix(root).unwrap();
        let is_other = |part| ["tests", "tests.rs", "benches", "examples"].contains(&part);
        if !inner.iter().any(|part| is_other(part.to_str().unwrap())) {
            let name: PathBuf = inner.iter().take(2).collect();
            let name = name.with_extension("").display().to_string();
            *rooms.entry(name).or_default() += code_lines(&fs::read_to_string(&path).unwrap());
        }
    }
    rooms.retain(|name, _| !["src/lib", "src/main", "src/testing"].contains(&name.as_str()));
    let over = rooms
        .iter()
        .filter_map(|(room, lines)| over_budget(room, *lines, MOST_LINES));
    assert_eq!(over.collect::<Vec<_>>(), [""; 0]);
    assert_eq!(
        rooms.len(),
        MOST_LINES.len(),
        "a room of MOST_LINES is gone"
    );
}

#[test]
fn only_code_lines_count() {
    let text = "/// Doc.\nfn f(r#in: é) { // \"\n\n    let x = r#\"\"\n// text\n\n\"#; /* a\n b */\n    [\"\\\"\", '\"', '\\''];\n}\n
#[cfg(test)]\nmod tests {\n    fn g<'a>() {\n    }\n}\n\nfn h() {}\n";
    assert_eq!(code_lines(text), 6);
    assert_eq!(over_budget("src/a", 6, &[("src/a", 6)]), None);
    let [over, missing] =
        [("src/a", 5), ("src/b", 6)].map(|budget| over_budget("src/a", 6, &[budget]).unwrap());
    assert!(
        over.contains("src/a has 6 lines, more than its budget of 5: cut, or"),
        "{over}"
    );
    assert!(missing.contains("src/a is missing"), "{missing}");
}

#[test]
fn dependencies_point_down() {
    let modules = modules("src");
    let known: BTreeSet<&str> = modules.iter().map(|(module, ..)| module.as_str()).collect();
    let listed: BTreeSet<&str> = MAY_USE.iter().map(|(module, _)| *module).collect();
    assert_eq!(known, listed, "every module of src/ has a line in MAY_USE");
    let mut seen = 0;
    for (module, path, code) in &modules {
        let allowed = MAY_USE.iter().find(|(name, _)| name == module).unwrap().1;
        for used in used_modules(code, "crate::") {
            if used == *module {
                continue;
            }
            seen += 1;
            assert!(
                allowed.contains(&used.as_str()),
                "{}: {module} must not use {used}",
                path.display()
            );
        }
    }
    assert!(seen > 20, "the search for uses finds too little: {seen}");
}

/// Checks that a file lists modules in layers: each imports only modules of earlier ones. Their
/// files are in `src`, and `root` begins their paths.
fn are_in_layers(list: &str, src: &str, root: &str) {
    let code = modules(src);
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(list)).unwrap();
    let mut earlier = BTreeSet::new();
    for layer in text.split("\n\n") {
        let names = layer.lines().filter_map(|line| line.split_once("mod "));
        let names: Vec<&str> = names
            .filter_map(|(_, name)| name.strip_suffix(';'))
            .collect();
        for (module, path, code) in code.iter().filter(|(of, ..)| names.contains(&of.as_str())) {
            for used in used_modules(code, root) {
                let is_earlier = used == *module || earlier.contains(&used);
                assert!(is_earlier, "{}: {used} comes later", path.display());
            }
        }
        earlier.extend(names.into_iter().map(str::to_owned));
    }
    assert!(earlier.len() > 15, "too few modules are listed in {list}");
}

#[test]
fn modules_of_process_are_in_layers() {
    let src = "crates/process/src";
    are_in_layers(&format!("{src}/lib.rs"), src, "crate::");
    let linux = format!("{src}/sys/linux");
    are_in_layers(&format!("{linux}.rs"), &linux, "crate::sys::");
    // `os` is the lowest layer, although its files lie below `sys`.
    for (_, path, code) in modules(src) {
        let is_os = path.ends_with("os.rs");
        assert!(!is_os || used_modules(&code, "crate::").is_empty());
    }
}

#[test]
fn side_effects_stay_where_they_belong() {
    let program = modules("src");
    let folders = ["games", "schedule", "section", "stats"];
    let others = folders
        .map(|folder| modules(&format!("crates/{folder}/src")))
        .concat();
    for (text, allowed) in ONLY_IN {
        for (module, path, code) in &program {
            assert!(
                allowed.contains(&module.as_str())
                    || allowed.iter().any(|file| path.ends_with(file))
                    || !code.contains(text),
                "{}: `{text}` belongs in {allowed:?}",
                path.display()
            );
        }
        for (_, path, code) in &others {
            assert!(!code.contains(text), "{}: no `{text}` here", path.display());
        }
    }
}

#[test]
fn the_search_for_uses_sees_every_form() {
    let code = "use crate::sweep::{self, Sweep};\nlet x = crate::play::play();\nuse crate::{rate, store::{Row, columns}, record::Record};";
    let used: Vec<String> = used_modules(code, "crate::").into_iter().collect();
    assert_eq!(used, ["play", "rate", "record", "store", "sweep"]);
}

/// Returns the paths in the code, such as `a::b` and `a::c` in `use a::{b, c}`, each after
/// `before`.
fn paths(code: TokenStream, before: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut path = before.to_vec();
    // The colons after the last name. The first name continues `before`.
    let mut colons = 2;
    for token in code {
        match &token {
            TokenTree::Ident(_) if colons == 2 => {}
            TokenTree::Punct(colon) if colon.as_char() == ':' => {
                colons += 1;
                continue;
            }
            // `pub(super)` uses nothing.
            TokenTree::Group(_) if path.last().is_some_and(|last| last == "pub") => path.clear(),
            TokenTree::Group(list) if colons == 2 => {
                found.extend(paths(list.stream(), &path));
                path.clear();
            }
            TokenTree::Group(inner) => found.extend(paths(inner.stream(), &[])),
            _ => {}
        }
        if colons != 2 || !matches!(token, TokenTree::Ident(_)) {
            found.push(std::mem::replace(&mut path, before.to_vec()));
        }
        colons = 2;
        if let TokenTree::Ident(name) = token {
            path.push(name.to_string());
            colons = 0;
        }
    }
    found.push(path);
    found.retain(|path| path.len() > before.len());
    found
}

/// Returns the modules of `all` whose items this module names: `a::b` in `use crate::a::b::Item`.
/// Modules are paths from the root of their crate.
fn named(module: &[String], code: &str, all: &BTreeSet<Vec<String>>) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for path in paths(code.parse().unwrap(), &[]) {
        let mut at = module.to_vec();
        let is_relative = ["crate", "self", "super"].contains(&path[0].as_str());
        for (place, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                // A name alone is a variable, or declares a module.
                _ if place == 0 && path.len() == 1 => {}
                name => {
                    at.push(name.to_owned());
                    if !all.contains(&at) {
                        at.pop();
                        break;
                    }
                }
            }
        }
        if is_relative || at.len() > module.len() {
            found.insert(at);
        }
    }
    found.remove(module);
    found
}

/// Returns the modules that use each other, directly or in a circle, with those between them.
fn in_circles(
    mut graph: BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    loop {
        let before = graph.len();
        let used: BTreeSet<_> = graph.values().flatten().cloned().collect();
        graph.retain(|module, own| used.contains(module) && !own.is_empty());
        let left: BTreeSet<_> = graph.keys().cloned().collect();
        for own in graph.values_mut() {
            own.retain(|module| left.contains(module));
        }
        if graph.len() == before {
            return graph;
        }
    }
}

#[test]
fn files_do_not_import_each_other() {
    for (crate_folder, room) in WITHOUT_CIRCLES {
        let src = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(crate_folder)
            .join("src");
        let mut codes = BTreeMap::new();
        for path in sources(&src) {
            let inner = path.strip_prefix(&src).unwrap().with_extension("");
            let mut module: Vec<String> = inner
                .iter()
                .map(|part| part.to_str().unwrap().to_owned())
                .collect();
            module.retain(|part| !["lib", "main"].contains(&part.as_str()));
            if !module.contains(&"tests".to_owned()) {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                codes.insert(module, code.to_owned());
            }
        }
        let all: BTreeSet<_> = codes.keys().cloned().collect();
        let mut graph = BTreeMap::new();
        for (module, code) in &codes {
            if room.is_empty() || module.first().is_some_and(|first| first == room) {
                graph.insert(module.clone(), named(module, code, &all));
            }
        }
        assert!(
            graph.len() > 10,
            "the search finds too few files: {graph:?}"
        );
        let circles = in_circles(graph).into_iter().map(|(module, used)| {
            let used: Vec<String> = used.iter().map(|used| used.join("::")).collect();
            format!("{} uses {}", module.join("::"), used.join(", "))
        });
        let circles: Vec<String> = circles.collect();
        assert_eq!(circles, [""; 0], "in {crate_folder}");
    }
}

#[test]
fn the_search_for_circles_sees_every_form() {
    let module = |path: &str| -> Vec<String> {
        let parts = path.split("::").filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let all: BTreeSet<_> = ["", "a", "a::b", "a::c", "d"].map(module).into();
    for (of, code, used) in [
        (
            "a",
            "use crate::{d::{self, D}, X, a::b::B};",
            &["", "a::b", "d"][..],
        ),
        (
            "a::b",
            "pub(super) use super::*; pub(in crate::d) fn f(c: u8) {}",
            &["a"],
        ),
        (
            "a::b",
            "fn f(x: super::c::C) -> [super::X; 2] { crate::d::f(x) }",
            &["a", "a::c", "d"],
        ),
        (
            "a",
            "mod b;\nmod c;\nfn f(b: B) { b.x(); g::<c::C>(b) }",
            &["a::c"],
        ),
        (
            "a",
            "use std::d;\nuse self::b::B;\n/// [`c`](crate::a::c)\nfn d() { d() }",
            &["a::b"],
        ),
    ] {
        let expected: BTreeSet<_> = used.iter().map(|path| module(path)).collect();
        assert_eq!(named(&module(of), code, &all), expected, "{code}");
    }
    let modules_in_circles = |uses: &[(&str, &str)]| {
        let mut graph: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (of, used) in uses {
            graph.entry(module(of)).or_default().insert(module(used));
            graph.entry(module(used)).or_default();
        }
        in_circles(graph).into_keys().collect::<Vec<_>>()
    };
    let chain = [("a", "b"), ("b", "c"), ("a", "c")];
    assert!(modules_in_circles(&chain).is_empty());
    let circle = [("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")];
    assert_eq!(modules_in_circles(&circle), ["a", "b", "c"].map(module));
}

#[test]
fn comments_are_as_wide_as_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wide = Vec::new();
    for path in ["src", "crates", "bots", "tests", "benches", "fuzz"].map(|top| root.join(top)) {
        for file in sources(&path) {
            if file.components().any(|part| part.as_os_str() == "target") {
                continue;
            }
            for (number, line) in (1..).zip(fs::read_to_string(&file).unwrap().lines()) {
                if line.trim_start().starts_with("//") && line.chars().count() > 100 {
                    wide.push(format!("{}:{number}", file.display()));
                }
            }
        }
    }
    assert_eq!(wide, [""; 0]);
}

/// The rows of a table of `windows.md`: the name in the first column, and the others.
fn left_out(columns: usize) -> Vec<(String, Vec<String>)> {
    let page = fs::read_to_string("tests/it/windows.md").unwrap();
    let mut rows = Vec::new();
    for row in page.lines().filter_map(|row| row.strip_prefix("| `")) {
        let (name, rest) = row.split_once("` | ").unwrap();
        let rest: Vec<String> = rest
            .trim_end_matches(" |")
            .split(" | ")
            .map(str::to_owned)
            .collect();
        if rest.len() + 1 == columns {
            rows.push((name.to_owned(), rest));
        }
    }
    rows
}

#[test]
fn what_windows_leaves_out_is_listed() {
    let main = fs::read_to_string("tests/it/main.rs").unwrap();
    let words: Vec<&str> = main.split_whitespace().collect();
    let main = words
        .join(" ")
        .replace("#[cfg(feature = \"workers\")] ", "");
    let behind_cfg = main.split("#[cfg(target_os = \"linux\")] mod ").skip(1);
    let modules: Vec<&str> = behind_cfg
        .map(|rest| rest.split(';').next().unwrap())
        .collect();
    let listed = left_out(2);
    let listed: Vec<&str> = listed.iter().map(|(module, _)| module.as_str()).collect();
    assert_eq!(modules, listed, "main.rs and windows.md differ");
    let folders = ["src", "crates", "bots", "tests/it"];
    let code: String = folders
        .iter()
        .flat_map(|folder| sources(Path::new(folder)))
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    for (test, rest) in left_out(3) {
        assert!(
            ["Windows", "wine"].contains(&rest[0].as_str()),
            "{test}: {rest:?}"
        );
        let name = test.rsplit("::").next().unwrap();
        assert!(
            code.contains(&format!("fn {name}()")),
            "windows.md: there is no {test}"
        );
    }
}
