//! The order in which the search for play tries the moves of a position.

use super::{KILLERS, ListedMove, MANY, PLY, PlaySearch, Standing};

impl<const H: usize> PlaySearch<'_, H> {
    /// The moves in the order in which they are searched: the table move, extra turns from the pot outwards, captures, killer
    /// moves, then by history.
    #[inline(always)]
    pub(super) fn list(&self, at: &Standing, first: u8, ply: usize, listed: &mut [ListedMove; H]) -> usize {
        let mut len = 0;
        let killers = self.killers[ply % KILLERS];
        for lane in (0..H).rev() {
            let beans = at.node.own >> (8 * lane) & 0xFF;
            if beans == 0 {
                continue;
            }
            let after = self.terms.rules.play(&at.node, lane);
            let code = lane as u8 | (beans.min(MANY) as u8) << 3;
            let order = if lane as u8 == first {
                i32::MAX
            } else if after.again {
                (1 << 30) + lane as i32
            } else {
                let capture = if after.gain > 1 { after.gain << 23 } else { 0 };
                let killer = if killers[0] == code { 2 } else { i32::from(killers[1] == code) };
                capture + (killer << 21) + self.history[usize::from(at.side)][usize::from(code)]
            };
            let mut place = len;
            while place > 0 && listed[place - 1].order < order {
                listed[place] = listed[place - 1];
                place -= 1;
            }
            listed[place] = ListedMove { lane: lane as u8, code, order, after };
            len += 1;
        }
        len
    }

    /// Prefetches the slots of the children.
    #[inline(always)]
    pub(super) fn prefetch(&self, at: &Standing, listed: &[ListedMove]) {
        for mv in listed {
            if let Some(key) = Self::key(&at.after(&mv.after)) {
                self.terms.table.prefetch(key);
            }
        }
    }

    pub(super) fn remember_cutoff(&mut self, side: u8, code: u8, ply: usize, depth: i32) {
        let killers = &mut self.killers[ply % KILLERS];
        if killers[0] != code {
            *killers = [code, killers[0]];
        }
        let plies = depth / PLY;
        let history = &mut self.history[usize::from(side)];
        history[usize::from(code)] += plies * plies;
        if history[usize::from(code)] >= 1 << 20 {
            history.iter_mut().for_each(|count| *count /= 2);
        }
    }
}
