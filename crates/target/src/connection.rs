//! Serves one connection: reads requests, waits until responses are due, and writes them.
//!
//! Pipelined requests are answered in order; all responses that are due are sent in one write.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::answer::{Answer, Position, Source};
use crate::behaviour::{Expectation, Upload as When};
use crate::grammar::Pace;
use crate::input::Input;
use crate::monotonic::now_ns;
use crate::output::Output;
use crate::pattern;
use crate::plant::{self, Plant};
use crate::reply::{Body, Ending, Piece, put_chunk_size};
use crate::request::{BadRequest, Request, parse};
use crate::serving::Server;
use crate::timer::Until;
use crate::tunnel;
use crate::upload::Upload;
use crate::wire::Wire;

/// Serves `wire`, which is connection `number`, until either side closes it. Errors are not returned, because the log contains
/// the result of each request.
pub(crate) async fn converse<W: Wire>(server: &Server, wire: W, number: u64) {
    let mut connection = Connection {
        server,
        wire,
        input: Input::default(),
        output: Output::default(),
        position: Position { connection: number, served: 0 },
        is_ended: false,
        idle: None,
        sent: 0,
    };
    if let Ok(ending) = connection.serve().await {
        // Errors are ignored, because the peer may have disconnected.
        drop(connection.end(ending).await);
    }
}

struct Connection<'s, W> {
    server: &'s Server,
    wire: W,
    input: Input,
    output: Output,
    position: Position,
    /// The peer has closed its sending side.
    is_ended: bool,
    /// The next check of the idle timeout.
    idle: Option<Until<'s>>,
    /// Bytes sent of the current interval of a throttled response.
    sent: u64,
}

