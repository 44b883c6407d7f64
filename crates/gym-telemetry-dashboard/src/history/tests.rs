//! What queries answer, rule by rule. Seconds are counted from an arbitrary one.

mod forgetting;
mod gauges;
mod growth;
mod histograms;
mod limits;
mod model;
mod processes;
mod support;
