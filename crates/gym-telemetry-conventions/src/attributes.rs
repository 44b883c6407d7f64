//! Attribute keys, with the type of their values.

/// An attribute: its key and the type of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attribute {
    /// The key, such as `nemo.gym.rollout.outcome`.
    pub key: &'static str,
    /// The type of its values.
    pub value_type: ValueType,
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

/// Declares the attributes and the list of them all.
macro_rules! attributes {
    ($( $(#[$doc:meta])* $name:ident: $type:ident = $key:literal; )+) => {
        $( $(#[$doc])* pub const $name: Attribute = Attribute { key: $key, value_type: ValueType::$type }; )+

        /// Every attribute that a metric may carry.
        pub const ALL: &[Attribute] = &[$( $name ),+];
    };
}

attributes! {
    /// TODOC
    ROLLOUT_OUTCOME: String = "nemo.gym.rollout.outcome";
    /// TODOC
    ROLLOUT_DISPATCH_NAME: String = "nemo.gym.rollout.dispatch.name";
    /// TODOC
    FAILURE_CLASS: String = "nemo.gym.failure_class";
    /// TODOC
    FAILURE_KIND: String = "nemo.gym.failure_kind";
    /// TODOC
    FAILURE_TYPE: String = "nemo.gym.failure_type";
    /// TODOC
    ROLLOUT_REWARD_RANGE: String = "nemo.gym.rollout.reward.range";
    /// TODOC
    ROLLOUT_MASKED: Bool = "nemo.gym.rollout.masked";
    /// TODOC
    HEALTH_VERDICT: String = "nemo.gym.health.verdict";
    /// TODOC
    HEALTH_CHECK: String = "nemo.gym.health.check";
    /// TODOC
    SERVER_NAME: String = "nemo.gym.server.name";
    /// TODOC
    SERVER_TYPE: String = "nemo.gym.server.type";
    /// TODOC
    SERVER_WORKER: Bool = "nemo.gym.server.worker";
    /// TODOC
    STARTUP_STAGE: String = "nemo.gym.startup.stage";
    /// TODOC
    POOL_QUEUE_CONSTRAINT: String = "nemo.gym.http.connection_pool.queue_constraint";
    /// TODOC
    POOL_QUEUE_OUTCOME: String = "nemo.gym.http.connection_pool.queue_outcome";
    /// TODOC
    POOL_CONNECT_OUTCOME: String = "nemo.gym.http.connection_pool.connect_outcome";
    /// TODOC
    DESTINATION_SERVER_NAME: String = "nemo.gym.http.destination.server.name";
    /// TODOC
    MEMORY_TYPE: String = "memory.type";
    /// TODOC
    PROCESS_PID: Int = "process.pid";
    /// TODOC
    EVENT_LOOP: String = "nemo.gym.event_loop";
    /// TODOC
    GC_GENERATION: Int = "nemo.gym.gc.generation";
    /// TODOC
    CPU_MODE: String = "cpu.mode";
    /// TODOC
    HTTP_ROUTE: String = "http.route";
    /// TODOC
    REQUEST_PHASE: String = "nemo.gym.request.phase";
    /// TODOC
    HTTP_RESPONSE_STATUS_CODE: Int = "http.response.status_code";
    /// TODOC
    RESOURCES_OPERATION: String = "nemo.gym.resources.operation";
    /// TODOC
    RESOURCES_EXECUTOR: String = "nemo.gym.resources.executor";
    /// TODOC
    RESOURCES_OPERATION_OUTCOME: String = "nemo.gym.resources.operation.outcome";
    /// TODOC
    SANDBOX_PROVIDER: String = "nemo.gym.sandbox.provider";
    /// TODOC
    CONCURRENCY_COMPONENT: String = "nemo.gym.concurrency.component";
    /// TODOC
    CONCURRENCY_LIMIT_NAME: String = "nemo.gym.concurrency.limit_name";
    /// TODOC
    MODEL_CALL_DIALECT: String = "nemo.gym.model_call.dialect";
    /// TODOC
    MODEL_CALL_OUTCOME: String = "nemo.gym.model_call.outcome";
    /// TODOC
    MODEL_CALL_TOKEN_TYPE: String = "nemo.gym.model_call.token.type";
    /// TODOC
    MODEL_CALL_FINISH_REASON: String = "nemo.gym.model_call.finish_reason";
    /// TODOC
    HTTP_REQUEST_METHOD: String = "http.request.method";
    /// TODOC
    URL_SCHEME: String = "url.scheme";
    /// TODOC
    NETWORK_PROTOCOL_VERSION: String = "network.protocol.version";
    /// TODOC
    ERROR_TYPE: String = "error.type";
}
