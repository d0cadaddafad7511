//! Bodies of `.http` files: text, files, forms.

use super::{Reader, is_reaction};
use crate::error::{ImportError, Place};
use crate::recorded::{Body, Recorded, Recording};
use crate::script::{Statement, statement};
use crate::text::Text;

impl Reader<'_> {
    /// Reads the lines behind the header fields.
    pub(super) fn body(
        &self,
        lines: &[(usize, &str)],
        request: &mut Recorded,
        recording: &mut Recording,
    ) -> Result<(), ImportError> {
        let end = lines.iter().position(|(_, line)| is_reaction(line)).unwrap_or(lines.len());
        self.handlers(&lines[end..], request, recording);
        let (mut from, mut to) = (0, end);
        while from < to && lines[from].1.trim().is_empty() {
            from += 1;
        }
        while from < to && lines[to - 1].1.trim().is_empty() {
            to -= 1;
        }
        let lines = &lines[from..to];
        let Some((number, first)) = lines.first() else { return Ok(()) };
        let kind = request.header("content-type").map(ToString::to_string).unwrap_or_default();
        let kind = kind.to_ascii_lowercase();
        let place = Place::Line(*number);
        if let (1, Some(path)) = (lines.len(), first.strip_prefix("< ")) {
            request.body = Body::File(self.path(path.trim()));
            return Ok(());
        }
        if request
            .header("x-request-type")
            .is_some_and(|kind| kind.to_string().eq_ignore_ascii_case("graphql"))
        {
            let message = "GraphQL is not imported; write the JSON body: {\"query\": …}";
            return Err(ImportError::new(place, message));
        }
        let (separator, is_form) = match kind.split(';').next().unwrap_or_default().trim() {
            "application/x-www-form-urlencoded" => ("", true),
            kind if kind.starts_with("multipart/") => ("\r\n", false),
            _ => ("\n", false),
        };
        let mut text = Text::default();
        for (index, (number, line)) in lines.iter().enumerate() {
            if index > 0 {
                text.push_str(separator);
            }
            let line = if is_form { line.trim() } else { line.trim_end_matches('\r') };
            text.push(&self.line(line, &Place::Line(*number), recording)?);
        }
        if separator == "\r\n" {
            text.push_str("\r\n");
        }
        request.body = Body::Text(text);
        Ok(())
    }

    /// A path that is relative to the file.
    fn path(&self, path: &str) -> String {
        let folder = self.options.folder;
        if folder.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
    }

    /// A line of a body; `< FILE` stands for the content of the file, `<@ FILE` for that with its variables replaced.
    fn line(&self, line: &str, place: &Place, recording: &mut Recording) -> Result<Text, ImportError> {
        let (path, has_variables) = match (line.strip_prefix("< "), line.strip_prefix("<@")) {
            (Some(path), _) => (path.trim(), false),
            (None, Some(path)) => (path.trim(), true),
            (None, None) => return Ok(self.variables.text(line, place, recording)),
        };
        let wrong = |message: String| ImportError::new(place.clone(), message);
        let bytes = (self.options.read)(&self.path(path))
            .map_err(|reason| wrong(format!("the file `{path}` cannot be read: {reason}")))?;
        let content =
            String::from_utf8(bytes).map_err(|_| wrong(format!("the file `{path}` is not UTF-8")))?;
        Ok(if has_variables {
            self.variables.text(&content, place, recording)
        } else {
            Text::literal(content)
        })
    }

    /// Notes what is left of handlers when captures and checks were taken from them.
    fn handlers(&self, lines: &[(usize, &str)], request: &mut Recorded, recording: &mut Recording) {
        let mut is_script = false;
        for (number, line) in lines {
            let trimmed = line.trim();
            if trimmed.starts_with("<> ") {
                recording.drop(Place::Line(*number), trimmed, "stored replies are not used");
            } else if trimmed.starts_with(">>") {
                recording.drop(Place::Line(*number), trimmed, "the report is the result of a load test");
            } else if is_reaction(line) && !trimmed.contains("{%") {
                recording.drop(Place::Line(*number), trimmed, "a plan runs no scripts");
            } else if is_reaction(line) || is_script {
                is_script = !trimmed.ends_with("%}");
                self.statement(trimmed, *number, request, recording);
            }
        }
    }

    fn statement(&self, line: &str, number: usize, request: &mut Recorded, recording: &mut Recording) {
        let line = super::scripts::bare(line);
        match statement(line, &[]) {
            Some(Statement::Check(check)) => return request.checks.push(check),
            Some(_) => return,
            None => {}
        }
        let what: String = line.chars().take(80).collect();
        recording.drop(Place::Line(number), format!("`{what}`"), "a plan runs no scripts");
    }
}
