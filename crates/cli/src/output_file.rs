//! Files that results are written to: whole or not at all.

use crate::exit::Failure;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use warwolf_args::{FileError, UsageError};

/// Mode of new files. Results contain the plan, and a plan may contain passwords.
const PRIVATE: u32 = 0o600;

/// A file for a result. It is checked before the run, so that nothing is lost to a mistyped path, and keeps its old content until
/// the new content is complete.
pub(crate) struct OutputFile {
    path: PathBuf,
    /// What is not a regular file, or is in a folder that takes no new file, is written in place.
    in_place: Option<File>,
}

impl OutputFile {
    /// Checks the file that `--option` names.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn open(option: &'static str, path: &Path) -> Result<Self, UsageError> {
        match check(path) {
            Ok(in_place) => Ok(Self { path: path.to_owned(), in_place }),
            Err(error) => Err(FileError::writing(path, &error).of_option(option).into()),
        }
    }

    /// Replaces the content of the file.
    ///
    /// # Errors
    /// When it cannot be written. The old content is still there, unless the file has to be written in place.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &self.in_place {
            Some(file) => overwrite(file, bytes),
            None => replace(&self.path, bytes),
        };
        written.map_err(|error| FileError::writing(&self.path, &error).into())
    }
}

/// Opens a file that has to be written in place, and checks any other. Changes nothing.
fn check(path: &Path) -> io::Result<Option<File>> {
    match OpenOptions::new().write(true).open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(if try_part(path).is_ok() { None } else { Some(file) }),
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => try_part(path).map(|()| None),
        Err(error) => Err(error),
    }
}

fn try_part(path: &Path) -> io::Result<()> {
    let part = part_of(&target(path));
    create(&part)?;
    fs::remove_file(part)
}

/// Writes a file under a temporary name in the same folder, and renames it when it is complete. A new file can be read only by its
/// owner; an existing one keeps its mode.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = target(path);
    let part = part_of(&path);
    let write = || {
        let mut file = create(&part)?;
        if let Ok(old) = fs::metadata(&path) {
            file.set_permissions(Permissions::from_mode(old.permissions().mode() & 0o777))?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, &path)
    };
    let written = write();
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

/// Where a link leads: a link is not replaced by a file.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The temporary name of a file.
fn part_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

fn create(part: &Path) -> io::Result<File> {
    // An earlier process of the same number may have been killed.
    let _ = fs::remove_file(part);
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(part)
}

/// Only a regular file has a length to set.
fn overwrite(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    file.write_all(bytes)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn nothing_is_left_of_a_run_that_failed() {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("old.json");
        fs::write(&old, "old").unwrap();
        drop(OutputFile::open("output", &old).unwrap());
        drop(OutputFile::open("output", &folder.path().join("new.json")).unwrap());
        assert_eq!((fs::read_to_string(&old).unwrap().as_str(), names(folder.path()).len()), ("old", 1));
    }

    #[test]
    fn a_new_file_is_private_and_an_old_one_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let (new, old) = (folder.path().join("new.wwr"), folder.path().join("old.wwr"));
        fs::write(&old, "a longer text").unwrap();
        fs::set_permissions(&old, Permissions::from_mode(0o644)).unwrap();
        for (path, expected) in [(&new, 0o600), (&old, 0o644)] {
            OutputFile::open("output", path).unwrap().write(b"text").unwrap();
            assert_eq!((fs::read(path).unwrap(), mode(path)), (b"text".to_vec(), expected), "{path:?}");
        }
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn a_link_is_followed_and_a_device_is_written_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        OutputFile::open("output", &link).unwrap().write(b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        OutputFile::open("output", Path::new("/dev/null")).unwrap().write(b"new").unwrap();
        assert!(OutputFile::open("output", Path::new("/dev/full")).unwrap().write(b"new").is_err());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_refused_before_the_run() {
        let folder = tempfile::tempdir().unwrap();
        assert!(OutputFile::open("output", &folder.path().join("no/such.json")).is_err());
        assert!(OutputFile::open("output", folder.path()).is_err());
    }
}
