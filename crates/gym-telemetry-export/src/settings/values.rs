use std::fmt;

use serde::{Deserialize, Serialize};

/// Declares a setting that is one of a few words.
macro_rules! choices {
    ($(
        $(#[$doc:meta])*
        $name:ident accepts $accepted:literal { $( $(#[$variant_doc:meta])* $variant:ident = $text:literal, )+ }
    )+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_doc])* #[serde(rename = $text)] $variant, )+
        }

        impl $name {
            pub(crate) const ACCEPTED: &'static str = $accepted;

            /// The word that stands for it in a configuration file and in the environment.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $text, )+
                }
            }

            /// Reads the word, in upper or lower case.
            pub(crate) fn parse(text: &str) -> Option<Self> {
                [$( Self::$variant ),+].into_iter().find(|choice| choice.as_str().eq_ignore_ascii_case(text))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )+};
}

choices! {
    /// Where the metrics of a process go.
    Exporter accepts "`otlp`, `console` or `prometheus`" {
        /// To a collector, over the protocol that [`Protocol`] names.
        #[default]
        Otlp = "otlp",
        /// To standard output, one OTLP-JSON object a line.
        Console = "console",
        /// Nowhere by themselves: they are read from the process, in Prometheus' text format.
        Prometheus = "prometheus",
    }

    /// How OTLP is spoken to a collector.
    Protocol accepts "`grpc` or `http/protobuf`" {
        /// gRPC over HTTP/2.
        #[default]
        Grpc = "grpc",
        /// Protobuf in the body of an HTTP/1.1 `POST`.
        HttpProtobuf = "http/protobuf",
    }
}
