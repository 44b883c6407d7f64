//! Requests that a server receives.

use super::macros::instruments;

instruments! { "Requests that a server receives", Seed:
    /// Requests that have arrived and whose response body has not ended yet.
    SERVER_REQUESTS_IN_FLIGHT = "gym.server.requests.in_flight" {
        kind: ObservableUpDownCounterI64,
        unit: "{request}",
        reporter: "every server",
    }

    /// Requests that their client gave up before the response was complete.
    SERVER_REQUESTS_CANCELLED_TOTAL = "gym.server.requests.cancelled_total" {
        kind: ObservableCounterU64,
        unit: "{request}",
        reporter: "every server",
        required: [HTTP_ROUTE, REQUEST_PHASE],
    }

    /// Requests that ended in a panic, or in an error that nothing turned into a response.
    SERVER_REQUESTS_UNHANDLED_EXCEPTIONS_TOTAL = "gym.server.requests.unhandled_exceptions_total" {
        kind: ObservableCounterU64,
        unit: "{request}",
        reporter: "every server",
    }

    /// Responses whose head was produced.
    SERVER_RESPONSES_TOTAL = "gym.server.responses_total" {
        kind: ObservableCounterU64,
        unit: "{response}",
        reporter: "every server",
        required: [HTTP_RESPONSE_STATUS_CODE],
    }
}
