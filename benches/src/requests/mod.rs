//! What a request costs with a layer in front of, or within, an axum router.

mod collection;
mod floor;
mod layers;
mod reader;
mod series;
mod stacks;

pub(crate) use stacks::BENCH;
