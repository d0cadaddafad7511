//! What fills the holes of a template: the session's cookies, and bodies read while they are sent.

use crate::SetupError;
use crate::call::What;
use crate::setup::Prepared;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use warwolf_ftp::Order;
use warwolf_http::{FieldWriter, Fill, Template};
use warwolf_plan::{Body, Request};
use warwolf_workload::{Session, Workload};

/// A file whose content is sent as a body, read while it is sent.
pub(crate) struct Upload(File);

impl Upload {
    /// What `request` streams, if it does.
    pub(crate) fn of(request: &Request) -> Result<Option<Self>, SetupError> {
        match &request.body {
            Body::File(path) => {
                let file = File::open(path).map_err(|error| SetupError::file(path, error))?;
                Ok(Some(Self(file)))
            }
            Body::None | Body::Text(_) | Body::Bytes(_) => Ok(None),
        }
    }
}

/// The hole of a template where the session's own header lines go.
pub(crate) const SESSION_HOLE: u16 = 0;

/// The hole where random data goes.
pub(crate) const DATA_HOLE: u16 = 1;

/// The template of what a call sends.
pub(crate) fn template<'a>(prepared: &'a Prepared, what: &'a What) -> &'a Template {
    match what {
        What::Planned(index) => &prepared.requests[*index as usize].template,
        What::Followed(followed) => &followed.template,
    }
}

/// What a call asks of an FTP server, if it goes to one.
pub(crate) fn order<'a>(prepared: &'a Prepared, what: &'a What) -> Option<&'a Arc<Order>> {
    match what {
        What::Planned(index) => prepared.requests[*index as usize].order.as_ref(),
        What::Followed(followed) => followed.order.as_ref(),
    }
}

/// The request that a call sends.
pub(crate) fn request<'a>(prepared: &'a Prepared, what: &'a What) -> &'a Request {
    match what {
        What::Planned(index) => &prepared.requests[*index as usize].request,
        What::Followed(followed) => &followed.request,
    }
}

/// Joins the protocol, which asks for values, and the session, which has them.
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
    pub(crate) fn body(prepared: &'a Prepared, what: &'a What) -> Self {
        let body = match what {
            What::Planned(index) => prepared.requests[*index as usize].body.as_ref(),
            What::Followed(followed) => followed.body.as_ref(),
        };
        Self { fields: None, body, drawn: 0 }
    }

    /// For requests of our own.
    pub(crate) fn nothing() -> Self {
        Self { fields: None, body: None, drawn: 0 }
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

    fn value(&mut self, _hole: u16, out: &mut Vec<u8>) {
        if let Some((session, workload, request)) = &mut self.fields
            && let Some(data) = &request.random
        {
            self.drawn += session.write_data(workload, data, out);
        }
    }

    /// A file that became shorter since the run began is filled up with zeros: the length has been promised.
    fn body(&mut self, offset: u64, max: usize, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + max, 0);
        if let Some(Upload(file)) = self.body {
            let _ = file.read_exact_at(&mut out[start..], offset);
        }
    }
}
