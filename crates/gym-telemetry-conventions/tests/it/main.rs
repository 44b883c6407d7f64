//! Tests of the table: by itself, and against the metric contract.

mod contract;
mod spec;
mod table;
