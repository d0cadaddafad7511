//! Values that are written as a text or as a table: captures, bodies, variables.

use super::input;
use super::node::{Entry, Node, Value};
use crate::query::{Capture, Query};
use crate::{Endpoint, PlanError, RandomData, Scheme, Variable, VariableValue};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

/// A value that is written as a text or else as a table.
pub(super) trait TextOrTable<'de>: Sized {
    type Table: Deserialize<'de>;
    const WHAT: &'static str;

    fn text(text: &str) -> Result<Self, PlanError>;
    fn table(table: Self::Table) -> Result<Self, PlanError>;
}

/// Reads a text or a table.
pub(super) fn text_or_table<'de, T: TextOrTable<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    struct Either<T>(PhantomData<T>);

    impl<'de, T: TextOrTable<'de>> Visitor<'de> for Either<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(T::WHAT)
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            T::text(text).map_err(|error| E::custom(error.remedy))
        }

        fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<T, A::Error> {
            let table = T::Table::deserialize(MapAccessDeserializer::new(table))?;
            T::table(table).map_err(|error| A::Error::custom(error.remedy))
        }
    }

    from.deserialize_any(Either(PhantomData))
}

/// A capture as a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CaptureTable {
    /// A value in a JSON body, by path (RFC 9535), such as `$.token`.
    json: Option<String>,
    /// A header field, by name.
    header: Option<String>,
    /// A cookie that the reply sets, by name.
    cookie: Option<String>,
    /// The first group of a regular expression in the body, or all of its match.
    regex: Option<String>,
    /// The status.
    status: Option<bool>,
    /// The URL of the reply.
    url: Option<bool>,
    /// The body as text.
    body: Option<bool>,
    /// Anything else, as in a capture that is a text: `sha256`, `bytes | count`.
    value: Option<String>,
    /// Filters, with `|` between them: `nth 1 | to_int`.
    filter: Option<String>,
    /// Bytes of the value at the most. A longer one is a failed check.
    #[serde(default = "usual_max")]
    max: u32,
}

const fn usual_max() -> u32 {
    Capture::MAX
}

impl<'de> TextOrTable<'de> for Capture {
    type Table = CaptureTable;
    const WHAT: &'static str =
        "a text such as \"json $.token\", or a table such as { json = \"$.token\", max = 64 }";

    fn text(text: &str) -> Result<Self, PlanError> {
        Self::parse("", "", text)
    }

    fn table(table: CaptureTable) -> Result<Self, PlanError> {
        let wrong = |remedy: &str| PlanError::new("", "", remedy);
        let is = |given: Option<bool>, query| given.filter(|is| *is).map(|_| Self::new("", query));
        let given = [
            table.json.map(|path| Self::new("", Query::Json(path))),
            table.header.map(|name| Self::new("", Query::Header(name))),
            table
                .cookie
                .map(|name| Self::parse("", "", &format!("cookie {}", crate::query::quoted(&name))))
                .transpose()?,
            table.regex.map(|pattern| Self::new("", Query::Regex(pattern))),
            is(table.status, Query::Status),
            is(table.url, Query::Url),
            is(table.body, Query::Body),
            table.value.map(|text| Self::parse("", "", &text)).transpose()?,
        ];
        let mut given = given.into_iter().flatten();
        let (Some(mut capture), None) = (given.next(), given.next()) else {
            return Err(wrong("name one of json, header, cookie, regex, status, url, body, value"));
        };
        if let Some(filters) = &table.filter {
            capture.filters.extend(Self::parse("", "", &format!("status | {filters}"))?.filters);
        }
        Ok(Self { max: table.max, ..capture })
    }
}

/// The captures of a step, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Captures(pub(super) Vec<Capture>);

impl Captures {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A capture without its name.
struct Unnamed(Capture);

impl<'de> Deserialize<'de> for Unnamed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text_or_table(from).map(Unnamed)
    }
}

impl<'de> Deserialize<'de> for Captures {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named::<Unnamed, _>(from).map(|captures| {
            let captures = captures.into_iter();
            Self(captures.map(|(name, Unnamed(capture))| Capture { name, ..capture }).collect())
        })
    }
}

