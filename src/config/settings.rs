//! Keys of a config on the command line: `--set KEY=VALUE`, and the test of `--sprt`.

use std::str::FromStr;

use toml::de::DeValue;

use super::document::Document;
use super::mistake::Read;

/// A key of a config with its value, as an option gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The path of the key, as in `clock.turn_ms`.
    pub(super) key: String,
    /// The value as TOML.
    pub(super) value: String,
    /// The option as typed. It is empty if the program sets the key by itself.
    pub(crate) option: String,
}

impl Setting {
    /// Sets `key` to a value as typed. A value that isn't TOML is a string, as in
    /// `sandbox.mode=off`. `option` is the text to name in messages.
    pub(crate) fn new(key: &str, typed: &str, option: impl Into<String>) -> Setting {
        let value = match DeValue::parse(typed) {
            Ok(_) => typed.to_owned(),
            Err(_) => toml::Value::from(typed).to_string(),
        };
        Setting {
            key: key.to_owned(),
            value,
            option: option.into(),
        }
    }

    /// Whether it sets this key, or a key in this table.
    pub(crate) fn is_within(&self, key: &str) -> bool {
        is_within(&self.key, key)
    }

    /// The length of the text that holds this setting, see [`Source`].
    fn length(&self) -> usize {
        "\n".len() + self.key.len() + "=".len() + self.value.len()
    }
}

impl FromStr for Setting {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Setting, &'static str> {
        match text.split_once('=') {
            Some((key, value)) if key.split('.').all(|key| !key.trim().is_empty()) => {
                let option = format!("--set {text}");
                Ok(Setting::new(key.trim(), value.trim(), option))
            }
            _ => Err("expected KEY=VALUE, as in clock.turn_ms=100"),
        }
    }
}

/// Whether a path is that of a key, or of something in it.
pub(super) fn is_within(path: &str, key: &str) -> bool {
    path.strip_prefix(key)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Reads the value of `--sprt`: `ELO0,ELO1`, then keys of `[sprt]` with their values.
pub(crate) fn test_settings(text: &str) -> Result<Vec<Setting>, String> {
    let option = format!("--sprt {text}");
    let mut parts = text.split(',').map(str::trim);
    let bounds = [parts.next(), parts.next()]
        .map(|part| part?.parse().ok().filter(|elo: &f64| elo.is_finite()));
    let [Some(elo0), Some(elo1)] = bounds else {
        let expected = "expected ELO0,ELO1, as in 0,10 or -10,0";
        let why = format!("{expected}; then keys of [sprt], as in 0,10,alpha=0.01");
        return Err(why);
    };
    let why = "ELO0 must be below ELO1\nhint: --sprt";
    if elo0 > elo1 {
        return Err(format!("{why} {elo1},{elo0}"));
    } else if elo0 >= elo1 {
        return Err(format!("{why} 0,10"));
    }
    let mut settings = vec![
        Setting::new("run.format", "sprt", &option),
        Setting::new("sprt.elo0", &format!("{elo0:?}"), &option),
        Setting::new("sprt.elo1", &format!("{elo1:?}"), &option),
    ];
    for part in parts {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("expected KEY=VALUE in place of `{part}`, as in alpha=0.01"))?;
        let key = format!("sprt.{}", key.trim());
        settings.push(Setting::new(&key, value.trim(), &option));
    }
    Ok(settings)
}

/// Where a config comes from: the text of a file, or none, and settings that override it. The
/// settings have places behind the end of the text, so that each place belongs to one of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Source<'t> {
    /// The name of the file, if there is one.
    pub(super) file: Option<&'t str>,
    pub(super) text: &'t str,
    pub(super) settings: &'t [Setting],
}

impl<'t> Source<'t> {
    /// The settings alone, for verbs without a file.
    pub(super) fn of_flags(settings: &'t [Setting]) -> Source<'t> {
        Source {
            settings,
            ..Source::default()
        }
    }

    /// Parses the text and applies the settings.
    pub(super) fn document(&self) -> Read<Document<'t>> {
        let mut document = Document::parse(self.text)?;
        let mut place = self.text.len();
        for setting in self.settings {
            document.set(&setting.key, &setting.value, place + "\n".len());
            place += setting.length();
        }
        Ok(document)
    }

    /// Returns the line of the text at a place.
    pub(super) fn line_at(&self, place: usize) -> &'t str {
        let (before, after) = self.text.split_at_checked(place).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = after.find('\n').unwrap_or(after.len());
        &self.text[start..before.len() + end]
    }

    /// The option that set what is at a place, or the line of the file; `None` without both.
    pub(super) fn place(&self, start: usize) -> Option<String> {
        match (self.setting_at(start), self.file) {
            (Some(setting), _) => Some(setting.option.clone()).filter(|option| !option.is_empty()),
            (None, Some(file)) => {
                let before = self.text.get(..start)?;
                Some(format!("{file}:{}", before.matches('\n').count() + 1))
            }
            (None, None) => None,
        }
    }

    /// Returns the setting at a place, if there is one.
    pub(super) fn setting_at(&self, place: usize) -> Option<&'t Setting> {
        let mut end = self.text.len();
        self.settings.iter().find(|setting| {
            let start = end + "\n".len();
            end += setting.length();
            (start..=end).contains(&place)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_toml_is_a_string() {
        for (typed, value) in [
            ("clock.turn_ms=100", "100"),
            ("clock.no_ponder = false", "false"),
            ("run.stderr=turn", "\"turn\""),
            ("game.kutulu.maps=my/maps", "\"my/maps\""),
            ("run.workers=nats://lab1:4222", "\"nats://lab1:4222\""),
            ("bot.0.command=[\"./bot\", \"3\"]", "[\"./bot\", \"3\"]"),
            ("run.name=a=b", "\"a=b\""),
            ("run.name=", "\"\""),
        ] {
            let setting: Setting = typed.parse().unwrap();
            assert_eq!(setting.value, value, "{typed}");
        }
        for wrong in ["", "clock.turn_ms", "=1", "clock.=1", ".turn_ms=1"] {
            assert!(wrong.parse::<Setting>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_test_is_two_elos_and_keys() {
        let keys = |text: &str| {
            let settings = test_settings(text)?;
            let keys = settings.iter().skip(1);
            let keys = keys.map(|setting| format!("{}={}", setting.key, setting.value));
            Ok::<String, String>(keys.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(keys("-10, 0").unwrap(), "sprt.elo0=-10.0 sprt.elo1=0.0");
        assert_eq!(
            keys("0,2.5,alpha=0.01,model=normalized,early=false").unwrap(),
            "sprt.elo0=0.0 sprt.elo1=2.5 sprt.alpha=0.01 sprt.model=\"normalized\" sprt.early=false"
        );
        for wrong in ["", "10", "0,10,20", "a,b", "nan,0"] {
            assert!(keys(wrong).is_err(), "{wrong}");
        }
        let swapped = keys("10,0").unwrap_err();
        assert_eq!(swapped, "ELO0 must be below ELO1\nhint: --sprt 0,10");
    }
}
