//! Tables on disk: builds resume after every kind of interruption with the same bytes, and files with any wrong bit are
//! refused.

use crate::common::{PILES, Piles, Workshop, layers_in};
use parlor_core::Game;
use parlor_tables::{
    BadTable, BuildPlan, BuildProgress, BuildStage, Built, EndgameTable, Filler, Forward, Work, build,
    folder, verify,
};
use parlor_testkit::temp_folder;
use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

const TOP: u32 = 8;
const PLENTY: u64 = 1 << 30;

fn made(game: &Piles, dir: &Path, up_to: u32) -> Result<Built, BadTable> {
    let workshop = Workshop::default();
    build(game, &BuildPlan { dir, up_to, memory: PLENTY }, &Forward, &workshop.work(2), &mut |_| ())
}

/// Opens and verifies a folder.
fn verified(dir: &Path) -> Result<u32, BadTable> {
    let table = EndgameTable::open(&PILES, dir)?;
    verify(&table, None, &Workshop::default().work(1))?;
    Ok(table.top())
}

#[test]
fn a_built_table_opens_with_the_values_of_one_in_memory() {
    let dir = temp_folder();
    assert!(matches!(EndgameTable::open(&PILES, &dir), Err(BadTable::Missing(_))));
    assert_eq!(made(&PILES, &dir, TOP), Ok(Built { top: Some(TOP), whole: true }));
    let (kept, workshop) = (EndgameTable::open(&PILES, &dir).expect("a table"), Workshop::default());
    let memory = EndgameTable::in_memory(&PILES, TOP, &Forward, &workshop.work(1)).expect("not stopped");
    assert_eq!(kept.layers(), memory.layers());
    assert_eq!(verified(&dir), Ok(TOP));
    let info = kept.info();
    assert_eq!(info.len(), TOP as usize + 1);
    assert_eq!((info[8].positions, info[8].bytes), (25, Some(4096 + 25)));
    assert_ne!(info[8].checksum, info[6].checksum);
}

#[test]
fn every_flipped_bit_is_found() {
    let dir = temp_folder();
    made(&PILES, &dir, 4).expect("built");
    let file = folder(&PILES, &dir).join("04.layer");
    let whole = fs::read(&file).expect("bytes");
    let mut open = fs::OpenOptions::new().write(true).open(&file).expect("a file");
    let mut set = |at: usize, byte: u8| {
        open.seek(SeekFrom::Start(at as u64)).and_then(|_| open.write_all(&[byte])).expect("written");
    };
    for (at, &byte) in whole.iter().enumerate() {
        for bit in 0..8 {
            set(at, byte ^ 1 << bit);
            let found = verified(&dir).expect_err("one bit is not what it was");
            assert!(found.to_string().contains("04.layer"), "bit {bit} of byte {at}: {found}");
        }
        set(at, byte);
    }
    assert_eq!(verified(&dir), Ok(4));
}

#[test]
fn shortened_and_lengthened_files_are_refused() {
    let dir = temp_folder();
    made(&PILES, &dir, 4).expect("built");
    let file = folder(&PILES, &dir).join("04.layer");
    let whole = fs::read(&file).expect("bytes");
    for len in (0..whole.len()).chain([whole.len() + 1, 2 * whole.len()]) {
        let mut bytes = whole.clone();
        bytes.resize(len, 0);
        fs::write(&file, &bytes).expect("written");
        assert!(verified(&dir).is_err(), "{len} bytes");
        assert!(made(&PILES, &dir, 6).is_err(), "nothing is built on {len} bytes");
    }
}

#[test]
fn other_versions_families_layers_and_rules_are_refused_by_name() {
    let dir = temp_folder();
    made(&PILES, &dir, 4).expect("built");
    let quick = Piles { quick: true, ..PILES };
    made(&quick, &dir, 4).expect("built");
    let (own, other) = (folder(&PILES, &dir), folder(&quick, &dir));
    let whole = fs::read(own.join("04.layer")).expect("bytes");
    let mut later = whole.clone();
    later[8] = 3;
    for (bytes, part) in [
        (b"Dear Anna".to_vec(), "it is not a Parlor table; delete it or choose another folder"),
        (later, "unknown format version 3; expected 1 or 2"),
        (fs::read(other.join("04.layer")).expect("bytes"), "it belongs to piles:2,turns=quick, not piles:2"),
        (fs::read(own.join("02.layer")).expect("bytes"), "it is layer 2, not 4"),
        (whole[..4000].to_vec(), "is damaged: the file is truncated; delete it and rebuild the table"),
    ] {
        fs::write(own.join("04.layer"), bytes).expect("written");
        let found = verified(&dir).expect_err("it is another file").to_string();
        assert!(found.contains(part), "{found}");
        assert_eq!(made(&PILES, &dir, 6).expect_err("refused").to_string(), found);
    }
}

