//! Starting and ending bots leaves nothing behind. Alone in its file, and so in its process, because it counts the
//! descriptors and the children of the whole process.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use arena::play::Player;
use arena::process::{Bot, Interrupt, Launch};
use arena_games::Fault;

const LIMIT: Duration = Duration::from_secs(60);

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The children of this process, dead or alive.
fn children() -> Vec<String> {
    let parent = std::process::id().to_string();
    let stats =
        fs::read_dir("/proc").unwrap().filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    // After the name in brackets: the state, then the parent.
    stats.filter(|stat| stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)) == Some(&parent)).collect()
}

#[test]
fn nothing_is_left_behind() {
    let interrupt = Arc::new(Interrupt::new().unwrap());
    let before = descriptors();
    let launch = |name: &str, command: &[&str]| Launch {
        name: name.to_owned(),
        command: command.iter().map(|&word| word.to_owned()).collect(),
        env: BTreeMap::new(),
    };
    let lives = launch("lives", &["cat"]);
    let ends = launch("ends", &["sh", "-c", "exit 1"]);
    let never = launch("never", &["/dev/null/never"]);
    for _ in 0..100 {
        let mut bot = Bot::start(&lives, 1, &interrupt).unwrap();
        assert_eq!(bot.ask("go\n", LIMIT, &mut || {}).unwrap().reply, Ok("go"));
        assert!(descriptors() > before && !children().is_empty(), "what is counted would show a leak");
        drop(bot);
        let mut bot = Bot::start(&ends, 1, &interrupt).unwrap();
        assert_eq!(bot.ask("go\n", LIMIT, &mut || {}).unwrap().reply, Err(Fault::Crashed));
        assert_eq!(bot.stop().to_string(), "exit code 1");
        Bot::start(&never, 1, &interrupt).unwrap_err();
    }
    assert_eq!(descriptors(), before);
    assert_eq!(children(), Vec::<String>::new());
}
