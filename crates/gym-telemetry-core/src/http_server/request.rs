/// Declares a closed set of values, each with its text.
macro_rules! values {
    ($( #[$meta:meta] )+ $name:ident: $( $( #[$value_meta:meta] )+ $value:ident = $text:literal, )+) => {
        $( #[$meta] )+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $( $( #[$value_meta] )+ $value, )+
        }

        impl $name {
            /// Every value.
            pub const ALL: &[Self] = &[$( Self::$value ),+];

            /// The value as an attribute carries it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$value => $text, )+
                }
            }

            /// Its place in [`ALL`](Self::ALL).
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self as usize
            }
        }
    };
}

values! {
    /// A request's method, in `http.request.method`.
    HttpMethod:
    /// Opens a tunnel.
    Connect = "CONNECT",
    /// Removes.
    Delete = "DELETE",
    /// Reads.
    Get = "GET",
    /// Reads no more than the head.
    Head = "HEAD",
    /// Asks what can be done.
    Options = "OPTIONS",
    /// Changes a part.
    Patch = "PATCH",
    /// Has the body processed.
    Post = "POST",
    /// Replaces.
    Put = "PUT",
    /// Reads what the body asks for.
    Query = "QUERY",
    /// Asks for the request itself.
    Trace = "TRACE",
    /// Any method that HTTP does not define.
    Other = "_OTHER",
}

values! {
    /// A request's scheme, in `url.scheme`.
    #[derive(Default)]
    HttpScheme:
    /// Not encrypted.
    #[default]
    Http = "http",
    /// Encrypted.
    Https = "https",
}

values! {
    /// The version of HTTP that a request came in, in `network.protocol.version`.
    HttpVersion:
    /// HTTP/0.9.
    Http09 = "0.9",
    /// HTTP/1.0.
    Http10 = "1.0",
    /// HTTP/1.1.
    Http11 = "1.1",
    /// HTTP/2.
    Http2 = "2",
    /// HTTP/3.
    Http3 = "3",
}

/// What the HTTP conventions want to know of a request when it comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a layer builds it, and is to notice when there is more to say")]
pub struct HttpRequest {
    /// Its method.
    pub method: HttpMethod,
    /// The scheme that it came over.
    pub scheme: HttpScheme,
    /// The version of HTTP that it came in.
    pub version: HttpVersion,
}
