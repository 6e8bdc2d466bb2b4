use std::ops::ControlFlow;

/// A step of a run, for whoever watches it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// An iteration of the equations, with what is left of the right-hand side as part of it.
    Iteration { number: u32, residual: f64 },
    /// A round of reliabilities, from 1.
    Round(u32),
}

/// Is called after each step, and stops the run if it says so.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;
