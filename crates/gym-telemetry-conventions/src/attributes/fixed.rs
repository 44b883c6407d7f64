/// The [`HTTP_ROUTE`](super::HTTP_ROUTE) of a request that no route matches.
pub const UNMATCHED_ROUTE: &str = "<unmatched>";

/// The [`HTTP_REQUEST_METHOD`](super::HTTP_REQUEST_METHOD) of a method that HTTP does not define.
pub const OTHER_METHOD: &str = "_OTHER";

/// The [`FAILURE_KIND`](super::FAILURE_KIND) of a failure whose kind nobody registered.
pub const UNREGISTERED_FAILURE_KIND: &str = "unregistered";

/// The [`FAILURE_CLASS`](super::FAILURE_CLASS) of a rollout whose call of the agent's `/run` failed.
pub const AGENT_REQUEST_FAILED: &str = "agent_request_failed";

/// The [`DESTINATION_SERVER_NAME`](super::DESTINATION_SERVER_NAME) of a call that names no destination.
pub const EXTERNAL_DESTINATION: &str = "external";

/// The [`DESTINATION_SERVER_NAME`](super::DESTINATION_SERVER_NAME) of a call to another agent service.
pub const REMOTE_AGENT_SERVICE_DESTINATION: &str = "remote_agent_service";

/// The [`MODEL_CALL_OUTCOME`](super::MODEL_CALL_OUTCOME) of a model call that failed in no way.
pub const MODEL_CALL_OK: &str = "ok";
