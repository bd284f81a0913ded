//! What the outer process tells the inner one before it begins: words, through the socket that is
//! its standard input.
//!
//! Bots can read every command line in `/proc`, and the arguments may hold the seed of the run.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;

/// Sends words. None of them has a NUL byte, as all that come from a command line.
pub(super) fn send<W: AsRef<OsStr>>(
    words: impl IntoIterator<Item = W>,
    mut socket: impl Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend(word.as_ref().as_bytes());
        bytes.push(0);
    }
    socket.write_all(&bytes.len().to_ne_bytes())?;
    socket.write_all(&bytes)
}

/// Receives the words, and reads nothing beyond them.
pub(super) fn receive(mut socket: impl Read) -> io::Result<Vec<OsString>> {
    let mut length = [0; size_of::<usize>()];
    socket.read_exact(&mut length)?;
    let mut bytes = vec![0; usize::from_ne_bytes(length)];
    socket.read_exact(&mut bytes)?;
    let words = bytes.split_inclusive(|byte| *byte == 0);
    Ok(words
        .map(|word| OsStr::from_bytes(&word[..word.len() - 1]).to_owned())
        .collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::thread;

    use super::*;

    /// A command line may take two megabytes, far more than a socket holds.
    #[test]
    fn words_arrive_unchanged_and_nothing_after_them_is_read() {
        let long = vec![b'x'; 2 << 20];
        let odd: [&[u8]; 8] = [
            b"",
            b"--seed",
            b"7\n8\r\n",
            b"",
            b"\xff\xfe {seed}",
            "é".as_bytes(),
            &long,
            b"",
        ];
        for words in [&odd[..], &[b""], &[]] {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let sent = words.iter().map(|word| OsStr::from_bytes(word));
            thread::scope(|scope| {
                scope.spawn(|| {
                    send(sent.clone(), &ours).unwrap();
                    (&ours).write_all(&[15]).unwrap();
                });
                let received = receive(&theirs).unwrap();
                assert!(received.iter().map(OsString::as_os_str).eq(sent.clone()));
                let mut signal = [0];
                (&theirs).read_exact(&mut signal).unwrap();
                assert_eq!(signal, [15]);
            });
        }
    }

    #[test]
    fn words_that_end_early_are_an_error() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (&ours).write_all(&9_usize.to_ne_bytes()).unwrap();
        (&ours).write_all(b"arena\0").unwrap();
        drop(ours);
        assert!(receive(theirs).is_err());
    }
}
