//! Proportional memory, read within a budget.

mod budget;
mod settings;
mod walk;

pub(crate) use budget::Budget;
pub use settings::PssBudget;
pub(crate) use walk::{Refusal, Walk};
