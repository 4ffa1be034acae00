//! Integration tests, one program for the crate.

mod amazons;
mod amazons_mcts;
mod book;
mod connect;
mod kalah;
mod kalah_search;
mod oware_search;
mod oware_solver;
mod oware_table_solver;
mod oware_tables;
mod rows;
mod stopping;
