//! A slow, literal implementation of Kalah: beans in a map from (side, hole), one bean at a time.

use parlor_core::laws::Reference;

/// Holes by (side, number); number 0 is the pot; side 0 is South.
#[derive(Clone)]
pub struct SlowKalah {
    holes: i32,
    captures_into_empty: bool,
    beans: std::collections::BTreeMap<(u8, i32), i16>,
    turn: u8,
}

impl SlowKalah {
    fn at(&self, side: u8, hole: i32) -> i16 {
        self.beans[&(side, hole)]
    }

    fn row_sum(&self, side: u8) -> i16 {
        (1..=self.holes).map(|hole| self.at(side, hole)).sum()
    }

    /// The place after (side, hole), counterclockwise: South 1..m, South's pot, North m..1, North's pot.
    fn next(&self, (side, hole): (u8, i32)) -> (u8, i32) {
        match (side, hole) {
            (0, 0) => (1, self.holes),
            (0, hole) if hole == self.holes => (0, 0),
            (0, hole) => (0, hole + 1),
            (_, 0) => (0, 1),
            (_, hole) => (1, hole - 1),
        }
    }

    fn over(&self) -> bool {
        self.row_sum(0) == 0 || self.row_sum(1) == 0
    }
}

impl Reference for SlowKalah {
    fn start(values: &[u32]) -> Self {
        let mut beans = std::collections::BTreeMap::new();
        for side in [0, 1] {
            beans.insert((side, 0), 0);
            for hole in 1..=values[0] as i32 {
                beans.insert((side, hole), values[1] as i16);
            }
        }
        SlowKalah { holes: values[0] as i32, captures_into_empty: values[2] == 1, beans, turn: 0 }
    }

    fn moves(&self) -> Vec<String> {
        if self.over() {
            return Vec::new();
        }
        (1..=self.holes).filter(|&hole| self.at(self.turn, hole) > 0).map(|hole| hole.to_string()).collect()
    }

    fn after(&self, mv: &str) -> Self {
        let mut next = self.clone();
        let me = self.turn;
        let mut place = (me, mv.parse().expect("a hole"));
        let mut in_hand = next.beans.insert(place, 0).expect("a hole");
        while in_hand > 0 {
            place = next.next(place);
            if place == (1 - me, 0) {
                continue;
            }
            *next.beans.get_mut(&place).expect("a place") += 1;
            in_hand -= 1;
        }
        let (side, hole) = place;
        if side == me && hole != 0 && next.at(me, hole) == 1 {
            let opposite = next.at(1 - me, hole);
            if opposite > 0 || next.captures_into_empty {
                next.beans.insert((me, hole), 0);
                next.beans.insert((1 - me, hole), 0);
                *next.beans.get_mut(&(me, 0)).expect("a pot") += opposite + 1;
            }
        }
        if place != (me, 0) {
            next.turn = 1 - me;
        }
        if next.over() {
            for side in [0, 1] {
                let left = next.row_sum(side);
                *next.beans.get_mut(&(side, 0)).expect("a pot") += left;
                for hole in 1..=next.holes {
                    next.beans.insert((side, hole), 0);
                }
            }
        }
        next
    }

    fn result(&self) -> Option<i16> {
        self.over().then(|| self.at(self.turn, 0) - self.at(1 - self.turn, 0))
    }

    fn text(&self) -> String {
        let row =
            |side| (1..=self.holes).map(|hole| self.at(side, hole).to_string()).collect::<Vec<_>>().join(",");
        let turn = ["s", "n"][usize::from(self.turn)];
        format!("{}/{} {}/{} {turn}", row(1), row(0), self.at(1, 0), self.at(0, 0))
    }
}
