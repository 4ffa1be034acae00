//! Sanitises untrusted text before it is shown: names, answers and standard error of programs, files of other people. Sanitised
//! text moves no cursor, changes no colour and hides nothing.
//!
//! [`sanitized`] is the one sanitiser in front of every terminal. The binary applies it where it writes, so a command cannot
//! forget it.

use std::borrow::Cow;

/// Whether a character is invisible: control characters (C0, DEL, C1), line and paragraph separators, the controls of the
/// bidirectional algorithm, and characters that Unicode calls default-ignorable, which make two texts look the same. Variation
/// selectors are not among them: they belong to ordinary emoji.
pub fn is_unseen(c: char) -> bool {
    let hidden = matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'
            ..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    );
    hidden || c.is_control()
}

/// The text with an escape for each character that [`is_unseen`], except line ends. The escapes are those of JSON, so a line of
/// JSON keeps its meaning. A text that was sanitised before stays as it is.
///
/// # Examples
///
/// ```
/// assert_eq!(parlor_core::sanitized("a\u{1b}[2J\n\u{9b}\u{202e}\t"), "a\\u001b[2J\n\\u009b\\u202e\\t");
/// ```
pub fn sanitized(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_unseen(c))
}

/// Like [`sanitized`], for text shown in one line: its line ends are escaped too.
///
/// # Examples
///
/// ```
/// assert_eq!(parlor_core::sanitized_line("a\nparlor: forged"), "a\\nparlor: forged");
/// ```
pub fn sanitized_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_unseen)
}

fn escaped(text: &str, is_unsafe: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !is_unsafe(c) => whole.push(c),
            '\n' => whole.push_str("\\n"),
            '\r' => whole.push_str("\\r"),
            '\t' => whole.push_str("\\t"),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    whole.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    Cow::Owned(whole)
}

/// At most `most` characters of a text, with U+FFFD for each that [`is_unseen`]. No text becomes a legal move by this.
///
/// # Examples
///
/// ```
/// assert_eq!(parlor_core::harmless("\u{1b}[2J3", 4), "\u{fffd}[2J");
/// ```
pub fn harmless(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if is_unseen(c) { '\u{fffd}' } else { c }).collect()
}

/// At most `most` characters of a text, the last of them `…` where it was cut. Untrusted texts may be long; a sentence about
/// one need not be.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_and_format_character_is_escaped_and_letters_of_all_scripts_stay() {
        let controls = (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32);
        let formats = "\u{ad}\u{61c}\u{200e}\u{202a}\u{202e}\u{2066}\u{2069}\u{feff}\u{fff9}\u{e0041}";
        for c in controls.chain(formats.chars()) {
            let text = sanitized_line(c.encode_utf8(&mut [0; 4])).into_owned();
            assert!(text.starts_with('\\') && text.is_ascii(), "{c:?} became {text}");
        }
        for text in ["Ångström ½ × 日本語 عربي ❤\u{fe0f}", "a\\u001b", ""] {
            assert!(matches!(sanitized(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn a_character_outside_the_first_plane_becomes_two_units_as_in_json() {
        assert_eq!(sanitized("\u{e0041}"), "\\udb40\\udc41");
    }
}
