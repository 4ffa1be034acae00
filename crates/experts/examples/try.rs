//! x
use parlor_experts::connect::Solver;
use parlor_games::connect::Connect;
use parlor_play::*;
use std::{sync::atomic::AtomicBool, time::Instant};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let stop = AtomicBool::new(false);
    let v: Vec<u32> = a[1].split(',').map(|x| x.parse().unwrap()).collect();
    let game = Connect::new(&v).unwrap();
    let mib: usize = a[2].parse().unwrap();
    let th: usize = a[3].parse().unwrap();
    let mut s = Solver::new(&game, mib, th);
    if a.len() > 4 {
        let txt = std::fs::read_to_string(&a[4]).unwrap();
        let lim: usize = a[5].parse().unwrap();
        let clear = a.len() > 6;
        let (mut tot, mut n, mut bad) = (0.0, 0, 0);
        for l in txt.lines().take(lim) {
            let (m, val) = l.split_once(' ').unwrap();
            let mut ma = Match::new(game.clone());
            for c in m.chars() {
                ma.play(&c.to_string()).unwrap();
            }
            if clear {
                s.clear();
            }
            let t = Instant::now();
            let r = s.solve(ma.position(), &stop, &mut |_, _| ());
            tot += t.elapsed().as_secs_f64();
            n += 1;
            if r.lo != r.hi || r.lo.0 != val.trim().parse::<i16>().unwrap() {
                bad += 1;
            }
        }
        println!(
            "{}: {n} bad {bad} mean {:.2} us nodes {:.1}",
            a[4],
            tot / n as f64 * 1e6,
            s.nodes() as f64 / n as f64
        );
    } else {
        let t = Instant::now();
        let r = s.solve(&game.start(), &stop, &mut |b, n| {
            println!("  {:?}..{:?} {n} {:.2}s", b.lo.0, b.hi.0, t.elapsed().as_secs_f64())
        });
        println!("{:?} nodes {} {:.2}s", r, s.nodes(), t.elapsed().as_secs_f64());
    }
}
