//! What a request to an FTP server asks for.

use crate::{Body, Hole, HoleValue, Plan, PlanError, Request, Scheme};
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
    /// Where in the path the number of the session goes, if it does.
    pub number_at: Option<usize>,
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
            _ => (&*self.path, TransferKind::Image),
        };
        let login = self.basic_auth.as_deref().unwrap_or("anonymous:anonymous@");
        let (name, password) = login.split_once(':').unwrap_or((login, ""));
        Some(Transfer {
            name: name.as_bytes().to_vec(),
            password: password.as_bytes().to_vec(),
            path: percent_decode_str(path).collect(),
            kind,
            number_at: self.holes.first().map(|hole| {
                let before = path.get(..hole.at as usize).unwrap_or(path);
                percent_decode_str(before).count()
            }),
        })
    }

    /// What FTP cannot do that other requests can.
    pub(crate) fn check_transfer(&self, transfer: &Transfer) -> Result<(), PlanError> {
        if self.head.is_some() {
            return Err(PlanError::new("head", "some", "leave it out for ftp, which has no heads"));
        }
        if let Body::Random(_) = self.body {
            return Err(PlanError::new("body", "random", "use a text or a file with ftp"));
        }
        match self.holes.as_slice() {
            [] => {}
            [Hole { at, value: HoleValue::Session }]
                if self.body != Body::None && self.path.get(..*at as usize).is_some_and(ends_whole) => {}
            holes => {
                let remedy = "use one hole with ftp, the number of the session within the path of a file that is stored";
                return Err(PlanError::new("holes", holes.len().to_string(), remedy));
            }
        }
        if transfer.kind == TransferKind::Names && self.body != Body::None {
            return Err(PlanError::new("path", &*self.path, "leave out `;type=d`: names cannot be stored"));
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

/// Whether an encoded path does not end within an escape, such as `%2`.
fn ends_whole(path: &str) -> bool {
    let end = path.as_bytes();
    !end.ends_with(b"%") && (end.len() < 2 || end[end.len() - 2] != b'%')
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
    use crate::{Endpoint, Ownership, RandomData, RequestShape};

    fn request(path: &str, login: Option<&str>) -> Request {
        let endpoint = Endpoint { scheme: Scheme::Ftp, host: "a.test".to_owned(), port: 21 };
        let basic_auth = login.map(str::to_owned);
        Request::new(path, RequestShape { basic_auth, ..RequestShape::get(endpoint) })
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
        assert_eq!(field(&|plan| plan.requests[0].path = "/a%0d%0aDELE".into()), "requests.0.path");
        assert_eq!(field(&|plan| plan.requests[0].basic_auth = Some("a\n:b".to_owned())), "requests.0.path");
        assert_eq!(field(&|plan| plan.requests[0].head = Some("GET".to_owned())), "requests.0.head");
        let listed = |plan: &mut Plan| {
            plan.requests[0].path = "/a;type=d".into();
            plan.requests[0].body = Body::Text("x".to_owned());
        };
        assert_eq!(field(&listed), "requests.0.path");
        let numbered = |body: Body, at: u32, value: HoleValue| {
            move |plan: &mut Plan| {
                plan.requests[0].path = "/a%20b".into();
                plan.requests[0].body = body.clone();
                plan.requests[0].holes = vec![Hole { at, value }];
            }
        };
        let data = RandomData { max: 1, escaped: true };
        let stored = || Body::Text("x".to_owned());
        for (body, at, value) in [
            (Body::None, 2, HoleValue::Session),
            (stored(), 7, HoleValue::Session),
            (stored(), 3, HoleValue::Session),
            (stored(), 2, HoleValue::Random(data)),
        ] {
            assert_eq!(field(&numbered(body, at, value)), "requests.0.holes", "at {at}");
        }
        assert_eq!(field(&|plan| plan.requests[0].body = Body::Random(data)), "requests.0.body");
        let mut good = plan.clone();
        numbered(stored(), 5, HoleValue::Session)(&mut good);
        assert_eq!(good.requests[0].transfer().unwrap().number_at, Some(3), "of the path as it is sent");
        good.check().unwrap();
    }
}
