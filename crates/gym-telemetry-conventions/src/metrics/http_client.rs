//! The HTTP client and its connection pool.

use super::macros::instruments;

instruments! { "The HTTP client and its connection pool", Seed:
    /// How long a call waited for a connection slot; a call that found one free is left out.
    HTTP_CONNECTION_POOL_QUEUE_DURATION_MS = "gym.http.connection_pool.queue_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "HTTP client",
        required: [POOL_QUEUE_CONSTRAINT, POOL_QUEUE_OUTCOME, DESTINATION_SERVER_NAME],
        boundaries: POOL_MS,
    }

    /// Connections asked of the pool: new, reused, failed and abandoned ones alike.
    HTTP_CONNECTION_POOL_CONNECT_TOTAL = "gym.http.connection_pool.connect_total" {
        kind: ObservableCounterU64,
        unit: "{connection}",
        reporter: "HTTP client",
        required: [DESTINATION_SERVER_NAME],
    }

    /// How long it took to open a new connection, with name look-up and TLS; a reused one is left out.
    HTTP_CONNECTION_POOL_CONNECT_DURATION_MS = "gym.http.connection_pool.connect_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "HTTP client",
        required: [POOL_CONNECT_OUTCOME, DESTINATION_SERVER_NAME],
        boundaries: POOL_MS,
    }

    /// Outbound calls whose response head has not come yet.
    HTTP_CLIENT_REQUESTS_IN_FLIGHT = "gym.http.client.requests.in_flight" {
        kind: ObservableUpDownCounterI64,
        unit: "{request}",
        reporter: "HTTP client",
    }
}
