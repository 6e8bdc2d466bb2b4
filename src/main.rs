//! The program `herdbook`. Each folder of `src` is a crate of its own; the manifests say which of them may know
//! which (docs/design/layers.md).

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
