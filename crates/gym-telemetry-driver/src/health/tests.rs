use std::{fs, path::Path};

use gym_telemetry_conventions::{HealthCheck as Id, HealthVerdict, Outcome};
use gym_telemetry_core::{HealthMetrics, RolloutHealth};
use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};

use super::*;
use crate::testing::Reader;

/// A rollout of two turns with which nothing is wrong.
fn healthy() -> Value {
    let reference = |id| json!([{"model_call_id": id}]);
    let call = |id, prompt, completion| {
        json!({
            "model_call_id": id,
            "response": {"output": [{"type": "message", "content": [{"type": "output_text", "text": "4"}]}]},
            "response_metadata": {"response_id": format!("resp-{id}"), "model_ref": model(), "status_code": 200},
            "token_stats": {"prompt_tokens": prompt, "completion_tokens": completion},
        })
    };
    json!({
        "response": {"usage": {"input_tokens": 30, "output_tokens": 7}},
        "ng_trajectory": {
            "rollout_id": "0-0",
            "invocations": [{"invocation_id": "i", "model_calls": reference("a"), "conversation": []}],
            "turns": [
                {"turn_no": 0, "answer": [{"type": "function_call"}], "model_calls": reference("a")},
                {"turn_no": 1, "answer": "4", "reasoning_content": null, "model_calls": reference("b")},
            ],
            "model_calls": [call("a", 10, 3), call("b", 20, 4)],
            "tool_calls": [],
            "gaps": [],
        },
    })
}

fn model() -> Value {
    json!({"type": "responses_api_models", "name": "policy"})
}

fn evaluate(row: &Value) -> RolloutHealth {
    HealthChecks::new().evaluate(row)
}

/// A healthy rollout with one place changed: a JSON pointer within the row.
fn with(place: &str, value: Value) -> Value {
    let mut row = healthy();
    let (parent, key) = place.rsplit_once('/').expect("a pointer");
    match row.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}")) {
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        parent => parent[key] = value,
    }
    row
}

fn with_gap(code: &str) -> Value {
    with("/ng_trajectory/gaps", json!([{"code": code, "detail": null, "invocation_id": null}]))
}

/// Checks what flags a row and what could not run on it.
#[track_caller]
fn assert_health(row: &Value, flagged: &[Id], unobserved: &[Id]) {
    let health = evaluate(row);
    let sorted = |checks: &[Id]| {
        let mut checks = checks.to_vec();
        checks.sort();
        checks
    };
    let seen = |checks: &mut dyn Iterator<Item = Id>| sorted(&checks.collect::<Vec<_>>());
    assert_eq!(seen(&mut health.flagged()), sorted(flagged));
    assert_eq!(seen(&mut health.unobserved()), sorted(unobserved));
}

/// The checks that read the calls which belong to the rollout.
const OWNED: [Id; 4] = [
    Id::ModelCallFailed,
    Id::ModelCallZeroCompletionTokens,
    Id::ModelCallMissingTokenCounts,
    Id::ModelCallRunawayGeneration,
];

/// All that read the trajectory.
fn of_the_trajectory() -> Vec<Id> {
    let others = [
        Id::RolloutMissingAgentTurns,
        Id::AgentTurnHollow,
        Id::RolloutEndedOnFailedModelCall,
        Id::RolloutTokenCountMismatch,
        Id::TrajectoryCaptureMismatch,
    ];
    [&others[..], &OWNED].concat()
}

#[test]
fn nothing_is_wrong_with_a_healthy_rollout() {
    assert_health(&healthy(), &[], &[]);
    assert_eq!(evaluate(&healthy()).verdict(), HealthVerdict::Healthy);
}

#[test]
fn without_a_trajectory_what_reads_it_could_not_run() {
    for row in [json!({"reward": 1.0}), json!({"ng_trajectory": null}), with_gap("trajectory_projection_failed")] {
        assert_health(&row, &[], &of_the_trajectory());
        assert_eq!(evaluate(&row).verdict(), HealthVerdict::Unobserved);
    }
}

