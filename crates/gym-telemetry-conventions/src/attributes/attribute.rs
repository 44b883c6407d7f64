/// An attribute: its key, and what its values may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attribute {
    /// The key, such as `nemo.gym.rollout.outcome`.
    pub key: &'static str,
    /// The type of its values.
    pub value_type: ValueType,
    /// The values that have fixed names.
    pub values: Values,
    /// What a value says.
    pub description: &'static str,
}

/// The type of an attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueType {
    /// Text from a bounded set.
    String,
    /// A whole number.
    Int,
    /// True or false.
    Bool,
}

impl ValueType {
    /// The type's name: `string`, `int` or `bool`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Int => "int",
            Self::Bool => "bool",
        }
    }
}

/// The values of an attribute that have fixed names, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// These and no others.
    Closed(&'static [&'static str]),
    /// These beside others that are configured, registered or few by nature.
    Open(&'static [&'static str]),
}

impl Values {
    /// The values with fixed names.
    #[must_use]
    pub const fn fixed(self) -> &'static [&'static str] {
        match self {
            Self::Closed(values) | Self::Open(values) => values,
        }
    }
}
