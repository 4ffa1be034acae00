//! Tokens that hold seats, and ids of games. A client that sends a seat's token acts for the seat. The store has only a hash of the token
//! and the game's id, so a stolen database gives no access, and hashes do not reveal that two games have the same player.

use sha2::{Digest, Sha256};
use std::fmt;

/// Characters of ids: no vowels, so that no id is a word, and no characters that look alike.
const LETTERS: &[u8; 32] = b"23456789bcdfghjkmnpqrstvwxzBCDFG";
const ID_LENGTH: usize = 10;
const SECRET_BYTES: usize = 16;

/// A secret of 128 bits, as 32 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct SeatToken(String);

impl fmt::Debug for SeatToken {
    /// Hides the secret, for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl SeatToken {
    /// A new random token; `None` if the system has no random numbers.
    pub fn new() -> Option<SeatToken> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes).ok()?;
        Some(SeatToken(hex::encode(bytes)))
    }

    /// Parses a token; `None` if the text cannot be one.
    pub fn parse(text: &str) -> Option<SeatToken> {
        let fits = text.len() == 2 * SECRET_BYTES
            && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        fits.then(|| SeatToken(text.to_string()))
    }

    /// Hash of the token and the game's id, for the store.
    pub fn hash(&self, game: &str) -> String {
        hex::encode(Sha256::new().chain_update(game).chain_update([0]).chain_update(&self.0).finalize())
    }

    /// The invitation to the other seat. It is derived from the token, so only its holder can compute it again.
    #[must_use]
    pub fn invitation(&self, game: &str) -> SeatToken {
        let digest =
            Sha256::new().chain_update("invitation\0").chain_update(self.hash(game)).chain_update(&self.0);
        SeatToken(hex::encode(&digest.finalize()[..SECRET_BYTES]))
    }

    /// Returns the secret, which only its holder may see.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// A new random game id; `None` if the system has no random numbers.
pub fn new_game_id() -> Option<String> {
    let mut bytes = [0; ID_LENGTH];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// Whether a text has the form of a game id.
pub fn is_game_id(text: &str) -> bool {
    text.len() == ID_LENGTH && text.bytes().all(|b| LETTERS.contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_round_trip_and_differ() {
        let (one, other) = (SeatToken::new().expect("randomness"), SeatToken::new().expect("randomness"));
        assert_ne!(one, other);
        assert_eq!(SeatToken::parse(one.reveal()), Some(one.clone()));
        for bad in ["", "x", &"g".repeat(32), &"A".repeat(32), &format!("{} ", &one.reveal()[1..])] {
            assert_eq!(SeatToken::parse(bad), None, "{bad}");
        }
        assert_eq!(format!("{one:?}"), "Token(…)");
    }

    #[test]
    fn a_hash_belongs_to_one_game_and_an_invitation_to_one_holder() {
        let (one, other) = (SeatToken::new().expect("randomness"), SeatToken::new().expect("randomness"));
        assert_ne!(one.hash("a"), one.hash("b"));
        assert_ne!(one.hash("a"), other.hash("a"));
        assert_eq!(one.invitation("a"), one.invitation("a"));
        assert_ne!(one.invitation("a"), other.invitation("a"));
        assert_ne!(one.invitation("a"), one);
    }

    #[test]
    fn new_ids_have_the_form_of_ids() {
        let name = new_game_id().expect("randomness");
        assert!(is_game_id(&name), "{name}");
        assert!(!is_game_id("../../etc/"), "no path");
    }
}