#[test]
fn what_has_another_shape_is_unreadable() {
    let malformed = [
        json!([1]),
        json!("a row"),
        with("/ng_trajectory", json!("text")),
        with("/ng_trajectory/turns", json!({"0": {}})),
        with("/ng_trajectory/turns/0", json!("a turn")),
        with("/ng_trajectory/turns/0/model_calls", json!([{"response_id": "resp-a"}])),
        with("/ng_trajectory/turns/0/model_calls", json!([{"model_call_id": ""}])),
        with("/ng_trajectory/model_calls/0/response_metadata", json!([])),
        with("/ng_trajectory/model_calls/0/response_metadata/status_code", json!("200")),
        with("/ng_trajectory/gaps", json!([{"detail": "no code"}])),
    ];
    for row in malformed {
        assert_health(&row, &[Id::RecordUnreadable], &of_the_trajectory());
        assert_eq!(evaluate(&row).verdict(), HealthVerdict::Unhealthy);
    }
}

#[test]
fn turns_say_something_or_do_something() {
    let hollow = |answer| with("/ng_trajectory/turns/1", json!({"turn_no": 1, "answer": answer, "model_calls": []}));
    let unbound = [Id::RolloutTokenCountMismatch];
    for answer in [json!(null), json!(" \n"), json!([{"type": "message", "content": []}]), json!({"name": "f"})] {
        let row = hollow(answer);
        let flagged: Vec<_> = evaluate(&row).flagged().filter(|check| !unbound.contains(check)).collect();
        assert_eq!(flagged, [Id::AgentTurnHollow]);
    }
    for answer in [json!([{"content": [{"text": "4"}]}]), json!({"type": "tool_use"}), json!({"tool_calls": [{}]})] {
        assert!(!evaluate(&hollow(answer)).flagged().any(|check| check == Id::AgentTurnHollow));
    }
    // A turn that only refers to a call is hollow, and there is one.
    let silent = json!({"turn_no": 0, "answer": "", "model_calls": [{"model_call_id": "a"}]});
    let row = with("/ng_trajectory/turns", json!([silent]));
    assert!(!evaluate(&row).flagged().any(|check| check == Id::RolloutMissingAgentTurns));
    let row = with("/ng_trajectory/turns", json!([{"turn_no": 0}]));
    assert!(evaluate(&row).flagged().any(|check| check == Id::RolloutMissingAgentTurns));

    let row = with_gap("turns_unavailable");
    assert_health(&row, &[], &[Id::RolloutMissingAgentTurns, Id::AgentTurnHollow]);
}

#[test]
fn a_failed_call_is_told_from_a_failed_end() {
    let place = |call: u32, key: &str| format!("/ng_trajectory/model_calls/{call}/response_metadata/{key}");
    for (key, value) in [("status_code", json!(503)), ("error_category", json!("timeout"))] {
        assert_health(&with(&place(0, key), value.clone()), &[Id::ModelCallFailed], &[]);
        let both = [Id::ModelCallFailed, Id::RolloutEndedOnFailedModelCall];
        assert_health(&with(&place(1, key), value), &both, &[]);
    }
    for status in ["failed", "error", "cancelled"] {
        assert_health(&with(&place(0, "response_status"), json!(status)), &[Id::ModelCallFailed], &[]);
    }
    assert_health(&with(&place(0, "status_code"), json!(400)), &[Id::ModelCallFailed], &[]);
    for (key, value) in [
        ("status_code", json!(399)),
        ("status_code", json!(null)),
        ("error_category", json!("")),
        ("response_status", json!("completed")),
    ] {
        assert_health(&with(&place(0, key), value), &[], &[]);
    }
}

#[test]
fn token_counts_are_whole_and_not_negative() {
    let place = "/ng_trajectory/model_calls/0/token_stats";
    let zero = with(place, json!({"prompt_tokens": 13, "completion_tokens": 0}));
    assert_health(&zero, &[Id::ModelCallZeroCompletionTokens, Id::RolloutTokenCountMismatch], &[]);
    for stats in [json!({"prompt_tokens": 10}), json!({"prompt_tokens": -1, "completion_tokens": 1.5}), json!(null)] {
        let row = with(place, stats);
        assert_health(&row, &[Id::ModelCallMissingTokenCounts], &[Id::RolloutTokenCountMismatch]);
    }
}

