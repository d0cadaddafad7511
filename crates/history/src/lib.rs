//! Runs that are kept: one SQLite file, safe under several programs at once and when one of them is killed.
//!
//! Each run is there whole, as the bytes of its run file, and beside it the figures that lists and trends show, so that these
//! need not unpack it. Whatever changes does so in one transaction; the log is written ahead (WAL), so that who reads never
//! waits for who writes.
#![forbid(unsafe_code)]

mod schema;

use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Row, ToSql, Transaction, TransactionBehavior, params,
};
use std::path::Path;
use std::time::Duration;
use warwolf_measure::{Run, RunFileError, Summary, judge};

/// How long a program waits for another one that writes.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often it waits for its turn where the turn may be lost again; the first program that gets through ends it for all.
const TRIES: usize = 10;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The file is no database, that of another program, or a broken one.
    #[error("it is not a history, or it is damaged; move it away and a new one is made")]
    NotAHistory,
    /// It is of a later version.
    #[error(
        "it is of schema {found}, and this version knows schemas up to {known}; use the version that wrote it"
    )]
    Newer {
        /// Its schema.
        found: i64,
        /// The latest schema known here.
        known: i64,
    },
    /// There is no such run.
    #[error("there is no run {0}; `warwolf history list` shows them")]
    NoRun(i64),
    /// The run in it cannot be read.
    #[error("run {id}: {error}")]
    Run {
        /// Which.
        id: i64,
        /// Why.
        error: RunFileError,
    },
    /// Any other error of the database.
    #[error("{0}")]
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for HistoryError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::NotAHistory,
            _ => Self::Database(error),
        }
    }
}

/// What lists and trends show of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number.
    pub id: i64,
    /// What it was kept as.
    pub name: String,
    /// When it began, in nanoseconds since 1970; zero when unknown.
    pub started_unix_ns: i64,
    /// Its verdict: `VALID`, `DEGRADED` or `INVALID`.
    pub verdict: String,
    /// What it loaded.
    pub target: String,
    /// Completed calls a second.
    pub rate_per_s: f64,
    /// Latency quantiles 0.5, 0.9 and 0.99 in nanoseconds, where known.
    pub quantiles_ns: [Option<f64>; 3],
    /// Share of calls without the reply that was asked for (0 to 1).
    pub error_share: Option<f64>,
    /// Completed calls.
    pub completed: i64,
    /// Its tags, in the order of the alphabet.
    pub tags: Vec<String>,
}

/// The tag of the run that others are compared with.
pub const BASELINE: &str = "baseline";

/// Which runs are asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Those kept under this name; all when there is none.
    pub name: Option<String>,
    /// Those with this tag.
    pub tag: Option<String>,
    /// The latest of them, so many.
    pub latest: Option<u32>,
}

/// A history that is open.
#[derive(Debug)]
pub struct History(Connection);

const COLUMNS: &str = "id, name, started_unix_ns, verdict, target, rate_per_s, p50_ns, p90_ns, p99_ns, error_share, completed, \
     (SELECT group_concat(tag, char(10)) FROM (SELECT tag FROM tags WHERE run = runs.id ORDER BY tag))";

