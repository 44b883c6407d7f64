use super::{Environment, Settings, environment::names};

impl Settings {
    /// The variables that give a child process the same settings, run id included.
    ///
    /// A variable that `lookup` finds is left out: the child inherits it, and it is never overwritten. Settings that
    /// are off as a whole hand on nothing, so that a child may still be switched on by itself.
    #[must_use]
    pub fn child_env(&self, lookup: impl Fn(&str) -> Option<String>) -> Vec<(&'static str, String)> {
        if !self.enabled {
            return Vec::new();
        }
        let environment = Environment::new(&lookup);
        self.variables()
            .into_iter()
            .filter_map(|(names, value)| Some((*names.first()?, value?)))
            .filter(|(name, _)| environment.first(&[name]).is_none())
            .collect()
    }

    /// Every setting with the variables that stand for it, and its value where it has one.
    fn variables(&self) -> [(names::Names, Option<String>); 16] {
        let switch = |on: bool| Some(if on { "1" } else { "0" }.to_owned());
        let headers = (!self.otlp_headers.is_empty()).then(|| self.otlp_headers.as_str().to_owned());
        [
            (names::ENABLED, switch(self.enabled)),
            (names::METRICS_ENABLED, switch(self.metrics_enabled)),
            (names::TRACES_ENABLED, switch(self.traces_enabled)),
            (names::SERVICE_NAME, Some(self.service_name.clone())),
            (names::SERVICE_NAME_PER_SERVER, switch(self.service_name_per_server)),
            (names::EXPORTER, Some(self.exporter.to_string())),
            (names::OTLP_ENDPOINT, self.otlp_endpoint.clone()),
            (names::OTLP_PROTOCOL, Some(self.otlp_protocol.to_string())),
            (names::OTLP_HEADERS, headers),
            (names::MEMORY_PROFILING, switch(self.memory_profiling.enabled)),
            (names::MEMORY_INTERVAL, Some(self.memory_profiling.interval_seconds.to_string())),
            (names::TASK_COUNT, switch(self.event_loop_task_count)),
            (names::RUN_ID, self.run_id.clone()),
            (names::EXPORT_INTERVAL, Some(self.export_interval_ms.to_string())),
            (names::CARDINALITY_LIMIT, Some(self.cardinality_limit.to_string())),
            (names::SCOPE_LABELS, switch(self.prometheus_scope_labels)),
        ]
    }
}
