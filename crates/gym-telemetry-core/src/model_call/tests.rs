use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    thread,
    time::Duration,
};

use gym_telemetry_conventions::{Dialect, TokenType};
use proptest::{prelude::*, sample::select};

use super::*;
use crate::testing::{Collected, Reader};

const SERVER: (&str, &str) = ("nemo.gym.server.name", "policy");

/// Count and sum of one series.
fn histogram(seen: &Collected, metric: &str, dialect: Dialect, more: &[(&str, &str)]) -> Option<(u64, f64)> {
    let identity = [SERVER, ("nemo.gym.model_call.dialect", dialect.as_str())];
    seen.histogram(&format!("gym.model_call.{metric}"), &[&identity[..], more].concat())
}

fn duration(seen: &Collected, dialect: Dialect, outcome: &str) -> u64 {
    let outcome = [("nemo.gym.model_call.outcome", outcome)];
    histogram(seen, "duration_ms", dialect, &outcome).map_or(0, |seen| seen.0)
}

#[test]
fn a_call_records_what_its_provider_told_and_nothing_else() {
    let reader = Reader::new();
    let calls = ModelCallMetrics::new(&reader.meter(), "policy");
    assert!(reader.collect().is_empty());
    let mut call = calls.start(Dialect::Messages);
    call.chunk();
    call.tokens(TokenType::Input, 40);
    call.tokens(TokenType::Output, 1);
    call.chunk();
    call.tokens(TokenType::Output, 7);
    call.finish_reason("end_turn");
    call.succeed();
    calls.start(Dialect::Messages).fail("upstream_error");

    let seen = reader.collect();
    let tokens = |token| histogram(&seen, "tokens", Dialect::Messages, &[("nemo.gym.model_call.token.type", token)]);
    assert_eq!(["input", "output", "reasoning"].map(tokens), [Some((1, 40.0)), Some((1, 7.0)), None]);
    assert_eq!(histogram(&seen, "ttft_ms", Dialect::Messages, &[]).map(|seen| seen.0), Some(1));
    let outcomes = ["ok", "upstream_error", "cancelled"];
    assert_eq!(outcomes.map(|outcome| duration(&seen, Dialect::Messages, outcome)), [1, 1, 0]);
    assert_eq!(seen.total("gym.model_call.finish_total"), 1.0);
}

#[test]
fn the_first_chunk_counts_and_the_rest_does_not() {
    const REST: Duration = Duration::from_millis(20);
    let reader = Reader::new();
    let calls = ModelCallMetrics::new(&reader.meter(), "policy");
    let mut call = calls.start(Dialect::Messages);
    call.chunk();
    thread::sleep(REST);
    call.chunk();
    call.succeed();
    let seen = reader.collect();
    let sum = |metric, more: &[_]| histogram(&seen, metric, Dialect::Messages, more).unwrap().1;
    let after = sum("duration_ms", &[("nemo.gym.model_call.outcome", "ok")]) - sum("ttft_ms", &[]);
    assert!(after >= REST.as_secs_f64() * 1e3, "{after}");
}

#[test]
fn a_call_that_begins_during_a_panic_is_not_ended_by_it() {
    struct CleansUp<'a>(&'a ModelCallMetrics);
    impl Drop for CleansUp<'_> {
        fn drop(&mut self) {
            drop(self.0.start(Dialect::Messages));
        }
    }
    let reader = Reader::new();
    let calls = ModelCallMetrics::new(&reader.meter(), "policy");
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _cleanup = CleansUp(&calls);
        resume_unwind(Box::new("something else broke"));
    }));
    assert!(unwound.is_err());
    let seen = reader.collect();
    assert_eq!(["exception", "cancelled"].map(|outcome| duration(&seen, Dialect::Messages, outcome)), [0, 1]);
}

#[test]
fn no_failure_counts_as_a_success_and_the_limit_of_categories_is_a_setting() {
    let reader = Reader::new();
    let calls = ModelCallMetrics::with_category_limit(&reader.meter(), "policy", 2);
    for category in ["timeout", "ok", "upstream_error", "it took 3 s", "timeout", "disk_full"] {
        calls.start(Dialect::Responses).fail(category);
    }
    let seen = reader.collect();
    let outcomes = ["ok", "timeout", "upstream_error", "other"];
    assert_eq!(outcomes.map(|outcome| duration(&seen, Dialect::Responses, outcome)), [0, 2, 1, 3]);
    assert_eq!(seen.series("gym.model_call.duration_ms"), 3);
}

