//! Starts, runs and stops the server: the runtime, the listeners, and one task per connection.

use std::future::{Future, pending};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls;
use tokio_rustls::rustls::server::VerifierBuilderError;

use crate::answer::Application;
use crate::connection::converse;
use crate::fault::FaultKind;
use crate::listener::{Accepted, Endpoint, Listener, Listening};
use crate::log::{Entry, Log};
use crate::monotonic::now_ns;
use crate::options::{Listen, Options};
use crate::request::Limits;
use crate::timer::Timer;
use crate::tls::{Identity, identity};
use crate::wire::Wire;

/// Why a server could not start, or failed at its end.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Binding the address failed.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address.
        address: Listen,
        /// The error of the kernel.
        source: io::Error,
    },
    /// A file cannot be read or written, or has invalid content.
    #[error("`{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// Certificate and key are not usable.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// The authorities for client certificates are not usable.
    #[error("client certificates: {0}")]
    ClientAuthority(VerifierBuilderError),
    /// Generating a certificate failed.
    #[error("cannot generate a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// A thread, timer or event queue could not be created.
    #[error("cannot start: {0}")]
    Runtime(io::Error),
}

impl StartError {
    pub(crate) fn file(path: &Path, source: io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}

/// The state that all connections share.
pub(crate) struct Server {
    pub(crate) application: Arc<Application>,
    pub(crate) timer: Timer,
    pub(crate) limits: Limits,
    /// Number of simulated crashes.
    crashes: watch::Sender<u64>,
}

impl Server {
    /// Simulates a crash: closes all connections, as if the process had died and been restarted.
    pub(crate) fn crash(&self) {
        self.crashes.send_modify(|times| *times += 1);
    }
}

/// A server that runs on its own threads. Dropping the handle stops it.
#[derive(Debug)]
pub struct Handle {
    listening: Listening,
    application: Arc<Application>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), StartError>>>,
}

/// Starts a server in this process. The server is listening when this function returns.
///
/// # Errors
/// When an address, a file, a certificate or a thread is not available.
pub fn start(options: Options) -> Result<Handle, StartError> {
    let log = open_log(&options)?;
    let application = Arc::new(Application::new(options, log, now_ns()));
    let (stop, stopped) = oneshot::channel();
    let (ready, listening) = mpsc::sync_channel(1);
    let served = Arc::clone(&application);
    let run = move || {
        let announce = |listening: &Listening| {
            // The caller of `start` waits for this message.
            drop(ready.send(listening.clone()));
        };
        // A dropped sender also means stop.
        let shutdown = async { drop(stopped.await) };
        run(&served, announce, shutdown)
    };
    let builder = std::thread::Builder::new().name("target".to_owned());
    let thread = builder.spawn(run).map_err(StartError::Runtime)?;
    match listening.recv() {
        Ok(listening) => Ok(Handle { listening, application, stop: Some(stop), thread: Some(thread) }),
        Err(_) => {
            Err(joined(thread).err().unwrap_or_else(|| StartError::Runtime(io::ErrorKind::Other.into())))
        }
    }
}

/// Serves on this thread (and the additional threads of `options`) until `shutdown` completes; `ready` receives the addresses.
/// Finally drops requests in flight and flushes the log.
///
/// # Errors
/// When an address, a file, a certificate or a thread is not available, or the log cannot be written.
pub fn serve(
    options: Options,
    ready: impl FnOnce(&Listening),
    shutdown: impl Future<Output = ()>,
) -> Result<(), StartError> {
    // If the limit cannot be raised, connections wait in the backlog.
    drop(rlimit::increase_nofile_limit(u64::MAX));
    let log = open_log(&options)?;
    run(&Arc::new(Application::new(options, log, now_ns())), ready, shutdown)
}

/// Completes when the process receives SIGINT or SIGTERM: the usual `shutdown` of [`serve`].
pub async fn interrupted() {
    let of = async |kind| match signal(kind) {
        Ok(mut signals) => drop(signals.recv().await),
        Err(_) => pending().await,
    };
    tokio::select! {
        () = of(SignalKind::interrupt()) => {}
        () = of(SignalKind::terminate()) => {}
    }
}

impl Handle {
    /// Returns the addresses it listens on.
    #[must_use]
    pub fn listening(&self) -> &Listening {
        &self.listening
    }

    /// Returns the first address without TLS.
    ///
    /// # Panics
    /// When the options contain none.
    #[must_use]
    pub fn addr(&self) -> std::net::SocketAddr {
        self.listening.addr().expect("the options contain a TCP address without TLS")
    }

    /// Returns the first address with TLS.
    ///
    /// # Panics
    /// When the options contain none.
    #[must_use]
    pub fn tls_addr(&self) -> std::net::SocketAddr {
        self.listening.tls_addr().expect("the options contain a TCP address with TLS")
    }

    /// Returns the log so far, in the order of completion; empty unless [`Options::keep_log`] is set.
    #[must_use]
    pub fn log(&self) -> Vec<Entry> {
        self.application.log.as_ref().map(|log| log.kept()).unwrap_or_default()
    }

    /// Returns the number of requests so far, including malformed ones.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.application.requests()
    }

    /// Returns the number of connections accepted so far.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.application.connections()
    }

    /// Stops the server, closes all connections and flushes the log. Returns the complete log.
    ///
    /// # Errors
    /// When the log file cannot be written.
    pub fn stop(mut self) -> Result<Vec<Entry>, StartError> {
        self.end()?;
        Ok(self.log())
    }

    fn end(&mut self) -> Result<(), StartError> {
        self.stop = None;
        self.thread.take().map_or(Ok(()), joined)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Callers that need the error call `stop`.
        drop(self.end());
    }
}

