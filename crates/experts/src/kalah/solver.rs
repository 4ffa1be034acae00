//! scratch
use super::{board::*, search::Search};
use crate::{crew::Crew, proved::Table};
use parlor_games::kalah::*;
use std::sync::{Mutex, atomic::*};
pub fn trial(
    holes: usize,
    beans: u64,
    empty: bool,
    endings: &[&[i8]],
    mib: usize,
    threads: usize,
) -> (i32, u64) {
    let rules =
        Rules { rows: Rows::of(holes).unwrap(), swift: Swift::of(holes), holes, captures_into_empty: empty };
    let row = (0..holes).map(|l| beans << (8 * l)).sum::<u64>();
    let node = Node::new(row, row);
    let table = Table::new::<Beans>(mib);
    let (mut lo, mut hi) = (-node.beans, node.beans);
    let mut nodes = 0;
    let mut beta = 0;
    while lo < hi {
        let done = AtomicBool::new(false);
        let crew = Crew::new();
        let out = Mutex::new(None);
        let all = AtomicU64::new(0);
        std::thread::scope(|s| {
            for _ in 0..threads {
                s.spawn(|| {
                    let mut search = Search::new(rules, endings, &table, &done);
                    if threads > 1 {
                        search.crew = Some(&crew);
                    }
                    let v = search.search(&node, beta);
                    if !search.stopped {
                        *out.lock().unwrap() = Some(v);
                    }
                    all.fetch_add(search.nodes, Ordering::Relaxed);
                    done.store(true, Ordering::Relaxed);
                });
            }
        });
        let v = out.into_inner().unwrap().unwrap();
        nodes += all.load(Ordering::Relaxed);
        if v >= beta {
            lo = v;
            beta = lo + 2;
        } else {
            hi = v;
            beta = hi;
        }
        eprintln!("   {lo}..{hi} {nodes}");
    }
    (lo, nodes)
}
