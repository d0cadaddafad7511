//! Values that are written as one word or text: times, rates, shares, pauses, checks.

use crate::quantity::{parse_count, parse_duration, parse_rate_or_zero, print_duration, print_rate};
use crate::query::Check;
use crate::{PlanError, Repeat, Think};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::StrDeserializer;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// What is written as one text or number.
pub(super) trait Word: Sized {
    /// What it is, for errors and for the schema.
    const WHAT: &'static str;
    /// Whether it may be written as a number.
    const IS_NUMBER: bool;

    fn read(text: &str) -> Result<Self, PlanError>;
    fn write(&self) -> String;
}

/// A value that is written as one text or number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct As<T>(pub(super) T);

impl<T: Word> Serialize for As<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text = self.0.write();
        match text.parse::<u64>() {
            Ok(number) if T::IS_NUMBER => to.serialize_u64(number),
            _ => to.serialize_str(&text),
        }
    }
}

impl<'de, T: Word> Deserialize<'de> for As<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(WordVisitor(PhantomData))
    }
}

struct WordVisitor<T>(PhantomData<T>);

impl<T: Word> Visitor<'_> for WordVisitor<T> {
    type Value = As<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<As<T>, E> {
        T::read(text).map(As).map_err(|error| E::custom(error.remedy))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<As<T>, E> {
        self.number(&number.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<As<T>, E> {
        self.number(&number.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<As<T>, E> {
        self.number(&number.to_string())
    }
}

impl<T: Word> WordVisitor<T> {
    fn number<E: serde::de::Error>(&self, text: &str) -> Result<As<T>, E> {
        let read = if T::IS_NUMBER { T::read(text).ok() } else { None };
        read.map(As).ok_or_else(|| E::custom(format!("use {}", T::WHAT)))
    }
}

impl<T: Word> JsonSchema for As<T> {
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.split(" such as").next().unwrap_or_default().trim_end_matches(',').into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        if T::IS_NUMBER {
            json_schema!({ "type": ["string", "number"] })
        } else {
            json_schema!({ "type": "string" })
        }
    }
}

/// A length of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Time(pub(super) Duration);

impl Word for Time {
    const WHAT: &'static str = "a time, such as \"250ms\", \"10s\" or \"5m\"";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        parse_duration("", text).map(Self)
    }

    fn write(&self) -> String {
        print_duration(self.0)
    }
}

/// A length of time, or a word for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit(pub(super) Option<Duration>);

impl Word for Limit {
    const WHAT: &'static str = "a time, such as \"30s\", or \"none\"";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        if text == "none" { Ok(Self(None)) } else { Time::read(text).map(|Time(time)| Self(Some(time))) }
    }

    fn write(&self) -> String {
        self.0.map_or_else(|| "none".to_owned(), print_duration)
    }
}

const FOREVER: &str = "forever";

/// How long a run lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lasts(pub(super) Option<Duration>);

impl Word for Lasts {
    const WHAT: &'static str = "a time, such as \"10m\", or \"forever\"";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        if text == FOREVER { Ok(Self(None)) } else { Time::read(text).map(|Time(time)| Self(Some(time))) }
    }

    fn write(&self) -> String {
        self.0.map_or_else(|| FOREVER.to_owned(), print_duration)
    }
}

/// A rate, per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rate(pub(super) f64);

impl Word for Rate {
    const WHAT: &'static str = "a rate, such as 500, \"500/s\" or \"30/m\"";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        parse_rate_or_zero("", text).map(Self)
    }

    fn write(&self) -> String {
        print_rate(self.0)
    }
}

/// A whole number, large ones with a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count(pub(super) u64);

impl Word for Count {
    const WHAT: &'static str = "a whole number, such as 200 or \"10k\"";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        text.parse().or_else(|_| parse_count("", text)).map(Self)
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

/// The calls of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Calls(pub(super) Option<u64>);

impl Word for Calls {
    const WHAT: &'static str = "a whole number, or \"forever\"";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        if text == FOREVER { Ok(Self(None)) } else { Count::read(text).map(|Count(count)| Self(Some(count))) }
    }

    fn write(&self) -> String {
        self.0.map_or_else(|| FOREVER.to_owned(), |calls| calls.to_string())
    }
}

/// A share, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share(pub(super) f64);

impl Word for Share {
    const WHAT: &'static str = "a share, such as \"30%\" or 0.3";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        let share = match text.trim().strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => text.trim().parse(),
        };
        let share = share.ok().filter(|share| share.is_finite());
        share.map(Self).ok_or_else(|| PlanError::new("", text, "use a share, such as \"30%\" or 0.3"))
    }

    fn write(&self) -> String {
        let percent = format!("{}%", self.0 * 100.0);
        if Self::read(&percent).as_ref() == Ok(self) { percent } else { self.0.to_string() }
    }
}

