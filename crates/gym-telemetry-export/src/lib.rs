//! Settings, providers and exporters that never touch the application's runtime.
