//! README.md and docs/ tell the truth: their examples run, the manual of the commands is their help, the columns and keys are
//! those of real files, answers are read as it is said, the recipe for CI passes and refuses whom it should; shells read what is made for them.

mod programs;

#[path = "docs/ci.rs"]
mod ci;
#[path = "docs/examples.rs"]
mod examples;
#[path = "docs/files.rs"]
mod files;
#[path = "docs/games.rs"]
mod games;
#[path = "docs/ground.rs"]
mod ground;
#[path = "docs/pages.rs"]
mod pages;
#[path = "docs/referees.rs"]
mod referees;
