//! A loopback OTLP receiver that keeps the latest state of every series.
