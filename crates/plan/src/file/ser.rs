//! Writes values of Rust as nodes. Fields without a value are left out.

use super::node::{Entry, Node, Value};
use serde::ser::{
    self, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, Serializer,
};
use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;

/// A value as a node.
pub(super) fn node<T: Serialize + ?Sized>(value: &T) -> Node<'static> {
    // Nothing of a plan fails to be written: keys are texts, and there are no tuple variants.
    value.serialize(Writer).unwrap_or(Node::new(Value::Null))
}

#[derive(Debug)]
pub(super) struct Unwritable(String);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

impl ser::Error for Unwritable {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<Infallible> for Unwritable {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

type Written = Result<Node<'static>, Unwritable>;

#[expect(clippy::unnecessary_wraps, reason = "as the trait has it")]
const fn done(value: Value<'static>) -> Written {
    Ok(Node::new(value))
}

struct Writer;

macro_rules! integers {
    ($($name:ident: $kind:ty),*) => {
        $(fn $name(self, value: $kind) -> Written {
            done(Value::Integer(value.into()))
        })*
    };
}

impl Serializer for Writer {
    type Ok = Node<'static>;
    type Error = Unwritable;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = Impossible<Node<'static>, Unwritable>;
    type SerializeTupleVariant = Impossible<Node<'static>, Unwritable>;
    type SerializeMap = Table;
    type SerializeStruct = Table;
    type SerializeStructVariant = Table;

    integers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64
    }

    fn serialize_bool(self, value: bool) -> Written {
        done(Value::Bool(value))
    }

    fn serialize_f32(self, value: f32) -> Written {
        done(Value::Float(value.into()))
    }

    fn serialize_f64(self, value: f64) -> Written {
        done(Value::Float(value))
    }

    fn serialize_char(self, value: char) -> Written {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Written {
        done(Value::Text(value.to_owned().into()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Written {
        let list = value.iter().map(|byte| Node::new(Value::Integer((*byte).into()))).collect();
        done(Value::List(list))
    }

    fn serialize_none(self) -> Written {
        done(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        done(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        done(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        done(Value::Text(variant.into()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        done(Value::Table(vec![Entry { at: 0, key: variant.into(), node: value.serialize(self)? }]))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List, Unwritable> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple(self, _: usize) -> Result<List, Unwritable> {
        Ok(List(Vec::new()))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Unwritable> {
        Err(ser::Error::custom("no tuple struct is a part of a plan"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Unwritable> {
        Err(ser::Error::custom("no tuple variant is a part of a plan"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Table, Unwritable> {
        Ok(Table::default())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Table, Unwritable> {
        Ok(Table::default())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Table, Unwritable> {
        Ok(Table { variant: Some(variant), ..Table::default() })
    }
}

struct List(Vec<Node<'static>>);

impl SerializeSeq for List {
    type Ok = Node<'static>;
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.0.push(value.serialize(Writer)?);
        Ok(())
    }

    fn end(self) -> Written {
        done(Value::List(self.0))
    }
}

impl SerializeTuple for List {
    type Ok = Node<'static>;
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Written {
        SerializeSeq::end(self)
    }
}

#[derive(Default)]
struct Table {
    /// The variant that the table is about.
    variant: Option<&'static str>,
    entries: Vec<Entry<'static>>,
    key: Cow<'static, str>,
}

impl Table {
    fn push<T: Serialize + ?Sized>(&mut self, key: Cow<'static, str>, value: &T) -> Result<(), Unwritable> {
        let node = value.serialize(Writer)?;
        if node.value != Value::Null {
            self.entries.push(Entry { at: 0, key, node });
        }
        Ok(())
    }

    fn written(self) -> Written {
        let table = Value::Table(self.entries);
        match self.variant {
            None => done(table),
            Some(variant) => {
                done(Value::Table(vec![Entry { at: 0, key: variant.into(), node: Node::new(table) }]))
            }
        }
    }
}

impl SerializeMap for Table {
    type Ok = Node<'static>;
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unwritable> {
        self.key = match key.serialize(Writer)?.value {
            Value::Text(key) => key,
            _ => return Err(ser::Error::custom("keys are texts")),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        let key = std::mem::take(&mut self.key);
        self.push(key, value)
    }

    fn end(self) -> Written {
        self.written()
    }
}

impl SerializeStruct for Table {
    type Ok = Node<'static>;
    type Error = Unwritable;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.push(key.into(), value)
    }

    fn end(self) -> Written {
        self.written()
    }
}

impl ser::SerializeStructVariant for Table {
    type Ok = Node<'static>;
    type Error = Unwritable;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.push(key.into(), value)
    }

    fn end(self) -> Written {
        self.written()
    }
}