impl History {
    /// Opens the history in a file, which is made when it is not there, and brings its schema up to date.
    ///
    /// # Errors
    /// When the file is no history, damaged, of a later version, or cannot be had. It is as it was then.
    pub fn open(path: &Path) -> Result<Self, HistoryError> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        schema::recognise(&mut connection)?;
        write_ahead(&mut connection)?;
        // With FULL a run that was reported as kept survives a power failure.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        schema::migrate(&mut connection)?;
        Ok(Self(connection))
    }

    /// A transaction that will write. It waits for other writers at its beginning: one that reads first and finds that another
    /// has written since cannot go on, however long it waits.
    fn write(&mut self) -> Result<Transaction<'_>, HistoryError> {
        Ok(self.0.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    /// Keeps a run under a name and gives its number.
    ///
    /// # Errors
    /// When the database does not take it.
    pub fn keep(&mut self, name: &str, run: &Run) -> Result<i64, HistoryError> {
        let summary = Summary::of(run);
        let quantile = |name| summary.latency.quantile_ns(name).map(|ns| ns as f64);
        let target = run.targets.first().cloned().unwrap_or_default();
        let transaction = self.write()?;
        transaction.execute(
            "INSERT INTO runs (name, started_unix_ns, verdict, target, rate_per_s, p50_ns, p90_ns, p99_ns, error_share, \
             completed, run) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                name,
                i64::try_from(run.started_unix_ns()).unwrap_or(i64::MAX),
                judge(&summary).grade.name(),
                target,
                summary.achieved.rate_per_s.value,
                quantile("p50"),
                quantile("p90"),
                quantile("p99"),
                summary.error_share,
                i64::try_from(summary.accounting.completed).unwrap_or(i64::MAX),
                run.encode()
            ],
        )?;
        let id = transaction.last_insert_rowid();
        transaction.commit()?;
        Ok(id)
    }

    /// The runs asked for, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Entry>, HistoryError> {
        let latest = filter.latest.map_or(-1, i64::from);
        let mut rows = self.0.prepare(&format!(
            "SELECT * FROM (SELECT {COLUMNS} FROM runs WHERE (?1 IS NULL OR name = ?1) AND \
             (?2 IS NULL OR EXISTS (SELECT 1 FROM tags WHERE run = runs.id AND tag = ?2)) ORDER BY id DESC LIMIT ?3) ORDER BY id"
        ))?;
        let arguments: [&dyn ToSql; 3] = [&filter.name, &filter.tag, &latest];
        let entries = rows.query_map(arguments, entry)?;
        Ok(entries.collect::<Result<_, _>>()?)
    }

    /// A run with what lists show of it.
    ///
    /// # Errors
    /// When it is not there, or cannot be read.
    pub fn run(&self, id: i64) -> Result<(Entry, Run), HistoryError> {
        let sql = format!("SELECT {COLUMNS}, run FROM runs WHERE id = ?1");
        let found =
            self.0.query_row(&sql, [id], |row| Ok((entry(row)?, row.get::<_, Vec<u8>>(12)?))).optional()?;
        let (entry, bytes) = found.ok_or(HistoryError::NoRun(id))?;
        Ok((entry, Run::decode(&bytes).map_err(|error| HistoryError::Run { id, error })?))
    }

    /// Tags a run. Of the runs of one name at most one is the baseline; it is another one before.
    ///
    /// # Errors
    /// When it is not there.
    pub fn tag(&mut self, id: i64, tag: &str) -> Result<(), HistoryError> {
        let transaction = self.write()?;
        let name: Option<String> = transaction
            .query_row("SELECT name FROM runs WHERE id = ?1", [id], |row| row.get(0))
            .optional()?;
        let name = name.ok_or(HistoryError::NoRun(id))?;
        if tag == BASELINE {
            transaction.execute(
                "DELETE FROM tags WHERE tag = ?1 AND run IN (SELECT id FROM runs WHERE name = ?2)",
                params![tag, name],
            )?;
        }
        transaction.execute("INSERT OR IGNORE INTO tags (run, tag) VALUES (?1, ?2)", params![id, tag])?;
        Ok(transaction.commit()?)
    }

    /// Takes a tag off a run; whether it was there.
    ///
    /// # Errors
    /// When the database does not take it.
    pub fn untag(&mut self, id: i64, tag: &str) -> Result<bool, HistoryError> {
        Ok(self.0.execute("DELETE FROM tags WHERE run = ?1 AND tag = ?2", params![id, tag])? > 0)
    }

    /// Forgets all but the latest `keep` runs of every name, or of one, and gives how many went. Tagged runs stay.
    ///
    /// # Errors
    /// When the database does not take it.
    pub fn prune(&mut self, name: Option<&str>, keep: u32) -> Result<usize, HistoryError> {
        let gone = self.0.execute(
            "DELETE FROM runs WHERE (?1 IS NULL OR name = ?1) AND id NOT IN (SELECT run FROM tags) AND id NOT IN \
             (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY name ORDER BY id DESC) AS place FROM runs) \
             WHERE place <= ?2)",
            params![name, keep],
        )?;
        Ok(gone)
    }
}

/// Lets the log be written ahead. A history that was just made has to be had alone for that, and SQLite gives up at once when
/// another program reads it at that moment: it has read itself by then, and two that both read and want to write would wait
/// for each other, so it does not ask its busy handler. It does for who wants the file alone from the beginning: that waits
/// until the others are done.
fn write_ahead(connection: &mut Connection) -> Result<(), HistoryError> {
    let mut left = TRIES;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if left > 0 && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                left -= 1;
                connection.transaction_with_behavior(TransactionBehavior::Exclusive)?.rollback()?;
            }
            done => return Ok(done?),
        }
    }
}

fn entry(row: &Row<'_>) -> Result<Entry, rusqlite::Error> {
    let tags: Option<String> = row.get(11)?;
    Ok(Entry {
        id: row.get(0)?,
        name: row.get(1)?,
        started_unix_ns: row.get(2)?,
        verdict: row.get(3)?,
        target: row.get(4)?,
        rate_per_s: row.get(5)?,
        quantiles_ns: [row.get(6)?, row.get(7)?, row.get(8)?],
        error_share: row.get(9)?,
        completed: row.get(10)?,
        tags: tags.iter().flat_map(|tags| tags.lines()).map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests;
