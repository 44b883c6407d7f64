//! Tables as a terminal shows them.

use comfy_table::{CellAlignment, Table, presets};

/// A table whose numbers, all but the first column, stand on the right.
pub(super) fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header(header);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

/// A figure as a table shows it, if there is one.
pub(super) fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

/// An amount of memory as a table shows it, if it is known.
pub(super) fn megabytes(bytes: Option<u64>) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a figure to look at")]
    bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6))
}
