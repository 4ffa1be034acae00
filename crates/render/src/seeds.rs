//! Seeds in a hollow: where each lies. They begin on a spiral, turned and shaken a little by the number of the cell, then push
//! one another apart until they have room, as seeds do; the same cell with the same count always looks the same.

use crate::plan::Rect;

/// How large a seed is, half its length.
pub(crate) const SEED: f64 = 10.0;
/// The angle between one seed and the next on the spiral: no two lie behind one another.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
/// How often they push; more changes nothing that one sees.
const PUSHES: usize = 14;

/// A seed: its place, which of the shapes it has and which of the tones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed {
    pub x: f64,
    pub y: f64,
    pub shape: usize,
    pub tone: usize,
}

/// How many seeds a hollow shows one by one; where there are more, it shows a heap.
pub(crate) fn shown(hollow: &Rect) -> usize {
    let (small, long) = (hollow.w.min(hollow.h), hollow.w.max(hollow.h));
    (24.0 * long / small).min(60.0) as usize
}

/// The seeds of a hollow with round ends. A heap has as many as fit into a heap.
pub(crate) fn scatter(hollow: &Rect, cell: u16, count: usize) -> Vec<Seed> {
    let count = count.min(shown(hollow) * 4 / 3);
    let radius = hollow.w.min(hollow.h) / 2.0 - SEED - 3.0;
    let reach = [(hollow.w - hollow.h).max(0.0) / 2.0, (hollow.h - hollow.w).max(0.0) / 2.0];
    let area = std::f64::consts::PI * radius * radius + 4.0 * radius * (reach[0] + reach[1]);
    // As far apart as they are long, or, where there are many, as the room allows.
    let apart = (2.0 * SEED).min((area / count.max(1) as f64).sqrt() * 1.06);
    let mut places = spiral(cell, count, apart, radius, reach);
    for _ in 0..PUSHES {
        push(&mut places, apart);
        places.iter_mut().for_each(|place| hold(place, radius, reach));
    }
    let (x, y) = hollow.centre();
    let seed = |(i, place): (usize, &[f64; 2])| {
        let chance = stir(cell, i);
        Seed { x: x + place[0], y: y + place[1], shape: chance % 6, tone: chance / 6 % 3 }
    };
    places.iter().enumerate().map(seed).collect()
}

/// Where they begin.
fn spiral(cell: u16, count: usize, apart: f64, radius: f64, reach: [f64; 2]) -> Vec<[f64; 2]> {
    let turn = stir(cell, 977) as f64;
    let step = (apart * 0.56).min(radius * 0.95 / (count as f64).sqrt());
    let stretch = reach.map(|reach| 1.0 + reach / radius.max(1.0));
    let place = |i: usize| {
        let shake = |salt: usize| (stir(cell, i + salt) % 101) as f64 / 100.0 - 0.5;
        let (angle, far) = (turn + GOLDEN_ANGLE * i as f64, step * (i as f64 + 0.4).sqrt());
        [
            far * angle.cos() * stretch[0] + shake(3) * apart * 0.5,
            far * angle.sin() * stretch[1] + shake(5) * apart * 0.5,
        ]
    };
    (0..count).map(place).collect()
}

/// Each pair that lies too close goes apart, half the way each.
fn push(places: &mut [[f64; 2]], apart: f64) {
    for i in 1..places.len() {
        for j in 0..i {
            let way = [places[i][0] - places[j][0], places[i][1] - places[j][1]];
            let far = way[0].hypot(way[1]).max(0.01);
            let short = (apart - far).max(0.0) / 2.0;
            for axis in 0..2 {
                let by = way[axis] / far * short;
                places[i][axis] += by;
                places[j][axis] -= by;
            }
        }
    }
}

/// Nobody leaves the hollow: a line with round ends, `reach` long on either side.
fn hold(place: &mut [f64; 2], radius: f64, reach: [f64; 2]) {
    let anchor = [place[0].clamp(-reach[0], reach[0]), place[1].clamp(-reach[1], reach[1])];
    let way = [place[0] - anchor[0], place[1] - anchor[1]];
    let far = way[0].hypot(way[1]);
    if far > radius {
        *place = [anchor[0] + way[0] / far * radius, anchor[1] + way[1] / far * radius];
    }
}

/// A number that looks drawn by chance and never changes.
pub(crate) fn stir(cell: u16, index: usize) -> usize {
    let mut bits = (u64::from(cell) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (index as u64 + 1);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (bits >> 33) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIT: Rect = Rect { x: 0.0, y: 0.0, w: 90.0, h: 90.0 };

    #[test]
    fn seeds_stay_in_their_hollow_and_a_few_do_not_touch() {
        for (cell, count) in (0..40).flat_map(|cell| [1, 2, 5, 9, 24, 400].map(|count| (cell, count))) {
            let seeds = scatter(&PIT, cell, count);
            assert_eq!(seeds.len(), count.min(32));
            let far = |seed: &Seed| (seed.x - 45.0).hypot(seed.y - 45.0);
            assert!(seeds.iter().all(|seed| far(seed) + SEED < 45.0), "cell {cell}, {count} seeds");
        }
        for cell in 0..40 {
            let seeds = scatter(&PIT, cell, 4);
            let close = |a: &Seed, b: &Seed| (a.x - b.x).hypot(a.y - b.y) < 1.6 * SEED;
            assert!((1..4).all(|i| (0..i).all(|j| !close(&seeds[i], &seeds[j]))), "cell {cell}");
        }
    }

    #[test]
    fn a_cell_always_looks_the_same_and_two_differ() {
        assert_eq!(scatter(&PIT, 3, 7), scatter(&PIT, 3, 7));
        assert_ne!(scatter(&PIT, 3, 7), scatter(&PIT, 4, 7));
    }
}
