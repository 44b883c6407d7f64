//! What the dashboard can take: points in, pages out, and what holding them takes.

mod bench;
mod exports;
mod ingest;
mod updates;

pub(crate) use bench::BENCH;
