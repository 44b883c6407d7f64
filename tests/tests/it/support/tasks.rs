use serde_json::{Value, json};

/// How many tasks there are, and how many of them the model leaves to the calculator.
pub(crate) const TASKS: usize = 6;
pub(crate) const CALCULATIONS: usize = 2;

/// Tasks for each way to score, as lines.
pub(crate) fn tasks() -> String {
    let calculator = json!([{"type": "function", "name": "calculate"}]);
    let task = |question: Value, mode: &str, task: Value| {
        let mut row = json!({"responses_create_params": {"input": question}, "extraction_mode": mode});
        row.as_object_mut().unwrap().extend(task.as_object().unwrap().clone());
        row
    };
    let calculation = |expression: &str| {
        let mut row = task(json!(expression), "arithmetic", json!({"expression": expression}));
        row["responses_create_params"]["tools"] = calculator.clone();
        row
    };
    let conversation = json!([{"role": "user", "content": "The largest of 3, 9 and 7, in a box?"}]);
    let rows: [_; TASKS] = [
        task(json!("2 + 2, in a box?"), "boxed", json!({"expected_answer": "4"})),
        task(conversation, "boxed", json!({"expected_answer": "9"})),
        task(json!("Is 7 odd?"), "final_answer", json!({"expected_answer": "Yes"})),
        task(json!("A vowel?"), "final_answer", json!({"expected_answer": "e", "case_sensitive": true})),
        calculation("6 * 7"),
        calculation("(1 - 9) / 4"),
    ];
    rows.iter().map(|row| format!("{row}\n")).collect()
}
