//! The fleet from outside, and several crates together.
#![cfg(test)]

mod chaos;
mod export;
mod foreign;
mod layers;
mod limits;
mod page;
mod refusals;
mod resume;
mod run;
mod startup;
mod stop;
mod support;
