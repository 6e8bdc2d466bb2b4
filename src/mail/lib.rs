//! How emails are sent: by SMTP, or as files in a folder. Their texts are in `model::letter`.

mod file;
mod server;
#[cfg(feature = "smtp")]
mod smtp;

pub use file::FileMail;
pub use server::{Smtp, Tls};
#[cfg(feature = "smtp")]
pub use smtp::SmtpMail;
