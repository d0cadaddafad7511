//! A tunnel through a proxy (RFC 9110 section 9.3.6), before any protocol runs on the connection.

use crate::{CallId, Cause, End, FieldWriter, Fill, Head, Http1, Limits, ResponseSink, Template};

/// A request for a tunnel to which the proxy has not responded yet.
#[derive(Debug)]
pub struct Tunnel(Http1);

/// The response of the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunnelReply {
    /// None yet.
    Pending,
    /// The tunnel is open: bytes go to the server from here on.
    Open,
    /// The proxy refused the tunnel with this status; 0 where the response is not HTTP.
    Refused(u16),
}

impl Tunnel {
    /// Requests a tunnel: appends `template`, a request with the method `CONNECT`, to `out`.
    #[must_use]
    pub fn new(limits: Limits, template: &Template, out: &mut Vec<u8>) -> Self {
        let mut protocol = Http1::new(limits, 1);
        protocol.start(CallId(0), template, &mut Nothing, out);
        Self(protocol)
    }

    /// Takes bytes from the proxy.
    pub fn receive(&mut self, input: &[u8]) -> TunnelReply {
        let mut sink = Status::default();
        match (self.0.receive(input, &mut sink), sink.0) {
            (Ok(()), None) => TunnelReply::Pending,
            (Ok(()), Some(200..=299)) => TunnelReply::Open,
            (_, status) => TunnelReply::Refused(status.unwrap_or(0)),
        }
    }
}

/// The request has no holes.
struct Nothing;

impl Fill for Nothing {
    fn fields(&mut self, _hole: u16, _fields: &mut FieldWriter<'_>) {}
    fn body(&mut self, _offset: u64, _max: usize, _out: &mut Vec<u8>) {}
}

/// The status of the response, once it was received.
#[derive(Default)]
struct Status(Option<u16>);

impl ResponseSink for Status {
    fn first_byte(&mut self, _call: CallId) {}
    fn head(&mut self, _call: CallId, head: &Head<'_>) {
        self.0 = Some(head.status);
    }
    fn body(&mut self, _call: CallId, _bytes: &[u8]) {}
    fn end(&mut self, _call: CallId, _end: End) {}
    fn failed(&mut self, _call: CallId, _cause: Cause) {
        self.0.get_or_insert(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TemplateBuilder, Version};

    #[test]
    fn a_tunnel_is_open_once_the_proxy_says_so() {
        let template = TemplateBuilder::new("CONNECT", "a:443", Version::Http11).build().unwrap();
        let answer = |pieces: &[&str]| {
            let mut out = Vec::new();
            let mut tunnel = Tunnel::new(Limits::default(), &template, &mut out);
            assert_eq!(out, b"CONNECT a:443 HTTP/1.1\r\n\r\n");
            pieces.iter().map(|piece| tunnel.receive(piece.as_bytes())).collect::<Vec<_>>()
        };
        let open = answer(&["HTTP/1.1 200 Connection", " established\r\n\r\n"]);
        assert_eq!(open, [TunnelReply::Pending, TunnelReply::Open]);
        assert_eq!(answer(&["HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\n"]), [TunnelReply::Refused(407)]);
        assert_eq!(answer(&["nonsense\r\n\r\n"]), [TunnelReply::Refused(0)]);
    }
}
