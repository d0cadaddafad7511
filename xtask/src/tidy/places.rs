//! Checks that no file names a place on the machine it was written on: what is here must hold on any.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// Beginnings of such places, in two pieces so that this file does not contain them.
const PLACES: [(&str, &str); 2] = [("/wo", "rk/"), ("/ro", "ot/")];

/// Breaches in every text file of the workspace at `root` that git knows or would add, one sentence each.
pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot run `git ls-files`")?;
    let mut breaches = Vec::new();
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        // What is deleted but not committed is listed, and what is no text has nothing to read.
        let Ok(text) = std::fs::read_to_string(root.join(name)) else { continue };
        breaches.extend(check_text(name, &text));
    }
    Ok(breaches)
}

fn check_text(name: &str, text: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for place in PLACES.map(|(first, second)| format!("{first}{second}")) {
            // A path of its own, not the middle of a longer one.
            let begins = line.match_indices(&place).any(|(at, _)| {
                !line[..at].ends_with(|before: char| {
                    before.is_alphanumeric() || matches!(before, '.' | '/' | '}' | ')')
                })
            });
            if begins {
                breaches.push(format!("{name}:{}: names `{place}`, a place on one machine", index + 1));
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_on_one_machine_is_a_breach_and_a_part_of_a_url_is_not() {
        let place = format!("{}{}", "/ro", "ot/");
        assert_eq!(check_text("a.md", &format!("see {place}me")).len(), 1);
        assert_eq!(check_text("a.md", &format!("http://a{place}me")), [""; 0]);
    }
}
