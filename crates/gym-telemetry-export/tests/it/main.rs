//! The exporter against receivers, runtimes and faults.
#![cfg(test)]

mod callbacks;
mod console;
mod failures;
mod foreign;
mod identity;
mod limits;
mod otlp;
mod prometheus;
mod runtimes;
mod spans;
mod support;
