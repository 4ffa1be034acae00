//! Storage of finished games. A game counts once its ledger has stored it: a ledger on disk returns only when the games are
//! there.

use crate::{Delays, Played, Slot};
use parlor_core::{Record, Side};
use parlor_session::{Remaining, Violation};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    pub slot: Slot,
    /// The moves and the result.
    pub record: Record,
    /// Total time charged to each side.
    pub thought: [Duration; 2],
    /// Processor time of each side in all; none where it was not measured.
    pub cpu: [Option<Duration>; 2],
    /// The violation by which the game ended, if by one.
    pub violation: Option<Violation>,
    /// What each side had left at the end; none without a clock, and for games of an earlier run.
    pub remaining: [Option<Remaining>; 2],
    /// What the players' programs wrote on standard error, in a game that ended by a violation: hostile text.
    pub asides: [String; 2],
    /// The referee's own delays; empty for games of an earlier run.
    pub delays: Delays,
}

impl LedgerEntry {
    pub(crate) fn new(slot: Slot, played: Played, asides: [String; 2]) -> LedgerEntry {
        let Played { record, thought, cpu, violation, remaining, delays } = played;
        LedgerEntry { slot, record, thought, cpu, violation, remaining, asides, delays }
    }

    /// What the first side got, in half points; none without an outcome.
    pub fn halves(&self) -> Option<u8> {
        let outcome = self.record.ending?.outcome?;
        Some(match outcome.winner {
            None => 1,
            Some(Side::First) => 2,
            Some(Side::Second) => 0,
        })
    }
}

/// Why a game could not be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotKept(pub String);

/// Stores finished games.
pub trait Ledger {
    /// The games kept by earlier runs, in any order.
    fn kept(&mut self) -> Result<Vec<LedgerEntry>, NotKept>;
    /// Keeps these games: they are safe when this returns.
    fn keep(&mut self, entries: &[LedgerEntry]) -> Result<(), NotKept>;
    /// Forgets the games of these numbers: they are to be played again.
    fn forget(&mut self, numbers: &[u64]) -> Result<(), NotKept>;
}

/// A ledger for as long as the program runs: the games, as they were kept.
#[derive(Debug, Default)]
pub struct MemoryLedger(pub Vec<LedgerEntry>);

impl Ledger for MemoryLedger {
    fn kept(&mut self) -> Result<Vec<LedgerEntry>, NotKept> {
        Ok(self.0.clone())
    }

    fn keep(&mut self, entries: &[LedgerEntry]) -> Result<(), NotKept> {
        self.0.extend_from_slice(entries);
        Ok(())
    }

    fn forget(&mut self, numbers: &[u64]) -> Result<(), NotKept> {
        self.0.retain(|entry| !numbers.contains(&entry.slot.number));
        Ok(())
    }
}
