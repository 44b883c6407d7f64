use std::{fs, path::Path, process};

use crate::{
    parse,
    proc::{ProcFs, gone},
    tree::ProcessTree,
};

/// More newcomers than this are not looked at one by one.
const MOST: u32 = 256;

/// Who has come since the last sample.
///
/// The kernel numbers processes and threads in turn, so newcomers have the numbers after the one that it gave out last
/// when the last sample began.
#[derive(Debug)]
pub(super) struct Newcomers {
    /// Whether `/proc` numbers processes as the kernel does for this one. That of another namespace does not.
    numbered: bool,
    last: Option<u32>,
    /// The parents of those who have come.
    parents: Vec<u32>,
    /// Whether others may have come too.
    unknown: bool,
}

impl Newcomers {
    pub(super) fn new(root: &Path) -> Self {
        let own = fs::read_link(root.join("proc/self"));
        let numbered = own.is_ok_and(|own| own.as_os_str() == &*process::id().to_string());
        Self { numbered, last: None, parents: Vec::new(), unknown: true }
    }

    /// Finds out who has come since the last call.
    pub(super) fn look(&mut self, proc: &mut ProcFs) {
        let now = proc.content(format_args!("sys/kernel/ns_last_pid")).ok().and_then(parse::number);
        let now = now.and_then(|number| u32::try_from(number).ok()).filter(|_| self.numbered);
        let last = std::mem::replace(&mut self.last, now);
        self.parents.clear();
        self.unknown = true;
        let Some((last, now)) = last.zip(now) else { return };
        // Numbers that have begun anew from the bottom are not followed.
        if now.checked_sub(last).is_none_or(|count| count > MOST) {
            return;
        }
        self.unknown = false;
        for number in last + 1..=now {
            match proc.stat(number) {
                Ok(stat) => self.parents.push(stat.parent),
                Err(error) => self.unknown |= !gone(&error),
            }
        }
    }

    /// Whether a tree may have grown.
    pub(super) fn may_belong_to(&self, tree: &ProcessTree) -> bool {
        self.unknown || self.parents.iter().any(|parent| tree.contains(*parent))
    }
}
