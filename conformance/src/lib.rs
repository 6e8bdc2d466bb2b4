//! Tests any ICAR ADE 1.5 server by its URL.
