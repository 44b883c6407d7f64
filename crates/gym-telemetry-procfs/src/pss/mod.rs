//! Proportional memory, read within a budget.

mod budget;
mod refusal;
mod settings;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use budget::Budget;
pub(crate) use refusal::Refusal;
pub use settings::PssBudget;
pub(crate) use walk::Walk;
