/// A limit that cannot be divided among the workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CapacityError {
    /// The total limit is smaller than the number of workers.
    #[error(
        "a total limit of {limit} leaves nothing for each of {workers} workers: \
         it takes {workers} or more, or 0 for no limit"
    )]
    Total {
        /// The limit over all workers.
        limit: usize,
        /// The number of workers.
        workers: usize,
    },
    /// The limit per host is smaller than the number of workers.
    #[error(
        "a limit of {limit} per host leaves nothing for each of {workers} workers: \
         it takes {workers} or more, or 0 for no limit"
    )]
    PerHost {
        /// The limit over all workers.
        limit: usize,
        /// The number of workers.
        workers: usize,
    },
}
