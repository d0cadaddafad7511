//! What fills the holes of a template: fields and number of the session, random data, and bodies read while they are sent.

use crate::setup::{BODY_HOLE, FIRST_VALUE, PATH_HOLE, Upload};
use warwolf_http::{FieldWriter, Fill};
use warwolf_plan::{Body, Request};
use warwolf_workload::{Session, Workload};

/// Passes values from the session to the protocol, which asks for them.
pub(crate) struct Filling<'a> {
    fields: Option<(&'a mut Session, &'a Workload, &'a Request)>,
    body: Option<&'a Upload>,
    /// Length of the random data that was filled in.
    drawn: u64,
}

impl<'a> Filling<'a> {
    /// For the head of a call.
    pub(crate) fn head(request: &'a Request, session: &'a mut Session, workload: &'a Workload) -> Self {
        Self { fields: Some((session, workload, request)), body: None, drawn: 0 }
    }

    /// For a piece of the body of a call.
    pub(crate) fn body(upload: Option<&'a Upload>) -> Self {
        Self { fields: None, body: upload, drawn: 0 }
    }

    /// Length of the random data that was filled in.
    pub(crate) fn drawn(&self) -> u64 {
        self.drawn
    }
}

impl Fill for Filling<'_> {
    fn fields(&mut self, _hole: u16, fields: &mut FieldWriter<'_>) {
        if let Some((session, workload, request)) = &mut self.fields {
            session.write_fields(workload, request, &mut |name, value| fields.add(name, value));
        }
    }

    fn value(&mut self, hole: u16, out: &mut Vec<u8>) {
        let Some((session, workload, request)) = &mut self.fields else { return };
        if let Some(hole) = request.holes.get(usize::from(hole - FIRST_VALUE)) {
            self.drawn += session.write_value(workload, request, hole.value, out);
        } else if hole == PATH_HOLE {
            out.extend_from_slice(request.path.as_bytes());
        } else if let (BODY_HOLE, Body::Random(data)) = (hole, &request.body) {
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
