//! A person's turn: asks until the answer is a legal move or one of the words of the board, and says each time what was
//! wrong. It changes nothing: it only finds out what the person wishes.

use crate::{
    Heard, Terminal,
    clock::shown,
    paint::{faint, strong},
};
use parlor_play::{Board, Cause, Face, Side, Target};
use std::{io, time::Duration};

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

/// Asks the person whose turn it is. The end of the input resigns.
pub(crate) fn ask(
    board: &dyn Board,
    face: &Face,
    names: &[String; 2],
    left: Option<Duration>,
    term: &mut dyn Terminal,
) -> io::Result<Wish> {
    let side = board.turn();
    let clock = left.map_or(String::new(), |left| format!(" [{}]", shown(left)));
    let prompt = format!("{}{clock}, {}: ", names[side.index()], board.prompt());
    loop {
        term.say(&strong(&prompt, term.colours()))?;
        let line = match term.hear(left)? {
            Heard::Line(line) => line,
            Heard::TimedOut => {
                term.say("\n")?;
                return Ok(Wish::TimeUp);
            }
            Heard::End => {
                term.say("\n")?;
                return Ok(Wish::Resign);
            }
        };
        if let Some(wish) = understand(board, face, side, line.trim(), term)? {
            return Ok(wish);
        }
    }
}

fn understand(
    board: &dyn Board,
    face: &Face,
    side: Side,
    text: &str,
    term: &mut dyn Terminal,
) -> io::Result<Option<Wish>> {
    let manners = &face.manners;
    let own = |words: &[&[&str]; 2]| words[side.index()].contains(&text);
    if own(&manners.resign) {
        return Ok(agrees(face, side, "Do you give up?", term)?.then_some(Wish::Resign));
    }
    if own(&manners.claim) {
        return Ok(Some(Wish::Claim));
    }
    match text.split_whitespace().next() {
        Some("help" | "?") => help(board, face, side, term)?,
        Some("moves") => list_moves(board, face, text, term)?,
        Some("board") => return Ok(Some(Wish::Board)),
        Some("undo") => return Ok(Some(Wish::Takeback)),
        _ => match board.check(text) {
            Ok(text) => return Ok(Some(Wish::Move(text))),
            Err(why) => {
                let other = |words: &[&[&str]; 2]| words[side.other().index()].contains(&text);
                let sentence = if other(&manners.resign) || other(&manners.claim) {
                    let yours =
                        [manners.resign, manners.claim].map(|words| words[side.index()].first().copied());
                    let yours: Vec<&str> = yours.into_iter().flatten().collect();
                    format!("'{text}' is the other player's; yours are {}", yours.join(" and "))
                } else {
                    why.0
                };
                term.say(&format!("{}.\n", capitalised(&sentence)))?;
            }
        },
    }
    Ok(None)
}

/// A yes or no in the words of a side, asked until it is one of them. The end of the input is a no.
pub(crate) fn agrees(face: &Face, side: Side, question: &str, term: &mut dyn Terminal) -> io::Result<bool> {
    let (yes, no) = (face.manners.yes[side.index()], face.manners.no[side.index()]);
    let first = |words: &[&'static str]| words.first().copied().unwrap_or_default();
    loop {
        term.say(&strong(&format!("{question} ({}/{}) ", first(yes), first(no)), term.colours()))?;
        let Heard::Line(line) = term.hear(None)? else {
            term.say("\n")?;
            return Ok(false);
        };
        let answer = line.trim();
        if yes.contains(&answer) || no.contains(&answer) {
            return Ok(yes.contains(&answer));
        }
        term.say(&format!("Please answer {} for yes or {} for no.\n", first(yes), first(no)))?;
    }
}

fn help(board: &dyn Board, face: &Face, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
    let mut lines = vec![
        ("a move".to_string(), board.prompt()),
        ("moves".to_string(), "lists what you can play; moves X goes on from X".to_string()),
        ("board".to_string(), "draws the board again".to_string()),
        ("undo".to_string(), "takes your last move back, if the other side agrees".to_string()),
    ];
    if let Some(key) = face.manners.claim[side.index()].first() {
        lines.push(((*key).to_string(), "claims that play goes on endlessly".to_string()));
    }
    if let Some(key) = face.manners.resign[side.index()].first() {
        lines.push(((*key).to_string(), "gives the game up".to_string()));
    }
    for (word, meaning) in lines {
        term.say(&format!("  {word:8} {}\n", faint(&meaning, term.colours())))?;
    }
    Ok(())
}

/// `moves` lists the first cells one can touch; `moves d1` goes on from there.
fn list_moves(board: &dyn Board, face: &Face, text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || "-/,".contains(c))
        .skip(1)
        .filter(|word| !word.is_empty())
        .collect();
    let named = |target: &Target| face.targets[usize::from(*target)].as_str();
    let paths = board.paths();
    let begins = |path: &&Vec<Target>| {
        path.len() >= words.len() && path.iter().zip(&words).all(|(target, word)| named(target) == *word)
    };
    let matching: Vec<&Vec<Target>> = paths.iter().filter(begins).collect();
    if matching.is_empty() {
        return term.say(&format!("No legal move begins with {}.\n", words.join("-")));
    }
    let mut next: Vec<&str> = matching.iter().filter_map(|path| path.get(words.len())).map(named).collect();
    next.dedup();
    let count = matching.len();
    let moves = if count == 1 { "1 move".to_string() } else { format!("{count} moves") };
    let list = if next.is_empty() { "this is a whole move".to_string() } else { next.join(" ") };
    term.say(&format!("{moves}: {list}\n"))
}

/// With a capital letter, as a sentence begins.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
