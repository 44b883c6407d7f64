use super::text::{amounts, number, words};

/// Memory of one process, from its `statm`: in pages, all zero for one without memory, such as a zombie.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statm {
    /// What is mapped.
    pub size: u64,
    /// What of it is in memory.
    pub resident: u64,
    /// What of that comes from files or shared memory.
    pub shared: u64,
}

/// Who a process is, from its `stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stat {
    /// The id of its parent; zero where the parent is out of sight.
    pub parent: u32,
    /// When it started, in clock ticks since the host did. Together with its id this tells it from all others.
    pub started: u64,
}

/// Memory of one process, from its `smaps_rollup`: in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shares {
    /// What is in memory.
    pub rss: u64,
    /// The same, with shared pages divided among those who map them.
    pub pss: u64,
}

/// Reads `statm`.
#[must_use]
pub fn statm(text: &[u8]) -> Option<Statm> {
    let mut fields = words(text).map(number);
    let mut next = || fields.next().flatten();
    Some(Statm { size: next()?, resident: next()?, shared: next()? })
}

/// Reads `stat`, whatever the process calls itself.
#[must_use]
pub fn stat(text: &[u8]) -> Option<Stat> {
    // The name stands in parentheses and may hold any byte; no parenthesis comes after it.
    let name_ends = text.iter().rposition(|byte| *byte == b')')?;
    let mut fields = words(&text[name_ends + 1..]);
    let parent = number(fields.nth(1)?)?;
    let started = number(fields.nth(17)?)?;
    Some(Stat { parent: u32::try_from(parent).ok()?, started })
}

/// Reads the `children` of one thread: process ids, as far as they are any.
pub fn children(text: &[u8]) -> impl Iterator<Item = u32> {
    words(text).map_while(number).map_while(|pid| u32::try_from(pid).ok())
}

/// Reads `smaps_rollup`. A process without memory has an empty one on some kernels: that is `None`, as is junk.
#[must_use]
pub fn shares(text: &[u8]) -> Option<Shares> {
    let (mut rss, mut pss) = (None, None);
    for (name, bytes) in amounts(text) {
        match name {
            b"Rss" => rss = Some(bytes),
            b"Pss" => pss = Some(bytes),
            _ => continue,
        }
        if let (Some(rss), Some(pss)) = (rss, pss) {
            return Some(Shares { rss, pss });
        }
    }
    None
}
