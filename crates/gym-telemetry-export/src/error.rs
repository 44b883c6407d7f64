use std::{io, sync::Arc, time::Duration};

use opentelemetry_sdk::error::OTelSdkError;
use thiserror::Error;

use crate::{Exporter, Protocol, SettingsError};

/// Why telemetry could not be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// A setting cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The crate was built without the exporter that the settings ask for.
    #[error("the exporter `{exporter}` is not compiled in: switch on the feature `{feature}`")]
    ExporterMissing {
        /// What the settings ask for.
        exporter: Exporter,
        /// The feature of this crate that brings it.
        feature: &'static str,
    },
    /// The crate was built without the protocol that the settings ask for.
    #[error("the OTLP protocol `{protocol}` is not compiled in: switch on the feature `{feature}`")]
    ProtocolMissing {
        /// What the settings ask for.
        protocol: Protocol,
        /// The feature of this crate that brings it.
        feature: &'static str,
    },
    /// The exporter refused its settings.
    #[error("the exporter could not be set up")]
    Exporter(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The exporter's thread, or the runtime on it, could not be made.
    #[error("the exporter's thread could not be started")]
    Thread(#[from] io::Error),
}

/// Why an export, and so a flush or a shutdown, did not succeed.
///
/// It can be cloned: the last one is kept for [`Status`](crate::Status).
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The receiver did not answer in time.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The SDK could not collect the metrics.
    #[error("the metrics could not be collected")]
    Collect(#[source] Arc<OTelSdkError>),
    /// The receiver refused the metrics, or could not be reached.
    #[error("the metrics could not be sent")]
    Send(#[source] Arc<OTelSdkError>),
    /// The metrics could not be written.
    #[error("the metrics could not be written")]
    Write(#[source] Arc<io::Error>),
    /// The exporter's thread is gone, though nobody shut it down.
    #[error("the exporter's thread has ended")]
    Stopped,
}
