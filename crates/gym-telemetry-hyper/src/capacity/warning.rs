use std::fmt;

/// A way in which the intended calls do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CapacityWarning {
    /// More calls are intended than the total limits of all workers let through: the rest will queue.
    Total {
        /// Calls at once, over all workers.
        intended: u64,
        /// Slots, over all workers.
        allowed: u64,
    },
    /// More calls to one host are intended than the limits of all workers let through: the rest will queue.
    PerHost {
        /// Calls at once, over all workers.
        intended: u64,
        /// Slots, over all workers.
        allowed: u64,
    },
    /// A worker may open more sockets than it can have file descriptors: some calls will fail.
    Descriptors {
        /// Sockets of one worker.
        sockets: u64,
        /// The soft limit of its file descriptors.
        limit: u64,
    },
    /// The workers may open more sockets to one destination than there are ports to do so from: some calls will fail.
    Ports {
        /// Sockets to one destination, over all workers.
        sockets: u64,
        /// Ports.
        ports: u64,
    },
}

impl fmt::Display for CapacityWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Total { intended, allowed } => {
                write!(f, "{intended} calls are intended and {allowed} fit through the total limit")
            }
            Self::PerHost { intended, allowed } => {
                write!(f, "{intended} calls to a host are intended and {allowed} fit through its limit")
            }
            Self::Descriptors { sockets, limit } => {
                write!(f, "{sockets} sockets of a worker do not fit into {limit} file descriptors")
            }
            Self::Ports { sockets, ports } => {
                write!(f, "{sockets} sockets to a destination do not fit onto {ports} ephemeral ports")
            }
        }
    }
}
