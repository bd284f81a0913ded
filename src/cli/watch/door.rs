//! Connections of this machine, from which requests are read. Anyone on it can connect, so each
//! connection gets little memory and time, and a stranger can't keep others out.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;

/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 16 << 10;
/// The most headers of a request.
const MOST_HEADERS: usize = 64;
/// The most connections without a whole request. One more ends the oldest, whose request would
/// have come long ago.
const MOST_WAITING: usize = 64;
/// How long such a connection stays.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a page may leave data unread before its connection ends, in milliseconds. A page that
/// comes back asks for everything.
const UNREAD_MS: u32 = 10_000;

/// Headers of every answer.
const SAFETY: &str = "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
    Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n";

/// Returns the head of an answer of this content type.
pub(super) fn head(status: u16, kind: &str) -> String {
    format!("HTTP/1.1 {status} \r\nContent-Type: {kind}\r\n{SAFETY}\r\n")
}

/// A request. Its connection takes one answer.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) host: String,
    pub(super) stream: TcpStream,
}

/// A listener, and connections without a whole request.
pub(super) struct Door {
    listener: TcpListener,
    /// The oldest comes first.
    waiting: VecDeque<Visitor>,
}

/// A connection without a whole request, or one that was turned away and may still send.
struct Visitor {
    stream: TcpStream,
    head: Vec<u8>,
    due: Instant,
    is_answered: bool,
}

/// What came of reading a connection.
enum Heard {
    /// A request: its method, path and host.
    Request([String; 3]),
    /// Nothing is to be done yet.
    Nothing,
    /// The connection is over.
    End,
}

impl Door {
    /// Listens on a port of this machine; 0 is a free one.
    pub(super) fn open(port: u16) -> io::Result<Door> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        listener.set_nonblocking(true)?;
        // Connections inherit this. The page also works on a system without it.
        let _ = sockopt::set_tcp_user_timeout(&listener, UNREAD_MS);
        Ok(Door {
            listener,
            waiting: VecDeque::new(),
        })
    }

    /// Returns the port.
    pub(super) fn port(&self) -> io::Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// Waits this long for the next request.
    pub(super) fn next(&mut self, patience: Duration) -> io::Result<Option<Request>> {
        let end = Instant::now() + patience;
        loop {
            if let Some(request) = self.admit().or_else(|| self.hear()) {
                return Ok(Some(request));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.wait(left)?;
        }
    }

    /// Answers a request with an error. The connection stays for a while: if it ended with unread
    /// data, the answer would be lost.
    pub(super) fn refuse(&mut self, request: Request, status: u16, why: &str) {
        let mut visitor = Visitor::new(request.stream);
        visitor.refuse(status, why);
        self.keep(visitor);
    }

    /// Accepts connections, until one has a whole request or there are no more for now.
    fn admit(&mut self) -> Option<Request> {
        for _ in 0..MOST_WAITING {
            match self.listener.accept() {
                Ok((stream, _)) if stream.set_nonblocking(true).is_ok() => {
                    let mut visitor = Visitor::new(stream);
                    match visitor.hear() {
                        Heard::Request(request) => return Some(visitor.into_request(request)),
                        Heard::Nothing => self.keep(visitor),
                        Heard::End => {}
                    }
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // Too many files may be open.
                Err(_) => drop(self.waiting.pop_front()),
            }
        }
        None
    }

    fn keep(&mut self, visitor: Visitor) {
        if self.waiting.len() == MOST_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(visitor);
    }

    /// Reads from the connections, until one has a whole request.
    fn hear(&mut self) -> Option<Request> {
        let mut at = 0;
        while let Some(visitor) = self.waiting.get_mut(at) {
            match visitor.hear() {
                Heard::Nothing => at += 1,
                Heard::End => drop(self.waiting.remove(at)),
                Heard::Request(request) => {
                    return Some(self.waiting.remove(at)?.into_request(request));
                }
            }
        }
        None
    }

    /// Waits until there is something to accept or read.
    fn wait(&self, patience: Duration) -> io::Result<()> {
        let streams = self.waiting.iter().map(|visitor| &visitor.stream);
        let mut ready: Vec<PollFd<'_>> = streams
            .map(|stream| PollFd::new(stream, PollFlags::IN))
            .collect();
        ready.push(PollFd::new(&self.listener, PollFlags::IN));
        let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
        match poll(&mut ready, Some(&patience)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Visitor {
    fn new(stream: TcpStream) -> Visitor {
        Visitor {
            stream,
            head: Vec::new(),
            due: Instant::now() + HEAD_TIME,
            is_answered: false,
        }
    }

    fn into_request(self, [method, path, host]: [String; 3]) -> Request {
        Request {
            method,
            path,
            host,
            stream: self.stream,
        }
    }

    /// Reads what has come.
    fn hear(&mut self) -> Heard {
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes) {
            _ if Instant::now() >= self.due => Heard::End,
            Ok(0) => Heard::End,
            Ok(_) if self.is_answered => Heard::Nothing,
            Ok(count) => {
                self.head.extend_from_slice(&bytes[..count]);
                match request(&self.head) {
                    Ok(Some(request)) => Heard::Request(request),
                    Ok(None) => Heard::Nothing,
                    Err((status, why)) => {
                        self.refuse(status, why);
                        Heard::Nothing
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Heard::Nothing,
            Err(_) => Heard::End,
        }
    }

    /// Sends an error, which a new connection always has room for, and then reads to the end.
    fn refuse(&mut self, status: u16, why: &str) {
        let answer = head(status, "text/plain; charset=utf-8") + why + "\n";
        let _ = self.stream.write_all(answer.as_bytes());
        let _ = self.stream.shutdown(Shutdown::Write);
        self.head = Vec::new();
        self.is_answered = true;
    }
}

/// Reads the head of a request; `None` if there is more to come. An error is the status of the
/// answer and its text.
fn request(head: &[u8]) -> Result<Option<[String; 3]>, (u16, &'static str)> {
    let too_long = (431, "the head of the request is too long");
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Complete(length)) if length <= LONGEST_HEAD => {}
        Ok(httparse::Status::Partial) if head.len() < LONGEST_HEAD => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(too_long),
        Err(_) => return Err((400, "this is no request")),
    }
    let headers = request.headers.iter();
    let mut hosts = headers.filter(|header| header.name.eq_ignore_ascii_case("Host"));
    let host = hosts.next().map_or(&b""[..], |header| header.value);
    if hosts.next().is_some() {
        return Err((400, "the request names two hosts"));
    }
    let words = [request.method, request.path].map(|word| word.unwrap_or_default().to_owned());
    let [method, path] = words;
    let host = String::from_utf8_lossy(host).into_owned();
    Ok(Some([method, path, host]))
}
