use clap::ValueEnum;
use gym_telemetry::conventions::ServerType;

/// What a server of the fleet does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Answers as a model.
    Model,
    /// Verifies answers and runs tools.
    Resources,
    /// Runs rollouts.
    Agent,
}

impl Role {
    /// The word for it on the command line.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Resources => "resources",
            Self::Agent => "agent",
        }
    }

    /// The name under which the server reports.
    pub(crate) fn server_name(self) -> &'static str {
        match self {
            Self::Model => "policy_model",
            Self::Resources => "answer_verifier",
            Self::Agent => "simple_agent",
        }
    }

    /// The type under which the server reports.
    pub(crate) fn server_type(self) -> ServerType {
        match self {
            Self::Model => ServerType::Model,
            Self::Resources => ServerType::Resources,
            Self::Agent => ServerType::Agent,
        }
    }
}
