//! The fleet from outside, and several crates together.
#![cfg(test)]

mod chaos;
mod export;
mod foreign;
mod layers;
mod page;
mod refusals;
mod resume;
mod run;
mod stop;
mod support;
