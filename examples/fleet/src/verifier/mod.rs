//! A verifier that really scores: a boxed answer, a final-answer phrase, or arithmetic.

mod arithmetic;
mod extract;
mod question;
mod score;
#[cfg(test)]
mod tests;

pub(crate) use arithmetic::evaluate;
pub(crate) use question::Question;
pub(crate) use score::{Task, score};
