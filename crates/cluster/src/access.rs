//! The connection to the server: its address, the login, and the streams of the crate.

use std::future::{self, Ready};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{self, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};

use crate::error::ClusterError;
use crate::protocol::{BUCKET, QUEUE, QUEUED, subject};

/// The pause between attempts to connect again.
const RECONNECT: Duration = Duration::from_millis(250);
/// The server gives a unit to another worker after this time without a message about it.
const ACK_WAIT: Duration = Duration::from_secs(4);
/// The server removes the queue of a killed coordinator after this time.
const ABANDONED: Duration = Duration::from_secs(60);
/// The server forgets units after this time.
const QUEUED_FOR: Duration = Duration::from_secs(3600);
/// The server forgets files after this time.
const FILES_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Shows people a line. It has no full stop.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// The address of a server, and the login.
#[derive(Clone, Default)]
pub struct Access {
    /// The address, as in `nats://lab.example:4222` or `tls://lab.example:4222`.
    pub url: String,
    /// A token, or the text of a file of NATS credentials.
    pub login: Option<String>,
    /// A file with the certificates of the server's authority. It requires an encrypted connection.
    pub ca: Option<PathBuf>,
    /// How people give the login and the certificates, for messages.
    pub options: [&'static str; 2],
}

impl Access {
    /// Connects. If the connection is lost later, it is restored, with a line to `tell` each time.
    pub(crate) async fn connect(&self, tell: Tell) -> anyhow::Result<Client> {
        let address = self.address()?;
        let client = self
            .options(tell)?
            .connect(address.clone())
            .await
            .map_err(|error| self.unconnected(&error))?;
        let (url, info) = (&self.url, client.server_info());
        let missing = if !info.auth_required && !is_loopback(&address) {
            "needs no login, so anyone who reaches it could run programs on every worker; docs/how-to/cluster.md says how to \
             give it one"
        } else if !info.jetstream {
            "has no JetStream; start it with `nats-server -js`, or with `jetstream {}` in its config"
        } else {
            return Ok(client);
        };
        Err(ClusterError(format!("can't use {url}: the server {missing}")).into())
    }

    fn address(&self) -> Result<ServerAddr, ClusterError> {
        let (url, how) = (&self.url, self.how_to_log_in());
        if url.contains('@') {
            return Err(ClusterError(format!(
                "can't use a login in the address of the server: others can read command lines; {how}"
            )));
        }
        let form = "expected nats://HOST:4222";
        let unread = |error| format!("can't read the address `{url}`: {error}; {form}");
        url.parse().map_err(|error| ClusterError(unread(error)))
    }

    fn options(&self, tell: Tell) -> anyhow::Result<ConnectOptions> {
        let mut options = ConnectOptions::new()
            .name("arena")
            .ignore_discovered_servers()
            .reconnect_delay_callback(|_| RECONNECT)
            .event_callback(announced(self.url.clone(), tell));
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        match &self.login {
            None => Ok(options),
            // The parser needs an end of line after the last line, too.
            Some(login) if login.contains("-----BEGIN") => options
                .credentials(&format!("{login}\n"))
                .context("can't read the credentials of the login"),
            Some(login) => Ok(options.token(login.trim().to_owned())),
        }
    }

    fn how_to_log_in(&self) -> String {
        let [login, _] = self.options;
        format!("give {login}; the file holds NATS credentials or a token")
    }

    fn unconnected(&self, error: &ConnectError) -> ClusterError {
        let (url, [_, ca]) = (&self.url, self.options);
        let hint = match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                let how = self.how_to_log_in();
                return ClusterError(format!("can't log in at {url}: the server refuses; {how}"));
            }
            // A rejected certificate comes as an error of reading.
            kind if kind == ConnectErrorKind::Tls || error.to_string().contains("certificate") => {
                format!("{ca} names the authority of its certificate")
            }
            _ => {
                "start a server there with `nats-server -js`, and see that its port can be reached"
                    .into()
            }
        };
        ClusterError(format!("can't connect to {url}: {error}; {hint}"))
    }
}

/// Returns a callback that reports when the connection is lost and restored.
fn announced(url: String, tell: Tell) -> impl Fn(Event) -> Ready<()> + Send + Sync + 'static {
    let lost = AtomicBool::new(false);
    move |event| {
        match event {
            Event::Disconnected if !lost.swap(true, Ordering::Relaxed) => {
                tell(&format!("{url} is not there any more: waiting for it"));
            }
            Event::Connected if lost.swap(false, Ordering::Relaxed) => {
                tell(&format!("{url} is back"));
            }
            _ => {}
        }
        future::ready(())
    }
}

fn is_loopback(address: &ServerAddr) -> bool {
    let host = address.host().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Returns the queue of a session. Creates it if it is missing.
pub(crate) async fn queue(
    jetstream: &Context,
    session: &str,
) -> Result<PullConsumer, ClusterError> {
    let config = stream::Config {
        name: QUEUE.to_owned(),
        subjects: vec![QUEUED.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::Memory,
        max_age: QUEUED_FOR,
        ..stream::Config::default()
    };
    let stream = jetstream
        .get_or_create_stream(config)
        .await
        .map_err(|why| ClusterError(format!("can't make a queue: {why}")))?;
    let config = pull::Config {
        durable_name: Some(session.to_owned()),
        filter_subject: subject("work", session),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_ack_pending: 100_000,
        inactive_threshold: ABANDONED,
        ..pull::Config::default()
    };
    stream
        .get_or_create_consumer(session, config)
        .await
        .map_err(|why| ClusterError(format!("can't make a queue: {why}")))
}

/// Returns the store of files. Creates it if it is missing.
pub(crate) async fn bucket(client: &Client) -> Result<ObjectStore, ClusterError> {
    let config = object_store::Config {
        bucket: BUCKET.to_owned(),
        max_age: FILES_KEPT,
        ..object_store::Config::default()
    };
    jetstream::new(client.clone())
        .create_object_store(config)
        .await
        .map_err(|why| ClusterError(format!("can't make a store for files: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_keeps_files_as_long_as_the_document_says() {
        let document = include_str!("../../../docs/how-to/cluster.md");
        let days = FILES_KEPT.as_secs() / 86_400;
        let sentence = format!("The server keeps files for {days} days.");
        assert!(document.contains(&sentence), "{sentence}");
    }

    #[test]
    fn a_loopback_address_is_recognized() {
        for (address, is_near) in [
            ("nats://127.0.0.1:4222", true),
            ("localhost:4222", true),
            ("tls://[::1]:4222", true),
            ("nats://192.168.1.7", false),
            ("nats://localhost.example", false),
        ] {
            assert_eq!(is_loopback(&address.parse().unwrap()), is_near, "{address}");
        }
    }

    #[test]
    fn an_address_holds_no_login_and_an_error_does_not_repeat_it() {
        let access = |url: &str| Access {
            url: url.into(),
            ..Access::default()
        };
        assert!(access("nats://localhost:4222").address().is_ok());
        for url in [
            "nats://me:secret@localhost:4222",
            "me:secret@localhost",
            "nats://secret@localhost",
            "nats://me:secret@:port",
        ] {
            let why = access(url).address().unwrap_err().to_string();
            assert!(
                why.contains("NATS credentials or a token") && !why.contains("secret"),
                "{url}: {why}"
            );
        }
    }
}
