//! Positions and games judged for whoever asks: on a bounded pool, told as it is found out, and stopped when nobody listens any
//! more. What is proven and what is estimated is never mixed up. Nothing here knows a game, a page or a socket.

mod analysts;
mod game_report;
mod line;
mod move_value;
mod position_analysis;

pub use analysts::Analysis;
pub use game_report::{GameReport, PlayedMove, PlyReport};
pub use line::{AnalysisLine, AnalysisQuery};
pub use move_value::{proof_text, value_class, value_text, value_words};
pub use position_analysis::{PositionAnalysis, PositionReport};
