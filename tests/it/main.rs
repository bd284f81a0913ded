//! What the program does, through its binary.

mod calculators;
mod check;
mod check_referee;
mod ci;
mod clocks;
#[cfg(feature = "workers")]
mod cluster;
mod docs;
mod duel;
mod games;
mod golden;
mod guard;
mod hostile;
mod hostile_referees;
mod init;
mod interval;
mod java_referees;
mod languages;
mod metrics;
mod minishogi_text;
mod mistakes;
mod programs;
mod rate;
mod referees;
mod replay;
mod report;
mod run;
mod samples;
mod surroundings;
mod sweep;
mod terminal;
mod tidy;
mod tune;
mod walls;
mod watch;
mod window;
