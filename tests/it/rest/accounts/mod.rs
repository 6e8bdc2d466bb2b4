//! Accounts: signing in, its factors, and what an account may change of itself.

mod addresses;
mod attempts;
mod invitations;
mod passkeys;
mod passwords;
mod recovery;
mod second_factor;
mod sessions;
mod sign_in;
mod weak_passwords;
