//! Referees in Java made with the SDK of `CodinGame`. A Java machine takes longer to start than a
//! game. If there is a compiler, `RefereeServer.java` plays several games in one machine and loads
//! the referee again for each.

use std::ffi::OsStr;
use std::path::Path;

use arena_process::languages::{self, Languages, RunCompiler, cached_files};
use arena_process::{Launch, find_program};

/// The main class of the SDK.
pub(crate) const MAIN: &str = "com.codingame.gameengine.core.RefereeMain";
/// The name and the text of the server's source.
const SERVER: (&str, &str) = ("RefereeServer.java", include_str!("RefereeServer.java"));

/// Returns the launch of the server for this referee, and compiles it; `None` if it is another kind
/// of referee or if there is no compiler.
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
