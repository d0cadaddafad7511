//! The formats of results.

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: tables.
    Text,
    /// For programs: all data; of a run as described in `schema/report-1.json`.
    Json,
    /// For spreadsheets: a line for each interval, and for each step of a plan with steps; or for each row of the table.
    Csv,
    /// For pull requests.
    Markdown,
    /// For browsers: one page with its charts.
    Html,
    /// For build servers: verdict, SLOs and checks as test cases.
    Junit,
    /// One chart.
    Svg,
}

impl Format {
    /// Returns the name as an argument.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Junit => "junit",
            Self::Svg => "svg",
        }
    }

    /// Returns the format for a file extension in lower case.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "txt" => Self::Text,
            "json" => Self::Json,
            "csv" => Self::Csv,
            "md" | "markdown" => Self::Markdown,
            "html" | "htm" => Self::Html,
            "xml" => Self::Junit,
            "svg" => Self::Svg,
            _ => return None,
        })
    }
}
