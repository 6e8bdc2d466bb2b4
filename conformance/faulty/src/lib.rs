//! A small ADE server in memory that can be told to be wrong in one way, or right in an awkward one.
