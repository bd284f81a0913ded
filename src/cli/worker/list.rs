//! `arena worker URL --list`: who is at a server.

use std::fmt::Write as _;
use std::sync::Arc;

use arena_cluster::{Access, List};

use super::super::{Failure, print_either};
use super::WorkerArgs;
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows};
use arena_section::text::{harmless, harmless_lines};

pub(super) fn list(args: &WorkerArgs, access: &Access) -> Result<u8, Failure> {
    let mut list = arena_cluster::list(access, Arc::new(|_| {}))?;
    for run in &mut list.runs {
        for text in [&mut run.program, &mut run.name, &mut run.session] {
            *text = harmless(text);
        }
    }
    for worker in &mut list.workers {
        worker.name = harmless(&worker.name);
        worker.state = harmless_lines(&worker.state);
    }
    print_either(args.json, &list, || text(&list, &args.url))
}

fn text(list: &List, url: &str) -> String {
    let mut text = if list.workers.is_empty() {
        format!("no workers at {url}: start `arena worker {url}`\n")
    } else {
        let workers = Rows::new("Workers", list.workers.iter())
            .shown(Kind::Name, "name", |worker| &worker.name)
            .shown(Kind::Value, "jobs", |worker| worker.jobs)
            .shown(Kind::Value, "cores", |worker| worker.cores)
            .shown(Kind::Value, "games", |worker| worker.games)
            .shown(Kind::Prose, "what it does", |worker| &worker.state);
        workers.table().text(&Screen::stdout())
    };
    for run in &list.runs {
        let _ = writeln!(text, "{}: {} games at a time", run.name, run.jobs);
    }
    text
}
