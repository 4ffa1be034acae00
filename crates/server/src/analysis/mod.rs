//! Positions and games judged for whoever asks: on a bounded pool, told as it is found out, and stopped when nobody listens any
//! more. What is proven and what is estimated is never mixed up. Nothing here knows a game, a page or a socket.

mod line;
mod pool;
mod story;
mod study;
mod worth;

pub use line::{Asked, Line};
pub use pool::Analysis;
pub use story::{Made, Point, Story};
pub use study::{Study, Verdict};
pub use worth::{class_of, sort_of, text_of, words_of};
