//! Runs the built program with words, as a user would.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::process::{Ending, Process};
use crate::told::Told;

/// The longest any single run of a trial may take before it is ended and the trial has failed.
const LIMIT: Duration = Duration::from_secs(90);

/// One run of the program, to be given words and then started.
#[derive(Debug)]
pub struct Warwolf {
    words: Vec<String>,
    descriptors: Option<u32>,
    core: Option<u32>,
    ignored: Option<&'static str>,
}

impl Warwolf {
    /// `warwolf run --format json --no-tui …`: options and addresses follow.
    pub fn run<S: AsRef<str>>(words: &[S]) -> Told {
        Self::new(&["run", "--format", "json", "--quiet"]).and(words).told()
    }

    /// The program with these words, not yet started.
    pub fn new<S: AsRef<str>>(words: &[S]) -> Self {
        Self { words: Vec::new(), descriptors: None, core: None, ignored: None }.and(words)
    }

    /// Adds words.
    pub fn and<S: AsRef<str>>(mut self, words: &[S]) -> Self {
        self.words.extend(words.iter().map(|word| word.as_ref().to_owned()));
        self
    }

    /// Starts it with this many descriptors, soft and hard limit both.
    pub fn with_descriptors(mut self, limit: u32) -> Self {
        self.descriptors = Some(limit);
        self
    }

    /// Keeps it on one core.
    pub fn on_core(mut self, core: u32) -> Self {
        self.core = Some(core);
        self
    }

    /// Starts it with these signals ignored, their names separated by commas, as `nohup` does.
    pub fn ignoring(mut self, signals: &'static str) -> Self {
        self.ignored = Some(signals);
        self
    }

    /// Starts it and waits until it ended by itself.
    pub fn told(self) -> Told {
        self.start().told()
    }

    /// Starts it and returns at once.
    pub fn start(self) -> Running {
        let mut words: Vec<&OsStr> = Vec::new();
        let core = self.core.map(|core| core.to_string());
        let limit = self.descriptors.map(|limit| format!("--nofile={limit}:{limit}"));
        let ignored = self.ignored.map(|signals| format!("--ignore-signal={signals}"));
        if let Some(ignored) = &ignored {
            words.extend(["env", ignored].map(OsStr::new));
        }
        if let Some(core) = &core {
            words.extend(["taskset", "-c", core].map(OsStr::new));
        }
        if let Some(limit) = &limit {
            words.extend(["prlimit", limit, "--"].map(OsStr::new));
        }
        words.push(program().as_os_str());
        words.extend(self.words.iter().map(OsStr::new));
        let first = words.remove(0).to_str().expect("a path without odd bytes").to_owned();
        let mut process = Process::start(&first, |command: &mut Command| {
            command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.env("NO_COLOR", "1");
        });
        let stdout = collect(process.child().stdout.take());
        let stderr = collect(process.child().stderr.take());
        Running { process, stdout, stderr, said: self.words.join(" ") }
    }
}

/// A pipe's whole content, read on a thread of its own so that the program never waits for us.
type Collected = std::thread::JoinHandle<String>;

fn collect(pipe: Option<impl Read + Send + 'static>) -> Collected {
    let mut pipe = pipe.expect("a pipe was asked for");
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The program while it runs.
#[derive(Debug)]
pub struct Running {
    process: Process,
    stdout: Collected,
    stderr: Collected,
    said: String,
}

impl Running {
    /// Its process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, ending: Ending) {
        self.process.signal(ending);
    }

    /// Waits until it ended by itself; panics when it does not within a minute and a half.
    pub fn told(mut self) -> Told {
        let Some(status) = self.process.wait(LIMIT) else {
            panic!("`warwolf {}` still runs after {LIMIT:?}", self.said)
        };
        let read = |pipe: Collected| pipe.join().expect("a pipe is read to its end");
        Told::new(self.said, status, read(self.stdout), read(self.stderr))
    }
}

/// The program under test: `WARWOLF_BIN`, or what cargo builds, once per test binary, in this binary's own profile.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if let Some(path) = std::env::var_os("WARWOLF_BIN") {
            return path.into();
        }
        let test = std::env::current_exe().expect("a test has a path");
        // target/<profile>/deps/<test>
        let profile =
            test.parent().and_then(Path::parent).expect("a test is two folders below the profile's");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--workspace", "--bin", "warwolf"]).current_dir(root);
        // What cargo said about the test's package would make some build scripts run again, and half of the program with them.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                cargo.env_remove(name);
            }
        }
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        let target = profile.parent().expect("a profile's folder is in the target folder");
        cargo.arg("--target-dir").arg(target);
        assert!(cargo.status().is_ok_and(|status| status.success()), "cargo cannot build `warwolf`");
        profile.join("warwolf")
    })
}
