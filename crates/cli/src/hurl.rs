//! Hurl files among the URLs of a load.

use crate::streams;
use std::collections::BTreeMap;
use std::path::Path;
use warwolf_args::{FileError, Load, Suite, UsageError};
use warwolf_hurl::{Constant, Options, Translation};
use warwolf_report::printable;

/// Whether this names a Hurl file rather than a URL.
fn is_file(url: &str) -> bool {
    !url.contains("://") && Path::new(url).extension().is_some_and(|extension| extension == "hurl")
}

/// What the Hurl files among the URLs mean, and the load without them; `None` if there are none.
///
/// # Errors
/// A usage error about a file that cannot be read or that has no meaning under load.
pub(crate) fn suite(load: &Load) -> Result<Option<(Suite, Load)>, UsageError> {
    let (files, urls): (Vec<String>, Vec<String>) = load.url.iter().cloned().partition(|url| is_file(url));
    if files.is_empty() {
        let unused = [
            ("variable", !load.variable.is_empty()),
            ("variables-file", load.variables_file.is_some()),
            ("file-root", load.file_root.is_some()),
        ];
        return match unused.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(UsageError::superfluous(option, "it is for Hurl files")),
            None => Ok(None),
        };
    }
    let variables = variables(load)?;
    let mut suite = Suite::default();
    let mut insecure = None;
    for file in &files {
        let translation = translate(load, file, &variables)?;
        let both = insecure.zip(translation.insecure);
        if both.is_some_and(|(one, other)| one != other) {
            let reason = "option insecure: certificates are checked in the same way in the whole run: use it in all \
                          files or in none, or use --insecure";
            return Err(UsageError::of(file, reason));
        }
        if !suite.scenarios.is_empty() && suite.http10 != translation.http10 {
            let reason = "option http1.0: the version of HTTP is one for the whole run: use it in all files or in none";
            return Err(UsageError::of(file, reason));
        }
        insecure = insecure.or(translation.insecure);
        suite.http10 = translation.http10;
        add(&mut suite, translation, file);
    }
    suite.insecure = insecure == Some(true);
    Ok(Some((suite, Load { url: urls, ..load.clone() })))
}

/// Adds a scenario, whose name is the path of its file where another file has the same name.
fn add(suite: &mut Suite, translation: Translation, file: &str) {
    let Translation { mut scenario, requests, notes, .. } = translation;
    if suite.scenarios.iter().any(|other| other.name == scenario.name) {
        file.clone_into(&mut scenario.name);
    }
    for step in &mut scenario.steps {
        step.request.0 += suite.requests.len() as u32;
    }
    suite.requests.extend(requests);
    suite.scenarios.push(scenario);
    for note in notes {
        streams::say(&format!("warwolf: {}\n", printable(&format!("{file}: {note}"))));
    }
}

fn translate(
    load: &Load,
    file: &str,
    variables: &BTreeMap<String, Constant>,
) -> Result<Translation, UsageError> {
    let path = Path::new(file);
    let text = std::fs::read_to_string(path).map_err(|error| FileError::reading(path, &error))?;
    let read = |path: &Path| std::fs::read(path).map_err(|error| warwolf_args::reason(&error));
    let mut options = Options::new(path, &read);
    options.variables.clone_from(variables);
    if let Some(folder) = &load.file_root {
        options.folder.clone_from(folder);
    }
    warwolf_hurl::scenario(file, &text, &options).map_err(|error| {
        let text = error.to_string();
        // Each problem has a line of its own; the last one is the error that ends the program.
        let mut lines: Vec<&str> = text.lines().collect();
        let last = lines.pop().unwrap_or_default();
        lines.iter().for_each(|line| streams::say(&format!("warwolf: {}\n", printable(line))));
        UsageError::Syntax(last.to_owned())
    })
}

/// The variables of the files and options; an option replaces one of the file.
fn variables(load: &Load) -> Result<BTreeMap<String, Constant>, UsageError> {
    let mut variables = BTreeMap::new();
    let mut define = |option: &str, line: &str| {
        let remedy = "use a name and a value, such as host=http://127.0.0.1:8080";
        let (name, value) = line.split_once('=').ok_or_else(|| UsageError::value(option, line, remedy))?;
        variables.insert(name.trim().to_owned(), Constant::from_text(value.trim()));
        Ok::<(), UsageError>(())
    };
    if let Some(path) = &load.variables_file {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| FileError::reading(path, &error).of_option("variables-file"))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.into_iter().try_for_each(|line| define("variables-file", line))?;
    }
    load.variable.iter().try_for_each(|line| define("variable", line))?;
    Ok(variables)
}
