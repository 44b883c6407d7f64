use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::bench::Findings;

/// Figures that are no comparison event by event.
#[derive(Debug)]
pub(crate) struct Table {
    bench: &'static str,
    columns: &'static [&'static str],
    rows: Vec<Vec<Cell>>,
}

/// What stands in one place of a table.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    Words(String),
    /// A number, shown with so many decimals.
    Figure(f64, usize),
    Nothing,
}

impl Table {
    /// A table without rows. The first column is for words, the others are for figures.
    pub(crate) fn new(bench: &'static str, columns: &'static [&'static str]) -> Self {
        Self { bench, columns, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table below a line that says what it shows.
    pub(crate) fn findings(&self, title: &str) -> Findings {
        let mut text = format!("{title}\n\n| {} |\n| ---", self.columns.join(" | "));
        text += &" | --:".repeat(self.columns.len().saturating_sub(1));
        text += " |\n";
        for row in &self.rows {
            let cells: Vec<_> = row.iter().map(Cell::text).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        Findings { text, json: self.rows.iter().map(|row| self.json(row).to_string()).collect() }
    }

    fn json(&self, row: &[Cell]) -> Value {
        let cells = self.columns.iter().zip(row).map(|(column, cell)| ((*column).to_owned(), cell.json()));
        [("bench".to_owned(), json!(self.bench))].into_iter().chain(cells).collect::<Map<_, _>>().into()
    }
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Words(words) => words.clone(),
            Self::Figure(value, decimals) => format!("{value:.decimals$}"),
            Self::Nothing => String::new(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Words(words) => json!(words),
            Self::Figure(value, _) => json!(value),
            Self::Nothing => Value::Null,
        }
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_line_of_markdown_and_an_object_of_json() {
        let mut table = Table::new("memory", &["RSS", "ns", "allocations"]);
        table.row(["ours".into(), Cell::Figure(1234.56, 1), Cell::Nothing]);
        let Findings { text, json } = table.findings("Of a process.");
        assert_eq!(text, "Of a process.\n\n| RSS | ns | allocations |\n| --- | --: | --: |\n| ours | 1234.6 |  |\n");
        let object = json!({"bench": "memory", "RSS": "ours", "ns": 1234.56, "allocations": null});
        assert_eq!(serde_json::from_str::<Value>(&json[0]).unwrap(), object);
    }
}