fn joined(thread: JoinHandle<Result<(), StartError>>) -> Result<(), StartError> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn open_log(options: &Options) -> Result<Option<Arc<Log>>, StartError> {
    let path = options.log.as_deref();
    Log::open(path, options.keep_log)
        .map_err(|error| StartError::file(path.unwrap_or(Path::new("log")), error))
}

/// Builds the runtime and serves on it; finally closes everything and flushes the log.
fn run(
    application: &Arc<Application>,
    ready: impl FnOnce(&Listening),
    shutdown: impl Future<Output = ()>,
) -> Result<(), StartError> {
    let runtime = runtime(application.options.threads).map_err(StartError::Runtime)?;
    let ended = runtime.block_on(serve_on(application, ready, shutdown));
    drop(runtime);
    if let Some(log) = &application.log {
        let path = application.options.log.as_deref().unwrap_or(Path::new("log"));
        log.flush().map_err(|error| StartError::file(path, error))?;
    }
    ended
}

fn runtime(threads: usize) -> io::Result<Runtime> {
    let mut builder = if threads <= 1 { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    if threads > 1 {
        builder.worker_threads(threads);
    }
    builder.enable_io().thread_name("target").build()
}

async fn serve_on(
    application: &Arc<Application>,
    ready: impl FnOnce(&Listening),
    shutdown: impl Future<Output = ()>,
) -> Result<(), StartError> {
    let options = &application.options;
    let identity = if options.listen_tls.is_empty() { None } else { Some(identity(options)?) };
    let listeners = bind_all(options).await?;
    let listening = describe(&listeners, identity.as_ref())?;
    if let (Some(path), Some(identity)) = (&options.cert_out, &identity) {
        std::fs::write(path, &identity.ca_pem).map_err(|error| StartError::file(path, error))?;
    }
    let server = Arc::new(Server {
        application: Arc::clone(application),
        timer: Timer::new().map_err(StartError::Runtime)?,
        limits: application.limits(),
        crashes: watch::Sender::new(0),
    });
    let mut tasks = JoinSet::new();
    for (listener, is_tls) in listeners {
        let acceptor = identity
            .as_ref()
            .filter(|_| is_tls)
            .map(|identity| TlsAcceptor::from(Arc::clone(&identity.config)));
        tasks.spawn(accept_all(Arc::clone(&server), listener, acceptor));
    }
    ready(&listening);
    let timed = server.timer.run();
    tokio::select! {
        () = shutdown => Ok(()),
        Err(error) = timed => Err(StartError::Runtime(error)),
    }
}

/// Binds all listeners; true means TLS.
async fn bind_all(options: &Options) -> Result<Vec<(Listener, bool)>, StartError> {
    let accepts_nothing = options.faults.iter().any(|fault| fault.kind == FaultKind::NoAccept);
    let backlog = if accepts_nothing { 1 } else { BACKLOG };
    let default = [Listen::Tcp("127.0.0.1:8080".to_owned())];
    let is_silent = options.listen.is_empty() && options.listen_tls.is_empty();
    let plain = if is_silent { &default[..] } else { &options.listen };
    let mut listeners = Vec::new();
    let all = plain
        .iter()
        .map(|address| (address, false))
        .chain(options.listen_tls.iter().map(|address| (address, true)));
    for (address, is_tls) in all {
        let bound = Listener::bind(address, backlog).await;
        let listener = bound.map_err(|source| StartError::Listen { address: address.clone(), source })?;
        listeners.push((listener, is_tls));
    }
    Ok(listeners)
}

fn describe(listeners: &[(Listener, bool)], identity: Option<&Identity>) -> Result<Listening, StartError> {
    let endpoint = |(listener, is_tls): &(Listener, bool)| {
        let address = listener.address().map_err(StartError::Runtime)?;
        Ok::<_, StartError>(Endpoint { address, is_tls: *is_tls })
    };
    Ok(Listening {
        endpoints: listeners.iter().map(endpoint).collect::<Result<_, _>>()?,
        ca_pem: identity.map(|identity| identity.ca_pem.clone()),
    })
}

/// Accepts connections and spawns a task for each.
async fn accept_all(server: Arc<Server>, listener: Listener, tls: Option<TlsAcceptor>) {
    if server.application.options.faults.iter().any(|fault| fault.kind == FaultKind::NoAccept) {
        return pending().await;
    }
    let mut crashed = server.crashes.subscribe();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => {
                    connections.spawn(serve_one(Arc::clone(&server), accepted, tls.clone()));
                }
                // Usually out of descriptors: pending connections are accepted after others have closed.
                Err(_) => server.timer.until(now_ns() + PAUSE_NS).await,
            },
            Some(_) = connections.join_next() => {}
            _ = crashed.changed() => connections = JoinSet::new(),
        }
    }
}

async fn serve_one(server: Arc<Server>, accepted: Accepted, tls: Option<TlsAcceptor>) {
    match accepted {
        Accepted::Tcp(stream) => shake_hands(&server, stream, tls).await,
        Accepted::Unix(stream) => shake_hands(&server, stream, tls).await,
    }
}

/// Applies faults of the connection, performs the TLS handshake if needed, and serves the connection.
async fn shake_hands<W: Wire>(server: &Server, wire: W, tls: Option<TlsAcceptor>) {
    let (number, fault) = server.application.accept();
    match fault {
        Some(FaultKind::Drop) => return wire.arm_reset(),
        Some(_) => return pending().await,
        None => {}
    }
    match tls {
        None => converse(server, wire, number).await,
        Some(acceptor) => {
            if let Ok(wire) = acceptor.accept(wire).await {
                converse(server, wire, number).await;
            }
        }
    }
}

/// More than the default limit of any kernel, so that the kernel's limit applies.
const BACKLOG: u32 = 65_535;
const PAUSE_NS: u64 = 10_000_000;
