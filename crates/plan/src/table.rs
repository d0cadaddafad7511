//! Rows of values for data tables, read from the text of a file.

use crate::PlanError;

/// The rows of a data table, in memory: the text of each cell and eight bytes more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    columns: Vec<String>,
    cells: Vec<u8>,
    /// Where each cell ends, row by row.
    ends: Vec<usize>,
}

impl Table {
    /// Reads a file called `name`: JSON lines if its first byte is a brace, otherwise CSV.
    ///
    /// # Errors
    /// The line that is wrong, and a file without rows.
    pub fn parse(name: &str, text: &[u8]) -> Result<Self, PlanError> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let is_json = text.trim_ascii_start().starts_with(b"{");
        let table = if is_json { Self::json_lines(name, text)? } else { Self::csv(name, text)? };
        if table.rows() == 0 {
            return Err(PlanError::new(name, "no rows", "give a line of names and at least one row"));
        }
        Ok(table)
    }

    /// Reads CSV (RFC 4180): a line of names, then rows with as many cells.
    fn csv(name: &str, text: &[u8]) -> Result<Self, PlanError> {
        let mut reader = csv::ReaderBuilder::new().from_reader(text);
        let wrong = |error: csv::Error| {
            let line = error.position().map_or(0, csv::Position::line);
            PlanError::new(
                format!("{name}, line {line}"),
                error.to_string(),
                "use as many cells in each row as there are names in the first line",
            )
        };
        let columns: Vec<String> =
            reader.headers().map_err(wrong)?.iter().map(|column| column.trim().to_owned()).collect();
        let mut table = Self::with_columns(name, columns)?;
        let mut row = csv::ByteRecord::new();
        while reader.read_byte_record(&mut row).map_err(wrong)? {
            row.iter().for_each(|cell| table.push(cell));
        }
        Ok(table)
    }

    /// Reads JSON lines: one object a line, whose keys are those of the first. Texts are taken without quotes, other values
    /// as JSON.
    fn json_lines(name: &str, text: &[u8]) -> Result<Self, PlanError> {
        let mut table = Self::default();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let field = || format!("{name}, line {number}");
            let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(line)
                .map_err(|error| PlanError::new(field(), error.to_string(), "use one JSON object a line"))?;
            if table.columns.is_empty() {
                table = Self::with_columns(name, object.keys().cloned().collect())?;
            }
            for column in 0..table.columns.len() {
                match object.get(&table.columns[column]) {
                    Some(serde_json::Value::String(text)) => table.push(text.as_bytes()),
                    Some(value) => table.push(value.to_string().as_bytes()),
                    None => {
                        let column = &table.columns[column];
                        return Err(PlanError::new(
                            field(),
                            column,
                            "use the keys of the first line in all lines",
                        ));
                    }
                }
            }
        }
        Ok(table)
    }

    fn with_columns(name: &str, columns: Vec<String>) -> Result<Self, PlanError> {
        if let Some(twice) = (1..columns.len()).find(|at| columns[..*at].contains(&columns[*at])) {
            return Err(PlanError::new(name, &columns[twice], "use each name for one column"));
        }
        if columns.iter().any(String::is_empty) {
            return Err(PlanError::new(
                name,
                "a column without a name",
                "name all columns in the first line",
            ));
        }
        Ok(Self { columns, ..Self::default() })
    }

    fn push(&mut self, cell: &[u8]) {
        self.cells.extend_from_slice(cell);
        self.ends.push(self.cells.len());
    }

    /// Names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The number of the column called `name`.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> u64 {
        (self.ends.len() / self.columns.len().max(1)) as u64
    }

    /// The text of a cell.
    ///
    /// # Panics
    /// When there is no such row or column.
    #[must_use]
    pub fn cell(&self, row: u64, column: usize) -> &[u8] {
        let at = row as usize * self.columns.len() + column;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[start..self.ends[at]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_csv_and_json_lines() {
        let csv = b"\xef\xbb\xbfname,password\nann,\"a,\"\"1\"\n\"b\nob\",\n";
        let json =
            b"{\"name\": \"ann\", \"password\": \"a,\\\"1\"}\n\n{\"password\": \"\", \"name\": \"b\\nob\"}\n";
        for text in [&csv[..], json] {
            let table = Table::parse("users", text).unwrap();
            assert_eq!((table.rows(), table.columns().len()), (2, 2));
            let cell = |row, name| table.cell(row, table.column(name).unwrap());
            let cells = [(0, "name"), (0, "password"), (1, "name"), (1, "password")];
            let cells = cells.map(|(row, column)| cell(row, column));
            assert_eq!(cells, [&b"ann"[..], b"a,\"1", b"b\nob", b""]);
        }
        let table = Table::parse("n", b"{\"n\": 15, \"list\": [1, {\"a\": null}]}").unwrap();
        let cell = |name| table.cell(0, table.column(name).unwrap());
        assert_eq!((cell("n"), cell("list")), (&b"15"[..], &b"[1,{\"a\":null}]"[..]));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, field) in [
            (&b""[..], "users"),
            (b"name\n", "users"),
            (b"a,b\n1,2\n3\n", "users, line 3"),
            (b"a,a\n1,2\n", "users"),
            (b"a,\n1,2\n", "users"),
            (b"{\"a\": 1}\n{\"b\": 1}\n", "users, line 2"),
            (b"{\"a\": 1}\nnot json\n", "users, line 2"),
        ] {
            let error = Table::parse("users", text).unwrap_err();
            assert_eq!(error.field, field, "{error}");
        }
    }
}
