//! The measures of a board: known to the compiler ([`Fixed`]) or not ([`Free`]). The layout of its bits is that of the game: columns one after another, each with one bit more than it has levels, which is always 0.

/// The measures of a board.
pub(super) trait Shape: Copy + Send + Sync {
    fn columns(self) -> u32;
    fn levels(self) -> u32;
    fn n(self) -> u32;

    #[inline(always)]
    fn cells(self) -> i32 {
        (self.columns() * self.levels()) as i32
    }

    /// Bits from one column to the next.
    #[inline(always)]
    fn stride(self) -> u32 {
        self.levels() + 1
    }
}

/// Measures the compiler knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed<const COLUMNS: u32, const LEVELS: u32, const N: u32>;

impl<const COLUMNS: u32, const LEVELS: u32, const N: u32> Shape for Fixed<COLUMNS, LEVELS, N> {
    #[inline(always)]
    fn columns(self) -> u32 {
        COLUMNS
    }
    #[inline(always)]
    fn levels(self) -> u32 {
        LEVELS
    }
    #[inline(always)]
    fn n(self) -> u32 {
        N
    }
}

/// Any measures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    pub columns: u32,
    pub levels: u32,
    pub n: u32,
}

impl Shape for Free {
    fn columns(self) -> u32 {
        self.columns
    }
    fn levels(self) -> u32 {
        self.levels
    }
    fn n(self) -> u32 {
        self.n
    }
}