#[test]
fn usage_is_the_sum_over_the_calls_of_the_turns() {
    let usage = |usage| with("/response/usage", usage);
    assert_health(&usage(json!({"prompt_tokens": 30, "completion_tokens": 7})), &[], &[]);
    let differs = [Id::RolloutTokenCountMismatch];
    assert_health(&usage(json!({"input_tokens": 30, "output_tokens": 8})), &differs, &[]);
    assert_health(&usage(json!({"input_tokens": 30})), &[], &differs);
    assert_health(&with_gap("turn_model_call_scope_incomplete"), &[], &differs);
    // Nothing adds up wrong where numbers are as large as they come.
    let mut large = usage(json!({"input_tokens": 30, "output_tokens": 7}));
    for call in 0..2 {
        large["ng_trajectory"]["model_calls"][call]["token_stats"]["prompt_tokens"] = json!(u64::MAX);
    }
    assert_health(&large, &differs, &[]);
}

#[test]
fn a_generation_that_ran_away_said_nothing() {
    let ran = |reason: &str, response: Value| {
        let mut row = with("/ng_trajectory/model_calls/0/response_metadata/finish_reason", json!(reason));
        row["ng_trajectory"]["model_calls"][0]["response"] = response;
        row
    };
    let runaway = [Id::ModelCallRunawayGeneration];
    let chat = |message| json!({"choices": [{"message": message}]});
    for silent in [json!({}), json!({"output": [{"content": " "}]}), chat(json!({"content": null}))] {
        for reason in ["length", "max_output_tokens", "max_tokens"] {
            assert_health(&ran(reason, silent.clone()), &runaway, &[]);
        }
        assert_health(&ran("stop", silent), &[], &[]);
    }
    for key in ["text", "content", "output_text", "answer", "refusal", "reasoning", "reasoning_content", "summary"] {
        assert_health(&ran("length", json!({"output": [{key: [{"text": "4"}]}]})), &[], &[]);
        assert_health(&ran("length", json!({"output": [{key: [{"id": "4"}]}]})), &runaway, &[]);
    }
    for said in [json!({"output_text": "4"}), chat(json!({"reasoning_content": "hm"})), json!({"content": ["4"]})] {
        assert_health(&ran("length", said), &[], &[]);
    }
    assert_health(&ran("length", json!(null)), &[], &runaway);
    let mut one_of_two = ran("length", json!({}));
    one_of_two["ng_trajectory"]["model_calls"][1]["response_metadata"]["finish_reason"] = json!("length");
    one_of_two["ng_trajectory"]["model_calls"][1]["response"] = json!(null);
    assert_health(&one_of_two, &[], &runaway);
}

#[test]
fn references_lead_to_exactly_one_call() {
    let first = |reference| with("/ng_trajectory/turns/0/model_calls", json!([reference]));
    let pair = json!({"model_ref": model(), "response_id": "resp-a"});
    let of_others = json!({"model_ref": {"type": "responses_api_models", "name": "judge"}, "response_id": "resp-a"});
    let contradicts = json!({"model_call_id": "a", "response_id": "resp-b"});
    let mismatch = [Id::TrajectoryCaptureMismatch];
    for unresolved in [json!({"model_call_id": "c"}), of_others, contradicts] {
        assert_health(&first(unresolved), &mismatch, &[Id::RolloutTokenCountMismatch]);
    }
    let mut by_pair = first(pair);
    by_pair["ng_trajectory"]["invocations"] = json!([]);
    assert_health(&by_pair, &[], &[]);

    let mut twice = healthy();
    let again = twice["ng_trajectory"]["model_calls"][1].clone();
    twice["ng_trajectory"]["model_calls"].as_array_mut().unwrap().push(again);
    assert_health(&twice, &mismatch, &[Id::RolloutTokenCountMismatch]);

    for gap in ["unmatched", "ambiguous", "conflict"] {
        assert_health(&with_gap(&format!("model_call_reference_{gap}")), &mismatch, &[]);
    }
}

#[test]
fn calls_that_are_incomplete_or_owned_by_nobody_tell_nothing() {
    let of_calls = [
        &OWNED[..],
        &[Id::RolloutEndedOnFailedModelCall, Id::RolloutTokenCountMismatch, Id::TrajectoryCaptureMismatch],
    ];
    for gap in ["unavailable", "capture_incomplete", "capture_records_unreadable", "capture_unreadable"] {
        let gap = if gap == "unavailable" { "model_calls_unavailable".into() } else { format!("model_call_{gap}") };
        assert_health(&with_gap(&gap), &[], &of_calls.concat());
    }
    let mut unowned = with("/ng_trajectory/turns", json!([{"turn_no": 0, "answer": "4"}]));
    unowned["ng_trajectory"]["invocations"] = json!([]);
    let unbound = [Id::RolloutTokenCountMismatch, Id::TrajectoryCaptureMismatch];
    assert_health(&unowned, &[], &[&OWNED[..], &unbound].concat());
}

