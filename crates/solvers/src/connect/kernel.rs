//! CPU dispatch: the Connect-N search compiled twice, for every processor and for those with AVX2, BMI and POPCNT, chosen
//! by detection at run time. Both are the same source, so they cannot differ in anything but speed.
//!
//! This is one of the few files that may be `unsafe`.
#![allow(unsafe_code, reason = "calling code compiled for a processor that was detected has no safe form")]

use super::{
    lines::Shape,
    search::{ConnectSearch, Node},
};
use crate::shared::{Key, Slot, Word};

/// The instruction set for which the search is compiled.
pub(super) trait Kernel: Copy + Send + Sync {
    /// [`ConnectSearch::descend_here`], compiled for it.
    fn descend<W: Word + Key, S: Shape>(
        self,
        search: &mut ConnectSearch<'_, W, S, Self>,
        node: Node<W>,
        slot: Slot<W>,
        beta: i32,
        seen: bool,
    ) -> i32;
}

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

impl Kernel for Portable {
    fn descend<W: Word + Key, S: Shape>(
        self,
        search: &mut ConnectSearch<'_, W, S, Self>,
        node: Node<W>,
        slot: Slot<W>,
        beta: i32,
        seen: bool,
    ) -> i32 {
        search.descend_here(node, slot, beta, seen)
    }
}

/// A processor with all features that the code is compiled for; created only by [`Wide::detect`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide(());

#[cfg(target_arch = "x86_64")]
impl Wide {
    pub fn detect() -> Option<Wide> {
        let there = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        there.then_some(Wide(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Kernel for Wide {
    #[inline(always)]
    fn descend<W: Word + Key, S: Shape>(
        self,
        search: &mut ConnectSearch<'_, W, S, Self>,
        node: Node<W>,
        slot: Slot<W>,
        beta: i32,
        seen: bool,
    ) -> i32 {
        // SAFETY: a `Wide` exists only if the features were detected.
        unsafe { descend_wide(search, node, slot, beta, seen) }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn descend_wide<W: Word + Key, S: Shape>(
    search: &mut ConnectSearch<'_, W, S, Wide>,
    node: Node<W>,
    slot: Slot<W>,
    beta: i32,
    seen: bool,
) -> i32 {
    search.descend_here(node, slot, beta, seen)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::{
        connect::lines::{Fixed, Lines},
        shared::{SearchThread, TranspositionTable},
    };
    use std::sync::atomic::AtomicBool;

    fn value_and_nodes(kernel: impl Kernel, beta: i32) -> (i32, u64) {
        let (table, stop) = (TranspositionTable::new::<u64>(1), AtomicBool::new(false));
        let thread = SearchThread::alone(&table, &stop);
        let mut search = ConnectSearch::new(Lines::<u64, _>::new(Fixed::<6, 4, 4>), thread, kernel);
        let value = search.search(Node { own: 0, all: 0, theirs: 0, plies: 0 }, beta);
        (value, search.thread.nodes)
    }

    #[test]
    fn both_kernels_search_the_same_nodes_to_the_same_value() {
        let Some(wide) = Wide::detect() else { return };
        for beta in [-1, 0, 1, 2] {
            assert_eq!(value_and_nodes(wide, beta), value_and_nodes(Portable, beta));
        }
    }
}
