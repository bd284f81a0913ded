//! All processes of a bot.

use rustix::process::Pid;

use super::{ask, start};
use crate::family::Family;

/// The bot has a child, a child in a new session, and a descendant whose parent has ended.
#[test]
fn every_process_of_a_bot_is_found() {
    let mut bot = start("sleep 60 & setsid sleep 60 & (sleep 60 &) ; read -r line; echo $$; wait");
    let pid = ask(&mut bot).unwrap().parse().unwrap();
    let mut family = Family::of(Pid::from_raw(pid).unwrap());
    assert_eq!(family.near().len(), 3);
    assert_eq!(family.all().len(), 4);
    assert_eq!(
        family.near().len(),
        4,
        "once there was one without a parent, others are looked for"
    );
    assert!(
        family
            .all()
            .iter()
            .all(|member| member.threads == [member.pid])
    );
}
