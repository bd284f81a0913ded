//! Referees in Java made with the SDK of `CodinGame`. A Java machine takes longer to start than a
//! game. If there is a compiler, `RefereeServer.java` plays several games in one machine and loads
//! the referee again for each.

use std::ffi::OsStr;
use std::path::Path;

use arena_process::languages::{self, Compiler, Languages, cached_files};
use arena_process::{Launch, find_program};

/// The main class of the SDK.
pub(crate) const MAIN: &str = "com.codingame.gameengine.core.RefereeMain";
/// The name and the text of the server's source.
const SERVER: (&str, &str) = ("RefereeServer.java", include_str!("RefereeServer.java"));

/// Returns why a referee made with the SDK has no server.
pub(super) fn why_not_served(referee: &Launch) -> Option<&'static str> {
    let why = "no `javac` here compiles what it needs; install a JDK, such as Debian's default-jdk-headless";
    is_known(&referee.command).then_some(why)
}

/// Whether a command starts a referee made with the SDK from a class path.
fn is_known(command: &[String]) -> bool {
    let [program, .., option, _, main] = command else {
        return false;
    };
    let is_java = Path::new(program).file_name() == Some(OsStr::new("java"));
    is_java && languages::PATH_OPTIONS.contains(&option.as_str()) && main == MAIN
}

/// Returns the launch of the server for this referee, and compiles it; `None` if it is another kind
/// of referee or if nothing compiles it.
pub(super) fn server(referee: &Launch, compiler: &mut Compiler<'_>) -> Option<Launch> {
    let [program, options @ .., _, classpath, main] = &referee.command[..] else {
        return None;
    };
    if !is_known(&referee.command) || find_program("javac").is_err() {
        return None;
    }
    let folder = cached_files(&[SERVER]).ok()?;
    let source = folder.join(SERVER.0).display().to_string();
    let mut launch = referee.clone();
    launch.command = vec![source, classpath.clone(), main.clone()];
    let mut launch = languages::ready(&Languages::new(), &launch, None, compiler)
        .ok()?
        .launch;
    launch
        .command
        .splice(..1, [program].into_iter().chain(options).cloned());
    Some(launch)
}
