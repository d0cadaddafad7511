//! Finds the resources of an HTML page, and the page that it refreshes to.
//!
//! Only tags are read, not trees: what a script would load is unknown, and all other addresses are in attributes.

use crate::interceptors::redirect;
use flate2::read::{GzDecoder, ZlibDecoder};
use html5gum::{DefaultEmitter, HtmlString, StartTag, Token, Tokenizer};
use std::borrow::Cow;
use std::io::Read;
use std::time::Duration;
use url::Url;
use warwolf_plan::{Endpoint, Request, ResourceKind, ResourceOrder, Resources};

/// Maximum bytes of a page that are read, after decoding.
const PAGE_MAX: u64 = 4 << 20;

/// The body of a reply, as received.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Its bytes, or the first of them.
    pub body: &'a [u8],
    /// The value of `Content-Encoding`.
    pub encoding: Option<&'a [u8]>,
}

impl<'a> Page<'a> {
    /// Decodes the body, gzip or deflate, up to the first error; at most 4 MiB.
    #[must_use]
    pub fn plain(&self) -> Cow<'a, [u8]> {
        let coding = self.encoding.unwrap_or_default().trim_ascii();
        let mut plain = Vec::new();
        // What comes before the first error is kept.
        let _ = if coding.eq_ignore_ascii_case(b"gzip") || coding.eq_ignore_ascii_case(b"x-gzip") {
            GzDecoder::new(self.body).take(PAGE_MAX).read_to_end(&mut plain)
        } else if coding.eq_ignore_ascii_case(b"deflate") {
            ZlibDecoder::new(self.body).take(PAGE_MAX).read_to_end(&mut plain)
        } else {
            return Cow::Borrowed(self.body);
        };
        Cow::Owned(plain)
    }
}

/// Returns how long a reply is fresh by its `Expires` and `Date` (RFC 9111 section 4.2.1); none if unknown or expired.
#[must_use]
pub(crate) fn good_for(expires: Option<&[u8]>, date: Option<&[u8]>) -> Option<Duration> {
    let time = |field: &[u8]| httpdate::parse_http_date(std::str::from_utf8(field).ok()?.trim()).ok();
    time(expires?)?.duration_since(time(date?)?).ok().filter(|time| !time.is_zero())
}

/// The addresses that a page refers to.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Its resources, in the order of the page.
    pub(crate) resources: Vec<Request>,
    /// The page that it refreshes to; never itself.
    pub(crate) refresh: Option<Request>,
}

/// Reads the page that was the reply to `request`.
pub(crate) fn read(page: Page<'_>, request: &Request, wanted: &Resources) -> Found {
    let mut found = Found::default();
    let Ok(base) = Url::parse(&request.url()) else { return found };
    let own = without_fragment(base.clone());
    let mut resources: Vec<(Url, Request)> = Vec::new();
    let plain = page.plain();
    let mut emitter = DefaultEmitter::default();
    // The text of a script is not markup.
    emitter.naively_switch_states(true);
    for Ok(token) in Tokenizer::new_with_emitter(&*plain, emitter) {
        let Token::StartTag(tag) = token else { continue };
        if tag.name.0 == b"meta" {
            let target = refresh(&tag).filter(|_| wanted.refresh).and_then(|text| join(&base, &text));
            let elsewhere = target.filter(|url| *url != own);
            found.refresh = found.refresh.or_else(|| redirect::lead(request, &elsewhere?, true));
            continue;
        }
        let url = resource(&tag, &wanted.kinds).and_then(|text| join(&base, &text));
        let url =
            if wanted.same_server { url.and_then(|url| at_home(url, &base, &request.endpoint)) } else { url };
        let Some(url) = url else { continue };
        let known = resources.iter().position(|(known, _)| *known == url).filter(|_| !wanted.repeats);
        if let Some(at) = known {
            if wanted.order == ResourceOrder::LastFirst {
                let again = resources.remove(at);
                resources.push(again);
            }
        } else if resources.len() < wanted.limit as usize && url != own && !skipped(&url, wanted) {
            resources.extend(redirect::lead(request, &url, true).map(|asked| (url, asked)));
        }
    }
    found.resources = resources.into_iter().map(|(_, asked)| asked).collect();
    found
}

/// An address on the page's own server, as that server is asked; a host without a port is the page's whatever its port.
fn at_home(mut url: Url, base: &Url, endpoint: &Endpoint) -> Option<Url> {
    let is_ours = url.host() == base.host()
        && (url.port().is_none() || url.port_or_known_default() == Some(endpoint.port));
    if !is_ours || url.set_scheme(base.scheme()).is_err() || url.set_port(base.port()).is_err() {
        return None;
    }
    Some(url)
}

