//! Closed sets of attribute values.

/// Declares an enum whose variants each have a fixed name at the backend.
macro_rules! values {
    ($(
        $(#[$doc:meta])*
        $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $text:literal, )+ }
    )+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_doc])* $variant, )+
        }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$( Self::$variant ),+];

            /// The values as a backend sees them, in the order of [`ALL`](Self::ALL).
            pub const TEXTS: &'static [&'static str] = &[$( $text ),+];

            /// The value as a backend sees it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                Self::TEXTS[self.index()]
            }

            /// The value's place in [`ALL`](Self::ALL), for tables that are indexed by it.
            #[must_use]
            pub const fn index(self) -> usize {
                self as usize
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )+};
}

values! {
    /// Where the result of one dispatched row went (`nemo.gym.rollout.outcome`).
    Outcome {
        /// Into the main output; masked results and results with a reward forced to zero too.
        Scored = "scored",
        /// Into the failures file beside it.
        Failed = "failed",
        /// Nowhere: the attempt was cut short by a kill.
        Omitted = "omitted",
    }

    /// The part of the scale in which a reward lies (`nemo.gym.rollout.reward.range`).
    RewardRange {
        /// Below 0.
        Negative = "negative",
        /// Exactly 0, of either sign.
        Zero = "zero",
        /// Strictly between 0 and 1.
        Partial = "partial",
        /// Exactly 1.
        Full = "full",
        /// Above 1.
        AboveOne = "above_one",
    }

    /// What the health checks say of one rollout (`nemo.gym.health.verdict`).
    HealthVerdict {
        /// Every check ran and none found anything.
        Healthy = "healthy",
        /// At least one check found something.
        Unhealthy = "unhealthy",
        /// Nothing was found, but at least one check could not run.
        Unobserved = "unobserved",
    }

    /// The rollout-level health checks (`nemo.gym.health.check`).
    HealthCheck {
        /// A check that itself broke.
        CheckExecutionError = "check_execution_error",
        /// The row or its trajectory has not the expected shape.
        RecordUnreadable = "record_unreadable",
        /// Two rows claim the same task and rollout.
        RolloutDuplicateIdentity = "rollout_duplicate_identity",
        /// No turn holds a message, a tool call or a model call.
        RolloutMissingAgentTurns = "rollout_missing_agent_turns",
        /// The last captured model call failed.
        RolloutEndedOnFailedModelCall = "rollout_ended_on_failed_model_call",
        /// A turn has neither message nor tool call.
        AgentTurnHollow = "agent_turn_hollow",
        /// A model call produced exactly no tokens.
        ModelCallZeroCompletionTokens = "model_call_zero_completion_tokens",
        /// A model call lacks a token count.
        ModelCallMissingTokenCounts = "model_call_missing_token_counts",
        /// Turns and captured calls do not refer to each other one to one.
        TrajectoryCaptureMismatch = "trajectory_capture_mismatch",
        /// A model call failed.
        ModelCallFailed = "model_call_failed",
        /// The row's usage differs from the sum over its calls.
        RolloutTokenCountMismatch = "rollout_token_count_mismatch",
        /// A model call hit its length limit without any content.
        ModelCallRunawayGeneration = "model_call_runaway_generation",
    }

    /// The kinds of server that a fleet knows by itself (`nemo.gym.server.type`); others may be configured.
    ServerType {
        /// Verifies answers and offers tools.
        Resources = "resources_servers",
        /// Answers as a model.
        Model = "responses_api_models",
        /// Runs rollouts.
        Agent = "responses_api_agents",
        /// Starts the others.
        Orchestrator = "orchestrator",
    }

    /// The start-up stages that have fixed names (`nemo.gym.startup.stage`); a server may name others.
    StartupStage {
        /// Making the virtual environment and installing into it (Python).
        VenvSetup = "venv_setup",
        /// The interpreter's start and the import of the server (Python).
        InterpreterStart = "interpreter_start",
        /// From the hand-over to the worker's entry (workers only).
        WorkerStart = "worker_start",
        /// Reading the configuration.
        LoadConfig = "load_config",
        /// Joining a Ray cluster (Python).
        InitRay = "init_ray",
        /// Constructing the server.
        InitServer = "init_server",
        /// Starting telemetry.
        InitTelemetry = "init_telemetry",
        /// Registering routes.
        SetupWebserver = "setup_webserver",
        /// Offering tools over MCP.
        ExposeToolsOverMcp = "expose_tools_over_mcp",
        /// Liveness routes, middleware, instrumentation.
        ConfigureApp = "configure_app",
        /// From the configured application to the accepting socket (Python).
        UvicornStartup = "uvicorn_startup",
        /// From the kernel's start of the process to `main` (Rust).
        ProcessStart = "process_start",
    }

    /// The pool's limit that bound when a wait began (`nemo.gym.http.connection_pool.queue_constraint`).
    QueueConstraint {
        /// The limit over all destinations.
        Total = "total",
        /// The limit of one destination.
        PerHost = "per_host",
        /// It could not be told.
        Unknown = "unknown",
    }

    /// How a wait for a connection ended (`nemo.gym.http.connection_pool.queue_outcome`).
    QueueOutcome {
        /// With a slot.
        Ok = "ok",
        /// By a timeout or a cancellation, before a slot was free.
        Abandoned = "abandoned",
    }

    /// How the opening of a connection ended (`nemo.gym.http.connection_pool.connect_outcome`).
    ConnectOutcome {
        /// The connection stands.
        Ok = "ok",
        /// It does not.
        Failed = "failed",
    }

    /// Which memory is meant (`memory.type`).
    MemoryType {
        /// Resident: shared pages count in full for each process.
        Rss = "rss",
        /// Proportional: shared pages are divided among those who map them.
        Pss = "pss",
    }

    /// Which tasks waited for memory (`memory.pressure.share`).
    PressureShare {
        /// At least one.
        Some = "some",
        /// All that had something to do.
        Full = "full",
    }

    /// The time that an average of pressure is over (`memory.pressure.window`).
    PressureWindow {
        /// The last 10 seconds.
        TenSeconds = "10s",
        /// The last minute.
        Minute = "60s",
        /// The last 5 minutes.
        FiveMinutes = "300s",
    }

    /// The event loops that have fixed names (`nemo.gym.event_loop`); others may be configured.
    EventLoop {
        /// A server's own.
        Server = "server",
        /// The head server's, within the supervisor.
        HeadServer = "head_server",
        /// The rollout driver's.
        Driver = "driver",
    }

    /// Where processor time was spent (`cpu.mode`).
    CpuMode {
        /// In the program.
        User = "user",
        /// In the kernel on its behalf.
        System = "system",
    }

    /// How far a request had come when it was cancelled (`nemo.gym.request.phase`).
    RequestPhase {
        /// No response head had been produced.
        BeforeResponseStart = "before_response_start",
        /// A response head had been produced, whatever followed it.
        ResponseStarted = "response_started",
    }

    /// What a resources server did within a limit (`nemo.gym.resources.operation`).
    Operation {
        /// Scored an answer.
        Verify = "verify",
        /// Ran a tool.
        Tool = "tool",
        /// Asked a judge.
        Judge = "judge",
        /// Anything else.
        Other = "other",
    }

    /// Where an operation ran (`nemo.gym.resources.executor`).
    Executor {
        /// In the handler itself.
        Inline = "inline",
        /// On a thread.
        Thread = "thread",
        /// In a long-lived process.
        Process = "process",
        /// In a process started for it.
        Subprocess = "subprocess",
        /// Anywhere else.
        Other = "other",
    }

    /// How an operation ended (`nemo.gym.resources.operation.outcome`).
    OperationOutcome {
        /// It returned.
        Ok = "ok",
        /// It returned an error.
        Error = "error",
        /// It ran out of time.
        Timeout = "timeout",
        /// It was dropped.
        Cancelled = "cancelled",
        /// It panicked.
        Crashed = "crashed",
    }

    /// The protocol of a model call (`nemo.gym.model_call.dialect`).
    Dialect {
        /// `/v1/chat/completions`.
        ChatCompletions = "chat_completions",
        /// `/v1/responses`.
        Responses = "responses",
        /// `/v1/messages`.
        Messages = "messages",
        /// None of these.
        Unknown = "unknown",
    }

    /// Which tokens were counted (`nemo.gym.model_call.token.type`).
    TokenType {
        /// Read by the model.
        Input = "input",
        /// Written by the model, its reasoning included.
        Output = "output",
        /// Written by the model as reasoning.
        Reasoning = "reasoning",
    }
}
