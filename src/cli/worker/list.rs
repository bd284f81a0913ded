//! `arena worker --list`: who is at a server.

use std::sync::Arc;

use super::super::{Failure, print_either};
use super::WorkerArgs;
use crate::cluster::{Present, present};
use crate::report::screen::Screen;
use crate::section::table::{Kind, Rows};

pub(super) fn list(args: &WorkerArgs) -> Result<u8, Failure> {
    let present =
        present(&args.server.access(&args.url), Arc::new(|_| {})).map_err(Failure::input)?;
    print_either(args.json, &present, || text(&present, &args.url))
}

fn text(present: &Present, url: &str) -> String {
    let mut text = if present.workers.is_empty() {
        format!("no workers at {url}: start `arena worker {url}`\n")
    } else {
        let workers = Rows::new("Workers", present.workers.iter())
            .shown(Kind::Name, "name", |worker| &worker.name)
            .shown(Kind::Value, "jobs", |worker| worker.jobs)
            .shown(Kind::Value, "cores", |worker| worker.cores)
            .shown(Kind::Value, "games", |worker| worker.games)
            .shown(Kind::Prose, "what it does", |worker| &worker.state);
        workers.table().text(&Screen::stdout())
    };
    text.extend(
        present
            .runs
            .iter()
            .map(|run| format!("{}: {} games at a time\n", run.name, run.jobs)),
    );
    text
}
