//! Answers challenges: Basic (RFC 7617) and Digest (RFC 7616), by origin server and proxy.
//!
//! A session that was challenged stores its answer and sends it with all later requests to the same origin, or those that
//! the proxy forwards. Credentials are sent only to hosts
//! that the plan names: pages and redirects lead to other hosts, which may request them as well.

use super::{Extras, Provenance, Unplanned};
use crate::AddField;
use crate::session::Reply;
use digest_auth::{AuthContext, HttpMethod, WwwAuthenticateHeader};
use std::borrow::Cow;
use std::collections::HashSet;
use warwolf_plan::{Auth, Credentials, Endpoint, Plan, Request, Scheme};

/// The plan's credentials, and the hosts that may receive them.
#[derive(Clone, Debug)]
pub(crate) struct Challenges {
    auth: Auth,
    /// Hosts of the plan's requests, in lower case.
    hosts: HashSet<String>,
    has_proxy: bool,
}

impl Challenges {
    /// None where the plan has no credentials.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let hosts = || plan.all_requests().map(|request| request.endpoint.host.to_ascii_lowercase());
        let has_proxy = plan.network.proxy.is_some();
        plan.session.auth.clone().map(|auth| Self { auth, hosts: hosts().collect(), has_proxy })
    }

    /// Returns the credentials that a reply of `status` 401 or 407 to `request` may ask for.
    fn known(&self, request: &Request, status: u16) -> &[Credentials] {
        match status {
            407 if self.has_proxy && is_forwarded(request) => &self.auth.proxy,
            407 => &[],
            _ if self.hosts.contains(&request.endpoint.host.to_ascii_lowercase()) => &self.auth.server,
            _ => &[],
        }
    }
}

/// Returns whether a proxy reads the request. In a tunnel only the server does.
fn is_forwarded(request: &Request) -> bool {
    request.endpoint.scheme == Scheme::Http
}

/// The header fields that hold challenges: of a 401, and of a 407.
pub(super) const HEADERS: [&str; 2] = ["www-authenticate", "proxy-authenticate"];

/// Returns the call that answers a challenge, or repeats the request without credentials if the plan wants that.
pub(super) fn reply(
    policy: &Challenges,
    extras: &mut Option<Box<Extras>>,
    reply: &Reply<'_>,
    from: Provenance,
) -> Option<Unplanned> {
    let status = reply.status().filter(|status| matches!(status, 401 | 407))?;
    if from.attempts >= policy.auth.attempts {
        return None;
    }
    let answers = &mut extras.get_or_insert_default().answers;
    let challenges = reply.headers.all(HEADERS[usize::from(status == 407)]);
    let verdict = answers.challenge(policy, reply.request, status, challenges);
    let from = Provenance { attempts: from.attempts + 1, ..from };
    (verdict == Verdict::Again).then(|| Unplanned { request: reply.request.clone(), from })
}

/// The decision of a session about a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Send the request again.
    Again,
    /// No answer is possible.
    Unable,
}

/// The stored answers of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    server: Option<(Endpoint, Answer)>,
    proxy: Option<Answer>,
}

#[derive(Clone, Debug)]
enum Answer {
    /// The whole value of the field.
    Basic(String),
    /// The challenge of the server or proxy, which counts its uses, and the credentials for it.
    Digest(Box<WwwAuthenticateHeader>, Credentials),
}

