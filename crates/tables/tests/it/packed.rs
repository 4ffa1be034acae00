//! Packed tables: the same values as plain ones, deterministic bytes, and no value from a damaged block.

use crate::common::{PILES, Piles, Workshop, layers_in};
use parlor_core::{Game, Indexed, Oracle};
use parlor_tables::{
    BadTable, BuildPlan, Built, EndgameTable, Filler, Form, Forward, Sample, Work, build_as, folder, verify,
};
use parlor_testkit::temp_folder;
use std::{fs, path::Path, sync::atomic::Ordering::Relaxed};

/// The same game with layers of several blocks.
const WIDE: Piles = Piles { wide: true, ..PILES };
const TOP: u32 = 8;
const PLENTY: u64 = 1 << 30;

fn made(form: Form, dir: &Path, up_to: u32, threads: usize) -> Result<Built, BadTable> {
    let (workshop, plan) = (Workshop::default(), BuildPlan { dir, up_to, memory: PLENTY });
    build_as(form, &PILES, &plan, &Forward, &workshop.work(threads), &mut |_| ())
}

fn verified(dir: &Path) -> Result<u32, BadTable> {
    let table = EndgameTable::open(&PILES, dir)?;
    verify(&table, None, &Workshop::default().work(1))?;
    Ok(table.top())
}

#[test]
fn a_packed_table_says_what_a_plain_one_says() {
    let (plain, packed) = (temp_folder(), temp_folder());
    let top = 18;
    for (form, dir) in [(Form::Plain, &plain), (Form::Packed, &packed)] {
        assert_eq!(made(form, dir, top, 2), Ok(Built { top: Some(top), whole: true }));
        assert_eq!(verified(dir), Ok(top));
    }
    let open = |dir| EndgameTable::open(&PILES, dir).expect("a table");
    let (plain, packed) = (open(&plain), open(&packed));
    for layer in 0..=top {
        for pos in (0..PILES.len(layer)).filter_map(|index| PILES.position(layer, index)) {
            let known = packed.probe(&PILES, &pos);
            assert!(known.is_some());
            assert_eq!(known, plain.probe(&PILES, &pos), "{pos:?}");
        }
    }
    assert_eq!(packed.probe(&PILES, &PILES.start()), None, "layer 20 is above the top");
    let sample = Some(Sample { count: 1000, seed: 3 });
    assert_eq!(verify(&packed, sample, &Workshop::default().work(2)).expect("right").entries, 1000);
    assert_eq!(packed.layers(), plain.layers(), "unpacked as a whole, after single blocks were");
    assert!((0..=top).all(|layer| packed.histogram(layer) == plain.histogram(layer)));
    let (info, plain) = (packed.info(), plain.info());
    assert!(info.iter().all(|layer| layer.form == Some(Form::Packed)));
    assert!(info.iter().zip(&plain).all(|(a, b)| (a.layer, a.positions) == (b.layer, b.positions)));
    assert!(info[18].bytes < plain[18].bytes);
}

#[test]
fn every_flipped_bit_is_found_and_no_damaged_block_answers() {
    let dir = temp_folder();
    made(Form::Packed, &dir, 4, 1).expect("built");
    let right = EndgameTable::open(&PILES, &dir).expect("a table");
    right.layers();
    let file = folder(&PILES, &dir).join("04.layer");
    let whole = fs::read(&file).expect("bytes");
    let mut opened = 0;
    for (at, bit) in (0..whole.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        // A new file each time: the right table has the old one open.
        fs::remove_file(&file).and_then(|()| fs::write(&file, bytes)).expect("written");
        let found = verified(&dir).expect_err("one bit is not what it was");
        assert!(found.to_string().contains("04.layer"), "bit {bit} of byte {at}: {found}");
        let Ok(table) = EndgameTable::open(&PILES, &dir) else { continue };
        opened += 1;
        for pos in (0..PILES.len(4)).filter_map(|index| PILES.position(4, index)) {
            let known = table.probe(&PILES, &pos);
            assert_eq!(known, PILES.result(&pos).and_then(|_| right.probe(&PILES, &pos)), "{pos:?}");
        }
        assert_eq!(table.layers().len(), 4, "the layers below the damaged one");
        assert!(table.histogram(4).is_empty());
        assert_eq!(made(Form::Packed, &dir, 6, 1), Err(found));
    }
    assert!(opened > 0, "damage behind the beginning is found by those who look there");
}

#[test]
fn shortened_and_lengthened_files_are_refused() {
    let dir = temp_folder();
    made(Form::Packed, &dir, 4, 1).expect("built");
    let file = folder(&PILES, &dir).join("04.layer");
    let whole = fs::read(&file).expect("bytes");
    for len in (0..whole.len()).chain([whole.len() + 1, 2 * whole.len()]) {
        let mut bytes = whole.clone();
        bytes.resize(len, 0);
        fs::write(&file, &bytes).expect("written");
        assert!(EndgameTable::open(&PILES, &dir).is_err(), "{len} bytes");
    }
}

/// Stops the whole work in the midst of one layer, or right after it is filled, so that packing is stopped.
struct Stops {
    layer: u32,
    packing: bool,
}

impl Filler<Piles> for Stops {
    fn fill(&self, game: &Piles, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        let whole = (layer != self.layer || self.packing) && Forward.fill(game, layer, below, out, work);
        if layer == self.layer {
            work.stop.store(true, Relaxed);
        }
        whole
    }
}

