//! Attributes that can be compared, and therefore be an identity.

use std::cmp::Ordering;
use std::sync::Arc;

/// A number in an attribute, equal to itself whatever its bits: unlike `f64` it can be part of an identity.
#[derive(Debug, Clone, Copy)]
pub struct Double(f64);

impl Double {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl From<f64> for Double {
    fn from(number: f64) -> Self {
        Self(number)
    }
}

impl Ord for Double {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Double {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Double {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Double {}

/// The value of one attribute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Value {
    /// A key that was sent without a value.
    Empty,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Double(Double),
    /// Text.
    String(String),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// A list; its order counts.
    Array(Vec<Value>),
    /// Attributes within an attribute; their order does not count.
    Map(Attributes),
}

impl Value {
    /// The text, when it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The integer, when it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Bytes that the value occupies beside itself.
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Empty | Self::Bool(_) | Self::Int(_) | Self::Double(_) => 0,
            Self::String(text) => text.capacity(),
            Self::Bytes(bytes) => bytes.capacity(),
            Self::Array(values) => values.iter().map(|value| size_of::<Self>() + value.heap_bytes()).sum(),
            Self::Map(attributes) => attributes.heap_bytes(),
        }
    }
}

/// A set of attributes. The order in which they were sent does not matter: two sets with the same pairs are equal.
///
/// Cloning shares the set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attributes(Arc<[(String, Value)]>);

impl Attributes {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.iter().find_map(|(held, value)| (held == key).then_some(value))
    }

    /// The value of `key`, when it is text.
    pub fn str(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// The value of `key`, when it is an integer.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.get(key).and_then(Value::as_int)
    }

    /// Every pair, by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes that the set occupies beside its pointer.
    pub(crate) fn heap_bytes(&self) -> usize {
        let pair = |(key, value): &(String, Value)| size_of::<(String, Value)>() + key.capacity() + value.heap_bytes();
        self.0.iter().map(pair).sum()
    }
}

impl FromIterator<(String, Value)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(pairs: I) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_unstable();
        Self(pairs.into())
    }
}