#[derive(Debug, Clone, Copy)]
enum End {
    Succeed,
    Fail(&'static str),
    Drop,
    Panic,
}

#[derive(Debug, Clone)]
struct Planned {
    dialect: Dialect,
    chunks: u8,
    tokens: Vec<(TokenType, u64)>,
    finish: Option<&'static str>,
    end: End,
}

fn planned() -> impl Strategy<Value = Planned> {
    let tokens = prop::collection::vec((select(TokenType::ALL), 0_u64..1_000_000), 0..4);
    let finish = prop::option::of(select(&["stop", "length", "tool_use", "because"][..]));
    let end = prop_oneof![
        Just(End::Succeed),
        select(&["upstream_error", "timeout"][..]).prop_map(End::Fail),
        Just(End::Drop),
        Just(End::Panic)
    ];
    (select(Dialect::ALL), 0_u8..3, tokens, finish, end).prop_map(|(dialect, chunks, tokens, finish, end)| Planned {
        dialect,
        chunks,
        tokens,
        finish,
        end,
    })
}

fn run(calls: &ModelCallMetrics, planned: &Planned) {
    let mut call = calls.start(planned.dialect);
    (0..planned.chunks).for_each(|_| call.chunk());
    planned.tokens.iter().for_each(|(token, count)| call.tokens(*token, *count));
    planned.finish.into_iter().for_each(|reason| call.finish_reason(reason));
    match planned.end {
        End::Succeed => call.succeed(),
        End::Fail(category) => call.fail(category),
        End::Drop => drop(call),
        End::Panic => {
            let broken = catch_unwind(AssertUnwindSafe(move || {
                let _call = call;
                resume_unwind(Box::new("the call broke"));
            }));
            assert!(broken.is_err());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Whatever calls do, the recorder says what a naive count says.
    #[test]
    fn agrees_with_a_naive_model(all in prop::collection::vec(planned(), 0..30)) {
        let reader = Reader::new();
        let calls = ModelCallMetrics::new(&reader.meter(), "policy");
        let mut durations: BTreeMap<(Dialect, &str), u64> = BTreeMap::new();
        let mut finishes: BTreeMap<(Dialect, &str), u64> = BTreeMap::new();
        let mut tokens: BTreeMap<(Dialect, TokenType), (u64, u64)> = BTreeMap::new();
        let mut streamed: BTreeMap<Dialect, u64> = BTreeMap::new();
        for planned in &all {
            run(&calls, planned);
            let outcome = match planned.end {
                End::Succeed => "ok",
                End::Fail(category) => category,
                End::Drop => "cancelled",
                End::Panic => "exception",
            };
            *durations.entry((planned.dialect, outcome)).or_default() += 1;
            for (token, count) in planned.tokens.iter().copied().collect::<BTreeMap<_, _>>() {
                let (samples, sum) = tokens.entry((planned.dialect, token)).or_default();
                (*samples, *sum) = (*samples + 1, *sum + count);
            }
            if let Some(reason) = planned.finish {
                let reason = if reason == "because" { "other" } else { reason };
                *finishes.entry((planned.dialect, reason)).or_default() += 1;
            }
            *streamed.entry(planned.dialect).or_default() += u64::from(planned.chunks > 0);
        }
        let seen = reader.collect();
        prop_assert_eq!(seen.series("gym.model_call.duration_ms"), durations.len());
        prop_assert!(durations.iter().all(|((dialect, outcome), count)| duration(&seen, *dialect, outcome) == *count));
        for ((dialect, token), (samples, sum)) in tokens {
            let token = [("nemo.gym.model_call.token.type", token.as_str())];
            prop_assert_eq!(histogram(&seen, "tokens", dialect, &token), Some((samples, sum as f64)));
        }
        prop_assert_eq!(seen.series("gym.model_call.finish_total"), finishes.len());
        for ((dialect, reason), count) in finishes {
            let attributes = [
                SERVER,
                ("nemo.gym.model_call.dialect", dialect.as_str()),
                ("nemo.gym.model_call.finish_reason", reason),
            ];
            prop_assert_eq!(seen.value("gym.model_call.finish_total", &attributes), Some(count as f64));
        }
        for (dialect, count) in streamed {
            prop_assert_eq!(histogram(&seen, "ttft_ms", dialect, &[]).map_or(0, |seen| seen.0), count);
        }
    }

    /// Whatever text calls come with, their series are bounded.
    #[test]
    fn series_are_bounded(texts in prop::collection::vec((".*", "[a-z_]{1,6}"), 300)) {
        let reader = Reader::new();
        let calls = ModelCallMetrics::new(&reader.meter(), "policy");
        for (text, word) in &texts {
            for reason in [text, word] {
                let mut call = calls.start(Dialect::Unknown);
                call.finish_reason(reason);
                call.fail(reason);
            }
        }
        let seen = reader.collect();
        prop_assert!(seen.series("gym.model_call.duration_ms") <= 33);
        prop_assert!(seen.series("gym.model_call.finish_total") <= finish::COUNT);
        prop_assert_eq!(seen.total("gym.model_call.finish_total"), 600.0);
    }
}
