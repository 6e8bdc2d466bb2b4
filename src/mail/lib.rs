//! How letters leave: by SMTP, or as files in a folder. What they say is in `model::letter`.

mod post;
mod server;
#[cfg(feature = "smtp")]
mod smtp;

pub use post::FileMail;
pub use server::{Smtp, Tls};
#[cfg(feature = "smtp")]
pub use smtp::SmtpMail;
