//! Parsers of what the kernel writes: from bytes, never panicking, `None` where the content is not what it should be.
//!
//! They are ours because the content may be anything: a kernel that writes less, an emulated `/proc`, a process whose
//! name holds line breaks and parentheses, a mount point that is not UTF-8. The read-only parts allocate nothing.

mod cgroup;
mod host;
mod pressure;
mod process;
mod text;

pub use cgroup::{Hierarchy, Membership, Mount, membership, mounts, oom_kills};
pub use host::{Meminfo, meminfo};
pub use pressure::pressure;
pub use process::{Shares, Stat, Statm, children, shares, stat, statm};
pub use text::number;
