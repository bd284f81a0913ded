//! The variables of bots and referees, and which of the user's environment are among them.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf, is_separator};
use std::sync::LazyLock;

use regex_lite::Regex;

use crate::launch::Launch;
use crate::limits;

/// The variable with options for every Java machine.
pub(crate) const JAVA: &str = "JAVA_TOOL_OPTIONS";
/// Options that keep Java machines from writing warnings to standard output, where the first would
/// be taken for an answer. Java 8, which ends at `-Xlog`, doesn't read the second variable.
const QUIET: [(&str, &str); 2] = [
    (JAVA, "-XX:-UsePerfData"),
    ("JDK_JAVA_OPTIONS", "-Xlog:disable -Xlog:all=warning:stderr"),
];

/// Beginnings of variables that make runtimes write their output at once. They would hide a missing
/// flush, which loses games elsewhere.
const UNBUFFERED: [&str; 3] = ["PYTHONUNBUFFERED", "GFORTRAN_UNBUFFERED_", "_STDBUF_"];

/// What is in the names of variables that hold credentials: some words anywhere; others at the end
/// of a word, as in `MYSQL_PWD` and `OPENAI_KEYS`; and short ones alone, because harmless words,
/// such as `COMPAT`, end in the same letters.
const SECRET: &str = r"(?x)
    TOKEN | SECRET | PASSWORD | PASSWD | PASSPHRASE | CREDENTIAL
    | ( KEY | PASS | PWD | AUTH | CRED | COOKIE | WEBHOOK | XAUTHORITY | JWT | AUTHORIZATION | BEARER | SIGNATURE
        | (^|[^A-Z0-9]) ( PAT | PW | SIG | SESSION )
      ) S? [0-9]* ([^A-Z0-9]|$)";

/// Names that end like those of credentials: of the current and the last folder, and of a desktop.
const HARMLESS: [&str; 7] = [
    "PWD",
    "OLDPWD",
    "XDG_SESSION_ID",
    "XDG_SESSION_TYPE",
    "XDG_SESSION_CLASS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
];

/// Beginnings of the names that clouds and CI systems use, and Git for settings such as headers.
/// They tell of the account and the job.
#[rustfmt::skip]
const SERVICES: [&str; 15] = [
    "AWS_", "AZURE_", "GOOGLE_", "GCP_", "CI_", "GITHUB_", "GITLAB_", "ACTIONS_", "RUNNER_", "JENKINS_", "CIRCLE_", "BUILDKITE_",
    "TRAVIS_", "BITBUCKET_", "GIT_CONFIG_",
];

/// Variables that name a bot's own folder in the sandbox.
const OWN: &[&str] = if cfg!(windows) {
    &["HOME", "TEMP", "TMP", "TMPDIR"]
} else {
    &["HOME", "TMPDIR"]
};

/// Returns the folder that a variable names. An empty variable is as good as none.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let path = env::var_os(name).filter(|path| !path.is_empty())?;
    Some(path.into())
}

/// Returns the folder for temporary files.
pub fn temporary_folder() -> PathBuf {
    folder("TMPDIR").unwrap_or_else(|| {
        if cfg!(windows) {
            env::temp_dir()
        } else {
            "/tmp".into()
        }
    })
}

/// Returns the name of a variable in the form in which it is compared: on Windows in capitals,
/// because `Path` and `PATH` are one variable there.
fn key(name: impl AsRef<OsStr>) -> OsString {
    let name = name.as_ref();
    if cfg!(windows) {
        name.to_ascii_uppercase()
    } else {
        name.to_owned()
    }
}

/// Our variables without those that bots don't get. They don't change while the arena runs, and
/// copying them is faster than filtering them.
static PASSED: LazyLock<BTreeMap<OsString, OsString>> = LazyLock::new(|| {
    let mut passed: BTreeMap<OsString, OsString> = env::vars_os()
        .map(|(name, value)| (key(name), value))
        .collect();
    passed.retain(|name, value| {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        !UNBUFFERED.iter().any(|begin| name.starts_with(begin)) && !is_secret(&name, &value)
    });
    passed
});

