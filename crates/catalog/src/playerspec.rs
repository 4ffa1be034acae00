//! Player specs: `KIND[:key=value,…][@NAME]`, such as `minimax:depth=4@Anna`. Text to plain values; which kinds there are,
//! and which options they take, is decided where the player is made.

use parlor_core::duration;
use parlor_tables::BadTable;
use std::{fmt, str::FromStr, time::Duration};

/// Why there is no such player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadPlayer {
    /// The spec names no player: a sentence with what would be right.
    Spec(String),
    /// The endgame table that the player would use is not to be believed.
    Table(BadTable),
}

impl fmt::Display for BadPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadPlayer::Spec(sentence) => f.write_str(sentence),
            BadPlayer::Table(bad) => bad.fmt(f),
        }
    }
}

impl std::error::Error for BadPlayer {}

/// A player spec, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSpec {
    /// What kind of player.
    pub kind: String,
    /// Its options in the order given.
    pub options: Vec<(String, String)>,
    /// What to call it.
    pub name: Option<String>,
}

impl FromStr for PlayerSpec {
    type Err = BadPlayer;

    fn from_str(text: &str) -> Result<PlayerSpec, BadPlayer> {
        let (spec, name) = match text.split_once('@') {
            Some((spec, name)) => (spec, Some(name.trim())),
            None => (text, None),
        };
        if name.is_some_and(|name| name.is_empty() || name.chars().any(char::is_control)) {
            return Err(BadPlayer::Spec(format!(
                "player '{text}': after @ a name is wanted, like human@Anna"
            )));
        }
        let (kind, options) = spec.split_once(':').unwrap_or((spec, ""));
        let mut parsed = Vec::new();
        for part in options.split(',').filter(|_| !options.trim().is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(BadPlayer::Spec(format!("player '{text}': '{part}' is not like depth=4")));
            };
            parsed.push((key.trim().to_ascii_lowercase(), value.trim().to_string()));
        }
        if kind.trim().is_empty() {
            return Err(BadPlayer::Spec(format!(
                "player '{text}': a kind is wanted first, like minimax:depth=4"
            )));
        }
        Ok(PlayerSpec {
            kind: kind.trim().to_ascii_lowercase(),
            options: parsed,
            name: name.map(String::from),
        })
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        for (i, (key, value)) in self.options.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        match &self.name {
            Some(name) => write!(f, "@{name}"),
            None => Ok(()),
        }
    }
}

impl PlayerSpec {
    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of a whole number between two others; none if it is not given.
    pub fn number(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, BadPlayer> {
        let Some(text) = self.option(name) else { return Ok(None) };
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        let value = text.parse().ok().filter(|value| digits && (least..=most).contains(value));
        let wrong = || {
            BadPlayer::Spec(format!(
                "player {}: {name} '{text}' is not a number from {least} to {most}",
                self.kind
            ))
        };
        value.ok_or_else(wrong).map(Some)
    }

    /// One of these words; none if it is not given.
    pub fn choice(
        &self,
        name: &str,
        words: &'static [&'static str],
    ) -> Result<Option<&'static str>, BadPlayer> {
        let Some(text) = self.option(name) else { return Ok(None) };
        let found = words.iter().copied().find(|word| *word == text);
        let wrong = || {
            BadPlayer::Spec(format!(
                "player {}: {name} '{text}' is not one of {}",
                self.kind,
                words.join(", ")
            ))
        };
        found.ok_or_else(wrong).map(Some)
    }

    /// The value of a duration; none if it is not given.
    pub fn time(&self, name: &str) -> Result<Option<Duration>, BadPlayer> {
        let Some(text) = self.option(name) else { return Ok(None) };
        let wrong = || {
            BadPlayer::Spec(format!(
                "player {}: {name} '{text}' is not a time like 500ms, 5s or 2m",
                self.kind
            ))
        };
        duration(text).ok_or_else(wrong).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_options_are_read_in_any_case_and_names_stay_as_they_are() {
        let spec: PlayerSpec = "Minimax:Depth=4@Anna".parse().expect("a spec");
        assert_eq!(spec.to_string(), "minimax:depth=4@Anna");
    }

    #[test]
    fn specs_read_back_as_written() {
        for text in
            ["human", "minimax:depth=4", "beam:width=100,depth=2,time=30s", "human@Anna Maria", "bad@x:y"]
        {
            assert_eq!(text.parse::<PlayerSpec>().map(|spec| spec.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn bad_specs_say_what_would_be_right() {
        for (text, part) in [
            ("", "a kind is wanted first"),
            (":depth=3", "a kind is wanted first"),
            ("minimax:4", "'4' is not like depth=4"),
            ("minimax:depth=4,", "'' is not like depth=4"),
            ("human@", "after @ a name is wanted"),
        ] {
            let error = text.parse::<PlayerSpec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
