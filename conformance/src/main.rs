//! `ade-conformance`: tests any ICAR ADE 1.5 server by its URL.

use std::process::ExitCode;

fn main() -> ExitCode {
    ade_conformance::cli::main()
}
