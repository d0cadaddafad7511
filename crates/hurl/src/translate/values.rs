//! Variables: what is known before the run, and what sessions find out.

use super::{Refused, refuse};
use crate::ast::{self, Expr, Json, JsonPiece, Number, Placeholder, Pos, VariableValue};
use std::collections::{BTreeMap, BTreeSet};
use warwolf_plan::template::{Piece, Template, TimeFormat, ValueSource};

/// The value of a variable that is known before the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as written.
    Number(String),
    /// A text.
    Text(String),
}

impl Constant {
    /// A value as in `--variable name=value`: a word or number is one, unless it is in quotes.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        match text {
            "null" => Self::Null,
            "true" => Self::Bool(true),
            "false" => Self::Bool(false),
            _ if is_number(text) => Self::Number(text.to_owned()),
            _ => {
                let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                Self::Text(inside.unwrap_or(text).to_owned())
            }
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(text) | Self::Text(text) => text.clone(),
        }
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole) && all_digits(fraction) && (whole.len() == 1 || !whole.starts_with('0'))
}

/// What is known of a variable.
#[derive(Clone, Debug)]
enum Known {
    Constant(Constant),
    /// A text that contains captures.
    Made(Template),
    /// A capture, or a value of the plan.
    Source(ValueSource),
}

/// The variables at one place of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    known: BTreeMap<String, Known>,
    /// Captured from the response that is checked: its checks do not know them.
    fresh: BTreeSet<String>,
}

/// Variables that are constant.
pub(super) type Constants = BTreeMap<String, Constant>;

impl Values {
    pub(super) fn new(constants: &Constants, plan_values: &BTreeMap<String, String>) -> Self {
        let constants = constants.iter().map(|(name, value)| (name.clone(), Known::Constant(value.clone())));
        let plan_values = plan_values
            .iter()
            .filter_map(|(name, source)| Some((name.clone(), Known::Source(ValueSource::named(source)?))));
        Self { known: plan_values.chain(constants).collect(), fresh: BTreeSet::new() }
    }

    /// A capture takes this name from here on.
    pub(super) fn capture(&mut self, name: &str, pos: Pos) -> Result<(), Refused> {
        let uses = |known: &Known| match known {
            Known::Made(made) => made.values().any(|value| *value == ValueSource::Name(name.to_owned())),
            Known::Constant(_) | Known::Source(_) => false,
        };
        if let Some((other, _)) = self.known.iter().find(|(_, known)| uses(known)) {
            let reason =
                format!("variable `{other}` was made from its former value: give the capture another name");
            return Err(refuse(pos, format!("capture `{name}`"), reason));
        }
        self.known.insert(name.to_owned(), Known::Source(ValueSource::Name(name.to_owned())));
        self.fresh.insert(name.to_owned());
        Ok(())
    }

    /// The response is checked: from here on its captures are like others.
    pub(super) fn checked(&mut self) {
        self.fresh.clear();
    }

    pub(super) fn is_fresh(&self, name: &str) -> bool {
        self.fresh.contains(name)
    }

    /// Defines a variable as `[Options]` do.
    pub(super) fn define(&mut self, name: &str, value: &VariableValue, pos: Pos) -> Result<(), Refused> {
        let constant = match value {
            VariableValue::Null => Constant::Null,
            VariableValue::Bool(value) => Constant::Bool(*value),
            VariableValue::Number(Number { text, .. }) => Constant::Number(text.clone()),
            VariableValue::Text(text) => {
                let made = self.template(text)?;
                if made
                    .values()
                    .any(|value| !matches!(value, ValueSource::Name(_) | ValueSource::Column { .. }))
                {
                    let reason = "a date or UUID would be drawn anew at each use: use newDate or newUuid in the request itself";
                    return Err(refuse(pos, format!("variable `{name}`"), reason));
                }
                match made.as_text() {
                    Some(text) => Constant::Text(text.to_owned()),
                    None => {
                        self.known.insert(name.to_owned(), Known::Made(made));
                        return Ok(());
                    }
                }
            }
        };
        self.known.insert(name.to_owned(), Known::Constant(constant));
        Ok(())
    }

