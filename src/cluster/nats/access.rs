//! The way to the server: its address, who we are to it, and what of it is needed.

use std::fs;
use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{self, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};

use super::protocol::{PROGRAMS, QUEUE, QUEUED, subject};
use super::{Access, Tell};
use arena_process::LOGIN;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest pause between attempts to find the server again.
const RECONNECT: Duration = Duration::from_millis(500);
/// A batch that a worker says nothing of for so long is given to another.
pub(super) const ACK_WAIT: Duration = Duration::from_secs(4);
/// What arenas left that were killed goes after so long.
const ABANDONED: Duration = Duration::from_secs(60);
const QUEUED_FOR: Duration = Duration::from_secs(3600);
const PROGRAMS_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

impl Access {
    /// Connects, and from then on sees to it that the connection is there; tells when it is lost and found.
    pub(super) async fn connect(&self, tell: Tell) -> anyhow::Result<Client> {
        let url = &self.url;
        let address: ServerAddr = url.parse().map_err(|error| {
            anyhow!("read the address `{url}`: {error}; expected nats://HOST:4222")
        })?;
        if address.has_user_pass() {
            bail!(
                "use a password in the address of the server: others can read command lines; give --login FILE, or {LOGIN} in the environment"
            );
        }
        let mut options = ConnectOptions::new()
            .name("arena")
            .ignore_discovered_servers()
            .connection_timeout(CONNECT)
            .reconnect_delay_callback(|attempt| {
                RECONNECT.min(
                    Duration::from_millis(20) * u32::try_from(attempt).unwrap_or(u32::MAX).min(100),
                )
            })
            .event_callback(told_of(url.clone(), tell));
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        if let Some(login) = self.login()? {
            options = with_login(options, &login)?;
        }
        let client = options
            .connect(address.clone())
            .await
            .map_err(|error| self.unconnected(&error))?;
        let info = client.server_info();
        if !info.auth_required && !is_loopback(&address) && !self.insecure {
            bail!(
                "use {url}: the server lets anybody in, who could run programs on every worker; give it users \
                   (docs/cluster.md says how), or say --insecure if its network is closed"
            );
        }
        if !info.jetstream {
            bail!(
                "use {url}: the server has no JetStream; start it with `nats-server -js`, or with `jetstream {{}}` in its config"
            );
        }
        Ok(client)
    }

    fn login(&self) -> anyhow::Result<Option<String>> {
        let Some(file) = &self.login else {
            return Ok(std::env::var(LOGIN).ok());
        };
        fs::read_to_string(file)
            .map(Some)
            .with_context(|| format!("read --login {}", file.display()))
    }

    fn unconnected(&self, error: &ConnectError) -> anyhow::Error {
        let url = &self.url;
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => anyhow!(
                "log in at {url}: the server refuses; give --login FILE with a token, user:password, the seed of an nkey or credentials"
            ),
            // A certificate that is refused comes as an error of reading.
            _ if error.kind() == ConnectErrorKind::Tls
                || error.to_string().contains("certificate") =>
            {
                anyhow!(
                    "connect to {url}: {error}; --ca FILE names the authority of its certificate"
                )
            }
            ConnectErrorKind::Tls
            | ConnectErrorKind::Io
            | ConnectErrorKind::TimedOut
            | ConnectErrorKind::Dns
            | ConnectErrorKind::MaxReconnects => {
                anyhow!(
                    "connect to {url}: {error}; start a server there with `nats-server -js`, and see that its port can be reached"
                )
            }
            ConnectErrorKind::ServerParse => {
                anyhow!("read the address `{url}`: {error}; expected nats://HOST:4222")
            }
        }
    }
}

/// What is told of a connection.
fn told_of(
    url: String,
    tell: Tell,
) -> impl Fn(Event) -> std::future::Ready<()> + Send + Sync + 'static {
    let lost = std::sync::atomic::AtomicBool::new(false);
    move |event| {
        use std::sync::atomic::Ordering::Relaxed;
        match event {
            Event::Disconnected if !lost.swap(true, Relaxed) => {
                tell(&format!("{url} is not there any more: waiting for it"));
            }
            Event::Connected if lost.swap(false, Relaxed) => tell(&format!("{url} is there again")),
            _ => {}
        }
        std::future::ready(())
    }
}

fn with_login(options: ConnectOptions, login: &str) -> anyhow::Result<ConnectOptions> {
    if login.contains("-----BEGIN") {
        // Their reader wants the end of the last line, too.
        return options
            .credentials(&format!("{login}\n"))
            .context("read the credentials of --login");
    }
    let login = login.trim();
    if login.len() == 58 && login.starts_with("SU") {
        return Ok(options.nkey(login.to_owned()));
    }
    Ok(match login.split_once(':') {
        Some((user, password)) => options.user_and_password(user.to_owned(), password.to_owned()),
        None => options.token(login.to_owned()),
    })
}

fn is_loopback(address: &ServerAddr) -> bool {
    let host = address.host().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The queue of a session, which is made if it is not there.
pub(super) async fn queue(jetstream: &Context, session: &str) -> anyhow::Result<PullConsumer> {
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
        .map_err(|error| anyhow!("make a queue: {error}"))?;
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
        .map_err(|error| anyhow!("make a queue: {error}"))
}

/// The store of programs, which is made if it is not there.
pub(super) async fn programs(client: &Client) -> anyhow::Result<ObjectStore> {
    let jetstream = jetstream::new(client.clone());
    if let Ok(store) = jetstream.get_object_store(PROGRAMS).await {
        return Ok(store);
    }
    let config = object_store::Config {
        bucket: PROGRAMS.to_owned(),
        max_age: PROGRAMS_KEPT,
        ..object_store::Config::default()
    };
    jetstream
        .create_object_store(config)
        .await
        .map_err(|error| anyhow!("make a store for programs: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_told_from_other_addresses() {
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
}
