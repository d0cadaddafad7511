//! Reads what a plan names: data files, secrets, files that are sent as parts of forms.

use crate::environment;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use warwolf_args::UsageError;
use warwolf_plan::{CheckedPlan, Contents, Table};

/// Data files up to this size are read: all rows are in memory.
const DATA_MAX: u64 = 1 << 30;
/// Files of secrets and of parts of forms up to this size are read.
const FILE_MAX: u64 = 64 << 20;

/// Returns the plan with the contents of what it names.
///
/// # Errors
/// A usage error about the first file or variable that cannot be read, or that does not fit the plan.
pub(crate) fn read(plan: CheckedPlan) -> Result<CheckedPlan, UsageError> {
    let needs = plan.needs();
    let mut contents = Contents {
        began: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
        ..Contents::default()
    };
    for name in needs.environment {
        if let Some(value) = environment::variable(&name) {
            contents.environment.insert(name, value);
        }
    }
    for path in needs.files {
        let content = read_file("file", &path, FILE_MAX)?;
        contents.files.insert(path, content.into());
    }
    for data in needs.data {
        let text = read_file(&format!("data {}", data.name), &data.file, DATA_MAX)?;
        let table = Table::parse(&data.file.display().to_string(), &text).map_err(UsageError::of_field)?;
        contents.tables.push(Arc::new(table));
    }
    plan.with_contents(contents).map_err(UsageError::of_field)
}

fn read_file(what: &str, path: &Path, max: u64) -> Result<Vec<u8>, UsageError> {
    let wrong = |remedy: String| UsageError::value(what, path.display(), remedy);
    let length = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
    if length > max {
        return Err(wrong(format!("it has {length} bytes; use a file of at most {max}")));
    }
    std::fs::read(path).map_err(|error| wrong(error.to_string()))
}
