//! Which variables of the user's environment bots and referees get.

use std::env;
use std::ffi::OsString;

use crate::program::LOGIN;

/// Variables that make runtimes write their output at once. They would hide a missing flush, which
/// loses games elsewhere.
const UNBUFFERED: [&str; 6] = [
    "PYTHONUNBUFFERED",
    "GFORTRAN_UNBUFFERED_ALL",
    "GFORTRAN_UNBUFFERED_PRECONNECTED",
    "_STDBUF_E",
    "_STDBUF_I",
    "_STDBUF_O",
];

/// Parts of the names of variables that hold credentials.
#[rustfmt::skip]
const SECRET: [&str; 12] = [
    "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY",
    "AUTH", LOGIN,
];

/// Beginnings of the names that clouds and CI systems use. They tell of the account and the job.
#[rustfmt::skip]
const SERVICES: [&str; 14] = [
    "AWS_", "AZURE_", "GOOGLE_", "GCP_", "CI_", "GITHUB_", "GITLAB_", "ACTIONS_", "RUNNER_", "JENKINS_", "CIRCLE_", "BUILDKITE_",
    "TRAVIS_", "BITBUCKET_",
];

/// Returns our variables without those that bots don't get.
pub(crate) fn passed() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os().filter(|(name, value)| {
        !UNBUFFERED.iter().any(|known| name == known)
            && !is_secret(&name.to_string_lossy(), &value.to_string_lossy())
    })
}

/// Returns whether a variable seems to hold credentials.
fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET.iter().any(|part| name.contains(part))
        || SERVICES.iter().any(|begin| name.starts_with(begin))
        || has_login(value)
}

/// Returns whether a text is an address with a password, as in `https://user:password@host`.
fn has_login(value: &str) -> bool {
    let address = value.split_once("://").map_or("", |(_, rest)| rest);
    let host = address.split('/').next().unwrap_or_default();
    host.rsplit_once('@')
        .is_some_and(|(user, _)| user.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_told_from_settings() {
        let secrets = [
            ("NPM_TOKEN", "x"),
            ("my_secret_key", "x"),
            ("PGPASSWORD", "x"),
            ("AWS_REGION", "x"),
            ("GITHUB_SHA", "x"),
            ("SSH_AUTH_SOCK", "x"),
            ("DATABASE_URL", "postgres://me:pass@host/db"),
            ("https_proxy", "http://me:pass@proxy:80"),
        ];
        for (name, value) in secrets {
            assert!(is_secret(name, value), "{name}");
        }
        let settings = [
            ("PATH", "/usr/bin:/bin"),
            ("HOME", "/home/me"),
            ("LANG", "C.UTF-8"),
            ("PYENV_ROOT", "/home/me/.pyenv"),
            ("NVM_DIR", "/home/me/.nvm"),
            ("JAVA_HOME", "/opt/java"),
            ("LD_LIBRARY_PATH", "/opt/lib"),
            ("PYTHONPATH", "/home/me/lib"),
            ("http_proxy", "http://proxy:80"),
            ("CARGO_HOME", "/home/me/.cargo"),
        ];
        for (name, value) in settings {
            assert!(!is_secret(name, value), "{name}");
        }
    }
}
