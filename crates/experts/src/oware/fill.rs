//! Fills layers of an Oware table.

use super::retrograde;
use parlor_games::oware::Oware;
use parlor_tables::{Filler, Work};

/// Fills layers of Oware, of the literature's rules with exact values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fill;

impl Filler<Oware> for Fill {
    fn fill(&self, game: &Oware, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        retrograde::fill(game.rules(), layer as usize, below, out, work)
    }
}
