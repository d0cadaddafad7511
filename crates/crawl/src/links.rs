//! Extracts the links of a page.

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};
use url::Url;

/// The links of a page in document order, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Links that a user can follow.
    pub pages: Vec<Url>,
    /// Resources that a browser loads by itself: images, scripts, style sheets.
    pub resources: Vec<Url>,
}

/// Maximum number of links of each kind per page.
const LINKS_MAX: usize = 1_000;
/// Maximum length of a URL in bytes. Servers refuse longer ones (Apache and nginx at 8 KiB), and a page could fill the memory
/// with them: a long `<base>` makes every short link long.
const URL_MAX: usize = 8_192;

/// Returns the `http` and `https` links of the page `html` at the URL `base`, without their fragments. Ignores forms and
/// `nofollow` links.
#[must_use]
pub fn links(html: &[u8], base: &Url) -> Found {
    let mut found = Found::default();
    let mut base = base.clone();
    let mut is_nofollow = false;
    let mut emitter = DefaultEmitter::default();
    // Text inside scripts and styles is not markup.
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(Token::StartTag(tag)) = token else { continue };
        if tag.name.as_slice() == b"base" {
            if let Some(there) = attribute(&tag, b"href").and_then(|text| join(&base, &text)) {
                base = there;
            }
        } else if tag.name.as_slice() == b"meta" {
            let text = |name: &[u8]| attribute(&tag, name).unwrap_or_default().to_ascii_lowercase();
            is_nofollow |= text(b"name") == "robots" && text(b"content").contains("nofollow");
            if text(b"http-equiv") == "refresh" {
                let content = attribute(&tag, b"content").unwrap_or_default();
                add(&mut found.pages, &base, refresh(&content));
            }
        } else {
            take(&tag, &base, &mut found);
        }
    }
    if is_nofollow {
        found.pages.clear();
    }
    found
}

fn take(tag: &StartTag<()>, base: &Url, found: &mut Found) {
    let rel = attribute(tag, b"rel").unwrap_or_default().to_ascii_lowercase();
    match tag.name.as_slice() {
        b"a" | b"area" if !rel.contains("nofollow") => {
            add(&mut found.pages, base, attribute(tag, b"href").as_deref());
        }
        b"iframe" | b"frame" => add(&mut found.pages, base, attribute(tag, b"src").as_deref()),
        b"link" if ["stylesheet", "icon", "preload", "manifest"].iter().any(|kind| rel.contains(kind)) => {
            add(&mut found.resources, base, attribute(tag, b"href").as_deref());
        }
        b"img" | b"script" | b"source" | b"video" | b"audio" | b"embed" | b"track" => {
            add(&mut found.resources, base, attribute(tag, b"src").as_deref());
        }
        _ => {}
    }
}

fn attribute(tag: &StartTag<()>, name: &[u8]) -> Option<String> {
    let (_, value) = tag.attributes.iter().find(|(key, _)| key.as_slice() == name)?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Returns the URL in `5; url=/next`.
fn refresh(content: &str) -> Option<&str> {
    let (_, rest) = content.split_once(';')?;
    let (name, address) = rest.split_once('=')?;
    name.trim().eq_ignore_ascii_case("url").then(|| address.trim().trim_matches(['\'', '"']))
}

/// Returns the URL that `text` stands for, unless it is too long.
pub(crate) fn join(base: &Url, text: &str) -> Option<Url> {
    if text.len() > URL_MAX {
        return None;
    }
    base.join(text.trim()).ok().filter(|there| there.as_str().len() <= URL_MAX)
}

fn add(list: &mut Vec<Url>, base: &Url, text: Option<&str>) {
    let Some(mut there) = text.and_then(|text| join(base, text)) else { return };
    if !matches!(there.scheme(), "http" | "https") || !there.has_host() {
        return;
    }
    there.set_fragment(None);
    if list.len() < LINKS_MAX && !list.contains(&there) {
        list.push(there);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> (Vec<String>, Vec<String>) {
        let found = links(html.as_bytes(), &Url::parse("http://a.test/dir/page").unwrap());
        let text = |urls: Vec<Url>| urls.into_iter().map(|url| url.to_string()).collect();
        (text(found.pages), text(found.resources))
    }

    #[test]
    fn links_are_parsed_as_in_browsers() {
        let html = "<A HREF='/x?a=1&amp;b=2#part'>x<a href=y><a href=//b.test/z><area href=\" ../up \"><!-- <a href=no> -->\
                    <script>'<a href=no>'</script><iframe src=frame></iframe><a href=y>again<a href>";
        let (pages, _) = found(html);
        let expected = [
            "http://a.test/x?a=1&b=2",
            "http://a.test/dir/y",
            "http://b.test/z",
            "http://a.test/up",
            "http://a.test/dir/frame",
            "http://a.test/dir/page",
        ];
        assert_eq!(pages, expected);
    }

    #[test]
    fn forms_other_schemes_and_nofollow_are_ignored() {
        let html = "<form action=/buy><input type=submit></form><a href='javascript:x()'><a href=mailto:a@b><a rel='x nofollow' \
                    href=n><a href=data:text/html,x><a href='http://[::1'>";
        assert_eq!(found(html).0, [] as [&str; 0]);
        assert_eq!(found("<a href=x><meta name=ROBOTS content='noindex, NoFollow'>").0, [] as [&str; 0]);
    }

    #[test]
    fn urls_that_no_server_takes_are_ignored() {
        let long = "a".repeat(URL_MAX);
        let html = format!("<a href=/{long}><base href='/{long}/'><a href=x><base href='/{}/'>", &long[40..]);
        assert_eq!(found(&html).0, ["http://a.test/dir/x"]);
        let html = format!("<base href='/{}/'><a href=1><a href={}>", &long[40..], &long[..40]);
        assert_eq!(found(&html).0.iter().map(String::len).collect::<Vec<_>>(), [URL_MAX - 40 + 16]);
    }

    #[test]
    fn base_refresh_and_resources_are_handled() {
        let html = "<base href=/other/><meta http-equiv=Refresh content=\"3; URL='next'\"><link rel=stylesheet href=s.css><img src=i.png>\
                    <script src=/j.js></script><link rel=alternate href=no>";
        let (pages, resources) = found(html);
        assert_eq!(pages, ["http://a.test/other/next"]);
        assert_eq!(
            resources,
            ["http://a.test/other/s.css", "http://a.test/other/i.png", "http://a.test/j.js"]
        );
    }

    #[test]
    fn the_number_of_links_per_page_is_limited() {
        let html: String = (0..3_000).map(|i| format!("<a href=/{i}>")).collect();
        assert_eq!(found(&html).0.len(), LINKS_MAX);
    }
}
