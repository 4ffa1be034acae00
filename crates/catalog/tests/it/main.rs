//! Integration tests of the catalogue: one binary, one module per subject.

mod engine_memory;