impl Answers {
    /// Handles the challenges of a reply of `status` 401 or 407 to `request`.
    fn challenge(
        &mut self,
        policy: &Challenges,
        request: &Request,
        status: u16,
        challenges: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Verdict {
        let known = policy.known(request, status);
        let mut asks_digest = false;
        for challenge in challenges {
            let Some(challenge) = Challenge::parse(challenge.as_ref()) else { continue };
            asks_digest |= matches!(challenge, Challenge::Digest(_));
            let Some(answer) = challenge.answer(known) else { continue };
            match status {
                407 => self.proxy = Some(answer),
                _ => self.server = Some((request.endpoint.clone(), answer)),
            }
            return Verdict::Again;
        }
        if policy.auth.retry_without_credentials && !asks_digest { Verdict::Again } else { Verdict::Unable }
    }

    /// Adds the header fields that go with `request`. `nonce` is new each time.
    pub(crate) fn write(&mut self, request: &Request, path: &str, nonce: u64, add: AddField<'_>) {
        if let Some(answer) = &mut self.proxy
            && is_forwarded(request)
        {
            answer.write("Proxy-Authorization", request, path, nonce, add);
        }
        if let Some((endpoint, answer)) = &mut self.server
            && *endpoint == request.endpoint
        {
            answer.write("Authorization", request, path, nonce, add);
        }
    }
}

impl Answer {
    fn write(&mut self, field: &str, request: &Request, path: &str, nonce: u64, add: AddField<'_>) {
        let value = match self {
            Self::Basic(value) => Cow::Borrowed(&**value),
            Self::Digest(prompt, who) => {
                let method = HttpMethod(Cow::Borrowed(&request.method));
                let mut context = AuthContext::new_with_method(
                    &who.name,
                    &who.password,
                    path,
                    Option::<&[u8]>::None,
                    method,
                );
                context.set_custom_cnonce(format!("{nonce:016x}"));
                match prompt.respond(&context) {
                    Ok(answer) => Cow::Owned(answer.to_header_string()),
                    Err(_) => return,
                }
            }
        };
        add(field, &|out| out.extend_from_slice(value.as_bytes()));
    }
}

/// A challenge of a known scheme.
enum Challenge {
    Basic { realm: String },
    Digest(Box<WwwAuthenticateHeader>),
}

impl Challenge {
    fn parse(field: &[u8]) -> Option<Self> {
        // The parser counts characters as bytes. The line ends of a folded field would be part of the answer.
        let is_plain = |text: &&str| text.is_ascii() && !text.contains(|c: char| c.is_control() && c != '\t');
        let text = std::str::from_utf8(field).ok().filter(is_plain)?.trim();
        let (scheme, parameters) = text.split_once(' ').unwrap_or((text, ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Self::Basic { realm: realm(parameters).unwrap_or_default() });
        }
        if scheme.eq_ignore_ascii_case("digest") {
            return digest_auth::parse(parameters).ok().map(|prompt| Self::Digest(Box::new(prompt)));
        }
        None
    }

