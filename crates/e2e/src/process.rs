//! Child processes that end with the value that owns them, and the loopback ports they listen on.

use std::ffi::OsStr;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::Mode;
use rustix::process::{Pid, Resource, Signal, kill_process};

/// How long a server may take to accept its first connection. Generous: two cores may be busy with a compiler.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// A command that nothing of this process's surroundings reaches, so that a test means the same from a terminal, in the
/// background and in a service: no controlling terminal, default signal dispositions (a shell starts background jobs with
/// SIGINT ignored), an environment with only what stands here, a umask of 022, and as many descriptors as are allowed.
///
/// Standard input, output and error are the caller's to set. The kernel ends the process when the thread that started it
/// dies, so that an aborted test leaves nothing behind.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    static LIMITS: Once = Once::new();
    LIMITS.call_once(|| {
        rustix::process::umask(Mode::from_raw_mode(0o022));
        let maximum = rustix::process::getrlimit(Resource::Nofile).maximum;
        let limit = rustix::process::Rlimit { current: maximum, maximum };
        rustix::process::setrlimit(Resource::Nofile, limit)
            .expect("a soft limit may be raised to the hard one");
    });
    // Debian keeps daemons where an ordinary user's path does not look.
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("setsid");
    command.args(["env", "--default-signal", "setpriv", "--pdeathsig", "TERM", "--"]).arg(program);
    command.env_clear().env("PATH", format!("{path}:/usr/sbin:/sbin"));
    for (name, value) in [("HOME", "/nonexistent"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("TERM", "dumb")] {
        command.env(name, value);
    }
    command
}

/// Signals a process may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As ctrl-c does.
    Interrupt,
    /// As a service manager does.
    Terminate,
    /// As a terminal does that is closed.
    Hangup,
    /// At once, with no chance to put anything in order.
    Kill,
}

/// A child process that is ended, and waited for, when this value is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    name: String,
}

impl Process {
    /// Starts `program` as [`command`] does, with nothing on its standard input and output.
    pub fn start(program: &str, configure: impl FnOnce(&mut Command)) -> Self {
        let mut command = command(program);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        configure(&mut command);
        let child = command.spawn().unwrap_or_else(|error| panic!("cannot start `{program}`: {error}"));
        Self { child, name: program.to_owned() }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The child itself, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Sends a signal; a process that is gone already is no mistake.
    pub fn signal(&self, ending: Ending) {
        let signal = match ending {
            Ending::Interrupt => Signal::INT,
            Ending::Terminate => Signal::TERM,
            Ending::Hangup => Signal::HUP,
            Ending::Kill => Signal::KILL,
        };
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let _ = kill_process(id.expect("a child has a positive process id"), signal);
    }

    /// Waits until the process has ended by itself, at most `limit`; `None` when it is still running then.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                Ok(None) => return None,
                Err(error) => panic!("cannot wait for `{}`: {error}", self.name),
            }
        }
    }

    /// Returns when something accepts connections at `address`; panics when the process ends first or takes too long.
    pub fn ready_at(mut self, address: SocketAddr) -> Self {
        self.ready_when(|| TcpStream::connect(address).is_ok());
        self
    }

    /// As [`Process::ready_at`], for a Unix socket.
    pub fn ready_at_path(mut self, path: &Path) -> Self {
        self.ready_when(|| UnixStream::connect(path).is_ok());
        self
    }

    fn ready_when(&mut self, accepts: impl Fn() -> bool) {
        let until = Instant::now() + READY_WITHIN;
        while !accepts() {
            if let Ok(Some(status)) = self.child.try_wait() {
                panic!("`{}` ended before it listened: {status}", self.name);
            }
            assert!(Instant::now() < until, "`{}` does not listen after {READY_WITHIN:?}", self.name);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Ending::Terminate);
        if self.wait(Duration::from_secs(3)).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A loopback port nobody listens on, below the range the kernel takes outgoing ports from, so that a load of
/// thousands of connections in another test cannot take it between here and the server's start.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    for _ in 0..2_000 {
        // Test binaries of one run differ in process id and start in different places.
        let step = NEXT.fetch_add(1, Ordering::Relaxed) + std::process::id() * 37;
        let port = 12_000 + (step % 18_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() && TcpListener::bind(("::1", port)).is_ok() {
            return port;
        }
    }
    panic!("no free loopback port between 12000 and 30000");
}