#[test]
fn a_build_stopped_anywhere_is_resumed_with_the_same_bytes() {
    let whole = temp_folder();
    made(Form::Packed, &whole, TOP, 2).expect("built");
    let whole = layers_in(&folder(&PILES, &whole));
    for (layer, packing) in (0..=TOP).step_by(2).flat_map(|layer| [(layer, false), (layer, true)]) {
        let dir = temp_folder();
        let (workshop, plan) = (Workshop::default(), BuildPlan { dir: &dir, up_to: TOP, memory: PLENTY });
        let (work, stops) = (workshop.work(2), Stops { layer, packing });
        let built = build_as(Form::Packed, &PILES, &plan, &stops, &work, &mut |_| ()).expect("no fault");
        assert_eq!(built, Built { top: layer.checked_sub(1), whole: false });
        let half = folder(&PILES, &dir).join(format!("{layer:02}.layer.new"));
        assert!(!half.exists());
        // An interruption during a write leaves zeros at the position of the header.
        fs::write(half, [0; 100]).expect("written");
        assert_eq!(made(Form::Packed, &dir, TOP, 1), Ok(Built { top: Some(TOP), whole: true }));
        assert_eq!(layers_in(&folder(&PILES, &dir)), whole);
        let left = fs::read_dir(folder(&PILES, &dir)).expect("a folder").count();
        assert_eq!(left, TOP as usize + 2, "the layers and the lock");
    }
}

#[test]
fn layers_of_both_forms_make_one_table() {
    let (plain, mixed) = (temp_folder(), temp_folder());
    made(Form::Plain, &plain, 12, 1).expect("built");
    for (form, up_to) in [(Form::Plain, 4), (Form::Packed, 8), (Form::Plain, 12)] {
        made(form, &mixed, up_to, 2).expect("built");
    }
    assert_eq!(verified(&mixed), Ok(12));
    let open = |dir| EndgameTable::open(&PILES, dir).expect("a table");
    let (plain, mixed) = (open(&plain), open(&mixed));
    assert_eq!(mixed.layers(), plain.layers());
    let packed = mixed.info().iter().filter(|layer| layer.form == Some(Form::Packed)).count();
    assert_eq!(packed, 4);
}

#[test]
fn layers_of_many_blocks_come_back_and_damage_stays_in_its_block() {
    let (workshop, dir) = (Workshop::default(), temp_folder());
    let plan = BuildPlan { dir: &dir, up_to: TOP, memory: PLENTY };
    build_as(Form::Packed, &WIDE, &plan, &Forward, &workshop.work(2), &mut |_| ()).expect("built");
    let right = EndgameTable::in_memory(&WIDE, TOP, &Forward, &workshop.work(1)).expect("not stopped");
    let positions = || (0..WIDE.len(TOP)).filter_map(|index| Some((index, WIDE.position(TOP, index)?)));
    let opened = EndgameTable::open(&WIDE, &dir).expect("a table");
    assert!(positions().all(|(_, pos)| opened.probe(&WIDE, &pos) == right.probe(&WIDE, &pos)));
    assert_eq!(verify(&opened, None, &workshop.work(2)).expect("right").blocks, 1 + 1 + 1 + 2 + 2);
    assert_eq!(opened.layers(), right.layers());
    // The file's last byte is part of block 1, which contains the largest pile of the mover.
    let file = folder(&WIDE, &dir).join("08.layer");
    let mut bytes = fs::read(&file).expect("bytes");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::remove_file(&file).and_then(|()| fs::write(&file, bytes)).expect("written");
    let opened = EndgameTable::open(&WIDE, &dir).expect("its beginning is whole");
    for (index, pos) in positions().filter(|(_, pos)| WIDE.result(pos).is_none()) {
        let known = right.probe(&WIDE, &pos).filter(|_| index < 4096);
        assert_eq!(opened.probe(&WIDE, &pos), known, "{index}");
    }
    let found = verify(&opened, Some(Sample { count: 0, seed: 0 }), &workshop.work(1)).expect_err("damaged");
    assert_eq!(found, BadTable::Damaged(file, "the checksum of block 1 does not match".to_string()));
}

#[test]
fn unpacked_layers_count_as_memory() {
    let dir = temp_folder();
    let workshop = Workshop::default();
    let refused = |form, memory| {
        let plan = BuildPlan { dir: &dir, up_to: TOP, memory };
        build_as(form, &PILES, &plan, &Forward, &workshop.work(1), &mut |_| ()).map_err(|bad| bad.to_string())
    };
    // Layer 8 has 25 entries, those below it 5 + 10 + 15 + 20.
    let room = 16 << 20;
    assert!(refused(Form::Packed, room + 75).is_ok());
    fs::remove_dir_all(folder(&PILES, &dir)).expect("removed");
    let sentence = "layer 8 needs 17M of memory (1M of it for the compressed layers below), but the limit is 17M; raise the limit, \
                    or build up to layer 7";
    assert_eq!(refused(Form::Packed, room + 74), Err(sentence.to_string()));
    assert!(refused(Form::Plain, room + 74).is_ok(), "plain layers are mapped");
    // Existing layers count in their own form, regardless of the form above them.
    fs::remove_dir_all(folder(&PILES, &dir)).expect("removed");
    made(Form::Packed, &dir, 6, 1).expect("built");
    assert_eq!(refused(Form::Plain, room + 74), Err(sentence.to_string()));
    assert!(refused(Form::Plain, room + 75).is_ok());
}
