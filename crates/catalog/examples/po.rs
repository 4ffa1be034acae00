fn main() {
    for spec in std::env::args().skip(1) {
        let g = parlor_catalog::game(&spec).unwrap();
        for _ in 0..3 {
            let t = std::time::Instant::now();
            let n = 100_000;
            let plies = g.playouts(n, 1);
            let s = t.elapsed().as_secs_f64();
            println!(
                "{spec}: {:.0} games/s, {:.1} plies/game, {:.1} ns/ply",
                n as f64 / s,
                plies as f64 / n as f64,
                s * 1e9 / plies as f64
            );
        }
    }
}
