//! Reads the tables of the metric contract.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "test code: a broken table fails, a missing one is said")]

use std::collections::BTreeMap;
use std::path::Path;

/// One row: its cells by column.
pub(crate) type Row = BTreeMap<String, String>;

/// The rows of a table; `None`, with a printed reason, where there is no contract beside the workspace.
pub(crate) fn table(name: &str) -> Option<Vec<Row>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec");
    if !folder.is_dir() {
        println!("skipped: no metric contract at {}", folder.display());
        return None;
    }
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let mut lines = text.lines();
    let columns: Vec<_> = lines.next().unwrap().split('\t').collect();
    Some(lines.map(|line| row(&columns, line)).collect())
}

/// A line's cells by column. Trailing empty cells may be left off.
fn row(columns: &[&str], line: &str) -> Row {
    let cells = line.split('\t').chain(std::iter::repeat(""));
    columns.iter().zip(cells).map(|(column, cell)| ((*column).to_owned(), cell.to_owned())).collect()
}

/// Whether a cell of values names them all: it holds no `*description*` and no range.
pub(crate) fn is_closed(cell: &str) -> bool {
    !cell.contains(['*', '<']) && !cell.contains("..")
}

/// The values of a cell that stand for themselves: no `*description*`, no `<server>:<kind>`, no range.
pub(crate) fn fixed_values(cell: &str) -> Vec<String> {
    let outside = cell.split('*').step_by(2).flat_map(str::split_whitespace);
    outside.filter(|value| !value.contains(':') && !value.contains("..")).map(str::to_owned).collect()
}