impl<W: Wire> Connection<'_, W> {
    /// Serves requests in turn; returns how to end the connection.
    async fn serve(&mut self) -> io::Result<Ending> {
        loop {
            if plant::crashes(&self.server.application.options.plants, self.input.unread()) {
                self.server.crash();
                return Ok(Ending::Hang);
            }
            match parse(self.input.unread(), self.server.limits) {
                Ok(Some(request)) => match self.exchange(request).await? {
                    Ending::Keep => {}
                    ending => return Ok(ending),
                },
                Ok(None) => {
                    self.flush().await?;
                    if !self.read_more(ROOM).await? {
                        return Ok(Ending::Close);
                    }
                }
                Err(bad) => return self.refuse(bad).await,
            }
        }
    }

    /// Serves one request.
    async fn exchange(&mut self, request: Request) -> io::Result<Ending> {
        let application = &self.server.application;
        let arrived_ns = self.input.arrival_of(request.head_len);
        let head = &self.input.unread()[..request.head_len];
        let mut answer = application.answer(&request, head, arrived_ns, self.position);
        let echoed = match answer.source {
            Source::Request { head: true, .. } => head.to_vec(),
            _ => Vec::new(),
        };
        let authority = match answer.source {
            Source::Tunnel => String::from_utf8_lossy(&head[request.target.clone()]).into_owned(),
            _ => String::new(),
        };
        self.output.begin(application.entry(&answer, Some((&request, head)), arrived_ns, self.position));
        self.position.served += 1;
        self.input.consume(request.head_len);

        if answer.source == Source::Tunnel {
            return self.tunnel(answer, &authority).await;
        }
        let mut upload = Upload::new(request.upload);
        if answer.upload == When::Whole
            && let Some(ending) = self.take_upload(&request, &mut answer, &mut upload, echoed).await?
        {
            return Ok(ending);
        }
        let is_early = !upload.is_done();
        let ending = self.reply(answer).await?;
        if is_early && ending == Ending::Keep {
            self.flush().await?;
            return Ok(if self.receive(&mut upload, |_| ()).await? { Ending::Keep } else { Ending::Close });
        }
        Ok(ending)
    }

    /// Forwards bytes between the client and `authority`, if a connection to it is possible.
    async fn tunnel(&mut self, mut answer: Answer, authority: &str) -> io::Result<Ending> {
        let mut far = match tunnel::connect(authority).await {
            Ok(far) => far,
            Err(status) => {
                answer.replace(status, "");
                return self.reply(answer).await;
            }
        };
        self.flush().await?;
        self.wait(answer.due_ns).await?;
        self.output.put(b"HTTP/1.1 200 Connection established\r\n\r\n");
        self.output.end();
        self.flush().await?;
        far.write_all(self.input.unread()).await?;
        tokio::io::copy_bidirectional(&mut self.wire, &mut far).await?;
        Ok(Ending::Close)
    }

    /// Responds to an invalid request and ends the connection.
    async fn refuse(&mut self, bad: BadRequest) -> io::Result<Ending> {
        let arrived_ns = self.input.arrival_of(self.input.unread().len());
        let answer = self.server.application.refusal(bad, arrived_ns);
        self.output.begin(self.server.application.entry(&answer, None, arrived_ns, self.position));
        self.reply(answer).await
    }

    /// Receives the upload, and copies it to the body of the response if requested. Returns `Some` if the connection has to end.
    async fn take_upload(
        &mut self,
        request: &Request,
        answer: &mut Answer,
        upload: &mut Upload,
        mut echoed: Vec<u8>,
    ) -> io::Result<Option<Ending>> {
        let expects = request.expects_continue && request.minor == 1 && self.input.unread().is_empty();
        if expects && request.has_upload() && answer.expectation == Expectation::Send {
            self.output.put(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        let wants_body = matches!(answer.source, Source::Request { body: true, .. });
        let mut is_too_long = false;
        let is_sound = self
            .receive(upload, |bytes| {
                is_too_long |= echoed.len() + bytes.len() > LONGEST_ECHO;
                if wants_body && !is_too_long {
                    echoed.extend_from_slice(bytes);
                }
            })
            .await?;
        if !is_sound {
            if self.server.application.options.plants.contains(&Plant::BadChunk) {
                return Ok(Some(Ending::Hang));
            }
            answer.replace(400, "not a chunk\n");
            answer.reply.keep_alive = false;
        } else if wants_body && is_too_long {
            answer.replace(413, "too long to be echoed\n");
        }
        match answer.source {
            Source::Reply | Source::Tunnel => {}
            Source::Request { .. } => answer.reply.body = Body::Text(echoed),
            Source::Count => answer.reply.body = Body::Text(format!("{}\n", upload.received()).into_bytes()),
        }
        Ok(None)
    }

    /// Reads the rest of an upload; returns false if it is malformed.
    async fn receive(&mut self, upload: &mut Upload, mut body: impl FnMut(&[u8])) -> io::Result<bool> {
        while !upload.is_done() {
            let Ok(taken) = upload.take(self.input.unread(), &mut body) else {
                self.output.received(upload.received());
                return Ok(false);
            };
            self.input.consume(taken);
            self.output.received(upload.received());
            if upload.is_done() {
                break;
            }
            self.flush().await?;
            if !self.read_more(ROOM_FOR_UPLOADS).await? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(true)
    }

    /// Waits until the response is due and writes it, or buffers it with others.
    async fn reply(&mut self, answer: Answer) -> io::Result<Ending> {
        if answer.due_ns > now_ns() {
            self.flush().await?;
            self.wait(answer.due_ns).await?;
        }
        self.sent = 0;
        let script = answer.reply.script();
        for piece in script.pieces {
            match piece {
                Piece::Bytes(bytes) => self.put(&bytes, answer.slow).await?,
                Piece::Pattern(length) => self.put_pattern(0, length, answer.slow).await?,
                Piece::Chunks { total, size, extensions } => {
                    self.put_chunks(total, size, extensions, answer.slow).await?;
                }
                Piece::Pause(pause) => {
                    self.flush().await?;
                    self.wait(now_ns() + pause.as_nanos() as u64).await?;
                }
            }
        }
        self.output.end();
        Ok(script.ending)
    }

    async fn put_pattern(&mut self, from: u64, length: u64, slow: Option<Pace>) -> io::Result<()> {
        for piece in pattern::pieces(from, length) {
            self.put(piece, slow).await?;
        }
        Ok(())
    }

    async fn put_chunks(
        &mut self,
        total: u64,
        size: u64,
        extensions: bool,
        slow: Option<Pace>,
    ) -> io::Result<()> {
        let (mut from, mut line) = (0, Vec::new());
        while from < total {
            let length = size.min(total - from);
            line.clear();
            put_chunk_size(&mut line, length, extensions);
            self.put(&line, slow).await?;
            self.put_pattern(from, length, slow).await?;
            self.put(b"\r\n", slow).await?;
            from += length;
        }
        Ok(())
    }

    /// Buffers `bytes`, or writes them at the given throttle.
    async fn put(&mut self, bytes: &[u8], slow: Option<Pace>) -> io::Result<()> {
        let Some(pace) = slow else {
            self.output.put(bytes);
            return if self.output.is_full() { self.flush().await } else { Ok(()) };
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = pace.bytes - self.sent % pace.bytes;
            if self.sent > 0 && room == pace.bytes {
                self.flush().await?;
                self.wait(now_ns() + pace.interval.as_nanos() as u64).await?;
            }
            let (now, later) = rest.split_at(rest.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
            self.output.put(now);
            self.sent += now.len() as u64;
            rest = later;
        }
        Ok(())
    }

    async fn flush(&mut self) -> io::Result<()> {
        if self.output.is_empty() {
            return Ok(());
        }
        let is_logged = self.output.is_logged();
        if is_logged {
            self.output.leaving(now_ns());
        }
        self.wire.write_all(self.output.bytes()).await?;
        self.wire.flush().await?;
        self.output.left(if is_logged { now_ns() } else { 0 });
        Ok(())
    }

    /// Waits until `until_ns` and continues to read, so that the arrival of the next requests is recorded.
    async fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        let mut until = self.server.timer.until(until_ns);
        loop {
            if self.is_ended || self.input.is_full() {
                until.await;
                return Ok(());
            }
            tokio::select! {
                biased;
                () = &mut until => return Ok(()),
                length = self.wire.read_buf(self.input.room(ROOM)) => self.note(length?),
            }
        }
    }

    /// Reads once; returns false at the end of the input or after the idle timeout.
    async fn read_more(&mut self, room: usize) -> io::Result<bool> {
        let server = self.server;
        let Some(limit) = server.application.options.idle_timeout else {
            let length = self.wire.read_buf(self.input.room(room)).await?;
            self.note(length);
            return Ok(!self.is_ended);
        };
        let limit_ns = now_ns() + limit.as_nanos() as u64;
        // Usually the deadline of an earlier read expires and is outdated. This needs one timer per idle period instead of one
        // per read.
        let mut idle = self.idle.take().unwrap_or_else(|| server.timer.until(limit_ns));
        loop {
            tokio::select! {
                biased;
                length = self.wire.read_buf(self.input.room(room)) => {
                    self.note(length?);
                    self.idle = Some(idle);
                    return Ok(!self.is_ended);
                }
                () = &mut idle => {
                    if now_ns() >= limit_ns {
                        return Ok(false);
                    }
                    idle = server.timer.until(limit_ns);
                }
            }
        }
    }

    fn note(&mut self, length: usize) {
        if length == 0 {
            self.is_ended = true;
        } else {
            self.input.arrived(now_ns());
        }
    }

    /// Ends the connection in the given way.
    async fn end(&mut self, ending: Ending) -> io::Result<()> {
        self.flush().await?;
        match ending {
            Ending::Reset => self.wire.arm_reset(),
            Ending::Hang => self.discard().await?,
            Ending::Keep | Ending::Close => {
                self.wire.shutdown().await?;
                // Closing with unread input would cause a reset, which may overtake the response. So read on for a moment.
                let server = self.server;
                tokio::select! {
                    biased;
                    discarded = self.discard() => discarded?,
                    () = server.timer.until(now_ns() + LINGER_NS) => {}
                }
            }
        }
        Ok(())
    }

    /// Reads until the end of the input.
    async fn discard(&mut self) -> io::Result<()> {
        while !self.is_ended {
            self.input.consume(self.input.unread().len());
            let length = self.wire.read_buf(self.input.room(ROOM)).await?;
            self.note(length);
        }
        Ok(())
    }
}

/// Buffer size of one read. Small, because ten thousand idle connections need as many buffers.
const ROOM: usize = 4 << 10;
const ROOM_FOR_UPLOADS: usize = 64 << 10;
/// The longest upload that is echoed.
const LONGEST_ECHO: usize = 16 << 20;
const LINGER_NS: u64 = 2_000_000_000;
