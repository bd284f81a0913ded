//! Actions that the sandbox must prevent. Each function returns a breach, or `None` if the action
//! failed.
//!
//! The targets are in environment variables, because a bot may read a file that its command names.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::{self, Error, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process;
use std::time::Duration;

/// The time limit for answers from the network.
const PATIENCE: Duration = Duration::from_millis(200);

/// The size of a piece of memory: 16 MiB.
const PIECE: usize = 16 << 20;

/// Takes 4 GiB and uses every page of it.
pub(crate) fn memory() -> String {
    let mut held = Vec::new();
    for _ in 0..256 {
        held.push(black_box(vec![1_u8; PIECE]));
    }
    format!("took {} pieces of 16 MiB", held.len())
}

/// Connects to the port that `HOSTILE_TCP` names.
pub(crate) fn tcp() -> io::Result<Option<String>> {
    let address: SocketAddr = aim("HOSTILE_TCP")?.parse().map_err(Error::other)?;
    Ok(TcpStream::connect_timeout(&address, PATIENCE)
        .ok()
        .map(|_| format!("connected to {address} by TCP")))
}

/// Sends a datagram to the port that `HOSTILE_UDP` names, and waits for its echo.
pub(crate) fn udp() -> io::Result<Option<String>> {
    let address: SocketAddr = aim("HOSTILE_UDP")?.parse().map_err(Error::other)?;
    let echoed = || {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.send_to(b"hello", address)?;
        socket.recv(&mut [0; 16])
    };
    Ok(echoed()
        .ok()
        .map(|_| format!("heard from {address} by UDP")))
}

/// Lists the folder that the variable names, or reads the file `secret` in it.
pub(crate) fn read(variable: &str) -> io::Result<Option<String>> {
    let folder = PathBuf::from(aim(variable)?);
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Ok(Some(format!("listed {}", folder.display())));
    }
    let secret = File::open(folder.join("secret")).and_then(|mut file| file.read(&mut [0; 16]));
    Ok(secret
        .is_ok()
        .then(|| format!("read the secret of {}", folder.display())))
}

/// Creates files where a bot shouldn't, such as the folder that `HOSTILE_WRITE` names, and opens
/// the file `precious` there.
pub(crate) fn write() -> io::Result<Option<String>> {
    let folder = PathBuf::from(aim("HOSTILE_WRITE")?);
    let own = env::current_exe()?;
    let own = own.parent().unwrap_or(Path::new("/"));
    for place in [
        &folder,
        Path::new("."),
        own,
        Path::new("/tmp"),
        Path::new("/var/tmp"),
        Path::new("/dev/shm"),
    ] {
        if create(place).is_ok() {
            return Ok(Some(format!("wrote in {}", place.display())));
        }
    }
    let precious = folder.join("precious");
    let opened = OpenOptions::new().append(true).open(&precious);
    let removed = fs::remove_file(&precious);
    Ok((opened.is_ok() || removed.is_ok()).then(|| format!("changed {}", precious.display())))
}

/// Writes to the scratch folder, which must work. Returns the failure.
pub(crate) fn scratch() -> Option<String> {
    create(&env::temp_dir())
        .err()
        .map(|error| format!("no file in {}: {error}", env::temp_dir().display()))
}

fn create(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!("hostile-{}", process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)?;
    file.write_all(b"mine")?;
    drop(file);
    fs::remove_file(path)
}

/// Returns the value of a variable, which names the target of a mode.
fn aim(variable: &str) -> io::Result<String> {
    env::var(variable)
        .map_err(|_| Error::other(format!("this mode needs {variable} in the environment")))
}
