use super::text::amounts;

/// Memory of the host, from `meminfo`: in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meminfo {
    /// All there is.
    pub total: Option<u64>,
    /// What programs can have without swapping.
    pub available: Option<u64>,
}

/// Reads `meminfo`.
#[must_use]
pub fn meminfo(text: &[u8]) -> Meminfo {
    let mut memory = Meminfo::default();
    for (name, bytes) in amounts(text) {
        match name {
            b"MemTotal" => memory.total = Some(bytes),
            b"MemAvailable" => memory.available = Some(bytes),
            _ => {}
        }
    }
    memory
}
