//! Storage of finished games. A game counts once its ledger has stored it: a ledger on disk returns after the games are
//! durable.

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
    /// Total processor time of each side; `None` if it was not measured.
    pub cpu: [Option<Duration>; 2],
    /// The violation by which the game ended, if by one.
    pub violation: Option<Violation>,
    /// Remaining time of each side at the end; `None` without a clock, and for games of an earlier run.
    pub remaining: [Option<Remaining>; 2],
    /// Standard error of the players' programs, in a game that ended by a violation: untrusted text.
    pub asides: [String; 2],
    /// The referee's own delays; empty for games of an earlier run.
    pub delays: Delays,
}

impl LedgerEntry {
    pub(crate) fn new(slot: Slot, played: Played, asides: [String; 2]) -> LedgerEntry {
        let Played { record, thought, cpu, violation, remaining, delays } = played;
        LedgerEntry { slot, record, thought, cpu, violation, remaining, asides, delays }
    }

    /// The score of the first side in half points; `None` without an outcome.
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

pub trait Ledger {
    /// The games stored by earlier runs, in any order.
    fn kept(&mut self) -> Result<Vec<LedgerEntry>, NotKept>;
    /// Stores these games; they are durable when this returns.
    fn keep(&mut self, entries: &[LedgerEntry]) -> Result<(), NotKept>;
    /// Deletes the games with these numbers, so that they are played again.
    fn forget(&mut self, numbers: &[u64]) -> Result<(), NotKept>;
}

/// A ledger in memory.
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
