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

/// Whether a database is a history, or empty and can become one. Nothing is written: a file that is something else stays as
/// it is, even if it is a database.
pub(crate) fn recognise(connection: &mut Connection) -> Result<(), HistoryError> {
    // In one transaction, or another program may make the history between one look and the next.
    let look = connection.transaction()?;
    let found = version(&look)?;
    let known = STEPS.len() as i64;
    if found > known {
        return Err(HistoryError::Newer { found, known });
    }
    let count = |sql: &str| look.query_row(sql, [], |row| row.get::<_, i64>(0));
    let tables = count("SELECT count(*) FROM sqlite_master")?;
    let ours = count(
        "SELECT count(*) FROM pragma_table_info('runs') WHERE name IN ('id', 'name', 'started_unix_ns', 'verdict', 'run')",
    )?;
    let is_history = if found == 0 { tables == 0 } else { ours == 5 };
    // A file that was cut short has fewer pages than its header states, which reading one page does not show.
    let damage = look.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))?;
    if is_history && damage == "ok" { Ok(()) } else { Err(HistoryError::NotAHistory) }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Brings a database up to date, once, however many programs try at the same time.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), HistoryError> {
    let known = STEPS.len() as i64;
    if version(connection)? == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have been here since, even one of a later version.
    let found = version(&transaction)?;
    if found > known {
        return Err(HistoryError::Newer { found, known });
    }
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    Ok(transaction.commit()?)
}

/// The first version, for the test of what leads from it to this one.
#[cfg(test)]
pub(crate) const FIRST: &str = STEPS[0];
