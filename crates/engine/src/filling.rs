//! What fills the holes of a template: fields and number of the session, random data, and bodies read while they are sent.

use crate::setup::{BODY_HOLE, FIRST_VALUE, PATH_HOLE, PreparedRequest, Upload};
use warwolf_http::{FieldWriter, Fill};
use warwolf_plan::Body;
use warwolf_workload::{Session, Workload};

/// Passes values from the session to the protocol, which asks for them.
pub(crate) struct Filling<'a> {
    head: Option<Head<'a>>,
    body: Option<&'a Upload>,
    /// Length of the random data that was filled in.
    drawn: u64,
}

/// What the head of a call is filled from.
struct Head<'a> {
    request: &'a PreparedRequest,
    /// The path as it is sent.
    path: &'a str,
    session: &'a mut Session,
    workload: &'a Workload,
}

impl<'a> Filling<'a> {
    /// For the head of a call with this path.
    pub(crate) fn head(
        request: &'a PreparedRequest,
        path: &'a str,
        session: &'a mut Session,
        workload: &'a Workload,
    ) -> Self {
        Self { head: Some(Head { request, path, session, workload }), body: None, drawn: 0 }
    }

    /// For a piece of the body of a call.
    pub(crate) fn body(upload: Option<&'a Upload>) -> Self {
        Self { head: None, body: upload, drawn: 0 }
    }

    /// Length of the random data that was filled in.
    pub(crate) fn drawn(&self) -> u64 {
        self.drawn
    }
}

impl Fill for Filling<'_> {
    fn fields(&mut self, _hole: u16, fields: &mut FieldWriter<'_>) {
        if let Some(Head { request, path, session, workload }) = &mut self.head {
            session
                .write_fields(workload, &request.request, path, &mut |name, value| fields.add(name, value));
        }
    }

    fn value(&mut self, hole: u16, out: &mut Vec<u8>) {
        let Some(Head { request, path, session, workload }) = &mut self.head else { return };
        let asked = &request.request;
        if hole == PATH_HOLE {
            out.extend_from_slice(path.as_bytes());
        } else if let Some(texts) = request.texts() {
            match (hole, &texts.body) {
                (BODY_HOLE, Some(body)) => session.write_made_body(workload, body, out),
                _ => {
                    if let Some((_, value)) = texts.fields.get(usize::from(hole - FIRST_VALUE)) {
                        session.write_part(workload, value, out);
                    }
                }
            }
        } else if let Some(hole) = asked.holes.get(usize::from(hole - FIRST_VALUE)) {
            self.drawn += session.write_value(workload, asked, hole.value, out);
        } else if let (BODY_HOLE, Body::Random(data)) = (hole, &asked.body) {
            self.drawn += session.write_body(workload, *data, out);
        }
    }

    /// A file that became shorter since the run began is padded with zeros, because its length has been sent.
    fn body(&mut self, offset: u64, max: usize, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + max, 0);
        if let Some(upload) = self.body {
            upload.read(&mut out[start..], offset);
        }
    }
}
