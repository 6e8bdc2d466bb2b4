//! The program `herdbook`.

use std::process::ExitCode;

fn main() -> ExitCode {
    herdbook::cli::main()
}
