//! A layer's file made of any bytes, or a right one changed in places, cut or lengthened: opening and verifying it never panics,
//! and what they let pass says nothing but the truth.
//!
//! ```text
//!   first byte       0 mod 4       the other bytes are the file
//!                    otherwise     the right file, with the length of the next two bytes where bit 2 is set; then three bytes
//!                                  a change: where (two), and what to turn over
//!                    bit 3         the checksum of the beginning is made to fit, so that what it covers is looked at too
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_games::kalah::Kalah;
use parlor_play::Game;
use parlor_tables::{Forward, Plan, Table, Work, build, folder, verify};
use std::{
    fs,
    path::PathBuf,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64},
    },
};

/// A small table, because every layer is verified by threads of its own, and those are slow to start with the sanitizer.
const TOP: u32 = 3;
/// The layer whose file is changed: others are above it and below it.
const CHANGED: &str = "02.layer";

/// What every run starts from.
struct Right {
    game: Kalah,
    dir: PathBuf,
    file: PathBuf,
    bytes: Vec<u8>,
    /// The same table, never written to a disk.
    table: Table<Kalah>,
}

fn right() -> &'static Right {
    static RIGHT: OnceLock<Right> = OnceLock::new();
    RIGHT.get_or_init(|| {
        let game = Kalah::new(&[2, 1, 0]).expect("a game");
        // Each process has a folder of its own, away from what is kept.
        let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/table_file");
        let dir = dir.join(std::process::id().to_string());
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = Work { threads: 1, stop: &stop, done: &done };
        build(&game, &Plan { dir: &dir, up_to: TOP, memory: 1 << 30 }, &Forward, &work, &mut |_| ())
            .expect("a table");
        let file = folder(&game, &dir).join(CHANGED);
        let bytes = fs::read(&file).expect("its bytes");
        let table = Table::in_memory(&game, TOP, &Forward, &work).expect("not stopped");
        Right { game, dir, file, bytes, table }
    })
}

/// The file that the input describes.
fn made(data: &[u8], right: &[u8]) -> Option<Vec<u8>> {
    let (&kind, mut rest) = data.split_first()?;
    let mut bytes = rest.to_vec();
    if kind % 4 != 0 {
        bytes = right.to_vec();
        if kind & 4 != 0 {
            let (len, changes) = rest.split_first_chunk()?;
            bytes.resize(usize::from(u16::from_le_bytes(*len)), 0);
            rest = changes;
        }
        for change in rest.chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len().max(1);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= change[2];
            }
        }
    }
    if kind & 8 != 0 {
        fit_checksum(&mut bytes);
    }
    Some(bytes)
}

/// Where the entries begin, the file says itself; the checksum covers all before but its own four bytes.
fn fit_checksum(bytes: &mut [u8]) {
    let Some(begin) = bytes.get(16..24).and_then(|begin| begin.try_into().ok()).map(u64::from_le_bytes)
    else {
        return;
    };
    let Some(front) =
        usize::try_from(begin).ok().filter(|&begin| begin >= 16).and_then(|at| bytes.get_mut(..at))
    else {
        return;
    };
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&front[..12]);
    hasher.update(&front[16..]);
    front[12..16].copy_from_slice(&hasher.finalize().to_le_bytes());
}

fuzz_target!(|data: &[u8]| {
    let right = right();
    let Some(bytes) = made(data, &right.bytes) else { return };
    fs::write(&right.file, &bytes).expect("written");
    let Ok(table) = Table::open(&right.game, &right.dir) else {
        assert_ne!(bytes, right.bytes, "the right file was refused");
        return;
    };
    assert_eq!(table.top(), TOP);
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    match verify(&table, None, &Work { threads: 1, stop: &stop, done: &done }) {
        Ok(_) => assert_eq!(table.layers(), right.table.layers()),
        Err(_) => assert_ne!(bytes, right.bytes, "the right table was called wrong"),
    }
});
