//! Tests of the program through its binary. windows.md says why a module is for Linux only.

#[cfg(target_os = "linux")]
mod agent;
mod alone;
mod calculators;
#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod check_referee;
#[cfg(target_os = "linux")]
mod ci;
#[cfg(target_os = "linux")]
mod clocks;
#[cfg(target_os = "linux")]
mod closed;
#[cfg(target_os = "linux")]
#[cfg(feature = "workers")]
mod cluster;
#[cfg(target_os = "linux")]
mod docs;
#[cfg(target_os = "linux")]
mod doctor;
#[cfg(target_os = "linux")]
mod doubts;
mod duel;
#[cfg(target_os = "linux")]
mod ending;
#[cfg(target_os = "linux")]
mod ends;
mod everywhere;
#[cfg(target_os = "linux")]
mod follow;
mod games;
mod golden;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod hints;
#[cfg(target_os = "linux")]
mod hostile;
#[cfg(target_os = "linux")]
mod hostile_referees;
#[cfg(target_os = "linux")]
mod import;
mod init;
mod interval;
#[cfg(target_os = "linux")]
mod java_referees;
mod json;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod lack;
#[cfg(target_os = "linux")]
mod languages;
#[cfg(target_os = "linux")]
mod metrics;
mod minishogi_text;
#[cfg(target_os = "linux")]
mod mistakes;
#[cfg(target_os = "linux")]
mod pool;
mod programs;
mod rate;
#[cfg(target_os = "linux")]
mod referees;
#[cfg(target_os = "linux")]
mod refused;
mod replay;
mod report;
mod run;
mod samples;
mod schemas;
#[cfg(target_os = "linux")]
mod surroundings;
mod sweep;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod tidy;
mod tune;
#[cfg(target_os = "linux")]
mod union;
#[cfg(target_os = "linux")]
mod walls;
#[cfg(target_os = "linux")]
mod window;
