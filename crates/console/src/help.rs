//! Help text, lists of legal moves and yes/no questions for a person at the keyboard. Nothing here changes the game.

use crate::{
    ConsoleSession, Input, Terminal,
    console_session::is_one_of,
    display::{item, print_line, prompt},
    rules::show_rules,
};
use parlor_core::{GameInfo, Side, Target, capitalised};
use parlor_session::Takebacks;
use std::{io, time::Duration};

/// The answer to a yes/no question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Yes,
    No,
    TimeUp,
    Interrupted,
}

impl ConsoleSession<'_> {
    pub(crate) fn help(&self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        let paths = self.session.board().paths();
        let further = paths.iter().find(|path| path.len() > 1).map_or(String::new(), |path| {
            let from = &self.view.info.targets[usize::from(path[0])];
            format!("; moves {from} lists the moves from {from}")
        });
        let keywords = &self.view.info.keywords;
        let undo = match self.session.policy().takebacks {
            Takebacks::LastMove => "takes back the last move, if the other player agrees",
            _ => "takes back your last move, if the other player agrees (computers always agree)",
        };
        let mut lines = vec![
            ("a move", self.session.board().move_help()),
            ("moves", format!("lists the legal moves{further}")),
            ("board", "draws the board again".to_string()),
            ("rules", "prints the rules of the game".to_string()),
            ("undo", undo.to_string()),
            ("abort", "ends the game without a result; only before the second move".to_string()),
        ];
        if let Some(key) = keywords.claim[side.index()].first() {
            lines.push((key, "claims repetition".to_string()));
        }
        if let Some(key) = keywords.resign[side.index()].first() {
            lines.push((key, format!("{}s, after you confirm", keywords.give_up[0])));
        }
        for (word, meaning) in lines {
            item(&format!("  {word:8} "), &meaning, term)?;
        }
        Ok(())
    }

    pub(crate) fn rules(&self, term: &mut dyn Terminal) -> io::Result<()> {
        let spec = &self.view.info.spec;
        match parlor_core::split_spec(spec).and_then(|(name, _)| parlor_catalog::find(name)) {
            Ok(entry) => show_rules(entry, term),
            Err(why) => print_line(&format!("{}.", capitalised(&why.0)), term),
        }
    }

    /// Executes `moves`, which lists the first targets of the legal moves, or `moves d1`, which lists the targets after d1.
    pub(crate) fn list_moves(&self, text: &str, term: &mut dyn Terminal) -> io::Result<()> {
        let targets = &self.view.info.targets;
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || "-/,".contains(c))
            .skip(1)
            .filter(|word| !word.is_empty())
            .collect();
        let named = |target: &Target| targets[usize::from(*target)].as_str();
        // Case matters only if two names differ by case alone.
        let means = |target: &Target, word: &str| {
            named(target) == word
                || named(target).eq_ignore_ascii_case(word) && !targets.iter().any(|name| name == word)
        };
        let paths = self.session.board().paths();
        let begins = |path: &&Vec<Target>| {
            path.len() >= words.len() && path.iter().zip(&words).all(|(target, word)| means(target, word))
        };
        let matching: Vec<&Vec<Target>> = paths.iter().filter(begins).collect();
        let Some(example) = matching.first() else {
            return print_line(&format!("No legal move begins with {}.", words.join("-")), term);
        };
        let mut next: Vec<&str> =
            matching.iter().filter_map(|path| path.get(words.len())).map(named).collect();
        next.dedup();
        let moves =
            if matching.len() == 1 { "1 move".to_string() } else { format!("{} moves", matching.len()) };
        let from: Vec<&str> = example[..words.len()].iter().map(named).collect();
        let (from, list) = (from.join("-"), next.join(" "));
        let is_last = words.len() + 1 >= example.len();
        print_line(
            &match (words.is_empty(), is_last) {
                _ if next.is_empty() => format!("{from} is a complete move."),
                (true, true) => format!("{moves}: {list}"),
                (true, false) => format!("{moves}, from {list}"),
                (false, true) => format!("{moves} from {from}: {list}"),
                (false, false) => format!("{moves} from {from}, to {list}"),
            },
            term,
        )
    }
}

/// Asks a yes/no question in the keywords of a side until the answer is one of them or the time is up. The end of the input means
/// no.
pub(crate) fn ask_yes_or_no(
    info: &GameInfo,
    side: Side,
    question: &str,
    left: &dyn Fn() -> Option<Duration>,
    term: &mut dyn Terminal,
) -> io::Result<Reply> {
    let (yes, no) = (info.keywords.yes[side.index()], info.keywords.no[side.index()]);
    let first = |words: &[&'static str]| words.first().copied().unwrap_or_default();
    loop {
        let left = left();
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(Reply::TimeUp);
        }
        prompt(&format!("{question} ({}/{})", first(yes), first(no)), term)?;
        let line = match term.read_line(left)? {
            Input::Line(line) => line,
            silence => {
                term.print("\n")?;
                return Ok(match silence {
                    Input::TimedOut => Reply::TimeUp,
                    Input::Interrupted => Reply::Interrupted,
                    Input::Line(_) | Input::End => Reply::No,
                });
            }
        };
        let answer = line.trim();
        if is_one_of(answer, yes) {
            return Ok(Reply::Yes);
        }
        if is_one_of(answer, no) {
            return Ok(Reply::No);
        }
        if !answer.is_empty() {
            print_line(&format!("Please answer {} for yes or {} for no.", first(yes), first(no)), term)?;
        }
    }
}
