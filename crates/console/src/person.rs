//! A person's turn: asks until the answer is a legal move or one of the words of the board, and says each time what was
//! wrong. It changes nothing: it only finds out what the person wishes. All of it runs on one clock.

use crate::{
    BoardView, Input, Terminal,
    clock::{Flag, shown},
    speech::{item, presentable, prompt, tell},
};
use parlor_play::{Board, Cause, Face, Side, Target, capitalised};
use std::io;

/// Of a line that is no move, this much is shown again.
const LONGEST_QUOTE: usize = 40;

/// What a player wishes to do with the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// This move.
    Move(String),
    /// See the board again.
    Board,
    /// Give up.
    Resign,
    /// End endless play.
    Claim,
    /// Undo.
    Takeback,
    /// Nothing: the flag fell while waiting.
    TimeUp,
    /// Nothing: the player broke down.
    Fail(Cause, String),
    /// Leave the game as it stands.
    Leave,
}

/// How a yes-or-no question was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Yes,
    No,
    TimeUp,
    Leave,
}

/// The person whose turn it is.
pub(crate) struct Person<'a> {
    pub board: &'a dyn Board,
    pub view: &'a BoardView,
    /// When the turn must be over, if the game has clocks.
    pub flag: Option<Flag>,
}

impl Person<'_> {
    /// Asks for the turn's wish. The end of the input resigns.
    pub fn ask(&self, term: &mut dyn Terminal) -> io::Result<Wish> {
        let side = self.board.turn();
        loop {
            let left = self.flag.as_ref().map(Flag::left);
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Wish::TimeUp);
            }
            let clock = left.map_or(String::new(), |left| format!(" [{}]", shown(left)));
            prompt(&format!("{}{clock}, {}:", self.view.name(side), self.board.prompt()), term)?;
            let line = match term.read_line(left)? {
                Input::Line(line) => presentable(&line, LONGEST_QUOTE),
                silence => {
                    term.print("\n")?;
                    return Ok(match silence {
                        Input::TimedOut => Wish::TimeUp,
                        Input::Interrupted => Wish::Leave,
                        Input::Line(_) | Input::End => Wish::Resign,
                    });
                }
            };
            // An empty line is no answer and no mistake.
            if !line.is_empty()
                && let Some(wish) = self.understand(side, &line, term)?
            {
                return Ok(wish);
            }
        }
    }

    fn understand(&self, side: Side, text: &str, term: &mut dyn Terminal) -> io::Result<Option<Wish>> {
        let manners = &self.view.face.manners;
        if is_one_of(text, manners.resign[side.index()]) {
            let question = format!("Do you {}?", manners.give_up[0]);
            return Ok(match agrees(&self.view.face, side, &question, self.flag.as_ref(), term)? {
                Reply::Yes => Some(Wish::Resign),
                Reply::No => None,
                Reply::TimeUp => Some(Wish::TimeUp),
                Reply::Leave => Some(Wish::Leave),
            });
        }
        if is_one_of(text, manners.claim[side.index()]) {
            return Ok(Some(Wish::Claim));
        }
        let first = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        match first.as_str() {
            "help" | "?" => self.help(side, term)?,
            "moves" => self.list_moves(text, term)?,
            "board" => return Ok(Some(Wish::Board)),
            "undo" => return Ok(Some(Wish::Takeback)),
            _ => match self.board.check(text) {
                Ok(text) => return Ok(Some(Wish::Move(text))),
                Err(why) => {
                    let sentence = self.others_word(side, text).unwrap_or(why.0);
                    tell(&format!("{}.", capitalised(&sentence)), term)?;
                }
            },
        }
        Ok(None)
    }

    /// What to say where a word belongs to the other side.
    fn others_word(&self, side: Side, text: &str) -> Option<String> {
        let words = [self.view.face.manners.resign, self.view.face.manners.claim];
        words.iter().find(|words| is_one_of(text, words[side.other().index()]))?;
        let yours: Vec<&str> =
            words.iter().filter_map(|words| words[side.index()].first().copied()).collect();
        Some(format!("'{text}' is the other player's; yours are {}", yours.join(" and ")))
    }

    fn help(&self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        let paths = self.board.paths();
        let further = paths.iter().find(|path| path.len() > 1).map_or(String::new(), |path| {
            let from = &self.view.face.targets[usize::from(path[0])];
            format!("; moves {from} lists those from {from}")
        });
        let manners = &self.view.face.manners;
        let mut lines = vec![
            ("a move", self.board.move_help()),
            ("moves", format!("lists what you can play{further}")),
            ("board", "draws the board again".to_string()),
            ("undo", "takes your move back, if the other agrees (a computer always agrees)".to_string()),
        ];
        if let Some(key) = manners.claim[side.index()].first() {
            lines.push((key, "claims that play goes on endlessly".to_string()));
        }
        if let Some(key) = manners.resign[side.index()].first() {
            lines.push((key, format!("{}s, after a question", manners.give_up[0])));
        }
        for (word, meaning) in lines {
            item(&format!("  {word:8} "), &meaning, term)?;
        }
        Ok(())
    }

    /// `moves` lists the first cells one can touch; `moves d1` goes on from there.
    fn list_moves(&self, text: &str, term: &mut dyn Terminal) -> io::Result<()> {
        let targets = &self.view.face.targets;
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || "-/,".contains(c))
            .skip(1)
            .filter(|word| !word.is_empty())
            .collect();
        let named = |target: &Target| targets[usize::from(*target)].as_str();
        // Case counts only where two names differ by nothing else.
        let means = |target: &Target, word: &str| {
            named(target) == word
                || named(target).eq_ignore_ascii_case(word) && !targets.iter().any(|name| name == word)
        };
        let paths = self.board.paths();
        let begins = |path: &&Vec<Target>| {
            path.len() >= words.len() && path.iter().zip(&words).all(|(target, word)| means(target, word))
        };
        let matching: Vec<&Vec<Target>> = paths.iter().filter(begins).collect();
        let Some(example) = matching.first() else {
            return tell(&format!("No legal move begins with {}.", words.join("-")), term);
        };
        let mut next: Vec<&str> =
            matching.iter().filter_map(|path| path.get(words.len())).map(named).collect();
        next.dedup();
        let moves =
            if matching.len() == 1 { "1 move".to_string() } else { format!("{} moves", matching.len()) };
        let from: Vec<&str> = example[..words.len()].iter().map(named).collect();
        let (from, list) = (from.join("-"), next.join(" "));
        let whole = words.len() + 1 >= example.len();
        tell(
            &match (words.is_empty(), whole) {
                _ if next.is_empty() => format!("{from} is a whole move."),
                (true, true) => format!("{moves}: {list}"),
                (true, false) => format!("{moves}, from {list}"),
                (false, true) => format!("{moves} from {from}: {list}"),
                (false, false) => format!("{moves} from {from}, on to {list}"),
            },
            term,
        )
    }
}

/// Single letters count by case, longer words in any case.
fn is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| *word == text || word.len() > 1 && word.eq_ignore_ascii_case(text))
}

/// A yes or no in the words of a side, asked until it is one of them. The end of the input is a no.
pub(crate) fn agrees(
    face: &Face,
    side: Side,
    question: &str,
    flag: Option<&Flag>,
    term: &mut dyn Terminal,
) -> io::Result<Reply> {
    let (yes, no) = (face.manners.yes[side.index()], face.manners.no[side.index()]);
    let first = |words: &[&'static str]| words.first().copied().unwrap_or_default();
    loop {
        let left = flag.map(Flag::left);
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
                    Input::Interrupted => Reply::Leave,
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
            tell(&format!("Please answer {} for yes or {} for no.", first(yes), first(no)), term)?;
        }
    }
}
