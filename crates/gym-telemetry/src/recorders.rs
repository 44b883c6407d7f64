use std::sync::OnceLock;

use gym_telemetry_core::{
    ConcurrencyMetrics, DriverMetrics, HealthMetrics, HttpClientMetrics, MemoryMetrics, ModelCallMetrics,
    OperationMetrics, PoolMetrics, RequestMetrics, RolloutMetrics, SandboxMetrics, VerifyMetrics,
};

use crate::Telemetry;

/// Declares the recorders that [`Telemetry`] makes from its meter when they are first asked for.
macro_rules! recorders {
    ($( $(#[$doc:meta])* $name:ident: $recorder:ty, )+) => {
        #[derive(Debug, Default)]
        pub(crate) struct Recorders {
            $( $name: OnceLock<$recorder>, )+
            model_calls: OnceLock<ModelCallMetrics>,
            requests: OnceLock<RequestMetrics>,
            rollouts: OnceLock<RolloutMetrics>,
        }

        /// The recorders: one of each kind.
        impl Telemetry {$(
            $(#[$doc])*
            pub fn $name(&self) -> &$recorder {
                let (recorders, meter) = self.recorders();
                recorders.$name.get_or_init(|| <$recorder>::new(meter))
            }
        )+}
    };
}

recorders! {
    /// Any concurrency limit: `gym.concurrency.*`.
    concurrency: ConcurrencyMetrics,
    /// The rollout driver: `gym.driver.*`.
    driver: DriverMetrics,
    /// The health of finished rollouts: `gym.rollout.health_*`.
    health: HealthMetrics,
    /// Outbound calls by the HTTP semantic conventions: `http.client.request.duration`. It reports the calls of the
    /// clients that it is given to.
    ///
    /// # Example
    ///
    #[cfg_attr(feature = "hyper", doc = "```")]
    #[cfg_attr(not(feature = "hyper"), doc = "```text")]
    /// use gym_telemetry::{Settings, Telemetry, hyper::PooledClient};
    ///
    /// let telemetry = Telemetry::start(Settings::default())?;
    /// let client = PooledClient::builder(telemetry.pool()).http_conventions(telemetry.http_client());
    /// let client = client.build_http::<String>();
    /// # drop(client);
    /// # Ok::<_, gym_telemetry::StartError>(())
    /// ```
    http_client: HttpClientMetrics,
    /// Memory of servers, host and container: `gym.server.memory.*`, `gym.host.memory.*`.
    memory: MemoryMetrics,
    /// Operations that wait for a limit: `gym.resources.operation.*`.
    operations: OperationMetrics,
    /// Outbound connections: `gym.http.connection_pool.*`, `gym.http.client.requests.in_flight`.
    pool: PoolMetrics,
    /// Sandboxes that this process holds: `gym.sandbox.*`.
    sandboxes: SandboxMetrics,
    /// Verifications: `gym.verify.*`.
    verify: VerifyMetrics,
}

impl Telemetry {
    /// Calls of the model that this server serves: `gym.model_call.*`. A process that is no server has no name to give
    /// them.
    pub fn model_calls(&self) -> &ModelCallMetrics {
        let (recorders, meter) = self.recorders();
        let name = self.server().map_or("", |server| &server.name);
        recorders.model_calls.get_or_init(|| ModelCallMetrics::new(meter, name))
    }

    /// Requests of this process's server: `gym.server.requests.*`, `gym.server.responses_total`, and what
    /// [`Builder::requests`](crate::Builder::requests) asked for.
    pub fn requests(&self) -> &RequestMetrics {
        let (recorders, meter) = self.recorders();
        recorders.requests.get_or_init(|| RequestMetrics::with_settings(meter, self.request_settings()))
    }

    /// Rollouts: `gym.rollout.*`, as [`Builder::rollouts`](crate::Builder::rollouts) asked for.
    pub fn rollouts(&self) -> &RolloutMetrics {
        let (recorders, meter) = self.recorders();
        recorders.rollouts.get_or_init(|| RolloutMetrics::with_settings(meter, self.rollout_settings()))
    }
}
