use std::io;

/// Why there is no proportional memory of a tree.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("smaps_rollup of process {pid} cannot be read: {source}")]
    Unreadable { pid: u32, source: io::Error },
    #[error("smaps_rollup of process {pid} says nothing")]
    Empty { pid: u32 },
    #[error("reading smaps_rollup of process {pid} would take longer than the ceiling allows")]
    TooLarge { pid: u32 },
    #[error("reading all processes takes longer than a reading stays fresh")]
    TooMany,
}
