//! Referees in Java made with the SDK of `CodinGame`: a machine for each game takes longer than the game. Where there is a
//! compiler, one machine plays game after game, and loads the referee anew for each: `RefereeServer.java`.

use std::ffi::OsStr;
use std::path::Path;

use arena_process::languages::{self, Languages, RunCompiler, cached_files};
use arena_process::{Launch, find_program};

/// The class of the SDK that speaks the protocol.
pub(super) const MAIN: &str = "com.codingame.gameengine.core.RefereeMain";
/// The file of the program that loads it, and its text.
const SERVER: (&str, &str) = ("RefereeServer.java", include_str!("RefereeServer.java"));

/// How the server of a referee is started that is started so alone, once the server is compiled. `None` where it is another kind
/// of referee or there is no compiler: then each game has a machine of its own.
pub(super) fn server(
    referee: &Launch,
    compiler: &mut RunCompiler<'_>,
) -> anyhow::Result<Option<Launch>> {
    let [program, options @ .., option, classpath, main] = &referee.command[..] else {
        return Ok(None);
    };
    let is_java = Path::new(program).file_name() == Some(OsStr::new("java"));
    let is_known = is_java && languages::PATH_OPTIONS.contains(&option.as_str()) && main == MAIN;
    if !is_known || find_program("javac").is_err() {
        return Ok(None);
    }
    let source = cached_files(&[SERVER])?
        .join(SERVER.0)
        .display()
        .to_string();
    let command = vec![source, classpath.clone(), main.clone()];
    let mut launch = languages::ready(
        &Languages::new(),
        &Launch {
            command,
            ..referee.clone()
        },
        None,
        compiler,
    )?
    .launch;
    launch
        .command
        .splice(..1, [program].into_iter().chain(options).cloned());
    Ok(Some(launch))
}
