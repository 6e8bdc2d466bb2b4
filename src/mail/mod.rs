//! Letters to people: what is said ([`Letter`], and all texts in one table), and how it
//! leaves the house ([`Mail`]: by SMTP, or as files). Whoever writes to the book queues a
//! letter with `registry::HookContext::mail`, in the same transaction; `ops::outbox` keeps and
//! delivers it. Must not know users, the store, nor HTTP.

mod house;
mod letter;
mod post;
mod server;
#[cfg(feature = "smtp")]
mod smtp;
mod texts;

pub use house::{House, Links};
pub use letter::{Letter, Template};
pub use post::{FileMail, Mail, Message, NotSent};
pub use server::{Smtp, Tls};
#[cfg(feature = "smtp")]
pub use smtp::SmtpMail;
