use std::io;

use crate::{parse::Stat, proc::ProcFs};

/// All processes by their parents, for kernels that do not tell children.
#[derive(Debug, Default)]
pub(crate) struct Parents {
    /// By parent.
    rows: Vec<Row>,
    pids: Vec<u32>,
    complete: bool,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    pid: u32,
    stat: Stat,
}

impl Parents {
    /// Forgets what was read, so that the next use reads it anew.
    pub(crate) fn forget(&mut self) {
        self.complete = false;
    }

    /// Reads all processes, unless that has been done. Who ends meanwhile is left out.
    pub(super) fn read(&mut self, proc: &mut ProcFs) -> io::Result<()> {
        if self.complete {
            return Ok(());
        }
        self.pids.clear();
        self.rows.clear();
        proc.numbers(format_args!("."), &mut self.pids)?;
        let row = |pid: &u32| Some(Row { pid: *pid, stat: proc.stat(*pid).ok()? });
        self.rows.extend(self.pids.iter().filter_map(row));
        self.rows.sort_unstable_by_key(|row| row.stat.parent);
        self.complete = true;
        Ok(())
    }

    /// The children of a process that may really be its own: none is older than its parent.
    pub(super) fn children(&self, parent: u32, started: u64) -> impl Iterator<Item = (u32, u64)> {
        let from = self.rows.partition_point(|row| row.stat.parent < parent);
        let rows = self.rows[from..].iter().take_while(move |row| row.stat.parent == parent);
        rows.filter(move |row| row.stat.started >= started).map(|row| (row.pid, row.stat.started))
    }
}
