//! Who may send.

use std::fmt;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, ORIGIN};
use subtle::ConstantTimeEq;

use super::refusal::Refusal;

/// What senders have to know.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn new(token: String) -> Option<Self> {
        (!token.is_empty()).then_some(Self(token))
    }

    /// Compares without telling by its time how much was right.
    fn is(&self, brought: &[u8]) -> bool {
        brought.ct_eq(self.0.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

/// Turns away pages, and those who do not know the token.
///
/// A page that a browser has loaded can point its own name at this machine, and then send to it as to its own server.
/// Its browser says so in `Origin`; exporters send no such header.
pub(super) fn check(headers: &HeaderMap, token: Option<&Token>) -> Result<(), Refusal> {
    if headers.contains_key(ORIGIN) {
        return Err(Refusal::Page);
    }
    let brought = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    match token {
        Some(token) if !brought.is_some_and(|brought| token.is(brought)) => Err(Refusal::Token),
        _ => Ok(()),
    }
}
