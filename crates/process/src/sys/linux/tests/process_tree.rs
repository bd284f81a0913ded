//! All processes of a bot.

use rustix::process::Pid;

use super::{ask, start};
use crate::sys::process_tree::ProcessTree;

/// The bot has a child, a child in a new session, and a descendant whose parent has ended.
#[test]
fn every_process_of_a_bot_is_found() {
    let mut bot = start("sleep 60 & setsid sleep 60 & (sleep 60 &) ; read -r line; echo $$; wait");
    let pid = ask(&mut bot).unwrap().parse().unwrap();
    let mut tree = ProcessTree::new(Pid::from_raw(pid).unwrap());
    tree.search();
    assert_eq!(tree.found.len(), 4);
    for (pid, threads) in tree.found {
        assert_eq!(threads, [pid]);
    }
}
