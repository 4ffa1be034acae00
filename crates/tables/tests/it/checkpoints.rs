//! Checkpoints of long proofs: written atomically, refused if any bit is wrong, and never accepted for another proof.

use crate::common::PILES;
use parlor_core::{Bounds, Margin};
use parlor_tables::{BadCheckpoint, Checkpoint, Checkpoints};
use parlor_testkit::temp_folder;
use std::{fs, time::Duration};

fn checkpoint(words: usize) -> Checkpoint {
    let words = (0..words as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    let bounds = Bounds { lo: Margin(-7), hi: Margin(300) };
    Checkpoint { bounds, nodes: 1 << 40, time: Duration::from_millis(98_765_432), words }
}

#[test]
fn what_was_kept_last_is_there_after_everything_is_closed() {
    let dir = temp_folder();
    for words in [0, 5, 1000] {
        let proof = Checkpoints::in_folder(&dir, &PILES, "the start").expect("a folder");
        proof.keep(&checkpoint(words)).expect("kept");
        drop(proof);
        let again = Checkpoints::in_folder(&dir, &PILES, "the start").expect("a folder");
        assert_eq!(again.last(), Ok(Some(checkpoint(words))));
    }
}

#[test]
fn an_empty_folder_has_nothing_and_a_second_prover_is_kept_out() {
    let temporary = temp_folder();
    let dir = temporary.join("not").join("yet");
    let proof = Checkpoints::in_folder(&dir, &PILES, "the start").expect("a folder");
    assert_eq!(proof.last(), Ok(None));
    let second = Checkpoints::in_folder(&dir, &PILES, "the start").expect_err("one at a time");
    assert_eq!(second, BadCheckpoint::Busy(dir));
}

#[test]
fn every_flipped_bit_is_found() {
    let dir = temp_folder();
    let proof = Checkpoints::in_folder(&dir, &PILES, "the start").expect("a folder");
    proof.keep(&checkpoint(6)).expect("kept");
    let file = dir.join("proof");
    let whole = fs::read(&file).expect("bytes");
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            fs::write(&file, &bytes).expect("written");
            assert!(proof.last().is_err(), "byte {at}, bit {bit}");
        }
        fs::write(&file, &whole[..at]).expect("written");
        assert!(proof.last().is_err(), "{at} bytes");
    }
}

#[test]
fn the_proof_of_something_else_is_refused_with_its_name() {
    let dir = temp_folder();
    let proof = Checkpoints::in_folder(&dir, &PILES, "the start after 1 2").expect("a folder");
    proof.keep(&checkpoint(1)).expect("kept");
    drop(proof);
    let other = Checkpoints::in_folder(&dir, &PILES, "the start").expect("a folder");
    let refused = other.last().expect_err("another proof").to_string();
    assert!(refused.contains("the start after 1 2; choose another folder"), "{refused}");
}
