//! What a request to an FTP server asks for.

use crate::{Body, Plan, PlanError, Request, Scheme};
use percent_encoding::percent_decode_str;

/// A transfer over FTP (RFC 1738 section 3.2). What has a body is stored, all else is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Who asks; `anonymous` when the request does not say.
    pub name: Vec<u8>,
    /// With which password.
    pub password: Vec<u8>,
    /// The path with its first slash, escapes undone and without its type.
    pub path: Vec<u8>,
    /// What `;type=` says; bytes as they are when it says nothing.
    pub kind: TransferKind,
}

/// The type code of an FTP URL (RFC 1738 section 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferKind {
    /// `i`: bytes as they are.
    Image,
    /// `a`: text, whose line ends the server turns into those of the network.
    Text,
    /// `d`: the names in a folder.
    Names,
}

impl Request {
    /// The transfer that this request asks for; none when its scheme is not FTP.
    #[must_use]
    pub fn transfer(&self) -> Option<Transfer> {
        if self.endpoint.scheme != Scheme::Ftp {
            return None;
        }
        let (path, kind) = match self.path.rsplit_once(";type=") {
            Some((path, "a" | "A")) => (path, TransferKind::Text),
            Some((path, "d" | "D")) => (path, TransferKind::Names),
            Some((path, "i" | "I")) => (path, TransferKind::Image),
            _ => (self.path.as_str(), TransferKind::Image),
        };
        let login = self.basic_auth.as_deref().unwrap_or("anonymous:anonymous@");
        let (name, password) = login.split_once(':').unwrap_or((login, ""));
        Some(Transfer {
            name: name.as_bytes().to_vec(),
            password: password.as_bytes().to_vec(),
            path: percent_decode_str(path).collect(),
            kind,
        })
    }

    /// What FTP cannot do that other requests can.
    pub(crate) fn check_transfer(&self) -> Result<(), PlanError> {
        let Some(transfer) = self.transfer() else {
            return match self.unique {
                true => Err(PlanError::new(
                    "unique",
                    "true",
                    "leave it out: only files stored over ftp have names",
                )),
                false => Ok(()),
            };
        };
        if self.head.is_some() || self.random.is_some() {
            return Err(PlanError::new("head", "some", "leave it out for ftp, which has no heads"));
        }
        if transfer.kind == TransferKind::Names && self.body != Body::None {
            return Err(PlanError::new("path", &self.path, "leave out `;type=d`: names cannot be stored"));
        }
        let ends_line = |text: &[u8]| text.iter().any(|byte| b"\r\n\0".contains(byte));
        if [&transfer.name, &transfer.password, &transfer.path].into_iter().any(|text| ends_line(text)) {
            return Err(PlanError::new(
                "path",
                self.url(),
                "use no line ends in names, passwords and paths of ftp",
            ));
        }
        Ok(())
    }
}

impl Plan {
    /// Whether any request goes to an FTP server.
    #[must_use]
    pub fn has_ftp(&self) -> bool {
        self.all_requests().any(|request| request.endpoint.scheme == Scheme::Ftp)
    }

    /// Each transfer has a control connection to itself, and a data connection that the server names.
    pub(crate) fn check_ftp(&self) -> Result<(), PlanError> {
        if !self.has_ftp() {
            return Ok(());
        }
        let wrong = |field: &str, value: &str, remedy: &str| Err(PlanError::new(field, value, remedy));
        if self.connections.ownership.dedicated() > 0 {
            return wrong(
                "connections.ownership",
                "dedicated",
                "use \"shared\" with ftp, which opens connections for each call",
            );
        }
        if self.connections.pipeline > 1 {
            return wrong("connections.pipeline", "several", "use 1 with ftp");
        }
        if self.network.unix_socket.is_some() {
            return wrong("network.unix_socket", "some", "leave it out: data connections of ftp need ports");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Endpoint, Ownership, RandomData};

    fn request(path: &str, login: Option<&str>) -> Request {
        Request {
            endpoint: Endpoint { scheme: Scheme::Ftp, host: "a.test".to_owned(), port: 21 },
            path: path.to_owned(),
            basic_auth: login.map(str::to_owned),
            ..Request::get("http://a.test/").unwrap()
        }
    }

    #[test]
    fn a_url_says_what_is_transferred() {
        let rows: [(&str, &[u8], TransferKind); 6] = [
            ("/a/b.bin", b"/a/b.bin", TransferKind::Image),
            ("/a;type=a", b"/a", TransferKind::Text),
            ("/a;type=D", b"/a", TransferKind::Names),
            ("/a;type=i", b"/a", TransferKind::Image),
            ("/a;type=x", b"/a;type=x", TransferKind::Image),
            ("/a%20b%ff", b"/a b\xff", TransferKind::Image),
        ];
        for (path, expected, kind) in rows {
            let transfer = request(path, Some("me:se:cret")).transfer().unwrap();
            assert_eq!((transfer.path.as_slice(), transfer.kind), (expected, kind), "{path}");
            assert_eq!(
                (transfer.name.as_slice(), transfer.password.as_slice()),
                (&b"me"[..], &b"se:cret"[..])
            );
        }
        assert_eq!(request("/", None).transfer().unwrap().name, b"anonymous");
        assert_eq!(request("/x;type=a", None).url(), "ftp://a.test/x;type=a");
        assert_eq!(Request::get("http://a.test/;type=a").unwrap().transfer(), None);
    }

    #[test]
    fn what_ftp_cannot_do_is_refused() {
        let plan = Plan::new(vec![request("/a", None)]);
        plan.clone().check().unwrap();
        let field = |change: &dyn Fn(&mut Plan)| {
            let mut plan = plan.clone();
            change(&mut plan);
            plan.check().unwrap_err().field
        };
        assert_eq!(
            field(&|plan| plan.connections.ownership = Ownership::Dedicated(1)),
            "connections.ownership"
        );
        assert_eq!(field(&|plan| plan.connections.pipeline = 2), "connections.pipeline");
        assert_eq!(field(&|plan| plan.network.unix_socket = Some("x".into())), "network.unix_socket");
        assert_eq!(field(&|plan| plan.requests[0].path = "/a%0d%0aDELE".to_owned()), "requests.0.path");
        assert_eq!(field(&|plan| plan.requests[0].basic_auth = Some("a\n:b".to_owned())), "requests.0.path");
        assert_eq!(field(&|plan| plan.requests[0].head = Some("GET".to_owned())), "requests.0.head");
        let listed = |plan: &mut Plan| {
            plan.requests[0].path = "/a;type=d".to_owned();
            plan.requests[0].body = Body::Text("x".to_owned());
        };
        assert_eq!(field(&listed), "requests.0.path");
        let unnamed = |plan: &mut Plan| {
            plan.requests[0] = Request { unique: true, ..Request::get("http://a.test/").unwrap() };
        };
        assert_eq!(field(&unnamed), "requests.0.unique");
        let drawn = |plan: &mut Plan| {
            let place = crate::DataPlace::Path;
            plan.requests[0].random = Some(RandomData { max: 1, place, escaped: true });
        };
        assert_eq!(field(&drawn), "requests.0.head");
    }
}