/// Returns a bot's variables: ours that are [passed](PASSED), its seed, its own, and in the sandbox
/// its `own` folder and options of Java machines for its memory limit in bytes. Later options win,
/// so the user's come last.
pub(crate) fn of_bot(
    launch: &Launch,
    seed: u64,
    own: Option<(&Path, u64)>,
) -> BTreeMap<OsString, OsString> {
    let mut all = PASSED.clone();
    if let Some((folder, memory)) = own {
        all.extend(OWN.iter().map(|name| (name.into(), folder.into())));
        all.entry(JAVA.into())
            .or_insert_with(|| limits::java_options(memory).into());
    }
    all.insert("ARENA_SEED".into(), seed.to_string().into());
    for (name, value) in &launch.env {
        all.insert(key(name), value.into());
    }
    if own.is_some() {
        for (name, options) in QUIET {
            let given = all.entry(name.into()).or_default();
            *given = [OsStr::new(options), given].join(OsStr::new(" "));
        }
    }
    all
}

/// Returns whether a variable seems to hold credentials.
fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let is_path = name.ends_with("PATH");
    SERVICES.iter().any(|begin| name.starts_with(begin))
        || (!is_path && !HARMLESS.contains(&&*name) && names_secret(&name))
        || value.contains("PRIVATE KEY")
        || has_setting(value, is_path)
        || value
            .split_whitespace()
            .any(|part| has_login(part, is_path))
}

/// Returns whether a name, in capitals, is one of credentials.
fn names_secret(name: &str) -> bool {
    static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SECRET).ok());
    // Tokenizers split text into words.
    let name = name.replace("TOKENIZ", "");
    NAMES.as_ref().is_none_or(|names| names.is_match(&name))
}

/// A name, with the slash or backslash before it, and what follows: quotes and blanks, then `=` or
/// `:`.
static SETTING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"([/\\]?)([\w-]+)(["']*\s*)([=:]?)"#).ok());

/// Returns whether a value has a setting with a credential, as in `-Dproxy.password=x`,
/// `{"password": "x"}` and `--token x`. A name that ends a path is that of a folder, and so may be
/// one in a list of paths.
fn has_setting(value: &str, is_path: bool) -> bool {
    let mut found = SETTING.iter().flat_map(|names| names.captures_iter(value));
    found.any(|found| {
        let (_, [slash, name, gap, sign]) = found.extract();
        let is_folder = is_path || slash.starts_with(is_separator);
        let is_last = found.get(0).is_none_or(|whole| whole.end() == value.len());
        let is_set = match sign {
            "=" => true,
            ":" => !is_folder,
            _ => !is_folder && !is_last && gap.starts_with(char::is_whitespace),
        };
        is_set && names_secret(&name.to_ascii_uppercase())
    })
}

