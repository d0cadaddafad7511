//! Reads the text of a path.

use super::{Condition, Operand, Operator, Path, Query, Segment, Selector, is_single};
use crate::pattern::Pattern;
use crate::value::write_json_string;

/// Conditions and paths in conditions may be nested this deep.
const MAX_DEPTH: u32 = 32;

impl Path {
    /// Reads `$.a['b'][0][*]..c[1:3][?@.d > 1]`.
    ///
    /// # Errors
    /// What is expected where the path stops making sense.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text.trim(), depth: 0 };
        parser.expect("$", "begin a JSON path with $")?;
        let segments = parser.segments()?;
        parser.blanks();
        match parser.rest {
            "" => Ok(Self { segments }),
            rest => Err(format!("a JSON path does not go on with `{rest}`; use .name, [0], [*] or ['name']")),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: u32,
}

type Parsed<T> = Result<T, String>;

impl<'a> Parser<'a> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str, remedy: &str) -> Parsed<()> {
        if self.take(token) { Ok(()) } else { Err(remedy.to_owned()) }
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn segments(&mut self) -> Parsed<Vec<Segment>> {
        let mut segments = Vec::new();
        loop {
            let before = self.rest;
            self.blanks();
            let is_descendant = self.take("..");
            let selectors = if self.rest.starts_with('[') {
                self.brackets()?
            } else if is_descendant || self.take(".") {
                vec![self.shorthand()?]
            } else {
                self.rest = before;
                return Ok(segments);
            };
            segments.push(Segment { is_descendant, selectors });
        }
    }

    fn shorthand(&mut self) -> Parsed<Selector> {
        if self.take("*") {
            return Ok(Selector::Wildcard);
        }
        // A hyphen is more than RFC 9535 allows here; names in HTTP APIs have it.
        let name =
            self.take_while(|letter| letter.is_alphanumeric() || "_-".contains(letter) || !letter.is_ascii());
        match name.starts_with(|first: char| first.is_ascii_digit()) || name.is_empty() {
            true => {
                Err("give a name after the dot, or * for all; other names go into brackets: ['a b']"
                    .to_owned())
            }
            false => Ok(Selector::Name(name.as_bytes().to_vec())),
        }
    }

    fn brackets(&mut self) -> Parsed<Vec<Selector>> {
        self.rest = &self.rest[1..];
        let mut selectors = Vec::new();
        loop {
            self.blanks();
            selectors.push(self.selector()?);
            self.blanks();
            if !self.take(",") {
                break;
            }
        }
        self.expect("]", "close the bracket of the JSON path with ]")?;
        Ok(selectors)
    }

    fn selector(&mut self) -> Parsed<Selector> {
        if self.take("*") {
            return Ok(Selector::Wildcard);
        }
        if self.take("?") {
            return Ok(Selector::Filter(self.any()?));
        }
        if self.rest.starts_with(['"', '\'']) {
            return Ok(Selector::Name(self.string()?.into_bytes()));
        }
        let start = self.integer()?;
        self.blanks();
        if !self.take(":") {
            let remedy = "use a name in quotes, a number, *, a slice such as 1:3, or ?… in brackets";
            return start.map(Selector::Index).ok_or_else(|| remedy.to_owned());
        }
        self.blanks();
        let end = self.integer()?;
        self.blanks();
        let step = if self.take(":") {
            self.blanks();
            self.integer()?.unwrap_or(1)
        } else {
            1
        };
        Ok(Selector::Slice { start, end, step })
    }

    fn integer(&mut self) -> Parsed<Option<i64>> {
        let digits = self.take_while(|letter| letter.is_ascii_digit() || letter == '-');
        if digits.is_empty() {
            return Ok(None);
        }
        let is_canonical = digits != "-0"
            && (digits.trim_start_matches('-') == "0" || !digits.trim_start_matches('-').starts_with('0'));
        let number: Option<i64> =
            digits.parse().ok().filter(|number: &i64| is_canonical && number.unsigned_abs() < 1 << 53);
        number.map(Some).ok_or_else(|| format!("`{digits}` is not an index: use a whole number"))
    }

    /// A name or text in quotes.
    fn string(&mut self) -> Parsed<String> {
        let quote = if self.take("\"") { '"' } else { self.expect("'", "use quotes").map(|()| '\'')? };
        let mut out = String::new();
        let mut letters = self.rest.chars();
        loop {
            match letters.next().ok_or("close the quote in the JSON path")? {
                letter if letter == quote => break,
                '\\' => out.push(escape(&mut letters)?),
                letter => out.push(letter),
            }
        }
        self.rest = letters.as_str();
        Ok(out)
    }

