//! What fills the holes of a template: the session's cookies, and bodies read while they are sent.

use crate::SetupError;
use crate::call::What;
use crate::setup::Prepared;
use std::fs::File;
use std::os::unix::fs::FileExt;
use warwolf_http::{Fill, Template};
use warwolf_plan::{Body, Request};
use warwolf_workload::Session;

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
            Body::None | Body::Text(_) => Ok(None),
        }
    }
}

/// The hole of a template where the `Cookie` line goes.
pub(crate) const COOKIE_HOLE: u16 = 0;

/// Joins the protocol, which asks for values, and the session, which has them.
pub(crate) struct Filling<'a> {
    cookies: Option<(&'a Session, &'a Request)>,
    body: Option<&'a Upload>,
}

impl<'a> Filling<'a> {
    /// The template of what a call sends, and what fills it.
    pub(crate) fn of(prepared: &'a Prepared, what: &'a What, session: &'a Session) -> (&'a Template, Self) {
        match what {
            What::Planned(index) => {
                let request = &prepared.requests[*index as usize];
                let filling =
                    Self { cookies: Some((session, &request.request)), body: request.body.as_ref() };
                (&request.template, filling)
            }
            What::Followed(followed) => {
                let filling =
                    Self { cookies: Some((session, &followed.request)), body: followed.body.as_ref() };
                (&followed.template, filling)
            }
        }
    }

    /// For requests of our own.
    pub(crate) fn nothing() -> Self {
        Self { cookies: None, body: None }
    }
}

impl Fill for Filling<'_> {
    fn fill(&mut self, hole: u16, out: &mut Vec<u8>) {
        debug_assert_eq!(hole, COOKIE_HOLE);
        if let Some((session, request)) = self.cookies {
            session.write_cookies(request, out);
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
