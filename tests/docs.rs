//! What is written about the program: completions and manual pages.

#[path = "docs/pages.rs"]
mod pages;