#[test]
fn a_call_with_two_owners_belongs_to_neither() {
    let by_pair = json!([{"model_ref": model(), "response_id": "resp-a"}]);
    let mut row = with("/ng_trajectory/invocations/0/model_calls", by_pair);
    row["ng_trajectory"]["model_calls"][0]["response_metadata"]["status_code"] = json!(500);
    assert_health(&row, &[], &[]);
}

#[test]
fn a_check_that_breaks_leaves_the_others_alone() {
    let broken = (Id::RolloutDuplicateIdentity, |_: &RolloutRecord<'_>| Err("it broke".into()));
    let panics = (Id::ModelCallFailed, |_: &RolloutRecord<'_>| panic!("it panicked"));
    let row = with("/ng_trajectory/turns/1/answer", json!(""));
    let checks = HealthChecks::new().with(broken).with(panics);
    let health = checks.evaluate(&row);
    assert_eq!(health.flagged().collect::<Vec<_>>(), [Id::CheckExecutionError, Id::AgentTurnHollow]);
    assert_eq!(health.unobserved().collect::<Vec<_>>(), [Id::RolloutDuplicateIdentity, Id::ModelCallFailed]);

    let silent = checks.ignoring(["check_execution_error", "agent_turn_hollow"]).unwrap().evaluate(&row);
    assert_eq!(silent.verdict(), HealthVerdict::Unobserved);
}

#[test]
fn a_check_of_ones_own_takes_the_place_of_ours() {
    let row = with("/ng_trajectory/turns/1/answer", json!(""));
    let finds = |found: Option<usize>| {
        let own = (Id::AgentTurnHollow, move |_: &RolloutRecord<'_>| Ok(found));
        HealthChecks::new().with(own).evaluate(&row).verdict()
    };
    let verdicts = [HealthVerdict::Healthy, HealthVerdict::Unhealthy, HealthVerdict::Unobserved];
    assert_eq!([Some(0), Some(2), None].map(finds), verdicts);
}

#[test]
fn ignored_checks_are_not_evaluated_and_unknown_names_are_refused() {
    let never = (Id::ModelCallFailed, |_: &RolloutRecord<'_>| panic!("it was evaluated"));
    let checks = HealthChecks::new().with(never).ignoring(["model_call_failed"]).unwrap();
    assert_eq!(checks.evaluate(&healthy()).verdict(), HealthVerdict::Healthy);

    let error = HealthChecks::new().ignoring(["agent_turn_hollow", "no_such_check"]).unwrap_err();
    assert_eq!(error.name, "no_such_check");
    assert!(Id::ALL.iter().all(|check| error.to_string().contains(check.as_str())), "{error}");
}

#[test]
fn real_rows_are_readable() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let Ok(files) = fs::read_dir(&folder) else {
        println!("skipped: there is no {}", folder.display());
        return;
    };
    for path in files.map(|file| file.unwrap().path()).filter(|path| path.to_string_lossy().contains(".rollouts.")) {
        for row in fs::read_to_string(path).unwrap().lines() {
            let health = evaluate(&serde_json::from_str(row).unwrap());
            assert!(!health.flagged().any(|check| check == Id::RecordUnreadable));
        }
    }
}

#[test]
fn a_rollout_counts_once_by_its_verdict_and_once_a_check() {
    let reader = Reader::new();
    let metrics = HealthMetrics::new(&reader.meter());
    let hollow = json!([{"turn_no": 0, "answer": ""}, {"turn_no": 1, "answer": ""}]);
    for row in [healthy(), with("/ng_trajectory/turns", hollow), json!({"reward": 0.0})] {
        metrics.evaluated(Outcome::Scored, &evaluate(&row));
    }
    let seen = reader.collect();
    assert_eq!(seen.series("gym.rollout.health_verdict_total"), 3);
    assert_eq!(seen.total("gym.rollout.health_verdict_total"), 3.0);
    let flagged = [("nemo.gym.health.check", "agent_turn_hollow"), ("nemo.gym.rollout.outcome", "scored")];
    assert_eq!(seen.value("gym.rollout.health_flagged_total", &flagged), Some(1.0), "however often it found something");
}

/// JSON of any shape, with the keys and words that checks look for.
fn json() -> impl Strategy<Value = Value> {
    const KEYS: &[&str] = &[
        "ng_trajectory",
        "turns",
        "invocations",
        "model_calls",
        "gaps",
        "code",
        "answer",
        "reasoning_content",
        "response",
        "usage",
        "model_call_id",
        "model_ref",
        "response_id",
        "type",
        "name",
        "response_metadata",
        "status_code",
        "finish_reason",
        "token_stats",
        "prompt_tokens",
        "completion_tokens",
        "output",
        "content",
        "turn_no",
    ];
    const WORDS: &[&str] = &["", "a", "b", "length", "function_call", "turns_unavailable", "model_calls_unavailable"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(WORDS).prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        let object = prop::collection::vec((select(KEYS), inner.clone()), 0..6);
        let object = object.prop_map(|pairs| {
            Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
        });
        prop_oneof![prop::collection::vec(inner, 0..4).prop_map(Value::from), object]
    })
}

/// Puts a value in the place that some steps down lead to.
fn replace(place: &mut Value, steps: &[usize], value: Value) {
    match (place, steps) {
        (Value::Array(items), [step, rest @ ..]) if !items.is_empty() => {
            let index = step % items.len();
            replace(&mut items[index], rest, value);
        }
        (Value::Object(fields), [step, rest @ ..]) if !fields.is_empty() => {
            let index = step % fields.len();
            fields.values_mut().nth(index).into_iter().for_each(|field| replace(field, rest, value.clone()));
        }
        (place, _) => *place = value,
    }
}

/// What a call is known by: its id, its model's name, its response's id.
type Identity = (Option<&'static str>, Option<&'static str>, Option<&'static str>);

fn identity() -> impl Strategy<Value = Identity> {
    let word = |words: &'static [&'static str]| prop::option::of(select(words));
    (word(&["a", "b"]), word(&["policy", "judge"]), word(&["r", "s"]))
}

proptest! {
    /// A reference leads to one call where one, and no other, is all that it says.
    #[test]
    fn references_are_resolved_as_by_looking_at_every_call(
        calls in prop::collection::vec(identity(), 0..6), references in prop::collection::vec(identity(), 1..4)
    ) {
        let references: Vec<_> = references
            .into_iter()
            .filter(|(id, model, response)| id.is_some() || (model.is_some() && response.is_some()))
            .collect();
        let model = |name: Option<&str>| name.map(|name| json!({"type": "models", "name": name}));
        let mut row = with("/ng_trajectory/invocations", json!([]));
        row["ng_trajectory"]["turns"] = references
            .iter()
            .map(|(id, name, response)| {
                let reference = json!({"model_call_id": id, "model_ref": model(*name), "response_id": response});
                json!({"answer": "4", "model_calls": [reference]})
            })
            .collect();
        row["ng_trajectory"]["model_calls"] = calls
            .iter()
            .map(|(id, name, response)| {
                let metadata = json!({"model_ref": model(*name), "response_id": response});
                json!({"model_call_id": id, "response_metadata": metadata})
            })
            .collect();
        let agrees = |given: Option<&str>, is: Option<&str>| given.is_none() || given == is;
        let found = |reference: &Identity| calls.iter().filter(|call| {
            agrees(reference.0, call.0) && agrees(reference.1, call.1) && agrees(reference.2, call.2)
        }).count();
        let mismatch = references.iter().any(|reference| found(reference) != 1);
        prop_assert_eq!(evaluate(&row).flagged().any(|check| check == Id::TrajectoryCaptureMismatch), mismatch);
    }

    /// No row breaks a check, wherever in a healthy one something else stands.
    #[test]
    fn no_row_breaks_a_check(value in json(), places in prop::collection::vec(any::<usize>(), 0..8)) {
        let mut row = healthy();
        replace(&mut row, &places, value);
        prop_assert!(!evaluate(&row).flagged().any(|check| check == Id::CheckExecutionError));
    }
}
