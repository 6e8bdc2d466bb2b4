//! How the program ends, for scripts.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The command succeeded.
    Done,
    /// It is not.
    Failed,
    /// The command line was not understood.
    Usage,
    /// It is done, and something was found.
    Findings,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Findings => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// All of them with their meaning, as docs/operations.md has them.
pub const EXITS: [(Exit, &str); 4] = [
    (Exit::Done, "Done; a server was stopped and shut down cleanly"),
    (Exit::Failed, "Failed; standard error says what failed, where, and what to do next. Nothing is half done"),
    (Exit::Usage, "The command line is wrong; nothing was done"),
    (
        Exit::Findings,
        "Done, and something was found: faults (`check`), differences (`schema --diff`), broken promises of the other server (`follow`), refused rows (`import`), a package that is not as it was signed (`verify`)",
    ),
];
