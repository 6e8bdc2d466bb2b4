//! How emails are sent: by SMTP, or as files in a folder. Their texts are in `model::letter`.

mod post;
mod server;
#[cfg(feature = "smtp")]
mod smtp;

pub use post::FileMail;
pub use server::{Smtp, Tls};
#[cfg(feature = "smtp")]
pub use smtp::SmtpMail;
