//! The rules of each game a second time, slowly and literally, to compare the fast ones with.

pub mod amazons;
pub mod connect;
pub mod kalah;
pub mod oware;
