use super::{
    AGENT_REQUEST_FAILED, Attribute, EXTERNAL_DESTINATION, MODEL_CALL_OK, OTHER_METHOD,
    REMOTE_AGENT_SERVICE_DESTINATION, UNMATCHED_ROUTE, UNREGISTERED_FAILURE_KIND, ValueType, Values,
};
use crate::{
    ConnectOutcome, CpuMode, Dialect, EventLoop, Executor, HealthCheck, HealthVerdict, MemoryType, Operation,
    OperationOutcome, Outcome, PressureShare, PressureWindow, QueueConstraint, QueueOutcome, RequestPhase, RewardRange,
    ServerType, StartupStage, TokenType,
};

/// Declares the attributes and the list of them all.
///
/// The documentation of a constant is the attribute's description, so that both say the same.
macro_rules! attributes {
    ($(
        $( #[doc = $doc:literal] )+
        $name:ident: $type:ident = $key:literal, $values:ident($fixed:expr);
    )+) => {
        $(
            $( #[doc = $doc] )+
            #[doc = concat!("\n\nValues: `", stringify!($values), "(", stringify!($fixed), ")`.")]
            pub const $name: Attribute = Attribute {
                key: $key,
                value_type: ValueType::$type,
                values: Values::$values($fixed),
                description: concat!($( $doc ),+).trim_ascii(),
            };
        )+

        /// Every attribute that a metric may carry.
        pub const ALL: &[Attribute] = &[$( $name ),+];
    };
}

attributes! {
    /// Where the result of a dispatched row went.
    ROLLOUT_OUTCOME: String = "nemo.gym.rollout.outcome", Closed(Outcome::TEXTS);

    /// The environment server that a row was dispatched to, or the agent where there is none; configured.
    ROLLOUT_DISPATCH_NAME: String = "nemo.gym.rollout.dispatch.name", Open(&[]);

    /// The broad class of a failure, absent where there is none; `agent_request_failed` if the agent did not answer.
    FAILURE_CLASS: String = "nemo.gym.failure_class", Open(&[AGENT_REQUEST_FAILED]);

    /// The exact kind of a failure: a registered one or `<server>:<kind>`, and `unregistered` for anything else.
    FAILURE_KIND: String = "nemo.gym.failure_kind", Open(&[UNREGISTERED_FAILURE_KIND]);

    /// The name of the error's type, such as `VerifierTimeoutError`; text that is no bare identifier is left out.
    FAILURE_TYPE: String = "nemo.gym.failure_type", Open(&[]);

    /// The part of the scale in which a reward lies.
    ROLLOUT_REWARD_RANGE: String = "nemo.gym.rollout.reward.range", Closed(RewardRange::TEXTS);

    /// Whether the result asks for its sample to be masked.
    ROLLOUT_MASKED: Bool = "nemo.gym.rollout.masked", Closed(&["true", "false"]);

    /// What the health checks say of a rollout as a whole.
    HEALTH_VERDICT: String = "nemo.gym.health.verdict", Closed(HealthVerdict::TEXTS);

    /// The health check that found something.
    HEALTH_CHECK: String = "nemo.gym.health.check", Closed(HealthCheck::TEXTS);

    /// The configured name of a server; on the server's own process it is a resource attribute too.
    SERVER_NAME: String = "nemo.gym.server.name", Open(&[]);

    /// The type of a server; on the server's own process it is a resource attribute too.
    SERVER_TYPE: String = "nemo.gym.server.type", Open(ServerType::TEXTS);

    /// Whether the process is one of several workers of its server.
    SERVER_WORKER: Bool = "nemo.gym.server.worker", Closed(&["true", "false"]);

    /// A stage of start-up; a server may name its own.
    STARTUP_STAGE: String = "nemo.gym.startup.stage", Open(StartupStage::TEXTS);

    /// The limit that bound when a wait for a connection began.
    POOL_QUEUE_CONSTRAINT: String = "nemo.gym.http.connection_pool.queue_constraint", Closed(QueueConstraint::TEXTS);

    /// How a wait for a connection ended.
    POOL_QUEUE_OUTCOME: String = "nemo.gym.http.connection_pool.queue_outcome", Closed(QueueOutcome::TEXTS);

    /// How the opening of a connection ended.
    POOL_CONNECT_OUTCOME: String = "nemo.gym.http.connection_pool.connect_outcome", Closed(ConnectOutcome::TEXTS);

    /// The configured name of the server that a call goes to; `external` for a call that names none.
    DESTINATION_SERVER_NAME: String = "nemo.gym.http.destination.server.name", Open(&[REMOTE_AGENT_SERVICE_DESTINATION, EXTERNAL_DESTINATION]);

    /// Which memory was measured.
    MEMORY_TYPE: String = "memory.type", Closed(MemoryType::TEXTS);

    /// Which tasks waited for memory: at least one, or all that had something to do.
    MEMORY_PRESSURE_SHARE: String = "memory.pressure.share", Closed(PressureShare::TEXTS);

    /// The time that an average is over.
    MEMORY_PRESSURE_WINDOW: String = "memory.pressure.window", Closed(PressureWindow::TEXTS);

    /// The process at the root of a server's process tree; as a resource attribute, the reporter itself.
    PROCESS_PID: Int = "process.pid", Open(&[]);

    /// The event loop that was watched; a program may name its own.
    EVENT_LOOP: String = "nemo.gym.event_loop", Open(EventLoop::TEXTS);

    /// The generation that was collected.
    GC_GENERATION: Int = "nemo.gym.gc.generation", Closed(&["0", "1", "2"]);

    /// Where processor time was spent.
    CPU_MODE: String = "cpu.mode", Closed(CpuMode::TEXTS);

    /// The registered route template, or `<unmatched>`; never a raw path.
    HTTP_ROUTE: String = "http.route", Open(&[UNMATCHED_ROUTE]);

    /// How far a request had come when it was cancelled.
    REQUEST_PHASE: String = "nemo.gym.request.phase", Closed(RequestPhase::TEXTS);

    /// The status of a response: 100 to 999.
    HTTP_RESPONSE_STATUS_CODE: Int = "http.response.status_code", Open(&[]);

    /// What a resources server did within a limit.
    RESOURCES_OPERATION: String = "nemo.gym.resources.operation", Closed(Operation::TEXTS);

    /// Where an operation ran.
    RESOURCES_EXECUTOR: String = "nemo.gym.resources.executor", Closed(Executor::TEXTS);

    /// How an operation ended, as its caller says or as it shows.
    RESOURCES_OPERATION_OUTCOME: String = "nemo.gym.resources.operation.outcome", Closed(OperationOutcome::TEXTS);

    /// The configured provider that sandboxes come from.
    SANDBOX_PROVIDER: String = "nemo.gym.sandbox.provider", Open(&[]);

    /// The part of a program that a limit protects.
    CONCURRENCY_COMPONENT: String = "nemo.gym.concurrency.component", Open(&[]);

    /// The configured name of a limit within its component.
    CONCURRENCY_LIMIT_NAME: String = "nemo.gym.concurrency.limit_name", Open(&[]);

    /// The protocol that a model was called in.
    MODEL_CALL_DIALECT: String = "nemo.gym.model_call.dialect", Closed(Dialect::TEXTS);

    /// `ok`, or the category of the error.
    MODEL_CALL_OUTCOME: String = "nemo.gym.model_call.outcome", Open(&[MODEL_CALL_OK]);

    /// Which tokens were counted.
    MODEL_CALL_TOKEN_TYPE: String = "nemo.gym.model_call.token.type", Closed(TokenType::TEXTS);

    /// Why the model stopped, in its provider's vocabulary.
    MODEL_CALL_FINISH_REASON: String = "nemo.gym.model_call.finish_reason", Open(&[]);

    /// The method of a request; `_OTHER` for one that HTTP does not define.
    HTTP_REQUEST_METHOD: String = "http.request.method", Open(&[OTHER_METHOD]);

    /// The scheme of a request: `http` or `https`.
    URL_SCHEME: String = "url.scheme", Open(&[]);

    /// The version of HTTP that a request used, such as `1.1` or `2`.
    NETWORK_PROTOCOL_VERSION: String = "network.protocol.version", Open(&[]);

    /// The status code as text, or the kind of error, of a request that failed; absent from others.
    ERROR_TYPE: String = "error.type", Open(&[]);

    /// The host that a call goes to; `external` for those beyond a limit.
    SERVER_ADDRESS: String = "server.address", Open(&[EXTERNAL_DESTINATION]);

    /// The port that a call goes to.
    SERVER_PORT: Int = "server.port", Open(&[]);
}
