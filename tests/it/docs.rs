//! README.md and docs/ tell the truth: their examples run, the page of the commands is their help,
//! the columns and keys are those of real files, answers are read as it is said, the recipe for CI
//! passes and refuses whom it should; shells read what is made for them.

mod ci;
mod commands;
mod examples;
mod files;
mod games;
mod ground;
mod pages;
mod referees;