/// Returns whether a part of a value is an address with a login, as in `https://user@host` and
/// `user:password@host`, or one of a webhook, which needs no other login. Lists of folders look
/// like the second, as in `bin:node@22/bin`.
fn has_login(part: &str, is_path: bool) -> bool {
    if let Some((_, address)) = part.split_once("://") {
        let address = address.to_ascii_lowercase();
        let is_hook = address.starts_with("hooks.") || address.contains(".hooks.");
        return is_hook || address.contains("webhook") || address.contains('@');
    }
    let is_list = is_path || part.starts_with(is_separator);
    matches!(part.split_once(':'), Some((_, rest))
        if !is_list && !rest.starts_with(is_separator) && rest.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variable on each line, with `⏎` for a line feed and `→` for a tab.
    const SECRETS: &str = r#"
NPM_TOKEN=x
my_secret_key=x
PGPASSWORD=x
MYSQL_PWD=x
DB_PASS=x
SSHPASS=x
OPENAI_KEY=x
API_KEYS=x
key2=x
GH_PAT=x
NPM_CONFIG_//host/:_authToken=x
HF_TOKENIZER_TOKEN=x
AWS_REGION=x
GITHUB_PATH=x
SSH_AUTH_SOCK=x
JAVA_TOOL_OPTIONS=-Xmx1g -Dhttp.proxyPassword=x
DSN=host=h user=me password=x
DATABASE_URL=jdbc:postgresql://h/db?user=me&password=x
DATABASE_URL=postgres://me:pass@host/db
DATABASE_URL=postgres://me:pa/ss@h
https_proxy=http://me:pass@proxy:80
https_proxy=me:pass@proxy:80
https_proxy=me:pa/ss@proxy:80
https_proxy=corp/me@corp:pass@proxy:80
REPOSITORY=https://ghp_x@github.com
PIP_EXTRA_INDEX_URL=https://a/simple https://me:x@b/simple
HTTP_PROXY=http://me:p,a;s?s@proxy
GOPROXY=https://a,https://me:x@b|direct
INSTALL_PATH=https://me:x@b
HTTP_AUTHORIZATION=x
authorization=x
BEARER=x
API_BEARER=x
SESSION=x
PHP_SESSION_ID=x
SAS_SIG=x
URL_SIGNATURE=x
XDG_SESSION_TOKEN=x
STORE=https://a/b?sv=1&sig=x
DSN=host=h:user=me:password=x
DSN="host=h" "password=x"
JAVA_TOOL_OPTIONS=-Da='b' '-Dproxy.password=x'
OPTIONS=--set="password=x"
ACCOUNT={"user": "me", "password" : "x"}
DEPLOY_PEM=-----BEGIN OPENSSH PRIVATE KEY-----⏎x
DEPLOY_PEM=-----BEGIN PRIVATE KEY-----\nx
HEADERS=Authorization: Bearer x
HEADERS=Accept: */*, X-Api-Key:x
OPTS=--token x
OPTS=-a --auth-token→x
NETRC=machine h login me password x
CONF=password: x
CONF=user: me⏎password:⏎  x
CONF={'token' : 'x'}
SETUP_PATH=a/token=x
NOTIFY=https://hooks.slack.com/services/T0/B0/x
NOTIFY=https://Hooks.example.org/x
NOTIFY=https://a.hooks.example.org/x
NOTIFY=https://discord.com/api/webhooks/1/x
"#;
    const SETTINGS: &str = r#"
PATH=/usr/bin:/bin
PATH=/home/me/keys:/opt/auth:key:/bin
XDG_DATA_DIRS=/home/me/keys:/usr/share
CFLAGS=-I/opt/key -O2
GREETING=the keyboard: fine, a monkey
PATH=bin:/opt/python@3.12/bin:lib/node@22/bin
HOME=/home/me
PWD=/home/me
OLDPWD=/home/me@work
LANG=C.UTF-8
LC_ALL=de_DE@euro
PYENV_ROOT=/home/me/.pyenv
NVM_DIR=/home/me/.nvm
JAVA_HOME=/opt/java
JAVA_TOOL_OPTIONS=-javaagent:/opt/agent@1.jar -Dkeyboard=us -Djdk.http.auth.tunneling.disabledSchemes=
LD_LIBRARY_PATH=/opt/lib
PYTHONPATH=/home/me/lib
KEY_PATH=/home/me/keys
XDG_DATA_DIRS=/usr/share:/opt/a@1/share
XDG_RUNTIME_DIR=/run/user/1000
XDG_SESSION_ID=2
XDG_SESSION_TYPE=wayland
XDG_SESSION_CLASS=user
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus
DESKTOP_SESSION=gnome
SIGNAL=9
DESIGN=1
GCC_COLORS=error=01;31:warning=01;35:quote=01
GREETING=say "hello": now
REPOSITORY=https://host/hooks.git
TOKENIZERS_PARALLELISM=false
KEYBOARD=us
KEYTIMEOUT=1
ROSETTA_COMPAT=1
PASSENGER_ROOT=/opt
GIT_AUTHOR_EMAIL=me@host
http_proxy=http://proxy:80
https_proxy=proxy:80
PIP_EXTRA_INDEX_URL=https://a/simple https://b/simple
CARGO_HOME=/home/me/.cargo
SSL_CERT_FILE=/etc/ssl/cert.pem
LS_COLORS=rs=0:di=01;34:*.tar=01;31
DISPLAY=:0
"#;

    /// Variables of Windows, where a backslash separates folders.
    const SETTINGS_OF_WINDOWS: &str = r"
Path=C:\Users\me@corp\bin;C:\keys
PATHEXT=.COM;.EXE;.BAT
SystemRoot=C:\Windows
ComSpec=C:\Windows\system32\cmd.exe
ProgramFiles(x86)=C:\Program Files (x86)
LOCALAPPDATA=C:\Users\me@corp\AppData\Local
USERPROFILE=C:\Users\me@corp
MANAGER=C:\Program Files\Password Safe
SESSIONNAME=Console
NUMBER_OF_PROCESSORS=8
";

    #[test]
    fn credentials_are_told_from_settings() {
        let of_windows = if cfg!(windows) {
            SETTINGS_OF_WINDOWS
        } else {
            "A=b"
        };
        for (variables, are_secret) in [(SECRETS, true), (SETTINGS, false), (of_windows, false)] {
            for variable in variables.trim().lines() {
                let (name, value) = variable.split_once('=').unwrap();
                let value = value.replace('⏎', "\n").replace('→', "\t");
                assert_eq!(is_secret(name, &value), are_secret, "{variable}");
            }
        }
    }
}
