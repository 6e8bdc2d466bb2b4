//! Herdbook Hub: the server of a Holstein herd book, with its REST and ADE faces.
//!
//! Arrows between the modules point downwards only, and a test keeps them so:
//! `record <- registry <- query <- store <- ops <- api <- main`.

/// Documents and rows are many small pieces of memory, made and dropped by threads of their own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod api;
pub mod cli;
pub mod clock;
pub mod collections;
pub mod config;
pub mod demo;
pub mod derive;
pub mod error;
pub mod exchange;
pub mod files;
pub mod mail;
pub mod mapping;
pub mod ops;
pub mod outward;
pub mod query;
pub mod record;
pub mod registry;
pub mod secure;
pub mod store;
pub mod traffic;
pub mod webhooks;
