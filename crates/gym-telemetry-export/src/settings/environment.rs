use super::{Form, Settings, SettingsError, form};

/// The variables of each setting, the one that wins first. Child processes are given the first.
pub(super) mod names {
    pub(crate) type Names = &'static [&'static str];

    pub(crate) const ENABLED: Names = &["NEMO_GYM_OTEL_ENABLED", "NEMO_LENS_ENABLED"];
    pub(crate) const METRICS_ENABLED: Names = &["NEMO_GYM_OTEL_METRICS_ENABLED", "NEMO_LENS_METRICS_ENABLED"];
    pub(crate) const TRACES_ENABLED: Names = &["NEMO_GYM_OTEL_TRACES_ENABLED", "NEMO_LENS_TRACES_ENABLED"];
    pub(crate) const SERVICE_NAME: Names = &["OTEL_SERVICE_NAME"];
    pub(crate) const SERVICE_NAME_PER_SERVER: Names = &["NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER"];
    pub(crate) const EXPORTER: Names = &["NEMO_GYM_OTEL_EXPORTER", "NEMO_LENS_EXPORTER"];
    pub(crate) const OTLP_ENDPOINT: Names = &["OTEL_EXPORTER_OTLP_ENDPOINT"];
    pub(crate) const OTLP_PROTOCOL: Names = &["OTEL_EXPORTER_OTLP_PROTOCOL"];
    pub(crate) const OTLP_HEADERS: Names = &["OTEL_EXPORTER_OTLP_HEADERS"];
    pub(crate) const MEMORY_PROFILING: Names = &["NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED"];
    pub(crate) const MEMORY_INTERVAL: Names = &["NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS"];
    pub(crate) const TASK_COUNT: Names = &["NEMO_GYM_OTEL_EVENT_LOOP_TASK_COUNT"];
    pub(crate) const RUN_ID: Names = &["NEMO_GYM_OTEL_RUN_ID", "NEMO_LENS_RUN_ID"];
    pub(crate) const EXPORT_INTERVAL: Names = &["OTEL_METRIC_EXPORT_INTERVAL"];
    pub(crate) const CARDINALITY_LIMIT: Names = &["NEMO_GYM_OTEL_CARDINALITY_LIMIT"];
    pub(crate) const SCOPE_LABELS: Names = &["NEMO_GYM_OTEL_PROMETHEUS_SCOPE_LABELS"];
    pub(crate) const SDK_DISABLED: Names = &["OTEL_SDK_DISABLED"];
    pub(crate) const RESOURCE_ATTRIBUTES: Names = &["OTEL_RESOURCE_ATTRIBUTES"];
}

/// Reads one variable of this process. Bytes that are no text are replaced, so that they are refused rather than lost.
pub(crate) fn of_the_process(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Environment variables, from wherever they come. A blank one counts as unset.
pub(crate) struct Environment<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Environment<'a> {
    /// An environment that a function looks up.
    pub(crate) fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { lookup }
    }

    /// The first of the variables that is set, with its value.
    pub(crate) fn first(&self, names: &[&'static str]) -> Option<(&'static str, String)> {
        names.iter().find_map(|name| {
            let value = (self.lookup)(name)?;
            let value = value.trim();
            (!value.is_empty()).then(|| (*name, value.to_owned()))
        })
    }

    /// Reads the first of the variables that is set.
    pub(crate) fn read<T>(&self, names: &[&'static str], form: &Form<T>) -> Result<Option<T>, SettingsError> {
        self.first(names).map(|(name, text)| form.read(name, &text)).transpose()
    }

    /// The attributes that `OTEL_RESOURCE_ATTRIBUTES` gives to everything in this process.
    pub(crate) fn resource_attributes(&self) -> Result<Vec<(String, String)>, SettingsError> {
        Ok(self.read(names::RESOURCE_ATTRIBUTES, &form::ATTRIBUTES)?.unwrap_or_default())
    }

    /// Replaces a field when one of its variables is set.
    fn overlay<T>(&self, field: &mut T, names: &[&'static str], form: &Form<T>) -> Result<(), SettingsError> {
        if let Some(value) = self.read(names, form)? {
            *field = value;
        }
        Ok(())
    }

    /// Likewise for a text that may be absent. One that is blank in the block counts as absent too.
    fn overlay_optional(&self, field: &mut Option<String>, names: &[&'static str]) -> Result<(), SettingsError> {
        let block = field.take().filter(|text| !text.trim().is_empty());
        *field = self.read(names, &form::TEXT)?.or(block);
        Ok(())
    }
}

impl Settings {
    /// Lays the environment over these settings: a variable that is set wins over the field.
    ///
    /// The environment is a function, so that a program can resolve settings without having them: see
    /// [`from_env`](Self::from_env) for the usual one. A variable that is set but blank counts as unset.
    ///
    /// # Errors
    /// When a variable, or a field of the block, holds something that its setting cannot be.
    pub fn resolve(mut self, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        self.check()?;
        let environment = Environment::new(&lookup);
        environment.overlay(&mut self.enabled, names::ENABLED, &form::SWITCH)?;
        if environment.read(names::SDK_DISABLED, &form::SWITCH)? == Some(true) {
            self.enabled = false;
        }
        if self.enabled {
            self.overlay(&environment)?;
        }
        Ok(self)
    }

    fn overlay(&mut self, environment: &Environment<'_>) -> Result<(), SettingsError> {
        environment.overlay(&mut self.metrics_enabled, names::METRICS_ENABLED, &form::SWITCH)?;
        environment.overlay(&mut self.traces_enabled, names::TRACES_ENABLED, &form::SWITCH)?;
        for (key, value) in environment.resource_attributes()? {
            if key == gym_telemetry_conventions::resource::SERVICE_NAME {
                self.service_name = value;
            }
        }
        environment.overlay(&mut self.service_name, names::SERVICE_NAME, &form::TEXT)?;
        environment.overlay(&mut self.service_name_per_server, names::SERVICE_NAME_PER_SERVER, &form::SWITCH)?;
        environment.overlay(&mut self.exporter, names::EXPORTER, &form::EXPORTER)?;
        environment.overlay_optional(&mut self.otlp_endpoint, names::OTLP_ENDPOINT)?;
        environment.overlay(&mut self.otlp_protocol, names::OTLP_PROTOCOL, &form::PROTOCOL)?;
        environment.overlay(&mut self.otlp_headers, names::OTLP_HEADERS, &form::HEADERS)?;
        let memory = &mut self.memory_profiling;
        environment.overlay(&mut memory.enabled, names::MEMORY_PROFILING, &form::SWITCH)?;
        environment.overlay(&mut memory.interval_seconds, names::MEMORY_INTERVAL, &form::SECONDS)?;
        environment.overlay(&mut self.event_loop_task_count, names::TASK_COUNT, &form::SWITCH)?;
        environment.overlay_optional(&mut self.run_id, names::RUN_ID)?;
        environment.overlay(&mut self.export_interval_ms, names::EXPORT_INTERVAL, &form::MILLISECONDS)?;
        environment.overlay(&mut self.cardinality_limit, names::CARDINALITY_LIMIT, &form::COUNT)?;
        environment.overlay(&mut self.prometheus_scope_labels, names::SCOPE_LABELS, &form::SWITCH)
    }
}
