//! Bodies of forms that a plan cannot describe by their parts.

use crate::recorded::{Content, Part};
use crate::text::Text;

/// Separates the parts, of the length that curl's has.
const BOUNDARY: &str = "------------------------0warwolf0import0";

/// The boundary and the whole body; `None` if a part is a file.
pub(crate) fn encoded(parts: &[Part]) -> Option<(String, Text)> {
    let mut boundary = BOUNDARY.to_owned();
    let has = |boundary: &str| {
        parts.iter().any(|part| match &part.content {
            Content::Text(text) => text.to_string().contains(boundary),
            Content::File(_) => false,
        })
    };
    while has(&boundary) {
        boundary.push('x');
    }
    let mut body = Text::default();
    for part in parts {
        let Content::Text(text) = &part.content else { return None };
        let quoted = |text: &str| text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        body.push_str(&format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            quoted(&part.name)
        ));
        if let Some(name) = &part.filename {
            body.push_str(&format!("; filename=\"{}\"", quoted(name)));
        }
        if let Some(kind) = &part.content_type {
            body.push_str(&format!("\r\nContent-Type: {}", kind.replace(['\r', '\n'], " ")));
        }
        body.push_str("\r\n\r\n");
        body.push(text);
        body.push_str("\r\n");
    }
    body.push_str(&format!("--{boundary}--\r\n"));
    Some((boundary, body))
}
