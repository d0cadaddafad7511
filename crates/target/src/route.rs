//! Paths with a special response. All other paths return the normal response.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The response that a path selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    Plain,
    /// Remaining redirects.
    Redirect(u32),
    Cookies,
    Auth {
        user: &'a str,
        password: &'a str,
    },
    /// The request as received: head, blank line, body (without chunked coding).
    Echo,
    /// The head of the request.
    Headers,
    /// The body of the request.
    Upload,
    /// The number of bytes in the body of the request, as a decimal number and a line feed.
    Count,
}

/// Splits a request target into path and query. Removes scheme and authority of the absolute form that proxies receive (RFC
/// 9112, section 3.2.2).
pub(crate) fn split(target: &str) -> (&str, &str) {
    let target = match target.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => rest.find('/').map_or("/", |at| &rest[at..]),
        _ => target,
    };
    target.split_once('?').unwrap_or((target, ""))
}

/// Returns the response that `path` selects.
pub(crate) fn route(path: &str) -> Route<'_> {
    let Some(rest) = path.strip_prefix('/') else {
        return Route::Plain;
    };
    match rest {
        "" => Route::Plain,
        "cookies" => Route::Cookies,
        "echo" => Route::Echo,
        "headers" => Route::Headers,
        "upload" => Route::Upload,
        "count" => Route::Count,
        _ => with_arguments(rest).unwrap_or(Route::Plain),
    }
}

fn with_arguments(rest: &str) -> Option<Route<'_>> {
    if let Some(hops) = rest.strip_prefix("redirect/") {
        return hops.parse().ok().map(Route::Redirect);
    }
    let (user, password) = rest.strip_prefix("auth/")?.split_once('/')?;
    Some(Route::Auth { user, password })
}

/// Returns the `Location` of a redirect with `hops` left. It includes `query`, so that every hop behaves in the same way.
pub(crate) fn location(hops: u32, query: &str) -> String {
    let path = if hops > 1 { format!("/redirect/{}", hops - 1) } else { "/".to_owned() };
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

/// Returns whether an `Authorization` header contains these credentials (RFC 7617).
pub(crate) fn is_authorized(header: Option<&[u8]>, user: &str, password: &str) -> bool {
    let Some((scheme, token)) = header.and_then(|value| value.split_at_checked(6)) else {
        return false;
    };
    let expected = STANDARD.encode(format!("{user}:{password}"));
    scheme.eq_ignore_ascii_case(b"basic ") && token.trim_ascii() == expected.as_bytes()
}

/// The sender of a request to `/cookies`, according to its `Cookie` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visitor {
    /// No cookie of this server.
    New,
    /// The cookie as it was set.
    Known,
    /// The right name with a wrong value.
    Forged,
}

/// Returns the cookie of visitor `number`: the number and a checksum that depends on the seed.
pub(crate) fn cookie(seed: u64, number: u64) -> String {
    format!("{COOKIE}={number}.{:016x}", check(seed, number))
}

/// Identifies the sender by the `Cookie` header.
pub(crate) fn visitor(seed: u64, header: Option<&[u8]>) -> Visitor {
    let Some(header) = header else {
        return Visitor::New;
    };
    let pairs = header.split(|b| *b == b';').map(<[u8]>::trim_ascii);
    let mut ours = pairs
        .filter(|pair| pair.strip_prefix(COOKIE.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'=')));
    let Some(pair) = ours.next() else {
        return Visitor::New;
    };
    let number = str::from_utf8(&pair[COOKIE.len() + 1..]).ok().and_then(|value| value.split_once('.'));
    let expected = number.and_then(|(number, _)| number.parse().ok()).map(|number| cookie(seed, number));
    let is_known = expected.is_some_and(|expected| expected.as_bytes() == pair) && ours.next().is_none();
    if is_known { Visitor::Known } else { Visitor::Forged }
}

const COOKIE: &str = "warwolf";

fn check(seed: u64, number: u64) -> u64 {
    let mixed = (seed ^ 0x5851_f42d_4c95_7f2d).wrapping_mul(number.wrapping_mul(2).wrapping_add(1));
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_target_are_split() {
        for (target, parts) in [
            ("/", ("/", "")),
            ("/a?b=c?d", ("/a", "b=c?d")),
            ("http://host:80/a?b", ("/a", "b")),
            ("http://host", ("/", "")),
            ("/a?u=http://x/", ("/a", "u=http://x/")),
        ] {
            assert_eq!(split(target), parts, "{target}");
        }
    }

    #[test]
    fn only_documented_paths_are_special() {
        for (path, expected) in [
            ("/", Route::Plain),
            ("/anything", Route::Plain),
            ("*", Route::Plain),
            ("/redirect/3", Route::Redirect(3)),
            ("/redirect/x", Route::Plain),
            ("/auth/a/b", Route::Auth { user: "a", password: "b" }),
            ("/auth/a", Route::Plain),
            ("/echo", Route::Echo),
            ("/upload", Route::Upload),
            ("/count", Route::Count),
        ] {
            assert_eq!(route(path), expected, "{path}");
        }
    }

    #[test]
    fn redirects_count_down_to_the_normal_response() {
        assert_eq!(location(3, ""), "/redirect/2");
        assert_eq!(location(1, "size=1"), "/?size=1");
    }

    #[test]
    fn basic_credentials_are_compared_as_encoded() {
        for (header, expected) in [
            (&b"Basic YTpi"[..], true),
            (b"basic  YTpi", true),
            (b"Basic YTpj", false),
            (b"Bearer YTpi", false),
            (b"", false),
        ] {
            assert_eq!(is_authorized(Some(header), "a", "b"), expected, "{}", header.escape_ascii());
        }
        assert!(!is_authorized(None, "a", "b"));
    }

    #[test]
    fn a_modified_cookie_is_rejected() {
        let set = cookie(1, 7);
        let among_others = format!("a=b; {set}; c=d");
        let twice = format!("{set}; {set}");
        for (header, expected) in [
            (&*set, Visitor::Known),
            (&among_others, Visitor::Known),
            ("a=b", Visitor::New),
            ("warwolf=7.0", Visitor::Forged),
            ("warwolf=", Visitor::Forged),
            (&twice, Visitor::Forged),
        ] {
            assert_eq!(visitor(1, Some(header.as_bytes())), expected, "{header}");
        }
        assert_eq!(visitor(1, None), Visitor::New);
        assert_eq!(visitor(2, Some(set.as_bytes())), Visitor::Forged);
    }
}
