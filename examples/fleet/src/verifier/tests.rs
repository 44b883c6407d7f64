use serde_json::{Value, json};

use super::*;

fn task(row: Value) -> Result<Task, String> {
    Task::of(row.as_object().unwrap())
}

fn reward(row: Value, text: &str) -> f64 {
    score(&task(row).unwrap(), text).1
}

#[test]
fn boxed_answers_are_taken_from_the_last_box() {
    let row = json!({"expected_answer": "\\frac{1}{2}", "extraction_mode": "boxed"});
    assert_eq!(reward(row.clone(), r"First \boxed{1}, then \boxed{\frac{1}{2}}."), 1.0);
    assert_eq!(reward(row.clone(), r"\boxed{\frac{1}{2}} or rather \boxed{1}"), 0.0);
    assert_eq!(reward(row, r"\boxed{\frac{1}{2"), 0.0);
}

#[test]
fn final_answers_follow_their_phrase_and_case_is_folded_unless_it_matters() {
    let row = |case_sensitive| json!({"expected_answer": "Yes", "extraction_mode": "final_answer", "case_sensitive": case_sensitive});
    assert_eq!(reward(row(false), "So, The Final Answer is **yes**."), 1.0);
    assert_eq!(reward(row(true), "The final answer: yes"), 0.0);
    assert_eq!(reward(row(true), "The final answer: Yes"), 1.0);
    assert_eq!(reward(row(false), "yes"), 0.0);
    // Case folding by Unicode may change lengths; the phrase is still found.
    assert_eq!(reward(row(false), "İİİ. The final answer is yes"), 1.0);
}

#[test]
fn arithmetic_is_checked_by_value() {
    let row = json!({"expression": "2 * (3 + 4) / -4", "extraction_mode": "arithmetic"});
    assert_eq!(reward(row.clone(), r"\boxed{-3.5}"), 1.0);
    assert_eq!(reward(row.clone(), r"\boxed{-7/2}"), 1.0);
    assert_eq!(reward(row, r"\boxed{3.5}"), 0.0);
    for nonsense in ["", "1 +", "(1", "1)", "1/0", "two", &"(".repeat(5_000)] {
        assert_eq!(evaluate(nonsense), None, "{nonsense}");
    }
}

#[test]
fn right_answers_are_right() {
    for row in [
        json!({"expected_answer": "Oslo"}),
        json!({"expected_answer": "1969", "extraction_mode": "final_answer"}),
        json!({"expected_answer": "blue", "extraction_mode": "last_line"}),
        json!({"expression": "17 * 23", "extraction_mode": "arithmetic"}),
    ] {
        let task = task(row).unwrap();
        assert_eq!(score(&task, &task.right_answer()).1, 1.0);
    }
}

#[test]
fn what_is_missing_is_named() {
    assert_eq!(task(json!({})), Err("field `expected_answer` is missing: the verifier needs it".to_owned()));
    assert_eq!(task(json!({"expected_answer": 3})), Err("field `expected_answer` must be a string".to_owned()));
    let mode = task(json!({"extraction_mode": "guess"})).unwrap_err();
    assert_eq!(mode, "field `extraction_mode`: `guess` is none of boxed, final_answer, last_line, arithmetic");
    let expression = task(json!({"extraction_mode": "arithmetic", "expression": "x"})).unwrap_err();
    assert_eq!(expression, "field `expression` is not arithmetic");
}
