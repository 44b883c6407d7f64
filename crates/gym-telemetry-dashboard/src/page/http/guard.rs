use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use subtle::ConstantTimeEq as _;

use super::{host, router::Shared};

/// The cookie that holds the token.
const COOKIE: &str = "gym_dashboard_token";

/// What every response says of itself. Nothing is loaded from elsewhere, and nothing is framed.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// Turns away who must not look, and makes every response safe to show.
pub(super) async fn guard(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let mut response = if !host::is_ours(headers, shared.token.is_some()) {
        let why = "the host must be an address or localhost";
        (StatusCode::MISDIRECTED_REQUEST, why).into_response()
    } else if !host::is_same_origin(headers) {
        (StatusCode::FORBIDDEN, "other pages may not read this one").into_response()
    } else {
        match shared.token.as_deref() {
            Some(token) => admit(token, request, next).await,
            None => next.run(request).await,
        }
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Lets those in who know the token; who brings it in the address gets a cookie for it, and the address without it.
async fn admit(token: &str, request: Request, next: Next) -> Response {
    if let Some(brought) = in_address(request.uri()) {
        if is_same(brought.as_bytes(), token) {
            let cookie = encode(token);
            let cookie = format!("{COOKIE}={cookie}; HttpOnly; SameSite=Lax; Path=/");
            let path = request.uri().path().to_owned();
            return (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, path)]).into_response();
        }
    } else if knows(request.headers(), token) || request.uri().path() == "/healthz" {
        return next.run(request).await;
    }
    let how = "this page is for those who know its token: open it with ?token=.. behind its address";
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], how).into_response()
}

/// The token that an address holds.
fn in_address(uri: &Uri) -> Option<String> {
    let mut pairs = form_urlencoded::parse(uri.query()?.as_bytes());
    pairs.find_map(|(key, value)| (key == "token").then(|| value.into_owned()))
}

/// Whether a request knows the token by its cookie, or as a program does.
fn knows(headers: &HeaderMap, token: &str) -> bool {
    let mut bearers = headers.get_all(header::AUTHORIZATION).iter();
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let cookies = cookies.flat_map(|value| value.split(';'));
    let mut cookies = cookies.filter_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    bearers.any(|value| value.as_bytes().strip_prefix(b"Bearer ").is_some_and(|brought| is_same(brought, token)))
        || cookies.any(|brought| is_same(brought.as_bytes(), &encode(token)))
}

/// The token as a cookie can hold it.
fn encode(token: &str) -> String {
    form_urlencoded::byte_serialize(token.as_bytes()).collect()
}

/// Compares without telling by its time how much was right.
fn is_same(brought: &[u8], token: &str) -> bool {
    brought.ct_eq(token.as_bytes()).into()
}
