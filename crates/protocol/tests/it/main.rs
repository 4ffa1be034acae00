//! Integration tests, one program for the crate.

mod ugi_server;
