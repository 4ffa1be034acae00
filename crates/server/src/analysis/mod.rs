//! Positions and games judged for whoever asks: on a bounded pool, told as it is found out, and stopped when nobody listens any
//! more. What is proven and what is estimated is never mixed up. Nothing here knows a game, a page or a socket.

mod analysts;
mod game_report;
mod line;
mod move_value;
mod position_analysis;

pub use analysts::Analysis;
pub use game_report::{Made, Point, Story};
pub use line::{Asked, Line};
pub use move_value::{class_of, sort_of, text_of, words_of};
pub use position_analysis::{Study, Verdict};
