//! Set-associative LRU cache of unpacked blocks, so that a search that stays in one part of a table unpacks each block
//! once. Threads share it, and its size is fixed: a full set evicts its least recently used block.
//!
//! ```text
//!   layer, block -> set 0    [block | block | block | block]   a lock each, the latest first
//!                   set 1    [block | block]
//!                   ...
//! ```

use parlor_core::mix;
use std::sync::{Mutex, PoisonError};

/// The number of sets. Threads block each other only if they use the same set.
const SETS: u64 = 1024;
/// Blocks in a set: with 4 KiB each, 16 MiB in all.
const WAYS: usize = 4;

/// Layer and block number.
pub(crate) type Name = (u32, u64);

#[derive(Debug)]
struct Unpacked {
    name: Name,
    bytes: Vec<u8>,
}

/// The recently unpacked blocks of a table.
#[derive(Debug)]
pub(crate) struct Cache(Box<[Mutex<Vec<Unpacked>>]>);

impl Cache {
    pub fn new() -> Cache {
        Cache((0..SETS).map(|_| Mutex::default()).collect())
    }

    /// An entry of a block; `None` if the block is shorter. If the block is not cached, `unpack` fills the buffer it is given;
    /// a block that cannot be unpacked is not cached.
    pub fn entry<E>(
        &self,
        name: Name,
        at: usize,
        unpack: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Option<i8>, E> {
        let set = &self.0[(mix([u64::from(name.0), name.1]) % SETS) as usize];
        // A panic cannot leave a block half-written: a block is outside the set while it is unpacked.
        let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
        match set.iter().position(|block| block.name == name) {
            Some(found) => set[..=found].rotate_right(1),
            None => {
                let room = if set.len() < WAYS { None } else { set.pop() };
                let mut bytes = room.map_or_else(Vec::new, |block| block.bytes);
                unpack(&mut bytes)?;
                set.insert(0, Unpacked { name, bytes });
            }
        }
        Ok(set[0].bytes.get(at).map(|&byte| byte as i8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_unpacked_once_while_it_is_there_and_never_kept_when_it_is_bad() {
        let (cache, mut unpacked) = (Cache::new(), 0);
        let mut ask = |name: Name, at| {
            cache.entry(name, at, |room| {
                unpacked += 1;
                room.clear();
                room.extend([name.0 as u8, name.1 as u8, 255]);
                if name.1 == 7 { Err("bad") } else { Ok(()) }
            })
        };
        assert_eq!(
            (ask((1, 2), 0), ask((1, 2), 1), ask((1, 2), 2)),
            (Ok(Some(1)), Ok(Some(2)), Ok(Some(-1)))
        );
        assert_eq!(ask((1, 2), 3), Ok(None));
        assert_eq!((ask((1, 7), 0), ask((1, 7), 0)), (Err("bad"), Err("bad")));
        assert_eq!(unpacked, 3);
    }

    #[test]
    fn far_more_blocks_than_there_is_room_for_are_told_apart() {
        let cache = Cache::new();
        for round in 0..2 {
            for block in (0..4 * SETS * WAYS as u64).step_by(3) {
                let unpack = |room: &mut Vec<u8>| {
                    room.clear();
                    room.extend([block as u8, (block >> 8) as u8]);
                    Ok::<(), ()>(())
                };
                let entry =
                    |at| cache.entry((9, block), at, unpack).expect("unpacked").expect("an entry") as u8;
                assert_eq!([entry(0), entry(1)], [block as u8, (block >> 8) as u8], "{round}");
            }
        }
        let kept: usize = cache.0.iter().map(|set| set.lock().expect("no panic").len()).sum();
        assert!(kept <= SETS as usize * WAYS);
    }
}
