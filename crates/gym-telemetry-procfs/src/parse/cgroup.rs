use super::text::{lines, number, split, unescape, words};

/// The two kinds of hierarchy in which control groups lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hierarchy {
    /// The memory controller's own.
    V1,
    /// The unified one.
    V2,
}

/// The control group that accounts for a process's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Membership {
    /// The hierarchy that it lies in.
    pub hierarchy: Hierarchy,
    /// Its path in there, from the hierarchy's root.
    pub path: Vec<u8>,
}

/// Where a hierarchy, or a part of it, is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mount {
    /// The hierarchy.
    pub hierarchy: Hierarchy,
    /// The group that is mounted: the root, or in some containers a group below it.
    pub root: Vec<u8>,
    /// The folder it is mounted at.
    pub point: Vec<u8>,
}

/// Reads the `cgroup` of a process. A memory controller of the first version wins over the unified hierarchy beside
/// it, which then does not account for memory.
#[must_use]
pub fn membership(text: &[u8]) -> Option<Membership> {
    let mut unified = None;
    for line in lines(text) {
        let Some((id, rest)) = split(line, b':') else { continue };
        let Some((controllers, path)) = split(rest, b':') else { continue };
        if controllers.split(|byte| *byte == b',').any(|controller| controller == b"memory") {
            return Some(Membership { hierarchy: Hierarchy::V1, path: path.to_vec() });
        }
        if id == b"0" && controllers.is_empty() {
            unified = Some(Membership { hierarchy: Hierarchy::V2, path: path.to_vec() });
        }
    }
    unified
}

/// Reads `mountinfo`: the mounts of hierarchies that may account for memory.
pub fn mounts(text: &[u8]) -> impl Iterator<Item = Mount> {
    lines(text).filter_map(|line| {
        let mut fields = words(line);
        let (root, point) = (fields.nth(3)?, fields.next()?);
        // A number of optional fields, ended by a dash, stands between.
        let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
        let options = words(line).last()?;
        let hierarchy = match kind {
            b"cgroup2" => Hierarchy::V2,
            b"cgroup" if options.split(|byte| *byte == b',').any(|option| option == b"memory") => Hierarchy::V1,
            _ => return None,
        };
        Some(Mount { hierarchy, root: unescape(root), point: unescape(point) })
    })
}

/// Reads how often a process was killed for want of memory, from `memory.events` or `memory.oom_control`.
#[must_use]
pub fn oom_kills(text: &[u8]) -> Option<u64> {
    lines(text).find_map(|line| number(split(line, b' ').filter(|(name, _)| *name == b"oom_kill")?.1))
}
