//! The program of `cargo xtask`. All code is in the library, which lab uses too.

fn main() -> std::process::ExitCode {
    xtask::main()
}
