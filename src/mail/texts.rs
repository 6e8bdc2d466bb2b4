//! Everything that letters say, in one table. Places in braces stand for values
//! ([`super::Letter::with`]); `{service}` and `{link}` are always there. Another language is
//! another table of the same shape.

use super::Template;

/// Subject and body of an occasion.
pub(super) fn text(template: Template) -> (&'static str, &'static str) {
    match template {
        Template::ResetPassword => (
            "{service}: a new password",
            "Hello {name},\n\n\
             somebody, hopefully you, asked for a new password. Choose it here within\n\
             {minutes} minutes:\n\n{link}\n\n\
             If a form asks for the token, it is:\n\n{token}\n\n\
             If it was not you, do nothing: your password stays as it is.\n\n{service}\n",
        ),
        Template::VerifyEmail => (
            "{service}: prove your address",
            "Hello {name},\n\n\
             an account was made with this address. Prove that it is yours:\n\n{link}\n\n\
             If a form asks for the token, it is:\n\n{token}\n\n{service}\n",
        ),
        Template::Invitation => (
            "{service}: an invitation from {organization}",
            "Hello,\n\n\
             {inviter} invites you to work for {organization}. Accept within {days} days:\n\n\
             {link}\n\nIf a form asks for the token, it is:\n\n{token}\n\n{service}\n",
        ),
    }
}
