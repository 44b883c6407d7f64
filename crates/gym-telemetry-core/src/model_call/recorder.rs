use std::sync::{Arc, OnceLock};

use gym_telemetry_conventions::{Dialect, metrics};
use opentelemetry::metrics::Meter;

use super::{
    ModelCall,
    series::{Histograms, Series},
};
use crate::report::Report;

/// How many categories of errors have series of their own, in each dialect.
const DEFAULT_CATEGORY_LIMIT: usize = 32;

/// Counts the calls that one model server makes or answers: `gym.model_call.*`.
///
/// One meter may carry several, each for a server of its own name.
///
/// # Example
///
/// ```
/// use gym_telemetry_conventions::{Dialect, TokenType};
/// use gym_telemetry_core::ModelCallMetrics;
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let calls = ModelCallMetrics::new(&meter, "policy_model");
/// let mut call = calls.start(Dialect::ChatCompletions);
/// // … the answer comes …
/// call.tokens(TokenType::Input, 1_200);
/// call.tokens(TokenType::Output, 300);
/// call.finish_reason("stop");
/// call.succeed();
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct ModelCallMetrics {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    server: Box<str>,
    category_limit: usize,
    histograms: Histograms,
    series: [OnceLock<Series>; Dialect::ALL.len()],
}

impl ModelCallMetrics {
    /// A recorder for the model server of this name, whose series are reported through `meter`.
    pub fn new(meter: &Meter, server: &str) -> Self {
        Self::with_category_limit(meter, server, DEFAULT_CATEGORY_LIMIT)
    }

    /// The same, with series of their own for no more than `limit` categories of errors in each dialect; any other
    /// counts as `other`. The default is 32.
    pub fn with_category_limit(meter: &Meter, server: &str, limit: usize) -> Self {
        let inner = Arc::new(Inner {
            server: server.into(),
            category_limit: limit,
            histograms: Histograms::new(meter),
            series: Default::default(),
        });
        let report = Report::new(meter, &inner);
        report.on_collection(|inner| inner.iter().for_each(Series::hand_over));
        report.counter(&metrics::MODEL_CALL_FINISH_TOTAL, |inner, observer| {
            for (count, attributes) in inner.iter().flat_map(Series::finished) {
                observer.observe(count, &attributes);
            }
        });
        Self { inner }
    }

    /// A call begins.
    pub fn start(&self, dialect: Dialect) -> ModelCall {
        let Inner { server, category_limit, histograms, series } = &*self.inner;
        let series = series[dialect.index()].get_or_init(|| Series::new(server, dialect, histograms, *category_limit));
        ModelCall::new(series.shards.local().clone())
    }
}

impl Inner {
    fn iter(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter_map(OnceLock::get)
    }
}
