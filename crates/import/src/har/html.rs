//! Values in pages that forms send back: hidden inputs and `meta` elements.

/// A named value of a page, and a regular expression whose first group finds it.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) pattern: String,
}

/// Elements of a page that are looked at, at the most.
const TAGS_MAX: usize = 10_000;

/// The values of the hidden inputs and `meta` elements of a page.
pub(super) fn fields(page: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    for tag in page.split('<').skip(1).take(TAGS_MAX) {
        let tag = tag.split('>').next().unwrap_or_default();
        let (element, rest) = tag.split_once(|letter: char| letter.is_whitespace()).unwrap_or((tag, ""));
        let value_name = match element.to_ascii_lowercase().as_str() {
            "input" => "value",
            "meta" => "content",
            _ => continue,
        };
        let attributes = attributes(rest);
        let find = |name: &str| attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name));
        if value_name == "value"
            && !find("type").is_some_and(|kind| kind.value.eq_ignore_ascii_case("hidden"))
        {
            continue;
        }
        let (Some(name), Some(value)) = (find("name"), find(value_name)) else { continue };
        let quote = value.quote;
        // Entities would have to be decoded.
        if name.value.is_empty() || value.value.is_empty() || value.value.contains('&') || quote == ' ' {
            continue;
        }
        let named = format!("name={}{}{}", name.mark(), escaped(name.value), name.mark());
        let group = format!("{}={quote}([^{quote}]*){quote}", value.name);
        let pattern =
            if name.at < value.at { format!("{named}[^>]*{group}") } else { format!("{group}[^>]*{named}") };
        fields.push(Field { name: name.value.to_owned(), value: value.value.to_owned(), pattern });
    }
    fields
}

struct Attribute<'t> {
    name: &'t str,
    value: &'t str,
    /// A blank if the value has no quotes.
    quote: char,
    at: usize,
}

impl Attribute<'_> {
    fn mark(&self) -> String {
        self.quote.to_string().trim().to_owned()
    }
}

fn attributes(text: &str) -> Vec<Attribute<'_>> {
    let mut attributes = Vec::new();
    let mut at = 0;
    while let Some(equals) = text[at..].find('=').map(|length| at + length) {
        let before = text[at..equals].trim_end();
        let start = before.rfind(|letter: char| letter.is_whitespace()).map_or(0, |index| index + 1);
        let name = before[start..].trim_start();
        let rest = &text[equals + 1..];
        let blank = rest.len() - rest.trim_start().len();
        let rest = &rest[blank..];
        let from = equals + 1 + blank;
        let (value, quote, end) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => match rest[1..].find(quote) {
                Some(length) => (&rest[1..=length], quote, from + length + 2),
                None => break,
            },
            _ => {
                let length = rest.find(|letter: char| letter.is_whitespace()).unwrap_or(rest.len());
                (&rest[..length], ' ', from + length)
            }
        };
        attributes.push(Attribute { name, value, quote, at: equals });
        at = end;
    }
    attributes
}

/// A text of a regular expression that matches these characters.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if !letter.is_alphanumeric() && letter != '_' && letter != '-' {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn hidden_inputs_and_meta_elements_are_found() {
        let page = r#"<p><input type="hidden" name="csrf" value="abc123"><input name=x type=hidden value='v 1'/>
            <INPUT value="w" type="hidden" name='a[b]'><input name="q" value="typed"><meta name="t" content="m">
            <input type=hidden name=e value="a&amp;b"><input type=hidden name=n value=bare><input"#;
        let fields: Vec<[String; 3]> =
            super::fields(page).into_iter().map(|field| [field.name, field.value, field.pattern]).collect();
        let expected = [
            ["csrf", "abc123", r#"name="csrf"[^>]*value="([^"]*)""#],
            ["x", "v 1", "name=x[^>]*value='([^']*)'"],
            ["a[b]", "w", r#"value="([^"]*)"[^>]*name='a\[b\]'"#],
            ["t", "m", r#"name="t"[^>]*content="([^"]*)""#],
        ];
        assert_eq!(fields, expected);
    }
}
