use std::fmt;

/// A setting that cannot be used: which one, what it is, and what would have been accepted.
///
/// ```
/// use gym_telemetry_export::Settings;
///
/// let environment = |name: &str| match name {
///     "NEMO_GYM_OTEL_ENABLED" => Some("maybe".to_owned()),
///     _ => None,
/// };
/// let error = Settings::default().resolve(environment).unwrap_err();
/// assert_eq!(error.name(), "NEMO_GYM_OTEL_ENABLED");
/// assert_eq!(
///     error.to_string(),
///     "NEMO_GYM_OTEL_ENABLED is `maybe`, but must be `1`, `true`, `yes` or `on`, or `0`, `false`, `no` or `off`",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    name: &'static str,
    value: Option<String>,
    accepted: &'static str,
}

impl SettingsError {
    pub(crate) fn new(name: &'static str, value: impl Into<String>, accepted: &'static str) -> Self {
        Self { name, value: Some(value.into()), accepted }
    }

    /// An error that does not repeat the value, because it may be a secret.
    pub(crate) fn secret(name: &'static str, accepted: &'static str) -> Self {
        Self { name, value: None, accepted }
    }

    /// The environment variable, or the field of the `telemetry:` block.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{} is `{value}`, but must be {}", self.name, self.accepted),
            None => write!(f, "{} cannot be read: it must be {}", self.name, self.accepted),
        }
    }
}

impl std::error::Error for SettingsError {}
