//! `robots.txt` (RFC 9309): which URLs a crawler may request.
//!
//! Implemented here, because the grammar has forty lines and the available libraries depend on a regex engine.

use std::collections::BTreeSet;
use std::time::Duration;

/// The rules of a `robots.txt` for one crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Robots {
    /// Patterns; true means that the pattern allows.
    rules: BTreeSet<(bool, String)>,
    /// The minimum time between two requests (`Crawl-delay`), if any.
    pub delay: Option<Duration>,
}

/// Maximum number of bytes to parse (RFC 9309 section 2.5 requires at least 500 KiB).
const READ_MAX: usize = 500 << 10;
/// Maximum number of different rules: each link of each page is compared with all of them. Later ones are ignored.
const RULES_MAX: usize = 2_000;

impl Robots {
    /// Allows everything.
    #[must_use]
    pub fn everything() -> Self {
        Self::default()
    }

    /// Forbids everything.
    #[must_use]
    pub fn nothing() -> Self {
        Self { rules: BTreeSet::from([(false, "/".to_owned())]), delay: None }
    }

    /// Parses the rules for the crawler `name`, or those for `*` if no group names it.
    #[must_use]
    pub fn parse(text: &[u8], name: &str) -> Self {
        let text = String::from_utf8_lossy(&text[..text.len().min(READ_MAX)]);
        let (mut own, mut any) = (Self::default(), Self::default());
        let mut is_own_named = false;
        // Which crawlers the current group applies to, and whether its rules have begun.
        let (mut is_own, mut is_any, mut has_rules) = (false, false, false);
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            if key == "user-agent" {
                if has_rules {
                    (is_own, is_any, has_rules) = (false, false, false);
                }
                is_any |= value == "*";
                is_own |= value.eq_ignore_ascii_case(name);
                is_own_named |= is_own;
                continue;
            }
            if !matches!(key.as_str(), "allow" | "disallow" | "crawl-delay") {
                continue;
            }
            has_rules = true;
            for (robots, counts) in [(&mut own, is_own), (&mut any, is_any)] {
                if counts {
                    robots.add(&key, value);
                }
            }
        }
        if is_own_named { own } else { any }
    }

    fn add(&mut self, key: &str, value: &str) {
        if key == "crawl-delay" {
            let seconds = value.parse::<f64>().ok().filter(|seconds| (0.0..=3_600.0).contains(seconds));
            self.delay = seconds.map(Duration::from_secs_f64);
        } else if !value.is_empty() {
            let rule = (key == "allow", value.to_owned());
            if self.rules.len() < RULES_MAX {
                self.rules.insert(rule);
            }
        }
    }

    /// Returns whether `target` (path and query) may be requested. The longest matching pattern decides; of two equally long
    /// patterns the one that allows.
    #[must_use]
    pub fn allows(&self, target: &str) -> bool {
        let matching = self.rules.iter().filter(|(_, pattern)| matches_prefix(pattern, target));
        matching.map(|(allows, pattern)| (pattern.len(), *allows)).max().is_none_or(|(_, allows)| allows)
    }
}

/// Returns whether a prefix of the target matches `pattern`; `*` matches anything, a final `$` matches the end.
fn matches_prefix(pattern: &str, target: &str) -> bool {
    let (pattern, is_whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| target.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return !is_whole || rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() && is_whole {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pattern_decides() {
        let robots = Robots::parse(b"User-agent: *\nDisallow: /\nAllow: /open\nDisallow: /open/but\nDisallow: /*.pdf$\nAllow: /open/*x\n", "w");
        for (target, expected) in [
            ("/", false),
            ("/open", true),
            ("/open/but", false),
            ("/open/a.pdf", false),
            ("/open/a.pdf?x", true),
            ("/open/bx", true),
            ("/openbut", true),
            ("/o", false),
        ] {
            assert_eq!(robots.allows(target), expected, "{target}");
        }
    }

    #[test]
    fn rules_are_bounded_and_counted_once() {
        let rule = |number: usize| format!("Disallow: /{number}/\n");
        let many: String = (0..RULES_MAX + 1).map(rule).collect();
        let robots = Robots::parse(format!("User-agent: *\n{}{many}", rule(0).repeat(5_000)).as_bytes(), "w");
        assert!(!robots.allows(&format!("/{}/", RULES_MAX - 1)));
        assert!(robots.allows(&format!("/{RULES_MAX}/")));
    }

    #[test]
    fn a_group_that_names_the_crawler_replaces_the_default_group() {
        let text = b"\xef\xbb\xbfuser-agent: other\nuser-agent: Warwolf # both\nDISALLOW: /a\ncrawl-delay: 2.5\n\nUser-agent: *\nDisallow: /\n\
                     Sitemap: http://a.test/s\nUser-agent: warwolf\nDisallow: /b";
        let robots = Robots::parse(text, "warwolf");
        assert!(!robots.allows("/a") && !robots.allows("/b") && robots.allows("/c"));
        assert_eq!(robots.delay, Some(Duration::from_millis(2_500)));
        assert!(!Robots::parse(text, "third").allows("/c"));
    }

    #[test]
    fn empty_rules_and_rules_without_a_group_are_ignored() {
        assert!(Robots::parse(b"User-agent: *\nDisallow:\n", "w").allows("/x"));
        assert!(Robots::parse(b"Disallow: /\n", "w").allows("/x"), "a rule without a group");
        assert!(Robots::everything().allows("/") && !Robots::nothing().allows("/x"));
    }
}
