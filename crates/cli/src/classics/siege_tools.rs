//! What comes with siege: `siege2csv`, `bombardment` and `siege.config`.

use crate::date::Zone;
use crate::output_file::replace;
use crate::streams;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use warwolf_args::reason;
use warwolf_compat::siege::{csv, template};

/// `siege2csv FILE`: a table of the reports in FILE, in FILE.csv.
pub(super) fn siege2csv(argv: &[String]) -> u8 {
    let Some(text) = argv.get(1).and_then(|file| std::fs::read(file).ok()) else {
        streams::say("Can't open data file or no data file specified.\n");
        return 2;
    };
    let path = format!("{}.csv", argv[1]);
    done(&path, replace(Path::new(&path), csv(&String::from_utf8_lossy(&text)).as_bytes()))
}

/// `siege.config`: writes the template of the rc file where there is none.
pub(super) fn config(_argv: &[String]) -> u8 {
    let folder = PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".siege");
    let path = folder.join("siege.conf");
    if path.exists() {
        let text = format!(
            "siege.config\nusage: siege.config [no arguments]\n----------------------------------\n\
             Resource file already install as {}\nUse your favorite editor to change  your configuration by\n\
             editing the values in that file or remove it and run this\nprogram again.\n\n",
            path.display()
        );
        return print(&text);
    }
    let written = std::fs::create_dir_all(&folder).and_then(|()| replace(&path, template().as_bytes()));
    if written.is_err() {
        return done(&path.display().to_string(), written);
    }
    print(&format!(
        "New configuration template added to {}\nRun siege -C to view the current settings in that file\n",
        folder.display()
    ))
}

/// `bombardment URLFILE CLIENTS INC TRIALS [DELAY]`: siege TRIALS times, with INC users more each time. Each user goes once
/// through the list. What siege says is collected in a file named after the date, and a table made of it.
pub(super) fn bombardment(argv: &[String]) -> u8 {
    let usage = "\nusage:\nbombardment [urlfile] [inital # of clients] [inc value] [# of inc] [delay]\n\n\n";
    let number = |place: usize| argv.get(place).and_then(|word| word.parse::<u64>().ok());
    let (Some(urls), Some(users), Some(more), Some(trials)) = (argv.get(1), number(2), number(3), number(4))
    else {
        return print(usage);
    };
    let count = match std::fs::read_to_string(urls) {
        Ok(text) => text.lines().filter(|line| !line.contains('#') && !line.trim().is_empty()).count(),
        Err(error) => return done(urls, Err(error)),
    };
    let delay = argv.get(5).map_or("15", String::as_str);
    let collected = format!("siege.{}", serial(Zone::here()));
    for trial in 0..trials {
        print(&format!("Starting run number {}\n", trial + 1));
        let users = (users + trial * more).to_string();
        let args = ["siege", "-f", urls, "-c", &users, "-r", &count.to_string(), "-d", delay];
        if let Err(error) = besiege(&args, Path::new(&collected)) {
            return done(&collected, Err(error));
        }
    }
    siege2csv(&["siege2csv".to_owned(), collected])
}

/// One run, with all it says at the end of a file. A process of its own, as it has always been: it may be interrupted alone.
fn besiege(args: &[&str], into: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(into)?;
    let output = Command::new(std::env::current_exe()?).args(args).stdin(Stdio::null()).output()?;
    file.write_all(&output.stderr)?;
    file.write_all(&output.stdout)
}

/// Now, as `date +%Y-%m-%dT%H:%M%z` has it.
fn serial(zone: Zone) -> String {
    let date = zone.date();
    let (hour, minute, _) = date.to_hms();
    let (east, minutes, _) = date.offset().as_hms();
    let sign = if date.offset().is_negative() { '-' } else { '+' };
    format!(
        "{:04}-{:02}-{:02}T{hour:02}:{minute:02}{sign}{:02}{:02}",
        date.year(),
        u8::from(date.month()),
        date.day(),
        east.unsigned_abs(),
        minutes.unsigned_abs()
    )
}

fn print(text: &str) -> u8 {
    streams::print_or_ignore(text.as_bytes());
    0
}

fn done(path: &str, result: io::Result<()>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(error) => {
            streams::say(&format!("warwolf: {path}: {}\n", reason(&error)));
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_table_is_replaced_and_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs");
        std::fs::write(&file, "Transactions:  1 hits\n").unwrap();
        let table = folder.path().join("runs.csv");
        std::fs::write(&table, "the old one").unwrap();
        let before = std::fs::metadata(&table).unwrap().ino();
        assert_eq!(siege2csv(&["siege2csv".to_owned(), file.display().to_string()]), 0);
        assert_ne!(std::fs::metadata(&table).unwrap().ino(), before);
        assert_ne!(std::fs::read_to_string(&table).unwrap(), "the old one");
    }
}
