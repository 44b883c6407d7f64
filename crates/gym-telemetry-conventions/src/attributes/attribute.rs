/// An attribute: its key and the type of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attribute {
    /// The key, such as `nemo.gym.rollout.outcome`.
    pub key: &'static str,
    /// The type of its values.
    pub value_type: ValueType,
}

impl Attribute {
    /// An attribute of this crate.
    pub(super) const fn new(key: &'static str, value_type: ValueType) -> Self {
        Self { key, value_type }
    }
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
