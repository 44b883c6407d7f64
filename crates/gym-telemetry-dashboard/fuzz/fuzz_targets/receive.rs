//! Whatever arrives is refused or taken in, within the limits, and what is held can be asked for.
//!
//! The first byte says how the others are encoded. In `crates/gym-telemetry-dashboard`, with cargo-fuzz installed:
//!
//! ```text
//! cargo +nightly fuzz run receive
//! RUSTC_BOOTSTRAP=1 cargo fuzz run receive -s none    # with the stable compiler
//! ```
#![no_main]

use gym_telemetry_collector::decode::{Format, decode, inflate};
use gym_telemetry_collector::Store;
use gym_telemetry_dashboard::history::{History, Query, Select, Settings};
use libfuzzer_sys::fuzz_target;

const MOST_BYTES: usize = 1 << 16;
const MOST_SERIES: usize = 16;

fuzz_target!(|bytes: &[u8]| {
    let Some((encoding, body)) = bytes.split_first() else { return };
    let format = if encoding & 1 == 0 { Format::Protobuf } else { Format::Json };
    let inflated = if encoding & 2 == 0 { Ok(body.to_vec()) } else { inflate(body, MOST_BYTES) };
    let Ok(body) = inflated else { return };
    assert!(encoding & 2 == 0 || body.len() <= MOST_BYTES);
    let Ok(request) = decode(&body, format, MOST_BYTES) else { return };

    let settings = Settings::new().max_series(MOST_SERIES).max_bytes(MOST_BYTES);
    let limits = settings.limits();
    let history = History::new(settings);
    let mut store = Store::observed(limits, history.observer());
    // The same again is the next export of the same processes, and then they come back after they were forgotten.
    for seconds in [1, 2, 1_000_000] {
        history.set_clock(seconds * 1000);
        store.apply(request.clone());
        assert!(store.series() <= MOST_SERIES);
    }

    let metrics = history.metrics();
    assert!(metrics.iter().map(|metric| metric.series).sum::<usize>() <= MOST_SERIES);
    let numbers = [Select::Value, Select::Rate, Select::Mean, Select::Quantile(0.5), Select::Buckets];
    for metric in &metrics {
        for select in numbers {
            if let Ok(answer) = history.query(&Query::new(&*metric.name).kind(metric.kind).select(select)) {
                assert!(answer.lines.iter().all(|line| line.values.len() == answer.times.len()));
            }
        }
    }
});
