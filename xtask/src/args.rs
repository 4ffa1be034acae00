//! The arguments of a task. Options may come in any place; an unknown argument is an error before
//! the task starts.

use std::{collections::VecDeque, fmt};

/// A wrong argument, described in one line.
#[derive(Debug)]
pub struct Usage(String);

impl Usage {
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

    /// No arguments.
    pub fn none() -> Args {
        Args(VecDeque::new())
    }

    /// Takes `--name 12` or `--name=12` out.
    pub fn number(&mut self, name: &str) -> Result<Option<u64>, Usage> {
        let Some(word) = self.word(name)? else { return Ok(None) };
        word.parse().map(Some).map_err(|_| Usage(format!("{name} needs a number")))
    }

    /// Takes `--name a,b` out, each part read by `read`; `form` says what one looks like. None
    /// where the option is absent.
    pub fn list<T>(
        &mut self,
        name: &str,
        form: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<Vec<T>>, Usage> {
        let Some(word) = self.word(name)? else { return Ok(None) };
        let parts: Option<Vec<T>> = word.split(',').map(read).collect();
        parts.map(Some).ok_or_else(|| Usage(format!("{name} needs {form}, not '{word}'")))
    }

    /// Takes an amount of memory such as `--name 8G` or `--name=512M` out, in MiB.
    pub fn mib(&mut self, name: &str) -> Result<Option<usize>, Usage> {
        let amounts = self.list(name, "an amount like 8G or 512M", mib)?;
        Ok(amounts.and_then(|amounts| amounts.first().copied()))
    }

    /// Takes `--name` out; returns whether it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|word| word == name);
        at.and_then(|at| self.0.remove(at)).is_some()
    }

    /// Takes `--name word` or `--name=word` out.
    fn word(&mut self, name: &str) -> Result<Option<String>, Usage> {
        let with_value = |word: &String| {
            word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        let Some(at) = self.0.iter().position(with_value) else { return Ok(None) };
        let word = self.0.remove(at).unwrap_or_default();
        let value = match word.split_once('=') {
            Some((_, value)) => Some(value.to_string()),
            None => self.0.remove(at),
        };
        value.map(Some).ok_or_else(|| Usage(format!("{name} needs a value")))
    }

    /// Takes `--name`, `--name 12` or `--name=12` out; without a number it is `usual`.
    pub fn flag_or_number(&mut self, name: &str, usual: u64) -> Result<Option<u64>, Usage> {
        let Some(at) = self.0.iter().position(|word| word == name) else { return self.number(name) };
        if self.0.get(at + 1).is_some_and(|next| next.parse::<u64>().is_ok()) {
            return self.number(name);
        }
        self.0.remove(at);
        Ok(Some(usual))
    }

    /// The remaining arguments as names of a list, in the order given; the whole list if there are
    /// none.
    pub fn some_of(self, what: &str, known: &[&'static str]) -> Result<Vec<&'static str>, Usage> {
        if self.0.is_empty() {
            return Ok(known.to_vec());
        }
        let find = |word: &String| known.iter().copied().find(|name| name == word);
        let named = |word| {
            find(word).ok_or_else(|| {
                Usage(format!("unknown {what} '{word}'; expected one of: {}", known.join(", ")))
            })
        };
        self.0.iter().map(named).collect()
    }

    /// An error if an argument remains.
    pub fn done(self) -> Result<(), Usage> {
        match self.0.front() {
            None => Ok(()),
            Some(word) => Err(Usage(format!("unknown argument '{word}'"))),
        }
    }
}

fn mib(word: &str) -> Option<usize> {
    let gib = word.strip_suffix('G').and_then(|number| number.parse::<usize>().ok()?.checked_mul(1024));
    gib.or_else(|| word.strip_suffix('M')?.parse().ok()).filter(|&mib| mib > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Args {
        Args::new(text.split_whitespace().map(String::from))
    }

    #[test]
    fn options_may_come_in_any_place() {
        let mut given = args("a --seconds 5 b --seed=7");
        assert_eq!(given.number("--seconds").ok(), Some(Some(5)));
        assert_eq!(given.number("--seed").ok(), Some(Some(7)));
        assert_eq!(given.number("--games").ok(), Some(None));
        assert_eq!(given.some_of("letter", &["b", "a"]).ok(), Some(vec!["a", "b"]));
    }

    #[test]
    fn reads_lists_and_flags() {
        let mut given = args("--sizes 7,8 a --keep");
        assert_eq!(given.list("--sizes", "numbers", |word| word.parse().ok()).ok(), Some(Some(vec![7, 8])));
        assert!(given.flag("--keep") && !given.flag("--keep"));
        assert!(args("--sizes 7,x").list("--sizes", "numbers", |word| word.parse::<u32>().ok()).is_err());
        assert!(given.some_of("letter", &["a"]).is_ok());
    }

    #[test]
    fn reads_amounts_of_memory_with_their_unit() {
        for (text, amount) in [("--memory 8G", Some(8192)), ("--memory=512M a", Some(512)), ("a", None)] {
            assert_eq!(args(text).mib("--memory").ok(), Some(amount), "{text}");
        }
        assert!(args("--memory 8").mib("--memory").is_err() && args("--memory 0G").mib("--memory").is_err());
    }

    #[test]
    fn a_flag_may_have_no_number() {
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
    fn refuses_wrong_arguments() {
        assert!(args("--seed x").number("--seed").is_err());
        assert!(args("--seed").number("--seed").is_err());
        assert!(args("c").some_of("letter", &["a"]).is_err());
        assert!(args("c").done().is_err());
        assert_eq!(args("").some_of("letter", &["a"]).ok(), Some(vec!["a"]));
    }
}