    /// The constant with this name.
    pub(super) fn constant(&self, name: &str) -> Option<&Constant> {
        match self.known.get(name)? {
            Known::Constant(constant) => Some(constant),
            Known::Made(_) | Known::Source(_) => None,
        }
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    fn push(&self, template: &mut Template, value: &Placeholder) -> Result<(), Refused> {
        let source = match &value.expr {
            Expr::NewDate => ValueSource::Now(TimeFormat::Rfc3339),
            Expr::NewUuid => ValueSource::Uuid,
            Expr::Variable(name) if self.is_fresh(name) => {
                let reason = "it is captured from the same response, whose checks do not know it: assert it in the next entry";
                return Err(refuse(value.pos, format!("variable `{name}`"), reason));
            }
            Expr::Variable(name) => match self.known.get(name) {
                Some(Known::Constant(constant)) => {
                    push_text(template, &constant.text());
                    return Ok(());
                }
                Some(Known::Made(made)) => {
                    for piece in &made.pieces {
                        match piece {
                            Piece::Text(text) => push_text(template, text),
                            Piece::Value(_) => template.pieces.push(piece.clone()),
                        }
                    }
                    return Ok(());
                }
                Some(Known::Source(source)) => source.clone(),
                None => {
                    let reason = format!(
                        "it is not defined here: give it with --variable {name}=…, or capture it before"
                    );
                    return Err(refuse(value.pos, format!("variable `{name}`"), reason));
                }
            },
        };
        template.pieces.push(Piece::Value(source));
        Ok(())
    }

    /// A text with the values that are known put in.
    pub(super) fn template(&self, text: &ast::Template) -> Result<Template, Refused> {
        let mut template = Template::default();
        for piece in &text.pieces {
            match piece {
                ast::Piece::Text(text) => push_text(&mut template, text),
                ast::Piece::Value(value) => self.push(&mut template, value)?,
            }
        }
        Ok(template)
    }

    /// A text that must be known before the run.
    pub(super) fn text(&self, text: &ast::Template, what: &str) -> Result<String, Refused> {
        let template = self.template(text)?;
        template.as_text().map(str::to_owned).ok_or_else(|| {
            let reason = "it is prepared before the run, so it cannot contain values that only sessions know";
            refuse(text.pos, what, reason)
        })
    }

    /// A value as a template of its own.
    pub(super) fn value(&self, value: &Placeholder) -> Result<Template, Refused> {
        let mut template = Template::default();
        self.push(&mut template, value)?;
        Ok(template)
    }

    /// JSON as it is sent or expected. Constants inside of strings are escaped; other values are when they are filled in.
    pub(super) fn json(&self, json: &Json, keep_space: bool) -> Result<Template, Refused> {
        let mut template = Template::default();
        for piece in &json.pieces {
            match piece {
                JsonPiece::Text(text) => push_text(&mut template, text),
                JsonPiece::Space(space) if keep_space => push_text(&mut template, space),
                JsonPiece::Space(_) => {}
                JsonPiece::InString(value) => {
                    for piece in self.value(value)?.pieces {
                        match piece {
                            Piece::Text(text) => push_text(&mut template, &json_escaped(&text)),
                            Piece::Value(_) => template.pieces.push(piece),
                        }
                    }
                }
                JsonPiece::Bare(value) => self.bare(&mut template, value)?,
            }
        }
        Ok(template)
    }

    /// A value in place of a JSON value: a number, true, false or null.
    fn bare(&self, template: &mut Template, value: &Placeholder) -> Result<(), Refused> {
        let wrong = |what: &str| {
            let reason = format!("{what} is no number, true, false or null: put it in quotes");
            Err(refuse(value.pos, "a value in JSON", reason))
        };
        let found = match &value.expr {
            Expr::NewDate | Expr::NewUuid => return wrong("it"),
            Expr::Variable(name) => self.constant(name),
        };
        match found {
            Some(Constant::Text(text))
                if !is_number(text) && !matches!(text.as_str(), "true" | "false" | "null") =>
            {
                wrong(&format!("`{text}`"))
            }
            _ => self.push(template, value),
        }
    }
}

/// Adds text to a template.
pub(super) fn push_text(template: &mut Template, text: &str) {
    match template.pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(last)) => last.push_str(text),
        _ => template.pieces.push(Piece::Text(text.to_owned())),
    }
}

/// A text as it stands in a JSON string.
pub(super) fn json_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            letter if letter < ' ' => escaped.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => escaped.push(letter),
        }
    }
    escaped
}
