//! The rules of CONTRIBUTING.md that a program can check.

mod check;
mod finding;
mod layering;
mod manifests;
mod shape;
mod shares;
mod sources;
mod words;

pub(crate) use check::check;
pub(crate) use shares::report_shares;