    fn answer(self, known: &[Credentials]) -> Option<Answer> {
        let of = |realm: &str| {
            let same = |who: &&Credentials| who.realm.as_ref().is_some_and(|r| r.eq_ignore_ascii_case(realm));
            known.iter().find(same).or_else(|| known.iter().find(|who| who.realm.is_none()))
        };
        match self {
            Self::Basic { realm } => {
                use base64::Engine as _;
                let who = of(&realm)?;
                let pair = format!("{}:{}", who.name, who.password);
                let coded = base64::engine::general_purpose::STANDARD.encode(pair);
                Some(Answer::Basic(format!("Basic {coded}")))
            }
            Self::Digest(prompt) => {
                let who = of(&prompt.realm)?.clone();
                Some(Answer::Digest(prompt, who))
            }
        }
    }
}

/// Returns the value of `realm="…"` among a challenge's parameters.
fn realm(parameters: &str) -> Option<String> {
    let start = parameters.to_ascii_lowercase().find("realm=")? + "realm=".len();
    let rest = &parameters[start..];
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().map(str::to_owned),
        None => rest.split([',', ' ']).next().map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn someone(name: &str, realm: Option<&str>) -> Credentials {
        Credentials { name: name.into(), password: "Circle of Life".into(), realm: realm.map(Into::into) }
    }

    /// Credentials for the host of [`request`], and for a proxy.
    fn auth(server: Vec<Credentials>) -> Challenges {
        Challenges {
            auth: Auth {
                server,
                proxy: vec![someone("proxy", None)],
                attempts: 5,
                retry_without_credentials: false,
            },
            hosts: HashSet::from(["www.example.org".to_owned()]),
            has_proxy: true,
        }
    }

    fn request() -> Request {
        Request::get("http://www.example.org/dir/index.html").unwrap()
    }

    fn written(answers: &mut Answers) -> String {
        let out = crate::fields::lines(|add| answers.write(&request(), &request().path, 7, add));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn basic_is_answered_by_realm() {
        let known = auth(vec![someone("any", None), someone("Mufasa", Some("Pride Rock"))]);
        for (realm, name) in [("pride rock", "Mufasa"), ("elsewhere", "any")] {
            let mut answers = Answers::default();
            let challenge = format!("Basic realm=\"{realm}\", charset=\"UTF-8\"").into_bytes();
            assert_eq!(answers.challenge(&known, &request(), 401, &[challenge]), Verdict::Again);
            use base64::Engine as _;
            let coded = base64::engine::general_purpose::STANDARD.encode(format!("{name}:Circle of Life"));
            assert_eq!(written(&mut answers), format!("Authorization: Basic {coded}\r\n"));
        }
    }

    #[test]
    fn a_folded_challenge_is_not_answered() {
        let known = auth(vec![someone("any", None)]);
        for challenge in ["Digest realm=\"a\r\n b\", nonce=\"n\"", "Basic realm=\"a\n b\""] {
            let mut answers = Answers::default();
            answers.challenge(&known, &request(), 401, &[challenge.as_bytes().to_vec()]);
            assert_eq!(written(&mut answers), "", "{challenge:?}");
        }
    }

    #[test]
    fn digest_is_answered_and_its_uses_are_counted() {
        // The challenge of RFC 7616 section 3.9.1.
        let prompt = br#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#;
        let mut answers = Answers::default();
        let known = auth(vec![someone("Mufasa", None)]);
        assert_eq!(answers.challenge(&known, &request(), 401, &[prompt.to_vec()]), Verdict::Again);
        let first = written(&mut answers);
        assert!(first.starts_with("Authorization: Digest username=\"Mufasa\""), "{first}");
        assert!(first.contains("nc=00000001") && first.contains("cnonce=\"0000000000000007\""), "{first}");
        assert!(written(&mut answers).contains("nc=00000002"));
    }

    #[test]
    fn answers_go_to_whom_they_belong() {
        let mut answers = Answers::default();
        let known = auth(vec![someone("a", None)]);
        assert_eq!(answers.challenge(&known, &request(), 407, &[b"Basic realm=x".to_vec()]), Verdict::Again);
        assert!(written(&mut answers).starts_with("Proxy-Authorization: Basic "));
        let upper = Request::get("https://WWW.example.org:8443/").unwrap();
        let mut answers = Answers::default();
        assert_eq!(answers.challenge(&known, &upper, 401, &[b"Basic realm=x".to_vec()]), Verdict::Again);
        assert_eq!(written(&mut answers), "", "the answer is another origin's");
    }

    #[test]
    fn credentials_stay_with_the_hosts_of_the_plan() {
        let mut known = auth(vec![someone("a", None)]);
        let third_party = Request::get("http://ads.example.net/").unwrap();
        let tunnelled = Request::get("https://www.example.org/").unwrap();
        let rows = [(401, &third_party, true), (407, &tunnelled, true), (407, &third_party, false)];
        for (status, request, has_proxy) in rows {
            known.has_proxy = has_proxy;
            let mut answers = Answers::default();
            let verdict = answers.challenge(&known, request, status, &[b"Basic realm=x".to_vec()]);
            assert_eq!(verdict, Verdict::Unable, "{status} {}", request.endpoint);
            let out = crate::fields::lines(|add| answers.write(request, &request.path, 7, add));
            assert_eq!(String::from_utf8(out).unwrap(), "", "{status} {}", request.endpoint);
        }
    }

    #[test]
    fn a_proxy_gets_no_answer_through_its_tunnel() {
        let known = auth(Vec::new());
        let mut answers = Answers::default();
        answers.challenge(&known, &request(), 407, &[b"Basic realm=x".to_vec()]);
        let tunnelled = Request::get("https://www.example.org/").unwrap();
        let out = crate::fields::lines(|add| answers.write(&tunnelled, &tunnelled.path, 7, add));
        assert_eq!(String::from_utf8(out).unwrap(), "");
    }

    #[test]
    fn what_cannot_be_answered_is_not() {
        let mut nobody = auth(Vec::new());
        for hostile in ["Negotiate", "Digest", "Digest realm=\"", "Digest nonce=é", "", "Basic"] {
            let mut answers = Answers::default();
            let verdict = answers.challenge(&nobody, &request(), 401, &[hostile.as_bytes().to_vec()]);
            assert_eq!((verdict, written(&mut answers)), (Verdict::Unable, String::new()), "{hostile}");
        }
        nobody.auth.retry_without_credentials = true;
        let digest = b"Digest realm=\"r\", nonce=\"n\"".to_vec();
        let rows = [
            (vec![b"Basic".to_vec()], Verdict::Again),
            (vec![b"Negotiate".to_vec()], Verdict::Again),
            (Vec::new(), Verdict::Again),
            (vec![digest.clone()], Verdict::Unable),
            (vec![b"Basic".to_vec(), digest], Verdict::Unable),
        ];
        for (challenges, expected) in rows {
            let mut answers = Answers::default();
            assert_eq!(answers.challenge(&nobody, &request(), 401, &challenges), expected, "{challenges:?}");
            assert_eq!(written(&mut answers), "");
        }
    }
}