impl Serialize for Captures {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct One<'c>(&'c Capture);

        impl Serialize for One<'_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let Self(capture) = self;
                let value = capture.to_string();
                if capture.max == Capture::MAX {
                    return to.serialize_str(&value);
                }
                let mut table = CaptureTable { max: capture.max, ..CaptureTable::default() };
                match &capture.query {
                    Query::Json(path) if capture.filters.is_empty() => table.json = Some(path.clone()),
                    Query::Header(name) if capture.filters.is_empty() => table.header = Some(name.clone()),
                    _ => table.value = Some(value),
                }
                table.serialize(to)
            }
        }

        to.collect_map(self.0.iter().map(|capture| (&capture.name, One(capture))))
    }
}

impl JsonSchema for Captures {
    fn schema_name() -> Cow<'static, str> {
        "Captures".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<CaptureTable>();
        json_schema!({
            "type": "object",
            "additionalProperties": { "anyOf": [{ "type": "string" }, table] },
        })
    }
}

/// Reads a table of values by name, in order.
fn named<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, T)>, D::Error> {
    struct Named<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Named<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table such as { name = … }")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = table.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }

    from.deserialize_any(Named(PhantomData))
}

/// The variables of a plan, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Variables(pub(super) Vec<Variable>);

impl Variables {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A secret, by where it is found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SecretTable {
    /// A variable of the environment.
    env: Option<String>,
    /// A file: its content, without the line end that ends it.
    file: Option<PathBuf>,
}

impl<'de> TextOrTable<'de> for VariableValue {
    type Table = SecretTable;
    const WHAT: &'static str = "a text, { env = \"NAME\" } or { file = \"PATH\" }";

    fn text(text: &str) -> Result<Self, PlanError> {
        Ok(Self::Text(text.to_owned()))
    }

    fn table(table: SecretTable) -> Result<Self, PlanError> {
        match table {
            SecretTable { env: Some(name), file: None } => Ok(Self::Environment(name)),
            SecretTable { env: None, file: Some(path) } => Ok(Self::File(path)),
            _ => Err(PlanError::new("", "", "use { env = \"NAME\" } or { file = \"PATH\" }")),
        }
    }
}

struct UnnamedValue(VariableValue);

impl<'de> Deserialize<'de> for UnnamedValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text_or_table(from).map(UnnamedValue)
    }
}

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named::<UnnamedValue, _>(from).map(|variables| {
            let variables = variables.into_iter();
            Self(variables.map(|(name, UnnamedValue(value))| Variable { name, value }).collect())
        })
    }
}

impl Serialize for Variables {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let node = |value: &VariableValue| match value {
            VariableValue::Text(text) => Node::new(Value::Text(text.clone().into())),
            VariableValue::Environment(name) => {
                super::ser::node(&SecretTable { env: Some(name.clone()), file: None })
            }
            VariableValue::File(path) => {
                super::ser::node(&SecretTable { env: None, file: Some(path.clone()) })
            }
        };
        to.collect_map(self.0.iter().map(|variable| (&variable.name, node(&variable.value))))
    }
}

impl JsonSchema for Variables {
    fn schema_name() -> Cow<'static, str> {
        "Variables".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let secret = generator.subschema_for::<SecretTable>();
        json_schema!({
            "type": "object",
            "additionalProperties": { "anyOf": [{ "type": "string" }, secret] },
        })
    }
}

/// A JSON text, which may be written as a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JsonText(pub(super) String);

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let node = Tree.deserialize(from)?;
        match node.value {
            Value::Text(text) => Ok(Self(text.into_owned())),
            _ => serde_json::to_string(&node).map(Self).map_err(D::Error::custom),
        }
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match input::json(&self.0) {
            Ok(node) if is_table(&node) && serde_json::to_string(&node).is_ok_and(|text| text == self.0) => {
                node.serialize(to)
            }
            _ => to.serialize_str(&self.0),
        }
    }
}

/// Whether a JSON text can be written as a table or list of TOML, which knows no null.
fn is_table(node: &Node<'_>) -> bool {
    fn has_null(node: &Node<'_>) -> bool {
        match &node.value {
            Value::Null => true,
            Value::List(list) => list.iter().any(has_null),
            Value::Table(entries) => entries.iter().any(|entry| has_null(&entry.node)),
            Value::Integer(value) => i64::try_from(*value).is_err(),
            Value::Bool(_) | Value::Float(_) | Value::Text(_) => false,
        }
    }
    matches!(node.value, Value::Table(_) | Value::List(_)) && !has_null(node)
}

