//! What describes a process as a whole.

use std::{process, sync::OnceLock};

use gym_telemetry_conventions::resource as keys;
use opentelemetry::KeyValue;
use opentelemetry_sdk::{
    Resource,
    resource::{ResourceDetector, TelemetryResourceDetector},
};
use uuid::Uuid;

use crate::{Settings, SettingsError, settings::Environment};

/// The server that a process is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) kind: String,
}

/// Describes this process. What `OTEL_RESOURCE_ATTRIBUTES` says wins, but for the service name: there it is the name
/// without the server's, and the settings already have it.
pub(crate) fn describe(
    settings: &Settings,
    server: Option<&Server>,
    environment: &Environment<'_>,
) -> Result<Resource, SettingsError> {
    let from_environment = environment.resource_attributes()?;
    let given = from_environment.into_iter().filter(|(key, _)| key != keys::SERVICE_NAME);
    let attributes = own(settings, server).into_iter().chain(given.map(|(key, value)| KeyValue::new(key, value)));
    Ok(Resource::builder_empty()
        .with_detector(Box::new(TelemetryResourceDetector) as Box<dyn ResourceDetector>)
        .with_attributes(attributes)
        .build())
}

/// What the process says of itself.
fn own(settings: &Settings, server: Option<&Server>) -> Vec<KeyValue> {
    let group = &settings.service_name;
    let service = match server {
        Some(server) if settings.service_name_per_server => format!("{group}/{}", server.name),
        _ => group.clone(),
    };
    let mut attributes = vec![
        KeyValue::new(keys::SERVICE_NAME, service),
        KeyValue::new(keys::SERVICE_GROUP, group.clone()),
        KeyValue::new(keys::VERSION, env!("CARGO_PKG_VERSION")),
        KeyValue::new(keys::PROCESS_PID, i64::from(process::id())),
        KeyValue::new(keys::HOST_NAME, gethostname::gethostname().to_string_lossy().into_owned()),
        KeyValue::new(keys::SERVICE_INSTANCE_ID, instance_id()),
    ];
    if let Some(Server { name, kind }) = server {
        attributes.push(KeyValue::new(keys::SERVER_NAME, name.clone()));
        attributes.push(KeyValue::new(keys::SERVER_TYPE, kind.clone()));
    }
    attributes.extend(settings.run_id.clone().map(|id| KeyValue::new(keys::RUN_ID, id)));
    attributes
}

/// What tells this process from every other, however alike; the same for as long as it lives.
fn instance_id() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| Uuid::new_v4().to_string())
}

/// A name for a run that nobody has named.
pub(crate) fn new_run_id() -> String {
    Uuid::new_v4().simple().to_string()
}
