//! Contention-free recorders for rollout servers and drivers, registered on an OpenTelemetry meter.
