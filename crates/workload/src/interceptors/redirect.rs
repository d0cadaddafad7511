//! Derives the request that a redirect leads to (RFC 9110 section 15.4).

use super::{Provenance, Unplanned};
use crate::session::Reply;
use warwolf_plan::{Body, RedirectPolicy, Request};

/// Returns the call that a redirect leads to.
pub(super) fn reply(
    policy: &RedirectPolicy,
    limit: u32,
    reply: &Reply<'_>,
    from: Provenance,
) -> Option<Unplanned> {
    let status = reply.status().filter(|status| policy.statuses.contains(status))?;
    if from.redirects >= limit {
        return None;
    }
    let request = follow(&reply.sent(), reply.path, status, reply.headers.get("location"), policy.with_get)?;
    Some(Unplanned { request, from: Provenance { redirects: from.redirects + 1, attempts: 1, ..from } })
}

/// Returns the request that follows `request` which was sent with `path`, when its reply has `status` and `location`; none when the reply is not a
/// redirect, or its target is not an HTTP URL.
///
/// 303 turns everything but HEAD into GET; 301 and 302 turn POST into GET, as browsers do; with `with_get`, all three turn
/// everything into GET; 201, where the plan counts it, turns everything into GET; 307 and 308 change nothing. A request that
/// becomes a GET loses its body and the fields that describe it; one that goes to another origin loses its credentials.
/// A head written in the plan is kept with another target if the origin, the method and the body stay the same.
pub(crate) fn follow(
    request: &Request,
    path: &str,
    status: u16,
    location: Option<&[u8]>,
    with_get: bool,
) -> Option<Request> {
    let method = request.method.as_str();
    let becomes_get = match status {
        301 | 302 => method == "POST" || (with_get && method != "GET"),
        // Not a redirect: the location shows what was created.
        201 => method != "GET",
        303 => method != "GET" && (method != "HEAD" || with_get),
        307 | 308 => false,
        _ => return None,
    };
    // Without a target there is no redirect, as for browsers: the page would be requested again and again.
    let location = std::str::from_utf8(location?).ok()?.trim();
    if location.is_empty() {
        return None;
    }
    let base = format!("{}{path}", request.endpoint);
    let target = url::Url::parse(&base).ok()?.join(location).ok()?;
    lead(request, &target, becomes_get)
}

/// Returns the request for `target` that `request` leads to; none if `target` is not an HTTP URL.
pub(crate) fn lead(request: &Request, target: &url::Url, becomes_get: bool) -> Option<Request> {
    if !matches!(target.scheme(), "http" | "https") {
        return None;
    }
    let mut followed = Request::get(target.as_str()).ok()?;
    let same_origin = followed.endpoint == request.endpoint;
    followed.headers = request
        .headers
        .iter()
        .filter(|(name, _)| same_origin || !is_one_of(name, &CREDENTIALS))
        .filter(|(name, _)| !becomes_get || !is_one_of(name, &ABOUT_BODY))
        .cloned()
        .collect();
    if same_origin && followed.basic_auth.is_none() {
        followed.basic_auth.clone_from(&request.basic_auth);
    }
    if !becomes_get {
        followed.method.clone_from(&request.method);
        followed.body.clone_from(&request.body);
    } else {
        followed.body = Body::None;
    }
    if same_origin && (&followed.method, &followed.body) == (&request.method, &request.body) {
        followed.head = request.head.as_deref().and_then(|head| readdressed(head, &followed.path));
    }
    if request.is_template {
        // The fields that are left may contain values; the target contains none.
        followed.is_template = true;
        followed = followed.sent_as(&followed.path);
    }
    // A random body is sent with the head that the plan gives.
    let is_whole = followed.head.is_some() || !matches!(followed.body, Body::Random(_));
    is_whole.then_some(followed)
}

/// Returns a sent head with another target.
fn readdressed(head: &str, target: &str) -> Option<String> {
    let (line, rest) = head.split_once("\r\n")?;
    let (before, version) = line.rsplit_once(' ')?;
    let (method, _) = before.split_once(' ')?;
    Some(format!("{method} {target} {version}\r\n{rest}"))
}

fn is_one_of(name: &str, list: &[&str]) -> bool {
    list.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// Fields meant for one origin. `Host` names the origin, so it is not kept for another either.
const CREDENTIALS: [&str; 4] = ["authorization", "cookie", "host", "proxy-authorization"];
/// Fields that describe the body.
const ABOUT_BODY: [&str; 9] = [
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-type",
    "digest",
    "expect",
    "last-modified",
    "transfer-encoding",
];

#[cfg(test)]
mod tests;