impl JsonSchema for JsonText {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "object", "array"] })
    }
}

/// Reads any value as a node.
struct Tree;

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Node<'static>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Node<'static>, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Node<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node<'static>, E> {
        Ok(Node::new(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node<'static>, E> {
        Ok(Node::new(Value::Bool(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node<'static>, E> {
        Ok(Node::new(Value::Integer(value.into())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node<'static>, E> {
        Ok(Node::new(Value::Integer(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node<'static>, E> {
        Ok(Node::new(Value::Float(value)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node<'static>, E> {
        Ok(Node::new(Value::Text(text.to_owned().into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node<'static>, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element_seed(Self)? {
            nodes.push(node);
        }
        Ok(Node::new(Value::List(nodes)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Node<'static>, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = table.next_key::<String>()? {
            entries.push(Entry { at: 0, key: key.into(), node: table.next_value_seed(Self)? });
        }
        Ok(Node::new(Value::Table(entries)))
    }
}

/// A body as a text, or bytes that are no text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BodyValue {
    Text(String),
    Bytes(Vec<u8>),
    Random(RandomData),
}

/// A body that is no text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct BodyTable {
    /// Bytes, as hexadecimal digits.
    hex: Option<String>,
    /// Data drawn anew for each call. Needs `head`.
    random: Option<RandomData>,
}

impl<'de> TextOrTable<'de> for BodyValue {
    type Table = BodyTable;
    const WHAT: &'static str = "a text, or { hex = \"00ff\" }";

    fn text(text: &str) -> Result<Self, PlanError> {
        Ok(Self::Text(text.to_owned()))
    }

    fn table(table: BodyTable) -> Result<Self, PlanError> {
        let wrong = || PlanError::new("", "", "use a text, or { hex = \"00ff\" }");
        match table {
            BodyTable { hex: Some(digits), random: None } => {
                bytes(&digits).map(Self::Bytes).ok_or_else(wrong)
            }
            BodyTable { hex: None, random: Some(data) } => Ok(Self::Random(data)),
            _ => Err(wrong()),
        }
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    is_hex.then(|| (0..digits.len()).step_by(2).map(pair).collect()).flatten()
}

impl<'de> Deserialize<'de> for BodyValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text_or_table(from)
    }
}

impl Serialize for BodyValue {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => to.serialize_str(text),
            Self::Bytes(bytes) => {
                let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                BodyTable { hex: Some(hex), random: None }.serialize(to)
            }
            Self::Random(data) => BodyTable { hex: None, random: Some(*data) }.serialize(to),
        }
    }
}

impl JsonSchema for BodyValue {
    fn schema_name() -> Cow<'static, str> {
        "Body".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<BodyTable>();
        json_schema!({ "anyOf": [{ "type": "string" }, table] })
    }
}

/// An endpoint whose host cannot stand in a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndpointTable {
    /// Which protocol.
    scheme: Scheme,
    /// Name or address, without brackets.
    host: String,
    /// TCP port.
    port: u16,
}

impl<'de> TextOrTable<'de> for Endpoint {
    type Table = EndpointTable;
    const WHAT: &'static str = "scheme, host and port, such as \"https://a.test\"";

    fn text(text: &str) -> Result<Self, PlanError> {
        Self::parse(text).map_err(|remedy| PlanError::new("", "", remedy))
    }

    fn table(table: EndpointTable) -> Result<Self, PlanError> {
        Ok(Self { scheme: table.scheme, host: table.host, port: table.port })
    }
}

impl<'de> Deserialize<'de> for Endpoint {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text_or_table(from)
    }
}

impl Serialize for Endpoint {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.is_url() {
            return to.collect_str(self);
        }
        EndpointTable { scheme: self.scheme, host: self.host.clone(), port: self.port }.serialize(to)
    }
}

impl JsonSchema for Endpoint {
    fn schema_name() -> Cow<'static, str> {
        "Endpoint".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<EndpointTable>();
        json_schema!({ "anyOf": [{ "type": "string" }, table] })
    }
}
