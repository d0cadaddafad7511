//! OpenSSL's cipher lists, reduced to the suites that are available.

/// The available suites of TLS 1.2.
const ALIVE: [&str; 6] = [
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-RSA-CHACHA20-POLY1305",
];

/// The suites of TLS 1.3, which a cipher list does not affect.
const ALWAYS: [&str; 3] =
    ["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"];

/// Parts of the names of suites that are broken or were never safe, lack forward secrecy, or use CBC.
const DEAD: [&str; 14] = [
    "EXP", "DES", "RC2", "RC4", "IDEA", "SEED", "MD5", "NULL", "ADH", "AECDH", "CAMELLIA", "PSK", "SRP",
    "DSS",
];

/// The result of reading a cipher list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// These suites; empty means all.
    Suites(Vec<String>),
    /// The list names this obsolete suite and no available one.
    Dead(String),
}

/// Reads a cipher list. Ignores names that are not suites: OpenSSL does so as long as one suite is left, the original
/// always.
pub(super) fn choose(list: &str) -> Chosen {
    let mut suites = Vec::new();
    let mut dead = None;
    for word in list.split([':', ',', ' ']).filter(|word| !word.is_empty()) {
        let is_removal = word.starts_with(['!', '-', '@', '+']);
        if let Some(alive) = ALIVE.iter().find(|alive| alive.eq_ignore_ascii_case(word)) {
            suites.push((*alive).to_owned());
        } else if !is_removal && is_dead(word) {
            dead.get_or_insert_with(|| word.to_owned());
        }
    }
    match dead {
        Some(name) if suites.is_empty() => Chosen::Dead(name),
        _ if suites.is_empty() => Chosen::Suites(suites),
        _ => Chosen::Suites(suites.into_iter().chain(ALWAYS.map(str::to_owned)).collect()),
    }
}

fn is_dead(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    // A name with a hash at its end that is not an available suite: AES128-SHA, DHE-RSA-AES256-SHA256, …
    let is_suite = upper.contains('-') && (upper.contains("-SHA") || upper.contains("-CBC"));
    is_suite || upper.split('-').any(|part| DEAD.iter().any(|dead| part.starts_with(dead)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_choose_among_the_living() {
        let suites = |names: &[&str]| {
            Chosen::Suites(names.iter().chain(&ALWAYS).map(|name| (*name).to_owned()).collect())
        };
        let all = Chosen::Suites(Vec::new());
        let dead = |name: &str| Chosen::Dead(name.to_owned());
        let rows = [
            ("ECDHE-RSA-AES128-GCM-SHA256", suites(&["ECDHE-RSA-AES128-GCM-SHA256"]), "one suite"),
            (
                "RC4-MD5:ecdhe-rsa-aes256-gcm-sha384:!aNULL",
                suites(&["ECDHE-RSA-AES256-GCM-SHA384"]),
                "the living of a list",
            ),
            ("NOSUCH", all.clone(), "a list that is no list is ignored"),
            ("ALL:!EXP:@STRENGTH", all.clone(), "groups choose nothing"),
            ("HIGH", all, "groups choose nothing"),
            ("EXP-RC4-MD5", dead("EXP-RC4-MD5"), "export grade"),
            ("DES-CBC3-SHA", dead("DES-CBC3-SHA"), "triple DES"),
            ("AES128-SHA", dead("AES128-SHA"), "no forward secrecy"),
            ("DHE-RSA-AES256-SHA256:AES128-SHA", dead("DHE-RSA-AES256-SHA256"), "the first is named"),
        ];
        for (list, expected, why) in rows {
            assert_eq!(choose(list), expected, "{why}: {list}");
        }
    }
}