fn skipped(url: &Url, wanted: &Resources) -> bool {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    wanted.skip_hosts.iter().any(|part| host.contains(&part.to_ascii_lowercase()))
}

fn join(base: &Url, text: &str) -> Option<Url> {
    let text = text.trim();
    let is_elsewhere = |url: &Url| matches!(url.scheme(), "http" | "https");
    if text.is_empty() { None } else { base.join(text).ok().filter(is_elsewhere).map(without_fragment) }
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    let value = tag.attributes.get(&HtmlString(name.as_bytes().to_vec()))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// The address of the resource that a tag names, where its kind is wanted.
fn resource(tag: &StartTag<()>, kinds: &[ResourceKind]) -> Option<String> {
    let (kind, name) = match tag.name.0.as_slice() {
        b"img" => (ResourceKind::Image, "src"),
        b"script" => (ResourceKind::Script, "src"),
        b"frame" | b"iframe" => (ResourceKind::Frame, "src"),
        b"body" => (ResourceKind::Background, "background"),
        b"link" => {
            let relations = attribute(tag, "rel")?;
            let is_style = |relation: &str| relation.eq_ignore_ascii_case("stylesheet");
            relations.split_ascii_whitespace().any(is_style).then_some((ResourceKind::Style, "href"))?
        }
        _ => return None,
    };
    if kinds.contains(&kind) { attribute(tag, name) } else { None }
}

/// The address behind `url=` in the content of `<meta http-equiv=refresh>`.
fn refresh(tag: &StartTag<()>) -> Option<String> {
    if !attribute(tag, "http-equiv")?.trim().eq_ignore_ascii_case("refresh") {
        return None;
    }
    let content = attribute(tag, "content")?;
    let start = content.to_ascii_lowercase().find("url")? + "url".len();
    let target = content[start..].trim_start().strip_prefix('=')?.trim();
    let quote = target.chars().next().filter(|first| matches!(first, '"' | '\''));
    match quote {
        Some(quote) => target[1..].split(quote).next().map(str::to_owned),
        None => Some(target.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn found(html: &str) -> (Vec<String>, Option<String>) {
        let order = ResourceOrder::LastFirst;
        let skip_hosts = vec!["Ads.".into()];
        found_by(html, &Resources { skip_hosts, order, refresh: true, ..Resources::up_to(4) })
    }

    fn found_by(html: &str, wanted: &Resources) -> (Vec<String>, Option<String>) {
        let request = Request::get("http://a.test:81/dir/page?x=1").unwrap();
        let found = read(Page { body: html.as_bytes(), encoding: None }, &request, wanted);
        let urls = found.resources.iter().map(Request::url).collect();
        (urls, found.refresh.map(|request| request.url()))
    }

    #[test]
    fn what_a_page_is_made_of() {
        // A piece of a page, and what it has fetched.
        let rows = [
            ("<img src=a.png>", "http://a.test:81/dir/a.png"),
            ("<IMG SRC=' /a b.png '>", "http://a.test:81/a%20b.png"),
            ("<img src='/q?a=1&amp;b=2'>", "http://a.test:81/q?a=1&b=2"),
            ("<script src=../s.js></script>", "http://a.test:81/s.js"),
            ("<script>document.write('<img src=x.png>')</script>", ""),
            ("<!-- <img src=x.png> -->", ""),
            ("<img src='data:image/png;base64,AA'><img src='javascript:x()'><img src=''><img>", ""),
            ("<img src='#here'><img src='page?x=1#there'>", ""),
            ("<img src=z.png#a><img src=z.png#b>", "http://a.test:81/dir/z.png"),
            (
                "<link rel=stylesheet href=s.css><link rel='shortcut icon' href=i.ico>",
                "http://a.test:81/dir/s.css",
            ),
            ("<link rel=alternate href=x><link href=x><link rel=next href=x><link rel=stylesheet>", ""),
            ("<body background=/bg.png><a href=x>x</a><iframe src=x></iframe>", "http://a.test:81/bg.png"),
            ("<img src=//b.test:81/x><img src=//ads.test/y>", "http://b.test:81/x"),
            ("<img src=1><img src=2><img src=1>", "http://a.test:81/dir/2 http://a.test:81/dir/1"),
            (
                "<img src=1><img src=2><img src=3><img src=4><img src=5>",
                "http://a.test:81/dir/1 http://a.test:81/dir/2 http://a.test:81/dir/3 http://a.test:81/dir/4",
            ),
            ("<img src=\"unended", ""),
        ];
        for (html, urls) in rows {
            assert_eq!(found(html).0.join(" "), urls, "{html}");
        }
    }

    #[test]
    fn which_of_several_elements_count() {
        let html = "<img src=1><script src=2></script><img src=1><frame src=3><img src=//b.test/4>
            <meta http-equiv=refresh content='0;url=/x'>";
        let usual = || Resources::up_to(9);
        let rows = [
            (usual(), "a.test:81/dir/1 a.test:81/dir/2 b.test/4"),
            (
                Resources { order: ResourceOrder::LastFirst, ..usual() },
                "a.test:81/dir/2 a.test:81/dir/1 b.test/4",
            ),
            (
                Resources { repeats: true, ..usual() },
                "a.test:81/dir/1 a.test:81/dir/2 a.test:81/dir/1 b.test/4",
            ),
            (Resources { same_server: true, ..usual() }, "a.test:81/dir/1 a.test:81/dir/2"),
            (Resources { kinds: vec![ResourceKind::Frame], ..usual() }, "a.test:81/dir/3"),
            (Resources { limit: 2, ..usual() }, "a.test:81/dir/1 a.test:81/dir/2"),
        ];
        for (wanted, expected) in rows {
            let expected = expected.split(' ').map(|url| format!("http://{url}")).collect();
            assert_eq!(found_by(html, &wanted), (expected, None), "{wanted:?}");
        }
    }

    #[test]
    fn what_is_embedded_in_a_page() {
        let wanted = Resources {
            kinds: vec![ResourceKind::Image, ResourceKind::Frame],
            repeats: true,
            same_server: true,
            ..Resources::up_to(4)
        };
        let rows = [
            ("<img src=a><IMG SRC='/b'><img alt=x src=a >", "/dir/a /b /dir/a"),
            ("<frame src=f><iframe src=\"../i\"></iframe>", "/dir/f /i"),
            ("<script src=s></script><link rel=stylesheet href=s><body background=b>", ""),
            ("<!-- <img src=x> --><img src='page?x=1'><img src=''><img>", ""),
            ("<img src=http://a.test/x><img src=http://a.test:81/y><img src=//a.test:82/z>", "/x /y"),
            ("<img src=http://b.test/x><img src='data:image/png;base64,AA'>", ""),
            ("<img src=1><img src=2><img src=3><img src=4><img src=5>", "/dir/1 /dir/2 /dir/3 /dir/4"),
            ("<meta http-equiv=refresh content='0;url=x'>", ""),
        ];
        for (html, paths) in rows {
            let (urls, refresh) = found_by(html, &wanted);
            let paths: Vec<_> =
                paths.split_whitespace().map(|path| format!("http://a.test:81{path}")).collect();
            assert_eq!((urls, refresh), (paths, None), "{html}");
        }
    }

    #[test]
    fn where_a_page_sends_its_reader() {
        let rows = [
            ("0; url=/next", Some("http://a.test:81/next")),
            ("3;URL=next", Some("http://a.test:81/dir/next")),
            ("0;url = '/next'", Some("http://a.test:81/next")),
            ("5", None),
            ("5; url=", None),
            ("5; url=page?x=1", None),
            ("0;url=ftp://a.test/", None),
        ];
        for (content, expected) in rows {
            let html = format!("<meta HTTP-EQUIV=Refresh content=\"{content}\">");
            assert_eq!(found(&html).1.as_deref(), expected, "{content}");
        }
        assert_eq!(found("<meta http-equiv=expires content='0;url=/x'><meta name=refresh>").1, None);
    }

    #[test]
    fn how_long_a_reply_is_good() {
        let date = Some(&b"Sat, 21 Nov 2026 10:00:00 GMT"[..]);
        let rows = [
            (Some(&b"Sat, 21 Nov 2026 10:01:00 GMT"[..]), date, Some(Duration::from_secs(60))),
            (Some(b"Saturday, 21-Nov-26 11:00:00 GMT"), date, Some(Duration::from_secs(3_600))),
            (Some(b"Sat, 21 Nov 2026 09:00:00 GMT"), date, None),
            (Some(b"0"), date, None),
            (date, date, None),
            (None, date, None),
            (date, None, None),
        ];
        for (expires, date, expected) in rows {
            assert_eq!(good_for(expires, date), expected, "{expires:?}");
        }
    }

    #[test]
    fn codings_are_taken_off() {
        let text = b"<img src=x>".repeat(50);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&text).unwrap();
        let gzip = gzip.finish().unwrap();
        let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        deflate.write_all(&text).unwrap();
        let deflate = deflate.finish().unwrap();
        let cases =
            [(&gzip, Some(&b"GZIP"[..])), (&deflate, Some(b" deflate")), (&text, None), (&text, Some(b"br"))];
        for (body, encoding) in cases {
            assert_eq!(&*Page { body, encoding }.plain(), text, "{encoding:?}");
        }
        assert_eq!(&*Page { body: b"no gzip", encoding: Some(b"gzip") }.plain(), b"");
    }
}
