//! The known name that a mistyped one most likely stands for.

/// Returns the candidate that differs least from `name`; none if all differ by more than a third of its letters.
pub fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let most = (name.chars().count() / 3).max(1);
    let distances = candidates.into_iter().map(|candidate| (distance(name, candidate), candidate));
    distances.filter(|(distance, _)| *distance <= most).min().map(|(_, candidate)| candidate)
}

/// Returns the number of letters to insert, delete or replace (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_mistyped_name_has_a_nearest_one() {
        let known = ["connections", "rate", "target", "connect-timeout"];
        for (name, expected) in [
            ("conections", Some("connections")),
            ("targets", Some("target")),
            ("rte", Some("rate")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