#[test]
fn tables_of_the_same_name_with_other_rules_or_another_numbering_are_refused() {
    let dir = temp_folder();
    made(&PILES, &dir, 4).expect("built");
    for (game, part) in [
        (Piles { reversed: true, ..PILES }, "its positions are indexed differently"),
        (Piles { lasting: true, ..PILES }, "it was made with another version of the rules"),
    ] {
        assert_eq!(folder(&game, &dir), folder(&PILES, &dir));
        let found = EndgameTable::open(&game, &dir).expect_err("refused").to_string();
        assert!(found.contains(part), "{found}");
    }
}

/// Stops the whole work in the midst of one layer.
struct StopsIn(u32);

impl Filler<Piles> for StopsIn {
    fn fill(&self, game: &Piles, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        if layer == self.0 {
            work.stop.store(true, Relaxed);
        }
        Forward.fill(game, layer, below, out, work)
    }
}

#[test]
fn a_build_stopped_anywhere_is_resumed_with_the_same_bytes() {
    let whole = temp_folder();
    made(&PILES, &whole, TOP).expect("built");
    let whole = layers_in(&folder(&PILES, &whole));
    for layer in 0..=TOP {
        let dir = temp_folder();
        let (workshop, plan) = (Workshop::default(), BuildPlan { dir: &dir, up_to: TOP, memory: PLENTY });
        let built = build(&PILES, &plan, &StopsIn(layer), &workshop.work(2), &mut |_| ()).expect("no fault");
        assert_eq!(built, Built { top: layer.checked_sub(1), whole: false });
        // An interruption during a write leaves this file behind, and perhaps one of a higher layer.
        for unfinished in [layer, layer + 1] {
            let half = folder(&PILES, &dir).join(format!("{unfinished:02}.layer.new"));
            fs::write(half, &whole[layer as usize].1[..4100.min(whole[layer as usize].1.len())])
                .expect("written");
        }
        assert_eq!(made(&PILES, &dir, TOP), Ok(Built { top: Some(TOP), whole: true }));
        assert_eq!(layers_in(&folder(&PILES, &dir)), whole);
        let left = fs::read_dir(folder(&PILES, &dir)).expect("a folder").count();
        assert_eq!(left, TOP as usize + 2, "the layers and the lock");
    }
}

#[test]
fn a_missing_layer_is_filled_in_and_what_is_there_is_not_filled_again() {
    let dir = temp_folder();
    made(&PILES, &dir, TOP).expect("built");
    let whole = layers_in(&folder(&PILES, &dir));
    fs::remove_file(folder(&PILES, &dir).join("03.layer")).expect("removed");
    assert_eq!(verified(&dir), Ok(2));
    let (workshop, mut stages) = (Workshop::default(), Vec::new());
    let plan = BuildPlan { dir: &dir, up_to: TOP, memory: PLENTY };
    build(&PILES, &plan, &Forward, &workshop.work(1), &mut |news: &BuildProgress| {
        stages.push((news.layer, news.stage));
    })
    .expect("built");
    let expected =
        (0..=TOP).map(|layer| (layer, if layer == 3 { BuildStage::Kept } else { BuildStage::Found }));
    assert_eq!(stages, expected.collect::<Vec<_>>());
    assert_eq!(layers_in(&folder(&PILES, &dir)), whole);
}

#[test]
fn what_cannot_be_finished_is_not_begun() {
    let dir = temp_folder();
    let workshop = Workshop::default();
    let plan = BuildPlan { dir: &dir, up_to: TOP, memory: 1 << 20 };
    let refused = build(&PILES, &plan, &Forward, &workshop.work(1), &mut |_| ()).expect_err("too large");
    assert_eq!(refused.to_string(), "layer 8 needs 17M of memory, but the limit is 1M; raise the limit");
    let wide = made(&PILES, &dir, 300).expect_err("too wide");
    assert!(matches!(wide, BadTable::WideMargins(256)), "{wide}");
    assert_eq!(fs::read_dir(&dir).expect("a folder").count(), 0);
}

#[test]
fn two_builds_do_not_meet_in_one_folder() {
    let dir = temp_folder();
    let (outer, inner) = (AtomicU64::new(0), AtomicU64::new(0));
    let (workshop, plan) = (Workshop::default(), BuildPlan { dir: &dir, up_to: 0, memory: PLENTY });
    build(&PILES, &plan, &Forward, &workshop.work(1), &mut |_| {
        outer.fetch_add(1, Relaxed);
        if let Err(BadTable::Busy(folder)) = made(&PILES, &dir, 0) {
            assert!(folder.ends_with("piles-2"));
            inner.fetch_add(1, Relaxed);
        }
    })
    .expect("built");
    assert!(outer.load(Relaxed) > 0);
    assert_eq!(outer.load(Relaxed), inner.load(Relaxed));
    assert_eq!(PILES.spec(), "piles:5");
}