    /// Conditions with `||` between them.
    fn any(&mut self) -> Parsed<Condition> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("use at most {MAX_DEPTH} conditions in each other"));
        }
        let mut conditions = vec![self.all()?];
        while self.operator("||") {
            conditions.push(self.all()?);
        }
        self.depth -= 1;
        Ok(if conditions.len() == 1 { conditions.remove(0) } else { Condition::Any(conditions) })
    }

    fn all(&mut self) -> Parsed<Condition> {
        let mut conditions = vec![self.basic()?];
        while self.operator("&&") {
            conditions.push(self.basic()?);
        }
        Ok(if conditions.len() == 1 { conditions.remove(0) } else { Condition::All(conditions) })
    }

    fn operator(&mut self, token: &str) -> bool {
        let before = self.rest;
        self.blanks();
        self.take(token) || {
            self.rest = before;
            false
        }
    }

    fn basic(&mut self) -> Parsed<Condition> {
        self.blanks();
        if self.take("!") {
            self.blanks();
            let inner = if self.rest.starts_with('(') { self.parenthesis()? } else { self.test()? };
            return Ok(Condition::Not(Box::new(inner)));
        }
        if self.rest.starts_with('(') {
            return self.parenthesis();
        }
        self.test()
    }

    fn parenthesis(&mut self) -> Parsed<Condition> {
        self.rest = &self.rest[1..];
        let inner = self.any()?;
        self.blanks();
        self.expect(")", "close the parenthesis in the JSON path with )")?;
        Ok(inner)
    }

    /// A comparison, a path that finds something, or a function.
    fn test(&mut self) -> Parsed<Condition> {
        for (name, is_whole) in [("match(", true), ("search(", false)] {
            if self.take(name) {
                return self.matches(is_whole);
            }
        }
        let left = self.operand()?;
        self.blanks();
        let operators = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<=", Operator::AtMost),
            (">=", Operator::AtLeast),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let operator = operators.iter().find(|(token, _)| self.take(token));
        match (operator, left) {
            (Some((_, operator)), left) => {
                self.blanks();
                let right = self.operand()?;
                let is_node = |operand: &Operand| !matches!(operand, Operand::Node(query) if !is_single(&query.segments));
                if !is_node(&left) || !is_node(&right) {
                    return Err("compare paths that find one value, without * or ..".to_owned());
                }
                Ok(Condition::Compare(left, *operator, right))
            }
            (None, Operand::Node(query)) => Ok(Condition::Exists(query)),
            (None, _) => Err("compare the value with ==, !=, <, <=, > or >=".to_owned()),
        }
    }

    fn matches(&mut self, is_whole: bool) -> Parsed<Condition> {
        self.blanks();
        let operand = self.operand()?;
        self.blanks();
        self.expect(",", "give match and search a value and a regular expression")?;
        self.blanks();
        let pattern = self.string()?;
        self.blanks();
        self.expect(")", "close the parenthesis in the JSON path with )")?;
        let pattern = if is_whole { format!("^(?:{pattern})$") } else { pattern };
        Ok(Condition::Matches(operand, Pattern::new(&pattern)?))
    }

    fn operand(&mut self) -> Parsed<Operand> {
        for name in ["count(", "length(", "value("] {
            if self.take(name) {
                self.blanks();
                let inner = self.operand()?;
                self.blanks();
                self.expect(")", "close the parenthesis in the JSON path with )")?;
                return match (name, inner) {
                    ("length(", inner) => Ok(Operand::Length(Box::new(inner))),
                    ("count(", Operand::Node(query)) => Ok(Operand::Count(query)),
                    // It is a node already: several nodes have no value.
                    (_, Operand::Node(query)) => Ok(Operand::Node(query)),
                    _ => Err("give count and value a path".to_owned()),
                };
            }
        }
        let is_relative = self.rest.starts_with('@');
        if is_relative || self.rest.starts_with('$') {
            self.rest = &self.rest[1..];
            return Ok(Operand::Node(Query { is_relative, segments: self.segments()? }));
        }
        if self.rest.starts_with(['"', '\'']) {
            let mut literal = Vec::new();
            write_json_string(self.string()?.as_bytes(), &mut literal);
            return Ok(Operand::Literal(literal));
        }
        let word = self.take_while(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
        let is_literal = matches!(word, "true" | "false" | "null")
            || crate::value::Number::parse(word.as_bytes()).is_some();
        match is_literal {
            true => Ok(Operand::Literal(word.as_bytes().to_vec())),
            false => {
                Err("compare with a path from @ or $, a number, a text in quotes, true, false or null"
                    .to_owned())
            }
        }
    }
}

fn escape(letters: &mut std::str::Chars<'_>) -> Parsed<char> {
    let wrong = || "use \\\\, \\', \\\", \\n, \\t, \\u0000 … after a backslash in a JSON path".to_owned();
    Ok(match letters.next().ok_or_else(wrong)? {
        letter @ ('\\' | '/' | '\'' | '"') => letter,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let mut unit = || {
                let digits: String = letters.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).map_err(|_| wrong())
            };
            let first = unit()?;
            let pair = match (0xD800..0xDC00).contains(&first) {
                true if letters.as_str().starts_with("\\u") => {
                    letters.nth(1);
                    let digits: String = letters.by_ref().take(4).collect();
                    [first, u16::from_str_radix(&digits, 16).map_err(|_| wrong())?]
                }
                _ => [first, 0],
            };
            let length = if pair[1] == 0 { 1 } else { 2 };
            char::decode_utf16(pair[..length].iter().copied())
                .next()
                .and_then(Result::ok)
                .ok_or_else(wrong)?
        }
        _ => return Err(wrong()),
    })
}
