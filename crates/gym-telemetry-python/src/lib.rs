//! The garbage collection of a CPython that runs inside this process, for Rust servers that call Python verifiers.
//!
//! ```
//! use gym_telemetry_core::GcMetrics;
//! use gym_telemetry_python::GcHook;
//! use opentelemetry::metrics::MeterProvider as _;
//! use pyo3::prelude::*;
//!
//! # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
//! let gc = GcMetrics::new(&meter);
//! Python::initialize();
//! Python::attach(|py| {
//!     let hook = GcHook::install(py, gc.clone())?;
//!     py.import("gc")?.call_method0("collect")?;
//!     assert_eq!(gc.snapshot().generations[2].collections, 1);
//!     hook.remove(py)
//! })?;
//! # Ok::<(), PyErr>(())
//! ```
//!
//! # Building
//!
//! This crate links with the Python that it finds: it takes `python3` and its headers, `python3-dev` on Debian. It is a
//! workspace of its own, so that everything else builds without; run cargo in its folder, or name its manifest.

mod callback;
mod hook;

pub use hook::GcHook;
