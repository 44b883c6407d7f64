//! Resource attribute keys: what describes a process as a whole, on everything that it reports.

/// `nemo-gym/<server name>`, or the bare name where servers share one.
pub const SERVICE_NAME: &str = "service.name";

/// The bare service name, shared by every process of a fleet.
pub const SERVICE_GROUP: &str = "nemo.gym.service_group";

/// The name of the server that the process belongs to.
pub const SERVER_NAME: &str = "nemo.gym.server.name";

/// The type of the server that the process belongs to.
pub const SERVER_TYPE: &str = "nemo.gym.server.type";

/// The version of the telemetry that reports.
pub const VERSION: &str = "nemo.gym.version";

/// One id for every process of a run.
pub const RUN_ID: &str = "nemo.run.id";

/// The id of the reporting process.
pub const PROCESS_PID: &str = "process.pid";

/// The host that the process runs on.
pub const HOST_NAME: &str = "host.name";

/// An id of the process alone, so that a backend takes no two processes for one.
pub const SERVICE_INSTANCE_ID: &str = "service.instance.id";

/// Every resource attribute key.
pub const ALL: &[&str] = &[
    SERVICE_NAME,
    SERVICE_GROUP,
    SERVER_NAME,
    SERVER_TYPE,
    VERSION,
    RUN_ID,
    PROCESS_PID,
    HOST_NAME,
    SERVICE_INSTANCE_ID,
];
