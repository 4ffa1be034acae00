//! CPU dispatch: the Connect-N search compiled for every processor, for those with AVX2 and for those with AVX-512, chosen by
//! detection at run time. All are the same source, with vectors of another length (`lanes.rs`), so they cannot differ in anything
//! but speed.
//!
//! This is one of the few files that may be `unsafe`.
#![allow(unsafe_code, reason = "calling code compiled for a processor that was detected has no safe form")]

use super::{
    lanes::{Cells, Lanes},
    lines::Shape,
    search::{ConnectSearch, Node},
};
use crate::shared::Slot;

/// The instruction set for which the search is compiled.
pub(super) trait Kernel: Copy + Send + Sync {
    /// Vectors of words.
    type Vector<W: Cells>: Lanes<W>;

    /// [`ConnectSearch::descend_here`], compiled for it.
    fn descend<W: Cells, S: Shape>(
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
    type Vector<W: Cells> = W::Portable;

    fn descend<W: Cells, S: Shape>(
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

/// A kernel for processors with these features: a type that only its `detect` creates, and the search compiled for it.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $vector:ident, $function:ident, $features:literal, [$($feature:tt),*]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name(());

        impl $name {
            pub fn detect() -> Option<$name> {
                let there = $(is_x86_feature_detected!($feature))&&*;
                there.then_some($name(()))
            }
        }

        impl Kernel for $name {
            type Vector<W: Cells> = W::$vector;

            #[inline(always)]
            fn descend<W: Cells, S: Shape>(
                self,
                search: &mut ConnectSearch<'_, W, S, Self>,
                node: Node<W>,
                slot: Slot<W>,
                beta: i32,
                seen: bool,
            ) -> i32 {
                // SAFETY: the kernel exists only if the features were detected.
                unsafe { $function(search, node, slot, beta, seen) }
            }
        }

        #[target_feature(enable = $features)]
        fn $function<W: Cells, S: Shape>(
            search: &mut ConnectSearch<'_, W, S, $name>,
            node: Node<W>,
            slot: Slot<W>,
            beta: i32,
            seen: bool,
        ) -> i32 {
            search.descend_here(node, slot, beta, seen)
        }
    };
}

#[cfg(target_arch = "x86_64")]
kernel!(
    /// A processor with AVX2 (Intel since 2013, AMD since 2015).
    Avx2,
    Avx2,
    descend_avx2,
    "avx2,bmi1,bmi2,lzcnt,popcnt",
    ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]
);

#[cfg(target_arch = "x86_64")]
kernel!(
    /// A processor with AVX-512 and its count of bits (Intel since 2019, AMD since 2022).
    Avx512,
    Avx512,
    descend_avx512,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt",
    ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vpopcntdq", "bmi1", "bmi2", "lzcnt", "popcnt"]
);

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
    fn all_kernels_search_the_same_nodes_to_the_same_value() {
        for beta in [-1, 0, 1, 2] {
            let portable = value_and_nodes(Portable, beta);
            if let Some(avx2) = Avx2::detect() {
                assert_eq!(value_and_nodes(avx2, beta), portable);
            }
            if let Some(avx512) = Avx512::detect() {
                assert_eq!(value_and_nodes(avx512, beta), portable);
            }
        }
    }
}