impl Word for Think {
    const WHAT: &'static str = "a time such as \"500ms\", \"uniform:100ms,2s\" or \"exponential:1s\"";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        Self::parse(text)
    }

    fn write(&self) -> String {
        let print = print_duration;
        match self {
            Self::None => print(Duration::ZERO),
            Self::Constant { time } => print(*time),
            Self::Uniform { min, max, granularity } if granularity.is_zero() => {
                format!("uniform:{},{}", print(*min), print(*max))
            }
            Self::Uniform { min, max, granularity } => {
                format!("uniform:{},{},{}", print(*min), print(*max), print(*granularity))
            }
            Self::Exponential { mean } => format!("exponential:{}", print(*mean)),
        }
    }
}

impl Word for Repeat {
    const WHAT: &'static str = "a number of times, \"uniform:1,5\" or \"forever\"";
    const IS_NUMBER: bool = true;

    fn read(text: &str) -> Result<Self, PlanError> {
        let wrong = || PlanError::new("", text, format!("use {}", Self::WHAT));
        if text == FOREVER {
            return Ok(Self::Forever);
        }
        if let Some(times) = text.strip_prefix("uniform:") {
            let (min, max) = times.split_once(',').ok_or_else(wrong)?;
            let read = |text: &str| text.trim().parse().map_err(|_| wrong());
            return Ok(Self::Times { min: read(min)?, max: read(max)? });
        }
        text.parse().map(Self::times).map_err(|_| wrong())
    }

    fn write(&self) -> String {
        match self {
            Self::Forever => FOREVER.to_owned(),
            Self::Times { min, max } if min == max => min.to_string(),
            Self::Times { min, max } => format!("uniform:{min},{max}"),
        }
    }
}

impl Word for Check {
    const WHAT: &'static str = "a condition, such as \"status == 200\"";
    const IS_NUMBER: bool = false;

    fn read(text: &str) -> Result<Self, PlanError> {
        Self::parse("", text)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// The condition under which a step is run again: without one, that all of its checks hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition(pub(super) Option<Check>);

impl Word for Condition {
    const WHAT: &'static str = "a condition, such as \"status == 200\", or \"checks\"";
    const IS_NUMBER: bool = false;

    fn read(text: &str) -> Result<Self, PlanError> {
        if text == "checks" { Ok(Self(None)) } else { Check::read(text).map(|check| Self(Some(check))) }
    }

    fn write(&self) -> String {
        self.0.as_ref().map_or_else(|| "checks".to_owned(), ToString::to_string)
    }
}

/// A list, which may be written as its only element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Several<T>(pub(super) Vec<T>);

impl<T> Default for Several<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Several<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for Several<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Several<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct SeveralVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for SeveralVisitor<T> {
            type Value = Several<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a list of texts")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Several<T>, E> {
                T::deserialize(StrDeserializer::new(text)).map(|one| Several(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Several<T>, A::Error> {
                let mut several = Vec::new();
                while let Some(one) = list.next_element()? {
                    several.push(one);
                }
                Ok(Several(several))
            }
        }

        from.deserialize_any(SeveralVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Several<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Several_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// Names and values in order, as a table, or as a list of pairs where names repeat. A value may be a number or a truth value,
/// which is a text here.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pairs(pub(super) Vec<(String, String)>);

impl Pairs {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let repeats =
            self.0.iter().enumerate().any(|(at, (name, _))| self.0[..at].iter().any(|(n, _)| n == name));
        if repeats {
            self.0.serialize(to)
        } else {
            to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
        }
    }
}

/// A text, or a number or truth value as one.
struct Plain(String);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct PlainVisitor;

        impl Visitor<'_> for PlainVisitor {
            type Value = Plain;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text in quotes")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Plain, E> {
                Ok(Plain(text.to_owned()))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Plain, E> {
                Ok(Plain(number.to_string()))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Plain, E> {
                Ok(Plain(number.to_string()))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Plain, E> {
                Ok(Plain(number.to_string()))
            }

            fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Plain, E> {
                Ok(Plain(value.to_string()))
            }
        }

        from.deserialize_any(PlainVisitor)
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct PairsVisitor;

        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table such as { name = \"value\" }, or a list of pairs such as [[\"name\", \"value\"]]")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut table: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, Plain(value))) = table.next_entry::<String, Plain>()? {
                    pairs.push((name, value));
                }
                Ok(Pairs(pairs))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = list.next_element::<Vec<Plain>>()? {
                    let pair: Result<[Plain; 2], _> = pair.try_into();
                    let [Plain(name), Plain(value)] = pair.map_err(|_| {
                        A::Error::custom("use pairs of name and value, such as [\"name\", \"value\"]")
                    })?;
                    pairs.push((name, value));
                }
                Ok(Pairs(pairs))
            }
        }

        from.deserialize_any(PairsVisitor)
    }
}

impl JsonSchema for Pairs {
    fn schema_name() -> Cow<'static, str> {
        "Pairs".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let plain = json_schema!({ "type": ["string", "number", "boolean"] });
        json_schema!({
            "description": "Names and values: a table, or a list of pairs where order or repetition matters.",
            "anyOf": [
                { "type": "object", "additionalProperties": plain },
                { "type": "array", "items": { "type": "array", "items": plain, "minItems": 2, "maxItems": 2 } },
            ],
        })
    }
}
