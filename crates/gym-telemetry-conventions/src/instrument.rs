use crate::Attribute;

/// What one metric is: all that a program needs to create it, and all that a reader needs to understand it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Instrument {
    /// The metric's name, such as `gym.rollout.duration_ms`.
    pub name: &'static str,
    /// What arrives at a backend.
    pub kind: Kind,
    /// The unit in UCUM notation, such as `ms`, `By` or `{request}`.
    pub unit: &'static str,
    /// What one unit or one sample of it means.
    pub description: &'static str,
    /// The attributes that a data point carries.
    pub attributes: &'static [Use],
    /// The explicit bucket boundaries of a histogram; empty for every other kind.
    pub boundaries: &'static [f64],
    /// Whether the Python system reports it too.
    pub tier: Tier,
    /// The part of a fleet that reports it.
    pub reporter: &'static str,
}

/// An attribute as one instrument uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Use {
    /// Its key.
    pub key: &'static str,
    /// Whether every data point carries it.
    pub required: bool,
}

impl Use {
    /// An attribute that every data point carries.
    pub(crate) const fn required(attribute: Attribute) -> Self {
        Self { key: attribute.key, required: true }
    }

    /// An attribute that a data point may lack.
    pub(crate) const fn optional(attribute: Attribute) -> Self {
        Self { key: attribute.key, required: false }
    }
}

/// The kind of a metric, as the contract writes it.
///
/// An *observable* kind is a plain integer in the process that the exporter's thread reads when it exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A distribution of floating-point values.
    HistogramF64,
    /// A distribution of integers.
    HistogramU64,
    /// A total that only grows.
    CounterU64,
    /// A total that grows and shrinks.
    UpDownCounterI64,
    /// The latest of some integers.
    GaugeU64,
    /// The latest of some floating-point values.
    GaugeF64,
    /// An integer total that is read on export.
    ObservableCounterU64,
    /// A floating-point total that is read on export.
    ObservableCounterF64,
    /// A total that grows and shrinks and is read on export.
    ObservableUpDownCounterI64,
    /// An integer that is read on export.
    ObservableGaugeU64,
}

impl Kind {
    /// The kind's name, such as `observable_counter_u64`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HistogramF64 => "histogram_f64",
            Self::HistogramU64 => "histogram_u64",
            Self::CounterU64 => "counter_u64",
            Self::UpDownCounterI64 => "up_down_counter_i64",
            Self::GaugeU64 => "gauge_u64",
            Self::GaugeF64 => "gauge_f64",
            Self::ObservableCounterU64 => "observable_counter_u64",
            Self::ObservableCounterF64 => "observable_counter_f64",
            Self::ObservableUpDownCounterI64 => "observable_up_down_counter_i64",
            Self::ObservableGaugeU64 => "observable_gauge_u64",
        }
    }
}

/// Where a metric comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tier {
    /// NeMo Gym reports it, and so do we.
    Seed,
    /// In the metric contract beyond what NeMo Gym reports.
    Beyond,
    /// Ours alone, in no contract.
    Ours,
}

impl Tier {
    /// The tier's name: `seed`, `beyond` or `ours`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Beyond => "beyond",
            Self::Ours => "ours",
        }
    }
}
