//! Analysis of positions and games, on the server's thread pool or by workers. Results are streamed while they improve, and an analysis
//! stops when its client disconnects. Proven values and estimates are always distinguished. No module here knows a particular game, a
//! page or a socket.

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
