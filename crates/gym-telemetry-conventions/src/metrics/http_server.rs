//! Requests by the HTTP semantic conventions.

use super::macros::instruments;

instruments! { "Requests by the HTTP semantic conventions", Seed:
    /// How long a request took, to the end of its response.
    HTTP_SERVER_REQUEST_DURATION = "http.server.request.duration" {
        kind: HistogramF64,
        unit: "s",
        reporter: "every server with HTTP semantic conventions",
        required: [HTTP_REQUEST_METHOD, HTTP_ROUTE, HTTP_RESPONSE_STATUS_CODE, URL_SCHEME, NETWORK_PROTOCOL_VERSION],
        optional: [ERROR_TYPE],
        boundaries: HTTP_S,
    }

    /// Requests that are being served.
    HTTP_SERVER_ACTIVE_REQUESTS = "http.server.active_requests" {
        kind: ObservableUpDownCounterI64,
        unit: "{request}",
        reporter: "every server with HTTP semantic conventions",
        required: [HTTP_REQUEST_METHOD, URL_SCHEME],
    }

    /// Size of a request body.
    HTTP_SERVER_REQUEST_BODY_SIZE = "http.server.request.body.size" {
        kind: HistogramU64,
        unit: "By",
        reporter: "every server with HTTP semantic conventions",
        required: [HTTP_REQUEST_METHOD, HTTP_ROUTE, HTTP_RESPONSE_STATUS_CODE, URL_SCHEME, NETWORK_PROTOCOL_VERSION],
        optional: [ERROR_TYPE],
    }

    /// Size of a response body.
    HTTP_SERVER_RESPONSE_BODY_SIZE = "http.server.response.body.size" {
        kind: HistogramU64,
        unit: "By",
        reporter: "every server with HTTP semantic conventions",
        required: [HTTP_REQUEST_METHOD, HTTP_ROUTE, HTTP_RESPONSE_STATUS_CODE, URL_SCHEME, NETWORK_PROTOCOL_VERSION],
        optional: [ERROR_TYPE],
    }
}
