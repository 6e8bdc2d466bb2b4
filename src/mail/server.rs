//! Where a mail server is.

/// How the connection to a mail server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// From the first byte (port 465).
    Wrapped,
    /// After `STARTTLS`, which must succeed (port 587).
    Starttls,
    /// Not at all: for a server on the same machine only.
    None,
}

/// Where a mail server is.
#[derive(Clone)]
pub struct Smtp {
    pub host: String,
    /// Port; 0: that of the protection.
    pub port: u16,
    /// User; empty: without signing in.
    pub user: String,
    pub password: String,
    pub tls: Tls,
    /// Certificates (PEM) of authorities that may vouch for the server beside the public ones; empty: none.
    pub certificates: Vec<u8>,
}
