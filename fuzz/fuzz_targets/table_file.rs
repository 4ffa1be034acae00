//! The file of a table layer: arbitrary bytes, or a valid file (plain or packed) that is changed, truncated or
//! extended. Opening, probing and verifying it must never panic, and a verified file must have only correct values.
//! Probes before the verification may be wrong only in a plain layer, or if checksums were recomputed.
//!
//! ```text
//!   first byte       0 mod 4       the other bytes are the file
//!                    otherwise     the valid file, with the length of the next two bytes if bit 2 is set; then three bytes
//!                                  per change: the offset (two), and the bits to flip
//!                    bit 3         the checksum of the header is recomputed, so that the changed header is read
//!                    bit 4         the valid file is the packed one
//!                    bit 5         the checksum of its block is recomputed too, so that the changed block is unpacked
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_core::{Game, Indexed, Oracle};
use parlor_games::kalah::Kalah;
use parlor_tables::{BuildPlan, EndgameTable, Form, Forward, Work, build_as, folder, verify};
use std::{
    fs,
    path::PathBuf,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64},
    },
};

/// The highest layer. The table is small because every layer is verified by new threads, which start slowly under
/// the sanitizer.
const TOP: u32 = 3;
/// The layer whose file is changed. There are layers above and below it.
const CHANGED: &str = "02.layer";

/// The valid table that every run starts from.
struct Right {
    game: Kalah,
    /// For each form, the folder, the file to change and its valid content.
    forms: [Kept; 2],
    /// The same table in memory only.
    table: EndgameTable<Kalah>,
}

struct Kept {
    dir: PathBuf,
    file: PathBuf,
    bytes: Vec<u8>,
}

fn right() -> &'static Right {
    static RIGHT: OnceLock<Right> = OnceLock::new();
    RIGHT.get_or_init(|| {
        let game = Kalah::new(&[2, 1, 0]).expect("a game");
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = Work { threads: 1, stop: &stop, done: &done };
        let forms = [Form::Plain, Form::Packed].map(|form| kept(&game, form, &work));
        let table = EndgameTable::in_memory(&game, TOP, &Forward, &work).expect("not stopped");
        Right { game, forms, table }
    })
}

fn kept(game: &Kalah, form: Form, work: &Work<'_>) -> Kept {
    // Each process has its own folder.
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/table_file");
    let dir = dir.join(format!("{}-{form:?}", std::process::id()));
    let plan = BuildPlan { dir: &dir, up_to: TOP, memory: 1 << 30 };
    build_as(form, game, &plan, &Forward, work, &mut |_| ()).expect("a table");
    let file = folder(game, &dir).join(CHANGED);
    let bytes = fs::read(&file).expect("its bytes");
    Kept { dir, file, bytes }
}

/// The corrupted file that the input describes.
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
    if kind & 32 != 0 {
        fit_block(&mut bytes);
    }
    if kind & 8 != 0 {
        fit_checksum(&mut bytes);
    }
    Some(bytes)
}

/// Offset of the first block, from the file's header.
fn begin(bytes: &[u8]) -> Option<usize> {
    let begin = bytes.get(16..24)?.try_into().ok().map(u64::from_le_bytes)?;
    usize::try_from(begin).ok().filter(|&begin| begin >= 24 && begin <= bytes.len())
}

/// Recomputes the checksum of the only block of a packed file. The block extends to the end of the file, after its
/// checksum and length.
fn fit_block(bytes: &mut [u8]) {
    let Some((front, block)) = begin(bytes).and_then(|at| bytes.split_at_mut_checked(at)) else { return };
    let at = front.len() - 8;
    front[at..at + 4].copy_from_slice(&crc32fast::hash(block).to_le_bytes());
    front[at + 4..].copy_from_slice(&(block.len() as u32).to_le_bytes());
}

/// Recomputes the checksum of the header, which covers everything before the blocks except its own four bytes.
fn fit_checksum(bytes: &mut [u8]) {
    let Some(front) = begin(bytes).and_then(|at| bytes.get_mut(..at)) else { return };
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&front[..12]);
    hasher.update(&front[16..]);
    front[12..16].copy_from_slice(&hasher.finalize().to_le_bytes());
}

fuzz_target!(|data: &[u8]| {
    let right = right();
    let kind = data.first().copied().unwrap_or(0);
    let kept = &right.forms[usize::from(kind & 16 != 0)];
    let Some(bytes) = made(data, &kept.bytes) else { return };
    fs::write(&kept.file, &bytes).expect("written");
    let Ok(table) = EndgameTable::open(&right.game, &kept.dir) else {
        assert_ne!(bytes, kept.bytes, "the right file was refused");
        return;
    };
    assert_eq!(table.top(), TOP);
    let packed = table.info()[2].form == Some(Form::Packed);
    for pos in (0..right.game.len(2)).filter_map(|index| right.game.position(2, index)) {
        let known = table.probe(&right.game, &pos);
        let told = known.is_none() || known == right.table.probe(&right.game, &pos);
        // In arbitrary bytes a checksum may match by chance, but not after a few changes.
        assert!(told || !packed || kind & 40 != 0 || kind % 4 == 0, "a damaged block was believed");
    }
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    match verify(&table, None, &Work { threads: 1, stop: &stop, done: &done }) {
        Ok(_) => assert_eq!(table.layers(), right.table.layers()),
        Err(_) => assert_ne!(bytes, kept.bytes, "the right table was called wrong"),
    }
});
