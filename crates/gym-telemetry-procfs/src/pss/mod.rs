//! Proportional memory, read within a budget.
//!
//! A `Walk` reads one tree, as far as the `Budget` that all trees share reaches in one sample. A `Refusal` says why a
//! tree has no proportional memory.

mod budget;
mod price;
mod refusal;
mod settings;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use budget::Budget;
pub(crate) use refusal::Refusal;
pub use settings::PssBudget;
pub(crate) use walk::Walk;
