//! Text from anybody, made fit to be shown: names, answers and last words of programs, files of others. It moves no cursor, turns
//! no line round and fills no screen.

/// Whether a character has no shape of its own: control characters, and those that turn the direction of a text or join what
/// looks the same to something else.
pub fn is_unseen(c: char) -> bool {
    let hidden =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    hidden || c.is_control()
}

/// At most so many characters of a text, with a mark for each that is not seen: what was no move before is none after it.
///
/// ```
/// assert_eq!(parlor_play::harmless("\u{1b}[2J3", 4), "\u{fffd}[2J");
/// ```
pub fn harmless(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if is_unseen(c) { '\u{fffd}' } else { c }).collect()
}

/// At most so many characters of a text, the last of them `…` where it was cut. Hostile texts may be long; a sentence about
/// one need not be.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
