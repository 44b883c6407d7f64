//! The control group that bounds the memory of this process, of either version.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Component, Path, PathBuf},
};

use gym_telemetry_core::{ContainerMemory, Pressure};

use crate::{
    parse::{self, Hierarchy, Membership, Mount},
    proc::ProcFs,
};

/// What the kernel puts into a group's folder.
struct Files {
    usage: &'static str,
    limit: &'static str,
    peak: &'static str,
    events: &'static str,
}

const V1: Files = Files {
    usage: "memory.usage_in_bytes",
    limit: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
    events: "memory.oom_control",
};

const V2: Files = Files { usage: "memory.current", limit: "memory.max", peak: "memory.peak", events: "memory.events" };

/// What a first-version group says that has no limit: a number just below 2^63, rounded down to a page.
const UNLIMITED: u64 = (i64::MAX as u64) & !0xffff;

/// Where control groups are mounted.
#[derive(Debug)]
pub(crate) struct Container {
    /// Of the file system, for what `/proc` calls by an absolute path.
    root: PathBuf,
    mounts: Vec<Mount>,
}

impl Container {
    /// Finds the mounts that this process sees below a root folder, which is `/` but for tests.
    pub(crate) fn new(root: &Path, proc: &mut ProcFs) -> Self {
        let mounts = proc.content(format_args!("self/mountinfo")).map(|text| parse::mounts(text).collect());
        Self { root: root.to_owned(), mounts: mounts.unwrap_or_default() }
    }

    /// Looks at the group whose limit binds, or at this process's own where none does.
    ///
    /// Each level above a group bounds it too, so the least limit of all binds. A limit that is not below the host's
    /// memory is none.
    pub(crate) fn look(&self, proc: &mut ProcFs, host_total: Option<u64>) -> ContainerMemory {
        let membership = proc.content(format_args!("self/cgroup")).ok().and_then(parse::membership);
        let Some(membership) = membership else { return ContainerMemory::default() };
        let files = match membership.hierarchy {
            Hierarchy::V1 => V1,
            Hierarchy::V2 => V2,
        };
        let levels = self.levels(&membership);
        let most = host_total.unwrap_or(UNLIMITED);
        let limited = levels.iter().filter_map(|level| {
            let limit = number(level, files.limit).filter(|limit| *limit < most)?;
            Some((limit, level))
        });
        // Of two with the same limit the outer one fills first: the inner one's use is part of its own.
        match limited.reduce(|binding, outer| if outer.0 <= binding.0 { outer } else { binding }) {
            Some((limit, level)) => look_at(level, &files, Some(limit)),
            None => {
                let own = levels.iter().find(|level| number(level, files.usage).is_some());
                own.map_or(ContainerMemory::default(), |own| look_at(own, &files, None))
            }
        }
    }

    /// The folders of a group and of all above it, as far as they are mounted.
    fn levels(&self, group: &Membership) -> Vec<PathBuf> {
        let mounts = || self.mounts.iter().filter(|mount| mount.hierarchy == group.hierarchy);
        let found = mounts().find_map(|mount| Some((mount, below(&group.path, &mount.root)?)));
        // A group outside of what is mounted is bounded by what is mounted, if that is all there is to be seen.
        let Some((mount, below)) = found.or_else(|| Some((mounts().next()?, Path::new("")))) else { return Vec::new() };
        let point = self.root.join(relative(&mount.point));
        point.join(below).ancestors().take_while(|level| level.starts_with(&point)).map(Path::to_owned).collect()
    }
}

/// The path of a group from another one down; none if it does not lie below that.
fn below<'a>(group: &'a [u8], root: &[u8]) -> Option<&'a Path> {
    let below = path(group).strip_prefix(path(root)).ok()?;
    below.components().all(|part| matches!(part, Component::Normal(_))).then_some(below)
}

/// What one group tells.
fn look_at(level: &Path, files: &Files, limit: Option<u64>) -> ContainerMemory {
    let mut memory = ContainerMemory::default();
    memory.used.current = number(level, files.usage);
    memory.used.peak = number(level, files.peak);
    memory.limit = limit;
    memory.oom_kills = fs::read(level.join(files.events)).ok().and_then(|text| parse::oom_kills(&text));
    memory.pressure =
        fs::read(level.join("memory.pressure")).map_or(Pressure::default(), |text| parse::pressure(&text));
    memory
}

/// The number in a file of a group, if there is one.
fn number(level: &Path, file: &str) -> Option<u64> {
    parse::number(&fs::read(level.join(file)).ok()?)
}

/// Bytes as a path, which need not be UTF-8.
fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// A path without its leading slashes.
fn relative(bytes: &[u8]) -> &Path {
    let path = path(bytes);
    path.strip_prefix("/").unwrap_or(path)
}
