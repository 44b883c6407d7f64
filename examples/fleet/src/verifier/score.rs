use serde_json::{Map, Value};

use super::{arithmetic::evaluate, extract};

/// What a row asks its verifier to check.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Task {
    /// The answer in `\boxed{}` is the expected text.
    Boxed { expected: String, case_sensitive: bool },
    /// The answer after the final-answer phrase is the expected text.
    FinalAnswer { expected: String, case_sensitive: bool },
    /// The number in `\boxed{}` is the expression's value.
    Arithmetic { value: f64 },
}

impl Task {
    /// Reads the task of a row; an error says which field is at fault.
    pub(crate) fn of(row: &Map<String, Value>) -> Result<Self, String> {
        let text = |field: &str| match row.get(field) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(format!("field `{field}` must be a string")),
            None => Err(format!("field `{field}` is missing: the verifier needs it")),
        };
        let case_sensitive = row.get("case_sensitive").and_then(Value::as_bool).unwrap_or(false);
        match row.get("extraction_mode").and_then(Value::as_str).unwrap_or("boxed") {
            "boxed" => Ok(Self::Boxed { expected: text("expected_answer")?, case_sensitive }),
            "final_answer" => Ok(Self::FinalAnswer { expected: text("expected_answer")?, case_sensitive }),
            "arithmetic" => {
                let value = evaluate(&text("expression")?).ok_or("field `expression` is not arithmetic")?;
                Ok(Self::Arithmetic { value })
            }
            other => Err(format!("field `extraction_mode`: `{other}` is none of boxed, final_answer, arithmetic")),
        }
    }

    /// What a right answer would say, in the form that the task asks for.
    pub(crate) fn right_answer(&self) -> String {
        match self {
            Self::Boxed { expected, .. } => format!(r"The answer is \boxed{{{expected}}}."),
            Self::FinalAnswer { expected, .. } => format!("The final answer is {expected}."),
            Self::Arithmetic { value } => format!(r"The result is \boxed{{{value}}}."),
        }
    }
}

/// The answer that the verifier found in a text, and the reward for it: 1 if it is right, else 0.
pub(crate) fn score<'a>(task: &Task, text: &'a str) -> (Option<&'a str>, f64) {
    let (answer, right) = match task {
        Task::Boxed { expected, case_sensitive } => {
            let answer = extract::boxed(text);
            (answer, answer.is_some_and(|answer| same(answer, expected, *case_sensitive)))
        }
        Task::FinalAnswer { expected, case_sensitive } => {
            let answer = extract::final_answer(text);
            (answer, answer.is_some_and(|answer| same(answer, expected, *case_sensitive)))
        }
        Task::Arithmetic { value } => {
            let answer = extract::boxed(text);
            (answer, answer.and_then(evaluate).is_some_and(|number| close(number, *value)))
        }
    };
    (answer, if right { 1.0 } else { 0.0 })
}

fn same(answer: &str, expected: &str, case_sensitive: bool) -> bool {
    let (answer, expected) = (answer.trim(), expected.trim());
    if case_sensitive { answer == expected } else { answer.to_lowercase() == expected.to_lowercase() }
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * right.abs().max(1.0)
}
