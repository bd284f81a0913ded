//! A worker: plays for one session after the other what it is sent.

use std::env;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use anyhow::{Context as _, anyhow};

use super::goods::{self, Cache, Place, cache_folder};
use super::link::link;
use super::outpost::{Fitness, Job, Outpost, Told};
use super::protocol::Spec;
use super::{Access, Host, Leaves, Tell, name_of_machine};
use crate::plan::Plan;
use crate::pool::{Executor as _, LocalPool};
use crate::worker::{Started, Worker};
use arena_games::Games;

/// Serves until the worker `leaves`.
pub(crate) fn serve(
    access: Access,
    host: &Host,
    known: &Games,
    leaves: Leaves,
    tell: &Tell,
) -> anyhow::Result<()> {
    let folder = host.cache.clone().map_or_else(cache_folder, Ok)?;
    let cache = Cache::new(&folder, &name_of_machine())?;
    let (out, jobs) = mpsc::channel();
    let (name, at_once, cores, idle, telling) = (
        host.name.clone(),
        host.jobs,
        host.cores,
        host.idle,
        Arc::clone(tell),
    );
    // Comes before the sandbox takes the network away.
    let thread = link(
        "outpost",
        move || async move {
            let client = access.connect(Arc::clone(&telling)).await?;
            Ok(Outpost {
                client,
                cache,
                name,
                jobs: at_once,
                cores,
                leaves,
                out,
                tell: telling,
                idle,
            })
        },
        |outpost| async move {
            if let Err(error) = outpost.work().await {
                (outpost.tell)(&format!("{error:#}"));
            }
        },
    )?;
    while let Ok(job) = jobs.recv() {
        play(host, known, &job, tell);
        // The folder of the session goes now.
        let _ = env::set_current_dir("/");
    }
    thread.join().map_err(|_| {
        anyhow!(
            "talk to the server: the thread for it has ended, which is a mistake in this program"
        )
    })
}

/// Plays for a session until there is nothing more to be played.
fn play(host: &Host, known: &Games, job: &Job, tell: &Tell) {
    let say = |told: Told| drop(job.told.send(told));
    let pool = match ready(host, known, job) {
        Ok((pool, fitness)) => {
            tell(&format!("{}: {} at a time", job.run, host.jobs));
            say(Told::Ready(fitness));
            pool
        }
        Err(why) => return say(Told::Unfit(format!("{why:#}"))),
    };
    let next = || job.queue.next();
    let started = thread::scope(|scope| {
        let finished = |finished| job.told.send(Told::Finished(Box::new(finished))).is_ok();
        pool.start(scope, &next, finished)
            .inspect_err(|_| job.queue.close())
    });
    if let Err(error) = started {
        tell(&format!("{}: {error:#}", job.run));
    }
    say(Told::Left);
}

/// The threads that play for a session, once its bots have started.
fn ready(host: &Host, known: &Games, job: &Job) -> anyhow::Result<(LocalPool, Fitness)> {
    let Job {
        spec, place, queue, ..
    } = job;
    let folder = place.of(&spec.folder)?;
    env::set_current_dir(&folder).with_context(|| format!("go to {}", folder.display()))?;
    let mut plan = spec.plan.clone();
    plan.look_up(known);
    plan.check().map_err(|why| anyhow!("play: {why}"))?;
    let read = |wanted: arena_games::Wanted<'_>| place.read_folder(wanted);
    let games = plan
        .games
        .iter()
        .map(|game| game.configured(&read).map_err(|why| anyhow!(why)));
    let games = games.collect::<anyhow::Result<Vec<_>>>()?;
    let started = moved(&plan, spec, place)?;
    let sandbox = Arc::new(
        host.sandbox
            .with_memory(plan.memory_mb << 20)
            .confined(vec![place.root()?]),
    );
    let worker = Worker::new(&plan, games, &sandbox, &queue.kill);
    let pool = LocalPool {
        worker,
        jobs: host.jobs,
        pin: host.pin,
        sandbox,
        stop: Arc::clone(&queue.kill),
    };
    // Comes before what was sent is started.
    pool.sandbox.close();
    let sandbox = pool.prepare(started)?;
    let remarks = goods::remarks(spec);
    Ok((pool, Fitness { sandbox, remarks }))
}

/// The bots and referees with all paths as they are here.
fn moved(plan: &Plan, spec: &Spec, place: &Place) -> anyhow::Result<Started> {
    if spec.started.bots.len() != plan.bots.len() {
        return Err(anyhow!("play: bots are missing in what the arena sent"));
    }
    spec.started
        .moved(|launch| place.launch(launch, &spec.folder))
}
