//! The words after a chore's name. Options may stand anywhere; what is not understood is refused before anything is done.

use std::{collections::VecDeque, fmt};

/// Words that make no sense, in one line.
#[derive(Debug)]
pub struct Usage(String);

impl Usage {
    /// A sentence of a chore's own.
    pub fn new(what: &str) -> Usage {
        Usage(what.to_string())
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

#[derive(Clone)]
pub struct Args(VecDeque<String>);

impl Args {
    pub fn new(words: impl Iterator<Item = String>) -> Args {
        Args(words.collect())
    }

    /// Takes `--name 12` or `--name=12` out.
    pub fn number(&mut self, name: &str) -> Result<Option<u64>, Usage> {
        let with_value = |word: &String| {
            word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        let Some(at) = self.0.iter().position(with_value) else { return Ok(None) };
        let word = self.0.remove(at).unwrap_or_default();
        let value = match word.split_once('=') {
            Some((_, value)) => Some(value.to_string()),
            None => self.0.remove(at),
        };
        let number = value.as_ref().and_then(|value| value.parse().ok());
        number.map(Some).ok_or_else(|| Usage(format!("{name} wants a number")))
    }

    /// Takes `--name`, `--name 12` or `--name=12` out; without a number it means the usual one.
    pub fn flag_or_number(&mut self, name: &str, usual: u64) -> Result<Option<u64>, Usage> {
        let Some(at) = self.0.iter().position(|word| word == name) else { return self.number(name) };
        if self.0.get(at + 1).is_some_and(|next| next.parse::<u64>().is_ok()) {
            return self.number(name);
        }
        self.0.remove(at);
        Ok(Some(usual))
    }

    /// All words as they were given.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// What is left: names out of a list, in the order given; the whole list if there are none.
    pub fn some_of(self, what: &str, known: &[&'static str]) -> Result<Vec<&'static str>, Usage> {
        if self.0.is_empty() {
            return Ok(known.to_vec());
        }
        let find = |word: &String| known.iter().copied().find(|name| name == word);
        let named = |word| {
            find(word).ok_or_else(|| Usage(format!("there is no {what} '{word}', only {}", known.join(", "))))
        };
        self.0.iter().map(named).collect()
    }

    /// Nothing may be left.
    pub fn done(self) -> Result<(), Usage> {
        match self.0.front() {
            None => Ok(()),
            Some(word) => Err(Usage(format!("'{word}' is not understood"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Args {
        Args::new(text.split_whitespace().map(String::from))
    }

    #[test]
    fn options_are_taken_out_wherever_they_stand() {
        let mut given = args("a --seconds 5 b --seed=7");
        assert_eq!(given.number("--seconds").ok(), Some(Some(5)));
        assert_eq!(given.number("--seed").ok(), Some(Some(7)));
        assert_eq!(given.number("--games").ok(), Some(None));
        assert_eq!(given.some_of("letter", &["b", "a"]).ok(), Some(vec!["a", "b"]));
    }

    #[test]
    fn a_flag_may_go_without_its_number() {
        for (text, number) in
            [("a --check", Some(5)), ("--check a", Some(5)), ("--check 7 a", Some(7)), ("a", None)]
        {
            let mut given = args(text);
            assert_eq!(given.flag_or_number("--check", 5).ok(), Some(number), "{text}");
            assert_eq!(given.some_of("letter", &["b", "a"]).ok(), Some(vec!["a"]), "{text}");
        }
        assert!(args("--check=x").flag_or_number("--check", 5).is_err());
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(args("--seed x").number("--seed").is_err());
        assert!(args("--seed").number("--seed").is_err());
        assert!(args("c").some_of("letter", &["a"]).is_err());
        assert!(args("c").done().is_err());
        assert_eq!(args("").some_of("letter", &["a"]).ok(), Some(vec!["a"]));
    }
}
