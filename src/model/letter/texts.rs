//! All texts of emails, in one table. Names in braces stand for values ([`super::Letter::with`]);
//! `{service}` and `{way}` are always present. Another language is another table of the same shape.

use super::Template;

/// Instructions where there is a page.
pub(super) const LINK: &str = "{link}\n\nIf a form asks for the token, it is:\n\n{token}";

/// Instructions where there is no page.
pub(super) const CALL: &str = "This service has no page for it. Send it this request, or have it sent, with\n\
                               your own words in place of the dots:\n\n{call}";

/// Placeholder for the recipient's own words.
pub(super) const OWN: &str = "...";

/// The request of an occasion: its path, and the members of its body.
pub(super) fn call(template: Template) -> (&'static str, &'static [&'static str]) {
    match template {
        Template::ResetPassword => ("/api/{collection}/reset-password", &["token", "password"]),
        Template::VerifyEmail | Template::NewAddress => ("/api/{collection}/verify/{token}", &[]),
        Template::Invitation => (
            "/api/{collection}/accept",
            &["token", "firstName", "lastName", "password"],
        ),
        Template::Unlock => ("/api/{collection}/unlock", &["token"]),
        Template::Changed | Template::AddressWanted => ("", &[]),
    }
}

/// Subject and body of an occasion.
pub(super) fn text(template: Template) -> (&'static str, &'static str) {
    match template {
        Template::ResetPassword => (
            "{service}: a new password",
            "Hello {name},\n\n\
             someone, hopefully you, asked for a new password. Choose it within\n\
             {minutes} minutes:\n\n{way}\n\n\
             If it was not you, do nothing: your password stays as it is.\n\n{service}\n",
        ),
        Template::VerifyEmail => (
            "{service}: prove your address",
            "Hello {name},\n\n\
             an account was created with this address. Prove that the address is yours:\n\n{way}\n\n\
             {service}\n",
        ),
        Template::Invitation => (
            "{service}: an invitation from {organization}",
            "Hello,\n\n\
             {inviter} invites you to work for {organization}. Accept within {days} days:\n\n\
             {way}\n\n{service}\n",
        ),
        Template::Unlock => (
            "{service}: a way in",
            "Hello {name},\n\n\
             someone, hopefully you, could not sign in because of wrong passwords that were\n\
             tried under your name. Within {minutes} minutes this makes your browser known, and\n\
             your password is checked there without delay:\n\n{way}\n\n\
             If it was not you, do nothing.\n\n{service}\n",
        ),
        Template::NewAddress => (
            "{service}: prove your new address",
            "Hello {name},\n\n\
             someone, hopefully you, wants this address for an account here. Prove within {hours}\n\
             hours that it is yours:\n\n{way}\n\n\
             If it was not you, do nothing.\n\n{service}\n",
        ),
        Template::AddressWanted => (
            "{service}: your address was asked for",
            "Hello {name},\n\n\
             someone wanted this address for an account here. It is the address of your account\n\
             already, and this does not change. You need not do anything.\n\n{service}\n",
        ),
        Template::Changed => (
            "{service}: {what}",
            "Hello {name},\n\n\
             the following was changed in your account here: {what}.\n\n\
             If it was not you, ask for a new password at once, and inform the Association.\n\n\
             {service}\n",
        ),
    }
}
