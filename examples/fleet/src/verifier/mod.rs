//! A verifier that really scores: a boxed answer, a final-answer phrase, or arithmetic.

mod arithmetic;
mod extract;
mod score;
#[cfg(test)]
mod tests;

pub(crate) use arithmetic::evaluate;
pub(crate) use score::{Task, score};
