//! This process, read from where the system tells of it.

#[cfg(target_os = "linux")]
mod linux;
// Tested on Linux too, where there is more to compare it with.
#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(target_os = "linux", expect(unreachable_pub, reason = "it is public where it is the only one"))]
mod portable;
#[cfg(all(test, target_os = "linux"))]
mod tests;

#[cfg(target_os = "linux")]
pub use linux::ThisProcess;
#[cfg(not(target_os = "linux"))]
pub use portable::ThisProcess;
