//! Marks of responses for the cache of responses.

/// Marks a response that depends on caller, request and book alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cacheable;

/// Marks a response that came from the cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheHit;
