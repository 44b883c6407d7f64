//! A verifier that really scores: a boxed answer, a final-answer phrase, or arithmetic.

mod arithmetic;
mod extract;
mod score;
#[cfg(test)]
mod tests;

pub use arithmetic::evaluate;
pub use score::{Task, score};
