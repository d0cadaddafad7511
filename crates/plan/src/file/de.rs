//! Reads values of Rust out of nodes. Each error knows where it stands and which key it is about.

use super::node::{Entry, Node, Value};
use crate::nearest;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer as _, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt;

/// What is wrong, where, and what would be right.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wrong {
    /// Names of the tables and keys that lead to it, the innermost first.
    pub(super) path: Vec<String>,
    pub(super) value: Option<String>,
    pub(super) remedy: String,
    pub(super) at: Option<usize>,
}

impl Wrong {
    fn new(value: Option<String>, remedy: String) -> Self {
        Self { path: Vec::new(), value, remedy, at: None }
    }

    /// The same error in `node`, unless it is known to stand within.
    fn in_node(mut self, node: &Node<'_>) -> Self {
        self.at = self.at.or(Some(node.at));
        self.value.get_or_insert_with(|| node.shown());
        self
    }

    fn within(mut self, name: String) -> Self {
        self.path.push(name);
        self
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.remedy)
    }
}

impl std::error::Error for Wrong {}

/// What would be right instead of `word`: the nearest of `known`, or all of them.
fn instead(word: &str, known: &[&'static str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(nearest) => format!("not known; did you mean `{nearest}`?"),
        None if known.is_empty() => "not known; leave it out".to_owned(),
        None => format!("not known; use one of {}", known.join(", ")),
    }
}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(remedy: T) -> Self {
        Self::new(None, remedy.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(None, format!("use {}", plain(&expected.to_string())))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(None, format!("use {}", plain(&expected.to_string())))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(Some(format!("{length} values")), format!("use {expected}"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(Some(variant.to_owned()), instead(variant, expected))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(Some(field.to_owned()), instead(field, expected))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(Some(String::new()), format!("`{field}` is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(Some(field.to_owned()), "give it once".to_owned())
    }
}

/// The names that serde has for kinds of values, in plain words.
fn plain(expected: &str) -> String {
    let is_unsigned = matches!(expected, "u8" | "u16" | "u32" | "u64");
    match expected {
        "u16" => "a whole number, up to 65535".to_owned(),
        "u8" => "a whole number, up to 255".to_owned(),
        _ if is_unsigned => "a whole number".to_owned(),
        "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" | "path string" => "a text in quotes".to_owned(),
        "a sequence" => "a list in [ ]".to_owned(),
        "a map" => "a table in { }".to_owned(),
        other => match other.strip_prefix("struct ").or_else(|| other.strip_prefix("enum ")) {
            Some(_) => "a table in { }".to_owned(),
            None => other.to_owned(),
        },
    }
}

impl<'de> Deserializer<'de> for &Node<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let read = match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Integer(value) => match (u64::try_from(*value), i64::try_from(*value)) {
                (Ok(value), _) => visitor.visit_u64(value),
                (_, Ok(value)) => visitor.visit_i64(value),
                _ => visitor.visit_f64(*value as f64),
            },
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(std::borrow::Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Value::Text(text) => visitor.visit_str(text),
            Value::List(list) => visitor.visit_seq(List { list, next: 0 }),
            Value::Table(entries) => visitor.visit_map(Table { entries, next: 0 }),
        };
        read.map_err(|error| error.in_node(self))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self).map_err(|error: Wrong| error.in_node(self))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let read = match &self.value {
            Value::Text(name) => visitor.visit_enum(Variant { name, content: None }),
            Value::Table(entries) => match entries.as_slice() {
                [Entry { key, node, .. }] => visitor
                    .visit_enum(Variant { name: key, content: Some(node) })
                    .map_err(|error| error.within(key.to_string())),
                _ => Err(Wrong::new(None, format!("use a table with one of {}", variants.join(", ")))),
            },
            _ => Err(Wrong::new(None, format!("use one of {}", variants.join(", ")))),
        };
        read.map_err(|error| error.in_node(self))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// The values of a list, one after the other.
struct List<'n, 'de> {
    list: &'n [Node<'de>],
    next: usize,
}

impl<'de> SeqAccess<'de> for List<'_, 'de> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Wrong> {
        let Some(node) = self.list.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        let name = || node.name().map_or_else(|| index.to_string(), str::to_owned);
        seed.deserialize(node).map(Some).map_err(|error| error.within(name()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.list.len() - self.next)
    }
}

/// The entries of a table, one after the other. A key is read before its value.
struct Table<'n, 'de> {
    entries: &'n [Entry<'de>],
    next: usize,
}

impl<'de> MapAccess<'de> for Table<'_, 'de> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        let Some(entry) = self.entries.get(self.next) else { return Ok(None) };
        let read = seed.deserialize(entry.key.as_ref().into_deserializer());
        read.map(Some).map_err(|error: Wrong| Wrong { at: Some(entry.at), ..error })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let entry = &self.entries[self.next];
        self.next += 1;
        seed.deserialize(&entry.node).map_err(|error| error.within(entry.key.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len() - self.next)
    }
}

/// A variant by its name, with what it holds.
struct Variant<'n, 'de> {
    name: &'n str,
    content: Option<&'n Node<'de>>,
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Wrong;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Wrong> {
        let value = seed.deserialize(self.name.into_deserializer())?;
        Ok((value, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Wrong;

    fn unit_variant(self) -> Result<(), Wrong> {
        match self.content {
            None => Ok(()),
            Some(_) => Err(Wrong::new(None, format!("use \"{}\" alone", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Wrong> {
        match self.content {
            Some(node) => seed.deserialize(node),
            None => Err(Wrong::new(None, format!("give a value, as in {{ {} = … }}", self.name))),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.newtype_variant_seed(Content(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.newtype_variant_seed(Content(visitor))
    }
}

/// What a variant holds, as its visitor has it.
struct Content<V>(V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Content<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        from.deserialize_any(self.0)
    }
}
