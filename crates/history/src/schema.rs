//! The tables, and how those of an older version become those of this one.

use crate::HistoryError;
use rusqlite::{Connection, TransactionBehavior};

/// What leads from each version to the next; the number of those done is `user_version`. They are never changed, only added to.
const STEPS: [&str; 2] = [
    "CREATE TABLE runs (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         name TEXT NOT NULL,
         started_unix_ns INTEGER NOT NULL,
         verdict TEXT NOT NULL,
         target TEXT NOT NULL,
         rate_per_s REAL NOT NULL,
         p50_ns REAL, p90_ns REAL, p99_ns REAL,
         error_share REAL,
         completed INTEGER NOT NULL,
         run BLOB NOT NULL
     ) STRICT;
     CREATE INDEX runs_by_name ON runs (name, id);",
    "CREATE TABLE tags (
         run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
         tag TEXT NOT NULL,
         PRIMARY KEY (run, tag)
     ) STRICT, WITHOUT ROWID;",
];

/// Brings a database up to date, once, however many programs try at the same time.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), HistoryError> {
    let known = STEPS.len() as i64;
    let version =
        |connection: &Connection| connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    let found = version(connection)?;
    if found > known {
        return Err(HistoryError::Newer { found, known });
    }
    if found == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have been here since.
    let found = version(&transaction)?;
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    Ok(transaction.commit()?)
}

/// The first version, for the test of what leads from it to this one.
#[cfg(test)]
pub(crate) const FIRST: &str = STEPS[0];
