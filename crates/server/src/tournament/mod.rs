//! Tournaments as they are kept and shown: rows of the store in, tables and pages out. Who plays them is another process: what
//! it writes is found here a moment later.
//!
//! The same conversions serve whoever plays: a row that one writes is the row that the other reads.

mod figures;
mod lookout;
mod plan;
mod report;
mod rows;
mod shown;

pub use figures::{plain, points, seconds, unsigned};
pub use lookout::{Lookout, Watching};
pub use plan::{plan_text, read_plan};
pub use report::{Against, Place, Report};
pub use rows::{entry, row};
pub use shown::{A_PAGE, Leaf, Shown, Wish, called};
